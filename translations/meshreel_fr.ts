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
        <source>Makes every prompt&apos;s video once with each of these seeds, separated by commas, in place of seed.</source>
        <translation>Produit la vidéo de chaque prompt une fois avec chacune de ces graines, séparées par des virgules, à la place de seed.</translation>
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
        <source>Video or picture that is white where VACE makes something new, or Animate puts the character, and black where the video stays; VACE makes all new without it.</source>
        <translation>Vidéo ou image blanche là où VACE crée du nouveau, ou là où Animate place le personnage, et noire là où la vidéo reste&#xa0;; sans elle, VACE refait tout.</translation>
    </message>
    <message>
        <source>Pose video</source>
        <translation>Vidéo des poses</translation>
    </message>
    <message>
        <source>Video or folder of numbered PNG frames of the poses that the character of image takes, as preprocessing for Wan Animate draws them.</source>
        <translation>Vidéo ou dossier d&apos;images PNG numérotées des poses que prend le personnage de image, telles que les dessine le prétraitement de Wan Animate.</translation>
    </message>
    <message>
        <source>Face video</source>
        <translation>Vidéo du visage</translation>
    </message>
    <message>
        <source>Video or folder of numbered PNG frames of the face whose expressions the character takes on.</source>
        <translation>Vidéo ou dossier d&apos;images PNG numérotées du visage dont le personnage reprend les expressions.</translation>
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
        <translation>Nombre d&apos;images dont une animation est faite à la fois&#xa0;: un multiple de 4, plus 1.</translation>
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
        <translation>Reconstitue la moitié du prompt négatif à partir d&apos;étapes antérieures, dans quatre étapes sur cinq du milieu&#xa0;; approximatif.</translation>
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
        <translation>Les mêmes quatre étapes pour un point de contrôle distillé lui-même, sans adaptateur.</translation>
    </message>
    <message>
        <source>TeaCache</source>
        <translation>TeaCache</translation>
    </message>
    <message>
        <source>Leaves the transformer&apos;s blocks out in steps whose time is nearly that of the step before, after a published fit; approximate.</source>
        <translation>Omet les blocs du transformeur aux étapes dont l&apos;instant est presque celui de la précédente, selon un ajustement publié&#xa0;; approché.</translation>
    </message>
    <message>
        <source>TeaCache change</source>
        <translation>Variation TeaCache</translation>
    </message>
    <message>
        <source>Change of the prediction that TeaCache may gather before a step is computed in full; 0 takes the model&apos;s own.</source>
        <translation>Variation de la prédiction que TeaCache peut accumuler avant qu&apos;une étape soit calculée en entier&#xa0;; 0 prend celle du modèle.</translation>
    </message>
    <message>
        <source>TeaCache fit</source>
        <translation>Ajustement TeaCache</translation>
    </message>
    <message>
        <source>Polynomial from the time embedding&apos;s change to the prediction&apos;s, highest power first; empty takes the one published for the model.</source>
        <translation>Polynôme de la variation du plongement temporel à celle de la prédiction, plus haute puissance d&apos;abord&#xa0;; vide prend celui publié pour le modèle.</translation>
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
        <translation>peu de blocs, avec peu de remplissage, qui tiennent dans la limite de travail</translation>
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
        <source>When heads do not divide by the devices, or keys and values of the whole sequence do not fit.</source>
        <translation>Quand les têtes ne se divisent pas par les appareils, ou que les clés et valeurs de toute la séquence ne tiennent pas.</translation>
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
        <source>heads_per_tile must be 1.</source>
        <translation>heads_per_tile doit valoir 1.</translation>
    </message>
    <message>
        <source>When heads divide by the devices: the least traffic from three devices on.</source>
        <translation>Quand les têtes se divisent par les appareils&#xa0;: le moins d&apos;échanges à partir de trois appareils.</translation>
    </message>
    <message>
        <source>The heads that the tensor axis leaves to a device must divide by the context axis.</source>
        <translation>Les têtes que l&apos;axe de tenseur laisse à un appareil doivent se diviser par l&apos;axe de contexte.</translation>
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
        <source>The heads that the tensor axis leaves to a device must divide by the context axis; heads_per_tile must be 1.</source>
        <translation>Les têtes que l&apos;axe de tenseur laisse à un appareil doivent se diviser par l&apos;axe de contexte&#xa0;; heads_per_tile doit valoir 1.</translation>
    </message>
    <message>
        <source>When the devices outnumber the heads, or hosts are linked more slowly than their devices.</source>
        <translation>Quand il y a plus d&apos;appareils que de têtes, ou que les hôtes sont reliés plus lentement que leurs appareils.</translation>
    </message>
    <message>
        <source>ulysses_shards must divide the context axis and the heads that the tensor axis leaves to a device.</source>
        <translation>ulysses_shards doit diviser l&apos;axe de contexte et les têtes que l&apos;axe de tenseur laisse à un appareil.</translation>
    </message>
    <message>
        <source>heads over U, queries, keys and values by token over R</source>
        <translation>têtes sur U, requêtes, clés et valeurs par token sur R</translation>
    </message>
    <message>
        <source>As ulysses_ring, where the custom kernel is the faster one.</source>
        <translation>Comme ulysses_ring, là où le noyau spécialisé est le plus rapide.</translation>
    </message>
    <message>
        <source>ulysses_shards must divide the context axis and the heads that the tensor axis leaves to a device; heads_per_tile must be 1.</source>
        <translation>ulysses_shards doit diviser l&apos;axe de contexte et les têtes que l&apos;axe de tenseur laisse à un appareil&#xa0;; heads_per_tile doit valoir 1.</translation>
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
        <translation>dot_product calcule sans blocs : choisissez flash pour utiliser des tailles de blocs.</translation>
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
        <translation>Trouvées pour le noyau flash : choisissez flash, ulysses, tokamax_ring ou ulysses_ring pour utiliser ces tailles.</translation>
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
        <translation>Trouvées pour le noyau spécialisé sans anneau : choisissez ulysses_custom pour utiliser ces tailles.</translation>
    </message>
    <message>
        <source>TPU v7x, Ulysses and a ring of up to 8</source>
        <translation>TPU v7x, Ulysses et un anneau de 8 au plus</translation>
    </message>
    <message>
        <source>Found for rings of the custom kernel: choose ulysses_ring_custom or tokamax_ring_custom to use these sizes.</source>
        <translation>Trouvées pour les anneaux du noyau spécialisé : choisissez ulysses_ring_custom ou tokamax_ring_custom pour utiliser ces tailles.</translation>
    </message>
    <message>
        <source>TPU v7x, a ring of 16 or more</source>
        <translation>TPU v7x, un anneau de 16 ou plus</translation>
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
        <translation>Trouvées pour le noyau à borne fixe : choisissez ulysses_custom_fixed_m ou ulysses_ring_custom_fixed_m pour utiliser ces tailles.</translation>
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
        <translation>Écart type de %1 exécutions : %2</translation>
    </message>
    <message>
        <source>Expert %1</source>
        <translation>Expert %1</translation>
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
        <source>Drawn while a run goes on</source>
        <translation>Tracé pendant une exécution</translation>
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
        <translation>Rechercher dans le journal</translation>
    </message>
    <message>
        <source>Log of the run</source>
        <translation>Journal de l&apos;exécution</translation>
    </message>
    <message>
        <source>What a run tells is listed here, to be searched: press Run.</source>
        <translation>Ce qu’une exécution annonce est listé ici, et peut être cherché&#xa0;: appuyez sur Exécuter.</translation>
    </message>
    <message>
        <source>No line of the log has these words.</source>
        <translation>Aucune ligne du journal ne contient ces mots.</translation>
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
        <translation>Mémoire en Gio</translation>
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
</context>
<context>
    <name>meshreel::AttentionModeModel</name>
    <message>
        <source>gather keys</source>
        <translation>rassembler les clés</translation>
    </message>
    <message>
        <source>tokens for heads</source>
        <translation>tokens contre têtes</translation>
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
        <source>GPU</source>
        <translation>GPU</translation>
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
        <source>A device holds, while computing</source>
        <translation>Un appareil détient, pendant le calcul</translation>
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
        <source>Tiles</source>
        <translation>Tuiles</translation>
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
        <translation>Ouvre Réglage fin, qui cherche les tailles les plus rapides ici</translation>
    </message>
    <message>
        <source>Block sizes: %1</source>
        <comment>name of a preset</comment>
        <translation>Tailles de blocs&#xa0;: %1</translation>
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
        <translation>Pas une partie d&apos;un modèle Wan</translation>
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
        <source>Every step is drawn here while a run goes on, or when a past one is opened.</source>
        <translation>Chaque étape est tracée ici pendant une exécution, ou quand une ancienne est ouverte.</translation>
    </message>
    <message>
        <source>Open a run</source>
        <translation>Ouvrir une exécution</translation>
    </message>
