<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="ja" sourcelanguage="en">
<context>
    <name>ChartFormats</name>
    <message>
        <source>PNG image</source>
        <translation>PNG画像</translation>
    </message>
    <message>
        <source>SVG drawing</source>
        <translation>SVGベクター画像</translation>
    </message>
    <message>
        <source>PDF document</source>
        <translation>PDF文書</translation>
    </message>
    <message>
        <source>CSV table</source>
        <translation>CSV表</translation>
    </message>
    <message>
        <source>JSON data</source>
        <translation>JSONデータ</translation>
    </message>
</context>
<context>
    <name>Engine</name>
    <message>
        <source>Prompt</source>
        <translation>プロンプト</translation>
    </message>
    <message>
        <source>Negative prompt</source>
        <translation>ネガティブプロンプト</translation>
    </message>
    <message>
        <source>Text length</source>
        <translation>テキスト長</translation>
    </message>
    <message>
        <source>Tokens that a prompt is cut or padded to; Wan models were trained with 512.</source>
        <translation>プロンプトを切り詰める、または埋めるトークン数です。Wanモデルは512で学習されています。</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>トークン</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>モデル</translation>
    </message>
    <message>
        <source>Video</source>
        <translation>動画</translation>
    </message>
    <message>
        <source>Height</source>
        <translation>高さ</translation>
    </message>
    <message>
        <source>Height of the video.</source>
        <translation>動画の高さです。</translation>
    </message>
    <message>
        <source>pixels</source>
        <translation>ピクセル</translation>
    </message>
    <message>
        <source>Width</source>
        <translation>幅</translation>
    </message>
    <message>
        <source>Width of the video.</source>
        <translation>動画の幅です。</translation>
    </message>
    <message>
        <source>Frames</source>
        <translation>フレーム数</translation>
    </message>
    <message>
        <source>Length of the video: a multiple of 4, plus 1.</source>
        <translation>動画の長さです。4の倍数に1を足した値にします。</translation>
    </message>
    <message>
        <source>frames</source>
        <translation>フレーム</translation>
    </message>
    <message>
        <source>Frame rate</source>
        <translation>フレームレート</translation>
    </message>
    <message>
        <source>frames per second</source>
        <translation>フレーム/秒</translation>
    </message>
    <message>
        <source>File format</source>
        <translation>ファイル形式</translation>
    </message>
    <message>
        <source>How the video is written.</source>
        <translation>動画を書き出す形式です。</translation>
    </message>
    <message>
        <source>H.264 in MP4, plays everywhere; carries the project in its metadata.</source>
        <translation>MP4のH.264です。どこでも再生でき、メタデータにプロジェクトを含みます。</translation>
    </message>
    <message>
        <source>VP9 in WebM, royalty-free, for browsers; carries the project in its metadata.</source>
        <translation>WebMのVP9です。特許料不要でブラウザー向き、メタデータにプロジェクトを含みます。</translation>
    </message>
    <message>
        <source>Looping GIF with one palette of 255 colours per clip; delays are whole hundredths of a second.</source>
        <translation>繰り返し再生するGIFです。クリップごとに255色のパレットを1つ持ち、表示時間は1/100秒単位です。</translation>
    </message>
    <message>
        <source>Looping animated WebP, smaller and truer in colour than GIF; equal neighbours become one longer frame.</source>
        <translation>繰り返し再生するアニメーションWebPです。GIFより小さく色も忠実で、同じフレームが続くと1つの長いフレームにまとめます。</translation>
    </message>
    <message>
        <source>A folder of lossless frames, frame_00001.png and on, for editing elsewhere.</source>
        <translation>可逆圧縮のフレームを frame_00001.png から順に収めたフォルダーです。他のソフトでの編集に向きます。</translation>
    </message>
    <message>
        <source>Quality</source>
        <translation>品質</translation>
    </message>
    <message>
        <source>Compression quality of the video file: 0 is smallest, 100 best.</source>
        <translation>動画ファイルの圧縮品質です。0が最小、100が最高です。</translation>
    </message>
    <message>
        <source>Sampling</source>
        <translation>サンプリング</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>ステップ数</translation>
    </message>
    <message>
        <source>Denoising steps; more take longer and refine the video.</source>
        <translation>ノイズ除去のステップ数です。多いほど時間がかかり、動画が精細になります。</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>ステップ</translation>
    </message>
    <message>
        <source>Guidance</source>
        <translation>ガイダンス</translation>
    </message>
    <message>
        <source>How strongly the prompt is followed; 1 or less turns guidance off and halves the work.</source>
        <translation>プロンプトに従う強さです。1以下ではガイダンスが無効になり、計算量が半分になります。</translation>
    </message>
    <message>
        <source>Guidance at high noise</source>
        <translation>高ノイズ時のガイダンス</translation>
    </message>
    <message>
        <source>Guidance of the first of two experts; 0 takes guidance_scale.</source>
        <translation>2つのエキスパートのうち1つ目のガイダンスです。0ではguidance_scaleを使います。</translation>
    </message>
    <message>
        <source>Guidance at low noise</source>
        <translation>低ノイズ時のガイダンス</translation>
    </message>
    <message>
        <source>Guidance of the second of two experts; 0 takes guidance_scale.</source>
        <translation>2つのエキスパートのうち2つ目のガイダンスです。0ではguidance_scaleを使います。</translation>
    </message>
    <message>
        <source>Boundary of the experts</source>
        <translation>エキスパートの境界</translation>
    </message>
    <message>
        <source>Part of the noise levels&apos; range from which on the first of two experts works, below it the second; 0 takes the model&apos;s own.</source>
        <translation>ノイズレベルの範囲に対する割合です。これ以上では2つのエキスパートのうち1つ目が、これより下では2つ目が働きます。0ではモデルの値を使います。</translation>
    </message>
    <message>
        <source>Flow shift</source>
        <translation>フローシフト</translation>
    </message>
    <message>
        <source>Moves the noise levels of the steps towards high noise; Wan uses 3 at 480p and 5 at 720p.</source>
        <translation>各ステップのノイズレベルを高ノイズ側へ移します。Wanは480pで3、720pで5を使います。</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>シード</translation>
    </message>
    <message>
        <source>Scheduler</source>
        <translation>スケジューラー</translation>
    </message>
    <message>
        <source>The solver that walks from noise to video.</source>
        <translation>ノイズから動画へ進むソルバーです。</translation>
    </message>
    <message>
        <source>The scheduler that the checkpoint names.</source>
        <translation>チェックポイントが指定するスケジューラーです。</translation>
    </message>
    <message>
        <source>predictor-corrector of order 2, what Wan&apos;s diffusers checkpoints use</source>
        <translation>2次の予測子・修正子法。Wanのdiffusersチェックポイントが使う方式</translation>
    </message>
    <message>
        <source>one straight step at a time along the flow</source>
        <translation>フローに沿って1ステップずつ直線で進む</translation>
    </message>
    <message>
        <source>UniPC with the noise levels of Wan&apos;s own programs</source>
        <translation>Wan公式プログラムのノイズレベルを使うUniPC</translation>
    </message>
    <message>
        <source>DPM-Solver++ with the noise levels of Wan&apos;s own programs</source>
        <translation>Wan公式プログラムのノイズレベルを使うDPM-Solver++</translation>
    </message>
    <message>
        <source>Noise</source>
        <translation>ノイズ</translation>
    </message>
    <message>
        <source>How the seed becomes the initial noise.</source>
        <translation>シードから初期ノイズを作る方法です。</translation>
    </message>
    <message>
        <source>the same latents from a seed whatever the mesh, threads or batch split</source>
        <translation>メッシュ、スレッド、バッチ分割によらず、同じシードから同じ潜在変数を作る</translation>
    </message>
    <message>
        <source>the latents that diffusers makes from a CPU generator&apos;s seed</source>
        <translation>diffusersがCPUジェネレーターのシードから作る潜在変数</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>アテンション</translation>
    </message>
    <message>
        <source>How attention is computed and spread over devices.</source>
        <translation>アテンションの計算方法と、デバイスへの分散方法です。</translation>
    </message>
    <message>
        <source>Dense softmax attention: every score of a query at once; the reference, and good for short sequences.</source>
        <translation>密なソフトマックスアテンション。クエリの全スコアを一度に計算します。基準となる方式で、短いシーケンスに適します。</translation>
    </message>
    <message>
        <source>Blocked attention with a running softmax: memory grows with the block sizes, not with the square of the sequence.</source>
        <translation>逐次ソフトマックスによるブロック化アテンション。メモリはシーケンス長の2乗ではなくブロックサイズに応じて増えます。</translation>
    </message>
    <message>
        <source>MaxDiffusion&apos;s other flash kernel; the same as flash here.</source>
        <translation>MaxDiffusionのもう1つのflashカーネル。ここではflashと同じです。</translation>
    </message>
    <message>
        <source>Ring attention: each device keeps its queries while keys and values travel around.</source>
        <translation>リングアテンション。各デバイスがクエリを保持し、キーとバリューが巡回します。</translation>
    </message>
    <message>
        <source>Ring attention over the whole context axis, accumulating un-normalised partials.</source>
        <translation>コンテキスト軸全体にわたるリングアテンション。正規化前の部分結果を累積します。</translation>
    </message>
    <message>
        <source>Ring attention with the custom blocked kernel.</source>
        <translation>専用のブロック化カーネルによるリングアテンション。</translation>
    </message>
    <message>
        <source>Ulysses: devices trade sequence shards for head groups before the kernel and back after it.</source>
        <translation>Ulysses。デバイス間で、カーネルの前にシーケンスのシャードをヘッドのグループと交換し、後で元に戻します。</translation>
    </message>
    <message>
        <source>Ulysses with the custom blocked kernel.</source>
        <translation>専用のブロック化カーネルによるUlysses。</translation>
    </message>
    <message>
        <source>Ulysses with the custom kernel, a bound in place of the running maximum.</source>
        <translation>専用カーネルによるUlysses。逐次の最大値の代わりに上界を使います。</translation>
    </message>
    <message>
        <source>Ulysses with the custom kernel; each block of queries has a bound of its own.</source>
        <translation>専用カーネルによるUlysses。クエリのブロックごとに上界を持ちます。</translation>
    </message>
    <message>
        <source>Ulysses inside groups of ulysses_shards devices, a ring between the groups.</source>
        <translation>ulysses_shards台のデバイスのグループ内ではUlysses、グループ間ではリング。</translation>
    </message>
    <message>
        <source>Ulysses and ring with the custom blocked kernel.</source>
        <translation>専用のブロック化カーネルによるUlyssesとリング。</translation>
    </message>
    <message>
        <source>Ulysses and a ring whose keys travel both ways along a line, for links that do not wrap.</source>
        <translation>Ulyssesと、キーが直線上を双方向に移動するリング。環状でない接続向けです。</translation>
    </message>
    <message>
        <source>Ulysses and ring with the custom kernel, a bound in place of the running maximum.</source>
        <translation>専用カーネルによるUlyssesとリング。逐次の最大値の代わりに上界を使います。</translation>
    </message>
    <message>
        <source>Ulysses and ring with the custom kernel; each block of queries has a bound of its own.</source>
        <translation>専用カーネルによるUlyssesとリング。クエリのブロックごとに上界を持ちます。</translation>
    </message>
    <message>
        <source>NVIDIA Transformer Engine&apos;s cuDNN attention.</source>
        <translation>NVIDIA Transformer EngineのcuDNNアテンション。</translation>
    </message>
    <message>
        <source>Flash from length</source>
        <translation>flashを使う最小長</translation>
    </message>
    <message>
        <source>Flash attention gives way to dot_product when a sequence is shorter than this.</source>
        <translation>シーケンスがこれより短い場合、flashアテンションの代わりにdot_productを使います。</translation>
    </message>
    <message>
        <source>Query block</source>
        <translation>クエリブロック</translation>
    </message>
    <message>
        <source>Query rows of one tile of flash attention; 0 takes the kernel&apos;s own.</source>
        <translation>flashアテンションの1タイルのクエリ行数です。0ではカーネルの既定値を使います。</translation>
    </message>
    <message>
        <source>rows</source>
        <translation>行</translation>
    </message>
    <message>
        <source>Key block</source>
        <translation>キーブロック</translation>
    </message>
    <message>
        <source>Key and value rows that are loaded together; 0 takes the kernel&apos;s own.</source>
        <translation>まとめて読み込むキーとバリューの行数です。0ではカーネルの既定値を使います。</translation>
    </message>
    <message>
        <source>Key block per product</source>
        <translation>積ごとのキーブロック</translation>
    </message>
    <message>
        <source>Key rows of one matrix product inside a key block, which it divides; an upper bound on CPUs that compute in bf16 tiles; 0 takes the kernel&apos;s own.</source>
        <translation>キーブロック内の1回の行列積のキー行数で、キーブロックの約数にします。bf16タイルで計算するCPUでは上限です。0ではカーネルの既定値を使います。</translation>
    </message>
    <message>
        <source>Key block per softmax</source>
        <translation>ソフトマックスごとのキーブロック</translation>
    </message>
    <message>
        <source>Key rows of one softmax step of the custom kernels; 0 takes the kernel&apos;s own.</source>
        <translation>専用カーネルの1回のソフトマックスのキー行数です。0ではカーネルの既定値を使います。</translation>
    </message>
    <message>
        <source>Heads per tile</source>
        <translation>タイルごとのヘッド数</translation>
    </message>
    <message>
        <source>Heads that the custom kernels handle together.</source>
        <translation>専用カーネルがまとめて処理するヘッド数です。</translation>
    </message>
    <message>
        <source>heads</source>
        <translation>ヘッド</translation>
    </message>
    <message>
        <source>Scratch limit</source>
        <translation>スクラッチ上限</translation>
    </message>
    <message>
        <source>Scratch memory that a tile of the custom kernels may use; 0 sets no limit.</source>
        <translation>専用カーネルの1タイルが使えるスクラッチメモリです。0では上限を設けません。</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>バイト</translation>
    </message>
    <message>
        <source>Base-2 exponential</source>
        <translation>2を底とする指数</translation>
    </message>
    <message>
        <source>Lets the softmax use powers of 2 with rescaled scores; results agree within rounding.</source>
        <translation>スコアを再スケールし、ソフトマックスで2のべき乗を使えるようにします。結果は丸め誤差の範囲で一致します。</translation>
    </message>
    <message>
        <source>Mask padding</source>
        <translation>パディングをマスク</translation>
    </message>
    <message>
        <source>Keeps the rows that fill up a block or a device&apos;s share out of attention.</source>
        <translation>ブロックやデバイスの分担を埋めるための行を、アテンションから除外します。</translation>
    </message>
    <message>
        <source>padding is never attended</source>
        <translation>パディングには決してアテンションを向けません</translation>
    </message>
    <message>
        <source>Mesh</source>
        <translation>メッシュ</translation>
    </message>
    <message>
        <source>Data axis</source>
        <translation>データ軸</translation>
    </message>
    <message>
        <source>Devices that share out the batch; -1 takes all that are left.</source>
        <translation>バッチを分担するデバイス数です。-1では残りすべてを使います。</translation>
    </message>
    <message>
        <source>devices</source>
        <translation>デバイス</translation>
    </message>
    <message>
        <source>FSDP axis</source>
        <translation>FSDP軸</translation>
    </message>
    <message>
        <source>Devices that share out the weights; -1 takes all that are left.</source>
        <translation>重みを分担するデバイス数です。-1では残りすべてを使います。</translation>
    </message>
    <message>
        <source>Context axis</source>
        <translation>コンテキスト軸</translation>
    </message>
    <message>
        <source>Devices that share out the sequence; -1 takes all that are left.</source>
        <translation>シーケンスを分担するデバイス数です。-1では残りすべてを使います。</translation>
    </message>
    <message>
        <source>Tensor axis</source>
        <translation>テンソル軸</translation>
    </message>
    <message>
        <source>Devices that share out heads and features; -1 takes all that are left.</source>
        <translation>ヘッドと特徴を分担するデバイス数です。-1では残りすべてを使います。</translation>
    </message>
    <message>
        <source>Data axis between hosts</source>
        <translation>ホスト間のデータ軸</translation>
    </message>
    <message>
        <source>Hosts that share out the batch; -1 takes all that are left.</source>
        <translation>バッチを分担するホスト数です。-1では残りすべてを使います。</translation>
    </message>
    <message>
        <source>hosts</source>
        <translation>ホスト</translation>
    </message>
    <message>
        <source>FSDP axis between hosts</source>
        <translation>ホスト間のFSDP軸</translation>
    </message>
    <message>
        <source>Hosts that share out the weights; -1 takes all that are left.</source>
        <translation>重みを分担するホスト数です。-1では残りすべてを使います。</translation>
    </message>
    <message>
        <source>Context axis between hosts</source>
        <translation>ホスト間のコンテキスト軸</translation>
    </message>
    <message>
        <source>Hosts that share out the sequence; -1 takes all that are left.</source>
        <translation>シーケンスを分担するホスト数です。-1では残りすべてを使います。</translation>
    </message>
    <message>
        <source>Tensor axis between hosts</source>
        <translation>ホスト間のテンソル軸</translation>
    </message>
    <message>
        <source>Hosts that share out heads and features; -1 takes all that are left.</source>
        <translation>ヘッドと特徴を分担するホスト数です。-1では残りすべてを使います。</translation>
    </message>
    <message>
        <source>Ulysses shards</source>
        <translation>Ulyssesシャード</translation>
    </message>
    <message>
        <source>Part of the context axis that exchanges heads in the ulysses_ring modes; -1 is unset.</source>
        <translation>ulysses_ring系モードでヘッドを交換する、コンテキスト軸の一部です。-1は未設定です。</translation>
    </message>
    <message>
        <source>Ulysses chunks</source>
        <translation>Ulyssesチャンク</translation>
    </message>
    <message>
        <source>Uniform sharding</source>
        <translation>均一なシャーディング</translation>
    </message>
    <message>
        <source>Makes flash and dot_product share out the sequence; false shares out the heads of self-attention instead.</source>
        <translation>flashとdot_productでシーケンスを分担します。falseでは代わりにセルフアテンションのヘッドを分担します。</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>デバイス数</translation>
    </message>
    <message>
        <source>Devices of the mesh, which the axis of -1 fills up; 0 takes one for each process that was started, or as many as the axes ask for.</source>
        <translation>メッシュのデバイス数で、-1の軸が残りを満たします。0では起動したプロセスごとに1つ、または各軸が求める数になります。</translation>
    </message>
    <message>
        <source>Hosts file</source>
        <translation>ホストファイル</translation>
    </message>
    <message>
        <source>File that names the machines to start processes on, one a line; empty runs on this machine only.</source>
        <translation>プロセスを起動するマシンを1行に1台ずつ記したファイルです。空の場合はこのマシンだけで実行します。</translation>
    </message>
    <message>
        <source>Send weights</source>
        <translation>重みを送信</translation>
    </message>
    <message>
        <source>Reads the checkpoint on the first machine only and sends it to the others.</source>
        <translation>チェックポイントを最初のマシンだけで読み込み、他のマシンへ送信します。</translation>
    </message>
    <message>
        <source>Stall timeout</source>
        <translation>無応答タイムアウト</translation>
    </message>
    <message>
        <source>How long a device waits for the others before the run counts as hung and ends.</source>
        <translation>デバイスが他のデバイスを待つ時間です。これを超えると実行は応答なしとみなされ、終了します。</translation>
    </message>
    <message>
        <source>seconds</source>
        <translation>秒</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>重み</translation>
    </message>
    <message>
        <source>Number type of the weights of the transformer&apos;s blocks. With bfloat16 activations, float32 weights are rounded to bfloat16 too; int8 needs bfloat16 activations.</source>
        <translation>トランスフォーマーの各ブロックの重みの数値型です。活性化がbfloat16の場合、float32の重みもbfloat16に丸められます。int8にはbfloat16の活性化が必要です。</translation>
    </message>
    <message>
        <source>32-bit floating point.</source>
        <translation>32ビット浮動小数点。</translation>
    </message>
    <message>
        <source>16-bit floating point with the exponent of float32.</source>
        <translation>float32と同じ指数部を持つ16ビット浮動小数点。</translation>
    </message>
    <message>
        <source>8-bit integers with a scale for each output; inputs are rounded to 8 bits too.</source>
        <translation>出力ごとにスケールを持つ8ビット整数。入力も8ビットに丸められます。</translation>
    </message>
    <message>
        <source>Activations</source>
        <translation>活性化</translation>
    </message>
    <message>
        <source>Number type that the transformer&apos;s blocks compute in. Sums, the residual stream, the time and text embeddings and the output stay float32.</source>
        <translation>トランスフォーマーの各ブロックが計算に使う数値型です。総和、残差ストリーム、時刻とテキストの埋め込み、出力はfloat32のままです。</translation>
    </message>
    <message>
        <source>Text encoder</source>
        <translation>テキストエンコーダー</translation>
    </message>
    <message>
        <source>Number type that the text encoder computes in.</source>
        <translation>テキストエンコーダーが計算に使う数値型です。</translation>
    </message>
    <message>
        <source>VAE</source>
        <translation>VAE</translation>
    </message>
    <message>
        <source>Number type that the VAE computes in.</source>
        <translation>VAEが計算に使う数値型です。</translation>
    </message>
    <message>
        <source>VAE weights</source>
        <translation>VAEの重み</translation>
    </message>
    <message>
        <source>Number type of the VAE&apos;s weights.</source>
        <translation>VAEの重みの数値型です。</translation>
    </message>
    <message>
        <source>Number type that each step&apos;s prediction and the latents it leads to are rounded to.</source>
        <translation>各ステップの予測と、そこから得られる潜在変数を丸める数値型です。</translation>
    </message>
    <message>
        <source>Decode chunk</source>
        <translation>デコードチャンク</translation>
    </message>
    <message>
        <source>Latent frames that are decoded together; -1 takes all. More memory, the same result.</source>
        <translation>まとめてデコードする潜在フレーム数です。-1ではすべてです。メモリは増えますが結果は同じです。</translation>
    </message>
    <message>
        <source>latent frames</source>
        <translation>潜在フレーム</translation>
    </message>
    <message>
        <source>Encode chunk</source>
        <translation>エンコードチャンク</translation>
    </message>
    <message>
        <source>Frames that are encoded together, a multiple of 4; -1 takes all. More memory, the same result.</source>
        <translation>まとめてエンコードするフレーム数で、4の倍数です。-1ではすべてです。メモリは増えますが結果は同じです。</translation>
    </message>
    <message>
        <source>Width strips</source>
        <translation>幅の分割数</translation>
    </message>
    <message>
        <source>Devices that share out the VAE&apos;s width; -1 takes as many as help, about 8.</source>
        <translation>VAEの幅を分担するデバイス数です。-1では効果のある数（約8）を使います。</translation>
    </message>
    <message>
        <source>Replicate weights</source>
        <translation>重みを複製</translation>
    </message>
    <message>
        <source>Gives every device the whole of the VAE&apos;s weights.</source>
        <translation>すべてのデバイスにVAEの重み全体を持たせます。</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名前</translation>
    </message>
    <message>
        <source>What run folders are called after; empty takes the project file&apos;s name.</source>
        <translation>実行フォルダーの名前の元になります。空の場合はプロジェクトファイルの名前を使います。</translation>
    </message>
    <message>
        <source>Workers</source>
        <translation>ワーカー数</translation>
    </message>
    <message>
        <source>Threads of each device; 0 shares out every CPU of this process.</source>
        <translation>各デバイスのスレッド数です。0ではこのプロセスの全CPUを分け合います。</translation>
    </message>
    <message>
        <source>threads</source>
        <translation>スレッド</translation>
    </message>
    <message>
        <source>An installed model&apos;s name, a Hugging Face id, a checkpoint folder in diffusers layout, or a transformer&apos;s file, whose other parts are found in the models folder.</source>
        <translation>インストール済みモデルの名前、Hugging FaceのID、diffusers形式のチェックポイントフォルダー、またはトランスフォーマーのファイル（他の部品はモデルフォルダーから探します）。</translation>
    </message>
    <message>
        <source>Adapters</source>
        <translation>アダプター</translation>
    </message>
    <message>
        <source>Transformer</source>
        <translation>トランスフォーマー</translation>
    </message>
    <message>
        <source>File or folder of the transformer&apos;s weights; of Wan 2.2&apos;s two the high-noise expert. Empty takes the model&apos;s own.</source>
        <translation>トランスフォーマーの重みのファイルまたはフォルダーです。Wan 2.2の2つのうちでは高ノイズ側のエキスパートです。空の場合はモデルのものを使います。</translation>
    </message>
    <message>
        <source>Second transformer</source>
        <translation>2つ目のトランスフォーマー</translation>
    </message>
    <message>
        <source>File or folder of Wan 2.2&apos;s low-noise expert. Empty takes the model&apos;s own.</source>
        <translation>Wan 2.2の低ノイズ側エキスパートのファイルまたはフォルダーです。空の場合はモデルのものを使います。</translation>
    </message>
    <message>
        <source>File or folder of the text encoder (UMT5-XXL). Empty takes the model&apos;s own.</source>
        <translation>テキストエンコーダー（UMT5-XXL）のファイルまたはフォルダーです。空の場合はモデルのものを使います。</translation>
    </message>
    <message>
        <source>Image encoder</source>
        <translation>画像エンコーダー</translation>
    </message>
    <message>
        <source>File or folder of the image encoder (CLIP ViT-H) of image-to-video models. Empty takes the model&apos;s own.</source>
        <translation>画像から動画を作るモデルの画像エンコーダー（CLIP ViT-H）のファイルまたはフォルダーです。空の場合はモデルのものを使います。</translation>
    </message>
    <message>
        <source>Tokenizer</source>
        <translation>トークナイザー</translation>
    </message>
    <message>
        <source>Folder of the tokenizer, or its tokenizer.json or spiece.model. Empty takes the model&apos;s own.</source>
        <translation>トークナイザーのフォルダー、またはその tokenizer.json か spiece.model です。空の場合はモデルのものを使います。</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>タスク</translation>
    </message>
    <message>
        <source>What the video is made of.</source>
        <translation>動画を何から作るかを指定します。</translation>
    </message>
    <message>
        <source>What the model does with the inputs that are given.</source>
        <translation>与えられた入力に応じてモデルが行う処理です。</translation>
    </message>
    <message>
        <source>A video, or with num_frames 1 an image, from the prompt.</source>
        <translation>プロンプトから動画を作ります。num_framesが1なら画像になります。</translation>
    </message>
    <message>
        <source>A video that begins with `image`.</source>
        <translation>`image`から始まる動画です。</translation>
    </message>
    <message>
        <source>A video that begins with `image` and ends with `last_image`.</source>
        <translation>`image`から始まり`last_image`で終わる動画です。</translation>
    </message>
    <message>
        <source>`video` made again after the prompt; `strength` says how much of it may change.</source>
        <translation>プロンプトに沿って`video`を作り直します。どれだけ変えてよいかは`strength`で決めます。</translation>
    </message>
    <message>
        <source>`video` where `mask` is black, something new where it is white, with what `reference_images` show.</source>
        <translation>`mask`が黒い部分は`video`のまま、白い部分は新しく、`reference_images`に写るものを使って作ります。</translation>
    </message>
    <message>
        <source>First image</source>
        <translation>最初の画像</translation>
    </message>
    <message>
        <source>Last image</source>
        <translation>最後の画像</translation>
    </message>
    <message>
        <source>Picture file that the video ends with.</source>
        <translation>動画の最後に使う画像ファイルです。</translation>
    </message>
    <message>
        <source>Mask</source>
        <translation>マスク</translation>
    </message>
    <message>
        <source>Reference images</source>
        <translation>参照画像</translation>
    </message>
    <message>
        <source>Strength</source>
        <translation>強さ</translation>
    </message>
    <message>
        <source>How much of the video may change in video to video: the part of the steps that is done.</source>
        <translation>動画から動画を作るときに変えてよい程度で、実行するステップの割合です。</translation>
    </message>
    <message>
        <source>Control strength</source>
        <translation>制御の強さ</translation>
    </message>
    <message>
        <source>How strongly VACE&apos;s blocks steer: one number, or one for each block, separated by commas.</source>
        <translation>VACEのブロックが制御する強さです。1つの数、またはブロックごとの数をカンマで区切って指定します。</translation>
    </message>
    <message>
        <source>DPM-Solver++ that adds noise at every step (2M SDE), with the noise levels of Wan&apos;s own programs</source>
        <translation>各ステップでノイズを加えるDPM-Solver++（2M SDE）。Wan公式プログラムのノイズレベルを使う</translation>
    </message>
    <message>
        <source>Heun&apos;s method: each step but the last is computed twice and is of second order</source>
        <translation>ホイン法。最後を除く各ステップを2回計算し、2次精度になる</translation>
    </message>
    <message>
        <source>for models distilled to a few steps: each predicts the video and noises it anew</source>
        <translation>少ないステップに蒸留されたモデル向け。各ステップで動画を予測し、再びノイズを加える</translation>
    </message>
    <message>
        <source>Noise levels</source>
        <translation>ノイズレベル</translation>
    </message>
    <message>
        <source>The run&apos;s own noise levels from 1 down, separated by commas, before the flow shift; they take the place of num_inference_steps.</source>
        <translation>この実行に使うノイズレベルです。1から下へ、フローシフト前の値をカンマで区切って指定します。num_inference_stepsの代わりになります。</translation>
    </message>
    <message>
        <source>Timesteps</source>
        <translation>タイムステップ</translation>
    </message>
    <message>
        <source>The same as timesteps from 1000 down, as distilled models name them: 1000, 750, 500, 250.</source>
        <translation>同じものを、蒸留モデルの表記に合わせて1000から下へのタイムステップで指定します（例: 1000, 750, 500, 250）。</translation>
    </message>
    <message>
        <source>Prompts of a batch</source>
        <translation>バッチのプロンプト</translation>
    </message>
    <message>
        <source>Makes several videos in one run: a prompt on each line, in place of prompt.</source>
        <translation>1回の実行で複数の動画を作ります。promptの代わりに、1行に1つずつプロンプトを書きます。</translation>
    </message>
    <message>
        <source>Seeds of a batch</source>
        <translation>バッチのシード</translation>
    </message>
    <message>
        <source>The character of `image` moves as `pose_video` and `face_video` do.</source>
        <translation>`image`のキャラクターが`pose_video`と`face_video`のとおりに動きます。</translation>
    </message>
    <message>
        <source>The character of `image` takes the place of somebody in `background_video`, where `mask` is white.</source>
        <translation>`image`のキャラクターが、`background_video`の人物と`mask`が白い部分で入れ替わります。</translation>
    </message>
    <message>
        <source>Picture file that the video begins with, or of the character that is animated, at the video&apos;s size whatever its own; relative to the project&apos;s folder.</source>
        <translation>動画の最初に使う、または動かすキャラクターの画像ファイルです。元の大きさによらず動画の大きさに合わせます。パスはプロジェクトのフォルダーからの相対です。</translation>
    </message>
    <message>
        <source>Pose video</source>
        <translation>ポーズ動画</translation>
    </message>
    <message>
        <source>Face video</source>
        <translation>顔動画</translation>
    </message>
    <message>
        <source>Background video</source>
        <translation>背景動画</translation>
    </message>
    <message>
        <source>Video that the character is put into where mask is white.</source>
        <translation>maskが白い部分にキャラクターを入れる動画です。</translation>
    </message>
    <message>
        <source>Segment</source>
        <translation>セグメント</translation>
    </message>
    <message>
        <source>Frames that an animation is made of at a time: a multiple of 4, plus 1.</source>
        <translation>アニメーションを一度に作るフレーム数で、4の倍数に1を足した数です。</translation>
    </message>
    <message>
        <source>Overlap of segments</source>
        <translation>セグメントの重なり</translation>
    </message>
    <message>
        <source>Last frames of a segment that the next one begins with; Wan Animate was made for 1 or 5.</source>
        <translation>次のセグメントの最初に使う、前のセグメントの最後のフレーム数です。Wan Animateは1または5用に作られています。</translation>
    </message>
    <message>
        <source>Step caches</source>
        <translation>ステップキャッシュ</translation>
    </message>
    <message>
        <source>CFG cache</source>
        <translation>CFGキャッシュ</translation>
    </message>
    <message>
        <source>Makes the negative prompt&apos;s half up from earlier steps in four of five steps of the middle; approximate.</source>
        <translation>中盤の5ステップのうち4ステップで、ネガティブプロンプト側の半分を前のステップから補います。近似です。</translation>
    </message>
    <message>
        <source>SenCache</source>
        <translation>SenCache</translation>
    </message>
    <message>
        <source>Takes whole predictions over while the latents change little; for Wan 2.2&apos;s models of two transformers; approximate.</source>
        <translation>潜在変数の変化が小さい間、予測全体を引き継ぎます。2つのトランスフォーマーを持つWan 2.2のモデル用です。近似です。</translation>
    </message>
    <message>
        <source>MagCache</source>
        <translation>MagCache</translation>
    </message>
    <message>
        <source>Leaves the transformer&apos;s blocks out in steps where a curve measured before says that they add what they added before; approximate.</source>
        <translation>事前に測定した曲線により、前と同じものが加わると分かるステップで、トランスフォーマーのブロックを省きます。近似です。</translation>
    </message>
    <message>
        <source>MagCache error</source>
        <translation>MagCacheの誤差</translation>
    </message>
    <message>
        <source>Error that MagCache may gather before a step is computed in full; 0 takes the curve&apos;s own.</source>
        <translation>ステップを完全に計算するまでにMagCacheが累積してよい誤差です。0では曲線の値を使います。</translation>
    </message>
    <message>
        <source>MagCache in a row</source>
        <translation>MagCacheの連続数</translation>
    </message>
    <message>
        <source>Steps that MagCache leaves the blocks out of one after the other, at most.</source>
        <translation>MagCacheが連続してブロックを省くステップ数の上限です。</translation>
    </message>
    <message>
        <source>MagCache begins at</source>
        <translation>MagCacheの開始位置</translation>
    </message>
    <message>
        <source>Part of a transformer&apos;s steps, at their beginning, that MagCache computes in full.</source>
        <translation>トランスフォーマーのステップのうち、MagCacheが完全に計算する最初の部分の割合です。</translation>
    </message>
    <message>
        <source>MagCache curve</source>
        <translation>MagCacheの曲線</translation>
    </message>
    <message>
        <source>The curve as numbers separated by commas, for each step the prompt&apos;s and the negative prompt&apos;s; empty takes mag_ratios_file, or the one published for the model.</source>
        <translation>曲線をカンマ区切りの数で指定します。ステップごとにプロンプトの値、ネガティブプロンプトの値の順です。空の場合はmag_ratios_file、またはモデル用に公開されている曲線を使います。</translation>
    </message>
    <message>
        <source>MagCache curve file</source>
        <translation>MagCacheの曲線ファイル</translation>
    </message>
    <message>
        <source>Curve that meshreel calibrate magcache has measured; relative to the project&apos;s folder.</source>
        <translation>meshreel calibrate magcacheで測定した曲線です。パスはプロジェクトのフォルダーからの相対です。</translation>
    </message>
    <message>
        <source>First-block cache</source>
        <translation>先頭ブロックキャッシュ</translation>
    </message>
    <message>
        <source>Computes the transformer&apos;s first block and, where it adds nearly what it added before, leaves the others out; approximate.</source>
        <translation>トランスフォーマーの最初のブロックを計算し、加わるものが前とほぼ同じなら残りのブロックを省きます。近似です。</translation>
    </message>
    <message>
        <source>First-block change</source>
        <translation>先頭ブロックの変化量</translation>
    </message>
    <message>
        <source>Relative change of what the first block adds up to which the others are left out.</source>
        <translation>最初のブロックが加えるものの相対変化です。この値までなら残りのブロックを省きます。</translation>
    </message>
    <message>
        <source>Compare with run</source>
        <translation>比較する実行</translation>
    </message>
    <message>
        <source>Folder of a finished run of the same size, usually without a cache: the run tells how far its frames are from those (PSNR and SSIM).</source>
        <translation>同じ大きさの完了した実行のフォルダーで、通常はキャッシュなしのものです。実行時に、そのフレームとの差（PSNRとSSIM）を示します。</translation>
    </message>
    <message>
        <source>Memory budget</source>
        <translation>メモリ予算</translation>
    </message>
    <message>
        <source>Memory that the run may take. Layers of the transformer that it does not hold are read from the checkpoint each time they are used; 0 keeps all of them in memory.</source>
        <translation>この実行が使ってよいメモリです。保持しないトランスフォーマーの層は、使うたびにチェックポイントから読み込みます。0ではすべての層をメモリに保持します。</translation>
    </message>
    <message>
        <source>GiB</source>
        <translation>GiB</translation>
    </message>
    <message>
        <source>Preset</source>
        <translation>プリセット</translation>
    </message>
    <message>
        <source>Values that belong together and take the place of the defaults; what is written beside wins.</source>
        <translation>組になった値で、既定値の代わりになります。別に書いた値が優先されます。</translation>
    </message>
    <message>
        <source>Every value as it is written.</source>
        <translation>どの値も書かれたとおりにします。</translation>
    </message>
    <message>
        <source>Four steps without guidance, with a step-distilled adapter (LoRA) that is found in the models folder where lora names none.</source>
        <translation>ガイダンスなしの4ステップ。ステップ蒸留アダプター（LoRA）を使い、loraで指定がなければモデルフォルダーから探します。</translation>
    </message>
    <message>
        <source>The same four steps for a checkpoint that is distilled itself, without an adapter.</source>
        <translation>それ自体が蒸留されたチェックポイント用の同じ4ステップ。アダプターは不要です。</translation>
    </message>
    <message>
        <source>TeaCache</source>
        <translation>TeaCache</translation>
    </message>
    <message>
        <source>Leaves the transformer&apos;s blocks out in steps whose time is nearly that of the step before, after a published fit; approximate.</source>
        <translation>時刻が前のステップとほとんど変わらないステップで、公開されている近似式に従ってトランスフォーマーのブロックを省きます。近似です。</translation>
    </message>
    <message>
        <source>TeaCache change</source>
        <translation>TeaCacheの変化量</translation>
    </message>
    <message>
        <source>Change of the prediction that TeaCache may gather before a step is computed in full; 0 takes the model&apos;s own.</source>
        <translation>ステップを完全に計算するまでにTeaCacheが累積してよい予測の変化量です。0ではモデルの値を使います。</translation>
    </message>
    <message>
        <source>TeaCache fit</source>
        <translation>TeaCacheの近似式</translation>
    </message>
    <message>
        <source>Polynomial from the time embedding&apos;s change to the prediction&apos;s, highest power first; empty takes the one published for the model.</source>
        <translation>時刻埋め込みの変化から予測の変化を求める多項式です。高次の項から順に書きます。空の場合はモデル用に公開されているものを使います。</translation>
    </message>
    <message>
        <source>Seconds of every step, a line a run</source>
        <translation>各ステップの秒数（実行ごとに1本の線）</translation>
    </message>
    <message>
        <source>Seconds of load, compile, conditioning, denoising and decoding</source>
        <translation>読み込み、準備、条件付け、ノイズ除去、デコードの秒数</translation>
    </message>
    <message>
        <source>Speed against the number of devices, a line an attention mode</source>
        <translation>デバイス数に対する速度（アテンションモードごとに1本の線）</translation>
    </message>
    <message>
        <source>Time against block_q and block_kv: of runs, or of the table of a tile search</source>
        <translation>block_qとblock_kvに対する時間（実行、またはタイル探索の表）</translation>
    </message>
    <message>
        <source>What each phase held in memory at most, beside its plan</source>
        <translation>各段階の最大メモリ使用量と計画</translation>
    </message>
    <message>
        <source>few blocks with little padding that fit the scratch limit</source>
        <translation>パディングが少なくスクラッチ上限に収まる少数のブロック</translation>
    </message>
    <message>
        <source>every pair of multiples of the step: exhaustive, slow</source>
        <translation>刻みの倍数のすべての組（網羅的で遅い）</translation>
    </message>
    <message>
        <source>For short sequences, and to check the others against.</source>
        <translation>短いシーケンス向け。また、他のモードを確かめる基準として。</translation>
    </message>
    <message>
        <source>Every device needs the memory for the keys and values of the whole sequence, and for all scores of a query at once.</source>
        <translation>各デバイスに、シーケンス全体のキーとバリュー、および1クエリの全スコアを一度に置くメモリが必要です。</translation>
    </message>
    <message>
        <source>queries by token over C; every device gets all keys and values (with attention_sharding_uniform: false it is sharded as ulysses)</source>
        <translation>クエリはトークン単位でCに分割。各デバイスが全キーと全バリューを受け取る（attention_sharding_uniform: falseではulyssesと同じ分割）</translation>
    </message>
    <message>
        <source>On one device, and on a few when every device has the memory for all keys and values.</source>
        <translation>1台のデバイスで。また、各デバイスに全キーと全バリューのメモリがあれば数台でも。</translation>
    </message>
    <message>
        <source>Every device needs the memory for the keys and values of the whole sequence.</source>
        <translation>各デバイスに、シーケンス全体のキーとバリューを置くメモリが必要です。</translation>
    </message>
    <message>
        <source>For projects written for MaxDiffusion that name it.</source>
        <translation>この名前を使う、MaxDiffusion向けに書かれたプロジェクト用。</translation>
    </message>
    <message>
        <source>For projects that name it; tokamax_ring computes the same and also runs on one device.</source>
        <translation>この名前を使うプロジェクト用。tokamax_ringは同じ計算をし、1台のデバイスでも動きます。</translation>
    </message>
    <message>
        <source>Refused on one device, where tokamax_ring runs.</source>
        <translation>1台のデバイスでは使えません（tokamax_ringは動きます）。</translation>
    </message>
    <message>
        <source>queries, keys and values by token over C</source>
        <translation>クエリ、キー、バリューをトークン単位でCに分割</translation>
    </message>
    <message>
        <source>None: it takes any number of devices, heads and tokens.</source>
        <translation>なし。デバイス、ヘッド、トークンの数を問いません。</translation>
    </message>
    <message>
        <source>As tokamax_ring, where the custom kernel is the faster one.</source>
        <translation>tokamax_ringと同じ。専用カーネルのほうが速い場合に。</translation>
    </message>
    <message>
        <source>heads over C; every device gets all tokens</source>
        <translation>ヘッドをCに分割。各デバイスが全トークンを受け取る</translation>
    </message>
    <message>
        <source>As ulysses, where the custom kernel is the faster one.</source>
        <translation>ulyssesと同じ。専用カーネルのほうが速い場合に。</translation>
    </message>
    <message>
        <source>As ulysses_custom, for heads whose scores stay small enough for a fixed bound.</source>
        <translation>ulysses_customと同じ。スコアが固定の上界に十分収まるヘッド向け。</translation>
    </message>
    <message>
        <source>As ulysses_custom_fixed_m, when some queries of a head are too large for its bound.</source>
        <translation>ulysses_custom_fixed_mと同じ。ヘッドの一部のクエリが上界に対して大きすぎる場合向け。</translation>
    </message>
    <message>
        <source>When the devices outnumber the heads, or hosts are linked more slowly than their devices.</source>
        <translation>デバイスがヘッドより多い場合や、ホスト間の接続がホスト内のデバイス間より遅い場合に。</translation>
    </message>
    <message>
        <source>heads over U, queries, keys and values by token over R</source>
        <translation>ヘッドをUに、クエリ、キー、バリューをトークン単位でRに分割</translation>
    </message>
    <message>
        <source>As ulysses_ring, where the custom kernel is the faster one.</source>
        <translation>ulysses_ringと同じ。専用カーネルのほうが速い場合に。</translation>
    </message>
    <message>
        <source>As ulysses_ring_custom, from about 16 ring devices on links that have no way around.</source>
        <translation>ulysses_ring_customと同じ。環状でない接続で、リングが約16台以上の場合に。</translation>
    </message>
    <message>
        <source>As ulysses_ring_custom, for heads whose scores stay small enough for a fixed bound.</source>
        <translation>ulysses_ring_customと同じ。スコアが固定の上界に十分収まるヘッド向け。</translation>
    </message>
    <message>
        <source>As ulysses_ring_custom_fixed_m, when some queries of a head are too large for its bound.</source>
        <translation>ulysses_ring_custom_fixed_mと同じ。ヘッドの一部のクエリが上界に対して大きすぎる場合向け。</translation>
    </message>
    <message>
        <source>Never here.</source>
        <translation>ここでは使えません。</translation>
    </message>
    <message>
        <source>What each device did while one run denoised: computing, exchange, waiting</source>
        <translation>1回の実行のノイズ除去中に各デバイスがしたこと（計算、交換、待機）</translation>
    </message>
    <message>
        <source>self-attention</source>
        <translation>セルフアテンション</translation>
    </message>
    <message>
        <source>cross-attention</source>
        <translation>クロスアテンション</translation>
    </message>
    <message>
        <source>gathered weights</source>
        <translation>集めた重み</translation>
    </message>
    <message>
        <source>sums over the tensor axis</source>
        <translation>テンソル軸での総和</translation>
    </message>
    <message>
        <source>predictions</source>
        <translation>予測</translation>
    </message>
    <message>
        <source>This machine&apos;s caches</source>
        <translation>このマシンのキャッシュ</translation>
    </message>
    <message>
        <source>dot_product computes without blocks: choose flash to use block sizes.</source>
        <translation>dot_productはブロックを使いません。ブロックサイズを使うにはflashを選んでください。</translation>
    </message>
    <message>
        <source>TPU v6e, Wan 14B and 27B</source>
        <translation>TPU v6e、Wan 14Bと27B</translation>
    </message>
    <message>
        <source>MaxDiffusion, comments of base_wan_14b.yml and base_wan_27b.yml</source>
        <translation>MaxDiffusion、base_wan_14b.ymlとbase_wan_27b.ymlのコメント</translation>
    </message>
    <message>
        <source>Found for the flash kernel: choose flash, ulysses, tokamax_ring or ulysses_ring to use these sizes.</source>
        <translation>flashカーネル用のサイズです。使うにはflash、ulysses、tokamax_ring、ulysses_ringのいずれかを選んでください。</translation>
    </message>
    <message>
        <source>TPU v5p, Wan 14B</source>
        <translation>TPU v5p、Wan 14B</translation>
    </message>
    <message>
        <source>MaxDiffusion, comments of base_wan_14b.yml</source>
        <translation>MaxDiffusion、base_wan_14b.ymlのコメント</translation>
    </message>
    <message>
        <source>TPU v6e, Wan Animate</source>
        <translation>TPU v6e、Wan Animate</translation>
    </message>
    <message>
        <source>MaxDiffusion, base_wan_animate.yml</source>
        <translation>MaxDiffusion、base_wan_animate.yml</translation>
    </message>
    <message>
        <source>TPU v7x, Ulysses</source>
        <translation>TPU v7x、Ulysses</translation>
    </message>
    <message>
        <source>MaxDiffusion, comments of base_wan_27b.yml</source>
        <translation>MaxDiffusion、base_wan_27b.ymlのコメント</translation>
    </message>
    <message>
        <source>Found for the custom kernel without a ring: choose ulysses_custom to use these sizes.</source>
        <translation>リングのない専用カーネル用のサイズです。使うにはulysses_customを選んでください。</translation>
    </message>
    <message>
        <source>TPU v7x, Ulysses and a ring of up to 8</source>
        <translation>TPU v7x、Ulyssesと8台までのリング</translation>
    </message>
    <message>
        <source>Found for rings of the custom kernel: choose ulysses_ring_custom or tokamax_ring_custom to use these sizes.</source>
        <translation>専用カーネルのリング用のサイズです。使うにはulysses_ring_customかtokamax_ring_customを選んでください。</translation>
    </message>
    <message>
        <source>TPU v7x, a ring of 16 or more</source>
        <translation>TPU v7x、16台以上のリング</translation>
    </message>
    <message>
        <source>Found for the custom kernels: choose ulysses_custom or ulysses_ring_custom to use these sizes.</source>
        <translation>専用カーネル用のサイズです。使うにはulysses_customかulysses_ring_customを選んでください。</translation>
    </message>
    <message>
        <source>TPU v6e, Ulysses over 4</source>
        <translation>TPU v6e、4台のUlysses</translation>
    </message>
    <message>
        <source>TPU v7x, Ulysses over 2 and a ring of 2</source>
        <translation>TPU v7x、2台のUlyssesと大きさ2のリング</translation>
    </message>
    <message>
        <source>TPU v7x, Wan 2.1 and 2.2 recipes</source>
        <translation>TPU v7x、Wan 2.1と2.2のレシピ</translation>
    </message>
    <message>
        <source>TPU v6e, Wan 2.2 recipe</source>
        <translation>TPU v6e、Wan 2.2のレシピ</translation>
    </message>
    <message>
        <source>MaxDiffusion, pull request 479</source>
        <translation>MaxDiffusion、プルリクエスト479</translation>
    </message>
    <message>
        <source>tpu-recipes, Ironwood</source>
        <translation>tpu-recipes、Ironwood</translation>
    </message>
    <message>
        <source>tpu-recipes, Trillium</source>
        <translation>tpu-recipes、Trillium</translation>
    </message>
    <message>
        <source>TPU v7x, fixed bound</source>
        <translation>TPU v7x、固定の上界</translation>
    </message>
    <message>
        <source>MaxDiffusion, script for the fixed-m kernels</source>
        <translation>MaxDiffusion、fixed-mカーネル用のスクリプト</translation>
    </message>
    <message>
        <source>Found for the kernel with a fixed bound: choose ulysses_custom_fixed_m or ulysses_ring_custom_fixed_m to use these sizes.</source>
        <translation>固定の上界を使うカーネル用のサイズです。使うにはulysses_custom_fixed_mかulysses_ring_custom_fixed_mを選んでください。</translation>
    </message>
    <message>
        <source>Task &amp; model</source>
        <translation>タスクとモデル</translation>
    </message>
    <message>
        <source>Precision &amp; memory</source>
        <translation>精度とメモリ</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>出力</translation>
    </message>
    <message>
        <source>There is no attention mode &apos;{}&apos;</source>
        <translation>アテンションモード「{}」はありません</translation>
    </message>
    <message>
        <source>Modes that run: {}</source>
        <translation>動作するモード: {}</translation>
    </message>
    <message>
        <source>Did you mean {}?</source>
        <translation>{}のことですか？</translation>
    </message>
    <message>
        <source>The attention mode {} does not run here</source>
        <translation>アテンションモード{}はここでは動作しません</translation>
    </message>
    <message>
        <source>{} or {}</source>
        <translation>{}または{}</translation>
    </message>
    <message>
        <source>{} heads</source>
        <translation>{}個のヘッド</translation>
    </message>
    <message>
        <source>{} heads that the tensor axis of {} leaves to a device</source>
        <translation>テンソル軸{1}で1台に割り当てられる{0}個のヘッド</translation>
    </message>
    <message>
        <source>{} heads do not divide between {} tensor devices</source>
        <translation>{}個のヘッドを、テンソル軸の{}台のデバイスに等分できません</translation>
    </message>
    <message>
        <source>Use a tensor axis of {}</source>
        <translation>テンソル軸を{}にしてください</translation>
    </message>
    <message>
        <source>Use ulysses_shards: {}</source>
        <translation>ulysses_shards: {} を使ってください</translation>
    </message>
    <message>
        <source>{} needs ulysses_shards: how many of the {} context devices exchange heads</source>
        <translation>{}にはulysses_shardsが必要です。コンテキスト軸の{}台のデバイスのうち、ヘッドを交換する台数です</translation>
    </message>
    <message>
        <source>ulysses_shards {} does not divide the {} devices of the context axis</source>
        <translation>ulysses_shards {}では、コンテキスト軸の{}台のデバイスを割り切れません</translation>
    </message>
    <message>
        <source>ring is ring attention between devices, and the context axis has one</source>
        <translation>ringはデバイス間のリングアテンションですが、コンテキスト軸のデバイスは1台です</translation>
    </message>
    <message>
        <source>Use tokamax_ring, which also runs on one device, or flash</source>
        <translation>1台のデバイスでも動くtokamax_ringか、flashを使ってください</translation>
    </message>
    <message>
        <source>{} chunks of heads are impossible</source>
        <translation>ヘッドのチャンク数{}は指定できません</translation>
    </message>
    <message>
        <source>Use 1 for one exchange of all heads, more to exchange while computing</source>
        <translation>全ヘッドを1回で交換するには1を、計算しながら交換するには2以上を使ってください</translation>
    </message>
    <message>
        <source>{} works on one head at a time, because each head has a bound of its own, and heads_per_tile is {}</source>
        <translation>{}は、ヘッドごとに固有の上界を持つため一度に1ヘッドを処理しますが、heads_per_tileが{}です</translation>
    </message>
    <message>
        <source>{} works on one head at a time, and heads_per_tile is {}</source>
        <translation>{}は一度に1ヘッドを処理しますが、heads_per_tileが{}です</translation>
    </message>
    <message>
        <source>Use 1, or attention: {}</source>
        <translation>1を使うか、attention: {} にしてください</translation>
    </message>
    <message>
        <source>Use a positive number, or 0 for the default of {}</source>
        <translation>正の数か、既定値{}を使う0を指定してください</translation>
    </message>
    <message>
        <source>A block of {} is impossible</source>
        <translation>ブロックサイズ{}は指定できません</translation>
    </message>
    <message>
        <source>A number of heads of {} is impossible</source>
        <translation>ヘッド数{}は指定できません</translation>
    </message>
    <message>
        <source>A limit of {} bytes is impossible</source>
        <translation>上限{}バイトは指定できません</translation>
    </message>
    <message>
        <source>Use a positive number, or 0 for no limit</source>
        <translation>正の数か、上限なしの0を指定してください</translation>
    </message>
    <message>
        <source>block_kv_compute {} does not divide block_kv {}</source>
        <translation>block_kv_compute {}がblock_kv {}の約数ではありません</translation>
    </message>
    <message>
        <source>The nearest legal value is {}</source>
        <translation>最も近い有効な値は{}です</translation>
    </message>
    <message>
        <source>Tiles of {} queries, {} keys, {} keys at a time and {} heads need {} bytes of scratch per worker with heads of {}, and vmem_limit_bytes is {}</source>
        <translation>クエリ{0}、キー{1}（一度に{2}）、ヘッド{3}のタイルには、ヘッド次元{5}でワーカーごとに{4}バイトのスクラッチが必要ですが、vmem_limit_bytesは{6}です</translation>
    </message>
    <message>
        <source>Use smaller block_q, block_kv or block_kv_compute, a limit of at least {}, or 0 for no limit</source>
        <translation>block_q、block_kv、block_kv_computeを小さくするか、上限を{}以上、または上限なしの0にしてください</translation>
    </message>
    <message>
        <source>the file could not be written ({})</source>
        <translation>ファイルに書き込めませんでした（{}）</translation>
    </message>
    <message>
        <source>Free some space or choose another disk; what was written before is kept</source>
        <translation>空き容量を増やすか、別のディスクを選んでください。それまでに書いた分は残ります</translation>
    </message>
    <message>
        <source>Choose a folder that exists and that you may write to</source>
        <translation>存在し、書き込み権のあるフォルダーを選んでください</translation>
    </message>
    <message>
        <source>this is not a file</source>
        <translation>これはファイルではありません</translation>
    </message>
    <message>
        <source>there is no such file</source>
        <translation>そのようなファイルはありません</translation>
    </message>
    <message>
        <source>Check the path</source>
        <translation>パスを確認してください</translation>
    </message>
    <message>
        <source>the file cannot be read ({})</source>
        <translation>ファイルを読み取れません（{}）</translation>
    </message>
    <message>
        <source>Check its permissions</source>
        <translation>アクセス権を確認してください</translation>
    </message>
    <message>
        <source>No temporary folder can be made</source>
        <translation>一時フォルダーを作れません</translation>
    </message>
    <message>
        <source>Set TMPDIR to a writable folder</source>
        <translation>TMPDIRに書き込めるフォルダーを設定してください</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>キャンセルしました</translation>
    </message>
    <message>
        <source>there is no instruction set &quot;{}&quot;</source>
        <translation>命令セット「{}」はありません</translation>
    </message>
    <message>
        <source>Choose one of {}</source>
        <translation>{}のいずれかを選んでください</translation>
    </message>
    <message>
        <source>This CPU has no {}</source>
        <translation>このCPUには{}がありません</translation>
    </message>
    <message>
        <source>It has {}</source>
        <translation>あるのは{}です</translation>
    </message>
    <message>
        <source>A packed linear layer of {}x{} in &quot;{}&quot; has parts of other sizes</source>
        <translation>形式「{2}」の{0}x{1}のパック済み線形層に、大きさの異なる部分があります</translation>
    </message>
    <message>
        <source>Pack the weights again</source>
        <translation>重みをパックし直してください</translation>
    </message>
    <message>
        <source>The weights are packed as &quot;{}&quot;; here they are packed as &quot;{}&quot;</source>
        <translation>重みは「{}」でパックされていますが、ここでのパック形式は「{}」です</translation>
    </message>
    <message>
        <source>Pack them again</source>
        <translation>パックし直してください</translation>
    </message>
    <message>
        <source>Choose an MP4, WebM, GIF or WebP video or a PNG or JPEG image</source>
        <translation>MP4、WebM、GIF、WebPの動画か、PNG、JPEGの画像を選んでください</translation>
    </message>
    <message>
        <source>The file is damaged or incomplete: copy or write it again</source>
        <translation>ファイルが破損しているか不完全です。コピーし直すか書き出し直してください</translation>
    </message>
    <message>
        <source>this is not a video or image that can be read ({})</source>
        <translation>これは読み取れる動画や画像ではありません（{}）</translation>
    </message>
    <message>
        <source>the video cannot be read ({})</source>
        <translation>動画を読み取れません（{}）</translation>
    </message>
    <message>
        <source>the last {} bytes of the video are missing</source>
        <translation>動画の末尾{}バイトが欠けています</translation>
    </message>
    <message>
        <source>there is no video in this file that can be decoded</source>
        <translation>このファイルにはデコードできる動画がありません</translation>
    </message>
    <message>
        <source>the video&apos;s {} stream cannot be decoded ({})</source>
        <translation>動画の{}ストリームをデコードできません（{}）</translation>
    </message>
    <message>
        <source>frame {} of {} cannot be read ({})</source>
        <translation>フレーム{}/{}を読み取れません（{}）</translation>
    </message>
    <message>
        <source>the picture changes its size at frame {}</source>
        <translation>フレーム{}で画像の大きさが変わっています</translation>
    </message>
    <message>
        <source>Convert the video to one size first</source>
        <translation>先に動画を1つの大きさに変換してください</translation>
    </message>
    <message>
        <source>this system&apos;s libavformat cannot write {}</source>
        <translation>このシステムのlibavformatでは{}を書き出せません</translation>
    </message>
    <message>
        <source>Choose another video format</source>
        <translation>別の動画形式を選んでください</translation>
    </message>
    <message>
        <source>this system&apos;s libavcodec has no encoder {}</source>
        <translation>このシステムのlibavcodecにはエンコーダー{}がありません</translation>
    </message>
    <message>
        <source>the encoder {} refuses {}x{} ({})</source>
        <translation>エンコーダー{}は{}x{}に対応していません（{}）</translation>
    </message>
    <message>
        <source>Choose another size or video format</source>
        <translation>別の大きさか動画形式を選んでください</translation>
    </message>
    <message>
        <source>the folder could not be put into place ({})</source>
        <translation>フォルダーを所定の場所に置けませんでした（{}）</translation>
    </message>
    <message>
        <source>Remove what lies there or choose another name</source>
        <translation>そこにあるものを削除するか、別の名前を選んでください</translation>
    </message>
    <message>
        <source>frames of {}x{} cannot be compared with frames of {}x{}</source>
        <translation>{}x{}のフレームは{}x{}のフレームと比較できません</translation>
    </message>
    <message>
        <source>Compare videos of one size</source>
        <translation>同じ大きさの動画を比較してください</translation>
    </message>
    <message>
        <source>videos of the shapes {} and {} cannot be compared</source>
        <translation>形状{}の動画と{}の動画は比較できません</translation>
    </message>
    <message>
        <source>Compare videos of one size and length</source>
        <translation>大きさと長さが同じ動画を比較してください</translation>
    </message>
    <message>
        <source>{} frames a second cannot be written</source>
        <translation>毎秒{}フレームでは書き出せません</translation>
    </message>
    <message>
        <source>Choose a rate from {} to {}</source>
        <translation>{}～{}のフレームレートを選んでください</translation>
    </message>
    <message>
        <source>this system&apos;s libavcodec cannot write PNG</source>
        <translation>このシステムのlibavcodecではPNGを書き出せません</translation>
    </message>
    <message>
        <source>Install the full libavcodec</source>
        <translation>完全版のlibavcodecをインストールしてください</translation>
    </message>
    <message>
        <source>an image of {}x{} cannot be written as PNG ({})</source>
        <translation>{}x{}の画像をPNGとして書き出せません（{}）</translation>
    </message>
    <message>
        <source>this is a folder, not an image</source>
        <translation>これは画像ではなくフォルダーです</translation>
    </message>
    <message>
        <source>Choose a PNG, JPEG, BMP, TIFF or WebP image</source>
        <translation>PNG、JPEG、BMP、TIFF、WebPの画像を選んでください</translation>
    </message>
    <message>
        <source>there is no picture in this file</source>
        <translation>このファイルには画像がありません</translation>
    </message>
    <message>
        <source>It is not an object</source>
        <translation>オブジェクトではありません</translation>
    </message>
    <message>
        <source>The value is neither true nor false</source>
        <translation>値がtrueでもfalseでもありません</translation>
    </message>
    <message>
        <source>The value is not a number above 0</source>
        <translation>値が0より大きい数ではありません</translation>
    </message>
    <message>
        <source>The value {} is not a number of pixels from 1 to {}</source>
        <translation>値{}が1～{}のピクセル数ではありません</translation>
    </message>
    <message>
        <source>The value is not a list of three numbers</source>
        <translation>値が3つの数のリストではありません</translation>
    </message>
    <message>
        <source>Use the preprocessor_config.json that came with the image encoder</source>
        <translation>画像エンコーダーに付属するpreprocessor_config.jsonを使ってください</translation>
    </message>
    <message>
        <source>The filter {} is not supported, only {} (Lanczos), {} (bilinear) and {} (bicubic)</source>
        <translation>フィルター{}には対応していません。使えるのは{}（Lanczos）、{}（バイリニア）、{}（バイキュービック）だけです</translation>
    </message>
    <message>
        <source>A standard deviation is not positive</source>
        <translation>標準偏差に正でないものがあります</translation>
    </message>
    <message>
        <source>an image of {}x{} pixels cannot be resized to {}x{}</source>
        <translation>{}x{}ピクセルの画像は{}x{}に拡大・縮小できません</translation>
    </message>
    <message>
        <source>Choose a smaller image, or a size from 1x1 on</source>
        <translation>もっと小さい画像か、1x1以上の大きさを選んでください</translation>
    </message>
    <message>
        <source>there is not enough memory for the metadata</source>
        <translation>メタデータのためのメモリが足りません</translation>
    </message>
    <message>
        <source>the video could not be written ({})</source>
        <translation>動画を書き出せませんでした（{}）</translation>
    </message>
    <message>
        <source>a frame could not be allocated ({})</source>
        <translation>フレームのメモリを確保できませんでした（{}）</translation>
    </message>
    <message>
        <source>Close other programs or choose a smaller size</source>
        <translation>他のプログラムを閉じるか、もっと小さい大きさを選んでください</translation>
    </message>
    <message>
        <source>there is not enough memory for the video</source>
        <translation>動画のためのメモリが足りません</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>不明</translation>
    </message>
    <message>
        <source>pixels of the format {} cannot be converted to RGB</source>
        <translation>形式{}のピクセルはRGBに変換できません</translation>
    </message>
    <message>
        <source>Convert the file to MP4 or PNG first</source>
        <translation>先にファイルをMP4かPNGに変換してください</translation>
    </message>
    <message>
        <source>an image cannot be resized to {}x{}</source>
        <translation>画像を{}x{}に拡大・縮小できません</translation>
    </message>
    <message>
        <source>Choose a size from 1x1 on</source>
        <translation>1x1以上の大きさを選んでください</translation>
    </message>
    <message>
        <source>this folder holds no frames named {} and on</source>
        <translation>このフォルダーには{}から始まる名前のフレームがありません</translation>
    </message>
    <message>
        <source>this frame has another size than the first one</source>
        <translation>このフレームは最初のフレームと大きさが異なります</translation>
    </message>
    <message>
        <source>Write the frames again</source>
        <translation>フレームを書き出し直してください</translation>
    </message>
    <message>
        <source>Choose another file</source>
        <translation>別のファイルを選んでください</translation>
    </message>
    <message>
        <source>Choose a video or image file</source>
        <translation>動画または画像のファイルを選んでください</translation>
    </message>
    <message>
        <source>no project is stored in this file, and there is no {} beside it</source>
        <translation>このファイルにはプロジェクトが保存されておらず、同じ場所に{}もありません</translation>
    </message>
    <message>
        <source>Choose a video that Meshreel wrote</source>
        <translation>Meshreelが書き出した動画を選んでください</translation>
    </message>
    <message>
        <source>this system&apos;s libavcodec cannot write {}: it has no {} encoder</source>
        <translation>このシステムのlibavcodecでは{}を書き出せません。{}エンコーダーがありません</translation>
    </message>
    <message>
        <source>Choose another video format, such as png or gif</source>
        <translation>pngやgifなど、別の動画形式を選んでください</translation>
    </message>
    <message>
        <source>there is no frame to write</source>
        <translation>書き出すフレームがありません</translation>
    </message>
    <message>
        <source>Ask for at least one frame</source>
        <translation>フレーム数を1以上にしてください</translation>
    </message>
    <message>
        <source>the video quality {} is out of range</source>
        <translation>動画の品質{}は範囲外です</translation>
    </message>
    <message>
        <source>Choose {} to {}</source>
        <translation>{}～{}を選んでください</translation>
    </message>
    <message>
        <source>GIF cannot show {} frames a second</source>
        <translation>GIFでは毎秒{}フレームを表示できません</translation>
    </message>
    <message>
        <source>Choose at most {} or another video format</source>
        <translation>{}以下にするか、別の動画形式を選んでください</translation>
    </message>
    <message>
        <source>{} needs an even width and height, not {}x{}</source>
        <translation>{}には偶数の幅と高さが必要で、{}x{}は使えません</translation>
    </message>
    <message>
        <source>Choose sizes divisible by 16, or GIF, WebP or PNG</source>
        <translation>16の倍数の大きさか、GIF、WebP、PNGを選んでください</translation>
    </message>
    <message>
        <source>its header gives an impossible size</source>
        <translation>ヘッダーにある大きさがあり得ない値です</translation>
    </message>
    <message>
        <source>it is shorter than its header says</source>
        <translation>ヘッダーの記載より短くなっています</translation>
    </message>
    <message>
        <source>it holds no frame</source>
        <translation>フレームがありません</translation>
    </message>
    <message>
        <source>the WebP cannot be read: {}</source>
        <translation>WebPを読み取れません: {}</translation>
    </message>
    <message>
        <source>rank {} on {}</source>
        <translation>{1}のランク{0}</translation>
    </message>
    <message>
        <source>{} failed: {}</source>
        <translation>{}が失敗しました: {}</translation>
    </message>
    <message>
        <source>{} is a second axis of -1</source>
        <translation>{}は2つ目の-1の軸です</translation>
    </message>
    <message>
        <source>Only one axis can take the devices that are left; write 1 here</source>
        <translation>残りのデバイスを受け取れる軸は1つだけです。ここには1と書いてください</translation>
    </message>
    <message>
        <source>The axes of the mesh ask for more than {} devices</source>
        <translation>メッシュの軸が求めるデバイスは{}台を超えています</translation>
    </message>
    <message>
        <source>Make an axis smaller</source>
        <translation>いずれかの軸を小さくしてください</translation>
    </message>
    <message>
        <source>The nearest legal values are {} and {}</source>
        <translation>最も近い有効な値は{}と{}です</translation>
    </message>
    <message>
        <source>devices is {}, which is not a multiple of the {} that the axes ask for</source>
        <translation>devicesが{}で、各軸が求める{}の倍数ではありません</translation>
    </message>
    <message>
        <source>devices is {}, and the axes of the mesh multiply to {}</source>
        <translation>devicesは{}ですが、メッシュの各軸の積は{}です</translation>
    </message>
    <message>
        <source>Write {}, or -1 on the axis that shall take what is left</source>
        <translation>{}と書くか、残りを受け取る軸に-1と書いてください</translation>
    </message>
    <message>
        <source>{} processes cannot share {} devices evenly</source>
        <translation>{}個のプロセスで{}台のデバイスを均等に分担できません</translation>
    </message>
    <message>
        <source>Start {} or {}, or ask for {} devices</source>
        <translation>{}個または{}個のプロセスを起動するか、デバイスを{}台にしてください</translation>
    </message>
    <message>
        <source>Start {}, or ask for {} devices</source>
        <translation>{}個のプロセスを起動するか、デバイスを{}台にしてください</translation>
    </message>
    <message>
        <source>device {} waited {:g} s for what device {} should send</source>
        <translation>デバイス{0}は、デバイス{2}から送られるはずのデータを{1}秒待ちました</translation>
    </message>
    <message>
        <source>device {} waited {:g} s for device {} to take what it was sent</source>
        <translation>デバイス{0}は、デバイス{2}が送信済みのデータを受け取るのを{1}秒待ちました</translation>
    </message>
    <message>
        <source>Look why the other device hangs, or set stall_timeout higher when it is only slow</source>
        <translation>相手のデバイスが止まっている理由を調べるか、遅いだけならstall_timeoutを大きくしてください</translation>
    </message>
    <message>
        <source>MPI failed: {}</source>
        <translation>MPIが失敗しました: {}</translation>
    </message>
    <message>
        <source>Check the network between the hosts</source>
        <translation>ホスト間のネットワークを確認してください</translation>
    </message>
    <message>
        <source>this MPI library does not support threads</source>
        <translation>このMPIライブラリはスレッドに対応していません</translation>
    </message>
    <message>
        <source>Install Open MPI 4.1 as Debian packages it</source>
        <translation>Debianのパッケージと同じOpen MPI 4.1をインストールしてください</translation>
    </message>
    <message>
        <source>Install the same build of Meshreel on every host</source>
        <translation>すべてのホストに同じビルドのMeshreelをインストールしてください</translation>
    </message>
    <message>
        <source>Use hosts of one kind</source>
        <translation>同じ種類のホストを使ってください</translation>
    </message>
    <message>
        <source>the byte order</source>
        <translation>バイト順</translation>
    </message>
    <message>
        <source>the pointer size</source>
        <translation>ポインターのサイズ</translation>
    </message>
    <message>
        <source>{} bits</source>
        <translation>{}ビット</translation>
    </message>
    <message>
        <source>the version</source>
        <translation>バージョン</translation>
    </message>
    <message>
        <source>the protocol</source>
        <translation>プロトコル</translation>
    </message>
    <message>
        <source>the build</source>
        <translation>ビルド</translation>
    </message>
    <message>
        <source>rank {} on host {} and rank 0 on host {} differ in {}: {} and {}</source>
        <translation>ホスト{1}のランク{0}とホスト{2}のランク0では{3}が異なります: {4}と{5}</translation>
    </message>
    <message>
        <source>{} devices cannot be shared out evenly to {} MPI ranks</source>
        <translation>{}台のデバイスを{}個のMPIランクに均等に分けられません</translation>
    </message>
    <message>
        <source>Start as many ranks as divide the number of devices, or change the mesh</source>
        <translation>デバイス数の約数になる数のランクを起動するか、メッシュを変更してください</translation>
    </message>
    <message>
        <source>Make the hosts alike</source>
        <translation>ホストの環境を揃えてください</translation>
    </message>
    <message>
        <source>{}, {}</source>
        <translation>{}、{}</translation>
    </message>
    <message>
        <source>nothing moved between device {} and {} for {} s</source>
        <translation>デバイス{}と{}の間で、{}秒間データが動きませんでした</translation>
    </message>
    <message>
        <source>Look at those hosts; raise stall_timeout if they are only slow</source>
        <translation>それらのホストを調べてください。遅いだけならstall_timeoutを大きくしてください</translation>
    </message>
    <message>
        <source>Use the config.json that came with the weights</source>
        <translation>重みに付属するconfig.jsonを使ってください</translation>
    </message>
    <message>
        <source>How many features images of {} pixels a side have, {} has to say</source>
        <translation>1辺{}ピクセルの画像の特徴数は、{}で指定する必要があります</translation>
    </message>
    <message>
        <source>Faces of {}x{} pixels are not halved down to 4x4</source>
        <translation>{}x{}ピクセルの顔は、半分にしていっても4x4になりません</translation>
    </message>
    <message>
        <source>{} directions of motion do not fit into {} features</source>
        <translation>動きの方向{}個は特徴{}個に収まりません</translation>
    </message>
    <message>
        <source>{} blocks cannot be shared out in groups of {}, each with a face adapter</source>
        <translation>{}個のブロックを、それぞれに顔アダプターが付く{}個ずつの組に分けられません</translation>
    </message>
    <message>
        <source>The value {} is not a whole number from 1 to {}</source>
        <translation>値{}が1～{}の整数ではありません</translation>
    </message>
    <message>
        <source>The key is missing</source>
        <translation>キーがありません</translation>
    </message>
    <message>
        <source>The value is not a list of {} numbers</source>
        <translation>値が{}個の数のリストではありません</translation>
    </message>
    <message>
        <source>The value {} is not a positive number</source>
        <translation>値{}が正の数ではありません</translation>
    </message>
    <message>
        <source>The value {} is neither true nor false</source>
        <translation>値{}がtrueでもfalseでもありません</translation>
    </message>
    <message>
        <source>The value {} is not a text</source>
        <translation>値{}がテキストではありません</translation>
    </message>
    <message>
        <source>There are {}</source>
        <translation>あるのは{}です</translation>
    </message>
    <message>
        <source>There is no architecture &apos;{}&apos;</source>
        <translation>アーキテクチャ「{}」はありません</translation>
    </message>
    <message>
        <source>Did you mean {}? {}</source>
        <translation>{}のことですか？ {}</translation>
    </message>
    <message>
        <source>{} has no layers to leave out</source>
        <translation>{}には省ける層がありません</translation>
    </message>
    <message>
        <source>Leave the option out: its levels need each other</source>
        <translation>このオプションは外してください。各レベルは互いに必要です</translation>
    </message>
    <message>
        <source>{} has {} layers, not {}</source>
        <translation>{}の層は{}で、{}ではありません</translation>
    </message>
    <message>
        <source>Choose 1 to {}</source>
        <translation>1～{}を選んでください</translation>
    </message>
    <message>
        <source>{} has shape {}</source>
        <translation>{}の形状が{}です</translation>
    </message>
    <message>
        <source>The file is of another model</source>
        <translation>ファイルは別のモデルのものです</translation>
    </message>
    <message>
        <source>Put the model&apos;s config.json beside the weights, in a folder of their own</source>
        <translation>モデルのconfig.jsonを重みと一緒に専用のフォルダーに置いてください</translation>
    </message>
    <message>
        <source>its width {} is no multiple of {}, the channels of a head in Wan models: how many heads it has cannot be told from its tensors</source>
        <translation>幅{}が、Wanモデルのヘッドのチャンネル数{}の倍数ではないため、テンソルからヘッド数が分かりません</translation>
    </message>
    <message>
        <source>it has {} latent channels, and the statistics of such latents are known for {} (Wan 2.1) and {} (Wan 2.2) only</source>
        <translation>潜在チャンネルが{}個ですが、潜在変数の統計が分かっているのは{}個（Wan 2.1）と{}個（Wan 2.2）だけです</translation>
    </message>
    <message>
        <source>The image encoder takes images [batch, 3, {}, {}], not {}</source>
        <translation>画像エンコーダーが受け取る画像は[バッチ, 3, {}, {}]で、{}ではありません</translation>
    </message>
    <message>
        <source>Use the image processor that belongs to the image encoder</source>
        <translation>画像エンコーダーに対応する画像プロセッサーを使ってください</translation>
    </message>
    <message>
        <source>Use the image encoder that belongs to the Wan checkpoint</source>
        <translation>Wanのチェックポイントに対応する画像エンコーダーを使ってください</translation>
    </message>
    <message>
        <source>The activation {} is not supported</source>
        <translation>活性化関数{}には対応していません</translation>
    </message>
    <message>
        <source>Only encoders of RGB images are supported</source>
        <translation>RGB画像のエンコーダーにのみ対応しています</translation>
    </message>
    <message>
        <source>{} channels cannot be shared out to {} heads</source>
        <translation>{}チャンネルを{}個のヘッドに分けられません</translation>
    </message>
    <message>
        <source>a part of a packed weight has the unknown type {}</source>
        <translation>パック済みの重みの一部が未知の型{}です</translation>
    </message>
    <message>
        <source>the weight is packed in another format</source>
        <translation>重みが別の形式でパックされています</translation>
    </message>
    <message>
        <source>a part of a packed weight has another size than its shape</source>
        <translation>パック済みの重みの一部の大きさが形状と一致しません</translation>
    </message>
    <message>
        <source>Token {} lies outside the text encoder&apos;s vocabulary of {}</source>
        <translation>トークン{}がテキストエンコーダーの語彙{}の範囲外です</translation>
    </message>
    <message>
        <source>Use the tokenizer and text encoder of one checkpoint</source>
        <translation>同じチェックポイントのトークナイザーとテキストエンコーダーを使ってください</translation>
    </message>
    <message>
        <source>Only the gated-gelu feed-forward of UMT5 is supported</source>
        <translation>UMT5のgated-geluフィードフォワードにのみ対応しています</translation>
    </message>
    <message>
        <source>Use the text encoder that belongs to the Wan checkpoint</source>
        <translation>Wanのチェックポイントに対応するテキストエンコーダーを使ってください</translation>
    </message>
    <message>
        <source>{} buckets up to a distance of {} leave no room for the logarithmic ones</source>
        <translation>距離{1}までのバケット{0}個では、対数バケットの入る余地がありません</translation>
    </message>
    <message>
        <source>The transformer needs latents [batch, {}, frames, rows, columns], got {}</source>
        <translation>トランスフォーマーには[バッチ, {}, フレーム, 行, 列]の潜在変数が必要ですが、渡されたのは{}です</translation>
    </message>
    <message>
        <source>Use the VAE that belongs to the transformer</source>
        <translation>トランスフォーマーに対応するVAEを使ってください</translation>
    </message>
    <message>
        <source>Latents of shape {} cannot be cut into patches of {} x {} x {}</source>
        <translation>形状{}の潜在変数は{} x {} x {}のパッチに分割できません</translation>
    </message>
    <message>
        <source>Choose width and height divisible by 16</source>
        <translation>16の倍数の幅と高さを選んでください</translation>
    </message>
    <message>
        <source>Latents of shape {} have {} patches along one axis, the model knows {}</source>
        <translation>形状{}の潜在変数は1つの軸に沿って{}パッチになりますが、モデルが扱えるのは{}までです</translation>
    </message>
    <message>
        <source>Make a smaller or shorter video</source>
        <translation>動画を小さく、または短くしてください</translation>
    </message>
    <message>
        <source>{} videos of this transformer need image embeddings [{}, {}, {}], got {}</source>
        <translation>このトランスフォーマーでは{}本の動画に[{}, {}, {}]の画像埋め込みが必要ですが、渡されたのは{}です</translation>
    </message>
    <message>
        <source>Use the image encoder that belongs to the transformer</source>
        <translation>トランスフォーマーに対応する画像エンコーダーを使ってください</translation>
    </message>
    <message>
        <source>{} tensor shards cannot share out {} heads and {} feed-forward features evenly</source>
        <translation>{}個のテンソルシャードで、{}個のヘッドと{}個のフィードフォワードの特徴を均等に分担できません</translation>
    </message>
    <message>
        <source>Choose a product of ici_tensor_parallelism and dcn_tensor_parallelism among {}</source>
        <translation>ici_tensor_parallelismとdcn_tensor_parallelismの積を次から選んでください: {}</translation>
    </message>
    <message>
        <source>This transformer has no use for {}</source>
        <translation>このトランスフォーマーは{}を使いません</translation>
    </message>
    <message>
        <source>This transformer needs {}</source>
        <translation>このトランスフォーマーには{}が必要です</translation>
    </message>
    <message>
        <source>Choose the task that the model was made for</source>
        <translation>モデルが対象とするタスクを選んでください</translation>
    </message>
    <message>
        <source>{} videos of this transformer need face videos [{}, {}, frames, {}, {}], got {}</source>
        <translation>このトランスフォーマーでは{}本の動画に[{}, {}, フレーム, {}, {}]の顔動画が必要ですが、渡されたのは{}です</translation>
    </message>
    <message>
        <source>Scale the faces to {}x{} pixels</source>
        <translation>顔を{}x{}ピクセルに拡大・縮小してください</translation>
    </message>
    <message>
        <source>a control video</source>
        <translation>制御動画</translation>
    </message>
    <message>
        <source>Latents of shape {} need a control of {} channels and no other size, got {}</source>
        <translation>形状{}の潜在変数には、同じ大きさで{}チャンネルの制御が必要ですが、渡されたのは{}です</translation>
    </message>
    <message>
        <source>Encode the control video at the size of the video</source>
        <translation>制御動画を動画と同じ大きさでエンコードしてください</translation>
    </message>
    <message>
        <source>{} control scales were given for {} VACE blocks</source>
        <translation>{1}個のVACEブロックに対して、制御の強さが{0}個指定されています</translation>
    </message>
    <message>
        <source>Give one scale for each block, or one for all</source>
        <translation>ブロックごとに1つ、または全体で1つの強さを指定してください</translation>
    </message>
    <message>
        <source>a pose video</source>
        <translation>ポーズ動画</translation>
    </message>
    <message>
        <source>Latents of shape {} need a pose of {} channels and {} frames, got {}</source>
        <translation>形状{}の潜在変数には、{}チャンネル、{}フレームのポーズが必要ですが、渡されたのは{}です</translation>
    </message>
    <message>
        <source>Encode the pose video at the size of the video</source>
        <translation>ポーズ動画を動画と同じ大きさでエンコードしてください</translation>
    </message>
    <message>
        <source>The transformer needs text embeddings [batch, tokens, {}], got {}</source>
        <translation>トランスフォーマーには[バッチ, トークン, {}]のテキスト埋め込みが必要ですが、渡されたのは{}です</translation>
    </message>
    <message>
        <source>Use the text encoder that belongs to the transformer</source>
        <translation>トランスフォーマーに対応するテキストエンコーダーを使ってください</translation>
    </message>
    <message>
        <source>the embedding of an image</source>
        <translation>画像の埋め込み</translation>
    </message>
    <message>
        <source>a face video</source>
        <translation>顔動画</translation>
    </message>
    <message>
        <source>Latents of {} videos with {} tokens each got timesteps of shape {}</source>
        <translation>それぞれ{1}トークンの動画{0}本の潜在変数に、形状{2}のタイムステップが渡されました</translation>
    </message>
    <message>
        <source>Give one timestep for each video or for each of its tokens</source>
        <translation>動画ごとに1つ、またはトークンごとに1つのタイムステップを指定してください</translation>
    </message>
    <message>
        <source>The {} tokens of a video cannot be shared out to {} frames of a face</source>
        <translation>動画の{}トークンを顔の{}フレームに割り振れません</translation>
    </message>
    <message>
        <source>Give 4 (F - 2) + 1 face images for F latent frames</source>
        <translation>潜在フレームF個に対して4 (F - 2) + 1枚の顔画像を指定してください</translation>
    </message>
    <message>
        <source>The norm &apos;{}&apos; of queries and keys is not supported</source>
        <translation>クエリとキーのノルム「{}」には対応していません</translation>
    </message>
    <message>
        <source>Supported are {} and null</source>
        <translation>対応しているのは{}とnullです</translation>
    </message>
    <message>
        <source>A model of images has both image_dim and added_kv_proj_dim</source>
        <translation>画像を扱うモデルにはimage_dimとadded_kv_proj_dimの両方が必要です</translation>
    </message>
    <message>
        <source>Keys of {} features do not fit a model of {} x {}</source>
        <translation>特徴{}個のキーは{} x {}のモデルに合いません</translation>
    </message>
    <message>
        <source>Positions are those of two images of equal length</source>
        <translation>位置は、長さの等しい2枚の画像のものでなければなりません</translation>
    </message>
    <message>
        <source>The value is not a list of blocks</source>
        <translation>値がブロックのリストではありません</translation>
    </message>
    <message>
        <source>VACE layers ascend from 0 and stay below the {} of the model</source>
        <translation>VACEの層は0から昇順で、モデルの層数{}より小さくなければなりません</translation>
    </message>
    <message>
        <source>{} channels are not those of noise, mask and condition of {}</source>
        <translation>{}チャンネルは、{}チャンネルのノイズ、マスク、条件の合計と一致しません</translation>
    </message>
    <message>
        <source>The head dimension {} is odd, which rotary embedding cannot pair</source>
        <translation>ヘッド次元{}が奇数のため、回転位置埋め込みで対にできません</translation>
    </message>
    <message>
        <source>A VAE of {} video channels has no colour preview</source>
        <translation>{}チャンネルの動画を扱うVAEにはカラープレビューがありません</translation>
    </message>
    <message>
        <source>Use a VAE of RGB videos</source>
        <translation>RGB動画のVAEを使ってください</translation>
    </message>
    <message>
        <source>The shape {} is not [batch, {} channels, frames, height, width]</source>
        <translation>形状{}が[バッチ, {}チャンネル, フレーム, 高さ, 幅]ではありません</translation>
    </message>
    <message>
        <source>Use a VAE and a transformer of the same model</source>
        <translation>同じモデルのVAEとトランスフォーマーを使ってください</translation>
    </message>
    <message>
        <source>Frames of {}x{} pixels are too small to encode</source>
        <translation>{}x{}ピクセルのフレームは小さすぎてエンコードできません</translation>
    </message>
    <message>
        <source>Use at least {}x{} pixels</source>
        <translation>{}x{}ピクセル以上にしてください</translation>
    </message>
    <message>
        <source>This VAE cannot encode frames of {}x{} pixels</source>
        <translation>このVAEは{}x{}ピクセルのフレームをエンコードできません</translation>
    </message>
    <message>
        <source>Use a width and a height that are multiples of {}</source>
        <translation>幅と高さを{}の倍数にしてください</translation>
    </message>
    <message>
        <source>A VAE that shortens time by {} cannot encode a video {} frames at a time</source>
        <translation>時間を1/{}に縮めるVAEは、動画を{}フレームずつエンコードできません</translation>
    </message>
    <message>
        <source>Encode single images, or use a VAE that shortens time by 4</source>
        <translation>1枚の画像をエンコードするか、時間を1/4に縮めるVAEを使ってください</translation>
    </message>
    <message>
        <source>Use the Wan 2.1 VAE, which all 14B and 1.3B models share, or the Wan 2.2 VAE of TI2V-5B</source>
        <translation>14Bと1.3Bの全モデルに共通するWan 2.1のVAEか、TI2V-5BのWan 2.2のVAEを使ってください</translation>
    </message>
    <message>
        <source>A VAE of class {} is not supported, only {}</source>
        <translation>クラス{}のVAEには対応していません。対応しているのは{}だけです</translation>
    </message>
    <message>
        <source>Attention between the residual blocks is not supported</source>
        <translation>残差ブロック間のアテンションには対応していません</translation>
    </message>
    <message>
        <source>{} channels are not those of {}x{} pixels (patch_size)</source>
        <translation>{}チャンネルは{}x{}ピクセル（patch_size）と一致しません</translation>
    </message>
    <message>
        <source>No shortcut (is_residual) leads from a level of width {} to one of {}</source>
        <translation>幅{}のレベルから幅{}のレベルへのショートカット（is_residual）はありません</translation>
    </message>
    <message>
        <source>{} levels; 1 to {} are possible</source>
        <translation>レベルが{}個です。可能なのは1～{}個です</translation>
    </message>
    <message>
        <source>{} values for {} levels in dim_mult; there must be one fewer than levels</source>
        <translation>値が{}個で、dim_multのレベルは{}個です。値はレベルより1つ少なくなければなりません</translation>
    </message>
    <message>
        <source>The value {} is not a number</source>
        <translation>値{}が数ではありません</translation>
    </message>
    <message>
        <source>{} values for {} latent channels (z_dim)</source>
        <translation>値が{}個で、潜在チャンネル（z_dim）は{}個です</translation>
    </message>
    <message>
        <source>The value is not a list</source>
        <translation>値がリストではありません</translation>
    </message>
    <message>
        <source>{} devices cannot be shared out to {} strips of the VAE: the total number of devices must be a multiple of vae_spatial</source>
        <translation>{}台のデバイスをVAEの幅の分割数{}に割り振れません。デバイスの総数はvae_spatialの倍数でなければなりません</translation>
    </message>
    <message>
        <source>Use -1 for all devices, or a divisor of {}</source>
        <translation>全デバイスを使う-1か、{}の約数を使ってください</translation>
    </message>
    <message>
        <source>VAE tiles of {} pixels in {} at a distance of {} cannot be laid</source>
        <translation>{1}が{0}ピクセルのVAEタイルは、間隔{2}では並べられません</translation>
    </message>
    <message>
        <source>Choose a distance that is a multiple of {} and not above the tile&apos;s {}</source>
        <translation>{}の倍数で、タイルの{}以下の間隔を選んでください</translation>
    </message>
    <message>
        <source>VAE tiles at a distance of {} leave {} of {} pixels at the border</source>
        <translation>間隔{0}のVAEタイルでは、{2}ピクセルのうち{1}ピクセルが端に残ります</translation>
    </message>
    <message>
        <source>Use frames whose sides are multiples of {}</source>
        <translation>各辺が{}の倍数のフレームを使ってください</translation>
    </message>
    <message>
        <source>This VAE cannot encode VAE tiles of {} pixels in {}</source>
        <translation>このVAEは{1}が{0}ピクセルのVAEタイルをエンコードできません</translation>
    </message>
    <message>
        <source>Choose a multiple of {}</source>
        <translation>{}の倍数を選んでください</translation>
    </message>
    <message>
        <source>height</source>
        <translation>高さ</translation>
    </message>
    <message>
        <source>width</source>
        <translation>幅</translation>
    </message>
    <message>
        <source>the checkpoint of the run ({} after {} steps) does not belong to its project ({}, {} steps)</source>
        <translation>実行のチェックポイント（{}、{}ステップ後）は、そのプロジェクト（{}、{}ステップ）のものではありません</translation>
    </message>
    <message>
        <source>Start the run again</source>
        <translation>実行を最初からやり直してください</translation>
    </message>
    <message>
        <source>there is no noise named &quot;{}&quot;</source>
        <translation>「{}」というノイズはありません</translation>
    </message>
    <message>
        <source>Use counter or torch_cpu</source>
        <translation>counterかtorch_cpuを使ってください</translation>
    </message>
    <message>
        <source>the checkpoint of the run lacks the scheduler&apos;s &quot;{}&quot;</source>
        <translation>実行のチェックポイントにスケジューラーの「{}」がありません</translation>
    </message>
    <message>
        <source>{} has {} frames, and num_frames is {}</source>
        <translation>{}は{}フレームですが、num_framesは{}です</translation>
    </message>
    <message>
        <source>Use a longer one, or num_frames of at most {}</source>
        <translation>もっと長いものを使うか、num_framesを{}以下にしてください</translation>
    </message>
    <message>
        <source>a reference image of {} x {} pixels is smaller than {} x {}</source>
        <translation>参照画像（{} x {}ピクセル）が{} x {}より小さくなっています</translation>
    </message>
    <message>
        <source>Use a larger image</source>
        <translation>もっと大きい画像を使ってください</translation>
    </message>
    <message>
        <source>weights_dtype int8 with activations_dtype bfloat16</source>
        <translation>weights_dtype int8とactivations_dtype bfloat16</translation>
    </message>
    <message>
        <source>memory_budget {:g} (layers are read from the checkpoint when they are used)</source>
        <translation>memory_budget {:g}（層を使うときにチェックポイントから読み込みます）</translation>
    </message>
    <message>
        <source>width {} and height {}</source>
        <translation>width {}とheight {}</translation>
    </message>
    <message>
        <source>ici_fsdp_parallelism {} with ici_context_parallelism and dcn_context_parallelism 1</source>
        <translation>ici_fsdp_parallelism {}（ici_context_parallelismとdcn_context_parallelismは1）</translation>
    </message>
    <message>
        <source>decoding</source>
        <translation>デコード</translation>
    </message>
    <message>
        <source>denoising</source>
        <translation>ノイズ除去</translation>
    </message>
    <message>
        <source>encoding the prompt</source>
        <translation>プロンプトのエンコード</translation>
    </message>
    <message>
        <source>loading</source>
        <translation>読み込み</translation>
    </message>
    <message>
        <source>the run needs about {} of memory for {}, and {} are available</source>
        <translation>この実行には{1}に約{0}のメモリが必要ですが、使えるのは{2}です</translation>
    </message>
    <message>
        <source>the run needs about {} of memory for {} with no layer kept in memory, and memory_budget allows {}</source>
        <translation>この実行には、層をまったくメモリに保持しなくても{1}に約{0}のメモリが必要ですが、memory_budgetで使えるのは{2}です</translation>
    </message>
    <message>
        <source>No smaller video fits either: use a smaller model, or close other programs</source>
        <translation>もっと小さい動画でも収まりません。もっと小さいモデルを使うか、他のプログラムを閉じてください</translation>
    </message>
    <message>
        <source>{}, or {}</source>
        <translation>{}、または{}</translation>
    </message>
    <message>
        <source>This fits: {}; or close other programs</source>
        <translation>次の設定なら収まります: {}。または他のプログラムを閉じてください</translation>
    </message>
    <message>
        <source>there is no such adapter</source>
        <translation>そのようなアダプターはありません</translation>
    </message>
    <message>
        <source>Check the path in lora, or put the file into {}</source>
        <translation>loraのパスを確認するか、ファイルを{}に入れてください</translation>
    </message>
    <message>
        <source>an adapter is meant for the {} expert, and the model has one transformer</source>
        <translation>{}エキスパート用のアダプターがありますが、モデルのトランスフォーマーは1つです</translation>
    </message>
    <message>
        <source>Remove &quot;expert&quot;, or use a model of two experts (Wan 2.2 A14B)</source>
        <translation>&quot;expert&quot;を削除するか、2つのエキスパートを持つモデル（Wan 2.2 A14B）を使ってください</translation>
    </message>
    <message>
        <source>the model&apos;s files cannot be put together ({})</source>
        <translation>モデルのファイルをまとめられません（{}）</translation>
    </message>
    <message>
        <source>Check that the cache folder can be written to</source>
        <translation>キャッシュフォルダーに書き込めるか確認してください</translation>
    </message>
    <message>
        <source>preset {} needs a high-noise step-distilled adapter (LoRA) for {}, and there is none</source>
        <translation>プリセット{}には{}用の高ノイズ側ステップ蒸留アダプター（LoRA）が必要ですが、ありません</translation>
    </message>
    <message>
        <source>preset {} needs a low-noise step-distilled adapter (LoRA) for {}, and there is none</source>
        <translation>プリセット{}には{}用の低ノイズ側ステップ蒸留アダプター（LoRA）が必要ですが、ありません</translation>
    </message>
    <message>
        <source>preset {} needs a step-distilled adapter (LoRA) for {}, and there is none</source>
        <translation>プリセット{}には{}用のステップ蒸留アダプター（LoRA）が必要ですが、ありません</translation>
    </message>
    <message>
        <source>a step-distilled LoRA of TI2V-5B</source>
        <translation>TI2V-5Bのステップ蒸留LoRA</translation>
    </message>
    <message>
        <source>Put one (for example {}) into {}, name one in lora, or, for a checkpoint that is distilled itself, write preset: distilled-model-4</source>
        <translation>アダプター（例: {}）を{}に入れるか、loraで指定してください。それ自体が蒸留されたチェックポイントなら preset: distilled-model-4 と書いてください</translation>
    </message>
    <message>
        <source>Use a Wan checkpoint in diffusers layout</source>
        <translation>diffusers形式のWanチェックポイントを使ってください</translation>
    </message>
    <message>
        <source>_class_name is missing</source>
        <translation>_class_nameがありません</translation>
    </message>
    <message>
        <source>this is a model for &quot;{}&quot;, not for Wan</source>
        <translation>これは「{}」用のモデルで、Wan用ではありません</translation>
    </message>
    <message>
        <source>the {} is missing, not {}</source>
        <translation>{}がありません（必要なのは{}）</translation>
    </message>
    <message>
        <source>the {} is {}, not {}</source>
        <translation>{}が{}です（必要なのは{}）</translation>
    </message>
    <message>
        <source>there is neither tokenizer.json nor spiece.model</source>
        <translation>tokenizer.jsonもspiece.modelもありません</translation>
    </message>
    <message>
        <source>Download the model&apos;s tokenizer folder again</source>
        <translation>モデルのトークナイザーフォルダーをダウンロードし直してください</translation>
    </message>
    <message>
        <source>this is {}, which Meshreel does not run</source>
        <translation>これは{}で、Meshreelでは実行できません</translation>
    </message>
    <message>
        <source>the transformer wants texts of width {} (text_dim), and the text encoder gives {} (d_model)</source>
        <translation>トランスフォーマーが求めるテキストの幅は{}（text_dim）ですが、テキストエンコーダーの出力は{}（d_model）です</translation>
    </message>
    <message>
        <source>Use transformer and text encoder of the same model</source>
        <translation>同じモデルのトランスフォーマーとテキストエンコーダーを使ってください</translation>
    </message>
    <message>
        <source>the transformer works on latents of {} channels ({} out), and the VAE has {} (z_dim)</source>
        <translation>トランスフォーマーの潜在変数は{}チャンネル（出力は{}）ですが、VAEは{}（z_dim）です</translation>
    </message>
    <message>
        <source>Use transformer and VAE of the same model, of one of these kinds: {}</source>
        <translation>同じモデルのトランスフォーマーとVAEを使ってください。対応する種類: {}</translation>
    </message>
    <message>
        <source>the VAE makes {} colour channels, not 3</source>
        <translation>VAEが出力する色チャンネルが3ではなく{}です</translation>
    </message>
    <message>
        <source>Use the VAE of a Wan model</source>
        <translation>WanモデルのVAEを使ってください</translation>
    </message>
    <message>
        <source>the two transformers are not of one kind</source>
        <translation>2つのトランスフォーマーの種類が異なります</translation>
    </message>
    <message>
        <source>Use the two experts of the same model</source>
        <translation>同じモデルの2つのエキスパートを使ってください</translation>
    </message>
    <message>
        <source>the transformer wants images of width {} (image_dim), and the image encoder gives {} (hidden_size)</source>
        <translation>トランスフォーマーが求める画像の幅は{}（image_dim）ですが、画像エンコーダーの出力は{}（hidden_size）です</translation>
    </message>
    <message>
        <source>Use transformer and image encoder of the same model</source>
        <translation>同じモデルのトランスフォーマーと画像エンコーダーを使ってください</translation>
    </message>
    <message>
        <source>Installed: nothing</source>
        <translation>インストール済み: なし</translation>
    </message>
    <message>
        <source>Installed: {}</source>
        <translation>インストール済み: {}</translation>
    </message>
    <message>
        <source>the model &quot;{}&quot; is not installed</source>
        <translation>モデル「{}」はインストールされていません</translation>
    </message>
    <message>
        <source>{}; or give the path of a checkpoint folder</source>
        <translation>{}。またはチェックポイントフォルダーのパスを指定してください</translation>
    </message>
    <message>
        <source>the model &quot;{}&quot; is not on this machine</source>
        <translation>モデル「{}」はこのマシンにありません</translation>
    </message>
    <message>
        <source>there is no such checkpoint folder</source>
        <translation>そのようなチェックポイントフォルダーはありません</translation>
    </message>
    <message>
        <source>Check pretrained_model_name_or_path</source>
        <translation>pretrained_model_name_or_pathを確認してください</translation>
    </message>
    <message>
        <source>the folder holds no {}</source>
        <translation>フォルダーに{}がありません</translation>
    </message>
    <message>
        <source>Give a checkpoint in diffusers layout (a repository whose name ends in -Diffusers)</source>
        <translation>diffusers形式のチェックポイント（名前が-Diffusersで終わるリポジトリ）を指定してください</translation>
    </message>
    <message>
        <source>there is no such folder</source>
        <translation>そのようなフォルダーはありません</translation>
    </message>
    <message>
        <source>no model is named</source>
        <translation>モデルが指定されていません</translation>
    </message>
    <message>
        <source>Name an installed model, for example tiny-wan-t2v</source>
        <translation>インストール済みのモデルを指定してください。例: tiny-wan-t2v</translation>
    </message>
    <message>
        <source>a text encoder UMT5-XXL (umt5_xxl_fp16.safetensors, umt5_xxl_fp8_e4m3fn_scaled.safetensors, umt5-xxl-encoder-Q8_0.gguf or models_t5_umt5-xxl-enc-bf16.pth)</source>
        <translation>テキストエンコーダーUMT5-XXL（umt5_xxl_fp16.safetensors、umt5_xxl_fp8_e4m3fn_scaled.safetensors、umt5-xxl-encoder-Q8_0.gguf、またはmodels_t5_umt5-xxl-enc-bf16.pth）</translation>
    </message>
    <message>
        <source>UMT5&apos;s tokenizer (a folder with spiece.model or tokenizer.json, of google/umt5-xxl)</source>
        <translation>UMT5のトークナイザー（google/umt5-xxlのspiece.modelまたはtokenizer.jsonを含むフォルダー）</translation>
    </message>
    <message>
        <source>the VAE of Wan 2.1 (wan_2.1_vae.safetensors or Wan2.1_VAE.pth)</source>
        <translation>Wan 2.1のVAE（wan_2.1_vae.safetensorsまたはWan2.1_VAE.pth）</translation>
    </message>
    <message>
        <source>the VAE of Wan 2.2 (wan2.2_vae.safetensors or Wan2.2_VAE.pth)</source>
        <translation>Wan 2.2のVAE（wan2.2_vae.safetensorsまたはWan2.2_VAE.pth）</translation>
    </message>
    <message>
        <source>the image encoder CLIP ViT-H (clip_vision_h.safetensors)</source>
        <translation>画像エンコーダーCLIP ViT-H（clip_vision_h.safetensors）</translation>
    </message>
    <message>
        <source>the other of the two experts (the file of the same name with &quot;low_noise&quot; in place of &quot;high_noise&quot;, or the other way round)</source>
        <translation>2つのエキスパートのもう一方（ファイル名の&quot;high_noise&quot;を&quot;low_noise&quot;に、またはその逆に置き換えたファイル）</translation>
    </message>
    <message>
        <source>there is no such {}</source>
        <translation>指定された{}がありません</translation>
    </message>
    <message>
        <source>Check parts.{}, or put the file into {}</source>
        <translation>parts.{}を確認するか、ファイルを{}に入れてください</translation>
    </message>
    <message>
        <source>the project names neither a model nor a transformer</source>
        <translation>プロジェクトにモデルもトランスフォーマーも指定されていません</translation>
    </message>
    <message>
        <source>Name a model, or the transformer&apos;s file in parts.transformer</source>
        <translation>モデルを指定するか、parts.transformerでトランスフォーマーのファイルを指定してください</translation>
    </message>
    <message>
        <source>Use a Wan 2.1 or 2.2 model</source>
        <translation>Wan 2.1または2.2のモデルを使ってください</translation>
    </message>
    <message>
        <source>With both files of an A14B model name them in parts.transformer and parts.transformer_2</source>
        <translation>A14Bモデルのファイルが両方ある場合は、parts.transformerとparts.transformer_2で指定してください</translation>
    </message>
    <message>
        <source>the model lacks {}</source>
        <translation>モデルに{}がありません</translation>
    </message>
    <message>
        <source>Put into {} (any folder below it): {}; or name files in parts.{}. docs/models.md says where they come from</source>
        <translation>{0}（その下のどのフォルダーでも可）に次のものを入れてください: {1}。またはparts.{2}でファイルを指定してください。入手元はdocs/models.mdにあります</translation>
    </message>
    <message>
        <source>{}; {}</source>
        <translation>{}、{}</translation>
    </message>
    <message>
        <source>No video of this image&apos;s form and {} pixels at most has sides that are multiples of {}</source>
        <translation>この画像の縦横比で{}ピクセル以下の動画には、各辺が{}の倍数になるものがありません</translation>
    </message>
    <message>
        <source>Choose a larger area, or an image that is less long and narrow</source>
        <translation>面積を大きくするか、それほど細長くない画像を選んでください</translation>
    </message>
    <message>
        <source>fps is {}, and the model ({}) makes {} frames a second</source>
        <translation>fpsは{}ですが、モデル（{}）が作るのは毎秒{}フレームです</translation>
    </message>
    <message>
        <source>{} CPU</source>
        <translation>{}個のCPU</translation>
    </message>
    <message>
        <source>{} CPUs</source>
        <translation>{}個のCPU</translation>
    </message>
    <message>
        <source>The run takes about {} of the {} of memory that are available</source>
        <translation>この実行は、使えるメモリ{1}のうち約{0}を使います</translation>
    </message>
    <message>
        <source>{} and {} more</source>
        <translation>{}ほか{}件</translation>
    </message>
    <message>
        <source>Changes {}</source>
        <translation>変更対象: {}</translation>
    </message>
    <message>
        <source>{}; fits nothing: {}</source>
        <translation>{}。対応先のないもの: {}</translation>
    </message>
    <message>
        <source>{} is for models with two transformers, and this has one</source>
        <translation>{}は2つのトランスフォーマーを持つモデル用ですが、このモデルは1つです</translation>
    </message>
    <message>
        <source>Remove the line, or use guidance_scale</source>
        <translation>この行を削除するか、guidance_scaleを使ってください</translation>
    </message>
    <message>
        <source>the model has two transformers and does not say where the second takes over</source>
        <translation>モデルには2つのトランスフォーマーがありますが、2つ目に切り替わる位置の指定がありません</translation>
    </message>
    <message>
        <source>Write boundary_ratio: 0.875 (Wan 2.2 text to video) or 0.9 (image to video)</source>
        <translation>boundary_ratio: 0.875（Wan 2.2のテキストから動画）または0.9（画像から動画）と書いてください</translation>
    </message>
    <message>
        <source>conditioning_scale holds {} numbers, and the model has {} VACE blocks</source>
        <translation>conditioning_scaleの数は{}個ですが、モデルのVACEブロックは{}個です</translation>
    </message>
    <message>
        <source>Write one number for all, or one for each</source>
        <translation>全体に1つ、またはブロックごとに1つの数を書いてください</translation>
    </message>
    <message>
        <source>{}; installed: {}</source>
        <translation>{}。インストール済み: {}</translation>
    </message>
    <message>
        <source>{}: {}</source>
        <translation>{}: {}</translation>
    </message>
    <message>
        <source>the run writes up to {}, and {} are free on the disk</source>
        <translation>この実行は最大{}を書き込みますが、ディスクの空きは{}です</translation>
    </message>
    <message>
        <source>measure one: meshreel calibrate magcache PROJECT -o FILE, and write mag_ratios_file: FILE</source>
        <translation>meshreel calibrate magcache PROJECT -o FILE で測定し、mag_ratios_file: FILE と書いてください</translation>
    </message>
    <message>
        <source>there is no published MagCache curve for {}</source>
        <translation>{}用に公開されたMagCacheの曲線はありません</translation>
    </message>
    <message>
        <source>Write false, or {}</source>
        <translation>falseと書くか、{}</translation>
    </message>
    <message>
        <source>the published MagCache curve of {} was measured with flow_shift {}, and it is {}</source>
        <translation>{}用に公開されたMagCacheの曲線はflow_shift {}で測定されたものですが、ここでは{}です</translation>
    </message>
    <message>
        <source>Write flow_shift: {}, or {}</source>
        <translation>flow_shift: {} と書くか、{}</translation>
    </message>
    <message>
        <source>The MagCache curve was measured on a transformer of {} blocks, and this has {}; meshreel calibrate magcache measures one for it</source>
        <translation>MagCacheの曲線は{}ブロックのトランスフォーマーで測定されたものですが、ここでは{}ブロックです。meshreel calibrate magcacheで専用の曲線を測定できます</translation>
    </message>
    <message>
        <source>there are no published TeaCache coefficients for {} with {} blocks</source>
        <translation>{}、{}ブロック用に公開されたTeaCacheの係数はありません</translation>
    </message>
    <message>
        <source>Write false and use use_first_block_cache, or give teacache_coefficients and teacache_thresh</source>
        <translation>falseと書いてuse_first_block_cacheを使うか、teacache_coefficientsとteacache_threshを指定してください</translation>
    </message>
    <message>
        <source>Write false, or use use_magcache or use_first_block_cache</source>
        <translation>falseと書くか、use_magcacheまたはuse_first_block_cacheを使ってください</translation>
    </message>
    <message>
        <source>the {} is made for Wan 2.2&apos;s models of two transformers, and this is {}</source>
        <translation>{}は2つのトランスフォーマーを持つWan 2.2のモデル用ですが、これは{}です</translation>
    </message>
    <message>
        <source>the {} was never tried on {}</source>
        <translation>{}は{}では試されていません</translation>
    </message>
    <message>
        <source>Use a file that meshreel calibrate magcache has written</source>
        <translation>meshreel calibrate magcacheが書き出したファイルを使ってください</translation>
    </message>
    <message>
        <source>it has no list {}</source>
        <translation>リスト{}がありません</translation>
    </message>
    <message>
        <source>its list holds something else than numbers</source>
        <translation>リストに数以外のものが含まれています</translation>
    </message>
    <message>
        <source>It does {}; {} is done by {}</source>
        <translation>対応しているのは{}です。{}に対応するモデル: {}</translation>
    </message>
    <message>
        <source>{} ({}) needs {}</source>
        <translation>{}（{}）には{}が必要です</translation>
    </message>
    <message>
        <source>Name a file: {}: PATH</source>
        <translation>ファイルを指定してください: {}: PATH</translation>
    </message>
    <message>
        <source>{} is not used by {} ({})</source>
        <translation>{}は{}（{}）では使いません</translation>
    </message>
    <message>
        <source>Remove the line, or choose another task</source>
        <translation>この行を削除するか、別のタスクを選んでください</translation>
    </message>
    <message>
        <source>mask is given without the video that it belongs to</source>
        <translation>maskが指定されていますが、対応するvideoがありません</translation>
    </message>
    <message>
        <source>Name the video, too: video: PATH</source>
        <translation>videoも指定してください: video: PATH</translation>
    </message>
    <message>
        <source>{} is {}, and this model makes multiples of {}</source>
        <translation>{}は{}ですが、このモデルで作れるのは{}の倍数です</translation>
    </message>
    <message>
        <source>{} is {}, and this model makes multiples of {} plus {}</source>
        <translation>{}は{}ですが、このモデルで作れるのは{}の倍数に{}を足した値です</translation>
    </message>
    <message>
        <source>{} makes {} patches along one axis, and this model knows {} positions</source>
        <translation>{}では1つの軸に沿って{}パッチになりますが、このモデルの位置は{}個までです</translation>
    </message>
    <message>
        <source>Make it smaller</source>
        <translation>小さくしてください</translation>
    </message>
    <message>
        <source>{} holds {}</source>
        <translation>{}に{}が含まれています</translation>
    </message>
    <message>
        <source>the batch is of {} videos</source>
        <translation>バッチの動画が{}本あります</translation>
    </message>
    <message>
        <source>Make {} at most in one run</source>
        <translation>1回の実行で作る動画は{}本までにしてください</translation>
    </message>
    <message>
        <source>the first-block cache decides for one video, and the batch has several</source>
        <translation>先頭ブロックキャッシュの判断は動画1本を対象としますが、バッチには複数あります</translation>
    </message>
    <message>
        <source>Write false, or make one video in a run</source>
        <translation>falseと書くか、1回の実行で作る動画を1本にしてください</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is hexadecimal; numbers are decimal</source>
        <translation>「{}」は16進数です。数は10進数で書きます</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is octal; numbers are decimal</source>
        <translation>「{}」は8進数です。数は10進数で書きます</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is binary; numbers are decimal</source>
        <translation>「{}」は2進数です。数は10進数で書きます</translation>
    </message>
    <message>
        <source>Write {}</source>
        <translation>{}と書いてください</translation>
    </message>
    <message>
        <source>Write it in decimal digits</source>
        <translation>10進数の数字で書いてください</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is not a whole number</source>
        <translation>「{}」は整数ではありません</translation>
    </message>
    <message>
        <source>Write a decimal whole number</source>
        <translation>10進数の整数を書いてください</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is not a number</source>
        <translation>「{}」は数ではありません</translation>
    </message>
    <message>
        <source>Write a decimal number</source>
        <translation>10進数の数を書いてください</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is not a finite number</source>
        <translation>「{}」は有限の数ではありません</translation>
    </message>
    <message>
        <source>Write a finite decimal number</source>
        <translation>有限の10進数を書いてください</translation>
    </message>
    <message>
        <source>&quot;{}&quot; starts with 0, which some read as octal</source>
        <translation>「{}」は0で始まるため、8進数と解釈されることがあります</translation>
    </message>
    <message>
        <source>&quot;{}&quot; has digit separators</source>
        <translation>「{}」に桁区切りがあります</translation>
    </message>
    <message>
        <source>{} is not a whole number</source>
        <translation>{}は整数ではありません</translation>
    </message>
    <message>
        <source>Write it in digits alone</source>
        <translation>数字だけで書いてください</translation>
    </message>
    <message>
        <source>{} is not written as a whole number</source>
        <translation>{}は整数の書き方になっていません</translation>
    </message>
    <message>
        <source>Write {:.0f}</source>
        <translation>{}と書いてください</translation>
    </message>
    <message>
        <source>The nearest are {:.0f} and {:.0f}</source>
        <translation>最も近い値は{}と{}です</translation>
    </message>
    <message>
        <source>{} has too many digits</source>
        <translation>{}は桁数が多すぎます</translation>
    </message>
    <message>
        <source>Whole numbers have at most 63 bits</source>
        <translation>整数は最大63ビットです</translation>
    </message>
    <message>
        <source>{} is out of the range of numbers</source>
        <translation>{}は数の範囲を超えています</translation>
    </message>
    <message>
        <source>A project is a list of keys and values</source>
        <translation>プロジェクトはキーと値のリストです</translation>
    </message>
    <message>
        <source>Write one key and its value on a line, key: value</source>
        <translation>1行に1組のキーと値を key: value の形で書いてください</translation>
    </message>
    <message>
        <source>A --set value is not UTF-8</source>
        <translation>--setの値がUTF-8ではありません</translation>
    </message>
    <message>
        <source>Use a UTF-8 terminal</source>
        <translation>UTF-8のターミナルを使ってください</translation>
    </message>
    <message>
        <source>&quot;{}&quot; does not set anything</source>
        <translation>「{}」は何も設定していません</translation>
    </message>
    <message>
        <source>Write key=value</source>
        <translation>key=value の形で書いてください</translation>
    </message>
    <message>
        <source>{} and {} say it</source>
        <translation>{}と{}で決まります</translation>
    </message>
    <message>
        <source>{}. {}</source>
        <translation>{}。{}</translation>
    </message>
    <message>
        <source>this is how it is here</source>
        <translation>ここでは常にそうなっています</translation>
    </message>
    <message>
        <source>it has another name here</source>
        <translation>ここでは名前が異なります</translation>
    </message>
    <message>
        <source>this version uses the checkpoint&apos;s weights as they are</source>
        <translation>このバージョンではチェックポイントの重みをそのまま使います</translation>
    </message>
    <message>
        <source>Write background_video: PATH</source>
        <translation>background_video: PATH と書いてください</translation>
    </message>
    <message>
        <source>Write face_video: PATH</source>
        <translation>face_video: PATH と書いてください</translation>
    </message>
    <message>
        <source>nothing is fetched from the network</source>
        <translation>ネットワークからは何も取得しません</translation>
    </message>
    <message>
        <source>Download the picture and write image: PATH</source>
        <translation>画像をダウンロードし、image: PATH と書いてください</translation>
    </message>
    <message>
        <source>Write mask: PATH</source>
        <translation>mask: PATH と書いてください</translation>
    </message>
    <message>
        <source>the model&apos;s files tell what it is</source>
        <translation>種類はモデルのファイルから分かります</translation>
    </message>
    <message>
        <source>batch_prompts and batch_seeds say which videos</source>
        <translation>どの動画を作るかはbatch_promptsとbatch_seedsで決まります</translation>
    </message>
    <message>
        <source>Write pose_video: PATH</source>
        <translation>pose_video: PATH と書いてください</translation>
    </message>
    <message>
        <source>Write image: PATH</source>
        <translation>image: PATH と書いてください</translation>
    </message>
    <message>
        <source>Write false</source>
        <translation>falseと書いてください</translation>
    </message>
    <message>
        <source>Name it in parts.transformer</source>
        <translation>parts.transformerで指定してください</translation>
    </message>
    <message>
        <source>meshreel tune searches block sizes</source>
        <translation>ブロックサイズはmeshreel tuneが探します</translation>
    </message>
    <message>
        <source>there is no backward pass</source>
        <translation>逆伝播はありません</translation>
    </message>
    <message>
        <source>of the audio and video models of LTX</source>
        <translation>LTXの音声・動画モデルのキーです</translation>
    </message>
    <message>
        <source>of Animate, which takes its values from the model</source>
        <translation>Animateのキーで、その値はモデルから取得します</translation>
    </message>
    <message>
        <source>of models that make pictures</source>
        <translation>画像を作るモデルのキーです</translation>
    </message>
    <message>
        <source>every run records its timings and a trace</source>
        <translation>どの実行も計時とトレースを記録します</translation>
    </message>
    <message>
        <source>nothing is compiled by XLA, and the rules of sharding are built in</source>
        <translation>XLAによるコンパイルはなく、シャーディングの規則は組み込まれています</translation>
    </message>
    <message>
        <source>weights are read as they were released</source>
        <translation>重みは公開されたままの形で読み込みます</translation>
    </message>
    <message>
        <source>weights are rounded to int8 by weights_dtype: int8</source>
        <translation>int8への重みの丸めは weights_dtype: int8 で行います</translation>
    </message>
    <message>
        <source>keys of a step cache</source>
        <translation>ステップキャッシュのキーです</translation>
    </message>
    <message>
        <source>the keys of the prompt are kept, and both prompts are encoded together, always</source>
        <translation>プロンプトのキーは常に保持され、2つのプロンプトは常にまとめてエンコードされます</translation>
    </message>
    <message>
        <source>guidance_scale alone says whether there is guidance</source>
        <translation>ガイダンスの有無はguidance_scaleだけで決まります</translation>
    </message>
    <message>
        <source>run folders hold what a run leaves: see --out</source>
        <translation>実行の出力は実行フォルダーに入ります。--outを参照してください</translation>
    </message>
    <message>
        <source>nothing is trained here</source>
        <translation>ここでは学習を行いません</translation>
    </message>
    <message>
        <source>the scheduler is the checkpoint&apos;s, or that of the key scheduler</source>
        <translation>スケジューラーは、チェックポイントのものか、キーschedulerのものです</translation>
    </message>
    <message>
        <source>of other programs than generation</source>
        <translation>生成以外のプログラムのキーです</translation>
    </message>
    <message>
        <source>{}: there is no file {}</source>
        <translation>{}: ファイル{}がありません</translation>
    </message>
    <message>
        <source>Check the path; one that does not begin with / starts at the project&apos;s folder</source>
        <translation>パスを確認してください。/で始まらないパスはプロジェクトのフォルダーからの相対です</translation>
    </message>
    <message>
        <source>{} is {}, below its least</source>
        <translation>{}が{}で、下限を下回っています</translation>
    </message>
    <message>
        <source>The nearest legal value is {} ({} is automatic)</source>
        <translation>最も近い有効な値は{}です（{}は自動）</translation>
    </message>
    <message>
        <source>{} is {}, above its most</source>
        <translation>{}が{}で、上限を上回っています</translation>
    </message>
    <message>
        <source>{} is not a finite number</source>
        <translation>{}が有限の数ではありません</translation>
    </message>
    <message>
        <source>{} cannot be &quot;{}&quot;</source>
        <translation>{}を「{}」にすることはできません</translation>
    </message>
    <message>
        <source>The choices are {}</source>
        <translation>選べる値: {}</translation>
    </message>
    <message>
        <source>Did you mean &quot;{}&quot;? The choices are {}</source>
        <translation>「{}」のことですか？ 選べる値: {}</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is not true or false</source>
        <translation>「{}」はtrueでもfalseでもありません</translation>
    </message>
    <message>
        <source>Write true</source>
        <translation>trueと書いてください</translation>
    </message>
    <message>
        <source>Write true or false</source>
        <translation>trueかfalseを書いてください</translation>
    </message>
    <message>
        <source>Write [{{file: PATH, strength: 1}}]</source>
        <translation>[{{file: PATH, strength: 1}}] と書いてください</translation>
    </message>
    <message>
        <source>choice</source>
        <translation>選択肢</translation>
    </message>
    <message>
        <source>integer</source>
        <translation>整数</translation>
    </message>
    <message>
        <source>number</source>
        <translation>数</translation>
    </message>
    <message>
        <source>true or false</source>
        <translation>trueまたはfalse</translation>
    </message>
    <message>
        <source>text</source>
        <translation>テキスト</translation>
    </message>
    <message>
        <source>list</source>
        <translation>リスト</translation>
    </message>
    <message>
        <source>An adapter&apos;s {} is not one text</source>
        <translation>アダプターの{}が1つのテキストではありません</translation>
    </message>
    <message>
        <source>Write one value behind it</source>
        <translation>その後に値を1つ書いてください</translation>
    </message>
    <message>
        <source>strength {} is beyond its range</source>
        <translation>strength {}は範囲外です</translation>
    </message>
    <message>
        <source>Write a number from -{} to {}; 1 is the adapter as it was trained</source>
        <translation>-{}～{}の数を書いてください。1は学習時のままのアダプターです</translation>
    </message>
    <message>
        <source>expert cannot be &quot;{:.80}&quot;</source>
        <translation>expertを「{}」にすることはできません</translation>
    </message>
    <message>
        <source>Write high, low or all</source>
        <translation>high、low、allのいずれかを書いてください</translation>
    </message>
    <message>
        <source>An adapter is neither a path nor a map</source>
        <translation>アダプターがパスでもマップでもありません</translation>
    </message>
    <message>
        <source>Write {{file: PATH, strength: 1}}</source>
        <translation>{{file: PATH, strength: 1}} と書いてください</translation>
    </message>
    <message>
        <source>An adapter has no &quot;{:.80}&quot;</source>
        <translation>アダプターに「{}」というキーはありません</translation>
    </message>
    <message>
        <source>Its keys are {}</source>
        <translation>使えるキー: {}</translation>
    </message>
    <message>
        <source>An adapter has no file</source>
        <translation>アダプターにファイルの指定がありません</translation>
    </message>
    <message>
        <source>Name the adapters in lora: [{{file: PATH}}]</source>
        <translation>loraでアダプターを指定してください: [{{file: PATH}}]</translation>
    </message>
    <message>
        <source>lora_config has no lora_model_name_or_path for adapter {}</source>
        <translation>lora_configに、アダプター{}のlora_model_name_or_pathがありません</translation>
    </message>
    <message>
        <source>Give all its lists the same length</source>
        <translation>すべてのリストの長さを揃えてください</translation>
    </message>
    <message>
        <source>Write numbers above 0, up to {}</source>
        <translation>0より大きく{}以下の数を書いてください</translation>
    </message>
    <message>
        <source>{} do not descend</source>
        <translation>{}が降順になっていません</translation>
    </message>
    <message>
        <source>Write each once, largest first</source>
        <translation>それぞれ1回ずつ、大きい順に書いてください</translation>
    </message>
    <message>
        <source>Write numbers separated by commas</source>
        <translation>数をカンマで区切って書いてください</translation>
    </message>
    <message>
        <source>{} and {} are both given</source>
        <translation>{}と{}の両方が指定されています</translation>
    </message>
    <message>
        <source>Remove one of them</source>
        <translation>どちらかを削除してください</translation>
    </message>
    <message>
        <source>Write numbers from 0 to 100</source>
        <translation>0～100の数を書いてください</translation>
    </message>
    <message>
        <source>conditioning_scale is empty</source>
        <translation>conditioning_scaleが空です</translation>
    </message>
    <message>
        <source>{} (and {} more)</source>
        <translation>{}（ほか{}件）</translation>
    </message>
    <message>
        <source>The file names no version and is read as version {}</source>
        <translation>ファイルにバージョンの記載がないため、バージョン{}として読み込みます</translation>
    </message>
    <message>
        <source>Write version: {}, or open it with the Meshreel that wrote it</source>
        <translation>version: {} と書くか、作成に使ったMeshreelで開いてください</translation>
    </message>
    <message>
        <source>{} has no value</source>
        <translation>{}に値がありません</translation>
    </message>
    <message>
        <source>Write &quot;&quot; for no text, or remove the line</source>
        <translation>空のテキストにするには&quot;&quot;と書くか、この行を削除してください</translation>
    </message>
    <message>
        <source>Write a value, or remove the line</source>
        <translation>値を書くか、この行を削除してください</translation>
    </message>
    <message>
        <source>{} holds several values</source>
        <translation>{}に複数の値があります</translation>
    </message>
    <message>
        <source>Write one value: {}</source>
        <translation>値を1つ書いてください: {}</translation>
    </message>
    <message>
        <source>{} is in quotes, but it is not a text</source>
        <translation>{}は引用符で囲まれていますが、テキストではありません</translation>
    </message>
    <message>
        <source>Remove the quotes</source>
        <translation>引用符を外してください</translation>
    </message>
    <message>
        <source>enable_lora is true, but no adapter is named</source>
        <translation>enable_loraはtrueですが、アダプターが指定されていません</translation>
    </message>
    <message>
        <source>Name them in lora: [{{file: PATH, strength: 1}}]</source>
        <translation>loraで指定してください: [{{file: PATH, strength: 1}}]</translation>
    </message>
    <message>
        <source>{} is not possible: {}</source>
        <translation>{}は使えません: {}</translation>
    </message>
    <message>
        <source>{} has no effect: {}</source>
        <translation>{}は効果がありません: {}</translation>
    </message>
    <message>
        <source>{} is a map of keys</source>
        <translation>{}はキーのマップです</translation>
    </message>
    <message>
        <source>Write its keys below it, indented, or set one with {}.KEY=VALUE</source>
        <translation>その下に字下げしてキーを書くか、{}.KEY=VALUE で1つ設定してください</translation>
    </message>
    <message>
        <source>There is no key &quot;{:.80}&quot;</source>
        <translation>「{}」というキーはありません</translation>
    </message>
    <message>
        <source>docs/project-keys.md lists all keys</source>
        <translation>すべてのキーはdocs/project-keys.mdにあります</translation>
    </message>
    <message>
        <source>Did you mean &quot;{}&quot;?</source>
        <translation>「{}」のことですか？</translation>
    </message>
    <message>
        <source>1 MaxDiffusion key has no meaning here and is ignored: {}</source>
        <translation>MaxDiffusionのキー1個はここでは意味を持たないため無視します: {}</translation>
    </message>
    <message>
        <source>{} MaxDiffusion keys have no meaning here and are ignored: {}</source>
        <translation>MaxDiffusionのキー{}個はここでは意味を持たないため無視します: {}</translation>
    </message>
    <message>
        <source>Check the project&apos;s path</source>
        <translation>プロジェクトのパスを確認してください</translation>
    </message>
    <message>
        <source>A sweep is a map of keys</source>
        <translation>一括計測はキーのマップです</translation>
    </message>
    <message>
        <source>Begin with version: 1</source>
        <translation>version: 1 で始めてください</translation>
    </message>
    <message>
        <source>The sweep names no strategies</source>
        <translation>一括計測に方式（strategies）がありません</translation>
    </message>
    <message>
        <source>List at least one: - {{name: ring, attention: tokamax_ring}}</source>
        <translation>1つ以上書いてください: - {{name: ring, attention: tokamax_ring}}</translation>
    </message>
    <message>
        <source>A sweep has no key {}</source>
        <translation>一括計測に{}というキーはありません</translation>
    </message>
    <message>
        <source>It has version, name, arch, layers, repeats, trace_batch, base, strategies and vary</source>
        <translation>使えるキーはversion、name、arch、layers、repeats、trace_batch、base、strategies、varyです</translation>
    </message>
    <message>
        <source>A strategy has no name</source>
        <translation>方式に名前がありません</translation>
    </message>
    <message>
        <source>Write - {{name: ring, …}}</source>
        <translation>- {{name: ring, …}} と書いてください</translation>
    </message>
    <message>
        <source>Two strategies are called {}</source>
        <translation>{}という方式が2つあります</translation>
    </message>
    <message>
        <source>Give each a name of its own</source>
        <translation>それぞれに別の名前を付けてください</translation>
    </message>
    <message>
        <source>Write {}: [1, 2]</source>
        <translation>{}: [1, 2] と書いてください</translation>
    </message>
    <message>
        <source>{} has no single value</source>
        <translation>{}が単一の値ではありません</translation>
    </message>
    <message>
        <source>Lists go under vary</source>
        <translation>リストはvaryの下に書きます</translation>
    </message>
    <message>
        <source>vae_spatial is {}, which does not divide the {} devices of the mesh</source>
        <translation>vae_spatialが{}で、メッシュのデバイス数{}の約数ではありません</translation>
    </message>
    <message>
        <source>The nearest legal value is {} (-1 takes as many as help)</source>
        <translation>最も近い有効な値は{}です（-1は効果のある数）</translation>
    </message>
    <message>
        <source>The tensor axis has {} devices, which do not divide the model&apos;s {} feed-forward features</source>
        <translation>テンソル軸の{}台のデバイスでは、モデルの{}個のフィードフォワードの特徴を割り切れません</translation>
    </message>
    <message>
        <source>The nearest sizes that divide its features and heads are {} and {}</source>
        <translation>特徴とヘッドを割り切る最も近い大きさは{}と{}です</translation>
    </message>
    <message>
        <source>videos and their halves of guidance</source>
        <translation>各動画のプロンプト側とネガティブプロンプト側</translation>
    </message>
    <message>
        <source>the two halves of guidance</source>
        <translation>プロンプト側とネガティブプロンプト側</translation>
    </message>
    <message>
        <source>one video, no guidance</source>
        <translation>動画1本、ガイダンスなし</translation>
    </message>
    <message>
        <source>The data and fsdp axes share out a batch of {} ({}) among {} devices; {} have no row to compute</source>
        <translation>データ軸とFSDP軸は大きさ{}のバッチ（{}）を{}台のデバイスで分担しますが、{}台には計算する行がありません</translation>
    </message>
    <message>
        <source>Give the devices to the context axis, which shares out the sequence</source>
        <translation>シーケンスを分担するコンテキスト軸にデバイスを割り当ててください</translation>
    </message>
    <message>
        <source>weights_dtype: int8 rounds what goes into the layers to 8 bits, and does not go with activations_dtype: float32</source>
        <translation>weights_dtype: int8では層への入力が8ビットに丸められるため、activations_dtype: float32とは併用できません</translation>
    </message>
    <message>
        <source>Set activations_dtype: bfloat16, or weights_dtype: bfloat16 to keep float32 activations</source>
        <translation>activations_dtype: bfloat16にするか、活性化をfloat32のままにするならweights_dtype: bfloat16にしてください</translation>
    </message>
    <message>
        <source>{} needs {} above 1, and it is {}: {}</source>
        <translation>{}には1より大きい{}が必要ですが、{}です: {}</translation>
    </message>
    <message>
        <source>Raise {}, or write {}: false</source>
        <translation>{}を大きくするか、{}: false と書いてください</translation>
    </message>
    <message>
        <source>Write two numbers for each step, the prompt&apos;s and the negative prompt&apos;s</source>
        <translation>ステップごとに、プロンプトの値とネガティブプロンプトの値の2つの数を書いてください</translation>
    </message>
    <message>
        <source>{} are not all finite numbers</source>
        <translation>{}に有限でない数が含まれています</translation>
    </message>
    <message>
        <source>Write numbers separated by commas, that of the highest power first</source>
        <translation>数をカンマで区切り、最高次の項から順に書いてください</translation>
    </message>
    <message>
        <source>it has {} numbers, and every step has two</source>
        <translation>数が{}個ですが、各ステップに2個ずつ必要です</translation>
    </message>
    <message>
        <source>its numbers are not all from 0 to {}</source>
        <translation>0～{}の範囲にない数が含まれています</translation>
    </message>
    <message>
        <source>{} and {} are mutually exclusive: each decides by itself what a step takes over from earlier ones, and none is made for predictions that another one has made up</source>
        <translation>{}と{}は併用できません。どちらも、ステップが前のステップから何を引き継ぐかを独自に決めるもので、他方が補った予測には対応していません</translation>
    </message>
    <message>
        <source>Enable only one</source>
        <translation>どちらか1つだけを有効にしてください</translation>
    </message>
    <message>
        <source>The prompt is empty</source>
        <translation>プロンプトが空です</translation>
    </message>
    <message>
        <source>Say what the video should show, for example prompt: a red ball moving right</source>
        <translation>動画に映すべき内容を書いてください。例: prompt: a red ball moving right</translation>
    </message>
    <message>
        <source>broadcast_weights sends a model&apos;s folder, and no adapters</source>
        <translation>broadcast_weightsが送信するのはモデルのフォルダーで、アダプターは送信しません</translation>
    </message>
    <message>
        <source>Copy model and adapters to every host, and write false</source>
        <translation>モデルとアダプターをすべてのホストにコピーし、falseと書いてください</translation>
    </message>
    <message>
        <source>negative_prompt is not used, because guidance_scale is 1 or less</source>
        <translation>guidance_scaleが1以下のため、negative_promptは使われません</translation>
    </message>
    <message>
        <source>{} is {} in place of the {} of preset {}</source>
        <translation>{0}が、プリセット{3}の{2}ではなく{1}になっています</translation>
    </message>
    <message>
        <source>This is a YAML alias, which a project cannot hold</source>
        <translation>これはYAMLのエイリアスで、プロジェクトでは使えません</translation>
    </message>
    <message>
        <source>Write the value out in full</source>
        <translation>値をそのまま書いてください</translation>
    </message>
    <message>
        <source>&quot;&amp;{}&quot; is a YAML anchor, which a project cannot hold</source>
        <translation>「&amp;{}」はYAMLのアンカーで、プロジェクトでは使えません</translation>
    </message>
    <message>
        <source>Remove it and write each value out in full</source>
        <translation>削除して、それぞれの値をそのまま書いてください</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is a YAML tag, which a project cannot hold</source>
        <translation>「{}」はYAMLのタグで、プロジェクトでは使えません</translation>
    </message>
    <message>
        <source>Remove it</source>
        <translation>削除してください</translation>
    </message>
    <message>
        <source>The lists and maps are more than {} deep</source>
        <translation>リストとマップの入れ子が{}段を超えています</translation>
    </message>
    <message>
        <source>A project is a flat list of keys</source>
        <translation>プロジェクトは階層のないキーのリストです</translation>
    </message>
    <message>
        <source>A key must be a plain name</source>
        <translation>キーは単純な名前でなければなりません</translation>
    </message>
    <message>
        <source>The key &quot;{}&quot; is already given at line {}</source>
        <translation>キー「{}」は{}行目ですでに指定されています</translation>
    </message>
    <message>
        <source>Keep one of them</source>
        <translation>どちらか1つだけを残してください</translation>
    </message>
    <message>
        <source>A second YAML document begins here</source>
        <translation>ここから2つ目のYAML文書が始まっています</translation>
    </message>
    <message>
        <source>A project is one document; remove the &quot;---&quot; line or what follows it</source>
        <translation>プロジェクトは1つの文書です。&quot;---&quot;の行か、それ以降を削除してください</translation>
    </message>
    <message>
        <source>The project has {} bytes; at most {} are read</source>
        <translation>プロジェクトは{}バイトですが、読み込めるのは{}バイトまでです</translation>
    </message>
    <message>
        <source>Check that this is a project file</source>
        <translation>これがプロジェクトファイルか確認してください</translation>
    </message>
    <message>
        <source>The text is not UTF-8</source>
        <translation>テキストがUTF-8ではありません</translation>
    </message>
    <message>
        <source>Save the file as UTF-8</source>
        <translation>ファイルをUTF-8で保存してください</translation>
    </message>
    <message>
        <source>This is not YAML: {}</source>
        <translation>これはYAMLではありません: {}</translation>
    </message>
    <message>
        <source>Write one key and its value on a line, key: value, and quote texts with special characters</source>
        <translation>1行に1組のキーと値を key: value の形で書き、特殊文字を含むテキストは引用符で囲んでください</translation>
    </message>
    <message>
        <source>no pipe to another program could be made ({})</source>
        <translation>他のプログラムへのパイプを作れませんでした（{}）</translation>
    </message>
    <message>
        <source>Close other programs or raise the limit on open files (ulimit -n)</source>
        <translation>他のプログラムを閉じるか、開けるファイル数の上限（ulimit -n）を上げてください</translation>
    </message>
    <message>
        <source>{} cannot be started ({})</source>
        <translation>{}を起動できません（{}）</translation>
    </message>
    <message>
        <source>Install Open MPI (apt-get install openmpi-bin)</source>
        <translation>Open MPIをインストールしてください（apt-get install openmpi-bin）</translation>
    </message>
    <message>
        <source>Write one host a line: name [slots=N]</source>
        <translation>1行に1台のホストを書いてください: name [slots=N]</translation>
    </message>
    <message>
        <source>Use letters, digits, &apos;.&apos;, &apos;-&apos; and &apos;_&apos;; name IPv6 addresses in /etc/hosts</source>
        <translation>英字、数字、&apos;.&apos;、&apos;-&apos;、&apos;_&apos;を使ってください。IPv6アドレスには/etc/hostsで名前を付けてください</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is not understood</source>
        <translation>「{}」を解釈できません</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is too much on this line</source>
        <translation>この行の「{}」は余分です</translation>
    </message>
    <message>
        <source>the host &apos;{}&apos; is listed twice</source>
        <translation>ホスト「{}」が2回書かれています</translation>
    </message>
    <message>
        <source>List it once, with slots= for more than one rank</source>
        <translation>1回だけ書き、ランクを複数にするにはslots=を使ってください</translation>
    </message>
    <message>
        <source>it lists no host</source>
        <translation>ホストが1台も書かれていません</translation>
    </message>
    <message>
        <source>there is no such file of hosts</source>
        <translation>そのようなホストファイルはありません</translation>
    </message>
    <message>
        <source>{} bytes of the model do not fit into memory ({})</source>
        <translation>モデルの{}バイトがメモリに収まりません（{}）</translation>
    </message>
    <message>
        <source>Copy the model to every host and leave --broadcast-weights out</source>
        <translation>モデルをすべてのホストにコピーし、--broadcast-weightsを外してください</translation>
    </message>
    <message>
        <source>no temporary folder could be made ({})</source>
        <translation>一時フォルダーを作れませんでした（{}）</translation>
    </message>
    <message>
        <source>Set TMPDIR to a folder that can be written to</source>
        <translation>TMPDIRに書き込めるフォルダーを設定してください</translation>
    </message>
    <message>
        <source>the run to compare with has no latents yet</source>
        <translation>比較する実行にはまだ潜在変数がありません</translation>
    </message>
    <message>
        <source>Finish it first, or remove compare_with</source>
        <translation>先にその実行を完了するか、compare_withを削除してください</translation>
    </message>
    <message>
        <source>the run to compare with is {}x{} with {} frames, and this one {}x{} with {}</source>
        <translation>比較する実行は{}x{}の{}フレームですが、この実行は{}x{}の{}フレームです</translation>
    </message>
    <message>
        <source>Compare runs of one size and length</source>
        <translation>大きさと長さが同じ実行を比較してください</translation>
    </message>
    <message>
        <source>the file is damaged ({})</source>
        <translation>ファイルが破損しています（{}）</translation>
    </message>
    <message>
        <source>Restore the run folder from a copy, or start a new run</source>
        <translation>実行フォルダーをコピーから復元するか、新しい実行を始めてください</translation>
    </message>
    <message>
        <source>the folder for the run is not empty</source>
        <translation>実行フォルダーが空ではありません</translation>
    </message>
    <message>
        <source>the folder for the run cannot be made ({})</source>
        <translation>実行フォルダーを作れません（{}）</translation>
    </message>
    <message>
        <source>there is no such run folder</source>
        <translation>そのような実行フォルダーはありません</translation>
    </message>
    <message>
        <source>this is not a run folder: it has no {}</source>
        <translation>これは実行フォルダーではありません。{}がありません</translation>
    </message>
    <message>
        <source>Give a folder that meshreel run has made</source>
        <translation>meshreel runが作ったフォルダーを指定してください</translation>
    </message>
    <message>
        <source>another program is working on this run</source>
        <translation>別のプログラムがこの実行を処理しています</translation>
    </message>
    <message>
        <source>Wait until it is done, or cancel it there</source>
        <translation>終わるまで待つか、そちらでキャンセルしてください</translation>
    </message>
    <message>
        <source>it does not say its step</source>
        <translation>ステップが記録されていません</translation>
    </message>
    <message>
        <source>its step numbers disagree</source>
        <translation>ステップ番号が一致しません</translation>
    </message>
    <message>
        <source>there is no home folder to keep runs in</source>
        <translation>実行を保存するホームフォルダーがありません</translation>
    </message>
    <message>
        <source>Set MESHREEL_RUNS to a folder, or give --out</source>
        <translation>MESHREEL_RUNSにフォルダーを設定するか、--outを指定してください</translation>
    </message>
    <message>
        <source>{} cannot be copied into the run&apos;s folder ({})</source>
        <translation>{}を実行フォルダーにコピーできません（{}）</translation>
    </message>
    <message>
        <source>Check that the file is there and can be read</source>
        <translation>ファイルがあり、読み取れるか確認してください</translation>
    </message>
    <message>
        <source>Choose a folder that you may write to</source>
        <translation>書き込み権のあるフォルダーを選んでください</translation>
    </message>
    <message>
        <source>The notes cannot be read: {}</source>
        <translation>メモを読み取れません: {}</translation>
    </message>
    <message>
        <source>Mend the file, or delete it to start anew</source>
        <translation>ファイルを修復するか、削除して最初から始めてください</translation>
    </message>
    <message>
        <source>there is no video format named &quot;{}&quot;</source>
        <translation>「{}」という動画形式はありません</translation>
    </message>
    <message>
        <source>meshreel keys lists them</source>
        <translation>meshreel keysで一覧を確認できます</translation>
    </message>
    <message>
        <source>the run was made on another machine or build ({})</source>
        <translation>この実行は別のマシンまたはビルドで行われました（{}）</translation>
    </message>
    <message>
        <source>the run has no latents.safetensors yet</source>
        <translation>この実行にはまだlatents.safetensorsがありません</translation>
    </message>
    <message>
        <source>the latents {} do not belong to the run&apos;s project ({})</source>
        <translation>潜在変数{}は、この実行のプロジェクト（{}）のものではありません</translation>
    </message>
    <message>
        <source>Restore the run folder from a copy</source>
        <translation>実行フォルダーをコピーから復元してください</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is not a status of a run</source>
        <translation>「{}」は実行の状態ではありません</translation>
    </message>
    <message>
        <source>It is one of running, done, cancelled, failed</source>
        <translation>running、done、cancelled、failedのいずれかです</translation>
    </message>
    <message>
        <source>it makes up the negative prompt&apos;s half, and without guidance there is none</source>
        <translation>ネガティブプロンプト側の半分を補うもので、ガイダンスがなければそれが存在しません</translation>
    </message>
    <message>
        <source>its limit was measured on guided predictions</source>
        <translation>その上限はガイダンスありの予測で測定されています</translation>
    </message>
    <message>
        <source>its curve follows the prompt&apos;s and the negative prompt&apos;s half</source>
        <translation>その曲線はプロンプト側とネガティブプロンプト側の半分に対応しています</translation>
    </message>
    <message>
        <source>There is no scheduler &quot;{}&quot;</source>
        <translation>「{}」というスケジューラーはありません</translation>
    </message>
    <message>
        <source>Use one of {}</source>
        <translation>{}のいずれかを使ってください</translation>
    </message>
    <message>
        <source>The checkpoint asks for the scheduler {}, which Meshreel does not have</source>
        <translation>チェックポイントが指定するスケジューラー{}はMeshreelにありません</translation>
    </message>
    <message>
        <source>Choose one with the key `scheduler`: {}</source>
        <translation>キー`scheduler`で選んでください: {}</translation>
    </message>
    <message>
        <source>A run of {} steps was asked for</source>
        <translation>ステップ数{}の実行が指定されました</translation>
    </message>
    <message>
        <source>Use at least 1</source>
        <translation>1以上にしてください</translation>
    </message>
    <message>
        <source>Custom sigmas must be at least one number in (0, 1], descending</source>
        <translation>独自のシグマは、(0, 1]の範囲の1つ以上の数を降順に並べたものでなければなりません</translation>
    </message>
    <message>
        <source>Correct the list</source>
        <translation>リストを修正してください</translation>
    </message>
    <message>
        <source>Use a higher strength or more steps</source>
        <translation>強さかステップ数を大きくしてください</translation>
    </message>
    <message>
        <source>The saved run stands at step {} of {}</source>
        <translation>保存された実行の位置はステップ{}/{}です</translation>
    </message>
    <message>
        <source>Resume with the run&apos;s own number of steps</source>
        <translation>その実行と同じステップ数で再開してください</translation>
    </message>
    <message>
        <source>a scheduler config must be a JSON object</source>
        <translation>スケジューラーの設定はJSONオブジェクトでなければなりません</translation>
    </message>
    <message>
        <source>Restore the file from the checkpoint&apos;s source</source>
        <translation>チェックポイントの配布元からファイルを復元してください</translation>
    </message>
    <message>
        <source>`{}` has the value {}, which is of the wrong type</source>
        <translation>`{}`の値{}は型が正しくありません</translation>
    </message>
    <message>
        <source>Correct the scheduler config</source>
        <translation>スケジューラーの設定を修正してください</translation>
    </message>
    <message>
        <source>`{}` is &quot;{}&quot;, which is not supported</source>
        <translation>`{}`の値「{}」には対応していません</translation>
    </message>
    <message>
        <source>`{}` is {}, which is not supported</source>
        <translation>`{}`の値{}には対応していません</translation>
    </message>
    <message>
        <source>Remove the key from the scheduler config</source>
        <translation>スケジューラーの設定からこのキーを削除してください</translation>
    </message>
    <message>
        <source>`use_karras_sigmas` and `use_exponential_sigmas` are both true</source>
        <translation>`use_karras_sigmas`と`use_exponential_sigmas`が両方ともtrueです</translation>
    </message>
    <message>
        <source>`use_exponential_sigmas` with `use_flow_sigmas` has noise levels above 1, which no flow has</source>
        <translation>`use_flow_sigmas`に`use_exponential_sigmas`を組み合わせると、フローにはない1を超えるノイズレベルになります</translation>
    </message>
    <message>
        <source>Set one of them to false</source>
        <translation>どちらかをfalseにしてください</translation>
    </message>
    <message>
        <source>`shift_terminal` needs evenly spaced flow sigmas</source>
        <translation>`shift_terminal`には等間隔のフローシグマが必要です</translation>
    </message>
    <message>
        <source>Remove `shift_terminal`</source>
        <translation>`shift_terminal`を削除してください</translation>
    </message>
    <message>
        <source>`num_train_timesteps` is {}</source>
        <translation>`num_train_timesteps`が{}です</translation>
    </message>
    <message>
        <source>It must be at least 1</source>
        <translation>1以上でなければなりません</translation>
    </message>
    <message>
        <source>`solver_order` is {}</source>
        <translation>`solver_order`が{}です</translation>
    </message>
    <message>
        <source>Use 1, 2 or 3</source>
        <translation>1、2、3のいずれかを使ってください</translation>
    </message>
    <message>
        <source>the flow shift is {:f}</source>
        <translation>フローシフトが{}です</translation>
    </message>
    <message>
        <source>It must be above 0</source>
        <translation>0より大きくなければなりません</translation>
    </message>
    <message>
        <source>`final_sigmas_type` &quot;sigma_min&quot; has no meaning in {}</source>
        <translation>`final_sigmas_type`の&quot;sigma_min&quot;は{}では意味を持ちません</translation>
    </message>
    <message>
        <source>Use &quot;zero&quot;</source>
        <translation>&quot;zero&quot;を使ってください</translation>
    </message>
    <message>
        <source>`predict_x0` is false, which a flow model cannot be sampled with</source>
        <translation>`predict_x0`がfalseですが、それではフローモデルをサンプリングできません</translation>
    </message>
    <message>
        <source>Set it to true</source>
        <translation>trueにしてください</translation>
    </message>
    <message>
        <source>custom sigmas need the evenly spaced flow schedule of {}</source>
        <translation>独自のシグマには、{}の等間隔のフロースケジュールが必要です</translation>
    </message>
    <message>
        <source>Switch `use_karras_sigmas` and `use_exponential_sigmas` off</source>
        <translation>`use_karras_sigmas`と`use_exponential_sigmas`を無効にしてください</translation>
    </message>
    <message>
        <source>a picture {} pixels wide does not hold {} frames side by side</source>
        <translation>幅{}ピクセルの画像に{}フレームを横に並べたものとしては分割できません</translation>
    </message>
    <message>
        <source>the folder cannot be made: {}</source>
        <translation>フォルダーを作れません: {}</translation>
    </message>
    <message>
        <source>Choose another with --out</source>
        <translation>--outで別のものを選んでください</translation>
    </message>
    <message>
        <source>the folder holds an evaluation of another model or other settings</source>
        <translation>フォルダーに、別のモデルまたは別の設定の評価があります</translation>
    </message>
    <message>
        <source>Choose another with --out, or delete it</source>
        <translation>--outで別のものを選ぶか、それを削除してください</translation>
    </message>
    <message>
        <source>the sheet holds {} first frames where {} are wanted</source>
        <translation>シートにある最初のフレームは{}個ですが、{}個必要です</translation>
    </message>
    <message>
        <source>Restore the file, or make it again with tools/train-tiny-wan/make_first_frames.py</source>
        <translation>ファイルを復元するか、tools/train-tiny-wan/make_first_frames.pyで作り直してください</translation>
    </message>
    <message>
        <source>Restore the file, or make it again with tools/train-tiny-wan/make_prompts.py</source>
        <translation>ファイルを復元するか、tools/train-tiny-wan/make_prompts.pyで作り直してください</translation>
    </message>
    <message>
        <source>prompt {} asks for &quot;{}&quot;, which nothing here can measure</source>
        <translation>プロンプト{}が求める「{}」は、ここでは測定できません</translation>
    </message>
    <message>
        <source>prompt {} is empty</source>
        <translation>プロンプト{}が空です</translation>
    </message>
    <message>
        <source>prompt {} lacks the text &quot;{}&quot;</source>
        <translation>プロンプト{}にテキスト「{}」がありません</translation>
    </message>
    <message>
        <source>the file holds no list of prompts</source>
        <translation>ファイルにプロンプトのリストがありません</translation>
    </message>
    <message>
        <source>a run makes one video</source>
        <translation>1回の実行で作る動画は1本です</translation>
    </message>
    <message>
        <source>Leave the batch out</source>
        <translation>バッチの指定を外してください</translation>
    </message>
    <message>
        <source>The sweep&apos;s folder cannot be made: {}</source>
        <translation>一括計測のフォルダーを作れません: {}</translation>
    </message>
    <message>
        <source>Choose another with -o</source>
        <translation>-oで別のものを選んでください</translation>
    </message>
    <message>
        <source>The folder holds rows of another sweep, or of this one before it was changed</source>
        <translation>フォルダーに、別の一括計測の行か、変更前のこの一括計測の行があります</translation>
    </message>
    <message>
        <source>Choose another folder with -o, or remove this one</source>
        <translation>-oで別のフォルダーを選ぶか、このフォルダーを削除してください</translation>
    </message>
    <message>
        <source>Choose {} or {}</source>
        <translation>{}か{}を選んでください</translation>
    </message>
    <message>
        <source>dot_product has no blocks to tune</source>
        <translation>dot_productには調整するブロックがありません</translation>
    </message>
    <message>
        <source>Choose flash, or another mode that `meshreel modes` lists with a blocked kernel</source>
        <translation>flashか、`meshreel modes`の一覧でブロック化カーネルを使う別のモードを選んでください</translation>
    </message>
    <message>
        <source>tiles are tuned on the threads of one process</source>
        <translation>タイルの調整は1つのプロセスのスレッドで行います</translation>
    </message>
    <message>
        <source>Tune without mpirun, with `devices` as many as one host runs</source>
        <translation>mpirunを使わず、`devices`を1台のホストで動く数にして調整してください</translation>
    </message>
    <message>
        <source>the precompiled character map is not base64</source>
        <translation>コンパイル済み文字マップがbase64ではありません</translation>
    </message>
    <message>
        <source>Download the file again</source>
        <translation>ファイルをダウンロードし直してください</translation>
    </message>
    <message>
        <source>the pattern &apos;{:.80}&apos; is not understood</source>
        <translation>パターン「{}」を解釈できません</translation>
    </message>
    <message>
        <source>Remove tokenizer.json to use spiece.model instead</source>
        <translation>代わりにspiece.modelを使うには、tokenizer.jsonを削除してください</translation>
    </message>
    <message>
        <source>the normalizer &apos;{:.80}&apos; is not supported</source>
        <translation>ノーマライザー「{}」には対応していません</translation>
    </message>
    <message>
        <source>the prepend_scheme &apos;{:.80}&apos; is not supported</source>
        <translation>prepend_scheme「{}」には対応していません</translation>
    </message>
    <message>
        <source>an empty metaspace replacement is not supported</source>
        <translation>空のMetaspace置換文字には対応していません</translation>
    </message>
    <message>
        <source>the pre-tokenizer &apos;{:.80}&apos; is not supported</source>
        <translation>プレトークナイザー「{}」には対応していません</translation>
    </message>
    <message>
        <source>the precompiled character map is damaged</source>
        <translation>コンパイル済み文字マップが破損しています</translation>
    </message>
    <message>
        <source>the precompiled character map is not UTF-8</source>
        <translation>コンパイル済み文字マップがUTF-8ではありません</translation>
    </message>
    <message>
        <source>this is not a SentencePiece model</source>
        <translation>これはSentencePieceモデルではありません</translation>
    </message>
    <message>
        <source>The file is damaged: download it again</source>
        <translation>ファイルが破損しています。ダウンロードし直してください</translation>
    </message>
    <message>
        <source>the SentencePiece model has no piece for end of text or for padding</source>
        <translation>SentencePieceモデルに、テキスト終端またはパディング用のピースがありません</translation>
    </message>
    <message>
        <source>Use the tokenizer that belongs to the model</source>
        <translation>モデルに対応するトークナイザーを使ってください</translation>
    </message>
    <message>
        <source>the folder holds neither {} nor {}</source>
        <translation>フォルダーに{}も{}もありません</translation>
    </message>
    <message>
        <source>Download the tokenizer of the model into it</source>
        <translation>モデルのトークナイザーをそこにダウンロードしてください</translation>
    </message>
    <message>
        <source>{} tokens do not hold the {} that surround every text</source>
        <translation>{}トークンでは、すべてのテキストの前後に付く{}トークンが収まりません</translation>
    </message>
    <message>
        <source>Use 512, as the model was trained</source>
        <translation>モデルの学習時と同じ512を使ってください</translation>
    </message>
    <message>
        <source>the post-processor &apos;{:.80}&apos; is not supported</source>
        <translation>ポストプロセッサー「{}」には対応していません</translation>
    </message>
    <message>
        <source>the pad token &apos;{:.80}&apos; is not among its tokens</source>
        <translation>パディング用トークン「{}」がトークンの中にありません</translation>
    </message>
    <message>
        <source>this is not laid out as a tokenizer ({})</source>
        <translation>これはトークナイザーの構成になっていません（{}）</translation>
    </message>
    <message>
        <source>a text is too long to be normalised</source>
        <translation>テキストが長すぎて正規化できません</translation>
    </message>
    <message>
        <source>Shorten it</source>
        <translation>短くしてください</translation>
    </message>
    <message>
        <source>the tokenizer model &apos;{:.80}&apos; is not supported, only Unigram is</source>
        <translation>トークナイザーモデル「{}」には対応していません。対応しているのはUnigramだけです</translation>
    </message>
    <message>
        <source>unk_id {} is none of the {} pieces</source>
        <translation>unk_id {}が{}個のピースのどれでもありません</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is in no piece, and there is none for unknown characters</source>
        <translation>「{}」を含むピースがなく、未知の文字用のピースもありません</translation>
    </message>
    <message>
        <source>There is no chart of the kind &quot;{}&quot;</source>
        <translation>「{}」という種類のグラフはありません</translation>
    </message>
    <message>
        <source>a quoted field of this table does not end</source>
        <translation>この表に、引用符が閉じていないフィールドがあります</translation>
    </message>
    <message>
        <source>The file was changed by another program; restore it from a copy, or remove it: the run needs it for its lanes only</source>
        <translation>ファイルが別のプログラムに変更されています。コピーから復元するか、削除してください。この実行ではデバイスのレーンの表示にだけ必要です</translation>
    </message>
    <message>
        <source>The devices of step {} are not in their order</source>
        <translation>ステップ{}のデバイスの順序が正しくありません</translation>
    </message>
    <message>
        <source>There is no timing summary in it</source>
        <translation>計時サマリーが含まれていません</translation>
    </message>
    <message>
        <source>Give a run folder, or a text that holds a block with the title TIMING SUMMARY</source>
        <translation>実行フォルダーか、表題がTIMING SUMMARYのブロックを含むテキストを指定してください</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is not a row of {}</source>
        <translation>「{}」は{}の行ではありません</translation>
    </message>
    <message>
        <source>The file was changed by another program; restore it from a copy</source>
        <translation>ファイルが別のプログラムに変更されています。コピーから復元してください</translation>
    </message>
    <message>
        <source>Give tile_size_grid_search.csv as meshreel tune PROJECT --out-dir writes it</source>
        <translation>meshreel tune PROJECT --out-dir が書き出すtile_size_grid_search.csvを指定してください</translation>
    </message>
    <message>
        <source>A chart of tiles shows one search, or runs</source>
        <translation>タイルのグラフに表示できるのは、1つの探索か、実行です</translation>
    </message>
    <message>
        <source>Name the search alone</source>
        <translation>探索だけを指定してください</translation>
    </message>
    <message>
        <source>Block sizes can only be told apart beside the same video, attention and mesh</source>
        <translation>ブロックサイズは、動画、アテンション、メッシュが同じ場合にだけ比べられます</translation>
    </message>
    <message>
        <source>Name runs that differ in block_q and block_kv only</source>
        <translation>block_qとblock_kvだけが異なる実行を指定してください</translation>
    </message>
    <message>
        <source>Nothing that this tile search tried ran</source>
        <translation>このタイル探索で試したものは、どれも動作しませんでした</translation>
    </message>
    <message>
        <source>Its column detail says why</source>
        <translation>理由は列detailにあります</translation>
    </message>
    <message>
        <source>None of these runs finished a step</source>
        <translation>ステップを完了した実行がありません</translation>
    </message>
    <message>
        <source>Name runs that got as far as denoising, or the table of meshreel tune --out-dir</source>
        <translation>ノイズ除去まで進んだ実行か、meshreel tune --out-dir の表を指定してください</translation>
    </message>
    <message>
        <source>The line &quot;{}&quot; has no seconds</source>
        <translation>行「{}」に秒数がありません</translation>
    </message>
    <message>
        <source>Paste the block as it was printed: &quot;Compile:   144.3s&quot;</source>
        <translation>ブロックを出力されたとおりに貼り付けてください: &quot;Compile:   144.3s&quot;</translation>
    </message>
    <message>
        <source>A timing summary lacks its row &quot;{}&quot;</source>
        <translation>計時サマリーに行「{}」がありません</translation>
    </message>
    <message>
        <source>Paste the whole block</source>
        <translation>ブロック全体を貼り付けてください</translation>
    </message>
    <message>
        <source>This is not a Chrome trace: {}</source>
        <translation>これはChromeトレースではありません: {}</translation>
    </message>
    <message>
        <source>Repeat the run to get its trace.json again</source>
        <translation>実行をやり直してtrace.jsonを作り直してください</translation>
    </message>
    <message>
        <source>This is a defect of Meshreel; please report it with this line</source>
        <translation>これはMeshreelの不具合です。この行を添えて報告してください</translation>
    </message>
    <message>
        <source>an output is not a finite number</source>
        <translation>出力に有限でない数があります</translation>
    </message>
    <message>
        <source>{} bytes were moved, and {} should have been</source>
        <translation>移動したのは{}バイトですが、{}バイトのはずでした</translation>
    </message>
    <message>
        <source>device {} computed heads from {} to {}</source>
        <translation>デバイス{}がヘッド{}～{}を計算しました</translation>
    </message>
    <message>
        <source>keys were rotated {} times, and should have been {}</source>
        <translation>キーは{}回巡回しましたが、{}回のはずでした</translation>
    </message>
    <message>
        <source>{} ran instead</source>
        <translation>代わりに{}が動作しました</translation>
    </message>
    <message>
        <source>there is no group &apos;{}&apos;</source>
        <translation>グループ「{}」はありません</translation>
    </message>
    <message>
        <source>Choose among {}</source>
        <translation>次から選んでください: {}</translation>
    </message>
    <message>
        <source>Give what meshreel bench --json printed, or a file that meshreel bench --append wrote</source>
        <translation>meshreel bench --json の出力か、meshreel bench --append が書き出したファイルを指定してください</translation>
    </message>
    <message>
        <source>No row of this measurement tells operations and bytes beside the machine&apos;s limits</source>
        <translation>この計測結果には、マシンの限界と並べて演算数とバイト数を示す行がありません</translation>
    </message>
    <message>
        <source>A line of this file is no measurement of meshreel bench</source>
        <translation>このファイルに、meshreel benchの計測結果ではない行があります</translation>
    </message>
    <message>
        <source>This file holds no measurement</source>
        <translation>このファイルに計測結果がありません</translation>
    </message>
    <message>
        <source>Choose wan2.1-t2v-1.3b or wan2.1-t2v-14b</source>
        <translation>wan2.1-t2v-1.3bかwan2.1-t2v-14bを選んでください</translation>
    </message>
    <message>
        <source>{}x{}x{} is no size of a video</source>
        <translation>{}x{}x{}は動画の大きさとして使えません</translation>
    </message>
    <message>
        <source>Choose sides that 16 divides and 4n + 1 frames: 832x480x17</source>
        <translation>16の倍数の辺と4n + 1のフレーム数を選んでください: 832x480x17</translation>
    </message>
    <message>
        <source>{} of {} is impossible</source>
        <translation>{}に{}は指定できません</translation>
    </message>
    <message>
        <source>Use 1 or more</source>
        <translation>1以上にしてください</translation>
    </message>
    <message>
        <source>{} devices are too many</source>
        <translation>デバイス{}台は多すぎます</translation>
    </message>
    <message>
        <source>Use at most {}</source>
        <translation>{}以下にしてください</translation>
    </message>
    <message>
        <source>A tensor of this attention would not fit any memory</source>
        <translation>このアテンションのテンソルはどんなメモリにも収まりません</translation>
    </message>
    <message>
        <source>Use a smaller batch, sequence, head count or head size</source>
        <translation>バッチ、シーケンス、ヘッド数、ヘッド次元のいずれかを小さくしてください</translation>
    </message>
    <message>
        <source>A probability of {} is impossible</source>
        <translation>確率{}は指定できません</translation>
    </message>
    <message>
        <source>Use 0 to 1</source>
        <translation>0～1を使ってください</translation>
    </message>
    <message>
        <source>{} of {} keys cannot be masked</source>
        <translation>{1}個のキーのうち{0}個をマスクすることはできません</translation>
    </message>
    <message>
        <source>Use 0 to {}</source>
        <translation>0～{}を使ってください</translation>
    </message>
    <message>
        <source>There is no row {} in a batch of {}</source>
        <translation>大きさ{1}のバッチに行{0}はありません</translation>
    </message>
    <message>
        <source>{} does not divide the devices by ulysses_shards, so that {} means nothing</source>
        <translation>{}はデバイスをulysses_shardsで分けないため、{}は意味を持ちません</translation>
    </message>
    <message>
        <source>Leave it out, or use one of the ulysses_ring modes</source>
        <translation>指定しないか、ulysses_ring系モードのいずれかを使ってください</translation>
    </message>
    <message>
        <source>Attention does not run in {}</source>
        <translation>アテンションは{}では動作しません</translation>
    </message>
    <message>
        <source>Use f32 or bf16</source>
        <translation>f32かbf16を使ってください</translation>
    </message>
    <message>
        <source>The gain is not a number</source>
        <translation>gainが数ではありません</translation>
    </message>
    <message>
        <source>Use a finite number, such as 6</source>
        <translation>6などの有限の数を使ってください</translation>
    </message>
    <message>
        <source>`{}` has more rows than max_sequence_length</source>
        <translation>`{}`の行数がmax_sequence_lengthを超えています</translation>
    </message>
    <message>
        <source>Restore the golden case</source>
        <translation>ゴールデンケースを復元してください</translation>
    </message>
    <message>
        <source>The case is of the class {}, which Meshreel cannot run yet</source>
        <translation>ケースのクラス{}は、Meshreelではまだ実行できません</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is not a number</source>
        <translation>「{}」は数ではありません</translation>
    </message>
    <message>
        <source>custom.json has no sigmas for &quot;{}&quot;</source>
        <translation>custom.jsonに「{}」のシグマがありません</translation>
    </message>
    <message>
        <source>This is no table of texts and their ids</source>
        <translation>これはテキストとIDの表ではありません</translation>
    </message>
    <message>
        <source>something is there already</source>
        <translation>すでに何かがあります</translation>
    </message>
    <message>
        <source>Choose a folder that does not exist yet, or remove it first</source>
        <translation>まだ存在しないフォルダーを選ぶか、先に削除してください</translation>
    </message>
    <message>
        <source>{} of weights do not fit on the disk, which has {} left</source>
        <translation>{}の重みがディスクに収まりません。空きは{}です</translation>
    </message>
    <message>
        <source>Choose fewer --layers, --sparse or another disk</source>
        <translation>--layersを減らすか、--sparseまたは別のディスクを選んでください</translation>
    </message>
    <message>
        <source>no whole model is made around {}</source>
        <translation>{}を中心にモデル全体を作ることはできません</translation>
    </message>
    <message>
        <source>Choose {}1.3b or {}14b, or make each component by itself</source>
        <translation>{}1.3bか{}14bを選ぶか、各部品を個別に作ってください</translation>
    </message>
    <message>
        <source>there is no part &apos;{}&apos;</source>
        <translation>部品「{}」はありません</translation>
    </message>
    <message>
        <source>Golden cases of the kind &quot;{}&quot; are not known yet</source>
        <translation>「{}」という種類のゴールデンケースにはまだ対応していません</translation>
    </message>
    <message>
        <source>This version checks {}</source>
        <translation>このバージョンで検証できるもの: {}</translation>
    </message>
    <message>
        <source>A JSON file of the case is not of the expected form: {}</source>
        <translation>ケースのJSONファイルが所定の形式ではありません: {}</translation>
    </message>
    <message>
        <source>`{}` is {}, not a text</source>
        <translation>`{}`が{}で、テキストではありません</translation>
    </message>
    <message>
        <source>Give the folder of a case</source>
        <translation>ケースのフォルダーを指定してください</translation>
    </message>
    <message>
        <source>The case has no `kind`</source>
        <translation>ケースに`kind`がありません</translation>
    </message>
    <message>
        <source>The case has no number `tolerance.{}`</source>
        <translation>ケースに数`tolerance.{}`がありません</translation>
    </message>
    <message>
        <source>(none)</source>
        <translation>（なし）</translation>
    </message>
    <message>
        <source>Cases of the class {} are not known yet; kind {} is checked for {}</source>
        <translation>クラス{}のケースにはまだ対応していません。種類{}で検証するもの: {}</translation>
    </message>
    <message>
        <source>Verify it with a newer Meshreel</source>
        <translation>新しいMeshreelで検証してください</translation>
    </message>
    <message>
        <source>The case gives the model the input `{}`, which Meshreel cannot run yet</source>
        <translation>ケースがモデルに与える入力`{}`は、Meshreelではまだ実行できません</translation>
    </message>
    <message>
        <source>Use none, tail:K or head:K (the last or first K keys), row:B (all keys of batch row B) or random:P (each key with probability P)</source>
        <translation>none、tail:Kまたはhead:K（最後または最初のK個のキー）、row:B（バッチの行Bの全キー）、random:P（各キーを確率Pで）のいずれかを使ってください</translation>
    </message>
    <message>
        <source>The case does not say how the pipeline was called</source>
        <translation>ケースに、パイプラインの呼び出し方の記載がありません</translation>
    </message>
    <message>
        <source>Restore its README.md, whose line &quot;Call:&quot; holds the arguments</source>
        <translation>README.mdを復元してください。&quot;Call:&quot;の行に引数があります</translation>
    </message>
    <message>
        <source>The case calls the pipeline with `{}`, which Meshreel cannot run yet</source>
        <translation>ケースはパイプラインを`{}`付きで呼び出しますが、Meshreelではまだ実行できません</translation>
    </message>
    <message>
        <source>An argument of the pipeline call is of the wrong type: {}</source>
        <translation>パイプライン呼び出しの引数に型の正しくないものがあります: {}</translation>
    </message>
    <message>
        <source>the cache cannot be written ({})</source>
        <translation>キャッシュに書き込めません（{}）</translation>
    </message>
    <message>
        <source>Set XDG_CACHE_HOME to a folder that you may write to, or run with --no-cache</source>
        <translation>XDG_CACHE_HOMEに書き込み権のあるフォルダーを設定するか、--no-cacheを付けて実行してください</translation>
    </message>
    <message>
        <source>the packed weights are of another model</source>
        <translation>パック済みの重みは別のモデルのものです</translation>
    </message>
    <message>
        <source>Clear the cache (meshreel cache clear --weights): it is made again</source>
        <translation>キャッシュを消去してください（meshreel cache clear --weights）。作り直されます</translation>
    </message>
    <message>
        <source>the file of packed weights is too short</source>
        <translation>パック済みの重みのファイルが短すぎます</translation>
    </message>
    <message>
        <source>this is not a file of packed weights of this version</source>
        <translation>これはこのバージョンのパック済みの重みのファイルではありません</translation>
    </message>
    <message>
        <source>the file of packed weights is not complete</source>
        <translation>パック済みの重みのファイルが不完全です</translation>
    </message>
    <message>
        <source>the directory of the packed weights is damaged</source>
        <translation>パック済みの重みの目次が破損しています</translation>
    </message>
    <message>
        <source>the packed &apos;{}&apos; lies outside its file</source>
        <translation>パック済みの「{}」がファイルの範囲外にあります</translation>
    </message>
    <message>
        <source>the directory of the packed weights is malformed: {}</source>
        <translation>パック済みの重みの目次の形式が正しくありません: {}</translation>
    </message>
    <message>
        <source>the packed &apos;{}&apos; is damaged</source>
        <translation>パック済みの「{}」が破損しています</translation>
    </message>
    <message>
        <source>the packed weights could not be written ({})</source>
        <translation>パック済みの重みを書き込めませんでした（{}）</translation>
    </message>
    <message>
        <source>Free some space, set XDG_CACHE_HOME to another disk, or run with --no-cache</source>
        <translation>空き容量を増やすか、XDG_CACHE_HOMEを別のディスクに設定するか、--no-cacheを付けて実行してください</translation>
    </message>
    <message>
        <source>Clear the cache ({}): it is made again</source>
        <translation>キャッシュを消去してください（{}）。作り直されます</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is not a number of GiB</source>
        <translation>「{}」はGiB単位の数ではありません</translation>
    </message>
    <message>
        <source>Set it to the size that the cache of packed weights may reach</source>
        <translation>パック済みの重みのキャッシュの上限サイズを設定してください</translation>
    </message>
    <message>
        <source>the folder holds none of {}</source>
        <translation>フォルダーに次のどれもありません: {}</translation>
    </message>
    <message>
        <source>Download the weights into it, or choose another model</source>
        <translation>そこに重みをダウンロードするか、別のモデルを選んでください</translation>
    </message>
    <message>
        <source>It holds several other files of weights ({}): give the path of one</source>
        <translation>他の重みファイルが複数あります（{}）。いずれかのパスを指定してください</translation>
    </message>
    <message>
        <source>there is no such file or folder</source>
        <translation>そのようなファイルやフォルダーはありません</translation>
    </message>
    <message>
        <source>Check the path of the model</source>
        <translation>モデルのパスを確認してください</translation>
    </message>
    <message>
        <source>the index has no weight_map {{tensor: file}}</source>
        <translation>インデックスにweight_map {{tensor: file}} がありません</translation>
    </message>
    <message>
        <source>Download the index again</source>
        <translation>インデックスをダウンロードし直してください</translation>
    </message>
    <message>
        <source>Download the index from the model&apos;s own repository</source>
        <translation>モデル本来のリポジトリからインデックスをダウンロードしてください</translation>
    </message>
    <message>
        <source>{} of {} shards are missing: {}</source>
        <translation>{1}個のシャードのうち{0}個がありません: {2}</translation>
    </message>
    <message>
        <source>Download them into the same folder</source>
        <translation>同じフォルダーにダウンロードしてください</translation>
    </message>
    <message>
        <source>its shape {} is not that of the original model</source>
        <translation>形状{}が元のモデルの形状ではありません</translation>
    </message>
    <message>
        <source>The file is of another model, or damaged</source>
        <translation>ファイルが別のモデルのものか、破損しています</translation>
    </message>
    <message>
        <source>the index places it in {}, which does not hold it</source>
        <translation>インデックスでは{}にありますが、そのファイルに含まれていません</translation>
    </message>
    <message>
        <source>Download index and shards again, from one revision of the model</source>
        <translation>インデックスとシャードを、モデルの同じリビジョンからダウンロードし直してください</translation>
    </message>
    <message>
        <source>the file says that its fp8 weights are scaled ({}), but this one has no scale</source>
        <translation>ファイルではfp8の重みにスケールがあることになっていますが（{}）、この重みにはありません</translation>
    </message>
    <message>
        <source>The file is incomplete: get it again, or another one</source>
        <translation>ファイルが不完全です。入手し直すか、別のものを入手してください</translation>
    </message>
    <message>
        <source>the checkpoint holds no such tensor</source>
        <translation>チェックポイントにそのようなテンソルはありません</translation>
    </message>
    <message>
        <source>The weights and config.json are of different models</source>
        <translation>重みとconfig.jsonのモデルが異なります</translation>
    </message>
    <message>
        <source>The nearest name is &apos;{}&apos;: the weights and config.json may be of different models</source>
        <translation>最も近い名前は「{}」です。重みとconfig.jsonのモデルが異なるのかもしれません</translation>
    </message>
    <message>
        <source>its shape is {}, but {} was expected</source>
        <translation>形状は{}ですが、{}のはずでした</translation>
    </message>
    <message>
        <source>its scale has shape {}: neither one number nor one for each of its rows</source>
        <translation>スケールの形状が{}で、1つの数でも行ごとの数でもありません</translation>
    </message>
    <message>
        <source>Use a file with one scale for each weight</source>
        <translation>重みごとに1つのスケールを持つファイルを使ってください</translation>
    </message>
    <message>
        <source>The file is damaged or incomplete: download it again</source>
        <translation>ファイルが破損しているか不完全です。ダウンロードし直してください</translation>
    </message>
    <message>
        <source>something is said to lie at byte {}, but there are only {} bytes (truncated)</source>
        <translation>バイト{}に何かがあるはずですが、全体で{}バイトしかありません（途中で切れています）</translation>
    </message>
    <message>
        <source>{} bytes are wanted at byte {}, but only {} are left (truncated)</source>
        <translation>バイト{1}から{0}バイト必要ですが、残りは{2}バイトだけです（途中で切れています）</translation>
    </message>
    <message>
        <source>the file says it holds {} tensors, more than fit into it</source>
        <translation>ファイルにあるはずのテンソルは{}個で、ファイルに収まる数を超えています</translation>
    </message>
    <message>
        <source>this GGUF file is big-endian, which is not supported</source>
        <translation>このGGUFファイルはビッグエンディアンで、対応していません</translation>
    </message>
    <message>
        <source>Get the little-endian file</source>
        <translation>リトルエンディアンのファイルを入手してください</translation>
    </message>
    <message>
        <source>this is GGUF version {}</source>
        <translation>これはGGUFバージョン{}です</translation>
    </message>
    <message>
        <source>Versions 2 and 3 are read: convert the file with a newer tool, or get another one</source>
        <translation>読み込めるのはバージョン2と3です。新しいツールで変換するか、別のファイルを入手してください</translation>
    </message>
    <message>
        <source>the metadata &apos;{}&apos; is given twice</source>
        <translation>メタデータ「{}」が2回指定されています</translation>
    </message>
    <message>
        <source>{} is {}, not a power of two</source>
        <translation>{}が{}で、2のべき乗ではありません</translation>
    </message>
    <message>
        <source>a metadata value is of the unknown type {}</source>
        <translation>メタデータの値が未知の型{}です</translation>
    </message>
    <message>
        <source>metadata lists are nested deeper than {} levels</source>
        <translation>メタデータのリストの入れ子が{}段を超えています</translation>
    </message>
    <message>
        <source>a metadata list says it has {} items, more than fit into the file</source>
        <translation>メタデータのリストにあるはずの項目は{}個で、ファイルに収まる数を超えています</translation>
    </message>
    <message>
        <source>it has {} axes; at most {} are read</source>
        <translation>軸が{}本あります。読み込めるのは{}本までです</translation>
    </message>
    <message>
        <source>its shape is larger than any memory</source>
        <translation>形状がどんなメモリにも収まらない大きさです</translation>
    </message>
    <message>
        <source>its rows of {} elements are no whole number of {} blocks of {}</source>
        <translation>1行{0}要素が、{2}要素の{1}ブロックの整数倍ではありません</translation>
    </message>
    <message>
        <source>its offset {} is not a multiple of the alignment {}</source>
        <translation>オフセット{}がアライメント{}の倍数ではありません</translation>
    </message>
    <message>
        <source>its {} bytes at {} do not fit into the {} bytes of data (truncated)</source>
        <translation>位置{1}の{0}バイトが、データの{2}バイトに収まりません（途中で切れています）</translation>
    </message>
    <message>
        <source>it is given twice</source>
        <translation>2回指定されています</translation>
    </message>
    <message>
        <source>the shape that the metadata gives for it is no shape</source>
        <translation>メタデータにあるその形状が、形状として成り立ちません</translation>
    </message>
    <message>
        <source>the metadata gives it the shape {}, but it is stored as {}</source>
        <translation>メタデータでは形状が{}ですが、{}として保存されています</translation>
    </message>
    <message>
        <source>its data begins inside that of &apos;{}&apos;</source>
        <translation>データが「{}」のデータの途中から始まっています</translation>
    </message>
    <message>
        <source>GGUF has no type {}</source>
        <translation>GGUFに型{}はありません</translation>
    </message>
    <message>
        <source>Choose another type or another format</source>
        <translation>別の型か別の形式を選んでください</translation>
    </message>
    <message>
        <source>the JSON is nested deeper than {} levels</source>
        <translation>JSONの入れ子が{}段を超えています</translation>
    </message>
    <message>
        <source>the JSON key &apos;{:.80}&apos; is given twice</source>
        <translation>JSONのキー「{}」が2回指定されています</translation>
    </message>
    <message>
        <source>this is not valid JSON (byte {})</source>
        <translation>これは有効なJSONではありません（バイト{}）</translation>
    </message>
    <message>
        <source>this is not valid JSON</source>
        <translation>これは有効なJSONではありません</translation>
    </message>
    <message>
        <source>a JSON object was expected, this is of type {}</source>
        <translation>JSONオブジェクトのはずですが、型が{}です</translation>
    </message>
    <message>
        <source>the pickle does not start with its protocol</source>
        <translation>pickleがプロトコルで始まっていません</translation>
    </message>
    <message>
        <source>the pickle has protocol {}; {} to {} are read</source>
        <translation>pickleのプロトコルが{}です。読み込めるのは{}～{}です</translation>
    </message>
    <message>
        <source>the pickle holds the instruction 0x{:02X}, which weights do not need</source>
        <translation>pickleに、重みに不要な命令0x{}があります</translation>
    </message>
    <message>
        <source>the pickle takes more from its stack than it put there</source>
        <translation>pickleが、スタックに積んだ分より多く取り出しています</translation>
    </message>
    <message>
        <source>the pickle adds an item to something that takes none</source>
        <translation>pickleが、項目を受け取れないものに項目を追加しています</translation>
    </message>
    <message>
        <source>the pickle goes back to a mark that it did not set</source>
        <translation>pickleが、設定していないマークに戻ろうとしています</translation>
    </message>
    <message>
        <source>the pickle recalls number {}, which it did not store</source>
        <translation>pickleが、保存していない番号{}を呼び出しています</translation>
    </message>
    <message>
        <source>a dictionary of the pickle has a key without a value</source>
        <translation>pickleの辞書に、値のないキーがあります</translation>
    </message>
    <message>
        <source>the pickle holds a number of more than 64 bits</source>
        <translation>pickleに64ビットを超える数があります</translation>
    </message>
    <message>
        <source>a name in the pickle has no end</source>
        <translation>pickleに、終わりのない名前があります</translation>
    </message>
    <message>
        <source>the pickle names a global by something else than texts</source>
        <translation>pickleが、テキスト以外のものでグローバルを指定しています</translation>
    </message>
    <message>
        <source>the pickle wants &quot;{}&quot;, which weights do not need; it was not called</source>
        <translation>pickleが、重みに不要な「{}」を求めています。呼び出しはしませんでした</translation>
    </message>
    <message>
        <source>Do not trust this file; get the weights as safetensors, or save only the state dict</source>
        <translation>このファイルは信用しないでください。重みをsafetensorsで入手するか、state dictだけを保存してください</translation>
    </message>
    <message>
        <source>the pickle calls something that is no constructor of weights</source>
        <translation>pickleが、重みのコンストラクターではないものを呼び出しています</translation>
    </message>
    <message>
        <source>the pickle makes an OrderedDict from arguments</source>
        <translation>pickleが、引数からOrderedDictを作っています</translation>
    </message>
    <message>
        <source>the file holds no such tensor</source>
        <translation>ファイルにそのようなテンソルはありません</translation>
    </message>
    <message>
        <source>Check that this is the weights file of this model</source>
        <translation>このモデルの重みファイルか確認してください</translation>
    </message>
    <message>
        <source>The nearest name is &apos;{}&apos;</source>
        <translation>最も近い名前は「{}」です</translation>
    </message>
    <message>
        <source>its type {:.40} is not supported</source>
        <translation>型{}には対応していません</translation>
    </message>
    <message>
        <source>Use a checkpoint in F32, F16 or BF16</source>
        <translation>F32、F16、BF16のいずれかのチェックポイントを使ってください</translation>
    </message>
    <message>
        <source>this is a Git LFS pointer, not the weights themselves</source>
        <translation>これはGit LFSのポインターで、重みそのものではありません</translation>
    </message>
    <message>
        <source>Run &apos;git lfs pull&apos; in its repository, or download the file</source>
        <translation>そのリポジトリで&apos;git lfs pull&apos;を実行するか、ファイルをダウンロードしてください</translation>
    </message>
    <message>
        <source>the file has {} bytes, too few for a safetensors header</source>
        <translation>ファイルが{}バイトで、safetensorsのヘッダーには短すぎます</translation>
    </message>
    <message>
        <source>the header says it is {} bytes long; at most {} are allowed</source>
        <translation>ヘッダーの長さが{}バイトと記載されていますが、許されるのは{}バイトまでです</translation>
    </message>
    <message>
        <source>the header says it is {} bytes long, but the file has only {} bytes</source>
        <translation>ヘッダーの長さが{}バイトと記載されていますが、ファイルは{}バイトしかありません</translation>
    </message>
    <message>
        <source>the header does not start with &apos;{{&apos;: this is not a safetensors file</source>
        <translation>ヘッダーが&apos;{{&apos;で始まっていません。これはsafetensorsファイルではありません</translation>
    </message>
    <message>
        <source>the header gives no {}</source>
        <translation>ヘッダーに{}がありません</translation>
    </message>
    <message>
        <source>the shape is not a list of numbers</source>
        <translation>形状が数のリストではありません</translation>
    </message>
    <message>
        <source>the shape holds {:.40}, which is not a count</source>
        <translation>形状に個数ではない{}があります</translation>
    </message>
    <message>
        <source>the shape {:.80} is larger than any memory</source>
        <translation>形状{}はどんなメモリにも収まらない大きさです</translation>
    </message>
    <message>
        <source>the header describes it by something else than an object</source>
        <translation>ヘッダーでの記述がオブジェクトではありません</translation>
    </message>
    <message>
        <source>the dtype is not a text</source>
        <translation>dtypeがテキストではありません</translation>
    </message>
    <message>
        <source>data_offsets is not a pair of counts</source>
        <translation>data_offsetsが個数の組ではありません</translation>
    </message>
    <message>
        <source>its data begins at {} but ends at {}</source>
        <translation>データの始まりが{}なのに、終わりが{}です</translation>
    </message>
    <message>
        <source>its data ends at byte {}, but the file holds only {} bytes of data (truncated)</source>
        <translation>データの終わりがバイト{}ですが、ファイルのデータは{}バイトしかありません（途中で切れています）</translation>
    </message>
    <message>
        <source>shape {} of {} needs {} bytes, but data_offsets [{}, {}] hold {}</source>
        <translation>型{1}の形状{0}には{2}バイト必要ですが、data_offsets [{3}, {4}]は{5}バイトです</translation>
    </message>
    <message>
        <source>__metadata__ is not an object</source>
        <translation>__metadata__がオブジェクトではありません</translation>
    </message>
    <message>
        <source>the metadata &apos;{:.80}&apos; is not a text</source>
        <translation>メタデータ「{}」がテキストではありません</translation>
    </message>
    <message>
        <source>its data begins at {}, inside the tensor before it, which ends at {}</source>
        <translation>データが{}から始まっていますが、{}で終わる直前のテンソルの中です</translation>
    </message>
    <message>
        <source>its data begins at {}, behind a hole after the tensor before it, which ends at {}</source>
        <translation>データが{}から始まり、{}で終わる直前のテンソルとの間に隙間があります</translation>
    </message>
    <message>
        <source>{} bytes follow the last tensor, which no tensor describes</source>
        <translation>最後のテンソルの後に、どのテンソルにも属さない{}バイトがあります</translation>
    </message>
    <message>
        <source>safetensors has no type {}</source>
        <translation>safetensorsに型{}はありません</translation>
    </message>
    <message>
        <source>Write a file whose name ends in .gguf</source>
        <translation>名前が.ggufで終わるファイルに書き出してください</translation>
    </message>
    <message>
        <source>the weights could not be written ({})</source>
        <translation>重みを書き込めませんでした（{}）</translation>
    </message>
    <message>
        <source>Free some space or choose another disk</source>
        <translation>空き容量を増やすか、別のディスクを選んでください</translation>
    </message>
    <message>
        <source>this is not a GGUF file: it does not start with &quot;GGUF&quot;</source>
        <translation>これはGGUFファイルではありません。&quot;GGUF&quot;で始まっていません</translation>
    </message>
    <message>
        <source>this is not a checkpoint that torch.save() wrote</source>
        <translation>これはtorch.save()が書き出したチェックポイントではありません</translation>
    </message>
    <message>
        <source>It may be a Git LFS pointer or the page of an error: download the file again</source>
        <translation>Git LFSのポインターかエラーページかもしれません。ファイルをダウンロードし直してください</translation>
    </message>
    <message>
        <source>The file is damaged or no checkpoint: get it again, or as safetensors</source>
        <translation>ファイルが破損しているか、チェックポイントではありません。入手し直すか、safetensorsで入手してください</translation>
    </message>
    <message>
        <source>its numbers are not little-endian</source>
        <translation>数値がリトルエンディアンではありません</translation>
    </message>
    <message>
        <source>its pickle holds no tensors by name</source>
        <translation>pickleに名前付きのテンソルがありません</translation>
    </message>
    <message>
        <source>argument {} of {} is not what it should be</source>
        <translation>{1}の引数{0}が所定のものではありません</translation>
    </message>
    <message>
        <source>its shape or strides hold something else than counts</source>
        <translation>形状またはストライドに個数以外のものがあります</translation>
    </message>
    <message>
        <source>the parameter holds no tensor</source>
        <translation>パラメーターにテンソルがありません</translation>
    </message>
    <message>
        <source>its storage has no type</source>
        <translation>ストレージに型がありません</translation>
    </message>
    <message>
        <source>its type {} is not known</source>
        <translation>型{}は未知の型です</translation>
    </message>
    <message>
        <source>its storage is not described by five parts</source>
        <translation>ストレージの記述が5つの部分になっていません</translation>
    </message>
    <message>
        <source>part {} of its storage&apos;s description is not what it should be</source>
        <translation>ストレージの記述の部分{}が所定のものではありません</translation>
    </message>
    <message>
        <source>it refers to something else than a storage</source>
        <translation>ストレージ以外のものを参照しています</translation>
    </message>
    <message>
        <source>its storage data/{} is not in the archive</source>
        <translation>ストレージdata/{}がアーカイブにありません</translation>
    </message>
    <message>
        <source>its shape, strides and offset do not fit together</source>
        <translation>形状、ストライド、オフセットが整合していません</translation>
    </message>
    <message>
        <source>shape {} at element {} does not lie in its storage of {} elements</source>
        <translation>要素{1}からの形状{0}が、{2}要素のストレージに収まりません</translation>
    </message>
    <message>
        <source>this file is in the form that PyTorch wrote before version 1.6</source>
        <translation>このファイルは、バージョン1.6より前のPyTorchが書き出した形式です</translation>
    </message>
    <message>
        <source>Get the weights as safetensors, or load and save them with a newer PyTorch</source>
        <translation>重みをsafetensorsで入手するか、新しいPyTorchで読み込んで保存し直してください</translation>
    </message>
    <message>
        <source>the archive says it holds {} files, more than fit into it</source>
        <translation>アーカイブにあるはずのファイルは{}個で、アーカイブに収まる数を超えています</translation>
    </message>
    <message>
        <source>the archive is too short</source>
        <translation>アーカイブが短すぎます</translation>
    </message>
    <message>
        <source>the archive has no directory (truncated)</source>
        <translation>アーカイブに目次がありません（途中で切れています）</translation>
    </message>
    <message>
        <source>the archive is one of several parts</source>
        <translation>アーカイブは分割されたものの1つです</translation>
    </message>
    <message>
        <source>the zip64 archive is too short</source>
        <translation>zip64アーカイブが短すぎます</translation>
    </message>
    <message>
        <source>the archive has no zip64 locator where it should be</source>
        <translation>アーカイブの所定の位置にzip64ロケーターがありません</translation>
    </message>
    <message>
        <source>the archive has no zip64 end record where it should be</source>
        <translation>アーカイブの所定の位置にzip64終端レコードがありません</translation>
    </message>
    <message>
        <source>the archive has no directory entry where it should be</source>
        <translation>アーカイブの所定の位置に目次の項目がありません</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is encrypted in the archive</source>
        <translation>「{}」はアーカイブ内で暗号化されています</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is compressed in the archive</source>
        <translation>「{}」はアーカイブ内で圧縮されています</translation>
    </message>
    <message>
        <source>PyTorch stores weights uncompressed: get the original file, or unpack and pack it without compression</source>
        <translation>PyTorchは重みを圧縮せずに保存します。元のファイルを入手するか、展開してから無圧縮でまとめ直してください</translation>
    </message>
    <message>
        <source>&apos;{}&apos; lies behind the end of the archive (truncated)</source>
        <translation>「{}」がアーカイブの終わりより後にあります（途中で切れています）</translation>
    </message>
    <message>
        <source>the archive has no file header where it should be</source>
        <translation>アーカイブの所定の位置にファイルヘッダーがありません</translation>
    </message>
    <message>
        <source>&apos;{}&apos; has another name in its own header</source>
        <translation>「{}」の名前が自身のヘッダーでは異なります</translation>
    </message>
    <message>
        <source>&apos;{}&apos; and &apos;{}&apos; overlap in the archive</source>
        <translation>「{}」と「{}」がアーカイブ内で重なっています</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is in the archive twice</source>
        <translation>「{}」がアーカイブに2回含まれています</translation>
    </message>
    <message>
        <source>none of its keys fits the transformer</source>
        <translation>トランスフォーマーに合うキーが1つもありません</translation>
    </message>
    <message>
        <source>Use an adapter that was made for this model</source>
        <translation>このモデル用に作られたアダプターを使ってください</translation>
    </message>
    <message>
        <source>Choose a folder that a run of Meshreel was written into</source>
        <translation>Meshreel の実行が書き込まれたフォルダーを選んでください</translation>
    </message>
    <message>
        <source>Choose another file, or write audio: none</source>
        <translation>別のファイルを選ぶか、audio: none と書いてください</translation>
    </message>
    <message>
        <source>Convert it with a program that knows Dolby Vision: {}</source>
        <translation>Dolby Vision に対応したプログラムで変換してください: {}</translation>
    </message>
    <message>
        <source>Convert the sound, as with ffmpeg -i IN OUT.m4a for MP4 or OUT.webm for WebM, or write audio: none</source>
        <translation>ffmpeg -i IN OUT.m4a（MP4 用）や OUT.webm（WebM 用）などで音声を変換するか、audio: none と書いてください</translation>
    </message>
    <message>
        <source>Every frame, whatever the rate of the file.</source>
        <translation>ファイルのレートにかかわらず、すべてのフレーム。</translation>
    </message>
    <message>
        <source>If its colours look wrong, tag the file with the matrix that it has</source>
        <translation>色がおかしい場合は、ファイルに実際の行列のタグを付けてください</translation>
    </message>
    <message>
        <source>Metadata</source>
        <translation>メタデータ</translation>
    </message>
    <message>
        <source>Nothing: for videos that are given away.</source>
        <translation>何も書きません。人に渡す動画のためです。</translation>
    </message>
    <message>
        <source>Rate of inputs</source>
        <translation>入力のレート</translation>
    </message>
    <message>
        <source>Sound</source>
        <translation>音声</translation>
    </message>
    <message>
        <source>The prompt and the whole project, so that the video can be made again.</source>
        <translation>プロンプトとプロジェクト全体。動画を作り直せます。</translation>
    </message>
    <message>
        <source>Those that are on show at the times of fps, so that the motion keeps its speed; folders of frames have no rate and are taken one by one.</source>
        <translation>fps の各時刻に表示されているフレーム。動きの速さが保たれます。フレームのフォルダーにはレートがなく、一枚ずつ使われます。</translation>
    </message>
    <message>
        <source>To keep the speed of the motion, set input_fps: project</source>
        <translation>動きの速さを保つには、input_fps: project を設定してください</translation>
    </message>
    <message>
        <source>To take every frame, set fps: {}, or input_fps: keep</source>
        <translation>すべてのフレームを使うには、fps: {} または input_fps: keep を設定してください</translation>
    </message>
    <message>
        <source>To take every frame, set input_fps: keep</source>
        <translation>すべてのフレームを使うには、input_fps: keep を設定してください</translation>
    </message>
    <message>
        <source>What a video file, or the file beside it, says of how it was made.</source>
        <translation>動画ファイル、または隣のファイルが、作られ方について述べる内容。</translation>
    </message>
    <message>
        <source>Which frames of video, mask, pose_video, face_video and background_video are taken.</source>
        <translation>video、mask、pose_video、face_video、background_video のどのフレームを使うか。</translation>
    </message>
    <message>
        <source>its sound cannot be read ({})</source>
        <translation>音声を読めません（{}）</translation>
    </message>
    <message>
        <source>none of its keys fits the transformer: it was made for {}</source>
        <translation>どのキーもトランスフォーマーに合いません。{} 用に作られています</translation>
    </message>
    <message>
        <source>this is Dolby Vision of profile 5 (high dynamic range), whose colours Meshreel does not read</source>
        <translation>これは Dolby Vision プロファイル 5（ハイダイナミックレンジ）で、Meshreel はその色を読めません</translation>
    </message>
    <message>
        <source>{} is left out: {}</source>
        <translation>{} は省かれます: {}</translation>
    </message>
    <message>
        <source>{} layers of another shape are left out, first {}: {}</source>
        <translation>形の異なる {} 層は省かれます。最初は {}: {}</translation>
    </message>
    <message>
        <source>{}: {}: {} frames a second, each of which is taken and shown at {} a second</source>
        <translation>{}: {}: 毎秒 {} フレームのすべてを使い、毎秒 {} で表示します</translation>
    </message>
    <message>
        <source>{}: {}: high dynamic range ({}), tone-mapped to BT.709</source>
        <translation>{}: {}: ハイダイナミックレンジ（{}）を BT.709 にトーンマップします</translation>
    </message>
    <message>
        <source>{}: {}: the file does not say its colour matrix, {} is taken</source>
        <translation>{}: {}: ファイルに色の行列の記載がないため、{} とみなします</translation>
    </message>
    <message>
        <source>this is a {} adapter, which Meshreel does not apply</source>
        <translation>これは{}アダプターで、Meshreelでは適用できません</translation>
    </message>
    <message>
        <source>Use a LoRA, or one that its trainer exported as LoRA or merged into a model</source>
        <translation>LoRAか、学習ツールでLoRAとして書き出したもの、またはモデルに統合したものを使ってください</translation>
    </message>
    <message>
        <source>its shape {} does not fit {} {} of the transformer</source>
        <translation>形状{}がトランスフォーマーの{} {}に合いません</translation>
    </message>
    <message>
        <source>its shape {} with {} does not fit {} {} of the transformer</source>
        <translation>形状{}と{}の組がトランスフォーマーの{} {}に合いません</translation>
    </message>
    <message>
        <source>Use an adapter that was made for a model of this size</source>
        <translation>この大きさのモデル用に作られたアダプターを使ってください</translation>
    </message>
    <message>
        <source>its alpha is not one number</source>
        <translation>alphaが1つの数ではありません</translation>
    </message>
    <message>
        <source>Get the adapter again</source>
        <translation>アダプターを入手し直してください</translation>
    </message>
    <message>
        <source>the file was cut short while it was in use</source>
        <translation>使用中にファイルが切り詰められました</translation>
    </message>
    <message>
        <source>Leave it alone while Meshreel runs; restore it and start again</source>
        <translation>Meshreelの実行中はファイルを変更しないでください。復元してからやり直してください</translation>
    </message>
    <message>
        <source>{} bytes cannot be mapped into memory ({})</source>
        <translation>{}バイトをメモリにマップできません（{}）</translation>
    </message>
    <message>
        <source>Raise the limit on address space (ulimit -v)</source>
        <translation>アドレス空間の上限（ulimit -v）を上げてください</translation>
    </message>
    <message>
        <source>the file shrank from {} to {} bytes while it was in use</source>
        <translation>使用中にファイルが{}バイトから{}バイトに縮みました</translation>
    </message>
    <message>
        <source>a BOOL is neither 0 nor 1 but {}</source>
        <translation>BOOLの値が0でも1でもなく{}です</translation>
    </message>
    <message>
        <source>the weights are those of no part of a Wan model, whose other names are known</source>
        <translation>重みがWanモデルのどの部品のものでもないため、対応する別の名前が分かりません</translation>
    </message>
    <message>
        <source>Use --layout diffusers, which keeps the names</source>
        <translation>名前をそのまま残す--layout diffusersを使ってください</translation>
    </message>
    <message>
        <source>the source lacks a tensor that is a part of it</source>
        <translation>その一部となるテンソルが元のファイルにありません</translation>
    </message>
    <message>
        <source>Get the source again</source>
        <translation>元のファイルを入手し直してください</translation>
    </message>
    <message>
        <source>the file read back is not there with its shape</source>
        <translation>読み戻したファイルに、その形状のものがありません</translation>
    </message>
    <message>
        <source>the file read back differs from what was written, in elements {} to {}</source>
        <translation>読み戻したファイルが書き込んだ内容と異なります（要素{}～{}）</translation>
    </message>
    <message>
        <source>The disk or the memory is faulty, or this is a defect of Meshreel; nothing was kept</source>
        <translation>ディスクかメモリの故障、またはMeshreelの不具合です。何も保存していません</translation>
    </message>
    <message>
        <source>{} has blocks of {} elements, and its rows {}</source>
        <translation>{}のブロックは{}要素ですが、行は{}要素です</translation>
    </message>
    <message>
        <source>Choose a type without blocks</source>
        <translation>ブロックのない型を選んでください</translation>
    </message>
    <message>
        <source>weights of type {} are read, but not written</source>
        <translation>型{}の重みは読み込めますが、書き出せません</translation>
    </message>
    <message>
        <source>Choose another type</source>
        <translation>別の型を選んでください</translation>
    </message>
    <message>
        <source>Wan 2.1 text to video</source>
        <translation>Wan 2.1 テキストから動画</translation>
    </message>
    <message>
        <source>Wan 2.1 image to video</source>
        <translation>Wan 2.1 画像から動画</translation>
    </message>
    <message>
        <source>Wan 2.1 first and last frame to video</source>
        <translation>Wan 2.1 最初と最後のフレームから動画</translation>
    </message>
    <message>
        <source>Wan 2.1 VACE editing</source>
        <translation>Wan 2.1 VACEによる編集</translation>
    </message>
    <message>
        <source>Wan 2.2 text to video, two experts</source>
        <translation>Wan 2.2 テキストから動画、2つのエキスパート</translation>
    </message>
    <message>
        <source>Wan 2.2 image to video, two experts</source>
        <translation>Wan 2.2 画像から動画、2つのエキスパート</translation>
    </message>
    <message>
        <source>Wan 2.2 image to video, one transformer</source>
        <translation>Wan 2.2 画像から動画、1つのトランスフォーマー</translation>
    </message>
    <message>
        <source>Wan 2.2 character animation</source>
        <translation>Wan 2.2 キャラクターアニメーション</translation>
    </message>
    <message>
        <source>Wan 2.2 text and image to video, 5B</source>
        <translation>Wan 2.2 テキストと画像から動画、5B</translation>
    </message>
    <message>
        <source>Text to video</source>
        <translation>テキストから動画</translation>
    </message>
    <message>
        <source>Image to video</source>
        <translation>画像から動画</translation>
    </message>
    <message>
        <source>First and last frame to video</source>
        <translation>最初と最後のフレームから動画</translation>
    </message>
    <message>
        <source>Video to video</source>
        <translation>動画から動画</translation>
    </message>
    <message>
        <source>Editing with VACE</source>
        <translation>VACEによる編集</translation>
    </message>
    <message>
        <source>Character animation</source>
        <translation>キャラクターアニメーション</translation>
    </message>
    <message>
        <source>Character replacement</source>
        <translation>キャラクターの置き換え</translation>
    </message>
    <message>
        <source>text to video</source>
        <translation>テキストから動画</translation>
    </message>
    <message>
        <source>image to video, 480P and 720P</source>
        <translation>画像から動画、480Pと720P</translation>
    </message>
    <message>
        <source>first and last frame to video</source>
        <translation>最初と最後のフレームから動画</translation>
    </message>
    <message>
        <source>VACE editing</source>
        <translation>VACEによる編集</translation>
    </message>
    <message>
        <source>text to video, one of the two experts</source>
        <translation>テキストから動画、2つのエキスパートの一方</translation>
    </message>
    <message>
        <source>image to video, one of the two experts</source>
        <translation>画像から動画、2つのエキスパートの一方</translation>
    </message>
    <message>
        <source>text or image to video</source>
        <translation>テキストまたは画像から動画</translation>
    </message>
    <message>
        <source>character animation</source>
        <translation>キャラクターアニメーション</translation>
    </message>
    <message>
        <source>VAE of all but TI2V-5B</source>
        <translation>TI2V-5B以外のすべてのVAE</translation>
    </message>
    <message>
        <source>VAE of TI2V-5B</source>
        <translation>TI2V-5BのVAE</translation>
    </message>
    <message>
        <source>text encoder</source>
        <translation>テキストエンコーダー</translation>
    </message>
    <message>
        <source>image encoder of the Wan 2.1 image models</source>
        <translation>Wan 2.1の画像モデルの画像エンコーダー</translation>
    </message>
    <message>
        <source>first-block cache</source>
        <translation>先頭ブロックキャッシュ</translation>
    </message>
    <message>
        <source>MP4 (H.264)</source>
        <translation>MP4（H.264）</translation>
    </message>
    <message>
        <source>WebM (VP9)</source>
        <translation>WebM（VP9）</translation>
    </message>
    <message>
        <source>Animated GIF</source>
        <translation>アニメーションGIF</translation>
    </message>
    <message>
        <source>Animated WebP</source>
        <translation>アニメーションWebP</translation>
    </message>
    <message>
        <source>PNG frames</source>
        <translation>PNGフレーム</translation>
    </message>
    <message>
        <source>{}.</source>
        <translation>{}。</translation>
    </message>
    <message>
        <source>{} {}</source>
        <translation>{}{}</translation>
    </message>
    <message>
        <source>This system&apos;s libavcodec has no libx264 encoder, so the video was written as WebM (VP9) instead of MP4 (H.264).</source>
        <translation>このシステムのlibavcodecにはlibx264エンコーダーがないため、動画をMP4（H.264）ではなくWebM（VP9）で書き出しました。</translation>
    </message>
    <message>
        <source>device {} failed: {}</source>
        <translation>デバイス{}が失敗しました: {}</translation>
    </message>
    <message>
        <source>rank {} on {} failed: {}</source>
        <translation>{1}のランク{0}が失敗しました: {2}</translation>
    </message>
    <message>
        <source>device {} of rank {} on {} failed: {}</source>
        <translation>{2}のランク{1}のデバイス{0}が失敗しました: {3}</translation>
    </message>
    <message>
        <source>an unknown exception</source>
        <translation>不明な例外</translation>
    </message>
    <message>
        <source>memory in use by a transfer had to be given up</source>
        <translation>転送が使用中のメモリを手放さなければなりませんでした</translation>
    </message>
    <message>
        <source>the ranks gave up</source>
        <translation>各ランクが処理を打ち切りました</translation>
    </message>
    <message>
        <source>it stopped in the middle of its work</source>
        <translation>処理の途中で停止しました</translation>
    </message>
    <message>
        <source>it has not been heard of for {} s</source>
        <translation>{}秒間応答がありません</translation>
    </message>
    <message>
        <source>all ranks were asked to end</source>
        <translation>すべてのランクが終了を求められました</translation>
    </message>
    <message>
        <source>it has died: mpirun ends the others</source>
        <translation>異常終了しました。mpirunが残りを終了させます</translation>
    </message>
    <message>
        <source>this rank was asked to end, and the others do not answer</source>
        <translation>このランクは終了を求められましたが、他のランクが応答しません</translation>
    </message>
    <message>
        <source>MPI does not return</source>
        <translation>MPIから制御が戻りません</translation>
    </message>
    <message>
        <source>mpirun has gone away</source>
        <translation>mpirunが終了しました</translation>
    </message>
    <message>
        <source>MultiTalk or InfiniteTalk</source>
        <translation>MultiTalkまたはInfiniteTalk</translation>
    </message>
    <message>
        <source>a Wan model with audio (HuMo, MultiTalk)</source>
        <translation>音声を扱うWanモデル（HuMo、MultiTalk）</translation>
    </message>
    <message>
        <source>HunyuanVideo or Flux, which are no Wan models</source>
        <translation>HunyuanVideoまたはFlux（Wanモデルではありません）</translation>
    </message>
    <message>
        <source>another model than Wan</source>
        <translation>Wan以外のモデル</translation>
    </message>
    <message>
        <source>one of the two experts</source>
        <translation>2つのエキスパートの一方</translation>
    </message>
    <message>
        <source>high-noise expert</source>
        <translation>高ノイズ側のエキスパート</translation>
    </message>
    <message>
        <source>low-noise expert</source>
        <translation>低ノイズ側のエキスパート</translation>
    </message>
    <message>
        <source>{} of image to video, A14B</source>
        <translation>画像から動画、A14B、{}</translation>
    </message>
    <message>
        <source>{} of text to video, A14B</source>
        <translation>テキストから動画、A14B、{}</translation>
    </message>
    <message>
        <source>The two experts have the same shapes, and neither name nor metadata says which this is: the file&apos;s name in its repository holds &quot;high_noise&quot; or &quot;low_noise&quot;</source>
        <translation>2つのエキスパートは形状が同じで、名前からもメタデータからもどちらか分かりません。リポジトリでのファイル名には「high_noise」または「low_noise」が含まれます</translation>
    </message>
    <message>
        <source>text to video, 14B of Wan 2.1, or one expert of Wan 2.2 A14B</source>
        <translation>テキストから動画、Wan 2.1の14B、またはWan 2.2 A14Bのエキスパートの一方</translation>
    </message>
    <message>
        <source>Both have exactly these shapes, and a lone expert makes wrong pictures without a word. Name and metadata do not decide: rename the file as it is called in its repository (&quot;wan2.1&quot;, or &quot;wan2.2&quot; with &quot;high_noise&quot; or &quot;low_noise&quot;)</source>
        <translation>どちらもまったく同じ形状で、エキスパート1つだけでは警告なしに誤った画像になります。名前とメタデータでは判別できません。ファイル名をリポジトリでの名前（「wan2.1」、または「high_noise」か「low_noise」を含む「wan2.2」）にしてください</translation>
    </message>
    <message>
        <source>Wan 2.1 and 2.2</source>
        <translation>Wan 2.1と2.2</translation>
    </message>
    <message>
        <source>VACE editing, of no released size</source>
        <translation>VACEによる編集、未公開のサイズ</translation>
    </message>
    <message>
        <source>image to video, of no released size</source>
        <translation>画像から動画、未公開のサイズ</translation>
    </message>
    <message>
        <source>text to video, of no released size</source>
        <translation>テキストから動画、未公開のサイズ</translation>
    </message>
    <message>
        <source>The config.json beside it is not that of a Wan transformer</source>
        <translation>隣にあるconfig.jsonはWanのトランスフォーマーのものではありません</translation>
    </message>
    <message>
        <source>Adapter {}</source>
        <translation>アダプター{}</translation>
    </message>
    <message>
        <source>the cached preview of a VAE is damaged</source>
        <translation>キャッシュにあるVAEのプレビューが破損しています</translation>
    </message>
    <message>
        <source>The preview of the VAE in the cache is not used and fitted again</source>
        <translation>キャッシュにあるVAEのプレビューは使わず、作り直します</translation>
    </message>
    <message>
        <source>The preview that was fitted to the VAE is not kept</source>
        <translation>VAEに合わせて作ったプレビューは保存されません</translation>
    </message>
    <message>
        <source>the cached embedding of a prompt is damaged</source>
        <translation>キャッシュにあるプロンプトの埋め込みが破損しています</translation>
    </message>
    <message>
        <source>A prompt in the cache is not used and encoded again</source>
        <translation>キャッシュにあるプロンプトは使わず、エンコードし直します</translation>
    </message>
    <message>
        <source>An encoded prompt is not kept</source>
        <translation>エンコードしたプロンプトは保存されません</translation>
    </message>
    <message>
        <source>{} (high expert)</source>
        <translation>{}（高ノイズ側のエキスパート）</translation>
    </message>
    <message>
        <source>{} (low expert)</source>
        <translation>{}（低ノイズ側のエキスパート）</translation>
    </message>
    <message>
        <source>{}{}{}</source>
        <translation>{}{}{}</translation>
    </message>
    <message>
        <source>changes {}</source>
        <translation>変更: {}</translation>
    </message>
    <message>
        <source>fits nothing: {}</source>
        <translation>対応先のないもの: {}</translation>
    </message>
    <message>
        <source>the config.json beside it is not of this file</source>
        <translation>隣にあるconfig.jsonはこのファイルのものではありません</translation>
    </message>
    <message>
        <source>original</source>
        <translation>オリジナル</translation>
    </message>
    <message>
        <source>{} behind {}</source>
        <translation>{}（接頭辞{}）</translation>
    </message>
    <message>
        <source>{} and {}</source>
        <translation>{}と{}</translation>
    </message>
    <message>
        <source>none</source>
        <translation>なし</translation>
    </message>
    <message>
        <source>text encoder UMT5-XXL with its tokenizer</source>
        <translation>テキストエンコーダーUMT5-XXLとそのトークナイザー</translation>
    </message>
    <message>
        <source>VAE of Wan 2.2 (48 channels)</source>
        <translation>Wan 2.2のVAE（48チャンネル）</translation>
    </message>
    <message>
        <source>VAE of Wan 2.1 (16 channels)</source>
        <translation>Wan 2.1のVAE（16チャンネル）</translation>
    </message>
    <message>
        <source>image encoder CLIP ViT-H</source>
        <translation>画像エンコーダーCLIP ViT-H</translation>
    </message>
    <message>
        <source>the other of the two experts</source>
        <translation>2つのエキスパートのもう一方</translation>
    </message>
    <message>
        <source>it was ended by signal {}</source>
        <translation>シグナル{}によって終了しました</translation>
    </message>
    <message>
        <source>Cancelled.</source>
        <translation>キャンセルしました。</translation>
    </message>
    <message>
        <source>mpirun ended with code {}</source>
        <translation>mpirunがコード{}で終了しました</translation>
    </message>
    <message>
        <source>the connection to the host was lost</source>
        <translation>ホストとの接続が失われました</translation>
    </message>
    <message>
        <source>the ranks failed</source>
        <translation>各ランクが失敗しました</translation>
    </message>
    <message>
        <source>rank {} on host {} failed: {}</source>
        <translation>ホスト{1}のランク{0}が失敗しました: {2}</translation>
    </message>
    <message>
        <source>device {} of rank {} on host {} failed: {}</source>
        <translation>ホスト{2}のランク{1}のデバイス{0}が失敗しました: {3}</translation>
    </message>
    <message>
        <source>{} devices are predicted to take {:.1f} times as long here as one device</source>
        <translation>{} 台のデバイスでは、ここでは 1 台の {:.1f} 倍の時間がかかる見込みです</translation>
    </message>
    <message>
        <source>Take one device: exchange and waiting cost more than sharing the work out saves</source>
        <translation>デバイスを 1 台にしてください。交換と待ちにかかる時間が、作業の分担で減る時間を上回ります</translation>
    </message>
    <message>
        <source>The program ended without finishing the run</source>
        <translation>実行が完了しないままプログラムが終了しました</translation>
    </message>
    <message>
        <source>{} videos were written</source>
        <translation>{}本の動画を書き出しました</translation>
    </message>
    <message>
        <source>The run is finished already</source>
        <translation>この実行はすでに完了しています</translation>
    </message>
    <message>
        <source>Packed weights in the cache are not used and made again: {}</source>
        <translation>キャッシュにあるパック済みの重みは使わず、作り直します: {}</translation>
    </message>
    <message>
        <source>Packed weights are not kept: {}</source>
        <translation>パック済みの重みは保存されません: {}</translation>
    </message>
    <message>
        <source>Packed weights in the cache are not used and made again by the next run: {}</source>
        <translation>キャッシュにあるパック済みの重みは使わず、次の実行で作り直します: {}</translation>
    </message>
    <message>
        <source>they are larger than the cache may grow, or than the disk has room for</source>
        <translation>キャッシュの上限またはディスクの空き容量を超えています</translation>
    </message>
    <message>
        <source>{}: changes {} tensors, strength {:g}</source>
        <translation>{}: {}個のテンソルを変更、強さ{}</translation>
    </message>
    <message>
        <source>{}: changes {} tensors, strength {:g}, effective scale {:g}</source>
        <translation>{}: {}個のテンソルを変更、強さ{}、実効スケール{}</translation>
    </message>
    <message>
        <source>{}: changes {} tensors, strength {:g}, effective scale {:g} to {:g}</source>
        <translation>{}: {}個のテンソルを変更、強さ{}、実効スケール{}～{}</translation>
    </message>
    <message>
        <source>{}; every key fits</source>
        <translation>{}。すべてのキーに対応先があります</translation>
    </message>
    <message>
        <source>{}; {} keys fit nothing</source>
        <translation>{}。対応先のないキー: {}個</translation>
    </message>
    <message>
        <source>A chart cannot be written as &apos;{}&apos;</source>
        <translation>グラフを「{}」として書き出せません</translation>
    </message>
    <message>
        <source>Use .png, .svg, .pdf, .csv or .json</source>
        <translation>.png、.svg、.pdf、.csv、.jsonのいずれかにしてください</translation>
    </message>
    <message>
        <source>This run recorded nothing of its devices</source>
        <translation>この実行にはデバイスの記録がありません</translation>
    </message>
    <message>
        <source>Name a run that finished a step</source>
        <translation>1ステップ以上完了した実行を指定してください</translation>
    </message>
    <message>
        <source>None of these runs recorded its memory</source>
        <translation>これらの実行にはメモリの記録がありません</translation>
    </message>
    <message>
        <source>Name finished runs</source>
        <translation>完了した実行を指定してください</translation>
    </message>
    <message>
        <source>A chart of runs needs a run</source>
        <translation>実行のグラフには実行が必要です</translation>
    </message>
    <message>
        <source>Name one or more run folders</source>
        <translation>実行フォルダーを1つ以上指定してください</translation>
    </message>
    <message>
        <source>A chart of {} shows one run</source>
        <translation>{}のグラフに表示できる実行は1つです</translation>
    </message>
    <message>
        <source>Name one run folder</source>
        <translation>実行フォルダーを1つだけ指定してください</translation>
    </message>
    <message>
        <source>Name runs that got as far as denoising</source>
        <translation>ノイズ除去まで進んだ実行を指定してください</translation>
    </message>
    <message>
        <source>None of these runs is finished, so that no stage was timed</source>
        <translation>これらの実行はどれも完了していないため、計時された段階がありません</translation>
    </message>
    <message>
        <source>The picture cannot be written</source>
        <translation>画像を書き出せません</translation>
    </message>
    <message>
        <source>Delete the file to start with an empty queue</source>
        <translation>空のキューから始めるには、このファイルを削除してください</translation>
    </message>
    <message>
        <source>A report cannot be written as &apos;{}&apos;</source>
        <translation>レポートを「{}」として書き出せません</translation>
    </message>
    <message>
        <source>Use .html or .pdf</source>
        <translation>.htmlまたは.pdfにしてください</translation>
    </message>
    <message>
        <source>The nearest multiples are {} and {}</source>
        <translation>最も近い倍数は{}と{}です</translation>
    </message>
    <message>
        <source>The nearest multiple is {}</source>
        <translation>最も近い倍数は{}です</translation>
    </message>
    <message>
        <source>settings have no dashes before them: write {}</source>
        <translation>設定の前にハイフンは付きません。{}と書いてください</translation>
    </message>
    <message>
        <source>this word sets nothing; a value of several words needs quotes around it</source>
        <translation>この語は何も設定しません。複数の語からなる値は引用符で囲んでください</translation>
    </message>
    <message>
        <source>Block sizes can only be told apart where steps do the same work ({})</source>
        <translation>ブロックサイズは、ステップの計算内容が同じ場合にだけ比べられます（{}）</translation>
    </message>
    <message>
        <source>The prompt holds {{prompt}}, which a run takes as words</source>
        <translation>プロンプトに {{prompt}} が含まれており、実行時にはそのままの語として扱われます</translation>
    </message>
    <message>
        <source>Write what the video should show in its place, or use it as a style from Prompts</source>
        <translation>その位置に動画に映す内容を書くか、「プロンプト」からスタイルとして使ってください</translation>
    </message>
    <message>
        <source>The prompt offers alternatives in braces, which a run takes as words</source>
        <translation>プロンプトの波括弧内に選択肢がありますが、実行時にはそのままの語として扱われます</translation>
    </message>
    <message>
        <source>Write one of them, or add a grid to the queue, which runs them all</source>
        <translation>そのうちの一つを書くか、すべてを実行するグリッドをキューに追加してください</translation>
    </message>
    <message>
        <source>Wan 2.1 first and last frame to video 14B at 720p: what lies between two pictures.</source>
        <translation>Wan 2.1 最初と最後のフレームから動画 14B、720p: 2枚の画像の間を作ります。</translation>
    </message>
    <message>
        <source>Wan 2.1 image-to-video 14B at 720p on 4 devices: flash attention with the block sizes of TPU v6e.</source>
        <translation>Wan 2.1 画像から動画 14B、720p、デバイス4台: TPU v6eのブロックサイズによるflashアテンション。</translation>
    </message>
    <message>
        <source>Wan 2.1 image-to-video 14B at 720p on 4 devices, with the block sizes of MaxDiffusion&apos;s base_wan_i2v_14b.yml.</source>
        <translation>Wan 2.1 画像から動画 14B、720p、デバイス4台。ブロックサイズはMaxDiffusionのbase_wan_i2v_14b.ymlのもの。</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 1.3B for one computer: a quarter of 480p, two seconds, few steps.</source>
        <translation>Wan 2.1 テキストから動画 1.3B、1台のコンピューター向け: 480pの4分の1、2秒、少ないステップ。</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 1.3B at 480p on 2 devices: the two halves of guidance side by side.</source>
        <translation>Wan 2.1 テキストから動画 1.3B、480p、デバイス2台: プロンプト側とネガティブプロンプト側を並行して計算。</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 1.3B at 480p on 4 devices: ulysses inside groups of 2, a ring of 2 between the groups.</source>
        <translation>Wan 2.1 テキストから動画 1.3B、480p、デバイス4台: 2台ずつのグループ内ではUlysses、グループ間では大きさ2のリング。</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 1.3B at 480p, with the settings of MaxDiffusion&apos;s base_wan_1_3b.yml.</source>
        <translation>Wan 2.1 テキストから動画 1.3B、480p。設定はMaxDiffusionのbase_wan_1_3b.ymlのもの。</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B at 720p on 8 devices: the two halves of guidance side by side, each on 4 devices.</source>
        <translation>Wan 2.1 テキストから動画 14B、720p、デバイス8台: プロンプト側とネガティブプロンプト側を、それぞれ4台で並行して計算。</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B at 720p on 8 devices: the fast script&apos;s fixed-m recipe.</source>
        <translation>Wan 2.1 テキストから動画 14B、720p、デバイス8台: 高速スクリプトのfixed-m構成。</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B at 720p on 4 devices: flash attention with the block sizes of TPU v5p.</source>
        <translation>Wan 2.1 テキストから動画 14B、720p、デバイス4台: TPU v5pのブロックサイズによるflashアテンション。</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B at 720p on 4 devices: flash attention with the block sizes of TPU v6e.</source>
        <translation>Wan 2.1 テキストから動画 14B、720p、デバイス4台: TPU v6eのブロックサイズによるflashアテンション。</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B at 720p on 16 devices: a pure ring.</source>
        <translation>Wan 2.1 テキストから動画 14B、720p、デバイス16台: リングのみ。</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B at 720p on 16 devices: ulysses inside groups of 8, a ring of 2 between the groups.</source>
        <translation>Wan 2.1 テキストから動画 14B、720p、デバイス16台: 8台ずつのグループ内ではUlysses、グループ間では大きさ2のリング。</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B at 720p on 4 devices: ulysses inside groups of 2, a ring of 2 between the groups.</source>
        <translation>Wan 2.1 テキストから動画 14B、720p、デバイス4台: 2台ずつのグループ内ではUlysses、グループ間では大きさ2のリング。</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B at 720p on 8 devices: ulysses inside groups of 4, a ring of 2 between the groups.</source>
        <translation>Wan 2.1 テキストから動画 14B、720p、デバイス8台: 4台ずつのグループ内ではUlysses、グループ間では大きさ2のリング。</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B at 720p on 8 devices with the block sizes of Trillium&apos;s 32 MB of scratch memory.</source>
        <translation>Wan 2.1 テキストから動画 14B、720p、デバイス8台。ブロックサイズはTrilliumの32 MBのスクラッチメモリー向け。</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B at 720p on 8 devices: pure Ulysses.</source>
        <translation>Wan 2.1 テキストから動画 14B、720p、デバイス8台: Ulyssesのみ。</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B at 720p, with the settings of MaxDiffusion&apos;s base_wan_14b.yml.</source>
        <translation>Wan 2.1 テキストから動画 14B、720p。設定はMaxDiffusionのbase_wan_14b.ymlのもの。</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B, distilled to 4 steps.</source>
        <translation>Wan 2.1 テキストから動画 14B。4ステップに蒸留。</translation>
    </message>
    <message>
        <source>Wan 2.1 VACE editing 1.3B at 480p: a video whose masked part is made anew.</source>
        <translation>Wan 2.1 VACEによる編集 1.3B、480p: 動画のマスクした部分を作り直します。</translation>
    </message>
    <message>
        <source>Wan 2.1 image-to-video 14B at 720p on 8 devices: the two halves of guidance side by side, each on 4 devices.</source>
        <translation>Wan 2.1 画像から動画 14B、720p、デバイス8台: プロンプト側とネガティブプロンプト側を、それぞれ4台で並行して計算。</translation>
    </message>
    <message>
        <source>Wan 2.1 image-to-video 14B at 720p on 4 devices: ulysses inside groups of 2, a ring of 2 between the groups.</source>
        <translation>Wan 2.1 画像から動画 14B、720p、デバイス4台: 2台ずつのグループ内ではUlysses、グループ間では大きさ2のリング。</translation>
    </message>
    <message>
        <source>Wan 2.2 image-to-video A14B at 720p on 8 devices: the two halves of guidance side by side, each on 4 devices.</source>
        <translation>Wan 2.2 画像から動画 A14B、720p、デバイス8台: プロンプト側とネガティブプロンプト側を、それぞれ4台で並行して計算。</translation>
    </message>
    <message>
        <source>Wan 2.2 image-to-video A14B at 720p on 4 devices: ulysses inside groups of 2, a ring of 2 between the groups.</source>
        <translation>Wan 2.2 画像から動画 A14B、720p、デバイス4台: 2台ずつのグループ内ではUlysses、グループ間では大きさ2のリング。</translation>
    </message>
    <message>
        <source>Wan 2.1 VACE editing 14B at 720p on 8 devices: the two halves of guidance side by side, each on 4 devices.</source>
        <translation>Wan 2.1 VACEによる編集 14B、720p、デバイス8台: プロンプト側とネガティブプロンプト側を、それぞれ4台で並行して計算。</translation>
    </message>
    <message>
        <source>Wan 2.1 VACE editing 14B at 720p on 4 devices: ulysses inside groups of 2, a ring of 2 between the groups.</source>
        <translation>Wan 2.1 VACEによる編集 14B、720p、デバイス4台: 2台ずつのグループ内ではUlysses、グループ間では大きさ2のリング。</translation>
    </message>
    <message>
        <source>Wan 2.2 Animate 14B at 720p on 4 devices: ulysses inside groups of 2, a ring of 2 between the groups.</source>
        <translation>Wan 2.2 Animate 14B、720p、デバイス4台: 2台ずつのグループ内ではUlysses、グループ間では大きさ2のリング。</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 8 devices with tokamax_flash: the halves of guidance side by side, each on 4.</source>
        <translation>Wan 2.2 テキストから動画 A14B、720p、デバイス8台、tokamax_flash: プロンプト側とネガティブプロンプト側を、それぞれ4台で並行して計算。</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 16 devices with tokamax_flash: the halves of guidance side by side, each on 8.</source>
        <translation>Wan 2.2 テキストから動画 A14B、720p、デバイス16台、tokamax_flash: プロンプト側とネガティブプロンプト側を、それぞれ8台で並行して計算。</translation>
    </message>
    <message>
        <source>Wan 2.2 Animate 14B at 720p on 8 devices with the block sizes of Trillium&apos;s 32 MB of scratch memory.</source>
        <translation>Wan 2.2 Animate 14B、720p、デバイス8台。ブロックサイズはTrilliumの32 MBのスクラッチメモリー向け。</translation>
    </message>
    <message>
        <source>Wan 2.2 image-to-video A14B at 720p on 4 devices: flash attention with the block sizes of TPU v6e.</source>
        <translation>Wan 2.2 画像から動画 A14B、720p、デバイス4台: TPU v6eのブロックサイズによるflashアテンション。</translation>
    </message>
    <message>
        <source>Wan 2.2 image-to-video A14B at 720p on 4 devices, with the block sizes of MaxDiffusion&apos;s base_wan_i2v_27b.yml.</source>
        <translation>Wan 2.2 画像から動画 A14B、720p、デバイス4台。ブロックサイズはMaxDiffusionのbase_wan_i2v_27b.ymlのもの。</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 8 devices: the two halves of guidance side by side, each on 4 devices.</source>
        <translation>Wan 2.2 テキストから動画 A14B、720p、デバイス8台: プロンプト側とネガティブプロンプト側を、それぞれ4台で並行して計算。</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 16 devices: the two halves of guidance side by side, each on 8 devices.</source>
        <translation>Wan 2.2 テキストから動画 A14B、720p、デバイス16台: プロンプト側とネガティブプロンプト側を、それぞれ8台で並行して計算。</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 8 devices: the fast script&apos;s fixed-m recipe.</source>
        <translation>Wan 2.2 テキストから動画 A14B、720p、デバイス8台: 高速スクリプトのfixed-m構成。</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 8 devices: the fast script&apos;s recipe for TPU v6e.</source>
        <translation>Wan 2.2 テキストから動画 A14B、720p、デバイス8台: 高速スクリプトのTPU v6e向け構成。</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 4 devices: flash attention with the block sizes of TPU v6e.</source>
        <translation>Wan 2.2 テキストから動画 A14B、720p、デバイス4台: TPU v6eのブロックサイズによるflashアテンション。</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 16 devices: a pure ring.</source>
        <translation>Wan 2.2 テキストから動画 A14B、720p、デバイス16台: リングのみ。</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 16 devices: ulysses inside groups of 8, a ring of 2 between the groups.</source>
        <translation>Wan 2.2 テキストから動画 A14B、720p、デバイス16台: 8台ずつのグループ内ではUlysses、グループ間では大きさ2のリング。</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 4 devices: ulysses inside groups of 2, a ring of 2 between the groups.</source>
        <translation>Wan 2.2 テキストから動画 A14B、720p、デバイス4台: 2台ずつのグループ内ではUlysses、グループ間では大きさ2のリング。</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 8 devices: ulysses inside groups of 4, a ring of 2 between the groups.</source>
        <translation>Wan 2.2 テキストから動画 A14B、720p、デバイス8台: 4台ずつのグループ内ではUlysses、グループ間では大きさ2のリング。</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 8 devices: pure Ulysses.</source>
        <translation>Wan 2.2 テキストから動画 A14B、720p、デバイス8台: Ulyssesのみ。</translation>
    </message>
    <message>
        <source>Wan 2.2 text and image to video 5B for one computer: a quarter of 704p, two seconds, few steps.</source>
        <translation>Wan 2.2 テキストと画像から動画 5B、1台のコンピューター向け: 704pの4分の1、2秒、少ないステップ。</translation>
    </message>
    <message>
        <source>Wan 2.2 text and image to video 5B at 704p and 24 frames a second.</source>
        <translation>Wan 2.2 テキストと画像から動画 5B、704p、毎秒24フレーム。</translation>
    </message>
    <message>
        <source>{} or more</source>
        <translation>{}以上</translation>
    </message>
    <message>
        <source>{} to {}</source>
        <translation>{}～{}</translation>
    </message>
    <message>
        <source>{}, in steps of {}</source>
        <translation>{}、{}刻み</translation>
    </message>
    <message>
        <source>{}; {} is automatic</source>
        <translation>{}、{}は自動</translation>
    </message>
    <message>
        <source>Keys of a project file</source>
        <translation>プロジェクトファイルのキー</translation>
    </message>
    <message>
        <source>On the command line, `--set key=value` overrides the file: `--set flash_block_sizes.block_q=256`.</source>
        <translation>コマンドラインでは`--set key=value`がファイルより優先されます: `--set flash_block_sizes.block_q=256`</translation>
    </message>
    <message>
        <source>(empty)</source>
        <translation>（空）</translation>
    </message>
    <message>
        <source>{}; default {}</source>
        <translation>{}、既定値 {}</translation>
    </message>
    <message>
        <source>Legal: {}.</source>
        <translation>有効な値: {}。</translation>
    </message>
    <message>
        <source>Other values have no effect: {}.</source>
        <translation>ほかの値は効果がありません: {}。</translation>
    </message>
    <message>
        <source>other files than frames lie in this folder</source>
        <translation>このフォルダーにはフレーム以外のファイルがあります</translation>
    </message>
    <message>
        <source>Choose an empty folder or a new name</source>
        <translation>空のフォルダーか新しい名前を選んでください</translation>
    </message>
    <message>
        <source>No smaller video fits either: raise memory_budget, or use a smaller model</source>
        <translation>より小さい動画も収まりません。memory_budgetを上げるか、より小さいモデルを使ってください</translation>
    </message>
    <message>
        <source>This fits: {}; or raise memory_budget</source>
        <translation>次の設定なら収まります: {}。またはmemory_budgetを上げてください</translation>
    </message>
    <message>
        <source>Makes every prompt&apos;s video once with each of these seeds, separated by commas, in place of seed; -1 is a random one.</source>
        <translation>seedの代わりに、カンマで区切ったシードのそれぞれで、すべてのプロンプトの動画を1回ずつ作ります。-1はランダムなシードです。</translation>
    </message>
    <message>
        <source>Speed at which the video plays, and at which a video that the task takes is sampled.</source>
        <translation>動画を再生する速さです。タスクが受け取る動画もこの速さでサンプリングします。</translation>
    </message>
    <message>
        <source>Number that the initial noise is drawn from; the same seed gives the same video. -1 draws a random one for each run, which records it.</source>
        <translation>初期ノイズを生成する元になる数です。同じシードからは同じ動画ができます。-1では実行ごとにランダムな数を選び、実行に記録します。</translation>
    </message>
    <message>
        <source>Head groups that are exchanged and computed one after another; between processes the next one travels while one is computed.</source>
        <translation>順に交換して計算するヘッドグループの数です。プロセス間では、1つを計算している間に次のグループを送ります。</translation>
    </message>
    <message>
        <source>this is a link, and files of a run are not opened through links</source>
        <translation>これはリンクです。実行のファイルはリンク経由では開きません</translation>
    </message>
    <message>
        <source>Put the file itself in its place, or remove the link; think twice if the folder came from somebody else</source>
        <translation>リンクの代わりにファイル自体を置くか、リンクを削除してください。他人から受け取ったフォルダーなら慎重に判断してください</translation>
    </message>
    <message>
        <source>this is neither a file nor a folder</source>
        <translation>これはファイルでもフォルダーでもありません</translation>
    </message>
    <message>
        <source>Remove it from the folder</source>
        <translation>フォルダーから削除してください</translation>
    </message>
    <message>
        <source>the file cannot be opened ({})</source>
        <translation>ファイルを開けません（{}）</translation>
    </message>
    <message>
        <source>Check its permissions, and those of its folder</source>
        <translation>ファイルとそのフォルダーのアクセス権を確認してください</translation>
    </message>
    <message>
        <source>the folder cannot be read ({})</source>
        <translation>フォルダーを読み取れません（{}）</translation>
    </message>
    <message>
        <source>the folder for temporary files cannot be used ({})</source>
        <translation>一時ファイル用のフォルダーを使えません（{}）</translation>
    </message>
    <message>
        <source>Set TMPDIR to a folder that you may write to</source>
        <translation>TMPDIRに書き込み権のあるフォルダーを設定してください</translation>
    </message>
    <message>
        <source>the limit is {} ({}), of which {} are taken</source>
        <translation>上限は{}（{}）で、うち{}は使用済みです</translation>
    </message>
    <message>
        <source>Raise the limit ({} unlimited), or ask for a smaller video</source>
        <translation>上限を上げる（{} unlimited）か、動画を小さくしてください</translation>
    </message>
    <message>
        <source>Close other programs or ask for a smaller video</source>
        <translation>他のプログラムを閉じるか、動画を小さくしてください</translation>
    </message>
    <message>
        <source>{} needs {} of address space; {}</source>
        <translation>{}には{}のアドレス空間が必要です。{}</translation>
    </message>
    <message>
        <source>{} needs {} of address space, which the system does not give</source>
        <translation>{}には{}のアドレス空間が必要ですが、システムから確保できません</translation>
    </message>
    <message>
        <source>there is not enough memory; {}</source>
        <translation>メモリが足りません。{}</translation>
    </message>
    <message>
        <source>there is not enough memory</source>
        <translation>メモリが足りません</translation>
    </message>
    <message>
        <source>Raise the limits on processes and address space (ulimit -u, ulimit -v), or use fewer devices and workers</source>
        <translation>プロセス数とアドレス空間の上限（ulimit -u、ulimit -v）を上げるか、デバイスとワーカーを減らしてください</translation>
    </message>
    <message>
        <source>no further thread or process can be started ({}); {}</source>
        <translation>スレッドやプロセスをこれ以上起動できません（{}）。{}</translation>
    </message>
    <message>
        <source>no further thread or process can be started ({})</source>
        <translation>スレッドやプロセスをこれ以上起動できません（{}）</translation>
    </message>
    <message>
        <source>OpenBLAS, which multiplies matrices,</source>
        <translation>行列の積を計算するOpenBLAS</translation>
    </message>
    <message>
        <source>this frame is not a file</source>
        <translation>このフレームはファイルではありません</translation>
    </message>
    <message>
        <source>Remove it, or put a PNG file in its place</source>
        <translation>削除するか、代わりにPNGファイルを置いてください</translation>
    </message>
    <message>
        <source>this frame is a link out of the folder</source>
        <translation>このフレームはフォルダー外へのリンクです</translation>
    </message>
    <message>
        <source>Put a copy of the file in its place</source>
        <translation>代わりにファイルのコピーを置いてください</translation>
    </message>
    <message>
        <source>this folder cannot be read ({})</source>
        <translation>このフォルダーを読み取れません（{}）</translation>
    </message>
    <message>
        <source>Check that you may read it</source>
        <translation>読み取り権があるか確認してください</translation>
    </message>
    <message>
        <source>the file is empty</source>
        <translation>ファイルが空です</translation>
    </message>
    <message>
        <source>{} ranks on {} would share {}, and more than {} a CPU are not started</source>
        <translation>{}個のランクが{}で{}を分け合うことになりますが、CPUあたり{}個を超えるランクは起動しません</translation>
    </message>
    <message>
        <source>Start at most {} there, or insist with {}</source>
        <translation>そこで起動するランクを{}個までにするか、{}で強制してください</translation>
    </message>
    <message>
        <source>{} ranks are asked for, and more than {} are not started</source>
        <translation>{}個のランクが指定されていますが、{}個を超えるランクは起動しません</translation>
    </message>
    <message>
        <source>Start fewer ranks with more devices each, or insist with {}</source>
        <translation>ランクあたりのデバイスを増やしてランクを減らすか、{}で強制してください</translation>
    </message>
    <message>
        <source>{} devices of one process would share {}, and more than {} a CPU are not started</source>
        <translation>1つのプロセスで{}台のデバイスが{}を分け合うことになりますが、CPUあたり{}台を超えるデバイスは起動しません</translation>
    </message>
    <message>
        <source>Ask for at most {} devices here, spread them over more hosts, or insist with {}</source>
        <translation>ここではデバイスを{}台までにするか、より多くのホストに分散するか、{}で強制してください</translation>
    </message>
    <message>
        <source>a Wan Fun model</source>
        <translation>Wan Funモデル</translation>
    </message>
    <message>
        <source>{} ({} input channels)</source>
        <translation>{}（入力{}チャンネル）</translation>
    </message>
    <message>
        <source>T5 as Flux and Stable Diffusion 3 have it (a relative bias in its first block only)</source>
        <translation>FluxやStable Diffusion 3で使われるT5（相対バイアスは最初のブロックだけ）</translation>
    </message>
    <message>
        <source>T5 (a relative bias in its first block only), not UMT5</source>
        <translation>UMT5ではなくT5（相対バイアスは最初のブロックだけ）</translation>
    </message>
    <message>
        <source>the VAE of Qwen-Image</source>
        <translation>Qwen-ImageのVAE</translation>
    </message>
    <message>
        <source>a VAE of class {}</source>
        <translation>クラス{}のVAE</translation>
    </message>
    <message>
        <source>a VAE of images (its kernels have no axis of time)</source>
        <translation>画像用のVAE（カーネルに時間軸がありません）</translation>
    </message>
    <message>
        <source>a VAE that makes videos of twice the size (2x upscale)</source>
        <translation>2倍の大きさの動画を作るVAE（2x upscale）</translation>
    </message>
    <message>
        <source>a VAE of {} colour channels in and {} out</source>
        <translation>入力{}色チャンネル、出力{}色チャンネルのVAE</translation>
    </message>
    <message>
        <source>Its tensors have the shapes of Wan&apos;s, and its name says that it is {}&apos;s</source>
        <translation>テンソルの形状はWanと同じですが、名前からは{}のものです</translation>
    </message>
    <message>
        <source>SLA, the sparse-linear attention of TurboDiffusion; Meshreel computes full attention, and the video may differ</source>
        <translation>TurboDiffusionのスパース線形アテンションSLA。Meshreelは完全なアテンションを計算するため、動画が異なることがあります</translation>
    </message>
    <message>
        <source>gates of VSA, the sparse attention of FastVideo; Meshreel computes full attention without them, and the video may differ</source>
        <translation>FastVideoのスパースアテンションVSAのゲート。Meshreelはこれを使わず完全なアテンションを計算するため、動画が異なることがあります</translation>
    </message>
    <message>
        <source>image prompts (IP-Adapter), which Meshreel does not take</source>
        <translation>画像プロンプト（IP-Adapter）。Meshreelは対応していません</translation>
    </message>
    <message>
        <source>a ControlNet, which Meshreel does not run</source>
        <translation>ControlNet（Meshreelでは実行できません）</translation>
    </message>
    <message>
        <source>an adapter that was not merged into the weights</source>
        <translation>重みに統合されていないアダプター</translation>
    </message>
    <message>
        <source>guidance that is given to the network as a number</source>
        <translation>数値としてネットワークに与えるガイダンス</translation>
    </message>
    <message>
        <source>sound that drives the video</source>
        <translation>動画を動かす音声</translation>
    </message>
    <message>
        <source>layers behind the last that the config has</source>
        <translation>設定ファイルにある最後の層より後の層</translation>
    </message>
    <message>
        <source>images, VACE or animation, which the config leaves out</source>
        <translation>設定ファイルに記載のない画像、VACE、またはアニメーション</translation>
    </message>
    <message>
        <source>{} ({} tensors)</source>
        <translation>{}（テンソル{}個）</translation>
    </message>
    <message>
        <source>the folder holds no adapter</source>
        <translation>フォルダーにアダプターがありません</translation>
    </message>
    <message>
        <source>Name its file in lora; in a folder {} is looked for</source>
        <translation>loraでファイルを指定してください。フォルダーでは{}を探します</translation>
    </message>
    <message>
        <source>the file has layers for transformer_2, the low expert, only, and lora asks for the {} expert</source>
        <translation>ファイルにはtransformer_2（低ノイズ側のエキスパート）の層しかありませんが、loraは{}エキスパートを指定しています</translation>
    </message>
    <message>
        <source>Write &quot;expert: low&quot;, or remove &quot;expert&quot;</source>
        <translation>&quot;expert: low&quot;と書くか、&quot;expert&quot;を削除してください</translation>
    </message>
    <message>
        <source>Warning: {}</source>
        <translation>警告: {}</translation>
    </message>
    <message>
        <source>scaled by {} ({})</source>
        <translation>{}によるスケール（{}）</translation>
    </message>
    <message>
        <source>effective scale {:g}: {}</source>
        <translation>実効スケール{:g}: {}</translation>
    </message>
    <message>
        <source>the tokenizer has {} tokens, and the text encoder&apos;s vocabulary {}: they are of different models</source>
        <translation>トークナイザーは{}トークンですが、テキストエンコーダーの語彙は{}で、モデルが異なります</translation>
    </message>
    <message>
        <source>Name the tokenizer that came with the text encoder in parts.tokenizer</source>
        <translation>テキストエンコーダーに付属するトークナイザーをparts.tokenizerで指定してください</translation>
    </message>
    <message>
        <source>it holds tensors without which it is another model: {}</source>
        <translation>省くと別のモデルになるテンソルが含まれています: {}</translation>
    </message>
    <message>
        <source>Use the weights of a model that Meshreel runs</source>
        <translation>Meshreelで実行できるモデルの重みを使ってください</translation>
    </message>
    <message>
        <source>the {} has the shapes of Wan&apos;s, and its name says that it is {}&apos;s</source>
        <translation>{}の形状はWanと同じですが、名前からは{}のものです</translation>
    </message>
    <message>
        <source>the {} holds a tensor that is not used: {}</source>
        <translation>{}に使われないテンソルがあります: {}</translation>
    </message>
    <message>
        <source>the {} holds {} tensors that are not used: {}</source>
        <translation>{}に使われないテンソルが{}個あります: {}</translation>
    </message>
    <message>
        <source>the {} was chosen by its file&apos;s name: {} has the same shapes. parts.{} settles it</source>
        <translation>{}はファイル名から選びました。{}も同じ形状です。parts.{}で指定すれば確定します</translation>
    </message>
    <message>
        <source>character animation with two experts (transformer and transformer_2)</source>
        <translation>2つのエキスパート（transformerとtransformer_2）を持つキャラクターアニメーション</translation>
    </message>
    <message>
        <source>a model of two experts (transformer and transformer_2) with an image encoder</source>
        <translation>2つのエキスパート（transformerとtransformer_2）と画像エンコーダーを持つモデル</translation>
    </message>
    <message>
        <source>a model whose transformer takes {} channels beside {} of the latents</source>
        <translation>トランスフォーマーが追加の{}チャンネルと潜在変数の{}チャンネルを受け取るモデル</translation>
    </message>
    <message>
        <source>Use a model of one of these kinds: {}</source>
        <translation>次のいずれかの種類のモデルを使ってください: {}</translation>
    </message>
    <message>
        <source>{} is {}</source>
        <translation>{}は{}です</translation>
    </message>
    <message>
        <source>{} is {}&apos;s by its name</source>
        <translation>{}は名前からは{}のものです</translation>
    </message>
    <message>
        <source>{} files fit as {} and hold different weights; nothing tells which is Wan&apos;s: {}</source>
        <translation>{}個のファイルが{}に適合しますが、重みが異なり、どれがWanのものか判別できません: {}</translation>
    </message>
    <message>
        <source>Name the right one in parts.{}</source>
        <translation>正しいものをparts.{}で指定してください</translation>
    </message>
    <message>
        <source>the tokenizer in {} has {} tokens, the text encoder&apos;s vocabulary {}</source>
        <translation>{}のトークナイザーは{}トークンですが、テキストエンコーダーの語彙は{}です</translation>
    </message>
    <message>
        <source>prompt {} of batch_prompts</source>
        <translation>batch_promptsのプロンプト{}</translation>
    </message>
    <message>
        <source>{} has {} tokens, of which {} are used: it is cut before &quot;{}&quot;</source>
        <translation>{}は{}トークンですが、使われるのは{}トークンで、「{}」の前で切り詰められます</translation>
    </message>
    <message>
        <source>Shorten it, or set max_sequence_length: {}</source>
        <translation>短くするか、max_sequence_length: {} と設定してください</translation>
    </message>
    <message>
        <source>&quot;{}&quot; has a decimal comma</source>
        <translation>「{}」の小数点がカンマです</translation>
    </message>
    <message>
        <source>{} is below 0</source>
        <translation>{}は0未満です</translation>
    </message>
    <message>
        <source>Write pretrained_model_name_or_path=NAME</source>
        <translation>pretrained_model_name_or_path=NAME と書いてください</translation>
    </message>
    <message>
        <source>No config and no model is named, so the model is Meshreel&apos;s own, {}</source>
        <translation>設定ファイルもモデルも指定されていないため、モデルはMeshreel既定の{}になります</translation>
    </message>
    <message>
        <source>{} is not a config of MaxDiffusion that Meshreel knows the model of</source>
        <translation>{}は、Meshreelがどのモデルのものか分かるMaxDiffusionの設定ファイルではありません</translation>
    </message>
    <message>
        <source>Only the name of {} is known, not its keys: they stay at Meshreel&apos;s defaults</source>
        <translation>{}は名前しか分からず、キーが分かりません。キーはMeshreelの既定値のままです</translation>
    </message>
    <message>
        <source>Import the file itself</source>
        <translation>ファイル自体をインポートしてください</translation>
    </message>
    <message>
        <source>{}: the path {} is not UTF-8</source>
        <translation>{}: パス{}がUTF-8ではありません</translation>
    </message>
    <message>
        <source>Rename the folder or the file</source>
        <translation>フォルダーまたはファイルの名前を変更してください</translation>
    </message>
    <message>
        <source>the inputs up to {} are {}, and a run copies at most {} into its folder</source>
        <translation>{}までの入力は合計{}ですが、実行フォルダーにコピーできるのは{}までです</translation>
    </message>
    <message>
        <source>Cut the video to the part that is used, or make it smaller</source>
        <translation>動画を使う部分だけに切り詰めるか、小さくしてください</translation>
    </message>
    <message>
        <source>{}: {}: {}</source>
        <translation>{}: {}: {}</translation>
    </message>
    <message>
        <source>{}: {}: a variable rate, {} frames a second on average, sampled at {}</source>
        <translation>{}: {}: 可変フレームレート（平均毎秒{}フレーム）の動画を毎秒{}フレームでサンプリングします</translation>
    </message>
    <message>
        <source>{}: {}: {} frames a second, sampled at {}</source>
        <translation>{}: {}: 毎秒{}フレームの動画を毎秒{}フレームでサンプリングします</translation>
    </message>
    <message>
        <source>{} gives {} frames at {} frames a second, and num_frames is {}</source>
        <translation>{}から得られるのは{}フレーム（毎秒{}フレーム）ですが、num_framesは{}です</translation>
    </message>
    <message>
        <source>Write it in UTF-8</source>
        <translation>UTF-8で書いてください</translation>
    </message>
    <message>
        <source>The text holds the control character U+{:04X}</source>
        <translation>テキストに制御文字U+{:04X}が含まれています</translation>
    </message>
    <message>
        <source>0 to {}; {} is random</source>
        <translation>0～{}、{}はランダム</translation>
    </message>
    <message>
        <source>Write 0 to {}, or -1 for a random seed</source>
        <translation>0～{}を書くか、シードをランダムにする場合は-1と書いてください</translation>
    </message>
    <message>
        <source>{} is one half of a character</source>
        <translation>{}は1文字の半分だけです</translation>
    </message>
    <message>
        <source>Write both halves, as in {}, or remove it</source>
        <translation>{}のように両方の半分を書くか、削除してください</translation>
    </message>
    <message>
        <source>Remove it, and save the file as UTF-8</source>
        <translation>削除して、ファイルをUTF-8で保存してください</translation>
    </message>
    <message>
        <source>Remove it, or write {} in double quotes</source>
        <translation>削除するか、二重引用符の中に{}と書いてください</translation>
    </message>
    <message>
        <source>Use fewer hosts, or shorter names</source>
        <translation>ホストを減らすか、名前を短くしてください</translation>
    </message>
    <message>
        <source>Check the permissions of the program in your PATH</source>
        <translation>PATHにあるプログラムのアクセス権を確認してください</translation>
    </message>
    <message>
        <source>the name of a host has at most {} characters, and this one has {}</source>
        <translation>ホスト名は{}文字までですが、これは{}文字です</translation>
    </message>
    <message>
        <source>Write the name that ssh knows the host by</source>
        <translation>sshで使うホスト名を書いてください</translation>
    </message>
    <message>
        <source>Between its dots are 1 to {} characters</source>
        <translation>ドットの間は1～{}文字です</translation>
    </message>
    <message>
        <source>the hosts up to here take {} ranks, and no mesh has more than {} devices</source>
        <translation>ここまでのホストで{}個のランクになりますが、メッシュのデバイスは{}台までです</translation>
    </message>
    <message>
        <source>List fewer hosts, or fewer slots</source>
        <translation>ホストを減らすか、slotsを小さくしてください</translation>
    </message>
    <message>
        <source>the file of hosts cannot be read</source>
        <translation>ホストファイルを読み取れません</translation>
    </message>
    <message>
        <source>the file of hosts is larger than {}</source>
        <translation>ホストファイルが{}を超えています</translation>
    </message>
    <message>
        <source>the project could not be handed to the ranks ({})</source>
        <translation>プロジェクトをランクに渡せませんでした（{}）</translation>
    </message>
    <message>
        <source>Start it again with --out and the same folder</source>
        <translation>--outに同じフォルダーを指定して、最初からやり直してください</translation>
    </message>
    <message>
        <source>This run has no {}, because an earlier version began it: whether its model, prompt and settings have changed since is not checked</source>
        <translation>この実行は以前のバージョンで始められたため、{}がありません。モデル、プロンプト、設定がその後変わったかどうかは確認しません</translation>
    </message>
    <message>
        <source>{} was {}, is {}</source>
        <translation>{}が{}から{}に変更</translation>
    </message>
    <message>
        <source>{}: {} is no longer used</source>
        <translation>{}: {}は使われなくなりました</translation>
    </message>
    <message>
        <source>{}: {} had {} bytes, has {}</source>
        <translation>{}: {}は{}バイトでしたが、現在は{}バイトです</translation>
    </message>
    <message>
        <source>{}: {} holds other data</source>
        <translation>{}: {}の内容が異なります</translation>
    </message>
    <message>
        <source>{}: {} is new</source>
        <translation>{}: {}が追加されました</translation>
    </message>
    <message>
        <source>settings have changed since the run began ({})</source>
        <translation>実行の開始後に設定が変わっています（{}）</translation>
    </message>
    <message>
        <source>Set them back, or start a new run with them: meshreel run {}</source>
        <translation>設定を元に戻すか、現在の設定で新しい実行を始めてください: meshreel run {}</translation>
    </message>
    <message>
        <source>files of the model, adapters or inputs have changed since the run began ({})</source>
        <translation>実行の開始後にモデル、アダプター、または入力のファイルが変わっています（{}）</translation>
    </message>
    <message>
        <source>settings and files of the model, adapters or inputs have changed since the run began ({})</source>
        <translation>実行の開始後に、設定と、モデル、アダプター、または入力のファイルが変わっています（{}）</translation>
    </message>
    <message>
        <source>Put the files back that it began with, or start a new run: meshreel run {}</source>
        <translation>開始時のファイルに戻すか、新しい実行を始めてください: meshreel run {}</translation>
    </message>
    <message>
        <source>it shrank while it was read</source>
        <translation>読み取り中に縮みました</translation>
    </message>
    <message>
        <source>Check that it is there and its permissions</source>
        <translation>ファイルがあるか、アクセス権があるか確認してください</translation>
    </message>
    <message>
        <source>this GGUF was left unfinished: it holds no such tensor</source>
        <translation>このGGUFは未完成で、そのようなテンソルがありません</translation>
    </message>
    <message>
        <source>Converters leave out what has 5 axes and add it in a last step (fix_5d_tensors.py of ComfyUI-GGUF): do that step, or get a finished file</source>
        <translation>変換ツールは軸が5つのテンソルを省き、最後の手順（ComfyUI-GGUFのfix_5d_tensors.py）で追加します。その手順を実行するか、完成したファイルを入手してください</translation>
    </message>
    <message>
        <source>The file is incomplete, or of another model: get it again</source>
        <translation>ファイルが不完全か、別のモデルのものです。入手し直してください</translation>
    </message>
    <message>
        <source>The nearest name is &apos;{}&apos;: the file is incomplete, or of another model</source>
        <translation>最も近い名前は「{}」です。ファイルが不完全か、別のモデルのものです</translation>
    </message>
    <message>
        <source>it is stored as {}, which Meshreel does not read</source>
        <translation>{}として保存されており、Meshreelでは読み取れません</translation>
    </message>
    <message>
        <source>The file is of another model, or damaged: check what it is with meshreel inspect, or get it again</source>
        <translation>ファイルが別のモデルのものか、破損しています。meshreel inspectで何のファイルか確認するか、入手し直してください</translation>
    </message>
    <message>
        <source>{} whose comfy_quant names no format</source>
        <translation>comfy_quantに形式の指定がない{}</translation>
    </message>
    <message>
        <source>its scale is of type {}, which is not read</source>
        <translation>スケールの型{}は読み取れません</translation>
    </message>
    <message>
        <source>it is made by {}, which Meshreel does not read</source>
        <translation>{}で作られており、Meshreelでは読み取れません</translation>
    </message>
    <message>
        <source>it has layers for transformer_2, the second of two experts, and the model has one transformer</source>
        <translation>2つのエキスパートの2つ目、transformer_2の層がありますが、モデルのトランスフォーマーは1つです</translation>
    </message>
    <message>
        <source>Use it with a model of two experts (Wan 2.2 A14B), or an adapter for this one</source>
        <translation>2つのエキスパートを持つモデル（Wan 2.2 A14B）で使うか、このモデル用のアダプターを使ってください</translation>
    </message>
    <message>
        <source>{} is not applied, because the folder holds several files of weights: put this one and its description into a folder of their own</source>
        <translation>フォルダーに重みファイルが複数あるため、{}は適用されません。このアダプターとその記述ファイルを専用のフォルダーに置いてください</translation>
    </message>
    <message>
        <source>{} is not applied ({})</source>
        <translation>{}は適用されません（{}）</translation>
    </message>
    <message>
        <source>{} layers have an alpha in the file, which is applied in place of {}</source>
        <translation>{}個の層はファイル内にalphaがあり、{}の代わりにそれを適用します</translation>
    </message>
    <message>
        <source>{} has a value that PEFT does not write</source>
        <translation>{}の値はPEFTが書き出すものではありません</translation>
    </message>
    <message>
        <source>Use a plain LoRA, or one that its trainer merged into a model</source>
        <translation>通常のLoRAか、学習ツールでモデルに統合したものを使ってください</translation>
    </message>
    <message>
        <source>this is {} ({}), which Meshreel does not apply</source>
        <translation>これは{}（{}）で、Meshreelでは適用できません</translation>
    </message>
    <message>
        <source>it was trained from {} (init_lora_weights), which changes the model&apos;s own weights</source>
        <translation>{}（init_lora_weights）から学習されています。これはモデル自体の重みを変えます</translation>
    </message>
    <message>
        <source>Have it saved as a plain LoRA: PEFT converts it with path_initial_model_for_weight_conversion</source>
        <translation>通常のLoRAとして保存し直してください。PEFTではpath_initial_model_for_weight_conversionで変換できます</translation>
    </message>
    <message>
        <source>{} holds &quot;{}&quot;, which cannot be read as a regular expression</source>
        <translation>{}の「{}」を正規表現として解釈できません</translation>
    </message>
    <message>
        <source>Name the modules one by one in {}</source>
        <translation>{}ではモジュールを1つずつ指定してください</translation>
    </message>
    <message>
        <source>it says rank {:g} for {}, whose tensors have rank {}</source>
        <translation>ランク{:g}と記載されている{}のテンソルは、ランクが{}です</translation>
    </message>
    <message>
        <source>Use the description that belongs to the adapter&apos;s file</source>
        <translation>アダプターのファイルに対応する記述ファイルを使ってください</translation>
    </message>
    <message>
        <source>the adapter replaces {} of the model ({}), which Meshreel does not do</source>
        <translation>アダプターはモデルの{}を置き換えますが（{}）、Meshreelは対応していません</translation>
    </message>
    <message>
        <source>Use an adapter without it, or one that its trainer merged into a model</source>
        <translation>これを含まないアダプターか、学習ツールでモデルに統合したものを使ってください</translation>
    </message>
    <message>
        <source>This row has {} fields in place of {}</source>
        <translation>この行のフィールドは {} 個です（{} 個であるべきです）</translation>
    </message>
    <message>
        <source>its parts do not fit together</source>
        <translation>各部分が整合していません</translation>
    </message>
    <message>
        <source>frame {} cannot be decoded</source>
        <translation>フレーム {} をデコードできません</translation>
    </message>
    <message>
        <source>These are not the numbers of a roofline</source>
        <translation>これはルーフラインの数値ではありません</translation>
    </message>
    <message>
        <source>Draw one with meshreel bench --roofline</source>
        <translation>meshreel bench --roofline で描いてください</translation>
    </message>
    <message>
        <source>No hardware profile is published as {}</source>
        <translation>{}として公表されたハードウェアプロファイルはありません</translation>
    </message>
    <message>
        <source>The model is not stated</source>
        <translation>モデルが示されていません</translation>
    </message>
    <message>
        <source>The video&apos;s size is not stated</source>
        <translation>動画のサイズが示されていません</translation>
    </message>
    <message>
        <source>{} skips work by the video&apos;s content</source>
        <translation>{}は動画の内容に応じて計算を省きます</translation>
    </message>
    <message>
        <source>No program called {} is known</source>
        <translation>{}というプログラムはありません</translation>
    </message>
    <message>
        <source>Programs: {}</source>
        <translation>プログラム: {}</translation>
    </message>
    <message>
        <source>{} is not foreseen</source>
        <translation>{}は見通しの対象外です</translation>
    </message>
    <message>
        <source>The number of steps is not stated</source>
        <translation>ステップ数が示されていません</translation>
    </message>
    <message>
        <source>No legal mesh is called {}</source>
        <translation>{}という有効なメッシュはありません</translation>
    </message>
    <message>
        <source>The best are {}; a mode may follow behind a slash</source>
        <translation>最良のものは{}です。スラッシュの後にモードを続けられます</translation>
    </message>
    <message>
        <source>A hardware profile is a map of keys</source>
        <translation>ハードウェアプロファイルはキーのマップです</translation>
    </message>
    <message>
        <source>Copy a file of configs/hardware and change its numbers</source>
        <translation>configs/hardwareのファイルをコピーし、数値を変えてください</translation>
    </message>
    <message>
        <source>No key of a hardware profile is called {}</source>
        <translation>ハードウェアプロファイルに{}というキーはありません</translation>
    </message>
    <message>
        <source>docs/foresight.md lists the keys</source>
        <translation>キーはdocs/foresight.mdにあります</translation>
    </message>
    <message>
        <source>{} is {}, and must be a number above 0</source>
        <translation>{}は{}ですが、0より大きい数でなければなりません</translation>
    </message>
    <message>
        <source>Write a number such as 989 or 3.9e12</source>
        <translation>989や3.9e12のような数を書いてください</translation>
    </message>
    <message>
        <source>{} is {}, and must be a whole number</source>
        <translation>{}は{}ですが、整数でなければなりません</translation>
    </message>
    <message>
        <source>Write a number from {} to {}</source>
        <translation>{}から{}までの数を書いてください</translation>
    </message>
    <message>
        <source>There is no kind of hardware called {}</source>
        <translation>{}という種類のハードウェアはありません</translation>
    </message>
    <message>
        <source>Write tpu, gpu or consumer_gpu</source>
        <translation>tpu、gpu、consumer_gpuのいずれかを書いてください</translation>
    </message>
    <message>
        <source>{} is empty</source>
        <translation>{}が空です</translation>
    </message>
    <message>
        <source>Give a list of texts</source>
        <translation>テキストのリストを指定してください</translation>
    </message>
    <message>
        <source>A link has no {}</source>
        <translation>接続に{}がありません</translation>
    </message>
    <message>
        <source>Write - {{name: NVLink, devices: 8, gb_s: 450, ports: 1, latency_us: 3, topology: switch}}</source>
        <translation>- {{name: NVLink, devices: 8, gb_s: 450, ports: 1, latency_us: 3, topology: switch}} と書いてください</translation>
    </message>
    <message>
        <source>The link {} reaches no more devices than the one before</source>
        <translation>接続{}が届くデバイスは前の接続より増えていません</translation>
    </message>
    <message>
        <source>List links from near to far</source>
        <translation>接続は近いものから順に並べてください</translation>
    </message>
    <message>
        <source>A profile needs links</source>
        <translation>プロファイルには接続が必要です</translation>
    </message>
    <message>
        <source>List one link at least</source>
        <translation>接続を1つ以上書いてください</translation>
    </message>
    <message>
        <source>There is no topology called {}</source>
        <translation>{}というトポロジーはありません</translation>
    </message>
    <message>
        <source>No key of a link is called {}</source>
        <translation>接続に{}というキーはありません</translation>
    </message>
    <message>
        <source>The profile has no {}</source>
        <translation>プロファイルに{}がありません</translation>
    </message>
    <message>
        <source>docs/foresight.md says what it means</source>
        <translation>意味はdocs/foresight.mdにあります</translation>
    </message>
    <message>
        <source>There is no hardware profile called {}</source>
        <translation>{}というハードウェアプロファイルはありません</translation>
    </message>
    <message>
        <source>Profiles: {}; or give the path of a file</source>
        <translation>プロファイル: {}。またはファイルのパスを指定してください</translation>
    </message>
    <message>
        <source>More devices do not make it faster: {} take no longer</source>
        <translation>デバイスを増やしても速くなりません。{}台でも時間は変わりません</translation>
    </message>
    <message>
        <source>A ring of {}: a hop takes {:.1f} ms and its kernel {:.1f} ms</source>
        <translation>{}台のリング: 1ホップは{:.1f} ms、そのカーネルは{:.1f} ms</translation>
    </message>
    <message>
        <source>The exchange of heads takes {:.0f} % of a step</source>
        <translation>ヘッドの交換がステップの{:.0f} %を占めます</translation>
    </message>
    <message>
        <source>Heads run out: {} heads over {} devices; keys rotate or are gathered between {} groups</source>
        <translation>ヘッドが足りません。{}ヘッドを{}台で分担し、キーは{}グループ間で巡回または収集します</translation>
    </message>
    <message>
        <source>Blocks are filled up: a device has too few rows for them</source>
        <translation>ブロックが余白で埋められます。デバイスの行が足りません</translation>
    </message>
    <message>
        <source>Exchange and starts of blocks do not shrink as computing does</source>
        <translation>交換とブロックの開始は計算ほど短くなりません</translation>
    </message>
    <message>
        <source>Memory: {:.0f} GiB a device at least, of {:.0f}</source>
        <translation>メモリ: デバイスあたり最低{:.0f} GiB、搭載は{:.0f}</translation>
    </message>
    <message>
        <source>No legal mesh has so many devices</source>
        <translation>この台数の有効なメッシュはありません</translation>
    </message>
    <message>
        <source>{}: {:.3g} s of a step, {:.0f} %. {}</source>
        <translation>{}: ステップの{:.3g}秒、{:.0f} %。{}</translation>
    </message>
    <message>
        <source>The ring of {} is bound by its hops: one takes {:.1f} ms, and the kernel beside it {:.1f} ms. Larger blocks gain little here</source>
        <translation>{}台のリングはホップで律速されます。1ホップは{:.1f} ms、並行するカーネルは{:.1f} msです。ブロックを大きくしても効果はわずかです</translation>
    </message>
    <message>
        <source>A hardware profile is a file that ends in .yaml</source>
        <translation>ハードウェアプロファイルは.yamlで終わるファイルです</translation>
    </message>
    <message>
        <source>Write -o my-hardware.yaml</source>
        <translation>-o my-hardware.yaml と書いてください</translation>
    </message>
    <message>
        <source>{} has measured times already</source>
        <translation>{}にはすでに計測時間があります</translation>
    </message>
    <message>
        <source>Fit the profile that it was made of, {}, with all runs</source>
        <translation>元のプロファイル{}をすべての実行で合わせ直してください</translation>
    </message>
    <message>
        <source>The table has no column {}</source>
        <translation>表に{}の列がありません</translation>
    </message>
    <message>
        <source>docs/foresight.md describes the columns of a table of times</source>
        <translation>時間の表の列はdocs/foresight.mdに説明があります</translation>
    </message>
    <message>
        <source>Seconds are {}, and must be above 0</source>
        <translation>秒数は{}ですが、0より大きくなければなりません</translation>
    </message>
    <message>
        <source>linear layers</source>
        <translation>線形層</translation>
    </message>
    <message>
        <source>attention products</source>
        <translation>アテンションの積</translation>
    </message>
    <message>
        <source>padding of blocks</source>
        <translation>ブロックの余白</translation>
    </message>
    <message>
        <source>softmax and starts of blocks</source>
        <translation>ソフトマックスとブロックの開始</translation>
    </message>
    <message>
        <source>memory bandwidth</source>
        <translation>メモリ帯域</translation>
    </message>
    <message>
        <source>exchange of heads</source>
        <translation>ヘッドの交換</translation>
    </message>
    <message>
        <source>exposed hops of the ring</source>
        <translation>隠れないリングのホップ</translation>
    </message>
    <message>
        <source>exposed gather of keys</source>
        <translation>隠れないキーの収集</translation>
    </message>
    <message>
        <source>exposed gather of weights</source>
        <translation>隠れない重みの収集</translation>
    </message>
    <message>
        <source>More devices, 8-bit linear layers, or fewer steps</source>
        <translation>デバイスを増やす、8ビットの線形層を使う、またはステップを減らす</translation>
    </message>
    <message>
        <source>More devices along the context axis, or a kernel nearer to the peak</source>
        <translation>コンテキスト軸のデバイスを増やす、またはピークに近いカーネルを使う</translation>
    </message>
    <message>
        <source>Blocks that divide the queries and keys of a device</source>
        <translation>デバイスのクエリとキーを割り切るブロック</translation>
    </message>
    <message>
        <source>A larger block_q within the scratch, or a kernel with a fixed bound</source>
        <translation>スクラッチに収まる範囲でblock_qを大きくする、または固定上界のカーネルを使う</translation>
    </message>
    <message>
        <source>A program that fuses norms, rotations and residuals</source>
        <translation>正規化、回転、残差を融合するプログラム</translation>
    </message>
    <message>
        <source>A smaller ulysses_shards that stays on nearer links, with a ring for the rest</source>
        <translation>ulysses_shardsを近い接続に収まるよう小さくし、残りはリングにする</translation>
    </message>
    <message>
        <source>A shorter ring, whose kernel outlasts a hop, or faster links</source>
        <translation>カーネルがホップより長い短いリング、または速い接続</translation>
    </message>
    <message>
        <source>Ulysses or a ring in place of a gather</source>
        <translation>収集の代わりにUlyssesまたはリング</translation>
    </message>
    <message>
        <source>A smaller tensor axis: the context axis moves less</source>
        <translation>テンソル軸を小さくする。コンテキスト軸の方が転送が少なくて済みます</translation>
    </message>
    <message>
        <source>A smaller fsdp axis where memory allows it</source>
        <translation>メモリが許せばfsdp軸を小さくする</translation>
    </message>
    <message>
        <source>Write name, devices, gb_s, ports, latency_us, units_share or topology</source>
        <translation>name、devices、gb_s、ports、latency_us、units_share、topologyのいずれかを書いてください</translation>
    </message>
    <message>
        <source>it does not answer</source>
        <translation>応答がありません</translation>
    </message>
    <message>
        <source>it cannot be reached</source>
        <translation>接続できません</translation>
    </message>
    <message>
        <source>Open MPI is not installed there: the shell finds no orted</source>
        <translation>そこに Open MPI がインストールされていません。シェルが orted を見つけられません</translation>
    </message>
    <message>
        <source>the shell finds no orted of Open MPI there: {}</source>
        <translation>そこのシェルが Open MPI の orted を見つけられません: {}</translation>
    </message>
    <message>
        <source>this rank reads other weights than rank 0: {} of {} differs or is missing</source>
        <translation>このランクはランク 0 と異なる重みを読んでいます。{}（{}）が異なるか、ありません</translation>
    </message>
    <message>
        <source>Copy rank 0&apos;s model to this host, or set broadcast_weights: true</source>
        <translation>ランク 0 のモデルをこのホストにコピーするか、broadcast_weights: true を設定してください</translation>
    </message>
    <message>
        <source>the model on {} is not that of {}: {}</source>
        <translation>{} のモデルは {} のものと異なります: {}</translation>
    </message>
    <message>
        <source>Install Meshreel at the same path there, or let --broadcast-program send it</source>
        <translation>そこの同じパスに Meshreel をインストールするか、--broadcast-program で送ってください</translation>
    </message>
    <message>
        <source>{} of {} differs or is missing</source>
        <translation>{}（{}）が異なるか、ありません</translation>
    </message>
    <message>
        <source>the program is not there</source>
        <translation>そこにプログラムがありません</translation>
    </message>
    <message>
        <source>Cells on hosts leave no trace; trace_batch serves those of this machine</source>
        <translation>ホスト上のセルはトレースを残しません。trace_batch はこのマシンのセルに使われます</translation>
    </message>
    <message>
        <source>Save the sweep, or leave out hosts</source>
        <translation>一括計測を保存するか、hosts を省いてください</translation>
    </message>
    <message>
        <source>ranks on hosts read a sweep from its file, and this one has none</source>
        <translation>ホスト上のランクは一括計測をファイルから読みますが、これにはファイルがありません</translation>
    </message>
    <message>
        <source>meshreel sweep FILE --list prints the cells</source>
        <translation>meshreel sweep FILE --list でセルを表示できます</translation>
    </message>
    <message>
        <source>Fixed m: {} of {} heads ran on the bound; {} were beyond its limit, {} lost weights</source>
        <translation>固定m: {}／{}個のヘッドが上界で計算されました。上限超過は{}個、重みを失ったものは{}個です</translation>
    </message>
    <message>
        <source>its numbers are not those that were written</source>
        <translation>書き込まれた数値と一致しません</translation>
    </message>
    <message>
        <source>{} could not be read and was set aside as {}: {}</source>
        <translation>{} を読めなかったため、{} として退避しました: {}</translation>
    </message>
    <message>
        <source>{} has lost {} of the {} steps before; sums and charts lack them</source>
        <translation>{} では、以前のステップが {} 件（全 {} 件中）失われています。合計とグラフには含まれません</translation>
    </message>
    <message>
        <source>a run that has begun keeps its {}</source>
        <translation>開始した実行の {} は変更できません</translation>
    </message>
    <message>
        <source>Change only {}, or start a new run</source>
        <translation>{} だけを変更するか、新しい実行を始めてください</translation>
    </message>
    <message>
        <source>it holds no project</source>
        <translation>プロジェクトが含まれていません</translation>
    </message>
    <message>
        <source>it changes the run before it, which cannot be read</source>
        <translation>直前の実行からの変更ですが、その実行を読めません</translation>
    </message>
    <message>
        <source>the run is finished already</source>
        <translation>この実行はすでに終わっています</translation>
    </message>
    <message>
        <source>Write its video otherwise with meshreel decode and the same --set</source>
        <translation>meshreel decode と同じ --set で、別の形式の動画を書き出してください</translation>
    </message>
    <message>
        <source>A kept video was made again, as its picture could not be read ({}); that was set aside as {}</source>
        <translation>保存された動画の画像を読めなかったため（{}）、作り直しました。元の画像は {} として残しました</translation>
    </message>
    <message>
        <source>It is not known on which machine the measurements in {} began: no {} records it</source>
        <translation>{} の測定がどのマシンで始まったかは不明です。それを記録した {} がありません</translation>
    </message>
    <message>
        <source>the measurements were begun on another machine or build ({})</source>
        <translation>測定は別のマシンまたは別のビルドで始まっています（{}）</translation>
    </message>
    <message>
        <source>Go on there, or measure all of them here in another folder</source>
        <translation>そこで続けるか、ここで別のフォルダーにすべて測定し直してください</translation>
    </message>
    <message>
        <source>the sweep has no cell &quot;{}&quot;</source>
        <translation>一括計測にセル「{}」はありません</translation>
    </message>
    <message>
        <source>this is no row of a sweep</source>
        <translation>これは一括計測の行ではありません</translation>
    </message>
    <message>
        <source>The pass is measured again when the sweep goes on</source>
        <translation>一括計測を続けると、このパスは測定し直されます</translation>
    </message>
    <message>
        <source>rank {} on host {} computes with {}, and rank 0 on host {} with {}: the result differs slightly from that of one instruction set. For the same bits everywhere give the narrowest of them with --isa</source>
        <translation>ランク {}（ホスト {}）は {} で計算し、ランク 0（ホスト {}）は {} で計算します。結果は命令セットが一つの場合とわずかに異なります。どこでも同じビットにするには、最も狭いものを --isa で指定してください</translation>
    </message>
    <message>
        <source>the run has lost its {}</source>
        <translation>実行の {} が失われています</translation>
    </message>
    <message>
        <source>{} runs are left out, as they cannot be read: {}</source>
        <translation>{} 件の実行は読めないため省かれました: {}</translation>
    </message>
    <message>
        <source>the shard {:.80} is not the name of a file of weights beside the index</source>
        <translation>シャード {:.80} は、索引と同じフォルダーにある重みファイルの名前ではありません</translation>
    </message>
    <message>
        <source>Use a checkpoint in F32, F16, BF16, fp8, ComfyUI&apos;s int8, nvfp4 or mxfp8, or one of GGUF&apos;s types Q8_0, Q6_K, Q5_K, Q4_K, Q3_K, Q2_K, IQ4_NL, IQ4_XS, Q5_0, Q5_1, Q4_0 and Q4_1</source>
        <translation>F32、F16、BF16、fp8、ComfyUI の int8・nvfp4・mxfp8、または GGUF の Q8_0、Q6_K、Q5_K、Q4_K、Q3_K、Q2_K、IQ4_NL、IQ4_XS、Q5_0、Q5_1、Q4_0、Q4_1 のチェックポイントを使ってください</translation>
    </message>
    <message>
        <source>its tokenizer has {} tokens, {} scores and {} kinds of tokens</source>
        <translation>トークナイザーのトークンが {} 個、スコアが {} 個、トークンの種類が {} 個で、数が一致しません</translation>
    </message>
    <message>
        <source>Name a tokenizer in parts.tokenizer</source>
        <translation>parts.tokenizer でトークナイザーを指定してください</translation>
    </message>
    <message>
        <source>the metadata &apos;{}&apos; is a list of another type</source>
        <translation>メタデータ &apos;{}&apos; は別の型のリストです</translation>
    </message>
    <message>
        <source>a causal Wan model, which makes a video block by block</source>
        <translation>動画をブロックごとに生成する因果的な Wan モデル</translation>
    </message>
    <message>
        <source>its scale (weight_scale) is missing</source>
        <translation>スケール（weight_scale）がありません</translation>
    </message>
    <message>
        <source>The file is incomplete: get it again</source>
        <translation>ファイルが不完全です。もう一度入手してください</translation>
    </message>
    <message>
        <source>The file is damaged: get it again</source>
        <translation>ファイルが壊れています。もう一度入手してください</translation>
    </message>
    <message>
        <source>its scale has shape {}, but {} numbers were expected, in tiles of 128 rows and 4 columns</source>
        <translation>スケールの形状は {} ですが、128 行 4 列のタイルで {} 個の数値が必要です</translation>
    </message>
    <message>
        <source>weight_scale_2, one number, is missing or of another type</source>
        <translation>1 つの数値である weight_scale_2 がないか、別の型です</translation>
    </message>
    <message>
        <source>Wan 2.2 VACE editing, two experts</source>
        <translation>Wan 2.2 VACE 編集、エキスパート 2 個</translation>
    </message>
    <message>
        <source>the GPU {} is not here any more</source>
        <translation>GPU {} が見つからなくなりました</translation>
    </message>
    <message>
        <source>See meshreel devices</source>
        <translation>meshreel devices を参照してください</translation>
    </message>
    <message>
        <source>{} cannot be used: {}</source>
        <translation>{} は使用できません: {}</translation>
    </message>
    <message>
        <source>{} has no memory of the kind that is needed</source>
        <translation>{} には必要な種類のメモリがありません</translation>
    </message>
    <message>
        <source>Update the GPU driver, or use the CPU</source>
        <translation>GPU ドライバーを更新するか、CPU を使用してください</translation>
    </message>
    <message>
        <source>Denoising held {} of the GPU&apos;s memory at most; {} were planned</source>
        <translation>デノイズが使った GPU メモリーは最大 {}、計画では {} でした</translation>
    </message>
    <message>
        <source>Decoding held {} of the GPU&apos;s memory at most; {} were planned</source>
        <translation>デコードが使った GPU メモリーは最大 {}、計画では {} でした</translation>
    </message>
    <message>
        <source>the VAE needs {} of the GPU&apos;s memory beside the transformer, and {} are free</source>
        <translation>VAE はトランスフォーマーのほかに GPU メモリーを {} 必要としますが、空きは {} です</translation>
    </message>
    <message>
        <source>gpus is &quot;{}&quot;</source>
        <translation>gpus は「{}」です</translation>
    </message>
    <message>
        <source>Use none, auto, or the number of a GPU: 0 is the first that meshreel devices lists</source>
        <translation>none、auto、または GPU の番号を使ってください。0 は meshreel devices が最初に示すものです</translation>
    </message>
    <message>
        <source>there is no GPU {} on this machine</source>
        <translation>このマシンに GPU {} はありません</translation>
    </message>
    <message>
        <source>there is no GPU {}: {}</source>
        <translation>GPU {} はありません: {}</translation>
    </message>
    <message>
        <source>meshreel devices lists those that there are</source>
        <translation>meshreel devices が利用できるものを示します</translation>
    </message>
    <message>
        <source>the GPU {} ({}) cannot be used: {}</source>
        <translation>GPU {} ({}) は使用できません: {}</translation>
    </message>
    <message>
        <source>Update its driver, or use the CPU</source>
        <translation>ドライバーを更新するか、CPU を使用してください</translation>
    </message>
    <message>
        <source>{} takes at most {:.1f} GiB in one piece, {:.1f} GiB are needed</source>
        <translation>{} が一度に確保できるのは最大 {:.1f} GiB ですが、{:.1f} GiB 必要です</translation>
    </message>
    <message>
        <source>Make a smaller or shorter video, or use the CPU</source>
        <translation>より小さいか短い動画にするか、CPU を使用してください</translation>
    </message>
    <message>
        <source>Use flash, or the CPU (gpus: none)</source>
        <translation>flash にするか、CPU（gpus: none）を使ってください</translation>
    </message>
    <message>
        <source>the model&apos;s heads have {} numbers; a GPU takes multiples of {} up to {}</source>
        <translation>モデルのヘッドは {} 個の数値を持ちます。GPU が扱えるのは {} の倍数で {} までです</translation>
    </message>
    <message>
        <source>Use the CPU</source>
        <translation>CPU を使用してください</translation>
    </message>
    <message>
        <source>the GPU {} needs {} of its memory for activations and {} for the layers in use, and {} are free</source>
        <translation>GPU {} はアクティベーションに {}、使用中の層の重みに {} のメモリーを必要としますが、空きは {} です</translation>
    </message>
    <message>
        <source>Make a smaller or shorter video, or use the CPU (gpus: none)</source>
        <translation>より小さいか短い動画にするか、CPU（gpus: none）を使ってください</translation>
    </message>
    <message>
        <source>there is a software driver only, which auto does not take</source>
        <translation>ソフトウェアドライバーしかなく、auto はそれを使いません</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>the driver does not offer {}</source>
        <translation>ドライバーが {} を提供していません</translation>
    </message>
    <message>
        <source>{} has no product of these factors</source>
        <translation>{} にこの因子の積がありません</translation>
    </message>
    <message>
        <source>it crashed when it was asked for its devices (signal {})</source>
        <translation>デバイスを問い合わせたときにクラッシュしました（シグナル {}）</translation>
    </message>
    <message>
        <source>it ended the program that asked it (exit code {})</source>
        <translation>問い合わせたプログラムを終了させました（終了コード {}）</translation>
    </message>
    <message>
        <source>it finds no device of its own</source>
        <translation>対応するデバイスが見つかりません</translation>
    </message>
    <message>
        <source>no Vulkan driver is installed</source>
        <translation>Vulkan ドライバーがインストールされていません</translation>
    </message>
    <message>
        <source>no Vulkan driver finds a device</source>
        <translation>デバイスを見つけた Vulkan ドライバーがありません</translation>
    </message>
    <message>
        <source>no GPU has what Meshreel needs</source>
        <translation>Meshreel に必要な機能を備えた GPU がありません</translation>
    </message>
    <message>
        <source>its driver is older than Vulkan 1.2</source>
        <translation>ドライバーが Vulkan 1.2 より古いものです</translation>
    </message>
    <message>
        <source>its driver lacks {}</source>
        <translation>ドライバーに {} がありません</translation>
    </message>
    <message>
        <source>it has no queue for computing</source>
        <translation>計算用のキューがありません</translation>
    </message>
    <message>
        <source>not measured yet; the first run in bf16 measures, or meshreel bench gpu</source>
        <translation>未測定です。最初の bf16 の実行か meshreel bench gpu が測定します</translation>
    </message>
    <message>
        <source>in bf16 {} is faster: {:.3g} against {:.3g} TFLOP/s</source>
        <translation>bf16 では {} のほうが速いです: {:.3g} 対 {:.3g} TFLOP/s</translation>
    </message>
    <message>
        <source>the GPU does not offer it any more</source>
        <translation>GPU はもうこれを提供しません</translation>
    </message>
    <message>
        <source>none is admitted</source>
        <translation>許可されたものがありません</translation>
    </message>
    <message>
        <source>{} computes {} in no form: {}</source>
        <translation>{} は {} をどの形式でも計算できません: {}</translation>
    </message>
    <message>
        <source>See meshreel devices, update the GPU driver, or use the CPU</source>
        <translation>meshreel devices を確認し、GPU ドライバーを更新するか CPU を使ってください</translation>
    </message>
    <message>
        <source>{} computes wrong values in {}: an error of {:.3g}, {:.3g} is allowed</source>
        <translation>{} は {} で誤った値を計算します: 誤差 {:.3g}、許容は {:.3g}</translation>
    </message>
    <message>
        <source>The GPU multiplied bf16 in the form {}; factors beyond 65,504 were clamped to it</source>
        <translation>GPU は bf16 を形式 {} で乗算しました。65,504 を超える因子はこの値に制限されました</translation>
    </message>
    <message>
        <source>The GPU multiplied bf16 in the form {}</source>
        <translation>GPU は bf16 を形式 {} で乗算しました</translation>
    </message>
    <message>
        <source>{} computes wrong values in the shader {}: {:.3g} times the error that is allowed</source>
        <translation>{} はシェーダー {} で誤った値を計算します。許容誤差の {:.3g} 倍です</translation>
    </message>
    <message>
        <source>{} has not answered for a minute</source>
        <translation>{} が 1 分間応答していません</translation>
    </message>
    <message>
        <source>Use the CPU, or restart the computer</source>
        <translation>CPU を使用するか、コンピューターを再起動してください</translation>
    </message>
    <message>
        <source>out of memory</source>
        <translation>メモリ不足です</translation>
    </message>
    <message>
        <source>the device is lost</source>
        <translation>デバイスが失われました</translation>
    </message>
    <message>
        <source>no driver fits</source>
        <translation>適合するドライバーがありません</translation>
    </message>
    <message>
        <source>Vulkan&apos;s error {}</source>
        <translation>Vulkan エラー {}</translation>
    </message>
    <message>
        <source>the GPU driver failed in {}: {}</source>
        <translation>GPU ドライバーが {} で失敗しました: {}</translation>
    </message>
    <message>
        <source>Close other programs that use the GPU, or use the CPU</source>
        <translation>GPU を使用している他のプログラムを閉じるか、CPU を使用してください</translation>
    </message>
    <message>
        <source>See the system&apos;s log (dmesg), update the GPU driver, or use the CPU</source>
        <translation>システムログ（dmesg）を確認し、GPU ドライバーを更新するか、CPU を使用してください</translation>
    </message>
    <message>
        <source>Vulkan cannot be loaded ({})</source>
        <translation>Vulkan を読み込めません（{}）</translation>
    </message>
    <message>
        <source>Install the package libvulkan1</source>
        <translation>パッケージ libvulkan1 をインストールしてください</translation>
    </message>
    <message>
        <source>Vulkan does not start: {}</source>
        <translation>Vulkan が起動しません: {}</translation>
    </message>
    <message>
        <source>Install a GPU driver with Vulkan, for Intel and AMD the package mesa-vulkan-drivers</source>
        <translation>Vulkan 対応の GPU ドライバーをインストールしてください。Intel と AMD ではパッケージ mesa-vulkan-drivers です</translation>
    </message>
    <message>
        <source>{} is a small decoder: name it in parts.vae to decode faster and less exactly</source>
        <translation>{} は小型デコーダです。parts.vae に指定すると、精度は下がりますが速くデコードします</translation>
    </message>
    <message>
        <source>Name taew2_1 or taew2_2 in parts.preview, or leave it out</source>
        <translation>parts.preview に taew2_1 か taew2_2 を指定するか、省略してください</translation>
    </message>
    <message>
        <source>the small decoder takes latents of {} channels, and the model&apos;s have {}</source>
        <translation>小型デコーダは {} チャンネルの潜在表現を受け取りますが、モデルのものは {} チャンネルです</translation>
    </message>
    <message>
        <source>small decoder (TAEHV) of all but TI2V-5B</source>
        <translation>TI2V-5B 以外の小型デコーダ (TAEHV)</translation>
    </message>
    <message>
        <source>small decoder (TAEHV) of TI2V-5B</source>
        <translation>TI2V-5B の小型デコーダ (TAEHV)</translation>
    </message>
    <message>
        <source>the larger variant of TAEHV (taew2_2_super)</source>
        <translation>TAEHV の大型版 (taew2_2_super)</translation>
    </message>
    <message>
        <source>A small decoder (TAEHV) does not encode</source>
        <translation>小型デコーダ (TAEHV) はエンコードしません</translation>
    </message>
    <message>
        <source>Use the VAE of the model</source>
        <translation>モデルの VAE を使ってください</translation>
    </message>
    <message>
        <source>{} values for {} levels in dim_mult</source>
        <translation>dim_mult の {1} 段に対して値が {0} 個あります</translation>
    </message>
    <message>
        <source>The VAE is a small decoder (TAEHV), and {} ({}) encodes pictures</source>
        <translation>VAE は小型デコーダ (TAEHV) ですが、{} ({}) は画像をエンコードします</translation>
    </message>
    <message>
        <source>Use the VAE of the model; a small decoder can make the previews: parts.preview</source>
        <translation>モデルの VAE を使ってください。小型デコーダはプレビューを作れます: parts.preview</translation>
    </message>
    <message>
        <source>{} ({}) makes {} frames at least</source>
        <translation>{} ({}) は少なくとも {} フレームを作ります</translation>
    </message>
    <message>
        <source>File or folder of the VAE; Wan 2.1&apos;s has 16 channels, that of TI2V-5B 48. A small decoder (TAEHV: taew2_1, taew2_2) decodes faster and less exactly, and text to video only. Empty takes the model&apos;s own.</source>
        <translation>VAE のファイルまたはフォルダ。Wan 2.1 のものは 16 チャンネル、TI2V-5B のものは 48 チャンネルです。小型デコーダ (TAEHV: taew2_1、taew2_2) は速く、精度は低く、テキストから動画への場合だけデコードします。空ならモデルのものを使います。</translation>
    </message>
    <message>
        <source>Preview decoder</source>
        <translation>プレビューデコーダ</translation>
    </message>
    <message>
        <source>File of a small decoder (TAEHV: taew2_1, taew2_2) that makes the previews of steps. Empty makes them by a linear map from latents to colours, which takes less time and shows less.</source>
        <translation>ステップのプレビューを作る小型デコーダ (TAEHV: taew2_1、taew2_2) のファイル。空なら潜在表現から色への線形写像で作ります。速いですが、見える内容は少なくなります。</translation>
    </message>
    <message>
        <source>The project file has version &quot;{}&quot;, and this Meshreel reads versions {} to {}</source>
        <translation>プロジェクトファイルのバージョンは「{}」ですが、この Meshreel が読むのはバージョン {} から {} です</translation>
    </message>
    <message>
        <source>use_dora is true in {}, and the file holds no magnitudes: it is applied as a plain LoRA</source>
        <translation>{} で use_dora が true ですが、ファイルに magnitude がありません。通常の LoRA として適用します</translation>
    </message>
    <message>
        <source>own times</source>
        <translation>自身の計測値</translation>
    </message>
    <message>
        <source>times of the hardware</source>
        <translation>そのハードウェアの計測値</translation>
    </message>
    <message>
        <source>class mean</source>
        <translation>同種の平均</translation>
    </message>
    <message>
        <source>Write pair, ring, torus, switch, pcie or line</source>
        <translation>pair、ring、torus、switch、pcie、lineのどれかを書いてください</translation>
    </message>
    <message>
        <source>{} needs {:.0f} GiB a device for {}, which has {:.0f} GiB</source>
        <translation>{}にはデバイスあたり{:.0f} GiBが必要ですが、{}には{:.0f} GiBしかありません</translation>
    </message>
    <message>
        <source>Use more devices, or shard the weights over an fsdp axis</source>
        <translation>デバイスを増やすか、重みをfsdp軸に分割してください</translation>
    </message>
    <message>
        <source>a hop takes {:.1f} ms, and the kernel beside it only {:.1f} ms</source>
        <translation>1ホップに{:.1f} ms、その間のカーネルは{:.1f} msしかかかりません</translation>
    </message>
    <message>
        <source>its {} hops start more blocks and merge more partials</source>
        <translation>{}回のホップではブロックの開始と部分結果の統合が増えます</translation>
    </message>
    <message>
        <source>A ring of {} takes {:.3g} s a step on {}: {}</source>
        <translation>{}台のリングは1ステップに{:.3g}秒かかります（{}）: {}</translation>
    </message>
    <message>
        <source>{} with {} takes {:.3g} s</source>
        <translation>{}（{}）なら{:.3g}秒です</translation>
    </message>
    <message>
        <source>No legal mesh of so many devices fits into their memory</source>
        <translation>この台数の有効なメッシュで、メモリーに収まるものはありません</translation>
    </message>
    <message>
        <source>Take more devices, or other hardware</source>
        <translation>デバイスを増やすか、別のハードウェアを選んでください</translation>
    </message>
    <message>
        <source>Kernels of {} take no block sizes</source>
        <translation>{}のカーネルにはブロックサイズがありません</translation>
    </message>
    <message>
        <source>Choose a TPU, or another chart</source>
        <translation>TPUか別のグラフを選んでください</translation>
    </message>
    <message>
        <source>There is no finished run to hold the foresight against</source>
        <translation>予測と比べる完了した実行がありません</translation>
    </message>
    <message>
        <source>Choose runs, or paste TIMING SUMMARY blocks, in Compare</source>
        <translation>［比較］で実行を選ぶか、TIMING SUMMARYを貼り付けてください</translation>
    </message>
    <message>
        <source>Make it, or choose another one</source>
        <translation>作成するか、別のフォルダーを選んでください</translation>
    </message>
    <message>
        <source>Download it with: {}. {}</source>
        <translation>{} でダウンロードしてください。{}</translation>
    </message>
    <message>
        <source>Choose a file of weights: .safetensors, .gguf or .pth</source>
        <translation>重みのファイルを選んでください：.safetensors、.gguf、.pth</translation>
    </message>
    <message>
        <source>the folder holds no model and no weights</source>
        <translation>フォルダーにモデルも重みもありません</translation>
    </message>
    <message>
        <source>Choose a folder with {}, or one with files of weights</source>
        <translation>{} のあるフォルダー、または重みのファイルのあるフォルダーを選んでください</translation>
    </message>
    <message>
        <source>it lies in a models folder already</source>
        <translation>すでにモデルフォルダーにあります</translation>
    </message>
    <message>
        <source>It is listed as it is</source>
        <translation>すでに一覧にあります</translation>
    </message>
    <message>
        <source>the models folder has something of this name</source>
        <translation>モデルフォルダーに同じ名前のものがあります</translation>
    </message>
    <message>
        <source>Rename one of them, or remove that one</source>
        <translation>どちらかの名前を変えるか、そちらを削除してください</translation>
    </message>
    <message>
        <source>the link cannot be made: {}</source>
        <translation>リンクを作成できません：{}</translation>
    </message>
    <message>
        <source>Choose a models folder that you may write to</source>
        <translation>書き込めるモデルフォルダーを選んでください</translation>
    </message>
    <message>
        <source>{} workers share {}; running more workers than CPUs slows things down</source>
        <translation>{}個のワーカーが{}を分け合います。CPUより多いワーカーは遅くなります</translation>
    </message>
    <message>
        <source>{} devices of {} worker share {}; running more workers than CPUs slows things down</source>
        <translation>ワーカー{1}個のデバイス{0}台が{2}を分け合います。CPUより多いワーカーは遅くなります</translation>
    </message>
    <message>
        <source>{} devices of {} workers share {}; running more workers than CPUs slows things down</source>
        <translation>ワーカー{1}個ずつのデバイス{0}台が{2}を分け合います。CPUより多いワーカーは遅くなります</translation>
    </message>
    <message>
        <source>Free some space on it, or choose another folder for runs</source>
        <translation>空き容量を増やすか、別の実行フォルダーを選んでください</translation>
    </message>
    <message>
        <source>{} must be a multiple of {}, not {}</source>
        <translation>{} は {} の倍数でなければなりません（{} ではなく）</translation>
    </message>
    <message>
        <source>{} must be a multiple of {} plus {}, not {}</source>
        <translation>{} は {} の倍数に {} を足した数でなければなりません（{} ではなく）</translation>
    </message>
    <message>
        <source>{} names {}, which would be copied into the run</source>
        <translation>{} は {} を指しており、実行フォルダーにコピーされます</translation>
    </message>
    <message>
        <source>{} names {}: ssh would start programs on the machines that it lists</source>
        <translation>{} は {} を指しており、そこに挙げられたマシンで ssh がプログラムを起動します</translation>
    </message>
    <message>
        <source>{} names {}, of which results would tell</source>
        <translation>{} は {} を指しており、結果にその内容が現れます</translation>
    </message>
    <message>
        <source>If you know who wrote the project, agree for its folder with --trust</source>
        <translation>プロジェクトの作者が分かっている場合は、--trust でそのフォルダーに同意してください</translation>
    </message>
    <message>
        <source>{} paths need your consent: {}</source>
        <translation>{} 個のパスに同意が必要です: {}</translation>
    </message>
    <message>
        <source>what you agree to cannot be remembered ({})</source>
        <translation>同意した内容を記録できません（{}）</translation>
    </message>
    <message>
        <source>Set XDG_STATE_HOME to a folder that you may write to</source>
        <translation>XDG_STATE_HOME に書き込み可能なフォルダーを設定してください</translation>
    </message>
    <message>
        <source>Another build of Meshreel ({}) measured this machine: predictions may be off</source>
        <translation>Meshreelの別のビルド（{}）がこのマシンを計測しました。予測がずれることがあります</translation>
    </message>
    <message>
        <source>{} cannot be read: {}</source>
        <translation>{} を読めません: {}</translation>
    </message>
    <message>
        <source>it holds a space or a letter that no address has</source>
        <translation>空白か、アドレスに使えない文字が含まれています</translation>
    </message>
    <message>
        <source>Set it again, or unset it</source>
        <translation>設定し直すか、解除してください</translation>
    </message>
    <message>
        <source>Set it to a whole number from 1 to {}</source>
        <translation>1 から {} までの整数を設定してください</translation>
    </message>
    <message>
        <source>the disk is full ({}; {} free)</source>
        <translation>ディスクがいっぱいです（{}、空き {}）</translation>
    </message>
    <message>
        <source>Free space, then start the download again: it goes on where it ended</source>
        <translation>空きを作ってからダウンロードを再開してください。続きから始まります</translation>
    </message>
    <message>
        <source>{} cannot be reached ({})</source>
        <translation>{} に接続できません（{}）</translation>
    </message>
    <message>
        <source>Check the network, or the proxy in https_proxy; HF_ENDPOINT can name a mirror</source>
        <translation>ネットワークか https_proxy のプロキシを確認してください。HF_ENDPOINT でミラーを指定できます</translation>
    </message>
    <message>
        <source>{} refuses the file to you (HTTP {})</source>
        <translation>{} はこのファイルへのアクセスを拒否しました（HTTP {}）</translation>
    </message>
    <message>
        <source>Accept the licence at {}, then set HF_TOKEN to a token of your account, or run: hf auth login</source>
        <translation>{} でライセンスに同意してから、HF_TOKEN にアカウントのトークンを設定するか、hf auth login を実行してください</translation>
    </message>
    <message>
        <source>Accept the licence at {}, or set HF_TOKEN to another token: yours is not allowed</source>
        <translation>{} でライセンスに同意するか、HF_TOKEN に別のトークンを設定してください。今のトークンは許可されていません</translation>
    </message>
    <message>
        <source>{} has no such file (HTTP {})</source>
        <translation>{} にこのファイルはありません（HTTP {}）</translation>
    </message>
    <message>
        <source>It was moved or removed; a newer version of Meshreel may know where to</source>
        <translation>移動または削除されています。新しいバージョンの Meshreel なら場所がわかるかもしれません</translation>
    </message>
    <message>
        <source>{} does not send the file (HTTP {})</source>
        <translation>{} はファイルを送信しません（HTTP {}）</translation>
    </message>
    <message>
        <source>Try again later; HF_ENDPOINT can name a mirror</source>
        <translation>後でもう一度お試しください。HF_ENDPOINT でミラーを指定できます</translation>
    </message>
    <message>
        <source>the file is not the one that was published ({})</source>
        <translation>公開されたファイルと一致しません（{}）</translation>
    </message>
    <message>
        <source>What was downloaded is removed. Try again, or from another server by HF_ENDPOINT</source>
        <translation>ダウンロードした内容は削除しました。もう一度試すか、HF_ENDPOINT で別のサーバーを指定してください</translation>
    </message>
    <message>
        <source>The server asks to wait for {} minutes: start the download again then</source>
        <translation>サーバーが {} 分待つよう求めています。その後でダウンロードを再開してください</translation>
    </message>
    <message>
        <source>it forbids to ask any server</source>
        <translation>サーバーへの接続が禁止されています</translation>
    </message>
    <message>
        <source>Unset it to download</source>
        <translation>ダウンロードするには解除してください</translation>
    </message>
    <message>
        <source>{} now has another file of this name than the one that was published</source>
        <translation>{} にあるこの名前のファイルは、公開されたものと異なります</translation>
    </message>
    <message>
        <source>Nothing was downloaded. A newer version of Meshreel may know the new file</source>
        <translation>何もダウンロードしていません。新しいバージョンの Meshreel なら新しいファイルに対応しているかもしれません</translation>
    </message>
    <message>
        <source>{} has {} bytes of this file, and {} were published</source>
        <translation>{} のこのファイルは {} バイトですが、公開されたものは {} バイトです</translation>
    </message>
    <message>
        <source>it is longer than {} bytes</source>
        <translation>{} バイトより長くなっています</translation>
    </message>
    <message>
        <source>the connection ended early</source>
        <translation>接続が途中で切れました</translation>
    </message>
    <message>
        <source>another Meshreel downloads into this folder</source>
        <translation>別の Meshreel がこのフォルダーにダウンロードしています</translation>
    </message>
    <message>
        <source>Wait until it is done, or stop it</source>
        <translation>終わるまで待つか、そちらを止めてください</translation>
    </message>
    <message>
        <source>{} are to be downloaded, and {} are free</source>
        <translation>ダウンロードするのは {}、空きは {} です</translation>
    </message>
    <message>
        <source>Free {}, or choose a models folder on another disk</source>
        <translation>{} の空きを作るか、別のディスクのモデルフォルダーを選んでください</translation>
    </message>
    <message>
        <source>Rename or remove it: it is not the one that was published</source>
        <translation>名前を変えるか削除してください。公開されたファイルではありません</translation>
    </message>
    <message>
        <source>its SHA-256 is {}</source>
        <translation>SHA-256 は {} です</translation>
    </message>
    <message>
        <source>Get it as single files with: meshreel get {}; or download it whole with: {}. {}</source>
        <translation>meshreel get {} で個別のファイルとして取得するか、{} で全体をダウンロードしてください。{}</translation>
    </message>
    <message>
        <source>the key &quot;{}&quot; is missing or not as it should be</source>
        <translation>キー「{}」がないか、正しくありません</translation>
    </message>
    <message>
        <source>Install Meshreel again, or correct the table</source>
        <translation>Meshreel を再インストールするか、表を直してください</translation>
    </message>
    <message>
        <source>nothing of this name is offered</source>
        <translation>この名前のものは提供されていません</translation>
    </message>
    <message>
        <source>Without a name, the command lists all</source>
        <translation>名前を付けずに実行すると一覧を表示します</translation>
    </message>
    <message>
        <source>Did you mean &quot;{}&quot;? Without a name, the command lists all</source>
        <translation>「{}」のことですか。名前を付けずに実行すると一覧を表示します</translation>
    </message>
    <message>
        <source>auto takes one GPU, and the mesh has {} devices</source>
        <translation>auto は GPU を 1 個使いますが、メッシュには {} 台のデバイスがあります</translation>
    </message>
    <message>
        <source>gpus names {} GPUs, and the mesh has {} devices</source>
        <translation>gpus は {} 個の GPU を指定していますが、メッシュには {} 台のデバイスがあります</translation>
    </message>
    <message>
        <source>Name a GPU for each device (gpus: {}), change the number of devices, or use the CPU (gpus: none)</source>
        <translation>各デバイスに GPU を指定する (gpus: {})、デバイスの数を変える、または CPU を使ってください (gpus: none)</translation>
    </message>
    <message>
        <source>GPUs share out videos and tokens (the axes data and context), not {}</source>
        <translation>GPU が分担するのは動画とトークンです (軸 data と context)。{} は分担しません</translation>
    </message>
    <message>
        <source>Use the context axis, or the CPU (gpus: none)</source>
        <translation>context 軸または CPU を使ってください (gpus: none)</translation>
    </message>
    <message>
        <source>a GPU decodes whole frames, or its own strips in turn</source>
        <translation>GPU はフレーム全体、または自分の帯を順にデコードします</translation>
    </message>
    <message>
        <source>Write -1, which leaves it to the plan, or use the CPU (gpus: none)</source>
        <translation>-1 と書いて計画に任せるか、CPU を使ってください (gpus: none)</translation>
    </message>
    <message>
        <source>A project is a YAML file: `version: 3`, then the keys below, each at most once; what is left out has its default. A dot in a key&apos;s name means a key inside a map. Numbers are decimal, and booleans are `true` or `false`. Anchors, aliases and tags are refused. MaxDiffusion&apos;s files can be used as they are: keys without meaning here are ignored with one warning.</source>
        <translation>プロジェクトはYAMLファイルです。`version: 3`に続けて、以下のキーをそれぞれ1回まで書きます。書かないキーは既定値になります。キー名の点は、マップの中のキーを表します。数は10進数、真偽値は`true`か`false`です。アンカー、エイリアス、タグは使えません。MaxDiffusionのファイルはそのまま使えます。ここで意味を持たないキーは、警告を1つ出して無視します。</translation>
    </message>
    <message>
        <source>A video from the prompt, with the one to four subjects that `reference_images` show.</source>
        <translation>プロンプトから、`reference_images`に写る1～4個の被写体が登場する動画を作ります。</translation>
    </message>
    <message>
        <source>A video that begins with `image`, whose points move along `tracks`.</source>
        <translation>`image`から始まり、その点が`tracks`に沿って動く動画を作ります。</translation>
    </message>
    <message>
        <source>Tracks</source>
        <translation>トラック</translation>
    </message>
    <message>
        <source>Guidance by pictures</source>
        <translation>画像によるガイダンス</translation>
    </message>
    <message>
        <source>Wan 2.1 Phantom, subjects to video</source>
        <translation>Wan 2.1 Phantom、被写体から動画</translation>
    </message>
    <message>
        <source>Wan 2.1 ATI, image to video along tracks</source>
        <translation>Wan 2.1 ATI、トラックに沿って画像から動画</translation>
    </message>
    <message>
        <source>Subjects to video</source>
        <translation>被写体から動画</translation>
    </message>
    <message>
        <source>Image to video along tracks</source>
        <translation>トラックに沿って画像から動画</translation>
    </message>
    <message>
        <source>Phantom was trained with pictures of its subjects (reference_images); without them the video is made from the prompt alone</source>
        <translation>Phantomは被写体の画像（reference_images）を使って学習されています。画像がなければ、動画はプロンプトだけから作られます</translation>
    </message>
    <message>
        <source>ATI was trained with tracks of points (tracks); without them the video is made from the image and the prompt alone</source>
        <translation>ATIは点のトラック（tracks）を使って学習されています。トラックがなければ、動画は画像とプロンプトだけから作られます</translation>
    </message>
    <message>
        <source>a reference image of {} x {} pixels is too narrow for a video of {} x {}</source>
        <translation>{} x {}ピクセルの参照画像は、{} x {}の動画には細すぎます</translation>
    </message>
    <message>
        <source>Use a picture that is less elongated</source>
        <translation>これほど細長くない画像を使ってください</translation>
    </message>
    <message>
        <source>{} is predicted to take {:.3g} s, and the CPU {:.3g} s</source>
        <translation>予測では、{}で{:.3g}秒、CPUで{:.3g}秒かかります</translation>
    </message>
    <message>
        <source>Leave out the last ones</source>
        <translation>最後のほうの画像を省いてください</translation>
    </message>
    <message>
        <source>Write false, or guidance_scale_image: 1</source>
        <translation>falseと書くか、guidance_scale_image: 1と書いてください</translation>
    </message>
    <message>
        <source>Write a list of tracks, each a list of {} in pixels of the video</source>
        <translation>トラックのリストを書いてください。各トラックは、動画のピクセル単位の{}のリストです</translation>
    </message>
    <message>
        <source>track {}, point {}: &quot;{}&quot; is missing or not a number</source>
        <translation>トラック{}、点{}: 「{}」がないか、数ではありません</translation>
    </message>
    <message>
        <source>track {}, point {}: &quot;{}&quot; is {}, beyond {} pixels</source>
        <translation>トラック{}、点{}: 「{}」が{}で、{}ピクセルの範囲を超えています</translation>
    </message>
    <message>
        <source>track {} is not a list of points</source>
        <translation>トラック{}が点のリストではありません</translation>
    </message>
    <message>
        <source>the file has {}; tracks have {} at most</source>
        <translation>ファイルは{}ですが、トラックのファイルは{}までです</translation>
    </message>
    <message>
        <source>there is no list of tracks</source>
        <translation>トラックのリストがありません</translation>
    </message>
    <message>
        <source>the file has {} tracks; at most {} are allowed</source>
        <translation>ファイルにトラックが{}本あります。使えるのは{}本までです</translation>
    </message>
    <message>
        <source>{}: {}: {} of {} tracks have fewer than {} points and end before the video</source>
        <translation>{}: {}: {}本（全{}本中）のトラックが{}点未満で、動画より先に終わります</translation>
    </message>
    <message>
        <source>{} points span the video; write as many to move a point to its end</source>
        <translation>{}点で動画全体にわたります。最後まで点を動かすには、同じ数だけ書いてください</translation>
    </message>
    <message>
        <source>the three passes of guidance</source>
        <translation>ガイダンスの3回の計算</translation>
    </message>
    <message>
        <source>not measured yet; the first run with int8 weights measures</source>
        <translation>未測定です。最初の int8 重みでの実行で測定します</translation>
    </message>
    <message>
        <source>in int8 {} is faster: {:.3g} against {:.3g} TOP/s</source>
        <translation>int8 では {} のほうが速いです: {:.3g} 対 {:.3g} TOP/s</translation>
    </message>
    <message>
        <source>{} computes this project, and flash_block_sizes are the CPU&apos;s</source>
        <translation>{} がこのプロジェクトを計算します。flash_block_sizes は CPU のものです</translation>
    </message>
    <message>
        <source>Use the CPU (gpus: none) to tune its block sizes</source>
        <translation>CPU（gpus: none）を使って、そのブロックサイズを調整してください</translation>
    </message>
    <message>
        <source>no GPU computes this project</source>
        <translation>このプロジェクトを計算する GPU がありません</translation>
    </message>
    <message>
        <source>Name one by its number</source>
        <translation>番号で指定してください</translation>
    </message>
    <message>
        <source>GPUs are tuned by one process</source>
        <translation>GPU の調整は 1 つのプロセスで行います</translation>
    </message>
    <message>
        <source>Tune without mpirun, on the GPUs of one host</source>
        <translation>mpirun を使わず、1 台のホストの GPU で調整してください</translation>
    </message>
    <message>
        <source>a GPU computes float32 in one way: there is nothing to tune</source>
        <translation>GPU の float32 の計算方法は 1 つだけなので、調整するものがありません</translation>
    </message>
    <message>
        <source>Use bfloat16, which matrix units multiply</source>
        <translation>行列ユニットで乗算できる bfloat16 を使ってください</translation>
    </message>
    <message>
        <source>The GPU multiplied int8 in the form {}</source>
        <translation>GPU は int8 を形式 {} で乗算しました</translation>
    </message>
    <message>
        <source>{} does not multiply in the form {}: {}</source>
        <translation>{} は形式 {} では乗算しません: {}</translation>
    </message>
    <message>
        <source>Choose another form: the list of devices names those of each GPU</source>
        <translation>別の形式を選んでください。各 GPU の形式はデバイスの一覧にあります</translation>
    </message>
    <message>
        <source>No kernel multiplies in the sizes that {} offers for the form {}</source>
        <translation>{} が形式 {} で提供するサイズで乗算するカーネルがありません</translation>
    </message>
    <message>
        <source>the rates of its GPU are not measured, or not all of them</source>
        <translation>その GPU の処理速度は未測定か、一部しか測定されていません</translation>
    </message>
    <message>
        <source>{} heads of {}, {} queries, {} keys</source>
        <translation>{} ヘッド × {}、クエリ {}、キー {}</translation>
    </message>
    <message>
        <source>{} tokens, {} wide, {} in the feed-forward</source>
        <translation>トークン {}、幅 {}、フィードフォワード {}</translation>
    </message>
    <message>
        <source>What runs on {} should take cannot be kept</source>
        <translation>{} での実行が使う設定を保存できません</translation>
    </message>
    <message>
        <source>Make the file writable, or set XDG_CACHE_HOME to another folder</source>
        <translation>ファイルを書き込み可能にするか、XDG_CACHE_HOME を別のフォルダーに設定してください</translation>
    </message>
    <message>
        <source>Encoding held {} of the GPU&apos;s memory at most; {} were planned</source>
        <translation>エンコードが使った GPU メモリーは最大 {}、計画では {} でした</translation>
    </message>
    <message>
        <source>the rates of {} lack {}, which an earlier build did not measure</source>
        <translation>{} の処理速度には {} がありません。以前のビルドが測定していません</translation>
    </message>
    <message>
        <source>an encoder&apos;s heads have {} numbers; a GPU takes multiples of {} up to {}</source>
        <translation>エンコーダーのヘッドは {} 個の数です。GPU は {} の倍数を {} まで扱います</translation>
    </message>
    <message>
        <source>Adapters (LoRA) that are merged into the transformer: a list of {file: PATH, strength: 1}, with expert: high, low or all where their names do not say for which of Wan 2.2&apos;s two transformers they are made.</source>
        <translation>トランスフォーマーに統合するアダプター（LoRA）です。{file: PATH, strength: 1} のリストで指定し、Wan 2.2の2つのトランスフォーマーのどちら用か名前から分からないものには expert: high、low または all を付けます。</translation>
    </message>
    <message>
        <source>Video or folder of numbered pictures of the face whose expressions the character takes on.</source>
        <translation>キャラクターに移す表情の顔の動画、または番号付き画像のフォルダーです。</translation>
    </message>
    <message>
        <source>It is a part of NVIDIA&apos;s Transformer Engine, which Meshreel does not have; use flash, which computes the same attention</source>
        <translation>NVIDIAのTransformer Engineの一部で、Meshreelは使いません。同じアテンションを計算するflashを使ってください</translation>
    </message>
    <message>
        <source>a text file</source>
        <translation>テキストファイル</translation>
    </message>
    <message>
        <source>a project or sweep</source>
        <translation>プロジェクトまたはスイープ</translation>
    </message>
    <message>
        <source>a file of hosts</source>
        <translation>ホストのファイル</translation>
    </message>
    <message>
        <source>a JSON file</source>
        <translation>JSONファイル</translation>
    </message>
    <message>
        <source>values</source>
        <translation>個の値</translation>
    </message>
    <message>
        <source>JSON</source>
        <translation>JSON</translation>
    </message>
    <message>
        <source>levels of nesting</source>
        <translation>段の入れ子</translation>
    </message>
    <message>
        <source>a table (CSV)</source>
        <translation>表（CSV）</translation>
    </message>
    <message>
        <source>columns</source>
        <translation>列</translation>
    </message>
    <message>
        <source>a trace</source>
        <translation>トレース</translation>
    </message>
    <message>
        <source>events</source>
        <translation>個のイベント</translation>
    </message>
    <message>
        <source>a SentencePiece model</source>
        <translation>SentencePieceモデル</translation>
    </message>
    <message>
        <source>pieces</source>
        <translation>個のピース</translation>
    </message>
    <message>
        <source>a tokenizer</source>
        <translation>トークナイザー</translation>
    </message>
    <message>
        <source>a safetensors header</source>
        <translation>safetensorsヘッダー</translation>
    </message>
    <message>
        <source>the metadata and directory of a GGUF file</source>
        <translation>GGUFファイルのメタデータと目録</translation>
    </message>
    <message>
        <source>the directory of a PyTorch archive</source>
        <translation>PyTorchアーカイブの目録</translation>
    </message>
    <message>
        <source>the pickle of a PyTorch archive</source>
        <translation>PyTorchアーカイブのpickle</translation>
    </message>
    <message>
        <source>tensors</source>
        <translation>個のテンソル</translation>
    </message>
    <message>
        <source>a file of weights</source>
        <translation>重みのファイル</translation>
    </message>
    <message>
        <source>the name of a tensor, key or class</source>
        <translation>テンソル、キー、クラスの名前</translation>
    </message>
    <message>
        <source>entries</source>
        <translation>個の項目</translation>
    </message>
    <message>
        <source>the metadata of a file of weights</source>
        <translation>重みのファイルのメタデータ</translation>
    </message>
    <message>
        <source>files</source>
        <translation>個のファイル</translation>
    </message>
    <message>
        <source>a model in parts</source>
        <translation>分割されたモデル</translation>
    </message>
    <message>
        <source>a program that is sent to a host</source>
        <translation>ホストに送るプログラム</translation>
    </message>
    <message>
        <source>a picture, an animated PNG or WebP, or a packet of a video</source>
        <translation>画像、アニメーションPNGまたはWebP、または動画のパケット</translation>
    </message>
    <message>
        <source>a picture</source>
        <translation>画像</translation>
    </message>
    <message>
        <source>the packed texts and colour profile of a PNG</source>
        <translation>PNGの圧縮されたテキストとカラープロファイル</translation>
    </message>
    <message>
        <source>scans</source>
        <translation>スキャン</translation>
    </message>
    <message>
        <source>a JPEG</source>
        <translation>JPEG</translation>
    </message>
    <message>
        <source>a video or sound before its first packet</source>
        <translation>動画または音声の最初のパケットより前</translation>
    </message>
    <message>
        <source>a decoded frame of a video</source>
        <translation>動画のデコード済みフレーム</translation>
    </message>
    <message>
        <source>a video</source>
        <translation>動画</translation>
    </message>
    <message>
        <source>a video&apos;s frames, where all are held at once</source>
        <translation>一度に保持される動画の全フレーム</translation>
    </message>
    <message>
        <source>a video that is decoded to count its frames</source>
        <translation>フレームを数えるためにデコードする動画</translation>
    </message>
    <message>
        <source>Choose a shorter name</source>
        <translation>もっと短い名前を選んでください</translation>
    </message>
    <message>
        <source>The disk does not take this name: choose another name, or another disk</source>
        <translation>このディスクではこの名前を使えません。別の名前か別のディスクを選んでください</translation>
    </message>
    <message>
        <source>Check the disk or the network drive: it reported a failure</source>
        <translation>ディスクまたはネットワークドライブを確認してください。障害が報告されました</translation>
    </message>
    <message>
        <source>it has {} {} or more; at most {} are read of {}</source>
        <translation>{3}：{0} {1}以上あります。読み込むのは最大{2}です</translation>
    </message>
    <message>
        <source>Check that this is the file you mean; if it is, make it smaller or get another one</source>
        <translation>目的のファイルかどうか確認してください。そうであれば、小さくするか別のファイルを入手してください</translation>
    </message>
    <message>
        <source>a program may have only {} of stack here, and Meshreel needs {}</source>
        <translation>ここではプログラムのスタックが{}に制限されていますが、Meshreelには{}必要です</translation>
    </message>
    <message>
        <source>Raise the limit, as with: {}</source>
        <translation>次のようにして上限を上げてください: {}</translation>
    </message>
    <message>
        <source>{}. The name counts; to decide, write expert: high or expert: low</source>
        <translation>{}。名前が優先されます。指定するには expert: high または expert: low と書いてください</translation>
    </message>
    <message>
        <source>{} of Wan 2.2 A14B, and this model has one transformer: it was made for another model</source>
        <translation>{}（Wan 2.2 A14B）。このモデルのトランスフォーマーは1つなので、別のモデル用に作られたものです</translation>
    </message>
    <message>
        <source>{}, and lora says expert: {}. If that is a mistake, write expert: {}</source>
        <translation>{}。一方、loraでは expert: {} です。間違いであれば expert: {} と書いてください</translation>
    </message>
    <message>
        <source>{}, and its keys name {}, which counts</source>
        <translation>{}。一方、キーは{}を指しており、こちらが優先されます</translation>
    </message>
    <message>
        <source>it goes into the {} alone, and its other half, {}, is not in lora: name it there, too</source>
        <translation>これは{}にだけ適用され、対になる{}はloraにありません。それもloraに書いてください</translation>
    </message>
    <message>
        <source>goes into this expert alone, because its name or metadata say so</source>
        <translation>名前またはメタデータに従い、このエキスパートにだけ適用されます</translation>
    </message>
    <message>
        <source>The name counts; rename the file if it is wrong</source>
        <translation>名前が優先されます。間違っている場合はファイル名を変えてください</translation>
    </message>
    <message>
        <source>Name the other file there, or rename this one if its name is wrong</source>
        <translation>そこにはもう一方のファイルを指定するか、名前が間違っている場合はこのファイルの名前を変えてください</translation>
    </message>
    <message>
        <source>Exchange the two files</source>
        <translation>2つのファイルを入れ替えてください</translation>
    </message>
    <message>
        <source>{} is taken as the {}, and {}</source>
        <translation>{}は{}として使われますが、{}</translation>
    </message>
    <message>
        <source>the disk of the cache keeps no links ({})</source>
        <translation>キャッシュのディスクではリンクを作れません（{}）</translation>
    </message>
    <message>
        <source>Set XDG_CACHE_HOME to a folder on another disk</source>
        <translation>XDG_CACHE_HOME を別のディスクのフォルダーに設定してください</translation>
    </message>
    <message>
        <source>Set it to an address such as https://huggingface.co; signs such as @, /, # and ? in a password are written %40, %2F, %23 and %3F</source>
        <translation>https://huggingface.co のようなアドレスを設定してください。パスワード内の @、/、#、? は %40、%2F、%23、%3F と書きます</translation>
    </message>
    <message>
        <source>It answers with a web page: sign in to this network in a browser, or see whether HF_ENDPOINT names the right server</source>
        <translation>Web ページが返ってきました。ブラウザーでこのネットワークにサインインするか、HF_ENDPOINT が正しいサーバーを指しているか確かめてください</translation>
    </message>
    <message>
        <source>it breaks off and begins anew again and again</source>
        <translation>中断と最初からのやり直しを繰り返しています</translation>
    </message>
    <message>
        <source>{} sends the file compressed, which was not asked for</source>
        <translation>{} はファイルを、求めていないのに圧縮して送ってきます</translation>
    </message>
    <message>
        <source>A proxy may do so: check https_proxy; HF_ENDPOINT can name a mirror</source>
        <translation>プロキシの働きかもしれません。https_proxy を確かめてください。HF_ENDPOINT でミラーを指定できます</translation>
    </message>
    <message>
        <source>it has {} bytes, and {} were published</source>
        <translation>{} バイトですが、公開されているのは {} です</translation>
    </message>
    <message>
        <source>Wait until it is done. If nobody is at work, remove both files</source>
        <translation>終わるまで待ってください。誰も書いていなければ、両方のファイルを削除してください</translation>
    </message>
    <message>
        <source>a different file has this name ({})</source>
        <translation>別のファイルがこの名前を使っています（{}）</translation>
    </message>
    <message>
        <source>the download of &quot;{}&quot; is incomplete: it lacks {}</source>
        <translation>「{}」のダウンロードは不完全です。足りないもの: {}</translation>
    </message>
    <message>
        <source>the download of &quot;{}&quot; is incomplete: it lacks {} and {} other files</source>
        <translation>「{}」のダウンロードは不完全です。足りないもの: {}、ほか {} 個のファイル</translation>
    </message>
    <message>
        <source>Finish it with: hf download {}</source>
        <translation>次のコマンドで完了できます: hf download {}</translation>
    </message>
    <message>
        <source>the disk of the models folder keeps no links ({})</source>
        <translation>モデルフォルダーのディスクではリンクを作れません（{}）</translation>
    </message>
    <message>
        <source>Move the model into the models folder, or choose one on another disk</source>
        <translation>モデルをモデルフォルダーへ移すか、別のディスクのフォルダーを選んでください</translation>
    </message>
    <message>
        <source>another program is writing it</source>
        <translation>別のプログラムが書き込み中です</translation>
    </message>
    <message>
        <source>another program is writing it, as {} beside it tells</source>
        <translation>隣にある {} が示すとおり、別のプログラムが書き込み中です</translation>
    </message>
    <message>
        <source>it is empty</source>
        <translation>空です</translation>
    </message>
    <message>
        <source>it is a pointer of Git LFS, not the file itself</source>
        <translation>ファイル本体ではなく Git LFS のポインターです</translation>
    </message>
    <message>
        <source>it is a web page, not the file</source>
        <translation>ファイルではなく Web ページです</translation>
    </message>
    <message>
        <source>it is {}, not {}</source>
        <translation>{} であり、{} ではありません</translation>
    </message>
    <message>
        <source>it holds no tensors</source>
        <translation>テンソルがありません</translation>
    </message>
    <message>
        <source>its tensors are not those of {}</source>
        <translation>テンソルが {} のものではありません</translation>
    </message>
    <message>
        <source>{} bytes</source>
        <translation>{} バイト</translation>
    </message>
    <message>
        <source>about {} bytes</source>
        <translation>約 {} バイト</translation>
    </message>
    <message>
        <source>its SHA-256 is no longer that of the download ({})</source>
        <translation>SHA-256 がダウンロード時のもの（{}）と違います</translation>
    </message>
    <message>
        <source>{} in the environment is ignored: {}</source>
        <translation>環境変数の {} は無視されます: {}</translation>
    </message>
    <message>
        <source>{} in the environment is ignored: {} has no such core</source>
        <translation>環境変数の {} は無視されます: {} にそのようなコアはありません</translation>
    </message>
    <message>
        <source>OpenBLAS multiplies with its core {}, because {} is set in the environment. This CPU runs its core {}, which is faster</source>
        <translation>環境変数に {1} が設定されているため、OpenBLAS はコア {0} で乗算します。この CPU ではより速いコア {2} が使えます</translation>
    </message>
    <message>
        <source>OpenBLAS&apos;s core {} is not used: {}. Meshreel&apos;s own loops multiply in its place, which is slower. Install another version of OpenBLAS</source>
        <translation>OpenBLAS のコア {} は使われません: {}。代わりに Meshreel 自身のループが、より遅く乗算します。OpenBLAS の別のバージョンをインストールしてください</translation>
    </message>
    <message>
        <source>OpenBLAS&apos;s core {} is not used: {}. Its core {} takes its place, which is slower. Install another version of OpenBLAS</source>
        <translation>OpenBLAS のコア {} は使われません: {}。代わりにより遅いコア {} を使います。OpenBLAS の別のバージョンをインストールしてください</translation>
    </message>
    <message>
        <source>oneDNN does not multiply in {}: {}. In its place: {}, which is slower. Install another version of oneDNN</source>
        <translation>oneDNN は {} での乗算に使われません: {}。代わりに {} を使いますが、より遅くなります。oneDNN の別のバージョンをインストールしてください</translation>
    </message>
    <message>
        <source>the video has no size, or one of more than {} pixels</source>
        <translation>動画に大きさがないか、{}ピクセルを超えています</translation>
    </message>
    <message>
        <source>Choose a video file or a folder of numbered pictures</source>
        <translation>動画ファイルか、番号付き画像のフォルダーを選んでください</translation>
    </message>
    <message>
        <source>this folder holds {} series of numbered pictures, and nothing tells which is meant: {}</source>
        <translation>このフォルダーには番号付き画像の系列が{}個あり、どれを使うか分かりません: {}</translation>
    </message>
    <message>
        <source>Put one series into a folder of its own</source>
        <translation>1つの系列を専用のフォルダーに入れてください</translation>
    </message>
    <message>
        <source>numbers are missing between {} and {}, which follow each other</source>
        <translation>{}と{}の間の番号がなく、この2つが続きます</translation>
    </message>
    <message>
        <source>numbers are missing at {} places, the first between {} and {}, which follow each other</source>
        <translation>番号が{}か所で抜けています。最初は{}と{}の間で、この2つが続きます</translation>
    </message>
    <message>
        <source>{} and {} have the same number</source>
        <translation>{}と{}は番号が同じです</translation>
    </message>
    <message>
        <source>Remove the one that is not meant</source>
        <translation>使わないほうを取り除いてください</translation>
    </message>
    <message>
        <source>more than one number in the names changes; the order is that of the first, then of the next: from {} to {}</source>
        <translation>名前の中で変わる数字が2つ以上あります。最初の数字、次の数字の順に並べます: {}から{}まで</translation>
    </message>
    <message>
        <source>not of the series, and passed over: {}</source>
        <translation>系列に属さないため使いません: {}</translation>
    </message>
    <message>
        <source>mpirun is stopped</source>
        <translation>mpirunが停止（一時停止）しています</translation>
    </message>
    <message>
        <source>it was stopped while the ranks met</source>
        <translation>ランクが互いに接続する間に一時停止されました</translation>
    </message>
    <message>
        <source>it did not meet all other ranks within {} s</source>
        <translation>{}秒以内に他のすべてのランクと接続できませんでした</translation>
    </message>
    <message>
        <source>Leave it unset, which is {} seconds</source>
        <translation>設定しないでください（{}秒になります）</translation>
    </message>
    <message>
        <source>rank {} on host {} multiplies with {}, and rank 0 on host {} with {}: the result differs slightly from that of one library. For the same bits everywhere install one version of OpenBLAS, and set {} alike</source>
        <translation>ランク {}（ホスト {}）は {} で乗算し、ランク 0（ホスト {}）は {} で乗算します。結果はライブラリが一つの場合とわずかに異なります。どこでも同じビットにするには、OpenBLAS の同じバージョンをインストールし、{} を同じに設定してください</translation>
    </message>
    <message>
        <source>its name says {}</source>
        <translation>名前は{}を示しています</translation>
    </message>
    <message>
        <source>its metadata ({}) say {}</source>
        <translation>メタデータ（{}）は{}を示しています</translation>
    </message>
    <message>
        <source>its name says {}, and its metadata ({}) say {}</source>
        <translation>名前は{}を示していますが、メタデータ（{}）は{}を示しています</translation>
    </message>
    <message>
        <source>{} with {}</source>
        <translation>{}と{}</translation>
    </message>
    <message>
        <source>{:.0f} s</source>
        <translation>{}秒</translation>
    </message>
    <message>
        <source>{:.1f} min</source>
        <translation>{}分</translation>
    </message>
    <message>
        <source>{:.0f} min</source>
        <translation>{}分</translation>
    </message>
    <message>
        <source>{:.1f} h</source>
        <translation>{}時間</translation>
    </message>
    <message>
        <source>int8 weights</source>
        <translation>int8の重み</translation>
    </message>
    <message>
        <source>bfloat16 weights</source>
        <translation>bfloat16の重み</translation>
    </message>
    <message>
        <source>bfloat16 activations</source>
        <translation>bfloat16のアクティベーション</translation>
    </message>
    <message>
        <source>a bfloat16 VAE</source>
        <translation>bfloat16のVAE</translation>
    </message>
    <message>
        <source>fits</source>
        <translation>収まります</translation>
    </message>
    <message>
        <source>fits with {}</source>
        <translation>{}なら収まります</translation>
    </message>
    <message>
        <source>fits with {} and {}</source>
        <translation>{}と{}なら収まります</translation>
    </message>
    <message>
        <source>{}, streamed from the disk: at most {} a step longer</source>
        <translation>{}（重みをディスクから読み込み: 1ステップにつき最大{}長くなります）</translation>
    </message>
    <message>
        <source>{}, streamed from the disk: {} a step, at most {} longer at {:g} GB/s</source>
        <translation>{0}（重みをディスクから読み込み: 1ステップにつき{1}、{3} GB/sで最大{2}長くなります）</translation>
    </message>
    <message>
        <source>too large at {}: {} takes {} at the least, and {} are free</source>
        <translation>{}では大きすぎます: {}に少なくとも{}が必要で、空きは{}です</translation>
    </message>
    <message>
        <source>{}; {}: {}</source>
        <translation>{}。{}: {}</translation>
    </message>
    <message>
        <source>disk too small: {} to download, and {} are free</source>
        <translation>ディスクの空きが足りません: ダウンロードに{}必要で、空きは{}です</translation>
    </message>
    <message>
        <source>{:.2g} GB/s were measured on the disk with the weights</source>
        <translation>重みのあるディスクで{} GB/sを測定しました</translation>
    </message>
    <message>
        <source>{:g} GB/s is assumed: there is no large file of weights to measure the disk by</source>
        <translation>{} GB/sと仮定しています: ディスクを測定できる大きな重みファイルがありません</translation>
    </message>
    <message>
        <source>Name the model in a project: pretrained_model_name_or_path: PATH</source>
        <translation>プロジェクトでモデルを指定してください: pretrained_model_name_or_path: パス</translation>
    </message>
    <message>
        <source>a ComfyUI workflow</source>
        <translation>ComfyUIのワークフロー</translation>
    </message>
    <message>
        <source>an InvokeAI workflow</source>
        <translation>InvokeAIのワークフロー</translation>
    </message>
    <message>
        <source>settings of SwarmUI</source>
        <translation>SwarmUIの設定</translation>
    </message>
    <message>
        <source>settings of Wan2GP</source>
        <translation>Wan2GPの設定</translation>
    </message>
    <message>
        <source>settings of Draw Things</source>
        <translation>Draw Thingsの設定</translation>
    </message>
    <message>
        <source>a config of LightX2V</source>
        <translation>LightX2Vの設定</translation>
    </message>
    <message>
        <source>a description of a model</source>
        <translation>モデルの記述</translation>
    </message>
    <message>
        <source>a Jupyter notebook</source>
        <translation>Jupyterノートブック</translation>
    </message>
    <message>
        <source>a command line of stable-diffusion.cpp</source>
        <translation>stable-diffusion.cppのコマンドライン</translation>
    </message>
    <message>
        <source>a command line of Wan&apos;s generate.py</source>
        <translation>Wanのgenerate.pyのコマンドライン</translation>
    </message>
    <message>
        <source>a command line of musubi-tuner</source>
        <translation>musubi-tunerのコマンドライン</translation>
    </message>
    <message>
        <source>a command line of LightX2V</source>
        <translation>LightX2Vのコマンドライン</translation>
    </message>
    <message>
        <source>a command line of Wan2GP</source>
        <translation>Wan2GPのコマンドライン</translation>
    </message>
    <message>
        <source>settings of Stable Diffusion WebUI</source>
        <translation>Stable Diffusion WebUIの設定</translation>
    </message>
    <message>
        <source>This is {}. Meshreel reads projects and configs of MaxDiffusion</source>
        <translation>これは{}です。Meshreelが読むのはプロジェクトとMaxDiffusionの設定です</translation>
    </message>
    <message>
        <source>This is {} that holds its project, and not the project itself</source>
        <translation>これはプロジェクトを含む{}で、プロジェクトそのものではありません</translation>
    </message>
    <message>
        <source>This is {} that holds {}. Meshreel reads projects and configs of MaxDiffusion</source>
        <translation>これは{}で、{}を含んでいます。Meshreelが読むのはプロジェクトとMaxDiffusionの設定です</translation>
    </message>
    <message>
        <source>This is {}, and no project is stored in it</source>
        <translation>これは{}で、プロジェクトは保存されていません</translation>
    </message>
    <message>
        <source>Name it in a project, as image or video</source>
        <translation>プロジェクトのimageまたはvideoに指定してください</translation>
    </message>
    <message>
        <source>This is a web page</source>
        <translation>これはウェブページです</translation>
    </message>
    <message>
        <source>Download the file itself, not the page that shows it</source>
        <translation>表示しているページではなく、ファイルそのものをダウンロードしてください</translation>
    </message>
    <message>
        <source>a Python script</source>
        <translation>Pythonスクリプト</translation>
    </message>
    <message>
        <source>a script</source>
        <translation>スクリプト</translation>
    </message>
    <message>
        <source>These are weights of a model</source>
        <translation>これはモデルの重みです</translation>
    </message>
    <message>
        <source>This is an archive</source>
        <translation>これはアーカイブです</translation>
    </message>
    <message>
        <source>Unpack it and choose the project in it</source>
        <translation>展開して、中のプロジェクトを選んでください</translation>
    </message>
    <message>
        <source>This is a document, not a project</source>
        <translation>これは文書で、プロジェクトではありません</translation>
    </message>
    <message>
        <source>Choose a project file (.yaml)</source>
        <translation>プロジェクトファイル（.yaml）を選んでください</translation>
    </message>
    <message>
        <source>{}: {}: its shape is in its alpha, which is read as the mask: opaque is white, transparent is black</source>
        <translation>{}: {}: 形がアルファにあるため、アルファをマスクとして読みます。不透明が白、透明が黒です</translation>
    </message>
    <message>
        <source>If it is meant the other way round, give a black and white mask without transparency</source>
        <translation>逆の意味の場合は、透明部分のない白黒のマスクを使ってください</translation>
    </message>
    <message>
        <source>{}: {}: it has transparent pixels, which are laid on white</source>
        <translation>{}: {}: 透明なピクセルがあり、白の上に重ねます</translation>
    </message>
    <message>
        <source>To have another background, give a picture without transparency</source>
        <translation>別の背景にするには、透明部分のない画像を使ってください</translation>
    </message>
    <message>
        <source>Check that these are all frames, and only they</source>
        <translation>すべてのフレームがあり、それ以外がないことを確かめてください</translation>
    </message>
    <message>
        <source>Put a text that holds a blank and `#` in quotes, since YAML takes the rest of its line for a comment. Where such a comment may be the rest of a prompt, a name or a path, a warning says so; behind a path it may stand after two blanks and before another one: `  # comment`.</source>
        <translation>空白と `#` を含むテキストは引用符で囲んでください。YAMLはその行の残りをコメントとみなします。そのコメントがプロンプト、名前、パスの続きかもしれない場合は警告します。パスの後ろでは、空白2つの後、空白の前に `#` を置けば警告しません: `  # コメント`。</translation>
    </message>
    <message>
        <source>{} has no value: YAML takes &quot;{}&quot; for a comment</source>
        <translation>{}に値がありません。YAMLは「{}」をコメントとみなします</translation>
    </message>
    <message>
        <source>Put the text in quotes</source>
        <translation>テキストを引用符で囲んでください</translation>
    </message>
    <message>
        <source>If it belongs to the text, put the text in quotes; else put the comment on a line of its own</source>
        <translation>テキストの一部であれば、テキストを引用符で囲んでください。そうでなければ、コメントを別の行に書いてください</translation>
    </message>
    <message>
        <source>{} ends before &quot;{}&quot;, which YAML takes for a comment</source>
        <translation>{}は「{}」の前で終わります。YAMLはこれをコメントとみなします</translation>
    </message>
    <message>
        <source>another program has been changing it for a long time</source>
        <translation>別のプログラムが長い間変更しています</translation>
    </message>
    <message>
        <source>Wait until it is done, or end it</source>
        <translation>終わるのを待つか、終了させてください</translation>
    </message>
    <message>
        <source>mpirun could not be prepared ({})</source>
        <translation>mpirunを準備できませんでした（{}）</translation>
    </message>
    <message>
        <source>Set {}={}, which is Open MPI {}</source>
        <translation>{}={} を設定してください（Open MPI {}です）</translation>
    </message>
    <message>
        <source>Put Open MPI&apos;s mpirun first in your PATH, or name it by {} (on Debian: apt-get install openmpi-bin)</source>
        <translation>Open MPIのmpirunをPATHの先頭に置くか、{}で指定してください（Debianでは apt-get install openmpi-bin）</translation>
    </message>
    <message>
        <source>there is no mpirun in your PATH</source>
        <translation>PATHにmpirunがありません</translation>
    </message>
    <message>
        <source>{} has not said within {} s which version it is</source>
        <translation>{}は{}秒以内にバージョンを答えませんでした</translation>
    </message>
    <message>
        <source>{} is not Open MPI (it does not say what it is)</source>
        <translation>{}はOpen MPIではありません（何であるかを答えません）</translation>
    </message>
    <message>
        <source>{} is not Open MPI (it says: {})</source>
        <translation>{}はOpen MPIではありません（出力：{}）</translation>
    </message>
    <message>
        <source>{} is Open MPI {}, and Meshreel launches ranks by Open MPI {} or newer</source>
        <translation>{}はOpen MPI {}ですが、MeshreelはOpen MPI {}以降でランクを起動します</translation>
    </message>
    <message>
        <source>mpirun passes nothing on any more</source>
        <translation>mpirunが何も中継しなくなりました</translation>
    </message>
    <message>
        <source>{}, which mpirun started, is stopped</source>
        <translation>mpirunが起動した{}が一時停止しています</translation>
    </message>
    <message>
        <source>the ranks there have not met the others within {} s: look for a firewall between the hosts, or set MESHREEL_HOST_TIMEOUT to more seconds</source>
        <translation>そこのランクは{}秒以内に他と接続できませんでした。ホスト間のファイアウォールを確認するか、MESHREEL_HOST_TIMEOUTの秒数を増やしてください</translation>
    </message>
    <message>
        <source>no rank has begun there within {} s: set MESHREEL_HOST_TIMEOUT to more seconds if it is only slow</source>
        <translation>{}秒以内にそこでランクが始まりませんでした。遅いだけの場合はMESHREEL_HOST_TIMEOUTの秒数を増やしてください</translation>
    </message>
    <message>
        <source>no rank has begun there within {} s: look at ssh and for a firewall that keeps Open MPI&apos;s daemon from calling back, or set MESHREEL_HOST_TIMEOUT to more seconds</source>
        <translation>{}秒以内にそこでランクが始まりませんでした。sshと、Open MPIのデーモンからの折り返し接続を妨げるファイアウォールを確認するか、MESHREEL_HOST_TIMEOUTの秒数を増やしてください</translation>
    </message>
    <message>
        <source>Set TMPDIR to a folder on a disk that keeps links</source>
        <translation>TMPDIR をリンクを作れるディスクのフォルダーに設定してください</translation>
    </message>
    <message>
        <source>it has no list of traceEvents</source>
        <translation>traceEventsのリストがありません</translation>
    </message>
    <message>
        <source>an event lacks its name, times or thread</source>
        <translation>名前、時刻、またはスレッドのないイベントがあります</translation>
    </message>
    <message>
        <source>Copy it to a disk of this machine: where it lies, files cannot be mapped</source>
        <translation>このマシンのディスクにコピーしてください。今の場所ではファイルをメモリにマップできません</translation>
    </message>
    <message>
        <source>{} have to be read into memory at once, and {} are available</source>
        <translation>一度に {} をメモリに読み込む必要がありますが、使えるのは {} です</translation>
    </message>
    <message>
        <source>texts</source>
        <translation>個のテキスト</translation>
    </message>
    <message>
        <source>a PNG</source>
        <translation>PNG</translation>
    </message>
    <message>
        <source>seconds of computing</source>
        <translation>秒の計算時間</translation>
    </message>
    <message>
        <source>a video or sound up to its next packet</source>
        <translation>動画または音声の次のパケットまで</translation>
    </message>
    <message>
        <source>Write its prompt, size, frames, steps and seed into a project</source>
        <translation>プロンプト、サイズ、フレーム数、ステップ数、シードをプロジェクトに書き写してください</translation>
    </message>
    <message>
        <source>meshreel inspect FILE prints it in a terminal</source>
        <translation>ターミナルで meshreel inspect ファイル を実行すると表示できます</translation>
    </message>
    <message>
        <source>a line that another process says; the rest is left out</source>
        <translation>別のプロセスが出力する 1 行（残りは省かれます）</translation>
    </message>
    <message>
        <source>all that another process says; of more, beginning and end are kept</source>
        <translation>別のプロセスの出力全体（超えると先頭と末尾だけが残ります）</translation>
    </message>
    <message>
        <source>the transparency of this video is in a second stream, which only libvpx decodes, and this system&apos;s libavcodec has no libvpx</source>
        <translation>この動画の透明度は libvpx だけがデコードできる第 2 のストリームにあり、このシステムの libavcodec には libvpx がありません</translation>
    </message>
    <message>
        <source>Install the full libavcodec, or convert the video to ProRes 4444</source>
        <translation>完全版の libavcodec をインストールするか、動画を ProRes 4444 に変換してください</translation>
    </message>
    <message>
        <source>the transparency of this picture is in a second picture of the file, which Meshreel does not read</source>
        <translation>この画像の透明度はファイル内の第 2 の画像にあり、Meshreel は読み込めません</translation>
    </message>
    <message>
        <source>Convert it to PNG or WebP</source>
        <translation>PNG または WebP に変換してください</translation>
    </message>
    <message>
        <source>there is not enough memory for the picture</source>
        <translation>画像のためのメモリーが足りません</translation>
    </message>
    <message>
        <source>the samples of this TIFF are signed or floating-point numbers, which Meshreel does not read</source>
        <translation>この TIFF のサンプルは符号付きまたは浮動小数点数で、Meshreel は読み込めません</translation>
    </message>
    <message>
        <source>Save it with 8 or 16 bits a channel, or as PNG</source>
        <translation>チャンネルあたり 8 または 16 ビットで、または PNG として保存してください</translation>
    </message>
    <message>
        <source>this TIFF has a channel besides its colours that it does not call transparency</source>
        <translation>この TIFF には、色のほかに透明度と示されていないチャンネルがあります</translation>
    </message>
    <message>
        <source>Save it as PNG, or without the channel, or with the channel as transparency</source>
        <translation>PNG として、このチャンネルなしで、またはこのチャンネルを透明度として保存してください</translation>
    </message>
    <message>
        <source>Measuring which form of the kernel &quot;{}&quot; is the fastest on {}; later runs know it</source>
        <translation>カーネル「{}」のどの形式が {} で最も速いかを測定しています。以降の実行では測定しません</translation>
    </message>
    <message>
        <source>a GPU has no {} kernel, which {} needs</source>
        <translation>GPU には {} カーネルがなく、{} にはそれが必要です</translation>
    </message>
    <message>
        <source>decoding whole frames needs {} of the GPU&apos;s memory, and {} are free</source>
        <translation>フレーム全体のデコードには GPU メモリーが {} 必要で、空きは {} です</translation>
    </message>
    <message>
        <source>with all layers the GPU would hold {}, and {} are free</source>
        <translation>すべての層を置くと GPU は {} を使いますが、空きは {} です</translation>
    </message>
    <message>
        <source>both experts need {}, and {} are available</source>
        <translation>両方のエキスパートには {} が必要で、使えるのは {} です</translation>
    </message>
    <message>
        <source>with both experts the GPU would hold {}, and {} are free</source>
        <translation>両方のエキスパートを置くと GPU は {} を使いますが、空きは {} です</translation>
    </message>
    <message>
        <source>with all layers the run needs {}, and memory_budget allows {}</source>
        <translation>すべての層を保持するとこの実行には {} が必要ですが、memory_budget で使えるのは {} です</translation>
    </message>
    <message>
        <source>the remote shell passes its standard input on to nobody: use one that does (MESHREEL_RSH)</source>
        <translation>リモートシェルが標準入力を渡しません。渡すものを使ってください（MESHREEL_RSH）</translation>
    </message>
    <message>
        <source>{} could not be guarded against connections of strangers: see docs/security.md</source>
        <translation>{}を第三者からの接続から保護できませんでした（docs/security.mdを参照）</translation>
    </message>
    <message>
        <source>which experts the adapters in lora are for is read in another way than when the run began: they went into {}, and would go into {}</source>
        <translation>lora のアダプターがどのエキスパート用かの読み方が、実行の開始時と異なります：開始時は {}、現在は {} に入ります</translation>
    </message>
    <message>
        <source>Start a new run in a terminal: meshreel run {}. An adapter with expert: all goes into both experts, whatever its name says</source>
        <translation>ターミナルで新しい実行を開始してください：meshreel run {}。expert: all のアダプターは、名前にかかわらず両方のエキスパートに入ります</translation>
    </message>
    <message>
        <source>Which GPU computes the transformer, the VAE and the encoders: its number, from 0 on, several for the devices of a mesh (0,1), none for the CPU, or auto for the best real GPU, if it counts as faster than the CPU.</source>
        <translation>transformer、VAE、エンコーダーを計算する GPU: 番号（0から）、メッシュのデバイス用に複数 (0,1)、CPU なら none、CPU より速いと見なせるときに最良の実 GPU を使うなら auto。</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is not a number for {}</source>
        <translation>「{}」は {} の数値ではありません</translation>
    </message>
    <message>
        <source>this is not a transformer of a Wan model</source>
        <translation>これはWanモデルのトランスフォーマーではありません</translation>
    </message>
    <message>
        <source>meshreel inspect shows what it is</source>
        <translation>これが何かはmeshreel inspectで分かります</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is not a server address</source>
        <translation>「{}」はサーバーのアドレスではありません</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is not a number of seconds</source>
        <translation>「{}」は秒数ではありません</translation>
    </message>
    <message>
        <source>this is not a small decoder (TAEHV), which previews need</source>
        <translation>これは小型デコーダ (TAEHV) ではありません。プレビューは小型デコーダで作ります</translation>
    </message>
    <message>
        <source>it is not a SentencePiece model</source>
        <translation>SentencePiece のモデルではありません</translation>
    </message>
    <message>
        <source>it is not a file, or it is a link that leads nowhere</source>
        <translation>ファイルでないか、行き先のないリンクです</translation>
    </message>
    <message>
        <source>The model ({}) does not support {} ({})</source>
        <translation>モデル（{}）は{}（{}）に対応していません</translation>
    </message>
    <message>
        <source>{} is not a count in column {}</source>
        <translation>{}は{}の列の個数ではありません</translation>
    </message>
    <message>
        <source>{} is not a Vulkan loader</source>
        <translation>{} は Vulkan ローダーではありません</translation>
    </message>
    <message>
        <source>{} is not a transformer</source>
        <translation>{}はトランスフォーマーではありません</translation>
    </message>
    <message>
        <source>This is not a measurement of meshreel bench</source>
        <translation>これはmeshreel benchの計測結果ではありません</translation>
    </message>
    <message>
        <source>prompt {} is not an object</source>
        <translation>プロンプト{}がオブジェクトではありません</translation>
    </message>
    <message>
        <source>a step of {} is not a multiple of {}</source>
        <translation>刻み{}が{}の倍数ではありません</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is not a host name</source>
        <translation>「{}」はホスト名ではありません</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is not a number of ranks between 1 and {}</source>
        <translation>「{}」は1～{}のランク数ではありません</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is not a number of seconds between 1 and {}</source>
        <translation>「{}」は1～{}の秒数ではありません</translation>
    </message>
    <message>
        <source>its tensors match no part of a Wan model</source>
        <translation>テンソルがWanモデルのどの部品のものでもありません</translation>
    </message>
    <message>
        <source>this is not a MagCache curve: {}</source>
        <translation>これはMagCacheの曲線ではありません: {}</translation>
    </message>
    <message>
        <source>this is not a number of devices: write a whole number from 1 to {}</source>
        <translation>これはデバイスの数ではありません。1から{}までの整数を書いてください</translation>
    </message>
    <message>
        <source>the model and the inputs determine the task</source>
        <translation>タスクはモデルと入力から分かります</translation>
    </message>
    <message>
        <source>lora_config is not a map of lists</source>
        <translation>lora_configがリストのマップではありません</translation>
    </message>
    <message>
        <source>mag_ratios_base is not a curve: {}</source>
        <translation>mag_ratios_baseが曲線になっていません: {}</translation>
    </message>
    <message>
        <source>The values that {} varies over are not a list</source>
        <translation>{}で変化させる値がリストではありません</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is not a whole number from {} to {}</source>
        <translation>「{}」は{}～{}の整数ではありません</translation>
    </message>
    <message>
        <source>This is not a table of device times</source>
        <translation>これはデバイス時間の表ではありません</translation>
    </message>
    <message>
        <source>This is not a table of a tile search</source>
        <translation>これはタイル探索の表ではありません</translation>
    </message>
    <message>
        <source>this is not the status of a Meshreel run</source>
        <translation>これは Meshreel の実行の状態ではありません</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is not a mask</source>
        <translation>「{}」というマスクはありません</translation>
    </message>
    <message>
        <source>This is not a golden case: it has no case.json</source>
        <translation>これはゴールデンケースではありません。case.jsonがありません</translation>
    </message>
    <message>
        <source>it is not a regular file</source>
        <translation>通常のファイルではありません</translation>
    </message>
    <message>
        <source>the archive holds no data.pkl: it is not a PyTorch checkpoint</source>
        <translation>アーカイブにdata.pklがありません。PyTorchのチェックポイントではありません</translation>
    </message>
    <message>
        <source>its pickle is not a dictionary of tensors</source>
        <translation>pickleがテンソルの辞書ではありません</translation>
    </message>
    <message>
        <source>{} has no sound</source>
        <translation>{}には音声がありません</translation>
    </message>
    <message>
        <source>{} does not hold this sound ({})</source>
        <translation>{}はこの音声({})を格納できません</translation>
    </message>
    <message>
        <source>The video has no sound: {}.</source>
        <translation>動画に音声はありません: {}。</translation>
    </message>
    <message>
        <source>Write video_format: mp4 or webm, or audio: none</source>
        <translation>video_format: mp4かwebm、またはaudio: noneと書いてください</translation>
    </message>
    <message>
        <source>This is not YAML: a bracket is not closed, because YAML takes what follows &quot; #&quot; for a comment</source>
        <translation>YAMLではありません。YAMLは「 #」以降をコメントとみなすため、括弧が閉じていません</translation>
    </message>
    <message>
        <source>Put the text with the # in quotes</source>
        <translation>#を含むテキストを引用符で囲んでください</translation>
    </message>
    <message>
        <source>Get it with: meshreel get {}; it prints the lines that a project needs. {}</source>
        <translation>meshreel get {} で取得してください。プロジェクトに必要な行が表示されます。{}</translation>
    </message>
    <message>
        <source>encoding needs {} of the GPU&apos;s memory, and {} are free</source>
        <translation>エンコードには GPU メモリーが {} 必要で、空きは {} です</translation>
    </message>
    <message>
        <source>{} is predicted to take {:.3g} s, and {} {:.3g} s</source>
        <translation>予測では、{}で{:.3g}秒、{}で{:.3g}秒かかります</translation>
    </message>
    <message>
        <source>nothing has measured whether {} is faster than {}</source>
        <translation>{} が {} より速いかどうかは未計測です</translation>
    </message>
    <message>
        <source>nothing has measured whether {} is faster than the CPU; gpus: {} takes it all the same</source>
        <translation>{} が CPU より速いかどうかは未計測です。gpus: {} ならこの GPU を使います</translation>
    </message>
    <message>
        <source>encoding there, the GPU would hold {}, and {} are free</source>
        <translation>そこでエンコードすると GPU は {} を使いますが、空きは {} です</translation>
    </message>
    <message>
        <source>What guidance steers away from; used when guidance_scale or nag_scale is above 1.</source>
        <translation>ガイダンスが避けるもの。guidance_scale または nag_scale が 1 より大きいときに使います。</translation>
    </message>
    <message>
        <source>Attention guidance</source>
        <translation>アテンションガイダンス</translation>
    </message>
    <message>
        <source>How strongly attention is pushed away from the negative prompt, without a second pass (NAG): also where guidance_scale is 1, as with distilled models. 11 is usual; 1 or less turns it off.</source>
        <translation>2 回目のパスなしで、アテンションをネガティブプロンプトからどれだけ遠ざけるか (NAG)。蒸留モデルのように guidance_scale が 1 でも働きます。通常は 11、1 以下で無効です。</translation>
    </message>
    <message>
        <source>Bound of attention guidance</source>
        <translation>このガイダンスの上限</translation>
    </message>
    <message>
        <source>What nag_scale makes of a token is at most so many times as large as what the prompt alone makes of it.</source>
        <translation>nag_scale によるトークンの値は、プロンプトだけの値の最大この倍数までです。</translation>
    </message>
    <message>
        <source>Part of attention guidance</source>
        <translation>このガイダンスの割合</translation>
    </message>
    <message>
        <source>Mixes what nag_scale makes of a token with what the prompt alone makes of it: 1 takes the former, 0 the latter.</source>
        <translation>nag_scale によるトークンの値とプロンプトだけの値を混ぜます。1 は前者、0 は後者です。</translation>
    </message>
    <message>
        <source>exponential integrator of second order: each step but the last is computed twice</source>
        <translation>2 次の指数積分法: 最後を除く各ステップを 2 回計算</translation>
    </message>
    <message>
        <source>exponential integrator of second order that remembers the step before: one pass a step</source>
        <translation>直前のステップを覚える 2 次の指数積分法: 1 ステップ 1 パス</translation>
    </message>
    <message>
        <source>Spacing of noise levels</source>
        <translation>ノイズレベルの間隔</translation>
    </message>
    <message>
        <source>How the noise levels of the steps are spaced.</source>
        <translation>各ステップのノイズレベルをどう配置するか。</translation>
    </message>
    <message>
        <source>As the scheduler spaces them.</source>
        <translation>スケジューラーの配置のとおり。</translation>
    </message>
    <message>
        <source>Dense at both ends: quantiles of the beta distribution with 0.6 and 0.6, shifted by flow_shift.</source>
        <translation>両端が密: パラメーター 0.6 と 0.6 のベータ分布の分位点を flow_shift でずらします。</translation>
    </message>
    <message>
        <source>The same with 0.5 and 0.7, which gives more steps to low noise.</source>
        <translation>0.5 と 0.7 を使う同じ方法で、低ノイズのステップが多くなります。</translation>
    </message>
    <message>
        <source>Two arc tangents that meet at half the noise after 0.6 of the steps; flow_shift has no effect.</source>
        <translation>ステップの 0.6 でノイズ半分の点に出会う 2 つの逆正接曲線。flow_shift は効きません。</translation>
    </message>
    <message>
        <source>EasyCache</source>
        <translation>EasyCache</translation>
    </message>
    <message>
        <source>Takes whole predictions over while the latents, by what the last steps showed, would change them little; needs no curve; approximate.</source>
        <translation>直前のステップから見て潜在変数の変化が小さい間、予測全体を引き継ぎます。曲線は不要、近似です。</translation>
    </message>
    <message>
        <source>EasyCache change</source>
        <translation>EasyCache の変化量</translation>
    </message>
    <message>
        <source>Change of the prediction, as a part of its size, that EasyCache may gather before a step is computed.</source>
        <translation>ステップを計算するまでに EasyCache がためてよい、予測の変化 (大きさに対する割合)。</translation>
    </message>
    <message>
        <source>EasyCache begins at</source>
        <translation>EasyCache の開始</translation>
    </message>
    <message>
        <source>Part of the noise, from the beginning, in which EasyCache computes every step.</source>
        <translation>先頭から、EasyCache が全ステップを計算するノイズの割合。</translation>
    </message>
    <message>
        <source>EasyCache ends at</source>
        <translation>EasyCache の終了</translation>
    </message>
    <message>
        <source>Part of the noise after which EasyCache computes every step again.</source>
        <translation>これより後は EasyCache が再び全ステップを計算するノイズの割合。</translation>
    </message>
    <message>
        <source>Context windows</source>
        <translation>コンテキスト窓</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>窓</translation>
    </message>
    <message>
        <source>Frames that are denoised together, for clips longer than the model was trained with (Wan: 81): a multiple of 4, plus 1. 0 denoises all at once.</source>
        <translation>モデルの学習時（Wan: 81）より長いクリップで、一緒にノイズ除去するフレーム数。4 の倍数に 1 を足した数。0 ではすべてを一度に処理します。</translation>
    </message>
    <message>
        <source>Overlap of windows</source>
        <translation>窓の重なり</translation>
    </message>
    <message>
        <source>Frames that neighbouring windows share; more of them join windows better and take longer.</source>
        <translation>隣り合う窓が共有するフレーム数。多いほど滑らかにつながりますが、時間がかかります。</translation>
    </message>
    <message>
        <source>Windows of a step</source>
        <translation>ステップの窓</translation>
    </message>
    <message>
        <source>Where the windows of each step lie.</source>
        <translation>各ステップの窓の位置。</translation>
    </message>
    <message>
        <source>the same windows in every step; the last one ends with the clip</source>
        <translation>どのステップでも同じ窓。最後の窓はクリップの終わりで終わります</translation>
    </message>
    <message>
        <source>windows that begin elsewhere in each step, so that their borders blur</source>
        <translation>ステップごとに違う所から始まる窓。境界がぼやけます</translation>
    </message>
    <message>
        <source>as uniform, with windows from the end into the beginning: for clips that are looped</source>
        <translation>uniform と同様で、終わりから始まりへ続く窓もあります。ループするクリップ用</translation>
    </message>
    <message>
        <source>Levels of windows</source>
        <translation>窓の段階</translation>
    </message>
    <message>
        <source>1 denoises neighbouring frames together; 2 adds windows of every second frame, 3 of every fourth, as far as they fit into the clip. For uniform and looped windows.</source>
        <translation>1 は隣り合うフレームを一緒に処理します。2 は 1 つおき、3 は 3 つおきのフレームの窓を、クリップに収まる範囲で加えます。uniform と looped の窓用。</translation>
    </message>
    <message>
        <source>Fusing of windows</source>
        <translation>窓の融合</translation>
    </message>
    <message>
        <source>How predictions are weighed where windows overlap.</source>
        <translation>窓が重なる所で予測をどう重み付けするか。</translation>
    </message>
    <message>
        <source>the middle of a window counts most</source>
        <translation>窓の中央を最も重くします</translation>
    </message>
    <message>
        <source>windows fade into each other over the overlap</source>
        <translation>重なりの中で窓が徐々に入れ替わります</translation>
    </message>
    <message>
        <source>the mean of all windows</source>
        <translation>すべての窓の平均</translation>
    </message>
    <message>
        <source>FreeNoise</source>
        <translation>FreeNoise</translation>
    </message>
    <message>
        <source>Frames behind the first window begin with the shuffled noise of earlier ones, which keeps the windows alike.</source>
        <translation>最初の窓より後のフレームは、前のフレームのノイズを並べ替えたものから始まり、窓どうしが似たものに保たれます。</translation>
    </message>
    <message>
        <source>Keep the first image in sight</source>
        <translation>最初の画像を見せ続ける</translation>
    </message>
    <message>
        <source>Every window is given the first image in its first frame; image to video needs it, whose later windows would see no image.</source>
        <translation>すべての窓の最初のフレームに最初の画像を与えます。画像から動画では必要です。そうしないと後の窓は画像を見られません。</translation>
    </message>
    <message>
        <source>Write context_frames: 0 for segments, or leave out segment_frame_length for windows</source>
        <translation>セグメントなら context_frames: 0 と書き、窓なら segment_frame_length を書かないでください</translation>
    </message>
    <message>
        <source>{} ({}) makes a long clip in segments or through context windows, not both</source>
        <translation>{}（{}）は長いクリップをセグメントごとか、コンテキスト窓で作り、両方は使えません</translation>
    </message>
    <message>
        <source>{} ({}) keeps the image in the first frame, which only the first context window has</source>
        <translation>{}（{}）は最初のフレームに画像を保ちますが、それがあるのは最初のコンテキスト窓だけです</translation>
    </message>
    <message>
        <source>Write 0, and make the clip in parts</source>
        <translation>0 と書き、クリップを分けて作ってください</translation>
    </message>
    <message>
        <source>{} ({}) sees the image in its first frame, and context windows behind the first one would see none</source>
        <translation>{}（{}）は最初のフレームで画像を見ますが、2 番目以降のコンテキスト窓には画像が見えません</translation>
    </message>
    <message>
        <source>Write true, which shows each of them the image, or make the clip in parts</source>
        <translation>true と書いてすべての窓に画像を見せるか、クリップを分けて作ってください</translation>
    </message>
    <message>
        <source>Seam of the loop: the last frame differs from the first by {} levels of 255, neighbouring frames by {} (median)</source>
        <translation>ループの継ぎ目: 最後のフレームと最初のフレームの差は 255 段階中 {}、隣り合うフレームの差は {}（中央値）</translation>
    </message>
    <message>
        <source>A MagCache curve is measured on whole steps, and context windows make several passes of each</source>
        <translation>MagCache の曲線はステップ全体で測定しますが、コンテキスト窓は各ステップを複数回処理します</translation>
    </message>
    <message>
        <source>Measure with 0</source>
        <translation>0 で測定してください</translation>
    </message>
    <message>
        <source>Set {} to {}</source>
        <translation>{} を {} にしてください</translation>
    </message>
    <message>
        <source>No step lies between easycache_start {} and easycache_end {}</source>
        <translation>easycache_start {} と easycache_end {} の間にステップがありません</translation>
    </message>
    <message>
        <source>Begin earlier</source>
        <translation>もっと早く始めてください</translation>
    </message>
    <message>
        <source>{} is {}, and windows of {} frames share {} at most</source>
        <translation>{} は {} ですが、{} フレームの窓が共有できるのは最大 {} です</translation>
    </message>
    <message>
        <source>the {} keeps what blocks add to the tokens of one pass, and context windows make several passes of a step</source>
        <translation>{} は 1 回の処理でブロックがトークンに加えたものを保ちますが、コンテキスト窓は 1 ステップを複数回処理します</translation>
    </message>
    <message>
        <source>Write false, or use use_easycache, which keeps whole predictions</source>
        <translation>false と書くか、予測全体を保つ use_easycache を使ってください</translation>
    </message>
    <message>
        <source>the {} takes predictions over from step to step, and windows that are {} lie elsewhere in each</source>
        <translation>{} はステップ間で予測を引き継ぎますが、{} の窓はステップごとに位置が違います</translation>
    </message>
    <message>
        <source>Write context_schedule: static, or leave the cache out</source>
        <translation>context_schedule: static と書くか、キャッシュを使わないでください</translation>
    </message>
    <message>
        <source>Set {} to {}, which needs no second pass</source>
        <translation>{} を {} にしてください。2 回目のパスは不要です</translation>
    </message>
    <message>
        <source>{} has no effect without {}</source>
        <translation>{} は {} がないと効きません</translation>
    </message>
    <message>
        <source>Write what the video should not show</source>
        <translation>動画に映したくないものを書いてください</translation>
    </message>
    <message>
        <source>There is no spacing of noise levels &quot;{}&quot;</source>
        <translation>ノイズレベルの間隔「{}」はありません</translation>
    </message>
    <message>
        <source>The spacing {} is for flows, which the checkpoint&apos;s {} does not follow</source>
        <translation>間隔 {} はフロー用で、チェックポイントの {} はフローではありません</translation>
    </message>
    <message>
        <source>Set it to {}, or choose another scheduler</source>
        <translation>{} にするか、別のスケジューラーを選んでください</translation>
    </message>
    <message>
        <source>Of {} noise levels {} would be left</source>
        <translation>{} 段のノイズレベルのうち {} 段しか残りません</translation>
    </message>
    <message>
        <source>Remove them, or the key sigma_spacing</source>
        <translation>それら、またはキー sigma_spacing を消してください</translation>
    </message>
    <message>
        <source>{} ({}) shows every context window the character by itself, and the first frame has a background of its own</source>
        <translation>{} ({}) はどのコンテキスト窓にもキャラクターを見せ、最初のフレームには独自の背景があります</translation>
    </message>
    <message>
        <source>EasyCache decides for one video, and the batch has several</source>
        <translation>EasyCache は 1 本の動画について決めますが、バッチには複数あります</translation>
    </message>
    <message>
        <source>End later</source>
        <translation>もっと遅く終えてください</translation>
    </message>
    <message>
        <source>{} has no effect: {} ({}) begins with no image</source>
        <translation>{} は効きません：{}（{}）は画像から始まりません</translation>
    </message>
    <message>
        <source>{} has no effect: context windows have no segment before</source>
        <translation>{} は効きません：コンテキスト窓には前のセグメントがありません</translation>
    </message>
    <message>
        <source>{} has no effect: windows that are {} leave no frames out between</source>
        <translation>{} は効きません：{} の窓は間のフレームを省きません</translation>
    </message>
    <message>
        <source>A video that shows the pictures of `keyframes` at their frames, and may begin with `image` and end with `last_image`.</source>
        <translation>`keyframes` の画像をそれぞれのフレームに表示する動画。`image` で始まり `last_image` で終わることもできます。</translation>
    </message>
    <message>
        <source>Keyframes</source>
        <translation>キーフレーム</translation>
    </message>
    <message>
        <source>Pictures that the video shows at places of your choice: a list of {frame: 8, image: PATH}, with frames counted from 0, or seconds: 1.5 or percent: 50 in place of frame.</source>
        <translation>選んだ位置で動画に表示する画像です。{frame: 8, image: PATH} の一覧で、フレームは 0 から数えます。frame の代わりに seconds: 1.5 や percent: 50 も使えます。</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>続ける</translation>
    </message>
    <message>
        <source>Continue from</source>
        <translation>続ける元</translation>
    </message>
    <message>
        <source>Run folder, video or folder of numbered pictures that this clip goes on from; its frames are resized to this video.</source>
        <translation>このクリップが続ける実行フォルダー、動画、または番号付き画像のフォルダー。フレームはこの動画の大きさに合わせられます。</translation>
    </message>
    <message>
        <source>From frame</source>
        <translation>開始フレーム</translation>
    </message>
    <message>
        <source>Frame of that clip after which this one goes on, counted from 0, or last.</source>
        <translation>そのクリップのどのフレームの後から続けるか（0 から数える）、または last。</translation>
    </message>
    <message>
        <source>Shared frames</source>
        <translation>共有フレーム</translation>
    </message>
    <message>
        <source>What the video should show. [0:33%] … [33%:] … says it for a part of the time, in percent, seconds (2s, 0:02) or frames; words before the first mark hold all the time. With context windows, prompts parted by | follow each other.</source>
        <translation>動画に映すもの。[0:33%] … [33%:] … は時間の一部について、パーセント、秒 (2s、0:02)、フレームで指定します。最初の印より前の言葉は全体に有効です。コンテキストウィンドウでは、| で分けたプロンプトが順に続きます。</translation>
    </message>
    <message>
        <source>Softness of timed parts</source>
        <translation>時間の柔らかさ</translation>
    </message>
    <message>
        <source>How softly the parts of a timed prompt, [0:33%] … [33%:] …, pass into each other: the larger, the more of a part is seen before and after its time.</source>
        <translation>時間付きプロンプト [0:33%] … [33%:] … の部分がどれほど柔らかく移り変わるか。大きいほど、各部分がその時間の前後にも現れます。</translation>
    </message>
    <message>
        <source>Keyframes to video</source>
        <translation>キーフレームから動画</translation>
    </message>
    <message>
        <source>{} of the {} texts that | parts are seen in none of the {} context windows</source>
        <translation>| で分けた {1} 個のテキストのうち {0} 個は、{2} 個のコンテキストウィンドウのどれでも使われません</translation>
    </message>
    <message>
        <source>Write fewer texts, or make shorter windows with more of them</source>
        <translation>テキストを減らすか、ウィンドウを短くして数を増やしてください</translation>
    </message>
    <message>
        <source>{} ({}) shows every context window the first frame, and no picture is given there</source>
        <translation>{}（{}）はすべてのコンテキスト窓に最初のフレームを見せますが、そこに画像が与えられていません</translation>
    </message>
    <message>
        <source>Write 0, or give a picture at frame 0</source>
        <translation>0 と書くか、フレーム 0 に画像を指定してください</translation>
    </message>
    <message>
        <source>keyframe {}</source>
        <translation>キーフレーム {}</translation>
    </message>
    <message>
        <source>{} (frame {}) and {} (frame {}) are in the same latent frame, which holds one picture</source>
        <translation>{}（フレーム {}）と {}（フレーム {}）は同じ潜在フレームにあり、そこには 1 枚しか入りません</translation>
    </message>
    <message>
        <source>Move one of them by {} frames or more, or remove it</source>
        <translation>どちらかを {} フレーム以上動かすか、削除してください</translation>
    </message>
    <message>
        <source>{} stands between the first and the last frame, for which this model needs {} frames at least</source>
        <translation>{} は最初と最後のフレームの間にあり、このモデルでは少なくとも {} フレームが必要です</translation>
    </message>
    <message>
        <source>{} stands at frame {} in place of {}: between the ends this model takes pictures at the last frame of a latent only</source>
        <translation>{} は {}（指定は {}）に置かれます。このモデルは両端の間では、潜在フレームの最後のフレームにだけ画像を受け付けます</translation>
    </message>
    <message>
        <source>Write frame: {}</source>
        <translation>frame: {} と書いてください</translation>
    </message>
    <message>
        <source>The model ({}) looks at two pictures, and there is one</source>
        <translation>モデル（{}）は 2 枚の画像を見ますが、1 枚しかありません</translation>
    </message>
    <message>
        <source>Name another keyframe, image or last_image</source>
        <translation>別のキーフレーム、image、または last_image を指定してください</translation>
    </message>
    <message>
        <source>part {} of {}</source>
        <translation>{1} の部分 {0}</translation>
    </message>
    <message>
        <source>Write task: vace, which takes keyframes</source>
        <translation>task: vace と書いてください。キーフレームを受け付けます</translation>
    </message>
    <message>
        <source>{} and {} both say how the video begins</source>
        <translation>{} と {} の両方が動画の始まりを決めています</translation>
    </message>
    <message>
        <source>Leave out one of them</source>
        <translation>どちらか一方を省いてください</translation>
    </message>
    <message>
        <source>{} shows a picture in the first {} frames, which are of the clip before</source>
        <translation>{} は、前のクリップのものである最初の {} フレームに画像を置いています</translation>
    </message>
    <message>
        <source>a clip that continues another one does not end where it begins, and windows that are {} make it do so</source>
        <translation>他のクリップを続けるクリップは始まりに戻りませんが、{} の窓はそうします</translation>
    </message>
    <message>
        <source>Write static</source>
        <translation>static と書いてください</translation>
    </message>
    <message>
        <source>the video has {} frames, and {} of them are the last of the clip before</source>
        <translation>動画は {} フレームで、そのうち {} は前のクリップの最後のものです</translation>
    </message>
    <message>
        <source>Take fewer, or make a longer video</source>
        <translation>少なくするか、動画を長くしてください</translation>
    </message>
    <message>
        <source>Make a longer video</source>
        <translation>動画を長くしてください</translation>
    </message>
    <message>
        <source>{} is one of a pair, and the other expert has none</source>
        <translation>{} は対の一方で、もう一方のエキスパートにはありません</translation>
    </message>
    <message>
        <source>Name both in lora, that of the high and that of the low noise</source>
        <translation>高ノイズ用と低ノイズ用の両方を lora に書いてください</translation>
    </message>
    <message>
        <source>{} has no effect: a chain of Stable Video Infinity shares {} frames</source>
        <translation>{} は効果がありません：Stable Video Infinity の連鎖は {} フレームを共有します</translation>
    </message>
    <message>
        <source>the shot {} has no video</source>
        <translation>ショット {} に動画がありません</translation>
    </message>
    <message>
        <source>Remove its folder, and make the film again</source>
        <translation>そのフォルダーを消して、フィルムを作り直してください</translation>
    </message>
    <message>
        <source>the folder of the film cannot be made ({})</source>
        <translation>フィルムのフォルダーを作れません（{}）</translation>
    </message>
    <message>
        <source>another program makes a film in this folder</source>
        <translation>別のプログラムがこのフォルダーでフィルムを作っています</translation>
    </message>
    <message>
        <source>Wait until it is done, or choose another folder for it</source>
        <translation>終わるまで待つか、別のフォルダーを選んでください</translation>
    </message>
    <message>
        <source>Shot {} of {}, {}: is there</source>
        <translation>ショット {}/{}、{}：すでにあります</translation>
    </message>
    <message>
        <source>Shot {} of {}, {}</source>
        <translation>ショット {}/{}、{}</translation>
    </message>
    <message>
        <source>The pictures were encoded once more: {}</source>
        <translation>画像は再び符号化されました：{}</translation>
    </message>
    <message>
        <source>The film has no sound: that of the shots is left out</source>
        <translation>フィルムに音はありません：ショットの音は省かれます</translation>
    </message>
    <message>
        <source>shot {}: {}</source>
        <translation>ショット {}：{}</translation>
    </message>
    <message>
        <source>there is no plan for it</source>
        <translation>その計画がありません</translation>
    </message>
    <message>
        <source>Make its model available first</source>
        <translation>先にモデルを用意してください</translation>
    </message>
    <message>
        <source>a shot is no map of keys</source>
        <translation>ショットがキーの表になっていません</translation>
    </message>
    <message>
        <source>Write - prompt: ..., and further keys below it</source>
        <translation>- prompt: ... と書き、他のキーを下に続けてください</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is no name of a shot</source>
        <translation>「{}」はショットの名前ではありません</translation>
    </message>
    <message>
        <source>Write letters, digits, &apos;-&apos;, &apos;_&apos; and &apos;.&apos;; it names a folder</source>
        <translation>文字、数字、&apos;-&apos;、&apos;_&apos;、&apos;.&apos; を書いてください。フォルダー名になります</translation>
    </message>
    <message>
        <source>two shots are called {}</source>
        <translation>二つのショットが {} という名前です</translation>
    </message>
    <message>
        <source>the first shot has none to continue</source>
        <translation>最初のショットには続ける元がありません</translation>
    </message>
    <message>
        <source>there is no earlier shot called &quot;{}&quot;</source>
        <translation>「{}」という前のショットはありません</translation>
    </message>
    <message>
        <source>Write continue: true for the shot before, the name of an earlier one, or continue_from: PATH for another clip</source>
        <translation>直前のショットなら continue: true、前のショットの名前、または別のクリップなら continue_from: パス</translation>
    </message>
    <message>
        <source>seconds is &quot;{}&quot;</source>
        <translation>seconds は「{}」です</translation>
    </message>
    <message>
        <source>Write how long the shot lasts, more than 0 and at most {}</source>
        <translation>ショットの長さを 0 より大きく {} 以下で書いてください</translation>
    </message>
    <message>
        <source>seconds and num_frames both say how long the shot is</source>
        <translation>seconds と num_frames の両方が長さを決めています</translation>
    </message>
    <message>
        <source>continue and continue_from both say what the shot continues</source>
        <translation>continue と continue_from の両方が続ける元を決めています</translation>
    </message>
    <message>
        <source>a storyboard has a list of shots</source>
        <translation>ストーリーボードにはショットのリストが必要です</translation>
    </message>
    <message>
        <source>Write shots: and below it - prompt: ... for each</source>
        <translation>shots: と書き、その下に各 - prompt: ... を書いてください</translation>
    </message>
    <message>
        <source>shots is no list of 1 to {} shots</source>
        <translation>shots は 1 から {} 個のショットのリストではありません</translation>
    </message>
    <message>
        <source>Write - prompt: ... for each shot</source>
        <translation>各ショットに - prompt: ... と書いてください</translation>
    </message>
    <message>
        <source>this run has no video yet</source>
        <translation>この実行にはまだ動画がありません</translation>
    </message>
    <message>
        <source>Finish it first, or name a run that is done</source>
        <translation>先に終わらせるか、終わった実行を指定してください</translation>
    </message>
    <message>
        <source>this folder was replaced while it was read</source>
        <translation>このフォルダーは読み込み中に置き換えられました</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>もう一度試してください</translation>
    </message>
    <message>
        <source>Make this part again</source>
        <translation>この部分を作り直してください</translation>
    </message>
    <message>
        <source>frames that two parts share are left out</source>
        <translation>二つの部分が共有するフレームは省かれます</translation>
    </message>
    <message>
        <source>{} keeps all pictures in one piece</source>
        <translation>{} はすべての画像を一体で保ちます</translation>
    </message>
    <message>
        <source>{} is of another format</source>
        <translation>{} は別の形式です</translation>
    </message>
    <message>
        <source>{} was encoded otherwise than the first part</source>
        <translation>{} は最初の部分と異なる符号化です</translation>
    </message>
    <message>
        <source>{} has another rate than the first part</source>
        <translation>{} のフレームレートは最初の部分と異なります</translation>
    </message>
    <message>
        <source>Seam: the first new frame differs from the last one of the clip before by {} levels of 255, neighbouring frames by {} (median); {} frames are of the clip before</source>
        <translation>継ぎ目：最初の新しいフレームは前のクリップの最後と 255 段階中 {}、隣り合うフレームは {}（中央値）違います。{} フレームは前のクリップのものです</translation>
    </message>
    <message>
        <source>the clip ends at frame {}, and frame {} is taken</source>
        <translation>クリップはフレーム {} で終わり、フレーム {} が必要です</translation>
    </message>
    <message>
        <source>Give a continue_at before its end, or write the clip again</source>
        <translation>終わりより前の continue_at を書くか、クリップを書き直してください</translation>
    </message>
    <message>
        <source>To keep the speed of the motion, set fps: {}</source>
        <translation>動きの速さを保つには fps: {} としてください</translation>
    </message>
    <message>
        <source>{}: {}: its frames of {} x {} are resized to {} x {}</source>
        <translation>{}：{}：{} x {} のフレームは {} x {} に変えられます</translation>
    </message>
    <message>
        <source>To take them as they are, set width and height to those of the clip</source>
        <translation>そのまま使うには、幅と高さをクリップに合わせてください</translation>
    </message>
    <message>
        <source>{} is &quot;{}&quot;, which is no frame of a clip</source>
        <translation>{} は「{}」で、クリップのフレームではありません</translation>
    </message>
    <message>
        <source>Write the number of a frame, counted from 0, or {}</source>
        <translation>0 から数えたフレーム番号、または {} を書いてください</translation>
    </message>
    <message>
        <source>{} is {}, and the clip has {} frames, 0 to {}</source>
        <translation>{} は {} ですが、クリップのフレームは {} 個で 0 から {} です</translation>
    </message>
    <message>
        <source>Write the number of one of them, or {}</source>
        <translation>そのいずれかの番号、または {} を書いてください</translation>
    </message>
    <message>
        <source>the clip before gives {} frames up to frame {}, and {} are taken</source>
        <translation>前のクリップには {} 個のフレーム（フレーム {} まで）があり、{} 個が使われます</translation>
    </message>
    <message>
        <source>Take fewer, go on from a later frame, or from a longer clip</source>
        <translation>少なくするか、後のフレームまたは長いクリップから続けてください</translation>
    </message>
    <message>
        <source>Write {{frame: 8, image: PATH}}, or seconds or percent in place of frame</source>
        <translation>{{frame: 8, image: PATH}} と書いてください。frame の代わりに seconds や percent も使えます</translation>
    </message>
    <message>
        <source>A keyframe&apos;s {} is not one value</source>
        <translation>キーフレームの {} が 1 つの値ではありません</translation>
    </message>
    <message>
        <source>A keyframe&apos;s {} cannot be {}</source>
        <translation>キーフレームの {} は {} にできません</translation>
    </message>
    <message>
        <source>Write a number from 0 to {}</source>
        <translation>0 から {} までの数を書いてください</translation>
    </message>
    <message>
        <source>A keyframe&apos;s frame {} is not a whole number</source>
        <translation>キーフレームのフレーム {} は整数ではありません</translation>
    </message>
    <message>
        <source>Write {}, or a place in seconds or percent</source>
        <translation>{} と書くか、秒またはパーセントで指定してください</translation>
    </message>
    <message>
        <source>A keyframe is not a map</source>
        <translation>キーフレームがマップではありません</translation>
    </message>
    <message>
        <source>A keyframe has no &quot;{:.80}&quot;</source>
        <translation>キーフレームに「{:.80}」はありません</translation>
    </message>
    <message>
        <source>Its keys are image and one of frame, seconds and percent</source>
        <translation>キーは image と、frame、seconds、percent のいずれか 1 つです</translation>
    </message>
    <message>
        <source>A keyframe has both {} and {}</source>
        <translation>キーフレームに {} と {} の両方があります</translation>
    </message>
    <message>
        <source>Leave one of them</source>
        <translation>どちらか 1 つだけを残してください</translation>
    </message>
    <message>
        <source>A keyframe has no image</source>
        <translation>キーフレームに画像がありません</translation>
    </message>
    <message>
        <source>A keyframe has no place</source>
        <translation>キーフレームに位置がありません</translation>
    </message>
    <message>
        <source>Keyframe {} ({}) is at frame {}, and the last of {} frames is {}</source>
        <translation>キーフレーム {}（{}）はフレーム {} にありますが、全 {} フレームの最後は {} です</translation>
    </message>
    <message>
        <source>Move it to frame {} or before, or make num_frames {}</source>
        <translation>フレーム {} 以前に移すか、num_frames を {} にしてください</translation>
    </message>
    <message>
        <source>Keyframe {} ({}) is at frame {}, where {} is already</source>
        <translation>キーフレーム {}（{}）のフレーム {} には、すでに {} があります</translation>
    </message>
    <message>
        <source>Move it to another frame, or remove one of them</source>
        <translation>別のフレームに移すか、どちらかを削除してください</translation>
    </message>
    <message>
        <source>&quot;{}&quot; of {} is &quot;{}&quot; here</source>
        <translation>{1} の &quot;{0}&quot; は、ここでは &quot;{2}&quot; です</translation>
    </message>
    <message>
        <source>&quot;{}&quot; of {} is &quot;{}&quot; here, with sigma_spacing: {}</source>
        <translation>{1} の &quot;{0}&quot; は、ここでは &quot;{2}&quot; と sigma_spacing: {3} です</translation>
    </message>
    <message>
        <source>Write [{{frame: 8, image: PATH}}]</source>
        <translation>[{{frame: 8, image: PATH}}] と書いてください</translation>
    </message>
    <message>
        <source>context windows, of each video and of each half of guidance</source>
        <translation>動画ごと、ガイダンスの半分ごとのコンテキストウィンドウ</translation>
    </message>
    <message>
        <source>{} is {}, which is not a multiple of {} plus 1</source>
        <translation>{} は {} で、{} の倍数に 1 を足した数ではありません</translation>
    </message>
    <message>
        <source>{} is no time, and taken as words of the prompt</source>
        <translation>{} は時間ではなく、プロンプトの言葉として扱われます</translation>
    </message>
    <message>
        <source>Write two bounds of one unit: [0:33%], [2s:0:04] or [1:17]; or other brackets for words</source>
        <translation>同じ単位の境界を二つ書いてください: [0:33%]、[2s:0:04]、[1:17]。言葉なら別の括弧を使ってください</translation>
    </message>
    <message>
        <source>{} has no words behind it</source>
        <translation>{} の後に言葉がありません</translation>
    </message>
    <message>
        <source>Write what the video should show then, or remove it</source>
        <translation>そのとき動画に映すものを書くか、取り除いてください</translation>
    </message>
    <message>
        <source>{} ends before it begins</source>
        <translation>{} は始まる前に終わります</translation>
    </message>
    <message>
        <source>Write the earlier bound first; other brackets if it is no time</source>
        <translation>早いほうの境界を先に書いてください。時間でないなら別の括弧を使ってください</translation>
    </message>
    <message>
        <source>{} begins when the video is over, at {}</source>
        <translation>{} は動画の終わり ({}) より後に始まります</translation>
    </message>
    <message>
        <source>Begin it earlier, or make the video longer</source>
        <translation>早く始めるか、動画を長くしてください</translation>
    </message>
    <message>
        <source>{} goes on when the video is over, at {}</source>
        <translation>{} は動画の終わり ({}) を過ぎても続きます</translation>
    </message>
    <message>
        <source>Leave its end out, or make the video longer</source>
        <translation>終わりを省くか、動画を長くしてください</translation>
    </message>
    <message>
        <source>one context window holds the whole video, which is given all that | parts as one prompt</source>
        <translation>一つのコンテキストウィンドウに動画全体が入り、| で分けたものは一つのプロンプトとして渡されます</translation>
    </message>
    <message>
        <source>Write [0:50%] … [50%:] … instead, or make the video longer</source>
        <translation>代わりに [0:50%] … [50%:] … と書くか、動画を長くしてください</translation>
    </message>
    <message>
        <source>the prompt has parts by time and parts for context windows by |</source>
        <translation>プロンプトに時間による部分と | によるコンテキストウィンドウ用の部分があります</translation>
    </message>
    <message>
        <source>Write all of them with times, which hold in context windows too</source>
        <translation>すべて時間で書いてください。時間はコンテキストウィンドウでも有効です</translation>
    </message>
    <message>
        <source>part {} of the prompt, parted by |, has no words</source>
        <translation>| で分けたプロンプトの部分 {} に言葉がありません</translation>
    </message>
    <message>
        <source>Write what the video should show then, or remove its |</source>
        <translation>そのとき動画に映すものを書くか、その | を取り除いてください</translation>
    </message>
    <message>
        <source>{} has no effect: the prompt has no times such as [0:33%]</source>
        <translation>{} は効果がありません: プロンプトに [0:33%] のような時間がありません</translation>
    </message>
    <message>
        <source>The case hides frames in front of the video, which Meshreel never does</source>
        <translation>このケースは動画の前のフレームを隠しますが、Meshreel は決してそうしません</translation>
    </message>
    <message>
        <source>the film passes over only into a shot that goes on from the end of the one before, and continue_at is {}</source>
        <translation>つなぎのぼかしは前のショットの最後から続くショットだけに使えますが、continue_at は {} です</translation>
    </message>
    <message>
        <source>Leave out blend, or continue_at</source>
        <translation>blend か continue_at を省いてください</translation>
    </message>
    <message>
        <source>blend is &quot;{}&quot;</source>
        <translation>blend が &quot;{}&quot; です</translation>
    </message>
    <message>
        <source>Write how many frames pass over, 0 to {}</source>
        <translation>何フレームで移り変わるかを 0 から {} で書いてください</translation>
    </message>
    <message>
        <source>the film passes over only into a shot that continues the one right before it</source>
        <translation>映画が移り変わるのは、直前のショットを続けるショットだけです</translation>
    </message>
    <message>
        <source>Leave out blend, or write continue: true</source>
        <translation>blend を省くか、continue: true と書いてください</translation>
    </message>
    <message>
        <source>To resume it: meshreel run --resume {}, with the same --hosts</source>
        <translation>再開するには、同じ--hostsを付けて meshreel run --resume {} を実行してください</translation>
    </message>
    <message>
        <source>The seam with the clip before is not measured: {}</source>
        <translation>前のクリップとの継ぎ目は測定されません：{}</translation>
    </message>
    <message>
        <source>Go on from a later frame, or from a longer clip</source>
        <translation>もっと後のフレームか、もっと長いクリップから続けてください</translation>
    </message>
    <message>
        <source>Choose a new folder, or resume the run in it with --resume</source>
        <translation>新しいフォルダーを選ぶか、--resumeでその中の実行を再開してください</translation>
    </message>
    <message>
        <source>the run was ended before it began: there is nothing to resume</source>
        <translation>実行は始まる前に終了しました。再開できるものがありません</translation>
    </message>
    <message>
        <source>Resume the run first (meshreel run --resume)</source>
        <translation>先に実行を再開してください（meshreel run --resume）</translation>
    </message>
    <message>
        <source>To resume it: meshreel run --resume {}</source>
        <translation>再開するには meshreel run --resume {} を実行してください</translation>
    </message>
    <message>
        <source>Resume it there, or allow a different machine (--allow-different-machine): the result may then differ in its last bits</source>
        <translation>元の環境で再開するか、別のマシンを許可してください（--allow-different-machine）。その場合、結果の末尾のビットが異なることがあります</translation>
    </message>
    <message>
        <source>Resume one with meshreel run --resume</source>
        <translation>meshreel run --resumeでどれかを再開してください</translation>
    </message>
    <message>
        <source>Frames of that clip, up to this one, that the new clip begins with: a multiple of 4, plus 1. 0 takes what suits the task, as far as 4 frames are new: 1 for image to video, tracks and keyframes; 5 for VACE; 13 for text, subjects and video to video; as many as segments share for an animation.</source>
        <translation>新しいクリップの先頭となる、そのクリップのこのフレームまでのフレーム数。4 の倍数に 1 を加えた数。0 は、4 フレーム以上が新しくなる範囲でタスクに合う数：画像から動画・軌跡・キーフレームは 1、VACE は 5、テキスト・被写体・動画から動画は 13、アニメーションはセグメント間で共有する数。</translation>
    </message>
    <message>
        <source>Put it at frame {} or later, or remove it</source>
        <translation>フレーム {} 以降に置くか、取り除いてください</translation>
    </message>
    <message>
        <source>an animation goes on from {} frames of the clip before at most, and {} are asked for</source>
        <translation>アニメーションが前のクリップから引き継げるのは最大 {} フレームですが、{} が指定されています</translation>
    </message>
    <message>
        <source>Take fewer</source>
        <translation>減らしてください</translation>
    </message>
    <message>
        <source>NVIDIA&apos;s driver cannot be loaded ({})</source>
        <translation>NVIDIA のドライバーを読み込めません（{}）</translation>
    </message>
    <message>
        <source>Install the driver&apos;s library, in Debian the package libcuda1</source>
        <translation>ドライバーのライブラリをインストールしてください（Debian ではパッケージ libcuda1）</translation>
    </message>
    <message>
        <source>NVIDIA&apos;s driver has no function {}</source>
        <translation>NVIDIA のドライバーに関数 {} がありません</translation>
    </message>
    <message>
        <source>Install a newer driver</source>
        <translation>新しいドライバーをインストールしてください</translation>
    </message>
    <message>
        <source>NVIDIA&apos;s driver failed in {}: {}</source>
        <translation>NVIDIA のドライバーが {} で失敗しました: {}</translation>
    </message>
    <message>
        <source>NVIDIA&apos;s driver has {} cards, and card {} is asked for</source>
        <translation>NVIDIA のドライバーにはカードが {} 枚あり、カード {} が求められています</translation>
    </message>
    <message>
        <source>NVIDIA&apos;s driver refuses the kernel {}: {}</source>
        <translation>NVIDIA のドライバーがカーネル {} を拒みました: {}</translation>
    </message>
    <message>
        <source>Update the GPU driver, or let Vulkan&apos;s shaders compute</source>
        <translation>GPU ドライバーを更新するか、Vulkan のシェーダーに計算させてください</translation>
    </message>
    <message>
        <source>These times are of another CPU: {}</source>
        <translation>これらの時間は別の CPU のものです: {}</translation>
    </message>
    <message>
        <source>No row of this measurement tells the seconds of its rounds</source>
        <translation>この測定のどの行にも各回の秒数がありません</translation>
    </message>
    <message>
        <source>it is no JSON object</source>
        <translation>JSON オブジェクトではありません</translation>
    </message>
    <message>
        <source>a later version of Meshreel wrote it</source>
        <translation>より新しい版の Meshreel が書いたものです</translation>
    </message>
    <message>
        <source>{} ms, spread {} %</source>
        <translation>{} ms、ばらつき {} %</translation>
    </message>
    <message>
        <source>{} s, spread {} %</source>
        <translation>{} 秒、ばらつき {} %</translation>
    </message>
    <message>
        <source>Faster: {} to {} % less time</source>
        <translation>速い: 時間が {}〜{} % 短い</translation>
    </message>
    <message>
        <source>Slower: {} to {} % more time</source>
        <translation>遅い: 時間が {}〜{} % 長い</translation>
    </message>
    <message>
        <source>Within the noise: repeat {} times</source>
        <translation>ばらつきの範囲内: {} 回繰り返してください</translation>
    </message>
    <message>
        <source>Within the noise: {} repeats would hardly tell</source>
        <translation>ばらつきの範囲内: {} 回繰り返しても差はほとんど分かりません</translation>
    </message>
    <message>
        <source>Too few times to tell: repeat {} times</source>
        <translation>判断には回数が足りません: {} 回繰り返してください</translation>
    </message>
    <message>
        <source>No verdict: the ranges overlap</source>
        <translation>判定なし: 範囲が重なっています</translation>
    </message>
    <message>
        <source>Measure on this machine first</source>
        <translation>先にこのマシンで測ってください</translation>
    </message>
    <message>
        <source>Measure with this version first</source>
        <translation>先にこのバージョンで測ってください</translation>
    </message>
    <message>
        <source>The notes cannot be removed ({})</source>
        <translation>メモを削除できません ({})</translation>
    </message>
    <message>
        <source>an event ends before it begins</source>
        <translation>始まる前に終わるイベントがあります</translation>
    </message>
    <message>
        <source>{} videos could not be copied. The first of them: {}</source>
        <translation>{} 本の動画をコピーできませんでした。最初の 1 本: {}</translation>
    </message>
    <message>
        <source>More than {} spans of one device or thread overlap in this trace: no run writes such a one</source>
        <translation>このトレースでは 1 つのデバイスまたはスレッドの区間が {} 個を超えて重なっています。実行がこのようなトレースを書くことはありません</translation>
    </message>
    <message>
        <source>the model&apos;s own</source>
        <translation>モデルのもの</translation>
    </message>
    <message>
        <source>a linear map</source>
        <translation>線形変換</translation>
    </message>
    <message>
        <source>automatic</source>
        <translation>自動</translation>
    </message>
    <message>
        <source>random</source>
        <translation>ランダム</translation>
    </message>
    <message>
        <source>as spaced</source>
        <translation>間隔どおり</translation>
    </message>
    <message>
        <source>as published</source>
        <translation>公開値</translation>
    </message>
    <message>
        <source>all at once</source>
        <translation>すべて同時</translation>
    </message>
    <message>
        <source>this machine</source>
        <translation>このマシン</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>制限なし</translation>
    </message>
    <message>
        <source>all</source>
        <translation>すべて</translation>
    </message>
    <message>
        <source>all in memory</source>
        <translation>すべてメモリ内</translation>
    </message>
    <message>
        <source>the file&apos;s name</source>
        <translation>ファイル名</translation>
    </message>
    <message>
        <source>How often each setting is preferred, by votes, against its seconds of inference</source>
        <translation>投票による各設定の好まれる割合と推論の秒数</translation>
    </message>
    <message>
        <source>Flicker</source>
        <translation>ちらつき</translation>
    </message>
    <message>
        <source>How far a pixel&apos;s brightness is from the mean of the frames before and after it, in levels of 255: the median over the picture. What moves does not count while it covers less than half of it.</source>
        <translation>画素の明るさが前後のフレームの平均からどれだけ離れているか（255 段階、画面全体の中央値）。動くものは画面の半分未満なら数えません。</translation>
    </message>
    <message>
        <source>Sharpness</source>
        <translation>鮮鋭度</translation>
    </message>
    <message>
        <source>How much neighbouring pixels differ, in levels of 255: the standard deviation of the Laplacian of the brightness. More is sharper, but noise counts as detail, too; compare videos of one scene.</source>
        <translation>隣り合う画素の違いの大きさ（255 段階）: 明るさのラプラシアンの標準偏差。大きいほど鮮明ですが、ノイズも細部として数えます。同じ場面の動画どうしで比べてください。</translation>
    </message>
    <message>
        <source>PSNR in dB</source>
        <translation>PSNR (dB)</translation>
    </message>
    <message>
        <source>How near the pixels are to those of the baseline with the same scene and seed: 20 is another picture, 40 hardly to be told apart. Equal videos count as 100.</source>
        <translation>同じ場面・同じシードの基準と画素がどれだけ近いか: 20 は別の絵、40 はほとんど見分けられません。等しい動画は 100 とします。</translation>
    </message>
    <message>
        <source>SSIM</source>
        <translation>SSIM</translation>
    </message>
    <message>
        <source>How near the structure is to that of the baseline with the same scene and seed: 1 for equal videos. Near is not better: it says how much a setting changes.</source>
        <translation>同じ場面・同じシードの基準と構造がどれだけ近いか: 等しい動画は 1。近いほど良いのではなく、設定がどれだけ変えるかを示します。</translation>
    </message>
    <message>
        <source>there is no shot {}</source>
        <translation>ショット {} はありません</translation>
    </message>
    <message>
        <source>Name one of the shots</source>
        <translation>ショットの一つを指定してください</translation>
    </message>
    <message>
        <source>a film has at least one shot</source>
        <translation>フィルムには少なくとも一つのショットが必要です</translation>
    </message>
    <message>
        <source>Add another shot first</source>
        <translation>先に別のショットを追加してください</translation>
    </message>
    <message>
        <source>{} refuses the kernel {}: {}</source>
        <translation>{} はカーネル {} を拒否しました: {}</translation>
    </message>
    <message>
        <source>Update the GPU driver; Vulkan&apos;s shaders compute meanwhile</source>
        <translation>GPU ドライバーを更新してください。それまでは Vulkan のシェーダーが計算します</translation>
    </message>
    <message>
        <source>the GPU driver has no function {}</source>
        <translation>GPU ドライバーに関数 {} がありません</translation>
    </message>
    <message>
        <source>its compute capability is {}.{}, and {}.0 is needed</source>
        <translation>compute capability は {}.{} で、{}.0 が必要です</translation>
    </message>
    <message>
        <source>Vulkan&apos;s error {}, although libcuda.so.1 takes its text</source>
        <translation>Vulkan のエラー {}。libcuda.so.1 はこのテキストを受け付けます</translation>
    </message>
    <message>
        <source>its first use did not end within {} s</source>
        <translation>最初の使用が {} 秒以内に終わりませんでした</translation>
    </message>
    <message>
        <source>its first use crashed (signal {})</source>
        <translation>最初の使用がクラッシュしました (シグナル {})</translation>
    </message>
    <message>
        <source>its first use crashed (signal {}): {}</source>
        <translation>最初の使用がクラッシュしました (シグナル {}): {}</translation>
    </message>
    <message>
        <source>it ended the program that tried it (exit code {})</source>
        <translation>試したプログラムを終了させました (終了コード {})</translation>
    </message>
    <message>
        <source>no kernel is called {}</source>
        <translation>{} という名前のカーネルはありません</translation>
    </message>
    <message>
        <source>{} {} is faster: {:.3g} against {:.3g} TFLOP/s</source>
        <translation>{} {} のほうが速い: {:.3g} に対して {:.3g} TFLOP/s</translation>
    </message>
    <message>
        <source>{} does not compute the kernel &quot;{}&quot; in the form {}; another form does: {}</source>
        <translation>{} はカーネル「{}」を形式 {} で計算しません。別の形式が計算します: {}</translation>
    </message>
    <message>
        <source>fits, streamed</source>
        <translation>収まる (ディスクから)</translation>
    </message>
    <message>
        <source>needs {}</source>
        <translation>{} が必要</translation>
    </message>
    <message>
        <source>disk too small</source>
        <translation>ディスク不足</translation>
    </message>
    <message>
        <source>Rating compares the videos of two runs or more</source>
        <translation>評価では 2 件以上の実行の動画を比べます</translation>
    </message>
    <message>
        <source>Choose further finished runs</source>
        <translation>完了した実行をさらに選んでください</translation>
    </message>
    <message>
        <source>These runs differ in no setting that changes their pictures, except the seed</source>
        <translation>これらの実行は、シード以外に画像を変える設定が同じです</translation>
    </message>
    <message>
        <source>Choose runs of other settings, such as steps, scheduler or model</source>
        <translation>ステップ数、スケジューラ、モデルなどの設定が異なる実行を選んでください</translation>
    </message>
    <message>
        <source>These runs have {} settings, and {} can be rated at once</source>
        <translation>これらの実行には {} 通りの設定があり、一度に評価できるのは {} 通りです</translation>
    </message>
    <message>
        <source>Choose fewer runs</source>
        <translation>実行を減らしてください</translation>
    </message>
    <message>
        <source>These settings are {} groups that nobody has compared with one another: shares and places count within a group</source>
        <translation>これらの設定は互いに比べられていない {} 個のグループです: 割合と順位はグループ内のものです</translation>
    </message>
    <message>
        <source>The votes cannot be read: {}</source>
        <translation>投票を読めません: {}</translation>
    </message>
    <message>
        <source>it has no version</source>
        <translation>バージョンがありません</translation>
    </message>
    <message>
        <source>&quot;votes&quot; is no list</source>
        <translation>&quot;votes&quot; がリストではありません</translation>
    </message>
    <message>
        <source>no side is called &quot;{}&quot;</source>
        <translation>&quot;{}&quot; という側はありません</translation>
    </message>
    <message>
        <source>Another program is writing votes, and does not end</source>
        <translation>別のプログラムが投票を書き込んでいて終わりません</translation>
    </message>
    <message>
        <source>Vote again when it is done</source>
        <translation>終わってからもう一度投票してください</translation>
    </message>
    <message>
        <source>This run has no video</source>
        <translation>この実行には動画がありません</translation>
    </message>
    <message>
        <source>Resume it, or choose another one</source>
        <translation>再開するか、別の実行を選んでください</translation>
    </message>
    <message>
        <source>Nobody has voted on the videos of these runs</source>
        <translation>これらの実行の動画にはまだ投票がありません</translation>
    </message>
    <message>
        <source>Compare them in pairs with Rate, in the Studio</source>
        <translation>Studio の「評価」で 2 本ずつ比べてください</translation>
    </message>
    <message>
        <source>None of these runs is finished: their seconds are not known</source>
        <translation>完了した実行がないため、秒数が分かりません</translation>
    </message>
    <message>
        <source>Resume the runs</source>
        <translation>実行を再開してください</translation>
    </message>
    <message>
        <source>Install the program again, or put it into PATH</source>
        <translation>プログラムを再インストールするか、PATH に追加してください</translation>
    </message>
    <message>
        <source>its first use was ended from outside (signal {})</source>
        <translation>最初の使用が外部から終了されました (シグナル {})</translation>
    </message>
    <message>
        <source>the rest</source>
        <translation>残り</translation>
    </message>
    <message>
        <source>A video that begins with `image`, of which points are carried along `tracks`.</source>
        <translation>`image`から始まり、その点が`tracks`に沿って運ばれる動画を作ります。</translation>
    </message>
    <message>
        <source>`video` changed as the prompt says, or a video of what `reference_images` show, or both in one.</source>
        <translation>`video`をプロンプトのとおりに変えた動画、`reference_images`に写るものの動画、またはその両方を1本で作ります。</translation>
    </message>
    <message>
        <source>A video that moves as the control `video` does (depth, edges, poses), and may begin with `image` and show what `reference_images` does.</source>
        <translation>制御動画`video`（深度、輪郭、ポーズ）のとおりに動く動画です。`image`から始め、`reference_images`に写っているものを見せることもできます。</translation>
    </message>
    <message>
        <source>Video, picture or drawing that is white where VACE makes something new, or Animate puts the character, and black where the video stays; VACE makes all new without it.</source>
        <translation>VACEが新しく作る部分、またはAnimateがキャラクターを置く部分が白、元の動画を残す部分が黒の動画、画像または描画です。VACEでは、指定しないとすべて新しく作ります。</translation>
    </message>
    <message>
        <source>Picture files, separated by commas, of what VACE, Phantom, Bernini-R or Fun Control should show; Phantom takes one to four, each of one subject, and Fun Control one.</source>
        <translation>VACE、Phantom、Bernini-R、Fun Control が示すものの画像ファイル（コンマ区切り）。Phantom は 1～4 枚（それぞれ被写体 1 つ）、Fun Control は 1 枚。</translation>
    </message>
    <message>
        <source>Size of references</source>
        <translation>参照画像のサイズ</translation>
    </message>
    <message>
        <source>Bernini-R sees reference_images in their own shape: larger ones are shrunk until their longer side is this long. Fewer pixels are fewer tokens in each step.</source>
        <translation>Bernini-Rはreference_imagesをそれぞれの縦横比のまま見ます。大きい画像は、長辺がこの長さになるまで縮小します。画素が少ないほど、各ステップのトークンも少なくなります。</translation>
    </message>
    <message>
        <source>File of the tracks along which ATI and Wan-Move move points of image: a drawing of the Studio; JSON, a list of tracks, each a list of {&quot;x&quot;: 416, &quot;y&quot;: 240} in pixels of the video, as ComfyUI&apos;s spline editors write it; or NumPy&apos;s .npy of [points, tracks, 2]. For ATI 121 points span the video, for Wan-Move each point is a frame&apos;s; a track of fewer ends earlier.</source>
        <translation>ATI と Wan-Move が image の点を動かす軌跡のファイル：Studio の図、ComfyUI のスプラインエディターが書く JSON（軌跡のリスト。各軌跡は動画のピクセルで表した {&quot;x&quot;: 416, &quot;y&quot;: 240} のリスト）、または [点, 軌跡, 2] の NumPy の .npy。ATI では 121 点が動画全体にわたり、Wan-Move では各点が 1 フレームにあたります。点が少ない軌跡は早く終わります。</translation>
    </message>
    <message>
        <source>Track visibility</source>
        <translation>トラックの可視性</translation>
    </message>
    <message>
        <source>NumPy&apos;s .npy of [points, tracks]: 1 where the points of tracks are in sight, else 0; without it all are.</source>
        <translation>NumPyの.npyで、形は[点, トラック]です。tracksの点が見えるところは1、見えないところは0です。指定しなければすべて見えるものとします。</translation>
    </message>
    <message>
        <source>Wildcard files</source>
        <translation>ワイルドカード</translation>
    </message>
    <message>
        <source>Folder with text files for prompts: __colour__ stands for a line of colour.txt, which the seed draws. What it does not hold is looked up in the user&apos;s own folder of wildcards.</source>
        <translation>プロンプト用のテキストファイルのフォルダー。__colour__ は colour.txt の 1 行を表し、シードが選びます。ここにないものは、ユーザー自身のワイルドカードフォルダーから探します。</translation>
    </message>
    <message>
        <source>Guidance by the video</source>
        <translation>動画でガイダンス</translation>
    </message>
    <message>
        <source>How strongly Bernini-R follows video where reference_images are given, too (its own program: 1.25). 1 turns this off and saves one of a step&apos;s four passes.</source>
        <translation>reference_imagesも指定したとき、Bernini-Rがvideoに従う強さです（公式プログラムでは1.25）。1では無効になり、1ステップに4回の計算が1回減ります。</translation>
    </message>
    <message>
        <source>When the devices outnumber the heads, or keys and values of the whole sequence do not fit.</source>
        <translation>デバイスがヘッドより多い場合や、シーケンス全体のキーとバリューが収まらない場合に。</translation>
    </message>
    <message>
        <source>From three devices on: the least traffic; equal work where the devices divide the heads.</source>
        <translation>3台以上で通信量が最小です。ヘッド数がデバイス数で割り切れれば、仕事は均等になります。</translation>
    </message>
    <message>
        <source>The tensor axis must leave a device at least as many heads as the context axis has devices.</source>
        <translation>テンソル軸で1台に割り当てられるヘッドは、コンテキスト軸のデバイス数以上でなければなりません。</translation>
    </message>
    <message>
        <source>The tensor axis must leave a device at least as many heads as the context axis has devices; heads_per_tile must be 1.</source>
        <translation>テンソル軸で1台に割り当てられるヘッドは、コンテキスト軸のデバイス数以上でなければなりません。heads_per_tileは1でなければなりません。</translation>
    </message>
    <message>
        <source>ulysses_shards must divide the context axis and be at most the heads that the tensor axis leaves to a device.</source>
        <translation>ulysses_shardsは、コンテキスト軸の約数で、テンソル軸で1台に割り当てられるヘッド数以下でなければなりません。</translation>
    </message>
    <message>
        <source>ulysses_shards must divide the context axis and be at most the heads that the tensor axis leaves to a device; heads_per_tile must be 1.</source>
        <translation>ulysses_shardsは、コンテキスト軸の約数で、テンソル軸で1台に割り当てられるヘッド数以下でなければなりません。heads_per_tileは1でなければなりません。</translation>
    </message>
    <message>
        <source>Wan 2.1 Bernini-R, editing</source>
        <translation>Wan 2.1 Bernini-R、編集</translation>
    </message>
    <message>
        <source>Wan 2.1 Wan-Move, image to video along tracks</source>
        <translation>Wan 2.1 Wan-Move、トラックに沿って画像から動画</translation>
    </message>
    <message>
        <source>Wan 2.1 Fun Control</source>
        <translation>Wan 2.1 Fun Control</translation>
    </message>
    <message>
        <source>Wan 2.2 Bernini-R, editing, two experts</source>
        <translation>Wan 2.2 Bernini-R、編集、2つのエキスパート</translation>
    </message>
    <message>
        <source>Wan 2.2 Fun Control, two experts</source>
        <translation>Wan 2.2 Fun Control、2つのエキスパート</translation>
    </message>
    <message>
        <source>Wan 2.2 Fun Control, 5B</source>
        <translation>Wan 2.2 Fun Control、5B</translation>
    </message>
    <message>
        <source>Image to video with Wan-Move</source>
        <translation>Wan-Moveで画像から動画</translation>
    </message>
    <message>
        <source>Editing with Bernini-R</source>
        <translation>Bernini-Rによる編集</translation>
    </message>
    <message>
        <source>Control video to video</source>
        <translation>制御動画から動画</translation>
    </message>
    <message>
        <source>Fun Control V1.1, control video to video</source>
        <translation>Fun Control V1.1、制御動画から動画</translation>
    </message>
    <message>
        <source>Fun Control, control video to video</source>
        <translation>Fun Control、制御動画から動画</translation>
    </message>
    <message>
        <source>Fun Control, control video to video, one of the two experts</source>
        <translation>Fun Control、制御動画から動画、2つのエキスパートの一方</translation>
    </message>
    <message>
        <source>this machine&apos;s own limits, which every other group measures too</source>
        <translation>このマシンの限界（ほかのグループもすべて測ります）</translation>
    </message>
    <message>
        <source>the linear layers of the 1.3B, 5B and 14B transformers</source>
        <translation>1.3B、5B、14B トランスフォーマーの線形層</translation>
    </message>
    <message>
        <source>layers of the 14B transformer in int8 against bf16</source>
        <translation>14B トランスフォーマーの層（int8 と bf16 の比較）</translation>
    </message>
    <message>
        <source>the linear layers against the product that OpenBLAS or oneDNN computes for them</source>
        <translation>線形層と、OpenBLAS や oneDNN が計算する積との比較</translation>
    </message>
    <message>
        <source>custom and flash attention, 12 heads of 128</source>
        <translation>custom と flash のアテンション（128 次元 12 ヘッド）</translation>
    </message>
    <message>
        <source>norms, rotary embedding, activations</source>
        <translation>正規化、回転埋め込み、活性化</translation>
    </message>
    <message>
        <source>one forward pass of a transformer of random weights</source>
        <translation>ランダムな重みのトランスフォーマーの順伝播 1 回</translation>
    </message>
    <message>
        <source>decoding with the Wan 2.1 VAE</source>
        <translation>Wan 2.1 の VAE による復号</translation>
    </message>
    <message>
        <source>encoding with four layers of UMT5-XXL</source>
        <translation>UMT5-XXL の 4 層による符号化</translation>
    </message>
    <message>
        <source>the transformer on meshes of devices</source>
        <translation>デバイスのメッシュ上のトランスフォーマー</translation>
    </message>
    <message>
        <source>the transformer on 1, 2, 4, 8 and 16 workers, and as 2 and 16 devices</source>
        <translation>1、2、4、8、16 ワーカー、および 2、16 デバイスのトランスフォーマー</translation>
    </message>
    <message>
        <source>writing 10,000 steps of 128 devices into a run folder</source>
        <translation>128 デバイスの 10,000 ステップを実行フォルダーに書く</translation>
    </message>
    <message>
        <source>everything that a video is made of on the CPU, which takes minutes</source>
        <translation>CPU で動画を作る計算のすべて（数分かかります）</translation>
    </message>
    <message>
        <source>a GPU: its peaks, linear layers, attention, the 1.3B transformer</source>
        <translation>GPU：最大性能、線形層、アテンション、1.3B トランスフォーマー</translation>
    </message>
    <message>
        <source>trigger words: {}</source>
        <translation>トリガーワード: {}</translation>
    </message>
    <message>
        <source>most frequent in its captions: {}</source>
        <translation>学習キャプションに多い語: {}</translation>
    </message>
    <message>
        <source>one of the two experts of Wan 2.2 Fun Control, without the other</source>
        <translation>Wan 2.2 Fun Controlの2つのエキスパートの一方だけ</translation>
    </message>
    <message>
        <source>a model that takes a reference picture (ref_conv) and no control video</source>
        <translation>参照画像（ref_conv）を使い、制御動画を使わないモデル</translation>
    </message>
    <message>
        <source>the transformer takes a reference of {} channels (in_dim_ref_conv), and the VAE has {} (z_dim)</source>
        <translation>トランスフォーマーの参照は{}チャンネル（in_dim_ref_conv）ですが、VAEは{}チャンネル（z_dim）です</translation>
    </message>
    <message>
        <source>Use transformer and VAE of the same model</source>
        <translation>同じモデルの transformer と VAE を使ってください</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is no address of http or https</source>
        <translation>「{}」は http または https のアドレスではありません</translation>
    </message>
    <message>
        <source>Write one such as {}</source>
        <translation>{} のように書いてください</translation>
    </message>
    <message>
        <source>the address has more than a path</source>
        <translation>アドレスにパス以外のものが含まれています</translation>
    </message>
    <message>
        <source>Write it without &quot;?&quot; and &quot;#&quot;</source>
        <translation>「?」と「#」を除いて書いてください</translation>
    </message>
    <message>
        <source>the address has a name or password in it</source>
        <translation>アドレスに名前またはパスワードが含まれています</translation>
    </message>
    <message>
        <source>Write the address alone, and what the server asks for as its key</source>
        <translation>アドレスだけを書き、サーバーが求めるものはキーに書いてください</translation>
    </message>
    <message>
        <source>the key would go over http, where others can read it</source>
        <translation>キーが http で送られ、他者に読まれるおそれがあります</translation>
    </message>
    <message>
        <source>Write an address of https, or leave the key out</source>
        <translation>https のアドレスにするか、キーを空にしてください</translation>
    </message>
    <message>
        <source>nobody answers at {} ({})</source>
        <translation>{} から応答がありません（{}）</translation>
    </message>
    <message>
        <source>Start the server (ollama serve, llama-server), or correct its address</source>
        <translation>サーバー（ollama serve、llama-server）を起動するか、アドレスを直してください</translation>
    </message>
    <message>
        <source>{} gave no whole answer within {} seconds ({})</source>
        <translation>{} は {} 秒以内に完全な応答を返しませんでした（{}）</translation>
    </message>
    <message>
        <source>Ask again once it has loaded its model, or choose a smaller one</source>
        <translation>モデルの読み込み後にもう一度試すか、小さいモデルを選んでください</translation>
    </message>
    <message>
        <source>{} cannot be asked ({})</source>
        <translation>{} に問い合わせできません（{}）</translation>
    </message>
    <message>
        <source>Correct its address, or the proxy in https_proxy</source>
        <translation>アドレス、または https_proxy のプロキシを直してください</translation>
    </message>
    <message>
        <source>{} leads elsewhere (HTTP {})</source>
        <translation>{} は別の場所へ転送します（HTTP {}）</translation>
    </message>
    <message>
        <source>Write the address that it leads to</source>
        <translation>転送先のアドレスを書いてください</translation>
    </message>
    <message>
        <source>{} refuses the key (HTTP {})</source>
        <translation>{} がキーを拒否しました（HTTP {}）</translation>
    </message>
    <message>
        <source>Write the key that it asks for</source>
        <translation>求められるキーを書いてください</translation>
    </message>
    <message>
        <source>Write another key</source>
        <translation>別のキーを書いてください</translation>
    </message>
    <message>
        <source>{} has no such model or address (HTTP 404): {}</source>
        <translation>{} にそのモデルまたはアドレスはありません（HTTP 404）: {}</translation>
    </message>
    <message>
        <source>Correct the model&apos;s name, or the address</source>
        <translation>モデル名かアドレスを直してください</translation>
    </message>
    <message>
        <source>{} does not rewrite the prompt (HTTP {}): {}</source>
        <translation>{} はプロンプトを書き換えませんでした（HTTP {}）: {}</translation>
    </message>
    <message>
        <source>Ask again later, or look into the server&apos;s log</source>
        <translation>後でもう一度試すか、サーバーのログを見てください</translation>
    </message>
    <message>
        <source>Correct model and address, or look into the server&apos;s log</source>
        <translation>モデルとアドレスを直すか、サーバーのログを見てください</translation>
    </message>
    <message>
        <source>the answer of {} holds no prompt ({})</source>
        <translation>{} の応答にプロンプトがありません（{}）</translation>
    </message>
    <message>
        <source>Check that its address is one of OpenAI&apos;s chat completions</source>
        <translation>アドレスが OpenAI の chat completions のものか確かめてください</translation>
    </message>
    <message>
        <source>it has no choices</source>
        <translation>choices がありません</translation>
    </message>
    <message>
        <source>its message is no text</source>
        <translation>message がテキストではありません</translation>
    </message>
    <message>
        <source>the file is a link, or another user&apos;s</source>
        <translation>ファイルがリンクであるか、別のユーザーのものです</translation>
    </message>
    <message>
        <source>Remove it, and set the prompt helper again</source>
        <translation>削除して、プロンプト支援を設定し直してください</translation>
    </message>
    <message>
        <source>the settings cannot be kept ({})</source>
        <translation>設定を保存できません（{}）</translation>
    </message>
    <message>
        <source>Set XDG_CONFIG_HOME to a folder that you may write to</source>
        <translation>XDG_CONFIG_HOME を書き込めるフォルダーにしてください</translation>
    </message>
    <message>
        <source>the answer of {} has no end</source>
        <translation>{} の応答が終わりません</translation>
    </message>
    <message>
        <source>the answer of {} is longer than {} bytes</source>
        <translation>{} の応答が {} バイトを超えています</translation>
    </message>
    <message>
        <source>Ask again, or choose another model</source>
        <translation>もう一度試すか、別のモデルを選んでください</translation>
    </message>
    <message>
        <source>the answer of {} is empty, or ends while it thinks</source>
        <translation>{} の応答が空か、思考の途中で終わっています</translation>
    </message>
    <message>
        <source>{} ({}) sees all of video at once, and context windows see parts of what is made of it</source>
        <translation>{}（{}）はvideo全体を一度に見ますが、コンテキスト窓は作られるものの一部だけを見ます</translation>
    </message>
    <message>
        <source>Write 0, and edit the clip in parts</source>
        <translation>0 と書き、クリップを分けて編集してください</translation>
    </message>
    <message>
        <source>{} ({}) gives every context window its own part of the control video, which the first frame&apos;s would take the place of</source>
        <translation>{} ({}) はコンテキストウィンドウごとに制御動画のそれぞれの部分を渡しますが、最初のフレームの部分がそれに置き換わってしまいます</translation>
    </message>
    <message>
        <source>this model takes no reference picture (its transformer has no ref_conv)</source>
        <translation>このモデルは参照画像を使えません（トランスフォーマーにref_convがありません）</translation>
    </message>
    <message>
        <source>Remove the line, or use Fun Control V1.1 or 2.2</source>
        <translation>この行を削除するか、Fun Control V1.1または2.2を使ってください</translation>
    </message>
    <message>
        <source>{} names {} pictures, and {} ({}) takes one</source>
        <translation>{}に画像が{}枚指定されていますが、{} ({}) で使えるのは1枚です</translation>
    </message>
    <message>
        <source>with image {} ({}) makes {} frames at least</source>
        <translation>imageを指定すると、{} ({}) は少なくとも {} フレームを作ります</translation>
    </message>
    <message>
        <source>{} is for {}, and {} ({}) has none of them</source>
        <translation>{}は{}用ですが、{}（{}）にはそれがありません</translation>
    </message>
    <message>
        <source>Remove the line, or use such a model with its inputs</source>
        <translation>この行を削除するか、そのモデルを入力と一緒に使ってください</translation>
    </message>
    <message>
        <source>reference_images of Phantom and Bernini-R</source>
        <translation>PhantomとBernini-Rのreference_images</translation>
    </message>
    <message>
        <source>a video with reference_images of Bernini-R</source>
        <translation>Bernini-Rのvideoとreference_images</translation>
    </message>
    <message>
        <source>reference_images of Bernini-R</source>
        <translation>Bernini-Rのreference_images</translation>
    </message>
    <message>
        <source>{} names {} pictures, and {} takes {} at most</source>
        <translation>{}に画像が{}枚指定されていますが、{}で使えるのは{}枚までです</translation>
    </message>
    <message>
        <source>the {} makes up the negative prompt&apos;s prediction, and guidance by pictures needs others beside it</source>
        <translation>{}はネガティブプロンプトの予測を補うものですが、画像によるガイダンスにはほかの予測も必要です</translation>
    </message>
    <message>
        <source>the {} decides by the prompt&apos;s pass, and with tracks guidance makes another one behind it</source>
        <translation>{}はプロンプトのパスで判断しますが、トラックがあるとガイダンスはその後にもう1パス行います</translation>
    </message>
    <message>
        <source>Write false, or guidance_scale: 1</source>
        <translation>false、またはguidance_scale: 1と書いてください</translation>
    </message>
    <message>
        <source>{} ({}) needs video, reference_images or both</source>
        <translation>{}（{}）にはvideoかreference_images、またはその両方が必要です</translation>
    </message>
    <message>
        <source>Name a file: {}: PATH, or write t2v for a video from the prompt alone</source>
        <translation>ファイルを指定する（{}: PATH）か、プロンプトだけの動画にはt2vと書いてください</translation>
    </message>
    <message>
        <source>{} heads are fewer than the {} devices of the context axis</source>
        <translation>{}ヘッドは、コンテキスト軸の{}台のデバイスより少なくなっています</translation>
    </message>
    <message>
        <source>{} does not exchange {} heads between {} devices</source>
        <translation>{}は、{}個のヘッドを{}台のデバイスの間で交換しません</translation>
    </message>
    <message>
        <source>Heads are uneven: of {} heads over {} devices one has {}</source>
        <translation>ヘッドが均等ではありません。{}個のヘッドを{}台で分け、1台が{}個を持ちます</translation>
    </message>
    <message>
        <source>The heads are uneven: {} over {} devices, of which one has {}, so attention reaches {:.0f} % of the speed of an even split</source>
        <translation>ヘッドが均等ではありません。{}個を{}台で分け、1台が{}個を持つため、アテンションの速度は均等な分割の{:.0f} %になります</translation>
    </message>
    <message>
        <source>it is no card of NVIDIA</source>
        <translation>NVIDIAのカードではありません</translation>
    </message>
    <message>
        <source>{} does not know the card</source>
        <translation>{}はこのカードを認識しません</translation>
    </message>
    <message>
        <source>the device does not open with {}: {}</source>
        <translation>デバイスは{}では開きません: {}</translation>
    </message>
    <message>
        <source>what GPUs exchange goes through a buffer of each and the host&apos;s memory</source>
        <translation>GPU間のやり取りは、各GPUのバッファーとホストのメモリを経由します</translation>
    </message>
    <message>
        <source>keys go from GPU to GPU through memory of the host that all of them copy from and to</source>
        <translation>キーは、すべてのGPUが読み書きするホストのメモリを通ってGPUからGPUへ渡ります</translation>
    </message>
    <message>
        <source>keys go from GPU to GPU by NVIDIA&apos;s driver</source>
        <translation>キーはNVIDIAのドライバーによってGPUからGPUへ渡ります</translation>
    </message>
    <message>
        <source>a process ended while it measured it; tuning asks again</source>
        <translation>計測中にプロセスが終了しました。次の調整で再度確認します</translation>
    </message>
    <message>
        <source>{}; by {}: {}</source>
        <translation>{}。{}による方法: {}</translation>
    </message>
    <message>
        <source>its driver gives no descriptors of memory and semaphores</source>
        <translation>ドライバーがメモリとセマフォの記述子を提供しません</translation>
    </message>
    <message>
        <source>there is no real GPU to measure</source>
        <translation>測定できる実際の GPU がありません</translation>
    </message>
    <message>
        <source>meshreel devices lists in a terminal those that there are; --gpus 0 measures the first, even if it is a driver in software</source>
        <translation>meshreel devices で一覧を表示します。--gpus 0 はソフトウェアドライバーでも最初のものを測定します</translation>
    </message>
    <message>
        <source>there is no row &apos;{}&apos; in this group</source>
        <translation>このグループに行「{}」はありません</translation>
    </message>
    <message>
        <source>Measure the whole group once: it prints the names of its rows</source>
        <translation>一度グループ全体を測ってください。行の名前が表示されます</translation>
    </message>
    <message>
        <source>Mend the file, or draw it again in the Studio</source>
        <translation>ファイルを直すか、Studio で描き直してください</translation>
    </message>
    <message>
        <source>{} has no names and values</source>
        <translation>{} に名前と値がありません</translation>
    </message>
    <message>
        <source>{}: &quot;{}&quot; is no number from {} to {}</source>
        <translation>{}：「{}」は {} から {} までの数ではありません</translation>
    </message>
    <message>
        <source>{}: &quot;{}&quot; is no whole number</source>
        <translation>{}：「{}」は整数ではありません</translation>
    </message>
    <message>
        <source>{}: &quot;{}&quot; is neither true nor false</source>
        <translation>{}：「{}」は true でも false でもありません</translation>
    </message>
    <message>
        <source>{}: &quot;{}&quot; is none of {}</source>
        <translation>{}：「{}」は {} のいずれでもありません</translation>
    </message>
    <message>
        <source>{}: &quot;{}&quot; is no list of {} to {}</source>
        <translation>{}：「{}」は {} 個から {} 個のリストではありません</translation>
    </message>
    <message>
        <source>{}: point {} is no place of two numbers, [x, y]</source>
        <translation>{}：点 {} が二つの数 [x, y] の位置ではありません</translation>
    </message>
    <message>
        <source>{}: drawings have no &quot;{:.80}&quot;</source>
        <translation>{}：描画に「{:.80}」はありません</translation>
    </message>
    <message>
        <source>{}: &quot;{}&quot; is missing</source>
        <translation>{}：「{}」がありません</translation>
    </message>
    <message>
        <source>{}: its frame is not behind the one before</source>
        <translation>{}：フレームが前のものより後ではありません</translation>
    </message>
    <message>
        <source>shape {}</source>
        <translation>図形 {}</translation>
    </message>
    <message>
        <source>shape {}, keyframe {}</source>
        <translation>図形 {}、キーフレーム {}</translation>
    </message>
    <message>
        <source>track {}</source>
        <translation>トラック {}</translation>
    </message>
    <message>
        <source>track {}, keyframe {}</source>
        <translation>トラック {}、キーフレーム {}</translation>
    </message>
    <message>
        <source>this drawing is of {}, and one of {} is wanted</source>
        <translation>この描画は {} のもので、{} のものが必要です</translation>
    </message>
    <message>
        <source>Name it at {}, or draw another one here</source>
        <translation>{} に指定するか、ここで別のものを描いてください</translation>
    </message>
    <message>
        <source>the drawing</source>
        <translation>描画</translation>
    </message>
    <message>
        <source>nothing is drawn in it</source>
        <translation>何も描かれていません</translation>
    </message>
    <message>
        <source>Draw a shape in the Studio, or choose another file</source>
        <translation>Studio で図形を描くか、別のファイルを選んでください</translation>
    </message>
    <message>
        <source>the shapes of this drawing have too many points for a picture of {} x {}</source>
        <translation>この描画の図形は、{} x {} の画像には点が多すぎます</translation>
    </message>
    <message>
        <source>Draw fewer or shorter strokes</source>
        <translation>ストロークを減らすか短くしてください</translation>
    </message>
    <message>
        <source>the file cannot be read</source>
        <translation>ファイルを読み込めません</translation>
    </message>
    <message>
        <source>the picture is no PNG</source>
        <translation>画像が PNG ではありません</translation>
    </message>
    <message>
        <source>Use Fun Control with a control video, or ATI or Wan-Move with tracks</source>
        <translation>制御動画を使うFun Control、またはトラックを使うATIかWan-Moveを使ってください</translation>
    </message>
    <message>
        <source>Use Wan 2.2 Animate with pose_video and face_video</source>
        <translation>pose_videoとface_videoを指定してWan 2.2 Animateを使ってください</translation>
    </message>
    <message>
        <source>Use Phantom or VACE with reference_images</source>
        <translation>reference_imagesを指定してPhantomかVACEを使ってください</translation>
    </message>
    <message>
        <source>Use VACE with video and mask</source>
        <translation>videoとmaskを指定してVACEを使ってください</translation>
    </message>
    <message>
        <source>LingBot-World or Matrix-Game 3</source>
        <translation>LingBot-WorldまたはMatrix-Game 3</translation>
    </message>
    <message>
        <source>{} of Fun Control, A14B</source>
        <translation>Fun Control、A14B、{}</translation>
    </message>
    <message>
        <source>Fun Control, of no released size</source>
        <translation>Fun Control、未公開のサイズ</translation>
    </message>
    <message>
        <source>Wan-Move was trained with tracks of points (tracks); without them the video is made from the image and the prompt alone</source>
        <translation>Wan-Moveは点のトラック（tracks）とともに学習されました。ない場合、動画は画像とプロンプトだけから作られます</translation>
    </message>
    <message>
        <source>Bernini-R was trained with a video to edit (video) and pictures to show (reference_images); without them the video is made from the prompt alone</source>
        <translation>Bernini-Rは編集する動画（video）と映す画像（reference_images）を使って学習されています。どちらもなければ、動画はプロンプトだけから作られます</translation>
    </message>
    <message>
        <source>A reference picture is one frame, and patches have {}</source>
        <translation>参照画像は1フレームですが、パッチは{}フレームです</translation>
    </message>
    <message>
        <source>Seed {} draws: {}</source>
        <translation>シード {} が選ぶ語: {}</translation>
    </message>
    <message>
        <source>Each run draws by its own seed, for example: {}</source>
        <translation>実行ごとにそのシードで選びます。例: {}</translation>
    </message>
    <message>
        <source>Exchange heads between devices that divide them, use tokamax_ring, or plan for a program that shares heads out unevenly</source>
        <translation>ヘッド数を割り切れる台数の間で交換するか、tokamax_ringを使うか、ヘッドを不均等に分けられるプログラム向けに計画してください</translation>
    </message>
    <message>
        <source>ulysses_shards {} is more than the {}</source>
        <translation>ulysses_shards {}は、{}より多くなっています</translation>
    </message>
    <message>
        <source>{} with attention_sharding_uniform: false needs a head for each of the {} devices of the context axis, and there are {}</source>
        <translation>attention_sharding_uniform: falseの{}では、コンテキスト軸の{}台のデバイスそれぞれに1つ以上のヘッドが必要ですが、ここでは{}です</translation>
    </message>
    <message>
        <source>Use true, or a context axis of at most {}</source>
        <translation>trueにするか、コンテキスト軸を{}以下にしてください</translation>
    </message>
    <message>
        <source>{} needs a head for each of the {} devices of the context axis, and there are {}</source>
        <translation>{}では、コンテキスト軸の{}台のデバイスそれぞれに1つ以上のヘッドが必要ですが、ここでは{}です</translation>
    </message>
    <message>
        <source>Use {} with ulysses_shards: {}, a context axis of at most {}, or tokamax_ring, which takes any number of heads</source>
        <translation>ulysses_shards: {1} の{0}、{2}以下のコンテキスト軸、またはヘッド数を問わないtokamax_ringを使ってください</translation>
    </message>
    <message>
        <source>{}: {}: drawn for {} frames at {} a second, and taken by time for {} at {}</source>
        <translation>{}: {}: {} フレーム、毎秒 {} 枚用に描かれ、{} フレーム、毎秒 {} 枚に時刻どおり使われます</translation>
    </message>
    <message>
        <source>Keyframes keep their seconds. Open the drawing to move them, and save it for the new length</source>
        <translation>キーフレームは秒の位置を保ちます。動かすには描画を開き、新しい長さで保存してください</translation>
    </message>
    <message>
        <source>{}: {}: drawn on {} x {}, and scaled to {} x {}</source>
        <translation>{}：{}：{} x {} で描かれ、{} x {} に拡大・縮小されます</translation>
    </message>
    <message>
        <source>Open the drawing and save it to keep it in the new size</source>
        <translation>描画を開いて保存すると、新しい大きさで保たれます</translation>
    </message>
    <message>
        <source>{} is set, and {} is a drawing, whose tracks say themselves where they end</source>
        <translation>{} が設定されていますが、{} は描画で、そのトラックは自分で終わりを示します</translation>
    </message>
    <message>
        <source>Leave {} empty; in a drawing, &quot;leaves&quot; puts a point out of sight behind its last keyframe</source>
        <translation>{} を空にしてください。描画では「leaves」が最後のキーフレームの後で点を隠します</translation>
    </message>
    <message>
        <source>Write it with numpy.save, as float32 or bool</source>
        <translation>numpy.saveでfloat32またはboolとして書き出してください</translation>
    </message>
    <message>
        <source>this is not a whole array of NumPy</source>
        <translation>これは完全なNumPy配列ではありません</translation>
    </message>
    <message>
        <source>the array is of a type that is not read</source>
        <translation>配列の型は読み取れない型です</translation>
    </message>
    <message>
        <source>the array is in Fortran&apos;s order</source>
        <translation>配列はFortranの順序です</translation>
    </message>
    <message>
        <source>the array has no shape</source>
        <translation>配列に形がありません</translation>
    </message>
    <message>
        <source>This is no look</source>
        <translation>これはルックではありません</translation>
    </message>
    <message>
        <source>Begin with {}: {}</source>
        <translation>{}: {} で始めてください</translation>
    </message>
    <message>
        <source>A later version of Meshreel wrote this look</source>
        <translation>このルックは新しい版の Meshreel が書いたものです</translation>
    </message>
    <message>
        <source>Use it with that version</source>
        <translation>その版で使ってください</translation>
    </message>
    <message>
        <source>A look has no key {}</source>
        <translation>ルックにキー {} はありません</translation>
    </message>
    <message>
        <source>It has {}, {}, {} and {}</source>
        <translation>あるのは {}、{}、{}、{} です</translation>
    </message>
    <message>
        <source>The values of a look are no map of keys</source>
        <translation>ルックの値がキーの対応表ではありません</translation>
    </message>
    <message>
        <source>Write one key and its value on a line, indented below values</source>
        <translation>values の下に字下げして、1 行に 1 つのキーと値を書いてください</translation>
    </message>
    <message>
        <source>A look does not set {}</source>
        <translation>ルックは {} を設定しません</translation>
    </message>
    <message>
        <source>Remove it: a look says how videos look, not of what they are made</source>
        <translation>取り除いてください。ルックが表すのは見た目であり、素材ではありません</translation>
    </message>
    <message>
        <source>The prompt of a look is no style</source>
        <translation>ルックのプロンプトがスタイルではありません</translation>
    </message>
    <message>
        <source>Write {} where the prompt of the project goes</source>
        <translation>プロジェクトのプロンプトが入る場所に {} と書いてください</translation>
    </message>
    <message>
        <source>The style of a look repeats the prompt</source>
        <translation>ルックのスタイルがプロンプトを繰り返しています</translation>
    </message>
    <message>
        <source>Write {} at most {} times</source>
        <translation>{} は最大 {} 回まで書けます</translation>
    </message>
    <message>
        <source>A look names adapters by a path</source>
        <translation>ルックがアダプターをパスで指しています</translation>
    </message>
    <message>
        <source>Write the name that the file has in the folder &quot;loras&quot; of the models folder</source>
        <translation>モデルフォルダーの「loras」内のファイル名を書いてください</translation>
    </message>
    <message>
        <source>the picture holds no look</source>
        <translation>画像にルックが含まれていません</translation>
    </message>
    <message>
        <source>Choose a picture that was saved as a look: some programs and sites drop it</source>
        <translation>ルックとして保存された画像を選んでください。プログラムやサイトによっては失われます</translation>
    </message>
    <message>
        <source>{} names {}, lines of which would become words of the prompt</source>
        <translation>{} が指す {} の行がプロンプトの語になります</translation>
    </message>
    <message>
        <source>the four passes of guidance</source>
        <translation>ガイダンスの4回の計算</translation>
    </message>
    <message>
        <source>The table is not UTF-8</source>
        <translation>表が UTF-8 ではありません</translation>
    </message>
    <message>
        <source>Save it as CSV in UTF-8</source>
        <translation>UTF-8 の CSV として保存してください</translation>
    </message>
    <message>
        <source>Write a field for each column, those with commas or quotes in quotes</source>
        <translation>列ごとに 1 つの項目を書き、カンマや引用符を含むものは引用符で囲んでください</translation>
    </message>
    <message>
        <source>The table has no row below its keys</source>
        <translation>表のキーの下に行がありません</translation>
    </message>
    <message>
        <source>Write a run on each line below them</source>
        <translation>その下に 1 行に 1 つの実行を書いてください</translation>
    </message>
    <message>
        <source>The table has more than {} rows, the most that are run</source>
        <translation>表が実行できる上限の {} 行を超えています</translation>
    </message>
    <message>
        <source>Make several tables of it</source>
        <translation>複数の表に分けてください</translation>
    </message>
    <message>
        <source>Column {} names no key</source>
        <translation>列 {} にキーの名前がありません</translation>
    </message>
    <message>
        <source>Write the name of a key, such as prompt or seed</source>
        <translation>prompt や seed のようなキー名を書いてください</translation>
    </message>
    <message>
        <source>Two columns are called {}</source>
        <translation>{} という列が 2 つあります</translation>
    </message>
    <message>
        <source>The project makes its batch_prompts, and no prompt of a table</source>
        <translation>プロジェクトは batch_prompts を作るため、表の prompt は使われません</translation>
    </message>
    <message>
        <source>Clear batch_prompts, or call the column batch_prompts</source>
        <translation>batch_prompts を空にするか、列を batch_prompts としてください</translation>
    </message>
    <message>
        <source>The table is empty</source>
        <translation>表が空です</translation>
    </message>
    <message>
        <source>Begin with a row of keys, such as prompt,seed</source>
        <translation>prompt,seed のようなキーの行で始めてください</translation>
    </message>
    <message>
        <source>There is no key &quot;{:.80}&quot; for a column of the table</source>
        <translation>表の列に当たるキー「{:.80}」はありません</translation>
    </message>
    <message>
        <source>this is a file of PyTorch, and tracks are read from JSON and .npy</source>
        <translation>これはPyTorchのファイルです。トラックはJSONと.npyから読み取ります</translation>
    </message>
    <message>
        <source>the array is of shape [{}], and tracks are [points, tracks, 2]</source>
        <translation>配列の形は[{}]ですが、トラックは[点, トラック, 2]です</translation>
    </message>
    <message>
        <source>the array is of shape [{}], and what is in sight is [points, tracks]</source>
        <translation>配列の形は[{}]ですが、可視性は[点, トラック]です</translation>
    </message>
    <message>
        <source>Write 1 where a track&apos;s point is in sight, else 0</source>
        <translation>トラックの点が見えるところは1、それ以外は0と書いてください</translation>
    </message>
    <message>
        <source>Draw a track in the Studio, or leave tracks empty</source>
        <translation>Studio でトラックを描くか、tracks を空にしてください</translation>
    </message>
    <message>
        <source>it is of {} points of {} tracks, and tracks has {} points of {} tracks</source>
        <translation>{}点のトラック{}本のものですが、tracksは{}点のトラック{}本です</translation>
    </message>
    <message>
        <source>Give the file that belongs to tracks</source>
        <translation>tracksに対応するファイルを指定してください</translation>
    </message>
    <message>
        <source>{} is not UTF-8</source>
        <translation>{} は UTF-8 ではありません</translation>
    </message>
    <message>
        <source>Save it as UTF-8</source>
        <translation>UTF-8 で保存してください</translation>
    </message>
    <message>
        <source>line {} of {} has {} bytes, and a line has {} at most</source>
        <translation>{1} の {0} 行目は {2} バイトで、1 行は最大 {3} バイトです</translation>
    </message>
    <message>
        <source>{} holds no line that can be drawn</source>
        <translation>{} に選べる行がありません</translation>
    </message>
    <message>
        <source>Write something into it, a line for each possibility</source>
        <translation>候補を 1 行に 1 つずつ書いてください</translation>
    </message>
    <message>
        <source>the prompts lead to more than {} files</source>
        <translation>プロンプトから {} を超えるファイルに至ります</translation>
    </message>
    <message>
        <source>Use fewer wildcards</source>
        <translation>ワイルドカードを減らしてください</translation>
    </message>
    <message>
        <source>{} leads out of its folder</source>
        <translation>{} がフォルダーの外を指しています</translation>
    </message>
    <message>
        <source>Put the file itself there, not a link</source>
        <translation>リンクではなく、ファイルそのものを置いてください</translation>
    </message>
    <message>
        <source>the files that the prompts lead to have more than {}</source>
        <translation>プロンプトから至るファイルが合わせて {} を超えます</translation>
    </message>
    <message>
        <source>Use fewer wildcards, or smaller files</source>
        <translation>ワイルドカードを減らすか、ファイルを小さくしてください</translation>
    </message>
    <message>
        <source>the wildcard __{}__ leads back to itself: {}</source>
        <translation>ワイルドカード __{}__ が自分自身に戻ります: {}</translation>
    </message>
    <message>
        <source>Take it out of one of these files</source>
        <translation>これらのファイルの 1 つから取り除いてください</translation>
    </message>
    <message>
        <source>the wildcard __{}__ cannot be used: {}</source>
        <translation>ワイルドカード __{}__ は使えません: {}</translation>
    </message>
    <message>
        <source>there is no file {} for the wildcard __{}__ in {}</source>
        <translation>ワイルドカード __{1}__ のファイル {0} が {2} にありません</translation>
    </message>
    <message>
        <source>{} (a line of __{}__ names it)</source>
        <translation>{}（__{}__ の行が指しています）</translation>
    </message>
    <message>
        <source>Put the file there, with a line for each possibility, or set wildcards to its folder</source>
        <translation>候補を 1 行ずつ書いたファイルをそこに置くか、wildcards をそのフォルダーにしてください</translation>
    </message>
    <message>
        <source>alternatives in a line name the wildcard __{}__, which has no usable file {}</source>
        <translation>行の選択肢がワイルドカード __{}__ を指していますが、使えるファイル {} がありません</translation>
    </message>
    <message>
        <source>Put the file there, or correct the line</source>
        <translation>ファイルを置くか、行を直してください</translation>
    </message>
    <message>
        <source>the wildcard __{}__ leads back to itself</source>
        <translation>ワイルドカード __{}__ が自分自身に戻ります</translation>
    </message>
    <message>
        <source>Take it out of the lines and alternatives that it leads to</source>
        <translation>そこから続く行と選択肢から取り除いてください</translation>
    </message>
    <message>
        <source>the wildcards make the prompt longer than {} bytes, or need more than {} draws</source>
        <translation>ワイルドカードによりプロンプトが {} バイトを超えるか、{} 回を超える抽選が必要です</translation>
    </message>
    <message>
        <source>Use fewer wildcards, or shorter lines</source>
        <translation>ワイルドカードを減らすか、行を短くしてください</translation>
    </message>
    <message>
        <source>Wildcards: &quot;{}&quot; became &quot;{}&quot;</source>
        <translation>ワイルドカード: 「{}」が「{}」になりました</translation>
    </message>
    <message>
        <source>How strongly Phantom and Bernini-R follow reference_images; guidance_scale says how strongly they follow the prompt (their own programs: 7.5 and 4; pictures 5 and 4.5). For Phantom 1 or less turns this off and saves one of a step&apos;s passes, for Bernini-R 1; with video only where guidance_scale_video is 1, too.</source>
        <translation>PhantomとBernini-Rがreference_imagesに従う強さです。プロンプトに従う強さはguidance_scaleで決まります（公式プログラムでは7.5と4、画像は5と4.5）。Phantomでは1以下、Bernini-Rでは1で無効になり、1ステップの計算が1回減ります。videoがあるときは、guidance_scale_videoも1の場合に限ります。</translation>
    </message>
    <message>
        <source>Write false, or guidance_scale_video: 1 and guidance_scale_image: 1</source>
        <translation>falseと書くか、guidance_scale_video: 1とguidance_scale_image: 1の両方を書いてください</translation>
    </message>
    <message>
        <source>the {} decides by the prompt&apos;s pass, and guidance by pictures makes passes behind it that see less</source>
        <translation>{}はプロンプトの計算をもとに判断しますが、画像によるガイダンスではその後に、見えるものがより少ない計算をします</translation>
    </message>
    <message>
        <source>the card is for one process at a time (nvidia-smi changes that)</source>
        <translation>このカードは同時に1つのプロセスしか使えません（nvidia-smi で変更できます）</translation>
    </message>
    <message>
        <source>the card is closed to processes (nvidia-smi changes that)</source>
        <translation>このカードはプロセスから使えない設定です（nvidia-smi で変更できます）</translation>
    </message>
    <message>
        <source>{} imports no memory of the host&apos;s</source>
        <translation>{} はホストのメモリをインポートしません</translation>
    </message>
    <message>
        <source>{} does not take this memory of the host&apos;s</source>
        <translation>{} はこのホストのメモリを受け付けません</translation>
    </message>
    <message>
        <source>a copy from {} to {} brings other numbers</source>
        <translation>{} から {} へのコピーが異なる数値をもたらします</translation>
    </message>
    <message>
        <source>{} exchanges numbers in the way {}, not as planned: {}</source>
        <translation>{} は計画と異なる方法 {} で数値を交換します: {}</translation>
    </message>
    <message>
        <source>The kept measurements cannot be read</source>
        <translation>保存された計測を読み取れません</translation>
    </message>
    <message>
        <source>Remove the file: the next measurement begins another</source>
        <translation>このファイルを削除してください。次の計測で新しいファイルが作られます</translation>
    </message>
    <message>
        <source>Another program is writing the kept measurements, and does not end</source>
        <translation>別のプログラムが保存された計測を書き込んでいて、終わりません</translation>
    </message>
    <message>
        <source>These rows were measured on {}, and the project&apos;s GPU is {}</source>
        <translation>これらの行は{}で計測されましたが、プロジェクトのGPUは{}です</translation>
    </message>
    <message>
        <source>Choose that GPU to repeat them, or run the group on this one</source>
        <translation>繰り返すにはそのGPUを選ぶか、現在のGPUでグループを計測してください</translation>
    </message>
    <message>
        <source>Sound encoder</source>
        <translation>音エンコーダー</translation>
    </message>
    <message>
        <source>File or folder of the sound encoder (wav2vec 2.0, XLSR-53) of speech-to-video models. Empty takes the model&apos;s own.</source>
        <translation>音声から動画を作るモデルの音エンコーダー（wav2vec 2.0、XLSR-53）のファイルまたはフォルダーです。空欄ならモデルのものを使います。</translation>
    </message>
    <message>
        <source>The character of `image` moves as somebody in `video` does, by Wan Animate-2.</source>
        <translation>`image`のキャラクターが`video`の人物のように動きます（Wan Animate-2）。</translation>
    </message>
    <message>
        <source>Somebody whom `image` shows says or sings what `speech` has; `pose_video` may lead the body.</source>
        <translation>`image`の人物が`speech`の内容を話し、または歌います。`pose_video`で体の動きを導けます。</translation>
    </message>
    <message>
        <source>Video, picture or folder of numbered pictures that is made again or edited, that controls Fun Control (depth, edges, poses), or whose motion Animate-2 takes; its first num_frames at the rate of fps are taken.</source>
        <translation>作り直す動画、編集する動画、Fun Controlの制御動画（深度、輪郭、ポーズ）、またはAnimate-2が動きを取り込む動画です。動画、画像、連番画像のフォルダーを指定できます。fpsのレートで最初のnum_framesフレームが使われます。</translation>
    </message>
    <message>
        <source>Video or folder of numbered pictures of the poses that the character of image takes, as preprocessing for Wan Animate draws them; S2V does without.</source>
        <translation>imageの人物が取るポーズの動画、または番号付き画像のフォルダーです。Wan Animateの前処理が描く形式です。S2Vでは省略できます。</translation>
    </message>
    <message>
        <source>Speech</source>
        <translation>音声</translation>
    </message>
    <message>
        <source>Sound file, or video with sound, that the person of image says or sings.</source>
        <translation>imageの人物が話す、または歌う音声のファイル、または音声付きの動画です。</translation>
    </message>
    <message>
        <source>Sound strength</source>
        <translation>音の強さ</translation>
    </message>
    <message>
        <source>How strongly the sound of speech moves the lips: 1 as S2V was made, more where guidance is off.</source>
        <translation>speechの音が唇を動かす強さです。1はS2Vの学習時と同じで、ガイダンスなしではより大きくします。</translation>
    </message>
    <message>
        <source>As long as the speech</source>
        <translation>音声と同じ長さ</translation>
    </message>
    <message>
        <source>The video lasts as long as the sound of speech, up to 3 frames more, in place of num_frames.</source>
        <translation>動画の長さはnum_framesではなくspeechの音の長さになります（最大3フレーム長くなります）。</translation>
    </message>
    <message>
        <source>Keys of the driving video</source>
        <translation>動き動画のキー</translation>
    </message>
    <message>
        <source>How every step comes by what Animate-2 attends to in its video.</source>
        <translation>Animate-2が動画の中で注目するものを各ステップがどう得るかです。</translation>
    </message>
    <message>
        <source>The first of the others that memory has room for.</source>
        <translation>ほかの選択肢のうち、メモリに収まる最初のものです。</translation>
    </message>
    <message>
        <source>Kept in memory as they were computed: the fastest.</source>
        <translation>計算したままメモリに保持します。最も高速です。</translation>
    </message>
    <message>
        <source>Kept in memory in 8 bits with a scale for each head of each token: half the memory or less.</source>
        <translation>各トークンの各ヘッドにスケールを付けて8ビットでメモリに保持します。メモリは半分以下です。</translation>
    </message>
    <message>
        <source>Computed again in every pass, which takes about twice as long and the least memory.</source>
        <translation>パスごとに計算し直します。時間は約2倍かかり、メモリは最小です。</translation>
    </message>
    <message>
        <source>Sparse attention</source>
        <translation>疎アテンション</translation>
    </message>
    <message>
        <source>Lets self-attention leave blocks of tokens out, which saves most of the time of long videos; approximate.</source>
        <translation>セルフアテンションでトークンのブロックを省きます。長い動画では時間の大半を節約します。近似です。</translation>
    </message>
    <message>
        <source>Every token attends to every token.</source>
        <translation>すべてのトークンがすべてのトークンを参照します。</translation>
    </message>
    <message>
        <source>Sol-Attn: exactly to the blocks whose mean scores highest, to the means of the others; approximate.</source>
        <translation>Sol-Attn：平均のスコアが高いブロックは正確に、ほかは平均だけを参照します。近似です。</translation>
    </message>
    <message>
        <source>Radial attention: to fewer and fewer tokens of frames further away; approximate.</source>
        <translation>Radial Attention：離れたフレームほど参照するトークンを減らします。近似です。</translation>
    </message>
    <message>
        <source>Sparse VideoGen: each head to what is near in space, or near in time; approximate.</source>
        <translation>Sparse VideoGen：各ヘッドが空間的または時間的に近いものを参照します。近似です。</translation>
    </message>
    <message>
        <source>Sparse from</source>
        <translation>疎の開始</translation>
    </message>
    <message>
        <source>Share of the steps, at their beginning, in which attention is dense.</source>
        <translation>アテンションを密にする、最初のステップの割合です。</translation>
    </message>
    <message>
        <source>Sparse until</source>
        <translation>疎の終了</translation>
    </message>
    <message>
        <source>Share of the steps after which attention is dense again.</source>
        <translation>アテンションを再び密にする位置を、ステップの割合で示します。</translation>
    </message>
    <message>
        <source>Dense layers</source>
        <translation>密な層</translation>
    </message>
    <message>
        <source>Transformer blocks that always attend densely, counted from 0 and separated by commas.</source>
        <translation>アテンションを常に密にするトランスフォーマーブロックの番号です。0から数え、コンマで区切ります。</translation>
    </message>
    <message>
        <source>Sparse from length</source>
        <translation>疎にする最小長</translation>
    </message>
    <message>
        <source>Sequences shorter than this attend densely.</source>
        <translation>これより短いシーケンスのアテンションは密です。</translation>
    </message>
    <message>
        <source>Sol threshold</source>
        <translation>Solのしきい値</translation>
    </message>
    <message>
        <source>sol keeps blocks whose score is above the mean by this many standard deviations: more keeps fewer.</source>
        <translation>solは、スコアが平均よりこの数の標準偏差以上高いブロックを残します。大きいほど残るブロックは減ります。</translation>
    </message>
    <message>
        <source>Radial decay</source>
        <translation>radialの減衰</translation>
    </message>
    <message>
        <source>Factor of radial&apos;s windows of frames that are two or more apart: less keeps fewer tokens.</source>
        <translation>2フレーム以上離れたフレームに対するradialの窓の係数です。小さいほど残るトークンは減ります。</translation>
    </message>
    <message>
        <source>SVG density</source>
        <translation>SVGの密度</translation>
    </message>
    <message>
        <source>Share of the pairs of tokens that svg&apos;s band keeps; of a model with one expert.</source>
        <translation>svgの帯が残すトークンの組の割合です。エキスパートが1つのモデル用です。</translation>
    </message>
    <message>
        <source>SVG density, high noise</source>
        <translation>SVG密度（高ノイズ）</translation>
    </message>
    <message>
        <source>The same for the steps of Wan 2.2&apos;s high-noise expert.</source>
        <translation>Wan 2.2の高ノイズ側エキスパートのステップ用です。</translation>
    </message>
    <message>
        <source>SVG density, low noise</source>
        <translation>SVG密度（低ノイズ）</translation>
    </message>
    <message>
        <source>The same for the steps of Wan 2.2&apos;s low-noise expert.</source>
        <translation>Wan 2.2の低ノイズ側エキスパートのステップ用です。</translation>
    </message>
    <message>
        <source>SVG sample</source>
        <translation>SVGの標本数</translation>
    </message>
    <message>
        <source>Queries by which svg chooses between space and time, for each head in each step.</source>
        <translation>svgが各ステップの各ヘッドで空間と時間のどちらかを選ぶために使うクエリの数です。</translation>
    </message>
    <message>
        <source>queries</source>
        <translation>クエリ</translation>
    </message>
    <message>
        <source>SVG sample from</source>
        <translation>SVGの標本範囲</translation>
    </message>
    <message>
        <source>The first tokens, among which svg draws its queries.</source>
        <translation>svgがクエリを選ぶ、先頭のトークンの数です。</translation>
    </message>
    <message>
        <source>SVG sample&apos;s seed</source>
        <translation>SVGの標本シード</translation>
    </message>
    <message>
        <source>Seed by which svg draws its queries.</source>
        <translation>svgがクエリを選ぶためのシードです。</translation>
    </message>
    <message>
        <source>SVG keeps first frame</source>
        <translation>SVG先頭フレーム</translation>
    </message>
    <message>
        <source>Every token attends to the first tokens in svg&apos;s order, as many as a frame has.</source>
        <translation>すべてのトークンが、svgの並びで先頭の1フレーム分のトークンを参照します。</translation>
    </message>
    <message>
        <source>keep puts the sound of speech or video (of Animate face_video or pose_video) under the result, as long as both play at one speed; none leaves it out; a file gives its own. MP4 and WebM hold sound.</source>
        <translation>keepはspeechまたはvideo（Animateではface_videoかpose_video）の音を結果に付けます（両者の速さが同じ場合）。noneは音を付けません。ファイルを指定するとその音を使います。音を持てるのはMP4とWebMです。</translation>
    </message>
    <message>
        <source>Frames, times</source>
        <translation>フレーム倍率</translation>
    </message>
    <message>
        <source>Makes a finished video beside the video, with so many times its frames a second; any factor. 1 makes no frames.</source>
        <translation>動画の横に、1 秒あたりのフレーム数をこの倍数にした仕上げ動画を作ります。任意の倍数。1 ではフレームを作りません。</translation>
    </message>
    <message>
        <source>Frames by</source>
        <translation>補間の重み</translation>
    </message>
    <message>
        <source>Weights of RIFE 4.x, which makes the frames that interpolate asks for; blend mixes those beside.</source>
        <translation>interpolate が求めるフレームを作る RIFE 4.x の重み。blend は隣のフレームを混ぜます。</translation>
    </message>
    <message>
        <source>Size, times</source>
        <translation>サイズ倍率</translation>
    </message>
    <message>
        <source>Makes a finished video beside the video, so many times as wide and high; any factor. 1 keeps the size.</source>
        <translation>動画の横に、幅と高さをこの倍数にした仕上げ動画を作ります。任意の倍数。1 ではサイズを保ちます。</translation>
    </message>
    <message>
        <source>Size by</source>
        <translation>拡大の重み</translation>
    </message>
    <message>
        <source>Weights of a network of ESRGAN&apos;s kind, which upscale uses; lanczos, or nothing: a filter that adds no detail.</source>
        <translation>upscale が使う ESRGAN 系ネットワークの重み。lanczos または空欄: 細部を加えないフィルター。</translation>
    </message>
    <message>
        <source>Wan 2.2 Animate-2 in few steps</source>
        <translation>少ないステップのWan 2.2 Animate-2</translation>
    </message>
    <message>
        <source>Wan 2.2 Animate-2</source>
        <translation>Wan 2.2 Animate-2</translation>
    </message>
    <message>
        <source>Wan 2.2 speech to video</source>
        <translation>Wan 2.2 音声から動画</translation>
    </message>
    <message>
        <source>Character animation by a video</source>
        <translation>動画によるキャラクターの動作</translation>
    </message>
    <message>
        <source>Speech to video</source>
        <translation>音声から動画</translation>
    </message>
    <message>
        <source>speech to video</source>
        <translation>音声から動画</translation>
    </message>
    <message>
        <source>sound encoder of the Wan 2.2 S2V model</source>
        <translation>Wan 2.2 S2V モデルの音声エンコーダー</translation>
    </message>
    <message>
        <source>smaller sound encoder</source>
        <translation>小さい音声エンコーダー</translation>
    </message>
    <message>
        <source>block-sparse attention against dense attention of 12 heads of 128: seconds and error</source>
        <translation>疎アテンションと密なアテンションの比較（128 次元 12 ヘッド）：秒数と誤差</translation>
    </message>
    <message>
        <source>networks for finished videos: RIFE 4.26, and ESRGAN&apos;s of 64 channels</source>
        <translation>完成した動画のネットワーク: RIFE 4.26 と 64 チャンネルの ESRGAN</translation>
    </message>
    <message>
        <source>a decoded sound</source>
        <translation>デコードされた音</translation>
    </message>
    <message>
        <source>speech to video with what else the model has</source>
        <translation>音声から動画のほかにモデルが備えるもの</translation>
    </message>
    <message>
        <source>the transformer wants {} states of a sound of width {}, and the sound encoder gives {} of width {}</source>
        <translation>トランスフォーマーに必要な音の状態は{}個（幅{}）で、音エンコーダーが出すのは{}個（幅{}）です</translation>
    </message>
    <message>
        <source>Use wav2vec2-large-xlsr-53, which S2V was made with</source>
        <translation>S2Vの学習に使われたwav2vec2-large-xlsr-53を使ってください</translation>
    </message>
    <message>
        <source>the sound encoder wav2vec 2.0 XLSR-53 (wav2vec2_large_english_fp16.safetensors, or the folder wav2vec2-large-xlsr-53-english of the model)</source>
        <translation>音エンコーダーwav2vec 2.0 XLSR-53（wav2vec2_large_english_fp16.safetensors、またはモデルのフォルダーwav2vec2-large-xlsr-53-english）</translation>
    </message>
    <message>
        <source>{} ({}) makes a long clip in segments: every context window would need keys of its own of the driving video</source>
        <translation>{}（{}）は長いクリップをセグメントで作ります。コンテキストウィンドウごとに動き動画のキーが必要になるためです</translation>
    </message>
    <message>
        <source>Write 0</source>
        <translation>0と書いてください</translation>
    </message>
    <message>
        <source>{} ({}) makes a long video clip by clip, each after the one before</source>
        <translation>{}（{}）は長い動画をクリップごとに、前のクリップに続けて作ります</translation>
    </message>
    <message>
        <source>a video that is finished is MP4 or WebM</source>
        <translation>仕上げる動画は MP4 か WebM です</translation>
    </message>
    <message>
        <source>Write video_format: mp4</source>
        <translation>video_format: mp4 と書いてください</translation>
    </message>
    <message>
        <source>interpolate asks for new frames, and interpolator names nothing that makes them</source>
        <translation>interpolate は新しいフレームを求めていますが、interpolator にそれを作るものがありません</translation>
    </message>
    <message>
        <source>Name a file of RIFE, such as rife_v4.26.safetensors or flownet.pkl; or write blend to mix the frames beside</source>
        <translation>rife_v4.26.safetensors や flownet.pkl などの RIFE のファイルを指定するか、隣のフレームを混ぜるには blend と書いてください</translation>
    </message>
    <message>
        <source>a GPU has no {} kernel that leaves blocks out</source>
        <translation>GPUには、ブロックを省く{}カーネルがありません</translation>
    </message>
    <message>
        <source>Write none, or use the CPU (gpus: none)</source>
        <translation>noneと書くか、CPUを使ってください (gpus: none)</translation>
    </message>
    <message>
        <source>speech of S2V</source>
        <translation>S2Vのspeech</translation>
    </message>
    <message>
        <source>{} ({}) makes one video at a time</source>
        <translation>{}（{}）は一度に1本の動画を作ります</translation>
    </message>
    <message>
        <source>Leave it out, and make the others by runs of their own</source>
        <translation>これを省き、ほかの動画は別の実行で作ってください</translation>
    </message>
    <message>
        <source>{} ({}) attends to a driving video as well, whose keys lie in no blocks that sparse_attention {} could leave out</source>
        <translation>{}（{}）は動き動画にも注意を向けます。そのキーは sparse_attention {} が省けるブロックにありません</translation>
    </message>
    <message>
        <source>Write none</source>
        <translation>none と書いてください</translation>
    </message>
    <message>
        <source>the folder cannot be made ({})</source>
        <translation>フォルダーを作れません ({})</translation>
    </message>
    <message>
        <source>Choose another place for the video</source>
        <translation>動画の別の保存先を選んでください</translation>
    </message>
    <message>
        <source>another program makes this video</source>
        <translation>別のプログラムがこの動画を作っています</translation>
    </message>
    <message>
        <source>Wait until it is done, or choose another name</source>
        <translation>終わるまで待つか、別の名前を選んでください</translation>
    </message>
    <message>
        <source>the video is another than when the work was planned</source>
        <translation>動画が作業を計画したときのものと異なります</translation>
    </message>
    <message>
        <source>Begin again</source>
        <translation>最初からやり直してください</translation>
    </message>
    <message>
        <source>this system&apos;s libavcodec cannot write {}</source>
        <translation>このシステムの libavcodec は {} を書き出せません</translation>
    </message>
    <message>
        <source>Choose a name that ends in {}</source>
        <translation>{} で終わる名前を選んでください</translation>
    </message>
    <message>
        <source>the video would take the place of the one that it is made of</source>
        <translation>動画が元の動画を上書きしてしまいます</translation>
    </message>
    <message>
        <source>Choose another name</source>
        <translation>別の名前を選んでください</translation>
    </message>
    <message>
        <source>the factor {} is not between 1 and {}</source>
        <translation>倍数 {} は 1 から {} の間ではありません</translation>
    </message>
    <message>
        <source>Give a factor such as 2</source>
        <translation>2 などの倍数を指定してください</translation>
    </message>
    <message>
        <source>it is no video: it does not say how many frames it shows a second</source>
        <translation>動画ではありません。1 秒あたりのフレーム数がわかりません</translation>
    </message>
    <message>
        <source>Choose a video file, or a run with its video</source>
        <translation>動画ファイル、または動画のある実行を選んでください</translation>
    </message>
    <message>
        <source>its frames are not evenly spaced in time</source>
        <translation>フレームの時間間隔が一定ではありません</translation>
    </message>
    <message>
        <source>Make its rate constant first: ffmpeg -i VIDEO -vf fps={} OUT</source>
        <translation>先にレートを一定にしてください: ffmpeg -i VIDEO -vf fps={} OUT</translation>
    </message>
    <message>
        <source>it has no frames</source>
        <translation>フレームがありません</translation>
    </message>
    <message>
        <source>Choose another video</source>
        <translation>別の動画を選んでください</translation>
    </message>
    <message>
        <source>new frames need a network that makes them</source>
        <translation>新しいフレームには、それを作るネットワークが必要です</translation>
    </message>
    <message>
        <source>Name a file of RIFE, such as rife_v4.26.safetensors or flownet.pkl; or {} to mix the frames beside</source>
        <translation>rife_v4.26.safetensors や flownet.pkl などの RIFE のファイル、または隣のフレームを混ぜる {} を指定してください</translation>
    </message>
    <message>
        <source>its size {}x{} is odd, which videos of {} do not have</source>
        <translation>サイズ {}x{} は奇数で、{} の動画では使えません</translation>
    </message>
    <message>
        <source>Enlarge it, too: upscale 2</source>
        <translation>upscale 2 で拡大もしてください</translation>
    </message>
    <message>
        <source>No network was named: pictures are enlarged by the filter {}, which adds no detail</source>
        <translation>ネットワークの指定がないため、細部を加えないフィルター {} で拡大します</translation>
    </message>
    <message>
        <source>this network keeps the size</source>
        <translation>このネットワークはサイズを変えません</translation>
    </message>
    <message>
        <source>Choose a network that enlarges, or {}</source>
        <translation>拡大するネットワーク、または {} を選んでください</translation>
    </message>
    <message>
        <source>The network enlarges {} times; {} makes {} times of it</source>
        <translation>ネットワークは {} 倍に拡大し、{} が {} 倍にします</translation>
    </message>
    <message>
        <source>The smallest tiles take {}, more than the {} that were allowed</source>
        <translation>最小のタイルでも {} が必要で、許された {} を超えます</translation>
    </message>
    <message>
        <source>Choose a name that ends in .mp4 or .webm</source>
        <translation>.mp4 か .webm で終わる名前を選んでください</translation>
    </message>
    <message>
        <source>it has no sound</source>
        <translation>音声がありません</translation>
    </message>
    <message>
        <source>Choose another sound file</source>
        <translation>別の音声ファイルを選んでください</translation>
    </message>
    <message>
        <source>nothing was asked for</source>
        <translation>何も指定されていません</translation>
    </message>
    <message>
        <source>Ask for one of interpolate, upscale and audio</source>
        <translation>interpolate、upscale、audio のいずれかを指定してください</translation>
    </message>
    <message>
        <source>it does not say how its sound is sampled</source>
        <translation>音声のサンプリング方法がわかりません</translation>
    </message>
    <message>
        <source>the part of the sound has no length</source>
        <translation>指定した音声の区間に長さがありません</translation>
    </message>
    <message>
        <source>the sound ends before the part that is asked for</source>
        <translation>指定した区間より前に音声が終わります</translation>
    </message>
    <message>
        <source>Add the sound without trimming, fading or looping it, or choose another video format</source>
        <translation>切り出し・フェード・繰り返しなしで音声を加えるか、別の動画形式を選んでください</translation>
    </message>
    <message>
        <source>the encoder {} refuses {} channels of {} samples a second ({})</source>
        <translation>エンコーダー {} は {} チャンネル、毎秒 {} サンプルを受け付けません ({})</translation>
    </message>
    <message>
        <source>Choose MP4 or WebM</source>
        <translation>MP4 か WebM を選んでください</translation>
    </message>
    <message>
        <source>its sound cannot be converted ({})</source>
        <translation>音を変換できません（{}）</translation>
    </message>
    <message>
        <source>Choose another sound, such as a WAV, MP3 or M4A file, or write this one again</source>
        <translation>WAV、MP3、M4Aなど別の音を選ぶか、このファイルを書き直してください</translation>
    </message>
    <message>
        <source>its sound changes from {} samples a second to {}</source>
        <translation>音が毎秒{}サンプルから{}サンプルに変わっています</translation>
    </message>
    <message>
        <source>this system&apos;s libavcodec cannot decode its sound ({})</source>
        <translation>このシステムのlibavcodecは音をデコードできません（{}）</translation>
    </message>
    <message>
        <source>its sound ({}) cannot be decoded ({})</source>
        <translation>音（{}）をデコードできません（{}）</translation>
    </message>
    <message>
        <source>its sound cannot be read to the end</source>
        <translation>音を最後まで読めません</translation>
    </message>
    <message>
        <source>the file has no sound</source>
        <translation>ファイルに音がありません</translation>
    </message>
    <message>
        <source>nothing of its sound ({}) can be decoded</source>
        <translation>音（{}）をまったくデコードできません</translation>
    </message>
    <message>
        <source>the sound has {} samples, and the sound encoder needs at least {}</source>
        <translation>音は{}サンプルで、音エンコーダーには少なくとも{}サンプルが必要です</translation>
    </message>
    <message>
        <source>Choose a longer sound</source>
        <translation>もっと長い音を選んでください</translation>
    </message>
    <message>
        <source>The norm {} is not supported</source>
        <translation>正規化{}には対応していません</translation>
    </message>
    <message>
        <source>Supported are {} and {}</source>
        <translation>対応しているのは{}と{}です</translation>
    </message>
    <message>
        <source>{} channels cannot be shared out to {} groups</source>
        <translation>{}チャンネルを{}グループに分けられません</translation>
    </message>
    <message>
        <source>it has {} audio injectors, and behind which blocks they are is known for the released models only</source>
        <translation>音声インジェクターが{}個あり、それらがどのブロックの後にあるかは公開されたモデルについてしかわかりません</translation>
    </message>
    <message>
        <source>Use Wan 2.2 S2V with image and speech</source>
        <translation>Wan 2.2 S2Vをimageとspeechで使ってください</translation>
    </message>
    <message>
        <source>character animation by a video (Animate-2), in few steps</source>
        <translation>動画によるキャラクターの動作（Animate-2）、少ないステップ</translation>
    </message>
    <message>
        <source>character animation by a video (Animate-2)</source>
        <translation>動画によるキャラクターの動作（Animate-2）</translation>
    </message>
    <message>
        <source>two tensors of the file have one place in the network</source>
        <translation>ファイルの 2 つのテンソルがネットワークの同じ場所を占めます</translation>
    </message>
    <message>
        <source>Get the file again from where it was published</source>
        <translation>公開元からファイルを取り直してください</translation>
    </message>
    <message>
        <source>the network&apos;s tensor &apos;{}&apos; is missing</source>
        <translation>ネットワークのテンソル &apos;{}&apos; がありません</translation>
    </message>
    <message>
        <source>the network&apos;s tensor &apos;{}&apos; has the shape {}, not {}</source>
        <translation>ネットワークのテンソル &apos;{}&apos; の形は {} で、{} ではありません</translation>
    </message>
    <message>
        <source>Use RIFE {}</source>
        <translation>RIFE {} を使ってください</translation>
    </message>
    <message>
        <source>this is FILM, which Meshreel does not compute</source>
        <translation>これは FILM で、Meshreel は計算しません</translation>
    </message>
    <message>
        <source>this is no network that makes frames between two others</source>
        <translation>2 つのフレームの間を作るネットワークではありません</translation>
    </message>
    <message>
        <source>this is RIFE from before 4.5, which Meshreel does not compute</source>
        <translation>これは 4.5 より前の RIFE で、Meshreel は計算しません</translation>
    </message>
    <message>
        <source>this form of RIFE is not among those that Meshreel computes, as 4.10 to 4.20 are not: {} blocks that take {} and make {} channels</source>
        <translation>この形の RIFE は Meshreel では計算できません (4.10 から 4.20 も同様): {} ブロック、入力 {}、出力 {} チャンネル</translation>
    </message>
    <message>
        <source>Use a network of ESRGAN&apos;s or Real-ESRGAN&apos;s kind, such as 4x-UltraSharp, RealESRGAN_x2plus or realesr-general-x4v3</source>
        <translation>4x-UltraSharp、RealESRGAN_x2plus、realesr-general-x4v3 など、ESRGAN か Real-ESRGAN 系のネットワークを使ってください</translation>
    </message>
    <message>
        <source>its ends do not fit each other: {} channels go in, and {} convolutions are behind the blocks</source>
        <translation>入口と出口が合いません: 入力は {} チャンネル、ブロックの後の畳み込みは {} 個</translation>
    </message>
    <message>
        <source>the file does not say which activation the network has</source>
        <translation>ネットワークの活性化関数がファイルからわかりません</translation>
    </message>
    <message>
        <source>Use a network with PReLU, as realesr-general and realesr-animevideo have</source>
        <translation>realesr-general や realesr-animevideo のような PReLU のネットワークを使ってください</translation>
    </message>
    <message>
        <source>its last convolution makes no squares of colours</source>
        <translation>最後の畳み込みが色の正方形を作りません</translation>
    </message>
    <message>
        <source>this is no network of a kind that Meshreel enlarges pictures with</source>
        <translation>Meshreel が画像の拡大に使う種類のネットワークではありません</translation>
    </message>
    <message>
        <source>the network has a layer that Meshreel does not compute (&apos;{}&apos;)</source>
        <translation>Meshreel が計算しない層があります (&apos;{}&apos;)</translation>
    </message>
    <message>
        <source>The variant {} was never released and is not supported</source>
        <translation>変種{}は公開されておらず、対応していません</translation>
    </message>
    <message>
        <source>Supported is {}</source>
        <translation>対応しているのは{}です</translation>
    </message>
    <message>
        <source>The value is not a list of some of the {} blocks</source>
        <translation>値は{}個のブロックの一部のリストではありません</translation>
    </message>
    <message>
        <source>The blocks do not ascend</source>
        <translation>ブロックが昇順ではありません</translation>
    </message>
    <message>
        <source>This variant was never released and is not supported</source>
        <translation>この変種は公開されておらず、対応していません</translation>
    </message>
    <message>
        <source>{} videos of this transformer need the hidden states [{}, {}, {}, columns] of a sound, with {} columns for each latent frame, got {}</source>
        <translation>このトランスフォーマーの動画{}本には、音の隠れ状態[{}, {}, {}, 列]が必要で、潜在フレームごとに{}列です。与えられたのは{}です</translation>
    </message>
    <message>
        <source>Use the sound encoder that belongs to the transformer</source>
        <translation>トランスフォーマーに合う音エンコーダーを使ってください</translation>
    </message>
    <message>
        <source>a sound</source>
        <translation>音</translation>
    </message>
    <message>
        <source>A driving video of latents {} does not go with latents {}, whose first frame shows the character</source>
        <translation>潜在表現{}の動き動画は、最初のフレームがキャラクターを示す潜在表現{}に合いません</translation>
    </message>
    <message>
        <source>Give it the size of the video, and a frame less</source>
        <translation>動画と同じ大きさにし、フレームを1つ少なくしてください</translation>
    </message>
    <message>
        <source>Latents of {} frames got the sound of {}</source>
        <translation>{}フレームの潜在表現に{}フレーム分の音が与えられました</translation>
    </message>
    <message>
        <source>Give {} columns of sound for each latent frame</source>
        <translation>潜在フレームごとに音の列を{}個与えてください</translation>
    </message>
    <message>
        <source>Sparse attention: {} % of the pairs of blocks were computed exactly</source>
        <translation>疎アテンション：ブロックの組の{} %を正確に計算しました</translation>
    </message>
    <message>
        <source>{}; {} of {} hops of keys were left out</source>
        <translation>{}。キーのホップ{}/{}回を省きました</translation>
    </message>
    <message>
        <source>{}; what was compared differs from dense attention by {} (relative L2)</source>
        <translation>{}。比較した部分の密なアテンションとの差は{}です (相対L2)</translation>
    </message>
    <message>
        <source>No tensor tells Animate-2 from image to video, and neither the model&apos;s name nor its configs say that it is Animate-2: of other weights {} makes nothing useful</source>
        <translation>Animate-2と画像から動画のモデルを区別するテンソルはなく、モデルの名前にも設定にもAnimate-2とありません。ほかの重みでは{}は役に立つものを作れません</translation>
    </message>
    <message>
        <source>{} leaves no blocks out, and sparse_attention is {}</source>
        <translation>{}はブロックを省けませんが、sparse_attentionは{}です</translation>
    </message>
    <message>
        <source>Use attention: {}, or sparse_attention: none</source>
        <translation>attention: {} か sparse_attention: none を使ってください</translation>
    </message>
    <message>
        <source>Use sparse_attention: none</source>
        <translation>sparse_attention: none を使ってください</translation>
    </message>
    <message>
        <source>sparse_attention {} needs all keys of a head on one device, and {} spreads them over {}</source>
        <translation>sparse_attention {}では1つのヘッドの全キーが1台のデバイスに必要ですが、{}はそれを{}台に分けます</translation>
    </message>
    <message>
        <source>Use attention: ulysses, or sparse_attention: sol or radial</source>
        <translation>attention: ulysses か sparse_attention: sol または radial を使ってください</translation>
    </message>
    <message>
        <source>Use sparse_attention: sol or radial</source>
        <translation>sparse_attention: sol または radial を使ってください</translation>
    </message>
    <message>
        <source>Sparse attention begins at {} of the steps and ends at {}: there is none</source>
        <translation>疎アテンションはステップの{}から始まり{}で終わります。該当するステップがありません</translation>
    </message>
    <message>
        <source>Write 1, or sparse_attention: none</source>
        <translation>1か、sparse_attention: none と書いてください</translation>
    </message>
    <message>
        <source>Name a sound file, such as WAV, MP3 or M4A, or a video with sound</source>
        <translation>WAV、MP3、M4Aなどの音声ファイル、または音声付きの動画を指定してください</translation>
    </message>
    <message>
        <source>flash_block_sizes are those of sparse attention, too</source>
        <translation>flash_block_sizesは疎アテンションにも使われます</translation>
    </message>
    <message>
        <source>sparse_start_percent and sparse_end_percent say which steps</source>
        <translation>どのステップかはsparse_start_percentとsparse_end_percentで決めます</translation>
    </message>
    <message>
        <source>sparse_dense_layers says which layers</source>
        <translation>どの層かはsparse_dense_layersで決めます</translation>
    </message>
    <message>
        <source>Write sparse_attention: svg</source>
        <translation>sparse_attention: svg と書いてください</translation>
    </message>
    <message>
        <source>Write the numbers of transformer blocks, from 0 on, separated by commas</source>
        <translation>トランスフォーマーブロックの番号を0から数え、コンマで区切って書いてください</translation>
    </message>
    <message>
        <source>The queue has no list of runs</source>
        <translation>キューに実行の一覧がありません</translation>
    </message>
    <message>
        <source>the lock of the queue cannot be opened ({})</source>
        <translation>キューのロックを開けません（{}）</translation>
    </message>
    <message>
        <source>Check the path and its permissions</source>
        <translation>パスとその権限を確認してください</translation>
    </message>
    <message>
        <source>another program has held the queue for {} s</source>
        <translation>別のプログラムがキューを{}秒間占有しています</translation>
    </message>
    <message>
        <source>Close other programs that use the queue, or try again</source>
        <translation>キューを使う他のプログラムを閉じるか、もう一度お試しください</translation>
    </message>
    <message>
        <source>the video was written in another format than it is finished in</source>
        <translation>動画は仕上げる形式と別の形式で書き出されました</translation>
    </message>
    <message>
        <source>Write video_format: webm</source>
        <translation>video_format: webm と書いてください</translation>
    </message>
    <message>
        <source>Finished video: {}</source>
        <translation>仕上げ動画: {}</translation>
    </message>
    <message>
        <source>The disk is mounted read-only: choose a folder on another one</source>
        <translation>ディスクは読み取り専用でマウントされています。別のディスクのフォルダーを選んでください</translation>
    </message>
    <message>
        <source>Where a company&apos;s proxy reads the traffic, set SSL_CERT_FILE to a file with the certificate of its authority</source>
        <translation>会社のプロキシが通信を読む場合は、その認証局の証明書のファイルをSSL_CERT_FILEに指定してください</translation>
    </message>
    <message>
        <source>the proxy between here and {} asks for a user and a password (HTTP 407)</source>
        <translation>ここと{}の間のプロキシがユーザー名とパスワードを求めています（HTTP 407）</translation>
    </message>
    <message>
        <source>Write them into https_proxy: http://USER:PASSWORD@PROXY:PORT</source>
        <translation>https_proxyに書いてください: http://USER:PASSWORD@PROXY:PORT</translation>
    </message>
    <message>
        <source>The sound is compressed anew: {}</source>
        <translation>音声を圧縮し直します: {}</translation>
    </message>
    <message>
        <source>this JPEG has four colours (as for print) and does not say which</source>
        <translation>このJPEGは（印刷用のように）四色で、どの色かが書かれていません</translation>
    </message>
    <message>
        <source>Convert it to PNG or to a JPEG of red, green and blue</source>
        <translation>PNGか、赤緑青のJPEGに変換してください</translation>
    </message>
    <message>
        <source>Choose a part that it has</source>
        <translation>音声にある部分を選んでください</translation>
    </message>
    <message>
        <source>its sound begins at {} seconds</source>
        <translation>音声が {} 秒から始まっています</translation>
    </message>
    <message>
        <source>its sound changes its form on the way</source>
        <translation>音声の形式が途中で変わっています</translation>
    </message>
    <message>
        <source>Use a sound with one or two channels</source>
        <translation>1 または 2 チャンネルの音声を使ってください</translation>
    </message>
    <message>
        <source>The sound stays as it is ({}), and players of Apple and some editors play none of this kind in MP4: choose WebM, or a file whose sound is AAC.</source>
        <translation>音声はそのまま（{}）です。Appleのプレーヤーや一部の編集ソフトはMP4のこの種類を再生しません。WebMか、音声がAACのファイルを選んでください。</translation>
    </message>
    <message>
        <source>The colon behind {}, or the space after it, is that of another keyboard</source>
        <translation>{} の後のコロンか、その後の空白が別のキーボードのものです</translation>
    </message>
    <message>
        <source>Write {}: with an ASCII colon and a space behind it</source>
        <translation>{}: と半角コロンで書き、その後に半角スペースを入れてください</translation>
    </message>
    <message>
        <source>this tensor of the adapter holds NaN or infinity</source>
        <translation>アダプターのこのテンソルにNaNか無限大が含まれています</translation>
    </message>
    <message>
        <source>Its training failed: use an earlier file of it, or another adapter</source>
        <translation>学習に失敗しています。以前のファイルか別のアダプターを使ってください</translation>
    </message>
    <message>
        <source>{} with a scale of its own kind ({})</source>
        <translation>独自の種類のスケールを持つ{}（{}）</translation>
    </message>
    <message>
        <source>it holds two adapters: &apos;{}&apos; and &apos;{}&apos; are for the same layer</source>
        <translation>アダプターが二つ入っています。「{}」と「{}」は同じ層のものです</translation>
    </message>
    <message>
        <source>Save the one that you want into a file of its own</source>
        <translation>使うほうを単独のファイルに保存してください</translation>
    </message>
    <message>
        <source>its keys name layers of the transformer in a form that is not read</source>
        <translation>キーはトランスフォーマーの層を指していますが、読めない形式です</translation>
    </message>
    <message>
        <source>Convert it to the keys of ComfyUI or PEFT, as its trainer describes</source>
        <translation>学習ツールの説明に従い、ComfyUIかPEFTのキーに変換してください</translation>
    </message>
    <message>
        <source>this is one of {} files, and of these are missing: {}</source>
        <translation>これは{}個のファイルの一つで、次のものがありません: {}</translation>
    </message>
</context>
<context>
    <name>HostTexts</name>
    <message numerus="yes">
        <source>%n slot(s)</source>
        <comment>of a host, for ranks</comment>
        <translation>
            <numerusform>%nスロット</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n host(s)</source>
        <translation>
            <numerusform>%n台のホスト</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>RunCharts</name>
    <message>
        <source>Attention</source>
        <translation>アテンション</translation>
    </message>
    <message>
        <source>Exchange and waiting</source>
        <translation>交換と待機</translation>
    </message>
    <message>
        <source>Seconds of denoising</source>
        <translation>ノイズ除去の秒数</translation>
    </message>
    <message>
        <source>Device %1</source>
        <translation>デバイス%1</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>ステップ</translation>
    </message>
    <message>
        <source>Seconds</source>
        <translation>秒</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>デバイス数</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>Perfect scaling</source>
        <translation>理想的なスケーリング</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>読み込み</translation>
    </message>
    <message>
        <source>Compile</source>
        <translation>準備</translation>
    </message>
    <message>
        <source>Conditioning</source>
        <translation>条件付け</translation>
    </message>
    <message>
        <source>Denoising</source>
        <translation>ノイズ除去</translation>
    </message>
    <message>
        <source>VAE decoding</source>
        <translation>VAEデコード</translation>
    </message>
    <message>
        <source>Planned</source>
        <translation>計画</translation>
    </message>
    <message>
        <source>Held at most</source>
        <translation>最大使用量</translation>
    </message>
    <message>
        <source>%1 s</source>
        <comment>seconds</comment>
        <translation>%1秒</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <comment>milliseconds</comment>
        <translation>%1ミリ秒</translation>
    </message>
    <message>
        <source>≤ %1</source>
        <translation>≤ %1</translation>
    </message>
    <message>
        <source>Computing</source>
        <translation>計算</translation>
    </message>
    <message>
        <source>Exchange</source>
        <translation>交換</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>待機</translation>
    </message>
    <message>
        <source>Outside of attention</source>
        <translation>アテンション以外</translation>
    </message>
    <message>
        <source>Thread %1</source>
        <translation>スレッド%1</translation>
    </message>
    <message>
        <source>From the trace, as this run has no devices.csv: attention only, exchange and waiting in one</source>
        <translation>この実行にはdevices.csvがないためトレースによります: アテンションのみ、交換と待機は区別なし</translation>
    </message>
    <message>
        <source>Efficiency in %</source>
        <translation>効率（%）</translation>
    </message>
    <message>
        <source>Efficiency</source>
        <translation>効率</translation>
    </message>
    <message>
        <source>Standard deviation of %1 runs: %2</source>
        <translation>%1回の実行の標準偏差: %2</translation>
    </message>
    <message>
        <source>Expert %1</source>
        <translation>エキスパート%1</translation>
    </message>
    <message>
        <source>Inference, undivided</source>
        <translation>推論（内訳なし）</translation>
    </message>
    <message>
        <source>FLOP per byte that has to be moved</source>
        <translation>移動するバイトあたりの FLOP</translation>
    </message>
    <message>
        <source>Operations under the machine&apos;s limits</source>
        <translation>マシンの上限と各演算</translation>
    </message>
    <message>
        <source>%1, memory %2 GB/s</source>
        <translation>%1、メモリー %2 GB/s</translation>
    </message>
    <message>
        <source>, standard deviation %1</source>
        <translation>、標準偏差 %1</translation>
    </message>
    <message>
        <source> (the project&apos;s own)</source>
        <translation>（プロジェクトの設定）</translation>
    </message>
    <message>
        <source>GPU idle</source>
        <translation>GPUアイドル</translation>
    </message>
    <message>
        <source>Seconds of inference</source>
        <translation>推論の秒数</translation>
    </message>
    <message>
        <source>Preferred in % of comparisons</source>
        <translation>比較で好まれた割合 (%)</translation>
    </message>
    <message>
        <source>Preferred: %1 % (%2 to %3 %), %4 votes</source>
        <translation>好まれる割合: %1 %（%2〜%3 %）、投票 %4</translation>
    </message>
    <message>
        <source>Seconds of inference: %1</source>
        <translation>推論の秒数: %1</translation>
    </message>
    <message>
        <source> (%1 to %2)</source>
        <comment>least and most seconds</comment>
        <translation>（%1〜%2）</translation>
    </message>
</context>
<context>
    <name>TrustSheet</name>
    <message>
        <source>… and %1 more.</source>
        <translation>…ほか%1件。</translation>
    </message>
</context>
<context>
    <name>main</name>
    <message>
        <source>Studio for Wan video generation.</source>
        <translation>Wan動画生成スタジオ。</translation>
    </message>
    <message>
        <source>Go on at once with the runs that wait in the queue.</source>
        <translation>キューで待機中の実行をすぐに続けます。</translation>
    </message>
    <message>
        <source>Project file, run folder or video to open.</source>
        <translation>開くプロジェクトファイル、実行フォルダー、または動画。</translation>
    </message>
</context>
<context>
    <name>meshreel::ActivityGraph</name>
    <message>
        <source>%1: %2 of %3</source>
        <comment>quantity, its value, the most there can be</comment>
        <translation>%1: %2/%3</translation>
    </message>
    <message>
        <source>%1 after %2 s</source>
        <comment>value, seconds</comment>
        <translation>%2秒後に%1</translation>
    </message>
    <message>
        <source>Appears during a run</source>
        <translation>実行中に表示されます</translation>
    </message>
    <message>
        <source>The arrow keys, Home and End go from moment to moment, Escape hides the values.</source>
        <translation>矢印キー、Home、Endで時点を移動し、Escで表示を消します。</translation>
    </message>
</context>
<context>
    <name>meshreel::ActivityPanel</name>
    <message>
        <source>Processors</source>
        <translation>プロセッサー</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>メモリ</translation>
    </message>
    <message>
        <source>Warnings only</source>
        <translation>警告のみ</translation>
    </message>
    <message>
        <source>Processors that this program keeps busy; those of launched ranks are not in it</source>
        <translation>このプログラムが使用中のプロセッサー数です。起動したランクの分は含みません</translation>
    </message>
    <message>
        <source>Memory of this program without pages of files; that of launched ranks is not in it</source>
        <translation>このプログラムのメモリで、ファイルのページを除きます。起動したランクの分は含みません</translation>
    </message>
    <message>
        <source>Search the log</source>
        <translation>ログを検索</translation>
    </message>
    <message>
        <source>Log of the run</source>
        <translation>実行のログ</translation>
    </message>
    <message>
        <source>No line of the log has these words.</source>
        <translation>ログにこれらの語を含む行はありません。</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>コピー</translation>
    </message>
    <message>
        <source>Save log…</source>
        <translation>ログを保存…</translation>
    </message>
    <message>
        <source>Write the whole log to a file, to be sent with a report</source>
        <translation>ログ全体を、報告に添えるためのファイルに書き出します</translation>
    </message>
    <message>
        <source>Save log</source>
        <translation>ログを保存</translation>
    </message>
    <message>
        <source>Text (*.txt)</source>
        <translation>テキスト (*.txt)</translation>
    </message>
    <message>
        <source>Processors and memory</source>
        <translation>プロセッサーとメモリ</translation>
    </message>
    <message>
        <source>What a run reports is listed here and can be searched: press Run.</source>
        <translation>実行中のメッセージがここに一覧表示され、検索できます。［実行］を押してください。</translation>
    </message>
</context>
<context>
    <name>meshreel::ActivitySheet</name>
    <message>
        <source>Seconds of the run</source>
        <translation>実行の秒数</translation>
    </message>
    <message>
        <source>Busy processors</source>
        <translation>使用中のプロセッサー</translation>
    </message>
    <message>
        <source>Memory in GiB</source>
        <translation>メモリ（GiB）</translation>
    </message>
    <message>
        <source>Nothing was measured yet</source>
        <translation>まだ何も計測されていません</translation>
    </message>
    <message>
        <source>Run something first</source>
        <translation>先に何かを実行してください</translation>
    </message>
</context>
<context>
    <name>meshreel::AdapterField</name>
    <message>
        <source>high noise</source>
        <translation>高ノイズ</translation>
    </message>
    <message>
        <source>low noise</source>
        <translation>低ノイズ</translation>
    </message>
    <message>
        <source>every expert</source>
        <translation>すべてのエキスパート</translation>
    </message>
    <message>
        <source>Add adapters…</source>
        <translation>アダプターを追加…</translation>
    </message>
    <message>
        <source>Choose adapters (LoRA), or drop them here</source>
        <translation>アダプター（LoRA）を選択するか、ここにドロップします</translation>
    </message>
    <message>
        <source>Choose adapters</source>
        <translation>アダプターを選択</translation>
    </message>
    <message>
        <source>Adapters (*.safetensors)</source>
        <translation>アダプター (*.safetensors)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>すべてのファイル (*)</translation>
    </message>
    <message>
        <source>File of adapter %1</source>
        <translation>アダプター%1のファイル</translation>
    </message>
    <message>
        <source>Remove adapter %1</source>
        <translation>アダプター%1を削除</translation>
    </message>
    <message>
        <source>Strength of adapter %1</source>
        <translation>アダプター%1の強さ</translation>
    </message>
    <message>
        <source>Strength: 1 is as it was trained, 0 is without it</source>
        <translation>強さ: 1は学習時のまま、0はアダプターなし</translation>
    </message>
    <message>
        <source>Expert of adapter %1</source>
        <translation>アダプター%1のエキスパート</translation>
    </message>
    <message>
        <source>For which of Wan 2.2&apos;s two transformers it is made</source>
        <translation>Wan 2.2の2つのトランスフォーマーのどちら用か</translation>
    </message>
    <message>
        <source>as its name says</source>
        <translation>名前に従う</translation>
    </message>
    <message>
        <source>Use adapter %1</source>
        <translation>アダプター %1 を使う</translation>
    </message>
    <message>
        <source>Use this adapter. Switched off, its strength is 0, and its file is not read.</source>
        <translation>このアダプターを使います。オフにすると強さは 0 になり、ファイルは読み込まれません。</translation>
    </message>
</context>
<context>
    <name>meshreel::AddButton</name>
    <message>
        <source>The open project</source>
        <translation>開いているプロジェクト</translation>
    </message>
    <message>
        <source>Project files…</source>
        <translation>プロジェクトファイル…</translation>
    </message>
    <message>
        <source>Run folder…</source>
        <translation>実行フォルダー…</translation>
    </message>
    <message>
        <source>Pasted timings…</source>
        <translation>貼り付けた計時…</translation>
    </message>
    <message>
        <source>Compare with a TIMING SUMMARY block copied from elsewhere</source>
        <translation>他からコピーしたTIMING SUMMARYブロックと比較します</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>追加</translation>
    </message>
    <message>
        <source>Compare with further runs, projects or timings; runs and project files can be dropped here too</source>
        <translation>さらに実行、プロジェクト、計時と比較します。実行やプロジェクトファイルはここにドロップすることもできます</translation>
    </message>
    <message>
        <source>Compare with projects</source>
        <translation>プロジェクトと比較</translation>
    </message>
    <message>
        <source>Projects (*.yaml *.yml)</source>
        <translation>プロジェクト (*.yaml *.yml)</translation>
    </message>
    <message>
        <source>Compare with a run folder</source>
        <translation>実行フォルダーと比較</translation>
    </message>
    <message>
        <source>Paste timings</source>
        <translation>計時を貼り付け</translation>
    </message>
    <message>
        <source>TIMING SUMMARY blocks, with the text around them if you like:</source>
        <translation>TIMING SUMMARYブロック（前後の文章を含んでもかまいません）:</translation>
    </message>
</context>
<context>
    <name>meshreel::AttentionModeModel</name>
    <message>
        <source>gather keys</source>
        <translation>キーを収集</translation>
    </message>
    <message>
        <source>tokens for heads</source>
        <translation>トークン ↔ ヘッド</translation>
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
        <translation>リング</translation>
    </message>
    <message>
        <source>both ways</source>
        <translation>双方向</translation>
    </message>
    <message>
        <source>dense</source>
        <translation>密</translation>
    </message>
    <message>
        <source>flash</source>
        <translation>flash</translation>
    </message>
    <message>
        <source>custom</source>
        <translation>専用</translation>
    </message>
    <message>
        <source>custom, fixed bound</source>
        <translation>専用、固定上界</translation>
    </message>
    <message>
        <source>not here</source>
        <translation>ここでは不可</translation>
    </message>
    <message>
        <source>Mode</source>
        <translation>モード</translation>
    </message>
    <message>
        <source>Exchange</source>
        <translation>交換</translation>
    </message>
    <message>
        <source>Rotation</source>
        <translation>巡回</translation>
    </message>
    <message>
        <source>Kernel</source>
        <translation>カーネル</translation>
    </message>
    <message>
        <source>Per step</source>
        <translation>ステップごと</translation>
    </message>
    <message>
        <source>queries ÷ C, all keys</source>
        <translation>クエリ ÷ C、全キー</translation>
    </message>
    <message>
        <source>tokens ÷ C</source>
        <translation>トークン ÷ C</translation>
    </message>
    <message>
        <source>heads ÷ U, tokens ÷ R</source>
        <translation>ヘッド ÷ U、トークン ÷ R</translation>
    </message>
    <message>
        <source>heads ÷ C, all tokens</source>
        <translation>ヘッド ÷ C、全トークン</translation>
    </message>
    <message>
        <source>While it computes, a device holds %1.</source>
        <translation>計算中にデバイスが持つもの：%1。</translation>
    </message>
    <message>
        <source>What a device has while it computes an attention: of what stands before ÷ its part, shared out over the context axis (C), an ulysses group (U) or a ring (R)</source>
        <translation>アテンションの計算中にデバイスが持つもの。÷の前にあるものは、コンテキスト軸（C）、Ulyssesグループ（U）、リング（R）に分割したうちの自分の分</translation>
    </message>
    <message>
        <source>A device holds</source>
        <translation>デバイスが持つもの</translation>
    </message>
</context>
<context>
    <name>meshreel::AttentionPanel</name>
    <message>
        <source>Scratch of a worker: %1, %2 % of the limit.</source>
        <translation>ワーカー1つのスクラッチ: %1、上限の%2%。</translation>
    </message>
    <message>
        <source>dot_product computes all %1 scores of a query at once, without tiles.</source>
        <translation>dot_productは、クエリの全%1スコアをタイルに分けず一度に計算します。</translation>
    </message>
    <message>
        <source>%1 × %2 tiles of %3 queries × %4 keys, in products of %5 keys.</source>
        <translation>%1 × %2個のタイル。各タイルは%3クエリ × %4キーで、%5キーずつ積を計算します。</translation>
    </message>
    <message>
        <source>%1 % of the tiles lie outside the matrix: computed where blocks are padded, as on accelerators, and cut off here.</source>
        <translation>タイルの%1%は行列の外にあります。アクセラレーターのようにブロックを埋める場合は計算されますが、ここでは切り捨てます。</translation>
    </message>
    <message>
        <source>Attention modes</source>
        <translation>アテンションモード</translation>
    </message>
    <message>
        <source>Double click or press Enter to use a mode</source>
        <translation>ダブルクリックまたはEnterキーでモードを使用します</translation>
    </message>
    <message>
        <source>All sizes 0: the kernel then takes what suits this processor</source>
        <translation>すべて0にすると、カーネルがこのプロセッサーに合うサイズを選びます</translation>
    </message>
    <message>
        <source>Scratch of a worker: %1, %2 % of the %3 that it has in this machine&apos;s caches; no limit is set.</source>
        <translation>ワーカー1つのスクラッチ: %1、このマシンのキャッシュで使える%3の%2%。上限は設定されていません。</translation>
    </message>
    <message>
        <source>Presets</source>
        <translation>プリセット</translation>
    </message>
    <message>
        <source>Block sizes to start from: this machine&apos;s, and those published for accelerators</source>
        <translation>出発点となるブロックサイズ: このマシンのものと、アクセラレーター向けに公開されたもの</translation>
    </message>
    <message>
        <source>Tune on this machine…</source>
        <translation>このマシンで調整…</translation>
    </message>
    <message>
        <source>Opens Tune, which searches the sizes that are fastest here</source>
        <translation>［調整］を開き、ここで最も速いサイズを探します</translation>
    </message>
    <message>
        <source>Block sizes: %1</source>
        <comment>name of a preset</comment>
        <translation>ブロックサイズ: %1</translation>
    </message>
    <message>
        <source>Block sizes and tiles</source>
        <translation>ブロックサイズとタイル</translation>
    </message>
    <message>
        <source>modes</source>
        <comment>beside a divider</comment>
        <translation>モード</translation>
    </message>
    <message>
        <source>block sizes</source>
        <comment>beside a divider</comment>
        <translation>ブロックサイズ</translation>
    </message>
    <message>
        <source>The letters in “A device holds”: R × U = C</source>
        <translation>「デバイスが持つもの」の文字: R × U = C</translation>
    </message>
    <message>
        <source>C = %1 devices of the context axis · U = %2 in a Ulysses group · R = %3 such groups</source>
        <translation>C = コンテキスト軸の%1台 · U = Ulyssesグループに%2台 · R = グループが%3個</translation>
    </message>
    <message>
        <source>Fastest on %1: %2 × %3</source>
        <comment>hardware, queries, keys</comment>
        <translation>%1で最速: %2 × %3</translation>
    </message>
    <message>
        <source>Foreseen, not measured: %1 s a step</source>
        <translation>予測値（測定ではない）: 1ステップ%1秒</translation>
    </message>
</context>
<context>
    <name>meshreel::AttentionWalk</name>
    <message>
        <source>Before</source>
        <translation>開始前</translation>
    </message>
    <message>
        <source>Every device holds all tokens of its heads.</source>
        <translation>各デバイスは自分のヘッドの全トークンを持ちます。</translation>
    </message>
    <message>
        <source>Every device holds queries, keys and values of its own tokens, for all its heads.</source>
        <translation>各デバイスは自分のトークンのクエリ、キー、バリューを、自分の全ヘッド分持ちます。</translation>
    </message>
    <message>
        <source>groups of %1 devices</source>
        <translation>%1台ずつのデバイスのグループ</translation>
    </message>
    <message>
        <source>All-to-all: tokens for heads</source>
        <translation>All-to-all: トークンをヘッドに交換</translation>
    </message>
    <message>
        <source>All-to-all: heads for tokens</source>
        <translation>All-to-all: ヘッドをトークンに交換</translation>
    </message>
    <message>
        <source>In %1, each takes its part of the heads of all tokens of the group.</source>
        <translation>%1で、各デバイスはグループの全トークンのうち自分の分のヘッドを受け取ります。</translation>
    </message>
    <message>
        <source>In %1, each gets the results of its own tokens back, for all heads.</source>
        <translation>%1で、各デバイスは自分のトークンの結果を全ヘッド分受け取ります。</translation>
    </message>
    <message>
        <source>Rotation %1 of %2</source>
        <translation>巡回%1/%2</translation>
    </message>
    <message>
        <source>Each computes with its own keys and values while the next ones are on their way.</source>
        <translation>各デバイスは自分のキーとバリューで計算し、その間に次の分が届きます。</translation>
    </message>
    <message numerus="yes">
        <source>Each adds what the keys and values from %n place(s) away give.</source>
        <translation>
            <numerusform>各デバイスは、%n個離れた位置から届いたキーとバリューによる結果を加えます。</numerusform>
        </translation>
    </message>
    <message>
        <source>Compute</source>
        <translation>計算</translation>
    </message>
    <message>
        <source>Each computes its queries with all keys and values of its heads.</source>
        <translation>各デバイスは自分のヘッドの全キーとバリューでクエリを計算します。</translation>
    </message>
    <message>
        <source>Gather keys and values</source>
        <translation>キーとバリューを収集</translation>
    </message>
    <message>
        <source>Each device receives the keys and values of all others.</source>
        <translation>各デバイスは他の全デバイスのキーとバリューを受け取ります。</translation>
    </message>
    <message>
        <source>After</source>
        <translation>完了後</translation>
    </message>
    <message>
        <source>Every device holds the finished attention of its own tokens.</source>
        <translation>各デバイスは自分のトークンのアテンション結果を持ちます。</translation>
    </message>
</context>
<context>
    <name>meshreel::AxisHandle</name>
    <message>
        <source>Devices along the %1 axis</source>
        <translation>%1軸に沿ったデバイス数</translation>
    </message>
    <message>
        <source>Drag, or press the arrow keys. Legal here: %1</source>
        <translation>ドラッグするか矢印キーを押します。ここで有効な値: %1</translation>
    </message>
    <message>
        <source>Only %1 is legal here</source>
        <translation>ここで有効なのは%1だけです</translation>
    </message>
</context>
<context>
    <name>meshreel::BenchForm</name>
    <message>
        <source> s</source>
        <comment>seconds, behind a number</comment>
        <translation> 秒</translation>
    </message>
    <message>
        <source>Compare with a file that meshreel bench wrote</source>
        <translation>meshreel bench が書いたファイルと比べる</translation>
    </message>
    <message>
        <source>Compare with a file</source>
        <translation>ファイルと比べる</translation>
    </message>
    <message>
        <source>Group</source>
        <translation>グループ</translation>
    </message>
    <message>
        <source>What is measured beside this machine&apos;s limits</source>
        <translation>このマシンの限界と並べて測るもの</translation>
    </message>
    <message>
        <source>Passes</source>
        <translation>パス数</translation>
    </message>
    <message>
        <source>Passes of each row that count, behind one for warming up</source>
        <translation>各行の数えるパス数（最初の準備の 1 回を除く）</translation>
    </message>
    <message>
        <source>At most</source>
        <translation>最長</translation>
    </message>
    <message>
        <source>No new pass of a row begins after this long</source>
        <translation>この時間を過ぎると、行の新しいパスは始まりません</translation>
    </message>
    <message>
        <source>Compare with</source>
        <translation>比べる相手</translation>
    </message>
    <message>
        <source>The verdict compares with: %1</source>
        <comment>an earlier measurement</comment>
        <translation>判定で比べる相手：%1</translation>
    </message>
    <message>
        <source>%1.</source>
        <comment>what a group of benchmarks is</comment>
        <translation>%1。</translation>
    </message>
    <message>
        <source>Nothing</source>
        <comment>is compared with</comment>
        <translation>なし</translation>
    </message>
    <message>
        <source>%1, version %2</source>
        <comment>date, number</comment>
        <translation>%1、バージョン %2</translation>
    </message>
    <message>
        <source>%1, version %2, not complete</source>
        <comment>date, number</comment>
        <translation>%1、バージョン %2、未完了</translation>
    </message>
</context>
<context>
    <name>meshreel::BenchModel</name>
    <message>
        <source>the limit</source>
        <comment>that others are a share of</comment>
        <translation>限界</translation>
    </message>
    <message>
        <source>the reference</source>
        <comment>that others are compared with</comment>
        <translation>基準</translation>
    </message>
    <message>
        <source>%1 × %2</source>
        <comment>factor, name of a row</comment>
        <translation>%2 の %1 倍</translation>
    </message>
    <message>
        <source>about %1 % of %2</source>
        <comment>share, name of a limit</comment>
        <translation>%2 の約 %1 %</translation>
    </message>
    <message>
        <source>%1 % of %2</source>
        <comment>share, name of a limit</comment>
        <translation>%2 の %1 %</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>number, unit</comment>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>The machine&apos;s limit moved by %1 % beside this row: measure again when nothing else runs</source>
        <translation>この行の計測中にマシンの限界が %1 % 動きました。ほかに何も動いていないときに測り直してください</translation>
    </message>
    <message>
        <source>What the open project computes</source>
        <translation>開いているプロジェクトが計算するもの</translation>
    </message>
    <message>
        <source>%1, what the open project computes</source>
        <comment>name of a row</comment>
        <translation>%1、開いているプロジェクトが計算するもの</translation>
    </message>
    <message>
        <source>Row</source>
        <translation>行</translation>
    </message>
    <message>
        <source>Time</source>
        <comment>that a row took</comment>
        <translation>時間</translation>
    </message>
    <message>
        <source>Share of the limit</source>
        <translation>限界に対する割合</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>判定</translation>
    </message>
    <message>
        <source>Before</source>
        <translation>以前</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>Median of the passes; slowest less fastest pass, in percent of it</source>
        <translation>パスの中央値、および最遅と最速の差（中央値に対する %）</translation>
    </message>
    <message>
        <source>Of what this machine does at most, measured beside the row; or how it compares with another row</source>
        <translation>行と並べて測ったこのマシンの最大に対する割合、または別の行との比</translation>
    </message>
    <message>
        <source>Median and spread of the measurement that is compared with</source>
        <translation>比べる計測の中央値とばらつき</translation>
    </message>
    <message>
        <source>Beside the earlier measurement: the range that holds the true difference in nine of ten comparisons; where it is within the noise, how often to repeat</source>
        <translation>以前の計測との差：10 回中 9 回、真の差が入る範囲。誤差の範囲内なら繰り返す回数</translation>
    </message>
</context>
<context>
    <name>meshreel::BenchPanel</name>
    <message>
        <source>A benchmark times what the engine computes, beside this machine&apos;s own limits and what it took before. Choose a group and press Run.</source>
        <translation>ベンチマークは、エンジンの計算時間を、このマシンの限界や以前の時間と並べて測ります。グループを選んで「実行」を押してください。</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>実行</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>中止</translation>
    </message>
    <message>
        <source>Repeat</source>
        <translation>繰り返す</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>書き出す…</translation>
    </message>
    <message>
        <source>Stops; rows that are done are kept</source>
        <translation>止めます。終わった行は残ります</translation>
    </message>
    <message>
        <source>Write the rows to a file, as a table or for meshreel bench --against</source>
        <translation>行をファイルに書く（表、または meshreel bench --against 用）</translation>
    </message>
    <message>
        <source>Progress of the measurement</source>
        <translation>計測の進み具合</translation>
    </message>
    <message>
        <source>Rows of the benchmark</source>
        <translation>ベンチマークの行</translation>
    </message>
    <message>
        <source>Compare with a measurement</source>
        <translation>計測と比べる</translation>
    </message>
    <message>
        <source>Measurements (*.json *.jsonl)</source>
        <translation>計測 (*.json *.jsonl)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>すべてのファイル (*)</translation>
    </message>
    <message>
        <source>Cancelled.</source>
        <translation>中止しました。</translation>
    </message>
    <message>
        <source>Export the rows</source>
        <translation>行を書き出す</translation>
    </message>
    <message>
        <source>Table (*.csv)</source>
        <translation>表 (*.csv)</translation>
    </message>
    <message>
        <source>Measurement (*.json)</source>
        <translation>計測 (*.json)</translation>
    </message>
    <message>
        <source>The rows were written to %1</source>
        <translation>行を %1 に書きました</translation>
    </message>
    <message numerus="yes">
        <source>%n rows measured in %1</source>
        <comment>duration</comment>
        <translation>
            <numerusform>%1 で %n 行を計測しました</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n rows, measured %1 by version %2 on %3.</source>
        <comment>date, version, processor</comment>
        <translation>
            <numerusform>%n 行、%1 にバージョン %2 が %3 で計測。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The machine was too restless for the shares of %n rows.</source>
        <translation>
            <numerusform>マシンが不安定で、%n 行の割合は当てになりません。</numerusform>
        </translation>
    </message>
    <message>
        <source>What it is to be compared with is of %1.</source>
        <comment>processor</comment>
        <translation>比べる相手は %1 のものです。</translation>
    </message>
    <message>
        <source>Measures the rows of the group; let nothing else run</source>
        <translation>グループの行を測ります。ほかに何も動かさないでください</translation>
    </message>
    <message>
        <source>Another version measured these rows: run the group first</source>
        <translation>別のバージョンが計測した行です。先にグループを実行してください</translation>
    </message>
    <message>
        <source>Select rows to measure them again</source>
        <translation>もう一度測る行を選んでください</translation>
    </message>
    <message numerus="yes">
        <source>Measures %n rows again, %1 times each</source>
        <comment>number</comment>
        <translation>
            <numerusform>%n 行をそれぞれ %1 回測り直します</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n kept measurements cannot be read and are left out</source>
        <translation>
            <numerusform>保存された計測のうち %n 件は読み取れないため、除外しました</numerusform>
        </translation>
    </message>
    <message>
        <source>Not all of the group was measured.</source>
        <translation>グループの一部しか計測されていません。</translation>
    </message>
</context>
<context>
    <name>meshreel::CatalogueModel</name>
    <message>
        <source>Cannot be used: %1</source>
        <translation>使用できません: %1</translation>
    </message>
    <message>
        <source>Adapter</source>
        <translation>アダプター</translation>
    </message>
    <message>
        <source>%1, which Meshreel does not run</source>
        <translation>%1（Meshreelでは実行できません）</translation>
    </message>
    <message>
        <source>No part of a Wan model</source>
        <translation>Wanモデルの部品ではありません</translation>
    </message>
    <message>
        <source>%1, comes with Meshreel</source>
        <translation>%1（Meshreelに付属）</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>モデル</translation>
    </message>
    <message>
        <source>What it is</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>サイズ</translation>
    </message>
    <message>
        <source>Other models to download</source>
        <translation>ダウンロードできるその他のモデル</translation>
    </message>
    <message>
        <source>%1 to download</source>
        <comment>family of models</comment>
        <translation>ダウンロードできる %1</translation>
    </message>
    <message>
        <source>Adapters to download</source>
        <translation>ダウンロードできるアダプター</translation>
    </message>
    <message>
        <source>Small decoders to download</source>
        <translation>ダウンロードできる小型デコーダー</translation>
    </message>
    <message>
        <source>Parts of models to download</source>
        <translation>ダウンロードできるモデルの部品</translation>
    </message>
    <message>
        <source>diffusers folder</source>
        <comment>a way to get a model</comment>
        <translation>diffusers フォルダー</translation>
    </message>
    <message>
        <source>On this machine</source>
        <translation>このマシンにあるもの</translation>
    </message>
    <message>
        <source>This machine</source>
        <translation>このマシン</translation>
    </message>
</context>
<context>
    <name>meshreel::ChartPanel</name>
    <message>
        <source>Chart of the steps</source>
        <translation>ステップのグラフ</translation>
    </message>
    <message>
        <source>Seconds per step</source>
        <translation>ステップごとの秒数</translation>
    </message>
    <message>
        <source>Values of the latents</source>
        <translation>潜在変数の値</translation>
    </message>
    <message>
        <source>What the chart shows</source>
        <translation>グラフに表示する内容</translation>
    </message>
    <message>
        <source>Open a run</source>
        <translation>実行を開く</translation>
    </message>
    <message>
        <source>Each step appears here during a run, or when you open a past one.</source>
        <translation>実行中、または過去の実行を開いたときに、各ステップがここに表示されます。</translation>
    </message>
</context>
<context>
    <name>meshreel::ChartView</name>
    <message>
        <source>Logarithmic</source>
        <translation>対数目盛</translation>
    </message>
    <message>
        <source>Values on a logarithmic axis, on which equal ratios are equally long</source>
        <translation>値を対数軸で表示します。等しい比は等しい長さになります</translation>
    </message>
    <message>
        <source>Zoom in</source>
        <translation>拡大</translation>
    </message>
    <message>
        <source>Zoom out</source>
        <translation>縮小</translation>
    </message>
    <message>
        <source>Show everything</source>
        <translation>全体を表示</translation>
    </message>
    <message>
        <source>Plus and minus zoom, with Ctrl upright; the arrow keys move; 0 shows everything. Comma and full stop go from value to value, Enter marks the place of one. The menu key lists what can be hidden.</source>
        <translation>プラスとマイナスで拡大・縮小（Ctrlと一緒に押すと縦方向）、矢印キーで移動、0で全体を表示します。カンマとピリオドで値から値へ移動し、Enterでその位置に印を付けます。メニューキーで隠せるものの一覧を開きます。</translation>
    </message>
    <message>
        <source>Copy chart</source>
        <translation>グラフをコピー</translation>
    </message>
</context>
<context>
    <name>meshreel::ClampedText</name>
    <message>
        <source>Copy</source>
        <translation>コピー</translation>
    </message>
</context>
<context>
    <name>meshreel::ClipComparer</name>
    <message>
        <source>Side by side</source>
        <translation>並べて表示</translation>
    </message>
    <message>
        <source>Wipe</source>
        <translation>ワイプ</translation>
    </message>
    <message>
        <source>Difference × %1</source>
        <translation>差分 × %1</translation>
    </message>
    <message>
        <source>First run</source>
        <translation>1つ目の実行</translation>
    </message>
    <message>
        <source>Second run</source>
        <translation>2つ目の実行</translation>
    </message>
    <message>
        <source>How the videos are compared</source>
        <translation>動画の比較方法</translation>
    </message>
    <message>
        <source>Reading the videos …</source>
        <translation>動画を読み込み中 …</translation>
    </message>
    <message>
        <source>The videos are of two sizes: there is nothing to measure.</source>
        <translation>動画の大きさが異なるため、測定できません。</translation>
    </message>
    <message>
        <source>This frame: %1 · the whole video: %2</source>
        <translation>このフレーム: %1 · 動画全体: %2</translation>
    </message>
    <message>
        <source>This frame: %1 · the first %2 frames: %3</source>
        <translation>このフレーム: %1 · 最初の%2フレーム: %3</translation>
    </message>
</context>
<context>
    <name>meshreel::ClipExportDialog</name>
    <message>
        <source>Export the clip</source>
        <translation>クリップを書き出し</translation>
    </message>
    <message>
        <source>0 is smallest, 100 best</source>
        <translation>0が最小サイズ、100が最高画質</translation>
    </message>
    <message>
        <source>Choose a file</source>
        <translation>ファイルを選択</translation>
    </message>
    <message>
        <source>For&amp;mat:</source>
        <translation>形式(&amp;M):</translation>
    </message>
    <message>
        <source>&amp;Quality:</source>
        <translation>品質(&amp;Q):</translation>
    </message>
    <message>
        <source>&amp;File:</source>
        <translation>ファイル(&amp;F):</translation>
    </message>
    <message>
        <source>Clip:</source>
        <translation>クリップ:</translation>
    </message>
    <message numerus="yes">
        <source>%n frames, %1 s</source>
        <translation>
            <numerusform>%nフレーム、%1秒</numerusform>
        </translation>
    </message>
    <message>
        <source>Export</source>
        <translation>書き出し</translation>
    </message>
    <message>
        <source>%1 is there already and will be replaced.</source>
        <translation>%1はすでに存在するため、置き換えられます。</translation>
    </message>
    <message>
        <source>File of the clip</source>
        <translation>クリップのファイル</translation>
    </message>
    <message>
        <source>%1 × %2, as it is</source>
        <comment>width, height</comment>
        <translation>%1 × %2 (そのまま)</translation>
    </message>
    <message>
        <source>%1 × %2 (×%3)</source>
        <comment>width, height, factor</comment>
        <translation>%1 × %2 (×%3)</translation>
    </message>
    <message>
        <source>&amp;Size:</source>
        <translation>サイズ(&amp;S):</translation>
    </message>
</context>
<context>
    <name>meshreel::ClipExporter</name>
    <message>
        <source>The frame was copied.</source>
        <translation>フレームをコピーしました。</translation>
    </message>
    <message>
        <source>Save the frame</source>
        <translation>フレームを保存</translation>
    </message>
    <message>
        <source>Save a contact sheet</source>
        <translation>コンタクトシートを保存</translation>
    </message>
    <message>
        <source>Written: %1</source>
        <translation>書き出しました: %1</translation>
    </message>
    <message>
        <source>PNG pictures (*.png)</source>
        <translation>PNG画像 (*.png)</translation>
    </message>
    <message>
        <source>Copy the videos into a folder</source>
        <translation>動画をフォルダーにコピー</translation>
    </message>
    <message>
        <source>Without a video: %1.</source>
        <translation>動画のない実行: %1。</translation>
    </message>
    <message numerus="yes">
        <source>%n videos were copied</source>
        <translation>
            <numerusform>%n 本の動画をコピーしました</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::ClipPairView</name>
    <message>
        <source>Two videos</source>
        <translation>2つの動画</translation>
    </message>
    <message>
        <source>Videos of two sizes have no difference</source>
        <translation>大きさの異なる動画には差分がありません</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>差分</translation>
    </message>
    <message>
        <source>The wheel zooms, dragging moves, a double click fits (+, -, Shift with an arrow key, 0). Comma and full stop move the wipe.</source>
        <translation>ホイールで拡大・縮小、ドラッグで移動、ダブルクリックで全体表示（+、-、Shift+矢印キー、0）。カンマとピリオドでワイプを動かします。</translation>
    </message>
</context>
<context>
    <name>meshreel::ClipPairs</name>
    <message>
        <source>This run has no video</source>
        <translation>この実行には動画がありません</translation>
    </message>
    <message>
        <source>Resume it, or choose another one</source>
        <translation>再開するか、別の実行を選んでください</translation>
    </message>
    <message>
        <source>equal</source>
        <translation>同一</translation>
    </message>
    <message>
        <source>PSNR %1 dB, SSIM %2</source>
        <translation>PSNR %1 dB、SSIM %2</translation>
    </message>
    <message>
        <source>The videos have %1 and %2 frames: the first %3 are compared.</source>
        <translation>動画のフレーム数は%1と%2です。最初の%3フレームを比較しています。</translation>
    </message>
    <message>
        <source>They have %1 and %2 frames per second: both are played at %1, frame beside frame.</source>
        <translation>フレームレートは毎秒%1と%2フレームです。どちらも毎秒%1フレームで、フレームごとに並べて再生します。</translation>
    </message>
</context>
<context>
    <name>meshreel::ClosingQuestion</name>
    <message>
        <source>Block sizes are being timed</source>
        <translation>ブロックサイズを計測中です</translation>
    </message>
    <message>
        <source>Stop the search and quit? What it has found so far would be lost.</source>
        <translation>探索を停止して終了しますか？ これまでに見つかった結果は失われます。</translation>
    </message>
    <message>
        <source>Stop and quit</source>
        <translation>停止して終了</translation>
    </message>
    <message>
        <source>Keep running</source>
        <translation>続ける</translation>
    </message>
    <message>
        <source>A run is in progress</source>
        <translation>実行中です</translation>
    </message>
    <message>
        <source>Quit now? Finished steps are kept; you can resume the run later.</source>
        <translation>今すぐ終了しますか?完了したステップは保存され、後で再開できます。</translation>
    </message>
    <message>
        <source>A sweep is in progress</source>
        <translation>スイープを実行中です</translation>
    </message>
    <message>
        <source>Quit now? Finished passes are kept; the sweep continues when you open it again.</source>
        <translation>終了しますか？完了した回は保存され、次に開いたときに続きから再開します。</translation>
    </message>
    <message>
        <source>A benchmark is being measured</source>
        <translation>ベンチマークを計測しています</translation>
    </message>
    <message>
        <source>Quit now? Rows that are done are kept.</source>
        <translation>終了しますか？終わった行は保存されます。</translation>
    </message>
</context>
<context>
    <name>meshreel::ColumnMenu</name>
    <message>
        <source>Columns</source>
        <translation>列</translation>
    </message>
    <message>
        <source>Widths and order</source>
        <translation>幅と順序</translation>
    </message>
    <message>
        <source>Widths</source>
        <translation>幅</translation>
    </message>
    <message>
        <source>Resize to contents</source>
        <translation>内容に合わせる</translation>
    </message>
    <message>
        <source>Reset columns</source>
        <translation>列をリセット</translation>
    </message>
    <message>
        <source>&amp;Wider</source>
        <translation>幅を広げる(&amp;W)</translation>
    </message>
    <message>
        <source>&amp;Narrower</source>
        <translation>幅を狭める(&amp;N)</translation>
    </message>
    <message>
        <source>As wide as its &amp;contents</source>
        <translation>内容の幅に合わせる(&amp;C)</translation>
    </message>
    <message>
        <source>To the &amp;left</source>
        <translation>左へ(&amp;L)</translation>
    </message>
    <message>
        <source>To the &amp;right</source>
        <translation>右へ(&amp;R)</translation>
    </message>
</context>
<context>
    <name>meshreel::ComparePanel</name>
    <message>
        <source>Seconds per step</source>
        <translation>ステップごとの秒数</translation>
    </message>
    <message>
        <source>Stages</source>
        <translation>段階</translation>
    </message>
    <message>
        <source>Speed by devices</source>
        <translation>デバイス数と速度</translation>
    </message>
    <message>
        <source>Devices of one run</source>
        <translation>1つの実行のデバイス</translation>
    </message>
    <message>
        <source>Videos of two runs</source>
        <translation>2つの実行の動画</translation>
    </message>
    <message>
        <source>What is compared</source>
        <translation>比較する内容</translation>
    </message>
    <message>
        <source>Chart of the runs</source>
        <translation>実行のグラフ</translation>
    </message>
    <message>
        <source>pasted %1</source>
        <translation>貼り付け%1</translation>
    </message>
    <message>
        <source>Choose two or more runs in the Runs panel and press Compare.</source>
        <translation>［実行一覧］パネルで2つ以上の実行を選び、［比較］を押してください。</translation>
    </message>
    <message>
        <source>Pasted timings have no videos.</source>
        <translation>貼り付けた計時には動画がありません。</translation>
    </message>
    <message>
        <source>Block sizes</source>
        <translation>ブロックサイズ</translation>
    </message>
    <message>
        <source>Memory by phase</source>
        <translation>段階ごとのメモリ</translation>
    </message>
    <message>
        <source>Export report…</source>
        <translation>レポートを書き出し…</translation>
    </message>
    <message>
        <source>Write all of this as one page: timings, settings, pictures, charts</source>
        <translation>時間、設定、画像、グラフをすべて1ページに書き出します</translation>
    </message>
    <message>
        <source>Copy best configurations</source>
        <translation>最良の構成をコピー</translation>
    </message>
    <message>
        <source>Write the chart or a report to a file</source>
        <translation>グラフまたはレポートをファイルに書き出します</translation>
    </message>
    <message>
        <source>Export report</source>
        <translation>レポートを書き出し</translation>
    </message>
    <message>
        <source>Web page (*.html);;PDF document (*.pdf)</source>
        <translation>ウェブページ (*.html);;PDF文書 (*.pdf)</translation>
    </message>
    <message>
        <source>Choose runs</source>
        <translation>実行を選択</translation>
    </message>
    <message>
        <source>Leave out the projects and timings that were added</source>
        <translation>追加したプロジェクトと計時を除く</translation>
    </message>
    <message>
        <source>Copy timing summaries</source>
        <translation>計時サマリーをコピー</translation>
    </message>
    <message>
        <source>Add another project, or a run, to see in which settings they differ.</source>
        <translation>異なる設定を見るには、別のプロジェクトか実行を追加してください。</translation>
    </message>
    <message>
        <source>These projects have the same settings.</source>
        <translation>これらのプロジェクトの設定は同じです。</translation>
    </message>
    <message>
        <source>Projects have no timings. The settings in which they differ stand below.</source>
        <translation>プロジェクトには計時がありません。異なる設定は下に示します。</translation>
    </message>
    <message>
        <source>None of these runs recorded what its devices did. Compare runs that finished a step.</source>
        <translation>これらの実行には、デバイスの動作を記録したものがありません。ステップを完了した実行を比較してください。</translation>
    </message>
    <message>
        <source>None of these runs finished a step. Compare runs that got as far as denoising.</source>
        <translation>これらの実行には、ステップを完了したものがありません。デノイズまで進んだ実行を比較してください。</translation>
    </message>
    <message>
        <source>chart</source>
        <comment>beside a divider</comment>
        <translation>グラフ</translation>
    </message>
    <message>
        <source>tables</source>
        <comment>beside a divider</comment>
        <translation>表</translation>
    </message>
    <message>
        <source>Inference only</source>
        <translation>推論のみ</translation>
    </message>
    <message>
        <source>Baseline</source>
        <translation>基準</translation>
    </message>
    <message>
        <source>Speeds are relative to this run</source>
        <translation>速度はこの実行に対する相対値です</translation>
    </message>
    <message>
        <source>Leaves out loading and compiling, in the chart of stages and in speeds</source>
        <translation>段階のグラフと速度から、読み込みとコンパイルを除きます</translation>
    </message>
    <message>
        <source>against %1</source>
        <comment>baseline, a run</comment>
        <translation>%1と比較</translation>
    </message>
    <message>
        <source>Repeat</source>
        <translation>繰り返す</translation>
    </message>
    <message numerus="yes">
        <source>Queues %n runs: those within the noise and the baseline, as often as it takes to tell them apart. They join the comparison when they are done.</source>
        <translation>
            <numerusform>%n 件の実行をキューに入れます: ばらつきの範囲内のものと基準を、区別できるまでの回数だけ。終わると比較に加わります。</numerusform>
        </translation>
    </message>
    <message>
        <source>No run of a folder is within the noise of the baseline</source>
        <translation>基準とばらつきの範囲内で並ぶフォルダーの実行はありません</translation>
    </message>
    <message numerus="yes">
        <source>Queue %n runs? Each makes its whole video again.</source>
        <translation>
            <numerusform>%n 件の実行をキューに入れますか？ それぞれ動画全体を作り直します。</numerusform>
        </translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>評価</translation>
    </message>
    <message>
        <source>Quality against time</source>
        <translation>品質と時間</translation>
    </message>
    <message>
        <source>Writing the report…</source>
        <translation>レポートを書き込み中…</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>書き出し</translation>
    </message>
</context>
<context>
    <name>meshreel::ComparisonTables</name>
    <message>
        <source>Timings</source>
        <translation>時間</translation>
    </message>
    <message>
        <source>Settings that differ</source>
        <translation>異なる設定</translation>
    </message>
    <message>
        <source>Timings of the runs</source>
        <translation>実行の時間</translation>
    </message>
    <message>
        <source>Copy timing summaries</source>
        <translation>計時サマリーをコピー</translation>
    </message>
    <message>
        <source>Copy best configurations</source>
        <translation>最良の構成をコピー</translation>
    </message>
    <message>
        <source>Settings that differ (%1)</source>
        <translation>異なる設定（%1）</translation>
    </message>
    <message>
        <source>All settings are the same</source>
        <translation>すべての設定が同じです</translation>
    </message>
    <message>
        <source>Use as &amp;baseline</source>
        <translation>基準にする(&amp;B)</translation>
    </message>
    <message>
        <source>Speeds are relative to this run</source>
        <translation>速度はこの実行に対する相対値です</translation>
    </message>
    <message>
        <source>Quality</source>
        <translation>品質</translation>
    </message>
    <message>
        <source>Of runs that differ in a setting which changes their pictures</source>
        <translation>画像を変える設定が異なる実行のもの</translation>
    </message>
</context>
<context>
    <name>meshreel::Consequences</name>
    <message>
        <source>Tokens</source>
        <translation>トークン</translation>
    </message>
    <message>
        <source>%1 frames of %2 × %3</source>
        <comment>of tokens: time, height, width</comment>
        <translation>%2 × %3が%1フレーム</translation>
    </message>
    <message>
        <source>Length of the transformer&apos;s sequence. Self-attention works on the square of it.</source>
        <translation>トランスフォーマーのシーケンス長です。セルフアテンションの計算量はその2乗に比例します。</translation>
    </message>
    <message>
        <source>Work per step</source>
        <translation>ステップごとの計算量</translation>
    </message>
    <message>
        <source>%1 % self-attention</source>
        <translation>セルフアテンション%1%</translation>
    </message>
    <message>
        <source>%1 for all %2 steps%3.</source>
        <comment>work, steps, reason</comment>
        <translation>全%2ステップで%1%3。</translation>
    </message>
    <message>
        <source>; guidance computes each step twice</source>
        <translation>（ガイダンスにより各ステップを2回計算）</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>stage and its memory</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>メモリ</translation>
    </message>
    <message>
        <source>of %1, most: %2</source>
        <comment>memory, stage</comment>
        <translation>%1のうち、最大: %2</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>purpose and bytes</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Exchange per step</source>
        <translation>ステップごとの交換</translation>
    </message>
    <message numerus="yes">
        <source>between %n devices</source>
        <translation>
            <numerusform>%n台のデバイス間</numerusform>
        </translation>
    </message>
    <message>
        <source>What the busiest device receives from the others.</source>
        <translation>最も通信の多いデバイスが他から受け取る量です。</translation>
    </message>
    <message>
        <source>Loading</source>
        <translation>読み込み</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>プロンプト</translation>
    </message>
    <message>
        <source>Denoising</source>
        <translation>ノイズ除去</translation>
    </message>
    <message>
        <source>Decoding</source>
        <translation>デコード</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>時間</translation>
    </message>
    <message>
        <source>%1 a step</source>
        <comment>duration</comment>
        <translation>ステップあたり%1</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>不明</translation>
    </message>
    <message>
        <source>runs on several machines</source>
        <translation>複数のマシンで実行</translation>
    </message>
    <message>
        <source>Seconds are predicted for this machine alone: the network between machines is not measured.</source>
        <translation>秒数の予測はこのマシンだけが対象です。マシン間のネットワークは計測していません。</translation>
    </message>
    <message>
        <source>Weights: %1</source>
        <comment>memory</comment>
        <translation>重み: %1</translation>
    </message>
    <message>
        <source>Activations: %1</source>
        <comment>memory</comment>
        <translation>活性値: %1</translation>
    </message>
    <message>
        <source>Buffers of the exchange: %1</source>
        <comment>memory</comment>
        <translation>交換のバッファー: %1</translation>
    </message>
    <message>
        <source>of %1 a device</source>
        <comment>memory</comment>
        <translation>デバイスあたり%1のうち</translation>
    </message>
    <message>
        <source>Fastest of as many devices: %1 with %2, %3 a step</source>
        <comment>mesh, mode, duration</comment>
        <translation>同じ台数で最速: %1（%2）、1ステップ%3</translation>
    </message>
    <message>
        <source>Efficiencies from %1; four of five measurements fall within the range.</source>
        <comment>own times, class mean</comment>
        <translation>効率の根拠: %1。測定の5回に4回はこの範囲に入ります。</translation>
    </message>
    <message>
        <source>Encoding</source>
        <translation>エンコード</translation>
    </message>
    <message>
        <source>GPU memory</source>
        <translation>GPU メモリー</translation>
    </message>
    <message>
        <source>; guidance by prompt and pictures computes each step three times</source>
        <translation>; プロンプトと画像によるガイダンスで各ステップを3回計算</translation>
    </message>
    <message>
        <source>Memory here</source>
        <comment>of this machine, beside that of other hardware</comment>
        <translation>このマシンのメモリ</translation>
    </message>
    <message>
        <source>Memory there</source>
        <comment>of other hardware, beside that of this machine</comment>
        <translation>対象のメモリ</translation>
    </message>
    <message>
        <source>Predicting for %1 × %2</source>
        <comment>number of devices, hardware</comment>
        <translation>%1 × %2 での予測</translation>
    </message>
    <message>
        <source>; guidance by prompt, pictures and video computes each step four times</source>
        <translation>; プロンプト、画像、動画によるガイダンスで各ステップを4回計算</translation>
    </message>
</context>
<context>
    <name>meshreel::ConsequencesBar</name>
    <message>
        <source>Consequences</source>
        <translation>設定の影響</translation>
    </message>
    <message>
        <source>Tokens, work and memory are shown once the problems are solved.</source>
        <translation>問題を解決すると、トークン、計算量、メモリを表示します。</translation>
    </message>
    <message>
        <source>Time here</source>
        <comment>on this machine, beside that on other hardware</comment>
        <translation>このマシンでの時間</translation>
    </message>
    <message>
        <source>time not known</source>
        <comment>of a step on other hardware</comment>
        <translation>時間は不明</translation>
    </message>
    <message>
        <source>Problems says why.</source>
        <translation>理由は「問題」に表示されます。</translation>
    </message>
    <message>
        <source>Plan for this machine alone</source>
        <translation>このマシンだけを対象に計画</translation>
    </message>
    <message>
        <source>Plan for this machine alone, not for %1</source>
        <comment>hardware</comment>
        <translation>%1 ではなく、このマシンだけを対象に計画</translation>
    </message>
    <message>
        <source>What the project takes on %1. Runs happen on this machine, whose problems decide whether they can.</source>
        <comment>hardware</comment>
        <translation>%1 で必要になるもの。実行はこのマシンで行われ、実行できるかどうかはこのマシンの問題で決まります。</translation>
    </message>
    <message>
        <source>Predicting for %1</source>
        <comment>hardware</comment>
        <translation>%1 での予測</translation>
    </message>
</context>
<context>
    <name>meshreel::ContactSheet</name>
    <message>
        <source>%1 · %2 s</source>
        <comment>number of a frame, time</comment>
        <translation>%1 · %2秒</translation>
    </message>
</context>
<context>
    <name>meshreel::DeviceLaneModel</name>
    <message>
        <source>%1 %</source>
        <comment>percentage</comment>
        <translation>%1%</translation>
    </message>
    <message>
        <source>Computing</source>
        <translation>計算</translation>
    </message>
    <message>
        <source>Exchange</source>
        <translation>交換</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>待機</translation>
    </message>
    <message>
        <source>%1 computing, %2 exchange, %3 waiting; %4 received</source>
        <comment>durations and bytes</comment>
        <translation>計算%1、交換%2、待機%3、受信%4</translation>
    </message>
    <message>
        <source>Step %1: %2</source>
        <comment>number, durations</comment>
        <translation>ステップ%1: %2</translation>
    </message>
    <message>
        <source>Steps %1 to %2: %3</source>
        <comment>numbers, durations</comment>
        <translation>ステップ%1～%2: %3</translation>
    </message>
    <message numerus="yes">
        <source>%n steps: the devices compute %1 of the time, exchange %2 and wait %3; device %4 waits most, %5.</source>
        <translation>
            <numerusform>%nステップ: デバイスは時間の%1を計算、%2を交換、%3を待機に使っています。最も待つのはデバイス%4で、%5です。</numerusform>
        </translation>
    </message>
    <message>
        <source>Device %1: %2</source>
        <comment>number, durations</comment>
        <translation>デバイス%1: %2</translation>
    </message>
    <message>
        <source>Moving bytes between devices with the device&apos;s own workers</source>
        <translation>デバイス自身のワーカーでデバイス間のバイトを移す時間</translation>
    </message>
    <message>
        <source>Standing still until other devices, or the network, are ready</source>
        <translation>他のデバイスやネットワークの準備ができるまで止まっている時間</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>デバイス</translation>
    </message>
    <message>
        <source>Steps</source>
        <comment>title of lanes over time</comment>
        <translation>ステップ</translation>
    </message>
    <message>
        <source>Received</source>
        <translation>受信</translation>
    </message>
    <message>
        <source>GPU idle</source>
        <translation>GPUアイドル</translation>
    </message>
    <message>
        <source>%1 computing, %2 GPU idle, %3 exchange, %4 waiting; %5 received</source>
        <comment>durations and bytes</comment>
        <translation>計算%1、GPUアイドル%2、交換%3、待機%4、受信%5</translation>
    </message>
    <message numerus="yes">
        <source>%n steps: the GPU computes %1 of the time and stands still for %2, while the CPU prepares its work or takes its results.</source>
        <translation>
            <numerusform>%nステップ: GPUは時間の%1を計算に使い、CPUがその準備や結果の受け取りをする%2の間は止まっています。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n steps: the GPUs compute %1 of the time, stand still for %2 beside the CPU, exchange %3 and wait %4; device %5 waits most, %6.</source>
        <translation>
            <numerusform>%nステップ: GPUは時間の%1を計算、%3を交換、%4を待機に使い、CPUの作業中の%2は止まっています。最も待つのはデバイス%5で、%6です。</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 · GPU</source>
        <comment>number of a device</comment>
        <translation>%1 · GPU</translation>
    </message>
    <message>
        <source>The GPU stands still, while the CPU prepares its work or takes its results</source>
        <translation>CPUがGPUの作業の準備や結果の受け取りをする間、GPUが止まっている時間</translation>
    </message>
</context>
<context>
    <name>meshreel::DeviceTexts</name>
    <message>
        <source>%1 to %2</source>
        <comment>first and last</comment>
        <translation>%1～%2</translation>
    </message>
    <message>
        <source>ring place %1, ulysses place %2</source>
        <translation>リング位置%1、Ulysses位置%2</translation>
    </message>
    <message>
        <source>gathers keys from %1</source>
        <translation>%1からキーを収集</translation>
    </message>
    <message>
        <source>keys pass along the line of %1</source>
        <translation>キーは%1の線上を移動</translation>
    </message>
    <message>
        <source>takes keys from %1, passes them to %2</source>
        <translation>%1からキーを受け取り%2へ渡す</translation>
    </message>
    <message>
        <source>trades heads with %1</source>
        <translation>%1とヘッドを交換</translation>
    </message>
    <message>
        <source>Device %1</source>
        <comment>number</comment>
        <translation>デバイス%1</translation>
    </message>
    <message>
        <source>: holds tokens %1; computes tokens %2 of heads %3</source>
        <comment>ranges</comment>
        <translation>: トークン%1を保持し、ヘッド%3のトークン%2を計算</translation>
    </message>
    <message>
        <source>. Receives %1 in an attention, %2 in a step.</source>
        <comment>bytes</comment>
        <translation>。アテンション1回で%1、1ステップで%2を受信します。</translation>
    </message>
    <message>
        <source>%1 devices: %2</source>
        <comment>number and mesh</comment>
        <translation>デバイス%1台: %2</translation>
    </message>
    <message>
        <source>; rings of %1, ulysses groups of %2</source>
        <translation>、リングは%1台ずつ、Ulyssesグループは%2台ずつ</translation>
    </message>
    <message>
        <source>. Point at a device to see what it holds and exchanges.</source>
        <translation>。デバイスを指すと、保持し交換するものを表示します。</translation>
    </message>
    <message>
        <source>, rank %1 on %2</source>
        <comment>number, host</comment>
        <translation>、%2のランク%1</translation>
    </message>
    <message>
        <source>adds up layers with %1</source>
        <translation>%1と層の結果を合算</translation>
    </message>
    <message>
        <source>gathers weights from %1</source>
        <translation>%1から重みを収集</translation>
    </message>
    <message>
        <source>gathers predictions from %1</source>
        <translation>%1から予測を収集</translation>
    </message>
    <message>
        <source>, on GPU %1</source>
        <comment>number</comment>
        <translation>, GPU %1</translation>
    </message>
    <message>
        <source> Devices with pins are GPUs.</source>
        <comment>behind another sentence</comment>
        <translation> ピン付きのデバイスはGPUです。</translation>
    </message>
</context>
<context>
    <name>meshreel::DevicesPanel</name>
    <message>
        <source>Set up several devices</source>
        <translation>複数のデバイスを設定</translation>
    </message>
    <message>
        <source>Lanes of the devices</source>
        <translation>デバイスのレーン</translation>
    </message>
    <message>
        <source>This run has one device, which computes all the time.</source>
        <translation>この実行のデバイスは1台で、常に計算しています。</translation>
    </message>
    <message>
        <source>The lanes of the devices begin when the first step has ended.</source>
        <translation>デバイスのレーンは最初のステップが終わると始まります。</translation>
    </message>
    <message>
        <source>This run did not record how its devices spent their steps: an earlier version made it, or it ended before its first step did. What its trace tells is drawn by Compare, as Devices of one run.</source>
        <translation>この実行には、デバイスがステップをどう過ごしたかの記録がありません。以前のバージョンで作られたか、最初のステップが終わる前に終了しました。トレースから分かることは、［比較］の［1つの実行のデバイス］に描かれます。</translation>
    </message>
    <message>
        <source>How much each device computes, exchanges and waits is drawn here while a run of several devices goes on, or when a past one is opened.</source>
        <translation>複数デバイスの実行中、または過去の実行を開いたとき、各デバイスがどれだけ計算・交換・待機しているかがここに描かれます。</translation>
    </message>
    <message>
        <source>What the devices did</source>
        <translation>デバイスの動作</translation>
    </message>
</context>
<context>
    <name>meshreel::DockHost</name>
    <message>
        <source>&amp;Close this panel</source>
        <translation>このパネルを閉じる(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Float this panel, or dock it again</source>
        <translation>このパネルを切り離す、または戻す(&amp;F)</translation>
    </message>
</context>
<context>
    <name>meshreel::DockMover</name>
    <message>
        <source>&amp;Move this panel</source>
        <translation>このパネルを移動(&amp;M)</translation>
    </message>
    <message>
        <source>To the &amp;left edge</source>
        <translation>左端へ(&amp;L)</translation>
    </message>
    <message>
        <source>To the &amp;right edge</source>
        <translation>右端へ(&amp;R)</translation>
    </message>
    <message>
        <source>To the &amp;top</source>
        <translation>上端へ(&amp;T)</translation>
    </message>
    <message>
        <source>To the &amp;bottom</source>
        <translation>下端へ(&amp;B)</translation>
    </message>
    <message>
        <source>L&amp;eft of</source>
        <translation>左隣に置く(&amp;E)</translation>
    </message>
    <message>
        <source>Ri&amp;ght of</source>
        <translation>右隣に置く(&amp;G)</translation>
    </message>
    <message>
        <source>&amp;Above</source>
        <translation>上に置く(&amp;A)</translation>
    </message>
    <message>
        <source>Bel&amp;ow</source>
        <translation>下に置く(&amp;O)</translation>
    </message>
    <message>
        <source>As a tab w&amp;ith</source>
        <translation>タブとして並べる(&amp;I)</translation>
    </message>
    <message>
        <source>&amp;Size of this panel</source>
        <translation>このパネルの大きさ(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Wider</source>
        <translation>幅を広げる(&amp;W)</translation>
    </message>
    <message>
        <source>&amp;Narrower</source>
        <translation>幅を狭める(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Taller</source>
        <translation>高くする(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Shorter</source>
        <translation>低くする(&amp;S)</translation>
    </message>
</context>
<context>
    <name>meshreel::DrawerBar</name>
    <message>
        <source>Drawer</source>
        <translation>ドロワー</translation>
    </message>
    <message>
        <source>Close %1</source>
        <comment>title of a panel</comment>
        <translation>%1 を閉じる</translation>
    </message>
    <message>
        <source>Open %1</source>
        <comment>title of a panel</comment>
        <translation>%1 を開く</translation>
    </message>
</context>
<context>
    <name>meshreel::DrawingDialog</name>
    <message>
        <source>Choose and move</source>
        <translation>選択と移動</translation>
    </message>
    <message>
        <source>Brush</source>
        <translation>ブラシ</translation>
    </message>
    <message>
        <source>Box</source>
        <translation>長方形</translation>
    </message>
    <message>
        <source>Ellipse</source>
        <translation>楕円</translation>
    </message>
    <message>
        <source>Polygon</source>
        <translation>多角形</translation>
    </message>
    <message>
        <source>Track</source>
        <translation>トラック</translation>
    </message>
    <message>
        <source>Drag to move what is there. Its corners, or its points, move alone.</source>
        <translation>ドラッグで移動します。角や点は単独で動きます。</translation>
    </message>
    <message>
        <source>Drag to paint.</source>
        <translation>ドラッグで塗ります。</translation>
    </message>
    <message>
        <source>Drag from corner to corner; Shift makes it as wide as high.</source>
        <translation>角から角へドラッグします。Shift で縦横が同じになります。</translation>
    </message>
    <message>
        <source>Click its corners; Enter, a double click or the first corner ends it.</source>
        <translation>角をクリックします。Enter、ダブルクリック、または最初の角で終わります。</translation>
    </message>
    <message>
        <source>Click the places that a point passes and end with Enter, or drag its way.</source>
        <translation>点が通る場所をクリックして Enter で終えるか、経路をドラッグします。</translation>
    </message>
    <message>
        <source>even</source>
        <translation>一定</translation>
    </message>
    <message>
        <source>slow at first</source>
        <translation>初めゆっくり</translation>
    </message>
    <message>
        <source>slow at last</source>
        <translation>終わりゆっくり</translation>
    </message>
    <message>
        <source>slow at both ends</source>
        <translation>両端ゆっくり</translation>
    </message>
    <message>
        <source>stay, then jump</source>
        <translation>止まって跳ぶ</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Draw a mask</source>
        <translation>マスクを描く</translation>
    </message>
    <message>
        <source>Draw tracks</source>
        <translation>トラックを描く</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>action and its key</comment>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>ツール</translation>
    </message>
    <message>
        <source>Add one in the middle</source>
        <translation>中央に追加</translation>
    </message>
    <message>
        <source>Show the mask alone</source>
        <translation>マスクだけを表示</translation>
    </message>
    <message>
        <source>Add a keyframe here</source>
        <translation>ここにキーフレームを追加</translation>
    </message>
    <message>
        <source>Remove the keyframe here</source>
        <translation>ここのキーフレームを削除</translation>
    </message>
    <message>
        <source>Shapes, the upper ones first</source>
        <translation>図形（上のものから）</translation>
    </message>
    <message>
        <source>Tracks, the last ones first</source>
        <translation>トラック（新しいものから）</translation>
    </message>
    <message>
        <source>Move it in the whole clip</source>
        <translation>クリップ全体で動かす</translation>
    </message>
    <message>
        <source>What is changed then holds at all keyframes; otherwise at the frame that is shown, which gets a keyframe</source>
        <translation>変更はすべてのキーフレームに及びます。オフのときは表示中のフレームだけで、そこにキーフレームができます</translation>
    </message>
    <message>
        <source>What is drawn</source>
        <translation>描いたもの</translation>
    </message>
    <message>
        <source>Copy it</source>
        <translation>複製</translation>
    </message>
    <message>
        <source>Lift it over the next one</source>
        <translation>一つ上へ</translation>
    </message>
    <message>
        <source>Lower it under the next one</source>
        <translation>一つ下へ</translation>
    </message>
    <message>
        <source>Remove it</source>
        <translation>削除</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>元に戻す</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>やり直す</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>閉じる</translation>
    </message>
    <message>
        <source>Write the drawing and use it in the project</source>
        <translation>描いたものを書き込み、プロジェクトで使います</translation>
    </message>
    <message>
        <source>Radius of the brush, in pixels of the video</source>
        <translation>ブラシの半径（動画のピクセル）</translation>
    </message>
    <message>
        <source>Change the brush</source>
        <translation>ブラシを変更</translation>
    </message>
    <message>
        <source>Soft edge</source>
        <translation>ぼかし</translation>
    </message>
    <message>
        <source>Pixels from white to black, half of them inside</source>
        <translation>白から黒までのピクセル数。半分は内側です</translation>
    </message>
    <message>
        <source>Change the soft edge</source>
        <translation>ぼかしを変更</translation>
    </message>
    <message>
        <source>Strength</source>
        <translation>強さ</translation>
    </message>
    <message>
        <source>Percent of white at this frame</source>
        <translation>このフレームでの白の割合（%）</translation>
    </message>
    <message>
        <source>Change the strength</source>
        <translation>強さを変更</translation>
    </message>
    <message>
        <source>Cut away</source>
        <translation>切り抜く</translation>
    </message>
    <message>
        <source>Takes away from the shapes under it, as an eraser does</source>
        <translation>消しゴムのように、下の図形から取り除きます</translation>
    </message>
    <message>
        <source>Black and white swapped</source>
        <translation>白黒を反転</translation>
    </message>
    <message>
        <source>What is drawn stays, and all else is made anew</source>
        <translation>描いた部分が残り、ほかはすべて新しく作られます</translation>
    </message>
    <message>
        <source>Swap black and white</source>
        <translation>白黒を反転する</translation>
    </message>
    <message>
        <source>Left</source>
        <translation>左</translation>
    </message>
    <message>
        <source>Pixels from the left edge of the video, at this frame</source>
        <translation>このフレームでの、動画の左端からのピクセル数</translation>
    </message>
    <message>
        <source>Move a shape</source>
        <translation>図形を移動</translation>
    </message>
    <message>
        <source>Top</source>
        <translation>上</translation>
    </message>
    <message>
        <source>Pixels from the upper edge of the video, at this frame</source>
        <translation>このフレームでの、動画の上端からのピクセル数</translation>
    </message>
    <message>
        <source>Width</source>
        <translation>幅</translation>
    </message>
    <message>
        <source>Pixels, at this frame</source>
        <translation>このフレームでのピクセル数</translation>
    </message>
    <message>
        <source>Scale a shape</source>
        <translation>図形を拡大・縮小</translation>
    </message>
    <message>
        <source>Height</source>
        <translation>高さ</translation>
    </message>
    <message>
        <source>Move a point</source>
        <translation>点を移動</translation>
    </message>
    <message>
        <source>From the left</source>
        <translation>左から</translation>
    </message>
    <message>
        <source>From the top</source>
        <translation>上から</translation>
    </message>
    <message>
        <source>Curve</source>
        <translation>曲線</translation>
    </message>
    <message>
        <source>A curve through its points, and no lines between them</source>
        <translation>点を直線でなく曲線で結びます</translation>
    </message>
    <message>
        <source>Out of sight at its end</source>
        <translation>終わりで隠れる</translation>
    </message>
    <message>
        <source>Behind its last keyframe the point is hidden; otherwise it stays there</source>
        <translation>最後のキーフレームの後、点は隠れます。オフのときはそこに留まります</translation>
    </message>
    <message>
        <source>How it goes from the keyframe at this frame to the next one</source>
        <translation>このフレームのキーフレームから次へどう進むか</translation>
    </message>
    <message>
        <source>To the next</source>
        <translation>次へ</translation>
    </message>
    <message>
        <source>Change the speed</source>
        <translation>速さを変更</translation>
    </message>
    <message>
        <source>Write %1 and use it in the project</source>
        <translation>%1 に書き込み、プロジェクトで使います</translation>
    </message>
    <message>
        <source>Nothing is drawn yet.</source>
        <translation>まだ何も描かれていません。</translation>
    </message>
    <message>
        <source>Save the drawing</source>
        <translation>描いたものを保存</translation>
    </message>
    <message>
        <source>Drawings (*.json)</source>
        <translation>描画 (*.json)</translation>
    </message>
    <message>
        <source>The drawing has changes that are not saved.</source>
        <translation>保存していない変更があります。</translation>
    </message>
</context>
<context>
    <name>meshreel::DrawingDocument</name>
    <message>
        <source>Track %1</source>
        <translation>トラック %1</translation>
    </message>
    <message>
        <source>Box %1</source>
        <translation>長方形 %1</translation>
    </message>
    <message>
        <source>Ellipse %1</source>
        <translation>楕円 %1</translation>
    </message>
    <message>
        <source>Polygon %1</source>
        <translation>多角形 %1</translation>
    </message>
    <message>
        <source>Stroke %1</source>
        <translation>ストローク %1</translation>
    </message>
    <message>
        <source>Remove %1</source>
        <translation>%1 を削除</translation>
    </message>
    <message>
        <source>Copy %1</source>
        <translation>%1 を複製</translation>
    </message>
    <message>
        <source>Change the order</source>
        <translation>順序を変更</translation>
    </message>
    <message>
        <source>Move %1</source>
        <translation>%1 を移動</translation>
    </message>
    <message>
        <source>Add a keyframe</source>
        <translation>キーフレームを追加</translation>
    </message>
    <message>
        <source>Remove a keyframe</source>
        <translation>キーフレームを削除</translation>
    </message>
    <message>
        <source>Move a keyframe</source>
        <translation>キーフレームを移動</translation>
    </message>
</context>
<context>
    <name>meshreel::DrawingOpener</name>
    <message>
        <source>Saving it clears the track visibility: points that stay hidden leave, and all others are in sight.</source>
        <translation>保存するとトラックの可視性は空になります。隠れたままの点は画面から出て、ほかの点はすべて見えます。</translation>
    </message>
    <message>
        <source>Fitted to the project: %1 × %2, %3 frames at %4 a second.</source>
        <translation>プロジェクトに合わせました：%1 × %2、%3 フレーム、毎秒 %4。</translation>
    </message>
    <message>
        <source>%1 does not lie beside the project and stays as it is: a copy is saved.</source>
        <translation>%1 はプロジェクトの隣にないため、そのまま残り、コピーが保存されます。</translation>
    </message>
    <message>
        <source>Read from the points of %1, which stays as it is.</source>
        <translation>%1 の点から読み込みました。元のファイルは変わりません。</translation>
    </message>
    <message>
        <source>%1 is no drawing: a new one takes its place when it is saved.</source>
        <translation>%1 は描画ではありません。保存すると新しい描画に置き換わります。</translation>
    </message>
</context>
<context>
    <name>meshreel::DrawingStage</name>
    <message>
        <source>Picture that is drawn on</source>
        <translation>描き込む画像</translation>
    </message>
    <message>
        <source>frame %1</source>
        <translation>フレーム %1</translation>
    </message>
    <message>
        <source>Nothing is chosen; %1</source>
        <translation>何も選択されていません。%1</translation>
    </message>
    <message>
        <source>%1 is chosen; %2</source>
        <translation>%1 を選択中。%2</translation>
    </message>
</context>
<context>
    <name>meshreel::DrawingStrip</name>
    <message>
        <source>Keyframes along the clip</source>
        <translation>クリップ上のキーフレーム</translation>
    </message>
    <message>
        <source>Frame %1</source>
        <translation>フレーム %1</translation>
    </message>
    <message>
        <source>%1; keyframes at %2</source>
        <translation>%1。キーフレーム：%2</translation>
    </message>
    <message>
        <source>Keyframe at frame %1: drag it along</source>
        <translation>フレーム %1 のキーフレーム：ドラッグで移動</translation>
    </message>
    <message>
        <source>Click to go to a frame</source>
        <translation>クリックでフレームへ移動</translation>
    </message>
</context>
<context>
    <name>meshreel::EngineUse</name>
    <message>
        <source>Tune is timing block sizes: wait for its end, or cancel it there.</source>
        <translation>［調整］がブロックサイズを計測中です。終わるのを待つか、そこでキャンセルしてください。</translation>
    </message>
    <message>
        <source>A sweep is being timed: wait for its end, or cancel it there.</source>
        <translation>一括計測の実行中です。終わるのを待つか、そこでキャンセルしてください。</translation>
    </message>
    <message>
        <source>This machine is being measured: wait for its end, or cancel it.</source>
        <translation>このマシンを計測中です。終わるのを待つか、キャンセルしてください。</translation>
    </message>
    <message>
        <source>A run is in progress: wait until it ends, or cancel it.</source>
        <translation>実行中です。終わるまで待つか、キャンセルしてください。</translation>
    </message>
    <message>
        <source>Bench is measuring: wait for its end, or cancel it there.</source>
        <translation>ベンチが計測中です：終わるのを待つか、そこで中止してください。</translation>
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
        <translation>書き出し</translation>
    </message>
    <message>
        <source>Write the chart to a file</source>
        <translation>グラフをファイルに書き出します</translation>
    </message>
    <message>
        <source>Export the chart</source>
        <translation>グラフを書き出し</translation>
    </message>
</context>
<context>
    <name>meshreel::FilterBar</name>
    <message>
        <source>Today</source>
        <translation>今日</translation>
    </message>
    <message>
        <source>Last 7 days</source>
        <translation>過去 7 日間</translation>
    </message>
    <message>
        <source>Last 30 days</source>
        <translation>過去 30 日間</translation>
    </message>
    <message>
        <source>Search runs</source>
        <translation>実行を検索</translation>
    </message>
    <message>
        <source>Only runs with a star</source>
        <translation>スター付きの実行のみ</translation>
    </message>
    <message>
        <source>Show only runs with a star</source>
        <translation>スター付きの実行だけを表示</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>絞り込み</translation>
    </message>
    <message>
        <source>Show only runs of a model, task, adapter, time, tag or board</source>
        <translation>モデル、タスク、アダプター、期間、タグ、ボードで実行を絞り込む</translation>
    </message>
    <message>
        <source>Show all runs</source>
        <translation>すべての実行を表示</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>開始</translation>
    </message>
    <message>
        <source>End the filter %1</source>
        <translation>フィルター「%1」を解除</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>kind of filter and its value</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>With a star</source>
        <translation>スター付き</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <comment>numbers of runs</comment>
        <translation>%1 / %2</translation>
    </message>
    <message numerus="yes">
        <source>%n runs</source>
        <translation>
            <numerusform>%n 件の実行</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 runs are shown</source>
        <translation>%1 件の実行を表示中</translation>
    </message>
</context>
<context>
    <name>meshreel::Fixes</name>
    <message>
        <source>Set %1 to %2</source>
        <comment>title of a setting, value</comment>
        <translation>%1を%2に設定</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <comment>title of a setting, value; one of several in “Set …”</comment>
        <translation>%1を%2</translation>
    </message>
    <message>
        <source>Set %1</source>
        <comment>several settings with their values</comment>
        <translation>%1に設定</translation>
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
        <translation>%1〜%2</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <comment>memory</comment>
        <translation>%1/%2</translation>
    </message>
    <message>
        <source>%1 of %2: does not fit</source>
        <comment>memory</comment>
        <translation>%1/%2: 収まらない</translation>
    </message>
    <message>
        <source>Four of five measurements fall into it</source>
        <translation>測定の5回に4回はこの範囲に入ります</translation>
    </message>
    <message>
        <source>The largest cost apart from linear layers and attention products</source>
        <translation>線形層とアテンションの積のほかに最も時間がかかるもの</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>デバイス</translation>
    </message>
    <message>
        <source>Mesh</source>
        <translation>メッシュ</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>アテンション</translation>
    </message>
    <message>
        <source>Blocks</source>
        <translation>ブロック</translation>
    </message>
    <message>
        <source>s/step</source>
        <translation>秒/ステップ</translation>
    </message>
    <message>
        <source>Range</source>
        <translation>範囲</translation>
    </message>
    <message>
        <source>Clip s</source>
        <translation>動画 秒</translation>
    </message>
    <message>
        <source>Memory per device</source>
        <translation>デバイスあたりのメモリー</translation>
    </message>
    <message>
        <source>Money</source>
        <comment>for a clip</comment>
        <translation>費用</translation>
    </message>
    <message>
        <source>Largest overhead</source>
        <translation>最大のオーバーヘッド</translation>
    </message>
    <message>
        <source>%1, the project&apos;s own</source>
        <comment>a mesh</comment>
        <translation>%1（プロジェクト自身）</translation>
    </message>
    <message>
        <source>The project&apos;s own mesh, which the others are compared with</source>
        <translation>他と比べる基準となる、プロジェクト自身のメッシュ</translation>
    </message>
    <message>
        <source>The project&apos;s own</source>
        <translation>プロジェクト自身</translation>
    </message>
    <message>
        <source>Beside the project&apos;s own mesh, in bold; where the ranges overlap, either may be faster</source>
        <translation>太字のプロジェクト自身のメッシュとの比較。範囲が重なる場合はどちらが速いか分かりません</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>判定</translation>
    </message>
</context>
<context>
    <name>meshreel::ForesightCharts</name>
    <message>
        <source>Seconds a step</source>
        <comment>axis of a chart</comment>
        <translation>1ステップの秒数</translation>
    </message>
    <message>
        <source>Seconds a step of the fastest mesh</source>
        <translation>最速のメッシュの1ステップの秒数</translation>
    </message>
    <message>
        <source>%1, measured</source>
        <comment>run</comment>
        <translation>%1（測定）</translation>
    </message>
    <message>
        <source>%1, foreseen on %2</source>
        <comment>run, mesh</comment>
        <translation>%1（%2での予測）</translation>
    </message>
    <message>
        <source>%1 (own)</source>
        <comment>the mesh of the project</comment>
        <translation>%1（自分の）</translation>
    </message>
</context>
<context>
    <name>meshreel::ForesightPanel</name>
    <message>
        <source>Use this mesh</source>
        <translation>このメッシュを使用</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>プログラム</translation>
    </message>
    <message>
        <source>What runs the model there</source>
        <translation>そこでモデルを動かすもの</translation>
    </message>
    <message>
        <source>Numbers of devices</source>
        <translation>デバイスの台数</translation>
    </message>
    <message>
        <source>Numbers of devices from 1 to 4,096, separated by commas</source>
        <translation>1〜4,096の台数（コンマ区切り）</translation>
    </message>
    <message>
        <source>Price</source>
        <translation>価格</translation>
    </message>
    <message>
        <source>Price of a device for an hour: adds the money for a clip</source>
        <translation>1台1時間の価格。動画1本の費用を表示します</translation>
    </message>
    <message>
        <source>no price</source>
        <translation>価格なし</translation>
    </message>
    <message>
        <source>Best mesh by context size</source>
        <translation>コンテキストの大きさごとの最良のメッシュ</translation>
    </message>
    <message>
        <source>Seconds a step by split</source>
        <translation>分割ごとの1ステップの秒数</translation>
    </message>
    <message>
        <source>Block sizes</source>
        <translation>ブロックサイズ</translation>
    </message>
    <message>
        <source>Scaling to 4,096 devices</source>
        <translation>4,096台までのスケーリング</translation>
    </message>
    <message>
        <source>Foreseen beside measured</source>
        <translation>予測と測定の比較</translation>
    </message>
    <message>
        <source>What the chart shows</source>
        <translation>グラフの内容</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>デバイス</translation>
    </message>
    <message>
        <source>Chart of the foresight</source>
        <translation>予測のグラフ</translation>
    </message>
    <message>
        <source>Foreseen meshes</source>
        <translation>予測したメッシュ</translation>
    </message>
    <message>
        <source>Gives this mesh, its attention and its block sizes to the project; can be undone</source>
        <translation>このメッシュとアテンション、ブロックサイズをプロジェクトに設定します（元に戻せます）</translation>
    </message>
    <message>
        <source>chart</source>
        <comment>beside a divider</comment>
        <translation>グラフ</translation>
    </message>
    <message>
        <source>meshes</source>
        <comment>beside a divider</comment>
        <translation>メッシュ</translation>
    </message>
    <message>
        <source>%1 (default)</source>
        <comment>program</comment>
        <translation>%1（既定）</translation>
    </message>
    <message>
        <source>Choose the hardware above to see which mesh is the fastest there, and how many seconds a step takes.</source>
        <translation>上でハードウェアを選ぶと、そこで最速のメッシュと1ステップの秒数がわかります。</translation>
    </message>
    <message>
        <source>Write numbers of devices from 1 to 4,096, such as 8, 16.</source>
        <translation>1〜4,096の台数を書いてください（例: 8, 16）。</translation>
    </message>
    <message>
        <source>The project cannot be planned: Problems says what keeps it from that.</source>
        <translation>プロジェクトを計画できません。妨げているものは［問題］にあります。</translation>
    </message>
    <message>
        <source>Reading the profile and the published times…</source>
        <translation>プロファイルと公開された時間を読み込み中…</translation>
    </message>
    <message>
        <source>%1, %2: efficiencies from %3. Double click a mesh to use it.</source>
        <comment>hardware, program, basis</comment>
        <translation>%1、%2: 効率の根拠は%3。メッシュをダブルクリックすると使います。</translation>
    </message>
    <message>
        <source>No legal mesh has so many devices.</source>
        <translation>この台数の有効なメッシュはありません。</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <comment>title of a chart: what it shows, hardware</comment>
        <translation>%1、%2</translation>
    </message>
    <message>
        <source>Mesh: %1</source>
        <translation>メッシュ: %1</translation>
    </message>
    <message>
        <source>Pasted blocks name no mesh: select the one they ran on.</source>
        <translation>貼り付けたブロックにはメッシュの名前がありません。実行したメッシュを選んでください。</translation>
    </message>
</context>
<context>
    <name>meshreel::FrameView</name>
    <message>
        <source>The wheel zooms, dragging moves, a double click fits (+, -, Shift with an arrow key, 0).</source>
        <translation>ホイールで拡大・縮小、ドラッグで移動、ダブルクリックで全体表示（+、-、Shift+矢印キー、0）。</translation>
    </message>
</context>
<context>
    <name>meshreel::FramesField</name>
    <message>
        <source>Length in seconds</source>
        <translation>長さ（秒）</translation>
    </message>
    <message>
        <source>s</source>
        <comment>seconds, behind a number</comment>
        <translation>秒</translation>
    </message>
    <message>
        <source>The nearest legal number of frames is taken: steps of %1 s</source>
        <translation>最も近い有効なフレーム数になります：%1 秒刻み</translation>
    </message>
</context>
<context>
    <name>meshreel::FullScreenView</name>
    <message>
        <source>Video</source>
        <translation>動画</translation>
    </message>
</context>
<context>
    <name>meshreel::GridDialog</name>
    <message>
        <source>Choose a setting</source>
        <translation>設定を選択</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>section and title of a setting</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Add a grid to the queue</source>
        <translation>グリッドをキューに追加</translation>
    </message>
    <message>
        <source>Add to the queue</source>
        <translation>キューに追加</translation>
    </message>
    <message>
        <source>Setting %1</source>
        <translation>設定%1</translation>
    </message>
    <message>
        <source>Values of setting %1</source>
        <translation>設定%1の値</translation>
    </message>
    <message>
        <source>Now: %1</source>
        <translation>現在: %1</translation>
    </message>
    <message numerus="yes">
        <source>%n runs will be added.</source>
        <translation>
            <numerusform>%n件の実行が追加されます。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n combinations cannot run and are left out: %1</source>
        <translation>
            <numerusform>%n件の組み合わせは実行できないため除外されます: %1</numerusform>
        </translation>
    </message>
    <message>
        <source>The project is added once for every combination of these values. Write one value a line; for numbers and choices also 1, 2, 5, for whole numbers also 1..8; in prompts a {ball|cube} stands for both.</source>
        <translation>これらの値の組み合わせごとにプロジェクトを1回追加します。1行に1つの値を書きます。数値と選択肢は1, 2, 5とも、整数は1..8とも書け、プロンプトではa {ball|cube}が両方を表します。</translation>
    </message>
</context>
<context>
    <name>meshreel::GridTexts</name>
    <message>
        <source>Choose a setting and write its values.</source>
        <translation>設定を選び、その値を書いてください。</translation>
    </message>
    <message>
        <source>“%1” is chosen more than once: write all of its values into one field.</source>
        <translation>「%1」が複数回選ばれています。値はすべて1つの欄に書いてください。</translation>
    </message>
    <message>
        <source>Write at least one value of “%1”.</source>
        <translation>「%1」の値を少なくとも1つ書いてください。</translation>
    </message>
    <message>
        <source>These are more than %1 runs, the most that a grid adds: leave some values out.</source>
        <translation>グリッドで追加できるのは%1件までですが、それを超えています。値を減らしてください。</translation>
    </message>
</context>
<context>
    <name>meshreel::HardwareChooser</name>
    <message>
        <source>Plan for</source>
        <translation>計画の対象</translation>
    </message>
    <message>
        <source>This machine</source>
        <translation>このマシン</translation>
    </message>
    <message>
        <source>Profile file…</source>
        <translation>プロファイルのファイル…</translation>
    </message>
    <message>
        <source>Choose a hardware profile</source>
        <translation>ハードウェアのプロファイルを選択</translation>
    </message>
    <message>
        <source>Hardware profiles (*.yaml)</source>
        <translation>ハードウェアのプロファイル (*.yaml)</translation>
    </message>
    <message>
        <source>Plan for this machine alone</source>
        <translation>このマシンだけを対象に計画</translation>
    </message>
    <message>
        <source>Hardware that time, memory and meshes are predicted for beside this machine. It is kept for this project alone. Runs always happen on this machine.</source>
        <translation>このマシンに加えて、時間・メモリ・メッシュを予測するハードウェアです。このプロジェクトだけに保存されます。実行は常にこのマシンで行われます。</translation>
    </message>
</context>
<context>
    <name>meshreel::HistoryActions</name>
    <message numerus="yes">
        <source>Moved to the trash: %n runs</source>
        <translation>
            <numerusform>ゴミ箱に移動しました: %n件の実行</numerusform>
        </translation>
    </message>
    <message>
        <source>The system has no trash for %1; use Show folder and delete there.</source>
        <translation>システムに%1用のゴミ箱がありません。［フォルダーを表示］を使い、そこで削除してください。</translation>
    </message>
    <message>
        <source>Move to trash</source>
        <translation>ゴミ箱に移動</translation>
    </message>
    <message numerus="yes">
        <source>Move %n runs to the trash?</source>
        <translation>
            <numerusform>%n 件の実行をゴミ箱に移動しますか？</numerusform>
        </translation>
    </message>
    <message>
        <source>A program works on %1: cancel it there, or wait until it is done.</source>
        <translation>プログラムが %1 を処理しています。そこで中止するか、終わるまで待ってください。</translation>
    </message>
</context>
<context>
    <name>meshreel::HistoryPanel</name>
    <message>
        <source>Open</source>
        <translation>開く</translation>
    </message>
    <message>
        <source>Show the chart, summary and video of the run</source>
        <translation>この実行のグラフ、サマリー、動画を表示します</translation>
    </message>
    <message>
        <source>Load these settings</source>
        <translation>この設定を読み込む</translation>
    </message>
    <message>
        <source>Edit a copy of the run&apos;s project</source>
        <translation>この実行のプロジェクトのコピーを編集します</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>再開</translation>
    </message>
    <message>
        <source>Resume on a different machine</source>
        <translation>別のマシンで再開</translation>
    </message>
    <message>
        <source>Decode again</source>
        <translation>再デコード</translation>
    </message>
    <message>
        <source>Make the video again from the kept latents</source>
        <translation>保存された潜在変数から動画を作り直します</translation>
    </message>
    <message>
        <source>Show folder</source>
        <translation>フォルダーを表示</translation>
    </message>
    <message>
        <source>Open the run&apos;s folder in the file manager</source>
        <translation>実行フォルダーをファイルマネージャーで開きます</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>実行一覧</translation>
    </message>
    <message>
        <source>Read the runs folder again</source>
        <translation>実行フォルダーを読み直します</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比較</translation>
    </message>
    <message>
        <source>Show the selected runs in one chart, with the settings that differ</source>
        <translation>選択した実行を1つのグラフに表示し、異なる設定も示します</translation>
    </message>
    <message>
        <source>Move to trash</source>
        <translation>ゴミ箱に移動</translation>
    </message>
    <message>
        <source>Move the folders of the selected runs to the trash</source>
        <translation>選択した実行のフォルダーをゴミ箱に移動します</translation>
    </message>
    <message>
        <source>No run matches “%1”.</source>
        <translation>「%1」に一致する実行はありません。</translation>
    </message>
    <message>
        <source>Describe a video</source>
        <translation>動画の説明を入力</translation>
    </message>
    <message>
        <source>Show all runs</source>
        <translation>すべての実行を表示</translation>
    </message>
    <message>
        <source>There are no runs yet: describe a video and press Run.</source>
        <translation>まだ実行がありません。作りたい動画を説明して［実行］を押してください。</translation>
    </message>
    <message>
        <source>Compare with the open project</source>
        <translation>開いているプロジェクトと比較</translation>
    </message>
    <message>
        <source>Show in which settings the selected runs and the project being edited differ</source>
        <translation>選択した実行と編集中のプロジェクトで異なる設定を表示します</translation>
    </message>
    <message>
        <source>Copy timing summaries</source>
        <translation>計時サマリーをコピー</translation>
    </message>
    <message>
        <source>Copy those of the selected runs in the published layout</source>
        <translation>選択した実行の計時サマリーを、公開されている書式でコピーします</translation>
    </message>
    <message>
        <source>Copy best configurations</source>
        <translation>最良の構成をコピー</translation>
    </message>
    <message>
        <source>Copy the fastest of the selected runs, by attention mode and number of devices, as a Markdown table</source>
        <translation>選択した実行のうち最速のものを、アテンションモードとデバイス数ごとにMarkdownの表としてコピーします</translation>
    </message>
    <message>
        <source>Refresh</source>
        <translation>更新</translation>
    </message>
    <message>
        <source>Go on from the last finished step</source>
        <translation>最後に完了したステップから再開します</translation>
    </message>
    <message>
        <source>Resume although the processor, build or number of workers has changed; the last bits of the result may differ</source>
        <translation>プロセッサー、ビルド、ワーカー数が変わっていても再開します。結果の最後の数ビットが異なることがあります</translation>
    </message>
    <message>
        <source>Export videos</source>
        <translation>動画を書き出す</translation>
    </message>
    <message>
        <source>Copy the videos of the selected runs into a folder</source>
        <translation>選択した実行の動画をフォルダーにコピー</translation>
    </message>
    <message>
        <source>Large preview</source>
        <translation>大きなプレビュー</translation>
    </message>
    <message>
        <source>Play the run large, with its settings; the arrow keys go on to the next one</source>
        <translation>実行を設定とともに大きく再生。矢印キーで次へ進みます</translation>
    </message>
    <message>
        <source>Star</source>
        <translation>スター</translation>
    </message>
    <message>
        <source>Give the selected runs a star, or take it away</source>
        <translation>選択した実行にスターを付ける、または外す</translation>
    </message>
    <message>
        <source>Tags…</source>
        <translation>タグ…</translation>
    </message>
    <message>
        <source>Change the tags of the selected runs</source>
        <translation>選択した実行のタグを変更</translation>
    </message>
    <message>
        <source>Boards…</source>
        <translation>ボード…</translation>
    </message>
    <message>
        <source>Put the selected runs on boards: collections with a name</source>
        <translation>選択した実行をボード（名前付きのコレクション）に入れる</translation>
    </message>
    <message>
        <source>Show runs as tiles</source>
        <translation>実行をタイルで表示</translation>
    </message>
    <message>
        <source>Show runs as a table</source>
        <translation>実行を表で表示</translation>
    </message>
    <message>
        <source>Tags of the selected runs</source>
        <translation>選択した実行のタグ</translation>
    </message>
    <message>
        <source>Boards of the selected runs</source>
        <translation>選択した実行のボード</translation>
    </message>
    <message>
        <source>No run passes these filters.</source>
        <translation>この条件に合う実行はありません。</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>評価</translation>
    </message>
    <message>
        <source>See the videos of the selected runs in pairs, without their settings, and say which is better; of one run, all of its prompt</source>
        <translation>選んだ実行の動画を、設定を伏せて 2 本ずつ見て良い方を選びます。1 件だけなら同じプロンプトのすべてが対象です</translation>
    </message>
</context>
<context>
    <name>meshreel::HostTexts</name>
    <message numerus="yes">
        <source>%n rank(s)</source>
        <translation>
            <numerusform>%nランク</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1, each with %n device(s)</source>
        <comment>sum of ranks</comment>
        <translation>
            <numerusform>%1、それぞれデバイス%n台</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::ImportDialog</name>
    <message>
        <source>Import from MaxDiffusion</source>
        <translation>MaxDiffusionからインポート</translation>
    </message>
    <message>
        <source>Open as a project</source>
        <translation>プロジェクトとして開く</translation>
    </message>
    <message>
        <source>base_wan_14b.yml, typed, chosen or dropped here</source>
        <translation>base_wan_14b.yml（入力、選択、またはここにドロップ）</translation>
    </message>
    <message>
        <source>Config</source>
        <translation>設定ファイル</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>選択…</translation>
    </message>
    <message>
        <source>python generate_wan.py base_wan_14b.yml attention=ulysses_ring ulysses_shards=2 …</source>
        <translation>python generate_wan.py base_wan_14b.yml attention=ulysses_ring ulysses_shards=2 …</translation>
    </message>
    <message>
        <source>Command line</source>
        <translation>コマンドライン</translation>
    </message>
    <message>
        <source>What became of every key</source>
        <translation>各キーの扱い</translation>
    </message>
    <message>
        <source>command line</source>
        <translation>コマンドライン</translation>
    </message>
    <message>
        <source>Choose a config of MaxDiffusion</source>
        <translation>MaxDiffusionの設定ファイルを選択</translation>
    </message>
    <message>
        <source>Configs (*.yml *.yaml);;All files (*)</source>
        <translation>設定ファイル (*.yml *.yaml);;すべてのファイル (*)</translation>
    </message>
    <message>
        <source>Choose a config, paste a command line, or both: its settings win. What becomes of every key is told here before anything is opened.</source>
        <translation>設定ファイルを選ぶか、コマンドラインを貼り付けるか、その両方を行います（コマンドラインが優先）。開く前に、各キーの扱いがここに示されます。</translation>
    </message>
    <message>
        <source>Fix before running: %1</source>
        <translation>実行前に直すところ: %1</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>モデル</translation>
    </message>
    <message>
        <source>The model that the config or the command line names, or another one</source>
        <translation>設定またはコマンドラインが指定するモデル、あるいは別のモデル</translation>
    </message>
    <message>
        <source>Choose the model that the config is for</source>
        <translation>この設定の対象のモデルを選択</translation>
    </message>
</context>
<context>
    <name>meshreel::ImportReportModel</name>
    <message>
        <source>taken</source>
        <translation>採用</translation>
    </message>
    <message>
        <source>translated</source>
        <translation>変換</translation>
    </message>
    <message>
        <source>ignored</source>
        <translation>無視</translation>
    </message>
    <message>
        <source>refused</source>
        <translation>拒否</translation>
    </message>
    <message numerus="yes">
        <source>%n taken</source>
        <comment>keys</comment>
        <translation>
            <numerusform>採用%n件</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n translated</source>
        <comment>keys</comment>
        <translation>
            <numerusform>変換%n件</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n ignored</source>
        <comment>keys</comment>
        <translation>
            <numerusform>無視%n件</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n refused</source>
        <comment>keys</comment>
        <translation>
            <numerusform>拒否%n件</numerusform>
        </translation>
    </message>
    <message>
        <source>command line</source>
        <translation>コマンドライン</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>キー</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>結果</translation>
    </message>
    <message>
        <source>Meshreel setting or reason</source>
        <translation>設定または理由</translation>
    </message>
    <message>
        <source>From</source>
        <translation>出所</translation>
    </message>
</context>
<context>
    <name>meshreel::InputRequest</name>
    <message>
        <source>Choose…</source>
        <translation>選択…</translation>
    </message>
    <message>
        <source>%1: drop the file here.</source>
        <comment>title of an input</comment>
        <translation>%1：ファイルをここにドロップしてください。</translation>
    </message>
    <message>
        <source>Choose: %1</source>
        <comment>title of an input</comment>
        <translation>選択：%1</translation>
    </message>
</context>
<context>
    <name>meshreel::KeyField</name>
    <message>
        <source>Take a random seed</source>
        <translation>シードをランダムに選びます</translation>
    </message>
    <message>
        <source>Choose a model folder</source>
        <translation>モデルフォルダーを選択</translation>
    </message>
    <message>
        <source>Choose a model</source>
        <translation>モデルを選択</translation>
    </message>
    <message>
        <source>Choose a model &amp;folder…</source>
        <translation>モデルフォルダーを選択(&amp;F)…</translation>
    </message>
    <message>
        <source>Choose a transformer’s f&amp;ile…</source>
        <translation>トランスフォーマーのファイルを選択(&amp;I)…</translation>
    </message>
    <message>
        <source>Choose a transformer’s file</source>
        <translation>トランスフォーマーのファイルを選択</translation>
    </message>
    <message>
        <source>Weights (*.safetensors *.gguf *.pth *.pt)</source>
        <translation>重み (*.safetensors *.gguf *.pth *.pt)</translation>
    </message>
    <message>
        <source>auto (%1)</source>
        <comment>the value that is taken</comment>
        <translation>自動 (%1)</translation>
    </message>
</context>
<context>
    <name>meshreel::KeyHelp</name>
    <message>
        <source>default %1</source>
        <comment>value</comment>
        <translation>既定値%1</translation>
    </message>
    <message>
        <source>Choose a setting to read what it does.</source>
        <translation>設定を選ぶと、その働きを表示します。</translation>
    </message>
    <message>
        <source>Reference</source>
        <translation>リファレンス</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>ヘルプ</translation>
    </message>
</context>
<context>
    <name>meshreel::KeyReference</name>
    <message>
        <source>Reference of the project keys</source>
        <translation>プロジェクトキーのリファレンス</translation>
    </message>
</context>
<context>
    <name>meshreel::KeyRow</name>
    <message>
        <source>Back to the default: empty</source>
        <translation>既定値に戻す: 空</translation>
    </message>
    <message>
        <source>Back to the default: %1</source>
        <translation>既定値に戻す: %1</translation>
    </message>
    <message>
        <source>Reset %1</source>
        <comment>title of a setting</comment>
        <translation>%1をリセット</translation>
    </message>
</context>
<context>
    <name>meshreel::KeyTexts</name>
    <message>
        <source>at least %1</source>
        <translation>%1以上</translation>
    </message>
    <message>
        <source>at most %1</source>
        <translation>%1以下</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <comment>range of values</comment>
        <translation>%1～%2</translation>
    </message>
    <message>
        <source>%1, step %2</source>
        <comment>range and step</comment>
        <translation>%1、%2刻み</translation>
    </message>
    <message>
        <source>%1, or %2 for automatic</source>
        <comment>range and special value</comment>
        <translation>%1、または自動の%2</translation>
    </message>
    <message>
        <source>%1. %2</source>
        <comment>what is wrong and what to do</comment>
        <translation>%1。%2</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>title of a setting, its section</comment>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>field and its problem</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>%1 to %2, or %3 for a random one</source>
        <comment>range and special value of a seed</comment>
        <translation>%1～%2、%3はランダム</translation>
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
        <translation>%1 (%2、%3)</translation>
    </message>
    <message>
        <source>%1 s</source>
        <comment>seconds</comment>
        <translation>%1 秒</translation>
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
        <translation>なし</translation>
    </message>
</context>
<context>
    <name>meshreel::KeyframeField</name>
    <message>
        <source>frame</source>
        <translation>フレーム</translation>
    </message>
    <message>
        <source>seconds</source>
        <translation>秒</translation>
    </message>
    <message>
        <source>percent</source>
        <translation>パーセント</translation>
    </message>
    <message>
        <source>Add pictures…</source>
        <translation>画像を追加…</translation>
    </message>
    <message>
        <source>Choose pictures, or drop them on the strip at their frames</source>
        <translation>画像を選ぶか、帯の上の該当フレームにドロップします</translation>
    </message>
    <message>
        <source>Choose pictures</source>
        <translation>画像を選択</translation>
    </message>
    <message>
        <source>Remove keyframe %1</source>
        <translation>キーフレーム %1 を削除</translation>
    </message>
    <message>
        <source>Picture of keyframe %1</source>
        <translation>キーフレーム %1 の画像</translation>
    </message>
    <message>
        <source>Place of keyframe %1</source>
        <translation>キーフレーム %1 の位置</translation>
    </message>
    <message>
        <source>Where the picture stands in the clip; frames are counted from 0</source>
        <translation>クリップ内での画像の位置。フレームは 0 から数えます</translation>
    </message>
    <message>
        <source>How the place of keyframe %1 is counted</source>
        <translation>キーフレーム %1 の位置の数え方</translation>
    </message>
</context>
<context>
    <name>meshreel::KeyframeStrip</name>
    <message>
        <source>Pictures along the clip</source>
        <translation>クリップに沿った画像</translation>
    </message>
    <message>
        <source>frame %1</source>
        <translation>フレーム %1</translation>
    </message>
    <message>
        <source>frame %1, %2 s</source>
        <translation>フレーム %1、%2 秒</translation>
    </message>
    <message>
        <source>%1 at %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>%1 (chosen)</source>
        <translation>%1（選択中）</translation>
    </message>
    <message>
        <source>No pictures yet. Drop some here.</source>
        <translation>画像はまだありません。ここにドロップしてください。</translation>
    </message>
    <message>
        <source>Drop pictures here, and drag them to their frames</source>
        <translation>ここに画像をドロップし、フレームまでドラッグします</translation>
    </message>
</context>
<context>
    <name>meshreel::LaneReader</name>
    <message>
        <source>Comma and full stop go from step to step in the lane of the current row.</source>
        <translation>カンマとピリオドで、現在の行のレーンをステップごとに移動します。</translation>
    </message>
</context>
<context>
    <name>meshreel::LastPlanMark</name>
    <message>
        <source>This is how the project was last legal; Problems says what keeps it from being planned.</source>
        <translation>これは最後に有効だったときのプロジェクトです。計画できない理由は「問題」に示されています。</translation>
    </message>
    <message>
        <source>Nothing is drawn, as this project cannot be planned: %1. See Problems to mend it.</source>
        <translation>このプロジェクトは計画できないため、何も描かれません: %1。直し方は「問題」を見てください。</translation>
    </message>
    <message>
        <source>Nothing is drawn, as this project cannot be planned: %1.</source>
        <translation>このプロジェクトは計画できないため、何も描かれません: %1。</translation>
    </message>
</context>
<context>
    <name>meshreel::LegalMeshModel</name>
    <message>
        <source>one device</source>
        <translation>デバイス1台</translation>
    </message>
    <message>
        <source>What the busiest device receives from the others in one step</source>
        <translation>最も通信の多いデバイスが1ステップで他から受け取る量</translation>
    </message>
    <message>
        <source>Mesh</source>
        <translation>メッシュ</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>アテンション</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>ステップ</translation>
    </message>
    <message>
        <source>Exchange</source>
        <comment>column of the legal meshes: bytes per step</comment>
        <translation>交換</translation>
    </message>
    <message>
        <source>%1, between hosts %2</source>
        <comment>mesh, its part</comment>
        <translation>%1、ホスト間は%2</translation>
    </message>
    <message>
        <source>What the busiest host receives from the others in one step</source>
        <translation>最も通信の多いホストが1ステップで他から受け取る量</translation>
    </message>
    <message>
        <source>The part of the mesh that lies between hosts; the rest lies inside each</source>
        <translation>メッシュのうちホスト間にまたがる部分。残りは各ホストの中にあります</translation>
    </message>
    <message>
        <source>Between hosts</source>
        <comment>column of the legal meshes: bytes per step</comment>
        <translation>ホスト間</translation>
    </message>
    <message>
        <source>Hosts</source>
        <comment>column of the legal meshes: axes</comment>
        <translation>ホスト</translation>
    </message>
    <message>
        <source>+%1 %</source>
        <comment>how much longer</comment>
        <translation>+%1%</translation>
    </message>
    <message>
        <source>How long a step is expected to take with the fastest, and how much longer with the others</source>
        <translation>最速のものでの1ステップの予想時間と、ほかではどれだけ長いか</translation>
    </message>
    <message>
        <source>Heads are uneven: the others wait for devices with %1 of them, so attention reaches %2 % of the speed of an even split.</source>
        <comment>number, number</comment>
        <translation>ヘッドが均等ではありません。ほかのデバイスは%1個を持つデバイスを待つため、アテンションの速度は均等な分割の%2 %になります。</translation>
    </message>
</context>
<context>
    <name>meshreel::LegalMeshes</name>
    <message>
        <source>Use this mesh</source>
        <translation>このメッシュを使用</translation>
    </message>
    <message>
        <source>Valid meshes, least traffic first</source>
        <translation>有効なメッシュ（通信量の少ない順）</translation>
    </message>
    <message>
        <source>Measure to sort by time</source>
        <translation>測定して時間順に並べる</translation>
    </message>
    <message>
        <source>Measures this machine for about two minutes; seconds are predicted from that</source>
        <translation>このマシンを約2分間測定し、そこから秒数を予測します</translation>
    </message>
    <message>
        <source>Valid meshes</source>
        <translation>有効なメッシュ</translation>
    </message>
    <message>
        <source>Valid meshes, fastest first as predicted</source>
        <translation>有効なメッシュ（予測の速い順）</translation>
    </message>
    <message>
        <source>Valid meshes, fastest first on %1</source>
        <translation>有効なメッシュ（%1で速い順）</translation>
    </message>
</context>
<context>
    <name>meshreel::LivePreview</name>
    <message>
        <source>The first preview comes after the first step</source>
        <translation>最初のプレビューは最初のステップの後に表示されます</translation>
    </message>
    <message>
        <source>Live preview</source>
        <translation>ライブプレビュー</translation>
    </message>
    <message>
        <source>Live preview of the latents; decoded frames will take its place</source>
        <translation>潜在変数のライブプレビューです。デコードされたフレームに順次置き換わります</translation>
    </message>
    <message>
        <source>%1 of %2 frames decoded; the others are the preview of the latents</source>
        <translation>%2フレーム中%1フレームをデコード済み。残りは潜在変数のプレビューです</translation>
    </message>
    <message>
        <source>%1 of %2 frames decoded</source>
        <translation>%2フレーム中%1フレームをデコード済み</translation>
    </message>
    <message>
        <source>The run failed before its first preview.</source>
        <translation>最初のプレビューの前に実行が失敗しました。</translation>
    </message>
    <message>
        <source>Preview at the last finished step</source>
        <translation>最後に完了したステップのプレビュー</translation>
    </message>
</context>
<context>
    <name>meshreel::LogModel</name>
    <message>
        <source>Time</source>
        <translation>時刻</translation>
    </message>
    <message>
        <source>What happened</source>
        <translation>内容</translation>
    </message>
</context>
<context>
    <name>meshreel::LooksDialog</name>
    <message>
        <source>The look cannot be kept (%1): free some space, or make the folder writable</source>
        <translation>ルックを保存できません（%1）。空きを作るか、フォルダーを書き込み可能にしてください</translation>
    </message>
    <message>
        <source>Look “%1”</source>
        <translation>ルック「%1」</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>title of a setting and its value</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>No looks yet: save the project&apos;s, or drop pictures here that others saved as looks.</source>
        <translation>ルックはまだありません。プロジェクトのルックを保存するか、ほかの人がルックとして保存した画像をここにドロップしてください。</translation>
    </message>
    <message>
        <source>Looks</source>
        <translation>ルック</translation>
    </message>
    <message>
        <source>Save the project&apos;s…</source>
        <translation>プロジェクトから保存…</translation>
    </message>
    <message>
        <source>Add files…</source>
        <translation>ファイルを追加…</translation>
    </message>
    <message>
        <source>Copy to…</source>
        <translation>コピー先…</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>削除</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>使う</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>閉じる</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>file and why it cannot be used</comment>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>Not added: %1.</source>
        <comment>files</comment>
        <translation>追加されませんでした: %1。</translation>
    </message>
    <message>
        <source>Add looks</source>
        <translation>ルックを追加</translation>
    </message>
    <message>
        <source>Looks (*.png)</source>
        <translation>ルック (*.png)</translation>
    </message>
    <message>
        <source>Copy the look</source>
        <translation>ルックをコピー</translation>
    </message>
    <message>
        <source>%1 cannot be written: %2</source>
        <translation>%1 に書き込めません: %2</translation>
    </message>
    <message>
        <source>Remove a look</source>
        <translation>ルックを削除</translation>
    </message>
    <message>
        <source>Remove “%1”? It cannot be brought back.</source>
        <translation>「%1」を削除しますか？元に戻せません。</translation>
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
        <translation>未測定</translation>
    </message>
    <message>
        <source>Card with its own memory</source>
        <translation>専用メモリを持つカード</translation>
    </message>
    <message>
        <source>Shares the memory of the CPU</source>
        <translation>CPUとメモリを共有</translation>
    </message>
    <message>
        <source>GPU of a virtual machine</source>
        <translation>仮想マシンのGPU</translation>
    </message>
    <message>
        <source>Computes on the CPU: never taken by Automatic</source>
        <translation>CPUで計算: 「自動」では使いません</translation>
    </message>
    <message>
        <source>GPU of another kind</source>
        <translation>その他の種類のGPU</translation>
    </message>
    <message>
        <source>%1: taken</source>
        <comment>way to multiply matrices</comment>
        <translation>%1: 使用</translation>
    </message>
    <message>
        <source>%1: not taken</source>
        <comment>way to multiply matrices</comment>
        <translation>%1: 不使用</translation>
    </message>
    <message>
        <source>The CPU computes this project.</source>
        <translation>このプロジェクトはCPUで計算します。</translation>
    </message>
    <message>
        <source>The CPU computes this project: %1.</source>
        <comment>why</comment>
        <translation>このプロジェクトはCPUで計算します: %1。</translation>
    </message>
    <message>
        <source>%1 (GPU %2)</source>
        <comment>name and number</comment>
        <translation>%1（GPU %2）</translation>
    </message>
    <message>
        <source>Transformer and VAE are computed by %1.</source>
        <comment>GPUs</comment>
        <translation>トランスフォーマーとVAEは%1で計算します。</translation>
    </message>
    <message>
        <source>The transformer is computed by %1, the VAE by the CPU: %2.</source>
        <comment>GPUs, why</comment>
        <translation>トランスフォーマーは%1で、VAEはCPUで計算します: %2。</translation>
    </message>
    <message>
        <source>Automatic</source>
        <comment>choice of the GPU</comment>
        <translation>自動</translation>
    </message>
    <message>
        <source>The plan takes the best GPU where it counts as faster than the CPU. Without this, the GPUs with a tick compute; without a tick, the CPU does.</source>
        <translation>CPUより速いと見なせる場合に、計画が最良のGPUを使います。オフのときは、チェックを入れたGPUで計算し、チェックがなければCPUで計算します。</translation>
    </message>
    <message>
        <source>Look for GPUs again</source>
        <translation>GPUを再検索</translation>
    </message>
    <message>
        <source>Look for GPUs again, and ask drivers that failed before</source>
        <translation>GPUを再検索し、以前失敗したドライバーにも問い合わせます</translation>
    </message>
    <message>
        <source>This machine</source>
        <translation>このマシン</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>メモリ</translation>
    </message>
    <message>
        <source>Linear layers</source>
        <translation>線形層</translation>
    </message>
    <message>
        <source>How fast layers in bf16 are multiplied. A GPU is measured by its first run in bf16, the CPU by “Measure this machine”.</source>
        <translation>bf16の層を乗算する速さです。GPUは最初のbf16の実行で、CPUは「このマシンを計測」で測定します。</translation>
    </message>
    <message>
        <source>CPU and GPUs of this machine</source>
        <translation>このマシンのCPUとGPU</translation>
    </message>
    <message>
        <source>Asking the GPU drivers…</source>
        <translation>GPUドライバーに問い合わせ中…</translation>
    </message>
    <message>
        <source>No GPU: %1</source>
        <comment>why</comment>
        <translation>GPUなし: %1</translation>
    </message>
    <message>
        <source>CPU: %1 (%2)</source>
        <comment>name, instruction set</comment>
        <translation>CPU: %1（%2）</translation>
    </message>
    <message>
        <source>%1 free</source>
        <comment>bytes</comment>
        <translation>空き%1</translation>
    </message>
    <message>
        <source>%1 of %2 free</source>
        <comment>bytes</comment>
        <translation>空き%1/%2</translation>
    </message>
    <message>
        <source>GPU %1: %2</source>
        <comment>number, name</comment>
        <translation>GPU %1: %2</translation>
    </message>
    <message>
        <source>%1; %2, Vulkan %3</source>
        <comment>kind, driver, version</comment>
        <translation>%1、%2、Vulkan %3</translation>
    </message>
    <message>
        <source>It cannot be used: %1</source>
        <comment>why</comment>
        <translation>使用できません: %1</translation>
    </message>
    <message>
        <source>Drivers without a device</source>
        <translation>デバイスのないドライバー</translation>
    </message>
    <message>
        <source>%1 (not asked this time)</source>
        <translation>%1（今回は問い合わせなし）</translation>
    </message>
    <message numerus="yes">
        <source>%n devices of the mesh</source>
        <translation>
            <numerusform>メッシュのデバイス%n台</numerusform>
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
        <translation>トランスフォーマー、VAE、エンコーダーは%1で計算します。</translation>
    </message>
    <message>
        <source>The GPU computes the text and image encoders.</source>
        <translation>GPU がテキストと画像のエンコーダーを計算します。</translation>
    </message>
    <message>
        <source>The CPU computes the text and image encoders: %1.</source>
        <comment>why</comment>
        <translation>CPU がテキストと画像のエンコーダーを計算します: %1。</translation>
    </message>
    <message>
        <source>Text encoder</source>
        <translation>テキストエンコーダー</translation>
    </message>
    <message>
        <source>Image encoder</source>
        <translation>画像エンコーダー</translation>
    </message>
    <message>
        <source>VAE encoder</source>
        <translation>VAE エンコーダー</translation>
    </message>
    <message>
        <source>VAE decoder</source>
        <translation>VAE デコーダー</translation>
    </message>
    <message>
        <source>Preview decoder</source>
        <translation>プレビュー用デコーダー</translation>
    </message>
    <message>
        <source>%1 on the CPU: %2.</source>
        <comment>part, why</comment>
        <translation>%1 は CPU で計算します: %2。</translation>
    </message>
    <message>
        <source>Not taken: %1.</source>
        <comment>why a GPU does not compute</comment>
        <translation>使わない GPU: %1。</translation>
    </message>
</context>
<context>
    <name>meshreel::MainMenu</name>
    <message>
        <source>&amp;Undo</source>
        <translation>元に戻す(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>やり直し(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>ファイル(&amp;F)</translation>
    </message>
    <message>
        <source>Open run &amp;folder…</source>
        <translation>実行フォルダーを開く(&amp;F)…</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>終了(&amp;Q)</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>編集(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>実行(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Cancel</source>
        <translation>キャンセル(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>ヘルプ(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;About Meshreel</source>
        <translation>Meshreelについて(&amp;A)</translation>
    </message>
    <message>
        <source>About &amp;Qt</source>
        <translation>Qtについて(&amp;Q)</translation>
    </message>
    <message>
        <source>About Meshreel</source>
        <translation>Meshreelについて</translation>
    </message>
    <message>
        <source>&lt;h3&gt;Meshreel %1&lt;/h3&gt;&lt;p&gt;Video generation with Wan models on your own processors.&lt;/p&gt;&lt;p&gt;Commit %2. Free software under the GNU General Public License, version 3 or later.&lt;/p&gt;</source>
        <translation>&lt;h3&gt;Meshreel %1&lt;/h3&gt;&lt;p&gt;手元のプロセッサーでWanモデルによる動画を生成します。&lt;/p&gt;&lt;p&gt;コミット %2。GNU General Public Licenseバージョン3以降に基づくフリーソフトウェアです。&lt;/p&gt;</translation>
    </message>
    <message>
        <source>&amp;Find setting</source>
        <translation>設定を検索(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>表示(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Reset layout</source>
        <translation>レイアウトをリセット(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Appearance</source>
        <translation>外観(&amp;A)</translation>
    </message>
    <message>
        <source>As the &amp;system</source>
        <translation>システムに合わせる(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation>ライト(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation>ダーク(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;Project keys</source>
        <translation>プロジェクトキー(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Pause after this step</source>
        <translation>このステップの後で一時停止(&amp;P)</translation>
    </message>
    <message>
        <source>Add to &amp;queue</source>
        <translation>キューに追加(&amp;Q)</translation>
    </message>
    <message>
        <source>Add a &amp;grid to the queue…</source>
        <translation>グリッドをキューに追加(&amp;G)…</translation>
    </message>
    <message>
        <source>&amp;Import from MaxDiffusion…</source>
        <translation>MaxDiffusionからインポート(&amp;I)…</translation>
    </message>
    <message>
        <source>&amp;Measure this machine</source>
        <translation>このマシンを計測(&amp;M)</translation>
    </message>
    <message>
        <source>Times what videos are made of, for predicting how long runs take</source>
        <translation>動画作りの各作業を計測し、実行時間の予測に使います</translation>
    </message>
    <message>
        <source>&amp;Tour</source>
        <translation>ツアー(&amp;T)</translation>
    </message>
    <message numerus="yes">
        <source>&lt;p&gt;This machine: %1, %n CPU(s), computing with %2.&lt;/p&gt;</source>
        <translation>
            <numerusform>&lt;p&gt;このマシン: %1、CPU %n個、%2で計算します。&lt;/p&gt;</numerusform>
        </translation>
    </message>
    <message>
        <source>Keep measuring when &amp;idle</source>
        <translation>空いているときに計測を続ける(&amp;I)</translation>
    </message>
    <message>
        <source>Adds rounds to the measurement of this machine while nothing runs</source>
        <translation>何も実行していない間に、このマシンの計測の回数を増やします</translation>
    </message>
    <message>
        <source>&amp;Workspace</source>
        <translation>ワークスペース(&amp;W)</translation>
    </message>
    <message>
        <source>F&amp;ull screen</source>
        <translation>全画面(&amp;U)</translation>
    </message>
    <message>
        <source>Show the queue</source>
        <translation>キューを表示</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>キュー</translation>
    </message>
    <message numerus="yes">
        <source>Queue: %n waiting</source>
        <translation>
            <numerusform>キュー: %n 件待機</numerusform>
        </translation>
    </message>
    <message>
        <source>Workspaces</source>
        <translation>ワークスペース</translation>
    </message>
    <message>
        <source>Choose the folder for r&amp;uns…</source>
        <translation>実行フォルダーを選択(&amp;U)…</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <comment>how many wait, how long they take</comment>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>&amp;Looks…</source>
        <translation>ルック(&amp;L)…</translation>
    </message>
    <message>
        <source>Re&amp;write the prompt…</source>
        <translation>プロンプトを書き換える(&amp;W)…</translation>
    </message>
    <message>
        <source>Add a &amp;table to the queue…</source>
        <translation>表をキューに追加(&amp;T)…</translation>
    </message>
</context>
<context>
    <name>meshreel::MainWindow</name>
    <message>
        <source>Open a run folder</source>
        <translation>実行フォルダーを開く</translation>
    </message>
    <message>
        <source>The chart was written to %1</source>
        <translation>グラフを%1に書き出しました</translation>
    </message>
    <message>
        <source>%1[*] – Meshreel Studio</source>
        <comment>project</comment>
        <translation>%1[*] – Meshreel Studio</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>問題</translation>
    </message>
    <message>
        <source>Problems (%1)</source>
        <translation>問題（%1）</translation>
    </message>
    <message>
        <source>The report was written to %1</source>
        <translation>レポートを%1に書き出しました</translation>
    </message>
    <message>
        <source>Say what you want to see</source>
        <translation>見たいものを書く</translation>
    </message>
    <message>
        <source>Type a prompt. Every other setting has a default that works; the search box finds each of them, and everything can be undone.</source>
        <translation>プロンプトを入力します。他の設定にはそのまま使える既定値があります。どの設定も検索欄で見つかり、何でも元に戻せます。</translation>
    </message>
    <message>
        <source>Watch it form</source>
        <translation>でき上がる様子を見る</translation>
    </message>
    <message>
        <source>The picture appears while it is made. Runs, videos, pictures and projects can be dropped here.</source>
        <translation>画像は作られながら表示されます。実行、動画、画像、プロジェクトをここにドロップできます。</translation>
    </message>
    <message>
        <source>%1 (open)</source>
        <comment>project</comment>
        <translation>%1（編集中）</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>キュー</translation>
    </message>
    <message>
        <source>The log was written to %1.</source>
        <translation>ログを%1に書き出しました。</translation>
    </message>
    <message>
        <source>See what it takes, then run it</source>
        <translation>必要なものを確認して実行</translation>
    </message>
    <message>
        <source>Time, tokens, work and memory follow every change. While something runs, Run queues. Nothing is lost when the machine is switched off.</source>
        <translation>時間、トークン、計算量、メモリは変更のたびに更新されます。実行中は「実行」でキューに入ります。電源を切っても何も失われません。</translation>
    </message>
    <message>
        <source>Four workspaces</source>
        <translation>4つのワークスペース</translation>
    </message>
    <message>
        <source>Create videos, share the work between devices, compare and measure, and find past runs. Ctrl+1 to Ctrl+4 switch; View opens every panel. Help has this tour.</source>
        <translation>動画の作成、デバイス間の分担、比較と測定、過去の実行。Ctrl+1〜Ctrl+4 で切り替え、「表示」ですべてのパネルを開けます。このツアーは「ヘルプ」にあります。</translation>
    </message>
    <message numerus="yes">
        <source>%n runs wait in the queue.</source>
        <translation>
            <numerusform>キューで %n 件の実行が待っています。</numerusform>
        </translation>
    </message>
    <message>
        <source>Show queue</source>
        <translation>キューを表示</translation>
    </message>
    <message>
        <source>Choose the folder for runs</source>
        <translation>実行フォルダーを選択</translation>
    </message>
    <message>
        <source>New runs go to %1.</source>
        <translation>新しい実行は %1 に保存されます。</translation>
    </message>
    <message>
        <source>MESHREEL_RUNS wins over it: runs go to %1.</source>
        <translation>MESHREEL_RUNS が優先されます。実行は %1 に保存されます。</translation>
    </message>
    <message>
        <source>“New seed for each run” is off now, as this project has a seed of its own.</source>
        <translation>このプロジェクトには固有のシードがあるため、「実行ごとに新しいシード」をオフにしました。</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>再試行</translation>
    </message>
</context>
<context>
    <name>meshreel::MaskHand</name>
    <message>
        <source>Draw a box</source>
        <translation>長方形を描く</translation>
    </message>
    <message>
        <source>Draw an ellipse</source>
        <translation>楕円を描く</translation>
    </message>
    <message>
        <source>Draw a polygon</source>
        <translation>多角形を描く</translation>
    </message>
    <message>
        <source>Draw a stroke</source>
        <translation>ストロークを描く</translation>
    </message>
    <message>
        <source>Move a shape</source>
        <translation>図形を移動</translation>
    </message>
    <message>
        <source>Scale a shape</source>
        <translation>図形を拡大・縮小</translation>
    </message>
</context>
<context>
    <name>meshreel::MeasureItem</name>
    <message>
        <source>Measure this machine</source>
        <translation>このマシンを計測</translation>
    </message>
    <message>
        <source>Measuring this machine</source>
        <translation>このマシンを計測中</translation>
    </message>
    <message>
        <source>Stop measuring; nothing of it is kept</source>
        <translation>計測を中止（結果は残りません）</translation>
    </message>
    <message>
        <source>Stop measuring</source>
        <translation>計測を中止</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>時間</translation>
    </message>
    <message>
        <source>about two minutes</source>
        <translation>約2分</translation>
    </message>
    <message>
        <source>How long a run takes is predicted once this machine was measured. It takes about two minutes, in which it should do nothing else. Later it is measured further while nothing runs, unless you stop that.</source>
        <translation>このマシンを計測すると実行時間を予測できます。2分ほどかかります。その間はこのマシンで他の作業をしないでください。その後も、中止しない限り、何も実行していない間に計測を続けます。</translation>
    </message>
    <message>
        <source>%1 of %2 measurements</source>
        <translation>測定 %1/%2</translation>
    </message>
    <message>
        <source>%1 of %2 measurements, about %3 left</source>
        <comment>counts, duration</comment>
        <translation>測定 %1/%2、残り約%3</translation>
    </message>
    <message>
        <source>Measure again</source>
        <translation>再計測</translation>
    </message>
    <message>
        <source>Measuring waits</source>
        <translation>計測は待機中</translation>
    </message>
    <message>
        <source>Measuring this machine was paused. It goes on with what it has once nothing else is computed.</source>
        <translation>このマシンの計測を一時停止しました。ほかの計算がなくなると、計測済みの結果から続けます。</translation>
    </message>
</context>
<context>
    <name>meshreel::MeasuringTurns</name>
    <message>
        <source>Measuring this machine waits for the end of the run, and goes on then with what it has.</source>
        <translation>このマシンの計測は実行の終了を待ち、計測済みの結果から続けます。</translation>
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
        <translation>Ulyssesグループ%1</translation>
    </message>
</context>
<context>
    <name>meshreel::MeshPainter</name>
    <message>
        <source>heads %1</source>
        <translation>ヘッド%1</translation>
    </message>
    <message>
        <source>tokens %1</source>
        <translation>トークン%1</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>ランク%1</translation>
    </message>
    <message>
        <source>all keys</source>
        <translation>全キー</translation>
    </message>
    <message>
        <source>keys %1</source>
        <translation>キー%1</translation>
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
        <translation>アテンション</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>デバイス数</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>データ</translation>
    </message>
    <message>
        <source>FSDP</source>
        <translation>FSDP</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>コンテキスト</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>テンソル</translation>
    </message>
    <message>
        <source>Ulysses</source>
        <translation>Ulysses</translation>
    </message>
    <message>
        <source>%1 devices</source>
        <translation>デバイス%1台</translation>
    </message>
    <message>
        <source>Mesh: %1</source>
        <translation>メッシュ: %1</translation>
    </message>
    <message>
        <source>The devices are drawn here as soon as the project can be planned: Problems says what keeps it from that.</source>
        <translation>プロジェクトを計画できるようになると、デバイスがここに描かれます。妨げているものは［問題］にあります。</translation>
    </message>
    <message>
        <source>This project uses one device. Add devices to split tokens, heads or weights.</source>
        <translation>このプロジェクトは1台のデバイスを使います。デバイスを追加すると、トークン、ヘッド、重みを分割できます。</translation>
    </message>
    <message>
        <source>Hosts file</source>
        <translation>ホストファイル</translation>
    </message>
    <message>
        <source>× hosts</source>
        <comment>factor of an axis</comment>
        <translation>× ホスト</translation>
    </message>
    <message>
        <source>The mesh in words</source>
        <translation>メッシュの説明</translation>
    </message>
    <message>
        <source>drawing</source>
        <comment>beside a divider</comment>
        <translation>図</translation>
    </message>
    <message>
        <source>valid meshes</source>
        <comment>beside a divider</comment>
        <translation>有効なメッシュ</translation>
    </message>
    <message>
        <source>R: Ulysses groups on the context axis, between which keys and values rotate or are gathered. It is what Ulysses leaves of the context axis: R × U = C.</source>
        <translation>R: コンテキスト軸上のUlyssesグループの数。キーと値はその間を回るか、集められます。Ulyssesを除いたコンテキスト軸の残りです: R × U = C。</translation>
    </message>
    <message>
        <source>Ring</source>
        <translation>リング</translation>
    </message>
    <message>
        <source>Plan for</source>
        <translation>計画の対象</translation>
    </message>
</context>
<context>
    <name>meshreel::MeshView</name>
    <message>
        <source>Devices of the mesh</source>
        <translation>メッシュのデバイス</translation>
    </message>
    <message numerus="yes">
        <source>%n device(s): %1</source>
        <comment>of the mesh that a drag would make</comment>
        <translation>
            <numerusform>デバイス%n台: %1</numerusform>
        </translation>
    </message>
    <message>
        <source>The arrow keys, Home and End choose a device, Escape none.</source>
        <translation>矢印キー、Home、Endでデバイスを選び、Escで選択を解除します。</translation>
    </message>
</context>
<context>
    <name>meshreel::MessageBanner</name>
    <message>
        <source>Close the message</source>
        <translation>メッセージを閉じる</translation>
    </message>
    <message>
        <source>Messages</source>
        <translation>メッセージ</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>エラー</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>お知らせ</translation>
    </message>
    <message>
        <source>Show folder</source>
        <translation>フォルダーを表示</translation>
    </message>
</context>
<context>
    <name>meshreel::ModelCard</name>
    <message>
        <source>Model card</source>
        <translation>モデルカード</translation>
    </message>
    <message>
        <source>%1, %2 of weights</source>
        <comment>folder and size</comment>
        <translation>%1、重み%2</translation>
    </message>
    <message>
        <source>This model has no card.</source>
        <translation>このモデルにはモデルカードがありません。</translation>
    </message>
</context>
<context>
    <name>meshreel::ModelDescription</name>
    <message>
        <source>%1 million</source>
        <comment>number</comment>
        <translation>%1M</translation>
    </message>
    <message>
        <source>%1 billion</source>
        <comment>number</comment>
        <translation>%1B</translation>
    </message>
    <message numerus="yes">
        <source>%1 and %n more</source>
        <translation>
            <numerusform>%1ほか%n件</numerusform>
        </translation>
    </message>
    <message>
        <source>%1, which Meshreel does not run</source>
        <translation>%1（Meshreelでは実行できません）</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>モデル</translation>
    </message>
    <message>
        <source>Unsure</source>
        <translation>不確か</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>形式</translation>
    </message>
    <message>
        <source>%1, names %2</source>
        <comment>file format, style of names</comment>
        <translation>%1、名前: %2</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>層</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>パラメーター</translation>
    </message>
    <message>
        <source>%1, %2 stored</source>
        <comment>number, size</comment>
        <translation>%1、保存サイズ%2</translation>
    </message>
    <message>
        <source>Matrices</source>
        <translation>行列</translation>
    </message>
    <message>
        <source>Vectors</source>
        <translation>ベクトル</translation>
    </message>
    <message>
        <source>Quantisation</source>
        <translation>量子化</translation>
    </message>
    <message>
        <source>Memory in f32</source>
        <translation>f32でのメモリ</translation>
    </message>
    <message>
        <source>Memory in bf16</source>
        <translation>bf16でのメモリ</translation>
    </message>
    <message>
        <source>Missing tensors</source>
        <translation>足りないテンソル</translation>
    </message>
    <message>
        <source>Unexpected tensors</source>
        <translation>想定外のテンソル</translation>
    </message>
    <message>
        <source>Also needs</source>
        <translation>ほかに必要</translation>
    </message>
    <message>
        <source>missing</source>
        <translation>なし</translation>
    </message>
    <message>
        <source>%1, %2 of weights</source>
        <comment>folder and size</comment>
        <translation>%1、重み%2</translation>
    </message>
    <message>
        <source>Also there: %1</source>
        <comment>parts</comment>
        <translation>ほかにあるもの: %1</translation>
    </message>
    <message>
        <source>Convolutions and tables</source>
        <translation>畳み込みとテーブル</translation>
    </message>
    <message>
        <source>Not read</source>
        <translation>読み取り不可</translation>
    </message>
    <message numerus="yes">
        <source>%1 (%n tensors)</source>
        <translation>
            <numerusform>%1（テンソル%n個）</numerusform>
        </translation>
    </message>
    <message>
        <source>Not used</source>
        <translation>未使用</translation>
    </message>
    <message>
        <source>missing, at least %1 to download</source>
        <comment>size</comment>
        <translation>なし（ダウンロード %1 以上）</translation>
    </message>
    <message>
        <source>Not on this machine: at least %1 to download</source>
        <comment>size</comment>
        <translation>このマシンにはありません。ダウンロード %1 以上</translation>
    </message>
    <message>
        <source>%1 to download, %2 are free on the disk</source>
        <comment>sizes</comment>
        <translation>ダウンロード %1、ディスクの空き %2</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>ライセンス</translation>
    </message>
    <message>
        <source>Licence page</source>
        <translation>ライセンスのページ</translation>
    </message>
    <message>
        <source>From</source>
        <translation>入手元</translation>
    </message>
    <message>
        <source>%1, %2 of them here</source>
        <comment>sizes</comment>
        <translation>%1（うち %2 は取得済み）</translation>
    </message>
    <message>
        <source>%1, shared with another program</source>
        <comment>size</comment>
        <translation>%1（別のプログラムと共有）</translation>
    </message>
    <message>
        <source>%1, here</source>
        <comment>size</comment>
        <translation>%1（取得済み）</translation>
    </message>
    <message>
        <source>This machine</source>
        <translation>このマシン</translation>
    </message>
    <message>
        <source>Planned for</source>
        <comment>a video of this size and length</comment>
        <translation>計画の対象</translation>
    </message>
    <message>
        <source>Disk</source>
        <translation>ディスク</translation>
    </message>
    <message>
        <source>What lies there is not it</source>
        <translation>そこにあるのは別のもの</translation>
    </message>
    <message>
        <source>Variants</source>
        <translation>種類</translation>
    </message>
    <message>
        <source>%1 to download: %2</source>
        <comment>size, how it fits</comment>
        <translation>ダウンロード %1: %2</translation>
    </message>
    <message>
        <source>In diffusers layout</source>
        <translation>diffusers の構成</translation>
    </message>
    <message>
        <source>at least %1 to download</source>
        <comment>size</comment>
        <translation>ダウンロード %1 以上</translation>
    </message>
</context>
<context>
    <name>meshreel::ModelState</name>
    <message>
        <source>Not ready: see Problems</source>
        <translation>準備ができていません。「問題」を確認してください</translation>
    </message>
    <message>
        <source>Installed</source>
        <translation>インストール済み</translation>
    </message>
    <message>
        <source>needs more memory than there is</source>
        <translation>メモリーが足りません</translation>
    </message>
    <message>
        <source>needs more memory than memory_budget allows</source>
        <translation>memory_budgetで許されるより多くのメモリが必要です</translation>
    </message>
    <message>
        <source>about %1, %2</source>
        <comment>duration of a run, how it is known</comment>
        <translation>約 %1、%2</translation>
    </message>
</context>
<context>
    <name>meshreel::ModelsPanel</name>
    <message>
        <source>Use in project</source>
        <translation>プロジェクトで使用</translation>
    </message>
    <message>
        <source>Refresh</source>
        <translation>更新</translation>
    </message>
    <message>
        <source>Models of this machine</source>
        <translation>このマシンのモデル</translation>
    </message>
    <message>
        <source>Models folder: %1</source>
        <translation>モデルフォルダー: %1</translation>
    </message>
    <message>
        <source>The chosen model</source>
        <translation>選んだモデル</translation>
    </message>
    <message>
        <source>Choose a model to see its parts, its number types and what it needs.</source>
        <translation>モデルを選ぶと、部品、数値型、必要なものが表示されます。</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>モデル</translation>
    </message>
    <message>
        <source>list</source>
        <comment>beside a divider</comment>
        <translation>一覧</translation>
    </message>
    <message>
        <source>description</source>
        <comment>beside a divider</comment>
        <translation>説明</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>追加</translation>
    </message>
    <message>
        <source>Copy download command</source>
        <translation>ダウンロードコマンドをコピー</translation>
    </message>
    <message>
        <source>Copy the command that downloads what is missing, to be run in a terminal</source>
        <translation>足りないものをダウンロードするコマンドをコピーします。端末で実行してください</translation>
    </message>
    <message>
        <source>Add a model that lies elsewhere; it can be dropped here, too</source>
        <translation>ほかの場所にあるモデルを追加します。ここにドロップすることもできます</translation>
    </message>
    <message>
        <source>A model &amp;folder…</source>
        <translation>モデルのフォルダー(&amp;F)…</translation>
    </message>
    <message>
        <source>Add a model folder</source>
        <translation>モデルのフォルダーを追加</translation>
    </message>
    <message>
        <source>F&amp;iles of weights…</source>
        <translation>重みのファイル(&amp;I)…</translation>
    </message>
    <message>
        <source>Add files of weights</source>
        <translation>重みのファイルを追加</translation>
    </message>
    <message>
        <source>Weights (*.safetensors *.gguf *.pth *.pt)</source>
        <translation>重み (*.safetensors *.gguf *.pth *.pt)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>すべてのファイル (*)</translation>
    </message>
    <message numerus="yes">
        <source>%n models were added to the models folder.</source>
        <translation>
            <numerusform>%n 個のモデルをモデルフォルダーに追加しました。</numerusform>
        </translation>
    </message>
    <message>
        <source>The command was copied: paste it into a terminal. Refresh when it is done.</source>
        <translation>コマンドをコピーしました。端末に貼り付けて実行し、終わったら「更新」を押してください。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>キャンセル</translation>
    </message>
    <message>
        <source>Progress of the download</source>
        <translation>ダウンロードの進行状況</translation>
    </message>
    <message>
        <source>Stop the download and remove what came of files that are not whole</source>
        <translation>ダウンロードを止め、未完了のファイルを削除します</translation>
    </message>
    <message numerus="yes">
        <source>%n files of the download are in the models folder.</source>
        <translation>
            <numerusform>ダウンロードした %n 個のファイルがモデルフォルダーにあります。</numerusform>
        </translation>
    </message>
    <message>
        <source>%1: %2 of %3</source>
        <comment>file, sizes</comment>
        <translation>%1: %2／%3</translation>
    </message>
    <message>
        <source>%1, %2 a second, %3 left</source>
        <comment>file and sizes, size, time</comment>
        <translation>%1、毎秒 %2、残り %3</translation>
    </message>
    <message>
        <source>Download what is missing into the models folder; the licence is shown above</source>
        <translation>足りないものをモデルフォルダーにダウンロードします。ライセンスは上に表示されています</translation>
    </message>
    <message>
        <source>Another download is at hand</source>
        <translation>別のダウンロードが進行中です</translation>
    </message>
    <message>
        <source>Download %1</source>
        <comment>size</comment>
        <translation>%1 をダウンロード</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>一時停止</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>再開</translation>
    </message>
    <message>
        <source>Download it first</source>
        <translation>先にダウンロードしてください</translation>
    </message>
    <message>
        <source>This is not a model by itself; parts are chosen in the project</source>
        <translation>これだけではモデルになりません。部品はプロジェクトで選びます</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>ダウンロード</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>再試行</translation>
    </message>
    <message>
        <source>%1: %2, %3</source>
        <comment>variant, size, how it fits</comment>
        <translation>%1: %2、%3</translation>
    </message>
</context>
<context>
    <name>meshreel::NamesPopup</name>
    <message>
        <source>Names between commas; Enter keeps them.</source>
        <translation>名前をコンマで区切り、Enter で確定します。</translation>
    </message>
</context>
<context>
    <name>meshreel::NoisePanel</name>
    <message>
        <source>The noise of every step is drawn here as soon as the project can be planned: choose a model under Project, and see Problems for what keeps it from that.</source>
        <translation>プロジェクトを計画できるようになると、各ステップのノイズがここに描かれます。［プロジェクト］でモデルを選び、妨げているものは［問題］で確かめてください。</translation>
    </message>
    <message>
        <source>Scheduler</source>
        <translation>スケジューラー</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>ステップ数</translation>
    </message>
    <message>
        <source>Flow shift</source>
        <translation>フローシフト</translation>
    </message>
    <message>
        <source>Boundary</source>
        <translation>境界</translation>
    </message>
    <message>
        <source>Noise at each step</source>
        <translation>各ステップのノイズ</translation>
    </message>
</context>
<context>
    <name>meshreel::NoiseSheet</name>
    <message>
        <source>without the flow shift</source>
        <translation>フローシフトなし</translation>
    </message>
    <message>
        <source>boundary</source>
        <translation>境界</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>ステップ</translation>
    </message>
    <message>
        <source>Noise level</source>
        <translation>ノイズレベル</translation>
    </message>
    <message>
        <source>There are no steps to draw yet</source>
        <translation>描くステップがまだありません</translation>
    </message>
    <message>
        <source>See Problems for what keeps the project from being planned</source>
        <translation>プロジェクトを計画できない理由は［問題］を見てください</translation>
    </message>
</context>
<context>
    <name>meshreel::NoiseTexts</name>
    <message>
        <source>step %1</source>
        <translation>ステップ%1</translation>
    </message>
    <message>
        <source>steps %1 to %2</source>
        <translation>ステップ%1～%2</translation>
    </message>
    <message>
        <source>%1: %2, guidance %3.</source>
        <comment>expert, steps, guidance</comment>
        <translation>%1: %2、ガイダンス%3。</translation>
    </message>
    <message>
        <source>%1: %2, without guidance.</source>
        <comment>expert, steps</comment>
        <translation>%1: %2、ガイダンスなし。</translation>
    </message>
    <message>
        <source>transformer</source>
        <translation>トランスフォーマー</translation>
    </message>
    <message>
        <source>low noise</source>
        <translation>低ノイズ</translation>
    </message>
    <message>
        <source>high noise</source>
        <translation>高ノイズ</translation>
    </message>
    <message>
        <source>Scheduler %1, flow shift %2.</source>
        <translation>スケジューラー%1、フローシフト%2。</translation>
    </message>
    <message>
        <source>Dotted: the same without the shift.</source>
        <translation>点線: シフトなしの場合。</translation>
    </message>
    <message numerus="yes">
        <source>A step cache may shorten %n steps (hollow).</source>
        <translation>
            <numerusform>ステップキャッシュで%nステップが短縮されることがあります（白抜き）。</numerusform>
        </translation>
    </message>
    <message>
        <source>Step %1 of %2</source>
        <translation>ステップ%1/%2</translation>
    </message>
    <message>
        <source>Noise level %1, sigma %2</source>
        <translation>ノイズレベル%1、シグマ%2</translation>
    </message>
    <message>
        <source>Computed by: %1</source>
        <comment>transformer or expert</comment>
        <translation>計算: %1</translation>
    </message>
    <message>
        <source>Guidance %1</source>
        <translation>ガイダンス%1</translation>
    </message>
    <message>
        <source>Without guidance</source>
        <translation>ガイダンスなし</translation>
    </message>
    <message>
        <source>May be shortened by the step cache</source>
        <translation>ステップキャッシュで短縮されることがあります</translation>
    </message>
</context>
<context>
    <name>meshreel::NoiseView</name>
    <message>
        <source>Noise levels of the steps</source>
        <translation>ステップのノイズレベル</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>ステップ</translation>
    </message>
    <message>
        <source>boundary %1</source>
        <translation>境界%1</translation>
    </message>
    <message>
        <source>The arrow keys, Home and End choose a step, Escape none.</source>
        <translation>矢印キー、Home、Endでステップを選び、Escで選択を解除します。</translation>
    </message>
</context>
<context>
    <name>meshreel::OpenedMedia</name>
    <message>
        <source>There is no such file or folder</source>
        <translation>そのようなファイルやフォルダーはありません</translation>
    </message>
</context>
<context>
    <name>meshreel::PartMenu</name>
    <message>
        <source>Use &amp;only</source>
        <translation>これだけ使う(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;Prompt</source>
        <translation>プロンプト(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Seed</source>
        <translation>シード(&amp;S)</translation>
    </message>
    <message>
        <source>Si&amp;ze and length</source>
        <translation>サイズと長さ(&amp;Z)</translation>
    </message>
</context>
<context>
    <name>meshreel::PathField</name>
    <message>
        <source>All files (*)</source>
        <translation>すべてのファイル (*)</translation>
    </message>
    <message>
        <source>Pictures (*.png *.jpg *.jpeg *.webp *.bmp *.tif *.tiff)</source>
        <translation>画像 (*.png *.jpg *.jpeg *.webp *.bmp *.tif *.tiff)</translation>
    </message>
    <message>
        <source>Videos and pictures (*.mp4 *.webm *.mkv *.mov *.avi *.gif *.webp *.png *.jpg *.jpeg)</source>
        <translation>動画と画像 (*.mp4 *.webm *.mkv *.mov *.avi *.gif *.webp *.png *.jpg *.jpeg)</translation>
    </message>
    <message>
        <source>Weights (*.safetensors *.gguf *.pth *.pt *.bin *.json *.model)</source>
        <translation>重み (*.safetensors *.gguf *.pth *.pt *.bin *.json *.model)</translation>
    </message>
    <message>
        <source>Choose a file or drop it here</source>
        <translation>選択またはドロップ</translation>
    </message>
    <message>
        <source>Choose files</source>
        <translation>ファイルを選択</translation>
    </message>
    <message>
        <source>Choose a file</source>
        <translation>ファイルを選択</translation>
    </message>
    <message>
        <source>Choose a &amp;file…</source>
        <translation>ファイルを選択(&amp;F)…</translation>
    </message>
    <message>
        <source>Choose a f&amp;older…</source>
        <translation>フォルダーを選択(&amp;O)…</translation>
    </message>
    <message>
        <source>Choose a file or a folder</source>
        <translation>ファイルまたはフォルダーを選択</translation>
    </message>
    <message>
        <source>Choose a folder</source>
        <translation>フォルダーを選択</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>title of a setting, what its button does</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Picture of the file</source>
        <translation>ファイルの画像</translation>
    </message>
    <message>
        <source>Videos, pictures and drawings (*.mp4 *.webm *.mkv *.mov *.avi *.gif *.webp *.png *.jpg *.jpeg *.json)</source>
        <translation>動画、画像、描画 (*.mp4 *.webm *.mkv *.mov *.avi *.gif *.webp *.png *.jpg *.jpeg *.json)</translation>
    </message>
    <message>
        <source>Tracks (*.json *.npy)</source>
        <translation>トラック (*.json *.npy)</translation>
    </message>
    <message>
        <source>Arrays of NumPy (*.npy)</source>
        <translation>NumPy の配列 (*.npy)</translation>
    </message>
    <message>
        <source>Draw the mask on the picture</source>
        <translation>画像の上にマスクを描く</translation>
    </message>
    <message>
        <source>Draw the tracks on the picture</source>
        <translation>画像の上にトラックを描く</translation>
    </message>
</context>
<context>
    <name>meshreel::PathOpener</name>
    <message numerus="yes">
        <source>None of these %n were opened: drop one project, run, video, picture or file of weights at a time; several pictures become reference images, several runs are compared, and projects and runs that are dropped on Queue are queued.</source>
        <translation>
            <numerusform>%n個のうちどれも開かれませんでした。プロジェクト、実行、動画、画像、重みファイルは1つずつドロップしてください。複数の画像は参照画像になり、複数の実行は比較され、「キュー」にドロップしたプロジェクトと実行はキューに入ります。</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 was not used, as it is no adapter and no part of a model that Meshreel runs; Models tells what it is when it lies in a models folder.</source>
        <translation>%1は、アダプターでもMeshreelが実行するモデルの部品でもないため使用されませんでした。モデルフォルダーに置くと、「モデル一覧」にそれが何か表示されます。</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>元に戻す</translation>
    </message>
    <message>
        <source>Used as “%1”; drop it on another field to use it as that.</source>
        <translation>「%1」として使用しました。別のフィールドにドロップするとそちらで使えます。</translation>
    </message>
    <message>
        <source>Used as “%1”, with the model %2, which makes videos of pictures.</source>
        <translation>「%1」として使用し、画像から動画を作るモデル %2 を選びました。</translation>
    </message>
    <message>
        <source>Continue a clip</source>
        <translation>クリップを続ける</translation>
    </message>
    <message>
        <source>The next run goes on from the last frame of %1.</source>
        <translation>次の実行は %1 の最後のフレームから続きます。</translation>
    </message>
    <message>
        <source>The next run goes on from frame %2 of %1.</source>
        <translation>次の実行は %1 のフレーム %2 から続きます。</translation>
    </message>
    <message>
        <source>%1 also holds %2, which Meshreel does not read: write its prompt, size, frames, steps and seed into the project.</source>
        <comment>file, settings of another program</comment>
        <translation>%1 には %2 も含まれますが、Meshreel は読み込みません。プロンプト、サイズ、フレーム数、ステップ数、シードをプロジェクトに書いてください。</translation>
    </message>
    <message>
        <source>Used as “%1”.</source>
        <translation>「%1」として使いました。</translation>
    </message>
    <message>
        <source>Used as “%1”, with the model %2.</source>
        <translation>モデル %2 で「%1」として使いました。</translation>
    </message>
    <message>
        <source>Settings of %1</source>
        <comment>run</comment>
        <translation>%1 の設定</translation>
    </message>
    <message>
        <source>Taken over from %1: %2.</source>
        <comment>run, titles of settings</comment>
        <translation>%1 から引き継ぎました：%2。</translation>
    </message>
    <message>
        <source>Keep it among the looks</source>
        <translation>ルックに残す</translation>
    </message>
    <message>
        <source>The project has the look “%1” now.</source>
        <translation>プロジェクトのルックは「%1」になりました。</translation>
    </message>
    <message>
        <source>The project has the look “%1” already.</source>
        <translation>プロジェクトのルックはすでに「%1」です。</translation>
    </message>
</context>
<context>
    <name>meshreel::PlaybackControls</name>
    <message>
        <source>One frame back</source>
        <translation>1フレーム戻る</translation>
    </message>
    <message>
        <source>Left arrow</source>
        <translation>左矢印</translation>
    </message>
    <message>
        <source>Play</source>
        <translation>再生</translation>
    </message>
    <message>
        <source>Space</source>
        <translation>スペース</translation>
    </message>
    <message>
        <source>One frame on</source>
        <translation>1フレーム進む</translation>
    </message>
    <message>
        <source>Right arrow</source>
        <translation>右矢印</translation>
    </message>
    <message>
        <source>Play in a loop</source>
        <translation>繰り返し再生</translation>
    </message>
    <message>
        <source>L</source>
        <translation>L</translation>
    </message>
    <message>
        <source>Position in the video</source>
        <translation>動画内の位置</translation>
    </message>
    <message>
        <source>Drag to go to a frame</source>
        <translation>ドラッグして目的のフレームに移動</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>action and its key</comment>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>Frame %1 of %2 · %3 s</source>
        <translation>フレーム%1/%2 · %3秒</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>一時停止</translation>
    </message>
</context>
<context>
    <name>meshreel::PlayerWidget</name>
    <message>
        <source>Video</source>
        <translation>動画</translation>
    </message>
    <message>
        <source>Copy or write a frame, the clip, or a sheet of its frames</source>
        <translation>フレーム、クリップ、またはコンタクトシートをコピーまたは書き出します</translation>
    </message>
    <message>
        <source>Export the video</source>
        <translation>動画を書き出し</translation>
    </message>
    <message>
        <source>&amp;Copy this frame</source>
        <translation>このフレームをコピー(&amp;C)</translation>
    </message>
    <message>
        <source>Save this &amp;frame…</source>
        <translation>このフレームを保存(&amp;F)…</translation>
    </message>
    <message>
        <source>Export the c&amp;lip…</source>
        <translation>クリップを書き出し(&amp;L)…</translation>
    </message>
    <message>
        <source>Save a contact &amp;sheet…</source>
        <translation>コンタクトシートを保存(&amp;S)…</translation>
    </message>
    <message>
        <source>Full screen (F)</source>
        <translation>全画面 (F)</translation>
    </message>
    <message>
        <source>Full screen</source>
        <translation>全画面</translation>
    </message>
</context>
<context>
    <name>meshreel::PredictedTexts</name>
    <message>
        <source>%1 h</source>
        <translation>%1時間</translation>
    </message>
    <message>
        <source>%1 min</source>
        <translation>%1分</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1秒</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <comment>durations, the second with its unit</comment>
        <translation>%1～%2</translation>
    </message>
    <message>
        <source>Loading</source>
        <translation>読み込み</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>プロンプト</translation>
    </message>
    <message>
        <source>Denoising</source>
        <translation>ノイズ除去</translation>
    </message>
    <message>
        <source>Decoding</source>
        <translation>デコード</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>duration and its range</comment>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>%1 in all (%2)</source>
        <comment>duration and its range</comment>
        <translation>合計%1（%2）</translation>
    </message>
    <message>
        <source>A step: %1</source>
        <comment>duration</comment>
        <translation>1ステップ: %1</translation>
    </message>
    <message>
        <source>The first step: %1</source>
        <comment>duration</comment>
        <translation>最初のステップ: %1</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>stage and duration</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Four of five runs are expected within their range.</source>
        <translation>5回のうち4回はこの範囲に収まる見込みです。</translation>
    </message>
    <message>
        <source>By the rates of this machine, measured %1; no run like this one has been done.</source>
        <translation>このマシンの速度（%1に計測）による予測です。似た実行はまだありません。</translation>
    </message>
    <message numerus="yes">
        <source>By the rates of this machine, measured %1, and %n runs like this one.</source>
        <translation>
            <numerusform>このマシンの速度（%1に計測）と、似た実行%n件による予測です。</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1ミリ秒</translation>
    </message>
    <message>
        <source>%1 µs</source>
        <translation>%1マイクロ秒</translation>
    </message>
    <message numerus="yes">
        <source>from %n runs like this on this machine</source>
        <translation>
            <numerusform>このマシンでの似た実行 %n 回から</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>from measured rates and %n runs like this</source>
        <translation>
            <numerusform>計測した速度と似た実行 %n 回から</numerusform>
        </translation>
    </message>
    <message>
        <source>from measured rates</source>
        <translation>計測した速度から</translation>
    </message>
    <message numerus="yes">
        <source>By %n runs like this one, and typical proportions of what they do not tell. Once this machine was measured, the times of all others are known, too.</source>
        <translation>
            <numerusform>これに似た %n 回の実行と、そこからわからない部分の典型的な比率による値です。このマシンを計測すると、ほかのすべての時間もわかります。</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::PredictionSource</name>
    <message>
        <source>The rates that were kept cannot be read; their file is now %1.</source>
        <translation>保存された速度を読み取れません。ファイルは%1になりました。</translation>
    </message>
</context>
<context>
    <name>meshreel::PresetMenu</name>
    <message>
        <source>New from &amp;preset</source>
        <translation>プリセットから新規作成(&amp;P)</translation>
    </message>
    <message>
        <source>None is installed</source>
        <translation>インストールされていません</translation>
    </message>
</context>
<context>
    <name>meshreel::ProblemPanel</name>
    <message>
        <source>Problems of the project</source>
        <translation>プロジェクトの問題</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>エラー</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>Go to setting</source>
        <translation>設定へ移動</translation>
    </message>
    <message>
        <source>Ready to run.</source>
        <translation>実行できます。</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>情報</translation>
    </message>
    <message>
        <source>Go to setting %1</source>
        <comment>title of a setting</comment>
        <translation>設定「%1」へ移動</translation>
    </message>
    <message>
        <source>Nothing is wrong with this project.</source>
        <translation>このプロジェクトに問題はありません。</translation>
    </message>
    <message>
        <source>Line %1</source>
        <translation>%1行目</translation>
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
        <translation>無題のプロジェクト</translation>
    </message>
    <message>
        <source>Project of %1</source>
        <comment>run or video</comment>
        <translation>%1のプロジェクト</translation>
    </message>
    <message>
        <source>Text of the project</source>
        <translation>プロジェクトのテキスト</translation>
    </message>
    <message>
        <source>Reset %1</source>
        <comment>title of a setting</comment>
        <translation>%1をリセット</translation>
    </message>
</context>
<context>
    <name>meshreel::ProjectEditor</name>
    <message>
        <source>Advanced</source>
        <translation>詳細</translation>
    </message>
    <message>
        <source>Search settings</source>
        <translation>設定を検索</translation>
    </message>
    <message>
        <source>Show only what differs from the defaults</source>
        <translation>既定値と異なるものだけを表示</translation>
    </message>
    <message>
        <source>Show settings that few projects change</source>
        <translation>あまり変更されない設定を表示</translation>
    </message>
    <message numerus="yes">
        <source>%n changed</source>
        <translation>
            <numerusform>%n件変更</numerusform>
        </translation>
    </message>
    <message>
        <source>Nothing here differs from the defaults.</source>
        <translation>既定値と異なるものはありません。</translation>
    </message>
    <message>
        <source>No setting matches “%1”.</source>
        <translation>「%1」に一致する設定はありません。</translation>
    </message>
    <message>
        <source>Settings of the project</source>
        <translation>プロジェクトの設定</translation>
    </message>
    <message>
        <source>Unfold</source>
        <translation>展開</translation>
    </message>
    <message>
        <source>Fold</source>
        <translation>折りたたむ</translation>
    </message>
</context>
<context>
    <name>meshreel::ProjectFiles</name>
    <message>
        <source>&amp;New project</source>
        <translation>新規プロジェクト(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Open…</source>
        <translation>開く(&amp;O)…</translation>
    </message>
    <message>
        <source>&amp;Save</source>
        <translation>保存(&amp;S)</translation>
    </message>
    <message>
        <source>Save &amp;as…</source>
        <translation>名前を付けて保存(&amp;A)…</translation>
    </message>
    <message>
        <source>Open &amp;recent</source>
        <translation>最近使った項目(&amp;R)</translation>
    </message>
    <message>
        <source>Open a project, or a video with its project</source>
        <translation>プロジェクト、またはプロジェクトを含む動画を開きます</translation>
    </message>
    <message>
        <source>Unsaved changes</source>
        <translation>保存されていない変更</translation>
    </message>
    <message>
        <source>Save the changes to “%1”?</source>
        <translation>「%1」への変更を保存しますか？</translation>
    </message>
    <message>
        <source>Open a project or a video</source>
        <translation>プロジェクトまたは動画を開く</translation>
    </message>
    <message>
        <source>Projects and videos (*.yaml *.yml *.mp4 *.webm *.gif *.webp);;All files (*)</source>
        <translation>プロジェクトと動画 (*.yaml *.yml *.mp4 *.webm *.gif *.webp);;すべてのファイル (*)</translation>
    </message>
    <message>
        <source>Save the project</source>
        <translation>プロジェクトを保存</translation>
    </message>
    <message>
        <source>Projects (*.yaml *.yml)</source>
        <translation>プロジェクト (*.yaml *.yml)</translation>
    </message>
    <message>
        <source>Nothing yet</source>
        <translation>まだありません</translation>
    </message>
    <message>
        <source>If you don&apos;t save, your changes will be lost.</source>
        <translation>保存しないと変更は失われます。</translation>
    </message>
    <message>
        <source>Saved as typed. Fix what is marked red before you run this project.</source>
        <translation>入力のまま保存しました。実行する前に、赤い項目を直してください。</translation>
    </message>
</context>
<context>
    <name>meshreel::ProjectLauncher</name>
    <message>
        <source>It is neither a project file nor a run folder</source>
        <translation>プロジェクトファイルでも実行フォルダーでもありません</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>file and why it cannot be used</comment>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>You did not agree to what it names</source>
        <translation>指しているものに同意しませんでした</translation>
    </message>
    <message>
        <source>The project changed while it was being checked, so it did not start. Run it as it is now.</source>
        <translation>確認中にプロジェクトが変更されたため、開始しませんでした。現在の内容で実行してください。</translation>
    </message>
    <message>
        <source>Add a table to the queue</source>
        <translation>表をキューに追加</translation>
    </message>
    <message>
        <source>Tables (*.csv)</source>
        <translation>表 (*.csv)</translation>
    </message>
    <message>
        <source>%1, line %2 (%3)</source>
        <comment>file, line and why it cannot be run</comment>
        <translation>%1 の %2 行目（%3）</translation>
    </message>
    <message numerus="yes">
        <source>%n further rows</source>
        <translation>
            <numerusform>ほか %n 行</numerusform>
        </translation>
    </message>
    <message>
        <source>Not queued, as only project files without errors, run folders and rows of tables that can run are: %1.</source>
        <comment>files</comment>
        <translation>キューに入りませんでした。入るのは、エラーのないプロジェクトファイル、実行フォルダー、実行できる表の行だけです: %1。</translation>
    </message>
</context>
<context>
    <name>meshreel::ProjectRecovery</name>
    <message>
        <source>What you edit is kept only in this window: %1</source>
        <comment>reason</comment>
        <translation>編集内容はこのウィンドウにしかありません: %1</translation>
    </message>
    <message>
        <source>The kept project could not be read and was set aside as %1: %2</source>
        <comment>file, reason</comment>
        <translation>保存されたプロジェクトを読み取れなかったため、%1として退避しました: %2</translation>
    </message>
</context>
<context>
    <name>meshreel::PromptExamples</name>
    <message>
        <source>Moving</source>
        <translation>移動</translation>
    </message>
    <message>
        <source>Growing</source>
        <translation>拡大</translation>
    </message>
    <message>
        <source>Shrinking</source>
        <translation>縮小</translation>
    </message>
    <message>
        <source>Rising</source>
        <translation>上昇</translation>
    </message>
    <message>
        <source>Falling</source>
        <translation>落下</translation>
    </message>
    <message>
        <source>Bouncing</source>
        <translation>跳ねる</translation>
    </message>
    <message>
        <source>Spinning</source>
        <translation>回転</translation>
    </message>
    <message>
        <source>Standing still</source>
        <translation>静止</translation>
    </message>
    <message>
        <source>Driving</source>
        <translation>走行</translation>
    </message>
    <message>
        <source>Walking</source>
        <translation>歩行</translation>
    </message>
    <message>
        <source>Camera flight</source>
        <translation>カメラの飛行</translation>
    </message>
</context>
<context>
    <name>meshreel::PromptHelperDialog</name>
    <message>
        <source>Rewrite the prompt</source>
        <translation>プロンプトを書き換える</translation>
    </message>
    <message>
        <source>A language model rewrites the prompt by the rules that Wan publishes. Nothing is sent before you ask: then the prompt and the rules, to this address alone.</source>
        <translation>Wan が公開している規則に従い、言語モデルがプロンプトを書き換えます。依頼するまで何も送信されません。依頼すると、プロンプトと規則がこのアドレスにだけ送られます。</translation>
    </message>
    <message>
        <source>Prompt to rewrite</source>
        <translation>書き換えるプロンプト</translation>
    </message>
    <message>
        <source>Rewritten prompt</source>
        <translation>書き換えたプロンプト</translation>
    </message>
    <message>
        <source>The answer appears here, for you to edit</source>
        <translation>応答がここに表示され、編集できます</translation>
    </message>
    <message>
        <source>Ask</source>
        <translation>依頼</translation>
    </message>
    <message>
        <source>Use it</source>
        <translation>使う</translation>
    </message>
    <message>
        <source>Of a server with OpenAI&apos;s chat completions: llama.cpp, Ollama and others</source>
        <translation>OpenAI の chat completions を備えたサーバー: llama.cpp、Ollama など</translation>
    </message>
    <message>
        <source>As the server calls it; empty: the one that it has</source>
        <translation>サーバーでの名前。空ならサーバーのモデル</translation>
    </message>
    <message>
        <source>If the server asks for one. It is kept in a file that only you can read, and sent over https or to this machine only</source>
        <translation>サーバーが求める場合のみ。あなただけが読めるファイルに保存され、https かこのマシンにだけ送られます</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>アドレス</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>モデル</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>キー</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>中止しました。</translation>
    </message>
    <message>
        <source>Asking %1…</source>
        <translation>%1 に依頼中…</translation>
    </message>
    <message>
        <source>Read and edit the answer before you use it.</source>
        <translation>使う前に応答を読み、編集してください。</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>中止</translation>
    </message>
</context>
<context>
    <name>meshreel::PromptLibrary</name>
    <message>
        <source>Name</source>
        <translation>名前</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>タグ</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>プロンプト</translation>
    </message>
    <message>
        <source>Not to be seen</source>
        <translation>ネガティブプロンプト</translation>
    </message>
    <message>
        <source>The kept prompts could not be read and were set aside as %1: %2</source>
        <translation>保存したプロンプトを読み取れなかったため、%1として退避しました: %2</translation>
    </message>
    <message numerus="yes">
        <source>%n kept prompt(s) could not be read; a copy of all is %1</source>
        <translation>
            <numerusform>保存済みプロンプト %n 件を読めませんでした。全体のコピーは %1 です</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::PromptPanel</name>
    <message>
        <source>Keep</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Keep the project&apos;s prompt, with what must not be seen</source>
        <translation>プロジェクトのプロンプトを、ネガティブプロンプトとともに保存します</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>使用</translation>
    </message>
    <message>
        <source>Put the prompt into the project; a style is put around the project&apos;s prompt</source>
        <translation>プロンプトをプロジェクトに入れます。スタイルはプロジェクトのプロンプトを囲みます</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>削除</translation>
    </message>
    <message>
        <source>Remove the prompt from those that are kept</source>
        <translation>保存したプロンプトから削除します</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>検索</translation>
    </message>
    <message>
        <source>Search the kept prompts</source>
        <translation>保存したプロンプトを検索</translation>
    </message>
    <message>
        <source>Kept prompts</source>
        <translation>保存したプロンプト</translation>
    </message>
    <message>
        <source>Style “%1”</source>
        <translation>スタイル「%1」</translation>
    </message>
    <message>
        <source>Prompt “%1”</source>
        <translation>プロンプト「%1」</translation>
    </message>
    <message>
        <source>No kept prompt has these words.</source>
        <translation>この語を含むプロンプトはありません。</translation>
    </message>
    <message>
        <source>No saved prompts. Save the current one. A prompt containing {prompt} acts as a style around it.</source>
        <translation>保存されたプロンプトはありません。現在のものを保存してください。{prompt} を含むプロンプトは、それを囲むスタイルになります。</translation>
    </message>
    <message>
        <source>Remove a prompt</source>
        <translation>プロンプトを削除</translation>
    </message>
    <message>
        <source>Remove “%1”? It cannot be brought back.</source>
        <translation>「%1」を削除しますか？元に戻すことはできません。</translation>
    </message>
    <message>
        <source>Rewrite…</source>
        <translation>書き換え…</translation>
    </message>
    <message>
        <source>Let a language model rewrite the project&apos;s prompt, and edit its answer</source>
        <translation>言語モデルにプロジェクトのプロンプトを書き換えさせ、応答を編集します</translation>
    </message>
    <message>
        <source>Rewritten prompt</source>
        <translation>書き換えたプロンプト</translation>
    </message>
</context>
<context>
    <name>meshreel::PromptTools</name>
    <message>
        <source>Example</source>
        <translation>例</translation>
    </message>
    <message>
        <source>%1 / %2 tokens</source>
        <comment>of the prompt, that the model reads</comment>
        <translation>%1 / %2 トークン</translation>
    </message>
    <message>
        <source>What is beyond the limit is not read</source>
        <translation>上限を超えた部分は読まれません</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>kind of motion, prompt</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Take a prompt that this model does well, and with the next click the next one; the arrow lists them by their motion</source>
        <translation>このモデルが得意なプロンプトを使います。もう一度クリックすると次のもの、矢印で動きごとに一覧します</translation>
    </message>
</context>
<context>
    <name>meshreel::QualityModel</name>
    <message>
        <source>%1 to %2</source>
        <comment>places</comment>
        <translation>%1〜%2</translation>
    </message>
    <message>
        <source>%1 %</source>
        <comment>percentage</comment>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>%1 to %2 %</source>
        <comment>percentages</comment>
        <translation>%1〜%2 %</translation>
    </message>
    <message>
        <source>%1 (%2 to %3)</source>
        <comment>median, least and most seconds</comment>
        <translation>%1（%2〜%3）</translation>
    </message>
    <message>
        <source>Setting</source>
        <translation>設定</translation>
    </message>
    <message>
        <source>What makes runs differ, beside prompt, inputs and seed</source>
        <translation>プロンプト、入力、シード以外で実行を分けるもの</translation>
    </message>
    <message>
        <source>Place</source>
        <translation>順位</translation>
    </message>
    <message>
        <source>The places that the votes leave open, the best first</source>
        <translation>投票から考えられる順位（上位から）</translation>
    </message>
    <message>
        <source>Preferred</source>
        <translation>好まれる割合</translation>
    </message>
    <message>
        <source>How often it is preferred to another of these settings, by the model of Bradley and Terry</source>
        <translation>他の設定より好まれる割合（ブラッドリー・テリー模型による）</translation>
    </message>
    <message>
        <source>Interval</source>
        <translation>区間</translation>
    </message>
    <message>
        <source>Holds the true share in about nine of ten cases</source>
        <translation>約 10 回に 9 回は真の割合を含みます</translation>
    </message>
    <message>
        <source>Votes</source>
        <translation>投票</translation>
    </message>
    <message>
        <source>Comparisons that the setting took part in</source>
        <translation>この設定が加わった比較の数</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>実行</translation>
    </message>
    <message>
        <source>Compared runs of this setting</source>
        <translation>比較中のこの設定の実行</translation>
    </message>
    <message>
        <source>Seconds</source>
        <translation>秒</translation>
    </message>
    <message>
        <source>Of inference, without loading and compiling: median, least and most</source>
        <translation>推論の秒数（読み込みとコンパイルを除く）: 中央値、最小、最大</translation>
    </message>
</context>
<context>
    <name>meshreel::QualityPage</name>
    <message>
        <source>Rate</source>
        <translation>評価</translation>
    </message>
    <message>
        <source>See the videos in pairs, without their settings, and say which is better</source>
        <translation>設定を伏せて動画を 2 本ずつ見て、どちらが良いかを選びます</translation>
    </message>
    <message>
        <source>Quality of the settings</source>
        <translation>設定の品質</translation>
    </message>
    <message>
        <source>Measuring the videos: %1 of %2 …</source>
        <translation>動画を測定中: %1 / %2 …</translation>
    </message>
    <message>
        <source>Nobody has voted on these settings yet.</source>
        <translation>これらの設定にはまだ投票がありません。</translation>
    </message>
    <message>
        <source>By votes on pairs of videos, seen without their settings.</source>
        <translation>設定を伏せて見た動画の組への投票によります。</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Measure videos</source>
        <translation>動画を測定</translation>
    </message>
    <message>
        <source>Stop measuring; what was measured stays</source>
        <translation>測定を止めます。測定済みの値は残ります</translation>
    </message>
    <message>
        <source>Measure flicker, sharpness and the difference to the baseline. At full size a video takes many seconds.</source>
        <translation>ちらつき、鮮鋭度、基準との差を測ります。実寸の動画では 1 本に何秒もかかります。</translation>
    </message>
</context>
<context>
    <name>meshreel::QueuePanel</name>
    <message>
        <source>Add</source>
        <translation>追加</translation>
    </message>
    <message>
        <source>Add the project as it is now (Ctrl+Shift+R)</source>
        <translation>現在の状態のプロジェクトを追加します（Ctrl+Shift+R）</translation>
    </message>
    <message>
        <source>Add a grid…</source>
        <translation>グリッドを追加…</translation>
    </message>
    <message>
        <source>Add the project once for every combination of some settings: seeds, prompts, sizes, …</source>
        <translation>いくつかの設定のすべての組み合わせについて、プロジェクトを1回ずつ追加します: シード、プロンプト、大きさ、…</translation>
    </message>
    <message>
        <source>Run the queue</source>
        <translation>キューを実行</translation>
    </message>
    <message>
        <source>Earlier</source>
        <translation>前へ</translation>
    </message>
    <message>
        <source>Later</source>
        <translation>後へ</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>再開</translation>
    </message>
    <message>
        <source>Run again</source>
        <translation>再実行</translation>
    </message>
    <message>
        <source>Remove from the queue</source>
        <translation>キューから削除</translation>
    </message>
    <message>
        <source>Remove what is done</source>
        <translation>完了したものを削除</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>キュー</translation>
    </message>
    <message>
        <source>Nothing is queued: add the project as it is now, or once for every combination of some settings.</source>
        <translation>キューは空です。今のプロジェクトを追加するか、いくつかの設定の組み合わせごとに追加してください。</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>開く</translation>
    </message>
    <message>
        <source>Show the chart, summary and video of the run</source>
        <translation>この実行のグラフ、サマリー、動画を表示します</translation>
    </message>
    <message>
        <source>Load these settings</source>
        <translation>この設定を読み込む</translation>
    </message>
    <message>
        <source>Edit a copy of the project as it is in the queue</source>
        <translation>キューにあるプロジェクトのコピーを編集します</translation>
    </message>
    <message>
        <source>Add project files…</source>
        <translation>プロジェクトファイルを追加…</translation>
    </message>
    <message>
        <source>Add projects to the queue</source>
        <translation>プロジェクトをキューに追加</translation>
    </message>
    <message numerus="yes">
        <source>%n runs wait, about %1 in all</source>
        <translation>
            <numerusform>%n 件が待機中、合計約 %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n runs wait</source>
        <translation>
            <numerusform>%n 件が待機中</numerusform>
        </translation>
    </message>
    <message>
        <source>Run again on the CPU</source>
        <translation>CPU でもう一度実行</translation>
    </message>
    <message>
        <source>Run again with half the frames</source>
        <translation>半分のフレーム数でもう一度実行</translation>
    </message>
    <message>
        <source>Runs one after the other; when switched off, the current one still finishes</source>
        <translation>順番に実行します。オフにしても、進行中の実行は最後まで行います</translation>
    </message>
    <message>
        <source>Project files, and tables (CSV) whose columns are keys and whose rows are runs of the project</source>
        <translation>プロジェクトファイル、または列がキーで行がプロジェクトの実行である表（CSV）</translation>
    </message>
    <message>
        <source>Projects and tables (*.yaml *.yml *.csv)</source>
        <translation>プロジェクトと表 (*.yaml *.yml *.csv)</translation>
    </message>
</context>
<context>
    <name>meshreel::QueueStore</name>
    <message>
        <source>The kept queue could not be read and was set aside as %1: %2</source>
        <translation>保存されたキューを読み取れなかったため、%1として退避しました: %2</translation>
    </message>
    <message numerus="yes">
        <source>%n run(s) of the kept queue could not be read; a copy of the queue is %1. Run %2: %3</source>
        <translation>
            <numerusform>保存済みキューの実行 %n 件を読めませんでした。キューのコピーは %1 です。実行 %2: %3</numerusform>
        </translation>
    </message>
    <message>
        <source>The queue cannot be kept: %1 Runs added here are lost when this window closes.</source>
        <comment>reason</comment>
        <translation>キューを保存できません：%1 ここで追加した実行は、このウィンドウを閉じると失われます。</translation>
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
            <numerusform>他 %n 件</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::RankingView</name>
    <message>
        <source>%1 to %2</source>
        <comment>places</comment>
        <translation>%1〜%2</translation>
    </message>
    <message>
        <source>Ranking of the settings</source>
        <translation>設定の順位</translation>
    </message>
    <message>
        <source>%1: no votes yet</source>
        <comment>setting</comment>
        <translation>%1: まだ投票がありません</translation>
    </message>
    <message numerus="yes">
        <source>%1: %2, preferred in %3 % (%4 to %5 %), %n votes</source>
        <comment>place, setting, share and its interval</comment>
        <translation>
            <numerusform>%1: %2、好まれる割合 %3 %（%4〜%5 %）、投票 %n 件</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 % (%2 to %3)</source>
        <comment>share and its interval, percentages</comment>
        <translation>%1 %（%2〜%3）</translation>
    </message>
    <message>
        <source>no votes</source>
        <translation>投票なし</translation>
    </message>
</context>
<context>
    <name>meshreel::RateDialog</name>
    <message>
        <source>Rate videos</source>
        <translation>動画の評価</translation>
    </message>
    <message>
        <source>Ranking</source>
        <translation>順位</translation>
    </message>
    <message>
        <source>Show what the votes say of the settings so far</source>
        <translation>これまでの投票による設定の順位を表示します</translation>
    </message>
    <message>
        <source>Skip</source>
        <translation>飛ばす</translation>
    </message>
    <message>
        <source>Pass this pair over (S)</source>
        <translation>この組を飛ばします (S)</translation>
    </message>
    <message>
        <source>Take back</source>
        <translation>取り消す</translation>
    </message>
    <message>
        <source>Take back the last vote, and see its pair again (Backspace)</source>
        <translation>最後の投票を取り消し、その組をもう一度見ます (Backspace)</translation>
    </message>
    <message>
        <source>The wheel zooms both, dragging moves, a double click fits</source>
        <translation>ホイールで両方を拡大、ドラッグで移動、ダブルクリックで全体表示</translation>
    </message>
    <message>
        <source>Position in the videos</source>
        <translation>動画内の位置</translation>
    </message>
    <message>
        <source>Drag to go to a frame of both</source>
        <translation>ドラッグで両方のフレームへ移動します</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>一時停止</translation>
    </message>
    <message>
        <source>Play</source>
        <translation>再生</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>action and its key</comment>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>Space</source>
        <translation>スペース</translation>
    </message>
    <message>
        <source>1  Left is better</source>
        <translation>1  左が良い</translation>
    </message>
    <message>
        <source>1 or the left arrow</source>
        <translation>1 または左矢印</translation>
    </message>
    <message>
        <source>0  No difference</source>
        <translation>0  差がない</translation>
    </message>
    <message>
        <source>0 or the down arrow</source>
        <translation>0 または下矢印</translation>
    </message>
    <message>
        <source>2  Right is better</source>
        <translation>2  右が良い</translation>
    </message>
    <message>
        <source>2 or the right arrow</source>
        <translation>2 または右矢印</translation>
    </message>
    <message>
        <source>Reading the runs …</source>
        <translation>実行を読み込み中 …</translation>
    </message>
    <message>
        <source>Reading the videos …</source>
        <translation>動画を読み込み中 …</translation>
    </message>
    <message>
        <source>None of the videos can be shown beside another one.</source>
        <translation>並べて表示できる動画がありません。</translation>
    </message>
    <message>
        <source>These videos have two prompts.</source>
        <translation>これらの動画はプロンプトが異なります。</translation>
    </message>
    <message numerus="yes">
        <source>%n votes</source>
        <translation>
            <numerusform>投票 %n 件</numerusform>
        </translation>
    </message>
    <message>
        <source>every pair was seen: further votes narrow the intervals</source>
        <translation>すべての組を見ました: さらに投票すると区間が狭まります</translation>
    </message>
    <message>
        <source>%1 of %2 pairs seen</source>
        <translation>%2 組中 %1 組を表示済み</translation>
    </message>
    <message numerus="yes">
        <source>%n runs without a video that can be shown are left out</source>
        <translation>
            <numerusform>表示できる動画のない実行 %n 件を除きました</numerusform>
        </translation>
    </message>
    <message>
        <source>There are no votes yet.</source>
        <translation>まだ投票がありません。</translation>
    </message>
    <message>
        <source>How often each setting is preferred to another one of its group, and the range that holds the true share in nine of ten cases. Settings of different groups were never compared: dotted lines part them.</source>
        <translation>各設定が同じグループの他の設定より好まれる割合と、10 回に 9 回は真の割合を含む範囲。異なるグループの設定は比べられていません（点線で区切ります）。</translation>
    </message>
    <message>
        <source>How often each setting is preferred to another one, and the range that holds the true share in nine of ten cases. Places whose ranges overlap are not decided: more votes narrow them.</source>
        <translation>各設定が他の設定より好まれる割合と、10 回に 9 回は真の割合を含む範囲。重なる順位は未定です。投票を増やすと定まります。</translation>
    </message>
</context>
<context>
    <name>meshreel::RecentStrip</name>
    <message>
        <source>Recent results</source>
        <translation>最近の結果</translation>
    </message>
    <message>
        <source>&amp;Open</source>
        <translation>開く(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;Load these settings</source>
        <translation>この設定を読み込む(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;All runs</source>
        <translation>すべての実行(&amp;A)</translation>
    </message>
</context>
<context>
    <name>meshreel::RefineItem</name>
    <message>
        <source>Stop refining</source>
        <translation>精密化を中止</translation>
    </message>
    <message>
        <source>Refinement paused: CPU busy</source>
        <translation>精密化を一時停止中: CPU使用中</translation>
    </message>
    <message>
        <source>refining: round %1 of %2</source>
        <translation>精密化中: %1/%2 回目</translation>
    </message>
    <message>
        <source>Other programs keep the processors busy. Round %1 of %2 is measured when they are at rest.</source>
        <translation>ほかのプログラムがプロセッサーを使用しています。空いたら %1/%2 回目を計測します。</translation>
    </message>
    <message>
        <source>While nothing runs, this machine is measured further, which makes predictions more exact. Whatever you start comes first.</source>
        <translation>何も実行していない間に計測を続け、予測をより正確にします。あなたが始めた処理が優先されます。</translation>
    </message>
    <message>
        <source>Stop measuring. “Keep measuring when idle” in the Run menu starts it again.</source>
        <translation>測定をやめます。「実行」メニューの「空いているときに計測を続ける」で再開します。</translation>
    </message>
</context>
<context>
    <name>meshreel::ReportContents</name>
    <message>
        <source>Run</source>
        <translation>実行</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>アテンション</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>デバイス数</translation>
    </message>
    <message>
        <source>Workers</source>
        <translation>ワーカー数</translation>
    </message>
    <message>
        <source>Video</source>
        <translation>動画</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>ステップ数</translation>
    </message>
    <message>
        <source>Load, s</source>
        <translation>読み込み（秒）</translation>
    </message>
    <message>
        <source>Compile, s</source>
        <translation>準備（秒）</translation>
    </message>
    <message>
        <source>Inference, s</source>
        <translation>推論（秒）</translation>
    </message>
    <message>
        <source>Denoising, s</source>
        <translation>ノイズ除去（秒）</translation>
    </message>
    <message>
        <source>Decoding, s</source>
        <translation>デコード（秒）</translation>
    </message>
    <message>
        <source>Step, s</source>
        <translation>ステップ（秒）</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>Setting</source>
        <translation>設定</translation>
    </message>
    <message>
        <source>All runs</source>
        <translation>すべての実行</translation>
    </message>
    <message>
        <source>Differing</source>
        <translation>異なる</translation>
    </message>
    <message numerus="yes">
        <source>%n runs compared</source>
        <translation>
            <numerusform>%n件の実行の比較</numerusform>
        </translation>
    </message>
    <message>
        <source>Meshreel %1 · %2</source>
        <comment>version, date</comment>
        <translation>Meshreel %1 · %2</translation>
    </message>
    <message>
        <source>Timings</source>
        <translation>時間</translation>
    </message>
    <message>
        <source>Settings that differ</source>
        <translation>異なる設定</translation>
    </message>
    <message>
        <source>Videos</source>
        <translation>動画</translation>
    </message>
    <message>
        <source>Charts</source>
        <translation>グラフ</translation>
    </message>
    <message>
        <source>Environment</source>
        <translation>環境</translation>
    </message>
    <message>
        <source>Timing summaries</source>
        <translation>計時サマリー</translation>
    </message>
    <message>
        <source>Projects</source>
        <translation>プロジェクト</translation>
    </message>
    <message>
        <source>Spread</source>
        <translation>ばらつき</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>判定</translation>
    </message>
</context>
<context>
    <name>meshreel::ResultsView</name>
    <message>
        <source>Describe a video on the left and press Run.
Runs, videos, pictures and projects can be dropped here.</source>
        <translation>左側で動画を説明し、［実行］を押してください。
実行フォルダー、動画、画像、プロジェクトをここにドロップすることもできます。</translation>
    </message>
    <message>
        <source>Back to the current run</source>
        <translation>現在の実行に戻る</translation>
    </message>
    <message>
        <source>Back to the last run</source>
        <translation>最後の実行に戻る</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>続ける</translation>
    </message>
    <message>
        <source>Make the next clip: it goes on from the last frame of this one</source>
        <translation>次のクリップを作る：このクリップの最後のフレームから続きます</translation>
    </message>
    <message>
        <source>From the &amp;last frame</source>
        <translation>最後のフレームから(&amp;L)</translation>
    </message>
    <message>
        <source>From the &amp;shown frame</source>
        <translation>表示中のフレームから(&amp;S)</translation>
    </message>
    <message>
        <source>Use as</source>
        <translation>使い道</translation>
    </message>
    <message>
        <source>Let the shown frame, or the video, be an input of the next video</source>
        <translation>表示中のフレームや動画を次の動画の入力にします</translation>
    </message>
</context>
<context>
    <name>meshreel::RunBar</name>
    <message>
        <source>%1, step %2 of %3</source>
        <comment>phase and steps</comment>
        <translation>%1、ステップ%2/%3</translation>
    </message>
    <message>
        <source>%1 · about %2 left</source>
        <comment>what happens, duration</comment>
        <translation>%1 · 残り約%2</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>実行</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>キャンセル</translation>
    </message>
    <message>
        <source>Stop after the current block; steps that are done are kept</source>
        <translation>現在のブロックの後で停止します。完了したステップは残ります</translation>
    </message>
    <message>
        <source>Progress of the run</source>
        <translation>実行の進行状況</translation>
    </message>
    <message>
        <source>Starting</source>
        <translation>開始中</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>一時停止</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>再開</translation>
    </message>
    <message>
        <source>Resume the stopped run from its last finished step</source>
        <translation>停止した実行を、最後に完了したステップから再開します</translation>
    </message>
    <message>
        <source>Every step is done: the run cannot pause any more</source>
        <translation>すべてのステップが完了しているため、もう一時停止できません</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>状態</translation>
    </message>
    <message>
        <source>Go to the first problem</source>
        <translation>最初の問題へ移動</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>キュー</translation>
    </message>
    <message>
        <source>Run this project when its turn comes (Ctrl+Enter)</source>
        <translation>順番が来たらこのプロジェクトを実行 (Ctrl+Enter)</translation>
    </message>
    <message>
        <source>Generate the video (Ctrl+Enter)</source>
        <translation>動画を生成 (Ctrl+Enter)</translation>
    </message>
    <message>
        <source>Checking the project</source>
        <translation>プロジェクトを確認中</translation>
    </message>
    <message>
        <source>Stop after the current step; nothing is lost</source>
        <translation>進行中のステップが完了したら停止します。何も失われません</translation>
    </message>
    <message>
        <source>Resume the stopped run %1 from its last finished step</source>
        <comment>name</comment>
        <translation>停止した実行 %1 を、最後に完了したステップから続けます</translation>
    </message>
</context>
<context>
    <name>meshreel::RunChoice</name>
    <message>
        <source>Runs that the chart shows</source>
        <translation>グラフに表示する実行</translation>
    </message>
    <message numerus="yes">
        <source>%1 and %n more</source>
        <translation>
            <numerusform>%1 と他 %n 件</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::RunCopies</name>
    <message>
        <source>None of these runs is finished: there is no timing summary to copy.</source>
        <translation>完了した実行がないため、コピーできる計時サマリーがありません。</translation>
    </message>
    <message numerus="yes">
        <source>Copied %n timing summaries</source>
        <translation>
            <numerusform>%n件の計時サマリーをコピーしました</numerusform>
        </translation>
    </message>
    <message>
        <source>None of these runs finished a step: there is no configuration to copy.</source>
        <translation>ステップを完了した実行がないため、コピーできる構成がありません。</translation>
    </message>
    <message numerus="yes">
        <source>Copied %n configurations as a Markdown table</source>
        <translation>
            <numerusform>%n件の構成をMarkdownの表としてコピーしました</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::RunFilter</name>
    <message>
        <source>Model</source>
        <translation>モデル</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>タスク</translation>
    </message>
    <message>
        <source>Adapter</source>
        <translation>アダプター</translation>
    </message>
    <message>
        <source>Tag</source>
        <translation>タグ</translation>
    </message>
    <message>
        <source>Board</source>
        <translation>ボード</translation>
    </message>
</context>
<context>
    <name>meshreel::RunHistoryModel</name>
    <message>
        <source>Run</source>
        <translation>実行</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>開始</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>所要時間</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>ステップ数</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>タグ</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>メモ</translation>
    </message>
    <message>
        <source>Seconds a step, without the first one</source>
        <translation>最初を除くステップごとの秒数</translation>
    </message>
    <message>
        <source>Width × height × frames</source>
        <translation>幅 × 高さ × フレーム数</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>状態</translation>
    </message>
    <message>
        <source>Step, s</source>
        <translation>ステップ（秒）</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>サイズ</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>モデル</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>アテンション</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>デバイス数</translation>
    </message>
    <message>
        <source>Mesh</source>
        <translation>メッシュ</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>setting and its value</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Settings in which these runs differ, where they are not at their defaults</source>
        <translation>これらの実行で異なる設定のうち、既定値でないもの</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>シード</translation>
    </message>
    <message>
        <source>What differs</source>
        <translation>異なる設定</translation>
    </message>
    <message>
        <source>Not all of it can be read</source>
        <translation>一部を読み込めません</translation>
    </message>
    <message>
        <source>Starred</source>
        <translation>スター付き</translation>
    </message>
    <message>
        <source>No star</source>
        <translation>スターなし</translation>
    </message>
    <message>
        <source>Collections that the run is in</source>
        <translation>この実行が入っているコレクション</translation>
    </message>
    <message>
        <source>Star</source>
        <translation>スター</translation>
    </message>
    <message>
        <source>Boards</source>
        <translation>ボード</translation>
    </message>
</context>
<context>
    <name>meshreel::RunLog</name>
    <message>
        <source>Loading the model</source>
        <translation>モデルを読み込み中</translation>
    </message>
    <message>
        <source>Preparing weights</source>
        <translation>重みを準備中</translation>
    </message>
    <message>
        <source>Reading the prompt</source>
        <translation>プロンプトを読み取り中</translation>
    </message>
    <message>
        <source>Denoising</source>
        <translation>ノイズ除去中</translation>
    </message>
    <message>
        <source>Decoding the video</source>
        <translation>動画をデコード中</translation>
    </message>
    <message>
        <source>%1: done in %2</source>
        <comment>phase, duration</comment>
        <translation>%1: %2で完了</translation>
    </message>
    <message>
        <source>Run folder: %1</source>
        <translation>実行フォルダー: %1</translation>
    </message>
    <message>
        <source>Step %1: %2</source>
        <comment>number of a step, duration</comment>
        <translation>ステップ%1: %2</translation>
    </message>
    <message>
        <source>Writing the video</source>
        <translation>動画を書き込み中</translation>
    </message>
</context>
<context>
    <name>meshreel::RunNotices</name>
    <message>
        <source>A video is being generated</source>
        <translation>動画を生成中です</translation>
    </message>
    <message>
        <source>The video is done</source>
        <translation>動画が完成しました</translation>
    </message>
    <message>
        <source>The run failed</source>
        <translation>実行に失敗しました</translation>
    </message>
    <message>
        <source>Block sizes are being timed</source>
        <translation>ブロックサイズを計測中です</translation>
    </message>
    <message>
        <source>A sweep is being timed</source>
        <translation>一括計測の実行中です</translation>
    </message>
    <message>
        <source>This machine is being measured</source>
        <translation>このマシンを計測中です</translation>
    </message>
    <message>
        <source>A benchmark is being measured</source>
        <translation>ベンチマークを計測しています</translation>
    </message>
</context>
<context>
    <name>meshreel::RunPresenter</name>
    <message>
        <source>Cancelled</source>
        <translation>キャンセル済み</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失敗</translation>
    </message>
    <message>
        <source>Done: %1</source>
        <translation>完了: %1</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>完了</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>一時停止中</translation>
    </message>
    <message>
        <source>Stopping</source>
        <translation>停止中</translation>
    </message>
    <message>
        <source>Pausing after this step</source>
        <translation>このステップの後で一時停止します</translation>
    </message>
    <message>
        <source>%1. Resume begins again.</source>
        <comment>state</comment>
        <translation>%1。再開すると最初から始まります。</translation>
    </message>
    <message>
        <source>%1 at step %2 of %3. Resume goes on from there.</source>
        <comment>state</comment>
        <translation>ステップ %2/%3 で%1。再開するとそこから続きます。</translation>
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
        <translation>前の実行</translation>
    </message>
    <message>
        <source>Left arrow</source>
        <translation>左矢印</translation>
    </message>
    <message>
        <source>Next run</source>
        <translation>次の実行</translation>
    </message>
    <message>
        <source>Right arrow</source>
        <translation>右矢印</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>開く</translation>
    </message>
    <message>
        <source>Preview of a run</source>
        <translation>実行のプレビュー</translation>
    </message>
    <message>
        <source>Settings of the run</source>
        <translation>実行の設定</translation>
    </message>
    <message>
        <source>Show the chart, summary and video of the run</source>
        <translation>実行のグラフ、要約、動画を表示</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>action and its key</comment>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <comment>numbers of runs</comment>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>This run has no video.</source>
        <translation>この実行には動画がありません。</translation>
    </message>
    <message>
        <source>Take the star away</source>
        <translation>スターを外す</translation>
    </message>
    <message>
        <source>Give a star</source>
        <translation>スターを付ける</translation>
    </message>
</context>
<context>
    <name>meshreel::RunQueue</name>
    <message>
        <source>Waiting</source>
        <translation>待機中</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>実行中</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>完了</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>キャンセル済み</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失敗</translation>
    </message>
    <message>
        <source>Will resume</source>
        <translation>再開予定</translation>
    </message>
    <message numerus="yes">
        <source>%1 × %2, %n frames</source>
        <translation>
            <numerusform>%1 × %2、%nフレーム</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n steps, seed %1</source>
        <translation>
            <numerusform>%nステップ、シード%1</numerusform>
        </translation>
    </message>
    <message>
        <source>Project</source>
        <translation>プロジェクト</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状態</translation>
    </message>
    <message>
        <source>Video</source>
        <translation>動画</translation>
    </message>
    <message>
        <source>Sampling</source>
        <translation>サンプリング</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>アテンション</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>設定</translation>
    </message>
    <message numerus="yes">
        <source>%n steps, random seed</source>
        <translation>
            <numerusform>%nステップ、シードはランダム</numerusform>
        </translation>
    </message>
    <message>
        <source>Running elsewhere</source>
        <translation>別の場所で実行中</translation>
    </message>
</context>
<context>
    <name>meshreel::RunReport</name>
    <message>
        <source>Version</source>
        <translation>バージョン</translation>
    </message>
    <message>
        <source>Commit</source>
        <translation>コミット</translation>
    </message>
    <message>
        <source>Compiler</source>
        <translation>コンパイラー</translation>
    </message>
    <message>
        <source>Processor</source>
        <translation>プロセッサー</translation>
    </message>
    <message>
        <source>Instruction set</source>
        <translation>命令セット</translation>
    </message>
    <message>
        <source>CPUs</source>
        <translation>CPU数</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>デバイス数</translation>
    </message>
    <message>
        <source>Ranks</source>
        <translation>ランク数</translation>
    </message>
    <message>
        <source>Workers of a device</source>
        <translation>デバイスごとのワーカー数</translation>
    </message>
    <message>
        <source>Mesh</source>
        <translation>メッシュ</translation>
    </message>
    <message>
        <source>Self-attention kernel</source>
        <translation>セルフアテンションのカーネル</translation>
    </message>
    <message>
        <source>Cross-attention kernel</source>
        <translation>クロスアテンションのカーネル</translation>
    </message>
    <message>
        <source>Number types</source>
        <translation>数値型</translation>
    </message>
    <message>
        <source>Libraries</source>
        <translation>ライブラリ</translation>
    </message>
    <message>
        <source>%1 · %2 s</source>
        <comment>number of a frame, time</comment>
        <translation>%1 · %2秒</translation>
    </message>
</context>
<context>
    <name>meshreel::RunStages</name>
    <message>
        <source>%1 %</source>
        <comment>percentage</comment>
        <translation>%1%</translation>
    </message>
    <message>
        <source>%1/%2</source>
        <comment>steps done, steps</comment>
        <translation>%1/%2</translation>
    </message>
    <message>
        <source>%1: still to come</source>
        <comment>stage</comment>
        <translation>%1: これから</translation>
    </message>
    <message>
        <source>%1: nothing to do</source>
        <comment>stage</comment>
        <translation>%1: 不要</translation>
    </message>
    <message>
        <source>%1: done in %2, kept from an earlier run</source>
        <comment>stage, duration</comment>
        <translation>%1: %2で完了、以前の実行の結果を利用</translation>
    </message>
    <message>
        <source>%1: done in %2</source>
        <comment>stage, duration</comment>
        <translation>%1: %2で完了</translation>
    </message>
    <message>
        <source>%1: %2 of %3 done</source>
        <comment>stage, steps</comment>
        <translation>%1: %3のうち%2が完了</translation>
    </message>
    <message>
        <source>%1: stopped after %2 of %3</source>
        <comment>stage, steps</comment>
        <translation>%1: %3のうち%2で停止</translation>
    </message>
    <message>
        <source>%1: %2 done</source>
        <comment>stage, percentage</comment>
        <translation>%1: %2完了</translation>
    </message>
    <message>
        <source>%1: stopped after %2</source>
        <comment>stage, percentage</comment>
        <translation>%1: %2で停止</translation>
    </message>
    <message>
        <source>%1: stopped</source>
        <comment>stage</comment>
        <translation>%1: 停止</translation>
    </message>
    <message>
        <source>About %1 left</source>
        <comment>duration</comment>
        <translation>残り約%1</translation>
    </message>
    <message>
        <source>Load</source>
        <comment>stage of a run</comment>
        <translation>読み込み</translation>
    </message>
    <message>
        <source>Compile</source>
        <comment>stage of a run</comment>
        <translation>準備</translation>
    </message>
    <message>
        <source>Condition</source>
        <comment>stage of a run</comment>
        <translation>プロンプト</translation>
    </message>
    <message>
        <source>Steps</source>
        <comment>stage of a run</comment>
        <translation>ステップ</translation>
    </message>
    <message>
        <source>Decode</source>
        <comment>stage of a run</comment>
        <translation>デコード</translation>
    </message>
    <message>
        <source>Format</source>
        <comment>stage of a run</comment>
        <translation>書き出し</translation>
    </message>
    <message>
        <source>cached</source>
        <comment>result of a stage, very short</comment>
        <translation>キャッシュ</translation>
    </message>
    <message>
        <source>%1: in progress</source>
        <comment>stage</comment>
        <translation>%1: 進行中</translation>
    </message>
</context>
<context>
    <name>meshreel::RunTexts</name>
    <message>
        <source>Running</source>
        <translation>実行中</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>完了</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>キャンセル済み</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失敗</translation>
    </message>
    <message>
        <source>Interrupted</source>
        <translation>中断</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>status and its reason</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>%1 of %2 steps</source>
        <translation>%1/%2ステップ</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <comment>steps and duration</comment>
        <translation>%1、%2</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1秒</translation>
    </message>
    <message>
        <source>%1 min %2 s</source>
        <translation>%1分%2秒</translation>
    </message>
    <message>
        <source>%1 h %2 min</source>
        <translation>%1時間%2分</translation>
    </message>
</context>
<context>
    <name>meshreel::RunTiles</name>
    <message>
        <source>Runs as tiles</source>
        <translation>タイル表示の実行</translation>
    </message>
</context>
<context>
    <name>meshreel::SaveLookDialog</name>
    <message>
        <source>Save a look</source>
        <translation>ルックを保存</translation>
    </message>
    <message>
        <source>A look is a picture with settings in it: how videos look, whatever they show. Write {prompt} into a prompt to make it a style.</source>
        <translation>ルックは設定を含む画像で、何を映すかによらず動画の見た目を表します。プロンプトに {prompt} と書くとスタイルになります。</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>選択…</translation>
    </message>
    <message>
        <source>Settings of the look</source>
        <translation>ルックの設定</translation>
    </message>
    <message>
        <source>Picture of the look</source>
        <translation>ルックの画像</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名前</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>メモ</translation>
    </message>
    <message>
        <source>Picture</source>
        <translation>画像</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>title of a setting and its value</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Choose a picture or video</source>
        <translation>画像または動画を選択</translation>
    </message>
    <message>
        <source>Pictures and videos (*.png *.jpg *.jpeg *.webp *.mp4 *.webm *.gif)</source>
        <translation>画像と動画 (*.png *.jpg *.jpeg *.webp *.mp4 *.webm *.gif)</translation>
    </message>
    <message>
        <source>The project has the default look: change sampling, adapters, size or what must not be seen first.</source>
        <translation>プロジェクトは既定の見た目です。先にサンプリング、アダプター、サイズ、または映さないものを変えてください。</translation>
    </message>
    <message>
        <source>Choose at least one setting.</source>
        <translation>設定を 1 つ以上選んでください。</translation>
    </message>
    <message>
        <source>Write a name.</source>
        <translation>名前を書いてください。</translation>
    </message>
    <message>
        <source>Choose a picture that shows the look, such as a frame of a run.</source>
        <translation>実行のフレームなど、ルックを表す画像を選んでください。</translation>
    </message>
</context>
<context>
    <name>meshreel::SessionKeeper</name>
    <message>
        <source>Your last project is open as you left it.</source>
        <translation>前回のプロジェクトをそのままの状態で開きました。</translation>
    </message>
    <message>
        <source>Go on with it</source>
        <translation>これを続ける</translation>
    </message>
    <message>
        <source>Start anew</source>
        <translation>新規に始める</translation>
    </message>
    <message>
        <source>Your last storyboard is open as you left it.</source>
        <translation>前回の絵コンテをそのまま開きました。</translation>
    </message>
    <message>
        <source>Show storyboard</source>
        <translation>絵コンテを表示</translation>
    </message>
    <message numerus="yes">
        <source>%n runs wait in the queue.</source>
        <translation>
            <numerusform>キューで %n 件の実行が待っています。</numerusform>
        </translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>再開</translation>
    </message>
    <message>
        <source>Show queue</source>
        <translation>キューを表示</translation>
    </message>
</context>
<context>
    <name>meshreel::Settings</name>
    <message>
        <source>Some kept settings could not be read; a copy of their file is %1.</source>
        <translation>保存された設定の一部を読み取れませんでした。ファイルのコピーは%1です。</translation>
    </message>
</context>
<context>
    <name>meshreel::ShotEditor</name>
    <message>
        <source>Goes on from the shot before</source>
        <translation>前のショットから続ける</translation>
    </message>
    <message>
        <source>Frames in which the film passes over</source>
        <translation>フィルムが移り変わるフレーム数</translation>
    </message>
    <message>
        <source>Shot</source>
        <translation>ショット</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名前</translation>
    </message>
    <message>
        <source>Name of the shot</source>
        <translation>ショットの名前</translation>
    </message>
    <message>
        <source>Letters, digits, &apos;-&apos;, &apos;_&apos; and &apos;.&apos;; the folder of its run is called after it.</source>
        <translation>文字、数字、「-」「_」「.」。実行のフォルダーはこの名前になります。</translation>
    </message>
    <message>
        <source>Seconds</source>
        <translation>秒</translation>
    </message>
    <message>
        <source>How long the film shows the shot. Empty: as long as all shots.</source>
        <translation>フィルムがこのショットを映す長さ。空なら全ショット共通の長さ。</translation>
    </message>
    <message>
        <source>It begins with the last frames of the shot before.</source>
        <translation>前のショットの最後のフレームから始まります。</translation>
    </message>
    <message>
        <source>Of those that both shots show; 0 cuts.</source>
        <translation>両方のショットにあるフレームのうち。0 ならカットします。</translation>
    </message>
    <message>
        <source>usual (%1)</source>
        <comment>seconds</comment>
        <translation>通常 (%1)</translation>
    </message>
    <message>
        <source>usual (%1)</source>
        <comment>frames</comment>
        <translation>通常 (%1)</translation>
    </message>
    <message>
        <source>Goes on from the shot %1</source>
        <comment>name</comment>
        <translation>ショット %1 から続ける</translation>
    </message>
</context>
<context>
    <name>meshreel::SizePicker</name>
    <message>
        <source>Size class</source>
        <translation>サイズクラス</translation>
    </message>
    <message>
        <source>How large: the lines of a wide video</source>
        <translation>大きさ:横長動画の行数</translation>
    </message>
    <message>
        <source>Aspect ratio</source>
        <translation>アスペクト比</translation>
    </message>
    <message>
        <source>Width to height</source>
        <translation>幅と高さの比</translation>
    </message>
    <message>
        <source>Custom size</source>
        <translation>カスタムサイズ</translation>
    </message>
    <message>
        <source>Custom</source>
        <comment>aspect ratio</comment>
        <translation>カスタム</translation>
    </message>
    <message>
        <source>Swap width and height</source>
        <translation>幅と高さを入れ替える</translation>
    </message>
    <message>
        <source>Set the size</source>
        <translation>サイズを設定</translation>
    </message>
</context>
<context>
    <name>meshreel::SortMenu</name>
    <message>
        <source>Sort by</source>
        <translation>並べ替え</translation>
    </message>
    <message>
        <source>Ascending</source>
        <translation>昇順</translation>
    </message>
    <message>
        <source>Descending</source>
        <translation>降順</translation>
    </message>
    <message>
        <source>Not sorted</source>
        <translation>並べ替えなし</translation>
    </message>
</context>
<context>
    <name>meshreel::Splitter</name>
    <message>
        <source>Divider between %1 and %2</source>
        <translation>%1と%2の間の仕切り</translation>
    </message>
    <message>
        <source>Drag it, or move it with the arrow keys, Page up and down, Home and End; Enter or a double click puts it back.</source>
        <translation>ドラッグするか、矢印キー、PageUp、PageDown、Home、Endで動かします。Enterかダブルクリックで元に戻ります。</translation>
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
        <translation>各段階のメモリ</translation>
    </message>
</context>
<context>
    <name>meshreel::StageStrip</name>
    <message>
        <source>Stages of the run</source>
        <translation>実行の段階</translation>
    </message>
</context>
<context>
    <name>meshreel::StatisticsModel</name>
    <message>
        <source>Seconds of all lanes together, as far as they are in what is measured; slices inside others count in both</source>
        <translation>計測した範囲内の、全レーン合計の秒数。入れ子の区間は両方に数えます</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名前</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>実行</translation>
    </message>
    <message>
        <source>Total</source>
        <translation>合計</translation>
    </message>
    <message>
        <source>Count</source>
        <translation>回数</translation>
    </message>
    <message>
        <source>Mean</source>
        <translation>平均</translation>
    </message>
    <message>
        <source>Longest</source>
        <translation>最長</translation>
    </message>
</context>
<context>
    <name>meshreel::StepChart</name>
    <message>
        <source>Seconds per step</source>
        <translation>ステップごとの秒数</translation>
    </message>
    <message>
        <source>Latent mean</source>
        <translation>潜在変数の平均</translation>
    </message>
    <message>
        <source>Latent minimum to maximum</source>
        <translation>潜在変数の最小から最大</translation>
    </message>
    <message>
        <source>Mean: %1 s</source>
        <translation>平均: %1秒</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>ステップ</translation>
    </message>
    <message>
        <source>Step %1: %2 s, sigma %3, latents %4 to %5</source>
        <translation>ステップ%1: %2秒、シグマ%3、潜在変数%4～%5</translation>
    </message>
</context>
<context>
    <name>meshreel::StoryboardActions</name>
    <message>
        <source>A run is in progress: wait until it ends.</source>
        <translation>実行中です。終わるまでお待ちください。</translation>
    </message>
</context>
<context>
    <name>meshreel::StoryboardDocument</name>
    <message>
        <source>Add a shot</source>
        <translation>ショットを追加</translation>
    </message>
    <message>
        <source>Duplicate a shot</source>
        <translation>ショットを複製</translation>
    </message>
    <message>
        <source>Remove a shot</source>
        <translation>ショットを削除</translation>
    </message>
    <message>
        <source>Move a shot</source>
        <translation>ショットを移動</translation>
    </message>
    <message>
        <source>Settings for all shots</source>
        <translation>全ショットの設定</translation>
    </message>
    <message>
        <source>Changes of the last session</source>
        <translation>前回のセッションの変更</translation>
    </message>
    <message>
        <source>Untitled storyboard</source>
        <translation>無題の絵コンテ</translation>
    </message>
</context>
<context>
    <name>meshreel::StoryboardFiles</name>
    <message>
        <source>Storyboards (*.yaml *.yml)</source>
        <translation>絵コンテ (*.yaml *.yml)</translation>
    </message>
    <message>
        <source>New s&amp;toryboard</source>
        <translation>新しい絵コンテ(&amp;T)</translation>
    </message>
    <message>
        <source>Save storyboar&amp;d</source>
        <translation>絵コンテを保存(&amp;D)</translation>
    </message>
    <message>
        <source>Save stor&amp;yboard as…</source>
        <translation>絵コンテを別名で保存(&amp;Y)…</translation>
    </message>
    <message>
        <source>Begin a film with the settings of the open project</source>
        <translation>開いているプロジェクトの設定でフィルムを始める</translation>
    </message>
    <message>
        <source>Unsaved changes</source>
        <translation>保存されていない変更</translation>
    </message>
    <message>
        <source>Save the changes to “%1”?</source>
        <translation>「%1」への変更を保存しますか?</translation>
    </message>
    <message>
        <source>If you don&apos;t save, your changes will be lost.</source>
        <translation>保存しないと変更は失われます。</translation>
    </message>
    <message>
        <source>Save the storyboard</source>
        <translation>絵コンテを保存</translation>
    </message>
    <message>
        <source>Open a storyboard</source>
        <translation>絵コンテを開く</translation>
    </message>
</context>
<context>
    <name>meshreel::StoryboardModel</name>
    <message>
        <source>Not made</source>
        <comment>shot</comment>
        <translation>未作成</translation>
    </message>
    <message>
        <source>Changed</source>
        <comment>shot</comment>
        <translation>変更あり</translation>
    </message>
    <message>
        <source>Interrupted</source>
        <comment>shot</comment>
        <translation>中断</translation>
    </message>
    <message>
        <source>Made</source>
        <comment>shot</comment>
        <translation>作成済み</translation>
    </message>
    <message>
        <source>%1 s</source>
        <comment>seconds</comment>
        <translation>%1 秒</translation>
    </message>
    <message>
        <source>Being made: %1 %</source>
        <comment>percent of a shot</comment>
        <translation>作成中: %1 %</translation>
    </message>
    <message>
        <source>Cannot be made</source>
        <comment>shot</comment>
        <translation>作成できません</translation>
    </message>
    <message>
        <source>Being checked</source>
        <comment>shot</comment>
        <translation>確認中</translation>
    </message>
    <message>
        <source>Cannot be made yet</source>
        <comment>shot</comment>
        <translation>まだ作成できません</translation>
    </message>
    <message>
        <source>%1 of memory</source>
        <comment>bytes</comment>
        <translation>メモリ %1</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <comment>time, memory</comment>
        <translation>%1、%2</translation>
    </message>
    <message>
        <source>Shot %1 of %2, %3</source>
        <comment>number, number of shots, name</comment>
        <translation>ショット %1/%2、%3</translation>
    </message>
    <message>
        <source>goes on from another shot</source>
        <translation>別のショットから続く</translation>
    </message>
</context>
<context>
    <name>meshreel::StoryboardPanel</name>
    <message>
        <source>A film of several shots: each has its own prompt and pictures, and can go on from the one before. Only shots that changed are made again.</source>
        <translation>複数のショットからなるフィルム。それぞれにプロンプトと画像があり、前のショットから続けられます。変更されたショットだけが作り直されます。</translation>
    </message>
    <message>
        <source>Make what changed</source>
        <translation>変更分を作成</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>中止</translation>
    </message>
    <message>
        <source>New storyboard</source>
        <translation>新しい絵コンテ</translation>
    </message>
    <message>
        <source>Open a storyboard…</source>
        <translation>絵コンテを開く…</translation>
    </message>
    <message>
        <source>Shot</source>
        <translation>ショット</translation>
    </message>
    <message>
        <source>Film</source>
        <translation>フィルム</translation>
    </message>
    <message>
        <source>Add shot</source>
        <translation>ショットを追加</translation>
    </message>
    <message>
        <source>Add a shot behind this one</source>
        <translation>このショットの後に追加</translation>
    </message>
    <message>
        <source>Duplicate shot</source>
        <translation>ショットを複製</translation>
    </message>
    <message>
        <source>Duplicate this shot (Ctrl+D)</source>
        <translation>このショットを複製 (Ctrl+D)</translation>
    </message>
    <message>
        <source>Move shot to the left</source>
        <translation>ショットを左へ</translation>
    </message>
    <message>
        <source>Move this shot before the one before (Alt+Left)</source>
        <translation>このショットを前のショットの前へ (Alt+左)</translation>
    </message>
    <message>
        <source>Move shot to the right</source>
        <translation>ショットを右へ</translation>
    </message>
    <message>
        <source>Move this shot behind the next one (Alt+Right)</source>
        <translation>このショットを次のショットの後へ (Alt+右)</translation>
    </message>
    <message>
        <source>Remove shot</source>
        <translation>ショットを削除</translation>
    </message>
    <message>
        <source>Remove this shot (Delete)</source>
        <translation>このショットを削除 (Delete)</translation>
    </message>
    <message>
        <source>Use the project&apos;s settings</source>
        <translation>プロジェクトの設定を使う</translation>
    </message>
    <message>
        <source>Save storyboard</source>
        <translation>絵コンテを保存</translation>
    </message>
    <message>
        <source>Save the storyboard (Ctrl+S here)</source>
        <translation>絵コンテを保存 (ここでは Ctrl+S)</translation>
    </message>
    <message>
        <source>Tools of the storyboard</source>
        <translation>絵コンテのツール</translation>
    </message>
    <message>
        <source>Progress of the film</source>
        <translation>フィルムの進み具合</translation>
    </message>
    <message>
        <source>What is done of the shot is kept: making the film goes on from there.</source>
        <translation>ショットの出来た分は残り、そこから続けられます。</translation>
    </message>
    <message>
        <source>The film is being checked.</source>
        <translation>フィルムを確認しています。</translation>
    </message>
    <message>
        <source>Film: %1 s</source>
        <comment>seconds</comment>
        <translation>フィルム: %1 秒</translation>
    </message>
    <message>
        <source>everything is made</source>
        <translation>すべて作成済み</translation>
    </message>
    <message>
        <source>its shots are made, but not joined</source>
        <translation>ショットは作成済み、連結はまだ</translation>
    </message>
    <message>
        <source>to make: %1 of %2</source>
        <comment>numbers of shots</comment>
        <translation>残り: %2 中 %1</translation>
    </message>
    <message>
        <source>time not known</source>
        <translation>時間不明</translation>
    </message>
    <message>
        <source>%1 of memory</source>
        <comment>bytes</comment>
        <translation>メモリ %1</translation>
    </message>
    <message>
        <source>Shots marked red cannot be made yet.</source>
        <translation>赤い印のショットはまだ作成できません。</translation>
    </message>
    <message>
        <source>Everything is made: change a shot first.</source>
        <translation>すべて作成済みです。先にショットを変更してください。</translation>
    </message>
    <message>
        <source>The film is being made.</source>
        <translation>フィルムを作成しています。</translation>
    </message>
    <message>
        <source>Shot %1 of %2: %3</source>
        <comment>number, number of shots, name</comment>
        <translation>ショット %1/%2: %3</translation>
    </message>
    <message>
        <source>Join the shots</source>
        <translation>ショットを連結</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>続ける</translation>
    </message>
    <message>
        <source>Make the shots that are not made as they are now, and join all</source>
        <translation>今の内容で未作成のショットを作り、すべて連結します</translation>
    </message>
    <message>
        <source>Space plays the shots that are made.</source>
        <translation>スペースで作成済みのショットを再生します。</translation>
    </message>
    <message>
        <source>No shot is made yet.</source>
        <translation>作成済みのショットはまだありません。</translation>
    </message>
    <message>
        <source>Let all shots have the model, size and other settings of the open project. A prompt and pictures that all shots share are removed.</source>
        <translation>開いているプロジェクトのモデル・サイズなどの設定を全ショットに使います。全ショット共通のプロンプトと画像は取り除かれます。</translation>
    </message>
    <message>
        <source>What all shots share must be mended first: see above the shots.</source>
        <translation>先に全ショット共通の設定を直してください。ショットの上に表示されています。</translation>
    </message>
</context>
<context>
    <name>meshreel::StoryboardRecovery</name>
    <message>
        <source>The kept storyboard could not be read and was set aside as %1: %2</source>
        <comment>file, reason</comment>
        <translation>保管された絵コンテを読み込めず、%1 として取り置きました: %2</translation>
    </message>
    <message>
        <source>The storyboard is kept only in this window: %1</source>
        <comment>reason</comment>
        <translation>絵コンテはこのウィンドウにのみ残っています: %1</translation>
    </message>
</context>
<context>
    <name>meshreel::StoryboardStrip</name>
    <message>
        <source>Shots of the film</source>
        <translation>フィルムのショット</translation>
    </message>
</context>
<context>
    <name>meshreel::StudioPanels</name>
    <message>
        <source>Project</source>
        <translation>プロジェクト</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>モデル</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>結果</translation>
    </message>
    <message>
        <source>Mesh</source>
        <translation>メッシュ</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>問題</translation>
    </message>
    <message>
        <source>Chart</source>
        <translation>グラフ</translation>
    </message>
    <message>
        <source>Reference</source>
        <translation>リファレンス</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>アテンション</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>テキスト</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>実行一覧</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比較</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>キュー</translation>
    </message>
    <message>
        <source>Noise</source>
        <translation>ノイズ</translation>
    </message>
    <message>
        <source>Prompts</source>
        <translation>プロンプト集</translation>
    </message>
    <message>
        <source>Tune</source>
        <translation>調整</translation>
    </message>
    <message>
        <source>Sweep</source>
        <translation>一括計測</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>モデル一覧</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>デバイス</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>サマリー</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>ログ</translation>
    </message>
    <message>
        <source>Foresight</source>
        <translation>予測</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>タイムライン</translation>
    </message>
    <message>
        <source>Storyboard</source>
        <translation>絵コンテ</translation>
    </message>
    <message>
        <source>Bench</source>
        <translation>ベンチ</translation>
    </message>
</context>
<context>
    <name>meshreel::StudioWords</name>
    <message>
        <source>Add the file in Models, which says what it is</source>
        <translation>モデル一覧に追加すると、何のファイルか分かります</translation>
    </message>
    <message>
        <source>The file is of another model, or damaged: add it in Models to see what it is, or get it again</source>
        <translation>ファイルが別のモデルのものか、破損しています。モデル一覧に追加して何のファイルか確認するか、入手し直してください</translation>
    </message>
    <message>
        <source>measure one in a terminal (meshreel calibrate magcache PROJECT -o FILE), and choose it as MagCache curve file</source>
        <translation>端末で測定し（meshreel calibrate magcache PROJECT -o FILE）、MagCacheの曲線ファイルに選んでください</translation>
    </message>
    <message>
        <source>The MagCache curve was measured on a transformer of {} blocks, and this has {}; in a terminal, meshreel calibrate magcache measures one for it</source>
        <translation>MagCacheの曲線は{}ブロックのトランスフォーマーで測定されたものですが、ここでは{}ブロックです。端末でmeshreel calibrate magcacheを使うと専用の曲線を測定できます</translation>
    </message>
    <message>
        <source>Choose a file that meshreel calibrate magcache has written in a terminal</source>
        <translation>端末でmeshreel calibrate magcacheが書き出したファイルを選んでください</translation>
    </message>
    <message>
        <source>Curve of the model, which meshreel calibrate magcache measures in a terminal; relative to the project&apos;s folder.</source>
        <translation>モデルの曲線です。端末でmeshreel calibrate magcacheを使って測定します。パスはプロジェクトのフォルダーからの相対です。</translation>
    </message>
    <message>
        <source>Tune searches block sizes</source>
        <translation>ブロックサイズは「調整」が探します</translation>
    </message>
    <message>
        <source>run folders hold what a run leaves: see Runs</source>
        <translation>実行の出力は実行フォルダーに入ります。「実行一覧」を参照してください</translation>
    </message>
    <message>
        <source>Copy the model to every host and turn Send weights off</source>
        <translation>モデルをすべてのホストにコピーし、「重みを送信」をオフにしてください</translation>
    </message>
    <message>
        <source>Choose the folder of a run</source>
        <translation>実行のフォルダーを選んでください</translation>
    </message>
    <message>
        <source>Choose one with “Choose the folder for runs” in the File menu</source>
        <translation>「ファイル」メニューの「実行フォルダーを選択」で選んでください</translation>
    </message>
    <message>
        <source>Choose one from the list</source>
        <translation>一覧から選んでください</translation>
    </message>
    <message>
        <source>Choose flash, or another mode whose kernel works in blocks</source>
        <translation>flashか、ブロック化カーネルを使う別のモードを選んでください</translation>
    </message>
    <message>
        <source>Choose a tile_size_grid_search.csv as tuning writes it</source>
        <translation>調整が書き出すtile_size_grid_search.csvを選んでください</translation>
    </message>
    <message>
        <source>Choose runs that got as far as denoising, or a table that tuning has written</source>
        <translation>ノイズ除去まで進んだ実行か、調整が書き出した表を選んでください</translation>
    </message>
    <message>
        <source>Set XDG_CACHE_HOME to a folder that you may write to, and start the Studio again</source>
        <translation>XDG_CACHE_HOMEに書き込み権のあるフォルダーを設定し、Studioを起動し直してください</translation>
    </message>
    <message>
        <source>Delete the file: it is made again</source>
        <translation>ファイルを削除してください。作り直されます</translation>
    </message>
    <message>
        <source>Free some space, or set XDG_CACHE_HOME to another disk and start the Studio again</source>
        <translation>空き容量を増やすか、XDG_CACHE_HOMEを別のディスクに設定してStudioを起動し直してください</translation>
    </message>
    <message>
        <source>Start it again with Run</source>
        <translation>「実行」でもう一度始めてください</translation>
    </message>
    <message>
        <source>Set them back, or start a new run with them: “Load these settings” in Runs, then Run</source>
        <translation>設定を元に戻すか、現在の設定で新しい実行を始めてください。実行一覧の「プロジェクトを使用」、次に「実行」です</translation>
    </message>
    <message>
        <source>Put the files back that it began with, or start a new run: “Load these settings” in Runs, then Run</source>
        <translation>開始時のファイルに戻すか、新しい実行を始めてください。実行一覧の「プロジェクトを使用」、次に「実行」です</translation>
    </message>
    <message>
        <source>rank {} on host {} computes with {}, and rank 0 on host {} with {}: the result differs slightly from that of one instruction set</source>
        <translation>ランク {}（ホスト {}）は {} で計算し、ランク 0（ホスト {}）は {} で計算します。結果は命令セットが一つの場合とわずかに異なります</translation>
    </message>
    <message>
        <source>Choose another GPU, or none, at the setting GPU</source>
        <translation>設定「GPU」で別の GPU か none を選んでください</translation>
    </message>
    <message>
        <source>Use none, auto, or the number of a GPU: 0 is the first</source>
        <translation>none、auto、または GPU の番号を使ってください。0 が最初の GPU です</translation>
    </message>
    <message>
        <source>Choose none, auto, or the number of another GPU: 0 is the first</source>
        <translation>none、auto、または別の GPU の番号を選んでください。0 が最初の GPU です</translation>
    </message>
    <message>
        <source>Update the GPU driver, or use the CPU</source>
        <translation>GPUドライバーを更新するか、CPUを使ってください</translation>
    </message>
    <message>
        <source>If you know who wrote the project, open it and agree for its folder</source>
        <translation>プロジェクトの作者がわかっている場合は、開いてそのフォルダーを許可してください</translation>
    </message>
    <message>
        <source>Download it in the Models panel ({}), or whole in a terminal with: {}. {}</source>
        <translation>「モデル一覧」（{}）でダウンロードするか、ターミナルで全体を取得してください: {}。{}</translation>
    </message>
    <message>
        <source>not measured yet; the first run in bf16 measures</source>
        <translation>未測定です。最初のbf16の実行で測定します</translation>
    </message>
    <message>
        <source>Download it in the Models panel ({}), and use it from there. {}</source>
        <translation>「モデル一覧」（{}）でダウンロードし、そこから使用してください。{}</translation>
    </message>
    <message>
        <source>Resume goes on with it on the same hosts</source>
        <translation>「再開」で、同じホストで続きます</translation>
    </message>
    <message>
        <source>Resume goes on with it</source>
        <translation>「再開」で続きます</translation>
    </message>
    <message>
        <source>Choose a new folder, or go on with the run in it with Resume</source>
        <translation>新しいフォルダーを選ぶか、「再開」でその中の実行を続けてください</translation>
    </message>
    <message>
        <source>Resume it there, or with “Resume on a different machine” in Runs: the result may then differ in its last bits</source>
        <translation>元の環境で再開するか、実行一覧の「別のマシンで再開」を使ってください。その場合、結果の末尾のビットが異なることがあります</translation>
    </message>
    <message>
        <source>Go on with the run first, with Resume</source>
        <translation>先に「再開」で実行を続けてください</translation>
    </message>
    <message>
        <source>Go on with one of them with Resume in Runs</source>
        <translation>実行一覧の「再開」でどれかを続けてください</translation>
    </message>
    <message>
        <source>Choose a file for {}</source>
        <translation>{} のファイルを選んでください</translation>
    </message>
    <message>
        <source>Free some space on it, or choose another folder with “Choose the folder for runs” in the File menu</source>
        <translation>そのディスクの空きを増やすか、「ファイル」メニューの「実行フォルダーを選択」で別のフォルダーを選んでください</translation>
    </message>
</context>
<context>
    <name>meshreel::SummaryPanel</name>
    <message>
        <source>Timing summary</source>
        <translation>計時サマリー</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>コピー</translation>
    </message>
    <message>
        <source>Copy the timing summary</source>
        <translation>計時サマリーをコピー</translation>
    </message>
    <message>
        <source>Where the time went stands here once a run is done, or a past one is opened.</source>
        <translation>実行が終わるか過去の実行を開くと、時間の内訳がここに表示されます。</translation>
    </message>
    <message>
        <source>Open a run</source>
        <translation>実行を開く</translation>
    </message>
</context>
<context>
    <name>meshreel::SweepModel</name>
    <message>
        <source>%1 %</source>
        <comment>percentage</comment>
        <translation>%1%</translation>
    </message>
    <message>
        <source>Cannot run: %1</source>
        <comment>state of a cell, and why</comment>
        <translation>実行できません: %1</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>待機中</translation>
    </message>
    <message>
        <source>%1 of %2 passes</source>
        <translation>%1/%2回</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>完了</translation>
    </message>
    <message>
        <source>Slowest less fastest pass, in percent of the median</source>
        <translation>最も遅い回と速い回の差（中央値に対する割合）</translation>
    </message>
    <message>
        <source>Strategy</source>
        <translation>方式</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>バッチ</translation>
    </message>
    <message>
        <source>Seconds</source>
        <translation>秒</translation>
    </message>
    <message>
        <source>Spread</source>
        <translation>ばらつき</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状態</translation>
    </message>
    <message>
        <source>The settings of the open project</source>
        <translation>開いているプロジェクトの設定</translation>
    </message>
    <message>
        <source>%1, the settings of the open project</source>
        <comment>a strategy</comment>
        <translation>%1（開いているプロジェクトの設定）</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>判定</translation>
    </message>
    <message>
        <source>Beside the first strategy, all else equal: the range that holds the true difference in nine of ten comparisons; where it is within the noise, how often to repeat both</source>
        <translation>他の設定がすべて同じ最初の方式との比較: 10 回の比較のうち 9 回で真の差を含む範囲。差がばらつきの範囲内なら、両方を何回繰り返すか</translation>
    </message>
</context>
<context>
    <name>meshreel::SweepPanel</name>
    <message>
        <source>Cells that are done</source>
        <translation>完了したセル</translation>
    </message>
    <message>
        <source>Open a sweep…</source>
        <translation>一括計測を開く…</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>実行</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>キャンセル</translation>
    </message>
    <message>
        <source>Export CSV…</source>
        <translation>CSVを書き出し…</translation>
    </message>
    <message>
        <source>Stops; passes that are done are kept</source>
        <translation>中止します。済んだ分は残ります</translation>
    </message>
    <message>
        <source>Write every pass to a file</source>
        <translation>各回をファイルに書き出します</translation>
    </message>
    <message>
        <source>Cells of the sweep</source>
        <translation>一括計測のセル</translation>
    </message>
    <message>
        <source>Open a sweep</source>
        <translation>一括計測を開く</translation>
    </message>
    <message>
        <source>Sweeps (*.yaml *.yml)</source>
        <translation>一括計測 (*.yaml *.yml)</translation>
    </message>
    <message>
        <source>Export every pass</source>
        <translation>各回を書き出し</translation>
    </message>
    <message>
        <source>Table (*.csv)</source>
        <translation>表 (*.csv)</translation>
    </message>
    <message>
        <source>The passes were written to %1</source>
        <translation>各回を%1に書き出しました</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>続行</translation>
    </message>
    <message>
        <source>Times every cell; passes that are there are kept</source>
        <translation>各セルを計測します。既にある分は残ります</translation>
    </message>
    <message numerus="yes">
        <source>%1: %2 of %n cells done, %3 passes each; results in %4</source>
        <comment>name, numbers, folder</comment>
        <translation>
            <numerusform>%1: %nセル中%2完了、各%3回。結果は%4</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 (%n cells cannot run)</source>
        <comment>what is done</comment>
        <translation>
            <numerusform>%1（%nセルは実行できません）</numerusform>
        </translation>
    </message>
    <message>
        <source>A sweep times modes, meshes, batches and block sizes beside each other. Make one of the open project, or open a file.</source>
        <translation>一括計測は、モード、メッシュ、バッチ、ブロックサイズを並べて計測します。開いているプロジェクトから作るか、ファイルを開いてください。</translation>
    </message>
    <message>
        <source>New sweep from this project…</source>
        <translation>このプロジェクトから新しい一括計測…</translation>
    </message>
    <message>
        <source>Writes a file that times this project&apos;s attention beside other modes</source>
        <translation>このプロジェクトのアテンションをほかのモードと並べて計測するファイルを書きます</translation>
    </message>
    <message>
        <source>New sweep from this project</source>
        <translation>このプロジェクトから新しい一括計測</translation>
    </message>
    <message>
        <source>Sweeps (*.yaml)</source>
        <translation>一括計測 (*.yaml)</translation>
    </message>
    <message>
        <source>Repeat</source>
        <translation>繰り返す</translation>
    </message>
    <message numerus="yes">
        <source>Times %n cells again, as often as it takes to tell those within the noise from what they are compared with</source>
        <translation>
            <numerusform>ばらつきの範囲内のものを比較相手と区別できるまでの回数だけ、%n 個のセルを測り直します</numerusform>
        </translation>
    </message>
    <message>
        <source>No cell is within the noise of what it is compared with</source>
        <translation>比較相手とばらつきの範囲内のセルはありません</translation>
    </message>
</context>
<context>
    <name>meshreel::TaskPicker</name>
    <message>
        <source>Text</source>
        <translation>テキスト</translation>
    </message>
    <message>
        <source>Image</source>
        <translation>画像</translation>
    </message>
    <message>
        <source>Video</source>
        <translation>動画</translation>
    </message>
    <message>
        <source>A video made over after a prompt</source>
        <translation>プロンプトに従って作り直した動画</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>編集</translation>
    </message>
    <message>
        <source>A video edited with masks, controls and reference images</source>
        <translation>マスク、制御、参照画像で編集した動画</translation>
    </message>
    <message>
        <source>Character</source>
        <translation>キャラクター</translation>
    </message>
    <message>
        <source>A character that moves as a video of poses does</source>
        <translation>ポーズ動画のとおりに動くキャラクター</translation>
    </message>
    <message>
        <source>What the video is made of</source>
        <translation>動画の元になるもの</translation>
    </message>
    <message>
        <source>A video from a prompt; with Phantom, of the subjects in pictures</source>
        <translation>プロンプトから作る動画。Phantomでは画像の被写体が登場</translation>
    </message>
    <message>
        <source>A video that begins with a picture, ends with one, or shows pictures in between</source>
        <translation>画像で始まる、画像で終わる、またはその間に画像を表示する動画</translation>
    </message>
    <message>
        <source>Shows it in Models, with its licence and its files, where it is downloaded</source>
        <translation>「モデル」でライセンスとファイルを表示し、そこでダウンロードします</translation>
    </message>
    <message>
        <source>No model on this machine does this: %1.</source>
        <comment>title of a task</comment>
        <translation>このマシンにはこれを行うモデルがありません：%1。</translation>
    </message>
    <message>
        <source>No model on this machine does this: %1. Add one in Models.</source>
        <comment>title of a task</comment>
        <translation>このマシンにはこれを行うモデルがありません：%1。「モデル」で追加してください。</translation>
    </message>
    <message>
        <source>Get %1 (%2)</source>
        <comment>model, size</comment>
        <translation>%1 を入手（%2）</translation>
    </message>
</context>
<context>
    <name>meshreel::TileView</name>
    <message>
        <source>Tiles of the score matrix</source>
        <translation>スコア行列のタイル</translation>
    </message>
    <message>
        <source>%1 keys</source>
        <comment>number</comment>
        <translation>%1キー</translation>
    </message>
    <message>
        <source>%1 queries</source>
        <comment>number</comment>
        <translation>%1クエリ</translation>
    </message>
</context>
<context>
    <name>meshreel::TimedPromptTable</name>
    <message>
        <source>Add a timed part</source>
        <translation>時間付きの部分を追加</translation>
    </message>
    <message>
        <source>Say what the video should show for a part of its time</source>
        <translation>動画の一部の時間に映すものを書きます</translation>
    </message>
    <message>
        <source>From</source>
        <comment>when a part of the prompt begins</comment>
        <translation>開始</translation>
    </message>
    <message>
        <source>To</source>
        <comment>when a part of the prompt ends</comment>
        <translation>終了</translation>
    </message>
    <message>
        <source>Words</source>
        <comment>that hold between the two</comment>
        <translation>言葉</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>トークン</translation>
    </message>
    <message>
        <source>Words that hold all the time</source>
        <translation>全体に有効な言葉</translation>
    </message>
    <message>
        <source>nothing that holds all the time</source>
        <translation>全体に有効な言葉なし</translation>
    </message>
    <message>
        <source>all the time</source>
        <translation>全体</translation>
    </message>
    <message>
        <source>Words of part %1</source>
        <translation>部分 %1 の言葉</translation>
    </message>
    <message>
        <source>Remove part %1</source>
        <translation>部分 %1 を削除</translation>
    </message>
    <message>
        <source>From when part %1 holds</source>
        <translation>部分 %1 の開始</translation>
    </message>
    <message>
        <source>Until when part %1 holds</source>
        <translation>部分 %1 の終了</translation>
    </message>
    <message>
        <source>start</source>
        <comment>of the video</comment>
        <translation>最初</translation>
    </message>
    <message>
        <source>end</source>
        <comment>of the video</comment>
        <translation>最後</translation>
    </message>
    <message>
        <source>Percent (33%), seconds (2s or 0:02) or frames (17), alike at both ends</source>
        <translation>パーセント (33%)、秒 (2s または 0:02)、フレーム (17)。両端で同じ単位</translation>
    </message>
    <message>
        <source>Move part %1 up</source>
        <translation>部分 %1 を上へ</translation>
    </message>
    <message>
        <source>Move part %1 down</source>
        <translation>部分 %1 を下へ</translation>
    </message>
</context>
<context>
    <name>meshreel::TimelinePanel</name>
    <message>
        <source>Choose a run</source>
        <translation>実行を選ぶ</translation>
    </message>
    <message>
        <source>timeline</source>
        <comment>beside a divider</comment>
        <translation>タイムライン</translation>
    </message>
    <message>
        <source>statistics</source>
        <comment>beside a divider</comment>
        <translation>統計</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>実行</translation>
    </message>
    <message>
        <source>The run whose trace is shown</source>
        <translation>トレースを表示する実行</translation>
    </message>
    <message>
        <source>Run below</source>
        <translation>下の実行</translation>
    </message>
    <message>
        <source>A second run, below the first on the same time axis</source>
        <translation>最初の実行の下に、同じ時間軸で並べる 2 つ目の実行</translation>
    </message>
    <message>
        <source>Search names</source>
        <translation>名前を検索</translation>
    </message>
    <message>
        <source>Search names of slices</source>
        <translation>区間の名前を検索</translation>
    </message>
    <message>
        <source>Previous one found (Shift+Enter)</source>
        <translation>前の結果（Shift+Enter）</translation>
    </message>
    <message>
        <source>Previous one found</source>
        <translation>前の結果</translation>
    </message>
    <message>
        <source>Next one found (Enter)</source>
        <translation>次の結果（Enter）</translation>
    </message>
    <message>
        <source>Next one found</source>
        <translation>次の結果</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <comment>the selected slice among those found</comment>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>Statistics by name</source>
        <translation>名前ごとの統計</translation>
    </message>
    <message>
        <source>No run</source>
        <translation>実行なし</translation>
    </message>
    <message>
        <source>No second run</source>
        <translation>2 つ目の実行なし</translation>
    </message>
    <message>
        <source>%1 left no trace. Runs write it when they end: choose one that is done.</source>
        <comment>a run</comment>
        <translation>%1 にはトレースがありません。トレースは実行の終わりに書かれます。完了した実行を選んでください。</translation>
    </message>
    <message>
        <source>Reading the trace…</source>
        <translation>トレースを読んでいます…</translation>
    </message>
    <message>
        <source>Choose a run to see what its devices did, step by step and block by block.</source>
        <translation>実行を選ぶと、各デバイスの動作がステップごと、ブロックごとに見えます。</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>見つかりません</translation>
    </message>
    <message>
        <source>%1 found</source>
        <comment>slices</comment>
        <translation>%1 件</translation>
    </message>
    <message>
        <source>Measured: %1</source>
        <comment>a time</comment>
        <translation>計測: %1</translation>
    </message>
    <message>
        <source>Click a slice to select it; drag along the ruler, or with Shift, to measure. Below is the whole run.</source>
        <translation>区間をクリックすると選択し、目盛りの上か Shift を押してドラッグすると計測します。下は実行全体です。</translation>
    </message>
</context>
<context>
    <name>meshreel::TimelineView</name>
    <message>
        <source>%1 s</source>
        <comment>seconds</comment>
        <translation>%1 秒</translation>
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
        <translation>実行のタイムライン</translation>
    </message>
    <message>
        <source>W and S zoom, A and D move, F frames what is selected, M measures it, 0 shows everything. Comma and full stop select the slice before and after. The wheel zooms, with Shift it moves. A drag moves; along the ruler or with Shift it measures. Escape ends measuring and the selection.</source>
        <translation>W と S で拡大・縮小、A と D で移動、F で選択範囲を表示、M で計測、0 で全体を表示します。コンマとピリオドで前後の区間を選びます。ホイールで拡大・縮小、Shift で移動。ドラッグで移動し、目盛りの上か Shift を押すと計測します。Esc で計測と選択を終えます。</translation>
    </message>
    <message>
        <source>from %1</source>
        <comment>a time</comment>
        <translation>開始 %1</translation>
    </message>
    <message>
        <source>, </source>
        <comment>between the parts of a description</comment>
        <translation>、</translation>
    </message>
</context>
<context>
    <name>meshreel::TimingComparison</name>
    <message>
        <source>%1 (baseline)</source>
        <comment>run</comment>
        <translation>%1 (基準)</translation>
    </message>
    <message>
        <source>How many times as fast as the baseline, the first run unless another is chosen: by seconds a step, of pasted timings by denoising, or by inference. A dash stands where runs did not compute the same, or that is not known.</source>
        <translation>基準（ほかを選ばなければ最初の実行）の何倍速いか。1ステップの秒数、貼り付けた時間ではデノイズ、または推論で比べます。同じ計算でないか不明な場合は横線です。</translation>
    </message>
    <message>
        <source>%1 %</source>
        <comment>percentage</comment>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>%1 beside %2: %3.</source>
        <comment>run, baseline, verdict</comment>
        <translation>%1（基準 %2）: %3。</translation>
    </message>
    <message>
        <source>%1 beside %2: a step takes %3. %4.</source>
        <comment>run, baseline, time and spread, verdict</comment>
        <translation>%1（基準 %2）: 1 ステップ %3。%4。</translation>
    </message>
    <message>
        <source>Slowest less fastest step, in percent of the median</source>
        <translation>最も遅いステップと最も速いステップの差（中央値に対する割合）</translation>
    </message>
    <message>
        <source>Beside the baseline, in bold: the range that holds the true difference in nine of ten comparisons; where it is within the noise, how often to repeat both</source>
        <translation>太字の基準との比較: 10 回の比較のうち 9 回で真の差を含む範囲。差がばらつきの範囲内なら、両方を何回繰り返すか</translation>
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
        <translation>ツアー</translation>
    </message>
</context>
<context>
    <name>meshreel::TourCallout</name>
    <message>
        <source>Skip the tour</source>
        <translation>ツアーをスキップ</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>戻る</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <comment>stops of the tour</comment>
        <translation>%1/%2</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>次へ</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>開始</translation>
    </message>
</context>
<context>
    <name>meshreel::TraceTexts</name>
    <message>
        <source>Device %1</source>
        <translation>デバイス %1</translation>
    </message>
    <message>
        <source>Thread %1</source>
        <translation>スレッド %1</translation>
    </message>
</context>
<context>
    <name>meshreel::TrackHand</name>
    <message>
        <source>Draw a track</source>
        <translation>トラックを描く</translation>
    </message>
    <message>
        <source>Move a point</source>
        <translation>点を移動</translation>
    </message>
    <message>
        <source>Move a track</source>
        <translation>トラックを移動</translation>
    </message>
</context>
<context>
    <name>meshreel::TriggerLabel</name>
    <message>
        <source>Click a word to add it to the prompt</source>
        <translation>語をクリックするとプロンプトに追加されます</translation>
    </message>
    <message>
        <source>Trigger words: %1</source>
        <translation>トリガーワード: %1</translation>
    </message>
    <message>
        <source>Most frequent in its captions: %1</source>
        <translation>学習キャプションに多い語: %1</translation>
    </message>
</context>
<context>
    <name>meshreel::TrustSheet</name>
    <message>
        <source>A project from someone else?</source>
        <translation>ほかの人のプロジェクトですか？</translation>
    </message>
    <message>
        <source>This project uses what lies outside it:</source>
        <translation>このプロジェクトは外部のものを使用します:</translation>
    </message>
    <message>
        <source>Use it only if you know who wrote it.</source>
        <translation>作者が分かっている場合にのみ使用してください。</translation>
    </message>
    <message>
        <source>Use it only if you know who wrote it. Projects of the folder %1 are then used without a question.</source>
        <translation>作者が分かっている場合にのみ使用してください。以後、フォルダー %1 のプロジェクトは確認なしで使用されます。</translation>
    </message>
    <message>
        <source>Use it</source>
        <translation>使用する</translation>
    </message>
    <message>
        <source>Don&apos;t use it</source>
        <translation>使用しない</translation>
    </message>
</context>
<context>
    <name>meshreel::TuneForm</name>
    <message>
        <source>Smart ladder</source>
        <translation>候補を絞る</translation>
    </message>
    <message>
        <source>Full grid</source>
        <translation>すべての組</translation>
    </message>
    <message>
        <source>All</source>
        <translation>すべて</translation>
    </message>
    <message>
        <source>Which sizes</source>
        <translation>対象のサイズ</translation>
    </message>
    <message>
        <source>What is tried: a few that divide the sequence well, or all</source>
        <translation>試すもの: シーケンスをうまく分けるいくつか、またはすべて</translation>
    </message>
    <message>
        <source>Sizes of each block</source>
        <translation>各ブロックのサイズ</translation>
    </message>
    <message>
        <source>Sizes of block_q, and of block_kv beside each</source>
        <translation>block_qのサイズと、それぞれに組み合わせるblock_kvのサイズ</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>ステップ</translation>
    </message>
    <message>
        <source>Sizes are multiples of this</source>
        <translation>サイズはこの倍数</translation>
    </message>
    <message>
        <source>At most</source>
        <translation>最大数</translation>
    </message>
    <message>
        <source>Only the first of them are tried</source>
        <translation>最初のものだけを試します</translation>
    </message>
    <message>
        <source>Passes</source>
        <translation>回数</translation>
    </message>
    <message>
        <source>Passes of each choice that count; the choices take turns</source>
        <translation>各候補の計測回数（候補は交代で実行）</translation>
    </message>
    <message>
        <source>Warm-up</source>
        <translation>ウォームアップ</translation>
    </message>
    <message>
        <source>Passes of each choice before them</source>
        <translation>各候補の、計測前の回数</translation>
    </message>
</context>
<context>
    <name>meshreel::TunePanel</name>
    <message>
        <source>Search</source>
        <translation>探索</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>キャンセル</translation>
    </message>
    <message>
        <source>Write to project</source>
        <translation>プロジェクトに書き込み</translation>
    </message>
    <message>
        <source>Times one block of the transformer with this project&apos;s video, mesh and attention.</source>
        <translation>このプロジェクトの動画、メッシュ、アテンションでトランスフォーマーの1ブロックを計測します。</translation>
    </message>
    <message>
        <source>Sets the project&apos;s block sizes to the fastest; can be undone</source>
        <translation>プロジェクトのブロックサイズを最速のものにします（元に戻せます）</translation>
    </message>
    <message>
        <source>Cancelled.</source>
        <translation>キャンセルしました。</translation>
    </message>
    <message>
        <source>Block sizes that were found</source>
        <translation>見つかったブロックサイズ</translation>
    </message>
    <message>
        <source>Preparing the GPU…</source>
        <translation>GPU を準備しています…</translation>
    </message>
    <message>
        <source>Preparing weights…</source>
        <translation>重みを準備しています…</translation>
    </message>
    <message>
        <source>Times every form and block of the GPU&apos;s kernels at the sizes of this project.</source>
        <translation>このプロジェクトのサイズで、GPU のカーネルのすべての形式とブロックを計測します。</translation>
    </message>
    <message>
        <source>Use in runs</source>
        <translation>実行に使う</translation>
    </message>
    <message>
        <source>Runs on this GPU take the fastest from now on</source>
        <translation>この GPU での実行は今後、最速のものを使います</translation>
    </message>
    <message>
        <source>Repeat</source>
        <translation>繰り返す</translation>
    </message>
    <message numerus="yes">
        <source>Times the fastest and what it is compared with %n times more</source>
        <translation>
            <numerusform>最速のものと比較相手をあと %n 回測ります</numerusform>
        </translation>
    </message>
    <message>
        <source>There is nothing within the noise to repeat</source>
        <translation>繰り返すべき、ばらつきの範囲内のものはありません</translation>
    </message>
</context>
<context>
    <name>meshreel::TuneResults</name>
    <message>
        <source>The map of block sizes appears here: press Search while nothing else is running.</source>
        <translation>ブロックサイズごとの時間のマップがここに表示されます。他に何も動いていないときに［探索］を押してください。</translation>
    </message>
    <message>
        <source>Time by block sizes</source>
        <translation>ブロックサイズごとの時間</translation>
    </message>
    <message>
        <source>Progress of the search</source>
        <translation>探索の進み具合</translation>
    </message>
    <message>
        <source>Foreseen for %1, not measured: seconds a step by block sizes</source>
        <translation>%1での予測（測定ではない）: ブロックサイズごとの1ステップの秒数</translation>
    </message>
    <message>
        <source>Fastest: block_q %1 · block_kv %2, %3 s a step. The project&apos;s own sizes: %4 s.</source>
        <translation>最速: block_q %1 · block_kv %2、1ステップ%3秒。プロジェクトのサイズ: %4秒。</translation>
    </message>
    <message>
        <source>Kernel</source>
        <translation>カーネル</translation>
    </message>
    <message>
        <source>Time by form and block</source>
        <translation>形式とブロックごとの時間</translation>
    </message>
</context>
<context>
    <name>meshreel::TuneTexts</name>
    <message numerus="yes">
        <source>%n choices did not run.</source>
        <translation>
            <numerusform>%n件は実行できませんでした。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1: %2 queries × %3 keys, %n choices</source>
        <comment>mode, numbers</comment>
        <translation>
            <numerusform>%1: クエリ%2 × キー%3、候補%n件</numerusform>
        </translation>
    </message>
    <message>
        <source>Pass %1 of %2, about %3 left</source>
        <comment>counts, duration</comment>
        <translation>%1/%2回目、残り約%3</translation>
    </message>
    <message>
        <source>None of these sizes ran: %1</source>
        <translation>どのサイズも実行できませんでした: %1</translation>
    </message>
    <message>
        <source>Fastest: %1.</source>
        <translation>最速: %1。</translation>
    </message>
    <message>
        <source>The project&apos;s own: %1.</source>
        <translation>プロジェクトの現在値: %1。</translation>
    </message>
    <message>
        <source>Linear layers</source>
        <translation>線形層</translation>
    </message>
    <message>
        <source>Linear layers with int8 weights</source>
        <translation>int8 重みの線形層</translation>
    </message>
    <message>
        <source>Attention of heads of up to %1 numbers</source>
        <translation>最大 %1 個の数のヘッドのアテンション</translation>
    </message>
    <message>
        <source>None of them ran: %1</source>
        <translation>どれも動きませんでした: %1</translation>
    </message>
    <message>
        <source>This GPU offers nothing else.</source>
        <translation>この GPU にはほかの選択肢がありません。</translation>
    </message>
    <message>
        <source>Runs take it already.</source>
        <translation>実行はすでにこれを使っています。</translation>
    </message>
    <message>
        <source>No run has compared them yet.</source>
        <translation>まだ比較した実行がありません。</translation>
    </message>
    <message>
        <source>Runs take now: %1.</source>
        <translation>現在の実行が使うもの: %1。</translation>
    </message>
    <message>
        <source>form</source>
        <comment>of a GPU&apos;s kernel</comment>
        <translation>形式</translation>
    </message>
    <message>
        <source>block</source>
        <comment>of a GPU&apos;s kernel</comment>
        <translation>ブロック</translation>
    </message>
    <message>
        <source> (taken now)</source>
        <translation>（現在使用中）</translation>
    </message>
    <message numerus="yes">
        <source>%1: %2, %n candidates</source>
        <comment>a GPU and the size of its work</comment>
        <translation>
            <numerusform>%1: %2、候補 %n 件</numerusform>
        </translation>
    </message>
    <message>
        <source>%1. %2</source>
        <comment>kernel and GPU</comment>
        <translation>%1。%2</translation>
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
        <translation>%1。</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>a GPU&apos;s kernel, its time and spread</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Fastest choice: %1.</source>
        <translation>最速の候補: %1。</translation>
    </message>
</context>
<context>
    <name>meshreel::UseMenu</name>
    <message>
        <source>&amp;Use as</source>
        <translation>使い道(&amp;U)</translation>
    </message>
    <message>
        <source>Shown frame</source>
        <translation>表示中のフレーム</translation>
    </message>
    <message>
        <source>Continue from the shown frame</source>
        <translation>表示中のフレームから続ける</translation>
    </message>
    <message>
        <source>Last frame</source>
        <translation>最後のフレーム</translation>
    </message>
    <message>
        <source>First frame</source>
        <translation>最初のフレーム</translation>
    </message>
    <message>
        <source>Continue from its last frame</source>
        <translation>最後のフレームから続ける</translation>
    </message>
    <message>
        <source>Video</source>
        <translation>動画</translation>
    </message>
    <message>
        <source>Video to make over</source>
        <translation>作り直す動画</translation>
    </message>
    <message>
        <source>Control video</source>
        <translation>制御動画</translation>
    </message>
    <message>
        <source>%1 (no installed model takes it)</source>
        <comment>use</comment>
        <translation>%1（対応するモデルがありません）</translation>
    </message>
</context>
<context>
    <name>meshreel::Variations</name>
    <message>
        <source>New seed for each run</source>
        <translation>実行ごとに新しいシード</translation>
    </message>
    <message>
        <source>Run sets a random seed first; the seed of every run is kept with it</source>
        <translation>実行時にまずランダムなシードを設定します。シードは各実行に保存されます</translation>
    </message>
    <message>
        <source>Videos to make</source>
        <translation>作る動画の数</translation>
    </message>
    <message>
        <source>The first runs at once, the others are queued; each has a seed of its own</source>
        <translation>最初の1本はすぐに実行し、残りはキューに入ります。シードはそれぞれ異なります</translation>
    </message>
    <message>
        <source>Videos</source>
        <translation>本数</translation>
    </message>
</context>
<context>
    <name>meshreel::WalkTransport</name>
    <message>
        <source>Play the steps</source>
        <translation>ステップを再生</translation>
    </message>
    <message>
        <source>Step of the attention</source>
        <translation>アテンションのステップ</translation>
    </message>
    <message>
        <source>Step before</source>
        <translation>前のステップ</translation>
    </message>
    <message>
        <source>Next step</source>
        <translation>次のステップ</translation>
    </message>
</context>
<context>
    <name>meshreel::Workspaces</name>
    <message>
        <source>Create</source>
        <translation>作成</translation>
    </message>
    <message>
        <source>Describe a video, run it and watch it</source>
        <translation>動画を説明し、生成して、見る</translation>
    </message>
    <message>
        <source>Mesh</source>
        <translation>メッシュ</translation>
    </message>
    <message>
        <source>Share the work between devices: mesh, attention, noise</source>
        <translation>デバイス間で作業を分担:メッシュ、アテンション、ノイズ</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>測定</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>実行</translation>
    </message>
    <message>
        <source>Runs of the past and the queue</source>
        <translation>過去の実行とキュー</translation>
    </message>
    <message>
        <source>Workspaces</source>
        <translation>ワークスペース</translation>
    </message>
    <message>
        <source>%1 (Ctrl+%2)</source>
        <comment>what a workspace is for, its key</comment>
        <translation>%1 (Ctrl+%2)</translation>
    </message>
    <message>
        <source>Layout of the earlier version</source>
        <translation>以前のバージョンの配置</translation>
    </message>
    <message>
        <source>The kept layout of the workspace %1 could not be read. The usual one is shown.</source>
        <comment>title</comment>
        <translation>ワークスペース「%1」の保存されたレイアウトを読み取れませんでした。標準のレイアウトを表示します。</translation>
    </message>
    <message>
        <source>Compare runs, tune block sizes, time sweeps and this machine, foresee other hardware</source>
        <translation>実行の比較、ブロックサイズの調整、スイープとこのマシンの計測、他のハードウェアの予測</translation>
    </message>
</context>
<context>
    <name>meshreel::YamlEditor</name>
    <message>
        <source>Text of the project</source>
        <translation>プロジェクトのテキスト</translation>
    </message>
</context>
<context>
    <name>meshreel::YamlPanel</name>
    <message>
        <source>Go to line</source>
        <translation>行へ移動</translation>
    </message>
    <message>
        <source>The text and the form agree.</source>
        <translation>テキストとフォームは一致しています。</translation>
    </message>
    <message>
        <source>Line %1: %2</source>
        <translation>%1行目: %2</translation>
    </message>
    <message>
        <source>No problem</source>
        <translation>問題なし</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>エラー</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>警告</translation>
    </message>
</context>
</TS>
