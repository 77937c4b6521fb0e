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
        <source>What the video should show.</source>
        <translation>Ce que la vidéo doit montrer.</translation>
    </message>
    <message>
        <source>Negative prompt</source>
        <translation>Prompt négatif</translation>
    </message>
    <message>
        <source>What guidance steers away from; used when guidance_scale is above 1.</source>
        <translation>Ce dont le guidage s&apos;écarte&#xa0;; utilisé quand guidance_scale dépasse 1.</translation>
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
        <source>Speed at which the video plays; the frames themselves do not depend on it.</source>
        <translation>Vitesse de lecture de la vidéo&#xa0;; les images elles-mêmes n&apos;en dépendent pas.</translation>
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
        <translation>WebP animé en boucle, plus petit et plus fidèle en couleur que GIF&#xa0;; des voisines identiques deviennent une seule image plus longue.</translation>
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
        <translation>Limite entre experts</translation>
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
        <source>Number that the initial noise is drawn from; the same seed gives the same video.</source>
        <translation>Nombre dont est tiré le bruit initial&#xa0;; la même graine donne la même vidéo.</translation>
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
        <source>Key rows of one matrix product inside a key block, which it divides; 0 takes the kernel&apos;s own.</source>
        <translation>Lignes de clés d&apos;un produit matriciel dans un bloc de clés, qu&apos;elles divisent&#xa0;; 0 prend la valeur du noyau.</translation>
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
        <source>Head groups whose exchange and computation overlap.</source>
        <translation>Groupes de têtes dont l&apos;échange et le calcul se recouvrent.</translation>
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
        <source>Precision</source>
        <translation>Précision</translation>
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
        <translation>Entiers sur 8 bits avec une échelle par sortie&#xa0;; les entrées sont aussi arrondies à 8 bits.</translation>
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
        <source>Devices that share out the VAE&apos;s width; -1 takes all.</source>
        <translation>Appareils qui se partagent la largeur du VAE&#xa0;; -1 les prend tous.</translation>
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
        <source>Run</source>
        <translation>Exécution</translation>
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
        <source>It exists only on NVIDIA GPUs and Meshreel computes on CPUs; use flash, which computes the same attention</source>
        <translation>N&apos;existe que sur les GPU NVIDIA, et Meshreel calcule sur des CPU&#xa0;; utilisez flash, qui calcule la même attention</translation>
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
        <source>Adapters (LoRA) that are merged into the transformer: a list of {file: PATH, strength: 1}, with expert: high or low where they are made for one of Wan 2.2&apos;s two transformers.</source>
        <translation>Adaptateurs (LoRA) fusionnés dans le transformeur&#xa0;: une liste de {file: PATH, strength: 1}, avec expert: high ou low s&apos;ils sont faits pour l&apos;un des deux transformeurs de Wan 2.2.</translation>
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
        <source>File or folder of the VAE; Wan 2.1&apos;s has 16 channels, that of TI2V-5B 48. Empty takes the model&apos;s own.</source>
        <translation>Fichier ou dossier du VAE&#xa0;; celui de Wan 2.1 a 16 canaux, celui de TI2V-5B 48. Vide, c&apos;est celui du modèle.</translation>
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
        <source>Picture file that the video begins with, at the video&apos;s size whatever its own; relative to the project&apos;s folder.</source>
        <translation>Fichier image par lequel la vidéo commence, à la taille de la vidéo quelle que soit la sienne&#xa0;; relatif au dossier du projet.</translation>
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
        <source>Video, picture or folder of numbered PNG frames that is made again or edited; its first num_frames are taken.</source>
        <translation>Vidéo, image ou dossier d&apos;images PNG numérotées à refaire ou à modifier&#xa0;; ses num_frames premières images sont prises.</translation>
    </message>
    <message>
        <source>Mask</source>
        <translation>Masque</translation>
    </message>
    <message>
        <source>Video or picture that is white where VACE makes something new and black where the video stays; without it all is new.</source>
        <translation>Vidéo ou image, blanche là où VACE crée du nouveau et noire là où la vidéo reste&#xa0;; sans masque, tout est nouveau.</translation>
    </message>
    <message>
        <source>Reference images</source>
        <translation>Images de référence</translation>
    </message>
    <message>
        <source>Picture files, separated by commas, of what VACE should show.</source>
        <translation>Fichiers image, séparés par des virgules, de ce que VACE doit montrer.</translation>
    </message>
    <message>
        <source>Strength</source>
        <translation>Force</translation>
    </message>
    <message>
        <source>How much of the video may change in video to video: the part of the steps that is done.</source>
        <translation>Part de la vidéo qui peut changer de vidéo à vidéo&#xa0;: la part des étapes qui est effectuée.</translation>
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
        <translation>pour les modèles distillés à quelques étapes&#xa0;: chacune prédit la vidéo et la bruite à nouveau</translation>
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
</context>
<context>
    <name>RunCharts</name>
    <message>
        <source>Attention</source>
        <translation>Attention</translation>
    </message>
    <message>
        <source>Other computing</source>
        <translation>Autres calculs</translation>
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
</context>
<context>
    <name>main</name>
    <message>
        <source>Studio for Wan video generation.</source>
        <translation>Studio de génération vidéo Wan.</translation>
    </message>
    <message>
        <source>Project file, run folder or video to open.</source>
        <translation>Fichier de projet, dossier d&apos;exécution ou vidéo à ouvrir.</translation>
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
        <translation>Dans %1, chacun prend sa part des têtes de tous les tokens du groupe.</translation>
    </message>
    <message>
        <source>In %1, each gets the results of its own tokens back, for all heads.</source>
        <translation>Dans %1, chacun récupère les résultats de ses propres tokens, pour toutes les têtes.</translation>
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
</context>
<context>
    <name>meshreel::Cures</name>
    <message>
        <source>Set %1 to %2</source>
        <comment>title of a setting, value</comment>
        <translation>Régler %1 sur %2</translation>
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
</context>
<context>
    <name>meshreel::FactoringModel</name>
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
        <source>Per step</source>
        <translation>Par étape</translation>
    </message>
