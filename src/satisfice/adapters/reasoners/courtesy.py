"""Words people exchange before and after a question, in several languages, and what is said in return."""

import re

from satisfice.core.text import canonical

_GREETINGS = """hi, hello, hey, hey there, hi there, hello there, hiya, yo, howdy, greetings, good morning, good afternoon, good evening,
    good day, good night, morning, hi all, hi everyone, hello everyone, hello again, welcome, 你好, 您好, 嗨, 早上好, 下午好, 晚上好, 早安, 晚安,
    大家好, 哈喽, こんにちは, こんばんは, おはよう, おはようございます, はじめまして, 안녕하세요, 안녕, مرحبا, مرحباً, أهلا, أهلاً, اهلا, السلام عليكم, صباح الخير,
    مساء الخير, hola, buenos dias, buenos días, buenas tardes, buenas noches, buenas, hallo, guten tag, guten morgen, guten abend, moin, servus,
    grüß gott, bonjour, bonsoir, salut, coucou, ciao, buongiorno, buonasera, olá, ola, oi, bom dia, boa tarde, boa noite, привет, здравствуйте,
    добрый день, доброе утро, добрый вечер, merhaba, selam, günaydın, hej, goddag, hallo zusammen, dag, goedemorgen, goedemiddag, namaste, नमस्ते,
    cześć, dzień dobry, שלום, xin chào, สวัสดี"""
_THANKS = """thanks, thank you, thank you so much, thank you very much, thanks a lot, thanks a million, many thanks, thx, ty, cheers,
    much appreciated, appreciate it, i appreciate it, thanks again, thanks for your help, thank you for your help, thanks for the help,
    thank you for that, thanks for that, that was helpful, that is helpful, that's helpful, great, perfect, awesome, ok, okay, got it, nice, cool,
    all good, that helps, you're welcome, no problem, 谢谢, 谢谢你, 谢谢您, 多谢, 感谢, 非常感谢, 好的, ありがとう, ありがとうございます, どうも, 감사합니다, 고마워요,
    고맙습니다, شكرا, شكراً, شكرا لك, شكرا جزيلا, gracias, muchas gracias, mil gracias, danke, vielen dank, danke schön, dankeschön, merci,
    merci beaucoup, grazie, grazie mille, obrigado, obrigada, muito obrigado, спасибо, большое спасибо, teşekkürler, teşekkür ederim, tack, tak,
    takk, dank je, bedankt, धन्यवाद, dziękuję, תודה, cảm ơn, ขอบคุณ"""
_FAREWELLS = """bye, goodbye, good bye, bye bye, see you, see you later, see you soon, see ya, farewell, take care, have a nice day,
    have a good day, have a great day, enjoy your day, so long, later, 再见, 拜拜, さようなら, またね, 안녕히 가세요, مع السلامة, وداعا, adiós, adios,
    hasta luego, auf wiedersehen, tschüss, tschüs, au revoir, à bientôt, arrivederci, tchau, até logo, до свидания, пока, hoşça kal, hej då, tot ziens"""
_SMALL_TALK = """how are you, how are you doing, how are you today, how are you doing today, how is it going, how's it going, what's up, whats up,
    what is up, sup, how do you do, how have you been, nice to meet you, nice to meet you too, pleased to meet you, good to see you, who are you,
    what are you, what is your name, what's your name, are you a bot, are you a robot, are you human, are you an ai, are you real, who made you,
    who created you, how old are you, where are you from, where do you live, tell me a joke, tell me another joke, make me laugh,
    what can you do, can you help me, help, i love you, you are great, you're great, good bot, sorry, my bad, never mind, nevermind,
    你好吗, 你是谁, 你叫什么名字, 你叫什么, 讲个笑话, お元気ですか, あなたは誰ですか, كيف حالك, كيف الحال, من أنت, ما اسمك, qué tal, que tal, cómo estás, como estas,
    cómo está usted, quién eres, cómo te llamas, wie geht's, wie geht es dir, wie geht es ihnen, wer bist du, wie heißt du, comment ça va, ça va,
    comment allez-vous, comment vas-tu, qui es-tu, come stai, chi sei, tudo bem, como vai, как дела, кто ты, nasılsın"""

GREETING, THANKS, FAREWELL, SMALL_TALK = "greeting", "thanks", "farewell", "small talk"

_REPLIES = {
    GREETING: "Hello. Ask me anything about the documents I can search.",
    THANKS: "You are welcome.",
    FAREWELL: "Goodbye.",
    SMALL_TALK: "I answer questions from the documents I can search, and quote them. Ask me about those.",
}


def _phrases(listed: str) -> list[str]:
    return [bare for phrase in listed.split(",") if (bare := _bare(phrase))]


