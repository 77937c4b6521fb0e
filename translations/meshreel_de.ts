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
        <source>What the video should show.</source>
        <translation>Was das Video zeigen soll.</translation>
    </message>
    <message>
        <source>Negative prompt</source>
        <translation>Negativer Prompt</translation>
    </message>
    <message>
        <source>What guidance steers away from; used when guidance_scale is above 1.</source>
        <translation>Wovon die Führung weglenkt; wirkt, wenn guidance_scale über 1 liegt.</translation>
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
        <source>Speed at which the video plays; the frames themselves do not depend on it.</source>
        <translation>Geschwindigkeit der Wiedergabe; die Bilder selbst hängen nicht davon ab.</translation>
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
        <translation>Führung</translation>
    </message>
    <message>
        <source>How strongly the prompt is followed; 1 or less turns guidance off and halves the work.</source>
        <translation>Wie streng dem Prompt gefolgt wird; 1 oder weniger schaltet die Führung ab und halbiert die Arbeit.</translation>
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
        <translation>Startwert</translation>
    </message>
    <message>
        <source>Number that the initial noise is drawn from; the same seed gives the same video.</source>
        <translation>Zahl, aus der das Anfangsrauschen gezogen wird; derselbe Startwert ergibt dasselbe Video.</translation>
    </message>
    <message>
        <source>Scheduler</source>
        <translation>Scheduler</translation>
    </message>
    <message>
        <source>The solver that walks from noise to video.</source>
        <translation>Der Löser, der vom Rauschen zum Video führt.</translation>
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
        <translation>je ein gerader Schritt entlang des Flusses</translation>
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
        <translation>Wie aus dem Startwert das Anfangsrauschen wird.</translation>
    </message>
    <message>
        <source>the same latents from a seed whatever the mesh, threads or batch split</source>
        <translation>dieselben Latents aus einem Startwert, gleich welches Gerätenetz, welche Threads oder Batch-Aufteilung</translation>
    </message>
    <message>
        <source>the latents that diffusers makes from a CPU generator&apos;s seed</source>
        <translation>die Latents, die diffusers aus dem Startwert eines CPU-Generators macht</translation>
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
        <translation>Dichte Softmax-Attention: alle Werte einer Anfrage auf einmal; die Referenz, gut für kurze Sequenzen.</translation>
    </message>
    <message>
        <source>Blocked attention with a running softmax: memory grows with the block sizes, not with the square of the sequence.</source>
        <translation>Blockweise Attention mit laufendem Softmax: der Speicher wächst mit den Blockgrößen, nicht mit dem Quadrat der Sequenz.</translation>
    </message>
    <message>
        <source>MaxDiffusion&apos;s other flash kernel; the same as flash here.</source>
        <translation>MaxDiffusions anderer Flash-Kernel; hier dasselbe wie flash.</translation>
    </message>
    <message>
        <source>Ring attention: each device keeps its queries while keys and values travel around.</source>
        <translation>Ring-Attention: jedes Gerät behält seine Anfragen, Schlüssel und Werte wandern reihum.</translation>
    </message>
    <message>
        <source>Ring attention over the whole context axis, accumulating un-normalised partials.</source>
        <translation>Ring-Attention über die ganze Kontextachse, mit Summierung nicht normierter Teilergebnisse.</translation>
    </message>
    <message>
        <source>Ring attention with the custom blocked kernel.</source>
        <translation>Ring-Attention mit dem eigenen blockweisen Kernel.</translation>
    </message>
    <message>
        <source>Ulysses: devices trade sequence shards for head groups before the kernel and back after it.</source>
        <translation>Ulysses: Geräte tauschen vor dem Kernel Sequenzteile gegen Kopfgruppen und danach zurück.</translation>
    </message>
    <message>
        <source>Ulysses with the custom blocked kernel.</source>
        <translation>Ulysses mit dem eigenen blockweisen Kernel.</translation>
    </message>
    <message>
        <source>Ulysses with the custom kernel, a bound in place of the running maximum.</source>
        <translation>Ulysses mit dem eigenen Kernel, mit einer Schranke statt des laufenden Maximums.</translation>
    </message>
    <message>
        <source>Ulysses inside groups of ulysses_shards devices, a ring between the groups.</source>
        <translation>Ulysses innerhalb von Gruppen aus ulysses_shards Geräten, ein Ring zwischen den Gruppen.</translation>
    </message>
    <message>
        <source>Ulysses and ring with the custom blocked kernel.</source>
        <translation>Ulysses und Ring mit dem eigenen blockweisen Kernel.</translation>
    </message>
    <message>
        <source>Ulysses and a ring whose keys travel both ways along a line, for links that do not wrap.</source>
        <translation>Ulysses und ein Ring, dessen Schlüssel auf einer Linie in beide Richtungen wandern, für Verbindungen ohne Umlauf.</translation>
    </message>
    <message>
        <source>Ulysses and ring with the custom kernel, a bound in place of the running maximum.</source>
        <translation>Ulysses und Ring mit dem eigenen Kernel, mit einer Schranke statt des laufenden Maximums.</translation>
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
        <translation>Anfrageblock</translation>
    </message>
    <message>
        <source>Query rows of one tile of flash attention; 0 takes the kernel&apos;s own.</source>
        <translation>Anfragezeilen einer Kachel der Flash-Attention; 0 nimmt den Wert des Kernels.</translation>
    </message>
    <message>
        <source>rows</source>
        <translation>Zeilen</translation>
    </message>
    <message>
        <source>Key block</source>
        <translation>Schlüsselblock</translation>
    </message>
    <message>
        <source>Key and value rows that are loaded together; 0 takes the kernel&apos;s own.</source>
        <translation>Schlüssel- und Wertezeilen, die zusammen geladen werden; 0 nimmt den Wert des Kernels.</translation>
    </message>
    <message>
        <source>Key block per product</source>
        <translation>Schlüsselblock je Produkt</translation>
    </message>
    <message>
        <source>Key rows of one matrix product inside a key block, which it divides; 0 takes the kernel&apos;s own.</source>
        <translation>Schlüsselzeilen eines Matrixprodukts im Schlüsselblock, den sie teilen; 0 nimmt den Wert des Kernels.</translation>
    </message>
    <message>
        <source>Key block per softmax</source>
        <translation>Schlüsselblock je Softmax</translation>
    </message>
    <message>
        <source>Key rows of one softmax step of the custom kernels; 0 takes the kernel&apos;s own.</source>
        <translation>Schlüsselzeilen eines Softmax-Schritts der eigenen Kernel; 0 nimmt den Wert des Kernels.</translation>
    </message>
    <message>
        <source>Heads per tile</source>
        <translation>Köpfe je Kachel</translation>
    </message>
    <message>
        <source>Heads that the custom kernels handle together.</source>
        <translation>Köpfe, die die eigenen Kernel gemeinsam behandeln.</translation>
    </message>
    <message>
        <source>heads</source>
        <translation>Köpfe</translation>
    </message>
    <message>
        <source>Scratch limit</source>
        <translation>Arbeitsspeichergrenze</translation>
    </message>
    <message>
        <source>Scratch memory that a tile of the custom kernels may use; 0 sets no limit.</source>
        <translation>Arbeitsspeicher, den eine Kachel der eigenen Kernel nutzen darf; 0 setzt keine Grenze.</translation>
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
        <translation>Auffüllung maskieren</translation>
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
        <translation>Ulysses-Anteile</translation>
    </message>
    <message>
        <source>Part of the context axis that exchanges heads in the ulysses_ring modes; -1 is unset.</source>
        <translation>Teil der Kontextachse, der in den ulysses_ring-Modi Köpfe tauscht; -1 ist nicht gesetzt.</translation>
    </message>
    <message>
        <source>Ulysses chunks</source>
        <translation>Ulysses-Stücke</translation>
    </message>
    <message>
        <source>Head groups whose exchange and computation overlap.</source>
        <translation>Kopfgruppen, deren Austausch und Berechnung sich überlappen.</translation>
    </message>
    <message>
        <source>Uniform sharding</source>
        <translation>Einheitliche Aufteilung</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>Genauigkeit</translation>
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
        <translation>Textkodierer</translation>
    </message>
    <message>
        <source>Number type that the text encoder computes in.</source>
        <translation>Zahlentyp, in dem der Textkodierer rechnet.</translation>
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
        <translation>Dekodierstück</translation>
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
        <translation>Kodierstück</translation>
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
        <source>Devices that share out the VAE&apos;s width; -1 takes all.</source>
        <translation>Geräte, die sich die Breite des VAE teilen; -1 nimmt alle.</translation>
    </message>
    <message>
        <source>Replicate weights</source>
        <translation>Gewichte vervielfältigen</translation>
    </message>
    <message>
        <source>Gives every device the whole of the VAE&apos;s weights.</source>
        <translation>Gibt jedem Gerät alle VAE-Gewichte.</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
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
        <translation>Arbeiter</translation>
    </message>
    <message>
        <source>threads</source>
        <translation>Threads</translation>
    </message>
    <message>
        <source>It exists only on NVIDIA GPUs and Meshreel computes on CPUs; use flash, which computes the same attention</source>
        <translation>Gibt es nur auf NVIDIA-GPUs, und Meshreel rechnet auf CPUs; nehmen Sie flash, das dieselbe Attention berechnet</translation>
    </message>
    <message>
        <source>Lets the softmax use powers of 2 with rescaled scores; results agree within rounding.</source>
        <translation>Lässt den Softmax Potenzen von 2 mit umskalierten Werten nutzen; die Ergebnisse stimmen bis auf Rundung überein.</translation>
    </message>
    <message>
        <source>Keeps the rows that fill up a block or a device&apos;s share out of attention.</source>
        <translation>Hält die Zeilen, die einen Block oder den Anteil eines Geräts auffüllen, aus der Attention heraus.</translation>
    </message>
    <message>
        <source>padding is never attended</source>
        <translation>Auffüllungen werden nie beachtet</translation>
    </message>
    <message>
        <source>Makes flash and dot_product share out the sequence; false shares out the heads of self-attention instead.</source>
        <translation>Lässt flash und dot_product die Sequenz aufteilen; false teilt stattdessen die Köpfe der Selbst-Attention auf.</translation>
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
        <translation>8-Bit-Ganzzahlen mit einem Maßstab für jeden Ausgang; auch die Eingänge werden auf 8 Bit gerundet.</translation>
    </message>
    <message>
        <source>Number type that the transformer&apos;s blocks compute in. Sums, the residual stream, the time and text embeddings and the output stay float32.</source>
        <translation>Zahlentyp, in dem die Blöcke des Transformers rechnen. Summen, der Residualstrom, die Einbettungen von Zeit und Text und die Ausgabe bleiben float32.</translation>
    </message>
    <message>
        <source>Number type that each step&apos;s prediction and the latents it leads to are rounded to.</source>
        <translation>Zahlentyp, auf den die Vorhersage jedes Schritts und die daraus entstehenden Latents gerundet werden.</translation>
    </message>
    <message>
        <source>Guidance at high noise</source>
        <translation>Führung bei starkem Rauschen</translation>
    </message>
    <message>
        <source>Guidance of the first of two experts; 0 takes guidance_scale.</source>
        <translation>Führung des ersten von zwei Experten; 0 nimmt guidance_scale.</translation>
    </message>
    <message>
        <source>Guidance at low noise</source>
        <translation>Führung bei schwachem Rauschen</translation>
    </message>
    <message>
        <source>Guidance of the second of two experts; 0 takes guidance_scale.</source>
        <translation>Führung des zweiten von zwei Experten; 0 nimmt guidance_scale.</translation>
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
        <source>Adapters (LoRA) that are merged into the transformer: a list of {file: PATH, strength: 1}, with expert: high or low where they are made for one of Wan 2.2&apos;s two transformers.</source>
        <translation>Adapter (LoRA), die in den Transformer eingerechnet werden: eine Liste aus {file: PATH, strength: 1}, mit expert: high oder low, wo sie für einen der zwei Transformer von Wan 2.2 gemacht sind.</translation>
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
        <translation>Datei oder Ordner des Textkodierers (UMT5-XXL). Leer nimmt den des Modells.</translation>
    </message>
    <message>
        <source>File or folder of the VAE; Wan 2.1&apos;s has 16 channels, that of TI2V-5B 48. Empty takes the model&apos;s own.</source>
        <translation>Datei oder Ordner des VAE; der von Wan 2.1 hat 16 Kanäle, der von TI2V-5B 48. Leer nimmt den des Modells.</translation>
    </message>
    <message>
        <source>Image encoder</source>
        <translation>Bildkodierer</translation>
    </message>
    <message>
        <source>File or folder of the image encoder (CLIP ViT-H) of image-to-video models. Empty takes the model&apos;s own.</source>
        <translation>Datei oder Ordner des Bildkodierers (CLIP ViT-H) von Bild-zu-Video-Modellen. Leer nimmt den des Modells.</translation>
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
        <source>Video, picture or folder of numbered PNG frames that is made again or edited; its first num_frames are taken.</source>
        <translation>Video, Bild oder Ordner nummerierter PNG-Bilder, das neu erzeugt oder bearbeitet wird; die ersten num_frames werden genommen.</translation>
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
        <source>Picture files, separated by commas, of what VACE should show.</source>
        <translation>Bilddateien, durch Kommas getrennt, von dem, was VACE zeigen soll.</translation>
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
        <translation>Verfahren von Heun: jeder Schritt außer dem letzten wird zweimal berechnet und ist 2. Ordnung</translation>
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
        <translation>Startwerte eines Batches</translation>
    </message>
    <message>
        <source>Makes every prompt&apos;s video once with each of these seeds, separated by commas, in place of seed.</source>
        <translation>Erzeugt das Video jedes Prompts einmal mit jedem dieser Startwerte, durch Kommas getrennt, anstelle von seed.</translation>
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
        <source>Video or picture that is white where VACE makes something new, or Animate puts the character, and black where the video stays; VACE makes all new without it.</source>
        <translation>Video oder Bild, das weiß ist, wo VACE Neues macht oder Animate die Figur einsetzt, und schwarz, wo das Video bleibt; ohne es macht VACE alles neu.</translation>
    </message>
    <message>
        <source>Pose video</source>
        <translation>Posenvideo</translation>
    </message>
    <message>
        <source>Video or folder of numbered PNG frames of the poses that the character of image takes, as preprocessing for Wan Animate draws them.</source>
        <translation>Video oder Ordner nummerierter PNG-Bilder der Posen, die die Figur aus image einnimmt, wie die Vorverarbeitung für Wan Animate sie zeichnet.</translation>
    </message>
    <message>
        <source>Face video</source>
        <translation>Gesichtsvideo</translation>
    </message>
    <message>
        <source>Video or folder of numbered PNG frames of the face whose expressions the character takes on.</source>
        <translation>Video oder Ordner nummerierter PNG-Bilder des Gesichts, dessen Mimik die Figur annimmt.</translation>
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
        <translation>Bilder, aus denen eine Animation jeweils am Stück entsteht: ein Vielfaches von 4, plus 1.</translation>
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
        <translation>Schätzt in vier von fünf Schritten der Mitte die Hälfte des negativen Prompts aus früheren Schritten; Näherung.</translation>
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
        <translation>Erster-Block-Cache</translation>
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
        <translation>Werte, die zusammengehören und an die Stelle der Standardwerte treten; was daneben steht, gilt.</translation>
    </message>
    <message>
        <source>Every value as it is written.</source>
        <translation>Jeder Wert, wie er geschrieben steht.</translation>
    </message>
    <message>
        <source>Four steps without guidance, with a step-distilled adapter (LoRA) that is found in the models folder where lora names none.</source>
        <translation>Vier Schritte ohne Führung, mit einem schrittdestillierten Adapter (LoRA), der im Modellordner gesucht wird, wo lora keinen nennt.</translation>
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
        <translation>Lässt die Blöcke des Transformers in Schritten aus, deren Zeitpunkt fast der des vorigen ist, nach einer veröffentlichten Anpassung; näherungsweise.</translation>
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
        <translation>Polynom von der Änderung der Zeiteinbettung zu der der Vorhersage, höchste Potenz zuerst; leer nimmt das für das Modell veröffentlichte.</translation>
    </message>
    <message>
        <source>Seconds of every step, a line a run</source>
        <translation>Sekunden jedes Schritts, eine Linie je Lauf</translation>
    </message>
    <message>
        <source>Seconds of load, compile, conditioning, denoising and decoding</source>
        <translation>Sekunden von Laden, Vorbereiten, Konditionieren, Entrauschen und Dekodieren</translation>
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
        <translation>wenige Blöcke mit wenig Auffüllung, die in die Arbeitsspeichergrenze passen</translation>
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
        <translation>Jedes Gerät braucht den Speicher für die Schlüssel und Werte der ganzen Sequenz und für alle Bewertungen einer Anfrage auf einmal.</translation>
    </message>
    <message>
        <source>queries by token over C; every device gets all keys and values (with attention_sharding_uniform: false it is sharded as ulysses)</source>
        <translation>Anfragen nach Tokens über C; jedes Gerät erhält alle Schlüssel und Werte (mit attention_sharding_uniform: false wird wie bei ulysses aufgeteilt)</translation>
    </message>
    <message>
        <source>On one device, and on a few when every device has the memory for all keys and values.</source>
        <translation>Auf einem Gerät, und auf wenigen, wenn jedes den Speicher für alle Schlüssel und Werte hat.</translation>
    </message>
    <message>
        <source>Every device needs the memory for the keys and values of the whole sequence.</source>
        <translation>Jedes Gerät braucht den Speicher für die Schlüssel und Werte der ganzen Sequenz.</translation>
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
        <translation>Anfragen, Schlüssel und Werte nach Tokens über C</translation>
    </message>
    <message>
        <source>When heads do not divide by the devices, or keys and values of the whole sequence do not fit.</source>
        <translation>Wenn sich die Köpfe nicht durch die Geräte teilen lassen oder Schlüssel und Werte der ganzen Sequenz nicht in den Speicher passen.</translation>
    </message>
    <message>
        <source>None: it takes any number of devices, heads and tokens.</source>
        <translation>Keine: für jede Zahl von Geräten, Köpfen und Tokens geeignet.</translation>
    </message>
    <message>
        <source>As tokamax_ring, where the custom kernel is the faster one.</source>
        <translation>Wie tokamax_ring, wo der eigene Kernel der schnellere ist.</translation>
    </message>
    <message>
        <source>heads_per_tile must be 1.</source>
        <translation>heads_per_tile muss 1 sein.</translation>
    </message>
    <message>
        <source>When heads divide by the devices: the least traffic from three devices on.</source>
        <translation>Wenn sich die Köpfe durch die Geräte teilen lassen: ab drei Geräten der geringste Datenverkehr.</translation>
    </message>
    <message>
        <source>The heads that the tensor axis leaves to a device must divide by the context axis.</source>
        <translation>Die Köpfe, die die Tensorachse einem Gerät lässt, müssen durch die Kontextachse teilbar sein.</translation>
    </message>
    <message>
        <source>heads over C; every device gets all tokens</source>
        <translation>Köpfe über C; jedes Gerät erhält alle Tokens</translation>
    </message>
    <message>
        <source>As ulysses, where the custom kernel is the faster one.</source>
        <translation>Wie ulysses, wo der eigene Kernel der schnellere ist.</translation>
    </message>
    <message>
        <source>As ulysses_custom, for heads whose scores stay small enough for a fixed bound.</source>
        <translation>Wie ulysses_custom, für Köpfe, deren Bewertungen für eine feste Schranke klein genug bleiben.</translation>
    </message>
    <message>
        <source>The heads that the tensor axis leaves to a device must divide by the context axis; heads_per_tile must be 1.</source>
        <translation>Die Köpfe, die die Tensorachse einem Gerät lässt, müssen durch die Kontextachse teilbar sein; heads_per_tile muss 1 sein.</translation>
    </message>
    <message>
        <source>When the devices outnumber the heads, or hosts are linked more slowly than their devices.</source>
        <translation>Wenn es mehr Geräte als Köpfe gibt oder Rechner langsamer verbunden sind als ihre Geräte.</translation>
    </message>
    <message>
        <source>ulysses_shards must divide the context axis and the heads that the tensor axis leaves to a device.</source>
        <translation>ulysses_shards muss die Kontextachse und die Köpfe teilen, die die Tensorachse einem Gerät lässt.</translation>
    </message>
    <message>
        <source>heads over U, queries, keys and values by token over R</source>
        <translation>Köpfe über U, Anfragen, Schlüssel und Werte nach Tokens über R</translation>
    </message>
    <message>
        <source>As ulysses_ring, where the custom kernel is the faster one.</source>
        <translation>Wie ulysses_ring, wo der eigene Kernel der schnellere ist.</translation>
    </message>
    <message>
        <source>ulysses_shards must divide the context axis and the heads that the tensor axis leaves to a device; heads_per_tile must be 1.</source>
        <translation>ulysses_shards muss die Kontextachse und die Köpfe teilen, die die Tensorachse einem Gerät lässt; heads_per_tile muss 1 sein.</translation>
    </message>
    <message>
        <source>As ulysses_ring_custom, from about 16 ring devices on links that have no way around.</source>
        <translation>Wie ulysses_ring_custom, ab etwa 16 Ringgeräten auf Verbindungen ohne Umlauf.</translation>
    </message>
    <message>
        <source>As ulysses_ring_custom, for heads whose scores stay small enough for a fixed bound.</source>
        <translation>Wie ulysses_ring_custom, für Köpfe, deren Bewertungen für eine feste Schranke klein genug bleiben.</translation>
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
        <translation>Selbst-Attention</translation>
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
        <translation>Für den eigenen Kernel ohne Ring gefunden: Für diese Größen ulysses_custom wählen.</translation>
    </message>
    <message>
        <source>TPU v7x, Ulysses and a ring of up to 8</source>
        <translation>TPU v7x, Ulysses und ein Ring bis 8</translation>
    </message>
    <message>
        <source>Found for rings of the custom kernel: choose ulysses_ring_custom or tokamax_ring_custom to use these sizes.</source>
        <translation>Für Ringe des eigenen Kernels gefunden: Für diese Größen ulysses_ring_custom oder tokamax_ring_custom wählen.</translation>
    </message>
    <message>
        <source>TPU v7x, a ring of 16 or more</source>
        <translation>TPU v7x, ein Ring ab 16</translation>
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
</context>
<context>
    <name>main</name>
    <message>
        <source>Studio for Wan video generation.</source>
        <translation>Studio zur Videoerzeugung mit Wan.</translation>
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
        <source>Drawn while a run goes on</source>
        <translation>Wird während eines Laufs gezeichnet</translation>
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
        <translation>Das Protokoll durchsuchen</translation>
    </message>
    <message>
        <source>Log of the run</source>
        <translation>Protokoll des Laufs</translation>
    </message>
    <message>
        <source>What a run tells is listed here, to be searched: press Run.</source>
        <translation>Hier steht, durchsuchbar, was ein Lauf meldet: Ausführen drücken.</translation>
    </message>
    <message>
        <source>No line of the log has these words.</source>
        <translation>Keine Zeile des Protokolls enthält diese Wörter.</translation>
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
</context>
<context>
    <name>meshreel::AttentionModeModel</name>
    <message>
        <source>gather keys</source>
        <translation>Schlüssel sammeln</translation>
    </message>
    <message>
        <source>tokens for heads</source>
        <translation>Tokens gegen Köpfe</translation>
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
        <translation>beide Richtungen</translation>
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
        <translation>eigener</translation>
    </message>
    <message>
        <source>custom, fixed bound</source>
        <translation>eigener, feste Schranke</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
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
        <source>A device holds, while computing</source>
        <translation>Ein Gerät hält beim Rechnen</translation>
    </message>
