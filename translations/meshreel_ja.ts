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
        <translation>SVG図面</translation>
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
        <source>What the video should show.</source>
        <translation>動画に映すべき内容です。</translation>
    </message>
    <message>
        <source>Negative prompt</source>
        <translation>ネガティブプロンプト</translation>
    </message>
    <message>
        <source>What guidance steers away from; used when guidance_scale is above 1.</source>
        <translation>ガイダンスが遠ざける内容です。guidance_scaleが1より大きいときに使われます。</translation>
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
        <source>Speed at which the video plays; the frames themselves do not depend on it.</source>
        <translation>動画を再生する速さです。フレーム自体には影響しません。</translation>
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
        <translation>ノイズレベルの範囲のうち、2つのエキスパートの1つ目が働き始める割合です。それより下では2つ目が働きます。0ではモデルの値を使います。</translation>
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
        <source>Number that the initial noise is drawn from; the same seed gives the same video.</source>
        <translation>初期ノイズを生成する元になる数です。同じシードからは同じ動画ができます。</translation>
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
        <source>Key rows of one matrix product inside a key block, which it divides; 0 takes the kernel&apos;s own.</source>
        <translation>キーブロック内の1回の行列積のキー行数で、キーブロックの約数にします。0ではカーネルの既定値を使います。</translation>
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
        <source>Head groups whose exchange and computation overlap.</source>
        <translation>交換と計算を重ねて行うヘッドグループの数です。</translation>
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
        <translation>停止タイムアウト</translation>
    </message>
    <message>
        <source>How long a device waits for the others before the run counts as hung and ends.</source>
        <translation>デバイスが他のデバイスを待つ時間です。これを超えると実行は停止したとみなされ、終了します。</translation>
    </message>
    <message>
        <source>seconds</source>
        <translation>秒</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>精度</translation>
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
        <source>Devices that share out the VAE&apos;s width; -1 takes all.</source>
        <translation>VAEの幅を分担するデバイス数です。-1ではすべてを使います。</translation>
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
        <source>Run</source>
        <translation>実行</translation>
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
        <translation>ワーカー</translation>
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
        <source>It exists only on NVIDIA GPUs and Meshreel computes on CPUs; use flash, which computes the same attention</source>
        <translation>これはNVIDIA GPUにしかなく、MeshreelはCPUで計算します。同じアテンションを計算するflashを使ってください</translation>
    </message>
    <message>
        <source>An installed model&apos;s name, a Hugging Face id, a checkpoint folder in diffusers layout, or a transformer&apos;s file, whose other parts are found in the models folder.</source>
        <translation>インストール済みモデルの名前、Hugging FaceのID、diffusers形式のチェックポイントフォルダー、またはトランスフォーマーのファイルです。ファイルの場合、他の部品はモデルフォルダーから探します。</translation>
    </message>
    <message>
        <source>Adapters</source>
        <translation>アダプター</translation>
    </message>
    <message>
        <source>Adapters (LoRA) that are merged into the transformer: a list of {file: PATH, strength: 1}, with expert: high or low where they are made for one of Wan 2.2&apos;s two transformers.</source>
        <translation>トランスフォーマーに統合するアダプター（LoRA）です。{file: PATH, strength: 1} のリストで指定し、Wan 2.2の2つのトランスフォーマーの一方に作られたものには expert: high または low を付けます。</translation>
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
        <source>File or folder of the VAE; Wan 2.1&apos;s has 16 channels, that of TI2V-5B 48. Empty takes the model&apos;s own.</source>
        <translation>VAEのファイルまたはフォルダーです。Wan 2.1のVAEは16チャンネル、TI2V-5Bは48チャンネルです。空の場合はモデルのものを使います。</translation>
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
        <translation>与えられた入力に応じて、モデルができること。</translation>
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
        <source>Video, picture or folder of numbered PNG frames that is made again or edited; its first num_frames are taken.</source>
        <translation>作り直しまたは編集の対象となる動画、画像、または番号付きPNGフレームのフォルダーです。先頭からnum_framesフレームを使います。</translation>
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
        <source>Picture files, separated by commas, of what VACE should show.</source>
        <translation>VACEに映してほしいものの画像ファイルを、カンマで区切って指定します。</translation>
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
        <translation>同じものを、蒸留モデルの表記に合わせて1000から下へのタイムステップで指定します。例: 1000, 750, 500, 250</translation>
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
        <source>Makes every prompt&apos;s video once with each of these seeds, separated by commas, in place of seed.</source>
        <translation>seedの代わりに、カンマで区切ったシードのそれぞれで、すべてのプロンプトの動画を1回ずつ作ります。</translation>
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
        <source>Video or picture that is white where VACE makes something new, or Animate puts the character, and black where the video stays; VACE makes all new without it.</source>
        <translation>VACEが新しく作る部分、またはAnimateがキャラクターを置く部分が白、元の動画を残す部分が黒の動画または画像です。VACEでは、指定しないとすべて新しく作ります。</translation>
    </message>
    <message>
        <source>Pose video</source>
        <translation>ポーズ動画</translation>
    </message>
    <message>
        <source>Video or folder of numbered PNG frames of the poses that the character of image takes, as preprocessing for Wan Animate draws them.</source>
        <translation>imageのキャラクターがとるポーズの動画、または番号付きPNGフレームのフォルダーです。Wan Animateの前処理が描く形式のものを使います。</translation>
    </message>
    <message>
        <source>Face video</source>
        <translation>顔動画</translation>
    </message>
    <message>
        <source>Video or folder of numbered PNG frames of the face whose expressions the character takes on.</source>
        <translation>キャラクターに移す表情の顔の動画、または番号付きPNGフレームのフォルダーです。</translation>
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
        <translation>先頭ブロックの変化</translation>
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
        <translation>組になった値で、初期値の代わりになります。別に書いた値が優先されます。</translation>
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
        <translation>時刻が前のステップとほとんど変わらないステップで、公表された近似式に従ってトランスフォーマーのブロックを省きます（近似）。</translation>
    </message>
    <message>
        <source>TeaCache change</source>
        <translation>TeaCacheの変化量</translation>
    </message>
    <message>
        <source>Change of the prediction that TeaCache may gather before a step is computed in full; 0 takes the model&apos;s own.</source>
        <translation>ステップを完全に計算するまでにTeaCacheがためてよい予測の変化量。0ならモデルの値を使います。</translation>
    </message>
    <message>
        <source>TeaCache fit</source>
        <translation>TeaCacheの近似式</translation>
    </message>
    <message>
        <source>Polynomial from the time embedding&apos;s change to the prediction&apos;s, highest power first; empty takes the one published for the model.</source>
        <translation>時刻埋め込みの変化から予測の変化への多項式（高次の項から）。空ならモデル用に公表されたものを使います。</translation>
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
        <translation>デバイス数に対する速度（アテンション方式ごとに1本の線）</translation>
    </message>
    <message>
        <source>Time against block_q and block_kv: of runs, or of the table of a tile search</source>
        <translation>block_qとblock_kvに対する時間（実行、またはタイル検索の表）</translation>
    </message>
    <message>
        <source>What each phase held in memory at most, beside its plan</source>
        <translation>各段階の最大メモリ使用量と計画</translation>
    </message>
    <message>
        <source>few blocks with little padding that fit the scratch limit</source>
        <translation>詰め物が少なく作業領域に収まる少数のブロック</translation>
    </message>
    <message>
        <source>every pair of multiples of the step: exhaustive, slow</source>
        <translation>刻みの倍数のすべての組（網羅的で遅い）</translation>
    </message>
    <message>
        <source>For short sequences, and to check the others against.</source>
        <translation>短いシーケンス向け。また、ほかの方式を確かめる基準として。</translation>
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
        <source>When heads do not divide by the devices, or keys and values of the whole sequence do not fit.</source>
        <translation>ヘッドがデバイス数で割り切れない場合や、シーケンス全体のキーとバリューが収まらない場合に。</translation>
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
        <source>heads_per_tile must be 1.</source>
        <translation>heads_per_tileは1でなければなりません。</translation>
    </message>
    <message>
        <source>When heads divide by the devices: the least traffic from three devices on.</source>
        <translation>ヘッドがデバイス数で割り切れる場合に。3台以上で通信量が最小です。</translation>
    </message>
    <message>
        <source>The heads that the tensor axis leaves to a device must divide by the context axis.</source>
        <translation>テンソル軸で1台に割り当てられるヘッド数は、コンテキスト軸で割り切れなければなりません。</translation>
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
        <source>The heads that the tensor axis leaves to a device must divide by the context axis; heads_per_tile must be 1.</source>
        <translation>テンソル軸で1台に割り当てられるヘッド数は、コンテキスト軸で割り切れなければなりません。heads_per_tileは1でなければなりません。</translation>
    </message>
    <message>
        <source>When the devices outnumber the heads, or hosts are linked more slowly than their devices.</source>
        <translation>デバイスがヘッドより多い場合や、ホスト間の接続がホスト内のデバイス間より遅い場合に。</translation>
    </message>
    <message>
        <source>ulysses_shards must divide the context axis and the heads that the tensor axis leaves to a device.</source>
        <translation>ulysses_shardsは、コンテキスト軸と、テンソル軸で1台に割り当てられるヘッド数の約数でなければなりません。</translation>
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
        <source>ulysses_shards must divide the context axis and the heads that the tensor axis leaves to a device; heads_per_tile must be 1.</source>
        <translation>ulysses_shardsは、コンテキスト軸と、テンソル軸で1台に割り当てられるヘッド数の約数でなければなりません。heads_per_tileは1でなければなりません。</translation>
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
        <translation>交差アテンション</translation>
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
        <translation>効率 (%)</translation>
    </message>
    <message>
        <source>Efficiency</source>
        <translation>効率</translation>
    </message>
    <message>
        <source>Standard deviation of %1 runs: %2</source>
        <translation>%1 回の実行の標準偏差: %2</translation>
    </message>
    <message>
        <source>Expert %1</source>
        <translation>エキスパート %1</translation>
    </message>
