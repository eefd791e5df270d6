# What GTKWave does for make_pictures.
gtkwave::/File/Grab_To_File trace.png
gtkwave::/File/Quit
