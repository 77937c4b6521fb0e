<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>ChartFormats</name>
    <message>
        <source>PNG image</source>
        <translation>PNG 图像</translation>
    </message>
    <message>
        <source>SVG drawing</source>
        <translation>SVG 矢量图</translation>
    </message>
    <message>
        <source>PDF document</source>
        <translation>PDF 文档</translation>
    </message>
    <message>
        <source>CSV table</source>
        <translation>CSV 表格</translation>
    </message>
    <message>
        <source>JSON data</source>
        <translation>JSON 数据</translation>
    </message>
</context>
<context>
    <name>Engine</name>
    <message>
        <source>Prompt</source>
        <translation>提示词</translation>
    </message>
    <message>
        <source>What the video should show.</source>
        <translation>视频应呈现的内容。</translation>
    </message>
    <message>
        <source>Negative prompt</source>
        <translation>负面提示词</translation>
    </message>
    <message>
        <source>What guidance steers away from; used when guidance_scale is above 1.</source>
        <translation>引导要避开的内容；guidance_scale 大于 1 时生效。</translation>
    </message>
    <message>
        <source>Text length</source>
        <translation>文本长度</translation>
    </message>
    <message>
        <source>Tokens that a prompt is cut or padded to; Wan models were trained with 512.</source>
        <translation>提示词截断或填充到的词元数；Wan 模型以 512 训练。</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>词元</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Video</source>
        <translation>视频</translation>
    </message>
    <message>
        <source>Height</source>
        <translation>高度</translation>
    </message>
    <message>
        <source>Height of the video.</source>
        <translation>视频的高度。</translation>
    </message>
    <message>
        <source>pixels</source>
        <translation>像素</translation>
    </message>
    <message>
        <source>Width</source>
        <translation>宽度</translation>
    </message>
    <message>
        <source>Width of the video.</source>
        <translation>视频的宽度。</translation>
    </message>
    <message>
        <source>Frames</source>
        <translation>帧数</translation>
    </message>
    <message>
        <source>Length of the video: a multiple of 4, plus 1.</source>
        <translation>视频长度：4 的倍数加 1。</translation>
    </message>
    <message>
        <source>frames</source>
        <translation>帧</translation>
    </message>
    <message>
        <source>Frame rate</source>
        <translation>帧率</translation>
    </message>
    <message>
        <source>Speed at which the video plays; the frames themselves do not depend on it.</source>
        <translation>视频播放的速度；画面本身与之无关。</translation>
    </message>
    <message>
        <source>frames per second</source>
        <translation>帧/秒</translation>
    </message>
    <message>
        <source>File format</source>
        <translation>文件格式</translation>
    </message>
    <message>
        <source>How the video is written.</source>
        <translation>视频的写出格式。</translation>
    </message>
    <message>
        <source>H.264 in MP4, plays everywhere; carries the project in its metadata.</source>
        <translation>MP4 中的 H.264，处处可播；元数据中带有项目。</translation>
    </message>
    <message>
        <source>VP9 in WebM, royalty-free, for browsers; carries the project in its metadata.</source>
        <translation>WebM 中的 VP9，免专利费，适合浏览器；元数据中带有项目。</translation>
    </message>
    <message>
        <source>Looping GIF with one palette of 255 colours per clip; delays are whole hundredths of a second.</source>
        <translation>循环播放的 GIF，每段一个 255 色调色板；延时为整百分之一秒。</translation>
    </message>
    <message>
        <source>Looping animated WebP, smaller and truer in colour than GIF; equal neighbours become one longer frame.</source>
        <translation>循环播放的动态 WebP，比 GIF 更小、色彩更真；相邻的相同帧合并为一个更长的帧。</translation>
    </message>
    <message>
        <source>A folder of lossless frames, frame_00001.png and on, for editing elsewhere.</source>
        <translation>无损帧文件夹，从 frame_00001.png 开始，便于后期编辑。</translation>
    </message>
    <message>
        <source>Quality</source>
        <translation>质量</translation>
    </message>
    <message>
        <source>Compression quality of the video file: 0 is smallest, 100 best.</source>
        <translation>视频文件的压缩质量：0 最小，100 最佳。</translation>
    </message>
    <message>
        <source>Sampling</source>
        <translation>采样</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步数</translation>
    </message>
    <message>
        <source>Denoising steps; more take longer and refine the video.</source>
        <translation>去噪步数；越多越慢，画面越精细。</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Guidance</source>
        <translation>引导强度</translation>
    </message>
    <message>
        <source>How strongly the prompt is followed; 1 or less turns guidance off and halves the work.</source>
        <translation>遵循提示词的强度；1 或更小则关闭引导，计算量减半。</translation>
    </message>
    <message>
        <source>Flow shift</source>
        <translation>流偏移</translation>
    </message>
    <message>
        <source>Moves the noise levels of the steps towards high noise; Wan uses 3 at 480p and 5 at 720p.</source>
        <translation>将各步噪声水平推向高噪声；Wan 在 480p 用 3，在 720p 用 5。</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>随机种子</translation>
    </message>
    <message>
        <source>Number that the initial noise is drawn from; the same seed gives the same video.</source>
        <translation>生成初始噪声的数字；相同种子得到相同视频。</translation>
    </message>
    <message>
        <source>Scheduler</source>
        <translation>调度器</translation>
    </message>
    <message>
        <source>The solver that walks from noise to video.</source>
        <translation>从噪声走向视频的求解器。</translation>
    </message>
    <message>
        <source>The scheduler that the checkpoint names.</source>
        <translation>检查点指定的调度器。</translation>
    </message>
    <message>
        <source>predictor-corrector of order 2, what Wan&apos;s diffusers checkpoints use</source>
        <translation>二阶预测-校正法，Wan 的 diffusers 检查点所用</translation>
    </message>
    <message>
        <source>one straight step at a time along the flow</source>
        <translation>沿流方向每次走一个直线步</translation>
    </message>
    <message>
        <source>UniPC with the noise levels of Wan&apos;s own programs</source>
        <translation>采用 Wan 官方程序噪声水平的 UniPC</translation>
    </message>
    <message>
        <source>DPM-Solver++ with the noise levels of Wan&apos;s own programs</source>
        <translation>采用 Wan 官方程序噪声水平的 DPM-Solver++</translation>
    </message>
    <message>
        <source>Noise</source>
        <translation>噪声</translation>
    </message>
    <message>
        <source>How the seed becomes the initial noise.</source>
        <translation>由种子生成初始噪声的方式。</translation>
    </message>
    <message>
        <source>the same latents from a seed whatever the mesh, threads or batch split</source>
        <translation>无论网格、线程或批次如何划分，同一种子得到相同潜变量</translation>
    </message>
    <message>
        <source>the latents that diffusers makes from a CPU generator&apos;s seed</source>
        <translation>diffusers 由 CPU 生成器种子得到的潜变量</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>注意力</translation>
    </message>
    <message>
        <source>How attention is computed and spread over devices.</source>
        <translation>注意力的计算方式及其在设备间的分布。</translation>
    </message>
    <message>
        <source>Dense softmax attention: every score of a query at once; the reference, and good for short sequences.</source>
        <translation>稠密 softmax 注意力：一次算出一个查询的全部得分；作为参考，适合短序列。</translation>
    </message>
    <message>
        <source>Blocked attention with a running softmax: memory grows with the block sizes, not with the square of the sequence.</source>
        <translation>分块注意力加在线 softmax：内存随块大小增长，而非随序列长度平方增长。</translation>
    </message>
    <message>
        <source>MaxDiffusion&apos;s other flash kernel; the same as flash here.</source>
        <translation>MaxDiffusion 的另一种 flash 内核；此处与 flash 相同。</translation>
    </message>
    <message>
        <source>Ring attention: each device keeps its queries while keys and values travel around.</source>
        <translation>环形注意力：各设备保留自己的查询，键和值依次传递。</translation>
    </message>
    <message>
        <source>Ring attention over the whole context axis, accumulating un-normalised partials.</source>
        <translation>覆盖整个上下文轴的环形注意力，累加未归一化的部分结果。</translation>
    </message>
    <message>
        <source>Ring attention with the custom blocked kernel.</source>
        <translation>使用自定义分块内核的环形注意力。</translation>
    </message>
    <message>
        <source>Ulysses: devices trade sequence shards for head groups before the kernel and back after it.</source>
        <translation>Ulysses：设备在内核前以序列分片换取注意力头组，之后再换回。</translation>
    </message>
    <message>
        <source>Ulysses with the custom blocked kernel.</source>
        <translation>使用自定义分块内核的 Ulysses。</translation>
    </message>
    <message>
        <source>Ulysses with the custom kernel, a bound in place of the running maximum.</source>
        <translation>使用自定义内核的 Ulysses，以上界代替运行最大值。</translation>
    </message>
    <message>
        <source>Ulysses inside groups of ulysses_shards devices, a ring between the groups.</source>
        <translation>每 ulysses_shards 个设备一组，组内 Ulysses，组间环形。</translation>
    </message>
    <message>
        <source>Ulysses and ring with the custom blocked kernel.</source>
        <translation>使用自定义分块内核的 Ulysses 加环形。</translation>
    </message>
    <message>
        <source>Ulysses and a ring whose keys travel both ways along a line, for links that do not wrap.</source>
        <translation>Ulysses 加环形，键沿直线双向传递，适用于不成环的链路。</translation>
    </message>
    <message>
        <source>Ulysses and ring with the custom kernel, a bound in place of the running maximum.</source>
        <translation>使用自定义内核的 Ulysses 加环形，以上界代替运行最大值。</translation>
    </message>
    <message>
        <source>NVIDIA Transformer Engine&apos;s cuDNN attention.</source>
        <translation>NVIDIA Transformer Engine 的 cuDNN 注意力。</translation>
    </message>
    <message>
        <source>Flash from length</source>
        <translation>flash 起始长度</translation>
    </message>
    <message>
        <source>Flash attention gives way to dot_product when a sequence is shorter than this.</source>
        <translation>序列短于此值时，flash 注意力改用 dot_product。</translation>
    </message>
    <message>
        <source>Query block</source>
        <translation>查询块</translation>
    </message>
    <message>
        <source>Query rows of one tile of flash attention; 0 takes the kernel&apos;s own.</source>
        <translation>flash 注意力一个分块的查询行数；0 表示采用内核默认值。</translation>
    </message>
    <message>
        <source>rows</source>
        <translation>行</translation>
    </message>
    <message>
        <source>Key block</source>
        <translation>键块</translation>
    </message>
    <message>
        <source>Key and value rows that are loaded together; 0 takes the kernel&apos;s own.</source>
        <translation>一起载入的键和值的行数；0 表示采用内核默认值。</translation>
    </message>
    <message>
        <source>Key block per product</source>
        <translation>单次乘积的键块</translation>
    </message>
    <message>
        <source>Key rows of one matrix product inside a key block, which it divides; 0 takes the kernel&apos;s own.</source>
        <translation>键块内一次矩阵乘积的键行数，须整除键块；0 表示采用内核默认值。</translation>
    </message>
    <message>
        <source>Key block per softmax</source>
        <translation>单次 softmax 的键块</translation>
    </message>
    <message>
        <source>Key rows of one softmax step of the custom kernels; 0 takes the kernel&apos;s own.</source>
        <translation>自定义内核一次 softmax 的键行数；0 表示采用内核默认值。</translation>
    </message>
    <message>
        <source>Heads per tile</source>
        <translation>每块头数</translation>
    </message>
    <message>
        <source>Heads that the custom kernels handle together.</source>
        <translation>自定义内核一起处理的注意力头数。</translation>
    </message>
    <message>
        <source>heads</source>
        <translation>头</translation>
    </message>
    <message>
        <source>Scratch limit</source>
        <translation>暂存上限</translation>
    </message>
    <message>
        <source>Scratch memory that a tile of the custom kernels may use; 0 sets no limit.</source>
        <translation>自定义内核一个分块可用的暂存内存；0 表示不限。</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>字节</translation>
    </message>
    <message>
        <source>Base-2 exponential</source>
        <translation>以 2 为底的指数</translation>
    </message>
    <message>
        <source>Mask padding</source>
        <translation>屏蔽填充</translation>
    </message>
    <message>
        <source>Mesh</source>
        <translation>设备网格</translation>
    </message>
    <message>
        <source>Data axis</source>
        <translation>数据轴</translation>
    </message>
    <message>
        <source>Devices that share out the batch; -1 takes all that are left.</source>
        <translation>分摊批次的设备数；-1 表示取全部剩余设备。</translation>
    </message>
    <message>
        <source>devices</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>FSDP axis</source>
        <translation>FSDP 轴</translation>
    </message>
    <message>
        <source>Devices that share out the weights; -1 takes all that are left.</source>
        <translation>分摊权重的设备数；-1 表示取全部剩余设备。</translation>
    </message>
    <message>
        <source>Context axis</source>
        <translation>上下文轴</translation>
    </message>
    <message>
        <source>Devices that share out the sequence; -1 takes all that are left.</source>
        <translation>分摊序列的设备数；-1 表示取全部剩余设备。</translation>
    </message>
    <message>
        <source>Tensor axis</source>
        <translation>张量轴</translation>
    </message>
    <message>
        <source>Devices that share out heads and features; -1 takes all that are left.</source>
        <translation>分摊注意力头和特征的设备数；-1 表示取全部剩余设备。</translation>
    </message>
    <message>
        <source>Data axis between hosts</source>
        <translation>主机间数据轴</translation>
    </message>
    <message>
        <source>Hosts that share out the batch; -1 takes all that are left.</source>
        <translation>分摊批次的主机数；-1 表示取全部剩余主机。</translation>
    </message>
    <message>
        <source>hosts</source>
        <translation>主机</translation>
    </message>
    <message>
        <source>FSDP axis between hosts</source>
        <translation>主机间 FSDP 轴</translation>
    </message>
    <message>
        <source>Hosts that share out the weights; -1 takes all that are left.</source>
        <translation>分摊权重的主机数；-1 表示取全部剩余主机。</translation>
    </message>
    <message>
        <source>Context axis between hosts</source>
        <translation>主机间上下文轴</translation>
    </message>
    <message>
        <source>Hosts that share out the sequence; -1 takes all that are left.</source>
        <translation>分摊序列的主机数；-1 表示取全部剩余主机。</translation>
    </message>
    <message>
        <source>Tensor axis between hosts</source>
        <translation>主机间张量轴</translation>
    </message>
    <message>
        <source>Hosts that share out heads and features; -1 takes all that are left.</source>
        <translation>分摊注意力头和特征的主机数；-1 表示取全部剩余主机。</translation>
    </message>
    <message>
        <source>Ulysses shards</source>
        <translation>Ulysses 分片</translation>
    </message>
    <message>
        <source>Part of the context axis that exchanges heads in the ulysses_ring modes; -1 is unset.</source>
        <translation>ulysses_ring 模式下交换注意力头的上下文轴部分；-1 表示未设置。</translation>
    </message>
    <message>
        <source>Ulysses chunks</source>
        <translation>Ulysses 分段</translation>
    </message>
    <message>
        <source>Head groups whose exchange and computation overlap.</source>
        <translation>交换与计算相互重叠的注意力头组数。</translation>
    </message>
    <message>
        <source>Uniform sharding</source>
        <translation>统一切分</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>32-bit floating point.</source>
        <translation>32 位浮点。</translation>
    </message>
    <message>
        <source>16-bit floating point with the exponent of float32.</source>
        <translation>16 位浮点，指数同 float32。</translation>
    </message>
    <message>
        <source>Activations</source>
        <translation>激活</translation>
    </message>
    <message>
        <source>Text encoder</source>
        <translation>文本编码器</translation>
    </message>
    <message>
        <source>Number type that the text encoder computes in.</source>
        <translation>文本编码器计算所用的数值类型。</translation>
    </message>
    <message>
        <source>VAE</source>
        <translation>VAE</translation>
    </message>
    <message>
        <source>Number type that the VAE computes in.</source>
        <translation>VAE 计算所用的数值类型。</translation>
    </message>
    <message>
        <source>VAE weights</source>
        <translation>VAE 权重</translation>
    </message>
    <message>
        <source>Number type of the VAE&apos;s weights.</source>
        <translation>VAE 权重的数值类型。</translation>
    </message>
    <message>
        <source>Decode chunk</source>
        <translation>解码分段</translation>
    </message>
    <message>
        <source>Latent frames that are decoded together; -1 takes all. More memory, the same result.</source>
        <translation>一起解码的潜变量帧数；-1 表示全部。占用更多内存，结果相同。</translation>
    </message>
    <message>
        <source>latent frames</source>
        <translation>潜变量帧</translation>
    </message>
    <message>
        <source>Encode chunk</source>
        <translation>编码分段</translation>
    </message>
    <message>
        <source>Frames that are encoded together, a multiple of 4; -1 takes all. More memory, the same result.</source>
        <translation>一起编码的帧数，为 4 的倍数；-1 表示全部。占用更多内存，结果相同。</translation>
    </message>
    <message>
        <source>Width strips</source>
        <translation>宽度条带</translation>
    </message>
    <message>
        <source>Devices that share out the VAE&apos;s width; -1 takes all.</source>
        <translation>分摊 VAE 宽度的设备数；-1 表示全部。</translation>
    </message>
    <message>
        <source>Replicate weights</source>
        <translation>复制权重</translation>
    </message>
    <message>
        <source>Gives every device the whole of the VAE&apos;s weights.</source>
        <translation>让每个设备都持有全部 VAE 权重。</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>What run folders are called after; empty takes the project file&apos;s name.</source>
        <translation>运行文件夹的命名依据；留空则取项目文件名。</translation>
    </message>
    <message>
        <source>Workers</source>
        <translation>工作线程</translation>
    </message>
    <message>
        <source>threads</source>
        <translation>线程</translation>
    </message>
    <message>
        <source>It exists only on NVIDIA GPUs and Meshreel computes on CPUs; use flash, which computes the same attention</source>
        <translation>仅存在于 NVIDIA GPU，而 Meshreel 在 CPU 上计算；请用 flash，它计算相同的注意力</translation>
    </message>
    <message>
        <source>Lets the softmax use powers of 2 with rescaled scores; results agree within rounding.</source>
        <translation>让 softmax 以缩放后的得分使用 2 的幂；结果在舍入误差内一致。</translation>
    </message>
    <message>
        <source>Keeps the rows that fill up a block or a device&apos;s share out of attention.</source>
        <translation>使补齐块或设备份额的行不参与注意力。</translation>
    </message>
    <message>
        <source>padding is never attended</source>
        <translation>填充部分从不参与注意力</translation>
    </message>
    <message>
        <source>Makes flash and dot_product share out the sequence; false shares out the heads of self-attention instead.</source>
        <translation>使 flash 和 dot_product 分摊序列；false 则改为分摊自注意力的注意力头。</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>设备数</translation>
    </message>
    <message>
        <source>Devices of the mesh, which the axis of -1 fills up; 0 takes one for each process that was started, or as many as the axes ask for.</source>
        <translation>设备网格的设备数，由值为 -1 的轴补足；0 表示每个已启动的进程一个，或按各轴所需。</translation>
    </message>
    <message>
        <source>Hosts file</source>
        <translation>主机文件</translation>
    </message>
    <message>
        <source>File that names the machines to start processes on, one a line; empty runs on this machine only.</source>
        <translation>列出要启动进程的机器的文件，每行一台；留空则只在本机运行。</translation>
    </message>
    <message>
        <source>Send weights</source>
        <translation>发送权重</translation>
    </message>
    <message>
        <source>Reads the checkpoint on the first machine only and sends it to the others.</source>
        <translation>只在第一台机器上读取检查点，并发送给其他机器。</translation>
    </message>
    <message>
        <source>Stall timeout</source>
        <translation>停滞超时</translation>
    </message>
    <message>
        <source>How long a device waits for the others before the run counts as hung and ends.</source>
        <translation>设备等待其他设备多久后，运行被视为挂起并结束。</translation>
    </message>
    <message>
        <source>seconds</source>
        <translation>秒</translation>
    </message>
    <message>
        <source>Threads of each device; 0 shares out every CPU of this process.</source>
        <translation>每个设备的线程数；0 表示分配本进程的全部 CPU。</translation>
    </message>
    <message>
        <source>Number type of the weights of the transformer&apos;s blocks. With bfloat16 activations, float32 weights are rounded to bfloat16 too; int8 needs bfloat16 activations.</source>
        <translation>变换器各块权重的数值类型。激活为 bfloat16 时，float32 权重也会舍入为 bfloat16；int8 要求激活为 bfloat16。</translation>
    </message>
    <message>
        <source>8-bit integers with a scale for each output; inputs are rounded to 8 bits too.</source>
        <translation>8 位整数，每个输出有各自的比例；输入也舍入为 8 位。</translation>
    </message>
    <message>
        <source>Number type that the transformer&apos;s blocks compute in. Sums, the residual stream, the time and text embeddings and the output stay float32.</source>
        <translation>变换器各块计算所用的数值类型。求和、残差流、时间与文本嵌入以及输出保持 float32。</translation>
    </message>
    <message>
        <source>Number type that each step&apos;s prediction and the latents it leads to are rounded to.</source>
        <translation>每一步的预测及其得到的潜变量舍入到的数值类型。</translation>
    </message>
    <message>
        <source>Guidance at high noise</source>
        <translation>高噪声引导强度</translation>
    </message>
    <message>
        <source>Guidance of the first of two experts; 0 takes guidance_scale.</source>
        <translation>两个专家中第一个的引导强度；0 表示采用 guidance_scale。</translation>
    </message>
    <message>
        <source>Guidance at low noise</source>
        <translation>低噪声引导强度</translation>
    </message>
    <message>
        <source>Guidance of the second of two experts; 0 takes guidance_scale.</source>
        <translation>两个专家中第二个的引导强度；0 表示采用 guidance_scale。</translation>
    </message>
    <message>
        <source>Boundary of the experts</source>
        <translation>专家分界</translation>
    </message>
    <message>
        <source>Part of the noise levels&apos; range from which on the first of two experts works, below it the second; 0 takes the model&apos;s own.</source>
        <translation>噪声水平范围内的分界比例：达到它由两个专家中的第一个工作，低于它由第二个工作；0 表示采用模型自带的值。</translation>
    </message>
    <message>
        <source>An installed model&apos;s name, a Hugging Face id, a checkpoint folder in diffusers layout, or a transformer&apos;s file, whose other parts are found in the models folder.</source>
        <translation>已安装模型的名称、Hugging Face 标识、diffusers 结构的检查点文件夹，或变换器文件（其余部件在模型文件夹中查找）。</translation>
    </message>
    <message>
        <source>Adapters</source>
        <translation>适配器</translation>
    </message>
    <message>
        <source>Adapters (LoRA) that are merged into the transformer: a list of {file: PATH, strength: 1}, with expert: high or low where they are made for one of Wan 2.2&apos;s two transformers.</source>
        <translation>合并到变换器中的适配器（LoRA）：{file: PATH, strength: 1} 的列表；若专为 Wan 2.2 两个变换器之一制作，则加 expert: high 或 low。</translation>
    </message>
    <message>
        <source>Transformer</source>
        <translation>变换器</translation>
    </message>
    <message>
        <source>File or folder of the transformer&apos;s weights; of Wan 2.2&apos;s two the high-noise expert. Empty takes the model&apos;s own.</source>
        <translation>变换器权重的文件或文件夹；对 Wan 2.2 的两个变换器而言为高噪声专家。留空则采用模型自带的。</translation>
    </message>
    <message>
        <source>Second transformer</source>
        <translation>第二变换器</translation>
    </message>
    <message>
        <source>File or folder of Wan 2.2&apos;s low-noise expert. Empty takes the model&apos;s own.</source>
        <translation>Wan 2.2 低噪声专家的文件或文件夹。留空则采用模型自带的。</translation>
    </message>
    <message>
        <source>File or folder of the text encoder (UMT5-XXL). Empty takes the model&apos;s own.</source>
        <translation>文本编码器（UMT5-XXL）的文件或文件夹。留空则采用模型自带的。</translation>
    </message>
    <message>
        <source>File or folder of the VAE; Wan 2.1&apos;s has 16 channels, that of TI2V-5B 48. Empty takes the model&apos;s own.</source>
        <translation>VAE 的文件或文件夹；Wan 2.1 的有 16 个通道，TI2V-5B 的有 48 个。留空则采用模型自带的。</translation>
    </message>
    <message>
        <source>Image encoder</source>
        <translation>图像编码器</translation>
    </message>
    <message>
        <source>File or folder of the image encoder (CLIP ViT-H) of image-to-video models. Empty takes the model&apos;s own.</source>
        <translation>图生视频模型的图像编码器（CLIP ViT-H）的文件或文件夹。留空则采用模型自带的。</translation>
    </message>
    <message>
        <source>Tokenizer</source>
        <translation>分词器</translation>
    </message>
    <message>
        <source>Folder of the tokenizer, or its tokenizer.json or spiece.model. Empty takes the model&apos;s own.</source>
        <translation>分词器的文件夹，或其 tokenizer.json 或 spiece.model。留空则采用模型自带的。</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>What the video is made of.</source>
        <translation>生成视频的依据。</translation>
    </message>
    <message>
        <source>What the model does with the inputs that are given.</source>
        <translation>由模型根据给定的输入决定。</translation>
    </message>
    <message>
        <source>A video, or with num_frames 1 an image, from the prompt.</source>
        <translation>由提示词生成视频；num_frames 为 1 时生成图像。</translation>
    </message>
    <message>
        <source>A video that begins with `image`.</source>
        <translation>以 `image` 开头的视频。</translation>
    </message>
    <message>
        <source>A video that begins with `image` and ends with `last_image`.</source>
        <translation>以 `image` 开头、以 `last_image` 结尾的视频。</translation>
    </message>
    <message>
        <source>`video` made again after the prompt; `strength` says how much of it may change.</source>
        <translation>按提示词重新生成 `video`；`strength` 决定可改变的程度。</translation>
    </message>
    <message>
        <source>`video` where `mask` is black, something new where it is white, with what `reference_images` show.</source>
        <translation>`mask` 为黑处保留 `video`，为白处生成新内容，并带有 `reference_images` 所示之物。</translation>
    </message>
    <message>
        <source>First image</source>
        <translation>首帧图像</translation>
    </message>
    <message>
        <source>Last image</source>
        <translation>尾帧图像</translation>
    </message>
    <message>
        <source>Picture file that the video ends with.</source>
        <translation>视频结尾的图片文件。</translation>
    </message>
    <message>
        <source>Video, picture or folder of numbered PNG frames that is made again or edited; its first num_frames are taken.</source>
        <translation>要重新生成或编辑的视频、图片或带编号 PNG 帧的文件夹；取其前 num_frames 帧。</translation>
    </message>
    <message>
        <source>Mask</source>
        <translation>遮罩</translation>
    </message>
    <message>
        <source>Reference images</source>
        <translation>参考图像</translation>
    </message>
    <message>
        <source>Picture files, separated by commas, of what VACE should show.</source>
        <translation>希望 VACE 呈现之物的图片文件，以逗号分隔。</translation>
    </message>
    <message>
        <source>Strength</source>
        <translation>强度</translation>
    </message>
    <message>
        <source>How much of the video may change in video to video: the part of the steps that is done.</source>
        <translation>视频生视频时可改变的程度：实际执行的步数比例。</translation>
    </message>
    <message>
        <source>Control strength</source>
        <translation>控制强度</translation>
    </message>
    <message>
        <source>How strongly VACE&apos;s blocks steer: one number, or one for each block, separated by commas.</source>
        <translation>VACE 各块的控制强度：一个数，或每块一个数，以逗号分隔。</translation>
    </message>
    <message>
        <source>DPM-Solver++ that adds noise at every step (2M SDE), with the noise levels of Wan&apos;s own programs</source>
        <translation>每步添加噪声的 DPM-Solver++（2M SDE），采用 Wan 官方程序的噪声水平</translation>
    </message>
    <message>
        <source>Heun&apos;s method: each step but the last is computed twice and is of second order</source>
        <translation>Heun 方法：除最后一步外每步计算两次，为二阶</translation>
    </message>
    <message>
        <source>for models distilled to a few steps: each predicts the video and noises it anew</source>
        <translation>用于蒸馏到少量步数的模型：每步预测视频并重新加噪</translation>
    </message>
    <message>
        <source>Noise levels</source>
        <translation>噪声水平</translation>
    </message>
    <message>
        <source>The run&apos;s own noise levels from 1 down, separated by commas, before the flow shift; they take the place of num_inference_steps.</source>
        <translation>本次运行自己的噪声水平，从 1 递减，以逗号分隔，为流偏移之前的值；取代 num_inference_steps。</translation>
    </message>
    <message>
        <source>Timesteps</source>
        <translation>时间步</translation>
    </message>
    <message>
        <source>The same as timesteps from 1000 down, as distilled models name them: 1000, 750, 500, 250.</source>
        <translation>同上，但以从 1000 递减的时间步表示，蒸馏模型即如此标注：1000, 750, 500, 250。</translation>
    </message>
    <message>
        <source>Prompts of a batch</source>
        <translation>批量提示词</translation>
    </message>
    <message>
        <source>Makes several videos in one run: a prompt on each line, in place of prompt.</source>
        <translation>一次运行生成多个视频：每行一个提示词，取代 prompt。</translation>
    </message>
    <message>
        <source>Seeds of a batch</source>
        <translation>批量种子</translation>
    </message>
    <message>
        <source>Makes every prompt&apos;s video once with each of these seeds, separated by commas, in place of seed.</source>
        <translation>以逗号分隔的每个种子，为每个提示词各生成一次视频；取代 seed。</translation>
    </message>
    <message>
        <source>The character of `image` moves as `pose_video` and `face_video` do.</source>
        <translation>`image` 中的角色按 `pose_video` 和 `face_video` 动作。</translation>
    </message>
    <message>
        <source>The character of `image` takes the place of somebody in `background_video`, where `mask` is white.</source>
        <translation>`image` 中的角色在 `mask` 为白处取代 `background_video` 中的人物。</translation>
    </message>
    <message>
        <source>Picture file that the video begins with, or of the character that is animated, at the video&apos;s size whatever its own; relative to the project&apos;s folder.</source>
        <translation>视频开头的图片文件，或要驱动的角色的图片文件，无论原尺寸如何都会调整为视频尺寸；路径相对于项目文件夹。</translation>
    </message>
    <message>
        <source>Video or picture that is white where VACE makes something new, or Animate puts the character, and black where the video stays; VACE makes all new without it.</source>
        <translation>视频或图片：白色处由 VACE 生成新内容或由 Animate 放入角色，黑色处保留原视频；没有遮罩时 VACE 全部重新生成。</translation>
    </message>
    <message>
        <source>Pose video</source>
        <translation>姿态视频</translation>
    </message>
    <message>
        <source>Video or folder of numbered PNG frames of the poses that the character of image takes, as preprocessing for Wan Animate draws them.</source>
        <translation>image 中的角色所摆姿态的视频或带编号 PNG 帧的文件夹，形式与 Wan Animate 预处理所绘的一致。</translation>
    </message>
    <message>
        <source>Face video</source>
        <translation>面部视频</translation>
    </message>
    <message>
        <source>Video or folder of numbered PNG frames of the face whose expressions the character takes on.</source>
        <translation>面部的视频或带编号 PNG 帧的文件夹，角色将采用其表情。</translation>
    </message>
    <message>
        <source>Background video</source>
        <translation>背景视频</translation>
    </message>
    <message>
        <source>Video that the character is put into where mask is white.</source>
        <translation>在 mask 为白处放入角色的视频。</translation>
    </message>
    <message>
        <source>Segment</source>
        <translation>片段</translation>
    </message>
    <message>
        <source>Frames that an animation is made of at a time: a multiple of 4, plus 1.</source>
        <translation>动画每次生成的帧数：4 的倍数加 1。</translation>
    </message>
    <message>
        <source>Overlap of segments</source>
        <translation>片段重叠</translation>
    </message>
    <message>
        <source>Last frames of a segment that the next one begins with; Wan Animate was made for 1 or 5.</source>
        <translation>下一片段开头所沿用的上一片段末尾帧数；Wan Animate 按 1 或 5 设计。</translation>
    </message>
    <message>
        <source>Step caches</source>
        <translation>步缓存</translation>
    </message>
    <message>
        <source>CFG cache</source>
        <translation>CFG 缓存</translation>
    </message>
    <message>
        <source>Makes the negative prompt&apos;s half up from earlier steps in four of five steps of the middle; approximate.</source>
        <translation>在中段每五步中的四步，由先前的步推算负面提示词那一半；为近似。</translation>
    </message>
    <message>
        <source>SenCache</source>
        <translation>SenCache</translation>
    </message>
    <message>
        <source>Takes whole predictions over while the latents change little; for Wan 2.2&apos;s models of two transformers; approximate.</source>
        <translation>潜变量变化很小时整个沿用先前的预测；用于 Wan 2.2 的双变换器模型；为近似。</translation>
    </message>
    <message>
        <source>MagCache</source>
        <translation>MagCache</translation>
    </message>
    <message>
        <source>Leaves the transformer&apos;s blocks out in steps where a curve measured before says that they add what they added before; approximate.</source>
        <translation>若事先测得的曲线表明某些步中变换器各块加入的内容与先前相同，则在这些步中略过各块；为近似。</translation>
    </message>
    <message>
        <source>MagCache error</source>
        <translation>MagCache 误差</translation>
    </message>
    <message>
        <source>Error that MagCache may gather before a step is computed in full; 0 takes the curve&apos;s own.</source>
        <translation>MagCache 在完整计算一步之前可累积的误差；0 表示采用曲线自带的值。</translation>
    </message>
    <message>
        <source>MagCache in a row</source>
        <translation>MagCache 连续步数</translation>
    </message>
    <message>
        <source>Steps that MagCache leaves the blocks out of one after the other, at most.</source>
        <translation>MagCache 最多连续略过各块的步数。</translation>
    </message>
    <message>
        <source>MagCache begins at</source>
        <translation>MagCache 起始</translation>
    </message>
    <message>
        <source>Part of a transformer&apos;s steps, at their beginning, that MagCache computes in full.</source>
        <translation>变换器各步中，开头由 MagCache 完整计算的比例。</translation>
    </message>
    <message>
        <source>MagCache curve</source>
        <translation>MagCache 曲线</translation>
    </message>
    <message>
        <source>The curve as numbers separated by commas, for each step the prompt&apos;s and the negative prompt&apos;s; empty takes mag_ratios_file, or the one published for the model.</source>
        <translation>以逗号分隔的数表示的曲线，每步依次为提示词和负面提示词的值；留空则采用 mag_ratios_file，或为该模型公布的曲线。</translation>
    </message>
    <message>
        <source>MagCache curve file</source>
        <translation>MagCache 曲线文件</translation>
    </message>
    <message>
        <source>Curve that meshreel calibrate magcache has measured; relative to the project&apos;s folder.</source>
        <translation>由 meshreel calibrate magcache 测得的曲线；路径相对于项目文件夹。</translation>
    </message>
    <message>
        <source>First-block cache</source>
        <translation>首块缓存</translation>
    </message>
    <message>
        <source>Computes the transformer&apos;s first block and, where it adds nearly what it added before, leaves the others out; approximate.</source>
        <translation>计算变换器的第一个块，若其加入的内容与先前几乎相同，则略过其余各块；为近似。</translation>
    </message>
    <message>
        <source>First-block change</source>
        <translation>首块变化</translation>
    </message>
    <message>
        <source>Relative change of what the first block adds up to which the others are left out.</source>
        <translation>第一个块所加内容的相对变化；不超过此值时略过其余各块。</translation>
    </message>
    <message>
        <source>Compare with run</source>
        <translation>对比的运行</translation>
    </message>
    <message>
        <source>Folder of a finished run of the same size, usually without a cache: the run tells how far its frames are from those (PSNR and SSIM).</source>
        <translation>尺寸相同的已完成运行的文件夹，通常未用缓存：本次运行会给出其帧与之相差多少（PSNR 和 SSIM）。</translation>
    </message>
    <message>
        <source>Memory budget</source>
        <translation>内存预算</translation>
    </message>
    <message>
        <source>Memory that the run may take. Layers of the transformer that it does not hold are read from the checkpoint each time they are used; 0 keeps all of them in memory.</source>
        <translation>本次运行可用的内存。未保留的变换器层每次使用时从检查点读取；0 表示全部保留在内存中。</translation>
    </message>
    <message>
        <source>GiB</source>
        <translation>GiB</translation>
    </message>
    <message>
        <source>Preset</source>
        <translation>预设</translation>
    </message>
    <message>
        <source>Values that belong together and take the place of the defaults; what is written beside wins.</source>
        <translation>一组相关的值，取代默认值；另外写明的值优先。</translation>
    </message>
    <message>
        <source>Every value as it is written.</source>
        <translation>每个值按所写的使用。</translation>
    </message>
    <message>
        <source>Four steps without guidance, with a step-distilled adapter (LoRA) that is found in the models folder where lora names none.</source>
        <translation>四步、无引导，使用步数蒸馏的适配器（LoRA）；未在 lora 中指定时在模型文件夹中查找。</translation>
    </message>
    <message>
        <source>The same four steps for a checkpoint that is distilled itself, without an adapter.</source>
        <translation>同样四步，用于本身已蒸馏的检查点，不需要适配器。</translation>
    </message>
    <message>
        <source>TeaCache</source>
        <translation>TeaCache</translation>
    </message>
    <message>
        <source>Leaves the transformer&apos;s blocks out in steps whose time is nearly that of the step before, after a published fit; approximate.</source>
        <translation>当某步的时间与前一步几乎相同时，按已发表的拟合跳过 transformer 的块；近似。</translation>
    </message>
    <message>
        <source>TeaCache change</source>
        <translation>TeaCache 变化量</translation>
    </message>
    <message>
        <source>Change of the prediction that TeaCache may gather before a step is computed in full; 0 takes the model&apos;s own.</source>
        <translation>TeaCache 在完整计算一步之前可累积的预测变化量；0 表示采用模型自己的值。</translation>
    </message>
    <message>
        <source>TeaCache fit</source>
        <translation>TeaCache 拟合</translation>
    </message>
    <message>
        <source>Polynomial from the time embedding&apos;s change to the prediction&apos;s, highest power first; empty takes the one published for the model.</source>
        <translation>由时间嵌入的变化到预测变化的多项式，最高次项在前；留空则采用为该模型发表的多项式。</translation>
    </message>
    <message>
        <source>Seconds of every step, a line a run</source>
        <translation>每步秒数，每次运行一条线</translation>
    </message>
    <message>
        <source>Seconds of load, compile, conditioning, denoising and decoding</source>
        <translation>加载、编译、条件、去噪和解码的秒数</translation>
    </message>
    <message>
        <source>Speed against the number of devices, a line an attention mode</source>
        <translation>速度与设备数，每种注意力模式一条线</translation>
    </message>
    <message>
        <source>Time against block_q and block_kv: of runs, or of the table of a tile search</source>
        <translation>时间与 block_q、block_kv：来自运行或分块搜索的表</translation>
    </message>
    <message>
        <source>What each phase held in memory at most, beside its plan</source>
        <translation>各阶段内存峰值与计划的对照</translation>
    </message>
    <message>
        <source>few blocks with little padding that fit the scratch limit</source>
        <translation>少量填充少且符合暂存上限的块</translation>
    </message>
    <message>
        <source>every pair of multiples of the step: exhaustive, slow</source>
        <translation>步长倍数的所有组合：穷举，较慢</translation>
    </message>
    <message>
        <source>For short sequences, and to check the others against.</source>
        <translation>用于短序列，也用来核对其他模式。</translation>
    </message>
    <message>
        <source>Every device needs the memory for the keys and values of the whole sequence, and for all scores of a query at once.</source>
        <translation>每台设备都需要容纳整个序列的键和值，以及一个查询的全部得分的内存。</translation>
    </message>
    <message>
        <source>queries by token over C; every device gets all keys and values (with attention_sharding_uniform: false it is sharded as ulysses)</source>
        <translation>查询按词元在 C 上划分；每台设备获得全部键和值（attention_sharding_uniform: false 时按 ulysses 划分）</translation>
    </message>
    <message>
        <source>On one device, and on a few when every device has the memory for all keys and values.</source>
        <translation>用于单台设备；各设备的内存容得下全部键和值时，也可用于少数几台。</translation>
    </message>
    <message>
        <source>Every device needs the memory for the keys and values of the whole sequence.</source>
        <translation>每台设备都需要容纳整个序列的键和值的内存。</translation>
    </message>
    <message>
        <source>For projects written for MaxDiffusion that name it.</source>
        <translation>用于为 MaxDiffusion 编写并指定了它的项目。</translation>
    </message>
    <message>
        <source>For projects that name it; tokamax_ring computes the same and also runs on one device.</source>
        <translation>用于指定了它的项目；tokamax_ring 计算相同的内容，并且也能在单台设备上运行。</translation>
    </message>
    <message>
        <source>Refused on one device, where tokamax_ring runs.</source>
        <translation>单台设备上不可用，此时可用 tokamax_ring。</translation>
    </message>
    <message>
        <source>queries, keys and values by token over C</source>
        <translation>查询、键和值按词元在 C 上划分</translation>
    </message>
    <message>
        <source>When heads do not divide by the devices, or keys and values of the whole sequence do not fit.</source>
        <translation>用于注意力头数不能被设备数整除，或容不下整个序列的键和值时。</translation>
    </message>
    <message>
        <source>None: it takes any number of devices, heads and tokens.</source>
        <translation>无：设备、注意力头和词元的数量不限。</translation>
    </message>
    <message>
        <source>As tokamax_ring, where the custom kernel is the faster one.</source>
        <translation>同 tokamax_ring，用于自定义内核更快时。</translation>
    </message>
    <message>
        <source>heads_per_tile must be 1.</source>
        <translation>heads_per_tile 必须为 1。</translation>
    </message>
    <message>
        <source>When heads divide by the devices: the least traffic from three devices on.</source>
        <translation>用于注意力头数能被设备数整除时：三台设备起通信量最少。</translation>
    </message>
    <message>
        <source>The heads that the tensor axis leaves to a device must divide by the context axis.</source>
        <translation>张量轴分给一台设备的注意力头数必须能被上下文轴整除。</translation>
    </message>
    <message>
        <source>heads over C; every device gets all tokens</source>
        <translation>注意力头在 C 上划分；每台设备获得全部词元</translation>
    </message>
    <message>
        <source>As ulysses, where the custom kernel is the faster one.</source>
        <translation>同 ulysses，用于自定义内核更快时。</translation>
    </message>
    <message>
        <source>As ulysses_custom, for heads whose scores stay small enough for a fixed bound.</source>
        <translation>同 ulysses_custom，用于得分足够小、可用固定上界的注意力头。</translation>
    </message>
    <message>
        <source>The heads that the tensor axis leaves to a device must divide by the context axis; heads_per_tile must be 1.</source>
        <translation>张量轴分给一台设备的注意力头数必须能被上下文轴整除；heads_per_tile 必须为 1。</translation>
    </message>
    <message>
        <source>When the devices outnumber the heads, or hosts are linked more slowly than their devices.</source>
        <translation>用于设备多于注意力头，或主机间的连接慢于主机内设备间的连接时。</translation>
    </message>
    <message>
        <source>ulysses_shards must divide the context axis and the heads that the tensor axis leaves to a device.</source>
        <translation>ulysses_shards 必须能整除上下文轴以及张量轴分给一台设备的注意力头数。</translation>
    </message>
    <message>
        <source>heads over U, queries, keys and values by token over R</source>
        <translation>注意力头在 U 上划分，查询、键和值按词元在 R 上划分</translation>
    </message>
    <message>
        <source>As ulysses_ring, where the custom kernel is the faster one.</source>
        <translation>同 ulysses_ring，用于自定义内核更快时。</translation>
    </message>
    <message>
        <source>ulysses_shards must divide the context axis and the heads that the tensor axis leaves to a device; heads_per_tile must be 1.</source>
        <translation>ulysses_shards 必须能整除上下文轴以及张量轴分给一台设备的注意力头数；heads_per_tile 必须为 1。</translation>
    </message>
    <message>
        <source>As ulysses_ring_custom, from about 16 ring devices on links that have no way around.</source>
        <translation>同 ulysses_ring_custom，用于链路不成环且环上约有 16 台以上设备时。</translation>
    </message>
    <message>
        <source>As ulysses_ring_custom, for heads whose scores stay small enough for a fixed bound.</source>
        <translation>同 ulysses_ring_custom，用于得分足够小、可用固定上界的注意力头。</translation>
    </message>
    <message>
        <source>Never here.</source>
        <translation>此处不可用。</translation>
    </message>
    <message>
        <source>What each device did while one run denoised: computing, exchange, waiting</source>
        <translation>一次运行去噪时每台设备的工作：计算、交换、等待</translation>
    </message>
    <message>
        <source>self-attention</source>
        <translation>自注意力</translation>
    </message>
    <message>
        <source>cross-attention</source>
        <translation>交叉注意力</translation>
    </message>
    <message>
        <source>gathered weights</source>
        <translation>收集的权重</translation>
    </message>
    <message>
        <source>sums over the tensor axis</source>
        <translation>张量轴上的求和</translation>
    </message>
    <message>
        <source>predictions</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>This machine&apos;s caches</source>
        <translation>本机缓存</translation>
    </message>
    <message>
        <source>dot_product computes without blocks: choose flash to use block sizes.</source>
        <translation>dot_product 不使用块：要使用块大小，请选择 flash。</translation>
    </message>
    <message>
        <source>TPU v6e, Wan 14B and 27B</source>
        <translation>TPU v6e，Wan 14B 和 27B</translation>
    </message>
    <message>
        <source>MaxDiffusion, comments of base_wan_14b.yml and base_wan_27b.yml</source>
        <translation>MaxDiffusion，base_wan_14b.yml 和 base_wan_27b.yml 的注释</translation>
    </message>
    <message>
        <source>Found for the flash kernel: choose flash, ulysses, tokamax_ring or ulysses_ring to use these sizes.</source>
        <translation>为 flash 内核而定：要使用这些大小，请选择 flash、ulysses、tokamax_ring 或 ulysses_ring。</translation>
    </message>
    <message>
        <source>TPU v5p, Wan 14B</source>
        <translation>TPU v5p，Wan 14B</translation>
    </message>
    <message>
        <source>MaxDiffusion, comments of base_wan_14b.yml</source>
        <translation>MaxDiffusion，base_wan_14b.yml 的注释</translation>
    </message>
    <message>
        <source>TPU v6e, Wan Animate</source>
        <translation>TPU v6e，Wan Animate</translation>
    </message>
    <message>
        <source>MaxDiffusion, base_wan_animate.yml</source>
        <translation>MaxDiffusion，base_wan_animate.yml</translation>
    </message>
    <message>
        <source>TPU v7x, Ulysses</source>
        <translation>TPU v7x，Ulysses</translation>
    </message>
    <message>
        <source>MaxDiffusion, comments of base_wan_27b.yml</source>
        <translation>MaxDiffusion，base_wan_27b.yml 的注释</translation>
    </message>
    <message>
        <source>Found for the custom kernel without a ring: choose ulysses_custom to use these sizes.</source>
        <translation>为无环的自定义内核而定：要使用这些大小，请选择 ulysses_custom。</translation>
    </message>
    <message>
        <source>TPU v7x, Ulysses and a ring of up to 8</source>
        <translation>TPU v7x，Ulysses 与至多 8 个设备的环</translation>
    </message>
    <message>
        <source>Found for rings of the custom kernel: choose ulysses_ring_custom or tokamax_ring_custom to use these sizes.</source>
        <translation>为自定义内核的环而定：要使用这些大小，请选择 ulysses_ring_custom 或 tokamax_ring_custom。</translation>
    </message>
    <message>
        <source>TPU v7x, a ring of 16 or more</source>
        <translation>TPU v7x，16 个及以上设备的环</translation>
    </message>
    <message>
        <source>TPU v7x, fixed bound</source>
        <translation>TPU v7x，固定上界</translation>
    </message>
    <message>
        <source>MaxDiffusion, script for the fixed-m kernels</source>
        <translation>MaxDiffusion，fixed-m 内核的脚本</translation>
    </message>
    <message>
        <source>Found for the kernel with a fixed bound: choose ulysses_custom_fixed_m or ulysses_ring_custom_fixed_m to use these sizes.</source>
        <translation>为固定上界的内核而定：要使用这些大小，请选择 ulysses_custom_fixed_m 或 ulysses_ring_custom_fixed_m。</translation>
    </message>