</context>
<context>
    <name>main</name>
    <message>
        <source>Studio for Wan video generation.</source>
        <translation>Wan動画生成スタジオ。</translation>
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
        <source>Drawn while a run goes on</source>
        <translation>実行中に描画されます</translation>
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
        <source>What a run tells is listed here, to be searched: press Run.</source>
        <translation>実行が伝えることはここに一覧され、検索できます。「実行」を押してください。</translation>
    </message>
    <message>
        <source>No line of the log has these words.</source>
        <translation>ログにこれらの語を含む行はありません。</translation>
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
</context>
<context>
    <name>meshreel::AttentionModeModel</name>
    <message>
        <source>gather keys</source>
        <translation>キーを収集</translation>
    </message>
    <message>
        <source>tokens for heads</source>
        <translation>トークンとヘッドを交換</translation>
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
        <source>GPU</source>
        <translation>GPU</translation>
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
        <source>A device holds, while computing</source>
        <translation>計算中にデバイスが持つもの</translation>
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
        <source>Tiles</source>
        <translation>タイル</translation>
    </message>
    <message>
        <source>All sizes 0: the kernel then takes what suits this processor</source>
        <translation>すべて0: カーネルがこのプロセッサに合うサイズを選びます</translation>
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
        <translation>出発点となるブロックサイズ: このマシンのものと、アクセラレータ向けに公開されたもの</translation>
    </message>
    <message>
        <source>Tune on this machine…</source>
        <translation>このマシンで調整…</translation>
    </message>
    <message>
        <source>Opens Tune, which searches the sizes that are fastest here</source>
        <translation>「調整」を開き、ここで最も速いサイズを探します</translation>
    </message>
    <message>
        <source>Block sizes: %1</source>
        <comment>name of a preset</comment>
        <translation>ブロックサイズ: %1</translation>
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
            <numerusform>各デバイスは%n個隣のキーとバリューによる結果を加えます。</numerusform>
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
        <translation>ドラッグするか矢印キーを押します。ここで使える値: %1</translation>
    </message>
    <message>
        <source>Only %1 is legal here</source>
        <translation>ここで使えるのは%1だけです</translation>
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
        <source>Every step is drawn here while a run goes on, or when a past one is opened.</source>
        <translation>実行中、または過去の実行を開いたとき、各ステップがここに描かれます。</translation>
    </message>
    <message>
        <source>Open a run</source>
        <translation>実行を開く</translation>
    </message>
