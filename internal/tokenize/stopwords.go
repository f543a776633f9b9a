package tokenize

import (
	"fmt"
	"strings"
)

// StopWords returns the function words of a language, for [Options.Stop]: articles, pronouns,
// prepositions, conjunctions, auxiliary verbs. The lists are this package's own and short. Look at
// a list before you use it: "not" is a stop word.
func StopWords(language string) ([]string, error) {
	list, ok := stopWords[language]
	if !ok {
		return nil, fmt.Errorf("tokenize: no stop words for language %q: use one of %s, or list them yourself",
			language, strings.Join(languages(), ", "))
	}
	return strings.Fields(list), nil
}

var stopWords = map[string]string{
	"arabic": `
إلى أن إن أو أي أين التي الذي الذين اللذان ألا أما أنا أنت أنتم أنه أنها إلا إذا بعد بعض بل بما بين
تحت تكون تلك ثم حتى حول حيث خلال دون ذلك رغم سوف عام عبر عدم عن عند عندما على عليه عليها غير في فيه
فيها قبل قد كان كانت كل كلما كما كيف لا لأن لقد لكن لم لماذا لن له لها لهذا لو ليس ليست ما ماذا متى
مثل مع من منذ منه منها نحن نحو هذا هذه هل هم هنا هناك هو هؤلاء هي و وفي ولا ولم وما ومن وهو وهي يكون
يمكن`,
	"danish": `
af alle alt andet at blev bliver da de dem den denne der deres det dette dig din disse dog du efter
eller en end er et for fra ham han hans har havde have hende hendes her hos hun hvad hvem hver
hvilken hvis hvor hvordan hvorfor i ikke ind jeg jer jo kan kunne man mange med meget men mig min
mine mit mod ned noget nogle nu når og også om op os over på selv sig sin sit skal skulle som sådan
så til ud under var ved vi vil ville vor være været`,
	"dutch": `
aan al alle als altijd andere ben bij daar dan dat de der deze die dit doch doen door dus een en er
ge geen had heb hebben heeft hem het hier hij hoe hun iemand iets ik in is ja je kan kon kunnen maar
me meer men met mij mijn moet na naar niet niets nog nu of om omdat onder ons ook op over reeds te
tegen toch toen tot u uit uw van veel voor want waren was wat we wel werd wezen wie wij wil worden
wordt zal ze zelf zich zij zijn zo zonder zou`,
	"finnish": `
ei eivät emme en et ette että he heidän heille heitä hän häntä hänen ja jo joka jonka jos joten
jotka kaikki kanssa koska kuin kuka kun kuten me meidän meille meitä mikä minä minun minua missä
mitä mukaan mutta myös ne niiden niin niitä nyt nämä näiden ole olen olet oli olivat olla olleet
ollut on ovat se sekä sen siinä sillä sinä sinun sitten sitä tai te teidän tämä tämän tästä tätä tuo
vaan vai vaikka vain voi`,
	"german": `
aber als alle allem allen aller alles also am an andere anderen anderer anderes auch auf aus bei bin
bis bist da damit dann das dass dein deine dem den denn der des dessen dich die dies diese diesem
diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines er es etwas euch euer
für gegen habe haben hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer
im in ins ist ja jede jedem jeden jeder jedes jene jener jetzt kann kein keine keinem keinen keiner
können machen man manche mehr mein meine mich mir mit muss nach nicht nichts noch nun nur ob oder
ohne sehr sein seine seinem seinen seiner seit sich sie sind so solche soll sondern sonst um und uns
unser unsere unter vom von vor war waren warum was weg weil weiter welche wenn wer werde werden wie
wieder will wir wird wo wollen während würde würden zu zum zur zwar zwischen über`,
	"italian": `
a abbiamo ad agli ai al alla alle allo anche anni aveva avevano avere c che chi ci come con contro
cosa così cui d da dagli dai dal dalla dalle dallo degli dei del dell della delle dello deve di dopo
dove due e ed era erano essere fa fare fra già gli ha hai hanno ho i il in io l la le lei li lo loro
lui ma mentre mi mia mio molto ne negli nei nel nella nelle nello no noi non nostra nostro o ogni
per perché più poi prima proprio può qual quale quando quanto quella quelli quello questa queste
questi questo qui se sei senza si sia siamo sono sopra sotto sta stata stato su sua sue sugli sui
sul sulla sulle suo suoi tra tu tua tuo tutti tutto un una uno vi voi`,
	"portuguese": `
a à ao aos aquela aquele aqui as às até com como da das de dela dele deles depois do dos e é ela
elas ele eles em entre era eram essa esse esta está estão estar estas estava este estes eu foi for
foram há isso isto já lhe lhes mais mas me mesmo meu meus minha muito na não nas nem no nos nós
nossa nosso num numa o os ou para pela pelas pelo pelos por porque qual quando quem que sem ser será
seu seus só sua suas são também te tem têm ter teu tinha tu tua um uma você vocês`,
	"romanian": `
a acea aceasta această aceea aceia acel acela acele acest acesta aceste acestea acestui acum ai aici
al ale am ar are asupra atunci au avea ca care cel cele celor ce cea cei cine cu cum când câte că
dacă dar de deci deja despre după din doar e ea ei el ele era erau este eu fi fie fiind fără fost
iar ii il in încă între îl îi în la le lor lui mai mea meu mine mult mă ne nici noi nostru nu o ori
pe pentru peste până poate prin sa sale sau se si sunt sub său să și spre tot toate toți tu un una
unde unei unor unui vom voi vor vă`,
	"turkish": `
ama ancak aslında az bana bazı belki ben benden beni benim bile bir biraz biri birkaç biz bize bizi
bizim bu buna bunda bundan bunlar bunu bunun burada çok çünkü da daha de defa değil diye dolayı en
gibi hem hep hepsi her hiç için ile ise kadar karşı kendi kez ki kim kime kimse mı mi mu mü nasıl ne
neden nerede nereye niye o olan olarak oldu olduğu olmak olur on ona ondan onlar onları onların onu
onun orada sana sen senden seni senin siz size sizi sizin sonra şey şu şuna şunu tüm var ve veya ya
yani yine yok`,
	"english": `
a about above after again against all also am an and any are aren't as at be because been before
being below between both but by can can't cannot could couldn't did didn't do does doesn't doing
don't down during each few for from further had hadn't has hasn't have haven't having he he'd he'll
he's her here hers herself him himself his how i i'd i'll i'm i've if in into is isn't it it's its
itself just me more most my myself no nor not now of off on once only or other our ours ourselves
out over own same she she'd she'll she's should shouldn't so some such than that that's the their
theirs them themselves then there there's these they they'd they'll they're they've this those
through to too under until up very was wasn't we we'd we'll we're we've were weren't what when where
which while who whom why will with won't would wouldn't you you'd you'll you're you've your yours
yourself yourselves`,
	"french": `
a à ai aie ait as au aura aurait auront aussi autre autres aux avaient avais avait avant avec avez
avoir avons ayant c'est car ce ceci cela celle celles celui ces cet cette ceux chaque chez comme
d'un d'une dans de depuis des donc dont du elle elles en encore entre es est et étaient étais était
étant été être eu eux fait furent fut il ils j'ai je l'on la là le les leur leurs lui ma mais me
même mêmes mes mien moi mon n'a n'est ne ni nos notre nous on ont ou où par pas pendant peu peut
plus pour qu'elle qu'il qu'ils qu'on quand que quel quelle quelles quels qui sa sans se sera serait
seront ses si sien soi soient soit sommes son sont sous suis sur ta te tes toi ton tous tout toute
toutes très tu un une vers vos votre vous y`,
	"hungarian": `
a abban ahhoz ahogy ahol aki akik akkor ami amikor amit annak arra át az azért azok azon azonban azt
aztán azzal be benne csak de e egy együtt ehhez el ellen előtt én ennek erre és ez ezek ezért ezt
ezzel fel felé ha hanem hiszen hogy hogyan ide igen így illetve ilyen is itt jobban kell ki kívül le
legyen lehet lenne lesz lett ma már még meg mely melyek mert mi miért mikor milyen mind minden
mindig mint mit mivel most nagyon ne nekem neki nem nélkül nincs ő ők őket olyan ott össze pedig rá
s saját se sem semmi sok son szinte talán te tehát ti több tovább túl úgy után utána vagy vagyis
valaki vala van vannak vele vissza volna volt voltak`,
	"norwegian": `
alle at av bare begge ble bli blir blitt både da de deg dem den denne der deres det dette din dine
disse ditt du eller en enn er et ett etter for fordi fra før få ha hadde han hans har hele hennes
henne her hun hva hvem hver hvilken hvilket hvis hvor hvordan hvorfor i ikke ingen inn jeg kan kunne
man mange med meg mellom men mens mer min mine mitt mot mye må når noe noen nå og også om opp oss
over på samme seg selv si sin sine sitt skal skulle slik som så til under ut uten var ved vi vil
ville vår våre vært å`,
	"russian": `
а без более бы был была были было быть в вам вас весь во вот все всего всех вы где да даже для до
его ее её ей если есть еще ещё ж же за здесь и из или им их к как какой ко когда кто ли либо между
меня мне можно мой мы на над надо нам нас не него нее ней нет ни ним них но ну о об один однако он
она они оно от очень перед по под после потому при про раз с сам себе себя сейчас со совсем так
также такой там тебе тебя тем теперь то тогда того тоже той только том тот тут ты у уж уже хотя чего
чей чем через что чтобы эта эти этим этих это этого этой этом этот эту я`,
	"spanish": `
a al algo algunas algunos ante antes aquel aquella aquellos aquí así aún aunque cada como con contra
cual cuales cuando cuanto de del desde donde dos durante e el él ella ellas ellos en entre era eran
eras eres es esa esas ese eso esos esta está estaba están estar estas este esto estos estoy fue
fueron ha había han has hasta hay he hemos la las le les lo los más me mi mí mientras mis muy nada
ni no nos nosotras nosotros nuestra nuestras nuestro nuestros o os otra otras otro otros para pero
poco por porque pues que qué quien quienes se sea según ser será si sí sido sin sino sobre son soy
su sus también tampoco tan tanto te tenía tiene tienen todo todos tu tú tus un una uno unos vosotras
vosotros y ya yo`,
	"swedish": `
alla allt att av bara bli blir blivit blev både de dem den denna deras dess dessa det detta dig din
dina ditt du där då efter ej eller en er era ert ett från för före ha hade han hans har hennes henne
hon honom hur här i icke in inom inte ingen jag ju kan kunde man med mellan men mig min mina mitt
mot mycket många måste ni nu när någon något några och också om oss på samma sedan sig sin sina sitt
själv ska skall skulle som så sådan sådana till under upp ut utan vad var vara varför varit varje
vem vi vid vilka vilken vilket vill vår våra vårt än är åt över`,
}