</context>
<context>
    <name>HostTexts</name>
    <message numerus="yes">
        <source>%n slot(s)</source>
        <comment>of a host, for ranks</comment>
        <translation>
            <numerusform>%n 个槽位</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n host(s)</source>
        <translation>
            <numerusform>%n 台主机</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>RunCharts</name>
    <message>
        <source>Attention</source>
        <translation>注意力</translation>
    </message>
    <message>
        <source>Exchange and waiting</source>
        <translation>交换与等待</translation>
    </message>
    <message>
        <source>Seconds of denoising</source>
        <translation>去噪秒数</translation>
    </message>
    <message>
        <source>Device %1</source>
        <translation>设备 %1</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Seconds</source>
        <translation>秒</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>设备数</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>Perfect scaling</source>
        <translation>理想扩展</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>加载</translation>
    </message>
    <message>
        <source>Compile</source>
        <translation>准备</translation>
    </message>
    <message>
        <source>Conditioning</source>
        <translation>条件编码</translation>
    </message>
    <message>
        <source>Denoising</source>
        <translation>去噪</translation>
    </message>
    <message>
        <source>VAE decoding</source>
        <translation>VAE 解码</translation>
    </message>
    <message>
        <source>Planned</source>
        <translation>计划</translation>
    </message>
    <message>
        <source>Held at most</source>
        <translation>最多占用</translation>
    </message>
    <message>
        <source>%1 s</source>
        <comment>seconds</comment>
        <translation>%1 秒</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <comment>milliseconds</comment>
        <translation>%1 毫秒</translation>
    </message>
    <message>
        <source>≤ %1</source>
        <translation>≤ %1</translation>
    </message>
    <message>
        <source>Computing</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>Exchange</source>
        <translation>交换</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>Outside of attention</source>
        <translation>注意力之外</translation>
    </message>
    <message>
        <source>Thread %1</source>
        <translation>线程 %1</translation>
    </message>
    <message>
        <source>From the trace, as this run has no devices.csv: attention only, exchange and waiting in one</source>
        <translation>此次运行没有 devices.csv，据跟踪绘制：仅注意力，交换与等待不分</translation>
    </message>
    <message>
        <source>Efficiency in %</source>
        <translation>效率（%）</translation>
    </message>
    <message>
        <source>Efficiency</source>
        <translation>效率</translation>
    </message>
    <message>
        <source>Standard deviation of %1 runs: %2</source>
        <translation>%1 次运行的标准差：%2</translation>
    </message>
    <message>
        <source>Expert %1</source>
        <translation>专家 %1</translation>
    </message>
