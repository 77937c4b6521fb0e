<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<context>
    <name>ChartFormats</name>
    <message>
        <source>PNG image</source>
        <translation>PNG-Bild</translation>
    </message>
    <message>
        <source>SVG drawing</source>
        <translation>SVG-Zeichnung</translation>
    </message>
    <message>
        <source>PDF document</source>
        <translation>PDF-Dokument</translation>
    </message>
    <message>
        <source>CSV table</source>
        <translation>CSV-Tabelle</translation>
    </message>
    <message>
        <source>JSON data</source>
        <translation>JSON-Daten</translation>
    </message>
</context>
<context>
    <name>Engine</name>
    <message>
        <source>Prompt</source>
        <translation>Prompt</translation>
    </message>
    <message>
        <source>Negative prompt</source>
        <translation>Negativer Prompt</translation>
    </message>
    <message>
        <source>Text length</source>
        <translation>Textlänge</translation>
    </message>
    <message>
        <source>Tokens that a prompt is cut or padded to; Wan models were trained with 512.</source>
        <translation>Anzahl Tokens, auf die ein Prompt gekürzt oder aufgefüllt wird; Wan-Modelle wurden mit 512 trainiert.</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>Tokens</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Video</source>
        <translation>Video</translation>
    </message>
    <message>
        <source>Height</source>
        <translation>Höhe</translation>
    </message>
    <message>
        <source>Height of the video.</source>
        <translation>Höhe des Videos.</translation>
    </message>
    <message>
        <source>pixels</source>
        <translation>Pixel</translation>
    </message>
    <message>
        <source>Width</source>
        <translation>Breite</translation>
    </message>
    <message>
        <source>Width of the video.</source>
        <translation>Breite des Videos.</translation>
    </message>
    <message>
        <source>Frames</source>
        <translation>Einzelbilder</translation>
    </message>
    <message>
        <source>Length of the video: a multiple of 4, plus 1.</source>
        <translation>Länge des Videos: ein Vielfaches von 4, plus 1.</translation>
    </message>
    <message>
        <source>frames</source>
        <translation>Bilder</translation>
    </message>
    <message>
        <source>Frame rate</source>
        <translation>Bildrate</translation>
    </message>
    <message>
        <source>frames per second</source>
        <translation>Bilder je Sekunde</translation>
    </message>
    <message>
        <source>File format</source>
        <translation>Dateiformat</translation>
    </message>
    <message>
        <source>How the video is written.</source>
        <translation>Wie das Video geschrieben wird.</translation>
    </message>
    <message>
        <source>H.264 in MP4, plays everywhere; carries the project in its metadata.</source>
        <translation>H.264 in MP4, läuft überall; trägt das Projekt in den Metadaten.</translation>
    </message>
    <message>
        <source>VP9 in WebM, royalty-free, for browsers; carries the project in its metadata.</source>
        <translation>VP9 in WebM, lizenzfrei, für Browser; trägt das Projekt in den Metadaten.</translation>
    </message>
    <message>
        <source>Looping GIF with one palette of 255 colours per clip; delays are whole hundredths of a second.</source>
        <translation>GIF in Endlosschleife mit einer Palette von 255 Farben je Clip; Verzögerungen in ganzen Hundertstelsekunden.</translation>
    </message>
    <message>
        <source>Looping animated WebP, smaller and truer in colour than GIF; equal neighbours become one longer frame.</source>
        <translation>Animiertes WebP in Endlosschleife, kleiner und farbtreuer als GIF; gleiche Nachbarbilder werden zu einem längeren.</translation>
    </message>
    <message>
        <source>A folder of lossless frames, frame_00001.png and on, for editing elsewhere.</source>
        <translation>Ein Ordner verlustfreier Einzelbilder, ab frame_00001.png, zur Weiterbearbeitung.</translation>
    </message>
    <message>
        <source>Quality</source>
        <translation>Qualität</translation>
    </message>
    <message>
        <source>Compression quality of the video file: 0 is smallest, 100 best.</source>
        <translation>Kompressionsqualität der Videodatei: 0 ist am kleinsten, 100 am besten.</translation>
    </message>
    <message>
        <source>Sampling</source>
        <translation>Sampling</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Denoising steps; more take longer and refine the video.</source>
        <translation>Entrauschungsschritte; mehr dauern länger und verfeinern das Video.</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Guidance</source>
        <translation>Guidance</translation>
    </message>
    <message>
        <source>How strongly the prompt is followed; 1 or less turns guidance off and halves the work.</source>
        <translation>Wie streng dem Prompt gefolgt wird; 1 oder weniger schaltet die Guidance ab und halbiert die Arbeit.</translation>
    </message>
    <message>
        <source>Flow shift</source>
        <translation>Flow-Shift</translation>
    </message>
    <message>
        <source>Moves the noise levels of the steps towards high noise; Wan uses 3 at 480p and 5 at 720p.</source>
        <translation>Verschiebt die Rauschstufen der Schritte zu starkem Rauschen; Wan nutzt 3 bei 480p und 5 bei 720p.</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Seed</translation>
    </message>
    <message>
        <source>Scheduler</source>
        <translation>Scheduler</translation>
    </message>
    <message>
        <source>The solver that walks from noise to video.</source>
        <translation>Der Solver, der vom Rauschen zum Video führt.</translation>
    </message>
    <message>
        <source>The scheduler that the checkpoint names.</source>
        <translation>Der Scheduler, den der Checkpoint nennt.</translation>
    </message>
    <message>
        <source>predictor-corrector of order 2, what Wan&apos;s diffusers checkpoints use</source>
        <translation>Prädiktor-Korrektor 2. Ordnung, wie ihn Wans diffusers-Checkpoints nutzen</translation>
    </message>
    <message>
        <source>one straight step at a time along the flow</source>
        <translation>je ein gerader Schritt entlang des Flows</translation>
    </message>
    <message>
        <source>UniPC with the noise levels of Wan&apos;s own programs</source>
        <translation>UniPC mit den Rauschstufen von Wans eigenen Programmen</translation>
    </message>
    <message>
        <source>DPM-Solver++ with the noise levels of Wan&apos;s own programs</source>
        <translation>DPM-Solver++ mit den Rauschstufen von Wans eigenen Programmen</translation>
    </message>
    <message>
        <source>Noise</source>
        <translation>Rauschen</translation>
    </message>
    <message>
        <source>How the seed becomes the initial noise.</source>
        <translation>Wie aus dem Seed das Anfangsrauschen wird.</translation>
    </message>
    <message>
        <source>the same latents from a seed whatever the mesh, threads or batch split</source>
        <translation>dieselben Latents aus einem Seed, gleich welches Gerätenetz, welche Threads oder Batch-Aufteilung</translation>
    </message>
    <message>
        <source>the latents that diffusers makes from a CPU generator&apos;s seed</source>
        <translation>die Latents, die diffusers aus dem Seed eines CPU-Generators macht</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>Attention</translation>
    </message>
    <message>
        <source>How attention is computed and spread over devices.</source>
        <translation>Wie Attention berechnet und auf Geräte verteilt wird.</translation>
    </message>
    <message>
        <source>Dense softmax attention: every score of a query at once; the reference, and good for short sequences.</source>
        <translation>Dichte Softmax-Attention: alle Scores einer Query auf einmal; die Referenz, gut für kurze Sequenzen.</translation>
    </message>
    <message>
        <source>Blocked attention with a running softmax: memory grows with the block sizes, not with the square of the sequence.</source>
        <translation>Blockweise Attention mit laufendem Softmax: der Speicherbedarf wächst mit den Blockgrößen, nicht mit dem Quadrat der Sequenz.</translation>
    </message>
    <message>
        <source>MaxDiffusion&apos;s other flash kernel; the same as flash here.</source>
        <translation>MaxDiffusions anderer Flash-Kernel; hier dasselbe wie flash.</translation>
    </message>
    <message>
        <source>Ring attention: each device keeps its queries while keys and values travel around.</source>
        <translation>Ring-Attention: jedes Gerät behält seine Queries, während Keys und Values reihum wandern.</translation>
    </message>
    <message>
        <source>Ring attention over the whole context axis, accumulating un-normalised partials.</source>
        <translation>Ring-Attention über die ganze Kontextachse, mit Summierung nicht normierter Teilergebnisse.</translation>
    </message>
    <message>
        <source>Ring attention with the custom blocked kernel.</source>
        <translation>Ring-Attention mit dem blockweisen Custom-Kernel.</translation>
    </message>
    <message>
        <source>Ulysses: devices trade sequence shards for head groups before the kernel and back after it.</source>
        <translation>Ulysses: Geräte tauschen vor dem Kernel Sequenz-Shards gegen Kopfgruppen und danach zurück.</translation>
    </message>
    <message>
        <source>Ulysses with the custom blocked kernel.</source>
        <translation>Ulysses mit dem blockweisen Custom-Kernel.</translation>
    </message>
    <message>
        <source>Ulysses with the custom kernel, a bound in place of the running maximum.</source>
        <translation>Ulysses mit dem Custom-Kernel, mit einer Schranke statt des laufenden Maximums.</translation>
    </message>
    <message>
        <source>Ulysses with the custom kernel; each block of queries has a bound of its own.</source>
        <translation>Ulysses mit dem Custom-Kernel; jeder Block von Queries hat seine eigene Schranke.</translation>
    </message>
    <message>
        <source>Ulysses inside groups of ulysses_shards devices, a ring between the groups.</source>
        <translation>Ulysses innerhalb von Gruppen aus ulysses_shards Geräten, ein Ring zwischen den Gruppen.</translation>
    </message>
    <message>
        <source>Ulysses and ring with the custom blocked kernel.</source>
        <translation>Ulysses und Ring mit dem blockweisen Custom-Kernel.</translation>
    </message>
    <message>
        <source>Ulysses and a ring whose keys travel both ways along a line, for links that do not wrap.</source>
        <translation>Ulysses und ein Ring, dessen Keys auf einer Linie in beide Richtungen wandern, für Verbindungen ohne Umlauf.</translation>
    </message>
    <message>
        <source>Ulysses and ring with the custom kernel, a bound in place of the running maximum.</source>
        <translation>Ulysses und Ring mit dem Custom-Kernel, mit einer Schranke statt des laufenden Maximums.</translation>
    </message>
    <message>
        <source>Ulysses and ring with the custom kernel; each block of queries has a bound of its own.</source>
        <translation>Ulysses und Ring mit dem Custom-Kernel; jeder Block von Queries hat seine eigene Schranke.</translation>
    </message>
    <message>
        <source>NVIDIA Transformer Engine&apos;s cuDNN attention.</source>
        <translation>Die cuDNN-Attention von NVIDIAs Transformer Engine.</translation>
    </message>
    <message>
        <source>Flash from length</source>
        <translation>Flash ab Länge</translation>
    </message>
    <message>
        <source>Flash attention gives way to dot_product when a sequence is shorter than this.</source>
        <translation>Flash-Attention weicht dot_product, wenn eine Sequenz kürzer ist.</translation>
    </message>
    <message>
        <source>Query block</source>
        <translation>Query-Block</translation>
    </message>
    <message>
        <source>Query rows of one tile of flash attention; 0 takes the kernel&apos;s own.</source>
        <translation>Query-Zeilen einer Kachel der Flash-Attention; 0 nimmt den Wert des Kernels.</translation>
    </message>
    <message>
        <source>rows</source>
        <translation>Zeilen</translation>
    </message>
    <message>
        <source>Key block</source>
        <translation>Key-Block</translation>
    </message>
    <message>
        <source>Key and value rows that are loaded together; 0 takes the kernel&apos;s own.</source>
        <translation>Key- und Value-Zeilen, die zusammen geladen werden; 0 nimmt den Wert des Kernels.</translation>
    </message>
    <message>
        <source>Key block per product</source>
        <translation>Key-Block je Produkt</translation>
    </message>
    <message>
        <source>Key rows of one matrix product inside a key block, which it divides; an upper bound on CPUs that compute in bf16 tiles; 0 takes the kernel&apos;s own.</source>
        <translation>Key-Zeilen eines Matrixprodukts im Key-Block, den sie teilen; auf CPUs, die in bf16-Kacheln rechnen, eine Obergrenze; 0 nimmt den Wert des Kernels.</translation>
    </message>
    <message>
        <source>Key block per softmax</source>
        <translation>Key-Block je Softmax</translation>
    </message>
    <message>
        <source>Key rows of one softmax step of the custom kernels; 0 takes the kernel&apos;s own.</source>
        <translation>Key-Zeilen eines Softmax-Schritts der Custom-Kernel; 0 nimmt den Wert des Kernels.</translation>
    </message>
    <message>
        <source>Heads per tile</source>
        <translation>Köpfe je Kachel</translation>
    </message>
    <message>
        <source>Heads that the custom kernels handle together.</source>
        <translation>Köpfe, die die Custom-Kernel gemeinsam behandeln.</translation>
    </message>
    <message>
        <source>heads</source>
        <translation>Köpfe</translation>
    </message>
    <message>
        <source>Scratch limit</source>
        <translation>Scratch-Grenze</translation>
    </message>
    <message>
        <source>Scratch memory that a tile of the custom kernels may use; 0 sets no limit.</source>
        <translation>Scratch-Speicher, den eine Kachel der Custom-Kernel nutzen darf; 0 setzt keine Grenze.</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>Byte</translation>
    </message>
    <message>
        <source>Base-2 exponential</source>
        <translation>Exponential zur Basis 2</translation>
    </message>
    <message>
        <source>Mask padding</source>
        <translation>Padding maskieren</translation>
    </message>
    <message>
        <source>Mesh</source>
        <translation>Gerätenetz</translation>
    </message>
    <message>
        <source>Data axis</source>
        <translation>Datenachse</translation>
    </message>
    <message>
        <source>Devices that share out the batch; -1 takes all that are left.</source>
        <translation>Geräte, die sich den Batch teilen; -1 nimmt alle übrigen.</translation>
    </message>
    <message>
        <source>devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>FSDP axis</source>
        <translation>FSDP-Achse</translation>
    </message>
    <message>
        <source>Devices that share out the weights; -1 takes all that are left.</source>
        <translation>Geräte, die sich die Gewichte teilen; -1 nimmt alle übrigen.</translation>
    </message>
    <message>
        <source>Context axis</source>
        <translation>Kontextachse</translation>
    </message>
    <message>
        <source>Devices that share out the sequence; -1 takes all that are left.</source>
        <translation>Geräte, die sich die Sequenz teilen; -1 nimmt alle übrigen.</translation>
    </message>
    <message>
        <source>Tensor axis</source>
        <translation>Tensorachse</translation>
    </message>
    <message>
        <source>Devices that share out heads and features; -1 takes all that are left.</source>
        <translation>Geräte, die sich Köpfe und Merkmale teilen; -1 nimmt alle übrigen.</translation>
    </message>
    <message>
        <source>Data axis between hosts</source>
        <translation>Datenachse zwischen Rechnern</translation>
    </message>
    <message>
        <source>Hosts that share out the batch; -1 takes all that are left.</source>
        <translation>Rechner, die sich den Batch teilen; -1 nimmt alle übrigen.</translation>
    </message>
    <message>
        <source>hosts</source>
        <translation>Rechner</translation>
    </message>
    <message>
        <source>FSDP axis between hosts</source>
        <translation>FSDP-Achse zwischen Rechnern</translation>
    </message>
    <message>
        <source>Hosts that share out the weights; -1 takes all that are left.</source>
        <translation>Rechner, die sich die Gewichte teilen; -1 nimmt alle übrigen.</translation>
    </message>
    <message>
        <source>Context axis between hosts</source>
        <translation>Kontextachse zwischen Rechnern</translation>
    </message>
    <message>
        <source>Hosts that share out the sequence; -1 takes all that are left.</source>
        <translation>Rechner, die sich die Sequenz teilen; -1 nimmt alle übrigen.</translation>
    </message>
    <message>
        <source>Tensor axis between hosts</source>
        <translation>Tensorachse zwischen Rechnern</translation>
    </message>
    <message>
        <source>Hosts that share out heads and features; -1 takes all that are left.</source>
        <translation>Rechner, die sich Köpfe und Merkmale teilen; -1 nimmt alle übrigen.</translation>
    </message>
    <message>
        <source>Ulysses shards</source>
        <translation>Ulysses-Shards</translation>
    </message>
    <message>
        <source>Part of the context axis that exchanges heads in the ulysses_ring modes; -1 is unset.</source>
        <translation>Teil der Kontextachse, der in den ulysses_ring-Modi Köpfe tauscht; -1 ist nicht gesetzt.</translation>
    </message>
    <message>
        <source>Ulysses chunks</source>
        <translation>Ulysses-Chunks</translation>
    </message>
    <message>
        <source>Uniform sharding</source>
        <translation>Einheitliche Aufteilung</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>32-bit floating point.</source>
        <translation>Gleitkomma mit 32 Bit.</translation>
    </message>
    <message>
        <source>16-bit floating point with the exponent of float32.</source>
        <translation>Gleitkomma mit 16 Bit und dem Exponenten von float32.</translation>
    </message>
    <message>
        <source>Activations</source>
        <translation>Aktivierungen</translation>
    </message>
    <message>
        <source>Text encoder</source>
        <translation>Text-Encoder</translation>
    </message>
    <message>
        <source>Number type that the text encoder computes in.</source>
        <translation>Zahlentyp, in dem der Text-Encoder rechnet.</translation>
    </message>
    <message>
        <source>VAE</source>
        <translation>VAE</translation>
    </message>
    <message>
        <source>Number type that the VAE computes in.</source>
        <translation>Zahlentyp, in dem der VAE rechnet.</translation>
    </message>
    <message>
        <source>VAE weights</source>
        <translation>VAE-Gewichte</translation>
    </message>
    <message>
        <source>Number type of the VAE&apos;s weights.</source>
        <translation>Zahlentyp der VAE-Gewichte.</translation>
    </message>
    <message>
        <source>Decode chunk</source>
        <translation>Dekodier-Chunk</translation>
    </message>
    <message>
        <source>Latent frames that are decoded together; -1 takes all. More memory, the same result.</source>
        <translation>Latente Bilder, die zusammen dekodiert werden; -1 nimmt alle. Mehr Speicher, dasselbe Ergebnis.</translation>
    </message>
    <message>
        <source>latent frames</source>
        <translation>latente Bilder</translation>
    </message>
    <message>
        <source>Encode chunk</source>
        <translation>Kodier-Chunk</translation>
    </message>
    <message>
        <source>Frames that are encoded together, a multiple of 4; -1 takes all. More memory, the same result.</source>
        <translation>Bilder, die zusammen kodiert werden, ein Vielfaches von 4; -1 nimmt alle. Mehr Speicher, dasselbe Ergebnis.</translation>
    </message>
    <message>
        <source>Width strips</source>
        <translation>Breitenstreifen</translation>
    </message>
    <message>
        <source>Devices that share out the VAE&apos;s width; -1 takes as many as help, about 8.</source>
        <translation>Geräte, die sich die Breite des VAE teilen; -1 nimmt so viele, wie etwas bringen, etwa 8.</translation>
    </message>
    <message>
        <source>Replicate weights</source>
        <translation>Gewichte replizieren</translation>
    </message>
    <message>
        <source>Gives every device the whole of the VAE&apos;s weights.</source>
        <translation>Gibt jedem Gerät alle VAE-Gewichte.</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>What run folders are called after; empty takes the project file&apos;s name.</source>
        <translation>Wonach Laufordner benannt werden; leer nimmt den Namen der Projektdatei.</translation>
    </message>
    <message>
        <source>Workers</source>
        <translation>Worker</translation>
    </message>
    <message>
        <source>threads</source>
        <translation>Threads</translation>
    </message>
    <message>
        <source>Lets the softmax use powers of 2 with rescaled scores; results agree within rounding.</source>
        <translation>Lässt den Softmax Potenzen von 2 mit umskalierten Scores nutzen; die Ergebnisse stimmen bis auf Rundung überein.</translation>
    </message>
    <message>
        <source>Keeps the rows that fill up a block or a device&apos;s share out of attention.</source>
        <translation>Hält die Zeilen, die einen Block oder den Anteil eines Geräts auffüllen, aus der Attention heraus.</translation>
    </message>
    <message>
        <source>padding is never attended</source>
        <translation>Padding wird nie beachtet</translation>
    </message>
    <message>
        <source>Makes flash and dot_product share out the sequence; false shares out the heads of self-attention instead.</source>
        <translation>Lässt flash und dot_product die Sequenz aufteilen; false teilt stattdessen die Köpfe der Self-Attention auf.</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>Devices of the mesh, which the axis of -1 fills up; 0 takes one for each process that was started, or as many as the axes ask for.</source>
        <translation>Geräte des Gerätenetzes, die die Achse mit -1 auffüllt; 0 nimmt eines je gestartetem Prozess, oder so viele, wie die Achsen verlangen.</translation>
    </message>
    <message>
        <source>Hosts file</source>
        <translation>Rechnerdatei</translation>
    </message>
    <message>
        <source>File that names the machines to start processes on, one a line; empty runs on this machine only.</source>
        <translation>Datei mit den Rechnern, auf denen Prozesse gestartet werden, einer je Zeile; leer läuft nur auf diesem Rechner.</translation>
    </message>
    <message>
        <source>Send weights</source>
        <translation>Gewichte senden</translation>
    </message>
    <message>
        <source>Reads the checkpoint on the first machine only and sends it to the others.</source>
        <translation>Liest den Checkpoint nur auf dem ersten Rechner und sendet ihn an die anderen.</translation>
    </message>
    <message>
        <source>Stall timeout</source>
        <translation>Stillstandsfrist</translation>
    </message>
    <message>
        <source>How long a device waits for the others before the run counts as hung and ends.</source>
        <translation>Wie lange ein Gerät auf die anderen wartet, bevor der Lauf als hängend gilt und endet.</translation>
    </message>
    <message>
        <source>seconds</source>
        <translation>Sekunden</translation>
    </message>
    <message>
        <source>Threads of each device; 0 shares out every CPU of this process.</source>
        <translation>Threads jedes Geräts; 0 teilt alle CPUs dieses Prozesses auf.</translation>
    </message>
    <message>
        <source>Number type of the weights of the transformer&apos;s blocks. With bfloat16 activations, float32 weights are rounded to bfloat16 too; int8 needs bfloat16 activations.</source>
        <translation>Zahlentyp der Gewichte in den Blöcken des Transformers. Mit Aktivierungen in bfloat16 werden auch float32-Gewichte auf bfloat16 gerundet; int8 verlangt Aktivierungen in bfloat16.</translation>
    </message>
    <message>
        <source>8-bit integers with a scale for each output; inputs are rounded to 8 bits too.</source>
        <translation>8-Bit-Ganzzahlen mit einem Skalierungsfaktor für jeden Ausgang; auch die Eingänge werden auf 8 Bit gerundet.</translation>
    </message>
    <message>
        <source>Number type that the transformer&apos;s blocks compute in. Sums, the residual stream, the time and text embeddings and the output stay float32.</source>
        <translation>Zahlentyp, in dem die Blöcke des Transformers rechnen. Summen, der Residualstrom, die Embeddings von Zeit und Text und die Ausgabe bleiben float32.</translation>
    </message>
    <message>
        <source>Number type that each step&apos;s prediction and the latents it leads to are rounded to.</source>
        <translation>Zahlentyp, auf den die Vorhersage jedes Schritts und die daraus entstehenden Latents gerundet werden.</translation>
    </message>
    <message>
        <source>Guidance at high noise</source>
        <translation>Guidance bei starkem Rauschen</translation>
    </message>
    <message>
        <source>Guidance of the first of two experts; 0 takes guidance_scale.</source>
        <translation>Guidance des ersten von zwei Experten; 0 nimmt guidance_scale.</translation>
    </message>
    <message>
        <source>Guidance at low noise</source>
        <translation>Guidance bei schwachem Rauschen</translation>
    </message>
    <message>
        <source>Guidance of the second of two experts; 0 takes guidance_scale.</source>
        <translation>Guidance des zweiten von zwei Experten; 0 nimmt guidance_scale.</translation>
    </message>
    <message>
        <source>Boundary of the experts</source>
        <translation>Grenze der Experten</translation>
    </message>
    <message>
        <source>Part of the noise levels&apos; range from which on the first of two experts works, below it the second; 0 takes the model&apos;s own.</source>
        <translation>Anteil am Bereich der Rauschstufen, ab dem der erste von zwei Experten arbeitet, darunter der zweite; 0 nimmt den Wert des Modells.</translation>
    </message>
    <message>
        <source>An installed model&apos;s name, a Hugging Face id, a checkpoint folder in diffusers layout, or a transformer&apos;s file, whose other parts are found in the models folder.</source>
        <translation>Name eines installierten Modells, eine Hugging-Face-Kennung, ein Checkpoint-Ordner im diffusers-Aufbau oder eine Transformer-Datei, deren übrige Teile im Modellordner gefunden werden.</translation>
    </message>
    <message>
        <source>Adapters</source>
        <translation>Adapter</translation>
    </message>
    <message>
        <source>Transformer</source>
        <translation>Transformer</translation>
    </message>
    <message>
        <source>File or folder of the transformer&apos;s weights; of Wan 2.2&apos;s two the high-noise expert. Empty takes the model&apos;s own.</source>
        <translation>Datei oder Ordner der Transformer-Gewichte; bei den zweien von Wan 2.2 der Experte für starkes Rauschen. Leer nimmt den des Modells.</translation>
    </message>
    <message>
        <source>Second transformer</source>
        <translation>Zweiter Transformer</translation>
    </message>
    <message>
        <source>File or folder of Wan 2.2&apos;s low-noise expert. Empty takes the model&apos;s own.</source>
        <translation>Datei oder Ordner des Experten für schwaches Rauschen von Wan 2.2. Leer nimmt den des Modells.</translation>
    </message>
    <message>
        <source>File or folder of the text encoder (UMT5-XXL). Empty takes the model&apos;s own.</source>
        <translation>Datei oder Ordner des Text-Encoders (UMT5-XXL). Leer nimmt den des Modells.</translation>
    </message>
    <message>
        <source>Image encoder</source>
        <translation>Bild-Encoder</translation>
    </message>
    <message>
        <source>File or folder of the image encoder (CLIP ViT-H) of image-to-video models. Empty takes the model&apos;s own.</source>
        <translation>Datei oder Ordner des Bild-Encoders (CLIP ViT-H) von Bild-zu-Video-Modellen. Leer nimmt den des Modells.</translation>
    </message>
    <message>
        <source>Tokenizer</source>
        <translation>Tokenizer</translation>
    </message>
    <message>
        <source>Folder of the tokenizer, or its tokenizer.json or spiece.model. Empty takes the model&apos;s own.</source>
        <translation>Ordner des Tokenizers oder dessen tokenizer.json oder spiece.model. Leer nimmt den des Modells.</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>Aufgabe</translation>
    </message>
    <message>
        <source>What the video is made of.</source>
        <translation>Woraus das Video entsteht.</translation>
    </message>
    <message>
        <source>What the model does with the inputs that are given.</source>
        <translation>Was das Modell mit den gegebenen Eingaben macht.</translation>
    </message>
    <message>
        <source>A video, or with num_frames 1 an image, from the prompt.</source>
        <translation>Ein Video aus dem Prompt, mit num_frames 1 ein Bild.</translation>
    </message>
    <message>
        <source>A video that begins with `image`.</source>
        <translation>Ein Video, das mit `image` beginnt.</translation>
    </message>
    <message>
        <source>A video that begins with `image` and ends with `last_image`.</source>
        <translation>Ein Video, das mit `image` beginnt und mit `last_image` endet.</translation>
    </message>
    <message>
        <source>`video` made again after the prompt; `strength` says how much of it may change.</source>
        <translation>`video`, nach dem Prompt neu erzeugt; `strength` sagt, wie viel sich ändern darf.</translation>
    </message>
    <message>
        <source>`video` where `mask` is black, something new where it is white, with what `reference_images` show.</source>
        <translation>`video`, wo `mask` schwarz ist, Neues, wo sie weiß ist, mit dem, was `reference_images` zeigen.</translation>
    </message>
    <message>
        <source>First image</source>
        <translation>Erstes Bild</translation>
    </message>
    <message>
        <source>Last image</source>
        <translation>Letztes Bild</translation>
    </message>
    <message>
        <source>Picture file that the video ends with.</source>
        <translation>Bilddatei, mit der das Video endet.</translation>
    </message>
    <message>
        <source>Mask</source>
        <translation>Maske</translation>
    </message>
    <message>
        <source>Reference images</source>
        <translation>Referenzbilder</translation>
    </message>
    <message>
        <source>Strength</source>
        <translation>Stärke</translation>
    </message>
    <message>
        <source>How much of the video may change in video to video: the part of the steps that is done.</source>
        <translation>Wie viel sich bei Video zu Video ändern darf: der Anteil der Schritte, der gemacht wird.</translation>
    </message>
    <message>
        <source>Control strength</source>
        <translation>Steuerstärke</translation>
    </message>
    <message>
        <source>How strongly VACE&apos;s blocks steer: one number, or one for each block, separated by commas.</source>
        <translation>Wie stark die VACE-Blöcke steuern: eine Zahl oder eine je Block, durch Kommas getrennt.</translation>
    </message>
    <message>
        <source>DPM-Solver++ that adds noise at every step (2M SDE), with the noise levels of Wan&apos;s own programs</source>
        <translation>DPM-Solver++, der in jedem Schritt Rauschen hinzufügt (2M SDE), mit den Rauschstufen von Wans eigenen Programmen</translation>
    </message>
    <message>
        <source>Heun&apos;s method: each step but the last is computed twice and is of second order</source>
        <translation>Verfahren von Heun: jeder Schritt außer dem letzten wird zweimal berechnet und ist von 2. Ordnung</translation>
    </message>
    <message>
        <source>for models distilled to a few steps: each predicts the video and noises it anew</source>
        <translation>für Modelle, die auf wenige Schritte destilliert sind: jeder sagt das Video vorher und verrauscht es neu</translation>
    </message>
    <message>
        <source>Noise levels</source>
        <translation>Rauschstufen</translation>
    </message>
    <message>
        <source>The run&apos;s own noise levels from 1 down, separated by commas, before the flow shift; they take the place of num_inference_steps.</source>
        <translation>Eigene Rauschstufen des Laufs von 1 abwärts, durch Kommas getrennt, vor dem Flow-Shift; sie ersetzen num_inference_steps.</translation>
    </message>
    <message>
        <source>Timesteps</source>
        <translation>Zeitschritte</translation>
    </message>
    <message>
        <source>The same as timesteps from 1000 down, as distilled models name them: 1000, 750, 500, 250.</source>
        <translation>Dasselbe als Zeitschritte von 1000 abwärts, wie destillierte Modelle sie nennen: 1000, 750, 500, 250.</translation>
    </message>
    <message>
        <source>Prompts of a batch</source>
        <translation>Prompts eines Batches</translation>
    </message>
    <message>
        <source>Makes several videos in one run: a prompt on each line, in place of prompt.</source>
        <translation>Erzeugt mehrere Videos in einem Lauf: ein Prompt je Zeile, anstelle von prompt.</translation>
    </message>
    <message>
        <source>Seeds of a batch</source>
        <translation>Seeds eines Batches</translation>
    </message>
    <message>
        <source>The character of `image` moves as `pose_video` and `face_video` do.</source>
        <translation>Die Figur aus `image` bewegt sich wie `pose_video` und `face_video`.</translation>
    </message>
    <message>
        <source>The character of `image` takes the place of somebody in `background_video`, where `mask` is white.</source>
        <translation>Die Figur aus `image` tritt in `background_video` an die Stelle von jemandem, wo `mask` weiß ist.</translation>
    </message>
    <message>
        <source>Picture file that the video begins with, or of the character that is animated, at the video&apos;s size whatever its own; relative to the project&apos;s folder.</source>
        <translation>Bilddatei, mit der das Video beginnt, oder der animierten Figur, in der Größe des Videos, gleich welche sie hat; relativ zum Ordner des Projekts.</translation>
    </message>
    <message>
        <source>Pose video</source>
        <translation>Posenvideo</translation>
    </message>
    <message>
        <source>Face video</source>
        <translation>Gesichtsvideo</translation>
    </message>
    <message>
        <source>Background video</source>
        <translation>Hintergrundvideo</translation>
    </message>
    <message>
        <source>Video that the character is put into where mask is white.</source>
        <translation>Video, in das die Figur eingesetzt wird, wo mask weiß ist.</translation>
    </message>
    <message>
        <source>Segment</source>
        <translation>Segment</translation>
    </message>
    <message>
        <source>Frames that an animation is made of at a time: a multiple of 4, plus 1.</source>
        <translation>Bilder, die bei einer Animation jeweils in einem Stück entstehen: ein Vielfaches von 4, plus 1.</translation>
    </message>
    <message>
        <source>Overlap of segments</source>
        <translation>Überlappung der Segmente</translation>
    </message>
    <message>
        <source>Last frames of a segment that the next one begins with; Wan Animate was made for 1 or 5.</source>
        <translation>Letzte Bilder eines Segments, mit denen das nächste beginnt; Wan Animate wurde für 1 oder 5 gemacht.</translation>
    </message>
    <message>
        <source>Step caches</source>
        <translation>Schritt-Caches</translation>
    </message>
    <message>
        <source>CFG cache</source>
        <translation>CFG-Cache</translation>
    </message>
    <message>
        <source>Makes the negative prompt&apos;s half up from earlier steps in four of five steps of the middle; approximate.</source>
        <translation>Schätzt in vier von fünf der mittleren Schritte die Hälfte des negativen Prompts aus früheren Schritten; Näherung.</translation>
    </message>
    <message>
        <source>SenCache</source>
        <translation>SenCache</translation>
    </message>
    <message>
        <source>Takes whole predictions over while the latents change little; for Wan 2.2&apos;s models of two transformers; approximate.</source>
        <translation>Übernimmt ganze Vorhersagen, solange sich die Latents wenig ändern; für die Modelle von Wan 2.2 mit zwei Transformern; Näherung.</translation>
    </message>
    <message>
        <source>MagCache</source>
        <translation>MagCache</translation>
    </message>
    <message>
        <source>Leaves the transformer&apos;s blocks out in steps where a curve measured before says that they add what they added before; approximate.</source>
        <translation>Lässt die Blöcke des Transformers in Schritten aus, in denen sie laut einer zuvor gemessenen Kurve dasselbe beitragen wie zuvor; Näherung.</translation>
    </message>
    <message>
        <source>MagCache error</source>
        <translation>MagCache-Fehler</translation>
    </message>
    <message>
        <source>Error that MagCache may gather before a step is computed in full; 0 takes the curve&apos;s own.</source>
        <translation>Fehler, den MagCache ansammeln darf, bevor ein Schritt ganz berechnet wird; 0 nimmt den der Kurve.</translation>
    </message>
    <message>
        <source>MagCache in a row</source>
        <translation>MagCache in Folge</translation>
    </message>
    <message>
        <source>Steps that MagCache leaves the blocks out of one after the other, at most.</source>
        <translation>Schritte nacheinander, in denen MagCache die Blöcke höchstens auslässt.</translation>
    </message>
    <message>
        <source>MagCache begins at</source>
        <translation>MagCache beginnt bei</translation>
    </message>
    <message>
        <source>Part of a transformer&apos;s steps, at their beginning, that MagCache computes in full.</source>
        <translation>Anteil der Schritte eines Transformers, an deren Anfang, den MagCache ganz berechnet.</translation>
    </message>
    <message>
        <source>MagCache curve</source>
        <translation>MagCache-Kurve</translation>
    </message>
    <message>
        <source>The curve as numbers separated by commas, for each step the prompt&apos;s and the negative prompt&apos;s; empty takes mag_ratios_file, or the one published for the model.</source>
        <translation>Die Kurve als Zahlen, durch Kommas getrennt, für jeden Schritt die des Prompts und die des negativen Prompts; leer nimmt mag_ratios_file oder die für das Modell veröffentlichte.</translation>
    </message>
    <message>
        <source>MagCache curve file</source>
        <translation>MagCache-Kurvendatei</translation>
    </message>
    <message>
        <source>Curve that meshreel calibrate magcache has measured; relative to the project&apos;s folder.</source>
        <translation>Kurve, die meshreel calibrate magcache gemessen hat; relativ zum Ordner des Projekts.</translation>
    </message>
    <message>
        <source>First-block cache</source>
        <translation>First-Block-Cache</translation>
    </message>
    <message>
        <source>Computes the transformer&apos;s first block and, where it adds nearly what it added before, leaves the others out; approximate.</source>
        <translation>Berechnet den ersten Block des Transformers und lässt die anderen aus, wo er fast dasselbe beiträgt wie zuvor; Näherung.</translation>
    </message>
    <message>
        <source>First-block change</source>
        <translation>Änderung des ersten Blocks</translation>
    </message>
    <message>
        <source>Relative change of what the first block adds up to which the others are left out.</source>
        <translation>Relative Änderung dessen, was der erste Block beiträgt, bis zu der die anderen ausgelassen werden.</translation>
    </message>
    <message>
        <source>Compare with run</source>
        <translation>Mit Lauf vergleichen</translation>
    </message>
    <message>
        <source>Folder of a finished run of the same size, usually without a cache: the run tells how far its frames are from those (PSNR and SSIM).</source>
        <translation>Ordner eines fertigen Laufs derselben Größe, meist ohne Cache: der Lauf sagt, wie weit seine Bilder von jenen entfernt sind (PSNR und SSIM).</translation>
    </message>
    <message>
        <source>Memory budget</source>
        <translation>Speicherbudget</translation>
    </message>
    <message>
        <source>Memory that the run may take. Layers of the transformer that it does not hold are read from the checkpoint each time they are used; 0 keeps all of them in memory.</source>
        <translation>Speicher, den der Lauf belegen darf. Schichten des Transformers, die er nicht hält, werden bei jeder Verwendung aus dem Checkpoint gelesen; 0 behält alle im Speicher.</translation>
    </message>
    <message>
        <source>GiB</source>
        <translation>GiB</translation>
    </message>
    <message>
        <source>Preset</source>
        <translation>Voreinstellung</translation>
    </message>
    <message>
        <source>Values that belong together and take the place of the defaults; what is written beside wins.</source>
        <translation>Werte, die zusammengehören und an die Stelle der Vorgaben treten; was daneben steht, gilt.</translation>
    </message>
    <message>
        <source>Every value as it is written.</source>
        <translation>Jeder Wert, wie er geschrieben steht.</translation>
    </message>
    <message>
        <source>Four steps without guidance, with a step-distilled adapter (LoRA) that is found in the models folder where lora names none.</source>
        <translation>Vier Schritte ohne Guidance, mit einem schrittdestillierten Adapter (LoRA), der im Modellordner gesucht wird, wo lora keinen nennt.</translation>
    </message>
    <message>
        <source>The same four steps for a checkpoint that is distilled itself, without an adapter.</source>
        <translation>Dieselben vier Schritte für einen Checkpoint, der selbst destilliert ist, ohne Adapter.</translation>
    </message>
    <message>
        <source>TeaCache</source>
        <translation>TeaCache</translation>
    </message>
    <message>
        <source>Leaves the transformer&apos;s blocks out in steps whose time is nearly that of the step before, after a published fit; approximate.</source>
        <translation>Lässt die Blöcke des Transformers in Schritten aus, deren Zeitpunkt fast der des vorigen ist, nach einer veröffentlichten Anpassung; Näherung.</translation>
    </message>
    <message>
        <source>TeaCache change</source>
        <translation>TeaCache-Änderung</translation>
    </message>
    <message>
        <source>Change of the prediction that TeaCache may gather before a step is computed in full; 0 takes the model&apos;s own.</source>
        <translation>Änderung der Vorhersage, die TeaCache ansammeln darf, bevor ein Schritt ganz berechnet wird; 0 nimmt die des Modells.</translation>
    </message>
    <message>
        <source>TeaCache fit</source>
        <translation>TeaCache-Anpassung</translation>
    </message>
    <message>
        <source>Polynomial from the time embedding&apos;s change to the prediction&apos;s, highest power first; empty takes the one published for the model.</source>
        <translation>Polynom von der Änderung des Zeit-Embeddings zu der der Vorhersage, höchste Potenz zuerst; leer nimmt das für das Modell veröffentlichte.</translation>
    </message>
    <message>
        <source>Seconds of every step, a line a run</source>
        <translation>Sekunden jedes Schritts, eine Linie je Lauf</translation>
    </message>
    <message>
        <source>Seconds of load, compile, conditioning, denoising and decoding</source>
        <translation>Sekunden für Laden, Vorbereiten, Konditionieren, Entrauschen und Dekodieren</translation>
    </message>
    <message>
        <source>Speed against the number of devices, a line an attention mode</source>
        <translation>Geschwindigkeit gegen die Zahl der Geräte, eine Linie je Attention-Modus</translation>
    </message>
    <message>
        <source>Time against block_q and block_kv: of runs, or of the table of a tile search</source>
        <translation>Zeit gegen block_q und block_kv: von Läufen oder aus der Tabelle einer Blocksuche</translation>
    </message>
    <message>
        <source>What each phase held in memory at most, beside its plan</source>
        <translation>Was jede Phase höchstens im Speicher hielt, neben ihrem Plan</translation>
    </message>
    <message>
        <source>few blocks with little padding that fit the scratch limit</source>
        <translation>wenige Blöcke mit wenig Padding, die in die Scratch-Grenze passen</translation>
    </message>
    <message>
        <source>every pair of multiples of the step: exhaustive, slow</source>
        <translation>jedes Paar von Vielfachen der Schrittweite: erschöpfend, langsam</translation>
    </message>
    <message>
        <source>For short sequences, and to check the others against.</source>
        <translation>Für kurze Sequenzen, und als Maßstab für die anderen.</translation>
    </message>
    <message>
        <source>Every device needs the memory for the keys and values of the whole sequence, and for all scores of a query at once.</source>
        <translation>Jedes Gerät braucht den Speicher für die Keys und Values der ganzen Sequenz und für alle Scores einer Query auf einmal.</translation>
    </message>
    <message>
        <source>queries by token over C; every device gets all keys and values (with attention_sharding_uniform: false it is sharded as ulysses)</source>
        <translation>Queries nach Tokens über C; jedes Gerät erhält alle Keys und Values (mit attention_sharding_uniform: false wird wie bei ulysses aufgeteilt)</translation>
    </message>
    <message>
        <source>On one device, and on a few when every device has the memory for all keys and values.</source>
        <translation>Auf einem Gerät, und auf wenigen, wenn jedes den Speicher für alle Keys und Values hat.</translation>
    </message>
    <message>
        <source>Every device needs the memory for the keys and values of the whole sequence.</source>
        <translation>Jedes Gerät braucht den Speicher für die Keys und Values der ganzen Sequenz.</translation>
    </message>
    <message>
        <source>For projects written for MaxDiffusion that name it.</source>
        <translation>Für Projekte, die für MaxDiffusion geschrieben sind und ihn nennen.</translation>
    </message>
    <message>
        <source>For projects that name it; tokamax_ring computes the same and also runs on one device.</source>
        <translation>Für Projekte, die ihn nennen; tokamax_ring berechnet dasselbe und läuft auch auf einem Gerät.</translation>
    </message>
    <message>
        <source>Refused on one device, where tokamax_ring runs.</source>
        <translation>Auf einem Gerät abgelehnt, wo tokamax_ring läuft.</translation>
    </message>
    <message>
        <source>queries, keys and values by token over C</source>
        <translation>Queries, Keys und Values nach Tokens über C</translation>
    </message>
    <message>
        <source>None: it takes any number of devices, heads and tokens.</source>
        <translation>Keine: für jede Zahl von Geräten, Köpfen und Tokens geeignet.</translation>
    </message>
    <message>
        <source>As tokamax_ring, where the custom kernel is the faster one.</source>
        <translation>Wie tokamax_ring, wo der Custom-Kernel der schnellere ist.</translation>
    </message>
    <message>
        <source>heads over C; every device gets all tokens</source>
        <translation>Köpfe über C; jedes Gerät erhält alle Tokens</translation>
    </message>
    <message>
        <source>As ulysses, where the custom kernel is the faster one.</source>
        <translation>Wie ulysses, wo der Custom-Kernel der schnellere ist.</translation>
    </message>
    <message>
        <source>As ulysses_custom, for heads whose scores stay small enough for a fixed bound.</source>
        <translation>Wie ulysses_custom, für Köpfe, deren Scores für eine feste Schranke klein genug bleiben.</translation>
    </message>
    <message>
        <source>As ulysses_custom_fixed_m, when some queries of a head are too large for its bound.</source>
        <translation>Wie ulysses_custom_fixed_m, wenn einige Queries eines Kopfes zu groß für dessen Schranke sind.</translation>
    </message>
    <message>
        <source>When the devices outnumber the heads, or hosts are linked more slowly than their devices.</source>
        <translation>Wenn es mehr Geräte als Köpfe gibt oder Rechner langsamer verbunden sind als ihre Geräte.</translation>
    </message>
    <message>
        <source>heads over U, queries, keys and values by token over R</source>
        <translation>Köpfe über U; Queries, Keys und Values nach Tokens über R</translation>
    </message>
    <message>
        <source>As ulysses_ring, where the custom kernel is the faster one.</source>
        <translation>Wie ulysses_ring, wo der Custom-Kernel der schnellere ist.</translation>
    </message>
    <message>
        <source>As ulysses_ring_custom, from about 16 ring devices on links that have no way around.</source>
        <translation>Wie ulysses_ring_custom, ab etwa 16 Ringgeräten auf Verbindungen ohne Umlauf.</translation>
    </message>
    <message>
        <source>As ulysses_ring_custom, for heads whose scores stay small enough for a fixed bound.</source>
        <translation>Wie ulysses_ring_custom, für Köpfe, deren Scores für eine feste Schranke klein genug bleiben.</translation>
    </message>
    <message>
        <source>As ulysses_ring_custom_fixed_m, when some queries of a head are too large for its bound.</source>
        <translation>Wie ulysses_ring_custom_fixed_m, wenn einige Queries eines Kopfes zu groß für dessen Schranke sind.</translation>
    </message>
    <message>
        <source>Never here.</source>
        <translation>Hier nie.</translation>
    </message>
    <message>
        <source>What each device did while one run denoised: computing, exchange, waiting</source>
        <translation>Was jedes Gerät beim Entrauschen eines Laufs tat: Rechnen, Austausch, Warten</translation>
    </message>
    <message>
        <source>self-attention</source>
        <translation>Self-Attention</translation>
    </message>
    <message>
        <source>cross-attention</source>
        <translation>Cross-Attention</translation>
    </message>
    <message>
        <source>gathered weights</source>
        <translation>eingesammelte Gewichte</translation>
    </message>
    <message>
        <source>sums over the tensor axis</source>
        <translation>Summen über die Tensorachse</translation>
    </message>
    <message>
        <source>predictions</source>
        <translation>Vorhersagen</translation>
    </message>
    <message>
        <source>This machine&apos;s caches</source>
        <translation>Caches dieses Rechners</translation>
    </message>
    <message>
        <source>dot_product computes without blocks: choose flash to use block sizes.</source>
        <translation>dot_product rechnet ohne Blöcke: Für Blockgrößen flash wählen.</translation>
    </message>
    <message>
        <source>TPU v6e, Wan 14B and 27B</source>
        <translation>TPU v6e, Wan 14B und 27B</translation>
    </message>
    <message>
        <source>MaxDiffusion, comments of base_wan_14b.yml and base_wan_27b.yml</source>
        <translation>MaxDiffusion, Kommentare in base_wan_14b.yml und base_wan_27b.yml</translation>
    </message>
    <message>
        <source>Found for the flash kernel: choose flash, ulysses, tokamax_ring or ulysses_ring to use these sizes.</source>
        <translation>Für den Flash-Kernel gefunden: Für diese Größen flash, ulysses, tokamax_ring oder ulysses_ring wählen.</translation>
    </message>
    <message>
        <source>TPU v5p, Wan 14B</source>
        <translation>TPU v5p, Wan 14B</translation>
    </message>
    <message>
        <source>MaxDiffusion, comments of base_wan_14b.yml</source>
        <translation>MaxDiffusion, Kommentare in base_wan_14b.yml</translation>
    </message>
    <message>
        <source>TPU v6e, Wan Animate</source>
        <translation>TPU v6e, Wan Animate</translation>
    </message>
    <message>
        <source>MaxDiffusion, base_wan_animate.yml</source>
        <translation>MaxDiffusion, base_wan_animate.yml</translation>
    </message>
    <message>
        <source>TPU v7x, Ulysses</source>
        <translation>TPU v7x, Ulysses</translation>
    </message>
    <message>
        <source>MaxDiffusion, comments of base_wan_27b.yml</source>
        <translation>MaxDiffusion, Kommentare in base_wan_27b.yml</translation>
    </message>
    <message>
        <source>Found for the custom kernel without a ring: choose ulysses_custom to use these sizes.</source>
        <translation>Für den Custom-Kernel ohne Ring gefunden: Für diese Größen ulysses_custom wählen.</translation>
    </message>
    <message>
        <source>TPU v7x, Ulysses and a ring of up to 8</source>
        <translation>TPU v7x, Ulysses und ein Ring bis 8</translation>
    </message>
    <message>
        <source>Found for rings of the custom kernel: choose ulysses_ring_custom or tokamax_ring_custom to use these sizes.</source>
        <translation>Für Ringe des Custom-Kernels gefunden: Für diese Größen ulysses_ring_custom oder tokamax_ring_custom wählen.</translation>
    </message>
    <message>
        <source>TPU v7x, a ring of 16 or more</source>
        <translation>TPU v7x, ein Ring ab 16</translation>
    </message>
    <message>
        <source>Found for the custom kernels: choose ulysses_custom or ulysses_ring_custom to use these sizes.</source>
        <translation>Für die Custom-Kernel gefunden: Für diese Größen ulysses_custom oder ulysses_ring_custom wählen.</translation>
    </message>
    <message>
        <source>TPU v6e, Ulysses over 4</source>
        <translation>TPU v6e, Ulysses über 4</translation>
    </message>
    <message>
        <source>TPU v7x, Ulysses over 2 and a ring of 2</source>
        <translation>TPU v7x, Ulysses über 2 und ein Ring aus 2</translation>
    </message>
    <message>
        <source>TPU v7x, Wan 2.1 and 2.2 recipes</source>
        <translation>TPU v7x, Rezepte für Wan 2.1 und 2.2</translation>
    </message>
    <message>
        <source>TPU v6e, Wan 2.2 recipe</source>
        <translation>TPU v6e, Rezept für Wan 2.2</translation>
    </message>
    <message>
        <source>MaxDiffusion, pull request 479</source>
        <translation>MaxDiffusion, Pull Request 479</translation>
    </message>
    <message>
        <source>tpu-recipes, Ironwood</source>
        <translation>tpu-recipes, Ironwood</translation>
    </message>
    <message>
        <source>tpu-recipes, Trillium</source>
        <translation>tpu-recipes, Trillium</translation>
    </message>
    <message>
        <source>TPU v7x, fixed bound</source>
        <translation>TPU v7x, feste Schranke</translation>
    </message>
    <message>
        <source>MaxDiffusion, script for the fixed-m kernels</source>
        <translation>MaxDiffusion, Skript für die Fixed-m-Kernel</translation>
    </message>
    <message>
        <source>Found for the kernel with a fixed bound: choose ulysses_custom_fixed_m or ulysses_ring_custom_fixed_m to use these sizes.</source>
        <translation>Für den Kernel mit fester Schranke gefunden: Für diese Größen ulysses_custom_fixed_m oder ulysses_ring_custom_fixed_m wählen.</translation>
    </message>
    <message>
        <source>Task &amp; model</source>
        <translation>Aufgabe und Modell</translation>
    </message>
    <message>
        <source>Precision &amp; memory</source>
        <translation>Genauigkeit und Speicher</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>Ausgabe</translation>
    </message>
    <message>
        <source>There is no attention mode &apos;{}&apos;</source>
        <translation>Es gibt keinen Attention-Modus „{}“</translation>
    </message>
    <message>
        <source>Modes that run: {}</source>
        <translation>Modi, die laufen: {}</translation>
    </message>
    <message>
        <source>Did you mean {}?</source>
        <translation>Meinten Sie {}?</translation>
    </message>
    <message>
        <source>The attention mode {} does not run here</source>
        <translation>Der Attention-Modus {} läuft hier nicht</translation>
    </message>
    <message>
        <source>{} or {}</source>
        <translation>{} oder {}</translation>
    </message>
    <message>
        <source>{} heads</source>
        <translation>{} Köpfe</translation>
    </message>
    <message>
        <source>{} heads that the tensor axis of {} leaves to a device</source>
        <translation>{} Köpfe je Gerät (bei einer Tensorachse von {})</translation>
    </message>
    <message>
        <source>{} heads do not divide between {} tensor devices</source>
        <translation>{} Köpfe lassen sich nicht auf {} Geräte der Tensorachse aufteilen</translation>
    </message>
    <message>
        <source>Use a tensor axis of {}</source>
        <translation>Eine Tensorachse von {} verwenden</translation>
    </message>
    <message>
        <source>Use ulysses_shards: {}</source>
        <translation>ulysses_shards: {} verwenden</translation>
    </message>
    <message>
        <source>{} needs ulysses_shards: how many of the {} context devices exchange heads</source>
        <translation>{} verlangt ulysses_shards: wie viele der {} Geräte der Kontextachse Köpfe tauschen</translation>
    </message>
    <message>
        <source>ulysses_shards {} does not divide the {} devices of the context axis</source>
        <translation>ulysses_shards {} teilt die {} Geräte der Kontextachse nicht</translation>
    </message>
    <message>
        <source>ring is ring attention between devices, and the context axis has one</source>
        <translation>ring ist Ring-Attention zwischen Geräten, und die Kontextachse hat nur eines</translation>
    </message>
    <message>
        <source>Use tokamax_ring, which also runs on one device, or flash</source>
        <translation>tokamax_ring verwenden, das auch auf einem Gerät läuft, oder flash</translation>
    </message>
    <message>
        <source>{} chunks of heads are impossible</source>
        <translation>Köpfe lassen sich nicht in {} Chunks tauschen</translation>
    </message>
    <message>
        <source>Use 1 for one exchange of all heads, more to exchange while computing</source>
        <translation>1 für einen einzigen Austausch aller Köpfe verwenden, mehr für Austausch während des Rechnens</translation>
    </message>
    <message>
        <source>{} works on one head at a time, because each head has a bound of its own, and heads_per_tile is {}</source>
        <translation>{} bearbeitet immer nur einen Kopf auf einmal, weil jeder Kopf eine eigene Schranke hat, und heads_per_tile ist {}</translation>
    </message>
    <message>
        <source>{} works on one head at a time, and heads_per_tile is {}</source>
        <translation>{} bearbeitet immer nur einen Kopf auf einmal, und heads_per_tile ist {}</translation>
    </message>
    <message>
        <source>Use 1, or attention: {}</source>
        <translation>1 verwenden oder attention: {}</translation>
    </message>
    <message>
        <source>Use a positive number, or 0 for the default of {}</source>
        <translation>Eine positive Zahl verwenden oder 0 für die Vorgabe von {}</translation>
    </message>
    <message>
        <source>A block of {} is impossible</source>
        <translation>Ein Block von {} ist nicht möglich</translation>
    </message>
    <message>
        <source>A number of heads of {} is impossible</source>
        <translation>Eine Zahl von {} Köpfen ist nicht möglich</translation>
    </message>
    <message>
        <source>A limit of {} bytes is impossible</source>
        <translation>Eine Grenze von {} Byte ist nicht möglich</translation>
    </message>
    <message>
        <source>Use a positive number, or 0 for no limit</source>
        <translation>Eine positive Zahl verwenden oder 0 für keine Grenze</translation>
    </message>
    <message>
        <source>block_kv_compute {} does not divide block_kv {}</source>
        <translation>block_kv_compute {} teilt block_kv {} nicht</translation>
    </message>
    <message>
        <source>The nearest legal value is {}</source>
        <translation>Der nächste zulässige Wert ist {}</translation>
    </message>
    <message>
        <source>Tiles of {} queries, {} keys, {} keys at a time and {} heads need {} bytes of scratch per worker with heads of {}, and vmem_limit_bytes is {}</source>
        <translation>Kacheln aus {} Queries, {} Keys, {} Keys auf einmal und {} Köpfen brauchen {} Byte Scratch-Speicher je Worker bei Köpfen der Größe {}, und vmem_limit_bytes ist {}</translation>
    </message>
    <message>
        <source>Use smaller block_q, block_kv or block_kv_compute, a limit of at least {}, or 0 for no limit</source>
        <translation>Kleinere Werte für block_q, block_kv oder block_kv_compute, eine Grenze von mindestens {} oder 0 für keine Grenze verwenden</translation>
    </message>
    <message>
        <source>the file could not be written ({})</source>
        <translation>die Datei konnte nicht geschrieben werden ({})</translation>
    </message>
    <message>
        <source>Free some space or choose another disk; what was written before is kept</source>
        <translation>Platz schaffen oder einen anderen Datenträger wählen; was zuvor geschrieben war, bleibt erhalten</translation>
    </message>
    <message>
        <source>Choose a folder that exists and that you may write to</source>
        <translation>Einen vorhandenen Ordner mit Schreibrecht wählen</translation>
    </message>
    <message>
        <source>this is not a file</source>
        <translation>dies ist keine Datei</translation>
    </message>
    <message>
        <source>there is no such file</source>
        <translation>diese Datei gibt es nicht</translation>
    </message>
    <message>
        <source>Check the path</source>
        <translation>Den Pfad prüfen</translation>
    </message>
    <message>
        <source>the file cannot be read ({})</source>
        <translation>die Datei lässt sich nicht lesen ({})</translation>
    </message>
    <message>
        <source>Check its permissions</source>
        <translation>Die Zugriffsrechte prüfen</translation>
    </message>
    <message>
        <source>No temporary folder can be made</source>
        <translation>Es lässt sich kein temporärer Ordner anlegen</translation>
    </message>
    <message>
        <source>Set TMPDIR to a writable folder</source>
        <translation>TMPDIR auf einen beschreibbaren Ordner setzen</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>Abgebrochen</translation>
    </message>
    <message>
        <source>there is no instruction set &quot;{}&quot;</source>
        <translation>es gibt keinen Befehlssatz „{}“</translation>
    </message>
    <message>
        <source>Choose one of {}</source>
        <translation>Eines davon wählen: {}</translation>
    </message>
    <message>
        <source>This CPU has no {}</source>
        <translation>Diese CPU unterstützt {} nicht</translation>
    </message>
    <message>
        <source>It has {}</source>
        <translation>Sie unterstützt {}</translation>
    </message>
    <message>
        <source>A packed linear layer of {}x{} in &quot;{}&quot; has parts of other sizes</source>
        <translation>Die Teile einer gepackten linearen Schicht von {}x{} im Format „{}“ haben andere Größen</translation>
    </message>
    <message>
        <source>Pack the weights again</source>
        <translation>Die Gewichte neu packen</translation>
    </message>
    <message>
        <source>The weights are packed as &quot;{}&quot;; here they are packed as &quot;{}&quot;</source>
        <translation>Die Gewichte sind im Format „{}“ gepackt; hier werden sie im Format „{}“ gepackt</translation>
    </message>
    <message>
        <source>Pack them again</source>
        <translation>Neu packen</translation>
    </message>
    <message>
        <source>Choose an MP4, WebM, GIF or WebP video or a PNG or JPEG image</source>
        <translation>Ein Video als MP4, WebM, GIF oder WebP oder ein Bild als PNG oder JPEG wählen</translation>
    </message>
    <message>
        <source>The file is damaged or incomplete: copy or write it again</source>
        <translation>Die Datei ist beschädigt oder unvollständig: neu kopieren oder neu schreiben</translation>
    </message>
    <message>
        <source>this is not a video or image that can be read ({})</source>
        <translation>dies ist kein lesbares Video oder Bild ({})</translation>
    </message>
    <message>
        <source>the video cannot be read ({})</source>
        <translation>das Video lässt sich nicht lesen ({})</translation>
    </message>
    <message>
        <source>the last {} bytes of the video are missing</source>
        <translation>die letzten {} Byte des Videos fehlen</translation>
    </message>
    <message>
        <source>there is no video in this file that can be decoded</source>
        <translation>diese Datei enthält kein Video, das sich dekodieren lässt</translation>
    </message>
    <message>
        <source>the video&apos;s {} stream cannot be decoded ({})</source>
        <translation>der {}-Datenstrom des Videos lässt sich nicht dekodieren ({})</translation>
    </message>
    <message>
        <source>frame {} of {} cannot be read ({})</source>
        <translation>Bild {} von {} lässt sich nicht lesen ({})</translation>
    </message>
    <message>
        <source>the picture changes its size at frame {}</source>
        <translation>die Bildgröße ändert sich bei Bild {}</translation>
    </message>
    <message>
        <source>Convert the video to one size first</source>
        <translation>Das Video zuerst in eine einheitliche Größe umwandeln</translation>
    </message>
    <message>
        <source>this system&apos;s libavformat cannot write {}</source>
        <translation>die libavformat dieses Systems kann {} nicht schreiben</translation>
    </message>
    <message>
        <source>Choose another video format</source>
        <translation>Ein anderes Videoformat wählen</translation>
    </message>
    <message>
        <source>this system&apos;s libavcodec has no encoder {}</source>
        <translation>die libavcodec dieses Systems hat keinen Encoder {}</translation>
    </message>
    <message>
        <source>the encoder {} refuses {}x{} ({})</source>
        <translation>der Encoder {} lehnt {}x{} ab ({})</translation>
    </message>
    <message>
        <source>Choose another size or video format</source>
        <translation>Eine andere Größe oder ein anderes Videoformat wählen</translation>
    </message>
    <message>
        <source>the folder could not be put into place ({})</source>
        <translation>der Ordner konnte nicht an seinen Platz gebracht werden ({})</translation>
    </message>
    <message>
        <source>Remove what lies there or choose another name</source>
        <translation>Entfernen, was dort liegt, oder einen anderen Namen wählen</translation>
    </message>
    <message>
        <source>frames of {}x{} cannot be compared with frames of {}x{}</source>
        <translation>Bilder von {}x{} lassen sich nicht mit Bildern von {}x{} vergleichen</translation>
    </message>
    <message>
        <source>Compare videos of one size</source>
        <translation>Videos gleicher Größe vergleichen</translation>
    </message>
    <message>
        <source>videos of the shapes {} and {} cannot be compared</source>
        <translation>Videos der Formen {} und {} lassen sich nicht vergleichen</translation>
    </message>
    <message>
        <source>Compare videos of one size and length</source>
        <translation>Videos gleicher Größe und Länge vergleichen</translation>
    </message>
    <message>
        <source>{} frames a second cannot be written</source>
        <translation>{} Bilder je Sekunde lassen sich nicht schreiben</translation>
    </message>
    <message>
        <source>Choose a rate from {} to {}</source>
        <translation>Eine Bildrate von {} bis {} wählen</translation>
    </message>
    <message>
        <source>this system&apos;s libavcodec cannot write PNG</source>
        <translation>die libavcodec dieses Systems kann kein PNG schreiben</translation>
    </message>
    <message>
        <source>Install the full libavcodec</source>
        <translation>Die vollständige libavcodec installieren</translation>
    </message>
    <message>
        <source>an image of {}x{} cannot be written as PNG ({})</source>
        <translation>ein Bild von {}x{} lässt sich nicht als PNG schreiben ({})</translation>
    </message>
    <message>
        <source>this is a folder, not an image</source>
        <translation>dies ist ein Ordner, kein Bild</translation>
    </message>
    <message>
        <source>Choose a PNG, JPEG, BMP, TIFF or WebP image</source>
        <translation>Ein Bild als PNG, JPEG, BMP, TIFF oder WebP wählen</translation>
    </message>
    <message>
        <source>there is no picture in this file</source>
        <translation>diese Datei enthält kein Bild</translation>
    </message>
    <message>
        <source>It is not an object</source>
        <translation>Es ist kein Objekt</translation>
    </message>
    <message>
        <source>The value is neither true nor false</source>
        <translation>Der Wert ist weder true noch false</translation>
    </message>
    <message>
        <source>The value is not a number above 0</source>
        <translation>Der Wert ist keine Zahl über 0</translation>
    </message>
    <message>
        <source>The value {} is not a number of pixels from 1 to {}</source>
        <translation>Der Wert {} ist keine Pixelzahl von 1 bis {}</translation>
    </message>
    <message>
        <source>The value is not a list of three numbers</source>
        <translation>Der Wert ist keine Liste aus drei Zahlen</translation>
    </message>
    <message>
        <source>Use the preprocessor_config.json that came with the image encoder</source>
        <translation>Die preprocessor_config.json verwenden, die mit dem Bild-Encoder kam</translation>
    </message>
    <message>
        <source>The filter {} is not supported, only {} (Lanczos), {} (bilinear) and {} (bicubic)</source>
        <translation>Der Filter {} wird nicht unterstützt, nur {} (Lanczos), {} (bilinear) und {} (bikubisch)</translation>
    </message>
    <message>
        <source>A standard deviation is not positive</source>
        <translation>Eine Standardabweichung ist nicht positiv</translation>
    </message>
    <message>
        <source>an image of {}x{} pixels cannot be resized to {}x{}</source>
        <translation>ein Bild von {}x{} Pixeln lässt sich nicht auf {}x{} skalieren</translation>
    </message>
    <message>
        <source>Choose a smaller image, or a size from 1x1 on</source>
        <translation>Ein kleineres Bild oder eine Größe ab 1x1 wählen</translation>
    </message>
    <message>
        <source>there is not enough memory for the metadata</source>
        <translation>der Speicher reicht nicht für die Metadaten</translation>
    </message>
    <message>
        <source>the video could not be written ({})</source>
        <translation>das Video konnte nicht geschrieben werden ({})</translation>
    </message>
    <message>
        <source>a frame could not be allocated ({})</source>
        <translation>für ein Bild ließ sich kein Speicher belegen ({})</translation>
    </message>
    <message>
        <source>Close other programs or choose a smaller size</source>
        <translation>Andere Programme schließen oder eine kleinere Größe wählen</translation>
    </message>
    <message>
        <source>there is not enough memory for the video</source>
        <translation>der Speicher reicht nicht für das Video</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>unbekannt</translation>
    </message>
    <message>
        <source>pixels of the format {} cannot be converted to RGB</source>
        <translation>Pixel des Formats {} lassen sich nicht in RGB umwandeln</translation>
    </message>
    <message>
        <source>Convert the file to MP4 or PNG first</source>
        <translation>Die Datei zuerst in MP4 oder PNG umwandeln</translation>
    </message>
    <message>
        <source>an image cannot be resized to {}x{}</source>
        <translation>ein Bild lässt sich nicht auf {}x{} skalieren</translation>
    </message>
    <message>
        <source>Choose a size from 1x1 on</source>
        <translation>Eine Größe ab 1x1 wählen</translation>
    </message>
    <message>
        <source>this folder holds no frames named {} and on</source>
        <translation>dieser Ordner enthält keine Bilder ab {}</translation>
    </message>
    <message>
        <source>this frame has another size than the first one</source>
        <translation>dieses Bild hat eine andere Größe als das erste</translation>
    </message>
    <message>
        <source>Write the frames again</source>
        <translation>Die Bilder neu schreiben</translation>
    </message>
    <message>
        <source>Choose another file</source>
        <translation>Eine andere Datei wählen</translation>
    </message>
    <message>
        <source>Choose a video or image file</source>
        <translation>Eine Video- oder Bilddatei wählen</translation>
    </message>
    <message>
        <source>no project is stored in this file, and there is no {} beside it</source>
        <translation>in dieser Datei ist kein Projekt gespeichert, und {} liegt nicht daneben</translation>
    </message>
    <message>
        <source>Choose a video that Meshreel wrote</source>
        <translation>Ein Video wählen, das Meshreel geschrieben hat</translation>
    </message>
    <message>
        <source>this system&apos;s libavcodec cannot write {}: it has no {} encoder</source>
        <translation>die libavcodec dieses Systems kann {} nicht schreiben: ihr fehlt der Encoder {}</translation>
    </message>
    <message>
        <source>Choose another video format, such as png or gif</source>
        <translation>Ein anderes Videoformat wählen, etwa png oder gif</translation>
    </message>
    <message>
        <source>there is no frame to write</source>
        <translation>es gibt kein Bild zu schreiben</translation>
    </message>
    <message>
        <source>Ask for at least one frame</source>
        <translation>Mindestens ein Bild verlangen</translation>
    </message>
    <message>
        <source>the video quality {} is out of range</source>
        <translation>die Videoqualität {} liegt außerhalb des Bereichs</translation>
    </message>
    <message>
        <source>Choose {} to {}</source>
        <translation>{} bis {} wählen</translation>
    </message>
    <message>
        <source>GIF cannot show {} frames a second</source>
        <translation>GIF kann keine {} Bilder je Sekunde zeigen</translation>
    </message>
    <message>
        <source>Choose at most {} or another video format</source>
        <translation>Höchstens {} oder ein anderes Videoformat wählen</translation>
    </message>
    <message>
        <source>{} needs an even width and height, not {}x{}</source>
        <translation>{} verlangt gerade Breite und Höhe, nicht {}x{}</translation>
    </message>
    <message>
        <source>Choose sizes divisible by 16, or GIF, WebP or PNG</source>
        <translation>Durch 16 teilbare Größen wählen, oder GIF, WebP oder PNG</translation>
    </message>
    <message>
        <source>its header gives an impossible size</source>
        <translation>sein Dateikopf nennt eine unmögliche Größe</translation>
    </message>
    <message>
        <source>it is shorter than its header says</source>
        <translation>es ist kürzer, als sein Dateikopf sagt</translation>
    </message>
    <message>
        <source>it holds no frame</source>
        <translation>es enthält kein Bild</translation>
    </message>
    <message>
        <source>the WebP cannot be read: {}</source>
        <translation>das WebP lässt sich nicht lesen: {}</translation>
    </message>
    <message>
        <source>rank {} on {}</source>
        <translation>Rang {} auf {}</translation>
    </message>
    <message>
        <source>{} failed: {}</source>
        <translation>{} ist fehlgeschlagen: {}</translation>
    </message>
    <message>
        <source>{} is a second axis of -1</source>
        <translation>{} ist eine zweite Achse mit -1</translation>
    </message>
    <message>
        <source>Only one axis can take the devices that are left; write 1 here</source>
        <translation>Nur eine Achse kann die übrigen Geräte nehmen; hier 1 schreiben</translation>
    </message>
    <message>
        <source>The axes of the mesh ask for more than {} devices</source>
        <translation>Die Achsen des Gerätenetzes verlangen mehr als {} Geräte</translation>
    </message>
    <message>
        <source>Make an axis smaller</source>
        <translation>Eine Achse verkleinern</translation>
    </message>
    <message>
        <source>The nearest legal values are {} and {}</source>
        <translation>Die nächsten zulässigen Werte sind {} und {}</translation>
    </message>
    <message>
        <source>devices is {}, which is not a multiple of the {} that the axes ask for</source>
        <translation>devices ist {} und damit kein Vielfaches der {}, die die Achsen verlangen</translation>
    </message>
    <message>
        <source>devices is {}, and the axes of the mesh multiply to {}</source>
        <translation>devices ist {}, und das Produkt der Achsen des Gerätenetzes ist {}</translation>
    </message>
    <message>
        <source>Write {}, or -1 on the axis that shall take what is left</source>
        <translation>{} schreiben, oder -1 auf der Achse, die den Rest nehmen soll</translation>
    </message>
    <message>
        <source>{} processes cannot share {} devices evenly</source>
        <translation>{} Prozesse können sich {} Geräte nicht gleichmäßig teilen</translation>
    </message>
    <message>
        <source>Start {} or {}, or ask for {} devices</source>
        <translation>{} oder {} starten oder {} Geräte verlangen</translation>
    </message>
    <message>
        <source>Start {}, or ask for {} devices</source>
        <translation>{} starten oder {} Geräte verlangen</translation>
    </message>
    <message>
        <source>device {} waited {:g} s for what device {} should send</source>
        <translation>Gerät {} wartete {} s auf das, was Gerät {} senden sollte</translation>
    </message>
    <message>
        <source>device {} waited {:g} s for device {} to take what it was sent</source>
        <translation>Gerät {} wartete {} s darauf, dass Gerät {} annimmt, was ihm gesendet wurde</translation>
    </message>
    <message>
        <source>Look why the other device hangs, or set stall_timeout higher when it is only slow</source>
        <translation>Prüfen, warum das andere Gerät hängt, oder stall_timeout erhöhen, wenn es nur langsam ist</translation>
    </message>
    <message>
        <source>MPI failed: {}</source>
        <translation>MPI ist fehlgeschlagen: {}</translation>
    </message>
    <message>
        <source>Check the network between the hosts</source>
        <translation>Das Netz zwischen den Rechnern prüfen</translation>
    </message>
    <message>
        <source>this MPI library does not support threads</source>
        <translation>diese MPI-Bibliothek unterstützt keine Threads</translation>
    </message>
    <message>
        <source>Install Open MPI 4.1 as Debian packages it</source>
        <translation>Open MPI 4.1 installieren, wie Debian es paketiert</translation>
    </message>
    <message>
        <source>Install the same build of Meshreel on every host</source>
        <translation>Auf jedem Rechner denselben Programmstand von Meshreel installieren</translation>
    </message>
    <message>
        <source>Use hosts of one kind</source>
        <translation>Rechner gleicher Art verwenden</translation>
    </message>
    <message>
        <source>the byte order</source>
        <translation>Byte-Reihenfolge</translation>
    </message>
    <message>
        <source>the pointer size</source>
        <translation>Zeigergröße</translation>
    </message>
    <message>
        <source>{} bits</source>
        <translation>{} Bit</translation>
    </message>
    <message>
        <source>the version</source>
        <translation>Version</translation>
    </message>
    <message>
        <source>the protocol</source>
        <translation>Protokoll</translation>
    </message>
    <message>
        <source>the build</source>
        <translation>Programmstand</translation>
    </message>
    <message>
        <source>rank {} on host {} and rank 0 on host {} differ in {}: {} and {}</source>
        <translation>Rang {} auf Rechner {} und Rang 0 auf Rechner {} unterscheiden sich ({}: {} und {})</translation>
    </message>
    <message>
        <source>{} devices cannot be shared out evenly to {} MPI ranks</source>
        <translation>{} Geräte lassen sich nicht gleichmäßig auf {} MPI-Ränge verteilen</translation>
    </message>
    <message>
        <source>Start as many ranks as divide the number of devices, or change the mesh</source>
        <translation>Eine Zahl von Rängen starten, die die Zahl der Geräte teilt, oder das Gerätenetz ändern</translation>
    </message>
    <message>
        <source>Make the hosts alike</source>
        <translation>Die Rechner angleichen</translation>
    </message>
    <message>
        <source>{}, {}</source>
        <translation>{}, {}</translation>
    </message>
    <message>
        <source>nothing moved between device {} and {} for {} s</source>
        <translation>zwischen Gerät {} und {} bewegte sich {} s lang nichts</translation>
    </message>
    <message>
        <source>Look at those hosts; raise stall_timeout if they are only slow</source>
        <translation>Diese Rechner prüfen; stall_timeout erhöhen, wenn sie nur langsam sind</translation>
    </message>
    <message>
        <source>Use the config.json that came with the weights</source>
        <translation>Die config.json verwenden, die mit den Gewichten kam</translation>
    </message>
    <message>
        <source>How many features images of {} pixels a side have, {} has to say</source>
        <translation>Wie viele Merkmale Bilder mit {} Pixeln Seitenlänge haben, muss {} angeben</translation>
    </message>
    <message>
        <source>Faces of {}x{} pixels are not halved down to 4x4</source>
        <translation>Gesichter von {}x{} Pixeln lassen sich nicht durch Halbieren auf 4x4 bringen</translation>
    </message>
    <message>
        <source>{} directions of motion do not fit into {} features</source>
        <translation>{} Bewegungsrichtungen passen nicht in {} Merkmale</translation>
    </message>
    <message>
        <source>{} blocks cannot be shared out in groups of {}, each with a face adapter</source>
        <translation>{} Blöcke lassen sich nicht in Gruppen zu {} mit je einem Gesichtsadapter aufteilen</translation>
    </message>
    <message>
        <source>The value {} is not a whole number from 1 to {}</source>
        <translation>Der Wert {} ist keine ganze Zahl von 1 bis {}</translation>
    </message>
    <message>
        <source>The key is missing</source>
        <translation>Der Schlüssel fehlt</translation>
    </message>
    <message>
        <source>The value is not a list of {} numbers</source>
        <translation>Der Wert ist keine Liste aus {} Zahlen</translation>
    </message>
    <message>
        <source>The value {} is not a positive number</source>
        <translation>Der Wert {} ist keine positive Zahl</translation>
    </message>
    <message>
        <source>The value {} is neither true nor false</source>
        <translation>Der Wert {} ist weder true noch false</translation>
    </message>
    <message>
        <source>The value {} is not a text</source>
        <translation>Der Wert {} ist kein Text</translation>
    </message>
    <message>
        <source>There are {}</source>
        <translation>Es gibt {}</translation>
    </message>
    <message>
        <source>There is no architecture &apos;{}&apos;</source>
        <translation>Es gibt keine Architektur „{}“</translation>
    </message>
    <message>
        <source>Did you mean {}? {}</source>
        <translation>Meinten Sie {}? {}</translation>
    </message>
    <message>
        <source>{} has no layers to leave out</source>
        <translation>{} hat keine Schichten, die sich weglassen lassen</translation>
    </message>
    <message>
        <source>Leave the option out: its levels need each other</source>
        <translation>Die Option weglassen: die Stufen brauchen einander</translation>
    </message>
    <message>
        <source>{} has {} layers, not {}</source>
        <translation>{} hat {} Schichten, nicht {}</translation>
    </message>
    <message>
        <source>Choose 1 to {}</source>
        <translation>1 bis {} wählen</translation>
    </message>
    <message>
        <source>{} has shape {}</source>
        <translation>{} hat die Form {}</translation>
    </message>
    <message>
        <source>The file is of another model</source>
        <translation>Die Datei gehört zu einem anderen Modell</translation>
    </message>
    <message>
        <source>Put the model&apos;s config.json beside the weights, in a folder of their own</source>
        <translation>Die config.json des Modells neben die Gewichte legen, in einen eigenen Ordner</translation>
    </message>
    <message>
        <source>its width {} is no multiple of {}, the channels of a head in Wan models: how many heads it has cannot be told from its tensors</source>
        <translation>seine Breite {} ist kein Vielfaches von {}, der Kanalzahl eines Kopfes in Wan-Modellen: wie viele Köpfe er hat, ist aus den Tensoren nicht zu erkennen</translation>
    </message>
    <message>
        <source>it has {} latent channels, and the statistics of such latents are known for {} (Wan 2.1) and {} (Wan 2.2) only</source>
        <translation>er hat {} latente Kanäle, und die Statistik solcher Latents ist nur für {} (Wan 2.1) und {} (Wan 2.2) bekannt</translation>
    </message>
    <message>
        <source>The image encoder takes images [batch, 3, {}, {}], not {}</source>
        <translation>Der Bild-Encoder nimmt Bilder [Batch, 3, {}, {}], nicht {}</translation>
    </message>
    <message>
        <source>Use the image processor that belongs to the image encoder</source>
        <translation>Die Bildvorverarbeitung verwenden, die zum Bild-Encoder gehört</translation>
    </message>
    <message>
        <source>Use the image encoder that belongs to the Wan checkpoint</source>
        <translation>Den Bild-Encoder verwenden, der zum Wan-Checkpoint gehört</translation>
    </message>
    <message>
        <source>The activation {} is not supported</source>
        <translation>Die Aktivierung {} wird nicht unterstützt</translation>
    </message>
    <message>
        <source>Only encoders of RGB images are supported</source>
        <translation>Nur Encoder von RGB-Bildern werden unterstützt</translation>
    </message>
    <message>
        <source>{} channels cannot be shared out to {} heads</source>
        <translation>{} Kanäle lassen sich nicht auf {} Köpfe aufteilen</translation>
    </message>
    <message>
        <source>a part of a packed weight has the unknown type {}</source>
        <translation>ein Teil eines gepackten Gewichts hat den unbekannten Typ {}</translation>
    </message>
    <message>
        <source>the weight is packed in another format</source>
        <translation>das Gewicht ist in einem anderen Format gepackt</translation>
    </message>
    <message>
        <source>a part of a packed weight has another size than its shape</source>
        <translation>ein Teil eines gepackten Gewichts hat eine andere Größe als seine Form</translation>
    </message>
    <message>
        <source>Token {} lies outside the text encoder&apos;s vocabulary of {}</source>
        <translation>Token {} liegt außerhalb des Vokabulars des Text-Encoders (Größe {})</translation>
    </message>
    <message>
        <source>Use the tokenizer and text encoder of one checkpoint</source>
        <translation>Tokenizer und Text-Encoder desselben Checkpoints verwenden</translation>
    </message>
    <message>
        <source>Only the gated-gelu feed-forward of UMT5 is supported</source>
        <translation>Nur das Feed-forward von UMT5 mit gated-gelu wird unterstützt</translation>
    </message>
    <message>
        <source>Use the text encoder that belongs to the Wan checkpoint</source>
        <translation>Den Text-Encoder verwenden, der zum Wan-Checkpoint gehört</translation>
    </message>
    <message>
        <source>{} buckets up to a distance of {} leave no room for the logarithmic ones</source>
        <translation>{} Abstandsklassen bis zum Abstand {} lassen keinen Platz für die logarithmischen</translation>
    </message>
    <message>
        <source>The transformer needs latents [batch, {}, frames, rows, columns], got {}</source>
        <translation>Der Transformer braucht Latents [Batch, {}, Bilder, Zeilen, Spalten], erhalten: {}</translation>
    </message>
    <message>
        <source>Use the VAE that belongs to the transformer</source>
        <translation>Den VAE verwenden, der zum Transformer gehört</translation>
    </message>
    <message>
        <source>Latents of shape {} cannot be cut into patches of {} x {} x {}</source>
        <translation>Latents der Form {} lassen sich nicht in Patches von {} x {} x {} zerlegen</translation>
    </message>
    <message>
        <source>Choose width and height divisible by 16</source>
        <translation>Breite und Höhe wählen, die durch 16 teilbar sind</translation>
    </message>
    <message>
        <source>Latents of shape {} have {} patches along one axis, the model knows {}</source>
        <translation>Latents der Form {} haben {} Patches entlang einer Achse, das Modell kennt {}</translation>
    </message>
    <message>
        <source>Make a smaller or shorter video</source>
        <translation>Ein kleineres oder kürzeres Video erzeugen</translation>
    </message>
    <message>
        <source>{} videos of this transformer need image embeddings [{}, {}, {}], got {}</source>
        <translation>{} Videos dieses Transformers brauchen Bild-Embeddings [{}, {}, {}], erhalten: {}</translation>
    </message>
    <message>
        <source>Use the image encoder that belongs to the transformer</source>
        <translation>Den Bild-Encoder verwenden, der zum Transformer gehört</translation>
    </message>
    <message>
        <source>{} tensor shards cannot share out {} heads and {} feed-forward features evenly</source>
        <translation>{} Tensor-Shards können {} Köpfe und {} Feed-forward-Merkmale nicht gleichmäßig aufteilen</translation>
    </message>
    <message>
        <source>Choose a product of ici_tensor_parallelism and dcn_tensor_parallelism among {}</source>
        <translation>Als Produkt von ici_tensor_parallelism und dcn_tensor_parallelism einen dieser Werte wählen: {}</translation>
    </message>
    <message>
        <source>This transformer has no use for {}</source>
        <translation>Dieser Transformer hat keine Verwendung für {}</translation>
    </message>
    <message>
        <source>This transformer needs {}</source>
        <translation>Dieser Transformer braucht {}</translation>
    </message>
    <message>
        <source>Choose the task that the model was made for</source>
        <translation>Die Aufgabe wählen, für die das Modell gemacht ist</translation>
    </message>
    <message>
        <source>{} videos of this transformer need face videos [{}, {}, frames, {}, {}], got {}</source>
        <translation>{} Videos dieses Transformers brauchen Gesichtsvideos [{}, {}, Bilder, {}, {}], erhalten: {}</translation>
    </message>
    <message>
        <source>Scale the faces to {}x{} pixels</source>
        <translation>Die Gesichter auf {}x{} Pixel skalieren</translation>
    </message>
    <message>
        <source>a control video</source>
        <translation>ein Steuervideo</translation>
    </message>
    <message>
        <source>Latents of shape {} need a control of {} channels and no other size, got {}</source>
        <translation>Latents der Form {} brauchen eine Steuerung mit {} Kanälen und sonst gleicher Größe, erhalten: {}</translation>
    </message>
    <message>
        <source>Encode the control video at the size of the video</source>
        <translation>Das Steuervideo in der Größe des Videos kodieren</translation>
    </message>
    <message>
        <source>{} control scales were given for {} VACE blocks</source>
        <translation>{} Steuerstärken wurden für {} VACE-Blöcke angegeben</translation>
    </message>
    <message>
        <source>Give one scale for each block, or one for all</source>
        <translation>Eine Stärke je Block angeben oder eine für alle</translation>
    </message>
    <message>
        <source>a pose video</source>
        <translation>ein Posenvideo</translation>
    </message>
    <message>
        <source>Latents of shape {} need a pose of {} channels and {} frames, got {}</source>
        <translation>Latents der Form {} brauchen eine Pose mit {} Kanälen und {} Bildern, erhalten: {}</translation>
    </message>
    <message>
        <source>Encode the pose video at the size of the video</source>
        <translation>Das Posenvideo in der Größe des Videos kodieren</translation>
    </message>
    <message>
        <source>The transformer needs text embeddings [batch, tokens, {}], got {}</source>
        <translation>Der Transformer braucht Text-Embeddings [Batch, Tokens, {}], erhalten: {}</translation>
    </message>
    <message>
        <source>Use the text encoder that belongs to the transformer</source>
        <translation>Den Text-Encoder verwenden, der zum Transformer gehört</translation>
    </message>
    <message>
        <source>the embedding of an image</source>
        <translation>das Embedding eines Bildes</translation>
    </message>
    <message>
        <source>a face video</source>
        <translation>ein Gesichtsvideo</translation>
    </message>
    <message>
        <source>Latents of {} videos with {} tokens each got timesteps of shape {}</source>
        <translation>Latents von {} Videos mit je {} Tokens erhielten Zeitschritte der Form {}</translation>
    </message>
    <message>
        <source>Give one timestep for each video or for each of its tokens</source>
        <translation>Einen Zeitschritt je Video oder je Token angeben</translation>
    </message>
    <message>
        <source>The {} tokens of a video cannot be shared out to {} frames of a face</source>
        <translation>Die {} Tokens eines Videos lassen sich nicht auf {} Bilder eines Gesichts aufteilen</translation>
    </message>
    <message>
        <source>Give 4 (F - 2) + 1 face images for F latent frames</source>
        <translation>Für F latente Bilder 4 (F - 2) + 1 Gesichtsbilder angeben</translation>
    </message>
    <message>
        <source>The norm &apos;{}&apos; of queries and keys is not supported</source>
        <translation>Die Normalisierung „{}“ der Queries und Keys wird nicht unterstützt</translation>
    </message>
    <message>
        <source>Supported are {} and null</source>
        <translation>Unterstützt werden {} und null</translation>
    </message>
    <message>
        <source>A model of images has both image_dim and added_kv_proj_dim</source>
        <translation>Ein Modell mit Bildern hat sowohl image_dim als auch added_kv_proj_dim</translation>
    </message>
    <message>
        <source>Keys of {} features do not fit a model of {} x {}</source>
        <translation>Keys mit {} Merkmalen passen nicht zu einem Modell von {} x {}</translation>
    </message>
    <message>
        <source>Positions are those of two images of equal length</source>
        <translation>Die Positionen sind die zweier gleich langer Bilder</translation>
    </message>
    <message>
        <source>The value is not a list of blocks</source>
        <translation>Der Wert ist keine Liste von Blöcken</translation>
    </message>
    <message>
        <source>VACE layers ascend from 0 and stay below the {} of the model</source>
        <translation>VACE-Schichten steigen von 0 an und bleiben unter den {} des Modells</translation>
    </message>
    <message>
        <source>{} channels are not those of noise, mask and condition of {}</source>
        <translation>{} Kanäle sind nicht die von Rauschen, Maske und Bedingung bei {}</translation>
    </message>
    <message>
        <source>The head dimension {} is odd, which rotary embedding cannot pair</source>
        <translation>Die Kopfdimension {} ist ungerade, was das Rotary Embedding (RoPE) nicht zu Paaren ordnen kann</translation>
    </message>
    <message>
        <source>A VAE of {} video channels has no colour preview</source>
        <translation>Ein VAE mit {} Videokanälen hat keine Farbvorschau</translation>
    </message>
    <message>
        <source>Use a VAE of RGB videos</source>
        <translation>Einen VAE für RGB-Videos verwenden</translation>
    </message>
    <message>
        <source>The shape {} is not [batch, {} channels, frames, height, width]</source>
        <translation>Die Form {} ist nicht [Batch, {} Kanäle, Bilder, Höhe, Breite]</translation>
    </message>
    <message>
        <source>Use a VAE and a transformer of the same model</source>
        <translation>VAE und Transformer desselben Modells verwenden</translation>
    </message>
    <message>
        <source>Frames of {}x{} pixels are too small to encode</source>
        <translation>Bilder von {}x{} Pixeln sind zu klein zum Kodieren</translation>
    </message>
    <message>
        <source>Use at least {}x{} pixels</source>
        <translation>Mindestens {}x{} Pixel verwenden</translation>
    </message>
    <message>
        <source>This VAE cannot encode frames of {}x{} pixels</source>
        <translation>Dieser VAE kann Bilder von {}x{} Pixeln nicht kodieren</translation>
    </message>
    <message>
        <source>Use a width and a height that are multiples of {}</source>
        <translation>Breite und Höhe verwenden, die Vielfache von {} sind</translation>
    </message>
    <message>
        <source>A VAE that shortens time by {} cannot encode a video {} frames at a time</source>
        <translation>Ein VAE, der die Zeit um den Faktor {} verkürzt, kann ein Video nicht zu je {} Bildern kodieren</translation>
    </message>
    <message>
        <source>Encode single images, or use a VAE that shortens time by 4</source>
        <translation>Einzelne Bilder kodieren oder einen VAE verwenden, der die Zeit um den Faktor 4 verkürzt</translation>
    </message>
    <message>
        <source>Use the Wan 2.1 VAE, which all 14B and 1.3B models share, or the Wan 2.2 VAE of TI2V-5B</source>
        <translation>Den VAE von Wan 2.1 verwenden, den alle Modelle mit 14B und 1.3B teilen, oder den VAE von Wan 2.2 für TI2V-5B</translation>
    </message>
    <message>
        <source>A VAE of class {} is not supported, only {}</source>
        <translation>Ein VAE der Klasse {} wird nicht unterstützt, nur {}</translation>
    </message>
    <message>
        <source>Attention between the residual blocks is not supported</source>
        <translation>Attention zwischen den Residualblöcken wird nicht unterstützt</translation>
    </message>
    <message>
        <source>{} channels are not those of {}x{} pixels (patch_size)</source>
        <translation>{} Kanäle sind nicht die von {}x{} Pixeln (patch_size)</translation>
    </message>
    <message>
        <source>No shortcut (is_residual) leads from a level of width {} to one of {}</source>
        <translation>Keine Shortcut-Verbindung (is_residual) führt von einer Stufe der Breite {} zu einer der Breite {}</translation>
    </message>
    <message>
        <source>{} levels; 1 to {} are possible</source>
        <translation>{} Stufen; möglich sind 1 bis {}</translation>
    </message>
    <message>
        <source>{} values for {} levels in dim_mult; there must be one fewer than levels</source>
        <translation>{} Werte für {} Stufen in dim_mult; es muss einer weniger sein als Stufen</translation>
    </message>
    <message>
        <source>The value {} is not a number</source>
        <translation>Der Wert {} ist keine Zahl</translation>
    </message>
    <message>
        <source>{} values for {} latent channels (z_dim)</source>
        <translation>{} Werte für {} latente Kanäle (z_dim)</translation>
    </message>
    <message>
        <source>The value is not a list</source>
        <translation>Der Wert ist keine Liste</translation>
    </message>
    <message>
        <source>{} devices cannot be shared out to {} strips of the VAE: the total number of devices must be a multiple of vae_spatial</source>
        <translation>{} Geräte lassen sich nicht auf {} Streifen des VAE verteilen: die Gesamtzahl der Geräte muss ein Vielfaches von vae_spatial sein</translation>
    </message>
    <message>
        <source>Use -1 for all devices, or a divisor of {}</source>
        <translation>-1 für alle Geräte verwenden oder einen Teiler von {}</translation>
    </message>
    <message>
        <source>VAE tiles of {} pixels in {} at a distance of {} cannot be laid</source>
        <translation>VAE-Kacheln von {} Pixeln in der {} lassen sich im Abstand {} nicht legen</translation>
    </message>
    <message>
        <source>Choose a distance that is a multiple of {} and not above the tile&apos;s {}</source>
        <translation>Einen Abstand wählen, der ein Vielfaches von {} und nicht größer als die {} der Kachel ist</translation>
    </message>
    <message>
        <source>VAE tiles at a distance of {} leave {} of {} pixels at the border</source>
        <translation>VAE-Kacheln im Abstand {} lassen am Rand {} von {} Pixeln übrig</translation>
    </message>
    <message>
        <source>Use frames whose sides are multiples of {}</source>
        <translation>Bilder verwenden, deren Seiten Vielfache von {} sind</translation>
    </message>
    <message>
        <source>This VAE cannot encode VAE tiles of {} pixels in {}</source>
        <translation>Dieser VAE kann VAE-Kacheln von {} Pixeln in der {} nicht kodieren</translation>
    </message>
    <message>
        <source>Choose a multiple of {}</source>
        <translation>Ein Vielfaches von {} wählen</translation>
    </message>
    <message>
        <source>height</source>
        <translation>Höhe</translation>
    </message>
    <message>
        <source>width</source>
        <translation>Breite</translation>
    </message>
    <message>
        <source>the checkpoint of the run ({} after {} steps) does not belong to its project ({}, {} steps)</source>
        <translation>der Checkpoint des Laufs ({} nach {} Schritten) gehört nicht zu seinem Projekt ({}, {} Schritte)</translation>
    </message>
    <message>
        <source>Start the run again</source>
        <translation>Den Lauf neu starten</translation>
    </message>
    <message>
        <source>there is no noise named &quot;{}&quot;</source>
        <translation>es gibt kein Rauschen namens „{}“</translation>
    </message>
    <message>
        <source>Use counter or torch_cpu</source>
        <translation>counter oder torch_cpu verwenden</translation>
    </message>
    <message>
        <source>the checkpoint of the run lacks the scheduler&apos;s &quot;{}&quot;</source>
        <translation>dem Checkpoint des Laufs fehlt „{}“ des Schedulers</translation>
    </message>
    <message>
        <source>{} has {} frames, and num_frames is {}</source>
        <translation>{} hat {} Bilder, und num_frames ist {}</translation>
    </message>
    <message>
        <source>Use a longer one, or num_frames of at most {}</source>
        <translation>Ein längeres verwenden oder num_frames von höchstens {}</translation>
    </message>
    <message>
        <source>a reference image of {} x {} pixels is smaller than {} x {}</source>
        <translation>ein Referenzbild von {} x {} Pixeln ist kleiner als {} x {}</translation>
    </message>
    <message>
        <source>Use a larger image</source>
        <translation>Ein größeres Bild verwenden</translation>
    </message>
    <message>
        <source>weights_dtype int8 with activations_dtype bfloat16</source>
        <translation>weights_dtype int8 mit activations_dtype bfloat16</translation>
    </message>
    <message>
        <source>memory_budget {:g} (layers are read from the checkpoint when they are used)</source>
        <translation>memory_budget {} (Schichten werden bei jeder Verwendung aus dem Checkpoint gelesen)</translation>
    </message>
    <message>
        <source>width {} and height {}</source>
        <translation>width {} und height {}</translation>
    </message>
    <message>
        <source>ici_fsdp_parallelism {} with ici_context_parallelism and dcn_context_parallelism 1</source>
        <translation>ici_fsdp_parallelism {} mit ici_context_parallelism und dcn_context_parallelism 1</translation>
    </message>
    <message>
        <source>decoding</source>
        <translation>Dekodieren</translation>
    </message>
    <message>
        <source>denoising</source>
        <translation>Entrauschen</translation>
    </message>
    <message>
        <source>encoding the prompt</source>
        <translation>Kodieren des Prompts</translation>
    </message>
    <message>
        <source>loading</source>
        <translation>Laden</translation>
    </message>
    <message>
        <source>the run needs about {} of memory for {}, and {} are available</source>
        <translation>der Lauf braucht beim {1} etwa {0} Speicher, und {2} sind verfügbar</translation>
    </message>
    <message>
        <source>the run needs about {} of memory for {} with no layer kept in memory, and memory_budget allows {}</source>
        <translation>der Lauf braucht beim {1} etwa {0} Speicher, auch wenn keine Schicht im Speicher bleibt, und memory_budget erlaubt {2}</translation>
    </message>
    <message>
        <source>No smaller video fits either: use a smaller model, or close other programs</source>
        <translation>Auch kein kleineres Video passt: ein kleineres Modell verwenden oder andere Programme schließen</translation>
    </message>
    <message>
        <source>{}, or {}</source>
        <translation>{} oder {}</translation>
    </message>
    <message>
        <source>This fits: {}; or close other programs</source>
        <translation>Das passt: {}; oder andere Programme schließen</translation>
    </message>
    <message>
        <source>there is no such adapter</source>
        <translation>diesen Adapter gibt es nicht</translation>
    </message>
    <message>
        <source>Check the path in lora, or put the file into {}</source>
        <translation>Den Pfad in lora prüfen oder die Datei in {} legen</translation>
    </message>
    <message>
        <source>an adapter is meant for the {} expert, and the model has one transformer</source>
        <translation>ein Adapter ist für den Experten {} bestimmt, und das Modell hat nur einen Transformer</translation>
    </message>
    <message>
        <source>Remove &quot;expert&quot;, or use a model of two experts (Wan 2.2 A14B)</source>
        <translation>&quot;expert&quot; entfernen oder ein Modell mit zwei Experten verwenden (Wan 2.2 A14B)</translation>
    </message>
    <message>
        <source>the model&apos;s files cannot be put together ({})</source>
        <translation>die Dateien des Modells lassen sich nicht zusammenstellen ({})</translation>
    </message>
    <message>
        <source>Check that the cache folder can be written to</source>
        <translation>Prüfen, ob der Cache-Ordner beschreibbar ist</translation>
    </message>
    <message>
        <source>preset {} needs a high-noise step-distilled adapter (LoRA) for {}, and there is none</source>
        <translation>Voreinstellung {} braucht für {} einen schrittdestillierten Adapter (LoRA) für starkes Rauschen, und es gibt keinen</translation>
    </message>
    <message>
        <source>preset {} needs a low-noise step-distilled adapter (LoRA) for {}, and there is none</source>
        <translation>Voreinstellung {} braucht für {} einen schrittdestillierten Adapter (LoRA) für schwaches Rauschen, und es gibt keinen</translation>
    </message>
    <message>
        <source>preset {} needs a step-distilled adapter (LoRA) for {}, and there is none</source>
        <translation>Voreinstellung {} braucht für {} einen schrittdestillierten Adapter (LoRA), und es gibt keinen</translation>
    </message>
    <message>
        <source>a step-distilled LoRA of TI2V-5B</source>
        <translation>einen schrittdestillierten LoRA-Adapter für TI2V-5B</translation>
    </message>
    <message>
        <source>Put one (for example {}) into {}, name one in lora, or, for a checkpoint that is distilled itself, write preset: distilled-model-4</source>
        <translation>Einen (zum Beispiel {}) in {} legen, einen in lora nennen oder, bei einem selbst destillierten Checkpoint, preset: distilled-model-4 schreiben</translation>
    </message>
    <message>
        <source>Use a Wan checkpoint in diffusers layout</source>
        <translation>Einen Wan-Checkpoint im diffusers-Aufbau verwenden</translation>
    </message>
    <message>
        <source>_class_name is missing</source>
        <translation>_class_name fehlt</translation>
    </message>
    <message>
        <source>this is a model for &quot;{}&quot;, not for Wan</source>
        <translation>dies ist ein Modell für „{}“, nicht für Wan</translation>
    </message>
    <message>
        <source>the {} is missing, not {}</source>
        <translation>{} fehlt, verlangt ist {}</translation>
    </message>
    <message>
        <source>the {} is {}, not {}</source>
        <translation>{} ist {}, verlangt ist {}</translation>
    </message>
    <message>
        <source>there is neither tokenizer.json nor spiece.model</source>
        <translation>es gibt weder tokenizer.json noch spiece.model</translation>
    </message>
    <message>
        <source>Download the model&apos;s tokenizer folder again</source>
        <translation>Den Tokenizer-Ordner des Modells erneut herunterladen</translation>
    </message>
    <message>
        <source>this is {}, which Meshreel does not run</source>
        <translation>dies ist {}, das Meshreel nicht ausführt</translation>
    </message>
    <message>
        <source>the transformer wants texts of width {} (text_dim), and the text encoder gives {} (d_model)</source>
        <translation>der Transformer verlangt Texte der Breite {} (text_dim), und der Text-Encoder liefert {} (d_model)</translation>
    </message>
    <message>
        <source>Use transformer and text encoder of the same model</source>
        <translation>Transformer und Text-Encoder desselben Modells verwenden</translation>
    </message>
    <message>
        <source>the transformer works on latents of {} channels ({} out), and the VAE has {} (z_dim)</source>
        <translation>der Transformer arbeitet auf Latents mit {} Kanälen ({} am Ausgang), und der VAE hat {} (z_dim)</translation>
    </message>
    <message>
        <source>Use transformer and VAE of the same model, of one of these kinds: {}</source>
        <translation>Transformer und VAE desselben Modells verwenden, von einer dieser Arten: {}</translation>
    </message>
    <message>
        <source>the VAE makes {} colour channels, not 3</source>
        <translation>der VAE erzeugt {} Farbkanäle, nicht 3</translation>
    </message>
    <message>
        <source>Use the VAE of a Wan model</source>
        <translation>Den VAE eines Wan-Modells verwenden</translation>
    </message>
    <message>
        <source>the two transformers are not of one kind</source>
        <translation>die zwei Transformer sind nicht von einer Art</translation>
    </message>
    <message>
        <source>Use the two experts of the same model</source>
        <translation>Die zwei Experten desselben Modells verwenden</translation>
    </message>
    <message>
        <source>the transformer wants images of width {} (image_dim), and the image encoder gives {} (hidden_size)</source>
        <translation>der Transformer verlangt Bilder der Breite {} (image_dim), und der Bild-Encoder liefert {} (hidden_size)</translation>
    </message>
    <message>
        <source>Use transformer and image encoder of the same model</source>
        <translation>Transformer und Bild-Encoder desselben Modells verwenden</translation>
    </message>
    <message>
        <source>Installed: nothing</source>
        <translation>Installiert: nichts</translation>
    </message>
    <message>
        <source>Installed: {}</source>
        <translation>Installiert: {}</translation>
    </message>
    <message>
        <source>the model &quot;{}&quot; is not installed</source>
        <translation>das Modell „{}“ ist nicht installiert</translation>
    </message>
    <message>
        <source>{}; or give the path of a checkpoint folder</source>
        <translation>{}; oder den Pfad eines Checkpoint-Ordners angeben</translation>
    </message>
    <message>
        <source>the model &quot;{}&quot; is not on this machine</source>
        <translation>das Modell „{}“ ist nicht auf diesem Rechner</translation>
    </message>
    <message>
        <source>there is no such checkpoint folder</source>
        <translation>diesen Checkpoint-Ordner gibt es nicht</translation>
    </message>
    <message>
        <source>Check pretrained_model_name_or_path</source>
        <translation>pretrained_model_name_or_path prüfen</translation>
    </message>
    <message>
        <source>the folder holds no {}</source>
        <translation>dem Ordner fehlt {}</translation>
    </message>
    <message>
        <source>Give a checkpoint in diffusers layout (a repository whose name ends in -Diffusers)</source>
        <translation>Einen Checkpoint im diffusers-Aufbau angeben (ein Repository, dessen Name auf -Diffusers endet)</translation>
    </message>
    <message>
        <source>there is no such folder</source>
        <translation>diesen Ordner gibt es nicht</translation>
    </message>
    <message>
        <source>no model is named</source>
        <translation>es ist kein Modell genannt</translation>
    </message>
    <message>
        <source>Name an installed model, for example tiny-wan-t2v</source>
        <translation>Ein installiertes Modell nennen, zum Beispiel tiny-wan-t2v</translation>
    </message>
    <message>
        <source>a text encoder UMT5-XXL (umt5_xxl_fp16.safetensors, umt5_xxl_fp8_e4m3fn_scaled.safetensors, umt5-xxl-encoder-Q8_0.gguf or models_t5_umt5-xxl-enc-bf16.pth)</source>
        <translation>einen Text-Encoder UMT5-XXL (umt5_xxl_fp16.safetensors, umt5_xxl_fp8_e4m3fn_scaled.safetensors, umt5-xxl-encoder-Q8_0.gguf oder models_t5_umt5-xxl-enc-bf16.pth)</translation>
    </message>
    <message>
        <source>UMT5&apos;s tokenizer (a folder with spiece.model or tokenizer.json, of google/umt5-xxl)</source>
        <translation>den Tokenizer von UMT5 (einen Ordner mit spiece.model oder tokenizer.json, aus google/umt5-xxl)</translation>
    </message>
    <message>
        <source>the VAE of Wan 2.1 (wan_2.1_vae.safetensors or Wan2.1_VAE.pth)</source>
        <translation>den VAE von Wan 2.1 (wan_2.1_vae.safetensors oder Wan2.1_VAE.pth)</translation>
    </message>
    <message>
        <source>the VAE of Wan 2.2 (wan2.2_vae.safetensors or Wan2.2_VAE.pth)</source>
        <translation>den VAE von Wan 2.2 (wan2.2_vae.safetensors oder Wan2.2_VAE.pth)</translation>
    </message>
    <message>
        <source>the image encoder CLIP ViT-H (clip_vision_h.safetensors)</source>
        <translation>den Bild-Encoder CLIP ViT-H (clip_vision_h.safetensors)</translation>
    </message>
    <message>
        <source>the other of the two experts (the file of the same name with &quot;low_noise&quot; in place of &quot;high_noise&quot;, or the other way round)</source>
        <translation>den anderen der zwei Experten (die gleichnamige Datei mit &quot;low_noise&quot; statt &quot;high_noise&quot; oder umgekehrt)</translation>
    </message>
    <message>
        <source>there is no such {}</source>
        <translation>für {} ist dort nichts vorhanden</translation>
    </message>
    <message>
        <source>Check parts.{}, or put the file into {}</source>
        <translation>parts.{} prüfen oder die Datei in {} legen</translation>
    </message>
    <message>
        <source>the project names neither a model nor a transformer</source>
        <translation>das Projekt nennt weder ein Modell noch einen Transformer</translation>
    </message>
    <message>
        <source>Name a model, or the transformer&apos;s file in parts.transformer</source>
        <translation>Ein Modell nennen oder die Datei des Transformers in parts.transformer</translation>
    </message>
    <message>
        <source>Use a Wan 2.1 or 2.2 model</source>
        <translation>Ein Modell von Wan 2.1 oder 2.2 verwenden</translation>
    </message>
    <message>
        <source>With both files of an A14B model name them in parts.transformer and parts.transformer_2</source>
        <translation>Sind beide Dateien eines A14B-Modells vorhanden, sie in parts.transformer und parts.transformer_2 nennen</translation>
    </message>
    <message>
        <source>the model lacks {}</source>
        <translation>dem Modell fehlt: {}</translation>
    </message>
    <message>
        <source>Put into {} (any folder below it): {}; or name files in parts.{}. docs/models.md says where they come from</source>
        <translation>In {} legen (beliebiger Ordner darunter): {}; oder Dateien in parts.{} nennen. docs/models.md sagt, woher sie kommen</translation>
    </message>
    <message>
        <source>{}; {}</source>
        <translation>{}; {}</translation>
    </message>
    <message>
        <source>No video of this image&apos;s form and {} pixels at most has sides that are multiples of {}</source>
        <translation>Kein Video im Seitenverhältnis dieses Bildes mit höchstens {} Pixeln hat Seiten, die Vielfache von {} sind</translation>
    </message>
    <message>
        <source>Choose a larger area, or an image that is less long and narrow</source>
        <translation>Eine größere Fläche wählen oder ein Bild, das weniger lang und schmal ist</translation>
    </message>
    <message>
        <source>fps is {}, and the model ({}) makes {} frames a second</source>
        <translation>fps ist {}, und das Modell ({}) erzeugt {} Bilder je Sekunde</translation>
    </message>
    <message>
        <source>{} CPU</source>
        <translation>{} CPU</translation>
    </message>
    <message>
        <source>{} CPUs</source>
        <translation>{} CPUs</translation>
    </message>
    <message>
        <source>The run takes about {} of the {} of memory that are available</source>
        <translation>Der Lauf belegt etwa {} von {} verfügbarem Speicher</translation>
    </message>
    <message>
        <source>{} and {} more</source>
        <translation>{} und {} weitere</translation>
    </message>
    <message>
        <source>Changes {}</source>
        <translation>Ändert {}</translation>
    </message>
    <message>
        <source>{}; fits nothing: {}</source>
        <translation>{}; passt zu nichts: {}</translation>
    </message>
    <message>
        <source>{} is for models with two transformers, and this has one</source>
        <translation>{} ist für Modelle mit zwei Transformern, und dieses hat nur einen</translation>
    </message>
    <message>
        <source>Remove the line, or use guidance_scale</source>
        <translation>Die Zeile entfernen oder guidance_scale verwenden</translation>
    </message>
    <message>
        <source>the model has two transformers and does not say where the second takes over</source>
        <translation>das Modell hat zwei Transformer und sagt nicht, wo der zweite übernimmt</translation>
    </message>
    <message>
        <source>Write boundary_ratio: 0.875 (Wan 2.2 text to video) or 0.9 (image to video)</source>
        <translation>boundary_ratio: 0.875 (Wan 2.2, Text zu Video) oder 0.9 (Bild zu Video) schreiben</translation>
    </message>
    <message>
        <source>conditioning_scale holds {} numbers, and the model has {} VACE blocks</source>
        <translation>conditioning_scale enthält {} Zahlen, und das Modell hat {} VACE-Blöcke</translation>
    </message>
    <message>
        <source>Write one number for all, or one for each</source>
        <translation>Eine Zahl für alle schreiben oder eine je Block</translation>
    </message>
    <message>
        <source>{}; installed: {}</source>
        <translation>{}; installiert: {}</translation>
    </message>
    <message>
        <source>{}: {}</source>
        <translation>{}: {}</translation>
    </message>
    <message>
        <source>the run writes up to {}, and {} are free on the disk</source>
        <translation>der Lauf schreibt bis zu {}, und auf dem Datenträger sind {} frei</translation>
    </message>
    <message>
        <source>measure one: meshreel calibrate magcache PROJECT -o FILE, and write mag_ratios_file: FILE</source>
        <translation>eine messen: meshreel calibrate magcache PROJECT -o FILE, dann mag_ratios_file: FILE schreiben</translation>
    </message>
    <message>
        <source>there is no published MagCache curve for {}</source>
        <translation>für {} gibt es keine veröffentlichte MagCache-Kurve</translation>
    </message>
    <message>
        <source>Write false, or {}</source>
        <translation>false schreiben oder {}</translation>
    </message>
    <message>
        <source>the published MagCache curve of {} was measured with flow_shift {}, and it is {}</source>
        <translation>die veröffentlichte MagCache-Kurve von {} wurde mit flow_shift {} gemessen, und hier ist es {}</translation>
    </message>
    <message>
        <source>Write flow_shift: {}, or {}</source>
        <translation>flow_shift: {} schreiben oder {}</translation>
    </message>
    <message>
        <source>The MagCache curve was measured on a transformer of {} blocks, and this has {}; meshreel calibrate magcache measures one for it</source>
        <translation>Die MagCache-Kurve wurde an einem Transformer mit {} Blöcken gemessen, und dieser hat {}; meshreel calibrate magcache misst eine für ihn</translation>
    </message>
    <message>
        <source>there are no published TeaCache coefficients for {} with {} blocks</source>
        <translation>für {} mit {} Blöcken gibt es keine veröffentlichten TeaCache-Koeffizienten</translation>
    </message>
    <message>
        <source>Write false and use use_first_block_cache, or give teacache_coefficients and teacache_thresh</source>
        <translation>false schreiben und use_first_block_cache verwenden oder teacache_coefficients und teacache_thresh angeben</translation>
    </message>
    <message>
        <source>Write false, or use use_magcache or use_first_block_cache</source>
        <translation>false schreiben oder use_magcache oder use_first_block_cache verwenden</translation>
    </message>
    <message>
        <source>the {} is made for Wan 2.2&apos;s models of two transformers, and this is {}</source>
        <translation>{} ist für die Modelle von Wan 2.2 mit zwei Transformern gemacht, und dies ist {}</translation>
    </message>
    <message>
        <source>the {} was never tried on {}</source>
        <translation>{} wurde mit {} nie erprobt</translation>
    </message>
    <message>
        <source>Use a file that meshreel calibrate magcache has written</source>
        <translation>Eine Datei verwenden, die meshreel calibrate magcache geschrieben hat</translation>
    </message>
    <message>
        <source>it has no list {}</source>
        <translation>sie hat keine Liste {}</translation>
    </message>
    <message>
        <source>its list holds something else than numbers</source>
        <translation>ihre Liste enthält anderes als Zahlen</translation>
    </message>
    <message>
        <source>It does {}; {} is done by {}</source>
        <translation>Es beherrscht {}; {} gibt es bei {}</translation>
    </message>
    <message>
        <source>{} ({}) needs {}</source>
        <translation>{} ({}) verlangt {}</translation>
    </message>
    <message>
        <source>Name a file: {}: PATH</source>
        <translation>Eine Datei nennen: {}: PATH</translation>
    </message>
    <message>
        <source>{} is not used by {} ({})</source>
        <translation>{} wird von {} ({}) nicht verwendet</translation>
    </message>
    <message>
        <source>Remove the line, or choose another task</source>
        <translation>Die Zeile entfernen oder eine andere Aufgabe wählen</translation>
    </message>
    <message>
        <source>mask is given without the video that it belongs to</source>
        <translation>mask ist ohne das Video angegeben, zu dem es gehört</translation>
    </message>
    <message>
        <source>Name the video, too: video: PATH</source>
        <translation>Auch das Video nennen: video: PATH</translation>
    </message>
    <message>
        <source>{} is {}, and this model makes multiples of {}</source>
        <translation>{} ist {}, und dieses Modell erzeugt Vielfache von {}</translation>
    </message>
    <message>
        <source>{} is {}, and this model makes multiples of {} plus {}</source>
        <translation>{} ist {}, und dieses Modell erzeugt Vielfache von {} plus {}</translation>
    </message>
    <message>
        <source>{} makes {} patches along one axis, and this model knows {} positions</source>
        <translation>{} ergibt {} Patches entlang einer Achse, und dieses Modell kennt {} Positionen</translation>
    </message>
    <message>
        <source>Make it smaller</source>
        <translation>Den Wert verkleinern</translation>
    </message>
    <message>
        <source>{} holds {}</source>
        <translation>{} enthält {}</translation>
    </message>
    <message>
        <source>the batch is of {} videos</source>
        <translation>der Batch umfasst {} Videos</translation>
    </message>
    <message>
        <source>Make {} at most in one run</source>
        <translation>Höchstens {} in einem Lauf erzeugen</translation>
    </message>
    <message>
        <source>the first-block cache decides for one video, and the batch has several</source>
        <translation>der First-Block-Cache entscheidet für ein Video, und der Batch hat mehrere</translation>
    </message>
    <message>
        <source>Write false, or make one video in a run</source>
        <translation>false schreiben oder ein Video je Lauf erzeugen</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is hexadecimal; numbers are decimal</source>
        <translation>„{}“ ist hexadezimal; Zahlen werden dezimal geschrieben</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is octal; numbers are decimal</source>
        <translation>„{}“ ist oktal; Zahlen werden dezimal geschrieben</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is binary; numbers are decimal</source>
        <translation>„{}“ ist binär; Zahlen werden dezimal geschrieben</translation>
    </message>
    <message>
        <source>Write {}</source>
        <translation>{} schreiben</translation>
    </message>
    <message>
        <source>Write it in decimal digits</source>
        <translation>In Dezimalziffern schreiben</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is not a whole number</source>
        <translation>„{}“ ist keine ganze Zahl</translation>
    </message>
    <message>
        <source>Write a decimal whole number</source>
        <translation>Eine ganze Dezimalzahl schreiben</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is not a number</source>
        <translation>„{}“ ist keine Zahl</translation>
    </message>
    <message>
        <source>Write a decimal number</source>
        <translation>Eine Dezimalzahl schreiben</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is not a finite number</source>
        <translation>„{}“ ist keine endliche Zahl</translation>
    </message>
    <message>
        <source>Write a finite decimal number</source>
        <translation>Eine endliche Dezimalzahl schreiben</translation>
    </message>
    <message>
        <source>&quot;{}&quot; starts with 0, which some read as octal</source>
        <translation>„{}“ beginnt mit 0, was manche als oktal lesen</translation>
    </message>
    <message>
        <source>&quot;{}&quot; has digit separators</source>
        <translation>„{}“ enthält Trennzeichen zwischen den Ziffern</translation>
    </message>
    <message>
        <source>{} is not a whole number</source>
        <translation>{} ist keine ganze Zahl</translation>
    </message>
    <message>
        <source>Write it in digits alone</source>
        <translation>Nur mit Ziffern schreiben</translation>
    </message>
    <message>
        <source>{} is not written as a whole number</source>
        <translation>{} ist nicht als ganze Zahl geschrieben</translation>
    </message>
    <message>
        <source>Write {:.0f}</source>
        <translation>{} schreiben</translation>
    </message>
    <message>
        <source>The nearest are {:.0f} and {:.0f}</source>
        <translation>Die nächsten sind {} und {}</translation>
    </message>
    <message>
        <source>{} has too many digits</source>
        <translation>{} hat zu viele Ziffern</translation>
    </message>
    <message>
        <source>Whole numbers have at most 63 bits</source>
        <translation>Ganze Zahlen haben höchstens 63 Bit</translation>
    </message>
    <message>
        <source>{} is out of the range of numbers</source>
        <translation>{} liegt außerhalb des Zahlenbereichs</translation>
    </message>
    <message>
        <source>A project is a list of keys and values</source>
        <translation>Ein Projekt ist eine Liste aus Schlüsseln und Werten</translation>
    </message>
    <message>
        <source>Write one key and its value on a line, key: value</source>
        <translation>Je Zeile einen Schlüssel und seinen Wert schreiben, Schlüssel: Wert</translation>
    </message>
    <message>
        <source>A --set value is not UTF-8</source>
        <translation>Ein Wert von --set ist nicht in UTF-8</translation>
    </message>
    <message>
        <source>Use a UTF-8 terminal</source>
        <translation>Ein UTF-8-Terminal verwenden</translation>
    </message>
    <message>
        <source>&quot;{}&quot; does not set anything</source>
        <translation>„{}“ setzt nichts</translation>
    </message>
    <message>
        <source>Write key=value</source>
        <translation>Schlüssel=Wert schreiben</translation>
    </message>
    <message>
        <source>{} and {} say it</source>
        <translation>{} und {} sagen es</translation>
    </message>
    <message>
        <source>{}. {}</source>
        <translation>{}. {}</translation>
    </message>
    <message>
        <source>this is how it is here</source>
        <translation>so ist es hier ohnehin</translation>
    </message>
    <message>
        <source>it has another name here</source>
        <translation>es heißt hier anders</translation>
    </message>
    <message>
        <source>this version uses the checkpoint&apos;s weights as they are</source>
        <translation>diese Version nimmt die Gewichte des Checkpoints, wie sie sind</translation>
    </message>
    <message>
        <source>Write background_video: PATH</source>
        <translation>background_video: PATH schreiben</translation>
    </message>
    <message>
        <source>Write face_video: PATH</source>
        <translation>face_video: PATH schreiben</translation>
    </message>
    <message>
        <source>nothing is fetched from the network</source>
        <translation>aus dem Netz wird nichts geholt</translation>
    </message>
    <message>
        <source>Download the picture and write image: PATH</source>
        <translation>Das Bild herunterladen und image: PATH schreiben</translation>
    </message>
    <message>
        <source>Write mask: PATH</source>
        <translation>mask: PATH schreiben</translation>
    </message>
    <message>
        <source>the model&apos;s files tell what it is</source>
        <translation>die Dateien des Modells sagen, was es ist</translation>
    </message>
    <message>
        <source>batch_prompts and batch_seeds say which videos</source>
        <translation>batch_prompts und batch_seeds sagen, welche Videos</translation>
    </message>
    <message>
        <source>Write pose_video: PATH</source>
        <translation>pose_video: PATH schreiben</translation>
    </message>
    <message>
        <source>Write image: PATH</source>
        <translation>image: PATH schreiben</translation>
    </message>
    <message>
        <source>Write false</source>
        <translation>false schreiben</translation>
    </message>
    <message>
        <source>Name it in parts.transformer</source>
        <translation>In parts.transformer nennen</translation>
    </message>
    <message>
        <source>meshreel tune searches block sizes</source>
        <translation>meshreel tune sucht Blockgrößen</translation>
    </message>
    <message>
        <source>there is no backward pass</source>
        <translation>es gibt keinen Rückwärtsdurchlauf</translation>
    </message>
    <message>
        <source>of the audio and video models of LTX</source>
        <translation>gehört zu den Audio- und Videomodellen von LTX</translation>
    </message>
    <message>
        <source>of Animate, which takes its values from the model</source>
        <translation>gehört zu Animate, das seine Werte dem Modell entnimmt</translation>
    </message>
    <message>
        <source>of models that make pictures</source>
        <translation>gehört zu Modellen, die Bilder erzeugen</translation>
    </message>
    <message>
        <source>every run records its timings and a trace</source>
        <translation>jeder Lauf zeichnet seine Zeiten und einen Trace auf</translation>
    </message>
    <message>
        <source>nothing is compiled by XLA, and the rules of sharding are built in</source>
        <translation>nichts wird mit XLA kompiliert, und die Regeln der Aufteilung sind eingebaut</translation>
    </message>
    <message>
        <source>weights are read as they were released</source>
        <translation>Gewichte werden gelesen, wie sie veröffentlicht wurden</translation>
    </message>
    <message>
        <source>weights are rounded to int8 by weights_dtype: int8</source>
        <translation>weights_dtype: int8 rundet Gewichte auf int8</translation>
    </message>
    <message>
        <source>keys of a step cache</source>
        <translation>gehört zu einem Schritt-Cache</translation>
    </message>
    <message>
        <source>the keys of the prompt are kept, and both prompts are encoded together, always</source>
        <translation>die Keys des Prompts werden immer behalten und beide Prompts immer zusammen kodiert</translation>
    </message>
    <message>
        <source>guidance_scale alone says whether there is guidance</source>
        <translation>guidance_scale allein sagt, ob es Guidance gibt</translation>
    </message>
    <message>
        <source>run folders hold what a run leaves: see --out</source>
        <translation>Laufordner enthalten, was ein Lauf hinterlässt: siehe --out</translation>
    </message>
    <message>
        <source>nothing is trained here</source>
        <translation>hier wird nichts trainiert</translation>
    </message>
    <message>
        <source>the scheduler is the checkpoint&apos;s, or that of the key scheduler</source>
        <translation>der Scheduler ist der des Checkpoints oder der des Schlüssels scheduler</translation>
    </message>
    <message>
        <source>of other programs than generation</source>
        <translation>gehört zu anderen Programmen als der Erzeugung</translation>
    </message>
    <message>
        <source>{}: there is no file {}</source>
        <translation>{}: es gibt keine Datei {}</translation>
    </message>
    <message>
        <source>Check the path; one that does not begin with / starts at the project&apos;s folder</source>
        <translation>Den Pfad prüfen; beginnt er nicht mit /, gilt er ab dem Ordner des Projekts</translation>
    </message>
    <message>
        <source>{} is {}, below its least</source>
        <translation>{} ist {}, weniger als der kleinste zulässige Wert</translation>
    </message>
    <message>
        <source>The nearest legal value is {} ({} is automatic)</source>
        <translation>Der nächste zulässige Wert ist {} ({} ist automatisch)</translation>
    </message>
    <message>
        <source>{} is {}, above its most</source>
        <translation>{} ist {}, mehr als der größte zulässige Wert</translation>
    </message>
    <message>
        <source>{} is not a finite number</source>
        <translation>{} ist keine endliche Zahl</translation>
    </message>
    <message>
        <source>{} cannot be &quot;{}&quot;</source>
        <translation>{} kann nicht „{}“ sein</translation>
    </message>
    <message>
        <source>The choices are {}</source>
        <translation>Zur Wahl stehen {}</translation>
    </message>
    <message>
        <source>Did you mean &quot;{}&quot;? The choices are {}</source>
        <translation>Meinten Sie „{}“? Zur Wahl stehen {}</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is not true or false</source>
        <translation>„{}“ ist weder true noch false</translation>
    </message>
    <message>
        <source>Write true</source>
        <translation>true schreiben</translation>
    </message>
    <message>
        <source>Write true or false</source>
        <translation>true oder false schreiben</translation>
    </message>
    <message>
        <source>Write [{{file: PATH, strength: 1}}]</source>
        <translation>[{{file: PATH, strength: 1}}] schreiben</translation>
    </message>
    <message>
        <source>choice</source>
        <translation>Auswahl</translation>
    </message>
    <message>
        <source>integer</source>
        <translation>ganze Zahl</translation>
    </message>
    <message>
        <source>number</source>
        <translation>Zahl</translation>
    </message>
    <message>
        <source>true or false</source>
        <translation>true oder false</translation>
    </message>
    <message>
        <source>text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>list</source>
        <translation>Liste</translation>
    </message>
    <message>
        <source>An adapter&apos;s {} is not one text</source>
        <translation>Der Schlüssel {} eines Adapters ist kein einzelner Text</translation>
    </message>
    <message>
        <source>Write one value behind it</source>
        <translation>Einen Wert dahinter schreiben</translation>
    </message>
    <message>
        <source>strength {} is beyond its range</source>
        <translation>strength {} liegt außerhalb des Bereichs</translation>
    </message>
    <message>
        <source>Write a number from -{} to {}; 1 is the adapter as it was trained</source>
        <translation>Eine Zahl von -{} bis {} schreiben; 1 ist der Adapter wie trainiert</translation>
    </message>
    <message>
        <source>expert cannot be &quot;{:.80}&quot;</source>
        <translation>expert kann nicht „{}“ sein</translation>
    </message>
    <message>
        <source>Write high, low or all</source>
        <translation>high, low oder all schreiben</translation>
    </message>
    <message>
        <source>An adapter is neither a path nor a map</source>
        <translation>Ein Adapter ist weder ein Pfad noch eine Zuordnung</translation>
    </message>
    <message>
        <source>Write {{file: PATH, strength: 1}}</source>
        <translation>{{file: PATH, strength: 1}} schreiben</translation>
    </message>
    <message>
        <source>An adapter has no &quot;{:.80}&quot;</source>
        <translation>Ein Adapter hat keinen Schlüssel „{}“</translation>
    </message>
    <message>
        <source>Its keys are {}</source>
        <translation>Seine Schlüssel sind {}</translation>
    </message>
    <message>
        <source>An adapter has no file</source>
        <translation>Ein Adapter hat keine Datei</translation>
    </message>
    <message>
        <source>Name the adapters in lora: [{{file: PATH}}]</source>
        <translation>Die Adapter in lora nennen: [{{file: PATH}}]</translation>
    </message>
    <message>
        <source>lora_config has no lora_model_name_or_path for adapter {}</source>
        <translation>lora_config hat kein lora_model_name_or_path für Adapter {}</translation>
    </message>
    <message>
        <source>Give all its lists the same length</source>
        <translation>Allen seinen Listen dieselbe Länge geben</translation>
    </message>
    <message>
        <source>Write numbers above 0, up to {}</source>
        <translation>Zahlen über 0 bis höchstens {} schreiben</translation>
    </message>
    <message>
        <source>{} do not descend</source>
        <translation>{} sind nicht absteigend</translation>
    </message>
    <message>
        <source>Write each once, largest first</source>
        <translation>Jeden Wert nur einmal schreiben, den größten zuerst</translation>
    </message>
    <message>
        <source>Write numbers separated by commas</source>
        <translation>Zahlen durch Kommas getrennt schreiben</translation>
    </message>
    <message>
        <source>{} and {} are both given</source>
        <translation>{} und {} sind beide angegeben</translation>
    </message>
    <message>
        <source>Remove one of them</source>
        <translation>Eines davon entfernen</translation>
    </message>
    <message>
        <source>Write numbers from 0 to 100</source>
        <translation>Zahlen von 0 bis 100 schreiben</translation>
    </message>
    <message>
        <source>conditioning_scale is empty</source>
        <translation>conditioning_scale ist leer</translation>
    </message>
    <message>
        <source>{} (and {} more)</source>
        <translation>{} (und {} weitere)</translation>
    </message>
    <message>
        <source>The file names no version and is read as version {}</source>
        <translation>Die Datei nennt keine Version und wird als Version {} gelesen</translation>
    </message>
    <message>
        <source>Write version: {}, or open it with the Meshreel that wrote it</source>
        <translation>version: {} schreiben oder die Datei mit dem Meshreel öffnen, das sie geschrieben hat</translation>
    </message>
    <message>
        <source>{} has no value</source>
        <translation>{} hat keinen Wert</translation>
    </message>
    <message>
        <source>Write &quot;&quot; for no text, or remove the line</source>
        <translation>&quot;&quot; für keinen Text schreiben oder die Zeile entfernen</translation>
    </message>
    <message>
        <source>Write a value, or remove the line</source>
        <translation>Einen Wert schreiben oder die Zeile entfernen</translation>
    </message>
    <message>
        <source>{} holds several values</source>
        <translation>{} enthält mehrere Werte</translation>
    </message>
    <message>
        <source>Write one value: {}</source>
        <translation>Einen einzigen Wert schreiben: {}</translation>
    </message>
    <message>
        <source>{} is in quotes, but it is not a text</source>
        <translation>{} steht in Anführungszeichen, ist aber kein Text</translation>
    </message>
    <message>
        <source>Remove the quotes</source>
        <translation>Die Anführungszeichen entfernen</translation>
    </message>
    <message>
        <source>enable_lora is true, but no adapter is named</source>
        <translation>enable_lora ist true, aber kein Adapter ist genannt</translation>
    </message>
    <message>
        <source>Name them in lora: [{{file: PATH, strength: 1}}]</source>
        <translation>Sie in lora nennen: [{{file: PATH, strength: 1}}]</translation>
    </message>
    <message>
        <source>{} is not possible: {}</source>
        <translation>{} ist nicht möglich: {}</translation>
    </message>
    <message>
        <source>{} has no effect: {}</source>
        <translation>{} hat keine Wirkung: {}</translation>
    </message>
    <message>
        <source>{} is a map of keys</source>
        <translation>{} ist eine Zuordnung von Schlüsseln</translation>
    </message>
    <message>
        <source>Write its keys below it, indented, or set one with {}.KEY=VALUE</source>
        <translation>Die Schlüssel eingerückt darunter schreiben oder einen mit {}.KEY=VALUE setzen</translation>
    </message>
    <message>
        <source>There is no key &quot;{:.80}&quot;</source>
        <translation>Es gibt keinen Schlüssel „{}“</translation>
    </message>
    <message>
        <source>docs/project-keys.md lists all keys</source>
        <translation>docs/project-keys.md listet alle Schlüssel auf</translation>
    </message>
    <message>
        <source>Did you mean &quot;{}&quot;?</source>
        <translation>Meinten Sie „{}“?</translation>
    </message>
    <message>
        <source>1 MaxDiffusion key has no meaning here and is ignored: {}</source>
        <translation>1 MaxDiffusion-Schlüssel hat hier keine Bedeutung und wird übergangen: {}</translation>
    </message>
    <message>
        <source>{} MaxDiffusion keys have no meaning here and are ignored: {}</source>
        <translation>{} MaxDiffusion-Schlüssel haben hier keine Bedeutung und werden übergangen: {}</translation>
    </message>
    <message>
        <source>Check the project&apos;s path</source>
        <translation>Den Pfad des Projekts prüfen</translation>
    </message>
    <message>
        <source>A sweep is a map of keys</source>
        <translation>Eine Messreihe ist eine Zuordnung von Schlüsseln</translation>
    </message>
    <message>
        <source>Begin with version: 1</source>
        <translation>Mit version: 1 beginnen</translation>
    </message>
    <message>
        <source>The sweep names no strategies</source>
        <translation>Die Messreihe nennt keine Strategien</translation>
    </message>
    <message>
        <source>List at least one: - {{name: ring, attention: tokamax_ring}}</source>
        <translation>Mindestens eine auflisten: - {{name: ring, attention: tokamax_ring}}</translation>
    </message>
    <message>
        <source>A sweep has no key {}</source>
        <translation>Eine Messreihe hat keinen Schlüssel {}</translation>
    </message>
    <message>
        <source>It has version, name, arch, layers, repeats, trace_batch, base, strategies and vary</source>
        <translation>Sie hat version, name, arch, layers, repeats, trace_batch, base, strategies und vary</translation>
    </message>
    <message>
        <source>A strategy has no name</source>
        <translation>Eine Strategie hat keinen Namen</translation>
    </message>
    <message>
        <source>Write - {{name: ring, …}}</source>
        <translation>- {{name: ring, …}} schreiben</translation>
    </message>
    <message>
        <source>Two strategies are called {}</source>
        <translation>Zwei Strategien heißen {}</translation>
    </message>
    <message>
        <source>Give each a name of its own</source>
        <translation>Jeder einen eigenen Namen geben</translation>
    </message>
    <message>
        <source>Write {}: [1, 2]</source>
        <translation>{}: [1, 2] schreiben</translation>
    </message>
    <message>
        <source>{} has no single value</source>
        <translation>{} hat keinen einzelnen Wert</translation>
    </message>
    <message>
        <source>Lists go under vary</source>
        <translation>Listen gehören unter vary</translation>
    </message>
    <message>
        <source>vae_spatial is {}, which does not divide the {} devices of the mesh</source>
        <translation>vae_spatial ist {} und teilt die {} Geräte des Gerätenetzes nicht</translation>
    </message>
    <message>
        <source>The nearest legal value is {} (-1 takes as many as help)</source>
        <translation>Der nächste zulässige Wert ist {} (-1 nimmt so viele, wie etwas bringen)</translation>
    </message>
    <message>
        <source>The tensor axis has {} devices, which do not divide the model&apos;s {} feed-forward features</source>
        <translation>Die Tensorachse hat {} Geräte, die die {} Feed-forward-Merkmale des Modells nicht teilen</translation>
    </message>
    <message>
        <source>The nearest sizes that divide its features and heads are {} and {}</source>
        <translation>Die nächsten Größen, die seine Merkmale und Köpfe teilen, sind {} und {}</translation>
    </message>
    <message>
        <source>videos and their halves of guidance</source>
        <translation>Videos und ihre Guidance-Hälften</translation>
    </message>
    <message>
        <source>the two halves of guidance</source>
        <translation>die zwei Guidance-Hälften</translation>
    </message>
    <message>
        <source>one video, no guidance</source>
        <translation>ein Video, keine Guidance</translation>
    </message>
    <message>
        <source>The data and fsdp axes share out a batch of {} ({}) among {} devices; {} have no row to compute</source>
        <translation>Die Achsen data und fsdp teilen einen Batch von {} ({}) auf {} Geräte auf; {} haben keine Zeile zu berechnen</translation>
    </message>
    <message>
        <source>Give the devices to the context axis, which shares out the sequence</source>
        <translation>Die Geräte der Kontextachse geben, die die Sequenz aufteilt</translation>
    </message>
    <message>
        <source>weights_dtype: int8 rounds what goes into the layers to 8 bits, and does not go with activations_dtype: float32</source>
        <translation>weights_dtype: int8 rundet die Eingaben der Schichten auf 8 Bit und verträgt sich nicht mit activations_dtype: float32</translation>
    </message>
    <message>
        <source>Set activations_dtype: bfloat16, or weights_dtype: bfloat16 to keep float32 activations</source>
        <translation>activations_dtype: bfloat16 setzen, oder weights_dtype: bfloat16, um Aktivierungen in float32 zu behalten</translation>
    </message>
    <message>
        <source>{} needs {} above 1, and it is {}: {}</source>
        <translation>{} verlangt {} über 1, und es ist {}: {}</translation>
    </message>
    <message>
        <source>Raise {}, or write {}: false</source>
        <translation>{} erhöhen oder {}: false schreiben</translation>
    </message>
    <message>
        <source>Write two numbers for each step, the prompt&apos;s and the negative prompt&apos;s</source>
        <translation>Für jeden Schritt zwei Zahlen schreiben, die des Prompts und die des negativen Prompts</translation>
    </message>
    <message>
        <source>{} are not all finite numbers</source>
        <translation>{} sind nicht alle endliche Zahlen</translation>
    </message>
    <message>
        <source>Write numbers separated by commas, that of the highest power first</source>
        <translation>Zahlen durch Kommas getrennt schreiben, die der höchsten Potenz zuerst</translation>
    </message>
    <message>
        <source>it has {} numbers, and every step has two</source>
        <translation>sie hat {} Zahlen, und jeder Schritt hat zwei</translation>
    </message>
    <message>
        <source>its numbers are not all from 0 to {}</source>
        <translation>ihre Zahlen liegen nicht alle zwischen 0 und {}</translation>
    </message>
    <message>
        <source>{} and {} are mutually exclusive: each decides by itself what a step takes over from earlier ones, and none is made for predictions that another one has made up</source>
        <translation>{} und {} schließen einander aus: jeder entscheidet für sich, was ein Schritt von früheren übernimmt, und keiner ist für Vorhersagen gemacht, die ein anderer geschätzt hat</translation>
    </message>
    <message>
        <source>Enable only one</source>
        <translation>Nur einen einschalten</translation>
    </message>
    <message>
        <source>The prompt is empty</source>
        <translation>Der Prompt ist leer</translation>
    </message>
    <message>
        <source>Say what the video should show, for example prompt: a red ball moving right</source>
        <translation>Schreiben, was das Video zeigen soll, zum Beispiel prompt: a red ball moving right</translation>
    </message>
    <message>
        <source>broadcast_weights sends a model&apos;s folder, and no adapters</source>
        <translation>broadcast_weights sendet den Ordner eines Modells, aber keine Adapter</translation>
    </message>
    <message>
        <source>Copy model and adapters to every host, and write false</source>
        <translation>Modell und Adapter auf jeden Rechner kopieren und false schreiben</translation>
    </message>
    <message>
        <source>negative_prompt is not used, because guidance_scale is 1 or less</source>
        <translation>negative_prompt wird nicht verwendet, weil guidance_scale 1 oder weniger ist</translation>
    </message>
    <message>
        <source>{} is {} in place of the {} of preset {}</source>
        <translation>{} ist {} anstelle von {} aus der Voreinstellung {}</translation>
    </message>
    <message>
        <source>This is a YAML alias, which a project cannot hold</source>
        <translation>Dies ist ein YAML-Alias, den ein Projekt nicht enthalten kann</translation>
    </message>
    <message>
        <source>Write the value out in full</source>
        <translation>Den Wert ausschreiben</translation>
    </message>
    <message>
        <source>&quot;&amp;{}&quot; is a YAML anchor, which a project cannot hold</source>
        <translation>&quot;&amp;{}&quot; ist ein YAML-Anker, den ein Projekt nicht enthalten kann</translation>
    </message>
    <message>
        <source>Remove it and write each value out in full</source>
        <translation>Ihn entfernen und jeden Wert ausschreiben</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is a YAML tag, which a project cannot hold</source>
        <translation>&quot;{}&quot; ist ein YAML-Tag, das ein Projekt nicht enthalten kann</translation>
    </message>
    <message>
        <source>Remove it</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>The lists and maps are more than {} deep</source>
        <translation>Die Listen und Zuordnungen sind mehr als {} Ebenen tief</translation>
    </message>
    <message>
        <source>A project is a flat list of keys</source>
        <translation>Ein Projekt ist eine flache Liste von Schlüsseln</translation>
    </message>
    <message>
        <source>A key must be a plain name</source>
        <translation>Ein Schlüssel muss ein einfacher Name sein</translation>
    </message>
    <message>
        <source>The key &quot;{}&quot; is already given at line {}</source>
        <translation>Der Schlüssel „{}“ steht schon in Zeile {}</translation>
    </message>
    <message>
        <source>Keep one of them</source>
        <translation>Nur einen davon behalten</translation>
    </message>
    <message>
        <source>A second YAML document begins here</source>
        <translation>Hier beginnt ein zweites YAML-Dokument</translation>
    </message>
    <message>
        <source>A project is one document; remove the &quot;---&quot; line or what follows it</source>
        <translation>Ein Projekt ist ein Dokument; die Zeile &quot;---&quot; oder das Folgende entfernen</translation>
    </message>
    <message>
        <source>The project has {} bytes; at most {} are read</source>
        <translation>Das Projekt hat {} Byte; höchstens {} werden gelesen</translation>
    </message>
    <message>
        <source>Check that this is a project file</source>
        <translation>Prüfen, ob dies eine Projektdatei ist</translation>
    </message>
    <message>
        <source>The text is not UTF-8</source>
        <translation>Der Text ist nicht in UTF-8</translation>
    </message>
    <message>
        <source>Save the file as UTF-8</source>
        <translation>Die Datei in UTF-8 speichern</translation>
    </message>
    <message>
        <source>This is not YAML: {}</source>
        <translation>Dies ist kein YAML: {}</translation>
    </message>
    <message>
        <source>Write one key and its value on a line, key: value, and quote texts with special characters</source>
        <translation>Je Zeile einen Schlüssel und seinen Wert schreiben, Schlüssel: Wert, und Texte mit Sonderzeichen in Anführungszeichen setzen</translation>
    </message>
    <message>
        <source>no pipe to another program could be made ({})</source>
        <translation>es ließ sich keine Pipe zu einem anderen Programm öffnen ({})</translation>
    </message>
    <message>
        <source>Close other programs or raise the limit on open files (ulimit -n)</source>
        <translation>Andere Programme schließen oder die Grenze für offene Dateien anheben (ulimit -n)</translation>
    </message>
    <message>
        <source>{} cannot be started ({})</source>
        <translation>{} lässt sich nicht starten ({})</translation>
    </message>
    <message>
        <source>Install Open MPI (apt-get install openmpi-bin)</source>
        <translation>Open MPI installieren (apt-get install openmpi-bin)</translation>
    </message>
    <message>
        <source>Write one host a line: name [slots=N]</source>
        <translation>Je Zeile einen Rechner schreiben: name [slots=N]</translation>
    </message>
    <message>
        <source>Use letters, digits, &apos;.&apos;, &apos;-&apos; and &apos;_&apos;; name IPv6 addresses in /etc/hosts</source>
        <translation>Buchstaben, Ziffern, &apos;.&apos;, &apos;-&apos; und &apos;_&apos; verwenden; IPv6-Adressen in /etc/hosts benennen</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is not understood</source>
        <translation>„{}“ ist nicht verständlich</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is too much on this line</source>
        <translation>„{}“ ist auf dieser Zeile zu viel</translation>
    </message>
    <message>
        <source>the host &apos;{}&apos; is listed twice</source>
        <translation>der Rechner „{}“ ist doppelt aufgeführt</translation>
    </message>
    <message>
        <source>List it once, with slots= for more than one rank</source>
        <translation>Ihn einmal aufführen, mit slots= für mehr als einen Rang</translation>
    </message>
    <message>
        <source>it lists no host</source>
        <translation>sie führt keinen Rechner auf</translation>
    </message>
    <message>
        <source>there is no such file of hosts</source>
        <translation>diese Rechnerdatei gibt es nicht</translation>
    </message>
    <message>
        <source>{} bytes of the model do not fit into memory ({})</source>
        <translation>{} Byte des Modells passen nicht in den Speicher ({})</translation>
    </message>
    <message>
        <source>Copy the model to every host and leave --broadcast-weights out</source>
        <translation>Das Modell auf jeden Rechner kopieren und --broadcast-weights weglassen</translation>
    </message>
    <message>
        <source>no temporary folder could be made ({})</source>
        <translation>es ließ sich kein temporärer Ordner anlegen ({})</translation>
    </message>
    <message>
        <source>Set TMPDIR to a folder that can be written to</source>
        <translation>TMPDIR auf einen beschreibbaren Ordner setzen</translation>
    </message>
    <message>
        <source>the run to compare with has no latents yet</source>
        <translation>der Vergleichslauf hat noch keine Latents</translation>
    </message>
    <message>
        <source>Finish it first, or remove compare_with</source>
        <translation>Ihn erst zu Ende führen oder compare_with entfernen</translation>
    </message>
    <message>
        <source>the run to compare with is {}x{} with {} frames, and this one {}x{} with {}</source>
        <translation>der Vergleichslauf hat {}x{} mit {} Bildern, dieser {}x{} mit {}</translation>
    </message>
    <message>
        <source>Compare runs of one size and length</source>
        <translation>Läufe gleicher Größe und Länge vergleichen</translation>
    </message>
    <message>
        <source>the file is damaged ({})</source>
        <translation>die Datei ist beschädigt ({})</translation>
    </message>
    <message>
        <source>Restore the run folder from a copy, or start a new run</source>
        <translation>Den Laufordner aus einer Kopie wiederherstellen oder einen neuen Lauf starten</translation>
    </message>
    <message>
        <source>the folder for the run is not empty</source>
        <translation>der Ordner für den Lauf ist nicht leer</translation>
    </message>
    <message>
        <source>the folder for the run cannot be made ({})</source>
        <translation>der Ordner für den Lauf lässt sich nicht anlegen ({})</translation>
    </message>
    <message>
        <source>there is no such run folder</source>
        <translation>diesen Laufordner gibt es nicht</translation>
    </message>
    <message>
        <source>this is not a run folder: it has no {}</source>
        <translation>dies ist kein Laufordner: es fehlt {}</translation>
    </message>
    <message>
        <source>Give a folder that meshreel run has made</source>
        <translation>Einen Ordner angeben, den meshreel run angelegt hat</translation>
    </message>
    <message>
        <source>another program is working on this run</source>
        <translation>ein anderes Programm arbeitet an diesem Lauf</translation>
    </message>
    <message>
        <source>Wait until it is done, or cancel it there</source>
        <translation>Warten, bis es fertig ist, oder dort abbrechen</translation>
    </message>
    <message>
        <source>it does not say its step</source>
        <translation>sie nennt ihren Schritt nicht</translation>
    </message>
    <message>
        <source>its step numbers disagree</source>
        <translation>ihre Schrittnummern widersprechen sich</translation>
    </message>
    <message>
        <source>there is no home folder to keep runs in</source>
        <translation>es gibt kein Benutzerverzeichnis, um Läufe darin abzulegen</translation>
    </message>
    <message>
        <source>Set MESHREEL_RUNS to a folder, or give --out</source>
        <translation>MESHREEL_RUNS auf einen Ordner setzen oder --out angeben</translation>
    </message>
    <message>
        <source>{} cannot be copied into the run&apos;s folder ({})</source>
        <translation>{} lässt sich nicht in den Ordner des Laufs kopieren ({})</translation>
    </message>
    <message>
        <source>Check that the file is there and can be read</source>
        <translation>Prüfen, ob die Datei vorhanden und lesbar ist</translation>
    </message>
    <message>
        <source>Choose a folder that you may write to</source>
        <translation>Einen Ordner mit Schreibrecht wählen</translation>
    </message>
    <message>
        <source>The notes cannot be read: {}</source>
        <translation>Die Notizen lassen sich nicht lesen: {}</translation>
    </message>
    <message>
        <source>Mend the file, or delete it to start anew</source>
        <translation>Die Datei reparieren oder löschen, um neu zu beginnen</translation>
    </message>
    <message>
        <source>there is no video format named &quot;{}&quot;</source>
        <translation>es gibt kein Videoformat namens „{}“</translation>
    </message>
    <message>
        <source>meshreel keys lists them</source>
        <translation>meshreel keys listet sie auf</translation>
    </message>
    <message>
        <source>the run was made on another machine or build ({})</source>
        <translation>der Lauf entstand auf einem anderen Rechner oder mit einem anderen Programmstand ({})</translation>
    </message>
    <message>
        <source>the run has no latents.safetensors yet</source>
        <translation>der Lauf hat noch keine latents.safetensors</translation>
    </message>
    <message>
        <source>the latents {} do not belong to the run&apos;s project ({})</source>
        <translation>die Latents {} gehören nicht zum Projekt des Laufs ({})</translation>
    </message>
    <message>
        <source>Restore the run folder from a copy</source>
        <translation>Den Laufordner aus einer Kopie wiederherstellen</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is not a status of a run</source>
        <translation>„{}“ ist kein Status eines Laufs</translation>
    </message>
    <message>
        <source>It is one of running, done, cancelled, failed</source>
        <translation>Möglich sind running, done, cancelled und failed</translation>
    </message>
    <message>
        <source>it makes up the negative prompt&apos;s half, and without guidance there is none</source>
        <translation>er schätzt die Hälfte des negativen Prompts, und ohne Guidance gibt es keine</translation>
    </message>
    <message>
        <source>its limit was measured on guided predictions</source>
        <translation>seine Grenze wurde an Vorhersagen mit Guidance gemessen</translation>
    </message>
    <message>
        <source>its curve follows the prompt&apos;s and the negative prompt&apos;s half</source>
        <translation>seine Kurve folgt der Hälfte des Prompts und der des negativen Prompts</translation>
    </message>
    <message>
        <source>There is no scheduler &quot;{}&quot;</source>
        <translation>Es gibt keinen Scheduler „{}“</translation>
    </message>
    <message>
        <source>Use one of {}</source>
        <translation>Eines davon verwenden: {}</translation>
    </message>
    <message>
        <source>The checkpoint asks for the scheduler {}, which Meshreel does not have</source>
        <translation>Der Checkpoint verlangt den Scheduler {}, den Meshreel nicht hat</translation>
    </message>
    <message>
        <source>Choose one with the key `scheduler`: {}</source>
        <translation>Mit dem Schlüssel `scheduler` einen wählen: {}</translation>
    </message>
    <message>
        <source>A run of {} steps was asked for</source>
        <translation>Verlangt war ein Lauf von {} Schritten</translation>
    </message>
    <message>
        <source>Use at least 1</source>
        <translation>Mindestens 1 verwenden</translation>
    </message>
    <message>
        <source>Custom sigmas must be at least one number in (0, 1], descending</source>
        <translation>Eigene Sigmas müssen mindestens eine Zahl in (0, 1] sein, absteigend</translation>
    </message>
    <message>
        <source>Correct the list</source>
        <translation>Die Liste berichtigen</translation>
    </message>
    <message>
        <source>Use a higher strength or more steps</source>
        <translation>Eine höhere Stärke oder mehr Schritte verwenden</translation>
    </message>
    <message>
        <source>The saved run stands at step {} of {}</source>
        <translation>Der gespeicherte Lauf steht bei Schritt {} von {}</translation>
    </message>
    <message>
        <source>Resume with the run&apos;s own number of steps</source>
        <translation>Mit der eigenen Schrittzahl des Laufs fortsetzen</translation>
    </message>
    <message>
        <source>a scheduler config must be a JSON object</source>
        <translation>eine Scheduler-Konfiguration muss ein JSON-Objekt sein</translation>
    </message>
    <message>
        <source>Restore the file from the checkpoint&apos;s source</source>
        <translation>Die Datei aus der Quelle des Checkpoints wiederherstellen</translation>
    </message>
    <message>
        <source>`{}` has the value {}, which is of the wrong type</source>
        <translation>`{}` hat den Wert {} von falschem Typ</translation>
    </message>
    <message>
        <source>Correct the scheduler config</source>
        <translation>Die Scheduler-Konfiguration berichtigen</translation>
    </message>
    <message>
        <source>`{}` is &quot;{}&quot;, which is not supported</source>
        <translation>`{}` ist &quot;{}&quot;, was nicht unterstützt wird</translation>
    </message>
    <message>
        <source>`{}` is {}, which is not supported</source>
        <translation>`{}` ist {}, was nicht unterstützt wird</translation>
    </message>
    <message>
        <source>Remove the key from the scheduler config</source>
        <translation>Den Schlüssel aus der Scheduler-Konfiguration entfernen</translation>
    </message>
    <message>
        <source>`use_karras_sigmas` and `use_exponential_sigmas` are both true</source>
        <translation>`use_karras_sigmas` und `use_exponential_sigmas` sind beide true</translation>
    </message>
    <message>
        <source>`use_exponential_sigmas` with `use_flow_sigmas` has noise levels above 1, which no flow has</source>
        <translation>`use_exponential_sigmas` mit `use_flow_sigmas` hat Rauschstufen über 1, die kein Flow hat</translation>
    </message>
    <message>
        <source>Set one of them to false</source>
        <translation>Eines davon auf false setzen</translation>
    </message>
    <message>
        <source>`shift_terminal` needs evenly spaced flow sigmas</source>
        <translation>`shift_terminal` verlangt gleichmäßig verteilte Flow-Sigmas</translation>
    </message>
    <message>
        <source>Remove `shift_terminal`</source>
        <translation>`shift_terminal` entfernen</translation>
    </message>
    <message>
        <source>`num_train_timesteps` is {}</source>
        <translation>`num_train_timesteps` ist {}</translation>
    </message>
    <message>
        <source>It must be at least 1</source>
        <translation>Es muss mindestens 1 sein</translation>
    </message>
    <message>
        <source>`solver_order` is {}</source>
        <translation>`solver_order` ist {}</translation>
    </message>
    <message>
        <source>Use 1, 2 or 3</source>
        <translation>1, 2 oder 3 verwenden</translation>
    </message>
    <message>
        <source>the flow shift is {:f}</source>
        <translation>der Flow-Shift ist {}</translation>
    </message>
    <message>
        <source>It must be above 0</source>
        <translation>Er muss über 0 liegen</translation>
    </message>
    <message>
        <source>`final_sigmas_type` &quot;sigma_min&quot; has no meaning in {}</source>
        <translation>`final_sigmas_type` &quot;sigma_min&quot; hat bei {} keine Bedeutung</translation>
    </message>
    <message>
        <source>Use &quot;zero&quot;</source>
        <translation>&quot;zero&quot; verwenden</translation>
    </message>
    <message>
        <source>`predict_x0` is false, which a flow model cannot be sampled with</source>
        <translation>`predict_x0` ist false; damit lässt sich ein Flow-Modell nicht sampeln</translation>
    </message>
    <message>
        <source>Set it to true</source>
        <translation>Auf true setzen</translation>
    </message>
    <message>
        <source>custom sigmas need the evenly spaced flow schedule of {}</source>
        <translation>eigene Sigmas verlangen den gleichmäßig verteilten Flow-Schedule von {}</translation>
    </message>
    <message>
        <source>Switch `use_karras_sigmas` and `use_exponential_sigmas` off</source>
        <translation>`use_karras_sigmas` und `use_exponential_sigmas` abschalten</translation>
    </message>
    <message>
        <source>a picture {} pixels wide does not hold {} frames side by side</source>
        <translation>ein {} Pixel breites Bild enthält keine {} Bilder nebeneinander</translation>
    </message>
    <message>
        <source>the folder cannot be made: {}</source>
        <translation>der Ordner lässt sich nicht anlegen: {}</translation>
    </message>
    <message>
        <source>Choose another with --out</source>
        <translation>Mit --out einen anderen wählen</translation>
    </message>
    <message>
        <source>the folder holds an evaluation of another model or other settings</source>
        <translation>der Ordner enthält eine Auswertung eines anderen Modells oder mit anderen Einstellungen</translation>
    </message>
    <message>
        <source>Choose another with --out, or delete it</source>
        <translation>Mit --out einen anderen wählen oder diesen löschen</translation>
    </message>
    <message>
        <source>the sheet holds {} first frames where {} are wanted</source>
        <translation>der Bogen enthält {} erste Bilder, verlangt sind {}</translation>
    </message>
    <message>
        <source>Restore the file, or make it again with tools/train-tiny-wan/make_first_frames.py</source>
        <translation>Die Datei wiederherstellen oder mit tools/train-tiny-wan/make_first_frames.py neu erzeugen</translation>
    </message>
    <message>
        <source>Restore the file, or make it again with tools/train-tiny-wan/make_prompts.py</source>
        <translation>Die Datei wiederherstellen oder mit tools/train-tiny-wan/make_prompts.py neu erzeugen</translation>
    </message>
    <message>
        <source>prompt {} asks for &quot;{}&quot;, which nothing here can measure</source>
        <translation>Prompt {} verlangt „{}“, was sich hier nicht messen lässt</translation>
    </message>
    <message>
        <source>prompt {} is empty</source>
        <translation>Prompt {} ist leer</translation>
    </message>
    <message>
        <source>prompt {} lacks the text &quot;{}&quot;</source>
        <translation>Prompt {} fehlt der Text „{}“</translation>
    </message>
    <message>
        <source>the file holds no list of prompts</source>
        <translation>die Datei enthält keine Liste von Prompts</translation>
    </message>
    <message>
        <source>a run makes one video</source>
        <translation>ein Lauf erzeugt ein Video</translation>
    </message>
    <message>
        <source>Leave the batch out</source>
        <translation>Den Batch weglassen</translation>
    </message>
    <message>
        <source>The sweep&apos;s folder cannot be made: {}</source>
        <translation>Der Ordner der Messreihe lässt sich nicht anlegen: {}</translation>
    </message>
    <message>
        <source>Choose another with -o</source>
        <translation>Mit -o einen anderen wählen</translation>
    </message>
    <message>
        <source>The folder holds rows of another sweep, or of this one before it was changed</source>
        <translation>Der Ordner enthält Zeilen einer anderen Messreihe oder dieser vor ihrer Änderung</translation>
    </message>
    <message>
        <source>Choose another folder with -o, or remove this one</source>
        <translation>Mit -o einen anderen Ordner wählen oder diesen entfernen</translation>
    </message>
    <message>
        <source>Choose {} or {}</source>
        <translation>{} oder {} wählen</translation>
    </message>
    <message>
        <source>dot_product has no blocks to tune</source>
        <translation>dot_product hat keine Blöcke zum Abstimmen</translation>
    </message>
    <message>
        <source>Choose flash, or another mode that `meshreel modes` lists with a blocked kernel</source>
        <translation>flash wählen oder einen anderen Modus, den `meshreel modes` mit blockweisem Kernel auflistet</translation>
    </message>
    <message>
        <source>tiles are tuned on the threads of one process</source>
        <translation>Kacheln werden auf den Threads eines einzigen Prozesses abgestimmt</translation>
    </message>
    <message>
        <source>Tune without mpirun, with `devices` as many as one host runs</source>
        <translation>Ohne mpirun abstimmen, mit so vielen `devices`, wie ein Rechner ausführt</translation>
    </message>
    <message>
        <source>the precompiled character map is not base64</source>
        <translation>die vorkompilierte Zeichentabelle ist kein base64</translation>
    </message>
    <message>
        <source>Download the file again</source>
        <translation>Die Datei erneut herunterladen</translation>
    </message>
    <message>
        <source>the pattern &apos;{:.80}&apos; is not understood</source>
        <translation>das Muster „{}“ ist nicht verständlich</translation>
    </message>
    <message>
        <source>Remove tokenizer.json to use spiece.model instead</source>
        <translation>tokenizer.json entfernen, um stattdessen spiece.model zu verwenden</translation>
    </message>
    <message>
        <source>the normalizer &apos;{:.80}&apos; is not supported</source>
        <translation>der Normalizer „{}“ wird nicht unterstützt</translation>
    </message>
    <message>
        <source>the prepend_scheme &apos;{:.80}&apos; is not supported</source>
        <translation>das prepend_scheme „{}“ wird nicht unterstützt</translation>
    </message>
    <message>
        <source>an empty metaspace replacement is not supported</source>
        <translation>ein leerer Metaspace-Ersatz wird nicht unterstützt</translation>
    </message>
    <message>
        <source>the pre-tokenizer &apos;{:.80}&apos; is not supported</source>
        <translation>der Pre-Tokenizer „{}“ wird nicht unterstützt</translation>
    </message>
    <message>
        <source>the precompiled character map is damaged</source>
        <translation>die vorkompilierte Zeichentabelle ist beschädigt</translation>
    </message>
    <message>
        <source>the precompiled character map is not UTF-8</source>
        <translation>die vorkompilierte Zeichentabelle ist nicht in UTF-8</translation>
    </message>
    <message>
        <source>this is not a SentencePiece model</source>
        <translation>dies ist kein SentencePiece-Modell</translation>
    </message>
    <message>
        <source>The file is damaged: download it again</source>
        <translation>Die Datei ist beschädigt: erneut herunterladen</translation>
    </message>
    <message>
        <source>the SentencePiece model has no piece for end of text or for padding</source>
        <translation>dem SentencePiece-Modell fehlt ein Stück für Textende oder Padding</translation>
    </message>
    <message>
        <source>Use the tokenizer that belongs to the model</source>
        <translation>Den Tokenizer verwenden, der zum Modell gehört</translation>
    </message>
    <message>
        <source>the folder holds neither {} nor {}</source>
        <translation>der Ordner enthält weder {} noch {}</translation>
    </message>
    <message>
        <source>Download the tokenizer of the model into it</source>
        <translation>Den Tokenizer des Modells dorthin herunterladen</translation>
    </message>
    <message>
        <source>{} tokens do not hold the {} that surround every text</source>
        <translation>{} Tokens fassen nicht die {}, die jeden Text umgeben</translation>
    </message>
    <message>
        <source>Use 512, as the model was trained</source>
        <translation>512 verwenden, wie das Modell trainiert wurde</translation>
    </message>
    <message>
        <source>the post-processor &apos;{:.80}&apos; is not supported</source>
        <translation>der Post-Processor „{}“ wird nicht unterstützt</translation>
    </message>
    <message>
        <source>the pad token &apos;{:.80}&apos; is not among its tokens</source>
        <translation>das Padding-Token „{}“ ist nicht unter seinen Tokens</translation>
    </message>
    <message>
        <source>this is not laid out as a tokenizer ({})</source>
        <translation>dies ist nicht wie ein Tokenizer aufgebaut ({})</translation>
    </message>
    <message>
        <source>a text is too long to be normalised</source>
        <translation>ein Text ist zu lang, um normalisiert zu werden</translation>
    </message>
    <message>
        <source>Shorten it</source>
        <translation>Ihn kürzen</translation>
    </message>
    <message>
        <source>the tokenizer model &apos;{:.80}&apos; is not supported, only Unigram is</source>
        <translation>das Tokenizer-Modell „{}“ wird nicht unterstützt, nur Unigram</translation>
    </message>
    <message>
        <source>unk_id {} is none of the {} pieces</source>
        <translation>unk_id {} ist keines der {} Stücke</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is in no piece, and there is none for unknown characters</source>
        <translation>„{}“ ist in keinem Stück, und für unbekannte Zeichen gibt es keines</translation>
    </message>
    <message>
        <source>There is no chart of the kind &quot;{}&quot;</source>
        <translation>Es gibt kein Diagramm der Art „{}“</translation>
    </message>
    <message>
        <source>a quoted field of this table does not end</source>
        <translation>in dieser Tabelle endet ein Feld in Anführungszeichen nicht</translation>
    </message>
    <message>
        <source>The file was changed by another program; restore it from a copy, or remove it: the run needs it for its lanes only</source>
        <translation>Die Datei wurde von einem anderen Programm geändert; aus einer Kopie wiederherstellen oder entfernen: der Lauf braucht sie nur für seine Spuren</translation>
    </message>
    <message>
        <source>The devices of step {} are not in their order</source>
        <translation>Die Geräte von Schritt {} stehen nicht in ihrer Reihenfolge</translation>
    </message>
    <message>
        <source>There is no timing summary in it</source>
        <translation>Darin ist keine Zeitübersicht</translation>
    </message>
    <message>
        <source>Give a run folder, or a text that holds a block with the title TIMING SUMMARY</source>
        <translation>Einen Laufordner angeben oder einen Text mit einem Block, der den Titel TIMING SUMMARY trägt</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is not a row of {}</source>
        <translation>„{}“ ist keine Zeile aus {}</translation>
    </message>
    <message>
        <source>The file was changed by another program; restore it from a copy</source>
        <translation>Die Datei wurde von einem anderen Programm geändert; aus einer Kopie wiederherstellen</translation>
    </message>
    <message>
        <source>Give tile_size_grid_search.csv as meshreel tune PROJECT --out-dir writes it</source>
        <translation>tile_size_grid_search.csv angeben, wie meshreel tune PROJECT --out-dir sie schreibt</translation>
    </message>
    <message>
        <source>A chart of tiles shows one search, or runs</source>
        <translation>Ein Diagramm der Kacheln zeigt eine einzige Suche, oder Läufe</translation>
    </message>
    <message>
        <source>Name the search alone</source>
        <translation>Nur die Suche nennen</translation>
    </message>
    <message>
        <source>Block sizes can only be told apart beside the same video, attention and mesh</source>
        <translation>Blockgrößen lassen sich nur bei gleichem Video, gleicher Attention und gleichem Gerätenetz unterscheiden</translation>
    </message>
    <message>
        <source>Name runs that differ in block_q and block_kv only</source>
        <translation>Läufe nennen, die sich nur in block_q und block_kv unterscheiden</translation>
    </message>
    <message>
        <source>Nothing that this tile search tried ran</source>
        <translation>Nichts von dem, was diese Blocksuche versucht hat, ist gelaufen</translation>
    </message>
    <message>
        <source>Its column detail says why</source>
        <translation>Die Spalte detail sagt, warum</translation>
    </message>
    <message>
        <source>None of these runs finished a step</source>
        <translation>Keiner dieser Läufe hat einen Schritt beendet</translation>
    </message>
    <message>
        <source>Name runs that got as far as denoising, or the table of meshreel tune --out-dir</source>
        <translation>Läufe nennen, die bis zum Entrauschen gekommen sind, oder die Tabelle von meshreel tune --out-dir</translation>
    </message>
    <message>
        <source>The line &quot;{}&quot; has no seconds</source>
        <translation>Die Zeile „{}“ nennt keine Sekunden</translation>
    </message>
    <message>
        <source>Paste the block as it was printed: &quot;Compile:   144.3s&quot;</source>
        <translation>Den Block einfügen, wie er ausgegeben wurde: &quot;Compile:   144.3s&quot;</translation>
    </message>
    <message>
        <source>A timing summary lacks its row &quot;{}&quot;</source>
        <translation>Einer Zeitübersicht fehlt ihre Zeile „{}“</translation>
    </message>
    <message>
        <source>Paste the whole block</source>
        <translation>Den ganzen Block einfügen</translation>
    </message>
    <message>
        <source>This is not a Chrome trace: {}</source>
        <translation>Dies ist kein Chrome-Trace: {}</translation>
    </message>
    <message>
        <source>Repeat the run to get its trace.json again</source>
        <translation>Den Lauf wiederholen, um seine trace.json neu zu erhalten</translation>
    </message>
    <message>
        <source>This is a defect of Meshreel; please report it with this line</source>
        <translation>Dies ist ein Fehler in Meshreel; bitte mit dieser Zeile melden</translation>
    </message>
    <message>
        <source>an output is not a finite number</source>
        <translation>eine Ausgabe ist keine endliche Zahl</translation>
    </message>
    <message>
        <source>{} bytes were moved, and {} should have been</source>
        <translation>{} Byte wurden bewegt, und {} hätten es sein müssen</translation>
    </message>
    <message>
        <source>device {} computed heads from {} to {}</source>
        <translation>Gerät {} berechnete die Köpfe {} bis {}</translation>
    </message>
    <message>
        <source>keys were rotated {} times, and should have been {}</source>
        <translation>Keys liefen {}-mal um, und {}-mal hätte es sein müssen</translation>
    </message>
    <message>
        <source>{} ran instead</source>
        <translation>stattdessen lief {}</translation>
    </message>
    <message>
        <source>there is no group &apos;{}&apos;</source>
        <translation>es gibt keine Gruppe „{}“</translation>
    </message>
    <message>
        <source>Choose among {}</source>
        <translation>Daraus wählen: {}</translation>
    </message>
    <message>
        <source>Give what meshreel bench --json printed, or a file that meshreel bench --append wrote</source>
        <translation>Angeben, was meshreel bench --json ausgegeben hat, oder eine Datei, die meshreel bench --append geschrieben hat</translation>
    </message>
    <message>
        <source>No row of this measurement tells operations and bytes beside the machine&apos;s limits</source>
        <translation>Keine Zeile dieser Messung nennt Operationen und Byte neben den Grenzen des Rechners</translation>
    </message>
    <message>
        <source>A line of this file is no measurement of meshreel bench</source>
        <translation>Eine Zeile dieser Datei ist keine Messung von meshreel bench</translation>
    </message>
    <message>
        <source>This file holds no measurement</source>
        <translation>Diese Datei enthält keine Messung</translation>
    </message>
    <message>
        <source>Choose wan2.1-t2v-1.3b or wan2.1-t2v-14b</source>
        <translation>wan2.1-t2v-1.3b oder wan2.1-t2v-14b wählen</translation>
    </message>
    <message>
        <source>{}x{}x{} is no size of a video</source>
        <translation>{}x{}x{} ist keine Videogröße</translation>
    </message>
    <message>
        <source>Choose sides that 16 divides and 4n + 1 frames: 832x480x17</source>
        <translation>Durch 16 teilbare Seiten und 4n + 1 Bilder wählen: 832x480x17</translation>
    </message>
    <message>
        <source>{} of {} is impossible</source>
        <translation>{} von {} ist nicht möglich</translation>
    </message>
    <message>
        <source>Use 1 or more</source>
        <translation>1 oder mehr verwenden</translation>
    </message>
    <message>
        <source>{} devices are too many</source>
        <translation>{} Geräte sind zu viele</translation>
    </message>
    <message>
        <source>Use at most {}</source>
        <translation>Höchstens {} verwenden</translation>
    </message>
    <message>
        <source>A tensor of this attention would not fit any memory</source>
        <translation>Ein Tensor dieser Attention passte in keinen Speicher</translation>
    </message>
    <message>
        <source>Use a smaller batch, sequence, head count or head size</source>
        <translation>Einen kleineren Batch, eine kürzere Sequenz, weniger oder kleinere Köpfe verwenden</translation>
    </message>
    <message>
        <source>A probability of {} is impossible</source>
        <translation>Eine Wahrscheinlichkeit von {} ist nicht möglich</translation>
    </message>
    <message>
        <source>Use 0 to 1</source>
        <translation>0 bis 1 verwenden</translation>
    </message>
    <message>
        <source>{} of {} keys cannot be masked</source>
        <translation>{} von {} Keys lassen sich nicht maskieren</translation>
    </message>
    <message>
        <source>Use 0 to {}</source>
        <translation>0 bis {} verwenden</translation>
    </message>
    <message>
        <source>There is no row {} in a batch of {}</source>
        <translation>Es gibt keine Zeile {} in einem Batch von {}</translation>
    </message>
    <message>
        <source>{} does not divide the devices by ulysses_shards, so that {} means nothing</source>
        <translation>{} teilt die Geräte nicht nach ulysses_shards auf, sodass {} nichts bedeutet</translation>
    </message>
    <message>
        <source>Leave it out, or use one of the ulysses_ring modes</source>
        <translation>Weglassen oder einen der ulysses_ring-Modi verwenden</translation>
    </message>
    <message>
        <source>Attention does not run in {}</source>
        <translation>Attention läuft nicht in {}</translation>
    </message>
    <message>
        <source>Use f32 or bf16</source>
        <translation>f32 oder bf16 verwenden</translation>
    </message>
    <message>
        <source>The gain is not a number</source>
        <translation>Die Verstärkung ist keine Zahl</translation>
    </message>
    <message>
        <source>Use a finite number, such as 6</source>
        <translation>Eine endliche Zahl verwenden, etwa 6</translation>
    </message>
    <message>
        <source>`{}` has more rows than max_sequence_length</source>
        <translation>`{}` hat mehr Zeilen als max_sequence_length</translation>
    </message>
    <message>
        <source>Restore the golden case</source>
        <translation>Den Referenzfall wiederherstellen</translation>
    </message>
    <message>
        <source>The case is of the class {}, which Meshreel cannot run yet</source>
        <translation>Der Fall ist von der Klasse {}, die Meshreel noch nicht ausführen kann</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is not a number</source>
        <translation>„{}“ ist keine Zahl</translation>
    </message>
    <message>
        <source>custom.json has no sigmas for &quot;{}&quot;</source>
        <translation>custom.json hat keine Sigmas für „{}“</translation>
    </message>
    <message>
        <source>This is no table of texts and their ids</source>
        <translation>Dies ist keine Tabelle von Texten und ihren IDs</translation>
    </message>
    <message>
        <source>something is there already</source>
        <translation>dort liegt schon etwas</translation>
    </message>
    <message>
        <source>Choose a folder that does not exist yet, or remove it first</source>
        <translation>Einen Ordner wählen, den es noch nicht gibt, oder ihn zuerst entfernen</translation>
    </message>
    <message>
        <source>{} of weights do not fit on the disk, which has {} left</source>
        <translation>{} an Gewichten passen nicht auf den Datenträger, auf dem noch {} frei sind</translation>
    </message>
    <message>
        <source>Choose fewer --layers, --sparse or another disk</source>
        <translation>Weniger --layers, --sparse oder einen anderen Datenträger wählen</translation>
    </message>
    <message>
        <source>no whole model is made around {}</source>
        <translation>um {} herum wird kein ganzes Modell erzeugt</translation>
    </message>
    <message>
        <source>Choose {}1.3b or {}14b, or make each component by itself</source>
        <translation>{}1.3b oder {}14b wählen oder jeden Bestandteil einzeln erzeugen</translation>
    </message>
    <message>
        <source>there is no part &apos;{}&apos;</source>
        <translation>es gibt keinen Teil „{}“</translation>
    </message>
    <message>
        <source>Golden cases of the kind &quot;{}&quot; are not known yet</source>
        <translation>Referenzfälle der Art „{}“ sind noch nicht bekannt</translation>
    </message>
    <message>
        <source>This version checks {}</source>
        <translation>Diese Version prüft {}</translation>
    </message>
    <message>
        <source>A JSON file of the case is not of the expected form: {}</source>
        <translation>Eine JSON-Datei des Falls hat nicht die erwartete Form: {}</translation>
    </message>
    <message>
        <source>`{}` is {}, not a text</source>
        <translation>`{}` ist {}, kein Text</translation>
    </message>
    <message>
        <source>Give the folder of a case</source>
        <translation>Den Ordner eines Falls angeben</translation>
    </message>
    <message>
        <source>The case has no `kind`</source>
        <translation>Dem Fall fehlt `kind`</translation>
    </message>
    <message>
        <source>The case has no number `tolerance.{}`</source>
        <translation>Dem Fall fehlt die Zahl `tolerance.{}`</translation>
    </message>
    <message>
        <source>(none)</source>
        <translation>(keine)</translation>
    </message>
    <message>
        <source>Cases of the class {} are not known yet; kind {} is checked for {}</source>
        <translation>Fälle der Klasse {} sind noch nicht bekannt; die Art {} wird für {} geprüft</translation>
    </message>
    <message>
        <source>Verify it with a newer Meshreel</source>
        <translation>Mit einem neueren Meshreel prüfen</translation>
    </message>
    <message>
        <source>The case gives the model the input `{}`, which Meshreel cannot run yet</source>
        <translation>Der Fall gibt dem Modell die Eingabe `{}`, mit der Meshreel noch nicht umgehen kann</translation>
    </message>
    <message>
        <source>Use none, tail:K or head:K (the last or first K keys), row:B (all keys of batch row B) or random:P (each key with probability P)</source>
        <translation>none, tail:K oder head:K (die letzten oder ersten K Keys), row:B (alle Keys der Batchzeile B) oder random:P (jeder Key mit Wahrscheinlichkeit P) verwenden</translation>
    </message>
    <message>
        <source>The case does not say how the pipeline was called</source>
        <translation>Der Fall sagt nicht, wie die Pipeline aufgerufen wurde</translation>
    </message>
    <message>
        <source>Restore its README.md, whose line &quot;Call:&quot; holds the arguments</source>
        <translation>Seine README.md wiederherstellen, deren Zeile &quot;Call:&quot; die Argumente enthält</translation>
    </message>
    <message>
        <source>The case calls the pipeline with `{}`, which Meshreel cannot run yet</source>
        <translation>Der Fall ruft die Pipeline mit `{}` auf, womit Meshreel noch nicht umgehen kann</translation>
    </message>
    <message>
        <source>An argument of the pipeline call is of the wrong type: {}</source>
        <translation>Ein Argument des Pipeline-Aufrufs ist vom falschen Typ: {}</translation>
    </message>
    <message>
        <source>the cache cannot be written ({})</source>
        <translation>der Cache lässt sich nicht schreiben ({})</translation>
    </message>
    <message>
        <source>Set XDG_CACHE_HOME to a folder that you may write to, or run with --no-cache</source>
        <translation>XDG_CACHE_HOME auf einen Ordner mit Schreibrecht setzen oder mit --no-cache ausführen</translation>
    </message>
    <message>
        <source>the packed weights are of another model</source>
        <translation>die gepackten Gewichte gehören zu einem anderen Modell</translation>
    </message>
    <message>
        <source>Clear the cache (meshreel cache clear --weights): it is made again</source>
        <translation>Den Cache leeren (meshreel cache clear --weights): er wird neu erzeugt</translation>
    </message>
    <message>
        <source>the file of packed weights is too short</source>
        <translation>die Datei der gepackten Gewichte ist zu kurz</translation>
    </message>
    <message>
        <source>this is not a file of packed weights of this version</source>
        <translation>dies ist keine Datei gepackter Gewichte dieser Version</translation>
    </message>
    <message>
        <source>the file of packed weights is not complete</source>
        <translation>die Datei der gepackten Gewichte ist unvollständig</translation>
    </message>
    <message>
        <source>the directory of the packed weights is damaged</source>
        <translation>das Verzeichnis der gepackten Gewichte ist beschädigt</translation>
    </message>
    <message>
        <source>the packed &apos;{}&apos; lies outside its file</source>
        <translation>das gepackte „{}“ liegt außerhalb seiner Datei</translation>
    </message>
    <message>
        <source>the directory of the packed weights is malformed: {}</source>
        <translation>das Verzeichnis der gepackten Gewichte ist falsch aufgebaut: {}</translation>
    </message>
    <message>
        <source>the packed &apos;{}&apos; is damaged</source>
        <translation>das gepackte „{}“ ist beschädigt</translation>
    </message>
    <message>
        <source>the packed weights could not be written ({})</source>
        <translation>die gepackten Gewichte konnten nicht geschrieben werden ({})</translation>
    </message>
    <message>
        <source>Free some space, set XDG_CACHE_HOME to another disk, or run with --no-cache</source>
        <translation>Platz schaffen, XDG_CACHE_HOME auf einen anderen Datenträger setzen oder mit --no-cache ausführen</translation>
    </message>
    <message>
        <source>Clear the cache ({}): it is made again</source>
        <translation>Den Cache leeren ({}): er wird neu erzeugt</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is not a number of GiB</source>
        <translation>„{}“ ist keine Angabe in GiB</translation>
    </message>
    <message>
        <source>Set it to the size that the cache of packed weights may reach</source>
        <translation>Auf die Größe setzen, die der Cache gepackter Gewichte erreichen darf</translation>
    </message>
    <message>
        <source>the folder holds none of {}</source>
        <translation>der Ordner enthält nichts davon: {}</translation>
    </message>
    <message>
        <source>Download the weights into it, or choose another model</source>
        <translation>Die Gewichte dorthin herunterladen oder ein anderes Modell wählen</translation>
    </message>
    <message>
        <source>It holds several other files of weights ({}): give the path of one</source>
        <translation>Er enthält mehrere andere Gewichtsdateien ({}): den Pfad einer davon angeben</translation>
    </message>
    <message>
        <source>there is no such file or folder</source>
        <translation>diese Datei oder diesen Ordner gibt es nicht</translation>
    </message>
    <message>
        <source>Check the path of the model</source>
        <translation>Den Pfad des Modells prüfen</translation>
    </message>
    <message>
        <source>the index has no weight_map {{tensor: file}}</source>
        <translation>dem Index fehlt weight_map {{tensor: file}}</translation>
    </message>
    <message>
        <source>Download the index again</source>
        <translation>Den Index erneut herunterladen</translation>
    </message>
    <message>
        <source>Download the index from the model&apos;s own repository</source>
        <translation>Den Index aus dem eigenen Repository des Modells herunterladen</translation>
    </message>
    <message>
        <source>{} of {} shards are missing: {}</source>
        <translation>{} von {} Teildateien fehlen: {}</translation>
    </message>
    <message>
        <source>Download them into the same folder</source>
        <translation>Sie in denselben Ordner herunterladen</translation>
    </message>
    <message>
        <source>its shape {} is not that of the original model</source>
        <translation>seine Form {} ist nicht die des ursprünglichen Modells</translation>
    </message>
    <message>
        <source>The file is of another model, or damaged</source>
        <translation>Die Datei gehört zu einem anderen Modell oder ist beschädigt</translation>
    </message>
    <message>
        <source>the index places it in {}, which does not hold it</source>
        <translation>laut Index liegt er in {}, doch dort ist er nicht</translation>
    </message>
    <message>
        <source>Download index and shards again, from one revision of the model</source>
        <translation>Index und Teildateien erneut herunterladen, aus derselben Revision des Modells</translation>
    </message>
    <message>
        <source>the file says that its fp8 weights are scaled ({}), but this one has no scale</source>
        <translation>die Datei nennt ihre fp8-Gewichte skaliert ({}), aber diesem fehlt der Skalierungsfaktor</translation>
    </message>
    <message>
        <source>The file is incomplete: get it again, or another one</source>
        <translation>Die Datei ist unvollständig: erneut beschaffen oder eine andere nehmen</translation>
    </message>
    <message>
        <source>the checkpoint holds no such tensor</source>
        <translation>der Checkpoint enthält keinen solchen Tensor</translation>
    </message>
    <message>
        <source>The weights and config.json are of different models</source>
        <translation>Die Gewichte und config.json gehören zu verschiedenen Modellen</translation>
    </message>
    <message>
        <source>The nearest name is &apos;{}&apos;: the weights and config.json may be of different models</source>
        <translation>Der ähnlichste Name ist „{}“: die Gewichte und config.json gehören vielleicht zu verschiedenen Modellen</translation>
    </message>
    <message>
        <source>its shape is {}, but {} was expected</source>
        <translation>seine Form ist {}, erwartet wurde {}</translation>
    </message>
    <message>
        <source>its scale has shape {}: neither one number nor one for each of its rows</source>
        <translation>sein Skalierungsfaktor hat die Form {}: weder eine einzelne Zahl noch eine je Zeile</translation>
    </message>
    <message>
        <source>Use a file with one scale for each weight</source>
        <translation>Eine Datei mit einem Skalierungsfaktor je Gewicht verwenden</translation>
    </message>
    <message>
        <source>The file is damaged or incomplete: download it again</source>
        <translation>Die Datei ist beschädigt oder unvollständig: erneut herunterladen</translation>
    </message>
    <message>
        <source>something is said to lie at byte {}, but there are only {} bytes (truncated)</source>
        <translation>bei Byte {} soll etwas liegen, aber es gibt nur {} Byte (abgeschnitten)</translation>
    </message>
    <message>
        <source>{} bytes are wanted at byte {}, but only {} are left (truncated)</source>
        <translation>{} Byte werden bei Byte {} gebraucht, aber nur {} sind übrig (abgeschnitten)</translation>
    </message>
    <message>
        <source>the file says it holds {} tensors, more than fit into it</source>
        <translation>die Datei nennt {} Tensoren, mehr als hineinpassen</translation>
    </message>
    <message>
        <source>this GGUF file is big-endian, which is not supported</source>
        <translation>diese GGUF-Datei ist big-endian, was nicht unterstützt wird</translation>
    </message>
    <message>
        <source>Get the little-endian file</source>
        <translation>Die Datei in little-endian beschaffen</translation>
    </message>
    <message>
        <source>this is GGUF version {}</source>
        <translation>dies ist GGUF-Version {}</translation>
    </message>
    <message>
        <source>Versions 2 and 3 are read: convert the file with a newer tool, or get another one</source>
        <translation>Gelesen werden die Versionen 2 und 3: die Datei mit einem neueren Werkzeug umwandeln oder eine andere beschaffen</translation>
    </message>
    <message>
        <source>the metadata &apos;{}&apos; is given twice</source>
        <translation>die Metadaten „{}“ sind doppelt angegeben</translation>
    </message>
    <message>
        <source>{} is {}, not a power of two</source>
        <translation>{} ist {}, keine Zweierpotenz</translation>
    </message>
    <message>
        <source>a metadata value is of the unknown type {}</source>
        <translation>ein Wert der Metadaten ist vom unbekannten Typ {}</translation>
    </message>
    <message>
        <source>metadata lists are nested deeper than {} levels</source>
        <translation>Listen der Metadaten sind tiefer als {} Ebenen verschachtelt</translation>
    </message>
    <message>
        <source>a metadata list says it has {} items, more than fit into the file</source>
        <translation>eine Liste der Metadaten nennt {} Einträge, mehr als in die Datei passen</translation>
    </message>
    <message>
        <source>it has {} axes; at most {} are read</source>
        <translation>er hat {} Achsen; höchstens {} werden gelesen</translation>
    </message>
    <message>
        <source>its shape is larger than any memory</source>
        <translation>seine Form ist größer als jeder Speicher</translation>
    </message>
    <message>
        <source>its rows of {} elements are no whole number of {} blocks of {}</source>
        <translation>seine Zeilen aus {} Elementen ergeben keine ganze Zahl von {}-Blöcken zu {}</translation>
    </message>
    <message>
        <source>its offset {} is not a multiple of the alignment {}</source>
        <translation>sein Versatz {} ist kein Vielfaches der Ausrichtung {}</translation>
    </message>
    <message>
        <source>its {} bytes at {} do not fit into the {} bytes of data (truncated)</source>
        <translation>seine {} Byte bei {} passen nicht in die {} Byte Daten (abgeschnitten)</translation>
    </message>
    <message>
        <source>it is given twice</source>
        <translation>er ist doppelt angegeben</translation>
    </message>
    <message>
        <source>the shape that the metadata gives for it is no shape</source>
        <translation>die Form, die ihm die Metadaten geben, ist keine Form</translation>
    </message>
    <message>
        <source>the metadata gives it the shape {}, but it is stored as {}</source>
        <translation>die Metadaten geben ihm die Form {}, gespeichert ist er als {}</translation>
    </message>
    <message>
        <source>its data begins inside that of &apos;{}&apos;</source>
        <translation>seine Daten beginnen innerhalb derer von „{}“</translation>
    </message>
    <message>
        <source>GGUF has no type {}</source>
        <translation>GGUF kennt keinen Typ {}</translation>
    </message>
    <message>
        <source>Choose another type or another format</source>
        <translation>Einen anderen Typ oder ein anderes Format wählen</translation>
    </message>
    <message>
        <source>the JSON is nested deeper than {} levels</source>
        <translation>das JSON ist tiefer als {} Ebenen verschachtelt</translation>
    </message>
    <message>
        <source>the JSON key &apos;{:.80}&apos; is given twice</source>
        <translation>der JSON-Schlüssel „{}“ ist doppelt angegeben</translation>
    </message>
    <message>
        <source>this is not valid JSON (byte {})</source>
        <translation>dies ist kein gültiges JSON (Byte {})</translation>
    </message>
    <message>
        <source>this is not valid JSON</source>
        <translation>dies ist kein gültiges JSON</translation>
    </message>
    <message>
        <source>a JSON object was expected, this is of type {}</source>
        <translation>erwartet wurde ein JSON-Objekt, dies ist vom Typ {}</translation>
    </message>
    <message>
        <source>the pickle does not start with its protocol</source>
        <translation>das Pickle beginnt nicht mit seinem Protokoll</translation>
    </message>
    <message>
        <source>the pickle has protocol {}; {} to {} are read</source>
        <translation>das Pickle hat Protokoll {}; {} bis {} werden gelesen</translation>
    </message>
    <message>
        <source>the pickle holds the instruction 0x{:02X}, which weights do not need</source>
        <translation>das Pickle enthält den Befehl 0x{}, den Gewichte nicht brauchen</translation>
    </message>
    <message>
        <source>the pickle takes more from its stack than it put there</source>
        <translation>das Pickle nimmt mehr von seinem Stapel, als es dort abgelegt hat</translation>
    </message>
    <message>
        <source>the pickle adds an item to something that takes none</source>
        <translation>das Pickle fügt einen Eintrag zu etwas hinzu, das keine aufnimmt</translation>
    </message>
    <message>
        <source>the pickle goes back to a mark that it did not set</source>
        <translation>das Pickle kehrt zu einer Marke zurück, die es nicht gesetzt hat</translation>
    </message>
    <message>
        <source>the pickle recalls number {}, which it did not store</source>
        <translation>das Pickle ruft Nummer {} ab, die es nicht gespeichert hat</translation>
    </message>
    <message>
        <source>a dictionary of the pickle has a key without a value</source>
        <translation>ein Dictionary des Pickles hat einen Schlüssel ohne Wert</translation>
    </message>
    <message>
        <source>the pickle holds a number of more than 64 bits</source>
        <translation>das Pickle enthält eine Zahl mit mehr als 64 Bit</translation>
    </message>
    <message>
        <source>a name in the pickle has no end</source>
        <translation>ein Name im Pickle hat kein Ende</translation>
    </message>
    <message>
        <source>the pickle names a global by something else than texts</source>
        <translation>das Pickle benennt ein globales Objekt mit etwas anderem als Texten</translation>
    </message>
    <message>
        <source>the pickle wants &quot;{}&quot;, which weights do not need; it was not called</source>
        <translation>das Pickle verlangt „{}“, was Gewichte nicht brauchen; es wurde nicht aufgerufen</translation>
    </message>
    <message>
        <source>Do not trust this file; get the weights as safetensors, or save only the state dict</source>
        <translation>Dieser Datei nicht trauen; die Gewichte als safetensors beschaffen oder nur das State-Dict speichern</translation>
    </message>
    <message>
        <source>the pickle calls something that is no constructor of weights</source>
        <translation>das Pickle ruft etwas auf, das kein Konstruktor von Gewichten ist</translation>
    </message>
    <message>
        <source>the pickle makes an OrderedDict from arguments</source>
        <translation>das Pickle bildet ein OrderedDict aus Argumenten</translation>
    </message>
    <message>
        <source>the file holds no such tensor</source>
        <translation>die Datei enthält keinen solchen Tensor</translation>
    </message>
    <message>
        <source>Check that this is the weights file of this model</source>
        <translation>Prüfen, ob dies die Gewichtsdatei dieses Modells ist</translation>
    </message>
    <message>
        <source>The nearest name is &apos;{}&apos;</source>
        <translation>Der ähnlichste Name ist „{}“</translation>
    </message>
    <message>
        <source>its type {:.40} is not supported</source>
        <translation>sein Typ {} wird nicht unterstützt</translation>
    </message>
    <message>
        <source>Use a checkpoint in F32, F16 or BF16</source>
        <translation>Einen Checkpoint in F32, F16 oder BF16 verwenden</translation>
    </message>
    <message>
        <source>this is a Git LFS pointer, not the weights themselves</source>
        <translation>dies ist ein Git-LFS-Zeiger, nicht die Gewichte selbst</translation>
    </message>
    <message>
        <source>Run &apos;git lfs pull&apos; in its repository, or download the file</source>
        <translation>&apos;git lfs pull&apos; im Repository ausführen oder die Datei herunterladen</translation>
    </message>
    <message>
        <source>the file has {} bytes, too few for a safetensors header</source>
        <translation>die Datei hat {} Byte, zu wenige für einen safetensors-Dateikopf</translation>
    </message>
    <message>
        <source>the header says it is {} bytes long; at most {} are allowed</source>
        <translation>der Dateikopf nennt {} Byte als seine Länge; höchstens {} sind erlaubt</translation>
    </message>
    <message>
        <source>the header says it is {} bytes long, but the file has only {} bytes</source>
        <translation>der Dateikopf nennt {} Byte als seine Länge, aber die Datei hat nur {} Byte</translation>
    </message>
    <message>
        <source>the header does not start with &apos;{{&apos;: this is not a safetensors file</source>
        <translation>der Dateikopf beginnt nicht mit &apos;{{&apos;: dies ist keine safetensors-Datei</translation>
    </message>
    <message>
        <source>the header gives no {}</source>
        <translation>der Dateikopf nennt kein {}</translation>
    </message>
    <message>
        <source>the shape is not a list of numbers</source>
        <translation>die Form ist keine Liste von Zahlen</translation>
    </message>
    <message>
        <source>the shape holds {:.40}, which is not a count</source>
        <translation>die Form enthält {}, was keine Anzahl ist</translation>
    </message>
    <message>
        <source>the shape {:.80} is larger than any memory</source>
        <translation>die Form {} ist größer als jeder Speicher</translation>
    </message>
    <message>
        <source>the header describes it by something else than an object</source>
        <translation>der Dateikopf beschreibt ihn mit etwas anderem als einem Objekt</translation>
    </message>
    <message>
        <source>the dtype is not a text</source>
        <translation>dtype ist kein Text</translation>
    </message>
    <message>
        <source>data_offsets is not a pair of counts</source>
        <translation>data_offsets ist kein Paar von Anzahlen</translation>
    </message>
    <message>
        <source>its data begins at {} but ends at {}</source>
        <translation>seine Daten beginnen bei {}, enden aber bei {}</translation>
    </message>
    <message>
        <source>its data ends at byte {}, but the file holds only {} bytes of data (truncated)</source>
        <translation>seine Daten enden bei Byte {}, aber die Datei enthält nur {} Byte Daten (abgeschnitten)</translation>
    </message>
    <message>
        <source>shape {} of {} needs {} bytes, but data_offsets [{}, {}] hold {}</source>
        <translation>Form {} von {} braucht {} Byte, aber data_offsets [{}, {}] enthält {}</translation>
    </message>
    <message>
        <source>__metadata__ is not an object</source>
        <translation>__metadata__ ist kein Objekt</translation>
    </message>
    <message>
        <source>the metadata &apos;{:.80}&apos; is not a text</source>
        <translation>die Metadaten „{}“ sind kein Text</translation>
    </message>
    <message>
        <source>its data begins at {}, inside the tensor before it, which ends at {}</source>
        <translation>seine Daten beginnen bei {}, innerhalb des vorigen Tensors, der bei {} endet</translation>
    </message>
    <message>
        <source>its data begins at {}, behind a hole after the tensor before it, which ends at {}</source>
        <translation>seine Daten beginnen bei {}, nach einer Lücke hinter dem vorigen Tensor, der bei {} endet</translation>
    </message>
    <message>
        <source>{} bytes follow the last tensor, which no tensor describes</source>
        <translation>nach dem letzten Tensor folgen {} Byte, die kein Tensor beschreibt</translation>
    </message>
    <message>
        <source>safetensors has no type {}</source>
        <translation>safetensors kennt keinen Typ {}</translation>
    </message>
    <message>
        <source>Write a file whose name ends in .gguf</source>
        <translation>Eine Datei schreiben, deren Name auf .gguf endet</translation>
    </message>
    <message>
        <source>the weights could not be written ({})</source>
        <translation>die Gewichte konnten nicht geschrieben werden ({})</translation>
    </message>
    <message>
        <source>Free some space or choose another disk</source>
        <translation>Platz schaffen oder einen anderen Datenträger wählen</translation>
    </message>
    <message>
        <source>this is not a GGUF file: it does not start with &quot;GGUF&quot;</source>
        <translation>dies ist keine GGUF-Datei: sie beginnt nicht mit &quot;GGUF&quot;</translation>
    </message>
    <message>
        <source>this is not a checkpoint that torch.save() wrote</source>
        <translation>dies ist kein Checkpoint, den torch.save() geschrieben hat</translation>
    </message>
    <message>
        <source>It may be a Git LFS pointer or the page of an error: download the file again</source>
        <translation>Vielleicht ist es ein Git-LFS-Zeiger oder eine Fehlerseite: die Datei erneut herunterladen</translation>
    </message>
    <message>
        <source>The file is damaged or no checkpoint: get it again, or as safetensors</source>
        <translation>Die Datei ist beschädigt oder kein Checkpoint: erneut oder als safetensors beschaffen</translation>
    </message>
    <message>
        <source>its numbers are not little-endian</source>
        <translation>die Zahlen sind nicht little-endian</translation>
    </message>
    <message>
        <source>its pickle holds no tensors by name</source>
        <translation>das Pickle enthält keine benannten Tensoren</translation>
    </message>
    <message>
        <source>argument {} of {} is not what it should be</source>
        <translation>Argument {} von {} ist nicht, was es sein sollte</translation>
    </message>
    <message>
        <source>its shape or strides hold something else than counts</source>
        <translation>seine Form oder seine Schrittweiten enthalten anderes als Anzahlen</translation>
    </message>
    <message>
        <source>the parameter holds no tensor</source>
        <translation>der Parameter enthält keinen Tensor</translation>
    </message>
    <message>
        <source>its storage has no type</source>
        <translation>sein Speicherblock hat keinen Typ</translation>
    </message>
    <message>
        <source>its type {} is not known</source>
        <translation>sein Typ {} ist nicht bekannt</translation>
    </message>
    <message>
        <source>its storage is not described by five parts</source>
        <translation>sein Speicherblock ist nicht mit fünf Teilen beschrieben</translation>
    </message>
    <message>
        <source>part {} of its storage&apos;s description is not what it should be</source>
        <translation>Teil {} der Beschreibung seines Speicherblocks ist nicht, was er sein sollte</translation>
    </message>
    <message>
        <source>it refers to something else than a storage</source>
        <translation>er verweist auf etwas anderes als einen Speicherblock</translation>
    </message>
    <message>
        <source>its storage data/{} is not in the archive</source>
        <translation>sein Speicherblock data/{} ist nicht im Archiv</translation>
    </message>
    <message>
        <source>its shape, strides and offset do not fit together</source>
        <translation>seine Form, seine Schrittweiten und sein Versatz passen nicht zusammen</translation>
    </message>
    <message>
        <source>shape {} at element {} does not lie in its storage of {} elements</source>
        <translation>Form {} ab Element {} liegt nicht in seinem Speicherblock von {} Elementen</translation>
    </message>
    <message>
        <source>this file is in the form that PyTorch wrote before version 1.6</source>
        <translation>diese Datei hat die Form, die PyTorch vor Version 1.6 schrieb</translation>
    </message>
    <message>
        <source>Get the weights as safetensors, or load and save them with a newer PyTorch</source>
        <translation>Die Gewichte als safetensors beschaffen oder mit einem neueren PyTorch laden und speichern</translation>
    </message>
    <message>
        <source>the archive says it holds {} files, more than fit into it</source>
        <translation>das Archiv nennt {} Dateien, mehr als hineinpassen</translation>
    </message>
    <message>
        <source>the archive is too short</source>
        <translation>das Archiv ist zu kurz</translation>
    </message>
    <message>
        <source>the archive has no directory (truncated)</source>
        <translation>dem Archiv fehlt das Verzeichnis (abgeschnitten)</translation>
    </message>
    <message>
        <source>the archive is one of several parts</source>
        <translation>das Archiv ist nur einer von mehreren Teilen</translation>
    </message>
    <message>
        <source>the zip64 archive is too short</source>
        <translation>das zip64-Archiv ist zu kurz</translation>
    </message>
    <message>
        <source>the archive has no zip64 locator where it should be</source>
        <translation>im Archiv steht kein zip64-Locator, wo er sein sollte</translation>
    </message>
    <message>
        <source>the archive has no zip64 end record where it should be</source>
        <translation>im Archiv steht kein zip64-Endeintrag, wo er sein sollte</translation>
    </message>
    <message>
        <source>the archive has no directory entry where it should be</source>
        <translation>im Archiv steht kein Verzeichniseintrag, wo er sein sollte</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is encrypted in the archive</source>
        <translation>„{}“ ist im Archiv verschlüsselt</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is compressed in the archive</source>
        <translation>„{}“ ist im Archiv komprimiert</translation>
    </message>
    <message>
        <source>PyTorch stores weights uncompressed: get the original file, or unpack and pack it without compression</source>
        <translation>PyTorch speichert Gewichte unkomprimiert: die Originaldatei beschaffen oder sie auspacken und ohne Kompression neu packen</translation>
    </message>
    <message>
        <source>&apos;{}&apos; lies behind the end of the archive (truncated)</source>
        <translation>„{}“ liegt hinter dem Ende des Archivs (abgeschnitten)</translation>
    </message>
    <message>
        <source>the archive has no file header where it should be</source>
        <translation>im Archiv steht kein Dateikopf, wo er sein sollte</translation>
    </message>
    <message>
        <source>&apos;{}&apos; has another name in its own header</source>
        <translation>„{}“ heißt im eigenen Dateikopf anders</translation>
    </message>
    <message>
        <source>&apos;{}&apos; and &apos;{}&apos; overlap in the archive</source>
        <translation>„{}“ und „{}“ überlappen sich im Archiv</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is in the archive twice</source>
        <translation>„{}“ ist doppelt im Archiv</translation>
    </message>
    <message>
        <source>none of its keys fits the transformer</source>
        <translation>keiner seiner Schlüssel passt zum Transformer</translation>
    </message>
    <message>
        <source>Use an adapter that was made for this model</source>
        <translation>Einen Adapter verwenden, der für dieses Modell gemacht ist</translation>
    </message>
    <message>
        <source>Choose a folder that a run of Meshreel was written into</source>
        <translation>Einen Ordner wählen, in den ein Lauf von Meshreel geschrieben wurde</translation>
    </message>
    <message>
        <source>Choose another file, or write audio: none</source>
        <translation>Eine andere Datei wählen oder audio: none schreiben</translation>
    </message>
    <message>
        <source>Convert it with a program that knows Dolby Vision: {}</source>
        <translation>Mit einem Programm umwandeln, das Dolby Vision kennt: {}</translation>
    </message>
    <message>
        <source>Convert the sound, as with ffmpeg -i IN OUT.m4a for MP4 or OUT.webm for WebM, or write audio: none</source>
        <translation>Den Ton umwandeln, etwa mit ffmpeg -i IN OUT.m4a für MP4 oder OUT.webm für WebM, oder audio: none schreiben</translation>
    </message>
    <message>
        <source>Every frame, whatever the rate of the file.</source>
        <translation>Jedes Bild, gleich welche Bildrate die Datei hat.</translation>
    </message>
    <message>
        <source>If its colours look wrong, tag the file with the matrix that it has</source>
        <translation>Wenn die Farben falsch aussehen, die Datei mit ihrer Matrix kennzeichnen</translation>
    </message>
    <message>
        <source>Metadata</source>
        <translation>Metadaten</translation>
    </message>
    <message>
        <source>Nothing: for videos that are given away.</source>
        <translation>Nichts: für Videos, die man weitergibt.</translation>
    </message>
    <message>
        <source>Rate of inputs</source>
        <translation>Bildrate der Eingaben</translation>
    </message>
    <message>
        <source>Sound</source>
        <translation>Ton</translation>
    </message>
    <message>
        <source>The prompt and the whole project, so that the video can be made again.</source>
        <translation>Den Prompt und das ganze Projekt, sodass das Video wieder erzeugt werden kann.</translation>
    </message>
    <message>
        <source>Those that are on show at the times of fps, so that the motion keeps its speed; folders of frames have no rate and are taken one by one.</source>
        <translation>Die, die zu den Zeiten von fps zu sehen sind, sodass die Bewegung ihr Tempo behält; Ordner mit Bildern haben keine Bildrate und werden Bild für Bild genommen.</translation>
    </message>
    <message>
        <source>To keep the speed of the motion, set input_fps: project</source>
        <translation>Damit die Bewegung ihr Tempo behält, input_fps: project setzen</translation>
    </message>
    <message>
        <source>To take every frame, set fps: {}, or input_fps: keep</source>
        <translation>Um jedes Bild zu nehmen, fps: {} oder input_fps: keep setzen</translation>
    </message>
    <message>
        <source>To take every frame, set input_fps: keep</source>
        <translation>Um jedes Bild zu nehmen, input_fps: keep setzen</translation>
    </message>
    <message>
        <source>What a video file, or the file beside it, says of how it was made.</source>
        <translation>Was eine Videodatei oder die Datei daneben über ihre Entstehung sagt.</translation>
    </message>
    <message>
        <source>Which frames of video, mask, pose_video, face_video and background_video are taken.</source>
        <translation>Welche Bilder von video, mask, pose_video, face_video und background_video genommen werden.</translation>
    </message>
    <message>
        <source>its sound cannot be read ({})</source>
        <translation>ihr Ton kann nicht gelesen werden ({})</translation>
    </message>
    <message>
        <source>none of its keys fits the transformer: it was made for {}</source>
        <translation>keiner seiner Schlüssel passt zum Transformer: er wurde für {} gemacht</translation>
    </message>
    <message>
        <source>this is Dolby Vision of profile 5 (high dynamic range), whose colours Meshreel does not read</source>
        <translation>dies ist Dolby Vision mit Profil 5 (hoher Dynamikumfang), dessen Farben Meshreel nicht liest</translation>
    </message>
    <message>
        <source>{} is left out: {}</source>
        <translation>{} entfällt: {}</translation>
    </message>
    <message>
        <source>{} layers of another shape are left out, first {}: {}</source>
        <translation>{} Schichten anderer Form entfallen, als erste {}: {}</translation>
    </message>
    <message>
        <source>{}: {}: {} frames a second, each of which is taken and shown at {} a second</source>
        <translation>{}: {}: jedes von {} Bildern je Sekunde wird genommen und mit {} je Sekunde gezeigt</translation>
    </message>
    <message>
        <source>{}: {}: high dynamic range ({}), tone-mapped to BT.709</source>
        <translation>{}: {}: hoher Dynamikumfang ({}), auf BT.709 abgebildet</translation>
    </message>
    <message>
        <source>{}: {}: the file does not say its colour matrix, {} is taken</source>
        <translation>{}: {}: die Datei nennt ihre Farbmatrix nicht, {} wird angenommen</translation>
    </message>
    <message>
        <source>this is a {} adapter, which Meshreel does not apply</source>
        <translation>dies ist ein {}-Adapter, den Meshreel nicht anwendet</translation>
    </message>
    <message>
        <source>Use a LoRA, or one that its trainer exported as LoRA or merged into a model</source>
        <translation>Einen LoRA-Adapter verwenden oder einen, den sein Trainingsprogramm als LoRA exportiert oder in ein Modell eingerechnet hat</translation>
    </message>
    <message>
        <source>its shape {} does not fit {} {} of the transformer</source>
        <translation>seine Form {} passt nicht zu {} {} des Transformers</translation>
    </message>
    <message>
        <source>its shape {} with {} does not fit {} {} of the transformer</source>
        <translation>seine Form {} mit {} passt nicht zu {} {} des Transformers</translation>
    </message>
    <message>
        <source>Use an adapter that was made for a model of this size</source>
        <translation>Einen Adapter verwenden, der für ein Modell dieser Größe gemacht ist</translation>
    </message>
    <message>
        <source>its alpha is not one number</source>
        <translation>sein alpha ist keine einzelne Zahl</translation>
    </message>
    <message>
        <source>Get the adapter again</source>
        <translation>Den Adapter erneut beschaffen</translation>
    </message>
    <message>
        <source>the file was cut short while it was in use</source>
        <translation>die Datei wurde gekürzt, während sie in Gebrauch war</translation>
    </message>
    <message>
        <source>Leave it alone while Meshreel runs; restore it and start again</source>
        <translation>Sie in Ruhe lassen, solange Meshreel läuft; sie wiederherstellen und neu beginnen</translation>
    </message>
    <message>
        <source>{} bytes cannot be mapped into memory ({})</source>
        <translation>{} Byte lassen sich nicht in den Speicher abbilden ({})</translation>
    </message>
    <message>
        <source>Raise the limit on address space (ulimit -v)</source>
        <translation>Die Grenze des Adressraums anheben (ulimit -v)</translation>
    </message>
    <message>
        <source>the file shrank from {} to {} bytes while it was in use</source>
        <translation>die Datei schrumpfte von {} auf {} Byte, während sie in Gebrauch war</translation>
    </message>
    <message>
        <source>a BOOL is neither 0 nor 1 but {}</source>
        <translation>ein BOOL ist weder 0 noch 1, sondern {}</translation>
    </message>
    <message>
        <source>the weights are those of no part of a Wan model, whose other names are known</source>
        <translation>die Gewichte gehören zu keinem Teil eines Wan-Modells, dessen andere Namen bekannt sind</translation>
    </message>
    <message>
        <source>Use --layout diffusers, which keeps the names</source>
        <translation>--layout diffusers verwenden, das die Namen beibehält</translation>
    </message>
    <message>
        <source>the source lacks a tensor that is a part of it</source>
        <translation>der Quelle fehlt ein Tensor, der dazugehört</translation>
    </message>
    <message>
        <source>Get the source again</source>
        <translation>Die Quelle erneut beschaffen</translation>
    </message>
    <message>
        <source>the file read back is not there with its shape</source>
        <translation>in der zurückgelesenen Datei ist er nicht mit seiner Form vorhanden</translation>
    </message>
    <message>
        <source>the file read back differs from what was written, in elements {} to {}</source>
        <translation>die zurückgelesene Datei weicht in den Elementen {} bis {} vom Geschriebenen ab</translation>
    </message>
    <message>
        <source>The disk or the memory is faulty, or this is a defect of Meshreel; nothing was kept</source>
        <translation>Der Datenträger oder der Speicher ist fehlerhaft, oder dies ist ein Fehler in Meshreel; nichts wurde behalten</translation>
    </message>
    <message>
        <source>{} has blocks of {} elements, and its rows {}</source>
        <translation>{} hat Blöcke zu {} Elementen, und die Zeilen haben {}</translation>
    </message>
    <message>
        <source>Choose a type without blocks</source>
        <translation>Einen Typ ohne Blöcke wählen</translation>
    </message>
    <message>
        <source>weights of type {} are read, but not written</source>
        <translation>Gewichte vom Typ {} werden gelesen, aber nicht geschrieben</translation>
    </message>
    <message>
        <source>Choose another type</source>
        <translation>Einen anderen Typ wählen</translation>
    </message>
    <message>
        <source>Wan 2.1 text to video</source>
        <translation>Wan 2.1 Text zu Video</translation>
    </message>
    <message>
        <source>Wan 2.1 image to video</source>
        <translation>Wan 2.1 Bild zu Video</translation>
    </message>
    <message>
        <source>Wan 2.1 first and last frame to video</source>
        <translation>Wan 2.1 erstes und letztes Bild zu Video</translation>
    </message>
    <message>
        <source>Wan 2.1 VACE editing</source>
        <translation>Wan 2.1 Bearbeitung mit VACE</translation>
    </message>
    <message>
        <source>Wan 2.2 text to video, two experts</source>
        <translation>Wan 2.2 Text zu Video, zwei Experten</translation>
    </message>
    <message>
        <source>Wan 2.2 image to video, two experts</source>
        <translation>Wan 2.2 Bild zu Video, zwei Experten</translation>
    </message>
    <message>
        <source>Wan 2.2 image to video, one transformer</source>
        <translation>Wan 2.2 Bild zu Video, ein Transformer</translation>
    </message>
    <message>
        <source>Wan 2.2 character animation</source>
        <translation>Wan 2.2 Figurenanimation</translation>
    </message>
    <message>
        <source>Wan 2.2 text and image to video, 5B</source>
        <translation>Wan 2.2 Text und Bild zu Video, 5B</translation>
    </message>
    <message>
        <source>Text to video</source>
        <translation>Text zu Video</translation>
    </message>
    <message>
        <source>Image to video</source>
        <translation>Bild zu Video</translation>
    </message>
    <message>
        <source>First and last frame to video</source>
        <translation>Erstes und letztes Bild zu Video</translation>
    </message>
    <message>
        <source>Video to video</source>
        <translation>Video zu Video</translation>
    </message>
    <message>
        <source>Editing with VACE</source>
        <translation>Bearbeitung mit VACE</translation>
    </message>
    <message>
        <source>Character animation</source>
        <translation>Figurenanimation</translation>
    </message>
    <message>
        <source>Character replacement</source>
        <translation>Figurenersetzung</translation>
    </message>
    <message>
        <source>text to video</source>
        <translation>Text zu Video</translation>
    </message>
    <message>
        <source>image to video, 480P and 720P</source>
        <translation>Bild zu Video, 480P und 720P</translation>
    </message>
    <message>
        <source>first and last frame to video</source>
        <translation>erstes und letztes Bild zu Video</translation>
    </message>
    <message>
        <source>VACE editing</source>
        <translation>Bearbeitung mit VACE</translation>
    </message>
    <message>
        <source>text to video, one of the two experts</source>
        <translation>Text zu Video, einer der zwei Experten</translation>
    </message>
    <message>
        <source>image to video, one of the two experts</source>
        <translation>Bild zu Video, einer der zwei Experten</translation>
    </message>
    <message>
        <source>text or image to video</source>
        <translation>Text oder Bild zu Video</translation>
    </message>
    <message>
        <source>character animation</source>
        <translation>Figurenanimation</translation>
    </message>
    <message>
        <source>VAE of all but TI2V-5B</source>
        <translation>VAE aller außer TI2V-5B</translation>
    </message>
    <message>
        <source>VAE of TI2V-5B</source>
        <translation>VAE von TI2V-5B</translation>
    </message>
    <message>
        <source>text encoder</source>
        <translation>Text-Encoder</translation>
    </message>
    <message>
        <source>image encoder of the Wan 2.1 image models</source>
        <translation>Bild-Encoder der Bildmodelle von Wan 2.1</translation>
    </message>
    <message>
        <source>first-block cache</source>
        <translation>First-Block-Cache</translation>
    </message>
    <message>
        <source>MP4 (H.264)</source>
        <translation>MP4 (H.264)</translation>
    </message>
    <message>
        <source>WebM (VP9)</source>
        <translation>WebM (VP9)</translation>
    </message>
    <message>
        <source>Animated GIF</source>
        <translation>Animiertes GIF</translation>
    </message>
    <message>
        <source>Animated WebP</source>
        <translation>Animiertes WebP</translation>
    </message>
    <message>
        <source>PNG frames</source>
        <translation>PNG-Bilder</translation>
    </message>
    <message>
        <source>{}.</source>
        <translation>{}.</translation>
    </message>
    <message>
        <source>{} {}</source>
        <translation>{} {}</translation>
    </message>
    <message>
        <source>This system&apos;s libavcodec has no libx264 encoder, so the video was written as WebM (VP9) instead of MP4 (H.264).</source>
        <translation>Die libavcodec dieses Systems hat keinen Encoder libx264; das Video wurde deshalb als WebM (VP9) statt als MP4 (H.264) geschrieben.</translation>
    </message>
    <message>
        <source>device {} failed: {}</source>
        <translation>Gerät {} ist fehlgeschlagen: {}</translation>
    </message>
    <message>
        <source>rank {} on {} failed: {}</source>
        <translation>Rang {} auf {} ist fehlgeschlagen: {}</translation>
    </message>
    <message>
        <source>device {} of rank {} on {} failed: {}</source>
        <translation>Gerät {} von Rang {} auf {} ist fehlgeschlagen: {}</translation>
    </message>
    <message>
        <source>an unknown exception</source>
        <translation>eine unbekannte Ausnahme</translation>
    </message>
    <message>
        <source>memory in use by a transfer had to be given up</source>
        <translation>Speicher, den eine Übertragung noch nutzte, musste aufgegeben werden</translation>
    </message>
    <message>
        <source>the ranks gave up</source>
        <translation>die Ränge haben aufgegeben</translation>
    </message>
    <message>
        <source>it stopped in the middle of its work</source>
        <translation>er hörte mitten in der Arbeit auf</translation>
    </message>
    <message>
        <source>it has not been heard of for {} s</source>
        <translation>er hat sich seit {} s nicht gemeldet</translation>
    </message>
    <message>
        <source>all ranks were asked to end</source>
        <translation>alle Ränge wurden aufgefordert, sich zu beenden</translation>
    </message>
    <message>
        <source>it has died: mpirun ends the others</source>
        <translation>er ist abgestürzt: mpirun beendet die anderen</translation>
    </message>
    <message>
        <source>this rank was asked to end, and the others do not answer</source>
        <translation>dieser Rang wurde aufgefordert, sich zu beenden, und die anderen antworten nicht</translation>
    </message>
    <message>
        <source>MPI does not return</source>
        <translation>MPI kehrt nicht zurück</translation>
    </message>
    <message>
        <source>mpirun has gone away</source>
        <translation>mpirun ist nicht mehr da</translation>
    </message>
    <message>
        <source>MultiTalk or InfiniteTalk</source>
        <translation>MultiTalk oder InfiniteTalk</translation>
    </message>
    <message>
        <source>a Wan model with audio (HuMo, MultiTalk)</source>
        <translation>ein Wan-Modell mit Ton (HuMo, MultiTalk)</translation>
    </message>
    <message>
        <source>HunyuanVideo or Flux, which are no Wan models</source>
        <translation>HunyuanVideo oder Flux, also kein Wan-Modell</translation>
    </message>
    <message>
        <source>another model than Wan</source>
        <translation>ein anderes Modell als Wan</translation>
    </message>
    <message>
        <source>one of the two experts</source>
        <translation>einer der zwei Experten</translation>
    </message>
    <message>
        <source>high-noise expert</source>
        <translation>Experte für starkes Rauschen</translation>
    </message>
    <message>
        <source>low-noise expert</source>
        <translation>Experte für schwaches Rauschen</translation>
    </message>
    <message>
        <source>{} of image to video, A14B</source>
        <translation>{}, Bild zu Video, A14B</translation>
    </message>
    <message>
        <source>{} of text to video, A14B</source>
        <translation>{}, Text zu Video, A14B</translation>
    </message>
    <message>
        <source>The two experts have the same shapes, and neither name nor metadata says which this is: the file&apos;s name in its repository holds &quot;high_noise&quot; or &quot;low_noise&quot;</source>
        <translation>Die zwei Experten haben dieselben Formen, und weder Name noch Metadaten sagen, welcher dies ist: der Name der Datei in ihrem Repository enthält „high_noise“ oder „low_noise“</translation>
    </message>
    <message>
        <source>text to video, 14B of Wan 2.1, or one expert of Wan 2.2 A14B</source>
        <translation>Text zu Video, 14B von Wan 2.1, oder ein Experte von Wan 2.2 A14B</translation>
    </message>
    <message>
        <source>Both have exactly these shapes, and a lone expert makes wrong pictures without a word. Name and metadata do not decide: rename the file as it is called in its repository (&quot;wan2.1&quot;, or &quot;wan2.2&quot; with &quot;high_noise&quot; or &quot;low_noise&quot;)</source>
        <translation>Beide haben genau diese Formen, und ein einzelner Experte macht ohne jeden Hinweis falsche Bilder. Name und Metadaten entscheiden es nicht: die Datei so nennen, wie sie in ihrem Repository heißt („wan2.1“, oder „wan2.2“ mit „high_noise“ oder „low_noise“)</translation>
    </message>
    <message>
        <source>Wan 2.1 and 2.2</source>
        <translation>Wan 2.1 und 2.2</translation>
    </message>
    <message>
        <source>VACE editing, of no released size</source>
        <translation>Bearbeitung mit VACE, in keiner veröffentlichten Größe</translation>
    </message>
    <message>
        <source>image to video, of no released size</source>
        <translation>Bild zu Video, in keiner veröffentlichten Größe</translation>
    </message>
    <message>
        <source>text to video, of no released size</source>
        <translation>Text zu Video, in keiner veröffentlichten Größe</translation>
    </message>
    <message>
        <source>The config.json beside it is not that of a Wan transformer</source>
        <translation>Die config.json daneben gehört zu keinem Wan-Transformer</translation>
    </message>
    <message>
        <source>Adapter {}</source>
        <translation>Adapter {}</translation>
    </message>
    <message>
        <source>the cached preview of a VAE is damaged</source>
        <translation>die Vorschau eines VAE im Cache ist beschädigt</translation>
    </message>
    <message>
        <source>The preview of the VAE in the cache is not used and fitted again</source>
        <translation>Die Vorschau des VAE im Cache wird nicht verwendet und neu angepasst</translation>
    </message>
    <message>
        <source>The preview that was fitted to the VAE is not kept</source>
        <translation>Die an den VAE angepasste Vorschau wird nicht behalten</translation>
    </message>
    <message>
        <source>the cached embedding of a prompt is damaged</source>
        <translation>das Embedding eines Prompts im Cache ist beschädigt</translation>
    </message>
    <message>
        <source>A prompt in the cache is not used and encoded again</source>
        <translation>Ein Prompt im Cache wird nicht verwendet und neu kodiert</translation>
    </message>
    <message>
        <source>An encoded prompt is not kept</source>
        <translation>Ein kodierter Prompt wird nicht behalten</translation>
    </message>
    <message>
        <source>{} (high expert)</source>
        <translation>{} (Experte für starkes Rauschen)</translation>
    </message>
    <message>
        <source>{} (low expert)</source>
        <translation>{} (Experte für schwaches Rauschen)</translation>
    </message>
    <message>
        <source>{}{}{}</source>
        <translation>{}{}{}</translation>
    </message>
    <message>
        <source>changes {}</source>
        <translation>ändert {}</translation>
    </message>
    <message>
        <source>fits nothing: {}</source>
        <translation>passt zu nichts: {}</translation>
    </message>
    <message>
        <source>the config.json beside it is not of this file</source>
        <translation>die config.json daneben gehört nicht zu dieser Datei</translation>
    </message>
    <message>
        <source>original</source>
        <translation>original</translation>
    </message>
    <message>
        <source>{} behind {}</source>
        <translation>{} hinter {}</translation>
    </message>
    <message>
        <source>{} and {}</source>
        <translation>{} und {}</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>text encoder UMT5-XXL with its tokenizer</source>
        <translation>Text-Encoder UMT5-XXL mit seinem Tokenizer</translation>
    </message>
    <message>
        <source>VAE of Wan 2.2 (48 channels)</source>
        <translation>VAE von Wan 2.2 (48 Kanäle)</translation>
    </message>
    <message>
        <source>VAE of Wan 2.1 (16 channels)</source>
        <translation>VAE von Wan 2.1 (16 Kanäle)</translation>
    </message>
    <message>
        <source>image encoder CLIP ViT-H</source>
        <translation>Bild-Encoder CLIP ViT-H</translation>
    </message>
    <message>
        <source>the other of the two experts</source>
        <translation>der andere der zwei Experten</translation>
    </message>
    <message>
        <source>it was ended by signal {}</source>
        <translation>er wurde durch Signal {} beendet</translation>
    </message>
    <message>
        <source>Cancelled.</source>
        <translation>Abgebrochen.</translation>
    </message>
    <message>
        <source>mpirun ended with code {}</source>
        <translation>mpirun endete mit Code {}</translation>
    </message>
    <message>
        <source>the connection to the host was lost</source>
        <translation>die Verbindung zum Rechner ging verloren</translation>
    </message>
    <message>
        <source>the ranks failed</source>
        <translation>die Ränge sind fehlgeschlagen</translation>
    </message>
    <message>
        <source>rank {} on host {} failed: {}</source>
        <translation>Rang {} auf Rechner {} ist fehlgeschlagen: {}</translation>
    </message>
    <message>
        <source>device {} of rank {} on host {} failed: {}</source>
        <translation>Gerät {} von Rang {} auf Rechner {} ist fehlgeschlagen: {}</translation>
    </message>
    <message>
        <source>{} devices are predicted to take {:.1f} times as long here as one device</source>
        <translation>{} Geräte brauchen hier voraussichtlich {:.1f}-mal so lange wie eines</translation>
    </message>
    <message>
        <source>Take one device: exchange and waiting cost more than sharing the work out saves</source>
        <translation>Nehmen Sie ein Gerät: Austausch und Warten kosten mehr, als das Aufteilen der Arbeit spart</translation>
    </message>
    <message>
        <source>The program ended without finishing the run</source>
        <translation>Das Programm endete, ohne den Lauf zu beenden</translation>
    </message>
    <message>
        <source>{} videos were written</source>
        <translation>{} Videos wurden geschrieben</translation>
    </message>
    <message>
        <source>The run is finished already</source>
        <translation>Der Lauf ist schon fertig</translation>
    </message>
    <message>
        <source>Packed weights in the cache are not used and made again: {}</source>
        <translation>Gepackte Gewichte im Cache werden nicht verwendet und neu erzeugt: {}</translation>
    </message>
    <message>
        <source>Packed weights are not kept: {}</source>
        <translation>Gepackte Gewichte werden nicht behalten: {}</translation>
    </message>
    <message>
        <source>Packed weights in the cache are not used and made again by the next run: {}</source>
        <translation>Gepackte Gewichte im Cache werden nicht verwendet und vom nächsten Lauf neu erzeugt: {}</translation>
    </message>
    <message>
        <source>they are larger than the cache may grow, or than the disk has room for</source>
        <translation>sie sind größer, als der Cache werden darf oder als auf dem Datenträger Platz ist</translation>
    </message>
    <message>
        <source>{}: changes {} tensors, strength {:g}</source>
        <translation>{}: ändert {} Tensoren, Stärke {}</translation>
    </message>
    <message>
        <source>{}: changes {} tensors, strength {:g}, effective scale {:g}</source>
        <translation>{}: ändert {} Tensoren, Stärke {}, wirksame Skalierung {}</translation>
    </message>
    <message>
        <source>{}: changes {} tensors, strength {:g}, effective scale {:g} to {:g}</source>
        <translation>{}: ändert {} Tensoren, Stärke {}, wirksame Skalierung {} bis {}</translation>
    </message>
    <message>
        <source>{}; every key fits</source>
        <translation>{}; jeder Schlüssel passt</translation>
    </message>
    <message>
        <source>{}; {} keys fit nothing</source>
        <translation>{}; Schlüssel, die zu nichts passen: {}</translation>
    </message>
    <message>
        <source>A chart cannot be written as &apos;{}&apos;</source>
        <translation>Ein Diagramm lässt sich nicht als „{}“ schreiben</translation>
    </message>
    <message>
        <source>Use .png, .svg, .pdf, .csv or .json</source>
        <translation>.png, .svg, .pdf, .csv oder .json verwenden</translation>
    </message>
    <message>
        <source>This run recorded nothing of its devices</source>
        <translation>Dieser Lauf hat nichts über seine Geräte aufgezeichnet</translation>
    </message>
    <message>
        <source>Name a run that finished a step</source>
        <translation>Einen Lauf nennen, der einen Schritt beendet hat</translation>
    </message>
    <message>
        <source>None of these runs recorded its memory</source>
        <translation>Keiner dieser Läufe hat seinen Speicher aufgezeichnet</translation>
    </message>
    <message>
        <source>Name finished runs</source>
        <translation>Fertige Läufe nennen</translation>
    </message>
    <message>
        <source>A chart of runs needs a run</source>
        <translation>Ein Diagramm von Läufen braucht einen Lauf</translation>
    </message>
    <message>
        <source>Name one or more run folders</source>
        <translation>Einen oder mehrere Laufordner nennen</translation>
    </message>
    <message>
        <source>A chart of {} shows one run</source>
        <translation>Ein Diagramm der Art {} zeigt einen einzigen Lauf</translation>
    </message>
    <message>
        <source>Name one run folder</source>
        <translation>Einen einzigen Laufordner nennen</translation>
    </message>
    <message>
        <source>Name runs that got as far as denoising</source>
        <translation>Läufe nennen, die bis zum Entrauschen gekommen sind</translation>
    </message>
    <message>
        <source>None of these runs is finished, so that no stage was timed</source>
        <translation>Keiner dieser Läufe ist fertig, also wurde keine Phase gemessen</translation>
    </message>
    <message>
        <source>The picture cannot be written</source>
        <translation>Das Bild lässt sich nicht schreiben</translation>
    </message>
    <message>
        <source>Delete the file to start with an empty queue</source>
        <translation>Die Datei löschen, um mit einer leeren Warteschlange zu beginnen</translation>
    </message>
    <message>
        <source>A report cannot be written as &apos;{}&apos;</source>
        <translation>Ein Bericht lässt sich nicht als „{}“ schreiben</translation>
    </message>
    <message>
        <source>Use .html or .pdf</source>
        <translation>.html oder .pdf verwenden</translation>
    </message>
    <message>
        <source>The nearest multiples are {} and {}</source>
        <translation>Die nächsten Vielfachen sind {} und {}</translation>
    </message>
    <message>
        <source>The nearest multiple is {}</source>
        <translation>Das nächste Vielfache ist {}</translation>
    </message>
    <message>
        <source>settings have no dashes before them: write {}</source>
        <translation>vor Einstellungen stehen keine Striche: Schreiben Sie {}</translation>
    </message>
    <message>
        <source>this word sets nothing; a value of several words needs quotes around it</source>
        <translation>dieses Wort stellt nichts ein; ein Wert aus mehreren Wörtern braucht Anführungszeichen</translation>
    </message>
    <message>
        <source>Block sizes can only be told apart where steps do the same work ({})</source>
        <translation>Blockgrößen lassen sich nur unterscheiden, wo Schritte dieselbe Arbeit tun ({})</translation>
    </message>
    <message>
        <source>The prompt holds {{prompt}}, which a run takes as words</source>
        <translation>Der Prompt enthält {{prompt}}, was ein Lauf als Worte nimmt</translation>
    </message>
    <message>
        <source>Write what the video should show in its place, or use it as a style from Prompts</source>
        <translation>Schreiben Sie an seine Stelle, was das Video zeigen soll, oder verwenden Sie ihn als Stil aus Prompts</translation>
    </message>
    <message>
        <source>The prompt offers alternatives in braces, which a run takes as words</source>
        <translation>Der Prompt bietet Alternativen in geschweiften Klammern, was ein Lauf als Worte nimmt</translation>
    </message>
    <message>
        <source>Write one of them, or add a grid to the queue, which runs them all</source>
        <translation>Schreiben Sie eine davon, oder fügen Sie der Warteschlange ein Raster hinzu, das alle ausführt</translation>
    </message>
    <message>
        <source>Wan 2.1 first and last frame to video 14B at 720p: what lies between two pictures.</source>
        <translation>Wan 2.1 erstes und letztes Bild zu Video 14B in 720p: was zwischen zwei Bildern liegt.</translation>
    </message>
    <message>
        <source>Wan 2.1 image-to-video 14B at 720p on 4 devices: flash attention with the block sizes of TPU v6e.</source>
        <translation>Wan 2.1 Bild zu Video 14B in 720p auf 4 Geräten: Flash-Attention mit den Blockgrößen für TPU v6e.</translation>
    </message>
    <message>
        <source>Wan 2.1 image-to-video 14B at 720p on 4 devices, with the block sizes of MaxDiffusion&apos;s base_wan_i2v_14b.yml.</source>
        <translation>Wan 2.1 Bild zu Video 14B in 720p auf 4 Geräten, mit den Blockgrößen aus base_wan_i2v_14b.yml von MaxDiffusion.</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 1.3B for one computer: a quarter of 480p, two seconds, few steps.</source>
        <translation>Wan 2.1 Text zu Video 1.3B für einen einzelnen Rechner: ein Viertel von 480p, zwei Sekunden, wenige Schritte.</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 1.3B at 480p on 2 devices: the two halves of guidance side by side.</source>
        <translation>Wan 2.1 Text zu Video 1.3B in 480p auf 2 Geräten: die zwei Guidance-Hälften nebeneinander.</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 1.3B at 480p on 4 devices: ulysses inside groups of 2, a ring of 2 between the groups.</source>
        <translation>Wan 2.1 Text zu Video 1.3B in 480p auf 4 Geräten: Ulysses innerhalb von Gruppen zu 2, ein Ring aus 2 zwischen den Gruppen.</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 1.3B at 480p, with the settings of MaxDiffusion&apos;s base_wan_1_3b.yml.</source>
        <translation>Wan 2.1 Text zu Video 1.3B in 480p, mit den Einstellungen aus base_wan_1_3b.yml von MaxDiffusion.</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B at 720p on 8 devices: the two halves of guidance side by side, each on 4 devices.</source>
        <translation>Wan 2.1 Text zu Video 14B in 720p auf 8 Geräten: die zwei Guidance-Hälften nebeneinander, jede auf 4 Geräten.</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B at 720p on 8 devices: the fast script&apos;s fixed-m recipe.</source>
        <translation>Wan 2.1 Text zu Video 14B in 720p auf 8 Geräten: das Fixed-m-Rezept des schnellen Skripts.</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B at 720p on 4 devices: flash attention with the block sizes of TPU v5p.</source>
        <translation>Wan 2.1 Text zu Video 14B in 720p auf 4 Geräten: Flash-Attention mit den Blockgrößen für TPU v5p.</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B at 720p on 4 devices: flash attention with the block sizes of TPU v6e.</source>
        <translation>Wan 2.1 Text zu Video 14B in 720p auf 4 Geräten: Flash-Attention mit den Blockgrößen für TPU v6e.</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B at 720p on 16 devices: a pure ring.</source>
        <translation>Wan 2.1 Text zu Video 14B in 720p auf 16 Geräten: nur ein Ring.</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B at 720p on 16 devices: ulysses inside groups of 8, a ring of 2 between the groups.</source>
        <translation>Wan 2.1 Text zu Video 14B in 720p auf 16 Geräten: Ulysses innerhalb von Gruppen zu 8, ein Ring aus 2 zwischen den Gruppen.</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B at 720p on 4 devices: ulysses inside groups of 2, a ring of 2 between the groups.</source>
        <translation>Wan 2.1 Text zu Video 14B in 720p auf 4 Geräten: Ulysses innerhalb von Gruppen zu 2, ein Ring aus 2 zwischen den Gruppen.</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B at 720p on 8 devices: ulysses inside groups of 4, a ring of 2 between the groups.</source>
        <translation>Wan 2.1 Text zu Video 14B in 720p auf 8 Geräten: Ulysses innerhalb von Gruppen zu 4, ein Ring aus 2 zwischen den Gruppen.</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B at 720p on 8 devices with the block sizes of Trillium&apos;s 32 MB of scratch memory.</source>
        <translation>Wan 2.1 Text zu Video 14B in 720p auf 8 Geräten, mit den Blockgrößen für Trilliums 32 MB Scratch-Speicher.</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B at 720p on 8 devices: pure Ulysses.</source>
        <translation>Wan 2.1 Text zu Video 14B in 720p auf 8 Geräten: nur Ulysses.</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B at 720p, with the settings of MaxDiffusion&apos;s base_wan_14b.yml.</source>
        <translation>Wan 2.1 Text zu Video 14B in 720p, mit den Einstellungen aus base_wan_14b.yml von MaxDiffusion.</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B, distilled to 4 steps.</source>
        <translation>Wan 2.1 Text zu Video 14B, auf 4 Schritte destilliert.</translation>
    </message>
    <message>
        <source>Wan 2.1 VACE editing 1.3B at 480p: a video whose masked part is made anew.</source>
        <translation>Wan 2.1 Bearbeitung mit VACE 1.3B in 480p: ein Video, dessen maskierter Teil neu entsteht.</translation>
    </message>
    <message>
        <source>Wan 2.1 image-to-video 14B at 720p on 8 devices: the two halves of guidance side by side, each on 4 devices.</source>
        <translation>Wan 2.1 Bild zu Video 14B in 720p auf 8 Geräten: die zwei Guidance-Hälften nebeneinander, jede auf 4 Geräten.</translation>
    </message>
    <message>
        <source>Wan 2.1 image-to-video 14B at 720p on 4 devices: ulysses inside groups of 2, a ring of 2 between the groups.</source>
        <translation>Wan 2.1 Bild zu Video 14B in 720p auf 4 Geräten: Ulysses innerhalb von Gruppen zu 2, ein Ring aus 2 zwischen den Gruppen.</translation>
    </message>
    <message>
        <source>Wan 2.2 image-to-video A14B at 720p on 8 devices: the two halves of guidance side by side, each on 4 devices.</source>
        <translation>Wan 2.2 Bild zu Video A14B in 720p auf 8 Geräten: die zwei Guidance-Hälften nebeneinander, jede auf 4 Geräten.</translation>
    </message>
    <message>
        <source>Wan 2.2 image-to-video A14B at 720p on 4 devices: ulysses inside groups of 2, a ring of 2 between the groups.</source>
        <translation>Wan 2.2 Bild zu Video A14B in 720p auf 4 Geräten: Ulysses innerhalb von Gruppen zu 2, ein Ring aus 2 zwischen den Gruppen.</translation>
    </message>
    <message>
        <source>Wan 2.1 VACE editing 14B at 720p on 8 devices: the two halves of guidance side by side, each on 4 devices.</source>
        <translation>Wan 2.1 Bearbeitung mit VACE 14B in 720p auf 8 Geräten: die zwei Guidance-Hälften nebeneinander, jede auf 4 Geräten.</translation>
    </message>
    <message>
        <source>Wan 2.1 VACE editing 14B at 720p on 4 devices: ulysses inside groups of 2, a ring of 2 between the groups.</source>
        <translation>Wan 2.1 Bearbeitung mit VACE 14B in 720p auf 4 Geräten: Ulysses innerhalb von Gruppen zu 2, ein Ring aus 2 zwischen den Gruppen.</translation>
    </message>
    <message>
        <source>Wan 2.2 Animate 14B at 720p on 4 devices: ulysses inside groups of 2, a ring of 2 between the groups.</source>
        <translation>Wan 2.2 Animate 14B in 720p auf 4 Geräten: Ulysses innerhalb von Gruppen zu 2, ein Ring aus 2 zwischen den Gruppen.</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 8 devices with tokamax_flash: the halves of guidance side by side, each on 4.</source>
        <translation>Wan 2.2 Text zu Video A14B in 720p auf 8 Geräten mit tokamax_flash: die Guidance-Hälften nebeneinander, jede auf 4.</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 16 devices with tokamax_flash: the halves of guidance side by side, each on 8.</source>
        <translation>Wan 2.2 Text zu Video A14B in 720p auf 16 Geräten mit tokamax_flash: die Guidance-Hälften nebeneinander, jede auf 8.</translation>
    </message>
    <message>
        <source>Wan 2.2 Animate 14B at 720p on 8 devices with the block sizes of Trillium&apos;s 32 MB of scratch memory.</source>
        <translation>Wan 2.2 Animate 14B in 720p auf 8 Geräten, mit den Blockgrößen für Trilliums 32 MB Scratch-Speicher.</translation>
    </message>
    <message>
        <source>Wan 2.2 image-to-video A14B at 720p on 4 devices: flash attention with the block sizes of TPU v6e.</source>
        <translation>Wan 2.2 Bild zu Video A14B in 720p auf 4 Geräten: Flash-Attention mit den Blockgrößen für TPU v6e.</translation>
    </message>
    <message>
        <source>Wan 2.2 image-to-video A14B at 720p on 4 devices, with the block sizes of MaxDiffusion&apos;s base_wan_i2v_27b.yml.</source>
        <translation>Wan 2.2 Bild zu Video A14B in 720p auf 4 Geräten, mit den Blockgrößen aus base_wan_i2v_27b.yml von MaxDiffusion.</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 8 devices: the two halves of guidance side by side, each on 4 devices.</source>
        <translation>Wan 2.2 Text zu Video A14B in 720p auf 8 Geräten: die zwei Guidance-Hälften nebeneinander, jede auf 4 Geräten.</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 16 devices: the two halves of guidance side by side, each on 8 devices.</source>
        <translation>Wan 2.2 Text zu Video A14B in 720p auf 16 Geräten: die zwei Guidance-Hälften nebeneinander, jede auf 8 Geräten.</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 8 devices: the fast script&apos;s fixed-m recipe.</source>
        <translation>Wan 2.2 Text zu Video A14B in 720p auf 8 Geräten: das Fixed-m-Rezept des schnellen Skripts.</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 8 devices: the fast script&apos;s recipe for TPU v6e.</source>
        <translation>Wan 2.2 Text zu Video A14B in 720p auf 8 Geräten: das Rezept des schnellen Skripts für TPU v6e.</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 4 devices: flash attention with the block sizes of TPU v6e.</source>
        <translation>Wan 2.2 Text zu Video A14B in 720p auf 4 Geräten: Flash-Attention mit den Blockgrößen für TPU v6e.</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 16 devices: a pure ring.</source>
        <translation>Wan 2.2 Text zu Video A14B in 720p auf 16 Geräten: nur ein Ring.</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 16 devices: ulysses inside groups of 8, a ring of 2 between the groups.</source>
        <translation>Wan 2.2 Text zu Video A14B in 720p auf 16 Geräten: Ulysses innerhalb von Gruppen zu 8, ein Ring aus 2 zwischen den Gruppen.</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 4 devices: ulysses inside groups of 2, a ring of 2 between the groups.</source>
        <translation>Wan 2.2 Text zu Video A14B in 720p auf 4 Geräten: Ulysses innerhalb von Gruppen zu 2, ein Ring aus 2 zwischen den Gruppen.</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 8 devices: ulysses inside groups of 4, a ring of 2 between the groups.</source>
        <translation>Wan 2.2 Text zu Video A14B in 720p auf 8 Geräten: Ulysses innerhalb von Gruppen zu 4, ein Ring aus 2 zwischen den Gruppen.</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 8 devices: pure Ulysses.</source>
        <translation>Wan 2.2 Text zu Video A14B in 720p auf 8 Geräten: nur Ulysses.</translation>
    </message>
    <message>
        <source>Wan 2.2 text and image to video 5B for one computer: a quarter of 704p, two seconds, few steps.</source>
        <translation>Wan 2.2 Text und Bild zu Video 5B für einen einzelnen Rechner: ein Viertel von 704p, zwei Sekunden, wenige Schritte.</translation>
    </message>
    <message>
        <source>Wan 2.2 text and image to video 5B at 704p and 24 frames a second.</source>
        <translation>Wan 2.2 Text und Bild zu Video 5B in 704p mit 24 Bildern je Sekunde.</translation>
    </message>
    <message>
        <source>{} or more</source>
        <translation>{} oder mehr</translation>
    </message>
    <message>
        <source>{} to {}</source>
        <translation>{} bis {}</translation>
    </message>
    <message>
        <source>{}, in steps of {}</source>
        <translation>{}, in Schritten von {}</translation>
    </message>
    <message>
        <source>{}; {} is automatic</source>
        <translation>{}; {} ist automatisch</translation>
    </message>
    <message>
        <source>Keys of a project file</source>
        <translation>Schlüssel einer Projektdatei</translation>
    </message>
    <message>
        <source>On the command line, `--set key=value` overrides the file: `--set flash_block_sizes.block_q=256`.</source>
        <translation>Auf der Befehlszeile geht `--set key=value` der Datei vor: `--set flash_block_sizes.block_q=256`.</translation>
    </message>
    <message>
        <source>(empty)</source>
        <translation>(leer)</translation>
    </message>
    <message>
        <source>{}; default {}</source>
        <translation>{}; Vorgabe {}</translation>
    </message>
    <message>
        <source>Legal: {}.</source>
        <translation>Zulässig: {}.</translation>
    </message>
    <message>
        <source>Other values have no effect: {}.</source>
        <translation>Andere Werte haben keine Wirkung: {}.</translation>
    </message>
    <message>
        <source>other files than frames lie in this folder</source>
        <translation>in diesem Ordner liegen andere Dateien als Bilder des Videos</translation>
    </message>
    <message>
        <source>Choose an empty folder or a new name</source>
        <translation>Einen leeren Ordner oder einen neuen Namen wählen</translation>
    </message>
    <message>
        <source>No smaller video fits either: raise memory_budget, or use a smaller model</source>
        <translation>Auch kein kleineres Video passt: memory_budget erhöhen oder ein kleineres Modell verwenden</translation>
    </message>
    <message>
        <source>This fits: {}; or raise memory_budget</source>
        <translation>Das passt: {}; oder memory_budget erhöhen</translation>
    </message>
    <message>
        <source>Makes every prompt&apos;s video once with each of these seeds, separated by commas, in place of seed; -1 is a random one.</source>
        <translation>Erzeugt das Video jedes Prompts einmal mit jedem dieser Seeds, durch Kommas getrennt, anstelle von seed; -1 ist ein zufälliger.</translation>
    </message>
    <message>
        <source>Speed at which the video plays, and at which a video that the task takes is sampled.</source>
        <translation>Geschwindigkeit der Wiedergabe und Rate, mit der ein Video abgetastet wird, das die Aufgabe verwendet.</translation>
    </message>
    <message>
        <source>Number that the initial noise is drawn from; the same seed gives the same video. -1 draws a random one for each run, which records it.</source>
        <translation>Zahl, aus der das Anfangsrauschen gezogen wird; derselbe Seed ergibt dasselbe Video. -1 zieht für jeden Lauf einen zufälligen, den der Lauf aufzeichnet.</translation>
    </message>
    <message>
        <source>Head groups that are exchanged and computed one after another; between processes the next one travels while one is computed.</source>
        <translation>Kopfgruppen, die nacheinander ausgetauscht und berechnet werden; zwischen Prozessen ist die nächste unterwegs, während eine berechnet wird.</translation>
    </message>
    <message>
        <source>this is a link, and files of a run are not opened through links</source>
        <translation>dies ist ein Link, und Dateien eines Laufs werden nicht über Links geöffnet</translation>
    </message>
    <message>
        <source>Put the file itself in its place, or remove the link; think twice if the folder came from somebody else</source>
        <translation>Die Datei selbst an seine Stelle legen oder den Link entfernen; Vorsicht, wenn der Ordner von jemand anderem kommt</translation>
    </message>
    <message>
        <source>this is neither a file nor a folder</source>
        <translation>dies ist weder eine Datei noch ein Ordner</translation>
    </message>
    <message>
        <source>Remove it from the folder</source>
        <translation>Aus dem Ordner entfernen</translation>
    </message>
    <message>
        <source>the file cannot be opened ({})</source>
        <translation>die Datei lässt sich nicht öffnen ({})</translation>
    </message>
    <message>
        <source>Check its permissions, and those of its folder</source>
        <translation>Ihre Zugriffsrechte und die ihres Ordners prüfen</translation>
    </message>
    <message>
        <source>the folder cannot be read ({})</source>
        <translation>der Ordner lässt sich nicht lesen ({})</translation>
    </message>
    <message>
        <source>the folder for temporary files cannot be used ({})</source>
        <translation>der Ordner für temporäre Dateien lässt sich nicht verwenden ({})</translation>
    </message>
    <message>
        <source>Set TMPDIR to a folder that you may write to</source>
        <translation>TMPDIR auf einen Ordner mit Schreibrecht setzen</translation>
    </message>
    <message>
        <source>the limit is {} ({}), of which {} are taken</source>
        <translation>die Grenze ist {} ({}), davon sind {} belegt</translation>
    </message>
    <message>
        <source>Raise the limit ({} unlimited), or ask for a smaller video</source>
        <translation>Die Grenze anheben ({} unlimited) oder ein kleineres Video verlangen</translation>
    </message>
    <message>
        <source>Close other programs or ask for a smaller video</source>
        <translation>Andere Programme schließen oder ein kleineres Video verlangen</translation>
    </message>
    <message>
        <source>{} needs {} of address space; {}</source>
        <translation>{} braucht {} Adressraum; {}</translation>
    </message>
    <message>
        <source>{} needs {} of address space, which the system does not give</source>
        <translation>{} braucht {} Adressraum, den das System nicht gibt</translation>
    </message>
    <message>
        <source>there is not enough memory; {}</source>
        <translation>der Speicher reicht nicht; {}</translation>
    </message>
    <message>
        <source>there is not enough memory</source>
        <translation>der Speicher reicht nicht</translation>
    </message>
    <message>
        <source>Raise the limits on processes and address space (ulimit -u, ulimit -v), or use fewer devices and workers</source>
        <translation>Die Grenzen für Prozesse und Adressraum anheben (ulimit -u, ulimit -v) oder weniger Geräte und Worker verwenden</translation>
    </message>
    <message>
        <source>no further thread or process can be started ({}); {}</source>
        <translation>kein weiterer Thread oder Prozess lässt sich starten ({}); {}</translation>
    </message>
    <message>
        <source>no further thread or process can be started ({})</source>
        <translation>kein weiterer Thread oder Prozess lässt sich starten ({})</translation>
    </message>
    <message>
        <source>OpenBLAS, which multiplies matrices,</source>
        <translation>OpenBLAS, das Matrizen multipliziert,</translation>
    </message>
    <message>
        <source>this frame is not a file</source>
        <translation>dieses Bild ist keine Datei</translation>
    </message>
    <message>
        <source>Remove it, or put a PNG file in its place</source>
        <translation>Entfernen oder eine PNG-Datei an seine Stelle legen</translation>
    </message>
    <message>
        <source>this frame is a link out of the folder</source>
        <translation>dieses Bild ist ein Link aus dem Ordner hinaus</translation>
    </message>
    <message>
        <source>Put a copy of the file in its place</source>
        <translation>Eine Kopie der Datei an seine Stelle legen</translation>
    </message>
    <message>
        <source>this folder cannot be read ({})</source>
        <translation>dieser Ordner lässt sich nicht lesen ({})</translation>
    </message>
    <message>
        <source>Check that you may read it</source>
        <translation>Prüfen, ob Leserecht besteht</translation>
    </message>
    <message>
        <source>the file is empty</source>
        <translation>die Datei ist leer</translation>
    </message>
    <message>
        <source>{} ranks on {} would share {}, and more than {} a CPU are not started</source>
        <translation>{} Ränge auf {} würden sich {} teilen, und mehr als {} je CPU werden nicht gestartet</translation>
    </message>
    <message>
        <source>Start at most {} there, or insist with {}</source>
        <translation>Dort höchstens {} starten oder mit {} erzwingen</translation>
    </message>
    <message>
        <source>{} ranks are asked for, and more than {} are not started</source>
        <translation>{} Ränge sind verlangt, und mehr als {} werden nicht gestartet</translation>
    </message>
    <message>
        <source>Start fewer ranks with more devices each, or insist with {}</source>
        <translation>Weniger Ränge mit jeweils mehr Geräten starten oder mit {} erzwingen</translation>
    </message>
    <message>
        <source>{} devices of one process would share {}, and more than {} a CPU are not started</source>
        <translation>{} Geräte eines Prozesses würden sich {} teilen, und mehr als {} je CPU werden nicht gestartet</translation>
    </message>
    <message>
        <source>Ask for at most {} devices here, spread them over more hosts, or insist with {}</source>
        <translation>Hier höchstens {} Geräte verlangen, sie auf mehr Rechner verteilen oder mit {} erzwingen</translation>
    </message>
    <message>
        <source>a Wan Fun model</source>
        <translation>ein Wan-Fun-Modell</translation>
    </message>
    <message>
        <source>{} ({} input channels)</source>
        <translation>{} ({} Eingangskanäle)</translation>
    </message>
    <message>
        <source>T5 as Flux and Stable Diffusion 3 have it (a relative bias in its first block only)</source>
        <translation>T5, wie Flux und Stable Diffusion 3 es haben (ein relativer Bias nur im ersten Block)</translation>
    </message>
    <message>
        <source>T5 (a relative bias in its first block only), not UMT5</source>
        <translation>T5 (ein relativer Bias nur im ersten Block), nicht UMT5</translation>
    </message>
    <message>
        <source>the VAE of Qwen-Image</source>
        <translation>der VAE von Qwen-Image</translation>
    </message>
    <message>
        <source>a VAE of class {}</source>
        <translation>ein VAE der Klasse {}</translation>
    </message>
    <message>
        <source>a VAE of images (its kernels have no axis of time)</source>
        <translation>ein VAE für Bilder (seine Faltungskerne haben keine Zeitachse)</translation>
    </message>
    <message>
        <source>a VAE that makes videos of twice the size (2x upscale)</source>
        <translation>ein VAE, der Videos in doppelter Größe erzeugt (2x-Upscale)</translation>
    </message>
    <message>
        <source>a VAE of {} colour channels in and {} out</source>
        <translation>ein VAE mit {} Farbkanälen am Eingang und {} am Ausgang</translation>
    </message>
    <message>
        <source>Its tensors have the shapes of Wan&apos;s, and its name says that it is {}&apos;s</source>
        <translation>Die Tensoren haben die Formen derer von Wan, und dem Namen nach gehören sie zu {}</translation>
    </message>
    <message>
        <source>SLA, the sparse-linear attention of TurboDiffusion; Meshreel computes full attention, and the video may differ</source>
        <translation>SLA, die Sparse-Linear-Attention von TurboDiffusion; Meshreel berechnet die volle Attention, und das Video kann abweichen</translation>
    </message>
    <message>
        <source>gates of VSA, the sparse attention of FastVideo; Meshreel computes full attention without them, and the video may differ</source>
        <translation>Gates von VSA, der Sparse-Attention von FastVideo; Meshreel berechnet die volle Attention ohne sie, und das Video kann abweichen</translation>
    </message>
    <message>
        <source>image prompts (IP-Adapter), which Meshreel does not take</source>
        <translation>Bild-Prompts (IP-Adapter), die Meshreel nicht annimmt</translation>
    </message>
    <message>
        <source>a ControlNet, which Meshreel does not run</source>
        <translation>ein ControlNet, das Meshreel nicht ausführt</translation>
    </message>
    <message>
        <source>an adapter that was not merged into the weights</source>
        <translation>ein Adapter, der nicht in die Gewichte eingerechnet wurde</translation>
    </message>
    <message>
        <source>guidance that is given to the network as a number</source>
        <translation>Guidance, die das Netz als Zahl erhält</translation>
    </message>
    <message>
        <source>sound that drives the video</source>
        <translation>Ton, der das Video steuert</translation>
    </message>
    <message>
        <source>layers behind the last that the config has</source>
        <translation>Schichten hinter der letzten, die die Konfiguration hat</translation>
    </message>
    <message>
        <source>images, VACE or animation, which the config leaves out</source>
        <translation>Bilder, VACE oder Animation, die in der Konfiguration fehlen</translation>
    </message>
    <message>
        <source>{} ({} tensors)</source>
        <translation>{} ({} Tensoren)</translation>
    </message>
    <message>
        <source>the folder holds no adapter</source>
        <translation>der Ordner enthält keinen Adapter</translation>
    </message>
    <message>
        <source>Name its file in lora; in a folder {} is looked for</source>
        <translation>Seine Datei in lora nennen; in einem Ordner wird nach {} gesucht</translation>
    </message>
    <message>
        <source>the file has layers for transformer_2, the low expert, only, and lora asks for the {} expert</source>
        <translation>die Datei hat nur Schichten für transformer_2, den Experten low, und lora verlangt den Experten {}</translation>
    </message>
    <message>
        <source>Write &quot;expert: low&quot;, or remove &quot;expert&quot;</source>
        <translation>&quot;expert: low&quot; schreiben oder &quot;expert&quot; entfernen</translation>
    </message>
    <message>
        <source>Warning: {}</source>
        <translation>Warnung: {}</translation>
    </message>
    <message>
        <source>scaled by {} ({})</source>
        <translation>skaliert nach {} ({})</translation>
    </message>
    <message>
        <source>effective scale {:g}: {}</source>
        <translation>wirksame Skalierung {:g}: {}</translation>
    </message>
    <message>
        <source>the tokenizer has {} tokens, and the text encoder&apos;s vocabulary {}: they are of different models</source>
        <translation>der Tokenizer hat {} Tokens, das Vokabular des Text-Encoders {}: sie gehören zu verschiedenen Modellen</translation>
    </message>
    <message>
        <source>Name the tokenizer that came with the text encoder in parts.tokenizer</source>
        <translation>Den Tokenizer, der mit dem Text-Encoder kam, in parts.tokenizer nennen</translation>
    </message>
    <message>
        <source>it holds tensors without which it is another model: {}</source>
        <translation>es enthält Tensoren, ohne die es ein anderes Modell ist: {}</translation>
    </message>
    <message>
        <source>Use the weights of a model that Meshreel runs</source>
        <translation>Die Gewichte eines Modells verwenden, das Meshreel ausführt</translation>
    </message>
    <message>
        <source>the {} has the shapes of Wan&apos;s, and its name says that it is {}&apos;s</source>
        <translation>{} hat die Formen von Wan und gehört dem Namen nach zu {}</translation>
    </message>
    <message>
        <source>the {} holds a tensor that is not used: {}</source>
        <translation>{} enthält einen Tensor, der nicht verwendet wird: {}</translation>
    </message>
    <message>
        <source>the {} holds {} tensors that are not used: {}</source>
        <translation>{} enthält {} Tensoren, die nicht verwendet werden: {}</translation>
    </message>
    <message>
        <source>the {} was chosen by its file&apos;s name: {} has the same shapes. parts.{} settles it</source>
        <translation>{} wurde nach dem Dateinamen gewählt: {} hat dieselben Formen. parts.{} entscheidet es</translation>
    </message>
    <message>
        <source>character animation with two experts (transformer and transformer_2)</source>
        <translation>Figurenanimation mit zwei Experten (transformer und transformer_2)</translation>
    </message>
    <message>
        <source>a model of two experts (transformer and transformer_2) with an image encoder</source>
        <translation>ein Modell mit zwei Experten (transformer und transformer_2) und einem Bild-Encoder</translation>
    </message>
    <message>
        <source>a model whose transformer takes {} channels beside {} of the latents</source>
        <translation>ein Modell, dessen Transformer {} Kanäle neben den {} der Latents nimmt</translation>
    </message>
    <message>
        <source>Use a model of one of these kinds: {}</source>
        <translation>Ein Modell von einer dieser Arten verwenden: {}</translation>
    </message>
    <message>
        <source>{} is {}</source>
        <translation>{} ist {}</translation>
    </message>
    <message>
        <source>{} is {}&apos;s by its name</source>
        <translation>{} gehört dem Namen nach zu {}</translation>
    </message>
    <message>
        <source>{} files fit as {} and hold different weights; nothing tells which is Wan&apos;s: {}</source>
        <translation>{} Dateien passen als {} und enthalten verschiedene Gewichte; nichts sagt, welche die von Wan ist: {}</translation>
    </message>
    <message>
        <source>Name the right one in parts.{}</source>
        <translation>Die richtige in parts.{} nennen</translation>
    </message>
    <message>
        <source>the tokenizer in {} has {} tokens, the text encoder&apos;s vocabulary {}</source>
        <translation>der Tokenizer in {} hat {} Tokens, das Vokabular des Text-Encoders {}</translation>
    </message>
    <message>
        <source>prompt {} of batch_prompts</source>
        <translation>Prompt {} von batch_prompts</translation>
    </message>
    <message>
        <source>{} has {} tokens, of which {} are used: it is cut before &quot;{}&quot;</source>
        <translation>{} hat {} Tokens, von denen {} verwendet werden: der Prompt wird vor „{}“ abgeschnitten</translation>
    </message>
    <message>
        <source>Shorten it, or set max_sequence_length: {}</source>
        <translation>Ihn kürzen oder max_sequence_length: {} setzen</translation>
    </message>
    <message>
        <source>&quot;{}&quot; has a decimal comma</source>
        <translation>„{}“ hat ein Dezimalkomma</translation>
    </message>
    <message>
        <source>{} is below 0</source>
        <translation>{} liegt unter 0</translation>
    </message>
    <message>
        <source>Write pretrained_model_name_or_path=NAME</source>
        <translation>pretrained_model_name_or_path=NAME schreiben</translation>
    </message>
    <message>
        <source>No config and no model is named, so the model is Meshreel&apos;s own, {}</source>
        <translation>Weder eine Konfiguration noch ein Modell ist genannt, daher gilt Meshreels eigenes Modell, {}</translation>
    </message>
    <message>
        <source>{} is not a config of MaxDiffusion that Meshreel knows the model of</source>
        <translation>{} ist keine Konfiguration von MaxDiffusion, deren Modell Meshreel kennt</translation>
    </message>
    <message>
        <source>Only the name of {} is known, not its keys: they stay at Meshreel&apos;s defaults</source>
        <translation>Von {} ist nur der Name bekannt, nicht die Schlüssel: sie behalten Meshreels Vorgaben</translation>
    </message>
    <message>
        <source>Import the file itself</source>
        <translation>Die Datei selbst importieren</translation>
    </message>
    <message>
        <source>{}: the path {} is not UTF-8</source>
        <translation>{}: der Pfad {} ist nicht in UTF-8</translation>
    </message>
    <message>
        <source>Rename the folder or the file</source>
        <translation>Den Ordner oder die Datei umbenennen</translation>
    </message>
    <message>
        <source>the inputs up to {} are {}, and a run copies at most {} into its folder</source>
        <translation>die Eingaben bis {} umfassen {}, und ein Lauf kopiert höchstens {} in seinen Ordner</translation>
    </message>
    <message>
        <source>Cut the video to the part that is used, or make it smaller</source>
        <translation>Das Video auf den verwendeten Teil kürzen oder verkleinern</translation>
    </message>
    <message>
        <source>{}: {}: {}</source>
        <translation>{}: {}: {}</translation>
    </message>
    <message>
        <source>{}: {}: a variable rate, {} frames a second on average, sampled at {}</source>
        <translation>{}: {}: variable Bildrate, im Mittel {} Bilder je Sekunde, abgetastet mit {}</translation>
    </message>
    <message>
        <source>{}: {}: {} frames a second, sampled at {}</source>
        <translation>{}: {}: {} Bilder je Sekunde, abgetastet mit {}</translation>
    </message>
    <message>
        <source>{} gives {} frames at {} frames a second, and num_frames is {}</source>
        <translation>{} ergibt {} Bilder bei {} Bildern je Sekunde, und num_frames ist {}</translation>
    </message>
    <message>
        <source>Write it in UTF-8</source>
        <translation>Ihn in UTF-8 schreiben</translation>
    </message>
    <message>
        <source>The text holds the control character U+{:04X}</source>
        <translation>Der Text enthält das Steuerzeichen U+{:04X}</translation>
    </message>
    <message>
        <source>0 to {}; {} is random</source>
        <translation>0 bis {}; {} ist zufällig</translation>
    </message>
    <message>
        <source>Write 0 to {}, or -1 for a random seed</source>
        <translation>0 bis {} schreiben, oder -1 für einen zufälligen Seed</translation>
    </message>
    <message>
        <source>{} is one half of a character</source>
        <translation>{} ist nur eine Hälfte eines Zeichens</translation>
    </message>
    <message>
        <source>Write both halves, as in {}, or remove it</source>
        <translation>Beide Hälften schreiben, wie in {}, oder sie entfernen</translation>
    </message>
    <message>
        <source>Remove it, and save the file as UTF-8</source>
        <translation>Entfernen und die Datei in UTF-8 speichern</translation>
    </message>
    <message>
        <source>Remove it, or write {} in double quotes</source>
        <translation>Entfernen oder {} in doppelten Anführungszeichen schreiben</translation>
    </message>
    <message>
        <source>Use fewer hosts, or shorter names</source>
        <translation>Weniger Rechner oder kürzere Namen verwenden</translation>
    </message>
    <message>
        <source>Check the permissions of the program in your PATH</source>
        <translation>Die Zugriffsrechte des Programms im PATH prüfen</translation>
    </message>
    <message>
        <source>the name of a host has at most {} characters, and this one has {}</source>
        <translation>ein Rechnername hat höchstens {} Zeichen, und dieser hat {}</translation>
    </message>
    <message>
        <source>Write the name that ssh knows the host by</source>
        <translation>Den Namen schreiben, unter dem ssh den Rechner kennt</translation>
    </message>
    <message>
        <source>Between its dots are 1 to {} characters</source>
        <translation>Zwischen den Punkten stehen 1 bis {} Zeichen</translation>
    </message>
    <message>
        <source>the hosts up to here take {} ranks, and no mesh has more than {} devices</source>
        <translation>die Rechner bis hierher nehmen {} Ränge auf, und kein Gerätenetz hat mehr als {} Geräte</translation>
    </message>
    <message>
        <source>List fewer hosts, or fewer slots</source>
        <translation>Weniger Rechner oder weniger Slots aufführen</translation>
    </message>
    <message>
        <source>the file of hosts cannot be read</source>
        <translation>die Rechnerdatei lässt sich nicht lesen</translation>
    </message>
    <message>
        <source>the file of hosts is larger than {}</source>
        <translation>die Rechnerdatei ist größer als {}</translation>
    </message>
    <message>
        <source>the project could not be handed to the ranks ({})</source>
        <translation>das Projekt konnte den Rängen nicht übergeben werden ({})</translation>
    </message>
    <message>
        <source>Start it again with --out and the same folder</source>
        <translation>Ihn mit --out und demselben Ordner neu starten</translation>
    </message>
    <message>
        <source>This run has no {}, because an earlier version began it: whether its model, prompt and settings have changed since is not checked</source>
        <translation>Diesem Lauf fehlt {}, weil eine frühere Version ihn begonnen hat: ob sich Modell, Prompt und Einstellungen seither geändert haben, wird nicht geprüft</translation>
    </message>
    <message>
        <source>{} was {}, is {}</source>
        <translation>{} war {}, ist jetzt {}</translation>
    </message>
    <message>
        <source>{}: {} is no longer used</source>
        <translation>{}: {} wird nicht mehr verwendet</translation>
    </message>
    <message>
        <source>{}: {} had {} bytes, has {}</source>
        <translation>{}: {} hatte {} Byte, hat jetzt {}</translation>
    </message>
    <message>
        <source>{}: {} holds other data</source>
        <translation>{}: {} enthält andere Daten</translation>
    </message>
    <message>
        <source>{}: {} is new</source>
        <translation>{}: {} ist neu</translation>
    </message>
    <message>
        <source>settings have changed since the run began ({})</source>
        <translation>Einstellungen haben sich seit Beginn des Laufs geändert ({})</translation>
    </message>
    <message>
        <source>Set them back, or start a new run with them: meshreel run {}</source>
        <translation>Sie zurücksetzen oder mit ihnen einen neuen Lauf starten: meshreel run {}</translation>
    </message>
    <message>
        <source>files of the model, adapters or inputs have changed since the run began ({})</source>
        <translation>Dateien des Modells, der Adapter oder der Eingaben haben sich seit Beginn des Laufs geändert ({})</translation>
    </message>
    <message>
        <source>settings and files of the model, adapters or inputs have changed since the run began ({})</source>
        <translation>Einstellungen und Dateien des Modells, der Adapter oder der Eingaben haben sich seit Beginn des Laufs geändert ({})</translation>
    </message>
    <message>
        <source>Put the files back that it began with, or start a new run: meshreel run {}</source>
        <translation>Die Dateien wiederherstellen, mit denen er begann, oder einen neuen Lauf starten: meshreel run {}</translation>
    </message>
    <message>
        <source>it shrank while it was read</source>
        <translation>sie schrumpfte, während sie gelesen wurde</translation>
    </message>
    <message>
        <source>Check that it is there and its permissions</source>
        <translation>Prüfen, ob sie vorhanden ist, und ihre Zugriffsrechte prüfen</translation>
    </message>
    <message>
        <source>this GGUF was left unfinished: it holds no such tensor</source>
        <translation>diese GGUF-Datei blieb unfertig: sie enthält keinen solchen Tensor</translation>
    </message>
    <message>
        <source>Converters leave out what has 5 axes and add it in a last step (fix_5d_tensors.py of ComfyUI-GGUF): do that step, or get a finished file</source>
        <translation>Konverter lassen weg, was 5 Achsen hat, und fügen es in einem letzten Schritt hinzu (fix_5d_tensors.py von ComfyUI-GGUF): diesen Schritt ausführen oder eine fertige Datei beschaffen</translation>
    </message>
    <message>
        <source>The file is incomplete, or of another model: get it again</source>
        <translation>Die Datei ist unvollständig oder gehört zu einem anderen Modell: erneut beschaffen</translation>
    </message>
    <message>
        <source>The nearest name is &apos;{}&apos;: the file is incomplete, or of another model</source>
        <translation>Der ähnlichste Name ist „{}“: die Datei ist unvollständig oder gehört zu einem anderen Modell</translation>
    </message>
    <message>
        <source>it is stored as {}, which Meshreel does not read</source>
        <translation>er ist als {} gespeichert, was Meshreel nicht liest</translation>
    </message>
    <message>
        <source>The file is of another model, or damaged: check what it is with meshreel inspect, or get it again</source>
        <translation>Die Datei gehört zu einem anderen Modell oder ist beschädigt: mit meshreel inspect prüfen, was sie ist, oder erneut beschaffen</translation>
    </message>
    <message>
        <source>{} whose comfy_quant names no format</source>
        <translation>{}, dessen comfy_quant kein Format nennt</translation>
    </message>
    <message>
        <source>its scale is of type {}, which is not read</source>
        <translation>sein Skalierungsfaktor ist vom Typ {}, der nicht gelesen wird</translation>
    </message>
    <message>
        <source>it is made by {}, which Meshreel does not read</source>
        <translation>er wird von {} erzeugt, was Meshreel nicht liest</translation>
    </message>
    <message>
        <source>it has layers for transformer_2, the second of two experts, and the model has one transformer</source>
        <translation>er hat Schichten für transformer_2, den zweiten von zwei Experten, und das Modell hat nur einen Transformer</translation>
    </message>
    <message>
        <source>Use it with a model of two experts (Wan 2.2 A14B), or an adapter for this one</source>
        <translation>Ihn mit einem Modell mit zwei Experten verwenden (Wan 2.2 A14B) oder einen Adapter für dieses Modell nehmen</translation>
    </message>
    <message>
        <source>{} is not applied, because the folder holds several files of weights: put this one and its description into a folder of their own</source>
        <translation>{} wird nicht angewendet, weil der Ordner mehrere Gewichtsdateien enthält: diese und ihre Beschreibung in einen eigenen Ordner legen</translation>
    </message>
    <message>
        <source>{} is not applied ({})</source>
        <translation>{} wird nicht angewendet ({})</translation>
    </message>
    <message>
        <source>{} layers have an alpha in the file, which is applied in place of {}</source>
        <translation>{} Schichten haben ein alpha in der Datei, das anstelle von {} angewendet wird</translation>
    </message>
    <message>
        <source>{} has a value that PEFT does not write</source>
        <translation>{} hat einen Wert, den PEFT nicht schreibt</translation>
    </message>
    <message>
        <source>Use a plain LoRA, or one that its trainer merged into a model</source>
        <translation>Einen einfachen LoRA-Adapter verwenden oder einen, den sein Trainingsprogramm in ein Modell eingerechnet hat</translation>
    </message>
    <message>
        <source>this is {} ({}), which Meshreel does not apply</source>
        <translation>dies ist {} ({}), was Meshreel nicht anwendet</translation>
    </message>
    <message>
        <source>it was trained from {} (init_lora_weights), which changes the model&apos;s own weights</source>
        <translation>er wurde ausgehend von {} trainiert (init_lora_weights), was die Gewichte des Modells selbst ändert</translation>
    </message>
    <message>
        <source>Have it saved as a plain LoRA: PEFT converts it with path_initial_model_for_weight_conversion</source>
        <translation>Ihn als einfachen LoRA-Adapter speichern lassen: PEFT wandelt ihn mit path_initial_model_for_weight_conversion um</translation>
    </message>
    <message>
        <source>{} holds &quot;{}&quot;, which cannot be read as a regular expression</source>
        <translation>{} enthält „{}“, was sich nicht als regulärer Ausdruck lesen lässt</translation>
    </message>
    <message>
        <source>Name the modules one by one in {}</source>
        <translation>Die Module in {} einzeln nennen</translation>
    </message>
    <message>
        <source>it says rank {:g} for {}, whose tensors have rank {}</source>
        <translation>sie nennt Rang {:g} für {}, dessen Tensoren Rang {} haben</translation>
    </message>
    <message>
        <source>Use the description that belongs to the adapter&apos;s file</source>
        <translation>Die Beschreibung verwenden, die zur Datei des Adapters gehört</translation>
    </message>
    <message>
        <source>the adapter replaces {} of the model ({}), which Meshreel does not do</source>
        <translation>der Adapter ersetzt {} des Modells ({}), was Meshreel nicht tut</translation>
    </message>
    <message>
        <source>Use an adapter without it, or one that its trainer merged into a model</source>
        <translation>Einen Adapter ohne dies verwenden oder einen, den sein Trainingsprogramm in ein Modell eingerechnet hat</translation>
    </message>
    <message>
        <source>This row has {} fields in place of {}</source>
        <translation>Diese Zeile hat {} Felder statt {}</translation>
    </message>
    <message>
        <source>its parts do not fit together</source>
        <translation>seine Teile passen nicht zusammen</translation>
    </message>
    <message>
        <source>frame {} cannot be decoded</source>
        <translation>Bild {} lässt sich nicht dekodieren</translation>
    </message>
    <message>
        <source>These are not the numbers of a roofline</source>
        <translation>Das sind nicht die Zahlen eines Roofline-Diagramms</translation>
    </message>
    <message>
        <source>Draw one with meshreel bench --roofline</source>
        <translation>Eines mit meshreel bench --roofline zeichnen</translation>
    </message>
    <message>
        <source>No hardware profile is published as {}</source>
        <translation>Kein Hardware-Profil wird als {} veröffentlicht</translation>
    </message>
    <message>
        <source>The model is not stated</source>
        <translation>Das Modell ist nicht angegeben</translation>
    </message>
    <message>
        <source>The video&apos;s size is not stated</source>
        <translation>Die Größe des Videos ist nicht angegeben</translation>
    </message>
    <message>
        <source>{} skips work by the video&apos;s content</source>
        <translation>{} lässt je nach Inhalt des Videos Arbeit aus</translation>
    </message>
    <message>
        <source>No program called {} is known</source>
        <translation>Kein Programm namens {} ist bekannt</translation>
    </message>
    <message>
        <source>Programs: {}</source>
        <translation>Programme: {}</translation>
    </message>
    <message>
        <source>{} is not foreseen</source>
        <translation>{} wird nicht vorhergesehen</translation>
    </message>
    <message>
        <source>The number of steps is not stated</source>
        <translation>Die Zahl der Schritte ist nicht angegeben</translation>
    </message>
    <message>
        <source>No legal mesh is called {}</source>
        <translation>Kein zulässiges Mesh heißt {}</translation>
    </message>
    <message>
        <source>The best are {}; a mode may follow behind a slash</source>
        <translation>Die besten sind {}; hinter einem Schrägstrich kann ein Modus folgen</translation>
    </message>
    <message>
        <source>A hardware profile is a map of keys</source>
        <translation>Ein Hardware-Profil ist eine Zuordnung von Schlüsseln</translation>
    </message>
    <message>
        <source>Copy a file of configs/hardware and change its numbers</source>
        <translation>Eine Datei aus configs/hardware kopieren und ihre Zahlen ändern</translation>
    </message>
    <message>
        <source>No key of a hardware profile is called {}</source>
        <translation>Kein Schlüssel eines Hardware-Profils heißt {}</translation>
    </message>
    <message>
        <source>docs/foresight.md lists the keys</source>
        <translation>docs/foresight.md nennt die Schlüssel</translation>
    </message>
    <message>
        <source>{} is {}, and must be a number above 0</source>
        <translation>{} ist {} und muss eine Zahl über 0 sein</translation>
    </message>
    <message>
        <source>Write a number such as 989 or 3.9e12</source>
        <translation>Eine Zahl wie 989 oder 3.9e12 schreiben</translation>
    </message>
    <message>
        <source>{} is {}, and must be a whole number</source>
        <translation>{} ist {} und muss eine ganze Zahl sein</translation>
    </message>
    <message>
        <source>Write a number from {} to {}</source>
        <translation>Eine Zahl von {} bis {} schreiben</translation>
    </message>
    <message>
        <source>There is no kind of hardware called {}</source>
        <translation>Es gibt keine Hardware-Art namens {}</translation>
    </message>
    <message>
        <source>Write tpu, gpu or consumer_gpu</source>
        <translation>tpu, gpu oder consumer_gpu schreiben</translation>
    </message>
    <message>
        <source>{} is empty</source>
        <translation>{} ist leer</translation>
    </message>
    <message>
        <source>Give a list of texts</source>
        <translation>Eine Liste von Texten angeben</translation>
    </message>
    <message>
        <source>A link has no {}</source>
        <translation>Einer Verbindung fehlt {}</translation>
    </message>
    <message>
        <source>Write - {{name: NVLink, devices: 8, gb_s: 450, ports: 1, latency_us: 3, topology: switch}}</source>
        <translation>- {{name: NVLink, devices: 8, gb_s: 450, ports: 1, latency_us: 3, topology: switch}} schreiben</translation>
    </message>
    <message>
        <source>The link {} reaches no more devices than the one before</source>
        <translation>Die Verbindung {} erreicht nicht mehr Geräte als die davor</translation>
    </message>
    <message>
        <source>List links from near to far</source>
        <translation>Verbindungen von nah nach fern auflisten</translation>
    </message>
    <message>
        <source>A profile needs links</source>
        <translation>Ein Profil braucht Verbindungen</translation>
    </message>
    <message>
        <source>List one link at least</source>
        <translation>Mindestens eine Verbindung auflisten</translation>
    </message>
    <message>
        <source>There is no topology called {}</source>
        <translation>Es gibt keine Topologie namens {}</translation>
    </message>
    <message>
        <source>No key of a link is called {}</source>
        <translation>Kein Schlüssel einer Verbindung heißt {}</translation>
    </message>
    <message>
        <source>The profile has no {}</source>
        <translation>Dem Profil fehlt {}</translation>
    </message>
    <message>
        <source>docs/foresight.md says what it means</source>
        <translation>docs/foresight.md sagt, was es bedeutet</translation>
    </message>
    <message>
        <source>There is no hardware profile called {}</source>
        <translation>Es gibt kein Hardware-Profil namens {}</translation>
    </message>
    <message>
        <source>Profiles: {}; or give the path of a file</source>
        <translation>Profile: {}; oder den Pfad einer Datei angeben</translation>
    </message>
    <message>
        <source>More devices do not make it faster: {} take no longer</source>
        <translation>Mehr Geräte machen es nicht schneller: {} brauchen nicht länger</translation>
    </message>
    <message>
        <source>A ring of {}: a hop takes {:.1f} ms and its kernel {:.1f} ms</source>
        <translation>Ein Ring aus {}: Ein Hop dauert {:.1f} ms, sein Kernel {:.1f} ms</translation>
    </message>
    <message>
        <source>The exchange of heads takes {:.0f} % of a step</source>
        <translation>Der Tausch der Köpfe nimmt {:.0f} % eines Schritts ein</translation>
    </message>
    <message>
        <source>Heads run out: {} heads over {} devices; keys rotate or are gathered between {} groups</source>
        <translation>Die Köpfe gehen aus: {} Köpfe auf {} Geräten; Schlüssel kreisen zwischen {} Gruppen oder werden gesammelt</translation>
    </message>
    <message>
        <source>Blocks are filled up: a device has too few rows for them</source>
        <translation>Blöcke werden aufgefüllt: Ein Gerät hat zu wenige Zeilen für sie</translation>
    </message>
    <message>
        <source>Exchange and starts of blocks do not shrink as computing does</source>
        <translation>Austausch und Blockanfänge schrumpfen nicht wie das Rechnen</translation>
    </message>
    <message>
        <source>Memory: {:.0f} GiB a device at least, of {:.0f}</source>
        <translation>Speicher: mindestens {:.0f} GiB je Gerät, von {:.0f}</translation>
    </message>
    <message>
        <source>No legal mesh has so many devices</source>
        <translation>Kein zulässiges Mesh hat so viele Geräte</translation>
    </message>
    <message>
        <source>{}: {:.3g} s of a step, {:.0f} %. {}</source>
        <translation>{}: {:.3g} s eines Schritts, {:.0f} %. {}</translation>
    </message>
    <message>
        <source>The ring of {} is bound by its hops: one takes {:.1f} ms, and the kernel beside it {:.1f} ms. Larger blocks gain little here</source>
        <translation>Den Ring aus {} begrenzen seine Hops: Einer dauert {:.1f} ms, der Kernel daneben {:.1f} ms. Größere Blöcke bringen hier wenig</translation>
    </message>
    <message>
        <source>A hardware profile is a file that ends in .yaml</source>
        <translation>Ein Hardware-Profil ist eine Datei, die auf .yaml endet</translation>
    </message>
    <message>
        <source>Write -o my-hardware.yaml</source>
        <translation>-o my-hardware.yaml schreiben</translation>
    </message>
    <message>
        <source>{} has measured times already</source>
        <translation>{} hat bereits gemessene Zeiten</translation>
    </message>
    <message>
        <source>Fit the profile that it was made of, {}, with all runs</source>
        <translation>Das Profil, aus dem es entstand ({}), mit allen Läufen anpassen</translation>
    </message>
    <message>
        <source>The table has no column {}</source>
        <translation>Der Tabelle fehlt die Spalte {}</translation>
    </message>
    <message>
        <source>docs/foresight.md describes the columns of a table of times</source>
        <translation>docs/foresight.md beschreibt die Spalten einer Tabelle von Zeiten</translation>
    </message>
    <message>
        <source>Seconds are {}, and must be above 0</source>
        <translation>Die Sekunden sind {} und müssen über 0 liegen</translation>
    </message>
    <message>
        <source>linear layers</source>
        <translation>lineare Schichten</translation>
    </message>
    <message>
        <source>attention products</source>
        <translation>Attention-Produkte</translation>
    </message>
    <message>
        <source>padding of blocks</source>
        <translation>Auffüllen von Blöcken</translation>
    </message>
    <message>
        <source>softmax and starts of blocks</source>
        <translation>Softmax und Blockanfänge</translation>
    </message>
    <message>
        <source>memory bandwidth</source>
        <translation>Speicherbandbreite</translation>
    </message>
    <message>
        <source>exchange of heads</source>
        <translation>Tausch der Köpfe</translation>
    </message>
    <message>
        <source>exposed hops of the ring</source>
        <translation>offene Hops des Rings</translation>
    </message>
    <message>
        <source>exposed gather of keys</source>
        <translation>offenes Sammeln der Schlüssel</translation>
    </message>
    <message>
        <source>exposed gather of weights</source>
        <translation>offenes Sammeln der Gewichte</translation>
    </message>
    <message>
        <source>More devices, 8-bit linear layers, or fewer steps</source>
        <translation>Mehr Geräte, lineare Schichten mit 8 Bit oder weniger Schritte</translation>
    </message>
    <message>
        <source>More devices along the context axis, or a kernel nearer to the peak</source>
        <translation>Mehr Geräte entlang der Kontextachse oder ein Kernel näher am Spitzenwert</translation>
    </message>
    <message>
        <source>Blocks that divide the queries and keys of a device</source>
        <translation>Blöcke, die die Queries und Keys eines Geräts teilen</translation>
    </message>
    <message>
        <source>A larger block_q within the scratch, or a kernel with a fixed bound</source>
        <translation>Ein größeres block_q im Scratch oder ein Kernel mit fester Schranke</translation>
    </message>
    <message>
        <source>A program that fuses norms, rotations and residuals</source>
        <translation>Ein Programm, das Normen, Rotationen und Residuen zusammenfasst</translation>
    </message>
    <message>
        <source>A smaller ulysses_shards that stays on nearer links, with a ring for the rest</source>
        <translation>Ein kleineres ulysses_shards auf näheren Verbindungen, mit einem Ring für den Rest</translation>
    </message>
    <message>
        <source>A shorter ring, whose kernel outlasts a hop, or faster links</source>
        <translation>Ein kürzerer Ring, dessen Kernel einen Hop überdauert, oder schnellere Verbindungen</translation>
    </message>
    <message>
        <source>Ulysses or a ring in place of a gather</source>
        <translation>Ulysses oder ein Ring statt Sammeln</translation>
    </message>
    <message>
        <source>A smaller tensor axis: the context axis moves less</source>
        <translation>Eine kleinere Tensorachse: Die Kontextachse bewegt weniger</translation>
    </message>
    <message>
        <source>A smaller fsdp axis where memory allows it</source>
        <translation>Eine kleinere fsdp-Achse, wo der Speicher es erlaubt</translation>
    </message>
    <message>
        <source>Write name, devices, gb_s, ports, latency_us, units_share or topology</source>
        <translation>name, devices, gb_s, ports, latency_us, units_share oder topology schreiben</translation>
    </message>
    <message>
        <source>it does not answer</source>
        <translation>er antwortet nicht</translation>
    </message>
    <message>
        <source>it cannot be reached</source>
        <translation>er ist nicht zu erreichen</translation>
    </message>
    <message>
        <source>Open MPI is not installed there: the shell finds no orted</source>
        <translation>Open MPI ist dort nicht installiert: Die Shell findet kein orted</translation>
    </message>
    <message>
        <source>the shell finds no orted of Open MPI there: {}</source>
        <translation>Die Shell findet dort kein orted von Open MPI: {}</translation>
    </message>
    <message>
        <source>this rank reads other weights than rank 0: {} of {} differs or is missing</source>
        <translation>dieser Rang liest andere Gewichte als Rang 0: {} von {} ist anders oder fehlt</translation>
    </message>
    <message>
        <source>Copy rank 0&apos;s model to this host, or set broadcast_weights: true</source>
        <translation>Kopieren Sie das Modell von Rang 0 auf diesen Rechner, oder setzen Sie broadcast_weights: true</translation>
    </message>
    <message>
        <source>the model on {} is not that of {}: {}</source>
        <translation>das Modell auf {} ist nicht das von {}: {}</translation>
    </message>
    <message>
        <source>Install Meshreel at the same path there, or let --broadcast-program send it</source>
        <translation>Installieren Sie Meshreel dort unter demselben Pfad, oder lassen Sie es mit --broadcast-program senden</translation>
    </message>
    <message>
        <source>{} of {} differs or is missing</source>
        <translation>{} von {} ist anders oder fehlt</translation>
    </message>
    <message>
        <source>the program is not there</source>
        <translation>das Programm ist dort nicht vorhanden</translation>
    </message>
    <message>
        <source>Cells on hosts leave no trace; trace_batch serves those of this machine</source>
        <translation>Zellen auf Rechnern hinterlassen keine Ablaufspur; trace_batch gilt für die dieses Rechners</translation>
    </message>
    <message>
        <source>Save the sweep, or leave out hosts</source>
        <translation>Speichern Sie die Messreihe, oder lassen Sie hosts weg</translation>
    </message>
    <message>
        <source>ranks on hosts read a sweep from its file, and this one has none</source>
        <translation>Ränge auf Rechnern lesen eine Messreihe aus ihrer Datei, und diese hat keine</translation>
    </message>
    <message>
        <source>meshreel sweep FILE --list prints the cells</source>
        <translation>meshreel sweep FILE --list zeigt die Zellen</translation>
    </message>
    <message>
        <source>Fixed m: {} of {} heads ran on the bound; {} were beyond its limit, {} lost weights</source>
        <translation>Festes m: {} von {} Köpfen liefen mit der Schranke; {} lagen über ihrer Grenze, {} verloren Gewichte</translation>
    </message>
    <message>
        <source>its numbers are not those that were written</source>
        <translation>seine Zahlen sind nicht die geschriebenen</translation>
    </message>
    <message>
        <source>{} could not be read and was set aside as {}: {}</source>
        <translation>{} war nicht zu lesen und liegt nun als {} beiseite: {}</translation>
    </message>
    <message>
        <source>{} has lost {} of the {} steps before; sums and charts lack them</source>
        <translation>{} fehlen {} der {} Schritte davor; Summen und Diagramme enthalten sie nicht</translation>
    </message>
    <message>
        <source>a run that has begun keeps its {}</source>
        <translation>ein begonnener Lauf behält {}</translation>
    </message>
    <message>
        <source>Change only {}, or start a new run</source>
        <translation>Ändern Sie nur {}, oder beginnen Sie einen neuen Lauf</translation>
    </message>
    <message>
        <source>it holds no project</source>
        <translation>er enthält kein Projekt</translation>
    </message>
    <message>
        <source>it changes the run before it, which cannot be read</source>
        <translation>er ändert den Lauf davor, der nicht zu lesen ist</translation>
    </message>
    <message>
        <source>the run is finished already</source>
        <translation>der Lauf ist schon fertig</translation>
    </message>
    <message>
        <source>Write its video otherwise with meshreel decode and the same --set</source>
        <translation>Schreiben Sie sein Video anders, mit meshreel decode und demselben --set</translation>
    </message>
    <message>
        <source>A kept video was made again, as its picture could not be read ({}); that was set aside as {}</source>
        <translation>Ein aufbewahrtes Video wurde neu gemacht, weil sein Bild nicht lesbar war ({}); es wurde als {} beiseitegelegt</translation>
    </message>
    <message>
        <source>It is not known on which machine the measurements in {} began: no {} records it</source>
        <translation>Auf welchem Rechner die Messungen in {} begannen, ist unbekannt: Kein {} verzeichnet es</translation>
    </message>
    <message>
        <source>the measurements were begun on another machine or build ({})</source>
        <translation>die Messungen wurden auf einem anderen Rechner oder mit einem anderen Build begonnen ({})</translation>
    </message>
    <message>
        <source>Go on there, or measure all of them here in another folder</source>
        <translation>Dort fortsetzen, oder hier alle in einem anderen Ordner messen</translation>
    </message>
    <message>
        <source>the sweep has no cell &quot;{}&quot;</source>
        <translation>die Messreihe hat keine Zelle „{}“</translation>
    </message>
    <message>
        <source>this is no row of a sweep</source>
        <translation>dies ist keine Zeile einer Messreihe</translation>
    </message>
    <message>
        <source>The pass is measured again when the sweep goes on</source>
        <translation>Der Durchgang wird neu gemessen, wenn die Messreihe weitergeht</translation>
    </message>
    <message>
        <source>rank {} on host {} computes with {}, and rank 0 on host {} with {}: the result differs slightly from that of one instruction set. For the same bits everywhere give the narrowest of them with --isa</source>
        <translation>Rang {} auf Host {} rechnet mit {}, Rang 0 auf Host {} mit {}: Das Ergebnis weicht leicht von dem mit einem einzigen Befehlssatz ab. Für überall gleiche Bits den kleinsten davon mit --isa angeben</translation>
    </message>
    <message>
        <source>the run has lost its {}</source>
        <translation>dem Lauf fehlt seine Datei {}</translation>
    </message>
    <message>
        <source>{} runs are left out, as they cannot be read: {}</source>
        <translation>{} Läufe sind ausgelassen, weil sie nicht lesbar sind: {}</translation>
    </message>
    <message>
        <source>the shard {:.80} is not the name of a file of weights beside the index</source>
        <translation>der Teil {:.80} ist nicht der Name einer Gewichtsdatei neben dem Index</translation>
    </message>
    <message>
        <source>Use a checkpoint in F32, F16, BF16, fp8, ComfyUI&apos;s int8, nvfp4 or mxfp8, or one of GGUF&apos;s types Q8_0, Q6_K, Q5_K, Q4_K, Q3_K, Q2_K, IQ4_NL, IQ4_XS, Q5_0, Q5_1, Q4_0 and Q4_1</source>
        <translation>Verwenden Sie einen Checkpoint in F32, F16, BF16, fp8, in int8, nvfp4 oder mxfp8 von ComfyUI oder in einem der GGUF-Typen Q8_0, Q6_K, Q5_K, Q4_K, Q3_K, Q2_K, IQ4_NL, IQ4_XS, Q5_0, Q5_1, Q4_0 und Q4_1</translation>
    </message>
    <message>
        <source>its tokenizer has {} tokens, {} scores and {} kinds of tokens</source>
        <translation>sein Tokenizer hat {} Token, {} Bewertungen und {} Arten von Token</translation>
    </message>
    <message>
        <source>Name a tokenizer in parts.tokenizer</source>
        <translation>Nennen Sie einen Tokenizer in parts.tokenizer</translation>
    </message>
    <message>
        <source>the metadata &apos;{}&apos; is a list of another type</source>
        <translation>die Metadaten &apos;{}&apos; sind eine Liste eines anderen Typs</translation>
    </message>
    <message>
        <source>a causal Wan model, which makes a video block by block</source>
        <translation>ein kausales Wan-Modell, das ein Video Block für Block erzeugt</translation>
    </message>
    <message>
        <source>its scale (weight_scale) is missing</source>
        <translation>sein Skalierungsfaktor (weight_scale) fehlt</translation>
    </message>
    <message>
        <source>The file is incomplete: get it again</source>
        <translation>Die Datei ist unvollständig: Holen Sie sie noch einmal</translation>
    </message>
    <message>
        <source>The file is damaged: get it again</source>
        <translation>Die Datei ist beschädigt: Holen Sie sie noch einmal</translation>
    </message>
    <message>
        <source>its scale has shape {}, but {} numbers were expected, in tiles of 128 rows and 4 columns</source>
        <translation>sein Skalierungsfaktor hat die Form {}, erwartet wurden aber {} Zahlen, in Kacheln von 128 Zeilen und 4 Spalten</translation>
    </message>
    <message>
        <source>weight_scale_2, one number, is missing or of another type</source>
        <translation>weight_scale_2, eine Zahl, fehlt oder ist von einem anderen Typ</translation>
    </message>
    <message>
        <source>Wan 2.2 VACE editing, two experts</source>
        <translation>Wan 2.2 Bearbeitung mit VACE, zwei Experten</translation>
    </message>
    <message>
        <source>the GPU {} is not here any more</source>
        <translation>die GPU {} ist nicht mehr da</translation>
    </message>
    <message>
        <source>See meshreel devices</source>
        <translation>Siehe meshreel devices</translation>
    </message>
    <message>
        <source>{} cannot be used: {}</source>
        <translation>{} ist nicht zu gebrauchen: {}</translation>
    </message>
    <message>
        <source>{} has no memory of the kind that is needed</source>
        <translation>{} hat keinen Speicher der nötigen Art</translation>
    </message>
    <message>
        <source>Update the GPU driver, or use the CPU</source>
        <translation>Aktualisieren Sie den GPU-Treiber, oder nutzen Sie die CPU</translation>
    </message>
    <message>
        <source>Denoising held {} of the GPU&apos;s memory at most; {} were planned</source>
        <translation>Das Entrauschen hielt höchstens {} des GPU-Speichers; geplant waren {}</translation>
    </message>
    <message>
        <source>Decoding held {} of the GPU&apos;s memory at most; {} were planned</source>
        <translation>Das Dekodieren hielt höchstens {} des GPU-Speichers; geplant waren {}</translation>
    </message>
    <message>
        <source>the VAE needs {} of the GPU&apos;s memory beside the transformer, and {} are free</source>
        <translation>der VAE braucht neben dem Transformer {} des GPU-Speichers, frei sind {}</translation>
    </message>
    <message>
        <source>gpus is &quot;{}&quot;</source>
        <translation>gpus ist „{}“</translation>
    </message>
    <message>
        <source>Use none, auto, or the number of a GPU: 0 is the first that meshreel devices lists</source>
        <translation>Verwenden Sie none, auto oder die Nummer einer GPU: 0 ist die erste, die meshreel devices nennt</translation>
    </message>
    <message>
        <source>there is no GPU {} on this machine</source>
        <translation>auf diesem Rechner gibt es keine GPU {}</translation>
    </message>
    <message>
        <source>there is no GPU {}: {}</source>
        <translation>es gibt keine GPU {}: {}</translation>
    </message>
    <message>
        <source>meshreel devices lists those that there are</source>
        <translation>meshreel devices nennt die vorhandenen</translation>
    </message>
    <message>
        <source>the GPU {} ({}) cannot be used: {}</source>
        <translation>die GPU {} ({}) ist nicht nutzbar: {}</translation>
    </message>
    <message>
        <source>Update its driver, or use the CPU</source>
        <translation>Aktualisieren Sie ihren Treiber, oder nutzen Sie die CPU</translation>
    </message>
    <message>
        <source>{} takes at most {:.1f} GiB in one piece, {:.1f} GiB are needed</source>
        <translation>{} nimmt höchstens {:.1f} GiB am Stück, {:.1f} GiB werden gebraucht</translation>
    </message>
    <message>
        <source>Make a smaller or shorter video, or use the CPU</source>
        <translation>Machen Sie ein kleineres oder kürzeres Video, oder nutzen Sie die CPU</translation>
    </message>
    <message>
        <source>Use flash, or the CPU (gpus: none)</source>
        <translation>Verwenden Sie flash oder die CPU (gpus: none)</translation>
    </message>
    <message>
        <source>the model&apos;s heads have {} numbers; a GPU takes multiples of {} up to {}</source>
        <translation>die Köpfe des Modells haben {} Zahlen; eine GPU nimmt Vielfache von {} bis {}</translation>
    </message>
    <message>
        <source>Use the CPU</source>
        <translation>Nutzen Sie die CPU</translation>
    </message>
    <message>
        <source>the GPU {} needs {} of its memory for activations and {} for the layers in use, and {} are free</source>
        <translation>die GPU {} braucht {} ihres Speichers für Aktivierungen und {} für die Schichten im Gebrauch, und {} sind frei</translation>
    </message>
    <message>
        <source>Make a smaller or shorter video, or use the CPU (gpus: none)</source>
        <translation>Machen Sie ein kleineres oder kürzeres Video, oder nutzen Sie die CPU (gpus: none)</translation>
    </message>
    <message>
        <source>there is a software driver only, which auto does not take</source>
        <translation>es gibt nur einen Softwaretreiber, den auto nicht nimmt</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>the driver does not offer {}</source>
        <translation>der Treiber bietet {} nicht</translation>
    </message>
    <message>
        <source>{} has no product of these factors</source>
        <translation>{} hat kein Produkt dieser Faktoren</translation>
    </message>
    <message>
        <source>it crashed when it was asked for its devices (signal {})</source>
        <translation>er stürzte ab, als er nach seinen Geräten gefragt wurde (Signal {})</translation>
    </message>
    <message>
        <source>it ended the program that asked it (exit code {})</source>
        <translation>er beendete das Programm, das ihn fragte (Exit-Code {})</translation>
    </message>
    <message>
        <source>it finds no device of its own</source>
        <translation>er findet kein Gerät für sich</translation>
    </message>
    <message>
        <source>no Vulkan driver is installed</source>
        <translation>kein Vulkan-Treiber ist installiert</translation>
    </message>
    <message>
        <source>no Vulkan driver finds a device</source>
        <translation>kein Vulkan-Treiber findet ein Gerät</translation>
    </message>
    <message>
        <source>no GPU has what Meshreel needs</source>
        <translation>keine GPU hat, was Meshreel braucht</translation>
    </message>
    <message>
        <source>its driver is older than Vulkan 1.2</source>
        <translation>sein Treiber ist älter als Vulkan 1.2</translation>
    </message>
    <message>
        <source>its driver lacks {}</source>
        <translation>seinem Treiber fehlt {}</translation>
    </message>
    <message>
        <source>it has no queue for computing</source>
        <translation>es hat keine Warteschlange zum Rechnen</translation>
    </message>
    <message>
        <source>not measured yet; the first run in bf16 measures, or meshreel bench gpu</source>
        <translation>noch nicht gemessen; der erste Lauf in bf16 misst, oder meshreel bench gpu</translation>
    </message>
    <message>
        <source>in bf16 {} is faster: {:.3g} against {:.3g} TFLOP/s</source>
        <translation>in bf16 ist {} schneller: {:.3g} gegen {:.3g} TFLOP/s</translation>
    </message>
    <message>
        <source>the GPU does not offer it any more</source>
        <translation>die GPU bietet sie nicht mehr</translation>
    </message>
    <message>
        <source>none is admitted</source>
        <translation>keine ist zugelassen</translation>
    </message>
    <message>
        <source>{} computes {} in no form: {}</source>
        <translation>{} berechnet {} in keiner Form: {}</translation>
    </message>
    <message>
        <source>See meshreel devices, update the GPU driver, or use the CPU</source>
        <translation>Siehe meshreel devices; den GPU-Treiber aktualisieren oder die CPU benutzen</translation>
    </message>
    <message>
        <source>{} computes wrong values in {}: an error of {:.3g}, {:.3g} is allowed</source>
        <translation>{} rechnet in {} falsch: Fehler {:.3g}, erlaubt sind {:.3g}</translation>
    </message>
    <message>
        <source>The GPU multiplied bf16 in the form {}; factors beyond 65,504 were clamped to it</source>
        <translation>Die GPU hat bf16 in der Form {} multipliziert; Faktoren über 65.504 wurden darauf begrenzt</translation>
    </message>
    <message>
        <source>The GPU multiplied bf16 in the form {}</source>
        <translation>Die GPU hat bf16 in der Form {} multipliziert</translation>
    </message>
    <message>
        <source>{} computes wrong values in the shader {}: {:.3g} times the error that is allowed</source>
        <translation>{} rechnet im Shader {} falsch: das {:.3g}-Fache des erlaubten Fehlers</translation>
    </message>
    <message>
        <source>{} has not answered for a minute</source>
        <translation>{} antwortet seit einer Minute nicht</translation>
    </message>
    <message>
        <source>Use the CPU, or restart the computer</source>
        <translation>Nutzen Sie die CPU, oder starten Sie den Rechner neu</translation>
    </message>
    <message>
        <source>out of memory</source>
        <translation>zu wenig Speicher</translation>
    </message>
    <message>
        <source>the device is lost</source>
        <translation>das Gerät ist verloren</translation>
    </message>
    <message>
        <source>no driver fits</source>
        <translation>kein Treiber passt</translation>
    </message>
    <message>
        <source>Vulkan&apos;s error {}</source>
        <translation>Vulkan-Fehler {}</translation>
    </message>
    <message>
        <source>the GPU driver failed in {}: {}</source>
        <translation>der GPU-Treiber versagte in {}: {}</translation>
    </message>
    <message>
        <source>Close other programs that use the GPU, or use the CPU</source>
        <translation>Schließen Sie andere Programme, die die GPU nutzen, oder nutzen Sie die CPU</translation>
    </message>
    <message>
        <source>See the system&apos;s log (dmesg), update the GPU driver, or use the CPU</source>
        <translation>Sehen Sie ins Systemprotokoll (dmesg), aktualisieren Sie den GPU-Treiber, oder nutzen Sie die CPU</translation>
    </message>
    <message>
        <source>Vulkan cannot be loaded ({})</source>
        <translation>Vulkan ist nicht zu laden ({})</translation>
    </message>
    <message>
        <source>Install the package libvulkan1</source>
        <translation>Installieren Sie das Paket libvulkan1</translation>
    </message>
    <message>
        <source>Vulkan does not start: {}</source>
        <translation>Vulkan startet nicht: {}</translation>
    </message>
    <message>
        <source>Install a GPU driver with Vulkan, for Intel and AMD the package mesa-vulkan-drivers</source>
        <translation>Installieren Sie einen GPU-Treiber mit Vulkan, für Intel und AMD das Paket mesa-vulkan-drivers</translation>
    </message>
    <message>
        <source>{} is a small decoder: name it in parts.vae to decode faster and less exactly</source>
        <translation>{} ist ein kleiner Decoder: in parts.vae nennen, um schneller und weniger genau zu dekodieren</translation>
    </message>
    <message>
        <source>Name taew2_1 or taew2_2 in parts.preview, or leave it out</source>
        <translation>taew2_1 oder taew2_2 in parts.preview nennen, oder es weglassen</translation>
    </message>
    <message>
        <source>the small decoder takes latents of {} channels, and the model&apos;s have {}</source>
        <translation>der kleine Decoder nimmt Latents mit {} Kanälen, und die des Modells haben {}</translation>
    </message>
    <message>
        <source>small decoder (TAEHV) of all but TI2V-5B</source>
        <translation>kleiner Decoder (TAEHV) von allen außer TI2V-5B</translation>
    </message>
    <message>
        <source>small decoder (TAEHV) of TI2V-5B</source>
        <translation>kleiner Decoder (TAEHV) von TI2V-5B</translation>
    </message>
    <message>
        <source>the larger variant of TAEHV (taew2_2_super)</source>
        <translation>die größere Variante von TAEHV (taew2_2_super)</translation>
    </message>
    <message>
        <source>A small decoder (TAEHV) does not encode</source>
        <translation>Ein kleiner Decoder (TAEHV) kodiert nicht</translation>
    </message>
    <message>
        <source>Use the VAE of the model</source>
        <translation>Den VAE des Modells verwenden</translation>
    </message>
    <message>
        <source>{} values for {} levels in dim_mult</source>
        <translation>{} Werte für {} Ebenen in dim_mult</translation>
    </message>
    <message>
        <source>The VAE is a small decoder (TAEHV), and {} ({}) encodes pictures</source>
        <translation>Der VAE ist ein kleiner Decoder (TAEHV), und {} ({}) kodiert Bilder</translation>
    </message>
    <message>
        <source>Use the VAE of the model; a small decoder can make the previews: parts.preview</source>
        <translation>Den VAE des Modells verwenden; ein kleiner Decoder kann die Vorschauen machen: parts.preview</translation>
    </message>
    <message>
        <source>{} ({}) makes {} frames at least</source>
        <translation>{} ({}) macht mindestens {} Bilder</translation>
    </message>
    <message>
        <source>File or folder of the VAE; Wan 2.1&apos;s has 16 channels, that of TI2V-5B 48. A small decoder (TAEHV: taew2_1, taew2_2) decodes faster and less exactly, and text to video only. Empty takes the model&apos;s own.</source>
        <translation>Datei oder Ordner des VAE; der von Wan 2.1 hat 16 Kanäle, der von TI2V-5B 48. Ein kleiner Decoder (TAEHV: taew2_1, taew2_2) dekodiert schneller und weniger genau, und nur bei Text zu Video. Leer nimmt den des Modells.</translation>
    </message>
    <message>
        <source>Preview decoder</source>
        <translation>Vorschau-Decoder</translation>
    </message>
    <message>
        <source>File of a small decoder (TAEHV: taew2_1, taew2_2) that makes the previews of steps. Empty makes them by a linear map from latents to colours, which takes less time and shows less.</source>
        <translation>Datei eines kleinen Decoders (TAEHV: taew2_1, taew2_2), der die Vorschauen der Schritte macht. Leer macht sie durch eine lineare Abbildung von Latents auf Farben, die weniger Zeit braucht und weniger zeigt.</translation>
    </message>
    <message>
        <source>The project file has version &quot;{}&quot;, and this Meshreel reads versions {} to {}</source>
        <translation>Die Projektdatei hat die Version „{}“, und dieses Meshreel liest die Versionen {} bis {}</translation>
    </message>
    <message>
        <source>use_dora is true in {}, and the file holds no magnitudes: it is applied as a plain LoRA</source>
        <translation>use_dora ist in {} wahr, und die Datei enthält keine Beträge: sie wird als einfache LoRA angewendet</translation>
    </message>
    <message>
        <source>own times</source>
        <translation>eigenen Zeiten</translation>
    </message>
    <message>
        <source>times of the hardware</source>
        <translation>Zeiten der Hardware</translation>
    </message>
    <message>
        <source>class mean</source>
        <translation>Mittel der Klasse</translation>
    </message>
    <message>
        <source>Write pair, ring, torus, switch, pcie or line</source>
        <translation>Schreiben Sie pair, ring, torus, switch, pcie oder line</translation>
    </message>
    <message>
        <source>{} needs {:.0f} GiB a device for {}, which has {:.0f} GiB</source>
        <translation>{} braucht {:.0f} GiB je Gerät von {}, das {:.0f} GiB hat</translation>
    </message>
    <message>
        <source>Use more devices, or shard the weights over an fsdp axis</source>
        <translation>Nehmen Sie mehr Geräte, oder teilen Sie die Gewichte über eine fsdp-Achse auf</translation>
    </message>
    <message>
        <source>a hop takes {:.1f} ms, and the kernel beside it only {:.1f} ms</source>
        <translation>ein Hop dauert {:.1f} ms und der Kernel daneben nur {:.1f} ms</translation>
    </message>
    <message>
        <source>its {} hops start more blocks and merge more partials</source>
        <translation>seine {} Hops beginnen mehr Blöcke und führen mehr Teilergebnisse zusammen</translation>
    </message>
    <message>
        <source>A ring of {} takes {:.3g} s a step on {}: {}</source>
        <translation>Ein Ring aus {} braucht {:.3g} s je Schritt auf {}: {}</translation>
    </message>
    <message>
        <source>{} with {} takes {:.3g} s</source>
        <translation>{} mit {} braucht {:.3g} s</translation>
    </message>
    <message>
        <source>No legal mesh of so many devices fits into their memory</source>
        <translation>Kein zulässiges Netz aus so vielen Geräten passt in ihren Speicher</translation>
    </message>
    <message>
        <source>Take more devices, or other hardware</source>
        <translation>Nehmen Sie mehr Geräte oder andere Hardware</translation>
    </message>
    <message>
        <source>Kernels of {} take no block sizes</source>
        <translation>Kernel von {} kennen keine Blockgrößen</translation>
    </message>
    <message>
        <source>Choose a TPU, or another chart</source>
        <translation>Wählen Sie eine TPU oder ein anderes Diagramm</translation>
    </message>
    <message>
        <source>There is no finished run to hold the foresight against</source>
        <translation>Es gibt keinen fertigen Lauf, mit dem sich die Vorausberechnung vergleichen lässt</translation>
    </message>
    <message>
        <source>Choose runs, or paste TIMING SUMMARY blocks, in Compare</source>
        <translation>Wählen Sie in „Vergleich“ Läufe, oder fügen Sie dort Blöcke mit TIMING SUMMARY ein</translation>
    </message>
    <message>
        <source>Make it, or choose another one</source>
        <translation>Legen Sie ihn an oder wählen Sie einen anderen</translation>
    </message>
    <message>
        <source>Download it with: {}. {}</source>
        <translation>Herunterladen mit: {}. {}</translation>
    </message>
    <message>
        <source>Choose a file of weights: .safetensors, .gguf or .pth</source>
        <translation>Wählen Sie eine Gewichtsdatei: .safetensors, .gguf oder .pth</translation>
    </message>
    <message>
        <source>the folder holds no model and no weights</source>
        <translation>der Ordner enthält weder ein Modell noch Gewichte</translation>
    </message>
    <message>
        <source>Choose a folder with {}, or one with files of weights</source>
        <translation>Wählen Sie einen Ordner mit {} oder einen mit Gewichtsdateien</translation>
    </message>
    <message>
        <source>it lies in a models folder already</source>
        <translation>es liegt schon in einem Modellordner</translation>
    </message>
    <message>
        <source>It is listed as it is</source>
        <translation>Es steht schon in der Liste</translation>
    </message>
    <message>
        <source>the models folder has something of this name</source>
        <translation>im Modellordner liegt schon etwas mit diesem Namen</translation>
    </message>
    <message>
        <source>Rename one of them, or remove that one</source>
        <translation>Benennen Sie eines um oder entfernen Sie jenes</translation>
    </message>
    <message>
        <source>the link cannot be made: {}</source>
        <translation>die Verknüpfung kann nicht angelegt werden: {}</translation>
    </message>
    <message>
        <source>Choose a models folder that you may write to</source>
        <translation>Wählen Sie einen Modellordner, in den Sie schreiben dürfen</translation>
    </message>
    <message>
        <source>{} workers share {}; running more workers than CPUs slows things down</source>
        <translation>{} Worker teilen sich {}; mehr Worker als CPUs sind langsamer</translation>
    </message>
    <message>
        <source>{} devices of {} worker share {}; running more workers than CPUs slows things down</source>
        <translation>{} Geräte mit je {} Worker teilen sich {}; mehr Worker als CPUs sind langsamer</translation>
    </message>
    <message>
        <source>{} devices of {} workers share {}; running more workers than CPUs slows things down</source>
        <translation>{} Geräte mit je {} Workern teilen sich {}; mehr Worker als CPUs sind langsamer</translation>
    </message>
    <message>
        <source>Free some space on it, or choose another folder for runs</source>
        <translation>Geben Sie dort Platz frei oder wählen Sie einen anderen Ordner für Läufe</translation>
    </message>
    <message>
        <source>{} must be a multiple of {}, not {}</source>
        <translation>{} muss ein Vielfaches von {} sein, nicht {}</translation>
    </message>
    <message>
        <source>{} must be a multiple of {} plus {}, not {}</source>
        <translation>{} muss ein Vielfaches von {} plus {} sein, nicht {}</translation>
    </message>
    <message>
        <source>{} names {}, which would be copied into the run</source>
        <translation>{} nennt {}; es würde in den Lauf kopiert</translation>
    </message>
    <message>
        <source>{} names {}: ssh would start programs on the machines that it lists</source>
        <translation>{} nennt {}: ssh würde auf den dort genannten Rechnern Programme starten</translation>
    </message>
    <message>
        <source>{} names {}, of which results would tell</source>
        <translation>{} nennt {}; die Ergebnisse würden daraus berichten</translation>
    </message>
    <message>
        <source>If you know who wrote the project, agree for its folder with --trust</source>
        <translation>Wenn Sie wissen, von wem das Projekt ist, stimmen Sie für seinen Ordner mit --trust zu</translation>
    </message>
    <message>
        <source>{} paths need your consent: {}</source>
        <translation>{} Pfade brauchen Ihre Zustimmung: {}</translation>
    </message>
    <message>
        <source>what you agree to cannot be remembered ({})</source>
        <translation>Ihre Zustimmung kann nicht gemerkt werden ({})</translation>
    </message>
    <message>
        <source>Set XDG_STATE_HOME to a folder that you may write to</source>
        <translation>Setzen Sie XDG_STATE_HOME auf einen Ordner, in den Sie schreiben dürfen</translation>
    </message>
    <message>
        <source>Another build of Meshreel ({}) measured this machine: predictions may be off</source>
        <translation>Ein anderer Build von Meshreel ({}) hat diesen Rechner gemessen: Vorhersagen können abweichen</translation>
    </message>
    <message>
        <source>{} cannot be read: {}</source>
        <translation>{} lässt sich nicht lesen: {}</translation>
    </message>
    <message>
        <source>it holds a space or a letter that no address has</source>
        <translation>enthält ein Leerzeichen oder ein Zeichen, das keine Adresse hat</translation>
    </message>
    <message>
        <source>Set it again, or unset it</source>
        <translation>Setzen Sie sie neu, oder entfernen Sie sie</translation>
    </message>
    <message>
        <source>Set it to a whole number from 1 to {}</source>
        <translation>Setzen Sie sie auf eine ganze Zahl von 1 bis {}</translation>
    </message>
    <message>
        <source>the disk is full ({}; {} free)</source>
        <translation>die Platte ist voll ({}; {} frei)</translation>
    </message>
    <message>
        <source>Free space, then start the download again: it goes on where it ended</source>
        <translation>Schaffen Sie Platz und starten Sie den Download wieder: Er geht weiter, wo er endete</translation>
    </message>
    <message>
        <source>{} cannot be reached ({})</source>
        <translation>{} ist nicht erreichbar ({})</translation>
    </message>
    <message>
        <source>Check the network, or the proxy in https_proxy; HF_ENDPOINT can name a mirror</source>
        <translation>Prüfen Sie das Netz oder den Proxy in https_proxy; HF_ENDPOINT kann einen Spiegel nennen</translation>
    </message>
    <message>
        <source>{} refuses the file to you (HTTP {})</source>
        <translation>{} verweigert Ihnen die Datei (HTTP {})</translation>
    </message>
    <message>
        <source>Accept the licence at {}, then set HF_TOKEN to a token of your account, or run: hf auth login</source>
        <translation>Nehmen Sie die Lizenz auf {} an; setzen Sie dann HF_TOKEN auf ein Token Ihres Kontos, oder führen Sie aus: hf auth login</translation>
    </message>
    <message>
        <source>Accept the licence at {}, or set HF_TOKEN to another token: yours is not allowed</source>
        <translation>Nehmen Sie die Lizenz auf {} an, oder setzen Sie HF_TOKEN auf ein anderes Token: Ihres ist nicht zugelassen</translation>
    </message>
    <message>
        <source>{} has no such file (HTTP {})</source>
        <translation>{} hat keine solche Datei (HTTP {})</translation>
    </message>
    <message>
        <source>It was moved or removed; a newer version of Meshreel may know where to</source>
        <translation>Sie wurde verschoben oder entfernt; eine neuere Version von Meshreel weiß vielleicht, wohin</translation>
    </message>
    <message>
        <source>{} does not send the file (HTTP {})</source>
        <translation>{} sendet die Datei nicht (HTTP {})</translation>
    </message>
    <message>
        <source>Try again later; HF_ENDPOINT can name a mirror</source>
        <translation>Versuchen Sie es später wieder; HF_ENDPOINT kann einen Spiegel nennen</translation>
    </message>
    <message>
        <source>the file is not the one that was published ({})</source>
        <translation>die Datei ist nicht die veröffentlichte ({})</translation>
    </message>
    <message>
        <source>What was downloaded is removed. Try again, or from another server by HF_ENDPOINT</source>
        <translation>Das Heruntergeladene ist entfernt. Versuchen Sie es noch einmal, oder mit HF_ENDPOINT von einem anderen Server</translation>
    </message>
    <message>
        <source>The server asks to wait for {} minutes: start the download again then</source>
        <translation>Der Server bittet, {} Minuten zu warten: Starten Sie den Download dann wieder</translation>
    </message>
    <message>
        <source>it forbids to ask any server</source>
        <translation>verbietet, einen Server zu fragen</translation>
    </message>
    <message>
        <source>Unset it to download</source>
        <translation>Entfernen Sie sie, um herunterzuladen</translation>
    </message>
    <message>
        <source>{} now has another file of this name than the one that was published</source>
        <translation>{} hat unter diesem Namen jetzt eine andere Datei als die veröffentlichte</translation>
    </message>
    <message>
        <source>Nothing was downloaded. A newer version of Meshreel may know the new file</source>
        <translation>Es wurde nichts heruntergeladen. Eine neuere Version von Meshreel kennt vielleicht die neue Datei</translation>
    </message>
    <message>
        <source>{} has {} bytes of this file, and {} were published</source>
        <translation>{} hat {} Bytes dieser Datei, und {} wurden veröffentlicht</translation>
    </message>
    <message>
        <source>it is longer than {} bytes</source>
        <translation>sie ist länger als {} Bytes</translation>
    </message>
    <message>
        <source>the connection ended early</source>
        <translation>die Verbindung endete zu früh</translation>
    </message>
    <message>
        <source>another Meshreel downloads into this folder</source>
        <translation>ein anderes Meshreel lädt in diesen Ordner herunter</translation>
    </message>
    <message>
        <source>Wait until it is done, or stop it</source>
        <translation>Warten Sie, bis es fertig ist, oder halten Sie es an</translation>
    </message>
    <message>
        <source>{} are to be downloaded, and {} are free</source>
        <translation>{} sind herunterzuladen, und {} sind frei</translation>
    </message>
    <message>
        <source>Free {}, or choose a models folder on another disk</source>
        <translation>Geben Sie {} frei, oder wählen Sie einen Modellordner auf einer anderen Platte</translation>
    </message>
    <message>
        <source>Rename or remove it: it is not the one that was published</source>
        <translation>Benennen Sie sie um oder entfernen Sie sie: Es ist nicht die veröffentlichte</translation>
    </message>
    <message>
        <source>its SHA-256 is {}</source>
        <translation>ihr SHA-256 ist {}</translation>
    </message>
    <message>
        <source>Get it as single files with: meshreel get {}; or download it whole with: {}. {}</source>
        <translation>Holen Sie es als einzelne Dateien mit: meshreel get {}; oder laden Sie es ganz herunter mit: {}. {}</translation>
    </message>
    <message>
        <source>the key &quot;{}&quot; is missing or not as it should be</source>
        <translation>der Schlüssel „{}“ fehlt oder ist nicht, wie er sein soll</translation>
    </message>
    <message>
        <source>Install Meshreel again, or correct the table</source>
        <translation>Installieren Sie Meshreel neu, oder berichtigen Sie die Tabelle</translation>
    </message>
    <message>
        <source>nothing of this name is offered</source>
        <translation>unter diesem Namen wird nichts angeboten</translation>
    </message>
    <message>
        <source>Without a name, the command lists all</source>
        <translation>Ohne einen Namen listet der Befehl alles auf</translation>
    </message>
    <message>
        <source>Did you mean &quot;{}&quot;? Without a name, the command lists all</source>
        <translation>Meinten Sie „{}“? Ohne einen Namen listet der Befehl alles auf</translation>
    </message>
    <message>
        <source>auto takes one GPU, and the mesh has {} devices</source>
        <translation>auto nimmt eine GPU, und das Mesh hat {} Geräte</translation>
    </message>
    <message>
        <source>gpus names {} GPUs, and the mesh has {} devices</source>
        <translation>gpus nennt {} GPUs, und das Mesh hat {} Geräte</translation>
    </message>
    <message>
        <source>Name a GPU for each device (gpus: {}), change the number of devices, or use the CPU (gpus: none)</source>
        <translation>Nennen Sie für jedes Gerät eine GPU (gpus: {}), ändern Sie die Zahl der Geräte, oder nehmen Sie die CPU (gpus: none)</translation>
    </message>
    <message>
        <source>GPUs share out videos and tokens (the axes data and context), not {}</source>
        <translation>GPUs teilen Videos und Token auf (die Achsen data und context), nicht {}</translation>
    </message>
    <message>
        <source>Use the context axis, or the CPU (gpus: none)</source>
        <translation>Nehmen Sie die Achse context oder die CPU (gpus: none)</translation>
    </message>
    <message>
        <source>a GPU decodes whole frames, or its own strips in turn</source>
        <translation>eine GPU dekodiert ganze Bilder oder ihre eigenen Streifen der Reihe nach</translation>
    </message>
    <message>
        <source>Write -1, which leaves it to the plan, or use the CPU (gpus: none)</source>
        <translation>Schreiben Sie -1, was es dem Plan überlässt, oder nehmen Sie die CPU (gpus: none)</translation>
    </message>
    <message>
        <source>A project is a YAML file: `version: 3`, then the keys below, each at most once; what is left out has its default. A dot in a key&apos;s name means a key inside a map. Numbers are decimal, and booleans are `true` or `false`. Anchors, aliases and tags are refused. MaxDiffusion&apos;s files can be used as they are: keys without meaning here are ignored with one warning.</source>
        <translation>Ein Projekt ist eine YAML-Datei: `version: 3`, dann die folgenden Schlüssel, jeder höchstens einmal; was fehlt, hat seine Vorgabe. Ein Punkt im Namen eines Schlüssels steht für einen Schlüssel innerhalb einer Zuordnung. Zahlen werden dezimal geschrieben, Wahrheitswerte sind `true` oder `false`. Anker, Aliase und Tags werden abgelehnt. Dateien von MaxDiffusion lassen sich verwenden, wie sie sind: Schlüssel ohne Bedeutung werden mit einer Warnung übergangen.</translation>
    </message>
    <message>
        <source>A video from the prompt, with the one to four subjects that `reference_images` show.</source>
        <translation>Ein Video aus dem Prompt, mit den ein bis vier Motiven, die `reference_images` zeigen.</translation>
    </message>
    <message>
        <source>A video that begins with `image`, whose points move along `tracks`.</source>
        <translation>Ein Video, das mit `image` beginnt und dessen Punkte sich auf `tracks` bewegen.</translation>
    </message>
    <message>
        <source>Tracks</source>
        <translation>Bahnen</translation>
    </message>
    <message>
        <source>Guidance by pictures</source>
        <translation>Guidance durch Bilder</translation>
    </message>
    <message>
        <source>Wan 2.1 Phantom, subjects to video</source>
        <translation>Wan 2.1 Phantom, Motive zu Video</translation>
    </message>
    <message>
        <source>Wan 2.1 ATI, image to video along tracks</source>
        <translation>Wan 2.1 ATI, Bild zu Video auf Bahnen</translation>
    </message>
    <message>
        <source>Subjects to video</source>
        <translation>Motive zu Video</translation>
    </message>
    <message>
        <source>Image to video along tracks</source>
        <translation>Bild zu Video auf Bahnen</translation>
    </message>
    <message>
        <source>Phantom was trained with pictures of its subjects (reference_images); without them the video is made from the prompt alone</source>
        <translation>Phantom wurde mit Bildern seiner Motive trainiert (reference_images); ohne sie entsteht das Video allein aus dem Prompt</translation>
    </message>
    <message>
        <source>ATI was trained with tracks of points (tracks); without them the video is made from the image and the prompt alone</source>
        <translation>ATI wurde mit Bahnen von Punkten trainiert (tracks); ohne sie entsteht das Video allein aus Bild und Prompt</translation>
    </message>
    <message>
        <source>a reference image of {} x {} pixels is too narrow for a video of {} x {}</source>
        <translation>ein Referenzbild von {} x {} Pixeln ist zu schmal für ein Video von {} x {}</translation>
    </message>
    <message>
        <source>Use a picture that is less elongated</source>
        <translation>Ein weniger langgestrecktes Bild verwenden</translation>
    </message>
    <message>
        <source>{} is predicted to take {:.3g} s, and the CPU {:.3g} s</source>
        <translation>{} braucht voraussichtlich {:.3g} s, die CPU {:.3g} s</translation>
    </message>
    <message>
        <source>Leave out the last ones</source>
        <translation>Die letzten weglassen</translation>
    </message>
    <message>
        <source>Write false, or guidance_scale_image: 1</source>
        <translation>false schreiben, oder guidance_scale_image: 1</translation>
    </message>
    <message>
        <source>Write a list of tracks, each a list of {} in pixels of the video</source>
        <translation>Eine Liste von Bahnen schreiben, jede eine Liste von {} in Pixeln des Videos</translation>
    </message>
    <message>
        <source>track {}, point {}: &quot;{}&quot; is missing or not a number</source>
        <translation>Bahn {}, Punkt {}: „{}“ fehlt oder ist keine Zahl</translation>
    </message>
    <message>
        <source>track {}, point {}: &quot;{}&quot; is {}, beyond {} pixels</source>
        <translation>Bahn {}, Punkt {}: „{}“ ist {}, jenseits von {} Pixeln</translation>
    </message>
    <message>
        <source>track {} is not a list of points</source>
        <translation>Bahn {} ist keine Liste von Punkten</translation>
    </message>
    <message>
        <source>the file has {}; tracks have {} at most</source>
        <translation>die Datei ist {} groß; Bahnen haben höchstens {}</translation>
    </message>
    <message>
        <source>there is no list of tracks</source>
        <translation>eine Liste von Bahnen fehlt</translation>
    </message>
    <message>
        <source>the file has {} tracks; at most {} are allowed</source>
        <translation>die Datei hat {} Bahnen; höchstens {} sind erlaubt</translation>
    </message>
    <message>
        <source>{}: {}: {} of {} tracks have fewer than {} points and end before the video</source>
        <translation>{}: {}: {} von {} Bahnen haben weniger als {} Punkte und enden vor dem Video</translation>
    </message>
    <message>
        <source>{} points span the video; write as many to move a point to its end</source>
        <translation>{} Punkte umspannen das Video; ebenso viele schreiben, um einen Punkt bis zum Ende zu bewegen</translation>
    </message>
    <message>
        <source>the three passes of guidance</source>
        <translation>die drei Durchgänge der Guidance</translation>
    </message>
    <message>
        <source>not measured yet; the first run with int8 weights measures</source>
        <translation>noch nicht gemessen; der erste Lauf mit int8-Gewichten misst</translation>
    </message>
    <message>
        <source>in int8 {} is faster: {:.3g} against {:.3g} TOP/s</source>
        <translation>in int8 ist {} schneller: {:.3g} gegen {:.3g} TOP/s</translation>
    </message>
    <message>
        <source>{} computes this project, and flash_block_sizes are the CPU&apos;s</source>
        <translation>{} rechnet dieses Projekt, und flash_block_sizes gehören zur CPU</translation>
    </message>
    <message>
        <source>Use the CPU (gpus: none) to tune its block sizes</source>
        <translation>Nehmen Sie die CPU (gpus: none), um deren Blockgrößen abzustimmen</translation>
    </message>
    <message>
        <source>no GPU computes this project</source>
        <translation>keine GPU rechnet dieses Projekt</translation>
    </message>
    <message>
        <source>Name one by its number</source>
        <translation>Nennen Sie eine mit ihrer Nummer</translation>
    </message>
    <message>
        <source>GPUs are tuned by one process</source>
        <translation>GPUs werden von einem einzigen Prozess abgestimmt</translation>
    </message>
    <message>
        <source>Tune without mpirun, on the GPUs of one host</source>
        <translation>Ohne mpirun abstimmen, auf den GPUs eines Rechners</translation>
    </message>
    <message>
        <source>a GPU computes float32 in one way: there is nothing to tune</source>
        <translation>eine GPU rechnet float32 auf eine einzige Weise: Es gibt nichts abzustimmen</translation>
    </message>
    <message>
        <source>Use bfloat16, which matrix units multiply</source>
        <translation>Verwenden Sie bfloat16, das Matrixeinheiten multiplizieren</translation>
    </message>
    <message>
        <source>The GPU multiplied int8 in the form {}</source>
        <translation>Die GPU hat int8 in der Form {} multipliziert</translation>
    </message>
    <message>
        <source>{} does not multiply in the form {}: {}</source>
        <translation>{} multipliziert nicht in der Form {}: {}</translation>
    </message>
    <message>
        <source>Choose another form: the list of devices names those of each GPU</source>
        <translation>Wählen Sie eine andere Form: Die Liste der Geräte nennt die jeder GPU</translation>
    </message>
    <message>
        <source>No kernel multiplies in the sizes that {} offers for the form {}</source>
        <translation>Kein Kernel multipliziert in den Größen, die {} für die Form {} anbietet</translation>
    </message>
    <message>
        <source>the rates of its GPU are not measured, or not all of them</source>
        <translation>die Raten seiner GPU sind nicht oder nicht vollständig gemessen</translation>
    </message>
    <message>
        <source>{} heads of {}, {} queries, {} keys</source>
        <translation>{} Köpfe mit {}, {} Queries, {} Keys</translation>
    </message>
    <message>
        <source>{} tokens, {} wide, {} in the feed-forward</source>
        <translation>{} Tokens, Breite {}, {} im Feed-forward</translation>
    </message>
    <message>
        <source>What runs on {} should take cannot be kept</source>
        <translation>Was Läufe auf {} nehmen sollen, kann nicht gespeichert werden</translation>
    </message>
    <message>
        <source>Make the file writable, or set XDG_CACHE_HOME to another folder</source>
        <translation>Machen Sie die Datei beschreibbar, oder setzen Sie XDG_CACHE_HOME auf einen anderen Ordner</translation>
    </message>
    <message>
        <source>Encoding held {} of the GPU&apos;s memory at most; {} were planned</source>
        <translation>Das Kodieren hielt höchstens {} des GPU-Speichers; geplant waren {}</translation>
    </message>
    <message>
        <source>the rates of {} lack {}, which an earlier build did not measure</source>
        <translation>den Raten von {} fehlt {}, was ein früherer Build nicht gemessen hat</translation>
    </message>
    <message>
        <source>an encoder&apos;s heads have {} numbers; a GPU takes multiples of {} up to {}</source>
        <translation>die Köpfe eines Encoders haben {} Zahlen; eine GPU nimmt Vielfache von {} bis {}</translation>
    </message>
    <message>
        <source>Adapters (LoRA) that are merged into the transformer: a list of {file: PATH, strength: 1}, with expert: high, low or all where their names do not say for which of Wan 2.2&apos;s two transformers they are made.</source>
        <translation>Adapter (LoRA), die in den Transformer eingerechnet werden: eine Liste aus {file: PATH, strength: 1}, mit expert: high, low oder all, wo ihre Namen nicht sagen, für welchen der zwei Transformer von Wan 2.2 sie gemacht sind.</translation>
    </message>
    <message>
        <source>Video or folder of numbered pictures of the face whose expressions the character takes on.</source>
        <translation>Video oder Ordner nummerierter Bilder des Gesichts, dessen Mimik die Figur annimmt.</translation>
    </message>
    <message>
        <source>It is a part of NVIDIA&apos;s Transformer Engine, which Meshreel does not have; use flash, which computes the same attention</source>
        <translation>Teil von NVIDIAs Transformer Engine, die Meshreel nicht hat; flash verwenden, das dieselbe Attention berechnet</translation>
    </message>
    <message>
        <source>a text file</source>
        <translation>Textdatei</translation>
    </message>
    <message>
        <source>a project or sweep</source>
        <translation>Projekt oder Sweep</translation>
    </message>
    <message>
        <source>a file of hosts</source>
        <translation>Datei der Hosts</translation>
    </message>
    <message>
        <source>a JSON file</source>
        <translation>JSON-Datei</translation>
    </message>
    <message>
        <source>values</source>
        <translation>Werte</translation>
    </message>
    <message>
        <source>JSON</source>
        <translation>JSON</translation>
    </message>
    <message>
        <source>levels of nesting</source>
        <translation>Verschachtelungsebenen</translation>
    </message>
    <message>
        <source>a table (CSV)</source>
        <translation>Tabelle (CSV)</translation>
    </message>
    <message>
        <source>columns</source>
        <translation>Spalten</translation>
    </message>
    <message>
        <source>a trace</source>
        <translation>Trace</translation>
    </message>
    <message>
        <source>events</source>
        <translation>Ereignisse</translation>
    </message>
    <message>
        <source>a SentencePiece model</source>
        <translation>SentencePiece-Modell</translation>
    </message>
    <message>
        <source>pieces</source>
        <translation>Stücke</translation>
    </message>
    <message>
        <source>a tokenizer</source>
        <translation>Tokenizer</translation>
    </message>
    <message>
        <source>a safetensors header</source>
        <translation>safetensors-Header</translation>
    </message>
    <message>
        <source>the metadata and directory of a GGUF file</source>
        <translation>Metadaten und Verzeichnis einer GGUF-Datei</translation>
    </message>
    <message>
        <source>the directory of a PyTorch archive</source>
        <translation>Verzeichnis eines PyTorch-Archivs</translation>
    </message>
    <message>
        <source>the pickle of a PyTorch archive</source>
        <translation>Pickle eines PyTorch-Archivs</translation>
    </message>
    <message>
        <source>tensors</source>
        <translation>Tensoren</translation>
    </message>
    <message>
        <source>a file of weights</source>
        <translation>Gewichtsdatei</translation>
    </message>
    <message>
        <source>the name of a tensor, key or class</source>
        <translation>Name eines Tensors, Schlüssels oder einer Klasse</translation>
    </message>
    <message>
        <source>entries</source>
        <translation>Einträge</translation>
    </message>
    <message>
        <source>the metadata of a file of weights</source>
        <translation>Metadaten einer Gewichtsdatei</translation>
    </message>
    <message>
        <source>files</source>
        <translation>Dateien</translation>
    </message>
    <message>
        <source>a model in parts</source>
        <translation>Modell in Teilen</translation>
    </message>
    <message>
        <source>a program that is sent to a host</source>
        <translation>Programm, das an einen Host gesendet wird</translation>
    </message>
    <message>
        <source>a picture, an animated PNG or WebP, or a packet of a video</source>
        <translation>Bild, animiertes PNG oder WebP oder Paket eines Videos</translation>
    </message>
    <message>
        <source>a picture</source>
        <translation>Bild</translation>
    </message>
    <message>
        <source>the packed texts and colour profile of a PNG</source>
        <translation>gepackte Texte und Farbprofil eines PNG</translation>
    </message>
    <message>
        <source>scans</source>
        <translation>Scans</translation>
    </message>
    <message>
        <source>a JPEG</source>
        <translation>JPEG</translation>
    </message>
    <message>
        <source>a video or sound before its first packet</source>
        <translation>Video oder Ton vor dem ersten Paket</translation>
    </message>
    <message>
        <source>a decoded frame of a video</source>
        <translation>dekodiertes Bild eines Videos</translation>
    </message>
    <message>
        <source>a video</source>
        <translation>Video</translation>
    </message>
    <message>
        <source>a video&apos;s frames, where all are held at once</source>
        <translation>Bilder eines Videos, wo alle zugleich gehalten werden</translation>
    </message>
    <message>
        <source>a video that is decoded to count its frames</source>
        <translation>Video, das zum Zählen seiner Bilder dekodiert wird</translation>
    </message>
    <message>
        <source>Choose a shorter name</source>
        <translation>Einen kürzeren Namen wählen</translation>
    </message>
    <message>
        <source>The disk does not take this name: choose another name, or another disk</source>
        <translation>Der Datenträger nimmt diesen Namen nicht an: einen anderen Namen oder einen anderen Datenträger wählen</translation>
    </message>
    <message>
        <source>Check the disk or the network drive: it reported a failure</source>
        <translation>Den Datenträger oder das Netzlaufwerk prüfen: es hat einen Fehler gemeldet</translation>
    </message>
    <message>
        <source>it has {} {} or more; at most {} are read of {}</source>
        <translation>{3}: {0} {1} oder mehr; höchstens {2} werden gelesen</translation>
    </message>
    <message>
        <source>Check that this is the file you mean; if it is, make it smaller or get another one</source>
        <translation>Prüfen Sie, ob dies die gemeinte Datei ist; wenn ja, verkleinern Sie sie oder besorgen Sie eine andere</translation>
    </message>
    <message>
        <source>a program may have only {} of stack here, and Meshreel needs {}</source>
        <translation>ein Programm darf hier nur {} Stack haben, und Meshreel braucht {}</translation>
    </message>
    <message>
        <source>Raise the limit, as with: {}</source>
        <translation>Erhöhen Sie die Grenze, etwa mit: {}</translation>
    </message>
    <message>
        <source>{}. The name counts; to decide, write expert: high or expert: low</source>
        <translation>{}. Der Name gilt; um es festzulegen, expert: high oder expert: low schreiben</translation>
    </message>
    <message>
        <source>{} of Wan 2.2 A14B, and this model has one transformer: it was made for another model</source>
        <translation>{} von Wan 2.2 A14B, und dieses Modell hat nur einen Transformer: er wurde für ein anderes Modell gemacht</translation>
    </message>
    <message>
        <source>{}, and lora says expert: {}. If that is a mistake, write expert: {}</source>
        <translation>{}, und lora sagt expert: {}. Wenn das ein Versehen ist, expert: {} schreiben</translation>
    </message>
    <message>
        <source>{}, and its keys name {}, which counts</source>
        <translation>{}, und seine Schlüssel nennen {}; das gilt</translation>
    </message>
    <message>
        <source>it goes into the {} alone, and its other half, {}, is not in lora: name it there, too</source>
        <translation>er kommt nur in den {}, und seine andere Hälfte, {}, steht nicht in lora: auch sie dort nennen</translation>
    </message>
    <message>
        <source>goes into this expert alone, because its name or metadata say so</source>
        <translation>kommt nur in diesen Experten, weil sein Name oder seine Metadaten es sagen</translation>
    </message>
    <message>
        <source>The name counts; rename the file if it is wrong</source>
        <translation>Der Name gilt; ist er falsch, die Datei umbenennen</translation>
    </message>
    <message>
        <source>Name the other file there, or rename this one if its name is wrong</source>
        <translation>Dort die andere Datei nennen, oder diese umbenennen, wenn ihr Name falsch ist</translation>
    </message>
    <message>
        <source>Exchange the two files</source>
        <translation>Die beiden Dateien tauschen</translation>
    </message>
    <message>
        <source>{} is taken as the {}, and {}</source>
        <translation>{} gilt hier als {}, und {}</translation>
    </message>
    <message>
        <source>the disk of the cache keeps no links ({})</source>
        <translation>der Datenträger des Zwischenspeichers kennt keine Verknüpfungen ({})</translation>
    </message>
    <message>
        <source>Set XDG_CACHE_HOME to a folder on another disk</source>
        <translation>XDG_CACHE_HOME auf einen Ordner eines anderen Datenträgers setzen</translation>
    </message>
    <message>
        <source>Set it to an address such as https://huggingface.co; signs such as @, /, # and ? in a password are written %40, %2F, %23 and %3F</source>
        <translation>Setzen Sie sie auf eine Adresse wie https://huggingface.co; Zeichen wie @, /, # und ? in einem Passwort schreibt man %40, %2F, %23 und %3F</translation>
    </message>
    <message>
        <source>It answers with a web page: sign in to this network in a browser, or see whether HF_ENDPOINT names the right server</source>
        <translation>Er antwortet mit einer Webseite: Melden Sie sich im Browser in diesem Netz an, oder prüfen Sie, ob HF_ENDPOINT den richtigen Server nennt</translation>
    </message>
    <message>
        <source>it breaks off and begins anew again and again</source>
        <translation>er bricht immer wieder ab und beginnt von vorn</translation>
    </message>
    <message>
        <source>{} sends the file compressed, which was not asked for</source>
        <translation>{} sendet die Datei komprimiert, was nicht verlangt war</translation>
    </message>
    <message>
        <source>A proxy may do so: check https_proxy; HF_ENDPOINT can name a mirror</source>
        <translation>Das kann ein Proxy tun: Prüfen Sie https_proxy; HF_ENDPOINT kann einen Spiegelserver nennen</translation>
    </message>
    <message>
        <source>it has {} bytes, and {} were published</source>
        <translation>sie hat {} Bytes, und {} wurden veröffentlicht</translation>
    </message>
    <message>
        <source>Wait until it is done. If nobody is at work, remove both files</source>
        <translation>Warten Sie, bis es fertig ist. Arbeitet niemand daran, entfernen Sie beide Dateien</translation>
    </message>
    <message>
        <source>a different file has this name ({})</source>
        <translation>eine andere Datei hat diesen Namen ({})</translation>
    </message>
    <message>
        <source>the download of &quot;{}&quot; is incomplete: it lacks {}</source>
        <translation>der Download von „{}“ ist unvollständig: es fehlt {}</translation>
    </message>
    <message>
        <source>the download of &quot;{}&quot; is incomplete: it lacks {} and {} other files</source>
        <translation>der Download von „{}“ ist unvollständig: es fehlen {} und {} weitere Dateien</translation>
    </message>
    <message>
        <source>Finish it with: hf download {}</source>
        <translation>Vervollständigen Sie ihn mit: hf download {}</translation>
    </message>
    <message>
        <source>the disk of the models folder keeps no links ({})</source>
        <translation>der Datenträger des Modellordners kennt keine Verknüpfungen ({})</translation>
    </message>
    <message>
        <source>Move the model into the models folder, or choose one on another disk</source>
        <translation>Das Modell in den Modellordner verschieben oder einen auf einem anderen Datenträger wählen</translation>
    </message>
    <message>
        <source>another program is writing it</source>
        <translation>ein anderes Programm schreibt sie gerade</translation>
    </message>
    <message>
        <source>another program is writing it, as {} beside it tells</source>
        <translation>ein anderes Programm schreibt sie gerade, wie {} daneben zeigt</translation>
    </message>
    <message>
        <source>it is empty</source>
        <translation>sie ist leer</translation>
    </message>
    <message>
        <source>it is a pointer of Git LFS, not the file itself</source>
        <translation>sie ist ein Zeiger von Git LFS, nicht die Datei selbst</translation>
    </message>
    <message>
        <source>it is a web page, not the file</source>
        <translation>sie ist eine Webseite, nicht die Datei</translation>
    </message>
    <message>
        <source>it is {}, not {}</source>
        <translation>sie ist {}, nicht {}</translation>
    </message>
    <message>
        <source>it holds no tensors</source>
        <translation>sie enthält keine Tensoren</translation>
    </message>
    <message>
        <source>its tensors are not those of {}</source>
        <translation>ihre Tensoren sind nicht die von {}</translation>
    </message>
    <message>
        <source>{} bytes</source>
        <translation>{} Bytes</translation>
    </message>
    <message>
        <source>about {} bytes</source>
        <translation>etwa {} Bytes</translation>
    </message>
    <message>
        <source>its SHA-256 is no longer that of the download ({})</source>
        <translation>ihr SHA-256 ist nicht mehr der des Downloads ({})</translation>
    </message>
    <message>
        <source>{} in the environment is ignored: {}</source>
        <translation>{} in der Umgebung wird übergangen: {}</translation>
    </message>
    <message>
        <source>{} in the environment is ignored: {} has no such core</source>
        <translation>{} in der Umgebung wird übergangen: {} hat keinen solchen Kern</translation>
    </message>
    <message>
        <source>OpenBLAS multiplies with its core {}, because {} is set in the environment. This CPU runs its core {}, which is faster</source>
        <translation>OpenBLAS multipliziert mit seinem Kern {}, weil {} in der Umgebung gesetzt ist. Diese CPU kann den schnelleren Kern {}</translation>
    </message>
    <message>
        <source>OpenBLAS&apos;s core {} is not used: {}. Meshreel&apos;s own loops multiply in its place, which is slower. Install another version of OpenBLAS</source>
        <translation>Der Kern {} von OpenBLAS wird nicht verwendet: {}. An seiner Stelle multiplizieren eigene Schleifen von Meshreel, was langsamer ist. Eine andere Version von OpenBLAS installieren</translation>
    </message>
    <message>
        <source>OpenBLAS&apos;s core {} is not used: {}. Its core {} takes its place, which is slower. Install another version of OpenBLAS</source>
        <translation>Der Kern {} von OpenBLAS wird nicht verwendet: {}. An seine Stelle tritt der langsamere Kern {}. Eine andere Version von OpenBLAS installieren</translation>
    </message>
    <message>
        <source>oneDNN does not multiply in {}: {}. In its place: {}, which is slower. Install another version of oneDNN</source>
        <translation>oneDNN multipliziert nicht in {}: {}. An seiner Stelle: {}, was langsamer ist. Eine andere Version von oneDNN installieren</translation>
    </message>
    <message>
        <source>the video has no size, or one of more than {} pixels</source>
        <translation>das Video hat keine Größe oder mehr als {} Pixel</translation>
    </message>
    <message>
        <source>Choose a video file or a folder of numbered pictures</source>
        <translation>Eine Videodatei oder einen Ordner nummerierter Bilder wählen</translation>
    </message>
    <message>
        <source>this folder holds {} series of numbered pictures, and nothing tells which is meant: {}</source>
        <translation>dieser Ordner enthält {} Reihen nummerierter Bilder, und nichts sagt, welche gemeint ist: {}</translation>
    </message>
    <message>
        <source>Put one series into a folder of its own</source>
        <translation>Eine Reihe in einen eigenen Ordner legen</translation>
    </message>
    <message>
        <source>numbers are missing between {} and {}, which follow each other</source>
        <translation>zwischen {} und {} fehlen Nummern; sie folgen aufeinander</translation>
    </message>
    <message>
        <source>numbers are missing at {} places, the first between {} and {}, which follow each other</source>
        <translation>an {} Stellen fehlen Nummern, zuerst zwischen {} und {}; sie folgen aufeinander</translation>
    </message>
    <message>
        <source>{} and {} have the same number</source>
        <translation>{} und {} haben dieselbe Nummer</translation>
    </message>
    <message>
        <source>Remove the one that is not meant</source>
        <translation>Das nicht gemeinte entfernen</translation>
    </message>
    <message>
        <source>more than one number in the names changes; the order is that of the first, then of the next: from {} to {}</source>
        <translation>in den Namen ändert sich mehr als eine Zahl; die Reihenfolge ist die der ersten, dann der nächsten: von {} bis {}</translation>
    </message>
    <message>
        <source>not of the series, and passed over: {}</source>
        <translation>nicht aus der Reihe und übergangen: {}</translation>
    </message>
    <message>
        <source>mpirun is stopped</source>
        <translation>mpirun ist angehalten</translation>
    </message>
    <message>
        <source>it was stopped while the ranks met</source>
        <translation>er wurde angehalten, während sich die Ränge trafen</translation>
    </message>
    <message>
        <source>it did not meet all other ranks within {} s</source>
        <translation>er hat nicht alle anderen Ränge innerhalb von {} s getroffen</translation>
    </message>
    <message>
        <source>Leave it unset, which is {} seconds</source>
        <translation>Nicht setzen; das sind {} Sekunden</translation>
    </message>
    <message>
        <source>rank {} on host {} multiplies with {}, and rank 0 on host {} with {}: the result differs slightly from that of one library. For the same bits everywhere install one version of OpenBLAS, and set {} alike</source>
        <translation>Rang {} auf Host {} multipliziert mit {}, Rang 0 auf Host {} mit {}: Das Ergebnis weicht leicht von dem mit einer einzigen Bibliothek ab. Für überall gleiche Bits dieselbe Version von OpenBLAS installieren und {} gleich setzen</translation>
    </message>
    <message>
        <source>its name says {}</source>
        <translation>sein Name sagt: {}</translation>
    </message>
    <message>
        <source>its metadata ({}) say {}</source>
        <translation>seine Metadaten ({}) sagen: {}</translation>
    </message>
    <message>
        <source>its name says {}, and its metadata ({}) say {}</source>
        <translation>sein Name sagt: {}, und seine Metadaten ({}) sagen: {}</translation>
    </message>
    <message>
        <source>{} with {}</source>
        <translation>{} mit {}</translation>
    </message>
    <message>
        <source>{:.0f} s</source>
        <translation>{} s</translation>
    </message>
    <message>
        <source>{:.1f} min</source>
        <translation>{} min</translation>
    </message>
    <message>
        <source>{:.0f} min</source>
        <translation>{} min</translation>
    </message>
    <message>
        <source>{:.1f} h</source>
        <translation>{} h</translation>
    </message>
    <message>
        <source>int8 weights</source>
        <translation>int8-Gewichten</translation>
    </message>
    <message>
        <source>bfloat16 weights</source>
        <translation>bfloat16-Gewichten</translation>
    </message>
    <message>
        <source>bfloat16 activations</source>
        <translation>bfloat16-Aktivierungen</translation>
    </message>
    <message>
        <source>a bfloat16 VAE</source>
        <translation>einem bfloat16-VAE</translation>
    </message>
    <message>
        <source>fits</source>
        <translation>passt</translation>
    </message>
    <message>
        <source>fits with {}</source>
        <translation>passt mit {}</translation>
    </message>
    <message>
        <source>fits with {} and {}</source>
        <translation>passt mit {} und {}</translation>
    </message>
    <message>
        <source>{}, streamed from the disk: at most {} a step longer</source>
        <translation>{}, vom Datenträger gestreamt: je Schritt höchstens {} länger</translation>
    </message>
    <message>
        <source>{}, streamed from the disk: {} a step, at most {} longer at {:g} GB/s</source>
        <translation>{}, vom Datenträger gestreamt: {} je Schritt, höchstens {} länger bei {} GB/s</translation>
    </message>
    <message>
        <source>too large at {}: {} takes {} at the least, and {} are free</source>
        <translation>zu groß bei {}: {} braucht mindestens {}, und {} sind frei</translation>
    </message>
    <message>
        <source>{}; {}: {}</source>
        <translation>{}; {}: {}</translation>
    </message>
    <message>
        <source>disk too small: {} to download, and {} are free</source>
        <translation>Datenträger zu klein: {} herunterzuladen, und {} sind frei</translation>
    </message>
    <message>
        <source>{:.2g} GB/s were measured on the disk with the weights</source>
        <translation>{} GB/s wurden auf dem Datenträger mit den Gewichten gemessen</translation>
    </message>
    <message>
        <source>{:g} GB/s is assumed: there is no large file of weights to measure the disk by</source>
        <translation>{} GB/s sind angenommen: es gibt keine große Datei mit Gewichten, an der sich der Datenträger messen ließe</translation>
    </message>
    <message>
        <source>Name the model in a project: pretrained_model_name_or_path: PATH</source>
        <translation>Das Modell in einem Projekt nennen: pretrained_model_name_or_path: PFAD</translation>
    </message>
    <message>
        <source>a ComfyUI workflow</source>
        <translation>ein ComfyUI-Workflow</translation>
    </message>
    <message>
        <source>an InvokeAI workflow</source>
        <translation>ein InvokeAI-Workflow</translation>
    </message>
    <message>
        <source>settings of SwarmUI</source>
        <translation>Einstellungen von SwarmUI</translation>
    </message>
    <message>
        <source>settings of Wan2GP</source>
        <translation>Einstellungen von Wan2GP</translation>
    </message>
    <message>
        <source>settings of Draw Things</source>
        <translation>Einstellungen von Draw Things</translation>
    </message>
    <message>
        <source>a config of LightX2V</source>
        <translation>eine Konfiguration von LightX2V</translation>
    </message>
    <message>
        <source>a description of a model</source>
        <translation>die Beschreibung eines Modells</translation>
    </message>
    <message>
        <source>a Jupyter notebook</source>
        <translation>ein Jupyter-Notebook</translation>
    </message>
    <message>
        <source>a command line of stable-diffusion.cpp</source>
        <translation>eine Befehlszeile von stable-diffusion.cpp</translation>
    </message>
    <message>
        <source>a command line of Wan&apos;s generate.py</source>
        <translation>eine Befehlszeile von Wans generate.py</translation>
    </message>
    <message>
        <source>a command line of musubi-tuner</source>
        <translation>eine Befehlszeile von musubi-tuner</translation>
    </message>
    <message>
        <source>a command line of LightX2V</source>
        <translation>eine Befehlszeile von LightX2V</translation>
    </message>
    <message>
        <source>a command line of Wan2GP</source>
        <translation>eine Befehlszeile von Wan2GP</translation>
    </message>
    <message>
        <source>settings of Stable Diffusion WebUI</source>
        <translation>Einstellungen der Stable Diffusion WebUI</translation>
    </message>
    <message>
        <source>This is {}. Meshreel reads projects and configs of MaxDiffusion</source>
        <translation>Das ist {}. Meshreel liest Projekte und Konfigurationen von MaxDiffusion</translation>
    </message>
    <message>
        <source>This is {} that holds its project, and not the project itself</source>
        <translation>Das ist {} mit dem Projekt darin, nicht das Projekt selbst</translation>
    </message>
    <message>
        <source>This is {} that holds {}. Meshreel reads projects and configs of MaxDiffusion</source>
        <translation>Das ist {}, und darin steht {}. Meshreel liest Projekte und Konfigurationen von MaxDiffusion</translation>
    </message>
    <message>
        <source>This is {}, and no project is stored in it</source>
        <translation>Das ist {}, und darin ist kein Projekt gespeichert</translation>
    </message>
    <message>
        <source>Name it in a project, as image or video</source>
        <translation>In einem Projekt als image oder video nennen</translation>
    </message>
    <message>
        <source>This is a web page</source>
        <translation>Das ist eine Webseite</translation>
    </message>
    <message>
        <source>Download the file itself, not the page that shows it</source>
        <translation>Die Datei selbst herunterladen, nicht die Seite, die sie zeigt</translation>
    </message>
    <message>
        <source>a Python script</source>
        <translation>ein Python-Skript</translation>
    </message>
    <message>
        <source>a script</source>
        <translation>ein Skript</translation>
    </message>
    <message>
        <source>These are weights of a model</source>
        <translation>Das sind Gewichte eines Modells</translation>
    </message>
    <message>
        <source>This is an archive</source>
        <translation>Das ist ein Archiv</translation>
    </message>
    <message>
        <source>Unpack it and choose the project in it</source>
        <translation>Entpacken und das Projekt darin wählen</translation>
    </message>
    <message>
        <source>This is a document, not a project</source>
        <translation>Das ist ein Dokument und kein Projekt</translation>
    </message>
    <message>
        <source>Choose a project file (.yaml)</source>
        <translation>Eine Projektdatei wählen (.yaml)</translation>
    </message>
    <message>
        <source>{}: {}: its shape is in its alpha, which is read as the mask: opaque is white, transparent is black</source>
        <translation>{}: {}: ihre Form steht in ihrem Alphakanal, der als Maske gelesen wird: deckend ist weiß, durchsichtig ist schwarz</translation>
    </message>
    <message>
        <source>If it is meant the other way round, give a black and white mask without transparency</source>
        <translation>Ist es umgekehrt gemeint, eine schwarz-weiße Maske ohne Transparenz angeben</translation>
    </message>
    <message>
        <source>{}: {}: it has transparent pixels, which are laid on white</source>
        <translation>{}: {}: enthält durchsichtige Pixel, die auf Weiß gelegt werden</translation>
    </message>
    <message>
        <source>To have another background, give a picture without transparency</source>
        <translation>Für einen anderen Hintergrund ein Bild ohne Transparenz angeben</translation>
    </message>
    <message>
        <source>Check that these are all frames, and only they</source>
        <translation>Prüfen, ob dies alle Bilder sind und nur sie</translation>
    </message>
    <message>
        <source>Put a text that holds a blank and `#` in quotes, since YAML takes the rest of its line for a comment. Where such a comment may be the rest of a prompt, a name or a path, a warning says so; behind a path it may stand after two blanks and before another one: `  # comment`.</source>
        <translation>Ein Text, der ein Leerzeichen und `#` enthält, gehört in Anführungszeichen, denn YAML hält den Rest der Zeile für einen Kommentar. Wo ein solcher Kommentar der Rest eines Prompts, eines Namens oder eines Pfads sein kann, sagt es eine Warnung; hinter einem Pfad darf er nach zwei Leerzeichen und vor einem weiteren stehen: `  # Kommentar`.</translation>
    </message>
    <message>
        <source>{} has no value: YAML takes &quot;{}&quot; for a comment</source>
        <translation>{} hat keinen Wert: YAML hält „{}“ für einen Kommentar</translation>
    </message>
    <message>
        <source>Put the text in quotes</source>
        <translation>Den Text in Anführungszeichen setzen</translation>
    </message>
    <message>
        <source>If it belongs to the text, put the text in quotes; else put the comment on a line of its own</source>
        <translation>Gehört es zum Text, den Text in Anführungszeichen setzen; sonst den Kommentar in eine eigene Zeile schreiben</translation>
    </message>
    <message>
        <source>{} ends before &quot;{}&quot;, which YAML takes for a comment</source>
        <translation>{} endet vor „{}“, das YAML für einen Kommentar hält</translation>
    </message>
    <message>
        <source>another program has been changing it for a long time</source>
        <translation>ein anderes Programm ändert es seit langem</translation>
    </message>
    <message>
        <source>Wait until it is done, or end it</source>
        <translation>Warten, bis es fertig ist, oder es beenden</translation>
    </message>
    <message>
        <source>mpirun could not be prepared ({})</source>
        <translation>mpirun konnte nicht vorbereitet werden ({})</translation>
    </message>
    <message>
        <source>Set {}={}, which is Open MPI {}</source>
        <translation>{}={} setzen; das ist Open MPI {}</translation>
    </message>
    <message>
        <source>Put Open MPI&apos;s mpirun first in your PATH, or name it by {} (on Debian: apt-get install openmpi-bin)</source>
        <translation>Das mpirun von Open MPI im PATH an die erste Stelle setzen oder mit {} nennen (unter Debian: apt-get install openmpi-bin)</translation>
    </message>
    <message>
        <source>there is no mpirun in your PATH</source>
        <translation>im PATH gibt es kein mpirun</translation>
    </message>
    <message>
        <source>{} has not said within {} s which version it is</source>
        <translation>{} hat nicht innerhalb von {} s gesagt, welche Version es ist</translation>
    </message>
    <message>
        <source>{} is not Open MPI (it does not say what it is)</source>
        <translation>{} ist nicht Open MPI (es sagt nicht, was es ist)</translation>
    </message>
    <message>
        <source>{} is not Open MPI (it says: {})</source>
        <translation>{} ist nicht Open MPI (es sagt: {})</translation>
    </message>
    <message>
        <source>{} is Open MPI {}, and Meshreel launches ranks by Open MPI {} or newer</source>
        <translation>{} ist Open MPI {}, und Meshreel startet Ränge mit Open MPI {} oder neuer</translation>
    </message>
    <message>
        <source>mpirun passes nothing on any more</source>
        <translation>mpirun gibt nichts mehr weiter</translation>
    </message>
    <message>
        <source>{}, which mpirun started, is stopped</source>
        <translation>{}, von mpirun gestartet, ist angehalten</translation>
    </message>
    <message>
        <source>the ranks there have not met the others within {} s: look for a firewall between the hosts, or set MESHREEL_HOST_TIMEOUT to more seconds</source>
        <translation>die Ränge dort haben die anderen nicht innerhalb von {} s getroffen: nach einer Firewall zwischen den Rechnern sehen oder MESHREEL_HOST_TIMEOUT auf mehr Sekunden setzen</translation>
    </message>
    <message>
        <source>no rank has begun there within {} s: set MESHREEL_HOST_TIMEOUT to more seconds if it is only slow</source>
        <translation>dort hat innerhalb von {} s kein Rang begonnen: MESHREEL_HOST_TIMEOUT auf mehr Sekunden setzen, wenn es nur langsam ist</translation>
    </message>
    <message>
        <source>no rank has begun there within {} s: look at ssh and for a firewall that keeps Open MPI&apos;s daemon from calling back, or set MESHREEL_HOST_TIMEOUT to more seconds</source>
        <translation>dort hat innerhalb von {} s kein Rang begonnen: nach ssh sehen und nach einer Firewall, die den Dienst von Open MPI am Rückruf hindert, oder MESHREEL_HOST_TIMEOUT auf mehr Sekunden setzen</translation>
    </message>
    <message>
        <source>Set TMPDIR to a folder on a disk that keeps links</source>
        <translation>TMPDIR auf einen Ordner eines Datenträgers setzen, der Verknüpfungen kennt</translation>
    </message>
    <message>
        <source>it has no list of traceEvents</source>
        <translation>sie hat keine Liste traceEvents</translation>
    </message>
    <message>
        <source>an event lacks its name, times or thread</source>
        <translation>einem Ereignis fehlen Name, Zeiten oder Thread</translation>
    </message>
    <message>
        <source>Copy it to a disk of this machine: where it lies, files cannot be mapped</source>
        <translation>Auf einen Datenträger dieses Rechners kopieren: wo sie liegt, lassen sich Dateien nicht in den Speicher abbilden</translation>
    </message>
    <message>
        <source>{} have to be read into memory at once, and {} are available</source>
        <translation>{} müssen auf einmal in den Speicher gelesen werden, und {} sind verfügbar</translation>
    </message>
    <message>
        <source>texts</source>
        <translation>Texte</translation>
    </message>
    <message>
        <source>a PNG</source>
        <translation>PNG</translation>
    </message>
    <message>
        <source>seconds of computing</source>
        <translation>Sekunden Rechenzeit</translation>
    </message>
    <message>
        <source>a video or sound up to its next packet</source>
        <translation>Video oder Ton bis zum nächsten Paket</translation>
    </message>
    <message>
        <source>Write its prompt, size, frames, steps and seed into a project</source>
        <translation>Prompt, Größe, Bilder, Schritte und Seed daraus in ein Projekt schreiben</translation>
    </message>
    <message>
        <source>meshreel inspect FILE prints it in a terminal</source>
        <translation>meshreel inspect DATEI gibt es in einem Terminal aus</translation>
    </message>
    <message>
        <source>a line that another process says; the rest is left out</source>
        <translation>eine Zeile, die ein anderer Prozess sagt; der Rest wird ausgelassen</translation>
    </message>
    <message>
        <source>all that another process says; of more, beginning and end are kept</source>
        <translation>alles, was ein anderer Prozess sagt; von mehr bleiben Anfang und Ende</translation>
    </message>
    <message>
        <source>the transparency of this video is in a second stream, which only libvpx decodes, and this system&apos;s libavcodec has no libvpx</source>
        <translation>die Transparenz dieses Videos steht in einem zweiten Strom, den nur libvpx dekodiert, und libavcodec auf diesem System hat kein libvpx</translation>
    </message>
    <message>
        <source>Install the full libavcodec, or convert the video to ProRes 4444</source>
        <translation>Installieren Sie das vollständige libavcodec, oder wandeln Sie das Video in ProRes 4444 um</translation>
    </message>
    <message>
        <source>the transparency of this picture is in a second picture of the file, which Meshreel does not read</source>
        <translation>die Transparenz dieses Bilds steht in einem zweiten Bild der Datei, das Meshreel nicht liest</translation>
    </message>
    <message>
        <source>Convert it to PNG or WebP</source>
        <translation>Wandeln Sie es in PNG oder WebP um</translation>
    </message>
    <message>
        <source>there is not enough memory for the picture</source>
        <translation>für das Bild reicht der Speicher nicht</translation>
    </message>
    <message>
        <source>the samples of this TIFF are signed or floating-point numbers, which Meshreel does not read</source>
        <translation>die Abtastwerte dieses TIFF sind vorzeichenbehaftete oder Gleitkommazahlen, die Meshreel nicht liest</translation>
    </message>
    <message>
        <source>Save it with 8 or 16 bits a channel, or as PNG</source>
        <translation>Speichern Sie es mit 8 oder 16 Bit je Kanal oder als PNG</translation>
    </message>
    <message>
        <source>this TIFF has a channel besides its colours that it does not call transparency</source>
        <translation>dieses TIFF hat neben seinen Farben einen Kanal, den es nicht Transparenz nennt</translation>
    </message>
    <message>
        <source>Save it as PNG, or without the channel, or with the channel as transparency</source>
        <translation>Speichern Sie es als PNG, ohne den Kanal oder mit dem Kanal als Transparenz</translation>
    </message>
    <message>
        <source>Measuring which form of the kernel &quot;{}&quot; is the fastest on {}; later runs know it</source>
        <translation>Es wird gemessen, welche Form des Kernels „{}“ auf {} am schnellsten ist; spätere Läufe wissen es</translation>
    </message>
    <message>
        <source>a GPU has no {} kernel, which {} needs</source>
        <translation>eine GPU hat keinen Kernel {}, den {} braucht</translation>
    </message>
    <message>
        <source>decoding whole frames needs {} of the GPU&apos;s memory, and {} are free</source>
        <translation>ganze Bilder zu dekodieren braucht {} des GPU-Speichers, frei sind {}</translation>
    </message>
    <message>
        <source>with all layers the GPU would hold {}, and {} are free</source>
        <translation>mit allen Schichten würde die GPU {} halten, frei sind {}</translation>
    </message>
    <message>
        <source>both experts need {}, and {} are available</source>
        <translation>beide Experten brauchen {}, verfügbar sind {}</translation>
    </message>
    <message>
        <source>with both experts the GPU would hold {}, and {} are free</source>
        <translation>mit beiden Experten würde die GPU {} halten, frei sind {}</translation>
    </message>
    <message>
        <source>with all layers the run needs {}, and memory_budget allows {}</source>
        <translation>mit allen Schichten braucht der Lauf {}, und memory_budget erlaubt {}</translation>
    </message>
    <message>
        <source>the remote shell passes its standard input on to nobody: use one that does (MESHREEL_RSH)</source>
        <translation>die entfernte Shell reicht ihre Standardeingabe nicht weiter: eine nehmen, die das tut (MESHREEL_RSH)</translation>
    </message>
    <message>
        <source>{} could not be guarded against connections of strangers: see docs/security.md</source>
        <translation>{} ließ sich nicht vor Verbindungen Fremder schützen: siehe docs/security.md</translation>
    </message>
    <message>
        <source>which experts the adapters in lora are for is read in another way than when the run began: they went into {}, and would go into {}</source>
        <translation>für welche Experten die Adapter in lora sind, wird anders gelesen als beim Beginn des Laufs: Sie kamen in {} und kämen jetzt in {}</translation>
    </message>
    <message>
        <source>Start a new run in a terminal: meshreel run {}. An adapter with expert: all goes into both experts, whatever its name says</source>
        <translation>In einem Terminal einen neuen Lauf beginnen: meshreel run {}. Ein Adapter mit expert: all kommt in beide Experten, was auch immer sein Name sagt</translation>
    </message>
    <message>
        <source>Which GPU computes the transformer, the VAE and the encoders: its number, from 0 on, several for the devices of a mesh (0,1), none for the CPU, or auto for the best real GPU, if it counts as faster than the CPU.</source>
        <translation>Welche GPU Transformer, VAE und Encoder rechnet: ihre Nummer, ab 0, mehrere für die Geräte eines Meshs (0,1), none für die CPU, oder auto für die beste echte, wo sie als schneller als die CPU gilt.</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is not a number for {}</source>
        <translation>„{}“ ist keine Zahl für {}</translation>
    </message>
    <message>
        <source>this is not a transformer of a Wan model</source>
        <translation>dies ist kein Transformer eines Wan-Modells</translation>
    </message>
    <message>
        <source>meshreel inspect shows what it is</source>
        <translation>meshreel inspect sagt, was es ist</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is not a server address</source>
        <translation>„{}“ ist keine Adresse eines Servers</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is not a number of seconds</source>
        <translation>„{}“ ist keine Zahl von Sekunden</translation>
    </message>
    <message>
        <source>this is not a small decoder (TAEHV), which previews need</source>
        <translation>dies ist kein kleiner Decoder (TAEHV), und ein solcher macht die Vorschauen</translation>
    </message>
    <message>
        <source>it is not a SentencePiece model</source>
        <translation>sie ist kein SentencePiece-Modell</translation>
    </message>
    <message>
        <source>it is not a file, or it is a link that leads nowhere</source>
        <translation>es ist keine Datei oder ein Link, der ins Leere führt</translation>
    </message>
    <message>
        <source>The model ({}) does not support {} ({})</source>
        <translation>Das Modell ({}) beherrscht {} nicht ({})</translation>
    </message>
    <message>
        <source>{} is not a count in column {}</source>
        <translation>{} ist keine Anzahl in der Spalte {}</translation>
    </message>
    <message>
        <source>{} is not a Vulkan loader</source>
        <translation>{} ist kein Vulkan-Loader</translation>
    </message>
    <message>
        <source>{} is not a transformer</source>
        <translation>{} ist kein Transformer</translation>
    </message>
    <message>
        <source>This is not a measurement of meshreel bench</source>
        <translation>Dies ist keine Messung von meshreel bench</translation>
    </message>
    <message>
        <source>prompt {} is not an object</source>
        <translation>Prompt {} ist kein Objekt</translation>
    </message>
    <message>
        <source>a step of {} is not a multiple of {}</source>
        <translation>eine Schrittweite von {} ist kein Vielfaches von {}</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is not a host name</source>
        <translation>„{}“ ist kein Rechnername</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is not a number of ranks between 1 and {}</source>
        <translation>„{}“ ist keine Zahl von Rängen zwischen 1 und {}</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is not a number of seconds between 1 and {}</source>
        <translation>„{}“ ist keine Zahl von Sekunden zwischen 1 und {}</translation>
    </message>
    <message>
        <source>its tensors match no part of a Wan model</source>
        <translation>die Tensoren gehören zu keinem Teil eines Wan-Modells</translation>
    </message>
    <message>
        <source>this is not a MagCache curve: {}</source>
        <translation>dies ist keine MagCache-Kurve: {}</translation>
    </message>
    <message>
        <source>this is not a number of devices: write a whole number from 1 to {}</source>
        <translation>das ist keine Zahl von Geräten: Schreiben Sie eine ganze Zahl von 1 bis {}</translation>
    </message>
    <message>
        <source>the model and the inputs determine the task</source>
        <translation>aus Modell und Eingaben ergibt sich die Aufgabe</translation>
    </message>
    <message>
        <source>lora_config is not a map of lists</source>
        <translation>lora_config ist keine Zuordnung von Listen</translation>
    </message>
    <message>
        <source>mag_ratios_base is not a curve: {}</source>
        <translation>mag_ratios_base ist keine Kurve: {}</translation>
    </message>
    <message>
        <source>The values that {} varies over are not a list</source>
        <translation>Die Werte, die {} annehmen soll, sind keine Liste</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is not a whole number from {} to {}</source>
        <translation>„{}“ ist keine ganze Zahl von {} bis {}</translation>
    </message>
    <message>
        <source>This is not a table of device times</source>
        <translation>Dies ist keine Tabelle von Gerätezeiten</translation>
    </message>
    <message>
        <source>This is not a table of a tile search</source>
        <translation>Dies ist keine Tabelle einer Blocksuche</translation>
    </message>
    <message>
        <source>this is not the status of a Meshreel run</source>
        <translation>dies ist nicht der Status eines Laufs von Meshreel</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is not a mask</source>
        <translation>Es gibt keine Maske „{}“</translation>
    </message>
    <message>
        <source>This is not a golden case: it has no case.json</source>
        <translation>Dies ist kein Referenzfall: case.json fehlt</translation>
    </message>
    <message>
        <source>it is not a regular file</source>
        <translation>sie ist keine reguläre Datei</translation>
    </message>
    <message>
        <source>the archive holds no data.pkl: it is not a PyTorch checkpoint</source>
        <translation>dem Archiv fehlt data.pkl: es ist kein PyTorch-Checkpoint</translation>
    </message>
    <message>
        <source>its pickle is not a dictionary of tensors</source>
        <translation>das Pickle ist kein Dictionary von Tensoren</translation>
    </message>
    <message>
        <source>{} has no sound</source>
        <translation>{} hat keinen Ton</translation>
    </message>
    <message>
        <source>{} does not hold this sound ({})</source>
        <translation>{} nimmt diesen Ton ({}) nicht auf</translation>
    </message>
    <message>
        <source>The video has no sound: {}.</source>
        <translation>Das Video hat keinen Ton: {}.</translation>
    </message>
    <message>
        <source>Write video_format: mp4 or webm, or audio: none</source>
        <translation>Schreiben Sie video_format: mp4 oder webm, oder audio: none</translation>
    </message>
    <message>
        <source>This is not YAML: a bracket is not closed, because YAML takes what follows &quot; #&quot; for a comment</source>
        <translation>Das ist kein YAML: Eine Klammer ist nicht geschlossen, weil YAML für einen Kommentar hält, was auf &quot; #&quot; folgt</translation>
    </message>
    <message>
        <source>Put the text with the # in quotes</source>
        <translation>Setzen Sie den Text mit dem # in Anführungszeichen</translation>
    </message>
    <message>
        <source>Get it with: meshreel get {}; it prints the lines that a project needs. {}</source>
        <translation>Holen Sie es mit: meshreel get {}; der Befehl gibt die Zeilen aus, die ein Projekt braucht. {}</translation>
    </message>
    <message>
        <source>encoding needs {} of the GPU&apos;s memory, and {} are free</source>
        <translation>zu enkodieren braucht {} des GPU-Speichers, frei sind {}</translation>
    </message>
    <message>
        <source>{} is predicted to take {:.3g} s, and {} {:.3g} s</source>
        <translation>{} braucht voraussichtlich {:.3g} s, {} dagegen {:.3g} s</translation>
    </message>
    <message>
        <source>nothing has measured whether {} is faster than {}</source>
        <translation>ob {} schneller als {} ist, wurde nicht gemessen</translation>
    </message>
    <message>
        <source>nothing has measured whether {} is faster than the CPU; gpus: {} takes it all the same</source>
        <translation>ob {} schneller als die CPU ist, wurde nicht gemessen; gpus: {} nimmt sie trotzdem</translation>
    </message>
    <message>
        <source>encoding there, the GPU would hold {}, and {} are free</source>
        <translation>beim Enkodieren dort würde die GPU {} halten, frei sind {}</translation>
    </message>
    <message>
        <source>What guidance steers away from; used when guidance_scale or nag_scale is above 1.</source>
        <translation>Wovon die Führung weglenkt; wird verwendet, wenn guidance_scale oder nag_scale über 1 liegt.</translation>
    </message>
    <message>
        <source>Attention guidance</source>
        <translation>Attention-Guidance</translation>
    </message>
    <message>
        <source>How strongly attention is pushed away from the negative prompt, without a second pass (NAG): also where guidance_scale is 1, as with distilled models. 11 is usual; 1 or less turns it off.</source>
        <translation>Wie stark die Aufmerksamkeit vom negativen Prompt weggedrückt wird, ohne zweiten Durchlauf (NAG): auch bei guidance_scale 1, wie bei destillierten Modellen. Üblich ist 11; 1 oder weniger schaltet sie aus.</translation>
    </message>
    <message>
        <source>Bound of attention guidance</source>
        <translation>Grenze dieser Guidance</translation>
    </message>
    <message>
        <source>What nag_scale makes of a token is at most so many times as large as what the prompt alone makes of it.</source>
        <translation>Was nag_scale aus einem Token macht, ist höchstens so viele Male so groß wie das, was der Prompt allein daraus macht.</translation>
    </message>
    <message>
        <source>Part of attention guidance</source>
        <translation>Anteil dieser Guidance</translation>
    </message>
    <message>
        <source>Mixes what nag_scale makes of a token with what the prompt alone makes of it: 1 takes the former, 0 the latter.</source>
        <translation>Mischt, was nag_scale aus einem Token macht, mit dem, was der Prompt allein daraus macht: 1 nimmt das erste, 0 das zweite.</translation>
    </message>
    <message>
        <source>exponential integrator of second order: each step but the last is computed twice</source>
        <translation>exponentieller Integrator zweiter Ordnung: jeder Schritt außer dem letzten wird zweimal berechnet</translation>
    </message>
    <message>
        <source>exponential integrator of second order that remembers the step before: one pass a step</source>
        <translation>exponentieller Integrator zweiter Ordnung, der sich den Schritt davor merkt: ein Durchlauf je Schritt</translation>
    </message>
    <message>
        <source>Spacing of noise levels</source>
        <translation>Verteilung der Rauschstufen</translation>
    </message>
    <message>
        <source>How the noise levels of the steps are spaced.</source>
        <translation>Wie die Rauschstufen der Schritte verteilt sind.</translation>
    </message>
    <message>
        <source>As the scheduler spaces them.</source>
        <translation>Wie der Scheduler sie verteilt.</translation>
    </message>
    <message>
        <source>Dense at both ends: quantiles of the beta distribution with 0.6 and 0.6, shifted by flow_shift.</source>
        <translation>Dicht an beiden Enden: Quantile der Betaverteilung mit 0,6 und 0,6, verschoben um flow_shift.</translation>
    </message>
    <message>
        <source>The same with 0.5 and 0.7, which gives more steps to low noise.</source>
        <translation>Dasselbe mit 0,5 und 0,7, wodurch mehr Schritte auf wenig Rauschen entfallen.</translation>
    </message>
    <message>
        <source>Two arc tangents that meet at half the noise after 0.6 of the steps; flow_shift has no effect.</source>
        <translation>Zwei Arkustangens-Kurven, die sich nach 0,6 der Schritte beim halben Rauschen treffen; flow_shift wirkt nicht.</translation>
    </message>
    <message>
        <source>EasyCache</source>
        <translation>EasyCache</translation>
    </message>
    <message>
        <source>Takes whole predictions over while the latents, by what the last steps showed, would change them little; needs no curve; approximate.</source>
        <translation>Übernimmt ganze Vorhersagen, solange die Latents sie nach dem, was die letzten Schritte zeigten, kaum ändern würden; braucht keine Kurve; näherungsweise.</translation>
    </message>
    <message>
        <source>EasyCache change</source>
        <translation>Änderung für EasyCache</translation>
    </message>
    <message>
        <source>Change of the prediction, as a part of its size, that EasyCache may gather before a step is computed.</source>
        <translation>Änderung der Vorhersage, als Teil ihrer Größe, die EasyCache ansammeln darf, bevor ein Schritt berechnet wird.</translation>
    </message>
    <message>
        <source>EasyCache begins at</source>
        <translation>EasyCache beginnt bei</translation>
    </message>
    <message>
        <source>Part of the noise, from the beginning, in which EasyCache computes every step.</source>
        <translation>Teil des Rauschens, vom Anfang an, in dem EasyCache jeden Schritt berechnet.</translation>
    </message>
    <message>
        <source>EasyCache ends at</source>
        <translation>EasyCache endet bei</translation>
    </message>
    <message>
        <source>Part of the noise after which EasyCache computes every step again.</source>
        <translation>Teil des Rauschens, nach dem EasyCache wieder jeden Schritt berechnet.</translation>
    </message>
    <message>
        <source>Context windows</source>
        <translation>Kontextfenster</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>Fenster</translation>
    </message>
    <message>
        <source>Frames that are denoised together, for clips longer than the model was trained with (Wan: 81): a multiple of 4, plus 1. 0 denoises all at once.</source>
        <translation>Bilder, die zusammen entrauscht werden, für Clips, die länger sind als im Training des Modells (Wan: 81): ein Vielfaches von 4, plus 1. 0 entrauscht alle auf einmal.</translation>
    </message>
    <message>
        <source>Overlap of windows</source>
        <translation>Überlappung der Fenster</translation>
    </message>
    <message>
        <source>Frames that neighbouring windows share; more of them join windows better and take longer.</source>
        <translation>Bilder, die benachbarte Fenster gemeinsam haben; mehr davon verbinden Fenster besser und dauern länger.</translation>
    </message>
    <message>
        <source>Windows of a step</source>
        <translation>Fenster eines Schritts</translation>
    </message>
    <message>
        <source>Where the windows of each step lie.</source>
        <translation>Wo die Fenster jedes Schritts liegen.</translation>
    </message>
    <message>
        <source>the same windows in every step; the last one ends with the clip</source>
        <translation>dieselben Fenster in jedem Schritt; das letzte endet mit dem Clip</translation>
    </message>
    <message>
        <source>windows that begin elsewhere in each step, so that their borders blur</source>
        <translation>Fenster, die in jedem Schritt anderswo beginnen, sodass ihre Grenzen verschwimmen</translation>
    </message>
    <message>
        <source>as uniform, with windows from the end into the beginning: for clips that are looped</source>
        <translation>wie uniform, mit Fenstern vom Ende in den Anfang: für Clips in Endlosschleife</translation>
    </message>
    <message>
        <source>Levels of windows</source>
        <translation>Stufen der Fenster</translation>
    </message>
    <message>
        <source>1 denoises neighbouring frames together; 2 adds windows of every second frame, 3 of every fourth, as far as they fit into the clip. For uniform and looped windows.</source>
        <translation>1 entrauscht benachbarte Bilder zusammen; 2 fügt Fenster aus jedem zweiten Bild hinzu, 3 aus jedem vierten, soweit sie in den Clip passen. Für Fenster nach uniform und looped.</translation>
    </message>
    <message>
        <source>Fusing of windows</source>
        <translation>Verschmelzen der Fenster</translation>
    </message>
    <message>
        <source>How predictions are weighed where windows overlap.</source>
        <translation>Wie Vorhersagen gewichtet werden, wo Fenster sich überlappen.</translation>
    </message>
    <message>
        <source>the middle of a window counts most</source>
        <translation>die Mitte eines Fensters zählt am meisten</translation>
    </message>
    <message>
        <source>windows fade into each other over the overlap</source>
        <translation>Fenster gehen in der Überlappung ineinander über</translation>
    </message>
    <message>
        <source>the mean of all windows</source>
        <translation>der Mittelwert aller Fenster</translation>
    </message>
    <message>
        <source>FreeNoise</source>
        <translation>FreeNoise</translation>
    </message>
    <message>
        <source>Frames behind the first window begin with the shuffled noise of earlier ones, which keeps the windows alike.</source>
        <translation>Bilder hinter dem ersten Fenster beginnen mit dem gemischten Rauschen früherer, was die Fenster einander ähnlich hält.</translation>
    </message>
    <message>
        <source>Keep the first image in sight</source>
        <translation>Erstes Bild behalten</translation>
    </message>
    <message>
        <source>Every window is given the first image in its first frame; image to video needs it, whose later windows would see no image.</source>
        <translation>Jedes Fenster bekommt das erste Bild in seinem ersten Frame; Bild zu Video braucht es, da spätere Fenster sonst kein Bild sähen.</translation>
    </message>
    <message>
        <source>Write context_frames: 0 for segments, or leave out segment_frame_length for windows</source>
        <translation>Schreiben Sie context_frames: 0 für Segmente, oder lassen Sie segment_frame_length für Fenster weg</translation>
    </message>
    <message>
        <source>{} ({}) makes a long clip in segments or through context windows, not both</source>
        <translation>{} ({}) macht einen langen Clip in Segmenten oder durch Kontextfenster, nicht beides</translation>
    </message>
    <message>
        <source>{} ({}) keeps the image in the first frame, which only the first context window has</source>
        <translation>{} ({}) behält das Bild im ersten Frame, den nur das erste Kontextfenster hat</translation>
    </message>
    <message>
        <source>Write 0, and make the clip in parts</source>
        <translation>Schreiben Sie 0, und machen Sie den Clip in Teilen</translation>
    </message>
    <message>
        <source>{} ({}) sees the image in its first frame, and context windows behind the first one would see none</source>
        <translation>{} ({}) sieht das Bild im ersten Frame, und Kontextfenster hinter dem ersten sähen keines</translation>
    </message>
    <message>
        <source>Write true, which shows each of them the image, or make the clip in parts</source>
        <translation>Schreiben Sie true, das jedem das Bild zeigt, oder machen Sie den Clip in Teilen</translation>
    </message>
    <message>
        <source>Seam of the loop: the last frame differs from the first by {} levels of 255, neighbouring frames by {} (median)</source>
        <translation>Naht der Schleife: Das letzte Bild weicht vom ersten um {} Stufen von 255 ab, benachbarte Bilder um {} (Median)</translation>
    </message>
    <message>
        <source>A MagCache curve is measured on whole steps, and context windows make several passes of each</source>
        <translation>Eine MagCache-Kurve wird an ganzen Schritten gemessen, und Kontextfenster machen mehrere Durchgänge aus jedem</translation>
    </message>
    <message>
        <source>Measure with 0</source>
        <translation>Messen Sie mit 0</translation>
    </message>
    <message>
        <source>Set {} to {}</source>
        <translation>Setzen Sie {} auf {}</translation>
    </message>
    <message>
        <source>No step lies between easycache_start {} and easycache_end {}</source>
        <translation>Zwischen easycache_start {} und easycache_end {} liegt kein Schritt</translation>
    </message>
    <message>
        <source>Begin earlier</source>
        <translation>Beginnen Sie früher</translation>
    </message>
    <message>
        <source>{} is {}, and windows of {} frames share {} at most</source>
        <translation>{} ist {}, und Fenster von {} Bildern teilen höchstens {}</translation>
    </message>
    <message>
        <source>the {} keeps what blocks add to the tokens of one pass, and context windows make several passes of a step</source>
        <translation>{} behält, was Blöcke den Tokens eines Durchgangs hinzufügen, und Kontextfenster machen mehrere Durchgänge aus einem Schritt</translation>
    </message>
    <message>
        <source>Write false, or use use_easycache, which keeps whole predictions</source>
        <translation>Schreiben Sie false, oder nehmen Sie use_easycache, das ganze Vorhersagen behält</translation>
    </message>
    <message>
        <source>the {} takes predictions over from step to step, and windows that are {} lie elsewhere in each</source>
        <translation>{} übernimmt Vorhersagen von Schritt zu Schritt, und Fenster nach {} liegen in jedem anderswo</translation>
    </message>
    <message>
        <source>Write context_schedule: static, or leave the cache out</source>
        <translation>Schreiben Sie context_schedule: static, oder lassen Sie den Cache weg</translation>
    </message>
    <message>
        <source>Set {} to {}, which needs no second pass</source>
        <translation>Setzen Sie {} auf {}; das braucht keinen zweiten Durchlauf</translation>
    </message>
    <message>
        <source>{} has no effect without {}</source>
        <translation>{} wirkt nicht ohne {}</translation>
    </message>
    <message>
        <source>Write what the video should not show</source>
        <translation>Schreiben Sie, was das Video nicht zeigen soll</translation>
    </message>
    <message>
        <source>There is no spacing of noise levels &quot;{}&quot;</source>
        <translation>Es gibt keine Verteilung der Rauschstufen „{}“</translation>
    </message>
    <message>
        <source>The spacing {} is for flows, which the checkpoint&apos;s {} does not follow</source>
        <translation>Die Verteilung {} ist für Flows, denen {} des Checkpoints nicht folgt</translation>
    </message>
    <message>
        <source>Set it to {}, or choose another scheduler</source>
        <translation>Setzen Sie sie auf {}, oder wählen Sie einen anderen Scheduler</translation>
    </message>
    <message>
        <source>Of {} noise levels {} would be left</source>
        <translation>Von {} Rauschstufen blieben {}</translation>
    </message>
    <message>
        <source>Remove them, or the key sigma_spacing</source>
        <translation>Entfernen Sie sie oder den Schlüssel sigma_spacing</translation>
    </message>
    <message>
        <source>{} ({}) shows every context window the character by itself, and the first frame has a background of its own</source>
        <translation>{} ({}) zeigt jedem Kontextfenster die Figur von selbst, und der erste Frame hat einen eigenen Hintergrund</translation>
    </message>
    <message>
        <source>EasyCache decides for one video, and the batch has several</source>
        <translation>EasyCache entscheidet für ein Video, und der Stapel hat mehrere</translation>
    </message>
    <message>
        <source>End later</source>
        <translation>Enden Sie später</translation>
    </message>
    <message>
        <source>{} has no effect: {} ({}) begins with no image</source>
        <translation>{} wirkt nicht: {} ({}) beginnt mit keinem Bild</translation>
    </message>
    <message>
        <source>{} has no effect: context windows have no segment before</source>
        <translation>{} wirkt nicht: Kontextfenster haben kein Segment vor sich</translation>
    </message>
    <message>
        <source>{} has no effect: windows that are {} leave no frames out between</source>
        <translation>{} wirkt nicht: Fenster nach {} lassen keine Bilder dazwischen aus</translation>
    </message>
    <message>
        <source>A video that shows the pictures of `keyframes` at their frames, and may begin with `image` and end with `last_image`.</source>
        <translation>Ein Video, das die Bilder von `keyframes` auf ihren Frames zeigt und mit `image` beginnen und mit `last_image` enden kann.</translation>
    </message>
    <message>
        <source>Keyframes</source>
        <translation>Keyframes</translation>
    </message>
    <message>
        <source>Pictures that the video shows at places of your choice: a list of {frame: 8, image: PATH}, with frames counted from 0, or seconds: 1.5 or percent: 50 in place of frame.</source>
        <translation>Bilder, die das Video an gewählten Stellen zeigt: eine Liste aus {frame: 8, image: PATH}, Frames ab 0 gezählt, oder seconds: 1.5 oder percent: 50 statt frame.</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Continue from</source>
        <translation>Fortsetzen von</translation>
    </message>
    <message>
        <source>Run folder, video or folder of numbered pictures that this clip goes on from; its frames are resized to this video.</source>
        <translation>Laufordner, Video oder Ordner nummerierter Bilder, von dem dieser Clip weitergeht; seine Bilder werden auf die Größe dieses Videos gebracht.</translation>
    </message>
    <message>
        <source>From frame</source>
        <translation>Ab Bild</translation>
    </message>
    <message>
        <source>Frame of that clip after which this one goes on, counted from 0, or last.</source>
        <translation>Bild jenes Clips, nach dem dieser weitergeht, ab 0 gezählt, oder last.</translation>
    </message>
    <message>
        <source>Shared frames</source>
        <translation>Gemeinsame Bilder</translation>
    </message>
    <message>
        <source>What the video should show. [0:33%] … [33%:] … says it for a part of the time, in percent, seconds (2s, 0:02) or frames; words before the first mark hold all the time. With context windows, prompts parted by | follow each other.</source>
        <translation>Was das Video zeigen soll. [0:33%] … [33%:] … sagt es für einen Teil der Zeit, in Prozent, Sekunden (2s, 0:02) oder Bildern; Wörter vor der ersten Marke gelten die ganze Zeit. Mit Kontextfenstern folgen durch | geteilte Prompts aufeinander.</translation>
    </message>
    <message>
        <source>Softness of timed parts</source>
        <translation>Weichheit der Zeiten</translation>
    </message>
    <message>
        <source>How softly the parts of a timed prompt, [0:33%] … [33%:] …, pass into each other: the larger, the more of a part is seen before and after its time.</source>
        <translation>Wie weich die Teile eines Prompts mit Zeiten, [0:33%] … [33%:] …, ineinander übergehen: je größer, desto mehr ist von einem Teil vor und nach seiner Zeit zu sehen.</translation>
    </message>
    <message>
        <source>Keyframes to video</source>
        <translation>Keyframes zu Video</translation>
    </message>
    <message>
        <source>{} of the {} texts that | parts are seen in none of the {} context windows</source>
        <translation>{} der {} durch | geteilten Texte sind in keinem der {} Kontextfenster zu sehen</translation>
    </message>
    <message>
        <source>Write fewer texts, or make shorter windows with more of them</source>
        <translation>Schreiben Sie weniger Texte, oder machen Sie kürzere Fenster, und damit mehr</translation>
    </message>
    <message>
        <source>{} ({}) shows every context window the first frame, and no picture is given there</source>
        <translation>{} ({}) zeigt jedem Kontextfenster den ersten Frame, und dort ist kein Bild gegeben</translation>
    </message>
    <message>
        <source>Write 0, or give a picture at frame 0</source>
        <translation>0 schreiben, oder ein Bild auf Frame 0 geben</translation>
    </message>
    <message>
        <source>keyframe {}</source>
        <translation>Keyframe {}</translation>
    </message>
    <message>
        <source>{} (frame {}) and {} (frame {}) are in the same latent frame, which holds one picture</source>
        <translation>{} (Frame {}) und {} (Frame {}) liegen im selben latenten Frame, der ein Bild fasst</translation>
    </message>
    <message>
        <source>Move one of them by {} frames or more, or remove it</source>
        <translation>Eines davon um {} Frames oder mehr verschieben, oder entfernen</translation>
    </message>
    <message>
        <source>{} stands between the first and the last frame, for which this model needs {} frames at least</source>
        <translation>{} steht zwischen dem ersten und dem letzten Frame, wofür dieses Modell mindestens {} Frames braucht</translation>
    </message>
    <message>
        <source>{} stands at frame {} in place of {}: between the ends this model takes pictures at the last frame of a latent only</source>
        <translation>{} steht auf Frame {} statt {}: zwischen den Enden nimmt dieses Modell Bilder nur am letzten Frame eines latenten Frames</translation>
    </message>
    <message>
        <source>Write frame: {}</source>
        <translation>frame: {} schreiben</translation>
    </message>
    <message>
        <source>The model ({}) looks at two pictures, and there is one</source>
        <translation>Das Modell ({}) sieht sich zwei Bilder an, und es gibt eines</translation>
    </message>
    <message>
        <source>Name another keyframe, image or last_image</source>
        <translation>Einen weiteren Keyframe, image oder last_image nennen</translation>
    </message>
    <message>
        <source>part {} of {}</source>
        <translation>Teil {} von {}</translation>
    </message>
    <message>
        <source>Write task: vace, which takes keyframes</source>
        <translation>task: vace schreiben, das Keyframes nimmt</translation>
    </message>
    <message>
        <source>{} and {} both say how the video begins</source>
        <translation>{} und {} sagen beide, wie das Video beginnt</translation>
    </message>
    <message>
        <source>Leave out one of them</source>
        <translation>Lassen Sie eines davon weg</translation>
    </message>
    <message>
        <source>{} shows a picture in the first {} frames, which are of the clip before</source>
        <translation>{} zeigt ein Bild in den ersten {} Bildern, die vom Clip davor sind</translation>
    </message>
    <message>
        <source>a clip that continues another one does not end where it begins, and windows that are {} make it do so</source>
        <translation>ein Clip, der einen anderen fortsetzt, endet nicht, wo er beginnt, und mit Fenstern {} täte er es</translation>
    </message>
    <message>
        <source>Write static</source>
        <translation>static schreiben</translation>
    </message>
    <message>
        <source>the video has {} frames, and {} of them are the last of the clip before</source>
        <translation>das Video hat {} Bilder, und {} davon sind die letzten des Clips davor</translation>
    </message>
    <message>
        <source>Take fewer, or make a longer video</source>
        <translation>Weniger nehmen oder ein längeres Video machen</translation>
    </message>
    <message>
        <source>Make a longer video</source>
        <translation>Ein längeres Video machen</translation>
    </message>
    <message>
        <source>{} is one of a pair, and the other expert has none</source>
        <translation>{} ist einer von zweien, und der andere Experte hat keinen</translation>
    </message>
    <message>
        <source>Name both in lora, that of the high and that of the low noise</source>
        <translation>Beide in lora nennen, den für starkes und den für schwaches Rauschen</translation>
    </message>
    <message>
        <source>{} has no effect: a chain of Stable Video Infinity shares {} frames</source>
        <translation>{} hat keine Wirkung: Eine Kette von Stable Video Infinity teilt {} Bilder</translation>
    </message>
    <message>
        <source>the shot {} has no video</source>
        <translation>die Einstellung {} hat kein Video</translation>
    </message>
    <message>
        <source>Remove its folder, and make the film again</source>
        <translation>Ihren Ordner entfernen und den Film neu machen</translation>
    </message>
    <message>
        <source>the folder of the film cannot be made ({})</source>
        <translation>der Ordner des Films kann nicht angelegt werden ({})</translation>
    </message>
    <message>
        <source>another program makes a film in this folder</source>
        <translation>ein anderes Programm macht einen Film in diesem Ordner</translation>
    </message>
    <message>
        <source>Wait until it is done, or choose another folder for it</source>
        <translation>Warten Sie, bis es fertig ist, oder wählen Sie einen anderen Ordner dafür</translation>
    </message>
    <message>
        <source>Shot {} of {}, {}: is there</source>
        <translation>Einstellung {} von {}, {}: ist da</translation>
    </message>
    <message>
        <source>Shot {} of {}, {}</source>
        <translation>Einstellung {} von {}, {}</translation>
    </message>
    <message>
        <source>The pictures were encoded once more: {}</source>
        <translation>Die Bilder wurden noch einmal kodiert: {}</translation>
    </message>
    <message>
        <source>The film has no sound: that of the shots is left out</source>
        <translation>Der Film hat keinen Ton: Der der Einstellungen wird weggelassen</translation>
    </message>
    <message>
        <source>shot {}: {}</source>
        <translation>Einstellung {}: {}</translation>
    </message>
    <message>
        <source>there is no plan for it</source>
        <translation>es gibt keinen Plan dafür</translation>
    </message>
    <message>
        <source>Make its model available first</source>
        <translation>Erst sein Modell verfügbar machen</translation>
    </message>
    <message>
        <source>a shot is no map of keys</source>
        <translation>eine Einstellung ist keine Liste von Schlüsseln</translation>
    </message>
    <message>
        <source>Write - prompt: ..., and further keys below it</source>
        <translation>- prompt: ... schreiben, und weitere Schlüssel darunter</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is no name of a shot</source>
        <translation>„{}“ ist kein Name einer Einstellung</translation>
    </message>
    <message>
        <source>Write letters, digits, &apos;-&apos;, &apos;_&apos; and &apos;.&apos;; it names a folder</source>
        <translation>Buchstaben, Ziffern, „-“, „_“ und „.“ schreiben; er benennt einen Ordner</translation>
    </message>
    <message>
        <source>two shots are called {}</source>
        <translation>zwei Einstellungen heißen {}</translation>
    </message>
    <message>
        <source>the first shot has none to continue</source>
        <translation>die erste Einstellung hat keine, die sie fortsetzt</translation>
    </message>
    <message>
        <source>there is no earlier shot called &quot;{}&quot;</source>
        <translation>es gibt keine frühere Einstellung namens „{}“</translation>
    </message>
    <message>
        <source>Write continue: true for the shot before, the name of an earlier one, or continue_from: PATH for another clip</source>
        <translation>continue: true für die Einstellung davor schreiben, den Namen einer früheren, oder continue_from: PFAD für einen anderen Clip</translation>
    </message>
    <message>
        <source>seconds is &quot;{}&quot;</source>
        <translation>seconds ist „{}“</translation>
    </message>
    <message>
        <source>Write how long the shot lasts, more than 0 and at most {}</source>
        <translation>Schreiben, wie lange die Einstellung dauert, mehr als 0 und höchstens {}</translation>
    </message>
    <message>
        <source>seconds and num_frames both say how long the shot is</source>
        <translation>seconds und num_frames sagen beide, wie lang die Einstellung ist</translation>
    </message>
    <message>
        <source>continue and continue_from both say what the shot continues</source>
        <translation>continue und continue_from sagen beide, was die Einstellung fortsetzt</translation>
    </message>
    <message>
        <source>a storyboard has a list of shots</source>
        <translation>ein Storyboard hat eine Liste von Einstellungen</translation>
    </message>
    <message>
        <source>Write shots: and below it - prompt: ... for each</source>
        <translation>shots: schreiben und darunter für jede - prompt: ...</translation>
    </message>
    <message>
        <source>shots is no list of 1 to {} shots</source>
        <translation>shots ist keine Liste von 1 bis {} Einstellungen</translation>
    </message>
    <message>
        <source>Write - prompt: ... for each shot</source>
        <translation>Für jede Einstellung - prompt: ... schreiben</translation>
    </message>
    <message>
        <source>this run has no video yet</source>
        <translation>dieser Lauf hat noch kein Video</translation>
    </message>
    <message>
        <source>Finish it first, or name a run that is done</source>
        <translation>Ihn erst beenden oder einen fertigen Lauf nennen</translation>
    </message>
    <message>
        <source>this folder was replaced while it was read</source>
        <translation>dieser Ordner wurde ersetzt, während er gelesen wurde</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Versuchen Sie es noch einmal</translation>
    </message>
    <message>
        <source>Make this part again</source>
        <translation>Diesen Teil neu machen</translation>
    </message>
    <message>
        <source>frames that two parts share are left out</source>
        <translation>Bilder, die zwei Teile teilen, werden weggelassen</translation>
    </message>
    <message>
        <source>{} keeps all pictures in one piece</source>
        <translation>{} hält alle Bilder in einem Stück</translation>
    </message>
    <message>
        <source>{} is of another format</source>
        <translation>{} hat ein anderes Format</translation>
    </message>
    <message>
        <source>{} was encoded otherwise than the first part</source>
        <translation>{} wurde anders kodiert als der erste Teil</translation>
    </message>
    <message>
        <source>{} has another rate than the first part</source>
        <translation>{} hat eine andere Bildrate als der erste Teil</translation>
    </message>
    <message>
        <source>Seam: the first new frame differs from the last one of the clip before by {} levels of 255, neighbouring frames by {} (median); {} frames are of the clip before</source>
        <translation>Naht: Das erste neue Bild unterscheidet sich vom letzten des Clips davor um {} von 255 Stufen, benachbarte Bilder um {} (Median); {} Bilder sind vom Clip davor</translation>
    </message>
    <message>
        <source>the clip ends at frame {}, and frame {} is taken</source>
        <translation>der Clip endet bei Bild {}, und Bild {} wird genommen</translation>
    </message>
    <message>
        <source>Give a continue_at before its end, or write the clip again</source>
        <translation>Ein continue_at vor seinem Ende angeben oder den Clip neu schreiben</translation>
    </message>
    <message>
        <source>To keep the speed of the motion, set fps: {}</source>
        <translation>Um das Tempo der Bewegung zu halten, fps: {} setzen</translation>
    </message>
    <message>
        <source>{}: {}: its frames of {} x {} are resized to {} x {}</source>
        <translation>{}: {}: seine Bilder von {} x {} werden auf {} x {} gebracht</translation>
    </message>
    <message>
        <source>To take them as they are, set width and height to those of the clip</source>
        <translation>Um sie zu nehmen, wie sie sind, Breite und Höhe des Clips setzen</translation>
    </message>
    <message>
        <source>{} is &quot;{}&quot;, which is no frame of a clip</source>
        <translation>{} ist „{}“, und das ist kein Bild eines Clips</translation>
    </message>
    <message>
        <source>Write the number of a frame, counted from 0, or {}</source>
        <translation>Die Nummer eines Bildes schreiben, ab 0 gezählt, oder {}</translation>
    </message>
    <message>
        <source>{} is {}, and the clip has {} frames, 0 to {}</source>
        <translation>{} ist {}, und der Clip hat {} Bilder, 0 bis {}</translation>
    </message>
    <message>
        <source>Write the number of one of them, or {}</source>
        <translation>Die Nummer eines von ihnen schreiben, oder {}</translation>
    </message>
    <message>
        <source>the clip before gives {} frames up to frame {}, and {} are taken</source>
        <translation>der Clip davor gibt {} Bilder bis zu Bild {}, und {} werden genommen</translation>
    </message>
    <message>
        <source>Take fewer, go on from a later frame, or from a longer clip</source>
        <translation>Weniger nehmen, von einem späteren Bild oder einem längeren Clip weitergehen</translation>
    </message>
    <message>
        <source>Write {{frame: 8, image: PATH}}, or seconds or percent in place of frame</source>
        <translation>{{frame: 8, image: PATH}} schreiben, oder seconds oder percent statt frame</translation>
    </message>
    <message>
        <source>A keyframe&apos;s {} is not one value</source>
        <translation>{} eines Keyframes ist nicht ein einzelner Wert</translation>
    </message>
    <message>
        <source>A keyframe&apos;s {} cannot be {}</source>
        <translation>{} eines Keyframes kann nicht {} sein</translation>
    </message>
    <message>
        <source>Write a number from 0 to {}</source>
        <translation>Eine Zahl von 0 bis {} schreiben</translation>
    </message>
    <message>
        <source>A keyframe&apos;s frame {} is not a whole number</source>
        <translation>Der Frame {} eines Keyframes ist keine ganze Zahl</translation>
    </message>
    <message>
        <source>Write {}, or a place in seconds or percent</source>
        <translation>{} schreiben, oder eine Stelle in Sekunden oder Prozent</translation>
    </message>
    <message>
        <source>A keyframe is not a map</source>
        <translation>Ein Keyframe ist keine Zuordnung</translation>
    </message>
    <message>
        <source>A keyframe has no &quot;{:.80}&quot;</source>
        <translation>Ein Keyframe hat kein „{:.80}“</translation>
    </message>
    <message>
        <source>Its keys are image and one of frame, seconds and percent</source>
        <translation>Seine Schlüssel sind image und einer von frame, seconds und percent</translation>
    </message>
    <message>
        <source>A keyframe has both {} and {}</source>
        <translation>Ein Keyframe hat sowohl {} als auch {}</translation>
    </message>
    <message>
        <source>Leave one of them</source>
        <translation>Eines davon stehen lassen</translation>
    </message>
    <message>
        <source>A keyframe has no image</source>
        <translation>Ein Keyframe hat kein Bild</translation>
    </message>
    <message>
        <source>A keyframe has no place</source>
        <translation>Ein Keyframe hat keine Stelle</translation>
    </message>
    <message>
        <source>Keyframe {} ({}) is at frame {}, and the last of {} frames is {}</source>
        <translation>Keyframe {} ({}) steht auf Frame {}, und der letzte von {} Frames ist {}</translation>
    </message>
    <message>
        <source>Move it to frame {} or before, or make num_frames {}</source>
        <translation>Auf Frame {} oder davor verschieben, oder num_frames {} schreiben</translation>
    </message>
    <message>
        <source>Keyframe {} ({}) is at frame {}, where {} is already</source>
        <translation>Keyframe {} ({}) steht auf Frame {}, wo schon {} steht</translation>
    </message>
    <message>
        <source>Move it to another frame, or remove one of them</source>
        <translation>Auf einen anderen Frame verschieben, oder eines davon entfernen</translation>
    </message>
    <message>
        <source>&quot;{}&quot; of {} is &quot;{}&quot; here</source>
        <translation>&quot;{}&quot; von {} heißt hier &quot;{}&quot;</translation>
    </message>
    <message>
        <source>&quot;{}&quot; of {} is &quot;{}&quot; here, with sigma_spacing: {}</source>
        <translation>&quot;{}&quot; von {} heißt hier &quot;{}&quot;, mit sigma_spacing: {}</translation>
    </message>
    <message>
        <source>Write [{{frame: 8, image: PATH}}]</source>
        <translation>[{{frame: 8, image: PATH}}] schreiben</translation>
    </message>
    <message>
        <source>context windows, of each video and of each half of guidance</source>
        <translation>Kontextfenster, von jedem Video und jeder Hälfte der Führung</translation>
    </message>
    <message>
        <source>{} is {}, which is not a multiple of {} plus 1</source>
        <translation>{} ist {}, kein Vielfaches von {} plus 1</translation>
    </message>
    <message>
        <source>{} is no time, and taken as words of the prompt</source>
        <translation>{} ist keine Zeit und gilt als Wörter des Prompts</translation>
    </message>
    <message>
        <source>Write two bounds of one unit: [0:33%], [2s:0:04] or [1:17]; or other brackets for words</source>
        <translation>Schreiben Sie zwei Grenzen einer Einheit: [0:33%], [2s:0:04] oder [1:17]; oder für Wörter andere Klammern</translation>
    </message>
    <message>
        <source>{} has no words behind it</source>
        <translation>Hinter {} stehen keine Wörter</translation>
    </message>
    <message>
        <source>Write what the video should show then, or remove it</source>
        <translation>Schreiben Sie, was das Video dann zeigen soll, oder entfernen Sie es</translation>
    </message>
    <message>
        <source>{} ends before it begins</source>
        <translation>{} endet, bevor es beginnt</translation>
    </message>
    <message>
        <source>Write the earlier bound first; other brackets if it is no time</source>
        <translation>Schreiben Sie die frühere Grenze zuerst; andere Klammern, wenn es keine Zeit ist</translation>
    </message>
    <message>
        <source>{} begins when the video is over, at {}</source>
        <translation>{} beginnt, wenn das Video vorbei ist, bei {}</translation>
    </message>
    <message>
        <source>Begin it earlier, or make the video longer</source>
        <translation>Lassen Sie es früher beginnen, oder machen Sie das Video länger</translation>
    </message>
    <message>
        <source>{} goes on when the video is over, at {}</source>
        <translation>{} geht weiter, wenn das Video vorbei ist, bei {}</translation>
    </message>
    <message>
        <source>Leave its end out, or make the video longer</source>
        <translation>Lassen Sie das Ende weg, oder machen Sie das Video länger</translation>
    </message>
    <message>
        <source>one context window holds the whole video, which is given all that | parts as one prompt</source>
        <translation>Ein Kontextfenster hält das ganze Video, das alles, was | teilt, als einen Prompt bekommt</translation>
    </message>
    <message>
        <source>Write [0:50%] … [50%:] … instead, or make the video longer</source>
        <translation>Schreiben Sie stattdessen [0:50%] … [50%:] …, oder machen Sie das Video länger</translation>
    </message>
    <message>
        <source>the prompt has parts by time and parts for context windows by |</source>
        <translation>Der Prompt hat Teile nach der Zeit und durch | Teile für Kontextfenster</translation>
    </message>
    <message>
        <source>Write all of them with times, which hold in context windows too</source>
        <translation>Schreiben Sie alle mit Zeiten; sie gelten auch in Kontextfenstern</translation>
    </message>
    <message>
        <source>part {} of the prompt, parted by |, has no words</source>
        <translation>Teil {} des Prompts, durch | geteilt, hat keine Wörter</translation>
    </message>
    <message>
        <source>Write what the video should show then, or remove its |</source>
        <translation>Schreiben Sie, was das Video dann zeigen soll, oder entfernen Sie sein |</translation>
    </message>
    <message>
        <source>{} has no effect: the prompt has no times such as [0:33%]</source>
        <translation>{} ist ohne Wirkung: Der Prompt hat keine Zeiten wie [0:33%]</translation>
    </message>
    <message>
        <source>The case hides frames in front of the video, which Meshreel never does</source>
        <translation>Der Fall verbirgt Bilder vor dem Video, was Meshreel nie tut</translation>
    </message>
    <message>
        <source>the film passes over only into a shot that goes on from the end of the one before, and continue_at is {}</source>
        <translation>der Film blendet nur in eine Einstellung über, die vom Ende der vorigen weitergeht, und continue_at ist {}</translation>
    </message>
    <message>
        <source>Leave out blend, or continue_at</source>
        <translation>blend oder continue_at weglassen</translation>
    </message>
    <message>
        <source>blend is &quot;{}&quot;</source>
        <translation>blend ist &quot;{}&quot;</translation>
    </message>
    <message>
        <source>Write how many frames pass over, 0 to {}</source>
        <translation>Schreiben Sie, über wie viele Bilder übergeblendet wird, 0 bis {}</translation>
    </message>
    <message>
        <source>the film passes over only into a shot that continues the one right before it</source>
        <translation>der Film blendet nur in eine Einstellung über, die die direkt vor ihr fortsetzt</translation>
    </message>
    <message>
        <source>Leave out blend, or write continue: true</source>
        <translation>Lassen Sie blend weg, oder schreiben Sie continue: true</translation>
    </message>
    <message>
        <source>To resume it: meshreel run --resume {}, with the same --hosts</source>
        <translation>Zum Fortsetzen: meshreel run --resume {}, mit demselben --hosts</translation>
    </message>
    <message>
        <source>The seam with the clip before is not measured: {}</source>
        <translation>Die Naht zum vorigen Clip wird nicht gemessen: {}</translation>
    </message>
    <message>
        <source>Go on from a later frame, or from a longer clip</source>
        <translation>Von einem späteren Bild oder von einem längeren Clip weitergehen</translation>
    </message>
    <message>
        <source>Choose a new folder, or resume the run in it with --resume</source>
        <translation>Einen neuen Ordner wählen oder den Lauf darin mit --resume fortsetzen</translation>
    </message>
    <message>
        <source>the run was ended before it began: there is nothing to resume</source>
        <translation>der Lauf wurde beendet, bevor er begann: es gibt nichts fortzusetzen</translation>
    </message>
    <message>
        <source>Resume the run first (meshreel run --resume)</source>
        <translation>Den Lauf erst fortsetzen (meshreel run --resume)</translation>
    </message>
    <message>
        <source>To resume it: meshreel run --resume {}</source>
        <translation>Zum Fortsetzen: meshreel run --resume {}</translation>
    </message>
    <message>
        <source>Resume it there, or allow a different machine (--allow-different-machine): the result may then differ in its last bits</source>
        <translation>Dort fortsetzen oder einen anderen Rechner zulassen (--allow-different-machine): das Ergebnis kann sich dann in den letzten Bits unterscheiden</translation>
    </message>
    <message>
        <source>Resume one with meshreel run --resume</source>
        <translation>Einen mit meshreel run --resume fortsetzen</translation>
    </message>
    <message>
        <source>Frames of that clip, up to this one, that the new clip begins with: a multiple of 4, plus 1. 0 takes what suits the task, as far as 4 frames are new: 1 for image to video, tracks and keyframes; 5 for VACE; 13 for text, subjects and video to video; as many as segments share for an animation.</source>
        <translation>Bilder jenes Clips bis zu diesem, mit denen der neue Clip beginnt: ein Vielfaches von 4, plus 1. 0 nimmt, was zur Aufgabe passt, soweit 4 Bilder neu sind: 1 für Bild zu Video, Spuren und Schlüsselbilder; 5 für VACE; 13 für Text, Motive und Video zu Video; so viele, wie Segmente teilen, für eine Animation.</translation>
    </message>
    <message>
        <source>Put it at frame {} or later, or remove it</source>
        <translation>Auf Bild {} oder später setzen oder entfernen</translation>
    </message>
    <message>
        <source>an animation goes on from {} frames of the clip before at most, and {} are asked for</source>
        <translation>eine Animation geht von höchstens {} Bildern des Clips davor weiter, und {} sind verlangt</translation>
    </message>
    <message>
        <source>Take fewer</source>
        <translation>Weniger nehmen</translation>
    </message>
    <message>
        <source>NVIDIA&apos;s driver cannot be loaded ({})</source>
        <translation>NVIDIAs Treiber ist nicht zu laden ({})</translation>
    </message>
    <message>
        <source>Install the driver&apos;s library, in Debian the package libcuda1</source>
        <translation>Installieren Sie die Bibliothek des Treibers, unter Debian das Paket libcuda1</translation>
    </message>
    <message>
        <source>NVIDIA&apos;s driver has no function {}</source>
        <translation>NVIDIAs Treiber hat keine Funktion {}</translation>
    </message>
    <message>
        <source>Install a newer driver</source>
        <translation>Installieren Sie einen neueren Treiber</translation>
    </message>
    <message>
        <source>NVIDIA&apos;s driver failed in {}: {}</source>
        <translation>NVIDIAs Treiber versagte in {}: {}</translation>
    </message>
    <message>
        <source>NVIDIA&apos;s driver has {} cards, and card {} is asked for</source>
        <translation>NVIDIAs Treiber hat {} Karten, und Karte {} ist verlangt</translation>
    </message>
    <message>
        <source>NVIDIA&apos;s driver refuses the kernel {}: {}</source>
        <translation>NVIDIAs Treiber lehnt den Kernel {} ab: {}</translation>
    </message>
    <message>
        <source>Update the GPU driver, or let Vulkan&apos;s shaders compute</source>
        <translation>Aktualisieren Sie den GPU-Treiber, oder lassen Sie Vulkans Shader rechnen</translation>
    </message>
    <message>
        <source>These times are of another CPU: {}</source>
        <translation>Diese Zeiten sind von einer anderen CPU: {}</translation>
    </message>
    <message>
        <source>No row of this measurement tells the seconds of its rounds</source>
        <translation>Keine Zeile dieser Messung nennt die Sekunden ihrer Runden</translation>
    </message>
    <message>
        <source>it is no JSON object</source>
        <translation>sie ist kein JSON-Objekt</translation>
    </message>
    <message>
        <source>a later version of Meshreel wrote it</source>
        <translation>eine spätere Version von Meshreel hat sie geschrieben</translation>
    </message>
    <message>
        <source>{} ms, spread {} %</source>
        <translation>{} ms, Streuung {} %</translation>
    </message>
    <message>
        <source>{} s, spread {} %</source>
        <translation>{} s, Streuung {} %</translation>
    </message>
    <message>
        <source>Faster: {} to {} % less time</source>
        <translation>Schneller: {} bis {} % weniger Zeit</translation>
    </message>
    <message>
        <source>Slower: {} to {} % more time</source>
        <translation>Langsamer: {} bis {} % mehr Zeit</translation>
    </message>
    <message>
        <source>Within the noise: repeat {} times</source>
        <translation>Im Rauschen: {}-mal wiederholen</translation>
    </message>
    <message>
        <source>Within the noise: {} repeats would hardly tell</source>
        <translation>Im Rauschen: auch {} Wiederholungen würden kaum etwas zeigen</translation>
    </message>
    <message>
        <source>Too few times to tell: repeat {} times</source>
        <translation>Zu wenige Zeiten für ein Urteil: {}-mal wiederholen</translation>
    </message>
    <message>
        <source>No verdict: the ranges overlap</source>
        <translation>Kein Urteil: Die Bereiche überlappen sich</translation>
    </message>
    <message>
        <source>Measure on this machine first</source>
        <translation>Zuerst auf diesem Rechner messen</translation>
    </message>
    <message>
        <source>Measure with this version first</source>
        <translation>Zuerst mit dieser Version messen</translation>
    </message>
    <message>
        <source>The notes cannot be removed ({})</source>
        <translation>Die Notizen lassen sich nicht entfernen ({})</translation>
    </message>
    <message>
        <source>an event ends before it begins</source>
        <translation>ein Ereignis endet, bevor es beginnt</translation>
    </message>
    <message>
        <source>{} videos could not be copied. The first of them: {}</source>
        <translation>{} Videos ließen sich nicht kopieren. Das erste davon: {}</translation>
    </message>
    <message>
        <source>More than {} spans of one device or thread overlap in this trace: no run writes such a one</source>
        <translation>In diesem Trace überlappen sich mehr als {} Abschnitte eines Geräts oder Threads: Kein Lauf schreibt einen solchen</translation>
    </message>
    <message>
        <source>the model&apos;s own</source>
        <translation>das des Modells</translation>
    </message>
    <message>
        <source>a linear map</source>
        <translation>eine lineare Abbildung</translation>
    </message>
    <message>
        <source>automatic</source>
        <translation>automatisch</translation>
    </message>
    <message>
        <source>random</source>
        <translation>zufällig</translation>
    </message>
    <message>
        <source>as spaced</source>
        <translation>wie verteilt</translation>
    </message>
    <message>
        <source>as published</source>
        <translation>wie veröffentlicht</translation>
    </message>
    <message>
        <source>all at once</source>
        <translation>alle zugleich</translation>
    </message>
    <message>
        <source>this machine</source>
        <translation>dieser Rechner</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>keine Grenze</translation>
    </message>
    <message>
        <source>all</source>
        <translation>alle</translation>
    </message>
    <message>
        <source>all in memory</source>
        <translation>alle im Speicher</translation>
    </message>
    <message>
        <source>the file&apos;s name</source>
        <translation>der Name der Datei</translation>
    </message>
    <message>
        <source>How often each setting is preferred, by votes, against its seconds of inference</source>
        <translation>Wie oft jede Einstellung nach den Stimmen bevorzugt wird, gegen ihre Sekunden der Inferenz</translation>
    </message>
    <message>
        <source>Flicker</source>
        <translation>Flackern</translation>
    </message>
    <message>
        <source>How far a pixel&apos;s brightness is from the mean of the frames before and after it, in levels of 255: the median over the picture. What moves does not count while it covers less than half of it.</source>
        <translation>Wie weit die Helligkeit eines Pixels vom Mittel der Bilder davor und danach liegt, in Stufen von 255: der Median über das Bild. Was sich bewegt, zählt nicht, solange es weniger als die Hälfte bedeckt.</translation>
    </message>
    <message>
        <source>Sharpness</source>
        <translation>Schärfe</translation>
    </message>
    <message>
        <source>How much neighbouring pixels differ, in levels of 255: the standard deviation of the Laplacian of the brightness. More is sharper, but noise counts as detail, too; compare videos of one scene.</source>
        <translation>Wie sehr sich benachbarte Pixel unterscheiden, in Stufen von 255: die Standardabweichung des Laplace-Operators der Helligkeit. Mehr ist schärfer, aber auch Rauschen zählt als Detail; Videos einer Szene vergleichen.</translation>
    </message>
    <message>
        <source>PSNR in dB</source>
        <translation>PSNR in dB</translation>
    </message>
    <message>
        <source>How near the pixels are to those of the baseline with the same scene and seed: 20 is another picture, 40 hardly to be told apart. Equal videos count as 100.</source>
        <translation>Wie nah die Pixel denen des Bezugs mit gleicher Szene und gleichem Seed sind: 20 ist ein anderes Bild, 40 kaum zu unterscheiden. Gleiche Videos zählen als 100.</translation>
    </message>
    <message>
        <source>SSIM</source>
        <translation>SSIM</translation>
    </message>
    <message>
        <source>How near the structure is to that of the baseline with the same scene and seed: 1 for equal videos. Near is not better: it says how much a setting changes.</source>
        <translation>Wie nah die Struktur der des Bezugs mit gleicher Szene und gleichem Seed ist: 1 bei gleichen Videos. Näher ist nicht besser: es sagt, wie viel eine Einstellung ändert.</translation>
    </message>
    <message>
        <source>there is no shot {}</source>
        <translation>es gibt keine Einstellung {}</translation>
    </message>
    <message>
        <source>Name one of the shots</source>
        <translation>Nennen Sie eine der Einstellungen</translation>
    </message>
    <message>
        <source>a film has at least one shot</source>
        <translation>ein Film hat mindestens eine Einstellung</translation>
    </message>
    <message>
        <source>Add another shot first</source>
        <translation>Fügen Sie zuerst eine andere Einstellung hinzu</translation>
    </message>
    <message>
        <source>{} refuses the kernel {}: {}</source>
        <translation>{} lehnt den Kernel {} ab: {}</translation>
    </message>
    <message>
        <source>Update the GPU driver; Vulkan&apos;s shaders compute meanwhile</source>
        <translation>GPU-Treiber aktualisieren; bis dahin rechnen die Shader von Vulkan</translation>
    </message>
    <message>
        <source>the GPU driver has no function {}</source>
        <translation>dem GPU-Treiber fehlt die Funktion {}</translation>
    </message>
    <message>
        <source>its compute capability is {}.{}, and {}.0 is needed</source>
        <translation>ihre Compute Capability ist {}.{}, und {}.0 ist nötig</translation>
    </message>
    <message>
        <source>Vulkan&apos;s error {}, although libcuda.so.1 takes its text</source>
        <translation>Vulkans Fehler {}, obwohl libcuda.so.1 den Text annimmt</translation>
    </message>
    <message>
        <source>its first use did not end within {} s</source>
        <translation>ihr erster Gebrauch endete nicht innerhalb von {} s</translation>
    </message>
    <message>
        <source>its first use crashed (signal {})</source>
        <translation>ihr erster Gebrauch stürzte ab (Signal {})</translation>
    </message>
    <message>
        <source>its first use crashed (signal {}): {}</source>
        <translation>ihr erster Gebrauch stürzte ab (Signal {}): {}</translation>
    </message>
    <message>
        <source>it ended the program that tried it (exit code {})</source>
        <translation>sie beendete das Programm, das sie versuchte (Exit-Code {})</translation>
    </message>
    <message>
        <source>no kernel is called {}</source>
        <translation>kein Kernel heißt {}</translation>
    </message>
    <message>
        <source>{} {} is faster: {:.3g} against {:.3g} TFLOP/s</source>
        <translation>{} {} ist schneller: {:.3g} gegen {:.3g} TFLOP/s</translation>
    </message>
    <message>
        <source>{} does not compute the kernel &quot;{}&quot; in the form {}; another form does: {}</source>
        <translation>{} berechnet den Kernel „{}“ nicht in der Form {}; eine andere Form tut es: {}</translation>
    </message>
    <message>
        <source>fits, streamed</source>
        <translation>passt, von der Platte</translation>
    </message>
    <message>
        <source>needs {}</source>
        <translation>braucht {}</translation>
    </message>
    <message>
        <source>disk too small</source>
        <translation>Platte zu klein</translation>
    </message>
    <message>
        <source>Rating compares the videos of two runs or more</source>
        <translation>Bewertet werden die Videos von zwei oder mehr Läufen</translation>
    </message>
    <message>
        <source>Choose further finished runs</source>
        <translation>Weitere fertige Läufe wählen</translation>
    </message>
    <message>
        <source>These runs differ in no setting that changes their pictures, except the seed</source>
        <translation>Diese Läufe unterscheiden sich außer im Seed in keiner Einstellung, die ihre Bilder ändert</translation>
    </message>
    <message>
        <source>Choose runs of other settings, such as steps, scheduler or model</source>
        <translation>Läufe mit anderen Einstellungen wählen, etwa Schritten, Scheduler oder Modell</translation>
    </message>
    <message>
        <source>These runs have {} settings, and {} can be rated at once</source>
        <translation>Diese Läufe haben {} Einstellungen, und {} lassen sich auf einmal bewerten</translation>
    </message>
    <message>
        <source>Choose fewer runs</source>
        <translation>Weniger Läufe wählen</translation>
    </message>
    <message>
        <source>These settings are {} groups that nobody has compared with one another: shares and places count within a group</source>
        <translation>Diese Einstellungen sind {} Gruppen, die niemand miteinander verglichen hat: Anteile und Plätze gelten innerhalb einer Gruppe</translation>
    </message>
    <message>
        <source>The votes cannot be read: {}</source>
        <translation>Die Stimmen sind nicht lesbar: {}</translation>
    </message>
    <message>
        <source>it has no version</source>
        <translation>sie hat keine Version</translation>
    </message>
    <message>
        <source>&quot;votes&quot; is no list</source>
        <translation>„votes“ ist keine Liste</translation>
    </message>
    <message>
        <source>no side is called &quot;{}&quot;</source>
        <translation>keine Seite heißt „{}“</translation>
    </message>
    <message>
        <source>Another program is writing votes, and does not end</source>
        <translation>Ein anderes Programm schreibt Stimmen und wird nicht fertig</translation>
    </message>
    <message>
        <source>Vote again when it is done</source>
        <translation>Noch einmal abstimmen, wenn es fertig ist</translation>
    </message>
    <message>
        <source>This run has no video</source>
        <translation>Dieser Lauf hat kein Video</translation>
    </message>
    <message>
        <source>Resume it, or choose another one</source>
        <translation>Fortsetzen oder einen anderen wählen</translation>
    </message>
    <message>
        <source>Nobody has voted on the videos of these runs</source>
        <translation>Über die Videos dieser Läufe hat niemand abgestimmt</translation>
    </message>
    <message>
        <source>Compare them in pairs with Rate, in the Studio</source>
        <translation>Sie im Studio mit „Bewerten“ paarweise vergleichen</translation>
    </message>
    <message>
        <source>None of these runs is finished: their seconds are not known</source>
        <translation>Keiner dieser Läufe ist fertig: ihre Sekunden sind nicht bekannt</translation>
    </message>
    <message>
        <source>Resume the runs</source>
        <translation>Die Läufe fortsetzen</translation>
    </message>
    <message>
        <source>Install the program again, or put it into PATH</source>
        <translation>Programm neu installieren oder in PATH aufnehmen</translation>
    </message>
    <message>
        <source>its first use was ended from outside (signal {})</source>
        <translation>ihr erster Gebrauch wurde von außen beendet (Signal {})</translation>
    </message>
    <message>
        <source>the rest</source>
        <translation>der Rest</translation>
    </message>
    <message>
        <source>A video that begins with `image`, of which points are carried along `tracks`.</source>
        <translation>Ein Video, das mit `image` beginnt, dessen Punkte auf `tracks` mitgenommen werden.</translation>
    </message>
    <message>
        <source>`video` changed as the prompt says, or a video of what `reference_images` show, or both in one.</source>
        <translation>`video`, geändert, wie der Prompt sagt, oder ein Video von dem, was `reference_images` zeigen, oder beides in einem.</translation>
    </message>
    <message>
        <source>A video that moves as the control `video` does (depth, edges, poses), and may begin with `image` and show what `reference_images` does.</source>
        <translation>Ein Video, das sich bewegt wie das Steuervideo in `video` (Tiefe, Kanten, Posen), und das mit `image` beginnen und zeigen kann, was `reference_images` zeigt.</translation>
    </message>
    <message>
        <source>Video, picture or drawing that is white where VACE makes something new, or Animate puts the character, and black where the video stays; VACE makes all new without it.</source>
        <translation>Video, Bild oder Zeichnung, weiß, wo VACE Neues macht oder Animate die Figur einsetzt, und schwarz, wo das Video bleibt; ohne sie macht VACE alles neu.</translation>
    </message>
    <message>
        <source>Picture files, separated by commas, of what VACE, Phantom, Bernini-R or Fun Control should show; Phantom takes one to four, each of one subject, and Fun Control one.</source>
        <translation>Bilddateien, durch Kommas getrennt, von dem, was VACE, Phantom, Bernini-R oder Fun Control zeigen soll; Phantom nimmt eines bis vier, jedes von einem Motiv, Fun Control eines.</translation>
    </message>
    <message>
        <source>Size of references</source>
        <translation>Größe der Referenzen</translation>
    </message>
    <message>
        <source>Bernini-R sees reference_images in their own shape: larger ones are shrunk until their longer side is this long. Fewer pixels are fewer tokens in each step.</source>
        <translation>Bernini-R sieht reference_images in ihrer eigenen Form: größere werden verkleinert, bis ihre längere Seite so lang ist. Weniger Pixel sind weniger Tokens in jedem Schritt.</translation>
    </message>
    <message>
        <source>File of the tracks along which ATI and Wan-Move move points of image: a drawing of the Studio; JSON, a list of tracks, each a list of {&quot;x&quot;: 416, &quot;y&quot;: 240} in pixels of the video, as ComfyUI&apos;s spline editors write it; or NumPy&apos;s .npy of [points, tracks, 2]. For ATI 121 points span the video, for Wan-Move each point is a frame&apos;s; a track of fewer ends earlier.</source>
        <translation>Datei der Spuren, an denen ATI und Wan-Move Punkte von image bewegen: eine Zeichnung des Studios; JSON, eine Liste von Spuren, jede eine Liste von {&quot;x&quot;: 416, &quot;y&quot;: 240} in Pixeln des Videos, wie die Spline-Editoren von ComfyUI sie schreiben; oder .npy von NumPy mit [Punkte, Spuren, 2]. Bei ATI umspannen 121 Punkte das Video, bei Wan-Move gehört jeder Punkt zu einem Bild; eine Spur mit weniger endet früher.</translation>
    </message>
    <message>
        <source>Track visibility</source>
        <translation>Sichtbarkeit der Bahnen</translation>
    </message>
    <message>
        <source>NumPy&apos;s .npy of [points, tracks]: 1 where the points of tracks are in sight, else 0; without it all are.</source>
        <translation>NumPys .npy aus [Punkte, Bahnen]: 1, wo die Punkte von tracks zu sehen sind, sonst 0; ohne diese Datei sind es alle.</translation>
    </message>
    <message>
        <source>Wildcard files</source>
        <translation>Wildcard-Dateien</translation>
    </message>
    <message>
        <source>Folder with text files for prompts: __colour__ stands for a line of colour.txt, which the seed draws. What it does not hold is looked up in the user&apos;s own folder of wildcards.</source>
        <translation>Ordner mit Textdateien für Prompts: __colour__ steht für eine Zeile von colour.txt, die der Seed zieht. Was er nicht enthält, wird im eigenen Wildcard-Ordner des Benutzers gesucht.</translation>
    </message>
    <message>
        <source>Guidance by the video</source>
        <translation>Guidance durch das Video</translation>
    </message>
    <message>
        <source>How strongly Bernini-R follows video where reference_images are given, too (its own program: 1.25). 1 turns this off and saves one of a step&apos;s four passes.</source>
        <translation>Wie streng Bernini-R video folgt, wo auch reference_images gegeben sind (sein eigenes Programm: 1.25). 1 schaltet dies ab und spart einen der vier Durchgänge eines Schritts.</translation>
    </message>
    <message>
        <source>When the devices outnumber the heads, or keys and values of the whole sequence do not fit.</source>
        <translation>Wenn es mehr Geräte als Köpfe gibt oder Keys und Values der ganzen Sequenz nicht in den Speicher passen.</translation>
    </message>
    <message>
        <source>From three devices on: the least traffic; equal work where the devices divide the heads.</source>
        <translation>Ab drei Geräten: der geringste Datenverkehr; gleich viel Arbeit, wo die Geräte die Köpfe teilen.</translation>
    </message>
    <message>
        <source>The tensor axis must leave a device at least as many heads as the context axis has devices.</source>
        <translation>Die Tensorachse muss einem Gerät mindestens so viele Köpfe lassen, wie die Kontextachse Geräte hat.</translation>
    </message>
    <message>
        <source>The tensor axis must leave a device at least as many heads as the context axis has devices; heads_per_tile must be 1.</source>
        <translation>Die Tensorachse muss einem Gerät mindestens so viele Köpfe lassen, wie die Kontextachse Geräte hat; heads_per_tile muss 1 sein.</translation>
    </message>
    <message>
        <source>ulysses_shards must divide the context axis and be at most the heads that the tensor axis leaves to a device.</source>
        <translation>ulysses_shards muss die Kontextachse teilen und darf nicht größer sein als die Zahl der Köpfe, die die Tensorachse einem Gerät lässt.</translation>
    </message>
    <message>
        <source>ulysses_shards must divide the context axis and be at most the heads that the tensor axis leaves to a device; heads_per_tile must be 1.</source>
        <translation>ulysses_shards muss die Kontextachse teilen und darf nicht größer sein als die Zahl der Köpfe, die die Tensorachse einem Gerät lässt; heads_per_tile muss 1 sein.</translation>
    </message>
    <message>
        <source>Wan 2.1 Bernini-R, editing</source>
        <translation>Wan 2.1 Bernini-R, Bearbeitung</translation>
    </message>
    <message>
        <source>Wan 2.1 Wan-Move, image to video along tracks</source>
        <translation>Wan 2.1 Wan-Move, Bild zu Video auf Bahnen</translation>
    </message>
    <message>
        <source>Wan 2.1 Fun Control</source>
        <translation>Wan 2.1 Fun Control</translation>
    </message>
    <message>
        <source>Wan 2.2 Bernini-R, editing, two experts</source>
        <translation>Wan 2.2 Bernini-R, Bearbeitung, zwei Experten</translation>
    </message>
    <message>
        <source>Wan 2.2 Fun Control, two experts</source>
        <translation>Wan 2.2 Fun Control, zwei Experten</translation>
    </message>
    <message>
        <source>Wan 2.2 Fun Control, 5B</source>
        <translation>Wan 2.2 Fun Control, 5B</translation>
    </message>
    <message>
        <source>Image to video with Wan-Move</source>
        <translation>Bild zu Video mit Wan-Move</translation>
    </message>
    <message>
        <source>Editing with Bernini-R</source>
        <translation>Bearbeitung mit Bernini-R</translation>
    </message>
    <message>
        <source>Control video to video</source>
        <translation>Steuervideo zu Video</translation>
    </message>
    <message>
        <source>Fun Control V1.1, control video to video</source>
        <translation>Fun Control V1.1, Steuervideo zu Video</translation>
    </message>
    <message>
        <source>Fun Control, control video to video</source>
        <translation>Fun Control, Steuervideo zu Video</translation>
    </message>
    <message>
        <source>Fun Control, control video to video, one of the two experts</source>
        <translation>Fun Control, Steuervideo zu Video, einer der zwei Experten</translation>
    </message>
    <message>
        <source>this machine&apos;s own limits, which every other group measures too</source>
        <translation>die eigenen Grenzen dieses Rechners, die jede andere Gruppe auch misst</translation>
    </message>
    <message>
        <source>the linear layers of the 1.3B, 5B and 14B transformers</source>
        <translation>die linearen Schichten der Transformer mit 1.3B, 5B und 14B</translation>
    </message>
    <message>
        <source>layers of the 14B transformer in int8 against bf16</source>
        <translation>Schichten des 14B-Transformers in int8 gegen bf16</translation>
    </message>
    <message>
        <source>the linear layers against the product that OpenBLAS or oneDNN computes for them</source>
        <translation>die linearen Schichten gegen das Produkt, das OpenBLAS oder oneDNN für sie rechnet</translation>
    </message>
    <message>
        <source>custom and flash attention, 12 heads of 128</source>
        <translation>Attention custom und flash, 12 Köpfe von 128</translation>
    </message>
    <message>
        <source>norms, rotary embedding, activations</source>
        <translation>Normen, Rotary Embedding, Aktivierungen</translation>
    </message>
    <message>
        <source>one forward pass of a transformer of random weights</source>
        <translation>ein Durchgang eines Transformers mit zufälligen Gewichten</translation>
    </message>
    <message>
        <source>decoding with the Wan 2.1 VAE</source>
        <translation>Dekodieren mit dem VAE von Wan 2.1</translation>
    </message>
    <message>
        <source>encoding with four layers of UMT5-XXL</source>
        <translation>Kodieren mit vier Schichten von UMT5-XXL</translation>
    </message>
    <message>
        <source>the transformer on meshes of devices</source>
        <translation>der Transformer auf Meshes von Geräten</translation>
    </message>
    <message>
        <source>the transformer on 1, 2, 4, 8 and 16 workers, and as 2 and 16 devices</source>
        <translation>der Transformer auf 1, 2, 4, 8 und 16 Workern, und als 2 und 16 Geräte</translation>
    </message>
    <message>
        <source>writing 10,000 steps of 128 devices into a run folder</source>
        <translation>10.000 Schritte von 128 Geräten in einen Laufordner schreiben</translation>
    </message>
    <message>
        <source>everything that a video is made of on the CPU, which takes minutes</source>
        <translation>alles, woraus ein Video auf der CPU gemacht wird, was Minuten dauert</translation>
    </message>
    <message>
        <source>a GPU: its peaks, linear layers, attention, the 1.3B transformer</source>
        <translation>eine GPU: ihre Spitzen, lineare Schichten, Attention, der 1.3B-Transformer</translation>
    </message>
    <message>
        <source>trigger words: {}</source>
        <translation>Triggerwörter: {}</translation>
    </message>
    <message>
        <source>most frequent in its captions: {}</source>
        <translation>am häufigsten in seinen Bildbeschreibungen: {}</translation>
    </message>
    <message>
        <source>one of the two experts of Wan 2.2 Fun Control, without the other</source>
        <translation>einer der zwei Experten von Wan 2.2 Fun Control, ohne den anderen</translation>
    </message>
    <message>
        <source>a model that takes a reference picture (ref_conv) and no control video</source>
        <translation>ein Modell, das ein Referenzbild nimmt (ref_conv) und kein Steuervideo</translation>
    </message>
    <message>
        <source>the transformer takes a reference of {} channels (in_dim_ref_conv), and the VAE has {} (z_dim)</source>
        <translation>der Transformer nimmt eine Referenz von {} Kanälen (in_dim_ref_conv), und das VAE hat {} (z_dim)</translation>
    </message>
    <message>
        <source>Use transformer and VAE of the same model</source>
        <translation>Verwenden Sie Transformer und VAE desselben Modells</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is no address of http or https</source>
        <translation>„{}“ ist keine Adresse mit http oder https</translation>
    </message>
    <message>
        <source>Write one such as {}</source>
        <translation>Schreibe eine wie {}</translation>
    </message>
    <message>
        <source>the address has more than a path</source>
        <translation>die Adresse hat mehr als einen Pfad</translation>
    </message>
    <message>
        <source>Write it without &quot;?&quot; and &quot;#&quot;</source>
        <translation>Schreibe sie ohne „?“ und „#“</translation>
    </message>
    <message>
        <source>the address has a name or password in it</source>
        <translation>in der Adresse steht ein Name oder Passwort</translation>
    </message>
    <message>
        <source>Write the address alone, and what the server asks for as its key</source>
        <translation>Schreiben Sie nur die Adresse, und was der Server verlangt als Schlüssel</translation>
    </message>
    <message>
        <source>the key would go over http, where others can read it</source>
        <translation>der Schlüssel ginge über http, wo andere ihn lesen können</translation>
    </message>
    <message>
        <source>Write an address of https, or leave the key out</source>
        <translation>Schreibe eine https-Adresse, oder lass den Schlüssel weg</translation>
    </message>
    <message>
        <source>nobody answers at {} ({})</source>
        <translation>bei {} antwortet niemand ({})</translation>
    </message>
    <message>
        <source>Start the server (ollama serve, llama-server), or correct its address</source>
        <translation>Starte den Server (ollama serve, llama-server), oder berichtige seine Adresse</translation>
    </message>
    <message>
        <source>{} gave no whole answer within {} seconds ({})</source>
        <translation>{} gab binnen {} Sekunden keine vollständige Antwort ({})</translation>
    </message>
    <message>
        <source>Ask again once it has loaded its model, or choose a smaller one</source>
        <translation>Frage noch einmal, wenn er sein Modell geladen hat, oder wähle ein kleineres</translation>
    </message>
    <message>
        <source>{} cannot be asked ({})</source>
        <translation>{} kann nicht gefragt werden ({})</translation>
    </message>
    <message>
        <source>Correct its address, or the proxy in https_proxy</source>
        <translation>Berichtige seine Adresse, oder den Proxy in https_proxy</translation>
    </message>
    <message>
        <source>{} leads elsewhere (HTTP {})</source>
        <translation>{} führt anderswohin (HTTP {})</translation>
    </message>
    <message>
        <source>Write the address that it leads to</source>
        <translation>Schreibe die Adresse, zu der er führt</translation>
    </message>
    <message>
        <source>{} refuses the key (HTTP {})</source>
        <translation>{} weist den Schlüssel ab (HTTP {})</translation>
    </message>
    <message>
        <source>Write the key that it asks for</source>
        <translation>Schreibe den Schlüssel, den er verlangt</translation>
    </message>
    <message>
        <source>Write another key</source>
        <translation>Schreibe einen anderen Schlüssel</translation>
    </message>
    <message>
        <source>{} has no such model or address (HTTP 404): {}</source>
        <translation>{} hat kein solches Modell und keine solche Adresse (HTTP 404): {}</translation>
    </message>
    <message>
        <source>Correct the model&apos;s name, or the address</source>
        <translation>Berichtige den Namen des Modells, oder die Adresse</translation>
    </message>
    <message>
        <source>{} does not rewrite the prompt (HTTP {}): {}</source>
        <translation>{} schreibt den Prompt nicht um (HTTP {}): {}</translation>
    </message>
    <message>
        <source>Ask again later, or look into the server&apos;s log</source>
        <translation>Frage später noch einmal, oder sieh ins Protokoll des Servers</translation>
    </message>
    <message>
        <source>Correct model and address, or look into the server&apos;s log</source>
        <translation>Berichtige Modell und Adresse, oder sieh ins Protokoll des Servers</translation>
    </message>
    <message>
        <source>the answer of {} holds no prompt ({})</source>
        <translation>die Antwort von {} enthält keinen Prompt ({})</translation>
    </message>
    <message>
        <source>Check that its address is one of OpenAI&apos;s chat completions</source>
        <translation>Prüfe, ob seine Adresse eine von OpenAIs Chat Completions ist</translation>
    </message>
    <message>
        <source>it has no choices</source>
        <translation>sie hat keine choices</translation>
    </message>
    <message>
        <source>its message is no text</source>
        <translation>ihre message ist kein Text</translation>
    </message>
    <message>
        <source>the file is a link, or another user&apos;s</source>
        <translation>die Datei ist ein Link, oder die eines anderen Benutzers</translation>
    </message>
    <message>
        <source>Remove it, and set the prompt helper again</source>
        <translation>Entferne sie, und richte die Prompt-Hilfe neu ein</translation>
    </message>
    <message>
        <source>the settings cannot be kept ({})</source>
        <translation>die Einstellungen lassen sich nicht behalten ({})</translation>
    </message>
    <message>
        <source>Set XDG_CONFIG_HOME to a folder that you may write to</source>
        <translation>Setze XDG_CONFIG_HOME auf einen Ordner, in den du schreiben darfst</translation>
    </message>
    <message>
        <source>the answer of {} has no end</source>
        <translation>die Antwort von {} hat kein Ende</translation>
    </message>
    <message>
        <source>the answer of {} is longer than {} bytes</source>
        <translation>die Antwort von {} ist länger als {} Bytes</translation>
    </message>
    <message>
        <source>Ask again, or choose another model</source>
        <translation>Frage noch einmal, oder wähle ein anderes Modell</translation>
    </message>
    <message>
        <source>the answer of {} is empty, or ends while it thinks</source>
        <translation>die Antwort von {} ist leer oder endet mitten im Nachdenken</translation>
    </message>
    <message>
        <source>{} ({}) sees all of video at once, and context windows see parts of what is made of it</source>
        <translation>{} ({}) sieht video auf einmal ganz, und Kontextfenster sehen Teile von dem, was daraus entsteht</translation>
    </message>
    <message>
        <source>Write 0, and edit the clip in parts</source>
        <translation>Schreiben Sie 0, und bearbeiten Sie den Clip in Teilen</translation>
    </message>
    <message>
        <source>{} ({}) gives every context window its own part of the control video, which the first frame&apos;s would take the place of</source>
        <translation>{} ({}) gibt jedem Kontextfenster seinen eigenen Teil des Steuervideos, an dessen Stelle der des ersten Bildes träte</translation>
    </message>
    <message>
        <source>this model takes no reference picture (its transformer has no ref_conv)</source>
        <translation>dieses Modell nimmt kein Referenzbild (sein Transformer hat kein ref_conv)</translation>
    </message>
    <message>
        <source>Remove the line, or use Fun Control V1.1 or 2.2</source>
        <translation>Die Zeile entfernen, oder Fun Control V1.1 oder 2.2 verwenden</translation>
    </message>
    <message>
        <source>{} names {} pictures, and {} ({}) takes one</source>
        <translation>{} nennt {} Bilder, und {} ({}) nimmt eins</translation>
    </message>
    <message>
        <source>with image {} ({}) makes {} frames at least</source>
        <translation>mit image macht {} ({}) mindestens {} Bilder</translation>
    </message>
    <message>
        <source>{} is for {}, and {} ({}) has none of them</source>
        <translation>{} gilt für {}, und {} ({}) hat davon nichts</translation>
    </message>
    <message>
        <source>Remove the line, or use such a model with its inputs</source>
        <translation>Die Zeile entfernen, oder ein solches Modell mit seinen Eingaben verwenden</translation>
    </message>
    <message>
        <source>reference_images of Phantom and Bernini-R</source>
        <translation>reference_images von Phantom und Bernini-R</translation>
    </message>
    <message>
        <source>a video with reference_images of Bernini-R</source>
        <translation>ein video mit reference_images von Bernini-R</translation>
    </message>
    <message>
        <source>reference_images of Bernini-R</source>
        <translation>reference_images von Bernini-R</translation>
    </message>
    <message>
        <source>{} names {} pictures, and {} takes {} at most</source>
        <translation>{} nennt {} Bilder, und {} nimmt höchstens {}</translation>
    </message>
    <message>
        <source>the {} makes up the negative prompt&apos;s prediction, and guidance by pictures needs others beside it</source>
        <translation>{} schätzt die Vorhersage des negativen Prompts, und die Guidance durch Bilder braucht daneben andere</translation>
    </message>
    <message>
        <source>the {} decides by the prompt&apos;s pass, and with tracks guidance makes another one behind it</source>
        <translation>der {} entscheidet im Durchlauf des Prompts, und mit Bahnen macht die Guidance danach einen weiteren</translation>
    </message>
    <message>
        <source>Write false, or guidance_scale: 1</source>
        <translation>false schreiben, oder guidance_scale: 1</translation>
    </message>
    <message>
        <source>{} ({}) needs video, reference_images or both</source>
        <translation>{} ({}) verlangt video, reference_images oder beides</translation>
    </message>
    <message>
        <source>Name a file: {}: PATH, or write t2v for a video from the prompt alone</source>
        <translation>Eine Datei nennen: {}: PATH, oder t2v schreiben für ein Video allein aus dem Prompt</translation>
    </message>
    <message>
        <source>{} heads are fewer than the {} devices of the context axis</source>
        <translation>{} Köpfe sind weniger als die {} Geräte der Kontextachse</translation>
    </message>
    <message>
        <source>{} does not exchange {} heads between {} devices</source>
        <translation>{} tauscht {} Köpfe nicht zwischen {} Geräten</translation>
    </message>
    <message>
        <source>Heads are uneven: of {} heads over {} devices one has {}</source>
        <translation>Die Köpfe sind ungleich verteilt: von {} Köpfen auf {} Geräten hat eines {}</translation>
    </message>
    <message>
        <source>The heads are uneven: {} over {} devices, of which one has {}, so attention reaches {:.0f} % of the speed of an even split</source>
        <translation>Die Köpfe sind ungleich verteilt: {} auf {} Geräten, von denen eines {} hat; Attention erreicht so {:.0f} % der Geschwindigkeit bei gleicher Verteilung</translation>
    </message>
    <message>
        <source>it is no card of NVIDIA</source>
        <translation>sie ist keine Karte von NVIDIA</translation>
    </message>
    <message>
        <source>{} does not know the card</source>
        <translation>{} kennt die Karte nicht</translation>
    </message>
    <message>
        <source>the device does not open with {}: {}</source>
        <translation>das Gerät öffnet sich nicht mit {}: {}</translation>
    </message>
    <message>
        <source>what GPUs exchange goes through a buffer of each and the host&apos;s memory</source>
        <translation>was GPUs austauschen, geht durch einen Puffer einer jeden und den Speicher des Rechners</translation>
    </message>
    <message>
        <source>keys go from GPU to GPU through memory of the host that all of them copy from and to</source>
        <translation>Schlüssel gehen von GPU zu GPU durch Speicher des Rechners, von dem und in den alle kopieren</translation>
    </message>
    <message>
        <source>keys go from GPU to GPU by NVIDIA&apos;s driver</source>
        <translation>Schlüssel gehen durch NVIDIAs Treiber von GPU zu GPU</translation>
    </message>
    <message>
        <source>a process ended while it measured it; tuning asks again</source>
        <translation>ein Prozess endete, während er ihn maß; eine neue Suche fragt erneut</translation>
    </message>
    <message>
        <source>{}; by {}: {}</source>
        <translation>{}; durch {}: {}</translation>
    </message>
    <message>
        <source>its driver gives no descriptors of memory and semaphores</source>
        <translation>ihr Treiber gibt keine Deskriptoren von Speicher und Semaphoren</translation>
    </message>
    <message>
        <source>there is no real GPU to measure</source>
        <translation>es gibt keine echte GPU zum Messen</translation>
    </message>
    <message>
        <source>meshreel devices lists in a terminal those that there are; --gpus 0 measures the first, even if it is a driver in software</source>
        <translation>meshreel devices listet die vorhandenen auf; --gpus 0 misst die erste, auch wenn sie ein Softwaretreiber ist</translation>
    </message>
    <message>
        <source>there is no row &apos;{}&apos; in this group</source>
        <translation>es gibt in dieser Gruppe keine Zeile „{}“</translation>
    </message>
    <message>
        <source>Measure the whole group once: it prints the names of its rows</source>
        <translation>Messen Sie einmal die ganze Gruppe: sie nennt die Namen ihrer Zeilen</translation>
    </message>
    <message>
        <source>Mend the file, or draw it again in the Studio</source>
        <translation>Bessern Sie die Datei aus, oder zeichnen Sie neu im Studio</translation>
    </message>
    <message>
        <source>{} has no names and values</source>
        <translation>{} hat keine Namen und Werte</translation>
    </message>
    <message>
        <source>{}: &quot;{}&quot; is no number from {} to {}</source>
        <translation>{}: „{}“ ist keine Zahl von {} bis {}</translation>
    </message>
    <message>
        <source>{}: &quot;{}&quot; is no whole number</source>
        <translation>{}: „{}“ ist keine ganze Zahl</translation>
    </message>
    <message>
        <source>{}: &quot;{}&quot; is neither true nor false</source>
        <translation>{}: „{}“ ist weder true noch false</translation>
    </message>
    <message>
        <source>{}: &quot;{}&quot; is none of {}</source>
        <translation>{}: „{}“ ist nichts von {}</translation>
    </message>
    <message>
        <source>{}: &quot;{}&quot; is no list of {} to {}</source>
        <translation>{}: „{}“ ist keine Liste von {} bis {}</translation>
    </message>
    <message>
        <source>{}: point {} is no place of two numbers, [x, y]</source>
        <translation>{}: Punkt {} ist kein Ort aus zwei Zahlen, [x, y]</translation>
    </message>
    <message>
        <source>{}: drawings have no &quot;{:.80}&quot;</source>
        <translation>{}: Zeichnungen haben kein „{:.80}“</translation>
    </message>
    <message>
        <source>{}: &quot;{}&quot; is missing</source>
        <translation>{}: „{}“ fehlt</translation>
    </message>
    <message>
        <source>{}: its frame is not behind the one before</source>
        <translation>{}: Sein Bild liegt nicht hinter dem davor</translation>
    </message>
    <message>
        <source>shape {}</source>
        <translation>Form {}</translation>
    </message>
    <message>
        <source>shape {}, keyframe {}</source>
        <translation>Form {}, Keyframe {}</translation>
    </message>
    <message>
        <source>track {}</source>
        <translation>Bahn {}</translation>
    </message>
    <message>
        <source>track {}, keyframe {}</source>
        <translation>Bahn {}, Keyframe {}</translation>
    </message>
    <message>
        <source>this drawing is of {}, and one of {} is wanted</source>
        <translation>diese Zeichnung ist von der Art {}, und eine der Art {} ist verlangt</translation>
    </message>
    <message>
        <source>Name it at {}, or draw another one here</source>
        <translation>Nennen Sie sie bei {}, oder zeichnen Sie hier eine andere</translation>
    </message>
    <message>
        <source>the drawing</source>
        <translation>die Zeichnung</translation>
    </message>
    <message>
        <source>nothing is drawn in it</source>
        <translation>darin ist nichts gezeichnet</translation>
    </message>
    <message>
        <source>Draw a shape in the Studio, or choose another file</source>
        <translation>Zeichnen Sie eine Form im Studio, oder wählen Sie eine andere Datei</translation>
    </message>
    <message>
        <source>the shapes of this drawing have too many points for a picture of {} x {}</source>
        <translation>die Formen dieser Zeichnung haben zu viele Punkte für ein Bild von {} x {}</translation>
    </message>
    <message>
        <source>Draw fewer or shorter strokes</source>
        <translation>Zeichnen Sie weniger oder kürzere Striche</translation>
    </message>
    <message>
        <source>the file cannot be read</source>
        <translation>die Datei kann nicht gelesen werden</translation>
    </message>
    <message>
        <source>the picture is no PNG</source>
        <translation>das Bild ist kein PNG</translation>
    </message>
    <message>
        <source>Use Fun Control with a control video, or ATI or Wan-Move with tracks</source>
        <translation>Fun Control mit einem Steuervideo verwenden, oder ATI oder Wan-Move mit Bahnen</translation>
    </message>
    <message>
        <source>Use Wan 2.2 Animate with pose_video and face_video</source>
        <translation>Wan 2.2 Animate mit pose_video und face_video verwenden</translation>
    </message>
    <message>
        <source>Use Phantom or VACE with reference_images</source>
        <translation>Phantom oder VACE mit reference_images verwenden</translation>
    </message>
    <message>
        <source>Use VACE with video and mask</source>
        <translation>VACE mit video und mask verwenden</translation>
    </message>
    <message>
        <source>LingBot-World or Matrix-Game 3</source>
        <translation>LingBot-World oder Matrix-Game 3</translation>
    </message>
    <message>
        <source>{} of Fun Control, A14B</source>
        <translation>{}, Fun Control, A14B</translation>
    </message>
    <message>
        <source>Fun Control, of no released size</source>
        <translation>Fun Control, in keiner veröffentlichten Größe</translation>
    </message>
    <message>
        <source>Wan-Move was trained with tracks of points (tracks); without them the video is made from the image and the prompt alone</source>
        <translation>Wan-Move wurde mit Bahnen von Punkten trainiert (tracks); ohne sie entsteht das Video allein aus Bild und Prompt</translation>
    </message>
    <message>
        <source>Bernini-R was trained with a video to edit (video) and pictures to show (reference_images); without them the video is made from the prompt alone</source>
        <translation>Bernini-R wurde mit einem Video zum Bearbeiten (video) und Bildern zum Zeigen (reference_images) trainiert; ohne sie entsteht das Video allein aus dem Prompt</translation>
    </message>
    <message>
        <source>A reference picture is one frame, and patches have {}</source>
        <translation>Ein Referenzbild ist ein Bild, und Patches haben {}</translation>
    </message>
    <message>
        <source>Seed {} draws: {}</source>
        <translation>Seed {} zieht: {}</translation>
    </message>
    <message>
        <source>Each run draws by its own seed, for example: {}</source>
        <translation>Jeder Lauf zieht mit seinem eigenen Seed, zum Beispiel: {}</translation>
    </message>
    <message>
        <source>Exchange heads between devices that divide them, use tokamax_ring, or plan for a program that shares heads out unevenly</source>
        <translation>Köpfe zwischen Geräten tauschen, die sie teilen, tokamax_ring verwenden oder für ein Programm planen, das Köpfe ungleich verteilt</translation>
    </message>
    <message>
        <source>ulysses_shards {} is more than the {}</source>
        <translation>ulysses_shards {} ist mehr als {}</translation>
    </message>
    <message>
        <source>{} with attention_sharding_uniform: false needs a head for each of the {} devices of the context axis, and there are {}</source>
        <translation>{} mit attention_sharding_uniform: false braucht für jedes der {} Geräte der Kontextachse einen Kopf; es sind {}</translation>
    </message>
    <message>
        <source>Use true, or a context axis of at most {}</source>
        <translation>true oder eine Kontextachse von höchstens {} verwenden</translation>
    </message>
    <message>
        <source>{} needs a head for each of the {} devices of the context axis, and there are {}</source>
        <translation>{} braucht für jedes der {} Geräte der Kontextachse einen Kopf; es sind {}</translation>
    </message>
    <message>
        <source>Use {} with ulysses_shards: {}, a context axis of at most {}, or tokamax_ring, which takes any number of heads</source>
        <translation>{} mit ulysses_shards: {} verwenden, eine Kontextachse von höchstens {} oder tokamax_ring, das jede Zahl von Köpfen nimmt</translation>
    </message>
    <message>
        <source>{}: {}: drawn for {} frames at {} a second, and taken by time for {} at {}</source>
        <translation>{}: {}: für {} Bilder mit {} pro Sekunde gezeichnet und nach der Zeit für {} mit {} genommen</translation>
    </message>
    <message>
        <source>Keyframes keep their seconds. Open the drawing to move them, and save it for the new length</source>
        <translation>Schlüsselbilder behalten ihre Sekunden. Öffnen Sie die Zeichnung, um sie zu verschieben, und speichern Sie sie für die neue Länge</translation>
    </message>
    <message>
        <source>{}: {}: drawn on {} x {}, and scaled to {} x {}</source>
        <translation>{}: {}: auf {} x {} gezeichnet und auf {} x {} skaliert</translation>
    </message>
    <message>
        <source>Open the drawing and save it to keep it in the new size</source>
        <translation>Öffnen und speichern Sie die Zeichnung, um sie in der neuen Größe zu behalten</translation>
    </message>
    <message>
        <source>{} is set, and {} is a drawing, whose tracks say themselves where they end</source>
        <translation>{} ist gesetzt, und {} ist eine Zeichnung, deren Bahnen selbst sagen, wo sie enden</translation>
    </message>
    <message>
        <source>Leave {} empty; in a drawing, &quot;leaves&quot; puts a point out of sight behind its last keyframe</source>
        <translation>Lassen Sie {} leer; in einer Zeichnung verbirgt „leaves“ einen Punkt hinter seinem letzten Schlüsselbild</translation>
    </message>
    <message>
        <source>Write it with numpy.save, as float32 or bool</source>
        <translation>Mit numpy.save schreiben, als float32 oder bool</translation>
    </message>
    <message>
        <source>this is not a whole array of NumPy</source>
        <translation>das ist kein vollständiges Array von NumPy</translation>
    </message>
    <message>
        <source>the array is of a type that is not read</source>
        <translation>das Array ist von einem Typ, der nicht gelesen wird</translation>
    </message>
    <message>
        <source>the array is in Fortran&apos;s order</source>
        <translation>das Array ist in der Reihenfolge von Fortran</translation>
    </message>
    <message>
        <source>the array has no shape</source>
        <translation>das Array hat keine Form</translation>
    </message>
    <message>
        <source>This is no look</source>
        <translation>Das ist kein Look</translation>
    </message>
    <message>
        <source>Begin with {}: {}</source>
        <translation>Beginne mit {}: {}</translation>
    </message>
    <message>
        <source>A later version of Meshreel wrote this look</source>
        <translation>Eine spätere Version von Meshreel hat diesen Look geschrieben</translation>
    </message>
    <message>
        <source>Use it with that version</source>
        <translation>Verwende ihn mit jener Version</translation>
    </message>
    <message>
        <source>A look has no key {}</source>
        <translation>Ein Look hat keinen Schlüssel {}</translation>
    </message>
    <message>
        <source>It has {}, {}, {} and {}</source>
        <translation>Er hat {}, {}, {} und {}</translation>
    </message>
    <message>
        <source>The values of a look are no map of keys</source>
        <translation>Die Werte eines Looks sind keine Zuordnung von Schlüsseln</translation>
    </message>
    <message>
        <source>Write one key and its value on a line, indented below values</source>
        <translation>Schreibe einen Schlüssel und seinen Wert je Zeile, eingerückt unter values</translation>
    </message>
    <message>
        <source>A look does not set {}</source>
        <translation>Ein Look setzt {} nicht</translation>
    </message>
    <message>
        <source>Remove it: a look says how videos look, not of what they are made</source>
        <translation>Entferne ihn: Ein Look sagt, wie Videos aussehen, nicht, woraus sie gemacht sind</translation>
    </message>
    <message>
        <source>The prompt of a look is no style</source>
        <translation>Der Prompt eines Looks ist kein Stil</translation>
    </message>
    <message>
        <source>Write {} where the prompt of the project goes</source>
        <translation>Schreibe {}, wo der Prompt des Projekts stehen soll</translation>
    </message>
    <message>
        <source>The style of a look repeats the prompt</source>
        <translation>Der Stil eines Looks wiederholt den Prompt</translation>
    </message>
    <message>
        <source>Write {} at most {} times</source>
        <translation>Schreiben Sie {} höchstens {}-mal</translation>
    </message>
    <message>
        <source>A look names adapters by a path</source>
        <translation>Ein Look nennt Adapter mit einem Pfad</translation>
    </message>
    <message>
        <source>Write the name that the file has in the folder &quot;loras&quot; of the models folder</source>
        <translation>Schreibe den Namen, den die Datei im Ordner „loras“ des Modellordners hat</translation>
    </message>
    <message>
        <source>the picture holds no look</source>
        <translation>das Bild enthält keinen Look</translation>
    </message>
    <message>
        <source>Choose a picture that was saved as a look: some programs and sites drop it</source>
        <translation>Wähle ein Bild, das als Look gespeichert wurde: Manche Programme und Seiten lassen ihn weg</translation>
    </message>
    <message>
        <source>{} names {}, lines of which would become words of the prompt</source>
        <translation>{} nennt {}, dessen Zeilen Wörter des Prompts würden</translation>
    </message>
    <message>
        <source>the four passes of guidance</source>
        <translation>die vier Durchgänge der Guidance</translation>
    </message>
    <message>
        <source>The table is not UTF-8</source>
        <translation>Die Tabelle ist nicht in UTF-8</translation>
    </message>
    <message>
        <source>Save it as CSV in UTF-8</source>
        <translation>Speichere sie als CSV in UTF-8</translation>
    </message>
    <message>
        <source>Write a field for each column, those with commas or quotes in quotes</source>
        <translation>Schreibe für jede Spalte ein Feld, solche mit Kommas oder Anführungszeichen in Anführungszeichen</translation>
    </message>
    <message>
        <source>The table has no row below its keys</source>
        <translation>Die Tabelle hat keine Zeile unter ihren Schlüsseln</translation>
    </message>
    <message>
        <source>Write a run on each line below them</source>
        <translation>Schreibe auf jede Zeile darunter einen Lauf</translation>
    </message>
    <message>
        <source>The table has more than {} rows, the most that are run</source>
        <translation>Die Tabelle hat mehr als {} Zeilen, so viele laufen höchstens</translation>
    </message>
    <message>
        <source>Make several tables of it</source>
        <translation>Mache mehrere Tabellen daraus</translation>
    </message>
    <message>
        <source>Column {} names no key</source>
        <translation>Spalte {} nennt keinen Schlüssel</translation>
    </message>
    <message>
        <source>Write the name of a key, such as prompt or seed</source>
        <translation>Schreibe den Namen eines Schlüssels, etwa prompt oder seed</translation>
    </message>
    <message>
        <source>Two columns are called {}</source>
        <translation>Zwei Spalten heißen {}</translation>
    </message>
    <message>
        <source>The project makes its batch_prompts, and no prompt of a table</source>
        <translation>Das Projekt erzeugt seine batch_prompts und keinen prompt einer Tabelle</translation>
    </message>
    <message>
        <source>Clear batch_prompts, or call the column batch_prompts</source>
        <translation>Leeren Sie batch_prompts, oder nennen Sie die Spalte batch_prompts</translation>
    </message>
    <message>
        <source>The table is empty</source>
        <translation>Die Tabelle ist leer</translation>
    </message>
    <message>
        <source>Begin with a row of keys, such as prompt,seed</source>
        <translation>Beginne mit einer Zeile von Schlüsseln, etwa prompt,seed</translation>
    </message>
    <message>
        <source>There is no key &quot;{:.80}&quot; for a column of the table</source>
        <translation>Es gibt keinen Schlüssel „{:.80}“ für eine Spalte der Tabelle</translation>
    </message>
    <message>
        <source>this is a file of PyTorch, and tracks are read from JSON and .npy</source>
        <translation>das ist eine Datei von PyTorch, und Bahnen werden aus JSON und .npy gelesen</translation>
    </message>
    <message>
        <source>the array is of shape [{}], and tracks are [points, tracks, 2]</source>
        <translation>das Array hat die Form [{}], und Bahnen sind [Punkte, Bahnen, 2]</translation>
    </message>
    <message>
        <source>the array is of shape [{}], and what is in sight is [points, tracks]</source>
        <translation>das Array hat die Form [{}], und was zu sehen ist, ist [Punkte, Bahnen]</translation>
    </message>
    <message>
        <source>Write 1 where a track&apos;s point is in sight, else 0</source>
        <translation>1 schreiben, wo der Punkt einer Bahn zu sehen ist, sonst 0</translation>
    </message>
    <message>
        <source>Draw a track in the Studio, or leave tracks empty</source>
        <translation>Zeichnen Sie eine Bahn im Studio, oder lassen Sie tracks leer</translation>
    </message>
    <message>
        <source>it is of {} points of {} tracks, and tracks has {} points of {} tracks</source>
        <translation>sie ist für {} Punkte von {} Bahnen, und tracks hat {} Punkte von {} Bahnen</translation>
    </message>
    <message>
        <source>Give the file that belongs to tracks</source>
        <translation>Die Datei angeben, die zu tracks gehört</translation>
    </message>
    <message>
        <source>{} is not UTF-8</source>
        <translation>{} ist nicht in UTF-8</translation>
    </message>
    <message>
        <source>Save it as UTF-8</source>
        <translation>Speichere sie in UTF-8</translation>
    </message>
    <message>
        <source>line {} of {} has {} bytes, and a line has {} at most</source>
        <translation>Zeile {} von {} hat {} Bytes, und eine Zeile hat höchstens {}</translation>
    </message>
    <message>
        <source>{} holds no line that can be drawn</source>
        <translation>{} enthält keine Zeile, die gezogen werden kann</translation>
    </message>
    <message>
        <source>Write something into it, a line for each possibility</source>
        <translation>Schreibe etwas hinein, eine Zeile für jede Möglichkeit</translation>
    </message>
    <message>
        <source>the prompts lead to more than {} files</source>
        <translation>die Prompts führen zu mehr als {} Dateien</translation>
    </message>
    <message>
        <source>Use fewer wildcards</source>
        <translation>Verwende weniger Wildcards</translation>
    </message>
    <message>
        <source>{} leads out of its folder</source>
        <translation>{} führt aus seinem Ordner hinaus</translation>
    </message>
    <message>
        <source>Put the file itself there, not a link</source>
        <translation>Lege die Datei selbst dorthin, keinen Link</translation>
    </message>
    <message>
        <source>the files that the prompts lead to have more than {}</source>
        <translation>die Dateien, zu denen die Prompts führen, haben mehr als {}</translation>
    </message>
    <message>
        <source>Use fewer wildcards, or smaller files</source>
        <translation>Verwende weniger Wildcards, oder kleinere Dateien</translation>
    </message>
    <message>
        <source>the wildcard __{}__ leads back to itself: {}</source>
        <translation>die Wildcard __{}__ führt zu sich selbst zurück: {}</translation>
    </message>
    <message>
        <source>Take it out of one of these files</source>
        <translation>Nimm sie aus einer dieser Dateien heraus</translation>
    </message>
    <message>
        <source>the wildcard __{}__ cannot be used: {}</source>
        <translation>die Wildcard __{}__ ist nicht verwendbar: {}</translation>
    </message>
    <message>
        <source>there is no file {} for the wildcard __{}__ in {}</source>
        <translation>für die Wildcard __{1}__ gibt es keine Datei {0} in {2}</translation>
    </message>
    <message>
        <source>{} (a line of __{}__ names it)</source>
        <translation>{} (eine Zeile von __{}__ nennt sie)</translation>
    </message>
    <message>
        <source>Put the file there, with a line for each possibility, or set wildcards to its folder</source>
        <translation>Lege die Datei dorthin, mit einer Zeile für jede Möglichkeit, oder setze wildcards auf ihren Ordner</translation>
    </message>
    <message>
        <source>alternatives in a line name the wildcard __{}__, which has no usable file {}</source>
        <translation>Alternativen in einer Zeile nennen den Platzhalter __{}__, der keine brauchbare Datei {} hat</translation>
    </message>
    <message>
        <source>Put the file there, or correct the line</source>
        <translation>Legen Sie die Datei dort ab, oder korrigieren Sie die Zeile</translation>
    </message>
    <message>
        <source>the wildcard __{}__ leads back to itself</source>
        <translation>der Platzhalter __{}__ führt zu sich selbst zurück</translation>
    </message>
    <message>
        <source>Take it out of the lines and alternatives that it leads to</source>
        <translation>Nehmen Sie ihn aus den Zeilen und Alternativen heraus, zu denen er führt</translation>
    </message>
    <message>
        <source>the wildcards make the prompt longer than {} bytes, or need more than {} draws</source>
        <translation>die Wildcards machen den Prompt länger als {} Bytes, oder brauchen mehr als {} Ziehungen</translation>
    </message>
    <message>
        <source>Use fewer wildcards, or shorter lines</source>
        <translation>Verwende weniger Wildcards, oder kürzere Zeilen</translation>
    </message>
    <message>
        <source>Wildcards: &quot;{}&quot; became &quot;{}&quot;</source>
        <translation>Wildcards: Aus „{}“ wurde „{}“</translation>
    </message>
    <message>
        <source>How strongly Phantom and Bernini-R follow reference_images; guidance_scale says how strongly they follow the prompt (their own programs: 7.5 and 4; pictures 5 and 4.5). For Phantom 1 or less turns this off and saves one of a step&apos;s passes, for Bernini-R 1; with video only where guidance_scale_video is 1, too.</source>
        <translation>Wie streng Phantom und Bernini-R reference_images folgen; guidance_scale sagt, wie streng sie dem Prompt folgen (ihre eigenen Programme: 7.5 und 4; Bilder 5 und 4.5). Bei Phantom schaltet 1 oder weniger dies ab und spart einen Durchgang jedes Schritts, bei Bernini-R 1; mit video nur, wo auch guidance_scale_video 1 ist.</translation>
    </message>
    <message>
        <source>Write false, or guidance_scale_video: 1 and guidance_scale_image: 1</source>
        <translation>false schreiben, oder guidance_scale_video: 1 und guidance_scale_image: 1</translation>
    </message>
    <message>
        <source>the {} decides by the prompt&apos;s pass, and guidance by pictures makes passes behind it that see less</source>
        <translation>{} entscheidet nach dem Durchgang des Prompts, und die Guidance durch Bilder macht danach Durchgänge, die weniger sehen</translation>
    </message>
    <message>
        <source>the card is for one process at a time (nvidia-smi changes that)</source>
        <translation>die Karte ist für einen Prozess zur Zeit (nvidia-smi ändert das)</translation>
    </message>
    <message>
        <source>the card is closed to processes (nvidia-smi changes that)</source>
        <translation>die Karte ist für Prozesse gesperrt (nvidia-smi ändert das)</translation>
    </message>
    <message>
        <source>{} imports no memory of the host&apos;s</source>
        <translation>{} importiert keinen Speicher des Rechners</translation>
    </message>
    <message>
        <source>{} does not take this memory of the host&apos;s</source>
        <translation>{} nimmt diesen Speicher des Rechners nicht an</translation>
    </message>
    <message>
        <source>a copy from {} to {} brings other numbers</source>
        <translation>eine Kopie von {} nach {} bringt andere Zahlen</translation>
    </message>
    <message>
        <source>{} exchanges numbers in the way {}, not as planned: {}</source>
        <translation>{} tauscht Zahlen auf dem Weg {} aus, nicht wie geplant: {}</translation>
    </message>
    <message>
        <source>The kept measurements cannot be read</source>
        <translation>Die aufbewahrten Messungen sind nicht lesbar</translation>
    </message>
    <message>
        <source>Remove the file: the next measurement begins another</source>
        <translation>Die Datei entfernen: die nächste Messung beginnt eine neue</translation>
    </message>
    <message>
        <source>Another program is writing the kept measurements, and does not end</source>
        <translation>Ein anderes Programm schreibt die aufbewahrten Messungen und wird nicht fertig</translation>
    </message>
    <message>
        <source>These rows were measured on {}, and the project&apos;s GPU is {}</source>
        <translation>Diese Zeilen wurden auf {} gemessen, und die GPU des Projekts ist {}</translation>
    </message>
    <message>
        <source>Choose that GPU to repeat them, or run the group on this one</source>
        <translation>Diese GPU wählen, um sie zu wiederholen, oder die Gruppe auf der jetzigen messen</translation>
    </message>
    <message>
        <source>Sound encoder</source>
        <translation>Toncodierer</translation>
    </message>
    <message>
        <source>File or folder of the sound encoder (wav2vec 2.0, XLSR-53) of speech-to-video models. Empty takes the model&apos;s own.</source>
        <translation>Datei oder Ordner des Toncodierers (wav2vec 2.0, XLSR-53) von Sprache-zu-Video-Modellen. Leer: der des Modells.</translation>
    </message>
    <message>
        <source>The character of `image` moves as somebody in `video` does, by Wan Animate-2.</source>
        <translation>Die Figur von `image` bewegt sich wie jemand in `video`, mit Wan Animate-2.</translation>
    </message>
    <message>
        <source>Somebody whom `image` shows says or sings what `speech` has; `pose_video` may lead the body.</source>
        <translation>Jemand, den `image` zeigt, spricht oder singt, was in `speech` zu hören ist; `pose_video` kann den Körper führen.</translation>
    </message>
    <message>
        <source>Video, picture or folder of numbered pictures that is made again or edited, that controls Fun Control (depth, edges, poses), or whose motion Animate-2 takes; its first num_frames at the rate of fps are taken.</source>
        <translation>Video, Bild oder Ordner mit nummerierten Bildern, das umgearbeitet oder bearbeitet wird, Fun Control steuert (Tiefe, Kanten, Posen) oder dessen Bewegung Animate-2 übernimmt; genommen werden die ersten num_frames Bilder im Takt von fps.</translation>
    </message>
    <message>
        <source>Video or folder of numbered pictures of the poses that the character of image takes, as preprocessing for Wan Animate draws them; S2V does without.</source>
        <translation>Video oder Ordner nummerierter Bilder mit den Posen, die die Figur aus image einnimmt, wie die Vorverarbeitung für Wan Animate sie zeichnet; S2V kommt ohne aus.</translation>
    </message>
    <message>
        <source>Speech</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>Sound file, or video with sound, that the person of image says or sings.</source>
        <translation>Tondatei oder Video mit Ton: was die Person aus image spricht oder singt.</translation>
    </message>
    <message>
        <source>Sound strength</source>
        <translation>Stärke des Tons</translation>
    </message>
    <message>
        <source>How strongly the sound of speech moves the lips: 1 as S2V was made, more where guidance is off.</source>
        <translation>Wie stark der Ton aus speech die Lippen bewegt: 1, wie S2V gemacht ist, mehr ohne Führung.</translation>
    </message>
    <message>
        <source>As long as the speech</source>
        <translation>So lang wie die Sprache</translation>
    </message>
    <message>
        <source>The video lasts as long as the sound of speech, up to 3 frames more, in place of num_frames.</source>
        <translation>Das Video dauert so lang wie der Ton aus speech, bis zu 3 Bilder länger, anstatt num_frames.</translation>
    </message>
    <message>
        <source>Keys of the driving video</source>
        <translation>Schlüssel des Bewegungsvideos</translation>
    </message>
    <message>
        <source>How every step comes by what Animate-2 attends to in its video.</source>
        <translation>Wie jeder Schritt zu dem kommt, worauf Animate-2 in seinem Video achtet.</translation>
    </message>
    <message>
        <source>The first of the others that memory has room for.</source>
        <translation>Das erste der anderen, für das der Speicher reicht.</translation>
    </message>
    <message>
        <source>Kept in memory as they were computed: the fastest.</source>
        <translation>Im Speicher behalten, wie sie berechnet wurden: am schnellsten.</translation>
    </message>
    <message>
        <source>Kept in memory in 8 bits with a scale for each head of each token: half the memory or less.</source>
        <translation>Im Speicher behalten in 8 Bit mit einer Skala für jeden Kopf jedes Tokens: halb so viel Speicher oder weniger.</translation>
    </message>
    <message>
        <source>Computed again in every pass, which takes about twice as long and the least memory.</source>
        <translation>In jedem Durchlauf neu berechnet: dauert etwa doppelt so lange und braucht am wenigsten Speicher.</translation>
    </message>
    <message>
        <source>Sparse attention</source>
        <translation>Ausgedünnte Attention</translation>
    </message>
    <message>
        <source>Lets self-attention leave blocks of tokens out, which saves most of the time of long videos; approximate.</source>
        <translation>Lässt die Self-Attention Blöcke von Tokens auslassen, was bei langen Videos die meiste Zeit spart; Näherung.</translation>
    </message>
    <message>
        <source>Every token attends to every token.</source>
        <translation>Jedes Token achtet auf jedes.</translation>
    </message>
    <message>
        <source>Sol-Attn: exactly to the blocks whose mean scores highest, to the means of the others; approximate.</source>
        <translation>Sol-Attn: genau auf die Blöcke, deren Mittel am höchsten bewertet ist, auf die Mittel der übrigen; Näherung.</translation>
    </message>
    <message>
        <source>Radial attention: to fewer and fewer tokens of frames further away; approximate.</source>
        <translation>Radial Attention: auf immer weniger Tokens, je weiter ein Bild entfernt ist; Näherung.</translation>
    </message>
    <message>
        <source>Sparse VideoGen: each head to what is near in space, or near in time; approximate.</source>
        <translation>Sparse VideoGen: jeder Kopf auf das, was räumlich oder zeitlich nah ist; Näherung.</translation>
    </message>
    <message>
        <source>Sparse from</source>
        <translation>Ausgedünnt ab</translation>
    </message>
    <message>
        <source>Share of the steps, at their beginning, in which attention is dense.</source>
        <translation>Anteil der ersten Schritte, in denen die Attention dicht ist.</translation>
    </message>
    <message>
        <source>Sparse until</source>
        <translation>Ausgedünnt bis</translation>
    </message>
    <message>
        <source>Share of the steps after which attention is dense again.</source>
        <translation>Anteil der Schritte, nach dem die Attention wieder dicht ist.</translation>
    </message>
    <message>
        <source>Dense layers</source>
        <translation>Dichte Schichten</translation>
    </message>
    <message>
        <source>Transformer blocks that always attend densely, counted from 0 and separated by commas.</source>
        <translation>Transformer-Blöcke, deren Attention immer dicht ist; ab 0 gezählt, durch Kommas getrennt.</translation>
    </message>
    <message>
        <source>Sparse from length</source>
        <translation>Ausgedünnt ab Länge</translation>
    </message>
    <message>
        <source>Sequences shorter than this attend densely.</source>
        <translation>Bei kürzeren Sequenzen ist die Attention dicht.</translation>
    </message>
    <message>
        <source>Sol threshold</source>
        <translation>Sol-Schwelle</translation>
    </message>
    <message>
        <source>sol keeps blocks whose score is above the mean by this many standard deviations: more keeps fewer.</source>
        <translation>sol behält Blöcke, deren Score um so viele Standardabweichungen über dem Mittel liegt: mehr behält weniger.</translation>
    </message>
    <message>
        <source>Radial decay</source>
        <translation>Radial-Abfall</translation>
    </message>
    <message>
        <source>Factor of radial&apos;s windows of frames that are two or more apart: less keeps fewer tokens.</source>
        <translation>Faktor der Fenster von radial für Bilder im Abstand von zwei und mehr: weniger behält weniger Tokens.</translation>
    </message>
    <message>
        <source>SVG density</source>
        <translation>SVG-Dichte</translation>
    </message>
    <message>
        <source>Share of the pairs of tokens that svg&apos;s band keeps; of a model with one expert.</source>
        <translation>Anteil der Tokenpaare, die das Band von svg behält; bei einem Modell mit einem Experten.</translation>
    </message>
    <message>
        <source>SVG density, high noise</source>
        <translation>SVG-Dichte, starkes Rauschen</translation>
    </message>
    <message>
        <source>The same for the steps of Wan 2.2&apos;s high-noise expert.</source>
        <translation>Dasselbe für die Schritte des Experten von Wan 2.2 für starkes Rauschen.</translation>
    </message>
    <message>
        <source>SVG density, low noise</source>
        <translation>SVG-Dichte, schwaches Rauschen</translation>
    </message>
    <message>
        <source>The same for the steps of Wan 2.2&apos;s low-noise expert.</source>
        <translation>Dasselbe für die Schritte des Experten von Wan 2.2 für schwaches Rauschen.</translation>
    </message>
    <message>
        <source>SVG sample</source>
        <translation>SVG-Stichprobe</translation>
    </message>
    <message>
        <source>Queries by which svg chooses between space and time, for each head in each step.</source>
        <translation>Queries, nach denen svg für jeden Kopf in jedem Schritt zwischen Raum und Zeit wählt.</translation>
    </message>
    <message>
        <source>queries</source>
        <translation>Abfragen</translation>
    </message>
    <message>
        <source>SVG sample from</source>
        <translation>SVG-Stichprobe aus</translation>
    </message>
    <message>
        <source>The first tokens, among which svg draws its queries.</source>
        <translation>Die ersten Tokens, aus denen svg seine Queries zieht.</translation>
    </message>
    <message>
        <source>SVG sample&apos;s seed</source>
        <translation>Seed der SVG-Stichprobe</translation>
    </message>
    <message>
        <source>Seed by which svg draws its queries.</source>
        <translation>Seed, mit dem svg seine Queries zieht.</translation>
    </message>
    <message>
        <source>SVG keeps first frame</source>
        <translation>SVG behält das erste Bild</translation>
    </message>
    <message>
        <source>Every token attends to the first tokens in svg&apos;s order, as many as a frame has.</source>
        <translation>Jedes Token achtet auf die ersten in der Ordnung von svg, so viele, wie ein Bild hat.</translation>
    </message>
    <message>
        <source>keep puts the sound of speech or video (of Animate face_video or pose_video) under the result, as long as both play at one speed; none leaves it out; a file gives its own. MP4 and WebM hold sound.</source>
        <translation>keep legt den Ton von speech oder video (bei Animate von face_video oder pose_video) unter das Ergebnis, solange beide gleich schnell laufen; none lässt ihn weg; eine Datei gibt ihren eigenen. MP4 und WebM enthalten Ton.</translation>
    </message>
    <message>
        <source>Frames, times</source>
        <translation>Bilder, mal</translation>
    </message>
    <message>
        <source>Makes a finished video beside the video, with so many times its frames a second; any factor. 1 makes no frames.</source>
        <translation>Macht neben dem Video ein fertiges Video mit so vielmal so vielen Bildern pro Sekunde; jeder Faktor. 1 macht keine Bilder.</translation>
    </message>
    <message>
        <source>Frames by</source>
        <translation>Zwischenbilder durch</translation>
    </message>
    <message>
        <source>Weights of RIFE 4.x, which makes the frames that interpolate asks for; blend mixes those beside.</source>
        <translation>Gewichte von RIFE 4.x, das die Bilder macht, die interpolate verlangt; blend mischt die benachbarten.</translation>
    </message>
    <message>
        <source>Size, times</source>
        <translation>Größe, mal</translation>
    </message>
    <message>
        <source>Makes a finished video beside the video, so many times as wide and high; any factor. 1 keeps the size.</source>
        <translation>Macht neben dem Video ein fertiges Video, so vielmal so breit und hoch; jeder Faktor. 1 behält die Größe.</translation>
    </message>
    <message>
        <source>Size by</source>
        <translation>Vergrößerung durch</translation>
    </message>
    <message>
        <source>Weights of a network of ESRGAN&apos;s kind, which upscale uses; lanczos, or nothing: a filter that adds no detail.</source>
        <translation>Gewichte eines Netzes der Art von ESRGAN, das upscale verwendet; lanczos oder nichts: ein Filter, der keine Einzelheiten hinzufügt.</translation>
    </message>
    <message>
        <source>Wan 2.2 Animate-2 in few steps</source>
        <translation>Wan 2.2 Animate-2 in wenigen Schritten</translation>
    </message>
    <message>
        <source>Wan 2.2 Animate-2</source>
        <translation>Wan 2.2 Animate-2</translation>
    </message>
    <message>
        <source>Wan 2.2 speech to video</source>
        <translation>Wan 2.2 Sprache zu Video</translation>
    </message>
    <message>
        <source>Character animation by a video</source>
        <translation>Figur nach einem Video bewegen</translation>
    </message>
    <message>
        <source>Speech to video</source>
        <translation>Sprache zu Video</translation>
    </message>
    <message>
        <source>speech to video</source>
        <translation>Sprache zu Video</translation>
    </message>
    <message>
        <source>sound encoder of the Wan 2.2 S2V model</source>
        <translation>Ton-Encoder des Modells Wan 2.2 S2V</translation>
    </message>
    <message>
        <source>smaller sound encoder</source>
        <translation>kleinerer Ton-Encoder</translation>
    </message>
    <message>
        <source>block-sparse attention against dense attention of 12 heads of 128: seconds and error</source>
        <translation>ausgedünnte gegen dichte Attention, 12 Köpfe von 128: Sekunden und Fehler</translation>
    </message>
    <message>
        <source>networks for finished videos: RIFE 4.26, and ESRGAN&apos;s of 64 channels</source>
        <translation>Netze für fertige Videos: RIFE 4.26 und ESRGAN mit 64 Kanälen</translation>
    </message>
    <message>
        <source>a decoded sound</source>
        <translation>ein decodierter Ton</translation>
    </message>
    <message>
        <source>speech to video with what else the model has</source>
        <translation>Sprache zu Video mit dem, was das Modell sonst hat</translation>
    </message>
    <message>
        <source>the transformer wants {} states of a sound of width {}, and the sound encoder gives {} of width {}</source>
        <translation>der Transformer erwartet {} Zustände eines Tons der Breite {}, und der Toncodierer gibt {} der Breite {}</translation>
    </message>
    <message>
        <source>Use wav2vec2-large-xlsr-53, which S2V was made with</source>
        <translation>Verwenden Sie wav2vec2-large-xlsr-53, mit dem S2V gemacht wurde</translation>
    </message>
    <message>
        <source>the sound encoder wav2vec 2.0 XLSR-53 (wav2vec2_large_english_fp16.safetensors, or the folder wav2vec2-large-xlsr-53-english of the model)</source>
        <translation>der Toncodierer wav2vec 2.0 XLSR-53 (wav2vec2_large_english_fp16.safetensors oder der Ordner wav2vec2-large-xlsr-53-english des Modells)</translation>
    </message>
    <message>
        <source>{} ({}) makes a long clip in segments: every context window would need keys of its own of the driving video</source>
        <translation>{} ({}) macht einen langen Clip in Segmenten: jedes Kontextfenster bräuchte eigene Schlüssel des Bewegungsvideos</translation>
    </message>
    <message>
        <source>Write 0</source>
        <translation>Schreiben Sie 0</translation>
    </message>
    <message>
        <source>{} ({}) makes a long video clip by clip, each after the one before</source>
        <translation>{} ({}) macht ein langes Video Clip für Clip, jeden nach dem vorigen</translation>
    </message>
    <message>
        <source>a video that is finished is MP4 or WebM</source>
        <translation>ein fertiges Video ist MP4 oder WebM</translation>
    </message>
    <message>
        <source>Write video_format: mp4</source>
        <translation>Schreiben Sie video_format: mp4</translation>
    </message>
    <message>
        <source>interpolate asks for new frames, and interpolator names nothing that makes them</source>
        <translation>interpolate verlangt neue Bilder, und interpolator nennt nichts, das sie macht</translation>
    </message>
    <message>
        <source>Name a file of RIFE, such as rife_v4.26.safetensors or flownet.pkl; or write blend to mix the frames beside</source>
        <translation>Nennen Sie eine Datei von RIFE, etwa rife_v4.26.safetensors oder flownet.pkl; oder schreiben Sie blend, um die benachbarten Bilder zu mischen</translation>
    </message>
    <message>
        <source>a GPU has no {} kernel that leaves blocks out</source>
        <translation>eine GPU hat keinen {}-Kernel, der Blöcke auslässt</translation>
    </message>
    <message>
        <source>Write none, or use the CPU (gpus: none)</source>
        <translation>Schreiben Sie none, oder nutzen Sie die CPU (gpus: none)</translation>
    </message>
    <message>
        <source>speech of S2V</source>
        <translation>speech von S2V</translation>
    </message>
    <message>
        <source>{} ({}) makes one video at a time</source>
        <translation>{} ({}) macht ein Video auf einmal</translation>
    </message>
    <message>
        <source>Leave it out, and make the others by runs of their own</source>
        <translation>Lassen Sie es weg, und machen Sie die anderen in eigenen Läufen</translation>
    </message>
    <message>
        <source>{} ({}) attends to a driving video as well, whose keys lie in no blocks that sparse_attention {} could leave out</source>
        <translation>{} ({}) achtet auch auf ein Bewegungsvideo, dessen Schlüssel in keinen Blöcken liegen, die sparse_attention {} auslassen könnte</translation>
    </message>
    <message>
        <source>Write none</source>
        <translation>none schreiben</translation>
    </message>
    <message>
        <source>the folder cannot be made ({})</source>
        <translation>der Ordner kann nicht angelegt werden ({})</translation>
    </message>
    <message>
        <source>Choose another place for the video</source>
        <translation>Wählen Sie einen anderen Ort für das Video</translation>
    </message>
    <message>
        <source>another program makes this video</source>
        <translation>ein anderes Programm macht dieses Video</translation>
    </message>
    <message>
        <source>Wait until it is done, or choose another name</source>
        <translation>Warten Sie, bis es fertig ist, oder wählen Sie einen anderen Namen</translation>
    </message>
    <message>
        <source>the video is another than when the work was planned</source>
        <translation>das Video ist ein anderes als bei der Planung der Arbeit</translation>
    </message>
    <message>
        <source>Begin again</source>
        <translation>Beginnen Sie neu</translation>
    </message>
    <message>
        <source>this system&apos;s libavcodec cannot write {}</source>
        <translation>libavcodec dieses Systems kann {} nicht schreiben</translation>
    </message>
    <message>
        <source>Choose a name that ends in {}</source>
        <translation>Wählen Sie einen Namen, der auf {} endet</translation>
    </message>
    <message>
        <source>the video would take the place of the one that it is made of</source>
        <translation>das Video würde das ersetzen, aus dem es gemacht wird</translation>
    </message>
    <message>
        <source>Choose another name</source>
        <translation>Wählen Sie einen anderen Namen</translation>
    </message>
    <message>
        <source>the factor {} is not between 1 and {}</source>
        <translation>der Faktor {} liegt nicht zwischen 1 und {}</translation>
    </message>
    <message>
        <source>Give a factor such as 2</source>
        <translation>Geben Sie einen Faktor an, etwa 2</translation>
    </message>
    <message>
        <source>it is no video: it does not say how many frames it shows a second</source>
        <translation>es ist kein Video: es sagt nicht, wie viele Bilder pro Sekunde es zeigt</translation>
    </message>
    <message>
        <source>Choose a video file, or a run with its video</source>
        <translation>Wählen Sie eine Videodatei oder einen Lauf mit seinem Video</translation>
    </message>
    <message>
        <source>its frames are not evenly spaced in time</source>
        <translation>seine Bilder haben ungleiche zeitliche Abstände</translation>
    </message>
    <message>
        <source>Make its rate constant first: ffmpeg -i VIDEO -vf fps={} OUT</source>
        <translation>Machen Sie seine Rate zuerst gleichmäßig: ffmpeg -i VIDEO -vf fps={} OUT</translation>
    </message>
    <message>
        <source>it has no frames</source>
        <translation>es hat keine Bilder</translation>
    </message>
    <message>
        <source>Choose another video</source>
        <translation>Wählen Sie ein anderes Video</translation>
    </message>
    <message>
        <source>new frames need a network that makes them</source>
        <translation>neue Bilder brauchen ein Netz, das sie macht</translation>
    </message>
    <message>
        <source>Name a file of RIFE, such as rife_v4.26.safetensors or flownet.pkl; or {} to mix the frames beside</source>
        <translation>Nennen Sie eine Datei von RIFE, etwa rife_v4.26.safetensors oder flownet.pkl; oder {}, um die benachbarten Bilder zu mischen</translation>
    </message>
    <message>
        <source>its size {}x{} is odd, which videos of {} do not have</source>
        <translation>seine Größe {}x{} ist ungerade, was Videos in {} nicht haben</translation>
    </message>
    <message>
        <source>Enlarge it, too: upscale 2</source>
        <translation>Vergrößern Sie es auch: upscale 2</translation>
    </message>
    <message>
        <source>No network was named: pictures are enlarged by the filter {}, which adds no detail</source>
        <translation>Kein Netz wurde genannt: Bilder werden durch den Filter {} vergrößert, der keine Einzelheiten hinzufügt</translation>
    </message>
    <message>
        <source>this network keeps the size</source>
        <translation>dieses Netz behält die Größe</translation>
    </message>
    <message>
        <source>Choose a network that enlarges, or {}</source>
        <translation>Wählen Sie ein Netz, das vergrößert, oder {}</translation>
    </message>
    <message>
        <source>The network enlarges {} times; {} makes {} times of it</source>
        <translation>Das Netz vergrößert {}-fach; {} macht daraus {}-fach</translation>
    </message>
    <message>
        <source>The smallest tiles take {}, more than the {} that were allowed</source>
        <translation>Die kleinsten Kacheln brauchen {}, mehr als die erlaubten {}</translation>
    </message>
    <message>
        <source>Choose a name that ends in .mp4 or .webm</source>
        <translation>Wählen Sie einen Namen, der auf .mp4 oder .webm endet</translation>
    </message>
    <message>
        <source>it has no sound</source>
        <translation>sie hat keinen Ton</translation>
    </message>
    <message>
        <source>Choose another sound file</source>
        <translation>Wählen Sie eine andere Tondatei</translation>
    </message>
    <message>
        <source>nothing was asked for</source>
        <translation>es wurde nichts verlangt</translation>
    </message>
    <message>
        <source>Ask for one of interpolate, upscale and audio</source>
        <translation>Verlangen Sie interpolate, upscale oder audio</translation>
    </message>
    <message>
        <source>it does not say how its sound is sampled</source>
        <translation>sie sagt nicht, wie ihr Ton abgetastet ist</translation>
    </message>
    <message>
        <source>the part of the sound has no length</source>
        <translation>der Teil des Tons hat keine Länge</translation>
    </message>
    <message>
        <source>the sound ends before the part that is asked for</source>
        <translation>der Ton endet vor dem verlangten Teil</translation>
    </message>
    <message>
        <source>Add the sound without trimming, fading or looping it, or choose another video format</source>
        <translation>Fügen Sie den Ton ungeschnitten, ohne Blenden und Wiederholung hinzu, oder wählen Sie ein anderes Videoformat</translation>
    </message>
    <message>
        <source>the encoder {} refuses {} channels of {} samples a second ({})</source>
        <translation>der Encoder {} lehnt {} Kanäle mit {} Abtastwerten pro Sekunde ab ({})</translation>
    </message>
    <message>
        <source>Choose MP4 or WebM</source>
        <translation>Wählen Sie MP4 oder WebM</translation>
    </message>
    <message>
        <source>its sound cannot be converted ({})</source>
        <translation>sein Ton lässt sich nicht umwandeln ({})</translation>
    </message>
    <message>
        <source>Choose another sound, such as a WAV, MP3 or M4A file, or write this one again</source>
        <translation>Wählen Sie einen anderen Ton, etwa eine WAV-, MP3- oder M4A-Datei, oder schreiben Sie diesen neu</translation>
    </message>
    <message>
        <source>its sound changes from {} samples a second to {}</source>
        <translation>sein Ton wechselt von {} Abtastwerten in der Sekunde zu {}</translation>
    </message>
    <message>
        <source>this system&apos;s libavcodec cannot decode its sound ({})</source>
        <translation>das libavcodec dieses Systems kann seinen Ton nicht decodieren ({})</translation>
    </message>
    <message>
        <source>its sound ({}) cannot be decoded ({})</source>
        <translation>sein Ton ({}) lässt sich nicht decodieren ({})</translation>
    </message>
    <message>
        <source>its sound cannot be read to the end</source>
        <translation>sein Ton lässt sich nicht bis zum Ende lesen</translation>
    </message>
    <message>
        <source>the file has no sound</source>
        <translation>die Datei hat keinen Ton</translation>
    </message>
    <message>
        <source>nothing of its sound ({}) can be decoded</source>
        <translation>von seinem Ton ({}) lässt sich nichts decodieren</translation>
    </message>
    <message>
        <source>the sound has {} samples, and the sound encoder needs at least {}</source>
        <translation>der Ton hat {} Abtastwerte, und der Toncodierer braucht mindestens {}</translation>
    </message>
    <message>
        <source>Choose a longer sound</source>
        <translation>Wählen Sie einen längeren Ton</translation>
    </message>
    <message>
        <source>The norm {} is not supported</source>
        <translation>Die Norm {} wird nicht unterstützt</translation>
    </message>
    <message>
        <source>Supported are {} and {}</source>
        <translation>Unterstützt werden {} und {}</translation>
    </message>
    <message>
        <source>{} channels cannot be shared out to {} groups</source>
        <translation>{} Kanäle lassen sich nicht auf {} Gruppen verteilen</translation>
    </message>
    <message>
        <source>it has {} audio injectors, and behind which blocks they are is known for the released models only</source>
        <translation>es hat {} Audio-Injektoren, und hinter welchen Blöcken sie stehen, ist nur von den veröffentlichten Modellen bekannt</translation>
    </message>
    <message>
        <source>Use Wan 2.2 S2V with image and speech</source>
        <translation>Wan 2.2 S2V mit image und speech verwenden</translation>
    </message>
    <message>
        <source>character animation by a video (Animate-2), in few steps</source>
        <translation>Figur nach einem Video bewegen (Animate-2), in wenigen Schritten</translation>
    </message>
    <message>
        <source>character animation by a video (Animate-2)</source>
        <translation>Figur nach einem Video bewegen (Animate-2)</translation>
    </message>
    <message>
        <source>two tensors of the file have one place in the network</source>
        <translation>zwei Tensoren der Datei haben denselben Platz im Netz</translation>
    </message>
    <message>
        <source>Get the file again from where it was published</source>
        <translation>Holen Sie die Datei noch einmal von dort, wo sie veröffentlicht wurde</translation>
    </message>
    <message>
        <source>the network&apos;s tensor &apos;{}&apos; is missing</source>
        <translation>der Tensor „{}“ des Netzes fehlt</translation>
    </message>
    <message>
        <source>the network&apos;s tensor &apos;{}&apos; has the shape {}, not {}</source>
        <translation>der Tensor „{}“ des Netzes hat die Form {}, nicht {}</translation>
    </message>
    <message>
        <source>Use RIFE {}</source>
        <translation>Verwenden Sie RIFE {}</translation>
    </message>
    <message>
        <source>this is FILM, which Meshreel does not compute</source>
        <translation>das ist FILM, das Meshreel nicht rechnet</translation>
    </message>
    <message>
        <source>this is no network that makes frames between two others</source>
        <translation>das ist kein Netz, das Bilder zwischen zwei anderen macht</translation>
    </message>
    <message>
        <source>this is RIFE from before 4.5, which Meshreel does not compute</source>
        <translation>das ist RIFE von vor 4.5, das Meshreel nicht rechnet</translation>
    </message>
    <message>
        <source>this form of RIFE is not among those that Meshreel computes, as 4.10 to 4.20 are not: {} blocks that take {} and make {} channels</source>
        <translation>diese Form von RIFE ist nicht unter denen, die Meshreel rechnet, wie auch 4.10 bis 4.20 nicht: {} Blöcke, die {} Kanäle nehmen und {} machen</translation>
    </message>
    <message>
        <source>Use a network of ESRGAN&apos;s or Real-ESRGAN&apos;s kind, such as 4x-UltraSharp, RealESRGAN_x2plus or realesr-general-x4v3</source>
        <translation>Verwenden Sie ein Netz der Art von ESRGAN oder Real-ESRGAN, etwa 4x-UltraSharp, RealESRGAN_x2plus oder realesr-general-x4v3</translation>
    </message>
    <message>
        <source>its ends do not fit each other: {} channels go in, and {} convolutions are behind the blocks</source>
        <translation>seine Enden passen nicht zueinander: {} Kanäle gehen hinein, und {} Faltungen stehen hinter den Blöcken</translation>
    </message>
    <message>
        <source>the file does not say which activation the network has</source>
        <translation>die Datei sagt nicht, welche Aktivierung das Netz hat</translation>
    </message>
    <message>
        <source>Use a network with PReLU, as realesr-general and realesr-animevideo have</source>
        <translation>Verwenden Sie ein Netz mit PReLU, wie realesr-general und realesr-animevideo es haben</translation>
    </message>
    <message>
        <source>its last convolution makes no squares of colours</source>
        <translation>seine letzte Faltung macht keine Quadrate aus Farben</translation>
    </message>
    <message>
        <source>this is no network of a kind that Meshreel enlarges pictures with</source>
        <translation>das ist kein Netz einer Art, mit der Meshreel Bilder vergrößert</translation>
    </message>
    <message>
        <source>the network has a layer that Meshreel does not compute (&apos;{}&apos;)</source>
        <translation>das Netz hat eine Schicht, die Meshreel nicht rechnet („{}“)</translation>
    </message>
    <message>
        <source>The variant {} was never released and is not supported</source>
        <translation>Die Variante {} wurde nie veröffentlicht und wird nicht unterstützt</translation>
    </message>
    <message>
        <source>Supported is {}</source>
        <translation>Unterstützt wird {}</translation>
    </message>
    <message>
        <source>The value is not a list of some of the {} blocks</source>
        <translation>Der Wert ist keine Liste einiger der {} Blöcke</translation>
    </message>
    <message>
        <source>The blocks do not ascend</source>
        <translation>Die Blöcke steigen nicht an</translation>
    </message>
    <message>
        <source>This variant was never released and is not supported</source>
        <translation>Diese Variante wurde nie veröffentlicht und wird nicht unterstützt</translation>
    </message>
    <message>
        <source>{} videos of this transformer need the hidden states [{}, {}, {}, columns] of a sound, with {} columns for each latent frame, got {}</source>
        <translation>{} Videos dieses Transformers brauchen die verborgenen Zustände [{}, {}, {}, Spalten] eines Tons, mit {} Spalten für jedes latente Bild; gegeben ist {}</translation>
    </message>
    <message>
        <source>Use the sound encoder that belongs to the transformer</source>
        <translation>Verwenden Sie den Toncodierer, der zum Transformer gehört</translation>
    </message>
    <message>
        <source>a sound</source>
        <translation>ein Ton</translation>
    </message>
    <message>
        <source>A driving video of latents {} does not go with latents {}, whose first frame shows the character</source>
        <translation>Ein Bewegungsvideo aus Latents {} passt nicht zu Latents {}, deren erstes Bild die Figur zeigt</translation>
    </message>
    <message>
        <source>Give it the size of the video, and a frame less</source>
        <translation>Ihm die Größe des Videos geben und ein Bild weniger</translation>
    </message>
    <message>
        <source>Latents of {} frames got the sound of {}</source>
        <translation>Latents von {} Bildern bekamen den Ton von {}</translation>
    </message>
    <message>
        <source>Give {} columns of sound for each latent frame</source>
        <translation>Geben Sie {} Spalten Ton für jedes latente Bild an</translation>
    </message>
    <message>
        <source>Sparse attention: {} % of the pairs of blocks were computed exactly</source>
        <translation>Ausgedünnte Attention: {} % der Blockpaare wurden genau berechnet</translation>
    </message>
    <message>
        <source>{}; {} of {} hops of keys were left out</source>
        <translation>{}; {} von {} Hops der Keys entfielen</translation>
    </message>
    <message>
        <source>{}; what was compared differs from dense attention by {} (relative L2)</source>
        <translation>{}; das Verglichene weicht um {} von dichter Attention ab (relatives L2)</translation>
    </message>
    <message>
        <source>No tensor tells Animate-2 from image to video, and neither the model&apos;s name nor its configs say that it is Animate-2: of other weights {} makes nothing useful</source>
        <translation>Kein Tensor unterscheidet Animate-2 von Bild zu Video, und weder Name noch Konfiguration des Modells sagen, dass es Animate-2 ist: mit anderen Gewichten macht {} nichts Brauchbares</translation>
    </message>
    <message>
        <source>{} leaves no blocks out, and sparse_attention is {}</source>
        <translation>{} lässt keine Blöcke aus, und sparse_attention ist {}</translation>
    </message>
    <message>
        <source>Use attention: {}, or sparse_attention: none</source>
        <translation>Nutzen Sie attention: {}, oder sparse_attention: none</translation>
    </message>
    <message>
        <source>Use sparse_attention: none</source>
        <translation>Nutzen Sie sparse_attention: none</translation>
    </message>
    <message>
        <source>sparse_attention {} needs all keys of a head on one device, and {} spreads them over {}</source>
        <translation>sparse_attention {} braucht alle Keys eines Kopfes auf einem Gerät, und {} verteilt sie auf {}</translation>
    </message>
    <message>
        <source>Use attention: ulysses, or sparse_attention: sol or radial</source>
        <translation>Nutzen Sie attention: ulysses, oder sparse_attention: sol oder radial</translation>
    </message>
    <message>
        <source>Use sparse_attention: sol or radial</source>
        <translation>Nutzen Sie sparse_attention: sol oder radial</translation>
    </message>
    <message>
        <source>Sparse attention begins at {} of the steps and ends at {}: there is none</source>
        <translation>Ausgedünnte Attention beginnt bei {} der Schritte und endet bei {}: es gibt keine</translation>
    </message>
    <message>
        <source>Write 1, or sparse_attention: none</source>
        <translation>Schreiben Sie 1, oder sparse_attention: none</translation>
    </message>
    <message>
        <source>Name a sound file, such as WAV, MP3 or M4A, or a video with sound</source>
        <translation>Nennen Sie eine Tondatei, etwa WAV, MP3 oder M4A, oder ein Video mit Ton</translation>
    </message>
    <message>
        <source>flash_block_sizes are those of sparse attention, too</source>
        <translation>flash_block_sizes gelten auch für ausgedünnte Attention</translation>
    </message>
    <message>
        <source>sparse_start_percent and sparse_end_percent say which steps</source>
        <translation>sparse_start_percent und sparse_end_percent sagen, welche Schritte</translation>
    </message>
    <message>
        <source>sparse_dense_layers says which layers</source>
        <translation>sparse_dense_layers sagt, welche Schichten</translation>
    </message>
    <message>
        <source>Write sparse_attention: svg</source>
        <translation>Schreiben Sie sparse_attention: svg</translation>
    </message>
    <message>
        <source>Write the numbers of transformer blocks, from 0 on, separated by commas</source>
        <translation>Schreiben Sie die Nummern von Transformer-Blöcken, ab 0, durch Kommas getrennt</translation>
    </message>
    <message>
        <source>The queue has no list of runs</source>
        <translation>Die Warteschlange hat keine Liste von Läufen</translation>
    </message>
    <message>
        <source>the lock of the queue cannot be opened ({})</source>
        <translation>die Sperre der Warteschlange lässt sich nicht öffnen ({})</translation>
    </message>
    <message>
        <source>Check the path and its permissions</source>
        <translation>Prüfen Sie den Pfad und seine Rechte</translation>
    </message>
    <message>
        <source>another program has held the queue for {} s</source>
        <translation>ein anderes Programm hält die Warteschlange seit {} s</translation>
    </message>
    <message>
        <source>Close other programs that use the queue, or try again</source>
        <translation>Schließen Sie andere Programme, die die Warteschlange benutzen, oder versuchen Sie es noch einmal</translation>
    </message>
    <message>
        <source>the video was written in another format than it is finished in</source>
        <translation>das Video wurde in einem anderen Format geschrieben, als es fertiggestellt wird</translation>
    </message>
    <message>
        <source>Write video_format: webm</source>
        <translation>Schreiben Sie video_format: webm</translation>
    </message>
    <message>
        <source>Finished video: {}</source>
        <translation>Fertiges Video: {}</translation>
    </message>
    <message>
        <source>The disk is mounted read-only: choose a folder on another one</source>
        <translation>Der Datenträger ist nur lesbar eingehängt: Wählen Sie einen Ordner auf einem anderen</translation>
    </message>
    <message>
        <source>Where a company&apos;s proxy reads the traffic, set SSL_CERT_FILE to a file with the certificate of its authority</source>
        <translation>Wo der Proxy eines Unternehmens mitliest, setzen Sie SSL_CERT_FILE auf eine Datei mit dem Zertifikat seiner Zertifizierungsstelle</translation>
    </message>
    <message>
        <source>the proxy between here and {} asks for a user and a password (HTTP 407)</source>
        <translation>der Proxy zwischen hier und {} verlangt Benutzer und Passwort (HTTP 407)</translation>
    </message>
    <message>
        <source>Write them into https_proxy: http://USER:PASSWORD@PROXY:PORT</source>
        <translation>Schreiben Sie sie in https_proxy: http://USER:PASSWORD@PROXY:PORT</translation>
    </message>
    <message>
        <source>The sound is compressed anew: {}</source>
        <translation>Der Ton wird neu komprimiert: {}</translation>
    </message>
    <message>
        <source>this JPEG has four colours (as for print) and does not say which</source>
        <translation>dieses JPEG hat vier Farben (wie für den Druck) und sagt nicht, welche</translation>
    </message>
    <message>
        <source>Convert it to PNG or to a JPEG of red, green and blue</source>
        <translation>Wandeln Sie es in PNG oder ein JPEG aus Rot, Grün und Blau um</translation>
    </message>
    <message>
        <source>Choose a part that it has</source>
        <translation>Wählen Sie einen Teil, den sie hat</translation>
    </message>
    <message>
        <source>its sound begins at {} seconds</source>
        <translation>ihr Ton beginnt bei {} Sekunden</translation>
    </message>
    <message>
        <source>its sound changes its form on the way</source>
        <translation>ihr Ton ändert unterwegs seine Form</translation>
    </message>
    <message>
        <source>Use a sound with one or two channels</source>
        <translation>Nehmen Sie einen Ton mit einem oder zwei Kanälen</translation>
    </message>
    <message>
        <source>The sound stays as it is ({}), and players of Apple and some editors play none of this kind in MP4: choose WebM, or a file whose sound is AAC.</source>
        <translation>Der Ton bleibt, wie er ist ({}), und Abspieler von Apple und manche Schnittprogramme spielen diese Art in MP4 nicht: Wählen Sie WebM oder eine Datei mit AAC-Ton.</translation>
    </message>
    <message>
        <source>The colon behind {}, or the space after it, is that of another keyboard</source>
        <translation>Der Doppelpunkt hinter {} oder das Leerzeichen danach ist von einer anderen Tastatur</translation>
    </message>
    <message>
        <source>Write {}: with an ASCII colon and a space behind it</source>
        <translation>Schreiben Sie {}: mit einem ASCII-Doppelpunkt und einem Leerzeichen dahinter</translation>
    </message>
    <message>
        <source>this tensor of the adapter holds NaN or infinity</source>
        <translation>dieser Tensor des Adapters enthält NaN oder Unendlich</translation>
    </message>
    <message>
        <source>Its training failed: use an earlier file of it, or another adapter</source>
        <translation>Sein Training ist gescheitert: Nehmen Sie eine frühere Datei oder einen anderen Adapter</translation>
    </message>
    <message>
        <source>{} with a scale of its own kind ({})</source>
        <translation>{} mit einer Skala eigener Art ({})</translation>
    </message>
    <message>
        <source>it holds two adapters: &apos;{}&apos; and &apos;{}&apos; are for the same layer</source>
        <translation>sie enthält zwei Adapter: „{}“ und „{}“ gehören zu derselben Schicht</translation>
    </message>
    <message>
        <source>Save the one that you want into a file of its own</source>
        <translation>Speichern Sie den gewünschten in einer eigenen Datei</translation>
    </message>
    <message>
        <source>its keys name layers of the transformer in a form that is not read</source>
        <translation>ihre Schlüssel nennen Schichten des Transformers in einer Form, die nicht gelesen wird</translation>
    </message>
    <message>
        <source>Convert it to the keys of ComfyUI or PEFT, as its trainer describes</source>
        <translation>Wandeln Sie sie in die Schlüssel von ComfyUI oder PEFT um, wie ihr Trainer es beschreibt</translation>
    </message>
    <message>
        <source>this is one of {} files, and of these are missing: {}</source>
        <translation>dies ist eine von {} Dateien, und von diesen fehlen: {}</translation>
    </message>
</context>
<context>
    <name>HostTexts</name>
    <message numerus="yes">
        <source>%n slot(s)</source>
        <comment>of a host, for ranks</comment>
        <translation>
            <numerusform>%n Platz</numerusform>
            <numerusform>%n Plätze</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n host(s)</source>
        <translation>
            <numerusform>%n Rechner</numerusform>
            <numerusform>%n Rechner</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>RunCharts</name>
    <message>
        <source>Attention</source>
        <translation>Attention</translation>
    </message>
    <message>
        <source>Exchange and waiting</source>
        <translation>Austausch und Warten</translation>
    </message>
    <message>
        <source>Seconds of denoising</source>
        <translation>Sekunden des Entrauschens</translation>
    </message>
    <message>
        <source>Device %1</source>
        <translation>Gerät %1</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>Seconds</source>
        <translation>Sekunden</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>Geschwindigkeit</translation>
    </message>
    <message>
        <source>Perfect scaling</source>
        <translation>Ideale Skalierung</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>Laden</translation>
    </message>
    <message>
        <source>Compile</source>
        <translation>Vorbereiten</translation>
    </message>
    <message>
        <source>Conditioning</source>
        <translation>Konditionierung</translation>
    </message>
    <message>
        <source>Denoising</source>
        <translation>Entrauschen</translation>
    </message>
    <message>
        <source>VAE decoding</source>
        <translation>VAE-Dekodierung</translation>
    </message>
    <message>
        <source>Planned</source>
        <translation>Geplant</translation>
    </message>
    <message>
        <source>Held at most</source>
        <translation>Höchstens belegt</translation>
    </message>
    <message>
        <source>%1 s</source>
        <comment>seconds</comment>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <comment>milliseconds</comment>
        <translation>%1 ms</translation>
    </message>
    <message>
        <source>≤ %1</source>
        <translation>≤ %1</translation>
    </message>
    <message>
        <source>Computing</source>
        <translation>Rechnen</translation>
    </message>
    <message>
        <source>Exchange</source>
        <translation>Austausch</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>Warten</translation>
    </message>
    <message>
        <source>Outside of attention</source>
        <translation>Außerhalb der Attention</translation>
    </message>
    <message>
        <source>Thread %1</source>
        <translation>Thread %1</translation>
    </message>
    <message>
        <source>From the trace, as this run has no devices.csv: attention only, exchange and waiting in one</source>
        <translation>Aus dem Trace, da dieser Lauf keine devices.csv hat: nur Attention, Austausch und Warten in einem</translation>
    </message>
    <message>
        <source>Efficiency in %</source>
        <translation>Effizienz in %</translation>
    </message>
    <message>
        <source>Efficiency</source>
        <translation>Effizienz</translation>
    </message>
    <message>
        <source>Standard deviation of %1 runs: %2</source>
        <translation>Standardabweichung von %1 Läufen: %2</translation>
    </message>
    <message>
        <source>Expert %1</source>
        <translation>Experte %1</translation>
    </message>
    <message>
        <source>Inference, undivided</source>
        <translation>Inferenz, ungeteilt</translation>
    </message>
    <message>
        <source>FLOP per byte that has to be moved</source>
        <translation>FLOP je Byte, das zu bewegen ist</translation>
    </message>
    <message>
        <source>Operations under the machine&apos;s limits</source>
        <translation>Operationen unter den Grenzen der Maschine</translation>
    </message>
    <message>
        <source>%1, memory %2 GB/s</source>
        <translation>%1, Speicher %2 GB/s</translation>
    </message>
    <message>
        <source>, standard deviation %1</source>
        <translation>, Standardabweichung %1</translation>
    </message>
    <message>
        <source> (the project&apos;s own)</source>
        <translation> (die des Projekts)</translation>
    </message>
    <message>
        <source>GPU idle</source>
        <translation>GPU-Leerlauf</translation>
    </message>
    <message>
        <source>Seconds of inference</source>
        <translation>Sekunden der Inferenz</translation>
    </message>
    <message>
        <source>Preferred in % of comparisons</source>
        <translation>Bevorzugt in % der Vergleiche</translation>
    </message>
    <message>
        <source>Preferred: %1 % (%2 to %3 %), %4 votes</source>
        <translation>Bevorzugt: %1 % (%2 bis %3 %), Stimmen: %4</translation>
    </message>
    <message>
        <source>Seconds of inference: %1</source>
        <translation>Sekunden der Inferenz: %1</translation>
    </message>
    <message>
        <source> (%1 to %2)</source>
        <comment>least and most seconds</comment>
        <translation> (%1 bis %2)</translation>
    </message>
</context>
<context>
    <name>TrustSheet</name>
    <message>
        <source>… and %1 more.</source>
        <translation>… und %1 weitere.</translation>
    </message>
</context>
<context>
    <name>main</name>
    <message>
        <source>Studio for Wan video generation.</source>
        <translation>Studio zur Videoerzeugung mit Wan.</translation>
    </message>
    <message>
        <source>Go on at once with the runs that wait in the queue.</source>
        <translation>Sofort mit den Läufen weitermachen, die in der Warteschlange stehen.</translation>
    </message>
    <message>
        <source>Project file, run folder or video to open.</source>
        <translation>Zu öffnende Projektdatei, Laufordner oder Video.</translation>
    </message>
</context>
<context>
    <name>meshreel::ActivityGraph</name>
    <message>
        <source>%1: %2 of %3</source>
        <comment>quantity, its value, the most there can be</comment>
        <translation>%1: %2 von %3</translation>
    </message>
    <message>
        <source>%1 after %2 s</source>
        <comment>value, seconds</comment>
        <translation>%1 nach %2 s</translation>
    </message>
    <message>
        <source>Appears during a run</source>
        <translation>Erscheint während eines Laufs</translation>
    </message>
    <message>
        <source>The arrow keys, Home and End go from moment to moment, Escape hides the values.</source>
        <translation>Die Pfeiltasten, Pos1 und Ende gehen von Zeitpunkt zu Zeitpunkt, Esc nennt keinen mehr.</translation>
    </message>
</context>
<context>
    <name>meshreel::ActivityPanel</name>
    <message>
        <source>Processors</source>
        <translation>Prozessoren</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Warnings only</source>
        <translation>Nur Warnungen</translation>
    </message>
    <message>
        <source>Processors that this program keeps busy; those of launched ranks are not in it</source>
        <translation>Prozessoren, die dieses Programm auslastet; die gestarteter Ränge sind nicht enthalten</translation>
    </message>
    <message>
        <source>Memory of this program without pages of files; that of launched ranks is not in it</source>
        <translation>Speicher dieses Programms ohne Seiten von Dateien; der gestarteter Ränge ist nicht enthalten</translation>
    </message>
    <message>
        <source>Search the log</source>
        <translation>Protokoll durchsuchen</translation>
    </message>
    <message>
        <source>Log of the run</source>
        <translation>Protokoll des Laufs</translation>
    </message>
    <message>
        <source>No line of the log has these words.</source>
        <translation>Keine Zeile des Protokolls enthält diese Wörter.</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Save log…</source>
        <translation>Protokoll speichern …</translation>
    </message>
    <message>
        <source>Write the whole log to a file, to be sent with a report</source>
        <translation>Das ganze Protokoll in eine Datei schreiben, um sie einem Bericht beizulegen</translation>
    </message>
    <message>
        <source>Save log</source>
        <translation>Protokoll speichern</translation>
    </message>
    <message>
        <source>Text (*.txt)</source>
        <translation>Text (*.txt)</translation>
    </message>
    <message>
        <source>Processors and memory</source>
        <translation>Prozessoren und Speicher</translation>
    </message>
    <message>
        <source>What a run reports is listed here and can be searched: press Run.</source>
        <translation>Was ein Lauf meldet, steht hier und lässt sich durchsuchen: auf „Ausführen“ klicken.</translation>
    </message>
</context>
<context>
    <name>meshreel::ActivitySheet</name>
    <message>
        <source>Seconds of the run</source>
        <translation>Sekunden des Laufs</translation>
    </message>
    <message>
        <source>Busy processors</source>
        <translation>Ausgelastete Prozessoren</translation>
    </message>
    <message>
        <source>Memory in GiB</source>
        <translation>Speicher in GiB</translation>
    </message>
    <message>
        <source>Nothing was measured yet</source>
        <translation>Noch wurde nichts gemessen</translation>
    </message>
    <message>
        <source>Run something first</source>
        <translation>Zuerst etwas ausführen</translation>
    </message>
</context>
<context>
    <name>meshreel::AdapterField</name>
    <message>
        <source>high noise</source>
        <translation>starkes Rauschen</translation>
    </message>
    <message>
        <source>low noise</source>
        <translation>schwaches Rauschen</translation>
    </message>
    <message>
        <source>every expert</source>
        <translation>jeder Experte</translation>
    </message>
    <message>
        <source>Add adapters…</source>
        <translation>Adapter hinzufügen …</translation>
    </message>
    <message>
        <source>Choose adapters (LoRA), or drop them here</source>
        <translation>Adapter (LoRA) wählen oder hier ablegen</translation>
    </message>
    <message>
        <source>Choose adapters</source>
        <translation>Adapter wählen</translation>
    </message>
    <message>
        <source>Adapters (*.safetensors)</source>
        <translation>Adapter (*.safetensors)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>Alle Dateien (*)</translation>
    </message>
    <message>
        <source>File of adapter %1</source>
        <translation>Datei des Adapters %1</translation>
    </message>
    <message>
        <source>Remove adapter %1</source>
        <translation>Adapter %1 entfernen</translation>
    </message>
    <message>
        <source>Strength of adapter %1</source>
        <translation>Stärke des Adapters %1</translation>
    </message>
    <message>
        <source>Strength: 1 is as it was trained, 0 is without it</source>
        <translation>Stärke: 1 ist wie trainiert, 0 ist ohne ihn</translation>
    </message>
    <message>
        <source>Expert of adapter %1</source>
        <translation>Experte des Adapters %1</translation>
    </message>
    <message>
        <source>For which of Wan 2.2&apos;s two transformers it is made</source>
        <translation>Für welchen der zwei Transformer von Wan 2.2 er gemacht ist</translation>
    </message>
    <message>
        <source>as its name says</source>
        <translation>wie sein Name sagt</translation>
    </message>
    <message>
        <source>Use adapter %1</source>
        <translation>Adapter %1 verwenden</translation>
    </message>
    <message>
        <source>Use this adapter. Switched off, its strength is 0, and its file is not read.</source>
        <translation>Diesen Adapter verwenden. Ausgeschaltet ist seine Stärke 0, und seine Datei wird nicht gelesen.</translation>
    </message>
</context>
<context>
    <name>meshreel::AddButton</name>
    <message>
        <source>The open project</source>
        <translation>Das offene Projekt</translation>
    </message>
    <message>
        <source>Project files…</source>
        <translation>Projektdateien …</translation>
    </message>
    <message>
        <source>Run folder…</source>
        <translation>Ordner eines Laufs …</translation>
    </message>
    <message>
        <source>Pasted timings…</source>
        <translation>Eingefügte Zeiten …</translation>
    </message>
    <message>
        <source>Compare with a TIMING SUMMARY block copied from elsewhere</source>
        <translation>Mit einem anderswo kopierten TIMING SUMMARY-Block vergleichen</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>Hinzufügen</translation>
    </message>
    <message>
        <source>Compare with further runs, projects or timings; runs and project files can be dropped here too</source>
        <translation>Mit weiteren Läufen, Projekten oder Zeiten vergleichen; Läufe und Projektdateien können auch hierher gezogen werden</translation>
    </message>
    <message>
        <source>Compare with projects</source>
        <translation>Mit Projekten vergleichen</translation>
    </message>
    <message>
        <source>Projects (*.yaml *.yml)</source>
        <translation>Projekte (*.yaml *.yml)</translation>
    </message>
    <message>
        <source>Compare with a run folder</source>
        <translation>Mit dem Ordner eines Laufs vergleichen</translation>
    </message>
    <message>
        <source>Paste timings</source>
        <translation>Zeiten einfügen</translation>
    </message>
    <message>
        <source>TIMING SUMMARY blocks, with the text around them if you like:</source>
        <translation>TIMING SUMMARY-Blöcke, auf Wunsch mit dem Text darum herum:</translation>
    </message>
</context>
<context>
    <name>meshreel::AttentionModeModel</name>
    <message>
        <source>gather keys</source>
        <translation>Keys sammeln</translation>
    </message>
    <message>
        <source>tokens for heads</source>
        <translation>Tokens ↔ Köpfe</translation>
    </message>
    <message>
        <source>–</source>
        <comment>no exchange</comment>
        <translation>–</translation>
    </message>
    <message>
        <source>–</source>
        <comment>no rotation</comment>
        <translation>–</translation>
    </message>
    <message>
        <source>ring</source>
        <translation>Ring</translation>
    </message>
    <message>
        <source>both ways</source>
        <translation>beidseitig</translation>
    </message>
    <message>
        <source>dense</source>
        <translation>dicht</translation>
    </message>
    <message>
        <source>flash</source>
        <translation>flash</translation>
    </message>
    <message>
        <source>custom</source>
        <translation>Custom</translation>
    </message>
    <message>
        <source>custom, fixed bound</source>
        <translation>Custom, feste Schranke</translation>
    </message>
    <message>
        <source>not here</source>
        <translation>nicht hier</translation>
    </message>
    <message>
        <source>Mode</source>
        <translation>Modus</translation>
    </message>
    <message>
        <source>Exchange</source>
        <translation>Austausch</translation>
    </message>
    <message>
        <source>Rotation</source>
        <translation>Umlauf</translation>
    </message>
    <message>
        <source>Kernel</source>
        <translation>Kernel</translation>
    </message>
    <message>
        <source>Per step</source>
        <translation>Je Schritt</translation>
    </message>
    <message>
        <source>queries ÷ C, all keys</source>
        <translation>Queries ÷ C, alle Keys</translation>
    </message>
    <message>
        <source>tokens ÷ C</source>
        <translation>Tokens ÷ C</translation>
    </message>
    <message>
        <source>heads ÷ U, tokens ÷ R</source>
        <translation>Köpfe ÷ U, Tokens ÷ R</translation>
    </message>
    <message>
        <source>heads ÷ C, all tokens</source>
        <translation>Köpfe ÷ C, alle Tokens</translation>
    </message>
    <message>
        <source>While it computes, a device holds %1.</source>
        <translation>Während es rechnet, hält ein Gerät: %1.</translation>
    </message>
    <message>
        <source>What a device has while it computes an attention: of what stands before ÷ its part, shared out over the context axis (C), an ulysses group (U) or a ring (R)</source>
        <translation>Was ein Gerät hat, während es eine Attention rechnet: was vor ÷ steht zu seinem Teil, verteilt über die Context-Achse (C), eine Ulysses-Gruppe (U) oder einen Ring (R)</translation>
    </message>
    <message>
        <source>A device holds</source>
        <translation>Ein Gerät hält</translation>
    </message>
</context>
<context>
    <name>meshreel::AttentionPanel</name>
    <message>
        <source>Scratch of a worker: %1, %2 % of the limit.</source>
        <translation>Scratch-Speicher eines Workers: %1, %2 % der Grenze.</translation>
    </message>
    <message>
        <source>dot_product computes all %1 scores of a query at once, without tiles.</source>
        <translation>dot_product berechnet alle %1 Scores einer Query auf einmal, ohne Kacheln.</translation>
    </message>
    <message>
        <source>%1 × %2 tiles of %3 queries × %4 keys, in products of %5 keys.</source>
        <translation>%1 × %2 Kacheln aus %3 Queries × %4 Keys, in Produkten zu %5 Keys.</translation>
    </message>
    <message>
        <source>%1 % of the tiles lie outside the matrix: computed where blocks are padded, as on accelerators, and cut off here.</source>
        <translation>%1 % der Kacheln liegen außerhalb der Matrix: wo Blöcke aufgefüllt werden, wie auf Beschleunigern, wird dort gerechnet, hier nicht.</translation>
    </message>
    <message>
        <source>Attention modes</source>
        <translation>Attention-Modi</translation>
    </message>
    <message>
        <source>Double click or press Enter to use a mode</source>
        <translation>Doppelklick oder Eingabetaste übernimmt einen Modus</translation>
    </message>
    <message>
        <source>All sizes 0: the kernel then takes what suits this processor</source>
        <translation>Alle Größen 0: Der Kernel nimmt dann, was zu diesem Prozessor passt</translation>
    </message>
    <message>
        <source>Scratch of a worker: %1, %2 % of the %3 that it has in this machine&apos;s caches; no limit is set.</source>
        <translation>Scratch-Speicher eines Workers: %1, %2 % der %3, die er in den Caches dieses Rechners hat; keine Grenze gesetzt.</translation>
    </message>
    <message>
        <source>Presets</source>
        <translation>Voreinstellungen</translation>
    </message>
    <message>
        <source>Block sizes to start from: this machine&apos;s, and those published for accelerators</source>
        <translation>Blockgrößen als Ausgangspunkt: die dieses Rechners und für Beschleuniger veröffentlichte</translation>
    </message>
    <message>
        <source>Tune on this machine…</source>
        <translation>Auf diesem Rechner abstimmen …</translation>
    </message>
    <message>
        <source>Opens Tune, which searches the sizes that are fastest here</source>
        <translation>Öffnet „Abstimmen“ und sucht dort die Größen, die hier am schnellsten sind</translation>
    </message>
    <message>
        <source>Block sizes: %1</source>
        <comment>name of a preset</comment>
        <translation>Blockgrößen: %1</translation>
    </message>
    <message>
        <source>Block sizes and tiles</source>
        <translation>Blockgrößen und Kacheln</translation>
    </message>
    <message>
        <source>modes</source>
        <comment>beside a divider</comment>
        <translation>Modi</translation>
    </message>
    <message>
        <source>block sizes</source>
        <comment>beside a divider</comment>
        <translation>Blockgrößen</translation>
    </message>
    <message>
        <source>The letters in “A device holds”: R × U = C</source>
        <translation>Die Buchstaben in „Ein Gerät hält“: R × U = C</translation>
    </message>
    <message>
        <source>C = %1 devices of the context axis · U = %2 in a Ulysses group · R = %3 such groups</source>
        <translation>C = %1 Geräte der Context-Achse · U = %2 in einer Ulysses-Gruppe · R = %3 solche Gruppen</translation>
    </message>
    <message>
        <source>Fastest on %1: %2 × %3</source>
        <comment>hardware, queries, keys</comment>
        <translation>Am schnellsten auf %1: %2 × %3</translation>
    </message>
    <message>
        <source>Foreseen, not measured: %1 s a step</source>
        <translation>Vorausberechnet, nicht gemessen: %1 s je Schritt</translation>
    </message>
</context>
<context>
    <name>meshreel::AttentionWalk</name>
    <message>
        <source>Before</source>
        <translation>Vorher</translation>
    </message>
    <message>
        <source>Every device holds all tokens of its heads.</source>
        <translation>Jedes Gerät hält alle Tokens seiner Köpfe.</translation>
    </message>
    <message>
        <source>Every device holds queries, keys and values of its own tokens, for all its heads.</source>
        <translation>Jedes Gerät hält Queries, Keys und Values der eigenen Tokens, für alle seine Köpfe.</translation>
    </message>
    <message>
        <source>groups of %1 devices</source>
        <translation>Gruppen aus %1 Geräten</translation>
    </message>
    <message>
        <source>All-to-all: tokens for heads</source>
        <translation>All-to-all: Tokens gegen Köpfe</translation>
    </message>
    <message>
        <source>All-to-all: heads for tokens</source>
        <translation>All-to-all: Köpfe gegen Tokens</translation>
    </message>
    <message>
        <source>In %1, each takes its part of the heads of all tokens of the group.</source>
        <translation>In %1 nimmt jedes Gerät seinen Teil der Köpfe aller Tokens der Gruppe.</translation>
    </message>
    <message>
        <source>In %1, each gets the results of its own tokens back, for all heads.</source>
        <translation>In %1 erhält jedes Gerät die Ergebnisse der eigenen Tokens zurück, für alle Köpfe.</translation>
    </message>
    <message>
        <source>Rotation %1 of %2</source>
        <translation>Umlauf %1 von %2</translation>
    </message>
    <message>
        <source>Each computes with its own keys and values while the next ones are on their way.</source>
        <translation>Jedes rechnet mit den eigenen Keys und Values, während die nächsten unterwegs sind.</translation>
    </message>
    <message numerus="yes">
        <source>Each adds what the keys and values from %n place(s) away give.</source>
        <translation>
            <numerusform>Jedes addiert, was die Keys und Values von einem Platz weiter beitragen.</numerusform>
            <numerusform>Jedes addiert, was die Keys und Values von %n Plätzen weiter beitragen.</numerusform>
        </translation>
    </message>
    <message>
        <source>Compute</source>
        <translation>Rechnen</translation>
    </message>
    <message>
        <source>Each computes its queries with all keys and values of its heads.</source>
        <translation>Jedes berechnet seine Queries mit allen Keys und Values seiner Köpfe.</translation>
    </message>
    <message>
        <source>Gather keys and values</source>
        <translation>Keys und Values sammeln</translation>
    </message>
    <message>
        <source>Each device receives the keys and values of all others.</source>
        <translation>Jedes Gerät erhält die Keys und Values aller anderen.</translation>
    </message>
    <message>
        <source>After</source>
        <translation>Nachher</translation>
    </message>
    <message>
        <source>Every device holds the finished attention of its own tokens.</source>
        <translation>Jedes Gerät hält die fertige Attention der eigenen Tokens.</translation>
    </message>
</context>
<context>
    <name>meshreel::AxisHandle</name>
    <message>
        <source>Devices along the %1 axis</source>
        <translation>Geräte entlang der Achse %1</translation>
    </message>
    <message>
        <source>Drag, or press the arrow keys. Legal here: %1</source>
        <translation>Ziehen oder die Pfeiltasten drücken. Hier zulässig: %1</translation>
    </message>
    <message>
        <source>Only %1 is legal here</source>
        <translation>Hier ist nur %1 zulässig</translation>
    </message>
</context>
<context>
    <name>meshreel::BenchForm</name>
    <message>
        <source> s</source>
        <comment>seconds, behind a number</comment>
        <translation> s</translation>
    </message>
    <message>
        <source>Compare with a file that meshreel bench wrote</source>
        <translation>Mit einer Datei vergleichen, die meshreel bench schrieb</translation>
    </message>
    <message>
        <source>Compare with a file</source>
        <translation>Mit einer Datei vergleichen</translation>
    </message>
    <message>
        <source>Group</source>
        <translation>Gruppe</translation>
    </message>
    <message>
        <source>What is measured beside this machine&apos;s limits</source>
        <translation>Was neben den Grenzen dieses Rechners gemessen wird</translation>
    </message>
    <message>
        <source>Passes</source>
        <translation>Durchgänge</translation>
    </message>
    <message>
        <source>Passes of each row that count, behind one for warming up</source>
        <translation>Durchgänge jeder Zeile, die zählen, nach einem zum Aufwärmen</translation>
    </message>
    <message>
        <source>At most</source>
        <translation>Höchstens</translation>
    </message>
    <message>
        <source>No new pass of a row begins after this long</source>
        <translation>Nach dieser Zeit beginnt kein neuer Durchgang einer Zeile</translation>
    </message>
    <message>
        <source>Compare with</source>
        <translation>Vergleichen mit</translation>
    </message>
    <message>
        <source>The verdict compares with: %1</source>
        <comment>an earlier measurement</comment>
        <translation>Das Urteil vergleicht mit: %1</translation>
    </message>
    <message>
        <source>%1.</source>
        <comment>what a group of benchmarks is</comment>
        <translation>%1.</translation>
    </message>
    <message>
        <source>Nothing</source>
        <comment>is compared with</comment>
        <translation>Nichts</translation>
    </message>
    <message>
        <source>%1, version %2</source>
        <comment>date, number</comment>
        <translation>%1, Version %2</translation>
    </message>
    <message>
        <source>%1, version %2, not complete</source>
        <comment>date, number</comment>
        <translation>%1, Version %2, unvollständig</translation>
    </message>
</context>
<context>
    <name>meshreel::BenchModel</name>
    <message>
        <source>the limit</source>
        <comment>that others are a share of</comment>
        <translation>die Grenze</translation>
    </message>
    <message>
        <source>the reference</source>
        <comment>that others are compared with</comment>
        <translation>die Bezugszeile</translation>
    </message>
    <message>
        <source>%1 × %2</source>
        <comment>factor, name of a row</comment>
        <translation>%1 × %2</translation>
    </message>
    <message>
        <source>about %1 % of %2</source>
        <comment>share, name of a limit</comment>
        <translation>etwa %1 % von %2</translation>
    </message>
    <message>
        <source>%1 % of %2</source>
        <comment>share, name of a limit</comment>
        <translation>%1 % von %2</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>number, unit</comment>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>The machine&apos;s limit moved by %1 % beside this row: measure again when nothing else runs</source>
        <translation>Die Grenze des Rechners bewegte sich neben dieser Zeile um %1 %: messen Sie noch einmal, wenn sonst nichts läuft</translation>
    </message>
    <message>
        <source>What the open project computes</source>
        <translation>Was das offene Projekt rechnet</translation>
    </message>
    <message>
        <source>%1, what the open project computes</source>
        <comment>name of a row</comment>
        <translation>%1, was das offene Projekt rechnet</translation>
    </message>
    <message>
        <source>Row</source>
        <translation>Zeile</translation>
    </message>
    <message>
        <source>Time</source>
        <comment>that a row took</comment>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Share of the limit</source>
        <translation>Anteil an der Grenze</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>Urteil</translation>
    </message>
    <message>
        <source>Before</source>
        <translation>Zuvor</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>Rate</translation>
    </message>
    <message>
        <source>Median of the passes; slowest less fastest pass, in percent of it</source>
        <translation>Median der Durchgänge; langsamster minus schnellster, in Prozent davon</translation>
    </message>
    <message>
        <source>Of what this machine does at most, measured beside the row; or how it compares with another row</source>
        <translation>An dem, was dieser Rechner höchstens schafft, neben der Zeile gemessen; oder im Vergleich mit einer anderen Zeile</translation>
    </message>
    <message>
        <source>Median and spread of the measurement that is compared with</source>
        <translation>Median und Streuung der Messung, mit der verglichen wird</translation>
    </message>
    <message>
        <source>Beside the earlier measurement: the range that holds the true difference in nine of ten comparisons; where it is within the noise, how often to repeat</source>
        <translation>Neben der früheren Messung: der Bereich, in dem der wahre Unterschied in neun von zehn Vergleichen liegt; im Rauschen, wie oft zu wiederholen ist</translation>
    </message>
</context>
<context>
    <name>meshreel::BenchPanel</name>
    <message>
        <source>A benchmark times what the engine computes, beside this machine&apos;s own limits and what it took before. Choose a group and press Run.</source>
        <translation>Ein Benchmark misst, was die Engine rechnet, neben den eigenen Grenzen dieses Rechners und dem, was es zuvor dauerte. Wählen Sie eine Gruppe und drücken Sie Start.</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Start</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Repeat</source>
        <translation>Wiederholen</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>Exportieren …</translation>
    </message>
    <message>
        <source>Stops; rows that are done are kept</source>
        <translation>Hält an; fertige Zeilen bleiben</translation>
    </message>
    <message>
        <source>Write the rows to a file, as a table or for meshreel bench --against</source>
        <translation>Die Zeilen in eine Datei schreiben, als Tabelle oder für meshreel bench --against</translation>
    </message>
    <message>
        <source>Progress of the measurement</source>
        <translation>Fortschritt der Messung</translation>
    </message>
    <message>
        <source>Rows of the benchmark</source>
        <translation>Zeilen des Benchmarks</translation>
    </message>
    <message>
        <source>Compare with a measurement</source>
        <translation>Mit einer Messung vergleichen</translation>
    </message>
    <message>
        <source>Measurements (*.json *.jsonl)</source>
        <translation>Messungen (*.json *.jsonl)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Cancelled.</source>
        <translation>Abgebrochen.</translation>
    </message>
    <message>
        <source>Export the rows</source>
        <translation>Die Zeilen exportieren</translation>
    </message>
    <message>
        <source>Table (*.csv)</source>
        <translation>Tabelle (*.csv)</translation>
    </message>
    <message>
        <source>Measurement (*.json)</source>
        <translation>Messung (*.json)</translation>
    </message>
    <message>
        <source>The rows were written to %1</source>
        <translation>Die Zeilen wurden in %1 geschrieben</translation>
    </message>
    <message numerus="yes">
        <source>%n rows measured in %1</source>
        <comment>duration</comment>
        <translation>
            <numerusform>%n Zeile in %1 gemessen</numerusform>
            <numerusform>%n Zeilen in %1 gemessen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n rows, measured %1 by version %2 on %3.</source>
        <comment>date, version, processor</comment>
        <translation>
            <numerusform>%n Zeile, gemessen %1 von Version %2 auf %3.</numerusform>
            <numerusform>%n Zeilen, gemessen %1 von Version %2 auf %3.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The machine was too restless for the shares of %n rows.</source>
        <translation>
            <numerusform>Der Rechner war für den Anteil von %n Zeile zu unruhig.</numerusform>
            <numerusform>Der Rechner war für die Anteile von %n Zeilen zu unruhig.</numerusform>
        </translation>
    </message>
    <message>
        <source>What it is to be compared with is of %1.</source>
        <comment>processor</comment>
        <translation>Womit verglichen werden soll, ist von %1.</translation>
    </message>
    <message>
        <source>Measures the rows of the group; let nothing else run</source>
        <translation>Misst die Zeilen der Gruppe; lassen Sie nichts anderes laufen</translation>
    </message>
    <message>
        <source>Another version measured these rows: run the group first</source>
        <translation>Eine andere Version maß diese Zeilen: messen Sie zuerst die Gruppe</translation>
    </message>
    <message>
        <source>Select rows to measure them again</source>
        <translation>Wählen Sie Zeilen, um sie noch einmal zu messen</translation>
    </message>
    <message numerus="yes">
        <source>Measures %n rows again, %1 times each</source>
        <comment>number</comment>
        <translation>
            <numerusform>Misst %n Zeile noch einmal, %1-mal</numerusform>
            <numerusform>Misst %n Zeilen noch einmal, je %1-mal</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n kept measurements cannot be read and are left out</source>
        <translation>
            <numerusform>%n aufbewahrte Messung ist nicht lesbar und wird ausgelassen</numerusform>
            <numerusform>%n aufbewahrte Messungen sind nicht lesbar und werden ausgelassen</numerusform>
        </translation>
    </message>
    <message>
        <source>Not all of the group was measured.</source>
        <translation>Nicht die ganze Gruppe wurde gemessen.</translation>
    </message>
</context>
<context>
    <name>meshreel::CatalogueModel</name>
    <message>
        <source>Cannot be used: %1</source>
        <translation>Nicht verwendbar: %1</translation>
    </message>
    <message>
        <source>Adapter</source>
        <translation>Adapter</translation>
    </message>
    <message>
        <source>%1, which Meshreel does not run</source>
        <translation>%1, das Meshreel nicht ausführt</translation>
    </message>
    <message>
        <source>No part of a Wan model</source>
        <translation>Kein Teil eines Wan-Modells</translation>
    </message>
    <message>
        <source>%1, comes with Meshreel</source>
        <translation>%1, mit Meshreel geliefert</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>What it is</source>
        <translation>Was es ist</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Other models to download</source>
        <translation>Andere Modelle zum Herunterladen</translation>
    </message>
    <message>
        <source>%1 to download</source>
        <comment>family of models</comment>
        <translation>%1 zum Herunterladen</translation>
    </message>
    <message>
        <source>Adapters to download</source>
        <translation>Adapter zum Herunterladen</translation>
    </message>
    <message>
        <source>Small decoders to download</source>
        <translation>Kleine Decoder zum Herunterladen</translation>
    </message>
    <message>
        <source>Parts of models to download</source>
        <translation>Teile von Modellen zum Herunterladen</translation>
    </message>
    <message>
        <source>diffusers folder</source>
        <comment>a way to get a model</comment>
        <translation>Diffusers-Ordner</translation>
    </message>
    <message>
        <source>On this machine</source>
        <translation>Auf diesem Rechner</translation>
    </message>
    <message>
        <source>This machine</source>
        <translation>Dieser Rechner</translation>
    </message>
</context>
<context>
    <name>meshreel::ChartPanel</name>
    <message>
        <source>Chart of the steps</source>
        <translation>Diagramm der Schritte</translation>
    </message>
    <message>
        <source>Seconds per step</source>
        <translation>Sekunden je Schritt</translation>
    </message>
    <message>
        <source>Values of the latents</source>
        <translation>Werte der Latents</translation>
    </message>
    <message>
        <source>What the chart shows</source>
        <translation>Was das Diagramm zeigt</translation>
    </message>
    <message>
        <source>Open a run</source>
        <translation>Lauf öffnen</translation>
    </message>
    <message>
        <source>Each step appears here during a run, or when you open a past one.</source>
        <translation>Jeder Schritt erscheint hier während eines Laufs oder wenn Sie einen früheren öffnen.</translation>
    </message>
</context>
<context>
    <name>meshreel::ChartView</name>
    <message>
        <source>Logarithmic</source>
        <translation>Logarithmisch</translation>
    </message>
    <message>
        <source>Values on a logarithmic axis, on which equal ratios are equally long</source>
        <translation>Werte auf einer logarithmischen Achse, auf der gleiche Verhältnisse gleich lang sind</translation>
    </message>
    <message>
        <source>Zoom in</source>
        <translation>Vergrößern</translation>
    </message>
    <message>
        <source>Zoom out</source>
        <translation>Verkleinern</translation>
    </message>
    <message>
        <source>Show everything</source>
        <translation>Alles zeigen</translation>
    </message>
    <message>
        <source>Plus and minus zoom, with Ctrl upright; the arrow keys move; 0 shows everything. Comma and full stop go from value to value, Enter marks the place of one. The menu key lists what can be hidden.</source>
        <translation>Plus und Minus zoomen, mit Strg in der Höhe; die Pfeiltasten verschieben; 0 zeigt alles. Komma und Punkt gehen von Wert zu Wert, die Eingabetaste markiert die Stelle eines Werts. Die Menütaste listet auf, was ausgeblendet werden kann.</translation>
    </message>
    <message>
        <source>Copy chart</source>
        <translation>Diagramm kopieren</translation>
    </message>
</context>
<context>
    <name>meshreel::ClampedText</name>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
</context>
<context>
    <name>meshreel::ClipComparer</name>
    <message>
        <source>Side by side</source>
        <translation>Nebeneinander</translation>
    </message>
    <message>
        <source>Wipe</source>
        <translation>Wischen</translation>
    </message>
    <message>
        <source>Difference × %1</source>
        <translation>Differenz × %1</translation>
    </message>
    <message>
        <source>First run</source>
        <translation>Erster Lauf</translation>
    </message>
    <message>
        <source>Second run</source>
        <translation>Zweiter Lauf</translation>
    </message>
    <message>
        <source>How the videos are compared</source>
        <translation>Wie die Videos verglichen werden</translation>
    </message>
    <message>
        <source>Reading the videos …</source>
        <translation>Die Videos werden gelesen …</translation>
    </message>
    <message>
        <source>The videos are of two sizes: there is nothing to measure.</source>
        <translation>Die Videos haben zwei Größen: es gibt nichts zu messen.</translation>
    </message>
    <message>
        <source>This frame: %1 · the whole video: %2</source>
        <translation>Dieses Bild: %1 · das ganze Video: %2</translation>
    </message>
    <message>
        <source>This frame: %1 · the first %2 frames: %3</source>
        <translation>Dieses Bild: %1 · die ersten %2 Bilder: %3</translation>
    </message>
</context>
<context>
    <name>meshreel::ClipExportDialog</name>
    <message>
        <source>Export the clip</source>
        <translation>Den Clip exportieren</translation>
    </message>
    <message>
        <source>0 is smallest, 100 best</source>
        <translation>0 ist am kleinsten, 100 am besten</translation>
    </message>
    <message>
        <source>Choose a file</source>
        <translation>Eine Datei wählen</translation>
    </message>
    <message>
        <source>For&amp;mat:</source>
        <translation>For&amp;mat:</translation>
    </message>
    <message>
        <source>&amp;Quality:</source>
        <translation>&amp;Qualität:</translation>
    </message>
    <message>
        <source>&amp;File:</source>
        <translation>&amp;Datei:</translation>
    </message>
    <message>
        <source>Clip:</source>
        <translation>Clip:</translation>
    </message>
    <message numerus="yes">
        <source>%n frames, %1 s</source>
        <translation>
            <numerusform>%n Bild, %1 s</numerusform>
            <numerusform>%n Bilder, %1 s</numerusform>
        </translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exportieren</translation>
    </message>
    <message>
        <source>%1 is there already and will be replaced.</source>
        <translation>%1 ist schon vorhanden und wird ersetzt.</translation>
    </message>
    <message>
        <source>File of the clip</source>
        <translation>Datei des Clips</translation>
    </message>
    <message>
        <source>%1 × %2, as it is</source>
        <comment>width, height</comment>
        <translation>%1 × %2, wie es ist</translation>
    </message>
    <message>
        <source>%1 × %2 (×%3)</source>
        <comment>width, height, factor</comment>
        <translation>%1 × %2 (×%3)</translation>
    </message>
    <message>
        <source>&amp;Size:</source>
        <translation>&amp;Größe:</translation>
    </message>
</context>
<context>
    <name>meshreel::ClipExporter</name>
    <message>
        <source>The frame was copied.</source>
        <translation>Das Bild wurde kopiert.</translation>
    </message>
    <message>
        <source>Save the frame</source>
        <translation>Das Bild speichern</translation>
    </message>
    <message>
        <source>Save a contact sheet</source>
        <translation>Einen Kontaktbogen speichern</translation>
    </message>
    <message>
        <source>Written: %1</source>
        <translation>Geschrieben: %1</translation>
    </message>
    <message>
        <source>PNG pictures (*.png)</source>
        <translation>PNG-Bilder (*.png)</translation>
    </message>
    <message>
        <source>Copy the videos into a folder</source>
        <translation>Die Videos in einen Ordner kopieren</translation>
    </message>
    <message>
        <source>Without a video: %1.</source>
        <translation>Ohne Video: %1.</translation>
    </message>
    <message numerus="yes">
        <source>%n videos were copied</source>
        <translation>
            <numerusform>%n Video wurde kopiert</numerusform>
            <numerusform>%n Videos wurden kopiert</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::ClipPairView</name>
    <message>
        <source>Two videos</source>
        <translation>Zwei Videos</translation>
    </message>
    <message>
        <source>Videos of two sizes have no difference</source>
        <translation>Videos zweier Größen haben keine Differenz</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>Differenz</translation>
    </message>
    <message>
        <source>The wheel zooms, dragging moves, a double click fits (+, -, Shift with an arrow key, 0). Comma and full stop move the wipe.</source>
        <translation>Das Rad zoomt, Ziehen verschiebt, ein Doppelklick passt ein (+, -, Umschalt mit einer Pfeiltaste, 0). Komma und Punkt bewegen die Wischkante.</translation>
    </message>
</context>
<context>
    <name>meshreel::ClipPairs</name>
    <message>
        <source>This run has no video</source>
        <translation>Dieser Lauf hat kein Video</translation>
    </message>
    <message>
        <source>Resume it, or choose another one</source>
        <translation>Ihn fortsetzen oder einen anderen wählen</translation>
    </message>
    <message>
        <source>equal</source>
        <translation>gleich</translation>
    </message>
    <message>
        <source>PSNR %1 dB, SSIM %2</source>
        <translation>PSNR %1 dB, SSIM %2</translation>
    </message>
    <message>
        <source>The videos have %1 and %2 frames: the first %3 are compared.</source>
        <translation>Die Videos haben %1 und %2 Bilder: die ersten %3 werden verglichen.</translation>
    </message>
    <message>
        <source>They have %1 and %2 frames per second: both are played at %1, frame beside frame.</source>
        <translation>Sie haben %1 und %2 Bilder je Sekunde: beide werden mit %1 abgespielt, Bild neben Bild.</translation>
    </message>
</context>
<context>
    <name>meshreel::ClosingQuestion</name>
    <message>
        <source>Block sizes are being timed</source>
        <translation>Blockgrößen werden gemessen</translation>
    </message>
    <message>
        <source>Stop the search and quit? What it has found so far would be lost.</source>
        <translation>Die Suche anhalten und beenden? Was sie bisher gefunden hat, ginge verloren.</translation>
    </message>
    <message>
        <source>Stop and quit</source>
        <translation>Anhalten und beenden</translation>
    </message>
    <message>
        <source>Keep running</source>
        <translation>Weiterlaufen lassen</translation>
    </message>
    <message>
        <source>A run is in progress</source>
        <translation>Ein Lauf ist im Gang</translation>
    </message>
    <message>
        <source>Quit now? Finished steps are kept; you can resume the run later.</source>
        <translation>Jetzt beenden? Fertige Schritte bleiben erhalten; der Lauf lässt sich später fortsetzen.</translation>
    </message>
    <message>
        <source>A sweep is in progress</source>
        <translation>Eine Messreihe läuft</translation>
    </message>
    <message>
        <source>Quit now? Finished passes are kept; the sweep continues when you open it again.</source>
        <translation>Jetzt beenden? Fertige Durchgänge bleiben erhalten; die Messreihe geht weiter, wenn Sie sie wieder öffnen.</translation>
    </message>
    <message>
        <source>A benchmark is being measured</source>
        <translation>Ein Benchmark wird gemessen</translation>
    </message>
    <message>
        <source>Quit now? Rows that are done are kept.</source>
        <translation>Jetzt beenden? Fertige Zeilen bleiben erhalten.</translation>
    </message>
</context>
<context>
    <name>meshreel::ColumnMenu</name>
    <message>
        <source>Columns</source>
        <translation>Spalten</translation>
    </message>
    <message>
        <source>Widths and order</source>
        <translation>Breiten und Reihenfolge</translation>
    </message>
    <message>
        <source>Widths</source>
        <translation>Breiten</translation>
    </message>
    <message>
        <source>Resize to contents</source>
        <translation>An den Inhalt anpassen</translation>
    </message>
    <message>
        <source>Reset columns</source>
        <translation>Spalten zurücksetzen</translation>
    </message>
    <message>
        <source>&amp;Wider</source>
        <translation>&amp;Breiter</translation>
    </message>
    <message>
        <source>&amp;Narrower</source>
        <translation>&amp;Schmaler</translation>
    </message>
    <message>
        <source>As wide as its &amp;contents</source>
        <translation>So breit wie ihr &amp;Inhalt</translation>
    </message>
    <message>
        <source>To the &amp;left</source>
        <translation>Nach &amp;links</translation>
    </message>
    <message>
        <source>To the &amp;right</source>
        <translation>Nach &amp;rechts</translation>
    </message>
</context>
<context>
    <name>meshreel::ComparePanel</name>
    <message>
        <source>Seconds per step</source>
        <translation>Sekunden je Schritt</translation>
    </message>
    <message>
        <source>Stages</source>
        <translation>Phasen</translation>
    </message>
    <message>
        <source>Speed by devices</source>
        <translation>Geschwindigkeit je Gerätezahl</translation>
    </message>
    <message>
        <source>Devices of one run</source>
        <translation>Geräte eines Laufs</translation>
    </message>
    <message>
        <source>Videos of two runs</source>
        <translation>Videos zweier Läufe</translation>
    </message>
    <message>
        <source>What is compared</source>
        <translation>Was verglichen wird</translation>
    </message>
    <message>
        <source>Chart of the runs</source>
        <translation>Diagramm der Läufe</translation>
    </message>
    <message>
        <source>pasted %1</source>
        <translation>eingefügt %1</translation>
    </message>
    <message>
        <source>Choose two or more runs in the Runs panel and press Compare.</source>
        <translation>Im Bereich „Läufe“ zwei oder mehr Läufe wählen und auf „Vergleichen“ klicken.</translation>
    </message>
    <message>
        <source>Pasted timings have no videos.</source>
        <translation>Eingefügte Zeiten haben keine Videos.</translation>
    </message>
    <message>
        <source>Block sizes</source>
        <translation>Blockgrößen</translation>
    </message>
    <message>
        <source>Memory by phase</source>
        <translation>Speicher je Phase</translation>
    </message>
    <message>
        <source>Export report…</source>
        <translation>Bericht exportieren …</translation>
    </message>
    <message>
        <source>Write all of this as one page: timings, settings, pictures, charts</source>
        <translation>All das als eine Seite schreiben: Zeiten, Einstellungen, Bilder, Diagramme</translation>
    </message>
    <message>
        <source>Copy best configurations</source>
        <translation>Beste Konfigurationen kopieren</translation>
    </message>
    <message>
        <source>Write the chart or a report to a file</source>
        <translation>Das Diagramm oder einen Bericht in eine Datei schreiben</translation>
    </message>
    <message>
        <source>Export report</source>
        <translation>Bericht exportieren</translation>
    </message>
    <message>
        <source>Web page (*.html);;PDF document (*.pdf)</source>
        <translation>Webseite (*.html);;PDF-Dokument (*.pdf)</translation>
    </message>
    <message>
        <source>Choose runs</source>
        <translation>Läufe wählen</translation>
    </message>
    <message>
        <source>Leave out the projects and timings that were added</source>
        <translation>Hinzugefügte Projekte und Zeiten weglassen</translation>
    </message>
    <message>
        <source>Copy timing summaries</source>
        <translation>Zeitübersichten kopieren</translation>
    </message>
    <message>
        <source>Add another project, or a run, to see in which settings they differ.</source>
        <translation>Ein weiteres Projekt oder einen Lauf hinzufügen, um die abweichenden Einstellungen zu sehen.</translation>
    </message>
    <message>
        <source>These projects have the same settings.</source>
        <translation>Diese Projekte haben dieselben Einstellungen.</translation>
    </message>
    <message>
        <source>Projects have no timings. The settings in which they differ stand below.</source>
        <translation>Projekte haben keine Zeiten. Ihre abweichenden Einstellungen stehen unten.</translation>
    </message>
    <message>
        <source>None of these runs recorded what its devices did. Compare runs that finished a step.</source>
        <translation>Keiner dieser Läufe hat aufgezeichnet, was seine Geräte taten. Vergleichen Sie Läufe, die einen Schritt abgeschlossen haben.</translation>
    </message>
    <message>
        <source>None of these runs finished a step. Compare runs that got as far as denoising.</source>
        <translation>Keiner dieser Läufe hat einen Schritt abgeschlossen. Vergleichen Sie Läufe, die bis zum Entrauschen gekommen sind.</translation>
    </message>
    <message>
        <source>chart</source>
        <comment>beside a divider</comment>
        <translation>Diagramm</translation>
    </message>
    <message>
        <source>tables</source>
        <comment>beside a divider</comment>
        <translation>Tabellen</translation>
    </message>
    <message>
        <source>Inference only</source>
        <translation>Nur Inferenz</translation>
    </message>
    <message>
        <source>Baseline</source>
        <translation>Bezug</translation>
    </message>
    <message>
        <source>Speeds are relative to this run</source>
        <translation>Geschwindigkeiten beziehen sich auf diesen Lauf</translation>
    </message>
    <message>
        <source>Leaves out loading and compiling, in the chart of stages and in speeds</source>
        <translation>Lässt Laden und Kompilieren weg, im Diagramm der Abschnitte und in den Geschwindigkeiten</translation>
    </message>
    <message>
        <source>against %1</source>
        <comment>baseline, a run</comment>
        <translation>gegen %1</translation>
    </message>
    <message>
        <source>Repeat</source>
        <translation>Wiederholen</translation>
    </message>
    <message numerus="yes">
        <source>Queues %n runs: those within the noise and the baseline, as often as it takes to tell them apart. They join the comparison when they are done.</source>
        <translation>
            <numerusform>Stellt %n Lauf in die Warteschlange: die im Rauschen und den Bezug, so oft, bis sie zu unterscheiden sind. Sie kommen zum Vergleich dazu, wenn sie fertig sind.</numerusform>
            <numerusform>Stellt %n Läufe in die Warteschlange: die im Rauschen und den Bezug, so oft, bis sie zu unterscheiden sind. Sie kommen zum Vergleich dazu, wenn sie fertig sind.</numerusform>
        </translation>
    </message>
    <message>
        <source>No run of a folder is within the noise of the baseline</source>
        <translation>Kein Lauf eines Ordners liegt im Rauschen des Bezugs</translation>
    </message>
    <message numerus="yes">
        <source>Queue %n runs? Each makes its whole video again.</source>
        <translation>
            <numerusform>%n Lauf in die Warteschlange stellen? Er macht sein ganzes Video neu.</numerusform>
            <numerusform>%n Läufe in die Warteschlange stellen? Jeder macht sein ganzes Video neu.</numerusform>
        </translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>Bewerten</translation>
    </message>
    <message>
        <source>Quality against time</source>
        <translation>Qualität gegen Zeit</translation>
    </message>
    <message>
        <source>Writing the report…</source>
        <translation>Der Bericht wird geschrieben…</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exportieren</translation>
    </message>
</context>
<context>
    <name>meshreel::ComparisonTables</name>
    <message>
        <source>Timings</source>
        <translation>Zeiten</translation>
    </message>
    <message>
        <source>Settings that differ</source>
        <translation>Abweichende Einstellungen</translation>
    </message>
    <message>
        <source>Timings of the runs</source>
        <translation>Zeiten der Läufe</translation>
    </message>
    <message>
        <source>Copy timing summaries</source>
        <translation>Zeitübersichten kopieren</translation>
    </message>
    <message>
        <source>Copy best configurations</source>
        <translation>Beste Konfigurationen kopieren</translation>
    </message>
    <message>
        <source>Settings that differ (%1)</source>
        <translation>Abweichende Einstellungen (%1)</translation>
    </message>
    <message>
        <source>All settings are the same</source>
        <translation>Alle Einstellungen sind gleich</translation>
    </message>
    <message>
        <source>Use as &amp;baseline</source>
        <translation>Als &amp;Bezug verwenden</translation>
    </message>
    <message>
        <source>Speeds are relative to this run</source>
        <translation>Geschwindigkeiten beziehen sich auf diesen Lauf</translation>
    </message>
    <message>
        <source>Quality</source>
        <translation>Qualität</translation>
    </message>
    <message>
        <source>Of runs that differ in a setting which changes their pictures</source>
        <translation>Von Läufen, die sich in einer Einstellung unterscheiden, die ihre Bilder ändert</translation>
    </message>
</context>
<context>
    <name>meshreel::Consequences</name>
    <message>
        <source>Tokens</source>
        <translation>Tokens</translation>
    </message>
    <message>
        <source>%1 frames of %2 × %3</source>
        <comment>of tokens: time, height, width</comment>
        <translation>%1 Bilder zu %2 × %3</translation>
    </message>
    <message>
        <source>Length of the transformer&apos;s sequence. Self-attention works on the square of it.</source>
        <translation>Länge der Sequenz im Transformer. Die Self-Attention arbeitet mit ihrem Quadrat.</translation>
    </message>
    <message>
        <source>Work per step</source>
        <translation>Arbeit je Schritt</translation>
    </message>
    <message>
        <source>%1 % self-attention</source>
        <translation>%1 % Self-Attention</translation>
    </message>
    <message>
        <source>%1 for all %2 steps%3.</source>
        <comment>work, steps, reason</comment>
        <translation>%1 für alle %2 Schritte%3.</translation>
    </message>
    <message>
        <source>; guidance computes each step twice</source>
        <translation>; die Guidance rechnet jeden Schritt zweimal</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>stage and its memory</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>of %1, most: %2</source>
        <comment>memory, stage</comment>
        <translation>von %1, am meisten: %2</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>purpose and bytes</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Exchange per step</source>
        <translation>Austausch je Schritt</translation>
    </message>
    <message numerus="yes">
        <source>between %n devices</source>
        <translation>
            <numerusform>auf %n Gerät</numerusform>
            <numerusform>zwischen %n Geräten</numerusform>
        </translation>
    </message>
    <message>
        <source>What the busiest device receives from the others.</source>
        <translation>Was das am stärksten belastete Gerät von den anderen empfängt.</translation>
    </message>
    <message>
        <source>Loading</source>
        <translation>Laden</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>Prompt</translation>
    </message>
    <message>
        <source>Denoising</source>
        <translation>Entrauschen</translation>
    </message>
    <message>
        <source>Decoding</source>
        <translation>Dekodieren</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>%1 a step</source>
        <comment>duration</comment>
        <translation>%1 je Schritt</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>nicht bekannt</translation>
    </message>
    <message>
        <source>runs on several machines</source>
        <translation>läuft auf mehreren Rechnern</translation>
    </message>
    <message>
        <source>Seconds are predicted for this machine alone: the network between machines is not measured.</source>
        <translation>Zeiten werden nur für diesen Rechner vorhergesagt: das Netz zwischen Rechnern wird nicht gemessen.</translation>
    </message>
    <message>
        <source>Weights: %1</source>
        <comment>memory</comment>
        <translation>Gewichte: %1</translation>
    </message>
    <message>
        <source>Activations: %1</source>
        <comment>memory</comment>
        <translation>Aktivierungen: %1</translation>
    </message>
    <message>
        <source>Buffers of the exchange: %1</source>
        <comment>memory</comment>
        <translation>Puffer des Austauschs: %1</translation>
    </message>
    <message>
        <source>of %1 a device</source>
        <comment>memory</comment>
        <translation>von %1 je Gerät</translation>
    </message>
    <message>
        <source>Fastest of as many devices: %1 with %2, %3 a step</source>
        <comment>mesh, mode, duration</comment>
        <translation>Am schnellsten mit ebenso vielen Geräten: %1 mit %2, %3 je Schritt</translation>
    </message>
    <message>
        <source>Efficiencies from %1; four of five measurements fall within the range.</source>
        <comment>own times, class mean</comment>
        <translation>Wirkungsgrade aus: %1; vier von fünf Messungen liegen im Bereich.</translation>
    </message>
    <message>
        <source>Encoding</source>
        <translation>Kodieren</translation>
    </message>
    <message>
        <source>GPU memory</source>
        <translation>GPU-Speicher</translation>
    </message>
    <message>
        <source>; guidance by prompt and pictures computes each step three times</source>
        <translation>; die Guidance durch Prompt und Bilder rechnet jeden Schritt dreimal</translation>
    </message>
    <message>
        <source>Memory here</source>
        <comment>of this machine, beside that of other hardware</comment>
        <translation>Speicher hier</translation>
    </message>
    <message>
        <source>Memory there</source>
        <comment>of other hardware, beside that of this machine</comment>
        <translation>Speicher dort</translation>
    </message>
    <message>
        <source>Predicting for %1 × %2</source>
        <comment>number of devices, hardware</comment>
        <translation>Vorhersage für %1 × %2</translation>
    </message>
    <message>
        <source>; guidance by prompt, pictures and video computes each step four times</source>
        <translation>; die Guidance durch Prompt, Bilder und Video rechnet jeden Schritt viermal</translation>
    </message>
</context>
<context>
    <name>meshreel::ConsequencesBar</name>
    <message>
        <source>Consequences</source>
        <translation>Folgen</translation>
    </message>
    <message>
        <source>Tokens, work and memory are shown once the problems are solved.</source>
        <translation>Tokens, Arbeit und Speicher erscheinen, sobald die Probleme gelöst sind.</translation>
    </message>
    <message>
        <source>Time here</source>
        <comment>on this machine, beside that on other hardware</comment>
        <translation>Zeit hier</translation>
    </message>
    <message>
        <source>time not known</source>
        <comment>of a step on other hardware</comment>
        <translation>Zeit nicht bekannt</translation>
    </message>
    <message>
        <source>Problems says why.</source>
        <translation>Der Grund steht unter Probleme.</translation>
    </message>
    <message>
        <source>Plan for this machine alone</source>
        <translation>Nur für diesen Rechner planen</translation>
    </message>
    <message>
        <source>Plan for this machine alone, not for %1</source>
        <comment>hardware</comment>
        <translation>Nur für diesen Rechner planen, nicht für %1</translation>
    </message>
    <message>
        <source>What the project takes on %1. Runs happen on this machine, whose problems decide whether they can.</source>
        <comment>hardware</comment>
        <translation>Was das Projekt auf %1 braucht. Läufe finden auf diesem Rechner statt, dessen Probleme entscheiden, ob sie möglich sind.</translation>
    </message>
    <message>
        <source>Predicting for %1</source>
        <comment>hardware</comment>
        <translation>Vorhersage für %1</translation>
    </message>
</context>
<context>
    <name>meshreel::ContactSheet</name>
    <message>
        <source>%1 · %2 s</source>
        <comment>number of a frame, time</comment>
        <translation>%1 · %2 s</translation>
    </message>
</context>
<context>
    <name>meshreel::DeviceLaneModel</name>
    <message>
        <source>%1 %</source>
        <comment>percentage</comment>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>Computing</source>
        <translation>Rechnen</translation>
    </message>
    <message>
        <source>Exchange</source>
        <translation>Austausch</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>Warten</translation>
    </message>
    <message>
        <source>%1 computing, %2 exchange, %3 waiting; %4 received</source>
        <comment>durations and bytes</comment>
        <translation>%1 Rechnen, %2 Austausch, %3 Warten; %4 empfangen</translation>
    </message>
    <message>
        <source>Step %1: %2</source>
        <comment>number, durations</comment>
        <translation>Schritt %1: %2</translation>
    </message>
    <message>
        <source>Steps %1 to %2: %3</source>
        <comment>numbers, durations</comment>
        <translation>Schritte %1 bis %2: %3</translation>
    </message>
    <message numerus="yes">
        <source>%n steps: the devices compute %1 of the time, exchange %2 and wait %3; device %4 waits most, %5.</source>
        <translation>
            <numerusform>%n Schritt: Die Geräte rechnen %1 der Zeit, tauschen %2 aus und warten %3; am meisten wartet Gerät %4, %5.</numerusform>
            <numerusform>%n Schritte: Die Geräte rechnen %1 der Zeit, tauschen %2 aus und warten %3; am meisten wartet Gerät %4, %5.</numerusform>
        </translation>
    </message>
    <message>
        <source>Device %1: %2</source>
        <comment>number, durations</comment>
        <translation>Gerät %1: %2</translation>
    </message>
    <message>
        <source>Moving bytes between devices with the device&apos;s own workers</source>
        <translation>Bytes zwischen Geräten bewegen, mit den eigenen Workern des Geräts</translation>
    </message>
    <message>
        <source>Standing still until other devices, or the network, are ready</source>
        <translation>Stillstehen, bis andere Geräte oder das Netz bereit sind</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>Steps</source>
        <comment>title of lanes over time</comment>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Received</source>
        <translation>Empfangen</translation>
    </message>
    <message>
        <source>GPU idle</source>
        <translation>GPU-Leerlauf</translation>
    </message>
    <message>
        <source>%1 computing, %2 GPU idle, %3 exchange, %4 waiting; %5 received</source>
        <comment>durations and bytes</comment>
        <translation>%1 Rechnen, %2 GPU-Leerlauf, %3 Austausch, %4 Warten; %5 empfangen</translation>
    </message>
    <message numerus="yes">
        <source>%n steps: the GPU computes %1 of the time and stands still for %2, while the CPU prepares its work or takes its results.</source>
        <translation>
            <numerusform>%n Schritt: Die GPU rechnet %1 der Zeit und steht %2 still, während die CPU ihre Arbeit vorbereitet oder ihre Ergebnisse abholt.</numerusform>
            <numerusform>%n Schritte: Die GPU rechnet %1 der Zeit und steht %2 still, während die CPU ihre Arbeit vorbereitet oder ihre Ergebnisse abholt.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n steps: the GPUs compute %1 of the time, stand still for %2 beside the CPU, exchange %3 and wait %4; device %5 waits most, %6.</source>
        <translation>
            <numerusform>%n Schritt: Die GPUs rechnen %1 der Zeit, stehen neben der CPU %2 still, tauschen %3 aus und warten %4; am meisten wartet Gerät %5, %6.</numerusform>
            <numerusform>%n Schritte: Die GPUs rechnen %1 der Zeit, stehen neben der CPU %2 still, tauschen %3 aus und warten %4; am meisten wartet Gerät %5, %6.</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 · GPU</source>
        <comment>number of a device</comment>
        <translation>%1 · GPU</translation>
    </message>
    <message>
        <source>The GPU stands still, while the CPU prepares its work or takes its results</source>
        <translation>Die GPU steht still, während die CPU ihre Arbeit vorbereitet oder ihre Ergebnisse abholt</translation>
    </message>
</context>
<context>
    <name>meshreel::DeviceTexts</name>
    <message>
        <source>%1 to %2</source>
        <comment>first and last</comment>
        <translation>%1 bis %2</translation>
    </message>
    <message>
        <source>ring place %1, ulysses place %2</source>
        <translation>Ring-Platz %1, Ulysses-Platz %2</translation>
    </message>
    <message>
        <source>gathers keys from %1</source>
        <translation>sammelt Keys von %1</translation>
    </message>
    <message>
        <source>keys pass along the line of %1</source>
        <translation>Keys wandern auf der Linie %1</translation>
    </message>
    <message>
        <source>takes keys from %1, passes them to %2</source>
        <translation>nimmt Keys von %1, gibt sie an %2</translation>
    </message>
    <message>
        <source>trades heads with %1</source>
        <translation>tauscht Köpfe mit %1</translation>
    </message>
    <message>
        <source>Device %1</source>
        <comment>number</comment>
        <translation>Gerät %1</translation>
    </message>
    <message>
        <source>: holds tokens %1; computes tokens %2 of heads %3</source>
        <comment>ranges</comment>
        <translation>: hält Tokens %1; berechnet Tokens %2 der Köpfe %3</translation>
    </message>
    <message>
        <source>. Receives %1 in an attention, %2 in a step.</source>
        <comment>bytes</comment>
        <translation>. Empfängt %1 je Attention, %2 je Schritt.</translation>
    </message>
    <message>
        <source>%1 devices: %2</source>
        <comment>number and mesh</comment>
        <translation>%1 Geräte: %2</translation>
    </message>
    <message>
        <source>; rings of %1, ulysses groups of %2</source>
        <translation>; Ringe aus %1, Ulysses-Gruppen aus %2</translation>
    </message>
    <message>
        <source>. Point at a device to see what it holds and exchanges.</source>
        <translation>. Auf ein Gerät zeigen, um zu sehen, was es hält und austauscht.</translation>
    </message>
    <message>
        <source>, rank %1 on %2</source>
        <comment>number, host</comment>
        <translation>, Rang %1 auf %2</translation>
    </message>
    <message>
        <source>adds up layers with %1</source>
        <translation>summiert Schichten mit %1</translation>
    </message>
    <message>
        <source>gathers weights from %1</source>
        <translation>sammelt Gewichte von %1</translation>
    </message>
    <message>
        <source>gathers predictions from %1</source>
        <translation>sammelt Vorhersagen von %1</translation>
    </message>
    <message>
        <source>, on GPU %1</source>
        <comment>number</comment>
        <translation>, auf GPU %1</translation>
    </message>
    <message>
        <source> Devices with pins are GPUs.</source>
        <comment>behind another sentence</comment>
        <translation> Geräte mit Pins sind GPUs.</translation>
    </message>
</context>
<context>
    <name>meshreel::DevicesPanel</name>
    <message>
        <source>Set up several devices</source>
        <translation>Mehrere Geräte einrichten</translation>
    </message>
    <message>
        <source>Lanes of the devices</source>
        <translation>Spuren der Geräte</translation>
    </message>
    <message>
        <source>This run has one device, which computes all the time.</source>
        <translation>Dieser Lauf hat ein Gerät, das die ganze Zeit rechnet.</translation>
    </message>
    <message>
        <source>The lanes of the devices begin when the first step has ended.</source>
        <translation>Die Spuren der Geräte beginnen, wenn der erste Schritt zu Ende ist.</translation>
    </message>
    <message>
        <source>This run did not record how its devices spent their steps: an earlier version made it, or it ended before its first step did. What its trace tells is drawn by Compare, as Devices of one run.</source>
        <translation>Dieser Lauf hat nicht festgehalten, wie seine Geräte die Schritte verbrachten: Eine frühere Version hat ihn gemacht, oder er endete vor seinem ersten Schritt. Was sein Trace sagt, zeichnet „Vergleich“ unter „Geräte eines Laufs“.</translation>
    </message>
    <message>
        <source>How much each device computes, exchanges and waits is drawn here while a run of several devices goes on, or when a past one is opened.</source>
        <translation>Wie viel jedes Gerät rechnet, austauscht und wartet, wird hier gezeichnet, während ein Lauf auf mehreren Geräten im Gange ist oder wenn ein früherer geöffnet wird.</translation>
    </message>
    <message>
        <source>What the devices did</source>
        <translation>Was die Geräte taten</translation>
    </message>
</context>
<context>
    <name>meshreel::DockHost</name>
    <message>
        <source>&amp;Close this panel</source>
        <translation>Diesen &amp;Bereich schließen</translation>
    </message>
    <message>
        <source>&amp;Float this panel, or dock it again</source>
        <translation>Diesen Bereich &amp;lösen oder wieder andocken</translation>
    </message>
</context>
<context>
    <name>meshreel::DockMover</name>
    <message>
        <source>&amp;Move this panel</source>
        <translation>Diesen Bereich &amp;verschieben</translation>
    </message>
    <message>
        <source>To the &amp;left edge</source>
        <translation>An den &amp;linken Rand</translation>
    </message>
    <message>
        <source>To the &amp;right edge</source>
        <translation>An den &amp;rechten Rand</translation>
    </message>
    <message>
        <source>To the &amp;top</source>
        <translation>Nach &amp;oben</translation>
    </message>
    <message>
        <source>To the &amp;bottom</source>
        <translation>Nach &amp;unten</translation>
    </message>
    <message>
        <source>L&amp;eft of</source>
        <translation>L&amp;inks von</translation>
    </message>
    <message>
        <source>Ri&amp;ght of</source>
        <translation>Rech&amp;ts von</translation>
    </message>
    <message>
        <source>&amp;Above</source>
        <translation>Ü&amp;ber</translation>
    </message>
    <message>
        <source>Bel&amp;ow</source>
        <translation>U&amp;nter</translation>
    </message>
    <message>
        <source>As a tab w&amp;ith</source>
        <translation>&amp;Als Reiter mit</translation>
    </message>
    <message>
        <source>&amp;Size of this panel</source>
        <translation>&amp;Größe dieses Bereichs</translation>
    </message>
    <message>
        <source>&amp;Wider</source>
        <translation>&amp;Breiter</translation>
    </message>
    <message>
        <source>&amp;Narrower</source>
        <translation>&amp;Schmaler</translation>
    </message>
    <message>
        <source>&amp;Taller</source>
        <translation>&amp;Höher</translation>
    </message>
    <message>
        <source>&amp;Shorter</source>
        <translation>&amp;Niedriger</translation>
    </message>
</context>
<context>
    <name>meshreel::DrawerBar</name>
    <message>
        <source>Drawer</source>
        <translation>Schublade</translation>
    </message>
    <message>
        <source>Close %1</source>
        <comment>title of a panel</comment>
        <translation>%1 schließen</translation>
    </message>
    <message>
        <source>Open %1</source>
        <comment>title of a panel</comment>
        <translation>%1 öffnen</translation>
    </message>
</context>
<context>
    <name>meshreel::DrawingDialog</name>
    <message>
        <source>Choose and move</source>
        <translation>Wählen und verschieben</translation>
    </message>
    <message>
        <source>Brush</source>
        <translation>Pinsel</translation>
    </message>
    <message>
        <source>Box</source>
        <translation>Kasten</translation>
    </message>
    <message>
        <source>Ellipse</source>
        <translation>Ellipse</translation>
    </message>
    <message>
        <source>Polygon</source>
        <translation>Vieleck</translation>
    </message>
    <message>
        <source>Track</source>
        <translation>Bahn</translation>
    </message>
    <message>
        <source>Drag to move what is there. Its corners, or its points, move alone.</source>
        <translation>Ziehen verschiebt, was da ist. Ecken und Punkte bewegen sich einzeln.</translation>
    </message>
    <message>
        <source>Drag to paint.</source>
        <translation>Ziehen malt.</translation>
    </message>
    <message>
        <source>Drag from corner to corner; Shift makes it as wide as high.</source>
        <translation>Von Ecke zu Ecke ziehen; mit Umschalt so breit wie hoch.</translation>
    </message>
    <message>
        <source>Click its corners; Enter, a double click or the first corner ends it.</source>
        <translation>Ecken anklicken; Eingabe, ein Doppelklick oder die erste Ecke beendet es.</translation>
    </message>
    <message>
        <source>Click the places that a point passes and end with Enter, or drag its way.</source>
        <translation>Die Stellen anklicken, über die ein Punkt geht, und mit Eingabe beenden, oder seinen Weg ziehen.</translation>
    </message>
    <message>
        <source>even</source>
        <translation>gleichmäßig</translation>
    </message>
    <message>
        <source>slow at first</source>
        <translation>erst langsam</translation>
    </message>
    <message>
        <source>slow at last</source>
        <translation>zuletzt langsam</translation>
    </message>
    <message>
        <source>slow at both ends</source>
        <translation>beide Enden langsam</translation>
    </message>
    <message>
        <source>stay, then jump</source>
        <translation>bleiben, dann springen</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>Draw a mask</source>
        <translation>Maske zeichnen</translation>
    </message>
    <message>
        <source>Draw tracks</source>
        <translation>Bahnen zeichnen</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>action and its key</comment>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>Werkzeuge</translation>
    </message>
    <message>
        <source>Add one in the middle</source>
        <translation>Eines in die Mitte setzen</translation>
    </message>
    <message>
        <source>Show the mask alone</source>
        <translation>Nur die Maske zeigen</translation>
    </message>
    <message>
        <source>Add a keyframe here</source>
        <translation>Hier einen Keyframe setzen</translation>
    </message>
    <message>
        <source>Remove the keyframe here</source>
        <translation>Keyframe hier entfernen</translation>
    </message>
    <message>
        <source>Shapes, the upper ones first</source>
        <translation>Formen, die oberen zuerst</translation>
    </message>
    <message>
        <source>Tracks, the last ones first</source>
        <translation>Bahnen, die letzten zuerst</translation>
    </message>
    <message>
        <source>Move it in the whole clip</source>
        <translation>Im ganzen Clip bewegen</translation>
    </message>
    <message>
        <source>What is changed then holds at all keyframes; otherwise at the frame that is shown, which gets a keyframe</source>
        <translation>Änderungen gelten dann an allen Keyframes, sonst am gezeigten Bild, das einen Keyframe bekommt</translation>
    </message>
    <message>
        <source>What is drawn</source>
        <translation>Was gezeichnet ist</translation>
    </message>
    <message>
        <source>Copy it</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Lift it over the next one</source>
        <translation>Über das nächste heben</translation>
    </message>
    <message>
        <source>Lower it under the next one</source>
        <translation>Unter das nächste senken</translation>
    </message>
    <message>
        <source>Remove it</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>Wiederholen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Write the drawing and use it in the project</source>
        <translation>Die Zeichnung schreiben und im Projekt verwenden</translation>
    </message>
    <message>
        <source>Radius of the brush, in pixels of the video</source>
        <translation>Radius des Pinsels in Pixeln des Videos</translation>
    </message>
    <message>
        <source>Change the brush</source>
        <translation>Pinsel ändern</translation>
    </message>
    <message>
        <source>Soft edge</source>
        <translation>Weicher Rand</translation>
    </message>
    <message>
        <source>Pixels from white to black, half of them inside</source>
        <translation>Pixel von Weiß nach Schwarz, die Hälfte davon innen</translation>
    </message>
    <message>
        <source>Change the soft edge</source>
        <translation>Weichen Rand ändern</translation>
    </message>
    <message>
        <source>Strength</source>
        <translation>Stärke</translation>
    </message>
    <message>
        <source>Percent of white at this frame</source>
        <translation>Prozent von Weiß an diesem Bild</translation>
    </message>
    <message>
        <source>Change the strength</source>
        <translation>Stärke ändern</translation>
    </message>
    <message>
        <source>Cut away</source>
        <translation>Ausschneiden</translation>
    </message>
    <message>
        <source>Takes away from the shapes under it, as an eraser does</source>
        <translation>Nimmt von den Formen darunter weg wie ein Radiergummi</translation>
    </message>
    <message>
        <source>Black and white swapped</source>
        <translation>Schwarz-Weiß vertauscht</translation>
    </message>
    <message>
        <source>What is drawn stays, and all else is made anew</source>
        <translation>Was gezeichnet ist, bleibt, und alles andere wird neu gemacht</translation>
    </message>
    <message>
        <source>Swap black and white</source>
        <translation>Schwarz und Weiß vertauschen</translation>
    </message>
    <message>
        <source>Left</source>
        <translation>Links</translation>
    </message>
    <message>
        <source>Pixels from the left edge of the video, at this frame</source>
        <translation>Pixel vom linken Rand des Videos an diesem Bild</translation>
    </message>
    <message>
        <source>Move a shape</source>
        <translation>Form verschieben</translation>
    </message>
    <message>
        <source>Top</source>
        <translation>Oben</translation>
    </message>
    <message>
        <source>Pixels from the upper edge of the video, at this frame</source>
        <translation>Pixel vom oberen Rand des Videos an diesem Bild</translation>
    </message>
    <message>
        <source>Width</source>
        <translation>Breite</translation>
    </message>
    <message>
        <source>Pixels, at this frame</source>
        <translation>Pixel an diesem Bild</translation>
    </message>
    <message>
        <source>Scale a shape</source>
        <translation>Form skalieren</translation>
    </message>
    <message>
        <source>Height</source>
        <translation>Höhe</translation>
    </message>
    <message>
        <source>Move a point</source>
        <translation>Punkt verschieben</translation>
    </message>
    <message>
        <source>From the left</source>
        <translation>Von links</translation>
    </message>
    <message>
        <source>From the top</source>
        <translation>Von oben</translation>
    </message>
    <message>
        <source>Curve</source>
        <translation>Kurve</translation>
    </message>
    <message>
        <source>A curve through its points, and no lines between them</source>
        <translation>Eine Kurve durch die Punkte statt Linien dazwischen</translation>
    </message>
    <message>
        <source>Out of sight at its end</source>
        <translation>Am Ende außer Sicht</translation>
    </message>
    <message>
        <source>Behind its last keyframe the point is hidden; otherwise it stays there</source>
        <translation>Hinter dem letzten Keyframe ist der Punkt verborgen; sonst bleibt er dort</translation>
    </message>
    <message>
        <source>How it goes from the keyframe at this frame to the next one</source>
        <translation>Wie es vom Keyframe an diesem Bild zum nächsten geht</translation>
    </message>
    <message>
        <source>To the next</source>
        <translation>Zum nächsten</translation>
    </message>
    <message>
        <source>Change the speed</source>
        <translation>Tempo ändern</translation>
    </message>
    <message>
        <source>Write %1 and use it in the project</source>
        <translation>%1 schreiben und im Projekt verwenden</translation>
    </message>
    <message>
        <source>Nothing is drawn yet.</source>
        <translation>Noch ist nichts gezeichnet.</translation>
    </message>
    <message>
        <source>Save the drawing</source>
        <translation>Zeichnung speichern</translation>
    </message>
    <message>
        <source>Drawings (*.json)</source>
        <translation>Zeichnungen (*.json)</translation>
    </message>
    <message>
        <source>The drawing has changes that are not saved.</source>
        <translation>Die Zeichnung hat Änderungen, die nicht gespeichert sind.</translation>
    </message>
</context>
<context>
    <name>meshreel::DrawingDocument</name>
    <message>
        <source>Track %1</source>
        <translation>Bahn %1</translation>
    </message>
    <message>
        <source>Box %1</source>
        <translation>Kasten %1</translation>
    </message>
    <message>
        <source>Ellipse %1</source>
        <translation>Ellipse %1</translation>
    </message>
    <message>
        <source>Polygon %1</source>
        <translation>Vieleck %1</translation>
    </message>
    <message>
        <source>Stroke %1</source>
        <translation>Strich %1</translation>
    </message>
    <message>
        <source>Remove %1</source>
        <translation>%1 entfernen</translation>
    </message>
    <message>
        <source>Copy %1</source>
        <translation>%1 kopieren</translation>
    </message>
    <message>
        <source>Change the order</source>
        <translation>Reihenfolge ändern</translation>
    </message>
    <message>
        <source>Move %1</source>
        <translation>%1 verschieben</translation>
    </message>
    <message>
        <source>Add a keyframe</source>
        <translation>Keyframe setzen</translation>
    </message>
    <message>
        <source>Remove a keyframe</source>
        <translation>Keyframe entfernen</translation>
    </message>
    <message>
        <source>Move a keyframe</source>
        <translation>Keyframe verschieben</translation>
    </message>
</context>
<context>
    <name>meshreel::DrawingOpener</name>
    <message>
        <source>Saving it clears the track visibility: points that stay hidden leave, and all others are in sight.</source>
        <translation>Speichern leert die Sichtbarkeit der Bahnen: Punkte, die verborgen bleiben, verlassen das Bild, alle anderen sind sichtbar.</translation>
    </message>
    <message>
        <source>Fitted to the project: %1 × %2, %3 frames at %4 a second.</source>
        <translation>An das Projekt angepasst: %1 × %2, %3 Bilder, %4 in der Sekunde.</translation>
    </message>
    <message>
        <source>%1 does not lie beside the project and stays as it is: a copy is saved.</source>
        <translation>%1 liegt nicht neben dem Projekt und bleibt, wie es ist: Gespeichert wird eine Kopie.</translation>
    </message>
    <message>
        <source>Read from the points of %1, which stays as it is.</source>
        <translation>Aus den Punkten von %1 gelesen; die Datei bleibt, wie sie ist.</translation>
    </message>
    <message>
        <source>%1 is no drawing: a new one takes its place when it is saved.</source>
        <translation>%1 ist keine Zeichnung: Eine neue tritt beim Speichern an ihre Stelle.</translation>
    </message>
</context>
<context>
    <name>meshreel::DrawingStage</name>
    <message>
        <source>Picture that is drawn on</source>
        <translation>Bild, auf das gezeichnet wird</translation>
    </message>
    <message>
        <source>frame %1</source>
        <translation>Bild %1</translation>
    </message>
    <message>
        <source>Nothing is chosen; %1</source>
        <translation>Nichts ist gewählt; %1</translation>
    </message>
    <message>
        <source>%1 is chosen; %2</source>
        <translation>%1 ist gewählt; %2</translation>
    </message>
</context>
<context>
    <name>meshreel::DrawingStrip</name>
    <message>
        <source>Keyframes along the clip</source>
        <translation>Keyframes entlang des Clips</translation>
    </message>
    <message>
        <source>Frame %1</source>
        <translation>Bild %1</translation>
    </message>
    <message>
        <source>%1; keyframes at %2</source>
        <translation>%1; Keyframes bei %2</translation>
    </message>
    <message>
        <source>Keyframe at frame %1: drag it along</source>
        <translation>Keyframe bei Bild %1: entlangziehen</translation>
    </message>
    <message>
        <source>Click to go to a frame</source>
        <translation>Klicken, um zu einem Bild zu gehen</translation>
    </message>
</context>
<context>
    <name>meshreel::EngineUse</name>
    <message>
        <source>Tune is timing block sizes: wait for its end, or cancel it there.</source>
        <translation>„Abstimmen“ misst gerade Blockgrößen: das Ende abwarten oder dort abbrechen.</translation>
    </message>
    <message>
        <source>A sweep is being timed: wait for its end, or cancel it there.</source>
        <translation>Eine Messreihe läuft gerade: ihr Ende abwarten oder sie dort abbrechen.</translation>
    </message>
    <message>
        <source>This machine is being measured: wait for its end, or cancel it.</source>
        <translation>Dieser Rechner wird gerade gemessen: das Ende abwarten oder abbrechen.</translation>
    </message>
    <message>
        <source>A run is in progress: wait until it ends, or cancel it.</source>
        <translation>Ein Lauf ist im Gange: Warten Sie auf sein Ende oder brechen Sie ihn ab.</translation>
    </message>
    <message>
        <source>Bench is measuring: wait for its end, or cancel it there.</source>
        <translation>Der Benchmark misst gerade: warten Sie auf sein Ende, oder brechen Sie ihn dort ab.</translation>
    </message>
</context>
<context>
    <name>meshreel::ExportButton</name>
    <message>
        <source>%1…</source>
        <comment>file format</comment>
        <translation>%1 …</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exportieren</translation>
    </message>
    <message>
        <source>Write the chart to a file</source>
        <translation>Das Diagramm in eine Datei schreiben</translation>
    </message>
    <message>
        <source>Export the chart</source>
        <translation>Diagramm exportieren</translation>
    </message>
</context>
<context>
    <name>meshreel::FilterBar</name>
    <message>
        <source>Today</source>
        <translation>Heute</translation>
    </message>
    <message>
        <source>Last 7 days</source>
        <translation>Letzte 7 Tage</translation>
    </message>
    <message>
        <source>Last 30 days</source>
        <translation>Letzte 30 Tage</translation>
    </message>
    <message>
        <source>Search runs</source>
        <translation>Läufe suchen</translation>
    </message>
    <message>
        <source>Only runs with a star</source>
        <translation>Nur Läufe mit Stern</translation>
    </message>
    <message>
        <source>Show only runs with a star</source>
        <translation>Nur Läufe mit Stern zeigen</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>Filtern</translation>
    </message>
    <message>
        <source>Show only runs of a model, task, adapter, time, tag or board</source>
        <translation>Nur Läufe eines Modells, einer Aufgabe, eines Adapters, einer Zeit, eines Schlagworts oder einer Sammlung zeigen</translation>
    </message>
    <message>
        <source>Show all runs</source>
        <translation>Alle Läufe zeigen</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>Begonnen</translation>
    </message>
    <message>
        <source>End the filter %1</source>
        <translation>Filter beenden: %1</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>kind of filter and its value</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>With a star</source>
        <translation>Mit Stern</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <comment>numbers of runs</comment>
        <translation>%1 von %2</translation>
    </message>
    <message numerus="yes">
        <source>%n runs</source>
        <translation>
            <numerusform>%n Lauf</numerusform>
            <numerusform>%n Läufe</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 runs are shown</source>
        <translation>%1 Läufen werden gezeigt</translation>
    </message>
</context>
<context>
    <name>meshreel::Fixes</name>
    <message>
        <source>Set %1 to %2</source>
        <comment>title of a setting, value</comment>
        <translation>%1 auf %2 setzen</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <comment>title of a setting, value; one of several in “Set …”</comment>
        <translation>%1 auf %2</translation>
    </message>
    <message>
        <source>Set %1</source>
        <comment>several settings with their values</comment>
        <translation>%1 setzen</translation>
    </message>
</context>
<context>
    <name>meshreel::ForeseenMeshModel</name>
    <message>
        <source>%1 %2 %</source>
        <comment>cause of seconds, its share</comment>
        <translation>%1 %2 %</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <comment>seconds</comment>
        <translation>%1 bis %2</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <comment>memory</comment>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>%1 of %2: does not fit</source>
        <comment>memory</comment>
        <translation>%1 von %2: passt nicht</translation>
    </message>
    <message>
        <source>Four of five measurements fall into it</source>
        <translation>Vier von fünf Messungen liegen darin</translation>
    </message>
    <message>
        <source>The largest cost apart from linear layers and attention products</source>
        <translation>Was außer linearen Schichten und Attention-Produkten am meisten kostet</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>Mesh</source>
        <translation>Gerätenetz</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>Attention</translation>
    </message>
    <message>
        <source>Blocks</source>
        <translation>Blöcke</translation>
    </message>
    <message>
        <source>s/step</source>
        <translation>s/Schritt</translation>
    </message>
    <message>
        <source>Range</source>
        <translation>Bereich</translation>
    </message>
    <message>
        <source>Clip s</source>
        <translation>Clip s</translation>
    </message>
    <message>
        <source>Memory per device</source>
        <translation>Speicher je Gerät</translation>
    </message>
    <message>
        <source>Money</source>
        <comment>for a clip</comment>
        <translation>Geld</translation>
    </message>
    <message>
        <source>Largest overhead</source>
        <translation>Größter Nebenaufwand</translation>
    </message>
    <message>
        <source>%1, the project&apos;s own</source>
        <comment>a mesh</comment>
        <translation>%1, das des Projekts</translation>
    </message>
    <message>
        <source>The project&apos;s own mesh, which the others are compared with</source>
        <translation>Das Mesh des Projekts, mit dem die anderen verglichen werden</translation>
    </message>
    <message>
        <source>The project&apos;s own</source>
        <translation>Das des Projekts</translation>
    </message>
    <message>
        <source>Beside the project&apos;s own mesh, in bold; where the ranges overlap, either may be faster</source>
        <translation>Neben dem fett gesetzten Mesh des Projekts; wo die Bereiche sich überlappen, kann jedes schneller sein</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>Urteil</translation>
    </message>
</context>
<context>
    <name>meshreel::ForesightCharts</name>
    <message>
        <source>Seconds a step</source>
        <comment>axis of a chart</comment>
        <translation>Sekunden je Schritt</translation>
    </message>
    <message>
        <source>Seconds a step of the fastest mesh</source>
        <translation>Sekunden je Schritt des schnellsten Gerätenetzes</translation>
    </message>
    <message>
        <source>%1, measured</source>
        <comment>run</comment>
        <translation>%1, gemessen</translation>
    </message>
    <message>
        <source>%1, foreseen on %2</source>
        <comment>run, mesh</comment>
        <translation>%1, vorausberechnet auf %2</translation>
    </message>
    <message>
        <source>%1 (own)</source>
        <comment>the mesh of the project</comment>
        <translation>%1 (eigenes)</translation>
    </message>
</context>
<context>
    <name>meshreel::ForesightPanel</name>
    <message>
        <source>Use this mesh</source>
        <translation>Dieses Netz nehmen</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>Programm</translation>
    </message>
    <message>
        <source>What runs the model there</source>
        <translation>Was das Modell dort ausführt</translation>
    </message>
    <message>
        <source>Numbers of devices</source>
        <translation>Gerätezahlen</translation>
    </message>
    <message>
        <source>Numbers of devices from 1 to 4,096, separated by commas</source>
        <translation>Gerätezahlen von 1 bis 4.096, durch Kommas getrennt</translation>
    </message>
    <message>
        <source>Price</source>
        <translation>Preis</translation>
    </message>
    <message>
        <source>Price of a device for an hour: adds the money for a clip</source>
        <translation>Preis eines Geräts je Stunde: zeigt das Geld für einen Clip</translation>
    </message>
    <message>
        <source>no price</source>
        <translation>kein Preis</translation>
    </message>
    <message>
        <source>Best mesh by context size</source>
        <translation>Bestes Netz je Context-Größe</translation>
    </message>
    <message>
        <source>Seconds a step by split</source>
        <translation>Sekunden je Schritt nach Aufteilung</translation>
    </message>
    <message>
        <source>Block sizes</source>
        <translation>Blockgrößen</translation>
    </message>
    <message>
        <source>Scaling to 4,096 devices</source>
        <translation>Skalierung bis 4.096 Geräte</translation>
    </message>
    <message>
        <source>Foreseen beside measured</source>
        <translation>Vorausberechnet neben gemessen</translation>
    </message>
    <message>
        <source>What the chart shows</source>
        <translation>Was das Diagramm zeigt</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>Chart of the foresight</source>
        <translation>Diagramm der Vorausberechnung</translation>
    </message>
    <message>
        <source>Foreseen meshes</source>
        <translation>Vorausberechnete Gerätenetze</translation>
    </message>
    <message>
        <source>Gives this mesh, its attention and its block sizes to the project; can be undone</source>
        <translation>Gibt dem Projekt dieses Netz, seine Attention und seine Blockgrößen; lässt sich rückgängig machen</translation>
    </message>
    <message>
        <source>chart</source>
        <comment>beside a divider</comment>
        <translation>Diagramm</translation>
    </message>
    <message>
        <source>meshes</source>
        <comment>beside a divider</comment>
        <translation>Gerätenetze</translation>
    </message>
    <message>
        <source>%1 (default)</source>
        <comment>program</comment>
        <translation>%1 (Vorgabe)</translation>
    </message>
    <message>
        <source>Choose the hardware above to see which mesh is the fastest there, and how many seconds a step takes.</source>
        <translation>Wählen Sie oben die Hardware, um zu sehen, welches Gerätenetz dort am schnellsten ist und wie viele Sekunden ein Schritt dauert.</translation>
    </message>
    <message>
        <source>Write numbers of devices from 1 to 4,096, such as 8, 16.</source>
        <translation>Schreiben Sie Gerätezahlen von 1 bis 4.096, etwa 8, 16.</translation>
    </message>
    <message>
        <source>The project cannot be planned: Problems says what keeps it from that.</source>
        <translation>Das Projekt lässt sich nicht planen: „Probleme“ sagt, was dem im Weg steht.</translation>
    </message>
    <message>
        <source>Reading the profile and the published times…</source>
        <translation>Profil und veröffentlichte Zeiten werden gelesen …</translation>
    </message>
    <message>
        <source>%1, %2: efficiencies from %3. Double click a mesh to use it.</source>
        <comment>hardware, program, basis</comment>
        <translation>%1, %2: Wirkungsgrade aus: %3. Doppelklick auf ein Netz nimmt es.</translation>
    </message>
    <message>
        <source>No legal mesh has so many devices.</source>
        <translation>Kein zulässiges Netz hat so viele Geräte.</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <comment>title of a chart: what it shows, hardware</comment>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>Mesh: %1</source>
        <translation>Gerätenetz: %1</translation>
    </message>
    <message>
        <source>Pasted blocks name no mesh: select the one they ran on.</source>
        <translation>Eingefügte Blöcke nennen kein Mesh: Wählen Sie das, auf dem sie liefen.</translation>
    </message>
</context>
<context>
    <name>meshreel::FrameView</name>
    <message>
        <source>The wheel zooms, dragging moves, a double click fits (+, -, Shift with an arrow key, 0).</source>
        <translation>Das Rad zoomt, Ziehen verschiebt, ein Doppelklick passt ein (+, -, Umschalt mit einer Pfeiltaste, 0).</translation>
    </message>
</context>
<context>
    <name>meshreel::FramesField</name>
    <message>
        <source>Length in seconds</source>
        <translation>Länge in Sekunden</translation>
    </message>
    <message>
        <source>s</source>
        <comment>seconds, behind a number</comment>
        <translation>s</translation>
    </message>
    <message>
        <source>The nearest legal number of frames is taken: steps of %1 s</source>
        <translation>Die nächste zulässige Anzahl von Bildern gilt: Schritte von %1 s</translation>
    </message>
</context>
<context>
    <name>meshreel::FullScreenView</name>
    <message>
        <source>Video</source>
        <translation>Video</translation>
    </message>
</context>
<context>
    <name>meshreel::GridDialog</name>
    <message>
        <source>Choose a setting</source>
        <translation>Eine Einstellung wählen</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>section and title of a setting</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Add a grid to the queue</source>
        <translation>Ein Raster in die Warteschlange stellen</translation>
    </message>
    <message>
        <source>Add to the queue</source>
        <translation>In die Warteschlange stellen</translation>
    </message>
    <message>
        <source>Setting %1</source>
        <translation>Einstellung %1</translation>
    </message>
    <message>
        <source>Values of setting %1</source>
        <translation>Werte der Einstellung %1</translation>
    </message>
    <message>
        <source>Now: %1</source>
        <translation>Jetzt: %1</translation>
    </message>
    <message numerus="yes">
        <source>%n runs will be added.</source>
        <translation>
            <numerusform>%n Lauf wird hinzugefügt.</numerusform>
            <numerusform>%n Läufe werden hinzugefügt.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n combinations cannot run and are left out: %1</source>
        <translation>
            <numerusform>%n Kombination kann nicht laufen und wird ausgelassen: %1</numerusform>
            <numerusform>%n Kombinationen können nicht laufen und werden ausgelassen: %1</numerusform>
        </translation>
    </message>
    <message>
        <source>The project is added once for every combination of these values. Write one value a line; for numbers and choices also 1, 2, 5, for whole numbers also 1..8; in prompts a {ball|cube} stands for both.</source>
        <translation>Das Projekt wird für jede Kombination dieser Werte einmal hinzugefügt. Ein Wert je Zeile; bei Zahlen und Auswahlen auch 1, 2, 5, bei ganzen Zahlen auch 1..8; in Prompts steht a {ball|cube} für beide.</translation>
    </message>
</context>
<context>
    <name>meshreel::GridTexts</name>
    <message>
        <source>Choose a setting and write its values.</source>
        <translation>Eine Einstellung wählen und ihre Werte eingeben.</translation>
    </message>
    <message>
        <source>“%1” is chosen more than once: write all of its values into one field.</source>
        <translation>„%1“ ist mehrmals gewählt: alle Werte davon in ein Feld schreiben.</translation>
    </message>
    <message>
        <source>Write at least one value of “%1”.</source>
        <translation>Mindestens einen Wert von „%1“ eingeben.</translation>
    </message>
    <message>
        <source>These are more than %1 runs, the most that a grid adds: leave some values out.</source>
        <translation>Das sind mehr als %1 Läufe, mehr fügt ein Raster nicht hinzu: einige Werte weglassen.</translation>
    </message>
</context>
<context>
    <name>meshreel::HardwareChooser</name>
    <message>
        <source>Plan for</source>
        <translation>Planen für</translation>
    </message>
    <message>
        <source>This machine</source>
        <translation>Dieser Rechner</translation>
    </message>
    <message>
        <source>Profile file…</source>
        <translation>Profildatei …</translation>
    </message>
    <message>
        <source>Choose a hardware profile</source>
        <translation>Hardwareprofil wählen</translation>
    </message>
    <message>
        <source>Hardware profiles (*.yaml)</source>
        <translation>Hardwareprofile (*.yaml)</translation>
    </message>
    <message>
        <source>Plan for this machine alone</source>
        <translation>Nur für diesen Rechner planen</translation>
    </message>
    <message>
        <source>Hardware that time, memory and meshes are predicted for beside this machine. It is kept for this project alone. Runs always happen on this machine.</source>
        <translation>Hardware, für die Zeit, Speicher und Gerätenetze neben diesem Rechner vorhergesagt werden. Sie gilt nur für dieses Projekt. Läufe finden immer auf diesem Rechner statt.</translation>
    </message>
</context>
<context>
    <name>meshreel::HistoryActions</name>
    <message numerus="yes">
        <source>Moved to the trash: %n runs</source>
        <translation>
            <numerusform>In den Papierkorb verschoben: %n Lauf</numerusform>
            <numerusform>In den Papierkorb verschoben: %n Läufe</numerusform>
        </translation>
    </message>
    <message>
        <source>The system has no trash for %1; use Show folder and delete there.</source>
        <translation>Das System hat keinen Papierkorb für %1; „Ordner zeigen“ wählen und dort löschen.</translation>
    </message>
    <message>
        <source>Move to trash</source>
        <translation>In den Papierkorb</translation>
    </message>
    <message numerus="yes">
        <source>Move %n runs to the trash?</source>
        <translation>
            <numerusform>%n Lauf in den Papierkorb verschieben?</numerusform>
            <numerusform>%n Läufe in den Papierkorb verschieben?</numerusform>
        </translation>
    </message>
    <message>
        <source>A program works on %1: cancel it there, or wait until it is done.</source>
        <translation>Ein Programm arbeitet an %1: dort abbrechen oder warten, bis es fertig ist.</translation>
    </message>
</context>
<context>
    <name>meshreel::HistoryPanel</name>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Show the chart, summary and video of the run</source>
        <translation>Diagramm, Zeitübersicht und Video des Laufs zeigen</translation>
    </message>
    <message>
        <source>Load these settings</source>
        <translation>Diese Einstellungen laden</translation>
    </message>
    <message>
        <source>Edit a copy of the run&apos;s project</source>
        <translation>Eine Kopie des Projekts dieses Laufs bearbeiten</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Resume on a different machine</source>
        <translation>Auf anderem Rechner fortsetzen</translation>
    </message>
    <message>
        <source>Decode again</source>
        <translation>Neu dekodieren</translation>
    </message>
    <message>
        <source>Make the video again from the kept latents</source>
        <translation>Das Video aus den aufbewahrten Latents neu erzeugen</translation>
    </message>
    <message>
        <source>Show folder</source>
        <translation>Ordner zeigen</translation>
    </message>
    <message>
        <source>Open the run&apos;s folder in the file manager</source>
        <translation>Den Ordner des Laufs im Dateiverwalter öffnen</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Läufe</translation>
    </message>
    <message>
        <source>Read the runs folder again</source>
        <translation>Den Ordner der Läufe neu lesen</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleichen</translation>
    </message>
    <message>
        <source>Show the selected runs in one chart, with the settings that differ</source>
        <translation>Die gewählten Läufe in einem Diagramm zeigen, mit den abweichenden Einstellungen</translation>
    </message>
    <message>
        <source>Move to trash</source>
        <translation>In den Papierkorb</translation>
    </message>
    <message>
        <source>Move the folders of the selected runs to the trash</source>
        <translation>Die Ordner der gewählten Läufe in den Papierkorb verschieben</translation>
    </message>
    <message>
        <source>No run matches “%1”.</source>
        <translation>Kein Lauf passt zu „%1“.</translation>
    </message>
    <message>
        <source>Describe a video</source>
        <translation>Video beschreiben</translation>
    </message>
    <message>
        <source>Show all runs</source>
        <translation>Alle Läufe zeigen</translation>
    </message>
    <message>
        <source>There are no runs yet: describe a video and press Run.</source>
        <translation>Es gibt noch keine Läufe: ein Video beschreiben und auf „Ausführen“ klicken.</translation>
    </message>
    <message>
        <source>Compare with the open project</source>
        <translation>Mit dem offenen Projekt vergleichen</translation>
    </message>
    <message>
        <source>Show in which settings the selected runs and the project being edited differ</source>
        <translation>Zeigen, in welchen Einstellungen sich die gewählten Läufe und das bearbeitete Projekt unterscheiden</translation>
    </message>
    <message>
        <source>Copy timing summaries</source>
        <translation>Zeitübersichten kopieren</translation>
    </message>
    <message>
        <source>Copy those of the selected runs in the published layout</source>
        <translation>Die der gewählten Läufe in der veröffentlichten Form kopieren</translation>
    </message>
    <message>
        <source>Copy best configurations</source>
        <translation>Beste Konfigurationen kopieren</translation>
    </message>
    <message>
        <source>Copy the fastest of the selected runs, by attention mode and number of devices, as a Markdown table</source>
        <translation>Die schnellsten der gewählten Läufe, je Attention-Modus und Gerätezahl, als Markdown-Tabelle kopieren</translation>
    </message>
    <message>
        <source>Refresh</source>
        <translation>Aktualisieren</translation>
    </message>
    <message>
        <source>Go on from the last finished step</source>
        <translation>Beim letzten fertigen Schritt fortsetzen</translation>
    </message>
    <message>
        <source>Resume although the processor, build or number of workers has changed; the last bits of the result may differ</source>
        <translation>Fortsetzen, obwohl sich Prozessor, Programmstand oder Zahl der Worker geändert haben; die letzten Bits des Ergebnisses können abweichen</translation>
    </message>
    <message>
        <source>Export videos</source>
        <translation>Videos exportieren</translation>
    </message>
    <message>
        <source>Copy the videos of the selected runs into a folder</source>
        <translation>Die Videos der ausgewählten Läufe in einen Ordner kopieren</translation>
    </message>
    <message>
        <source>Large preview</source>
        <translation>Große Vorschau</translation>
    </message>
    <message>
        <source>Play the run large, with its settings; the arrow keys go on to the next one</source>
        <translation>Den Lauf groß zeigen, mit seinen Einstellungen; die Pfeiltasten führen zum nächsten</translation>
    </message>
    <message>
        <source>Star</source>
        <translation>Stern</translation>
    </message>
    <message>
        <source>Give the selected runs a star, or take it away</source>
        <translation>Den ausgewählten Läufen einen Stern geben oder nehmen</translation>
    </message>
    <message>
        <source>Tags…</source>
        <translation>Schlagwörter…</translation>
    </message>
    <message>
        <source>Change the tags of the selected runs</source>
        <translation>Die Schlagwörter der ausgewählten Läufe ändern</translation>
    </message>
    <message>
        <source>Boards…</source>
        <translation>Sammlungen…</translation>
    </message>
    <message>
        <source>Put the selected runs on boards: collections with a name</source>
        <translation>Die ausgewählten Läufe in Sammlungen mit einem Namen legen</translation>
    </message>
    <message>
        <source>Show runs as tiles</source>
        <translation>Läufe als Kacheln zeigen</translation>
    </message>
    <message>
        <source>Show runs as a table</source>
        <translation>Läufe als Tabelle zeigen</translation>
    </message>
    <message>
        <source>Tags of the selected runs</source>
        <translation>Schlagwörter der ausgewählten Läufe</translation>
    </message>
    <message>
        <source>Boards of the selected runs</source>
        <translation>Sammlungen der ausgewählten Läufe</translation>
    </message>
    <message>
        <source>No run passes these filters.</source>
        <translation>Kein Lauf passt zu diesen Filtern.</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>Bewerten</translation>
    </message>
    <message>
        <source>See the videos of the selected runs in pairs, without their settings, and say which is better; of one run, all of its prompt</source>
        <translation>Die Videos der gewählten Läufe paarweise ohne ihre Einstellungen ansehen und sagen, welches besser ist; bei einem Lauf alle seines Prompts</translation>
    </message>
</context>
<context>
    <name>meshreel::HostTexts</name>
    <message numerus="yes">
        <source>%n rank(s)</source>
        <translation>
            <numerusform>%n Rang</numerusform>
            <numerusform>%n Ränge</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1, each with %n device(s)</source>
        <comment>sum of ranks</comment>
        <translation>
            <numerusform>%1, jeder mit %n Gerät</numerusform>
            <numerusform>%1, jeder mit %n Geräten</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::ImportDialog</name>
    <message>
        <source>Import from MaxDiffusion</source>
        <translation>Aus MaxDiffusion importieren</translation>
    </message>
    <message>
        <source>Open as a project</source>
        <translation>Als Projekt öffnen</translation>
    </message>
    <message>
        <source>base_wan_14b.yml, typed, chosen or dropped here</source>
        <translation>base_wan_14b.yml, getippt, gewählt oder hierher gezogen</translation>
    </message>
    <message>
        <source>Config</source>
        <translation>Konfiguration</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>Wählen …</translation>
    </message>
    <message>
        <source>python generate_wan.py base_wan_14b.yml attention=ulysses_ring ulysses_shards=2 …</source>
        <translation>python generate_wan.py base_wan_14b.yml attention=ulysses_ring ulysses_shards=2 …</translation>
    </message>
    <message>
        <source>Command line</source>
        <translation>Befehlszeile</translation>
    </message>
    <message>
        <source>What became of every key</source>
        <translation>Was aus jedem Schlüssel wurde</translation>
    </message>
    <message>
        <source>command line</source>
        <translation>Befehlszeile</translation>
    </message>
    <message>
        <source>Choose a config of MaxDiffusion</source>
        <translation>Konfiguration von MaxDiffusion wählen</translation>
    </message>
    <message>
        <source>Configs (*.yml *.yaml);;All files (*)</source>
        <translation>Konfigurationen (*.yml *.yaml);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Choose a config, paste a command line, or both: its settings win. What becomes of every key is told here before anything is opened.</source>
        <translation>Eine Konfiguration wählen, eine Befehlszeile einfügen, oder beides: dann gelten die Einstellungen der Befehlszeile. Was aus jedem Schlüssel wird, steht hier, bevor etwas geöffnet wird.</translation>
    </message>
    <message>
        <source>Fix before running: %1</source>
        <translation>Vor dem Lauf zu beheben: %1</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>The model that the config or the command line names, or another one</source>
        <translation>Das Modell, das Konfiguration oder Befehlszeile nennt, oder ein anderes</translation>
    </message>
    <message>
        <source>Choose the model that the config is for</source>
        <translation>Wählen Sie das Modell, für das die Konfiguration ist</translation>
    </message>
</context>
<context>
    <name>meshreel::ImportReportModel</name>
    <message>
        <source>taken</source>
        <translation>übernommen</translation>
    </message>
    <message>
        <source>translated</source>
        <translation>übersetzt</translation>
    </message>
    <message>
        <source>ignored</source>
        <translation>übergangen</translation>
    </message>
    <message>
        <source>refused</source>
        <translation>abgelehnt</translation>
    </message>
    <message numerus="yes">
        <source>%n taken</source>
        <comment>keys</comment>
        <translation>
            <numerusform>%n übernommen</numerusform>
            <numerusform>%n übernommen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n translated</source>
        <comment>keys</comment>
        <translation>
            <numerusform>%n übersetzt</numerusform>
            <numerusform>%n übersetzt</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n ignored</source>
        <comment>keys</comment>
        <translation>
            <numerusform>%n übergangen</numerusform>
            <numerusform>%n übergangen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n refused</source>
        <comment>keys</comment>
        <translation>
            <numerusform>%n abgelehnt</numerusform>
            <numerusform>%n abgelehnt</numerusform>
        </translation>
    </message>
    <message>
        <source>command line</source>
        <translation>Befehlszeile</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>Schlüssel</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>Meshreel setting or reason</source>
        <translation>Einstellung oder Grund</translation>
    </message>
    <message>
        <source>From</source>
        <translation>Aus</translation>
    </message>
</context>
<context>
    <name>meshreel::InputRequest</name>
    <message>
        <source>Choose…</source>
        <translation>Wählen …</translation>
    </message>
    <message>
        <source>%1: drop the file here.</source>
        <comment>title of an input</comment>
        <translation>%1: Datei hier ablegen.</translation>
    </message>
    <message>
        <source>Choose: %1</source>
        <comment>title of an input</comment>
        <translation>Wählen: %1</translation>
    </message>
</context>
<context>
    <name>meshreel::KeyField</name>
    <message>
        <source>Take a random seed</source>
        <translation>Einen zufälligen Seed nehmen</translation>
    </message>
    <message>
        <source>Choose a model folder</source>
        <translation>Modellordner wählen</translation>
    </message>
    <message>
        <source>Choose a model</source>
        <translation>Ein Modell wählen</translation>
    </message>
    <message>
        <source>Choose a model &amp;folder…</source>
        <translation>Modell&amp;ordner wählen …</translation>
    </message>
    <message>
        <source>Choose a transformer’s f&amp;ile…</source>
        <translation>Transformer-&amp;Datei wählen …</translation>
    </message>
    <message>
        <source>Choose a transformer’s file</source>
        <translation>Transformer-Datei wählen</translation>
    </message>
    <message>
        <source>Weights (*.safetensors *.gguf *.pth *.pt)</source>
        <translation>Gewichte (*.safetensors *.gguf *.pth *.pt)</translation>
    </message>
    <message>
        <source>auto (%1)</source>
        <comment>the value that is taken</comment>
        <translation>auto (%1)</translation>
    </message>
</context>
<context>
    <name>meshreel::KeyHelp</name>
    <message>
        <source>default %1</source>
        <comment>value</comment>
        <translation>Vorgabe %1</translation>
    </message>
    <message>
        <source>Choose a setting to read what it does.</source>
        <translation>Eine Einstellung wählen, um zu lesen, was sie bewirkt.</translation>
    </message>
    <message>
        <source>Reference</source>
        <translation>Referenz</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>Hilfe</translation>
    </message>
</context>
<context>
    <name>meshreel::KeyReference</name>
    <message>
        <source>Reference of the project keys</source>
        <translation>Referenz der Projektschlüssel</translation>
    </message>
</context>
<context>
    <name>meshreel::KeyRow</name>
    <message>
        <source>Back to the default: empty</source>
        <translation>Zurück zur Vorgabe: leer</translation>
    </message>
    <message>
        <source>Back to the default: %1</source>
        <translation>Zurück zur Vorgabe: %1</translation>
    </message>
    <message>
        <source>Reset %1</source>
        <comment>title of a setting</comment>
        <translation>%1 zurücksetzen</translation>
    </message>
</context>
<context>
    <name>meshreel::KeyTexts</name>
    <message>
        <source>at least %1</source>
        <translation>mindestens %1</translation>
    </message>
    <message>
        <source>at most %1</source>
        <translation>höchstens %1</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <comment>range of values</comment>
        <translation>%1 bis %2</translation>
    </message>
    <message>
        <source>%1, or %2 for automatic</source>
        <comment>range and special value</comment>
        <translation>%1 oder %2 für automatisch</translation>
    </message>
    <message>
        <source>%1, step %2</source>
        <comment>range and step</comment>
        <translation>%1, Schrittweite %2</translation>
    </message>
    <message>
        <source>%1. %2</source>
        <comment>what is wrong and what to do</comment>
        <translation>%1. %2</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>title of a setting, its section</comment>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>field and its problem</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>%1 to %2, or %3 for a random one</source>
        <comment>range and special value of a seed</comment>
        <translation>%1 bis %2 oder %3 für einen zufälligen</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>place and what is wrong</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>adapter, strength</comment>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>%1 (%2, %3)</source>
        <comment>adapter, strength, expert</comment>
        <translation>%1 (%2, %3)</translation>
    </message>
    <message>
        <source>%1 s</source>
        <comment>seconds</comment>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>%1 %</source>
        <comment>percentage</comment>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>place in a clip, picture</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>none</source>
        <comment>adapters or keyframes</comment>
        <translation>keine</translation>
    </message>
</context>
<context>
    <name>meshreel::KeyframeField</name>
    <message>
        <source>frame</source>
        <translation>Frame</translation>
    </message>
    <message>
        <source>seconds</source>
        <translation>Sekunden</translation>
    </message>
    <message>
        <source>percent</source>
        <translation>Prozent</translation>
    </message>
    <message>
        <source>Add pictures…</source>
        <translation>Bilder hinzufügen…</translation>
    </message>
    <message>
        <source>Choose pictures, or drop them on the strip at their frames</source>
        <translation>Bilder wählen oder auf dem Streifen an ihren Frames ablegen</translation>
    </message>
    <message>
        <source>Choose pictures</source>
        <translation>Bilder wählen</translation>
    </message>
    <message>
        <source>Remove keyframe %1</source>
        <translation>Keyframe %1 entfernen</translation>
    </message>
    <message>
        <source>Picture of keyframe %1</source>
        <translation>Bild von Keyframe %1</translation>
    </message>
    <message>
        <source>Place of keyframe %1</source>
        <translation>Stelle von Keyframe %1</translation>
    </message>
    <message>
        <source>Where the picture stands in the clip; frames are counted from 0</source>
        <translation>Wo das Bild im Clip steht; Frames zählen ab 0</translation>
    </message>
    <message>
        <source>How the place of keyframe %1 is counted</source>
        <translation>Wie die Stelle von Keyframe %1 gezählt wird</translation>
    </message>
</context>
<context>
    <name>meshreel::KeyframeStrip</name>
    <message>
        <source>Pictures along the clip</source>
        <translation>Bilder entlang des Clips</translation>
    </message>
    <message>
        <source>frame %1</source>
        <translation>Frame %1</translation>
    </message>
    <message>
        <source>frame %1, %2 s</source>
        <translation>Frame %1, %2 s</translation>
    </message>
    <message>
        <source>%1 at %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>%1 (chosen)</source>
        <translation>%1 (gewählt)</translation>
    </message>
    <message>
        <source>No pictures yet. Drop some here.</source>
        <translation>Noch keine Bilder. Hier ablegen.</translation>
    </message>
    <message>
        <source>Drop pictures here, and drag them to their frames</source>
        <translation>Bilder hier ablegen und auf ihre Frames ziehen</translation>
    </message>
</context>
<context>
    <name>meshreel::LaneReader</name>
    <message>
        <source>Comma and full stop go from step to step in the lane of the current row.</source>
        <translation>Komma und Punkt gehen in der Spur der aktuellen Zeile von Schritt zu Schritt.</translation>
    </message>
</context>
<context>
    <name>meshreel::LastPlanMark</name>
    <message>
        <source>This is how the project was last legal; Problems says what keeps it from being planned.</source>
        <translation>So war das Projekt zuletzt zulässig; „Probleme“ sagt, was die Planung verhindert.</translation>
    </message>
    <message>
        <source>Nothing is drawn, as this project cannot be planned: %1. See Problems to mend it.</source>
        <translation>Nichts wird gezeichnet, da dieses Projekt nicht geplant werden kann: %1. „Probleme“ zeigt, wie es behoben wird.</translation>
    </message>
    <message>
        <source>Nothing is drawn, as this project cannot be planned: %1.</source>
        <translation>Nichts wird gezeichnet, da dieses Projekt nicht geplant werden kann: %1.</translation>
    </message>
</context>
<context>
    <name>meshreel::LegalMeshModel</name>
    <message>
        <source>one device</source>
        <translation>ein Gerät</translation>
    </message>
    <message>
        <source>What the busiest device receives from the others in one step</source>
        <translation>Was das am stärksten belastete Gerät in einem Schritt von den anderen empfängt</translation>
    </message>
    <message>
        <source>Mesh</source>
        <translation>Gerätenetz</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>Attention</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>Exchange</source>
        <comment>column of the legal meshes: bytes per step</comment>
        <translation>Austausch</translation>
    </message>
    <message>
        <source>%1, between hosts %2</source>
        <comment>mesh, its part</comment>
        <translation>%1, zwischen Rechnern %2</translation>
    </message>
    <message>
        <source>What the busiest host receives from the others in one step</source>
        <translation>Was der am stärksten belastete Rechner in einem Schritt von den anderen empfängt</translation>
    </message>
    <message>
        <source>The part of the mesh that lies between hosts; the rest lies inside each</source>
        <translation>Der Teil des Gerätenetzes, der zwischen den Rechnern liegt; der Rest liegt in jedem von ihnen</translation>
    </message>
    <message>
        <source>Between hosts</source>
        <comment>column of the legal meshes: bytes per step</comment>
        <translation>Zwischen Rechnern</translation>
    </message>
    <message>
        <source>Hosts</source>
        <comment>column of the legal meshes: axes</comment>
        <translation>Rechner</translation>
    </message>
    <message>
        <source>+%1 %</source>
        <comment>how much longer</comment>
        <translation>+%1 %</translation>
    </message>
    <message>
        <source>How long a step is expected to take with the fastest, and how much longer with the others</source>
        <translation>Wie lange ein Schritt mit dem schnellsten voraussichtlich dauert, und wie viel länger mit den anderen</translation>
    </message>
    <message>
        <source>Heads are uneven: the others wait for devices with %1 of them, so attention reaches %2 % of the speed of an even split.</source>
        <comment>number, number</comment>
        <translation>Die Köpfe sind ungleich verteilt: die anderen warten auf Geräte mit %1 davon, so erreicht Attention %2 % der Geschwindigkeit bei gleicher Verteilung.</translation>
    </message>
</context>
<context>
    <name>meshreel::LegalMeshes</name>
    <message>
        <source>Use this mesh</source>
        <translation>Dieses Netz nehmen</translation>
    </message>
    <message>
        <source>Valid meshes, least traffic first</source>
        <translation>Gültige Gerätenetze, das mit dem geringsten Datenverkehr zuerst</translation>
    </message>
    <message>
        <source>Measure to sort by time</source>
        <translation>Messen, um nach Zeit zu ordnen</translation>
    </message>
    <message>
        <source>Measures this machine for about two minutes; seconds are predicted from that</source>
        <translation>Misst diesen Rechner etwa zwei Minuten lang; daraus werden Sekunden vorhergesagt</translation>
    </message>
    <message>
        <source>Valid meshes</source>
        <translation>Zulässige Gerätenetze</translation>
    </message>
    <message>
        <source>Valid meshes, fastest first as predicted</source>
        <translation>Zulässige Gerätenetze, das voraussichtlich schnellste zuerst</translation>
    </message>
    <message>
        <source>Valid meshes, fastest first on %1</source>
        <translation>Zulässige Gerätenetze, das auf %1 schnellste zuerst</translation>
    </message>
</context>
<context>
    <name>meshreel::LivePreview</name>
    <message>
        <source>The first preview comes after the first step</source>
        <translation>Die erste Vorschau kommt nach dem ersten Schritt</translation>
    </message>
    <message>
        <source>Live preview</source>
        <translation>Live-Vorschau</translation>
    </message>
    <message>
        <source>Live preview of the latents; decoded frames will take its place</source>
        <translation>Live-Vorschau der Latents; dekodierte Bilder treten an ihre Stelle</translation>
    </message>
    <message>
        <source>%1 of %2 frames decoded; the others are the preview of the latents</source>
        <translation>%1 von %2 Bildern dekodiert; die übrigen sind die Vorschau der Latents</translation>
    </message>
    <message>
        <source>%1 of %2 frames decoded</source>
        <translation>%1 von %2 Bildern dekodiert</translation>
    </message>
    <message>
        <source>The run failed before its first preview.</source>
        <translation>Der Lauf scheiterte vor seiner ersten Vorschau.</translation>
    </message>
    <message>
        <source>Preview at the last finished step</source>
        <translation>Vorschau beim letzten fertigen Schritt</translation>
    </message>
</context>
<context>
    <name>meshreel::LogModel</name>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>What happened</source>
        <translation>Was geschah</translation>
    </message>
</context>
<context>
    <name>meshreel::LooksDialog</name>
    <message>
        <source>The look cannot be kept (%1): free some space, or make the folder writable</source>
        <translation>Der Look lässt sich nicht behalten (%1): Schaffe Platz, oder mache den Ordner beschreibbar</translation>
    </message>
    <message>
        <source>Look “%1”</source>
        <translation>Look „%1“</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>title of a setting and its value</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>No looks yet: save the project&apos;s, or drop pictures here that others saved as looks.</source>
        <translation>Noch keine Looks: Speichere den des Projekts, oder lege hier Bilder ab, die andere als Looks gespeichert haben.</translation>
    </message>
    <message>
        <source>Looks</source>
        <translation>Looks</translation>
    </message>
    <message>
        <source>Save the project&apos;s…</source>
        <translation>Den des Projekts speichern …</translation>
    </message>
    <message>
        <source>Add files…</source>
        <translation>Dateien hinzufügen …</translation>
    </message>
    <message>
        <source>Copy to…</source>
        <translation>Kopieren nach …</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>Verwenden</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>file and why it cannot be used</comment>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>Not added: %1.</source>
        <comment>files</comment>
        <translation>Nicht hinzugefügt: %1.</translation>
    </message>
    <message>
        <source>Add looks</source>
        <translation>Looks hinzufügen</translation>
    </message>
    <message>
        <source>Looks (*.png)</source>
        <translation>Looks (*.png)</translation>
    </message>
    <message>
        <source>Copy the look</source>
        <translation>Den Look kopieren</translation>
    </message>
    <message>
        <source>%1 cannot be written: %2</source>
        <translation>%1 lässt sich nicht schreiben: %2</translation>
    </message>
    <message>
        <source>Remove a look</source>
        <translation>Einen Look entfernen</translation>
    </message>
    <message>
        <source>Remove “%1”? It cannot be brought back.</source>
        <translation>„%1“ entfernen? Er lässt sich nicht zurückholen.</translation>
    </message>
</context>
<context>
    <name>meshreel::MachineList</name>
    <message>
        <source>%1 TFLOP/s</source>
        <translation>%1 TFLOP/s</translation>
    </message>
    <message>
        <source>not measured</source>
        <translation>nicht gemessen</translation>
    </message>
    <message>
        <source>Card with its own memory</source>
        <translation>Karte mit eigenem Speicher</translation>
    </message>
    <message>
        <source>Shares the memory of the CPU</source>
        <translation>Teilt sich den Speicher mit der CPU</translation>
    </message>
    <message>
        <source>GPU of a virtual machine</source>
        <translation>GPU einer virtuellen Maschine</translation>
    </message>
    <message>
        <source>Computes on the CPU: never taken by Automatic</source>
        <translation>Rechnet auf der CPU: „Automatisch“ nimmt sie nie</translation>
    </message>
    <message>
        <source>GPU of another kind</source>
        <translation>GPU anderer Art</translation>
    </message>
    <message>
        <source>%1: taken</source>
        <comment>way to multiply matrices</comment>
        <translation>%1: genommen</translation>
    </message>
    <message>
        <source>%1: not taken</source>
        <comment>way to multiply matrices</comment>
        <translation>%1: nicht genommen</translation>
    </message>
    <message>
        <source>The CPU computes this project.</source>
        <translation>Die CPU rechnet dieses Projekt.</translation>
    </message>
    <message>
        <source>The CPU computes this project: %1.</source>
        <comment>why</comment>
        <translation>Die CPU rechnet dieses Projekt: %1.</translation>
    </message>
    <message>
        <source>%1 (GPU %2)</source>
        <comment>name and number</comment>
        <translation>%1 (GPU %2)</translation>
    </message>
    <message>
        <source>Transformer and VAE are computed by %1.</source>
        <comment>GPUs</comment>
        <translation>Transformer und VAE werden von %1 gerechnet.</translation>
    </message>
    <message>
        <source>The transformer is computed by %1, the VAE by the CPU: %2.</source>
        <comment>GPUs, why</comment>
        <translation>Der Transformer wird von %1 gerechnet, der VAE von der CPU: %2.</translation>
    </message>
    <message>
        <source>Automatic</source>
        <comment>choice of the GPU</comment>
        <translation>Automatisch</translation>
    </message>
    <message>
        <source>The plan takes the best GPU where it counts as faster than the CPU. Without this, the GPUs with a tick compute; without a tick, the CPU does.</source>
        <translation>Der Plan nimmt die beste GPU, wo sie als schneller als die CPU gilt. Ohne dies rechnen die GPUs mit Häkchen; ohne Häkchen rechnet die CPU.</translation>
    </message>
    <message>
        <source>Look for GPUs again</source>
        <translation>Erneut nach GPUs suchen</translation>
    </message>
    <message>
        <source>Look for GPUs again, and ask drivers that failed before</source>
        <translation>Erneut nach GPUs suchen und auch Treiber fragen, die zuvor versagten</translation>
    </message>
    <message>
        <source>This machine</source>
        <translation>Dieser Rechner</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Linear layers</source>
        <translation>Lineare Schichten</translation>
    </message>
    <message>
        <source>How fast layers in bf16 are multiplied. A GPU is measured by its first run in bf16, the CPU by “Measure this machine”.</source>
        <translation>Wie schnell Schichten in bf16 multipliziert werden. Eine GPU misst ihr erster Lauf in bf16, die CPU „Diesen Rechner messen“.</translation>
    </message>
    <message>
        <source>CPU and GPUs of this machine</source>
        <translation>CPU und GPUs dieses Rechners</translation>
    </message>
    <message>
        <source>Asking the GPU drivers…</source>
        <translation>GPU-Treiber werden gefragt …</translation>
    </message>
    <message>
        <source>No GPU: %1</source>
        <comment>why</comment>
        <translation>Keine GPU: %1</translation>
    </message>
    <message>
        <source>CPU: %1 (%2)</source>
        <comment>name, instruction set</comment>
        <translation>CPU: %1 (%2)</translation>
    </message>
    <message>
        <source>%1 free</source>
        <comment>bytes</comment>
        <translation>%1 frei</translation>
    </message>
    <message>
        <source>%1 of %2 free</source>
        <comment>bytes</comment>
        <translation>%1 von %2 frei</translation>
    </message>
    <message>
        <source>GPU %1: %2</source>
        <comment>number, name</comment>
        <translation>GPU %1: %2</translation>
    </message>
    <message>
        <source>%1; %2, Vulkan %3</source>
        <comment>kind, driver, version</comment>
        <translation>%1; %2, Vulkan %3</translation>
    </message>
    <message>
        <source>It cannot be used: %1</source>
        <comment>why</comment>
        <translation>Nicht nutzbar: %1</translation>
    </message>
    <message>
        <source>Drivers without a device</source>
        <translation>Treiber ohne Gerät</translation>
    </message>
    <message>
        <source>%1 (not asked this time)</source>
        <translation>%1 (diesmal nicht gefragt)</translation>
    </message>
    <message numerus="yes">
        <source>%n devices of the mesh</source>
        <translation>
            <numerusform>%n Gerät des Gerätenetzes</numerusform>
            <numerusform>%n Geräte des Gerätenetzes</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 TOP/s</source>
        <comment>int8 operations</comment>
        <translation>%1 TOP/s</translation>
    </message>
    <message>
        <source>Transformer, VAE and encoders are computed by %1.</source>
        <comment>GPUs</comment>
        <translation>Transformer, VAE und Encoder werden von %1 gerechnet.</translation>
    </message>
    <message>
        <source>The GPU computes the text and image encoders.</source>
        <translation>Die GPU rechnet die Text- und Bildencoder.</translation>
    </message>
    <message>
        <source>The CPU computes the text and image encoders: %1.</source>
        <comment>why</comment>
        <translation>Die CPU rechnet die Text- und Bildencoder: %1.</translation>
    </message>
    <message>
        <source>Text encoder</source>
        <translation>Text-Encoder</translation>
    </message>
    <message>
        <source>Image encoder</source>
        <translation>Bild-Encoder</translation>
    </message>
    <message>
        <source>VAE encoder</source>
        <translation>VAE-Encoder</translation>
    </message>
    <message>
        <source>VAE decoder</source>
        <translation>VAE-Decoder</translation>
    </message>
    <message>
        <source>Preview decoder</source>
        <translation>Vorschau-Decoder</translation>
    </message>
    <message>
        <source>%1 on the CPU: %2.</source>
        <comment>part, why</comment>
        <translation>%1 auf der CPU: %2.</translation>
    </message>
    <message>
        <source>Not taken: %1.</source>
        <comment>why a GPU does not compute</comment>
        <translation>Nicht genommen: %1.</translation>
    </message>
</context>
<context>
    <name>meshreel::MainMenu</name>
    <message>
        <source>&amp;Undo</source>
        <translation>&amp;Rückgängig</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>&amp;Wiederholen</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>&amp;Datei</translation>
    </message>
    <message>
        <source>Open run &amp;folder…</source>
        <translation>&amp;Laufordner öffnen …</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>&amp;Beenden</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>&amp;Bearbeiten</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>Aus&amp;führen</translation>
    </message>
    <message>
        <source>&amp;Cancel</source>
        <translation>A&amp;bbrechen</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>&amp;Hilfe</translation>
    </message>
    <message>
        <source>&amp;About Meshreel</source>
        <translation>Ü&amp;ber Meshreel</translation>
    </message>
    <message>
        <source>About &amp;Qt</source>
        <translation>Über &amp;Qt</translation>
    </message>
    <message>
        <source>About Meshreel</source>
        <translation>Über Meshreel</translation>
    </message>
    <message>
        <source>&lt;h3&gt;Meshreel %1&lt;/h3&gt;&lt;p&gt;Video generation with Wan models on your own processors.&lt;/p&gt;&lt;p&gt;Commit %2. Free software under the GNU General Public License, version 3 or later.&lt;/p&gt;</source>
        <translation>&lt;h3&gt;Meshreel %1&lt;/h3&gt;&lt;p&gt;Videoerzeugung mit Wan-Modellen auf den eigenen Prozessoren.&lt;/p&gt;&lt;p&gt;Commit %2. Freie Software unter der GNU General Public License, Version 3 oder neuer.&lt;/p&gt;</translation>
    </message>
    <message>
        <source>&amp;Find setting</source>
        <translation>Einstellung &amp;suchen</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>&amp;Ansicht</translation>
    </message>
    <message>
        <source>&amp;Reset layout</source>
        <translation>Anordnung &amp;zurücksetzen</translation>
    </message>
    <message>
        <source>&amp;Appearance</source>
        <translation>&amp;Erscheinungsbild</translation>
    </message>
    <message>
        <source>As the &amp;system</source>
        <translation>Wie das &amp;System</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation>&amp;Hell</translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation>&amp;Dunkel</translation>
    </message>
    <message>
        <source>&amp;Project keys</source>
        <translation>&amp;Projektschlüssel</translation>
    </message>
    <message>
        <source>&amp;Pause after this step</source>
        <translation>Nach diesem Schritt &amp;pausieren</translation>
    </message>
    <message>
        <source>Add to &amp;queue</source>
        <translation>&amp;Einreihen</translation>
    </message>
    <message>
        <source>Add a &amp;grid to the queue…</source>
        <translation>Ein &amp;Raster in die Warteschlange stellen …</translation>
    </message>
    <message>
        <source>&amp;Import from MaxDiffusion…</source>
        <translation>Aus MaxDiffusion &amp;importieren …</translation>
    </message>
    <message>
        <source>&amp;Measure this machine</source>
        <translation>Diesen Rechner &amp;messen</translation>
    </message>
    <message>
        <source>Times what videos are made of, for predicting how long runs take</source>
        <translation>Misst die Rechenschritte, aus denen Videos entstehen, um die Dauer von Läufen vorherzusagen</translation>
    </message>
    <message>
        <source>&amp;Tour</source>
        <translation>&amp;Rundgang</translation>
    </message>
    <message numerus="yes">
        <source>&lt;p&gt;This machine: %1, %n CPU(s), computing with %2.&lt;/p&gt;</source>
        <translation>
            <numerusform>&lt;p&gt;Dieser Rechner: %1, %n CPU, rechnet mit %2.&lt;/p&gt;</numerusform>
            <numerusform>&lt;p&gt;Dieser Rechner: %1, %n CPUs, rechnet mit %2.&lt;/p&gt;</numerusform>
        </translation>
    </message>
    <message>
        <source>Keep measuring when &amp;idle</source>
        <translation>Im &amp;Leerlauf weitermessen</translation>
    </message>
    <message>
        <source>Adds rounds to the measurement of this machine while nothing runs</source>
        <translation>Ergänzt die Messung dieses Rechners um weitere Runden, solange nichts läuft</translation>
    </message>
    <message>
        <source>&amp;Workspace</source>
        <translation>&amp;Arbeitsbereich</translation>
    </message>
    <message>
        <source>F&amp;ull screen</source>
        <translation>V&amp;ollbild</translation>
    </message>
    <message>
        <source>Show the queue</source>
        <translation>Die Warteschlange zeigen</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>Warteschlange</translation>
    </message>
    <message numerus="yes">
        <source>Queue: %n waiting</source>
        <translation>
            <numerusform>Warteschlange: %n wartet</numerusform>
            <numerusform>Warteschlange: %n warten</numerusform>
        </translation>
    </message>
    <message>
        <source>Workspaces</source>
        <translation>Arbeitsbereiche</translation>
    </message>
    <message>
        <source>Choose the folder for r&amp;uns…</source>
        <translation>Ordner für &amp;Läufe wählen…</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <comment>how many wait, how long they take</comment>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>&amp;Looks…</source>
        <translation>L&amp;ooks …</translation>
    </message>
    <message>
        <source>Re&amp;write the prompt…</source>
        <translation>Prompt &amp;umschreiben …</translation>
    </message>
    <message>
        <source>Add a &amp;table to the queue…</source>
        <translation>Eine &amp;Tabelle in die Warteschlange stellen …</translation>
    </message>
</context>
<context>
    <name>meshreel::MainWindow</name>
    <message>
        <source>Open a run folder</source>
        <translation>Einen Laufordner öffnen</translation>
    </message>
    <message>
        <source>The chart was written to %1</source>
        <translation>Das Diagramm wurde nach %1 geschrieben</translation>
    </message>
    <message>
        <source>%1[*] – Meshreel Studio</source>
        <comment>project</comment>
        <translation>%1[*] – Meshreel Studio</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>Probleme</translation>
    </message>
    <message>
        <source>Problems (%1)</source>
        <translation>Probleme (%1)</translation>
    </message>
    <message>
        <source>The report was written to %1</source>
        <translation>Der Bericht wurde nach %1 geschrieben</translation>
    </message>
    <message>
        <source>Say what you want to see</source>
        <translation>Beschreiben, was zu sehen sein soll</translation>
    </message>
    <message>
        <source>Type a prompt. Every other setting has a default that works; the search box finds each of them, and everything can be undone.</source>
        <translation>Einen Prompt eingeben. Jede andere Einstellung hat eine brauchbare Vorgabe; das Suchfeld findet sie alle, und alles lässt sich rückgängig machen.</translation>
    </message>
    <message>
        <source>Watch it form</source>
        <translation>Beim Entstehen zusehen</translation>
    </message>
    <message>
        <source>The picture appears while it is made. Runs, videos, pictures and projects can be dropped here.</source>
        <translation>Das Bild erscheint, während es entsteht. Läufe, Videos, Bilder und Projekte können hierher gezogen werden.</translation>
    </message>
    <message>
        <source>%1 (open)</source>
        <comment>project</comment>
        <translation>%1 (offen)</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>Warteschlange</translation>
    </message>
    <message>
        <source>The log was written to %1.</source>
        <translation>Das Protokoll wurde nach %1 geschrieben.</translation>
    </message>
    <message>
        <source>See what it takes, then run it</source>
        <translation>Sehen, was es braucht, dann ausführen</translation>
    </message>
    <message>
        <source>Time, tokens, work and memory follow every change. While something runs, Run queues. Nothing is lost when the machine is switched off.</source>
        <translation>Zeit, Token, Arbeit und Speicher folgen jeder Änderung. Während etwas läuft, reiht Ausführen ein. Nichts geht verloren, wenn der Rechner ausgeschaltet wird.</translation>
    </message>
    <message>
        <source>Four workspaces</source>
        <translation>Vier Arbeitsbereiche</translation>
    </message>
    <message>
        <source>Create videos, share the work between devices, compare and measure, and find past runs. Ctrl+1 to Ctrl+4 switch; View opens every panel. Help has this tour.</source>
        <translation>Videos erstellen, Arbeit auf Geräte verteilen, vergleichen und messen, frühere Läufe finden. Strg+1 bis Strg+4 wechseln; Ansicht öffnet jedes Feld. Diese Tour steht unter Hilfe.</translation>
    </message>
    <message numerus="yes">
        <source>%n runs wait in the queue.</source>
        <translation>
            <numerusform>%n Lauf wartet in der Warteschlange.</numerusform>
            <numerusform>%n Läufe warten in der Warteschlange.</numerusform>
        </translation>
    </message>
    <message>
        <source>Show queue</source>
        <translation>Warteschlange zeigen</translation>
    </message>
    <message>
        <source>Choose the folder for runs</source>
        <translation>Ordner für Läufe wählen</translation>
    </message>
    <message>
        <source>New runs go to %1.</source>
        <translation>Neue Läufe kommen nach %1.</translation>
    </message>
    <message>
        <source>MESHREEL_RUNS wins over it: runs go to %1.</source>
        <translation>MESHREEL_RUNS hat Vorrang: Läufe kommen nach %1.</translation>
    </message>
    <message>
        <source>“New seed for each run” is off now, as this project has a seed of its own.</source>
        <translation>„Neuer Seed je Lauf“ ist jetzt aus, denn dieses Projekt hat einen eigenen Seed.</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>Noch einmal</translation>
    </message>
</context>
<context>
    <name>meshreel::MaskHand</name>
    <message>
        <source>Draw a box</source>
        <translation>Kasten zeichnen</translation>
    </message>
    <message>
        <source>Draw an ellipse</source>
        <translation>Ellipse zeichnen</translation>
    </message>
    <message>
        <source>Draw a polygon</source>
        <translation>Vieleck zeichnen</translation>
    </message>
    <message>
        <source>Draw a stroke</source>
        <translation>Strich zeichnen</translation>
    </message>
    <message>
        <source>Move a shape</source>
        <translation>Form verschieben</translation>
    </message>
    <message>
        <source>Scale a shape</source>
        <translation>Form skalieren</translation>
    </message>
</context>
<context>
    <name>meshreel::MeasureItem</name>
    <message>
        <source>Measure this machine</source>
        <translation>Diesen Rechner messen</translation>
    </message>
    <message>
        <source>Measuring this machine</source>
        <translation>Dieser Rechner wird gemessen</translation>
    </message>
    <message>
        <source>Stop measuring; nothing of it is kept</source>
        <translation>Messen beenden; nichts davon wird behalten</translation>
    </message>
    <message>
        <source>Stop measuring</source>
        <translation>Messen beenden</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>about two minutes</source>
        <translation>etwa zwei Minuten</translation>
    </message>
    <message>
        <source>How long a run takes is predicted once this machine was measured. It takes about two minutes, in which it should do nothing else. Later it is measured further while nothing runs, unless you stop that.</source>
        <translation>Die Dauer eines Laufs wird vorhergesagt, sobald dieser Rechner gemessen wurde. Das dauert etwa zwei Minuten, in denen er sonst nichts tun sollte. Später wird weiter gemessen, solange nichts läuft, wenn Sie es nicht beenden.</translation>
    </message>
    <message>
        <source>%1 of %2 measurements</source>
        <translation>%1 von %2 Messungen</translation>
    </message>
    <message>
        <source>%1 of %2 measurements, about %3 left</source>
        <comment>counts, duration</comment>
        <translation>%1 von %2 Messungen, noch etwa %3</translation>
    </message>
    <message>
        <source>Measure again</source>
        <translation>Erneut messen</translation>
    </message>
    <message>
        <source>Measuring waits</source>
        <translation>Das Messen wartet</translation>
    </message>
    <message>
        <source>Measuring this machine was paused. It goes on with what it has once nothing else is computed.</source>
        <translation>Das Messen dieses Rechners wurde angehalten. Es geht mit dem Gemessenen weiter, sobald nichts anderes berechnet wird.</translation>
    </message>
</context>
<context>
    <name>meshreel::MeasuringTurns</name>
    <message>
        <source>Measuring this machine waits for the end of the run, and goes on then with what it has.</source>
        <translation>Das Messen dieses Rechners wartet auf das Ende des Laufs und geht dann mit dem Gemessenen weiter.</translation>
    </message>
</context>
<context>
    <name>meshreel::MeshDrawing</name>
    <message>
        <source>data %1</source>
        <translation>data %1</translation>
    </message>
    <message>
        <source>fsdp %1</source>
        <translation>fsdp %1</translation>
    </message>
    <message>
        <source>tensor %1</source>
        <translation>tensor %1</translation>
    </message>
    <message>
        <source>Ulysses group %1</source>
        <translation>Ulysses-Gruppe %1</translation>
    </message>
</context>
<context>
    <name>meshreel::MeshPainter</name>
    <message>
        <source>heads %1</source>
        <translation>Köpfe %1</translation>
    </message>
    <message>
        <source>tokens %1</source>
        <translation>Tokens %1</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>Rang %1</translation>
    </message>
    <message>
        <source>all keys</source>
        <translation>alle Keys</translation>
    </message>
    <message>
        <source>keys %1</source>
        <translation>Keys %1</translation>
    </message>
    <message>
        <source>GPU %1</source>
        <translation>GPU %1</translation>
    </message>
</context>
<context>
    <name>meshreel::MeshPanel</name>
    <message>
        <source>Attention</source>
        <translation>Attention</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>Daten</translation>
    </message>
    <message>
        <source>FSDP</source>
        <translation>FSDP</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>Kontext</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>Tensor</translation>
    </message>
    <message>
        <source>Ulysses</source>
        <translation>Ulysses</translation>
    </message>
    <message>
        <source>%1 devices</source>
        <translation>%1 Geräte</translation>
    </message>
    <message>
        <source>Mesh: %1</source>
        <translation>Gerätenetz: %1</translation>
    </message>
    <message>
        <source>The devices are drawn here as soon as the project can be planned: Problems says what keeps it from that.</source>
        <translation>Die Geräte werden hier gezeichnet, sobald sich das Projekt planen lässt: „Probleme“ sagt, was dem im Weg steht.</translation>
    </message>
    <message>
        <source>This project uses one device. Add devices to split tokens, heads or weights.</source>
        <translation>Dieses Projekt nutzt ein Gerät. Fügen Sie Geräte hinzu, um Tokens, Köpfe oder Gewichte aufzuteilen.</translation>
    </message>
    <message>
        <source>Hosts file</source>
        <translation>Rechnerdatei</translation>
    </message>
    <message>
        <source>× hosts</source>
        <comment>factor of an axis</comment>
        <translation>× Rechner</translation>
    </message>
    <message>
        <source>The mesh in words</source>
        <translation>Das Gerätenetz in Worten</translation>
    </message>
    <message>
        <source>drawing</source>
        <comment>beside a divider</comment>
        <translation>Zeichnung</translation>
    </message>
    <message>
        <source>valid meshes</source>
        <comment>beside a divider</comment>
        <translation>zulässige Gerätenetze</translation>
    </message>
    <message>
        <source>R: Ulysses groups on the context axis, between which keys and values rotate or are gathered. It is what Ulysses leaves of the context axis: R × U = C.</source>
        <translation>R: Ulysses-Gruppen auf der Context-Achse, zwischen denen Keys und Values umlaufen oder gesammelt werden. Es ist, was Ulysses von der Context-Achse übrig lässt: R × U = C.</translation>
    </message>
    <message>
        <source>Ring</source>
        <translation>Ring</translation>
    </message>
    <message>
        <source>Plan for</source>
        <translation>Planen für</translation>
    </message>
</context>
<context>
    <name>meshreel::MeshView</name>
    <message>
        <source>Devices of the mesh</source>
        <translation>Geräte des Gerätenetzes</translation>
    </message>
    <message numerus="yes">
        <source>%n device(s): %1</source>
        <comment>of the mesh that a drag would make</comment>
        <translation>
            <numerusform>%n Gerät: %1</numerusform>
            <numerusform>%n Geräte: %1</numerusform>
        </translation>
    </message>
    <message>
        <source>The arrow keys, Home and End choose a device, Escape none.</source>
        <translation>Die Pfeiltasten, Pos1 und Ende wählen ein Gerät, Esc keines.</translation>
    </message>
</context>
<context>
    <name>meshreel::MessageBanner</name>
    <message>
        <source>Close the message</source>
        <translation>Meldung schließen</translation>
    </message>
    <message>
        <source>Messages</source>
        <translation>Meldungen</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Hinweis</translation>
    </message>
    <message>
        <source>Show folder</source>
        <translation>Ordner zeigen</translation>
    </message>
</context>
<context>
    <name>meshreel::ModelCard</name>
    <message>
        <source>Model card</source>
        <translation>Modellkarte</translation>
    </message>
    <message>
        <source>%1, %2 of weights</source>
        <comment>folder and size</comment>
        <translation>%1, %2 Gewichte</translation>
    </message>
    <message>
        <source>This model has no card.</source>
        <translation>Dieses Modell hat keine Karte.</translation>
    </message>
</context>
<context>
    <name>meshreel::ModelDescription</name>
    <message>
        <source>%1 million</source>
        <comment>number</comment>
        <translation>%1 Mio.</translation>
    </message>
    <message>
        <source>%1 billion</source>
        <comment>number</comment>
        <translation>%1 Mrd.</translation>
    </message>
    <message numerus="yes">
        <source>%1 and %n more</source>
        <translation>
            <numerusform>%1 und ein weiterer</numerusform>
            <numerusform>%1 und %n weitere</numerusform>
        </translation>
    </message>
    <message>
        <source>%1, which Meshreel does not run</source>
        <translation>%1, das Meshreel nicht ausführt</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Unsure</source>
        <translation>Unsicher</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>Format</translation>
    </message>
    <message>
        <source>%1, names %2</source>
        <comment>file format, style of names</comment>
        <translation>%1, Namen: %2</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>Schichten</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>%1, %2 stored</source>
        <comment>number, size</comment>
        <translation>%1, %2 gespeichert</translation>
    </message>
    <message>
        <source>Matrices</source>
        <translation>Matrizen</translation>
    </message>
    <message>
        <source>Vectors</source>
        <translation>Vektoren</translation>
    </message>
    <message>
        <source>Quantisation</source>
        <translation>Quantisierung</translation>
    </message>
    <message>
        <source>Memory in f32</source>
        <translation>Speicher in f32</translation>
    </message>
    <message>
        <source>Memory in bf16</source>
        <translation>Speicher in bf16</translation>
    </message>
    <message>
        <source>Missing tensors</source>
        <translation>Fehlende Tensoren</translation>
    </message>
    <message>
        <source>Unexpected tensors</source>
        <translation>Unerwartete Tensoren</translation>
    </message>
    <message>
        <source>Also needs</source>
        <translation>Braucht außerdem</translation>
    </message>
    <message>
        <source>missing</source>
        <translation>fehlt</translation>
    </message>
    <message>
        <source>%1, %2 of weights</source>
        <comment>folder and size</comment>
        <translation>%1, %2 Gewichte</translation>
    </message>
    <message>
        <source>Also there: %1</source>
        <comment>parts</comment>
        <translation>Außerdem vorhanden: %1</translation>
    </message>
    <message>
        <source>Convolutions and tables</source>
        <translation>Faltungen und Tabellen</translation>
    </message>
    <message>
        <source>Not read</source>
        <translation>Nicht gelesen</translation>
    </message>
    <message numerus="yes">
        <source>%1 (%n tensors)</source>
        <translation>
            <numerusform>%1 (%n Tensor)</numerusform>
            <numerusform>%1 (%n Tensoren)</numerusform>
        </translation>
    </message>
    <message>
        <source>Not used</source>
        <translation>Nicht verwendet</translation>
    </message>
    <message>
        <source>missing, at least %1 to download</source>
        <comment>size</comment>
        <translation>fehlt, mindestens %1 herunterzuladen</translation>
    </message>
    <message>
        <source>Not on this machine: at least %1 to download</source>
        <comment>size</comment>
        <translation>Nicht auf diesem Rechner: mindestens %1 herunterzuladen</translation>
    </message>
    <message>
        <source>%1 to download, %2 are free on the disk</source>
        <comment>sizes</comment>
        <translation>%1 herunterzuladen, %2 sind auf der Platte frei</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>Lizenz</translation>
    </message>
    <message>
        <source>Licence page</source>
        <translation>Seite der Lizenz</translation>
    </message>
    <message>
        <source>From</source>
        <translation>Von</translation>
    </message>
    <message>
        <source>%1, %2 of them here</source>
        <comment>sizes</comment>
        <translation>%1, davon %2 hier</translation>
    </message>
    <message>
        <source>%1, shared with another program</source>
        <comment>size</comment>
        <translation>%1, mit einem anderen Programm geteilt</translation>
    </message>
    <message>
        <source>%1, here</source>
        <comment>size</comment>
        <translation>%1, hier</translation>
    </message>
    <message>
        <source>This machine</source>
        <translation>Dieser Rechner</translation>
    </message>
    <message>
        <source>Planned for</source>
        <comment>a video of this size and length</comment>
        <translation>Geplant für</translation>
    </message>
    <message>
        <source>Disk</source>
        <translation>Datenträger</translation>
    </message>
    <message>
        <source>What lies there is not it</source>
        <translation>Was dort liegt, ist sie nicht</translation>
    </message>
    <message>
        <source>Variants</source>
        <translation>Varianten</translation>
    </message>
    <message>
        <source>%1 to download: %2</source>
        <comment>size, how it fits</comment>
        <translation>%1 zum Herunterladen: %2</translation>
    </message>
    <message>
        <source>In diffusers layout</source>
        <translation>In der Ordnung von diffusers</translation>
    </message>
    <message>
        <source>at least %1 to download</source>
        <comment>size</comment>
        <translation>mindestens %1 zum Herunterladen</translation>
    </message>
</context>
<context>
    <name>meshreel::ModelState</name>
    <message>
        <source>Not ready: see Problems</source>
        <translation>Nicht bereit: siehe Probleme</translation>
    </message>
    <message>
        <source>Installed</source>
        <translation>Installiert</translation>
    </message>
    <message>
        <source>needs more memory than there is</source>
        <translation>braucht mehr Speicher, als da ist</translation>
    </message>
    <message>
        <source>needs more memory than memory_budget allows</source>
        <translation>braucht mehr Speicher, als memory_budget erlaubt</translation>
    </message>
    <message>
        <source>about %1, %2</source>
        <comment>duration of a run, how it is known</comment>
        <translation>etwa %1, %2</translation>
    </message>
</context>
<context>
    <name>meshreel::ModelsPanel</name>
    <message>
        <source>Use in project</source>
        <translation>Im Projekt verwenden</translation>
    </message>
    <message>
        <source>Refresh</source>
        <translation>Aktualisieren</translation>
    </message>
    <message>
        <source>Models of this machine</source>
        <translation>Modelle auf diesem Rechner</translation>
    </message>
    <message>
        <source>Models folder: %1</source>
        <translation>Modellordner: %1</translation>
    </message>
    <message>
        <source>The chosen model</source>
        <translation>Das gewählte Modell</translation>
    </message>
    <message>
        <source>Choose a model to see its parts, its number types and what it needs.</source>
        <translation>Ein Modell wählen, um seine Teile, seine Zahlentypen und seinen Bedarf zu sehen.</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>list</source>
        <comment>beside a divider</comment>
        <translation>Liste</translation>
    </message>
    <message>
        <source>description</source>
        <comment>beside a divider</comment>
        <translation>Beschreibung</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>Hinzufügen</translation>
    </message>
    <message>
        <source>Copy download command</source>
        <translation>Befehl zum Herunterladen kopieren</translation>
    </message>
    <message>
        <source>Copy the command that downloads what is missing, to be run in a terminal</source>
        <translation>Den Befehl kopieren, der im Terminal herunterlädt, was fehlt</translation>
    </message>
    <message>
        <source>Add a model that lies elsewhere; it can be dropped here, too</source>
        <translation>Ein Modell hinzufügen, das woanders liegt; es lässt sich auch hier ablegen</translation>
    </message>
    <message>
        <source>A model &amp;folder…</source>
        <translation>Einen &amp;Modellordner…</translation>
    </message>
    <message>
        <source>Add a model folder</source>
        <translation>Modellordner hinzufügen</translation>
    </message>
    <message>
        <source>F&amp;iles of weights…</source>
        <translation>&amp;Gewichtsdateien…</translation>
    </message>
    <message>
        <source>Add files of weights</source>
        <translation>Gewichtsdateien hinzufügen</translation>
    </message>
    <message>
        <source>Weights (*.safetensors *.gguf *.pth *.pt)</source>
        <translation>Gewichte (*.safetensors *.gguf *.pth *.pt)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>Alle Dateien (*)</translation>
    </message>
    <message numerus="yes">
        <source>%n models were added to the models folder.</source>
        <translation>
            <numerusform>%n Modell wurde in den Modellordner aufgenommen.</numerusform>
            <numerusform>%n Modelle wurden in den Modellordner aufgenommen.</numerusform>
        </translation>
    </message>
    <message>
        <source>The command was copied: paste it into a terminal. Refresh when it is done.</source>
        <translation>Der Befehl ist kopiert: Fügen Sie ihn in ein Terminal ein. Aktualisieren Sie, wenn er fertig ist.</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Progress of the download</source>
        <translation>Fortschritt des Downloads</translation>
    </message>
    <message>
        <source>Stop the download and remove what came of files that are not whole</source>
        <translation>Den Download beenden und entfernen, was von unfertigen Dateien kam</translation>
    </message>
    <message numerus="yes">
        <source>%n files of the download are in the models folder.</source>
        <translation>
            <numerusform>%n Datei des Downloads ist im Modellordner.</numerusform>
            <numerusform>%n Dateien des Downloads sind im Modellordner.</numerusform>
        </translation>
    </message>
    <message>
        <source>%1: %2 of %3</source>
        <comment>file, sizes</comment>
        <translation>%1: %2 von %3</translation>
    </message>
    <message>
        <source>%1, %2 a second, %3 left</source>
        <comment>file and sizes, size, time</comment>
        <translation>%1, %2 in der Sekunde, noch %3</translation>
    </message>
    <message>
        <source>Download what is missing into the models folder; the licence is shown above</source>
        <translation>Was fehlt, in den Modellordner herunterladen; die Lizenz steht oben</translation>
    </message>
    <message>
        <source>Another download is at hand</source>
        <translation>Ein anderer Download ist im Gang</translation>
    </message>
    <message>
        <source>Download %1</source>
        <comment>size</comment>
        <translation>%1 herunterladen</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Download it first</source>
        <translation>Laden Sie es zuerst herunter</translation>
    </message>
    <message>
        <source>This is not a model by itself; parts are chosen in the project</source>
        <translation>Das ist für sich kein Modell; Teile werden im Projekt gewählt</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>Herunterladen</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>Noch einmal</translation>
    </message>
    <message>
        <source>%1: %2, %3</source>
        <comment>variant, size, how it fits</comment>
        <translation>%1: %2, %3</translation>
    </message>
</context>
<context>
    <name>meshreel::NamesPopup</name>
    <message>
        <source>Names between commas; Enter keeps them.</source>
        <translation>Namen mit Kommas dazwischen; die Eingabetaste übernimmt sie.</translation>
    </message>
</context>
<context>
    <name>meshreel::NoisePanel</name>
    <message>
        <source>The noise of every step is drawn here as soon as the project can be planned: choose a model under Project, and see Problems for what keeps it from that.</source>
        <translation>Das Rauschen jedes Schritts wird hier gezeichnet, sobald sich das Projekt planen lässt: unter „Projekt“ ein Modell wählen; „Probleme“ sagt, was dem entgegensteht.</translation>
    </message>
    <message>
        <source>Scheduler</source>
        <translation>Scheduler</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Flow shift</source>
        <translation>Flow-Shift</translation>
    </message>
    <message>
        <source>Boundary</source>
        <translation>Grenze</translation>
    </message>
    <message>
        <source>Noise at each step</source>
        <translation>Rauschen in jedem Schritt</translation>
    </message>
</context>
<context>
    <name>meshreel::NoiseSheet</name>
    <message>
        <source>without the flow shift</source>
        <translation>ohne den Flow-Shift</translation>
    </message>
    <message>
        <source>boundary</source>
        <translation>Grenze</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>Noise level</source>
        <translation>Rauschstufe</translation>
    </message>
    <message>
        <source>There are no steps to draw yet</source>
        <translation>Es gibt noch keine Schritte zu zeichnen</translation>
    </message>
    <message>
        <source>See Problems for what keeps the project from being planned</source>
        <translation>Unter „Probleme“ steht, was das Planen des Projekts verhindert</translation>
    </message>
</context>
<context>
    <name>meshreel::NoiseTexts</name>
    <message>
        <source>step %1</source>
        <translation>Schritt %1</translation>
    </message>
    <message>
        <source>steps %1 to %2</source>
        <translation>Schritte %1 bis %2</translation>
    </message>
    <message>
        <source>%1: %2, guidance %3.</source>
        <comment>expert, steps, guidance</comment>
        <translation>%1: %2, Guidance %3.</translation>
    </message>
    <message>
        <source>%1: %2, without guidance.</source>
        <comment>expert, steps</comment>
        <translation>%1: %2, ohne Guidance.</translation>
    </message>
    <message>
        <source>transformer</source>
        <translation>Transformer</translation>
    </message>
    <message>
        <source>low noise</source>
        <translation>schwaches Rauschen</translation>
    </message>
    <message>
        <source>high noise</source>
        <translation>starkes Rauschen</translation>
    </message>
    <message>
        <source>Scheduler %1, flow shift %2.</source>
        <translation>Scheduler %1, Flow-Shift %2.</translation>
    </message>
    <message>
        <source>Dotted: the same without the shift.</source>
        <translation>Gepunktet: dasselbe ohne den Shift.</translation>
    </message>
    <message numerus="yes">
        <source>A step cache may shorten %n steps (hollow).</source>
        <translation>
            <numerusform>Ein Schritt-Cache darf einen Schritt verkürzen (hohl).</numerusform>
            <numerusform>Ein Schritt-Cache darf %n Schritte verkürzen (hohl).</numerusform>
        </translation>
    </message>
    <message>
        <source>Step %1 of %2</source>
        <translation>Schritt %1 von %2</translation>
    </message>
    <message>
        <source>Noise level %1, sigma %2</source>
        <translation>Rauschstufe %1, Sigma %2</translation>
    </message>
    <message>
        <source>Computed by: %1</source>
        <comment>transformer or expert</comment>
        <translation>Berechnet von: %1</translation>
    </message>
    <message>
        <source>Guidance %1</source>
        <translation>Guidance %1</translation>
    </message>
    <message>
        <source>Without guidance</source>
        <translation>Ohne Guidance</translation>
    </message>
    <message>
        <source>May be shortened by the step cache</source>
        <translation>Darf vom Schritt-Cache verkürzt werden</translation>
    </message>
</context>
<context>
    <name>meshreel::NoiseView</name>
    <message>
        <source>Noise levels of the steps</source>
        <translation>Rauschstufen der Schritte</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>boundary %1</source>
        <translation>Grenze %1</translation>
    </message>
    <message>
        <source>The arrow keys, Home and End choose a step, Escape none.</source>
        <translation>Die Pfeiltasten, Pos1 und Ende wählen einen Schritt, Esc keinen.</translation>
    </message>
</context>
<context>
    <name>meshreel::OpenedMedia</name>
    <message>
        <source>There is no such file or folder</source>
        <translation>Diese Datei oder diesen Ordner gibt es nicht</translation>
    </message>
</context>
<context>
    <name>meshreel::PartMenu</name>
    <message>
        <source>Use &amp;only</source>
        <translation>&amp;Nur übernehmen</translation>
    </message>
    <message>
        <source>&amp;Prompt</source>
        <translation>&amp;Prompt</translation>
    </message>
    <message>
        <source>&amp;Seed</source>
        <translation>&amp;Seed</translation>
    </message>
    <message>
        <source>Si&amp;ze and length</source>
        <translation>&amp;Größe und Länge</translation>
    </message>
</context>
<context>
    <name>meshreel::PathField</name>
    <message>
        <source>All files (*)</source>
        <translation>Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Pictures (*.png *.jpg *.jpeg *.webp *.bmp *.tif *.tiff)</source>
        <translation>Bilder (*.png *.jpg *.jpeg *.webp *.bmp *.tif *.tiff)</translation>
    </message>
    <message>
        <source>Videos and pictures (*.mp4 *.webm *.mkv *.mov *.avi *.gif *.webp *.png *.jpg *.jpeg)</source>
        <translation>Videos und Bilder (*.mp4 *.webm *.mkv *.mov *.avi *.gif *.webp *.png *.jpg *.jpeg)</translation>
    </message>
    <message>
        <source>Weights (*.safetensors *.gguf *.pth *.pt *.bin *.json *.model)</source>
        <translation>Gewichte (*.safetensors *.gguf *.pth *.pt *.bin *.json *.model)</translation>
    </message>
    <message>
        <source>Choose a file or drop it here</source>
        <translation>Datei wählen oder ablegen</translation>
    </message>
    <message>
        <source>Choose files</source>
        <translation>Dateien wählen</translation>
    </message>
    <message>
        <source>Choose a file</source>
        <translation>Eine Datei wählen</translation>
    </message>
    <message>
        <source>Choose a &amp;file…</source>
        <translation>&amp;Datei wählen …</translation>
    </message>
    <message>
        <source>Choose a f&amp;older…</source>
        <translation>&amp;Ordner wählen …</translation>
    </message>
    <message>
        <source>Choose a file or a folder</source>
        <translation>Eine Datei oder einen Ordner wählen</translation>
    </message>
    <message>
        <source>Choose a folder</source>
        <translation>Einen Ordner wählen</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>title of a setting, what its button does</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Picture of the file</source>
        <translation>Bild der Datei</translation>
    </message>
    <message>
        <source>Videos, pictures and drawings (*.mp4 *.webm *.mkv *.mov *.avi *.gif *.webp *.png *.jpg *.jpeg *.json)</source>
        <translation>Videos, Bilder und Zeichnungen (*.mp4 *.webm *.mkv *.mov *.avi *.gif *.webp *.png *.jpg *.jpeg *.json)</translation>
    </message>
    <message>
        <source>Tracks (*.json *.npy)</source>
        <translation>Bahnen (*.json *.npy)</translation>
    </message>
    <message>
        <source>Arrays of NumPy (*.npy)</source>
        <translation>Arrays von NumPy (*.npy)</translation>
    </message>
    <message>
        <source>Draw the mask on the picture</source>
        <translation>Die Maske auf das Bild zeichnen</translation>
    </message>
    <message>
        <source>Draw the tracks on the picture</source>
        <translation>Die Bahnen auf das Bild zeichnen</translation>
    </message>
</context>
<context>
    <name>meshreel::PathOpener</name>
    <message numerus="yes">
        <source>None of these %n were opened: drop one project, run, video, picture or file of weights at a time; several pictures become reference images, several runs are compared, and projects and runs that are dropped on Queue are queued.</source>
        <translation>
            <numerusform>Nichts davon (%n) wurde geöffnet: Ziehen Sie Projekte, Läufe, Videos, Bilder und Gewichtsdateien einzeln ins Fenster; mehrere Bilder werden Referenzbilder, mehrere Läufe werden verglichen, und Projekte und Läufe, die auf die Warteschlange gezogen werden, werden eingereiht.</numerusform>
            <numerusform>Nichts davon (%n) wurde geöffnet: Ziehen Sie Projekte, Läufe, Videos, Bilder und Gewichtsdateien einzeln ins Fenster; mehrere Bilder werden Referenzbilder, mehrere Läufe werden verglichen, und Projekte und Läufe, die auf die Warteschlange gezogen werden, werden eingereiht.</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 was not used, as it is no adapter and no part of a model that Meshreel runs; Models tells what it is when it lies in a models folder.</source>
        <translation>%1 wurde nicht verwendet, da es weder ein Adapter noch ein Teil eines Modells ist, das Meshreel ausführt; „Modelle“ sagt, was es ist, wenn es in einem Modellordner liegt.</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Used as “%1”; drop it on another field to use it as that.</source>
        <translation>Als „%1“ verwendet; auf ein anderes Feld gezogen, dient es als dieses.</translation>
    </message>
    <message>
        <source>Used as “%1”, with the model %2, which makes videos of pictures.</source>
        <translation>Als „%1“ verwendet, mit dem Modell %2, das aus Bildern Videos macht.</translation>
    </message>
    <message>
        <source>Continue a clip</source>
        <translation>Einen Clip fortsetzen</translation>
    </message>
    <message>
        <source>The next run goes on from the last frame of %1.</source>
        <translation>Der nächste Lauf geht vom letzten Bild von %1 weiter.</translation>
    </message>
    <message>
        <source>The next run goes on from frame %2 of %1.</source>
        <translation>Der nächste Lauf geht von Bild %2 von %1 weiter.</translation>
    </message>
    <message>
        <source>%1 also holds %2, which Meshreel does not read: write its prompt, size, frames, steps and seed into the project.</source>
        <comment>file, settings of another program</comment>
        <translation>%1 enthält auch %2; Meshreel liest das nicht: Schreiben Sie Prompt, Größe, Bilder, Schritte und Seed in das Projekt.</translation>
    </message>
    <message>
        <source>Used as “%1”.</source>
        <translation>Als „%1“ verwendet.</translation>
    </message>
    <message>
        <source>Used as “%1”, with the model %2.</source>
        <translation>Als „%1“ verwendet, mit dem Modell %2.</translation>
    </message>
    <message>
        <source>Settings of %1</source>
        <comment>run</comment>
        <translation>Einstellungen von %1</translation>
    </message>
    <message>
        <source>Taken over from %1: %2.</source>
        <comment>run, titles of settings</comment>
        <translation>Übernommen von %1: %2.</translation>
    </message>
    <message>
        <source>Keep it among the looks</source>
        <translation>Unter den Looks behalten</translation>
    </message>
    <message>
        <source>The project has the look “%1” now.</source>
        <translation>Das Projekt hat jetzt den Look „%1“.</translation>
    </message>
    <message>
        <source>The project has the look “%1” already.</source>
        <translation>Das Projekt hat den Look „%1“ schon.</translation>
    </message>
</context>
<context>
    <name>meshreel::PlaybackControls</name>
    <message>
        <source>One frame back</source>
        <translation>Ein Bild zurück</translation>
    </message>
    <message>
        <source>Left arrow</source>
        <translation>Pfeil links</translation>
    </message>
    <message>
        <source>Play</source>
        <translation>Abspielen</translation>
    </message>
    <message>
        <source>Space</source>
        <translation>Leertaste</translation>
    </message>
    <message>
        <source>One frame on</source>
        <translation>Ein Bild weiter</translation>
    </message>
    <message>
        <source>Right arrow</source>
        <translation>Pfeil rechts</translation>
    </message>
    <message>
        <source>Play in a loop</source>
        <translation>In Schleife abspielen</translation>
    </message>
    <message>
        <source>L</source>
        <translation>L</translation>
    </message>
    <message>
        <source>Position in the video</source>
        <translation>Stelle im Video</translation>
    </message>
    <message>
        <source>Drag to go to a frame</source>
        <translation>Ziehen, um zu einem Bild zu gehen</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>Geschwindigkeit</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>action and its key</comment>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>Frame %1 of %2 · %3 s</source>
        <translation>Bild %1 von %2 · %3 s</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
</context>
<context>
    <name>meshreel::PlayerWidget</name>
    <message>
        <source>Video</source>
        <translation>Video</translation>
    </message>
    <message>
        <source>Copy or write a frame, the clip, or a sheet of its frames</source>
        <translation>Ein Bild, den Clip oder einen Bogen seiner Bilder kopieren oder schreiben</translation>
    </message>
    <message>
        <source>Export the video</source>
        <translation>Das Video exportieren</translation>
    </message>
    <message>
        <source>&amp;Copy this frame</source>
        <translation>Dieses Bild &amp;kopieren</translation>
    </message>
    <message>
        <source>Save this &amp;frame…</source>
        <translation>Dieses &amp;Bild speichern …</translation>
    </message>
    <message>
        <source>Export the c&amp;lip…</source>
        <translation>Den C&amp;lip exportieren …</translation>
    </message>
    <message>
        <source>Save a contact &amp;sheet…</source>
        <translation>Einen Kontaktb&amp;ogen speichern …</translation>
    </message>
    <message>
        <source>Full screen (F)</source>
        <translation>Vollbild (F)</translation>
    </message>
    <message>
        <source>Full screen</source>
        <translation>Vollbild</translation>
    </message>
</context>
<context>
    <name>meshreel::PredictedTexts</name>
    <message>
        <source>%1 h</source>
        <translation>%1 h</translation>
    </message>
    <message>
        <source>%1 min</source>
        <translation>%1 min</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <comment>durations, the second with its unit</comment>
        <translation>%1 bis %2</translation>
    </message>
    <message>
        <source>Loading</source>
        <translation>Laden</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>Prompt</translation>
    </message>
    <message>
        <source>Denoising</source>
        <translation>Entrauschen</translation>
    </message>
    <message>
        <source>Decoding</source>
        <translation>Dekodieren</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>duration and its range</comment>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>%1 in all (%2)</source>
        <comment>duration and its range</comment>
        <translation>%1 insgesamt (%2)</translation>
    </message>
    <message>
        <source>A step: %1</source>
        <comment>duration</comment>
        <translation>Ein Schritt: %1</translation>
    </message>
    <message>
        <source>The first step: %1</source>
        <comment>duration</comment>
        <translation>Der erste Schritt: %1</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>stage and duration</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Four of five runs are expected within their range.</source>
        <translation>Vier von fünf Läufen sollten in ihrem Bereich liegen.</translation>
    </message>
    <message>
        <source>By the rates of this machine, measured %1; no run like this one has been done.</source>
        <translation>Nach den Raten dieses Rechners, gemessen am %1; ein ähnlicher Lauf wurde noch nicht gemacht.</translation>
    </message>
    <message numerus="yes">
        <source>By the rates of this machine, measured %1, and %n runs like this one.</source>
        <translation>
            <numerusform>Nach den Raten dieses Rechners, gemessen am %1, und einem ähnlichen Lauf.</numerusform>
            <numerusform>Nach den Raten dieses Rechners, gemessen am %1, und %n ähnlichen Läufen.</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1 ms</translation>
    </message>
    <message>
        <source>%1 µs</source>
        <translation>%1 µs</translation>
    </message>
    <message numerus="yes">
        <source>from %n runs like this on this machine</source>
        <translation>
            <numerusform>nach %n ähnlichem Lauf auf diesem Rechner</numerusform>
            <numerusform>nach %n ähnlichen Läufen auf diesem Rechner</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>from measured rates and %n runs like this</source>
        <translation>
            <numerusform>nach gemessenen Raten und %n ähnlichem Lauf</numerusform>
            <numerusform>nach gemessenen Raten und %n ähnlichen Läufen</numerusform>
        </translation>
    </message>
    <message>
        <source>from measured rates</source>
        <translation>nach gemessenen Raten</translation>
    </message>
    <message numerus="yes">
        <source>By %n runs like this one, and typical proportions of what they do not tell. Once this machine was measured, the times of all others are known, too.</source>
        <translation>
            <numerusform>Nach %n Lauf wie diesem und typischen Verhältnissen für das, was er nicht zeigt. Ist dieser Rechner gemessen, sind auch die Zeiten aller anderen bekannt.</numerusform>
            <numerusform>Nach %n Läufen wie diesem und typischen Verhältnissen für das, was sie nicht zeigen. Ist dieser Rechner gemessen, sind auch die Zeiten aller anderen bekannt.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::PredictionSource</name>
    <message>
        <source>The rates that were kept cannot be read; their file is now %1.</source>
        <translation>Die aufbewahrten Raten lassen sich nicht lesen; ihre Datei ist jetzt %1.</translation>
    </message>
</context>
<context>
    <name>meshreel::PresetMenu</name>
    <message>
        <source>New from &amp;preset</source>
        <translation>Neu aus &amp;Voreinstellung</translation>
    </message>
    <message>
        <source>None is installed</source>
        <translation>Keine ist installiert</translation>
    </message>
</context>
<context>
    <name>meshreel::ProblemPanel</name>
    <message>
        <source>Problems of the project</source>
        <translation>Probleme des Projekts</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>Warnung</translation>
    </message>
    <message>
        <source>Go to setting</source>
        <translation>Zur Einstellung</translation>
    </message>
    <message>
        <source>Ready to run.</source>
        <translation>Bereit zum Ausführen.</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Hinweis</translation>
    </message>
    <message>
        <source>Go to setting %1</source>
        <comment>title of a setting</comment>
        <translation>Zur Einstellung %1</translation>
    </message>
    <message>
        <source>Nothing is wrong with this project.</source>
        <translation>An diesem Projekt ist nichts falsch.</translation>
    </message>
    <message>
        <source>Line %1</source>
        <translation>Zeile %1</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>line and what is wrong</comment>
        <translation>%1: %2</translation>
    </message>
</context>
<context>
    <name>meshreel::ProjectDocument</name>
    <message>
        <source>Untitled project</source>
        <translation>Unbenanntes Projekt</translation>
    </message>
    <message>
        <source>Project of %1</source>
        <comment>run or video</comment>
        <translation>Projekt von %1</translation>
    </message>
    <message>
        <source>Text of the project</source>
        <translation>Text des Projekts</translation>
    </message>
    <message>
        <source>Reset %1</source>
        <comment>title of a setting</comment>
        <translation>%1 zurücksetzen</translation>
    </message>
</context>
<context>
    <name>meshreel::ProjectEditor</name>
    <message>
        <source>Advanced</source>
        <translation>Erweitert</translation>
    </message>
    <message>
        <source>Search settings</source>
        <translation>Einstellung suchen</translation>
    </message>
    <message>
        <source>Show only what differs from the defaults</source>
        <translation>Nur zeigen, was von den Vorgaben abweicht</translation>
    </message>
    <message>
        <source>Show settings that few projects change</source>
        <translation>Einstellungen zeigen, die selten geändert werden</translation>
    </message>
    <message numerus="yes">
        <source>%n changed</source>
        <translation>
            <numerusform>%n geändert</numerusform>
            <numerusform>%n geändert</numerusform>
        </translation>
    </message>
    <message>
        <source>Nothing here differs from the defaults.</source>
        <translation>Hier weicht nichts von den Vorgaben ab.</translation>
    </message>
    <message>
        <source>No setting matches “%1”.</source>
        <translation>Keine Einstellung passt zu „%1“.</translation>
    </message>
    <message>
        <source>Settings of the project</source>
        <translation>Einstellungen des Projekts</translation>
    </message>
    <message>
        <source>Unfold</source>
        <translation>Aufklappen</translation>
    </message>
    <message>
        <source>Fold</source>
        <translation>Zuklappen</translation>
    </message>
</context>
<context>
    <name>meshreel::ProjectFiles</name>
    <message>
        <source>&amp;New project</source>
        <translation>&amp;Neues Projekt</translation>
    </message>
    <message>
        <source>&amp;Open…</source>
        <translation>Ö&amp;ffnen …</translation>
    </message>
    <message>
        <source>&amp;Save</source>
        <translation>&amp;Speichern</translation>
    </message>
    <message>
        <source>Save &amp;as…</source>
        <translation>Speichern &amp;unter …</translation>
    </message>
    <message>
        <source>Open &amp;recent</source>
        <translation>&amp;Zuletzt geöffnet</translation>
    </message>
    <message>
        <source>Open a project, or a video with its project</source>
        <translation>Ein Projekt öffnen oder ein Video mit seinem Projekt</translation>
    </message>
    <message>
        <source>Unsaved changes</source>
        <translation>Ungespeicherte Änderungen</translation>
    </message>
    <message>
        <source>Save the changes to “%1”?</source>
        <translation>Die Änderungen an „%1“ speichern?</translation>
    </message>
    <message>
        <source>Open a project or a video</source>
        <translation>Ein Projekt oder Video öffnen</translation>
    </message>
    <message>
        <source>Projects and videos (*.yaml *.yml *.mp4 *.webm *.gif *.webp);;All files (*)</source>
        <translation>Projekte und Videos (*.yaml *.yml *.mp4 *.webm *.gif *.webp);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Save the project</source>
        <translation>Das Projekt speichern</translation>
    </message>
    <message>
        <source>Projects (*.yaml *.yml)</source>
        <translation>Projekte (*.yaml *.yml)</translation>
    </message>
    <message>
        <source>Nothing yet</source>
        <translation>Noch nichts</translation>
    </message>
    <message>
        <source>If you don&apos;t save, your changes will be lost.</source>
        <translation>Wenn Sie nicht speichern, gehen Ihre Änderungen verloren.</translation>
    </message>
    <message>
        <source>Saved as typed. Fix what is marked red before you run this project.</source>
        <translation>Wie eingegeben gespeichert. Beheben Sie, was rot markiert ist, bevor Sie dieses Projekt ausführen.</translation>
    </message>
</context>
<context>
    <name>meshreel::ProjectLauncher</name>
    <message>
        <source>It is neither a project file nor a run folder</source>
        <translation>Es ist weder eine Projektdatei noch ein Laufordner</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>file and why it cannot be used</comment>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>You did not agree to what it names</source>
        <translation>Sie haben dem, was es nennt, nicht zugestimmt</translation>
    </message>
    <message>
        <source>The project changed while it was being checked, so it did not start. Run it as it is now.</source>
        <translation>Das Projekt wurde geändert, während es geprüft wurde, und deshalb nicht gestartet. Starten Sie es, wie es jetzt ist.</translation>
    </message>
    <message>
        <source>Add a table to the queue</source>
        <translation>Eine Tabelle in die Warteschlange stellen</translation>
    </message>
    <message>
        <source>Tables (*.csv)</source>
        <translation>Tabellen (*.csv)</translation>
    </message>
    <message>
        <source>%1, line %2 (%3)</source>
        <comment>file, line and why it cannot be run</comment>
        <translation>%1, Zeile %2 (%3)</translation>
    </message>
    <message numerus="yes">
        <source>%n further rows</source>
        <translation>
            <numerusform>%n weitere Zeile</numerusform>
            <numerusform>%n weitere Zeilen</numerusform>
        </translation>
    </message>
    <message>
        <source>Not queued, as only project files without errors, run folders and rows of tables that can run are: %1.</source>
        <comment>files</comment>
        <translation>Nicht eingereiht, da nur Projektdateien ohne Fehler, Laufordner und lauffähige Zeilen von Tabellen eingereiht werden: %1.</translation>
    </message>
</context>
<context>
    <name>meshreel::ProjectRecovery</name>
    <message>
        <source>What you edit is kept only in this window: %1</source>
        <comment>reason</comment>
        <translation>Was Sie bearbeiten, ist nur in diesem Fenster: %1</translation>
    </message>
    <message>
        <source>The kept project could not be read and was set aside as %1: %2</source>
        <comment>file, reason</comment>
        <translation>Das aufbewahrte Projekt ließ sich nicht lesen und wurde als %1 beiseitegelegt: %2</translation>
    </message>
</context>
<context>
    <name>meshreel::PromptExamples</name>
    <message>
        <source>Moving</source>
        <translation>Fährt vorbei</translation>
    </message>
    <message>
        <source>Growing</source>
        <translation>Wächst</translation>
    </message>
    <message>
        <source>Shrinking</source>
        <translation>Schrumpft</translation>
    </message>
    <message>
        <source>Rising</source>
        <translation>Steigt</translation>
    </message>
    <message>
        <source>Falling</source>
        <translation>Fällt</translation>
    </message>
    <message>
        <source>Bouncing</source>
        <translation>Hüpft</translation>
    </message>
    <message>
        <source>Spinning</source>
        <translation>Dreht sich</translation>
    </message>
    <message>
        <source>Standing still</source>
        <translation>Steht still</translation>
    </message>
    <message>
        <source>Driving</source>
        <translation>Fährt</translation>
    </message>
    <message>
        <source>Walking</source>
        <translation>Läuft</translation>
    </message>
    <message>
        <source>Camera flight</source>
        <translation>Kameraflug</translation>
    </message>
</context>
<context>
    <name>meshreel::PromptHelperDialog</name>
    <message>
        <source>Rewrite the prompt</source>
        <translation>Den Prompt umschreiben</translation>
    </message>
    <message>
        <source>A language model rewrites the prompt by the rules that Wan publishes. Nothing is sent before you ask: then the prompt and the rules, to this address alone.</source>
        <translation>Ein Sprachmodell schreibt den Prompt nach den Regeln um, die Wan veröffentlicht. Nichts wird gesendet, bevor du fragst: dann der Prompt und die Regeln, nur an diese Adresse.</translation>
    </message>
    <message>
        <source>Prompt to rewrite</source>
        <translation>Prompt zum Umschreiben</translation>
    </message>
    <message>
        <source>Rewritten prompt</source>
        <translation>Umgeschriebener Prompt</translation>
    </message>
    <message>
        <source>The answer appears here, for you to edit</source>
        <translation>Die Antwort erscheint hier und lässt sich bearbeiten</translation>
    </message>
    <message>
        <source>Ask</source>
        <translation>Fragen</translation>
    </message>
    <message>
        <source>Use it</source>
        <translation>Verwenden</translation>
    </message>
    <message>
        <source>Of a server with OpenAI&apos;s chat completions: llama.cpp, Ollama and others</source>
        <translation>Eines Servers mit OpenAIs Chat Completions: llama.cpp, Ollama und andere</translation>
    </message>
    <message>
        <source>As the server calls it; empty: the one that it has</source>
        <translation>Wie der Server es nennt; leer: das, das er hat</translation>
    </message>
    <message>
        <source>If the server asks for one. It is kept in a file that only you can read, and sent over https or to this machine only</source>
        <translation>Falls der Server einen verlangt. Er wird in einer Datei behalten, die nur du lesen kannst, und nur über https oder an diesen Rechner gesendet</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>Schlüssel</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>Angehalten.</translation>
    </message>
    <message>
        <source>Asking %1…</source>
        <translation>Frage %1 …</translation>
    </message>
    <message>
        <source>Read and edit the answer before you use it.</source>
        <translation>Lies und bearbeite die Antwort, bevor du sie verwendest.</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
</context>
<context>
    <name>meshreel::PromptLibrary</name>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Schlagwörter</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>Prompt</translation>
    </message>
    <message>
        <source>Not to be seen</source>
        <translation>Nicht zu sehen</translation>
    </message>
    <message>
        <source>The kept prompts could not be read and were set aside as %1: %2</source>
        <translation>Die gemerkten Prompts waren nicht lesbar und wurden als %1 beiseitegelegt: %2</translation>
    </message>
    <message numerus="yes">
        <source>%n kept prompt(s) could not be read; a copy of all is %1</source>
        <translation>
            <numerusform>%n aufbewahrter Prompt war nicht zu lesen; eine Kopie aller liegt in %1</numerusform>
            <numerusform>%n aufbewahrte Prompts waren nicht zu lesen; eine Kopie aller liegt in %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::PromptPanel</name>
    <message>
        <source>Keep</source>
        <translation>Merken</translation>
    </message>
    <message>
        <source>Keep the project&apos;s prompt, with what must not be seen</source>
        <translation>Den Prompt des Projekts merken, mit dem, was nicht zu sehen sein soll</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>Verwenden</translation>
    </message>
    <message>
        <source>Put the prompt into the project; a style is put around the project&apos;s prompt</source>
        <translation>Den Prompt ins Projekt setzen; ein Stil wird um den Prompt des Projekts gelegt</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Remove the prompt from those that are kept</source>
        <translation>Den Prompt aus den gemerkten entfernen</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>Search the kept prompts</source>
        <translation>Gemerkte Prompts durchsuchen</translation>
    </message>
    <message>
        <source>Kept prompts</source>
        <translation>Gemerkte Prompts</translation>
    </message>
    <message>
        <source>Style “%1”</source>
        <translation>Stil „%1“</translation>
    </message>
    <message>
        <source>Prompt “%1”</source>
        <translation>Prompt „%1“</translation>
    </message>
    <message>
        <source>No kept prompt has these words.</source>
        <translation>Kein gemerkter Prompt enthält diese Wörter.</translation>
    </message>
    <message>
        <source>No saved prompts. Save the current one. A prompt containing {prompt} acts as a style around it.</source>
        <translation>Keine gespeicherten Prompts. Speichern Sie den aktuellen. Ein Prompt mit {prompt} wirkt als Stil um ihn herum.</translation>
    </message>
    <message>
        <source>Remove a prompt</source>
        <translation>Prompt entfernen</translation>
    </message>
    <message>
        <source>Remove “%1”? It cannot be brought back.</source>
        <translation>„%1“ entfernen? Der Prompt lässt sich nicht zurückholen.</translation>
    </message>
    <message>
        <source>Rewrite…</source>
        <translation>Umschreiben …</translation>
    </message>
    <message>
        <source>Let a language model rewrite the project&apos;s prompt, and edit its answer</source>
        <translation>Den Prompt des Projekts von einem Sprachmodell umschreiben lassen und die Antwort bearbeiten</translation>
    </message>
    <message>
        <source>Rewritten prompt</source>
        <translation>Umgeschriebener Prompt</translation>
    </message>
</context>
<context>
    <name>meshreel::PromptTools</name>
    <message>
        <source>Example</source>
        <translation>Beispiel</translation>
    </message>
    <message>
        <source>%1 / %2 tokens</source>
        <comment>of the prompt, that the model reads</comment>
        <translation>%1 / %2 Token</translation>
    </message>
    <message>
        <source>What is beyond the limit is not read</source>
        <translation>Was darüber hinausgeht, wird nicht gelesen</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>kind of motion, prompt</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Take a prompt that this model does well, and with the next click the next one; the arrow lists them by their motion</source>
        <translation>Einen Prompt nehmen, den dieses Modell gut kann, mit dem nächsten Klick den nächsten; der Pfeil listet sie nach ihrer Bewegung</translation>
    </message>
</context>
<context>
    <name>meshreel::QualityModel</name>
    <message>
        <source>%1 to %2</source>
        <comment>places</comment>
        <translation>%1 bis %2</translation>
    </message>
    <message>
        <source>%1 %</source>
        <comment>percentage</comment>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>%1 to %2 %</source>
        <comment>percentages</comment>
        <translation>%1 bis %2 %</translation>
    </message>
    <message>
        <source>%1 (%2 to %3)</source>
        <comment>median, least and most seconds</comment>
        <translation>%1 (%2 bis %3)</translation>
    </message>
    <message>
        <source>Setting</source>
        <translation>Einstellung</translation>
    </message>
    <message>
        <source>What makes runs differ, beside prompt, inputs and seed</source>
        <translation>Was Läufe unterscheidet, außer Prompt, Eingaben und Seed</translation>
    </message>
    <message>
        <source>Place</source>
        <translation>Platz</translation>
    </message>
    <message>
        <source>The places that the votes leave open, the best first</source>
        <translation>Die Plätze, die die Stimmen offen lassen, der beste zuerst</translation>
    </message>
    <message>
        <source>Preferred</source>
        <translation>Bevorzugt</translation>
    </message>
    <message>
        <source>How often it is preferred to another of these settings, by the model of Bradley and Terry</source>
        <translation>Wie oft sie einer anderen dieser Einstellungen vorgezogen wird, nach dem Modell von Bradley und Terry</translation>
    </message>
    <message>
        <source>Interval</source>
        <translation>Intervall</translation>
    </message>
    <message>
        <source>Holds the true share in about nine of ten cases</source>
        <translation>Enthält den wahren Anteil in etwa neun von zehn Fällen</translation>
    </message>
    <message>
        <source>Votes</source>
        <translation>Stimmen</translation>
    </message>
    <message>
        <source>Comparisons that the setting took part in</source>
        <translation>Vergleiche, an denen die Einstellung teilnahm</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Läufe</translation>
    </message>
    <message>
        <source>Compared runs of this setting</source>
        <translation>Verglichene Läufe dieser Einstellung</translation>
    </message>
    <message>
        <source>Seconds</source>
        <translation>Sekunden</translation>
    </message>
    <message>
        <source>Of inference, without loading and compiling: median, least and most</source>
        <translation>Der Inferenz, ohne Laden und Kompilieren: Median, kleinster und größter Wert</translation>
    </message>
</context>
<context>
    <name>meshreel::QualityPage</name>
    <message>
        <source>Rate</source>
        <translation>Bewerten</translation>
    </message>
    <message>
        <source>See the videos in pairs, without their settings, and say which is better</source>
        <translation>Die Videos paarweise ohne ihre Einstellungen ansehen und sagen, welches besser ist</translation>
    </message>
    <message>
        <source>Quality of the settings</source>
        <translation>Qualität der Einstellungen</translation>
    </message>
    <message>
        <source>Measuring the videos: %1 of %2 …</source>
        <translation>Messe die Videos: %1 von %2 …</translation>
    </message>
    <message>
        <source>Nobody has voted on these settings yet.</source>
        <translation>Über diese Einstellungen hat noch niemand abgestimmt.</translation>
    </message>
    <message>
        <source>By votes on pairs of videos, seen without their settings.</source>
        <translation>Nach Stimmen über Paare von Videos, die ohne ihre Einstellungen gezeigt wurden.</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Measure videos</source>
        <translation>Videos messen</translation>
    </message>
    <message>
        <source>Stop measuring; what was measured stays</source>
        <translation>Messung anhalten; was gemessen wurde, bleibt</translation>
    </message>
    <message>
        <source>Measure flicker, sharpness and the difference to the baseline. At full size a video takes many seconds.</source>
        <translation>Flackern, Schärfe und den Unterschied zum Bezug messen. In voller Größe braucht ein Video viele Sekunden.</translation>
    </message>
</context>
<context>
    <name>meshreel::QueuePanel</name>
    <message>
        <source>Add</source>
        <translation>Hinzufügen</translation>
    </message>
    <message>
        <source>Add the project as it is now (Ctrl+Shift+R)</source>
        <translation>Das Projekt hinzufügen, wie es jetzt ist (Strg+Umschalt+R)</translation>
    </message>
    <message>
        <source>Add a grid…</source>
        <translation>Raster hinzufügen …</translation>
    </message>
    <message>
        <source>Add the project once for every combination of some settings: seeds, prompts, sizes, …</source>
        <translation>Das Projekt für jede Kombination einiger Einstellungen einmal hinzufügen: Seeds, Prompts, Größen, …</translation>
    </message>
    <message>
        <source>Run the queue</source>
        <translation>Warteschlange ausführen</translation>
    </message>
    <message>
        <source>Earlier</source>
        <translation>Früher</translation>
    </message>
    <message>
        <source>Later</source>
        <translation>Später</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Run again</source>
        <translation>Nochmals ausführen</translation>
    </message>
    <message>
        <source>Remove from the queue</source>
        <translation>Aus der Warteschlange nehmen</translation>
    </message>
    <message>
        <source>Remove what is done</source>
        <translation>Fertiges entfernen</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>Warteschlange</translation>
    </message>
    <message>
        <source>Nothing is queued: add the project as it is now, or once for every combination of some settings.</source>
        <translation>Die Warteschlange ist leer: das Projekt hinzufügen, wie es ist, oder einmal für jede Kombination einiger Einstellungen.</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Show the chart, summary and video of the run</source>
        <translation>Diagramm, Zeitübersicht und Video des Laufs zeigen</translation>
    </message>
    <message>
        <source>Load these settings</source>
        <translation>Diese Einstellungen laden</translation>
    </message>
    <message>
        <source>Edit a copy of the project as it is in the queue</source>
        <translation>Eine Kopie des Projekts bearbeiten, wie es in der Warteschlange steht</translation>
    </message>
    <message>
        <source>Add project files…</source>
        <translation>Projektdateien hinzufügen …</translation>
    </message>
    <message>
        <source>Add projects to the queue</source>
        <translation>Projekte einreihen</translation>
    </message>
    <message numerus="yes">
        <source>%n runs wait, about %1 in all</source>
        <translation>
            <numerusform>%n Lauf wartet, etwa %1</numerusform>
            <numerusform>%n Läufe warten, insgesamt etwa %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n runs wait</source>
        <translation>
            <numerusform>%n Lauf wartet</numerusform>
            <numerusform>%n Läufe warten</numerusform>
        </translation>
    </message>
    <message>
        <source>Run again on the CPU</source>
        <translation>Auf der CPU wiederholen</translation>
    </message>
    <message>
        <source>Run again with half the frames</source>
        <translation>Mit halb so vielen Bildern wiederholen</translation>
    </message>
    <message>
        <source>Runs one after the other; when switched off, the current one still finishes</source>
        <translation>Führt einen nach dem anderen aus; ausgeschaltet endet der aktuelle noch</translation>
    </message>
    <message>
        <source>Project files, and tables (CSV) whose columns are keys and whose rows are runs of the project</source>
        <translation>Projektdateien, und Tabellen (CSV), deren Spalten Schlüssel und deren Zeilen Läufe des Projekts sind</translation>
    </message>
    <message>
        <source>Projects and tables (*.yaml *.yml *.csv)</source>
        <translation>Projekte und Tabellen (*.yaml *.yml *.csv)</translation>
    </message>
</context>
<context>
    <name>meshreel::QueueStore</name>
    <message>
        <source>The kept queue could not be read and was set aside as %1: %2</source>
        <translation>Die aufbewahrte Warteschlange ließ sich nicht lesen und wurde als %1 beiseitegelegt: %2</translation>
    </message>
    <message numerus="yes">
        <source>%n run(s) of the kept queue could not be read; a copy of the queue is %1. Run %2: %3</source>
        <translation>
            <numerusform>%n Lauf der aufbewahrten Warteschlange war nicht zu lesen; eine Kopie der Warteschlange liegt in %1. Lauf %2: %3</numerusform>
            <numerusform>%n Läufe der aufbewahrten Warteschlange waren nicht zu lesen; eine Kopie der Warteschlange liegt in %1. Lauf %2: %3</numerusform>
        </translation>
    </message>
    <message>
        <source>The queue cannot be kept: %1 Runs added here are lost when this window closes.</source>
        <comment>reason</comment>
        <translation>Die Warteschlange kann nicht aufbewahrt werden: %1 Was hier hinzugefügt wird, geht verloren, wenn dieses Fenster schließt.</translation>
    </message>
</context>
<context>
    <name>meshreel::QueuedSettings</name>
    <message>
        <source>%1: %2</source>
        <comment>title of a setting and its value</comment>
        <translation>%1: %2</translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <comment>settings</comment>
        <translation>
            <numerusform>und %n weitere</numerusform>
            <numerusform>und %n weitere</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::RankingView</name>
    <message>
        <source>%1 to %2</source>
        <comment>places</comment>
        <translation>%1 bis %2</translation>
    </message>
    <message>
        <source>Ranking of the settings</source>
        <translation>Rangliste der Einstellungen</translation>
    </message>
    <message>
        <source>%1: no votes yet</source>
        <comment>setting</comment>
        <translation>%1: noch keine Stimmen</translation>
    </message>
    <message numerus="yes">
        <source>%1: %2, preferred in %3 % (%4 to %5 %), %n votes</source>
        <comment>place, setting, share and its interval</comment>
        <translation>
            <numerusform>%1: %2, bevorzugt in %3 % (%4 bis %5 %), %n Stimme</numerusform>
            <numerusform>%1: %2, bevorzugt in %3 % (%4 bis %5 %), %n Stimmen</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 % (%2 to %3)</source>
        <comment>share and its interval, percentages</comment>
        <translation>%1 % (%2 bis %3)</translation>
    </message>
    <message>
        <source>no votes</source>
        <translation>keine Stimmen</translation>
    </message>
</context>
<context>
    <name>meshreel::RateDialog</name>
    <message>
        <source>Rate videos</source>
        <translation>Videos bewerten</translation>
    </message>
    <message>
        <source>Ranking</source>
        <translation>Rangliste</translation>
    </message>
    <message>
        <source>Show what the votes say of the settings so far</source>
        <translation>Zeigen, was die Stimmen bisher über die Einstellungen sagen</translation>
    </message>
    <message>
        <source>Skip</source>
        <translation>Überspringen</translation>
    </message>
    <message>
        <source>Pass this pair over (S)</source>
        <translation>Dieses Paar überspringen (S)</translation>
    </message>
    <message>
        <source>Take back</source>
        <translation>Zurücknehmen</translation>
    </message>
    <message>
        <source>Take back the last vote, and see its pair again (Backspace)</source>
        <translation>Die letzte Stimme zurücknehmen und ihr Paar noch einmal sehen (Rücktaste)</translation>
    </message>
    <message>
        <source>The wheel zooms both, dragging moves, a double click fits</source>
        <translation>Das Rad vergrößert beide, Ziehen verschiebt, ein Doppelklick passt ein</translation>
    </message>
    <message>
        <source>Position in the videos</source>
        <translation>Stelle in den Videos</translation>
    </message>
    <message>
        <source>Drag to go to a frame of both</source>
        <translation>Ziehen, um zu einem Bild von beiden zu gehen</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>Play</source>
        <translation>Abspielen</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>action and its key</comment>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>Space</source>
        <translation>Leertaste</translation>
    </message>
    <message>
        <source>1  Left is better</source>
        <translation>1  Links ist besser</translation>
    </message>
    <message>
        <source>1 or the left arrow</source>
        <translation>1 oder der Pfeil nach links</translation>
    </message>
    <message>
        <source>0  No difference</source>
        <translation>0  Kein Unterschied</translation>
    </message>
    <message>
        <source>0 or the down arrow</source>
        <translation>0 oder der Pfeil nach unten</translation>
    </message>
    <message>
        <source>2  Right is better</source>
        <translation>2  Rechts ist besser</translation>
    </message>
    <message>
        <source>2 or the right arrow</source>
        <translation>2 oder der Pfeil nach rechts</translation>
    </message>
    <message>
        <source>Reading the runs …</source>
        <translation>Lese die Läufe …</translation>
    </message>
    <message>
        <source>Reading the videos …</source>
        <translation>Lese die Videos …</translation>
    </message>
    <message>
        <source>None of the videos can be shown beside another one.</source>
        <translation>Keines der Videos kann neben einem anderen gezeigt werden.</translation>
    </message>
    <message>
        <source>These videos have two prompts.</source>
        <translation>Diese Videos haben zwei Prompts.</translation>
    </message>
    <message numerus="yes">
        <source>%n votes</source>
        <translation>
            <numerusform>%n Stimme</numerusform>
            <numerusform>%n Stimmen</numerusform>
        </translation>
    </message>
    <message>
        <source>every pair was seen: further votes narrow the intervals</source>
        <translation>jedes Paar wurde gesehen: weitere Stimmen verkleinern die Intervalle</translation>
    </message>
    <message>
        <source>%1 of %2 pairs seen</source>
        <translation>%1 von %2 Paaren gesehen</translation>
    </message>
    <message numerus="yes">
        <source>%n runs without a video that can be shown are left out</source>
        <translation>
            <numerusform>%n Lauf ohne zeigbares Video ist ausgelassen</numerusform>
            <numerusform>%n Läufe ohne zeigbares Video sind ausgelassen</numerusform>
        </translation>
    </message>
    <message>
        <source>There are no votes yet.</source>
        <translation>Es gibt noch keine Stimmen.</translation>
    </message>
    <message>
        <source>How often each setting is preferred to another one of its group, and the range that holds the true share in nine of ten cases. Settings of different groups were never compared: dotted lines part them.</source>
        <translation>Wie oft jede Einstellung einer anderen ihrer Gruppe vorgezogen wird, und der Bereich, der den wahren Anteil in neun von zehn Fällen enthält. Einstellungen verschiedener Gruppen wurden nie verglichen: gepunktete Linien trennen sie.</translation>
    </message>
    <message>
        <source>How often each setting is preferred to another one, and the range that holds the true share in nine of ten cases. Places whose ranges overlap are not decided: more votes narrow them.</source>
        <translation>Wie oft jede Einstellung einer anderen vorgezogen wird, und der Bereich, der den wahren Anteil in neun von zehn Fällen enthält. Überlappende Plätze sind nicht entschieden: mehr Stimmen grenzen sie ein.</translation>
    </message>
</context>
<context>
    <name>meshreel::RecentStrip</name>
    <message>
        <source>Recent results</source>
        <translation>Letzte Ergebnisse</translation>
    </message>
    <message>
        <source>&amp;Open</source>
        <translation>Ö&amp;ffnen</translation>
    </message>
    <message>
        <source>&amp;Load these settings</source>
        <translation>Diese Einstellungen &amp;laden</translation>
    </message>
    <message>
        <source>&amp;All runs</source>
        <translation>&amp;Alle Läufe</translation>
    </message>
</context>
<context>
    <name>meshreel::RefineItem</name>
    <message>
        <source>Stop refining</source>
        <translation>Verfeinern beenden</translation>
    </message>
    <message>
        <source>Refinement paused: CPU busy</source>
        <translation>Verfeinern pausiert: CPU belegt</translation>
    </message>
    <message>
        <source>refining: round %1 of %2</source>
        <translation>wird verfeinert: Runde %1 von %2</translation>
    </message>
    <message>
        <source>Other programs keep the processors busy. Round %1 of %2 is measured when they are at rest.</source>
        <translation>Andere Programme beschäftigen die Prozessoren. Runde %1 von %2 wird gemessen, wenn sie ruhen.</translation>
    </message>
    <message>
        <source>While nothing runs, this machine is measured further, which makes predictions more exact. Whatever you start comes first.</source>
        <translation>Solange nichts läuft, wird dieser Rechner weiter gemessen; das macht Vorhersagen genauer. Was Sie starten, geht vor.</translation>
    </message>
    <message>
        <source>Stop measuring. “Keep measuring when idle” in the Run menu starts it again.</source>
        <translation>Das Messen beenden. „Im Leerlauf weitermessen“ im Menü Ausführen beginnt es wieder.</translation>
    </message>
</context>
<context>
    <name>meshreel::ReportContents</name>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>Attention</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>Workers</source>
        <translation>Worker</translation>
    </message>
    <message>
        <source>Video</source>
        <translation>Video</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Load, s</source>
        <translation>Laden, s</translation>
    </message>
    <message>
        <source>Compile, s</source>
        <translation>Vorbereiten, s</translation>
    </message>
    <message>
        <source>Inference, s</source>
        <translation>Inferenz, s</translation>
    </message>
    <message>
        <source>Denoising, s</source>
        <translation>Entrauschen, s</translation>
    </message>
    <message>
        <source>Decoding, s</source>
        <translation>Dekodieren, s</translation>
    </message>
    <message>
        <source>Step, s</source>
        <translation>Schritt, s</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>Geschwindigkeit</translation>
    </message>
    <message>
        <source>Setting</source>
        <translation>Einstellung</translation>
    </message>
    <message>
        <source>All runs</source>
        <translation>Alle Läufe</translation>
    </message>
    <message>
        <source>Differing</source>
        <translation>Verschieden</translation>
    </message>
    <message numerus="yes">
        <source>%n runs compared</source>
        <translation>
            <numerusform>Ein Lauf</numerusform>
            <numerusform>%n Läufe im Vergleich</numerusform>
        </translation>
    </message>
    <message>
        <source>Meshreel %1 · %2</source>
        <comment>version, date</comment>
        <translation>Meshreel %1 · %2</translation>
    </message>
    <message>
        <source>Timings</source>
        <translation>Zeiten</translation>
    </message>
    <message>
        <source>Settings that differ</source>
        <translation>Abweichende Einstellungen</translation>
    </message>
    <message>
        <source>Videos</source>
        <translation>Videos</translation>
    </message>
    <message>
        <source>Charts</source>
        <translation>Diagramme</translation>
    </message>
    <message>
        <source>Environment</source>
        <translation>Umgebung</translation>
    </message>
    <message>
        <source>Timing summaries</source>
        <translation>Zeitübersichten</translation>
    </message>
    <message>
        <source>Projects</source>
        <translation>Projekte</translation>
    </message>
    <message>
        <source>Spread</source>
        <translation>Streuung</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>Urteil</translation>
    </message>
</context>
<context>
    <name>meshreel::ResultsView</name>
    <message>
        <source>Describe a video on the left and press Run.
Runs, videos, pictures and projects can be dropped here.</source>
        <translation>Links ein Video beschreiben und auf „Ausführen“ klicken.
Läufe, Videos, Bilder und Projekte lassen sich hier ablegen.</translation>
    </message>
    <message>
        <source>Back to the current run</source>
        <translation>Zurück zum aktuellen Lauf</translation>
    </message>
    <message>
        <source>Back to the last run</source>
        <translation>Zurück zum letzten Lauf</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Make the next clip: it goes on from the last frame of this one</source>
        <translation>Den nächsten Clip machen: Er geht vom letzten Bild dieses Clips weiter</translation>
    </message>
    <message>
        <source>From the &amp;last frame</source>
        <translation>Vom &amp;letzten Bild an</translation>
    </message>
    <message>
        <source>From the &amp;shown frame</source>
        <translation>Vom ge&amp;zeigten Bild an</translation>
    </message>
    <message>
        <source>Use as</source>
        <translation>Verwenden als</translation>
    </message>
    <message>
        <source>Let the shown frame, or the video, be an input of the next video</source>
        <translation>Das gezeigte Bild oder das Video zur Eingabe des nächsten Videos machen</translation>
    </message>
</context>
<context>
    <name>meshreel::RunBar</name>
    <message>
        <source>%1, step %2 of %3</source>
        <comment>phase and steps</comment>
        <translation>%1, Schritt %2 von %3</translation>
    </message>
    <message>
        <source>%1 · about %2 left</source>
        <comment>what happens, duration</comment>
        <translation>%1 · noch etwa %2</translation>
    </message>
    <message>
        <source>Stop after the current block; steps that are done are kept</source>
        <translation>Nach dem aktuellen Block anhalten; fertige Schritte bleiben erhalten</translation>
    </message>
    <message>
        <source>Progress of the run</source>
        <translation>Fortschritt des Laufs</translation>
    </message>
    <message>
        <source>Starting</source>
        <translation>Startet</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Ausführen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Resume the stopped run from its last finished step</source>
        <translation>Den angehaltenen Lauf nach seinem letzten fertigen Schritt fortsetzen</translation>
    </message>
    <message>
        <source>Every step is done: the run cannot pause any more</source>
        <translation>Alle Schritte sind fertig: Der Lauf kann nicht mehr pausieren</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>Status</translation>
    </message>
    <message>
        <source>Go to the first problem</source>
        <translation>Zum ersten Problem</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>Warteschlange</translation>
    </message>
    <message>
        <source>Run this project when its turn comes (Ctrl+Enter)</source>
        <translation>Dieses Projekt ausführen, wenn es an der Reihe ist (Strg+Eingabe)</translation>
    </message>
    <message>
        <source>Generate the video (Ctrl+Enter)</source>
        <translation>Das Video erzeugen (Strg+Eingabe)</translation>
    </message>
    <message>
        <source>Checking the project</source>
        <translation>Das Projekt wird geprüft</translation>
    </message>
    <message>
        <source>Stop after the current step; nothing is lost</source>
        <translation>Anhalten, wenn der aktuelle Schritt fertig ist; nichts geht verloren</translation>
    </message>
    <message>
        <source>Resume the stopped run %1 from its last finished step</source>
        <comment>name</comment>
        <translation>Den angehaltenen Lauf %1 nach seinem letzten fertigen Schritt fortsetzen</translation>
    </message>
</context>
<context>
    <name>meshreel::RunChoice</name>
    <message>
        <source>Runs that the chart shows</source>
        <translation>Läufe, die das Diagramm zeigt</translation>
    </message>
    <message numerus="yes">
        <source>%1 and %n more</source>
        <translation>
            <numerusform>%1 und %n weiterer</numerusform>
            <numerusform>%1 und %n weitere</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::RunCopies</name>
    <message>
        <source>None of these runs is finished: there is no timing summary to copy.</source>
        <translation>Keiner dieser Läufe ist fertig: Es gibt keine Zeitübersicht zu kopieren.</translation>
    </message>
    <message numerus="yes">
        <source>Copied %n timing summaries</source>
        <translation>
            <numerusform>Eine Zeitübersicht kopiert</numerusform>
            <numerusform>%n Zeitübersichten kopiert</numerusform>
        </translation>
    </message>
    <message>
        <source>None of these runs finished a step: there is no configuration to copy.</source>
        <translation>Keiner dieser Läufe hat einen Schritt beendet: Es gibt keine Konfiguration zu kopieren.</translation>
    </message>
    <message numerus="yes">
        <source>Copied %n configurations as a Markdown table</source>
        <translation>
            <numerusform>Eine Konfiguration als Markdown-Tabelle kopiert</numerusform>
            <numerusform>%n Konfigurationen als Markdown-Tabelle kopiert</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::RunFilter</name>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>Aufgabe</translation>
    </message>
    <message>
        <source>Adapter</source>
        <translation>Adapter</translation>
    </message>
    <message>
        <source>Tag</source>
        <translation>Schlagwort</translation>
    </message>
    <message>
        <source>Board</source>
        <translation>Sammlung</translation>
    </message>
</context>
<context>
    <name>meshreel::RunHistoryModel</name>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>Begonnen</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>Dauer</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Schlagwörter</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>Seconds a step, without the first one</source>
        <translation>Sekunden je Schritt, ohne den ersten</translation>
    </message>
    <message>
        <source>Width × height × frames</source>
        <translation>Breite × Höhe × Bilder</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>Status</translation>
    </message>
    <message>
        <source>Step, s</source>
        <translation>Schritt, s</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>Attention</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>Mesh</source>
        <translation>Gerätenetz</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>setting and its value</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Settings in which these runs differ, where they are not at their defaults</source>
        <translation>Einstellungen, in denen sich diese Läufe unterscheiden, soweit sie nicht auf der Vorgabe stehen</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Seed</translation>
    </message>
    <message>
        <source>What differs</source>
        <translation>Unterschiede</translation>
    </message>
    <message>
        <source>Not all of it can be read</source>
        <translation>Nicht alles davon ist lesbar</translation>
    </message>
    <message>
        <source>Starred</source>
        <translation>Mit Stern</translation>
    </message>
    <message>
        <source>No star</source>
        <translation>Ohne Stern</translation>
    </message>
    <message>
        <source>Collections that the run is in</source>
        <translation>Sammlungen, in denen der Lauf ist</translation>
    </message>
    <message>
        <source>Star</source>
        <translation>Stern</translation>
    </message>
    <message>
        <source>Boards</source>
        <translation>Sammlungen</translation>
    </message>
</context>
<context>
    <name>meshreel::RunLog</name>
    <message>
        <source>Loading the model</source>
        <translation>Modell wird geladen</translation>
    </message>
    <message>
        <source>Preparing weights</source>
        <translation>Gewichte werden vorbereitet</translation>
    </message>
    <message>
        <source>Reading the prompt</source>
        <translation>Prompt wird gelesen</translation>
    </message>
    <message>
        <source>Denoising</source>
        <translation>Entrauschen</translation>
    </message>
    <message>
        <source>Decoding the video</source>
        <translation>Video wird dekodiert</translation>
    </message>
    <message>
        <source>%1: done in %2</source>
        <comment>phase, duration</comment>
        <translation>%1: fertig in %2</translation>
    </message>
    <message>
        <source>Run folder: %1</source>
        <translation>Laufordner: %1</translation>
    </message>
    <message>
        <source>Step %1: %2</source>
        <comment>number of a step, duration</comment>
        <translation>Schritt %1: %2</translation>
    </message>
    <message>
        <source>Writing the video</source>
        <translation>Video wird geschrieben</translation>
    </message>
</context>
<context>
    <name>meshreel::RunNotices</name>
    <message>
        <source>A video is being generated</source>
        <translation>Ein Video wird erzeugt</translation>
    </message>
    <message>
        <source>The video is done</source>
        <translation>Das Video ist fertig</translation>
    </message>
    <message>
        <source>The run failed</source>
        <translation>Der Lauf ist fehlgeschlagen</translation>
    </message>
    <message>
        <source>Block sizes are being timed</source>
        <translation>Blockgrößen werden gemessen</translation>
    </message>
    <message>
        <source>A sweep is being timed</source>
        <translation>Eine Messreihe läuft</translation>
    </message>
    <message>
        <source>This machine is being measured</source>
        <translation>Dieser Rechner wird gemessen</translation>
    </message>
    <message>
        <source>A benchmark is being measured</source>
        <translation>Ein Benchmark wird gemessen</translation>
    </message>
</context>
<context>
    <name>meshreel::RunPresenter</name>
    <message>
        <source>Cancelled</source>
        <translation>Abgebrochen</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Fehlgeschlagen</translation>
    </message>
    <message>
        <source>Done: %1</source>
        <translation>Fertig: %1</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Fertig</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>Pausiert</translation>
    </message>
    <message>
        <source>Stopping</source>
        <translation>Hält an</translation>
    </message>
    <message>
        <source>Pausing after this step</source>
        <translation>Pausiert nach diesem Schritt</translation>
    </message>
    <message>
        <source>%1. Resume begins again.</source>
        <comment>state</comment>
        <translation>%1. Fortsetzen beginnt von vorn.</translation>
    </message>
    <message>
        <source>%1 at step %2 of %3. Resume goes on from there.</source>
        <comment>state</comment>
        <translation>%1 bei Schritt %2 von %3. Fortsetzen macht dort weiter.</translation>
    </message>
</context>
<context>
    <name>meshreel::RunPreview</name>
    <message>
        <source>%1: %2</source>
        <comment>setting and its value</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Previous run</source>
        <translation>Voriger Lauf</translation>
    </message>
    <message>
        <source>Left arrow</source>
        <translation>Pfeil links</translation>
    </message>
    <message>
        <source>Next run</source>
        <translation>Nächster Lauf</translation>
    </message>
    <message>
        <source>Right arrow</source>
        <translation>Pfeil rechts</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Preview of a run</source>
        <translation>Vorschau eines Laufs</translation>
    </message>
    <message>
        <source>Settings of the run</source>
        <translation>Einstellungen des Laufs</translation>
    </message>
    <message>
        <source>Show the chart, summary and video of the run</source>
        <translation>Diagramm, Zusammenfassung und Video des Laufs zeigen</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>action and its key</comment>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <comment>numbers of runs</comment>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>This run has no video.</source>
        <translation>Dieser Lauf hat kein Video.</translation>
    </message>
    <message>
        <source>Take the star away</source>
        <translation>Stern wegnehmen</translation>
    </message>
    <message>
        <source>Give a star</source>
        <translation>Stern geben</translation>
    </message>
</context>
<context>
    <name>meshreel::RunQueue</name>
    <message>
        <source>Waiting</source>
        <translation>Wartet</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>Läuft</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Fertig</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>Abgebrochen</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Fehlgeschlagen</translation>
    </message>
    <message>
        <source>Will resume</source>
        <translation>Wird fortgesetzt</translation>
    </message>
    <message numerus="yes">
        <source>%1 × %2, %n frames</source>
        <translation>
            <numerusform>%1 × %2, %n Bild</numerusform>
            <numerusform>%1 × %2, %n Bilder</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n steps, seed %1</source>
        <translation>
            <numerusform>%n Schritt, Seed %1</numerusform>
            <numerusform>%n Schritte, Seed %1</numerusform>
        </translation>
    </message>
    <message>
        <source>Project</source>
        <translation>Projekt</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Video</source>
        <translation>Video</translation>
    </message>
    <message>
        <source>Sampling</source>
        <translation>Sampling</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>Attention</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message numerus="yes">
        <source>%n steps, random seed</source>
        <translation>
            <numerusform>%n Schritt, zufälliger Seed</numerusform>
            <numerusform>%n Schritte, zufälliger Seed</numerusform>
        </translation>
    </message>
    <message>
        <source>Running elsewhere</source>
        <translation>Läuft woanders</translation>
    </message>
</context>
<context>
    <name>meshreel::RunReport</name>
    <message>
        <source>Version</source>
        <translation>Version</translation>
    </message>
    <message>
        <source>Commit</source>
        <translation>Commit</translation>
    </message>
    <message>
        <source>Compiler</source>
        <translation>Compiler</translation>
    </message>
    <message>
        <source>Processor</source>
        <translation>Prozessor</translation>
    </message>
    <message>
        <source>Instruction set</source>
        <translation>Befehlssatz</translation>
    </message>
    <message>
        <source>CPUs</source>
        <translation>CPUs</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>Ranks</source>
        <translation>Ränge</translation>
    </message>
    <message>
        <source>Workers of a device</source>
        <translation>Worker je Gerät</translation>
    </message>
    <message>
        <source>Mesh</source>
        <translation>Gerätenetz</translation>
    </message>
    <message>
        <source>Self-attention kernel</source>
        <translation>Kernel der Self-Attention</translation>
    </message>
    <message>
        <source>Cross-attention kernel</source>
        <translation>Kernel der Cross-Attention</translation>
    </message>
    <message>
        <source>Number types</source>
        <translation>Zahlentypen</translation>
    </message>
    <message>
        <source>Libraries</source>
        <translation>Bibliotheken</translation>
    </message>
    <message>
        <source>%1 · %2 s</source>
        <comment>number of a frame, time</comment>
        <translation>%1 · %2 s</translation>
    </message>
</context>
<context>
    <name>meshreel::RunStages</name>
    <message>
        <source>%1 %</source>
        <comment>percentage</comment>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>%1/%2</source>
        <comment>steps done, steps</comment>
        <translation>%1/%2</translation>
    </message>
    <message>
        <source>%1: still to come</source>
        <comment>stage</comment>
        <translation>%1: steht noch aus</translation>
    </message>
    <message>
        <source>%1: nothing to do</source>
        <comment>stage</comment>
        <translation>%1: nichts zu tun</translation>
    </message>
    <message>
        <source>%1: done in %2, kept from an earlier run</source>
        <comment>stage, duration</comment>
        <translation>%1: fertig in %2, aus einem früheren Lauf übernommen</translation>
    </message>
    <message>
        <source>%1: done in %2</source>
        <comment>stage, duration</comment>
        <translation>%1: fertig in %2</translation>
    </message>
    <message>
        <source>%1: %2 of %3 done</source>
        <comment>stage, steps</comment>
        <translation>%1: %2 von %3 fertig</translation>
    </message>
    <message>
        <source>%1: stopped after %2 of %3</source>
        <comment>stage, steps</comment>
        <translation>%1: angehalten nach %2 von %3</translation>
    </message>
    <message>
        <source>%1: %2 done</source>
        <comment>stage, percentage</comment>
        <translation>%1: %2 fertig</translation>
    </message>
    <message>
        <source>%1: stopped after %2</source>
        <comment>stage, percentage</comment>
        <translation>%1: angehalten nach %2</translation>
    </message>
    <message>
        <source>%1: stopped</source>
        <comment>stage</comment>
        <translation>%1: angehalten</translation>
    </message>
    <message>
        <source>About %1 left</source>
        <comment>duration</comment>
        <translation>Noch etwa %1</translation>
    </message>
    <message>
        <source>Load</source>
        <comment>stage of a run</comment>
        <translation>Laden</translation>
    </message>
    <message>
        <source>Compile</source>
        <comment>stage of a run</comment>
        <translation>Vorbereiten</translation>
    </message>
    <message>
        <source>Condition</source>
        <comment>stage of a run</comment>
        <translation>Prompt</translation>
    </message>
    <message>
        <source>Steps</source>
        <comment>stage of a run</comment>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Decode</source>
        <comment>stage of a run</comment>
        <translation>Dekodieren</translation>
    </message>
    <message>
        <source>Format</source>
        <comment>stage of a run</comment>
        <translation>Schreiben</translation>
    </message>
    <message>
        <source>cached</source>
        <comment>result of a stage, very short</comment>
        <translation>Cache</translation>
    </message>
    <message>
        <source>%1: in progress</source>
        <comment>stage</comment>
        <translation>%1: läuft</translation>
    </message>
</context>
<context>
    <name>meshreel::RunTexts</name>
    <message>
        <source>Running</source>
        <translation>Läuft</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Fertig</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>Abgebrochen</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Fehlgeschlagen</translation>
    </message>
    <message>
        <source>Interrupted</source>
        <translation>Unterbrochen</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>status and its reason</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>%1 of %2 steps</source>
        <translation>%1 von %2 Schritten</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <comment>steps and duration</comment>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>%1 min %2 s</source>
        <translation>%1 min %2 s</translation>
    </message>
    <message>
        <source>%1 h %2 min</source>
        <translation>%1 h %2 min</translation>
    </message>
</context>
<context>
    <name>meshreel::RunTiles</name>
    <message>
        <source>Runs as tiles</source>
        <translation>Läufe als Kacheln</translation>
    </message>
</context>
<context>
    <name>meshreel::SaveLookDialog</name>
    <message>
        <source>Save a look</source>
        <translation>Einen Look speichern</translation>
    </message>
    <message>
        <source>A look is a picture with settings in it: how videos look, whatever they show. Write {prompt} into a prompt to make it a style.</source>
        <translation>Ein Look ist ein Bild mit Einstellungen darin: wie Videos aussehen, was immer sie zeigen. Schreibe {prompt} in einen Prompt, damit er ein Stil wird.</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>Wählen …</translation>
    </message>
    <message>
        <source>Settings of the look</source>
        <translation>Einstellungen des Looks</translation>
    </message>
    <message>
        <source>Picture of the look</source>
        <translation>Bild des Looks</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>Picture</source>
        <translation>Bild</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>title of a setting and its value</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Choose a picture or video</source>
        <translation>Ein Bild oder Video wählen</translation>
    </message>
    <message>
        <source>Pictures and videos (*.png *.jpg *.jpeg *.webp *.mp4 *.webm *.gif)</source>
        <translation>Bilder und Videos (*.png *.jpg *.jpeg *.webp *.mp4 *.webm *.gif)</translation>
    </message>
    <message>
        <source>The project has the default look: change sampling, adapters, size or what must not be seen first.</source>
        <translation>Das Projekt hat den voreingestellten Look: Ändere erst Sampling, Adapter, Größe oder was nicht zu sehen sein soll.</translation>
    </message>
    <message>
        <source>Choose at least one setting.</source>
        <translation>Wähle mindestens eine Einstellung.</translation>
    </message>
    <message>
        <source>Write a name.</source>
        <translation>Schreibe einen Namen.</translation>
    </message>
    <message>
        <source>Choose a picture that shows the look, such as a frame of a run.</source>
        <translation>Wähle ein Bild, das den Look zeigt, etwa ein Einzelbild eines Laufs.</translation>
    </message>
</context>
<context>
    <name>meshreel::SessionKeeper</name>
    <message>
        <source>Your last project is open as you left it.</source>
        <translation>Ihr letztes Projekt ist so geöffnet, wie Sie es verlassen haben.</translation>
    </message>
    <message>
        <source>Go on with it</source>
        <translation>Damit weitermachen</translation>
    </message>
    <message>
        <source>Start anew</source>
        <translation>Neu beginnen</translation>
    </message>
    <message>
        <source>Your last storyboard is open as you left it.</source>
        <translation>Ihr letztes Storyboard ist offen, wie Sie es verlassen haben.</translation>
    </message>
    <message>
        <source>Show storyboard</source>
        <translation>Storyboard zeigen</translation>
    </message>
    <message numerus="yes">
        <source>%n runs wait in the queue.</source>
        <translation>
            <numerusform>%n Lauf wartet in der Warteschlange.</numerusform>
            <numerusform>%n Läufe warten in der Warteschlange.</numerusform>
        </translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Show queue</source>
        <translation>Warteschlange zeigen</translation>
    </message>
</context>
<context>
    <name>meshreel::Settings</name>
    <message>
        <source>Some kept settings could not be read; a copy of their file is %1.</source>
        <translation>Einige aufbewahrte Einstellungen ließen sich nicht lesen; eine Kopie ihrer Datei ist %1.</translation>
    </message>
</context>
<context>
    <name>meshreel::ShotEditor</name>
    <message>
        <source>Goes on from the shot before</source>
        <translation>Setzt die vorige Einstellung fort</translation>
    </message>
    <message>
        <source>Frames in which the film passes over</source>
        <translation>Bilder, in denen der Film überblendet</translation>
    </message>
    <message>
        <source>Shot</source>
        <translation>Einstellung</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Name of the shot</source>
        <translation>Name der Einstellung</translation>
    </message>
    <message>
        <source>Letters, digits, &apos;-&apos;, &apos;_&apos; and &apos;.&apos;; the folder of its run is called after it.</source>
        <translation>Buchstaben, Ziffern, „-“, „_“ und „.“; der Ordner ihres Laufs heißt danach.</translation>
    </message>
    <message>
        <source>Seconds</source>
        <translation>Sekunden</translation>
    </message>
    <message>
        <source>How long the film shows the shot. Empty: as long as all shots.</source>
        <translation>Wie lange der Film die Einstellung zeigt. Leer: so lange wie alle.</translation>
    </message>
    <message>
        <source>It begins with the last frames of the shot before.</source>
        <translation>Sie beginnt mit den letzten Bildern der vorigen Einstellung.</translation>
    </message>
    <message>
        <source>Of those that both shots show; 0 cuts.</source>
        <translation>Von denen, die beide Einstellungen zeigen; 0 schneidet.</translation>
    </message>
    <message>
        <source>usual (%1)</source>
        <comment>seconds</comment>
        <translation>üblich (%1)</translation>
    </message>
    <message>
        <source>usual (%1)</source>
        <comment>frames</comment>
        <translation>üblich (%1)</translation>
    </message>
    <message>
        <source>Goes on from the shot %1</source>
        <comment>name</comment>
        <translation>Setzt die Einstellung %1 fort</translation>
    </message>
</context>
<context>
    <name>meshreel::SizePicker</name>
    <message>
        <source>Size class</source>
        <translation>Größenklasse</translation>
    </message>
    <message>
        <source>How large: the lines of a wide video</source>
        <translation>Wie groß: die Zeilen eines breiten Videos</translation>
    </message>
    <message>
        <source>Aspect ratio</source>
        <translation>Seitenverhältnis</translation>
    </message>
    <message>
        <source>Width to height</source>
        <translation>Breite zu Höhe</translation>
    </message>
    <message>
        <source>Custom size</source>
        <translation>Eigene Größe</translation>
    </message>
    <message>
        <source>Custom</source>
        <comment>aspect ratio</comment>
        <translation>Eigenes</translation>
    </message>
    <message>
        <source>Swap width and height</source>
        <translation>Breite und Höhe tauschen</translation>
    </message>
    <message>
        <source>Set the size</source>
        <translation>Größe setzen</translation>
    </message>
</context>
<context>
    <name>meshreel::SortMenu</name>
    <message>
        <source>Sort by</source>
        <translation>Sortieren nach</translation>
    </message>
    <message>
        <source>Ascending</source>
        <translation>Aufsteigend</translation>
    </message>
    <message>
        <source>Descending</source>
        <translation>Absteigend</translation>
    </message>
    <message>
        <source>Not sorted</source>
        <translation>Unsortiert</translation>
    </message>
</context>
<context>
    <name>meshreel::Splitter</name>
    <message>
        <source>Divider between %1 and %2</source>
        <translation>Trennleiste zwischen %1 und %2</translation>
    </message>
    <message>
        <source>Drag it, or move it with the arrow keys, Page up and down, Home and End; Enter or a double click puts it back.</source>
        <translation>Ziehen, oder mit den Pfeiltasten, Bild auf und ab, Pos1 und Ende verschieben; Eingabe oder ein Doppelklick stellt sie zurück.</translation>
    </message>
    <message>
        <source>%1: %2 %</source>
        <comment>part of the window and its share</comment>
        <translation>%1: %2 %</translation>
    </message>
</context>
<context>
    <name>meshreel::StageMeter</name>
    <message>
        <source>%1: %2</source>
        <comment>stage and its memory</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Memory of the stages</source>
        <translation>Speicher der Phasen</translation>
    </message>
</context>
<context>
    <name>meshreel::StageStrip</name>
    <message>
        <source>Stages of the run</source>
        <translation>Phasen des Laufs</translation>
    </message>
</context>
<context>
    <name>meshreel::StatisticsModel</name>
    <message>
        <source>Seconds of all lanes together, as far as they are in what is measured; slices inside others count in both</source>
        <translation>Sekunden aller Spuren zusammen, soweit sie im Gemessenen liegen; Abschnitte in anderen zählen in beiden</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>Total</source>
        <translation>Summe</translation>
    </message>
    <message>
        <source>Count</source>
        <translation>Anzahl</translation>
    </message>
    <message>
        <source>Mean</source>
        <translation>Mittel</translation>
    </message>
    <message>
        <source>Longest</source>
        <translation>Längste</translation>
    </message>
</context>
<context>
    <name>meshreel::StepChart</name>
    <message>
        <source>Seconds per step</source>
        <translation>Sekunden je Schritt</translation>
    </message>
    <message>
        <source>Latent mean</source>
        <translation>Mittel der Latents</translation>
    </message>
    <message>
        <source>Latent minimum to maximum</source>
        <translation>Kleinster bis größter Latent-Wert</translation>
    </message>
    <message>
        <source>Mean: %1 s</source>
        <translation>Mittel: %1 s</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>Step %1: %2 s, sigma %3, latents %4 to %5</source>
        <translation>Schritt %1: %2 s, Sigma %3, Latents %4 bis %5</translation>
    </message>
</context>
<context>
    <name>meshreel::StoryboardActions</name>
    <message>
        <source>A run is in progress: wait until it ends.</source>
        <translation>Ein Lauf ist im Gange: Warten Sie sein Ende ab.</translation>
    </message>
</context>
<context>
    <name>meshreel::StoryboardDocument</name>
    <message>
        <source>Add a shot</source>
        <translation>Einstellung hinzufügen</translation>
    </message>
    <message>
        <source>Duplicate a shot</source>
        <translation>Einstellung duplizieren</translation>
    </message>
    <message>
        <source>Remove a shot</source>
        <translation>Einstellung entfernen</translation>
    </message>
    <message>
        <source>Move a shot</source>
        <translation>Einstellung verschieben</translation>
    </message>
    <message>
        <source>Settings for all shots</source>
        <translation>Einstellwerte für alle Einstellungen</translation>
    </message>
    <message>
        <source>Changes of the last session</source>
        <translation>Änderungen der letzten Sitzung</translation>
    </message>
    <message>
        <source>Untitled storyboard</source>
        <translation>Unbenanntes Storyboard</translation>
    </message>
</context>
<context>
    <name>meshreel::StoryboardFiles</name>
    <message>
        <source>Storyboards (*.yaml *.yml)</source>
        <translation>Storyboards (*.yaml *.yml)</translation>
    </message>
    <message>
        <source>New s&amp;toryboard</source>
        <translation>Neues S&amp;toryboard</translation>
    </message>
    <message>
        <source>Save storyboar&amp;d</source>
        <translation>Storyboar&amp;d speichern</translation>
    </message>
    <message>
        <source>Save stor&amp;yboard as…</source>
        <translation>Stor&amp;yboard speichern unter …</translation>
    </message>
    <message>
        <source>Begin a film with the settings of the open project</source>
        <translation>Einen Film mit den Werten des offenen Projekts beginnen</translation>
    </message>
    <message>
        <source>Unsaved changes</source>
        <translation>Nicht gespeicherte Änderungen</translation>
    </message>
    <message>
        <source>Save the changes to “%1”?</source>
        <translation>Änderungen an „%1“ speichern?</translation>
    </message>
    <message>
        <source>If you don&apos;t save, your changes will be lost.</source>
        <translation>Ohne Speichern gehen die Änderungen verloren.</translation>
    </message>
    <message>
        <source>Save the storyboard</source>
        <translation>Storyboard speichern</translation>
    </message>
    <message>
        <source>Open a storyboard</source>
        <translation>Ein Storyboard öffnen</translation>
    </message>
</context>
<context>
    <name>meshreel::StoryboardModel</name>
    <message>
        <source>Not made</source>
        <comment>shot</comment>
        <translation>Nicht gemacht</translation>
    </message>
    <message>
        <source>Changed</source>
        <comment>shot</comment>
        <translation>Geändert</translation>
    </message>
    <message>
        <source>Interrupted</source>
        <comment>shot</comment>
        <translation>Unterbrochen</translation>
    </message>
    <message>
        <source>Made</source>
        <comment>shot</comment>
        <translation>Gemacht</translation>
    </message>
    <message>
        <source>%1 s</source>
        <comment>seconds</comment>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>Being made: %1 %</source>
        <comment>percent of a shot</comment>
        <translation>Entsteht: %1 %</translation>
    </message>
    <message>
        <source>Cannot be made</source>
        <comment>shot</comment>
        <translation>Nicht machbar</translation>
    </message>
    <message>
        <source>Being checked</source>
        <comment>shot</comment>
        <translation>Wird geprüft</translation>
    </message>
    <message>
        <source>Cannot be made yet</source>
        <comment>shot</comment>
        <translation>Noch nicht machbar</translation>
    </message>
    <message>
        <source>%1 of memory</source>
        <comment>bytes</comment>
        <translation>%1 Speicher</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <comment>time, memory</comment>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>Shot %1 of %2, %3</source>
        <comment>number, number of shots, name</comment>
        <translation>Einstellung %1 von %2, %3</translation>
    </message>
    <message>
        <source>goes on from another shot</source>
        <translation>setzt eine andere fort</translation>
    </message>
</context>
<context>
    <name>meshreel::StoryboardPanel</name>
    <message>
        <source>A film of several shots: each has its own prompt and pictures, and can go on from the one before. Only shots that changed are made again.</source>
        <translation>Ein Film aus mehreren Einstellungen: Jede hat ihren eigenen Prompt und ihre Bilder und kann die vorige fortsetzen. Nur geänderte Einstellungen werden neu gemacht.</translation>
    </message>
    <message>
        <source>Make what changed</source>
        <translation>Geändertes machen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>New storyboard</source>
        <translation>Neues Storyboard</translation>
    </message>
    <message>
        <source>Open a storyboard…</source>
        <translation>Storyboard öffnen …</translation>
    </message>
    <message>
        <source>Shot</source>
        <translation>Einstellung</translation>
    </message>
    <message>
        <source>Film</source>
        <translation>Film</translation>
    </message>
    <message>
        <source>Add shot</source>
        <translation>Einstellung hinzufügen</translation>
    </message>
    <message>
        <source>Add a shot behind this one</source>
        <translation>Hinter dieser eine Einstellung hinzufügen</translation>
    </message>
    <message>
        <source>Duplicate shot</source>
        <translation>Einstellung duplizieren</translation>
    </message>
    <message>
        <source>Duplicate this shot (Ctrl+D)</source>
        <translation>Diese Einstellung duplizieren (Strg+D)</translation>
    </message>
    <message>
        <source>Move shot to the left</source>
        <translation>Einstellung nach links</translation>
    </message>
    <message>
        <source>Move this shot before the one before (Alt+Left)</source>
        <translation>Diese Einstellung vor die vorige (Alt+Links)</translation>
    </message>
    <message>
        <source>Move shot to the right</source>
        <translation>Einstellung nach rechts</translation>
    </message>
    <message>
        <source>Move this shot behind the next one (Alt+Right)</source>
        <translation>Diese Einstellung hinter die nächste (Alt+Rechts)</translation>
    </message>
    <message>
        <source>Remove shot</source>
        <translation>Einstellung entfernen</translation>
    </message>
    <message>
        <source>Remove this shot (Delete)</source>
        <translation>Diese Einstellung entfernen (Entf)</translation>
    </message>
    <message>
        <source>Use the project&apos;s settings</source>
        <translation>Werte des Projekts übernehmen</translation>
    </message>
    <message>
        <source>Save storyboard</source>
        <translation>Storyboard speichern</translation>
    </message>
    <message>
        <source>Save the storyboard (Ctrl+S here)</source>
        <translation>Storyboard speichern (hier Strg+S)</translation>
    </message>
    <message>
        <source>Tools of the storyboard</source>
        <translation>Werkzeuge des Storyboards</translation>
    </message>
    <message>
        <source>Progress of the film</source>
        <translation>Fortschritt des Films</translation>
    </message>
    <message>
        <source>What is done of the shot is kept: making the film goes on from there.</source>
        <translation>Was von der Einstellung fertig ist, bleibt: Der Film geht von dort weiter.</translation>
    </message>
    <message>
        <source>The film is being checked.</source>
        <translation>Der Film wird geprüft.</translation>
    </message>
    <message>
        <source>Film: %1 s</source>
        <comment>seconds</comment>
        <translation>Film: %1 s</translation>
    </message>
    <message>
        <source>everything is made</source>
        <translation>alles ist gemacht</translation>
    </message>
    <message>
        <source>its shots are made, but not joined</source>
        <translation>die Einstellungen sind gemacht, aber nicht verbunden</translation>
    </message>
    <message>
        <source>to make: %1 of %2</source>
        <comment>numbers of shots</comment>
        <translation>zu machen: %1 von %2</translation>
    </message>
    <message>
        <source>time not known</source>
        <translation>Dauer unbekannt</translation>
    </message>
    <message>
        <source>%1 of memory</source>
        <comment>bytes</comment>
        <translation>%1 Speicher</translation>
    </message>
    <message>
        <source>Shots marked red cannot be made yet.</source>
        <translation>Rot markierte Einstellungen sind noch nicht machbar.</translation>
    </message>
    <message>
        <source>Everything is made: change a shot first.</source>
        <translation>Alles ist gemacht: Ändern Sie zuerst eine Einstellung.</translation>
    </message>
    <message>
        <source>The film is being made.</source>
        <translation>Der Film entsteht.</translation>
    </message>
    <message>
        <source>Shot %1 of %2: %3</source>
        <comment>number, number of shots, name</comment>
        <translation>Einstellung %1 von %2: %3</translation>
    </message>
    <message>
        <source>Join the shots</source>
        <translation>Einstellungen verbinden</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>Weitermachen</translation>
    </message>
    <message>
        <source>Make the shots that are not made as they are now, and join all</source>
        <translation>Die Einstellungen machen, die so noch nicht gemacht sind, und alle verbinden</translation>
    </message>
    <message>
        <source>Space plays the shots that are made.</source>
        <translation>Die Leertaste spielt die gemachten Einstellungen ab.</translation>
    </message>
    <message>
        <source>No shot is made yet.</source>
        <translation>Noch keine Einstellung ist gemacht.</translation>
    </message>
    <message>
        <source>Let all shots have the model, size and other settings of the open project. A prompt and pictures that all shots share are removed.</source>
        <translation>Allen Einstellungen Modell, Größe und übrige Werte des offenen Projekts geben. Ein Prompt und Bilder, die alle Einstellungen teilen, werden entfernt.</translation>
    </message>
    <message>
        <source>What all shots share must be mended first: see above the shots.</source>
        <translation>Zuerst ist zu beheben, was alle Einstellungen teilen: siehe über den Einstellungen.</translation>
    </message>
</context>
<context>
    <name>meshreel::StoryboardRecovery</name>
    <message>
        <source>The kept storyboard could not be read and was set aside as %1: %2</source>
        <comment>file, reason</comment>
        <translation>Das aufbewahrte Storyboard war nicht lesbar und liegt nun als %1: %2</translation>
    </message>
    <message>
        <source>The storyboard is kept only in this window: %1</source>
        <comment>reason</comment>
        <translation>Das Storyboard ist nur in diesem Fenster aufbewahrt: %1</translation>
    </message>
</context>
<context>
    <name>meshreel::StoryboardStrip</name>
    <message>
        <source>Shots of the film</source>
        <translation>Einstellungen des Films</translation>
    </message>
</context>
<context>
    <name>meshreel::StudioPanels</name>
    <message>
        <source>Project</source>
        <translation>Projekt</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>Mesh</source>
        <translation>Gerätenetz</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>Probleme</translation>
    </message>
    <message>
        <source>Chart</source>
        <translation>Diagramm</translation>
    </message>
    <message>
        <source>Reference</source>
        <translation>Referenz</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>Attention</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Läufe</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleich</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>Warteschlange</translation>
    </message>
    <message>
        <source>Noise</source>
        <translation>Rauschen</translation>
    </message>
    <message>
        <source>Prompts</source>
        <translation>Prompts</translation>
    </message>
    <message>
        <source>Tune</source>
        <translation>Abstimmen</translation>
    </message>
    <message>
        <source>Sweep</source>
        <translation>Messreihe</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>Zusammenfassung</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Protokoll</translation>
    </message>
    <message>
        <source>Foresight</source>
        <translation>Vorausschau</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>Zeitleiste</translation>
    </message>
    <message>
        <source>Storyboard</source>
        <translation>Storyboard</translation>
    </message>
    <message>
        <source>Bench</source>
        <translation>Benchmark</translation>
    </message>
</context>
<context>
    <name>meshreel::StudioWords</name>
    <message>
        <source>Add the file in Models, which says what it is</source>
        <translation>Die Datei unter Modelle hinzufügen: Dort steht, was sie ist</translation>
    </message>
    <message>
        <source>The file is of another model, or damaged: add it in Models to see what it is, or get it again</source>
        <translation>Die Datei gehört zu einem anderen Modell oder ist beschädigt: unter Modelle hinzufügen, um zu sehen, was sie ist, oder erneut beschaffen</translation>
    </message>
    <message>
        <source>measure one in a terminal (meshreel calibrate magcache PROJECT -o FILE), and choose it as MagCache curve file</source>
        <translation>eine im Terminal messen (meshreel calibrate magcache PROJECT -o FILE) und sie als MagCache-Kurvendatei wählen</translation>
    </message>
    <message>
        <source>The MagCache curve was measured on a transformer of {} blocks, and this has {}; in a terminal, meshreel calibrate magcache measures one for it</source>
        <translation>Die MagCache-Kurve wurde an einem Transformer mit {} Blöcken gemessen, und dieser hat {}; im Terminal misst meshreel calibrate magcache eine für ihn</translation>
    </message>
    <message>
        <source>Choose a file that meshreel calibrate magcache has written in a terminal</source>
        <translation>Eine Datei wählen, die meshreel calibrate magcache im Terminal geschrieben hat</translation>
    </message>
    <message>
        <source>Curve of the model, which meshreel calibrate magcache measures in a terminal; relative to the project&apos;s folder.</source>
        <translation>Kurve des Modells, die meshreel calibrate magcache im Terminal misst; relativ zum Ordner des Projekts.</translation>
    </message>
    <message>
        <source>Tune searches block sizes</source>
        <translation>Abstimmen sucht Blockgrößen</translation>
    </message>
    <message>
        <source>run folders hold what a run leaves: see Runs</source>
        <translation>Laufordner enthalten, was ein Lauf hinterlässt: siehe Läufe</translation>
    </message>
    <message>
        <source>Copy the model to every host and turn Send weights off</source>
        <translation>Das Modell auf jeden Rechner kopieren und „Gewichte senden“ ausschalten</translation>
    </message>
    <message>
        <source>Choose the folder of a run</source>
        <translation>Den Ordner eines Laufs wählen</translation>
    </message>
    <message>
        <source>Choose one with “Choose the folder for runs” in the File menu</source>
        <translation>Einen mit „Ordner für Läufe wählen“ im Menü „Datei“ wählen</translation>
    </message>
    <message>
        <source>Choose one from the list</source>
        <translation>Eines aus der Liste wählen</translation>
    </message>
    <message>
        <source>Choose flash, or another mode whose kernel works in blocks</source>
        <translation>flash wählen oder einen anderen Modus mit blockweisem Kernel</translation>
    </message>
    <message>
        <source>Choose a tile_size_grid_search.csv as tuning writes it</source>
        <translation>Eine tile_size_grid_search.csv wählen, wie das Abstimmen sie schreibt</translation>
    </message>
    <message>
        <source>Choose runs that got as far as denoising, or a table that tuning has written</source>
        <translation>Läufe wählen, die bis zum Entrauschen gekommen sind, oder eine Tabelle, die das Abstimmen geschrieben hat</translation>
    </message>
    <message>
        <source>Set XDG_CACHE_HOME to a folder that you may write to, and start the Studio again</source>
        <translation>XDG_CACHE_HOME auf einen Ordner mit Schreibrecht setzen und das Studio neu starten</translation>
    </message>
    <message>
        <source>Delete the file: it is made again</source>
        <translation>Die Datei löschen: Sie wird neu erzeugt</translation>
    </message>
    <message>
        <source>Free some space, or set XDG_CACHE_HOME to another disk and start the Studio again</source>
        <translation>Platz schaffen oder XDG_CACHE_HOME auf einen anderen Datenträger setzen und das Studio neu starten</translation>
    </message>
    <message>
        <source>Start it again with Run</source>
        <translation>Ihn mit „Ausführen“ neu starten</translation>
    </message>
    <message>
        <source>Set them back, or start a new run with them: “Load these settings” in Runs, then Run</source>
        <translation>Sie zurücksetzen oder mit ihnen einen neuen Lauf starten: „Projekt übernehmen“ unter Läufe, dann „Ausführen“</translation>
    </message>
    <message>
        <source>Put the files back that it began with, or start a new run: “Load these settings” in Runs, then Run</source>
        <translation>Die Dateien wiederherstellen, mit denen er begann, oder einen neuen Lauf starten: „Projekt übernehmen“ unter Läufe, dann „Ausführen“</translation>
    </message>
    <message>
        <source>rank {} on host {} computes with {}, and rank 0 on host {} with {}: the result differs slightly from that of one instruction set</source>
        <translation>Rang {} auf Host {} rechnet mit {}, Rang 0 auf Host {} mit {}: Das Ergebnis weicht leicht von dem mit einem einzigen Befehlssatz ab</translation>
    </message>
    <message>
        <source>Choose another GPU, or none, at the setting GPU</source>
        <translation>Bei der Einstellung GPU eine andere GPU oder none wählen</translation>
    </message>
    <message>
        <source>Use none, auto, or the number of a GPU: 0 is the first</source>
        <translation>Verwenden Sie none, auto oder die Nummer einer GPU: 0 ist die erste</translation>
    </message>
    <message>
        <source>Choose none, auto, or the number of another GPU: 0 is the first</source>
        <translation>none, auto oder die Nummer einer anderen GPU wählen: 0 ist die erste</translation>
    </message>
    <message>
        <source>Update the GPU driver, or use the CPU</source>
        <translation>Aktualisieren Sie den GPU-Treiber, oder nehmen Sie die CPU</translation>
    </message>
    <message>
        <source>If you know who wrote the project, open it and agree for its folder</source>
        <translation>Wenn Sie wissen, wer das Projekt geschrieben hat, öffnen Sie es und stimmen Sie für seinen Ordner zu</translation>
    </message>
    <message>
        <source>Download it in the Models panel ({}), or whole in a terminal with: {}. {}</source>
        <translation>Laden Sie es im Bereich Modelle herunter ({}), oder ganz in einem Terminal mit: {}. {}</translation>
    </message>
    <message>
        <source>not measured yet; the first run in bf16 measures</source>
        <translation>noch nicht gemessen; der erste Lauf in bf16 misst</translation>
    </message>
    <message>
        <source>Download it in the Models panel ({}), and use it from there. {}</source>
        <translation>Laden Sie es im Bereich Modelle herunter ({}), und verwenden Sie es von dort. {}</translation>
    </message>
    <message>
        <source>Resume goes on with it on the same hosts</source>
        <translation>Fortsetzen führt ihn auf denselben Rechnern weiter</translation>
    </message>
    <message>
        <source>Resume goes on with it</source>
        <translation>Fortsetzen führt ihn weiter</translation>
    </message>
    <message>
        <source>Choose a new folder, or go on with the run in it with Resume</source>
        <translation>Einen neuen Ordner wählen oder den Lauf darin mit „Fortsetzen“ weiterführen</translation>
    </message>
    <message>
        <source>Resume it there, or with “Resume on a different machine” in Runs: the result may then differ in its last bits</source>
        <translation>Dort fortsetzen oder mit „Auf anderem Rechner fortsetzen“ unter Läufe: Das Ergebnis kann sich dann in den letzten Bits unterscheiden</translation>
    </message>
    <message>
        <source>Go on with the run first, with Resume</source>
        <translation>Den Lauf erst mit „Fortsetzen“ weiterführen</translation>
    </message>
    <message>
        <source>Go on with one of them with Resume in Runs</source>
        <translation>Einen mit „Fortsetzen“ unter Läufe weiterführen</translation>
    </message>
    <message>
        <source>Choose a file for {}</source>
        <translation>Wählen Sie eine Datei für {}</translation>
    </message>
    <message>
        <source>Free some space on it, or choose another folder with “Choose the folder for runs” in the File menu</source>
        <translation>Geben Sie dort Platz frei oder wählen Sie mit „Ordner für Läufe wählen“ im Menü „Datei“ einen anderen Ordner</translation>
    </message>
</context>
<context>
    <name>meshreel::SummaryPanel</name>
    <message>
        <source>Timing summary</source>
        <translation>Zeitübersicht</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Copy the timing summary</source>
        <translation>Die Zeitübersicht kopieren</translation>
    </message>
    <message>
        <source>Where the time went stands here once a run is done, or a past one is opened.</source>
        <translation>Wo die Zeit geblieben ist, steht hier, sobald ein Lauf fertig ist oder ein früherer geöffnet wird.</translation>
    </message>
    <message>
        <source>Open a run</source>
        <translation>Lauf öffnen</translation>
    </message>
</context>
<context>
    <name>meshreel::SweepModel</name>
    <message>
        <source>%1 %</source>
        <comment>percentage</comment>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>Cannot run: %1</source>
        <comment>state of a cell, and why</comment>
        <translation>Kann nicht laufen: %1</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>Wartet</translation>
    </message>
    <message>
        <source>%1 of %2 passes</source>
        <translation>%1 von %2 Durchgängen</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Fertig</translation>
    </message>
    <message>
        <source>Slowest less fastest pass, in percent of the median</source>
        <translation>Langsamster minus schnellster Durchgang, in Prozent des Medians</translation>
    </message>
    <message>
        <source>Strategy</source>
        <translation>Strategie</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>Batch</translation>
    </message>
    <message>
        <source>Seconds</source>
        <translation>Sekunden</translation>
    </message>
    <message>
        <source>Spread</source>
        <translation>Streuung</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>The settings of the open project</source>
        <translation>Die Einstellungen des offenen Projekts</translation>
    </message>
    <message>
        <source>%1, the settings of the open project</source>
        <comment>a strategy</comment>
        <translation>%1, die Einstellungen des offenen Projekts</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>Urteil</translation>
    </message>
    <message>
        <source>Beside the first strategy, all else equal: the range that holds the true difference in nine of ten comparisons; where it is within the noise, how often to repeat both</source>
        <translation>Neben der ersten Strategie, bei sonst gleichen Einstellungen: der Bereich, der in neun von zehn Vergleichen den wahren Unterschied enthält; liegt er im Rauschen, wie oft beide zu wiederholen sind</translation>
    </message>
</context>
<context>
    <name>meshreel::SweepPanel</name>
    <message>
        <source>Cells that are done</source>
        <translation>Fertige Zellen</translation>
    </message>
    <message>
        <source>Open a sweep…</source>
        <translation>Messreihe öffnen …</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Ausführen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Export CSV…</source>
        <translation>CSV exportieren …</translation>
    </message>
    <message>
        <source>Stops; passes that are done are kept</source>
        <translation>Hält an; fertige Durchgänge bleiben</translation>
    </message>
    <message>
        <source>Write every pass to a file</source>
        <translation>Jeden Durchgang in eine Datei schreiben</translation>
    </message>
    <message>
        <source>Cells of the sweep</source>
        <translation>Zellen der Messreihe</translation>
    </message>
    <message>
        <source>Open a sweep</source>
        <translation>Messreihe öffnen</translation>
    </message>
    <message>
        <source>Sweeps (*.yaml *.yml)</source>
        <translation>Messreihen (*.yaml *.yml)</translation>
    </message>
    <message>
        <source>Export every pass</source>
        <translation>Jeden Durchgang exportieren</translation>
    </message>
    <message>
        <source>Table (*.csv)</source>
        <translation>Tabelle (*.csv)</translation>
    </message>
    <message>
        <source>The passes were written to %1</source>
        <translation>Die Durchgänge wurden nach %1 geschrieben</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>Fortfahren</translation>
    </message>
    <message>
        <source>Times every cell; passes that are there are kept</source>
        <translation>Misst jede Zelle; vorhandene Durchgänge bleiben</translation>
    </message>
    <message numerus="yes">
        <source>%1: %2 of %n cells done, %3 passes each; results in %4</source>
        <comment>name, numbers, folder</comment>
        <translation>
            <numerusform>%1: %2 von einer Zelle fertig, je %3 Durchgänge; Ergebnisse in %4</numerusform>
            <numerusform>%1: %2 von %n Zellen fertig, je %3 Durchgänge; Ergebnisse in %4</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 (%n cells cannot run)</source>
        <comment>what is done</comment>
        <translation>
            <numerusform>%1 (eine Zelle kann nicht laufen)</numerusform>
            <numerusform>%1 (%n Zellen können nicht laufen)</numerusform>
        </translation>
    </message>
    <message>
        <source>A sweep times modes, meshes, batches and block sizes beside each other. Make one of the open project, or open a file.</source>
        <translation>Eine Messreihe misst Modi, Gerätenetze, Batches und Blockgrößen nebeneinander. Machen Sie eine aus dem offenen Projekt, oder öffnen Sie eine Datei.</translation>
    </message>
    <message>
        <source>New sweep from this project…</source>
        <translation>Neue Messreihe aus diesem Projekt …</translation>
    </message>
    <message>
        <source>Writes a file that times this project&apos;s attention beside other modes</source>
        <translation>Schreibt eine Datei, die die Attention dieses Projekts neben anderen Modi misst</translation>
    </message>
    <message>
        <source>New sweep from this project</source>
        <translation>Neue Messreihe aus diesem Projekt</translation>
    </message>
    <message>
        <source>Sweeps (*.yaml)</source>
        <translation>Messreihen (*.yaml)</translation>
    </message>
    <message>
        <source>Repeat</source>
        <translation>Wiederholen</translation>
    </message>
    <message numerus="yes">
        <source>Times %n cells again, as often as it takes to tell those within the noise from what they are compared with</source>
        <translation>
            <numerusform>Misst %n Zelle erneut, so oft, bis die im Rauschen von ihrem Bezug zu unterscheiden sind</numerusform>
            <numerusform>Misst %n Zellen erneut, so oft, bis die im Rauschen von ihrem Bezug zu unterscheiden sind</numerusform>
        </translation>
    </message>
    <message>
        <source>No cell is within the noise of what it is compared with</source>
        <translation>Keine Zelle liegt im Rauschen dessen, womit sie verglichen wird</translation>
    </message>
</context>
<context>
    <name>meshreel::TaskPicker</name>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>Image</source>
        <translation>Bild</translation>
    </message>
    <message>
        <source>Video</source>
        <translation>Video</translation>
    </message>
    <message>
        <source>A video made over after a prompt</source>
        <translation>Ein Video, nach einem Prompt umgearbeitet</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>Bearbeiten</translation>
    </message>
    <message>
        <source>A video edited with masks, controls and reference images</source>
        <translation>Ein Video, bearbeitet mit Masken, Steuerung und Referenzbildern</translation>
    </message>
    <message>
        <source>Character</source>
        <translation>Figur</translation>
    </message>
    <message>
        <source>A character that moves as a video of poses does</source>
        <translation>Eine Figur, die sich wie ein Video von Posen bewegt</translation>
    </message>
    <message>
        <source>What the video is made of</source>
        <translation>Woraus das Video entsteht</translation>
    </message>
    <message>
        <source>A video from a prompt; with Phantom, of the subjects in pictures</source>
        <translation>Ein Video aus einem Prompt; mit Phantom aus den Motiven in Bildern</translation>
    </message>
    <message>
        <source>A video that begins with a picture, ends with one, or shows pictures in between</source>
        <translation>Ein Video, das mit einem Bild beginnt, mit einem endet oder dazwischen Bilder zeigt</translation>
    </message>
    <message>
        <source>Shows it in Models, with its licence and its files, where it is downloaded</source>
        <translation>Zeigt es unter Modelle, mit Lizenz und Dateien; dort wird es heruntergeladen</translation>
    </message>
    <message>
        <source>No model on this machine does this: %1.</source>
        <comment>title of a task</comment>
        <translation>Kein Modell auf diesem Rechner kann das: %1.</translation>
    </message>
    <message>
        <source>No model on this machine does this: %1. Add one in Models.</source>
        <comment>title of a task</comment>
        <translation>Kein Modell auf diesem Rechner kann das: %1. Fügen Sie unter Modelle eines hinzu.</translation>
    </message>
    <message>
        <source>Get %1 (%2)</source>
        <comment>model, size</comment>
        <translation>%1 holen (%2)</translation>
    </message>
</context>
<context>
    <name>meshreel::TileView</name>
    <message>
        <source>Tiles of the score matrix</source>
        <translation>Kacheln der Score-Matrix</translation>
    </message>
    <message>
        <source>%1 keys</source>
        <comment>number</comment>
        <translation>%1 Keys</translation>
    </message>
    <message>
        <source>%1 queries</source>
        <comment>number</comment>
        <translation>%1 Queries</translation>
    </message>
</context>
<context>
    <name>meshreel::TimedPromptTable</name>
    <message>
        <source>Add a timed part</source>
        <translation>Teil mit Zeit hinzufügen</translation>
    </message>
    <message>
        <source>Say what the video should show for a part of its time</source>
        <translation>Sagen, was das Video für einen Teil seiner Zeit zeigen soll</translation>
    </message>
    <message>
        <source>From</source>
        <comment>when a part of the prompt begins</comment>
        <translation>Von</translation>
    </message>
    <message>
        <source>To</source>
        <comment>when a part of the prompt ends</comment>
        <translation>Bis</translation>
    </message>
    <message>
        <source>Words</source>
        <comment>that hold between the two</comment>
        <translation>Wörter</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Tokens</translation>
    </message>
    <message>
        <source>Words that hold all the time</source>
        <translation>Wörter für die ganze Zeit</translation>
    </message>
    <message>
        <source>nothing that holds all the time</source>
        <translation>nichts für die ganze Zeit</translation>
    </message>
    <message>
        <source>all the time</source>
        <translation>die ganze Zeit</translation>
    </message>
    <message>
        <source>Words of part %1</source>
        <translation>Wörter von Teil %1</translation>
    </message>
    <message>
        <source>Remove part %1</source>
        <translation>Teil %1 entfernen</translation>
    </message>
    <message>
        <source>From when part %1 holds</source>
        <translation>Ab wann Teil %1 gilt</translation>
    </message>
    <message>
        <source>Until when part %1 holds</source>
        <translation>Bis wann Teil %1 gilt</translation>
    </message>
    <message>
        <source>start</source>
        <comment>of the video</comment>
        <translation>Anfang</translation>
    </message>
    <message>
        <source>end</source>
        <comment>of the video</comment>
        <translation>Ende</translation>
    </message>
    <message>
        <source>Percent (33%), seconds (2s or 0:02) or frames (17), alike at both ends</source>
        <translation>Prozent (33%), Sekunden (2s oder 0:02) oder Bilder (17), an beiden Enden gleich</translation>
    </message>
    <message>
        <source>Move part %1 up</source>
        <translation>Teil %1 nach oben</translation>
    </message>
    <message>
        <source>Move part %1 down</source>
        <translation>Teil %1 nach unten</translation>
    </message>
</context>
<context>
    <name>meshreel::TimelinePanel</name>
    <message>
        <source>Choose a run</source>
        <translation>Lauf wählen</translation>
    </message>
    <message>
        <source>timeline</source>
        <comment>beside a divider</comment>
        <translation>Zeitleiste</translation>
    </message>
    <message>
        <source>statistics</source>
        <comment>beside a divider</comment>
        <translation>Statistik</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>The run whose trace is shown</source>
        <translation>Der Lauf, dessen Trace gezeigt wird</translation>
    </message>
    <message>
        <source>Run below</source>
        <translation>Lauf darunter</translation>
    </message>
    <message>
        <source>A second run, below the first on the same time axis</source>
        <translation>Ein zweiter Lauf, unter dem ersten auf derselben Zeitachse</translation>
    </message>
    <message>
        <source>Search names</source>
        <translation>Namen suchen</translation>
    </message>
    <message>
        <source>Search names of slices</source>
        <translation>Namen von Abschnitten suchen</translation>
    </message>
    <message>
        <source>Previous one found (Shift+Enter)</source>
        <translation>Voriger Fund (Umschalt+Eingabe)</translation>
    </message>
    <message>
        <source>Previous one found</source>
        <translation>Voriger Fund</translation>
    </message>
    <message>
        <source>Next one found (Enter)</source>
        <translation>Nächster Fund (Eingabe)</translation>
    </message>
    <message>
        <source>Next one found</source>
        <translation>Nächster Fund</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <comment>the selected slice among those found</comment>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>Statistics by name</source>
        <translation>Statistik nach Namen</translation>
    </message>
    <message>
        <source>No run</source>
        <translation>Kein Lauf</translation>
    </message>
    <message>
        <source>No second run</source>
        <translation>Kein zweiter Lauf</translation>
    </message>
    <message>
        <source>%1 left no trace. Runs write it when they end: choose one that is done.</source>
        <comment>a run</comment>
        <translation>%1 hat keinen Trace hinterlassen. Läufe schreiben ihn an ihrem Ende: Wählen Sie einen, der fertig ist.</translation>
    </message>
    <message>
        <source>Reading the trace…</source>
        <translation>Der Trace wird gelesen…</translation>
    </message>
    <message>
        <source>Choose a run to see what its devices did, step by step and block by block.</source>
        <translation>Wählen Sie einen Lauf, um zu sehen, was seine Geräte taten, Schritt für Schritt und Block für Block.</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>Nichts gefunden</translation>
    </message>
    <message>
        <source>%1 found</source>
        <comment>slices</comment>
        <translation>%1 gefunden</translation>
    </message>
    <message>
        <source>Measured: %1</source>
        <comment>a time</comment>
        <translation>Gemessen: %1</translation>
    </message>
    <message>
        <source>Click a slice to select it; drag along the ruler, or with Shift, to measure. Below is the whole run.</source>
        <translation>Ein Klick wählt einen Abschnitt; Ziehen auf dem Lineal oder mit Umschalt misst. Unten steht der ganze Lauf.</translation>
    </message>
</context>
<context>
    <name>meshreel::TimelineView</name>
    <message>
        <source>%1 s</source>
        <comment>seconds</comment>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <comment>milliseconds</comment>
        <translation>%1 ms</translation>
    </message>
    <message>
        <source>%1 µs</source>
        <comment>microseconds</comment>
        <translation>%1 µs</translation>
    </message>
    <message>
        <source>Timeline of the run</source>
        <translation>Zeitleiste des Laufs</translation>
    </message>
    <message>
        <source>W and S zoom, A and D move, F frames what is selected, M measures it, 0 shows everything. Comma and full stop select the slice before and after. The wheel zooms, with Shift it moves. A drag moves; along the ruler or with Shift it measures. Escape ends measuring and the selection.</source>
        <translation>W und S zoomen, A und D bewegen, F rahmt das Gewählte, M misst es, 0 zeigt alles. Komma und Punkt wählen den Abschnitt davor und danach. Das Rad zoomt, mit Umschalt bewegt es. Ziehen bewegt; auf dem Lineal oder mit Umschalt misst es. Escape beendet Messung und Auswahl.</translation>
    </message>
    <message>
        <source>from %1</source>
        <comment>a time</comment>
        <translation>ab %1</translation>
    </message>
    <message>
        <source>, </source>
        <comment>between the parts of a description</comment>
        <translation>, </translation>
    </message>
</context>
<context>
    <name>meshreel::TimingComparison</name>
    <message>
        <source>%1 (baseline)</source>
        <comment>run</comment>
        <translation>%1 (Bezug)</translation>
    </message>
    <message>
        <source>How many times as fast as the baseline, the first run unless another is chosen: by seconds a step, of pasted timings by denoising, or by inference. A dash stands where runs did not compute the same, or that is not known.</source>
        <translation>Wievielmal so schnell wie der Bezug, der erste Lauf, wenn kein anderer gewählt ist: nach Sekunden je Schritt, bei eingefügten Zeiten nach Entrauschen, oder nach Inferenz. Ein Strich steht, wo Läufe nicht dasselbe rechneten oder das nicht bekannt ist.</translation>
    </message>
    <message>
        <source>%1 %</source>
        <comment>percentage</comment>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>%1 beside %2: %3.</source>
        <comment>run, baseline, verdict</comment>
        <translation>%1 neben %2: %3.</translation>
    </message>
    <message>
        <source>%1 beside %2: a step takes %3. %4.</source>
        <comment>run, baseline, time and spread, verdict</comment>
        <translation>%1 neben %2: Ein Schritt dauert %3. %4.</translation>
    </message>
    <message>
        <source>Slowest less fastest step, in percent of the median</source>
        <translation>Langsamster minus schnellster Schritt, in Prozent des Medians</translation>
    </message>
    <message>
        <source>Beside the baseline, in bold: the range that holds the true difference in nine of ten comparisons; where it is within the noise, how often to repeat both</source>
        <translation>Neben dem fett gesetzten Bezug: der Bereich, der in neun von zehn Vergleichen den wahren Unterschied enthält; liegt er im Rauschen, wie oft beide zu wiederholen sind</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>setting and its value</comment>
        <translation>%1: %2</translation>
    </message>
</context>
<context>
    <name>meshreel::Tour</name>
    <message>
        <source>Tour</source>
        <translation>Rundgang</translation>
    </message>
</context>
<context>
    <name>meshreel::TourCallout</name>
    <message>
        <source>Skip the tour</source>
        <translation>Rundgang überspringen</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <comment>stops of the tour</comment>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>Weiter</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Los</translation>
    </message>
</context>
<context>
    <name>meshreel::TraceTexts</name>
    <message>
        <source>Device %1</source>
        <translation>Gerät %1</translation>
    </message>
    <message>
        <source>Thread %1</source>
        <translation>Thread %1</translation>
    </message>
</context>
<context>
    <name>meshreel::TrackHand</name>
    <message>
        <source>Draw a track</source>
        <translation>Bahn zeichnen</translation>
    </message>
    <message>
        <source>Move a point</source>
        <translation>Punkt verschieben</translation>
    </message>
    <message>
        <source>Move a track</source>
        <translation>Bahn verschieben</translation>
    </message>
</context>
<context>
    <name>meshreel::TriggerLabel</name>
    <message>
        <source>Click a word to add it to the prompt</source>
        <translation>Klicke ein Wort an, um es an den Prompt zu hängen</translation>
    </message>
    <message>
        <source>Trigger words: %1</source>
        <translation>Triggerwörter: %1</translation>
    </message>
    <message>
        <source>Most frequent in its captions: %1</source>
        <translation>Am häufigsten in seinen Bildbeschreibungen: %1</translation>
    </message>
</context>
<context>
    <name>meshreel::TrustSheet</name>
    <message>
        <source>A project from someone else?</source>
        <translation>Ein Projekt von jemand anderem?</translation>
    </message>
    <message>
        <source>This project uses what lies outside it:</source>
        <translation>Dieses Projekt verwendet, was außerhalb von ihm liegt:</translation>
    </message>
    <message>
        <source>Use it only if you know who wrote it.</source>
        <translation>Verwenden Sie es nur, wenn Sie wissen, von wem es ist.</translation>
    </message>
    <message>
        <source>Use it only if you know who wrote it. Projects of the folder %1 are then used without a question.</source>
        <translation>Verwenden Sie es nur, wenn Sie wissen, von wem es ist. Projekte des Ordners %1 werden danach ohne Frage verwendet.</translation>
    </message>
    <message>
        <source>Use it</source>
        <translation>Verwenden</translation>
    </message>
    <message>
        <source>Don&apos;t use it</source>
        <translation>Nicht verwenden</translation>
    </message>
</context>
<context>
    <name>meshreel::TuneForm</name>
    <message>
        <source>Smart ladder</source>
        <translation>Kluge Auswahl</translation>
    </message>
    <message>
        <source>Full grid</source>
        <translation>Volles Raster</translation>
    </message>
    <message>
        <source>All</source>
        <translation>Alle</translation>
    </message>
    <message>
        <source>Which sizes</source>
        <translation>Welche Größen</translation>
    </message>
    <message>
        <source>What is tried: a few that divide the sequence well, or all</source>
        <translation>Was versucht wird: einige, die die Sequenz gut teilen, oder alle</translation>
    </message>
    <message>
        <source>Sizes of each block</source>
        <translation>Größen je Block</translation>
    </message>
    <message>
        <source>Sizes of block_q, and of block_kv beside each</source>
        <translation>Größen von block_q, und von block_kv zu jeder</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Schrittweite</translation>
    </message>
    <message>
        <source>Sizes are multiples of this</source>
        <translation>Größen sind Vielfache davon</translation>
    </message>
    <message>
        <source>At most</source>
        <translation>Höchstens</translation>
    </message>
    <message>
        <source>Only the first of them are tried</source>
        <translation>Nur die ersten davon werden versucht</translation>
    </message>
    <message>
        <source>Passes</source>
        <translation>Durchgänge</translation>
    </message>
    <message>
        <source>Passes of each choice that count; the choices take turns</source>
        <translation>Durchgänge jeder Kombination, die zählen; die Kombinationen wechseln sich ab</translation>
    </message>
    <message>
        <source>Warm-up</source>
        <translation>Aufwärmen</translation>
    </message>
    <message>
        <source>Passes of each choice before them</source>
        <translation>Durchgänge jeder Kombination davor</translation>
    </message>
</context>
<context>
    <name>meshreel::TunePanel</name>
    <message>
        <source>Search</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Write to project</source>
        <translation>Ins Projekt schreiben</translation>
    </message>
    <message>
        <source>Times one block of the transformer with this project&apos;s video, mesh and attention.</source>
        <translation>Misst einen Block des Transformers mit Video, Gerätenetz und Attention dieses Projekts.</translation>
    </message>
    <message>
        <source>Sets the project&apos;s block sizes to the fastest; can be undone</source>
        <translation>Setzt die Blockgrößen des Projekts auf die schnellsten; lässt sich rückgängig machen</translation>
    </message>
    <message>
        <source>Cancelled.</source>
        <translation>Abgebrochen.</translation>
    </message>
    <message>
        <source>Block sizes that were found</source>
        <translation>Gefundene Blockgrößen</translation>
    </message>
    <message>
        <source>Preparing the GPU…</source>
        <translation>GPU wird vorbereitet …</translation>
    </message>
    <message>
        <source>Preparing weights…</source>
        <translation>Gewichte werden vorbereitet …</translation>
    </message>
    <message>
        <source>Times every form and block of the GPU&apos;s kernels at the sizes of this project.</source>
        <translation>Misst jede Form und jeden Block der GPU-Kernel in den Größen dieses Projekts.</translation>
    </message>
    <message>
        <source>Use in runs</source>
        <translation>In Läufen verwenden</translation>
    </message>
    <message>
        <source>Runs on this GPU take the fastest from now on</source>
        <translation>Läufe auf dieser GPU nehmen von nun an die schnellsten</translation>
    </message>
    <message>
        <source>Repeat</source>
        <translation>Wiederholen</translation>
    </message>
    <message numerus="yes">
        <source>Times the fastest and what it is compared with %n times more</source>
        <translation>
            <numerusform>Misst das Schnellste und seinen Bezug noch %n-mal</numerusform>
            <numerusform>Misst das Schnellste und seinen Bezug noch %n-mal</numerusform>
        </translation>
    </message>
    <message>
        <source>There is nothing within the noise to repeat</source>
        <translation>Nichts liegt im Rauschen, das zu wiederholen wäre</translation>
    </message>
</context>
<context>
    <name>meshreel::TuneResults</name>
    <message>
        <source>The map of block sizes appears here: press Search while nothing else is running.</source>
        <translation>Die Karte der Blockgrößen erscheint hier: auf „Suchen“ klicken, während nichts anderes läuft.</translation>
    </message>
    <message>
        <source>Time by block sizes</source>
        <translation>Zeit nach Blockgrößen</translation>
    </message>
    <message>
        <source>Progress of the search</source>
        <translation>Fortschritt der Suche</translation>
    </message>
    <message>
        <source>Foreseen for %1, not measured: seconds a step by block sizes</source>
        <translation>Vorausberechnet für %1, nicht gemessen: Sekunden je Schritt nach Blockgrößen</translation>
    </message>
    <message>
        <source>Fastest: block_q %1 · block_kv %2, %3 s a step. The project&apos;s own sizes: %4 s.</source>
        <translation>Am schnellsten: block_q %1 · block_kv %2, %3 s je Schritt. Die Größen des Projekts: %4 s.</translation>
    </message>
    <message>
        <source>Kernel</source>
        <translation>Kernel</translation>
    </message>
    <message>
        <source>Time by form and block</source>
        <translation>Zeit nach Form und Block</translation>
    </message>
</context>
<context>
    <name>meshreel::TuneTexts</name>
    <message numerus="yes">
        <source>%n choices did not run.</source>
        <translation>
            <numerusform>Eine Kombination lief nicht.</numerusform>
            <numerusform>%n Kombinationen liefen nicht.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1: %2 queries × %3 keys, %n choices</source>
        <comment>mode, numbers</comment>
        <translation>
            <numerusform>%1: %2 Queries × %3 Keys, eine Kombination</numerusform>
            <numerusform>%1: %2 Queries × %3 Keys, %n Kombinationen</numerusform>
        </translation>
    </message>
    <message>
        <source>Pass %1 of %2, about %3 left</source>
        <comment>counts, duration</comment>
        <translation>Durchgang %1 von %2, noch etwa %3</translation>
    </message>
    <message>
        <source>None of these sizes ran: %1</source>
        <translation>Keine dieser Größen lief: %1</translation>
    </message>
    <message>
        <source>Fastest: %1.</source>
        <translation>Am schnellsten: %1.</translation>
    </message>
    <message>
        <source>The project&apos;s own: %1.</source>
        <translation>Die des Projekts: %1.</translation>
    </message>
    <message>
        <source>Linear layers</source>
        <translation>Lineare Schichten</translation>
    </message>
    <message>
        <source>Linear layers with int8 weights</source>
        <translation>Lineare Schichten mit int8-Gewichten</translation>
    </message>
    <message>
        <source>Attention of heads of up to %1 numbers</source>
        <translation>Attention mit Köpfen von bis zu %1 Zahlen</translation>
    </message>
    <message>
        <source>None of them ran: %1</source>
        <translation>Keiner lief: %1</translation>
    </message>
    <message>
        <source>This GPU offers nothing else.</source>
        <translation>Diese GPU bietet nichts anderes.</translation>
    </message>
    <message>
        <source>Runs take it already.</source>
        <translation>Läufe nehmen es bereits.</translation>
    </message>
    <message>
        <source>No run has compared them yet.</source>
        <translation>Noch kein Lauf hat sie verglichen.</translation>
    </message>
    <message>
        <source>Runs take now: %1.</source>
        <translation>Läufe nehmen jetzt: %1.</translation>
    </message>
    <message>
        <source>form</source>
        <comment>of a GPU&apos;s kernel</comment>
        <translation>Form</translation>
    </message>
    <message>
        <source>block</source>
        <comment>of a GPU&apos;s kernel</comment>
        <translation>Block</translation>
    </message>
    <message>
        <source> (taken now)</source>
        <translation> (jetzt verwendet)</translation>
    </message>
    <message numerus="yes">
        <source>%1: %2, %n candidates</source>
        <comment>a GPU and the size of its work</comment>
        <translation>
            <numerusform>%1: %2, %n Kandidat</numerusform>
            <numerusform>%1: %2, %n Kandidaten</numerusform>
        </translation>
    </message>
    <message>
        <source>%1. %2</source>
        <comment>kernel and GPU</comment>
        <translation>%1. %2</translation>
    </message>
    <message>
        <source>GPU %1: %2</source>
        <comment>number, kernel</comment>
        <translation>GPU %1: %2</translation>
    </message>
    <message>
        <source>block_q %1 · block_kv %2: %3</source>
        <comment>sizes, time and spread</comment>
        <translation>block_q %1 · block_kv %2: %3</translation>
    </message>
    <message>
        <source>%1.</source>
        <comment>a verdict as a sentence</comment>
        <translation>%1.</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>a GPU&apos;s kernel, its time and spread</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Fastest choice: %1.</source>
        <translation>Schnellste Wahl: %1.</translation>
    </message>
</context>
<context>
    <name>meshreel::UseMenu</name>
    <message>
        <source>&amp;Use as</source>
        <translation>&amp;Verwenden als</translation>
    </message>
    <message>
        <source>Shown frame</source>
        <translation>Gezeigtes Bild</translation>
    </message>
    <message>
        <source>Continue from the shown frame</source>
        <translation>Ab dem gezeigten Bild fortsetzen</translation>
    </message>
    <message>
        <source>Last frame</source>
        <translation>Letztes Bild</translation>
    </message>
    <message>
        <source>First frame</source>
        <translation>Erstes Bild</translation>
    </message>
    <message>
        <source>Continue from its last frame</source>
        <translation>Ab dem letzten Bild fortsetzen</translation>
    </message>
    <message>
        <source>Video</source>
        <translation>Video</translation>
    </message>
    <message>
        <source>Video to make over</source>
        <translation>Video zum Umarbeiten</translation>
    </message>
    <message>
        <source>Control video</source>
        <translation>Steuerndes Video</translation>
    </message>
    <message>
        <source>%1 (no installed model takes it)</source>
        <comment>use</comment>
        <translation>%1 (kein installiertes Modell nimmt es)</translation>
    </message>
</context>
<context>
    <name>meshreel::Variations</name>
    <message>
        <source>New seed for each run</source>
        <translation>Neuer Seed je Lauf</translation>
    </message>
    <message>
        <source>Run sets a random seed first; the seed of every run is kept with it</source>
        <translation>Ausführen setzt zuerst einen zufälligen Seed; jeder Lauf behält seinen</translation>
    </message>
    <message>
        <source>Videos to make</source>
        <translation>Anzahl der Videos</translation>
    </message>
    <message>
        <source>The first runs at once, the others are queued; each has a seed of its own</source>
        <translation>Das erste läuft sofort, die anderen kommen in die Warteschlange; jedes hat einen eigenen Seed</translation>
    </message>
    <message>
        <source>Videos</source>
        <translation>Videos</translation>
    </message>
</context>
<context>
    <name>meshreel::WalkTransport</name>
    <message>
        <source>Play the steps</source>
        <translation>Die Schritte abspielen</translation>
    </message>
    <message>
        <source>Step of the attention</source>
        <translation>Schritt der Attention</translation>
    </message>
    <message>
        <source>Step before</source>
        <translation>Schritt zurück</translation>
    </message>
    <message>
        <source>Next step</source>
        <translation>Nächster Schritt</translation>
    </message>
</context>
<context>
    <name>meshreel::Workspaces</name>
    <message>
        <source>Create</source>
        <translation>Erstellen</translation>
    </message>
    <message>
        <source>Describe a video, run it and watch it</source>
        <translation>Ein Video beschreiben, erzeugen und ansehen</translation>
    </message>
    <message>
        <source>Mesh</source>
        <translation>Mesh</translation>
    </message>
    <message>
        <source>Share the work between devices: mesh, attention, noise</source>
        <translation>Die Arbeit auf Geräte verteilen: Mesh, Attention, Rauschen</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>Messen</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Läufe</translation>
    </message>
    <message>
        <source>Runs of the past and the queue</source>
        <translation>Frühere Läufe und die Warteschlange</translation>
    </message>
    <message>
        <source>Workspaces</source>
        <translation>Arbeitsbereiche</translation>
    </message>
    <message>
        <source>%1 (Ctrl+%2)</source>
        <comment>what a workspace is for, its key</comment>
        <translation>%1 (Strg+%2)</translation>
    </message>
    <message>
        <source>Layout of the earlier version</source>
        <translation>Anordnung der früheren Version</translation>
    </message>
    <message>
        <source>The kept layout of the workspace %1 could not be read. The usual one is shown.</source>
        <comment>title</comment>
        <translation>Die aufbewahrte Anordnung des Arbeitsbereichs %1 ließ sich nicht lesen. Gezeigt wird die übliche.</translation>
    </message>
    <message>
        <source>Compare runs, tune block sizes, time sweeps and this machine, foresee other hardware</source>
        <translation>Läufe vergleichen, Blockgrößen abstimmen, Reihen und diesen Rechner messen, andere Hardware vorhersagen</translation>
    </message>
</context>
<context>
    <name>meshreel::YamlEditor</name>
    <message>
        <source>Text of the project</source>
        <translation>Text des Projekts</translation>
    </message>
</context>
<context>
    <name>meshreel::YamlPanel</name>
    <message>
        <source>Go to line</source>
        <translation>Zur Zeile gehen</translation>
    </message>
    <message>
        <source>The text and the form agree.</source>
        <translation>Text und Formular stimmen überein.</translation>
    </message>
    <message>
        <source>Line %1: %2</source>
        <translation>Zeile %1: %2</translation>
    </message>
    <message>
        <source>No problem</source>
        <translation>Kein Problem</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>Warnung</translation>
    </message>
</context>
</TS>
