<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>HostTexts</name>
    <message numerus="yes">
        <source>%n slot(s)</source>
        <comment>of a host, for ranks</comment>
        <translation>
            <numerusform>%n slot</numerusform>
            <numerusform>%n slots</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n host(s)</source>
        <translation>
            <numerusform>%n host</numerusform>
            <numerusform>%n hosts</numerusform>
        </translation>
    </message>
</context>
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
    <name>meshreel::BenchPanel</name>
    <message numerus="yes">
        <source>%n rows measured in %1</source>
        <comment>duration</comment>
        <translation>
            <numerusform>%n row measured in %1</numerusform>
            <numerusform>%n rows measured in %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n rows, measured %1 by version %2 on %3.</source>
        <comment>date, version, processor</comment>
        <translation>
            <numerusform>%n row, measured %1 by version %2 on %3.</numerusform>
            <numerusform>%n rows, measured %1 by version %2 on %3.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The machine was too restless for the shares of %n rows.</source>
        <translation>
            <numerusform>The machine was too restless for the share of %n row.</numerusform>
            <numerusform>The machine was too restless for the shares of %n rows.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Measures %n rows again, %1 times each</source>
        <comment>number</comment>
        <translation>
            <numerusform>Measures %n row again, %1 times</numerusform>
            <numerusform>Measures %n rows again, %1 times each</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n kept measurements cannot be read and are left out</source>
        <translation>
            <numerusform>%n kept measurement cannot be read and is left out</numerusform>
            <numerusform>%n kept measurements cannot be read and are left out</numerusform>
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
    <name>meshreel::ClipExporter</name>
    <message numerus="yes">
        <source>%n videos were copied</source>
        <translation>
            <numerusform>%n video was copied</numerusform>
            <numerusform>%n videos were copied</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::ComparePanel</name>
    <message numerus="yes">
        <source>Queues %n runs: those within the noise and the baseline, as often as it takes to tell them apart. They join the comparison when they are done.</source>
        <translation>
            <numerusform>Queues %n run: those within the noise and the baseline, as often as it takes to tell them apart. They join the comparison when they are done.</numerusform>
            <numerusform>Queues %n runs: those within the noise and the baseline, as often as it takes to tell them apart. They join the comparison when they are done.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Queue %n runs? Each makes its whole video again.</source>
        <translation>
            <numerusform>Queue %n run? It makes its whole video again.</numerusform>
            <numerusform>Queue %n runs? Each makes its whole video again.</numerusform>
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
    <name>meshreel::DeviceLaneModel</name>
    <message numerus="yes">
        <source>%n steps: the devices compute %1 of the time, exchange %2 and wait %3; device %4 waits most, %5.</source>
        <translation>
            <numerusform>%n step: the devices compute %1 of the time, exchange %2 and wait %3; device %4 waits most, %5.</numerusform>
            <numerusform>%n steps: the devices compute %1 of the time, exchange %2 and wait %3; device %4 waits most, %5.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n steps: the GPU computes %1 of the time and stands still for %2, while the CPU prepares its work or takes its results.</source>
        <translation>
            <numerusform>%n step: the GPU computes %1 of the time and stands still for %2, while the CPU prepares its work or takes its results.</numerusform>
            <numerusform>%n steps: the GPU computes %1 of the time and stands still for %2, while the CPU prepares its work or takes its results.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n steps: the GPUs compute %1 of the time, stand still for %2 beside the CPU, exchange %3 and wait %4; device %5 waits most, %6.</source>
        <translation>
            <numerusform>%n step: the GPUs compute %1 of the time, stand still for %2 beside the CPU, exchange %3 and wait %4; device %5 waits most, %6.</numerusform>
            <numerusform>%n steps: the GPUs compute %1 of the time, stand still for %2 beside the CPU, exchange %3 and wait %4; device %5 waits most, %6.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::FilterBar</name>
    <message numerus="yes">
        <source>%n runs</source>
        <translation>
            <numerusform>%n run</numerusform>
            <numerusform>%n runs</numerusform>
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
    <name>meshreel::HistoryActions</name>
    <message numerus="yes">
        <source>Moved to the trash: %n runs</source>
        <translation>
            <numerusform>Moved to the trash: %n run</numerusform>
            <numerusform>Moved to the trash: %n runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Move %n runs to the trash?</source>
        <translation>
            <numerusform>Move %n run to the trash?</numerusform>
            <numerusform>Move %n runs to the trash?</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::HostTexts</name>
    <message numerus="yes">
        <source>%n rank(s)</source>
        <translation>
            <numerusform>%n rank</numerusform>
            <numerusform>%n ranks</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1, each with %n device(s)</source>
        <comment>sum of ranks</comment>
        <translation>
            <numerusform>%1, each with %n device</numerusform>
            <numerusform>%1, each with %n devices</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::ImportReportModel</name>
    <message numerus="yes">
        <source>%n taken</source>
        <comment>keys</comment>
        <translation>
            <numerusform>%n taken</numerusform>
            <numerusform>%n taken</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n translated</source>
        <comment>keys</comment>
        <translation>
            <numerusform>%n translated</numerusform>
            <numerusform>%n translated</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n ignored</source>
        <comment>keys</comment>
        <translation>
            <numerusform>%n ignored</numerusform>
            <numerusform>%n ignored</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n refused</source>
        <comment>keys</comment>
        <translation>
            <numerusform>%n refused</numerusform>
            <numerusform>%n refused</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::MachineList</name>
    <message numerus="yes">
        <source>%n devices of the mesh</source>
        <translation>
            <numerusform>%n device of the mesh</numerusform>
            <numerusform>%n devices of the mesh</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::MainMenu</name>
    <message numerus="yes">
        <source>&lt;p&gt;This machine: %1, %n CPU(s), computing with %2.&lt;/p&gt;</source>
        <translation>
            <numerusform>&lt;p&gt;This machine: %1, %n CPU, computing with %2.&lt;/p&gt;</numerusform>
            <numerusform>&lt;p&gt;This machine: %1, %n CPUs, computing with %2.&lt;/p&gt;</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Queue: %n waiting</source>
        <translation>
            <numerusform>Queue: %n waiting</numerusform>
            <numerusform>Queue: %n waiting</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::MainWindow</name>
    <message numerus="yes">
        <source>%n runs wait in the queue.</source>
        <translation>
            <numerusform>%n run waits in the queue.</numerusform>
            <numerusform>%n runs wait in the queue.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::MeshView</name>
    <message numerus="yes">
        <source>%n device(s): %1</source>
        <comment>of the mesh that a drag would make</comment>
        <translation>
            <numerusform>%n device: %1</numerusform>
            <numerusform>%n devices: %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::ModelDescription</name>
    <message numerus="yes">
        <source>%1 and %n more</source>
        <translation>
            <numerusform>%1 and one more</numerusform>
            <numerusform>%1 and %n more</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 (%n tensors)</source>
        <translation>
            <numerusform>%1 (%n tensor)</numerusform>
            <numerusform>%1 (%n tensors)</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::ModelsPanel</name>
    <message numerus="yes">
        <source>%n models were added to the models folder.</source>
        <translation>
            <numerusform>%n model was added to the models folder.</numerusform>
            <numerusform>%n models were added to the models folder.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n files of the download are in the models folder.</source>
        <translation>
            <numerusform>%n file of the download is in the models folder.</numerusform>
            <numerusform>%n files of the download are in the models folder.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::NoiseTexts</name>
    <message numerus="yes">
        <source>A step cache may shorten %n steps (hollow).</source>
        <translation>
            <numerusform>A step cache may shorten one step (hollow).</numerusform>
            <numerusform>A step cache may shorten %n steps (hollow).</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::PathOpener</name>
    <message numerus="yes">
        <source>None of these %n were opened: drop one project, run, video, picture or file of weights at a time; several pictures become reference images, several runs are compared, and projects and runs that are dropped on Queue are queued.</source>
        <translation>
            <numerusform>None of these %n were opened: drop one project, run, video, picture or file of weights at a time; several pictures become reference images, several runs are compared, and projects and runs that are dropped on Queue are queued.</numerusform>
            <numerusform>None of these %n were opened: drop one project, run, video, picture or file of weights at a time; several pictures become reference images, several runs are compared, and projects and runs that are dropped on Queue are queued.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::PredictedTexts</name>
    <message numerus="yes">
        <source>By the rates of this machine, measured %1, and %n runs like this one.</source>
        <translation>
            <numerusform>By the rates of this machine, measured %1, and one run like this one.</numerusform>
            <numerusform>By the rates of this machine, measured %1, and %n runs like this one.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>from %n runs like this on this machine</source>
        <translation>
            <numerusform>from %n run like this on this machine</numerusform>
            <numerusform>from %n runs like this on this machine</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>from measured rates and %n runs like this</source>
        <translation>
            <numerusform>from measured rates and %n run like this</numerusform>
            <numerusform>from measured rates and %n runs like this</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>By %n runs like this one, and typical proportions of what they do not tell. Once this machine was measured, the times of all others are known, too.</source>
        <translation>
            <numerusform>By %n run like this one, and typical proportions of what it does not tell. Once this machine was measured, the times of all others are known, too.</numerusform>
            <numerusform>By %n runs like this one, and typical proportions of what they do not tell. Once this machine was measured, the times of all others are known, too.</numerusform>
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
    <name>meshreel::ProjectLauncher</name>
    <message numerus="yes">
        <source>%n further rows</source>
        <translation>
            <numerusform>%n further row</numerusform>
            <numerusform>%n further rows</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::PromptLibrary</name>
    <message numerus="yes">
        <source>%n kept prompt(s) could not be read; a copy of all is %1</source>
        <translation>
            <numerusform>%n kept prompt could not be read; a copy of all is %1</numerusform>
            <numerusform>%n kept prompts could not be read; a copy of all is %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::QueuePanel</name>
    <message numerus="yes">
        <source>%n runs wait, about %1 in all</source>
        <translation>
            <numerusform>%n run waits, about %1</numerusform>
            <numerusform>%n runs wait, about %1 in all</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n runs wait</source>
        <translation>
            <numerusform>%n run waits</numerusform>
            <numerusform>%n runs wait</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::QueueStore</name>
    <message numerus="yes">
        <source>%n run(s) of the kept queue could not be read; a copy of the queue is %1. Run %2: %3</source>
        <translation>
            <numerusform>%n run of the kept queue could not be read; a copy of the queue is %1. Run %2: %3</numerusform>
            <numerusform>%n runs of the kept queue could not be read; a copy of the queue is %1. Run %2: %3</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::QueuedSettings</name>
    <message numerus="yes">
        <source>and %n more</source>
        <comment>settings</comment>
        <translation>
            <numerusform>and %n more</numerusform>
            <numerusform>and %n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::RankingView</name>
    <message numerus="yes">
        <source>%1: %2, preferred in %3 % (%4 to %5 %), %n votes</source>
        <comment>place, setting, share and its interval</comment>
        <translation>
            <numerusform>%1: %2, preferred in %3 % (%4 to %5 %), %n vote</numerusform>
            <numerusform>%1: %2, preferred in %3 % (%4 to %5 %), %n votes</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::RateDialog</name>
    <message numerus="yes">
        <source>%n votes</source>
        <translation>
            <numerusform>%n vote</numerusform>
            <numerusform>%n votes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n runs without a video that can be shown are left out</source>
        <translation>
            <numerusform>%n run without a video that can be shown is left out</numerusform>
            <numerusform>%n runs without a video that can be shown are left out</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::ReportContents</name>
    <message numerus="yes">
        <source>%n runs compared</source>
        <translation>
            <numerusform>One run</numerusform>
            <numerusform>%n runs compared</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::RunChoice</name>
    <message numerus="yes">
        <source>%1 and %n more</source>
        <translation>
            <numerusform>%1 and %n more</numerusform>
            <numerusform>%1 and %n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::RunCopies</name>
    <message numerus="yes">
        <source>Copied %n timing summaries</source>
        <translation>
            <numerusform>Copied one timing summary</numerusform>
            <numerusform>Copied %n timing summaries</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Copied %n configurations as a Markdown table</source>
        <translation>
            <numerusform>Copied one configuration as a Markdown table</numerusform>
            <numerusform>Copied %n configurations as a Markdown table</numerusform>
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
    <message numerus="yes">
        <source>%n steps, random seed</source>
        <translation>
            <numerusform>%n step, random seed</numerusform>
            <numerusform>%n steps, random seed</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::SessionKeeper</name>
    <message numerus="yes">
        <source>%n runs wait in the queue.</source>
        <translation>
            <numerusform>%n run waits in the queue.</numerusform>
            <numerusform>%n runs wait in the queue.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::SweepPanel</name>
    <message numerus="yes">
        <source>%1: %2 of %n cells done, %3 passes each; results in %4</source>
        <comment>name, numbers, folder</comment>
        <translation>
            <numerusform>%1: %2 of one cell done, %3 passes each; results in %4</numerusform>
            <numerusform>%1: %2 of %n cells done, %3 passes each; results in %4</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 (%n cells cannot run)</source>
        <comment>what is done</comment>
        <translation>
            <numerusform>%1 (one cell cannot run)</numerusform>
            <numerusform>%1 (%n cells cannot run)</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Times %n cells again, as often as it takes to tell those within the noise from what they are compared with</source>
        <translation>
            <numerusform>Times %n cell again, as often as it takes to tell those within the noise from what they are compared with</numerusform>
            <numerusform>Times %n cells again, as often as it takes to tell those within the noise from what they are compared with</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::TunePanel</name>
    <message numerus="yes">
        <source>Times the fastest and what it is compared with %n times more</source>
        <translation>
            <numerusform>Times the fastest and what it is compared with %n time more</numerusform>
            <numerusform>Times the fastest and what it is compared with %n times more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::TuneTexts</name>
    <message numerus="yes">
        <source>%n choices did not run.</source>
        <translation>
            <numerusform>One choice did not run.</numerusform>
            <numerusform>%n choices did not run.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1: %2 queries × %3 keys, %n choices</source>
        <comment>mode, numbers</comment>
        <translation>
            <numerusform>%1: %2 queries × %3 keys, one choice</numerusform>
            <numerusform>%1: %2 queries × %3 keys, %n choices</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1: %2, %n candidates</source>
        <comment>a GPU and the size of its work</comment>
        <translation>
            <numerusform>%1: %2, %n candidate</numerusform>
            <numerusform>%1: %2, %n candidates</numerusform>
        </translation>
    </message>
</context>
</TS>