</context>
<context>
    <name>meshreel::ChartView</name>
    <message>
        <source>Logarithmic</source>
        <translation>対数目盛</translation>
    </message>
    <message>
        <source>The wheel zooms about the pointer, dragging moves, a double click shows everything (+, -, arrow keys, 0)</source>
        <translation>ホイールでポインター位置を拡大縮小、ドラッグで移動、ダブルクリックで全体を表示（+、-、矢印キー、0）</translation>
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
        <source>How near the videos are</source>
        <translation>動画の近さ</translation>
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
        <translation>書き込みました: %1</translation>
    </message>
    <message>
        <source>Written: %1. %2</source>
        <comment>file, what was done otherwise than asked</comment>
        <translation>書き込みました: %1。%2</translation>
    </message>
    <message>
        <source>PNG pictures (*.png)</source>
        <translation>PNG画像 (*.png)</translation>
    </message>
</context>
<context>
    <name>meshreel::ClipPairView</name>
    <message>
        <source>Two videos</source>
        <translation>2つの動画</translation>
    </message>
    <message>
        <source>The wheel zooms, dragging moves, a double click fits; comma and full stop move the wipe</source>
        <translation>ホイールで拡大・縮小、ドラッグで移動、ダブルクリックで全体表示。カンマとピリオドでワイプを動かします</translation>
    </message>
    <message>
        <source>Videos of two sizes have no difference</source>
        <translation>大きさの異なる動画には差分がありません</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>差分</translation>
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
</context>
<context>
    <name>meshreel::ColumnChooser</name>
    <message>
        <source>Columns</source>
        <translation>列</translation>
    </message>
    <message>
        <source>Columns as at first</source>
        <translation>最初の列に戻す</translation>
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
        <source>Compare with a TIMING SUMMARY block copied from elsewhere</source>
        <translation>他からコピーしたTIMING SUMMARYブロックと比較する</translation>
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
        <source>Paste timings</source>
        <translation>計時を貼り付け</translation>
    </message>
    <message>
        <source>TIMING SUMMARY blocks, with the text around them if you like:</source>
        <translation>TIMING SUMMARYブロック（前後の文章を含んでもかまいません）:</translation>
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
        <translation>レポートを書き出す…</translation>
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
        <translation>レポートの書き出し</translation>
    </message>
    <message>
        <source>Web page (*.html);;PDF document (*.pdf)</source>
        <translation>ウェブページ (*.html);;PDF文書 (*.pdf)</translation>
    </message>
    <message>
        <source>Choose runs</source>
        <translation>実行を選ぶ</translation>
    </message>
    <message>
        <source>Leave out the projects and timings that were added</source>
        <translation>追加したプロジェクトと計時を除く</translation>
    </message>
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
        <source>Add</source>
        <translation>追加</translation>
    </message>
    <message>
        <source>Compare with further runs, projects or timings; runs and project files can be dropped here too</source>
        <translation>さらに実行、プロジェクト、計時と比較します。実行やプロジェクトファイルはここにドロップすることもできます</translation>
    </message>
    <message>
        <source>Copy timing summaries</source>
        <translation>時間のまとめをコピー</translation>
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
        <translation>時間のまとめをコピー</translation>
    </message>
    <message>
        <source>Copy best configurations</source>
        <translation>最良の構成をコピー</translation>
    </message>
    <message>
        <source>Settings that differ (%1)</source>
        <translation>異なる設定 (%1)</translation>
    </message>
    <message>
        <source>All settings are the same</source>
        <translation>すべての設定が同じです</translation>
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
    <name>meshreel::Cures</name>
    <message>
        <source>Set %1 to %2</source>
        <comment>title of a setting, value</comment>
        <translation>%1を%2に設定</translation>
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
        <translation>待機中</translation>
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
        <translation>ステップ%1〜%2: %3</translation>
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
        <translation>ほかのデバイスやネットワークの準備ができるまで止まっている時間</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>デバイス</translation>
    </message>
    <message>
        <source>Steps</source>
        <comment>title of lanes over time</comment>
        <translation>ステップ数</translation>
    </message>
    <message>
        <source>Received</source>
        <translation>受信</translation>
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
        <translation>、リング%1台、Ulyssesグループ%2台</translation>
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
        <translation>この実行のデバイスは1つで、常に計算しています。</translation>
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
        <translation>グラフをファイルに書き出す</translation>
    </message>
    <message>
        <source>Export the chart</source>
        <translation>グラフを書き出し</translation>
    </message>
