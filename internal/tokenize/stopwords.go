package tokenize

import (
	"fmt"
	"strings"
)

// StopWords returns the function words of a language, for [Options.Stop]: articles, pronouns, prepositions,
// conjunctions, auxiliary verbs. The lists are this package's own and short. Look at a list before you use it:
// "not" is a stop word.
func StopWords(language string) ([]string, error) {
	list, ok := stopWords[language]
	if !ok {
		return nil, fmt.Errorf("tokenize: no stop words for language %q: use one of %s, or list them yourself",
			language, strings.Join(languages(), ", "))
	}
	return strings.Fields(list), nil
}

var stopWords = map[string]string{
	"english": `
a about above after again against all also am an and any are aren't as at be because been before being below between
both but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each few for from further
had hadn't has hasn't have haven't having he he'd he'll he's her here hers herself him himself his how i i'd i'll i'm i've
if in into is isn't it it's its itself just me more most my myself no nor not now of off on once only or other our ours
ourselves out over own same she she'd she'll she's should shouldn't so some such than that that's the their theirs them
themselves then there there's these they they'd they'll they're they've this those through to too under until up very was
wasn't we we'd we'll we're we've were weren't what when where which while who whom why will with won't would wouldn't you
you'd you'll you're you've your yours yourself yourselves`,
	"french": `
a à ai aie ait as au aura aurait auront aussi autre autres aux avaient avais avait avant avec avez avoir avons ayant c'est
car ce ceci cela celle celles celui ces cet cette ceux chaque chez comme d'un d'une dans de depuis des donc dont du elle
elles en encore entre es est et étaient étais était étant été être eu eux fait furent fut il ils j'ai je l'on la là le les
leur leurs lui ma mais me même mêmes mes mien moi mon n'a n'est ne ni nos notre nous on ont ou où par pas pendant peu peut
plus pour qu'elle qu'il qu'ils qu'on quand que quel quelle quelles quels qui sa sans se sera serait seront ses si sien
soi soient soit sommes son sont sous suis sur ta te tes toi ton tous tout toute toutes très tu un une vers vos votre vous y`,
	"hungarian": `
a abban ahhoz ahogy ahol aki akik akkor ami amikor amit annak arra át az azért azok azon azonban azt aztán azzal be benne
csak de e egy együtt ehhez el ellen előtt én ennek erre és ez ezek ezért ezt ezzel fel felé ha hanem hiszen hogy hogyan ide
igen így illetve ilyen is itt jobban kell ki kívül le legyen lehet lenne lesz lett ma már még meg mely melyek mert mi
miért mikor milyen mind minden mindig mint mit mivel most nagyon ne nekem neki nem nélkül nincs ő ők őket olyan ott össze
pedig rá s saját se sem semmi sok son szinte talán te tehát ti több tovább túl úgy után utána vagy vagyis valaki vala van
vannak vele vissza volna volt voltak`,
	"norwegian": `
alle at av bare begge ble bli blir blitt både da de deg dem den denne der deres det dette din dine disse ditt du eller en
enn er et ett etter for fordi fra før få ha hadde han hans har hele hennes henne her hun hva hvem hver hvilken hvilket
hvis hvor hvordan hvorfor i ikke ingen inn jeg kan kunne man mange med meg mellom men mens mer min mine mitt mot mye må når
noe noen nå og også om opp oss over på samme seg selv si sin sine sitt skal skulle slik som så til under ut uten var ved
vi vil ville vår våre vært å`,
	"russian": `
а без более бы был была были было быть в вам вас весь во вот все всего всех вы где да даже для до его ее её ей если есть еще ещё ж
же за здесь и из или им их к как какой ко когда кто ли либо между меня мне можно мой мы на над надо нам нас не него нее ней
нет ни ним них но ну о об один однако он она они оно от очень перед по под после потому при про раз с сам себе себя сейчас
со совсем так также такой там тебе тебя тем теперь то тогда того тоже той только том тот тут ты у уж уже хотя чего чей чем
через что чтобы эта эти этим этих это этого этой этом этот эту я`,
	"spanish": `
a al algo algunas algunos ante antes aquel aquella aquellos aquí así aún aunque cada como con contra cual cuales cuando
cuanto de del desde donde dos durante e el él ella ellas ellos en entre era eran eras eres es esa esas ese eso esos esta
está estaba están estar estas este esto estos estoy fue fueron ha había han has hasta hay he hemos la las le les lo los
más me mi mí mientras mis muy nada ni no nos nosotras nosotros nuestra nuestras nuestro nuestros o os otra otras otro otros
para pero poco por porque pues que qué quien quienes se sea según ser será si sí sido sin sino sobre son soy su sus
también tampoco tan tanto te tenía tiene tienen todo todos tu tú tus un una uno unos vosotras vosotros y ya yo`,
	"swedish": `
alla allt att av bara bli blir blivit blev både de dem den denna deras dess dessa det detta dig din dina ditt du där då
efter ej eller en er era ert ett från för före ha hade han hans har hennes henne hon honom hur här i icke in inom inte
ingen jag ju kan kunde man med mellan men mig min mina mitt mot mycket många måste ni nu när någon något några och också om
oss på samma sedan sig sin sina sitt själv ska skall skulle som så sådan sådana till under upp ut utan vad var vara varför
varit varje vem vi vid vilka vilken vilket vill vår våra vårt än är åt över`,
}