</context>
<context>
    <name>meshreel::AttentionPanel</name>
    <message>
        <source>Scratch of a worker: %1, %2 % of the limit.</source>
        <translation>Arbeitsspeicher eines Arbeiters: %1, %2 % der Grenze.</translation>
    </message>
    <message>
        <source>dot_product computes all %1 scores of a query at once, without tiles.</source>
        <translation>dot_product berechnet alle %1 Werte einer Anfrage auf einmal, ohne Kacheln.</translation>
    </message>
    <message>
        <source>%1 × %2 tiles of %3 queries × %4 keys, in products of %5 keys.</source>
        <translation>%1 × %2 Kacheln aus %3 Anfragen × %4 Schlüsseln, in Produkten zu %5 Schlüsseln.</translation>
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
        <source>Tiles</source>
        <translation>Kacheln</translation>
    </message>
    <message>
        <source>All sizes 0: the kernel then takes what suits this processor</source>
        <translation>Alle Größen 0: Der Kernel nimmt dann, was zu diesem Prozessor passt</translation>
    </message>
    <message>
        <source>Scratch of a worker: %1, %2 % of the %3 that it has in this machine&apos;s caches; no limit is set.</source>
        <translation>Arbeitsspeicher eines Arbeiters: %1, %2 % der %3, die er in den Caches dieses Rechners hat; keine Grenze gesetzt.</translation>
    </message>
    <message>
        <source>Presets</source>
        <translation>Vorgaben</translation>
    </message>
    <message>
        <source>Block sizes to start from: this machine&apos;s, and those published for accelerators</source>
        <translation>Blockgrößen als Ausgangspunkt: die dieses Rechners und für Beschleuniger veröffentlichte</translation>
    </message>
    <message>
        <source>Tune on this machine…</source>
        <translation>Auf diesem Rechner abstimmen…</translation>
    </message>
    <message>
        <source>Opens Tune, which searches the sizes that are fastest here</source>
        <translation>Öffnet Abstimmen und sucht dort die Größen, die hier am schnellsten sind</translation>
    </message>
    <message>
        <source>Block sizes: %1</source>
        <comment>name of a preset</comment>
        <translation>Blockgrößen: %1</translation>
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
        <translation>Jedes Gerät hält Anfragen, Schlüssel und Werte der eigenen Tokens, für alle seine Köpfe.</translation>
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
        <translation>Gliederung: %1. Jedes Gerät nimmt seinen Teil der Köpfe aller Tokens der Gruppe.</translation>
    </message>
    <message>
        <source>In %1, each gets the results of its own tokens back, for all heads.</source>
        <translation>Gliederung: %1. Jedes Gerät erhält die Ergebnisse der eigenen Tokens zurück, für alle Köpfe.</translation>
    </message>
    <message>
        <source>Rotation %1 of %2</source>
        <translation>Umlauf %1 von %2</translation>
    </message>
    <message>
        <source>Each computes with its own keys and values while the next ones are on their way.</source>
        <translation>Jedes rechnet mit den eigenen Schlüsseln und Werten, während die nächsten unterwegs sind.</translation>
    </message>
    <message numerus="yes">
        <source>Each adds what the keys and values from %n place(s) away give.</source>
        <translation>
            <numerusform>Jedes addiert, was die Schlüssel und Werte von einem Platz weiter beitragen.</numerusform>
            <numerusform>Jedes addiert, was die Schlüssel und Werte von %n Plätzen weiter beitragen.</numerusform>
        </translation>
    </message>
    <message>
        <source>Compute</source>
        <translation>Rechnen</translation>
    </message>
    <message>
        <source>Each computes its queries with all keys and values of its heads.</source>
        <translation>Jedes berechnet seine Anfragen mit allen Schlüsseln und Werten seiner Köpfe.</translation>
    </message>
    <message>
        <source>Gather keys and values</source>
        <translation>Schlüssel und Werte sammeln</translation>
    </message>
    <message>
        <source>Each device receives the keys and values of all others.</source>
        <translation>Jedes Gerät erhält die Schlüssel und Werte aller anderen.</translation>
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
        <source>Every step is drawn here while a run goes on, or when a past one is opened.</source>
        <translation>Jeder Schritt wird hier gezeichnet, während ein Lauf läuft oder wenn ein früherer geöffnet wird.</translation>
    </message>
    <message>
        <source>Open a run</source>
        <translation>Lauf öffnen</translation>
    </message>