</context>
<context>
    <name>meshreel::FactoringModel</name>
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
        <source>How long a step is expected to take, by what was measured on this machine</source>
        <translation>このマシンでの計測から予想される1ステップの時間</translation>
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
        <source>The project is added once for every combination of these values. Write one value a line; for whole numbers also 1, 2, 5 or 1..8; in prompts a {ball|cube} stands for both.</source>
        <translation>これらの値の組み合わせごとにプロジェクトを1回追加します。1行に1つの値を書きます。整数は1, 2, 5や1..8とも書け、プロンプトではa {ball|cube}が両方を表します。</translation>
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
</context>
<context>
    <name>meshreel::HistoryPanel</name>
    <message>
        <source>Open</source>
        <translation>開く</translation>
    </message>
    <message>
        <source>Show the chart, summary and video of the run</source>
        <translation>この実行のグラフ、サマリー、動画を表示する</translation>
    </message>
    <message>
        <source>Use its project</source>
        <translation>プロジェクトを使用</translation>
    </message>
    <message>
        <source>Edit a copy of the run&apos;s project</source>
        <translation>この実行のプロジェクトのコピーを編集する</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>再開</translation>
    </message>
    <message>
        <source>Go on from the last finished step</source>
        <translation>最後に完了したステップから続ける</translation>
    </message>
    <message>
        <source>Resume on a different machine</source>
        <translation>別のマシンで再開</translation>
    </message>
    <message>
        <source>Go on although the processor, build or number of workers changed; the result may differ in its last bits</source>
        <translation>プロセッサー、ビルド、ワーカー数が変わっていても続行する。結果の末尾のビットが異なることがあります</translation>
    </message>
    <message>
        <source>Decode again</source>
        <translation>再デコード</translation>
    </message>
    <message>
        <source>Make the video again from the kept latents</source>
        <translation>保存された潜在変数から動画を作り直す</translation>
    </message>
    <message>
        <source>Show folder</source>
        <translation>フォルダーを表示</translation>
    </message>
    <message>
        <source>Open the run&apos;s folder in the file manager</source>
        <translation>実行フォルダーをファイルマネージャーで開く</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>実行一覧</translation>
    </message>
    <message>
        <source>Read the runs folder again</source>
        <translation>実行フォルダーを読み直す</translation>
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
        <source>Search runs</source>
        <translation>実行を検索</translation>
    </message>
    <message>
        <source>No run matches “%1”.</source>
        <translation>「%1」に一致する実行はありません。</translation>
    </message>
    <message>
        <source>Describe a video</source>
        <translation>動画を説明する</translation>
    </message>
    <message>
        <source>Show all runs</source>
        <translation>すべての実行を表示</translation>
    </message>
    <message>
        <source>There are no runs yet: describe a video and press Run.</source>
        <translation>まだ実行がありません。動画を説明して「実行」を押してください。</translation>
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
        <translation>時間のまとめをコピー</translation>
    </message>
    <message>
        <source>Copy those of the selected runs in the published layout</source>
        <translation>選択した実行のまとめを公開されている書式でコピーします</translation>
    </message>
    <message>
        <source>Copy best configurations</source>
        <translation>最良の構成をコピー</translation>
    </message>
    <message>
        <source>Copy the fastest of the selected runs, by attention mode and number of devices, as a Markdown table</source>
        <translation>選択した実行のうち最速のものを、アテンションモードとデバイス数ごとにMarkdownの表としてコピーします</translation>
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
        <source>To mend before it runs: %1</source>
        <translation>実行前に直すところ: %1</translation>
    </message>
    <message>
        <source>Import from MaxDiffusion</source>
        <translation>MaxDiffusionから読み込む</translation>
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
        <source>The command names %1: choose that file above to take its keys too.</source>
        <translation>コマンドには%1とあります。上でそのファイルを選ぶと、そのキーも取り込みます。</translation>
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
        <source>What became of it</source>
        <translation>扱い</translation>
    </message>
    <message>
        <source>Here, or why not</source>
        <translation>ここでのキー、または理由</translation>
    </message>
    <message>
        <source>From</source>
        <translation>出所</translation>
    </message>
