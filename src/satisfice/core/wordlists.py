"""English words by what they do in a question: which carry no subject, which may be missing, which may stand for which.

Lists, not a dictionary: a pair that is missing here makes two queries count as different, which costs a search; a pair
that is wrong here makes different queries count as the same, which costs an answer. So the lists are short and strict.
"""

from collections.abc import Mapping


def _listed(words: str) -> tuple[str, ...]:
    return tuple(words.split())


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


def _groups(listed: str) -> Mapping[str, frozenset[int]]:
    """Each word, and its light stem, with the numbers of its groups."""
    found: dict[str, set[int]] = {}
    for number, group in enumerate(listed.split(";")):
        for word in group.split():
            found.setdefault(word, set()).add(number)
            found.setdefault(light_stem(word), set()).add(number)
    return {word: frozenset(numbers) for word, numbers in found.items()}


def light_stem(word: str) -> str:
    """Without plural, -ed, -ing and final e; y as i. Lighter than the stems texts are searched by: those join too much."""
    if len(word) <= 3 or not word.isascii():
        return word
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith(("sses", "shes", "ches", "xes", "zes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ied", "ed", "ing"):
        kept = word[: -len(ending)]
        if word.endswith(ending) and len(kept) >= 3 and any(letter in "aeiouy" for letter in kept):
            word = kept + "y" if ending == "ied" else kept
            if word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            break
    word = word[:-1] if word.endswith("e") and len(word) > 3 else word
    return word[:-1] + "i" if word.endswith("y") else word


FUNCTION_WORDS = _words(
    """a an the this that these those it its they them their theirs he him his she her hers we us our you your i me my
    is are am was were be been being do does did done have has had having can could may might must shall should will
    would ought and or of in on at to for from by with about into onto as than then so such there here also
    what which who whom whose when where why how if whether but it's upon via through out up off over
    one ones itself himself herself themselves exactly just"""
)
"""Words that hold a question together. Questions, negations, quantities and times are looked at elsewhere."""

QUESTION_WORDS: Mapping[str, str] = {
    "what": "what", "which": "what", "who": "who", "whom": "who", "whose": "whose", "when": "when", "where": "where",
    "why": "why", "how": "how",
}  # fmt: skip
MEASURES = _words("many much long old far often tall big large deep high fast wide heavy soon well hot cold hard")
"""After `how` these are part of the question word."""

NEGATIONS: Mapping[str, str] = {
    **dict.fromkeys(("not", "no", "never", "without", "neither", "nor", "none", "nobody", "nothing", "cannot", "nowhere",
                     "lack", "lacks", "lacked", "lacking", "hardly", "rarely", "seldom"), "not"),
    **dict.fromkeys(("except", "excluding", "exception", "exceptions", "besides", "unless"), "except"),
    **dict.fromkeys(("fail", "fails", "failed", "failing", "failure"), "fail"),
    **dict.fromkeys(("instead", "rather"), "instead"),
    **dict.fromkeys(("other", "others", "another", "else"), "other"),
    **dict.fromkeys(("different", "differ", "differs", "differently"), "different"),
    **dict.fromkeys(("same", "identical"), "same"),
}  # fmt: skip
"""Words that turn a question round. Both questions need the same ones, each by its own class or itself."""

DIGITS: Mapping[str, str] = dict(
    zip(
        _listed("""zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
        eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion"""),
        (*map(str, range(21)), *map(str, range(30, 100, 10)), "100", "1000", "1e6", "1e9"),
        strict=True,
    )
)
ORDINALS: Mapping[str, str] = dict(
    zip(
        _listed("""first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth
        fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"""),
        (f"{n}." for n in range(1, 21)),
        strict=True,
    )
)
MONTHS = _listed("january february march april may june july august september october november december")
WEEKDAYS = _listed("monday tuesday wednesday thursday friday saturday sunday")
BEFORE_DATES = _words("in since until till from to by of last next this early late mid during before after between on")

PRESENT = _words("is are am do does has have")
PAST = _words("was were did had")
FUTURE = _words("will would shall")

DIRECTIONS = _words("by from to for with against into onto or")
"""Prepositions that say who does what to whom."""

LIGHT_WORDS = _words(
    """name named names call called calls known refer referred term termed kind kinds type types sort form person persons
    place places thing things something someone somebody anyone very really actually specific specifically particular
    particularly given found find exist exists existing certain various also even ever still already become became get
    got take took taken tell say said list locate located situated overall own example examples individual
    individuals happen happened happening able way ways according exact considered regarded seen used using serve
    serves act acts describe described date occur occurred"""
)
"""Words that one of two questions may have and the other not."""

CONTRASTS = _groups(
    """
    more; most; less fewer; least fewest; larger bigger; largest biggest; smaller tinier; smallest tiniest; greater;
    greatest; higher taller; highest tallest; lower; lowest; longer lengthier; longest; shorter; shortest; older
    elder; oldest eldest; younger; youngest; newer; newest latest; earlier; earliest; later; better; best; worse;
    worst; faster quicker; fastest quickest; slower; slowest; stronger; strongest; weaker; weakest; richer
    wealthier; richest wealthiest; poorer; poorest; closer nearer; closest nearest; farther further; farthest
    furthest; cheaper; cheapest; all every each; any; some; few; several; many; much; both; half; only solely;
    majority; minority; average mean; median; double twice; single; multiple; before prior preceding; after
    following; since; until till; between; ago; now today nowadays currently current present; yesterday; tomorrow;
    former ex previous formerly previously; next upcoming; last final; initial initially; recent recently; ancient;
    modern; new; old; young; early; late; begin began begun beginning start commence initiate launch; end finish conclude; stop
    cease halt discontinue; continue; open; close shut; rise rose risen increase grow grew grown growth; fall fell
    fallen decrease decline reduce reduction drop dropped; win won winner winning; lose lost loser; buy bought
    purchase buyer; sell sold seller sale; borrow; lend lent; import; export; send sent sender; receive receiver;
    arrive arrival come came; leave left depart departure; enter entry; exit; enable; disable; add addition; remove
    removal delete; upload; download; accept; reject refuse deny denied; allow permit permitted; forbid forbidden
    prohibit ban banned; exclude exclusion; attack; defend defence defense; cause; prevent;
    succeed success; create creation; destroy destruction; agree; disagree; oppose; true; false; right; wrong;
    correct; incorrect; positive; negative; legal lawful; illegal unlawful; possible; impossible; public; private;
    internal inner interior; external outer exterior; local; global worldwide international; foreign; domestic;
    upper; top; bottom; above over; below under beneath; inside; outside; front; back rear; north northern; south
    southern; east eastern; west western; northeast northeastern; northwest northwestern; southeast southeastern;
    southwest southwestern; maximum max maximal; minimum min minimal; full; empty; high tall; low; big large; small
    little; long; short brief; hot; cold; fast quick rapid; slow; strong; weak; rich wealthy; poor; cheap
    inexpensive; expensive costly pricey; easy; difficult; hard; soft; dead; alive; bear born birth; die died dead
    death; marry married marriage; divorce divorced; man men male boy; woman women female girl; husband; wife wives;
    father dad; mother mum mom; son; daughter; brother; sister; uncle; aunt; king; queen; prince; princess; parent;
    child children kid; adult; employer; employee; teacher; student pupil; contractor; customer; vendor supplier;
    doctor physician; patient; black; white; red; green; blue; yellow; brown; grey gray; minute; hour hourly; day
    daily; week weekly; month monthly; quarter quarterly; year yearly annual annually; decade; century centuries;
    morning; afternoon; evening; night; spring; summer; autumn; winter; gross; net; profit; revenue; income;
    expense; debit; credit; input; output; server; client; stable; draft; secondary; ally allies; enemy enemies;
    victory; defeat
    """
)
"""Words of one group may stand for each other, never for a word of another group, and none may be missing on one side."""

MILD = _words(
    """about approximately around usually typically often commonly generally normally frequently during main mainly mostly
    primarily principal include current currently now present today nowadays within"""
)
"""Words that one side may lack; standing for another they still may not."""

SYNONYMS = _groups(
    """
    help aid assist; build built construct construction erect; country countries nation; movie film; company
    companies firm corporation business; car automobile; use utilize utilise employ utilization usage; show display
    exhibit; reside live dwell inhabit; main primary principal chief major; area region zone; result outcome
    consequence; job occupation profession; purpose aim goal objective; method technique approach; happen occur;
    writer author; house home; ship vessel; law legislation; street road; stairs staircase stairway; picture image
    photo photograph; illness disease sickness; money fund; salary wage pay; argue claim assert contend; try tried
    attempt; answer reply response; ask inquire; famous renowned; usually typically normally generally commonly
    often frequently usual typical normal common; nearly almost approximately about roughly around; perform conduct
    carry; define definition; rule govern; ruler monarch; change alter modify modification; split separate divide;
    consist comprise; own possess; travel journey; kill slay slain murder; injure hurt wound; protect guard;
    scientist researcher; expert specialist; leader head; soldier troop; border boundary; stone rock; food
    foodstuff; clothes clothing; college university; exam examination test; award prize; grant give; game match;
    singer vocalist; role part; broadcast air; devote dedicate; criticize criticise criticism; view opinion; idea
    concept notion; price cost; amount quantity; percentage percent proportion; speed velocity; device apparatus;
    phone telephone; fix repair; login signin; refund reimbursement; guideline guidance; holiday vacation; quit
    resign; dismiss fire; hire recruit; guide manual handbook; procedure process; effect impact influence; danger
    risk; benefit advantage; drawback disadvantage; similar alike; whole entire; real actual; silent quiet; native
    indigenous; religion faith; holy sacred; lawyer attorney; crime offence offense; prison jail; revolution
    uprising revolt rebellion; army military; weapon arm; center centre middle; theater theatre; city town; teacher
    instructor educator; student learner; offer provide supply give gave; responsible accountable; reason motive;
    intend intention plan; advise advice recommend suggest; worry concern; discover discovery find; invent invention
    devise; publish publication release; announce declare; trip voyage tour; rise ascend; dispute quarrel
    disagreement; damage harm; rival competitor; origin source; beautiful lovely; correct accurate; sufficient
    enough adequate; proof evidence; difference distinction; increase raise boost; decline shrink; demand insist;
    depict portray represent; reach attain achieve accomplish; symbol sign; quality trait characteristic feature
    attribute property; advance progress; obstacle barrier; amend revise; abroad overseas; frequency rate; totality
    total; get obtain acquire gain; name title designation; contain include; speak talk; think believe; choose
    select pick; write pen; make produce manufacture; important significant crucial vital essential; need require
    necessary necessity; many numerous lot; link relate relation relationship connect connection associate
    association; found establish establishment; mention cite; fight battle; ruin wreck; permission consent approval;
    finish complete; kind type sort variety; people person individual; locate situate find; money cash; seem appear;
    evade escape avoid; problem issue; free release; want wish desire; continuous constant continual; obligation
    duty; implement apply; very extremely highly; form shape; see view; show indicate; large sizable considerable;
    story tale; tell inform; error mistake; try seek; child youngster; rest remainder; fear dread; brave courageous;
    gather collect; hide conceal; join unite; watch observe; assume suppose; ease relieve; enlarge expand; fake
    false; follow obey; happy glad; strange odd unusual; trust rely; understand comprehend; verify confirm
    corroborate check; renew restore; rebuild reconstruct; remain stay; replace substitute; rescue save; respect
    esteem; limit restrict restriction limitation; reveal disclose; copy duplicate; order command; plan scheme; put
    place; ready prepared; shore coast; sick ill; value worth; scared afraid; error bug; crash failure; config
    setting configuration; notify alert; schedule timetable; deadline due; invoice bill; fee charge; cancel
    terminate; renew extend; employee staff worker; boss manager supervisor; website site; page webpage; folder
    directory; parameter argument; delete erase; setup installation; documentation manual; feature functionality
    """
)
"""Words that mean nearly the same in a question; at most two such exchanges are believed in one pair."""

SHORT_FORMS: Mapping[str, str] = {
    "us": "united states", "usa": "united states", "u.s": "united states", "u.s.": "united states",
    "u.s.a": "united states", "uk": "united kingdom", "u.k": "united kingdom", "u.k.": "united kingdom",
    "eu": "european union", "e.u": "european union", "un": "united nations", "u.n": "united nations",
    "tv": "television", "info": "information", "docs": "documentation", "config": "configuration",
    "repo": "repository", "app": "application", "apps": "applications", "vs": "versus", "pwd": "password",
}  # fmt: skip

_IRREGULAR = """know knew known; deal dealt; take took taken; become became; see saw seen; go went gone; make made; think thought;
    speak spoke spoken; choose chose chosen; write wrote written; get got gotten; keep kept; hold held; fight fought;
    teach taught; bring brought; catch caught; feel felt; lead led; meet met; pay paid; run ran; sing sang sung; sit sat;
    spend spent; stand stood; strike struck; tell told; wear wore worn; draw drew drawn; drive drove driven; eat ate eaten;
    fly flew flown; forget forgot forgotten; freeze froze frozen; hide hid hidden; lay laid; ride rode ridden; shoot shot;
    steal stole stolen; throw threw thrown; break broke broken; build built; seek sought; swear swore sworn; swim swam swum;
    understand understood; forgive forgave; overcome overcame; flee fled; hear heard; mean meant; say said; sleep slept;
    tear tore torn; wake woke; wind wound; withdraw withdrew withdrawn; people persons; child children; mouse mice; foot feet;
    tooth teeth; datum data; criterion criteria; phenomenon phenomena; analysis analyses; basis bases; crisis crises;
    program programme programmes"""
IRREGULAR: Mapping[str, str] = {form: group.split()[0] for group in _IRREGULAR.split(";") for form in group.split()[1:]}
"""Forms that no ending explains, with the form they are compared by."""

SUFFIXES = (
    "ization", "isation", "ational", "fulness", "iveness", "ousness", "ation", "ition", "ement", "ment", "ness", "ship",
    "ance", "ence", "ancy", "ency", "able", "ible", "ical", "ally", "ious", "eous", "tion", "sion", "ing", "ity", "ive",
    "ion", "ist", "ism", "ize", "ise", "ate", "ous", "ful", "ent", "ant", "ary", "ory", "ial", "al", "ed", "er", "or",
    "ly", "ic", "es", "s", "e", "y",
)  # fmt: skip
"""Endings by which words of one family differ; longest first."""

NEVER_TOGETHER = (("er", "ee"), ("or", "ee"), ("ful", "less"), ("er", "est"), ("ist", "ism"), ("al", "less"))
"""Endings that make opposites or degrees of one root."""