</context>
<context>
    <name>meshreel::HistoryPanel</name>
    <message>
        <source>No runs yet. Press Run to make the first one.</source>
        <translation>Aucune exécution pour l&apos;instant. Cliquez sur «&#xa0;Exécuter&#xa0;» pour lancer la première.</translation>
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
        <source>Use its project</source>
        <translation>Utiliser son projet</translation>
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
        <source>Go on from the last finished step</source>
        <translation>Continuer après la dernière étape terminée</translation>
    </message>
    <message>
        <source>Resume on a different machine</source>
        <translation>Reprendre sur une autre machine</translation>
    </message>
    <message>
        <source>Go on although the processor, build or number of workers changed; the result may differ in its last bits</source>
        <translation>Continuer bien que le processeur, la version ou le nombre de threads aient changé&#xa0;; le résultat peut différer dans ses derniers bits</translation>
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
</context>
<context>
    <name>meshreel::KeyHelp</name>
    <message>
        <source>default %1</source>
        <comment>value</comment>
        <translation>défaut %1</translation>
    </message>
    <message>
        <source>Help on the setting</source>
        <translation>Aide sur le réglage</translation>
    </message>
    <message>
        <source>Choose a setting to read what it does.</source>
        <translation>Choisissez un réglage pour lire ce qu&apos;il fait.</translation>
    </message>
    <message>
        <source>Reference</source>
        <translation>Référence</translation>
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
        <translation>Revenir au défaut&#xa0;: vide</translation>
    </message>
    <message>
        <source>Back to the default: %1</source>
        <translation>Revenir au défaut&#xa0;: %1</translation>
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
</context>
<context>
    <name>meshreel::LivePreview</name>
    <message>
        <source>Live preview of the latents; the video itself is decoded at the end</source>
        <translation>Aperçu en direct des latents&#xa0;; la vidéo elle-même est décodée à la fin</translation>
    </message>
    <message>
        <source>The first preview comes after the first step</source>
        <translation>Le premier aperçu vient après la première étape</translation>
    </message>
    <message>
        <source>Live preview</source>
        <translation>Aperçu en direct</translation>
    </message>
</context>
<context>
    <name>meshreel::MainWindow</name>
    <message>
        <source>Project</source>
        <translation>Projet</translation>
    </message>
    <message>
        <source>History</source>
        <translation>Historique</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modèle</translation>
    </message>
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
        <source>Tools</source>
        <translation>Outils</translation>
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
        <source>A run is going on; others can be looked at when it ends.</source>
        <translation>Une exécution est en cours&#xa0;; les autres pourront être consultées quand elle sera terminée.</translation>
    </message>
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
        <source>%1: %2</source>
        <comment>field and its problem</comment>
        <translation>%1&#xa0;: %2</translation>
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
        <source>A run is going on</source>
        <translation>Une exécution est en cours</translation>
    </message>
    <message>
        <source>Stop the run and quit? It can be resumed later from the History tab.</source>
        <translation>Arrêter l&apos;exécution et quitter&#xa0;? Elle pourra être reprise plus tard depuis l&apos;onglet Historique.</translation>
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
        <source>Timing summary</source>
        <translation>Récapitulatif des temps</translation>
    </message>
    <message>
        <source>Reference</source>
        <translation>Référence</translation>
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
        <source>Problems (%1)</source>
        <translation>Problèmes (%1)</translation>
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
    <name>meshreel::MeshPanel</name>
    <message>
        <source>Play the steps</source>
        <translation>Lire les étapes</translation>
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
        <source>This project runs on one device.