</context>
<context>
    <name>meshreel::KeyField</name>
    <message>
        <source>Take a random seed</source>
        <translation>シードをランダムに選ぶ</translation>
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
</context>
<context>
    <name>meshreel::KeyHelp</name>
    <message>
        <source>default %1</source>
        <comment>value</comment>
        <translation>既定値%1</translation>
    </message>
    <message>
        <source>Help on the setting</source>
        <translation>設定のヘルプ</translation>
    </message>
    <message>
        <source>Choose a setting to read what it does.</source>
        <translation>設定を選ぶと、その働きを表示します。</translation>
    </message>
    <message>
        <source>Reference</source>
        <translation>リファレンス</translation>
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
        <source>Tools</source>
        <translation>ツール</translation>
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
        <translation>MaxDiffusionから読み込む(&amp;I)…</translation>
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
            <numerusform>&lt;p&gt;このマシン: %1、CPU %n 個、%2 で計算します。&lt;/p&gt;</numerusform>
        </translation>
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
        <source>%1: %2</source>
        <comment>field and its problem</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>A run is going on</source>
        <translation>実行中です</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>問題</translation>
    </message>
    <message>
        <source>Problems (%1)</source>
        <translation>問題 (%1)</translation>
    </message>
    <message>
        <source>Stop the run and quit? It can be resumed later from the Runs panel.</source>
        <translation>実行を停止して終了しますか？後で［実行一覧］パネルから再開できます。</translation>
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
        <translation>プロンプトを入力します。ほかの設定には使える初期値があり、検索欄でどれも見つかり、すべて元に戻せます。</translation>
    </message>
    <message>
        <source>See what it takes, before it runs</source>
        <translation>実行前に必要なものが分かる</translation>
    </message>
    <message>
        <source>Time, tokens, work and memory follow every change. Problems, above, says what cannot run and mends it with a click.</source>
        <translation>時間、トークン、計算量、メモリは変更のたびに更新されます。上の「問題」は実行できない理由を示し、クリックで直せます。</translation>
    </message>
    <message>
        <source>Run it</source>
        <translation>実行する</translation>
    </message>
    <message>
        <source>Runs can be paused, resumed and queued. Nothing is lost when the machine is switched off.</source>
        <translation>実行は一時停止、再開、順番待ちができます。電源を切っても何も失われません。</translation>
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
        <source>Everything else is a panel</source>
        <translation>ほかはすべてパネル</translation>
    </message>
    <message>
        <source>View opens them: devices and attention, runs and comparisons, charts and the queue. Help has this tour.</source>
        <translation>「表示」から開きます: デバイスとアテンション、実行と比較、グラフと待ち行列。このツアーは「ヘルプ」にあります。</translation>
    </message>
    <message>
        <source>Measuring this machine was stopped, as a run begins.</source>
        <translation>実行が始まるため、このマシンの計測を中止しました。</translation>
    </message>
    <message>
        <source>%1 (open)</source>
        <comment>project</comment>
        <translation>%1（編集中）</translation>
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
    <message numerus="yes">
        <source>%n things timed</source>
        <translation>
            <numerusform>%n件を計測</numerusform>
        </translation>
    </message>
    <message>
        <source>How long a run takes is predicted once this machine was measured. It takes about two minutes, in which it should do nothing else.</source>
        <translation>このマシンを計測すると実行時間を予測できます。2分ほどかかり、その間ほかの作業は控えてください。</translation>
    </message>
    <message>
        <source>A run is going on; measure when it has ended.</source>
        <translation>実行中です。終わってから計測してください。</translation>
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
    <name>meshreel::MeshPanel</name>
    <message>
        <source>Play the steps</source>
        <translation>ステップを再生</translation>
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
    <message>
        <source>Legal meshes</source>
        <translation>有効なメッシュ</translation>
    </message>
    <message>
        <source>Use this mesh</source>
        <translation>このメッシュを使用</translation>
    </message>
    <message>
        <source>Legal meshes, the least exchange first</source>
        <translation>有効なメッシュ（交換の少ない順）</translation>
    </message>
    <message>
        <source>Mesh: %1</source>
        <translation>メッシュ: %1</translation>
    </message>
    <message>
        <source>Legal meshes, the fastest first as predicted</source>
        <translation>使えるメッシュ（予測の速い順）</translation>
    </message>
    <message>
        <source>The devices are drawn here as soon as the project can be planned: Problems says what keeps it from that.</source>
        <translation>プロジェクトを計画できるようになると、デバイスがここに描かれます。妨げているものは「問題」にあります。</translation>
    </message>
    <message>
        <source>This project runs on one device: several share out the tokens, the heads or the weights, each with workers of its own.</source>
        <translation>このプロジェクトは1つのデバイスで動きます。複数なら、それぞれのワーカーでトークン、ヘッド、重みを分け合います。</translation>
    </message>
    <message>
        <source>Hosts and ranks</source>
        <translation>ホストとランク</translation>
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
</context>
<context>
    <name>meshreel::MeshView</name>
    <message>
        <source>Devices of the mesh</source>
        <translation>メッシュのデバイス</translation>
    </message>
    <message>
        <source>heads %1</source>
        <translation>ヘッド%1</translation>
    </message>
    <message>
        <source>tokens %1</source>
        <translation>トークン%1</translation>
    </message>
    <message>
        <source>all keys</source>
        <translation>全キー</translation>
    </message>
    <message>
        <source>keys %1</source>
        <translation>キー%1</translation>
    </message>
    <message numerus="yes">
        <source>%n device(s): %1</source>
        <comment>of the mesh that a drag would make</comment>
        <translation>
            <numerusform>デバイス%n台: %1</numerusform>
        </translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>ランク%1</translation>
    </message>
