# an unknown theme names the ones there are
met circuit draw exp --theme papyrus
met circuit draw exp --theme .
MET_THEMES=case met circuit draw exp --theme ''