</context>
<context>
    <name>main</name>
    <message>
        <source>Studio for Wan video generation.</source>
        <translation>Wan 视频生成工作室。</translation>
    </message>
    <message>
        <source>Project file, run folder or video to open.</source>
        <translation>要打开的项目文件、运行文件夹或视频。</translation>
    </message>
</context>
<context>
    <name>meshreel::ActivityGraph</name>
    <message>
        <source>%1: %2 of %3</source>
        <comment>quantity, its value, the most there can be</comment>
        <translation>%1：%2，共 %3</translation>
    </message>
    <message>
        <source>%1 after %2 s</source>
        <comment>value, seconds</comment>
        <translation>%2 秒后 %1</translation>
    </message>
    <message>
        <source>Drawn while a run goes on</source>
        <translation>运行期间绘制</translation>
    </message>
</context>
<context>
    <name>meshreel::ActivityPanel</name>
    <message>
        <source>Processors</source>
        <translation>处理器</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Warnings only</source>
        <translation>仅警告</translation>
    </message>
    <message>
        <source>Processors that this program keeps busy; those of launched ranks are not in it</source>
        <translation>本程序占用的处理器数；不含所启动各 rank 占用的</translation>
    </message>
    <message>
        <source>Memory of this program without pages of files; that of launched ranks is not in it</source>
        <translation>本程序的内存，不含文件页；不含所启动各 rank 的内存</translation>
    </message>
    <message>
        <source>Search the log</source>
        <translation>搜索日志</translation>
    </message>
    <message>
        <source>Log of the run</source>
        <translation>运行日志</translation>
    </message>
    <message>
        <source>What a run tells is listed here, to be searched: press Run.</source>
        <translation>运行报告的内容会列在这里，可供搜索：请按“运行”。</translation>
    </message>
    <message>
        <source>No line of the log has these words.</source>
        <translation>日志中没有包含这些词的行。</translation>
    </message>
</context>
<context>
    <name>meshreel::ActivitySheet</name>
    <message>
        <source>Seconds of the run</source>
        <translation>运行秒数</translation>
    </message>
    <message>
        <source>Busy processors</source>
        <translation>占用的处理器</translation>
    </message>
    <message>
        <source>Memory in GiB</source>
        <translation>内存（GiB）</translation>
    </message>
    <message>
        <source>Nothing was measured yet</source>
        <translation>尚未测量任何内容</translation>
    </message>
    <message>
        <source>Run something first</source>
        <translation>请先运行一次</translation>
    </message>
</context>
<context>
    <name>meshreel::AdapterField</name>
    <message>
        <source>high noise</source>
        <translation>高噪声</translation>
    </message>
    <message>
        <source>low noise</source>
        <translation>低噪声</translation>
    </message>
    <message>
        <source>every expert</source>
        <translation>所有专家</translation>
    </message>
    <message>
        <source>Add adapters…</source>
        <translation>添加适配器…</translation>
    </message>
    <message>
        <source>Choose adapters (LoRA), or drop them here</source>
        <translation>选择适配器（LoRA），或拖放到此处</translation>
    </message>
    <message>
        <source>Choose adapters</source>
        <translation>选择适配器</translation>
    </message>
    <message>
        <source>Adapters (*.safetensors)</source>
        <translation>适配器 (*.safetensors)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
    <message>
        <source>File of adapter %1</source>
        <translation>适配器 %1 的文件</translation>
    </message>
    <message>
        <source>Remove adapter %1</source>
        <translation>移除适配器 %1</translation>
    </message>
    <message>
        <source>Strength of adapter %1</source>
        <translation>适配器 %1 的强度</translation>
    </message>
    <message>
        <source>Strength: 1 is as it was trained, 0 is without it</source>
        <translation>强度：1 为训练时的效果，0 为不使用</translation>
    </message>
    <message>
        <source>Expert of adapter %1</source>
        <translation>适配器 %1 的专家</translation>
    </message>
    <message>
        <source>For which of Wan 2.2&apos;s two transformers it is made</source>
        <translation>用于 Wan 2.2 两个变换器中的哪一个</translation>
    </message>