</context>
<context>
    <name>meshreel::MessageBanner</name>
    <message>
        <source>Close the message</source>
        <translation>メッセージを閉じる</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>メッセージ</translation>
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
        <translation>%1百万</translation>
    </message>
    <message>
        <source>%1 billion</source>
        <comment>number</comment>
        <translation>%1十億</translation>
    </message>
    <message numerus="yes">
        <source>%1 and %n more</source>
        <translation>
            <numerusform>%1ほか%n件</numerusform>
        </translation>
    </message>
    <message>
        <source>%1, fits in the %2 that are free</source>
        <comment>sizes</comment>
        <translation>%1（空き%2に収まります）</translation>
    </message>
    <message>
        <source>%1, more than the %2 that are free</source>
        <comment>sizes</comment>
        <translation>%1（空き%2を超えます）</translation>
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
        <source>Convolutions</source>
        <translation>畳み込み</translation>
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
</context>
<context>
    <name>meshreel::ModelsPanel</name>
    <message>
        <source>Use in project</source>
        <translation>プロジェクトで使う</translation>
    </message>
    <message>
        <source>Look again</source>
        <translation>再検索</translation>
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
        <source>This is no model by itself; parts are chosen in the project</source>
        <translation>これだけではモデルになりません。部品はプロジェクトで選びます</translation>
    </message>
</context>
<context>
    <name>meshreel::NoisePanel</name>
    <message>
        <source>The noise of every step is drawn here as soon as the project can be planned: choose a model under Project, and see Problems for what keeps it from that.</source>
        <translation>プロジェクトを計画できるようになると、各ステップのノイズがここに描かれます。「プロジェクト」でモデルを選び、妨げは「問題」で確かめてください。</translation>
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
            <numerusform>ステップキャッシュで%nステップを短縮できます（白抜き）。</numerusform>
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
</context>
<context>
    <name>meshreel::OpenedMedia</name>
    <message>
        <source>There is no such file or folder</source>
        <translation>そのようなファイルやフォルダーはありません</translation>
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
        <source>the model&apos;s own</source>
        <translation>モデルのもの</translation>
    </message>
    <message>
        <source>none; choose or drop one here</source>
        <translation>なし。選択するか、ここにドロップ</translation>
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
</context>
<context>
    <name>meshreel::PathOpener</name>
    <message>
        <source>A run is going on; others can be looked at when it ends.</source>
        <translation>実行中です。他の実行は終了後に見られます。</translation>
    </message>
    <message>
        <source>Used as “%1”; drop it on another field to use it as that, or undo it.</source>
        <translation>「%1」として使用しました。別の用途にするにはその項目にドロップするか、元に戻してください。</translation>
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
        <translation>フレーム %1/%2 · %3秒</translation>
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
        <source>The wheel zooms, dragging moves, a double click fits (+, -, 0)</source>
        <translation>ホイールで拡大・縮小、ドラッグで移動、ダブルクリックで全体表示（+、-、0）</translation>
    </message>
    <message>
        <source>Copy or write a frame, the clip, or a sheet of its frames</source>
        <translation>フレーム、クリップ、またはフレームの一覧をコピーまたは書き出す</translation>
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
        <source>%1: %2</source>
        <comment>setting and what is wrong</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Go to setting</source>
        <translation>設定へ移動</translation>
    </message>
    <message>
        <source>Nothing is wrong with this project: press Run.</source>
        <translation>このプロジェクトに問題はありません。「実行」を押してください。</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>メモ</translation>
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
        <translation>プロジェクト、またはプロジェクトを含む動画を開く</translation>
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
        <source>They are lost otherwise.</source>
        <translation>保存しないと変更は失われます。</translation>
    </message>
    <message>
        <source>Saved. Fields marked red keep their last legal value in the file.</source>
        <translation>保存しました。赤で示した項目は、ファイルでは最後の有効な値のままです。</translation>
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
</context>
<context>
    <name>meshreel::ProjectLauncher</name>
    <message>
        <source>The Problems panel tells what keeps this project from running.</source>
        <translation>［問題］パネルに、このプロジェクトを実行できない理由が示されています。</translation>
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
        <translation>見せないもの</translation>
    </message>
    <message>
        <source>The kept prompts could not be read and were set aside as %1: %2</source>
        <translation>保存したプロンプトを読めなかったため、%1として脇に置きました: %2</translation>
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
        <translation>プロジェクトのプロンプトを、見せないものとともに保存します</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>使う</translation>
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
        <source>No prompt is kept yet: keep the project&apos;s. One that holds {prompt} is a style, which is put around the prompt at hand.</source>
        <translation>保存されたプロンプトはまだありません。プロジェクトのものを保存してください。{prompt}を含むものはスタイルで、現在のプロンプトを包みます。</translation>
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
        <translation>現在の状態のプロジェクトを追加（Ctrl+Shift+R）</translation>
    </message>
    <message>
        <source>Add a grid…</source>
        <translation>グリッドを追加…</translation>
    </message>
    <message>
        <source>Add the project once for every combination of some settings: seeds, prompts, sizes, …</source>
        <translation>いくつかの設定のすべての組み合わせについて、プロジェクトを1回ずつ追加: シード、プロンプト、大きさ、…</translation>
    </message>
    <message>
        <source>Run the queue</source>
        <translation>キューを実行</translation>
    </message>
    <message>
        <source>Runs one after the other; switched off, the one at hand still ends</source>
        <translation>順番に実行します。オフにしても、進行中の実行は最後まで行います</translation>
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
</context>
<context>
    <name>meshreel::QueueRunner</name>
    <message>
        <source>Its run folder cannot be read; run it again.</source>
        <translation>実行フォルダーを読み取れません。もう一度実行してください。</translation>
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
        <translation>デバイス</translation>
    </message>
    <message>
        <source>Workers</source>
        <translation>ワーカー</translation>
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
        <translation>読み込み(秒)</translation>
    </message>
    <message>
        <source>Compile, s</source>
        <translation>準備(秒)</translation>
    </message>
    <message>
        <source>Inference, s</source>
        <translation>推論(秒)</translation>
    </message>
    <message>
        <source>Denoising, s</source>
        <translation>ノイズ除去(秒)</translation>
    </message>
    <message>
        <source>Decoding, s</source>
        <translation>デコード(秒)</translation>
    </message>
    <message>
        <source>Step, s</source>
        <translation>ステップ(秒)</translation>
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
        <translation>時間のまとめ</translation>
    </message>
    <message>
        <source>Projects</source>
        <translation>プロジェクト</translation>
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
        <source>Stop after the current block; the run can be resumed later</source>
        <translation>現在のブロックの後で停止する。実行は後で再開できます</translation>
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
        <source>Generate the video (Ctrl+R)</source>
        <translation>動画を生成する (Ctrl+R)</translation>
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
        <source>Stop when the step at hand is done; nothing is lost</source>
        <translation>進行中のステップが完了したら停止する。何も失われません</translation>
    </message>
    <message>
        <source>Go on with the run that was stopped, from its last finished step</source>
        <translation>停止した実行を、最後に完了したステップから続ける</translation>
    </message>
