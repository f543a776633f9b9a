package news

// sportsWords are the slots that only sport stories fill, or fill in their
// own way. The clubs are invented.
var sportsWords = map[string][]string{
	"sport": {
		"football", "football", "football", "football", "basketball", "basketball", "tennis", "tennis", "baseball", "hockey", "rugby",
		"cricket", "golf", "swimming", "cycling", "rowing", "volleyball", "handball", "boxing", "wrestling", "skiing", "gymnastics",
		"sailing", "badminton", "fencing", "softball", "lacrosse", "athletics", "figure skating", "water polo",
	},
	"club": {
		"the Harbor Hawks", "Riverside United", "the Canyon Comets", "Northgate Rovers", "the Prairie Wolves", "Lakeside Athletic",
		"the Granite Giants", "Ironbridge Town", "the Summit Stags", "Eastport Wanderers", "the Copper Kings", "Millfield Albion",
		"the Timber Bears", "Saltmarsh Rangers", "the Valley Vipers", "Oldtown Dynamo", "the Coastal Herons", "Brickyard City",
		"the Thunder Colts", "Westbrook Villa", "the Delta Pelicans", "Hillcrest Hotspurs", "the Frontier Foxes", "Kingsbay Sporting",
		"the Glacier Knights", "Foundry Athletic", "the Desert Falcons", "Maplewood Orient", "the Beacon Bruisers", "Stonegate Racing",
		"the Orchard Otters", "Ferrytown Celtic", "the Mesa Mustangs", "Quarry Bank", "the Tidewater Sharks", "Larchmont Inter",
	},
	"cup": {
		"the cup", "the league", "the playoffs", "the championship", "the derby", "the semifinal", "the quarterfinal", "the final",
		"the qualifying round", "the world cup", "the grand slam", "the open", "the clay-court season", "the indoor championships",
		"the regional league", "the all-star game", "the super bowl", "the wild-card round", "the relay", "the marathon",
		"the time trial", "the preseason tour", "the friendly", "the replay", "the group stage", "the opening ceremony",
	},
	"position": {
		"quarterback", "goalkeeper", "striker", "midfielder", "winger", "point guard", "shortstop", "pitcher", "catcher", "linebacker",
		"receiver", "fullback", "sprinter", "hurdler", "defender", "center", "power forward", "outfielder", "kicker", "cornerback",
		"playmaker", "captain", "rookie", "substitute", "veteran forward", "top seed", "wild card", "left-hander", "breaststroker",
		"pole vaulter", "flanker", "fly-half", "batsman", "bowler", "caddie", "goalie", "defenseman", "libero", "pivot", "setter",
	},
	"injury": {
		"a torn ligament", "a hamstring strain", "a broken wrist", "a sore shoulder", "a concussion", "a twisted ankle", "a knee problem",
		"a groin injury", "a stress fracture", "a calf problem", "a bruised rib", "tennis elbow", "a dislocated finger", "back spasms",
		"an Achilles rupture", "a swollen knee", "muscle cramps", "a thigh bruise", "a foot blister", "a hip complaint",
		"a cut eyebrow", "a pulled muscle",
	},
	"move": {"{kick}", "{kick}", "{kick}", "{hoop}", "{hoop}", "{court}", "{court}", "{bat}", "{other}", "{other}", "{career}"},
	"play": {"{kick}", "{kick}", "{hoop}", "{bat}"},
	"kick": {
		"scores twice", "saves a penalty", "throws {count} touchdowns", "scores a hat-trick", "fumbles on the goal line",
		"runs {digits} yards", "heads in a corner", "kicks a late field goal", "intercepts a pass", "nets a volley",
		"curls in a free kick", "sees a red card", "collects a yellow card", "crosses for the equalizer", "returns a punt",
		"sacks the quarterback", "dribbles past {count} defenders", "chips the goalkeeper", "blitzes from the left",
		"converts after the try", "clears off the line", "wins every tackle", "misses an open goal",
	},
	"hoop": {
		"sinks a three-pointer", "misses a free throw", "blocks a shot", "dunks at the buzzer", "grabs {digits} rebounds",
		"fouls out", "steals the ball twice", "hits {count} straight jumpers", "hands out {digits} assists", "beats the shot clock",
	},
	"court": {
		"serves {digits} aces", "breaks serve", "wins the tie-break", "smashes a forehand winner", "double-faults on match point",
		"comes from a set down", "volleys into the net", "loses a five-set thriller", "slices a backhand", "saves {count} match points",
		"retires in the second set",
	},
	"bat": {
		"hits a home run", "strikes out {count} batters", "steals second base", "pitches {count} innings", "bunts in the ninth",
		"bowls a maiden over", "takes {count} wickets", "drops a fly ball", "walks with the bases loaded",
	},
	"other": {
		"birdies the last hole", "clears the bar", "sets a course record", "sprints clear on the last lap", "wins gold in the butterfly",
		"takes the puck behind the net", "wins the sprint", "lands a triple axel", "stumbles at the last hurdle", "wins on points",
		"rows to the regatta final", "crashes on the descent", "throws the javelin farthest", "sticks the dismount",
		"skis to third in the slalom", "wins the foil final", "putts for eagle", "sets a world record", "runs a personal best",
	},
	"career": {
		"leaves the pitch with {injury}", "returns after {injury}", "signs with {club}", "extends the contract with {club}",
		"leaves {club} on loan", "joins {club} on a free transfer", "is benched by the coach", "rests before {cup}",
		"skips {drill}", "impresses the scouts", "passes the medical", "hangs up the boots", "makes the all-star squad",
		"turns professional", "loses the armband", "trains with the reserves",
	},
	"gear": {
		"helmets", "shin pads", "racquets", "running shoes", "jerseys", "goalposts", "hurdles", "pucks", "skates", "mouthguards",
		"batting gloves", "golf clubs", "kneepads", "cleats", "whistles", "stopwatches", "dumbbells", "oars", "saddles", "paddles",
		"trampolines", "nets", "goggles", "ski poles", "bicycles", "floodlights", "turnstiles", "stretchers", "shoulder pads", "baselines",
	},
	"drill": {
		"sprints", "stretching", "weightlifting", "passing drills", "penalty practice", "set pieces", "video analysis", "shuttle runs",
		"ice baths", "altitude training", "scrimmages", "free throws", "footwork", "ball control", "corner kicks", "serve practice",
		"warm-ups", "fitness tests", "physiotherapy", "zone coverage", "pressing", "counterattacks", "defensive rotations", "fast breaks",
	},
	"ground": {
		"the stadium", "the arena", "the ballpark", "the rink", "the velodrome", "center court", "the racetrack", "the training ground", "the boathouse", "the driving range", "the swimming hall", "the bowling green", "the old gymnasium",
	},
	"arena": {
		"the stadium", "the arena", "the ballpark", "the rink", "the velodrome", "the grandstand", "the dome", "the new stadium",
	},
	"spot": {
		"the locker room", "the dugout", "the touchline", "the penalty area", "the halfway line", "the bleachers", "the press box",
		"the end zone", "the tunnel", "the baseline", "the goalmouth", "the pit lane", "the corner flag", "the batting cage",
	},
	"score": {"1-0", "2-1", "3-1", "3-2", "4-2", "5-3", "17-14", "24-21", "31-10", "98-91", "104-99", "87-80"},
	"squad": {
		"the goalkeepers", "the reserves", "the juniors", "the forwards", "the back four", "the bullpen", "the offensive line",
		"the relay team", "the substitutes", "the midfield", "the rookies", "the doubles pair", "the linemen", "the scouts",
		"the physiotherapists", "the referees", "the linesmen", "the umpires", "the mascots", "the groundskeepers", "the cheerleaders",
	},
	"honor": {
		"a gold medal", "a silver medal", "a bronze medal", "the scoring title", "the golden boot", "the pennant", "the green jacket",
		"the most valuable player award", "a hall of fame place", "pole position", "the decathlon", "the number one ranking",
		"a podium finish", "a trophy", "an Olympic berth", "the yellow jersey", "the triathlon", "the batting title",
	},
	"virtue": {"fitness", "form", "sportsmanship", "rhythm", "agility", "accuracy", "endurance", "technique", "chemistry", "finishing"},
	"gameadj": {
		"unbeaten", "offside", "athletic", "acrobatic", "left-footed", "one-handed", "injury-time", "overtime", "sudden-death", "two-legged",
		"straight-sets", "long-range", "close-range", "muscular", "sweaty", "breathless", "goalless", "muddy",
	},
	"gamenoun": {
		"rebound", "tackle", "dribble", "volley", "touchdown", "forehand", "backhand", "penalty", "equalizer", "rematch", "faceoff",
		"birdie", "scrum", "tie-break", "knockout", "throw-in", "jump", "finish", "shutout", "goal kick", "lob", "header", "layup",
	},
	"gamepart": {
		"kickoff", "halftime", "the first inning", "the huddle", "the toss", "the last timeout", "the anthem", "the final lap",
		"the coin toss", "the third quarter", "injury time", "the warm-up", "the restart", "the bell",
	},
	"side":   {"the club", "the team", "the squad", "the franchise", "the national side", "the home side"},
	"person": {"the coach", "the captain", "the {position}", "the rookie", "the champion", "the manager", "the newcomer"},
	"prize":  {"the title", "the cup", "the championship", "a playoff place", "the gold medal", "the division", "the trophy"},
	"people": {"fans", "players", "athletes", "trainers", "teammates", "scouts", "opponents", "champions", "referees", "runners"},
}