</context>
<context>
    <name>meshreel::ChartView</name>
    <message>
        <source>Logarithmic</source>
        <translation>Logarithmisch</translation>
    </message>
    <message>
        <source>The wheel zooms about the pointer, dragging moves, a double click shows everything (+, -, arrow keys, 0)</source>
        <translation>Das Rad zoomt um den Zeiger, Ziehen verschiebt, ein Doppelklick zeigt alles (+, -, Pfeiltasten, 0)</translation>
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
        <source>How near the videos are</source>
        <translation>Wie nah sich die Videos sind</translation>
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
        <source>Written: %1. %2</source>
        <comment>file, what was done otherwise than asked</comment>
        <translation>Geschrieben: %1. %2</translation>
    </message>
    <message>
        <source>PNG pictures (*.png)</source>
        <translation>PNG-Bilder (*.png)</translation>
    </message>
</context>
<context>
    <name>meshreel::ClipPairView</name>
    <message>
        <source>Two videos</source>
        <translation>Zwei Videos</translation>
    </message>
    <message>
        <source>The wheel zooms, dragging moves, a double click fits; comma and full stop move the wipe</source>
        <translation>Das Rad zoomt, Ziehen verschiebt, ein Doppelklick passt ein; Komma und Punkt bewegen die Wischkante</translation>
    </message>
    <message>
        <source>Videos of two sizes have no difference</source>
        <translation>Videos zweier Größen haben keine Differenz</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>Differenz</translation>
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
</context>
<context>
    <name>meshreel::ColumnChooser</name>
    <message>
        <source>Columns</source>
        <translation>Spalten</translation>
    </message>
    <message>
        <source>Columns as at first</source>
        <translation>Spalten wie zu Anfang</translation>
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
        <translation>Abschnitte</translation>
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
        <source>Compare with a TIMING SUMMARY block copied from elsewhere</source>
        <translation>Mit einem anderswo kopierten TIMING SUMMARY-Block vergleichen</translation>
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
        <source>Paste timings</source>
        <translation>Zeiten einfügen</translation>
    </message>
    <message>
        <source>TIMING SUMMARY blocks, with the text around them if you like:</source>
        <translation>TIMING SUMMARY-Blöcke, auf Wunsch mit dem Text darum herum:</translation>
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
        <translation>Bericht exportieren…</translation>
    </message>
    <message>
        <source>Write all of this as one page: timings, settings, pictures, charts</source>
        <translation>All das als eine Seite schreiben: Zeiten, Einstellungen, Bilder, Diagramme</translation>
    </message>
    <message>
        <source>Copy best configurations</source>
        <translation>Beste Einstellungen kopieren</translation>
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
        <source>Add</source>
        <translation>Hinzufügen</translation>
    </message>
    <message>
        <source>Compare with further runs, projects or timings; runs and project files can be dropped here too</source>
        <translation>Mit weiteren Läufen, Projekten oder Zeiten vergleichen; Läufe und Projektdateien können auch hierher gezogen werden</translation>
    </message>
    <message>
        <source>Copy timing summaries</source>
        <translation>Zeitübersichten kopieren</translation>
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
        <translation>Beste Einstellungen kopieren</translation>
    </message>
    <message>
        <source>Settings that differ (%1)</source>
        <translation>Abweichende Einstellungen (%1)</translation>
    </message>
    <message>
        <source>All settings are the same</source>
        <translation>Alle Einstellungen sind gleich</translation>
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
        <translation>Länge der Sequenz im Transformer. Die Selbst-Attention arbeitet mit ihrem Quadrat.</translation>
    </message>
    <message>
        <source>Work per step</source>
        <translation>Arbeit je Schritt</translation>
    </message>
    <message>
        <source>%1 % self-attention</source>
        <translation>%1 % Selbst-Attention</translation>
    </message>
    <message>
        <source>%1 for all %2 steps%3.</source>
        <comment>work, steps, reason</comment>
        <translation>%1 für alle %2 Schritte%3.</translation>
    </message>
    <message>
        <source>; guidance computes each step twice</source>
        <translation>; die Führung rechnet jeden Schritt zweimal</translation>
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
        <translation>Sekunden werden nur für diesen Rechner vorhergesagt: das Netz zwischen Rechnern wird nicht gemessen.</translation>
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
    <name>meshreel::Cures</name>
    <message>
        <source>Set %1 to %2</source>
        <comment>title of a setting, value</comment>
        <translation>%1 auf %2 setzen</translation>
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
        <translation>Wartet</translation>
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
        <translation>Bytes zwischen Geräten bewegen, mit den eigenen Arbeitern des Geräts</translation>
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
        <translation>sammelt Schlüssel von %1</translation>
    </message>
    <message>
        <source>keys pass along the line of %1</source>
        <translation>Schlüssel wandern auf der Linie %1</translation>
    </message>
    <message>
        <source>takes keys from %1, passes them to %2</source>
        <translation>nimmt Schlüssel von %1, gibt sie an %2</translation>
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
        <translation>Dieser Lauf hat nicht festgehalten, wie seine Geräte die Schritte verbrachten: Eine frühere Version hat ihn gemacht, oder er endete vor seinem ersten Schritt. Was sein Trace sagt, zeichnet „Vergleichen“ unter „Geräte eines Laufs“.</translation>
    </message>
    <message>
        <source>How much each device computes, exchanges and waits is drawn here while a run of several devices goes on, or when a past one is opened.</source>
        <translation>Wie viel jedes Gerät rechnet, austauscht und wartet, wird hier gezeichnet, während ein Lauf auf mehreren Geräten läuft, oder wenn ein früherer geöffnet wird.</translation>
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
    <name>meshreel::FactoringModel</name>
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
        <source>How long a step is expected to take, by what was measured on this machine</source>
        <translation>Wie lange ein Schritt nach den Messungen auf diesem Rechner dauern dürfte</translation>
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
        <source>The project is added once for every combination of these values. Write one value a line; for whole numbers also 1, 2, 5 or 1..8; in prompts a {ball|cube} stands for both.</source>
        <translation>Das Projekt wird für jede Kombination dieser Werte einmal hinzugefügt. Ein Wert je Zeile; bei ganzen Zahlen auch 1, 2, 5 oder 1..8; in Prompts steht a {ball|cube} für beide.</translation>
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
        <source>Use its project</source>
        <translation>Projekt übernehmen</translation>
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
        <source>Go on from the last finished step</source>
        <translation>Nach dem letzten fertigen Schritt weitermachen</translation>
    </message>
    <message>
        <source>Resume on a different machine</source>
        <translation>Auf anderem Rechner fortsetzen</translation>
    </message>
    <message>
        <source>Go on although the processor, build or number of workers changed; the result may differ in its last bits</source>
        <translation>Weitermachen, obwohl sich Prozessor, Programmstand oder Zahl der Arbeiter geändert haben; das Ergebnis kann sich in den letzten Bits unterscheiden</translation>
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
        <source>Search runs</source>
        <translation>Läufe durchsuchen</translation>
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
        <translation>Es gibt noch keine Läufe: ein Video beschreiben und Ausführen drücken.</translation>
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
        <translation>Beste Einstellungen kopieren</translation>
    </message>
    <message>
        <source>Copy the fastest of the selected runs, by attention mode and number of devices, as a Markdown table</source>
        <translation>Die schnellsten der gewählten Läufe, je Attention-Modus und Gerätezahl, als Markdown-Tabelle kopieren</translation>
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
        <source>To mend before it runs: %1</source>
        <translation>Vor dem Lauf zu beheben: %1</translation>
    </message>
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
        <translation>Wählen…</translation>
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
        <translation>Wählen Sie eine Konfiguration, fügen Sie eine Befehlszeile ein, oder beides: deren Einstellungen gelten. Was aus jedem Schlüssel wird, steht hier, bevor etwas geöffnet wird.</translation>
    </message>
    <message>
        <source>The command names %1: choose that file above to take its keys too.</source>
        <translation>Der Befehl nennt %1: Wählen Sie diese Datei oben, um auch ihre Schlüssel zu übernehmen.</translation>
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
        <source>What became of it</source>
        <translation>Was daraus wurde</translation>
    </message>
    <message>
        <source>Here, or why not</source>
        <translation>Hier, oder warum nicht</translation>
    </message>
    <message>
        <source>From</source>
        <translation>Aus</translation>
    </message>