Several devices share out the tokens, the heads or the weights, each with workers of its own.</source>
        <translation>Ce projet s&apos;exécute sur un seul appareil.
Plusieurs appareils se partagent les tokens, les têtes ou les poids, chacun avec ses propres threads.</translation>
    </message>
    <message>
        <source>%1 devices</source>
        <translation>%1 appareils</translation>
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
    <message>
        <source>Legal meshes</source>
        <translation>Maillages valides</translation>
    </message>
    <message>
        <source>Use this mesh</source>
        <translation>Utiliser ce maillage</translation>
    </message>
    <message>
        <source>Legal meshes, the least exchange first</source>
        <translation>Maillages valides, le moins d&apos;échange d&apos;abord</translation>
    </message>
    <message>
        <source>Mesh: %1</source>
        <translation>Maillage&#xa0;: %1</translation>
    </message>
</context>
<context>
    <name>meshreel::MeshView</name>
    <message>
        <source>Devices of the mesh</source>
        <translation>Appareils du maillage</translation>
    </message>
    <message>
        <source>heads %1</source>
        <translation>têtes %1</translation>
    </message>
    <message>
        <source>tokens %1</source>
        <translation>tokens %1</translation>
    </message>
    <message>
        <source>all keys</source>
        <translation>toutes les clés</translation>
    </message>
    <message>
        <source>keys %1</source>
        <translation>clés %1</translation>
    </message>
</context>
<context>
    <name>meshreel::MessageBanner</name>
    <message>
        <source>Close the message</source>
        <translation>Fermer le message</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>Message</translation>
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
    <name>meshreel::OpenedMedia</name>
    <message>
        <source>There is no such file or folder</source>
        <translation>Ce fichier ou ce dossier n&apos;existe pas</translation>
    </message>
</context>
<context>
    <name>meshreel::PlayerWidget</name>
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
        <source>Video</source>
        <translation>Vidéo</translation>
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
    <name>meshreel::ProblemPanel</name>
    <message>
        <source>Nothing is wrong with this project.</source>
        <translation>Ce projet ne présente aucun problème.</translation>
    </message>
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
        <source>%1: %2</source>
        <comment>setting and what is wrong</comment>
        <translation>%1&#xa0;: %2</translation>
    </message>
    <message>
        <source>Go to setting</source>
        <translation>Aller au réglage</translation>
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
        <translation>Rechercher dans les réglages</translation>
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
        <source>They are lost otherwise.</source>
        <translation>Sinon, elles seront perdues.</translation>
    </message>
    <message>
        <source>Saved. Fields marked red keep their last legal value in the file.</source>
        <translation>Enregistré. Les champs marqués en rouge gardent dans le fichier leur dernière valeur valide.</translation>
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
</context>
<context>
    <name>meshreel::ResultsView</name>
    <message>
        <source>Describe a video on the left and press Run.
Runs, videos and projects can be dropped here.</source>
        <translation>Décrivez une vidéo à gauche et cliquez sur «&#xa0;Exécuter&#xa0;».
Des exécutions, des vidéos et des projets peuvent être déposés ici.</translation>
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
        <source>Stop after the current block; the run can be resumed later</source>
        <translation>Arrêter après le bloc en cours&#xa0;; l&apos;exécution pourra être reprise plus tard</translation>
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
        <source>Stopping</source>
        <translation>Arrêt</translation>
    </message>
    <message>
        <source>Generate the video (Ctrl+R)</source>
        <translation>Générer la vidéo (Ctrl+R)</translation>
    </message>
</context>
<context>
    <name>meshreel::RunPresenter</name>
    <message>
        <source>Cancelled. The History tab can resume it.</source>
        <translation>Exécution annulée. L&apos;onglet Historique permet de la reprendre.</translation>
    </message>
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
        <translation>Terminé&#xa0;: %1</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Terminé</translation>
    </message>
</context>
<context>
    <name>meshreel::RunReporter</name>
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
    <name>meshreel::StepTableModel</name>
    <message>
        <source>Step</source>
        <translation>Étape</translation>
    </message>
    <message>
        <source>Timestep</source>
        <translation>Pas de temps</translation>
    </message>
    <message>
        <source>Sigma</source>
        <translation>Sigma</translation>
    </message>
    <message>
        <source>Seconds</source>
        <translation>Secondes</translation>
    </message>
    <message>
        <source>Latent minimum</source>
        <translation>Minimum des latents</translation>
    </message>
    <message>
        <source>Latent maximum</source>
        <translation>Maximum des latents</translation>
    </message>
    <message>
        <source>Latent mean</source>
        <translation>Moyenne des latents</translation>
    </message>
</context>
<context>
    <name>meshreel::SummaryPanel</name>
    <message>
        <source>Where the time went, once a run is done</source>
        <translation>Où le temps est passé, une fois l&apos;exécution terminée</translation>
    </message>
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
</context>
</TS>