</context>
<context>
    <name>meshreel::ChartView</name>
    <message>
        <source>Logarithmic</source>
        <translation>Logarithmique</translation>
    </message>
    <message>
        <source>The wheel zooms about the pointer, dragging moves, a double click shows everything (+, -, arrow keys, 0)</source>
        <translation>La molette zoome autour du pointeur, glisser déplace, un double clic montre tout (+, -, flèches, 0)</translation>
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
</context>
<context>
    <name>meshreel::ClipComparer</name>
    <message>
        <source>Side by side</source>
        <translation>Côte à côte</translation>
    </message>
    <message>
        <source>Wipe</source>
        <translation>Balayage</translation>
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
        <source>How near the videos are</source>
        <translation>À quel point les vidéos sont proches</translation>
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
        <source>Written: %1. %2</source>
        <comment>file, what was done otherwise than asked</comment>
        <translation>Écrit&#xa0;: %1. %2</translation>
    </message>
    <message>
        <source>PNG pictures (*.png)</source>
        <translation>Images PNG (*.png)</translation>
    </message>
</context>
<context>
    <name>meshreel::ClipPairView</name>
    <message>
        <source>Two videos</source>
        <translation>Deux vidéos</translation>
    </message>
    <message>
        <source>The wheel zooms, dragging moves, a double click fits; comma and full stop move the wipe</source>
        <translation>La molette zoome, glisser déplace, un double-clic ajuste&#xa0;; la virgule et le point déplacent le balayage</translation>
    </message>
    <message>
        <source>Videos of two sizes have no difference</source>
        <translation>Des vidéos de deux tailles n&apos;ont pas de différence</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>Différence</translation>
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
</context>
<context>
    <name>meshreel::ColumnChooser</name>
    <message>
        <source>Columns</source>
        <translation>Colonnes</translation>
    </message>
    <message>
        <source>Columns as at first</source>
        <translation>Colonnes comme au début</translation>
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
        <source>Compare with a TIMING SUMMARY block copied from elsewhere</source>
        <translation>Comparer à un bloc TIMING SUMMARY copié d&apos;ailleurs</translation>
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
        <source>Paste timings</source>
        <translation>Coller des temps</translation>
    </message>
    <message>
        <source>TIMING SUMMARY blocks, with the text around them if you like:</source>
        <translation>Blocs TIMING SUMMARY, avec le texte qui les entoure si vous voulez&#xa0;:</translation>
    </message>
    <message>
        <source>Choose two or more runs in the Runs panel and press Compare.</source>
        <translation>Choisissez deux exécutions ou plus dans le panneau Exécutions et cliquez sur «&#xa0;Comparer&#xa0;».</translation>
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
        <source>Add</source>
        <translation>Ajouter</translation>
    </message>
    <message>
        <source>Compare with further runs, projects or timings; runs and project files can be dropped here too</source>
        <translation>Comparer à d&apos;autres exécutions, projets ou temps ; les exécutions et les fichiers de projet peuvent aussi être déposés ici</translation>
    </message>
    <message>
        <source>Copy timing summaries</source>
        <translation>Copier les résumés des temps</translation>
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
        <translation>Copier les résumés des temps</translation>
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
    <name>meshreel::ContactSheet</name>
    <message>
        <source>%1 · %2 s</source>
        <comment>number of a frame, time</comment>
        <translation>%1 · %2&#xa0;s</translation>
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
        <translation>En attente</translation>
    </message>
    <message>
        <source>%1 computing, %2 exchange, %3 waiting; %4 received</source>
        <comment>durations and bytes</comment>
        <translation>%1 de calcul, %2 d’échange, %3 d’attente&#xa0;; %4 reçus</translation>
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
            <numerusform>%n étape&#xa0;: les appareils calculent %1 du temps, échangent %2 et attendent %3&#xa0;; l’appareil %4 attend le plus, %5.</numerusform>
            <numerusform>%n étapes&#xa0;: les appareils calculent %1 du temps, échangent %2 et attendent %3&#xa0;; l’appareil %4 attend le plus, %5.</numerusform>
        </translation>
    </message>
    <message>
        <source>Device %1: %2</source>
        <comment>number, durations</comment>
        <translation>Appareil %1&#xa0;: %2</translation>
    </message>
    <message>
        <source>Moving bytes between devices with the device&apos;s own workers</source>
        <translation>Déplacer des octets entre appareils avec les threads de l’appareil même</translation>
    </message>
    <message>
        <source>Standing still until other devices, or the network, are ready</source>
        <translation>À l’arrêt jusqu’à ce que d’autres appareils, ou le réseau, soient prêts</translation>
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
        <translation>Cette exécution n’a qu’un appareil, qui calcule tout le temps.</translation>
    </message>
    <message>
        <source>The lanes of the devices begin when the first step has ended.</source>
        <translation>Les lignes des appareils commencent à la fin de la première étape.</translation>
    </message>
    <message>
        <source>This run did not record how its devices spent their steps: an earlier version made it, or it ended before its first step did. What its trace tells is drawn by Compare, as Devices of one run.</source>
        <translation>Cette exécution n&apos;a pas noté comment ses appareils ont passé leurs étapes&#xa0;: une version antérieure l&apos;a faite, ou elle s&apos;est arrêtée avant la fin de sa première étape. Ce que dit sa trace est tracé par Comparer, sous «&#xa0;Appareils d&apos;une exécution&#xa0;».</translation>
    </message>
    <message>
        <source>How much each device computes, exchanges and waits is drawn here while a run of several devices goes on, or when a past one is opened.</source>
        <translation>Ce que chaque appareil calcule, échange et attend est tracé ici pendant une exécution sur plusieurs appareils, ou quand une exécution passée est ouverte.</translation>
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
        <source>How long a step is expected to take, by what was measured on this machine</source>
        <translation>Durée prévue d&apos;une étape, d&apos;après les mesures faites sur cette machine</translation>
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
        <source>The project is added once for every combination of these values. Write one value a line; for whole numbers also 1, 2, 5 or 1..8; in prompts a {ball|cube} stands for both.</source>
        <translation>Le projet est ajouté une fois pour chaque combinaison de ces valeurs. Une valeur par ligne&#xa0;; pour les entiers aussi 1, 2, 5 ou 1..8&#xa0;; dans un prompt, a {ball|cube} vaut pour les deux.</translation>
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
        <source>Search runs</source>
        <translation>Rechercher des exécutions</translation>
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
        <translation>Il n’y a pas encore d’exécution&#xa0;: décrivez une vidéo et appuyez sur Exécuter.</translation>
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
        <translation>Copier les résumés des temps</translation>
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
        <source>To mend before it runs: %1</source>
        <translation>À corriger avant l&apos;exécution&#xa0;: %1</translation>
    </message>
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
        <translation>Choisissez une configuration, collez une ligne de commande, ou les deux&#xa0;: ses réglages l&apos;emportent. Ce que devient chaque clé est dit ici avant toute ouverture.</translation>
    </message>
    <message>
        <source>The command names %1: choose that file above to take its keys too.</source>
        <translation>La commande nomme %1&#xa0;: choisissez ce fichier ci-dessus pour prendre aussi ses clés.</translation>
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
        <source>What became of it</source>
        <translation>Sort</translation>
    </message>
    <message>
        <source>Here, or why not</source>
        <translation>Ici, ou pourquoi pas</translation>
    </message>
    <message>
        <source>From</source>
        <translation>Provenance</translation>
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
        <translation>%1 images décodées sur %2&#xa0;; les autres sont l’aperçu des latents</translation>
    </message>
    <message>
        <source>%1 of %2 frames decoded</source>
        <translation>%1 images décodées sur %2</translation>
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
        <translation>Chronomètre ce dont une vidéo est faite, pour prévoir la durée des exécutions</translation>
    </message>
    <message>
        <source>&amp;Tour</source>
        <translation>&amp;Visite guidée</translation>
    </message>
    <message numerus="yes">
        <source>&lt;p&gt;This machine: %1, %n CPU(s), computing with %2.&lt;/p&gt;</source>
        <translation>
            <numerusform>&lt;p&gt;Cette machine : %1, %n processeur, calcule avec %2.&lt;/p&gt;</numerusform>
            <numerusform>&lt;p&gt;Cette machine : %1, %n processeurs, calcule avec %2.&lt;/p&gt;</numerusform>
        </translation>
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
        <source>%1: %2</source>
        <comment>field and its problem</comment>
        <translation>%1&#xa0;: %2</translation>
    </message>
    <message>
        <source>A run is going on</source>
        <translation>Une exécution est en cours</translation>
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
        <source>Stop the run and quit? It can be resumed later from the Runs panel.</source>
        <translation>Arrêter l&apos;exécution et quitter&#xa0;? Elle pourra être reprise plus tard depuis le panneau Exécutions.</translation>
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
        <source>See what it takes, before it runs</source>
        <translation>Voyez ce qu&apos;il faut avant de lancer</translation>
    </message>
    <message>
        <source>Time, tokens, work and memory follow every change. Problems, above, says what cannot run and mends it with a click.</source>
        <translation>Durée, jetons, calcul et mémoire suivent chaque changement. «&#xa0;Problèmes&#xa0;», au-dessus, dit ce qui ne peut pas s&apos;exécuter et le corrige d&apos;un clic.</translation>
    </message>
    <message>
        <source>Run it</source>
        <translation>Lancez</translation>
    </message>
    <message>
        <source>Runs can be paused, resumed and queued. Nothing is lost when the machine is switched off.</source>
        <translation>Les exécutions peuvent être suspendues, reprises et mises en file. Rien n&apos;est perdu si la machine s&apos;éteint.</translation>
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
        <source>Everything else is a panel</source>
        <translation>Le reste est dans des panneaux</translation>
    </message>
    <message>
        <source>View opens them: devices and attention, runs and comparisons, charts and the queue. Help has this tour.</source>
        <translation>«&#xa0;Affichage&#xa0;» les ouvre&#xa0;: appareils et attention, exécutions et comparaisons, graphiques et file. Cette visite est dans «&#xa0;Aide&#xa0;».</translation>
    </message>
    <message>
        <source>Measuring this machine was stopped, as a run begins.</source>
        <translation>La mesure de cette machine s&apos;est arrêtée, car une exécution commence.</translation>
    </message>
    <message>
        <source>%1 (open)</source>
        <comment>project</comment>
        <translation>%1 (ouvert)</translation>
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
    <message numerus="yes">
        <source>%n things timed</source>
        <translation>
            <numerusform>Une mesure</numerusform>
            <numerusform>%n mesures</numerusform>
        </translation>
    </message>
    <message>
        <source>How long a run takes is predicted once this machine was measured. It takes about two minutes, in which it should do nothing else.</source>
        <translation>La durée d&apos;une exécution est prévue une fois cette machine mesurée. Cela prend environ deux minutes, pendant lesquelles elle ne devrait rien faire d&apos;autre.</translation>
    </message>
    <message>
        <source>A run is going on; measure when it has ended.</source>
        <translation>Une exécution est en cours&#xa0;; mesurez quand elle sera finie.</translation>
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
    <message>
        <source>Legal meshes, the fastest first as predicted</source>
        <translation>Maillages possibles, le plus rapide prévu en premier</translation>
    </message>
    <message>
        <source>The devices are drawn here as soon as the project can be planned: Problems says what keeps it from that.</source>
        <translation>Les appareils sont tracés ici dès que le projet peut être planifié&#xa0;: Problèmes dit ce qui l’en empêche.</translation>
    </message>
    <message>
        <source>This project runs on one device: several share out the tokens, the heads or the weights, each with workers of its own.</source>
        <translation>Ce projet tourne sur un appareil&#xa0;: plusieurs se partagent les jetons, les têtes ou les poids, chacun avec ses propres threads.</translation>
    </message>
    <message>
        <source>Hosts and ranks</source>
        <translation>Hôtes et rangs</translation>
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
    <message numerus="yes">
        <source>%n device(s): %1</source>
        <comment>of the mesh that a drag would make</comment>
        <translation>
            <numerusform>%n appareil&#xa0;: %1</numerusform>
            <numerusform>%n appareils&#xa0;: %1</numerusform>
        </translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>rang %1</translation>
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
        <source>%1, fits in the %2 that are free</source>
        <comment>sizes</comment>
        <translation>%1, tient dans les %2 libres</translation>
    </message>
    <message>
        <source>%1, more than the %2 that are free</source>
        <comment>sizes</comment>
        <translation>%1, plus que les %2 libres</translation>
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
        <source>Convolutions</source>
        <translation>Convolutions</translation>
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
</context>
<context>
    <name>meshreel::ModelsPanel</name>
    <message>
        <source>Use in project</source>
        <translation>Utiliser dans le projet</translation>
    </message>
    <message>
        <source>Look again</source>
        <translation>Chercher à nouveau</translation>
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
        <source>This is no model by itself; parts are chosen in the project</source>
        <translation>Ce n&apos;est pas un modèle en soi&#xa0;; les parties se choisissent dans le projet</translation>
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
        <translation>Voyez dans Problèmes ce qui empêche de planifier le projet</translation>
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
</context>
<context>
    <name>meshreel::OpenedMedia</name>
    <message>
        <source>There is no such file or folder</source>
        <translation>Ce fichier ou ce dossier n&apos;existe pas</translation>
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
        <source>the model&apos;s own</source>
        <translation>celui du modèle</translation>
    </message>
    <message>
        <source>none; choose or drop one here</source>
        <translation>aucun&#xa0;; choisir ou déposer ici</translation>
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
</context>
<context>
    <name>meshreel::PathOpener</name>
    <message>
        <source>A run is going on; others can be looked at when it ends.</source>
        <translation>Une exécution est en cours&#xa0;; les autres pourront être consultées quand elle sera terminée.</translation>
    </message>
    <message>
        <source>Used as “%1”; drop it on another field to use it as that, or undo it.</source>
        <translation>Utilisé comme «&#xa0;%1&#xa0;»&#xa0;; déposez-le sur un autre champ pour l&apos;utiliser ainsi, ou annulez.</translation>
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
        <source>The wheel zooms, dragging moves, a double click fits (+, -, 0)</source>
        <translation>La molette zoome, glisser déplace, un double-clic ajuste (+, -, 0)</translation>
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
</context>
<context>
    <name>meshreel::PresetMenu</name>
    <message>
        <source>New from &amp;preset</source>
        <translation>Nouveau depuis un &amp;préréglage</translation>
    </message>
    <message>
        <source>None is installed</source>
        <translation>Aucun n’est installé</translation>
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
        <source>%1: %2</source>
        <comment>setting and what is wrong</comment>
        <translation>%1&#xa0;: %2</translation>
    </message>
    <message>
        <source>Go to setting</source>
        <translation>Aller au réglage</translation>
    </message>
    <message>
        <source>Nothing is wrong with this project: press Run.</source>
        <translation>Rien ne cloche dans ce projet&#xa0;: appuyez sur Exécuter.</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Remarque</translation>
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
    <name>meshreel::ProjectLauncher</name>
    <message>
        <source>The Problems panel tells what keeps this project from running.</source>
        <translation>Le panneau Problèmes dit ce qui empêche l&apos;exécution de ce projet.</translation>
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
        <source>No prompt is kept yet: keep the project&apos;s. One that holds {prompt} is a style, which is put around the prompt at hand.</source>
        <translation>Aucun prompt n’est gardé&#xa0;: gardez celui du projet. Un texte avec {prompt} est un style, mis autour du prompt en cours.</translation>
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
        <translation>Ajouter le projet tel qu&apos;il est (Ctrl+Shift+R)</translation>
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
        <source>Runs one after the other; switched off, the one at hand still ends</source>
        <translation>Les exécute l&apos;un après l&apos;autre&#xa0;; désactivé, celui en cours se termine encore</translation>
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
        <translation>La file est vide&#xa0;: ajoutez le projet tel qu’il est, ou une fois pour chaque combinaison de certains réglages.</translation>
    </message>