</context>
<context>
    <name>meshreel::KeyField</name>
    <message>
        <source>Take a random seed</source>
        <translation>Einen zufälligen Startwert nehmen</translation>
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
</context>
<context>
    <name>meshreel::KeyHelp</name>
    <message>
        <source>default %1</source>
        <comment>value</comment>
        <translation>Vorgabe %1</translation>
    </message>
    <message>
        <source>Help on the setting</source>
        <translation>Hilfe zur Einstellung</translation>
    </message>
    <message>
        <source>Choose a setting to read what it does.</source>
        <translation>Eine Einstellung wählen, um zu lesen, was sie bewirkt.</translation>
    </message>
    <message>
        <source>Reference</source>
        <translation>Referenz</translation>
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
        <translation>%1, Schritt %2</translation>
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
        <source>Tools</source>
        <translation>Werkzeuge</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>&amp;Lauf</translation>
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
        <translation>Aus MaxDiffusion &amp;importieren…</translation>
    </message>
    <message>
        <source>&amp;Measure this machine</source>
        <translation>Diesen Rechner &amp;messen</translation>
    </message>
    <message>
        <source>Times what videos are made of, for predicting how long runs take</source>
        <translation>Misst, woraus Videos entstehen, um die Dauer von Läufen vorherzusagen</translation>
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
        <source>%1: %2</source>
        <comment>field and its problem</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>A run is going on</source>
        <translation>Ein Lauf ist im Gange</translation>
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
        <source>Stop the run and quit? It can be resumed later from the Runs panel.</source>
        <translation>Den Lauf anhalten und beenden? Er lässt sich später im Bereich „Läufe“ fortsetzen.</translation>
    </message>
    <message>
        <source>The report was written to %1</source>
        <translation>Der Bericht wurde nach %1 geschrieben</translation>
    </message>
    <message>
        <source>Say what you want to see</source>
        <translation>Sagen Sie, was Sie sehen wollen</translation>
    </message>
    <message>
        <source>Type a prompt. Every other setting has a default that works; the search box finds each of them, and everything can be undone.</source>
        <translation>Geben Sie einen Prompt ein. Jede andere Einstellung hat einen brauchbaren Standardwert; das Suchfeld findet sie alle, und alles lässt sich rückgängig machen.</translation>
    </message>
    <message>
        <source>See what it takes, before it runs</source>
        <translation>Sehen Sie vor dem Lauf, was er braucht</translation>
    </message>
    <message>
        <source>Time, tokens, work and memory follow every change. Problems, above, says what cannot run and mends it with a click.</source>
        <translation>Zeit, Tokens, Arbeit und Speicher folgen jeder Änderung. „Probleme“ darüber sagt, was nicht laufen kann, und behebt es mit einem Klick.</translation>
    </message>
    <message>
        <source>Run it</source>
        <translation>Starten</translation>
    </message>
    <message>
        <source>Runs can be paused, resumed and queued. Nothing is lost when the machine is switched off.</source>
        <translation>Läufe lassen sich anhalten, fortsetzen und einreihen. Nichts geht verloren, wenn der Rechner ausgeschaltet wird.</translation>
    </message>
    <message>
        <source>Watch it form</source>
        <translation>Sehen Sie, wie es entsteht</translation>
    </message>
    <message>
        <source>The picture appears while it is made. Runs, videos, pictures and projects can be dropped here.</source>
        <translation>Das Bild erscheint, während es entsteht. Läufe, Videos, Bilder und Projekte können hierher gezogen werden.</translation>
    </message>
    <message>
        <source>Everything else is a panel</source>
        <translation>Alles andere ist eine Leiste</translation>
    </message>
    <message>
        <source>View opens them: devices and attention, runs and comparisons, charts and the queue. Help has this tour.</source>
        <translation>„Ansicht“ öffnet sie: Geräte und Attention, Läufe und Vergleiche, Diagramme und die Warteschlange. Dieser Rundgang steht unter „Hilfe“.</translation>
    </message>
    <message>
        <source>Measuring this machine was stopped, as a run begins.</source>
        <translation>Das Messen dieses Rechners wurde beendet, weil ein Lauf beginnt.</translation>
    </message>
    <message>
        <source>%1 (open)</source>
        <comment>project</comment>
        <translation>%1 (offen)</translation>
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
    <message numerus="yes">
        <source>%n things timed</source>
        <translation>
            <numerusform>Eine Messung</numerusform>
            <numerusform>%n Messungen</numerusform>
        </translation>
    </message>
    <message>
        <source>How long a run takes is predicted once this machine was measured. It takes about two minutes, in which it should do nothing else.</source>
        <translation>Die Dauer eines Laufs wird vorhergesagt, sobald dieser Rechner gemessen wurde. Das dauert etwa zwei Minuten, in denen er sonst nichts tun sollte.</translation>
    </message>
    <message>
        <source>A run is going on; measure when it has ended.</source>
        <translation>Ein Lauf ist im Gange; messen Sie, wenn er zu Ende ist.</translation>
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
    <name>meshreel::MeshPanel</name>
    <message>
        <source>Play the steps</source>
        <translation>Die Schritte abspielen</translation>
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
    <message>
        <source>Legal meshes</source>
        <translation>Zulässige Gerätenetze</translation>
    </message>
    <message>
        <source>Use this mesh</source>
        <translation>Dieses Netz nehmen</translation>
    </message>
    <message>
        <source>Legal meshes, the least exchange first</source>
        <translation>Zulässige Gerätenetze, das mit dem geringsten Austausch zuerst</translation>
    </message>
    <message>
        <source>Mesh: %1</source>
        <translation>Gerätenetz: %1</translation>
    </message>
    <message>
        <source>Legal meshes, the fastest first as predicted</source>
        <translation>Zulässige Gerätenetze, das voraussichtlich schnellste zuerst</translation>
    </message>
    <message>
        <source>The devices are drawn here as soon as the project can be planned: Problems says what keeps it from that.</source>
        <translation>Die Geräte werden hier gezeichnet, sobald sich das Projekt planen lässt: Probleme sagt, was dem im Weg steht.</translation>
    </message>
    <message>
        <source>This project runs on one device: several share out the tokens, the heads or the weights, each with workers of its own.</source>
        <translation>Dieses Projekt läuft auf einem Gerät: mehrere teilen sich die Token, die Köpfe oder die Gewichte, jedes mit eigenen Arbeitern.</translation>
    </message>
    <message>
        <source>Hosts and ranks</source>
        <translation>Rechner und Ränge</translation>
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
</context>
<context>
    <name>meshreel::MeshView</name>
    <message>
        <source>Devices of the mesh</source>
        <translation>Geräte des Gerätenetzes</translation>
    </message>
    <message>
        <source>heads %1</source>
        <translation>Köpfe %1</translation>
    </message>
    <message>
        <source>tokens %1</source>
        <translation>Tokens %1</translation>
    </message>
    <message>
        <source>all keys</source>
        <translation>alle Schlüssel</translation>
    </message>
    <message>
        <source>keys %1</source>
        <translation>Schlüssel %1</translation>
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
        <source>rank %1</source>
        <translation>Rang %1</translation>
    </message>