</context>
<context>
    <name>meshreel::RunCopies</name>
    <message>
        <source>None of these runs is finished: there is no timing summary to copy.</source>
        <translation>完了した実行がないため、コピーできる時間のまとめがありません。</translation>
    </message>
    <message numerus="yes">
        <source>Copied %n timing summaries</source>
        <translation>
            <numerusform>%n件の時間のまとめをコピーしました</numerusform>
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
        <translation>ステップ(秒)</translation>
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
        <source>%1. Resume goes on from the last finished step.</source>
        <comment>state</comment>
        <translation>%1。［再開］で、最後に完了したステップから続けます。</translation>
    </message>
    <message>
        <source>Stopping</source>
        <translation>停止中</translation>
    </message>
    <message>
        <source>Pausing after this step</source>
        <translation>このステップの後で一時停止します</translation>
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
        <source>Waiting to go on</source>
        <translation>再開待ち</translation>
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
        <source>Another window keeps the queue; this one ends with its window.</source>
        <translation>キューは別のウィンドウが保存しています。このキューはウィンドウを閉じると失われます。</translation>
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
        <source>The kept queue could not be read and was set aside as %1: %2</source>
        <translation>保存されたキューを読み取れなかったため、%1として退避しました: %2</translation>
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
        <translation>コンパイラ</translation>
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
        <translation>デバイス</translation>
    </message>
    <message>
        <source>Ranks</source>
        <translation>ランク</translation>
    </message>
    <message>
        <source>Workers of a device</source>
        <translation>デバイスごとのワーカー</translation>
    </message>
    <message>
        <source>Mesh</source>
        <translation>メッシュ</translation>
    </message>
    <message>
        <source>Self-attention kernel</source>
        <translation>自己アテンションのカーネル</translation>
    </message>
    <message>
        <source>Cross-attention kernel</source>
        <translation>交差アテンションのカーネル</translation>
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
    <name>meshreel::RunReporter</name>
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
    <name>meshreel::RunStages</name>
    <message>
        <source>%1 %</source>
        <comment>percentage</comment>
        <translation>%1%</translation>
    </message>
    <message>
        <source>Load</source>
        <comment>stage of a run, very short</comment>
        <translation>読込</translation>
    </message>
    <message>
        <source>Compile</source>
        <comment>stage of a run, very short</comment>
        <translation>準備</translation>
    </message>
    <message>
        <source>Condition</source>
        <comment>stage of a run, very short</comment>
        <translation>条件付け</translation>
    </message>
    <message>
        <source>Steps</source>
        <comment>stage of a run, very short</comment>
        <translation>ステップ</translation>
    </message>
    <message>
        <source>Decode</source>
        <comment>stage of a run, very short</comment>
        <translation>デコード</translation>
    </message>
    <message>
        <source>Format</source>
        <comment>stage of a run, very short</comment>
        <translation>書込</translation>
    </message>
    <message>
        <source>cached</source>
        <comment>stage of a run, very short</comment>
        <translation>保存済</translation>
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
        <source>%1: going on</source>
        <comment>stage</comment>
        <translation>%1: 進行中</translation>
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
        <translation>ステップ%1: %2秒、sigma %3、潜在変数%4～%5</translation>
    </message>