</context>
<context>
    <name>meshreel::QueueRunner</name>
    <message>
        <source>Its run folder cannot be read; run it again.</source>
        <translation>Son dossier d&apos;exécution est illisible&#xa0;; relancez-la.</translation>
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
        <translation>Résumés des temps</translation>
    </message>
    <message>
        <source>Projects</source>
        <translation>Projets</translation>
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
        <source>Generate the video (Ctrl+R)</source>
        <translation>Générer la vidéo (Ctrl+R)</translation>
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
        <source>Stop when the step at hand is done; nothing is lost</source>
        <translation>Arrêter quand l&apos;étape en cours est terminée&#xa0;; rien n&apos;est perdu</translation>
    </message>
    <message>
        <source>Go on with the run that was stopped, from its last finished step</source>
        <translation>Continuer l&apos;exécution arrêtée après sa dernière étape terminée</translation>
    </message>
</context>
<context>
    <name>meshreel::RunCopies</name>
    <message>
        <source>None of these runs is finished: there is no timing summary to copy.</source>
        <translation>Aucune de ces exécutions n&apos;est terminée : il n&apos;y a pas de résumé des temps à copier.</translation>
    </message>
    <message numerus="yes">
        <source>Copied %n timing summaries</source>
        <translation>
            <numerusform>Un résumé des temps copié</numerusform>
            <numerusform>%n résumés des temps copiés</numerusform>
        </translation>
    </message>
    <message>
        <source>None of these runs finished a step: there is no configuration to copy.</source>
        <translation>Aucune de ces exécutions n&apos;a terminé une étape : il n&apos;y a pas de configuration à copier.</translation>
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
        <translation>Terminé&#xa0;: %1</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Terminé</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>En pause</translation>
    </message>
    <message>
        <source>%1. Resume goes on from the last finished step.</source>
        <comment>state</comment>
        <translation>%1. «&#xa0;Reprendre&#xa0;» continue après la dernière étape terminée.</translation>
    </message>
    <message>
        <source>Stopping</source>
        <translation>Arrêt</translation>
    </message>
    <message>
        <source>Pausing after this step</source>
        <translation>Pause après cette étape</translation>
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
        <source>Waiting to go on</source>
        <translation>En attente de reprise</translation>
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
        <source>Another window keeps the queue; this one ends with its window.</source>
        <translation>Une autre fenêtre conserve la file d&apos;attente&#xa0;; celle-ci prend fin avec sa fenêtre.</translation>
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
        <source>The kept queue could not be read and was set aside as %1: %2</source>
        <translation>La file d&apos;attente conservée n&apos;a pas pu être lue et a été mise de côté sous %1&#xa0;: %2</translation>
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
    <name>meshreel::RunStages</name>
    <message>
        <source>%1 %</source>
        <comment>percentage</comment>
        <translation>%1&#xa0;%</translation>
    </message>
    <message>
        <source>Load</source>
        <comment>stage of a run, very short</comment>
        <translation>Lecture</translation>
    </message>
    <message>
        <source>Compile</source>
        <comment>stage of a run, very short</comment>
        <translation>Prép.</translation>
    </message>
    <message>
        <source>Condition</source>
        <comment>stage of a run, very short</comment>
        <translation>Prompt</translation>
    </message>
    <message>
        <source>Steps</source>
        <comment>stage of a run, very short</comment>
        <translation>Étapes</translation>
    </message>
    <message>
        <source>Decode</source>
        <comment>stage of a run, very short</comment>
        <translation>Décod.</translation>
    </message>
    <message>
        <source>Format</source>
        <comment>stage of a run, very short</comment>
        <translation>Fichier</translation>
    </message>
    <message>
        <source>cached</source>
        <comment>stage of a run, very short</comment>
        <translation>cache</translation>
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
        <translation>%1&#xa0;: terminé en %2, repris d’une exécution antérieure</translation>
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
        <source>%1: going on</source>
        <comment>stage</comment>
        <translation>%1&#xa0;: en cours</translation>
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
    <name>meshreel::StageStrip</name>
    <message>
        <source>Stages of the run</source>
        <translation>Phases de l’exécution</translation>
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
        <source>Timing summary</source>
        <translation>Récapitulatif des temps</translation>
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
        <source>Activity</source>
        <translation>Activité</translation>
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
        <translation>Le détail du temps passé se trouve ici dès qu’une exécution est finie, ou qu’une ancienne est ouverte.</translation>
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
        <source>%1 ×</source>
        <comment>speed against another</comment>
        <translation>%1 ×</translation>
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
        <translation>Terminé</translation>
    </message>
    <message>
        <source>Against the first strategy beside the same other settings</source>
        <translation>Par rapport à la première stratégie, autres réglages égaux</translation>
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
        <source>Speed</source>
        <translation>Vitesse</translation>
    </message>
    <message>
        <source>State</source>
        <translation>État</translation>
    </message>