</context>
<context>
    <name>meshreel::MessageBanner</name>
    <message>
        <source>Close the message</source>
        <translation>Meldung schließen</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>Meldung</translation>
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
        <source>%1, fits in the %2 that are free</source>
        <comment>sizes</comment>
        <translation>%1, passt in die freien %2</translation>
    </message>
    <message>
        <source>%1, more than the %2 that are free</source>
        <comment>sizes</comment>
        <translation>%1, mehr als die freien %2</translation>
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
        <source>Convolutions</source>
        <translation>Faltungen</translation>
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
</context>
<context>
    <name>meshreel::ModelsPanel</name>
    <message>
        <source>Use in project</source>
        <translation>Im Projekt verwenden</translation>
    </message>
    <message>
        <source>Look again</source>
        <translation>Erneut suchen</translation>
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
        <translation>Wählen Sie ein Modell, um seine Teile, Zahlentypen und was es braucht zu sehen.</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>This is no model by itself; parts are chosen in the project</source>
        <translation>Das ist für sich kein Modell; Teile werden im Projekt gewählt</translation>
    </message>
</context>
<context>
    <name>meshreel::NoisePanel</name>
    <message>
        <source>The noise of every step is drawn here as soon as the project can be planned: choose a model under Project, and see Problems for what keeps it from that.</source>
        <translation>Das Rauschen jedes Schritts wird hier gezeichnet, sobald sich das Projekt planen lässt: Wählen Sie unter „Projekt“ ein Modell; „Probleme“ sagt, was dem entgegensteht.</translation>
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
        <translation>%1: %2, Führung %3.</translation>
    </message>
    <message>
        <source>%1: %2, without guidance.</source>
        <comment>expert, steps</comment>
        <translation>%1: %2, ohne Führung.</translation>
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
        <translation>Führung %1</translation>
    </message>
    <message>
        <source>Without guidance</source>
        <translation>Ohne Führung</translation>
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
</context>
<context>
    <name>meshreel::OpenedMedia</name>
    <message>
        <source>There is no such file or folder</source>
        <translation>Diese Datei oder diesen Ordner gibt es nicht</translation>
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
        <source>the model&apos;s own</source>
        <translation>wie im Modell</translation>
    </message>
    <message>
        <source>none; choose or drop one here</source>
        <translation>keine Datei; hier wählen oder ablegen</translation>
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
</context>
<context>
    <name>meshreel::PathOpener</name>
    <message>
        <source>A run is going on; others can be looked at when it ends.</source>
        <translation>Ein Lauf ist im Gange; andere lassen sich ansehen, wenn er endet.</translation>
    </message>
    <message>
        <source>Used as “%1”; drop it on another field to use it as that, or undo it.</source>
        <translation>Als „%1“ verwendet; auf einem anderen Feld ablegen, um es so zu verwenden, oder rückgängig machen.</translation>
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
        <source>The wheel zooms, dragging moves, a double click fits (+, -, 0)</source>
        <translation>Das Rad zoomt, Ziehen verschiebt, ein Doppelklick passt ein (+, -, 0)</translation>
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
        <translation>Nach den Raten dieses Rechners, gemessen %1; ein ähnlicher Lauf wurde noch nicht gemacht.</translation>
    </message>
    <message numerus="yes">
        <source>By the rates of this machine, measured %1, and %n runs like this one.</source>
        <translation>
            <numerusform>Nach den Raten dieses Rechners, gemessen %1, und einem ähnlichen Lauf.</numerusform>
            <numerusform>Nach den Raten dieses Rechners, gemessen %1, und %n ähnlichen Läufen.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::PresetMenu</name>
    <message>
        <source>New from &amp;preset</source>
        <translation>Neu aus &amp;Vorlage</translation>
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
        <source>%1: %2</source>
        <comment>setting and what is wrong</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Go to setting</source>
        <translation>Zur Einstellung</translation>
    </message>
    <message>
        <source>Nothing is wrong with this project: press Run.</source>
        <translation>An diesem Projekt ist nichts falsch: Ausführen drücken.</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Hinweis</translation>
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
        <translation>Einstellungen durchsuchen</translation>
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
        <source>They are lost otherwise.</source>
        <translation>Sonst gehen sie verloren.</translation>
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
        <source>Saved. Fields marked red keep their last legal value in the file.</source>
        <translation>Gespeichert. Rot markierte Felder behalten in der Datei ihren letzten gültigen Wert.</translation>
    </message>