def _bare(text: str) -> str:
    """Canonical, without punctuation and symbols around and between words; apostrophes stay."""
    return " ".join(_NOT_WORD.sub(" ", canonical(text).replace("’", "'")).split())


_NOT_WORD = re.compile(r"[^\w'\u0300-\u036f\u0900-\u097f]+")
_KINDS = {
    phrase: kind
    for kind, listed in ((SMALL_TALK, _SMALL_TALK), (FAREWELL, _FAREWELLS), (THANKS, _THANKS), (GREETING, _GREETINGS))
    for phrase in _phrases(listed)
}
_LONGEST = max(len(phrase.split()) for phrase in _KINDS)
_FILLER = frozenset(
    _bare(word)
    for word in (
        "there",
        "all",
        "everyone",
        "team",
        "again",
        "so",
        "very",
        "much",
        "and",
        "you",
        "friend",
        "today",
        "please",
        "oh",
        "well",
    )
)
_OPENING = re.compile(
    r"\s*(?:"
    + "|".join(sorted((re.escape(p) for p in _phrases(_GREETINGS + "," + _THANKS)), key=len, reverse=True))
    + r")(?:\s+(?:there|all|everyone|team|again))?\s*[,.!;:，。！、–-]+\s*(?=\S)",
    re.IGNORECASE,
)


_ABOUT_ASSISTANT = re.compile(
    r"\b(?:who|what (?:person|company)) (?:is (?:it that )?)?(?:made|makes|created|creates|built|builds|designed|programmed|invented|owns|controls|"
    r"trained|developed) you\b|\bwho (?:are|r) you\b|\bwho(?: i|')s your (?:\w+ )?(?:maker|creator|boss|designer|programmer|owner|employer)\b"
    r"|\bwho do you work for\b|\bare (?:you|u) (?:really |actually |just )?(?:a |an )?(?:\w+ )?(?:bot|robot|human|person|machine|computer|ai|alive|real|program)\b"
    r"|\b(?:your a|you're a|you are a) (?:bot|robot|human|machine)\b|\bhow old are you\b|\bwhat(?: i|')s your (?:full |real |given |first )?(?:name|age|birthday|birth date)\b"
    r"|\bwhat (?:is|are) (?:the name|the age) of you\b|\b(?:what|where) (?:was it )?(?:are|were|is) (?:you|your birthplace|it you were)(?: were)? (?:from|born|called|made)\b"
    r"|\bwhat do (?:i|people) call you\b|\bwhat should i call you\b|\bwhat (?:are|is) your (?:hobby|hobbies|favou?rite|interests|pets?|feelings?)\b"
    r"|\bdo you (?:have|own|like|love|enjoy) (?:any |a )?(?:pets?|hobby|hobbies|feelings|friends|dogs?|cats?|family|me|music)\b|\byour hobbies\b"
    r"|\btell (?:me|us) (?:a|another|some|your best)(?: good| funny)? (?:jokes?|funny story)\b"
    r"|\b(?:nice|good|great|lovely|pleasure) (?:speaking|talking|chatting) (?:to|with) you\b|\bwhat (?:can|could) (?:you do|i ask you|you help)\b"
    r"|\bhow(?: a|')re (?:you|things) (?:doing|going|feeling)?\b",
    re.IGNORECASE,
)
_ASIDE_WORDS = 12
"""In a longer text, a word to the assistant is an aside."""
_THANKING = re.compile(
    r"^\W*(?:many )?(?:thanks|thank you|thx)\b(?!.*(?:\?|\b(?:what|who|when|where|why|how|which|can|could|but|also)\b))",
    re.IGNORECASE,
)


def courtesy(text: str) -> str:
    """What kind of courtesy a text is when it is nothing else; empty for anything that may be a question."""
    words = _bare(text).split()
    if len(words) <= _ASIDE_WORDS:
        if _ABOUT_ASSISTANT.search(text):
            return SMALL_TALK
        if _THANKING.match(text):
            return THANKS
    kinds: list[str] = []
    at = 0
    while at < len(words):
        for size in range(min(_LONGEST, len(words) - at), 0, -1):
            kind = _KINDS.get(" ".join(words[at : at + size]))
            if kind is not None:
                kinds.append(kind)
                at += size
                break
        else:
            if words[at] not in _FILLER:
                return ""
            at += 1
    order = (SMALL_TALK, FAREWELL, THANKS, GREETING)
    return next((kind for kind in order if kind in kinds), "")


def reply(kind: str) -> str:
    """The fixed answer to a courtesy."""
    return _REPLIES[kind]


def after_courtesy(text: str) -> int:
    """Where the question starts, behind a greeting that ends in punctuation."""
    match = _OPENING.match(text)
    return match.end() if match else 0