</context>
<context>
    <name>meshreel::AttentionModeModel</name>
    <message>
        <source>gather keys</source>
        <translation>汇集键</translation>
    </message>
    <message>
        <source>tokens for heads</source>
        <translation>词元换头</translation>
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
        <translation>环形</translation>
    </message>
    <message>
        <source>both ways</source>
        <translation>双向</translation>
    </message>
    <message>
        <source>dense</source>
        <translation>稠密</translation>
    </message>
    <message>
        <source>flash</source>
        <translation>flash</translation>
    </message>
    <message>
        <source>custom</source>
        <translation>自定义</translation>
    </message>
    <message>
        <source>custom, fixed bound</source>
        <translation>自定义，固定上界</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>not here</source>
        <translation>此处不可用</translation>
    </message>
    <message>
        <source>Mode</source>
        <translation>模式</translation>
    </message>
    <message>
        <source>Exchange</source>
        <translation>交换</translation>
    </message>
    <message>
        <source>Rotation</source>
        <translation>轮转</translation>
    </message>
    <message>
        <source>Kernel</source>
        <translation>内核</translation>
    </message>
    <message>
        <source>Per step</source>
        <translation>每步</translation>
    </message>
    <message>
        <source>A device holds, while computing</source>
        <translation>计算时每个设备持有</translation>
    </message>
</context>
<context>
    <name>meshreel::AttentionPanel</name>
    <message>
        <source>Scratch of a worker: %1, %2 % of the limit.</source>
        <translation>每个工作线程的暂存：%1，为上限的 %2%。</translation>
    </message>
    <message>
        <source>dot_product computes all %1 scores of a query at once, without tiles.</source>
        <translation>dot_product 一次算出一个查询的全部 %1 个得分，不分块。</translation>
    </message>
    <message>
        <source>%1 × %2 tiles of %3 queries × %4 keys, in products of %5 keys.</source>
        <translation>%1 × %2 个分块，每块 %3 个查询 × %4 个键，每次乘积 %5 个键。</translation>
    </message>
    <message>
        <source>%1 % of the tiles lie outside the matrix: computed where blocks are padded, as on accelerators, and cut off here.</source>
        <translation>分块有 %1% 位于矩阵之外：在补齐块的加速器上会计算，此处则被裁掉。</translation>
    </message>
    <message>
        <source>Attention modes</source>
        <translation>注意力模式</translation>
    </message>
    <message>
        <source>Double click or press Enter to use a mode</source>
        <translation>双击或按回车键使用某个模式</translation>
    </message>
    <message>
        <source>Tiles</source>
        <translation>分块</translation>
    </message>
    <message>
        <source>All sizes 0: the kernel then takes what suits this processor</source>
        <translation>所有大小为 0：内核随后采用适合此处理器的大小</translation>
    </message>
    <message>
        <source>Scratch of a worker: %1, %2 % of the %3 that it has in this machine&apos;s caches; no limit is set.</source>
        <translation>每个工作线程的暂存：%1，为其在本机缓存中可用的 %3 的 %2%；未设上限。</translation>
    </message>
    <message>
        <source>Presets</source>
        <translation>预设</translation>
    </message>
    <message>
        <source>Block sizes to start from: this machine&apos;s, and those published for accelerators</source>
        <translation>作为起点的块大小：本机的，以及针对加速器公布的</translation>
    </message>
    <message>
        <source>Tune on this machine…</source>
        <translation>在本机调优…</translation>
    </message>
    <message>
        <source>Opens Tune, which searches the sizes that are fastest here</source>
        <translation>打开“调优”，搜索在此最快的大小</translation>
    </message>
    <message>
        <source>Block sizes: %1</source>
        <comment>name of a preset</comment>
        <translation>块大小：%1</translation>
    </message>
</context>
<context>
    <name>meshreel::AttentionWalk</name>
    <message>
        <source>Before</source>
        <translation>之前</translation>
    </message>
    <message>
        <source>Every device holds all tokens of its heads.</source>
        <translation>每个设备持有其注意力头的全部词元。</translation>
    </message>
    <message>
        <source>Every device holds queries, keys and values of its own tokens, for all its heads.</source>
        <translation>每个设备持有自己词元的查询、键和值，覆盖其所有注意力头。</translation>
    </message>
    <message>
        <source>groups of %1 devices</source>
        <translation>每组 %1 个设备</translation>
    </message>
    <message>
        <source>All-to-all: tokens for heads</source>
        <translation>All-to-all：词元换头</translation>
    </message>
    <message>
        <source>All-to-all: heads for tokens</source>
        <translation>All-to-all：头换词元</translation>
    </message>
    <message>
        <source>In %1, each takes its part of the heads of all tokens of the group.</source>
        <translation>%1：每个设备取得组内全部词元中属于自己的注意力头。</translation>
    </message>
    <message>
        <source>In %1, each gets the results of its own tokens back, for all heads.</source>
        <translation>%1：每个设备取回自己词元在所有注意力头上的结果。</translation>
    </message>
    <message>
        <source>Rotation %1 of %2</source>
        <translation>第 %1 轮，共 %2 轮</translation>
    </message>
    <message>
        <source>Each computes with its own keys and values while the next ones are on their way.</source>
        <translation>各设备用自己的键和值计算，同时下一批正在途中。</translation>
    </message>
    <message numerus="yes">
        <source>Each adds what the keys and values from %n place(s) away give.</source>
        <translation>
            <numerusform>各设备累加来自相距 %n 位处的键和值的结果。</numerusform>
        </translation>
    </message>
    <message>
        <source>Compute</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>Each computes its queries with all keys and values of its heads.</source>
        <translation>各设备用其注意力头的全部键和值计算自己的查询。</translation>
    </message>
    <message>
        <source>Gather keys and values</source>
        <translation>汇集键和值</translation>
    </message>
    <message>
        <source>Each device receives the keys and values of all others.</source>
        <translation>每个设备接收其他所有设备的键和值。</translation>
    </message>
    <message>
        <source>After</source>
        <translation>之后</translation>
    </message>
    <message>
        <source>Every device holds the finished attention of its own tokens.</source>
        <translation>每个设备持有自己词元的最终注意力结果。</translation>
    </message>
</context>
<context>
    <name>meshreel::AxisHandle</name>
    <message>
        <source>Devices along the %1 axis</source>
        <translation>沿 %1 轴的设备数</translation>
    </message>
    <message>
        <source>Drag, or press the arrow keys. Legal here: %1</source>
        <translation>拖动或按方向键。此处合法：%1</translation>
    </message>
    <message>
        <source>Only %1 is legal here</source>
        <translation>此处只有 %1 合法</translation>
    </message>
</context>
<context>
    <name>meshreel::CatalogueModel</name>
    <message>
        <source>Cannot be used: %1</source>
        <translation>无法使用：%1</translation>
    </message>
    <message>
        <source>Adapter</source>
        <translation>适配器</translation>
    </message>
    <message>
        <source>%1, which Meshreel does not run</source>
        <translation>%1，Meshreel 不支持运行</translation>
    </message>
    <message>
        <source>No part of a Wan model</source>
        <translation>不是 Wan 模型的部件</translation>
    </message>
    <message>
        <source>%1, comes with Meshreel</source>
        <translation>%1，随 Meshreel 附带</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>What it is</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
</context>
<context>
    <name>meshreel::ChartPanel</name>
    <message>
        <source>Chart of the steps</source>
        <translation>步骤图表</translation>
    </message>
    <message>
        <source>Seconds per step</source>
        <translation>每步秒数</translation>
    </message>
    <message>
        <source>Values of the latents</source>
        <translation>潜变量数值</translation>
    </message>
    <message>
        <source>What the chart shows</source>
        <translation>图表显示的内容</translation>
    </message>
    <message>
        <source>Every step is drawn here while a run goes on, or when a past one is opened.</source>
        <translation>运行进行时，或打开以往的运行时，每一步都会绘制在这里。</translation>
    </message>
    <message>
        <source>Open a run</source>
        <translation>打开运行</translation>
    </message>
</context>
<context>
    <name>meshreel::ChartView</name>
    <message>
        <source>Logarithmic</source>
        <translation>对数刻度</translation>
    </message>
    <message>
        <source>The wheel zooms about the pointer, dragging moves, a double click shows everything (+, -, arrow keys, 0)</source>
        <translation>滚轮以指针为中心缩放，拖动平移，双击显示全部（+、-、方向键、0）</translation>
    </message>
    <message>
        <source>Values on a logarithmic axis, on which equal ratios are equally long</source>
        <translation>用对数轴显示数值，相等的比值长度相等</translation>
    </message>
    <message>
        <source>Zoom in</source>
        <translation>放大</translation>
    </message>
    <message>
        <source>Zoom out</source>
        <translation>缩小</translation>
    </message>
    <message>
        <source>Show everything</source>
        <translation>显示全部</translation>
    </message>
</context>
<context>
    <name>meshreel::ClipComparer</name>
    <message>
        <source>Side by side</source>
        <translation>并排</translation>
    </message>
    <message>
        <source>Wipe</source>
        <translation>划像</translation>
    </message>
    <message>
        <source>Difference × %1</source>
        <translation>差异 × %1</translation>
    </message>
    <message>
        <source>First run</source>
        <translation>第一次运行</translation>
    </message>
    <message>
        <source>Second run</source>
        <translation>第二次运行</translation>
    </message>
    <message>
        <source>How the videos are compared</source>
        <translation>视频的对比方式</translation>
    </message>
    <message>
        <source>How near the videos are</source>
        <translation>视频的接近程度</translation>
    </message>
    <message>
        <source>Reading the videos …</source>
        <translation>正在读取视频 …</translation>
    </message>
    <message>
        <source>The videos are of two sizes: there is nothing to measure.</source>
        <translation>两个视频尺寸不同，无法测量。</translation>
    </message>
    <message>
        <source>This frame: %1 · the whole video: %2</source>
        <translation>此帧：%1 · 整个视频：%2</translation>
    </message>
</context>
<context>
    <name>meshreel::ClipExportDialog</name>
    <message>
        <source>Export the clip</source>
        <translation>导出片段</translation>
    </message>
    <message>
        <source>0 is smallest, 100 best</source>
        <translation>0 最小，100 最佳</translation>
    </message>
    <message>
        <source>Choose a file</source>
        <translation>选择文件</translation>
    </message>
    <message>
        <source>For&amp;mat:</source>
        <translation>格式(&amp;M)：</translation>
    </message>
    <message>
        <source>&amp;Quality:</source>
        <translation>质量(&amp;Q)：</translation>
    </message>
    <message>
        <source>&amp;File:</source>
        <translation>文件(&amp;F)：</translation>
    </message>
    <message>
        <source>Clip:</source>
        <translation>片段：</translation>
    </message>
    <message numerus="yes">
        <source>%n frames, %1 s</source>
        <translation>
            <numerusform>%n 帧，%1 秒</numerusform>
        </translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>%1 is there already and will be replaced.</source>
        <translation>%1 已存在，将被替换。</translation>
    </message>
    <message>
        <source>File of the clip</source>
        <translation>片段的文件</translation>
    </message>
</context>
<context>
    <name>meshreel::ClipExporter</name>
    <message>
        <source>The frame was copied.</source>
        <translation>已复制该帧。</translation>
    </message>
    <message>
        <source>Save the frame</source>
        <translation>保存该帧</translation>
    </message>
    <message>
        <source>Save a contact sheet</source>
        <translation>保存缩略图总览</translation>
    </message>
    <message>
        <source>Written: %1</source>
        <translation>已写入：%1</translation>
    </message>
    <message>
        <source>Written: %1. %2</source>
        <comment>file, what was done otherwise than asked</comment>
        <translation>已写入：%1。%2</translation>
    </message>
    <message>
        <source>PNG pictures (*.png)</source>
        <translation>PNG 图片 (*.png)</translation>
    </message>
</context>
<context>
    <name>meshreel::ClipPairView</name>
    <message>
        <source>Two videos</source>
        <translation>两个视频</translation>
    </message>
    <message>
        <source>The wheel zooms, dragging moves, a double click fits; comma and full stop move the wipe</source>
        <translation>滚轮缩放，拖动平移，双击适应窗口；逗号和句点移动划像线</translation>
    </message>
    <message>
        <source>Videos of two sizes have no difference</source>
        <translation>尺寸不同的视频没有差异图</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>差异</translation>
    </message>
</context>
<context>
    <name>meshreel::ClipPairs</name>
    <message>
        <source>This run has no video</source>
        <translation>该次运行没有视频</translation>
    </message>
    <message>
        <source>Resume it, or choose another one</source>
        <translation>请续跑，或选择另一次运行</translation>
    </message>
    <message>
        <source>equal</source>
        <translation>相同</translation>
    </message>
    <message>
        <source>PSNR %1 dB, SSIM %2</source>
        <translation>PSNR %1 dB，SSIM %2</translation>
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
        <translation>恢复初始列</translation>
    </message>
</context>
<context>
    <name>meshreel::ComparePanel</name>
    <message>
        <source>Seconds per step</source>
        <translation>每步秒数</translation>
    </message>
    <message>
        <source>Stages</source>
        <translation>阶段</translation>
    </message>
    <message>
        <source>Speed by devices</source>
        <translation>速度随设备数</translation>
    </message>
    <message>
        <source>Devices of one run</source>
        <translation>单次运行的各设备</translation>
    </message>
    <message>
        <source>Videos of two runs</source>
        <translation>两次运行的视频</translation>
    </message>
    <message>
        <source>What is compared</source>
        <translation>对比内容</translation>
    </message>
    <message>
        <source>Compare with a TIMING SUMMARY block copied from elsewhere</source>
        <translation>与从别处复制的 TIMING SUMMARY 块对比</translation>
    </message>
    <message>
        <source>Chart of the runs</source>
        <translation>运行的图表</translation>
    </message>
    <message>
        <source>pasted %1</source>
        <translation>粘贴 %1</translation>
    </message>
    <message>
        <source>Paste timings</source>
        <translation>粘贴计时</translation>
    </message>
    <message>
        <source>TIMING SUMMARY blocks, with the text around them if you like:</source>
        <translation>TIMING SUMMARY 块，可连同前后的文本：</translation>
    </message>
    <message>
        <source>Choose two or more runs in the Runs panel and press Compare.</source>
        <translation>在“运行记录”面板中选择两个或更多运行，然后点击“比较”。</translation>
    </message>
    <message>
        <source>Pasted timings have no videos.</source>
        <translation>粘贴的计时没有视频。</translation>
    </message>
    <message>
        <source>Block sizes</source>
        <translation>块大小</translation>
    </message>
    <message>
        <source>Memory by phase</source>
        <translation>各阶段内存</translation>
    </message>
    <message>
        <source>Export report…</source>
        <translation>导出报告…</translation>
    </message>
    <message>
        <source>Write all of this as one page: timings, settings, pictures, charts</source>
        <translation>将全部内容写成一页:耗时、设置、图片、图表</translation>
    </message>
    <message>
        <source>Copy best configurations</source>
        <translation>复制最佳配置</translation>
    </message>
    <message>
        <source>Write the chart or a report to a file</source>
        <translation>将图表或报告写入文件</translation>
    </message>
    <message>
        <source>Export report</source>
        <translation>导出报告</translation>
    </message>
    <message>
        <source>Web page (*.html);;PDF document (*.pdf)</source>
        <translation>网页 (*.html);;PDF 文档 (*.pdf)</translation>
    </message>
    <message>
        <source>Choose runs</source>
        <translation>选择运行</translation>
    </message>
    <message>
        <source>Leave out the projects and timings that were added</source>
        <translation>去掉添加的项目和计时</translation>
    </message>
    <message>
        <source>The open project</source>
        <translation>打开的项目</translation>
    </message>
    <message>
        <source>Project files…</source>
        <translation>项目文件…</translation>
    </message>
    <message>
        <source>Run folder…</source>
        <translation>运行文件夹…</translation>
    </message>
    <message>
        <source>Pasted timings…</source>
        <translation>粘贴的计时…</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>Compare with further runs, projects or timings; runs and project files can be dropped here too</source>
        <translation>与更多运行、项目或计时比较；运行和项目文件也可以拖放到这里</translation>
    </message>
    <message>
        <source>Copy timing summaries</source>
        <translation>复制耗时摘要</translation>
    </message>
    <message>
        <source>Compare with projects</source>
        <translation>与项目比较</translation>
    </message>
    <message>
        <source>Projects (*.yaml *.yml)</source>
        <translation>项目 (*.yaml *.yml)</translation>
    </message>
    <message>
        <source>Compare with a run folder</source>
        <translation>与运行文件夹比较</translation>
    </message>
    <message>
        <source>Add another project, or a run, to see in which settings they differ.</source>
        <translation>再添加一个项目或一次运行，即可查看不同的设置。</translation>
    </message>
    <message>
        <source>These projects have the same settings.</source>
        <translation>这些项目的设置相同。</translation>
    </message>
    <message>
        <source>Projects have no timings. The settings in which they differ stand below.</source>
        <translation>项目没有计时。不同的设置列在下方。</translation>
    </message>
</context>
<context>
    <name>meshreel::ComparisonTables</name>
    <message>
        <source>Timings</source>
        <translation>耗时</translation>
    </message>
    <message>
        <source>Settings that differ</source>
        <translation>不同的设置</translation>
    </message>
    <message>
        <source>Timings of the runs</source>
        <translation>各次运行的耗时</translation>
    </message>
    <message>
        <source>Copy timing summaries</source>
        <translation>复制耗时摘要</translation>
    </message>
    <message>
        <source>Copy best configurations</source>
        <translation>复制最佳配置</translation>
    </message>
    <message>
        <source>Settings that differ (%1)</source>
        <translation>不同的设置 (%1)</translation>
    </message>
    <message>
        <source>All settings are the same</source>
        <translation>所有设置都相同</translation>
    </message>