</context>
<context>
    <name>meshreel::ProjectLauncher</name>
    <message>
        <source>The Problems panel tells what keeps this project from running.</source>
        <translation>Der Bereich „Probleme“ sagt, was dieses Projekt am Laufen hindert.</translation>
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
        <source>No prompt is kept yet: keep the project&apos;s. One that holds {prompt} is a style, which is put around the prompt at hand.</source>
        <translation>Noch ist kein Prompt aufgehoben: den des Projekts aufheben. Einer mit {prompt} ist ein Stil, der um den jeweiligen Prompt gelegt wird.</translation>
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
        <translation>Das Projekt hinzufügen, wie es jetzt ist (Ctrl+Shift+R)</translation>
    </message>
    <message>
        <source>Add a grid…</source>
        <translation>Raster hinzufügen …</translation>
    </message>
    <message>
        <source>Add the project once for every combination of some settings: seeds, prompts, sizes, …</source>
        <translation>Das Projekt für jede Kombination einiger Einstellungen einmal hinzufügen: Startwerte, Prompts, Größen, …</translation>
    </message>
    <message>
        <source>Run the queue</source>
        <translation>Warteschlange ausführen</translation>
    </message>
    <message>
        <source>Runs one after the other; switched off, the one at hand still ends</source>
        <translation>Führt einen nach dem anderen aus; ausgeschaltet endet der aktuelle noch</translation>
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
</context>
<context>
    <name>meshreel::QueueRunner</name>
    <message>
        <source>Its run folder cannot be read; run it again.</source>
        <translation>Sein Laufordner lässt sich nicht lesen; neu ausführen.</translation>
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
        <translation>Arbeiter</translation>
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
        <translation>Unterschiedliche Einstellungen</translation>
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
</context>
<context>
    <name>meshreel::ResultsView</name>
    <message>
        <source>Describe a video on the left and press Run.