</context>
<context>
    <name>meshreel::SweepPanel</name>
    <message>
        <source>Cells that are done</source>
        <translation>Cellules terminées</translation>
    </message>
    <message>
        <source>The sweep</source>
        <translation>Le balayage</translation>
    </message>
    <message>
        <source>Open a sweep…</source>
        <translation>Ouvrir un balayage…</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Exécution</translation>
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
        <source>A run is going on, and would be measured too</source>
        <translation>Une exécution est en cours et fausserait la mesure</translation>
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
    <message>
        <source>A sweep times modes, meshes, batches and block sizes beside each other: open one, such as configs/sweeps/attention-strategies.yaml.</source>
        <translation>Un balayage mesure côte à côte modes, maillages, lots et tailles de blocs&#xa0;: ouvrez-en un, comme configs/sweeps/attention-strategies.yaml.</translation>
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
    <name>meshreel::TimingComparison</name>
    <message>
        <source>Slower</source>
        <comment>than the fastest run</comment>
        <translation>Plus lent</translation>
    </message>
    <message>
        <source>How many times as fast as the first run: by seconds a step for videos of one size, by denoising beside pasted timings</source>
        <translation>Combien de fois plus rapide que la première exécution : selon les secondes par étape pour des vidéos de même taille, selon le débruitage à côté de temps collés</translation>
    </message>
    <message>
        <source>How many times as long as the fastest run, which stands in bold</source>
        <translation>Combien de fois plus long que l&apos;exécution la plus rapide, en gras</translation>
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
    <name>meshreel::TunePanel</name>
    <message>
        <source>block_q %1 · block_kv %2: %3 ms</source>
        <comment>sizes and time</comment>
        <translation>block_q %1 · block_kv %2&#xa0;: %3&#xa0;ms</translation>
    </message>
    <message numerus="yes">
        <source>%n choices did not run.</source>
        <translation>
            <numerusform>Un choix ne s&apos;est pas exécuté.</numerusform>
            <numerusform>%n choix ne se sont pas exécutés.</numerusform>
        </translation>
    </message>
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
        <source>Smart ladder</source>
        <translation>Sélection</translation>
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
        <translation>Étape</translation>
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
        <translation>Seuls les premiers sont essayés</translation>
    </message>
    <message>
        <source>Passes</source>
        <translation>Passes</translation>
    </message>
    <message>
        <source>Passes of each choice that count; the choices take turns</source>
        <translation>Passes comptées de chaque choix&#xa0;; les choix alternent</translation>
    </message>
    <message>
        <source>Warm-up</source>
        <translation>Échauffement</translation>
    </message>
    <message>
        <source>Passes of each choice before them</source>
        <translation>Passes de chaque choix avant celles-ci</translation>
    </message>
    <message>
        <source>Times one block of the transformer with this project&apos;s video, mesh and attention.</source>
        <translation>Chronomètre un bloc du transformeur avec la vidéo, le maillage et l&apos;attention de ce projet.</translation>
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
        <source>The search</source>
        <translation>La recherche</translation>
    </message>
    <message>
        <source>What was found</source>
        <translation>Ce qui a été trouvé</translation>
    </message>
    <message>
        <source>Sets the project&apos;s block sizes to the fastest; can be undone</source>
        <translation>Règle les tailles de blocs du projet sur les plus rapides&#xa0;; peut être annulé</translation>
    </message>
    <message>
        <source>Cancelled.</source>
        <translation>Annulé.</translation>
    </message>
    <message>
        <source>Preparing weights…</source>
        <translation>Préparation des poids…</translation>
    </message>
    <message>
        <source>Block sizes that were found</source>
        <translation>Tailles de blocs trouvées</translation>
    </message>
    <message>
        <source>A run is going on, and would be measured too</source>
        <translation>Une exécution est en cours et fausserait la mesure</translation>
    </message>
    <message numerus="yes">
        <source>%1: %2 queries × %3 keys, %n choices</source>
        <comment>mode, numbers</comment>
        <translation>
            <numerusform>%1&#xa0;: %2 requêtes × %3 clés, un choix</numerusform>
            <numerusform>%1&#xa0;: %2 requêtes × %3 clés, %n choix</numerusform>
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
        <source>%1 % less time.</source>
        <translation>%1&#xa0;% de temps en moins.</translation>
    </message>
    <message>
        <source>The difference is within the noise: nothing needs to be changed.</source>
        <translation>La différence est dans le bruit&#xa0;: rien à changer.</translation>
    </message>
    <message>
        <source>The map of block sizes appears here: press Search while nothing else is running.</source>
        <translation>La carte des tailles de blocs apparaît ici&#xa0;: appuyez sur Chercher quand rien d’autre ne tourne.</translation>
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
</context>
</TS>