</context>
<context>
    <name>meshreel::Consequences</name>
    <message>
        <source>Tokens</source>
        <translation>词元</translation>
    </message>
    <message>
        <source>%1 frames of %2 × %3</source>
        <comment>of tokens: time, height, width</comment>
        <translation>%1 帧，每帧 %2 × %3</translation>
    </message>
    <message>
        <source>Length of the transformer&apos;s sequence. Self-attention works on the square of it.</source>
        <translation>变换器的序列长度。自注意力的计算量与其平方成正比。</translation>
    </message>
    <message>
        <source>Work per step</source>
        <translation>每步计算量</translation>
    </message>
    <message>
        <source>%1 % self-attention</source>
        <translation>自注意力占 %1%</translation>
    </message>
    <message>
        <source>%1 for all %2 steps%3.</source>
        <comment>work, steps, reason</comment>
        <translation>全部 %2 步共 %1%3。</translation>
    </message>
    <message>
        <source>; guidance computes each step twice</source>
        <translation>；引导使每步计算两次</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>stage and its memory</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>of %1, most: %2</source>
        <comment>memory, stage</comment>
        <translation>共 %1，最多：%2</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>purpose and bytes</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Exchange per step</source>
        <translation>每步交换量</translation>
    </message>
    <message numerus="yes">
        <source>between %n devices</source>
        <translation>
            <numerusform>%n 个设备之间</numerusform>
        </translation>
    </message>
    <message>
        <source>What the busiest device receives from the others.</source>
        <translation>最繁忙的设备从其他设备接收的数据量。</translation>
    </message>
    <message>
        <source>Loading</source>
        <translation>加载</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>提示词</translation>
    </message>
    <message>
        <source>Denoising</source>
        <translation>去噪</translation>
    </message>
    <message>
        <source>Decoding</source>
        <translation>解码</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>%1 a step</source>
        <comment>duration</comment>
        <translation>每步 %1</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>runs on several machines</source>
        <translation>在多台机器上运行</translation>
    </message>
    <message>
        <source>Seconds are predicted for this machine alone: the network between machines is not measured.</source>
        <translation>只预测本机的用时：机器之间的网络没有测量。</translation>
    </message>
</context>
<context>
    <name>meshreel::ConsequencesBar</name>
    <message>
        <source>Consequences</source>
        <translation>结果预估</translation>
    </message>
    <message>
        <source>Tokens, work and memory are shown once the problems are solved.</source>
        <translation>问题解决后显示词元、计算量和内存。</translation>
    </message>
</context>
<context>
    <name>meshreel::ContactSheet</name>
    <message>
        <source>%1 · %2 s</source>
        <comment>number of a frame, time</comment>
        <translation>%1 · %2 秒</translation>
    </message>
</context>
<context>
    <name>meshreel::Cures</name>
    <message>
        <source>Set %1 to %2</source>
        <comment>title of a setting, value</comment>
        <translation>将%1设为 %2</translation>
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
        <translation>计算</translation>
    </message>
    <message>
        <source>Exchange</source>
        <translation>交换</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>等待中</translation>
    </message>
    <message>
        <source>%1 computing, %2 exchange, %3 waiting; %4 received</source>
        <comment>durations and bytes</comment>
        <translation>计算 %1，交换 %2，等待 %3；已接收 %4</translation>
    </message>
    <message>
        <source>Step %1: %2</source>
        <comment>number, durations</comment>
        <translation>第 %1 步：%2</translation>
    </message>
    <message>
        <source>Steps %1 to %2: %3</source>
        <comment>numbers, durations</comment>
        <translation>第 %1 至 %2 步：%3</translation>
    </message>
    <message numerus="yes">
        <source>%n steps: the devices compute %1 of the time, exchange %2 and wait %3; device %4 waits most, %5.</source>
        <translation>
            <numerusform>%n 步：各设备有 %1 的时间在计算，%2 在交换，%3 在等待；设备 %4 等待最多，为 %5。</numerusform>
        </translation>
    </message>
    <message>
        <source>Device %1: %2</source>
        <comment>number, durations</comment>
        <translation>设备 %1：%2</translation>
    </message>
    <message>
        <source>Moving bytes between devices with the device&apos;s own workers</source>
        <translation>用设备自己的工作线程在设备之间搬运字节</translation>
    </message>
    <message>
        <source>Standing still until other devices, or the network, are ready</source>
        <translation>停下来，直到其他设备或网络就绪</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Steps</source>
        <comment>title of lanes over time</comment>
        <translation>步数</translation>
    </message>
    <message>
        <source>Received</source>
        <translation>已接收</translation>
    </message>
</context>
<context>
    <name>meshreel::DeviceTexts</name>
    <message>
        <source>%1 to %2</source>
        <comment>first and last</comment>
        <translation>%1 至 %2</translation>
    </message>
    <message>
        <source>ring place %1, ulysses place %2</source>
        <translation>环位置 %1，Ulysses 位置 %2</translation>
    </message>
    <message>
        <source>gathers keys from %1</source>
        <translation>从 %1 汇集键</translation>
    </message>
    <message>
        <source>keys pass along the line of %1</source>
        <translation>键沿 %1 的线路传递</translation>
    </message>
    <message>
        <source>takes keys from %1, passes them to %2</source>
        <translation>从 %1 取键，传给 %2</translation>
    </message>
    <message>
        <source>trades heads with %1</source>
        <translation>与 %1 交换头</translation>
    </message>
    <message>
        <source>Device %1</source>
        <comment>number</comment>
        <translation>设备 %1</translation>
    </message>
    <message>
        <source>: holds tokens %1; computes tokens %2 of heads %3</source>
        <comment>ranges</comment>
        <translation>：持有词元 %1；计算头 %3 的词元 %2</translation>
    </message>
    <message>
        <source>. Receives %1 in an attention, %2 in a step.</source>
        <comment>bytes</comment>
        <translation>。每次注意力接收 %1，每步接收 %2。</translation>
    </message>
    <message>
        <source>%1 devices: %2</source>
        <comment>number and mesh</comment>
        <translation>%1 个设备：%2</translation>
    </message>
    <message>
        <source>; rings of %1, ulysses groups of %2</source>
        <translation>；环各 %1 个，Ulysses 组各 %2 个</translation>
    </message>
    <message>
        <source>. Point at a device to see what it holds and exchanges.</source>
        <translation>。指向某个设备可查看其持有和交换的内容。</translation>
    </message>
    <message>
        <source>, rank %1 on %2</source>
        <comment>number, host</comment>
        <translation>，%2 上的进程 %1</translation>
    </message>
</context>
<context>
    <name>meshreel::DevicesPanel</name>
    <message>
        <source>Set up several devices</source>
        <translation>设置多个设备</translation>
    </message>
    <message>
        <source>Lanes of the devices</source>
        <translation>设备时间条</translation>
    </message>
    <message>
        <source>This run has one device, which computes all the time.</source>
        <translation>此次运行只有一个设备，它一直在计算。</translation>
    </message>
    <message>
        <source>The lanes of the devices begin when the first step has ended.</source>
        <translation>第一步结束后，设备时间条开始绘制。</translation>
    </message>
    <message>
        <source>This run did not record how its devices spent their steps: an earlier version made it, or it ended before its first step did. What its trace tells is drawn by Compare, as Devices of one run.</source>
        <translation>此次运行没有记录各设备如何度过每一步：它由早先的版本生成，或在第一步结束前就已终止。跟踪所能说明的内容由“比较”中的“单次运行的各设备”绘制。</translation>
    </message>
    <message>
        <source>How much each device computes, exchanges and waits is drawn here while a run of several devices goes on, or when a past one is opened.</source>
        <translation>多设备运行进行时，或打开以往的运行时，这里会绘制每个设备计算、交换和等待的多少。</translation>
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
        <translation>导出</translation>
    </message>
    <message>
        <source>Write the chart to a file</source>
        <translation>将图表写入文件</translation>
    </message>
    <message>
        <source>Export the chart</source>
        <translation>导出图表</translation>
    </message>
</context>
<context>
    <name>meshreel::FactoringModel</name>
    <message>
        <source>one device</source>
        <translation>单个设备</translation>
    </message>
    <message>
        <source>What the busiest device receives from the others in one step</source>
        <translation>最繁忙的设备在一步中从其他设备接收的数据量</translation>
    </message>
    <message>
        <source>Mesh</source>
        <translation>设备网格</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>注意力</translation>
    </message>
    <message>
        <source>How long a step is expected to take, by what was measured on this machine</source>
        <translation>根据本机的测量，预计每步所需时间</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Exchange</source>
        <comment>column of the legal meshes: bytes per step</comment>
        <translation>交换</translation>
    </message>
</context>
<context>
    <name>meshreel::GridDialog</name>
    <message>
        <source>Choose a setting</source>
        <translation>选择一项设置</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>section and title of a setting</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Add a grid to the queue</source>
        <translation>将网格组合加入队列</translation>
    </message>
    <message>
        <source>Add to the queue</source>
        <translation>加入队列</translation>
    </message>
    <message>
        <source>Setting %1</source>
        <translation>设置 %1</translation>
    </message>
    <message>
        <source>Values of setting %1</source>
        <translation>设置 %1 的值</translation>
    </message>
    <message>
        <source>Now: %1</source>
        <translation>当前：%1</translation>
    </message>
    <message numerus="yes">
        <source>%n runs will be added.</source>
        <translation>
            <numerusform>将添加 %n 次运行。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n combinations cannot run and are left out: %1</source>
        <translation>
            <numerusform>%n 种组合无法运行，已排除：%1</numerusform>
        </translation>
    </message>
    <message>
        <source>The project is added once for every combination of these values. Write one value a line; for whole numbers also 1, 2, 5 or 1..8; in prompts a {ball|cube} stands for both.</source>
        <translation>这些值的每种组合都会添加一次项目。每行写一个值；整数还可写 1, 2, 5 或 1..8；提示词中 a {ball|cube} 表示两者。</translation>
    </message>
</context>
<context>
    <name>meshreel::HistoryActions</name>
    <message numerus="yes">
        <source>Moved to the trash: %n runs</source>
        <translation>
            <numerusform>已移到回收站：%n 次运行</numerusform>
        </translation>
    </message>
    <message>
        <source>The system has no trash for %1; use Show folder and delete there.</source>
        <translation>系统没有可用于 %1 的回收站；请用“显示文件夹”并在其中删除。</translation>
    </message>
</context>
<context>
    <name>meshreel::HistoryPanel</name>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Show the chart, summary and video of the run</source>
        <translation>显示该次运行的图表、摘要和视频</translation>
    </message>
    <message>
        <source>Use its project</source>
        <translation>使用其项目</translation>
    </message>
    <message>
        <source>Edit a copy of the run&apos;s project</source>
        <translation>编辑该次运行的项目副本</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>续跑</translation>
    </message>
    <message>
        <source>Go on from the last finished step</source>
        <translation>从最后完成的一步继续</translation>
    </message>
    <message>
        <source>Resume on a different machine</source>
        <translation>在不同机器上续跑</translation>
    </message>
    <message>
        <source>Go on although the processor, build or number of workers changed; the result may differ in its last bits</source>
        <translation>即使处理器、构建或工作线程数已变化也继续；结果的末位可能不同</translation>
    </message>
    <message>
        <source>Decode again</source>
        <translation>重新解码</translation>
    </message>
    <message>
        <source>Make the video again from the kept latents</source>
        <translation>用保留的潜变量重新生成视频</translation>
    </message>
    <message>
        <source>Show folder</source>
        <translation>显示文件夹</translation>
    </message>
    <message>
        <source>Open the run&apos;s folder in the file manager</source>
        <translation>在文件管理器中打开运行文件夹</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>运行记录</translation>
    </message>
    <message>
        <source>Read the runs folder again</source>
        <translation>重新读取运行文件夹</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Show the selected runs in one chart, with the settings that differ</source>
        <translation>在一张图表中显示所选运行，并列出不同的设置</translation>
    </message>
    <message>
        <source>Move to trash</source>
        <translation>移到回收站</translation>
    </message>
    <message>
        <source>Move the folders of the selected runs to the trash</source>
        <translation>将所选运行的文件夹移到回收站</translation>
    </message>
    <message>
        <source>Search runs</source>
        <translation>搜索运行</translation>
    </message>
    <message>
        <source>No run matches “%1”.</source>
        <translation>没有匹配“%1”的运行。</translation>
    </message>
    <message>
        <source>Describe a video</source>
        <translation>描述一段视频</translation>
    </message>
    <message>
        <source>Show all runs</source>
        <translation>显示所有运行</translation>
    </message>
    <message>
        <source>There are no runs yet: describe a video and press Run.</source>
        <translation>还没有运行：请描述一段视频并按“运行”。</translation>
    </message>
    <message>
        <source>Compare with the open project</source>
        <translation>与打开的项目比较</translation>
    </message>
    <message>
        <source>Show in which settings the selected runs and the project being edited differ</source>
        <translation>显示所选运行与正在编辑的项目之间不同的设置</translation>
    </message>
    <message>
        <source>Copy timing summaries</source>
        <translation>复制耗时摘要</translation>
    </message>
    <message>
        <source>Copy those of the selected runs in the published layout</source>
        <translation>按已发布的格式复制所选运行的摘要</translation>
    </message>
    <message>
        <source>Copy best configurations</source>
        <translation>复制最佳配置</translation>
    </message>
    <message>
        <source>Copy the fastest of the selected runs, by attention mode and number of devices, as a Markdown table</source>
        <translation>按注意力模式和设备数，将所选运行中最快的复制为 Markdown 表格</translation>
    </message>
</context>
<context>
    <name>meshreel::HostTexts</name>
    <message numerus="yes">
        <source>%n rank(s)</source>
        <translation>
            <numerusform>%n 个进程</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1, each with %n device(s)</source>
        <comment>sum of ranks</comment>
        <translation>
            <numerusform>%1，每个有 %n 个设备</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::ImportDialog</name>
    <message>
        <source>To mend before it runs: %1</source>
        <translation>运行前需要修正：%1</translation>
    </message>
    <message>
        <source>Import from MaxDiffusion</source>
        <translation>从 MaxDiffusion 导入</translation>
    </message>
    <message>
        <source>Open as a project</source>
        <translation>作为项目打开</translation>
    </message>
    <message>
        <source>base_wan_14b.yml, typed, chosen or dropped here</source>
        <translation>base_wan_14b.yml，输入、选择或拖到此处</translation>
    </message>
    <message>
        <source>Config</source>
        <translation>配置</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>选择…</translation>
    </message>
    <message>
        <source>python generate_wan.py base_wan_14b.yml attention=ulysses_ring ulysses_shards=2 …</source>
        <translation>python generate_wan.py base_wan_14b.yml attention=ulysses_ring ulysses_shards=2 …</translation>
    </message>
    <message>
        <source>Command line</source>
        <translation>命令行</translation>
    </message>
    <message>
        <source>What became of every key</source>
        <translation>每个键的去向</translation>
    </message>
    <message>
        <source>command line</source>
        <translation>命令行</translation>
    </message>
    <message>
        <source>Choose a config of MaxDiffusion</source>
        <translation>选择 MaxDiffusion 的配置</translation>
    </message>
    <message>
        <source>Configs (*.yml *.yaml);;All files (*)</source>
        <translation>配置 (*.yml *.yaml);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Choose a config, paste a command line, or both: its settings win. What becomes of every key is told here before anything is opened.</source>
        <translation>选择配置、粘贴命令行，或两者都用：以命令行的设置为准。打开之前会在此说明每个键的去向。</translation>
    </message>
    <message>
        <source>The command names %1: choose that file above to take its keys too.</source>
        <translation>命令中提到 %1：在上面选择该文件即可一并采用其中的键。</translation>
    </message>
</context>
<context>
    <name>meshreel::ImportReportModel</name>
    <message>
        <source>taken</source>
        <translation>采用</translation>
    </message>
    <message>
        <source>translated</source>
        <translation>转换</translation>
    </message>
    <message>
        <source>ignored</source>
        <translation>忽略</translation>
    </message>
    <message>
        <source>refused</source>
        <translation>拒绝</translation>
    </message>
    <message numerus="yes">
        <source>%n taken</source>
        <comment>keys</comment>
        <translation>
            <numerusform>采用 %n 项</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n translated</source>
        <comment>keys</comment>
        <translation>
            <numerusform>转换 %n 项</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n ignored</source>
        <comment>keys</comment>
        <translation>
            <numerusform>忽略 %n 项</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n refused</source>
        <comment>keys</comment>
        <translation>
            <numerusform>拒绝 %n 项</numerusform>
        </translation>
    </message>
    <message>
        <source>command line</source>
        <translation>命令行</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>键</translation>
    </message>
    <message>
        <source>What became of it</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Here, or why not</source>
        <translation>此处的键或原因</translation>
    </message>
    <message>
        <source>From</source>
        <translation>来自</translation>
    </message>
</context>
<context>
    <name>meshreel::KeyField</name>
    <message>
        <source>Take a random seed</source>
        <translation>取一个随机种子</translation>
    </message>
    <message>
        <source>Choose a model folder</source>
        <translation>选择模型文件夹</translation>
    </message>
    <message>
        <source>Choose a model</source>
        <translation>选择模型</translation>
    </message>
    <message>
        <source>Choose a model &amp;folder…</source>
        <translation>选择模型文件夹(&amp;F)…</translation>
    </message>
    <message>
        <source>Choose a transformer’s f&amp;ile…</source>
        <translation>选择变换器文件(&amp;I)…</translation>
    </message>
    <message>
        <source>Choose a transformer’s file</source>
        <translation>选择变换器文件</translation>
    </message>
    <message>
        <source>Weights (*.safetensors *.gguf *.pth *.pt)</source>
        <translation>权重 (*.safetensors *.gguf *.pth *.pt)</translation>
    </message>
</context>
<context>
    <name>meshreel::KeyHelp</name>
    <message>
        <source>default %1</source>
        <comment>value</comment>
        <translation>默认 %1</translation>
    </message>
    <message>
        <source>Help on the setting</source>
        <translation>设置说明</translation>
    </message>
    <message>
        <source>Choose a setting to read what it does.</source>
        <translation>选择一项设置以查看其作用。</translation>
    </message>
    <message>
        <source>Reference</source>
        <translation>参考</translation>
    </message>
</context>
<context>
    <name>meshreel::KeyReference</name>
    <message>
        <source>Reference of the project keys</source>
        <translation>项目键参考</translation>
    </message>
</context>
<context>
    <name>meshreel::KeyRow</name>
    <message>
        <source>Back to the default: empty</source>
        <translation>恢复默认值：空</translation>
    </message>
    <message>
        <source>Back to the default: %1</source>
        <translation>恢复默认值：%1</translation>
    </message>
    <message>
        <source>Reset %1</source>
        <comment>title of a setting</comment>
        <translation>重置%1</translation>
    </message>