</context>
<context>
    <name>meshreel::StepTableModel</name>
    <message>
        <source>Step</source>
        <translation>ステップ</translation>
    </message>
    <message>
        <source>Timestep</source>
        <translation>タイムステップ</translation>
    </message>
    <message>
        <source>Sigma</source>
        <translation>シグマ</translation>
    </message>
    <message>
        <source>Seconds</source>
        <translation>秒</translation>
    </message>
    <message>
        <source>Latent minimum</source>
        <translation>潜在変数の最小値</translation>
    </message>
    <message>
        <source>Latent maximum</source>
        <translation>潜在変数の最大値</translation>
    </message>
    <message>
        <source>Latent mean</source>
        <translation>潜在変数の平均</translation>
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
        <source>Timing summary</source>
        <translation>計時サマリー</translation>
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
        <source>Activity</source>
        <translation>アクティビティ</translation>
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
        <translation>実行が終わるか過去の実行を開くと、時間の内訳がここに出ます。</translation>
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
        <source>%1 ×</source>
        <comment>speed against another</comment>
        <translation>%1 ×</translation>
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
        <source>Against the first strategy beside the same other settings</source>
        <translation>ほかの設定が同じ最初の方式との比</translation>
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
        <source>Speed</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状態</translation>
    </message>
</context>
<context>
    <name>meshreel::SweepPanel</name>
    <message>
        <source>Cells that are done</source>
        <translation>完了したセル</translation>
    </message>
    <message>
        <source>The sweep</source>
        <translation>一括計測</translation>
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
        <translation>CSVを書き出す…</translation>
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
        <translation>各回を書き出す</translation>
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
        <translation>続ける</translation>
    </message>
    <message>
        <source>A run is going on, and would be measured too</source>
        <translation>実行中のため、計測に影響します</translation>
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
    <message>
        <source>A sweep times modes, meshes, batches and block sizes beside each other: open one, such as configs/sweeps/attention-strategies.yaml.</source>
        <translation>スイープはモード、メッシュ、バッチ、ブロックサイズを並べて計時します。configs/sweeps/attention-strategies.yaml などを開いてください。</translation>
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
    <name>meshreel::TimingComparison</name>
    <message>
        <source>Slower</source>
        <comment>than the fastest run</comment>
        <translation>遅さ</translation>
    </message>
    <message>
        <source>How many times as fast as the first run: by seconds a step for videos of one size, by denoising beside pasted timings</source>
        <translation>最初の実行の何倍速いか。同じサイズの動画ではステップごとの秒数で、貼り付けた計時とはノイズ除去の時間で比べます</translation>
    </message>
    <message>
        <source>How many times as long as the fastest run, which stands in bold</source>
        <translation>太字の最速の実行の何倍かかったか</translation>
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
        <translation>ツアーをやめる</translation>
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
        <translation>始める</translation>
    </message>
</context>
<context>
    <name>meshreel::TunePanel</name>
    <message>
        <source>block_q %1 · block_kv %2: %3 ms</source>
        <comment>sizes and time</comment>
        <translation>block_q %1 · block_kv %2: %3ミリ秒</translation>
    </message>
    <message numerus="yes">
        <source>%n choices did not run.</source>
        <translation>
            <numerusform>%n件は実行できませんでした。</numerusform>
        </translation>
    </message>
    <message>
        <source>Search</source>
        <translation>検索</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>キャンセル</translation>
    </message>
    <message>
        <source>Write to project</source>
        <translation>プロジェクトに書き込む</translation>
    </message>
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
        <translation>試すもの: 系列をうまく分けるいくつか、またはすべて</translation>
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
        <translation>準備運転</translation>
    </message>
    <message>
        <source>Passes of each choice before them</source>
        <translation>各候補の、計測前の回数</translation>
    </message>
    <message>
        <source>Times one block of the transformer with this project&apos;s video, mesh and attention.</source>
        <translation>このプロジェクトの動画、メッシュ、アテンションでトランスフォーマーの1ブロックを計測します。</translation>
    </message>
    <message>
        <source>Time by block sizes</source>
        <translation>ブロックサイズごとの時間</translation>
    </message>
    <message>
        <source>Progress of the search</source>
        <translation>検索の進み具合</translation>
    </message>
    <message>
        <source>The search</source>
        <translation>検索</translation>
    </message>
    <message>
        <source>What was found</source>
        <translation>見つかったもの</translation>
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
        <source>Preparing weights…</source>
        <translation>重みを準備中…</translation>
    </message>
    <message>
        <source>Block sizes that were found</source>
        <translation>見つかったブロックサイズ</translation>
    </message>
    <message>
        <source>A run is going on, and would be measured too</source>
        <translation>実行中のため、計測に影響します</translation>
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
        <source>%1 % less time.</source>
        <translation>時間が%1%短くなります。</translation>
    </message>
    <message>
        <source>The difference is within the noise: nothing needs to be changed.</source>
        <translation>差は誤差の範囲です。変更の必要はありません。</translation>
    </message>
    <message>
        <source>The map of block sizes appears here: press Search while nothing else is running.</source>
        <translation>ブロックサイズの地図がここに現れます。ほかに何も動いていないときに「検索」を押してください。</translation>
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
</context>
</TS>
