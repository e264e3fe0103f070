"""The dialect `tru_pomdp`: a kitchen as areas that are closed or open and the objects seen."""
