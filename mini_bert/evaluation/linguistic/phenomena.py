"""What phenomenon of grammar a paradigm is about; one that nobody has grouped stands alone."""

from __future__ import annotations

_BLIMP = {
    "anaphor agreement": "anaphor_gender_agreement anaphor_number_agreement",
    "argument structure": """animate_subject_passive animate_subject_trans causative drop_argument inchoative
        intransitive passive_1 passive_2 transitive""",
    "binding": """principle_A_c_command principle_A_case_1 principle_A_case_2 principle_A_domain_1
        principle_A_domain_2 principle_A_domain_3 principle_A_reconstruction""",
    "control and raising": """existential_there_object_raising existential_there_subject_raising
        expletive_it_object_raising tough_vs_raising_1 tough_vs_raising_2""",
    "determiner-noun agreement": """determiner_noun_agreement_1 determiner_noun_agreement_2
        determiner_noun_agreement_irregular_1 determiner_noun_agreement_irregular_2
        determiner_noun_agreement_with_adjective_1 determiner_noun_agreement_with_adj_2
        determiner_noun_agreement_with_adj_irregular_1
        determiner_noun_agreement_with_adj_irregular_2""",
    "ellipsis": "ellipsis_n_bar_1 ellipsis_n_bar_2",
    "filler-gap": """wh_questions_object_gap wh_questions_subject_gap wh_questions_subject_gap_long_distance
        wh_vs_that_no_gap wh_vs_that_no_gap_long_distance wh_vs_that_with_gap wh_vs_that_with_gap_long_distance""",
    "irregular forms": "irregular_past_participle_adjectives irregular_past_participle_verbs",
    "island effects": """adjunct_island complex_NP_island coordinate_structure_constraint_complex_left_branch
        coordinate_structure_constraint_object_extraction left_branch_island_echo_question
        left_branch_island_simple_question sentential_subject_island wh_island""",
    "NPI licensing": """matrix_question_npi_licensor_present npi_present_1 npi_present_2
        only_npi_licensor_present only_npi_scope sentential_negation_npi_licensor_present
        sentential_negation_npi_scope""",
    "quantifiers": """existential_there_quantifiers_1 existential_there_quantifiers_2 superlative_quantifiers_1
        superlative_quantifiers_2""",
    "subject-verb agreement": """distractor_agreement_relational_noun distractor_agreement_relative_clause
        irregular_plural_subject_verb_agreement_1 irregular_plural_subject_verb_agreement_2
        regular_plural_subject_verb_agreement_1 regular_plural_subject_verb_agreement_2""",
}
_MARVIN_LINZEN = {
    "subject-verb agreement": """simple_agrmt sent_comp vp_coord long_vp_coord prep_anim prep_inanim subj_rel
        obj_rel_across_anim obj_rel_across_inanim obj_rel_within_anim obj_rel_within_inanim
        obj_rel_no_comp_across_anim obj_rel_no_comp_across_inanim obj_rel_no_comp_within_anim
        obj_rel_no_comp_within_inanim""",
    "reflexives": "simple_reflexives reflexive_sent_comp reflexives_across",
    "NPI licensing": "simple_npi_anim simple_npi_inanim npi_across_anim npi_across_inanim",
}
_WORLD = {
    "subject-verb agreement": """agreement_simple agreement_across_pp agreement_across_subject_relative
        agreement_across_object_relative agreement_in_relative agreement_coordination agreement_question
        agreement_there agreement_quantifier""",
    "determiners": "determiner_noun article quantity possessive",
    "pronouns": "reflexive_gender reflexive_number pronoun_case relative_animacy",
    "NPI licensing": "npi_ever npi_any",
    "verb forms": """do_support modal_base irregular_past perfect_participle passive_participle progressive gerund
        tense_time wh_question""",
    "adjectives and adverbs": "comparative equative manner",
    "filler-gap": "wh_gap",
}


def _by_paradigm(groups: dict[str, str]) -> dict[str, str]:
    return {paradigm: phenomenon for phenomenon, members in groups.items() for paradigm in members.split()}


BLIMP, MARVIN_LINZEN, WORLD = map(_by_paradigm, (_BLIMP, _MARVIN_LINZEN, _WORLD))


def blimp_phenomenon(uid: str) -> str:
    """The twelve phenomena of Warstadt et al. (2020), table 2."""
    return BLIMP.get(uid, uid)


def marvin_linzen_phenomenon(name: str) -> str:
    """The three of Marvin & Linzen (2018)."""
    return MARVIN_LINZEN.get(name, name)


def zorro_phenomenon(name: str) -> str:
    """The file's name up to its last dash.

    >>> zorro_phenomenon("island-effects-adjunct_island"), zorro_phenomenon("irregular-verb")
    ('island-effects', 'irregular')
    """
    phenomenon, _, _ = name.rpartition("-")
    return phenomenon or name


def world_phenomenon(name: str) -> str:
    return WORLD.get(name, name)
