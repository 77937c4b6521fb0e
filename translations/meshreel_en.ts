<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>meshreel::AttentionWalk</name>
    <message numerus="yes">
        <source>Each adds what the keys and values from %n place(s) away give.</source>
        <translation>
            <numerusform>Each adds what the keys and values from %n place away give.</numerusform>
            <numerusform>Each adds what the keys and values from %n places away give.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::Consequences</name>
    <message numerus="yes">
        <source>between %n devices</source>
        <translation>
            <numerusform>on %n device</numerusform>
            <numerusform>between %n devices</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::ProjectEditor</name>
    <message numerus="yes">
        <source>%n changed</source>
        <translation>
            <numerusform>%n changed</numerusform>
            <numerusform>%n changed</numerusform>
        </translation>
    </message>
</context>
</TS>
