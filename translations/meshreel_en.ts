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
    <name>meshreel::ClipExportDialog</name>
    <message numerus="yes">
        <source>%n frames, %1 s</source>
        <translation>
            <numerusform>%n frame, %1 s</numerusform>
            <numerusform>%n frames, %1 s</numerusform>
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
    <name>meshreel::GridDialog</name>
    <message numerus="yes">
        <source>%n runs will be added.</source>
        <translation>
            <numerusform>%n run will be added.</numerusform>
            <numerusform>%n runs will be added.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n combinations cannot run and are left out: %1</source>
        <translation>
            <numerusform>%n combination cannot run and is left out: %1</numerusform>
            <numerusform>%n combinations cannot run and are left out: %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::MainWindow</name>
    <message numerus="yes">
        <source>Moved to the trash: %n runs</source>
        <translation>
            <numerusform>Moved to the trash: %n run</numerusform>
            <numerusform>Moved to the trash: %n runs</numerusform>
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
<context>
    <name>meshreel::RunQueue</name>
    <message numerus="yes">
        <source>%1 × %2, %n frames</source>
        <translation>
            <numerusform>%1 × %2, %n frame</numerusform>
            <numerusform>%1 × %2, %n frames</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n steps, seed %1</source>
        <translation>
            <numerusform>%n step, seed %1</numerusform>
            <numerusform>%n steps, seed %1</numerusform>
        </translation>
    </message>
</context>
</TS>
