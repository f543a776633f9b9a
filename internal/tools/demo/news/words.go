package news

// sharedWords are the slots that both kinds of story fill alike. Names and
// places come from here on purpose: who did it, and where, must not give the
// label away. The people are invented.
var sharedWords = map[string][]string{
	"surname": {
		"Aldermere", "Ambrosey", "Ashgrove", "Barrowdale", "Beckonridge", "Bellhaven", "Birchmont", "Blakelock",
		"Brackwell", "Bramhurst", "Brindlecote", "Calderbank", "Carrowmore", "Castellane", "Chadderly", "Claybourne",
		"Coldstrom", "Corvello", "Cranmoor", "Cresswick", "Dallimore", "Darnwell", "Delacorte", "Dovemeade",
		"Drummore", "Dunmorrow", "Eastlake", "Ebberston", "Ellingrove", "Emberlyn", "Fairweather", "Farnsby",
		"Fenwright", "Ferrano", "Finsbury", "Fontenelle", "Foxhollow", "Galloway-Reed", "Garrowby", "Glenross",
		"Goldacre", "Greystoke", "Hadderley", "Halverstad", "Harrowgate", "Hartmere", "Hazelwright", "Holloman",
		"Inglemoor", "Iverstone", "Jarrowdale", "Jessamine", "Kelderman", "Kestrelby", "Kingsmere", "Kirrowan",
		"Langmoor", "Larkspur", "Linderholt", "Lockhaven", "Lorimont", "Lyndhurst", "Maddowick", "Marchbanks",
		"Marlowick", "Mayhollow", "Merriton", "Millbrandt", "Montclaire", "Morrowind", "Netherby", "Norquest",
		"Oakhanger", "Okonwei", "Orlandez", "Ostergren", "Pallister", "Pemberwick", "Penhallow", "Pinecroft",
		"Quillfeather", "Quintrell", "Radmoore", "Ravensby", "Redfearn", "Ridgewell", "Rosendale", "Rutherglen",
		"Sallowfield", "Sandoval-Pryce", "Severano", "Shadwell", "Silverthorn", "Skarsholm", "Snowdenham", "Stanwick",
		"Starkweather", "Sundquist", "Talbridge", "Tamblyn", "Tarrington", "Thistlewood", "Thornbury", "Tolliver",
		"Tremayne", "Underwald", "Vanderholt", "Varrick", "Ventorelli", "Wakeling", "Wansfell", "Westerby",
		"Wetherall", "Whitlaw", "Wickersham", "Windermoor", "Winterbourne", "Woolcott", "Wyndmore", "Yardleigh",
		"Yellowlees", "Zeldermoor", "Zellinger", "Zimmerholt",
	},
	"place": {
		"Ohio", "Florida", "Iowa", "Nevada", "Virginia", "Colorado", "Wisconsin", "Michigan", "Pennsylvania", "Arizona",
		"Texas", "Georgia", "Oregon", "Maine", "Vermont", "Montana", "Kansas", "Kentucky", "Tennessee", "Minnesota",
		"Nebraska", "Indiana", "Missouri", "Alabama", "Louisiana", "Delaware", "Maryland", "Utah", "Idaho", "Alaska",
		"Chicago", "Denver", "Boston", "Detroit", "Houston", "Atlanta", "Seattle", "Miami", "Cleveland", "Phoenix",
		"Dallas", "Portland", "Memphis", "Milwaukee", "Orlando", "Tampa", "Cincinnati", "Pittsburgh", "Baltimore", "Omaha",
		"Tucson", "Richmond", "Raleigh", "Columbus", "Oakland", "Sacramento", "Buffalo", "Charlotte", "Nashville", "Boise",
	},
	"day":   {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"},
	"month": {"January", "February", "March", "April", "June", "July", "August", "September", "October", "November"},
	"count": {"two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "fifteen", "twenty"},
	"nth":   {"first", "second", "third", "fourth", "fifth", "sixth", "seventh"},
	"digits": {
		"3", "4", "6", "7", "8", "9", "11", "12", "14", "16", "17", "19", "21", "23", "26", "28", "31", "34", "38", "44",
	},
	"percent": {"38", "39", "41", "42", "43", "44", "45", "46", "47", "48", "49", "50", "51", "52", "53", "55", "57", "61"},
	"crowd": {
		"a packed house", "a restless crowd", "thousands of supporters", "a few hundred people", "a cheering crowd",
		"a sold-out hall", "families with small children", "a noisy gathering", "an audience of {digits} thousand",
		"students in bright scarves", "a half-empty room", "a chanting crowd", "visitors from across {Place}",
	},
	"when": {
		"on {day}", "on {day} night", "on {day} morning", "early on {day}", "late on {day}", "this week", "last weekend",
		"in {month}", "at the end of {month}", "after a long night", "before dawn", "in the final hours", "in the rain",
		"under bright lights", "in front of {crowd}", "ahead of schedule", "at the last moment", "in freezing weather",
		"without warning", "for the {nth} time",
	},
	"soon": {
		"on {day}", "by {day}", "this week", "next week", "in {month}", "by {month}", "after the weekend", "within {count} days",
		"before the holidays", "at the turn of the year", "in due course", "before {day} night",
	},
	"teller": {
		"said {surname}", "{surname} told reporters", "a spokesman said", "a spokeswoman said", "insiders say", "local radio reported",
		"the {Place} newspaper wrote", "observers agree", "people close to {Hero} say", "one analyst said", "a columnist wrote",
		"the official statement says", "{surname} said in an interview", "commentators noted", "a former rival said",
	},
	"mood": {
		"calm", "confident", "cautious", "tired", "relieved", "upbeat", "nervous", "disappointed", "defiant", "grateful", "surprised",
		"hopeful", "stubborn", "patient", "emotional", "focused", "hungry", "humble", "proud", "thoughtful", "silent",
	},
	"calm": {"calm", "patient", "focused", "hungry", "humble", "positive", "sharp", "loyal", "realistic", "alert", "united"},
	"trait": {
		"experience", "discipline", "patience", "courage", "stamina", "nerves", "timing", "preparation", "momentum", "teamwork",
		"character", "energy", "honesty", "creativity", "balance", "luck", "ambition", "persistence", "humor", "instinct",
	},
	"contest": {"race", "contest", "campaign", "battle", "duel", "fight", "showdown", "clash", "challenge", "comeback"},
	"result":  {"win", "victory", "defeat", "loss", "upset", "triumph", "setback", "breakthrough", "surprise", "sweep"},
	"swing": {
		"pulled ahead", "fell behind", "caught up", "closed the gap", "held on", "took the lead", "lost ground", "bounced back",
		"stayed in front", "came from behind", "ran out of time", "set the pace", "turned the tide", "missed a chance",
		"made up ground", "struck early", "kept the pressure on", "went on the attack", "played it safe", "hit back",
	},
	"verdict": {
		"a turning point", "a wake-up call", "a bitter lesson", "a historic moment", "an early test", "a statement of intent",
		"a missed opportunity", "a lucky escape", "a fresh start", "a warning", "a gamble", "a formality", "a balancing act",
		"a question of trust", "an uphill struggle", "a two-horse race", "a marathon, not a sprint", "a whole new ball game",
	},
	"press": {
		"headlines", "cameras", "microphones", "interviews", "photographers", "bloggers", "broadcasters", "editors", "podcasts",
		"television trucks", "newspapers", "satellite vans",
	},
	"logistics": {
		"The bus broke down on the way to {Place}", "A storm delayed every flight to {Place}", "Traffic around {Place} came to a halt",
		"Extra trains ran from {Place}", "Hotels in {Place} were full", "The lights went out for {count} minutes",
		"Security was tight in {Place}", "Tickets were gone within {count} hours", "Snow covered the parking lot",
		"A heat wave kept many people at home", "The microphones failed twice", "A brass band played at the gates",
		"Volunteers handed out water", "A helicopter circled overhead", "Street vendors sold flags and scarves",
		"The schedule changed {count} times", "A power failure stopped the broadcast", "Fog hid the far side of the grounds",
	},
	"analogy": {
		"like a chess match", "like a boxing bout", "like a family reunion", "like a job interview", "like a school play",
		"like a final exam", "like a penalty shootout", "like a town meeting", "like a heavyweight fight", "like a homecoming",
		"like a long winter", "like a photo finish", "like a landslide", "like a rehearsal", "like a trial",
	},
	"money": {"dollars", "funds", "sponsors", "donations", "debts", "contracts", "savings", "bonuses", "fees", "budgets"},
	"kin":   {"brother", "sister", "father", "mother", "daughter", "son", "uncle", "grandmother", "wife", "husband", "cousin", "neighbor"},
}