Runs, videos, pictures and projects can be dropped here.</source>
        <translation>Links ein Video beschreiben und auf „Ausführen“ klicken.
Läufe, Videos, Bilder und Projekte lassen sich hier ablegen.</translation>
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
        <source>Stop after the current block; the run can be resumed later</source>
        <translation>Nach dem aktuellen Block anhalten; der Lauf lässt sich später fortsetzen</translation>
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
        <source>Generate the video (Ctrl+R)</source>
        <translation>Das Video erzeugen (Strg+R)</translation>
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
        <source>Stop when the step at hand is done; nothing is lost</source>
        <translation>Anhalten, wenn der aktuelle Schritt fertig ist; nichts geht verloren</translation>
    </message>
    <message>
        <source>Go on with the run that was stopped, from its last finished step</source>
        <translation>Mit dem angehaltenen Lauf nach dem letzten fertigen Schritt weitermachen</translation>
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
        <translation>Keiner dieser Läufe hat einen Schritt beendet: Es gibt keine Einstellungen zu kopieren.</translation>
    </message>
    <message numerus="yes">
        <source>Copied %n configurations as a Markdown table</source>
        <translation>
            <numerusform>Eine Einstellung als Markdown-Tabelle kopiert</numerusform>
            <numerusform>%n Einstellungen als Markdown-Tabelle kopiert</numerusform>
        </translation>
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
        <source>%1. Resume goes on from the last finished step.</source>
        <comment>state</comment>
        <translation>%1. „Fortsetzen“ macht nach dem letzten fertigen Schritt weiter.</translation>
    </message>
    <message>
        <source>Stopping</source>
        <translation>Hält an</translation>
    </message>
    <message>
        <source>Pausing after this step</source>
        <translation>Pausiert nach diesem Schritt</translation>
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
        <source>Waiting to go on</source>
        <translation>Wartet auf Fortsetzung</translation>
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
            <numerusform>%n Schritt, Startwert %1</numerusform>
            <numerusform>%n Schritte, Startwert %1</numerusform>
        </translation>
    </message>
    <message>
        <source>Another window keeps the queue; this one ends with its window.</source>
        <translation>Ein anderes Fenster bewahrt die Warteschlange auf; diese hier endet mit ihrem Fenster.</translation>
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
        <source>The kept queue could not be read and was set aside as %1: %2</source>
        <translation>Die aufbewahrte Warteschlange ließ sich nicht lesen und wurde als %1 beiseitegelegt: %2</translation>
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
        <translation>Arbeiter je Gerät</translation>
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
    <name>meshreel::RunReporter</name>
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
    <name>meshreel::RunStages</name>
    <message>
        <source>%1 %</source>
        <comment>percentage</comment>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>Load</source>
        <comment>stage of a run, very short</comment>
        <translation>Laden</translation>
    </message>
    <message>
        <source>Compile</source>
        <comment>stage of a run, very short</comment>
        <translation>Packen</translation>
    </message>
    <message>
        <source>Condition</source>
        <comment>stage of a run, very short</comment>
        <translation>Prompt</translation>
    </message>
    <message>
        <source>Steps</source>
        <comment>stage of a run, very short</comment>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Decode</source>
        <comment>stage of a run, very short</comment>
        <translation>Dekod.</translation>
    </message>
    <message>
        <source>Format</source>
        <comment>stage of a run, very short</comment>
        <translation>Datei</translation>
    </message>
    <message>
        <source>cached</source>
        <comment>stage of a run, very short</comment>
        <translation>Cache</translation>
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
        <source>%1: going on</source>
        <comment>stage</comment>
        <translation>%1: läuft</translation>
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
    <name>meshreel::StageMeter</name>
    <message>
        <source>%1: %2</source>
        <comment>stage and its memory</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Memory of the stages</source>
        <translation>Speicher der Abschnitte</translation>
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
    <name>meshreel::StepTableModel</name>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>Timestep</source>
        <translation>Zeitschritt</translation>
    </message>
    <message>
        <source>Sigma</source>
        <translation>Sigma</translation>
    </message>
    <message>
        <source>Seconds</source>
        <translation>Sekunden</translation>
    </message>
    <message>
        <source>Latent minimum</source>
        <translation>Kleinster Latent-Wert</translation>
    </message>
    <message>
        <source>Latent maximum</source>
        <translation>Größter Latent-Wert</translation>
    </message>
    <message>
        <source>Latent mean</source>
        <translation>Mittel der Latents</translation>
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
        <source>Timing summary</source>
        <translation>Zeitübersicht</translation>
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
        <source>Activity</source>
        <translation>Aktivität</translation>
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
        <translation>Reihe</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
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
        <source>%1 ×</source>
        <comment>speed against another</comment>
        <translation>%1 ×</translation>
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
        <source>Against the first strategy beside the same other settings</source>
        <translation>Gegenüber der ersten Strategie bei sonst gleichen Einstellungen</translation>
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
        <translation>Stapel</translation>
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
        <source>Speed</source>
        <translation>Geschwindigkeit</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
