"""Random clauses that make sense: what is done, what something is, what a noun is known by."""

from transformer_course.data.phrasebook import choices as sense
from transformer_course.data.phrasebook import lexicon
from transformer_course.data.phrasebook.actions import Actor
from transformer_course.data.phrasebook.choices import BE, BECOME
from transformer_course.data.phrasebook.clauses import Clause, ask_for
from transformer_course.data.phrasebook.lexicon import Noun, Verb
from transformer_course.data.phrasebook.morphology import FEMININE
from transformer_course.data.phrasebook.phrases import (
    PRONOUNS,
    NounPhrase,
    Pronoun,
    relative_pronoun,
)

ACTING = {
    kind: tuple(
        v for c in ("none", "acc") for v in sense.VERBS[c] if kind in v.subjects and not v.prefix
    )
    for kind in ("person", "animal")
}
ACTED_ON = {
    noun: tuple(
        v
        for v in (*sense.VERBS["acc"], *sense.VERBS["dat"])
        if noun in sense.OBJECTS[v] and "person" in v.subjects
    )
    for noun in lexicon.words_of("noun")
}


class Writer(Actor):
    """Draws clauses: who does what to whom, and what people and things are."""

    def description(
        self,
        short: bool = False,
        subject: NounPhrase | Pronoun | None = None,
        when: str | None = None,
        mood: bool = False,
    ) -> Clause:
        """Something is or becomes old, is a good teacher, is on the table; `mood`: is tired."""
        draw = self.random()
        if subject is None and not short and draw < 0.2:
            return self.profession() if draw < 0.12 else self.whereabouts()
        if subject is None and mood and draw < 0.5:
            subject = self.noun_phrase(self.word(sense.CLASS["person"]), True, True)
        subject = subject or (self.pick(sense.PERSONS) if mood else self.subject(BE, True, short))
        if isinstance(subject, NounPhrase) and not subject.relative:
            subject = subject._replace(adjective=None, degree=None)  # no "the black cat is brown"
        alive = isinstance(subject, Pronoun) or bool(subject.noun.classes & {"person", "animal"})
        verb = BECOME if alive and not mood and draw > 0.88 else BE
        options, taken = sense.MOODS, None
        if isinstance(subject, NounPhrase) and not mood:
            options, taken = sense.ADJECTIVES[subject.noun], subject.adjective
        if verb is BECOME:
            options = tuple(a for a in options if a in sense.GROWTH)
        adjective = self.word(options)
        while adjective is taken:
            adjective = self.word(options)
        tense = when or self.pick(("present", "present", "past"))
        if verb is BECOME and tense == "present":
            tense = "progressive"
        time, adverb, front = None, None, None
        if alive and "mood" in adjective.classes and not short and self.chance(0.35):
            if verb is BE and self.chance(0.4):
                adverb = self.pick(sense.ADVERBS["frequency"])
            else:
                pool = sense.TIMES["past"] if tense == "past" else sense.TIMES["progressive"][:2]
                time, front = self.pick(pool), self.pick((None, "time"))
        sure = isinstance(subject, Pronoun) or subject.determiner in sense.KNOWN_SET
        negated = sure and not adverb and self.chance(0.15)
        degrees = sense.ADVERBS["degree"][
            : 2 if negated else 3
        ]  # no "not quite", no "nicht ziemlich"
        gradable = "absolute" not in adjective.classes
        degree = self.pick(degrees) if gradable and self.chance(0.3) else None
        return Clause(
            subject, verb, tense, predicate=adjective, degree=degree,
            adverb=adverb, time=time, front=front, negated=negated,
        )  # fmt: skip

    def whereabouts(self) -> Clause:
        """The key is on the table."""
        noun = self.word(sense.nouns("flat", "upright", "person"))
        tense, place = self.pick(("present", "past")), self.location("thing" in noun.classes)
        return Clause(self.noun_phrase(noun, True), BE, tense, place=place)

    def profession(self) -> Clause:
        """My brother is a good teacher: the noun agrees with the person."""
        job = self.word(sense.CLASS["job"])
        name = "she" if job.gender == FEMININE else "he"
        people = [n for n in sense.CLASS["person"] if n.gender == job.gender and n is not job]
        subject: NounPhrase | Pronoun = PRONOUNS[name]
        if self.chance(0.7):
            person = self.noun_phrase(self.word(people), True, True, True)
            subject = person._replace(adjective=None)
        good = NounPhrase(job, False, "a", self.word(sense.TRAITS))
        tense = self.pick(("present", "present", "past"))
        return Clause(subject, BE, tense, predicate=good, negated=self.chance(0.15))

    def related(self, noun: Noun, other: Verb | None = None) -> NounPhrase:
        """The noun with a relative clause about it, as the subject or the object of that clause."""
        phrase = NounPhrase(noun, self.plural(noun), "the")
        who = relative_pronoun(phrase)
        kind = next((k for k in ACTING if k in noun.classes), None)
        tense = self.pick(("present", "past", "past"))
        if kind and self.chance(0.6):
            verb = self.word([v for v in ACTING[kind] if v is not other])
            spec = self.clause(True, verb=verb, subject=who, when=tense)._replace(front="subject")
            if isinstance(spec.accusative, NounPhrase) and spec.accusative.noun is noun:
                spec = spec._replace(accusative=PRONOUNS["they"])
        else:
            verb = self.word([v for v in ACTED_ON[noun] if v is not other])
            spec = self.clause(True, verb=verb, when=tense)
            while isinstance(spec.subject, NounPhrase) and spec.subject.noun is noun:
                spec = self.clause(True, verb=verb, when=tense)
            role = "dative" if verb.complement == "dat" else "accusative"
            spec = ask_for(spec, role, who)._replace(place=None)
        return phrase._replace(relative=spec._replace(adverb=None, negated=False))