</context>
<context>
    <name>meshreel::KeyTexts</name>
    <message>
        <source>at least %1</source>
        <translation>至少 %1</translation>
    </message>
    <message>
        <source>at most %1</source>
        <translation>至多 %1</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <comment>range of values</comment>
        <translation>%1 至 %2</translation>
    </message>
    <message>
        <source>%1, or %2 for automatic</source>
        <comment>range and special value</comment>
        <translation>%1，或 %2 表示自动</translation>
    </message>
    <message>
        <source>%1, step %2</source>
        <comment>range and step</comment>
        <translation>%1，步长 %2</translation>
    </message>
</context>
<context>
    <name>meshreel::LivePreview</name>
    <message>
        <source>The first preview comes after the first step</source>
        <translation>第一步完成后显示首个预览</translation>
    </message>
    <message>
        <source>Live preview</source>
        <translation>实时预览</translation>
    </message>
    <message>
        <source>Live preview of the latents; decoded frames will take its place</source>
        <translation>潜变量实时预览；解码出的帧会逐步取代它</translation>
    </message>
    <message>
        <source>%1 of %2 frames decoded; the others are the preview of the latents</source>
        <translation>已解码 %1 帧，共 %2 帧；其余为潜变量预览</translation>
    </message>
    <message>
        <source>%1 of %2 frames decoded</source>
        <translation>已解码 %1 帧，共 %2 帧</translation>
    </message>
</context>
<context>
    <name>meshreel::LogModel</name>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>What happened</source>
        <translation>事件</translation>
    </message>