</context>
<context>
    <name>meshreel::SweepPanel</name>
    <message>
        <source>Cells that are done</source>
        <translation>Fertige Zellen</translation>
    </message>
    <message>
        <source>The sweep</source>
        <translation>Die Reihe</translation>
    </message>
    <message>
        <source>Open a sweep…</source>
        <translation>Reihe öffnen…</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Export CSV…</source>
        <translation>CSV exportieren…</translation>
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
        <translation>Zellen der Reihe</translation>
    </message>
    <message>
        <source>Open a sweep</source>
        <translation>Reihe öffnen</translation>
    </message>
    <message>
        <source>Sweeps (*.yaml *.yml)</source>
        <translation>Reihen (*.yaml *.yml)</translation>
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
        <source>A run is going on, and would be measured too</source>
        <translation>Ein Lauf ist im Gange und würde mitgemessen</translation>
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
    <message>
        <source>A sweep times modes, meshes, batches and block sizes beside each other: open one, such as configs/sweeps/attention-strategies.yaml.</source>
        <translation>Eine Messreihe misst Modi, Netze, Stapel und Blockgrößen nebeneinander: eine öffnen, etwa configs/sweeps/attention-strategies.yaml.</translation>
    </message>
</context>
<context>
    <name>meshreel::TileView</name>
    <message>
        <source>Tiles of the score matrix</source>
        <translation>Kacheln der Attention-Matrix</translation>
    </message>
    <message>
        <source>%1 keys</source>
        <comment>number</comment>
        <translation>%1 Schlüssel</translation>
    </message>
    <message>
        <source>%1 queries</source>
        <comment>number</comment>
        <translation>%1 Anfragen</translation>
    </message>
</context>
<context>
    <name>meshreel::TimingComparison</name>
    <message>
        <source>Slower</source>
        <comment>than the fastest run</comment>
        <translation>Langsamer</translation>
    </message>
    <message>
        <source>How many times as fast as the first run: by seconds a step for videos of one size, by denoising beside pasted timings</source>
        <translation>Wievielmal so schnell wie der erste Lauf: nach Sekunden je Schritt bei Videos gleicher Größe, nach dem Entrauschen neben eingefügten Zeiten</translation>
    </message>
    <message>
        <source>How many times as long as the fastest run, which stands in bold</source>
        <translation>Wievielmal so lange wie der schnellste Lauf, der fett steht</translation>
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
    <name>meshreel::TunePanel</name>
    <message>
        <source>block_q %1 · block_kv %2: %3 ms</source>
        <comment>sizes and time</comment>
        <translation>block_q %1 · block_kv %2: %3 ms</translation>
    </message>
    <message numerus="yes">
        <source>%n choices did not run.</source>
        <translation>
            <numerusform>Eine Wahl lief nicht.</numerusform>
            <numerusform>%n davon liefen nicht.</numerusform>
        </translation>
    </message>
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
        <translation>Schritt</translation>
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
        <translation>Durchgänge jeder Wahl, die zählen; die Wahlen wechseln sich ab</translation>
    </message>
    <message>
        <source>Warm-up</source>
        <translation>Aufwärmen</translation>
    </message>
    <message>
        <source>Passes of each choice before them</source>
        <translation>Durchgänge jeder Wahl davor</translation>
    </message>
    <message>
        <source>Times one block of the transformer with this project&apos;s video, mesh and attention.</source>
        <translation>Misst einen Block des Transformers mit Video, Gerätenetz und Attention dieses Projekts.</translation>
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
        <source>The search</source>
        <translation>Die Suche</translation>
    </message>
    <message>
        <source>What was found</source>
        <translation>Was gefunden wurde</translation>
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
        <source>Preparing weights…</source>
        <translation>Gewichte werden vorbereitet…</translation>
    </message>
    <message>
        <source>Block sizes that were found</source>
        <translation>Gefundene Blockgrößen</translation>
    </message>
    <message>
        <source>A run is going on, and would be measured too</source>
        <translation>Ein Lauf ist im Gange und würde mitgemessen</translation>
    </message>
    <message numerus="yes">
        <source>%1: %2 queries × %3 keys, %n choices</source>
        <comment>mode, numbers</comment>
        <translation>
            <numerusform>%1: %2 Queries × %3 Keys, eine Wahl</numerusform>
            <numerusform>%1: %2 Queries × %3 Keys, %n Wahlen</numerusform>
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
        <source>%1 % less time.</source>
        <translation>%1 % weniger Zeit.</translation>
    </message>
    <message>
        <source>The difference is within the noise: nothing needs to be changed.</source>
        <translation>Der Unterschied liegt im Rauschen: Es muss nichts geändert werden.</translation>
    </message>
    <message>
        <source>The map of block sizes appears here: press Search while nothing else is running.</source>
        <translation>Die Karte der Blockgrößen erscheint hier: Suchen drücken, während nichts anderes läuft.</translation>
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
</context>
</TS>
