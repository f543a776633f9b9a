package news

// electionWords are the slots that only election stories fill, or fill in
// their own way.
var electionWords = map[string][]string{
	"office": {
		"governor", "senator", "mayor", "president", "vice president", "congresswoman", "congressman", "attorney general", "treasurer",
		"county commissioner", "state senator", "sheriff", "city councilor", "secretary of state", "comptroller", "district attorney",
		"assemblyman", "alderman", "school superintendent", "lieutenant governor", "delegate", "auditor", "state representative",
	},
	"post": {
		"ambassador", "chancellor", "federal judge", "cabinet secretary", "chief justice", "foreign minister", "budget director",
		"surgeon general", "solicitor general", "national security adviser", "prime minister", "ombudsman", "trade envoy",
	},
	"vote": {
		"the primary", "the caucus", "the runoff", "the straw poll", "the special election", "the by-election", "the recount",
		"the nomination", "the party ballot", "the open seat",
	},
	"issue": {
		"taxes", "health care", "immigration", "gun laws", "education", "student loans", "the deficit", "foreign policy", "trade",
		"climate change", "energy prices", "pensions", "welfare", "unemployment", "housing costs", "police reform", "child care",
		"farm subsidies", "public transport", "veterans' benefits", "the minimum wage", "prescription drugs", "school vouchers",
		"clean water", "broadband access", "nuclear power", "border security", "prison sentences", "Social Security", "Medicare",
		"Medicaid", "internet privacy", "the national debt", "inflation", "offshore drilling", "wind farms", "mining permits",
		"campaign finance", "redistricting", "lobbying rules", "term limits", "the death penalty", "same-day registration",
		"public housing", "corporate tax breaks", "property taxes", "sales tax", "tariffs", "the auto industry", "coal jobs",
		"highway repairs", "flood insurance", "rural hospitals", "opioid treatment", "teacher salaries", "military spending",
		"sanctions", "nuclear treaties", "foreign aid", "civil rights",
	},
	"measure": {
		"an amendment", "a referendum", "a recall petition", "a bond issue", "a spending bill", "a bipartisan compromise", "a veto",
		"a filibuster", "an executive order", "a resolution", "a budget proposal", "a stimulus package", "a tax credit", "a moratorium",
		"an ordinance", "a bill on {issue}", "a ballot initiative", "a repeal of the old law", "an emergency decree", "a zoning plan",
		"a carbon levy", "a hiring freeze", "a subsidy", "an ethics code", "a redrawn map", "a constitutional change",
	},
	"voters": {
		"undecided voters", "young voters", "retirees", "nurses", "farmers", "teachers", "union members", "veterans", "suburban mothers",
		"first-time voters", "Latino voters", "Catholics", "evangelicals", "independents", "Republicans", "Democrats", "moderates",
		"conservatives", "liberals", "factory workers", "shopkeepers", "commuters", "miners", "ranchers", "immigrants", "pensioners",
		"small-business owners", "college graduates", "libertarians", "absentee voters", "swing voters", "truck drivers",
		"civil servants", "homeowners", "renters", "military families",
	},
	"chamber": {
		"the Senate", "the House", "Congress", "the city council", "the legislature", "the statehouse", "parliament", "the county board",
		"the judiciary committee", "the appropriations committee", "the school board", "the general assembly",
	},
	"court": {
		"the Supreme Court", "a federal court", "the appeals court", "a panel of judges", "the ethics panel", "the election board",
		"the attorney general's office", "the district court",
	},
	"venue": {
		"a town hall", "a diner", "a union hall", "a church basement", "the courthouse steps", "a high school gymnasium", "a county fair",
		"a university auditorium", "a steel mill", "a retirement home", "a library", "a veterans' post", "a farmers' market",
		"a community center", "a television studio", "the convention floor", "a shipyard", "a hospital ward", "a bus stop",
		"a factory gate", "a synagogue", "a mosque", "a barbecue", "a bakery",
	},
	"staff": {
		"campaign manager", "press secretary", "pollster", "speechwriter", "fundraiser", "field organizer", "strategist", "running mate",
		"chief of staff", "treasurer", "volunteer coordinator", "policy adviser", "campaign lawyer", "precinct captain", "surrogate",
		"spokesperson", "media consultant", "donor", "lobbyist", "canvasser",
	},
	"paper": {
		"tax returns", "absentee ballots", "provisional ballots", "voter rolls", "registration forms", "exit polls", "yard signs",
		"campaign mailers", "petition signatures", "financial disclosures", "position papers", "attack ads", "manifestos",
		"sample ballots", "voting machines", "ballot boxes", "certified results", "campaign buttons", "robocalls",
		"pamphlets", "questionnaires", "affidavits", "endorsement letters", "transcripts",
	},
	"process": {
		"early voting", "the recount", "the primary", "the caucus", "the runoff", "the convention", "voter registration", "the count",
		"the transition", "the inauguration", "the swearing-in", "the nomination", "the roll call", "the hearing", "the confirmation vote",
		"the census", "mail-in voting", "the special election", "the midterm election", "the by-election",
		"the straw poll", "the floor debate", "the budget vote", "the certification", "the audit of ballots",
	},
	"act": {
		"concedes", "declares victory", "files for reelection", "calls for a recount", "names a running mate", "suspends the campaign",
		"opens a campaign office", "unveils a plan for {issue}", "signs {measure}", "vetoes {measure}", "promises {measure}",
		"courts {voters}", "wins the endorsement of {voters}", "sues over {paper}", "releases {paper}", "answers questions on {issue}",
		"attacks {Rival} on {issue}", "resigns from {chamber}", "returns to {chamber}", "testifies before {chamber}",
		"addresses {chamber}", "hires a new {staff}", "rewrites the stump speech", "shakes hands at {venue}", "knocks on doors",
		"raises money from {voters}", "loses ground among {voters}", "drops out of the primary", "enters the primary",
		"debates {Rival} on {issue}", "meets {voters} at {venue}", "sponsors {measure}", "blocks {measure}", "defends {measure}",
	},
	"virtue": {"transparency", "accountability", "compromise", "bipartisanship", "reform", "oversight", "turnout", "legitimacy", "diplomacy", "sovereignty"},
	"polladj": {
		"partisan", "congressional", "presidential", "gubernatorial", "municipal", "legislative", "electoral", "constitutional",
		"federal", "statewide", "bipartisan", "judicial", "fiscal", "civic", "diplomatic", "ideological", "grassroots", "populist",
	},
	"pollnoun": {
		"coalition", "mandate", "platform", "majority", "minority", "constituency", "incumbency", "bureaucracy", "agenda", "doctrine",
		"caucus", "faction", "ticket", "delegation", "electorate", "opposition", "commission", "committee", "administration", "alliance",
		"precinct", "district", "ballot", "nomination", "candidacy", "reform", "consensus",
	},
	"polbody": {
		"coalition", "majority", "minority", "caucus", "faction", "delegation", "opposition", "commission", "committee", "alliance",
		"working group", "task force", "tribunal", "assembly", "subcommittee",
	},
	"leader": {"Obama", "Romney", "Obama", "Romney", "Clinton"},
	"side":   {"the party", "the campaign", "the ticket", "the coalition", "the administration", "the opposition"},
	"person": {"the candidate", "the incumbent", "the challenger", "the nominee", "the {office}", "the front-runner", "the newcomer"},
	"prize":  {"the nomination", "the seat", "the governor's mansion", "a second term", "the majority", "a swing state", "the White House"},
	"people": {"voters", "delegates", "lawmakers", "candidates", "donors", "constituents", "citizens", "officials", "activists", "pollsters"},
}
