"""Forms of HTML (https://html.spec.whatwg.org/#forms): elements, their values and constraints, submission and reset.

The elements (``form_owners``, ``disabledness``, ``form_controls``, ``select``, ``labels``) hold state. An element gives the
facts about itself (``control_facts``), and functions of facts say what follows: ``sanitization``, ``input_numbers``,
``constraint_validation``. ``validity``, ``submission`` and ``resetting`` are the algorithms over the elements of a form.
"""
