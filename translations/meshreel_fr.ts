<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="fr" sourcelanguage="en">
<context>
    <name>ChartFormats</name>
    <message>
        <source>PNG image</source>
        <translation>Image PNG</translation>
    </message>
    <message>
        <source>SVG drawing</source>
        <translation>Dessin SVG</translation>
    </message>
    <message>
        <source>PDF document</source>
        <translation>Document PDF</translation>
    </message>
    <message>
        <source>CSV table</source>
        <translation>Tableau CSV</translation>
    </message>
    <message>
        <source>JSON data</source>
        <translation>Données JSON</translation>
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
        <translation>Prompt négatif</translation>
    </message>
    <message>
        <source>Text length</source>
        <translation>Longueur du texte</translation>
    </message>
    <message>
        <source>Tokens that a prompt is cut or padded to; Wan models were trained with 512.</source>
        <translation>Nombre de tokens auquel un prompt est coupé ou complété&#xa0;; les modèles Wan ont été entraînés avec 512.</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>tokens</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modèle</translation>
    </message>
    <message>
        <source>Video</source>
        <translation>Vidéo</translation>
    </message>
    <message>
        <source>Height</source>
        <translation>Hauteur</translation>
    </message>
    <message>
        <source>Height of the video.</source>
        <translation>Hauteur de la vidéo.</translation>
    </message>
    <message>
        <source>pixels</source>
        <translation>pixels</translation>
    </message>
    <message>
        <source>Width</source>
        <translation>Largeur</translation>
    </message>
    <message>
        <source>Width of the video.</source>
        <translation>Largeur de la vidéo.</translation>
    </message>
    <message>
        <source>Frames</source>
        <translation>Images</translation>
    </message>
    <message>
        <source>Length of the video: a multiple of 4, plus 1.</source>
        <translation>Longueur de la vidéo&#xa0;: un multiple de 4, plus 1.</translation>
    </message>
    <message>
        <source>frames</source>
        <translation>images</translation>
    </message>
    <message>
        <source>Frame rate</source>
        <translation>Cadence</translation>
    </message>
    <message>
        <source>frames per second</source>
        <translation>images par seconde</translation>
    </message>
    <message>
        <source>File format</source>
        <translation>Format de fichier</translation>
    </message>
    <message>
        <source>How the video is written.</source>
        <translation>Façon dont la vidéo est écrite.</translation>
    </message>
    <message>
        <source>H.264 in MP4, plays everywhere; carries the project in its metadata.</source>
        <translation>H.264 dans MP4, lisible partout&#xa0;; contient le projet dans ses métadonnées.</translation>
    </message>
    <message>
        <source>VP9 in WebM, royalty-free, for browsers; carries the project in its metadata.</source>
        <translation>VP9 dans WebM, libre de droits, pour les navigateurs&#xa0;; contient le projet dans ses métadonnées.</translation>
    </message>
    <message>
        <source>Looping GIF with one palette of 255 colours per clip; delays are whole hundredths of a second.</source>
        <translation>GIF en boucle avec une palette de 255 couleurs par clip&#xa0;; les délais sont des centièmes de seconde entiers.</translation>
    </message>
    <message>
        <source>Looping animated WebP, smaller and truer in colour than GIF; equal neighbours become one longer frame.</source>
        <translation>WebP animé en boucle, plus petit et plus fidèle en couleur que GIF&#xa0;; des images voisines identiques deviennent une seule image plus longue.</translation>
    </message>
    <message>
        <source>A folder of lossless frames, frame_00001.png and on, for editing elsewhere.</source>
        <translation>Un dossier d&apos;images sans perte, à partir de frame_00001.png, pour un montage ailleurs.</translation>
    </message>
    <message>
        <source>Quality</source>
        <translation>Qualité</translation>
    </message>
    <message>
        <source>Compression quality of the video file: 0 is smallest, 100 best.</source>
        <translation>Qualité de compression du fichier vidéo&#xa0;: 0 est la plus petite taille, 100 la meilleure qualité.</translation>
    </message>
    <message>
        <source>Sampling</source>
        <translation>Échantillonnage</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Étapes</translation>
    </message>
    <message>
        <source>Denoising steps; more take longer and refine the video.</source>
        <translation>Étapes de débruitage&#xa0;; un plus grand nombre prend plus de temps et affine la vidéo.</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>étapes</translation>
    </message>
    <message>
        <source>Guidance</source>
        <translation>Guidage</translation>
    </message>
    <message>
        <source>How strongly the prompt is followed; 1 or less turns guidance off and halves the work.</source>
        <translation>Force avec laquelle le prompt est suivi&#xa0;; 1 ou moins désactive le guidage et réduit le travail de moitié.</translation>
    </message>
    <message>
        <source>Guidance at high noise</source>
        <translation>Guidage à bruit fort</translation>
    </message>
    <message>
        <source>Guidance of the first of two experts; 0 takes guidance_scale.</source>
        <translation>Guidage du premier de deux experts&#xa0;; 0 prend guidance_scale.</translation>
    </message>
    <message>
        <source>Guidance at low noise</source>
        <translation>Guidage à bruit faible</translation>
    </message>
    <message>
        <source>Guidance of the second of two experts; 0 takes guidance_scale.</source>
        <translation>Guidage du second de deux experts&#xa0;; 0 prend guidance_scale.</translation>
    </message>
    <message>
        <source>Boundary of the experts</source>
        <translation>Frontière entre experts</translation>
    </message>
    <message>
        <source>Part of the noise levels&apos; range from which on the first of two experts works, below it the second; 0 takes the model&apos;s own.</source>
        <translation>Part de la plage des niveaux de bruit à partir de laquelle travaille le premier de deux experts, le second en dessous&#xa0;; 0 prend la valeur du modèle.</translation>
    </message>
    <message>
        <source>Flow shift</source>
        <translation>Décalage du flux</translation>
    </message>
    <message>
        <source>Moves the noise levels of the steps towards high noise; Wan uses 3 at 480p and 5 at 720p.</source>
        <translation>Déplace les niveaux de bruit des étapes vers le bruit fort&#xa0;; Wan utilise 3 en 480p et 5 en 720p.</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Graine</translation>
    </message>
    <message>
        <source>Scheduler</source>
        <translation>Planificateur</translation>
    </message>
    <message>
        <source>The solver that walks from noise to video.</source>
        <translation>Le solveur qui mène du bruit à la vidéo.</translation>
    </message>
    <message>
        <source>The scheduler that the checkpoint names.</source>
        <translation>Le planificateur indiqué par le checkpoint.</translation>
    </message>
    <message>
        <source>predictor-corrector of order 2, what Wan&apos;s diffusers checkpoints use</source>
        <translation>prédicteur-correcteur d&apos;ordre 2, celui des checkpoints diffusers de Wan</translation>
    </message>
    <message>
        <source>one straight step at a time along the flow</source>
        <translation>un pas droit à la fois le long du flux</translation>
    </message>
    <message>
        <source>UniPC with the noise levels of Wan&apos;s own programs</source>
        <translation>UniPC avec les niveaux de bruit des programmes de Wan</translation>
    </message>
    <message>
        <source>DPM-Solver++ with the noise levels of Wan&apos;s own programs</source>
        <translation>DPM-Solver++ avec les niveaux de bruit des programmes de Wan</translation>
    </message>
    <message>
        <source>Noise</source>
        <translation>Bruit</translation>
    </message>
    <message>
        <source>How the seed becomes the initial noise.</source>
        <translation>Comment la graine devient le bruit initial.</translation>
    </message>
    <message>
        <source>the same latents from a seed whatever the mesh, threads or batch split</source>
        <translation>les mêmes latents pour une graine, quels que soient le maillage, les threads ou le découpage du lot</translation>
    </message>
    <message>
        <source>the latents that diffusers makes from a CPU generator&apos;s seed</source>
        <translation>les latents que diffusers produit à partir de la graine d&apos;un générateur CPU</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>Attention</translation>
    </message>
    <message>
        <source>How attention is computed and spread over devices.</source>
        <translation>Façon dont l&apos;attention est calculée et répartie sur les appareils.</translation>
    </message>
    <message>
        <source>Dense softmax attention: every score of a query at once; the reference, and good for short sequences.</source>
        <translation>Attention softmax dense&#xa0;: tous les scores d&apos;une requête d&apos;un coup&#xa0;; la référence, bonne pour les séquences courtes.</translation>
    </message>
    <message>
        <source>Blocked attention with a running softmax: memory grows with the block sizes, not with the square of the sequence.</source>
        <translation>Attention par blocs avec softmax progressif&#xa0;: la mémoire croît avec la taille des blocs, non avec le carré de la séquence.</translation>
    </message>
    <message>
        <source>MaxDiffusion&apos;s other flash kernel; the same as flash here.</source>
        <translation>L&apos;autre noyau flash de MaxDiffusion&#xa0;; identique à flash ici.</translation>
    </message>
    <message>
        <source>Ring attention: each device keeps its queries while keys and values travel around.</source>
        <translation>Ring attention&#xa0;: chaque appareil garde ses requêtes tandis que les clés et les valeurs circulent.</translation>
    </message>
    <message>
        <source>Ring attention over the whole context axis, accumulating un-normalised partials.</source>
        <translation>Ring attention sur tout l&apos;axe de contexte, avec cumul de résultats partiels non normalisés.</translation>
    </message>
    <message>
        <source>Ring attention with the custom blocked kernel.</source>
        <translation>Ring attention avec le noyau par blocs spécialisé.</translation>
    </message>
    <message>
        <source>Ulysses: devices trade sequence shards for head groups before the kernel and back after it.</source>
        <translation>Ulysses&#xa0;: les appareils échangent des fragments de séquence contre des groupes de têtes avant le noyau, et l&apos;inverse après.</translation>
    </message>
    <message>
        <source>Ulysses with the custom blocked kernel.</source>
        <translation>Ulysses avec le noyau par blocs spécialisé.</translation>
    </message>
    <message>
        <source>Ulysses with the custom kernel, a bound in place of the running maximum.</source>
        <translation>Ulysses avec le noyau spécialisé, une borne remplaçant le maximum progressif.</translation>
    </message>
    <message>
        <source>Ulysses with the custom kernel; each block of queries has a bound of its own.</source>
        <translation>Ulysses avec le noyau spécialisé ; chaque bloc de requêtes a sa propre borne.</translation>
    </message>
    <message>
        <source>Ulysses inside groups of ulysses_shards devices, a ring between the groups.</source>
        <translation>Ulysses dans des groupes de ulysses_shards appareils, un anneau entre les groupes.</translation>
    </message>
    <message>
        <source>Ulysses and ring with the custom blocked kernel.</source>
        <translation>Ulysses et ring avec le noyau par blocs spécialisé.</translation>
    </message>
    <message>
        <source>Ulysses and a ring whose keys travel both ways along a line, for links that do not wrap.</source>
        <translation>Ulysses et un anneau dont les clés voyagent dans les deux sens le long d&apos;une ligne, pour des liaisons sans bouclage.</translation>
    </message>
    <message>
        <source>Ulysses and ring with the custom kernel, a bound in place of the running maximum.</source>
        <translation>Ulysses et ring avec le noyau spécialisé, une borne remplaçant le maximum progressif.</translation>
    </message>
    <message>
        <source>Ulysses and ring with the custom kernel; each block of queries has a bound of its own.</source>
        <translation>Ulysses et anneau avec le noyau spécialisé ; chaque bloc de requêtes a sa propre borne.</translation>
    </message>
    <message>
        <source>NVIDIA Transformer Engine&apos;s cuDNN attention.</source>
        <translation>L&apos;attention cuDNN de Transformer Engine de NVIDIA.</translation>
    </message>
    <message>
        <source>Flash from length</source>
        <translation>Flash dès la longueur</translation>
    </message>
    <message>
        <source>Flash attention gives way to dot_product when a sequence is shorter than this.</source>
        <translation>L&apos;attention flash cède la place à dot_product quand une séquence est plus courte.</translation>
    </message>
    <message>
        <source>Query block</source>
        <translation>Bloc de requêtes</translation>
    </message>
    <message>
        <source>Query rows of one tile of flash attention; 0 takes the kernel&apos;s own.</source>
        <translation>Lignes de requêtes d&apos;une tuile de l&apos;attention flash&#xa0;; 0 prend la valeur du noyau.</translation>
    </message>
    <message>
        <source>rows</source>
        <translation>lignes</translation>
    </message>
    <message>
        <source>Key block</source>
        <translation>Bloc de clés</translation>
    </message>
    <message>
        <source>Key and value rows that are loaded together; 0 takes the kernel&apos;s own.</source>
        <translation>Lignes de clés et de valeurs chargées ensemble&#xa0;; 0 prend la valeur du noyau.</translation>
    </message>
    <message>
        <source>Key block per product</source>
        <translation>Bloc de clés par produit</translation>
    </message>
    <message>
        <source>Key rows of one matrix product inside a key block, which it divides; an upper bound on CPUs that compute in bf16 tiles; 0 takes the kernel&apos;s own.</source>
        <translation>Lignes de clés d&apos;un produit matriciel dans un bloc de clés, qu&apos;elles divisent&#xa0;; une limite supérieure sur les CPU qui calculent en tuiles bf16&#xa0;; 0 prend la valeur du noyau.</translation>
    </message>
    <message>
        <source>Key block per softmax</source>
        <translation>Bloc de clés par softmax</translation>
    </message>
    <message>
        <source>Key rows of one softmax step of the custom kernels; 0 takes the kernel&apos;s own.</source>
        <translation>Lignes de clés d&apos;une étape softmax des noyaux spécialisés&#xa0;; 0 prend la valeur du noyau.</translation>
    </message>
    <message>
        <source>Heads per tile</source>
        <translation>Têtes par tuile</translation>
    </message>
    <message>
        <source>Heads that the custom kernels handle together.</source>
        <translation>Têtes que les noyaux spécialisés traitent ensemble.</translation>
    </message>
    <message>
        <source>heads</source>
        <translation>têtes</translation>
    </message>
    <message>
        <source>Scratch limit</source>
        <translation>Limite de mémoire de travail</translation>
    </message>
    <message>
        <source>Scratch memory that a tile of the custom kernels may use; 0 sets no limit.</source>
        <translation>Mémoire de travail qu&apos;une tuile des noyaux spécialisés peut utiliser&#xa0;; 0 n&apos;impose aucune limite.</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>octets</translation>
    </message>
    <message>
        <source>Base-2 exponential</source>
        <translation>Exponentielle en base 2</translation>
    </message>
    <message>
        <source>Lets the softmax use powers of 2 with rescaled scores; results agree within rounding.</source>
        <translation>Permet au softmax d&apos;utiliser des puissances de 2 avec des scores remis à l&apos;échelle&#xa0;; les résultats concordent à l&apos;arrondi près.</translation>
    </message>
    <message>
        <source>Mask padding</source>
        <translation>Masquer le remplissage</translation>
    </message>
    <message>
        <source>Keeps the rows that fill up a block or a device&apos;s share out of attention.</source>
        <translation>Exclut de l&apos;attention les lignes qui complètent un bloc ou la part d&apos;un appareil.</translation>
    </message>
    <message>
        <source>padding is never attended</source>
        <translation>le remplissage n&apos;est jamais pris en compte</translation>
    </message>
    <message>
        <source>Mesh</source>
        <translation>Maillage</translation>
    </message>
    <message>
        <source>Data axis</source>
        <translation>Axe des données</translation>
    </message>
    <message>
        <source>Devices that share out the batch; -1 takes all that are left.</source>
        <translation>Appareils qui se partagent le lot&#xa0;; -1 prend tous ceux qui restent.</translation>
    </message>
    <message>
        <source>devices</source>
        <translation>appareils</translation>
    </message>
    <message>
        <source>FSDP axis</source>
        <translation>Axe FSDP</translation>
    </message>
    <message>
        <source>Devices that share out the weights; -1 takes all that are left.</source>
        <translation>Appareils qui se partagent les poids&#xa0;; -1 prend tous ceux qui restent.</translation>
    </message>
    <message>
        <source>Context axis</source>
        <translation>Axe de contexte</translation>
    </message>
    <message>
        <source>Devices that share out the sequence; -1 takes all that are left.</source>
        <translation>Appareils qui se partagent la séquence&#xa0;; -1 prend tous ceux qui restent.</translation>
    </message>
    <message>
        <source>Tensor axis</source>
        <translation>Axe de tenseur</translation>
    </message>
    <message>
        <source>Devices that share out heads and features; -1 takes all that are left.</source>
        <translation>Appareils qui se partagent les têtes et les caractéristiques&#xa0;; -1 prend tous ceux qui restent.</translation>
    </message>
    <message>
        <source>Data axis between hosts</source>
        <translation>Axe des données entre hôtes</translation>
    </message>
    <message>
        <source>Hosts that share out the batch; -1 takes all that are left.</source>
        <translation>Hôtes qui se partagent le lot&#xa0;; -1 prend tous ceux qui restent.</translation>
    </message>
    <message>
        <source>hosts</source>
        <translation>hôtes</translation>
    </message>
    <message>
        <source>FSDP axis between hosts</source>
        <translation>Axe FSDP entre hôtes</translation>
    </message>
    <message>
        <source>Hosts that share out the weights; -1 takes all that are left.</source>
        <translation>Hôtes qui se partagent les poids&#xa0;; -1 prend tous ceux qui restent.</translation>
    </message>
    <message>
        <source>Context axis between hosts</source>
        <translation>Axe de contexte entre hôtes</translation>
    </message>
    <message>
        <source>Hosts that share out the sequence; -1 takes all that are left.</source>
        <translation>Hôtes qui se partagent la séquence&#xa0;; -1 prend tous ceux qui restent.</translation>
    </message>
    <message>
        <source>Tensor axis between hosts</source>
        <translation>Axe de tenseur entre hôtes</translation>
    </message>
    <message>
        <source>Hosts that share out heads and features; -1 takes all that are left.</source>
        <translation>Hôtes qui se partagent les têtes et les caractéristiques&#xa0;; -1 prend tous ceux qui restent.</translation>
    </message>
    <message>
        <source>Ulysses shards</source>
        <translation>Fragments Ulysses</translation>
    </message>
    <message>
        <source>Part of the context axis that exchanges heads in the ulysses_ring modes; -1 is unset.</source>
        <translation>Part de l&apos;axe de contexte qui échange des têtes dans les modes ulysses_ring&#xa0;; -1 signifie non défini.</translation>
    </message>
    <message>
        <source>Ulysses chunks</source>
        <translation>Tranches Ulysses</translation>
    </message>
    <message>
        <source>Uniform sharding</source>
        <translation>Répartition uniforme</translation>
    </message>
    <message>
        <source>Makes flash and dot_product share out the sequence; false shares out the heads of self-attention instead.</source>
        <translation>Fait répartir la séquence par flash et dot_product&#xa0;; false répartit plutôt les têtes de l&apos;auto-attention.</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Appareils</translation>
    </message>
    <message>
        <source>Devices of the mesh, which the axis of -1 fills up; 0 takes one for each process that was started, or as many as the axes ask for.</source>
        <translation>Appareils du maillage, complétés par l&apos;axe à -1&#xa0;; 0 en prend un par processus lancé, ou autant que les axes en demandent.</translation>
    </message>
    <message>
        <source>Hosts file</source>
        <translation>Fichier des hôtes</translation>
    </message>
    <message>
        <source>File that names the machines to start processes on, one a line; empty runs on this machine only.</source>
        <translation>Fichier qui nomme les machines où lancer les processus, une par ligne&#xa0;; vide, seule cette machine est utilisée.</translation>
    </message>
    <message>
        <source>Send weights</source>
        <translation>Envoyer les poids</translation>
    </message>
    <message>
        <source>Reads the checkpoint on the first machine only and sends it to the others.</source>
        <translation>Lit le checkpoint sur la première machine seulement et l&apos;envoie aux autres.</translation>
    </message>
    <message>
        <source>Stall timeout</source>
        <translation>Délai de blocage</translation>
    </message>
    <message>
        <source>How long a device waits for the others before the run counts as hung and ends.</source>
        <translation>Temps pendant lequel un appareil attend les autres avant que l&apos;exécution soit jugée bloquée et se termine.</translation>
    </message>
    <message>
        <source>seconds</source>
        <translation>secondes</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>Poids</translation>
    </message>
    <message>
        <source>Number type of the weights of the transformer&apos;s blocks. With bfloat16 activations, float32 weights are rounded to bfloat16 too; int8 needs bfloat16 activations.</source>
        <translation>Type numérique des poids des blocs du transformeur. Avec des activations bfloat16, les poids float32 sont aussi arrondis à bfloat16&#xa0;; int8 exige des activations bfloat16.</translation>
    </message>
    <message>
        <source>32-bit floating point.</source>
        <translation>Virgule flottante sur 32 bits.</translation>
    </message>
    <message>
        <source>16-bit floating point with the exponent of float32.</source>
        <translation>Virgule flottante sur 16 bits avec l&apos;exposant de float32.</translation>
    </message>
    <message>
        <source>8-bit integers with a scale for each output; inputs are rounded to 8 bits too.</source>
        <translation>Entiers sur 8 bits avec un facteur d&apos;échelle par sortie&#xa0;; les entrées sont aussi arrondies à 8 bits.</translation>
    </message>
    <message>
        <source>Activations</source>
        <translation>Activations</translation>
    </message>
    <message>
        <source>Number type that the transformer&apos;s blocks compute in. Sums, the residual stream, the time and text embeddings and the output stay float32.</source>
        <translation>Type numérique dans lequel calculent les blocs du transformeur. Les sommes, le flux résiduel, les plongements du temps et du texte et la sortie restent en float32.</translation>
    </message>
    <message>
        <source>Text encoder</source>
        <translation>Encodeur de texte</translation>
    </message>
    <message>
        <source>Number type that the text encoder computes in.</source>
        <translation>Type numérique dans lequel l&apos;encodeur de texte calcule.</translation>
    </message>
    <message>
        <source>VAE</source>
        <translation>VAE</translation>
    </message>
    <message>
        <source>Number type that the VAE computes in.</source>
        <translation>Type numérique dans lequel le VAE calcule.</translation>
    </message>
    <message>
        <source>VAE weights</source>
        <translation>Poids du VAE</translation>
    </message>
    <message>
        <source>Number type of the VAE&apos;s weights.</source>
        <translation>Type numérique des poids du VAE.</translation>
    </message>
    <message>
        <source>Number type that each step&apos;s prediction and the latents it leads to are rounded to.</source>
        <translation>Type numérique auquel sont arrondis la prédiction de chaque étape et les latents qui en résultent.</translation>
    </message>
    <message>
        <source>Decode chunk</source>
        <translation>Tranche de décodage</translation>
    </message>
    <message>
        <source>Latent frames that are decoded together; -1 takes all. More memory, the same result.</source>
        <translation>Images latentes décodées ensemble&#xa0;; -1 les prend toutes. Plus de mémoire, même résultat.</translation>
    </message>
    <message>
        <source>latent frames</source>
        <translation>images latentes</translation>
    </message>
    <message>
        <source>Encode chunk</source>
        <translation>Tranche d&apos;encodage</translation>
    </message>
    <message>
        <source>Frames that are encoded together, a multiple of 4; -1 takes all. More memory, the same result.</source>
        <translation>Images encodées ensemble, un multiple de 4&#xa0;; -1 les prend toutes. Plus de mémoire, même résultat.</translation>
    </message>
    <message>
        <source>Width strips</source>
        <translation>Bandes de largeur</translation>
    </message>
    <message>
        <source>Devices that share out the VAE&apos;s width; -1 takes as many as help, about 8.</source>
        <translation>Appareils qui se partagent la largeur du VAE&#xa0;; -1 en prend autant qu&apos;il est utile, environ 8.</translation>
    </message>
    <message>
        <source>Replicate weights</source>
        <translation>Répliquer les poids</translation>
    </message>
    <message>
        <source>Gives every device the whole of the VAE&apos;s weights.</source>
        <translation>Donne à chaque appareil la totalité des poids du VAE.</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Nom</translation>
    </message>
    <message>
        <source>What run folders are called after; empty takes the project file&apos;s name.</source>
        <translation>Nom donné aux dossiers d&apos;exécution&#xa0;; vide, c&apos;est celui du fichier de projet.</translation>
    </message>
    <message>
        <source>Workers</source>
        <translation>Threads de calcul</translation>
    </message>
    <message>
        <source>Threads of each device; 0 shares out every CPU of this process.</source>
        <translation>Threads de chaque appareil&#xa0;; 0 répartit tous les CPU de ce processus.</translation>
    </message>
    <message>
        <source>threads</source>
        <translation>threads</translation>
    </message>
    <message>
        <source>An installed model&apos;s name, a Hugging Face id, a checkpoint folder in diffusers layout, or a transformer&apos;s file, whose other parts are found in the models folder.</source>
        <translation>Nom d&apos;un modèle installé, identifiant Hugging Face, dossier de checkpoint au format diffusers, ou fichier d&apos;un transformeur, dont les autres parties se trouvent dans le dossier des modèles.</translation>
    </message>
    <message>
        <source>Adapters</source>
        <translation>Adaptateurs</translation>
    </message>
    <message>
        <source>Transformer</source>
        <translation>Transformeur</translation>
    </message>
    <message>
        <source>File or folder of the transformer&apos;s weights; of Wan 2.2&apos;s two the high-noise expert. Empty takes the model&apos;s own.</source>
        <translation>Fichier ou dossier des poids du transformeur&#xa0;; des deux de Wan 2.2, l&apos;expert à bruit fort. Vide, c&apos;est celui du modèle.</translation>
    </message>
    <message>
        <source>Second transformer</source>
        <translation>Second transformeur</translation>
    </message>
    <message>
        <source>File or folder of Wan 2.2&apos;s low-noise expert. Empty takes the model&apos;s own.</source>
        <translation>Fichier ou dossier de l&apos;expert à bruit faible de Wan 2.2. Vide, c&apos;est celui du modèle.</translation>
    </message>
    <message>
        <source>File or folder of the text encoder (UMT5-XXL). Empty takes the model&apos;s own.</source>
        <translation>Fichier ou dossier de l&apos;encodeur de texte (UMT5-XXL). Vide, c&apos;est celui du modèle.</translation>
    </message>
    <message>
        <source>Image encoder</source>
        <translation>Encodeur d&apos;image</translation>
    </message>
    <message>
        <source>File or folder of the image encoder (CLIP ViT-H) of image-to-video models. Empty takes the model&apos;s own.</source>
        <translation>Fichier ou dossier de l&apos;encodeur d&apos;image (CLIP ViT-H) des modèles image vers vidéo. Vide, c&apos;est celui du modèle.</translation>
    </message>
    <message>
        <source>Tokenizer</source>
        <translation>Tokenizer</translation>
    </message>
    <message>
        <source>Folder of the tokenizer, or its tokenizer.json or spiece.model. Empty takes the model&apos;s own.</source>
        <translation>Dossier du tokenizer, ou son tokenizer.json ou spiece.model. Vide, c&apos;est celui du modèle.</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>Tâche</translation>
    </message>
    <message>
        <source>What the video is made of.</source>
        <translation>Ce à partir de quoi la vidéo est faite.</translation>
    </message>
    <message>
        <source>What the model does with the inputs that are given.</source>
        <translation>Ce que le modèle fait des entrées fournies.</translation>
    </message>
    <message>
        <source>A video, or with num_frames 1 an image, from the prompt.</source>
        <translation>Une vidéo à partir du prompt, ou une image si num_frames vaut 1.</translation>
    </message>
    <message>
        <source>A video that begins with `image`.</source>
        <translation>Une vidéo qui commence par `image`.</translation>
    </message>
    <message>
        <source>A video that begins with `image` and ends with `last_image`.</source>
        <translation>Une vidéo qui commence par `image` et finit par `last_image`.</translation>
    </message>
    <message>
        <source>`video` made again after the prompt; `strength` says how much of it may change.</source>
        <translation>`video` refaite selon le prompt&#xa0;; `strength` dit dans quelle mesure elle peut changer.</translation>
    </message>
    <message>
        <source>`video` where `mask` is black, something new where it is white, with what `reference_images` show.</source>
        <translation>`video` là où `mask` est noir, du nouveau là où il est blanc, avec ce que montrent les `reference_images`.</translation>
    </message>
    <message>
        <source>First image</source>
        <translation>Première image</translation>
    </message>
    <message>
        <source>Last image</source>
        <translation>Dernière image</translation>
    </message>
    <message>
        <source>Picture file that the video ends with.</source>
        <translation>Fichier image par lequel la vidéo finit.</translation>
    </message>
    <message>
        <source>Mask</source>
        <translation>Masque</translation>
    </message>
    <message>
        <source>Reference images</source>
        <translation>Images de référence</translation>
    </message>
    <message>
        <source>Strength</source>
        <translation>Force</translation>
    </message>
    <message>
        <source>How much of the video may change in video to video: the part of the steps that is done.</source>
        <translation>Ce qui peut changer de la vidéo en vidéo vers vidéo&#xa0;: la part des étapes qui est effectuée.</translation>
    </message>
    <message>
        <source>Control strength</source>
        <translation>Force du contrôle</translation>
    </message>
    <message>
        <source>How strongly VACE&apos;s blocks steer: one number, or one for each block, separated by commas.</source>
        <translation>Force avec laquelle les blocs VACE dirigent&#xa0;: un nombre, ou un par bloc, séparés par des virgules.</translation>
    </message>
    <message>
        <source>DPM-Solver++ that adds noise at every step (2M SDE), with the noise levels of Wan&apos;s own programs</source>
        <translation>DPM-Solver++ qui ajoute du bruit à chaque étape (2M SDE), avec les niveaux de bruit des programmes de Wan</translation>
    </message>
    <message>
        <source>Heun&apos;s method: each step but the last is computed twice and is of second order</source>
        <translation>méthode de Heun&#xa0;: chaque étape sauf la dernière est calculée deux fois et est d&apos;ordre deux</translation>
    </message>
    <message>
        <source>for models distilled to a few steps: each predicts the video and noises it anew</source>
        <translation>pour les modèles distillés en quelques étapes&#xa0;: chacune prédit la vidéo et la bruite à nouveau</translation>
    </message>
    <message>
        <source>Noise levels</source>
        <translation>Niveaux de bruit</translation>
    </message>
    <message>
        <source>The run&apos;s own noise levels from 1 down, separated by commas, before the flow shift; they take the place of num_inference_steps.</source>
        <translation>Niveaux de bruit propres à l&apos;exécution, de 1 vers le bas, séparés par des virgules, avant le décalage du flux&#xa0;; ils remplacent num_inference_steps.</translation>
    </message>
    <message>
        <source>Timesteps</source>
        <translation>Pas de temps</translation>
    </message>
    <message>
        <source>The same as timesteps from 1000 down, as distilled models name them: 1000, 750, 500, 250.</source>
        <translation>La même chose en pas de temps de 1000 vers le bas, comme les nomment les modèles distillés&#xa0;: 1000, 750, 500, 250.</translation>
    </message>
    <message>
        <source>Prompts of a batch</source>
        <translation>Prompts d&apos;un lot</translation>
    </message>
    <message>
        <source>Makes several videos in one run: a prompt on each line, in place of prompt.</source>
        <translation>Produit plusieurs vidéos en une exécution&#xa0;: un prompt par ligne, à la place de prompt.</translation>
    </message>
    <message>
        <source>Seeds of a batch</source>
        <translation>Graines d&apos;un lot</translation>
    </message>
    <message>
        <source>The character of `image` moves as `pose_video` and `face_video` do.</source>
        <translation>Le personnage de `image` bouge comme `pose_video` et `face_video`.</translation>
    </message>
    <message>
        <source>The character of `image` takes the place of somebody in `background_video`, where `mask` is white.</source>
        <translation>Le personnage de `image` prend la place de quelqu&apos;un dans `background_video`, là où `mask` est blanc.</translation>
    </message>
    <message>
        <source>Picture file that the video begins with, or of the character that is animated, at the video&apos;s size whatever its own; relative to the project&apos;s folder.</source>
        <translation>Fichier image par lequel la vidéo commence, ou du personnage animé, à la taille de la vidéo quelle que soit la sienne&#xa0;; relatif au dossier du projet.</translation>
    </message>
    <message>
        <source>Pose video</source>
        <translation>Vidéo des poses</translation>
    </message>
    <message>
        <source>Face video</source>
        <translation>Vidéo du visage</translation>
    </message>
    <message>
        <source>Background video</source>
        <translation>Vidéo d&apos;arrière-plan</translation>
    </message>
    <message>
        <source>Video that the character is put into where mask is white.</source>
        <translation>Vidéo où le personnage est placé là où mask est blanc.</translation>
    </message>
    <message>
        <source>Segment</source>
        <translation>Segment</translation>
    </message>
    <message>
        <source>Frames that an animation is made of at a time: a multiple of 4, plus 1.</source>
        <translation>Nombre d&apos;images d&apos;une animation produites d&apos;un seul tenant&#xa0;: un multiple de 4, plus 1.</translation>
    </message>
    <message>
        <source>Overlap of segments</source>
        <translation>Recouvrement des segments</translation>
    </message>
    <message>
        <source>Last frames of a segment that the next one begins with; Wan Animate was made for 1 or 5.</source>
        <translation>Dernières images d&apos;un segment par lesquelles le suivant commence&#xa0;; Wan Animate a été conçu pour 1 ou 5.</translation>
    </message>
    <message>
        <source>Step caches</source>
        <translation>Caches d&apos;étapes</translation>
    </message>
    <message>
        <source>CFG cache</source>
        <translation>Cache CFG</translation>
    </message>
    <message>
        <source>Makes the negative prompt&apos;s half up from earlier steps in four of five steps of the middle; approximate.</source>
        <translation>Reconstitue la moitié du prompt négatif à partir d&apos;étapes antérieures, dans quatre étapes sur cinq au milieu du débruitage&#xa0;; approximatif.</translation>
    </message>
    <message>
        <source>SenCache</source>
        <translation>SenCache</translation>
    </message>
    <message>
        <source>Takes whole predictions over while the latents change little; for Wan 2.2&apos;s models of two transformers; approximate.</source>
        <translation>Reprend des prédictions entières tant que les latents changent peu&#xa0;; pour les modèles de Wan 2.2 à deux transformeurs&#xa0;; approximatif.</translation>
    </message>
    <message>
        <source>MagCache</source>
        <translation>MagCache</translation>
    </message>
    <message>
        <source>Leaves the transformer&apos;s blocks out in steps where a curve measured before says that they add what they added before; approximate.</source>
        <translation>Omet les blocs du transformeur aux étapes où, selon une courbe mesurée auparavant, ils ajoutent la même chose qu&apos;avant&#xa0;; approximatif.</translation>
    </message>
    <message>
        <source>MagCache error</source>
        <translation>Erreur de MagCache</translation>
    </message>
    <message>
        <source>Error that MagCache may gather before a step is computed in full; 0 takes the curve&apos;s own.</source>
        <translation>Erreur que MagCache peut accumuler avant qu&apos;une étape soit calculée en entier&#xa0;; 0 prend celle de la courbe.</translation>
    </message>
    <message>
        <source>MagCache in a row</source>
        <translation>MagCache à la suite</translation>
    </message>
    <message>
        <source>Steps that MagCache leaves the blocks out of one after the other, at most.</source>
        <translation>Nombre maximal d&apos;étapes à la suite dont MagCache omet les blocs.</translation>
    </message>
    <message>
        <source>MagCache begins at</source>
        <translation>Début de MagCache</translation>
    </message>
    <message>
        <source>Part of a transformer&apos;s steps, at their beginning, that MagCache computes in full.</source>
        <translation>Part des étapes d&apos;un transformeur, à leur début, que MagCache calcule en entier.</translation>
    </message>
    <message>
        <source>MagCache curve</source>
        <translation>Courbe de MagCache</translation>
    </message>
    <message>
        <source>The curve as numbers separated by commas, for each step the prompt&apos;s and the negative prompt&apos;s; empty takes mag_ratios_file, or the one published for the model.</source>
        <translation>La courbe en nombres séparés par des virgules, pour chaque étape celui du prompt et celui du prompt négatif&#xa0;; vide, c&apos;est mag_ratios_file, ou celle publiée pour le modèle.</translation>
    </message>
    <message>
        <source>MagCache curve file</source>
        <translation>Fichier de courbe de MagCache</translation>
    </message>
    <message>
        <source>Curve that meshreel calibrate magcache has measured; relative to the project&apos;s folder.</source>
        <translation>Courbe mesurée par meshreel calibrate magcache&#xa0;; relatif au dossier du projet.</translation>
    </message>
    <message>
        <source>First-block cache</source>
        <translation>Cache du premier bloc</translation>
    </message>
    <message>
        <source>Computes the transformer&apos;s first block and, where it adds nearly what it added before, leaves the others out; approximate.</source>
        <translation>Calcule le premier bloc du transformeur et omet les autres là où il ajoute presque la même chose qu&apos;avant&#xa0;; approximatif.</translation>
    </message>
    <message>
        <source>First-block change</source>
        <translation>Variation du premier bloc</translation>
    </message>
    <message>
        <source>Relative change of what the first block adds up to which the others are left out.</source>
        <translation>Variation relative de ce qu&apos;ajoute le premier bloc, jusqu&apos;à laquelle les autres sont omis.</translation>
    </message>
    <message>
        <source>Compare with run</source>
        <translation>Comparer à l&apos;exécution</translation>
    </message>
    <message>
        <source>Folder of a finished run of the same size, usually without a cache: the run tells how far its frames are from those (PSNR and SSIM).</source>
        <translation>Dossier d&apos;une exécution terminée de même taille, d&apos;ordinaire sans cache&#xa0;: l&apos;exécution indique à quel point ses images s&apos;en écartent (PSNR et SSIM).</translation>
    </message>
    <message>
        <source>Memory budget</source>
        <translation>Budget de mémoire</translation>
    </message>
    <message>
        <source>Memory that the run may take. Layers of the transformer that it does not hold are read from the checkpoint each time they are used; 0 keeps all of them in memory.</source>
        <translation>Mémoire que l&apos;exécution peut occuper. Les couches du transformeur qu&apos;elle ne garde pas sont lues dans le checkpoint à chaque utilisation&#xa0;; 0 les garde toutes en mémoire.</translation>
    </message>
    <message>
        <source>GiB</source>
        <translation>GiB</translation>
    </message>
    <message>
        <source>Preset</source>
        <translation>Préréglage</translation>
    </message>
    <message>
        <source>Values that belong together and take the place of the defaults; what is written beside wins.</source>
        <translation>Des valeurs qui vont ensemble et remplacent celles par défaut&#xa0;; ce qui est écrit à côté l&apos;emporte.</translation>
    </message>
    <message>
        <source>Every value as it is written.</source>
        <translation>Chaque valeur telle qu&apos;elle est écrite.</translation>
    </message>
    <message>
        <source>Four steps without guidance, with a step-distilled adapter (LoRA) that is found in the models folder where lora names none.</source>
        <translation>Quatre étapes sans guidage, avec un adaptateur (LoRA) distillé en étapes, cherché dans le dossier des modèles si lora n&apos;en nomme aucun.</translation>
    </message>
    <message>
        <source>The same four steps for a checkpoint that is distilled itself, without an adapter.</source>
        <translation>Les mêmes quatre étapes pour un checkpoint distillé lui-même, sans adaptateur.</translation>
    </message>
    <message>
        <source>TeaCache</source>
        <translation>TeaCache</translation>
    </message>
    <message>
        <source>Leaves the transformer&apos;s blocks out in steps whose time is nearly that of the step before, after a published fit; approximate.</source>
        <translation>Omet les blocs du transformeur aux étapes dont l&apos;instant est presque celui de la précédente, selon un ajustement publié&#xa0;; approximatif.</translation>
    </message>
    <message>
        <source>TeaCache change</source>
        <translation>Variation de TeaCache</translation>
    </message>
    <message>
        <source>Change of the prediction that TeaCache may gather before a step is computed in full; 0 takes the model&apos;s own.</source>
        <translation>Variation de la prédiction que TeaCache peut accumuler avant qu&apos;une étape soit calculée en entier&#xa0;; 0 prend celle du modèle.</translation>
    </message>
    <message>
        <source>TeaCache fit</source>
        <translation>Ajustement de TeaCache</translation>
    </message>
    <message>
        <source>Polynomial from the time embedding&apos;s change to the prediction&apos;s, highest power first; empty takes the one published for the model.</source>
        <translation>Polynôme de la variation du plongement temporel à celle de la prédiction, plus haute puissance d&apos;abord&#xa0;; vide, c&apos;est celui publié pour le modèle.</translation>
    </message>
    <message>
        <source>Seconds of every step, a line a run</source>
        <translation>Secondes de chaque étape, une ligne par exécution</translation>
    </message>
    <message>
        <source>Seconds of load, compile, conditioning, denoising and decoding</source>
        <translation>Secondes de chargement, préparation, conditionnement, débruitage et décodage</translation>
    </message>
    <message>
        <source>Speed against the number of devices, a line an attention mode</source>
        <translation>Vitesse selon le nombre d&apos;appareils, une ligne par mode d&apos;attention</translation>
    </message>
    <message>
        <source>Time against block_q and block_kv: of runs, or of the table of a tile search</source>
        <translation>Durée selon block_q et block_kv&#xa0;: d&apos;exécutions, ou du tableau d&apos;une recherche de blocs</translation>
    </message>
    <message>
        <source>What each phase held in memory at most, beside its plan</source>
        <translation>Ce que chaque phase a occupé au plus en mémoire, à côté de son plan</translation>
    </message>
    <message>
        <source>few blocks with little padding that fit the scratch limit</source>
        <translation>peu de blocs, avec peu de remplissage, qui tiennent dans la limite de mémoire de travail</translation>
    </message>
    <message>
        <source>every pair of multiples of the step: exhaustive, slow</source>
        <translation>chaque couple de multiples du pas&#xa0;: exhaustif, lent</translation>
    </message>
    <message>
        <source>For short sequences, and to check the others against.</source>
        <translation>Pour les séquences courtes, et pour vérifier les autres.</translation>
    </message>
    <message>
        <source>Every device needs the memory for the keys and values of the whole sequence, and for all scores of a query at once.</source>
        <translation>Chaque appareil a besoin de la mémoire pour les clés et valeurs de toute la séquence, et pour tous les scores d&apos;une requête à la fois.</translation>
    </message>
    <message>
        <source>queries by token over C; every device gets all keys and values (with attention_sharding_uniform: false it is sharded as ulysses)</source>
        <translation>requêtes par token sur C&#xa0;; chaque appareil reçoit toutes les clés et valeurs (avec attention_sharding_uniform: false, répartition comme ulysses)</translation>
    </message>
    <message>
        <source>On one device, and on a few when every device has the memory for all keys and values.</source>
        <translation>Sur un appareil, et sur quelques-uns quand chacun a la mémoire pour toutes les clés et valeurs.</translation>
    </message>
    <message>
        <source>Every device needs the memory for the keys and values of the whole sequence.</source>
        <translation>Chaque appareil a besoin de la mémoire pour les clés et valeurs de toute la séquence.</translation>
    </message>
    <message>
        <source>For projects written for MaxDiffusion that name it.</source>
        <translation>Pour les projets écrits pour MaxDiffusion qui le nomment.</translation>
    </message>
    <message>
        <source>For projects that name it; tokamax_ring computes the same and also runs on one device.</source>
        <translation>Pour les projets qui le nomment&#xa0;; tokamax_ring calcule la même chose et tourne aussi sur un seul appareil.</translation>
    </message>
    <message>
        <source>Refused on one device, where tokamax_ring runs.</source>
        <translation>Refusé sur un seul appareil, où tokamax_ring fonctionne.</translation>
    </message>
    <message>
        <source>queries, keys and values by token over C</source>
        <translation>requêtes, clés et valeurs par token sur C</translation>
    </message>
    <message>
        <source>None: it takes any number of devices, heads and tokens.</source>
        <translation>Aucune&#xa0;: accepte tout nombre d&apos;appareils, de têtes et de tokens.</translation>
    </message>
    <message>
        <source>As tokamax_ring, where the custom kernel is the faster one.</source>
        <translation>Comme tokamax_ring, là où le noyau spécialisé est le plus rapide.</translation>
    </message>
    <message>
        <source>heads over C; every device gets all tokens</source>
        <translation>têtes sur C&#xa0;; chaque appareil reçoit tous les tokens</translation>
    </message>
    <message>
        <source>As ulysses, where the custom kernel is the faster one.</source>
        <translation>Comme ulysses, là où le noyau spécialisé est le plus rapide.</translation>
    </message>
    <message>
        <source>As ulysses_custom, for heads whose scores stay small enough for a fixed bound.</source>
        <translation>Comme ulysses_custom, pour les têtes dont les scores restent assez petits pour une borne fixe.</translation>
    </message>
    <message>
        <source>As ulysses_custom_fixed_m, when some queries of a head are too large for its bound.</source>
        <translation>Comme ulysses_custom_fixed_m, quand certaines requêtes d’une tête sont trop grandes pour sa borne.</translation>
    </message>
    <message>
        <source>When the devices outnumber the heads, or hosts are linked more slowly than their devices.</source>
        <translation>Quand il y a plus d&apos;appareils que de têtes, ou que les hôtes sont reliés plus lentement que leurs appareils.</translation>
    </message>
    <message>
        <source>heads over U, queries, keys and values by token over R</source>
        <translation>têtes sur U&#xa0;; requêtes, clés et valeurs par token sur R</translation>
    </message>
    <message>
        <source>As ulysses_ring, where the custom kernel is the faster one.</source>
        <translation>Comme ulysses_ring, là où le noyau spécialisé est le plus rapide.</translation>
    </message>
    <message>
        <source>As ulysses_ring_custom, from about 16 ring devices on links that have no way around.</source>
        <translation>Comme ulysses_ring_custom, à partir d&apos;environ 16 appareils en anneau sur des liaisons sans bouclage.</translation>
    </message>
    <message>
        <source>As ulysses_ring_custom, for heads whose scores stay small enough for a fixed bound.</source>
        <translation>Comme ulysses_ring_custom, pour les têtes dont les scores restent assez petits pour une borne fixe.</translation>
    </message>
    <message>
        <source>As ulysses_ring_custom_fixed_m, when some queries of a head are too large for its bound.</source>
        <translation>Comme ulysses_ring_custom_fixed_m, quand certaines requêtes d’une tête sont trop grandes pour sa borne.</translation>
    </message>
    <message>
        <source>Never here.</source>
        <translation>Jamais ici.</translation>
    </message>
    <message>
        <source>What each device did while one run denoised: computing, exchange, waiting</source>
        <translation>Ce que chaque appareil a fait pendant le débruitage d&apos;une exécution&#xa0;: calcul, échange, attente</translation>
    </message>
    <message>
        <source>self-attention</source>
        <translation>auto-attention</translation>
    </message>
    <message>
        <source>cross-attention</source>
        <translation>attention croisée</translation>
    </message>
    <message>
        <source>gathered weights</source>
        <translation>poids rassemblés</translation>
    </message>
    <message>
        <source>sums over the tensor axis</source>
        <translation>sommes sur l&apos;axe de tenseur</translation>
    </message>
    <message>
        <source>predictions</source>
        <translation>prédictions</translation>
    </message>
    <message>
        <source>This machine&apos;s caches</source>
        <translation>Caches de cette machine</translation>
    </message>
    <message>
        <source>dot_product computes without blocks: choose flash to use block sizes.</source>
        <translation>dot_product calcule sans blocs&#xa0;: choisissez flash pour utiliser des tailles de blocs.</translation>
    </message>
    <message>
        <source>TPU v6e, Wan 14B and 27B</source>
        <translation>TPU v6e, Wan 14B et 27B</translation>
    </message>
    <message>
        <source>MaxDiffusion, comments of base_wan_14b.yml and base_wan_27b.yml</source>
        <translation>MaxDiffusion, commentaires de base_wan_14b.yml et base_wan_27b.yml</translation>
    </message>
    <message>
        <source>Found for the flash kernel: choose flash, ulysses, tokamax_ring or ulysses_ring to use these sizes.</source>
        <translation>Trouvées pour le noyau flash&#xa0;: choisissez flash, ulysses, tokamax_ring ou ulysses_ring pour utiliser ces tailles.</translation>
    </message>
    <message>
        <source>TPU v5p, Wan 14B</source>
        <translation>TPU v5p, Wan 14B</translation>
    </message>
    <message>
        <source>MaxDiffusion, comments of base_wan_14b.yml</source>
        <translation>MaxDiffusion, commentaires de base_wan_14b.yml</translation>
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
        <translation>MaxDiffusion, commentaires de base_wan_27b.yml</translation>
    </message>
    <message>
        <source>Found for the custom kernel without a ring: choose ulysses_custom to use these sizes.</source>
        <translation>Trouvées pour le noyau spécialisé sans anneau&#xa0;: choisissez ulysses_custom pour utiliser ces tailles.</translation>
    </message>
    <message>
        <source>TPU v7x, Ulysses and a ring of up to 8</source>
        <translation>TPU v7x, Ulysses et un anneau de 8 au plus</translation>
    </message>
    <message>
        <source>Found for rings of the custom kernel: choose ulysses_ring_custom or tokamax_ring_custom to use these sizes.</source>
        <translation>Trouvées pour les anneaux du noyau spécialisé&#xa0;: choisissez ulysses_ring_custom ou tokamax_ring_custom pour utiliser ces tailles.</translation>
    </message>
    <message>
        <source>TPU v7x, a ring of 16 or more</source>
        <translation>TPU v7x, un anneau de 16 ou plus</translation>
    </message>
    <message>
        <source>Found for the custom kernels: choose ulysses_custom or ulysses_ring_custom to use these sizes.</source>
        <translation>Trouvées pour les noyaux spécialisés&#xa0;: choisissez ulysses_custom ou ulysses_ring_custom pour utiliser ces tailles.</translation>
    </message>
    <message>
        <source>TPU v6e, Ulysses over 4</source>
        <translation>TPU v6e, Ulysses sur 4</translation>
    </message>
    <message>
        <source>TPU v7x, Ulysses over 2 and a ring of 2</source>
        <translation>TPU v7x, Ulysses sur 2 et un anneau de 2</translation>
    </message>
    <message>
        <source>TPU v7x, Wan 2.1 and 2.2 recipes</source>
        <translation>TPU v7x, recettes de Wan 2.1 et 2.2</translation>
    </message>
    <message>
        <source>TPU v6e, Wan 2.2 recipe</source>
        <translation>TPU v6e, recette de Wan 2.2</translation>
    </message>
    <message>
        <source>MaxDiffusion, pull request 479</source>
        <translation>MaxDiffusion, pull request 479</translation>
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
        <translation>TPU v7x, borne fixe</translation>
    </message>
    <message>
        <source>MaxDiffusion, script for the fixed-m kernels</source>
        <translation>MaxDiffusion, script pour les noyaux fixed-m</translation>
    </message>
    <message>
        <source>Found for the kernel with a fixed bound: choose ulysses_custom_fixed_m or ulysses_ring_custom_fixed_m to use these sizes.</source>
        <translation>Trouvées pour le noyau à borne fixe&#xa0;: choisissez ulysses_custom_fixed_m ou ulysses_ring_custom_fixed_m pour utiliser ces tailles.</translation>
    </message>
    <message>
        <source>Task &amp; model</source>
        <translation>Tâche et modèle</translation>
    </message>
    <message>
        <source>Precision &amp; memory</source>
        <translation>Précision et mémoire</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>Sortie</translation>
    </message>
    <message>
        <source>There is no attention mode &apos;{}&apos;</source>
        <translation>Il n&apos;y a pas de mode d&apos;attention «&#xa0;{}&#xa0;»</translation>
    </message>
    <message>
        <source>Modes that run: {}</source>
        <translation>Modes disponibles&#xa0;: {}</translation>
    </message>
    <message>
        <source>Did you mean {}?</source>
        <translation>Vouliez-vous dire {}&#xa0;?</translation>
    </message>
    <message>
        <source>The attention mode {} does not run here</source>
        <translation>Le mode d&apos;attention {} ne fonctionne pas ici</translation>
    </message>
    <message>
        <source>{} or {}</source>
        <translation>{} ou {}</translation>
    </message>
    <message>
        <source>{} heads</source>
        <translation>{} têtes</translation>
    </message>
    <message>
        <source>{} heads that the tensor axis of {} leaves to a device</source>
        <translation>{} têtes que l&apos;axe de tenseur de {} laisse à un appareil</translation>
    </message>
    <message>
        <source>{} heads do not divide between {} tensor devices</source>
        <translation>{} têtes ne se divisent pas entre {} appareils de l&apos;axe de tenseur</translation>
    </message>
    <message>
        <source>Use a tensor axis of {}</source>
        <translation>Utilisez un axe de tenseur de {}</translation>
    </message>
    <message>
        <source>Use ulysses_shards: {}</source>
        <translation>Utilisez ulysses_shards: {}</translation>
    </message>
    <message>
        <source>{} needs ulysses_shards: how many of the {} context devices exchange heads</source>
        <translation>{} exige ulysses_shards&#xa0;: combien des {} appareils de l&apos;axe de contexte échangent des têtes</translation>
    </message>
    <message>
        <source>ulysses_shards {} does not divide the {} devices of the context axis</source>
        <translation>ulysses_shards {} ne divise pas les {} appareils de l&apos;axe de contexte</translation>
    </message>
    <message>
        <source>ring is ring attention between devices, and the context axis has one</source>
        <translation>ring est la ring attention entre appareils, et l&apos;axe de contexte n&apos;en a qu&apos;un</translation>
    </message>
    <message>
        <source>Use tokamax_ring, which also runs on one device, or flash</source>
        <translation>Utilisez tokamax_ring, qui fonctionne aussi sur un seul appareil, ou flash</translation>
    </message>
    <message>
        <source>{} chunks of heads are impossible</source>
        <translation>{} tranches de têtes&#xa0;: impossible</translation>
    </message>
    <message>
        <source>Use 1 for one exchange of all heads, more to exchange while computing</source>
        <translation>Utilisez 1 pour un seul échange de toutes les têtes, plus pour échanger pendant le calcul</translation>
    </message>
    <message>
        <source>{} works on one head at a time, because each head has a bound of its own, and heads_per_tile is {}</source>
        <translation>{} traite une tête à la fois, car chaque tête a sa propre borne, et heads_per_tile vaut {}</translation>
    </message>
    <message>
        <source>{} works on one head at a time, and heads_per_tile is {}</source>
        <translation>{} traite une tête à la fois, et heads_per_tile vaut {}</translation>
    </message>
    <message>
        <source>Use 1, or attention: {}</source>
        <translation>Utilisez 1, ou attention: {}</translation>
    </message>
    <message>
        <source>Use a positive number, or 0 for the default of {}</source>
        <translation>Utilisez un nombre positif, ou 0 pour la valeur par défaut {}</translation>
    </message>
    <message>
        <source>A block of {} is impossible</source>
        <translation>Un bloc de {} est impossible</translation>
    </message>
    <message>
        <source>A number of heads of {} is impossible</source>
        <translation>Un nombre de têtes de {} est impossible</translation>
    </message>
    <message>
        <source>A limit of {} bytes is impossible</source>
        <translation>Une limite de {} octets est impossible</translation>
    </message>
    <message>
        <source>Use a positive number, or 0 for no limit</source>
        <translation>Utilisez un nombre positif, ou 0 pour n&apos;imposer aucune limite</translation>
    </message>
    <message>
        <source>block_kv_compute {} does not divide block_kv {}</source>
        <translation>block_kv_compute {} ne divise pas block_kv {}</translation>
    </message>
    <message>
        <source>The nearest legal value is {}</source>
        <translation>La valeur admise la plus proche est {}</translation>
    </message>
    <message>
        <source>Tiles of {} queries, {} keys, {} keys at a time and {} heads need {} bytes of scratch per worker with heads of {}, and vmem_limit_bytes is {}</source>
        <translation>Des tuiles de {} requêtes, {} clés, {} clés à la fois et {} têtes exigent {} octets de mémoire de travail par thread avec des têtes de {}, et vmem_limit_bytes vaut {}</translation>
    </message>
    <message>
        <source>Use smaller block_q, block_kv or block_kv_compute, a limit of at least {}, or 0 for no limit</source>
        <translation>Utilisez un block_q, block_kv ou block_kv_compute plus petit, une limite d&apos;au moins {}, ou 0 pour n&apos;imposer aucune limite</translation>
    </message>
    <message>
        <source>the file could not be written ({})</source>
        <translation>le fichier n&apos;a pas pu être écrit ({})</translation>
    </message>
    <message>
        <source>Free some space or choose another disk; what was written before is kept</source>
        <translation>Libérez de l&apos;espace ou choisissez un autre disque&#xa0;; ce qui a été écrit auparavant est conservé</translation>
    </message>
    <message>
        <source>Choose a folder that exists and that you may write to</source>
        <translation>Choisissez un dossier qui existe et où vous pouvez écrire</translation>
    </message>
    <message>
        <source>this is not a file</source>
        <translation>ceci n&apos;est pas un fichier</translation>
    </message>
    <message>
        <source>there is no such file</source>
        <translation>ce fichier n&apos;existe pas</translation>
    </message>
    <message>
        <source>Check the path</source>
        <translation>Vérifiez le chemin</translation>
    </message>
    <message>
        <source>the file cannot be read ({})</source>
        <translation>le fichier ne peut pas être lu ({})</translation>
    </message>
    <message>
        <source>Check its permissions</source>
        <translation>Vérifiez ses droits d&apos;accès</translation>
    </message>
    <message>
        <source>No temporary folder can be made</source>
        <translation>Impossible de créer un dossier temporaire</translation>
    </message>
    <message>
        <source>Set TMPDIR to a writable folder</source>
        <translation>Faites pointer TMPDIR vers un dossier accessible en écriture</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>Annulé</translation>
    </message>
    <message>
        <source>there is no instruction set &quot;{}&quot;</source>
        <translation>il n&apos;y a pas de jeu d&apos;instructions «&#xa0;{}&#xa0;»</translation>
    </message>
    <message>
        <source>Choose one of {}</source>
        <translation>Choisissez parmi {}</translation>
    </message>
    <message>
        <source>This CPU has no {}</source>
        <translation>Ce CPU ne prend pas en charge {}</translation>
    </message>
    <message>
        <source>It has {}</source>
        <translation>Il prend en charge {}</translation>
    </message>
    <message>
        <source>A packed linear layer of {}x{} in &quot;{}&quot; has parts of other sizes</source>
        <translation>Une couche linéaire empaquetée de {}x{} au format «&#xa0;{}&#xa0;» a des parties d&apos;autres tailles</translation>
    </message>
    <message>
        <source>Pack the weights again</source>
        <translation>Empaquetez à nouveau les poids</translation>
    </message>
    <message>
        <source>The weights are packed as &quot;{}&quot;; here they are packed as &quot;{}&quot;</source>
        <translation>Les poids sont empaquetés au format «&#xa0;{}&#xa0;»&#xa0;; ici, ils le sont au format «&#xa0;{}&#xa0;»</translation>
    </message>
    <message>
        <source>Pack them again</source>
        <translation>Empaquetez-les à nouveau</translation>
    </message>
    <message>
        <source>Choose an MP4, WebM, GIF or WebP video or a PNG or JPEG image</source>
        <translation>Choisissez une vidéo MP4, WebM, GIF ou WebP, ou une image PNG ou JPEG</translation>
    </message>
    <message>
        <source>The file is damaged or incomplete: copy or write it again</source>
        <translation>Le fichier est endommagé ou incomplet&#xa0;: copiez-le ou écrivez-le à nouveau</translation>
    </message>
    <message>
        <source>this is not a video or image that can be read ({})</source>
        <translation>ceci n&apos;est ni une vidéo ni une image lisible ({})</translation>
    </message>
    <message>
        <source>the video cannot be read ({})</source>
        <translation>la vidéo ne peut pas être lue ({})</translation>
    </message>
    <message>
        <source>the last {} bytes of the video are missing</source>
        <translation>les {} derniers octets de la vidéo manquent</translation>
    </message>
    <message>
        <source>there is no video in this file that can be decoded</source>
        <translation>ce fichier ne contient aucune vidéo qui puisse être décodée</translation>
    </message>
    <message>
        <source>the video&apos;s {} stream cannot be decoded ({})</source>
        <translation>le flux {} de la vidéo ne peut pas être décodé ({})</translation>
    </message>
    <message>
        <source>frame {} of {} cannot be read ({})</source>
        <translation>l&apos;image {} sur {} ne peut pas être lue ({})</translation>
    </message>
    <message>
        <source>the picture changes its size at frame {}</source>
        <translation>la vidéo change de taille à l&apos;image {}</translation>
    </message>
    <message>
        <source>Convert the video to one size first</source>
        <translation>Convertissez d&apos;abord la vidéo à une taille unique</translation>
    </message>
    <message>
        <source>this system&apos;s libavformat cannot write {}</source>
        <translation>la libavformat de ce système ne peut pas écrire {}</translation>
    </message>
    <message>
        <source>Choose another video format</source>
        <translation>Choisissez un autre format vidéo</translation>
    </message>
    <message>
        <source>this system&apos;s libavcodec has no encoder {}</source>
        <translation>la libavcodec de ce système n&apos;a pas d&apos;encodeur {}</translation>
    </message>
    <message>
        <source>the encoder {} refuses {}x{} ({})</source>
        <translation>l&apos;encodeur {} refuse {}x{} ({})</translation>
    </message>
    <message>
        <source>Choose another size or video format</source>
        <translation>Choisissez une autre taille ou un autre format vidéo</translation>
    </message>
    <message>
        <source>the folder could not be put into place ({})</source>
        <translation>le dossier n&apos;a pas pu être mis en place ({})</translation>
    </message>
    <message>
        <source>Remove what lies there or choose another name</source>
        <translation>Retirez ce qui s&apos;y trouve ou choisissez un autre nom</translation>
    </message>
    <message>
        <source>frames of {}x{} cannot be compared with frames of {}x{}</source>
        <translation>des images de {}x{} ne peuvent pas être comparées à des images de {}x{}</translation>
    </message>
    <message>
        <source>Compare videos of one size</source>
        <translation>Comparez des vidéos de même taille</translation>
    </message>
    <message>
        <source>videos of the shapes {} and {} cannot be compared</source>
        <translation>des vidéos de formes {} et {} ne peuvent pas être comparées</translation>
    </message>
    <message>
        <source>Compare videos of one size and length</source>
        <translation>Comparez des vidéos de même taille et de même longueur</translation>
    </message>
    <message>
        <source>{} frames a second cannot be written</source>
        <translation>{} images par seconde&#xa0;: écriture impossible</translation>
    </message>
    <message>
        <source>Choose a rate from {} to {}</source>
        <translation>Choisissez une cadence de {} à {}</translation>
    </message>
    <message>
        <source>this system&apos;s libavcodec cannot write PNG</source>
        <translation>la libavcodec de ce système ne peut pas écrire de PNG</translation>
    </message>
    <message>
        <source>Install the full libavcodec</source>
        <translation>Installez la libavcodec complète</translation>
    </message>
    <message>
        <source>an image of {}x{} cannot be written as PNG ({})</source>
        <translation>une image de {}x{} ne peut pas être écrite en PNG ({})</translation>
    </message>
    <message>
        <source>this is a folder, not an image</source>
        <translation>ceci est un dossier, non une image</translation>
    </message>
    <message>
        <source>Choose a PNG, JPEG, BMP, TIFF or WebP image</source>
        <translation>Choisissez une image PNG, JPEG, BMP, TIFF ou WebP</translation>
    </message>
    <message>
        <source>there is no picture in this file</source>
        <translation>il n&apos;y a pas d&apos;image dans ce fichier</translation>
    </message>
    <message>
        <source>It is not an object</source>
        <translation>Ce n&apos;est pas un objet</translation>
    </message>
    <message>
        <source>The value is neither true nor false</source>
        <translation>La valeur n&apos;est ni true ni false</translation>
    </message>
    <message>
        <source>The value is not a number above 0</source>
        <translation>La valeur n&apos;est pas un nombre supérieur à 0</translation>
    </message>
    <message>
        <source>The value {} is not a number of pixels from 1 to {}</source>
        <translation>La valeur {} n&apos;est pas un nombre de pixels de 1 à {}</translation>
    </message>
    <message>
        <source>The value is not a list of three numbers</source>
        <translation>La valeur n&apos;est pas une liste de trois nombres</translation>
    </message>
    <message>
        <source>Use the preprocessor_config.json that came with the image encoder</source>
        <translation>Utilisez le preprocessor_config.json fourni avec l&apos;encodeur d&apos;image</translation>
    </message>
    <message>
        <source>The filter {} is not supported, only {} (Lanczos), {} (bilinear) and {} (bicubic)</source>
        <translation>Le filtre {} n&apos;est pas pris en charge, seuls le sont {} (Lanczos), {} (bilinéaire) et {} (bicubique)</translation>
    </message>
    <message>
        <source>A standard deviation is not positive</source>
        <translation>Un écart type n&apos;est pas positif</translation>
    </message>
    <message>
        <source>an image of {}x{} pixels cannot be resized to {}x{}</source>
        <translation>une image de {}x{} pixels ne peut pas être redimensionnée en {}x{}</translation>
    </message>
    <message>
        <source>Choose a smaller image, or a size from 1x1 on</source>
        <translation>Choisissez une image plus petite, ou une taille d&apos;au moins 1x1</translation>
    </message>
    <message>
        <source>there is not enough memory for the metadata</source>
        <translation>il n&apos;y a pas assez de mémoire pour les métadonnées</translation>
    </message>
    <message>
        <source>the video could not be written ({})</source>
        <translation>la vidéo n&apos;a pas pu être écrite ({})</translation>
    </message>
    <message>
        <source>a frame could not be allocated ({})</source>
        <translation>une image n&apos;a pas pu être allouée ({})</translation>
    </message>
    <message>
        <source>Close other programs or choose a smaller size</source>
        <translation>Fermez d&apos;autres programmes ou choisissez une taille plus petite</translation>
    </message>
    <message>
        <source>there is not enough memory for the video</source>
        <translation>il n&apos;y a pas assez de mémoire pour la vidéo</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>inconnu</translation>
    </message>
    <message>
        <source>pixels of the format {} cannot be converted to RGB</source>
        <translation>des pixels au format {} ne peuvent pas être convertis en RGB</translation>
    </message>
    <message>
        <source>Convert the file to MP4 or PNG first</source>
        <translation>Convertissez d&apos;abord le fichier en MP4 ou en PNG</translation>
    </message>
    <message>
        <source>an image cannot be resized to {}x{}</source>
        <translation>une image ne peut pas être redimensionnée en {}x{}</translation>
    </message>
    <message>
        <source>Choose a size from 1x1 on</source>
        <translation>Choisissez une taille d&apos;au moins 1x1</translation>
    </message>
    <message>
        <source>this folder holds no frames named {} and on</source>
        <translation>ce dossier ne contient pas d&apos;images numérotées à partir de {}</translation>
    </message>
    <message>
        <source>this frame has another size than the first one</source>
        <translation>cette image n&apos;a pas la taille de la première</translation>
    </message>
    <message>
        <source>Write the frames again</source>
        <translation>Écrivez à nouveau les images</translation>
    </message>
    <message>
        <source>Choose another file</source>
        <translation>Choisissez un autre fichier</translation>
    </message>
    <message>
        <source>Choose a video or image file</source>
        <translation>Choisissez un fichier vidéo ou image</translation>
    </message>
    <message>
        <source>no project is stored in this file, and there is no {} beside it</source>
        <translation>aucun projet n&apos;est enregistré dans ce fichier, et il n&apos;y a pas de {} à côté</translation>
    </message>
    <message>
        <source>Choose a video that Meshreel wrote</source>
        <translation>Choisissez une vidéo écrite par Meshreel</translation>
    </message>
    <message>
        <source>this system&apos;s libavcodec cannot write {}: it has no {} encoder</source>
        <translation>la libavcodec de ce système ne peut pas écrire {}&#xa0;: elle n&apos;a pas d&apos;encodeur {}</translation>
    </message>
    <message>
        <source>Choose another video format, such as png or gif</source>
        <translation>Choisissez un autre format vidéo, comme png ou gif</translation>
    </message>
    <message>
        <source>there is no frame to write</source>
        <translation>il n&apos;y a aucune image à écrire</translation>
    </message>
    <message>
        <source>Ask for at least one frame</source>
        <translation>Demandez au moins une image</translation>
    </message>
    <message>
        <source>the video quality {} is out of range</source>
        <translation>la qualité vidéo {} est hors limites</translation>
    </message>
    <message>
        <source>Choose {} to {}</source>
        <translation>Choisissez de {} à {}</translation>
    </message>
    <message>
        <source>GIF cannot show {} frames a second</source>
        <translation>GIF ne peut pas afficher {} images par seconde</translation>
    </message>
    <message>
        <source>Choose at most {} or another video format</source>
        <translation>Choisissez au plus {} ou un autre format vidéo</translation>
    </message>
    <message>
        <source>{} needs an even width and height, not {}x{}</source>
        <translation>{} exige une largeur et une hauteur paires, et non {}x{}</translation>
    </message>
    <message>
        <source>Choose sizes divisible by 16, or GIF, WebP or PNG</source>
        <translation>Choisissez des dimensions divisibles par 16, ou GIF, WebP ou PNG</translation>
    </message>
    <message>
        <source>its header gives an impossible size</source>
        <translation>son en-tête donne une taille impossible</translation>
    </message>
    <message>
        <source>it is shorter than its header says</source>
        <translation>il est plus court que ne le dit son en-tête</translation>
    </message>
    <message>
        <source>it holds no frame</source>
        <translation>il ne contient aucune image</translation>
    </message>
    <message>
        <source>the WebP cannot be read: {}</source>
        <translation>le WebP ne peut pas être lu&#xa0;: {}</translation>
    </message>
    <message>
        <source>rank {} on {}</source>
        <translation>le rang {} sur {}</translation>
    </message>
    <message>
        <source>{} failed: {}</source>
        <translation>{} a échoué&#xa0;: {}</translation>
    </message>
    <message>
        <source>{} is a second axis of -1</source>
        <translation>{} est un second axe à -1</translation>
    </message>
    <message>
        <source>Only one axis can take the devices that are left; write 1 here</source>
        <translation>Un seul axe peut prendre les appareils qui restent&#xa0;; écrivez 1 ici</translation>
    </message>
    <message>
        <source>The axes of the mesh ask for more than {} devices</source>
        <translation>Les axes du maillage demandent plus de {} appareils</translation>
    </message>
    <message>
        <source>Make an axis smaller</source>
        <translation>Réduisez un axe</translation>
    </message>
    <message>
        <source>The nearest legal values are {} and {}</source>
        <translation>Les valeurs admises les plus proches sont {} et {}</translation>
    </message>
    <message>
        <source>devices is {}, which is not a multiple of the {} that the axes ask for</source>
        <translation>devices vaut {}, qui n&apos;est pas un multiple des {} que demandent les axes</translation>
    </message>
    <message>
        <source>devices is {}, and the axes of the mesh multiply to {}</source>
        <translation>devices vaut {}, et le produit des axes du maillage est {}</translation>
    </message>
    <message>
        <source>Write {}, or -1 on the axis that shall take what is left</source>
        <translation>Écrivez {}, ou -1 sur l&apos;axe qui doit prendre ce qui reste</translation>
    </message>
    <message>
        <source>{} processes cannot share {} devices evenly</source>
        <translation>{} processus ne peuvent pas se partager {} appareils à parts égales</translation>
    </message>
    <message>
        <source>Start {} or {}, or ask for {} devices</source>
        <translation>Lancez-en {} ou {}, ou demandez {} appareils</translation>
    </message>
    <message>
        <source>Start {}, or ask for {} devices</source>
        <translation>Lancez-en {}, ou demandez {} appareils</translation>
    </message>
    <message>
        <source>device {} waited {:g} s for what device {} should send</source>
        <translation>l&apos;appareil {} a attendu {}&#xa0;s ce que l&apos;appareil {} devait envoyer</translation>
    </message>
    <message>
        <source>device {} waited {:g} s for device {} to take what it was sent</source>
        <translation>l&apos;appareil {} a attendu {}&#xa0;s que l&apos;appareil {} prenne ce qui lui était envoyé</translation>
    </message>
    <message>
        <source>Look why the other device hangs, or set stall_timeout higher when it is only slow</source>
        <translation>Cherchez pourquoi l&apos;autre appareil est bloqué, ou augmentez stall_timeout s&apos;il est seulement lent</translation>
    </message>
    <message>
        <source>MPI failed: {}</source>
        <translation>MPI a échoué&#xa0;: {}</translation>
    </message>
    <message>
        <source>Check the network between the hosts</source>
        <translation>Vérifiez le réseau entre les hôtes</translation>
    </message>
    <message>
        <source>this MPI library does not support threads</source>
        <translation>cette bibliothèque MPI ne prend pas en charge les threads</translation>
    </message>
    <message>
        <source>Install Open MPI 4.1 as Debian packages it</source>
        <translation>Installez Open MPI 4.1 tel que Debian le distribue</translation>
    </message>
    <message>
        <source>Install the same build of Meshreel on every host</source>
        <translation>Installez la même compilation de Meshreel sur chaque hôte</translation>
    </message>
    <message>
        <source>Use hosts of one kind</source>
        <translation>Utilisez des hôtes d&apos;un même type</translation>
    </message>
    <message>
        <source>the byte order</source>
        <translation>l&apos;ordre des octets</translation>
    </message>
    <message>
        <source>the pointer size</source>
        <translation>la taille des pointeurs</translation>
    </message>
    <message>
        <source>{} bits</source>
        <translation>{} bits</translation>
    </message>
    <message>
        <source>the version</source>
        <translation>la version</translation>
    </message>
    <message>
        <source>the protocol</source>
        <translation>le protocole</translation>
    </message>
    <message>
        <source>the build</source>
        <translation>la compilation</translation>
    </message>
    <message>
        <source>rank {} on host {} and rank 0 on host {} differ in {}: {} and {}</source>
        <translation>le rang {} sur l&apos;hôte {} et le rang 0 sur l&apos;hôte {} diffèrent par {}&#xa0;: {} et {}</translation>
    </message>
    <message>
        <source>{} devices cannot be shared out evenly to {} MPI ranks</source>
        <translation>{} appareils ne se répartissent pas à parts égales sur {} rangs MPI</translation>
    </message>
    <message>
        <source>Start as many ranks as divide the number of devices, or change the mesh</source>
        <translation>Lancez un nombre de rangs qui divise le nombre d&apos;appareils, ou modifiez le maillage</translation>
    </message>
    <message>
        <source>Make the hosts alike</source>
        <translation>Rendez les hôtes identiques</translation>
    </message>
    <message>
        <source>{}, {}</source>
        <translation>{}, {}</translation>
    </message>
    <message>
        <source>nothing moved between device {} and {} for {} s</source>
        <translation>rien n&apos;a circulé entre les appareils {} et {} pendant {} s</translation>
    </message>
    <message>
        <source>Look at those hosts; raise stall_timeout if they are only slow</source>
        <translation>Examinez ces hôtes&#xa0;; augmentez stall_timeout s&apos;ils sont seulement lents</translation>
    </message>
    <message>
        <source>Use the config.json that came with the weights</source>
        <translation>Utilisez le config.json fourni avec les poids</translation>
    </message>
    <message>
        <source>How many features images of {} pixels a side have, {} has to say</source>
        <translation>{1} doit indiquer combien de caractéristiques ont les images de {0} pixels de côté</translation>
    </message>
    <message>
        <source>Faces of {}x{} pixels are not halved down to 4x4</source>
        <translation>Des visages de {}x{} pixels ne se réduisent pas à 4x4 par moitiés</translation>
    </message>
    <message>
        <source>{} directions of motion do not fit into {} features</source>
        <translation>{} directions de mouvement ne tiennent pas dans {} caractéristiques</translation>
    </message>
    <message>
        <source>{} blocks cannot be shared out in groups of {}, each with a face adapter</source>
        <translation>{} blocs ne se répartissent pas en groupes de {}, chacun avec un adaptateur de visage</translation>
    </message>
    <message>
        <source>The value {} is not a whole number from 1 to {}</source>
        <translation>La valeur {} n&apos;est pas un entier de 1 à {}</translation>
    </message>
    <message>
        <source>The key is missing</source>
        <translation>La clé manque</translation>
    </message>
    <message>
        <source>The value is not a list of {} numbers</source>
        <translation>La valeur n&apos;est pas une liste de {} nombres</translation>
    </message>
    <message>
        <source>The value {} is not a positive number</source>
        <translation>La valeur {} n&apos;est pas un nombre positif</translation>
    </message>
    <message>
        <source>The value {} is neither true nor false</source>
        <translation>La valeur {} n&apos;est ni true ni false</translation>
    </message>
    <message>
        <source>The value {} is not a text</source>
        <translation>La valeur {} n&apos;est pas un texte</translation>
    </message>
    <message>
        <source>There are {}</source>
        <translation>Il existe {}</translation>
    </message>
    <message>
        <source>There is no architecture &apos;{}&apos;</source>
        <translation>Il n&apos;y a pas d&apos;architecture «&#xa0;{}&#xa0;»</translation>
    </message>
    <message>
        <source>Did you mean {}? {}</source>
        <translation>Vouliez-vous dire {}&#xa0;? {}</translation>
    </message>
    <message>
        <source>{} has no layers to leave out</source>
        <translation>{} n&apos;a pas de couches à omettre</translation>
    </message>
    <message>
        <source>Leave the option out: its levels need each other</source>
        <translation>Omettez l&apos;option&#xa0;: ses niveaux dépendent les uns des autres</translation>
    </message>
    <message>
        <source>{} has {} layers, not {}</source>
        <translation>{} a {} couches, et non {}</translation>
    </message>
    <message>
        <source>Choose 1 to {}</source>
        <translation>Choisissez de 1 à {}</translation>
    </message>
    <message>
        <source>{} has shape {}</source>
        <translation>{} est de forme {}</translation>
    </message>
    <message>
        <source>The file is of another model</source>
        <translation>Le fichier est celui d&apos;un autre modèle</translation>
    </message>
    <message>
        <source>Put the model&apos;s config.json beside the weights, in a folder of their own</source>
        <translation>Placez le config.json du modèle à côté des poids, dans un dossier à part</translation>
    </message>
    <message>
        <source>its width {} is no multiple of {}, the channels of a head in Wan models: how many heads it has cannot be told from its tensors</source>
        <translation>sa largeur {} n&apos;est pas un multiple de {}, le nombre de canaux d&apos;une tête dans les modèles Wan&#xa0;: ses tenseurs ne permettent pas de dire combien de têtes il a</translation>
    </message>
    <message>
        <source>it has {} latent channels, and the statistics of such latents are known for {} (Wan 2.1) and {} (Wan 2.2) only</source>
        <translation>il a {} canaux latents, et les statistiques de tels latents ne sont connues que pour {} (Wan 2.1) et {} (Wan 2.2)</translation>
    </message>
    <message>
        <source>The image encoder takes images [batch, 3, {}, {}], not {}</source>
        <translation>L&apos;encodeur d&apos;image prend des images [lot, 3, {}, {}], et non {}</translation>
    </message>
    <message>
        <source>Use the image processor that belongs to the image encoder</source>
        <translation>Utilisez le processeur d&apos;images qui va avec l&apos;encodeur d&apos;image</translation>
    </message>
    <message>
        <source>Use the image encoder that belongs to the Wan checkpoint</source>
        <translation>Utilisez l&apos;encodeur d&apos;image qui va avec le checkpoint Wan</translation>
    </message>
    <message>
        <source>The activation {} is not supported</source>
        <translation>L&apos;activation {} n&apos;est pas prise en charge</translation>
    </message>
    <message>
        <source>Only encoders of RGB images are supported</source>
        <translation>Seuls les encodeurs d&apos;images RGB sont pris en charge</translation>
    </message>
    <message>
        <source>{} channels cannot be shared out to {} heads</source>
        <translation>{} canaux ne se répartissent pas sur {} têtes</translation>
    </message>
    <message>
        <source>a part of a packed weight has the unknown type {}</source>
        <translation>une partie d&apos;un poids empaqueté est du type inconnu {}</translation>
    </message>
    <message>
        <source>the weight is packed in another format</source>
        <translation>le poids est empaqueté dans un autre format</translation>
    </message>
    <message>
        <source>a part of a packed weight has another size than its shape</source>
        <translation>une partie d&apos;un poids empaqueté a une autre taille que sa forme</translation>
    </message>
    <message>
        <source>Token {} lies outside the text encoder&apos;s vocabulary of {}</source>
        <translation>Le token {} est hors du vocabulaire de {} de l&apos;encodeur de texte</translation>
    </message>
    <message>
        <source>Use the tokenizer and text encoder of one checkpoint</source>
        <translation>Utilisez le tokenizer et l&apos;encodeur de texte d&apos;un même checkpoint</translation>
    </message>
    <message>
        <source>Only the gated-gelu feed-forward of UMT5 is supported</source>
        <translation>Seul le feed-forward gated-gelu de UMT5 est pris en charge</translation>
    </message>
    <message>
        <source>Use the text encoder that belongs to the Wan checkpoint</source>
        <translation>Utilisez l&apos;encodeur de texte qui va avec le checkpoint Wan</translation>
    </message>
    <message>
        <source>{} buckets up to a distance of {} leave no room for the logarithmic ones</source>
        <translation>{} classes jusqu&apos;à une distance de {} ne laissent pas de place aux classes logarithmiques</translation>
    </message>
    <message>
        <source>The transformer needs latents [batch, {}, frames, rows, columns], got {}</source>
        <translation>Le transformeur exige des latents [lot, {}, images, lignes, colonnes], et non {}</translation>
    </message>
    <message>
        <source>Use the VAE that belongs to the transformer</source>
        <translation>Utilisez le VAE qui va avec le transformeur</translation>
    </message>
    <message>
        <source>Latents of shape {} cannot be cut into patches of {} x {} x {}</source>
        <translation>Des latents de forme {} ne peuvent pas être découpés en patchs de {} x {} x {}</translation>
    </message>
    <message>
        <source>Choose width and height divisible by 16</source>
        <translation>Choisissez une largeur et une hauteur divisibles par 16</translation>
    </message>
    <message>
        <source>Latents of shape {} have {} patches along one axis, the model knows {}</source>
        <translation>Des latents de forme {} ont {} patchs le long d&apos;un axe, le modèle en connaît {}</translation>
    </message>
    <message>
        <source>Make a smaller or shorter video</source>
        <translation>Faites une vidéo plus petite ou plus courte</translation>
    </message>
    <message>
        <source>{} videos of this transformer need image embeddings [{}, {}, {}], got {}</source>
        <translation>{} vidéos de ce transformeur exigent des plongements d&apos;image [{}, {}, {}], et non {}</translation>
    </message>
    <message>
        <source>Use the image encoder that belongs to the transformer</source>
        <translation>Utilisez l&apos;encodeur d&apos;image qui va avec le transformeur</translation>
    </message>
    <message>
        <source>{} tensor shards cannot share out {} heads and {} feed-forward features evenly</source>
        <translation>{} fragments de tenseur ne peuvent pas se partager à parts égales {} têtes et {} caractéristiques du feed-forward</translation>
    </message>
    <message>
        <source>Choose a product of ici_tensor_parallelism and dcn_tensor_parallelism among {}</source>
        <translation>Choisissez un produit de ici_tensor_parallelism et dcn_tensor_parallelism parmi {}</translation>
    </message>
    <message>
        <source>This transformer has no use for {}</source>
        <translation>Ce transformeur n&apos;est pas fait pour {}</translation>
    </message>
    <message>
        <source>This transformer needs {}</source>
        <translation>Ce transformeur exige {}</translation>
    </message>
    <message>
        <source>Choose the task that the model was made for</source>
        <translation>Choisissez la tâche pour laquelle le modèle est fait</translation>
    </message>
    <message>
        <source>{} videos of this transformer need face videos [{}, {}, frames, {}, {}], got {}</source>
        <translation>{} vidéos de ce transformeur exigent des vidéos de visage [{}, {}, images, {}, {}], et non {}</translation>
    </message>
    <message>
        <source>Scale the faces to {}x{} pixels</source>
        <translation>Redimensionnez les visages à {}x{} pixels</translation>
    </message>
    <message>
        <source>a control video</source>
        <translation>une vidéo de contrôle</translation>
    </message>
    <message>
        <source>Latents of shape {} need a control of {} channels and no other size, got {}</source>
        <translation>Des latents de forme {} exigent un contrôle de {} canaux et de même taille, et non {}</translation>
    </message>
    <message>
        <source>Encode the control video at the size of the video</source>
        <translation>Encodez la vidéo de contrôle à la taille de la vidéo</translation>
    </message>
    <message>
        <source>{} control scales were given for {} VACE blocks</source>
        <translation>{} forces de contrôle ont été données pour {} blocs VACE</translation>
    </message>
    <message>
        <source>Give one scale for each block, or one for all</source>
        <translation>Donnez une force par bloc, ou une pour tous</translation>
    </message>
    <message>
        <source>a pose video</source>
        <translation>une vidéo des poses</translation>
    </message>
    <message>
        <source>Latents of shape {} need a pose of {} channels and {} frames, got {}</source>
        <translation>Des latents de forme {} exigent des poses de {} canaux et {} images, et non {}</translation>
    </message>
    <message>
        <source>Encode the pose video at the size of the video</source>
        <translation>Encodez la vidéo des poses à la taille de la vidéo</translation>
    </message>
    <message>
        <source>The transformer needs text embeddings [batch, tokens, {}], got {}</source>
        <translation>Le transformeur exige des plongements de texte [lot, tokens, {}], et non {}</translation>
    </message>
    <message>
        <source>Use the text encoder that belongs to the transformer</source>
        <translation>Utilisez l&apos;encodeur de texte qui va avec le transformeur</translation>
    </message>
    <message>
        <source>the embedding of an image</source>
        <translation>le plongement d&apos;une image</translation>
    </message>
    <message>
        <source>a face video</source>
        <translation>une vidéo de visage</translation>
    </message>
    <message>
        <source>Latents of {} videos with {} tokens each got timesteps of shape {}</source>
        <translation>Des latents de {} vidéos à {} tokens chacune ont reçu des pas de temps de forme {}</translation>
    </message>
    <message>
        <source>Give one timestep for each video or for each of its tokens</source>
        <translation>Donnez un pas de temps par vidéo ou par token</translation>
    </message>
    <message>
        <source>The {} tokens of a video cannot be shared out to {} frames of a face</source>
        <translation>Les {} tokens d&apos;une vidéo ne se répartissent pas sur {} images d&apos;un visage</translation>
    </message>
    <message>
        <source>Give 4 (F - 2) + 1 face images for F latent frames</source>
        <translation>Donnez 4 (F - 2) + 1 images de visage pour F images latentes</translation>
    </message>
    <message>
        <source>The norm &apos;{}&apos; of queries and keys is not supported</source>
        <translation>La normalisation «&#xa0;{}&#xa0;» des requêtes et des clés n&apos;est pas prise en charge</translation>
    </message>
    <message>
        <source>Supported are {} and null</source>
        <translation>Sont pris en charge {} et null</translation>
    </message>
    <message>
        <source>A model of images has both image_dim and added_kv_proj_dim</source>
        <translation>Un modèle d&apos;images a à la fois image_dim et added_kv_proj_dim</translation>
    </message>
    <message>
        <source>Keys of {} features do not fit a model of {} x {}</source>
        <translation>Des clés de {} caractéristiques ne conviennent pas à un modèle de {} x {}</translation>
    </message>
    <message>
        <source>Positions are those of two images of equal length</source>
        <translation>Les positions sont celles de deux images de même longueur</translation>
    </message>
    <message>
        <source>The value is not a list of blocks</source>
        <translation>La valeur n&apos;est pas une liste de blocs</translation>
    </message>
    <message>
        <source>VACE layers ascend from 0 and stay below the {} of the model</source>
        <translation>Les couches VACE croissent à partir de 0 et restent sous les {} du modèle</translation>
    </message>
    <message>
        <source>{} channels are not those of noise, mask and condition of {}</source>
        <translation>{} canaux ne sont pas ceux d&apos;un bruit, d&apos;un masque et d&apos;une condition de {}</translation>
    </message>
    <message>
        <source>The head dimension {} is odd, which rotary embedding cannot pair</source>
        <translation>La dimension de tête {} est impaire, et le plongement rotatif (RoPE) ne peut pas l&apos;apparier</translation>
    </message>
    <message>
        <source>A VAE of {} video channels has no colour preview</source>
        <translation>Un VAE de {} canaux vidéo n&apos;a pas d&apos;aperçu en couleurs</translation>
    </message>
    <message>
        <source>Use a VAE of RGB videos</source>
        <translation>Utilisez un VAE de vidéos RGB</translation>
    </message>
    <message>
        <source>The shape {} is not [batch, {} channels, frames, height, width]</source>
        <translation>La forme {} n&apos;est pas [lot, {} canaux, images, hauteur, largeur]</translation>
    </message>
    <message>
        <source>Use a VAE and a transformer of the same model</source>
        <translation>Utilisez un VAE et un transformeur du même modèle</translation>
    </message>
    <message>
        <source>Frames of {}x{} pixels are too small to encode</source>
        <translation>Des images de {}x{} pixels sont trop petites pour être encodées</translation>
    </message>
    <message>
        <source>Use at least {}x{} pixels</source>
        <translation>Utilisez au moins {}x{} pixels</translation>
    </message>
    <message>
        <source>This VAE cannot encode frames of {}x{} pixels</source>
        <translation>Ce VAE ne peut pas encoder des images de {}x{} pixels</translation>
    </message>
    <message>
        <source>Use a width and a height that are multiples of {}</source>
        <translation>Utilisez une largeur et une hauteur multiples de {}</translation>
    </message>
    <message>
        <source>A VAE that shortens time by {} cannot encode a video {} frames at a time</source>
        <translation>Un VAE qui réduit le temps par {} ne peut pas encoder une vidéo par {} images à la fois</translation>
    </message>
    <message>
        <source>Encode single images, or use a VAE that shortens time by 4</source>
        <translation>Encodez des images isolées, ou utilisez un VAE qui réduit le temps par 4</translation>
    </message>
    <message>
        <source>Use the Wan 2.1 VAE, which all 14B and 1.3B models share, or the Wan 2.2 VAE of TI2V-5B</source>
        <translation>Utilisez le VAE de Wan 2.1, commun à tous les modèles 14B et 1.3B, ou le VAE de Wan 2.2 de TI2V-5B</translation>
    </message>
    <message>
        <source>A VAE of class {} is not supported, only {}</source>
        <translation>Un VAE de classe {} n&apos;est pas pris en charge, seul {} l&apos;est</translation>
    </message>
    <message>
        <source>Attention between the residual blocks is not supported</source>
        <translation>L&apos;attention entre les blocs résiduels n&apos;est pas prise en charge</translation>
    </message>
    <message>
        <source>{} channels are not those of {}x{} pixels (patch_size)</source>
        <translation>{} canaux ne sont pas ceux de {}x{} pixels (patch_size)</translation>
    </message>
    <message>
        <source>No shortcut (is_residual) leads from a level of width {} to one of {}</source>
        <translation>Aucun raccourci (is_residual) ne mène d&apos;un niveau de largeur {} à un niveau de largeur {}</translation>
    </message>
    <message>
        <source>{} levels; 1 to {} are possible</source>
        <translation>{} niveaux&#xa0;; de 1 à {} sont possibles</translation>
    </message>
    <message>
        <source>{} values for {} levels in dim_mult; there must be one fewer than levels</source>
        <translation>{} valeurs pour {} niveaux dans dim_mult&#xa0;; il doit y en avoir une de moins que de niveaux</translation>
    </message>
    <message>
        <source>The value {} is not a number</source>
        <translation>La valeur {} n&apos;est pas un nombre</translation>
    </message>
    <message>
        <source>{} values for {} latent channels (z_dim)</source>
        <translation>{} valeurs pour {} canaux latents (z_dim)</translation>
    </message>
    <message>
        <source>The value is not a list</source>
        <translation>La valeur n&apos;est pas une liste</translation>
    </message>
    <message>
        <source>{} devices cannot be shared out to {} strips of the VAE: the total number of devices must be a multiple of vae_spatial</source>
        <translation>{} appareils ne se répartissent pas sur {} bandes du VAE&#xa0;: le nombre total d&apos;appareils doit être un multiple de vae_spatial</translation>
    </message>
    <message>
        <source>Use -1 for all devices, or a divisor of {}</source>
        <translation>Utilisez -1 pour tous les appareils, ou un diviseur de {}</translation>
    </message>
    <message>
        <source>VAE tiles of {} pixels in {} at a distance of {} cannot be laid</source>
        <translation>Des tuiles VAE de {} pixels en {} à une distance de {} ne peuvent pas être posées</translation>
    </message>
    <message>
        <source>Choose a distance that is a multiple of {} and not above the tile&apos;s {}</source>
        <translation>Choisissez une distance multiple de {} et au plus égale à la {} de la tuile</translation>
    </message>
    <message>
        <source>VAE tiles at a distance of {} leave {} of {} pixels at the border</source>
        <translation>Des tuiles VAE à une distance de {} laissent {} pixels sur {} au bord</translation>
    </message>
    <message>
        <source>Use frames whose sides are multiples of {}</source>
        <translation>Utilisez des images dont les côtés sont multiples de {}</translation>
    </message>
    <message>
        <source>This VAE cannot encode VAE tiles of {} pixels in {}</source>
        <translation>Ce VAE ne peut pas encoder des tuiles VAE de {} pixels en {}</translation>
    </message>
    <message>
        <source>Choose a multiple of {}</source>
        <translation>Choisissez un multiple de {}</translation>
    </message>
    <message>
        <source>height</source>
        <translation>hauteur</translation>
    </message>
    <message>
        <source>width</source>
        <translation>largeur</translation>
    </message>
    <message>
        <source>the checkpoint of the run ({} after {} steps) does not belong to its project ({}, {} steps)</source>
        <translation>le checkpoint de l&apos;exécution ({} après {} étapes) ne correspond pas à son projet ({}, {} étapes)</translation>
    </message>
    <message>
        <source>Start the run again</source>
        <translation>Relancez l&apos;exécution depuis le début</translation>
    </message>
    <message>
        <source>there is no noise named &quot;{}&quot;</source>
        <translation>il n&apos;y a pas de bruit nommé «&#xa0;{}&#xa0;»</translation>
    </message>
    <message>
        <source>Use counter or torch_cpu</source>
        <translation>Utilisez counter ou torch_cpu</translation>
    </message>
    <message>
        <source>the checkpoint of the run lacks the scheduler&apos;s &quot;{}&quot;</source>
        <translation>il manque au checkpoint de l&apos;exécution «&#xa0;{}&#xa0;» du planificateur</translation>
    </message>
    <message>
        <source>{} has {} frames, and num_frames is {}</source>
        <translation>{} a {} images, et num_frames vaut {}</translation>
    </message>
    <message>
        <source>Use a longer one, or num_frames of at most {}</source>
        <translation>Utilisez-en une plus longue, ou num_frames d&apos;au plus {}</translation>
    </message>
    <message>
        <source>a reference image of {} x {} pixels is smaller than {} x {}</source>
        <translation>une image de référence de {} x {} pixels est plus petite que {} x {}</translation>
    </message>
    <message>
        <source>Use a larger image</source>
        <translation>Utilisez une image plus grande</translation>
    </message>
    <message>
        <source>weights_dtype int8 with activations_dtype bfloat16</source>
        <translation>weights_dtype int8 avec activations_dtype bfloat16</translation>
    </message>
    <message>
        <source>memory_budget {:g} (layers are read from the checkpoint when they are used)</source>
        <translation>memory_budget {} (les couches sont lues dans le checkpoint à leur utilisation)</translation>
    </message>
    <message>
        <source>width {} and height {}</source>
        <translation>width {} et height {}</translation>
    </message>
    <message>
        <source>ici_fsdp_parallelism {} with ici_context_parallelism and dcn_context_parallelism 1</source>
        <translation>ici_fsdp_parallelism {} avec ici_context_parallelism et dcn_context_parallelism à 1</translation>
    </message>
    <message>
        <source>decoding</source>
        <translation>le décodage</translation>
    </message>
    <message>
        <source>denoising</source>
        <translation>le débruitage</translation>
    </message>
    <message>
        <source>encoding the prompt</source>
        <translation>l&apos;encodage du prompt</translation>
    </message>
    <message>
        <source>loading</source>
        <translation>le chargement</translation>
    </message>
    <message>
        <source>the run needs about {} of memory for {}, and {} are available</source>
        <translation>l&apos;exécution exige environ {} de mémoire pour {}, et {} sont disponibles</translation>
    </message>
    <message>
        <source>the run needs about {} of memory for {} with no layer kept in memory, and memory_budget allows {}</source>
        <translation>l&apos;exécution exige environ {} de mémoire pour {} sans garder aucune couche en mémoire, et memory_budget autorise {}</translation>
    </message>
    <message>
        <source>No smaller video fits either: use a smaller model, or close other programs</source>
        <translation>Aucune vidéo plus petite ne tient non plus&#xa0;: utilisez un modèle plus petit, ou fermez d&apos;autres programmes</translation>
    </message>
    <message>
        <source>{}, or {}</source>
        <translation>{}, ou {}</translation>
    </message>
    <message>
        <source>This fits: {}; or close other programs</source>
        <translation>Ceci tient&#xa0;: {}&#xa0;; ou fermez d&apos;autres programmes</translation>
    </message>
    <message>
        <source>there is no such adapter</source>
        <translation>cet adaptateur n&apos;existe pas</translation>
    </message>
    <message>
        <source>Check the path in lora, or put the file into {}</source>
        <translation>Vérifiez le chemin dans lora, ou placez le fichier dans {}</translation>
    </message>
    <message>
        <source>an adapter is meant for the {} expert, and the model has one transformer</source>
        <translation>un adaptateur est destiné à l&apos;expert {}, et le modèle a un seul transformeur</translation>
    </message>
    <message>
        <source>Remove &quot;expert&quot;, or use a model of two experts (Wan 2.2 A14B)</source>
        <translation>Retirez &quot;expert&quot;, ou utilisez un modèle à deux experts (Wan 2.2 A14B)</translation>
    </message>
    <message>
        <source>the model&apos;s files cannot be put together ({})</source>
        <translation>les fichiers du modèle ne peuvent pas être réunis ({})</translation>
    </message>
    <message>
        <source>Check that the cache folder can be written to</source>
        <translation>Vérifiez que le dossier du cache est accessible en écriture</translation>
    </message>
    <message>
        <source>preset {} needs a high-noise step-distilled adapter (LoRA) for {}, and there is none</source>
        <translation>le préréglage {} exige un adaptateur (LoRA) distillé en étapes à bruit fort pour {}, et il n&apos;y en a pas</translation>
    </message>
    <message>
        <source>preset {} needs a low-noise step-distilled adapter (LoRA) for {}, and there is none</source>
        <translation>le préréglage {} exige un adaptateur (LoRA) distillé en étapes à bruit faible pour {}, et il n&apos;y en a pas</translation>
    </message>
    <message>
        <source>preset {} needs a step-distilled adapter (LoRA) for {}, and there is none</source>
        <translation>le préréglage {} exige un adaptateur (LoRA) distillé en étapes pour {}, et il n&apos;y en a pas</translation>
    </message>
    <message>
        <source>a step-distilled LoRA of TI2V-5B</source>
        <translation>un LoRA distillé en étapes de TI2V-5B</translation>
    </message>
    <message>
        <source>Put one (for example {}) into {}, name one in lora, or, for a checkpoint that is distilled itself, write preset: distilled-model-4</source>
        <translation>Placez-en un (par exemple {}) dans {}, nommez-en un dans lora, ou, pour un checkpoint distillé lui-même, écrivez preset: distilled-model-4</translation>
    </message>
    <message>
        <source>Use a Wan checkpoint in diffusers layout</source>
        <translation>Utilisez un checkpoint Wan au format diffusers</translation>
    </message>
    <message>
        <source>_class_name is missing</source>
        <translation>_class_name manque</translation>
    </message>
    <message>
        <source>this is a model for &quot;{}&quot;, not for Wan</source>
        <translation>ceci est un modèle pour «&#xa0;{}&#xa0;», non pour Wan</translation>
    </message>
    <message>
        <source>the {} is missing, not {}</source>
        <translation>{} est absent au lieu d&apos;être {}</translation>
    </message>
    <message>
        <source>the {} is {}, not {}</source>
        <translation>{} est {} au lieu de {}</translation>
    </message>
    <message>
        <source>there is neither tokenizer.json nor spiece.model</source>
        <translation>il n&apos;y a ni tokenizer.json ni spiece.model</translation>
    </message>
    <message>
        <source>Download the model&apos;s tokenizer folder again</source>
        <translation>Téléchargez à nouveau le dossier tokenizer du modèle</translation>
    </message>
    <message>
        <source>this is {}, which Meshreel does not run</source>
        <translation>ceci est {}, que Meshreel n&apos;exécute pas</translation>
    </message>
    <message>
        <source>the transformer wants texts of width {} (text_dim), and the text encoder gives {} (d_model)</source>
        <translation>le transformeur exige des textes de largeur {} (text_dim), et l&apos;encodeur de texte donne {} (d_model)</translation>
    </message>
    <message>
        <source>Use transformer and text encoder of the same model</source>
        <translation>Utilisez le transformeur et l&apos;encodeur de texte du même modèle</translation>
    </message>
    <message>
        <source>the transformer works on latents of {} channels ({} out), and the VAE has {} (z_dim)</source>
        <translation>le transformeur travaille sur des latents de {} canaux ({} en sortie), et le VAE en a {} (z_dim)</translation>
    </message>
    <message>
        <source>Use transformer and VAE of the same model, of one of these kinds: {}</source>
        <translation>Utilisez le transformeur et le VAE du même modèle, de l&apos;un de ces types&#xa0;: {}</translation>
    </message>
    <message>
        <source>the VAE makes {} colour channels, not 3</source>
        <translation>le VAE produit {} canaux de couleur, et non 3</translation>
    </message>
    <message>
        <source>Use the VAE of a Wan model</source>
        <translation>Utilisez le VAE d&apos;un modèle Wan</translation>
    </message>
    <message>
        <source>the two transformers are not of one kind</source>
        <translation>les deux transformeurs ne sont pas du même type</translation>
    </message>
    <message>
        <source>Use the two experts of the same model</source>
        <translation>Utilisez les deux experts du même modèle</translation>
    </message>
    <message>
        <source>the transformer wants images of width {} (image_dim), and the image encoder gives {} (hidden_size)</source>
        <translation>le transformeur exige des images de largeur {} (image_dim), et l&apos;encodeur d&apos;image donne {} (hidden_size)</translation>
    </message>
    <message>
        <source>Use transformer and image encoder of the same model</source>
        <translation>Utilisez le transformeur et l&apos;encodeur d&apos;image du même modèle</translation>
    </message>
    <message>
        <source>Installed: nothing</source>
        <translation>Installés&#xa0;: aucun</translation>
    </message>
    <message>
        <source>Installed: {}</source>
        <translation>Installés&#xa0;: {}</translation>
    </message>
    <message>
        <source>the model &quot;{}&quot; is not installed</source>
        <translation>le modèle «&#xa0;{}&#xa0;» n&apos;est pas installé</translation>
    </message>
    <message>
        <source>{}; or give the path of a checkpoint folder</source>
        <translation>{}&#xa0;; ou donnez le chemin d&apos;un dossier de checkpoint</translation>
    </message>
    <message>
        <source>the model &quot;{}&quot; is not on this machine</source>
        <translation>le modèle «&#xa0;{}&#xa0;» n&apos;est pas sur cette machine</translation>
    </message>
    <message>
        <source>there is no such checkpoint folder</source>
        <translation>ce dossier de checkpoint n&apos;existe pas</translation>
    </message>
    <message>
        <source>Check pretrained_model_name_or_path</source>
        <translation>Vérifiez pretrained_model_name_or_path</translation>
    </message>
    <message>
        <source>the folder holds no {}</source>
        <translation>le dossier ne contient pas de {}</translation>
    </message>
    <message>
        <source>Give a checkpoint in diffusers layout (a repository whose name ends in -Diffusers)</source>
        <translation>Donnez un checkpoint au format diffusers (un dépôt dont le nom finit par -Diffusers)</translation>
    </message>
    <message>
        <source>there is no such folder</source>
        <translation>ce dossier n&apos;existe pas</translation>
    </message>
    <message>
        <source>no model is named</source>
        <translation>aucun modèle n&apos;est nommé</translation>
    </message>
    <message>
        <source>Name an installed model, for example tiny-wan-t2v</source>
        <translation>Nommez un modèle installé, par exemple tiny-wan-t2v</translation>
    </message>
    <message>
        <source>a text encoder UMT5-XXL (umt5_xxl_fp16.safetensors, umt5_xxl_fp8_e4m3fn_scaled.safetensors, umt5-xxl-encoder-Q8_0.gguf or models_t5_umt5-xxl-enc-bf16.pth)</source>
        <translation>un encodeur de texte UMT5-XXL (umt5_xxl_fp16.safetensors, umt5_xxl_fp8_e4m3fn_scaled.safetensors, umt5-xxl-encoder-Q8_0.gguf ou models_t5_umt5-xxl-enc-bf16.pth)</translation>
    </message>
    <message>
        <source>UMT5&apos;s tokenizer (a folder with spiece.model or tokenizer.json, of google/umt5-xxl)</source>
        <translation>le tokenizer de UMT5 (un dossier avec spiece.model ou tokenizer.json, de google/umt5-xxl)</translation>
    </message>
    <message>
        <source>the VAE of Wan 2.1 (wan_2.1_vae.safetensors or Wan2.1_VAE.pth)</source>
        <translation>le VAE de Wan 2.1 (wan_2.1_vae.safetensors ou Wan2.1_VAE.pth)</translation>
    </message>
    <message>
        <source>the VAE of Wan 2.2 (wan2.2_vae.safetensors or Wan2.2_VAE.pth)</source>
        <translation>le VAE de Wan 2.2 (wan2.2_vae.safetensors ou Wan2.2_VAE.pth)</translation>
    </message>
    <message>
        <source>the image encoder CLIP ViT-H (clip_vision_h.safetensors)</source>
        <translation>l&apos;encodeur d&apos;image CLIP ViT-H (clip_vision_h.safetensors)</translation>
    </message>
    <message>
        <source>the other of the two experts (the file of the same name with &quot;low_noise&quot; in place of &quot;high_noise&quot;, or the other way round)</source>
        <translation>l&apos;autre des deux experts (le fichier de même nom avec &quot;low_noise&quot; à la place de &quot;high_noise&quot;, ou l&apos;inverse)</translation>
    </message>
    <message>
        <source>there is no such {}</source>
        <translation>il n&apos;y a pas de {} à ce chemin</translation>
    </message>
    <message>
        <source>Check parts.{}, or put the file into {}</source>
        <translation>Vérifiez parts.{}, ou placez le fichier dans {}</translation>
    </message>
    <message>
        <source>the project names neither a model nor a transformer</source>
        <translation>le projet ne nomme ni modèle ni transformeur</translation>
    </message>
    <message>
        <source>Name a model, or the transformer&apos;s file in parts.transformer</source>
        <translation>Nommez un modèle, ou le fichier du transformeur dans parts.transformer</translation>
    </message>
    <message>
        <source>Use a Wan 2.1 or 2.2 model</source>
        <translation>Utilisez un modèle Wan 2.1 ou 2.2</translation>
    </message>
    <message>
        <source>With both files of an A14B model name them in parts.transformer and parts.transformer_2</source>
        <translation>Si vous avez les deux fichiers d&apos;un modèle A14B, nommez-les dans parts.transformer et parts.transformer_2</translation>
    </message>
    <message>
        <source>the model lacks {}</source>
        <translation>il manque au modèle {}</translation>
    </message>
    <message>
        <source>Put into {} (any folder below it): {}; or name files in parts.{}. docs/models.md says where they come from</source>
        <translation>Placez dans {} (ou un dossier en dessous)&#xa0;: {}&#xa0;; ou nommez des fichiers dans parts.{}. docs/models.md dit d&apos;où ils viennent</translation>
    </message>
    <message>
        <source>{}; {}</source>
        <translation>{}&#xa0;; {}</translation>
    </message>
    <message>
        <source>No video of this image&apos;s form and {} pixels at most has sides that are multiples of {}</source>
        <translation>Aucune vidéo aux proportions de cette image et d&apos;au plus {} pixels n&apos;a des côtés multiples de {}</translation>
    </message>
    <message>
        <source>Choose a larger area, or an image that is less long and narrow</source>
        <translation>Choisissez une surface plus grande, ou une image moins allongée</translation>
    </message>
    <message>
        <source>fps is {}, and the model ({}) makes {} frames a second</source>
        <translation>fps vaut {}, et le modèle ({}) produit {} images par seconde</translation>
    </message>
    <message>
        <source>{} CPU</source>
        <translation>{} CPU</translation>
    </message>
    <message>
        <source>{} CPUs</source>
        <translation>{} CPU</translation>
    </message>
    <message>
        <source>The run takes about {} of the {} of memory that are available</source>
        <translation>L&apos;exécution occupe environ {} des {} de mémoire disponibles</translation>
    </message>
    <message>
        <source>{} and {} more</source>
        <translation>{} et {} de plus</translation>
    </message>
    <message>
        <source>Changes {}</source>
        <translation>Modifie {}</translation>
    </message>
    <message>
        <source>{}; fits nothing: {}</source>
        <translation>{}&#xa0;; sans correspondance&#xa0;: {}</translation>
    </message>
    <message>
        <source>{} is for models with two transformers, and this has one</source>
        <translation>{} concerne les modèles à deux transformeurs, et celui-ci en a un</translation>
    </message>
    <message>
        <source>Remove the line, or use guidance_scale</source>
        <translation>Retirez la ligne, ou utilisez guidance_scale</translation>
    </message>
    <message>
        <source>the model has two transformers and does not say where the second takes over</source>
        <translation>le modèle a deux transformeurs et ne dit pas où le second prend le relais</translation>
    </message>
    <message>
        <source>Write boundary_ratio: 0.875 (Wan 2.2 text to video) or 0.9 (image to video)</source>
        <translation>Écrivez boundary_ratio: 0.875 (texte vers vidéo de Wan 2.2) ou 0.9 (image vers vidéo)</translation>
    </message>
    <message>
        <source>conditioning_scale holds {} numbers, and the model has {} VACE blocks</source>
        <translation>conditioning_scale contient {} nombres, et le modèle a {} blocs VACE</translation>
    </message>
    <message>
        <source>Write one number for all, or one for each</source>
        <translation>Écrivez un nombre pour tous, ou un par bloc</translation>
    </message>
    <message>
        <source>{}; installed: {}</source>
        <translation>{}&#xa0;; installés&#xa0;: {}</translation>
    </message>
    <message>
        <source>{}: {}</source>
        <translation>{}&#xa0;: {}</translation>
    </message>
    <message>
        <source>the run writes up to {}, and {} are free on the disk</source>
        <translation>l&apos;exécution écrit jusqu&apos;à {}, et {} sont libres sur le disque</translation>
    </message>
    <message>
        <source>measure one: meshreel calibrate magcache PROJECT -o FILE, and write mag_ratios_file: FILE</source>
        <translation>mesurez-en une&#xa0;: meshreel calibrate magcache PROJECT -o FILE, puis écrivez mag_ratios_file: FILE</translation>
    </message>
    <message>
        <source>there is no published MagCache curve for {}</source>
        <translation>il n&apos;y a pas de courbe MagCache publiée pour {}</translation>
    </message>
    <message>
        <source>Write false, or {}</source>
        <translation>Écrivez false, ou {}</translation>
    </message>
    <message>
        <source>the published MagCache curve of {} was measured with flow_shift {}, and it is {}</source>
        <translation>la courbe MagCache publiée de {} a été mesurée avec flow_shift {}, et il vaut {}</translation>
    </message>
    <message>
        <source>Write flow_shift: {}, or {}</source>
        <translation>Écrivez flow_shift: {}, ou {}</translation>
    </message>
    <message>
        <source>The MagCache curve was measured on a transformer of {} blocks, and this has {}; meshreel calibrate magcache measures one for it</source>
        <translation>La courbe MagCache a été mesurée sur un transformeur de {} blocs, et celui-ci en a {}&#xa0;; meshreel calibrate magcache en mesure une pour lui</translation>
    </message>
    <message>
        <source>there are no published TeaCache coefficients for {} with {} blocks</source>
        <translation>il n&apos;y a pas de coefficients TeaCache publiés pour {} avec {} blocs</translation>
    </message>
    <message>
        <source>Write false and use use_first_block_cache, or give teacache_coefficients and teacache_thresh</source>
        <translation>Écrivez false et utilisez use_first_block_cache, ou donnez teacache_coefficients et teacache_thresh</translation>
    </message>
    <message>
        <source>Write false, or use use_magcache or use_first_block_cache</source>
        <translation>Écrivez false, ou utilisez use_magcache ou use_first_block_cache</translation>
    </message>
    <message>
        <source>the {} is made for Wan 2.2&apos;s models of two transformers, and this is {}</source>
        <translation>{} est conçu pour les modèles de Wan 2.2 à deux transformeurs, et celui-ci est {}</translation>
    </message>
    <message>
        <source>the {} was never tried on {}</source>
        <translation>{} n&apos;a jamais été essayé sur {}</translation>
    </message>
    <message>
        <source>Use a file that meshreel calibrate magcache has written</source>
        <translation>Utilisez un fichier écrit par meshreel calibrate magcache</translation>
    </message>
    <message>
        <source>it has no list {}</source>
        <translation>il n&apos;y a pas de liste {}</translation>
    </message>
    <message>
        <source>its list holds something else than numbers</source>
        <translation>sa liste contient autre chose que des nombres</translation>
    </message>
    <message>
        <source>It does {}; {} is done by {}</source>
        <translation>Il fait {}&#xa0;; {} est fait par {}</translation>
    </message>
    <message>
        <source>{} ({}) needs {}</source>
        <translation>{} ({}) exige {}</translation>
    </message>
    <message>
        <source>Name a file: {}: PATH</source>
        <translation>Nommez un fichier&#xa0;: {}: PATH</translation>
    </message>
    <message>
        <source>{} is not used by {} ({})</source>
        <translation>{} n&apos;est pas utilisé par {} ({})</translation>
    </message>
    <message>
        <source>Remove the line, or choose another task</source>
        <translation>Retirez la ligne, ou choisissez une autre tâche</translation>
    </message>
    <message>
        <source>mask is given without the video that it belongs to</source>
        <translation>mask est donné sans la vidéo à laquelle il appartient</translation>
    </message>
    <message>
        <source>Name the video, too: video: PATH</source>
        <translation>Nommez aussi la vidéo&#xa0;: video: PATH</translation>
    </message>
    <message>
        <source>{} is {}, and this model makes multiples of {}</source>
        <translation>{} vaut {}, et ce modèle produit des multiples de {}</translation>
    </message>
    <message>
        <source>{} is {}, and this model makes multiples of {} plus {}</source>
        <translation>{} vaut {}, et ce modèle produit des multiples de {} plus {}</translation>
    </message>
    <message>
        <source>{} makes {} patches along one axis, and this model knows {} positions</source>
        <translation>{} donne {} patchs le long d&apos;un axe, et ce modèle connaît {} positions</translation>
    </message>
    <message>
        <source>Make it smaller</source>
        <translation>Réduisez cette valeur</translation>
    </message>
    <message>
        <source>{} holds {}</source>
        <translation>{} contient {}</translation>
    </message>
    <message>
        <source>the batch is of {} videos</source>
        <translation>le lot est de {} vidéos</translation>
    </message>
    <message>
        <source>Make {} at most in one run</source>
        <translation>Faites-en au plus {} par exécution</translation>
    </message>
    <message>
        <source>the first-block cache decides for one video, and the batch has several</source>
        <translation>le cache du premier bloc décide pour une seule vidéo, et le lot en a plusieurs</translation>
    </message>
    <message>
        <source>Write false, or make one video in a run</source>
        <translation>Écrivez false, ou faites une seule vidéo par exécution</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is hexadecimal; numbers are decimal</source>
        <translation>«&#xa0;{}&#xa0;» est hexadécimal&#xa0;; les nombres sont décimaux</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is octal; numbers are decimal</source>
        <translation>«&#xa0;{}&#xa0;» est octal&#xa0;; les nombres sont décimaux</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is binary; numbers are decimal</source>
        <translation>«&#xa0;{}&#xa0;» est binaire&#xa0;; les nombres sont décimaux</translation>
    </message>
    <message>
        <source>Write {}</source>
        <translation>Écrivez {}</translation>
    </message>
    <message>
        <source>Write it in decimal digits</source>
        <translation>Écrivez-le en chiffres décimaux</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is not a whole number</source>
        <translation>«&#xa0;{}&#xa0;» n&apos;est pas un entier</translation>
    </message>
    <message>
        <source>Write a decimal whole number</source>
        <translation>Écrivez un entier décimal</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is not a number</source>
        <translation>«&#xa0;{}&#xa0;» n&apos;est pas un nombre</translation>
    </message>
    <message>
        <source>Write a decimal number</source>
        <translation>Écrivez un nombre décimal</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is not a finite number</source>
        <translation>«&#xa0;{}&#xa0;» n&apos;est pas un nombre fini</translation>
    </message>
    <message>
        <source>Write a finite decimal number</source>
        <translation>Écrivez un nombre décimal fini</translation>
    </message>
    <message>
        <source>&quot;{}&quot; starts with 0, which some read as octal</source>
        <translation>«&#xa0;{}&#xa0;» commence par 0, que certains lisent comme de l&apos;octal</translation>
    </message>
    <message>
        <source>&quot;{}&quot; has digit separators</source>
        <translation>«&#xa0;{}&#xa0;» a des séparateurs de chiffres</translation>
    </message>
    <message>
        <source>{} is not a whole number</source>
        <translation>{} n&apos;est pas un entier</translation>
    </message>
    <message>
        <source>Write it in digits alone</source>
        <translation>Écrivez-le en chiffres seulement</translation>
    </message>
    <message>
        <source>{} is not written as a whole number</source>
        <translation>{} n&apos;est pas écrit comme un entier</translation>
    </message>
    <message>
        <source>Write {:.0f}</source>
        <translation>Écrivez {}</translation>
    </message>
    <message>
        <source>The nearest are {:.0f} and {:.0f}</source>
        <translation>Les plus proches sont {} et {}</translation>
    </message>
    <message>
        <source>{} has too many digits</source>
        <translation>{} a trop de chiffres</translation>
    </message>
    <message>
        <source>Whole numbers have at most 63 bits</source>
        <translation>Les entiers ont au plus 63 bits</translation>
    </message>
    <message>
        <source>{} is out of the range of numbers</source>
        <translation>{} est hors de la plage des nombres</translation>
    </message>
    <message>
        <source>A project is a list of keys and values</source>
        <translation>Un projet est une liste de clés et de valeurs</translation>
    </message>
    <message>
        <source>Write one key and its value on a line, key: value</source>
        <translation>Écrivez une clé et sa valeur par ligne, clé: valeur</translation>
    </message>
    <message>
        <source>A --set value is not UTF-8</source>
        <translation>Une valeur de --set n&apos;est pas en UTF-8</translation>
    </message>
    <message>
        <source>Use a UTF-8 terminal</source>
        <translation>Utilisez un terminal UTF-8</translation>
    </message>
    <message>
        <source>&quot;{}&quot; does not set anything</source>
        <translation>«&#xa0;{}&#xa0;» ne définit rien</translation>
    </message>
    <message>
        <source>Write key=value</source>
        <translation>Écrivez clé=valeur</translation>
    </message>
    <message>
        <source>{} and {} say it</source>
        <translation>{} et {} le disent</translation>
    </message>
    <message>
        <source>{}. {}</source>
        <translation>{}. {}</translation>
    </message>
    <message>
        <source>this is how it is here</source>
        <translation>il en est ainsi ici</translation>
    </message>
    <message>
        <source>it has another name here</source>
        <translation>cette clé porte un autre nom ici</translation>
    </message>
    <message>
        <source>this version uses the checkpoint&apos;s weights as they are</source>
        <translation>cette version utilise les poids du checkpoint tels quels</translation>
    </message>
    <message>
        <source>Write background_video: PATH</source>
        <translation>Écrivez background_video: PATH</translation>
    </message>
    <message>
        <source>Write face_video: PATH</source>
        <translation>Écrivez face_video: PATH</translation>
    </message>
    <message>
        <source>nothing is fetched from the network</source>
        <translation>rien n&apos;est récupéré sur le réseau</translation>
    </message>
    <message>
        <source>Download the picture and write image: PATH</source>
        <translation>Téléchargez l&apos;image et écrivez image: PATH</translation>
    </message>
    <message>
        <source>Write mask: PATH</source>
        <translation>Écrivez mask: PATH</translation>
    </message>
    <message>
        <source>the model&apos;s files tell what it is</source>
        <translation>les fichiers du modèle disent ce qu&apos;il est</translation>
    </message>
    <message>
        <source>batch_prompts and batch_seeds say which videos</source>
        <translation>batch_prompts et batch_seeds disent quelles vidéos</translation>
    </message>
    <message>
        <source>Write pose_video: PATH</source>
        <translation>Écrivez pose_video: PATH</translation>
    </message>
    <message>
        <source>Write image: PATH</source>
        <translation>Écrivez image: PATH</translation>
    </message>
    <message>
        <source>Write false</source>
        <translation>Écrivez false</translation>
    </message>
    <message>
        <source>Name it in parts.transformer</source>
        <translation>Nommez-le dans parts.transformer</translation>
    </message>
    <message>
        <source>meshreel tune searches block sizes</source>
        <translation>meshreel tune cherche les tailles de blocs</translation>
    </message>
    <message>
        <source>there is no backward pass</source>
        <translation>il n&apos;y a pas de passe arrière</translation>
    </message>
    <message>
        <source>of the audio and video models of LTX</source>
        <translation>propre aux modèles audio et vidéo de LTX</translation>
    </message>
    <message>
        <source>of Animate, which takes its values from the model</source>
        <translation>propre à Animate, qui prend ses valeurs dans le modèle</translation>
    </message>
    <message>
        <source>of models that make pictures</source>
        <translation>propre aux modèles qui produisent des images</translation>
    </message>
    <message>
        <source>every run records its timings and a trace</source>
        <translation>chaque exécution enregistre ses temps et une trace</translation>
    </message>
    <message>
        <source>nothing is compiled by XLA, and the rules of sharding are built in</source>
        <translation>rien n&apos;est compilé par XLA, et les règles de répartition sont intégrées</translation>
    </message>
    <message>
        <source>weights are read as they were released</source>
        <translation>les poids sont lus tels qu&apos;ils ont été publiés</translation>
    </message>
    <message>
        <source>weights are rounded to int8 by weights_dtype: int8</source>
        <translation>les poids sont arrondis à int8 par weights_dtype: int8</translation>
    </message>
    <message>
        <source>keys of a step cache</source>
        <translation>propre à un cache d&apos;étapes</translation>
    </message>
    <message>
        <source>the keys of the prompt are kept, and both prompts are encoded together, always</source>
        <translation>les clés d&apos;attention du prompt sont toujours conservées, et les deux prompts toujours encodés ensemble</translation>
    </message>
    <message>
        <source>guidance_scale alone says whether there is guidance</source>
        <translation>guidance_scale dit à lui seul s&apos;il y a guidage</translation>
    </message>
    <message>
        <source>run folders hold what a run leaves: see --out</source>
        <translation>les dossiers d&apos;exécution contiennent ce que laisse une exécution&#xa0;: voir --out</translation>
    </message>
    <message>
        <source>nothing is trained here</source>
        <translation>rien n&apos;est entraîné ici</translation>
    </message>
    <message>
        <source>the scheduler is the checkpoint&apos;s, or that of the key scheduler</source>
        <translation>le planificateur est celui du checkpoint, ou celui de la clé scheduler</translation>
    </message>
    <message>
        <source>of other programs than generation</source>
        <translation>propre à d&apos;autres programmes que la génération</translation>
    </message>
    <message>
        <source>{}: there is no file {}</source>
        <translation>{}&#xa0;: il n&apos;y a pas de fichier {}</translation>
    </message>
    <message>
        <source>Check the path; one that does not begin with / starts at the project&apos;s folder</source>
        <translation>Vérifiez le chemin&#xa0;; s&apos;il ne commence pas par /, il part du dossier du projet</translation>
    </message>
    <message>
        <source>{} is {}, below its least</source>
        <translation>{} vaut {}, en dessous du minimum</translation>
    </message>
    <message>
        <source>The nearest legal value is {} ({} is automatic)</source>
        <translation>La valeur admise la plus proche est {} ({} est automatique)</translation>
    </message>
    <message>
        <source>{} is {}, above its most</source>
        <translation>{} vaut {}, au-dessus du maximum</translation>
    </message>
    <message>
        <source>{} is not a finite number</source>
        <translation>{} n&apos;est pas un nombre fini</translation>
    </message>
    <message>
        <source>{} cannot be &quot;{}&quot;</source>
        <translation>{} ne peut pas être «&#xa0;{}&#xa0;»</translation>
    </message>
    <message>
        <source>The choices are {}</source>
        <translation>Les choix sont {}</translation>
    </message>
    <message>
        <source>Did you mean &quot;{}&quot;? The choices are {}</source>
        <translation>Vouliez-vous dire «&#xa0;{}&#xa0;»&#xa0;? Les choix sont {}</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is not true or false</source>
        <translation>«&#xa0;{}&#xa0;» n&apos;est ni true ni false</translation>
    </message>
    <message>
        <source>Write true</source>
        <translation>Écrivez true</translation>
    </message>
    <message>
        <source>Write true or false</source>
        <translation>Écrivez true ou false</translation>
    </message>
    <message>
        <source>Write [{{file: PATH, strength: 1}}]</source>
        <translation>Écrivez [{{file: PATH, strength: 1}}]</translation>
    </message>
    <message>
        <source>choice</source>
        <translation>choix</translation>
    </message>
    <message>
        <source>integer</source>
        <translation>entier</translation>
    </message>
    <message>
        <source>number</source>
        <translation>nombre</translation>
    </message>
    <message>
        <source>true or false</source>
        <translation>true ou false</translation>
    </message>
    <message>
        <source>text</source>
        <translation>texte</translation>
    </message>
    <message>
        <source>list</source>
        <translation>liste</translation>
    </message>
    <message>
        <source>An adapter&apos;s {} is not one text</source>
        <translation>La clé {} d&apos;un adaptateur n&apos;est pas un texte unique</translation>
    </message>
    <message>
        <source>Write one value behind it</source>
        <translation>Écrivez une seule valeur à sa suite</translation>
    </message>
    <message>
        <source>strength {} is beyond its range</source>
        <translation>strength {} est hors de sa plage</translation>
    </message>
    <message>
        <source>Write a number from -{} to {}; 1 is the adapter as it was trained</source>
        <translation>Écrivez un nombre de -{} à {}&#xa0;; 1 est l&apos;adaptateur tel qu&apos;il a été entraîné</translation>
    </message>
    <message>
        <source>expert cannot be &quot;{:.80}&quot;</source>
        <translation>expert ne peut pas être «&#xa0;{}&#xa0;»</translation>
    </message>
    <message>
        <source>Write high, low or all</source>
        <translation>Écrivez high, low ou all</translation>
    </message>
    <message>
        <source>An adapter is neither a path nor a map</source>
        <translation>Un adaptateur n&apos;est ni un chemin ni une table</translation>
    </message>
    <message>
        <source>Write {{file: PATH, strength: 1}}</source>
        <translation>Écrivez {{file: PATH, strength: 1}}</translation>
    </message>
    <message>
        <source>An adapter has no &quot;{:.80}&quot;</source>
        <translation>Un adaptateur n&apos;a pas de clé «&#xa0;{}&#xa0;»</translation>
    </message>
    <message>
        <source>Its keys are {}</source>
        <translation>Ses clés sont {}</translation>
    </message>
    <message>
        <source>An adapter has no file</source>
        <translation>Un adaptateur n&apos;a pas de fichier</translation>
    </message>
    <message>
        <source>Name the adapters in lora: [{{file: PATH}}]</source>
        <translation>Nommez les adaptateurs dans lora: [{{file: PATH}}]</translation>
    </message>
    <message>
        <source>lora_config has no lora_model_name_or_path for adapter {}</source>
        <translation>lora_config n&apos;a pas de lora_model_name_or_path pour l&apos;adaptateur {}</translation>
    </message>
    <message>
        <source>Give all its lists the same length</source>
        <translation>Donnez la même longueur à toutes ses listes</translation>
    </message>
    <message>
        <source>Write numbers above 0, up to {}</source>
        <translation>Écrivez des nombres supérieurs à 0, jusqu&apos;à {}</translation>
    </message>
    <message>
        <source>{} do not descend</source>
        <translation>{} ne décroissent pas</translation>
    </message>
    <message>
        <source>Write each once, largest first</source>
        <translation>Écrivez chacun une seule fois, le plus grand d&apos;abord</translation>
    </message>
    <message>
        <source>Write numbers separated by commas</source>
        <translation>Écrivez des nombres séparés par des virgules</translation>
    </message>
    <message>
        <source>{} and {} are both given</source>
        <translation>{} et {} sont donnés tous les deux</translation>
    </message>
    <message>
        <source>Remove one of them</source>
        <translation>Retirez l&apos;un d&apos;eux</translation>
    </message>
    <message>
        <source>Write numbers from 0 to 100</source>
        <translation>Écrivez des nombres de 0 à 100</translation>
    </message>
    <message>
        <source>conditioning_scale is empty</source>
        <translation>conditioning_scale est vide</translation>
    </message>
    <message>
        <source>{} (and {} more)</source>
        <translation>{} (et {} de plus)</translation>
    </message>
    <message>
        <source>The file names no version and is read as version {}</source>
        <translation>Le fichier n&apos;indique pas de version et est lu comme version {}</translation>
    </message>
    <message>
        <source>Write version: {}, or open it with the Meshreel that wrote it</source>
        <translation>Écrivez version: {}, ou ouvrez-le avec le Meshreel qui l&apos;a écrit</translation>
    </message>
    <message>
        <source>{} has no value</source>
        <translation>{} n&apos;a pas de valeur</translation>
    </message>
    <message>
        <source>Write &quot;&quot; for no text, or remove the line</source>
        <translation>Écrivez &quot;&quot; pour un texte vide, ou retirez la ligne</translation>
    </message>
    <message>
        <source>Write a value, or remove the line</source>
        <translation>Écrivez une valeur, ou retirez la ligne</translation>
    </message>
    <message>
        <source>{} holds several values</source>
        <translation>{} contient plusieurs valeurs</translation>
    </message>
    <message>
        <source>Write one value: {}</source>
        <translation>Écrivez une seule valeur&#xa0;: {}</translation>
    </message>
    <message>
        <source>{} is in quotes, but it is not a text</source>
        <translation>{} est entre guillemets, mais ce n&apos;est pas un texte</translation>
    </message>
    <message>
        <source>Remove the quotes</source>
        <translation>Retirez les guillemets</translation>
    </message>
    <message>
        <source>enable_lora is true, but no adapter is named</source>
        <translation>enable_lora vaut true, mais aucun adaptateur n&apos;est nommé</translation>
    </message>
    <message>
        <source>Name them in lora: [{{file: PATH, strength: 1}}]</source>
        <translation>Nommez-les dans lora: [{{file: PATH, strength: 1}}]</translation>
    </message>
    <message>
        <source>{} is not possible: {}</source>
        <translation>{} n&apos;est pas possible&#xa0;: {}</translation>
    </message>
    <message>
        <source>{} has no effect: {}</source>
        <translation>{} est sans effet&#xa0;: {}</translation>
    </message>
    <message>
        <source>{} is a map of keys</source>
        <translation>{} est une table de clés</translation>
    </message>
    <message>
        <source>Write its keys below it, indented, or set one with {}.KEY=VALUE</source>
        <translation>Écrivez ses clés en dessous, en retrait, ou définissez-en une avec {}.KEY=VALUE</translation>
    </message>
    <message>
        <source>There is no key &quot;{:.80}&quot;</source>
        <translation>Il n&apos;y a pas de clé «&#xa0;{}&#xa0;»</translation>
    </message>
    <message>
        <source>docs/project-keys.md lists all keys</source>
        <translation>docs/project-keys.md énumère toutes les clés</translation>
    </message>
    <message>
        <source>Did you mean &quot;{}&quot;?</source>
        <translation>Vouliez-vous dire «&#xa0;{}&#xa0;»&#xa0;?</translation>
    </message>
    <message>
        <source>1 MaxDiffusion key has no meaning here and is ignored: {}</source>
        <translation>1 clé de MaxDiffusion n&apos;a pas de sens ici et est ignorée&#xa0;: {}</translation>
    </message>
    <message>
        <source>{} MaxDiffusion keys have no meaning here and are ignored: {}</source>
        <translation>{} clés de MaxDiffusion n&apos;ont pas de sens ici et sont ignorées&#xa0;: {}</translation>
    </message>
    <message>
        <source>Check the project&apos;s path</source>
        <translation>Vérifiez le chemin du projet</translation>
    </message>
    <message>
        <source>A sweep is a map of keys</source>
        <translation>Un balayage est une table de clés</translation>
    </message>
    <message>
        <source>Begin with version: 1</source>
        <translation>Commencez par version: 1</translation>
    </message>
    <message>
        <source>The sweep names no strategies</source>
        <translation>Le balayage ne nomme aucune stratégie</translation>
    </message>
    <message>
        <source>List at least one: - {{name: ring, attention: tokamax_ring}}</source>
        <translation>Donnez-en au moins une&#xa0;: - {{name: ring, attention: tokamax_ring}}</translation>
    </message>
    <message>
        <source>A sweep has no key {}</source>
        <translation>Un balayage n&apos;a pas de clé {}</translation>
    </message>
    <message>
        <source>It has version, name, arch, layers, repeats, trace_batch, base, strategies and vary</source>
        <translation>Il a version, name, arch, layers, repeats, trace_batch, base, strategies et vary</translation>
    </message>
    <message>
        <source>A strategy has no name</source>
        <translation>Une stratégie n&apos;a pas de nom</translation>
    </message>
    <message>
        <source>Write - {{name: ring, …}}</source>
        <translation>Écrivez - {{name: ring, …}}</translation>
    </message>
    <message>
        <source>Two strategies are called {}</source>
        <translation>Deux stratégies s&apos;appellent {}</translation>
    </message>
    <message>
        <source>Give each a name of its own</source>
        <translation>Donnez à chacune son propre nom</translation>
    </message>
    <message>
        <source>Write {}: [1, 2]</source>
        <translation>Écrivez {}: [1, 2]</translation>
    </message>
    <message>
        <source>{} has no single value</source>
        <translation>{} n&apos;a pas une valeur unique</translation>
    </message>
    <message>
        <source>Lists go under vary</source>
        <translation>Les listes vont sous vary</translation>
    </message>
    <message>
        <source>vae_spatial is {}, which does not divide the {} devices of the mesh</source>
        <translation>vae_spatial vaut {}, qui ne divise pas les {} appareils du maillage</translation>
    </message>
    <message>
        <source>The nearest legal value is {} (-1 takes as many as help)</source>
        <translation>La valeur admise la plus proche est {} (-1 en prend autant qu&apos;il est utile)</translation>
    </message>
    <message>
        <source>The tensor axis has {} devices, which do not divide the model&apos;s {} feed-forward features</source>
        <translation>L&apos;axe de tenseur a {} appareils, qui ne divisent pas les {} caractéristiques du feed-forward du modèle</translation>
    </message>
    <message>
        <source>The nearest sizes that divide its features and heads are {} and {}</source>
        <translation>Les tailles les plus proches qui divisent ses caractéristiques et ses têtes sont {} et {}</translation>
    </message>
    <message>
        <source>videos and their halves of guidance</source>
        <translation>les vidéos et leurs moitiés du guidage</translation>
    </message>
    <message>
        <source>the two halves of guidance</source>
        <translation>les deux moitiés du guidage</translation>
    </message>
    <message>
        <source>one video, no guidance</source>
        <translation>une vidéo, sans guidage</translation>
    </message>
    <message>
        <source>The data and fsdp axes share out a batch of {} ({}) among {} devices; {} have no row to compute</source>
        <translation>Les axes des données et FSDP répartissent un lot de {} ({}) sur {} appareils&#xa0;; {} n&apos;ont aucune ligne à calculer</translation>
    </message>
    <message>
        <source>Give the devices to the context axis, which shares out the sequence</source>
        <translation>Donnez les appareils à l&apos;axe de contexte, qui répartit la séquence</translation>
    </message>
    <message>
        <source>weights_dtype: int8 rounds what goes into the layers to 8 bits, and does not go with activations_dtype: float32</source>
        <translation>weights_dtype: int8 arrondit à 8 bits ce qui entre dans les couches, et ne va pas avec activations_dtype: float32</translation>
    </message>
    <message>
        <source>Set activations_dtype: bfloat16, or weights_dtype: bfloat16 to keep float32 activations</source>
        <translation>Mettez activations_dtype: bfloat16, ou weights_dtype: bfloat16 pour garder des activations float32</translation>
    </message>
    <message>
        <source>{} needs {} above 1, and it is {}: {}</source>
        <translation>{} exige {} supérieur à 1, et il vaut {}&#xa0;: {}</translation>
    </message>
    <message>
        <source>Raise {}, or write {}: false</source>
        <translation>Augmentez {}, ou écrivez {}: false</translation>
    </message>
    <message>
        <source>Write two numbers for each step, the prompt&apos;s and the negative prompt&apos;s</source>
        <translation>Écrivez deux nombres par étape, celui du prompt et celui du prompt négatif</translation>
    </message>
    <message>
        <source>{} are not all finite numbers</source>
        <translation>{} ne sont pas tous des nombres finis</translation>
    </message>
    <message>
        <source>Write numbers separated by commas, that of the highest power first</source>
        <translation>Écrivez des nombres séparés par des virgules, celui de la plus haute puissance d&apos;abord</translation>
    </message>
    <message>
        <source>it has {} numbers, and every step has two</source>
        <translation>elle a {} nombres, et chaque étape en a deux</translation>
    </message>
    <message>
        <source>its numbers are not all from 0 to {}</source>
        <translation>ses nombres ne sont pas tous de 0 à {}</translation>
    </message>
    <message>
        <source>{} and {} are mutually exclusive: each decides by itself what a step takes over from earlier ones, and none is made for predictions that another one has made up</source>
        <translation>{} et {} s&apos;excluent&#xa0;: chacun décide seul de ce qu&apos;une étape reprend des précédentes, et aucun n&apos;est fait pour des prédictions qu&apos;un autre a reconstituées</translation>
    </message>
    <message>
        <source>Enable only one</source>
        <translation>N&apos;en activez qu&apos;un</translation>
    </message>
    <message>
        <source>The prompt is empty</source>
        <translation>Le prompt est vide</translation>
    </message>
    <message>
        <source>Say what the video should show, for example prompt: a red ball moving right</source>
        <translation>Dites ce que la vidéo doit montrer, par exemple prompt: a red ball moving right</translation>
    </message>
    <message>
        <source>broadcast_weights sends a model&apos;s folder, and no adapters</source>
        <translation>broadcast_weights envoie le dossier d&apos;un modèle, sans adaptateurs</translation>
    </message>
    <message>
        <source>Copy model and adapters to every host, and write false</source>
        <translation>Copiez le modèle et les adaptateurs sur chaque hôte, et écrivez false</translation>
    </message>
    <message>
        <source>negative_prompt is not used, because guidance_scale is 1 or less</source>
        <translation>negative_prompt n&apos;est pas utilisé, car guidance_scale vaut 1 ou moins</translation>
    </message>
    <message>
        <source>{} is {} in place of the {} of preset {}</source>
        <translation>{} vaut {} au lieu de {}, la valeur du préréglage {}</translation>
    </message>
    <message>
        <source>This is a YAML alias, which a project cannot hold</source>
        <translation>Ceci est un alias YAML, qu&apos;un projet ne peut pas contenir</translation>
    </message>
    <message>
        <source>Write the value out in full</source>
        <translation>Écrivez la valeur elle-même, en entier</translation>
    </message>
    <message>
        <source>&quot;&amp;{}&quot; is a YAML anchor, which a project cannot hold</source>
        <translation>&quot;&amp;{}&quot; est une ancre YAML, qu&apos;un projet ne peut pas contenir</translation>
    </message>
    <message>
        <source>Remove it and write each value out in full</source>
        <translation>Retirez-la et écrivez chaque valeur en entier</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is a YAML tag, which a project cannot hold</source>
        <translation>&quot;{}&quot; est une balise YAML, qu&apos;un projet ne peut pas contenir</translation>
    </message>
    <message>
        <source>Remove it</source>
        <translation>Retirez-la</translation>
    </message>
    <message>
        <source>The lists and maps are more than {} deep</source>
        <translation>Les listes et les tables sont imbriquées sur plus de {} niveaux</translation>
    </message>
    <message>
        <source>A project is a flat list of keys</source>
        <translation>Un projet est une simple liste de clés</translation>
    </message>
    <message>
        <source>A key must be a plain name</source>
        <translation>Une clé doit être un simple nom</translation>
    </message>
    <message>
        <source>The key &quot;{}&quot; is already given at line {}</source>
        <translation>La clé «&#xa0;{}&#xa0;» est déjà donnée à la ligne {}</translation>
    </message>
    <message>
        <source>Keep one of them</source>
        <translation>Gardez-en une</translation>
    </message>
    <message>
        <source>A second YAML document begins here</source>
        <translation>Un second document YAML commence ici</translation>
    </message>
    <message>
        <source>A project is one document; remove the &quot;---&quot; line or what follows it</source>
        <translation>Un projet est un seul document&#xa0;; retirez la ligne &quot;---&quot; ou ce qui la suit</translation>
    </message>
    <message>
        <source>The project has {} bytes; at most {} are read</source>
        <translation>Le projet a {} octets&#xa0;; au plus {} sont lus</translation>
    </message>
    <message>
        <source>Check that this is a project file</source>
        <translation>Vérifiez qu&apos;il s&apos;agit d&apos;un fichier de projet</translation>
    </message>
    <message>
        <source>The text is not UTF-8</source>
        <translation>Le texte n&apos;est pas en UTF-8</translation>
    </message>
    <message>
        <source>Save the file as UTF-8</source>
        <translation>Enregistrez le fichier en UTF-8</translation>
    </message>
    <message>
        <source>This is not YAML: {}</source>
        <translation>Ceci n&apos;est pas du YAML&#xa0;: {}</translation>
    </message>
    <message>
        <source>Write one key and its value on a line, key: value, and quote texts with special characters</source>
        <translation>Écrivez une clé et sa valeur par ligne, clé: valeur, et mettez entre guillemets les textes à caractères spéciaux</translation>
    </message>
    <message>
        <source>no pipe to another program could be made ({})</source>
        <translation>aucun tube vers un autre programme n&apos;a pu être créé ({})</translation>
    </message>
    <message>
        <source>Close other programs or raise the limit on open files (ulimit -n)</source>
        <translation>Fermez d&apos;autres programmes ou relevez la limite de fichiers ouverts (ulimit -n)</translation>
    </message>
    <message>
        <source>{} cannot be started ({})</source>
        <translation>{} ne peut pas être lancé ({})</translation>
    </message>
    <message>
        <source>Install Open MPI (apt-get install openmpi-bin)</source>
        <translation>Installez Open MPI (apt-get install openmpi-bin)</translation>
    </message>
    <message>
        <source>Write one host a line: name [slots=N]</source>
        <translation>Écrivez un hôte par ligne&#xa0;: name [slots=N]</translation>
    </message>
    <message>
        <source>Use letters, digits, &apos;.&apos;, &apos;-&apos; and &apos;_&apos;; name IPv6 addresses in /etc/hosts</source>
        <translation>Utilisez des lettres, des chiffres, &apos;.&apos;, &apos;-&apos; et &apos;_&apos;&#xa0;; nommez les adresses IPv6 dans /etc/hosts</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is not understood</source>
        <translation>«&#xa0;{}&#xa0;» n&apos;est pas compris</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is too much on this line</source>
        <translation>«&#xa0;{}&#xa0;» est de trop sur cette ligne</translation>
    </message>
    <message>
        <source>the host &apos;{}&apos; is listed twice</source>
        <translation>l&apos;hôte «&#xa0;{}&#xa0;» figure deux fois</translation>
    </message>
    <message>
        <source>List it once, with slots= for more than one rank</source>
        <translation>Indiquez-le une fois, avec slots= pour plus d&apos;un rang</translation>
    </message>
    <message>
        <source>it lists no host</source>
        <translation>il n&apos;indique aucun hôte</translation>
    </message>
    <message>
        <source>there is no such file of hosts</source>
        <translation>ce fichier des hôtes n&apos;existe pas</translation>
    </message>
    <message>
        <source>{} bytes of the model do not fit into memory ({})</source>
        <translation>{} octets du modèle ne tiennent pas en mémoire ({})</translation>
    </message>
    <message>
        <source>Copy the model to every host and leave --broadcast-weights out</source>
        <translation>Copiez le modèle sur chaque hôte et omettez --broadcast-weights</translation>
    </message>
    <message>
        <source>no temporary folder could be made ({})</source>
        <translation>aucun dossier temporaire n&apos;a pu être créé ({})</translation>
    </message>
    <message>
        <source>Set TMPDIR to a folder that can be written to</source>
        <translation>Faites pointer TMPDIR vers un dossier accessible en écriture</translation>
    </message>
    <message>
        <source>the run to compare with has no latents yet</source>
        <translation>l&apos;exécution à comparer n&apos;a pas encore de latents</translation>
    </message>
    <message>
        <source>Finish it first, or remove compare_with</source>
        <translation>Terminez-la d&apos;abord, ou retirez compare_with</translation>
    </message>
    <message>
        <source>the run to compare with is {}x{} with {} frames, and this one {}x{} with {}</source>
        <translation>l&apos;exécution à comparer est en {}x{} avec {} images, et celle-ci en {}x{} avec {}</translation>
    </message>
    <message>
        <source>Compare runs of one size and length</source>
        <translation>Comparez des exécutions de même taille et de même longueur</translation>
    </message>
    <message>
        <source>the file is damaged ({})</source>
        <translation>le fichier est endommagé ({})</translation>
    </message>
    <message>
        <source>Restore the run folder from a copy, or start a new run</source>
        <translation>Restaurez le dossier d&apos;exécution à partir d&apos;une copie, ou lancez une nouvelle exécution</translation>
    </message>
    <message>
        <source>the folder for the run is not empty</source>
        <translation>le dossier de l&apos;exécution n&apos;est pas vide</translation>
    </message>
    <message>
        <source>the folder for the run cannot be made ({})</source>
        <translation>le dossier de l&apos;exécution ne peut pas être créé ({})</translation>
    </message>
    <message>
        <source>there is no such run folder</source>
        <translation>ce dossier d&apos;exécution n&apos;existe pas</translation>
    </message>
    <message>
        <source>this is not a run folder: it has no {}</source>
        <translation>ceci n&apos;est pas un dossier d&apos;exécution&#xa0;: il n&apos;a pas de {}</translation>
    </message>
    <message>
        <source>Give a folder that meshreel run has made</source>
        <translation>Donnez un dossier créé par meshreel run</translation>
    </message>
    <message>
        <source>another program is working on this run</source>
        <translation>un autre programme travaille sur cette exécution</translation>
    </message>
    <message>
        <source>Wait until it is done, or cancel it there</source>
        <translation>Attendez qu&apos;il ait fini, ou annulez-la là-bas</translation>
    </message>
    <message>
        <source>it does not say its step</source>
        <translation>il n&apos;indique pas son étape</translation>
    </message>
    <message>
        <source>its step numbers disagree</source>
        <translation>ses numéros d&apos;étape se contredisent</translation>
    </message>
    <message>
        <source>there is no home folder to keep runs in</source>
        <translation>il n&apos;y a pas de dossier personnel où garder les exécutions</translation>
    </message>
    <message>
        <source>Set MESHREEL_RUNS to a folder, or give --out</source>
        <translation>Faites pointer MESHREEL_RUNS vers un dossier, ou donnez --out</translation>
    </message>
    <message>
        <source>{} cannot be copied into the run&apos;s folder ({})</source>
        <translation>{} ne peut pas être copié dans le dossier de l&apos;exécution ({})</translation>
    </message>
    <message>
        <source>Check that the file is there and can be read</source>
        <translation>Vérifiez que le fichier est là et peut être lu</translation>
    </message>
    <message>
        <source>Choose a folder that you may write to</source>
        <translation>Choisissez un dossier où vous pouvez écrire</translation>
    </message>
    <message>
        <source>The notes cannot be read: {}</source>
        <translation>Les notes ne peuvent pas être lues&#xa0;: {}</translation>
    </message>
    <message>
        <source>Mend the file, or delete it to start anew</source>
        <translation>Corrigez le fichier, ou supprimez-le pour repartir de zéro</translation>
    </message>
    <message>
        <source>there is no video format named &quot;{}&quot;</source>
        <translation>il n&apos;y a pas de format vidéo nommé «&#xa0;{}&#xa0;»</translation>
    </message>
    <message>
        <source>meshreel keys lists them</source>
        <translation>meshreel keys les énumère</translation>
    </message>
    <message>
        <source>the run was made on another machine or build ({})</source>
        <translation>l&apos;exécution a été faite sur une autre machine ou avec une autre version ({})</translation>
    </message>
    <message>
        <source>the run has no latents.safetensors yet</source>
        <translation>l&apos;exécution n&apos;a pas encore de latents.safetensors</translation>
    </message>
    <message>
        <source>the latents {} do not belong to the run&apos;s project ({})</source>
        <translation>les latents {} ne correspondent pas au projet de l&apos;exécution ({})</translation>
    </message>
    <message>
        <source>Restore the run folder from a copy</source>
        <translation>Restaurez le dossier d&apos;exécution à partir d&apos;une copie</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is not a status of a run</source>
        <translation>«&#xa0;{}&#xa0;» n&apos;est pas un état d&apos;exécution</translation>
    </message>
    <message>
        <source>It is one of running, done, cancelled, failed</source>
        <translation>Les états possibles sont running, done, cancelled et failed</translation>
    </message>
    <message>
        <source>it makes up the negative prompt&apos;s half, and without guidance there is none</source>
        <translation>il reconstitue la moitié du prompt négatif, et sans guidage il n&apos;y en a pas</translation>
    </message>
    <message>
        <source>its limit was measured on guided predictions</source>
        <translation>sa limite a été mesurée sur des prédictions guidées</translation>
    </message>
    <message>
        <source>its curve follows the prompt&apos;s and the negative prompt&apos;s half</source>
        <translation>sa courbe suit la moitié du prompt et celle du prompt négatif</translation>
    </message>
    <message>
        <source>There is no scheduler &quot;{}&quot;</source>
        <translation>Il n&apos;y a pas de planificateur «&#xa0;{}&#xa0;»</translation>
    </message>
    <message>
        <source>Use one of {}</source>
        <translation>Utilisez l&apos;un de ceux-ci&#xa0;: {}</translation>
    </message>
    <message>
        <source>The checkpoint asks for the scheduler {}, which Meshreel does not have</source>
        <translation>Le checkpoint demande le planificateur {}, que Meshreel n&apos;a pas</translation>
    </message>
    <message>
        <source>Choose one with the key `scheduler`: {}</source>
        <translation>Choisissez-en un avec la clé `scheduler`&#xa0;: {}</translation>
    </message>
    <message>
        <source>A run of {} steps was asked for</source>
        <translation>Une exécution de {} étapes a été demandée</translation>
    </message>
    <message>
        <source>Use at least 1</source>
        <translation>Utilisez au moins 1</translation>
    </message>
    <message>
        <source>Custom sigmas must be at least one number in (0, 1], descending</source>
        <translation>Des sigmas personnalisés doivent être au moins un nombre dans (0, 1], en ordre décroissant</translation>
    </message>
    <message>
        <source>Correct the list</source>
        <translation>Corrigez la liste</translation>
    </message>
    <message>
        <source>Use a higher strength or more steps</source>
        <translation>Utilisez une force plus grande ou plus d&apos;étapes</translation>
    </message>
    <message>
        <source>The saved run stands at step {} of {}</source>
        <translation>L&apos;exécution enregistrée en est à l&apos;étape {} sur {}</translation>
    </message>
    <message>
        <source>Resume with the run&apos;s own number of steps</source>
        <translation>Reprenez avec le nombre d&apos;étapes de l&apos;exécution</translation>
    </message>
    <message>
        <source>a scheduler config must be a JSON object</source>
        <translation>une configuration de planificateur doit être un objet JSON</translation>
    </message>
    <message>
        <source>Restore the file from the checkpoint&apos;s source</source>
        <translation>Restaurez le fichier depuis la source du checkpoint</translation>
    </message>
    <message>
        <source>`{}` has the value {}, which is of the wrong type</source>
        <translation>`{}` a la valeur {}, qui est du mauvais type</translation>
    </message>
    <message>
        <source>Correct the scheduler config</source>
        <translation>Corrigez la configuration du planificateur</translation>
    </message>
    <message>
        <source>`{}` is &quot;{}&quot;, which is not supported</source>
        <translation>`{}` vaut &quot;{}&quot;, qui n&apos;est pas pris en charge</translation>
    </message>
    <message>
        <source>`{}` is {}, which is not supported</source>
        <translation>`{}` vaut {}, qui n&apos;est pas pris en charge</translation>
    </message>
    <message>
        <source>Remove the key from the scheduler config</source>
        <translation>Retirez la clé de la configuration du planificateur</translation>
    </message>
    <message>
        <source>`use_karras_sigmas` and `use_exponential_sigmas` are both true</source>
        <translation>`use_karras_sigmas` et `use_exponential_sigmas` valent tous deux true</translation>
    </message>
    <message>
        <source>`use_exponential_sigmas` with `use_flow_sigmas` has noise levels above 1, which no flow has</source>
        <translation>`use_exponential_sigmas` avec `use_flow_sigmas` a des niveaux de bruit supérieurs à 1, qu&apos;aucun flux n&apos;a</translation>
    </message>
    <message>
        <source>Set one of them to false</source>
        <translation>Mettez l&apos;un d&apos;eux à false</translation>
    </message>
    <message>
        <source>`shift_terminal` needs evenly spaced flow sigmas</source>
        <translation>`shift_terminal` exige des sigmas de flux régulièrement espacés</translation>
    </message>
    <message>
        <source>Remove `shift_terminal`</source>
        <translation>Retirez `shift_terminal`</translation>
    </message>
    <message>
        <source>`num_train_timesteps` is {}</source>
        <translation>`num_train_timesteps` vaut {}</translation>
    </message>
    <message>
        <source>It must be at least 1</source>
        <translation>Il doit valoir au moins 1</translation>
    </message>
    <message>
        <source>`solver_order` is {}</source>
        <translation>`solver_order` vaut {}</translation>
    </message>
    <message>
        <source>Use 1, 2 or 3</source>
        <translation>Utilisez 1, 2 ou 3</translation>
    </message>
    <message>
        <source>the flow shift is {:f}</source>
        <translation>le décalage du flux vaut {}</translation>
    </message>
    <message>
        <source>It must be above 0</source>
        <translation>Il doit être supérieur à 0</translation>
    </message>
    <message>
        <source>`final_sigmas_type` &quot;sigma_min&quot; has no meaning in {}</source>
        <translation>`final_sigmas_type` &quot;sigma_min&quot; n&apos;a pas de sens dans {}</translation>
    </message>
    <message>
        <source>Use &quot;zero&quot;</source>
        <translation>Utilisez &quot;zero&quot;</translation>
    </message>
    <message>
        <source>`predict_x0` is false, which a flow model cannot be sampled with</source>
        <translation>`predict_x0` vaut false, ce qui ne permet pas d&apos;échantillonner un modèle de flux</translation>
    </message>
    <message>
        <source>Set it to true</source>
        <translation>Mettez-le à true</translation>
    </message>
    <message>
        <source>custom sigmas need the evenly spaced flow schedule of {}</source>
        <translation>des sigmas personnalisés exigent la planification de flux régulièrement espacée de {}</translation>
    </message>
    <message>
        <source>Switch `use_karras_sigmas` and `use_exponential_sigmas` off</source>
        <translation>Désactivez `use_karras_sigmas` et `use_exponential_sigmas`</translation>
    </message>
    <message>
        <source>a picture {} pixels wide does not hold {} frames side by side</source>
        <translation>une image large de {} pixels ne contient pas {} images côte à côte</translation>
    </message>
    <message>
        <source>the folder cannot be made: {}</source>
        <translation>le dossier ne peut pas être créé&#xa0;: {}</translation>
    </message>
    <message>
        <source>Choose another with --out</source>
        <translation>Choisissez-en un autre avec --out</translation>
    </message>
    <message>
        <source>the folder holds an evaluation of another model or other settings</source>
        <translation>le dossier contient une évaluation d&apos;un autre modèle ou d&apos;autres réglages</translation>
    </message>
    <message>
        <source>Choose another with --out, or delete it</source>
        <translation>Choisissez-en un autre avec --out, ou supprimez-le</translation>
    </message>
    <message>
        <source>the sheet holds {} first frames where {} are wanted</source>
        <translation>la planche contient {} premières images au lieu de {}</translation>
    </message>
    <message>
        <source>Restore the file, or make it again with tools/train-tiny-wan/make_first_frames.py</source>
        <translation>Restaurez le fichier, ou refaites-le avec tools/train-tiny-wan/make_first_frames.py</translation>
    </message>
    <message>
        <source>Restore the file, or make it again with tools/train-tiny-wan/make_prompts.py</source>
        <translation>Restaurez le fichier, ou refaites-le avec tools/train-tiny-wan/make_prompts.py</translation>
    </message>
    <message>
        <source>prompt {} asks for &quot;{}&quot;, which nothing here can measure</source>
        <translation>le prompt {} demande «&#xa0;{}&#xa0;», que rien ici ne sait mesurer</translation>
    </message>
    <message>
        <source>prompt {} is empty</source>
        <translation>le prompt {} est vide</translation>
    </message>
    <message>
        <source>prompt {} lacks the text &quot;{}&quot;</source>
        <translation>il manque au prompt {} le texte «&#xa0;{}&#xa0;»</translation>
    </message>
    <message>
        <source>the file holds no list of prompts</source>
        <translation>le fichier ne contient pas de liste de prompts</translation>
    </message>
    <message>
        <source>a run makes one video</source>
        <translation>une exécution fait une seule vidéo</translation>
    </message>
    <message>
        <source>Leave the batch out</source>
        <translation>Omettez le lot</translation>
    </message>
    <message>
        <source>The sweep&apos;s folder cannot be made: {}</source>
        <translation>Le dossier du balayage ne peut pas être créé&#xa0;: {}</translation>
    </message>
    <message>
        <source>Choose another with -o</source>
        <translation>Choisissez-en un autre avec -o</translation>
    </message>
    <message>
        <source>The folder holds rows of another sweep, or of this one before it was changed</source>
        <translation>Le dossier contient des lignes d&apos;un autre balayage, ou de celui-ci avant sa modification</translation>
    </message>
    <message>
        <source>Choose another folder with -o, or remove this one</source>
        <translation>Choisissez un autre dossier avec -o, ou retirez celui-ci</translation>
    </message>
    <message>
        <source>Choose {} or {}</source>
        <translation>Choisissez {} ou {}</translation>
    </message>
    <message>
        <source>dot_product has no blocks to tune</source>
        <translation>dot_product n&apos;a pas de blocs à régler</translation>
    </message>
    <message>
        <source>Choose flash, or another mode that `meshreel modes` lists with a blocked kernel</source>
        <translation>Choisissez flash, ou un autre mode que `meshreel modes` présente avec un noyau par blocs</translation>
    </message>
    <message>
        <source>tiles are tuned on the threads of one process</source>
        <translation>les tuiles se règlent sur les threads d&apos;un seul processus</translation>
    </message>
    <message>
        <source>Tune without mpirun, with `devices` as many as one host runs</source>
        <translation>Réglez sans mpirun, avec autant de `devices` qu&apos;un hôte en exécute</translation>
    </message>
    <message>
        <source>the precompiled character map is not base64</source>
        <translation>la table de caractères précompilée n&apos;est pas en base64</translation>
    </message>
    <message>
        <source>Download the file again</source>
        <translation>Téléchargez à nouveau le fichier</translation>
    </message>
    <message>
        <source>the pattern &apos;{:.80}&apos; is not understood</source>
        <translation>le motif «&#xa0;{}&#xa0;» n&apos;est pas compris</translation>
    </message>
    <message>
        <source>Remove tokenizer.json to use spiece.model instead</source>
        <translation>Retirez tokenizer.json pour utiliser spiece.model à la place</translation>
    </message>
    <message>
        <source>the normalizer &apos;{:.80}&apos; is not supported</source>
        <translation>le normaliseur «&#xa0;{}&#xa0;» n&apos;est pas pris en charge</translation>
    </message>
    <message>
        <source>the prepend_scheme &apos;{:.80}&apos; is not supported</source>
        <translation>le prepend_scheme «&#xa0;{}&#xa0;» n&apos;est pas pris en charge</translation>
    </message>
    <message>
        <source>an empty metaspace replacement is not supported</source>
        <translation>un remplacement metaspace vide n&apos;est pas pris en charge</translation>
    </message>
    <message>
        <source>the pre-tokenizer &apos;{:.80}&apos; is not supported</source>
        <translation>le pré-tokenizer «&#xa0;{}&#xa0;» n&apos;est pas pris en charge</translation>
    </message>
    <message>
        <source>the precompiled character map is damaged</source>
        <translation>la table de caractères précompilée est endommagée</translation>
    </message>
    <message>
        <source>the precompiled character map is not UTF-8</source>
        <translation>la table de caractères précompilée n&apos;est pas en UTF-8</translation>
    </message>
    <message>
        <source>this is not a SentencePiece model</source>
        <translation>ceci n&apos;est pas un modèle SentencePiece</translation>
    </message>
    <message>
        <source>The file is damaged: download it again</source>
        <translation>Le fichier est endommagé&#xa0;: téléchargez-le à nouveau</translation>
    </message>
    <message>
        <source>the SentencePiece model has no piece for end of text or for padding</source>
        <translation>le modèle SentencePiece n&apos;a pas d&apos;unité pour la fin du texte ou pour le remplissage</translation>
    </message>
    <message>
        <source>Use the tokenizer that belongs to the model</source>
        <translation>Utilisez le tokenizer qui va avec le modèle</translation>
    </message>
    <message>
        <source>the folder holds neither {} nor {}</source>
        <translation>le dossier ne contient ni {} ni {}</translation>
    </message>
    <message>
        <source>Download the tokenizer of the model into it</source>
        <translation>Téléchargez-y le tokenizer du modèle</translation>
    </message>
    <message>
        <source>{} tokens do not hold the {} that surround every text</source>
        <translation>{} tokens ne suffisent pas aux {} qui entourent chaque texte</translation>
    </message>
    <message>
        <source>Use 512, as the model was trained</source>
        <translation>Utilisez 512, comme le modèle a été entraîné</translation>
    </message>
    <message>
        <source>the post-processor &apos;{:.80}&apos; is not supported</source>
        <translation>le post-processeur «&#xa0;{}&#xa0;» n&apos;est pas pris en charge</translation>
    </message>
    <message>
        <source>the pad token &apos;{:.80}&apos; is not among its tokens</source>
        <translation>le token de remplissage «&#xa0;{}&#xa0;» n&apos;est pas parmi ses tokens</translation>
    </message>
    <message>
        <source>this is not laid out as a tokenizer ({})</source>
        <translation>ceci n&apos;a pas la structure d&apos;un tokenizer ({})</translation>
    </message>
    <message>
        <source>a text is too long to be normalised</source>
        <translation>un texte est trop long pour être normalisé</translation>
    </message>
    <message>
        <source>Shorten it</source>
        <translation>Raccourcissez-le</translation>
    </message>
    <message>
        <source>the tokenizer model &apos;{:.80}&apos; is not supported, only Unigram is</source>
        <translation>le modèle de tokenizer «&#xa0;{}&#xa0;» n&apos;est pas pris en charge, seul Unigram l&apos;est</translation>
    </message>
    <message>
        <source>unk_id {} is none of the {} pieces</source>
        <translation>unk_id {} n&apos;est aucune des {} unités</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is in no piece, and there is none for unknown characters</source>
        <translation>«&#xa0;{}&#xa0;» n&apos;est dans aucune unité, et il n&apos;y en a pas pour les caractères inconnus</translation>
    </message>
    <message>
        <source>There is no chart of the kind &quot;{}&quot;</source>
        <translation>Il n&apos;y a pas de graphique du type «&#xa0;{}&#xa0;»</translation>
    </message>
    <message>
        <source>a quoted field of this table does not end</source>
        <translation>un champ entre guillemets de ce tableau n&apos;est pas fermé</translation>
    </message>
    <message>
        <source>The file was changed by another program; restore it from a copy, or remove it: the run needs it for its lanes only</source>
        <translation>Le fichier a été modifié par un autre programme&#xa0;; restaurez-le à partir d&apos;une copie, ou retirez-le&#xa0;: l&apos;exécution n&apos;en a besoin que pour les lignes de ses appareils</translation>
    </message>
    <message>
        <source>The devices of step {} are not in their order</source>
        <translation>Les appareils de l&apos;étape {} ne sont pas dans l&apos;ordre</translation>
    </message>
    <message>
        <source>There is no timing summary in it</source>
        <translation>Il ne contient pas de récapitulatif des temps</translation>
    </message>
    <message>
        <source>Give a run folder, or a text that holds a block with the title TIMING SUMMARY</source>
        <translation>Donnez un dossier d&apos;exécution, ou un texte qui contient un bloc intitulé TIMING SUMMARY</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is not a row of {}</source>
        <translation>«&#xa0;{}&#xa0;» n&apos;est pas une ligne de {}</translation>
    </message>
    <message>
        <source>The file was changed by another program; restore it from a copy</source>
        <translation>Le fichier a été modifié par un autre programme&#xa0;; restaurez-le à partir d&apos;une copie</translation>
    </message>
    <message>
        <source>Give tile_size_grid_search.csv as meshreel tune PROJECT --out-dir writes it</source>
        <translation>Donnez tile_size_grid_search.csv tel que l&apos;écrit meshreel tune PROJECT --out-dir</translation>
    </message>
    <message>
        <source>A chart of tiles shows one search, or runs</source>
        <translation>Un graphique de tuiles montre une seule recherche, ou des exécutions</translation>
    </message>
    <message>
        <source>Name the search alone</source>
        <translation>Nommez la recherche seule</translation>
    </message>
    <message>
        <source>Block sizes can only be told apart beside the same video, attention and mesh</source>
        <translation>Les tailles de blocs ne se distinguent qu&apos;à vidéo, attention et maillage égaux</translation>
    </message>
    <message>
        <source>Name runs that differ in block_q and block_kv only</source>
        <translation>Nommez des exécutions qui ne diffèrent que par block_q et block_kv</translation>
    </message>
    <message>
        <source>Nothing that this tile search tried ran</source>
        <translation>Rien de ce que cette recherche de blocs a essayé n&apos;a fonctionné</translation>
    </message>
    <message>
        <source>Its column detail says why</source>
        <translation>Sa colonne detail dit pourquoi</translation>
    </message>
    <message>
        <source>None of these runs finished a step</source>
        <translation>Aucune de ces exécutions n&apos;a terminé une étape</translation>
    </message>
    <message>
        <source>Name runs that got as far as denoising, or the table of meshreel tune --out-dir</source>
        <translation>Nommez des exécutions arrivées au débruitage, ou le tableau de meshreel tune --out-dir</translation>
    </message>
    <message>
        <source>The line &quot;{}&quot; has no seconds</source>
        <translation>La ligne «&#xa0;{}&#xa0;» n&apos;a pas de secondes</translation>
    </message>
    <message>
        <source>Paste the block as it was printed: &quot;Compile:   144.3s&quot;</source>
        <translation>Collez le bloc tel qu&apos;il a été affiché&#xa0;: &quot;Compile:   144.3s&quot;</translation>
    </message>
    <message>
        <source>A timing summary lacks its row &quot;{}&quot;</source>
        <translation>Il manque à un récapitulatif des temps sa ligne «&#xa0;{}&#xa0;»</translation>
    </message>
    <message>
        <source>Paste the whole block</source>
        <translation>Collez le bloc entier</translation>
    </message>
    <message>
        <source>This is not a Chrome trace: {}</source>
        <translation>Ceci n&apos;est pas une trace Chrome&#xa0;: {}</translation>
    </message>
    <message>
        <source>Repeat the run to get its trace.json again</source>
        <translation>Refaites l&apos;exécution pour obtenir à nouveau son trace.json</translation>
    </message>
    <message>
        <source>This is a defect of Meshreel; please report it with this line</source>
        <translation>C&apos;est un défaut de Meshreel&#xa0;; veuillez le signaler avec cette ligne</translation>
    </message>
    <message>
        <source>an output is not a finite number</source>
        <translation>une sortie n&apos;est pas un nombre fini</translation>
    </message>
    <message>
        <source>{} bytes were moved, and {} should have been</source>
        <translation>{} octets ont été déplacés, et il en fallait {}</translation>
    </message>
    <message>
        <source>device {} computed heads from {} to {}</source>
        <translation>l&apos;appareil {} a calculé les têtes de {} à {}</translation>
    </message>
    <message>
        <source>keys were rotated {} times, and should have been {}</source>
        <translation>les clés ont tourné {} fois, et il en fallait {}</translation>
    </message>
    <message>
        <source>{} ran instead</source>
        <translation>c&apos;est {} qui s&apos;est exécuté</translation>
    </message>
    <message>
        <source>there is no group &apos;{}&apos;</source>
        <translation>il n&apos;y a pas de groupe «&#xa0;{}&#xa0;»</translation>
    </message>
    <message>
        <source>Choose among {}</source>
        <translation>Choisissez parmi {}</translation>
    </message>
    <message>
        <source>Give what meshreel bench --json printed, or a file that meshreel bench --append wrote</source>
        <translation>Donnez ce qu&apos;a affiché meshreel bench --json, ou un fichier écrit par meshreel bench --append</translation>
    </message>
    <message>
        <source>No row of this measurement tells operations and bytes beside the machine&apos;s limits</source>
        <translation>Aucune ligne de cette mesure n&apos;indique les opérations et les octets à côté des limites de la machine</translation>
    </message>
    <message>
        <source>A line of this file is no measurement of meshreel bench</source>
        <translation>Une ligne de ce fichier n&apos;est pas une mesure de meshreel bench</translation>
    </message>
    <message>
        <source>This file holds no measurement</source>
        <translation>Ce fichier ne contient aucune mesure</translation>
    </message>
    <message>
        <source>Choose wan2.1-t2v-1.3b or wan2.1-t2v-14b</source>
        <translation>Choisissez wan2.1-t2v-1.3b ou wan2.1-t2v-14b</translation>
    </message>
    <message>
        <source>{}x{}x{} is no size of a video</source>
        <translation>{}x{}x{} n&apos;est pas une taille de vidéo</translation>
    </message>
    <message>
        <source>Choose sides that 16 divides and 4n + 1 frames: 832x480x17</source>
        <translation>Choisissez des côtés divisibles par 16 et 4n + 1 images&#xa0;: 832x480x17</translation>
    </message>
    <message>
        <source>{} of {} is impossible</source>
        <translation>{}&#xa0;: la valeur {} est impossible</translation>
    </message>
    <message>
        <source>Use 1 or more</source>
        <translation>Utilisez 1 ou plus</translation>
    </message>
    <message>
        <source>{} devices are too many</source>
        <translation>{} appareils, c&apos;est trop</translation>
    </message>
    <message>
        <source>Use at most {}</source>
        <translation>Utilisez au plus {}</translation>
    </message>
    <message>
        <source>A tensor of this attention would not fit any memory</source>
        <translation>Un tenseur de cette attention ne tiendrait dans aucune mémoire</translation>
    </message>
    <message>
        <source>Use a smaller batch, sequence, head count or head size</source>
        <translation>Réduisez le lot, la séquence, le nombre de têtes ou la taille des têtes</translation>
    </message>
    <message>
        <source>A probability of {} is impossible</source>
        <translation>Une probabilité de {} est impossible</translation>
    </message>
    <message>
        <source>Use 0 to 1</source>
        <translation>Utilisez de 0 à 1</translation>
    </message>
    <message>
        <source>{} of {} keys cannot be masked</source>
        <translation>{} clés sur {} ne peuvent pas être masquées</translation>
    </message>
    <message>
        <source>Use 0 to {}</source>
        <translation>Utilisez de 0 à {}</translation>
    </message>
    <message>
        <source>There is no row {} in a batch of {}</source>
        <translation>Il n&apos;y a pas de ligne {} dans un lot de {}</translation>
    </message>
    <message>
        <source>{} does not divide the devices by ulysses_shards, so that {} means nothing</source>
        <translation>{} ne divise pas les appareils par ulysses_shards, si bien que {} ne signifie rien</translation>
    </message>
    <message>
        <source>Leave it out, or use one of the ulysses_ring modes</source>
        <translation>Omettez-le, ou utilisez l&apos;un des modes ulysses_ring</translation>
    </message>
    <message>
        <source>Attention does not run in {}</source>
        <translation>L&apos;attention ne fonctionne pas en {}</translation>
    </message>
    <message>
        <source>Use f32 or bf16</source>
        <translation>Utilisez f32 ou bf16</translation>
    </message>
    <message>
        <source>The gain is not a number</source>
        <translation>Le gain n&apos;est pas un nombre</translation>
    </message>
    <message>
        <source>Use a finite number, such as 6</source>
        <translation>Utilisez un nombre fini, comme 6</translation>
    </message>
    <message>
        <source>`{}` has more rows than max_sequence_length</source>
        <translation>`{}` a plus de lignes que max_sequence_length</translation>
    </message>
    <message>
        <source>Restore the golden case</source>
        <translation>Restaurez le cas de référence</translation>
    </message>
    <message>
        <source>The case is of the class {}, which Meshreel cannot run yet</source>
        <translation>Le cas est de la classe {}, que Meshreel ne peut pas encore exécuter</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is not a number</source>
        <translation>«&#xa0;{}&#xa0;» n&apos;est pas un nombre</translation>
    </message>
    <message>
        <source>custom.json has no sigmas for &quot;{}&quot;</source>
        <translation>custom.json n&apos;a pas de sigmas pour «&#xa0;{}&#xa0;»</translation>
    </message>
    <message>
        <source>This is no table of texts and their ids</source>
        <translation>Ceci n&apos;est pas un tableau de textes et de leurs identifiants</translation>
    </message>
    <message>
        <source>something is there already</source>
        <translation>il y a déjà quelque chose ici</translation>
    </message>
    <message>
        <source>Choose a folder that does not exist yet, or remove it first</source>
        <translation>Choisissez un dossier qui n&apos;existe pas encore, ou retirez d&apos;abord celui-ci</translation>
    </message>
    <message>
        <source>{} of weights do not fit on the disk, which has {} left</source>
        <translation>{} de poids ne tiennent pas sur le disque, où il reste {}</translation>
    </message>
    <message>
        <source>Choose fewer --layers, --sparse or another disk</source>
        <translation>Choisissez moins de --layers, --sparse ou un autre disque</translation>
    </message>
    <message>
        <source>no whole model is made around {}</source>
        <translation>aucun modèle complet ne se fait autour de {}</translation>
    </message>
    <message>
        <source>Choose {}1.3b or {}14b, or make each component by itself</source>
        <translation>Choisissez {}1.3b ou {}14b, ou faites chaque composant séparément</translation>
    </message>
    <message>
        <source>there is no part &apos;{}&apos;</source>
        <translation>il n&apos;y a pas de partie «&#xa0;{}&#xa0;»</translation>
    </message>
    <message>
        <source>Golden cases of the kind &quot;{}&quot; are not known yet</source>
        <translation>Les cas de référence du type «&#xa0;{}&#xa0;» ne sont pas encore connus</translation>
    </message>
    <message>
        <source>This version checks {}</source>
        <translation>Cette version vérifie {}</translation>
    </message>
    <message>
        <source>A JSON file of the case is not of the expected form: {}</source>
        <translation>Un fichier JSON du cas n&apos;a pas la forme attendue&#xa0;: {}</translation>
    </message>
    <message>
        <source>`{}` is {}, not a text</source>
        <translation>`{}` vaut {}, ce qui n&apos;est pas un texte</translation>
    </message>
    <message>
        <source>Give the folder of a case</source>
        <translation>Donnez le dossier d&apos;un cas</translation>
    </message>
    <message>
        <source>The case has no `kind`</source>
        <translation>Le cas n&apos;a pas de `kind`</translation>
    </message>
    <message>
        <source>The case has no number `tolerance.{}`</source>
        <translation>Le cas n&apos;a pas de nombre `tolerance.{}`</translation>
    </message>
    <message>
        <source>(none)</source>
        <translation>(aucune)</translation>
    </message>
    <message>
        <source>Cases of the class {} are not known yet; kind {} is checked for {}</source>
        <translation>Les cas de la classe {} ne sont pas encore connus&#xa0;; le type {} est vérifié pour {}</translation>
    </message>
    <message>
        <source>Verify it with a newer Meshreel</source>
        <translation>Vérifiez-le avec un Meshreel plus récent</translation>
    </message>
    <message>
        <source>The case gives the model the input `{}`, which Meshreel cannot run yet</source>
        <translation>Le cas donne au modèle l&apos;entrée `{}`, que Meshreel ne peut pas encore exécuter</translation>
    </message>
    <message>
        <source>Use none, tail:K or head:K (the last or first K keys), row:B (all keys of batch row B) or random:P (each key with probability P)</source>
        <translation>Utilisez none, tail:K ou head:K (les K dernières ou premières clés), row:B (toutes les clés de la ligne B du lot) ou random:P (chaque clé avec la probabilité P)</translation>
    </message>
    <message>
        <source>The case does not say how the pipeline was called</source>
        <translation>Le cas ne dit pas comment le pipeline a été appelé</translation>
    </message>
    <message>
        <source>Restore its README.md, whose line &quot;Call:&quot; holds the arguments</source>
        <translation>Restaurez son README.md, dont la ligne &quot;Call:&quot; contient les arguments</translation>
    </message>
    <message>
        <source>The case calls the pipeline with `{}`, which Meshreel cannot run yet</source>
        <translation>Le cas appelle le pipeline avec `{}`, que Meshreel ne peut pas encore exécuter</translation>
    </message>
    <message>
        <source>An argument of the pipeline call is of the wrong type: {}</source>
        <translation>Un argument de l&apos;appel du pipeline est du mauvais type&#xa0;: {}</translation>
    </message>
    <message>
        <source>the cache cannot be written ({})</source>
        <translation>le cache ne peut pas être écrit ({})</translation>
    </message>
    <message>
        <source>Set XDG_CACHE_HOME to a folder that you may write to, or run with --no-cache</source>
        <translation>Faites pointer XDG_CACHE_HOME vers un dossier où vous pouvez écrire, ou exécutez avec --no-cache</translation>
    </message>
    <message>
        <source>the packed weights are of another model</source>
        <translation>les poids empaquetés sont ceux d&apos;un autre modèle</translation>
    </message>
    <message>
        <source>Clear the cache (meshreel cache clear --weights): it is made again</source>
        <translation>Videz le cache (meshreel cache clear --weights)&#xa0;: il est refait</translation>
    </message>
    <message>
        <source>the file of packed weights is too short</source>
        <translation>le fichier des poids empaquetés est trop court</translation>
    </message>
    <message>
        <source>this is not a file of packed weights of this version</source>
        <translation>ceci n&apos;est pas un fichier de poids empaquetés de cette version</translation>
    </message>
    <message>
        <source>the file of packed weights is not complete</source>
        <translation>le fichier des poids empaquetés n&apos;est pas complet</translation>
    </message>
    <message>
        <source>the directory of the packed weights is damaged</source>
        <translation>le répertoire des poids empaquetés est endommagé</translation>
    </message>
    <message>
        <source>the packed &apos;{}&apos; lies outside its file</source>
        <translation>«&#xa0;{}&#xa0;» empaqueté est hors de son fichier</translation>
    </message>
    <message>
        <source>the directory of the packed weights is malformed: {}</source>
        <translation>le répertoire des poids empaquetés est mal formé&#xa0;: {}</translation>
    </message>
    <message>
        <source>the packed &apos;{}&apos; is damaged</source>
        <translation>«&#xa0;{}&#xa0;» empaqueté est endommagé</translation>
    </message>
    <message>
        <source>the packed weights could not be written ({})</source>
        <translation>les poids empaquetés n&apos;ont pas pu être écrits ({})</translation>
    </message>
    <message>
        <source>Free some space, set XDG_CACHE_HOME to another disk, or run with --no-cache</source>
        <translation>Libérez de l&apos;espace, faites pointer XDG_CACHE_HOME vers un autre disque, ou exécutez avec --no-cache</translation>
    </message>
    <message>
        <source>Clear the cache ({}): it is made again</source>
        <translation>Videz le cache ({})&#xa0;: il est refait</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is not a number of GiB</source>
        <translation>«&#xa0;{}&#xa0;» n&apos;est pas un nombre de GiB</translation>
    </message>
    <message>
        <source>Set it to the size that the cache of packed weights may reach</source>
        <translation>Donnez-lui la taille que peut atteindre le cache des poids empaquetés</translation>
    </message>
    <message>
        <source>the folder holds none of {}</source>
        <translation>le dossier ne contient aucun de {}</translation>
    </message>
    <message>
        <source>Download the weights into it, or choose another model</source>
        <translation>Téléchargez-y les poids, ou choisissez un autre modèle</translation>
    </message>
    <message>
        <source>It holds several other files of weights ({}): give the path of one</source>
        <translation>Il contient plusieurs autres fichiers de poids ({})&#xa0;: donnez le chemin de l&apos;un d&apos;eux</translation>
    </message>
    <message>
        <source>there is no such file or folder</source>
        <translation>ce fichier ou ce dossier n&apos;existe pas</translation>
    </message>
    <message>
        <source>Check the path of the model</source>
        <translation>Vérifiez le chemin du modèle</translation>
    </message>
    <message>
        <source>the index has no weight_map {{tensor: file}}</source>
        <translation>l&apos;index n&apos;a pas de weight_map {{tensor: file}}</translation>
    </message>
    <message>
        <source>Download the index again</source>
        <translation>Téléchargez à nouveau l&apos;index</translation>
    </message>
    <message>
        <source>Download the index from the model&apos;s own repository</source>
        <translation>Téléchargez l&apos;index depuis le dépôt du modèle</translation>
    </message>
    <message>
        <source>{} of {} shards are missing: {}</source>
        <translation>{} fragments sur {} manquent&#xa0;: {}</translation>
    </message>
    <message>
        <source>Download them into the same folder</source>
        <translation>Téléchargez-les dans le même dossier</translation>
    </message>
    <message>
        <source>its shape {} is not that of the original model</source>
        <translation>sa forme {} n&apos;est pas celle du modèle d&apos;origine</translation>
    </message>
    <message>
        <source>The file is of another model, or damaged</source>
        <translation>Le fichier est celui d&apos;un autre modèle, ou endommagé</translation>
    </message>
    <message>
        <source>the index places it in {}, which does not hold it</source>
        <translation>l&apos;index le place dans {}, qui ne le contient pas</translation>
    </message>
    <message>
        <source>Download index and shards again, from one revision of the model</source>
        <translation>Téléchargez à nouveau l&apos;index et les fragments, d&apos;une même révision du modèle</translation>
    </message>
    <message>
        <source>the file says that its fp8 weights are scaled ({}), but this one has no scale</source>
        <translation>le fichier dit que ses poids fp8 sont mis à l&apos;échelle ({}), mais celui-ci n&apos;a pas de facteur d&apos;échelle</translation>
    </message>
    <message>
        <source>The file is incomplete: get it again, or another one</source>
        <translation>Le fichier est incomplet&#xa0;: récupérez-le à nouveau, ou prenez-en un autre</translation>
    </message>
    <message>
        <source>the checkpoint holds no such tensor</source>
        <translation>le checkpoint ne contient pas ce tenseur</translation>
    </message>
    <message>
        <source>The weights and config.json are of different models</source>
        <translation>Les poids et config.json sont de modèles différents</translation>
    </message>
    <message>
        <source>The nearest name is &apos;{}&apos;: the weights and config.json may be of different models</source>
        <translation>Le nom le plus proche est «&#xa0;{}&#xa0;»&#xa0;: les poids et config.json sont peut-être de modèles différents</translation>
    </message>
    <message>
        <source>its shape is {}, but {} was expected</source>
        <translation>sa forme est {}, mais {} était attendu</translation>
    </message>
    <message>
        <source>its scale has shape {}: neither one number nor one for each of its rows</source>
        <translation>son facteur d&apos;échelle est de forme {}&#xa0;: ni un seul nombre, ni un par ligne</translation>
    </message>
    <message>
        <source>Use a file with one scale for each weight</source>
        <translation>Utilisez un fichier avec un facteur d&apos;échelle par poids</translation>
    </message>
    <message>
        <source>The file is damaged or incomplete: download it again</source>
        <translation>Le fichier est endommagé ou incomplet&#xa0;: téléchargez-le à nouveau</translation>
    </message>
    <message>
        <source>something is said to lie at byte {}, but there are only {} bytes (truncated)</source>
        <translation>un élément est annoncé à l&apos;octet {}, mais il n&apos;y a que {} octets (tronqué)</translation>
    </message>
    <message>
        <source>{} bytes are wanted at byte {}, but only {} are left (truncated)</source>
        <translation>{} octets sont attendus à l&apos;octet {}, mais il n&apos;en reste que {} (tronqué)</translation>
    </message>
    <message>
        <source>the file says it holds {} tensors, more than fit into it</source>
        <translation>le fichier dit contenir {} tenseurs, plus qu&apos;il ne peut en tenir</translation>
    </message>
    <message>
        <source>this GGUF file is big-endian, which is not supported</source>
        <translation>ce fichier GGUF est gros-boutiste, ce qui n&apos;est pas pris en charge</translation>
    </message>
    <message>
        <source>Get the little-endian file</source>
        <translation>Prenez le fichier petit-boutiste</translation>
    </message>
    <message>
        <source>this is GGUF version {}</source>
        <translation>ceci est un GGUF de version {}</translation>
    </message>
    <message>
        <source>Versions 2 and 3 are read: convert the file with a newer tool, or get another one</source>
        <translation>Les versions 2 et 3 sont lues&#xa0;: convertissez le fichier avec un outil plus récent, ou prenez-en un autre</translation>
    </message>
    <message>
        <source>the metadata &apos;{}&apos; is given twice</source>
        <translation>la métadonnée «&#xa0;{}&#xa0;» est donnée deux fois</translation>
    </message>
    <message>
        <source>{} is {}, not a power of two</source>
        <translation>{} vaut {}, qui n&apos;est pas une puissance de deux</translation>
    </message>
    <message>
        <source>a metadata value is of the unknown type {}</source>
        <translation>une valeur des métadonnées est du type inconnu {}</translation>
    </message>
    <message>
        <source>metadata lists are nested deeper than {} levels</source>
        <translation>les listes des métadonnées sont imbriquées sur plus de {} niveaux</translation>
    </message>
    <message>
        <source>a metadata list says it has {} items, more than fit into the file</source>
        <translation>une liste des métadonnées dit avoir {} éléments, plus que le fichier ne peut en tenir</translation>
    </message>
    <message>
        <source>it has {} axes; at most {} are read</source>
        <translation>il a {} axes&#xa0;; au plus {} sont lus</translation>
    </message>
    <message>
        <source>its shape is larger than any memory</source>
        <translation>sa forme dépasse toute mémoire</translation>
    </message>
    <message>
        <source>its rows of {} elements are no whole number of {} blocks of {}</source>
        <translation>ses lignes de {} éléments ne font pas un nombre entier de blocs {} de {}</translation>
    </message>
    <message>
        <source>its offset {} is not a multiple of the alignment {}</source>
        <translation>son décalage {} n&apos;est pas un multiple de l&apos;alignement {}</translation>
    </message>
    <message>
        <source>its {} bytes at {} do not fit into the {} bytes of data (truncated)</source>
        <translation>ses {} octets à {} ne tiennent pas dans les {} octets de données (tronqué)</translation>
    </message>
    <message>
        <source>it is given twice</source>
        <translation>il est donné deux fois</translation>
    </message>
    <message>
        <source>the shape that the metadata gives for it is no shape</source>
        <translation>la forme que lui donnent les métadonnées n&apos;en est pas une</translation>
    </message>
    <message>
        <source>the metadata gives it the shape {}, but it is stored as {}</source>
        <translation>les métadonnées lui donnent la forme {}, mais il est enregistré en {}</translation>
    </message>
    <message>
        <source>its data begins inside that of &apos;{}&apos;</source>
        <translation>ses données commencent à l&apos;intérieur de celles de «&#xa0;{}&#xa0;»</translation>
    </message>
    <message>
        <source>GGUF has no type {}</source>
        <translation>GGUF n&apos;a pas de type {}</translation>
    </message>
    <message>
        <source>Choose another type or another format</source>
        <translation>Choisissez un autre type ou un autre format</translation>
    </message>
    <message>
        <source>the JSON is nested deeper than {} levels</source>
        <translation>le JSON est imbriqué sur plus de {} niveaux</translation>
    </message>
    <message>
        <source>the JSON key &apos;{:.80}&apos; is given twice</source>
        <translation>la clé JSON «&#xa0;{}&#xa0;» est donnée deux fois</translation>
    </message>
    <message>
        <source>this is not valid JSON (byte {})</source>
        <translation>ceci n&apos;est pas du JSON valide (octet {})</translation>
    </message>
    <message>
        <source>this is not valid JSON</source>
        <translation>ceci n&apos;est pas du JSON valide</translation>
    </message>
    <message>
        <source>a JSON object was expected, this is of type {}</source>
        <translation>un objet JSON était attendu, ceci est de type {}</translation>
    </message>
    <message>
        <source>the pickle does not start with its protocol</source>
        <translation>le pickle ne commence pas par son protocole</translation>
    </message>
    <message>
        <source>the pickle has protocol {}; {} to {} are read</source>
        <translation>le pickle est de protocole {}&#xa0;; ceux de {} à {} sont lus</translation>
    </message>
    <message>
        <source>the pickle holds the instruction 0x{:02X}, which weights do not need</source>
        <translation>le pickle contient l&apos;instruction 0x{}, dont des poids n&apos;ont pas besoin</translation>
    </message>
    <message>
        <source>the pickle takes more from its stack than it put there</source>
        <translation>le pickle prend dans sa pile plus qu&apos;il n&apos;y a mis</translation>
    </message>
    <message>
        <source>the pickle adds an item to something that takes none</source>
        <translation>le pickle ajoute un élément à quelque chose qui n&apos;en prend pas</translation>
    </message>
    <message>
        <source>the pickle goes back to a mark that it did not set</source>
        <translation>le pickle revient à une marque qu&apos;il n&apos;a pas posée</translation>
    </message>
    <message>
        <source>the pickle recalls number {}, which it did not store</source>
        <translation>le pickle rappelle le numéro {}, qu&apos;il n&apos;a pas mémorisé</translation>
    </message>
    <message>
        <source>a dictionary of the pickle has a key without a value</source>
        <translation>un dictionnaire du pickle a une clé sans valeur</translation>
    </message>
    <message>
        <source>the pickle holds a number of more than 64 bits</source>
        <translation>le pickle contient un nombre de plus de 64 bits</translation>
    </message>
    <message>
        <source>a name in the pickle has no end</source>
        <translation>un nom du pickle n&apos;a pas de fin</translation>
    </message>
    <message>
        <source>the pickle names a global by something else than texts</source>
        <translation>le pickle désigne un global par autre chose que des textes</translation>
    </message>
    <message>
        <source>the pickle wants &quot;{}&quot;, which weights do not need; it was not called</source>
        <translation>le pickle demande «&#xa0;{}&#xa0;», dont des poids n&apos;ont pas besoin&#xa0;; il n&apos;a pas été appelé</translation>
    </message>
    <message>
        <source>Do not trust this file; get the weights as safetensors, or save only the state dict</source>
        <translation>Ne vous fiez pas à ce fichier&#xa0;; prenez les poids en safetensors, ou n&apos;enregistrez que le dictionnaire d&apos;état</translation>
    </message>
    <message>
        <source>the pickle calls something that is no constructor of weights</source>
        <translation>le pickle appelle quelque chose qui n&apos;est pas un constructeur de poids</translation>
    </message>
    <message>
        <source>the pickle makes an OrderedDict from arguments</source>
        <translation>le pickle crée un OrderedDict à partir d&apos;arguments</translation>
    </message>
    <message>
        <source>the file holds no such tensor</source>
        <translation>le fichier ne contient pas ce tenseur</translation>
    </message>
    <message>
        <source>Check that this is the weights file of this model</source>
        <translation>Vérifiez que c&apos;est bien le fichier de poids de ce modèle</translation>
    </message>
    <message>
        <source>The nearest name is &apos;{}&apos;</source>
        <translation>Le nom le plus proche est «&#xa0;{}&#xa0;»</translation>
    </message>
    <message>
        <source>its type {:.40} is not supported</source>
        <translation>son type {} n&apos;est pas pris en charge</translation>
    </message>
    <message>
        <source>Use a checkpoint in F32, F16 or BF16</source>
        <translation>Utilisez un checkpoint en F32, F16 ou BF16</translation>
    </message>
    <message>
        <source>this is a Git LFS pointer, not the weights themselves</source>
        <translation>ceci est un pointeur Git LFS, non les poids eux-mêmes</translation>
    </message>
    <message>
        <source>Run &apos;git lfs pull&apos; in its repository, or download the file</source>
        <translation>Exécutez &apos;git lfs pull&apos; dans son dépôt, ou téléchargez le fichier</translation>
    </message>
    <message>
        <source>the file has {} bytes, too few for a safetensors header</source>
        <translation>le fichier a {} octets, trop peu pour un en-tête safetensors</translation>
    </message>
    <message>
        <source>the header says it is {} bytes long; at most {} are allowed</source>
        <translation>l&apos;en-tête dit avoir {} octets&#xa0;; au plus {} sont permis</translation>
    </message>
    <message>
        <source>the header says it is {} bytes long, but the file has only {} bytes</source>
        <translation>l&apos;en-tête dit avoir {} octets, mais le fichier n&apos;en a que {}</translation>
    </message>
    <message>
        <source>the header does not start with &apos;{{&apos;: this is not a safetensors file</source>
        <translation>l&apos;en-tête ne commence pas par &apos;{{&apos;&#xa0;: ceci n&apos;est pas un fichier safetensors</translation>
    </message>
    <message>
        <source>the header gives no {}</source>
        <translation>l&apos;en-tête ne donne pas {}</translation>
    </message>
    <message>
        <source>the shape is not a list of numbers</source>
        <translation>la forme n&apos;est pas une liste de nombres</translation>
    </message>
    <message>
        <source>the shape holds {:.40}, which is not a count</source>
        <translation>la forme contient {}, qui n&apos;est pas un entier naturel</translation>
    </message>
    <message>
        <source>the shape {:.80} is larger than any memory</source>
        <translation>la forme {} dépasse toute mémoire</translation>
    </message>
    <message>
        <source>the header describes it by something else than an object</source>
        <translation>l&apos;en-tête le décrit par autre chose qu&apos;un objet</translation>
    </message>
    <message>
        <source>the dtype is not a text</source>
        <translation>le dtype n&apos;est pas un texte</translation>
    </message>
    <message>
        <source>data_offsets is not a pair of counts</source>
        <translation>data_offsets n&apos;est pas une paire d&apos;entiers naturels</translation>
    </message>
    <message>
        <source>its data begins at {} but ends at {}</source>
        <translation>ses données commencent à {} mais finissent à {}</translation>
    </message>
    <message>
        <source>its data ends at byte {}, but the file holds only {} bytes of data (truncated)</source>
        <translation>ses données finissent à l&apos;octet {}, mais le fichier ne contient que {} octets de données (tronqué)</translation>
    </message>
    <message>
        <source>shape {} of {} needs {} bytes, but data_offsets [{}, {}] hold {}</source>
        <translation>la forme {} en {} exige {} octets, mais data_offsets [{}, {}] en contient {}</translation>
    </message>
    <message>
        <source>__metadata__ is not an object</source>
        <translation>__metadata__ n&apos;est pas un objet</translation>
    </message>
    <message>
        <source>the metadata &apos;{:.80}&apos; is not a text</source>
        <translation>la métadonnée «&#xa0;{}&#xa0;» n&apos;est pas un texte</translation>
    </message>
    <message>
        <source>its data begins at {}, inside the tensor before it, which ends at {}</source>
        <translation>ses données commencent à {}, à l&apos;intérieur du tenseur précédent, qui finit à {}</translation>
    </message>
    <message>
        <source>its data begins at {}, behind a hole after the tensor before it, which ends at {}</source>
        <translation>ses données commencent à {}, après un trou derrière le tenseur précédent, qui finit à {}</translation>
    </message>
    <message>
        <source>{} bytes follow the last tensor, which no tensor describes</source>
        <translation>{} octets, qu&apos;aucun tenseur ne décrit, suivent le dernier tenseur</translation>
    </message>
    <message>
        <source>safetensors has no type {}</source>
        <translation>safetensors n&apos;a pas de type {}</translation>
    </message>
    <message>
        <source>Write a file whose name ends in .gguf</source>
        <translation>Écrivez un fichier dont le nom finit par .gguf</translation>
    </message>
    <message>
        <source>the weights could not be written ({})</source>
        <translation>les poids n&apos;ont pas pu être écrits ({})</translation>
    </message>
    <message>
        <source>Free some space or choose another disk</source>
        <translation>Libérez de l&apos;espace ou choisissez un autre disque</translation>
    </message>
    <message>
        <source>this is not a GGUF file: it does not start with &quot;GGUF&quot;</source>
        <translation>ceci n&apos;est pas un fichier GGUF&#xa0;: il ne commence pas par &quot;GGUF&quot;</translation>
    </message>
    <message>
        <source>this is not a checkpoint that torch.save() wrote</source>
        <translation>ceci n&apos;est pas un checkpoint écrit par torch.save()</translation>
    </message>
    <message>
        <source>It may be a Git LFS pointer or the page of an error: download the file again</source>
        <translation>C&apos;est peut-être un pointeur Git LFS ou une page d&apos;erreur&#xa0;: téléchargez à nouveau le fichier</translation>
    </message>
    <message>
        <source>The file is damaged or no checkpoint: get it again, or as safetensors</source>
        <translation>Le fichier est endommagé ou n&apos;est pas un checkpoint&#xa0;: récupérez-le à nouveau, ou en safetensors</translation>
    </message>
    <message>
        <source>its numbers are not little-endian</source>
        <translation>ses nombres ne sont pas petit-boutistes</translation>
    </message>
    <message>
        <source>its pickle holds no tensors by name</source>
        <translation>son pickle ne contient pas de tenseurs nommés</translation>
    </message>
    <message>
        <source>argument {} of {} is not what it should be</source>
        <translation>l&apos;argument {} de {} n&apos;est pas ce qu&apos;il devrait être</translation>
    </message>
    <message>
        <source>its shape or strides hold something else than counts</source>
        <translation>sa forme ou ses pas contiennent autre chose que des entiers naturels</translation>
    </message>
    <message>
        <source>the parameter holds no tensor</source>
        <translation>le paramètre ne contient pas de tenseur</translation>
    </message>
    <message>
        <source>its storage has no type</source>
        <translation>son stockage n&apos;a pas de type</translation>
    </message>
    <message>
        <source>its type {} is not known</source>
        <translation>son type {} n&apos;est pas connu</translation>
    </message>
    <message>
        <source>its storage is not described by five parts</source>
        <translation>son stockage n&apos;est pas décrit par cinq parties</translation>
    </message>
    <message>
        <source>part {} of its storage&apos;s description is not what it should be</source>
        <translation>la partie {} de la description de son stockage n&apos;est pas ce qu&apos;elle devrait être</translation>
    </message>
    <message>
        <source>it refers to something else than a storage</source>
        <translation>il renvoie à autre chose qu&apos;un stockage</translation>
    </message>
    <message>
        <source>its storage data/{} is not in the archive</source>
        <translation>son stockage data/{} n&apos;est pas dans l&apos;archive</translation>
    </message>
    <message>
        <source>its shape, strides and offset do not fit together</source>
        <translation>sa forme, ses pas et son décalage ne concordent pas</translation>
    </message>
    <message>
        <source>shape {} at element {} does not lie in its storage of {} elements</source>
        <translation>la forme {} à l&apos;élément {} ne tient pas dans son stockage de {} éléments</translation>
    </message>
    <message>
        <source>this file is in the form that PyTorch wrote before version 1.6</source>
        <translation>ce fichier est dans le format que PyTorch écrivait avant la version 1.6</translation>
    </message>
    <message>
        <source>Get the weights as safetensors, or load and save them with a newer PyTorch</source>
        <translation>Prenez les poids en safetensors, ou chargez-les et enregistrez-les avec un PyTorch plus récent</translation>
    </message>
    <message>
        <source>the archive says it holds {} files, more than fit into it</source>
        <translation>l&apos;archive dit contenir {} fichiers, plus qu&apos;elle ne peut en tenir</translation>
    </message>
    <message>
        <source>the archive is too short</source>
        <translation>l&apos;archive est trop courte</translation>
    </message>
    <message>
        <source>the archive has no directory (truncated)</source>
        <translation>l&apos;archive n&apos;a pas de répertoire (tronquée)</translation>
    </message>
    <message>
        <source>the archive is one of several parts</source>
        <translation>l&apos;archive fait partie d&apos;un ensemble de plusieurs</translation>
    </message>
    <message>
        <source>the zip64 archive is too short</source>
        <translation>l&apos;archive zip64 est trop courte</translation>
    </message>
    <message>
        <source>the archive has no zip64 locator where it should be</source>
        <translation>l&apos;archive n&apos;a pas de localisateur zip64 là où il devrait être</translation>
    </message>
    <message>
        <source>the archive has no zip64 end record where it should be</source>
        <translation>l&apos;archive n&apos;a pas d&apos;enregistrement de fin zip64 là où il devrait être</translation>
    </message>
    <message>
        <source>the archive has no directory entry where it should be</source>
        <translation>l&apos;archive n&apos;a pas d&apos;entrée de répertoire là où elle devrait être</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is encrypted in the archive</source>
        <translation>«&#xa0;{}&#xa0;» est chiffré dans l&apos;archive</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is compressed in the archive</source>
        <translation>«&#xa0;{}&#xa0;» est compressé dans l&apos;archive</translation>
    </message>
    <message>
        <source>PyTorch stores weights uncompressed: get the original file, or unpack and pack it without compression</source>
        <translation>PyTorch enregistre les poids sans compression&#xa0;: prenez le fichier d&apos;origine, ou décompressez-le et archivez-le sans compression</translation>
    </message>
    <message>
        <source>&apos;{}&apos; lies behind the end of the archive (truncated)</source>
        <translation>«&#xa0;{}&#xa0;» se trouve au-delà de la fin de l&apos;archive (tronquée)</translation>
    </message>
    <message>
        <source>the archive has no file header where it should be</source>
        <translation>l&apos;archive n&apos;a pas d&apos;en-tête de fichier là où il devrait être</translation>
    </message>
    <message>
        <source>&apos;{}&apos; has another name in its own header</source>
        <translation>«&#xa0;{}&#xa0;» a un autre nom dans son propre en-tête</translation>
    </message>
    <message>
        <source>&apos;{}&apos; and &apos;{}&apos; overlap in the archive</source>
        <translation>«&#xa0;{}&#xa0;» et «&#xa0;{}&#xa0;» se chevauchent dans l&apos;archive</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is in the archive twice</source>
        <translation>«&#xa0;{}&#xa0;» est deux fois dans l&apos;archive</translation>
    </message>
    <message>
        <source>none of its keys fits the transformer</source>
        <translation>aucune de ses clés ne correspond au transformeur</translation>
    </message>
    <message>
        <source>Use an adapter that was made for this model</source>
        <translation>Utilisez un adaptateur fait pour ce modèle</translation>
    </message>
    <message>
        <source>Choose a folder that a run of Meshreel was written into</source>
        <translation>Choisissez un dossier dans lequel une exécution de Meshreel a été écrite</translation>
    </message>
    <message>
        <source>Choose another file, or write audio: none</source>
        <translation>Choisissez un autre fichier, ou écrivez audio: none</translation>
    </message>
    <message>
        <source>Convert it with a program that knows Dolby Vision: {}</source>
        <translation>Convertissez-le avec un programme qui connaît Dolby Vision : {}</translation>
    </message>
    <message>
        <source>Convert the sound, as with ffmpeg -i IN OUT.m4a for MP4 or OUT.webm for WebM, or write audio: none</source>
        <translation>Convertissez le son, par exemple avec ffmpeg -i IN OUT.m4a pour MP4 ou OUT.webm pour WebM, ou écrivez audio: none</translation>
    </message>
    <message>
        <source>Every frame, whatever the rate of the file.</source>
        <translation>Chaque image, quelle que soit la cadence du fichier.</translation>
    </message>
    <message>
        <source>If its colours look wrong, tag the file with the matrix that it has</source>
        <translation>Si ses couleurs semblent fausses, indiquez dans le fichier la matrice qu’il a</translation>
    </message>
    <message>
        <source>Metadata</source>
        <translation>Métadonnées</translation>
    </message>
    <message>
        <source>Nothing: for videos that are given away.</source>
        <translation>Rien : pour les vidéos que l’on donne.</translation>
    </message>
    <message>
        <source>Rate of inputs</source>
        <translation>Cadence des entrées</translation>
    </message>
    <message>
        <source>Sound</source>
        <translation>Son</translation>
    </message>
    <message>
        <source>The prompt and the whole project, so that the video can be made again.</source>
        <translation>Le prompt et tout le projet, pour que la vidéo puisse être refaite.</translation>
    </message>
    <message>
        <source>Those that are on show at the times of fps, so that the motion keeps its speed; folders of frames have no rate and are taken one by one.</source>
        <translation>Celles qui sont à l’écran aux instants de fps, pour que le mouvement garde sa vitesse ; les dossiers d’images n’ont pas de cadence et sont pris image par image.</translation>
    </message>
    <message>
        <source>To keep the speed of the motion, set input_fps: project</source>
        <translation>Pour garder la vitesse du mouvement, mettez input_fps: project</translation>
    </message>
    <message>
        <source>To take every frame, set fps: {}, or input_fps: keep</source>
        <translation>Pour prendre chaque image, mettez fps: {} ou input_fps: keep</translation>
    </message>
    <message>
        <source>To take every frame, set input_fps: keep</source>
        <translation>Pour prendre chaque image, mettez input_fps: keep</translation>
    </message>
    <message>
        <source>What a video file, or the file beside it, says of how it was made.</source>
        <translation>Ce qu’un fichier vidéo, ou le fichier à côté, dit de la façon dont il a été fait.</translation>
    </message>
    <message>
        <source>Which frames of video, mask, pose_video, face_video and background_video are taken.</source>
        <translation>Quelles images de video, mask, pose_video, face_video et background_video sont prises.</translation>
    </message>
    <message>
        <source>its sound cannot be read ({})</source>
        <translation>son audio ne peut pas être lu ({})</translation>
    </message>
    <message>
        <source>none of its keys fits the transformer: it was made for {}</source>
        <translation>aucune de ses clés ne convient au transformeur : il a été fait pour {}</translation>
    </message>
    <message>
        <source>this is Dolby Vision of profile 5 (high dynamic range), whose colours Meshreel does not read</source>
        <translation>c’est du Dolby Vision de profil 5 (grande plage dynamique), dont Meshreel ne lit pas les couleurs</translation>
    </message>
    <message>
        <source>{} is left out: {}</source>
        <translation>{} est omis : {}</translation>
    </message>
    <message>
        <source>{} layers of another shape are left out, first {}: {}</source>
        <translation>{} couches d’une autre forme sont omises, la première {} : {}</translation>
    </message>
    <message>
        <source>{}: {}: {} frames a second, each of which is taken and shown at {} a second</source>
        <translation>{} : {} : chacune des {} images par seconde est prise, pour être montrée à {} par seconde</translation>
    </message>
    <message>
        <source>{}: {}: high dynamic range ({}), tone-mapped to BT.709</source>
        <translation>{} : {} : grande plage dynamique ({}), convertie en BT.709</translation>
    </message>
    <message>
        <source>{}: {}: the file does not say its colour matrix, {} is taken</source>
        <translation>{} : {} : le fichier n’indique pas sa matrice de couleurs, {} est prise</translation>
    </message>
    <message>
        <source>this is a {} adapter, which Meshreel does not apply</source>
        <translation>ceci est un adaptateur {}, que Meshreel n&apos;applique pas</translation>
    </message>
    <message>
        <source>Use a LoRA, or one that its trainer exported as LoRA or merged into a model</source>
        <translation>Utilisez un LoRA, ou un adaptateur que son outil d&apos;entraînement a exporté en LoRA ou fusionné dans un modèle</translation>
    </message>
    <message>
        <source>its shape {} does not fit {} {} of the transformer</source>
        <translation>sa forme {} ne correspond pas à {} {} du transformeur</translation>
    </message>
    <message>
        <source>its shape {} with {} does not fit {} {} of the transformer</source>
        <translation>sa forme {} avec {} ne correspond pas à {} {} du transformeur</translation>
    </message>
    <message>
        <source>Use an adapter that was made for a model of this size</source>
        <translation>Utilisez un adaptateur fait pour un modèle de cette taille</translation>
    </message>
    <message>
        <source>its alpha is not one number</source>
        <translation>son alpha n&apos;est pas un nombre unique</translation>
    </message>
    <message>
        <source>Get the adapter again</source>
        <translation>Récupérez à nouveau l&apos;adaptateur</translation>
    </message>
    <message>
        <source>the file was cut short while it was in use</source>
        <translation>le fichier a été tronqué pendant son utilisation</translation>
    </message>
    <message>
        <source>Leave it alone while Meshreel runs; restore it and start again</source>
        <translation>Ne le modifiez pas pendant que Meshreel s&apos;exécute&#xa0;; restaurez-le et recommencez</translation>
    </message>
    <message>
        <source>{} bytes cannot be mapped into memory ({})</source>
        <translation>{} octets ne peuvent pas être projetés en mémoire ({})</translation>
    </message>
    <message>
        <source>Raise the limit on address space (ulimit -v)</source>
        <translation>Relevez la limite d&apos;espace d&apos;adressage (ulimit -v)</translation>
    </message>
    <message>
        <source>the file shrank from {} to {} bytes while it was in use</source>
        <translation>le fichier est passé de {} à {} octets pendant son utilisation</translation>
    </message>
    <message>
        <source>a BOOL is neither 0 nor 1 but {}</source>
        <translation>un BOOL ne vaut ni 0 ni 1 mais {}</translation>
    </message>
    <message>
        <source>the weights are those of no part of a Wan model, whose other names are known</source>
        <translation>les poids ne sont ceux d&apos;aucune partie d&apos;un modèle Wan dont les autres noms soient connus</translation>
    </message>
    <message>
        <source>Use --layout diffusers, which keeps the names</source>
        <translation>Utilisez --layout diffusers, qui garde les noms</translation>
    </message>
    <message>
        <source>the source lacks a tensor that is a part of it</source>
        <translation>il manque à la source un tenseur qui en fait partie</translation>
    </message>
    <message>
        <source>Get the source again</source>
        <translation>Récupérez à nouveau la source</translation>
    </message>
    <message>
        <source>the file read back is not there with its shape</source>
        <translation>il est absent du fichier relu, ou y a une autre forme</translation>
    </message>
    <message>
        <source>the file read back differs from what was written, in elements {} to {}</source>
        <translation>le fichier relu diffère de ce qui a été écrit, dans les éléments {} à {}</translation>
    </message>
    <message>
        <source>The disk or the memory is faulty, or this is a defect of Meshreel; nothing was kept</source>
        <translation>Le disque ou la mémoire est défectueux, ou c&apos;est un défaut de Meshreel&#xa0;; rien n&apos;a été conservé</translation>
    </message>
    <message>
        <source>{} has blocks of {} elements, and its rows {}</source>
        <translation>{} a des blocs de {} éléments, et les lignes du tenseur en ont {}</translation>
    </message>
    <message>
        <source>Choose a type without blocks</source>
        <translation>Choisissez un type sans blocs</translation>
    </message>
    <message>
        <source>weights of type {} are read, but not written</source>
        <translation>les poids de type {} sont lus, mais non écrits</translation>
    </message>
    <message>
        <source>Choose another type</source>
        <translation>Choisissez un autre type</translation>
    </message>
    <message>
        <source>Wan 2.1 text to video</source>
        <translation>Wan 2.1 texte vers vidéo</translation>
    </message>
    <message>
        <source>Wan 2.1 image to video</source>
        <translation>Wan 2.1 image vers vidéo</translation>
    </message>
    <message>
        <source>Wan 2.1 first and last frame to video</source>
        <translation>Wan 2.1 première et dernière image vers vidéo</translation>
    </message>
    <message>
        <source>Wan 2.1 VACE editing</source>
        <translation>Wan 2.1 édition avec VACE</translation>
    </message>
    <message>
        <source>Wan 2.2 text to video, two experts</source>
        <translation>Wan 2.2 texte vers vidéo, deux experts</translation>
    </message>
    <message>
        <source>Wan 2.2 image to video, two experts</source>
        <translation>Wan 2.2 image vers vidéo, deux experts</translation>
    </message>
    <message>
        <source>Wan 2.2 image to video, one transformer</source>
        <translation>Wan 2.2 image vers vidéo, un transformeur</translation>
    </message>
    <message>
        <source>Wan 2.2 character animation</source>
        <translation>Wan 2.2 animation de personnage</translation>
    </message>
    <message>
        <source>Wan 2.2 text and image to video, 5B</source>
        <translation>Wan 2.2 texte et image vers vidéo, 5B</translation>
    </message>
    <message>
        <source>Text to video</source>
        <translation>Texte vers vidéo</translation>
    </message>
    <message>
        <source>Image to video</source>
        <translation>Image vers vidéo</translation>
    </message>
    <message>
        <source>First and last frame to video</source>
        <translation>Première et dernière image vers vidéo</translation>
    </message>
    <message>
        <source>Video to video</source>
        <translation>Vidéo vers vidéo</translation>
    </message>
    <message>
        <source>Editing with VACE</source>
        <translation>Édition avec VACE</translation>
    </message>
    <message>
        <source>Character animation</source>
        <translation>Animation de personnage</translation>
    </message>
    <message>
        <source>Character replacement</source>
        <translation>Remplacement de personnage</translation>
    </message>
    <message>
        <source>text to video</source>
        <translation>texte vers vidéo</translation>
    </message>
    <message>
        <source>image to video, 480P and 720P</source>
        <translation>image vers vidéo, 480P et 720P</translation>
    </message>
    <message>
        <source>first and last frame to video</source>
        <translation>première et dernière image vers vidéo</translation>
    </message>
    <message>
        <source>VACE editing</source>
        <translation>édition avec VACE</translation>
    </message>
    <message>
        <source>text to video, one of the two experts</source>
        <translation>texte vers vidéo, l&apos;un des deux experts</translation>
    </message>
    <message>
        <source>image to video, one of the two experts</source>
        <translation>image vers vidéo, l&apos;un des deux experts</translation>
    </message>
    <message>
        <source>text or image to video</source>
        <translation>texte ou image vers vidéo</translation>
    </message>
    <message>
        <source>character animation</source>
        <translation>animation de personnage</translation>
    </message>
    <message>
        <source>VAE of all but TI2V-5B</source>
        <translation>VAE de tous sauf TI2V-5B</translation>
    </message>
    <message>
        <source>VAE of TI2V-5B</source>
        <translation>VAE de TI2V-5B</translation>
    </message>
    <message>
        <source>text encoder</source>
        <translation>encodeur de texte</translation>
    </message>
    <message>
        <source>image encoder of the Wan 2.1 image models</source>
        <translation>encodeur d&apos;image des modèles d&apos;image Wan 2.1</translation>
    </message>
    <message>
        <source>first-block cache</source>
        <translation>cache du premier bloc</translation>
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
        <translation>GIF animé</translation>
    </message>
    <message>
        <source>Animated WebP</source>
        <translation>WebP animé</translation>
    </message>
    <message>
        <source>PNG frames</source>
        <translation>Images PNG</translation>
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
        <translation>La libavcodec de ce système n&apos;a pas d&apos;encodeur libx264&#xa0;; la vidéo a donc été écrite en WebM (VP9) au lieu de MP4 (H.264).</translation>
    </message>
    <message>
        <source>device {} failed: {}</source>
        <translation>l&apos;appareil {} a échoué&#xa0;: {}</translation>
    </message>
    <message>
        <source>rank {} on {} failed: {}</source>
        <translation>le rang {} sur {} a échoué&#xa0;: {}</translation>
    </message>
    <message>
        <source>device {} of rank {} on {} failed: {}</source>
        <translation>l&apos;appareil {} du rang {} sur {} a échoué&#xa0;: {}</translation>
    </message>
    <message>
        <source>an unknown exception</source>
        <translation>une exception inconnue</translation>
    </message>
    <message>
        <source>memory in use by a transfer had to be given up</source>
        <translation>de la mémoire encore utilisée par un transfert a dû être abandonnée</translation>
    </message>
    <message>
        <source>the ranks gave up</source>
        <translation>les rangs ont abandonné</translation>
    </message>
    <message>
        <source>it stopped in the middle of its work</source>
        <translation>il s&apos;est arrêté au milieu de son travail</translation>
    </message>
    <message>
        <source>it has not been heard of for {} s</source>
        <translation>il n&apos;a plus donné signe de vie depuis {} s</translation>
    </message>
    <message>
        <source>all ranks were asked to end</source>
        <translation>il a été demandé à tous les rangs de se terminer</translation>
    </message>
    <message>
        <source>it has died: mpirun ends the others</source>
        <translation>il est mort&#xa0;: mpirun met fin aux autres</translation>
    </message>
    <message>
        <source>this rank was asked to end, and the others do not answer</source>
        <translation>il a été demandé à ce rang de se terminer, et les autres ne répondent pas</translation>
    </message>
    <message>
        <source>MPI does not return</source>
        <translation>MPI ne répond plus</translation>
    </message>
    <message>
        <source>mpirun has gone away</source>
        <translation>mpirun n&apos;est plus là</translation>
    </message>
    <message>
        <source>MultiTalk or InfiniteTalk</source>
        <translation>MultiTalk ou InfiniteTalk</translation>
    </message>
    <message>
        <source>a Wan model with audio (HuMo, MultiTalk)</source>
        <translation>un modèle Wan avec audio (HuMo, MultiTalk)</translation>
    </message>
    <message>
        <source>HunyuanVideo or Flux, which are no Wan models</source>
        <translation>HunyuanVideo ou Flux, qui ne sont pas des modèles Wan</translation>
    </message>
    <message>
        <source>another model than Wan</source>
        <translation>un autre modèle que Wan</translation>
    </message>
    <message>
        <source>one of the two experts</source>
        <translation>l&apos;un des deux experts</translation>
    </message>
    <message>
        <source>high-noise expert</source>
        <translation>expert à bruit fort</translation>
    </message>
    <message>
        <source>low-noise expert</source>
        <translation>expert à bruit faible</translation>
    </message>
    <message>
        <source>{} of image to video, A14B</source>
        <translation>{}, image vers vidéo, A14B</translation>
    </message>
    <message>
        <source>{} of text to video, A14B</source>
        <translation>{}, texte vers vidéo, A14B</translation>
    </message>
    <message>
        <source>The two experts have the same shapes, and neither name nor metadata says which this is: the file&apos;s name in its repository holds &quot;high_noise&quot; or &quot;low_noise&quot;</source>
        <translation>Les deux experts ont les mêmes formes, et ni le nom ni les métadonnées ne disent lequel c&apos;est&#xa0;: le nom du fichier dans son dépôt contient «&#xa0;high_noise&#xa0;» ou «&#xa0;low_noise&#xa0;»</translation>
    </message>
    <message>
        <source>text to video, 14B of Wan 2.1, or one expert of Wan 2.2 A14B</source>
        <translation>texte vers vidéo, 14B de Wan 2.1, ou un expert de Wan 2.2 A14B</translation>
    </message>
    <message>
        <source>Both have exactly these shapes, and a lone expert makes wrong pictures without a word. Name and metadata do not decide: rename the file as it is called in its repository (&quot;wan2.1&quot;, or &quot;wan2.2&quot; with &quot;high_noise&quot; or &quot;low_noise&quot;)</source>
        <translation>Les deux ont exactement ces formes, et un expert seul fait de fausses images sans rien signaler. Le nom et les métadonnées ne tranchent pas&#xa0;: renommez le fichier comme dans son dépôt («&#xa0;wan2.1&#xa0;», ou «&#xa0;wan2.2&#xa0;» avec «&#xa0;high_noise&#xa0;» ou «&#xa0;low_noise&#xa0;»)</translation>
    </message>
    <message>
        <source>Wan 2.1 and 2.2</source>
        <translation>Wan 2.1 et 2.2</translation>
    </message>
    <message>
        <source>VACE editing, of no released size</source>
        <translation>édition avec VACE, de taille non publiée</translation>
    </message>
    <message>
        <source>image to video, of no released size</source>
        <translation>image vers vidéo, de taille non publiée</translation>
    </message>
    <message>
        <source>text to video, of no released size</source>
        <translation>texte vers vidéo, de taille non publiée</translation>
    </message>
    <message>
        <source>The config.json beside it is not that of a Wan transformer</source>
        <translation>Le config.json à côté n&apos;est pas celui d&apos;un transformeur Wan</translation>
    </message>
    <message>
        <source>Adapter {}</source>
        <translation>Adaptateur {}</translation>
    </message>
    <message>
        <source>the cached preview of a VAE is damaged</source>
        <translation>l&apos;aperçu d&apos;un VAE dans le cache est endommagé</translation>
    </message>
    <message>
        <source>The preview of the VAE in the cache is not used and fitted again</source>
        <translation>L&apos;aperçu du VAE dans le cache n&apos;est pas utilisé, et il est ajusté à nouveau</translation>
    </message>
    <message>
        <source>The preview that was fitted to the VAE is not kept</source>
        <translation>L&apos;aperçu ajusté au VAE n&apos;est pas conservé</translation>
    </message>
    <message>
        <source>the cached embedding of a prompt is damaged</source>
        <translation>le plongement d&apos;un prompt dans le cache est endommagé</translation>
    </message>
    <message>
        <source>A prompt in the cache is not used and encoded again</source>
        <translation>Un prompt dans le cache n&apos;est pas utilisé, et il est encodé à nouveau</translation>
    </message>
    <message>
        <source>An encoded prompt is not kept</source>
        <translation>Un prompt encodé n&apos;est pas conservé</translation>
    </message>
    <message>
        <source>{} (high expert)</source>
        <translation>{} (expert à bruit fort)</translation>
    </message>
    <message>
        <source>{} (low expert)</source>
        <translation>{} (expert à bruit faible)</translation>
    </message>
    <message>
        <source>{}{}{}</source>
        <translation>{}{}{}</translation>
    </message>
    <message>
        <source>changes {}</source>
        <translation>modifie {}</translation>
    </message>
    <message>
        <source>fits nothing: {}</source>
        <translation>sans correspondance&#xa0;: {}</translation>
    </message>
    <message>
        <source>the config.json beside it is not of this file</source>
        <translation>le config.json à côté n&apos;est pas celui de ce fichier</translation>
    </message>
    <message>
        <source>original</source>
        <translation>originaux</translation>
    </message>
    <message>
        <source>{} behind {}</source>
        <translation>{} derrière {}</translation>
    </message>
    <message>
        <source>{} and {}</source>
        <translation>{} et {}</translation>
    </message>
    <message>
        <source>none</source>
        <translation>aucune</translation>
    </message>
    <message>
        <source>text encoder UMT5-XXL with its tokenizer</source>
        <translation>encodeur de texte UMT5-XXL avec son tokenizer</translation>
    </message>
    <message>
        <source>VAE of Wan 2.2 (48 channels)</source>
        <translation>VAE de Wan 2.2 (48 canaux)</translation>
    </message>
    <message>
        <source>VAE of Wan 2.1 (16 channels)</source>
        <translation>VAE de Wan 2.1 (16 canaux)</translation>
    </message>
    <message>
        <source>image encoder CLIP ViT-H</source>
        <translation>encodeur d&apos;image CLIP ViT-H</translation>
    </message>
    <message>
        <source>the other of the two experts</source>
        <translation>l&apos;autre des deux experts</translation>
    </message>
    <message>
        <source>it was ended by signal {}</source>
        <translation>il a été terminé par le signal {}</translation>
    </message>
    <message>
        <source>Cancelled.</source>
        <translation>Annulé.</translation>
    </message>
    <message>
        <source>mpirun ended with code {}</source>
        <translation>mpirun s&apos;est terminé avec le code {}</translation>
    </message>
    <message>
        <source>the connection to the host was lost</source>
        <translation>la connexion à l&apos;hôte a été perdue</translation>
    </message>
    <message>
        <source>the ranks failed</source>
        <translation>les rangs ont échoué</translation>
    </message>
    <message>
        <source>rank {} on host {} failed: {}</source>
        <translation>le rang {} sur l&apos;hôte {} a échoué&#xa0;: {}</translation>
    </message>
    <message>
        <source>device {} of rank {} on host {} failed: {}</source>
        <translation>l&apos;appareil {} du rang {} sur l&apos;hôte {} a échoué&#xa0;: {}</translation>
    </message>
    <message>
        <source>{} devices are predicted to take {:.1f} times as long here as one device</source>
        <translation>{} appareils prendraient ici {:.1f} fois le temps d’un seul, d’après la prévision</translation>
    </message>
    <message>
        <source>Take one device: exchange and waiting cost more than sharing the work out saves</source>
        <translation>Prenez un seul appareil : les échanges et l’attente coûtent plus que le partage du travail ne fait gagner</translation>
    </message>
    <message>
        <source>The program ended without finishing the run</source>
        <translation>Le programme s&apos;est terminé sans achever l&apos;exécution</translation>
    </message>
    <message>
        <source>{} videos were written</source>
        <translation>{} vidéos ont été écrites</translation>
    </message>
    <message>
        <source>The run is finished already</source>
        <translation>L&apos;exécution est déjà terminée</translation>
    </message>
    <message>
        <source>Packed weights in the cache are not used and made again: {}</source>
        <translation>Les poids empaquetés dans le cache ne sont pas utilisés et sont refaits&#xa0;: {}</translation>
    </message>
    <message>
        <source>Packed weights are not kept: {}</source>
        <translation>Les poids empaquetés ne sont pas conservés&#xa0;: {}</translation>
    </message>
    <message>
        <source>Packed weights in the cache are not used and made again by the next run: {}</source>
        <translation>Les poids empaquetés dans le cache ne sont pas utilisés et seront refaits par la prochaine exécution&#xa0;: {}</translation>
    </message>
    <message>
        <source>they are larger than the cache may grow, or than the disk has room for</source>
        <translation>ils dépassent la taille permise du cache, ou la place libre sur le disque</translation>
    </message>
    <message>
        <source>{}: changes {} tensors, strength {:g}</source>
        <translation>{}&#xa0;: modifie {} tenseurs, force {}</translation>
    </message>
    <message>
        <source>{}: changes {} tensors, strength {:g}, effective scale {:g}</source>
        <translation>{}&#xa0;: modifie {} tenseurs, force {}, échelle effective {}</translation>
    </message>
    <message>
        <source>{}: changes {} tensors, strength {:g}, effective scale {:g} to {:g}</source>
        <translation>{}&#xa0;: modifie {} tenseurs, force {}, échelle effective de {} à {}</translation>
    </message>
    <message>
        <source>{}; every key fits</source>
        <translation>{}&#xa0;; chaque clé a sa correspondance</translation>
    </message>
    <message>
        <source>{}; {} keys fit nothing</source>
        <translation>{}&#xa0;; clés sans correspondance&#xa0;: {}</translation>
    </message>
    <message>
        <source>A chart cannot be written as &apos;{}&apos;</source>
        <translation>Un graphique ne peut pas être écrit en «&#xa0;{}&#xa0;»</translation>
    </message>
    <message>
        <source>Use .png, .svg, .pdf, .csv or .json</source>
        <translation>Utilisez .png, .svg, .pdf, .csv ou .json</translation>
    </message>
    <message>
        <source>This run recorded nothing of its devices</source>
        <translation>Cette exécution n&apos;a rien enregistré de ses appareils</translation>
    </message>
    <message>
        <source>Name a run that finished a step</source>
        <translation>Nommez une exécution qui a terminé une étape</translation>
    </message>
    <message>
        <source>None of these runs recorded its memory</source>
        <translation>Aucune de ces exécutions n&apos;a enregistré sa mémoire</translation>
    </message>
    <message>
        <source>Name finished runs</source>
        <translation>Nommez des exécutions terminées</translation>
    </message>
    <message>
        <source>A chart of runs needs a run</source>
        <translation>Un graphique d&apos;exécutions exige une exécution</translation>
    </message>
    <message>
        <source>Name one or more run folders</source>
        <translation>Nommez un ou plusieurs dossiers d&apos;exécution</translation>
    </message>
    <message>
        <source>A chart of {} shows one run</source>
        <translation>Un graphique {} montre une seule exécution</translation>
    </message>
    <message>
        <source>Name one run folder</source>
        <translation>Nommez un seul dossier d&apos;exécution</translation>
    </message>
    <message>
        <source>Name runs that got as far as denoising</source>
        <translation>Nommez des exécutions arrivées au débruitage</translation>
    </message>
    <message>
        <source>None of these runs is finished, so that no stage was timed</source>
        <translation>Aucune de ces exécutions n&apos;est terminée, donc aucune phase n&apos;a été chronométrée</translation>
    </message>
    <message>
        <source>The picture cannot be written</source>
        <translation>L&apos;image ne peut pas être écrite</translation>
    </message>
    <message>
        <source>Delete the file to start with an empty queue</source>
        <translation>Supprimez le fichier pour commencer avec une file vide</translation>
    </message>
    <message>
        <source>A report cannot be written as &apos;{}&apos;</source>
        <translation>Un rapport ne peut pas être écrit en «&#xa0;{}&#xa0;»</translation>
    </message>
    <message>
        <source>Use .html or .pdf</source>
        <translation>Utilisez .html ou .pdf</translation>
    </message>
    <message>
        <source>The nearest multiples are {} and {}</source>
        <translation>Les multiples les plus proches sont {} et {}</translation>
    </message>
    <message>
        <source>The nearest multiple is {}</source>
        <translation>Le multiple le plus proche est {}</translation>
    </message>
    <message>
        <source>settings have no dashes before them: write {}</source>
        <translation>les réglages ne sont pas précédés de tirets&#xa0;: écrivez {}</translation>
    </message>
    <message>
        <source>this word sets nothing; a value of several words needs quotes around it</source>
        <translation>ce mot ne règle rien&#xa0;; une valeur de plusieurs mots doit être entre guillemets</translation>
    </message>
    <message>
        <source>Block sizes can only be told apart where steps do the same work ({})</source>
        <translation>Les tailles de blocs ne se distinguent que si les étapes font le même travail ({})</translation>
    </message>
    <message>
        <source>The prompt holds {{prompt}}, which a run takes as words</source>
        <translation>Le prompt contient {{prompt}}, qu&apos;une exécution prend comme des mots</translation>
    </message>
    <message>
        <source>Write what the video should show in its place, or use it as a style from Prompts</source>
        <translation>Écrivez à sa place ce que la vidéo doit montrer, ou utilisez-le comme style depuis Prompts</translation>
    </message>
    <message>
        <source>The prompt offers alternatives in braces, which a run takes as words</source>
        <translation>Le prompt propose des variantes entre accolades, qu&apos;une exécution prend comme des mots</translation>
    </message>
    <message>
        <source>Write one of them, or add a grid to the queue, which runs them all</source>
        <translation>Écrivez l&apos;une d&apos;elles, ou ajoutez à la file une grille, qui les exécute toutes</translation>
    </message>
    <message>
        <source>Wan 2.1 first and last frame to video 14B at 720p: what lies between two pictures.</source>
        <translation>Wan 2.1 première et dernière image vers vidéo 14B en 720p : ce qui se passe entre deux images.</translation>
    </message>
    <message>
        <source>Wan 2.1 image-to-video 14B at 720p on 4 devices: flash attention with the block sizes of TPU v6e.</source>
        <translation>Wan 2.1 image vers vidéo 14B en 720p sur 4 appareils : attention flash avec les tailles de blocs du TPU v6e.</translation>
    </message>
    <message>
        <source>Wan 2.1 image-to-video 14B at 720p on 4 devices, with the block sizes of MaxDiffusion&apos;s base_wan_i2v_14b.yml.</source>
        <translation>Wan 2.1 image vers vidéo 14B en 720p sur 4 appareils, avec les tailles de blocs de base_wan_i2v_14b.yml de MaxDiffusion.</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 1.3B for one computer: a quarter of 480p, two seconds, few steps.</source>
        <translation>Wan 2.1 texte vers vidéo 1.3B pour un seul ordinateur : un quart de 480p, deux secondes, peu d&apos;étapes.</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 1.3B at 480p on 2 devices: the two halves of guidance side by side.</source>
        <translation>Wan 2.1 texte vers vidéo 1.3B en 480p sur 2 appareils : les deux moitiés du guidage côte à côte.</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 1.3B at 480p on 4 devices: ulysses inside groups of 2, a ring of 2 between the groups.</source>
        <translation>Wan 2.1 texte vers vidéo 1.3B en 480p sur 4 appareils : Ulysses dans des groupes de 2, un anneau de 2 entre les groupes.</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 1.3B at 480p, with the settings of MaxDiffusion&apos;s base_wan_1_3b.yml.</source>
        <translation>Wan 2.1 texte vers vidéo 1.3B en 480p, avec les réglages de base_wan_1_3b.yml de MaxDiffusion.</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B at 720p on 8 devices: the two halves of guidance side by side, each on 4 devices.</source>
        <translation>Wan 2.1 texte vers vidéo 14B en 720p sur 8 appareils : les deux moitiés du guidage côte à côte, chacune sur 4 appareils.</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B at 720p on 8 devices: the fast script&apos;s fixed-m recipe.</source>
        <translation>Wan 2.1 texte vers vidéo 14B en 720p sur 8 appareils : la recette fixed-m du script rapide.</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B at 720p on 4 devices: flash attention with the block sizes of TPU v5p.</source>
        <translation>Wan 2.1 texte vers vidéo 14B en 720p sur 4 appareils : attention flash avec les tailles de blocs du TPU v5p.</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B at 720p on 4 devices: flash attention with the block sizes of TPU v6e.</source>
        <translation>Wan 2.1 texte vers vidéo 14B en 720p sur 4 appareils : attention flash avec les tailles de blocs du TPU v6e.</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B at 720p on 16 devices: a pure ring.</source>
        <translation>Wan 2.1 texte vers vidéo 14B en 720p sur 16 appareils : un anneau seul.</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B at 720p on 16 devices: ulysses inside groups of 8, a ring of 2 between the groups.</source>
        <translation>Wan 2.1 texte vers vidéo 14B en 720p sur 16 appareils : Ulysses dans des groupes de 8, un anneau de 2 entre les groupes.</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B at 720p on 4 devices: ulysses inside groups of 2, a ring of 2 between the groups.</source>
        <translation>Wan 2.1 texte vers vidéo 14B en 720p sur 4 appareils : Ulysses dans des groupes de 2, un anneau de 2 entre les groupes.</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B at 720p on 8 devices: ulysses inside groups of 4, a ring of 2 between the groups.</source>
        <translation>Wan 2.1 texte vers vidéo 14B en 720p sur 8 appareils : Ulysses dans des groupes de 4, un anneau de 2 entre les groupes.</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B at 720p on 8 devices with the block sizes of Trillium&apos;s 32 MB of scratch memory.</source>
        <translation>Wan 2.1 texte vers vidéo 14B en 720p sur 8 appareils, avec les tailles de blocs des 32 Mo de mémoire de travail de Trillium.</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B at 720p on 8 devices: pure Ulysses.</source>
        <translation>Wan 2.1 texte vers vidéo 14B en 720p sur 8 appareils : Ulysses seul.</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B at 720p, with the settings of MaxDiffusion&apos;s base_wan_14b.yml.</source>
        <translation>Wan 2.1 texte vers vidéo 14B en 720p, avec les réglages de base_wan_14b.yml de MaxDiffusion.</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B, distilled to 4 steps.</source>
        <translation>Wan 2.1 texte vers vidéo 14B, distillé en 4 étapes.</translation>
    </message>
    <message>
        <source>Wan 2.1 VACE editing 1.3B at 480p: a video whose masked part is made anew.</source>
        <translation>Wan 2.1 édition avec VACE 1.3B en 480p : une vidéo dont la partie masquée est refaite.</translation>
    </message>
    <message>
        <source>Wan 2.1 image-to-video 14B at 720p on 8 devices: the two halves of guidance side by side, each on 4 devices.</source>
        <translation>Wan 2.1 image vers vidéo 14B en 720p sur 8 appareils : les deux moitiés du guidage côte à côte, chacune sur 4 appareils.</translation>
    </message>
    <message>
        <source>Wan 2.1 image-to-video 14B at 720p on 4 devices: ulysses inside groups of 2, a ring of 2 between the groups.</source>
        <translation>Wan 2.1 image vers vidéo 14B en 720p sur 4 appareils : Ulysses dans des groupes de 2, un anneau de 2 entre les groupes.</translation>
    </message>
    <message>
        <source>Wan 2.2 image-to-video A14B at 720p on 8 devices: the two halves of guidance side by side, each on 4 devices.</source>
        <translation>Wan 2.2 image vers vidéo A14B en 720p sur 8 appareils : les deux moitiés du guidage côte à côte, chacune sur 4 appareils.</translation>
    </message>
    <message>
        <source>Wan 2.2 image-to-video A14B at 720p on 4 devices: ulysses inside groups of 2, a ring of 2 between the groups.</source>
        <translation>Wan 2.2 image vers vidéo A14B en 720p sur 4 appareils : Ulysses dans des groupes de 2, un anneau de 2 entre les groupes.</translation>
    </message>
    <message>
        <source>Wan 2.1 VACE editing 14B at 720p on 8 devices: the two halves of guidance side by side, each on 4 devices.</source>
        <translation>Wan 2.1 édition avec VACE 14B en 720p sur 8 appareils : les deux moitiés du guidage côte à côte, chacune sur 4 appareils.</translation>
    </message>
    <message>
        <source>Wan 2.1 VACE editing 14B at 720p on 4 devices: ulysses inside groups of 2, a ring of 2 between the groups.</source>
        <translation>Wan 2.1 édition avec VACE 14B en 720p sur 4 appareils : Ulysses dans des groupes de 2, un anneau de 2 entre les groupes.</translation>
    </message>
    <message>
        <source>Wan 2.2 Animate 14B at 720p on 4 devices: ulysses inside groups of 2, a ring of 2 between the groups.</source>
        <translation>Wan 2.2 Animate 14B en 720p sur 4 appareils : Ulysses dans des groupes de 2, un anneau de 2 entre les groupes.</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 8 devices with tokamax_flash: the halves of guidance side by side, each on 4.</source>
        <translation>Wan 2.2 texte vers vidéo A14B en 720p sur 8 appareils avec tokamax_flash : les moitiés du guidage côte à côte, chacune sur 4.</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 16 devices with tokamax_flash: the halves of guidance side by side, each on 8.</source>
        <translation>Wan 2.2 texte vers vidéo A14B en 720p sur 16 appareils avec tokamax_flash : les moitiés du guidage côte à côte, chacune sur 8.</translation>
    </message>
    <message>
        <source>Wan 2.2 Animate 14B at 720p on 8 devices with the block sizes of Trillium&apos;s 32 MB of scratch memory.</source>
        <translation>Wan 2.2 Animate 14B en 720p sur 8 appareils, avec les tailles de blocs des 32 Mo de mémoire de travail de Trillium.</translation>
    </message>
    <message>
        <source>Wan 2.2 image-to-video A14B at 720p on 4 devices: flash attention with the block sizes of TPU v6e.</source>
        <translation>Wan 2.2 image vers vidéo A14B en 720p sur 4 appareils : attention flash avec les tailles de blocs du TPU v6e.</translation>
    </message>
    <message>
        <source>Wan 2.2 image-to-video A14B at 720p on 4 devices, with the block sizes of MaxDiffusion&apos;s base_wan_i2v_27b.yml.</source>
        <translation>Wan 2.2 image vers vidéo A14B en 720p sur 4 appareils, avec les tailles de blocs de base_wan_i2v_27b.yml de MaxDiffusion.</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 8 devices: the two halves of guidance side by side, each on 4 devices.</source>
        <translation>Wan 2.2 texte vers vidéo A14B en 720p sur 8 appareils : les deux moitiés du guidage côte à côte, chacune sur 4 appareils.</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 16 devices: the two halves of guidance side by side, each on 8 devices.</source>
        <translation>Wan 2.2 texte vers vidéo A14B en 720p sur 16 appareils : les deux moitiés du guidage côte à côte, chacune sur 8 appareils.</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 8 devices: the fast script&apos;s fixed-m recipe.</source>
        <translation>Wan 2.2 texte vers vidéo A14B en 720p sur 8 appareils : la recette fixed-m du script rapide.</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 8 devices: the fast script&apos;s recipe for TPU v6e.</source>
        <translation>Wan 2.2 texte vers vidéo A14B en 720p sur 8 appareils : la recette du script rapide pour TPU v6e.</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 4 devices: flash attention with the block sizes of TPU v6e.</source>
        <translation>Wan 2.2 texte vers vidéo A14B en 720p sur 4 appareils : attention flash avec les tailles de blocs du TPU v6e.</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 16 devices: a pure ring.</source>
        <translation>Wan 2.2 texte vers vidéo A14B en 720p sur 16 appareils : un anneau seul.</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 16 devices: ulysses inside groups of 8, a ring of 2 between the groups.</source>
        <translation>Wan 2.2 texte vers vidéo A14B en 720p sur 16 appareils : Ulysses dans des groupes de 8, un anneau de 2 entre les groupes.</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 4 devices: ulysses inside groups of 2, a ring of 2 between the groups.</source>
        <translation>Wan 2.2 texte vers vidéo A14B en 720p sur 4 appareils : Ulysses dans des groupes de 2, un anneau de 2 entre les groupes.</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 8 devices: ulysses inside groups of 4, a ring of 2 between the groups.</source>
        <translation>Wan 2.2 texte vers vidéo A14B en 720p sur 8 appareils : Ulysses dans des groupes de 4, un anneau de 2 entre les groupes.</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 8 devices: pure Ulysses.</source>
        <translation>Wan 2.2 texte vers vidéo A14B en 720p sur 8 appareils : Ulysses seul.</translation>
    </message>
    <message>
        <source>Wan 2.2 text and image to video 5B for one computer: a quarter of 704p, two seconds, few steps.</source>
        <translation>Wan 2.2 texte et image vers vidéo 5B pour un seul ordinateur : un quart de 704p, deux secondes, peu d&apos;étapes.</translation>
    </message>
    <message>
        <source>Wan 2.2 text and image to video 5B at 704p and 24 frames a second.</source>
        <translation>Wan 2.2 texte et image vers vidéo 5B en 704p à 24 images par seconde.</translation>
    </message>
    <message>
        <source>{} or more</source>
        <translation>{} ou plus</translation>
    </message>
    <message>
        <source>{} to {}</source>
        <translation>{} à {}</translation>
    </message>
    <message>
        <source>{}, in steps of {}</source>
        <translation>{}, par pas de {}</translation>
    </message>
    <message>
        <source>{}; {} is automatic</source>
        <translation>{} ; {} est automatique</translation>
    </message>
    <message>
        <source>Keys of a project file</source>
        <translation>Clés d&apos;un fichier de projet</translation>
    </message>
    <message>
        <source>On the command line, `--set key=value` overrides the file: `--set flash_block_sizes.block_q=256`.</source>
        <translation>Sur la ligne de commande, `--set key=value` l&apos;emporte sur le fichier : `--set flash_block_sizes.block_q=256`.</translation>
    </message>
    <message>
        <source>(empty)</source>
        <translation>(vide)</translation>
    </message>
    <message>
        <source>{}; default {}</source>
        <translation>{} ; par défaut {}</translation>
    </message>
    <message>
        <source>Legal: {}.</source>
        <translation>Valeurs admises : {}.</translation>
    </message>
    <message>
        <source>Other values have no effect: {}.</source>
        <translation>Les autres valeurs sont sans effet : {}.</translation>
    </message>
    <message>
        <source>other files than frames lie in this folder</source>
        <translation>ce dossier contient d&apos;autres fichiers que des images de la vidéo</translation>
    </message>
    <message>
        <source>Choose an empty folder or a new name</source>
        <translation>Choisissez un dossier vide ou un nouveau nom</translation>
    </message>
    <message>
        <source>No smaller video fits either: raise memory_budget, or use a smaller model</source>
        <translation>Aucune vidéo plus petite ne tient non plus : augmentez memory_budget ou utilisez un modèle plus petit</translation>
    </message>
    <message>
        <source>This fits: {}; or raise memory_budget</source>
        <translation>Ceci tient : {} ; ou augmentez memory_budget</translation>
    </message>
    <message>
        <source>Makes every prompt&apos;s video once with each of these seeds, separated by commas, in place of seed; -1 is a random one.</source>
        <translation>Produit la vidéo de chaque prompt une fois avec chacune de ces graines, séparées par des virgules, à la place de seed&#xa0;; -1 est une graine au hasard.</translation>
    </message>
    <message>
        <source>Speed at which the video plays, and at which a video that the task takes is sampled.</source>
        <translation>Vitesse de lecture de la vidéo, et cadence à laquelle est échantillonnée une vidéo que prend la tâche.</translation>
    </message>
    <message>
        <source>Number that the initial noise is drawn from; the same seed gives the same video. -1 draws a random one for each run, which records it.</source>
        <translation>Nombre dont est tiré le bruit initial&#xa0;; la même graine donne la même vidéo. -1 en tire une au hasard pour chaque exécution, qui l&apos;enregistre.</translation>
    </message>
    <message>
        <source>Head groups that are exchanged and computed one after another; between processes the next one travels while one is computed.</source>
        <translation>Groupes de têtes échangés et calculés l&apos;un après l&apos;autre&#xa0;; entre processus, le suivant voyage pendant que l&apos;un est calculé.</translation>
    </message>
    <message>
        <source>this is a link, and files of a run are not opened through links</source>
        <translation>ceci est un lien, et les fichiers d&apos;une exécution ne s&apos;ouvrent pas par des liens</translation>
    </message>
    <message>
        <source>Put the file itself in its place, or remove the link; think twice if the folder came from somebody else</source>
        <translation>Mettez le fichier lui-même à sa place, ou retirez le lien&#xa0;; méfiez-vous si le dossier vient de quelqu&apos;un d&apos;autre</translation>
    </message>
    <message>
        <source>this is neither a file nor a folder</source>
        <translation>ceci n&apos;est ni un fichier ni un dossier</translation>
    </message>
    <message>
        <source>Remove it from the folder</source>
        <translation>Retirez-le du dossier</translation>
    </message>
    <message>
        <source>the file cannot be opened ({})</source>
        <translation>le fichier ne peut pas être ouvert ({})</translation>
    </message>
    <message>
        <source>Check its permissions, and those of its folder</source>
        <translation>Vérifiez ses droits d&apos;accès, et ceux de son dossier</translation>
    </message>
    <message>
        <source>the folder cannot be read ({})</source>
        <translation>le dossier ne peut pas être lu ({})</translation>
    </message>
    <message>
        <source>the folder for temporary files cannot be used ({})</source>
        <translation>le dossier des fichiers temporaires ne peut pas être utilisé ({})</translation>
    </message>
    <message>
        <source>Set TMPDIR to a folder that you may write to</source>
        <translation>Faites pointer TMPDIR vers un dossier où vous pouvez écrire</translation>
    </message>
    <message>
        <source>the limit is {} ({}), of which {} are taken</source>
        <translation>la limite est de {} ({}), dont {} sont occupés</translation>
    </message>
    <message>
        <source>Raise the limit ({} unlimited), or ask for a smaller video</source>
        <translation>Relevez la limite ({} unlimited), ou demandez une vidéo plus petite</translation>
    </message>
    <message>
        <source>Close other programs or ask for a smaller video</source>
        <translation>Fermez d&apos;autres programmes ou demandez une vidéo plus petite</translation>
    </message>
    <message>
        <source>{} needs {} of address space; {}</source>
        <translation>{} exige {} d&apos;espace d&apos;adressage&#xa0;; {}</translation>
    </message>
    <message>
        <source>{} needs {} of address space, which the system does not give</source>
        <translation>{} exige {} d&apos;espace d&apos;adressage, que le système n&apos;accorde pas</translation>
    </message>
    <message>
        <source>there is not enough memory; {}</source>
        <translation>il n&apos;y a pas assez de mémoire&#xa0;; {}</translation>
    </message>
    <message>
        <source>there is not enough memory</source>
        <translation>il n&apos;y a pas assez de mémoire</translation>
    </message>
    <message>
        <source>Raise the limits on processes and address space (ulimit -u, ulimit -v), or use fewer devices and workers</source>
        <translation>Relevez les limites de processus et d&apos;espace d&apos;adressage (ulimit -u, ulimit -v), ou utilisez moins d&apos;appareils et de threads</translation>
    </message>
    <message>
        <source>no further thread or process can be started ({}); {}</source>
        <translation>aucun autre thread ou processus ne peut être lancé ({})&#xa0;; {}</translation>
    </message>
    <message>
        <source>no further thread or process can be started ({})</source>
        <translation>aucun autre thread ou processus ne peut être lancé ({})</translation>
    </message>
    <message>
        <source>OpenBLAS, which multiplies matrices,</source>
        <translation>OpenBLAS, qui multiplie les matrices,</translation>
    </message>
    <message>
        <source>this frame is not a file</source>
        <translation>cette image n&apos;est pas un fichier</translation>
    </message>
    <message>
        <source>Remove it, or put a PNG file in its place</source>
        <translation>Retirez-la, ou mettez un fichier PNG à sa place</translation>
    </message>
    <message>
        <source>this frame is a link out of the folder</source>
        <translation>cette image est un lien vers l&apos;extérieur du dossier</translation>
    </message>
    <message>
        <source>Put a copy of the file in its place</source>
        <translation>Mettez une copie du fichier à sa place</translation>
    </message>
    <message>
        <source>this folder cannot be read ({})</source>
        <translation>ce dossier ne peut pas être lu ({})</translation>
    </message>
    <message>
        <source>Check that you may read it</source>
        <translation>Vérifiez que vous pouvez le lire</translation>
    </message>
    <message>
        <source>the file is empty</source>
        <translation>le fichier est vide</translation>
    </message>
    <message>
        <source>{} ranks on {} would share {}, and more than {} a CPU are not started</source>
        <translation>{} rangs sur {} se partageraient {}, et Meshreel n&apos;en lance pas plus de {} par CPU</translation>
    </message>
    <message>
        <source>Start at most {} there, or insist with {}</source>
        <translation>Lancez-en au plus {} sur cet hôte, ou forcez avec {}</translation>
    </message>
    <message>
        <source>{} ranks are asked for, and more than {} are not started</source>
        <translation>{} rangs sont demandés, et Meshreel n&apos;en lance pas plus de {}</translation>
    </message>
    <message>
        <source>Start fewer ranks with more devices each, or insist with {}</source>
        <translation>Lancez moins de rangs avec plus d&apos;appareils chacun, ou forcez avec {}</translation>
    </message>
    <message>
        <source>{} devices of one process would share {}, and more than {} a CPU are not started</source>
        <translation>{} appareils d&apos;un même processus se partageraient {}, et Meshreel n&apos;en lance pas plus de {} par CPU</translation>
    </message>
    <message>
        <source>Ask for at most {} devices here, spread them over more hosts, or insist with {}</source>
        <translation>Demandez au plus {} appareils ici, répartissez-les sur plus d&apos;hôtes, ou forcez avec {}</translation>
    </message>
    <message>
        <source>a Wan Fun model</source>
        <translation>un modèle Wan Fun</translation>
    </message>
    <message>
        <source>{} ({} input channels)</source>
        <translation>{} ({} canaux d&apos;entrée)</translation>
    </message>
    <message>
        <source>T5 as Flux and Stable Diffusion 3 have it (a relative bias in its first block only)</source>
        <translation>T5 tel que l&apos;ont Flux et Stable Diffusion 3 (un biais relatif dans le premier bloc seulement)</translation>
    </message>
    <message>
        <source>T5 (a relative bias in its first block only), not UMT5</source>
        <translation>T5 (un biais relatif dans le premier bloc seulement), et non UMT5</translation>
    </message>
    <message>
        <source>the VAE of Qwen-Image</source>
        <translation>le VAE de Qwen-Image</translation>
    </message>
    <message>
        <source>a VAE of class {}</source>
        <translation>un VAE de la classe {}</translation>
    </message>
    <message>
        <source>a VAE of images (its kernels have no axis of time)</source>
        <translation>un VAE d&apos;images (ses noyaux n&apos;ont pas d&apos;axe temporel)</translation>
    </message>
    <message>
        <source>a VAE that makes videos of twice the size (2x upscale)</source>
        <translation>un VAE qui produit des vidéos de taille double (agrandissement 2x)</translation>
    </message>
    <message>
        <source>a VAE of {} colour channels in and {} out</source>
        <translation>un VAE de {} canaux de couleur en entrée et {} en sortie</translation>
    </message>
    <message>
        <source>Its tensors have the shapes of Wan&apos;s, and its name says that it is {}&apos;s</source>
        <translation>Ses tenseurs ont les formes de ceux de Wan, et son nom l&apos;attribue à {}</translation>
    </message>
    <message>
        <source>SLA, the sparse-linear attention of TurboDiffusion; Meshreel computes full attention, and the video may differ</source>
        <translation>SLA, l&apos;attention creuse et linéaire de TurboDiffusion&#xa0;; Meshreel calcule l&apos;attention complète, et la vidéo peut différer</translation>
    </message>
    <message>
        <source>gates of VSA, the sparse attention of FastVideo; Meshreel computes full attention without them, and the video may differ</source>
        <translation>portes de VSA, l&apos;attention creuse de FastVideo&#xa0;; Meshreel calcule l&apos;attention complète sans elles, et la vidéo peut différer</translation>
    </message>
    <message>
        <source>image prompts (IP-Adapter), which Meshreel does not take</source>
        <translation>prompts d&apos;image (IP-Adapter), que Meshreel n&apos;accepte pas</translation>
    </message>
    <message>
        <source>a ControlNet, which Meshreel does not run</source>
        <translation>un ControlNet, que Meshreel n&apos;exécute pas</translation>
    </message>
    <message>
        <source>an adapter that was not merged into the weights</source>
        <translation>un adaptateur qui n&apos;a pas été fusionné dans les poids</translation>
    </message>
    <message>
        <source>guidance that is given to the network as a number</source>
        <translation>guidage donné au réseau sous forme de nombre</translation>
    </message>
    <message>
        <source>sound that drives the video</source>
        <translation>son qui pilote la vidéo</translation>
    </message>
    <message>
        <source>layers behind the last that the config has</source>
        <translation>couches au-delà de la dernière que prévoit la configuration</translation>
    </message>
    <message>
        <source>images, VACE or animation, which the config leaves out</source>
        <translation>images, VACE ou animation, que la configuration omet</translation>
    </message>
    <message>
        <source>{} ({} tensors)</source>
        <translation>{} ({} tenseurs)</translation>
    </message>
    <message>
        <source>the folder holds no adapter</source>
        <translation>le dossier ne contient pas d&apos;adaptateur</translation>
    </message>
    <message>
        <source>Name its file in lora; in a folder {} is looked for</source>
        <translation>Nommez son fichier dans lora&#xa0;; dans un dossier, Meshreel cherche {}</translation>
    </message>
    <message>
        <source>the file has layers for transformer_2, the low expert, only, and lora asks for the {} expert</source>
        <translation>le fichier n&apos;a de couches que pour transformer_2, l&apos;expert low, et lora demande l&apos;expert {}</translation>
    </message>
    <message>
        <source>Write &quot;expert: low&quot;, or remove &quot;expert&quot;</source>
        <translation>Écrivez &quot;expert: low&quot;, ou retirez &quot;expert&quot;</translation>
    </message>
    <message>
        <source>Warning: {}</source>
        <translation>Avertissement&#xa0;: {}</translation>
    </message>
    <message>
        <source>scaled by {} ({})</source>
        <translation>mis à l&apos;échelle selon {} ({})</translation>
    </message>
    <message>
        <source>effective scale {:g}: {}</source>
        <translation>échelle effective {:g}&#xa0;: {}</translation>
    </message>
    <message>
        <source>the tokenizer has {} tokens, and the text encoder&apos;s vocabulary {}: they are of different models</source>
        <translation>le tokenizer a {} tokens, et le vocabulaire de l&apos;encodeur de texte {}&#xa0;: ils sont de modèles différents</translation>
    </message>
    <message>
        <source>Name the tokenizer that came with the text encoder in parts.tokenizer</source>
        <translation>Nommez dans parts.tokenizer le tokenizer fourni avec l&apos;encodeur de texte</translation>
    </message>
    <message>
        <source>it holds tensors without which it is another model: {}</source>
        <translation>il contient des tenseurs sans lesquels c&apos;est un autre modèle&#xa0;: {}</translation>
    </message>
    <message>
        <source>Use the weights of a model that Meshreel runs</source>
        <translation>Utilisez les poids d&apos;un modèle que Meshreel exécute</translation>
    </message>
    <message>
        <source>the {} has the shapes of Wan&apos;s, and its name says that it is {}&apos;s</source>
        <translation>{} a les formes de Wan, et son nom l&apos;attribue à {}</translation>
    </message>
    <message>
        <source>the {} holds a tensor that is not used: {}</source>
        <translation>{} contient un tenseur qui n&apos;est pas utilisé&#xa0;: {}</translation>
    </message>
    <message>
        <source>the {} holds {} tensors that are not used: {}</source>
        <translation>{} contient {} tenseurs qui ne sont pas utilisés&#xa0;: {}</translation>
    </message>
    <message>
        <source>the {} was chosen by its file&apos;s name: {} has the same shapes. parts.{} settles it</source>
        <translation>{} a été choisi d&apos;après le nom de son fichier&#xa0;: {} a les mêmes formes. parts.{} tranche</translation>
    </message>
    <message>
        <source>character animation with two experts (transformer and transformer_2)</source>
        <translation>animation de personnage à deux experts (transformer et transformer_2)</translation>
    </message>
    <message>
        <source>a model of two experts (transformer and transformer_2) with an image encoder</source>
        <translation>un modèle à deux experts (transformer et transformer_2) avec un encodeur d&apos;image</translation>
    </message>
    <message>
        <source>a model whose transformer takes {} channels beside {} of the latents</source>
        <translation>un modèle dont le transformeur prend {} canaux en plus des {} des latents</translation>
    </message>
    <message>
        <source>Use a model of one of these kinds: {}</source>
        <translation>Utilisez un modèle de l&apos;un de ces types&#xa0;: {}</translation>
    </message>
    <message>
        <source>{} is {}</source>
        <translation>{} est {}</translation>
    </message>
    <message>
        <source>{} is {}&apos;s by its name</source>
        <translation>{} est attribué par son nom à {}</translation>
    </message>
    <message>
        <source>{} files fit as {} and hold different weights; nothing tells which is Wan&apos;s: {}</source>
        <translation>{} fichiers conviennent comme {} et contiennent des poids différents&#xa0;; rien ne dit lequel est celui de Wan&#xa0;: {}</translation>
    </message>
    <message>
        <source>Name the right one in parts.{}</source>
        <translation>Nommez le bon dans parts.{}</translation>
    </message>
    <message>
        <source>the tokenizer in {} has {} tokens, the text encoder&apos;s vocabulary {}</source>
        <translation>le tokenizer dans {} a {} tokens, le vocabulaire de l&apos;encodeur de texte {}</translation>
    </message>
    <message>
        <source>prompt {} of batch_prompts</source>
        <translation>le prompt {} de batch_prompts</translation>
    </message>
    <message>
        <source>{} has {} tokens, of which {} are used: it is cut before &quot;{}&quot;</source>
        <translation>{} a {} tokens, dont {} sont utilisés&#xa0;: le prompt est coupé avant «&#xa0;{}&#xa0;»</translation>
    </message>
    <message>
        <source>Shorten it, or set max_sequence_length: {}</source>
        <translation>Raccourcissez-le, ou mettez max_sequence_length: {}</translation>
    </message>
    <message>
        <source>&quot;{}&quot; has a decimal comma</source>
        <translation>«&#xa0;{}&#xa0;» a une virgule décimale</translation>
    </message>
    <message>
        <source>{} is below 0</source>
        <translation>{} est inférieur à 0</translation>
    </message>
    <message>
        <source>Write pretrained_model_name_or_path=NAME</source>
        <translation>Écrivez pretrained_model_name_or_path=NAME</translation>
    </message>
    <message>
        <source>No config and no model is named, so the model is Meshreel&apos;s own, {}</source>
        <translation>Ni configuration ni modèle n&apos;est nommé&#xa0;: le modèle est donc celui de Meshreel, {}</translation>
    </message>
    <message>
        <source>{} is not a config of MaxDiffusion that Meshreel knows the model of</source>
        <translation>{} n&apos;est pas une configuration de MaxDiffusion dont Meshreel connaît le modèle</translation>
    </message>
    <message>
        <source>Only the name of {} is known, not its keys: they stay at Meshreel&apos;s defaults</source>
        <translation>Seul le nom de {} est connu, pas ses clés&#xa0;: elles gardent les valeurs par défaut de Meshreel</translation>
    </message>
    <message>
        <source>Import the file itself</source>
        <translation>Importez le fichier lui-même</translation>
    </message>
    <message>
        <source>{}: the path {} is not UTF-8</source>
        <translation>{}&#xa0;: le chemin {} n&apos;est pas en UTF-8</translation>
    </message>
    <message>
        <source>Rename the folder or the file</source>
        <translation>Renommez le dossier ou le fichier</translation>
    </message>
    <message>
        <source>the inputs up to {} are {}, and a run copies at most {} into its folder</source>
        <translation>les entrées jusqu&apos;à {} font {}, et une exécution copie au plus {} dans son dossier</translation>
    </message>
    <message>
        <source>Cut the video to the part that is used, or make it smaller</source>
        <translation>Réduisez la vidéo à la partie utilisée, ou diminuez sa taille</translation>
    </message>
    <message>
        <source>{}: {}: {}</source>
        <translation>{}&#xa0;: {}&#xa0;: {}</translation>
    </message>
    <message>
        <source>{}: {}: a variable rate, {} frames a second on average, sampled at {}</source>
        <translation>{}&#xa0;: {}&#xa0;: cadence variable, {} images par seconde en moyenne, échantillonnée à {}</translation>
    </message>
    <message>
        <source>{}: {}: {} frames a second, sampled at {}</source>
        <translation>{}&#xa0;: {}&#xa0;: {} images par seconde, échantillonnée à {}</translation>
    </message>
    <message>
        <source>{} gives {} frames at {} frames a second, and num_frames is {}</source>
        <translation>{} donne {} images à {} images par seconde, et num_frames vaut {}</translation>
    </message>
    <message>
        <source>Write it in UTF-8</source>
        <translation>Écrivez-le en UTF-8</translation>
    </message>
    <message>
        <source>The text holds the control character U+{:04X}</source>
        <translation>Le texte contient le caractère de contrôle U+{:04X}</translation>
    </message>
    <message>
        <source>0 to {}; {} is random</source>
        <translation>0 à {}&#xa0;; {} est au hasard</translation>
    </message>
    <message>
        <source>Write 0 to {}, or -1 for a random seed</source>
        <translation>Écrivez un nombre de 0 à {}, ou -1 pour une graine au hasard</translation>
    </message>
    <message>
        <source>{} is one half of a character</source>
        <translation>{} n&apos;est qu&apos;une moitié de caractère</translation>
    </message>
    <message>
        <source>Write both halves, as in {}, or remove it</source>
        <translation>Écrivez les deux moitiés, comme dans {}, ou retirez-la</translation>
    </message>
    <message>
        <source>Remove it, and save the file as UTF-8</source>
        <translation>Retirez-le, et enregistrez le fichier en UTF-8</translation>
    </message>
    <message>
        <source>Remove it, or write {} in double quotes</source>
        <translation>Retirez-le, ou écrivez {} entre guillemets doubles</translation>
    </message>
    <message>
        <source>Use fewer hosts, or shorter names</source>
        <translation>Utilisez moins d&apos;hôtes, ou des noms plus courts</translation>
    </message>
    <message>
        <source>Check the permissions of the program in your PATH</source>
        <translation>Vérifiez les droits d&apos;accès du programme dans votre PATH</translation>
    </message>
    <message>
        <source>the name of a host has at most {} characters, and this one has {}</source>
        <translation>un nom d&apos;hôte a au plus {} caractères, et celui-ci en a {}</translation>
    </message>
    <message>
        <source>Write the name that ssh knows the host by</source>
        <translation>Écrivez le nom sous lequel ssh connaît l&apos;hôte</translation>
    </message>
    <message>
        <source>Between its dots are 1 to {} characters</source>
        <translation>Entre ses points se trouvent 1 à {} caractères</translation>
    </message>
    <message>
        <source>the hosts up to here take {} ranks, and no mesh has more than {} devices</source>
        <translation>les hôtes jusqu&apos;ici prennent {} rangs, et aucun maillage n&apos;a plus de {} appareils</translation>
    </message>
    <message>
        <source>List fewer hosts, or fewer slots</source>
        <translation>Indiquez moins d&apos;hôtes, ou moins de slots</translation>
    </message>
    <message>
        <source>the file of hosts cannot be read</source>
        <translation>le fichier des hôtes ne peut pas être lu</translation>
    </message>
    <message>
        <source>the file of hosts is larger than {}</source>
        <translation>le fichier des hôtes dépasse {}</translation>
    </message>
    <message>
        <source>the project could not be handed to the ranks ({})</source>
        <translation>le projet n&apos;a pas pu être transmis aux rangs ({})</translation>
    </message>
    <message>
        <source>Start it again with --out and the same folder</source>
        <translation>Relancez-la avec --out et le même dossier</translation>
    </message>
    <message>
        <source>This run has no {}, because an earlier version began it: whether its model, prompt and settings have changed since is not checked</source>
        <translation>Cette exécution n&apos;a pas de {}, car une version antérieure l&apos;a commencée&#xa0;: Meshreel ne vérifie pas si son modèle, son prompt et ses réglages ont changé depuis</translation>
    </message>
    <message>
        <source>{} was {}, is {}</source>
        <translation>{} valait {}, vaut maintenant {}</translation>
    </message>
    <message>
        <source>{}: {} is no longer used</source>
        <translation>{}&#xa0;: {} n&apos;est plus utilisé</translation>
    </message>
    <message>
        <source>{}: {} had {} bytes, has {}</source>
        <translation>{}&#xa0;: {} avait {} octets, en a maintenant {}</translation>
    </message>
    <message>
        <source>{}: {} holds other data</source>
        <translation>{}&#xa0;: {} contient d&apos;autres données</translation>
    </message>
    <message>
        <source>{}: {} is new</source>
        <translation>{}&#xa0;: {} est nouveau</translation>
    </message>
    <message>
        <source>settings have changed since the run began ({})</source>
        <translation>des réglages ont changé depuis le début de l&apos;exécution ({})</translation>
    </message>
    <message>
        <source>Set them back, or start a new run with them: meshreel run {}</source>
        <translation>Rétablissez-les, ou lancez avec eux une nouvelle exécution&#xa0;: meshreel run {}</translation>
    </message>
    <message>
        <source>files of the model, adapters or inputs have changed since the run began ({})</source>
        <translation>des fichiers du modèle, des adaptateurs ou des entrées ont changé depuis le début de l&apos;exécution ({})</translation>
    </message>
    <message>
        <source>settings and files of the model, adapters or inputs have changed since the run began ({})</source>
        <translation>des réglages et des fichiers du modèle, des adaptateurs ou des entrées ont changé depuis le début de l&apos;exécution ({})</translation>
    </message>
    <message>
        <source>Put the files back that it began with, or start a new run: meshreel run {}</source>
        <translation>Remettez les fichiers avec lesquels elle a commencé, ou lancez une nouvelle exécution&#xa0;: meshreel run {}</translation>
    </message>
    <message>
        <source>it shrank while it was read</source>
        <translation>il a rétréci pendant sa lecture</translation>
    </message>
    <message>
        <source>Check that it is there and its permissions</source>
        <translation>Vérifiez qu&apos;il est présent, et ses droits d&apos;accès</translation>
    </message>
    <message>
        <source>this GGUF was left unfinished: it holds no such tensor</source>
        <translation>ce GGUF est resté inachevé&#xa0;: il ne contient pas ce tenseur</translation>
    </message>
    <message>
        <source>Converters leave out what has 5 axes and add it in a last step (fix_5d_tensors.py of ComfyUI-GGUF): do that step, or get a finished file</source>
        <translation>Les convertisseurs omettent ce qui a 5 axes et l&apos;ajoutent dans une dernière étape (fix_5d_tensors.py de ComfyUI-GGUF)&#xa0;: faites cette étape, ou récupérez un fichier terminé</translation>
    </message>
    <message>
        <source>The file is incomplete, or of another model: get it again</source>
        <translation>Le fichier est incomplet, ou celui d&apos;un autre modèle&#xa0;: récupérez-le à nouveau</translation>
    </message>
    <message>
        <source>The nearest name is &apos;{}&apos;: the file is incomplete, or of another model</source>
        <translation>Le nom le plus proche est «&#xa0;{}&#xa0;»&#xa0;: le fichier est incomplet, ou celui d&apos;un autre modèle</translation>
    </message>
    <message>
        <source>it is stored as {}, which Meshreel does not read</source>
        <translation>il est enregistré en {}, que Meshreel ne lit pas</translation>
    </message>
    <message>
        <source>The file is of another model, or damaged: check what it is with meshreel inspect, or get it again</source>
        <translation>Le fichier est celui d&apos;un autre modèle, ou endommagé&#xa0;: vérifiez ce que c&apos;est avec meshreel inspect, ou récupérez-le à nouveau</translation>
    </message>
    <message>
        <source>{} whose comfy_quant names no format</source>
        <translation>{} dont comfy_quant n&apos;indique aucun format</translation>
    </message>
    <message>
        <source>its scale is of type {}, which is not read</source>
        <translation>son facteur d&apos;échelle est de type {}, qui n&apos;est pas lu</translation>
    </message>
    <message>
        <source>it is made by {}, which Meshreel does not read</source>
        <translation>il est produit par {}, que Meshreel ne lit pas</translation>
    </message>
    <message>
        <source>it has layers for transformer_2, the second of two experts, and the model has one transformer</source>
        <translation>il a des couches pour transformer_2, le second de deux experts, et le modèle a un seul transformeur</translation>
    </message>
    <message>
        <source>Use it with a model of two experts (Wan 2.2 A14B), or an adapter for this one</source>
        <translation>Utilisez-le avec un modèle à deux experts (Wan 2.2 A14B), ou prenez un adaptateur pour ce modèle-ci</translation>
    </message>
    <message>
        <source>{} is not applied, because the folder holds several files of weights: put this one and its description into a folder of their own</source>
        <translation>{} n&apos;est pas appliqué, car le dossier contient plusieurs fichiers de poids&#xa0;: placez celui-ci et sa description dans un dossier à part</translation>
    </message>
    <message>
        <source>{} is not applied ({})</source>
        <translation>{} n&apos;est pas appliqué ({})</translation>
    </message>
    <message>
        <source>{} layers have an alpha in the file, which is applied in place of {}</source>
        <translation>{} couches ont dans le fichier un alpha, qui est appliqué à la place de {}</translation>
    </message>
    <message>
        <source>{} has a value that PEFT does not write</source>
        <translation>{} a une valeur que PEFT n&apos;écrit pas</translation>
    </message>
    <message>
        <source>Use a plain LoRA, or one that its trainer merged into a model</source>
        <translation>Utilisez un LoRA simple, ou un adaptateur que son outil d&apos;entraînement a fusionné dans un modèle</translation>
    </message>
    <message>
        <source>this is {} ({}), which Meshreel does not apply</source>
        <translation>ceci est {} ({}), que Meshreel n&apos;applique pas</translation>
    </message>
    <message>
        <source>it was trained from {} (init_lora_weights), which changes the model&apos;s own weights</source>
        <translation>il a été entraîné à partir de {} (init_lora_weights), ce qui modifie les poids mêmes du modèle</translation>
    </message>
    <message>
        <source>Have it saved as a plain LoRA: PEFT converts it with path_initial_model_for_weight_conversion</source>
        <translation>Faites-le enregistrer comme LoRA simple&#xa0;: PEFT le convertit avec path_initial_model_for_weight_conversion</translation>
    </message>
    <message>
        <source>{} holds &quot;{}&quot;, which cannot be read as a regular expression</source>
        <translation>{} contient «&#xa0;{}&#xa0;», qui ne peut pas être lu comme une expression régulière</translation>
    </message>
    <message>
        <source>Name the modules one by one in {}</source>
        <translation>Nommez les modules un par un dans {}</translation>
    </message>
    <message>
        <source>it says rank {:g} for {}, whose tensors have rank {}</source>
        <translation>elle indique le rang {:g} pour {}, dont les tenseurs sont de rang {}</translation>
    </message>
    <message>
        <source>Use the description that belongs to the adapter&apos;s file</source>
        <translation>Utilisez la description qui va avec le fichier de l&apos;adaptateur</translation>
    </message>
    <message>
        <source>the adapter replaces {} of the model ({}), which Meshreel does not do</source>
        <translation>l&apos;adaptateur remplace {} du modèle ({}), ce que Meshreel ne fait pas</translation>
    </message>
    <message>
        <source>Use an adapter without it, or one that its trainer merged into a model</source>
        <translation>Utilisez un adaptateur sans cela, ou un autre que son outil d&apos;entraînement a fusionné dans un modèle</translation>
    </message>
    <message>
        <source>This row has {} fields in place of {}</source>
        <translation>Cette ligne a {} champs au lieu de {}</translation>
    </message>
    <message>
        <source>its parts do not fit together</source>
        <translation>ses parties ne vont pas ensemble</translation>
    </message>
    <message>
        <source>frame {} cannot be decoded</source>
        <translation>l&apos;image {} ne peut pas être décodée</translation>
    </message>
    <message>
        <source>These are not the numbers of a roofline</source>
        <translation>Ce ne sont pas les nombres d&apos;un diagramme roofline</translation>
    </message>
    <message>
        <source>Draw one with meshreel bench --roofline</source>
        <translation>Dessinez-en un avec meshreel bench --roofline</translation>
    </message>
    <message>
        <source>No hardware profile is published as {}</source>
        <translation>Aucun profil matériel n&apos;est publié sous le nom {}</translation>
    </message>
    <message>
        <source>The model is not stated</source>
        <translation>Le modèle n&apos;est pas indiqué</translation>
    </message>
    <message>
        <source>The video&apos;s size is not stated</source>
        <translation>La taille de la vidéo n&apos;est pas indiquée</translation>
    </message>
    <message>
        <source>{} skips work by the video&apos;s content</source>
        <translation>{} omet du travail selon le contenu de la vidéo</translation>
    </message>
    <message>
        <source>No program called {} is known</source>
        <translation>Aucun programme nommé {} n&apos;est connu</translation>
    </message>
    <message>
        <source>Programs: {}</source>
        <translation>Programmes&#xa0;: {}</translation>
    </message>
    <message>
        <source>{} is not foreseen</source>
        <translation>{} n&apos;est pas prévu par le modèle</translation>
    </message>
    <message>
        <source>The number of steps is not stated</source>
        <translation>Le nombre d&apos;étapes n&apos;est pas indiqué</translation>
    </message>
    <message>
        <source>No legal mesh is called {}</source>
        <translation>Aucun maillage possible ne s&apos;appelle {}</translation>
    </message>
    <message>
        <source>The best are {}; a mode may follow behind a slash</source>
        <translation>Les meilleurs sont {}&#xa0;; un mode peut suivre après une barre oblique</translation>
    </message>
    <message>
        <source>A hardware profile is a map of keys</source>
        <translation>Un profil matériel est une table de clés</translation>
    </message>
    <message>
        <source>Copy a file of configs/hardware and change its numbers</source>
        <translation>Copiez un fichier de configs/hardware et changez ses nombres</translation>
    </message>
    <message>
        <source>No key of a hardware profile is called {}</source>
        <translation>Aucune clé d&apos;un profil matériel ne s&apos;appelle {}</translation>
    </message>
    <message>
        <source>docs/foresight.md lists the keys</source>
        <translation>docs/foresight.md donne la liste des clés</translation>
    </message>
    <message>
        <source>{} is {}, and must be a number above 0</source>
        <translation>{} vaut {}, et doit être un nombre supérieur à 0</translation>
    </message>
    <message>
        <source>Write a number such as 989 or 3.9e12</source>
        <translation>Écrivez un nombre comme 989 ou 3.9e12</translation>
    </message>
    <message>
        <source>{} is {}, and must be a whole number</source>
        <translation>{} vaut {}, et doit être un nombre entier</translation>
    </message>
    <message>
        <source>Write a number from {} to {}</source>
        <translation>Écrivez un nombre de {} à {}</translation>
    </message>
    <message>
        <source>There is no kind of hardware called {}</source>
        <translation>Il n&apos;y a pas de type de matériel nommé {}</translation>
    </message>
    <message>
        <source>Write tpu, gpu or consumer_gpu</source>
        <translation>Écrivez tpu, gpu ou consumer_gpu</translation>
    </message>
    <message>
        <source>{} is empty</source>
        <translation>{} est vide</translation>
    </message>
    <message>
        <source>Give a list of texts</source>
        <translation>Donnez une liste de textes</translation>
    </message>
    <message>
        <source>A link has no {}</source>
        <translation>Il manque {} à une liaison</translation>
    </message>
    <message>
        <source>Write - {{name: NVLink, devices: 8, gb_s: 450, ports: 1, latency_us: 3, topology: switch}}</source>
        <translation>Écrivez - {{name: NVLink, devices: 8, gb_s: 450, ports: 1, latency_us: 3, topology: switch}}</translation>
    </message>
    <message>
        <source>The link {} reaches no more devices than the one before</source>
        <translation>La liaison {} n&apos;atteint pas plus d&apos;appareils que la précédente</translation>
    </message>
    <message>
        <source>List links from near to far</source>
        <translation>Listez les liaisons de la plus proche à la plus lointaine</translation>
    </message>
    <message>
        <source>A profile needs links</source>
        <translation>Un profil a besoin de liaisons</translation>
    </message>
    <message>
        <source>List one link at least</source>
        <translation>Donnez au moins une liaison</translation>
    </message>
    <message>
        <source>There is no topology called {}</source>
        <translation>Il n&apos;y a pas de topologie nommée {}</translation>
    </message>
    <message>
        <source>No key of a link is called {}</source>
        <translation>Aucune clé d&apos;une liaison ne s&apos;appelle {}</translation>
    </message>
    <message>
        <source>The profile has no {}</source>
        <translation>Il manque {} au profil</translation>
    </message>
    <message>
        <source>docs/foresight.md says what it means</source>
        <translation>docs/foresight.md dit ce que cela signifie</translation>
    </message>
    <message>
        <source>There is no hardware profile called {}</source>
        <translation>Il n&apos;y a pas de profil matériel nommé {}</translation>
    </message>
    <message>
        <source>Profiles: {}; or give the path of a file</source>
        <translation>Profils&#xa0;: {}&#xa0;; ou donnez le chemin d&apos;un fichier</translation>
    </message>
    <message>
        <source>More devices do not make it faster: {} take no longer</source>
        <translation>Plus d&apos;appareils n&apos;accélèrent rien&#xa0;: {} ne mettent pas plus de temps</translation>
    </message>
    <message>
        <source>A ring of {}: a hop takes {:.1f} ms and its kernel {:.1f} ms</source>
        <translation>Un anneau de {}&#xa0;: un saut prend {:.1f} ms et son noyau {:.1f} ms</translation>
    </message>
    <message>
        <source>The exchange of heads takes {:.0f} % of a step</source>
        <translation>L&apos;échange des têtes prend {:.0f} % d&apos;une étape</translation>
    </message>
    <message>
        <source>Heads run out: {} heads over {} devices; keys rotate or are gathered between {} groups</source>
        <translation>Les têtes ne suffisent plus&#xa0;: {} têtes sur {} appareils&#xa0;; les clés tournent ou sont rassemblées entre {} groupes</translation>
    </message>
    <message>
        <source>Blocks are filled up: a device has too few rows for them</source>
        <translation>Les blocs sont complétés&#xa0;: un appareil a trop peu de lignes pour eux</translation>
    </message>
    <message>
        <source>Exchange and starts of blocks do not shrink as computing does</source>
        <translation>Les échanges et les débuts de blocs ne diminuent pas comme le calcul</translation>
    </message>
    <message>
        <source>Memory: {:.0f} GiB a device at least, of {:.0f}</source>
        <translation>Mémoire&#xa0;: au moins {:.0f} Gio par appareil, sur {:.0f}</translation>
    </message>
    <message>
        <source>No legal mesh has so many devices</source>
        <translation>Aucun maillage possible n&apos;a autant d&apos;appareils</translation>
    </message>
    <message>
        <source>{}: {:.3g} s of a step, {:.0f} %. {}</source>
        <translation>{}&#xa0;: {:.3g} s d&apos;une étape, {:.0f} %. {}</translation>
    </message>
    <message>
        <source>The ring of {} is bound by its hops: one takes {:.1f} ms, and the kernel beside it {:.1f} ms. Larger blocks gain little here</source>
        <translation>L&apos;anneau de {} est limité par ses sauts&#xa0;: l&apos;un prend {:.1f} ms, et le noyau à côté {:.1f} ms. De plus grands blocs apportent peu ici</translation>
    </message>
    <message>
        <source>A hardware profile is a file that ends in .yaml</source>
        <translation>Un profil matériel est un fichier qui se termine par .yaml</translation>
    </message>
    <message>
        <source>Write -o my-hardware.yaml</source>
        <translation>Écrivez -o my-hardware.yaml</translation>
    </message>
    <message>
        <source>{} has measured times already</source>
        <translation>{} a déjà des temps mesurés</translation>
    </message>
    <message>
        <source>Fit the profile that it was made of, {}, with all runs</source>
        <translation>Ajustez le profil d&apos;origine, {}, avec toutes les exécutions</translation>
    </message>
    <message>
        <source>The table has no column {}</source>
        <translation>Le tableau n&apos;a pas de colonne {}</translation>
    </message>
    <message>
        <source>docs/foresight.md describes the columns of a table of times</source>
        <translation>docs/foresight.md décrit les colonnes d&apos;un tableau de temps</translation>
    </message>
    <message>
        <source>Seconds are {}, and must be above 0</source>
        <translation>Les secondes valent {}, et doivent être supérieures à 0</translation>
    </message>
    <message>
        <source>linear layers</source>
        <translation>couches linéaires</translation>
    </message>
    <message>
        <source>attention products</source>
        <translation>produits de l&apos;attention</translation>
    </message>
    <message>
        <source>padding of blocks</source>
        <translation>remplissage des blocs</translation>
    </message>
    <message>
        <source>softmax and starts of blocks</source>
        <translation>softmax et débuts de blocs</translation>
    </message>
    <message>
        <source>memory bandwidth</source>
        <translation>bande passante mémoire</translation>
    </message>
    <message>
        <source>exchange of heads</source>
        <translation>échange des têtes</translation>
    </message>
    <message>
        <source>exposed hops of the ring</source>
        <translation>sauts visibles de l&apos;anneau</translation>
    </message>
    <message>
        <source>exposed gather of keys</source>
        <translation>rassemblement visible des clés</translation>
    </message>
    <message>
        <source>exposed gather of weights</source>
        <translation>rassemblement visible des poids</translation>
    </message>
    <message>
        <source>More devices, 8-bit linear layers, or fewer steps</source>
        <translation>Plus d&apos;appareils, des couches linéaires 8 bits, ou moins d&apos;étapes</translation>
    </message>
    <message>
        <source>More devices along the context axis, or a kernel nearer to the peak</source>
        <translation>Plus d&apos;appareils sur l&apos;axe de contexte, ou un noyau plus proche du maximum</translation>
    </message>
    <message>
        <source>Blocks that divide the queries and keys of a device</source>
        <translation>Des blocs qui divisent les requêtes et les clés d&apos;un appareil</translation>
    </message>
    <message>
        <source>A larger block_q within the scratch, or a kernel with a fixed bound</source>
        <translation>Un block_q plus grand dans la mémoire de travail, ou un noyau à borne fixe</translation>
    </message>
    <message>
        <source>A program that fuses norms, rotations and residuals</source>
        <translation>Un programme qui fusionne normes, rotations et résidus</translation>
    </message>
    <message>
        <source>A smaller ulysses_shards that stays on nearer links, with a ring for the rest</source>
        <translation>Un ulysses_shards plus petit sur des liaisons plus proches, avec un anneau pour le reste</translation>
    </message>
    <message>
        <source>A shorter ring, whose kernel outlasts a hop, or faster links</source>
        <translation>Un anneau plus court, dont le noyau dure plus qu&apos;un saut, ou des liaisons plus rapides</translation>
    </message>
    <message>
        <source>Ulysses or a ring in place of a gather</source>
        <translation>Ulysses ou un anneau au lieu d&apos;un rassemblement</translation>
    </message>
    <message>
        <source>A smaller tensor axis: the context axis moves less</source>
        <translation>Un axe tenseur plus petit&#xa0;: l&apos;axe de contexte déplace moins</translation>
    </message>
    <message>
        <source>A smaller fsdp axis where memory allows it</source>
        <translation>Un axe fsdp plus petit si la mémoire le permet</translation>
    </message>
    <message>
        <source>Write name, devices, gb_s, ports, latency_us, units_share or topology</source>
        <translation>Écrivez name, devices, gb_s, ports, latency_us, units_share ou topology</translation>
    </message>
    <message>
        <source>it does not answer</source>
        <translation>il ne répond pas</translation>
    </message>
    <message>
        <source>it cannot be reached</source>
        <translation>il est injoignable</translation>
    </message>
    <message>
        <source>Open MPI is not installed there: the shell finds no orted</source>
        <translation>Open MPI n’y est pas installé : le shell ne trouve pas orted</translation>
    </message>
    <message>
        <source>the shell finds no orted of Open MPI there: {}</source>
        <translation>le shell n’y trouve pas orted d’Open MPI : {}</translation>
    </message>
    <message>
        <source>this rank reads other weights than rank 0: {} of {} differs or is missing</source>
        <translation>ce rang lit d’autres poids que le rang 0 : {} de {} diffère ou manque</translation>
    </message>
    <message>
        <source>Copy rank 0&apos;s model to this host, or set broadcast_weights: true</source>
        <translation>Copiez le modèle du rang 0 sur cet hôte, ou mettez broadcast_weights: true</translation>
    </message>
    <message>
        <source>the model on {} is not that of {}: {}</source>
        <translation>le modèle sur {} n’est pas celui de {} : {}</translation>
    </message>
    <message>
        <source>Install Meshreel at the same path there, or let --broadcast-program send it</source>
        <translation>Installez-y Meshreel au même chemin, ou laissez --broadcast-program l’envoyer</translation>
    </message>
    <message>
        <source>{} of {} differs or is missing</source>
        <translation>{} de {} diffère ou manque</translation>
    </message>
    <message>
        <source>the program is not there</source>
        <translation>le programme n’y est pas</translation>
    </message>
    <message>
        <source>Cells on hosts leave no trace; trace_batch serves those of this machine</source>
        <translation>Les cellules sur des hôtes ne laissent pas de trace ; trace_batch vaut pour celles de cette machine</translation>
    </message>
    <message>
        <source>Save the sweep, or leave out hosts</source>
        <translation>Enregistrez le balayage, ou omettez hosts</translation>
    </message>
    <message>
        <source>ranks on hosts read a sweep from its file, and this one has none</source>
        <translation>les rangs sur des hôtes lisent un balayage dans son fichier, et celui-ci n’en a pas</translation>
    </message>
    <message>
        <source>meshreel sweep FILE --list prints the cells</source>
        <translation>meshreel sweep FILE --list affiche les cellules</translation>
    </message>
    <message>
        <source>Fixed m: {} of {} heads ran on the bound; {} were beyond its limit, {} lost weights</source>
        <translation>m fixe : {} têtes sur {} ont utilisé la borne ; {} dépassaient sa limite, {} ont perdu des poids</translation>
    </message>
    <message>
        <source>its numbers are not those that were written</source>
        <translation>ses nombres ne sont pas ceux qui ont été écrits</translation>
    </message>
    <message>
        <source>{} could not be read and was set aside as {}: {}</source>
        <translation>{} n’a pas pu être lu et a été mis de côté sous {} : {}</translation>
    </message>
    <message>
        <source>{} has lost {} of the {} steps before; sums and charts lack them</source>
        <translation>Dans {}, {} des {} étapes précédentes manquent ; les sommes et les graphiques ne les contiennent pas</translation>
    </message>
    <message>
        <source>a run that has begun keeps its {}</source>
        <translation>une exécution commencée garde {}</translation>
    </message>
    <message>
        <source>Change only {}, or start a new run</source>
        <translation>Ne changez que {}, ou lancez une nouvelle exécution</translation>
    </message>
    <message>
        <source>it holds no project</source>
        <translation>elle ne contient aucun projet</translation>
    </message>
    <message>
        <source>it changes the run before it, which cannot be read</source>
        <translation>elle modifie l’exécution précédente, qui est illisible</translation>
    </message>
    <message>
        <source>the run is finished already</source>
        <translation>l’exécution est déjà terminée</translation>
    </message>
    <message>
        <source>Write its video otherwise with meshreel decode and the same --set</source>
        <translation>Écrivez sa vidéo autrement avec meshreel decode et le même --set</translation>
    </message>
    <message>
        <source>A kept video was made again, as its picture could not be read ({}); that was set aside as {}</source>
        <translation>Une vidéo conservée a été refaite, car son image était illisible ({}) ; celle-ci a été mise de côté sous {}</translation>
    </message>
    <message>
        <source>It is not known on which machine the measurements in {} began: no {} records it</source>
        <translation>On ignore sur quelle machine les mesures de {} ont commencé : aucun {} ne l’indique</translation>
    </message>
    <message>
        <source>the measurements were begun on another machine or build ({})</source>
        <translation>les mesures ont été commencées sur une autre machine ou avec un autre build ({})</translation>
    </message>
    <message>
        <source>Go on there, or measure all of them here in another folder</source>
        <translation>Continuez là-bas, ou mesurez tout ici dans un autre dossier</translation>
    </message>
    <message>
        <source>the sweep has no cell &quot;{}&quot;</source>
        <translation>le balayage n’a pas de cellule « {} »</translation>
    </message>
    <message>
        <source>this is no row of a sweep</source>
        <translation>ce n’est pas une ligne d’un balayage</translation>
    </message>
    <message>
        <source>The pass is measured again when the sweep goes on</source>
        <translation>La passe sera mesurée de nouveau quand le balayage continuera</translation>
    </message>
    <message>
        <source>rank {} on host {} computes with {}, and rank 0 on host {} with {}: the result differs slightly from that of one instruction set. For the same bits everywhere give the narrowest of them with --isa</source>
        <translation>le rang {} sur l’hôte {} calcule avec {}, et le rang 0 sur l’hôte {} avec {} : le résultat diffère légèrement de celui d’un seul jeu d’instructions. Pour les mêmes bits partout, donnez le plus étroit avec --isa</translation>
    </message>
    <message>
        <source>the run has lost its {}</source>
        <translation>l’exécution a perdu son fichier {}</translation>
    </message>
    <message>
        <source>{} runs are left out, as they cannot be read: {}</source>
        <translation>{} exécutions sont omises, car elles sont illisibles : {}</translation>
    </message>
    <message>
        <source>the shard {:.80} is not the name of a file of weights beside the index</source>
        <translation>le fragment {:.80} n&apos;est pas le nom d&apos;un fichier de poids à côté de l&apos;index</translation>
    </message>
    <message>
        <source>Use a checkpoint in F32, F16, BF16, fp8, ComfyUI&apos;s int8, nvfp4 or mxfp8, or one of GGUF&apos;s types Q8_0, Q6_K, Q5_K, Q4_K, Q3_K, Q2_K, IQ4_NL, IQ4_XS, Q5_0, Q5_1, Q4_0 and Q4_1</source>
        <translation>Utilisez un checkpoint en F32, F16, BF16, fp8, en int8, nvfp4 ou mxfp8 de ComfyUI, ou dans l&apos;un des types GGUF Q8_0, Q6_K, Q5_K, Q4_K, Q3_K, Q2_K, IQ4_NL, IQ4_XS, Q5_0, Q5_1, Q4_0 et Q4_1</translation>
    </message>
    <message>
        <source>its tokenizer has {} tokens, {} scores and {} kinds of tokens</source>
        <translation>son tokenizer a {} tokens, {} scores et {} types de tokens</translation>
    </message>
    <message>
        <source>Name a tokenizer in parts.tokenizer</source>
        <translation>Indiquez un tokenizer dans parts.tokenizer</translation>
    </message>
    <message>
        <source>the metadata &apos;{}&apos; is a list of another type</source>
        <translation>la métadonnée &apos;{}&apos; est une liste d&apos;un autre type</translation>
    </message>
    <message>
        <source>a causal Wan model, which makes a video block by block</source>
        <translation>un modèle Wan causal, qui crée une vidéo bloc par bloc</translation>
    </message>
    <message>
        <source>its scale (weight_scale) is missing</source>
        <translation>son facteur d&apos;échelle (weight_scale) manque</translation>
    </message>
    <message>
        <source>The file is incomplete: get it again</source>
        <translation>Le fichier est incomplet : récupérez-le à nouveau</translation>
    </message>
    <message>
        <source>The file is damaged: get it again</source>
        <translation>Le fichier est endommagé : récupérez-le à nouveau</translation>
    </message>
    <message>
        <source>its scale has shape {}, but {} numbers were expected, in tiles of 128 rows and 4 columns</source>
        <translation>son facteur d&apos;échelle a la forme {}, mais {} nombres étaient attendus, en tuiles de 128 lignes et 4 colonnes</translation>
    </message>
    <message>
        <source>weight_scale_2, one number, is missing or of another type</source>
        <translation>weight_scale_2, un nombre, manque ou est d&apos;un autre type</translation>
    </message>
    <message>
        <source>Wan 2.2 VACE editing, two experts</source>
        <translation>Wan 2.2 édition VACE, deux experts</translation>
    </message>
    <message>
        <source>the GPU {} is not here any more</source>
        <translation>le GPU {} n’est plus là</translation>
    </message>
    <message>
        <source>See meshreel devices</source>
        <translation>Voir meshreel devices</translation>
    </message>
    <message>
        <source>{} cannot be used: {}</source>
        <translation>{} est inutilisable : {}</translation>
    </message>
    <message>
        <source>{} has no memory of the kind that is needed</source>
        <translation>{} n’a pas de mémoire du type nécessaire</translation>
    </message>
    <message>
        <source>Update the GPU driver, or use the CPU</source>
        <translation>Mettez à jour le pilote du GPU, ou utilisez le CPU</translation>
    </message>
    <message>
        <source>Denoising held {} of the GPU&apos;s memory at most; {} were planned</source>
        <translation>Le débruitage a occupé au plus {} de la mémoire du GPU ; {} étaient prévus</translation>
    </message>
    <message>
        <source>Decoding held {} of the GPU&apos;s memory at most; {} were planned</source>
        <translation>Le décodage a occupé au plus {} de la mémoire du GPU ; {} étaient prévus</translation>
    </message>
    <message>
        <source>the VAE needs {} of the GPU&apos;s memory beside the transformer, and {} are free</source>
        <translation>le VAE a besoin de {} de la mémoire du GPU en plus du transformer, et {} sont libres</translation>
    </message>
    <message>
        <source>gpus is &quot;{}&quot;</source>
        <translation>gpus vaut « {} »</translation>
    </message>
    <message>
        <source>Use none, auto, or the number of a GPU: 0 is the first that meshreel devices lists</source>
        <translation>Utilisez none, auto ou le numéro d’un GPU : 0 est le premier que meshreel devices affiche</translation>
    </message>
    <message>
        <source>there is no GPU {} on this machine</source>
        <translation>il n’y a pas de GPU {} sur cette machine</translation>
    </message>
    <message>
        <source>there is no GPU {}: {}</source>
        <translation>il n’y a pas de GPU {} : {}</translation>
    </message>
    <message>
        <source>meshreel devices lists those that there are</source>
        <translation>meshreel devices affiche ceux qui existent</translation>
    </message>
    <message>
        <source>the GPU {} ({}) cannot be used: {}</source>
        <translation>le GPU {} ({}) est inutilisable : {}</translation>
    </message>
    <message>
        <source>Update its driver, or use the CPU</source>
        <translation>Mettez à jour son pilote, ou utilisez le CPU</translation>
    </message>
    <message>
        <source>{} takes at most {:.1f} GiB in one piece, {:.1f} GiB are needed</source>
        <translation>{} accepte au plus {:.1f} GiB d’un seul tenant, il en faut {:.1f}</translation>
    </message>
    <message>
        <source>Make a smaller or shorter video, or use the CPU</source>
        <translation>Faites une vidéo plus petite ou plus courte, ou utilisez le CPU</translation>
    </message>
    <message>
        <source>Use flash, or the CPU (gpus: none)</source>
        <translation>Utilisez flash, ou le CPU (gpus: none)</translation>
    </message>
    <message>
        <source>the model&apos;s heads have {} numbers; a GPU takes multiples of {} up to {}</source>
        <translation>les têtes du modèle ont {} nombres ; un GPU prend des multiples de {} jusqu’à {}</translation>
    </message>
    <message>
        <source>Use the CPU</source>
        <translation>Utilisez le CPU</translation>
    </message>
    <message>
        <source>the GPU {} needs {} of its memory for activations and {} for the layers in use, and {} are free</source>
        <translation>le GPU {} a besoin de {} de sa mémoire pour les activations et de {} pour les couches utilisées, et {} sont libres</translation>
    </message>
    <message>
        <source>Make a smaller or shorter video, or use the CPU (gpus: none)</source>
        <translation>Faites une vidéo plus petite ou plus courte, ou utilisez le CPU (gpus: none)</translation>
    </message>
    <message>
        <source>there is a software driver only, which auto does not take</source>
        <translation>il n’y a qu’un pilote logiciel, qu’auto n’utilise pas</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>the driver does not offer {}</source>
        <translation>le pilote ne propose pas {}</translation>
    </message>
    <message>
        <source>{} has no product of these factors</source>
        <translation>{} n’a pas de produit de ces facteurs</translation>
    </message>
    <message>
        <source>it crashed when it was asked for its devices (signal {})</source>
        <translation>il a planté quand ses appareils lui ont été demandés (signal {})</translation>
    </message>
    <message>
        <source>it ended the program that asked it (exit code {})</source>
        <translation>il a mis fin au programme qui l’interrogeait (code de sortie {})</translation>
    </message>
    <message>
        <source>it finds no device of its own</source>
        <translation>il ne trouve aucun appareil à lui</translation>
    </message>
    <message>
        <source>no Vulkan driver is installed</source>
        <translation>aucun pilote Vulkan n’est installé</translation>
    </message>
    <message>
        <source>no Vulkan driver finds a device</source>
        <translation>aucun pilote Vulkan ne trouve d’appareil</translation>
    </message>
    <message>
        <source>no GPU has what Meshreel needs</source>
        <translation>aucun GPU n’a ce qu’il faut à Meshreel</translation>
    </message>
    <message>
        <source>its driver is older than Vulkan 1.2</source>
        <translation>son pilote est antérieur à Vulkan 1.2</translation>
    </message>
    <message>
        <source>its driver lacks {}</source>
        <translation>il manque {} à son pilote</translation>
    </message>
    <message>
        <source>it has no queue for computing</source>
        <translation>il n’a pas de file de calcul</translation>
    </message>
    <message>
        <source>not measured yet; the first run in bf16 measures, or meshreel bench gpu</source>
        <translation>pas encore mesuré ; le premier calcul en bf16 mesure, ou meshreel bench gpu</translation>
    </message>
    <message>
        <source>in bf16 {} is faster: {:.3g} against {:.3g} TFLOP/s</source>
        <translation>en bf16, {} est plus rapide : {:.3g} contre {:.3g} TFLOP/s</translation>
    </message>
    <message>
        <source>the GPU does not offer it any more</source>
        <translation>le GPU ne le propose plus</translation>
    </message>
    <message>
        <source>none is admitted</source>
        <translation>aucune n’est admise</translation>
    </message>
    <message>
        <source>{} computes {} in no form: {}</source>
        <translation>{} ne calcule {} sous aucune forme : {}</translation>
    </message>
    <message>
        <source>See meshreel devices, update the GPU driver, or use the CPU</source>
        <translation>Voir meshreel devices, mettre à jour le pilote du GPU ou utiliser le CPU</translation>
    </message>
    <message>
        <source>{} computes wrong values in {}: an error of {:.3g}, {:.3g} is allowed</source>
        <translation>{} calcule des valeurs fausses dans {} : erreur de {:.3g}, {:.3g} est permis</translation>
    </message>
    <message>
        <source>The GPU multiplied bf16 in the form {}; factors beyond 65,504 were clamped to it</source>
        <translation>Le GPU a multiplié en bf16 sous la forme {} ; les facteurs au-delà de 65 504 y ont été ramenés</translation>
    </message>
    <message>
        <source>The GPU multiplied bf16 in the form {}</source>
        <translation>Le GPU a multiplié en bf16 sous la forme {}</translation>
    </message>
    <message>
        <source>{} computes wrong values in the shader {}: {:.3g} times the error that is allowed</source>
        <translation>{} calcule des valeurs fausses dans le shader {} : {:.3g} fois l’erreur permise</translation>
    </message>
    <message>
        <source>{} has not answered for a minute</source>
        <translation>{} ne répond pas depuis une minute</translation>
    </message>
    <message>
        <source>Use the CPU, or restart the computer</source>
        <translation>Utilisez le CPU, ou redémarrez l’ordinateur</translation>
    </message>
    <message>
        <source>out of memory</source>
        <translation>mémoire insuffisante</translation>
    </message>
    <message>
        <source>the device is lost</source>
        <translation>l’appareil est perdu</translation>
    </message>
    <message>
        <source>no driver fits</source>
        <translation>aucun pilote ne convient</translation>
    </message>
    <message>
        <source>Vulkan&apos;s error {}</source>
        <translation>erreur {} de Vulkan</translation>
    </message>
    <message>
        <source>the GPU driver failed in {}: {}</source>
        <translation>le pilote du GPU a échoué dans {} : {}</translation>
    </message>
    <message>
        <source>Close other programs that use the GPU, or use the CPU</source>
        <translation>Fermez les autres programmes qui utilisent le GPU, ou utilisez le CPU</translation>
    </message>
    <message>
        <source>See the system&apos;s log (dmesg), update the GPU driver, or use the CPU</source>
        <translation>Consultez le journal du système (dmesg), mettez à jour le pilote du GPU, ou utilisez le CPU</translation>
    </message>
    <message>
        <source>Vulkan cannot be loaded ({})</source>
        <translation>Vulkan ne peut pas être chargé ({})</translation>
    </message>
    <message>
        <source>Install the package libvulkan1</source>
        <translation>Installez le paquet libvulkan1</translation>
    </message>
    <message>
        <source>Vulkan does not start: {}</source>
        <translation>Vulkan ne démarre pas : {}</translation>
    </message>
    <message>
        <source>Install a GPU driver with Vulkan, for Intel and AMD the package mesa-vulkan-drivers</source>
        <translation>Installez un pilote de GPU avec Vulkan, pour Intel et AMD le paquet mesa-vulkan-drivers</translation>
    </message>
    <message>
        <source>{} is a small decoder: name it in parts.vae to decode faster and less exactly</source>
        <translation>{} est un petit décodeur : à nommer dans parts.vae pour décoder plus vite et moins exactement</translation>
    </message>
    <message>
        <source>Name taew2_1 or taew2_2 in parts.preview, or leave it out</source>
        <translation>Nommer taew2_1 ou taew2_2 dans parts.preview, ou l&apos;omettre</translation>
    </message>
    <message>
        <source>the small decoder takes latents of {} channels, and the model&apos;s have {}</source>
        <translation>le petit décodeur prend des latents de {} canaux, et ceux du modèle en ont {}</translation>
    </message>
    <message>
        <source>small decoder (TAEHV) of all but TI2V-5B</source>
        <translation>petit décodeur (TAEHV) de tous sauf TI2V-5B</translation>
    </message>
    <message>
        <source>small decoder (TAEHV) of TI2V-5B</source>
        <translation>petit décodeur (TAEHV) de TI2V-5B</translation>
    </message>
    <message>
        <source>the larger variant of TAEHV (taew2_2_super)</source>
        <translation>la grande variante de TAEHV (taew2_2_super)</translation>
    </message>
    <message>
        <source>A small decoder (TAEHV) does not encode</source>
        <translation>Un petit décodeur (TAEHV) n&apos;encode pas</translation>
    </message>
    <message>
        <source>Use the VAE of the model</source>
        <translation>Utiliser le VAE du modèle</translation>
    </message>
    <message>
        <source>{} values for {} levels in dim_mult</source>
        <translation>{} valeurs pour {} niveaux dans dim_mult</translation>
    </message>
    <message>
        <source>The VAE is a small decoder (TAEHV), and {} ({}) encodes pictures</source>
        <translation>Le VAE est un petit décodeur (TAEHV), et {} ({}) encode des images</translation>
    </message>
    <message>
        <source>Use the VAE of the model; a small decoder can make the previews: parts.preview</source>
        <translation>Utiliser le VAE du modèle ; un petit décodeur peut faire les aperçus : parts.preview</translation>
    </message>
    <message>
        <source>{} ({}) makes {} frames at least</source>
        <translation>{} ({}) fait au moins {} images</translation>
    </message>
    <message>
        <source>File or folder of the VAE; Wan 2.1&apos;s has 16 channels, that of TI2V-5B 48. A small decoder (TAEHV: taew2_1, taew2_2) decodes faster and less exactly, and text to video only. Empty takes the model&apos;s own.</source>
        <translation>Fichier ou dossier du VAE ; celui de Wan 2.1 a 16 canaux, celui de TI2V-5B 48. Un petit décodeur (TAEHV : taew2_1, taew2_2) décode plus vite et moins exactement, et seulement du texte vers la vidéo. Vide prend celui du modèle.</translation>
    </message>
    <message>
        <source>Preview decoder</source>
        <translation>Décodeur des aperçus</translation>
    </message>
    <message>
        <source>File of a small decoder (TAEHV: taew2_1, taew2_2) that makes the previews of steps. Empty makes them by a linear map from latents to colours, which takes less time and shows less.</source>
        <translation>Fichier d&apos;un petit décodeur (TAEHV : taew2_1, taew2_2) qui fait les aperçus des étapes. Vide les fait par une application linéaire des latents vers les couleurs, plus rapide mais moins détaillée.</translation>
    </message>
    <message>
        <source>The project file has version &quot;{}&quot;, and this Meshreel reads versions {} to {}</source>
        <translation>Le fichier de projet a la version « {} », et ce Meshreel lit les versions {} à {}</translation>
    </message>
    <message>
        <source>use_dora is true in {}, and the file holds no magnitudes: it is applied as a plain LoRA</source>
        <translation>use_dora est vrai dans {}, et le fichier ne contient pas de magnitudes : il est appliqué comme un simple LoRA</translation>
    </message>
    <message>
        <source>own times</source>
        <translation>temps propres</translation>
    </message>
    <message>
        <source>times of the hardware</source>
        <translation>temps du matériel</translation>
    </message>
    <message>
        <source>class mean</source>
        <translation>moyenne de la classe</translation>
    </message>
    <message>
        <source>Write pair, ring, torus, switch, pcie or line</source>
        <translation>Écrivez pair, ring, torus, switch, pcie ou line</translation>
    </message>
    <message>
        <source>{} needs {:.0f} GiB a device for {}, which has {:.0f} GiB</source>
        <translation>{} demande {:.0f} Gio par appareil sur {}, qui a {:.0f} Gio</translation>
    </message>
    <message>
        <source>Use more devices, or shard the weights over an fsdp axis</source>
        <translation>Utilisez plus d&apos;appareils, ou répartissez les poids sur un axe fsdp</translation>
    </message>
    <message>
        <source>a hop takes {:.1f} ms, and the kernel beside it only {:.1f} ms</source>
        <translation>un saut prend {:.1f} ms et le noyau à côté seulement {:.1f} ms</translation>
    </message>
    <message>
        <source>its {} hops start more blocks and merge more partials</source>
        <translation>ses {} sauts commencent plus de blocs et fusionnent plus de résultats partiels</translation>
    </message>
    <message>
        <source>A ring of {} takes {:.3g} s a step on {}: {}</source>
        <translation>Un anneau de {} prend {:.3g} s par pas sur {} : {}</translation>
    </message>
    <message>
        <source>{} with {} takes {:.3g} s</source>
        <translation>{} avec {} prend {:.3g} s</translation>
    </message>
    <message>
        <source>No legal mesh of so many devices fits into their memory</source>
        <translation>Aucun maillage valide d&apos;autant d&apos;appareils ne tient dans leur mémoire</translation>
    </message>
    <message>
        <source>Take more devices, or other hardware</source>
        <translation>Prenez plus d&apos;appareils ou un autre matériel</translation>
    </message>
    <message>
        <source>Kernels of {} take no block sizes</source>
        <translation>Les noyaux de {} n&apos;ont pas de tailles de blocs</translation>
    </message>
    <message>
        <source>Choose a TPU, or another chart</source>
        <translation>Choisissez un TPU ou un autre graphique</translation>
    </message>
    <message>
        <source>There is no finished run to hold the foresight against</source>
        <translation>Aucune exécution terminée à comparer à la prévision</translation>
    </message>
    <message>
        <source>Choose runs, or paste TIMING SUMMARY blocks, in Compare</source>
        <translation>Choisissez des exécutions ou collez des blocs TIMING SUMMARY dans Comparaison</translation>
    </message>
    <message>
        <source>Make it, or choose another one</source>
        <translation>Créez-le ou choisissez-en un autre</translation>
    </message>
    <message>
        <source>Download it with: {}. {}</source>
        <translation>Téléchargez-le avec&#xa0;: {}. {}</translation>
    </message>
    <message>
        <source>Choose a file of weights: .safetensors, .gguf or .pth</source>
        <translation>Choisissez un fichier de poids&#xa0;: .safetensors, .gguf ou .pth</translation>
    </message>
    <message>
        <source>the folder holds no model and no weights</source>
        <translation>le dossier ne contient ni modèle ni poids</translation>
    </message>
    <message>
        <source>Choose a folder with {}, or one with files of weights</source>
        <translation>Choisissez un dossier contenant {}, ou des fichiers de poids</translation>
    </message>
    <message>
        <source>it lies in a models folder already</source>
        <translation>il est déjà dans un dossier de modèles</translation>
    </message>
    <message>
        <source>It is listed as it is</source>
        <translation>Il figure déjà dans la liste</translation>
    </message>
    <message>
        <source>the models folder has something of this name</source>
        <translation>le dossier des modèles contient déjà quelque chose de ce nom</translation>
    </message>
    <message>
        <source>Rename one of them, or remove that one</source>
        <translation>Renommez l&apos;un des deux, ou supprimez celui-là</translation>
    </message>
    <message>
        <source>the link cannot be made: {}</source>
        <translation>le lien ne peut pas être créé&#xa0;: {}</translation>
    </message>
    <message>
        <source>Choose a models folder that you may write to</source>
        <translation>Choisissez un dossier de modèles où vous pouvez écrire</translation>
    </message>
    <message>
        <source>{} workers share {}; running more workers than CPUs slows things down</source>
        <translation>{} threads se partagent {}&#xa0;; avoir plus de threads que de CPU ralentit le calcul</translation>
    </message>
    <message>
        <source>{} devices of {} worker share {}; running more workers than CPUs slows things down</source>
        <translation>{} appareils de {} thread se partagent {}&#xa0;; avoir plus de threads que de CPU ralentit le calcul</translation>
    </message>
    <message>
        <source>{} devices of {} workers share {}; running more workers than CPUs slows things down</source>
        <translation>{} appareils de {} threads se partagent {}&#xa0;; avoir plus de threads que de CPU ralentit le calcul</translation>
    </message>
    <message>
        <source>Free some space on it, or choose another folder for runs</source>
        <translation>Libérez-y de l&apos;espace, ou choisissez un autre dossier pour les exécutions</translation>
    </message>
    <message>
        <source>{} must be a multiple of {}, not {}</source>
        <translation>{} doit être un multiple de {}, pas {}</translation>
    </message>
    <message>
        <source>{} must be a multiple of {} plus {}, not {}</source>
        <translation>{} doit être un multiple de {} plus {}, pas {}</translation>
    </message>
    <message>
        <source>{} names {}, which would be copied into the run</source>
        <translation>{} nomme {}, qui serait copié dans l&apos;exécution</translation>
    </message>
    <message>
        <source>{} names {}: ssh would start programs on the machines that it lists</source>
        <translation>{} nomme {} : ssh lancerait des programmes sur les machines de cette liste</translation>
    </message>
    <message>
        <source>{} names {}, of which results would tell</source>
        <translation>{} nomme {}, dont les résultats parleraient</translation>
    </message>
    <message>
        <source>If you know who wrote the project, agree for its folder with --trust</source>
        <translation>Si vous savez qui a écrit le projet, acceptez pour son dossier avec --trust</translation>
    </message>
    <message>
        <source>{} paths need your consent: {}</source>
        <translation>{} chemins demandent votre accord : {}</translation>
    </message>
    <message>
        <source>what you agree to cannot be remembered ({})</source>
        <translation>votre accord ne peut pas être mémorisé ({})</translation>
    </message>
    <message>
        <source>Set XDG_STATE_HOME to a folder that you may write to</source>
        <translation>Donnez à XDG_STATE_HOME un dossier où vous pouvez écrire</translation>
    </message>
    <message>
        <source>Another build of Meshreel ({}) measured this machine: predictions may be off</source>
        <translation>Une autre compilation de Meshreel ({}) a mesuré cette machine : les prévisions peuvent être inexactes</translation>
    </message>
    <message>
        <source>{} cannot be read: {}</source>
        <translation>{} ne peut pas être lu&#xa0;: {}</translation>
    </message>
    <message>
        <source>it holds a space or a letter that no address has</source>
        <translation>contient une espace ou un caractère qu’aucune adresse ne contient</translation>
    </message>
    <message>
        <source>Set it again, or unset it</source>
        <translation>Redéfinissez-la, ou supprimez-la</translation>
    </message>
    <message>
        <source>Set it to a whole number from 1 to {}</source>
        <translation>Donnez un nombre entier de 1 à {}</translation>
    </message>
    <message>
        <source>the disk is full ({}; {} free)</source>
        <translation>le disque est plein ({} ; {} libres)</translation>
    </message>
    <message>
        <source>Free space, then start the download again: it goes on where it ended</source>
        <translation>Libérez de la place, puis relancez le téléchargement : il reprend où il s’est arrêté</translation>
    </message>
    <message>
        <source>{} cannot be reached ({})</source>
        <translation>{} est injoignable ({})</translation>
    </message>
    <message>
        <source>Check the network, or the proxy in https_proxy; HF_ENDPOINT can name a mirror</source>
        <translation>Vérifiez le réseau, ou le proxy de https_proxy ; HF_ENDPOINT peut désigner un miroir</translation>
    </message>
    <message>
        <source>{} refuses the file to you (HTTP {})</source>
        <translation>{} vous refuse le fichier (HTTP {})</translation>
    </message>
    <message>
        <source>Accept the licence at {}, then set HF_TOKEN to a token of your account, or run: hf auth login</source>
        <translation>Acceptez la licence sur {}, puis donnez à HF_TOKEN un jeton de votre compte, ou lancez : hf auth login</translation>
    </message>
    <message>
        <source>Accept the licence at {}, or set HF_TOKEN to another token: yours is not allowed</source>
        <translation>Acceptez la licence sur {}, ou donnez à HF_TOKEN un autre jeton : le vôtre n’est pas admis</translation>
    </message>
    <message>
        <source>{} has no such file (HTTP {})</source>
        <translation>{} n’a pas ce fichier (HTTP {})</translation>
    </message>
    <message>
        <source>It was moved or removed; a newer version of Meshreel may know where to</source>
        <translation>Il a été déplacé ou supprimé ; une version plus récente de Meshreel sait peut-être où</translation>
    </message>
    <message>
        <source>{} does not send the file (HTTP {})</source>
        <translation>{} n’envoie pas le fichier (HTTP {})</translation>
    </message>
    <message>
        <source>Try again later; HF_ENDPOINT can name a mirror</source>
        <translation>Réessayez plus tard ; HF_ENDPOINT peut désigner un miroir</translation>
    </message>
    <message>
        <source>the file is not the one that was published ({})</source>
        <translation>le fichier n’est pas celui qui a été publié ({})</translation>
    </message>
    <message>
        <source>What was downloaded is removed. Try again, or from another server by HF_ENDPOINT</source>
        <translation>Ce qui a été téléchargé est supprimé. Réessayez, ou depuis un autre serveur avec HF_ENDPOINT</translation>
    </message>
    <message>
        <source>The server asks to wait for {} minutes: start the download again then</source>
        <translation>Le serveur demande d’attendre {} minutes : relancez alors le téléchargement</translation>
    </message>
    <message>
        <source>it forbids to ask any server</source>
        <translation>interdit de contacter un serveur</translation>
    </message>
    <message>
        <source>Unset it to download</source>
        <translation>Supprimez-la pour télécharger</translation>
    </message>
    <message>
        <source>{} now has another file of this name than the one that was published</source>
        <translation>{} a maintenant sous ce nom un autre fichier que celui qui a été publié</translation>
    </message>
    <message>
        <source>Nothing was downloaded. A newer version of Meshreel may know the new file</source>
        <translation>Rien n’a été téléchargé. Une version plus récente de Meshreel connaît peut-être le nouveau fichier</translation>
    </message>
    <message>
        <source>{} has {} bytes of this file, and {} were published</source>
        <translation>{} a {} octets de ce fichier, et {} ont été publiés</translation>
    </message>
    <message>
        <source>it is longer than {} bytes</source>
        <translation>il dépasse {} octets</translation>
    </message>
    <message>
        <source>the connection ended early</source>
        <translation>la connexion s’est terminée trop tôt</translation>
    </message>
    <message>
        <source>another Meshreel downloads into this folder</source>
        <translation>un autre Meshreel télécharge dans ce dossier</translation>
    </message>
    <message>
        <source>Wait until it is done, or stop it</source>
        <translation>Attendez qu’il ait fini, ou arrêtez-le</translation>
    </message>
    <message>
        <source>{} are to be downloaded, and {} are free</source>
        <translation>{} sont à télécharger, et {} sont libres</translation>
    </message>
    <message>
        <source>Free {}, or choose a models folder on another disk</source>
        <translation>Libérez {}, ou choisissez un dossier de modèles sur un autre disque</translation>
    </message>
    <message>
        <source>Rename or remove it: it is not the one that was published</source>
        <translation>Renommez-le ou supprimez-le : ce n’est pas celui qui a été publié</translation>
    </message>
    <message>
        <source>its SHA-256 is {}</source>
        <translation>son SHA-256 est {}</translation>
    </message>
    <message>
        <source>Get it as single files with: meshreel get {}; or download it whole with: {}. {}</source>
        <translation>Obtenez-le en fichiers séparés avec : meshreel get {} ; ou téléchargez-le en entier avec : {}. {}</translation>
    </message>
    <message>
        <source>the key &quot;{}&quot; is missing or not as it should be</source>
        <translation>la clé « {} » manque ou n’est pas comme il faut</translation>
    </message>
    <message>
        <source>Install Meshreel again, or correct the table</source>
        <translation>Réinstallez Meshreel, ou corrigez le tableau</translation>
    </message>
    <message>
        <source>nothing of this name is offered</source>
        <translation>rien de ce nom n’est proposé</translation>
    </message>
    <message>
        <source>Without a name, the command lists all</source>
        <translation>Sans nom, la commande liste tout</translation>
    </message>
    <message>
        <source>Did you mean &quot;{}&quot;? Without a name, the command lists all</source>
        <translation>Vouliez-vous dire « {} » ? Sans nom, la commande liste tout</translation>
    </message>
    <message>
        <source>auto takes one GPU, and the mesh has {} devices</source>
        <translation>auto prend un GPU, et le maillage a {} appareils</translation>
    </message>
    <message>
        <source>gpus names {} GPUs, and the mesh has {} devices</source>
        <translation>gpus nomme {} GPU, et le maillage a {} appareils</translation>
    </message>
    <message>
        <source>Name a GPU for each device (gpus: {}), change the number of devices, or use the CPU (gpus: none)</source>
        <translation>Nommez un GPU par appareil (gpus: {}), changez le nombre d’appareils ou utilisez le CPU (gpus: none)</translation>
    </message>
    <message>
        <source>GPUs share out videos and tokens (the axes data and context), not {}</source>
        <translation>Les GPU se partagent vidéos et tokens (les axes data et context), pas {}</translation>
    </message>
    <message>
        <source>Use the context axis, or the CPU (gpus: none)</source>
        <translation>Utilisez l’axe context ou le CPU (gpus: none)</translation>
    </message>
    <message>
        <source>a GPU decodes whole frames, or its own strips in turn</source>
        <translation>un GPU décode des images entières, ou ses propres bandes l’une après l’autre</translation>
    </message>
    <message>
        <source>Write -1, which leaves it to the plan, or use the CPU (gpus: none)</source>
        <translation>Écrivez -1, qui laisse le plan décider, ou utilisez le CPU (gpus: none)</translation>
    </message>
    <message>
        <source>A project is a YAML file: `version: 3`, then the keys below, each at most once; what is left out has its default. A dot in a key&apos;s name means a key inside a map. Numbers are decimal, and booleans are `true` or `false`. Anchors, aliases and tags are refused. MaxDiffusion&apos;s files can be used as they are: keys without meaning here are ignored with one warning.</source>
        <translation>Un projet est un fichier YAML : `version: 3`, puis les clés ci-dessous, chacune une fois au plus ; ce qui manque a sa valeur par défaut. Un point dans le nom d&apos;une clé désigne une clé à l&apos;intérieur d&apos;une table. Les nombres sont décimaux, les booléens sont `true` ou `false`. Les ancres, alias et balises sont refusés. Les fichiers de MaxDiffusion s&apos;utilisent tels quels : les clés sans signification ici sont ignorées avec un seul avertissement.</translation>
    </message>
    <message>
        <source>A video from the prompt, with the one to four subjects that `reference_images` show.</source>
        <translation>Une vidéo d&apos;après le prompt, avec les un à quatre sujets que montrent les `reference_images`.</translation>
    </message>
    <message>
        <source>A video that begins with `image`, whose points move along `tracks`.</source>
        <translation>Une vidéo qui commence par `image`, dont les points se déplacent le long de `tracks`.</translation>
    </message>
    <message>
        <source>Tracks</source>
        <translation>Trajectoires</translation>
    </message>
    <message>
        <source>Guidance by pictures</source>
        <translation>Guidage par images</translation>
    </message>
    <message>
        <source>Wan 2.1 Phantom, subjects to video</source>
        <translation>Wan 2.1 Phantom, sujets vers vidéo</translation>
    </message>
    <message>
        <source>Wan 2.1 ATI, image to video along tracks</source>
        <translation>Wan 2.1 ATI, image vers vidéo le long de trajectoires</translation>
    </message>
    <message>
        <source>Subjects to video</source>
        <translation>Sujets vers vidéo</translation>
    </message>
    <message>
        <source>Image to video along tracks</source>
        <translation>Image vers vidéo le long de trajectoires</translation>
    </message>
    <message>
        <source>Phantom was trained with pictures of its subjects (reference_images); without them the video is made from the prompt alone</source>
        <translation>Phantom a été entraîné avec des images de ses sujets (reference_images)&#xa0;; sans elles, la vidéo est faite d&apos;après le prompt seul</translation>
    </message>
    <message>
        <source>ATI was trained with tracks of points (tracks); without them the video is made from the image and the prompt alone</source>
        <translation>ATI a été entraîné avec des trajectoires de points (tracks)&#xa0;; sans elles, la vidéo est faite d&apos;après l&apos;image et le prompt seuls</translation>
    </message>
    <message>
        <source>a reference image of {} x {} pixels is too narrow for a video of {} x {}</source>
        <translation>une image de référence de {} x {} pixels est trop étroite pour une vidéo de {} x {}</translation>
    </message>
    <message>
        <source>Use a picture that is less elongated</source>
        <translation>Utilisez une image moins allongée</translation>
    </message>
    <message>
        <source>{} is predicted to take {:.3g} s, and the CPU {:.3g} s</source>
        <translation>{} prendrait {:.3g} s selon la prévision, et le CPU {:.3g} s</translation>
    </message>
    <message>
        <source>Leave out the last ones</source>
        <translation>Omettez les dernières</translation>
    </message>
    <message>
        <source>Write false, or guidance_scale_image: 1</source>
        <translation>Écrivez false, ou guidance_scale_image: 1</translation>
    </message>
    <message>
        <source>Write a list of tracks, each a list of {} in pixels of the video</source>
        <translation>Écrivez une liste de trajectoires, chacune une liste de {} en pixels de la vidéo</translation>
    </message>
    <message>
        <source>track {}, point {}: &quot;{}&quot; is missing or not a number</source>
        <translation>trajectoire {}, point {}&#xa0;: «&#xa0;{}&#xa0;» manque ou n&apos;est pas un nombre</translation>
    </message>
    <message>
        <source>track {}, point {}: &quot;{}&quot; is {}, beyond {} pixels</source>
        <translation>trajectoire {}, point {}&#xa0;: «&#xa0;{}&#xa0;» vaut {}, au-delà de {} pixels</translation>
    </message>
    <message>
        <source>track {} is not a list of points</source>
        <translation>la trajectoire {} n&apos;est pas une liste de points</translation>
    </message>
    <message>
        <source>the file has {}; tracks have {} at most</source>
        <translation>le fichier fait {}&#xa0;; des trajectoires font {} au plus</translation>
    </message>
    <message>
        <source>there is no list of tracks</source>
        <translation>il n&apos;y a pas de liste de trajectoires</translation>
    </message>
    <message>
        <source>the file has {} tracks; at most {} are allowed</source>
        <translation>le fichier a {} trajectoires&#xa0;; au plus {} sont permises</translation>
    </message>
    <message>
        <source>{}: {}: {} of {} tracks have fewer than {} points and end before the video</source>
        <translation>{}&#xa0;: {}&#xa0;: {} trajectoires sur {} ont moins de {} points et s&apos;arrêtent avant la fin de la vidéo</translation>
    </message>
    <message>
        <source>{} points span the video; write as many to move a point to its end</source>
        <translation>{} points couvrent la vidéo&#xa0;; écrivez-en autant pour déplacer un point jusqu&apos;à la fin</translation>
    </message>
    <message>
        <source>the three passes of guidance</source>
        <translation>les trois passes du guidage</translation>
    </message>
    <message>
        <source>not measured yet; the first run with int8 weights measures</source>
        <translation>pas encore mesuré ; la première exécution avec des poids int8 mesure</translation>
    </message>
    <message>
        <source>in int8 {} is faster: {:.3g} against {:.3g} TOP/s</source>
        <translation>en int8, {} est plus rapide : {:.3g} contre {:.3g} TOP/s</translation>
    </message>
    <message>
        <source>{} computes this project, and flash_block_sizes are the CPU&apos;s</source>
        <translation>{} calcule ce projet, et flash_block_sizes concerne le CPU</translation>
    </message>
    <message>
        <source>Use the CPU (gpus: none) to tune its block sizes</source>
        <translation>Utilisez le CPU (gpus: none) pour régler ses tailles de blocs</translation>
    </message>
    <message>
        <source>no GPU computes this project</source>
        <translation>aucun GPU ne calcule ce projet</translation>
    </message>
    <message>
        <source>Name one by its number</source>
        <translation>Nommez-en un par son numéro</translation>
    </message>
    <message>
        <source>GPUs are tuned by one process</source>
        <translation>les GPU sont réglés par un seul processus</translation>
    </message>
    <message>
        <source>Tune without mpirun, on the GPUs of one host</source>
        <translation>Réglez sans mpirun, sur les GPU d’un seul hôte</translation>
    </message>
    <message>
        <source>a GPU computes float32 in one way: there is nothing to tune</source>
        <translation>un GPU calcule float32 d’une seule façon : il n’y a rien à régler</translation>
    </message>
    <message>
        <source>Use bfloat16, which matrix units multiply</source>
        <translation>Utilisez bfloat16, que les unités matricielles multiplient</translation>
    </message>
    <message>
        <source>The GPU multiplied int8 in the form {}</source>
        <translation>Le GPU a multiplié en int8 sous la forme {}</translation>
    </message>
    <message>
        <source>{} does not multiply in the form {}: {}</source>
        <translation>{} ne multiplie pas sous la forme {} : {}</translation>
    </message>
    <message>
        <source>Choose another form: the list of devices names those of each GPU</source>
        <translation>Choisissez une autre forme : la liste des appareils nomme celles de chaque GPU</translation>
    </message>
    <message>
        <source>No kernel multiplies in the sizes that {} offers for the form {}</source>
        <translation>Aucun noyau ne multiplie dans les tailles que {} offre pour la forme {}</translation>
    </message>
    <message>
        <source>the rates of its GPU are not measured, or not all of them</source>
        <translation>les débits de son GPU ne sont pas mesurés, ou pas tous</translation>
    </message>
    <message>
        <source>{} heads of {}, {} queries, {} keys</source>
        <translation>{} têtes de {}, {} requêtes, {} clés</translation>
    </message>
    <message>
        <source>{} tokens, {} wide, {} in the feed-forward</source>
        <translation>{} jetons, largeur {}, {} dans le feed-forward</translation>
    </message>
    <message>
        <source>What runs on {} should take cannot be kept</source>
        <translation>Ce que les exécutions sur {} doivent prendre ne peut pas être conservé</translation>
    </message>
    <message>
        <source>Make the file writable, or set XDG_CACHE_HOME to another folder</source>
        <translation>Rendez le fichier inscriptible, ou donnez un autre dossier à XDG_CACHE_HOME</translation>
    </message>
    <message>
        <source>Encoding held {} of the GPU&apos;s memory at most; {} were planned</source>
        <translation>L’encodage a occupé au plus {} de la mémoire du GPU ; {} étaient prévus</translation>
    </message>
    <message>
        <source>the rates of {} lack {}, which an earlier build did not measure</source>
        <translation>il manque aux débits de {} {}, qu’une version précédente n’a pas mesuré</translation>
    </message>
    <message>
        <source>an encoder&apos;s heads have {} numbers; a GPU takes multiples of {} up to {}</source>
        <translation>les têtes d’un encodeur ont {} nombres ; un GPU prend des multiples de {} jusqu’à {}</translation>
    </message>
    <message>
        <source>Adapters (LoRA) that are merged into the transformer: a list of {file: PATH, strength: 1}, with expert: high, low or all where their names do not say for which of Wan 2.2&apos;s two transformers they are made.</source>
        <translation>Adaptateurs (LoRA) fusionnés dans le transformeur : une liste de {file: PATH, strength: 1}, avec expert: high, low ou all si leurs noms n&apos;indiquent pas pour lequel des deux transformeurs de Wan 2.2 ils sont faits.</translation>
    </message>
    <message>
        <source>Video or folder of numbered pictures of the face whose expressions the character takes on.</source>
        <translation>Vidéo ou dossier d&apos;images numérotées du visage dont le personnage reprend les expressions.</translation>
    </message>
    <message>
        <source>It is a part of NVIDIA&apos;s Transformer Engine, which Meshreel does not have; use flash, which computes the same attention</source>
        <translation>Fait partie de Transformer Engine de NVIDIA, que Meshreel n’utilise pas ; prenez flash, qui calcule la même attention</translation>
    </message>
    <message>
        <source>a text file</source>
        <translation>fichier texte</translation>
    </message>
    <message>
        <source>a project or sweep</source>
        <translation>projet ou balayage</translation>
    </message>
    <message>
        <source>a file of hosts</source>
        <translation>fichier d’hôtes</translation>
    </message>
    <message>
        <source>a JSON file</source>
        <translation>fichier JSON</translation>
    </message>
    <message>
        <source>values</source>
        <translation>valeurs</translation>
    </message>
    <message>
        <source>JSON</source>
        <translation>JSON</translation>
    </message>
    <message>
        <source>levels of nesting</source>
        <translation>niveaux d’imbrication</translation>
    </message>
    <message>
        <source>a table (CSV)</source>
        <translation>tableau (CSV)</translation>
    </message>
    <message>
        <source>columns</source>
        <translation>colonnes</translation>
    </message>
    <message>
        <source>a trace</source>
        <translation>trace</translation>
    </message>
    <message>
        <source>events</source>
        <translation>événements</translation>
    </message>
    <message>
        <source>a SentencePiece model</source>
        <translation>modèle SentencePiece</translation>
    </message>
    <message>
        <source>pieces</source>
        <translation>pièces</translation>
    </message>
    <message>
        <source>a tokenizer</source>
        <translation>tokenizer</translation>
    </message>
    <message>
        <source>a safetensors header</source>
        <translation>en-tête safetensors</translation>
    </message>
    <message>
        <source>the metadata and directory of a GGUF file</source>
        <translation>métadonnées et répertoire d’un fichier GGUF</translation>
    </message>
    <message>
        <source>the directory of a PyTorch archive</source>
        <translation>répertoire d’une archive PyTorch</translation>
    </message>
    <message>
        <source>the pickle of a PyTorch archive</source>
        <translation>pickle d’une archive PyTorch</translation>
    </message>
    <message>
        <source>tensors</source>
        <translation>tenseurs</translation>
    </message>
    <message>
        <source>a file of weights</source>
        <translation>fichier de poids</translation>
    </message>
    <message>
        <source>the name of a tensor, key or class</source>
        <translation>nom d’un tenseur, d’une clé ou d’une classe</translation>
    </message>
    <message>
        <source>entries</source>
        <translation>entrées</translation>
    </message>
    <message>
        <source>the metadata of a file of weights</source>
        <translation>métadonnées d’un fichier de poids</translation>
    </message>
    <message>
        <source>files</source>
        <translation>fichiers</translation>
    </message>
    <message>
        <source>a model in parts</source>
        <translation>modèle en plusieurs fichiers</translation>
    </message>
    <message>
        <source>a program that is sent to a host</source>
        <translation>programme envoyé à un hôte</translation>
    </message>
    <message>
        <source>a picture, an animated PNG or WebP, or a packet of a video</source>
        <translation>image, PNG ou WebP animé, ou paquet d’une vidéo</translation>
    </message>
    <message>
        <source>a picture</source>
        <translation>image</translation>
    </message>
    <message>
        <source>the packed texts and colour profile of a PNG</source>
        <translation>textes et profil de couleur compressés d’un PNG</translation>
    </message>
    <message>
        <source>scans</source>
        <translation>passes</translation>
    </message>
    <message>
        <source>a JPEG</source>
        <translation>JPEG</translation>
    </message>
    <message>
        <source>a video or sound before its first packet</source>
        <translation>vidéo ou son avant le premier paquet</translation>
    </message>
    <message>
        <source>a decoded frame of a video</source>
        <translation>image décodée d’une vidéo</translation>
    </message>
    <message>
        <source>a video</source>
        <translation>vidéo</translation>
    </message>
    <message>
        <source>a video&apos;s frames, where all are held at once</source>
        <translation>images d’une vidéo, quand toutes sont gardées à la fois</translation>
    </message>
    <message>
        <source>a video that is decoded to count its frames</source>
        <translation>vidéo décodée pour compter ses images</translation>
    </message>
    <message>
        <source>Choose a shorter name</source>
        <translation>Choisissez un nom plus court</translation>
    </message>
    <message>
        <source>The disk does not take this name: choose another name, or another disk</source>
        <translation>Le disque n&apos;accepte pas ce nom : choisissez un autre nom ou un autre disque</translation>
    </message>
    <message>
        <source>Check the disk or the network drive: it reported a failure</source>
        <translation>Vérifiez le disque ou le lecteur réseau : il a signalé une panne</translation>
    </message>
    <message>
        <source>it has {} {} or more; at most {} are read of {}</source>
        <translation>{3} : {0} {1} ou plus ; au plus {2} sont lus</translation>
    </message>
    <message>
        <source>Check that this is the file you mean; if it is, make it smaller or get another one</source>
        <translation>Vérifiez qu’il s’agit du bon fichier ; si oui, réduisez-le ou procurez-vous-en un autre</translation>
    </message>
    <message>
        <source>a program may have only {} of stack here, and Meshreel needs {}</source>
        <translation>un programme ne peut avoir ici que {} de pile, et il en faut {} à Meshreel</translation>
    </message>
    <message>
        <source>Raise the limit, as with: {}</source>
        <translation>Relevez la limite, par exemple avec : {}</translation>
    </message>
    <message>
        <source>{}. The name counts; to decide, write expert: high or expert: low</source>
        <translation>{}. Le nom compte ; pour décider, écrivez expert: high ou expert: low</translation>
    </message>
    <message>
        <source>{} of Wan 2.2 A14B, and this model has one transformer: it was made for another model</source>
        <translation>{} de Wan 2.2 A14B, et ce modèle a un seul transformeur : il a été fait pour un autre modèle</translation>
    </message>
    <message>
        <source>{}, and lora says expert: {}. If that is a mistake, write expert: {}</source>
        <translation>{}, et lora indique expert: {}. Si c&apos;est une erreur, écrivez expert: {}</translation>
    </message>
    <message>
        <source>{}, and its keys name {}, which counts</source>
        <translation>{}, et ses clés nomment {}, ce qui compte</translation>
    </message>
    <message>
        <source>it goes into the {} alone, and its other half, {}, is not in lora: name it there, too</source>
        <translation>il ne va que dans le {}, et son autre moitié, {}, n&apos;est pas dans lora : indiquez-la aussi</translation>
    </message>
    <message>
        <source>goes into this expert alone, because its name or metadata say so</source>
        <translation>ne va que dans cet expert, car son nom ou ses métadonnées l&apos;indiquent</translation>
    </message>
    <message>
        <source>The name counts; rename the file if it is wrong</source>
        <translation>Le nom compte ; renommez le fichier s&apos;il est faux</translation>
    </message>
    <message>
        <source>Name the other file there, or rename this one if its name is wrong</source>
        <translation>Indiquez-y l&apos;autre fichier, ou renommez celui-ci si son nom est faux</translation>
    </message>
    <message>
        <source>Exchange the two files</source>
        <translation>Échangez les deux fichiers</translation>
    </message>
    <message>
        <source>{} is taken as the {}, and {}</source>
        <translation>{} est pris comme {}, et {}</translation>
    </message>
    <message>
        <source>the disk of the cache keeps no links ({})</source>
        <translation>le disque du cache ne connaît pas de liens ({})</translation>
    </message>
    <message>
        <source>Set XDG_CACHE_HOME to a folder on another disk</source>
        <translation>Définissez XDG_CACHE_HOME sur un dossier d&apos;un autre disque</translation>
    </message>
    <message>
        <source>Set it to an address such as https://huggingface.co; signs such as @, /, # and ? in a password are written %40, %2F, %23 and %3F</source>
        <translation>Donnez-lui une adresse telle que https://huggingface.co ; des signes comme @, /, # et ? dans un mot de passe s’écrivent %40, %2F, %23 et %3F</translation>
    </message>
    <message>
        <source>It answers with a web page: sign in to this network in a browser, or see whether HF_ENDPOINT names the right server</source>
        <translation>Il répond par une page web : connectez-vous à ce réseau dans un navigateur, ou vérifiez que HF_ENDPOINT nomme le bon serveur</translation>
    </message>
    <message>
        <source>it breaks off and begins anew again and again</source>
        <translation>il s’interrompt et recommence sans cesse</translation>
    </message>
    <message>
        <source>{} sends the file compressed, which was not asked for</source>
        <translation>{} envoie le fichier compressé, ce qui n’était pas demandé</translation>
    </message>
    <message>
        <source>A proxy may do so: check https_proxy; HF_ENDPOINT can name a mirror</source>
        <translation>Un proxy peut le faire : vérifiez https_proxy ; HF_ENDPOINT peut nommer un miroir</translation>
    </message>
    <message>
        <source>it has {} bytes, and {} were published</source>
        <translation>il a {} octets, et {} ont été publiés</translation>
    </message>
    <message>
        <source>Wait until it is done. If nobody is at work, remove both files</source>
        <translation>Attendez qu’il ait fini. Si personne n’y travaille, supprimez les deux fichiers</translation>
    </message>
    <message>
        <source>a different file has this name ({})</source>
        <translation>un autre fichier porte ce nom ({})</translation>
    </message>
    <message>
        <source>the download of &quot;{}&quot; is incomplete: it lacks {}</source>
        <translation>le téléchargement de « {} » est incomplet : il manque {}</translation>
    </message>
    <message>
        <source>the download of &quot;{}&quot; is incomplete: it lacks {} and {} other files</source>
        <translation>le téléchargement de « {} » est incomplet : il manque {} et {} autres fichiers</translation>
    </message>
    <message>
        <source>Finish it with: hf download {}</source>
        <translation>Terminez-le avec : hf download {}</translation>
    </message>
    <message>
        <source>the disk of the models folder keeps no links ({})</source>
        <translation>le disque du dossier des modèles ne connaît pas de liens ({})</translation>
    </message>
    <message>
        <source>Move the model into the models folder, or choose one on another disk</source>
        <translation>Déplacez le modèle dans le dossier des modèles, ou choisissez-en un sur un autre disque</translation>
    </message>
    <message>
        <source>another program is writing it</source>
        <translation>un autre programme est en train de l’écrire</translation>
    </message>
    <message>
        <source>another program is writing it, as {} beside it tells</source>
        <translation>un autre programme est en train de l’écrire, comme le montre {} à côté</translation>
    </message>
    <message>
        <source>it is empty</source>
        <translation>il est vide</translation>
    </message>
    <message>
        <source>it is a pointer of Git LFS, not the file itself</source>
        <translation>c’est un pointeur de Git LFS, pas le fichier lui-même</translation>
    </message>
    <message>
        <source>it is a web page, not the file</source>
        <translation>c’est une page web, pas le fichier</translation>
    </message>
    <message>
        <source>it is {}, not {}</source>
        <translation>c’est {}, pas {}</translation>
    </message>
    <message>
        <source>it holds no tensors</source>
        <translation>il ne contient aucun tenseur</translation>
    </message>
    <message>
        <source>its tensors are not those of {}</source>
        <translation>ses tenseurs ne sont pas ceux de {}</translation>
    </message>
    <message>
        <source>{} bytes</source>
        <translation>{} octets</translation>
    </message>
    <message>
        <source>about {} bytes</source>
        <translation>environ {} octets</translation>
    </message>
    <message>
        <source>its SHA-256 is no longer that of the download ({})</source>
        <translation>son SHA-256 n’est plus celui du téléchargement ({})</translation>
    </message>
    <message>
        <source>{} in the environment is ignored: {}</source>
        <translation>{} dans l’environnement est ignoré : {}</translation>
    </message>
    <message>
        <source>{} in the environment is ignored: {} has no such core</source>
        <translation>{} dans l’environnement est ignoré : {} n’a pas un tel noyau</translation>
    </message>
    <message>
        <source>OpenBLAS multiplies with its core {}, because {} is set in the environment. This CPU runs its core {}, which is faster</source>
        <translation>OpenBLAS multiplie avec son noyau {}, car {} est défini dans l’environnement. Ce processeur peut utiliser le noyau {}, plus rapide</translation>
    </message>
    <message>
        <source>OpenBLAS&apos;s core {} is not used: {}. Meshreel&apos;s own loops multiply in its place, which is slower. Install another version of OpenBLAS</source>
        <translation>Le noyau {} d’OpenBLAS n’est pas utilisé : {}. Les boucles propres à Meshreel multiplient à sa place, plus lentement. Installez une autre version d’OpenBLAS</translation>
    </message>
    <message>
        <source>OpenBLAS&apos;s core {} is not used: {}. Its core {} takes its place, which is slower. Install another version of OpenBLAS</source>
        <translation>Le noyau {} d’OpenBLAS n’est pas utilisé : {}. Le noyau {}, plus lent, le remplace. Installez une autre version d’OpenBLAS</translation>
    </message>
    <message>
        <source>oneDNN does not multiply in {}: {}. In its place: {}, which is slower. Install another version of oneDNN</source>
        <translation>oneDNN ne multiplie pas en {} : {}. À sa place : {}, plus lent. Installez une autre version de oneDNN</translation>
    </message>
    <message>
        <source>the video has no size, or one of more than {} pixels</source>
        <translation>la vidéo n’a pas de taille, ou plus de {} pixels</translation>
    </message>
    <message>
        <source>Choose a video file or a folder of numbered pictures</source>
        <translation>Choisissez un fichier vidéo ou un dossier d&apos;images numérotées</translation>
    </message>
    <message>
        <source>this folder holds {} series of numbered pictures, and nothing tells which is meant: {}</source>
        <translation>ce dossier contient {} séries d&apos;images numérotées, et rien ne dit laquelle est voulue : {}</translation>
    </message>
    <message>
        <source>Put one series into a folder of its own</source>
        <translation>Mettez une série dans un dossier à part</translation>
    </message>
    <message>
        <source>numbers are missing between {} and {}, which follow each other</source>
        <translation>il manque des numéros entre {} et {}, qui se suivent</translation>
    </message>
    <message>
        <source>numbers are missing at {} places, the first between {} and {}, which follow each other</source>
        <translation>il manque des numéros à {} endroits, le premier entre {} et {}, qui se suivent</translation>
    </message>
    <message>
        <source>{} and {} have the same number</source>
        <translation>{} et {} ont le même numéro</translation>
    </message>
    <message>
        <source>Remove the one that is not meant</source>
        <translation>Retirez celui qui n&apos;est pas voulu</translation>
    </message>
    <message>
        <source>more than one number in the names changes; the order is that of the first, then of the next: from {} to {}</source>
        <translation>plus d&apos;un nombre change dans les noms ; l&apos;ordre est celui du premier, puis du suivant : de {} à {}</translation>
    </message>
    <message>
        <source>not of the series, and passed over: {}</source>
        <translation>hors de la série, et laissés de côté : {}</translation>
    </message>
    <message>
        <source>mpirun is stopped</source>
        <translation>mpirun est suspendu</translation>
    </message>
    <message>
        <source>it was stopped while the ranks met</source>
        <translation>il a été suspendu pendant que les rangs se rejoignaient</translation>
    </message>
    <message>
        <source>it did not meet all other ranks within {} s</source>
        <translation>il n&apos;a pas rejoint tous les autres rangs en {} s</translation>
    </message>
    <message>
        <source>Leave it unset, which is {} seconds</source>
        <translation>Ne la définissez pas : cela donne {} secondes</translation>
    </message>
    <message>
        <source>rank {} on host {} multiplies with {}, and rank 0 on host {} with {}: the result differs slightly from that of one library. For the same bits everywhere install one version of OpenBLAS, and set {} alike</source>
        <translation>le rang {} sur l’hôte {} multiplie avec {}, et le rang 0 sur l’hôte {} avec {} : le résultat diffère légèrement de celui d’une seule bibliothèque. Pour les mêmes bits partout, installez une même version d’OpenBLAS et définissez {} de la même façon</translation>
    </message>
    <message>
        <source>its name says {}</source>
        <translation>son nom indique : {}</translation>
    </message>
    <message>
        <source>its metadata ({}) say {}</source>
        <translation>ses métadonnées ({}) indiquent : {}</translation>
    </message>
    <message>
        <source>its name says {}, and its metadata ({}) say {}</source>
        <translation>son nom indique : {}, et ses métadonnées ({}) indiquent : {}</translation>
    </message>
    <message>
        <source>{} with {}</source>
        <translation>{} avec {}</translation>
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
        <translation>des poids int8</translation>
    </message>
    <message>
        <source>bfloat16 weights</source>
        <translation>des poids bfloat16</translation>
    </message>
    <message>
        <source>bfloat16 activations</source>
        <translation>des activations bfloat16</translation>
    </message>
    <message>
        <source>a bfloat16 VAE</source>
        <translation>un VAE en bfloat16</translation>
    </message>
    <message>
        <source>fits</source>
        <translation>tient en mémoire</translation>
    </message>
    <message>
        <source>fits with {}</source>
        <translation>tient en mémoire avec {}</translation>
    </message>
    <message>
        <source>fits with {} and {}</source>
        <translation>tient en mémoire avec {} et {}</translation>
    </message>
    <message>
        <source>{}, streamed from the disk: at most {} a step longer</source>
        <translation>{}, poids lus sur le disque : au plus {} de plus par étape</translation>
    </message>
    <message>
        <source>{}, streamed from the disk: {} a step, at most {} longer at {:g} GB/s</source>
        <translation>{}, poids lus sur le disque : {} par étape, au plus {} de plus à {} Go/s</translation>
    </message>
    <message>
        <source>too large at {}: {} takes {} at the least, and {} are free</source>
        <translation>trop grand à {} : {} demande au moins {}, et {} sont libres</translation>
    </message>
    <message>
        <source>{}; {}: {}</source>
        <translation>{} ; {} : {}</translation>
    </message>
    <message>
        <source>disk too small: {} to download, and {} are free</source>
        <translation>disque trop petit : {} à télécharger, et {} sont libres</translation>
    </message>
    <message>
        <source>{:.2g} GB/s were measured on the disk with the weights</source>
        <translation>{} Go/s ont été mesurés sur le disque des poids</translation>
    </message>
    <message>
        <source>{:g} GB/s is assumed: there is no large file of weights to measure the disk by</source>
        <translation>{} Go/s sont supposés : il n&apos;y a aucun gros fichier de poids pour mesurer le disque</translation>
    </message>
    <message>
        <source>Name the model in a project: pretrained_model_name_or_path: PATH</source>
        <translation>Nommez le modèle dans un projet : pretrained_model_name_or_path: CHEMIN</translation>
    </message>
    <message>
        <source>a ComfyUI workflow</source>
        <translation>un workflow ComfyUI</translation>
    </message>
    <message>
        <source>an InvokeAI workflow</source>
        <translation>un workflow InvokeAI</translation>
    </message>
    <message>
        <source>settings of SwarmUI</source>
        <translation>des réglages de SwarmUI</translation>
    </message>
    <message>
        <source>settings of Wan2GP</source>
        <translation>des réglages de Wan2GP</translation>
    </message>
    <message>
        <source>settings of Draw Things</source>
        <translation>des réglages de Draw Things</translation>
    </message>
    <message>
        <source>a config of LightX2V</source>
        <translation>une configuration de LightX2V</translation>
    </message>
    <message>
        <source>a description of a model</source>
        <translation>la description d’un modèle</translation>
    </message>
    <message>
        <source>a Jupyter notebook</source>
        <translation>un notebook Jupyter</translation>
    </message>
    <message>
        <source>a command line of stable-diffusion.cpp</source>
        <translation>une ligne de commande de stable-diffusion.cpp</translation>
    </message>
    <message>
        <source>a command line of Wan&apos;s generate.py</source>
        <translation>une ligne de commande de generate.py de Wan</translation>
    </message>
    <message>
        <source>a command line of musubi-tuner</source>
        <translation>une ligne de commande de musubi-tuner</translation>
    </message>
    <message>
        <source>a command line of LightX2V</source>
        <translation>une ligne de commande de LightX2V</translation>
    </message>
    <message>
        <source>a command line of Wan2GP</source>
        <translation>une ligne de commande de Wan2GP</translation>
    </message>
    <message>
        <source>settings of Stable Diffusion WebUI</source>
        <translation>des réglages de Stable Diffusion WebUI</translation>
    </message>
    <message>
        <source>This is {}. Meshreel reads projects and configs of MaxDiffusion</source>
        <translation>C’est {}. Meshreel lit les projets et les configurations de MaxDiffusion</translation>
    </message>
    <message>
        <source>This is {} that holds its project, and not the project itself</source>
        <translation>C’est {} qui contient son projet, et non le projet lui-même</translation>
    </message>
    <message>
        <source>This is {} that holds {}. Meshreel reads projects and configs of MaxDiffusion</source>
        <translation>C’est {} qui contient {}. Meshreel lit les projets et les configurations de MaxDiffusion</translation>
    </message>
    <message>
        <source>This is {}, and no project is stored in it</source>
        <translation>C’est {}, et aucun projet n’y est enregistré</translation>
    </message>
    <message>
        <source>Name it in a project, as image or video</source>
        <translation>Nommez-la dans un projet, comme image ou video</translation>
    </message>
    <message>
        <source>This is a web page</source>
        <translation>C’est une page web</translation>
    </message>
    <message>
        <source>Download the file itself, not the page that shows it</source>
        <translation>Téléchargez le fichier lui-même, et non la page qui le montre</translation>
    </message>
    <message>
        <source>a Python script</source>
        <translation>un script Python</translation>
    </message>
    <message>
        <source>a script</source>
        <translation>un script</translation>
    </message>
    <message>
        <source>These are weights of a model</source>
        <translation>Ce sont les poids d’un modèle</translation>
    </message>
    <message>
        <source>This is an archive</source>
        <translation>C’est une archive</translation>
    </message>
    <message>
        <source>Unpack it and choose the project in it</source>
        <translation>Décompressez-la et choisissez le projet qu’elle contient</translation>
    </message>
    <message>
        <source>This is a document, not a project</source>
        <translation>C’est un document, et non un projet</translation>
    </message>
    <message>
        <source>Choose a project file (.yaml)</source>
        <translation>Choisissez un fichier de projet (.yaml)</translation>
    </message>
    <message>
        <source>{}: {}: its shape is in its alpha, which is read as the mask: opaque is white, transparent is black</source>
        <translation>{} : {} : sa forme est dans son canal alpha, qui est lu comme masque : opaque est blanc, transparent est noir</translation>
    </message>
    <message>
        <source>If it is meant the other way round, give a black and white mask without transparency</source>
        <translation>Si c&apos;est l&apos;inverse, donnez un masque noir et blanc sans transparence</translation>
    </message>
    <message>
        <source>{}: {}: it has transparent pixels, which are laid on white</source>
        <translation>{} : {} : il a des pixels transparents, qui sont posés sur du blanc</translation>
    </message>
    <message>
        <source>To have another background, give a picture without transparency</source>
        <translation>Pour un autre fond, donnez une image sans transparence</translation>
    </message>
    <message>
        <source>Check that these are all frames, and only they</source>
        <translation>Vérifiez que ce sont toutes les images, et elles seules</translation>
    </message>
    <message>
        <source>Put a text that holds a blank and `#` in quotes, since YAML takes the rest of its line for a comment. Where such a comment may be the rest of a prompt, a name or a path, a warning says so; behind a path it may stand after two blanks and before another one: `  # comment`.</source>
        <translation>Mettez entre guillemets un texte qui contient une espace et `#`, car YAML prend le reste de la ligne pour un commentaire. Là où un tel commentaire peut être la suite d&apos;un prompt, d&apos;un nom ou d&apos;un chemin, un avertissement le dit ; derrière un chemin il peut suivre deux espaces et en précéder une autre : `  # commentaire`.</translation>
    </message>
    <message>
        <source>{} has no value: YAML takes &quot;{}&quot; for a comment</source>
        <translation>{} n&apos;a pas de valeur : YAML prend « {} » pour un commentaire</translation>
    </message>
    <message>
        <source>Put the text in quotes</source>
        <translation>Mettez le texte entre guillemets</translation>
    </message>
    <message>
        <source>If it belongs to the text, put the text in quotes; else put the comment on a line of its own</source>
        <translation>S&apos;il fait partie du texte, mettez le texte entre guillemets ; sinon mettez le commentaire sur sa propre ligne</translation>
    </message>
    <message>
        <source>{} ends before &quot;{}&quot;, which YAML takes for a comment</source>
        <translation>{} s&apos;arrête avant « {} », que YAML prend pour un commentaire</translation>
    </message>
    <message>
        <source>another program has been changing it for a long time</source>
        <translation>un autre programme le modifie depuis longtemps</translation>
    </message>
    <message>
        <source>Wait until it is done, or end it</source>
        <translation>Attendez qu&apos;il ait fini, ou arrêtez-le</translation>
    </message>
    <message>
        <source>mpirun could not be prepared ({})</source>
        <translation>mpirun n&apos;a pas pu être préparé ({})</translation>
    </message>
    <message>
        <source>Set {}={}, which is Open MPI {}</source>
        <translation>Définissez {}={}, qui est Open MPI {}</translation>
    </message>
    <message>
        <source>Put Open MPI&apos;s mpirun first in your PATH, or name it by {} (on Debian: apt-get install openmpi-bin)</source>
        <translation>Placez le mpirun d&apos;Open MPI en premier dans votre PATH, ou nommez-le par {} (sous Debian : apt-get install openmpi-bin)</translation>
    </message>
    <message>
        <source>there is no mpirun in your PATH</source>
        <translation>il n&apos;y a pas de mpirun dans votre PATH</translation>
    </message>
    <message>
        <source>{} has not said within {} s which version it is</source>
        <translation>{} n&apos;a pas dit en {} s quelle est sa version</translation>
    </message>
    <message>
        <source>{} is not Open MPI (it does not say what it is)</source>
        <translation>{} n&apos;est pas Open MPI (il ne dit pas ce qu&apos;il est)</translation>
    </message>
    <message>
        <source>{} is not Open MPI (it says: {})</source>
        <translation>{} n&apos;est pas Open MPI (il dit : {})</translation>
    </message>
    <message>
        <source>{} is Open MPI {}, and Meshreel launches ranks by Open MPI {} or newer</source>
        <translation>{} est Open MPI {}, et Meshreel lance les rangs avec Open MPI {} ou plus récent</translation>
    </message>
    <message>
        <source>mpirun passes nothing on any more</source>
        <translation>mpirun ne transmet plus rien</translation>
    </message>
    <message>
        <source>{}, which mpirun started, is stopped</source>
        <translation>{}, lancé par mpirun, est suspendu</translation>
    </message>
    <message>
        <source>the ranks there have not met the others within {} s: look for a firewall between the hosts, or set MESHREEL_HOST_TIMEOUT to more seconds</source>
        <translation>les rangs là-bas n&apos;ont pas rejoint les autres en {} s : cherchez un pare-feu entre les hôtes, ou donnez plus de secondes à MESHREEL_HOST_TIMEOUT</translation>
    </message>
    <message>
        <source>no rank has begun there within {} s: set MESHREEL_HOST_TIMEOUT to more seconds if it is only slow</source>
        <translation>aucun rang n&apos;y a commencé en {} s : donnez plus de secondes à MESHREEL_HOST_TIMEOUT s&apos;il est seulement lent</translation>
    </message>
    <message>
        <source>no rank has begun there within {} s: look at ssh and for a firewall that keeps Open MPI&apos;s daemon from calling back, or set MESHREEL_HOST_TIMEOUT to more seconds</source>
        <translation>aucun rang n&apos;y a commencé en {} s : vérifiez ssh, cherchez un pare-feu qui empêche le démon d&apos;Open MPI de rappeler, ou donnez plus de secondes à MESHREEL_HOST_TIMEOUT</translation>
    </message>
    <message>
        <source>Set TMPDIR to a folder on a disk that keeps links</source>
        <translation>Définissez TMPDIR sur un dossier d&apos;un disque qui connaît les liens</translation>
    </message>
    <message>
        <source>it has no list of traceEvents</source>
        <translation>elle n’a pas de liste traceEvents</translation>
    </message>
    <message>
        <source>an event lacks its name, times or thread</source>
        <translation>il manque à un événement son nom, ses temps ou son thread</translation>
    </message>
    <message>
        <source>Copy it to a disk of this machine: where it lies, files cannot be mapped</source>
        <translation>Copiez-le sur un disque de cette machine : là où il se trouve, les fichiers ne peuvent pas être projetés en mémoire</translation>
    </message>
    <message>
        <source>{} have to be read into memory at once, and {} are available</source>
        <translation>{} doivent être lus d&apos;un coup en mémoire, et {} sont disponibles</translation>
    </message>
    <message>
        <source>texts</source>
        <translation>textes</translation>
    </message>
    <message>
        <source>a PNG</source>
        <translation>PNG</translation>
    </message>
    <message>
        <source>seconds of computing</source>
        <translation>secondes de calcul</translation>
    </message>
    <message>
        <source>a video or sound up to its next packet</source>
        <translation>vidéo ou son jusqu’au paquet suivant</translation>
    </message>
    <message>
        <source>Write its prompt, size, frames, steps and seed into a project</source>
        <translation>Reportez son prompt, sa taille, ses images, ses étapes et sa graine dans un projet</translation>
    </message>
    <message>
        <source>meshreel inspect FILE prints it in a terminal</source>
        <translation>meshreel inspect FICHIER l’affiche dans un terminal</translation>
    </message>
    <message>
        <source>a line that another process says; the rest is left out</source>
        <translation>une ligne que dit un autre processus ; le reste est omis</translation>
    </message>
    <message>
        <source>all that another process says; of more, beginning and end are kept</source>
        <translation>tout ce que dit un autre processus ; au-delà, le début et la fin sont gardés</translation>
    </message>
    <message>
        <source>the transparency of this video is in a second stream, which only libvpx decodes, and this system&apos;s libavcodec has no libvpx</source>
        <translation>la transparence de cette vidéo est dans un second flux, que seul libvpx décode, et le libavcodec de ce système n’a pas libvpx</translation>
    </message>
    <message>
        <source>Install the full libavcodec, or convert the video to ProRes 4444</source>
        <translation>Installez la version complète de libavcodec, ou convertissez la vidéo en ProRes 4444</translation>
    </message>
    <message>
        <source>the transparency of this picture is in a second picture of the file, which Meshreel does not read</source>
        <translation>la transparence de cette image est dans une seconde image du fichier, que Meshreel ne lit pas</translation>
    </message>
    <message>
        <source>Convert it to PNG or WebP</source>
        <translation>Convertissez-la en PNG ou WebP</translation>
    </message>
    <message>
        <source>there is not enough memory for the picture</source>
        <translation>la mémoire ne suffit pas pour l’image</translation>
    </message>
    <message>
        <source>the samples of this TIFF are signed or floating-point numbers, which Meshreel does not read</source>
        <translation>les échantillons de ce TIFF sont des nombres signés ou à virgule flottante, que Meshreel ne lit pas</translation>
    </message>
    <message>
        <source>Save it with 8 or 16 bits a channel, or as PNG</source>
        <translation>Enregistrez-le avec 8 ou 16 bits par canal, ou en PNG</translation>
    </message>
    <message>
        <source>this TIFF has a channel besides its colours that it does not call transparency</source>
        <translation>ce TIFF a, outre ses couleurs, un canal qu’il ne déclare pas comme transparence</translation>
    </message>
    <message>
        <source>Save it as PNG, or without the channel, or with the channel as transparency</source>
        <translation>Enregistrez-le en PNG, sans ce canal, ou avec ce canal comme transparence</translation>
    </message>
    <message>
        <source>Measuring which form of the kernel &quot;{}&quot; is the fastest on {}; later runs know it</source>
        <translation>Mesure de la forme la plus rapide du noyau « {} » sur {} ; les exécutions suivantes la connaissent</translation>
    </message>
    <message>
        <source>a GPU has no {} kernel, which {} needs</source>
        <translation>un GPU n’a pas de noyau {}, dont {} a besoin</translation>
    </message>
    <message>
        <source>decoding whole frames needs {} of the GPU&apos;s memory, and {} are free</source>
        <translation>décoder des images entières demande {} de la mémoire du GPU, et {} sont libres</translation>
    </message>
    <message>
        <source>with all layers the GPU would hold {}, and {} are free</source>
        <translation>avec toutes les couches, le GPU occuperait {}, et {} sont libres</translation>
    </message>
    <message>
        <source>both experts need {}, and {} are available</source>
        <translation>les deux experts exigent {}, et {} sont disponibles</translation>
    </message>
    <message>
        <source>with both experts the GPU would hold {}, and {} are free</source>
        <translation>avec les deux experts, le GPU occuperait {}, et {} sont libres</translation>
    </message>
    <message>
        <source>with all layers the run needs {}, and memory_budget allows {}</source>
        <translation>avec toutes les couches, l&apos;exécution exige {}, et memory_budget autorise {}</translation>
    </message>
    <message>
        <source>the remote shell passes its standard input on to nobody: use one that does (MESHREEL_RSH)</source>
        <translation>le shell distant ne transmet pas son entrée standard : utilisez-en un qui la transmet (MESHREEL_RSH)</translation>
    </message>
    <message>
        <source>{} could not be guarded against connections of strangers: see docs/security.md</source>
        <translation>{} n&apos;a pas pu être protégé contre les connexions d&apos;inconnus : voir docs/security.md</translation>
    </message>
    <message>
        <source>which experts the adapters in lora are for is read in another way than when the run began: they went into {}, and would go into {}</source>
        <translation>les experts auxquels sont destinés les adaptateurs de lora sont lus autrement qu’au début de l’exécution : ils allaient dans {} et iraient maintenant dans {}</translation>
    </message>
    <message>
        <source>Start a new run in a terminal: meshreel run {}. An adapter with expert: all goes into both experts, whatever its name says</source>
        <translation>Commencez une nouvelle exécution dans un terminal : meshreel run {}. Un adaptateur avec expert: all va dans les deux experts, quoi que dise son nom</translation>
    </message>
    <message>
        <source>Which GPU computes the transformer, the VAE and the encoders: its number, from 0 on, several for the devices of a mesh (0,1), none for the CPU, or auto for the best real GPU, if it counts as faster than the CPU.</source>
        <translation>Quel GPU calcule le transformer, le VAE et les encodeurs : son numéro, à partir de 0, plusieurs pour les appareils d’un maillage (0,1), none pour le CPU, ou auto pour le meilleur vrai GPU là où il passe pour plus rapide que le CPU.</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is not a number for {}</source>
        <translation>«&#xa0;{}&#xa0;» n&apos;est pas un nombre pour {}</translation>
    </message>
    <message>
        <source>this is not a transformer of a Wan model</source>
        <translation>ceci n&apos;est pas le transformeur d&apos;un modèle Wan</translation>
    </message>
    <message>
        <source>meshreel inspect shows what it is</source>
        <translation>meshreel inspect dit ce que c&apos;est</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is not a server address</source>
        <translation>« {} » n’est pas l’adresse d’un serveur</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is not a number of seconds</source>
        <translation>« {} » n’est pas un nombre de secondes</translation>
    </message>
    <message>
        <source>this is not a small decoder (TAEHV), which previews need</source>
        <translation>ce n&apos;est pas un petit décodeur (TAEHV), et c&apos;en est un qui fait les aperçus</translation>
    </message>
    <message>
        <source>it is not a SentencePiece model</source>
        <translation>ce n’est pas un modèle SentencePiece</translation>
    </message>
    <message>
        <source>it is not a file, or it is a link that leads nowhere</source>
        <translation>ce n’est pas un fichier, ou c’est un lien qui ne mène nulle part</translation>
    </message>
    <message>
        <source>The model ({}) does not support {} ({})</source>
        <translation>Le modèle ({}) ne fait pas {} ({})</translation>
    </message>
    <message>
        <source>{} is not a count in column {}</source>
        <translation>{} n&apos;est pas un nombre dans la colonne {}</translation>
    </message>
    <message>
        <source>{} is not a Vulkan loader</source>
        <translation>{} n’est pas un chargeur Vulkan</translation>
    </message>
    <message>
        <source>{} is not a transformer</source>
        <translation>{} n&apos;est pas un transformeur</translation>
    </message>
    <message>
        <source>This is not a measurement of meshreel bench</source>
        <translation>Ceci n&apos;est pas une mesure de meshreel bench</translation>
    </message>
    <message>
        <source>prompt {} is not an object</source>
        <translation>le prompt {} n&apos;est pas un objet</translation>
    </message>
    <message>
        <source>a step of {} is not a multiple of {}</source>
        <translation>un pas de {} n&apos;est pas un multiple de {}</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is not a host name</source>
        <translation>«&#xa0;{}&#xa0;» n&apos;est pas un nom d&apos;hôte</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is not a number of ranks between 1 and {}</source>
        <translation>«&#xa0;{}&#xa0;» n&apos;est pas un nombre de rangs de 1 à {}</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is not a number of seconds between 1 and {}</source>
        <translation>« {} » n&apos;est pas un nombre de secondes de 1 à {}</translation>
    </message>
    <message>
        <source>its tensors match no part of a Wan model</source>
        <translation>ses tenseurs ne sont ceux d&apos;aucune partie d&apos;un modèle Wan</translation>
    </message>
    <message>
        <source>this is not a MagCache curve: {}</source>
        <translation>ceci n&apos;est pas une courbe MagCache&#xa0;: {}</translation>
    </message>
    <message>
        <source>this is not a number of devices: write a whole number from 1 to {}</source>
        <translation>ce n&apos;est pas un nombre d&apos;appareils&#xa0;: écrivez un nombre entier de 1 à {}</translation>
    </message>
    <message>
        <source>the model and the inputs determine the task</source>
        <translation>le modèle et les entrées déterminent la tâche</translation>
    </message>
    <message>
        <source>lora_config is not a map of lists</source>
        <translation>lora_config n&apos;est pas une table de listes</translation>
    </message>
    <message>
        <source>mag_ratios_base is not a curve: {}</source>
        <translation>mag_ratios_base n&apos;est pas une courbe&#xa0;: {}</translation>
    </message>
    <message>
        <source>The values that {} varies over are not a list</source>
        <translation>Ce que parcourt {} n&apos;est pas une liste</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is not a whole number from {} to {}</source>
        <translation>«&#xa0;{}&#xa0;» n&apos;est pas un entier de {} à {}</translation>
    </message>
    <message>
        <source>This is not a table of device times</source>
        <translation>Ceci n&apos;est pas un tableau de temps des appareils</translation>
    </message>
    <message>
        <source>This is not a table of a tile search</source>
        <translation>Ceci n&apos;est pas un tableau de recherche de blocs</translation>
    </message>
    <message>
        <source>this is not the status of a Meshreel run</source>
        <translation>ce n’est pas l’état d’une exécution de Meshreel</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is not a mask</source>
        <translation>Il n&apos;y a pas de masque «&#xa0;{}&#xa0;»</translation>
    </message>
    <message>
        <source>This is not a golden case: it has no case.json</source>
        <translation>Ceci n&apos;est pas un cas de référence&#xa0;: il n&apos;a pas de case.json</translation>
    </message>
    <message>
        <source>it is not a regular file</source>
        <translation>ce n&apos;est pas un fichier ordinaire</translation>
    </message>
    <message>
        <source>the archive holds no data.pkl: it is not a PyTorch checkpoint</source>
        <translation>l&apos;archive ne contient pas data.pkl&#xa0;: ce n&apos;est pas un checkpoint PyTorch</translation>
    </message>
    <message>
        <source>its pickle is not a dictionary of tensors</source>
        <translation>son pickle n&apos;est pas un dictionnaire de tenseurs</translation>
    </message>
    <message>
        <source>{} has no sound</source>
        <translation>{} n&apos;a pas de son</translation>
    </message>
    <message>
        <source>{} does not hold this sound ({})</source>
        <translation>{} ne peut pas contenir ce son ({})</translation>
    </message>
    <message>
        <source>The video has no sound: {}.</source>
        <translation>La vidéo n&apos;a pas de son : {}.</translation>
    </message>
    <message>
        <source>Write video_format: mp4 or webm, or audio: none</source>
        <translation>Écrivez video_format: mp4 ou webm, ou audio: none</translation>
    </message>
    <message>
        <source>This is not YAML: a bracket is not closed, because YAML takes what follows &quot; #&quot; for a comment</source>
        <translation>Ce n&apos;est pas du YAML : un crochet n&apos;est pas fermé, car YAML prend ce qui suit &quot; #&quot; pour un commentaire</translation>
    </message>
    <message>
        <source>Put the text with the # in quotes</source>
        <translation>Mettez le texte qui contient # entre guillemets</translation>
    </message>
    <message>
        <source>Get it with: meshreel get {}; it prints the lines that a project needs. {}</source>
        <translation>Obtenez-le avec : meshreel get {} ; la commande affiche les lignes dont un projet a besoin. {}</translation>
    </message>
    <message>
        <source>encoding needs {} of the GPU&apos;s memory, and {} are free</source>
        <translation>encoder demande {} de la mémoire du GPU, et {} sont libres</translation>
    </message>
    <message>
        <source>{} is predicted to take {:.3g} s, and {} {:.3g} s</source>
        <translation>{} prendrait {:.3g} s selon la prévision, et {} {:.3g} s</translation>
    </message>
    <message>
        <source>nothing has measured whether {} is faster than {}</source>
        <translation>rien n’a mesuré si {} est plus rapide que {}</translation>
    </message>
    <message>
        <source>nothing has measured whether {} is faster than the CPU; gpus: {} takes it all the same</source>
        <translation>rien n’a mesuré si {} est plus rapide que le CPU ; gpus: {} le prend quand même</translation>
    </message>
    <message>
        <source>encoding there, the GPU would hold {}, and {} are free</source>
        <translation>en encodant là, le GPU contiendrait {}, et {} sont libres</translation>
    </message>
    <message>
        <source>What guidance steers away from; used when guidance_scale or nag_scale is above 1.</source>
        <translation>Ce dont le guidage éloigne ; utilisé quand guidance_scale ou nag_scale dépasse 1.</translation>
    </message>
    <message>
        <source>Attention guidance</source>
        <translation>Guidage de l’attention</translation>
    </message>
    <message>
        <source>How strongly attention is pushed away from the negative prompt, without a second pass (NAG): also where guidance_scale is 1, as with distilled models. 11 is usual; 1 or less turns it off.</source>
        <translation>Force avec laquelle l’attention est éloignée du prompt négatif, sans seconde passe (NAG) : aussi avec guidance_scale à 1, comme pour les modèles distillés. 11 est courant ; 1 ou moins la désactive.</translation>
    </message>
    <message>
        <source>Bound of attention guidance</source>
        <translation>Borne de ce guidage</translation>
    </message>
    <message>
        <source>What nag_scale makes of a token is at most so many times as large as what the prompt alone makes of it.</source>
        <translation>Ce que nag_scale fait d’un token est au plus tant de fois aussi grand que ce qu’en fait le prompt seul.</translation>
    </message>
    <message>
        <source>Part of attention guidance</source>
        <translation>Part de ce guidage</translation>
    </message>
    <message>
        <source>Mixes what nag_scale makes of a token with what the prompt alone makes of it: 1 takes the former, 0 the latter.</source>
        <translation>Mélange ce que nag_scale fait d’un token avec ce qu’en fait le prompt seul : 1 prend le premier, 0 le second.</translation>
    </message>
    <message>
        <source>exponential integrator of second order: each step but the last is computed twice</source>
        <translation>intégrateur exponentiel d’ordre deux : chaque étape sauf la dernière est calculée deux fois</translation>
    </message>
    <message>
        <source>exponential integrator of second order that remembers the step before: one pass a step</source>
        <translation>intégrateur exponentiel d’ordre deux qui retient l’étape précédente : une passe par étape</translation>
    </message>
    <message>
        <source>Spacing of noise levels</source>
        <translation>Répartition du bruit</translation>
    </message>
    <message>
        <source>How the noise levels of the steps are spaced.</source>
        <translation>Comment les niveaux de bruit des étapes sont répartis.</translation>
    </message>
    <message>
        <source>As the scheduler spaces them.</source>
        <translation>Comme le planificateur les répartit.</translation>
    </message>
    <message>
        <source>Dense at both ends: quantiles of the beta distribution with 0.6 and 0.6, shifted by flow_shift.</source>
        <translation>Dense aux deux extrémités : quantiles de la loi bêta de paramètres 0,6 et 0,6, décalés par flow_shift.</translation>
    </message>
    <message>
        <source>The same with 0.5 and 0.7, which gives more steps to low noise.</source>
        <translation>La même avec 0,5 et 0,7, ce qui donne plus d’étapes au faible bruit.</translation>
    </message>
    <message>
        <source>Two arc tangents that meet at half the noise after 0.6 of the steps; flow_shift has no effect.</source>
        <translation>Deux arcs tangentes qui se rejoignent à la moitié du bruit après 0,6 des étapes ; flow_shift est sans effet.</translation>
    </message>
    <message>
        <source>EasyCache</source>
        <translation>EasyCache</translation>
    </message>
    <message>
        <source>Takes whole predictions over while the latents, by what the last steps showed, would change them little; needs no curve; approximate.</source>
        <translation>Reprend des prédictions entières tant que les latents, d’après les dernières étapes, les changeraient peu ; sans courbe ; approximatif.</translation>
    </message>
    <message>
        <source>EasyCache change</source>
        <translation>Changement pour EasyCache</translation>
    </message>
    <message>
        <source>Change of the prediction, as a part of its size, that EasyCache may gather before a step is computed.</source>
        <translation>Changement de la prédiction, en part de sa taille, qu’EasyCache peut accumuler avant qu’une étape soit calculée.</translation>
    </message>
    <message>
        <source>EasyCache begins at</source>
        <translation>EasyCache commence à</translation>
    </message>
    <message>
        <source>Part of the noise, from the beginning, in which EasyCache computes every step.</source>
        <translation>Part du bruit, depuis le début, dans laquelle EasyCache calcule chaque étape.</translation>
    </message>
    <message>
        <source>EasyCache ends at</source>
        <translation>EasyCache finit à</translation>
    </message>
    <message>
        <source>Part of the noise after which EasyCache computes every step again.</source>
        <translation>Part du bruit après laquelle EasyCache calcule de nouveau chaque étape.</translation>
    </message>
    <message>
        <source>Context windows</source>
        <translation>Fenêtres de contexte</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>Fenêtre</translation>
    </message>
    <message>
        <source>Frames that are denoised together, for clips longer than the model was trained with (Wan: 81): a multiple of 4, plus 1. 0 denoises all at once.</source>
        <translation>Images débruitées ensemble, pour des clips plus longs que ceux de l&apos;entraînement du modèle (Wan : 81) : un multiple de 4, plus 1. 0 les débruite toutes à la fois.</translation>
    </message>
    <message>
        <source>Overlap of windows</source>
        <translation>Recouvrement des fenêtres</translation>
    </message>
    <message>
        <source>Frames that neighbouring windows share; more of them join windows better and take longer.</source>
        <translation>Images communes à des fenêtres voisines ; en mettre plus les joint mieux et prend plus de temps.</translation>
    </message>
    <message>
        <source>Windows of a step</source>
        <translation>Fenêtres d&apos;une étape</translation>
    </message>
    <message>
        <source>Where the windows of each step lie.</source>
        <translation>Où se trouvent les fenêtres de chaque étape.</translation>
    </message>
    <message>
        <source>the same windows in every step; the last one ends with the clip</source>
        <translation>les mêmes fenêtres à chaque étape ; la dernière finit avec le clip</translation>
    </message>
    <message>
        <source>windows that begin elsewhere in each step, so that their borders blur</source>
        <translation>des fenêtres qui commencent ailleurs à chaque étape, si bien que leurs bords s&apos;estompent</translation>
    </message>
    <message>
        <source>as uniform, with windows from the end into the beginning: for clips that are looped</source>
        <translation>comme uniform, avec des fenêtres de la fin vers le début : pour des clips en boucle</translation>
    </message>
    <message>
        <source>Levels of windows</source>
        <translation>Niveaux de fenêtres</translation>
    </message>
    <message>
        <source>1 denoises neighbouring frames together; 2 adds windows of every second frame, 3 of every fourth, as far as they fit into the clip. For uniform and looped windows.</source>
        <translation>1 débruite ensemble des images voisines ; 2 ajoute des fenêtres d&apos;une image sur deux, 3 d&apos;une sur quatre, tant qu&apos;elles tiennent dans le clip. Pour les fenêtres uniform et looped.</translation>
    </message>
    <message>
        <source>Fusing of windows</source>
        <translation>Fusion des fenêtres</translation>
    </message>
    <message>
        <source>How predictions are weighed where windows overlap.</source>
        <translation>Comment les prédictions sont pondérées là où les fenêtres se recouvrent.</translation>
    </message>
    <message>
        <source>the middle of a window counts most</source>
        <translation>le milieu d&apos;une fenêtre compte le plus</translation>
    </message>
    <message>
        <source>windows fade into each other over the overlap</source>
        <translation>les fenêtres se fondent sur le recouvrement</translation>
    </message>
    <message>
        <source>the mean of all windows</source>
        <translation>la moyenne de toutes les fenêtres</translation>
    </message>
    <message>
        <source>FreeNoise</source>
        <translation>FreeNoise</translation>
    </message>
    <message>
        <source>Frames behind the first window begin with the shuffled noise of earlier ones, which keeps the windows alike.</source>
        <translation>Les images après la première fenêtre partent du bruit mélangé d&apos;images précédentes, ce qui garde les fenêtres semblables.</translation>
    </message>
    <message>
        <source>Keep the first image in sight</source>
        <translation>Garder la première image</translation>
    </message>
    <message>
        <source>Every window is given the first image in its first frame; image to video needs it, whose later windows would see no image.</source>
        <translation>Chaque fenêtre reçoit la première image dans sa première trame ; l&apos;image vers vidéo en a besoin, car les fenêtres suivantes ne verraient aucune image.</translation>
    </message>
    <message>
        <source>Write context_frames: 0 for segments, or leave out segment_frame_length for windows</source>
        <translation>Écrivez context_frames: 0 pour des segments, ou omettez segment_frame_length pour des fenêtres</translation>
    </message>
    <message>
        <source>{} ({}) makes a long clip in segments or through context windows, not both</source>
        <translation>{} ({}) fait un long clip en segments ou par fenêtres de contexte, pas les deux</translation>
    </message>
    <message>
        <source>{} ({}) keeps the image in the first frame, which only the first context window has</source>
        <translation>{} ({}) garde l&apos;image dans la première trame, que seule la première fenêtre de contexte possède</translation>
    </message>
    <message>
        <source>Write 0, and make the clip in parts</source>
        <translation>Écrivez 0, et faites le clip en plusieurs parties</translation>
    </message>
    <message>
        <source>{} ({}) sees the image in its first frame, and context windows behind the first one would see none</source>
        <translation>{} ({}) voit l&apos;image dans sa première trame, et les fenêtres de contexte après la première n&apos;en verraient aucune</translation>
    </message>
    <message>
        <source>Write true, which shows each of them the image, or make the clip in parts</source>
        <translation>Écrivez true, qui montre l&apos;image à chacune, ou faites le clip en plusieurs parties</translation>
    </message>
    <message>
        <source>Seam of the loop: the last frame differs from the first by {} levels of 255, neighbouring frames by {} (median)</source>
        <translation>Raccord de la boucle : la dernière image diffère de la première de {} niveaux sur 255, des images voisines de {} (médiane)</translation>
    </message>
    <message>
        <source>A MagCache curve is measured on whole steps, and context windows make several passes of each</source>
        <translation>Une courbe MagCache se mesure sur des étapes entières, et les fenêtres de contexte font plusieurs passes de chacune</translation>
    </message>
    <message>
        <source>Measure with 0</source>
        <translation>Mesurez avec 0</translation>
    </message>
    <message>
        <source>Set {} to {}</source>
        <translation>Mettez {} à {}</translation>
    </message>
    <message>
        <source>No step lies between easycache_start {} and easycache_end {}</source>
        <translation>Aucune étape entre easycache_start {} et easycache_end {}</translation>
    </message>
    <message>
        <source>Begin earlier</source>
        <translation>Commencez plus tôt</translation>
    </message>
    <message>
        <source>{} is {}, and windows of {} frames share {} at most</source>
        <translation>{} vaut {}, et des fenêtres de {} images en partagent {} au plus</translation>
    </message>
    <message>
        <source>the {} keeps what blocks add to the tokens of one pass, and context windows make several passes of a step</source>
        <translation>{} garde ce que les blocs ajoutent aux jetons d&apos;une passe, et les fenêtres de contexte font plusieurs passes d&apos;une étape</translation>
    </message>
    <message>
        <source>Write false, or use use_easycache, which keeps whole predictions</source>
        <translation>Écrivez false, ou utilisez use_easycache, qui garde des prédictions entières</translation>
    </message>
    <message>
        <source>the {} takes predictions over from step to step, and windows that are {} lie elsewhere in each</source>
        <translation>{} reprend des prédictions d&apos;une étape à l&apos;autre, et des fenêtres {} sont ailleurs à chacune</translation>
    </message>
    <message>
        <source>Write context_schedule: static, or leave the cache out</source>
        <translation>Écrivez context_schedule: static, ou laissez le cache de côté</translation>
    </message>
    <message>
        <source>Set {} to {}, which needs no second pass</source>
        <translation>Mettez {} à {}, ce qui n’exige pas de seconde passe</translation>
    </message>
    <message>
        <source>{} has no effect without {}</source>
        <translation>{} est sans effet sans {}</translation>
    </message>
    <message>
        <source>Write what the video should not show</source>
        <translation>Écrivez ce que la vidéo ne doit pas montrer</translation>
    </message>
    <message>
        <source>There is no spacing of noise levels &quot;{}&quot;</source>
        <translation>Il n’y a pas de répartition des niveaux de bruit « {} »</translation>
    </message>
    <message>
        <source>The spacing {} is for flows, which the checkpoint&apos;s {} does not follow</source>
        <translation>La répartition {} est pour les flux, que {} du point de contrôle ne suit pas</translation>
    </message>
    <message>
        <source>Set it to {}, or choose another scheduler</source>
        <translation>Mettez-la à {}, ou choisissez un autre planificateur</translation>
    </message>
    <message>
        <source>Of {} noise levels {} would be left</source>
        <translation>Sur {} niveaux de bruit, il en resterait {}</translation>
    </message>
    <message>
        <source>Remove them, or the key sigma_spacing</source>
        <translation>Supprimez-les, ou la clé sigma_spacing</translation>
    </message>
    <message>
        <source>{} ({}) shows every context window the character by itself, and the first frame has a background of its own</source>
        <translation>{} ({}) montre de lui-même le personnage à chaque fenêtre, et la première image a son propre arrière-plan</translation>
    </message>
    <message>
        <source>EasyCache decides for one video, and the batch has several</source>
        <translation>EasyCache décide pour une vidéo, et le lot en a plusieurs</translation>
    </message>
    <message>
        <source>End later</source>
        <translation>Finissez plus tard</translation>
    </message>
    <message>
        <source>{} has no effect: {} ({}) begins with no image</source>
        <translation>{} est sans effet : {} ({}) ne commence par aucune image</translation>
    </message>
    <message>
        <source>{} has no effect: context windows have no segment before</source>
        <translation>{} est sans effet : les fenêtres de contexte n&apos;ont pas de segment précédent</translation>
    </message>
    <message>
        <source>{} has no effect: windows that are {} leave no frames out between</source>
        <translation>{} est sans effet : les fenêtres {} n&apos;omettent aucune image</translation>
    </message>
    <message>
        <source>A video that shows the pictures of `keyframes` at their frames, and may begin with `image` and end with `last_image`.</source>
        <translation>Une vidéo qui montre les images de `keyframes` à leurs trames, et peut commencer par `image` et finir par `last_image`.</translation>
    </message>
    <message>
        <source>Keyframes</source>
        <translation>Images clés</translation>
    </message>
    <message>
        <source>Pictures that the video shows at places of your choice: a list of {frame: 8, image: PATH}, with frames counted from 0, or seconds: 1.5 or percent: 50 in place of frame.</source>
        <translation>Images que la vidéo montre aux endroits choisis : une liste de {frame: 8, image: PATH}, trames comptées à partir de 0, ou seconds: 1.5 ou percent: 50 à la place de frame.</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>Continuer</translation>
    </message>
    <message>
        <source>Continue from</source>
        <translation>Continuer depuis</translation>
    </message>
    <message>
        <source>Run folder, video or folder of numbered pictures that this clip goes on from; its frames are resized to this video.</source>
        <translation>Dossier d’exécution, vidéo ou dossier d’images numérotées que ce clip continue ; ses images sont mises à la taille de cette vidéo.</translation>
    </message>
    <message>
        <source>From frame</source>
        <translation>À partir de l’image</translation>
    </message>
    <message>
        <source>Frame of that clip after which this one goes on, counted from 0, or last.</source>
        <translation>Image de ce clip après laquelle celui-ci continue, comptée à partir de 0, ou last.</translation>
    </message>
    <message>
        <source>Shared frames</source>
        <translation>Images communes</translation>
    </message>
    <message>
        <source>What the video should show. [0:33%] … [33%:] … says it for a part of the time, in percent, seconds (2s, 0:02) or frames; words before the first mark hold all the time. With context windows, prompts parted by | follow each other.</source>
        <translation>Ce que la vidéo doit montrer. [0:33%] … [33%:] … le dit pour une partie du temps, en pour cent, secondes (2s, 0:02) ou images ; les mots avant la première marque valent tout le temps. Avec des fenêtres de contexte, des prompts séparés par | se suivent.</translation>
    </message>
    <message>
        <source>Softness of timed parts</source>
        <translation>Douceur des temps</translation>
    </message>
    <message>
        <source>How softly the parts of a timed prompt, [0:33%] … [33%:] …, pass into each other: the larger, the more of a part is seen before and after its time.</source>
        <translation>Avec quelle douceur les parties d’un prompt avec des temps, [0:33%] … [33%:] …, passent de l’une à l’autre : plus la valeur est grande, plus une partie se voit avant et après son temps.</translation>
    </message>
    <message>
        <source>Keyframes to video</source>
        <translation>Images clés vers vidéo</translation>
    </message>
    <message>
        <source>{} of the {} texts that | parts are seen in none of the {} context windows</source>
        <translation>{} des {} textes que | sépare ne sont vus dans aucune des {} fenêtres de contexte</translation>
    </message>
    <message>
        <source>Write fewer texts, or make shorter windows with more of them</source>
        <translation>Écrivez moins de textes, ou faites des fenêtres plus courtes et plus nombreuses</translation>
    </message>
    <message>
        <source>{} ({}) shows every context window the first frame, and no picture is given there</source>
        <translation>{} ({}) montre la première trame à chaque fenêtre de contexte, et aucune image n&apos;y est donnée</translation>
    </message>
    <message>
        <source>Write 0, or give a picture at frame 0</source>
        <translation>Écrivez 0, ou donnez une image à la trame 0</translation>
    </message>
    <message>
        <source>keyframe {}</source>
        <translation>l&apos;image clé {}</translation>
    </message>
    <message>
        <source>{} (frame {}) and {} (frame {}) are in the same latent frame, which holds one picture</source>
        <translation>{} (trame {}) et {} (trame {}) sont dans la même image latente, qui ne contient qu&apos;une image</translation>
    </message>
    <message>
        <source>Move one of them by {} frames or more, or remove it</source>
        <translation>Déplacez l&apos;une d&apos;elles de {} trames ou plus, ou retirez-la</translation>
    </message>
    <message>
        <source>{} stands between the first and the last frame, for which this model needs {} frames at least</source>
        <translation>{} est entre la première et la dernière trame, ce pour quoi ce modèle a besoin d&apos;au moins {} trames</translation>
    </message>
    <message>
        <source>{} stands at frame {} in place of {}: between the ends this model takes pictures at the last frame of a latent only</source>
        <translation>{} est à la trame {} au lieu de {} : entre les extrémités, ce modèle ne prend d&apos;images qu&apos;à la dernière trame d&apos;une image latente</translation>
    </message>
    <message>
        <source>Write frame: {}</source>
        <translation>Écrivez frame: {}</translation>
    </message>
    <message>
        <source>The model ({}) looks at two pictures, and there is one</source>
        <translation>Le modèle ({}) regarde deux images, et il n&apos;y en a qu&apos;une</translation>
    </message>
    <message>
        <source>Name another keyframe, image or last_image</source>
        <translation>Indiquez une autre image clé, image ou last_image</translation>
    </message>
    <message>
        <source>part {} of {}</source>
        <translation>partie {} de {}</translation>
    </message>
    <message>
        <source>Write task: vace, which takes keyframes</source>
        <translation>Écrivez task: vace, qui prend des images clés</translation>
    </message>
    <message>
        <source>{} and {} both say how the video begins</source>
        <translation>{} et {} disent tous deux comment la vidéo commence</translation>
    </message>
    <message>
        <source>Leave out one of them</source>
        <translation>Omettez l’un des deux</translation>
    </message>
    <message>
        <source>{} shows a picture in the first {} frames, which are of the clip before</source>
        <translation>{} montre une image dans les {} premières images, qui sont du clip précédent</translation>
    </message>
    <message>
        <source>a clip that continues another one does not end where it begins, and windows that are {} make it do so</source>
        <translation>un clip qui en continue un autre ne finit pas où il commence, ce que feraient des fenêtres {}</translation>
    </message>
    <message>
        <source>Write static</source>
        <translation>Écrivez static</translation>
    </message>
    <message>
        <source>the video has {} frames, and {} of them are the last of the clip before</source>
        <translation>la vidéo a {} images, dont {} sont les dernières du clip précédent</translation>
    </message>
    <message>
        <source>Take fewer, or make a longer video</source>
        <translation>Prenez-en moins ou faites une vidéo plus longue</translation>
    </message>
    <message>
        <source>Make a longer video</source>
        <translation>Faites une vidéo plus longue</translation>
    </message>
    <message>
        <source>{} is one of a pair, and the other expert has none</source>
        <translation>{} fait partie d’une paire, et l’autre expert n’en a pas</translation>
    </message>
    <message>
        <source>Name both in lora, that of the high and that of the low noise</source>
        <translation>Nommez les deux dans lora, celui du bruit fort et celui du bruit faible</translation>
    </message>
    <message>
        <source>{} has no effect: a chain of Stable Video Infinity shares {} frames</source>
        <translation>{} est sans effet : une chaîne de Stable Video Infinity partage {} images</translation>
    </message>
    <message>
        <source>the shot {} has no video</source>
        <translation>le plan {} n’a pas de vidéo</translation>
    </message>
    <message>
        <source>Remove its folder, and make the film again</source>
        <translation>Supprimez son dossier et refaites le film</translation>
    </message>
    <message>
        <source>the folder of the film cannot be made ({})</source>
        <translation>le dossier du film ne peut être créé ({})</translation>
    </message>
    <message>
        <source>another program makes a film in this folder</source>
        <translation>un autre programme fait un film dans ce dossier</translation>
    </message>
    <message>
        <source>Wait until it is done, or choose another folder for it</source>
        <translation>Attendez qu’il ait fini, ou choisissez un autre dossier pour lui</translation>
    </message>
    <message>
        <source>Shot {} of {}, {}: is there</source>
        <translation>Plan {} sur {}, {} : est là</translation>
    </message>
    <message>
        <source>Shot {} of {}, {}</source>
        <translation>Plan {} sur {}, {}</translation>
    </message>
    <message>
        <source>The pictures were encoded once more: {}</source>
        <translation>Les images ont été encodées de nouveau : {}</translation>
    </message>
    <message>
        <source>The film has no sound: that of the shots is left out</source>
        <translation>Le film n’a pas de son : celui des plans est omis</translation>
    </message>
    <message>
        <source>shot {}: {}</source>
        <translation>plan {} : {}</translation>
    </message>
    <message>
        <source>there is no plan for it</source>
        <translation>il n’y a pas de plan pour lui</translation>
    </message>
    <message>
        <source>Make its model available first</source>
        <translation>Rendez d’abord son modèle disponible</translation>
    </message>
    <message>
        <source>a shot is no map of keys</source>
        <translation>un plan n’est pas une liste de clés</translation>
    </message>
    <message>
        <source>Write - prompt: ..., and further keys below it</source>
        <translation>Écrivez - prompt: ..., et d’autres clés en dessous</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is no name of a shot</source>
        <translation>« {} » n’est pas un nom de plan</translation>
    </message>
    <message>
        <source>Write letters, digits, &apos;-&apos;, &apos;_&apos; and &apos;.&apos;; it names a folder</source>
        <translation>Écrivez lettres, chiffres, « - », « _ » et « . » ; il nomme un dossier</translation>
    </message>
    <message>
        <source>two shots are called {}</source>
        <translation>deux plans s’appellent {}</translation>
    </message>
    <message>
        <source>the first shot has none to continue</source>
        <translation>le premier plan n’en a pas à continuer</translation>
    </message>
    <message>
        <source>there is no earlier shot called &quot;{}&quot;</source>
        <translation>il n’y a pas de plan antérieur nommé « {} »</translation>
    </message>
    <message>
        <source>Write continue: true for the shot before, the name of an earlier one, or continue_from: PATH for another clip</source>
        <translation>Écrivez continue: true pour le plan précédent, le nom d’un plan antérieur, ou continue_from: CHEMIN pour un autre clip</translation>
    </message>
    <message>
        <source>seconds is &quot;{}&quot;</source>
        <translation>seconds vaut « {} »</translation>
    </message>
    <message>
        <source>Write how long the shot lasts, more than 0 and at most {}</source>
        <translation>Écrivez la durée du plan, plus de 0 et au plus {}</translation>
    </message>
    <message>
        <source>seconds and num_frames both say how long the shot is</source>
        <translation>seconds et num_frames disent tous deux la durée du plan</translation>
    </message>
    <message>
        <source>continue and continue_from both say what the shot continues</source>
        <translation>continue et continue_from disent tous deux ce que le plan continue</translation>
    </message>
    <message>
        <source>a storyboard has a list of shots</source>
        <translation>un storyboard a une liste de plans</translation>
    </message>
    <message>
        <source>Write shots: and below it - prompt: ... for each</source>
        <translation>Écrivez shots: et en dessous - prompt: ... pour chacun</translation>
    </message>
    <message>
        <source>shots is no list of 1 to {} shots</source>
        <translation>shots n’est pas une liste de 1 à {} plans</translation>
    </message>
    <message>
        <source>Write - prompt: ... for each shot</source>
        <translation>Écrivez - prompt: ... pour chaque plan</translation>
    </message>
    <message>
        <source>this run has no video yet</source>
        <translation>cette exécution n’a pas encore de vidéo</translation>
    </message>
    <message>
        <source>Finish it first, or name a run that is done</source>
        <translation>Terminez-la d’abord ou nommez une exécution terminée</translation>
    </message>
    <message>
        <source>this folder was replaced while it was read</source>
        <translation>ce dossier a été remplacé pendant sa lecture</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Réessayez</translation>
    </message>
    <message>
        <source>Make this part again</source>
        <translation>Refaites cette partie</translation>
    </message>
    <message>
        <source>frames that two parts share are left out</source>
        <translation>les images que deux parties partagent sont omises</translation>
    </message>
    <message>
        <source>{} keeps all pictures in one piece</source>
        <translation>{} garde toutes les images d’un seul tenant</translation>
    </message>
    <message>
        <source>{} is of another format</source>
        <translation>{} est d’un autre format</translation>
    </message>
    <message>
        <source>{} was encoded otherwise than the first part</source>
        <translation>{} a été encodé autrement que la première partie</translation>
    </message>
    <message>
        <source>{} has another rate than the first part</source>
        <translation>{} a une autre cadence que la première partie</translation>
    </message>
    <message>
        <source>Seam: the first new frame differs from the last one of the clip before by {} levels of 255, neighbouring frames by {} (median); {} frames are of the clip before</source>
        <translation>Raccord : la première nouvelle image diffère de la dernière du clip précédent de {} niveaux sur 255, les images voisines de {} (médiane) ; {} images sont du clip précédent</translation>
    </message>
    <message>
        <source>the clip ends at frame {}, and frame {} is taken</source>
        <translation>le clip finit à l’image {}, et l’image {} est prise</translation>
    </message>
    <message>
        <source>Give a continue_at before its end, or write the clip again</source>
        <translation>Donnez un continue_at avant sa fin, ou réécrivez le clip</translation>
    </message>
    <message>
        <source>To keep the speed of the motion, set fps: {}</source>
        <translation>Pour garder la vitesse du mouvement, mettez fps: {}</translation>
    </message>
    <message>
        <source>{}: {}: its frames of {} x {} are resized to {} x {}</source>
        <translation>{} : {} : ses images de {} x {} sont mises à {} x {}</translation>
    </message>
    <message>
        <source>To take them as they are, set width and height to those of the clip</source>
        <translation>Pour les prendre telles quelles, mettez la largeur et la hauteur du clip</translation>
    </message>
    <message>
        <source>{} is &quot;{}&quot;, which is no frame of a clip</source>
        <translation>{} vaut « {} », qui n’est pas une image d’un clip</translation>
    </message>
    <message>
        <source>Write the number of a frame, counted from 0, or {}</source>
        <translation>Écrivez le numéro d’une image, compté à partir de 0, ou {}</translation>
    </message>
    <message>
        <source>{} is {}, and the clip has {} frames, 0 to {}</source>
        <translation>{} vaut {}, et le clip a {} images, de 0 à {}</translation>
    </message>
    <message>
        <source>Write the number of one of them, or {}</source>
        <translation>Écrivez le numéro de l’une d’elles, ou {}</translation>
    </message>
    <message>
        <source>the clip before gives {} frames up to frame {}, and {} are taken</source>
        <translation>le clip précédent donne {} images jusqu’à l’image {}, et {} sont prises</translation>
    </message>
    <message>
        <source>Take fewer, go on from a later frame, or from a longer clip</source>
        <translation>Prenez-en moins, partez d’une image plus tardive ou d’un clip plus long</translation>
    </message>
    <message>
        <source>Write {{frame: 8, image: PATH}}, or seconds or percent in place of frame</source>
        <translation>Écrivez {{frame: 8, image: PATH}}, ou seconds ou percent à la place de frame</translation>
    </message>
    <message>
        <source>A keyframe&apos;s {} is not one value</source>
        <translation>{} d&apos;une image clé n&apos;est pas une valeur unique</translation>
    </message>
    <message>
        <source>A keyframe&apos;s {} cannot be {}</source>
        <translation>{} d&apos;une image clé ne peut pas être {}</translation>
    </message>
    <message>
        <source>Write a number from 0 to {}</source>
        <translation>Écrivez un nombre de 0 à {}</translation>
    </message>
    <message>
        <source>A keyframe&apos;s frame {} is not a whole number</source>
        <translation>La trame {} d&apos;une image clé n&apos;est pas un nombre entier</translation>
    </message>
    <message>
        <source>Write {}, or a place in seconds or percent</source>
        <translation>Écrivez {}, ou une position en secondes ou en pourcentage</translation>
    </message>
    <message>
        <source>A keyframe is not a map</source>
        <translation>Une image clé n&apos;est pas une table</translation>
    </message>
    <message>
        <source>A keyframe has no &quot;{:.80}&quot;</source>
        <translation>Une image clé n&apos;a pas de « {:.80} »</translation>
    </message>
    <message>
        <source>Its keys are image and one of frame, seconds and percent</source>
        <translation>Ses clés sont image et une seule parmi frame, seconds et percent</translation>
    </message>
    <message>
        <source>A keyframe has both {} and {}</source>
        <translation>Une image clé a à la fois {} et {}</translation>
    </message>
    <message>
        <source>Leave one of them</source>
        <translation>N&apos;en gardez qu&apos;un</translation>
    </message>
    <message>
        <source>A keyframe has no image</source>
        <translation>Une image clé n&apos;a pas de fichier image</translation>
    </message>
    <message>
        <source>A keyframe has no place</source>
        <translation>Une image clé n&apos;a pas de position</translation>
    </message>
    <message>
        <source>Keyframe {} ({}) is at frame {}, and the last of {} frames is {}</source>
        <translation>L&apos;image clé {} ({}) est à la trame {}, et la dernière des {} trames est {}</translation>
    </message>
    <message>
        <source>Move it to frame {} or before, or make num_frames {}</source>
        <translation>Déplacez-la à la trame {} ou avant, ou écrivez num_frames : {}</translation>
    </message>
    <message>
        <source>Keyframe {} ({}) is at frame {}, where {} is already</source>
        <translation>L&apos;image clé {} ({}) est à la trame {}, où se trouve déjà {}</translation>
    </message>
    <message>
        <source>Move it to another frame, or remove one of them</source>
        <translation>Déplacez-la à une autre trame, ou retirez l&apos;une des deux</translation>
    </message>
    <message>
        <source>&quot;{}&quot; of {} is &quot;{}&quot; here</source>
        <translation>&quot;{}&quot; de {} s’appelle ici &quot;{}&quot;</translation>
    </message>
    <message>
        <source>&quot;{}&quot; of {} is &quot;{}&quot; here, with sigma_spacing: {}</source>
        <translation>&quot;{}&quot; de {} s’appelle ici &quot;{}&quot;, avec sigma_spacing : {}</translation>
    </message>
    <message>
        <source>Write [{{frame: 8, image: PATH}}]</source>
        <translation>Écrivez [{{frame: 8, image: PATH}}]</translation>
    </message>
    <message>
        <source>context windows, of each video and of each half of guidance</source>
        <translation>fenêtres de contexte, de chaque vidéo et de chaque moitié du guidage</translation>
    </message>
    <message>
        <source>{} is {}, which is not a multiple of {} plus 1</source>
        <translation>{} vaut {}, qui n’est pas un multiple de {} plus 1</translation>
    </message>
    <message>
        <source>{} is no time, and taken as words of the prompt</source>
        <translation>{} n’est pas un temps et compte comme des mots du prompt</translation>
    </message>
    <message>
        <source>Write two bounds of one unit: [0:33%], [2s:0:04] or [1:17]; or other brackets for words</source>
        <translation>Écrivez deux bornes d’une même unité : [0:33%], [2s:0:04] ou [1:17] ; ou d’autres parenthèses pour des mots</translation>
    </message>
    <message>
        <source>{} has no words behind it</source>
        <translation>Aucun mot ne suit {}</translation>
    </message>
    <message>
        <source>Write what the video should show then, or remove it</source>
        <translation>Écrivez ce que la vidéo doit montrer alors, ou retirez-le</translation>
    </message>
    <message>
        <source>{} ends before it begins</source>
        <translation>{} se termine avant de commencer</translation>
    </message>
    <message>
        <source>Write the earlier bound first; other brackets if it is no time</source>
        <translation>Écrivez d’abord la borne la plus tôt ; d’autres parenthèses si ce n’est pas un temps</translation>
    </message>
    <message>
        <source>{} begins when the video is over, at {}</source>
        <translation>{} commence quand la vidéo est finie, à {}</translation>
    </message>
    <message>
        <source>Begin it earlier, or make the video longer</source>
        <translation>Faites-le commencer plus tôt, ou allongez la vidéo</translation>
    </message>
    <message>
        <source>{} goes on when the video is over, at {}</source>
        <translation>{} continue quand la vidéo est finie, à {}</translation>
    </message>
    <message>
        <source>Leave its end out, or make the video longer</source>
        <translation>Omettez sa fin, ou allongez la vidéo</translation>
    </message>
    <message>
        <source>one context window holds the whole video, which is given all that | parts as one prompt</source>
        <translation>Une seule fenêtre de contexte contient toute la vidéo, qui reçoit tout ce que | sépare comme un seul prompt</translation>
    </message>
    <message>
        <source>Write [0:50%] … [50%:] … instead, or make the video longer</source>
        <translation>Écrivez plutôt [0:50%] … [50%:] …, ou allongez la vidéo</translation>
    </message>
    <message>
        <source>the prompt has parts by time and parts for context windows by |</source>
        <translation>Le prompt a des parties par temps et, par |, des parties pour les fenêtres de contexte</translation>
    </message>
    <message>
        <source>Write all of them with times, which hold in context windows too</source>
        <translation>Écrivez-les toutes avec des temps, qui valent aussi dans les fenêtres de contexte</translation>
    </message>
    <message>
        <source>part {} of the prompt, parted by |, has no words</source>
        <translation>La partie {} du prompt, séparée par |, n’a pas de mots</translation>
    </message>
    <message>
        <source>Write what the video should show then, or remove its |</source>
        <translation>Écrivez ce que la vidéo doit montrer alors, ou retirez son |</translation>
    </message>
    <message>
        <source>{} has no effect: the prompt has no times such as [0:33%]</source>
        <translation>{} est sans effet : le prompt n’a pas de temps comme [0:33%]</translation>
    </message>
    <message>
        <source>The case hides frames in front of the video, which Meshreel never does</source>
        <translation>Le cas cache des images devant la vidéo, ce que Meshreel ne fait jamais</translation>
    </message>
    <message>
        <source>the film passes over only into a shot that goes on from the end of the one before, and continue_at is {}</source>
        <translation>le film ne fait un fondu que vers un plan qui part de la fin du précédent, et continue_at vaut {}</translation>
    </message>
    <message>
        <source>Leave out blend, or continue_at</source>
        <translation>Omettez blend ou continue_at</translation>
    </message>
    <message>
        <source>blend is &quot;{}&quot;</source>
        <translation>blend vaut &quot;{}&quot;</translation>
    </message>
    <message>
        <source>Write how many frames pass over, 0 to {}</source>
        <translation>Indiquez sur combien d’images se fait le fondu, de 0 à {}</translation>
    </message>
    <message>
        <source>the film passes over only into a shot that continues the one right before it</source>
        <translation>le film ne fond que vers un plan qui poursuit celui qui le précède</translation>
    </message>
    <message>
        <source>Leave out blend, or write continue: true</source>
        <translation>Omettez blend, ou écrivez continue: true</translation>
    </message>
    <message>
        <source>To resume it: meshreel run --resume {}, with the same --hosts</source>
        <translation>Pour la reprendre&#xa0;: meshreel run --resume {}, avec le même --hosts</translation>
    </message>
    <message>
        <source>The seam with the clip before is not measured: {}</source>
        <translation>Le raccord avec le clip précédent n’est pas mesuré : {}</translation>
    </message>
    <message>
        <source>Go on from a later frame, or from a longer clip</source>
        <translation>Partez d’une image plus tardive ou d’un clip plus long</translation>
    </message>
    <message>
        <source>Choose a new folder, or resume the run in it with --resume</source>
        <translation>Choisissez un nouveau dossier, ou reprenez l&apos;exécution qu&apos;il contient avec --resume</translation>
    </message>
    <message>
        <source>the run was ended before it began: there is nothing to resume</source>
        <translation>l&apos;exécution a été arrêtée avant de commencer&#xa0;: il n&apos;y a rien à reprendre</translation>
    </message>
    <message>
        <source>Resume the run first (meshreel run --resume)</source>
        <translation>Reprenez d&apos;abord l&apos;exécution (meshreel run --resume)</translation>
    </message>
    <message>
        <source>To resume it: meshreel run --resume {}</source>
        <translation>Pour la reprendre&#xa0;: meshreel run --resume {}</translation>
    </message>
    <message>
        <source>Resume it there, or allow a different machine (--allow-different-machine): the result may then differ in its last bits</source>
        <translation>Reprenez-la là-bas, ou autorisez une machine différente (--allow-different-machine)&#xa0;: le résultat peut alors différer dans ses derniers bits</translation>
    </message>
    <message>
        <source>Resume one with meshreel run --resume</source>
        <translation>Reprenez-en une avec meshreel run --resume</translation>
    </message>
    <message>
        <source>Frames of that clip, up to this one, that the new clip begins with: a multiple of 4, plus 1. 0 takes what suits the task, as far as 4 frames are new: 1 for image to video, tracks and keyframes; 5 for VACE; 13 for text, subjects and video to video; as many as segments share for an animation.</source>
        <translation>Images de ce clip, jusqu’à celle-ci, par lesquelles le nouveau clip commence : un multiple de 4, plus 1. 0 prend ce qui convient à la tâche, tant que 4 images sont nouvelles : 1 pour image vers vidéo, trajectoires et images clés ; 5 pour VACE ; 13 pour texte, sujets et vidéo vers vidéo ; autant que les segments en partagent pour une animation.</translation>
    </message>
    <message>
        <source>Put it at frame {} or later, or remove it</source>
        <translation>Placez-la à l’image {} ou plus tard, ou retirez-la</translation>
    </message>
    <message>
        <source>an animation goes on from {} frames of the clip before at most, and {} are asked for</source>
        <translation>une animation continue à partir de {} images du clip précédent au plus, et {} sont demandées</translation>
    </message>
    <message>
        <source>Take fewer</source>
        <translation>Prenez-en moins</translation>
    </message>
    <message>
        <source>NVIDIA&apos;s driver cannot be loaded ({})</source>
        <translation>Le pilote de NVIDIA ne peut pas être chargé ({})</translation>
    </message>
    <message>
        <source>Install the driver&apos;s library, in Debian the package libcuda1</source>
        <translation>Installez la bibliothèque du pilote, sous Debian le paquet libcuda1</translation>
    </message>
    <message>
        <source>NVIDIA&apos;s driver has no function {}</source>
        <translation>Le pilote de NVIDIA n’a pas de fonction {}</translation>
    </message>
    <message>
        <source>Install a newer driver</source>
        <translation>Installez un pilote plus récent</translation>
    </message>
    <message>
        <source>NVIDIA&apos;s driver failed in {}: {}</source>
        <translation>le pilote de NVIDIA a échoué dans {} : {}</translation>
    </message>
    <message>
        <source>NVIDIA&apos;s driver has {} cards, and card {} is asked for</source>
        <translation>le pilote de NVIDIA a {} cartes, et la carte {} est demandée</translation>
    </message>
    <message>
        <source>NVIDIA&apos;s driver refuses the kernel {}: {}</source>
        <translation>le pilote de NVIDIA refuse le noyau {} : {}</translation>
    </message>
    <message>
        <source>Update the GPU driver, or let Vulkan&apos;s shaders compute</source>
        <translation>Mettez à jour le pilote du GPU, ou laissez calculer les shaders de Vulkan</translation>
    </message>
    <message>
        <source>These times are of another CPU: {}</source>
        <translation>Ces temps sont ceux d&apos;un autre processeur : {}</translation>
    </message>
    <message>
        <source>No row of this measurement tells the seconds of its rounds</source>
        <translation>Aucune ligne de cette mesure n&apos;indique les secondes de ses tours</translation>
    </message>
    <message>
        <source>it is no JSON object</source>
        <translation>ce n’est pas un objet JSON</translation>
    </message>
    <message>
        <source>a later version of Meshreel wrote it</source>
        <translation>une version ultérieure de Meshreel l’a écrit</translation>
    </message>
    <message>
        <source>{} ms, spread {} %</source>
        <translation>{} ms, dispersion {} %</translation>
    </message>
    <message>
        <source>{} s, spread {} %</source>
        <translation>{} s, dispersion {} %</translation>
    </message>
    <message>
        <source>Faster: {} to {} % less time</source>
        <translation>Plus rapide : {} à {} % de temps en moins</translation>
    </message>
    <message>
        <source>Slower: {} to {} % more time</source>
        <translation>Plus lent : {} à {} % de temps en plus</translation>
    </message>
    <message>
        <source>Within the noise: repeat {} times</source>
        <translation>Dans le bruit : répéter {} fois</translation>
    </message>
    <message>
        <source>Within the noise: {} repeats would hardly tell</source>
        <translation>Dans le bruit : même {} répétitions ne montreraient guère de différence</translation>
    </message>
    <message>
        <source>Too few times to tell: repeat {} times</source>
        <translation>Trop peu de temps mesurés pour juger : répéter {} fois</translation>
    </message>
    <message>
        <source>No verdict: the ranges overlap</source>
        <translation>Pas de verdict : les plages se recouvrent</translation>
    </message>
    <message>
        <source>Measure on this machine first</source>
        <translation>Mesurez d&apos;abord sur cette machine</translation>
    </message>
    <message>
        <source>Measure with this version first</source>
        <translation>Mesurez d&apos;abord avec cette version</translation>
    </message>
    <message>
        <source>The notes cannot be removed ({})</source>
        <translation>Les notes ne peuvent pas être supprimées ({})</translation>
    </message>
    <message>
        <source>an event ends before it begins</source>
        <translation>un événement se termine avant de commencer</translation>
    </message>
    <message>
        <source>{} videos could not be copied. The first of them: {}</source>
        <translation>{} vidéos n&apos;ont pas pu être copiées. La première&#xa0;: {}</translation>
    </message>
    <message>
        <source>More than {} spans of one device or thread overlap in this trace: no run writes such a one</source>
        <translation>Plus de {} intervalles d&apos;un appareil ou d&apos;un fil se recouvrent dans cette trace : aucune exécution n&apos;en écrit de telle</translation>
    </message>
    <message>
        <source>the model&apos;s own</source>
        <translation>celui du modèle</translation>
    </message>
    <message>
        <source>a linear map</source>
        <translation>une application linéaire</translation>
    </message>
    <message>
        <source>automatic</source>
        <translation>automatique</translation>
    </message>
    <message>
        <source>random</source>
        <translation>aléatoire</translation>
    </message>
    <message>
        <source>as spaced</source>
        <translation>selon la répartition</translation>
    </message>
    <message>
        <source>as published</source>
        <translation>comme publié</translation>
    </message>
    <message>
        <source>all at once</source>
        <translation>toutes à la fois</translation>
    </message>
    <message>
        <source>this machine</source>
        <translation>cette machine</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>aucune limite</translation>
    </message>
    <message>
        <source>all</source>
        <translation>toutes</translation>
    </message>
    <message>
        <source>all in memory</source>
        <translation>tout en mémoire</translation>
    </message>
    <message>
        <source>the file&apos;s name</source>
        <translation>le nom du fichier</translation>
    </message>
    <message>
        <source>How often each setting is preferred, by votes, against its seconds of inference</source>
        <translation>Combien de fois chaque réglage est préféré, selon les votes, face à ses secondes d&apos;inférence</translation>
    </message>
    <message>
        <source>Flicker</source>
        <translation>Scintillement</translation>
    </message>
    <message>
        <source>How far a pixel&apos;s brightness is from the mean of the frames before and after it, in levels of 255: the median over the picture. What moves does not count while it covers less than half of it.</source>
        <translation>L&apos;écart entre la luminosité d&apos;un pixel et la moyenne des images d&apos;avant et d&apos;après, en niveaux de 255 : la médiane sur l&apos;image. Ce qui bouge ne compte pas tant qu&apos;il en couvre moins de la moitié.</translation>
    </message>
    <message>
        <source>Sharpness</source>
        <translation>Netteté</translation>
    </message>
    <message>
        <source>How much neighbouring pixels differ, in levels of 255: the standard deviation of the Laplacian of the brightness. More is sharper, but noise counts as detail, too; compare videos of one scene.</source>
        <translation>À quel point les pixels voisins diffèrent, en niveaux de 255 : l&apos;écart type du laplacien de la luminosité. Plus, c&apos;est plus net, mais le bruit compte aussi comme détail ; comparez des vidéos d&apos;une même scène.</translation>
    </message>
    <message>
        <source>PSNR in dB</source>
        <translation>PSNR en dB</translation>
    </message>
    <message>
        <source>How near the pixels are to those of the baseline with the same scene and seed: 20 is another picture, 40 hardly to be told apart. Equal videos count as 100.</source>
        <translation>La proximité des pixels avec ceux de la référence de même scène et même graine : 20 est une autre image, 40 se distingue à peine. Des vidéos égales comptent pour 100.</translation>
    </message>
    <message>
        <source>SSIM</source>
        <translation>SSIM</translation>
    </message>
    <message>
        <source>How near the structure is to that of the baseline with the same scene and seed: 1 for equal videos. Near is not better: it says how much a setting changes.</source>
        <translation>La proximité de la structure avec celle de la référence de même scène et même graine : 1 pour des vidéos égales. Plus proche n&apos;est pas meilleur : cela dit combien un réglage change.</translation>
    </message>
    <message>
        <source>there is no shot {}</source>
        <translation>il n’y a pas de plan {}</translation>
    </message>
    <message>
        <source>Name one of the shots</source>
        <translation>Nommez l’un des plans</translation>
    </message>
    <message>
        <source>a film has at least one shot</source>
        <translation>un film a au moins un plan</translation>
    </message>
    <message>
        <source>Add another shot first</source>
        <translation>Ajoutez d’abord un autre plan</translation>
    </message>
    <message>
        <source>{} refuses the kernel {}: {}</source>
        <translation>{} refuse le noyau {} : {}</translation>
    </message>
    <message>
        <source>Update the GPU driver; Vulkan&apos;s shaders compute meanwhile</source>
        <translation>Mettez à jour le pilote du GPU ; en attendant, les shaders de Vulkan calculent</translation>
    </message>
    <message>
        <source>the GPU driver has no function {}</source>
        <translation>le pilote du GPU n&apos;a pas de fonction {}</translation>
    </message>
    <message>
        <source>its compute capability is {}.{}, and {}.0 is needed</source>
        <translation>sa capacité de calcul est {}.{}, et {}.0 est nécessaire</translation>
    </message>
    <message>
        <source>Vulkan&apos;s error {}, although libcuda.so.1 takes its text</source>
        <translation>erreur {} de Vulkan, bien que libcuda.so.1 accepte le texte</translation>
    </message>
    <message>
        <source>its first use did not end within {} s</source>
        <translation>sa première utilisation n&apos;a pas fini en {} s</translation>
    </message>
    <message>
        <source>its first use crashed (signal {})</source>
        <translation>sa première utilisation a planté (signal {})</translation>
    </message>
    <message>
        <source>its first use crashed (signal {}): {}</source>
        <translation>sa première utilisation a planté (signal {}) : {}</translation>
    </message>
    <message>
        <source>it ended the program that tried it (exit code {})</source>
        <translation>elle a mis fin au programme qui l&apos;essayait (code {})</translation>
    </message>
    <message>
        <source>no kernel is called {}</source>
        <translation>aucun noyau ne s&apos;appelle {}</translation>
    </message>
    <message>
        <source>{} {} is faster: {:.3g} against {:.3g} TFLOP/s</source>
        <translation>{} {} est plus rapide : {:.3g} contre {:.3g} TFLOP/s</translation>
    </message>
    <message>
        <source>{} does not compute the kernel &quot;{}&quot; in the form {}; another form does: {}</source>
        <translation>{} ne calcule pas le noyau « {} » sous la forme {} ; une autre forme le fait : {}</translation>
    </message>
    <message>
        <source>fits, streamed</source>
        <translation>convient, lu du disque</translation>
    </message>
    <message>
        <source>needs {}</source>
        <translation>demande {}</translation>
    </message>
    <message>
        <source>disk too small</source>
        <translation>disque trop petit</translation>
    </message>
    <message>
        <source>Rating compares the videos of two runs or more</source>
        <translation>L&apos;évaluation compare les vidéos d&apos;au moins deux exécutions</translation>
    </message>
    <message>
        <source>Choose further finished runs</source>
        <translation>Choisissez d&apos;autres exécutions terminées</translation>
    </message>
    <message>
        <source>These runs differ in no setting that changes their pictures, except the seed</source>
        <translation>Ces exécutions ne diffèrent par aucun réglage qui change leurs images, sauf la graine</translation>
    </message>
    <message>
        <source>Choose runs of other settings, such as steps, scheduler or model</source>
        <translation>Choisissez des exécutions d&apos;autres réglages, comme les pas, l&apos;ordonnanceur ou le modèle</translation>
    </message>
    <message>
        <source>These runs have {} settings, and {} can be rated at once</source>
        <translation>Ces exécutions ont {} réglages, et {} peuvent être évalués à la fois</translation>
    </message>
    <message>
        <source>Choose fewer runs</source>
        <translation>Choisissez moins d&apos;exécutions</translation>
    </message>
    <message>
        <source>These settings are {} groups that nobody has compared with one another: shares and places count within a group</source>
        <translation>Ces réglages forment {} groupes que personne n&apos;a comparés entre eux : parts et places valent au sein d&apos;un groupe</translation>
    </message>
    <message>
        <source>The votes cannot be read: {}</source>
        <translation>Les votes ne peuvent pas être lus : {}</translation>
    </message>
    <message>
        <source>it has no version</source>
        <translation>il n&apos;a pas de version</translation>
    </message>
    <message>
        <source>&quot;votes&quot; is no list</source>
        <translation>« votes » n&apos;est pas une liste</translation>
    </message>
    <message>
        <source>no side is called &quot;{}&quot;</source>
        <translation>aucun côté ne s&apos;appelle « {} »</translation>
    </message>
    <message>
        <source>Another program is writing votes, and does not end</source>
        <translation>Un autre programme écrit des votes et ne se termine pas</translation>
    </message>
    <message>
        <source>Vote again when it is done</source>
        <translation>Votez à nouveau quand il aura fini</translation>
    </message>
    <message>
        <source>This run has no video</source>
        <translation>Cette exécution n&apos;a pas de vidéo</translation>
    </message>
    <message>
        <source>Resume it, or choose another one</source>
        <translation>Reprenez-la ou choisissez-en une autre</translation>
    </message>
    <message>
        <source>Nobody has voted on the videos of these runs</source>
        <translation>Personne n&apos;a voté sur les vidéos de ces exécutions</translation>
    </message>
    <message>
        <source>Compare them in pairs with Rate, in the Studio</source>
        <translation>Comparez-les par paires avec Évaluer, dans le Studio</translation>
    </message>
    <message>
        <source>None of these runs is finished: their seconds are not known</source>
        <translation>Aucune de ces exécutions n&apos;est terminée : leurs secondes ne sont pas connues</translation>
    </message>
    <message>
        <source>Resume the runs</source>
        <translation>Reprenez les exécutions</translation>
    </message>
    <message>
        <source>Install the program again, or put it into PATH</source>
        <translation>Réinstallez le programme ou ajoutez-le à PATH</translation>
    </message>
    <message>
        <source>its first use was ended from outside (signal {})</source>
        <translation>sa première utilisation a été interrompue de l&apos;extérieur (signal {})</translation>
    </message>
    <message>
        <source>the rest</source>
        <translation>le reste</translation>
    </message>
    <message>
        <source>A video that begins with `image`, of which points are carried along `tracks`.</source>
        <translation>Une vidéo qui commence par `image`, dont des points sont portés le long de `tracks`.</translation>
    </message>
    <message>
        <source>`video` changed as the prompt says, or a video of what `reference_images` show, or both in one.</source>
        <translation>`video` modifiée comme le dit le prompt, ou une vidéo de ce que montrent `reference_images`, ou les deux en une.</translation>
    </message>
    <message>
        <source>A video that moves as the control `video` does (depth, edges, poses), and may begin with `image` and show what `reference_images` does.</source>
        <translation>Une vidéo qui bouge comme la vidéo de contrôle `video` (profondeur, contours, poses), et qui peut commencer par `image` et montrer ce que montre `reference_images`.</translation>
    </message>
    <message>
        <source>Video, picture or drawing that is white where VACE makes something new, or Animate puts the character, and black where the video stays; VACE makes all new without it.</source>
        <translation>Vidéo, image ou dessin, blanc là où VACE crée du nouveau, ou là où Animate place le personnage, et noir là où la vidéo reste&#xa0;; sans lui, VACE refait tout.</translation>
    </message>
    <message>
        <source>Picture files, separated by commas, of what VACE, Phantom, Bernini-R or Fun Control should show; Phantom takes one to four, each of one subject, and Fun Control one.</source>
        <translation>Fichiers d’images, séparés par des virgules, de ce que VACE, Phantom, Bernini-R ou Fun Control doit montrer ; Phantom en prend une à quatre, chacune d’un sujet, et Fun Control une.</translation>
    </message>
    <message>
        <source>Size of references</source>
        <translation>Taille des références</translation>
    </message>
    <message>
        <source>Bernini-R sees reference_images in their own shape: larger ones are shrunk until their longer side is this long. Fewer pixels are fewer tokens in each step.</source>
        <translation>Bernini-R voit reference_images dans leur propre forme : les plus grandes sont réduites jusqu&apos;à ce que leur plus long côté ait cette longueur. Moins de pixels, c&apos;est moins de tokens à chaque étape.</translation>
    </message>
    <message>
        <source>File of the tracks along which ATI and Wan-Move move points of image: a drawing of the Studio; JSON, a list of tracks, each a list of {&quot;x&quot;: 416, &quot;y&quot;: 240} in pixels of the video, as ComfyUI&apos;s spline editors write it; or NumPy&apos;s .npy of [points, tracks, 2]. For ATI 121 points span the video, for Wan-Move each point is a frame&apos;s; a track of fewer ends earlier.</source>
        <translation>Fichier des trajectoires le long desquelles ATI et Wan-Move déplacent des points de image : un dessin du Studio ; du JSON, une liste de trajectoires, chacune une liste de {&quot;x&quot;: 416, &quot;y&quot;: 240} en pixels de la vidéo, comme l’écrivent les éditeurs de splines de ComfyUI ; ou un .npy de NumPy de [points, trajectoires, 2]. Pour ATI, 121 points couvrent la vidéo ; pour Wan-Move, chaque point est celui d’une image ; une trajectoire qui en a moins finit plus tôt.</translation>
    </message>
    <message>
        <source>Track visibility</source>
        <translation>Visibilité des trajectoires</translation>
    </message>
    <message>
        <source>NumPy&apos;s .npy of [points, tracks]: 1 where the points of tracks are in sight, else 0; without it all are.</source>
        <translation>Fichier .npy de NumPy de [points, trajectoires] : 1 là où les points de tracks sont visibles, sinon 0 ; sans lui, tous le sont.</translation>
    </message>
    <message>
        <source>Wildcard files</source>
        <translation>Fichiers de wildcards</translation>
    </message>
    <message>
        <source>Folder with text files for prompts: __colour__ stands for a line of colour.txt, which the seed draws. What it does not hold is looked up in the user&apos;s own folder of wildcards.</source>
        <translation>Dossier de fichiers texte pour les prompts : __colour__ désigne une ligne de colour.txt, tirée par la graine. Ce qu’il ne contient pas est cherché dans le dossier de wildcards de l’utilisateur.</translation>
    </message>
    <message>
        <source>Guidance by the video</source>
        <translation>Guidage par la vidéo</translation>
    </message>
    <message>
        <source>How strongly Bernini-R follows video where reference_images are given, too (its own program: 1.25). 1 turns this off and saves one of a step&apos;s four passes.</source>
        <translation>Force avec laquelle Bernini-R suit video là où reference_images sont aussi données (son programme : 1.25). 1 désactive ce guidage et économise une des quatre passes d&apos;une étape.</translation>
    </message>
    <message>
        <source>When the devices outnumber the heads, or keys and values of the whole sequence do not fit.</source>
        <translation>Quand il y a plus d’appareils que de têtes, ou que les clés et valeurs de toute la séquence ne tiennent pas en mémoire.</translation>
    </message>
    <message>
        <source>From three devices on: the least traffic; equal work where the devices divide the heads.</source>
        <translation>À partir de trois appareils : le moins de trafic ; un travail égal là où les appareils divisent les têtes.</translation>
    </message>
    <message>
        <source>The tensor axis must leave a device at least as many heads as the context axis has devices.</source>
        <translation>L’axe de tenseur doit laisser à un appareil au moins autant de têtes que l’axe de contexte a d’appareils.</translation>
    </message>
    <message>
        <source>The tensor axis must leave a device at least as many heads as the context axis has devices; heads_per_tile must be 1.</source>
        <translation>L’axe de tenseur doit laisser à un appareil au moins autant de têtes que l’axe de contexte a d’appareils ; heads_per_tile doit valoir 1.</translation>
    </message>
    <message>
        <source>ulysses_shards must divide the context axis and be at most the heads that the tensor axis leaves to a device.</source>
        <translation>ulysses_shards doit diviser l’axe de contexte et ne pas dépasser les têtes que l’axe de tenseur laisse à un appareil.</translation>
    </message>
    <message>
        <source>ulysses_shards must divide the context axis and be at most the heads that the tensor axis leaves to a device; heads_per_tile must be 1.</source>
        <translation>ulysses_shards doit diviser l’axe de contexte et ne pas dépasser les têtes que l’axe de tenseur laisse à un appareil ; heads_per_tile doit valoir 1.</translation>
    </message>
    <message>
        <source>Wan 2.1 Bernini-R, editing</source>
        <translation>Wan 2.1 Bernini-R, édition</translation>
    </message>
    <message>
        <source>Wan 2.1 Wan-Move, image to video along tracks</source>
        <translation>Wan 2.1 Wan-Move, image vers vidéo le long de trajectoires</translation>
    </message>
    <message>
        <source>Wan 2.1 Fun Control</source>
        <translation>Wan 2.1 Fun Control</translation>
    </message>
    <message>
        <source>Wan 2.2 Bernini-R, editing, two experts</source>
        <translation>Wan 2.2 Bernini-R, édition, deux experts</translation>
    </message>
    <message>
        <source>Wan 2.2 Fun Control, two experts</source>
        <translation>Wan 2.2 Fun Control, deux experts</translation>
    </message>
    <message>
        <source>Wan 2.2 Fun Control, 5B</source>
        <translation>Wan 2.2 Fun Control, 5B</translation>
    </message>
    <message>
        <source>Image to video with Wan-Move</source>
        <translation>Image vers vidéo avec Wan-Move</translation>
    </message>
    <message>
        <source>Editing with Bernini-R</source>
        <translation>Édition avec Bernini-R</translation>
    </message>
    <message>
        <source>Control video to video</source>
        <translation>Vidéo de contrôle vers vidéo</translation>
    </message>
    <message>
        <source>Fun Control V1.1, control video to video</source>
        <translation>Fun Control V1.1, vidéo de contrôle vers vidéo</translation>
    </message>
    <message>
        <source>Fun Control, control video to video</source>
        <translation>Fun Control, vidéo de contrôle vers vidéo</translation>
    </message>
    <message>
        <source>Fun Control, control video to video, one of the two experts</source>
        <translation>Fun Control, vidéo de contrôle vers vidéo, l’un des deux experts</translation>
    </message>
    <message>
        <source>this machine&apos;s own limits, which every other group measures too</source>
        <translation>les limites de cette machine, que tout autre groupe mesure aussi</translation>
    </message>
    <message>
        <source>the linear layers of the 1.3B, 5B and 14B transformers</source>
        <translation>les couches linéaires des transformeurs 1.3B, 5B et 14B</translation>
    </message>
    <message>
        <source>layers of the 14B transformer in int8 against bf16</source>
        <translation>des couches du transformeur 14B en int8 contre bf16</translation>
    </message>
    <message>
        <source>the linear layers against the product that OpenBLAS or oneDNN computes for them</source>
        <translation>les couches linéaires contre le produit que calcule OpenBLAS ou oneDNN</translation>
    </message>
    <message>
        <source>custom and flash attention, 12 heads of 128</source>
        <translation>les attentions custom et flash, 12 têtes de 128</translation>
    </message>
    <message>
        <source>norms, rotary embedding, activations</source>
        <translation>normes, plongement rotatif, activations</translation>
    </message>
    <message>
        <source>one forward pass of a transformer of random weights</source>
        <translation>une passe d’un transformeur aux poids aléatoires</translation>
    </message>
    <message>
        <source>decoding with the Wan 2.1 VAE</source>
        <translation>décodage avec le VAE de Wan 2.1</translation>
    </message>
    <message>
        <source>encoding with four layers of UMT5-XXL</source>
        <translation>encodage avec quatre couches de UMT5-XXL</translation>
    </message>
    <message>
        <source>the transformer on meshes of devices</source>
        <translation>le transformeur sur des maillages d’appareils</translation>
    </message>
    <message>
        <source>the transformer on 1, 2, 4, 8 and 16 workers, and as 2 and 16 devices</source>
        <translation>le transformeur sur 1, 2, 4, 8 et 16 threads, et comme 2 et 16 appareils</translation>
    </message>
    <message>
        <source>writing 10,000 steps of 128 devices into a run folder</source>
        <translation>l’écriture de 10 000 étapes de 128 appareils dans un dossier d’exécution</translation>
    </message>
    <message>
        <source>everything that a video is made of on the CPU, which takes minutes</source>
        <translation>tout ce dont une vidéo est faite sur le processeur, ce qui prend des minutes</translation>
    </message>
    <message>
        <source>a GPU: its peaks, linear layers, attention, the 1.3B transformer</source>
        <translation>un GPU : ses pics, les couches linéaires, l’attention, le transformeur 1.3B</translation>
    </message>
    <message>
        <source>trigger words: {}</source>
        <translation>mots déclencheurs : {}</translation>
    </message>
    <message>
        <source>most frequent in its captions: {}</source>
        <translation>les plus fréquents dans ses légendes : {}</translation>
    </message>
    <message>
        <source>one of the two experts of Wan 2.2 Fun Control, without the other</source>
        <translation>l’un des deux experts de Wan 2.2 Fun Control, sans l’autre</translation>
    </message>
    <message>
        <source>a model that takes a reference picture (ref_conv) and no control video</source>
        <translation>un modèle qui prend une image de référence (ref_conv) et pas de vidéo de contrôle</translation>
    </message>
    <message>
        <source>the transformer takes a reference of {} channels (in_dim_ref_conv), and the VAE has {} (z_dim)</source>
        <translation>le transformer prend une référence de {} canaux (in_dim_ref_conv), et le VAE en a {} (z_dim)</translation>
    </message>
    <message>
        <source>Use transformer and VAE of the same model</source>
        <translation>Utilisez le transformeur et le VAE du même modèle</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is no address of http or https</source>
        <translation>« {} » n’est pas une adresse http ou https</translation>
    </message>
    <message>
        <source>Write one such as {}</source>
        <translation>Écrivez-en une comme {}</translation>
    </message>
    <message>
        <source>the address has more than a path</source>
        <translation>l’adresse contient plus qu’un chemin</translation>
    </message>
    <message>
        <source>Write it without &quot;?&quot; and &quot;#&quot;</source>
        <translation>Écrivez-la sans « ? » ni « # »</translation>
    </message>
    <message>
        <source>the address has a name or password in it</source>
        <translation>l’adresse contient un nom ou un mot de passe</translation>
    </message>
    <message>
        <source>Write the address alone, and what the server asks for as its key</source>
        <translation>Écrivez l’adresse seule, et ce que demande le serveur comme clé</translation>
    </message>
    <message>
        <source>the key would go over http, where others can read it</source>
        <translation>la clé passerait par http, où d’autres peuvent la lire</translation>
    </message>
    <message>
        <source>Write an address of https, or leave the key out</source>
        <translation>Écrivez une adresse https, ou retirez la clé</translation>
    </message>
    <message>
        <source>nobody answers at {} ({})</source>
        <translation>personne ne répond à {} ({})</translation>
    </message>
    <message>
        <source>Start the server (ollama serve, llama-server), or correct its address</source>
        <translation>Démarrez le serveur (ollama serve, llama-server), ou corrigez son adresse</translation>
    </message>
    <message>
        <source>{} gave no whole answer within {} seconds ({})</source>
        <translation>{} n’a pas donné de réponse complète en {} secondes ({})</translation>
    </message>
    <message>
        <source>Ask again once it has loaded its model, or choose a smaller one</source>
        <translation>Demandez à nouveau quand il aura chargé son modèle, ou choisissez-en un plus petit</translation>
    </message>
    <message>
        <source>{} cannot be asked ({})</source>
        <translation>{} ne peut pas être interrogé ({})</translation>
    </message>
    <message>
        <source>Correct its address, or the proxy in https_proxy</source>
        <translation>Corrigez son adresse, ou le proxy dans https_proxy</translation>
    </message>
    <message>
        <source>{} leads elsewhere (HTTP {})</source>
        <translation>{} renvoie ailleurs (HTTP {})</translation>
    </message>
    <message>
        <source>Write the address that it leads to</source>
        <translation>Écrivez l’adresse vers laquelle il renvoie</translation>
    </message>
    <message>
        <source>{} refuses the key (HTTP {})</source>
        <translation>{} refuse la clé (HTTP {})</translation>
    </message>
    <message>
        <source>Write the key that it asks for</source>
        <translation>Écrivez la clé qu’il demande</translation>
    </message>
    <message>
        <source>Write another key</source>
        <translation>Écrivez une autre clé</translation>
    </message>
    <message>
        <source>{} has no such model or address (HTTP 404): {}</source>
        <translation>{} n’a ni ce modèle ni cette adresse (HTTP 404) : {}</translation>
    </message>
    <message>
        <source>Correct the model&apos;s name, or the address</source>
        <translation>Corrigez le nom du modèle, ou l’adresse</translation>
    </message>
    <message>
        <source>{} does not rewrite the prompt (HTTP {}): {}</source>
        <translation>{} ne réécrit pas le prompt (HTTP {}) : {}</translation>
    </message>
    <message>
        <source>Ask again later, or look into the server&apos;s log</source>
        <translation>Demandez à nouveau plus tard, ou regardez le journal du serveur</translation>
    </message>
    <message>
        <source>Correct model and address, or look into the server&apos;s log</source>
        <translation>Corrigez le modèle et l’adresse, ou regardez le journal du serveur</translation>
    </message>
    <message>
        <source>the answer of {} holds no prompt ({})</source>
        <translation>la réponse de {} ne contient pas de prompt ({})</translation>
    </message>
    <message>
        <source>Check that its address is one of OpenAI&apos;s chat completions</source>
        <translation>Vérifiez que son adresse est celle de « chat completions » d’OpenAI</translation>
    </message>
    <message>
        <source>it has no choices</source>
        <translation>elle n’a pas de « choices »</translation>
    </message>
    <message>
        <source>its message is no text</source>
        <translation>son « message » n’est pas un texte</translation>
    </message>
    <message>
        <source>the file is a link, or another user&apos;s</source>
        <translation>le fichier est un lien, ou appartient à un autre utilisateur</translation>
    </message>
    <message>
        <source>Remove it, and set the prompt helper again</source>
        <translation>Supprimez-le, et réglez à nouveau l’aide au prompt</translation>
    </message>
    <message>
        <source>the settings cannot be kept ({})</source>
        <translation>les réglages ne peuvent pas être conservés ({})</translation>
    </message>
    <message>
        <source>Set XDG_CONFIG_HOME to a folder that you may write to</source>
        <translation>Réglez XDG_CONFIG_HOME sur un dossier où vous pouvez écrire</translation>
    </message>
    <message>
        <source>the answer of {} has no end</source>
        <translation>la réponse de {} n’a pas de fin</translation>
    </message>
    <message>
        <source>the answer of {} is longer than {} bytes</source>
        <translation>la réponse de {} dépasse {} octets</translation>
    </message>
    <message>
        <source>Ask again, or choose another model</source>
        <translation>Demandez à nouveau, ou choisissez un autre modèle</translation>
    </message>
    <message>
        <source>the answer of {} is empty, or ends while it thinks</source>
        <translation>la réponse de {} est vide, ou s’arrête pendant la réflexion</translation>
    </message>
    <message>
        <source>{} ({}) sees all of video at once, and context windows see parts of what is made of it</source>
        <translation>{} ({}) voit toute la vidéo à la fois, et les fenêtres de contexte voient des parties de ce qui en est fait</translation>
    </message>
    <message>
        <source>Write 0, and edit the clip in parts</source>
        <translation>Écrivez 0, et éditez le clip en plusieurs parties</translation>
    </message>
    <message>
        <source>{} ({}) gives every context window its own part of the control video, which the first frame&apos;s would take the place of</source>
        <translation>{} ({}) donne à chaque fenêtre de contexte sa propre partie de la vidéo de contrôle, dont celle de la première image prendrait la place</translation>
    </message>
    <message>
        <source>this model takes no reference picture (its transformer has no ref_conv)</source>
        <translation>ce modèle ne prend pas d’image de référence (son transformer n’a pas de ref_conv)</translation>
    </message>
    <message>
        <source>Remove the line, or use Fun Control V1.1 or 2.2</source>
        <translation>Supprimez la ligne, ou utilisez Fun Control V1.1 ou 2.2</translation>
    </message>
    <message>
        <source>{} names {} pictures, and {} ({}) takes one</source>
        <translation>{} nomme {} images, et {} ({}) en prend une</translation>
    </message>
    <message>
        <source>with image {} ({}) makes {} frames at least</source>
        <translation>avec image, {} ({}) fait au moins {} images</translation>
    </message>
    <message>
        <source>{} is for {}, and {} ({}) has none of them</source>
        <translation>{} sert à {}, et {} ({}) n&apos;en a pas</translation>
    </message>
    <message>
        <source>Remove the line, or use such a model with its inputs</source>
        <translation>Retirez la ligne, ou utilisez un tel modèle avec ses entrées</translation>
    </message>
    <message>
        <source>reference_images of Phantom and Bernini-R</source>
        <translation>reference_images de Phantom et de Bernini-R</translation>
    </message>
    <message>
        <source>a video with reference_images of Bernini-R</source>
        <translation>une vidéo avec reference_images de Bernini-R</translation>
    </message>
    <message>
        <source>reference_images of Bernini-R</source>
        <translation>reference_images de Bernini-R</translation>
    </message>
    <message>
        <source>{} names {} pictures, and {} takes {} at most</source>
        <translation>{} nomme {} images, et {} en prend {} au plus</translation>
    </message>
    <message>
        <source>the {} makes up the negative prompt&apos;s prediction, and guidance by pictures needs others beside it</source>
        <translation>le {} devine la prédiction du prompt négatif, et le guidage par images en demande d&apos;autres à côté</translation>
    </message>
    <message>
        <source>the {} decides by the prompt&apos;s pass, and with tracks guidance makes another one behind it</source>
        <translation>le {} décide dans la passe du prompt, et avec des trajectoires le guidage en fait une autre après elle</translation>
    </message>
    <message>
        <source>Write false, or guidance_scale: 1</source>
        <translation>Écrire false, ou guidance_scale: 1</translation>
    </message>
    <message>
        <source>{} ({}) needs video, reference_images or both</source>
        <translation>{} ({}) exige video, reference_images ou les deux</translation>
    </message>
    <message>
        <source>Name a file: {}: PATH, or write t2v for a video from the prompt alone</source>
        <translation>Nommez un fichier : {}: PATH, ou écrivez t2v pour une vidéo faite du prompt seul</translation>
    </message>
    <message>
        <source>{} heads are fewer than the {} devices of the context axis</source>
        <translation>{} têtes sont moins que les {} appareils de l’axe de contexte</translation>
    </message>
    <message>
        <source>{} does not exchange {} heads between {} devices</source>
        <translation>{} n’échange pas {} têtes entre {} appareils</translation>
    </message>
    <message>
        <source>Heads are uneven: of {} heads over {} devices one has {}</source>
        <translation>Les têtes sont inégales : de {} têtes sur {} appareils, un en a {}</translation>
    </message>
    <message>
        <source>The heads are uneven: {} over {} devices, of which one has {}, so attention reaches {:.0f} % of the speed of an even split</source>
        <translation>Les têtes sont inégales : {} sur {} appareils, dont un en a {} ; l’attention atteint ainsi {:.0f} % de la vitesse d’un partage égal</translation>
    </message>
    <message>
        <source>it is no card of NVIDIA</source>
        <translation>ce n’est pas une carte de NVIDIA</translation>
    </message>
    <message>
        <source>{} does not know the card</source>
        <translation>{} ne connaît pas la carte</translation>
    </message>
    <message>
        <source>the device does not open with {}: {}</source>
        <translation>l’appareil ne s’ouvre pas avec {} : {}</translation>
    </message>
    <message>
        <source>what GPUs exchange goes through a buffer of each and the host&apos;s memory</source>
        <translation>ce que les GPU échangent passe par un tampon de chacun et la mémoire de l’hôte</translation>
    </message>
    <message>
        <source>keys go from GPU to GPU through memory of the host that all of them copy from and to</source>
        <translation>les clés vont de GPU en GPU par une mémoire de l’hôte que tous lisent et écrivent</translation>
    </message>
    <message>
        <source>keys go from GPU to GPU by NVIDIA&apos;s driver</source>
        <translation>les clés vont de GPU en GPU par le pilote de NVIDIA</translation>
    </message>
    <message>
        <source>a process ended while it measured it; tuning asks again</source>
        <translation>un processus s’est terminé pendant qu’il le mesurait ; un nouveau réglage redemande</translation>
    </message>
    <message>
        <source>{}; by {}: {}</source>
        <translation>{} ; par {} : {}</translation>
    </message>
    <message>
        <source>its driver gives no descriptors of memory and semaphores</source>
        <translation>son pilote ne donne pas de descripteurs de mémoire et de sémaphores</translation>
    </message>
    <message>
        <source>there is no real GPU to measure</source>
        <translation>il n’y a pas de vrai GPU à mesurer</translation>
    </message>
    <message>
        <source>meshreel devices lists in a terminal those that there are; --gpus 0 measures the first, even if it is a driver in software</source>
        <translation>meshreel devices liste ceux qui existent ; --gpus 0 mesure le premier, même si c’est un pilote logiciel</translation>
    </message>
    <message>
        <source>there is no row &apos;{}&apos; in this group</source>
        <translation>il n’y a pas de ligne « {} » dans ce groupe</translation>
    </message>
    <message>
        <source>Measure the whole group once: it prints the names of its rows</source>
        <translation>Mesurez une fois tout le groupe : il donne les noms de ses lignes</translation>
    </message>
    <message>
        <source>Mend the file, or draw it again in the Studio</source>
        <translation>Corrigez le fichier, ou redessinez-le dans le Studio</translation>
    </message>
    <message>
        <source>{} has no names and values</source>
        <translation>{} n’a ni noms ni valeurs</translation>
    </message>
    <message>
        <source>{}: &quot;{}&quot; is no number from {} to {}</source>
        <translation>{}&#xa0;: «&#xa0;{}&#xa0;» n’est pas un nombre de {} à {}</translation>
    </message>
    <message>
        <source>{}: &quot;{}&quot; is no whole number</source>
        <translation>{}&#xa0;: «&#xa0;{}&#xa0;» n’est pas un nombre entier</translation>
    </message>
    <message>
        <source>{}: &quot;{}&quot; is neither true nor false</source>
        <translation>{}&#xa0;: «&#xa0;{}&#xa0;» n’est ni true ni false</translation>
    </message>
    <message>
        <source>{}: &quot;{}&quot; is none of {}</source>
        <translation>{}&#xa0;: «&#xa0;{}&#xa0;» n’est aucun de {}</translation>
    </message>
    <message>
        <source>{}: &quot;{}&quot; is no list of {} to {}</source>
        <translation>{}&#xa0;: «&#xa0;{}&#xa0;» n’est pas une liste de {} à {}</translation>
    </message>
    <message>
        <source>{}: point {} is no place of two numbers, [x, y]</source>
        <translation>{}&#xa0;: le point {} n’est pas un endroit de deux nombres, [x, y]</translation>
    </message>
    <message>
        <source>{}: drawings have no &quot;{:.80}&quot;</source>
        <translation>{}&#xa0;: les dessins n’ont pas de «&#xa0;{:.80}&#xa0;»</translation>
    </message>
    <message>
        <source>{}: &quot;{}&quot; is missing</source>
        <translation>{}&#xa0;: «&#xa0;{}&#xa0;» manque</translation>
    </message>
    <message>
        <source>{}: its frame is not behind the one before</source>
        <translation>{}&#xa0;: son image n’est pas après la précédente</translation>
    </message>
    <message>
        <source>shape {}</source>
        <translation>forme {}</translation>
    </message>
    <message>
        <source>shape {}, keyframe {}</source>
        <translation>forme {}, image clé {}</translation>
    </message>
    <message>
        <source>track {}</source>
        <translation>trajectoire {}</translation>
    </message>
    <message>
        <source>track {}, keyframe {}</source>
        <translation>trajectoire {}, image clé {}</translation>
    </message>
    <message>
        <source>this drawing is of {}, and one of {} is wanted</source>
        <translation>ce dessin est de type {}, et il en faut un de type {}</translation>
    </message>
    <message>
        <source>Name it at {}, or draw another one here</source>
        <translation>Nommez-le à {}, ou dessinez-en un autre ici</translation>
    </message>
    <message>
        <source>the drawing</source>
        <translation>le dessin</translation>
    </message>
    <message>
        <source>nothing is drawn in it</source>
        <translation>rien n’y est dessiné</translation>
    </message>
    <message>
        <source>Draw a shape in the Studio, or choose another file</source>
        <translation>Dessinez une forme dans le Studio, ou choisissez un autre fichier</translation>
    </message>
    <message>
        <source>the shapes of this drawing have too many points for a picture of {} x {}</source>
        <translation>les formes de ce dessin ont trop de points pour une image de {} x {}</translation>
    </message>
    <message>
        <source>Draw fewer or shorter strokes</source>
        <translation>Dessinez moins de traits, ou de plus courts</translation>
    </message>
    <message>
        <source>the file cannot be read</source>
        <translation>le fichier ne peut pas être lu</translation>
    </message>
    <message>
        <source>the picture is no PNG</source>
        <translation>l’image n’est pas un PNG</translation>
    </message>
    <message>
        <source>Use Fun Control with a control video, or ATI or Wan-Move with tracks</source>
        <translation>Utilisez Fun Control avec une vidéo de contrôle, ou ATI ou Wan-Move avec des trajectoires</translation>
    </message>
    <message>
        <source>Use Wan 2.2 Animate with pose_video and face_video</source>
        <translation>Utilisez Wan 2.2 Animate avec pose_video et face_video</translation>
    </message>
    <message>
        <source>Use Phantom or VACE with reference_images</source>
        <translation>Utilisez Phantom ou VACE avec reference_images</translation>
    </message>
    <message>
        <source>Use VACE with video and mask</source>
        <translation>Utilisez VACE avec video et mask</translation>
    </message>
    <message>
        <source>LingBot-World or Matrix-Game 3</source>
        <translation>LingBot-World ou Matrix-Game 3</translation>
    </message>
    <message>
        <source>{} of Fun Control, A14B</source>
        <translation>{}, Fun Control, A14B</translation>
    </message>
    <message>
        <source>Fun Control, of no released size</source>
        <translation>Fun Control, de taille non publiée</translation>
    </message>
    <message>
        <source>Wan-Move was trained with tracks of points (tracks); without them the video is made from the image and the prompt alone</source>
        <translation>Wan-Move a été entraîné avec des trajectoires de points (tracks) ; sans elles, la vidéo est faite de l’image et du prompt seuls</translation>
    </message>
    <message>
        <source>Bernini-R was trained with a video to edit (video) and pictures to show (reference_images); without them the video is made from the prompt alone</source>
        <translation>Bernini-R a été entraîné avec une vidéo à éditer (video) et des images à montrer (reference_images) ; sans elles, la vidéo est faite d&apos;après le prompt seul</translation>
    </message>
    <message>
        <source>A reference picture is one frame, and patches have {}</source>
        <translation>Une image de référence est une seule image, et les patchs en ont {}</translation>
    </message>
    <message>
        <source>Seed {} draws: {}</source>
        <translation>La graine {} tire : {}</translation>
    </message>
    <message>
        <source>Each run draws by its own seed, for example: {}</source>
        <translation>Chaque exécution tire avec sa propre graine, par exemple : {}</translation>
    </message>
    <message>
        <source>Exchange heads between devices that divide them, use tokamax_ring, or plan for a program that shares heads out unevenly</source>
        <translation>Échangez les têtes entre des appareils qui les divisent, utilisez tokamax_ring, ou planifiez pour un programme qui partage les têtes inégalement</translation>
    </message>
    <message>
        <source>ulysses_shards {} is more than the {}</source>
        <translation>ulysses_shards {} dépasse {}</translation>
    </message>
    <message>
        <source>{} with attention_sharding_uniform: false needs a head for each of the {} devices of the context axis, and there are {}</source>
        <translation>{} avec attention_sharding_uniform: false exige une tête pour chacun des {} appareils de l’axe de contexte, et il y a {}</translation>
    </message>
    <message>
        <source>Use true, or a context axis of at most {}</source>
        <translation>Utilisez true, ou un axe de contexte d’au plus {}</translation>
    </message>
    <message>
        <source>{} needs a head for each of the {} devices of the context axis, and there are {}</source>
        <translation>{} exige une tête pour chacun des {} appareils de l’axe de contexte, et il y a {}</translation>
    </message>
    <message>
        <source>Use {} with ulysses_shards: {}, a context axis of at most {}, or tokamax_ring, which takes any number of heads</source>
        <translation>Utilisez {} avec ulysses_shards: {}, un axe de contexte d’au plus {}, ou tokamax_ring, qui accepte tout nombre de têtes</translation>
    </message>
    <message>
        <source>{}: {}: drawn for {} frames at {} a second, and taken by time for {} at {}</source>
        <translation>{} : {} : dessiné pour {} images à {} par seconde, et pris selon le temps pour {} à {}</translation>
    </message>
    <message>
        <source>Keyframes keep their seconds. Open the drawing to move them, and save it for the new length</source>
        <translation>Les images clés gardent leurs secondes. Ouvrez le dessin pour les déplacer, et enregistrez-le pour la nouvelle durée</translation>
    </message>
    <message>
        <source>{}: {}: drawn on {} x {}, and scaled to {} x {}</source>
        <translation>{}&#xa0;: {}&#xa0;: dessiné sur {} x {}, et redimensionné à {} x {}</translation>
    </message>
    <message>
        <source>Open the drawing and save it to keep it in the new size</source>
        <translation>Ouvrez le dessin et enregistrez-le pour le garder à la nouvelle taille</translation>
    </message>
    <message>
        <source>{} is set, and {} is a drawing, whose tracks say themselves where they end</source>
        <translation>{} est défini, et {} est un dessin dont les trajectoires disent elles-mêmes où elles finissent</translation>
    </message>
    <message>
        <source>Leave {} empty; in a drawing, &quot;leaves&quot; puts a point out of sight behind its last keyframe</source>
        <translation>Laissez {} vide ; dans un dessin, « leaves » cache un point après sa dernière image clé</translation>
    </message>
    <message>
        <source>Write it with numpy.save, as float32 or bool</source>
        <translation>L’écrire avec numpy.save, en float32 ou bool</translation>
    </message>
    <message>
        <source>this is not a whole array of NumPy</source>
        <translation>ce n’est pas un tableau NumPy complet</translation>
    </message>
    <message>
        <source>the array is of a type that is not read</source>
        <translation>le tableau est d’un type qui n’est pas lu</translation>
    </message>
    <message>
        <source>the array is in Fortran&apos;s order</source>
        <translation>le tableau est dans l’ordre de Fortran</translation>
    </message>
    <message>
        <source>the array has no shape</source>
        <translation>le tableau n’a pas de forme</translation>
    </message>
    <message>
        <source>This is no look</source>
        <translation>Ce n’est pas un look</translation>
    </message>
    <message>
        <source>Begin with {}: {}</source>
        <translation>Commencez par {} : {}</translation>
    </message>
    <message>
        <source>A later version of Meshreel wrote this look</source>
        <translation>Une version ultérieure de Meshreel a écrit ce look</translation>
    </message>
    <message>
        <source>Use it with that version</source>
        <translation>Utilisez-le avec cette version</translation>
    </message>
    <message>
        <source>A look has no key {}</source>
        <translation>Un look n’a pas de clé {}</translation>
    </message>
    <message>
        <source>It has {}, {}, {} and {}</source>
        <translation>Il a {}, {}, {} et {}</translation>
    </message>
    <message>
        <source>The values of a look are no map of keys</source>
        <translation>Les valeurs d’un look ne sont pas une table de clés</translation>
    </message>
    <message>
        <source>Write one key and its value on a line, indented below values</source>
        <translation>Écrivez une clé et sa valeur par ligne, en retrait sous values</translation>
    </message>
    <message>
        <source>A look does not set {}</source>
        <translation>Un look ne règle pas {}</translation>
    </message>
    <message>
        <source>Remove it: a look says how videos look, not of what they are made</source>
        <translation>Retirez-la : un look dit à quoi ressemblent les vidéos, pas de quoi elles sont faites</translation>
    </message>
    <message>
        <source>The prompt of a look is no style</source>
        <translation>Le prompt d’un look n’est pas un style</translation>
    </message>
    <message>
        <source>Write {} where the prompt of the project goes</source>
        <translation>Écrivez {} là où va le prompt du projet</translation>
    </message>
    <message>
        <source>The style of a look repeats the prompt</source>
        <translation>Le style d’un look répète le prompt</translation>
    </message>
    <message>
        <source>Write {} at most {} times</source>
        <translation>Écrivez {} au plus {} fois</translation>
    </message>
    <message>
        <source>A look names adapters by a path</source>
        <translation>Un look désigne des adaptateurs par un chemin</translation>
    </message>
    <message>
        <source>Write the name that the file has in the folder &quot;loras&quot; of the models folder</source>
        <translation>Écrivez le nom du fichier dans le dossier « loras » du dossier des modèles</translation>
    </message>
    <message>
        <source>the picture holds no look</source>
        <translation>l’image ne contient pas de look</translation>
    </message>
    <message>
        <source>Choose a picture that was saved as a look: some programs and sites drop it</source>
        <translation>Choisissez une image enregistrée comme look : certains programmes et sites le suppriment</translation>
    </message>
    <message>
        <source>{} names {}, lines of which would become words of the prompt</source>
        <translation>{} désigne {}, dont des lignes deviendraient des mots du prompt</translation>
    </message>
    <message>
        <source>the four passes of guidance</source>
        <translation>les quatre passes du guidage</translation>
    </message>
    <message>
        <source>The table is not UTF-8</source>
        <translation>La table n’est pas en UTF-8</translation>
    </message>
    <message>
        <source>Save it as CSV in UTF-8</source>
        <translation>Enregistrez-la en CSV, en UTF-8</translation>
    </message>
    <message>
        <source>Write a field for each column, those with commas or quotes in quotes</source>
        <translation>Écrivez un champ par colonne, entre guillemets s’il contient des virgules ou des guillemets</translation>
    </message>
    <message>
        <source>The table has no row below its keys</source>
        <translation>La table n’a pas de ligne sous ses clés</translation>
    </message>
    <message>
        <source>Write a run on each line below them</source>
        <translation>Écrivez une exécution sur chaque ligne en dessous</translation>
    </message>
    <message>
        <source>The table has more than {} rows, the most that are run</source>
        <translation>La table a plus de {} lignes, le maximum exécuté</translation>
    </message>
    <message>
        <source>Make several tables of it</source>
        <translation>Faites-en plusieurs tables</translation>
    </message>
    <message>
        <source>Column {} names no key</source>
        <translation>La colonne {} ne nomme aucune clé</translation>
    </message>
    <message>
        <source>Write the name of a key, such as prompt or seed</source>
        <translation>Écrivez le nom d’une clé, comme prompt ou seed</translation>
    </message>
    <message>
        <source>Two columns are called {}</source>
        <translation>Deux colonnes s’appellent {}</translation>
    </message>
    <message>
        <source>The project makes its batch_prompts, and no prompt of a table</source>
        <translation>Le projet produit ses batch_prompts, et aucun prompt d’un tableau</translation>
    </message>
    <message>
        <source>Clear batch_prompts, or call the column batch_prompts</source>
        <translation>Videz batch_prompts, ou nommez la colonne batch_prompts</translation>
    </message>
    <message>
        <source>The table is empty</source>
        <translation>La table est vide</translation>
    </message>
    <message>
        <source>Begin with a row of keys, such as prompt,seed</source>
        <translation>Commencez par une ligne de clés, comme prompt,seed</translation>
    </message>
    <message>
        <source>There is no key &quot;{:.80}&quot; for a column of the table</source>
        <translation>Il n’y a pas de clé « {:.80} » pour une colonne de la table</translation>
    </message>
    <message>
        <source>this is a file of PyTorch, and tracks are read from JSON and .npy</source>
        <translation>c’est un fichier de PyTorch, et les trajectoires sont lues de JSON et de .npy</translation>
    </message>
    <message>
        <source>the array is of shape [{}], and tracks are [points, tracks, 2]</source>
        <translation>le tableau est de forme [{}], et des trajectoires sont [points, trajectoires, 2]</translation>
    </message>
    <message>
        <source>the array is of shape [{}], and what is in sight is [points, tracks]</source>
        <translation>le tableau est de forme [{}], et ce qui est visible est [points, trajectoires]</translation>
    </message>
    <message>
        <source>Write 1 where a track&apos;s point is in sight, else 0</source>
        <translation>Écrire 1 là où le point d’une trajectoire est visible, sinon 0</translation>
    </message>
    <message>
        <source>Draw a track in the Studio, or leave tracks empty</source>
        <translation>Dessinez une trajectoire dans le Studio, ou laissez tracks vide</translation>
    </message>
    <message>
        <source>it is of {} points of {} tracks, and tracks has {} points of {} tracks</source>
        <translation>il est pour {} points de {} trajectoires, et tracks a {} points de {} trajectoires</translation>
    </message>
    <message>
        <source>Give the file that belongs to tracks</source>
        <translation>Donner le fichier qui va avec tracks</translation>
    </message>
    <message>
        <source>{} is not UTF-8</source>
        <translation>{} n’est pas en UTF-8</translation>
    </message>
    <message>
        <source>Save it as UTF-8</source>
        <translation>Enregistrez-le en UTF-8</translation>
    </message>
    <message>
        <source>line {} of {} has {} bytes, and a line has {} at most</source>
        <translation>la ligne {} de {} a {} octets, et une ligne en a {} au plus</translation>
    </message>
    <message>
        <source>{} holds no line that can be drawn</source>
        <translation>{} ne contient aucune ligne à tirer</translation>
    </message>
    <message>
        <source>Write something into it, a line for each possibility</source>
        <translation>Écrivez-y quelque chose, une ligne par possibilité</translation>
    </message>
    <message>
        <source>the prompts lead to more than {} files</source>
        <translation>les prompts mènent à plus de {} fichiers</translation>
    </message>
    <message>
        <source>Use fewer wildcards</source>
        <translation>Utilisez moins de wildcards</translation>
    </message>
    <message>
        <source>{} leads out of its folder</source>
        <translation>{} mène hors de son dossier</translation>
    </message>
    <message>
        <source>Put the file itself there, not a link</source>
        <translation>Placez-y le fichier lui-même, pas un lien</translation>
    </message>
    <message>
        <source>the files that the prompts lead to have more than {}</source>
        <translation>les fichiers auxquels mènent les prompts font plus de {}</translation>
    </message>
    <message>
        <source>Use fewer wildcards, or smaller files</source>
        <translation>Utilisez moins de wildcards, ou des fichiers plus petits</translation>
    </message>
    <message>
        <source>the wildcard __{}__ leads back to itself: {}</source>
        <translation>la wildcard __{}__ revient à elle-même : {}</translation>
    </message>
    <message>
        <source>Take it out of one of these files</source>
        <translation>Retirez-la de l’un de ces fichiers</translation>
    </message>
    <message>
        <source>the wildcard __{}__ cannot be used: {}</source>
        <translation>la wildcard __{}__ ne peut pas être utilisée : {}</translation>
    </message>
    <message>
        <source>there is no file {} for the wildcard __{}__ in {}</source>
        <translation>il n’y a pas de fichier {} pour la wildcard __{}__ dans {}</translation>
    </message>
    <message>
        <source>{} (a line of __{}__ names it)</source>
        <translation>{} (une ligne de __{}__ la nomme)</translation>
    </message>
    <message>
        <source>Put the file there, with a line for each possibility, or set wildcards to its folder</source>
        <translation>Placez-y le fichier, avec une ligne par possibilité, ou réglez wildcards sur son dossier</translation>
    </message>
    <message>
        <source>alternatives in a line name the wildcard __{}__, which has no usable file {}</source>
        <translation>des alternatives d’une ligne nomment le joker __{}__, qui n’a pas de fichier {} utilisable</translation>
    </message>
    <message>
        <source>Put the file there, or correct the line</source>
        <translation>Placez-y le fichier, ou corrigez la ligne</translation>
    </message>
    <message>
        <source>the wildcard __{}__ leads back to itself</source>
        <translation>le joker __{}__ renvoie à lui-même</translation>
    </message>
    <message>
        <source>Take it out of the lines and alternatives that it leads to</source>
        <translation>Retirez-le des lignes et des alternatives auxquelles il mène</translation>
    </message>
    <message>
        <source>the wildcards make the prompt longer than {} bytes, or need more than {} draws</source>
        <translation>les wildcards rendent le prompt plus long que {} octets, ou demandent plus de {} tirages</translation>
    </message>
    <message>
        <source>Use fewer wildcards, or shorter lines</source>
        <translation>Utilisez moins de wildcards, ou des lignes plus courtes</translation>
    </message>
    <message>
        <source>Wildcards: &quot;{}&quot; became &quot;{}&quot;</source>
        <translation>Wildcards : « {} » est devenu « {} »</translation>
    </message>
    <message>
        <source>How strongly Phantom and Bernini-R follow reference_images; guidance_scale says how strongly they follow the prompt (their own programs: 7.5 and 4; pictures 5 and 4.5). For Phantom 1 or less turns this off and saves one of a step&apos;s passes, for Bernini-R 1; with video only where guidance_scale_video is 1, too.</source>
        <translation>Force avec laquelle Phantom et Bernini-R suivent reference_images ; guidance_scale dit avec quelle force ils suivent le prompt (leurs programmes : 7.5 et 4 ; images 5 et 4.5). Pour Phantom, 1 ou moins désactive ce guidage et économise une des passes d&apos;une étape, pour Bernini-R, 1 ; avec video, seulement là où guidance_scale_video vaut 1 aussi.</translation>
    </message>
    <message>
        <source>Write false, or guidance_scale_video: 1 and guidance_scale_image: 1</source>
        <translation>Écrivez false, ou guidance_scale_video: 1 et guidance_scale_image: 1</translation>
    </message>
    <message>
        <source>the {} decides by the prompt&apos;s pass, and guidance by pictures makes passes behind it that see less</source>
        <translation>le {} décide d&apos;après la passe du prompt, et le guidage par images fait après elle des passes qui voient moins</translation>
    </message>
    <message>
        <source>the card is for one process at a time (nvidia-smi changes that)</source>
        <translation>la carte n’accepte qu’un processus à la fois (nvidia-smi change cela)</translation>
    </message>
    <message>
        <source>the card is closed to processes (nvidia-smi changes that)</source>
        <translation>la carte est fermée aux processus (nvidia-smi change cela)</translation>
    </message>
    <message>
        <source>{} imports no memory of the host&apos;s</source>
        <translation>{} n’importe pas de mémoire de l’hôte</translation>
    </message>
    <message>
        <source>{} does not take this memory of the host&apos;s</source>
        <translation>{} n’accepte pas cette mémoire de l’hôte</translation>
    </message>
    <message>
        <source>a copy from {} to {} brings other numbers</source>
        <translation>une copie de {} vers {} apporte d’autres nombres</translation>
    </message>
    <message>
        <source>{} exchanges numbers in the way {}, not as planned: {}</source>
        <translation>{} échange des nombres par la voie {}, non comme prévu : {}</translation>
    </message>
    <message>
        <source>The kept measurements cannot be read</source>
        <translation>Les mesures conservées ne peuvent pas être lues</translation>
    </message>
    <message>
        <source>Remove the file: the next measurement begins another</source>
        <translation>Supprimez le fichier : la prochaine mesure en commence un autre</translation>
    </message>
    <message>
        <source>Another program is writing the kept measurements, and does not end</source>
        <translation>Un autre programme écrit les mesures conservées et ne se termine pas</translation>
    </message>
    <message>
        <source>These rows were measured on {}, and the project&apos;s GPU is {}</source>
        <translation>Ces lignes ont été mesurées sur {}, et le GPU du projet est {}</translation>
    </message>
    <message>
        <source>Choose that GPU to repeat them, or run the group on this one</source>
        <translation>Choisissez ce GPU pour les répéter, ou mesurez le groupe sur l&apos;actuel</translation>
    </message>
    <message>
        <source>Sound encoder</source>
        <translation>Encodeur de son</translation>
    </message>
    <message>
        <source>File or folder of the sound encoder (wav2vec 2.0, XLSR-53) of speech-to-video models. Empty takes the model&apos;s own.</source>
        <translation>Fichier ou dossier de l’encodeur de son (wav2vec 2.0, XLSR-53) des modèles parole vers vidéo. Vide : celui du modèle.</translation>
    </message>
    <message>
        <source>The character of `image` moves as somebody in `video` does, by Wan Animate-2.</source>
        <translation>Le personnage de `image` bouge comme quelqu’un dans `video`, avec Wan Animate-2.</translation>
    </message>
    <message>
        <source>Somebody whom `image` shows says or sings what `speech` has; `pose_video` may lead the body.</source>
        <translation>La personne que montre `image` dit ou chante ce que contient `speech` ; `pose_video` peut guider le corps.</translation>
    </message>
    <message>
        <source>Video, picture or folder of numbered pictures that is made again or edited, that controls Fun Control (depth, edges, poses), or whose motion Animate-2 takes; its first num_frames at the rate of fps are taken.</source>
        <translation>Vidéo, image ou dossier d’images numérotées qui est refaite ou modifiée, qui commande Fun Control (profondeur, contours, poses), ou dont Animate-2 reprend le mouvement ; ses num_frames premières images à la cadence fps sont prises.</translation>
    </message>
    <message>
        <source>Video or folder of numbered pictures of the poses that the character of image takes, as preprocessing for Wan Animate draws them; S2V does without.</source>
        <translation>Vidéo ou dossier d’images numérotées des poses que prend le personnage de image, telles que les dessine le prétraitement de Wan Animate ; S2V s’en passe.</translation>
    </message>
    <message>
        <source>Speech</source>
        <translation>Parole</translation>
    </message>
    <message>
        <source>Sound file, or video with sound, that the person of image says or sings.</source>
        <translation>Fichier de son, ou vidéo avec du son, que la personne de image dit ou chante.</translation>
    </message>
    <message>
        <source>Sound strength</source>
        <translation>Force du son</translation>
    </message>
    <message>
        <source>How strongly the sound of speech moves the lips: 1 as S2V was made, more where guidance is off.</source>
        <translation>Avec quelle force le son de speech anime les lèvres : 1 comme S2V a été conçu, davantage sans guidage.</translation>
    </message>
    <message>
        <source>As long as the speech</source>
        <translation>Aussi long que la parole</translation>
    </message>
    <message>
        <source>The video lasts as long as the sound of speech, up to 3 frames more, in place of num_frames.</source>
        <translation>La vidéo dure autant que le son de speech, jusqu’à 3 images de plus, au lieu de num_frames.</translation>
    </message>
    <message>
        <source>Keys of the driving video</source>
        <translation>Clés de la vidéo de mouvement</translation>
    </message>
    <message>
        <source>How every step comes by what Animate-2 attends to in its video.</source>
        <translation>Comment chaque étape obtient ce à quoi Animate-2 prête attention dans sa vidéo.</translation>
    </message>
    <message>
        <source>The first of the others that memory has room for.</source>
        <translation>Le premier des autres pour lequel la mémoire suffit.</translation>
    </message>
    <message>
        <source>Kept in memory as they were computed: the fastest.</source>
        <translation>Gardées en mémoire telles qu’elles ont été calculées : le plus rapide.</translation>
    </message>
    <message>
        <source>Kept in memory in 8 bits with a scale for each head of each token: half the memory or less.</source>
        <translation>Gardées en mémoire sur 8 bits avec une échelle pour chaque tête de chaque jeton : la moitié de la mémoire ou moins.</translation>
    </message>
    <message>
        <source>Computed again in every pass, which takes about twice as long and the least memory.</source>
        <translation>Recalculées à chaque passe : environ deux fois plus long, avec le moins de mémoire.</translation>
    </message>
    <message>
        <source>Sparse attention</source>
        <translation>Attention clairsemée</translation>
    </message>
    <message>
        <source>Lets self-attention leave blocks of tokens out, which saves most of the time of long videos; approximate.</source>
        <translation>Fait omettre des blocs de tokens à l’auto-attention, ce qui épargne l’essentiel du temps des longues vidéos&#xa0;; approximatif.</translation>
    </message>
    <message>
        <source>Every token attends to every token.</source>
        <translation>Chaque token prête attention à tous.</translation>
    </message>
    <message>
        <source>Sol-Attn: exactly to the blocks whose mean scores highest, to the means of the others; approximate.</source>
        <translation>Sol-Attn&#xa0;: exactement aux blocs dont la moyenne a le plus haut score, aux moyennes des autres&#xa0;; approximatif.</translation>
    </message>
    <message>
        <source>Radial attention: to fewer and fewer tokens of frames further away; approximate.</source>
        <translation>Radial Attention&#xa0;: à de moins en moins de tokens des images plus éloignées&#xa0;; approximatif.</translation>
    </message>
    <message>
        <source>Sparse VideoGen: each head to what is near in space, or near in time; approximate.</source>
        <translation>Sparse VideoGen&#xa0;: chaque tête à ce qui est proche dans l’espace ou dans le temps&#xa0;; approximatif.</translation>
    </message>
    <message>
        <source>Sparse from</source>
        <translation>Clairsemée à partir de</translation>
    </message>
    <message>
        <source>Share of the steps, at their beginning, in which attention is dense.</source>
        <translation>Part des premières étapes où l’attention est dense.</translation>
    </message>
    <message>
        <source>Sparse until</source>
        <translation>Clairsemée jusqu’à</translation>
    </message>
    <message>
        <source>Share of the steps after which attention is dense again.</source>
        <translation>Part des étapes après laquelle l’attention est de nouveau dense.</translation>
    </message>
    <message>
        <source>Dense layers</source>
        <translation>Couches denses</translation>
    </message>
    <message>
        <source>Transformer blocks that always attend densely, counted from 0 and separated by commas.</source>
        <translation>Blocs du transformeur dont l’attention est toujours dense, comptés à partir de 0 et séparés par des virgules.</translation>
    </message>
    <message>
        <source>Sparse from length</source>
        <translation>Clairsemée dès la longueur</translation>
    </message>
    <message>
        <source>Sequences shorter than this attend densely.</source>
        <translation>L’attention des séquences plus courtes est dense.</translation>
    </message>
    <message>
        <source>Sol threshold</source>
        <translation>Seuil de Sol</translation>
    </message>
    <message>
        <source>sol keeps blocks whose score is above the mean by this many standard deviations: more keeps fewer.</source>
        <translation>sol garde les blocs dont le score dépasse la moyenne d’autant d’écarts-types&#xa0;: plus en garde moins.</translation>
    </message>
    <message>
        <source>Radial decay</source>
        <translation>Décroissance de radial</translation>
    </message>
    <message>
        <source>Factor of radial&apos;s windows of frames that are two or more apart: less keeps fewer tokens.</source>
        <translation>Facteur des fenêtres de radial pour les images distantes d’au moins deux&#xa0;: moins garde moins de tokens.</translation>
    </message>
    <message>
        <source>SVG density</source>
        <translation>Densité de SVG</translation>
    </message>
    <message>
        <source>Share of the pairs of tokens that svg&apos;s band keeps; of a model with one expert.</source>
        <translation>Part des paires de tokens que garde la bande de svg&#xa0;; d’un modèle à un expert.</translation>
    </message>
    <message>
        <source>SVG density, high noise</source>
        <translation>Densité de SVG, bruit fort</translation>
    </message>
    <message>
        <source>The same for the steps of Wan 2.2&apos;s high-noise expert.</source>
        <translation>De même pour les étapes de l’expert à bruit fort de Wan 2.2.</translation>
    </message>
    <message>
        <source>SVG density, low noise</source>
        <translation>Densité de SVG, bruit faible</translation>
    </message>
    <message>
        <source>The same for the steps of Wan 2.2&apos;s low-noise expert.</source>
        <translation>De même pour les étapes de l’expert à bruit faible de Wan 2.2.</translation>
    </message>
    <message>
        <source>SVG sample</source>
        <translation>Échantillon de SVG</translation>
    </message>
    <message>
        <source>Queries by which svg chooses between space and time, for each head in each step.</source>
        <translation>Requêtes d’après lesquelles svg choisit entre espace et temps, pour chaque tête à chaque étape.</translation>
    </message>
    <message>
        <source>queries</source>
        <translation>requêtes</translation>
    </message>
    <message>
        <source>SVG sample from</source>
        <translation>Échantillon de SVG parmi</translation>
    </message>
    <message>
        <source>The first tokens, among which svg draws its queries.</source>
        <translation>Les premiers tokens, parmi lesquels svg tire ses requêtes.</translation>
    </message>
    <message>
        <source>SVG sample&apos;s seed</source>
        <translation>Seed de l’échantillon SVG</translation>
    </message>
    <message>
        <source>Seed by which svg draws its queries.</source>
        <translation>Seed avec lequel svg tire ses requêtes.</translation>
    </message>
    <message>
        <source>SVG keeps first frame</source>
        <translation>SVG garde la première image</translation>
    </message>
    <message>
        <source>Every token attends to the first tokens in svg&apos;s order, as many as a frame has.</source>
        <translation>Chaque token prête attention aux premiers dans l’ordre de svg, autant qu’une image en a.</translation>
    </message>
    <message>
        <source>keep puts the sound of speech or video (of Animate face_video or pose_video) under the result, as long as both play at one speed; none leaves it out; a file gives its own. MP4 and WebM hold sound.</source>
        <translation>keep met le son de speech ou de video (pour Animate, de face_video ou pose_video) sous le résultat, tant que les deux défilent à la même vitesse ; none l’omet ; un fichier donne le sien. MP4 et WebM contiennent du son.</translation>
    </message>
    <message>
        <source>Frames, times</source>
        <translation>Images, fois</translation>
    </message>
    <message>
        <source>Makes a finished video beside the video, with so many times its frames a second; any factor. 1 makes no frames.</source>
        <translation>Fait, à côté de la vidéo, une vidéo finie avec autant de fois ses images par seconde ; tout facteur. 1 ne fait aucune image.</translation>
    </message>
    <message>
        <source>Frames by</source>
        <translation>Images par</translation>
    </message>
    <message>
        <source>Weights of RIFE 4.x, which makes the frames that interpolate asks for; blend mixes those beside.</source>
        <translation>Poids de RIFE 4.x, qui fait les images que demande interpolate ; blend mélange les voisines.</translation>
    </message>
    <message>
        <source>Size, times</source>
        <translation>Taille, fois</translation>
    </message>
    <message>
        <source>Makes a finished video beside the video, so many times as wide and high; any factor. 1 keeps the size.</source>
        <translation>Fait, à côté de la vidéo, une vidéo finie autant de fois plus large et plus haute ; tout facteur. 1 garde la taille.</translation>
    </message>
    <message>
        <source>Size by</source>
        <translation>Agrandissement par</translation>
    </message>
    <message>
        <source>Weights of a network of ESRGAN&apos;s kind, which upscale uses; lanczos, or nothing: a filter that adds no detail.</source>
        <translation>Poids d’un réseau du genre d’ESRGAN, qu’emploie upscale ; lanczos, ou rien : un filtre qui n’ajoute aucun détail.</translation>
    </message>
    <message>
        <source>Wan 2.2 Animate-2 in few steps</source>
        <translation>Wan 2.2 Animate-2 en peu d’étapes</translation>
    </message>
    <message>
        <source>Wan 2.2 Animate-2</source>
        <translation>Wan 2.2 Animate-2</translation>
    </message>
    <message>
        <source>Wan 2.2 speech to video</source>
        <translation>Wan 2.2 parole vers vidéo</translation>
    </message>
    <message>
        <source>Character animation by a video</source>
        <translation>Animation d’un personnage par une vidéo</translation>
    </message>
    <message>
        <source>Speech to video</source>
        <translation>Parole vers vidéo</translation>
    </message>
    <message>
        <source>speech to video</source>
        <translation>parole vers vidéo</translation>
    </message>
    <message>
        <source>sound encoder of the Wan 2.2 S2V model</source>
        <translation>encodeur audio du modèle Wan 2.2 S2V</translation>
    </message>
    <message>
        <source>smaller sound encoder</source>
        <translation>encodeur audio plus petit</translation>
    </message>
    <message>
        <source>block-sparse attention against dense attention of 12 heads of 128: seconds and error</source>
        <translation>attention clairsemée face à l’attention dense, 12 têtes de 128&#xa0;: secondes et erreur</translation>
    </message>
    <message>
        <source>networks for finished videos: RIFE 4.26, and ESRGAN&apos;s of 64 channels</source>
        <translation>réseaux pour vidéos terminées : RIFE 4.26 et ESRGAN à 64 canaux</translation>
    </message>
    <message>
        <source>a decoded sound</source>
        <translation>un son décodé</translation>
    </message>
    <message>
        <source>speech to video with what else the model has</source>
        <translation>parole vers vidéo avec ce que le modèle a d’autre</translation>
    </message>
    <message>
        <source>the transformer wants {} states of a sound of width {}, and the sound encoder gives {} of width {}</source>
        <translation>le transformer attend {} états d’un son de largeur {}, et l’encodeur de son en donne {} de largeur {}</translation>
    </message>
    <message>
        <source>Use wav2vec2-large-xlsr-53, which S2V was made with</source>
        <translation>Utilisez wav2vec2-large-xlsr-53, avec lequel S2V a été conçu</translation>
    </message>
    <message>
        <source>the sound encoder wav2vec 2.0 XLSR-53 (wav2vec2_large_english_fp16.safetensors, or the folder wav2vec2-large-xlsr-53-english of the model)</source>
        <translation>l’encodeur de son wav2vec 2.0 XLSR-53 (wav2vec2_large_english_fp16.safetensors, ou le dossier wav2vec2-large-xlsr-53-english du modèle)</translation>
    </message>
    <message>
        <source>{} ({}) makes a long clip in segments: every context window would need keys of its own of the driving video</source>
        <translation>{} ({}) fait un long clip par segments : chaque fenêtre de contexte aurait besoin de ses propres clés de la vidéo de mouvement</translation>
    </message>
    <message>
        <source>Write 0</source>
        <translation>Écrivez 0</translation>
    </message>
    <message>
        <source>{} ({}) makes a long video clip by clip, each after the one before</source>
        <translation>{} ({}) fait une longue vidéo clip après clip, chacun à la suite du précédent</translation>
    </message>
    <message>
        <source>a video that is finished is MP4 or WebM</source>
        <translation>une vidéo finie est en MP4 ou en WebM</translation>
    </message>
    <message>
        <source>Write video_format: mp4</source>
        <translation>Écrivez video_format: mp4</translation>
    </message>
    <message>
        <source>interpolate asks for new frames, and interpolator names nothing that makes them</source>
        <translation>interpolate demande de nouvelles images, et interpolator ne nomme rien qui les fasse</translation>
    </message>
    <message>
        <source>Name a file of RIFE, such as rife_v4.26.safetensors or flownet.pkl; or write blend to mix the frames beside</source>
        <translation>Nommez un fichier de RIFE, comme rife_v4.26.safetensors ou flownet.pkl ; ou écrivez blend pour mélanger les images voisines</translation>
    </message>
    <message>
        <source>a GPU has no {} kernel that leaves blocks out</source>
        <translation>un GPU n’a pas de noyau {} qui omette des blocs</translation>
    </message>
    <message>
        <source>Write none, or use the CPU (gpus: none)</source>
        <translation>Écrivez none, ou utilisez le CPU (gpus: none)</translation>
    </message>
    <message>
        <source>speech of S2V</source>
        <translation>speech de S2V</translation>
    </message>
    <message>
        <source>{} ({}) makes one video at a time</source>
        <translation>{} ({}) fait une vidéo à la fois</translation>
    </message>
    <message>
        <source>Leave it out, and make the others by runs of their own</source>
        <translation>Omettez-le, et faites les autres par des exécutions séparées</translation>
    </message>
    <message>
        <source>{} ({}) attends to a driving video as well, whose keys lie in no blocks that sparse_attention {} could leave out</source>
        <translation>{} ({}) prête aussi attention à une vidéo de mouvement, dont les clés ne sont dans aucun bloc que sparse_attention {} pourrait omettre</translation>
    </message>
    <message>
        <source>Write none</source>
        <translation>Écrivez none</translation>
    </message>
    <message>
        <source>the folder cannot be made ({})</source>
        <translation>le dossier ne peut pas être créé ({})</translation>
    </message>
    <message>
        <source>Choose another place for the video</source>
        <translation>Choisissez un autre emplacement pour la vidéo</translation>
    </message>
    <message>
        <source>another program makes this video</source>
        <translation>un autre programme fait cette vidéo</translation>
    </message>
    <message>
        <source>Wait until it is done, or choose another name</source>
        <translation>Attendez qu’il ait fini, ou choisissez un autre nom</translation>
    </message>
    <message>
        <source>the video is another than when the work was planned</source>
        <translation>la vidéo n’est plus celle du moment où le travail a été planifié</translation>
    </message>
    <message>
        <source>Begin again</source>
        <translation>Recommencez</translation>
    </message>
    <message>
        <source>this system&apos;s libavcodec cannot write {}</source>
        <translation>le libavcodec de ce système ne peut pas écrire {}</translation>
    </message>
    <message>
        <source>Choose a name that ends in {}</source>
        <translation>Choisissez un nom qui finit par {}</translation>
    </message>
    <message>
        <source>the video would take the place of the one that it is made of</source>
        <translation>la vidéo prendrait la place de celle dont elle est faite</translation>
    </message>
    <message>
        <source>Choose another name</source>
        <translation>Choisissez un autre nom</translation>
    </message>
    <message>
        <source>the factor {} is not between 1 and {}</source>
        <translation>le facteur {} n’est pas entre 1 et {}</translation>
    </message>
    <message>
        <source>Give a factor such as 2</source>
        <translation>Donnez un facteur, par exemple 2</translation>
    </message>
    <message>
        <source>it is no video: it does not say how many frames it shows a second</source>
        <translation>ce n’est pas une vidéo : elle ne dit pas combien d’images elle montre par seconde</translation>
    </message>
    <message>
        <source>Choose a video file, or a run with its video</source>
        <translation>Choisissez un fichier vidéo, ou une exécution avec sa vidéo</translation>
    </message>
    <message>
        <source>its frames are not evenly spaced in time</source>
        <translation>ses images ne sont pas régulièrement espacées dans le temps</translation>
    </message>
    <message>
        <source>Make its rate constant first: ffmpeg -i VIDEO -vf fps={} OUT</source>
        <translation>Rendez d’abord sa cadence constante : ffmpeg -i VIDEO -vf fps={} OUT</translation>
    </message>
    <message>
        <source>it has no frames</source>
        <translation>elle n’a pas d’images</translation>
    </message>
    <message>
        <source>Choose another video</source>
        <translation>Choisissez une autre vidéo</translation>
    </message>
    <message>
        <source>new frames need a network that makes them</source>
        <translation>de nouvelles images demandent un réseau qui les fasse</translation>
    </message>
    <message>
        <source>Name a file of RIFE, such as rife_v4.26.safetensors or flownet.pkl; or {} to mix the frames beside</source>
        <translation>Nommez un fichier de RIFE, comme rife_v4.26.safetensors ou flownet.pkl ; ou {} pour mélanger les images voisines</translation>
    </message>
    <message>
        <source>its size {}x{} is odd, which videos of {} do not have</source>
        <translation>sa taille {}x{} est impaire, ce que n’ont pas les vidéos {}</translation>
    </message>
    <message>
        <source>Enlarge it, too: upscale 2</source>
        <translation>Agrandissez-la aussi : upscale 2</translation>
    </message>
    <message>
        <source>No network was named: pictures are enlarged by the filter {}, which adds no detail</source>
        <translation>Aucun réseau n’est nommé : les images sont agrandies par le filtre {}, qui n’ajoute aucun détail</translation>
    </message>
    <message>
        <source>this network keeps the size</source>
        <translation>ce réseau garde la taille</translation>
    </message>
    <message>
        <source>Choose a network that enlarges, or {}</source>
        <translation>Choisissez un réseau qui agrandit, ou {}</translation>
    </message>
    <message>
        <source>The network enlarges {} times; {} makes {} times of it</source>
        <translation>Le réseau agrandit {} fois ; {} en fait {} fois</translation>
    </message>
    <message>
        <source>The smallest tiles take {}, more than the {} that were allowed</source>
        <translation>Les plus petites tuiles prennent {}, plus que les {} permis</translation>
    </message>
    <message>
        <source>Choose a name that ends in .mp4 or .webm</source>
        <translation>Choisissez un nom qui finit par .mp4 ou .webm</translation>
    </message>
    <message>
        <source>it has no sound</source>
        <translation>il n’a pas de son</translation>
    </message>
    <message>
        <source>Choose another sound file</source>
        <translation>Choisissez un autre fichier son</translation>
    </message>
    <message>
        <source>nothing was asked for</source>
        <translation>rien n’a été demandé</translation>
    </message>
    <message>
        <source>Ask for one of interpolate, upscale and audio</source>
        <translation>Demandez interpolate, upscale ou audio</translation>
    </message>
    <message>
        <source>it does not say how its sound is sampled</source>
        <translation>il ne dit pas comment son son est échantillonné</translation>
    </message>
    <message>
        <source>the part of the sound has no length</source>
        <translation>la partie du son n’a pas de durée</translation>
    </message>
    <message>
        <source>the sound ends before the part that is asked for</source>
        <translation>le son finit avant la partie demandée</translation>
    </message>
    <message>
        <source>Add the sound without trimming, fading or looping it, or choose another video format</source>
        <translation>Ajoutez le son sans le couper, le fondre ni le répéter, ou choisissez un autre format vidéo</translation>
    </message>
    <message>
        <source>the encoder {} refuses {} channels of {} samples a second ({})</source>
        <translation>l’encodeur {} refuse {} canaux de {} échantillons par seconde ({})</translation>
    </message>
    <message>
        <source>Choose MP4 or WebM</source>
        <translation>Choisissez MP4 ou WebM</translation>
    </message>
    <message>
        <source>its sound cannot be converted ({})</source>
        <translation>son son ne peut pas être converti ({})</translation>
    </message>
    <message>
        <source>Choose another sound, such as a WAV, MP3 or M4A file, or write this one again</source>
        <translation>Choisissez un autre son, par exemple un fichier WAV, MP3 ou M4A, ou réécrivez celui-ci</translation>
    </message>
    <message>
        <source>its sound changes from {} samples a second to {}</source>
        <translation>son son passe de {} échantillons par seconde à {}</translation>
    </message>
    <message>
        <source>this system&apos;s libavcodec cannot decode its sound ({})</source>
        <translation>le libavcodec de ce système ne peut pas décoder son son ({})</translation>
    </message>
    <message>
        <source>its sound ({}) cannot be decoded ({})</source>
        <translation>son son ({}) ne peut pas être décodé ({})</translation>
    </message>
    <message>
        <source>its sound cannot be read to the end</source>
        <translation>son son ne peut pas être lu jusqu’à la fin</translation>
    </message>
    <message>
        <source>the file has no sound</source>
        <translation>le fichier n’a pas de son</translation>
    </message>
    <message>
        <source>nothing of its sound ({}) can be decoded</source>
        <translation>rien de son son ({}) ne peut être décodé</translation>
    </message>
    <message>
        <source>the sound has {} samples, and the sound encoder needs at least {}</source>
        <translation>le son a {} échantillons, et l’encodeur de son en demande au moins {}</translation>
    </message>
    <message>
        <source>Choose a longer sound</source>
        <translation>Choisissez un son plus long</translation>
    </message>
    <message>
        <source>The norm {} is not supported</source>
        <translation>La norme {} n’est pas prise en charge</translation>
    </message>
    <message>
        <source>Supported are {} and {}</source>
        <translation>Sont pris en charge : {} et {}</translation>
    </message>
    <message>
        <source>{} channels cannot be shared out to {} groups</source>
        <translation>{} canaux ne peuvent pas être répartis en {} groupes</translation>
    </message>
    <message>
        <source>it has {} audio injectors, and behind which blocks they are is known for the released models only</source>
        <translation>il a {} injecteurs audio, et les blocs derrière lesquels ils se trouvent ne sont connus que pour les modèles publiés</translation>
    </message>
    <message>
        <source>Use Wan 2.2 S2V with image and speech</source>
        <translation>Utilisez Wan 2.2 S2V avec image et speech</translation>
    </message>
    <message>
        <source>character animation by a video (Animate-2), in few steps</source>
        <translation>animation d’un personnage par une vidéo (Animate-2), en peu d’étapes</translation>
    </message>
    <message>
        <source>character animation by a video (Animate-2)</source>
        <translation>animation d’un personnage par une vidéo (Animate-2)</translation>
    </message>
    <message>
        <source>two tensors of the file have one place in the network</source>
        <translation>deux tenseurs du fichier ont la même place dans le réseau</translation>
    </message>
    <message>
        <source>Get the file again from where it was published</source>
        <translation>Reprenez le fichier là où il a été publié</translation>
    </message>
    <message>
        <source>the network&apos;s tensor &apos;{}&apos; is missing</source>
        <translation>le tenseur « {} » du réseau manque</translation>
    </message>
    <message>
        <source>the network&apos;s tensor &apos;{}&apos; has the shape {}, not {}</source>
        <translation>le tenseur « {} » du réseau a la forme {}, et non {}</translation>
    </message>
    <message>
        <source>Use RIFE {}</source>
        <translation>Utilisez RIFE {}</translation>
    </message>
    <message>
        <source>this is FILM, which Meshreel does not compute</source>
        <translation>c’est FILM, que Meshreel ne calcule pas</translation>
    </message>
    <message>
        <source>this is no network that makes frames between two others</source>
        <translation>ce n’est pas un réseau qui fait des images entre deux autres</translation>
    </message>
    <message>
        <source>this is RIFE from before 4.5, which Meshreel does not compute</source>
        <translation>c’est RIFE d’avant 4.5, que Meshreel ne calcule pas</translation>
    </message>
    <message>
        <source>this form of RIFE is not among those that Meshreel computes, as 4.10 to 4.20 are not: {} blocks that take {} and make {} channels</source>
        <translation>cette forme de RIFE n’est pas de celles que Meshreel calcule, comme 4.10 à 4.20 : {} blocs qui prennent {} canaux et en font {}</translation>
    </message>
    <message>
        <source>Use a network of ESRGAN&apos;s or Real-ESRGAN&apos;s kind, such as 4x-UltraSharp, RealESRGAN_x2plus or realesr-general-x4v3</source>
        <translation>Utilisez un réseau du genre d’ESRGAN ou de Real-ESRGAN, comme 4x-UltraSharp, RealESRGAN_x2plus ou realesr-general-x4v3</translation>
    </message>
    <message>
        <source>its ends do not fit each other: {} channels go in, and {} convolutions are behind the blocks</source>
        <translation>ses bouts ne vont pas ensemble : {} canaux entrent, et {} convolutions suivent les blocs</translation>
    </message>
    <message>
        <source>the file does not say which activation the network has</source>
        <translation>le fichier ne dit pas quelle activation a le réseau</translation>
    </message>
    <message>
        <source>Use a network with PReLU, as realesr-general and realesr-animevideo have</source>
        <translation>Utilisez un réseau à PReLU, comme realesr-general et realesr-animevideo</translation>
    </message>
    <message>
        <source>its last convolution makes no squares of colours</source>
        <translation>sa dernière convolution ne fait pas de carrés de couleurs</translation>
    </message>
    <message>
        <source>this is no network of a kind that Meshreel enlarges pictures with</source>
        <translation>ce n’est pas un réseau d’un genre avec lequel Meshreel agrandit des images</translation>
    </message>
    <message>
        <source>the network has a layer that Meshreel does not compute (&apos;{}&apos;)</source>
        <translation>le réseau a une couche que Meshreel ne calcule pas (« {} »)</translation>
    </message>
    <message>
        <source>The variant {} was never released and is not supported</source>
        <translation>La variante {} n’a jamais été publiée et n’est pas prise en charge</translation>
    </message>
    <message>
        <source>Supported is {}</source>
        <translation>Est pris en charge : {}</translation>
    </message>
    <message>
        <source>The value is not a list of some of the {} blocks</source>
        <translation>La valeur n’est pas une liste de certains des {} blocs</translation>
    </message>
    <message>
        <source>The blocks do not ascend</source>
        <translation>Les blocs ne sont pas en ordre croissant</translation>
    </message>
    <message>
        <source>This variant was never released and is not supported</source>
        <translation>Cette variante n’a jamais été publiée et n’est pas prise en charge</translation>
    </message>
    <message>
        <source>{} videos of this transformer need the hidden states [{}, {}, {}, columns] of a sound, with {} columns for each latent frame, got {}</source>
        <translation>{} vidéos de ce transformer demandent les états cachés [{}, {}, {}, colonnes] d’un son, avec {} colonnes pour chaque image latente ; reçu {}</translation>
    </message>
    <message>
        <source>Use the sound encoder that belongs to the transformer</source>
        <translation>Utilisez l’encodeur de son qui va avec le transformer</translation>
    </message>
    <message>
        <source>a sound</source>
        <translation>un son</translation>
    </message>
    <message>
        <source>A driving video of latents {} does not go with latents {}, whose first frame shows the character</source>
        <translation>Une vidéo de mouvement de latents {} ne va pas avec des latents {}, dont la première image montre le personnage</translation>
    </message>
    <message>
        <source>Give it the size of the video, and a frame less</source>
        <translation>Lui donner la taille de la vidéo, et une image de moins</translation>
    </message>
    <message>
        <source>Latents of {} frames got the sound of {}</source>
        <translation>Des latents de {} images ont reçu le son de {}</translation>
    </message>
    <message>
        <source>Give {} columns of sound for each latent frame</source>
        <translation>Donnez {} colonnes de son pour chaque image latente</translation>
    </message>
    <message>
        <source>Sparse attention: {} % of the pairs of blocks were computed exactly</source>
        <translation>Attention clairsemée&#xa0;: {} % des paires de blocs ont été calculées exactement</translation>
    </message>
    <message>
        <source>{}; {} of {} hops of keys were left out</source>
        <translation>{}&#xa0;; {} des {} sauts de clés ont été omis</translation>
    </message>
    <message>
        <source>{}; what was compared differs from dense attention by {} (relative L2)</source>
        <translation>{}&#xa0;; ce qui a été comparé diffère de {} de l’attention dense (L2 relatif)</translation>
    </message>
    <message>
        <source>No tensor tells Animate-2 from image to video, and neither the model&apos;s name nor its configs say that it is Animate-2: of other weights {} makes nothing useful</source>
        <translation>Aucun tenseur ne distingue Animate-2 de l’image vers vidéo, et ni le nom du modèle ni ses configurations ne disent que c’est Animate-2 : avec d’autres poids, {} ne fait rien d’utile</translation>
    </message>
    <message>
        <source>{} leaves no blocks out, and sparse_attention is {}</source>
        <translation>{} n’omet pas de blocs, et sparse_attention vaut {}</translation>
    </message>
    <message>
        <source>Use attention: {}, or sparse_attention: none</source>
        <translation>Utilisez attention: {}, ou sparse_attention: none</translation>
    </message>
    <message>
        <source>Use sparse_attention: none</source>
        <translation>Utilisez sparse_attention: none</translation>
    </message>
    <message>
        <source>sparse_attention {} needs all keys of a head on one device, and {} spreads them over {}</source>
        <translation>sparse_attention {} exige toutes les clés d’une tête sur un appareil, et {} les répartit sur {}</translation>
    </message>
    <message>
        <source>Use attention: ulysses, or sparse_attention: sol or radial</source>
        <translation>Utilisez attention: ulysses, ou sparse_attention: sol ou radial</translation>
    </message>
    <message>
        <source>Use sparse_attention: sol or radial</source>
        <translation>Utilisez sparse_attention: sol ou radial</translation>
    </message>
    <message>
        <source>Sparse attention begins at {} of the steps and ends at {}: there is none</source>
        <translation>L’attention clairsemée commence à {} des étapes et finit à {}&#xa0;: il n’y en a pas</translation>
    </message>
    <message>
        <source>Write 1, or sparse_attention: none</source>
        <translation>Écrivez 1, ou sparse_attention: none</translation>
    </message>
    <message>
        <source>Name a sound file, such as WAV, MP3 or M4A, or a video with sound</source>
        <translation>Indiquez un fichier de son, par exemple WAV, MP3 ou M4A, ou une vidéo avec du son</translation>
    </message>
    <message>
        <source>flash_block_sizes are those of sparse attention, too</source>
        <translation>flash_block_sizes valent aussi pour l’attention clairsemée</translation>
    </message>
    <message>
        <source>sparse_start_percent and sparse_end_percent say which steps</source>
        <translation>sparse_start_percent et sparse_end_percent disent quelles étapes</translation>
    </message>
    <message>
        <source>sparse_dense_layers says which layers</source>
        <translation>sparse_dense_layers dit quelles couches</translation>
    </message>
    <message>
        <source>Write sparse_attention: svg</source>
        <translation>Écrivez sparse_attention: svg</translation>
    </message>
    <message>
        <source>Write the numbers of transformer blocks, from 0 on, separated by commas</source>
        <translation>Écrivez les numéros de blocs du transformeur, à partir de 0, séparés par des virgules</translation>
    </message>
    <message>
        <source>The queue has no list of runs</source>
        <translation>La file d’attente n’a pas de liste d’exécutions</translation>
    </message>
    <message>
        <source>the lock of the queue cannot be opened ({})</source>
        <translation>le verrou de la file d’attente ne peut pas être ouvert ({})</translation>
    </message>
    <message>
        <source>Check the path and its permissions</source>
        <translation>Vérifiez le chemin et ses droits</translation>
    </message>
    <message>
        <source>another program has held the queue for {} s</source>
        <translation>un autre programme retient la file d’attente depuis {} s</translation>
    </message>
    <message>
        <source>Close other programs that use the queue, or try again</source>
        <translation>Fermez les autres programmes qui utilisent la file d’attente, ou réessayez</translation>
    </message>
    <message>
        <source>the video was written in another format than it is finished in</source>
        <translation>la vidéo a été écrite dans un autre format que celui où elle est finie</translation>
    </message>
    <message>
        <source>Write video_format: webm</source>
        <translation>Écrivez video_format: webm</translation>
    </message>
    <message>
        <source>Finished video: {}</source>
        <translation>Vidéo finie : {}</translation>
    </message>
    <message>
        <source>The disk is mounted read-only: choose a folder on another one</source>
        <translation>Le disque est monté en lecture seule : choisissez un dossier sur un autre</translation>
    </message>
    <message>
        <source>Where a company&apos;s proxy reads the traffic, set SSL_CERT_FILE to a file with the certificate of its authority</source>
        <translation>Là où le proxy d’une entreprise lit le trafic, donnez à SSL_CERT_FILE un fichier avec le certificat de son autorité</translation>
    </message>
    <message>
        <source>the proxy between here and {} asks for a user and a password (HTTP 407)</source>
        <translation>le proxy entre ici et {} demande un utilisateur et un mot de passe (HTTP 407)</translation>
    </message>
    <message>
        <source>Write them into https_proxy: http://USER:PASSWORD@PROXY:PORT</source>
        <translation>Écrivez-les dans https_proxy : http://USER:PASSWORD@PROXY:PORT</translation>
    </message>
    <message>
        <source>The sound is compressed anew: {}</source>
        <translation>Le son est compressé à nouveau : {}</translation>
    </message>
    <message>
        <source>this JPEG has four colours (as for print) and does not say which</source>
        <translation>ce JPEG a quatre couleurs (comme pour l’impression) et ne dit pas lesquelles</translation>
    </message>
    <message>
        <source>Convert it to PNG or to a JPEG of red, green and blue</source>
        <translation>Convertissez-le en PNG ou en JPEG rouge, vert et bleu</translation>
    </message>
    <message>
        <source>Choose a part that it has</source>
        <translation>Choisissez une partie qu’il contient</translation>
    </message>
    <message>
        <source>its sound begins at {} seconds</source>
        <translation>son son commence à {} secondes</translation>
    </message>
    <message>
        <source>its sound changes its form on the way</source>
        <translation>son son change de forme en cours de route</translation>
    </message>
    <message>
        <source>Use a sound with one or two channels</source>
        <translation>Prenez un son à un ou deux canaux</translation>
    </message>
    <message>
        <source>The sound stays as it is ({}), and players of Apple and some editors play none of this kind in MP4: choose WebM, or a file whose sound is AAC.</source>
        <translation>Le son reste tel quel ({}), et les lecteurs d’Apple et certains logiciels de montage ne jouent pas ce genre en MP4 : choisissez WebM, ou un fichier au son AAC.</translation>
    </message>
    <message>
        <source>The colon behind {}, or the space after it, is that of another keyboard</source>
        <translation>Les deux-points après {}, ou l’espace qui les suit, viennent d’un autre clavier</translation>
    </message>
    <message>
        <source>Write {}: with an ASCII colon and a space behind it</source>
        <translation>Écrivez {}: avec des deux-points ASCII suivis d’une espace</translation>
    </message>
    <message>
        <source>this tensor of the adapter holds NaN or infinity</source>
        <translation>ce tenseur de l’adaptateur contient NaN ou l’infini</translation>
    </message>
    <message>
        <source>Its training failed: use an earlier file of it, or another adapter</source>
        <translation>Son entraînement a échoué : prenez un fichier antérieur ou un autre adaptateur</translation>
    </message>
    <message>
        <source>{} with a scale of its own kind ({})</source>
        <translation>{} avec une échelle d’un genre propre ({})</translation>
    </message>
    <message>
        <source>it holds two adapters: &apos;{}&apos; and &apos;{}&apos; are for the same layer</source>
        <translation>il contient deux adaptateurs : « {} » et « {} » visent la même couche</translation>
    </message>
    <message>
        <source>Save the one that you want into a file of its own</source>
        <translation>Enregistrez celui que vous voulez dans un fichier à part</translation>
    </message>
    <message>
        <source>its keys name layers of the transformer in a form that is not read</source>
        <translation>ses clés nomment des couches du transformer sous une forme qui n’est pas lue</translation>
    </message>
    <message>
        <source>Convert it to the keys of ComfyUI or PEFT, as its trainer describes</source>
        <translation>Convertissez-le aux clés de ComfyUI ou de PEFT, comme le décrit son outil d’entraînement</translation>
    </message>
    <message>
        <source>this is one of {} files, and of these are missing: {}</source>
        <translation>c’est l’un de {} fichiers, dont il manque : {}</translation>
    </message>
</context>
<context>
    <name>HostTexts</name>
    <message numerus="yes">
        <source>%n slot(s)</source>
        <comment>of a host, for ranks</comment>
        <translation>
            <numerusform>%n emplacement</numerusform>
            <numerusform>%n emplacements</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n host(s)</source>
        <translation>
            <numerusform>%n hôte</numerusform>
            <numerusform>%n hôtes</numerusform>
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
        <translation>Échange et attente</translation>
    </message>
    <message>
        <source>Seconds of denoising</source>
        <translation>Secondes de débruitage</translation>
    </message>
    <message>
        <source>Device %1</source>
        <translation>Appareil %1</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Étape</translation>
    </message>
    <message>
        <source>Seconds</source>
        <translation>Secondes</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Appareils</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>Vitesse</translation>
    </message>
    <message>
        <source>Perfect scaling</source>
        <translation>Accélération idéale</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>Chargement</translation>
    </message>
    <message>
        <source>Compile</source>
        <translation>Préparation</translation>
    </message>
    <message>
        <source>Conditioning</source>
        <translation>Conditionnement</translation>
    </message>
    <message>
        <source>Denoising</source>
        <translation>Débruitage</translation>
    </message>
    <message>
        <source>VAE decoding</source>
        <translation>Décodage VAE</translation>
    </message>
    <message>
        <source>Planned</source>
        <translation>Prévu</translation>
    </message>
    <message>
        <source>Held at most</source>
        <translation>Occupé au plus</translation>
    </message>
    <message>
        <source>%1 s</source>
        <comment>seconds</comment>
        <translation>%1&#xa0;s</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <comment>milliseconds</comment>
        <translation>%1&#xa0;ms</translation>
    </message>
    <message>
        <source>≤ %1</source>
        <translation>≤ %1</translation>
    </message>
    <message>
        <source>Computing</source>
        <translation>Calcul</translation>
    </message>
    <message>
        <source>Exchange</source>
        <translation>Échange</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>Attente</translation>
    </message>
    <message>
        <source>Outside of attention</source>
        <translation>Hors de l&apos;attention</translation>
    </message>
    <message>
        <source>Thread %1</source>
        <translation>Thread %1</translation>
    </message>
    <message>
        <source>From the trace, as this run has no devices.csv: attention only, exchange and waiting in one</source>
        <translation>D&apos;après la trace, car cette exécution n&apos;a pas de devices.csv&#xa0;: attention seule, échange et attente confondus</translation>
    </message>
    <message>
        <source>Efficiency in %</source>
        <translation>Efficacité en %</translation>
    </message>
    <message>
        <source>Efficiency</source>
        <translation>Efficacité</translation>
    </message>
    <message>
        <source>Standard deviation of %1 runs: %2</source>
        <translation>Écart type de %1 exécutions&#xa0;: %2</translation>
    </message>
    <message>
        <source>Expert %1</source>
        <translation>Expert %1</translation>
    </message>
    <message>
        <source>Inference, undivided</source>
        <translation>Inférence, non détaillée</translation>
    </message>
    <message>
        <source>FLOP per byte that has to be moved</source>
        <translation>FLOP par octet à déplacer</translation>
    </message>
    <message>
        <source>Operations under the machine&apos;s limits</source>
        <translation>Opérations sous les limites de la machine</translation>
    </message>
    <message>
        <source>%1, memory %2 GB/s</source>
        <translation>%1, mémoire %2 GB/s</translation>
    </message>
    <message>
        <source>, standard deviation %1</source>
        <translation>, écart type %1</translation>
    </message>
    <message>
        <source> (the project&apos;s own)</source>
        <translation> (celui du projet)</translation>
    </message>
    <message>
        <source>GPU idle</source>
        <translation>GPU au repos</translation>
    </message>
    <message>
        <source>Seconds of inference</source>
        <translation>Secondes d&apos;inférence</translation>
    </message>
    <message>
        <source>Preferred in % of comparisons</source>
        <translation>Préféré dans % des comparaisons</translation>
    </message>
    <message>
        <source>Preferred: %1 % (%2 to %3 %), %4 votes</source>
        <translation>Préféré : %1 % (%2 à %3 %), votes : %4</translation>
    </message>
    <message>
        <source>Seconds of inference: %1</source>
        <translation>Secondes d&apos;inférence : %1</translation>
    </message>
    <message>
        <source> (%1 to %2)</source>
        <comment>least and most seconds</comment>
        <translation> (%1 à %2)</translation>
    </message>
</context>
<context>
    <name>TrustSheet</name>
    <message>
        <source>… and %1 more.</source>
        <translation>… et %1 de plus.</translation>
    </message>
</context>
<context>
    <name>main</name>
    <message>
        <source>Studio for Wan video generation.</source>
        <translation>Studio de génération vidéo Wan.</translation>
    </message>
    <message>
        <source>Go on at once with the runs that wait in the queue.</source>
        <translation>Poursuivre aussitôt les exécutions en attente dans la file.</translation>
    </message>
    <message>
        <source>Project file, run folder or video to open.</source>
        <translation>Fichier de projet, dossier d&apos;exécution ou vidéo à ouvrir.</translation>
    </message>
</context>
<context>
    <name>meshreel::ActivityGraph</name>
    <message>
        <source>%1: %2 of %3</source>
        <comment>quantity, its value, the most there can be</comment>
        <translation>%1&#xa0;: %2 sur %3</translation>
    </message>
    <message>
        <source>%1 after %2 s</source>
        <comment>value, seconds</comment>
        <translation>%1 après %2&#xa0;s</translation>
    </message>
    <message>
        <source>Appears during a run</source>
        <translation>Apparaît pendant une exécution</translation>
    </message>
    <message>
        <source>The arrow keys, Home and End go from moment to moment, Escape hides the values.</source>
        <translation>Les touches fléchées, Début et Fin vont d&apos;un instant à l&apos;autre, Échap n&apos;en indique plus aucun.</translation>
    </message>
</context>
<context>
    <name>meshreel::ActivityPanel</name>
    <message>
        <source>Processors</source>
        <translation>Processeurs</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Mémoire</translation>
    </message>
    <message>
        <source>Warnings only</source>
        <translation>Avertissements seulement</translation>
    </message>
    <message>
        <source>Processors that this program keeps busy; those of launched ranks are not in it</source>
        <translation>Processeurs que ce programme occupe&#xa0;; ceux des rangs lancés n&apos;y sont pas compris</translation>
    </message>
    <message>
        <source>Memory of this program without pages of files; that of launched ranks is not in it</source>
        <translation>Mémoire de ce programme sans les pages de fichiers&#xa0;; celle des rangs lancés n&apos;y est pas comprise</translation>
    </message>
    <message>
        <source>Search the log</source>
        <translation>Chercher dans le journal</translation>
    </message>
    <message>
        <source>Log of the run</source>
        <translation>Journal de l&apos;exécution</translation>
    </message>
    <message>
        <source>No line of the log has these words.</source>
        <translation>Aucune ligne du journal ne contient ces mots.</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Copier</translation>
    </message>
    <message>
        <source>Save log…</source>
        <translation>Enregistrer le journal…</translation>
    </message>
    <message>
        <source>Write the whole log to a file, to be sent with a report</source>
        <translation>Écrire tout le journal dans un fichier, à joindre à un rapport</translation>
    </message>
    <message>
        <source>Save log</source>
        <translation>Enregistrer le journal</translation>
    </message>
    <message>
        <source>Text (*.txt)</source>
        <translation>Texte (*.txt)</translation>
    </message>
    <message>
        <source>Processors and memory</source>
        <translation>Processeurs et mémoire</translation>
    </message>
    <message>
        <source>What a run reports is listed here and can be searched: press Run.</source>
        <translation>Ce qu&apos;une exécution annonce s&apos;affiche ici, où l&apos;on peut y faire des recherches&#xa0;: cliquez sur «&#xa0;Exécuter&#xa0;».</translation>
    </message>
</context>
<context>
    <name>meshreel::ActivitySheet</name>
    <message>
        <source>Seconds of the run</source>
        <translation>Secondes de l&apos;exécution</translation>
    </message>
    <message>
        <source>Busy processors</source>
        <translation>Processeurs occupés</translation>
    </message>
    <message>
        <source>Memory in GiB</source>
        <translation>Mémoire en GiB</translation>
    </message>
    <message>
        <source>Nothing was measured yet</source>
        <translation>Rien n&apos;a encore été mesuré</translation>
    </message>
    <message>
        <source>Run something first</source>
        <translation>Exécutez d&apos;abord quelque chose</translation>
    </message>
</context>
<context>
    <name>meshreel::AdapterField</name>
    <message>
        <source>high noise</source>
        <translation>bruit fort</translation>
    </message>
    <message>
        <source>low noise</source>
        <translation>bruit faible</translation>
    </message>
    <message>
        <source>every expert</source>
        <translation>tous les experts</translation>
    </message>
    <message>
        <source>Add adapters…</source>
        <translation>Ajouter des adaptateurs…</translation>
    </message>
    <message>
        <source>Choose adapters (LoRA), or drop them here</source>
        <translation>Choisir des adaptateurs (LoRA) ou les déposer ici</translation>
    </message>
    <message>
        <source>Choose adapters</source>
        <translation>Choisir des adaptateurs</translation>
    </message>
    <message>
        <source>Adapters (*.safetensors)</source>
        <translation>Adaptateurs (*.safetensors)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>Tous les fichiers (*)</translation>
    </message>
    <message>
        <source>File of adapter %1</source>
        <translation>Fichier de l&apos;adaptateur %1</translation>
    </message>
    <message>
        <source>Remove adapter %1</source>
        <translation>Retirer l&apos;adaptateur %1</translation>
    </message>
    <message>
        <source>Strength of adapter %1</source>
        <translation>Force de l&apos;adaptateur %1</translation>
    </message>
    <message>
        <source>Strength: 1 is as it was trained, 0 is without it</source>
        <translation>Force&#xa0;: 1, tel qu&apos;il a été entraîné&#xa0;; 0, sans lui</translation>
    </message>
    <message>
        <source>Expert of adapter %1</source>
        <translation>Expert de l&apos;adaptateur %1</translation>
    </message>
    <message>
        <source>For which of Wan 2.2&apos;s two transformers it is made</source>
        <translation>Pour lequel des deux transformeurs de Wan 2.2 il est fait</translation>
    </message>
    <message>
        <source>as its name says</source>
        <translation>comme l&apos;indique son nom</translation>
    </message>
    <message>
        <source>Use adapter %1</source>
        <translation>Utiliser l&apos;adaptateur %1</translation>
    </message>
    <message>
        <source>Use this adapter. Switched off, its strength is 0, and its file is not read.</source>
        <translation>Utiliser cet adaptateur. Désactivé, son intensité est 0 et son fichier n&apos;est pas lu.</translation>
    </message>
</context>
<context>
    <name>meshreel::AddButton</name>
    <message>
        <source>The open project</source>
        <translation>Le projet ouvert</translation>
    </message>
    <message>
        <source>Project files…</source>
        <translation>Fichiers de projet…</translation>
    </message>
    <message>
        <source>Run folder…</source>
        <translation>Dossier d&apos;une exécution…</translation>
    </message>
    <message>
        <source>Pasted timings…</source>
        <translation>Temps collés…</translation>
    </message>
    <message>
        <source>Compare with a TIMING SUMMARY block copied from elsewhere</source>
        <translation>Comparer à un bloc TIMING SUMMARY copié d&apos;ailleurs</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>Ajouter</translation>
    </message>
    <message>
        <source>Compare with further runs, projects or timings; runs and project files can be dropped here too</source>
        <translation>Comparer à d&apos;autres exécutions, projets ou temps&#xa0;; les exécutions et les fichiers de projet peuvent aussi être déposés ici</translation>
    </message>
    <message>
        <source>Compare with projects</source>
        <translation>Comparer à des projets</translation>
    </message>
    <message>
        <source>Projects (*.yaml *.yml)</source>
        <translation>Projets (*.yaml *.yml)</translation>
    </message>
    <message>
        <source>Compare with a run folder</source>
        <translation>Comparer à un dossier d&apos;exécution</translation>
    </message>
    <message>
        <source>Paste timings</source>
        <translation>Coller des temps</translation>
    </message>
    <message>
        <source>TIMING SUMMARY blocks, with the text around them if you like:</source>
        <translation>Blocs TIMING SUMMARY, avec le texte qui les entoure si vous voulez&#xa0;:</translation>
    </message>
</context>
<context>
    <name>meshreel::AttentionModeModel</name>
    <message>
        <source>gather keys</source>
        <translation>rassembler les clés</translation>
    </message>
    <message>
        <source>tokens for heads</source>
        <translation>tokens ↔ têtes</translation>
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
        <translation>anneau</translation>
    </message>
    <message>
        <source>both ways</source>
        <translation>deux sens</translation>
    </message>
    <message>
        <source>dense</source>
        <translation>dense</translation>
    </message>
    <message>
        <source>flash</source>
        <translation>flash</translation>
    </message>
    <message>
        <source>custom</source>
        <translation>spécialisé</translation>
    </message>
    <message>
        <source>custom, fixed bound</source>
        <translation>spécialisé, borne fixe</translation>
    </message>
    <message>
        <source>not here</source>
        <translation>pas ici</translation>
    </message>
    <message>
        <source>Mode</source>
        <translation>Mode</translation>
    </message>
    <message>
        <source>Exchange</source>
        <translation>Échange</translation>
    </message>
    <message>
        <source>Rotation</source>
        <translation>Rotation</translation>
    </message>
    <message>
        <source>Kernel</source>
        <translation>Noyau</translation>
    </message>
    <message>
        <source>Per step</source>
        <translation>Par étape</translation>
    </message>
    <message>
        <source>queries ÷ C, all keys</source>
        <translation>requêtes ÷ C, toutes les clés</translation>
    </message>
    <message>
        <source>tokens ÷ C</source>
        <translation>tokens ÷ C</translation>
    </message>
    <message>
        <source>heads ÷ U, tokens ÷ R</source>
        <translation>têtes ÷ U, tokens ÷ R</translation>
    </message>
    <message>
        <source>heads ÷ C, all tokens</source>
        <translation>têtes ÷ C, tous les tokens</translation>
    </message>
    <message>
        <source>While it computes, a device holds %1.</source>
        <translation>Pendant le calcul, un appareil détient&#xa0;: %1.</translation>
    </message>
    <message>
        <source>What a device has while it computes an attention: of what stands before ÷ its part, shared out over the context axis (C), an ulysses group (U) or a ring (R)</source>
        <translation>Ce qu&apos;un appareil détient pendant le calcul d&apos;une attention&#xa0;: de ce qui précède ÷ sa part, répartie sur l&apos;axe de contexte (C), un groupe Ulysses (U) ou un anneau (R)</translation>
    </message>
    <message>
        <source>A device holds</source>
        <translation>Un appareil détient</translation>
    </message>
</context>
<context>
    <name>meshreel::AttentionPanel</name>
    <message>
        <source>Scratch of a worker: %1, %2 % of the limit.</source>
        <translation>Mémoire de travail d&apos;un thread&#xa0;: %1, %2&#xa0;% de la limite.</translation>
    </message>
    <message>
        <source>dot_product computes all %1 scores of a query at once, without tiles.</source>
        <translation>dot_product calcule les %1 scores d&apos;une requête d&apos;un coup, sans tuiles.</translation>
    </message>
    <message>
        <source>%1 × %2 tiles of %3 queries × %4 keys, in products of %5 keys.</source>
        <translation>%1 × %2 tuiles de %3 requêtes × %4 clés, en produits de %5 clés.</translation>
    </message>
    <message>
        <source>%1 % of the tiles lie outside the matrix: computed where blocks are padded, as on accelerators, and cut off here.</source>
        <translation>%1&#xa0;% des tuiles sont hors de la matrice&#xa0;: calculées là où les blocs sont complétés, comme sur les accélérateurs, et coupées ici.</translation>
    </message>
    <message>
        <source>Attention modes</source>
        <translation>Modes d&apos;attention</translation>
    </message>
    <message>
        <source>Double click or press Enter to use a mode</source>
        <translation>Double-cliquez ou appuyez sur Entrée pour utiliser un mode</translation>
    </message>
    <message>
        <source>All sizes 0: the kernel then takes what suits this processor</source>
        <translation>Toutes les tailles à 0&#xa0;: le noyau prend alors ce qui convient à ce processeur</translation>
    </message>
    <message>
        <source>Scratch of a worker: %1, %2 % of the %3 that it has in this machine&apos;s caches; no limit is set.</source>
        <translation>Mémoire de travail d&apos;un thread&#xa0;: %1, %2&#xa0;% des %3 dont il dispose dans les caches de cette machine&#xa0;; aucune limite n&apos;est définie.</translation>
    </message>
    <message>
        <source>Presets</source>
        <translation>Préréglages</translation>
    </message>
    <message>
        <source>Block sizes to start from: this machine&apos;s, and those published for accelerators</source>
        <translation>Tailles de blocs de départ&#xa0;: celles de cette machine et celles publiées pour des accélérateurs</translation>
    </message>
    <message>
        <source>Tune on this machine…</source>
        <translation>Régler sur cette machine…</translation>
    </message>
    <message>
        <source>Opens Tune, which searches the sizes that are fastest here</source>
        <translation>Ouvre «&#xa0;Réglage fin&#xa0;», qui cherche les tailles les plus rapides ici</translation>
    </message>
    <message>
        <source>Block sizes: %1</source>
        <comment>name of a preset</comment>
        <translation>Tailles de blocs&#xa0;: %1</translation>
    </message>
    <message>
        <source>Block sizes and tiles</source>
        <translation>Tailles de bloc et tuiles</translation>
    </message>
    <message>
        <source>modes</source>
        <comment>beside a divider</comment>
        <translation>modes</translation>
    </message>
    <message>
        <source>block sizes</source>
        <comment>beside a divider</comment>
        <translation>tailles de blocs</translation>
    </message>
    <message>
        <source>The letters in “A device holds”: R × U = C</source>
        <translation>Les lettres de « Un appareil détient » : R × U = C</translation>
    </message>
    <message>
        <source>C = %1 devices of the context axis · U = %2 in a Ulysses group · R = %3 such groups</source>
        <translation>C = %1 appareils de l&apos;axe de contexte · U = %2 dans un groupe Ulysses · R = %3 groupes</translation>
    </message>
    <message>
        <source>Fastest on %1: %2 × %3</source>
        <comment>hardware, queries, keys</comment>
        <translation>Le plus rapide sur %1 : %2 × %3</translation>
    </message>
    <message>
        <source>Foreseen, not measured: %1 s a step</source>
        <translation>Prévu, non mesuré : %1 s par pas</translation>
    </message>
</context>
<context>
    <name>meshreel::AttentionWalk</name>
    <message>
        <source>Before</source>
        <translation>Avant</translation>
    </message>
    <message>
        <source>Every device holds all tokens of its heads.</source>
        <translation>Chaque appareil détient tous les tokens de ses têtes.</translation>
    </message>
    <message>
        <source>Every device holds queries, keys and values of its own tokens, for all its heads.</source>
        <translation>Chaque appareil détient les requêtes, clés et valeurs de ses propres tokens, pour toutes ses têtes.</translation>
    </message>
    <message>
        <source>groups of %1 devices</source>
        <translation>groupes de %1 appareils</translation>
    </message>
    <message>
        <source>All-to-all: tokens for heads</source>
        <translation>All-to-all&#xa0;: tokens contre têtes</translation>
    </message>
    <message>
        <source>All-to-all: heads for tokens</source>
        <translation>All-to-all&#xa0;: têtes contre tokens</translation>
    </message>
    <message>
        <source>In %1, each takes its part of the heads of all tokens of the group.</source>
        <translation>Par %1, chacun prend sa part des têtes de tous les tokens du groupe.</translation>
    </message>
    <message>
        <source>In %1, each gets the results of its own tokens back, for all heads.</source>
        <translation>Par %1, chacun récupère les résultats de ses propres tokens, pour toutes les têtes.</translation>
    </message>
    <message>
        <source>Rotation %1 of %2</source>
        <translation>Rotation %1 sur %2</translation>
    </message>
    <message>
        <source>Each computes with its own keys and values while the next ones are on their way.</source>
        <translation>Chacun calcule avec ses propres clés et valeurs pendant que les suivantes sont en route.</translation>
    </message>
    <message numerus="yes">
        <source>Each adds what the keys and values from %n place(s) away give.</source>
        <translation>
            <numerusform>Chacun ajoute ce que donnent les clés et valeurs situées à %n place.</numerusform>
            <numerusform>Chacun ajoute ce que donnent les clés et valeurs situées à %n places.</numerusform>
        </translation>
    </message>
    <message>
        <source>Compute</source>
        <translation>Calcul</translation>
    </message>
    <message>
        <source>Each computes its queries with all keys and values of its heads.</source>
        <translation>Chacun calcule ses requêtes avec toutes les clés et valeurs de ses têtes.</translation>
    </message>
    <message>
        <source>Gather keys and values</source>
        <translation>Rassembler clés et valeurs</translation>
    </message>
    <message>
        <source>Each device receives the keys and values of all others.</source>
        <translation>Chaque appareil reçoit les clés et valeurs de tous les autres.</translation>
    </message>
    <message>
        <source>After</source>
        <translation>Après</translation>
    </message>
    <message>
        <source>Every device holds the finished attention of its own tokens.</source>
        <translation>Chaque appareil détient l&apos;attention terminée de ses propres tokens.</translation>
    </message>
</context>
<context>
    <name>meshreel::AxisHandle</name>
    <message>
        <source>Devices along the %1 axis</source>
        <translation>Appareils le long de l&apos;axe %1</translation>
    </message>
    <message>
        <source>Drag, or press the arrow keys. Legal here: %1</source>
        <translation>Faites glisser ou utilisez les touches fléchées. Valeurs admises ici&#xa0;: %1</translation>
    </message>
    <message>
        <source>Only %1 is legal here</source>
        <translation>Seul %1 est admis ici</translation>
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
        <translation>Comparer avec un fichier écrit par meshreel bench</translation>
    </message>
    <message>
        <source>Compare with a file</source>
        <translation>Comparer avec un fichier</translation>
    </message>
    <message>
        <source>Group</source>
        <translation>Groupe</translation>
    </message>
    <message>
        <source>What is measured beside this machine&apos;s limits</source>
        <translation>Ce qui est mesuré à côté des limites de cette machine</translation>
    </message>
    <message>
        <source>Passes</source>
        <translation>Passes</translation>
    </message>
    <message>
        <source>Passes of each row that count, behind one for warming up</source>
        <translation>Passes de chaque ligne qui comptent, après une de chauffe</translation>
    </message>
    <message>
        <source>At most</source>
        <translation>Au plus</translation>
    </message>
    <message>
        <source>No new pass of a row begins after this long</source>
        <translation>Passé ce délai, aucune passe d’une ligne ne commence</translation>
    </message>
    <message>
        <source>Compare with</source>
        <translation>Comparer avec</translation>
    </message>
    <message>
        <source>The verdict compares with: %1</source>
        <comment>an earlier measurement</comment>
        <translation>Le verdict compare à : %1</translation>
    </message>
    <message>
        <source>%1.</source>
        <comment>what a group of benchmarks is</comment>
        <translation>%1.</translation>
    </message>
    <message>
        <source>Nothing</source>
        <comment>is compared with</comment>
        <translation>Rien</translation>
    </message>
    <message>
        <source>%1, version %2</source>
        <comment>date, number</comment>
        <translation>%1, version %2</translation>
    </message>
    <message>
        <source>%1, version %2, not complete</source>
        <comment>date, number</comment>
        <translation>%1, version %2, incomplète</translation>
    </message>
</context>
<context>
    <name>meshreel::BenchModel</name>
    <message>
        <source>the limit</source>
        <comment>that others are a share of</comment>
        <translation>la limite</translation>
    </message>
    <message>
        <source>the reference</source>
        <comment>that others are compared with</comment>
        <translation>la référence</translation>
    </message>
    <message>
        <source>%1 × %2</source>
        <comment>factor, name of a row</comment>
        <translation>%1 × %2</translation>
    </message>
    <message>
        <source>about %1 % of %2</source>
        <comment>share, name of a limit</comment>
        <translation>environ %1 % de %2</translation>
    </message>
    <message>
        <source>%1 % of %2</source>
        <comment>share, name of a limit</comment>
        <translation>%1 % de %2</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>number, unit</comment>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>The machine&apos;s limit moved by %1 % beside this row: measure again when nothing else runs</source>
        <translation>La limite de la machine a bougé de %1 % à côté de cette ligne : mesurez à nouveau quand rien d’autre ne tourne</translation>
    </message>
    <message>
        <source>What the open project computes</source>
        <translation>Ce que le projet ouvert calcule</translation>
    </message>
    <message>
        <source>%1, what the open project computes</source>
        <comment>name of a row</comment>
        <translation>%1, ce que le projet ouvert calcule</translation>
    </message>
    <message>
        <source>Row</source>
        <translation>Ligne</translation>
    </message>
    <message>
        <source>Time</source>
        <comment>that a row took</comment>
        <translation>Temps</translation>
    </message>
    <message>
        <source>Share of the limit</source>
        <translation>Part de la limite</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>Verdict</translation>
    </message>
    <message>
        <source>Before</source>
        <translation>Avant</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>Débit</translation>
    </message>
    <message>
        <source>Median of the passes; slowest less fastest pass, in percent of it</source>
        <translation>Médiane des passes ; la plus lente moins la plus rapide, en pour cent de celle-ci</translation>
    </message>
    <message>
        <source>Of what this machine does at most, measured beside the row; or how it compares with another row</source>
        <translation>De ce que cette machine fait au plus, mesuré à côté de la ligne ; ou par rapport à une autre ligne</translation>
    </message>
    <message>
        <source>Median and spread of the measurement that is compared with</source>
        <translation>Médiane et dispersion de la mesure de comparaison</translation>
    </message>
    <message>
        <source>Beside the earlier measurement: the range that holds the true difference in nine of ten comparisons; where it is within the noise, how often to repeat</source>
        <translation>À côté de la mesure antérieure : l’intervalle qui contient la vraie différence dans neuf comparaisons sur dix ; dans le bruit, combien de fois répéter</translation>
    </message>
</context>
<context>
    <name>meshreel::BenchPanel</name>
    <message>
        <source>A benchmark times what the engine computes, beside this machine&apos;s own limits and what it took before. Choose a group and press Run.</source>
        <translation>Un banc d’essai chronomètre ce que le moteur calcule, à côté des limites de cette machine et de ce que cela prenait avant. Choisissez un groupe et appuyez sur Lancer.</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Lancer</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Annuler</translation>
    </message>
    <message>
        <source>Repeat</source>
        <translation>Répéter</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>Exporter…</translation>
    </message>
    <message>
        <source>Stops; rows that are done are kept</source>
        <translation>Arrête ; les lignes terminées restent</translation>
    </message>
    <message>
        <source>Write the rows to a file, as a table or for meshreel bench --against</source>
        <translation>Écrire les lignes dans un fichier, en tableau ou pour meshreel bench --against</translation>
    </message>
    <message>
        <source>Progress of the measurement</source>
        <translation>Avancement de la mesure</translation>
    </message>
    <message>
        <source>Rows of the benchmark</source>
        <translation>Lignes du banc d’essai</translation>
    </message>
    <message>
        <source>Compare with a measurement</source>
        <translation>Comparer avec une mesure</translation>
    </message>
    <message>
        <source>Measurements (*.json *.jsonl)</source>
        <translation>Mesures (*.json *.jsonl)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>Tous les fichiers (*)</translation>
    </message>
    <message>
        <source>Cancelled.</source>
        <translation>Annulé.</translation>
    </message>
    <message>
        <source>Export the rows</source>
        <translation>Exporter les lignes</translation>
    </message>
    <message>
        <source>Table (*.csv)</source>
        <translation>Tableau (*.csv)</translation>
    </message>
    <message>
        <source>Measurement (*.json)</source>
        <translation>Mesure (*.json)</translation>
    </message>
    <message>
        <source>The rows were written to %1</source>
        <translation>Les lignes ont été écrites dans %1</translation>
    </message>
    <message numerus="yes">
        <source>%n rows measured in %1</source>
        <comment>duration</comment>
        <translation>
            <numerusform>%n ligne mesurée en %1</numerusform>
            <numerusform>%n lignes mesurées en %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n rows, measured %1 by version %2 on %3.</source>
        <comment>date, version, processor</comment>
        <translation>
            <numerusform>%n ligne, mesurée %1 par la version %2 sur %3.</numerusform>
            <numerusform>%n lignes, mesurées %1 par la version %2 sur %3.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The machine was too restless for the shares of %n rows.</source>
        <translation>
            <numerusform>La machine était trop agitée pour la part de %n ligne.</numerusform>
            <numerusform>La machine était trop agitée pour les parts de %n lignes.</numerusform>
        </translation>
    </message>
    <message>
        <source>What it is to be compared with is of %1.</source>
        <comment>processor</comment>
        <translation>Ce à quoi il faut comparer est de %1.</translation>
    </message>
    <message>
        <source>Measures the rows of the group; let nothing else run</source>
        <translation>Mesure les lignes du groupe ; ne laissez rien d’autre tourner</translation>
    </message>
    <message>
        <source>Another version measured these rows: run the group first</source>
        <translation>Une autre version a mesuré ces lignes : mesurez d’abord le groupe</translation>
    </message>
    <message>
        <source>Select rows to measure them again</source>
        <translation>Sélectionnez des lignes pour les mesurer à nouveau</translation>
    </message>
    <message numerus="yes">
        <source>Measures %n rows again, %1 times each</source>
        <comment>number</comment>
        <translation>
            <numerusform>Mesure à nouveau %n ligne, %1 fois</numerusform>
            <numerusform>Mesure à nouveau %n lignes, %1 fois chacune</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n kept measurements cannot be read and are left out</source>
        <translation>
            <numerusform>%n mesure conservée ne peut pas être lue et est laissée de côté</numerusform>
            <numerusform>%n mesures conservées ne peuvent pas être lues et sont laissées de côté</numerusform>
        </translation>
    </message>
    <message>
        <source>Not all of the group was measured.</source>
        <translation>Le groupe n’a pas été mesuré en entier.</translation>
    </message>
</context>
<context>
    <name>meshreel::CatalogueModel</name>
    <message>
        <source>Cannot be used: %1</source>
        <translation>Inutilisable&#xa0;: %1</translation>
    </message>
    <message>
        <source>Adapter</source>
        <translation>Adaptateur</translation>
    </message>
    <message>
        <source>%1, which Meshreel does not run</source>
        <translation>%1, que Meshreel n&apos;exécute pas</translation>
    </message>
    <message>
        <source>No part of a Wan model</source>
        <translation>Aucune partie d&apos;un modèle Wan</translation>
    </message>
    <message>
        <source>%1, comes with Meshreel</source>
        <translation>%1, fourni avec Meshreel</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modèle</translation>
    </message>
    <message>
        <source>What it is</source>
        <translation>Ce que c&apos;est</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Taille</translation>
    </message>
    <message>
        <source>Other models to download</source>
        <translation>Autres modèles à télécharger</translation>
    </message>
    <message>
        <source>%1 to download</source>
        <comment>family of models</comment>
        <translation>%1 à télécharger</translation>
    </message>
    <message>
        <source>Adapters to download</source>
        <translation>Adaptateurs à télécharger</translation>
    </message>
    <message>
        <source>Small decoders to download</source>
        <translation>Petits décodeurs à télécharger</translation>
    </message>
    <message>
        <source>Parts of models to download</source>
        <translation>Parties de modèles à télécharger</translation>
    </message>
    <message>
        <source>diffusers folder</source>
        <comment>a way to get a model</comment>
        <translation>dossier diffusers</translation>
    </message>
    <message>
        <source>On this machine</source>
        <translation>Sur cette machine</translation>
    </message>
    <message>
        <source>This machine</source>
        <translation>Cette machine</translation>
    </message>
</context>
<context>
    <name>meshreel::ChartPanel</name>
    <message>
        <source>Chart of the steps</source>
        <translation>Graphique des étapes</translation>
    </message>
    <message>
        <source>Seconds per step</source>
        <translation>Secondes par étape</translation>
    </message>
    <message>
        <source>Values of the latents</source>
        <translation>Valeurs des latents</translation>
    </message>
    <message>
        <source>What the chart shows</source>
        <translation>Ce que montre le graphique</translation>
    </message>
    <message>
        <source>Open a run</source>
        <translation>Ouvrir une exécution</translation>
    </message>
    <message>
        <source>Each step appears here during a run, or when you open a past one.</source>
        <translation>Chaque étape apparaît ici pendant une exécution, ou lorsque vous en ouvrez une ancienne.</translation>
    </message>
</context>
<context>
    <name>meshreel::ChartView</name>
    <message>
        <source>Logarithmic</source>
        <translation>Logarithmique</translation>
    </message>
    <message>
        <source>Values on a logarithmic axis, on which equal ratios are equally long</source>
        <translation>Valeurs sur un axe logarithmique, où des rapports égaux ont la même longueur</translation>
    </message>
    <message>
        <source>Zoom in</source>
        <translation>Agrandir</translation>
    </message>
    <message>
        <source>Zoom out</source>
        <translation>Réduire</translation>
    </message>
    <message>
        <source>Show everything</source>
        <translation>Tout montrer</translation>
    </message>
    <message>
        <source>Plus and minus zoom, with Ctrl upright; the arrow keys move; 0 shows everything. Comma and full stop go from value to value, Enter marks the place of one. The menu key lists what can be hidden.</source>
        <translation>Plus et moins zooment, avec Ctrl en hauteur&#xa0;; les touches fléchées déplacent&#xa0;; 0 montre tout. La virgule et le point vont d&apos;une valeur à l&apos;autre, Entrée marque l&apos;endroit de la valeur. La touche de menu énumère ce qui peut être masqué.</translation>
    </message>
    <message>
        <source>Copy chart</source>
        <translation>Copier le graphique</translation>
    </message>
</context>
<context>
    <name>meshreel::ClampedText</name>
    <message>
        <source>Copy</source>
        <translation>Copier</translation>
    </message>
</context>
<context>
    <name>meshreel::ClipComparer</name>
    <message>
        <source>Side by side</source>
        <translation>Côte à côte</translation>
    </message>
    <message>
        <source>Wipe</source>
        <translation>Volet</translation>
    </message>
    <message>
        <source>Difference × %1</source>
        <translation>Différence × %1</translation>
    </message>
    <message>
        <source>First run</source>
        <translation>Première exécution</translation>
    </message>
    <message>
        <source>Second run</source>
        <translation>Seconde exécution</translation>
    </message>
    <message>
        <source>How the videos are compared</source>
        <translation>Comment les vidéos sont comparées</translation>
    </message>
    <message>
        <source>Reading the videos …</source>
        <translation>Lecture des vidéos…</translation>
    </message>
    <message>
        <source>The videos are of two sizes: there is nothing to measure.</source>
        <translation>Les vidéos sont de deux tailles&#xa0;: il n&apos;y a rien à mesurer.</translation>
    </message>
    <message>
        <source>This frame: %1 · the whole video: %2</source>
        <translation>Cette image&#xa0;: %1 · toute la vidéo&#xa0;: %2</translation>
    </message>
    <message>
        <source>This frame: %1 · the first %2 frames: %3</source>
        <translation>Cette image&#xa0;: %1 · les %2 premières images&#xa0;: %3</translation>
    </message>
</context>
<context>
    <name>meshreel::ClipExportDialog</name>
    <message>
        <source>Export the clip</source>
        <translation>Exporter le clip</translation>
    </message>
    <message>
        <source>0 is smallest, 100 best</source>
        <translation>0&#xa0;: le plus petit, 100&#xa0;: le meilleur</translation>
    </message>
    <message>
        <source>Choose a file</source>
        <translation>Choisir un fichier</translation>
    </message>
    <message>
        <source>For&amp;mat:</source>
        <translation>For&amp;mat&#xa0;:</translation>
    </message>
    <message>
        <source>&amp;Quality:</source>
        <translation>&amp;Qualité&#xa0;:</translation>
    </message>
    <message>
        <source>&amp;File:</source>
        <translation>&amp;Fichier&#xa0;:</translation>
    </message>
    <message>
        <source>Clip:</source>
        <translation>Clip&#xa0;:</translation>
    </message>
    <message numerus="yes">
        <source>%n frames, %1 s</source>
        <translation>
            <numerusform>%n image, %1&#xa0;s</numerusform>
            <numerusform>%n images, %1&#xa0;s</numerusform>
        </translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exporter</translation>
    </message>
    <message>
        <source>%1 is there already and will be replaced.</source>
        <translation>%1 existe déjà et sera remplacé.</translation>
    </message>
    <message>
        <source>File of the clip</source>
        <translation>Fichier du clip</translation>
    </message>
    <message>
        <source>%1 × %2, as it is</source>
        <comment>width, height</comment>
        <translation>%1 × %2, tel quel</translation>
    </message>
    <message>
        <source>%1 × %2 (×%3)</source>
        <comment>width, height, factor</comment>
        <translation>%1 × %2 (×%3)</translation>
    </message>
    <message>
        <source>&amp;Size:</source>
        <translation>&amp;Taille :</translation>
    </message>
</context>
<context>
    <name>meshreel::ClipExporter</name>
    <message>
        <source>The frame was copied.</source>
        <translation>L&apos;image a été copiée.</translation>
    </message>
    <message>
        <source>Save the frame</source>
        <translation>Enregistrer l&apos;image</translation>
    </message>
    <message>
        <source>Save a contact sheet</source>
        <translation>Enregistrer une planche-contact</translation>
    </message>
    <message>
        <source>Written: %1</source>
        <translation>Écrit&#xa0;: %1</translation>
    </message>
    <message>
        <source>PNG pictures (*.png)</source>
        <translation>Images PNG (*.png)</translation>
    </message>
    <message>
        <source>Copy the videos into a folder</source>
        <translation>Copier les vidéos dans un dossier</translation>
    </message>
    <message>
        <source>Without a video: %1.</source>
        <translation>Sans vidéo : %1.</translation>
    </message>
    <message numerus="yes">
        <source>%n videos were copied</source>
        <translation>
            <numerusform>%n vidéo a été copiée</numerusform>
            <numerusform>%n vidéos ont été copiées</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::ClipPairView</name>
    <message>
        <source>Two videos</source>
        <translation>Deux vidéos</translation>
    </message>
    <message>
        <source>Videos of two sizes have no difference</source>
        <translation>Des vidéos de deux tailles n&apos;ont pas de différence</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>Différence</translation>
    </message>
    <message>
        <source>The wheel zooms, dragging moves, a double click fits (+, -, Shift with an arrow key, 0). Comma and full stop move the wipe.</source>
        <translation>La molette zoome, glisser déplace, un double-clic ajuste (+, -, Maj avec une touche fléchée, 0). La virgule et le point déplacent le balayage.</translation>
    </message>
</context>
<context>
    <name>meshreel::ClipPairs</name>
    <message>
        <source>This run has no video</source>
        <translation>Cette exécution n&apos;a pas de vidéo</translation>
    </message>
    <message>
        <source>Resume it, or choose another one</source>
        <translation>Reprenez-la ou choisissez-en une autre</translation>
    </message>
    <message>
        <source>equal</source>
        <translation>identiques</translation>
    </message>
    <message>
        <source>PSNR %1 dB, SSIM %2</source>
        <translation>PSNR %1&#xa0;dB, SSIM %2</translation>
    </message>
    <message>
        <source>The videos have %1 and %2 frames: the first %3 are compared.</source>
        <translation>Les vidéos ont %1 et %2 images&#xa0;: les %3 premières sont comparées.</translation>
    </message>
    <message>
        <source>They have %1 and %2 frames per second: both are played at %1, frame beside frame.</source>
        <translation>Elles ont %1 et %2 images par seconde&#xa0;: les deux sont lues à %1, image par image.</translation>
    </message>
</context>
<context>
    <name>meshreel::ClosingQuestion</name>
    <message>
        <source>Block sizes are being timed</source>
        <translation>Des tailles de blocs sont en cours de mesure</translation>
    </message>
    <message>
        <source>Stop the search and quit? What it has found so far would be lost.</source>
        <translation>Arrêter la recherche et quitter&#xa0;? Ce qu&apos;elle a trouvé jusqu&apos;ici serait perdu.</translation>
    </message>
    <message>
        <source>Stop and quit</source>
        <translation>Arrêter et quitter</translation>
    </message>
    <message>
        <source>Keep running</source>
        <translation>Laisser continuer</translation>
    </message>
    <message>
        <source>A run is in progress</source>
        <translation>Une exécution est en cours</translation>
    </message>
    <message>
        <source>Quit now? Finished steps are kept; you can resume the run later.</source>
        <translation>Quitter maintenant ? Les pas terminés sont conservés ; vous pourrez reprendre l’exécution plus tard.</translation>
    </message>
    <message>
        <source>A sweep is in progress</source>
        <translation>Une série de mesures est en cours</translation>
    </message>
    <message>
        <source>Quit now? Finished passes are kept; the sweep continues when you open it again.</source>
        <translation>Quitter maintenant&#xa0;? Les passages terminés sont conservés&#xa0;; la série continue quand vous la rouvrez.</translation>
    </message>
    <message>
        <source>A benchmark is being measured</source>
        <translation>Un banc d’essai est en cours</translation>
    </message>
    <message>
        <source>Quit now? Rows that are done are kept.</source>
        <translation>Quitter maintenant ? Les lignes terminées sont conservées.</translation>
    </message>
</context>
<context>
    <name>meshreel::ColumnMenu</name>
    <message>
        <source>Columns</source>
        <translation>Colonnes</translation>
    </message>
    <message>
        <source>Widths and order</source>
        <translation>Largeurs et ordre</translation>
    </message>
    <message>
        <source>Widths</source>
        <translation>Largeurs</translation>
    </message>
    <message>
        <source>Resize to contents</source>
        <translation>Ajuster au contenu</translation>
    </message>
    <message>
        <source>Reset columns</source>
        <translation>Réinitialiser les colonnes</translation>
    </message>
    <message>
        <source>&amp;Wider</source>
        <translation>É&amp;largir</translation>
    </message>
    <message>
        <source>&amp;Narrower</source>
        <translation>&amp;Rétrécir</translation>
    </message>
    <message>
        <source>As wide as its &amp;contents</source>
        <translation>À la largeur de son &amp;contenu</translation>
    </message>
    <message>
        <source>To the &amp;left</source>
        <translation>Vers la &amp;gauche</translation>
    </message>
    <message>
        <source>To the &amp;right</source>
        <translation>Vers la &amp;droite</translation>
    </message>
</context>
<context>
    <name>meshreel::ComparePanel</name>
    <message>
        <source>Seconds per step</source>
        <translation>Secondes par étape</translation>
    </message>
    <message>
        <source>Stages</source>
        <translation>Phases</translation>
    </message>
    <message>
        <source>Speed by devices</source>
        <translation>Vitesse selon les appareils</translation>
    </message>
    <message>
        <source>Devices of one run</source>
        <translation>Appareils d&apos;une exécution</translation>
    </message>
    <message>
        <source>Videos of two runs</source>
        <translation>Vidéos de deux exécutions</translation>
    </message>
    <message>
        <source>What is compared</source>
        <translation>Ce qui est comparé</translation>
    </message>
    <message>
        <source>Chart of the runs</source>
        <translation>Graphique des exécutions</translation>
    </message>
    <message>
        <source>pasted %1</source>
        <translation>collé %1</translation>
    </message>
    <message>
        <source>Choose two or more runs in the Runs panel and press Compare.</source>
        <translation>Choisissez deux exécutions ou plus dans le panneau «&#xa0;Exécutions&#xa0;» et cliquez sur «&#xa0;Comparer&#xa0;».</translation>
    </message>
    <message>
        <source>Pasted timings have no videos.</source>
        <translation>Les temps collés n&apos;ont pas de vidéos.</translation>
    </message>
    <message>
        <source>Block sizes</source>
        <translation>Tailles de blocs</translation>
    </message>
    <message>
        <source>Memory by phase</source>
        <translation>Mémoire par phase</translation>
    </message>
    <message>
        <source>Export report…</source>
        <translation>Exporter un rapport…</translation>
    </message>
    <message>
        <source>Write all of this as one page: timings, settings, pictures, charts</source>
        <translation>Tout écrire en une page&#xa0;: temps, réglages, images, graphiques</translation>
    </message>
    <message>
        <source>Copy best configurations</source>
        <translation>Copier les meilleures configurations</translation>
    </message>
    <message>
        <source>Write the chart or a report to a file</source>
        <translation>Écrire le graphique ou un rapport dans un fichier</translation>
    </message>
    <message>
        <source>Export report</source>
        <translation>Exporter un rapport</translation>
    </message>
    <message>
        <source>Web page (*.html);;PDF document (*.pdf)</source>
        <translation>Page web (*.html);;Document PDF (*.pdf)</translation>
    </message>
    <message>
        <source>Choose runs</source>
        <translation>Choisir des exécutions</translation>
    </message>
    <message>
        <source>Leave out the projects and timings that were added</source>
        <translation>Écarter les projets et les temps ajoutés</translation>
    </message>
    <message>
        <source>Copy timing summaries</source>
        <translation>Copier les récapitulatifs</translation>
    </message>
    <message>
        <source>Add another project, or a run, to see in which settings they differ.</source>
        <translation>Ajoutez un autre projet ou une exécution pour voir quels réglages diffèrent.</translation>
    </message>
    <message>
        <source>These projects have the same settings.</source>
        <translation>Ces projets ont les mêmes réglages.</translation>
    </message>
    <message>
        <source>Projects have no timings. The settings in which they differ stand below.</source>
        <translation>Les projets n&apos;ont pas de temps. Les réglages qui diffèrent figurent ci-dessous.</translation>
    </message>
    <message>
        <source>None of these runs recorded what its devices did. Compare runs that finished a step.</source>
        <translation>Aucune de ces exécutions n’a enregistré ce qu’ont fait ses appareils. Comparez des exécutions qui ont terminé une étape.</translation>
    </message>
    <message>
        <source>None of these runs finished a step. Compare runs that got as far as denoising.</source>
        <translation>Aucune de ces exécutions n’a terminé une étape. Comparez des exécutions parvenues au débruitage.</translation>
    </message>
    <message>
        <source>chart</source>
        <comment>beside a divider</comment>
        <translation>graphique</translation>
    </message>
    <message>
        <source>tables</source>
        <comment>beside a divider</comment>
        <translation>tableaux</translation>
    </message>
    <message>
        <source>Inference only</source>
        <translation>Inférence seule</translation>
    </message>
    <message>
        <source>Baseline</source>
        <translation>Référence</translation>
    </message>
    <message>
        <source>Speeds are relative to this run</source>
        <translation>Les vitesses sont relatives à cette exécution</translation>
    </message>
    <message>
        <source>Leaves out loading and compiling, in the chart of stages and in speeds</source>
        <translation>Laisse de côté le chargement et la compilation, dans le graphique des étapes et dans les vitesses</translation>
    </message>
    <message>
        <source>against %1</source>
        <comment>baseline, a run</comment>
        <translation>face à %1</translation>
    </message>
    <message>
        <source>Repeat</source>
        <translation>Répéter</translation>
    </message>
    <message numerus="yes">
        <source>Queues %n runs: those within the noise and the baseline, as often as it takes to tell them apart. They join the comparison when they are done.</source>
        <translation>
            <numerusform>Met %n exécution en file : celles dans le bruit et la référence, autant de fois qu&apos;il le faut pour les distinguer. Elles rejoignent la comparaison une fois terminées.</numerusform>
            <numerusform>Met %n exécutions en file : celles dans le bruit et la référence, autant de fois qu&apos;il le faut pour les distinguer. Elles rejoignent la comparaison une fois terminées.</numerusform>
        </translation>
    </message>
    <message>
        <source>No run of a folder is within the noise of the baseline</source>
        <translation>Aucune exécution d&apos;un dossier n&apos;est dans le bruit de la référence</translation>
    </message>
    <message numerus="yes">
        <source>Queue %n runs? Each makes its whole video again.</source>
        <translation>
            <numerusform>Mettre %n exécution en file ? Elle refait toute sa vidéo.</numerusform>
            <numerusform>Mettre %n exécutions en file ? Chacune refait toute sa vidéo.</numerusform>
        </translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>Évaluer</translation>
    </message>
    <message>
        <source>Quality against time</source>
        <translation>Qualité face au temps</translation>
    </message>
    <message>
        <source>Writing the report…</source>
        <translation>Écriture du rapport…</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exporter</translation>
    </message>
</context>
<context>
    <name>meshreel::ComparisonTables</name>
    <message>
        <source>Timings</source>
        <translation>Temps</translation>
    </message>
    <message>
        <source>Settings that differ</source>
        <translation>Réglages différents</translation>
    </message>
    <message>
        <source>Timings of the runs</source>
        <translation>Temps des exécutions</translation>
    </message>
    <message>
        <source>Copy timing summaries</source>
        <translation>Copier les récapitulatifs</translation>
    </message>
    <message>
        <source>Copy best configurations</source>
        <translation>Copier les meilleures configurations</translation>
    </message>
    <message>
        <source>Settings that differ (%1)</source>
        <translation>Réglages différents (%1)</translation>
    </message>
    <message>
        <source>All settings are the same</source>
        <translation>Tous les réglages sont identiques</translation>
    </message>
    <message>
        <source>Use as &amp;baseline</source>
        <translation>Utiliser comme &amp;référence</translation>
    </message>
    <message>
        <source>Speeds are relative to this run</source>
        <translation>Les vitesses sont relatives à cette exécution</translation>
    </message>
    <message>
        <source>Quality</source>
        <translation>Qualité</translation>
    </message>
    <message>
        <source>Of runs that differ in a setting which changes their pictures</source>
        <translation>Pour des exécutions qui diffèrent par un réglage qui change leurs images</translation>
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
        <translation>%1 images de %2 × %3</translation>
    </message>
    <message>
        <source>Length of the transformer&apos;s sequence. Self-attention works on the square of it.</source>
        <translation>Longueur de la séquence du transformeur. L&apos;auto-attention travaille sur son carré.</translation>
    </message>
    <message>
        <source>Work per step</source>
        <translation>Travail par étape</translation>
    </message>
    <message>
        <source>%1 % self-attention</source>
        <translation>%1&#xa0;% d&apos;auto-attention</translation>
    </message>
    <message>
        <source>%1 for all %2 steps%3.</source>
        <comment>work, steps, reason</comment>
        <translation>%1 pour l&apos;ensemble des %2 étapes%3.</translation>
    </message>
    <message>
        <source>; guidance computes each step twice</source>
        <translation>&#xa0;; le guidage calcule chaque étape deux fois</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>stage and its memory</comment>
        <translation>%1&#xa0;: %2</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Mémoire</translation>
    </message>
    <message>
        <source>of %1, most: %2</source>
        <comment>memory, stage</comment>
        <translation>sur %1, maximum&#xa0;: %2</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>purpose and bytes</comment>
        <translation>%1&#xa0;: %2</translation>
    </message>
    <message>
        <source>Exchange per step</source>
        <translation>Échange par étape</translation>
    </message>
    <message numerus="yes">
        <source>between %n devices</source>
        <translation>
            <numerusform>sur %n appareil</numerusform>
            <numerusform>entre %n appareils</numerusform>
        </translation>
    </message>
    <message>
        <source>What the busiest device receives from the others.</source>
        <translation>Ce que l&apos;appareil le plus sollicité reçoit des autres.</translation>
    </message>
    <message>
        <source>Loading</source>
        <translation>Chargement</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>Prompt</translation>
    </message>
    <message>
        <source>Denoising</source>
        <translation>Débruitage</translation>
    </message>
    <message>
        <source>Decoding</source>
        <translation>Décodage</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Durée</translation>
    </message>
    <message>
        <source>%1 a step</source>
        <comment>duration</comment>
        <translation>%1 par étape</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>inconnue</translation>
    </message>
    <message>
        <source>runs on several machines</source>
        <translation>sur plusieurs machines</translation>
    </message>
    <message>
        <source>Seconds are predicted for this machine alone: the network between machines is not measured.</source>
        <translation>Les durées ne sont prévues que pour cette machine&#xa0;: le réseau entre machines n&apos;est pas mesuré.</translation>
    </message>
    <message>
        <source>Weights: %1</source>
        <comment>memory</comment>
        <translation>Poids : %1</translation>
    </message>
    <message>
        <source>Activations: %1</source>
        <comment>memory</comment>
        <translation>Activations : %1</translation>
    </message>
    <message>
        <source>Buffers of the exchange: %1</source>
        <comment>memory</comment>
        <translation>Tampons de l&apos;échange : %1</translation>
    </message>
    <message>
        <source>of %1 a device</source>
        <comment>memory</comment>
        <translation>sur %1 par appareil</translation>
    </message>
    <message>
        <source>Fastest of as many devices: %1 with %2, %3 a step</source>
        <comment>mesh, mode, duration</comment>
        <translation>Le plus rapide avec autant d&apos;appareils : %1 avec %2, %3 par pas</translation>
    </message>
    <message>
        <source>Efficiencies from %1; four of five measurements fall within the range.</source>
        <comment>own times, class mean</comment>
        <translation>Rendements d&apos;après : %1 ; quatre mesures sur cinq tombent dans la plage.</translation>
    </message>
    <message>
        <source>Encoding</source>
        <translation>Encodage</translation>
    </message>
    <message>
        <source>GPU memory</source>
        <translation>Mémoire du GPU</translation>
    </message>
    <message>
        <source>; guidance by prompt and pictures computes each step three times</source>
        <translation>&#xa0;; le guidage par le prompt et les images calcule chaque étape trois fois</translation>
    </message>
    <message>
        <source>Memory here</source>
        <comment>of this machine, beside that of other hardware</comment>
        <translation>Mémoire ici</translation>
    </message>
    <message>
        <source>Memory there</source>
        <comment>of other hardware, beside that of this machine</comment>
        <translation>Mémoire là-bas</translation>
    </message>
    <message>
        <source>Predicting for %1 × %2</source>
        <comment>number of devices, hardware</comment>
        <translation>Prévision pour %1 × %2</translation>
    </message>
    <message>
        <source>; guidance by prompt, pictures and video computes each step four times</source>
        <translation> ; le guidage par le prompt, les images et la vidéo calcule chaque étape quatre fois</translation>
    </message>
</context>
<context>
    <name>meshreel::ConsequencesBar</name>
    <message>
        <source>Consequences</source>
        <translation>Conséquences</translation>
    </message>
    <message>
        <source>Tokens, work and memory are shown once the problems are solved.</source>
        <translation>Tokens, travail et mémoire s&apos;affichent une fois les problèmes résolus.</translation>
    </message>
    <message>
        <source>Time here</source>
        <comment>on this machine, beside that on other hardware</comment>
        <translation>Durée ici</translation>
    </message>
    <message>
        <source>time not known</source>
        <comment>of a step on other hardware</comment>
        <translation>durée inconnue</translation>
    </message>
    <message>
        <source>Problems says why.</source>
        <translation>Problèmes en dit la raison.</translation>
    </message>
    <message>
        <source>Plan for this machine alone</source>
        <translation>Planifier pour cette machine seulement</translation>
    </message>
    <message>
        <source>Plan for this machine alone, not for %1</source>
        <comment>hardware</comment>
        <translation>Planifier pour cette machine seulement, pas pour %1</translation>
    </message>
    <message>
        <source>What the project takes on %1. Runs happen on this machine, whose problems decide whether they can.</source>
        <comment>hardware</comment>
        <translation>Ce que le projet demande sur %1. Les exécutions ont lieu sur cette machine, dont les problèmes décident si elles sont possibles.</translation>
    </message>
    <message>
        <source>Predicting for %1</source>
        <comment>hardware</comment>
        <translation>Prévision pour %1</translation>
    </message>
</context>
<context>
    <name>meshreel::ContactSheet</name>
    <message>
        <source>%1 · %2 s</source>
        <comment>number of a frame, time</comment>
        <translation>%1 · %2&#xa0;s</translation>
    </message>
</context>
<context>
    <name>meshreel::DeviceLaneModel</name>
    <message>
        <source>%1 %</source>
        <comment>percentage</comment>
        <translation>%1&#xa0;%</translation>
    </message>
    <message>
        <source>Computing</source>
        <translation>Calcul</translation>
    </message>
    <message>
        <source>Exchange</source>
        <translation>Échange</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>Attente</translation>
    </message>
    <message>
        <source>%1 computing, %2 exchange, %3 waiting; %4 received</source>
        <comment>durations and bytes</comment>
        <translation>%1 de calcul, %2 d&apos;échange, %3 d&apos;attente&#xa0;; %4 reçus</translation>
    </message>
    <message>
        <source>Step %1: %2</source>
        <comment>number, durations</comment>
        <translation>Étape %1&#xa0;: %2</translation>
    </message>
    <message>
        <source>Steps %1 to %2: %3</source>
        <comment>numbers, durations</comment>
        <translation>Étapes %1 à %2&#xa0;: %3</translation>
    </message>
    <message numerus="yes">
        <source>%n steps: the devices compute %1 of the time, exchange %2 and wait %3; device %4 waits most, %5.</source>
        <translation>
            <numerusform>%n étape&#xa0;: les appareils calculent %1 du temps, échangent %2 et attendent %3&#xa0;; l&apos;appareil %4 attend le plus, %5.</numerusform>
            <numerusform>%n étapes&#xa0;: les appareils calculent %1 du temps, échangent %2 et attendent %3&#xa0;; l&apos;appareil %4 attend le plus, %5.</numerusform>
        </translation>
    </message>
    <message>
        <source>Device %1: %2</source>
        <comment>number, durations</comment>
        <translation>Appareil %1&#xa0;: %2</translation>
    </message>
    <message>
        <source>Moving bytes between devices with the device&apos;s own workers</source>
        <translation>Déplacer des octets entre appareils avec les threads de l&apos;appareil même</translation>
    </message>
    <message>
        <source>Standing still until other devices, or the network, are ready</source>
        <translation>À l&apos;arrêt jusqu&apos;à ce que d&apos;autres appareils, ou le réseau, soient prêts</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Appareil</translation>
    </message>
    <message>
        <source>Steps</source>
        <comment>title of lanes over time</comment>
        <translation>Étapes</translation>
    </message>
    <message>
        <source>Received</source>
        <translation>Reçu</translation>
    </message>
    <message>
        <source>GPU idle</source>
        <translation>GPU au repos</translation>
    </message>
    <message>
        <source>%1 computing, %2 GPU idle, %3 exchange, %4 waiting; %5 received</source>
        <comment>durations and bytes</comment>
        <translation>%1 de calcul, %2 de GPU au repos, %3 d&apos;échange, %4 d&apos;attente&#xa0;; %5 reçus</translation>
    </message>
    <message numerus="yes">
        <source>%n steps: the GPU computes %1 of the time and stands still for %2, while the CPU prepares its work or takes its results.</source>
        <translation>
            <numerusform>%n étape&#xa0;: le GPU calcule %1 du temps et reste à l&apos;arrêt pendant %2, tandis que le CPU prépare son travail ou reprend ses résultats.</numerusform>
            <numerusform>%n étapes&#xa0;: le GPU calcule %1 du temps et reste à l&apos;arrêt pendant %2, tandis que le CPU prépare son travail ou reprend ses résultats.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n steps: the GPUs compute %1 of the time, stand still for %2 beside the CPU, exchange %3 and wait %4; device %5 waits most, %6.</source>
        <translation>
            <numerusform>%n étape&#xa0;: les GPU calculent %1 du temps, restent à l&apos;arrêt pendant %2 à côté du CPU, échangent %3 et attendent %4&#xa0;; l&apos;appareil %5 attend le plus, %6.</numerusform>
            <numerusform>%n étapes&#xa0;: les GPU calculent %1 du temps, restent à l&apos;arrêt pendant %2 à côté du CPU, échangent %3 et attendent %4&#xa0;; l&apos;appareil %5 attend le plus, %6.</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 · GPU</source>
        <comment>number of a device</comment>
        <translation>%1 · GPU</translation>
    </message>
    <message>
        <source>The GPU stands still, while the CPU prepares its work or takes its results</source>
        <translation>Le GPU est à l&apos;arrêt, tandis que le CPU prépare son travail ou reprend ses résultats</translation>
    </message>
</context>
<context>
    <name>meshreel::DeviceTexts</name>
    <message>
        <source>%1 to %2</source>
        <comment>first and last</comment>
        <translation>%1 à %2</translation>
    </message>
    <message>
        <source>ring place %1, ulysses place %2</source>
        <translation>place %1 de l&apos;anneau, place Ulysses %2</translation>
    </message>
    <message>
        <source>gathers keys from %1</source>
        <translation>rassemble les clés de %1</translation>
    </message>
    <message>
        <source>keys pass along the line of %1</source>
        <translation>les clés passent le long de la ligne %1</translation>
    </message>
    <message>
        <source>takes keys from %1, passes them to %2</source>
        <translation>prend les clés de %1, les passe à %2</translation>
    </message>
    <message>
        <source>trades heads with %1</source>
        <translation>échange des têtes avec %1</translation>
    </message>
    <message>
        <source>Device %1</source>
        <comment>number</comment>
        <translation>Appareil %1</translation>
    </message>
    <message>
        <source>: holds tokens %1; computes tokens %2 of heads %3</source>
        <comment>ranges</comment>
        <translation>&#xa0;: détient les tokens %1&#xa0;; calcule les tokens %2 des têtes %3</translation>
    </message>
    <message>
        <source>. Receives %1 in an attention, %2 in a step.</source>
        <comment>bytes</comment>
        <translation>. Reçoit %1 par attention, %2 par étape.</translation>
    </message>
    <message>
        <source>%1 devices: %2</source>
        <comment>number and mesh</comment>
        <translation>%1 appareils&#xa0;: %2</translation>
    </message>
    <message>
        <source>; rings of %1, ulysses groups of %2</source>
        <translation>&#xa0;; anneaux de %1, groupes Ulysses de %2</translation>
    </message>
    <message>
        <source>. Point at a device to see what it holds and exchanges.</source>
        <translation>. Pointez un appareil pour voir ce qu&apos;il détient et échange.</translation>
    </message>
    <message>
        <source>, rank %1 on %2</source>
        <comment>number, host</comment>
        <translation>, rang %1 sur %2</translation>
    </message>
    <message>
        <source>adds up layers with %1</source>
        <translation>additionne les couches avec %1</translation>
    </message>
    <message>
        <source>gathers weights from %1</source>
        <translation>rassemble les poids de %1</translation>
    </message>
    <message>
        <source>gathers predictions from %1</source>
        <translation>rassemble les prédictions de %1</translation>
    </message>
    <message>
        <source>, on GPU %1</source>
        <comment>number</comment>
        <translation>, sur le GPU %1</translation>
    </message>
    <message>
        <source> Devices with pins are GPUs.</source>
        <comment>behind another sentence</comment>
        <translation> Les appareils à broches sont des GPU.</translation>
    </message>
</context>
<context>
    <name>meshreel::DevicesPanel</name>
    <message>
        <source>Set up several devices</source>
        <translation>Configurer plusieurs appareils</translation>
    </message>
    <message>
        <source>Lanes of the devices</source>
        <translation>Lignes des appareils</translation>
    </message>
    <message>
        <source>This run has one device, which computes all the time.</source>
        <translation>Cette exécution n&apos;a qu&apos;un appareil, qui calcule tout le temps.</translation>
    </message>
    <message>
        <source>The lanes of the devices begin when the first step has ended.</source>
        <translation>Les lignes des appareils commencent à la fin de la première étape.</translation>
    </message>
    <message>
        <source>This run did not record how its devices spent their steps: an earlier version made it, or it ended before its first step did. What its trace tells is drawn by Compare, as Devices of one run.</source>
        <translation>Cette exécution n&apos;a pas noté comment ses appareils ont passé leurs étapes&#xa0;: une version antérieure l&apos;a faite, ou elle s&apos;est arrêtée avant la fin de sa première étape. Ce que dit sa trace est tracé par «&#xa0;Comparaison&#xa0;», sous «&#xa0;Appareils d&apos;une exécution&#xa0;».</translation>
    </message>
    <message>
        <source>How much each device computes, exchanges and waits is drawn here while a run of several devices goes on, or when a past one is opened.</source>
        <translation>Ce que chaque appareil calcule, échange et attend est tracé ici pendant une exécution sur plusieurs appareils, ou quand une exécution passée est ouverte.</translation>
    </message>
    <message>
        <source>What the devices did</source>
        <translation>Ce que les appareils ont fait</translation>
    </message>
</context>
<context>
    <name>meshreel::DockHost</name>
    <message>
        <source>&amp;Close this panel</source>
        <translation>&amp;Fermer ce panneau</translation>
    </message>
    <message>
        <source>&amp;Float this panel, or dock it again</source>
        <translation>&amp;Détacher ce panneau, ou le rattacher</translation>
    </message>
</context>
<context>
    <name>meshreel::DockMover</name>
    <message>
        <source>&amp;Move this panel</source>
        <translation>Dé&amp;placer ce panneau</translation>
    </message>
    <message>
        <source>To the &amp;left edge</source>
        <translation>Au bord &amp;gauche</translation>
    </message>
    <message>
        <source>To the &amp;right edge</source>
        <translation>Au bord &amp;droit</translation>
    </message>
    <message>
        <source>To the &amp;top</source>
        <translation>En &amp;haut</translation>
    </message>
    <message>
        <source>To the &amp;bottom</source>
        <translation>En &amp;bas</translation>
    </message>
    <message>
        <source>L&amp;eft of</source>
        <translation>À gau&amp;che de</translation>
    </message>
    <message>
        <source>Ri&amp;ght of</source>
        <translation>À d&amp;roite de</translation>
    </message>
    <message>
        <source>&amp;Above</source>
        <translation>&amp;Au-dessus de</translation>
    </message>
    <message>
        <source>Bel&amp;ow</source>
        <translation>Au-de&amp;ssous de</translation>
    </message>
    <message>
        <source>As a tab w&amp;ith</source>
        <translation>En &amp;onglet avec</translation>
    </message>
    <message>
        <source>&amp;Size of this panel</source>
        <translation>&amp;Taille de ce panneau</translation>
    </message>
    <message>
        <source>&amp;Wider</source>
        <translation>É&amp;largir</translation>
    </message>
    <message>
        <source>&amp;Narrower</source>
        <translation>&amp;Rétrécir</translation>
    </message>
    <message>
        <source>&amp;Taller</source>
        <translation>A&amp;grandir en hauteur</translation>
    </message>
    <message>
        <source>&amp;Shorter</source>
        <translation>Ré&amp;duire en hauteur</translation>
    </message>
</context>
<context>
    <name>meshreel::DrawerBar</name>
    <message>
        <source>Drawer</source>
        <translation>Tiroir</translation>
    </message>
    <message>
        <source>Close %1</source>
        <comment>title of a panel</comment>
        <translation>Fermer %1</translation>
    </message>
    <message>
        <source>Open %1</source>
        <comment>title of a panel</comment>
        <translation>Ouvrir %1</translation>
    </message>
</context>
<context>
    <name>meshreel::DrawingDialog</name>
    <message>
        <source>Choose and move</source>
        <translation>Choisir et déplacer</translation>
    </message>
    <message>
        <source>Brush</source>
        <translation>Pinceau</translation>
    </message>
    <message>
        <source>Box</source>
        <translation>Rectangle</translation>
    </message>
    <message>
        <source>Ellipse</source>
        <translation>Ellipse</translation>
    </message>
    <message>
        <source>Polygon</source>
        <translation>Polygone</translation>
    </message>
    <message>
        <source>Track</source>
        <translation>Trajectoire</translation>
    </message>
    <message>
        <source>Drag to move what is there. Its corners, or its points, move alone.</source>
        <translation>Faites glisser pour déplacer. Les coins et les points se déplacent seuls.</translation>
    </message>
    <message>
        <source>Drag to paint.</source>
        <translation>Faites glisser pour peindre.</translation>
    </message>
    <message>
        <source>Drag from corner to corner; Shift makes it as wide as high.</source>
        <translation>Faites glisser d’un coin à l’autre&#xa0;; Maj rend la largeur égale à la hauteur.</translation>
    </message>
    <message>
        <source>Click its corners; Enter, a double click or the first corner ends it.</source>
        <translation>Cliquez sur les coins&#xa0;; Entrée, un double-clic ou le premier coin termine.</translation>
    </message>
    <message>
        <source>Click the places that a point passes and end with Enter, or drag its way.</source>
        <translation>Cliquez sur les endroits où passe un point et terminez par Entrée, ou faites glisser son chemin.</translation>
    </message>
    <message>
        <source>even</source>
        <translation>régulier</translation>
    </message>
    <message>
        <source>slow at first</source>
        <translation>lent au début</translation>
    </message>
    <message>
        <source>slow at last</source>
        <translation>lent à la fin</translation>
    </message>
    <message>
        <source>slow at both ends</source>
        <translation>lent aux deux bouts</translation>
    </message>
    <message>
        <source>stay, then jump</source>
        <translation>rester, puis sauter</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Enregistrer</translation>
    </message>
    <message>
        <source>Draw a mask</source>
        <translation>Dessiner un masque</translation>
    </message>
    <message>
        <source>Draw tracks</source>
        <translation>Dessiner des trajectoires</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>action and its key</comment>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>Outils</translation>
    </message>
    <message>
        <source>Add one in the middle</source>
        <translation>En ajouter un au milieu</translation>
    </message>
    <message>
        <source>Show the mask alone</source>
        <translation>Montrer le masque seul</translation>
    </message>
    <message>
        <source>Add a keyframe here</source>
        <translation>Ajouter une image clé ici</translation>
    </message>
    <message>
        <source>Remove the keyframe here</source>
        <translation>Retirer l’image clé d’ici</translation>
    </message>
    <message>
        <source>Shapes, the upper ones first</source>
        <translation>Formes, celles du dessus d’abord</translation>
    </message>
    <message>
        <source>Tracks, the last ones first</source>
        <translation>Trajectoires, les dernières d’abord</translation>
    </message>
    <message>
        <source>Move it in the whole clip</source>
        <translation>Déplacer dans tout le clip</translation>
    </message>
    <message>
        <source>What is changed then holds at all keyframes; otherwise at the frame that is shown, which gets a keyframe</source>
        <translation>Les changements valent alors pour toutes les images clés&#xa0;; sinon pour l’image montrée, qui devient une image clé</translation>
    </message>
    <message>
        <source>What is drawn</source>
        <translation>Ce qui est dessiné</translation>
    </message>
    <message>
        <source>Copy it</source>
        <translation>Copier</translation>
    </message>
    <message>
        <source>Lift it over the next one</source>
        <translation>Placer au-dessus du suivant</translation>
    </message>
    <message>
        <source>Lower it under the next one</source>
        <translation>Placer sous le suivant</translation>
    </message>
    <message>
        <source>Remove it</source>
        <translation>Retirer</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Annuler</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>Rétablir</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Fermer</translation>
    </message>
    <message>
        <source>Write the drawing and use it in the project</source>
        <translation>Écrire le dessin et l’utiliser dans le projet</translation>
    </message>
    <message>
        <source>Radius of the brush, in pixels of the video</source>
        <translation>Rayon du pinceau, en pixels de la vidéo</translation>
    </message>
    <message>
        <source>Change the brush</source>
        <translation>Changer le pinceau</translation>
    </message>
    <message>
        <source>Soft edge</source>
        <translation>Bord doux</translation>
    </message>
    <message>
        <source>Pixels from white to black, half of them inside</source>
        <translation>Pixels du blanc au noir, dont la moitié à l’intérieur</translation>
    </message>
    <message>
        <source>Change the soft edge</source>
        <translation>Changer le bord doux</translation>
    </message>
    <message>
        <source>Strength</source>
        <translation>Force</translation>
    </message>
    <message>
        <source>Percent of white at this frame</source>
        <translation>Pourcentage de blanc à cette image</translation>
    </message>
    <message>
        <source>Change the strength</source>
        <translation>Changer la force</translation>
    </message>
    <message>
        <source>Cut away</source>
        <translation>Découper</translation>
    </message>
    <message>
        <source>Takes away from the shapes under it, as an eraser does</source>
        <translation>Enlève aux formes du dessous, comme une gomme</translation>
    </message>
    <message>
        <source>Black and white swapped</source>
        <translation>Noir et blanc inversés</translation>
    </message>
    <message>
        <source>What is drawn stays, and all else is made anew</source>
        <translation>Ce qui est dessiné reste, et tout le reste est refait</translation>
    </message>
    <message>
        <source>Swap black and white</source>
        <translation>Inverser noir et blanc</translation>
    </message>
    <message>
        <source>Left</source>
        <translation>Gauche</translation>
    </message>
    <message>
        <source>Pixels from the left edge of the video, at this frame</source>
        <translation>Pixels depuis le bord gauche de la vidéo, à cette image</translation>
    </message>
    <message>
        <source>Move a shape</source>
        <translation>Déplacer une forme</translation>
    </message>
    <message>
        <source>Top</source>
        <translation>Haut</translation>
    </message>
    <message>
        <source>Pixels from the upper edge of the video, at this frame</source>
        <translation>Pixels depuis le bord supérieur de la vidéo, à cette image</translation>
    </message>
    <message>
        <source>Width</source>
        <translation>Largeur</translation>
    </message>
    <message>
        <source>Pixels, at this frame</source>
        <translation>Pixels, à cette image</translation>
    </message>
    <message>
        <source>Scale a shape</source>
        <translation>Redimensionner une forme</translation>
    </message>
    <message>
        <source>Height</source>
        <translation>Hauteur</translation>
    </message>
    <message>
        <source>Move a point</source>
        <translation>Déplacer un point</translation>
    </message>
    <message>
        <source>From the left</source>
        <translation>Depuis la gauche</translation>
    </message>
    <message>
        <source>From the top</source>
        <translation>Depuis le haut</translation>
    </message>
    <message>
        <source>Curve</source>
        <translation>Courbe</translation>
    </message>
    <message>
        <source>A curve through its points, and no lines between them</source>
        <translation>Une courbe par ses points, et non des lignes</translation>
    </message>
    <message>
        <source>Out of sight at its end</source>
        <translation>Hors de vue à la fin</translation>
    </message>
    <message>
        <source>Behind its last keyframe the point is hidden; otherwise it stays there</source>
        <translation>Après sa dernière image clé, le point est caché&#xa0;; sinon il y reste</translation>
    </message>
    <message>
        <source>How it goes from the keyframe at this frame to the next one</source>
        <translation>Comment il va de l’image clé de cette image à la suivante</translation>
    </message>
    <message>
        <source>To the next</source>
        <translation>Vers la suivante</translation>
    </message>
    <message>
        <source>Change the speed</source>
        <translation>Changer la vitesse</translation>
    </message>
    <message>
        <source>Write %1 and use it in the project</source>
        <translation>Écrire %1 et l’utiliser dans le projet</translation>
    </message>
    <message>
        <source>Nothing is drawn yet.</source>
        <translation>Rien n’est encore dessiné.</translation>
    </message>
    <message>
        <source>Save the drawing</source>
        <translation>Enregistrer le dessin</translation>
    </message>
    <message>
        <source>Drawings (*.json)</source>
        <translation>Dessins (*.json)</translation>
    </message>
    <message>
        <source>The drawing has changes that are not saved.</source>
        <translation>Le dessin a des modifications non enregistrées.</translation>
    </message>
</context>
<context>
    <name>meshreel::DrawingDocument</name>
    <message>
        <source>Track %1</source>
        <translation>Trajectoire %1</translation>
    </message>
    <message>
        <source>Box %1</source>
        <translation>Rectangle %1</translation>
    </message>
    <message>
        <source>Ellipse %1</source>
        <translation>Ellipse %1</translation>
    </message>
    <message>
        <source>Polygon %1</source>
        <translation>Polygone %1</translation>
    </message>
    <message>
        <source>Stroke %1</source>
        <translation>Trait %1</translation>
    </message>
    <message>
        <source>Remove %1</source>
        <translation>Retirer %1</translation>
    </message>
    <message>
        <source>Copy %1</source>
        <translation>Copier %1</translation>
    </message>
    <message>
        <source>Change the order</source>
        <translation>Changer l’ordre</translation>
    </message>
    <message>
        <source>Move %1</source>
        <translation>Déplacer %1</translation>
    </message>
    <message>
        <source>Add a keyframe</source>
        <translation>Ajouter une image clé</translation>
    </message>
    <message>
        <source>Remove a keyframe</source>
        <translation>Retirer une image clé</translation>
    </message>
    <message>
        <source>Move a keyframe</source>
        <translation>Déplacer une image clé</translation>
    </message>
</context>
<context>
    <name>meshreel::DrawingOpener</name>
    <message>
        <source>Saving it clears the track visibility: points that stay hidden leave, and all others are in sight.</source>
        <translation>L’enregistrement vide la visibilité des trajectoires : les points qui restent cachés sortent, tous les autres sont visibles.</translation>
    </message>
    <message>
        <source>Fitted to the project: %1 × %2, %3 frames at %4 a second.</source>
        <translation>Adapté au projet&#xa0;: %1 × %2, %3 images à %4 par seconde.</translation>
    </message>
    <message>
        <source>%1 does not lie beside the project and stays as it is: a copy is saved.</source>
        <translation>%1 n’est pas à côté du projet et reste tel quel : une copie est enregistrée.</translation>
    </message>
    <message>
        <source>Read from the points of %1, which stays as it is.</source>
        <translation>Lu à partir des points de %1, qui reste inchangé.</translation>
    </message>
    <message>
        <source>%1 is no drawing: a new one takes its place when it is saved.</source>
        <translation>%1 n’est pas un dessin&#xa0;: un nouveau le remplace à l’enregistrement.</translation>
    </message>
</context>
<context>
    <name>meshreel::DrawingStage</name>
    <message>
        <source>Picture that is drawn on</source>
        <translation>Image sur laquelle on dessine</translation>
    </message>
    <message>
        <source>frame %1</source>
        <translation>image %1</translation>
    </message>
    <message>
        <source>Nothing is chosen; %1</source>
        <translation>Rien n’est choisi&#xa0;; %1</translation>
    </message>
    <message>
        <source>%1 is chosen; %2</source>
        <translation>%1 est choisi&#xa0;; %2</translation>
    </message>
</context>
<context>
    <name>meshreel::DrawingStrip</name>
    <message>
        <source>Keyframes along the clip</source>
        <translation>Images clés le long du clip</translation>
    </message>
    <message>
        <source>Frame %1</source>
        <translation>Image %1</translation>
    </message>
    <message>
        <source>%1; keyframes at %2</source>
        <translation>%1&#xa0;; images clés à %2</translation>
    </message>
    <message>
        <source>Keyframe at frame %1: drag it along</source>
        <translation>Image clé à l’image %1&#xa0;: faites-la glisser</translation>
    </message>
    <message>
        <source>Click to go to a frame</source>
        <translation>Cliquez pour aller à une image</translation>
    </message>
</context>
<context>
    <name>meshreel::EngineUse</name>
    <message>
        <source>Tune is timing block sizes: wait for its end, or cancel it there.</source>
        <translation>«&#xa0;Réglage fin&#xa0;» chronomètre des tailles de blocs&#xa0;: attendez la fin ou annulez là-bas.</translation>
    </message>
    <message>
        <source>A sweep is being timed: wait for its end, or cancel it there.</source>
        <translation>Un balayage est en cours de mesure&#xa0;: attendez sa fin ou annulez-le dans son panneau.</translation>
    </message>
    <message>
        <source>This machine is being measured: wait for its end, or cancel it.</source>
        <translation>Cette machine est en cours de mesure&#xa0;: attendez la fin ou annulez.</translation>
    </message>
    <message>
        <source>A run is in progress: wait until it ends, or cancel it.</source>
        <translation>Une exécution est en cours&#xa0;: attendez sa fin ou annulez-la.</translation>
    </message>
    <message>
        <source>Bench is measuring: wait for its end, or cancel it there.</source>
        <translation>Le banc d’essai mesure : attendez sa fin, ou annulez-le là.</translation>
    </message>
</context>
<context>
    <name>meshreel::ExportButton</name>
    <message>
        <source>%1…</source>
        <comment>file format</comment>
        <translation>%1…</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exporter</translation>
    </message>
    <message>
        <source>Write the chart to a file</source>
        <translation>Écrire le graphique dans un fichier</translation>
    </message>
    <message>
        <source>Export the chart</source>
        <translation>Exporter le graphique</translation>
    </message>
</context>
<context>
    <name>meshreel::FilterBar</name>
    <message>
        <source>Today</source>
        <translation>Aujourd’hui</translation>
    </message>
    <message>
        <source>Last 7 days</source>
        <translation>7 derniers jours</translation>
    </message>
    <message>
        <source>Last 30 days</source>
        <translation>30 derniers jours</translation>
    </message>
    <message>
        <source>Search runs</source>
        <translation>Chercher des exécutions</translation>
    </message>
    <message>
        <source>Only runs with a star</source>
        <translation>Seulement les exécutions étoilées</translation>
    </message>
    <message>
        <source>Show only runs with a star</source>
        <translation>Ne montrer que les exécutions étoilées</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>Filtrer</translation>
    </message>
    <message>
        <source>Show only runs of a model, task, adapter, time, tag or board</source>
        <translation>Ne montrer que les exécutions d’un modèle, d’une tâche, d’un adaptateur, d’une période, d’une étiquette ou d’une collection</translation>
    </message>
    <message>
        <source>Show all runs</source>
        <translation>Montrer toutes les exécutions</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>Début</translation>
    </message>
    <message>
        <source>End the filter %1</source>
        <translation>Retirer le filtre %1</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>kind of filter and its value</comment>
        <translation>%1 : %2</translation>
    </message>
    <message>
        <source>With a star</source>
        <translation>Avec une étoile</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <comment>numbers of runs</comment>
        <translation>%1 sur %2</translation>
    </message>
    <message numerus="yes">
        <source>%n runs</source>
        <translation>
            <numerusform>%n exécution</numerusform>
            <numerusform>%n exécutions</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 runs are shown</source>
        <translation>%1 exécutions sont montrées</translation>
    </message>
</context>
<context>
    <name>meshreel::Fixes</name>
    <message>
        <source>Set %1 to %2</source>
        <comment>title of a setting, value</comment>
        <translation>Régler %1 sur %2</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <comment>title of a setting, value; one of several in “Set …”</comment>
        <translation>%1 sur %2</translation>
    </message>
    <message>
        <source>Set %1</source>
        <comment>several settings with their values</comment>
        <translation>Régler %1</translation>
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
        <translation>%1 à %2</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <comment>memory</comment>
        <translation>%1 sur %2</translation>
    </message>
    <message>
        <source>%1 of %2: does not fit</source>
        <comment>memory</comment>
        <translation>%1 sur %2 : ne tient pas</translation>
    </message>
    <message>
        <source>Four of five measurements fall into it</source>
        <translation>Quatre mesures sur cinq y tombent</translation>
    </message>
    <message>
        <source>The largest cost apart from linear layers and attention products</source>
        <translation>Le coût le plus grand hors couches linéaires et produits d&apos;attention</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Appareils</translation>
    </message>
    <message>
        <source>Mesh</source>
        <translation>Maillage</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>Attention</translation>
    </message>
    <message>
        <source>Blocks</source>
        <translation>Blocs</translation>
    </message>
    <message>
        <source>s/step</source>
        <translation>s/pas</translation>
    </message>
    <message>
        <source>Range</source>
        <translation>Plage</translation>
    </message>
    <message>
        <source>Clip s</source>
        <translation>Clip s</translation>
    </message>
    <message>
        <source>Memory per device</source>
        <translation>Mémoire par appareil</translation>
    </message>
    <message>
        <source>Money</source>
        <comment>for a clip</comment>
        <translation>Coût</translation>
    </message>
    <message>
        <source>Largest overhead</source>
        <translation>Surcoût principal</translation>
    </message>
    <message>
        <source>%1, the project&apos;s own</source>
        <comment>a mesh</comment>
        <translation>%1, celui du projet</translation>
    </message>
    <message>
        <source>The project&apos;s own mesh, which the others are compared with</source>
        <translation>Le maillage du projet, auquel les autres sont comparés</translation>
    </message>
    <message>
        <source>The project&apos;s own</source>
        <translation>Celui du projet</translation>
    </message>
    <message>
        <source>Beside the project&apos;s own mesh, in bold; where the ranges overlap, either may be faster</source>
        <translation>À côté du maillage du projet, en gras ; où les plages se recouvrent, l&apos;un ou l&apos;autre peut être plus rapide</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>Verdict</translation>
    </message>
</context>
<context>
    <name>meshreel::ForesightCharts</name>
    <message>
        <source>Seconds a step</source>
        <comment>axis of a chart</comment>
        <translation>Secondes par pas</translation>
    </message>
    <message>
        <source>Seconds a step of the fastest mesh</source>
        <translation>Secondes par pas du maillage le plus rapide</translation>
    </message>
    <message>
        <source>%1, measured</source>
        <comment>run</comment>
        <translation>%1, mesuré</translation>
    </message>
    <message>
        <source>%1, foreseen on %2</source>
        <comment>run, mesh</comment>
        <translation>%1, prévu sur %2</translation>
    </message>
    <message>
        <source>%1 (own)</source>
        <comment>the mesh of the project</comment>
        <translation>%1 (propre)</translation>
    </message>
</context>
<context>
    <name>meshreel::ForesightPanel</name>
    <message>
        <source>Use this mesh</source>
        <translation>Utiliser ce maillage</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>Programme</translation>
    </message>
    <message>
        <source>What runs the model there</source>
        <translation>Ce qui exécute le modèle là-bas</translation>
    </message>
    <message>
        <source>Numbers of devices</source>
        <translation>Nombres d&apos;appareils</translation>
    </message>
    <message>
        <source>Numbers of devices from 1 to 4,096, separated by commas</source>
        <translation>Nombres d&apos;appareils de 1 à 4 096, séparés par des virgules</translation>
    </message>
    <message>
        <source>Price</source>
        <translation>Prix</translation>
    </message>
    <message>
        <source>Price of a device for an hour: adds the money for a clip</source>
        <translation>Prix d&apos;un appareil par heure : ajoute le coût d&apos;un clip</translation>
    </message>
    <message>
        <source>no price</source>
        <translation>sans prix</translation>
    </message>
    <message>
        <source>Best mesh by context size</source>
        <translation>Meilleur maillage par taille de contexte</translation>
    </message>
    <message>
        <source>Seconds a step by split</source>
        <translation>Secondes par pas selon le partage</translation>
    </message>
    <message>
        <source>Block sizes</source>
        <translation>Tailles de blocs</translation>
    </message>
    <message>
        <source>Scaling to 4,096 devices</source>
        <translation>Passage à 4 096 appareils</translation>
    </message>
    <message>
        <source>Foreseen beside measured</source>
        <translation>Prévu à côté du mesuré</translation>
    </message>
    <message>
        <source>What the chart shows</source>
        <translation>Ce que montre le graphique</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Appareils</translation>
    </message>
    <message>
        <source>Chart of the foresight</source>
        <translation>Graphique de la prévision</translation>
    </message>
    <message>
        <source>Foreseen meshes</source>
        <translation>Maillages prévus</translation>
    </message>
    <message>
        <source>Gives this mesh, its attention and its block sizes to the project; can be undone</source>
        <translation>Donne au projet ce maillage, son attention et ses tailles de blocs ; annulable</translation>
    </message>
    <message>
        <source>chart</source>
        <comment>beside a divider</comment>
        <translation>graphique</translation>
    </message>
    <message>
        <source>meshes</source>
        <comment>beside a divider</comment>
        <translation>maillages</translation>
    </message>
    <message>
        <source>%1 (default)</source>
        <comment>program</comment>
        <translation>%1 (par défaut)</translation>
    </message>
    <message>
        <source>Choose the hardware above to see which mesh is the fastest there, and how many seconds a step takes.</source>
        <translation>Choisissez le matériel ci-dessus pour voir quel maillage y est le plus rapide et combien de secondes dure un pas.</translation>
    </message>
    <message>
        <source>Write numbers of devices from 1 to 4,096, such as 8, 16.</source>
        <translation>Écrivez des nombres d&apos;appareils de 1 à 4 096, par exemple 8, 16.</translation>
    </message>
    <message>
        <source>The project cannot be planned: Problems says what keeps it from that.</source>
        <translation>Le projet ne peut pas être planifié : « Problèmes » dit ce qui l&apos;en empêche.</translation>
    </message>
    <message>
        <source>Reading the profile and the published times…</source>
        <translation>Lecture du profil et des temps publiés…</translation>
    </message>
    <message>
        <source>%1, %2: efficiencies from %3. Double click a mesh to use it.</source>
        <comment>hardware, program, basis</comment>
        <translation>%1, %2 : rendements d&apos;après : %3. Double-cliquez sur un maillage pour l&apos;utiliser.</translation>
    </message>
    <message>
        <source>No legal mesh has so many devices.</source>
        <translation>Aucun maillage valide n&apos;a autant d&apos;appareils.</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <comment>title of a chart: what it shows, hardware</comment>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>Mesh: %1</source>
        <translation>Maillage : %1</translation>
    </message>
    <message>
        <source>Pasted blocks name no mesh: select the one they ran on.</source>
        <translation>Les blocs collés ne nomment pas de maillage : choisissez celui sur lequel ils ont tourné.</translation>
    </message>
</context>
<context>
    <name>meshreel::FrameView</name>
    <message>
        <source>The wheel zooms, dragging moves, a double click fits (+, -, Shift with an arrow key, 0).</source>
        <translation>La molette zoome, glisser déplace, un double-clic ajuste (+, -, Maj avec une touche fléchée, 0).</translation>
    </message>
</context>
<context>
    <name>meshreel::FramesField</name>
    <message>
        <source>Length in seconds</source>
        <translation>Durée en secondes</translation>
    </message>
    <message>
        <source>s</source>
        <comment>seconds, behind a number</comment>
        <translation>s</translation>
    </message>
    <message>
        <source>The nearest legal number of frames is taken: steps of %1 s</source>
        <translation>Le nombre d’images permis le plus proche est pris : pas de %1 s</translation>
    </message>
</context>
<context>
    <name>meshreel::FullScreenView</name>
    <message>
        <source>Video</source>
        <translation>Vidéo</translation>
    </message>
</context>
<context>
    <name>meshreel::GridDialog</name>
    <message>
        <source>Choose a setting</source>
        <translation>Choisir un réglage</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>section and title of a setting</comment>
        <translation>%1&#xa0;: %2</translation>
    </message>
    <message>
        <source>Add a grid to the queue</source>
        <translation>Ajouter une grille à la file d&apos;attente</translation>
    </message>
    <message>
        <source>Add to the queue</source>
        <translation>Ajouter à la file d&apos;attente</translation>
    </message>
    <message>
        <source>Setting %1</source>
        <translation>Réglage %1</translation>
    </message>
    <message>
        <source>Values of setting %1</source>
        <translation>Valeurs du réglage %1</translation>
    </message>
    <message>
        <source>Now: %1</source>
        <translation>Actuellement&#xa0;: %1</translation>
    </message>
    <message numerus="yes">
        <source>%n runs will be added.</source>
        <translation>
            <numerusform>%n exécution sera ajoutée.</numerusform>
            <numerusform>%n exécutions seront ajoutées.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n combinations cannot run and are left out: %1</source>
        <translation>
            <numerusform>%n combinaison ne peut pas s&apos;exécuter et est omise&#xa0;: %1</numerusform>
            <numerusform>%n combinaisons ne peuvent pas s&apos;exécuter et sont omises&#xa0;: %1</numerusform>
        </translation>
    </message>
    <message>
        <source>The project is added once for every combination of these values. Write one value a line; for numbers and choices also 1, 2, 5, for whole numbers also 1..8; in prompts a {ball|cube} stands for both.</source>
        <translation>Le projet est ajouté une fois pour chaque combinaison de ces valeurs. Une valeur par ligne&#xa0;; pour les nombres et les choix aussi 1, 2, 5, pour les entiers aussi 1..8&#xa0;; dans un prompt, a {ball|cube} vaut pour les deux.</translation>
    </message>
</context>
<context>
    <name>meshreel::GridTexts</name>
    <message>
        <source>Choose a setting and write its values.</source>
        <translation>Choisissez un réglage et écrivez ses valeurs.</translation>
    </message>
    <message>
        <source>“%1” is chosen more than once: write all of its values into one field.</source>
        <translation>«&#xa0;%1&#xa0;» est choisi plusieurs fois&#xa0;: écrivez toutes ses valeurs dans un seul champ.</translation>
    </message>
    <message>
        <source>Write at least one value of “%1”.</source>
        <translation>Écrivez au moins une valeur de «&#xa0;%1&#xa0;».</translation>
    </message>
    <message>
        <source>These are more than %1 runs, the most that a grid adds: leave some values out.</source>
        <translation>Cela fait plus de %1 exécutions, le maximum qu&apos;une grille ajoute&#xa0;: retirez des valeurs.</translation>
    </message>
</context>
<context>
    <name>meshreel::HardwareChooser</name>
    <message>
        <source>Plan for</source>
        <translation>Planifier pour</translation>
    </message>
    <message>
        <source>This machine</source>
        <translation>Cette machine</translation>
    </message>
    <message>
        <source>Profile file…</source>
        <translation>Fichier de profil…</translation>
    </message>
    <message>
        <source>Choose a hardware profile</source>
        <translation>Choisir un profil matériel</translation>
    </message>
    <message>
        <source>Hardware profiles (*.yaml)</source>
        <translation>Profils matériels (*.yaml)</translation>
    </message>
    <message>
        <source>Plan for this machine alone</source>
        <translation>Planifier pour cette machine seulement</translation>
    </message>
    <message>
        <source>Hardware that time, memory and meshes are predicted for beside this machine. It is kept for this project alone. Runs always happen on this machine.</source>
        <translation>Matériel pour lequel la durée, la mémoire et les maillages sont prédits à côté de cette machine. Il n’est retenu que pour ce projet. Les exécutions ont toujours lieu sur cette machine.</translation>
    </message>
</context>
<context>
    <name>meshreel::HistoryActions</name>
    <message numerus="yes">
        <source>Moved to the trash: %n runs</source>
        <translation>
            <numerusform>Mise à la corbeille&#xa0;: %n exécution</numerusform>
            <numerusform>Mises à la corbeille&#xa0;: %n exécutions</numerusform>
        </translation>
    </message>
    <message>
        <source>The system has no trash for %1; use Show folder and delete there.</source>
        <translation>Le système n&apos;a pas de corbeille pour %1&#xa0;; utilisez «&#xa0;Afficher le dossier&#xa0;» et supprimez-le là.</translation>
    </message>
    <message>
        <source>Move to trash</source>
        <translation>Mettre à la corbeille</translation>
    </message>
    <message numerus="yes">
        <source>Move %n runs to the trash?</source>
        <translation>
            <numerusform>Mettre %n exécution à la corbeille ?</numerusform>
            <numerusform>Mettre %n exécutions à la corbeille ?</numerusform>
        </translation>
    </message>
    <message>
        <source>A program works on %1: cancel it there, or wait until it is done.</source>
        <translation>Un programme travaille à %1 : annulez-le là-bas, ou attendez qu’il ait fini.</translation>
    </message>
</context>
<context>
    <name>meshreel::HistoryPanel</name>
    <message>
        <source>Open</source>
        <translation>Ouvrir</translation>
    </message>
    <message>
        <source>Show the chart, summary and video of the run</source>
        <translation>Afficher le graphique, le récapitulatif et la vidéo de l&apos;exécution</translation>
    </message>
    <message>
        <source>Load these settings</source>
        <translation>Charger ces réglages</translation>
    </message>
    <message>
        <source>Edit a copy of the run&apos;s project</source>
        <translation>Modifier une copie du projet de l&apos;exécution</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Reprendre</translation>
    </message>
    <message>
        <source>Resume on a different machine</source>
        <translation>Reprendre sur une autre machine</translation>
    </message>
    <message>
        <source>Decode again</source>
        <translation>Décoder à nouveau</translation>
    </message>
    <message>
        <source>Make the video again from the kept latents</source>
        <translation>Refaire la vidéo à partir des latents conservés</translation>
    </message>
    <message>
        <source>Show folder</source>
        <translation>Afficher le dossier</translation>
    </message>
    <message>
        <source>Open the run&apos;s folder in the file manager</source>
        <translation>Ouvrir le dossier de l&apos;exécution dans le gestionnaire de fichiers</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Exécutions</translation>
    </message>
    <message>
        <source>Read the runs folder again</source>
        <translation>Relire le dossier des exécutions</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Comparer</translation>
    </message>
    <message>
        <source>Show the selected runs in one chart, with the settings that differ</source>
        <translation>Afficher les exécutions choisies dans un seul graphique, avec les réglages qui diffèrent</translation>
    </message>
    <message>
        <source>Move to trash</source>
        <translation>Mettre à la corbeille</translation>
    </message>
    <message>
        <source>Move the folders of the selected runs to the trash</source>
        <translation>Mettre à la corbeille les dossiers des exécutions choisies</translation>
    </message>
    <message>
        <source>No run matches “%1”.</source>
        <translation>Aucune exécution ne correspond à «&#xa0;%1&#xa0;».</translation>
    </message>
    <message>
        <source>Describe a video</source>
        <translation>Décrire une vidéo</translation>
    </message>
    <message>
        <source>Show all runs</source>
        <translation>Montrer toutes les exécutions</translation>
    </message>
    <message>
        <source>There are no runs yet: describe a video and press Run.</source>
        <translation>Il n&apos;y a pas encore d&apos;exécution&#xa0;: décrivez une vidéo et cliquez sur «&#xa0;Exécuter&#xa0;».</translation>
    </message>
    <message>
        <source>Compare with the open project</source>
        <translation>Comparer au projet ouvert</translation>
    </message>
    <message>
        <source>Show in which settings the selected runs and the project being edited differ</source>
        <translation>Montrer quels réglages diffèrent entre les exécutions choisies et le projet en cours d&apos;édition</translation>
    </message>
    <message>
        <source>Copy timing summaries</source>
        <translation>Copier les récapitulatifs</translation>
    </message>
    <message>
        <source>Copy those of the selected runs in the published layout</source>
        <translation>Copier ceux des exécutions choisies dans la présentation publiée</translation>
    </message>
    <message>
        <source>Copy best configurations</source>
        <translation>Copier les meilleures configurations</translation>
    </message>
    <message>
        <source>Copy the fastest of the selected runs, by attention mode and number of devices, as a Markdown table</source>
        <translation>Copier les plus rapides des exécutions choisies, par mode d&apos;attention et nombre d&apos;appareils, en tableau Markdown</translation>
    </message>
    <message>
        <source>Refresh</source>
        <translation>Actualiser</translation>
    </message>
    <message>
        <source>Go on from the last finished step</source>
        <translation>Reprendre depuis la dernière étape terminée</translation>
    </message>
    <message>
        <source>Resume although the processor, build or number of workers has changed; the last bits of the result may differ</source>
        <translation>Reprendre bien que le processeur, la version ou le nombre de threads aient changé&#xa0;; les derniers bits du résultat peuvent différer</translation>
    </message>
    <message>
        <source>Export videos</source>
        <translation>Exporter les vidéos</translation>
    </message>
    <message>
        <source>Copy the videos of the selected runs into a folder</source>
        <translation>Copier les vidéos des exécutions choisies dans un dossier</translation>
    </message>
    <message>
        <source>Large preview</source>
        <translation>Grand aperçu</translation>
    </message>
    <message>
        <source>Play the run large, with its settings; the arrow keys go on to the next one</source>
        <translation>Jouer l’exécution en grand, avec ses réglages ; les flèches mènent à la suivante</translation>
    </message>
    <message>
        <source>Star</source>
        <translation>Étoile</translation>
    </message>
    <message>
        <source>Give the selected runs a star, or take it away</source>
        <translation>Donner une étoile aux exécutions choisies, ou la retirer</translation>
    </message>
    <message>
        <source>Tags…</source>
        <translation>Étiquettes…</translation>
    </message>
    <message>
        <source>Change the tags of the selected runs</source>
        <translation>Modifier les étiquettes des exécutions choisies</translation>
    </message>
    <message>
        <source>Boards…</source>
        <translation>Collections…</translation>
    </message>
    <message>
        <source>Put the selected runs on boards: collections with a name</source>
        <translation>Mettre les exécutions choisies dans des collections nommées</translation>
    </message>
    <message>
        <source>Show runs as tiles</source>
        <translation>Montrer les exécutions en mosaïque</translation>
    </message>
    <message>
        <source>Show runs as a table</source>
        <translation>Montrer les exécutions en tableau</translation>
    </message>
    <message>
        <source>Tags of the selected runs</source>
        <translation>Étiquettes des exécutions choisies</translation>
    </message>
    <message>
        <source>Boards of the selected runs</source>
        <translation>Collections des exécutions choisies</translation>
    </message>
    <message>
        <source>No run passes these filters.</source>
        <translation>Aucune exécution ne passe ces filtres.</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>Évaluer</translation>
    </message>
    <message>
        <source>See the videos of the selected runs in pairs, without their settings, and say which is better; of one run, all of its prompt</source>
        <translation>Voir les vidéos des exécutions choisies par paires, sans leurs réglages, et dire laquelle est meilleure ; pour une seule, toutes celles de son prompt</translation>
    </message>
</context>
<context>
    <name>meshreel::HostTexts</name>
    <message numerus="yes">
        <source>%n rank(s)</source>
        <translation>
            <numerusform>%n rang</numerusform>
            <numerusform>%n rangs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1, each with %n device(s)</source>
        <comment>sum of ranks</comment>
        <translation>
            <numerusform>%1, chacun avec %n appareil</numerusform>
            <numerusform>%1, chacun avec %n appareils</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::ImportDialog</name>
    <message>
        <source>Import from MaxDiffusion</source>
        <translation>Importer de MaxDiffusion</translation>
    </message>
    <message>
        <source>Open as a project</source>
        <translation>Ouvrir comme projet</translation>
    </message>
    <message>
        <source>base_wan_14b.yml, typed, chosen or dropped here</source>
        <translation>base_wan_14b.yml, saisi, choisi ou déposé ici</translation>
    </message>
    <message>
        <source>Config</source>
        <translation>Configuration</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>Choisir…</translation>
    </message>
    <message>
        <source>python generate_wan.py base_wan_14b.yml attention=ulysses_ring ulysses_shards=2 …</source>
        <translation>python generate_wan.py base_wan_14b.yml attention=ulysses_ring ulysses_shards=2 …</translation>
    </message>
    <message>
        <source>Command line</source>
        <translation>Ligne de commande</translation>
    </message>
    <message>
        <source>What became of every key</source>
        <translation>Ce que chaque clé est devenue</translation>
    </message>
    <message>
        <source>command line</source>
        <translation>ligne de commande</translation>
    </message>
    <message>
        <source>Choose a config of MaxDiffusion</source>
        <translation>Choisir une configuration de MaxDiffusion</translation>
    </message>
    <message>
        <source>Configs (*.yml *.yaml);;All files (*)</source>
        <translation>Configurations (*.yml *.yaml);;Tous les fichiers (*)</translation>
    </message>
    <message>
        <source>Choose a config, paste a command line, or both: its settings win. What becomes of every key is told here before anything is opened.</source>
        <translation>Choisissez une configuration, collez une ligne de commande, ou les deux&#xa0;: les réglages de la ligne de commande l&apos;emportent. Ce que devient chaque clé est dit ici avant toute ouverture.</translation>
    </message>
    <message>
        <source>Fix before running: %1</source>
        <translation>À corriger avant l&apos;exécution&#xa0;: %1</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modèle</translation>
    </message>
    <message>
        <source>The model that the config or the command line names, or another one</source>
        <translation>Le modèle que nomme la configuration ou la ligne de commande, ou un autre</translation>
    </message>
    <message>
        <source>Choose the model that the config is for</source>
        <translation>Choisissez le modèle visé par la configuration</translation>
    </message>
</context>
<context>
    <name>meshreel::ImportReportModel</name>
    <message>
        <source>taken</source>
        <translation>reprise</translation>
    </message>
    <message>
        <source>translated</source>
        <translation>traduite</translation>
    </message>
    <message>
        <source>ignored</source>
        <translation>ignorée</translation>
    </message>
    <message>
        <source>refused</source>
        <translation>refusée</translation>
    </message>
    <message numerus="yes">
        <source>%n taken</source>
        <comment>keys</comment>
        <translation>
            <numerusform>%n reprise</numerusform>
            <numerusform>%n reprises</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n translated</source>
        <comment>keys</comment>
        <translation>
            <numerusform>%n traduite</numerusform>
            <numerusform>%n traduites</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n ignored</source>
        <comment>keys</comment>
        <translation>
            <numerusform>%n ignorée</numerusform>
            <numerusform>%n ignorées</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n refused</source>
        <comment>keys</comment>
        <translation>
            <numerusform>%n refusée</numerusform>
            <numerusform>%n refusées</numerusform>
        </translation>
    </message>
    <message>
        <source>command line</source>
        <translation>ligne de commande</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>Clé</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>Résultat</translation>
    </message>
    <message>
        <source>Meshreel setting or reason</source>
        <translation>Réglage ou raison</translation>
    </message>
    <message>
        <source>From</source>
        <translation>Provenance</translation>
    </message>
</context>
<context>
    <name>meshreel::InputRequest</name>
    <message>
        <source>Choose…</source>
        <translation>Choisir…</translation>
    </message>
    <message>
        <source>%1: drop the file here.</source>
        <comment>title of an input</comment>
        <translation>%1 : déposez le fichier ici.</translation>
    </message>
    <message>
        <source>Choose: %1</source>
        <comment>title of an input</comment>
        <translation>Choisir : %1</translation>
    </message>
</context>
<context>
    <name>meshreel::KeyField</name>
    <message>
        <source>Take a random seed</source>
        <translation>Prendre une graine au hasard</translation>
    </message>
    <message>
        <source>Choose a model folder</source>
        <translation>Choisir un dossier de modèle</translation>
    </message>
    <message>
        <source>Choose a model</source>
        <translation>Choisir un modèle</translation>
    </message>
    <message>
        <source>Choose a model &amp;folder…</source>
        <translation>Choisir un &amp;dossier de modèle…</translation>
    </message>
    <message>
        <source>Choose a transformer’s f&amp;ile…</source>
        <translation>Choisir un &amp;fichier de transformeur…</translation>
    </message>
    <message>
        <source>Choose a transformer’s file</source>
        <translation>Choisir un fichier de transformeur</translation>
    </message>
    <message>
        <source>Weights (*.safetensors *.gguf *.pth *.pt)</source>
        <translation>Poids (*.safetensors *.gguf *.pth *.pt)</translation>
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
        <translation>par défaut %1</translation>
    </message>
    <message>
        <source>Choose a setting to read what it does.</source>
        <translation>Choisissez un réglage pour lire ce qu&apos;il fait.</translation>
    </message>
    <message>
        <source>Reference</source>
        <translation>Référence</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>Aide</translation>
    </message>
</context>
<context>
    <name>meshreel::KeyReference</name>
    <message>
        <source>Reference of the project keys</source>
        <translation>Référence des clés de projet</translation>
    </message>
</context>
<context>
    <name>meshreel::KeyRow</name>
    <message>
        <source>Back to the default: empty</source>
        <translation>Revenir à la valeur par défaut&#xa0;: vide</translation>
    </message>
    <message>
        <source>Back to the default: %1</source>
        <translation>Revenir à la valeur par défaut&#xa0;: %1</translation>
    </message>
    <message>
        <source>Reset %1</source>
        <comment>title of a setting</comment>
        <translation>Réinitialiser %1</translation>
    </message>
</context>
<context>
    <name>meshreel::KeyTexts</name>
    <message>
        <source>at least %1</source>
        <translation>au moins %1</translation>
    </message>
    <message>
        <source>at most %1</source>
        <translation>au plus %1</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <comment>range of values</comment>
        <translation>%1 à %2</translation>
    </message>
    <message>
        <source>%1, step %2</source>
        <comment>range and step</comment>
        <translation>%1, par pas de %2</translation>
    </message>
    <message>
        <source>%1, or %2 for automatic</source>
        <comment>range and special value</comment>
        <translation>%1, ou %2 pour automatique</translation>
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
        <translation>%1&#xa0;: %2</translation>
    </message>
    <message>
        <source>%1 to %2, or %3 for a random one</source>
        <comment>range and special value of a seed</comment>
        <translation>%1 à %2, ou %3 pour une graine au hasard</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>place and what is wrong</comment>
        <translation>%1&#xa0;: %2</translation>
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
        <translation>%1 : %2</translation>
    </message>
    <message>
        <source>none</source>
        <comment>adapters or keyframes</comment>
        <translation>aucun</translation>
    </message>
</context>
<context>
    <name>meshreel::KeyframeField</name>
    <message>
        <source>frame</source>
        <translation>trame</translation>
    </message>
    <message>
        <source>seconds</source>
        <translation>secondes</translation>
    </message>
    <message>
        <source>percent</source>
        <translation>pour cent</translation>
    </message>
    <message>
        <source>Add pictures…</source>
        <translation>Ajouter des images…</translation>
    </message>
    <message>
        <source>Choose pictures, or drop them on the strip at their frames</source>
        <translation>Choisissez des images, ou déposez-les sur la bande à leurs trames</translation>
    </message>
    <message>
        <source>Choose pictures</source>
        <translation>Choisir des images</translation>
    </message>
    <message>
        <source>Remove keyframe %1</source>
        <translation>Retirer l&apos;image clé %1</translation>
    </message>
    <message>
        <source>Picture of keyframe %1</source>
        <translation>Image de l&apos;image clé %1</translation>
    </message>
    <message>
        <source>Place of keyframe %1</source>
        <translation>Position de l&apos;image clé %1</translation>
    </message>
    <message>
        <source>Where the picture stands in the clip; frames are counted from 0</source>
        <translation>Où l&apos;image se trouve dans le clip ; les trames sont comptées à partir de 0</translation>
    </message>
    <message>
        <source>How the place of keyframe %1 is counted</source>
        <translation>Comment la position de l&apos;image clé %1 est comptée</translation>
    </message>
</context>
<context>
    <name>meshreel::KeyframeStrip</name>
    <message>
        <source>Pictures along the clip</source>
        <translation>Images le long du clip</translation>
    </message>
    <message>
        <source>frame %1</source>
        <translation>trame %1</translation>
    </message>
    <message>
        <source>frame %1, %2 s</source>
        <translation>trame %1, %2 s</translation>
    </message>
    <message>
        <source>%1 at %2</source>
        <translation>%1 : %2</translation>
    </message>
    <message>
        <source>%1 (chosen)</source>
        <translation>%1 (choisie)</translation>
    </message>
    <message>
        <source>No pictures yet. Drop some here.</source>
        <translation>Pas encore d&apos;images. Déposez-en ici.</translation>
    </message>
    <message>
        <source>Drop pictures here, and drag them to their frames</source>
        <translation>Déposez des images ici et faites-les glisser à leurs trames</translation>
    </message>
</context>
<context>
    <name>meshreel::LaneReader</name>
    <message>
        <source>Comma and full stop go from step to step in the lane of the current row.</source>
        <translation>La virgule et le point vont d&apos;une étape à l&apos;autre dans la ligne de l&apos;appareil courant.</translation>
    </message>
</context>
<context>
    <name>meshreel::LastPlanMark</name>
    <message>
        <source>This is how the project was last legal; Problems says what keeps it from being planned.</source>
        <translation>Voici le projet tel qu&apos;il était admis en dernier&#xa0;; «&#xa0;Problèmes&#xa0;» dit ce qui empêche de le planifier.</translation>
    </message>
    <message>
        <source>Nothing is drawn, as this project cannot be planned: %1. See Problems to mend it.</source>
        <translation>Rien n&apos;est dessiné, car ce projet ne peut pas être planifié&#xa0;: %1. Voyez «&#xa0;Problèmes&#xa0;» pour le corriger.</translation>
    </message>
    <message>
        <source>Nothing is drawn, as this project cannot be planned: %1.</source>
        <translation>Rien n&apos;est dessiné, car ce projet ne peut pas être planifié&#xa0;: %1.</translation>
    </message>
</context>
<context>
    <name>meshreel::LegalMeshModel</name>
    <message>
        <source>one device</source>
        <translation>un appareil</translation>
    </message>
    <message>
        <source>What the busiest device receives from the others in one step</source>
        <translation>Ce que l&apos;appareil le plus sollicité reçoit des autres en une étape</translation>
    </message>
    <message>
        <source>Mesh</source>
        <translation>Maillage</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>Attention</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Étape</translation>
    </message>
    <message>
        <source>Exchange</source>
        <comment>column of the legal meshes: bytes per step</comment>
        <translation>Échange</translation>
    </message>
    <message>
        <source>%1, between hosts %2</source>
        <comment>mesh, its part</comment>
        <translation>%1, entre hôtes %2</translation>
    </message>
    <message>
        <source>What the busiest host receives from the others in one step</source>
        <translation>Ce que l&apos;hôte le plus sollicité reçoit des autres en une étape</translation>
    </message>
    <message>
        <source>The part of the mesh that lies between hosts; the rest lies inside each</source>
        <translation>La partie du maillage entre les hôtes ; le reste est à l&apos;intérieur de chacun</translation>
    </message>
    <message>
        <source>Between hosts</source>
        <comment>column of the legal meshes: bytes per step</comment>
        <translation>Entre hôtes</translation>
    </message>
    <message>
        <source>Hosts</source>
        <comment>column of the legal meshes: axes</comment>
        <translation>Hôtes</translation>
    </message>
    <message>
        <source>+%1 %</source>
        <comment>how much longer</comment>
        <translation>+%1&#xa0;%</translation>
    </message>
    <message>
        <source>How long a step is expected to take with the fastest, and how much longer with the others</source>
        <translation>Durée attendue d&apos;un pas avec le plus rapide, et combien de plus avec les autres</translation>
    </message>
    <message>
        <source>Heads are uneven: the others wait for devices with %1 of them, so attention reaches %2 % of the speed of an even split.</source>
        <comment>number, number</comment>
        <translation>Les têtes sont inégales : les autres attendent les appareils qui en ont %1 ; l’attention atteint ainsi %2 % de la vitesse d’un partage égal.</translation>
    </message>
</context>
<context>
    <name>meshreel::LegalMeshes</name>
    <message>
        <source>Use this mesh</source>
        <translation>Utiliser ce maillage</translation>
    </message>
    <message>
        <source>Valid meshes, least traffic first</source>
        <translation>Maillages valides, le moins de trafic d&apos;abord</translation>
    </message>
    <message>
        <source>Measure to sort by time</source>
        <translation>Mesurer pour trier par durée</translation>
    </message>
    <message>
        <source>Measures this machine for about two minutes; seconds are predicted from that</source>
        <translation>Mesure cette machine pendant deux minutes environ ; les secondes en sont déduites</translation>
    </message>
    <message>
        <source>Valid meshes</source>
        <translation>Maillages valides</translation>
    </message>
    <message>
        <source>Valid meshes, fastest first as predicted</source>
        <translation>Maillages valides, le plus rapide prévu d&apos;abord</translation>
    </message>
    <message>
        <source>Valid meshes, fastest first on %1</source>
        <translation>Maillages valides, le plus rapide sur %1 d&apos;abord</translation>
    </message>
</context>
<context>
    <name>meshreel::LivePreview</name>
    <message>
        <source>The first preview comes after the first step</source>
        <translation>Le premier aperçu vient après la première étape</translation>
    </message>
    <message>
        <source>Live preview</source>
        <translation>Aperçu en direct</translation>
    </message>
    <message>
        <source>Live preview of the latents; decoded frames will take its place</source>
        <translation>Aperçu en direct des latents&#xa0;; les images décodées prendront sa place</translation>
    </message>
    <message>
        <source>%1 of %2 frames decoded; the others are the preview of the latents</source>
        <translation>%1 images décodées sur %2&#xa0;; les autres sont l&apos;aperçu des latents</translation>
    </message>
    <message>
        <source>%1 of %2 frames decoded</source>
        <translation>%1 images décodées sur %2</translation>
    </message>
    <message>
        <source>The run failed before its first preview.</source>
        <translation>L&apos;exécution a échoué avant son premier aperçu.</translation>
    </message>
    <message>
        <source>Preview at the last finished step</source>
        <translation>Aperçu à la dernière étape terminée</translation>
    </message>
</context>
<context>
    <name>meshreel::LogModel</name>
    <message>
        <source>Time</source>
        <translation>Heure</translation>
    </message>
    <message>
        <source>What happened</source>
        <translation>Ce qui s&apos;est passé</translation>
    </message>
</context>
<context>
    <name>meshreel::LooksDialog</name>
    <message>
        <source>The look cannot be kept (%1): free some space, or make the folder writable</source>
        <translation>Le look ne peut pas être conservé (%1) : libérez de la place, ou rendez le dossier inscriptible</translation>
    </message>
    <message>
        <source>Look “%1”</source>
        <translation>Look « %1 »</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>title of a setting and its value</comment>
        <translation>%1 : %2</translation>
    </message>
    <message>
        <source>No looks yet: save the project&apos;s, or drop pictures here that others saved as looks.</source>
        <translation>Pas encore de looks : enregistrez celui du projet, ou déposez ici des images que d’autres ont enregistrées comme looks.</translation>
    </message>
    <message>
        <source>Looks</source>
        <translation>Looks</translation>
    </message>
    <message>
        <source>Save the project&apos;s…</source>
        <translation>Enregistrer celui du projet…</translation>
    </message>
    <message>
        <source>Add files…</source>
        <translation>Ajouter des fichiers…</translation>
    </message>
    <message>
        <source>Copy to…</source>
        <translation>Copier vers…</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Retirer</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>Utiliser</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Fermer</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>file and why it cannot be used</comment>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>Not added: %1.</source>
        <comment>files</comment>
        <translation>Non ajoutés : %1.</translation>
    </message>
    <message>
        <source>Add looks</source>
        <translation>Ajouter des looks</translation>
    </message>
    <message>
        <source>Looks (*.png)</source>
        <translation>Looks (*.png)</translation>
    </message>
    <message>
        <source>Copy the look</source>
        <translation>Copier le look</translation>
    </message>
    <message>
        <source>%1 cannot be written: %2</source>
        <translation>Impossible d’écrire %1 : %2</translation>
    </message>
    <message>
        <source>Remove a look</source>
        <translation>Retirer un look</translation>
    </message>
    <message>
        <source>Remove “%1”? It cannot be brought back.</source>
        <translation>Retirer « %1 » ? Il ne pourra pas être récupéré.</translation>
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
        <translation>non mesuré</translation>
    </message>
    <message>
        <source>Card with its own memory</source>
        <translation>Carte avec sa propre mémoire</translation>
    </message>
    <message>
        <source>Shares the memory of the CPU</source>
        <translation>Partage la mémoire du CPU</translation>
    </message>
    <message>
        <source>GPU of a virtual machine</source>
        <translation>GPU d&apos;une machine virtuelle</translation>
    </message>
    <message>
        <source>Computes on the CPU: never taken by Automatic</source>
        <translation>Calcule sur le CPU&#xa0;: jamais pris par Automatique</translation>
    </message>
    <message>
        <source>GPU of another kind</source>
        <translation>GPU d&apos;un autre type</translation>
    </message>
    <message>
        <source>%1: taken</source>
        <comment>way to multiply matrices</comment>
        <translation>%1&#xa0;: utilisé</translation>
    </message>
    <message>
        <source>%1: not taken</source>
        <comment>way to multiply matrices</comment>
        <translation>%1&#xa0;: non utilisé</translation>
    </message>
    <message>
        <source>The CPU computes this project.</source>
        <translation>Le CPU calcule ce projet.</translation>
    </message>
    <message>
        <source>The CPU computes this project: %1.</source>
        <comment>why</comment>
        <translation>Le CPU calcule ce projet&#xa0;: %1.</translation>
    </message>
    <message>
        <source>%1 (GPU %2)</source>
        <comment>name and number</comment>
        <translation>%1 (GPU %2)</translation>
    </message>
    <message>
        <source>Transformer and VAE are computed by %1.</source>
        <comment>GPUs</comment>
        <translation>Transformeur et VAE sont calculés par %1.</translation>
    </message>
    <message>
        <source>The transformer is computed by %1, the VAE by the CPU: %2.</source>
        <comment>GPUs, why</comment>
        <translation>Le transformeur est calculé par %1, le VAE par le CPU&#xa0;: %2.</translation>
    </message>
    <message>
        <source>Automatic</source>
        <comment>choice of the GPU</comment>
        <translation>Automatique</translation>
    </message>
    <message>
        <source>The plan takes the best GPU where it counts as faster than the CPU. Without this, the GPUs with a tick compute; without a tick, the CPU does.</source>
        <translation>Le plan prend le meilleur GPU là où il passe pour plus rapide que le CPU. Sans cette option, les GPU cochés calculent&#xa0;; si aucun n&apos;est coché, c&apos;est le CPU.</translation>
    </message>
    <message>
        <source>Look for GPUs again</source>
        <translation>Rechercher à nouveau des GPU</translation>
    </message>
    <message>
        <source>Look for GPUs again, and ask drivers that failed before</source>
        <translation>Rechercher à nouveau des GPU et interroger les pilotes qui ont échoué auparavant</translation>
    </message>
    <message>
        <source>This machine</source>
        <translation>Cette machine</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Mémoire</translation>
    </message>
    <message>
        <source>Linear layers</source>
        <translation>Couches linéaires</translation>
    </message>
    <message>
        <source>How fast layers in bf16 are multiplied. A GPU is measured by its first run in bf16, the CPU by “Measure this machine”.</source>
        <translation>Vitesse à laquelle les couches en bf16 sont multipliées. Un GPU est mesuré par sa première exécution en bf16, le CPU par «&#xa0;Mesurer cette machine&#xa0;».</translation>
    </message>
    <message>
        <source>CPU and GPUs of this machine</source>
        <translation>CPU et GPU de cette machine</translation>
    </message>
    <message>
        <source>Asking the GPU drivers…</source>
        <translation>Interrogation des pilotes de GPU…</translation>
    </message>
    <message>
        <source>No GPU: %1</source>
        <comment>why</comment>
        <translation>Pas de GPU&#xa0;: %1</translation>
    </message>
    <message>
        <source>CPU: %1 (%2)</source>
        <comment>name, instruction set</comment>
        <translation>CPU&#xa0;: %1 (%2)</translation>
    </message>
    <message>
        <source>%1 free</source>
        <comment>bytes</comment>
        <translation>%1 libres</translation>
    </message>
    <message>
        <source>%1 of %2 free</source>
        <comment>bytes</comment>
        <translation>%1 libres sur %2</translation>
    </message>
    <message>
        <source>GPU %1: %2</source>
        <comment>number, name</comment>
        <translation>GPU %1&#xa0;: %2</translation>
    </message>
    <message>
        <source>%1; %2, Vulkan %3</source>
        <comment>kind, driver, version</comment>
        <translation>%1&#xa0;; %2, Vulkan %3</translation>
    </message>
    <message>
        <source>It cannot be used: %1</source>
        <comment>why</comment>
        <translation>Inutilisable&#xa0;: %1</translation>
    </message>
    <message>
        <source>Drivers without a device</source>
        <translation>Pilotes sans appareil</translation>
    </message>
    <message>
        <source>%1 (not asked this time)</source>
        <translation>%1 (non interrogé cette fois)</translation>
    </message>
    <message numerus="yes">
        <source>%n devices of the mesh</source>
        <translation>
            <numerusform>%n appareil du maillage</numerusform>
            <numerusform>%n appareils du maillage</numerusform>
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
        <translation>Transformeur, VAE et encodeurs sont calculés par %1.</translation>
    </message>
    <message>
        <source>The GPU computes the text and image encoders.</source>
        <translation>Le GPU calcule les encodeurs de texte et d’image.</translation>
    </message>
    <message>
        <source>The CPU computes the text and image encoders: %1.</source>
        <comment>why</comment>
        <translation>Le CPU calcule les encodeurs de texte et d’image : %1.</translation>
    </message>
    <message>
        <source>Text encoder</source>
        <translation>Encodeur de texte</translation>
    </message>
    <message>
        <source>Image encoder</source>
        <translation>Encodeur d&apos;image</translation>
    </message>
    <message>
        <source>VAE encoder</source>
        <translation>Encodeur du VAE</translation>
    </message>
    <message>
        <source>VAE decoder</source>
        <translation>Décodeur du VAE</translation>
    </message>
    <message>
        <source>Preview decoder</source>
        <translation>Décodeur d’aperçu</translation>
    </message>
    <message>
        <source>%1 on the CPU: %2.</source>
        <comment>part, why</comment>
        <translation>%1 sur le CPU : %2.</translation>
    </message>
    <message>
        <source>Not taken: %1.</source>
        <comment>why a GPU does not compute</comment>
        <translation>Non retenu : %1.</translation>
    </message>
</context>
<context>
    <name>meshreel::MainMenu</name>
    <message>
        <source>&amp;Undo</source>
        <translation>&amp;Annuler</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>&amp;Rétablir</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>&amp;Fichier</translation>
    </message>
    <message>
        <source>Open run &amp;folder…</source>
        <translation>Ouvrir un &amp;dossier d&apos;exécution…</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>&amp;Quitter</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>É&amp;dition</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>&amp;Exécuter</translation>
    </message>
    <message>
        <source>&amp;Cancel</source>
        <translation>&amp;Annuler</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>&amp;Aide</translation>
    </message>
    <message>
        <source>&amp;About Meshreel</source>
        <translation>À propos de &amp;Meshreel</translation>
    </message>
    <message>
        <source>About &amp;Qt</source>
        <translation>À propos de &amp;Qt</translation>
    </message>
    <message>
        <source>About Meshreel</source>
        <translation>À propos de Meshreel</translation>
    </message>
    <message>
        <source>&lt;h3&gt;Meshreel %1&lt;/h3&gt;&lt;p&gt;Video generation with Wan models on your own processors.&lt;/p&gt;&lt;p&gt;Commit %2. Free software under the GNU General Public License, version 3 or later.&lt;/p&gt;</source>
        <translation>&lt;h3&gt;Meshreel %1&lt;/h3&gt;&lt;p&gt;Génération de vidéos avec les modèles Wan sur vos propres processeurs.&lt;/p&gt;&lt;p&gt;Commit %2. Logiciel libre sous licence publique générale GNU, version 3 ou ultérieure.&lt;/p&gt;</translation>
    </message>
    <message>
        <source>&amp;Find setting</source>
        <translation>Rec&amp;hercher un réglage</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>Affic&amp;hage</translation>
    </message>
    <message>
        <source>&amp;Reset layout</source>
        <translation>&amp;Réinitialiser la disposition</translation>
    </message>
    <message>
        <source>&amp;Appearance</source>
        <translation>&amp;Apparence</translation>
    </message>
    <message>
        <source>As the &amp;system</source>
        <translation>Comme le &amp;système</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation>&amp;Clair</translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation>Som&amp;bre</translation>
    </message>
    <message>
        <source>&amp;Project keys</source>
        <translation>&amp;Clés de projet</translation>
    </message>
    <message>
        <source>&amp;Pause after this step</source>
        <translation>&amp;Pause après cette étape</translation>
    </message>
    <message>
        <source>Add to &amp;queue</source>
        <translation>Ajouter à la &amp;file</translation>
    </message>
    <message>
        <source>Add a &amp;grid to the queue…</source>
        <translation>Ajouter une &amp;grille à la file d&apos;attente…</translation>
    </message>
    <message>
        <source>&amp;Import from MaxDiffusion…</source>
        <translation>&amp;Importer de MaxDiffusion…</translation>
    </message>
    <message>
        <source>&amp;Measure this machine</source>
        <translation>&amp;Mesurer cette machine</translation>
    </message>
    <message>
        <source>Times what videos are made of, for predicting how long runs take</source>
        <translation>Chronomètre les calculs dont une vidéo est faite, pour prévoir la durée des exécutions</translation>
    </message>
    <message>
        <source>&amp;Tour</source>
        <translation>&amp;Visite guidée</translation>
    </message>
    <message numerus="yes">
        <source>&lt;p&gt;This machine: %1, %n CPU(s), computing with %2.&lt;/p&gt;</source>
        <translation>
            <numerusform>&lt;p&gt;Cette machine&#xa0;: %1, %n processeur, calcule avec %2.&lt;/p&gt;</numerusform>
            <numerusform>&lt;p&gt;Cette machine&#xa0;: %1, %n processeurs, calcule avec %2.&lt;/p&gt;</numerusform>
        </translation>
    </message>
    <message>
        <source>Keep measuring when &amp;idle</source>
        <translation>&amp;Continuer à mesurer au repos</translation>
    </message>
    <message>
        <source>Adds rounds to the measurement of this machine while nothing runs</source>
        <translation>Ajoute des passes à la mesure de cette machine tant que rien ne s&apos;exécute</translation>
    </message>
    <message>
        <source>&amp;Workspace</source>
        <translation>&amp;Espace de travail</translation>
    </message>
    <message>
        <source>F&amp;ull screen</source>
        <translation>Plein éc&amp;ran</translation>
    </message>
    <message>
        <source>Show the queue</source>
        <translation>Afficher la file d’attente</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>File d’attente</translation>
    </message>
    <message numerus="yes">
        <source>Queue: %n waiting</source>
        <translation>
            <numerusform>File : %n en attente</numerusform>
            <numerusform>File : %n en attente</numerusform>
        </translation>
    </message>
    <message>
        <source>Workspaces</source>
        <translation>Espaces de travail</translation>
    </message>
    <message>
        <source>Choose the folder for r&amp;uns…</source>
        <translation>Choisir le dossier des e&amp;xécutions…</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <comment>how many wait, how long they take</comment>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>&amp;Looks…</source>
        <translation>&amp;Looks…</translation>
    </message>
    <message>
        <source>Re&amp;write the prompt…</source>
        <translation>Réécrire le &amp;prompt…</translation>
    </message>
    <message>
        <source>Add a &amp;table to the queue…</source>
        <translation>Ajouter un &amp;tableau à la file d&apos;attente…</translation>
    </message>
</context>
<context>
    <name>meshreel::MainWindow</name>
    <message>
        <source>Open a run folder</source>
        <translation>Ouvrir un dossier d&apos;exécution</translation>
    </message>
    <message>
        <source>The chart was written to %1</source>
        <translation>Le graphique a été écrit dans %1</translation>
    </message>
    <message>
        <source>%1[*] – Meshreel Studio</source>
        <comment>project</comment>
        <translation>%1[*] – Meshreel Studio</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>Problèmes</translation>
    </message>
    <message>
        <source>Problems (%1)</source>
        <translation>Problèmes (%1)</translation>
    </message>
    <message>
        <source>The report was written to %1</source>
        <translation>Le rapport a été écrit dans %1</translation>
    </message>
    <message>
        <source>Say what you want to see</source>
        <translation>Dites ce que vous voulez voir</translation>
    </message>
    <message>
        <source>Type a prompt. Every other setting has a default that works; the search box finds each of them, and everything can be undone.</source>
        <translation>Saisissez un prompt. Tous les autres réglages ont une valeur par défaut qui convient&#xa0;; la recherche les trouve tous, et tout peut être annulé.</translation>
    </message>
    <message>
        <source>Watch it form</source>
        <translation>Regardez-la se former</translation>
    </message>
    <message>
        <source>The picture appears while it is made. Runs, videos, pictures and projects can be dropped here.</source>
        <translation>L&apos;image apparaît pendant sa création. Exécutions, vidéos, images et projets peuvent être déposés ici.</translation>
    </message>
    <message>
        <source>%1 (open)</source>
        <comment>project</comment>
        <translation>%1 (ouvert)</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>File d&apos;attente</translation>
    </message>
    <message>
        <source>The log was written to %1.</source>
        <translation>Le journal a été écrit dans %1.</translation>
    </message>
    <message>
        <source>See what it takes, then run it</source>
        <translation>Voir ce qu’il faut, puis exécuter</translation>
    </message>
    <message>
        <source>Time, tokens, work and memory follow every change. While something runs, Run queues. Nothing is lost when the machine is switched off.</source>
        <translation>Durée, jetons, calcul et mémoire suivent chaque modification. Pendant une exécution, Exécuter met en file. Rien n’est perdu si la machine s’éteint.</translation>
    </message>
    <message>
        <source>Four workspaces</source>
        <translation>Quatre espaces de travail</translation>
    </message>
    <message>
        <source>Create videos, share the work between devices, compare and measure, and find past runs. Ctrl+1 to Ctrl+4 switch; View opens every panel. Help has this tour.</source>
        <translation>Créer des vidéos, répartir le travail, comparer et mesurer, retrouver les exécutions. Ctrl+1 à Ctrl+4 changent d’espace ; Affichage ouvre chaque panneau. Cette visite est dans l’Aide.</translation>
    </message>
    <message numerus="yes">
        <source>%n runs wait in the queue.</source>
        <translation>
            <numerusform>%n exécution attend dans la file.</numerusform>
            <numerusform>%n exécutions attendent dans la file.</numerusform>
        </translation>
    </message>
    <message>
        <source>Show queue</source>
        <translation>Afficher la file</translation>
    </message>
    <message>
        <source>Choose the folder for runs</source>
        <translation>Choisir le dossier des exécutions</translation>
    </message>
    <message>
        <source>New runs go to %1.</source>
        <translation>Les nouvelles exécutions vont dans %1.</translation>
    </message>
    <message>
        <source>MESHREEL_RUNS wins over it: runs go to %1.</source>
        <translation>MESHREEL_RUNS l&apos;emporte&#xa0;: les exécutions vont dans %1.</translation>
    </message>
    <message>
        <source>“New seed for each run” is off now, as this project has a seed of its own.</source>
        <translation>« Nouvelle graine à chaque exécution » est désactivé, car ce projet a sa propre graine.</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>Réessayer</translation>
    </message>
</context>
<context>
    <name>meshreel::MaskHand</name>
    <message>
        <source>Draw a box</source>
        <translation>Dessiner un rectangle</translation>
    </message>
    <message>
        <source>Draw an ellipse</source>
        <translation>Dessiner une ellipse</translation>
    </message>
    <message>
        <source>Draw a polygon</source>
        <translation>Dessiner un polygone</translation>
    </message>
    <message>
        <source>Draw a stroke</source>
        <translation>Dessiner un trait</translation>
    </message>
    <message>
        <source>Move a shape</source>
        <translation>Déplacer une forme</translation>
    </message>
    <message>
        <source>Scale a shape</source>
        <translation>Redimensionner une forme</translation>
    </message>
</context>
<context>
    <name>meshreel::MeasureItem</name>
    <message>
        <source>Measure this machine</source>
        <translation>Mesurer cette machine</translation>
    </message>
    <message>
        <source>Measuring this machine</source>
        <translation>Mesure de cette machine</translation>
    </message>
    <message>
        <source>Stop measuring; nothing of it is kept</source>
        <translation>Arrêter la mesure&#xa0;; rien n&apos;en est gardé</translation>
    </message>
    <message>
        <source>Stop measuring</source>
        <translation>Arrêter la mesure</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Durée</translation>
    </message>
    <message>
        <source>about two minutes</source>
        <translation>environ deux minutes</translation>
    </message>
    <message>
        <source>How long a run takes is predicted once this machine was measured. It takes about two minutes, in which it should do nothing else. Later it is measured further while nothing runs, unless you stop that.</source>
        <translation>La durée d&apos;une exécution est prévue une fois cette machine mesurée. Cela prend environ deux minutes, pendant lesquelles elle ne devrait rien faire d&apos;autre. Ensuite, la mesure continue tant que rien ne s&apos;exécute, sauf si vous l&apos;arrêtez.</translation>
    </message>
    <message>
        <source>%1 of %2 measurements</source>
        <translation>%1 mesures sur %2</translation>
    </message>
    <message>
        <source>%1 of %2 measurements, about %3 left</source>
        <comment>counts, duration</comment>
        <translation>%1 mesures sur %2, encore %3 environ</translation>
    </message>
    <message>
        <source>Measure again</source>
        <translation>Mesurer à nouveau</translation>
    </message>
    <message>
        <source>Measuring waits</source>
        <translation>La mesure attend</translation>
    </message>
    <message>
        <source>Measuring this machine was paused. It goes on with what it has once nothing else is computed.</source>
        <translation>La mesure de cette machine est en pause. Elle reprendra avec ce qu’elle a dès que rien d’autre ne sera calculé.</translation>
    </message>
</context>
<context>
    <name>meshreel::MeasuringTurns</name>
    <message>
        <source>Measuring this machine waits for the end of the run, and goes on then with what it has.</source>
        <translation>La mesure de cette machine attend la fin de l’exécution, puis reprend avec ce qu’elle a.</translation>
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
        <translation>Groupe Ulysses %1</translation>
    </message>
</context>
<context>
    <name>meshreel::MeshPainter</name>
    <message>
        <source>heads %1</source>
        <translation>têtes %1</translation>
    </message>
    <message>
        <source>tokens %1</source>
        <translation>tokens %1</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>rang %1</translation>
    </message>
    <message>
        <source>all keys</source>
        <translation>toutes les clés</translation>
    </message>
    <message>
        <source>keys %1</source>
        <translation>clés %1</translation>
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
        <translation>Appareils</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>Données</translation>
    </message>
    <message>
        <source>FSDP</source>
        <translation>FSDP</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>Contexte</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>Tenseur</translation>
    </message>
    <message>
        <source>Ulysses</source>
        <translation>Ulysses</translation>
    </message>
    <message>
        <source>%1 devices</source>
        <translation>%1 appareils</translation>
    </message>
    <message>
        <source>Mesh: %1</source>
        <translation>Maillage&#xa0;: %1</translation>
    </message>
    <message>
        <source>The devices are drawn here as soon as the project can be planned: Problems says what keeps it from that.</source>
        <translation>Les appareils sont tracés ici dès que le projet peut être planifié&#xa0;: «&#xa0;Problèmes&#xa0;» dit ce qui l&apos;en empêche.</translation>
    </message>
    <message>
        <source>This project uses one device. Add devices to split tokens, heads or weights.</source>
        <translation>Ce projet utilise un appareil. Ajoutez des appareils pour répartir les tokens, les têtes ou les poids.</translation>
    </message>
    <message>
        <source>Hosts file</source>
        <translation>Fichier des hôtes</translation>
    </message>
    <message>
        <source>× hosts</source>
        <comment>factor of an axis</comment>
        <translation>× hôtes</translation>
    </message>
    <message>
        <source>The mesh in words</source>
        <translation>Le maillage en mots</translation>
    </message>
    <message>
        <source>drawing</source>
        <comment>beside a divider</comment>
        <translation>dessin</translation>
    </message>
    <message>
        <source>valid meshes</source>
        <comment>beside a divider</comment>
        <translation>maillages valides</translation>
    </message>
    <message>
        <source>R: Ulysses groups on the context axis, between which keys and values rotate or are gathered. It is what Ulysses leaves of the context axis: R × U = C.</source>
        <translation>R : groupes Ulysses sur l&apos;axe de contexte, entre lesquels clés et valeurs tournent ou sont rassemblées. C&apos;est ce qu&apos;Ulysses laisse de l&apos;axe de contexte : R × U = C.</translation>
    </message>
    <message>
        <source>Ring</source>
        <translation>Anneau</translation>
    </message>
    <message>
        <source>Plan for</source>
        <translation>Planifier pour</translation>
    </message>
</context>
<context>
    <name>meshreel::MeshView</name>
    <message>
        <source>Devices of the mesh</source>
        <translation>Appareils du maillage</translation>
    </message>
    <message numerus="yes">
        <source>%n device(s): %1</source>
        <comment>of the mesh that a drag would make</comment>
        <translation>
            <numerusform>%n appareil&#xa0;: %1</numerusform>
            <numerusform>%n appareils&#xa0;: %1</numerusform>
        </translation>
    </message>
    <message>
        <source>The arrow keys, Home and End choose a device, Escape none.</source>
        <translation>Les touches fléchées, Début et Fin choisissent un appareil, Échap aucun.</translation>
    </message>
</context>
<context>
    <name>meshreel::MessageBanner</name>
    <message>
        <source>Close the message</source>
        <translation>Fermer le message</translation>
    </message>
    <message>
        <source>Messages</source>
        <translation>Messages</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>Erreur</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Remarque</translation>
    </message>
    <message>
        <source>Show folder</source>
        <translation>Afficher le dossier</translation>
    </message>
</context>
<context>
    <name>meshreel::ModelCard</name>
    <message>
        <source>Model card</source>
        <translation>Fiche du modèle</translation>
    </message>
    <message>
        <source>%1, %2 of weights</source>
        <comment>folder and size</comment>
        <translation>%1, %2 de poids</translation>
    </message>
    <message>
        <source>This model has no card.</source>
        <translation>Ce modèle n&apos;a pas de fiche.</translation>
    </message>
</context>
<context>
    <name>meshreel::ModelDescription</name>
    <message>
        <source>%1 million</source>
        <comment>number</comment>
        <translation>%1 millions</translation>
    </message>
    <message>
        <source>%1 billion</source>
        <comment>number</comment>
        <translation>%1 milliards</translation>
    </message>
    <message numerus="yes">
        <source>%1 and %n more</source>
        <translation>
            <numerusform>%1 et un autre</numerusform>
            <numerusform>%1 et %n autres</numerusform>
        </translation>
    </message>
    <message>
        <source>%1, which Meshreel does not run</source>
        <translation>%1, que Meshreel n&apos;exécute pas</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modèle</translation>
    </message>
    <message>
        <source>Unsure</source>
        <translation>Incertain</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>Format</translation>
    </message>
    <message>
        <source>%1, names %2</source>
        <comment>file format, style of names</comment>
        <translation>%1, noms&#xa0;: %2</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>Couches</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Paramètres</translation>
    </message>
    <message>
        <source>%1, %2 stored</source>
        <comment>number, size</comment>
        <translation>%1, %2 stockés</translation>
    </message>
    <message>
        <source>Matrices</source>
        <translation>Matrices</translation>
    </message>
    <message>
        <source>Vectors</source>
        <translation>Vecteurs</translation>
    </message>
    <message>
        <source>Quantisation</source>
        <translation>Quantification</translation>
    </message>
    <message>
        <source>Memory in f32</source>
        <translation>Mémoire en f32</translation>
    </message>
    <message>
        <source>Memory in bf16</source>
        <translation>Mémoire en bf16</translation>
    </message>
    <message>
        <source>Missing tensors</source>
        <translation>Tenseurs manquants</translation>
    </message>
    <message>
        <source>Unexpected tensors</source>
        <translation>Tenseurs inattendus</translation>
    </message>
    <message>
        <source>Also needs</source>
        <translation>Il faut aussi</translation>
    </message>
    <message>
        <source>missing</source>
        <translation>manquant</translation>
    </message>
    <message>
        <source>%1, %2 of weights</source>
        <comment>folder and size</comment>
        <translation>%1, %2 de poids</translation>
    </message>
    <message>
        <source>Also there: %1</source>
        <comment>parts</comment>
        <translation>Aussi présent&#xa0;: %1</translation>
    </message>
    <message>
        <source>Convolutions and tables</source>
        <translation>Convolutions et tables</translation>
    </message>
    <message>
        <source>Not read</source>
        <translation>Non lus</translation>
    </message>
    <message numerus="yes">
        <source>%1 (%n tensors)</source>
        <translation>
            <numerusform>%1 (%n tenseur)</numerusform>
            <numerusform>%1 (%n tenseurs)</numerusform>
        </translation>
    </message>
    <message>
        <source>Not used</source>
        <translation>Non utilisés</translation>
    </message>
    <message>
        <source>missing, at least %1 to download</source>
        <comment>size</comment>
        <translation>manque, au moins %1 à télécharger</translation>
    </message>
    <message>
        <source>Not on this machine: at least %1 to download</source>
        <comment>size</comment>
        <translation>Absent de cette machine&#xa0;: au moins %1 à télécharger</translation>
    </message>
    <message>
        <source>%1 to download, %2 are free on the disk</source>
        <comment>sizes</comment>
        <translation>%1 à télécharger, %2 libres sur le disque</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>Licence</translation>
    </message>
    <message>
        <source>Licence page</source>
        <translation>Page de la licence</translation>
    </message>
    <message>
        <source>From</source>
        <translation>De</translation>
    </message>
    <message>
        <source>%1, %2 of them here</source>
        <comment>sizes</comment>
        <translation>%1, dont %2 ici</translation>
    </message>
    <message>
        <source>%1, shared with another program</source>
        <comment>size</comment>
        <translation>%1, partagé avec un autre programme</translation>
    </message>
    <message>
        <source>%1, here</source>
        <comment>size</comment>
        <translation>%1, ici</translation>
    </message>
    <message>
        <source>This machine</source>
        <translation>Cette machine</translation>
    </message>
    <message>
        <source>Planned for</source>
        <comment>a video of this size and length</comment>
        <translation>Planifié pour</translation>
    </message>
    <message>
        <source>Disk</source>
        <translation>Disque</translation>
    </message>
    <message>
        <source>What lies there is not it</source>
        <translation>Ce qui s’y trouve n’est pas ce fichier</translation>
    </message>
    <message>
        <source>Variants</source>
        <translation>Variantes</translation>
    </message>
    <message>
        <source>%1 to download: %2</source>
        <comment>size, how it fits</comment>
        <translation>%1 à télécharger : %2</translation>
    </message>
    <message>
        <source>In diffusers layout</source>
        <translation>Dans l&apos;organisation de diffusers</translation>
    </message>
    <message>
        <source>at least %1 to download</source>
        <comment>size</comment>
        <translation>au moins %1 à télécharger</translation>
    </message>
</context>
<context>
    <name>meshreel::ModelState</name>
    <message>
        <source>Not ready: see Problems</source>
        <translation>Pas prêt&#xa0;: voir Problèmes</translation>
    </message>
    <message>
        <source>Installed</source>
        <translation>Installé</translation>
    </message>
    <message>
        <source>needs more memory than there is</source>
        <translation>demande plus de mémoire qu&apos;il n&apos;y en a</translation>
    </message>
    <message>
        <source>needs more memory than memory_budget allows</source>
        <translation>demande plus de mémoire que memory_budget n&apos;en autorise</translation>
    </message>
    <message>
        <source>about %1, %2</source>
        <comment>duration of a run, how it is known</comment>
        <translation>environ %1, %2</translation>
    </message>
</context>
<context>
    <name>meshreel::ModelsPanel</name>
    <message>
        <source>Use in project</source>
        <translation>Utiliser dans le projet</translation>
    </message>
    <message>
        <source>Refresh</source>
        <translation>Actualiser</translation>
    </message>
    <message>
        <source>Models of this machine</source>
        <translation>Modèles de cette machine</translation>
    </message>
    <message>
        <source>Models folder: %1</source>
        <translation>Dossier des modèles&#xa0;: %1</translation>
    </message>
    <message>
        <source>The chosen model</source>
        <translation>Le modèle choisi</translation>
    </message>
    <message>
        <source>Choose a model to see its parts, its number types and what it needs.</source>
        <translation>Choisissez un modèle pour voir ses parties, ses types de nombres et ce qu&apos;il lui faut.</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modèle</translation>
    </message>
    <message>
        <source>list</source>
        <comment>beside a divider</comment>
        <translation>liste</translation>
    </message>
    <message>
        <source>description</source>
        <comment>beside a divider</comment>
        <translation>description</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>Ajouter</translation>
    </message>
    <message>
        <source>Copy download command</source>
        <translation>Copier la commande de téléchargement</translation>
    </message>
    <message>
        <source>Copy the command that downloads what is missing, to be run in a terminal</source>
        <translation>Copier la commande qui télécharge ce qui manque, à lancer dans un terminal</translation>
    </message>
    <message>
        <source>Add a model that lies elsewhere; it can be dropped here, too</source>
        <translation>Ajouter un modèle situé ailleurs&#xa0;; on peut aussi le déposer ici</translation>
    </message>
    <message>
        <source>A model &amp;folder…</source>
        <translation>Un &amp;dossier de modèle…</translation>
    </message>
    <message>
        <source>Add a model folder</source>
        <translation>Ajouter un dossier de modèle</translation>
    </message>
    <message>
        <source>F&amp;iles of weights…</source>
        <translation>Des &amp;fichiers de poids…</translation>
    </message>
    <message>
        <source>Add files of weights</source>
        <translation>Ajouter des fichiers de poids</translation>
    </message>
    <message>
        <source>Weights (*.safetensors *.gguf *.pth *.pt)</source>
        <translation>Poids (*.safetensors *.gguf *.pth *.pt)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>Tous les fichiers (*)</translation>
    </message>
    <message numerus="yes">
        <source>%n models were added to the models folder.</source>
        <translation>
            <numerusform>%n modèle a été ajouté au dossier des modèles.</numerusform>
            <numerusform>%n modèles ont été ajoutés au dossier des modèles.</numerusform>
        </translation>
    </message>
    <message>
        <source>The command was copied: paste it into a terminal. Refresh when it is done.</source>
        <translation>La commande est copiée&#xa0;: collez-la dans un terminal. Actualisez quand elle a fini.</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Annuler</translation>
    </message>
    <message>
        <source>Progress of the download</source>
        <translation>Avancement du téléchargement</translation>
    </message>
    <message>
        <source>Stop the download and remove what came of files that are not whole</source>
        <translation>Arrêter le téléchargement et supprimer les fichiers incomplets</translation>
    </message>
    <message numerus="yes">
        <source>%n files of the download are in the models folder.</source>
        <translation>
            <numerusform>%n fichier du téléchargement est dans le dossier des modèles.</numerusform>
            <numerusform>%n fichiers du téléchargement sont dans le dossier des modèles.</numerusform>
        </translation>
    </message>
    <message>
        <source>%1: %2 of %3</source>
        <comment>file, sizes</comment>
        <translation>%1 : %2 sur %3</translation>
    </message>
    <message>
        <source>%1, %2 a second, %3 left</source>
        <comment>file and sizes, size, time</comment>
        <translation>%1, %2 par seconde, reste %3</translation>
    </message>
    <message>
        <source>Download what is missing into the models folder; the licence is shown above</source>
        <translation>Télécharger ce qui manque dans le dossier des modèles ; la licence est affichée ci-dessus</translation>
    </message>
    <message>
        <source>Another download is at hand</source>
        <translation>Un autre téléchargement est en cours</translation>
    </message>
    <message>
        <source>Download %1</source>
        <comment>size</comment>
        <translation>Télécharger %1</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Reprendre</translation>
    </message>
    <message>
        <source>Download it first</source>
        <translation>Téléchargez-le d’abord</translation>
    </message>
    <message>
        <source>This is not a model by itself; parts are chosen in the project</source>
        <translation>Ce n&apos;est pas un modèle en soi&#xa0;; les parties se choisissent dans le projet</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>Télécharger</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>Réessayer</translation>
    </message>
    <message>
        <source>%1: %2, %3</source>
        <comment>variant, size, how it fits</comment>
        <translation>%1 : %2, %3</translation>
    </message>
</context>
<context>
    <name>meshreel::NamesPopup</name>
    <message>
        <source>Names between commas; Enter keeps them.</source>
        <translation>Des noms séparés par des virgules ; Entrée les garde.</translation>
    </message>
</context>
<context>
    <name>meshreel::NoisePanel</name>
    <message>
        <source>The noise of every step is drawn here as soon as the project can be planned: choose a model under Project, and see Problems for what keeps it from that.</source>
        <translation>Le bruit de chaque étape est dessiné ici dès que le projet peut être planifié&#xa0;: choisissez un modèle sous «&#xa0;Projet&#xa0;» et voyez dans «&#xa0;Problèmes&#xa0;» ce qui l&apos;en empêche.</translation>
    </message>
    <message>
        <source>Scheduler</source>
        <translation>Planificateur</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Étapes</translation>
    </message>
    <message>
        <source>Flow shift</source>
        <translation>Décalage du flux</translation>
    </message>
    <message>
        <source>Boundary</source>
        <translation>Frontière</translation>
    </message>
    <message>
        <source>Noise at each step</source>
        <translation>Bruit à chaque étape</translation>
    </message>
</context>
<context>
    <name>meshreel::NoiseSheet</name>
    <message>
        <source>without the flow shift</source>
        <translation>sans le décalage du flux</translation>
    </message>
    <message>
        <source>boundary</source>
        <translation>frontière</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Étape</translation>
    </message>
    <message>
        <source>Noise level</source>
        <translation>Niveau de bruit</translation>
    </message>
    <message>
        <source>There are no steps to draw yet</source>
        <translation>Il n&apos;y a pas encore d&apos;étapes à tracer</translation>
    </message>
    <message>
        <source>See Problems for what keeps the project from being planned</source>
        <translation>Voyez dans «&#xa0;Problèmes&#xa0;» ce qui empêche de planifier le projet</translation>
    </message>
</context>
<context>
    <name>meshreel::NoiseTexts</name>
    <message>
        <source>step %1</source>
        <translation>étape %1</translation>
    </message>
    <message>
        <source>steps %1 to %2</source>
        <translation>étapes %1 à %2</translation>
    </message>
    <message>
        <source>%1: %2, guidance %3.</source>
        <comment>expert, steps, guidance</comment>
        <translation>%1&#xa0;: %2, guidage %3.</translation>
    </message>
    <message>
        <source>%1: %2, without guidance.</source>
        <comment>expert, steps</comment>
        <translation>%1&#xa0;: %2, sans guidage.</translation>
    </message>
    <message>
        <source>transformer</source>
        <translation>transformeur</translation>
    </message>
    <message>
        <source>low noise</source>
        <translation>bruit faible</translation>
    </message>
    <message>
        <source>high noise</source>
        <translation>bruit fort</translation>
    </message>
    <message>
        <source>Scheduler %1, flow shift %2.</source>
        <translation>Planificateur %1, décalage du flux %2.</translation>
    </message>
    <message>
        <source>Dotted: the same without the shift.</source>
        <translation>En pointillé&#xa0;: la même chose sans décalage.</translation>
    </message>
    <message numerus="yes">
        <source>A step cache may shorten %n steps (hollow).</source>
        <translation>
            <numerusform>Un cache d&apos;étapes peut en raccourcir une (creuse).</numerusform>
            <numerusform>Un cache d&apos;étapes peut en raccourcir %n (creuses).</numerusform>
        </translation>
    </message>
    <message>
        <source>Step %1 of %2</source>
        <translation>Étape %1 sur %2</translation>
    </message>
    <message>
        <source>Noise level %1, sigma %2</source>
        <translation>Niveau de bruit %1, sigma %2</translation>
    </message>
    <message>
        <source>Computed by: %1</source>
        <comment>transformer or expert</comment>
        <translation>Calculée par&#xa0;: %1</translation>
    </message>
    <message>
        <source>Guidance %1</source>
        <translation>Guidage %1</translation>
    </message>
    <message>
        <source>Without guidance</source>
        <translation>Sans guidage</translation>
    </message>
    <message>
        <source>May be shortened by the step cache</source>
        <translation>Peut être raccourcie par le cache d&apos;étapes</translation>
    </message>
</context>
<context>
    <name>meshreel::NoiseView</name>
    <message>
        <source>Noise levels of the steps</source>
        <translation>Niveaux de bruit des étapes</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Étape</translation>
    </message>
    <message>
        <source>boundary %1</source>
        <translation>frontière %1</translation>
    </message>
    <message>
        <source>The arrow keys, Home and End choose a step, Escape none.</source>
        <translation>Les touches fléchées, Début et Fin choisissent une étape, Échap aucune.</translation>
    </message>
</context>
<context>
    <name>meshreel::OpenedMedia</name>
    <message>
        <source>There is no such file or folder</source>
        <translation>Ce fichier ou ce dossier n&apos;existe pas</translation>
    </message>
</context>
<context>
    <name>meshreel::PartMenu</name>
    <message>
        <source>Use &amp;only</source>
        <translation>N’utiliser &amp;que</translation>
    </message>
    <message>
        <source>&amp;Prompt</source>
        <translation>&amp;Prompt</translation>
    </message>
    <message>
        <source>&amp;Seed</source>
        <translation>&amp;Graine</translation>
    </message>
    <message>
        <source>Si&amp;ze and length</source>
        <translation>&amp;Taille et durée</translation>
    </message>
</context>
<context>
    <name>meshreel::PathField</name>
    <message>
        <source>All files (*)</source>
        <translation>Tous les fichiers (*)</translation>
    </message>
    <message>
        <source>Pictures (*.png *.jpg *.jpeg *.webp *.bmp *.tif *.tiff)</source>
        <translation>Images (*.png *.jpg *.jpeg *.webp *.bmp *.tif *.tiff)</translation>
    </message>
    <message>
        <source>Videos and pictures (*.mp4 *.webm *.mkv *.mov *.avi *.gif *.webp *.png *.jpg *.jpeg)</source>
        <translation>Vidéos et images (*.mp4 *.webm *.mkv *.mov *.avi *.gif *.webp *.png *.jpg *.jpeg)</translation>
    </message>
    <message>
        <source>Weights (*.safetensors *.gguf *.pth *.pt *.bin *.json *.model)</source>
        <translation>Poids (*.safetensors *.gguf *.pth *.pt *.bin *.json *.model)</translation>
    </message>
    <message>
        <source>Choose a file or drop it here</source>
        <translation>Choisir ou déposer un fichier</translation>
    </message>
    <message>
        <source>Choose files</source>
        <translation>Choisir des fichiers</translation>
    </message>
    <message>
        <source>Choose a file</source>
        <translation>Choisir un fichier</translation>
    </message>
    <message>
        <source>Choose a &amp;file…</source>
        <translation>Choisir un &amp;fichier…</translation>
    </message>
    <message>
        <source>Choose a f&amp;older…</source>
        <translation>Choisir un d&amp;ossier…</translation>
    </message>
    <message>
        <source>Choose a file or a folder</source>
        <translation>Choisir un fichier ou un dossier</translation>
    </message>
    <message>
        <source>Choose a folder</source>
        <translation>Choisir un dossier</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>title of a setting, what its button does</comment>
        <translation>%1 : %2</translation>
    </message>
    <message>
        <source>Picture of the file</source>
        <translation>Image du fichier</translation>
    </message>
    <message>
        <source>Videos, pictures and drawings (*.mp4 *.webm *.mkv *.mov *.avi *.gif *.webp *.png *.jpg *.jpeg *.json)</source>
        <translation>Vidéos, images et dessins (*.mp4 *.webm *.mkv *.mov *.avi *.gif *.webp *.png *.jpg *.jpeg *.json)</translation>
    </message>
    <message>
        <source>Tracks (*.json *.npy)</source>
        <translation>Trajectoires (*.json *.npy)</translation>
    </message>
    <message>
        <source>Arrays of NumPy (*.npy)</source>
        <translation>Tableaux NumPy (*.npy)</translation>
    </message>
    <message>
        <source>Draw the mask on the picture</source>
        <translation>Dessiner le masque sur l’image</translation>
    </message>
    <message>
        <source>Draw the tracks on the picture</source>
        <translation>Dessiner les trajectoires sur l’image</translation>
    </message>
</context>
<context>
    <name>meshreel::PathOpener</name>
    <message numerus="yes">
        <source>None of these %n were opened: drop one project, run, video, picture or file of weights at a time; several pictures become reference images, several runs are compared, and projects and runs that are dropped on Queue are queued.</source>
        <translation>
            <numerusform>Rien de tout cela (%n) n&apos;a été ouvert&#xa0;: déposez un seul projet, exécution, vidéo, image ou fichier de poids à la fois&#xa0;; plusieurs images deviennent des images de référence, plusieurs exécutions sont comparées, et les projets et exécutions déposés sur la file d&apos;attente y sont ajoutés.</numerusform>
            <numerusform>Rien de tout cela (%n) n&apos;a été ouvert&#xa0;: déposez un seul projet, exécution, vidéo, image ou fichier de poids à la fois&#xa0;; plusieurs images deviennent des images de référence, plusieurs exécutions sont comparées, et les projets et exécutions déposés sur la file d&apos;attente y sont ajoutés.</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 was not used, as it is no adapter and no part of a model that Meshreel runs; Models tells what it is when it lies in a models folder.</source>
        <translation>%1 n&apos;a pas été utilisé, car ce n&apos;est ni un adaptateur ni une partie d&apos;un modèle que Meshreel exécute&#xa0;; «&#xa0;Modèles&#xa0;» dit ce que c&apos;est lorsqu&apos;il se trouve dans un dossier de modèles.</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Annuler</translation>
    </message>
    <message>
        <source>Used as “%1”; drop it on another field to use it as that.</source>
        <translation>Utilisé comme « %1 » ; déposez-le sur un autre champ pour l’y utiliser.</translation>
    </message>
    <message>
        <source>Used as “%1”, with the model %2, which makes videos of pictures.</source>
        <translation>Utilisé comme « %1 », avec le modèle %2, qui fait des vidéos à partir d’images.</translation>
    </message>
    <message>
        <source>Continue a clip</source>
        <translation>Continuer un clip</translation>
    </message>
    <message>
        <source>The next run goes on from the last frame of %1.</source>
        <translation>La prochaine exécution part de la dernière image de %1.</translation>
    </message>
    <message>
        <source>The next run goes on from frame %2 of %1.</source>
        <translation>La prochaine exécution part de l’image %2 de %1.</translation>
    </message>
    <message>
        <source>%1 also holds %2, which Meshreel does not read: write its prompt, size, frames, steps and seed into the project.</source>
        <comment>file, settings of another program</comment>
        <translation>%1 contient aussi %2, que Meshreel ne lit pas : écrivez son prompt, sa taille, ses images, ses pas et sa graine dans le projet.</translation>
    </message>
    <message>
        <source>Used as “%1”.</source>
        <translation>Utilisé comme « %1 ».</translation>
    </message>
    <message>
        <source>Used as “%1”, with the model %2.</source>
        <translation>Utilisé comme « %1 », avec le modèle %2.</translation>
    </message>
    <message>
        <source>Settings of %1</source>
        <comment>run</comment>
        <translation>Réglages de %1</translation>
    </message>
    <message>
        <source>Taken over from %1: %2.</source>
        <comment>run, titles of settings</comment>
        <translation>Repris de %1 : %2.</translation>
    </message>
    <message>
        <source>Keep it among the looks</source>
        <translation>Le garder parmi les looks</translation>
    </message>
    <message>
        <source>The project has the look “%1” now.</source>
        <translation>Le projet a maintenant le look « %1 ».</translation>
    </message>
    <message>
        <source>The project has the look “%1” already.</source>
        <translation>Le projet a déjà le look « %1 ».</translation>
    </message>
</context>
<context>
    <name>meshreel::PlaybackControls</name>
    <message>
        <source>One frame back</source>
        <translation>Image précédente</translation>
    </message>
    <message>
        <source>Left arrow</source>
        <translation>Flèche gauche</translation>
    </message>
    <message>
        <source>Play</source>
        <translation>Lire</translation>
    </message>
    <message>
        <source>Space</source>
        <translation>Espace</translation>
    </message>
    <message>
        <source>One frame on</source>
        <translation>Image suivante</translation>
    </message>
    <message>
        <source>Right arrow</source>
        <translation>Flèche droite</translation>
    </message>
    <message>
        <source>Play in a loop</source>
        <translation>Lire en boucle</translation>
    </message>
    <message>
        <source>L</source>
        <translation>L</translation>
    </message>
    <message>
        <source>Position in the video</source>
        <translation>Position dans la vidéo</translation>
    </message>
    <message>
        <source>Drag to go to a frame</source>
        <translation>Faire glisser pour aller à une image</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>Vitesse</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>action and its key</comment>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>Frame %1 of %2 · %3 s</source>
        <translation>Image %1 sur %2 · %3&#xa0;s</translation>
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
        <translation>Vidéo</translation>
    </message>
    <message>
        <source>Copy or write a frame, the clip, or a sheet of its frames</source>
        <translation>Copier ou écrire une image, le clip ou une planche de ses images</translation>
    </message>
    <message>
        <source>Export the video</source>
        <translation>Exporter la vidéo</translation>
    </message>
    <message>
        <source>&amp;Copy this frame</source>
        <translation>&amp;Copier cette image</translation>
    </message>
    <message>
        <source>Save this &amp;frame…</source>
        <translation>&amp;Enregistrer cette image…</translation>
    </message>
    <message>
        <source>Export the c&amp;lip…</source>
        <translation>Exporter le c&amp;lip…</translation>
    </message>
    <message>
        <source>Save a contact &amp;sheet…</source>
        <translation>Enregistrer une &amp;planche-contact…</translation>
    </message>
    <message>
        <source>Full screen (F)</source>
        <translation>Plein écran (F)</translation>
    </message>
    <message>
        <source>Full screen</source>
        <translation>Plein écran</translation>
    </message>
</context>
<context>
    <name>meshreel::PredictedTexts</name>
    <message>
        <source>%1 h</source>
        <translation>%1&#xa0;h</translation>
    </message>
    <message>
        <source>%1 min</source>
        <translation>%1&#xa0;min</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1&#xa0;s</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <comment>durations, the second with its unit</comment>
        <translation>%1 à %2</translation>
    </message>
    <message>
        <source>Loading</source>
        <translation>Chargement</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>Prompt</translation>
    </message>
    <message>
        <source>Denoising</source>
        <translation>Débruitage</translation>
    </message>
    <message>
        <source>Decoding</source>
        <translation>Décodage</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>duration and its range</comment>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>%1 in all (%2)</source>
        <comment>duration and its range</comment>
        <translation>%1 en tout (%2)</translation>
    </message>
    <message>
        <source>A step: %1</source>
        <comment>duration</comment>
        <translation>Une étape&#xa0;: %1</translation>
    </message>
    <message>
        <source>The first step: %1</source>
        <comment>duration</comment>
        <translation>La première étape&#xa0;: %1</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>stage and duration</comment>
        <translation>%1&#xa0;: %2</translation>
    </message>
    <message>
        <source>Four of five runs are expected within their range.</source>
        <translation>Quatre exécutions sur cinq devraient tomber dans l&apos;intervalle.</translation>
    </message>
    <message>
        <source>By the rates of this machine, measured %1; no run like this one has been done.</source>
        <translation>D&apos;après les débits de cette machine, mesurés le %1&#xa0;; aucune exécution semblable n&apos;a encore eu lieu.</translation>
    </message>
    <message numerus="yes">
        <source>By the rates of this machine, measured %1, and %n runs like this one.</source>
        <translation>
            <numerusform>D&apos;après les débits de cette machine, mesurés le %1, et une exécution semblable.</numerusform>
            <numerusform>D&apos;après les débits de cette machine, mesurés le %1, et %n exécutions semblables.</numerusform>
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
            <numerusform>d’après %n exécution semblable sur cette machine</numerusform>
            <numerusform>d’après %n exécutions semblables sur cette machine</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>from measured rates and %n runs like this</source>
        <translation>
            <numerusform>d’après les débits mesurés et %n exécution semblable</numerusform>
            <numerusform>d’après les débits mesurés et %n exécutions semblables</numerusform>
        </translation>
    </message>
    <message>
        <source>from measured rates</source>
        <translation>d’après les débits mesurés</translation>
    </message>
    <message numerus="yes">
        <source>By %n runs like this one, and typical proportions of what they do not tell. Once this machine was measured, the times of all others are known, too.</source>
        <translation>
            <numerusform>D’après %n exécution comme celle-ci, et des proportions typiques pour ce qu’elle ne dit pas. Une fois cette machine mesurée, les durées de toutes les autres seront connues aussi.</numerusform>
            <numerusform>D’après %n exécutions comme celle-ci, et des proportions typiques pour ce qu’elles ne disent pas. Une fois cette machine mesurée, les durées de toutes les autres seront connues aussi.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::PredictionSource</name>
    <message>
        <source>The rates that were kept cannot be read; their file is now %1.</source>
        <translation>Les débits conservés ne peuvent pas être lus ; leur fichier est maintenant %1.</translation>
    </message>
</context>
<context>
    <name>meshreel::PresetMenu</name>
    <message>
        <source>New from &amp;preset</source>
        <translation>Nouveau depuis un &amp;préréglage</translation>
    </message>
    <message>
        <source>None is installed</source>
        <translation>Aucun n&apos;est installé</translation>
    </message>
</context>
<context>
    <name>meshreel::ProblemPanel</name>
    <message>
        <source>Problems of the project</source>
        <translation>Problèmes du projet</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>Erreur</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>Avertissement</translation>
    </message>
    <message>
        <source>Go to setting</source>
        <translation>Aller au réglage</translation>
    </message>
    <message>
        <source>Ready to run.</source>
        <translation>Prêt à exécuter.</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Remarque</translation>
    </message>
    <message>
        <source>Go to setting %1</source>
        <comment>title of a setting</comment>
        <translation>Aller au réglage %1</translation>
    </message>
    <message>
        <source>Nothing is wrong with this project.</source>
        <translation>Ce projet ne pose aucun problème.</translation>
    </message>
    <message>
        <source>Line %1</source>
        <translation>Ligne %1</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>line and what is wrong</comment>
        <translation>%1&#xa0;: %2</translation>
    </message>
</context>
<context>
    <name>meshreel::ProjectDocument</name>
    <message>
        <source>Untitled project</source>
        <translation>Projet sans titre</translation>
    </message>
    <message>
        <source>Project of %1</source>
        <comment>run or video</comment>
        <translation>Projet de %1</translation>
    </message>
    <message>
        <source>Text of the project</source>
        <translation>Texte du projet</translation>
    </message>
    <message>
        <source>Reset %1</source>
        <comment>title of a setting</comment>
        <translation>Réinitialiser %1</translation>
    </message>
</context>
<context>
    <name>meshreel::ProjectEditor</name>
    <message>
        <source>Advanced</source>
        <translation>Avancé</translation>
    </message>
    <message>
        <source>Search settings</source>
        <translation>Chercher un réglage</translation>
    </message>
    <message>
        <source>Show only what differs from the defaults</source>
        <translation>N&apos;afficher que ce qui diffère des valeurs par défaut</translation>
    </message>
    <message>
        <source>Show settings that few projects change</source>
        <translation>Afficher les réglages que peu de projets modifient</translation>
    </message>
    <message numerus="yes">
        <source>%n changed</source>
        <translation>
            <numerusform>%n modifié</numerusform>
            <numerusform>%n modifiés</numerusform>
        </translation>
    </message>
    <message>
        <source>Nothing here differs from the defaults.</source>
        <translation>Rien ici ne diffère des valeurs par défaut.</translation>
    </message>
    <message>
        <source>No setting matches “%1”.</source>
        <translation>Aucun réglage ne correspond à «&#xa0;%1&#xa0;».</translation>
    </message>
    <message>
        <source>Settings of the project</source>
        <translation>Réglages du projet</translation>
    </message>
    <message>
        <source>Unfold</source>
        <translation>Déplier</translation>
    </message>
    <message>
        <source>Fold</source>
        <translation>Replier</translation>
    </message>
</context>
<context>
    <name>meshreel::ProjectFiles</name>
    <message>
        <source>&amp;New project</source>
        <translation>&amp;Nouveau projet</translation>
    </message>
    <message>
        <source>&amp;Open…</source>
        <translation>&amp;Ouvrir…</translation>
    </message>
    <message>
        <source>&amp;Save</source>
        <translation>&amp;Enregistrer</translation>
    </message>
    <message>
        <source>Save &amp;as…</source>
        <translation>Enregistrer &amp;sous…</translation>
    </message>
    <message>
        <source>Open &amp;recent</source>
        <translation>Projets &amp;récents</translation>
    </message>
    <message>
        <source>Open a project, or a video with its project</source>
        <translation>Ouvrir un projet, ou une vidéo avec son projet</translation>
    </message>
    <message>
        <source>Unsaved changes</source>
        <translation>Modifications non enregistrées</translation>
    </message>
    <message>
        <source>Save the changes to “%1”?</source>
        <translation>Enregistrer les modifications de «&#xa0;%1&#xa0;»&#xa0;?</translation>
    </message>
    <message>
        <source>Open a project or a video</source>
        <translation>Ouvrir un projet ou une vidéo</translation>
    </message>
    <message>
        <source>Projects and videos (*.yaml *.yml *.mp4 *.webm *.gif *.webp);;All files (*)</source>
        <translation>Projets et vidéos (*.yaml *.yml *.mp4 *.webm *.gif *.webp);;Tous les fichiers (*)</translation>
    </message>
    <message>
        <source>Save the project</source>
        <translation>Enregistrer le projet</translation>
    </message>
    <message>
        <source>Projects (*.yaml *.yml)</source>
        <translation>Projets (*.yaml *.yml)</translation>
    </message>
    <message>
        <source>Nothing yet</source>
        <translation>Rien pour l&apos;instant</translation>
    </message>
    <message>
        <source>If you don&apos;t save, your changes will be lost.</source>
        <translation>Si vous n’enregistrez pas, vos modifications seront perdues.</translation>
    </message>
    <message>
        <source>Saved as typed. Fix what is marked red before you run this project.</source>
        <translation>Enregistré tel que saisi. Corrigez ce qui est marqué en rouge avant d&apos;exécuter ce projet.</translation>
    </message>
</context>
<context>
    <name>meshreel::ProjectLauncher</name>
    <message>
        <source>It is neither a project file nor a run folder</source>
        <translation>Ce n&apos;est ni un fichier de projet ni un dossier d&apos;exécution</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>file and why it cannot be used</comment>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>You did not agree to what it names</source>
        <translation>Vous n&apos;avez pas accepté ce qu&apos;il nomme</translation>
    </message>
    <message>
        <source>The project changed while it was being checked, so it did not start. Run it as it is now.</source>
        <translation>Le projet a changé pendant sa vérification et n’a donc pas démarré. Lancez-le tel qu’il est maintenant.</translation>
    </message>
    <message>
        <source>Add a table to the queue</source>
        <translation>Ajouter un tableau à la file d’attente</translation>
    </message>
    <message>
        <source>Tables (*.csv)</source>
        <translation>Tableaux (*.csv)</translation>
    </message>
    <message>
        <source>%1, line %2 (%3)</source>
        <comment>file, line and why it cannot be run</comment>
        <translation>%1, ligne %2 (%3)</translation>
    </message>
    <message numerus="yes">
        <source>%n further rows</source>
        <translation>
            <numerusform>%n autre ligne</numerusform>
            <numerusform>%n autres lignes</numerusform>
        </translation>
    </message>
    <message>
        <source>Not queued, as only project files without errors, run folders and rows of tables that can run are: %1.</source>
        <comment>files</comment>
        <translation>Non ajoutés, car seuls le sont les fichiers de projet sans erreur, les dossiers d’exécution et les lignes de tableaux exécutables : %1.</translation>
    </message>
</context>
<context>
    <name>meshreel::ProjectRecovery</name>
    <message>
        <source>What you edit is kept only in this window: %1</source>
        <comment>reason</comment>
        <translation>Vos modifications ne sont que dans cette fenêtre : %1</translation>
    </message>
    <message>
        <source>The kept project could not be read and was set aside as %1: %2</source>
        <comment>file, reason</comment>
        <translation>Le projet conservé n&apos;a pas pu être lu et a été mis de côté sous %1 : %2</translation>
    </message>
</context>
<context>
    <name>meshreel::PromptExamples</name>
    <message>
        <source>Moving</source>
        <translation>Déplacement</translation>
    </message>
    <message>
        <source>Growing</source>
        <translation>Croissance</translation>
    </message>
    <message>
        <source>Shrinking</source>
        <translation>Rétrécissement</translation>
    </message>
    <message>
        <source>Rising</source>
        <translation>Montée</translation>
    </message>
    <message>
        <source>Falling</source>
        <translation>Chute</translation>
    </message>
    <message>
        <source>Bouncing</source>
        <translation>Rebond</translation>
    </message>
    <message>
        <source>Spinning</source>
        <translation>Rotation</translation>
    </message>
    <message>
        <source>Standing still</source>
        <translation>Immobile</translation>
    </message>
    <message>
        <source>Driving</source>
        <translation>Véhicule</translation>
    </message>
    <message>
        <source>Walking</source>
        <translation>Marche</translation>
    </message>
    <message>
        <source>Camera flight</source>
        <translation>Survol</translation>
    </message>
</context>
<context>
    <name>meshreel::PromptHelperDialog</name>
    <message>
        <source>Rewrite the prompt</source>
        <translation>Réécrire le prompt</translation>
    </message>
    <message>
        <source>A language model rewrites the prompt by the rules that Wan publishes. Nothing is sent before you ask: then the prompt and the rules, to this address alone.</source>
        <translation>Un modèle de langue réécrit le prompt selon les règles que publie Wan. Rien n’est envoyé avant que vous ne demandiez : alors le prompt et les règles, à cette seule adresse.</translation>
    </message>
    <message>
        <source>Prompt to rewrite</source>
        <translation>Prompt à réécrire</translation>
    </message>
    <message>
        <source>Rewritten prompt</source>
        <translation>Prompt réécrit</translation>
    </message>
    <message>
        <source>The answer appears here, for you to edit</source>
        <translation>La réponse apparaît ici, à modifier à votre gré</translation>
    </message>
    <message>
        <source>Ask</source>
        <translation>Demander</translation>
    </message>
    <message>
        <source>Use it</source>
        <translation>L’utiliser</translation>
    </message>
    <message>
        <source>Of a server with OpenAI&apos;s chat completions: llama.cpp, Ollama and others</source>
        <translation>D’un serveur aux « chat completions » d’OpenAI : llama.cpp, Ollama et d’autres</translation>
    </message>
    <message>
        <source>As the server calls it; empty: the one that it has</source>
        <translation>Comme le serveur l’appelle ; vide : celui qu’il a</translation>
    </message>
    <message>
        <source>If the server asks for one. It is kept in a file that only you can read, and sent over https or to this machine only</source>
        <translation>Si le serveur en demande une. Elle est gardée dans un fichier que vous seul pouvez lire, et envoyée par https ou à cette machine seulement</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modèle</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>Clé</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>Arrêté.</translation>
    </message>
    <message>
        <source>Asking %1…</source>
        <translation>Demande à %1…</translation>
    </message>
    <message>
        <source>Read and edit the answer before you use it.</source>
        <translation>Lisez et modifiez la réponse avant de l’utiliser.</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Arrêter</translation>
    </message>
</context>
<context>
    <name>meshreel::PromptLibrary</name>
    <message>
        <source>Name</source>
        <translation>Nom</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Étiquettes</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>Prompt</translation>
    </message>
    <message>
        <source>Not to be seen</source>
        <translation>À ne pas voir</translation>
    </message>
    <message>
        <source>The kept prompts could not be read and were set aside as %1: %2</source>
        <translation>Les prompts gardés n&apos;ont pas pu être lus et ont été mis de côté sous %1&#xa0;: %2</translation>
    </message>
    <message numerus="yes">
        <source>%n kept prompt(s) could not be read; a copy of all is %1</source>
        <translation>
            <numerusform>%n prompt conservé n’a pas pu être lu ; une copie de tous est %1</numerusform>
            <numerusform>%n prompts conservés n’ont pas pu être lus ; une copie de tous est %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::PromptPanel</name>
    <message>
        <source>Keep</source>
        <translation>Garder</translation>
    </message>
    <message>
        <source>Keep the project&apos;s prompt, with what must not be seen</source>
        <translation>Garder le prompt du projet, avec ce qui ne doit pas se voir</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>Utiliser</translation>
    </message>
    <message>
        <source>Put the prompt into the project; a style is put around the project&apos;s prompt</source>
        <translation>Mettre le prompt dans le projet&#xa0;; un style entoure le prompt du projet</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Retirer</translation>
    </message>
    <message>
        <source>Remove the prompt from those that are kept</source>
        <translation>Retirer le prompt de ceux qui sont gardés</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Chercher</translation>
    </message>
    <message>
        <source>Search the kept prompts</source>
        <translation>Chercher dans les prompts gardés</translation>
    </message>
    <message>
        <source>Kept prompts</source>
        <translation>Prompts gardés</translation>
    </message>
    <message>
        <source>Style “%1”</source>
        <translation>Style «&#xa0;%1&#xa0;»</translation>
    </message>
    <message>
        <source>Prompt “%1”</source>
        <translation>Prompt «&#xa0;%1&#xa0;»</translation>
    </message>
    <message>
        <source>No kept prompt has these words.</source>
        <translation>Aucun prompt gardé ne contient ces mots.</translation>
    </message>
    <message>
        <source>No saved prompts. Save the current one. A prompt containing {prompt} acts as a style around it.</source>
        <translation>Aucun prompt enregistré. Enregistrez l&apos;actuel. Un prompt contenant {prompt} agit comme un style qui l&apos;entoure.</translation>
    </message>
    <message>
        <source>Remove a prompt</source>
        <translation>Supprimer un prompt</translation>
    </message>
    <message>
        <source>Remove “%1”? It cannot be brought back.</source>
        <translation>Supprimer « %1 » ? Il ne pourra pas être récupéré.</translation>
    </message>
    <message>
        <source>Rewrite…</source>
        <translation>Réécrire…</translation>
    </message>
    <message>
        <source>Let a language model rewrite the project&apos;s prompt, and edit its answer</source>
        <translation>Faire réécrire le prompt du projet par un modèle de langue, et modifier sa réponse</translation>
    </message>
    <message>
        <source>Rewritten prompt</source>
        <translation>Prompt réécrit</translation>
    </message>
</context>
<context>
    <name>meshreel::PromptTools</name>
    <message>
        <source>Example</source>
        <translation>Exemple</translation>
    </message>
    <message>
        <source>%1 / %2 tokens</source>
        <comment>of the prompt, that the model reads</comment>
        <translation>%1 / %2 jetons</translation>
    </message>
    <message>
        <source>What is beyond the limit is not read</source>
        <translation>Ce qui dépasse la limite n’est pas lu</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>kind of motion, prompt</comment>
        <translation>%1 : %2</translation>
    </message>
    <message>
        <source>Take a prompt that this model does well, and with the next click the next one; the arrow lists them by their motion</source>
        <translation>Prendre un prompt que ce modèle réussit, le suivant au clic suivant ; la flèche les liste selon leur mouvement</translation>
    </message>
</context>
<context>
    <name>meshreel::QualityModel</name>
    <message>
        <source>%1 to %2</source>
        <comment>places</comment>
        <translation>%1 à %2</translation>
    </message>
    <message>
        <source>%1 %</source>
        <comment>percentage</comment>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>%1 to %2 %</source>
        <comment>percentages</comment>
        <translation>%1 à %2 %</translation>
    </message>
    <message>
        <source>%1 (%2 to %3)</source>
        <comment>median, least and most seconds</comment>
        <translation>%1 (%2 à %3)</translation>
    </message>
    <message>
        <source>Setting</source>
        <translation>Réglage</translation>
    </message>
    <message>
        <source>What makes runs differ, beside prompt, inputs and seed</source>
        <translation>Ce qui distingue les exécutions, hormis prompt, entrées et graine</translation>
    </message>
    <message>
        <source>Place</source>
        <translation>Place</translation>
    </message>
    <message>
        <source>The places that the votes leave open, the best first</source>
        <translation>Les places que les votes laissent ouvertes, la meilleure d&apos;abord</translation>
    </message>
    <message>
        <source>Preferred</source>
        <translation>Préféré</translation>
    </message>
    <message>
        <source>How often it is preferred to another of these settings, by the model of Bradley and Terry</source>
        <translation>Combien de fois il est préféré à un autre de ces réglages, selon le modèle de Bradley et Terry</translation>
    </message>
    <message>
        <source>Interval</source>
        <translation>Intervalle</translation>
    </message>
    <message>
        <source>Holds the true share in about nine of ten cases</source>
        <translation>Contient la vraie part dans environ neuf cas sur dix</translation>
    </message>
    <message>
        <source>Votes</source>
        <translation>Votes</translation>
    </message>
    <message>
        <source>Comparisons that the setting took part in</source>
        <translation>Comparaisons auxquelles le réglage a pris part</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Exécutions</translation>
    </message>
    <message>
        <source>Compared runs of this setting</source>
        <translation>Exécutions comparées de ce réglage</translation>
    </message>
    <message>
        <source>Seconds</source>
        <translation>Secondes</translation>
    </message>
    <message>
        <source>Of inference, without loading and compiling: median, least and most</source>
        <translation>D&apos;inférence, sans chargement ni compilation : médiane, minimum et maximum</translation>
    </message>
</context>
<context>
    <name>meshreel::QualityPage</name>
    <message>
        <source>Rate</source>
        <translation>Évaluer</translation>
    </message>
    <message>
        <source>See the videos in pairs, without their settings, and say which is better</source>
        <translation>Voir les vidéos par paires, sans leurs réglages, et dire laquelle est meilleure</translation>
    </message>
    <message>
        <source>Quality of the settings</source>
        <translation>Qualité des réglages</translation>
    </message>
    <message>
        <source>Measuring the videos: %1 of %2 …</source>
        <translation>Mesure des vidéos : %1 sur %2…</translation>
    </message>
    <message>
        <source>Nobody has voted on these settings yet.</source>
        <translation>Personne n&apos;a encore voté sur ces réglages.</translation>
    </message>
    <message>
        <source>By votes on pairs of videos, seen without their settings.</source>
        <translation>Selon des votes sur des paires de vidéos, vues sans leurs réglages.</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Arrêter</translation>
    </message>
    <message>
        <source>Measure videos</source>
        <translation>Mesurer les vidéos</translation>
    </message>
    <message>
        <source>Stop measuring; what was measured stays</source>
        <translation>Arrêter la mesure ; ce qui a été mesuré reste</translation>
    </message>
    <message>
        <source>Measure flicker, sharpness and the difference to the baseline. At full size a video takes many seconds.</source>
        <translation>Mesurer le scintillement, la netteté et la différence avec la référence. En pleine taille, une vidéo prend de nombreuses secondes.</translation>
    </message>
</context>
<context>
    <name>meshreel::QueuePanel</name>
    <message>
        <source>Add</source>
        <translation>Ajouter</translation>
    </message>
    <message>
        <source>Add the project as it is now (Ctrl+Shift+R)</source>
        <translation>Ajouter le projet tel qu&apos;il est (Ctrl+Maj+R)</translation>
    </message>
    <message>
        <source>Add a grid…</source>
        <translation>Ajouter une grille…</translation>
    </message>
    <message>
        <source>Add the project once for every combination of some settings: seeds, prompts, sizes, …</source>
        <translation>Ajouter le projet une fois pour chaque combinaison de certains réglages&#xa0;: graines, prompts, tailles, …</translation>
    </message>
    <message>
        <source>Run the queue</source>
        <translation>Exécuter la file</translation>
    </message>
    <message>
        <source>Earlier</source>
        <translation>Plus tôt</translation>
    </message>
    <message>
        <source>Later</source>
        <translation>Plus tard</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Reprendre</translation>
    </message>
    <message>
        <source>Run again</source>
        <translation>Exécuter à nouveau</translation>
    </message>
    <message>
        <source>Remove from the queue</source>
        <translation>Retirer de la file</translation>
    </message>
    <message>
        <source>Remove what is done</source>
        <translation>Retirer ce qui est terminé</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>File d&apos;attente</translation>
    </message>
    <message>
        <source>Nothing is queued: add the project as it is now, or once for every combination of some settings.</source>
        <translation>La file est vide&#xa0;: ajoutez le projet tel qu&apos;il est, ou une fois pour chaque combinaison de certains réglages.</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Ouvrir</translation>
    </message>
    <message>
        <source>Show the chart, summary and video of the run</source>
        <translation>Afficher le graphique, le récapitulatif et la vidéo de l&apos;exécution</translation>
    </message>
    <message>
        <source>Load these settings</source>
        <translation>Charger ces réglages</translation>
    </message>
    <message>
        <source>Edit a copy of the project as it is in the queue</source>
        <translation>Modifier une copie du projet tel qu&apos;il est dans la file</translation>
    </message>
    <message>
        <source>Add project files…</source>
        <translation>Ajouter des fichiers de projet…</translation>
    </message>
    <message>
        <source>Add projects to the queue</source>
        <translation>Ajouter des projets à la file</translation>
    </message>
    <message numerus="yes">
        <source>%n runs wait, about %1 in all</source>
        <translation>
            <numerusform>%n exécution en attente, environ %1</numerusform>
            <numerusform>%n exécutions en attente, environ %1 en tout</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n runs wait</source>
        <translation>
            <numerusform>%n exécution en attente</numerusform>
            <numerusform>%n exécutions en attente</numerusform>
        </translation>
    </message>
    <message>
        <source>Run again on the CPU</source>
        <translation>Relancer sur le CPU</translation>
    </message>
    <message>
        <source>Run again with half the frames</source>
        <translation>Relancer avec la moitié des images</translation>
    </message>
    <message>
        <source>Runs one after the other; when switched off, the current one still finishes</source>
        <translation>Les exécute l&apos;un après l&apos;autre&#xa0;; désactivé, celui en cours se termine encore</translation>
    </message>
    <message>
        <source>Project files, and tables (CSV) whose columns are keys and whose rows are runs of the project</source>
        <translation>Des fichiers de projet, et des tables (CSV) dont les colonnes sont des clés et les lignes des exécutions du projet</translation>
    </message>
    <message>
        <source>Projects and tables (*.yaml *.yml *.csv)</source>
        <translation>Projets et tables (*.yaml *.yml *.csv)</translation>
    </message>
</context>
<context>
    <name>meshreel::QueueStore</name>
    <message>
        <source>The kept queue could not be read and was set aside as %1: %2</source>
        <translation>La file d&apos;attente conservée n&apos;a pas pu être lue et a été mise de côté sous %1&#xa0;: %2</translation>
    </message>
    <message numerus="yes">
        <source>%n run(s) of the kept queue could not be read; a copy of the queue is %1. Run %2: %3</source>
        <translation>
            <numerusform>%n exécution de la file conservée n’a pas pu être lue ; une copie de la file est %1. Exécution %2 : %3</numerusform>
            <numerusform>%n exécutions de la file conservée n’ont pas pu être lues ; une copie de la file est %1. Exécution %2 : %3</numerusform>
        </translation>
    </message>
    <message>
        <source>The queue cannot be kept: %1 Runs added here are lost when this window closes.</source>
        <comment>reason</comment>
        <translation>La file d’attente ne peut pas être conservée : %1 Ce qui est ajouté ici est perdu à la fermeture de cette fenêtre.</translation>
    </message>
</context>
<context>
    <name>meshreel::QueuedSettings</name>
    <message>
        <source>%1: %2</source>
        <comment>title of a setting and its value</comment>
        <translation>%1&#xa0;: %2</translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <comment>settings</comment>
        <translation>
            <numerusform>et %n autre</numerusform>
            <numerusform>et %n autres</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::RankingView</name>
    <message>
        <source>%1 to %2</source>
        <comment>places</comment>
        <translation>%1 à %2</translation>
    </message>
    <message>
        <source>Ranking of the settings</source>
        <translation>Classement des réglages</translation>
    </message>
    <message>
        <source>%1: no votes yet</source>
        <comment>setting</comment>
        <translation>%1 : pas encore de votes</translation>
    </message>
    <message numerus="yes">
        <source>%1: %2, preferred in %3 % (%4 to %5 %), %n votes</source>
        <comment>place, setting, share and its interval</comment>
        <translation>
            <numerusform>%1 : %2, préféré dans %3 % (%4 à %5 %), %n vote</numerusform>
            <numerusform>%1 : %2, préféré dans %3 % (%4 à %5 %), %n votes</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 % (%2 to %3)</source>
        <comment>share and its interval, percentages</comment>
        <translation>%1 % (%2 à %3)</translation>
    </message>
    <message>
        <source>no votes</source>
        <translation>aucun vote</translation>
    </message>
</context>
<context>
    <name>meshreel::RateDialog</name>
    <message>
        <source>Rate videos</source>
        <translation>Évaluer des vidéos</translation>
    </message>
    <message>
        <source>Ranking</source>
        <translation>Classement</translation>
    </message>
    <message>
        <source>Show what the votes say of the settings so far</source>
        <translation>Montrer ce que les votes disent des réglages jusqu&apos;ici</translation>
    </message>
    <message>
        <source>Skip</source>
        <translation>Passer</translation>
    </message>
    <message>
        <source>Pass this pair over (S)</source>
        <translation>Passer cette paire (S)</translation>
    </message>
    <message>
        <source>Take back</source>
        <translation>Annuler le vote</translation>
    </message>
    <message>
        <source>Take back the last vote, and see its pair again (Backspace)</source>
        <translation>Annuler le dernier vote et revoir sa paire (Retour arrière)</translation>
    </message>
    <message>
        <source>The wheel zooms both, dragging moves, a double click fits</source>
        <translation>La molette zoome les deux, glisser déplace, un double-clic ajuste</translation>
    </message>
    <message>
        <source>Position in the videos</source>
        <translation>Position dans les vidéos</translation>
    </message>
    <message>
        <source>Drag to go to a frame of both</source>
        <translation>Glisser pour aller à une image des deux</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>Play</source>
        <translation>Lire</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>action and its key</comment>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>Space</source>
        <translation>Espace</translation>
    </message>
    <message>
        <source>1  Left is better</source>
        <translation>1  Gauche est mieux</translation>
    </message>
    <message>
        <source>1 or the left arrow</source>
        <translation>1 ou la flèche gauche</translation>
    </message>
    <message>
        <source>0  No difference</source>
        <translation>0  Aucune différence</translation>
    </message>
    <message>
        <source>0 or the down arrow</source>
        <translation>0 ou la flèche bas</translation>
    </message>
    <message>
        <source>2  Right is better</source>
        <translation>2  Droite est mieux</translation>
    </message>
    <message>
        <source>2 or the right arrow</source>
        <translation>2 ou la flèche droite</translation>
    </message>
    <message>
        <source>Reading the runs …</source>
        <translation>Lecture des exécutions…</translation>
    </message>
    <message>
        <source>Reading the videos …</source>
        <translation>Lecture des vidéos…</translation>
    </message>
    <message>
        <source>None of the videos can be shown beside another one.</source>
        <translation>Aucune des vidéos ne peut être montrée à côté d&apos;une autre.</translation>
    </message>
    <message>
        <source>These videos have two prompts.</source>
        <translation>Ces vidéos ont deux prompts.</translation>
    </message>
    <message numerus="yes">
        <source>%n votes</source>
        <translation>
            <numerusform>%n vote</numerusform>
            <numerusform>%n votes</numerusform>
        </translation>
    </message>
    <message>
        <source>every pair was seen: further votes narrow the intervals</source>
        <translation>toutes les paires ont été vues : d&apos;autres votes resserrent les intervalles</translation>
    </message>
    <message>
        <source>%1 of %2 pairs seen</source>
        <translation>%1 paires vues sur %2</translation>
    </message>
    <message numerus="yes">
        <source>%n runs without a video that can be shown are left out</source>
        <translation>
            <numerusform>%n exécution sans vidéo affichable est omise</numerusform>
            <numerusform>%n exécutions sans vidéo affichable sont omises</numerusform>
        </translation>
    </message>
    <message>
        <source>There are no votes yet.</source>
        <translation>Il n&apos;y a pas encore de votes.</translation>
    </message>
    <message>
        <source>How often each setting is preferred to another one of its group, and the range that holds the true share in nine of ten cases. Settings of different groups were never compared: dotted lines part them.</source>
        <translation>Combien de fois chaque réglage est préféré à un autre de son groupe, et la plage qui contient la vraie part dans neuf cas sur dix. Les réglages de groupes différents n&apos;ont jamais été comparés : des lignes pointillées les séparent.</translation>
    </message>
    <message>
        <source>How often each setting is preferred to another one, and the range that holds the true share in nine of ten cases. Places whose ranges overlap are not decided: more votes narrow them.</source>
        <translation>Combien de fois chaque réglage est préféré à un autre, et la plage qui contient la vraie part dans neuf cas sur dix. Les places qui se chevauchent ne sont pas décidées : d&apos;autres votes les départagent.</translation>
    </message>
</context>
<context>
    <name>meshreel::RecentStrip</name>
    <message>
        <source>Recent results</source>
        <translation>Résultats récents</translation>
    </message>
    <message>
        <source>&amp;Open</source>
        <translation>&amp;Ouvrir</translation>
    </message>
    <message>
        <source>&amp;Load these settings</source>
        <translation>&amp;Charger ces réglages</translation>
    </message>
    <message>
        <source>&amp;All runs</source>
        <translation>&amp;Toutes les exécutions</translation>
    </message>
</context>
<context>
    <name>meshreel::RefineItem</name>
    <message>
        <source>Stop refining</source>
        <translation>Arrêter l&apos;affinage</translation>
    </message>
    <message>
        <source>Refinement paused: CPU busy</source>
        <translation>Affinage en pause&#xa0;: CPU occupé</translation>
    </message>
    <message>
        <source>refining: round %1 of %2</source>
        <translation>affinage : passe %1 sur %2</translation>
    </message>
    <message>
        <source>Other programs keep the processors busy. Round %1 of %2 is measured when they are at rest.</source>
        <translation>D&apos;autres programmes occupent les processeurs. La passe %1 sur %2 sera mesurée quand ils seront au repos.</translation>
    </message>
    <message>
        <source>While nothing runs, this machine is measured further, which makes predictions more exact. Whatever you start comes first.</source>
        <translation>Tant que rien ne s&apos;exécute, cette machine continue d&apos;être mesurée, ce qui rend les prévisions plus exactes. Ce que vous lancez passe avant.</translation>
    </message>
    <message>
        <source>Stop measuring. “Keep measuring when idle” in the Run menu starts it again.</source>
        <translation>Arrêter de mesurer. «&#xa0;Continuer à mesurer au repos&#xa0;» dans le menu Exécution recommence.</translation>
    </message>
</context>
<context>
    <name>meshreel::ReportContents</name>
    <message>
        <source>Run</source>
        <translation>Exécution</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>Attention</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Appareils</translation>
    </message>
    <message>
        <source>Workers</source>
        <translation>Threads de calcul</translation>
    </message>
    <message>
        <source>Video</source>
        <translation>Vidéo</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Étapes</translation>
    </message>
    <message>
        <source>Load, s</source>
        <translation>Chargement, s</translation>
    </message>
    <message>
        <source>Compile, s</source>
        <translation>Préparation, s</translation>
    </message>
    <message>
        <source>Inference, s</source>
        <translation>Inférence, s</translation>
    </message>
    <message>
        <source>Denoising, s</source>
        <translation>Débruitage, s</translation>
    </message>
    <message>
        <source>Decoding, s</source>
        <translation>Décodage, s</translation>
    </message>
    <message>
        <source>Step, s</source>
        <translation>Étape, s</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>Vitesse</translation>
    </message>
    <message>
        <source>Setting</source>
        <translation>Réglage</translation>
    </message>
    <message>
        <source>All runs</source>
        <translation>Toutes les exécutions</translation>
    </message>
    <message>
        <source>Differing</source>
        <translation>Différents</translation>
    </message>
    <message numerus="yes">
        <source>%n runs compared</source>
        <translation>
            <numerusform>Une exécution</numerusform>
            <numerusform>%n exécutions comparées</numerusform>
        </translation>
    </message>
    <message>
        <source>Meshreel %1 · %2</source>
        <comment>version, date</comment>
        <translation>Meshreel %1 · %2</translation>
    </message>
    <message>
        <source>Timings</source>
        <translation>Temps</translation>
    </message>
    <message>
        <source>Settings that differ</source>
        <translation>Réglages différents</translation>
    </message>
    <message>
        <source>Videos</source>
        <translation>Vidéos</translation>
    </message>
    <message>
        <source>Charts</source>
        <translation>Graphiques</translation>
    </message>
    <message>
        <source>Environment</source>
        <translation>Environnement</translation>
    </message>
    <message>
        <source>Timing summaries</source>
        <translation>Récapitulatifs des temps</translation>
    </message>
    <message>
        <source>Projects</source>
        <translation>Projets</translation>
    </message>
    <message>
        <source>Spread</source>
        <translation>Dispersion</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>Verdict</translation>
    </message>
</context>
<context>
    <name>meshreel::ResultsView</name>
    <message>
        <source>Describe a video on the left and press Run.
Runs, videos, pictures and projects can be dropped here.</source>
        <translation>Décrivez une vidéo à gauche et cliquez sur «&#xa0;Exécuter&#xa0;».
Des exécutions, des vidéos, des images et des projets peuvent être déposés ici.</translation>
    </message>
    <message>
        <source>Back to the current run</source>
        <translation>Revenir à l&apos;exécution actuelle</translation>
    </message>
    <message>
        <source>Back to the last run</source>
        <translation>Revenir à la dernière exécution</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>Continuer</translation>
    </message>
    <message>
        <source>Make the next clip: it goes on from the last frame of this one</source>
        <translation>Faire le clip suivant : il part de la dernière image de celui-ci</translation>
    </message>
    <message>
        <source>From the &amp;last frame</source>
        <translation>À partir de la &amp;dernière image</translation>
    </message>
    <message>
        <source>From the &amp;shown frame</source>
        <translation>À partir de l’image &amp;affichée</translation>
    </message>
    <message>
        <source>Use as</source>
        <translation>Utiliser comme</translation>
    </message>
    <message>
        <source>Let the shown frame, or the video, be an input of the next video</source>
        <translation>Faire de l’image affichée ou de la vidéo une entrée de la prochaine vidéo</translation>
    </message>
</context>
<context>
    <name>meshreel::RunBar</name>
    <message>
        <source>%1, step %2 of %3</source>
        <comment>phase and steps</comment>
        <translation>%1, étape %2 sur %3</translation>
    </message>
    <message>
        <source>%1 · about %2 left</source>
        <comment>what happens, duration</comment>
        <translation>%1 · encore %2 environ</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Exécuter</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Annuler</translation>
    </message>
    <message>
        <source>Stop after the current block; steps that are done are kept</source>
        <translation>Arrêter après le bloc en cours&#xa0;; les étapes terminées sont conservées</translation>
    </message>
    <message>
        <source>Progress of the run</source>
        <translation>Progression de l&apos;exécution</translation>
    </message>
    <message>
        <source>Starting</source>
        <translation>Démarrage</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Reprendre</translation>
    </message>
    <message>
        <source>Resume the stopped run from its last finished step</source>
        <translation>Reprendre l&apos;exécution arrêtée à partir de sa dernière étape terminée</translation>
    </message>
    <message>
        <source>Every step is done: the run cannot pause any more</source>
        <translation>Toutes les étapes sont faites&#xa0;: l&apos;exécution ne peut plus être mise en pause</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>État</translation>
    </message>
    <message>
        <source>Go to the first problem</source>
        <translation>Aller au premier problème</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>File d’attente</translation>
    </message>
    <message>
        <source>Run this project when its turn comes (Ctrl+Enter)</source>
        <translation>Exécuter ce projet quand vient son tour (Ctrl+Entrée)</translation>
    </message>
    <message>
        <source>Generate the video (Ctrl+Enter)</source>
        <translation>Générer la vidéo (Ctrl+Entrée)</translation>
    </message>
    <message>
        <source>Checking the project</source>
        <translation>Vérification du projet</translation>
    </message>
    <message>
        <source>Stop after the current step; nothing is lost</source>
        <translation>Arrêter quand l&apos;étape en cours est terminée&#xa0;; rien n&apos;est perdu</translation>
    </message>
    <message>
        <source>Resume the stopped run %1 from its last finished step</source>
        <comment>name</comment>
        <translation>Continuer l’exécution arrêtée %1 après sa dernière étape terminée</translation>
    </message>
</context>
<context>
    <name>meshreel::RunChoice</name>
    <message>
        <source>Runs that the chart shows</source>
        <translation>Exécutions affichées par le graphique</translation>
    </message>
    <message numerus="yes">
        <source>%1 and %n more</source>
        <translation>
            <numerusform>%1 et %n autre</numerusform>
            <numerusform>%1 et %n autres</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::RunCopies</name>
    <message>
        <source>None of these runs is finished: there is no timing summary to copy.</source>
        <translation>Aucune de ces exécutions n&apos;est terminée&#xa0;: il n&apos;y a pas de récapitulatif des temps à copier.</translation>
    </message>
    <message numerus="yes">
        <source>Copied %n timing summaries</source>
        <translation>
            <numerusform>Un récapitulatif des temps copié</numerusform>
            <numerusform>%n récapitulatifs des temps copiés</numerusform>
        </translation>
    </message>
    <message>
        <source>None of these runs finished a step: there is no configuration to copy.</source>
        <translation>Aucune de ces exécutions n&apos;a terminé une étape&#xa0;: il n&apos;y a pas de configuration à copier.</translation>
    </message>
    <message numerus="yes">
        <source>Copied %n configurations as a Markdown table</source>
        <translation>
            <numerusform>Une configuration copiée en tableau Markdown</numerusform>
            <numerusform>%n configurations copiées en tableau Markdown</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::RunFilter</name>
    <message>
        <source>Model</source>
        <translation>Modèle</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>Tâche</translation>
    </message>
    <message>
        <source>Adapter</source>
        <translation>Adaptateur</translation>
    </message>
    <message>
        <source>Tag</source>
        <translation>Étiquette</translation>
    </message>
    <message>
        <source>Board</source>
        <translation>Collection</translation>
    </message>
</context>
<context>
    <name>meshreel::RunHistoryModel</name>
    <message>
        <source>Run</source>
        <translation>Exécution</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>Début</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>Durée</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Étapes</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Étiquettes</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Note</translation>
    </message>
    <message>
        <source>Seconds a step, without the first one</source>
        <translation>Secondes par étape, sans la première</translation>
    </message>
    <message>
        <source>Width × height × frames</source>
        <translation>Largeur × hauteur × images</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>État</translation>
    </message>
    <message>
        <source>Step, s</source>
        <translation>Étape, s</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Taille</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modèle</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>Attention</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Appareils</translation>
    </message>
    <message>
        <source>Mesh</source>
        <translation>Maillage</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>setting and its value</comment>
        <translation>%1&#xa0;: %2</translation>
    </message>
    <message>
        <source>Settings in which these runs differ, where they are not at their defaults</source>
        <translation>Réglages par lesquels ces exécutions diffèrent, s&apos;ils ne sont pas à leur valeur par défaut</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Graine</translation>
    </message>
    <message>
        <source>What differs</source>
        <translation>Différences</translation>
    </message>
    <message>
        <source>Not all of it can be read</source>
        <translation>Tout n’en peut être lu</translation>
    </message>
    <message>
        <source>Starred</source>
        <translation>Avec une étoile</translation>
    </message>
    <message>
        <source>No star</source>
        <translation>Sans étoile</translation>
    </message>
    <message>
        <source>Collections that the run is in</source>
        <translation>Collections dans lesquelles est l’exécution</translation>
    </message>
    <message>
        <source>Star</source>
        <translation>Étoile</translation>
    </message>
    <message>
        <source>Boards</source>
        <translation>Collections</translation>
    </message>
</context>
<context>
    <name>meshreel::RunLog</name>
    <message>
        <source>Loading the model</source>
        <translation>Chargement du modèle</translation>
    </message>
    <message>
        <source>Preparing weights</source>
        <translation>Préparation des poids</translation>
    </message>
    <message>
        <source>Reading the prompt</source>
        <translation>Lecture du prompt</translation>
    </message>
    <message>
        <source>Denoising</source>
        <translation>Débruitage</translation>
    </message>
    <message>
        <source>Decoding the video</source>
        <translation>Décodage de la vidéo</translation>
    </message>
    <message>
        <source>%1: done in %2</source>
        <comment>phase, duration</comment>
        <translation>%1&#xa0;: terminé en %2</translation>
    </message>
    <message>
        <source>Run folder: %1</source>
        <translation>Dossier d&apos;exécution&#xa0;: %1</translation>
    </message>
    <message>
        <source>Step %1: %2</source>
        <comment>number of a step, duration</comment>
        <translation>Étape %1&#xa0;: %2</translation>
    </message>
    <message>
        <source>Writing the video</source>
        <translation>Écriture de la vidéo</translation>
    </message>
</context>
<context>
    <name>meshreel::RunNotices</name>
    <message>
        <source>A video is being generated</source>
        <translation>Une vidéo est en cours de génération</translation>
    </message>
    <message>
        <source>The video is done</source>
        <translation>La vidéo est terminée</translation>
    </message>
    <message>
        <source>The run failed</source>
        <translation>L&apos;exécution a échoué</translation>
    </message>
    <message>
        <source>Block sizes are being timed</source>
        <translation>Des tailles de blocs sont en cours de mesure</translation>
    </message>
    <message>
        <source>A sweep is being timed</source>
        <translation>Un balayage est en cours de mesure</translation>
    </message>
    <message>
        <source>This machine is being measured</source>
        <translation>Cette machine est en cours de mesure</translation>
    </message>
    <message>
        <source>A benchmark is being measured</source>
        <translation>Un banc d’essai est en cours</translation>
    </message>
</context>
<context>
    <name>meshreel::RunPresenter</name>
    <message>
        <source>Cancelled</source>
        <translation>Annulée</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Échec</translation>
    </message>
    <message>
        <source>Done: %1</source>
        <translation>Terminée&#xa0;: %1</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Terminée</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>En pause</translation>
    </message>
    <message>
        <source>Stopping</source>
        <translation>Arrêt</translation>
    </message>
    <message>
        <source>Pausing after this step</source>
        <translation>Pause après cette étape</translation>
    </message>
    <message>
        <source>%1. Resume begins again.</source>
        <comment>state</comment>
        <translation>%1. Reprendre recommence depuis le début.</translation>
    </message>
    <message>
        <source>%1 at step %2 of %3. Resume goes on from there.</source>
        <comment>state</comment>
        <translation>%1 au pas %2 sur %3. Reprendre repart de là.</translation>
    </message>
</context>
<context>
    <name>meshreel::RunPreview</name>
    <message>
        <source>%1: %2</source>
        <comment>setting and its value</comment>
        <translation>%1 : %2</translation>
    </message>
    <message>
        <source>Previous run</source>
        <translation>Exécution précédente</translation>
    </message>
    <message>
        <source>Left arrow</source>
        <translation>Flèche gauche</translation>
    </message>
    <message>
        <source>Next run</source>
        <translation>Exécution suivante</translation>
    </message>
    <message>
        <source>Right arrow</source>
        <translation>Flèche droite</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Ouvrir</translation>
    </message>
    <message>
        <source>Preview of a run</source>
        <translation>Aperçu d’une exécution</translation>
    </message>
    <message>
        <source>Settings of the run</source>
        <translation>Réglages de l’exécution</translation>
    </message>
    <message>
        <source>Show the chart, summary and video of the run</source>
        <translation>Montrer le graphique, le résumé et la vidéo de l’exécution</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>action and its key</comment>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <comment>numbers of runs</comment>
        <translation>%1 sur %2</translation>
    </message>
    <message>
        <source>This run has no video.</source>
        <translation>Cette exécution n’a pas de vidéo.</translation>
    </message>
    <message>
        <source>Take the star away</source>
        <translation>Retirer l’étoile</translation>
    </message>
    <message>
        <source>Give a star</source>
        <translation>Donner une étoile</translation>
    </message>
</context>
<context>
    <name>meshreel::RunQueue</name>
    <message>
        <source>Waiting</source>
        <translation>En attente</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>En cours</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Terminée</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>Annulée</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Échouée</translation>
    </message>
    <message>
        <source>Will resume</source>
        <translation>Reprendra</translation>
    </message>
    <message numerus="yes">
        <source>%1 × %2, %n frames</source>
        <translation>
            <numerusform>%1 × %2, %n image</numerusform>
            <numerusform>%1 × %2, %n images</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n steps, seed %1</source>
        <translation>
            <numerusform>%n étape, graine %1</numerusform>
            <numerusform>%n étapes, graine %1</numerusform>
        </translation>
    </message>
    <message>
        <source>Project</source>
        <translation>Projet</translation>
    </message>
    <message>
        <source>State</source>
        <translation>État</translation>
    </message>
    <message>
        <source>Video</source>
        <translation>Vidéo</translation>
    </message>
    <message>
        <source>Sampling</source>
        <translation>Échantillonnage</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>Attention</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Réglages</translation>
    </message>
    <message numerus="yes">
        <source>%n steps, random seed</source>
        <translation>
            <numerusform>%n étape, graine au hasard</numerusform>
            <numerusform>%n étapes, graine au hasard</numerusform>
        </translation>
    </message>
    <message>
        <source>Running elsewhere</source>
        <translation>En cours ailleurs</translation>
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
        <translation>Compilateur</translation>
    </message>
    <message>
        <source>Processor</source>
        <translation>Processeur</translation>
    </message>
    <message>
        <source>Instruction set</source>
        <translation>Jeu d&apos;instructions</translation>
    </message>
    <message>
        <source>CPUs</source>
        <translation>Processeurs</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Appareils</translation>
    </message>
    <message>
        <source>Ranks</source>
        <translation>Rangs</translation>
    </message>
    <message>
        <source>Workers of a device</source>
        <translation>Threads par appareil</translation>
    </message>
    <message>
        <source>Mesh</source>
        <translation>Maillage</translation>
    </message>
    <message>
        <source>Self-attention kernel</source>
        <translation>Noyau d&apos;auto-attention</translation>
    </message>
    <message>
        <source>Cross-attention kernel</source>
        <translation>Noyau d&apos;attention croisée</translation>
    </message>
    <message>
        <source>Number types</source>
        <translation>Types de nombres</translation>
    </message>
    <message>
        <source>Libraries</source>
        <translation>Bibliothèques</translation>
    </message>
    <message>
        <source>%1 · %2 s</source>
        <comment>number of a frame, time</comment>
        <translation>%1 · %2&#xa0;s</translation>
    </message>
</context>
<context>
    <name>meshreel::RunStages</name>
    <message>
        <source>%1 %</source>
        <comment>percentage</comment>
        <translation>%1&#xa0;%</translation>
    </message>
    <message>
        <source>%1/%2</source>
        <comment>steps done, steps</comment>
        <translation>%1/%2</translation>
    </message>
    <message>
        <source>%1: still to come</source>
        <comment>stage</comment>
        <translation>%1&#xa0;: à venir</translation>
    </message>
    <message>
        <source>%1: nothing to do</source>
        <comment>stage</comment>
        <translation>%1&#xa0;: rien à faire</translation>
    </message>
    <message>
        <source>%1: done in %2, kept from an earlier run</source>
        <comment>stage, duration</comment>
        <translation>%1&#xa0;: terminé en %2, repris d&apos;une exécution antérieure</translation>
    </message>
    <message>
        <source>%1: done in %2</source>
        <comment>stage, duration</comment>
        <translation>%1&#xa0;: terminé en %2</translation>
    </message>
    <message>
        <source>%1: %2 of %3 done</source>
        <comment>stage, steps</comment>
        <translation>%1&#xa0;: %2 sur %3</translation>
    </message>
    <message>
        <source>%1: stopped after %2 of %3</source>
        <comment>stage, steps</comment>
        <translation>%1&#xa0;: arrêt après %2 sur %3</translation>
    </message>
    <message>
        <source>%1: %2 done</source>
        <comment>stage, percentage</comment>
        <translation>%1&#xa0;: %2 terminés</translation>
    </message>
    <message>
        <source>%1: stopped after %2</source>
        <comment>stage, percentage</comment>
        <translation>%1&#xa0;: arrêt après %2</translation>
    </message>
    <message>
        <source>%1: stopped</source>
        <comment>stage</comment>
        <translation>%1&#xa0;: arrêté</translation>
    </message>
    <message>
        <source>About %1 left</source>
        <comment>duration</comment>
        <translation>Encore %1 environ</translation>
    </message>
    <message>
        <source>Load</source>
        <comment>stage of a run</comment>
        <translation>Chargement</translation>
    </message>
    <message>
        <source>Compile</source>
        <comment>stage of a run</comment>
        <translation>Préparation</translation>
    </message>
    <message>
        <source>Condition</source>
        <comment>stage of a run</comment>
        <translation>Prompt</translation>
    </message>
    <message>
        <source>Steps</source>
        <comment>stage of a run</comment>
        <translation>Étapes</translation>
    </message>
    <message>
        <source>Decode</source>
        <comment>stage of a run</comment>
        <translation>Décodage</translation>
    </message>
    <message>
        <source>Format</source>
        <comment>stage of a run</comment>
        <translation>Écriture</translation>
    </message>
    <message>
        <source>cached</source>
        <comment>result of a stage, very short</comment>
        <translation>cache</translation>
    </message>
    <message>
        <source>%1: in progress</source>
        <comment>stage</comment>
        <translation>%1&#xa0;: en cours</translation>
    </message>
</context>
<context>
    <name>meshreel::RunTexts</name>
    <message>
        <source>Running</source>
        <translation>En cours</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Terminée</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>Annulée</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Échouée</translation>
    </message>
    <message>
        <source>Interrupted</source>
        <translation>Interrompue</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>status and its reason</comment>
        <translation>%1&#xa0;: %2</translation>
    </message>
    <message>
        <source>%1 of %2 steps</source>
        <translation>%1 étapes sur %2</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <comment>steps and duration</comment>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1&#xa0;s</translation>
    </message>
    <message>
        <source>%1 min %2 s</source>
        <translation>%1&#xa0;min %2&#xa0;s</translation>
    </message>
    <message>
        <source>%1 h %2 min</source>
        <translation>%1&#xa0;h %2&#xa0;min</translation>
    </message>
</context>
<context>
    <name>meshreel::RunTiles</name>
    <message>
        <source>Runs as tiles</source>
        <translation>Exécutions en mosaïque</translation>
    </message>
</context>
<context>
    <name>meshreel::SaveLookDialog</name>
    <message>
        <source>Save a look</source>
        <translation>Enregistrer un look</translation>
    </message>
    <message>
        <source>A look is a picture with settings in it: how videos look, whatever they show. Write {prompt} into a prompt to make it a style.</source>
        <translation>Un look est une image qui contient des réglages : à quoi ressemblent les vidéos, quoi qu’elles montrent. Écrivez {prompt} dans un prompt pour en faire un style.</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>Choisir…</translation>
    </message>
    <message>
        <source>Settings of the look</source>
        <translation>Réglages du look</translation>
    </message>
    <message>
        <source>Picture of the look</source>
        <translation>Image du look</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Nom</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Note</translation>
    </message>
    <message>
        <source>Picture</source>
        <translation>Image</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Enregistrer</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>title of a setting and its value</comment>
        <translation>%1 : %2</translation>
    </message>
    <message>
        <source>Choose a picture or video</source>
        <translation>Choisir une image ou une vidéo</translation>
    </message>
    <message>
        <source>Pictures and videos (*.png *.jpg *.jpeg *.webp *.mp4 *.webm *.gif)</source>
        <translation>Images et vidéos (*.png *.jpg *.jpeg *.webp *.mp4 *.webm *.gif)</translation>
    </message>
    <message>
        <source>The project has the default look: change sampling, adapters, size or what must not be seen first.</source>
        <translation>Le projet a le look par défaut : changez d’abord l’échantillonnage, les adaptateurs, la taille ou ce qui ne doit pas se voir.</translation>
    </message>
    <message>
        <source>Choose at least one setting.</source>
        <translation>Choisissez au moins un réglage.</translation>
    </message>
    <message>
        <source>Write a name.</source>
        <translation>Écrivez un nom.</translation>
    </message>
    <message>
        <source>Choose a picture that shows the look, such as a frame of a run.</source>
        <translation>Choisissez une image qui montre le look, comme une image d’une exécution.</translation>
    </message>
</context>
<context>
    <name>meshreel::SessionKeeper</name>
    <message>
        <source>Your last project is open as you left it.</source>
        <translation>Votre dernier projet est ouvert tel que vous l’avez laissé.</translation>
    </message>
    <message>
        <source>Go on with it</source>
        <translation>Continuer avec</translation>
    </message>
    <message>
        <source>Start anew</source>
        <translation>Recommencer</translation>
    </message>
    <message>
        <source>Your last storyboard is open as you left it.</source>
        <translation>Votre dernier storyboard est ouvert tel que vous l’avez laissé.</translation>
    </message>
    <message>
        <source>Show storyboard</source>
        <translation>Afficher le storyboard</translation>
    </message>
    <message numerus="yes">
        <source>%n runs wait in the queue.</source>
        <translation>
            <numerusform>%n exécution attend dans la file.</numerusform>
            <numerusform>%n exécutions attendent dans la file.</numerusform>
        </translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Reprendre</translation>
    </message>
    <message>
        <source>Show queue</source>
        <translation>Afficher la file</translation>
    </message>
</context>
<context>
    <name>meshreel::Settings</name>
    <message>
        <source>Some kept settings could not be read; a copy of their file is %1.</source>
        <translation>Certains réglages conservés n&apos;ont pas pu être lus ; %1 est une copie de leur fichier.</translation>
    </message>
</context>
<context>
    <name>meshreel::ShotEditor</name>
    <message>
        <source>Goes on from the shot before</source>
        <translation>Poursuit le plan précédent</translation>
    </message>
    <message>
        <source>Frames in which the film passes over</source>
        <translation>Images du fondu enchaîné</translation>
    </message>
    <message>
        <source>Shot</source>
        <translation>Plan</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Nom</translation>
    </message>
    <message>
        <source>Name of the shot</source>
        <translation>Nom du plan</translation>
    </message>
    <message>
        <source>Letters, digits, &apos;-&apos;, &apos;_&apos; and &apos;.&apos;; the folder of its run is called after it.</source>
        <translation>Lettres, chiffres, « - », « _ » et « . » ; le dossier de son exécution porte ce nom.</translation>
    </message>
    <message>
        <source>Seconds</source>
        <translation>Secondes</translation>
    </message>
    <message>
        <source>How long the film shows the shot. Empty: as long as all shots.</source>
        <translation>Combien de temps le film montre le plan. Vide : comme tous les plans.</translation>
    </message>
    <message>
        <source>It begins with the last frames of the shot before.</source>
        <translation>Il commence par les dernières images du plan précédent.</translation>
    </message>
    <message>
        <source>Of those that both shots show; 0 cuts.</source>
        <translation>Parmi celles que montrent les deux plans ; 0 coupe.</translation>
    </message>
    <message>
        <source>usual (%1)</source>
        <comment>seconds</comment>
        <translation>habituel (%1)</translation>
    </message>
    <message>
        <source>usual (%1)</source>
        <comment>frames</comment>
        <translation>habituel (%1)</translation>
    </message>
    <message>
        <source>Goes on from the shot %1</source>
        <comment>name</comment>
        <translation>Poursuit le plan %1</translation>
    </message>
</context>
<context>
    <name>meshreel::SizePicker</name>
    <message>
        <source>Size class</source>
        <translation>Classe de taille</translation>
    </message>
    <message>
        <source>How large: the lines of a wide video</source>
        <translation>Taille : les lignes d’une vidéo large</translation>
    </message>
    <message>
        <source>Aspect ratio</source>
        <translation>Format</translation>
    </message>
    <message>
        <source>Width to height</source>
        <translation>Largeur sur hauteur</translation>
    </message>
    <message>
        <source>Custom size</source>
        <translation>Taille libre</translation>
    </message>
    <message>
        <source>Custom</source>
        <comment>aspect ratio</comment>
        <translation>Libre</translation>
    </message>
    <message>
        <source>Swap width and height</source>
        <translation>Échanger largeur et hauteur</translation>
    </message>
    <message>
        <source>Set the size</source>
        <translation>Fixer la taille</translation>
    </message>
</context>
<context>
    <name>meshreel::SortMenu</name>
    <message>
        <source>Sort by</source>
        <translation>Trier par</translation>
    </message>
    <message>
        <source>Ascending</source>
        <translation>Croissant</translation>
    </message>
    <message>
        <source>Descending</source>
        <translation>Décroissant</translation>
    </message>
    <message>
        <source>Not sorted</source>
        <translation>Non trié</translation>
    </message>
</context>
<context>
    <name>meshreel::Splitter</name>
    <message>
        <source>Divider between %1 and %2</source>
        <translation>Séparateur entre %1 et %2</translation>
    </message>
    <message>
        <source>Drag it, or move it with the arrow keys, Page up and down, Home and End; Enter or a double click puts it back.</source>
        <translation>À faire glisser, ou à déplacer avec les flèches, Page haut et bas, Début et Fin ; Entrée ou un double clic le remet en place.</translation>
    </message>
    <message>
        <source>%1: %2 %</source>
        <comment>part of the window and its share</comment>
        <translation>%1 : %2 %</translation>
    </message>
</context>
<context>
    <name>meshreel::StageMeter</name>
    <message>
        <source>%1: %2</source>
        <comment>stage and its memory</comment>
        <translation>%1&#xa0;: %2</translation>
    </message>
    <message>
        <source>Memory of the stages</source>
        <translation>Mémoire des phases</translation>
    </message>
</context>
<context>
    <name>meshreel::StageStrip</name>
    <message>
        <source>Stages of the run</source>
        <translation>Phases de l&apos;exécution</translation>
    </message>
</context>
<context>
    <name>meshreel::StatisticsModel</name>
    <message>
        <source>Seconds of all lanes together, as far as they are in what is measured; slices inside others count in both</source>
        <translation>Secondes de toutes les pistes ensemble, pour ce qui est mesuré ; les tranches contenues dans d&apos;autres comptent dans les deux</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Nom</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Exécution</translation>
    </message>
    <message>
        <source>Total</source>
        <translation>Total</translation>
    </message>
    <message>
        <source>Count</source>
        <translation>Nombre</translation>
    </message>
    <message>
        <source>Mean</source>
        <translation>Moyenne</translation>
    </message>
    <message>
        <source>Longest</source>
        <translation>La plus longue</translation>
    </message>
</context>
<context>
    <name>meshreel::StepChart</name>
    <message>
        <source>Seconds per step</source>
        <translation>Secondes par étape</translation>
    </message>
    <message>
        <source>Latent mean</source>
        <translation>Moyenne des latents</translation>
    </message>
    <message>
        <source>Latent minimum to maximum</source>
        <translation>Latents du minimum au maximum</translation>
    </message>
    <message>
        <source>Mean: %1 s</source>
        <translation>Moyenne&#xa0;: %1&#xa0;s</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Étape</translation>
    </message>
    <message>
        <source>Step %1: %2 s, sigma %3, latents %4 to %5</source>
        <translation>Étape %1&#xa0;: %2&#xa0;s, sigma %3, latents de %4 à %5</translation>
    </message>
</context>
<context>
    <name>meshreel::StoryboardActions</name>
    <message>
        <source>A run is in progress: wait until it ends.</source>
        <translation>Une exécution est en cours : attendez sa fin.</translation>
    </message>
</context>
<context>
    <name>meshreel::StoryboardDocument</name>
    <message>
        <source>Add a shot</source>
        <translation>Ajouter un plan</translation>
    </message>
    <message>
        <source>Duplicate a shot</source>
        <translation>Dupliquer un plan</translation>
    </message>
    <message>
        <source>Remove a shot</source>
        <translation>Retirer un plan</translation>
    </message>
    <message>
        <source>Move a shot</source>
        <translation>Déplacer un plan</translation>
    </message>
    <message>
        <source>Settings for all shots</source>
        <translation>Réglages de tous les plans</translation>
    </message>
    <message>
        <source>Changes of the last session</source>
        <translation>Modifications de la dernière session</translation>
    </message>
    <message>
        <source>Untitled storyboard</source>
        <translation>Storyboard sans titre</translation>
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
        <translation>Nouveau s&amp;toryboard</translation>
    </message>
    <message>
        <source>Save storyboar&amp;d</source>
        <translation>Enregistrer le storyboar&amp;d</translation>
    </message>
    <message>
        <source>Save stor&amp;yboard as…</source>
        <translation>Enregistrer le stor&amp;yboard sous…</translation>
    </message>
    <message>
        <source>Begin a film with the settings of the open project</source>
        <translation>Commencer un film avec les réglages du projet ouvert</translation>
    </message>
    <message>
        <source>Unsaved changes</source>
        <translation>Modifications non enregistrées</translation>
    </message>
    <message>
        <source>Save the changes to “%1”?</source>
        <translation>Enregistrer les modifications de « %1 » ?</translation>
    </message>
    <message>
        <source>If you don&apos;t save, your changes will be lost.</source>
        <translation>Sans enregistrement, vos modifications seront perdues.</translation>
    </message>
    <message>
        <source>Save the storyboard</source>
        <translation>Enregistrer le storyboard</translation>
    </message>
    <message>
        <source>Open a storyboard</source>
        <translation>Ouvrir un storyboard</translation>
    </message>
</context>
<context>
    <name>meshreel::StoryboardModel</name>
    <message>
        <source>Not made</source>
        <comment>shot</comment>
        <translation>Pas fait</translation>
    </message>
    <message>
        <source>Changed</source>
        <comment>shot</comment>
        <translation>Modifié</translation>
    </message>
    <message>
        <source>Interrupted</source>
        <comment>shot</comment>
        <translation>Interrompu</translation>
    </message>
    <message>
        <source>Made</source>
        <comment>shot</comment>
        <translation>Fait</translation>
    </message>
    <message>
        <source>%1 s</source>
        <comment>seconds</comment>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>Being made: %1 %</source>
        <comment>percent of a shot</comment>
        <translation>En cours : %1 %</translation>
    </message>
    <message>
        <source>Cannot be made</source>
        <comment>shot</comment>
        <translation>Impossible</translation>
    </message>
    <message>
        <source>Being checked</source>
        <comment>shot</comment>
        <translation>En vérification</translation>
    </message>
    <message>
        <source>Cannot be made yet</source>
        <comment>shot</comment>
        <translation>Pas encore possible</translation>
    </message>
    <message>
        <source>%1 of memory</source>
        <comment>bytes</comment>
        <translation>%1 de mémoire</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <comment>time, memory</comment>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>Shot %1 of %2, %3</source>
        <comment>number, number of shots, name</comment>
        <translation>Plan %1 sur %2, %3</translation>
    </message>
    <message>
        <source>goes on from another shot</source>
        <translation>poursuit un autre plan</translation>
    </message>
</context>
<context>
    <name>meshreel::StoryboardPanel</name>
    <message>
        <source>A film of several shots: each has its own prompt and pictures, and can go on from the one before. Only shots that changed are made again.</source>
        <translation>Un film de plusieurs plans : chacun a son prompt et ses images, et peut poursuivre le précédent. Seuls les plans modifiés sont refaits.</translation>
    </message>
    <message>
        <source>Make what changed</source>
        <translation>Faire ce qui a changé</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Annuler</translation>
    </message>
    <message>
        <source>New storyboard</source>
        <translation>Nouveau storyboard</translation>
    </message>
    <message>
        <source>Open a storyboard…</source>
        <translation>Ouvrir un storyboard…</translation>
    </message>
    <message>
        <source>Shot</source>
        <translation>Plan</translation>
    </message>
    <message>
        <source>Film</source>
        <translation>Film</translation>
    </message>
    <message>
        <source>Add shot</source>
        <translation>Ajouter un plan</translation>
    </message>
    <message>
        <source>Add a shot behind this one</source>
        <translation>Ajouter un plan après celui-ci</translation>
    </message>
    <message>
        <source>Duplicate shot</source>
        <translation>Dupliquer le plan</translation>
    </message>
    <message>
        <source>Duplicate this shot (Ctrl+D)</source>
        <translation>Dupliquer ce plan (Ctrl+D)</translation>
    </message>
    <message>
        <source>Move shot to the left</source>
        <translation>Déplacer le plan à gauche</translation>
    </message>
    <message>
        <source>Move this shot before the one before (Alt+Left)</source>
        <translation>Placer ce plan avant le précédent (Alt+Gauche)</translation>
    </message>
    <message>
        <source>Move shot to the right</source>
        <translation>Déplacer le plan à droite</translation>
    </message>
    <message>
        <source>Move this shot behind the next one (Alt+Right)</source>
        <translation>Placer ce plan après le suivant (Alt+Droite)</translation>
    </message>
    <message>
        <source>Remove shot</source>
        <translation>Retirer le plan</translation>
    </message>
    <message>
        <source>Remove this shot (Delete)</source>
        <translation>Retirer ce plan (Suppr)</translation>
    </message>
    <message>
        <source>Use the project&apos;s settings</source>
        <translation>Reprendre les réglages du projet</translation>
    </message>
    <message>
        <source>Save storyboard</source>
        <translation>Enregistrer le storyboard</translation>
    </message>
    <message>
        <source>Save the storyboard (Ctrl+S here)</source>
        <translation>Enregistrer le storyboard (ici Ctrl+S)</translation>
    </message>
    <message>
        <source>Tools of the storyboard</source>
        <translation>Outils du storyboard</translation>
    </message>
    <message>
        <source>Progress of the film</source>
        <translation>Avancement du film</translation>
    </message>
    <message>
        <source>What is done of the shot is kept: making the film goes on from there.</source>
        <translation>Ce qui est fait du plan est gardé : le film reprend de là.</translation>
    </message>
    <message>
        <source>The film is being checked.</source>
        <translation>Le film est en cours de vérification.</translation>
    </message>
    <message>
        <source>Film: %1 s</source>
        <comment>seconds</comment>
        <translation>Film : %1 s</translation>
    </message>
    <message>
        <source>everything is made</source>
        <translation>tout est fait</translation>
    </message>
    <message>
        <source>its shots are made, but not joined</source>
        <translation>les plans sont faits, mais pas assemblés</translation>
    </message>
    <message>
        <source>to make: %1 of %2</source>
        <comment>numbers of shots</comment>
        <translation>à faire : %1 sur %2</translation>
    </message>
    <message>
        <source>time not known</source>
        <translation>durée inconnue</translation>
    </message>
    <message>
        <source>%1 of memory</source>
        <comment>bytes</comment>
        <translation>%1 de mémoire</translation>
    </message>
    <message>
        <source>Shots marked red cannot be made yet.</source>
        <translation>Les plans marqués en rouge ne peuvent pas encore être faits.</translation>
    </message>
    <message>
        <source>Everything is made: change a shot first.</source>
        <translation>Tout est fait : modifiez d’abord un plan.</translation>
    </message>
    <message>
        <source>The film is being made.</source>
        <translation>Le film est en cours.</translation>
    </message>
    <message>
        <source>Shot %1 of %2: %3</source>
        <comment>number, number of shots, name</comment>
        <translation>Plan %1 sur %2 : %3</translation>
    </message>
    <message>
        <source>Join the shots</source>
        <translation>Assembler les plans</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>Continuer</translation>
    </message>
    <message>
        <source>Make the shots that are not made as they are now, and join all</source>
        <translation>Faire les plans qui ne le sont pas tels quels, et tout assembler</translation>
    </message>
    <message>
        <source>Space plays the shots that are made.</source>
        <translation>Espace lit les plans déjà faits.</translation>
    </message>
    <message>
        <source>No shot is made yet.</source>
        <translation>Aucun plan n’est encore fait.</translation>
    </message>
    <message>
        <source>Let all shots have the model, size and other settings of the open project. A prompt and pictures that all shots share are removed.</source>
        <translation>Donner à tous les plans le modèle, la taille et les autres réglages du projet ouvert. Un prompt et des images communs à tous les plans sont retirés.</translation>
    </message>
    <message>
        <source>What all shots share must be mended first: see above the shots.</source>
        <translation>Corrigez d’abord ce que tous les plans partagent : voir au-dessus des plans.</translation>
    </message>
</context>
<context>
    <name>meshreel::StoryboardRecovery</name>
    <message>
        <source>The kept storyboard could not be read and was set aside as %1: %2</source>
        <comment>file, reason</comment>
        <translation>Le storyboard conservé n’a pas pu être lu et a été mis de côté sous %1 : %2</translation>
    </message>
    <message>
        <source>The storyboard is kept only in this window: %1</source>
        <comment>reason</comment>
        <translation>Le storyboard n’est gardé que dans cette fenêtre : %1</translation>
    </message>
</context>
<context>
    <name>meshreel::StoryboardStrip</name>
    <message>
        <source>Shots of the film</source>
        <translation>Plans du film</translation>
    </message>
</context>
<context>
    <name>meshreel::StudioPanels</name>
    <message>
        <source>Project</source>
        <translation>Projet</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modèle</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>Résultat</translation>
    </message>
    <message>
        <source>Mesh</source>
        <translation>Maillage</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>Problèmes</translation>
    </message>
    <message>
        <source>Chart</source>
        <translation>Graphique</translation>
    </message>
    <message>
        <source>Reference</source>
        <translation>Référence</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>Attention</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Texte</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Exécutions</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Comparaison</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>File d&apos;attente</translation>
    </message>
    <message>
        <source>Noise</source>
        <translation>Bruit</translation>
    </message>
    <message>
        <source>Prompts</source>
        <translation>Prompts</translation>
    </message>
    <message>
        <source>Tune</source>
        <translation>Réglage fin</translation>
    </message>
    <message>
        <source>Sweep</source>
        <translation>Balayage</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modèles</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Appareils</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>Résumé</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Journal</translation>
    </message>
    <message>
        <source>Foresight</source>
        <translation>Prévision</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>Chronologie</translation>
    </message>
    <message>
        <source>Storyboard</source>
        <translation>Storyboard</translation>
    </message>
    <message>
        <source>Bench</source>
        <translation>Banc d’essai</translation>
    </message>
</context>
<context>
    <name>meshreel::StudioWords</name>
    <message>
        <source>Add the file in Models, which says what it is</source>
        <translation>Ajoutez le fichier dans Modèles, qui dit ce que c&apos;est</translation>
    </message>
    <message>
        <source>The file is of another model, or damaged: add it in Models to see what it is, or get it again</source>
        <translation>Le fichier est celui d&apos;un autre modèle, ou endommagé : ajoutez-le dans Modèles pour voir ce que c&apos;est, ou récupérez-le à nouveau</translation>
    </message>
    <message>
        <source>measure one in a terminal (meshreel calibrate magcache PROJECT -o FILE), and choose it as MagCache curve file</source>
        <translation>mesurez-en une dans un terminal (meshreel calibrate magcache PROJECT -o FILE) et choisissez-la comme fichier de courbe de MagCache</translation>
    </message>
    <message>
        <source>The MagCache curve was measured on a transformer of {} blocks, and this has {}; in a terminal, meshreel calibrate magcache measures one for it</source>
        <translation>La courbe MagCache a été mesurée sur un transformeur de {} blocs, et celui-ci en a {} ; dans un terminal, meshreel calibrate magcache en mesure une pour lui</translation>
    </message>
    <message>
        <source>Choose a file that meshreel calibrate magcache has written in a terminal</source>
        <translation>Choisissez un fichier écrit par meshreel calibrate magcache dans un terminal</translation>
    </message>
    <message>
        <source>Curve of the model, which meshreel calibrate magcache measures in a terminal; relative to the project&apos;s folder.</source>
        <translation>Courbe du modèle, que meshreel calibrate magcache mesure dans un terminal ; relative au dossier du projet.</translation>
    </message>
    <message>
        <source>Tune searches block sizes</source>
        <translation>Réglage fin cherche les tailles de blocs</translation>
    </message>
    <message>
        <source>run folders hold what a run leaves: see Runs</source>
        <translation>les dossiers d&apos;exécution contiennent ce que laisse une exécution : voir Exécutions</translation>
    </message>
    <message>
        <source>Copy the model to every host and turn Send weights off</source>
        <translation>Copiez le modèle sur chaque hôte et désactivez « Envoyer les poids »</translation>
    </message>
    <message>
        <source>Choose the folder of a run</source>
        <translation>Choisissez le dossier d&apos;une exécution</translation>
    </message>
    <message>
        <source>Choose one with “Choose the folder for runs” in the File menu</source>
        <translation>Choisissez-en un avec « Choisir le dossier des exécutions » dans le menu Fichier</translation>
    </message>
    <message>
        <source>Choose one from the list</source>
        <translation>Choisissez-en un dans la liste</translation>
    </message>
    <message>
        <source>Choose flash, or another mode whose kernel works in blocks</source>
        <translation>Choisissez flash, ou un autre mode dont le noyau travaille par blocs</translation>
    </message>
    <message>
        <source>Choose a tile_size_grid_search.csv as tuning writes it</source>
        <translation>Choisissez un fichier tile_size_grid_search.csv tel que l&apos;écrit le réglage fin</translation>
    </message>
    <message>
        <source>Choose runs that got as far as denoising, or a table that tuning has written</source>
        <translation>Choisissez des exécutions arrivées au débruitage, ou un tableau écrit par le réglage fin</translation>
    </message>
    <message>
        <source>Set XDG_CACHE_HOME to a folder that you may write to, and start the Studio again</source>
        <translation>Faites pointer XDG_CACHE_HOME vers un dossier où vous pouvez écrire, et relancez le Studio</translation>
    </message>
    <message>
        <source>Delete the file: it is made again</source>
        <translation>Supprimez le fichier : il est refait</translation>
    </message>
    <message>
        <source>Free some space, or set XDG_CACHE_HOME to another disk and start the Studio again</source>
        <translation>Libérez de l&apos;espace, ou faites pointer XDG_CACHE_HOME vers un autre disque et relancez le Studio</translation>
    </message>
    <message>
        <source>Start it again with Run</source>
        <translation>Relancez-la avec « Exécuter »</translation>
    </message>
    <message>
        <source>Set them back, or start a new run with them: “Load these settings” in Runs, then Run</source>
        <translation>Rétablissez-les, ou lancez avec eux une nouvelle exécution : « Utiliser son projet » dans Exécutions, puis « Exécuter »</translation>
    </message>
    <message>
        <source>Put the files back that it began with, or start a new run: “Load these settings” in Runs, then Run</source>
        <translation>Remettez les fichiers avec lesquels elle a commencé, ou lancez une nouvelle exécution : « Utiliser son projet » dans Exécutions, puis « Exécuter »</translation>
    </message>
    <message>
        <source>rank {} on host {} computes with {}, and rank 0 on host {} with {}: the result differs slightly from that of one instruction set</source>
        <translation>le rang {} sur l’hôte {} calcule avec {}, et le rang 0 sur l’hôte {} avec {} : le résultat diffère légèrement de celui d’un seul jeu d’instructions</translation>
    </message>
    <message>
        <source>Choose another GPU, or none, at the setting GPU</source>
        <translation>Choisissez un autre GPU, ou none, au réglage GPU</translation>
    </message>
    <message>
        <source>Use none, auto, or the number of a GPU: 0 is the first</source>
        <translation>Utilisez none, auto ou le numéro d’un GPU : 0 est le premier</translation>
    </message>
    <message>
        <source>Choose none, auto, or the number of another GPU: 0 is the first</source>
        <translation>Choisissez none, auto ou le numéro d’un autre GPU : 0 est le premier</translation>
    </message>
    <message>
        <source>Update the GPU driver, or use the CPU</source>
        <translation>Mettez à jour le pilote du GPU, ou utilisez le CPU</translation>
    </message>
    <message>
        <source>If you know who wrote the project, open it and agree for its folder</source>
        <translation>Si vous savez qui a écrit le projet, ouvrez-le et acceptez son dossier</translation>
    </message>
    <message>
        <source>Download it in the Models panel ({}), or whole in a terminal with: {}. {}</source>
        <translation>Téléchargez-le dans le panneau Modèles ({}), ou en entier dans un terminal avec : {}. {}</translation>
    </message>
    <message>
        <source>not measured yet; the first run in bf16 measures</source>
        <translation>pas encore mesuré&#xa0;; la première exécution en bf16 mesure</translation>
    </message>
    <message>
        <source>Download it in the Models panel ({}), and use it from there. {}</source>
        <translation>Téléchargez-le dans le panneau Modèles ({}) et utilisez-le depuis là. {}</translation>
    </message>
    <message>
        <source>Resume goes on with it on the same hosts</source>
        <translation>Reprendre la poursuit sur les mêmes hôtes</translation>
    </message>
    <message>
        <source>Resume goes on with it</source>
        <translation>Reprendre la poursuit</translation>
    </message>
    <message>
        <source>Choose a new folder, or go on with the run in it with Resume</source>
        <translation>Choisissez un nouveau dossier, ou poursuivez avec « Reprendre » l&apos;exécution qu&apos;il contient</translation>
    </message>
    <message>
        <source>Resume it there, or with “Resume on a different machine” in Runs: the result may then differ in its last bits</source>
        <translation>Reprenez-la là-bas, ou avec « Reprendre sur une autre machine » dans Exécutions : le résultat peut alors différer dans ses derniers bits</translation>
    </message>
    <message>
        <source>Go on with the run first, with Resume</source>
        <translation>Poursuivez d&apos;abord l&apos;exécution avec « Reprendre »</translation>
    </message>
    <message>
        <source>Go on with one of them with Resume in Runs</source>
        <translation>Poursuivez-en une avec « Reprendre » dans Exécutions</translation>
    </message>
    <message>
        <source>Choose a file for {}</source>
        <translation>Choisissez un fichier pour {}</translation>
    </message>
    <message>
        <source>Free some space on it, or choose another folder with “Choose the folder for runs” in the File menu</source>
        <translation>Libérez de la place sur ce disque, ou choisissez un autre dossier avec « Choisir le dossier des exécutions » dans le menu Fichier</translation>
    </message>
</context>
<context>
    <name>meshreel::SummaryPanel</name>
    <message>
        <source>Timing summary</source>
        <translation>Récapitulatif des temps</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Copier</translation>
    </message>
    <message>
        <source>Copy the timing summary</source>
        <translation>Copier le récapitulatif des temps</translation>
    </message>
    <message>
        <source>Where the time went stands here once a run is done, or a past one is opened.</source>
        <translation>Le détail du temps passé se trouve ici dès qu&apos;une exécution est finie, ou qu&apos;une ancienne est ouverte.</translation>
    </message>
    <message>
        <source>Open a run</source>
        <translation>Ouvrir une exécution</translation>
    </message>
</context>
<context>
    <name>meshreel::SweepModel</name>
    <message>
        <source>%1 %</source>
        <comment>percentage</comment>
        <translation>%1&#xa0;%</translation>
    </message>
    <message>
        <source>Cannot run: %1</source>
        <comment>state of a cell, and why</comment>
        <translation>Ne peut pas s&apos;exécuter&#xa0;: %1</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>En attente</translation>
    </message>
    <message>
        <source>%1 of %2 passes</source>
        <translation>%1 passes sur %2</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Terminée</translation>
    </message>
    <message>
        <source>Slowest less fastest pass, in percent of the median</source>
        <translation>Passe la plus lente moins la plus rapide, en pourcentage de la médiane</translation>
    </message>
    <message>
        <source>Strategy</source>
        <translation>Stratégie</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>Lot</translation>
    </message>
    <message>
        <source>Seconds</source>
        <translation>Secondes</translation>
    </message>
    <message>
        <source>Spread</source>
        <translation>Dispersion</translation>
    </message>
    <message>
        <source>State</source>
        <translation>État</translation>
    </message>
    <message>
        <source>The settings of the open project</source>
        <translation>Les réglages du projet ouvert</translation>
    </message>
    <message>
        <source>%1, the settings of the open project</source>
        <comment>a strategy</comment>
        <translation>%1, les réglages du projet ouvert</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>Verdict</translation>
    </message>
    <message>
        <source>Beside the first strategy, all else equal: the range that holds the true difference in nine of ten comparisons; where it is within the noise, how often to repeat both</source>
        <translation>À côté de la première stratégie, toutes choses égales par ailleurs : la plage qui contient la vraie différence dans neuf comparaisons sur dix ; si elle est dans le bruit, combien de fois répéter les deux</translation>
    </message>
</context>
<context>
    <name>meshreel::SweepPanel</name>
    <message>
        <source>Cells that are done</source>
        <translation>Cellules terminées</translation>
    </message>
    <message>
        <source>Open a sweep…</source>
        <translation>Ouvrir un balayage…</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Exécuter</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Annuler</translation>
    </message>
    <message>
        <source>Export CSV…</source>
        <translation>Exporter en CSV…</translation>
    </message>
    <message>
        <source>Stops; passes that are done are kept</source>
        <translation>Arrête&#xa0;; les passes faites sont gardées</translation>
    </message>
    <message>
        <source>Write every pass to a file</source>
        <translation>Écrire chaque passe dans un fichier</translation>
    </message>
    <message>
        <source>Cells of the sweep</source>
        <translation>Cellules du balayage</translation>
    </message>
    <message>
        <source>Open a sweep</source>
        <translation>Ouvrir un balayage</translation>
    </message>
    <message>
        <source>Sweeps (*.yaml *.yml)</source>
        <translation>Balayages (*.yaml *.yml)</translation>
    </message>
    <message>
        <source>Export every pass</source>
        <translation>Exporter chaque passe</translation>
    </message>
    <message>
        <source>Table (*.csv)</source>
        <translation>Tableau (*.csv)</translation>
    </message>
    <message>
        <source>The passes were written to %1</source>
        <translation>Les passes ont été écrites dans %1</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>Continuer</translation>
    </message>
    <message>
        <source>Times every cell; passes that are there are kept</source>
        <translation>Chronomètre chaque cellule&#xa0;; les passes déjà faites sont gardées</translation>
    </message>
    <message numerus="yes">
        <source>%1: %2 of %n cells done, %3 passes each; results in %4</source>
        <comment>name, numbers, folder</comment>
        <translation>
            <numerusform>%1&#xa0;: %2 cellule sur %n terminée, %3 passes chacune&#xa0;; résultats dans %4</numerusform>
            <numerusform>%1&#xa0;: %2 cellules sur %n terminées, %3 passes chacune&#xa0;; résultats dans %4</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 (%n cells cannot run)</source>
        <comment>what is done</comment>
        <translation>
            <numerusform>%1 (%n cellule ne peut pas être exécutée)</numerusform>
            <numerusform>%1 (%n cellules ne peuvent pas être exécutées)</numerusform>
        </translation>
    </message>
    <message>
        <source>A sweep times modes, meshes, batches and block sizes beside each other. Make one of the open project, or open a file.</source>
        <translation>Un balayage mesure modes, maillages, lots et tailles de blocs côte à côte. Créez-en un à partir du projet ouvert, ou ouvrez un fichier.</translation>
    </message>
    <message>
        <source>New sweep from this project…</source>
        <translation>Nouveau balayage à partir de ce projet…</translation>
    </message>
    <message>
        <source>Writes a file that times this project&apos;s attention beside other modes</source>
        <translation>Écrit un fichier qui mesure l&apos;attention de ce projet à côté d&apos;autres modes</translation>
    </message>
    <message>
        <source>New sweep from this project</source>
        <translation>Nouveau balayage à partir de ce projet</translation>
    </message>
    <message>
        <source>Sweeps (*.yaml)</source>
        <translation>Balayages (*.yaml)</translation>
    </message>
    <message>
        <source>Repeat</source>
        <translation>Répéter</translation>
    </message>
    <message numerus="yes">
        <source>Times %n cells again, as often as it takes to tell those within the noise from what they are compared with</source>
        <translation>
            <numerusform>Mesure de nouveau %n cellule, autant de fois qu&apos;il le faut pour distinguer celles dans le bruit de leur référence</numerusform>
            <numerusform>Mesure de nouveau %n cellules, autant de fois qu&apos;il le faut pour distinguer celles dans le bruit de leur référence</numerusform>
        </translation>
    </message>
    <message>
        <source>No cell is within the noise of what it is compared with</source>
        <translation>Aucune cellule n&apos;est dans le bruit de ce à quoi elle est comparée</translation>
    </message>
</context>
<context>
    <name>meshreel::TaskPicker</name>
    <message>
        <source>Text</source>
        <translation>Texte</translation>
    </message>
    <message>
        <source>Image</source>
        <translation>Image</translation>
    </message>
    <message>
        <source>Video</source>
        <translation>Vidéo</translation>
    </message>
    <message>
        <source>A video made over after a prompt</source>
        <translation>Une vidéo refaite d’après une invite</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>Édition</translation>
    </message>
    <message>
        <source>A video edited with masks, controls and reference images</source>
        <translation>Une vidéo éditée avec masques, contrôles et images de référence</translation>
    </message>
    <message>
        <source>Character</source>
        <translation>Personnage</translation>
    </message>
    <message>
        <source>A character that moves as a video of poses does</source>
        <translation>Un personnage qui bouge comme une vidéo de poses</translation>
    </message>
    <message>
        <source>What the video is made of</source>
        <translation>De quoi la vidéo est faite</translation>
    </message>
    <message>
        <source>A video from a prompt; with Phantom, of the subjects in pictures</source>
        <translation>Une vidéo à partir d&apos;un prompt&#xa0;; avec Phantom, des sujets montrés en images</translation>
    </message>
    <message>
        <source>A video that begins with a picture, ends with one, or shows pictures in between</source>
        <translation>Une vidéo qui commence par une image, finit par une image ou en montre entre les deux</translation>
    </message>
    <message>
        <source>Shows it in Models, with its licence and its files, where it is downloaded</source>
        <translation>L’affiche dans Modèles, avec sa licence et ses fichiers, où il se télécharge</translation>
    </message>
    <message>
        <source>No model on this machine does this: %1.</source>
        <comment>title of a task</comment>
        <translation>Aucun modèle de cette machine ne fait cela : %1.</translation>
    </message>
    <message>
        <source>No model on this machine does this: %1. Add one in Models.</source>
        <comment>title of a task</comment>
        <translation>Aucun modèle de cette machine ne fait cela : %1. Ajoutez-en un dans Modèles.</translation>
    </message>
    <message>
        <source>Get %1 (%2)</source>
        <comment>model, size</comment>
        <translation>Obtenir %1 (%2)</translation>
    </message>
</context>
<context>
    <name>meshreel::TileView</name>
    <message>
        <source>Tiles of the score matrix</source>
        <translation>Tuiles de la matrice des scores</translation>
    </message>
    <message>
        <source>%1 keys</source>
        <comment>number</comment>
        <translation>%1 clés</translation>
    </message>
    <message>
        <source>%1 queries</source>
        <comment>number</comment>
        <translation>%1 requêtes</translation>
    </message>
</context>
<context>
    <name>meshreel::TimedPromptTable</name>
    <message>
        <source>Add a timed part</source>
        <translation>Ajouter une partie avec un temps</translation>
    </message>
    <message>
        <source>Say what the video should show for a part of its time</source>
        <translation>Dire ce que la vidéo doit montrer pendant une partie de son temps</translation>
    </message>
    <message>
        <source>From</source>
        <comment>when a part of the prompt begins</comment>
        <translation>De</translation>
    </message>
    <message>
        <source>To</source>
        <comment>when a part of the prompt ends</comment>
        <translation>À</translation>
    </message>
    <message>
        <source>Words</source>
        <comment>that hold between the two</comment>
        <translation>Mots</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Tokens</translation>
    </message>
    <message>
        <source>Words that hold all the time</source>
        <translation>Mots valables tout le temps</translation>
    </message>
    <message>
        <source>nothing that holds all the time</source>
        <translation>rien qui vaille tout le temps</translation>
    </message>
    <message>
        <source>all the time</source>
        <translation>tout le temps</translation>
    </message>
    <message>
        <source>Words of part %1</source>
        <translation>Mots de la partie %1</translation>
    </message>
    <message>
        <source>Remove part %1</source>
        <translation>Retirer la partie %1</translation>
    </message>
    <message>
        <source>From when part %1 holds</source>
        <translation>À partir de quand vaut la partie %1</translation>
    </message>
    <message>
        <source>Until when part %1 holds</source>
        <translation>Jusqu’à quand vaut la partie %1</translation>
    </message>
    <message>
        <source>start</source>
        <comment>of the video</comment>
        <translation>début</translation>
    </message>
    <message>
        <source>end</source>
        <comment>of the video</comment>
        <translation>fin</translation>
    </message>
    <message>
        <source>Percent (33%), seconds (2s or 0:02) or frames (17), alike at both ends</source>
        <translation>Pour cent (33%), secondes (2s ou 0:02) ou images (17), pareil aux deux bouts</translation>
    </message>
    <message>
        <source>Move part %1 up</source>
        <translation>Monter la partie %1</translation>
    </message>
    <message>
        <source>Move part %1 down</source>
        <translation>Descendre la partie %1</translation>
    </message>
</context>
<context>
    <name>meshreel::TimelinePanel</name>
    <message>
        <source>Choose a run</source>
        <translation>Choisir une exécution</translation>
    </message>
    <message>
        <source>timeline</source>
        <comment>beside a divider</comment>
        <translation>chronologie</translation>
    </message>
    <message>
        <source>statistics</source>
        <comment>beside a divider</comment>
        <translation>statistiques</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Exécution</translation>
    </message>
    <message>
        <source>The run whose trace is shown</source>
        <translation>L&apos;exécution dont la trace est affichée</translation>
    </message>
    <message>
        <source>Run below</source>
        <translation>Exécution dessous</translation>
    </message>
    <message>
        <source>A second run, below the first on the same time axis</source>
        <translation>Une deuxième exécution, sous la première sur le même axe du temps</translation>
    </message>
    <message>
        <source>Search names</source>
        <translation>Chercher des noms</translation>
    </message>
    <message>
        <source>Search names of slices</source>
        <translation>Chercher des noms de tranches</translation>
    </message>
    <message>
        <source>Previous one found (Shift+Enter)</source>
        <translation>Résultat précédent (Maj+Entrée)</translation>
    </message>
    <message>
        <source>Previous one found</source>
        <translation>Résultat précédent</translation>
    </message>
    <message>
        <source>Next one found (Enter)</source>
        <translation>Résultat suivant (Entrée)</translation>
    </message>
    <message>
        <source>Next one found</source>
        <translation>Résultat suivant</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <comment>the selected slice among those found</comment>
        <translation>%1 sur %2</translation>
    </message>
    <message>
        <source>Statistics by name</source>
        <translation>Statistiques par nom</translation>
    </message>
    <message>
        <source>No run</source>
        <translation>Aucune exécution</translation>
    </message>
    <message>
        <source>No second run</source>
        <translation>Pas de deuxième exécution</translation>
    </message>
    <message>
        <source>%1 left no trace. Runs write it when they end: choose one that is done.</source>
        <comment>a run</comment>
        <translation>%1 n&apos;a pas laissé de trace. Les exécutions l&apos;écrivent à leur fin : choisissez-en une qui est terminée.</translation>
    </message>
    <message>
        <source>Reading the trace…</source>
        <translation>Lecture de la trace…</translation>
    </message>
    <message>
        <source>Choose a run to see what its devices did, step by step and block by block.</source>
        <translation>Choisissez une exécution pour voir ce que ses appareils ont fait, étape par étape et bloc par bloc.</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>Rien trouvé</translation>
    </message>
    <message>
        <source>%1 found</source>
        <comment>slices</comment>
        <translation>%1 trouvées</translation>
    </message>
    <message>
        <source>Measured: %1</source>
        <comment>a time</comment>
        <translation>Mesuré : %1</translation>
    </message>
    <message>
        <source>Click a slice to select it; drag along the ruler, or with Shift, to measure. Below is the whole run.</source>
        <translation>Cliquez une tranche pour la choisir ; glissez le long de la règle, ou avec Maj, pour mesurer. Toute l&apos;exécution figure ci-dessous.</translation>
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
        <translation>Chronologie de l&apos;exécution</translation>
    </message>
    <message>
        <source>W and S zoom, A and D move, F frames what is selected, M measures it, 0 shows everything. Comma and full stop select the slice before and after. The wheel zooms, with Shift it moves. A drag moves; along the ruler or with Shift it measures. Escape ends measuring and the selection.</source>
        <translation>W et S zooment, A et D déplacent, F cadre la sélection, M la mesure, 0 montre tout. Virgule et point choisissent la tranche d&apos;avant et d&apos;après. La molette zoome, avec Maj elle déplace. Un glissement déplace ; le long de la règle ou avec Maj il mesure. Échap met fin à la mesure et à la sélection.</translation>
    </message>
    <message>
        <source>from %1</source>
        <comment>a time</comment>
        <translation>à partir de %1</translation>
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
        <translation>%1 (référence)</translation>
    </message>
    <message>
        <source>How many times as fast as the baseline, the first run unless another is chosen: by seconds a step, of pasted timings by denoising, or by inference. A dash stands where runs did not compute the same, or that is not known.</source>
        <translation>Combien de fois plus rapide que la référence, la première exécution sauf autre choix : selon les secondes par pas, pour les temps collés selon le débruitage, ou selon l&apos;inférence. Un tiret figure là où les exécutions n&apos;ont pas calculé la même chose, ou quand on l&apos;ignore.</translation>
    </message>
    <message>
        <source>%1 %</source>
        <comment>percentage</comment>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>%1 beside %2: %3.</source>
        <comment>run, baseline, verdict</comment>
        <translation>%1 à côté de %2 : %3.</translation>
    </message>
    <message>
        <source>%1 beside %2: a step takes %3. %4.</source>
        <comment>run, baseline, time and spread, verdict</comment>
        <translation>%1 à côté de %2 : une étape prend %3. %4.</translation>
    </message>
    <message>
        <source>Slowest less fastest step, in percent of the median</source>
        <translation>Étape la plus lente moins la plus rapide, en pourcentage de la médiane</translation>
    </message>
    <message>
        <source>Beside the baseline, in bold: the range that holds the true difference in nine of ten comparisons; where it is within the noise, how often to repeat both</source>
        <translation>À côté de la référence, en gras : la plage qui contient la vraie différence dans neuf comparaisons sur dix ; si elle est dans le bruit, combien de fois répéter les deux</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>setting and its value</comment>
        <translation>%1 : %2</translation>
    </message>
</context>
<context>
    <name>meshreel::Tour</name>
    <message>
        <source>Tour</source>
        <translation>Visite guidée</translation>
    </message>
</context>
<context>
    <name>meshreel::TourCallout</name>
    <message>
        <source>Skip the tour</source>
        <translation>Passer la visite</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Précédent</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <comment>stops of the tour</comment>
        <translation>%1 sur %2</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>Suivant</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Commencer</translation>
    </message>
</context>
<context>
    <name>meshreel::TraceTexts</name>
    <message>
        <source>Device %1</source>
        <translation>Appareil %1</translation>
    </message>
    <message>
        <source>Thread %1</source>
        <translation>Fil %1</translation>
    </message>
</context>
<context>
    <name>meshreel::TrackHand</name>
    <message>
        <source>Draw a track</source>
        <translation>Dessiner une trajectoire</translation>
    </message>
    <message>
        <source>Move a point</source>
        <translation>Déplacer un point</translation>
    </message>
    <message>
        <source>Move a track</source>
        <translation>Déplacer une trajectoire</translation>
    </message>
</context>
<context>
    <name>meshreel::TriggerLabel</name>
    <message>
        <source>Click a word to add it to the prompt</source>
        <translation>Cliquez sur un mot pour l’ajouter au prompt</translation>
    </message>
    <message>
        <source>Trigger words: %1</source>
        <translation>Mots déclencheurs : %1</translation>
    </message>
    <message>
        <source>Most frequent in its captions: %1</source>
        <translation>Les plus fréquents dans ses légendes : %1</translation>
    </message>
</context>
<context>
    <name>meshreel::TrustSheet</name>
    <message>
        <source>A project from someone else?</source>
        <translation>Le projet de quelqu&apos;un d&apos;autre ?</translation>
    </message>
    <message>
        <source>This project uses what lies outside it:</source>
        <translation>Ce projet utilise ce qui se trouve hors de lui :</translation>
    </message>
    <message>
        <source>Use it only if you know who wrote it.</source>
        <translation>Ne l&apos;utilisez que si vous savez qui l&apos;a écrit.</translation>
    </message>
    <message>
        <source>Use it only if you know who wrote it. Projects of the folder %1 are then used without a question.</source>
        <translation>Ne l&apos;utilisez que si vous savez qui l&apos;a écrit. Les projets du dossier %1 seront ensuite utilisés sans question.</translation>
    </message>
    <message>
        <source>Use it</source>
        <translation>L&apos;utiliser</translation>
    </message>
    <message>
        <source>Don&apos;t use it</source>
        <translation>Ne pas l&apos;utiliser</translation>
    </message>
</context>
<context>
    <name>meshreel::TuneForm</name>
    <message>
        <source>Smart ladder</source>
        <translation>Sélection intelligente</translation>
    </message>
    <message>
        <source>Full grid</source>
        <translation>Grille complète</translation>
    </message>
    <message>
        <source>All</source>
        <translation>Tous</translation>
    </message>
    <message>
        <source>Which sizes</source>
        <translation>Quelles tailles</translation>
    </message>
    <message>
        <source>What is tried: a few that divide the sequence well, or all</source>
        <translation>Ce qui est essayé&#xa0;: quelques tailles qui divisent bien la séquence, ou toutes</translation>
    </message>
    <message>
        <source>Sizes of each block</source>
        <translation>Tailles de chaque bloc</translation>
    </message>
    <message>
        <source>Sizes of block_q, and of block_kv beside each</source>
        <translation>Tailles de block_q, et de block_kv pour chacune</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Pas</translation>
    </message>
    <message>
        <source>Sizes are multiples of this</source>
        <translation>Les tailles en sont des multiples</translation>
    </message>
    <message>
        <source>At most</source>
        <translation>Au plus</translation>
    </message>
    <message>
        <source>Only the first of them are tried</source>
        <translation>Seules les premières sont essayées</translation>
    </message>
    <message>
        <source>Passes</source>
        <translation>Passes</translation>
    </message>
    <message>
        <source>Passes of each choice that count; the choices take turns</source>
        <translation>Passes comptées de chaque combinaison&#xa0;; les combinaisons alternent</translation>
    </message>
    <message>
        <source>Warm-up</source>
        <translation>Échauffement</translation>
    </message>
    <message>
        <source>Passes of each choice before them</source>
        <translation>Passes de chaque combinaison avant celles-ci</translation>
    </message>
</context>
<context>
    <name>meshreel::TunePanel</name>
    <message>
        <source>Search</source>
        <translation>Chercher</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Annuler</translation>
    </message>
    <message>
        <source>Write to project</source>
        <translation>Écrire dans le projet</translation>
    </message>
    <message>
        <source>Times one block of the transformer with this project&apos;s video, mesh and attention.</source>
        <translation>Chronomètre un bloc du transformeur avec la vidéo, le maillage et l&apos;attention de ce projet.</translation>
    </message>
    <message>
        <source>Sets the project&apos;s block sizes to the fastest; can be undone</source>
        <translation>Règle les tailles de blocs du projet sur les plus rapides&#xa0;; peut être annulé</translation>
    </message>
    <message>
        <source>Cancelled.</source>
        <translation>Annulée.</translation>
    </message>
    <message>
        <source>Block sizes that were found</source>
        <translation>Tailles de blocs trouvées</translation>
    </message>
    <message>
        <source>Preparing the GPU…</source>
        <translation>Préparation du GPU…</translation>
    </message>
    <message>
        <source>Preparing weights…</source>
        <translation>Préparation des poids…</translation>
    </message>
    <message>
        <source>Times every form and block of the GPU&apos;s kernels at the sizes of this project.</source>
        <translation>Mesure chaque forme et chaque bloc des noyaux du GPU aux tailles de ce projet.</translation>
    </message>
    <message>
        <source>Use in runs</source>
        <translation>Utiliser dans les exécutions</translation>
    </message>
    <message>
        <source>Runs on this GPU take the fastest from now on</source>
        <translation>Les exécutions sur ce GPU prennent désormais les plus rapides</translation>
    </message>
    <message>
        <source>Repeat</source>
        <translation>Répéter</translation>
    </message>
    <message numerus="yes">
        <source>Times the fastest and what it is compared with %n times more</source>
        <translation>
            <numerusform>Mesure le plus rapide et sa référence encore %n fois</numerusform>
            <numerusform>Mesure le plus rapide et sa référence encore %n fois</numerusform>
        </translation>
    </message>
    <message>
        <source>There is nothing within the noise to repeat</source>
        <translation>Rien n&apos;est dans le bruit et à répéter</translation>
    </message>
</context>
<context>
    <name>meshreel::TuneResults</name>
    <message>
        <source>The map of block sizes appears here: press Search while nothing else is running.</source>
        <translation>La carte des tailles de blocs apparaît ici&#xa0;: cliquez sur «&#xa0;Chercher&#xa0;» quand rien d&apos;autre ne tourne.</translation>
    </message>
    <message>
        <source>Time by block sizes</source>
        <translation>Durée selon les tailles de blocs</translation>
    </message>
    <message>
        <source>Progress of the search</source>
        <translation>Progression de la recherche</translation>
    </message>
    <message>
        <source>Foreseen for %1, not measured: seconds a step by block sizes</source>
        <translation>Prévu pour %1, non mesuré : secondes par pas selon les tailles de blocs</translation>
    </message>
    <message>
        <source>Fastest: block_q %1 · block_kv %2, %3 s a step. The project&apos;s own sizes: %4 s.</source>
        <translation>Le plus rapide : block_q %1 · block_kv %2, %3 s par pas. Les tailles du projet : %4 s.</translation>
    </message>
    <message>
        <source>Kernel</source>
        <translation>Noyau</translation>
    </message>
    <message>
        <source>Time by form and block</source>
        <translation>Temps par forme et par bloc</translation>
    </message>
</context>
<context>
    <name>meshreel::TuneTexts</name>
    <message numerus="yes">
        <source>%n choices did not run.</source>
        <translation>
            <numerusform>Une combinaison n&apos;a pas fonctionné.</numerusform>
            <numerusform>%n combinaisons n&apos;ont pas fonctionné.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1: %2 queries × %3 keys, %n choices</source>
        <comment>mode, numbers</comment>
        <translation>
            <numerusform>%1&#xa0;: %2 requêtes × %3 clés, une combinaison</numerusform>
            <numerusform>%1&#xa0;: %2 requêtes × %3 clés, %n combinaisons</numerusform>
        </translation>
    </message>
    <message>
        <source>Pass %1 of %2, about %3 left</source>
        <comment>counts, duration</comment>
        <translation>Passe %1 sur %2, encore %3 environ</translation>
    </message>
    <message>
        <source>None of these sizes ran: %1</source>
        <translation>Aucune de ces tailles ne s&apos;est exécutée&#xa0;: %1</translation>
    </message>
    <message>
        <source>Fastest: %1.</source>
        <translation>La plus rapide&#xa0;: %1.</translation>
    </message>
    <message>
        <source>The project&apos;s own: %1.</source>
        <translation>Celle du projet&#xa0;: %1.</translation>
    </message>
    <message>
        <source>Linear layers</source>
        <translation>Couches linéaires</translation>
    </message>
    <message>
        <source>Linear layers with int8 weights</source>
        <translation>Couches linéaires à poids int8</translation>
    </message>
    <message>
        <source>Attention of heads of up to %1 numbers</source>
        <translation>Attention de têtes de %1 nombres au plus</translation>
    </message>
    <message>
        <source>None of them ran: %1</source>
        <translation>Aucun n’a fonctionné : %1</translation>
    </message>
    <message>
        <source>This GPU offers nothing else.</source>
        <translation>Ce GPU n’offre rien d’autre.</translation>
    </message>
    <message>
        <source>Runs take it already.</source>
        <translation>Les exécutions le prennent déjà.</translation>
    </message>
    <message>
        <source>No run has compared them yet.</source>
        <translation>Aucune exécution ne les a encore comparés.</translation>
    </message>
    <message>
        <source>Runs take now: %1.</source>
        <translation>Les exécutions prennent actuellement : %1.</translation>
    </message>
    <message>
        <source>form</source>
        <comment>of a GPU&apos;s kernel</comment>
        <translation>forme</translation>
    </message>
    <message>
        <source>block</source>
        <comment>of a GPU&apos;s kernel</comment>
        <translation>bloc</translation>
    </message>
    <message>
        <source> (taken now)</source>
        <translation> (pris actuellement)</translation>
    </message>
    <message numerus="yes">
        <source>%1: %2, %n candidates</source>
        <comment>a GPU and the size of its work</comment>
        <translation>
            <numerusform>%1 : %2, %n candidat</numerusform>
            <numerusform>%1 : %2, %n candidats</numerusform>
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
        <translation>GPU %1 : %2</translation>
    </message>
    <message>
        <source>block_q %1 · block_kv %2: %3</source>
        <comment>sizes, time and spread</comment>
        <translation>block_q %1 · block_kv %2 : %3</translation>
    </message>
    <message>
        <source>%1.</source>
        <comment>a verdict as a sentence</comment>
        <translation>%1.</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>a GPU&apos;s kernel, its time and spread</comment>
        <translation>%1 : %2</translation>
    </message>
    <message>
        <source>Fastest choice: %1.</source>
        <translation>Choix le plus rapide : %1.</translation>
    </message>
</context>
<context>
    <name>meshreel::UseMenu</name>
    <message>
        <source>&amp;Use as</source>
        <translation>&amp;Utiliser comme</translation>
    </message>
    <message>
        <source>Shown frame</source>
        <translation>Image affichée</translation>
    </message>
    <message>
        <source>Continue from the shown frame</source>
        <translation>Continuer depuis l’image affichée</translation>
    </message>
    <message>
        <source>Last frame</source>
        <translation>Dernière image</translation>
    </message>
    <message>
        <source>First frame</source>
        <translation>Première image</translation>
    </message>
    <message>
        <source>Continue from its last frame</source>
        <translation>Continuer depuis sa dernière image</translation>
    </message>
    <message>
        <source>Video</source>
        <translation>Vidéo</translation>
    </message>
    <message>
        <source>Video to make over</source>
        <translation>Vidéo à refaire</translation>
    </message>
    <message>
        <source>Control video</source>
        <translation>Vidéo de contrôle</translation>
    </message>
    <message>
        <source>%1 (no installed model takes it)</source>
        <comment>use</comment>
        <translation>%1 (aucun modèle installé ne l’accepte)</translation>
    </message>
</context>
<context>
    <name>meshreel::Variations</name>
    <message>
        <source>New seed for each run</source>
        <translation>Nouvelle graine à chaque exécution</translation>
    </message>
    <message>
        <source>Run sets a random seed first; the seed of every run is kept with it</source>
        <translation>Exécuter fixe d’abord une graine aléatoire ; chaque exécution garde la sienne</translation>
    </message>
    <message>
        <source>Videos to make</source>
        <translation>Vidéos à faire</translation>
    </message>
    <message>
        <source>The first runs at once, the others are queued; each has a seed of its own</source>
        <translation>La première part aussitôt, les autres sont mises en file ; chacune a sa graine</translation>
    </message>
    <message>
        <source>Videos</source>
        <translation>Vidéos</translation>
    </message>
</context>
<context>
    <name>meshreel::WalkTransport</name>
    <message>
        <source>Play the steps</source>
        <translation>Lire les étapes</translation>
    </message>
    <message>
        <source>Step of the attention</source>
        <translation>Étape de l&apos;attention</translation>
    </message>
    <message>
        <source>Step before</source>
        <translation>Étape précédente</translation>
    </message>
    <message>
        <source>Next step</source>
        <translation>Étape suivante</translation>
    </message>
</context>
<context>
    <name>meshreel::Workspaces</name>
    <message>
        <source>Create</source>
        <translation>Créer</translation>
    </message>
    <message>
        <source>Describe a video, run it and watch it</source>
        <translation>Décrire une vidéo, la générer et la regarder</translation>
    </message>
    <message>
        <source>Mesh</source>
        <translation>Maillage</translation>
    </message>
    <message>
        <source>Share the work between devices: mesh, attention, noise</source>
        <translation>Répartir le travail entre les appareils : maillage, attention, bruit</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>Mesurer</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Exécutions</translation>
    </message>
    <message>
        <source>Runs of the past and the queue</source>
        <translation>Les exécutions passées et la file d’attente</translation>
    </message>
    <message>
        <source>Workspaces</source>
        <translation>Espaces de travail</translation>
    </message>
    <message>
        <source>%1 (Ctrl+%2)</source>
        <comment>what a workspace is for, its key</comment>
        <translation>%1 (Ctrl+%2)</translation>
    </message>
    <message>
        <source>Layout of the earlier version</source>
        <translation>Disposition de la version précédente</translation>
    </message>
    <message>
        <source>The kept layout of the workspace %1 could not be read. The usual one is shown.</source>
        <comment>title</comment>
        <translation>La disposition conservée de l&apos;espace de travail %1 n&apos;a pas pu être lue. La disposition habituelle est affichée.</translation>
    </message>
    <message>
        <source>Compare runs, tune block sizes, time sweeps and this machine, foresee other hardware</source>
        <translation>Comparer des exécutions, régler les tailles de blocs, chronométrer des séries et cette machine, prévoir d’autres matériels</translation>
    </message>
</context>
<context>
    <name>meshreel::YamlEditor</name>
    <message>
        <source>Text of the project</source>
        <translation>Texte du projet</translation>
    </message>
</context>
<context>
    <name>meshreel::YamlPanel</name>
    <message>
        <source>Go to line</source>
        <translation>Aller à la ligne</translation>
    </message>
    <message>
        <source>The text and the form agree.</source>
        <translation>Le texte et le formulaire concordent.</translation>
    </message>
    <message>
        <source>Line %1: %2</source>
        <translation>Ligne %1&#xa0;: %2</translation>
    </message>
    <message>
        <source>No problem</source>
        <translation>Aucun problème</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>Erreur</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>Avertissement</translation>
    </message>
</context>
</TS>