</context>
<context>
    <name>meshreel::MainMenu</name>
    <message>
        <source>&amp;Undo</source>
        <translation>撤销(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>重做(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>Open run &amp;folder…</source>
        <translation>打开运行文件夹(&amp;F)…</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>退出(&amp;Q)</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>编辑(&amp;E)</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>工具</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>运行(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Cancel</source>
        <translation>取消(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;About Meshreel</source>
        <translation>关于 Meshreel(&amp;A)</translation>
    </message>
    <message>
        <source>About &amp;Qt</source>
        <translation>关于 Qt(&amp;Q)</translation>
    </message>
    <message>
        <source>About Meshreel</source>
        <translation>关于 Meshreel</translation>
    </message>
    <message>
        <source>&lt;h3&gt;Meshreel %1&lt;/h3&gt;&lt;p&gt;Video generation with Wan models on your own processors.&lt;/p&gt;&lt;p&gt;Commit %2. Free software under the GNU General Public License, version 3 or later.&lt;/p&gt;</source>
        <translation>&lt;h3&gt;Meshreel %1&lt;/h3&gt;&lt;p&gt;在您自己的处理器上用 Wan 模型生成视频。&lt;/p&gt;&lt;p&gt;提交 %2。自由软件，采用 GNU 通用公共许可证第 3 版或更新版本。&lt;/p&gt;</translation>
    </message>
    <message>
        <source>&amp;Find setting</source>
        <translation>查找设置(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Reset layout</source>
        <translation>重置布局(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Appearance</source>
        <translation>外观(&amp;A)</translation>
    </message>
    <message>
        <source>As the &amp;system</source>
        <translation>跟随系统(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation>浅色(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation>深色(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;Project keys</source>
        <translation>项目键(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Pause after this step</source>
        <translation>在此步之后暂停(&amp;P)</translation>
    </message>
    <message>
        <source>Add to &amp;queue</source>
        <translation>加入队列(&amp;Q)</translation>
    </message>
    <message>
        <source>Add a &amp;grid to the queue…</source>
        <translation>将网格组合加入队列(&amp;G)…</translation>
    </message>
    <message>
        <source>&amp;Import from MaxDiffusion…</source>
        <translation>从 MaxDiffusion 导入(&amp;I)…</translation>
    </message>
    <message>
        <source>&amp;Measure this machine</source>
        <translation>测量本机(&amp;M)</translation>
    </message>
    <message>
        <source>Times what videos are made of, for predicting how long runs take</source>
        <translation>测量生成视频的各项工作，以预测运行时间</translation>
    </message>
    <message>
        <source>&amp;Tour</source>
        <translation>导览(&amp;T)</translation>
    </message>
    <message numerus="yes">
        <source>&lt;p&gt;This machine: %1, %n CPU(s), computing with %2.&lt;/p&gt;</source>
        <translation>
            <numerusform>&lt;p&gt;本机：%1，%n 个 CPU，使用 %2 计算。&lt;/p&gt;</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::MainWindow</name>
    <message>
        <source>Open a run folder</source>
        <translation>打开运行文件夹</translation>
    </message>
    <message>
        <source>The chart was written to %1</source>
        <translation>图表已写入 %1</translation>
    </message>
    <message>
        <source>%1[*] – Meshreel Studio</source>
        <comment>project</comment>
        <translation>%1[*] – Meshreel 工作室</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>field and its problem</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>A run is going on</source>
        <translation>正在运行</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Problems (%1)</source>
        <translation>问题 (%1)</translation>
    </message>
    <message>
        <source>Stop the run and quit? It can be resumed later from the Runs panel.</source>
        <translation>停止运行并退出？之后可在“运行记录”面板中续跑。</translation>
    </message>
    <message>
        <source>The report was written to %1</source>
        <translation>报告已写入 %1</translation>
    </message>
    <message>
        <source>Say what you want to see</source>
        <translation>说出想看的内容</translation>
    </message>
    <message>
        <source>Type a prompt. Every other setting has a default that works; the search box finds each of them, and everything can be undone.</source>
        <translation>输入提示词。其他设置都有可用的默认值；搜索框能找到每一项，一切都可撤销。</translation>
    </message>
    <message>
        <source>See what it takes, before it runs</source>
        <translation>运行前就知道需要多少</translation>
    </message>
    <message>
        <source>Time, tokens, work and memory follow every change. Problems, above, says what cannot run and mends it with a click.</source>
        <translation>时间、token、计算量和内存随每次修改更新。上方的“问题”说明哪些无法运行，点一下即可修正。</translation>
    </message>
    <message>
        <source>Run it</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Runs can be paused, resumed and queued. Nothing is lost when the machine is switched off.</source>
        <translation>运行可以暂停、继续和排队。关机也不会丢失任何内容。</translation>
    </message>
    <message>
        <source>Watch it form</source>
        <translation>看它成形</translation>
    </message>
    <message>
        <source>The picture appears while it is made. Runs, videos, pictures and projects can be dropped here.</source>
        <translation>画面在生成过程中显示。可将运行、视频、图片和项目拖到此处。</translation>
    </message>
    <message>
        <source>Everything else is a panel</source>
        <translation>其余功能都是面板</translation>
    </message>
    <message>
        <source>View opens them: devices and attention, runs and comparisons, charts and the queue. Help has this tour.</source>
        <translation>从“视图”打开：设备与注意力、运行与比较、图表与队列。此导览在“帮助”中。</translation>
    </message>
    <message>
        <source>Measuring this machine was stopped, as a run begins.</source>
        <translation>由于运行开始，已停止测量本机。</translation>
    </message>
    <message>
        <source>%1 (open)</source>
        <comment>project</comment>
        <translation>%1（打开的）</translation>
    </message>
</context>
<context>
    <name>meshreel::MeasureItem</name>
    <message>
        <source>Measure this machine</source>
        <translation>测量本机</translation>
    </message>
    <message>
        <source>Measuring this machine</source>
        <translation>正在测量本机</translation>
    </message>
    <message>
        <source>Stop measuring; nothing of it is kept</source>
        <translation>停止测量；不保留任何结果</translation>
    </message>
    <message>
        <source>Stop measuring</source>
        <translation>停止测量</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>about two minutes</source>
        <translation>约两分钟</translation>
    </message>
    <message numerus="yes">
        <source>%n things timed</source>
        <translation>
            <numerusform>已测量 %n 项</numerusform>
        </translation>
    </message>
    <message>
        <source>How long a run takes is predicted once this machine was measured. It takes about two minutes, in which it should do nothing else.</source>
        <translation>测量本机后即可预测运行时间。测量约需两分钟，其间本机不应做其他事情。</translation>
    </message>
    <message>
        <source>A run is going on; measure when it has ended.</source>
        <translation>正在运行；请在结束后测量。</translation>
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
        <translation>Ulysses 组 %1</translation>
    </message>
</context>
<context>
    <name>meshreel::MeshPanel</name>
    <message>
        <source>Play the steps</source>
        <translation>播放各步</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>注意力</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>设备数</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>FSDP</source>
        <translation>FSDP</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>Ulysses</source>
        <translation>Ulysses</translation>
    </message>
    <message>
        <source>%1 devices</source>
        <translation>%1 个设备</translation>
    </message>
    <message>
        <source>Step of the attention</source>
        <translation>注意力的步骤</translation>
    </message>
    <message>
        <source>Step before</source>
        <translation>上一步</translation>
    </message>
    <message>
        <source>Next step</source>
        <translation>下一步</translation>
    </message>
    <message>
        <source>Legal meshes</source>
        <translation>合法的网格</translation>
    </message>
    <message>
        <source>Use this mesh</source>
        <translation>使用此网格</translation>
    </message>
    <message>
        <source>Legal meshes, the least exchange first</source>
        <translation>合法的网格，交换量最少的在前</translation>
    </message>
    <message>
        <source>Mesh: %1</source>
        <translation>网格：%1</translation>
    </message>
    <message>
        <source>Legal meshes, the fastest first as predicted</source>
        <translation>合法的设备网格，预计最快的在前</translation>
    </message>
    <message>
        <source>The devices are drawn here as soon as the project can be planned: Problems says what keeps it from that.</source>
        <translation>项目可以规划后，设备会绘制在这里：“问题”中说明了障碍所在。</translation>
    </message>
    <message>
        <source>This project runs on one device: several share out the tokens, the heads or the weights, each with workers of its own.</source>
        <translation>此项目在一个设备上运行：多个设备可以分担词元、注意力头或权重，各有自己的工作线程。</translation>
    </message>
    <message>
        <source>Hosts and ranks</source>
        <translation>主机与进程</translation>
    </message>
    <message>
        <source>Hosts file</source>
        <translation>主机文件</translation>
    </message>
    <message>
        <source>× hosts</source>
        <comment>factor of an axis</comment>
        <translation>× 主机</translation>
    </message>
</context>
<context>
    <name>meshreel::MeshView</name>
    <message>
        <source>Devices of the mesh</source>
        <translation>网格中的设备</translation>
    </message>
    <message>
        <source>heads %1</source>
        <translation>头 %1</translation>
    </message>
    <message>
        <source>tokens %1</source>
        <translation>词元 %1</translation>
    </message>
    <message>
        <source>all keys</source>
        <translation>全部键</translation>
    </message>
    <message>
        <source>keys %1</source>
        <translation>键 %1</translation>
    </message>
    <message numerus="yes">
        <source>%n device(s): %1</source>
        <comment>of the mesh that a drag would make</comment>
        <translation>
            <numerusform>%n 个设备：%1</numerusform>
        </translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>进程 %1</translation>
    </message>
</context>
<context>
    <name>meshreel::MessageBanner</name>
    <message>
        <source>Close the message</source>
        <translation>关闭消息</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>消息</translation>
    </message>
</context>
<context>
    <name>meshreel::ModelCard</name>
    <message>
        <source>Model card</source>
        <translation>模型卡</translation>
    </message>
    <message>
        <source>%1, %2 of weights</source>
        <comment>folder and size</comment>
        <translation>%1，权重 %2</translation>
    </message>
    <message>
        <source>This model has no card.</source>
        <translation>此模型没有模型卡。</translation>
    </message>
</context>
<context>
    <name>meshreel::ModelDescription</name>
    <message>
        <source>%1 million</source>
        <comment>number</comment>
        <translation>%1 百万</translation>
    </message>
    <message>
        <source>%1 billion</source>
        <comment>number</comment>
        <translation>%1 十亿</translation>
    </message>
    <message numerus="yes">
        <source>%1 and %n more</source>
        <translation>
            <numerusform>%1 以及另外 %n 个</numerusform>
        </translation>
    </message>
    <message>
        <source>%1, fits in the %2 that are free</source>
        <comment>sizes</comment>
        <translation>%1，可放入空闲的 %2</translation>
    </message>
    <message>
        <source>%1, more than the %2 that are free</source>
        <comment>sizes</comment>
        <translation>%1，超过空闲的 %2</translation>
    </message>
    <message>
        <source>%1, which Meshreel does not run</source>
        <translation>%1，Meshreel 不支持运行</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Unsure</source>
        <translation>不确定</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>格式</translation>
    </message>
    <message>
        <source>%1, names %2</source>
        <comment>file format, style of names</comment>
        <translation>%1，命名方式：%2</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>层数</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>%1, %2 stored</source>
        <comment>number, size</comment>
        <translation>%1，存储 %2</translation>
    </message>
    <message>
        <source>Matrices</source>
        <translation>矩阵</translation>
    </message>
    <message>
        <source>Convolutions</source>
        <translation>卷积</translation>
    </message>
    <message>
        <source>Vectors</source>
        <translation>向量</translation>
    </message>
    <message>
        <source>Quantisation</source>
        <translation>量化</translation>
    </message>
    <message>
        <source>Memory in f32</source>
        <translation>f32 内存</translation>
    </message>
    <message>
        <source>Memory in bf16</source>
        <translation>bf16 内存</translation>
    </message>
    <message>
        <source>Missing tensors</source>
        <translation>缺少的张量</translation>
    </message>
    <message>
        <source>Unexpected tensors</source>
        <translation>多余的张量</translation>
    </message>
    <message>
        <source>Also needs</source>
        <translation>还需要</translation>
    </message>
    <message>
        <source>missing</source>
        <translation>缺失</translation>
    </message>
    <message>
        <source>%1, %2 of weights</source>
        <comment>folder and size</comment>
        <translation>%1，权重 %2</translation>
    </message>
    <message>
        <source>Also there: %1</source>
        <comment>parts</comment>
        <translation>另外还有：%1</translation>
    </message>
</context>
<context>
    <name>meshreel::ModelsPanel</name>
    <message>
        <source>Use in project</source>
        <translation>用于项目</translation>
    </message>
    <message>
        <source>Look again</source>
        <translation>重新查找</translation>
    </message>
    <message>
        <source>Models of this machine</source>
        <translation>本机上的模型</translation>
    </message>
    <message>
        <source>Models folder: %1</source>
        <translation>模型文件夹：%1</translation>
    </message>
    <message>
        <source>The chosen model</source>
        <translation>所选模型</translation>
    </message>
    <message>
        <source>Choose a model to see its parts, its number types and what it needs.</source>
        <translation>选择模型以查看其部件、数值类型和所需内容。</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>This is no model by itself; parts are chosen in the project</source>
        <translation>这本身不是模型；部件在项目中选择</translation>
    </message>
</context>
<context>
    <name>meshreel::NoisePanel</name>
    <message>
        <source>The noise of every step is drawn here as soon as the project can be planned: choose a model under Project, and see Problems for what keeps it from that.</source>
        <translation>项目可以规划后，这里会绘制每一步的噪声：在“项目”中选择模型，并在“问题”中查看障碍。</translation>
    </message>
    <message>
        <source>Scheduler</source>
        <translation>调度器</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步数</translation>
    </message>
    <message>
        <source>Flow shift</source>
        <translation>流偏移</translation>
    </message>
    <message>
        <source>Boundary</source>
        <translation>边界</translation>
    </message>
</context>
<context>
    <name>meshreel::NoiseSheet</name>
    <message>
        <source>without the flow shift</source>
        <translation>无流偏移</translation>
    </message>
    <message>
        <source>boundary</source>
        <translation>边界</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Noise level</source>
        <translation>噪声等级</translation>
    </message>
    <message>
        <source>There are no steps to draw yet</source>
        <translation>还没有可绘制的步</translation>
    </message>
    <message>
        <source>See Problems for what keeps the project from being planned</source>
        <translation>请在“问题”中查看是什么使项目无法规划</translation>
    </message>
</context>
<context>
    <name>meshreel::NoiseTexts</name>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>steps %1 to %2</source>
        <translation>第 %1 至 %2 步</translation>
    </message>
    <message>
        <source>%1: %2, guidance %3.</source>
        <comment>expert, steps, guidance</comment>
        <translation>%1：%2，引导 %3。</translation>
    </message>
    <message>
        <source>%1: %2, without guidance.</source>
        <comment>expert, steps</comment>
        <translation>%1：%2，无引导。</translation>
    </message>
    <message>
        <source>transformer</source>
        <translation>transformer</translation>
    </message>
    <message>
        <source>low noise</source>
        <translation>低噪声</translation>
    </message>
    <message>
        <source>high noise</source>
        <translation>高噪声</translation>
    </message>
    <message>
        <source>Scheduler %1, flow shift %2.</source>
        <translation>调度器 %1，流偏移 %2。</translation>
    </message>
    <message>
        <source>Dotted: the same without the shift.</source>
        <translation>虚线：没有偏移时的情形。</translation>
    </message>
    <message numerus="yes">
        <source>A step cache may shorten %n steps (hollow).</source>
        <translation>
            <numerusform>步缓存可能缩短 %n 步（空心）。</numerusform>
        </translation>
    </message>
    <message>
        <source>Step %1 of %2</source>
        <translation>第 %1 步，共 %2 步</translation>
    </message>
    <message>
        <source>Noise level %1, sigma %2</source>
        <translation>噪声等级 %1，sigma %2</translation>
    </message>
    <message>
        <source>Computed by: %1</source>
        <comment>transformer or expert</comment>
        <translation>计算者：%1</translation>
    </message>
    <message>
        <source>Guidance %1</source>
        <translation>引导 %1</translation>
    </message>
    <message>
        <source>Without guidance</source>
        <translation>无引导</translation>
    </message>
    <message>
        <source>May be shortened by the step cache</source>
        <translation>可能被步缓存缩短</translation>
    </message>
</context>
<context>
    <name>meshreel::NoiseView</name>
    <message>
        <source>Noise levels of the steps</source>
        <translation>各步的噪声等级</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>boundary %1</source>
        <translation>边界 %1</translation>
    </message>
</context>
<context>
    <name>meshreel::OpenedMedia</name>
    <message>
        <source>There is no such file or folder</source>
        <translation>没有这个文件或文件夹</translation>
    </message>
</context>
<context>
    <name>meshreel::PathField</name>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
    <message>
        <source>Pictures (*.png *.jpg *.jpeg *.webp *.bmp *.tif *.tiff)</source>
        <translation>图片 (*.png *.jpg *.jpeg *.webp *.bmp *.tif *.tiff)</translation>
    </message>
    <message>
        <source>Videos and pictures (*.mp4 *.webm *.mkv *.mov *.avi *.gif *.webp *.png *.jpg *.jpeg)</source>
        <translation>视频和图片 (*.mp4 *.webm *.mkv *.mov *.avi *.gif *.webp *.png *.jpg *.jpeg)</translation>
    </message>
    <message>
        <source>Weights (*.safetensors *.gguf *.pth *.pt *.bin *.json *.model)</source>
        <translation>权重 (*.safetensors *.gguf *.pth *.pt *.bin *.json *.model)</translation>
    </message>
    <message>
        <source>the model&apos;s own</source>
        <translation>模型自带</translation>
    </message>
    <message>
        <source>none; choose or drop one here</source>
        <translation>无；选择或拖放到此处</translation>
    </message>
    <message>
        <source>Choose files</source>
        <translation>选择文件</translation>
    </message>
    <message>
        <source>Choose a file</source>
        <translation>选择文件</translation>
    </message>
    <message>
        <source>Choose a &amp;file…</source>
        <translation>选择文件(&amp;F)…</translation>
    </message>
    <message>
        <source>Choose a f&amp;older…</source>
        <translation>选择文件夹(&amp;O)…</translation>
    </message>
    <message>
        <source>Choose a file or a folder</source>
        <translation>选择文件或文件夹</translation>
    </message>
    <message>
        <source>Choose a folder</source>
        <translation>选择文件夹</translation>
    </message>
</context>
<context>
    <name>meshreel::PathOpener</name>
    <message>
        <source>A run is going on; others can be looked at when it ends.</source>
        <translation>正在运行；结束后才能查看其他运行。</translation>
    </message>
    <message>
        <source>Used as “%1”; drop it on another field to use it as that, or undo it.</source>
        <translation>已用作“%1”；拖放到其他字段可改作他用，也可撤销。</translation>
    </message>
</context>
<context>
    <name>meshreel::PlaybackControls</name>
    <message>
        <source>One frame back</source>
        <translation>后退一帧</translation>
    </message>
    <message>
        <source>Left arrow</source>
        <translation>左箭头</translation>
    </message>
    <message>
        <source>Play</source>
        <translation>播放</translation>
    </message>
    <message>
        <source>Space</source>
        <translation>空格</translation>
    </message>
    <message>
        <source>One frame on</source>
        <translation>前进一帧</translation>
    </message>
    <message>
        <source>Right arrow</source>
        <translation>右箭头</translation>
    </message>
    <message>
        <source>Play in a loop</source>
        <translation>循环播放</translation>
    </message>
    <message>
        <source>L</source>
        <translation>L</translation>
    </message>
    <message>
        <source>Position in the video</source>
        <translation>视频位置</translation>
    </message>
    <message>
        <source>Drag to go to a frame</source>
        <translation>拖动以跳到某一帧</translation>
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
        <translation>第 %1 帧，共 %2 帧 · %3 秒</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
</context>
<context>
    <name>meshreel::PlayerWidget</name>
    <message>
        <source>Video</source>
        <translation>视频</translation>
    </message>
    <message>
        <source>The wheel zooms, dragging moves, a double click fits (+, -, 0)</source>
        <translation>滚轮缩放，拖动平移，双击适应窗口（+、-、0）</translation>
    </message>
    <message>
        <source>Copy or write a frame, the clip, or a sheet of its frames</source>
        <translation>复制或写出一帧、片段或各帧总览图</translation>
    </message>
    <message>
        <source>Export the video</source>
        <translation>导出视频</translation>
    </message>
    <message>
        <source>&amp;Copy this frame</source>
        <translation>复制此帧(&amp;C)</translation>
    </message>
    <message>
        <source>Save this &amp;frame…</source>
        <translation>保存此帧(&amp;F)…</translation>
    </message>
    <message>
        <source>Export the c&amp;lip…</source>
        <translation>导出片段(&amp;L)…</translation>
    </message>
    <message>
        <source>Save a contact &amp;sheet…</source>
        <translation>保存缩略图总览(&amp;S)…</translation>
    </message>
</context>
<context>
    <name>meshreel::PredictedTexts</name>
    <message>
        <source>%1 h</source>
        <translation>%1 小时</translation>
    </message>
    <message>
        <source>%1 min</source>
        <translation>%1 分钟</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 秒</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <comment>durations, the second with its unit</comment>
        <translation>%1 至 %2</translation>
    </message>
    <message>
        <source>Loading</source>
        <translation>加载</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>提示词</translation>
    </message>
    <message>
        <source>Denoising</source>
        <translation>去噪</translation>
    </message>
    <message>
        <source>Decoding</source>
        <translation>解码</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>duration and its range</comment>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>%1 in all (%2)</source>
        <comment>duration and its range</comment>
        <translation>共 %1（%2）</translation>
    </message>
    <message>
        <source>A step: %1</source>
        <comment>duration</comment>
        <translation>每步：%1</translation>
    </message>
    <message>
        <source>The first step: %1</source>
        <comment>duration</comment>
        <translation>第一步：%1</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>stage and duration</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Four of five runs are expected within their range.</source>
        <translation>预计五次运行中有四次落在该范围内。</translation>
    </message>
    <message>
        <source>By the rates of this machine, measured %1; no run like this one has been done.</source>
        <translation>依据本机速率（测于 %1）；尚无类似的运行。</translation>
    </message>
    <message numerus="yes">
        <source>By the rates of this machine, measured %1, and %n runs like this one.</source>
        <translation>
            <numerusform>依据本机速率（测于 %1）和 %n 次类似的运行。</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::PresetMenu</name>
    <message>
        <source>New from &amp;preset</source>
        <translation>从预设新建(&amp;P)</translation>
    </message>
    <message>
        <source>None is installed</source>
        <translation>未安装任何预设</translation>
    </message>
</context>
<context>
    <name>meshreel::ProblemPanel</name>
    <message>
        <source>Problems of the project</source>
        <translation>项目的问题</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>setting and what is wrong</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Go to setting</source>
        <translation>转到设置</translation>
    </message>
    <message>
        <source>Nothing is wrong with this project: press Run.</source>
        <translation>此项目没有问题：请按“运行”。</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>提示</translation>
    </message>
</context>
<context>
    <name>meshreel::ProjectDocument</name>
    <message>
        <source>Untitled project</source>
        <translation>未命名项目</translation>
    </message>
    <message>
        <source>Project of %1</source>
        <comment>run or video</comment>
        <translation>%1 的项目</translation>
    </message>
    <message>
        <source>Text of the project</source>
        <translation>项目文本</translation>
    </message>
    <message>
        <source>Reset %1</source>
        <comment>title of a setting</comment>
        <translation>重置%1</translation>
    </message>
</context>
<context>
    <name>meshreel::ProjectEditor</name>
    <message>
        <source>Advanced</source>
        <translation>高级</translation>
    </message>
    <message>
        <source>Search settings</source>
        <translation>搜索设置</translation>
    </message>
    <message>
        <source>Show only what differs from the defaults</source>
        <translation>只显示与默认值不同的项</translation>
    </message>
    <message>
        <source>Show settings that few projects change</source>
        <translation>显示很少需要更改的设置</translation>
    </message>
    <message numerus="yes">
        <source>%n changed</source>
        <translation>
            <numerusform>%n 项已更改</numerusform>
        </translation>
    </message>
    <message>
        <source>Nothing here differs from the defaults.</source>
        <translation>此处没有与默认值不同的项。</translation>
    </message>
    <message>
        <source>No setting matches “%1”.</source>
        <translation>没有匹配“%1”的设置。</translation>
    </message>
</context>
<context>
    <name>meshreel::ProjectFiles</name>
    <message>
        <source>&amp;New project</source>
        <translation>新建项目(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Open…</source>
        <translation>打开(&amp;O)…</translation>
    </message>
    <message>
        <source>&amp;Save</source>
        <translation>保存(&amp;S)</translation>
    </message>
    <message>
        <source>Save &amp;as…</source>
        <translation>另存为(&amp;A)…</translation>
    </message>
    <message>
        <source>Open &amp;recent</source>
        <translation>最近打开(&amp;R)</translation>
    </message>
    <message>
        <source>Open a project, or a video with its project</source>
        <translation>打开项目，或带有项目的视频</translation>
    </message>
    <message>
        <source>Unsaved changes</source>
        <translation>未保存的更改</translation>
    </message>
    <message>
        <source>Save the changes to “%1”?</source>
        <translation>保存对“%1”的更改？</translation>
    </message>
    <message>
        <source>They are lost otherwise.</source>
        <translation>否则更改将丢失。</translation>
    </message>
    <message>
        <source>Open a project or a video</source>
        <translation>打开项目或视频</translation>
    </message>
    <message>
        <source>Projects and videos (*.yaml *.yml *.mp4 *.webm *.gif *.webp);;All files (*)</source>
        <translation>项目和视频 (*.yaml *.yml *.mp4 *.webm *.gif *.webp);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Save the project</source>
        <translation>保存项目</translation>
    </message>
    <message>
        <source>Projects (*.yaml *.yml)</source>
        <translation>项目 (*.yaml *.yml)</translation>
    </message>
    <message>
        <source>Nothing yet</source>
        <translation>暂无</translation>
    </message>
    <message>
        <source>Saved. Fields marked red keep their last legal value in the file.</source>
        <translation>已保存。标红的字段在文件中保留其上一个合法值。</translation>
    </message>
</context>
<context>
    <name>meshreel::ProjectLauncher</name>
    <message>
        <source>The Problems panel tells what keeps this project from running.</source>
        <translation>“问题”面板说明了此项目为何无法运行。</translation>
    </message>
</context>
<context>
    <name>meshreel::PromptLibrary</name>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>提示词</translation>
    </message>
    <message>
        <source>Not to be seen</source>
        <translation>不应出现</translation>
    </message>
    <message>
        <source>The kept prompts could not be read and were set aside as %1: %2</source>
        <translation>无法读取保存的提示词，已另存为 %1：%2</translation>
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
        <translation>保存项目的提示词及不应出现的内容</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>使用</translation>
    </message>
    <message>
        <source>Put the prompt into the project; a style is put around the project&apos;s prompt</source>
        <translation>将提示词放入项目；样式会套在项目的提示词外</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Remove the prompt from those that are kept</source>
        <translation>从保存的提示词中移除</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Search the kept prompts</source>
        <translation>搜索保存的提示词</translation>
    </message>
    <message>
        <source>Kept prompts</source>
        <translation>保存的提示词</translation>
    </message>
    <message>
        <source>Style “%1”</source>
        <translation>样式“%1”</translation>
    </message>
    <message>
        <source>Prompt “%1”</source>
        <translation>提示词“%1”</translation>
    </message>
    <message>
        <source>No kept prompt has these words.</source>
        <translation>没有保存的提示词包含这些词。</translation>
    </message>
    <message>
        <source>No prompt is kept yet: keep the project&apos;s. One that holds {prompt} is a style, which is put around the prompt at hand.</source>
        <translation>还没有保存的提示词：可保存项目的提示词。含有 {prompt} 的是风格，会套在当前提示词外。</translation>
    </message>
</context>
<context>
    <name>meshreel::QueuePanel</name>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>Add the project as it is now (Ctrl+Shift+R)</source>
        <translation>按现状添加项目（Ctrl+Shift+R）</translation>
    </message>
    <message>
        <source>Add a grid…</source>
        <translation>添加网格组合…</translation>
    </message>
    <message>
        <source>Add the project once for every combination of some settings: seeds, prompts, sizes, …</source>
        <translation>按若干设置的每种组合各添加一次项目：种子、提示词、尺寸、…</translation>
    </message>
    <message>
        <source>Run the queue</source>
        <translation>运行队列</translation>
    </message>
    <message>
        <source>Runs one after the other; switched off, the one at hand still ends</source>
        <translation>依次运行；关闭后，当前的运行仍会进行到底</translation>
    </message>
    <message>
        <source>Earlier</source>
        <translation>提前</translation>
    </message>
    <message>
        <source>Later</source>
        <translation>推后</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>续跑</translation>
    </message>
    <message>
        <source>Run again</source>
        <translation>重新运行</translation>
    </message>
    <message>
        <source>Remove from the queue</source>
        <translation>从队列中移除</translation>
    </message>
    <message>
        <source>Remove what is done</source>
        <translation>移除已完成的</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>队列</translation>
    </message>
    <message>
        <source>Nothing is queued: add the project as it is now, or once for every combination of some settings.</source>
        <translation>队列为空：可添加当前项目，或为若干设置的每种组合各添加一次。</translation>
    </message>
</context>
<context>
    <name>meshreel::QueueRunner</name>
    <message>
        <source>Its run folder cannot be read; run it again.</source>
        <translation>无法读取其运行文件夹；请重新运行。</translation>
    </message>
</context>
<context>
    <name>meshreel::ReportContents</name>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>注意力</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Workers</source>
        <translation>工作线程</translation>
    </message>
    <message>
        <source>Video</source>
        <translation>视频</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步数</translation>
    </message>
    <message>
        <source>Load, s</source>
        <translation>加载(秒)</translation>
    </message>
    <message>
        <source>Compile, s</source>
        <translation>编译(秒)</translation>
    </message>
    <message>
        <source>Inference, s</source>
        <translation>推理(秒)</translation>
    </message>
    <message>
        <source>Denoising, s</source>
        <translation>去噪(秒)</translation>
    </message>
    <message>
        <source>Decoding, s</source>
        <translation>解码(秒)</translation>
    </message>
    <message>
        <source>Step, s</source>
        <translation>每步(秒)</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>Setting</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>All runs</source>
        <translation>所有运行</translation>
    </message>
    <message>
        <source>Differing</source>
        <translation>不同</translation>
    </message>
    <message numerus="yes">
        <source>%n runs compared</source>
        <translation>
            <numerusform>比较 %n 次运行</numerusform>
        </translation>
    </message>
    <message>
        <source>Meshreel %1 · %2</source>
        <comment>version, date</comment>
        <translation>Meshreel %1 · %2</translation>
    </message>
    <message>
        <source>Timings</source>
        <translation>耗时</translation>
    </message>
    <message>
        <source>Settings that differ</source>
        <translation>不同的设置</translation>
    </message>
    <message>
        <source>Videos</source>
        <translation>视频</translation>
    </message>
    <message>
        <source>Charts</source>
        <translation>图表</translation>
    </message>
    <message>
        <source>Environment</source>
        <translation>环境</translation>
    </message>
    <message>
        <source>Timing summaries</source>
        <translation>耗时摘要</translation>
    </message>
    <message>
        <source>Projects</source>
        <translation>项目</translation>
    </message>
</context>
<context>
    <name>meshreel::ResultsView</name>
    <message>
        <source>Describe a video on the left and press Run.
Runs, videos, pictures and projects can be dropped here.</source>
        <translation>在左侧描述视频，然后点击“运行”。
也可将运行文件夹、视频、图片或项目拖放到此处。</translation>
    </message>
</context>
<context>
    <name>meshreel::RunBar</name>
    <message>
        <source>%1, step %2 of %3</source>
        <comment>phase and steps</comment>
        <translation>%1，第 %2 步，共 %3 步</translation>
    </message>
    <message>
        <source>%1 · about %2 left</source>
        <comment>what happens, duration</comment>
        <translation>%1 · 剩余约 %2</translation>
    </message>
    <message>
        <source>Stop after the current block; the run can be resumed later</source>
        <translation>在当前块之后停止；之后可以续跑</translation>
    </message>
    <message>
        <source>Progress of the run</source>
        <translation>运行进度</translation>
    </message>
    <message>
        <source>Starting</source>
        <translation>正在启动</translation>
    </message>
    <message>
        <source>Generate the video (Ctrl+R)</source>
        <translation>生成视频 (Ctrl+R)</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>续跑</translation>
    </message>
    <message>
        <source>Stop when the step at hand is done; nothing is lost</source>
        <translation>当前这一步完成后停止；不会丢失任何内容</translation>
    </message>
    <message>
        <source>Go on with the run that was stopped, from its last finished step</source>
        <translation>将已停止的运行从最后完成的一步继续</translation>
    </message>
</context>
<context>
    <name>meshreel::RunCopies</name>
    <message>
        <source>None of these runs is finished: there is no timing summary to copy.</source>
        <translation>这些运行都未完成：没有可复制的耗时摘要。</translation>
    </message>
    <message numerus="yes">
        <source>Copied %n timing summaries</source>
        <translation>
            <numerusform>已复制 %n 份耗时摘要</numerusform>
        </translation>
    </message>
    <message>
        <source>None of these runs finished a step: there is no configuration to copy.</source>
        <translation>这些运行都未完成任何一步：没有可复制的配置。</translation>
    </message>
    <message numerus="yes">
        <source>Copied %n configurations as a Markdown table</source>
        <translation>
            <numerusform>已将 %n 个配置复制为 Markdown 表格</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::RunHistoryModel</name>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>开始时间</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>用时</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步数</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>Seconds a step, without the first one</source>
        <translation>每步秒数，不含第一步</translation>
    </message>
    <message>
        <source>Width × height × frames</source>
        <translation>宽 × 高 × 帧数</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Step, s</source>
        <translation>每步(秒)</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>尺寸</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>注意力</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>设备数</translation>
    </message>
    <message>
        <source>Mesh</source>
        <translation>设备网格</translation>
    </message>
</context>
<context>
    <name>meshreel::RunNotices</name>
    <message>
        <source>A video is being generated</source>
        <translation>正在生成视频</translation>
    </message>
    <message>
        <source>The video is done</source>
        <translation>视频已完成</translation>
    </message>
    <message>
        <source>The run failed</source>
        <translation>运行失败</translation>
    </message>
</context>
<context>
    <name>meshreel::RunPresenter</name>
    <message>
        <source>Cancelled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>Done: %1</source>
        <translation>已完成：%1</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>%1. Resume goes on from the last finished step.</source>
        <comment>state</comment>
        <translation>%1。“续跑”会从最后完成的一步继续。</translation>
    </message>
    <message>
        <source>Stopping</source>
        <translation>正在停止</translation>
    </message>
    <message>
        <source>Pausing after this step</source>
        <translation>将在此步之后暂停</translation>
    </message>
</context>
<context>
    <name>meshreel::RunQueue</name>
    <message>
        <source>Waiting</source>
        <translation>等待中</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>Waiting to go on</source>
        <translation>等待继续</translation>
    </message>
    <message numerus="yes">
        <source>%1 × %2, %n frames</source>
        <translation>
            <numerusform>%1 × %2，%n 帧</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n steps, seed %1</source>
        <translation>
            <numerusform>%n 步，种子 %1</numerusform>
        </translation>
    </message>
    <message>
        <source>Another window keeps the queue; this one ends with its window.</source>
        <translation>队列由另一个窗口保存；此处的队列随本窗口关闭而结束。</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>项目</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Video</source>
        <translation>视频</translation>
    </message>
    <message>
        <source>Sampling</source>
        <translation>采样</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>注意力</translation>
    </message>
    <message>
        <source>The kept queue could not be read and was set aside as %1: %2</source>
        <translation>无法读取保存的队列，已另存为 %1：%2</translation>
    </message>
</context>
<context>
    <name>meshreel::RunReport</name>
    <message>
        <source>Version</source>
        <translation>版本</translation>
    </message>
    <message>
        <source>Commit</source>
        <translation>提交</translation>
    </message>
    <message>
        <source>Compiler</source>
        <translation>编译器</translation>
    </message>
    <message>
        <source>Processor</source>
        <translation>处理器</translation>
    </message>
    <message>
        <source>Instruction set</source>
        <translation>指令集</translation>
    </message>
    <message>
        <source>CPUs</source>
        <translation>CPU 数</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Ranks</source>
        <translation>进程</translation>
    </message>
    <message>
        <source>Workers of a device</source>
        <translation>每台设备的工作线程</translation>
    </message>
    <message>
        <source>Mesh</source>
        <translation>设备网格</translation>
    </message>
    <message>
        <source>Self-attention kernel</source>
        <translation>自注意力内核</translation>
    </message>
    <message>
        <source>Cross-attention kernel</source>
        <translation>交叉注意力内核</translation>
    </message>
    <message>
        <source>Number types</source>
        <translation>数值类型</translation>
    </message>
    <message>
        <source>Libraries</source>
        <translation>程序库</translation>
    </message>
    <message>
        <source>%1 · %2 s</source>
        <comment>number of a frame, time</comment>
        <translation>%1 · %2 秒</translation>
    </message>
</context>
<context>
    <name>meshreel::RunReporter</name>
    <message>
        <source>Loading the model</source>
        <translation>正在加载模型</translation>
    </message>
    <message>
        <source>Preparing weights</source>
        <translation>正在准备权重</translation>
    </message>
    <message>
        <source>Reading the prompt</source>
        <translation>正在读取提示词</translation>
    </message>
    <message>
        <source>Denoising</source>
        <translation>正在去噪</translation>
    </message>
    <message>
        <source>Decoding the video</source>
        <translation>正在解码视频</translation>
    </message>
    <message>
        <source>%1: done in %2</source>
        <comment>phase, duration</comment>
        <translation>%1：已完成，用时 %2</translation>
    </message>
    <message>
        <source>Run folder: %1</source>
        <translation>运行文件夹：%1</translation>
    </message>
    <message>
        <source>Step %1: %2</source>
        <comment>number of a step, duration</comment>
        <translation>第 %1 步：%2</translation>
    </message>
    <message>
        <source>Writing the video</source>
        <translation>正在写入视频</translation>
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
        <translation>加载</translation>
    </message>
    <message>
        <source>Compile</source>
        <comment>stage of a run, very short</comment>
        <translation>准备</translation>
    </message>
    <message>
        <source>Condition</source>
        <comment>stage of a run, very short</comment>
        <translation>条件</translation>
    </message>
    <message>
        <source>Steps</source>
        <comment>stage of a run, very short</comment>
        <translation>步骤</translation>
    </message>
    <message>
        <source>Decode</source>
        <comment>stage of a run, very short</comment>
        <translation>解码</translation>
    </message>
    <message>
        <source>Format</source>
        <comment>stage of a run, very short</comment>
        <translation>写入</translation>
    </message>
    <message>
        <source>cached</source>
        <comment>stage of a run, very short</comment>
        <translation>缓存</translation>
    </message>
    <message>
        <source>%1/%2</source>
        <comment>steps done, steps</comment>
        <translation>%1/%2</translation>
    </message>
    <message>
        <source>%1: still to come</source>
        <comment>stage</comment>
        <translation>%1：尚未开始</translation>
    </message>
    <message>
        <source>%1: nothing to do</source>
        <comment>stage</comment>
        <translation>%1：无需执行</translation>
    </message>
    <message>
        <source>%1: done in %2, kept from an earlier run</source>
        <comment>stage, duration</comment>
        <translation>%1：用时 %2，沿用之前运行的结果</translation>
    </message>
    <message>
        <source>%1: done in %2</source>
        <comment>stage, duration</comment>
        <translation>%1：用时 %2，已完成</translation>
    </message>
    <message>
        <source>%1: %2 of %3 done</source>
        <comment>stage, steps</comment>
        <translation>%1：已完成 %2，共 %3</translation>
    </message>
    <message>
        <source>%1: stopped after %2 of %3</source>
        <comment>stage, steps</comment>
        <translation>%1：在 %2 处停止，共 %3</translation>
    </message>
    <message>
        <source>%1: %2 done</source>
        <comment>stage, percentage</comment>
        <translation>%1：已完成 %2</translation>
    </message>
    <message>
        <source>%1: stopped after %2</source>
        <comment>stage, percentage</comment>
        <translation>%1：在 %2 处停止</translation>
    </message>
    <message>
        <source>%1: going on</source>
        <comment>stage</comment>
        <translation>%1：进行中</translation>
    </message>
    <message>
        <source>%1: stopped</source>
        <comment>stage</comment>
        <translation>%1：已停止</translation>
    </message>
    <message>
        <source>About %1 left</source>
        <comment>duration</comment>
        <translation>剩余约 %1</translation>
    </message>
</context>
<context>
    <name>meshreel::RunTexts</name>
    <message>
        <source>Running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>Interrupted</source>
        <translation>已中断</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>status and its reason</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>%1 of %2 steps</source>
        <translation>%1/%2 步</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <comment>steps and duration</comment>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 秒</translation>
    </message>
    <message>
        <source>%1 min %2 s</source>
        <translation>%1 分 %2 秒</translation>
    </message>
    <message>
        <source>%1 h %2 min</source>
        <translation>%1 小时 %2 分</translation>
    </message>
</context>
<context>
    <name>meshreel::StageMeter</name>
    <message>
        <source>%1: %2</source>
        <comment>stage and its memory</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Memory of the stages</source>
        <translation>各阶段的内存</translation>
    </message>
</context>
<context>
    <name>meshreel::StageStrip</name>
    <message>
        <source>Stages of the run</source>
        <translation>运行的各阶段</translation>
    </message>
</context>
<context>
    <name>meshreel::StepChart</name>
    <message>
        <source>Seconds per step</source>
        <translation>每步秒数</translation>
    </message>
    <message>
        <source>Latent mean</source>
        <translation>潜变量均值</translation>
    </message>
    <message>
        <source>Latent minimum to maximum</source>
        <translation>潜变量最小值至最大值</translation>
    </message>
    <message>
        <source>Mean: %1 s</source>
        <translation>平均：%1 秒</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Step %1: %2 s, sigma %3, latents %4 to %5</source>
        <translation>第 %1 步：%2 秒，sigma %3，潜变量 %4 至 %5</translation>
    </message>
</context>
<context>
    <name>meshreel::StepTableModel</name>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Timestep</source>
        <translation>时间步</translation>
    </message>
    <message>
        <source>Sigma</source>
        <translation>Sigma</translation>
    </message>
    <message>
        <source>Seconds</source>
        <translation>秒</translation>
    </message>
    <message>
        <source>Latent minimum</source>
        <translation>潜变量最小值</translation>
    </message>
    <message>
        <source>Latent maximum</source>
        <translation>潜变量最大值</translation>
    </message>
    <message>
        <source>Latent mean</source>
        <translation>潜变量均值</translation>
    </message>
</context>
<context>
    <name>meshreel::StudioPanels</name>
    <message>
        <source>Project</source>
        <translation>项目</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Mesh</source>
        <translation>设备网格</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Chart</source>
        <translation>图表</translation>
    </message>
    <message>
        <source>Timing summary</source>
        <translation>计时摘要</translation>
    </message>
    <message>
        <source>Reference</source>
        <translation>参考</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>注意力</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>运行记录</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>队列</translation>
    </message>
    <message>
        <source>Activity</source>
        <translation>活动</translation>
    </message>
    <message>
        <source>Noise</source>
        <translation>噪声</translation>
    </message>
    <message>
        <source>Prompts</source>
        <translation>提示词</translation>
    </message>
    <message>
        <source>Tune</source>
        <translation>调优</translation>
    </message>
    <message>
        <source>Sweep</source>
        <translation>扫描</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型库</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>设备</translation>
    </message>
</context>
<context>
    <name>meshreel::SummaryPanel</name>
    <message>
        <source>Timing summary</source>
        <translation>计时摘要</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy the timing summary</source>
        <translation>复制计时摘要</translation>
    </message>
    <message>
        <source>Where the time went stands here once a run is done, or a past one is opened.</source>
        <translation>运行完成后，或打开以往的运行时，这里会列出时间花在哪里。</translation>
    </message>
    <message>
        <source>Open a run</source>
        <translation>打开运行</translation>
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
        <translation>无法运行：%1</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>等待中</translation>
    </message>
    <message>
        <source>%1 of %2 passes</source>
        <translation>%1/%2 次</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>Against the first strategy beside the same other settings</source>
        <translation>与其他设置相同的第一种策略相比</translation>
    </message>
    <message>
        <source>Slowest less fastest pass, in percent of the median</source>
        <translation>最慢与最快之差，占中位数的百分比</translation>
    </message>
    <message>
        <source>Strategy</source>
        <translation>策略</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>批量</translation>
    </message>
    <message>
        <source>Seconds</source>
        <translation>秒</translation>
    </message>
    <message>
        <source>Spread</source>
        <translation>离散度</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
</context>
<context>
    <name>meshreel::SweepPanel</name>
    <message>
        <source>Cells that are done</source>
        <translation>已完成的单元</translation>
    </message>
    <message>
        <source>The sweep</source>
        <translation>扫描</translation>
    </message>
    <message>
        <source>Open a sweep…</source>
        <translation>打开扫描…</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Export CSV…</source>
        <translation>导出 CSV…</translation>
    </message>
    <message>
        <source>Stops; passes that are done are kept</source>
        <translation>停止；保留已完成的结果</translation>
    </message>
    <message>
        <source>Write every pass to a file</source>
        <translation>将每次结果写入文件</translation>
    </message>
    <message>
        <source>Cells of the sweep</source>
        <translation>扫描的单元</translation>
    </message>
    <message>
        <source>Open a sweep</source>
        <translation>打开扫描</translation>
    </message>
    <message>
        <source>Sweeps (*.yaml *.yml)</source>
        <translation>扫描 (*.yaml *.yml)</translation>
    </message>
    <message>
        <source>Export every pass</source>
        <translation>导出每次结果</translation>
    </message>
    <message>
        <source>Table (*.csv)</source>
        <translation>表格 (*.csv)</translation>
    </message>
    <message>
        <source>The passes were written to %1</source>
        <translation>结果已写入 %1</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>A run is going on, and would be measured too</source>
        <translation>正在运行，会影响测量</translation>
    </message>
    <message>
        <source>Times every cell; passes that are there are kept</source>
        <translation>测量每个单元；保留已有结果</translation>
    </message>
    <message numerus="yes">
        <source>%1: %2 of %n cells done, %3 passes each; results in %4</source>
        <comment>name, numbers, folder</comment>
        <translation>
            <numerusform>%1：%n 个单元已完成 %2 个，每个 %3 次；结果在 %4</numerusform>
        </translation>
    </message>
    <message>
        <source>A sweep times modes, meshes, batches and block sizes beside each other: open one, such as configs/sweeps/attention-strategies.yaml.</source>
        <translation>扫描会并排测量模式、网格、批次和块大小：请打开一个，例如 configs/sweeps/attention-strategies.yaml。</translation>
    </message>
</context>
<context>
    <name>meshreel::TileView</name>
    <message>
        <source>Tiles of the score matrix</source>
        <translation>得分矩阵的分块</translation>
    </message>
    <message>
        <source>%1 keys</source>
        <comment>number</comment>
        <translation>%1 个键</translation>
    </message>
    <message>
        <source>%1 queries</source>
        <comment>number</comment>
        <translation>%1 个查询</translation>
    </message>
</context>
<context>
    <name>meshreel::TimingComparison</name>
    <message>
        <source>Slower</source>
        <comment>than the fastest run</comment>
        <translation>慢</translation>
    </message>
    <message>
        <source>How many times as fast as the first run: by seconds a step for videos of one size, by denoising beside pasted timings</source>
        <translation>速度是第一次运行的多少倍：同尺寸视频按每步秒数，与粘贴的计时比较时按去噪耗时</translation>
    </message>
    <message>
        <source>How many times as long as the fastest run, which stands in bold</source>
        <translation>耗时是最快运行（粗体）的多少倍</translation>
    </message>
</context>
<context>
    <name>meshreel::Tour</name>
    <message>
        <source>Tour</source>
        <translation>导览</translation>
    </message>
</context>
<context>
    <name>meshreel::TourCallout</name>
    <message>
        <source>Skip the tour</source>
        <translation>跳过导览</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>上一步</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <comment>stops of the tour</comment>
        <translation>%1/%2</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>下一步</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>开始</translation>
    </message>
</context>
<context>
    <name>meshreel::TunePanel</name>
    <message>
        <source>block_q %1 · block_kv %2: %3 ms</source>
        <comment>sizes and time</comment>
        <translation>block_q %1 · block_kv %2：%3 毫秒</translation>
    </message>
    <message numerus="yes">
        <source>%n choices did not run.</source>
        <translation>
            <numerusform>有 %n 种没有运行。</numerusform>
        </translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Write to project</source>
        <translation>写入项目</translation>
    </message>
    <message>
        <source>Smart ladder</source>
        <translation>精选大小</translation>
    </message>
    <message>
        <source>Full grid</source>
        <translation>全部网格</translation>
    </message>
    <message>
        <source>All</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Which sizes</source>
        <translation>哪些大小</translation>
    </message>
    <message>
        <source>What is tried: a few that divide the sequence well, or all</source>
        <translation>尝试的内容：能整齐划分序列的几种，或全部</translation>
    </message>
    <message>
        <source>Sizes of each block</source>
        <translation>每个块的大小</translation>
    </message>
    <message>
        <source>Sizes of block_q, and of block_kv beside each</source>
        <translation>block_q 的大小，以及每个对应的 block_kv 大小</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Sizes are multiples of this</source>
        <translation>大小是它的倍数</translation>
    </message>
    <message>
        <source>At most</source>
        <translation>最多</translation>
    </message>
    <message>
        <source>Only the first of them are tried</source>
        <translation>只尝试其中最前面的</translation>
    </message>
    <message>
        <source>Passes</source>
        <translation>次数</translation>
    </message>
    <message>
        <source>Passes of each choice that count; the choices take turns</source>
        <translation>每种选择计入的次数；各选择轮流进行</translation>
    </message>
    <message>
        <source>Warm-up</source>
        <translation>预热</translation>
    </message>
    <message>
        <source>Passes of each choice before them</source>
        <translation>每种选择在此之前的次数</translation>
    </message>
    <message>
        <source>Times one block of the transformer with this project&apos;s video, mesh and attention.</source>
        <translation>用本项目的视频、设备网格和注意力测量 transformer 的一个块。</translation>
    </message>
    <message>
        <source>Time by block sizes</source>
        <translation>按块大小的时间</translation>
    </message>
    <message>
        <source>Progress of the search</source>
        <translation>搜索进度</translation>
    </message>
    <message>
        <source>The search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>What was found</source>
        <translation>找到的结果</translation>
    </message>
    <message>
        <source>Sets the project&apos;s block sizes to the fastest; can be undone</source>
        <translation>将项目的块大小设为最快的；可撤销</translation>
    </message>
    <message>
        <source>Cancelled.</source>
        <translation>已取消。</translation>
    </message>
    <message>
        <source>Preparing weights…</source>
        <translation>正在准备权重…</translation>
    </message>
    <message>
        <source>Block sizes that were found</source>
        <translation>找到的块大小</translation>
    </message>
    <message>
        <source>A run is going on, and would be measured too</source>
        <translation>正在运行，会影响测量</translation>
    </message>
    <message numerus="yes">
        <source>%1: %2 queries × %3 keys, %n choices</source>
        <comment>mode, numbers</comment>
        <translation>
            <numerusform>%1：%2 个查询 × %3 个键，%n 种选择</numerusform>
        </translation>
    </message>
    <message>
        <source>Pass %1 of %2, about %3 left</source>
        <comment>counts, duration</comment>
        <translation>第 %1/%2 次，约剩 %3</translation>
    </message>
    <message>
        <source>None of these sizes ran: %1</source>
        <translation>这些大小都没有运行：%1</translation>
    </message>
    <message>
        <source>Fastest: %1.</source>
        <translation>最快：%1。</translation>
    </message>
    <message>
        <source>The project&apos;s own: %1.</source>
        <translation>项目现有的：%1。</translation>
    </message>
    <message>
        <source>%1 % less time.</source>
        <translation>用时少 %1%。</translation>
    </message>
    <message>
        <source>The difference is within the noise: nothing needs to be changed.</source>
        <translation>差异在噪声范围内：无需改动。</translation>
    </message>
    <message>
        <source>The map of block sizes appears here: press Search while nothing else is running.</source>
        <translation>块大小图会出现在这里：请在没有其他任务运行时按“搜索”。</translation>
    </message>
</context>
<context>
    <name>meshreel::YamlEditor</name>
    <message>
        <source>Text of the project</source>
        <translation>项目文本</translation>
    </message>
</context>
<context>
    <name>meshreel::YamlPanel</name>
    <message>
        <source>Go to line</source>
        <translation>转到行</translation>
    </message>
    <message>
        <source>The text and the form agree.</source>
        <translation>文本与表单一致。</translation>
    </message>
    <message>
        <source>Line %1: %2</source>
        <translation>第 %1 行：%2</translation>
    </message>
</context>
</TS>
