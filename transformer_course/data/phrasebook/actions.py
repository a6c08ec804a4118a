"""Random clauses about what is done: verb, objects, place, time and negation go together."""

from transformer_course.data.phrasebook import choices as sense
from transformer_course.data.phrasebook import lexicon
from transformer_course.data.phrasebook.clauses import Clause
from transformer_course.data.phrasebook.lexicon import Adverbial, Verb
from transformer_course.data.phrasebook.morphology import HE
from transformer_course.data.phrasebook.phrases import (
    PRONOUNS,
    NounPhrase,
    PrepositionalPhrase,
    Pronoun,
)
from transformer_course.data.phrasebook.sampling import Sampler


class Actor(Sampler):
    """Draws clauses: who does what to whom, when and where."""

    def clause(
        self,
        short: bool = False,
        known: bool = False,
        verb: Verb | None = None,
        subject: NounPhrase | Pronoun | None = None,
        when: str | None = None,
    ) -> Clause:
        """A clause that makes sense: `short` without time, `known` with a definite subject."""
        verb = verb or self.word(sense.VERBS[self.pick(sense.COMPLEMENTS)])
        tense, modal, time_tense = self.tense(verb, when)
        negated = modal is not sense.WILL and self.chance(0.15)
        subject = subject or self.subject(verb, known or negated, short)
        negated = negated and (
            isinstance(subject, Pronoun) or subject.determiner in sense.KNOWN_SET
        )
        same = verb.past == verb.base and subject.form != HE  # "they read" must not be two tenses
        if same and tense == "past" and not modal and not negated:
            tense, time_tense = "present", "present"
        adverb = None
        if tense == "perfect" or (not short and not modal and "state" not in verb.flags):
            adverb = self.adverb(tense, negated)
        negative = adverb is not None and "frequency" not in adverb.uses
        objects = self.objects(verb, subject, short, negated or negative)
        place = self.place(verb, subject, short)
        manner = None
        if not negated and not negative and self.chance(0.25):
            kind = next((k for k in ("manner", "voice") if k in verb.flags), None)
            manner = self.pick(sense.MANNERS[kind]) if kind else None
        time, front = None, None
        if not short and not adverb and "state" not in verb.flags:
            if self.chance(0.34) and sense.TIMES.get(time_tense):
                time = self.pick(sense.TIMES[time_tense])
                while (
                    negated and time.english[0] == "every"
                ):  # "not ... every day" is another thing
                    time = self.pick(sense.TIMES[time_tense])
            elif self.chance(0.09) and tense != "perfect" and "event" not in verb.subjects:
                time = self.circumstance()
            if time and self.chance(0.5):
                front = "time"
        return Clause(
            subject, verb, tense, modal, *objects,
            adverb=adverb, manner=manner, place=place, time=time, negated=negated, front=front,
        )  # fmt: skip

    def tense(self, verb: Verb, when: str | None) -> tuple[str, lexicon.Modal | None, str]:
        """Tense, modal verb, and the tense its times go by; stative verbs have no -ing form."""
        drawn = when or self.pick(sense.TENSES)
        if "now" in verb.flags or (drawn == "progressive" and "state" in verb.flags):
            drawn = "present"
        if drawn == "modal" and ("plain" in verb.flags or "event" in verb.subjects):
            drawn = "past"
        if drawn == "future":
            return "present", sense.WILL, "future"
        if drawn == "perfect" and "state" in verb.flags:
            drawn = "past"
        if drawn == "modal" or (when == "past" and "plain" not in verb.flags and self.chance(0.12)):
            modal = self.pick(sense.MODALS)
            past = bool(modal.past) and (when == "past" or (not when and self.chance(0.25)))
            return ("past", modal, "past") if past else ("present", modal, "modal")
        return drawn, None, drawn

    def adverb(self, tense: str, negated: bool) -> Adverbial | None:
        """Often, never, already; "not ... yet" where a perfect is denied."""
        if tense == "perfect":
            kind = "yet" if negated else "never" if self.chance(0.2) else "already"
            return sense.ADVERBS["negative" if kind == "never" else kind][0]
        if negated or tense == "progressive":
            return None
        draw = self.random()
        if draw < 0.13:
            return self.pick(sense.ADVERBS["frequency"][: 5 if tense == "present" else 4])
        return sense.ADVERBS["negative"][0] if draw < 0.16 else None

    def objects(
        self, verb: Verb, subject: NounPhrase | Pronoun, short: bool, negated: bool
    ) -> tuple[NounPhrase | Pronoun | None, NounPhrase | Pronoun | None]:
        """Dative and accusative object, as the verb asks; one denies the, a or none, not every."""
        if verb.complement not in ("acc", "dat", "dat acc", "put"):
            return None, None
        if verb.complement == "dat":
            return self.denied(
                self.object(verb, subject, "definite" in verb.flags, short, 0.4), negated
            ), None
        dative: NounPhrase | Pronoun | None = None
        if verb.complement == "dat acc":
            dative = self.person(subject) if self.chance(0.42) else None
            person = self.word(sense.CLASS["person"])
            while isinstance(subject, NounPhrase) and subject.noun is person:
                person = self.word(sense.CLASS["person"])
            dative = dative or self.noun_phrase(person, negated, True)
        known = "definite" in verb.flags
        accusative = self.denied(self.object(verb, subject, known, short), negated)
        taken = {part.noun for part in (subject, dative) if isinstance(part, NounPhrase)}
        while isinstance(accusative, NounPhrase) and accusative.noun in taken:
            accusative = self.denied(self.object(verb, subject, known, short, 0.0), negated)
        if (
            isinstance(accusative, NounPhrase)
            and accusative.owner
            and accusative.owner.noun in taken
        ):
            accusative = accusative._replace(owner=None)
        if (
            dative is PRONOUNS["she"]
            and isinstance(accusative, NounPhrase)
            and not accusative.determiner
        ):
            dative = PRONOUNS["he"]  # "gives her water" could be read as her water
        return dative, accusative

    def denied(self, part: NounPhrase | Pronoun, negated: bool) -> NounPhrase | Pronoun:
        """The object as it can stand in a denial."""
        if negated and isinstance(part, NounPhrase) and part.determiner not in sense.PLAIN_SET:
            return part._replace(determiner="the")
        return part

    def place(
        self, verb: Verb, subject: NounPhrase | Pronoun, short: bool
    ) -> Adverbial | PrepositionalPhrase | None:
        """The place a verb asks for, or one it allows, or company."""
        animal = isinstance(subject, NounPhrase) and "animal" in subject.noun.classes
        if verb.complement == "goal":
            return self.goal(verb, animal)
        if verb.complement == "from":
            return self.source(animal)
        if verb.complement == "put":
            noun = self.word(sense.CLASS["furniture"])
            return PrepositionalPhrase(sense.ONTO, self.noun_phrase(noun, True, True, True))
        thing = isinstance(subject, NounPhrase) and not subject.noun.classes & {"person", "animal"}
        if verb.complement == "place":
            if verb.objects:  # one lives in a house, not under a table
                here = self.pick(sense.ADVERBS["place"][:4])
                return here if self.chance(0.12) else self.inside(self.word(sense.OBJECTS[verb]))
            return self.location(thing or verb.base == "sit", animal)
        if short:
            return None
        if "company" in verb.flags and self.chance(0.2) and not thing:
            return self.together(self.pick(sense.COMPANY), subject)
        if "for" in verb.flags and self.chance(0.25):
            return self.together(sense.FOR, subject)
        return self.location(animal=animal) if "place" in verb.flags and self.chance(0.28) else None
