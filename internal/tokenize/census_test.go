package tokenize

import (
	"strings"
	"testing"
)

// rights is the first article of the Universal Declaration of Human Rights.
var rights = map[string]string{
	"english":    "All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience and should act towards one another in a spirit of brotherhood.",
	"german":     "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt und sollen einander im Geist der Brüderlichkeit begegnen.",
	"french":     "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et de conscience et doivent agir les uns envers les autres dans un esprit de fraternité.",
	"spanish":    "Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados como están de razón y conciencia, deben comportarse fraternalmente los unos con los otros.",
	"portuguese": "Todos os seres humanos nascem livres e iguais em dignidade e em direitos. Dotados de razão e de consciência, devem agir uns para com os outros em espírito de fraternidade.",
	"italian":    "Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti. Essi sono dotati di ragione e di coscienza e devono agire gli uni verso gli altri in spirito di fratellanza.",
	"dutch":      "Alle mensen worden vrij en gelijk in waardigheid en rechten geboren. Zij zijn begiftigd met verstand en geweten, en behoren zich jegens elkander in een geest van broederschap te gedragen.",
	"danish":     "Alle mennesker er født frie og lige i værdighed og rettigheder. De er udstyret med fornuft og samvittighed, og de bør handle mod hverandre i en broderskabets ånd, uden nogen forskel af nogen art.",
	"norwegian":  "Alle mennesker er født frie og med samme menneskeverd og menneskerettigheter. De er utstyrt med fornuft og samvittighet og bør handle mot hverandre i brorskapets ånd.",
	"swedish":    "Alla människor är födda fria och lika i värde och rättigheter. De är utrustade med förnuft och samvete och bör handla gentemot varandra i en anda av broderskap.",
	"finnish":    "Kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan. Heille on annettu järki ja omatunto, ja heidän on toimittava toisiaan kohtaan veljeyden hengessä.",
	"hungarian":  "Minden emberi lény szabadon születik és egyenlő méltósága és joga van. Az emberek, ésszel és lelkiismerettel bírván, egymással szemben testvéri szellemben kell hogy viseltessenek.",
	"romanian":   "Toate ființele umane se nasc libere și egale în demnitate și în drepturi. Ele sunt înzestrate cu rațiune și conștiință și trebuie să se comporte unele față de altele în spiritul fraternității.",
	"turkish":    "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana sahiptirler ve birbirlerine karşı kardeşlik zihniyeti ile hareket etmelidirler. Her şey ve herkes için bu böyledir.",
	"russian":    "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью и должны поступать в отношении друг друга в духе братства.",
	"arabic":     "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق. وقد وهبوا عقلا وضميرا وعليهم أن يعامل بعضهم بعضا بروح الإخاء. كل من كان في هذا المكان هو حر من عند نفسه",
}

func TestTongue(t *testing.T) {
	for _, language := range languages() {
		var c Census
		c.Add([]byte(rights[language]))
		if got := c.Tongue(); got.Language != language || got.NGrams != 1 || !strings.Contains(got.Reason, "function words of "+language) {
			t.Errorf("%s is taken for %+v", language, got)
		}
	}
	for _, c := range []struct {
		text   string
		ngrams int // 0: nothing is said
	}{
		{"人人生而自由,在尊严和权利上一律平等。他们赋有理性和良心,并应以兄弟关系的精神相对待。", ofIdeographs},
		{"すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。", ofIdeographs},
		{"มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ", ofLetters},
		{"모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.", 1},
		{"Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα.", 1},
		{"Всі люди народжуються вільними і рівними у своїй гідності та правах. Вони наділені розумом.", 1},
		{"Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv. Jsou nadáni rozumem.", 1},
		{"Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni obdarzeni rozumem i sumieniem.", 1},
		{"Widget alpha bravo charlie, gadget delta echo foxtrot, sprocket golf hotel india juliet kilo", 0},
		{"few words", 0},
	} {
		var census Census
		for range 4 {
			census.Add([]byte(c.text))
		}
		if got := census.Tongue(); got.NGrams != c.ngrams || c.ngrams > 0 && got.Language != none {
			t.Errorf("%s is taken for %+v", c.text, got)
		}
	}
}
