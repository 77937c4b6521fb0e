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
        <source>Negative prompt</source>
        <translation>负面提示词</translation>
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
        <translation>MP4 封装的 H.264，随处可播放；元数据中带有项目。</translation>
    </message>
    <message>
        <source>VP9 in WebM, royalty-free, for browsers; carries the project in its metadata.</source>
        <translation>WebM 封装的 VP9，免专利费，适合浏览器；元数据中带有项目。</translation>
    </message>
    <message>
        <source>Looping GIF with one palette of 255 colours per clip; delays are whole hundredths of a second.</source>
        <translation>循环播放的 GIF，每段一个 255 色调色板；延时以百分之一秒为单位。</translation>
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
        <translation>无论设备网格、线程或批次如何划分，同一种子得到相同潜变量</translation>
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
        <translation>使用自定义内核的 Ulysses，用上界代替在线最大值。</translation>
    </message>
    <message>
        <source>Ulysses with the custom kernel; each block of queries has a bound of its own.</source>
        <translation>使用自定义内核的 Ulysses，每个查询块有自己的上界。</translation>
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
        <translation>使用自定义内核的 Ulysses 加环形，用上界代替在线最大值。</translation>
    </message>
    <message>
        <source>Ulysses and ring with the custom kernel; each block of queries has a bound of its own.</source>
        <translation>使用自定义内核的 Ulysses 与环形，每个查询块有自己的上界。</translation>
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
        <source>Key rows of one matrix product inside a key block, which it divides; an upper bound on CPUs that compute in bf16 tiles; 0 takes the kernel&apos;s own.</source>
        <translation>键块内一次矩阵乘积的键行数，须整除键块；在以 bf16 块计算的 CPU 上是上限；0 表示采用内核默认值。</translation>
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
        <translation>每分块注意力头数</translation>
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
        <source>Uniform sharding</source>
        <translation>均匀分片</translation>
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
        <translation>激活值</translation>
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
        <source>Devices that share out the VAE&apos;s width; -1 takes as many as help, about 8.</source>
        <translation>分摊 VAE 宽度的设备数；-1 表示取有效的数量，约 8 个。</translation>
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
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>What run folders are called after; empty takes the project file&apos;s name.</source>
        <translation>运行文件夹的命名依据；留空则取项目文件名。</translation>
    </message>
    <message>
        <source>Workers</source>
        <translation>工作线程数</translation>
    </message>
    <message>
        <source>threads</source>
        <translation>线程</translation>
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
        <translation>Transformer 各块权重的数值类型。激活值为 bfloat16 时，float32 权重也会舍入为 bfloat16；int8 要求激活值为 bfloat16。</translation>
    </message>
    <message>
        <source>8-bit integers with a scale for each output; inputs are rounded to 8 bits too.</source>
        <translation>8 位整数，每个输出有各自的缩放因子；输入也舍入为 8 位。</translation>
    </message>
    <message>
        <source>Number type that the transformer&apos;s blocks compute in. Sums, the residual stream, the time and text embeddings and the output stay float32.</source>
        <translation>Transformer 各块计算所用的数值类型。求和、残差流、时间与文本嵌入以及输出保持 float32。</translation>
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
        <translation>已安装模型的名称、Hugging Face 标识、diffusers 结构的检查点文件夹，或 Transformer 文件（其余部件在模型文件夹中查找）。</translation>
    </message>
    <message>
        <source>Adapters</source>
        <translation>适配器</translation>
    </message>
    <message>
        <source>Transformer</source>
        <translation>Transformer</translation>
    </message>
    <message>
        <source>File or folder of the transformer&apos;s weights; of Wan 2.2&apos;s two the high-noise expert. Empty takes the model&apos;s own.</source>
        <translation>Transformer 权重的文件或文件夹；对 Wan 2.2 的两个 Transformer 而言为高噪声专家。留空则采用模型自带的。</translation>
    </message>
    <message>
        <source>Second transformer</source>
        <translation>第二个 Transformer</translation>
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
        <source>Mask</source>
        <translation>遮罩</translation>
    </message>
    <message>
        <source>Reference images</source>
        <translation>参考图像</translation>
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
        <source>Pose video</source>
        <translation>姿态视频</translation>
    </message>
    <message>
        <source>Face video</source>
        <translation>面部视频</translation>
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
        <translation>潜变量变化很小时整个沿用先前的预测；用于 Wan 2.2 的双 Transformer 模型；为近似。</translation>
    </message>
    <message>
        <source>MagCache</source>
        <translation>MagCache</translation>
    </message>
    <message>
        <source>Leaves the transformer&apos;s blocks out in steps where a curve measured before says that they add what they added before; approximate.</source>
        <translation>若事先测得的曲线表明某些步中 Transformer 各块加入的内容与先前相同，则在这些步中略过各块；为近似。</translation>
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
        <translation>Transformer 各步中，开头由 MagCache 完整计算的比例。</translation>
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
        <translation>计算 Transformer 的第一个块，若其加入的内容与先前几乎相同，则略过其余各块；为近似。</translation>
    </message>
    <message>
        <source>First-block change</source>
        <translation>首块变化量</translation>
    </message>
    <message>
        <source>Relative change of what the first block adds up to which the others are left out.</source>
        <translation>第一个块所加内容的相对变化；不超过此值时略过其余各块。</translation>
    </message>
    <message>
        <source>Compare with run</source>
        <translation>与运行比较</translation>
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
        <translation>本次运行可用的内存。未保留的 Transformer 层每次使用时从检查点读取；0 表示全部保留在内存中。</translation>
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
        <translation>若某步的时间步与前一步几乎相同，则按已公布的拟合略过 Transformer 各块；为近似。</translation>
    </message>
    <message>
        <source>TeaCache change</source>
        <translation>TeaCache 变化量</translation>
    </message>
    <message>
        <source>Change of the prediction that TeaCache may gather before a step is computed in full; 0 takes the model&apos;s own.</source>
        <translation>TeaCache 在完整计算一步之前可累积的预测变化量；0 表示采用模型自带的值。</translation>
    </message>
    <message>
        <source>TeaCache fit</source>
        <translation>TeaCache 拟合</translation>
    </message>
    <message>
        <source>Polynomial from the time embedding&apos;s change to the prediction&apos;s, highest power first; empty takes the one published for the model.</source>
        <translation>由时间嵌入的变化求预测变化的多项式，最高次项在前；留空则采用为该模型公布的多项式。</translation>
    </message>
    <message>
        <source>Seconds of every step, a line a run</source>
        <translation>每步秒数，每次运行一条线</translation>
    </message>
    <message>
        <source>Seconds of load, compile, conditioning, denoising and decoding</source>
        <translation>加载、准备、条件编码、去噪和解码的秒数</translation>
    </message>
    <message>
        <source>Speed against the number of devices, a line an attention mode</source>
        <translation>速度随设备数的变化，每种注意力模式一条线</translation>
    </message>
    <message>
        <source>Time against block_q and block_kv: of runs, or of the table of a tile search</source>
        <translation>用时随 block_q 和 block_kv 的变化：来自运行，或来自分块搜索的表格</translation>
    </message>
    <message>
        <source>What each phase held in memory at most, beside its plan</source>
        <translation>各阶段内存峰值与计划的对照</translation>
    </message>
    <message>
        <source>few blocks with little padding that fit the scratch limit</source>
        <translation>数量少、填充少且不超过暂存上限的块</translation>
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
        <translation>每个设备都需要容纳整个序列的键和值，以及一个查询的全部得分的内存。</translation>
    </message>
    <message>
        <source>queries by token over C; every device gets all keys and values (with attention_sharding_uniform: false it is sharded as ulysses)</source>
        <translation>查询按词元在 C 上划分；每个设备获得全部键和值（attention_sharding_uniform: false 时按 ulysses 划分）</translation>
    </message>
    <message>
        <source>On one device, and on a few when every device has the memory for all keys and values.</source>
        <translation>用于单个设备；各设备的内存容得下全部键和值时，也可用于少数几个设备。</translation>
    </message>
    <message>
        <source>Every device needs the memory for the keys and values of the whole sequence.</source>
        <translation>每个设备都需要容纳整个序列的键和值的内存。</translation>
    </message>
    <message>
        <source>For projects written for MaxDiffusion that name it.</source>
        <translation>用于为 MaxDiffusion 编写且指定了此模式的项目。</translation>
    </message>
    <message>
        <source>For projects that name it; tokamax_ring computes the same and also runs on one device.</source>
        <translation>用于指定了此模式的项目；tokamax_ring 计算相同的内容，并且也能在单个设备上运行。</translation>
    </message>
    <message>
        <source>Refused on one device, where tokamax_ring runs.</source>
        <translation>单个设备上不可用，此时可用 tokamax_ring。</translation>
    </message>
    <message>
        <source>queries, keys and values by token over C</source>
        <translation>查询、键和值按词元在 C 上划分</translation>
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
        <source>heads over C; every device gets all tokens</source>
        <translation>注意力头在 C 上划分；每个设备获得全部词元</translation>
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
        <source>As ulysses_custom_fixed_m, when some queries of a head are too large for its bound.</source>
        <translation>同 ulysses_custom_fixed_m，用于某个注意力头的部分查询超出其上界的情况。</translation>
    </message>
    <message>
        <source>When the devices outnumber the heads, or hosts are linked more slowly than their devices.</source>
        <translation>用于设备多于注意力头，或主机间的连接慢于主机内设备间的连接时。</translation>
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
        <source>As ulysses_ring_custom, from about 16 ring devices on links that have no way around.</source>
        <translation>同 ulysses_ring_custom，用于链路不成环且环上约有 16 个以上设备时。</translation>
    </message>
    <message>
        <source>As ulysses_ring_custom, for heads whose scores stay small enough for a fixed bound.</source>
        <translation>同 ulysses_ring_custom，用于得分足够小、可用固定上界的注意力头。</translation>
    </message>
    <message>
        <source>As ulysses_ring_custom_fixed_m, when some queries of a head are too large for its bound.</source>
        <translation>同 ulysses_ring_custom_fixed_m，用于某个注意力头的部分查询超出其上界的情况。</translation>
    </message>
    <message>
        <source>Never here.</source>
        <translation>此处不可用。</translation>
    </message>
    <message>
        <source>What each device did while one run denoised: computing, exchange, waiting</source>
        <translation>一次运行去噪时每个设备的工作：计算、交换、等待</translation>
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
        <translation>针对 flash 内核得出：要使用这些大小，请选择 flash、ulysses、tokamax_ring 或 ulysses_ring。</translation>
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
        <translation>针对无环的自定义内核得出：要使用这些大小，请选择 ulysses_custom。</translation>
    </message>
    <message>
        <source>TPU v7x, Ulysses and a ring of up to 8</source>
        <translation>TPU v7x，Ulysses 与至多 8 个设备的环</translation>
    </message>
    <message>
        <source>Found for rings of the custom kernel: choose ulysses_ring_custom or tokamax_ring_custom to use these sizes.</source>
        <translation>针对自定义内核的环得出：要使用这些大小，请选择 ulysses_ring_custom 或 tokamax_ring_custom。</translation>
    </message>
    <message>
        <source>TPU v7x, a ring of 16 or more</source>
        <translation>TPU v7x，16 个及以上设备的环</translation>
    </message>
    <message>
        <source>Found for the custom kernels: choose ulysses_custom or ulysses_ring_custom to use these sizes.</source>
        <translation>针对自定义内核得出：要使用这些大小，请选择 ulysses_custom 或 ulysses_ring_custom。</translation>
    </message>
    <message>
        <source>TPU v6e, Ulysses over 4</source>
        <translation>TPU v6e，4 个设备的 Ulysses</translation>
    </message>
    <message>
        <source>TPU v7x, Ulysses over 2 and a ring of 2</source>
        <translation>TPU v7x，2 个设备的 Ulysses 与大小 2 的环</translation>
    </message>
    <message>
        <source>TPU v7x, Wan 2.1 and 2.2 recipes</source>
        <translation>TPU v7x，Wan 2.1 和 2.2 的方案</translation>
    </message>
    <message>
        <source>TPU v6e, Wan 2.2 recipe</source>
        <translation>TPU v6e，Wan 2.2 的方案</translation>
    </message>
    <message>
        <source>MaxDiffusion, pull request 479</source>
        <translation>MaxDiffusion，拉取请求 479</translation>
    </message>
    <message>
        <source>tpu-recipes, Ironwood</source>
        <translation>tpu-recipes，Ironwood</translation>
    </message>
    <message>
        <source>tpu-recipes, Trillium</source>
        <translation>tpu-recipes，Trillium</translation>
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
        <translation>针对固定上界的内核得出：要使用这些大小，请选择 ulysses_custom_fixed_m 或 ulysses_ring_custom_fixed_m。</translation>
    </message>
    <message>
        <source>Task &amp; model</source>
        <translation>任务与模型</translation>
    </message>
    <message>
        <source>Precision &amp; memory</source>
        <translation>精度与内存</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>There is no attention mode &apos;{}&apos;</source>
        <translation>没有注意力模式“{}”</translation>
    </message>
    <message>
        <source>Modes that run: {}</source>
        <translation>可运行的模式：{}</translation>
    </message>
    <message>
        <source>Did you mean {}?</source>
        <translation>您是指 {} 吗？</translation>
    </message>
    <message>
        <source>The attention mode {} does not run here</source>
        <translation>注意力模式 {} 在此无法运行</translation>
    </message>
    <message>
        <source>{} or {}</source>
        <translation>{} 或 {}</translation>
    </message>
    <message>
        <source>{} heads</source>
        <translation>{} 个注意力头</translation>
    </message>
    <message>
        <source>{} heads that the tensor axis of {} leaves to a device</source>
        <translation>{} 个注意力头（由大小为 {} 的张量轴分给一个设备）</translation>
    </message>
    <message>
        <source>{} heads do not divide between {} tensor devices</source>
        <translation>{} 个注意力头无法均分给 {} 个张量轴设备</translation>
    </message>
    <message>
        <source>Use a tensor axis of {}</source>
        <translation>请使用大小为 {} 的张量轴</translation>
    </message>
    <message>
        <source>Use ulysses_shards: {}</source>
        <translation>请使用 ulysses_shards: {}</translation>
    </message>
    <message>
        <source>{} needs ulysses_shards: how many of the {} context devices exchange heads</source>
        <translation>{} 需要 ulysses_shards：上下文轴的 {} 个设备中有多少个交换注意力头</translation>
    </message>
    <message>
        <source>ulysses_shards {} does not divide the {} devices of the context axis</source>
        <translation>ulysses_shards {} 不能整除上下文轴的 {} 个设备</translation>
    </message>
    <message>
        <source>ring is ring attention between devices, and the context axis has one</source>
        <translation>ring 是设备之间的环形注意力，而上下文轴只有一个设备</translation>
    </message>
    <message>
        <source>Use tokamax_ring, which also runs on one device, or flash</source>
        <translation>请使用也能在单个设备上运行的 tokamax_ring，或 flash</translation>
    </message>
    <message>
        <source>{} chunks of heads are impossible</source>
        <translation>注意力头的分段数不能为 {}</translation>
    </message>
    <message>
        <source>Use 1 for one exchange of all heads, more to exchange while computing</source>
        <translation>请使用 1，一次交换全部注意力头；更大的值可边计算边交换</translation>
    </message>
    <message>
        <source>{} works on one head at a time, because each head has a bound of its own, and heads_per_tile is {}</source>
        <translation>{} 一次只处理一个注意力头，因为每个头有各自的上界，而 heads_per_tile 为 {}</translation>
    </message>
    <message>
        <source>{} works on one head at a time, and heads_per_tile is {}</source>
        <translation>{} 一次只处理一个注意力头，而 heads_per_tile 为 {}</translation>
    </message>
    <message>
        <source>Use 1, or attention: {}</source>
        <translation>请使用 1，或 attention: {}</translation>
    </message>
    <message>
        <source>Use a positive number, or 0 for the default of {}</source>
        <translation>请使用正数，或用 0 表示默认值 {}</translation>
    </message>
    <message>
        <source>A block of {} is impossible</source>
        <translation>块大小不能为 {}</translation>
    </message>
    <message>
        <source>A number of heads of {} is impossible</source>
        <translation>注意力头数不能为 {}</translation>
    </message>
    <message>
        <source>A limit of {} bytes is impossible</source>
        <translation>上限不能为 {} 字节</translation>
    </message>
    <message>
        <source>Use a positive number, or 0 for no limit</source>
        <translation>请使用正数，或用 0 表示不限</translation>
    </message>
    <message>
        <source>block_kv_compute {} does not divide block_kv {}</source>
        <translation>block_kv_compute {} 不能整除 block_kv {}</translation>
    </message>
    <message>
        <source>The nearest legal value is {}</source>
        <translation>最接近的合法值为 {}</translation>
    </message>
    <message>
        <source>Tiles of {} queries, {} keys, {} keys at a time and {} heads need {} bytes of scratch per worker with heads of {}, and vmem_limit_bytes is {}</source>
        <translation>{0} 个查询、{1} 个键、每次 {2} 个键、{3} 个注意力头的分块在头维度为 {5} 时，每个工作线程需要 {4} 字节暂存内存，而 vmem_limit_bytes 为 {6}</translation>
    </message>
    <message>
        <source>Use smaller block_q, block_kv or block_kv_compute, a limit of at least {}, or 0 for no limit</source>
        <translation>请使用较小的 block_q、block_kv 或 block_kv_compute，或不低于 {} 的上限，或用 0 表示不限</translation>
    </message>
    <message>
        <source>the file could not be written ({})</source>
        <translation>无法写入文件（{}）</translation>
    </message>
    <message>
        <source>Free some space or choose another disk; what was written before is kept</source>
        <translation>请腾出一些空间，或选择另一块磁盘；此前写入的内容已保留</translation>
    </message>
    <message>
        <source>Choose a folder that exists and that you may write to</source>
        <translation>请选择已存在且可写的文件夹</translation>
    </message>
    <message>
        <source>this is not a file</source>
        <translation>这不是文件</translation>
    </message>
    <message>
        <source>there is no such file</source>
        <translation>没有这个文件</translation>
    </message>
    <message>
        <source>Check the path</source>
        <translation>请检查路径</translation>
    </message>
    <message>
        <source>the file cannot be read ({})</source>
        <translation>无法读取文件（{}）</translation>
    </message>
    <message>
        <source>Check its permissions</source>
        <translation>请检查其权限</translation>
    </message>
    <message>
        <source>No temporary folder can be made</source>
        <translation>无法创建临时文件夹</translation>
    </message>
    <message>
        <source>Set TMPDIR to a writable folder</source>
        <translation>请将 TMPDIR 设为可写的文件夹</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>there is no instruction set &quot;{}&quot;</source>
        <translation>没有指令集“{}”</translation>
    </message>
    <message>
        <source>Choose one of {}</source>
        <translation>请选择以下之一：{}</translation>
    </message>
    <message>
        <source>This CPU has no {}</source>
        <translation>此 CPU 不支持 {}</translation>
    </message>
    <message>
        <source>It has {}</source>
        <translation>它支持 {}</translation>
    </message>
    <message>
        <source>A packed linear layer of {}x{} in &quot;{}&quot; has parts of other sizes</source>
        <translation>以“{2}”格式打包的 {0}x{1} 线性层，各部分的大小不符</translation>
    </message>
    <message>
        <source>Pack the weights again</source>
        <translation>请重新打包权重</translation>
    </message>
    <message>
        <source>The weights are packed as &quot;{}&quot;; here they are packed as &quot;{}&quot;</source>
        <translation>权重的打包格式为“{}”，此处使用的是“{}”</translation>
    </message>
    <message>
        <source>Pack them again</source>
        <translation>请重新打包</translation>
    </message>
    <message>
        <source>Choose an MP4, WebM, GIF or WebP video or a PNG or JPEG image</source>
        <translation>请选择 MP4、WebM、GIF 或 WebP 视频，或 PNG 或 JPEG 图像</translation>
    </message>
    <message>
        <source>The file is damaged or incomplete: copy or write it again</source>
        <translation>文件已损坏或不完整：请重新复制或写出</translation>
    </message>
    <message>
        <source>this is not a video or image that can be read ({})</source>
        <translation>这不是可读取的视频或图像（{}）</translation>
    </message>
    <message>
        <source>the video cannot be read ({})</source>
        <translation>无法读取视频（{}）</translation>
    </message>
    <message>
        <source>the last {} bytes of the video are missing</source>
        <translation>视频末尾缺少 {} 字节</translation>
    </message>
    <message>
        <source>there is no video in this file that can be decoded</source>
        <translation>此文件中没有可解码的视频</translation>
    </message>
    <message>
        <source>the video&apos;s {} stream cannot be decoded ({})</source>
        <translation>无法解码视频的 {} 流（{}）</translation>
    </message>
    <message>
        <source>frame {} of {} cannot be read ({})</source>
        <translation>无法读取第 {} 帧，共 {} 帧（{}）</translation>
    </message>
    <message>
        <source>the picture changes its size at frame {}</source>
        <translation>画面尺寸在第 {} 帧处改变</translation>
    </message>
    <message>
        <source>Convert the video to one size first</source>
        <translation>请先将视频转换为统一的尺寸</translation>
    </message>
    <message>
        <source>this system&apos;s libavformat cannot write {}</source>
        <translation>此系统的 libavformat 无法写入 {}</translation>
    </message>
    <message>
        <source>Choose another video format</source>
        <translation>请选择另一种视频格式</translation>
    </message>
    <message>
        <source>this system&apos;s libavcodec has no encoder {}</source>
        <translation>此系统的 libavcodec 没有编码器 {}</translation>
    </message>
    <message>
        <source>the encoder {} refuses {}x{} ({})</source>
        <translation>编码器 {} 不接受 {}x{}（{}）</translation>
    </message>
    <message>
        <source>Choose another size or video format</source>
        <translation>请选择另一种尺寸或视频格式</translation>
    </message>
    <message>
        <source>the folder could not be put into place ({})</source>
        <translation>无法将文件夹放到目标位置（{}）</translation>
    </message>
    <message>
        <source>Remove what lies there or choose another name</source>
        <translation>请移除该处的内容，或另选名称</translation>
    </message>
    <message>
        <source>frames of {}x{} cannot be compared with frames of {}x{}</source>
        <translation>{}x{} 的帧无法与 {}x{} 的帧比较</translation>
    </message>
    <message>
        <source>Compare videos of one size</source>
        <translation>请比较尺寸相同的视频</translation>
    </message>
    <message>
        <source>videos of the shapes {} and {} cannot be compared</source>
        <translation>形状为 {} 和 {} 的视频无法比较</translation>
    </message>
    <message>
        <source>Compare videos of one size and length</source>
        <translation>请比较尺寸和长度相同的视频</translation>
    </message>
    <message>
        <source>{} frames a second cannot be written</source>
        <translation>无法写入每秒 {} 帧的视频</translation>
    </message>
    <message>
        <source>Choose a rate from {} to {}</source>
        <translation>请选择 {} 至 {} 的帧率</translation>
    </message>
    <message>
        <source>this system&apos;s libavcodec cannot write PNG</source>
        <translation>此系统的 libavcodec 无法写入 PNG</translation>
    </message>
    <message>
        <source>Install the full libavcodec</source>
        <translation>请安装完整的 libavcodec</translation>
    </message>
    <message>
        <source>an image of {}x{} cannot be written as PNG ({})</source>
        <translation>无法将 {}x{} 的图像写为 PNG（{}）</translation>
    </message>
    <message>
        <source>this is a folder, not an image</source>
        <translation>这是文件夹，不是图像</translation>
    </message>
    <message>
        <source>Choose a PNG, JPEG, BMP, TIFF or WebP image</source>
        <translation>请选择 PNG、JPEG、BMP、TIFF 或 WebP 图像</translation>
    </message>
    <message>
        <source>there is no picture in this file</source>
        <translation>此文件中没有图片</translation>
    </message>
    <message>
        <source>It is not an object</source>
        <translation>内容不是对象</translation>
    </message>
    <message>
        <source>The value is neither true nor false</source>
        <translation>值既不是 true 也不是 false</translation>
    </message>
    <message>
        <source>The value is not a number above 0</source>
        <translation>值不是大于 0 的数</translation>
    </message>
    <message>
        <source>The value {} is not a number of pixels from 1 to {}</source>
        <translation>值 {} 不是 1 至 {} 的像素数</translation>
    </message>
    <message>
        <source>The value is not a list of three numbers</source>
        <translation>值不是三个数的列表</translation>
    </message>
    <message>
        <source>Use the preprocessor_config.json that came with the image encoder</source>
        <translation>请使用图像编码器自带的 preprocessor_config.json</translation>
    </message>
    <message>
        <source>The filter {} is not supported, only {} (Lanczos), {} (bilinear) and {} (bicubic)</source>
        <translation>不支持滤波器 {}，仅支持 {}（Lanczos）、{}（双线性）和 {}（双三次）</translation>
    </message>
    <message>
        <source>A standard deviation is not positive</source>
        <translation>有标准差不是正数</translation>
    </message>
    <message>
        <source>an image of {}x{} pixels cannot be resized to {}x{}</source>
        <translation>无法将 {}x{} 像素的图像缩放到 {}x{}</translation>
    </message>
    <message>
        <source>Choose a smaller image, or a size from 1x1 on</source>
        <translation>请选择较小的图像，或不小于 1x1 的尺寸</translation>
    </message>
    <message>
        <source>there is not enough memory for the metadata</source>
        <translation>内存不足以容纳元数据</translation>
    </message>
    <message>
        <source>the video could not be written ({})</source>
        <translation>无法写入视频（{}）</translation>
    </message>
    <message>
        <source>a frame could not be allocated ({})</source>
        <translation>无法分配帧（{}）</translation>
    </message>
    <message>
        <source>Close other programs or choose a smaller size</source>
        <translation>请关闭其他程序，或选择较小的尺寸</translation>
    </message>
    <message>
        <source>there is not enough memory for the video</source>
        <translation>内存不足以容纳视频</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>pixels of the format {} cannot be converted to RGB</source>
        <translation>格式为 {} 的像素无法转换为 RGB</translation>
    </message>
    <message>
        <source>Convert the file to MP4 or PNG first</source>
        <translation>请先将文件转换为 MP4 或 PNG</translation>
    </message>
    <message>
        <source>an image cannot be resized to {}x{}</source>
        <translation>无法将图像缩放到 {}x{}</translation>
    </message>
    <message>
        <source>Choose a size from 1x1 on</source>
        <translation>请选择不小于 1x1 的尺寸</translation>
    </message>
    <message>
        <source>this folder holds no frames named {} and on</source>
        <translation>此文件夹中没有从 {} 开始编号的帧</translation>
    </message>
    <message>
        <source>this frame has another size than the first one</source>
        <translation>此帧与第一帧尺寸不同</translation>
    </message>
    <message>
        <source>Write the frames again</source>
        <translation>请重新写出这些帧</translation>
    </message>
    <message>
        <source>Choose another file</source>
        <translation>请选择另一个文件</translation>
    </message>
    <message>
        <source>Choose a video or image file</source>
        <translation>请选择视频或图像文件</translation>
    </message>
    <message>
        <source>no project is stored in this file, and there is no {} beside it</source>
        <translation>此文件中未存有项目，旁边也没有 {}</translation>
    </message>
    <message>
        <source>Choose a video that Meshreel wrote</source>
        <translation>请选择由 Meshreel 写出的视频</translation>
    </message>
    <message>
        <source>this system&apos;s libavcodec cannot write {}: it has no {} encoder</source>
        <translation>此系统的 libavcodec 无法写入 {}：没有 {} 编码器</translation>
    </message>
    <message>
        <source>Choose another video format, such as png or gif</source>
        <translation>请选择另一种视频格式，例如 png 或 gif</translation>
    </message>
    <message>
        <source>there is no frame to write</source>
        <translation>没有可写的帧</translation>
    </message>
    <message>
        <source>Ask for at least one frame</source>
        <translation>请至少要求一帧</translation>
    </message>
    <message>
        <source>the video quality {} is out of range</source>
        <translation>视频质量 {} 超出范围</translation>
    </message>
    <message>
        <source>Choose {} to {}</source>
        <translation>请选择 {} 至 {}</translation>
    </message>
    <message>
        <source>GIF cannot show {} frames a second</source>
        <translation>GIF 无法以每秒 {} 帧显示</translation>
    </message>
    <message>
        <source>Choose at most {} or another video format</source>
        <translation>请选择不超过 {} 的值，或另一种视频格式</translation>
    </message>
    <message>
        <source>{} needs an even width and height, not {}x{}</source>
        <translation>{} 要求宽和高为偶数，而不是 {}x{}</translation>
    </message>
    <message>
        <source>Choose sizes divisible by 16, or GIF, WebP or PNG</source>
        <translation>请选择能被 16 整除的尺寸，或 GIF、WebP 或 PNG</translation>
    </message>
    <message>
        <source>its header gives an impossible size</source>
        <translation>文件头给出的尺寸不可能存在</translation>
    </message>
    <message>
        <source>it is shorter than its header says</source>
        <translation>短于文件头所述的长度</translation>
    </message>
    <message>
        <source>it holds no frame</source>
        <translation>不含任何帧</translation>
    </message>
    <message>
        <source>the WebP cannot be read: {}</source>
        <translation>无法读取 WebP：{}</translation>
    </message>
    <message>
        <source>rank {} on {}</source>
        <translation>{1} 上的进程 {0}</translation>
    </message>
    <message>
        <source>{} failed: {}</source>
        <translation>{} 失败：{}</translation>
    </message>
    <message>
        <source>{} is a second axis of -1</source>
        <translation>{} 是第二个值为 -1 的轴</translation>
    </message>
    <message>
        <source>Only one axis can take the devices that are left; write 1 here</source>
        <translation>只能有一个轴取剩余的设备；请在此写 1</translation>
    </message>
    <message>
        <source>The axes of the mesh ask for more than {} devices</source>
        <translation>设备网格的各轴需要的设备超过 {} 个</translation>
    </message>
    <message>
        <source>Make an axis smaller</source>
        <translation>请缩小某个轴</translation>
    </message>
    <message>
        <source>The nearest legal values are {} and {}</source>
        <translation>最接近的合法值为 {} 和 {}</translation>
    </message>
    <message>
        <source>devices is {}, which is not a multiple of the {} that the axes ask for</source>
        <translation>devices 为 {}，不是各轴所需的 {} 的倍数</translation>
    </message>
    <message>
        <source>devices is {}, and the axes of the mesh multiply to {}</source>
        <translation>devices 为 {}，而设备网格各轴之积为 {}</translation>
    </message>
    <message>
        <source>Write {}, or -1 on the axis that shall take what is left</source>
        <translation>请写 {}，或将要取剩余设备的轴写为 -1</translation>
    </message>
    <message>
        <source>{} processes cannot share {} devices evenly</source>
        <translation>{} 个进程无法均分 {} 个设备</translation>
    </message>
    <message>
        <source>Start {} or {}, or ask for {} devices</source>
        <translation>请启动 {} 个或 {} 个进程，或要求 {} 个设备</translation>
    </message>
    <message>
        <source>Start {}, or ask for {} devices</source>
        <translation>请启动 {} 个进程，或要求 {} 个设备</translation>
    </message>
    <message>
        <source>device {} waited {:g} s for what device {} should send</source>
        <translation>设备 {0} 等待设备 {2} 应发送的内容，已等 {1} 秒</translation>
    </message>
    <message>
        <source>device {} waited {:g} s for device {} to take what it was sent</source>
        <translation>设备 {0} 等待设备 {2} 接收发给它的内容，已等 {1} 秒</translation>
    </message>
    <message>
        <source>Look why the other device hangs, or set stall_timeout higher when it is only slow</source>
        <translation>请查明另一设备为何挂起；若它只是较慢，请调大 stall_timeout</translation>
    </message>
    <message>
        <source>MPI failed: {}</source>
        <translation>MPI 失败：{}</translation>
    </message>
    <message>
        <source>Check the network between the hosts</source>
        <translation>请检查主机之间的网络</translation>
    </message>
    <message>
        <source>this MPI library does not support threads</source>
        <translation>此 MPI 库不支持多线程</translation>
    </message>
    <message>
        <source>Install Open MPI 4.1 as Debian packages it</source>
        <translation>请安装 Debian 打包的 Open MPI 4.1</translation>
    </message>
    <message>
        <source>Install the same build of Meshreel on every host</source>
        <translation>请在每台主机上安装同一构建的 Meshreel</translation>
    </message>
    <message>
        <source>Use hosts of one kind</source>
        <translation>请使用同类主机</translation>
    </message>
    <message>
        <source>the byte order</source>
        <translation>字节序</translation>
    </message>
    <message>
        <source>the pointer size</source>
        <translation>指针大小</translation>
    </message>
    <message>
        <source>{} bits</source>
        <translation>{} 位</translation>
    </message>
    <message>
        <source>the version</source>
        <translation>版本</translation>
    </message>
    <message>
        <source>the protocol</source>
        <translation>协议</translation>
    </message>
    <message>
        <source>the build</source>
        <translation>构建</translation>
    </message>
    <message>
        <source>rank {} on host {} and rank 0 on host {} differ in {}: {} and {}</source>
        <translation>主机 {1} 上的进程 {0} 与主机 {2} 上的进程 0 的{3}不同：{4} 和 {5}</translation>
    </message>
    <message>
        <source>{} devices cannot be shared out evenly to {} MPI ranks</source>
        <translation>{} 个设备无法均分给 {} 个 MPI 进程</translation>
    </message>
    <message>
        <source>Start as many ranks as divide the number of devices, or change the mesh</source>
        <translation>请使启动的进程数能整除设备数，或更改设备网格</translation>
    </message>
    <message>
        <source>Make the hosts alike</source>
        <translation>请使各主机保持一致</translation>
    </message>
    <message>
        <source>{}, {}</source>
        <translation>{}、{}</translation>
    </message>
    <message>
        <source>nothing moved between device {} and {} for {} s</source>
        <translation>设备 {} 与 {} 之间已有 {} 秒没有传输</translation>
    </message>
    <message>
        <source>Look at those hosts; raise stall_timeout if they are only slow</source>
        <translation>请检查这些主机；若只是较慢，请调大 stall_timeout</translation>
    </message>
    <message>
        <source>Use the config.json that came with the weights</source>
        <translation>请使用权重自带的 config.json</translation>
    </message>
    <message>
        <source>How many features images of {} pixels a side have, {} has to say</source>
        <translation>边长 {} 像素的图像有多少个特征，须由 {} 说明</translation>
    </message>
    <message>
        <source>Faces of {}x{} pixels are not halved down to 4x4</source>
        <translation>{}x{} 像素的面部无法逐次减半到 4x4</translation>
    </message>
    <message>
        <source>{} directions of motion do not fit into {} features</source>
        <translation>{} 个运动方向放不进 {} 个特征</translation>
    </message>
    <message>
        <source>{} blocks cannot be shared out in groups of {}, each with a face adapter</source>
        <translation>{} 个块无法按每组 {} 个均分，使每组有一个面部适配器</translation>
    </message>
    <message>
        <source>The value {} is not a whole number from 1 to {}</source>
        <translation>值 {} 不是 1 至 {} 的整数</translation>
    </message>
    <message>
        <source>The key is missing</source>
        <translation>缺少此键</translation>
    </message>
    <message>
        <source>The value is not a list of {} numbers</source>
        <translation>值不是 {} 个数的列表</translation>
    </message>
    <message>
        <source>The value {} is not a positive number</source>
        <translation>值 {} 不是正数</translation>
    </message>
    <message>
        <source>The value {} is neither true nor false</source>
        <translation>值 {} 既不是 true 也不是 false</translation>
    </message>
    <message>
        <source>The value {} is not a text</source>
        <translation>值 {} 不是文本</translation>
    </message>
    <message>
        <source>There are {}</source>
        <translation>现有 {}</translation>
    </message>
    <message>
        <source>There is no architecture &apos;{}&apos;</source>
        <translation>没有架构“{}”</translation>
    </message>
    <message>
        <source>Did you mean {}? {}</source>
        <translation>您是指 {} 吗？{}</translation>
    </message>
    <message>
        <source>{} has no layers to leave out</source>
        <translation>{} 没有可省略的层</translation>
    </message>
    <message>
        <source>Leave the option out: its levels need each other</source>
        <translation>请去掉此选项：其各级相互依赖</translation>
    </message>
    <message>
        <source>{} has {} layers, not {}</source>
        <translation>{} 有 {} 层，不是 {} 层</translation>
    </message>
    <message>
        <source>Choose 1 to {}</source>
        <translation>请选择 1 至 {}</translation>
    </message>
    <message>
        <source>{} has shape {}</source>
        <translation>{} 的形状为 {}</translation>
    </message>
    <message>
        <source>The file is of another model</source>
        <translation>该文件属于另一个模型</translation>
    </message>
    <message>
        <source>Put the model&apos;s config.json beside the weights, in a folder of their own</source>
        <translation>请将模型的 config.json 与权重放在同一个单独的文件夹中</translation>
    </message>
    <message>
        <source>its width {} is no multiple of {}, the channels of a head in Wan models: how many heads it has cannot be told from its tensors</source>
        <translation>宽度 {} 不是 {}（Wan 模型每个注意力头的通道数）的倍数：无法从其张量得知有多少个注意力头</translation>
    </message>
    <message>
        <source>it has {} latent channels, and the statistics of such latents are known for {} (Wan 2.1) and {} (Wan 2.2) only</source>
        <translation>有 {} 个潜变量通道，而只有 {} 个（Wan 2.1）和 {} 个（Wan 2.2）通道的潜变量的统计量是已知的</translation>
    </message>
    <message>
        <source>The image encoder takes images [batch, 3, {}, {}], not {}</source>
        <translation>图像编码器接受 [批次, 3, {}, {}] 的图像，而不是 {}</translation>
    </message>
    <message>
        <source>Use the image processor that belongs to the image encoder</source>
        <translation>请使用属于该图像编码器的图像处理器</translation>
    </message>
    <message>
        <source>Use the image encoder that belongs to the Wan checkpoint</source>
        <translation>请使用属于该 Wan 检查点的图像编码器</translation>
    </message>
    <message>
        <source>The activation {} is not supported</source>
        <translation>不支持激活函数 {}</translation>
    </message>
    <message>
        <source>Only encoders of RGB images are supported</source>
        <translation>仅支持 RGB 图像的编码器</translation>
    </message>
    <message>
        <source>{} channels cannot be shared out to {} heads</source>
        <translation>{} 个通道无法均分给 {} 个注意力头</translation>
    </message>
    <message>
        <source>a part of a packed weight has the unknown type {}</source>
        <translation>打包权重的某一部分类型未知：{}</translation>
    </message>
    <message>
        <source>the weight is packed in another format</source>
        <translation>权重以另一种格式打包</translation>
    </message>
    <message>
        <source>a part of a packed weight has another size than its shape</source>
        <translation>打包权重的某一部分大小与其形状不符</translation>
    </message>
    <message>
        <source>Token {} lies outside the text encoder&apos;s vocabulary of {}</source>
        <translation>词元 {} 超出文本编码器大小为 {} 的词表</translation>
    </message>
    <message>
        <source>Use the tokenizer and text encoder of one checkpoint</source>
        <translation>请使用同一检查点的分词器和文本编码器</translation>
    </message>
    <message>
        <source>Only the gated-gelu feed-forward of UMT5 is supported</source>
        <translation>仅支持 UMT5 的 gated-gelu 前馈</translation>
    </message>
    <message>
        <source>Use the text encoder that belongs to the Wan checkpoint</source>
        <translation>请使用属于该 Wan 检查点的文本编码器</translation>
    </message>
    <message>
        <source>{} buckets up to a distance of {} leave no room for the logarithmic ones</source>
        <translation>{} 个桶覆盖到距离 {}，没有给对数桶留出余地</translation>
    </message>
    <message>
        <source>The transformer needs latents [batch, {}, frames, rows, columns], got {}</source>
        <translation>Transformer 需要潜变量 [批次, {}, 帧, 行, 列]，得到的是 {}</translation>
    </message>
    <message>
        <source>Use the VAE that belongs to the transformer</source>
        <translation>请使用属于该 Transformer 的 VAE</translation>
    </message>
    <message>
        <source>Latents of shape {} cannot be cut into patches of {} x {} x {}</source>
        <translation>形状为 {} 的潜变量无法切成 {} x {} x {} 的图块</translation>
    </message>
    <message>
        <source>Choose width and height divisible by 16</source>
        <translation>请选择能被 16 整除的宽和高</translation>
    </message>
    <message>
        <source>Latents of shape {} have {} patches along one axis, the model knows {}</source>
        <translation>形状为 {} 的潜变量沿某一轴有 {} 个图块，而模型只支持 {} 个</translation>
    </message>
    <message>
        <source>Make a smaller or shorter video</source>
        <translation>请生成更小或更短的视频</translation>
    </message>
    <message>
        <source>{} videos of this transformer need image embeddings [{}, {}, {}], got {}</source>
        <translation>此 Transformer 的 {} 个视频需要图像嵌入 [{}, {}, {}]，得到的是 {}</translation>
    </message>
    <message>
        <source>Use the image encoder that belongs to the transformer</source>
        <translation>请使用属于该 Transformer 的图像编码器</translation>
    </message>
    <message>
        <source>{} tensor shards cannot share out {} heads and {} feed-forward features evenly</source>
        <translation>{} 个张量分片无法均分 {} 个注意力头和 {} 个前馈特征</translation>
    </message>
    <message>
        <source>Choose a product of ici_tensor_parallelism and dcn_tensor_parallelism among {}</source>
        <translation>请使 ici_tensor_parallelism 与 dcn_tensor_parallelism 之积为以下之一：{}</translation>
    </message>
    <message>
        <source>This transformer has no use for {}</source>
        <translation>此 Transformer 不使用{}</translation>
    </message>
    <message>
        <source>This transformer needs {}</source>
        <translation>此 Transformer 需要{}</translation>
    </message>
    <message>
        <source>Choose the task that the model was made for</source>
        <translation>请选择该模型所针对的任务</translation>
    </message>
    <message>
        <source>{} videos of this transformer need face videos [{}, {}, frames, {}, {}], got {}</source>
        <translation>此 Transformer 的 {} 个视频需要面部视频 [{}, {}, 帧, {}, {}]，得到的是 {}</translation>
    </message>
    <message>
        <source>Scale the faces to {}x{} pixels</source>
        <translation>请将面部缩放到 {}x{} 像素</translation>
    </message>
    <message>
        <source>a control video</source>
        <translation>控制视频</translation>
    </message>
    <message>
        <source>Latents of shape {} need a control of {} channels and no other size, got {}</source>
        <translation>形状为 {} 的潜变量需要 {} 个通道且尺寸相同的控制输入，得到的是 {}</translation>
    </message>
    <message>
        <source>Encode the control video at the size of the video</source>
        <translation>请按视频的尺寸编码控制视频</translation>
    </message>
    <message>
        <source>{} control scales were given for {} VACE blocks</source>
        <translation>给出了 {} 个控制强度，而 VACE 块有 {} 个</translation>
    </message>
    <message>
        <source>Give one scale for each block, or one for all</source>
        <translation>请为每块各给一个强度，或为所有块给一个</translation>
    </message>
    <message>
        <source>a pose video</source>
        <translation>姿态视频</translation>
    </message>
    <message>
        <source>Latents of shape {} need a pose of {} channels and {} frames, got {}</source>
        <translation>形状为 {} 的潜变量需要 {} 个通道、{} 帧的姿态，得到的是 {}</translation>
    </message>
    <message>
        <source>Encode the pose video at the size of the video</source>
        <translation>请按视频的尺寸编码姿态视频</translation>
    </message>
    <message>
        <source>The transformer needs text embeddings [batch, tokens, {}], got {}</source>
        <translation>Transformer 需要文本嵌入 [批次, 词元, {}]，得到的是 {}</translation>
    </message>
    <message>
        <source>Use the text encoder that belongs to the transformer</source>
        <translation>请使用属于该 Transformer 的文本编码器</translation>
    </message>
    <message>
        <source>the embedding of an image</source>
        <translation>图像嵌入</translation>
    </message>
    <message>
        <source>a face video</source>
        <translation>面部视频</translation>
    </message>
    <message>
        <source>Latents of {} videos with {} tokens each got timesteps of shape {}</source>
        <translation>{} 个视频、每个 {} 个词元的潜变量得到了形状为 {} 的时间步</translation>
    </message>
    <message>
        <source>Give one timestep for each video or for each of its tokens</source>
        <translation>请为每个视频或其每个词元各给一个时间步</translation>
    </message>
    <message>
        <source>The {} tokens of a video cannot be shared out to {} frames of a face</source>
        <translation>视频的 {} 个词元无法均分给面部的 {} 帧</translation>
    </message>
    <message>
        <source>Give 4 (F - 2) + 1 face images for F latent frames</source>
        <translation>请为 F 个潜变量帧给出 4 (F - 2) + 1 张面部图像</translation>
    </message>
    <message>
        <source>The norm &apos;{}&apos; of queries and keys is not supported</source>
        <translation>不支持查询和键的归一化“{}”</translation>
    </message>
    <message>
        <source>Supported are {} and null</source>
        <translation>支持 {} 和 null</translation>
    </message>
    <message>
        <source>A model of images has both image_dim and added_kv_proj_dim</source>
        <translation>图像模型须同时有 image_dim 和 added_kv_proj_dim</translation>
    </message>
    <message>
        <source>Keys of {} features do not fit a model of {} x {}</source>
        <translation>{} 个特征的键与 {} x {} 的模型不符</translation>
    </message>
    <message>
        <source>Positions are those of two images of equal length</source>
        <translation>位置须属于两张等长的图像</translation>
    </message>
    <message>
        <source>The value is not a list of blocks</source>
        <translation>值不是块的列表</translation>
    </message>
    <message>
        <source>VACE layers ascend from 0 and stay below the {} of the model</source>
        <translation>VACE 层须从 0 起递增，且小于模型的层数 {}</translation>
    </message>
    <message>
        <source>{} channels are not those of noise, mask and condition of {}</source>
        <translation>{} 个通道不等于各 {} 个通道的噪声和条件与遮罩之和</translation>
    </message>
    <message>
        <source>The head dimension {} is odd, which rotary embedding cannot pair</source>
        <translation>头维度 {} 为奇数，旋转位置编码无法配对</translation>
    </message>
    <message>
        <source>A VAE of {} video channels has no colour preview</source>
        <translation>有 {} 个视频通道的 VAE 没有彩色预览</translation>
    </message>
    <message>
        <source>Use a VAE of RGB videos</source>
        <translation>请使用 RGB 视频的 VAE</translation>
    </message>
    <message>
        <source>The shape {} is not [batch, {} channels, frames, height, width]</source>
        <translation>形状 {} 不是 [批次, {} 个通道, 帧, 高, 宽]</translation>
    </message>
    <message>
        <source>Use a VAE and a transformer of the same model</source>
        <translation>请使用同一模型的 VAE 和 Transformer</translation>
    </message>
    <message>
        <source>Frames of {}x{} pixels are too small to encode</source>
        <translation>{}x{} 像素的帧太小，无法编码</translation>
    </message>
    <message>
        <source>Use at least {}x{} pixels</source>
        <translation>请至少使用 {}x{} 像素</translation>
    </message>
    <message>
        <source>This VAE cannot encode frames of {}x{} pixels</source>
        <translation>此 VAE 无法编码 {}x{} 像素的帧</translation>
    </message>
    <message>
        <source>Use a width and a height that are multiples of {}</source>
        <translation>请使用为 {} 的倍数的宽和高</translation>
    </message>
    <message>
        <source>A VAE that shortens time by {} cannot encode a video {} frames at a time</source>
        <translation>在时间上压缩 {} 倍的 VAE 无法每次编码 {} 帧视频</translation>
    </message>
    <message>
        <source>Encode single images, or use a VAE that shortens time by 4</source>
        <translation>请编码单张图像，或使用在时间上压缩 4 倍的 VAE</translation>
    </message>
    <message>
        <source>Use the Wan 2.1 VAE, which all 14B and 1.3B models share, or the Wan 2.2 VAE of TI2V-5B</source>
        <translation>请使用所有 14B 和 1.3B 模型共用的 Wan 2.1 VAE，或 TI2V-5B 的 Wan 2.2 VAE</translation>
    </message>
    <message>
        <source>A VAE of class {} is not supported, only {}</source>
        <translation>不支持 {} 类的 VAE，仅支持 {}</translation>
    </message>
    <message>
        <source>Attention between the residual blocks is not supported</source>
        <translation>不支持残差块之间的注意力</translation>
    </message>
    <message>
        <source>{} channels are not those of {}x{} pixels (patch_size)</source>
        <translation>{} 个通道与 {}x{} 像素（patch_size）不符</translation>
    </message>
    <message>
        <source>No shortcut (is_residual) leads from a level of width {} to one of {}</source>
        <translation>没有从宽度 {} 的级到宽度 {} 的级的捷径连接（is_residual）</translation>
    </message>
    <message>
        <source>{} levels; 1 to {} are possible</source>
        <translation>有 {} 级；可为 1 至 {} 级</translation>
    </message>
    <message>
        <source>{} values for {} levels in dim_mult; there must be one fewer than levels</source>
        <translation>有 {} 个值，而 dim_mult 有 {} 级；值须比级数少一个</translation>
    </message>
    <message>
        <source>The value {} is not a number</source>
        <translation>值 {} 不是数</translation>
    </message>
    <message>
        <source>{} values for {} latent channels (z_dim)</source>
        <translation>有 {} 个值，而潜变量通道有 {} 个（z_dim）</translation>
    </message>
    <message>
        <source>The value is not a list</source>
        <translation>值不是列表</translation>
    </message>
    <message>
        <source>{} devices cannot be shared out to {} strips of the VAE: the total number of devices must be a multiple of vae_spatial</source>
        <translation>{} 个设备无法均分给 VAE 的 {} 个条带：设备总数必须是 vae_spatial 的倍数</translation>
    </message>
    <message>
        <source>Use -1 for all devices, or a divisor of {}</source>
        <translation>请用 -1 表示全部设备，或使用 {} 的约数</translation>
    </message>
    <message>
        <source>VAE tiles of {} pixels in {} at a distance of {} cannot be laid</source>
        <translation>{1} {0} 像素、间距 {2} 的 VAE 分块无法铺排</translation>
    </message>
    <message>
        <source>Choose a distance that is a multiple of {} and not above the tile&apos;s {}</source>
        <translation>请选择为 {} 的倍数且不超过分块{}的间距</translation>
    </message>
    <message>
        <source>VAE tiles at a distance of {} leave {} of {} pixels at the border</source>
        <translation>间距为 {} 的 VAE 分块在边缘只留下 {} 像素，共 {} 像素</translation>
    </message>
    <message>
        <source>Use frames whose sides are multiples of {}</source>
        <translation>请使用边长为 {} 的倍数的帧</translation>
    </message>
    <message>
        <source>This VAE cannot encode VAE tiles of {} pixels in {}</source>
        <translation>此 VAE 无法编码{1}为 {0} 像素的 VAE 分块</translation>
    </message>
    <message>
        <source>Choose a multiple of {}</source>
        <translation>请选择 {} 的倍数</translation>
    </message>
    <message>
        <source>height</source>
        <translation>高度</translation>
    </message>
    <message>
        <source>width</source>
        <translation>宽度</translation>
    </message>
    <message>
        <source>the checkpoint of the run ({} after {} steps) does not belong to its project ({}, {} steps)</source>
        <translation>运行的检查点（{}，{} 步之后）不属于其项目（{}，{} 步）</translation>
    </message>
    <message>
        <source>Start the run again</source>
        <translation>请重新开始运行</translation>
    </message>
    <message>
        <source>there is no noise named &quot;{}&quot;</source>
        <translation>没有名为“{}”的噪声</translation>
    </message>
    <message>
        <source>Use counter or torch_cpu</source>
        <translation>请使用 counter 或 torch_cpu</translation>
    </message>
    <message>
        <source>the checkpoint of the run lacks the scheduler&apos;s &quot;{}&quot;</source>
        <translation>运行的检查点缺少调度器的“{}”</translation>
    </message>
    <message>
        <source>{} has {} frames, and num_frames is {}</source>
        <translation>{} 有 {} 帧，而 num_frames 为 {}</translation>
    </message>
    <message>
        <source>Use a longer one, or num_frames of at most {}</source>
        <translation>请使用更长的，或使 num_frames 不超过 {}</translation>
    </message>
    <message>
        <source>a reference image of {} x {} pixels is smaller than {} x {}</source>
        <translation>{} x {} 像素的参考图像小于 {} x {}</translation>
    </message>
    <message>
        <source>Use a larger image</source>
        <translation>请使用更大的图像</translation>
    </message>
    <message>
        <source>weights_dtype int8 with activations_dtype bfloat16</source>
        <translation>weights_dtype int8 和 activations_dtype bfloat16</translation>
    </message>
    <message>
        <source>memory_budget {:g} (layers are read from the checkpoint when they are used)</source>
        <translation>memory_budget {}（层在使用时从检查点读取）</translation>
    </message>
    <message>
        <source>width {} and height {}</source>
        <translation>width {} 和 height {}</translation>
    </message>
    <message>
        <source>ici_fsdp_parallelism {} with ici_context_parallelism and dcn_context_parallelism 1</source>
        <translation>ici_fsdp_parallelism {} 且 ici_context_parallelism 和 dcn_context_parallelism 为 1</translation>
    </message>
    <message>
        <source>decoding</source>
        <translation>解码</translation>
    </message>
    <message>
        <source>denoising</source>
        <translation>去噪</translation>
    </message>
    <message>
        <source>encoding the prompt</source>
        <translation>编码提示词</translation>
    </message>
    <message>
        <source>loading</source>
        <translation>加载</translation>
    </message>
    <message>
        <source>the run needs about {} of memory for {}, and {} are available</source>
        <translation>运行在{1}时约需 {0} 内存，而可用的有 {2}</translation>
    </message>
    <message>
        <source>the run needs about {} of memory for {} with no layer kept in memory, and memory_budget allows {}</source>
        <translation>即使不在内存中保留任何层，运行在{1}时也约需 {0} 内存，而 memory_budget 允许 {2}</translation>
    </message>
    <message>
        <source>No smaller video fits either: use a smaller model, or close other programs</source>
        <translation>更小的视频也放不下：请使用更小的模型，或关闭其他程序</translation>
    </message>
    <message>
        <source>{}, or {}</source>
        <translation>{}，或 {}</translation>
    </message>
    <message>
        <source>This fits: {}; or close other programs</source>
        <translation>这样可以放下：{}；或者请关闭其他程序</translation>
    </message>
    <message>
        <source>there is no such adapter</source>
        <translation>没有这个适配器</translation>
    </message>
    <message>
        <source>Check the path in lora, or put the file into {}</source>
        <translation>请检查 lora 中的路径，或将文件放入 {}</translation>
    </message>
    <message>
        <source>an adapter is meant for the {} expert, and the model has one transformer</source>
        <translation>有适配器针对 {} 专家，而该模型只有一个 Transformer</translation>
    </message>
    <message>
        <source>Remove &quot;expert&quot;, or use a model of two experts (Wan 2.2 A14B)</source>
        <translation>请去掉 &quot;expert&quot;，或使用有两个专家的模型（Wan 2.2 A14B）</translation>
    </message>
    <message>
        <source>the model&apos;s files cannot be put together ({})</source>
        <translation>无法组合模型的文件（{}）</translation>
    </message>
    <message>
        <source>Check that the cache folder can be written to</source>
        <translation>请检查缓存文件夹是否可写</translation>
    </message>
    <message>
        <source>preset {} needs a high-noise step-distilled adapter (LoRA) for {}, and there is none</source>
        <translation>预设 {} 需要用于 {} 的高噪声步数蒸馏适配器（LoRA），而现在没有</translation>
    </message>
    <message>
        <source>preset {} needs a low-noise step-distilled adapter (LoRA) for {}, and there is none</source>
        <translation>预设 {} 需要用于 {} 的低噪声步数蒸馏适配器（LoRA），而现在没有</translation>
    </message>
    <message>
        <source>preset {} needs a step-distilled adapter (LoRA) for {}, and there is none</source>
        <translation>预设 {} 需要用于 {} 的步数蒸馏适配器（LoRA），而现在没有</translation>
    </message>
    <message>
        <source>a step-distilled LoRA of TI2V-5B</source>
        <translation>TI2V-5B 的步数蒸馏 LoRA</translation>
    </message>
    <message>
        <source>Put one (for example {}) into {}, name one in lora, or, for a checkpoint that is distilled itself, write preset: distilled-model-4</source>
        <translation>请将一个（例如 {}）放入 {}，或在 lora 中指定一个；若检查点本身已蒸馏，请写 preset: distilled-model-4</translation>
    </message>
    <message>
        <source>Use a Wan checkpoint in diffusers layout</source>
        <translation>请使用 diffusers 结构的 Wan 检查点</translation>
    </message>
    <message>
        <source>_class_name is missing</source>
        <translation>缺少 _class_name</translation>
    </message>
    <message>
        <source>this is a model for &quot;{}&quot;, not for Wan</source>
        <translation>这是用于“{}”的模型，不是 Wan 的</translation>
    </message>
    <message>
        <source>the {} is missing, not {}</source>
        <translation>缺少 {}，应为 {}</translation>
    </message>
    <message>
        <source>the {} is {}, not {}</source>
        <translation>{} 是 {}，应为 {}</translation>
    </message>
    <message>
        <source>there is neither tokenizer.json nor spiece.model</source>
        <translation>既没有 tokenizer.json，也没有 spiece.model</translation>
    </message>
    <message>
        <source>Download the model&apos;s tokenizer folder again</source>
        <translation>请重新下载模型的分词器文件夹</translation>
    </message>
    <message>
        <source>this is {}, which Meshreel does not run</source>
        <translation>这是 {}，Meshreel 不支持运行</translation>
    </message>
    <message>
        <source>the transformer wants texts of width {} (text_dim), and the text encoder gives {} (d_model)</source>
        <translation>Transformer 需要宽度为 {} 的文本（text_dim），而文本编码器给出 {}（d_model）</translation>
    </message>
    <message>
        <source>Use transformer and text encoder of the same model</source>
        <translation>请使用同一模型的 Transformer 和文本编码器</translation>
    </message>
    <message>
        <source>the transformer works on latents of {} channels ({} out), and the VAE has {} (z_dim)</source>
        <translation>Transformer 处理 {} 个通道的潜变量（输出 {} 个），而 VAE 有 {} 个（z_dim）</translation>
    </message>
    <message>
        <source>Use transformer and VAE of the same model, of one of these kinds: {}</source>
        <translation>请使用同一模型的 Transformer 和 VAE，模型为以下种类之一：{}</translation>
    </message>
    <message>
        <source>the VAE makes {} colour channels, not 3</source>
        <translation>VAE 生成 {} 个颜色通道，而不是 3 个</translation>
    </message>
    <message>
        <source>Use the VAE of a Wan model</source>
        <translation>请使用 Wan 模型的 VAE</translation>
    </message>
    <message>
        <source>the two transformers are not of one kind</source>
        <translation>两个 Transformer 不属于同一种类</translation>
    </message>
    <message>
        <source>Use the two experts of the same model</source>
        <translation>请使用同一模型的两个专家</translation>
    </message>
    <message>
        <source>the transformer wants images of width {} (image_dim), and the image encoder gives {} (hidden_size)</source>
        <translation>Transformer 需要宽度为 {} 的图像（image_dim），而图像编码器给出 {}（hidden_size）</translation>
    </message>
    <message>
        <source>Use transformer and image encoder of the same model</source>
        <translation>请使用同一模型的 Transformer 和图像编码器</translation>
    </message>
    <message>
        <source>Installed: nothing</source>
        <translation>已安装：无</translation>
    </message>
    <message>
        <source>Installed: {}</source>
        <translation>已安装：{}</translation>
    </message>
    <message>
        <source>the model &quot;{}&quot; is not installed</source>
        <translation>模型“{}”未安装</translation>
    </message>
    <message>
        <source>{}; or give the path of a checkpoint folder</source>
        <translation>{}；或者请给出检查点文件夹的路径</translation>
    </message>
    <message>
        <source>the model &quot;{}&quot; is not on this machine</source>
        <translation>本机上没有模型“{}”</translation>
    </message>
    <message>
        <source>there is no such checkpoint folder</source>
        <translation>没有这个检查点文件夹</translation>
    </message>
    <message>
        <source>Check pretrained_model_name_or_path</source>
        <translation>请检查 pretrained_model_name_or_path</translation>
    </message>
    <message>
        <source>the folder holds no {}</source>
        <translation>文件夹中没有 {}</translation>
    </message>
    <message>
        <source>Give a checkpoint in diffusers layout (a repository whose name ends in -Diffusers)</source>
        <translation>请给出 diffusers 结构的检查点（名称以 -Diffusers 结尾的仓库）</translation>
    </message>
    <message>
        <source>there is no such folder</source>
        <translation>没有这个文件夹</translation>
    </message>
    <message>
        <source>no model is named</source>
        <translation>未指定模型</translation>
    </message>
    <message>
        <source>Name an installed model, for example tiny-wan-t2v</source>
        <translation>请指定已安装的模型，例如 tiny-wan-t2v</translation>
    </message>
    <message>
        <source>a text encoder UMT5-XXL (umt5_xxl_fp16.safetensors, umt5_xxl_fp8_e4m3fn_scaled.safetensors, umt5-xxl-encoder-Q8_0.gguf or models_t5_umt5-xxl-enc-bf16.pth)</source>
        <translation>文本编码器 UMT5-XXL（umt5_xxl_fp16.safetensors、umt5_xxl_fp8_e4m3fn_scaled.safetensors、umt5-xxl-encoder-Q8_0.gguf 或 models_t5_umt5-xxl-enc-bf16.pth）</translation>
    </message>
    <message>
        <source>UMT5&apos;s tokenizer (a folder with spiece.model or tokenizer.json, of google/umt5-xxl)</source>
        <translation>UMT5 的分词器（含 spiece.model 或 tokenizer.json 的文件夹，来自 google/umt5-xxl）</translation>
    </message>
    <message>
        <source>the VAE of Wan 2.1 (wan_2.1_vae.safetensors or Wan2.1_VAE.pth)</source>
        <translation>Wan 2.1 的 VAE（wan_2.1_vae.safetensors 或 Wan2.1_VAE.pth）</translation>
    </message>
    <message>
        <source>the VAE of Wan 2.2 (wan2.2_vae.safetensors or Wan2.2_VAE.pth)</source>
        <translation>Wan 2.2 的 VAE（wan2.2_vae.safetensors 或 Wan2.2_VAE.pth）</translation>
    </message>
    <message>
        <source>the image encoder CLIP ViT-H (clip_vision_h.safetensors)</source>
        <translation>图像编码器 CLIP ViT-H（clip_vision_h.safetensors）</translation>
    </message>
    <message>
        <source>the other of the two experts (the file of the same name with &quot;low_noise&quot; in place of &quot;high_noise&quot;, or the other way round)</source>
        <translation>两个专家中的另一个（名称相同、以 &quot;low_noise&quot; 代替 &quot;high_noise&quot; 的文件，或反之）</translation>
    </message>
    <message>
        <source>there is no such {}</source>
        <translation>没有这个 {}</translation>
    </message>
    <message>
        <source>Check parts.{}, or put the file into {}</source>
        <translation>请检查 parts.{}，或将文件放入 {}</translation>
    </message>
    <message>
        <source>the project names neither a model nor a transformer</source>
        <translation>项目既未指定模型，也未指定 Transformer</translation>
    </message>
    <message>
        <source>Name a model, or the transformer&apos;s file in parts.transformer</source>
        <translation>请指定模型，或在 parts.transformer 中指定 Transformer 的文件</translation>
    </message>
    <message>
        <source>Use a Wan 2.1 or 2.2 model</source>
        <translation>请使用 Wan 2.1 或 2.2 模型</translation>
    </message>
    <message>
        <source>With both files of an A14B model name them in parts.transformer and parts.transformer_2</source>
        <translation>若 A14B 模型的两个文件都有，请在 parts.transformer 和 parts.transformer_2 中指定</translation>
    </message>
    <message>
        <source>the model lacks {}</source>
        <translation>模型缺少 {}</translation>
    </message>
    <message>
        <source>Put into {} (any folder below it): {}; or name files in parts.{}. docs/models.md says where they come from</source>
        <translation>请在 {}（其下任意文件夹均可）中放入：{}；或在 parts.{} 中指定文件。docs/models.md 说明了它们的来源</translation>
    </message>
    <message>
        <source>{}; {}</source>
        <translation>{}；{}</translation>
    </message>
    <message>
        <source>No video of this image&apos;s form and {} pixels at most has sides that are multiples of {}</source>
        <translation>没有一种长宽比与此图像相同、不超过 {} 像素的视频，其边长为 {} 的倍数</translation>
    </message>
    <message>
        <source>Choose a larger area, or an image that is less long and narrow</source>
        <translation>请选择更大的面积，或不那么狭长的图像</translation>
    </message>
    <message>
        <source>fps is {}, and the model ({}) makes {} frames a second</source>
        <translation>fps 为 {}，而该模型（{}）每秒生成 {} 帧</translation>
    </message>
    <message>
        <source>{} CPU</source>
        <translation>{} 个 CPU</translation>
    </message>
    <message>
        <source>{} CPUs</source>
        <translation>{} 个 CPU</translation>
    </message>
    <message>
        <source>The run takes about {} of the {} of memory that are available</source>
        <translation>运行约占用 {} 内存，而可用的有 {}</translation>
    </message>
    <message>
        <source>{} and {} more</source>
        <translation>{} 以及另外 {} 个</translation>
    </message>
    <message>
        <source>Changes {}</source>
        <translation>更改 {}</translation>
    </message>
    <message>
        <source>{}; fits nothing: {}</source>
        <translation>{}；以下与模型不匹配：{}</translation>
    </message>
    <message>
        <source>{} is for models with two transformers, and this has one</source>
        <translation>{} 用于有两个 Transformer 的模型，而此模型只有一个</translation>
    </message>
    <message>
        <source>Remove the line, or use guidance_scale</source>
        <translation>请删除该行，或使用 guidance_scale</translation>
    </message>
    <message>
        <source>the model has two transformers and does not say where the second takes over</source>
        <translation>模型有两个 Transformer，却未说明第二个从何处接替</translation>
    </message>
    <message>
        <source>Write boundary_ratio: 0.875 (Wan 2.2 text to video) or 0.9 (image to video)</source>
        <translation>请写 boundary_ratio: 0.875（Wan 2.2 文生视频）或 0.9（图生视频）</translation>
    </message>
    <message>
        <source>conditioning_scale holds {} numbers, and the model has {} VACE blocks</source>
        <translation>conditioning_scale 含 {} 个数，而模型有 {} 个 VACE 块</translation>
    </message>
    <message>
        <source>Write one number for all, or one for each</source>
        <translation>请为所有块写一个数，或每块写一个数</translation>
    </message>
    <message>
        <source>{}; installed: {}</source>
        <translation>{}；已安装：{}</translation>
    </message>
    <message>
        <source>{}: {}</source>
        <translation>{}：{}</translation>
    </message>
    <message>
        <source>the run writes up to {}, and {} are free on the disk</source>
        <translation>运行最多写入 {}，而磁盘上空闲的有 {}</translation>
    </message>
    <message>
        <source>measure one: meshreel calibrate magcache PROJECT -o FILE, and write mag_ratios_file: FILE</source>
        <translation>测量一条：meshreel calibrate magcache PROJECT -o FILE，并写 mag_ratios_file: FILE</translation>
    </message>
    <message>
        <source>there is no published MagCache curve for {}</source>
        <translation>没有为 {} 公布的 MagCache 曲线</translation>
    </message>
    <message>
        <source>Write false, or {}</source>
        <translation>请写 false，或{}</translation>
    </message>
    <message>
        <source>the published MagCache curve of {} was measured with flow_shift {}, and it is {}</source>
        <translation>为 {} 公布的 MagCache 曲线是在 flow_shift 为 {} 时测得的，而此处为 {}</translation>
    </message>
    <message>
        <source>Write flow_shift: {}, or {}</source>
        <translation>请写 flow_shift: {}，或{}</translation>
    </message>
    <message>
        <source>The MagCache curve was measured on a transformer of {} blocks, and this has {}; meshreel calibrate magcache measures one for it</source>
        <translation>该 MagCache 曲线是在 {} 个块的 Transformer 上测得的，而此 Transformer 有 {} 个；meshreel calibrate magcache 可为它测量一条</translation>
    </message>
    <message>
        <source>there are no published TeaCache coefficients for {} with {} blocks</source>
        <translation>没有为 {}（{} 个块）公布的 TeaCache 系数</translation>
    </message>
    <message>
        <source>Write false and use use_first_block_cache, or give teacache_coefficients and teacache_thresh</source>
        <translation>请写 false 并使用 use_first_block_cache，或给出 teacache_coefficients 和 teacache_thresh</translation>
    </message>
    <message>
        <source>Write false, or use use_magcache or use_first_block_cache</source>
        <translation>请写 false，或使用 use_magcache 或 use_first_block_cache</translation>
    </message>
    <message>
        <source>the {} is made for Wan 2.2&apos;s models of two transformers, and this is {}</source>
        <translation>{} 用于 Wan 2.2 的双 Transformer 模型，而此模型为 {}</translation>
    </message>
    <message>
        <source>the {} was never tried on {}</source>
        <translation>{} 从未在 {} 上试过</translation>
    </message>
    <message>
        <source>Use a file that meshreel calibrate magcache has written</source>
        <translation>请使用由 meshreel calibrate magcache 写出的文件</translation>
    </message>
    <message>
        <source>it has no list {}</source>
        <translation>没有列表 {}</translation>
    </message>
    <message>
        <source>its list holds something else than numbers</source>
        <translation>列表中有不是数的内容</translation>
    </message>
    <message>
        <source>It does {}; {} is done by {}</source>
        <translation>它支持 {}；支持 {} 的有 {}</translation>
    </message>
    <message>
        <source>{} ({}) needs {}</source>
        <translation>{}（{}）需要 {}</translation>
    </message>
    <message>
        <source>Name a file: {}: PATH</source>
        <translation>请指定文件：{}: PATH</translation>
    </message>
    <message>
        <source>{} is not used by {} ({})</source>
        <translation>{1}（{2}）不使用 {0}</translation>
    </message>
    <message>
        <source>Remove the line, or choose another task</source>
        <translation>请删除该行，或选择另一个任务</translation>
    </message>
    <message>
        <source>mask is given without the video that it belongs to</source>
        <translation>给出了 mask，却没有它所属的视频</translation>
    </message>
    <message>
        <source>Name the video, too: video: PATH</source>
        <translation>请同时指定视频：video: PATH</translation>
    </message>
    <message>
        <source>{} is {}, and this model makes multiples of {}</source>
        <translation>{} 为 {}，而此模型只生成 {} 的倍数</translation>
    </message>
    <message>
        <source>{} is {}, and this model makes multiples of {} plus {}</source>
        <translation>{} 为 {}，而此模型只生成 {} 的倍数加 {}</translation>
    </message>
    <message>
        <source>{} makes {} patches along one axis, and this model knows {} positions</source>
        <translation>{} 沿某一轴产生 {} 个图块，而此模型只支持 {} 个位置</translation>
    </message>
    <message>
        <source>Make it smaller</source>
        <translation>请将其减小</translation>
    </message>
    <message>
        <source>{} holds {}</source>
        <translation>{} 含有 {}</translation>
    </message>
    <message>
        <source>the batch is of {} videos</source>
        <translation>批次有 {} 个视频</translation>
    </message>
    <message>
        <source>Make {} at most in one run</source>
        <translation>请在一次运行中最多生成 {} 个</translation>
    </message>
    <message>
        <source>the first-block cache decides for one video, and the batch has several</source>
        <translation>首块缓存针对单个视频作判断，而批次有多个视频</translation>
    </message>
    <message>
        <source>Write false, or make one video in a run</source>
        <translation>请写 false，或一次运行只生成一个视频</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is hexadecimal; numbers are decimal</source>
        <translation>“{}”是十六进制；数须为十进制</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is octal; numbers are decimal</source>
        <translation>“{}”是八进制；数须为十进制</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is binary; numbers are decimal</source>
        <translation>“{}”是二进制；数须为十进制</translation>
    </message>
    <message>
        <source>Write {}</source>
        <translation>请写 {}</translation>
    </message>
    <message>
        <source>Write it in decimal digits</source>
        <translation>请用十进制数字书写</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is not a whole number</source>
        <translation>“{}”不是整数</translation>
    </message>
    <message>
        <source>Write a decimal whole number</source>
        <translation>请写十进制整数</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is not a number</source>
        <translation>“{}”不是数</translation>
    </message>
    <message>
        <source>Write a decimal number</source>
        <translation>请写十进制数</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is not a finite number</source>
        <translation>“{}”不是有限数</translation>
    </message>
    <message>
        <source>Write a finite decimal number</source>
        <translation>请写有限的十进制数</translation>
    </message>
    <message>
        <source>&quot;{}&quot; starts with 0, which some read as octal</source>
        <translation>“{}”以 0 开头，有些程序会当作八进制读取</translation>
    </message>
    <message>
        <source>&quot;{}&quot; has digit separators</source>
        <translation>“{}”含有数字分隔符</translation>
    </message>
    <message>
        <source>{} is not a whole number</source>
        <translation>{} 不是整数</translation>
    </message>
    <message>
        <source>Write it in digits alone</source>
        <translation>请只用数字书写</translation>
    </message>
    <message>
        <source>{} is not written as a whole number</source>
        <translation>{} 未按整数书写</translation>
    </message>
    <message>
        <source>Write {:.0f}</source>
        <translation>请写 {}</translation>
    </message>
    <message>
        <source>The nearest are {:.0f} and {:.0f}</source>
        <translation>最接近的是 {} 和 {}</translation>
    </message>
    <message>
        <source>{} has too many digits</source>
        <translation>{} 的位数过多</translation>
    </message>
    <message>
        <source>Whole numbers have at most 63 bits</source>
        <translation>整数最多 63 个二进制位</translation>
    </message>
    <message>
        <source>{} is out of the range of numbers</source>
        <translation>{} 超出数的范围</translation>
    </message>
    <message>
        <source>A project is a list of keys and values</source>
        <translation>项目是键和值的列表</translation>
    </message>
    <message>
        <source>Write one key and its value on a line, key: value</source>
        <translation>请每行写一个键和它的值：key: value</translation>
    </message>
    <message>
        <source>A --set value is not UTF-8</source>
        <translation>--set 的值不是 UTF-8</translation>
    </message>
    <message>
        <source>Use a UTF-8 terminal</source>
        <translation>请使用 UTF-8 终端</translation>
    </message>
    <message>
        <source>&quot;{}&quot; does not set anything</source>
        <translation>“{}”没有设置任何内容</translation>
    </message>
    <message>
        <source>Write key=value</source>
        <translation>请写 key=value</translation>
    </message>
    <message>
        <source>{} and {} say it</source>
        <translation>由 {} 和 {} 指定</translation>
    </message>
    <message>
        <source>{}. {}</source>
        <translation>{}。{}</translation>
    </message>
    <message>
        <source>this is how it is here</source>
        <translation>在此本来就是如此</translation>
    </message>
    <message>
        <source>it has another name here</source>
        <translation>它在此另有名称</translation>
    </message>
    <message>
        <source>this version uses the checkpoint&apos;s weights as they are</source>
        <translation>此版本按原样使用检查点的权重</translation>
    </message>
    <message>
        <source>Write background_video: PATH</source>
        <translation>请写 background_video: PATH</translation>
    </message>
    <message>
        <source>Write face_video: PATH</source>
        <translation>请写 face_video: PATH</translation>
    </message>
    <message>
        <source>nothing is fetched from the network</source>
        <translation>不从网络获取任何内容</translation>
    </message>
    <message>
        <source>Download the picture and write image: PATH</source>
        <translation>请下载该图片，并写 image: PATH</translation>
    </message>
    <message>
        <source>Write mask: PATH</source>
        <translation>请写 mask: PATH</translation>
    </message>
    <message>
        <source>the model&apos;s files tell what it is</source>
        <translation>由模型的文件得知它是什么</translation>
    </message>
    <message>
        <source>batch_prompts and batch_seeds say which videos</source>
        <translation>由 batch_prompts 和 batch_seeds 指定生成哪些视频</translation>
    </message>
    <message>
        <source>Write pose_video: PATH</source>
        <translation>请写 pose_video: PATH</translation>
    </message>
    <message>
        <source>Write image: PATH</source>
        <translation>请写 image: PATH</translation>
    </message>
    <message>
        <source>Write false</source>
        <translation>请写 false</translation>
    </message>
    <message>
        <source>Name it in parts.transformer</source>
        <translation>请在 parts.transformer 中指定</translation>
    </message>
    <message>
        <source>meshreel tune searches block sizes</source>
        <translation>块大小由 meshreel tune 搜索</translation>
    </message>
    <message>
        <source>there is no backward pass</source>
        <translation>没有反向传播</translation>
    </message>
    <message>
        <source>of the audio and video models of LTX</source>
        <translation>属于 LTX 的音视频模型</translation>
    </message>
    <message>
        <source>of Animate, which takes its values from the model</source>
        <translation>属于 Animate，其值取自模型</translation>
    </message>
    <message>
        <source>of models that make pictures</source>
        <translation>属于生成图片的模型</translation>
    </message>
    <message>
        <source>every run records its timings and a trace</source>
        <translation>每次运行都会记录计时和跟踪</translation>
    </message>
    <message>
        <source>nothing is compiled by XLA, and the rules of sharding are built in</source>
        <translation>没有内容由 XLA 编译，分片规则是内置的</translation>
    </message>
    <message>
        <source>weights are read as they were released</source>
        <translation>权重按发布时的原样读取</translation>
    </message>
    <message>
        <source>weights are rounded to int8 by weights_dtype: int8</source>
        <translation>权重由 weights_dtype: int8 舍入为 int8</translation>
    </message>
    <message>
        <source>keys of a step cache</source>
        <translation>属于步缓存的键</translation>
    </message>
    <message>
        <source>the keys of the prompt are kept, and both prompts are encoded together, always</source>
        <translation>提示词的键总是保留，两个提示词也总是一起编码</translation>
    </message>
    <message>
        <source>guidance_scale alone says whether there is guidance</source>
        <translation>是否有引导只由 guidance_scale 决定</translation>
    </message>
    <message>
        <source>run folders hold what a run leaves: see --out</source>
        <translation>运行留下的内容都在运行文件夹中：见 --out</translation>
    </message>
    <message>
        <source>nothing is trained here</source>
        <translation>此处不进行训练</translation>
    </message>
    <message>
        <source>the scheduler is the checkpoint&apos;s, or that of the key scheduler</source>
        <translation>调度器取自检查点，或由键 scheduler 指定</translation>
    </message>
    <message>
        <source>of other programs than generation</source>
        <translation>属于生成以外的其他程序</translation>
    </message>
    <message>
        <source>{}: there is no file {}</source>
        <translation>{}：没有文件 {}</translation>
    </message>
    <message>
        <source>Check the path; one that does not begin with / starts at the project&apos;s folder</source>
        <translation>请检查路径；不以 / 开头的路径从项目的文件夹算起</translation>
    </message>
    <message>
        <source>{} is {}, below its least</source>
        <translation>{} 为 {}，低于最小值</translation>
    </message>
    <message>
        <source>The nearest legal value is {} ({} is automatic)</source>
        <translation>最接近的合法值为 {}（{} 表示自动）</translation>
    </message>
    <message>
        <source>{} is {}, above its most</source>
        <translation>{} 为 {}，高于最大值</translation>
    </message>
    <message>
        <source>{} is not a finite number</source>
        <translation>{} 不是有限数</translation>
    </message>
    <message>
        <source>{} cannot be &quot;{}&quot;</source>
        <translation>{} 不能为“{}”</translation>
    </message>
    <message>
        <source>The choices are {}</source>
        <translation>可选值为 {}</translation>
    </message>
    <message>
        <source>Did you mean &quot;{}&quot;? The choices are {}</source>
        <translation>您是指“{}”吗？可选值为 {}</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is not true or false</source>
        <translation>“{}”不是 true 或 false</translation>
    </message>
    <message>
        <source>Write true</source>
        <translation>请写 true</translation>
    </message>
    <message>
        <source>Write true or false</source>
        <translation>请写 true 或 false</translation>
    </message>
    <message>
        <source>Write [{{file: PATH, strength: 1}}]</source>
        <translation>请写 [{{file: PATH, strength: 1}}]</translation>
    </message>
    <message>
        <source>choice</source>
        <translation>选项</translation>
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
        <translation>true 或 false</translation>
    </message>
    <message>
        <source>text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>list</source>
        <translation>列表</translation>
    </message>
    <message>
        <source>An adapter&apos;s {} is not one text</source>
        <translation>适配器的 {} 不是单个文本</translation>
    </message>
    <message>
        <source>Write one value behind it</source>
        <translation>请在其后写一个值</translation>
    </message>
    <message>
        <source>strength {} is beyond its range</source>
        <translation>strength {} 超出范围</translation>
    </message>
    <message>
        <source>Write a number from -{} to {}; 1 is the adapter as it was trained</source>
        <translation>请写 -{} 至 {} 的数；1 为适配器训练时的效果</translation>
    </message>
    <message>
        <source>expert cannot be &quot;{:.80}&quot;</source>
        <translation>expert 不能为“{}”</translation>
    </message>
    <message>
        <source>Write high, low or all</source>
        <translation>请写 high、low 或 all</translation>
    </message>
    <message>
        <source>An adapter is neither a path nor a map</source>
        <translation>适配器既不是路径，也不是映射</translation>
    </message>
    <message>
        <source>Write {{file: PATH, strength: 1}}</source>
        <translation>请写 {{file: PATH, strength: 1}}</translation>
    </message>
    <message>
        <source>An adapter has no &quot;{:.80}&quot;</source>
        <translation>适配器没有“{}”这个键</translation>
    </message>
    <message>
        <source>Its keys are {}</source>
        <translation>它的键为 {}</translation>
    </message>
    <message>
        <source>An adapter has no file</source>
        <translation>适配器没有文件</translation>
    </message>
    <message>
        <source>Name the adapters in lora: [{{file: PATH}}]</source>
        <translation>请在 lora 中指定适配器：[{{file: PATH}}]</translation>
    </message>
    <message>
        <source>lora_config has no lora_model_name_or_path for adapter {}</source>
        <translation>lora_config 没有适配器 {} 的 lora_model_name_or_path</translation>
    </message>
    <message>
        <source>Give all its lists the same length</source>
        <translation>请使其所有列表长度相同</translation>
    </message>
    <message>
        <source>Write numbers above 0, up to {}</source>
        <translation>请写大于 0、不超过 {} 的数</translation>
    </message>
    <message>
        <source>{} do not descend</source>
        <translation>{} 没有递减</translation>
    </message>
    <message>
        <source>Write each once, largest first</source>
        <translation>请每个只写一次，最大的在前</translation>
    </message>
    <message>
        <source>Write numbers separated by commas</source>
        <translation>请写以逗号分隔的数</translation>
    </message>
    <message>
        <source>{} and {} are both given</source>
        <translation>{} 和 {} 同时给出</translation>
    </message>
    <message>
        <source>Remove one of them</source>
        <translation>请去掉其中一个</translation>
    </message>
    <message>
        <source>Write numbers from 0 to 100</source>
        <translation>请写 0 至 100 的数</translation>
    </message>
    <message>
        <source>conditioning_scale is empty</source>
        <translation>conditioning_scale 为空</translation>
    </message>
    <message>
        <source>{} (and {} more)</source>
        <translation>{}（另有 {} 个问题）</translation>
    </message>
    <message>
        <source>The file names no version and is read as version {}</source>
        <translation>文件未注明版本，按版本 {} 读取</translation>
    </message>
    <message>
        <source>Write version: {}, or open it with the Meshreel that wrote it</source>
        <translation>请写 version: {}，或用写出它的 Meshreel 打开</translation>
    </message>
    <message>
        <source>{} has no value</source>
        <translation>{} 没有值</translation>
    </message>
    <message>
        <source>Write &quot;&quot; for no text, or remove the line</source>
        <translation>请写 &quot;&quot; 表示没有文本，或删除该行</translation>
    </message>
    <message>
        <source>Write a value, or remove the line</source>
        <translation>请写一个值，或删除该行</translation>
    </message>
    <message>
        <source>{} holds several values</source>
        <translation>{} 含有多个值</translation>
    </message>
    <message>
        <source>Write one value: {}</source>
        <translation>请写一个值：{}</translation>
    </message>
    <message>
        <source>{} is in quotes, but it is not a text</source>
        <translation>{} 带有引号，但它不是文本</translation>
    </message>
    <message>
        <source>Remove the quotes</source>
        <translation>请去掉引号</translation>
    </message>
    <message>
        <source>enable_lora is true, but no adapter is named</source>
        <translation>enable_lora 为 true，但未指定适配器</translation>
    </message>
    <message>
        <source>Name them in lora: [{{file: PATH, strength: 1}}]</source>
        <translation>请在 lora 中指定：[{{file: PATH, strength: 1}}]</translation>
    </message>
    <message>
        <source>{} is not possible: {}</source>
        <translation>{} 不可用：{}</translation>
    </message>
    <message>
        <source>{} has no effect: {}</source>
        <translation>{} 不起作用：{}</translation>
    </message>
    <message>
        <source>{} is a map of keys</source>
        <translation>{} 是键的映射</translation>
    </message>
    <message>
        <source>Write its keys below it, indented, or set one with {}.KEY=VALUE</source>
        <translation>请在其下缩进书写它的键，或用 {}.KEY=VALUE 设置其中一个</translation>
    </message>
    <message>
        <source>There is no key &quot;{:.80}&quot;</source>
        <translation>没有键“{}”</translation>
    </message>
    <message>
        <source>docs/project-keys.md lists all keys</source>
        <translation>docs/project-keys.md 列出了所有键</translation>
    </message>
    <message>
        <source>Did you mean &quot;{}&quot;?</source>
        <translation>您是指“{}”吗？</translation>
    </message>
    <message>
        <source>1 MaxDiffusion key has no meaning here and is ignored: {}</source>
        <translation>1 个 MaxDiffusion 键在此没有意义，已忽略：{}</translation>
    </message>
    <message>
        <source>{} MaxDiffusion keys have no meaning here and are ignored: {}</source>
        <translation>{} 个 MaxDiffusion 键在此没有意义，已忽略：{}</translation>
    </message>
    <message>
        <source>Check the project&apos;s path</source>
        <translation>请检查项目的路径</translation>
    </message>
    <message>
        <source>A sweep is a map of keys</source>
        <translation>扫描是键的映射</translation>
    </message>
    <message>
        <source>Begin with version: 1</source>
        <translation>请以 version: 1 开头</translation>
    </message>
    <message>
        <source>The sweep names no strategies</source>
        <translation>扫描未指定策略</translation>
    </message>
    <message>
        <source>List at least one: - {{name: ring, attention: tokamax_ring}}</source>
        <translation>请至少列出一个：- {{name: ring, attention: tokamax_ring}}</translation>
    </message>
    <message>
        <source>A sweep has no key {}</source>
        <translation>扫描没有键 {}</translation>
    </message>
    <message>
        <source>It has version, name, arch, layers, repeats, trace_batch, base, strategies and vary</source>
        <translation>它有 version、name、arch、layers、repeats、trace_batch、base、strategies 和 vary</translation>
    </message>
    <message>
        <source>A strategy has no name</source>
        <translation>有策略没有名称</translation>
    </message>
    <message>
        <source>Write - {{name: ring, …}}</source>
        <translation>请写 - {{name: ring, …}}</translation>
    </message>
    <message>
        <source>Two strategies are called {}</source>
        <translation>有两个策略都叫 {}</translation>
    </message>
    <message>
        <source>Give each a name of its own</source>
        <translation>请为每个策略取各自的名称</translation>
    </message>
    <message>
        <source>Write {}: [1, 2]</source>
        <translation>请写 {}: [1, 2]</translation>
    </message>
    <message>
        <source>{} has no single value</source>
        <translation>{} 不是单个值</translation>
    </message>
    <message>
        <source>Lists go under vary</source>
        <translation>列表应写在 vary 下</translation>
    </message>
    <message>
        <source>vae_spatial is {}, which does not divide the {} devices of the mesh</source>
        <translation>vae_spatial 为 {}，不能整除设备网格的 {} 个设备</translation>
    </message>
    <message>
        <source>The nearest legal value is {} (-1 takes as many as help)</source>
        <translation>最接近的合法值为 {}（-1 表示取有效的数量）</translation>
    </message>
    <message>
        <source>The tensor axis has {} devices, which do not divide the model&apos;s {} feed-forward features</source>
        <translation>张量轴有 {} 个设备，不能整除模型的 {} 个前馈特征</translation>
    </message>
    <message>
        <source>The nearest sizes that divide its features and heads are {} and {}</source>
        <translation>能整除其特征和注意力头的最接近的大小为 {} 和 {}</translation>
    </message>
    <message>
        <source>videos and their halves of guidance</source>
        <translation>各视频的提示词与负面提示词两部分</translation>
    </message>
    <message>
        <source>the two halves of guidance</source>
        <translation>提示词与负面提示词两部分</translation>
    </message>
    <message>
        <source>one video, no guidance</source>
        <translation>一个视频，无引导</translation>
    </message>
    <message>
        <source>The data and fsdp axes share out a batch of {} ({}) among {} devices; {} have no row to compute</source>
        <translation>数据轴和 FSDP 轴将大小为 {} 的批次（{}）分摊给 {} 个设备；其中 {} 个没有可计算的行</translation>
    </message>
    <message>
        <source>Give the devices to the context axis, which shares out the sequence</source>
        <translation>请将这些设备分给分摊序列的上下文轴</translation>
    </message>
    <message>
        <source>weights_dtype: int8 rounds what goes into the layers to 8 bits, and does not go with activations_dtype: float32</source>
        <translation>weights_dtype: int8 会将各层的输入舍入为 8 位，不能与 activations_dtype: float32 同用</translation>
    </message>
    <message>
        <source>Set activations_dtype: bfloat16, or weights_dtype: bfloat16 to keep float32 activations</source>
        <translation>请设 activations_dtype: bfloat16，或设 weights_dtype: bfloat16 以保留 float32 激活值</translation>
    </message>
    <message>
        <source>{} needs {} above 1, and it is {}: {}</source>
        <translation>{} 要求 {} 大于 1，而它为 {}：{}</translation>
    </message>
    <message>
        <source>Raise {}, or write {}: false</source>
        <translation>请调大 {}，或写 {}: false</translation>
    </message>
    <message>
        <source>Write two numbers for each step, the prompt&apos;s and the negative prompt&apos;s</source>
        <translation>请为每步写两个数：提示词的和负面提示词的</translation>
    </message>
    <message>
        <source>{} are not all finite numbers</source>
        <translation>{} 并非全是有限数</translation>
    </message>
    <message>
        <source>Write numbers separated by commas, that of the highest power first</source>
        <translation>请写以逗号分隔的数，最高次项的在前</translation>
    </message>
    <message>
        <source>it has {} numbers, and every step has two</source>
        <translation>有 {} 个数，而每步须有两个</translation>
    </message>
    <message>
        <source>its numbers are not all from 0 to {}</source>
        <translation>其中的数并非全在 0 至 {} 之间</translation>
    </message>
    <message>
        <source>{} and {} are mutually exclusive: each decides by itself what a step takes over from earlier ones, and none is made for predictions that another one has made up</source>
        <translation>{} 和 {} 互斥：二者各自决定一步沿用先前各步的哪些内容，且都不适用于由另一个推算出的预测</translation>
    </message>
    <message>
        <source>Enable only one</source>
        <translation>请只启用一个</translation>
    </message>
    <message>
        <source>The prompt is empty</source>
        <translation>提示词为空</translation>
    </message>
    <message>
        <source>Say what the video should show, for example prompt: a red ball moving right</source>
        <translation>请写明视频应呈现的内容，例如 prompt: a red ball moving right</translation>
    </message>
    <message>
        <source>broadcast_weights sends a model&apos;s folder, and no adapters</source>
        <translation>broadcast_weights 只发送模型的文件夹，不发送适配器</translation>
    </message>
    <message>
        <source>Copy model and adapters to every host, and write false</source>
        <translation>请将模型和适配器复制到每台主机，并写 false</translation>
    </message>
    <message>
        <source>negative_prompt is not used, because guidance_scale is 1 or less</source>
        <translation>negative_prompt 未被使用，因为 guidance_scale 为 1 或更小</translation>
    </message>
    <message>
        <source>{} is {} in place of the {} of preset {}</source>
        <translation>{0} 为 {1}，取代预设 {3} 的 {2}</translation>
    </message>
    <message>
        <source>This is a YAML alias, which a project cannot hold</source>
        <translation>这是 YAML 别名，项目中不能使用</translation>
    </message>
    <message>
        <source>Write the value out in full</source>
        <translation>请完整写出该值</translation>
    </message>
    <message>
        <source>&quot;&amp;{}&quot; is a YAML anchor, which a project cannot hold</source>
        <translation>“&amp;{}”是 YAML 锚点，项目中不能使用</translation>
    </message>
    <message>
        <source>Remove it and write each value out in full</source>
        <translation>请去掉它，并完整写出各个值</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is a YAML tag, which a project cannot hold</source>
        <translation>“{}”是 YAML 标签，项目中不能使用</translation>
    </message>
    <message>
        <source>Remove it</source>
        <translation>请去掉它</translation>
    </message>
    <message>
        <source>The lists and maps are more than {} deep</source>
        <translation>列表和映射的嵌套超过 {} 层</translation>
    </message>
    <message>
        <source>A project is a flat list of keys</source>
        <translation>项目是不分层的键列表</translation>
    </message>
    <message>
        <source>A key must be a plain name</source>
        <translation>键必须是普通的名称</translation>
    </message>
    <message>
        <source>The key &quot;{}&quot; is already given at line {}</source>
        <translation>键“{}”已在第 {} 行给出</translation>
    </message>
    <message>
        <source>Keep one of them</source>
        <translation>请保留其中一个</translation>
    </message>
    <message>
        <source>A second YAML document begins here</source>
        <translation>此处开始了第二个 YAML 文档</translation>
    </message>
    <message>
        <source>A project is one document; remove the &quot;---&quot; line or what follows it</source>
        <translation>项目是单个文档；请删除 &quot;---&quot; 行或其后的内容</translation>
    </message>
    <message>
        <source>The project has {} bytes; at most {} are read</source>
        <translation>项目有 {} 字节；最多读取 {} 字节</translation>
    </message>
    <message>
        <source>Check that this is a project file</source>
        <translation>请检查这是否为项目文件</translation>
    </message>
    <message>
        <source>The text is not UTF-8</source>
        <translation>文本不是 UTF-8</translation>
    </message>
    <message>
        <source>Save the file as UTF-8</source>
        <translation>请将文件保存为 UTF-8</translation>
    </message>
    <message>
        <source>This is not YAML: {}</source>
        <translation>这不是 YAML：{}</translation>
    </message>
    <message>
        <source>Write one key and its value on a line, key: value, and quote texts with special characters</source>
        <translation>请每行写一个键和它的值：key: value；含特殊字符的文本请加引号</translation>
    </message>
    <message>
        <source>no pipe to another program could be made ({})</source>
        <translation>无法建立通往另一个程序的管道（{}）</translation>
    </message>
    <message>
        <source>Close other programs or raise the limit on open files (ulimit -n)</source>
        <translation>请关闭其他程序，或提高可打开文件数的上限（ulimit -n）</translation>
    </message>
    <message>
        <source>{} cannot be started ({})</source>
        <translation>无法启动 {}（{}）</translation>
    </message>
    <message>
        <source>Install Open MPI (apt-get install openmpi-bin)</source>
        <translation>请安装 Open MPI（apt-get install openmpi-bin）</translation>
    </message>
    <message>
        <source>Write one host a line: name [slots=N]</source>
        <translation>请每行写一台主机：name [slots=N]</translation>
    </message>
    <message>
        <source>Use letters, digits, &apos;.&apos;, &apos;-&apos; and &apos;_&apos;; name IPv6 addresses in /etc/hosts</source>
        <translation>请使用字母、数字、&apos;.&apos;、&apos;-&apos; 和 &apos;_&apos;；IPv6 地址请在 /etc/hosts 中命名</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is not understood</source>
        <translation>无法理解“{}”</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is too much on this line</source>
        <translation>此行中的“{}”是多余的</translation>
    </message>
    <message>
        <source>the host &apos;{}&apos; is listed twice</source>
        <translation>主机“{}”列出了两次</translation>
    </message>
    <message>
        <source>List it once, with slots= for more than one rank</source>
        <translation>请只列一次，多于一个进程时用 slots=</translation>
    </message>
    <message>
        <source>it lists no host</source>
        <translation>没有列出主机</translation>
    </message>
    <message>
        <source>there is no such file of hosts</source>
        <translation>没有这个主机文件</translation>
    </message>
    <message>
        <source>{} bytes of the model do not fit into memory ({})</source>
        <translation>模型的 {} 字节放不进内存（{}）</translation>
    </message>
    <message>
        <source>Copy the model to every host and leave --broadcast-weights out</source>
        <translation>请将模型复制到每台主机，并去掉 --broadcast-weights</translation>
    </message>
    <message>
        <source>no temporary folder could be made ({})</source>
        <translation>无法创建临时文件夹（{}）</translation>
    </message>
    <message>
        <source>Set TMPDIR to a folder that can be written to</source>
        <translation>请将 TMPDIR 设为可写的文件夹</translation>
    </message>
    <message>
        <source>the run to compare with has no latents yet</source>
        <translation>要比较的运行还没有潜变量</translation>
    </message>
    <message>
        <source>Finish it first, or remove compare_with</source>
        <translation>请先完成该运行，或去掉 compare_with</translation>
    </message>
    <message>
        <source>the run to compare with is {}x{} with {} frames, and this one {}x{} with {}</source>
        <translation>要比较的运行为 {}x{}、{} 帧，而本次运行为 {}x{}、{} 帧</translation>
    </message>
    <message>
        <source>Compare runs of one size and length</source>
        <translation>请比较尺寸和长度相同的运行</translation>
    </message>
    <message>
        <source>the file is damaged ({})</source>
        <translation>文件已损坏（{}）</translation>
    </message>
    <message>
        <source>Restore the run folder from a copy, or start a new run</source>
        <translation>请从副本恢复运行文件夹，或开始新的运行</translation>
    </message>
    <message>
        <source>the folder for the run is not empty</source>
        <translation>用于运行的文件夹不是空的</translation>
    </message>
    <message>
        <source>the folder for the run cannot be made ({})</source>
        <translation>无法创建用于运行的文件夹（{}）</translation>
    </message>
    <message>
        <source>there is no such run folder</source>
        <translation>没有这个运行文件夹</translation>
    </message>
    <message>
        <source>this is not a run folder: it has no {}</source>
        <translation>这不是运行文件夹：没有 {}</translation>
    </message>
    <message>
        <source>Give a folder that meshreel run has made</source>
        <translation>请给出由 meshreel run 创建的文件夹</translation>
    </message>
    <message>
        <source>another program is working on this run</source>
        <translation>另一个程序正在处理此运行</translation>
    </message>
    <message>
        <source>Wait until it is done, or cancel it there</source>
        <translation>请等它完成，或在那里取消</translation>
    </message>
    <message>
        <source>it does not say its step</source>
        <translation>未注明所在的步</translation>
    </message>
    <message>
        <source>its step numbers disagree</source>
        <translation>步的编号互相矛盾</translation>
    </message>
    <message>
        <source>there is no home folder to keep runs in</source>
        <translation>没有可存放运行的主文件夹</translation>
    </message>
    <message>
        <source>Set MESHREEL_RUNS to a folder, or give --out</source>
        <translation>请将 MESHREEL_RUNS 设为一个文件夹，或给出 --out</translation>
    </message>
    <message>
        <source>{} cannot be copied into the run&apos;s folder ({})</source>
        <translation>无法将 {} 复制到运行文件夹（{}）</translation>
    </message>
    <message>
        <source>Check that the file is there and can be read</source>
        <translation>请检查该文件是否存在且可读</translation>
    </message>
    <message>
        <source>Choose a folder that you may write to</source>
        <translation>请选择可写的文件夹</translation>
    </message>
    <message>
        <source>The notes cannot be read: {}</source>
        <translation>无法读取备注：{}</translation>
    </message>
    <message>
        <source>Mend the file, or delete it to start anew</source>
        <translation>请修复该文件，或删除它以重新开始</translation>
    </message>
    <message>
        <source>there is no video format named &quot;{}&quot;</source>
        <translation>没有名为“{}”的视频格式</translation>
    </message>
    <message>
        <source>meshreel keys lists them</source>
        <translation>meshreel keys 会列出可用的格式</translation>
    </message>
    <message>
        <source>the run was made on another machine or build ({})</source>
        <translation>该运行来自另一台机器或另一个构建（{}）</translation>
    </message>
    <message>
        <source>the run has no latents.safetensors yet</source>
        <translation>该运行还没有 latents.safetensors</translation>
    </message>
    <message>
        <source>the latents {} do not belong to the run&apos;s project ({})</source>
        <translation>潜变量 {} 不属于该运行的项目（{}）</translation>
    </message>
    <message>
        <source>Restore the run folder from a copy</source>
        <translation>请从副本恢复运行文件夹</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is not a status of a run</source>
        <translation>“{}”不是运行状态</translation>
    </message>
    <message>
        <source>It is one of running, done, cancelled, failed</source>
        <translation>应为 running、done、cancelled、failed 之一</translation>
    </message>
    <message>
        <source>it makes up the negative prompt&apos;s half, and without guidance there is none</source>
        <translation>它推算负面提示词那一半，而没有引导就没有这一半</translation>
    </message>
    <message>
        <source>its limit was measured on guided predictions</source>
        <translation>其界限是按有引导的预测测得的</translation>
    </message>
    <message>
        <source>its curve follows the prompt&apos;s and the negative prompt&apos;s half</source>
        <translation>其曲线依据提示词和负面提示词这两半</translation>
    </message>
    <message>
        <source>There is no scheduler &quot;{}&quot;</source>
        <translation>没有调度器“{}”</translation>
    </message>
    <message>
        <source>Use one of {}</source>
        <translation>请使用以下之一：{}</translation>
    </message>
    <message>
        <source>The checkpoint asks for the scheduler {}, which Meshreel does not have</source>
        <translation>检查点要求调度器 {}，而 Meshreel 没有它</translation>
    </message>
    <message>
        <source>Choose one with the key `scheduler`: {}</source>
        <translation>请用键 `scheduler` 选择一个：{}</translation>
    </message>
    <message>
        <source>A run of {} steps was asked for</source>
        <translation>要求运行 {} 步</translation>
    </message>
    <message>
        <source>Use at least 1</source>
        <translation>请至少使用 1</translation>
    </message>
    <message>
        <source>Custom sigmas must be at least one number in (0, 1], descending</source>
        <translation>自定义 sigma 须为 (0, 1] 内的至少一个数，并且递减</translation>
    </message>
    <message>
        <source>Correct the list</source>
        <translation>请更正该列表</translation>
    </message>
    <message>
        <source>Use a higher strength or more steps</source>
        <translation>请提高强度或增加步数</translation>
    </message>
    <message>
        <source>The saved run stands at step {} of {}</source>
        <translation>保存的运行处于第 {} 步，共 {} 步</translation>
    </message>
    <message>
        <source>Resume with the run&apos;s own number of steps</source>
        <translation>请以该运行自己的步数续跑</translation>
    </message>
    <message>
        <source>a scheduler config must be a JSON object</source>
        <translation>调度器配置必须是 JSON 对象</translation>
    </message>
    <message>
        <source>Restore the file from the checkpoint&apos;s source</source>
        <translation>请从检查点的来源恢复该文件</translation>
    </message>
    <message>
        <source>`{}` has the value {}, which is of the wrong type</source>
        <translation>`{}` 的值为 {}，类型不对</translation>
    </message>
    <message>
        <source>Correct the scheduler config</source>
        <translation>请更正调度器配置</translation>
    </message>
    <message>
        <source>`{}` is &quot;{}&quot;, which is not supported</source>
        <translation>`{}` 为“{}”，不受支持</translation>
    </message>
    <message>
        <source>`{}` is {}, which is not supported</source>
        <translation>`{}` 为 {}，不受支持</translation>
    </message>
    <message>
        <source>Remove the key from the scheduler config</source>
        <translation>请从调度器配置中去掉该键</translation>
    </message>
    <message>
        <source>`use_karras_sigmas` and `use_exponential_sigmas` are both true</source>
        <translation>`use_karras_sigmas` 和 `use_exponential_sigmas` 同时为 true</translation>
    </message>
    <message>
        <source>`use_exponential_sigmas` with `use_flow_sigmas` has noise levels above 1, which no flow has</source>
        <translation>`use_exponential_sigmas` 与 `use_flow_sigmas` 同用会有大于 1 的噪声水平，而流没有这样的水平</translation>
    </message>
    <message>
        <source>Set one of them to false</source>
        <translation>请将其中一个设为 false</translation>
    </message>
    <message>
        <source>`shift_terminal` needs evenly spaced flow sigmas</source>
        <translation>`shift_terminal` 需要等距的流 sigma</translation>
    </message>
    <message>
        <source>Remove `shift_terminal`</source>
        <translation>请去掉 `shift_terminal`</translation>
    </message>
    <message>
        <source>`num_train_timesteps` is {}</source>
        <translation>`num_train_timesteps` 为 {}</translation>
    </message>
    <message>
        <source>It must be at least 1</source>
        <translation>必须至少为 1</translation>
    </message>
    <message>
        <source>`solver_order` is {}</source>
        <translation>`solver_order` 为 {}</translation>
    </message>
    <message>
        <source>Use 1, 2 or 3</source>
        <translation>请使用 1、2 或 3</translation>
    </message>
    <message>
        <source>the flow shift is {:f}</source>
        <translation>流偏移为 {}</translation>
    </message>
    <message>
        <source>It must be above 0</source>
        <translation>必须大于 0</translation>
    </message>
    <message>
        <source>`final_sigmas_type` &quot;sigma_min&quot; has no meaning in {}</source>
        <translation>`final_sigmas_type` &quot;sigma_min&quot; 在 {} 中没有意义</translation>
    </message>
    <message>
        <source>Use &quot;zero&quot;</source>
        <translation>请使用 &quot;zero&quot;</translation>
    </message>
    <message>
        <source>`predict_x0` is false, which a flow model cannot be sampled with</source>
        <translation>`predict_x0` 为 false，流模型无法以此采样</translation>
    </message>
    <message>
        <source>Set it to true</source>
        <translation>请将其设为 true</translation>
    </message>
    <message>
        <source>custom sigmas need the evenly spaced flow schedule of {}</source>
        <translation>自定义 sigma 需要 {} 的等距流调度</translation>
    </message>
    <message>
        <source>Switch `use_karras_sigmas` and `use_exponential_sigmas` off</source>
        <translation>请关闭 `use_karras_sigmas` 和 `use_exponential_sigmas`</translation>
    </message>
    <message>
        <source>a picture {} pixels wide does not hold {} frames side by side</source>
        <translation>宽 {} 像素的图片容不下并排的 {} 帧</translation>
    </message>
    <message>
        <source>the folder cannot be made: {}</source>
        <translation>无法创建文件夹：{}</translation>
    </message>
    <message>
        <source>Choose another with --out</source>
        <translation>请用 --out 另选一个</translation>
    </message>
    <message>
        <source>the folder holds an evaluation of another model or other settings</source>
        <translation>该文件夹中是另一个模型或其他设置的评估</translation>
    </message>
    <message>
        <source>Choose another with --out, or delete it</source>
        <translation>请用 --out 另选一个，或删除它</translation>
    </message>
    <message>
        <source>the sheet holds {} first frames where {} are wanted</source>
        <translation>总览图中有 {} 张首帧，而需要 {} 张</translation>
    </message>
    <message>
        <source>Restore the file, or make it again with tools/train-tiny-wan/make_first_frames.py</source>
        <translation>请恢复该文件，或用 tools/train-tiny-wan/make_first_frames.py 重新生成</translation>
    </message>
    <message>
        <source>Restore the file, or make it again with tools/train-tiny-wan/make_prompts.py</source>
        <translation>请恢复该文件，或用 tools/train-tiny-wan/make_prompts.py 重新生成</translation>
    </message>
    <message>
        <source>prompt {} asks for &quot;{}&quot;, which nothing here can measure</source>
        <translation>提示词 {} 要求“{}”，此处无法衡量</translation>
    </message>
    <message>
        <source>prompt {} is empty</source>
        <translation>提示词 {} 为空</translation>
    </message>
    <message>
        <source>prompt {} lacks the text &quot;{}&quot;</source>
        <translation>提示词 {} 缺少文本“{}”</translation>
    </message>
    <message>
        <source>the file holds no list of prompts</source>
        <translation>文件中没有提示词列表</translation>
    </message>
    <message>
        <source>a run makes one video</source>
        <translation>一次运行生成一个视频</translation>
    </message>
    <message>
        <source>Leave the batch out</source>
        <translation>请去掉批次</translation>
    </message>
    <message>
        <source>The sweep&apos;s folder cannot be made: {}</source>
        <translation>无法创建扫描的文件夹：{}</translation>
    </message>
    <message>
        <source>Choose another with -o</source>
        <translation>请用 -o 另选一个</translation>
    </message>
    <message>
        <source>The folder holds rows of another sweep, or of this one before it was changed</source>
        <translation>该文件夹中是另一次扫描的行，或此扫描更改之前的行</translation>
    </message>
    <message>
        <source>Choose another folder with -o, or remove this one</source>
        <translation>请用 -o 另选文件夹，或移除这一个</translation>
    </message>
    <message>
        <source>Choose {} or {}</source>
        <translation>请选择 {} 或 {}</translation>
    </message>
    <message>
        <source>dot_product has no blocks to tune</source>
        <translation>dot_product 没有可调优的块</translation>
    </message>
    <message>
        <source>Choose flash, or another mode that `meshreel modes` lists with a blocked kernel</source>
        <translation>请选择 flash，或 `meshreel modes` 所列的另一种带分块内核的模式</translation>
    </message>
    <message>
        <source>tiles are tuned on the threads of one process</source>
        <translation>分块在单个进程的线程上调优</translation>
    </message>
    <message>
        <source>Tune without mpirun, with `devices` as many as one host runs</source>
        <translation>请不用 mpirun 调优，`devices` 取一台主机所运行的设备数</translation>
    </message>
    <message>
        <source>the precompiled character map is not base64</source>
        <translation>预编译字符映射不是 base64</translation>
    </message>
    <message>
        <source>Download the file again</source>
        <translation>请重新下载该文件</translation>
    </message>
    <message>
        <source>the pattern &apos;{:.80}&apos; is not understood</source>
        <translation>无法理解模式串“{}”</translation>
    </message>
    <message>
        <source>Remove tokenizer.json to use spiece.model instead</source>
        <translation>请移除 tokenizer.json，以改用 spiece.model</translation>
    </message>
    <message>
        <source>the normalizer &apos;{:.80}&apos; is not supported</source>
        <translation>不支持规范化器“{}”</translation>
    </message>
    <message>
        <source>the prepend_scheme &apos;{:.80}&apos; is not supported</source>
        <translation>不支持 prepend_scheme“{}”</translation>
    </message>
    <message>
        <source>an empty metaspace replacement is not supported</source>
        <translation>不支持空的 metaspace 替换</translation>
    </message>
    <message>
        <source>the pre-tokenizer &apos;{:.80}&apos; is not supported</source>
        <translation>不支持预分词器“{}”</translation>
    </message>
    <message>
        <source>the precompiled character map is damaged</source>
        <translation>预编译字符映射已损坏</translation>
    </message>
    <message>
        <source>the precompiled character map is not UTF-8</source>
        <translation>预编译字符映射不是 UTF-8</translation>
    </message>
    <message>
        <source>this is not a SentencePiece model</source>
        <translation>这不是 SentencePiece 模型</translation>
    </message>
    <message>
        <source>The file is damaged: download it again</source>
        <translation>文件已损坏：请重新下载</translation>
    </message>
    <message>
        <source>the SentencePiece model has no piece for end of text or for padding</source>
        <translation>SentencePiece 模型没有表示文本结束或填充的词片</translation>
    </message>
    <message>
        <source>Use the tokenizer that belongs to the model</source>
        <translation>请使用属于该模型的分词器</translation>
    </message>
    <message>
        <source>the folder holds neither {} nor {}</source>
        <translation>文件夹中既没有 {}，也没有 {}</translation>
    </message>
    <message>
        <source>Download the tokenizer of the model into it</source>
        <translation>请将模型的分词器下载到其中</translation>
    </message>
    <message>
        <source>{} tokens do not hold the {} that surround every text</source>
        <translation>{} 个词元容不下每段文本首尾的 {} 个词元</translation>
    </message>
    <message>
        <source>Use 512, as the model was trained</source>
        <translation>请使用 512，与模型训练时一致</translation>
    </message>
    <message>
        <source>the post-processor &apos;{:.80}&apos; is not supported</source>
        <translation>不支持后处理器“{}”</translation>
    </message>
    <message>
        <source>the pad token &apos;{:.80}&apos; is not among its tokens</source>
        <translation>填充词元“{}”不在其词元之中</translation>
    </message>
    <message>
        <source>this is not laid out as a tokenizer ({})</source>
        <translation>这不是分词器的结构（{}）</translation>
    </message>
    <message>
        <source>a text is too long to be normalised</source>
        <translation>有文本过长，无法规范化</translation>
    </message>
    <message>
        <source>Shorten it</source>
        <translation>请将其缩短</translation>
    </message>
    <message>
        <source>the tokenizer model &apos;{:.80}&apos; is not supported, only Unigram is</source>
        <translation>不支持分词器模型“{}”，仅支持 Unigram</translation>
    </message>
    <message>
        <source>unk_id {} is none of the {} pieces</source>
        <translation>unk_id {} 不在 {} 个词片之中</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is in no piece, and there is none for unknown characters</source>
        <translation>“{}”不在任何词片中，也没有用于未知字符的词片</translation>
    </message>
    <message>
        <source>There is no chart of the kind &quot;{}&quot;</source>
        <translation>没有“{}”类型的图表</translation>
    </message>
    <message>
        <source>a quoted field of this table does not end</source>
        <translation>此表格中有带引号的字段没有结束</translation>
    </message>
    <message>
        <source>The file was changed by another program; restore it from a copy, or remove it: the run needs it for its lanes only</source>
        <translation>文件被其他程序更改过；请从副本恢复，或删除它：运行只用它绘制设备时间条</translation>
    </message>
    <message>
        <source>The devices of step {} are not in their order</source>
        <translation>第 {} 步的设备未按顺序排列</translation>
    </message>
    <message>
        <source>There is no timing summary in it</source>
        <translation>其中没有计时摘要</translation>
    </message>
    <message>
        <source>Give a run folder, or a text that holds a block with the title TIMING SUMMARY</source>
        <translation>请给出运行文件夹，或含有以 TIMING SUMMARY 为标题的块的文本</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is not a row of {}</source>
        <translation>“{}”不是 {} 的行</translation>
    </message>
    <message>
        <source>The file was changed by another program; restore it from a copy</source>
        <translation>文件被其他程序更改过；请从副本恢复</translation>
    </message>
    <message>
        <source>Give tile_size_grid_search.csv as meshreel tune PROJECT --out-dir writes it</source>
        <translation>请给出由 meshreel tune PROJECT --out-dir 写出的 tile_size_grid_search.csv</translation>
    </message>
    <message>
        <source>A chart of tiles shows one search, or runs</source>
        <translation>分块图表显示一次搜索，或若干运行</translation>
    </message>
    <message>
        <source>Name the search alone</source>
        <translation>请只指定该搜索</translation>
    </message>
    <message>
        <source>Block sizes can only be told apart beside the same video, attention and mesh</source>
        <translation>只有视频、注意力和设备网格相同，才能区分块大小</translation>
    </message>
    <message>
        <source>Name runs that differ in block_q and block_kv only</source>
        <translation>请指定仅 block_q 和 block_kv 不同的运行</translation>
    </message>
    <message>
        <source>Nothing that this tile search tried ran</source>
        <translation>此次分块搜索尝试的大小都未能运行</translation>
    </message>
    <message>
        <source>Its column detail says why</source>
        <translation>其 detail 列说明了原因</translation>
    </message>
    <message>
        <source>None of these runs finished a step</source>
        <translation>这些运行都未完成任何一步</translation>
    </message>
    <message>
        <source>Name runs that got as far as denoising, or the table of meshreel tune --out-dir</source>
        <translation>请指定已进行到去噪的运行，或 meshreel tune --out-dir 的表格</translation>
    </message>
    <message>
        <source>The line &quot;{}&quot; has no seconds</source>
        <translation>行“{}”没有秒数</translation>
    </message>
    <message>
        <source>Paste the block as it was printed: &quot;Compile:   144.3s&quot;</source>
        <translation>请按打印的原样粘贴该块：&quot;Compile:   144.3s&quot;</translation>
    </message>
    <message>
        <source>A timing summary lacks its row &quot;{}&quot;</source>
        <translation>计时摘要缺少行“{}”</translation>
    </message>
    <message>
        <source>Paste the whole block</source>
        <translation>请粘贴整个块</translation>
    </message>
    <message>
        <source>This is not a Chrome trace: {}</source>
        <translation>这不是 Chrome 跟踪：{}</translation>
    </message>
    <message>
        <source>Repeat the run to get its trace.json again</source>
        <translation>请重新运行，以再次得到其 trace.json</translation>
    </message>
    <message>
        <source>This is a defect of Meshreel; please report it with this line</source>
        <translation>这是 Meshreel 的缺陷；请连同此行一并报告</translation>
    </message>
    <message>
        <source>an output is not a finite number</source>
        <translation>有输出不是有限数</translation>
    </message>
    <message>
        <source>{} bytes were moved, and {} should have been</source>
        <translation>移动了 {} 字节，应为 {} 字节</translation>
    </message>
    <message>
        <source>device {} computed heads from {} to {}</source>
        <translation>设备 {} 计算了注意力头 {} 至 {}</translation>
    </message>
    <message>
        <source>keys were rotated {} times, and should have been {}</source>
        <translation>键轮转了 {} 次，应为 {} 次</translation>
    </message>
    <message>
        <source>{} ran instead</source>
        <translation>实际运行的是 {}</translation>
    </message>
    <message>
        <source>there is no group &apos;{}&apos;</source>
        <translation>没有组“{}”</translation>
    </message>
    <message>
        <source>Choose among {}</source>
        <translation>请选择以下之一：{}</translation>
    </message>
    <message>
        <source>Give what meshreel bench --json printed, or a file that meshreel bench --append wrote</source>
        <translation>请给出 meshreel bench --json 打印的内容，或由 meshreel bench --append 写出的文件</translation>
    </message>
    <message>
        <source>No row of this measurement tells operations and bytes beside the machine&apos;s limits</source>
        <translation>此测量中没有一行同时给出运算量、字节数和机器的上限</translation>
    </message>
    <message>
        <source>A line of this file is no measurement of meshreel bench</source>
        <translation>此文件中有一行不是 meshreel bench 的测量</translation>
    </message>
    <message>
        <source>This file holds no measurement</source>
        <translation>此文件中没有测量</translation>
    </message>
    <message>
        <source>Choose wan2.1-t2v-1.3b or wan2.1-t2v-14b</source>
        <translation>请选择 wan2.1-t2v-1.3b 或 wan2.1-t2v-14b</translation>
    </message>
    <message>
        <source>{}x{}x{} is no size of a video</source>
        <translation>{}x{}x{} 不是视频的尺寸</translation>
    </message>
    <message>
        <source>Choose sides that 16 divides and 4n + 1 frames: 832x480x17</source>
        <translation>请选择能被 16 整除的边长和 4n + 1 帧：832x480x17</translation>
    </message>
    <message>
        <source>{} of {} is impossible</source>
        <translation>{} 不能为 {}</translation>
    </message>
    <message>
        <source>Use 1 or more</source>
        <translation>请使用 1 或更大的值</translation>
    </message>
    <message>
        <source>{} devices are too many</source>
        <translation>{} 个设备过多</translation>
    </message>
    <message>
        <source>Use at most {}</source>
        <translation>请最多使用 {}</translation>
    </message>
    <message>
        <source>A tensor of this attention would not fit any memory</source>
        <translation>此注意力的张量超出任何内存的容量</translation>
    </message>
    <message>
        <source>Use a smaller batch, sequence, head count or head size</source>
        <translation>请使用较小的批次、序列、注意力头数或头维度</translation>
    </message>
    <message>
        <source>A probability of {} is impossible</source>
        <translation>概率不能为 {}</translation>
    </message>
    <message>
        <source>Use 0 to 1</source>
        <translation>请使用 0 至 1</translation>
    </message>
    <message>
        <source>{} of {} keys cannot be masked</source>
        <translation>无法在 {1} 个键中屏蔽 {0} 个</translation>
    </message>
    <message>
        <source>Use 0 to {}</source>
        <translation>请使用 0 至 {}</translation>
    </message>
    <message>
        <source>There is no row {} in a batch of {}</source>
        <translation>大小为 {1} 的批次中没有行 {0}</translation>
    </message>
    <message>
        <source>{} does not divide the devices by ulysses_shards, so that {} means nothing</source>
        <translation>{} 不按 ulysses_shards 划分设备，因此 {} 没有意义</translation>
    </message>
    <message>
        <source>Leave it out, or use one of the ulysses_ring modes</source>
        <translation>请去掉它，或使用某种 ulysses_ring 模式</translation>
    </message>
    <message>
        <source>Attention does not run in {}</source>
        <translation>注意力不能以 {} 运行</translation>
    </message>
    <message>
        <source>Use f32 or bf16</source>
        <translation>请使用 f32 或 bf16</translation>
    </message>
    <message>
        <source>The gain is not a number</source>
        <translation>增益不是数</translation>
    </message>
    <message>
        <source>Use a finite number, such as 6</source>
        <translation>请使用有限数，例如 6</translation>
    </message>
    <message>
        <source>`{}` has more rows than max_sequence_length</source>
        <translation>`{}` 的行数多于 max_sequence_length</translation>
    </message>
    <message>
        <source>Restore the golden case</source>
        <translation>请恢复该黄金用例</translation>
    </message>
    <message>
        <source>The case is of the class {}, which Meshreel cannot run yet</source>
        <translation>该用例属于 {} 类，Meshreel 尚不能运行</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is not a number</source>
        <translation>“{}”不是数</translation>
    </message>
    <message>
        <source>custom.json has no sigmas for &quot;{}&quot;</source>
        <translation>custom.json 中没有“{}”的 sigma</translation>
    </message>
    <message>
        <source>This is no table of texts and their ids</source>
        <translation>这不是文本及其词元编号的表格</translation>
    </message>
    <message>
        <source>something is there already</source>
        <translation>该处已有内容</translation>
    </message>
    <message>
        <source>Choose a folder that does not exist yet, or remove it first</source>
        <translation>请选择尚不存在的文件夹，或先移除它</translation>
    </message>
    <message>
        <source>{} of weights do not fit on the disk, which has {} left</source>
        <translation>磁盘容不下 {} 的权重，只剩 {}</translation>
    </message>
    <message>
        <source>Choose fewer --layers, --sparse or another disk</source>
        <translation>请减小 --layers、使用 --sparse，或选择另一块磁盘</translation>
    </message>
    <message>
        <source>no whole model is made around {}</source>
        <translation>不能围绕 {} 生成完整的模型</translation>
    </message>
    <message>
        <source>Choose {}1.3b or {}14b, or make each component by itself</source>
        <translation>请选择 {}1.3b 或 {}14b，或单独生成每个部件</translation>
    </message>
    <message>
        <source>there is no part &apos;{}&apos;</source>
        <translation>没有部件“{}”</translation>
    </message>
    <message>
        <source>Golden cases of the kind &quot;{}&quot; are not known yet</source>
        <translation>尚不支持“{}”类型的黄金用例</translation>
    </message>
    <message>
        <source>This version checks {}</source>
        <translation>此版本检查 {}</translation>
    </message>
    <message>
        <source>A JSON file of the case is not of the expected form: {}</source>
        <translation>用例的 JSON 文件形式与预期不符：{}</translation>
    </message>
    <message>
        <source>`{}` is {}, not a text</source>
        <translation>`{}` 为 {}，不是文本</translation>
    </message>
    <message>
        <source>Give the folder of a case</source>
        <translation>请给出用例的文件夹</translation>
    </message>
    <message>
        <source>The case has no `kind`</source>
        <translation>用例没有 `kind`</translation>
    </message>
    <message>
        <source>The case has no number `tolerance.{}`</source>
        <translation>用例没有数 `tolerance.{}`</translation>
    </message>
    <message>
        <source>(none)</source>
        <translation>（无）</translation>
    </message>
    <message>
        <source>Cases of the class {} are not known yet; kind {} is checked for {}</source>
        <translation>尚不支持 {} 类的用例；类型 {} 检查的是 {}</translation>
    </message>
    <message>
        <source>Verify it with a newer Meshreel</source>
        <translation>请用更新的 Meshreel 验证</translation>
    </message>
    <message>
        <source>The case gives the model the input `{}`, which Meshreel cannot run yet</source>
        <translation>用例给模型的输入 `{}`，Meshreel 尚不能运行</translation>
    </message>
    <message>
        <source>Use none, tail:K or head:K (the last or first K keys), row:B (all keys of batch row B) or random:P (each key with probability P)</source>
        <translation>请使用 none、tail:K 或 head:K（最后或最前 K 个键）、row:B（批次第 B 行的所有键）或 random:P（每个键以概率 P）</translation>
    </message>
    <message>
        <source>The case does not say how the pipeline was called</source>
        <translation>用例未说明管线是如何调用的</translation>
    </message>
    <message>
        <source>Restore its README.md, whose line &quot;Call:&quot; holds the arguments</source>
        <translation>请恢复其 README.md，其中 &quot;Call:&quot; 行含有参数</translation>
    </message>
    <message>
        <source>The case calls the pipeline with `{}`, which Meshreel cannot run yet</source>
        <translation>用例以 `{}` 调用管线，Meshreel 尚不能运行</translation>
    </message>
    <message>
        <source>An argument of the pipeline call is of the wrong type: {}</source>
        <translation>管线调用的某个参数类型不对：{}</translation>
    </message>
    <message>
        <source>the cache cannot be written ({})</source>
        <translation>无法写入缓存（{}）</translation>
    </message>
    <message>
        <source>Set XDG_CACHE_HOME to a folder that you may write to, or run with --no-cache</source>
        <translation>请将 XDG_CACHE_HOME 设为可写的文件夹，或以 --no-cache 运行</translation>
    </message>
    <message>
        <source>the packed weights are of another model</source>
        <translation>打包权重属于另一个模型</translation>
    </message>
    <message>
        <source>Clear the cache (meshreel cache clear --weights): it is made again</source>
        <translation>请清除缓存（meshreel cache clear --weights）：它会重新生成</translation>
    </message>
    <message>
        <source>the file of packed weights is too short</source>
        <translation>打包权重文件过短</translation>
    </message>
    <message>
        <source>this is not a file of packed weights of this version</source>
        <translation>这不是此版本的打包权重文件</translation>
    </message>
    <message>
        <source>the file of packed weights is not complete</source>
        <translation>打包权重文件不完整</translation>
    </message>
    <message>
        <source>the directory of the packed weights is damaged</source>
        <translation>打包权重的目录已损坏</translation>
    </message>
    <message>
        <source>the packed &apos;{}&apos; lies outside its file</source>
        <translation>打包的“{}”位于其文件之外</translation>
    </message>
    <message>
        <source>the directory of the packed weights is malformed: {}</source>
        <translation>打包权重的目录格式有误：{}</translation>
    </message>
    <message>
        <source>the packed &apos;{}&apos; is damaged</source>
        <translation>打包的“{}”已损坏</translation>
    </message>
    <message>
        <source>the packed weights could not be written ({})</source>
        <translation>无法写入打包权重（{}）</translation>
    </message>
    <message>
        <source>Free some space, set XDG_CACHE_HOME to another disk, or run with --no-cache</source>
        <translation>请腾出一些空间，或将 XDG_CACHE_HOME 设到另一块磁盘，或以 --no-cache 运行</translation>
    </message>
    <message>
        <source>Clear the cache ({}): it is made again</source>
        <translation>请清除缓存（{}）：它会重新生成</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is not a number of GiB</source>
        <translation>“{}”不是 GiB 数</translation>
    </message>
    <message>
        <source>Set it to the size that the cache of packed weights may reach</source>
        <translation>请将其设为打包权重的缓存可达到的大小</translation>
    </message>
    <message>
        <source>the folder holds none of {}</source>
        <translation>文件夹中没有以下任何一个：{}</translation>
    </message>
    <message>
        <source>Download the weights into it, or choose another model</source>
        <translation>请将权重下载到其中，或选择另一个模型</translation>
    </message>
    <message>
        <source>It holds several other files of weights ({}): give the path of one</source>
        <translation>其中另有多个权重文件（{}）：请给出其中一个的路径</translation>
    </message>
    <message>
        <source>there is no such file or folder</source>
        <translation>没有这个文件或文件夹</translation>
    </message>
    <message>
        <source>Check the path of the model</source>
        <translation>请检查模型的路径</translation>
    </message>
    <message>
        <source>the index has no weight_map {{tensor: file}}</source>
        <translation>索引没有 weight_map {{tensor: file}}</translation>
    </message>
    <message>
        <source>Download the index again</source>
        <translation>请重新下载索引</translation>
    </message>
    <message>
        <source>Download the index from the model&apos;s own repository</source>
        <translation>请从模型自己的仓库下载索引</translation>
    </message>
    <message>
        <source>{} of {} shards are missing: {}</source>
        <translation>{1} 个分片中缺少 {0} 个：{2}</translation>
    </message>
    <message>
        <source>Download them into the same folder</source>
        <translation>请将它们下载到同一文件夹</translation>
    </message>
    <message>
        <source>its shape {} is not that of the original model</source>
        <translation>其形状 {} 与原始模型的不符</translation>
    </message>
    <message>
        <source>The file is of another model, or damaged</source>
        <translation>文件属于另一个模型，或已损坏</translation>
    </message>
    <message>
        <source>the index places it in {}, which does not hold it</source>
        <translation>索引将它置于 {}，而该文件中没有它</translation>
    </message>
    <message>
        <source>Download index and shards again, from one revision of the model</source>
        <translation>请从模型的同一修订重新下载索引和分片</translation>
    </message>
    <message>
        <source>the file says that its fp8 weights are scaled ({}), but this one has no scale</source>
        <translation>文件称其 fp8 权重带有缩放因子（{}），但此权重没有</translation>
    </message>
    <message>
        <source>The file is incomplete: get it again, or another one</source>
        <translation>文件不完整：请重新获取，或换一个</translation>
    </message>
    <message>
        <source>the checkpoint holds no such tensor</source>
        <translation>检查点中没有这个张量</translation>
    </message>
    <message>
        <source>The weights and config.json are of different models</source>
        <translation>权重和 config.json 属于不同的模型</translation>
    </message>
    <message>
        <source>The nearest name is &apos;{}&apos;: the weights and config.json may be of different models</source>
        <translation>最接近的名称是“{}”：权重和 config.json 可能属于不同的模型</translation>
    </message>
    <message>
        <source>its shape is {}, but {} was expected</source>
        <translation>其形状为 {}，应为 {}</translation>
    </message>
    <message>
        <source>its scale has shape {}: neither one number nor one for each of its rows</source>
        <translation>其缩放因子的形状为 {}：既不是单个数，也不是每行一个数</translation>
    </message>
    <message>
        <source>Use a file with one scale for each weight</source>
        <translation>请使用每个权重有一个缩放因子的文件</translation>
    </message>
    <message>
        <source>The file is damaged or incomplete: download it again</source>
        <translation>文件已损坏或不完整：请重新下载</translation>
    </message>
    <message>
        <source>something is said to lie at byte {}, but there are only {} bytes (truncated)</source>
        <translation>据称有内容位于第 {} 字节，但总共只有 {} 字节（已截断）</translation>
    </message>
    <message>
        <source>{} bytes are wanted at byte {}, but only {} are left (truncated)</source>
        <translation>需要从第 {1} 字节起的 {0} 字节，但只剩 {2} 字节（已截断）</translation>
    </message>
    <message>
        <source>the file says it holds {} tensors, more than fit into it</source>
        <translation>文件称含有 {} 个张量，超出其所能容纳</translation>
    </message>
    <message>
        <source>this GGUF file is big-endian, which is not supported</source>
        <translation>此 GGUF 文件为大端序，不受支持</translation>
    </message>
    <message>
        <source>Get the little-endian file</source>
        <translation>请获取小端序的文件</translation>
    </message>
    <message>
        <source>this is GGUF version {}</source>
        <translation>这是 GGUF 版本 {}</translation>
    </message>
    <message>
        <source>Versions 2 and 3 are read: convert the file with a newer tool, or get another one</source>
        <translation>可读取版本 2 和 3：请用较新的工具转换文件，或另取一个</translation>
    </message>
    <message>
        <source>the metadata &apos;{}&apos; is given twice</source>
        <translation>元数据“{}”给出了两次</translation>
    </message>
    <message>
        <source>{} is {}, not a power of two</source>
        <translation>{} 为 {}，不是 2 的幂</translation>
    </message>
    <message>
        <source>a metadata value is of the unknown type {}</source>
        <translation>某项元数据的值类型未知：{}</translation>
    </message>
    <message>
        <source>metadata lists are nested deeper than {} levels</source>
        <translation>元数据列表的嵌套超过 {} 层</translation>
    </message>
    <message>
        <source>a metadata list says it has {} items, more than fit into the file</source>
        <translation>某个元数据列表称有 {} 项，超出文件所能容纳</translation>
    </message>
    <message>
        <source>it has {} axes; at most {} are read</source>
        <translation>有 {} 个轴；最多读取 {} 个</translation>
    </message>
    <message>
        <source>its shape is larger than any memory</source>
        <translation>其形状超出任何内存的容量</translation>
    </message>
    <message>
        <source>its rows of {} elements are no whole number of {} blocks of {}</source>
        <translation>其每行 {} 个元素，不是整数个 {} 块（每块 {} 个元素）</translation>
    </message>
    <message>
        <source>its offset {} is not a multiple of the alignment {}</source>
        <translation>其偏移 {} 不是对齐 {} 的倍数</translation>
    </message>
    <message>
        <source>its {} bytes at {} do not fit into the {} bytes of data (truncated)</source>
        <translation>其位于 {1} 的 {0} 字节超出 {2} 字节的数据（已截断）</translation>
    </message>
    <message>
        <source>it is given twice</source>
        <translation>给出了两次</translation>
    </message>
    <message>
        <source>the shape that the metadata gives for it is no shape</source>
        <translation>元数据为它给出的形状无效</translation>
    </message>
    <message>
        <source>the metadata gives it the shape {}, but it is stored as {}</source>
        <translation>元数据为它给出形状 {}，但它存储为 {}</translation>
    </message>
    <message>
        <source>its data begins inside that of &apos;{}&apos;</source>
        <translation>其数据始于“{}”的数据之内</translation>
    </message>
    <message>
        <source>GGUF has no type {}</source>
        <translation>GGUF 没有类型 {}</translation>
    </message>
    <message>
        <source>Choose another type or another format</source>
        <translation>请选择另一种类型或另一种格式</translation>
    </message>
    <message>
        <source>the JSON is nested deeper than {} levels</source>
        <translation>JSON 的嵌套超过 {} 层</translation>
    </message>
    <message>
        <source>the JSON key &apos;{:.80}&apos; is given twice</source>
        <translation>JSON 键“{}”给出了两次</translation>
    </message>
    <message>
        <source>this is not valid JSON (byte {})</source>
        <translation>这不是有效的 JSON（第 {} 字节）</translation>
    </message>
    <message>
        <source>this is not valid JSON</source>
        <translation>这不是有效的 JSON</translation>
    </message>
    <message>
        <source>a JSON object was expected, this is of type {}</source>
        <translation>应为 JSON 对象，而此内容类型为 {}</translation>
    </message>
    <message>
        <source>the pickle does not start with its protocol</source>
        <translation>pickle 没有以其协议开头</translation>
    </message>
    <message>
        <source>the pickle has protocol {}; {} to {} are read</source>
        <translation>pickle 的协议为 {}；可读取 {} 至 {}</translation>
    </message>
    <message>
        <source>the pickle holds the instruction 0x{:02X}, which weights do not need</source>
        <translation>pickle 含有指令 0x{}，权重不需要它</translation>
    </message>
    <message>
        <source>the pickle takes more from its stack than it put there</source>
        <translation>pickle 从栈中取出的多于所放入的</translation>
    </message>
    <message>
        <source>the pickle adds an item to something that takes none</source>
        <translation>pickle 向不接受条目的对象添加条目</translation>
    </message>
    <message>
        <source>the pickle goes back to a mark that it did not set</source>
        <translation>pickle 回到了它未曾设置的标记</translation>
    </message>
    <message>
        <source>the pickle recalls number {}, which it did not store</source>
        <translation>pickle 取用编号 {}，而它未曾存储</translation>
    </message>
    <message>
        <source>a dictionary of the pickle has a key without a value</source>
        <translation>pickle 的某个字典有键没有值</translation>
    </message>
    <message>
        <source>the pickle holds a number of more than 64 bits</source>
        <translation>pickle 含有超过 64 位的数</translation>
    </message>
    <message>
        <source>a name in the pickle has no end</source>
        <translation>pickle 中有名称没有结束</translation>
    </message>
    <message>
        <source>the pickle names a global by something else than texts</source>
        <translation>pickle 用文本以外的内容指定全局名称</translation>
    </message>
    <message>
        <source>the pickle wants &quot;{}&quot;, which weights do not need; it was not called</source>
        <translation>pickle 要调用“{}”，权重不需要它；未予调用</translation>
    </message>
    <message>
        <source>Do not trust this file; get the weights as safetensors, or save only the state dict</source>
        <translation>请勿信任此文件；请获取 safetensors 格式的权重，或只保存 state dict</translation>
    </message>
    <message>
        <source>the pickle calls something that is no constructor of weights</source>
        <translation>pickle 调用的不是权重的构造函数</translation>
    </message>
    <message>
        <source>the pickle makes an OrderedDict from arguments</source>
        <translation>pickle 以参数构造 OrderedDict</translation>
    </message>
    <message>
        <source>the file holds no such tensor</source>
        <translation>文件中没有这个张量</translation>
    </message>
    <message>
        <source>Check that this is the weights file of this model</source>
        <translation>请检查这是否为该模型的权重文件</translation>
    </message>
    <message>
        <source>The nearest name is &apos;{}&apos;</source>
        <translation>最接近的名称是“{}”</translation>
    </message>
    <message>
        <source>its type {:.40} is not supported</source>
        <translation>不支持其类型 {}</translation>
    </message>
    <message>
        <source>Use a checkpoint in F32, F16 or BF16</source>
        <translation>请使用 F32、F16 或 BF16 的检查点</translation>
    </message>
    <message>
        <source>this is a Git LFS pointer, not the weights themselves</source>
        <translation>这是 Git LFS 指针，不是权重本身</translation>
    </message>
    <message>
        <source>Run &apos;git lfs pull&apos; in its repository, or download the file</source>
        <translation>请在其仓库中运行 &apos;git lfs pull&apos;，或下载该文件</translation>
    </message>
    <message>
        <source>the file has {} bytes, too few for a safetensors header</source>
        <translation>文件有 {} 字节，不足以容纳 safetensors 文件头</translation>
    </message>
    <message>
        <source>the header says it is {} bytes long; at most {} are allowed</source>
        <translation>文件头称其长 {} 字节；最多允许 {} 字节</translation>
    </message>
    <message>
        <source>the header says it is {} bytes long, but the file has only {} bytes</source>
        <translation>文件头称其长 {} 字节，但文件只有 {} 字节</translation>
    </message>
    <message>
        <source>the header does not start with &apos;{{&apos;: this is not a safetensors file</source>
        <translation>文件头不以 &apos;{{&apos; 开头：这不是 safetensors 文件</translation>
    </message>
    <message>
        <source>the header gives no {}</source>
        <translation>文件头没有给出 {}</translation>
    </message>
    <message>
        <source>the shape is not a list of numbers</source>
        <translation>形状不是数的列表</translation>
    </message>
    <message>
        <source>the shape holds {:.40}, which is not a count</source>
        <translation>形状含有 {}，它不是计数</translation>
    </message>
    <message>
        <source>the shape {:.80} is larger than any memory</source>
        <translation>形状 {} 超出任何内存的容量</translation>
    </message>
    <message>
        <source>the header describes it by something else than an object</source>
        <translation>文件头用对象以外的内容描述它</translation>
    </message>
    <message>
        <source>the dtype is not a text</source>
        <translation>dtype 不是文本</translation>
    </message>
    <message>
        <source>data_offsets is not a pair of counts</source>
        <translation>data_offsets 不是一对计数</translation>
    </message>
    <message>
        <source>its data begins at {} but ends at {}</source>
        <translation>其数据始于 {}，却止于 {}</translation>
    </message>
    <message>
        <source>its data ends at byte {}, but the file holds only {} bytes of data (truncated)</source>
        <translation>其数据止于第 {} 字节，但文件只有 {} 字节数据（已截断）</translation>
    </message>
    <message>
        <source>shape {} of {} needs {} bytes, but data_offsets [{}, {}] hold {}</source>
        <translation>形状 {}、类型 {} 需要 {} 字节，但 data_offsets [{}, {}] 含 {} 字节</translation>
    </message>
    <message>
        <source>__metadata__ is not an object</source>
        <translation>__metadata__ 不是对象</translation>
    </message>
    <message>
        <source>the metadata &apos;{:.80}&apos; is not a text</source>
        <translation>元数据“{}”不是文本</translation>
    </message>
    <message>
        <source>its data begins at {}, inside the tensor before it, which ends at {}</source>
        <translation>其数据始于 {}，位于止于 {} 的前一个张量之内</translation>
    </message>
    <message>
        <source>its data begins at {}, behind a hole after the tensor before it, which ends at {}</source>
        <translation>其数据始于 {}，与止于 {} 的前一个张量之间有空隙</translation>
    </message>
    <message>
        <source>{} bytes follow the last tensor, which no tensor describes</source>
        <translation>最后一个张量之后有 {} 字节，不属于任何张量</translation>
    </message>
    <message>
        <source>safetensors has no type {}</source>
        <translation>safetensors 没有类型 {}</translation>
    </message>
    <message>
        <source>Write a file whose name ends in .gguf</source>
        <translation>请写出名称以 .gguf 结尾的文件</translation>
    </message>
    <message>
        <source>the weights could not be written ({})</source>
        <translation>无法写入权重（{}）</translation>
    </message>
    <message>
        <source>Free some space or choose another disk</source>
        <translation>请腾出一些空间，或选择另一块磁盘</translation>
    </message>
    <message>
        <source>this is not a GGUF file: it does not start with &quot;GGUF&quot;</source>
        <translation>这不是 GGUF 文件：没有以 &quot;GGUF&quot; 开头</translation>
    </message>
    <message>
        <source>this is not a checkpoint that torch.save() wrote</source>
        <translation>这不是由 torch.save() 写出的检查点</translation>
    </message>
    <message>
        <source>It may be a Git LFS pointer or the page of an error: download the file again</source>
        <translation>它可能是 Git LFS 指针或错误页面：请重新下载该文件</translation>
    </message>
    <message>
        <source>The file is damaged or no checkpoint: get it again, or as safetensors</source>
        <translation>文件已损坏或不是检查点：请重新获取，或获取 safetensors 格式的文件</translation>
    </message>
    <message>
        <source>its numbers are not little-endian</source>
        <translation>其中的数不是小端序</translation>
    </message>
    <message>
        <source>its pickle holds no tensors by name</source>
        <translation>其 pickle 中没有按名称存放的张量</translation>
    </message>
    <message>
        <source>argument {} of {} is not what it should be</source>
        <translation>{1} 的参数 {0} 不符合预期</translation>
    </message>
    <message>
        <source>its shape or strides hold something else than counts</source>
        <translation>其形状或步幅含有不是计数的内容</translation>
    </message>
    <message>
        <source>the parameter holds no tensor</source>
        <translation>该参数中没有张量</translation>
    </message>
    <message>
        <source>its storage has no type</source>
        <translation>其存储没有类型</translation>
    </message>
    <message>
        <source>its type {} is not known</source>
        <translation>其类型 {} 未知</translation>
    </message>
    <message>
        <source>its storage is not described by five parts</source>
        <translation>其存储的描述不是五个部分</translation>
    </message>
    <message>
        <source>part {} of its storage&apos;s description is not what it should be</source>
        <translation>其存储描述的第 {} 部分不符合预期</translation>
    </message>
    <message>
        <source>it refers to something else than a storage</source>
        <translation>它引用的不是存储</translation>
    </message>
    <message>
        <source>its storage data/{} is not in the archive</source>
        <translation>其存储 data/{} 不在归档中</translation>
    </message>
    <message>
        <source>its shape, strides and offset do not fit together</source>
        <translation>其形状、步幅和偏移互不相符</translation>
    </message>
    <message>
        <source>shape {} at element {} does not lie in its storage of {} elements</source>
        <translation>从元素 {1} 起的形状 {0} 不在其 {2} 个元素的存储之内</translation>
    </message>
    <message>
        <source>this file is in the form that PyTorch wrote before version 1.6</source>
        <translation>此文件采用 PyTorch 1.6 版之前写出的形式</translation>
    </message>
    <message>
        <source>Get the weights as safetensors, or load and save them with a newer PyTorch</source>
        <translation>请获取 safetensors 格式的权重，或用较新的 PyTorch 载入后再保存</translation>
    </message>
    <message>
        <source>the archive says it holds {} files, more than fit into it</source>
        <translation>归档称含有 {} 个文件，超出其所能容纳</translation>
    </message>
    <message>
        <source>the archive is too short</source>
        <translation>归档过短</translation>
    </message>
    <message>
        <source>the archive has no directory (truncated)</source>
        <translation>归档没有目录（已截断）</translation>
    </message>
    <message>
        <source>the archive is one of several parts</source>
        <translation>该归档是分卷归档的一卷</translation>
    </message>
    <message>
        <source>the zip64 archive is too short</source>
        <translation>zip64 归档过短</translation>
    </message>
    <message>
        <source>the archive has no zip64 locator where it should be</source>
        <translation>归档在应有之处没有 zip64 定位记录</translation>
    </message>
    <message>
        <source>the archive has no zip64 end record where it should be</source>
        <translation>归档在应有之处没有 zip64 结束记录</translation>
    </message>
    <message>
        <source>the archive has no directory entry where it should be</source>
        <translation>归档在应有之处没有目录条目</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is encrypted in the archive</source>
        <translation>归档中的“{}”已加密</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is compressed in the archive</source>
        <translation>归档中的“{}”经过压缩</translation>
    </message>
    <message>
        <source>PyTorch stores weights uncompressed: get the original file, or unpack and pack it without compression</source>
        <translation>PyTorch 以不压缩的方式存储权重：请获取原始文件，或解开后不压缩地重新打包</translation>
    </message>
    <message>
        <source>&apos;{}&apos; lies behind the end of the archive (truncated)</source>
        <translation>“{}”位于归档末尾之后（已截断）</translation>
    </message>
    <message>
        <source>the archive has no file header where it should be</source>
        <translation>归档在应有之处没有文件头</translation>
    </message>
    <message>
        <source>&apos;{}&apos; has another name in its own header</source>
        <translation>“{}”在其自己的文件头中是另一个名称</translation>
    </message>
    <message>
        <source>&apos;{}&apos; and &apos;{}&apos; overlap in the archive</source>
        <translation>归档中的“{}”和“{}”重叠</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is in the archive twice</source>
        <translation>“{}”在归档中出现两次</translation>
    </message>
    <message>
        <source>none of its keys fits the transformer</source>
        <translation>它的键都与 Transformer 不匹配</translation>
    </message>
    <message>
        <source>Use an adapter that was made for this model</source>
        <translation>请使用为此模型制作的适配器</translation>
    </message>
    <message>
        <source>Choose a folder that a run of Meshreel was written into</source>
        <translation>请选择写有 Meshreel 运行的文件夹</translation>
    </message>
    <message>
        <source>Choose another file, or write audio: none</source>
        <translation>请选择其他文件，或写 audio: none</translation>
    </message>
    <message>
        <source>Convert it with a program that knows Dolby Vision: {}</source>
        <translation>请用支持 Dolby Vision 的程序转换：{}</translation>
    </message>
    <message>
        <source>Convert the sound, as with ffmpeg -i IN OUT.m4a for MP4 or OUT.webm for WebM, or write audio: none</source>
        <translation>请转换声音，例如用 ffmpeg -i IN OUT.m4a（用于 MP4）或 OUT.webm（用于 WebM），或写 audio: none</translation>
    </message>
    <message>
        <source>Every frame, whatever the rate of the file.</source>
        <translation>每一帧，无论文件的帧率是多少。</translation>
    </message>
    <message>
        <source>If its colours look wrong, tag the file with the matrix that it has</source>
        <translation>如果颜色不对，请为文件标注其实际的矩阵</translation>
    </message>
    <message>
        <source>Metadata</source>
        <translation>元数据</translation>
    </message>
    <message>
        <source>Nothing: for videos that are given away.</source>
        <translation>什么都不写：用于要送出去的视频。</translation>
    </message>
    <message>
        <source>Rate of inputs</source>
        <translation>输入的帧率</translation>
    </message>
    <message>
        <source>Sound</source>
        <translation>声音</translation>
    </message>
    <message>
        <source>The prompt and the whole project, so that the video can be made again.</source>
        <translation>提示词和整个项目，以便可以重新制作视频。</translation>
    </message>
    <message>
        <source>Those that are on show at the times of fps, so that the motion keeps its speed; folders of frames have no rate and are taken one by one.</source>
        <translation>在 fps 各时刻显示的帧，使动作保持原速；帧文件夹没有帧率，逐帧使用。</translation>
    </message>
    <message>
        <source>To keep the speed of the motion, set input_fps: project</source>
        <translation>要保持动作的速度，请设置 input_fps: project</translation>
    </message>
    <message>
        <source>To take every frame, set fps: {}, or input_fps: keep</source>
        <translation>要使用每一帧，请设置 fps: {} 或 input_fps: keep</translation>
    </message>
    <message>
        <source>To take every frame, set input_fps: keep</source>
        <translation>要使用每一帧，请设置 input_fps: keep</translation>
    </message>
    <message>
        <source>What a video file, or the file beside it, says of how it was made.</source>
        <translation>视频文件或其旁边的文件对其制作方式的说明。</translation>
    </message>
    <message>
        <source>Which frames of video, mask, pose_video, face_video and background_video are taken.</source>
        <translation>使用 video、mask、pose_video、face_video 和 background_video 的哪些帧。</translation>
    </message>
    <message>
        <source>its sound cannot be read ({})</source>
        <translation>无法读取其声音（{}）</translation>
    </message>
    <message>
        <source>none of its keys fits the transformer: it was made for {}</source>
        <translation>没有任何键适合该 Transformer：它是为 {} 制作的</translation>
    </message>
    <message>
        <source>this is Dolby Vision of profile 5 (high dynamic range), whose colours Meshreel does not read</source>
        <translation>这是 Dolby Vision 配置文件 5（高动态范围），Meshreel 无法读取其颜色</translation>
    </message>
    <message>
        <source>{} is left out: {}</source>
        <translation>{} 已省去：{}</translation>
    </message>
    <message>
        <source>{} layers of another shape are left out, first {}: {}</source>
        <translation>{} 个形状不同的层已省去，第一个为 {}：{}</translation>
    </message>
    <message>
        <source>{}: {}: {} frames a second, each of which is taken and shown at {} a second</source>
        <translation>{}：{}：使用每秒 {} 帧中的每一帧，并以每秒 {} 帧显示</translation>
    </message>
    <message>
        <source>{}: {}: high dynamic range ({}), tone-mapped to BT.709</source>
        <translation>{}：{}：高动态范围（{}），已色调映射到 BT.709</translation>
    </message>
    <message>
        <source>{}: {}: the file does not say its colour matrix, {} is taken</source>
        <translation>{}：{}：文件未说明其颜色矩阵，按 {} 处理</translation>
    </message>
    <message>
        <source>this is a {} adapter, which Meshreel does not apply</source>
        <translation>这是 {} 适配器，Meshreel 无法应用</translation>
    </message>
    <message>
        <source>Use a LoRA, or one that its trainer exported as LoRA or merged into a model</source>
        <translation>请使用 LoRA，或由其训练程序导出为 LoRA 或已合并到模型中的</translation>
    </message>
    <message>
        <source>its shape {} does not fit {} {} of the transformer</source>
        <translation>其形状 {} 与 Transformer 的 {} {} 不匹配</translation>
    </message>
    <message>
        <source>its shape {} with {} does not fit {} {} of the transformer</source>
        <translation>其形状 {} 和 {} 与 Transformer 的 {} {} 不匹配</translation>
    </message>
    <message>
        <source>Use an adapter that was made for a model of this size</source>
        <translation>请使用为此大小的模型制作的适配器</translation>
    </message>
    <message>
        <source>its alpha is not one number</source>
        <translation>其 alpha 不是单个数</translation>
    </message>
    <message>
        <source>Get the adapter again</source>
        <translation>请重新获取该适配器</translation>
    </message>
    <message>
        <source>the file was cut short while it was in use</source>
        <translation>文件在使用中被截短</translation>
    </message>
    <message>
        <source>Leave it alone while Meshreel runs; restore it and start again</source>
        <translation>Meshreel 运行时请勿改动它；请将其恢复后重新开始</translation>
    </message>
    <message>
        <source>{} bytes cannot be mapped into memory ({})</source>
        <translation>无法将 {} 字节映射到内存（{}）</translation>
    </message>
    <message>
        <source>Raise the limit on address space (ulimit -v)</source>
        <translation>请提高地址空间的上限（ulimit -v）</translation>
    </message>
    <message>
        <source>the file shrank from {} to {} bytes while it was in use</source>
        <translation>文件在使用中从 {} 字节缩短到 {} 字节</translation>
    </message>
    <message>
        <source>a BOOL is neither 0 nor 1 but {}</source>
        <translation>有 BOOL 既不是 0 也不是 1，而是 {}</translation>
    </message>
    <message>
        <source>the weights are those of no part of a Wan model, whose other names are known</source>
        <translation>这些权重不属于 Wan 模型的任何部件，而只有这些部件的其他命名是已知的</translation>
    </message>
    <message>
        <source>Use --layout diffusers, which keeps the names</source>
        <translation>请使用 --layout diffusers，它保留原有名称</translation>
    </message>
    <message>
        <source>the source lacks a tensor that is a part of it</source>
        <translation>来源缺少一个属于它的张量</translation>
    </message>
    <message>
        <source>Get the source again</source>
        <translation>请重新获取来源</translation>
    </message>
    <message>
        <source>the file read back is not there with its shape</source>
        <translation>读回的文件中没有该张量，或其形状不同</translation>
    </message>
    <message>
        <source>the file read back differs from what was written, in elements {} to {}</source>
        <translation>读回的文件与写入的内容在元素 {} 至 {} 处不同</translation>
    </message>
    <message>
        <source>The disk or the memory is faulty, or this is a defect of Meshreel; nothing was kept</source>
        <translation>磁盘或内存有故障，或这是 Meshreel 的缺陷；没有保留任何内容</translation>
    </message>
    <message>
        <source>{} has blocks of {} elements, and its rows {}</source>
        <translation>{} 的块有 {} 个元素，而其行有 {} 个</translation>
    </message>
    <message>
        <source>Choose a type without blocks</source>
        <translation>请选择不分块的类型</translation>
    </message>
    <message>
        <source>weights of type {} are read, but not written</source>
        <translation>可读取 {} 类型的权重，但不能写入</translation>
    </message>
    <message>
        <source>Choose another type</source>
        <translation>请选择另一种类型</translation>
    </message>
    <message>
        <source>Wan 2.1 text to video</source>
        <translation>Wan 2.1 文生视频</translation>
    </message>
    <message>
        <source>Wan 2.1 image to video</source>
        <translation>Wan 2.1 图生视频</translation>
    </message>
    <message>
        <source>Wan 2.1 first and last frame to video</source>
        <translation>Wan 2.1 首尾帧生视频</translation>
    </message>
    <message>
        <source>Wan 2.1 VACE editing</source>
        <translation>Wan 2.1 VACE 编辑</translation>
    </message>
    <message>
        <source>Wan 2.2 text to video, two experts</source>
        <translation>Wan 2.2 文生视频，两个专家</translation>
    </message>
    <message>
        <source>Wan 2.2 image to video, two experts</source>
        <translation>Wan 2.2 图生视频，两个专家</translation>
    </message>
    <message>
        <source>Wan 2.2 image to video, one transformer</source>
        <translation>Wan 2.2 图生视频，一个 Transformer</translation>
    </message>
    <message>
        <source>Wan 2.2 character animation</source>
        <translation>Wan 2.2 角色动画</translation>
    </message>
    <message>
        <source>Wan 2.2 text and image to video, 5B</source>
        <translation>Wan 2.2 文图生视频，5B</translation>
    </message>
    <message>
        <source>Text to video</source>
        <translation>文生视频</translation>
    </message>
    <message>
        <source>Image to video</source>
        <translation>图生视频</translation>
    </message>
    <message>
        <source>First and last frame to video</source>
        <translation>首尾帧生视频</translation>
    </message>
    <message>
        <source>Video to video</source>
        <translation>视频生视频</translation>
    </message>
    <message>
        <source>Editing with VACE</source>
        <translation>VACE 编辑</translation>
    </message>
    <message>
        <source>Character animation</source>
        <translation>角色动画</translation>
    </message>
    <message>
        <source>Character replacement</source>
        <translation>角色替换</translation>
    </message>
    <message>
        <source>text to video</source>
        <translation>文生视频</translation>
    </message>
    <message>
        <source>image to video, 480P and 720P</source>
        <translation>图生视频，480P 和 720P</translation>
    </message>
    <message>
        <source>first and last frame to video</source>
        <translation>首尾帧生视频</translation>
    </message>
    <message>
        <source>VACE editing</source>
        <translation>VACE 编辑</translation>
    </message>
    <message>
        <source>text to video, one of the two experts</source>
        <translation>文生视频，两个专家之一</translation>
    </message>
    <message>
        <source>image to video, one of the two experts</source>
        <translation>图生视频，两个专家之一</translation>
    </message>
    <message>
        <source>text or image to video</source>
        <translation>文或图生视频</translation>
    </message>
    <message>
        <source>character animation</source>
        <translation>角色动画</translation>
    </message>
    <message>
        <source>VAE of all but TI2V-5B</source>
        <translation>除 TI2V-5B 外各模型的 VAE</translation>
    </message>
    <message>
        <source>VAE of TI2V-5B</source>
        <translation>TI2V-5B 的 VAE</translation>
    </message>
    <message>
        <source>text encoder</source>
        <translation>文本编码器</translation>
    </message>
    <message>
        <source>image encoder of the Wan 2.1 image models</source>
        <translation>Wan 2.1 图像模型的图像编码器</translation>
    </message>
    <message>
        <source>first-block cache</source>
        <translation>首块缓存</translation>
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
        <translation>GIF 动画</translation>
    </message>
    <message>
        <source>Animated WebP</source>
        <translation>WebP 动画</translation>
    </message>
    <message>
        <source>PNG frames</source>
        <translation>PNG 帧</translation>
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
        <translation>此系统的 libavcodec 没有 libx264 编码器，因此视频以 WebM（VP9）而非 MP4（H.264）写出。</translation>
    </message>
    <message>
        <source>device {} failed: {}</source>
        <translation>设备 {} 失败：{}</translation>
    </message>
    <message>
        <source>rank {} on {} failed: {}</source>
        <translation>{1} 上的进程 {0} 失败：{2}</translation>
    </message>
    <message>
        <source>device {} of rank {} on {} failed: {}</source>
        <translation>{2} 上进程 {1} 的设备 {0} 失败：{3}</translation>
    </message>
    <message>
        <source>an unknown exception</source>
        <translation>未知异常</translation>
    </message>
    <message>
        <source>memory in use by a transfer had to be given up</source>
        <translation>不得不放弃传输仍在使用的内存</translation>
    </message>
    <message>
        <source>the ranks gave up</source>
        <translation>各进程已放弃</translation>
    </message>
    <message>
        <source>it stopped in the middle of its work</source>
        <translation>它在工作途中停止</translation>
    </message>
    <message>
        <source>it has not been heard of for {} s</source>
        <translation>它已有 {} 秒没有消息</translation>
    </message>
    <message>
        <source>all ranks were asked to end</source>
        <translation>所有进程都被要求结束</translation>
    </message>
    <message>
        <source>it has died: mpirun ends the others</source>
        <translation>它已意外终止：mpirun 会结束其余进程</translation>
    </message>
    <message>
        <source>this rank was asked to end, and the others do not answer</source>
        <translation>此进程被要求结束，而其他进程没有应答</translation>
    </message>
    <message>
        <source>MPI does not return</source>
        <translation>MPI 没有返回</translation>
    </message>
    <message>
        <source>mpirun has gone away</source>
        <translation>mpirun 已消失</translation>
    </message>
    <message>
        <source>MultiTalk or InfiniteTalk</source>
        <translation>MultiTalk 或 InfiniteTalk</translation>
    </message>
    <message>
        <source>a Wan model with audio (HuMo, MultiTalk)</source>
        <translation>带音频的 Wan 模型（HuMo、MultiTalk）</translation>
    </message>
    <message>
        <source>HunyuanVideo or Flux, which are no Wan models</source>
        <translation>HunyuanVideo 或 Flux（不是 Wan 模型）</translation>
    </message>
    <message>
        <source>another model than Wan</source>
        <translation>Wan 以外的模型</translation>
    </message>
    <message>
        <source>one of the two experts</source>
        <translation>两个专家之一</translation>
    </message>
    <message>
        <source>high-noise expert</source>
        <translation>高噪声专家</translation>
    </message>
    <message>
        <source>low-noise expert</source>
        <translation>低噪声专家</translation>
    </message>
    <message>
        <source>{} of image to video, A14B</source>
        <translation>图生视频 A14B 的{}</translation>
    </message>
    <message>
        <source>{} of text to video, A14B</source>
        <translation>文生视频 A14B 的{}</translation>
    </message>
    <message>
        <source>The two experts have the same shapes, and neither name nor metadata says which this is: the file&apos;s name in its repository holds &quot;high_noise&quot; or &quot;low_noise&quot;</source>
        <translation>两个专家的形状相同，而名称和元数据都没有说明这是哪一个：文件在其仓库中的名称含有“high_noise”或“low_noise”</translation>
    </message>
    <message>
        <source>text to video, 14B of Wan 2.1, or one expert of Wan 2.2 A14B</source>
        <translation>文生视频，Wan 2.1 的 14B，或 Wan 2.2 A14B 的一个专家</translation>
    </message>
    <message>
        <source>Both have exactly these shapes, and a lone expert makes wrong pictures without a word. Name and metadata do not decide: rename the file as it is called in its repository (&quot;wan2.1&quot;, or &quot;wan2.2&quot; with &quot;high_noise&quot; or &quot;low_noise&quot;)</source>
        <translation>两者的形状完全相同，而单独一个专家会在没有任何提示的情况下生成错误的画面。名称和元数据无法判定：请将文件改回其在仓库中的名称（“wan2.1”，或带“high_noise”或“low_noise”的“wan2.2”）</translation>
    </message>
    <message>
        <source>Wan 2.1 and 2.2</source>
        <translation>Wan 2.1 和 2.2</translation>
    </message>
    <message>
        <source>VACE editing, of no released size</source>
        <translation>VACE 编辑，非已发布的规模</translation>
    </message>
    <message>
        <source>image to video, of no released size</source>
        <translation>图生视频，非已发布的规模</translation>
    </message>
    <message>
        <source>text to video, of no released size</source>
        <translation>文生视频，非已发布的规模</translation>
    </message>
    <message>
        <source>The config.json beside it is not that of a Wan transformer</source>
        <translation>旁边的 config.json 不是 Wan Transformer 的</translation>
    </message>
    <message>
        <source>Adapter {}</source>
        <translation>适配器 {}</translation>
    </message>
    <message>
        <source>the cached preview of a VAE is damaged</source>
        <translation>缓存中某个 VAE 的预览已损坏</translation>
    </message>
    <message>
        <source>The preview of the VAE in the cache is not used and fitted again</source>
        <translation>不使用缓存中 VAE 的预览，并重新拟合</translation>
    </message>
    <message>
        <source>The preview that was fitted to the VAE is not kept</source>
        <translation>为 VAE 拟合的预览不会保留</translation>
    </message>
    <message>
        <source>the cached embedding of a prompt is damaged</source>
        <translation>缓存中某个提示词的嵌入已损坏</translation>
    </message>
    <message>
        <source>A prompt in the cache is not used and encoded again</source>
        <translation>不使用缓存中的某个提示词，并重新编码</translation>
    </message>
    <message>
        <source>An encoded prompt is not kept</source>
        <translation>某个已编码的提示词不会保留</translation>
    </message>
    <message>
        <source>{} (high expert)</source>
        <translation>{}（高噪声专家）</translation>
    </message>
    <message>
        <source>{} (low expert)</source>
        <translation>{}（低噪声专家）</translation>
    </message>
    <message>
        <source>{}{}{}</source>
        <translation>{}{}{}</translation>
    </message>
    <message>
        <source>changes {}</source>
        <translation>更改 {}</translation>
    </message>
    <message>
        <source>fits nothing: {}</source>
        <translation>与模型不匹配：{}</translation>
    </message>
    <message>
        <source>the config.json beside it is not of this file</source>
        <translation>旁边的 config.json 不属于此文件</translation>
    </message>
    <message>
        <source>original</source>
        <translation>原始</translation>
    </message>
    <message>
        <source>{} behind {}</source>
        <translation>{}（前缀 {}）</translation>
    </message>
    <message>
        <source>{} and {}</source>
        <translation>{} 和 {}</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>text encoder UMT5-XXL with its tokenizer</source>
        <translation>文本编码器 UMT5-XXL 及其分词器</translation>
    </message>
    <message>
        <source>VAE of Wan 2.2 (48 channels)</source>
        <translation>Wan 2.2 的 VAE（48 个通道）</translation>
    </message>
    <message>
        <source>VAE of Wan 2.1 (16 channels)</source>
        <translation>Wan 2.1 的 VAE（16 个通道）</translation>
    </message>
    <message>
        <source>image encoder CLIP ViT-H</source>
        <translation>图像编码器 CLIP ViT-H</translation>
    </message>
    <message>
        <source>the other of the two experts</source>
        <translation>两个专家中的另一个</translation>
    </message>
    <message>
        <source>it was ended by signal {}</source>
        <translation>它被信号 {} 终止</translation>
    </message>
    <message>
        <source>Cancelled.</source>
        <translation>已取消。</translation>
    </message>
    <message>
        <source>mpirun ended with code {}</source>
        <translation>mpirun 以代码 {} 结束</translation>
    </message>
    <message>
        <source>the connection to the host was lost</source>
        <translation>与主机的连接已断开</translation>
    </message>
    <message>
        <source>the ranks failed</source>
        <translation>各进程失败</translation>
    </message>
    <message>
        <source>rank {} on host {} failed: {}</source>
        <translation>主机 {1} 上的进程 {0} 失败：{2}</translation>
    </message>
    <message>
        <source>device {} of rank {} on host {} failed: {}</source>
        <translation>主机 {2} 上进程 {1} 的设备 {0} 失败：{3}</translation>
    </message>
    <message>
        <source>{} devices are predicted to take {:.1f} times as long here as one device</source>
        <translation>预计 {} 个设备在本机上的用时是单个设备的 {:.1f} 倍</translation>
    </message>
    <message>
        <source>Take one device: exchange and waiting cost more than sharing the work out saves</source>
        <translation>请改用一个设备：交换和等待的开销大于分担工作所节省的时间</translation>
    </message>
    <message>
        <source>The program ended without finishing the run</source>
        <translation>程序在运行完成之前就结束了</translation>
    </message>
    <message>
        <source>{} videos were written</source>
        <translation>已写出 {} 个视频</translation>
    </message>
    <message>
        <source>The run is finished already</source>
        <translation>该运行已经完成</translation>
    </message>
    <message>
        <source>Packed weights in the cache are not used and made again: {}</source>
        <translation>不使用缓存中的打包权重，并重新生成：{}</translation>
    </message>
    <message>
        <source>Packed weights are not kept: {}</source>
        <translation>打包权重不会保留：{}</translation>
    </message>
    <message>
        <source>Packed weights in the cache are not used and made again by the next run: {}</source>
        <translation>不使用缓存中的打包权重，下次运行会重新生成：{}</translation>
    </message>
    <message>
        <source>they are larger than the cache may grow, or than the disk has room for</source>
        <translation>它们超出了缓存的上限，或磁盘的剩余空间</translation>
    </message>
    <message>
        <source>{}: changes {} tensors, strength {:g}</source>
        <translation>{}：更改 {} 个张量，强度 {}</translation>
    </message>
    <message>
        <source>{}: changes {} tensors, strength {:g}, effective scale {:g}</source>
        <translation>{}：更改 {} 个张量，强度 {}，有效缩放 {}</translation>
    </message>
    <message>
        <source>{}: changes {} tensors, strength {:g}, effective scale {:g} to {:g}</source>
        <translation>{}：更改 {} 个张量，强度 {}，有效缩放 {} 至 {}</translation>
    </message>
    <message>
        <source>{}; every key fits</source>
        <translation>{}；所有键都匹配</translation>
    </message>
    <message>
        <source>{}; {} keys fit nothing</source>
        <translation>{}；{} 个键与模型不匹配</translation>
    </message>
    <message>
        <source>A chart cannot be written as &apos;{}&apos;</source>
        <translation>图表无法写为“{}”</translation>
    </message>
    <message>
        <source>Use .png, .svg, .pdf, .csv or .json</source>
        <translation>请使用 .png、.svg、.pdf、.csv 或 .json</translation>
    </message>
    <message>
        <source>This run recorded nothing of its devices</source>
        <translation>该运行没有记录其设备的情况</translation>
    </message>
    <message>
        <source>Name a run that finished a step</source>
        <translation>请指定至少完成一步的运行</translation>
    </message>
    <message>
        <source>None of these runs recorded its memory</source>
        <translation>这些运行都没有记录内存</translation>
    </message>
    <message>
        <source>Name finished runs</source>
        <translation>请指定已完成的运行</translation>
    </message>
    <message>
        <source>A chart of runs needs a run</source>
        <translation>运行图表需要有运行</translation>
    </message>
    <message>
        <source>Name one or more run folders</source>
        <translation>请指定一个或多个运行文件夹</translation>
    </message>
    <message>
        <source>A chart of {} shows one run</source>
        <translation>{} 图表只显示一次运行</translation>
    </message>
    <message>
        <source>Name one run folder</source>
        <translation>请只指定一个运行文件夹</translation>
    </message>
    <message>
        <source>Name runs that got as far as denoising</source>
        <translation>请指定已进行到去噪的运行</translation>
    </message>
    <message>
        <source>None of these runs is finished, so that no stage was timed</source>
        <translation>这些运行都未完成，因此没有任何阶段的计时</translation>
    </message>
    <message>
        <source>The picture cannot be written</source>
        <translation>无法写入图片</translation>
    </message>
    <message>
        <source>Delete the file to start with an empty queue</source>
        <translation>删除该文件即可从空队列开始</translation>
    </message>
    <message>
        <source>A report cannot be written as &apos;{}&apos;</source>
        <translation>报告无法写为“{}”</translation>
    </message>
    <message>
        <source>Use .html or .pdf</source>
        <translation>请使用 .html 或 .pdf</translation>
    </message>
    <message>
        <source>The nearest multiples are {} and {}</source>
        <translation>最接近的倍数为 {} 和 {}</translation>
    </message>
    <message>
        <source>The nearest multiple is {}</source>
        <translation>最接近的倍数为 {}</translation>
    </message>
    <message>
        <source>settings have no dashes before them: write {}</source>
        <translation>设置前面没有短横线：请写 {}</translation>
    </message>
    <message>
        <source>this word sets nothing; a value of several words needs quotes around it</source>
        <translation>这个词没有设置任何内容；由多个词组成的值需要加引号</translation>
    </message>
    <message>
        <source>Block sizes can only be told apart where steps do the same work ({})</source>
        <translation>只有各步的计算内容相同，才能区分块大小（{}）</translation>
    </message>
    <message>
        <source>The prompt holds {{prompt}}, which a run takes as words</source>
        <translation>提示词中含有 {{prompt}}，运行时会将其当作普通文字</translation>
    </message>
    <message>
        <source>Write what the video should show in its place, or use it as a style from Prompts</source>
        <translation>请在该处写明视频应呈现的内容，或从“提示词”面板将其作为风格使用</translation>
    </message>
    <message>
        <source>The prompt offers alternatives in braces, which a run takes as words</source>
        <translation>提示词的花括号中有备选项，运行时会将其当作普通文字</translation>
    </message>
    <message>
        <source>Write one of them, or add a grid to the queue, which runs them all</source>
        <translation>请写其中一项，或将网格加入队列以全部运行</translation>
    </message>
    <message>
        <source>Wan 2.1 first and last frame to video 14B at 720p: what lies between two pictures.</source>
        <translation>Wan 2.1 首尾帧生视频 14B，720p：生成两张图片之间的内容。</translation>
    </message>
    <message>
        <source>Wan 2.1 image-to-video 14B at 720p on 4 devices: flash attention with the block sizes of TPU v6e.</source>
        <translation>Wan 2.1 图生视频 14B，720p，4 个设备：flash 注意力，采用 TPU v6e 的块大小。</translation>
    </message>
    <message>
        <source>Wan 2.1 image-to-video 14B at 720p on 4 devices, with the block sizes of MaxDiffusion&apos;s base_wan_i2v_14b.yml.</source>
        <translation>Wan 2.1 图生视频 14B，720p，4 个设备，采用 MaxDiffusion 的 base_wan_i2v_14b.yml 中的块大小。</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 1.3B for one computer: a quarter of 480p, two seconds, few steps.</source>
        <translation>Wan 2.1 文生视频 1.3B，适合单台计算机：480p 的四分之一，两秒，步数少。</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 1.3B at 480p on 2 devices: the two halves of guidance side by side.</source>
        <translation>Wan 2.1 文生视频 1.3B，480p，2 个设备：提示词与负面提示词两部分并行计算。</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 1.3B at 480p on 4 devices: ulysses inside groups of 2, a ring of 2 between the groups.</source>
        <translation>Wan 2.1 文生视频 1.3B，480p，4 个设备：每 2 个设备一组，组内 Ulysses，组间为大小 2 的环形。</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 1.3B at 480p, with the settings of MaxDiffusion&apos;s base_wan_1_3b.yml.</source>
        <translation>Wan 2.1 文生视频 1.3B，480p，采用 MaxDiffusion 的 base_wan_1_3b.yml 中的设置。</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B at 720p on 8 devices: the two halves of guidance side by side, each on 4 devices.</source>
        <translation>Wan 2.1 文生视频 14B，720p，8 个设备：提示词与负面提示词两部分并行计算，各用 4 个设备。</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B at 720p on 8 devices: the fast script&apos;s fixed-m recipe.</source>
        <translation>Wan 2.1 文生视频 14B，720p，8 个设备：快速脚本的 fixed-m 方案。</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B at 720p on 4 devices: flash attention with the block sizes of TPU v5p.</source>
        <translation>Wan 2.1 文生视频 14B，720p，4 个设备：flash 注意力，采用 TPU v5p 的块大小。</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B at 720p on 4 devices: flash attention with the block sizes of TPU v6e.</source>
        <translation>Wan 2.1 文生视频 14B，720p，4 个设备：flash 注意力，采用 TPU v6e 的块大小。</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B at 720p on 16 devices: a pure ring.</source>
        <translation>Wan 2.1 文生视频 14B，720p，16 个设备：仅环形。</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B at 720p on 16 devices: ulysses inside groups of 8, a ring of 2 between the groups.</source>
        <translation>Wan 2.1 文生视频 14B，720p，16 个设备：每 8 个设备一组，组内 Ulysses，组间为大小 2 的环形。</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B at 720p on 4 devices: ulysses inside groups of 2, a ring of 2 between the groups.</source>
        <translation>Wan 2.1 文生视频 14B，720p，4 个设备：每 2 个设备一组，组内 Ulysses，组间为大小 2 的环形。</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B at 720p on 8 devices: ulysses inside groups of 4, a ring of 2 between the groups.</source>
        <translation>Wan 2.1 文生视频 14B，720p，8 个设备：每 4 个设备一组，组内 Ulysses，组间为大小 2 的环形。</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B at 720p on 8 devices with the block sizes of Trillium&apos;s 32 MB of scratch memory.</source>
        <translation>Wan 2.1 文生视频 14B，720p，8 个设备，采用针对 Trillium 32 MB 暂存内存的块大小。</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B at 720p on 8 devices: pure Ulysses.</source>
        <translation>Wan 2.1 文生视频 14B，720p，8 个设备：仅 Ulysses。</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B at 720p, with the settings of MaxDiffusion&apos;s base_wan_14b.yml.</source>
        <translation>Wan 2.1 文生视频 14B，720p，采用 MaxDiffusion 的 base_wan_14b.yml 中的设置。</translation>
    </message>
    <message>
        <source>Wan 2.1 text-to-video 14B, distilled to 4 steps.</source>
        <translation>Wan 2.1 文生视频 14B，蒸馏到 4 步。</translation>
    </message>
    <message>
        <source>Wan 2.1 VACE editing 1.3B at 480p: a video whose masked part is made anew.</source>
        <translation>Wan 2.1 VACE 编辑 1.3B，480p：重新生成视频中被遮罩的部分。</translation>
    </message>
    <message>
        <source>Wan 2.1 image-to-video 14B at 720p on 8 devices: the two halves of guidance side by side, each on 4 devices.</source>
        <translation>Wan 2.1 图生视频 14B，720p，8 个设备：提示词与负面提示词两部分并行计算，各用 4 个设备。</translation>
    </message>
    <message>
        <source>Wan 2.1 image-to-video 14B at 720p on 4 devices: ulysses inside groups of 2, a ring of 2 between the groups.</source>
        <translation>Wan 2.1 图生视频 14B，720p，4 个设备：每 2 个设备一组，组内 Ulysses，组间为大小 2 的环形。</translation>
    </message>
    <message>
        <source>Wan 2.2 image-to-video A14B at 720p on 8 devices: the two halves of guidance side by side, each on 4 devices.</source>
        <translation>Wan 2.2 图生视频 A14B，720p，8 个设备：提示词与负面提示词两部分并行计算，各用 4 个设备。</translation>
    </message>
    <message>
        <source>Wan 2.2 image-to-video A14B at 720p on 4 devices: ulysses inside groups of 2, a ring of 2 between the groups.</source>
        <translation>Wan 2.2 图生视频 A14B，720p，4 个设备：每 2 个设备一组，组内 Ulysses，组间为大小 2 的环形。</translation>
    </message>
    <message>
        <source>Wan 2.1 VACE editing 14B at 720p on 8 devices: the two halves of guidance side by side, each on 4 devices.</source>
        <translation>Wan 2.1 VACE 编辑 14B，720p，8 个设备：提示词与负面提示词两部分并行计算，各用 4 个设备。</translation>
    </message>
    <message>
        <source>Wan 2.1 VACE editing 14B at 720p on 4 devices: ulysses inside groups of 2, a ring of 2 between the groups.</source>
        <translation>Wan 2.1 VACE 编辑 14B，720p，4 个设备：每 2 个设备一组，组内 Ulysses，组间为大小 2 的环形。</translation>
    </message>
    <message>
        <source>Wan 2.2 Animate 14B at 720p on 4 devices: ulysses inside groups of 2, a ring of 2 between the groups.</source>
        <translation>Wan 2.2 Animate 14B，720p，4 个设备：每 2 个设备一组，组内 Ulysses，组间为大小 2 的环形。</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 8 devices with tokamax_flash: the halves of guidance side by side, each on 4.</source>
        <translation>Wan 2.2 文生视频 A14B，720p，8 个设备，tokamax_flash：提示词与负面提示词两部分并行计算，各用 4 个设备。</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 16 devices with tokamax_flash: the halves of guidance side by side, each on 8.</source>
        <translation>Wan 2.2 文生视频 A14B，720p，16 个设备，tokamax_flash：提示词与负面提示词两部分并行计算，各用 8 个设备。</translation>
    </message>
    <message>
        <source>Wan 2.2 Animate 14B at 720p on 8 devices with the block sizes of Trillium&apos;s 32 MB of scratch memory.</source>
        <translation>Wan 2.2 Animate 14B，720p，8 个设备，采用针对 Trillium 32 MB 暂存内存的块大小。</translation>
    </message>
    <message>
        <source>Wan 2.2 image-to-video A14B at 720p on 4 devices: flash attention with the block sizes of TPU v6e.</source>
        <translation>Wan 2.2 图生视频 A14B，720p，4 个设备：flash 注意力，采用 TPU v6e 的块大小。</translation>
    </message>
    <message>
        <source>Wan 2.2 image-to-video A14B at 720p on 4 devices, with the block sizes of MaxDiffusion&apos;s base_wan_i2v_27b.yml.</source>
        <translation>Wan 2.2 图生视频 A14B，720p，4 个设备，采用 MaxDiffusion 的 base_wan_i2v_27b.yml 中的块大小。</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 8 devices: the two halves of guidance side by side, each on 4 devices.</source>
        <translation>Wan 2.2 文生视频 A14B，720p，8 个设备：提示词与负面提示词两部分并行计算，各用 4 个设备。</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 16 devices: the two halves of guidance side by side, each on 8 devices.</source>
        <translation>Wan 2.2 文生视频 A14B，720p，16 个设备：提示词与负面提示词两部分并行计算，各用 8 个设备。</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 8 devices: the fast script&apos;s fixed-m recipe.</source>
        <translation>Wan 2.2 文生视频 A14B，720p，8 个设备：快速脚本的 fixed-m 方案。</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 8 devices: the fast script&apos;s recipe for TPU v6e.</source>
        <translation>Wan 2.2 文生视频 A14B，720p，8 个设备：快速脚本的 TPU v6e 方案。</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 4 devices: flash attention with the block sizes of TPU v6e.</source>
        <translation>Wan 2.2 文生视频 A14B，720p，4 个设备：flash 注意力，采用 TPU v6e 的块大小。</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 16 devices: a pure ring.</source>
        <translation>Wan 2.2 文生视频 A14B，720p，16 个设备：仅环形。</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 16 devices: ulysses inside groups of 8, a ring of 2 between the groups.</source>
        <translation>Wan 2.2 文生视频 A14B，720p，16 个设备：每 8 个设备一组，组内 Ulysses，组间为大小 2 的环形。</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 4 devices: ulysses inside groups of 2, a ring of 2 between the groups.</source>
        <translation>Wan 2.2 文生视频 A14B，720p，4 个设备：每 2 个设备一组，组内 Ulysses，组间为大小 2 的环形。</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 8 devices: ulysses inside groups of 4, a ring of 2 between the groups.</source>
        <translation>Wan 2.2 文生视频 A14B，720p，8 个设备：每 4 个设备一组，组内 Ulysses，组间为大小 2 的环形。</translation>
    </message>
    <message>
        <source>Wan 2.2 text-to-video A14B at 720p on 8 devices: pure Ulysses.</source>
        <translation>Wan 2.2 文生视频 A14B，720p，8 个设备：仅 Ulysses。</translation>
    </message>
    <message>
        <source>Wan 2.2 text and image to video 5B for one computer: a quarter of 704p, two seconds, few steps.</source>
        <translation>Wan 2.2 文图生视频 5B，适合单台计算机：704p 的四分之一，两秒，步数少。</translation>
    </message>
    <message>
        <source>Wan 2.2 text and image to video 5B at 704p and 24 frames a second.</source>
        <translation>Wan 2.2 文图生视频 5B，704p，每秒 24 帧。</translation>
    </message>
    <message>
        <source>{} or more</source>
        <translation>{} 或更大</translation>
    </message>
    <message>
        <source>{} to {}</source>
        <translation>{} 到 {}</translation>
    </message>
    <message>
        <source>{}, in steps of {}</source>
        <translation>{}，步长 {}</translation>
    </message>
    <message>
        <source>{}; {} is automatic</source>
        <translation>{}；{} 表示自动</translation>
    </message>
    <message>
        <source>Keys of a project file</source>
        <translation>项目文件的键</translation>
    </message>
    <message>
        <source>On the command line, `--set key=value` overrides the file: `--set flash_block_sizes.block_q=256`.</source>
        <translation>在命令行中，`--set key=value` 优先于文件：`--set flash_block_sizes.block_q=256`。</translation>
    </message>
    <message>
        <source>(empty)</source>
        <translation>（空）</translation>
    </message>
    <message>
        <source>{}; default {}</source>
        <translation>{}；默认值 {}</translation>
    </message>
    <message>
        <source>Legal: {}.</source>
        <translation>合法值：{}。</translation>
    </message>
    <message>
        <source>Other values have no effect: {}.</source>
        <translation>其他值不起作用：{}。</translation>
    </message>
    <message>
        <source>other files than frames lie in this folder</source>
        <translation>此文件夹中还有帧以外的文件</translation>
    </message>
    <message>
        <source>Choose an empty folder or a new name</source>
        <translation>请选择空文件夹或新的名称</translation>
    </message>
    <message>
        <source>No smaller video fits either: raise memory_budget, or use a smaller model</source>
        <translation>更小的视频也放不下：请提高 memory_budget，或使用更小的模型</translation>
    </message>
    <message>
        <source>This fits: {}; or raise memory_budget</source>
        <translation>以下设置可行：{}；或提高 memory_budget</translation>
    </message>
    <message>
        <source>Makes every prompt&apos;s video once with each of these seeds, separated by commas, in place of seed; -1 is a random one.</source>
        <translation>以逗号分隔的每个种子，为每个提示词各生成一次视频，取代 seed；-1 表示随机种子。</translation>
    </message>
    <message>
        <source>Speed at which the video plays, and at which a video that the task takes is sampled.</source>
        <translation>视频播放的速度；任务所取的视频也按此速度采样。</translation>
    </message>
    <message>
        <source>Number that the initial noise is drawn from; the same seed gives the same video. -1 draws a random one for each run, which records it.</source>
        <translation>生成初始噪声的数字；相同种子得到相同视频。-1 表示每次运行随机取一个，并记录在运行中。</translation>
    </message>
    <message>
        <source>Head groups that are exchanged and computed one after another; between processes the next one travels while one is computed.</source>
        <translation>依次交换并计算的注意力头组数；在进程之间，计算一组的同时传送下一组。</translation>
    </message>
    <message>
        <source>this is a link, and files of a run are not opened through links</source>
        <translation>这是链接，而运行的文件不通过链接打开</translation>
    </message>
    <message>
        <source>Put the file itself in its place, or remove the link; think twice if the folder came from somebody else</source>
        <translation>请用文件本身替换它，或删除该链接；若文件夹来自他人，请慎重考虑</translation>
    </message>
    <message>
        <source>this is neither a file nor a folder</source>
        <translation>这既不是文件，也不是文件夹</translation>
    </message>
    <message>
        <source>Remove it from the folder</source>
        <translation>请将其从文件夹中移除</translation>
    </message>
    <message>
        <source>the file cannot be opened ({})</source>
        <translation>无法打开文件（{}）</translation>
    </message>
    <message>
        <source>Check its permissions, and those of its folder</source>
        <translation>请检查其权限及所在文件夹的权限</translation>
    </message>
    <message>
        <source>the folder cannot be read ({})</source>
        <translation>无法读取文件夹（{}）</translation>
    </message>
    <message>
        <source>the folder for temporary files cannot be used ({})</source>
        <translation>无法使用存放临时文件的文件夹（{}）</translation>
    </message>
    <message>
        <source>Set TMPDIR to a folder that you may write to</source>
        <translation>请将 TMPDIR 设为可写的文件夹</translation>
    </message>
    <message>
        <source>the limit is {} ({}), of which {} are taken</source>
        <translation>上限为 {}（{}），其中 {} 已占用</translation>
    </message>
    <message>
        <source>Raise the limit ({} unlimited), or ask for a smaller video</source>
        <translation>请提高上限（{} unlimited），或改用更小的视频</translation>
    </message>
    <message>
        <source>Close other programs or ask for a smaller video</source>
        <translation>请关闭其他程序，或改用更小的视频</translation>
    </message>
    <message>
        <source>{} needs {} of address space; {}</source>
        <translation>{}需要 {} 地址空间；{}</translation>
    </message>
    <message>
        <source>{} needs {} of address space, which the system does not give</source>
        <translation>{}需要 {} 地址空间，而系统无法提供</translation>
    </message>
    <message>
        <source>there is not enough memory; {}</source>
        <translation>内存不足；{}</translation>
    </message>
    <message>
        <source>there is not enough memory</source>
        <translation>内存不足</translation>
    </message>
    <message>
        <source>Raise the limits on processes and address space (ulimit -u, ulimit -v), or use fewer devices and workers</source>
        <translation>请提高进程数和地址空间的上限（ulimit -u、ulimit -v），或减少设备和工作线程</translation>
    </message>
    <message>
        <source>no further thread or process can be started ({}); {}</source>
        <translation>无法再启动线程或进程（{}）；{}</translation>
    </message>
    <message>
        <source>no further thread or process can be started ({})</source>
        <translation>无法再启动线程或进程（{}）</translation>
    </message>
    <message>
        <source>OpenBLAS, which multiplies matrices,</source>
        <translation>负责矩阵乘法的 OpenBLAS 库</translation>
    </message>
    <message>
        <source>this frame is not a file</source>
        <translation>此帧不是文件</translation>
    </message>
    <message>
        <source>Remove it, or put a PNG file in its place</source>
        <translation>请删除它，或换成 PNG 文件</translation>
    </message>
    <message>
        <source>this frame is a link out of the folder</source>
        <translation>此帧是指向文件夹之外的链接</translation>
    </message>
    <message>
        <source>Put a copy of the file in its place</source>
        <translation>请换成该文件的副本</translation>
    </message>
    <message>
        <source>this folder cannot be read ({})</source>
        <translation>无法读取此文件夹（{}）</translation>
    </message>
    <message>
        <source>Check that you may read it</source>
        <translation>请检查是否有读取权限</translation>
    </message>
    <message>
        <source>the file is empty</source>
        <translation>文件为空</translation>
    </message>
    <message>
        <source>{} ranks on {} would share {}, and more than {} a CPU are not started</source>
        <translation>{} 个进程在 {} 上将共用 {}，而每个 CPU 最多启动 {} 个</translation>
    </message>
    <message>
        <source>Start at most {} there, or insist with {}</source>
        <translation>请在那里最多启动 {} 个，或用 {} 强制启动</translation>
    </message>
    <message>
        <source>{} ranks are asked for, and more than {} are not started</source>
        <translation>要求 {} 个进程，而最多启动 {} 个</translation>
    </message>
    <message>
        <source>Start fewer ranks with more devices each, or insist with {}</source>
        <translation>请启动较少的进程，让每个进程使用更多设备，或用 {} 强制启动</translation>
    </message>
    <message>
        <source>{} devices of one process would share {}, and more than {} a CPU are not started</source>
        <translation>一个进程的 {} 个设备将共用 {}，而每个 CPU 最多启动 {} 个</translation>
    </message>
    <message>
        <source>Ask for at most {} devices here, spread them over more hosts, or insist with {}</source>
        <translation>请在此最多要求 {} 个设备，将其分散到更多主机，或用 {} 强制启动</translation>
    </message>
    <message>
        <source>a Wan Fun model</source>
        <translation>Wan Fun 模型</translation>
    </message>
    <message>
        <source>{} ({} input channels)</source>
        <translation>{}（{} 个输入通道）</translation>
    </message>
    <message>
        <source>T5 as Flux and Stable Diffusion 3 have it (a relative bias in its first block only)</source>
        <translation>Flux 和 Stable Diffusion 3 所用的 T5（仅第一个块有相对偏置）</translation>
    </message>
    <message>
        <source>T5 (a relative bias in its first block only), not UMT5</source>
        <translation>T5（仅第一个块有相对偏置），而非 UMT5</translation>
    </message>
    <message>
        <source>the VAE of Qwen-Image</source>
        <translation>Qwen-Image 的 VAE</translation>
    </message>
    <message>
        <source>a VAE of class {}</source>
        <translation>{} 类的 VAE</translation>
    </message>
    <message>
        <source>a VAE of images (its kernels have no axis of time)</source>
        <translation>图像的 VAE（其卷积核没有时间轴）</translation>
    </message>
    <message>
        <source>a VAE that makes videos of twice the size (2x upscale)</source>
        <translation>生成两倍尺寸视频的 VAE（2x upscale）</translation>
    </message>
    <message>
        <source>a VAE of {} colour channels in and {} out</source>
        <translation>输入 {} 个、输出 {} 个颜色通道的 VAE</translation>
    </message>
    <message>
        <source>Its tensors have the shapes of Wan&apos;s, and its name says that it is {}&apos;s</source>
        <translation>其张量形状与 Wan 的相同，但名称表明它属于 {}</translation>
    </message>
    <message>
        <source>SLA, the sparse-linear attention of TurboDiffusion; Meshreel computes full attention, and the video may differ</source>
        <translation>SLA，TurboDiffusion 的稀疏线性注意力；Meshreel 计算完整注意力，视频可能有差异</translation>
    </message>
    <message>
        <source>gates of VSA, the sparse attention of FastVideo; Meshreel computes full attention without them, and the video may differ</source>
        <translation>VSA（FastVideo 的稀疏注意力）的门控；Meshreel 不使用它，而是计算完整注意力，视频可能有差异</translation>
    </message>
    <message>
        <source>image prompts (IP-Adapter), which Meshreel does not take</source>
        <translation>图像提示（IP-Adapter），Meshreel 不支持</translation>
    </message>
    <message>
        <source>a ControlNet, which Meshreel does not run</source>
        <translation>ControlNet，Meshreel 不支持运行</translation>
    </message>
    <message>
        <source>an adapter that was not merged into the weights</source>
        <translation>未合并到权重中的适配器</translation>
    </message>
    <message>
        <source>guidance that is given to the network as a number</source>
        <translation>以数值形式输入网络的引导强度</translation>
    </message>
    <message>
        <source>sound that drives the video</source>
        <translation>驱动视频的声音</translation>
    </message>
    <message>
        <source>layers behind the last that the config has</source>
        <translation>配置所含最后一层之后的层</translation>
    </message>
    <message>
        <source>images, VACE or animation, which the config leaves out</source>
        <translation>配置中未列出的图像、VACE 或动画</translation>
    </message>
    <message>
        <source>{} ({} tensors)</source>
        <translation>{}（{} 个张量）</translation>
    </message>
    <message>
        <source>the folder holds no adapter</source>
        <translation>文件夹中没有适配器</translation>
    </message>
    <message>
        <source>Name its file in lora; in a folder {} is looked for</source>
        <translation>请在 lora 中指定其文件；在文件夹中查找的是 {}</translation>
    </message>
    <message>
        <source>the file has layers for transformer_2, the low expert, only, and lora asks for the {} expert</source>
        <translation>文件只有 transformer_2（低噪声专家）的层，而 lora 要求 {} 专家</translation>
    </message>
    <message>
        <source>Write &quot;expert: low&quot;, or remove &quot;expert&quot;</source>
        <translation>请写 &quot;expert: low&quot;，或去掉 &quot;expert&quot;</translation>
    </message>
    <message>
        <source>Warning: {}</source>
        <translation>警告：{}</translation>
    </message>
    <message>
        <source>scaled by {} ({})</source>
        <translation>按 {} 缩放（{}）</translation>
    </message>
    <message>
        <source>effective scale {:g}: {}</source>
        <translation>有效缩放 {:g}：{}</translation>
    </message>
    <message>
        <source>the tokenizer has {} tokens, and the text encoder&apos;s vocabulary {}: they are of different models</source>
        <translation>分词器有 {} 个词元，而文本编码器的词表大小为 {}：它们属于不同的模型</translation>
    </message>
    <message>
        <source>Name the tokenizer that came with the text encoder in parts.tokenizer</source>
        <translation>请在 parts.tokenizer 中指定文本编码器自带的分词器</translation>
    </message>
    <message>
        <source>it holds tensors without which it is another model: {}</source>
        <translation>含有略去就会成为另一个模型的张量：{}</translation>
    </message>
    <message>
        <source>Use the weights of a model that Meshreel runs</source>
        <translation>请使用 Meshreel 支持运行的模型的权重</translation>
    </message>
    <message>
        <source>the {} has the shapes of Wan&apos;s, and its name says that it is {}&apos;s</source>
        <translation>{} 的形状与 Wan 的相同，但名称表明它属于 {}</translation>
    </message>
    <message>
        <source>the {} holds a tensor that is not used: {}</source>
        <translation>{} 含有一个未使用的张量：{}</translation>
    </message>
    <message>
        <source>the {} holds {} tensors that are not used: {}</source>
        <translation>{} 含有 {} 个未使用的张量：{}</translation>
    </message>
    <message>
        <source>the {} was chosen by its file&apos;s name: {} has the same shapes. parts.{} settles it</source>
        <translation>{} 是按文件名选择的：{} 的形状相同。可用 parts.{} 明确指定</translation>
    </message>
    <message>
        <source>character animation with two experts (transformer and transformer_2)</source>
        <translation>有两个专家（transformer 和 transformer_2）的角色动画</translation>
    </message>
    <message>
        <source>a model of two experts (transformer and transformer_2) with an image encoder</source>
        <translation>有两个专家（transformer 和 transformer_2）并带图像编码器的模型</translation>
    </message>
    <message>
        <source>a model whose transformer takes {} channels beside {} of the latents</source>
        <translation>其 Transformer 接收 {} 个附加通道和 {} 个潜变量通道的模型</translation>
    </message>
    <message>
        <source>Use a model of one of these kinds: {}</source>
        <translation>请使用以下种类之一的模型：{}</translation>
    </message>
    <message>
        <source>{} is {}</source>
        <translation>{} 是 {}</translation>
    </message>
    <message>
        <source>{} is {}&apos;s by its name</source>
        <translation>{} 从名称看属于 {}</translation>
    </message>
    <message>
        <source>{} files fit as {} and hold different weights; nothing tells which is Wan&apos;s: {}</source>
        <translation>有 {} 个文件可用作 {}，但权重不同；无法判断哪个是 Wan 的：{}</translation>
    </message>
    <message>
        <source>Name the right one in parts.{}</source>
        <translation>请在 parts.{} 中指定正确的那个</translation>
    </message>
    <message>
        <source>the tokenizer in {} has {} tokens, the text encoder&apos;s vocabulary {}</source>
        <translation>{} 中的分词器有 {} 个词元，而文本编码器的词表大小为 {}</translation>
    </message>
    <message>
        <source>prompt {} of batch_prompts</source>
        <translation>batch_prompts 的提示词 {}</translation>
    </message>
    <message>
        <source>{} has {} tokens, of which {} are used: it is cut before &quot;{}&quot;</source>
        <translation>{} 有 {} 个词元，只使用其中 {} 个：在“{}”之前截断</translation>
    </message>
    <message>
        <source>Shorten it, or set max_sequence_length: {}</source>
        <translation>请将其缩短，或设置 max_sequence_length: {}</translation>
    </message>
    <message>
        <source>&quot;{}&quot; has a decimal comma</source>
        <translation>“{}”用逗号作小数点</translation>
    </message>
    <message>
        <source>{} is below 0</source>
        <translation>{} 小于 0</translation>
    </message>
    <message>
        <source>Write pretrained_model_name_or_path=NAME</source>
        <translation>请写 pretrained_model_name_or_path=NAME</translation>
    </message>
    <message>
        <source>No config and no model is named, so the model is Meshreel&apos;s own, {}</source>
        <translation>未指定配置，也未指定模型，因此采用 Meshreel 默认的模型 {}</translation>
    </message>
    <message>
        <source>{} is not a config of MaxDiffusion that Meshreel knows the model of</source>
        <translation>{} 不是 Meshreel 知道其模型的 MaxDiffusion 配置</translation>
    </message>
    <message>
        <source>Only the name of {} is known, not its keys: they stay at Meshreel&apos;s defaults</source>
        <translation>只知道 {} 的名称，不知道其中的键：它们保持 Meshreel 的默认值</translation>
    </message>
    <message>
        <source>Import the file itself</source>
        <translation>请导入该文件本身</translation>
    </message>
    <message>
        <source>{}: the path {} is not UTF-8</source>
        <translation>{}：路径 {} 不是 UTF-8</translation>
    </message>
    <message>
        <source>Rename the folder or the file</source>
        <translation>请重命名该文件夹或文件</translation>
    </message>
    <message>
        <source>the inputs up to {} are {}, and a run copies at most {} into its folder</source>
        <translation>到 {} 为止的输入共 {}，而一次运行最多将 {} 复制到其文件夹</translation>
    </message>
    <message>
        <source>Cut the video to the part that is used, or make it smaller</source>
        <translation>请将视频截取到所用的部分，或将其减小</translation>
    </message>
    <message>
        <source>{}: {}: {}</source>
        <translation>{}：{}：{}</translation>
    </message>
    <message>
        <source>{}: {}: a variable rate, {} frames a second on average, sampled at {}</source>
        <translation>{}：{}：可变帧率，平均每秒 {} 帧，按每秒 {} 帧采样</translation>
    </message>
    <message>
        <source>{}: {}: {} frames a second, sampled at {}</source>
        <translation>{}：{}：每秒 {} 帧，按每秒 {} 帧采样</translation>
    </message>
    <message>
        <source>{} gives {} frames at {} frames a second, and num_frames is {}</source>
        <translation>{} 可得 {} 帧（每秒 {} 帧），而 num_frames 为 {}</translation>
    </message>
    <message>
        <source>Write it in UTF-8</source>
        <translation>请用 UTF-8 书写</translation>
    </message>
    <message>
        <source>The text holds the control character U+{:04X}</source>
        <translation>文本含有控制字符 U+{:04X}</translation>
    </message>
    <message>
        <source>0 to {}; {} is random</source>
        <translation>0 到 {}；{} 表示随机</translation>
    </message>
    <message>
        <source>Write 0 to {}, or -1 for a random seed</source>
        <translation>请写 0 至 {}，或用 -1 表示随机种子</translation>
    </message>
    <message>
        <source>{} is one half of a character</source>
        <translation>{} 只是半个字符</translation>
    </message>
    <message>
        <source>Write both halves, as in {}, or remove it</source>
        <translation>请像 {} 那样写出两半，或去掉它</translation>
    </message>
    <message>
        <source>Remove it, and save the file as UTF-8</source>
        <translation>请去掉它，并将文件保存为 UTF-8</translation>
    </message>
    <message>
        <source>Remove it, or write {} in double quotes</source>
        <translation>请去掉它，或在双引号中写 {}</translation>
    </message>
    <message>
        <source>Use fewer hosts, or shorter names</source>
        <translation>请减少主机，或使用更短的名称</translation>
    </message>
    <message>
        <source>Check the permissions of the program in your PATH</source>
        <translation>请检查 PATH 中该程序的权限</translation>
    </message>
    <message>
        <source>the name of a host has at most {} characters, and this one has {}</source>
        <translation>主机名最多 {} 个字符，而此名称有 {} 个</translation>
    </message>
    <message>
        <source>Write the name that ssh knows the host by</source>
        <translation>请写 ssh 所用的主机名</translation>
    </message>
    <message>
        <source>Between its dots are 1 to {} characters</source>
        <translation>各点之间为 1 至 {} 个字符</translation>
    </message>
    <message>
        <source>the hosts up to here take {} ranks, and no mesh has more than {} devices</source>
        <translation>到此为止的主机共需 {} 个进程，而设备网格最多有 {} 个设备</translation>
    </message>
    <message>
        <source>List fewer hosts, or fewer slots</source>
        <translation>请减少主机，或减小 slots</translation>
    </message>
    <message>
        <source>the file of hosts cannot be read</source>
        <translation>无法读取主机文件</translation>
    </message>
    <message>
        <source>the file of hosts is larger than {}</source>
        <translation>主机文件大于 {}</translation>
    </message>
    <message>
        <source>the project could not be handed to the ranks ({})</source>
        <translation>无法将项目交给各进程（{}）</translation>
    </message>
    <message>
        <source>Start it again with --out and the same folder</source>
        <translation>请用 --out 指定同一文件夹，重新开始</translation>
    </message>
    <message>
        <source>This run has no {}, because an earlier version began it: whether its model, prompt and settings have changed since is not checked</source>
        <translation>此次运行没有 {}，因为它由早先的版本开始：不检查其模型、提示词和设置此后是否有更改</translation>
    </message>
    <message>
        <source>{} was {}, is {}</source>
        <translation>{} 由 {} 变为 {}</translation>
    </message>
    <message>
        <source>{}: {} is no longer used</source>
        <translation>{}：不再使用 {}</translation>
    </message>
    <message>
        <source>{}: {} had {} bytes, has {}</source>
        <translation>{}：{} 原有 {} 字节，现有 {} 字节</translation>
    </message>
    <message>
        <source>{}: {} holds other data</source>
        <translation>{}：{} 的数据不同</translation>
    </message>
    <message>
        <source>{}: {} is new</source>
        <translation>{}：{} 是新增的</translation>
    </message>
    <message>
        <source>settings have changed since the run began ({})</source>
        <translation>运行开始后，设置已更改（{}）</translation>
    </message>
    <message>
        <source>Set them back, or start a new run with them: meshreel run {}</source>
        <translation>请改回原来的设置，或用现在的设置开始新的运行：meshreel run {}</translation>
    </message>
    <message>
        <source>files of the model, adapters or inputs have changed since the run began ({})</source>
        <translation>运行开始后，模型、适配器或输入的文件已更改（{}）</translation>
    </message>
    <message>
        <source>settings and files of the model, adapters or inputs have changed since the run began ({})</source>
        <translation>运行开始后，设置以及模型、适配器或输入的文件已更改（{}）</translation>
    </message>
    <message>
        <source>Put the files back that it began with, or start a new run: meshreel run {}</source>
        <translation>请放回开始时的文件，或开始新的运行：meshreel run {}</translation>
    </message>
    <message>
        <source>it shrank while it was read</source>
        <translation>它在读取过程中变短了</translation>
    </message>
    <message>
        <source>Check that it is there and its permissions</source>
        <translation>请检查它是否存在及其权限</translation>
    </message>
    <message>
        <source>this GGUF was left unfinished: it holds no such tensor</source>
        <translation>此 GGUF 未完成：其中没有这个张量</translation>
    </message>
    <message>
        <source>Converters leave out what has 5 axes and add it in a last step (fix_5d_tensors.py of ComfyUI-GGUF): do that step, or get a finished file</source>
        <translation>转换工具会略去有 5 个轴的张量，在最后一步再添加（ComfyUI-GGUF 的 fix_5d_tensors.py）：请执行该步骤，或获取已完成的文件</translation>
    </message>
    <message>
        <source>The file is incomplete, or of another model: get it again</source>
        <translation>文件不完整，或属于另一个模型：请重新获取</translation>
    </message>
    <message>
        <source>The nearest name is &apos;{}&apos;: the file is incomplete, or of another model</source>
        <translation>最接近的名称是“{}”：文件不完整，或属于另一个模型</translation>
    </message>
    <message>
        <source>it is stored as {}, which Meshreel does not read</source>
        <translation>它存储为 {}，Meshreel 无法读取</translation>
    </message>
    <message>
        <source>The file is of another model, or damaged: check what it is with meshreel inspect, or get it again</source>
        <translation>文件属于另一个模型，或已损坏：请用 meshreel inspect 检查它是什么，或重新获取</translation>
    </message>
    <message>
        <source>{} whose comfy_quant names no format</source>
        <translation>comfy_quant 未指明格式的 {}</translation>
    </message>
    <message>
        <source>its scale is of type {}, which is not read</source>
        <translation>其缩放因子的类型为 {}，无法读取</translation>
    </message>
    <message>
        <source>it is made by {}, which Meshreel does not read</source>
        <translation>它由 {} 生成，Meshreel 无法读取</translation>
    </message>
    <message>
        <source>it has layers for transformer_2, the second of two experts, and the model has one transformer</source>
        <translation>它含有 transformer_2（两个专家中的第二个）的层，而该模型只有一个 Transformer</translation>
    </message>
    <message>
        <source>Use it with a model of two experts (Wan 2.2 A14B), or an adapter for this one</source>
        <translation>请将其用于有两个专家的模型（Wan 2.2 A14B），或使用为此模型制作的适配器</translation>
    </message>
    <message>
        <source>{} is not applied, because the folder holds several files of weights: put this one and its description into a folder of their own</source>
        <translation>未应用 {}，因为文件夹中有多个权重文件：请将此文件及其描述文件放入单独的文件夹</translation>
    </message>
    <message>
        <source>{} is not applied ({})</source>
        <translation>未应用 {}（{}）</translation>
    </message>
    <message>
        <source>{} layers have an alpha in the file, which is applied in place of {}</source>
        <translation>文件中 {} 个层自带 alpha，用它取代 {}</translation>
    </message>
    <message>
        <source>{} has a value that PEFT does not write</source>
        <translation>{} 的值不是 PEFT 会写出的</translation>
    </message>
    <message>
        <source>Use a plain LoRA, or one that its trainer merged into a model</source>
        <translation>请使用普通的 LoRA，或已由其训练程序合并到模型中的</translation>
    </message>
    <message>
        <source>this is {} ({}), which Meshreel does not apply</source>
        <translation>这是 {}（{}），Meshreel 无法应用</translation>
    </message>
    <message>
        <source>it was trained from {} (init_lora_weights), which changes the model&apos;s own weights</source>
        <translation>它从 {} 开始训练（init_lora_weights），这会更改模型自身的权重</translation>
    </message>
    <message>
        <source>Have it saved as a plain LoRA: PEFT converts it with path_initial_model_for_weight_conversion</source>
        <translation>请将其保存为普通的 LoRA：PEFT 可用 path_initial_model_for_weight_conversion 转换</translation>
    </message>
    <message>
        <source>{} holds &quot;{}&quot;, which cannot be read as a regular expression</source>
        <translation>{} 含有“{}”，无法作为正则表达式读取</translation>
    </message>
    <message>
        <source>Name the modules one by one in {}</source>
        <translation>请在 {} 中逐个指定模块</translation>
    </message>
    <message>
        <source>it says rank {:g} for {}, whose tensors have rank {}</source>
        <translation>其中所述的秩为 {:g}，而 {} 的张量的秩为 {}</translation>
    </message>
    <message>
        <source>Use the description that belongs to the adapter&apos;s file</source>
        <translation>请使用属于该适配器文件的描述文件</translation>
    </message>
    <message>
        <source>the adapter replaces {} of the model ({}), which Meshreel does not do</source>
        <translation>适配器会替换模型的 {}（{}），Meshreel 不支持</translation>
    </message>
    <message>
        <source>Use an adapter without it, or one that its trainer merged into a model</source>
        <translation>请使用不含它的适配器，或已由其训练程序合并到模型中的</translation>
    </message>
    <message>
        <source>This row has {} fields in place of {}</source>
        <translation>这一行有 {} 个字段，应为 {} 个</translation>
    </message>
    <message>
        <source>its parts do not fit together</source>
        <translation>各部分互不匹配</translation>
    </message>
    <message>
        <source>frame {} cannot be decoded</source>
        <translation>无法解码第 {} 帧</translation>
    </message>
    <message>
        <source>These are not the numbers of a roofline</source>
        <translation>这不是屋顶线图的数据</translation>
    </message>
    <message>
        <source>Draw one with meshreel bench --roofline</source>
        <translation>用 meshreel bench --roofline 绘制</translation>
    </message>
    <message>
        <source>No hardware profile is published as {}</source>
        <translation>没有以 {} 之名发布的硬件配置</translation>
    </message>
    <message>
        <source>The model is not stated</source>
        <translation>未说明模型</translation>
    </message>
    <message>
        <source>The video&apos;s size is not stated</source>
        <translation>未说明视频尺寸</translation>
    </message>
    <message>
        <source>{} skips work by the video&apos;s content</source>
        <translation>{} 会根据视频内容跳过部分计算</translation>
    </message>
    <message>
        <source>No program called {} is known</source>
        <translation>没有名为 {} 的程序</translation>
    </message>
    <message>
        <source>Programs: {}</source>
        <translation>程序：{}</translation>
    </message>
    <message>
        <source>{} is not foreseen</source>
        <translation>{} 不在预估范围内</translation>
    </message>
    <message>
        <source>The number of steps is not stated</source>
        <translation>未说明步数</translation>
    </message>
    <message>
        <source>No legal mesh is called {}</source>
        <translation>没有名为 {} 的合法网格</translation>
    </message>
    <message>
        <source>The best are {}; a mode may follow behind a slash</source>
        <translation>最好的是 {}；斜杠之后可以写模式</translation>
    </message>
    <message>
        <source>A hardware profile is a map of keys</source>
        <translation>硬件配置是一组键值</translation>
    </message>
    <message>
        <source>Copy a file of configs/hardware and change its numbers</source>
        <translation>复制 configs/hardware 中的文件并修改其数值</translation>
    </message>
    <message>
        <source>No key of a hardware profile is called {}</source>
        <translation>硬件配置没有名为 {} 的键</translation>
    </message>
    <message>
        <source>docs/foresight.md lists the keys</source>
        <translation>docs/foresight.md 列出了这些键</translation>
    </message>
    <message>
        <source>{} is {}, and must be a number above 0</source>
        <translation>{} 为 {}，必须是大于 0 的数</translation>
    </message>
    <message>
        <source>Write a number such as 989 or 3.9e12</source>
        <translation>请写 989 或 3.9e12 这样的数</translation>
    </message>
    <message>
        <source>{} is {}, and must be a whole number</source>
        <translation>{} 为 {}，必须是整数</translation>
    </message>
    <message>
        <source>Write a number from {} to {}</source>
        <translation>请写 {} 到 {} 之间的数</translation>
    </message>
    <message>
        <source>There is no kind of hardware called {}</source>
        <translation>没有名为 {} 的硬件类型</translation>
    </message>
    <message>
        <source>Write tpu, gpu or consumer_gpu</source>
        <translation>请写 tpu、gpu 或 consumer_gpu</translation>
    </message>
    <message>
        <source>{} is empty</source>
        <translation>{} 为空</translation>
    </message>
    <message>
        <source>Give a list of texts</source>
        <translation>请给出文本列表</translation>
    </message>
    <message>
        <source>A link has no {}</source>
        <translation>某个链路缺少 {}</translation>
    </message>
    <message>
        <source>Write - {{name: NVLink, devices: 8, gb_s: 450, ports: 1, latency_us: 3, topology: switch}}</source>
        <translation>请写 - {{name: NVLink, devices: 8, gb_s: 450, ports: 1, latency_us: 3, topology: switch}}</translation>
    </message>
    <message>
        <source>The link {} reaches no more devices than the one before</source>
        <translation>链路 {} 到达的设备不比前一个多</translation>
    </message>
    <message>
        <source>List links from near to far</source>
        <translation>请由近到远列出链路</translation>
    </message>
    <message>
        <source>A profile needs links</source>
        <translation>配置需要链路</translation>
    </message>
    <message>
        <source>List one link at least</source>
        <translation>请至少列出一个链路</translation>
    </message>
    <message>
        <source>There is no topology called {}</source>
        <translation>没有名为 {} 的拓扑</translation>
    </message>
    <message>
        <source>No key of a link is called {}</source>
        <translation>链路没有名为 {} 的键</translation>
    </message>
    <message>
        <source>The profile has no {}</source>
        <translation>配置缺少 {}</translation>
    </message>
    <message>
        <source>docs/foresight.md says what it means</source>
        <translation>docs/foresight.md 说明其含义</translation>
    </message>
    <message>
        <source>There is no hardware profile called {}</source>
        <translation>没有名为 {} 的硬件配置</translation>
    </message>
    <message>
        <source>Profiles: {}; or give the path of a file</source>
        <translation>配置：{}；或给出文件路径</translation>
    </message>
    <message>
        <source>More devices do not make it faster: {} take no longer</source>
        <translation>增加设备不会更快：{} 个设备用时不更长</translation>
    </message>
    <message>
        <source>A ring of {}: a hop takes {:.1f} ms and its kernel {:.1f} ms</source>
        <translation>{} 个设备的环：一跳用时 {:.1f} ms，其内核 {:.1f} ms</translation>
    </message>
    <message>
        <source>The exchange of heads takes {:.0f} % of a step</source>
        <translation>头的交换占一步的 {:.0f} %</translation>
    </message>
    <message>
        <source>Heads run out: {} heads over {} devices; keys rotate or are gathered between {} groups</source>
        <translation>头不够用：{} 个头分给 {} 个设备；键在 {} 个组之间轮转或汇集</translation>
    </message>
    <message>
        <source>Blocks are filled up: a device has too few rows for them</source>
        <translation>块被填充：设备的行数太少</translation>
    </message>
    <message>
        <source>Exchange and starts of blocks do not shrink as computing does</source>
        <translation>交换和块启动的时间不会像计算那样缩短</translation>
    </message>
    <message>
        <source>Memory: {:.0f} GiB a device at least, of {:.0f}</source>
        <translation>内存：每个设备至少 {:.0f} GiB，共 {:.0f}</translation>
    </message>
    <message>
        <source>No legal mesh has so many devices</source>
        <translation>没有这么多设备的合法网格</translation>
    </message>
    <message>
        <source>{}: {:.3g} s of a step, {:.0f} %. {}</source>
        <translation>{}：一步中的 {:.3g} 秒，{:.0f} %。{}</translation>
    </message>
    <message>
        <source>The ring of {} is bound by its hops: one takes {:.1f} ms, and the kernel beside it {:.1f} ms. Larger blocks gain little here</source>
        <translation>{} 个设备的环受限于跳数：一跳用时 {:.1f} ms，同时运行的内核 {:.1f} ms。增大块在此收益很小</translation>
    </message>
    <message>
        <source>A hardware profile is a file that ends in .yaml</source>
        <translation>硬件配置是以 .yaml 结尾的文件</translation>
    </message>
    <message>
        <source>Write -o my-hardware.yaml</source>
        <translation>请写 -o my-hardware.yaml</translation>
    </message>
    <message>
        <source>{} has measured times already</source>
        <translation>{} 已有测量时间</translation>
    </message>
    <message>
        <source>Fit the profile that it was made of, {}, with all runs</source>
        <translation>请用所有运行重新拟合其来源配置 {}</translation>
    </message>
    <message>
        <source>The table has no column {}</source>
        <translation>表格没有 {} 列</translation>
    </message>
    <message>
        <source>docs/foresight.md describes the columns of a table of times</source>
        <translation>docs/foresight.md 说明了时间表格的各列</translation>
    </message>
    <message>
        <source>Seconds are {}, and must be above 0</source>
        <translation>秒数为 {}，必须大于 0</translation>
    </message>
    <message>
        <source>linear layers</source>
        <translation>线性层</translation>
    </message>
    <message>
        <source>attention products</source>
        <translation>注意力乘积</translation>
    </message>
    <message>
        <source>padding of blocks</source>
        <translation>块的填充</translation>
    </message>
    <message>
        <source>softmax and starts of blocks</source>
        <translation>softmax 与块启动</translation>
    </message>
    <message>
        <source>memory bandwidth</source>
        <translation>内存带宽</translation>
    </message>
    <message>
        <source>exchange of heads</source>
        <translation>头的交换</translation>
    </message>
    <message>
        <source>exposed hops of the ring</source>
        <translation>未被掩盖的环跳</translation>
    </message>
    <message>
        <source>exposed gather of keys</source>
        <translation>未被掩盖的键汇集</translation>
    </message>
    <message>
        <source>exposed gather of weights</source>
        <translation>未被掩盖的权重汇集</translation>
    </message>
    <message>
        <source>More devices, 8-bit linear layers, or fewer steps</source>
        <translation>更多设备、8 位线性层或更少的步数</translation>
    </message>
    <message>
        <source>More devices along the context axis, or a kernel nearer to the peak</source>
        <translation>上下文轴上更多设备，或更接近峰值的内核</translation>
    </message>
    <message>
        <source>Blocks that divide the queries and keys of a device</source>
        <translation>能整除设备的查询和键的块</translation>
    </message>
    <message>
        <source>A larger block_q within the scratch, or a kernel with a fixed bound</source>
        <translation>在暂存区内增大 block_q，或使用固定上界的内核</translation>
    </message>
    <message>
        <source>A program that fuses norms, rotations and residuals</source>
        <translation>能融合归一化、旋转和残差的程序</translation>
    </message>
    <message>
        <source>A smaller ulysses_shards that stays on nearer links, with a ring for the rest</source>
        <translation>更小的 ulysses_shards 以留在更近的链路上，其余用环</translation>
    </message>
    <message>
        <source>A shorter ring, whose kernel outlasts a hop, or faster links</source>
        <translation>更短的环（其内核长于一跳），或更快的链路</translation>
    </message>
    <message>
        <source>Ulysses or a ring in place of a gather</source>
        <translation>用 Ulysses 或环代替汇集</translation>
    </message>
    <message>
        <source>A smaller tensor axis: the context axis moves less</source>
        <translation>更小的张量轴：上下文轴传输更少</translation>
    </message>
    <message>
        <source>A smaller fsdp axis where memory allows it</source>
        <translation>内存允许时使用更小的 fsdp 轴</translation>
    </message>
    <message>
        <source>Write name, devices, gb_s, ports, latency_us, units_share or topology</source>
        <translation>请写 name、devices、gb_s、ports、latency_us、units_share 或 topology</translation>
    </message>
    <message>
        <source>it does not answer</source>
        <translation>它没有应答</translation>
    </message>
    <message>
        <source>it cannot be reached</source>
        <translation>无法连接到它</translation>
    </message>
    <message>
        <source>Open MPI is not installed there: the shell finds no orted</source>
        <translation>那里没有安装 Open MPI：shell 找不到 orted</translation>
    </message>
    <message>
        <source>the shell finds no orted of Open MPI there: {}</source>
        <translation>那里的 shell 找不到 Open MPI 的 orted：{}</translation>
    </message>
    <message>
        <source>this rank reads other weights than rank 0: {} of {} differs or is missing</source>
        <translation>此进程读取的权重与 0 号进程不同：{}（{}）不同或缺失</translation>
    </message>
    <message>
        <source>Copy rank 0&apos;s model to this host, or set broadcast_weights: true</source>
        <translation>请将 0 号进程的模型复制到这台主机，或设置 broadcast_weights: true</translation>
    </message>
    <message>
        <source>the model on {} is not that of {}: {}</source>
        <translation>{} 上的模型与 {} 的不同：{}</translation>
    </message>
    <message>
        <source>Install Meshreel at the same path there, or let --broadcast-program send it</source>
        <translation>请在那里的相同路径安装 Meshreel，或用 --broadcast-program 发送</translation>
    </message>
    <message>
        <source>{} of {} differs or is missing</source>
        <translation>{}（{}）不同或缺失</translation>
    </message>
    <message>
        <source>the program is not there</source>
        <translation>那里没有该程序</translation>
    </message>
    <message>
        <source>Cells on hosts leave no trace; trace_batch serves those of this machine</source>
        <translation>在主机上运行的单元不留跟踪；trace_batch 只用于本机的单元</translation>
    </message>
    <message>
        <source>Save the sweep, or leave out hosts</source>
        <translation>请保存扫描，或去掉 hosts</translation>
    </message>
    <message>
        <source>ranks on hosts read a sweep from its file, and this one has none</source>
        <translation>各主机上的进程从文件读取扫描，而此扫描没有文件</translation>
    </message>
    <message>
        <source>meshreel sweep FILE --list prints the cells</source>
        <translation>meshreel sweep FILE --list 会列出各单元</translation>
    </message>
    <message>
        <source>Fixed m: {} of {} heads ran on the bound; {} were beyond its limit, {} lost weights</source>
        <translation>固定 m：{}／{} 个注意力头使用了上界；{} 个超出其限制，{} 个丢失了权重</translation>
    </message>
    <message>
        <source>its numbers are not those that were written</source>
        <translation>其中的数值与写入时不一致</translation>
    </message>
    <message>
        <source>{} could not be read and was set aside as {}: {}</source>
        <translation>无法读取 {}，已另存为 {}：{}</translation>
    </message>
    <message>
        <source>{} has lost {} of the {} steps before; sums and charts lack them</source>
        <translation>{} 中缺少之前的 {} 步（共 {} 步）；合计和图表不包含这些步</translation>
    </message>
    <message>
        <source>a run that has begun keeps its {}</source>
        <translation>已开始的运行不能更改 {}</translation>
    </message>
    <message>
        <source>Change only {}, or start a new run</source>
        <translation>请只更改 {}，或开始新的运行</translation>
    </message>
    <message>
        <source>it holds no project</source>
        <translation>其中没有项目</translation>
    </message>
    <message>
        <source>it changes the run before it, which cannot be read</source>
        <translation>它是对前一个运行的更改，而前一个运行无法读取</translation>
    </message>
    <message>
        <source>the run is finished already</source>
        <translation>该运行已经完成</translation>
    </message>
    <message>
        <source>Write its video otherwise with meshreel decode and the same --set</source>
        <translation>请用 meshreel decode 和同样的 --set 以其他方式写出视频</translation>
    </message>
    <message>
        <source>A kept video was made again, as its picture could not be read ({}); that was set aside as {}</source>
        <translation>一个已保存的视频因其图片无法读取（{}）而重新生成；原图片已另存为 {}</translation>
    </message>
    <message>
        <source>It is not known on which machine the measurements in {} began: no {} records it</source>
        <translation>无法得知 {} 中的测量是在哪台机器上开始的：没有 {} 记录</translation>
    </message>
    <message>
        <source>the measurements were begun on another machine or build ({})</source>
        <translation>测量是在另一台机器或用另一个构建开始的（{}）</translation>
    </message>
    <message>
        <source>Go on there, or measure all of them here in another folder</source>
        <translation>请在原处继续，或在此处用另一个文件夹全部重新测量</translation>
    </message>
    <message>
        <source>the sweep has no cell &quot;{}&quot;</source>
        <translation>扫描中没有单元“{}”</translation>
    </message>
    <message>
        <source>this is no row of a sweep</source>
        <translation>这不是扫描的一行</translation>
    </message>
    <message>
        <source>The pass is measured again when the sweep goes on</source>
        <translation>扫描继续时会重新测量这一遍</translation>
    </message>
    <message>
        <source>rank {} on host {} computes with {}, and rank 0 on host {} with {}: the result differs slightly from that of one instruction set. For the same bits everywhere give the narrowest of them with --isa</source>
        <translation>rank {}（主机 {}）使用 {} 计算，而 rank 0（主机 {}）使用 {}：结果与只用一种指令集时略有不同。若要处处得到相同的比特，请用 --isa 指定其中最窄的一种</translation>
    </message>
    <message>
        <source>the run has lost its {}</source>
        <translation>运行丢失了它的 {}</translation>
    </message>
    <message>
        <source>{} runs are left out, as they cannot be read: {}</source>
        <translation>{} 个运行因无法读取而被略去：{}</translation>
    </message>
    <message>
        <source>the shard {:.80} is not the name of a file of weights beside the index</source>
        <translation>分片 {:.80} 不是索引旁边的权重文件名</translation>
    </message>
    <message>
        <source>Use a checkpoint in F32, F16, BF16, fp8, ComfyUI&apos;s int8, nvfp4 or mxfp8, or one of GGUF&apos;s types Q8_0, Q6_K, Q5_K, Q4_K, Q3_K, Q2_K, IQ4_NL, IQ4_XS, Q5_0, Q5_1, Q4_0 and Q4_1</source>
        <translation>请使用 F32、F16、BF16、fp8，ComfyUI 的 int8、nvfp4 或 mxfp8，或者 GGUF 类型 Q8_0、Q6_K、Q5_K、Q4_K、Q3_K、Q2_K、IQ4_NL、IQ4_XS、Q5_0、Q5_1、Q4_0、Q4_1 的检查点</translation>
    </message>
    <message>
        <source>its tokenizer has {} tokens, {} scores and {} kinds of tokens</source>
        <translation>其分词器有 {} 个词元、{} 个分数和 {} 个词元类型</translation>
    </message>
    <message>
        <source>Name a tokenizer in parts.tokenizer</source>
        <translation>请在 parts.tokenizer 中指定分词器</translation>
    </message>
    <message>
        <source>the metadata &apos;{}&apos; is a list of another type</source>
        <translation>元数据 &apos;{}&apos; 是其他类型的列表</translation>
    </message>
    <message>
        <source>a causal Wan model, which makes a video block by block</source>
        <translation>逐块生成视频的因果 Wan 模型</translation>
    </message>
    <message>
        <source>its scale (weight_scale) is missing</source>
        <translation>缺少其缩放系数（weight_scale）</translation>
    </message>
    <message>
        <source>The file is incomplete: get it again</source>
        <translation>文件不完整：请重新获取</translation>
    </message>
    <message>
        <source>The file is damaged: get it again</source>
        <translation>文件已损坏：请重新获取</translation>
    </message>
    <message>
        <source>its scale has shape {}, but {} numbers were expected, in tiles of 128 rows and 4 columns</source>
        <translation>其缩放系数的形状为 {}，但应有 {} 个数，按 128 行 4 列的块排列</translation>
    </message>
    <message>
        <source>weight_scale_2, one number, is missing or of another type</source>
        <translation>weight_scale_2（一个数）缺失或为其他类型</translation>
    </message>
    <message>
        <source>Wan 2.2 VACE editing, two experts</source>
        <translation>Wan 2.2 VACE 编辑，两个专家</translation>
    </message>
    <message>
        <source>the GPU {} is not here any more</source>
        <translation>GPU {} 已不存在</translation>
    </message>
    <message>
        <source>See meshreel devices</source>
        <translation>请参阅 meshreel devices</translation>
    </message>
    <message>
        <source>{} cannot be used: {}</source>
        <translation>无法使用 {}：{}</translation>
    </message>
    <message>
        <source>{} has no memory of the kind that is needed</source>
        <translation>{} 没有所需类型的内存</translation>
    </message>
    <message>
        <source>Update the GPU driver, or use the CPU</source>
        <translation>请更新 GPU 驱动程序，或使用 CPU</translation>
    </message>
    <message>
        <source>Denoising held {} of the GPU&apos;s memory at most; {} were planned</source>
        <translation>去噪最多占用 {} 显存；计划为 {}</translation>
    </message>
    <message>
        <source>Decoding held {} of the GPU&apos;s memory at most; {} were planned</source>
        <translation>解码最多占用 {} 显存；计划为 {}</translation>
    </message>
    <message>
        <source>the VAE needs {} of the GPU&apos;s memory beside the transformer, and {} are free</source>
        <translation>除 transformer 之外，VAE 还需要 {} 显存，可用的有 {}</translation>
    </message>
    <message>
        <source>gpus is &quot;{}&quot;</source>
        <translation>gpus 为“{}”</translation>
    </message>
    <message>
        <source>Use none, auto, or the number of a GPU: 0 is the first that meshreel devices lists</source>
        <translation>请使用 none、auto 或 GPU 的编号：0 是 meshreel devices 列出的第一个</translation>
    </message>
    <message>
        <source>there is no GPU {} on this machine</source>
        <translation>本机没有 GPU {}</translation>
    </message>
    <message>
        <source>there is no GPU {}: {}</source>
        <translation>没有 GPU {}：{}</translation>
    </message>
    <message>
        <source>meshreel devices lists those that there are</source>
        <translation>meshreel devices 会列出现有的 GPU</translation>
    </message>
    <message>
        <source>the GPU {} ({}) cannot be used: {}</source>
        <translation>GPU {}（{}）无法使用：{}</translation>
    </message>
    <message>
        <source>Update its driver, or use the CPU</source>
        <translation>请更新其驱动程序，或使用 CPU</translation>
    </message>
    <message>
        <source>{} takes at most {:.1f} GiB in one piece, {:.1f} GiB are needed</source>
        <translation>{} 一次最多分配 {:.1f} GiB，而需要 {:.1f} GiB</translation>
    </message>
    <message>
        <source>Make a smaller or shorter video, or use the CPU</source>
        <translation>请制作更小或更短的视频，或使用 CPU</translation>
    </message>
    <message>
        <source>Use flash, or the CPU (gpus: none)</source>
        <translation>请使用 flash，或使用 CPU（gpus: none）</translation>
    </message>
    <message>
        <source>the model&apos;s heads have {} numbers; a GPU takes multiples of {} up to {}</source>
        <translation>模型的每个头有 {} 个数；GPU 只接受 {} 的倍数，最多 {}</translation>
    </message>
    <message>
        <source>Use the CPU</source>
        <translation>请使用 CPU</translation>
    </message>
    <message>
        <source>the GPU {} needs {} of its memory for activations and {} for the layers in use, and {} are free</source>
        <translation>GPU {} 需要 {} 显存用于激活值，{} 用于正在使用的各层，而可用 {}</translation>
    </message>
    <message>
        <source>Make a smaller or shorter video, or use the CPU (gpus: none)</source>
        <translation>请制作更小或更短的视频，或使用 CPU（gpus: none）</translation>
    </message>
    <message>
        <source>there is a software driver only, which auto does not take</source>
        <translation>只有软件驱动程序，auto 不会使用它</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>the driver does not offer {}</source>
        <translation>驱动程序不提供 {}</translation>
    </message>
    <message>
        <source>{} has no product of these factors</source>
        <translation>{} 没有这些因子的乘积</translation>
    </message>
    <message>
        <source>it crashed when it was asked for its devices (signal {})</source>
        <translation>查询其设备时崩溃（信号 {}）</translation>
    </message>
    <message>
        <source>it ended the program that asked it (exit code {})</source>
        <translation>它终止了查询它的程序（退出代码 {}）</translation>
    </message>
    <message>
        <source>it finds no device of its own</source>
        <translation>它找不到自己的设备</translation>
    </message>
    <message>
        <source>no Vulkan driver is installed</source>
        <translation>未安装 Vulkan 驱动程序</translation>
    </message>
    <message>
        <source>no Vulkan driver finds a device</source>
        <translation>没有 Vulkan 驱动程序找到设备</translation>
    </message>
    <message>
        <source>no GPU has what Meshreel needs</source>
        <translation>没有 GPU 具备 Meshreel 所需的功能</translation>
    </message>
    <message>
        <source>its driver is older than Vulkan 1.2</source>
        <translation>其驱动程序早于 Vulkan 1.2</translation>
    </message>
    <message>
        <source>its driver lacks {}</source>
        <translation>其驱动程序缺少 {}</translation>
    </message>
    <message>
        <source>it has no queue for computing</source>
        <translation>它没有计算队列</translation>
    </message>
    <message>
        <source>not measured yet; the first run in bf16 measures, or meshreel bench gpu</source>
        <translation>尚未测量；首次 bf16 运行或 meshreel bench gpu 会测量</translation>
    </message>
    <message>
        <source>in bf16 {} is faster: {:.3g} against {:.3g} TFLOP/s</source>
        <translation>bf16 时 {} 更快：{:.3g} 对 {:.3g} TFLOP/s</translation>
    </message>
    <message>
        <source>the GPU does not offer it any more</source>
        <translation>GPU 不再提供它</translation>
    </message>
    <message>
        <source>none is admitted</source>
        <translation>没有允许的形式</translation>
    </message>
    <message>
        <source>{} computes {} in no form: {}</source>
        <translation>{} 无法以任何形式计算 {}：{}</translation>
    </message>
    <message>
        <source>See meshreel devices, update the GPU driver, or use the CPU</source>
        <translation>请查看 meshreel devices，更新 GPU 驱动或使用 CPU</translation>
    </message>
    <message>
        <source>{} computes wrong values in {}: an error of {:.3g}, {:.3g} is allowed</source>
        <translation>{} 在 {} 中计算出错误的值：误差 {:.3g}，允许 {:.3g}</translation>
    </message>
    <message>
        <source>The GPU multiplied bf16 in the form {}; factors beyond 65,504 were clamped to it</source>
        <translation>GPU 以 {} 形式进行 bf16 乘法；超过 65,504 的因子被限制到该值</translation>
    </message>
    <message>
        <source>The GPU multiplied bf16 in the form {}</source>
        <translation>GPU 以 {} 形式进行 bf16 乘法</translation>
    </message>
    <message>
        <source>{} computes wrong values in the shader {}: {:.3g} times the error that is allowed</source>
        <translation>{} 在着色器 {} 中计算出错误的值：误差是允许值的 {:.3g} 倍</translation>
    </message>
    <message>
        <source>{} has not answered for a minute</source>
        <translation>{} 已有一分钟没有应答</translation>
    </message>
    <message>
        <source>Use the CPU, or restart the computer</source>
        <translation>请使用 CPU，或重新启动计算机</translation>
    </message>
    <message>
        <source>out of memory</source>
        <translation>内存不足</translation>
    </message>
    <message>
        <source>the device is lost</source>
        <translation>设备已丢失</translation>
    </message>
    <message>
        <source>no driver fits</source>
        <translation>没有合适的驱动程序</translation>
    </message>
    <message>
        <source>Vulkan&apos;s error {}</source>
        <translation>Vulkan 错误 {}</translation>
    </message>
    <message>
        <source>the GPU driver failed in {}: {}</source>
        <translation>GPU 驱动程序在 {} 中失败：{}</translation>
    </message>
    <message>
        <source>Close other programs that use the GPU, or use the CPU</source>
        <translation>请关闭使用 GPU 的其他程序，或使用 CPU</translation>
    </message>
    <message>
        <source>See the system&apos;s log (dmesg), update the GPU driver, or use the CPU</source>
        <translation>请查看系统日志 (dmesg)、更新 GPU 驱动程序，或使用 CPU</translation>
    </message>
    <message>
        <source>Vulkan cannot be loaded ({})</source>
        <translation>无法加载 Vulkan（{}）</translation>
    </message>
    <message>
        <source>Install the package libvulkan1</source>
        <translation>请安装软件包 libvulkan1</translation>
    </message>
    <message>
        <source>Vulkan does not start: {}</source>
        <translation>Vulkan 无法启动：{}</translation>
    </message>
    <message>
        <source>Install a GPU driver with Vulkan, for Intel and AMD the package mesa-vulkan-drivers</source>
        <translation>请安装支持 Vulkan 的 GPU 驱动程序；Intel 和 AMD 使用软件包 mesa-vulkan-drivers</translation>
    </message>
    <message>
        <source>{} is a small decoder: name it in parts.vae to decode faster and less exactly</source>
        <translation>{} 是小型解码器：在 parts.vae 中指定它，解码更快但精度较低</translation>
    </message>
    <message>
        <source>Name taew2_1 or taew2_2 in parts.preview, or leave it out</source>
        <translation>在 parts.preview 中指定 taew2_1 或 taew2_2，或者省略它</translation>
    </message>
    <message>
        <source>the small decoder takes latents of {} channels, and the model&apos;s have {}</source>
        <translation>小型解码器接受 {} 通道的潜变量，而模型的有 {} 通道</translation>
    </message>
    <message>
        <source>small decoder (TAEHV) of all but TI2V-5B</source>
        <translation>除 TI2V-5B 外所有模型的小型解码器 (TAEHV)</translation>
    </message>
    <message>
        <source>small decoder (TAEHV) of TI2V-5B</source>
        <translation>TI2V-5B 的小型解码器 (TAEHV)</translation>
    </message>
    <message>
        <source>the larger variant of TAEHV (taew2_2_super)</source>
        <translation>TAEHV 的较大变体 (taew2_2_super)</translation>
    </message>
    <message>
        <source>A small decoder (TAEHV) does not encode</source>
        <translation>小型解码器 (TAEHV) 不能编码</translation>
    </message>
    <message>
        <source>Use the VAE of the model</source>
        <translation>请使用模型自带的 VAE</translation>
    </message>
    <message>
        <source>{} values for {} levels in dim_mult</source>
        <translation>dim_mult 有 {1} 级，却给出了 {0} 个值</translation>
    </message>
    <message>
        <source>The VAE is a small decoder (TAEHV), and {} ({}) encodes pictures</source>
        <translation>VAE 是小型解码器 (TAEHV)，而 {} ({}) 需要编码图片</translation>
    </message>
    <message>
        <source>Use the VAE of the model; a small decoder can make the previews: parts.preview</source>
        <translation>请使用模型自带的 VAE；小型解码器可以生成预览：parts.preview</translation>
    </message>
    <message>
        <source>{} ({}) makes {} frames at least</source>
        <translation>{} ({}) 至少生成 {} 帧</translation>
    </message>
    <message>
        <source>File or folder of the VAE; Wan 2.1&apos;s has 16 channels, that of TI2V-5B 48. A small decoder (TAEHV: taew2_1, taew2_2) decodes faster and less exactly, and text to video only. Empty takes the model&apos;s own.</source>
        <translation>VAE 的文件或文件夹；Wan 2.1 的有 16 个通道，TI2V-5B 的有 48 个。小型解码器（TAEHV：taew2_1、taew2_2）解码更快但精度较低，且仅用于文本生成视频。留空则使用模型自带的。</translation>
    </message>
    <message>
        <source>Preview decoder</source>
        <translation>预览解码器</translation>
    </message>
    <message>
        <source>File of a small decoder (TAEHV: taew2_1, taew2_2) that makes the previews of steps. Empty makes them by a linear map from latents to colours, which takes less time and shows less.</source>
        <translation>生成各步预览的小型解码器（TAEHV：taew2_1、taew2_2）文件。留空则用潜变量到颜色的线性映射生成，耗时更少，但细节也更少。</translation>
    </message>
    <message>
        <source>The project file has version &quot;{}&quot;, and this Meshreel reads versions {} to {}</source>
        <translation>项目文件的版本是“{}”，而此 Meshreel 读取版本 {} 到 {}</translation>
    </message>
    <message>
        <source>use_dora is true in {}, and the file holds no magnitudes: it is applied as a plain LoRA</source>
        <translation>{} 中 use_dora 为 true，但文件不含 magnitude：按普通 LoRA 应用</translation>
    </message>
    <message>
        <source>own times</source>
        <translation>自身的计时</translation>
    </message>
    <message>
        <source>times of the hardware</source>
        <translation>该硬件的计时</translation>
    </message>
    <message>
        <source>class mean</source>
        <translation>同类平均</translation>
    </message>
    <message>
        <source>Write pair, ring, torus, switch, pcie or line</source>
        <translation>请写 pair、ring、torus、switch、pcie 或 line</translation>
    </message>
    <message>
        <source>{} needs {:.0f} GiB a device for {}, which has {:.0f} GiB</source>
        <translation>{} 每个设备需要 {:.0f} GiB，而 {} 只有 {:.0f} GiB</translation>
    </message>
    <message>
        <source>Use more devices, or shard the weights over an fsdp axis</source>
        <translation>使用更多设备，或在 fsdp 轴上切分权重</translation>
    </message>
    <message>
        <source>a hop takes {:.1f} ms, and the kernel beside it only {:.1f} ms</source>
        <translation>一跳耗时 {:.1f} 毫秒，而同时进行的内核仅 {:.1f} 毫秒</translation>
    </message>
    <message>
        <source>its {} hops start more blocks and merge more partials</source>
        <translation>其 {} 次跳转要启动更多块并合并更多部分结果</translation>
    </message>
    <message>
        <source>A ring of {} takes {:.3g} s a step on {}: {}</source>
        <translation>{} 个设备的环每步需 {:.3g} 秒（{}）：{}</translation>
    </message>
    <message>
        <source>{} with {} takes {:.3g} s</source>
        <translation>{}（{}）需 {:.3g} 秒</translation>
    </message>
    <message>
        <source>No legal mesh of so many devices fits into their memory</source>
        <translation>没有这么多设备的合法网格能放入其内存</translation>
    </message>
    <message>
        <source>Take more devices, or other hardware</source>
        <translation>使用更多设备或其他硬件</translation>
    </message>
    <message>
        <source>Kernels of {} take no block sizes</source>
        <translation>{} 的内核没有块大小</translation>
    </message>
    <message>
        <source>Choose a TPU, or another chart</source>
        <translation>请选择 TPU 或其他图表</translation>
    </message>
    <message>
        <source>There is no finished run to hold the foresight against</source>
        <translation>没有可与预估对照的已完成运行</translation>
    </message>
    <message>
        <source>Choose runs, or paste TIMING SUMMARY blocks, in Compare</source>
        <translation>请在“比较”中选择运行，或粘贴 TIMING SUMMARY 块</translation>
    </message>
    <message>
        <source>Make it, or choose another one</source>
        <translation>请创建它，或另选一个</translation>
    </message>
    <message>
        <source>Download it with: {}. {}</source>
        <translation>请用此命令下载：{}。{}</translation>
    </message>
    <message>
        <source>Choose a file of weights: .safetensors, .gguf or .pth</source>
        <translation>请选择权重文件：.safetensors、.gguf 或 .pth</translation>
    </message>
    <message>
        <source>the folder holds no model and no weights</source>
        <translation>文件夹中没有模型也没有权重</translation>
    </message>
    <message>
        <source>Choose a folder with {}, or one with files of weights</source>
        <translation>请选择含有 {} 的文件夹，或含有权重文件的文件夹</translation>
    </message>
    <message>
        <source>it lies in a models folder already</source>
        <translation>它已在模型文件夹中</translation>
    </message>
    <message>
        <source>It is listed as it is</source>
        <translation>它已在列表中</translation>
    </message>
    <message>
        <source>the models folder has something of this name</source>
        <translation>模型文件夹中已有同名的内容</translation>
    </message>
    <message>
        <source>Rename one of them, or remove that one</source>
        <translation>请重命名其中一个，或删除那一个</translation>
    </message>
    <message>
        <source>the link cannot be made: {}</source>
        <translation>无法创建链接：{}</translation>
    </message>
    <message>
        <source>Choose a models folder that you may write to</source>
        <translation>请选择可写入的模型文件夹</translation>
    </message>
    <message>
        <source>{} workers share {}; running more workers than CPUs slows things down</source>
        <translation>{} 个工作线程共用 {}；工作线程多于 CPU 时更慢</translation>
    </message>
    <message>
        <source>{} devices of {} worker share {}; running more workers than CPUs slows things down</source>
        <translation>{} 个设备（各 {} 个工作线程）共用 {}；工作线程多于 CPU 时更慢</translation>
    </message>
    <message>
        <source>{} devices of {} workers share {}; running more workers than CPUs slows things down</source>
        <translation>{} 个设备（各 {} 个工作线程）共用 {}；工作线程多于 CPU 时更慢</translation>
    </message>
    <message>
        <source>Free some space on it, or choose another folder for runs</source>
        <translation>请在其上腾出空间，或另选运行文件夹</translation>
    </message>
    <message>
        <source>{} must be a multiple of {}, not {}</source>
        <translation>{} 必须是 {} 的倍数，而不是 {}</translation>
    </message>
    <message>
        <source>{} must be a multiple of {} plus {}, not {}</source>
        <translation>{} 必须是 {} 的倍数加 {}，而不是 {}</translation>
    </message>
    <message>
        <source>{} names {}, which would be copied into the run</source>
        <translation>{} 指向 {}，它会被复制到运行文件夹</translation>
    </message>
    <message>
        <source>{} names {}: ssh would start programs on the machines that it lists</source>
        <translation>{} 指向 {}：ssh 会在其中列出的机器上启动程序</translation>
    </message>
    <message>
        <source>{} names {}, of which results would tell</source>
        <translation>{} 指向 {}，结果中会出现其内容</translation>
    </message>
    <message>
        <source>If you know who wrote the project, agree for its folder with --trust</source>
        <translation>如果您知道项目出自谁手，请用 --trust 同意使用其文件夹</translation>
    </message>
    <message>
        <source>{} paths need your consent: {}</source>
        <translation>{} 个路径需要您的同意：{}</translation>
    </message>
    <message>
        <source>what you agree to cannot be remembered ({})</source>
        <translation>无法记住您的同意（{}）</translation>
    </message>
    <message>
        <source>Set XDG_STATE_HOME to a folder that you may write to</source>
        <translation>请将 XDG_STATE_HOME 设为可写入的文件夹</translation>
    </message>
    <message>
        <source>Another build of Meshreel ({}) measured this machine: predictions may be off</source>
        <translation>本机由 Meshreel 的另一个构建（{}）测量：预测可能不准</translation>
    </message>
    <message>
        <source>{} cannot be read: {}</source>
        <translation>无法读取 {}：{}</translation>
    </message>
    <message>
        <source>it holds a space or a letter that no address has</source>
        <translation>其中含有空格或地址中不允许的字符</translation>
    </message>
    <message>
        <source>Set it again, or unset it</source>
        <translation>请重新设置，或取消设置</translation>
    </message>
    <message>
        <source>Set it to a whole number from 1 to {}</source>
        <translation>请设置为 1 到 {} 的整数</translation>
    </message>
    <message>
        <source>the disk is full ({}; {} free)</source>
        <translation>磁盘已满（{}；可用 {}）</translation>
    </message>
    <message>
        <source>Free space, then start the download again: it goes on where it ended</source>
        <translation>请腾出空间后重新开始下载：会从中断处继续</translation>
    </message>
    <message>
        <source>{} cannot be reached ({})</source>
        <translation>无法连接 {}（{}）</translation>
    </message>
    <message>
        <source>Check the network, or the proxy in https_proxy; HF_ENDPOINT can name a mirror</source>
        <translation>请检查网络或 https_proxy 中的代理；HF_ENDPOINT 可指定镜像</translation>
    </message>
    <message>
        <source>{} refuses the file to you (HTTP {})</source>
        <translation>{} 拒绝向您提供该文件（HTTP {}）</translation>
    </message>
    <message>
        <source>Accept the licence at {}, then set HF_TOKEN to a token of your account, or run: hf auth login</source>
        <translation>请在 {} 接受许可，然后将 HF_TOKEN 设为您账户的令牌，或运行：hf auth login</translation>
    </message>
    <message>
        <source>Accept the licence at {}, or set HF_TOKEN to another token: yours is not allowed</source>
        <translation>请在 {} 接受许可，或将 HF_TOKEN 设为其他令牌：当前令牌未获授权</translation>
    </message>
    <message>
        <source>{} has no such file (HTTP {})</source>
        <translation>{} 没有该文件（HTTP {}）</translation>
    </message>
    <message>
        <source>It was moved or removed; a newer version of Meshreel may know where to</source>
        <translation>文件已移动或删除；较新版本的 Meshreel 可能知道其位置</translation>
    </message>
    <message>
        <source>{} does not send the file (HTTP {})</source>
        <translation>{} 未发送该文件（HTTP {}）</translation>
    </message>
    <message>
        <source>Try again later; HF_ENDPOINT can name a mirror</source>
        <translation>请稍后重试；HF_ENDPOINT 可指定镜像</translation>
    </message>
    <message>
        <source>the file is not the one that was published ({})</source>
        <translation>该文件不是已发布的文件（{}）</translation>
    </message>
    <message>
        <source>What was downloaded is removed. Try again, or from another server by HF_ENDPOINT</source>
        <translation>已下载的内容已删除。请重试，或用 HF_ENDPOINT 换一台服务器</translation>
    </message>
    <message>
        <source>The server asks to wait for {} minutes: start the download again then</source>
        <translation>服务器要求等待 {} 分钟：届时请重新开始下载</translation>
    </message>
    <message>
        <source>it forbids to ask any server</source>
        <translation>它禁止访问任何服务器</translation>
    </message>
    <message>
        <source>Unset it to download</source>
        <translation>要下载请取消设置</translation>
    </message>
    <message>
        <source>{} now has another file of this name than the one that was published</source>
        <translation>{} 上此名称的文件已不是当初发布的文件</translation>
    </message>
    <message>
        <source>Nothing was downloaded. A newer version of Meshreel may know the new file</source>
        <translation>未下载任何内容。较新版本的 Meshreel 可能支持新文件</translation>
    </message>
    <message>
        <source>{} has {} bytes of this file, and {} were published</source>
        <translation>{} 上该文件为 {} 字节，而发布的为 {} 字节</translation>
    </message>
    <message>
        <source>it is longer than {} bytes</source>
        <translation>其长度超过 {} 字节</translation>
    </message>
    <message>
        <source>the connection ended early</source>
        <translation>连接提前中断</translation>
    </message>
    <message>
        <source>another Meshreel downloads into this folder</source>
        <translation>另一个 Meshreel 正在向此文件夹下载</translation>
    </message>
    <message>
        <source>Wait until it is done, or stop it</source>
        <translation>请等待其完成，或将其停止</translation>
    </message>
    <message>
        <source>{} are to be downloaded, and {} are free</source>
        <translation>需要下载 {}，而可用空间为 {}</translation>
    </message>
    <message>
        <source>Free {}, or choose a models folder on another disk</source>
        <translation>请腾出 {}，或选择其他磁盘上的模型文件夹</translation>
    </message>
    <message>
        <source>Rename or remove it: it is not the one that was published</source>
        <translation>请重命名或删除它：它不是已发布的文件</translation>
    </message>
    <message>
        <source>its SHA-256 is {}</source>
        <translation>其 SHA-256 为 {}</translation>
    </message>
    <message>
        <source>Get it as single files with: meshreel get {}; or download it whole with: {}. {}</source>
        <translation>用 meshreel get {} 以单个文件获取；或用 {} 完整下载。{}</translation>
    </message>
    <message>
        <source>the key &quot;{}&quot; is missing or not as it should be</source>
        <translation>键“{}”缺失或不正确</translation>
    </message>
    <message>
        <source>Install Meshreel again, or correct the table</source>
        <translation>请重新安装 Meshreel，或更正该表</translation>
    </message>
    <message>
        <source>nothing of this name is offered</source>
        <translation>没有提供此名称的内容</translation>
    </message>
    <message>
        <source>Without a name, the command lists all</source>
        <translation>不带名称运行该命令会列出全部</translation>
    </message>
    <message>
        <source>Did you mean &quot;{}&quot;? Without a name, the command lists all</source>
        <translation>您是否指“{}”？不带名称运行该命令会列出全部</translation>
    </message>
    <message>
        <source>auto takes one GPU, and the mesh has {} devices</source>
        <translation>auto 使用一个 GPU，而网格有 {} 个设备</translation>
    </message>
    <message>
        <source>gpus names {} GPUs, and the mesh has {} devices</source>
        <translation>gpus 指定了 {} 个 GPU，而网格有 {} 个设备</translation>
    </message>
    <message>
        <source>Name a GPU for each device (gpus: {}), change the number of devices, or use the CPU (gpus: none)</source>
        <translation>请为每个设备指定一个 GPU（gpus: {}）、更改设备数，或使用 CPU（gpus: none）</translation>
    </message>
    <message>
        <source>GPUs share out videos and tokens (the axes data and context), not {}</source>
        <translation>GPU 分担视频和 token（data 轴和 context 轴），不分担 {}</translation>
    </message>
    <message>
        <source>Use the context axis, or the CPU (gpus: none)</source>
        <translation>请使用 context 轴，或使用 CPU（gpus: none）</translation>
    </message>
    <message>
        <source>a GPU decodes whole frames, or its own strips in turn</source>
        <translation>GPU 解码整帧，或依次解码自己的条带</translation>
    </message>
    <message>
        <source>Write -1, which leaves it to the plan, or use the CPU (gpus: none)</source>
        <translation>请写 -1，由计划决定，或使用 CPU（gpus: none）</translation>
    </message>
    <message>
        <source>A project is a YAML file: `version: 3`, then the keys below, each at most once; what is left out has its default. A dot in a key&apos;s name means a key inside a map. Numbers are decimal, and booleans are `true` or `false`. Anchors, aliases and tags are refused. MaxDiffusion&apos;s files can be used as they are: keys without meaning here are ignored with one warning.</source>
        <translation>项目是一个 YAML 文件：先写 `version: 3`，再写下列键，每个至多一次；未写的键取默认值。键名中的点表示映射内的键。数字为十进制，布尔值为 `true` 或 `false`。不接受锚点、别名和标签。MaxDiffusion 的文件可直接使用：在此没有意义的键会被忽略，并给出一条警告。</translation>
    </message>
    <message>
        <source>A video from the prompt, with the one to four subjects that `reference_images` show.</source>
        <translation>根据提示词生成视频，带有 `reference_images` 所示的一至四个主体。</translation>
    </message>
    <message>
        <source>A video that begins with `image`, whose points move along `tracks`.</source>
        <translation>以 `image` 开头、其中各点沿 `tracks` 运动的视频。</translation>
    </message>
    <message>
        <source>Tracks</source>
        <translation>轨迹</translation>
    </message>
    <message>
        <source>Guidance by pictures</source>
        <translation>图片引导强度</translation>
    </message>
    <message>
        <source>Wan 2.1 Phantom, subjects to video</source>
        <translation>Wan 2.1 Phantom 主体生视频</translation>
    </message>
    <message>
        <source>Wan 2.1 ATI, image to video along tracks</source>
        <translation>Wan 2.1 ATI 沿轨迹图生视频</translation>
    </message>
    <message>
        <source>Subjects to video</source>
        <translation>主体生视频</translation>
    </message>
    <message>
        <source>Image to video along tracks</source>
        <translation>沿轨迹图生视频</translation>
    </message>
    <message>
        <source>Phantom was trained with pictures of its subjects (reference_images); without them the video is made from the prompt alone</source>
        <translation>Phantom 以主体图片（reference_images）训练；没有图片时，视频仅根据提示词生成</translation>
    </message>
    <message>
        <source>ATI was trained with tracks of points (tracks); without them the video is made from the image and the prompt alone</source>
        <translation>ATI 以点的轨迹（tracks）训练；没有轨迹时，视频仅根据图像和提示词生成</translation>
    </message>
    <message>
        <source>a reference image of {} x {} pixels is too narrow for a video of {} x {}</source>
        <translation>{} x {} 像素的参考图像过于狭长，不适合 {} x {} 的视频</translation>
    </message>
    <message>
        <source>Use a picture that is less elongated</source>
        <translation>请使用不那么狭长的图片</translation>
    </message>
    <message>
        <source>{} is predicted to take {:.3g} s, and the CPU {:.3g} s</source>
        <translation>预计 {} 用时 {:.3g} 秒，CPU 用时 {:.3g} 秒</translation>
    </message>
    <message>
        <source>Leave out the last ones</source>
        <translation>请去掉最后几张</translation>
    </message>
    <message>
        <source>Write false, or guidance_scale_image: 1</source>
        <translation>请写 false，或写 guidance_scale_image: 1</translation>
    </message>
    <message>
        <source>Write a list of tracks, each a list of {} in pixels of the video</source>
        <translation>请写轨迹的列表，每条轨迹是 {} 的列表，以视频像素为单位</translation>
    </message>
    <message>
        <source>track {}, point {}: &quot;{}&quot; is missing or not a number</source>
        <translation>轨迹 {} 的点 {}：“{}”缺失或不是数字</translation>
    </message>
    <message>
        <source>track {}, point {}: &quot;{}&quot; is {}, beyond {} pixels</source>
        <translation>轨迹 {} 的点 {}：“{}”为 {}，超出 {} 像素</translation>
    </message>
    <message>
        <source>track {} is not a list of points</source>
        <translation>轨迹 {} 不是点的列表</translation>
    </message>
    <message>
        <source>the file has {}; tracks have {} at most</source>
        <translation>文件大小为 {}；轨迹文件最大为 {}</translation>
    </message>
    <message>
        <source>there is no list of tracks</source>
        <translation>没有轨迹的列表</translation>
    </message>
    <message>
        <source>the file has {} tracks; at most {} are allowed</source>
        <translation>文件有 {} 条轨迹；最多允许 {} 条</translation>
    </message>
    <message>
        <source>{}: {}: {} of {} tracks have fewer than {} points and end before the video</source>
        <translation>{}：{}：{}/{} 条轨迹的点数少于 {}，会在视频结束前终止</translation>
    </message>
    <message>
        <source>{} points span the video; write as many to move a point to its end</source>
        <translation>{} 个点覆盖整个视频；要使点一直运动到视频结束，请写同样多的点</translation>
    </message>
    <message>
        <source>the three passes of guidance</source>
        <translation>引导的三次计算</translation>
    </message>
    <message>
        <source>not measured yet; the first run with int8 weights measures</source>
        <translation>尚未测量；首次使用 int8 权重的运行会测量</translation>
    </message>
    <message>
        <source>in int8 {} is faster: {:.3g} against {:.3g} TOP/s</source>
        <translation>int8 时 {} 更快：{:.3g} 对 {:.3g} TOP/s</translation>
    </message>
    <message>
        <source>{} computes this project, and flash_block_sizes are the CPU&apos;s</source>
        <translation>本项目由 {} 计算，而 flash_block_sizes 属于 CPU</translation>
    </message>
    <message>
        <source>Use the CPU (gpus: none) to tune its block sizes</source>
        <translation>请使用 CPU（gpus: none）来调优其块大小</translation>
    </message>
    <message>
        <source>no GPU computes this project</source>
        <translation>没有 GPU 计算本项目</translation>
    </message>
    <message>
        <source>Name one by its number</source>
        <translation>请用编号指定一个</translation>
    </message>
    <message>
        <source>GPUs are tuned by one process</source>
        <translation>GPU 由单个进程调优</translation>
    </message>
    <message>
        <source>Tune without mpirun, on the GPUs of one host</source>
        <translation>请不用 mpirun，在一台主机的 GPU 上调优</translation>
    </message>
    <message>
        <source>a GPU computes float32 in one way: there is nothing to tune</source>
        <translation>GPU 只有一种 float32 计算方式：没有可调优的内容</translation>
    </message>
    <message>
        <source>Use bfloat16, which matrix units multiply</source>
        <translation>请使用 bfloat16，矩阵单元可对其做乘法</translation>
    </message>
    <message>
        <source>The GPU multiplied int8 in the form {}</source>
        <translation>GPU 以 {} 形式进行 int8 乘法</translation>
    </message>
    <message>
        <source>{} does not multiply in the form {}: {}</source>
        <translation>{} 不以形式 {} 做乘法：{}</translation>
    </message>
    <message>
        <source>Choose another form: the list of devices names those of each GPU</source>
        <translation>请选择其他形式：设备列表列出了每个 GPU 的形式</translation>
    </message>
    <message>
        <source>No kernel multiplies in the sizes that {} offers for the form {}</source>
        <translation>没有内核能以 {} 为形式 {} 提供的尺寸做乘法</translation>
    </message>
    <message>
        <source>the rates of its GPU are not measured, or not all of them</source>
        <translation>其 GPU 的速率尚未测量，或未全部测量</translation>
    </message>
    <message>
        <source>{} heads of {}, {} queries, {} keys</source>
        <translation>{} 个头，每头 {}，{} 个查询，{} 个键</translation>
    </message>
    <message>
        <source>{} tokens, {} wide, {} in the feed-forward</source>
        <translation>{} 个词元，宽 {}，前馈层 {}</translation>
    </message>
    <message>
        <source>What runs on {} should take cannot be kept</source>
        <translation>无法保存 {} 上的运行应采用的设置</translation>
    </message>
    <message>
        <source>Make the file writable, or set XDG_CACHE_HOME to another folder</source>
        <translation>请使该文件可写，或将 XDG_CACHE_HOME 设为其他文件夹</translation>
    </message>
    <message>
        <source>Encoding held {} of the GPU&apos;s memory at most; {} were planned</source>
        <translation>编码最多占用 {} 显存；计划为 {}</translation>
    </message>
    <message>
        <source>the rates of {} lack {}, which an earlier build did not measure</source>
        <translation>{} 的速率缺少 {}，早先的构建没有测量</translation>
    </message>
    <message>
        <source>an encoder&apos;s heads have {} numbers; a GPU takes multiples of {} up to {}</source>
        <translation>编码器的头有 {} 个数；GPU 支持 {} 的倍数，最多 {}</translation>
    </message>
    <message>
        <source>Adapters (LoRA) that are merged into the transformer: a list of {file: PATH, strength: 1}, with expert: high, low or all where their names do not say for which of Wan 2.2&apos;s two transformers they are made.</source>
        <translation>合并到 Transformer 中的适配器（LoRA）：{file: PATH, strength: 1} 的列表；若名称没有说明是为 Wan 2.2 两个 Transformer 中的哪一个制作的，则加 expert: high、low 或 all。</translation>
    </message>
    <message>
        <source>Video or folder of numbered pictures of the face whose expressions the character takes on.</source>
        <translation>面部的视频或带编号图片的文件夹，角色将采用其表情。</translation>
    </message>
    <message>
        <source>It is a part of NVIDIA&apos;s Transformer Engine, which Meshreel does not have; use flash, which computes the same attention</source>
        <translation>属于 NVIDIA 的 Transformer Engine，Meshreel 不使用它；请用 flash，它计算相同的注意力</translation>
    </message>
    <message>
        <source>a text file</source>
        <translation>文本文件</translation>
    </message>
    <message>
        <source>a project or sweep</source>
        <translation>项目或扫描</translation>
    </message>
    <message>
        <source>a file of hosts</source>
        <translation>主机文件</translation>
    </message>
    <message>
        <source>a JSON file</source>
        <translation>JSON 文件</translation>
    </message>
    <message>
        <source>values</source>
        <translation>个值</translation>
    </message>
    <message>
        <source>JSON</source>
        <translation>JSON</translation>
    </message>
    <message>
        <source>levels of nesting</source>
        <translation>层嵌套</translation>
    </message>
    <message>
        <source>a table (CSV)</source>
        <translation>表格（CSV）</translation>
    </message>
    <message>
        <source>columns</source>
        <translation>列</translation>
    </message>
    <message>
        <source>a trace</source>
        <translation>跟踪</translation>
    </message>
    <message>
        <source>events</source>
        <translation>个事件</translation>
    </message>
    <message>
        <source>a SentencePiece model</source>
        <translation>SentencePiece 模型</translation>
    </message>
    <message>
        <source>pieces</source>
        <translation>个词片</translation>
    </message>
    <message>
        <source>a tokenizer</source>
        <translation>分词器</translation>
    </message>
    <message>
        <source>a safetensors header</source>
        <translation>safetensors 头</translation>
    </message>
    <message>
        <source>the metadata and directory of a GGUF file</source>
        <translation>GGUF 文件的元数据和目录</translation>
    </message>
    <message>
        <source>the directory of a PyTorch archive</source>
        <translation>PyTorch 归档的目录</translation>
    </message>
    <message>
        <source>the pickle of a PyTorch archive</source>
        <translation>PyTorch 归档的 pickle</translation>
    </message>
    <message>
        <source>tensors</source>
        <translation>个张量</translation>
    </message>
    <message>
        <source>a file of weights</source>
        <translation>权重文件</translation>
    </message>
    <message>
        <source>the name of a tensor, key or class</source>
        <translation>张量、键或类的名称</translation>
    </message>
    <message>
        <source>entries</source>
        <translation>个条目</translation>
    </message>
    <message>
        <source>the metadata of a file of weights</source>
        <translation>权重文件的元数据</translation>
    </message>
    <message>
        <source>files</source>
        <translation>个文件</translation>
    </message>
    <message>
        <source>a model in parts</source>
        <translation>分片的模型</translation>
    </message>
    <message>
        <source>a program that is sent to a host</source>
        <translation>发送到主机的程序</translation>
    </message>
    <message>
        <source>a picture, an animated PNG or WebP, or a packet of a video</source>
        <translation>图片、动画 PNG 或 WebP，或视频的数据包</translation>
    </message>
    <message>
        <source>a picture</source>
        <translation>图片</translation>
    </message>
    <message>
        <source>the packed texts and colour profile of a PNG</source>
        <translation>PNG 的压缩文本和色彩配置文件</translation>
    </message>
    <message>
        <source>scans</source>
        <translation>次扫描</translation>
    </message>
    <message>
        <source>a JPEG</source>
        <translation>JPEG</translation>
    </message>
    <message>
        <source>a video or sound before its first packet</source>
        <translation>视频或音频第一个数据包之前</translation>
    </message>
    <message>
        <source>a decoded frame of a video</source>
        <translation>视频的已解码帧</translation>
    </message>
    <message>
        <source>a video</source>
        <translation>视频</translation>
    </message>
    <message>
        <source>a video&apos;s frames, where all are held at once</source>
        <translation>需要同时保存的视频全部帧</translation>
    </message>
    <message>
        <source>a video that is decoded to count its frames</source>
        <translation>为统计帧数而解码的视频</translation>
    </message>
    <message>
        <source>Choose a shorter name</source>
        <translation>请选择更短的名称</translation>
    </message>
    <message>
        <source>The disk does not take this name: choose another name, or another disk</source>
        <translation>此磁盘不接受该名称：请选择其他名称或其他磁盘</translation>
    </message>
    <message>
        <source>Check the disk or the network drive: it reported a failure</source>
        <translation>请检查磁盘或网络驱动器：它报告了故障</translation>
    </message>
    <message>
        <source>it has {} {} or more; at most {} are read of {}</source>
        <translation>{3}：有 {0} {1}或更多；最多读取 {2}</translation>
    </message>
    <message>
        <source>Check that this is the file you mean; if it is, make it smaller or get another one</source>
        <translation>请确认这是您要用的文件；如果是，请将其缩小或换用其他文件</translation>
    </message>
    <message>
        <source>a program may have only {} of stack here, and Meshreel needs {}</source>
        <translation>此处程序的栈只能有 {}，而 Meshreel 需要 {}</translation>
    </message>
    <message>
        <source>Raise the limit, as with: {}</source>
        <translation>请提高上限，例如：{}</translation>
    </message>
    <message>
        <source>{}. The name counts; to decide, write expert: high or expert: low</source>
        <translation>{}。以名称为准；若要指定，请写 expert: high 或 expert: low</translation>
    </message>
    <message>
        <source>{} of Wan 2.2 A14B, and this model has one transformer: it was made for another model</source>
        <translation>{}（Wan 2.2 A14B），而此模型只有一个 Transformer：它是为另一个模型制作的</translation>
    </message>
    <message>
        <source>{}, and lora says expert: {}. If that is a mistake, write expert: {}</source>
        <translation>{}，而 lora 中写的是 expert: {}。若写错了，请写 expert: {}</translation>
    </message>
    <message>
        <source>{}, and its keys name {}, which counts</source>
        <translation>{}，而其键指明的是 {}，以键为准</translation>
    </message>
    <message>
        <source>it goes into the {} alone, and its other half, {}, is not in lora: name it there, too</source>
        <translation>它只用于{}，而与之成对的 {} 不在 lora 中：请也写入 lora</translation>
    </message>
    <message>
        <source>goes into this expert alone, because its name or metadata say so</source>
        <translation>依据其名称或元数据，只用于这个专家</translation>
    </message>
    <message>
        <source>The name counts; rename the file if it is wrong</source>
        <translation>以名称为准；若名称有误，请重命名文件</translation>
    </message>
    <message>
        <source>Name the other file there, or rename this one if its name is wrong</source>
        <translation>请在该处填写另一个文件；若此文件名称有误，请将其重命名</translation>
    </message>
    <message>
        <source>Exchange the two files</source>
        <translation>请交换这两个文件</translation>
    </message>
    <message>
        <source>{} is taken as the {}, and {}</source>
        <translation>{} 被用作{}，而{}</translation>
    </message>
    <message>
        <source>the disk of the cache keeps no links ({})</source>
        <translation>缓存所在的磁盘不支持链接（{}）</translation>
    </message>
    <message>
        <source>Set XDG_CACHE_HOME to a folder on another disk</source>
        <translation>请将 XDG_CACHE_HOME 设为其他磁盘上的文件夹</translation>
    </message>
    <message>
        <source>Set it to an address such as https://huggingface.co; signs such as @, /, # and ? in a password are written %40, %2F, %23 and %3F</source>
        <translation>请设为 https://huggingface.co 这样的地址；密码中的 @、/、# 和 ? 要写成 %40、%2F、%23 和 %3F</translation>
    </message>
    <message>
        <source>It answers with a web page: sign in to this network in a browser, or see whether HF_ENDPOINT names the right server</source>
        <translation>它返回的是网页：请在浏览器中登录此网络，或检查 HF_ENDPOINT 是否指向正确的服务器</translation>
    </message>
    <message>
        <source>it breaks off and begins anew again and again</source>
        <translation>它反复中断并重新开始</translation>
    </message>
    <message>
        <source>{} sends the file compressed, which was not asked for</source>
        <translation>{} 发送的文件经过压缩，而这并未被请求</translation>
    </message>
    <message>
        <source>A proxy may do so: check https_proxy; HF_ENDPOINT can name a mirror</source>
        <translation>可能是代理所为：请检查 https_proxy；可以用 HF_ENDPOINT 指定镜像</translation>
    </message>
    <message>
        <source>it has {} bytes, and {} were published</source>
        <translation>它有 {} 字节，而公布的是 {}</translation>
    </message>
    <message>
        <source>Wait until it is done. If nobody is at work, remove both files</source>
        <translation>请等它完成。如果没有程序在写，请删除这两个文件</translation>
    </message>
    <message>
        <source>a different file has this name ({})</source>
        <translation>另一个文件占用了这个名称（{}）</translation>
    </message>
    <message>
        <source>the download of &quot;{}&quot; is incomplete: it lacks {}</source>
        <translation>“{}”的下载不完整：缺少 {}</translation>
    </message>
    <message>
        <source>the download of &quot;{}&quot; is incomplete: it lacks {} and {} other files</source>
        <translation>“{}”的下载不完整：缺少 {} 以及另外 {} 个文件</translation>
    </message>
    <message>
        <source>Finish it with: hf download {}</source>
        <translation>请用以下命令完成下载：hf download {}</translation>
    </message>
    <message>
        <source>the disk of the models folder keeps no links ({})</source>
        <translation>模型文件夹所在的磁盘不支持链接（{}）</translation>
    </message>
    <message>
        <source>Move the model into the models folder, or choose one on another disk</source>
        <translation>请将模型移到模型文件夹，或选择其他磁盘上的文件夹</translation>
    </message>
    <message>
        <source>another program is writing it</source>
        <translation>另一个程序正在写入它</translation>
    </message>
    <message>
        <source>another program is writing it, as {} beside it tells</source>
        <translation>另一个程序正在写入它，旁边的 {} 说明了这一点</translation>
    </message>
    <message>
        <source>it is empty</source>
        <translation>它是空的</translation>
    </message>
    <message>
        <source>it is a pointer of Git LFS, not the file itself</source>
        <translation>它是 Git LFS 指针，不是文件本身</translation>
    </message>
    <message>
        <source>it is a web page, not the file</source>
        <translation>它是网页，不是该文件</translation>
    </message>
    <message>
        <source>it is {}, not {}</source>
        <translation>它是 {}，不是 {}</translation>
    </message>
    <message>
        <source>it holds no tensors</source>
        <translation>它不含张量</translation>
    </message>
    <message>
        <source>its tensors are not those of {}</source>
        <translation>它的张量不是 {} 的</translation>
    </message>
    <message>
        <source>{} bytes</source>
        <translation>{} 字节</translation>
    </message>
    <message>
        <source>about {} bytes</source>
        <translation>约 {} 字节</translation>
    </message>
    <message>
        <source>its SHA-256 is no longer that of the download ({})</source>
        <translation>它的 SHA-256 不再是下载时的值（{}）</translation>
    </message>
    <message>
        <source>{} in the environment is ignored: {}</source>
        <translation>环境中的 {} 被忽略：{}</translation>
    </message>
    <message>
        <source>{} in the environment is ignored: {} has no such core</source>
        <translation>环境中的 {} 被忽略：{} 没有这样的内核</translation>
    </message>
    <message>
        <source>OpenBLAS multiplies with its core {}, because {} is set in the environment. This CPU runs its core {}, which is faster</source>
        <translation>由于环境中设置了 {1}，OpenBLAS 使用内核 {0} 做乘法。此 CPU 可以使用更快的内核 {2}</translation>
    </message>
    <message>
        <source>OpenBLAS&apos;s core {} is not used: {}. Meshreel&apos;s own loops multiply in its place, which is slower. Install another version of OpenBLAS</source>
        <translation>不使用 OpenBLAS 的内核 {}：{}。改由 Meshreel 自己的循环做乘法，速度较慢。请安装其他版本的 OpenBLAS</translation>
    </message>
    <message>
        <source>OpenBLAS&apos;s core {} is not used: {}. Its core {} takes its place, which is slower. Install another version of OpenBLAS</source>
        <translation>不使用 OpenBLAS 的内核 {}：{}。改用较慢的内核 {}。请安装其他版本的 OpenBLAS</translation>
    </message>
    <message>
        <source>oneDNN does not multiply in {}: {}. In its place: {}, which is slower. Install another version of oneDNN</source>
        <translation>不使用 oneDNN 做 {} 乘法：{}。改用 {}，速度较慢。请安装其他版本的 oneDNN</translation>
    </message>
    <message>
        <source>the video has no size, or one of more than {} pixels</source>
        <translation>视频没有尺寸，或超过 {} 像素</translation>
    </message>
    <message>
        <source>Choose a video file or a folder of numbered pictures</source>
        <translation>请选择视频文件或带编号图片的文件夹</translation>
    </message>
    <message>
        <source>this folder holds {} series of numbered pictures, and nothing tells which is meant: {}</source>
        <translation>此文件夹中有 {} 个带编号图片的序列，无法判断要用哪一个：{}</translation>
    </message>
    <message>
        <source>Put one series into a folder of its own</source>
        <translation>请将其中一个序列放入单独的文件夹</translation>
    </message>
    <message>
        <source>numbers are missing between {} and {}, which follow each other</source>
        <translation>{} 与 {} 之间缺少编号，这两帧将前后相接</translation>
    </message>
    <message>
        <source>numbers are missing at {} places, the first between {} and {}, which follow each other</source>
        <translation>有 {} 处缺少编号，第一处在 {} 与 {} 之间，这两帧将前后相接</translation>
    </message>
    <message>
        <source>{} and {} have the same number</source>
        <translation>{} 与 {} 的编号相同</translation>
    </message>
    <message>
        <source>Remove the one that is not meant</source>
        <translation>请移除不需要的那一个</translation>
    </message>
    <message>
        <source>more than one number in the names changes; the order is that of the first, then of the next: from {} to {}</source>
        <translation>名称中有不止一个数字在变化；按第一个数字排序，再按下一个：从 {} 到 {}</translation>
    </message>
    <message>
        <source>not of the series, and passed over: {}</source>
        <translation>不属于该序列，已略过：{}</translation>
    </message>
    <message>
        <source>mpirun is stopped</source>
        <translation>mpirun 已被暂停</translation>
    </message>
    <message>
        <source>it was stopped while the ranks met</source>
        <translation>在各进程汇合时，它被暂停</translation>
    </message>
    <message>
        <source>it did not meet all other ranks within {} s</source>
        <translation>它未能在 {} 秒内与所有其他进程汇合</translation>
    </message>
    <message>
        <source>Leave it unset, which is {} seconds</source>
        <translation>不要设置它，即 {} 秒</translation>
    </message>
    <message>
        <source>rank {} on host {} multiplies with {}, and rank 0 on host {} with {}: the result differs slightly from that of one library. For the same bits everywhere install one version of OpenBLAS, and set {} alike</source>
        <translation>rank {}（主机 {}）使用 {} 做乘法，而 rank 0（主机 {}）使用 {}：结果与只用一个库时略有不同。若要处处得到相同的比特，请安装同一版本的 OpenBLAS，并将 {} 设为相同的值</translation>
    </message>
    <message>
        <source>its name says {}</source>
        <translation>其名称表明是{}</translation>
    </message>
    <message>
        <source>its metadata ({}) say {}</source>
        <translation>其元数据（{}）表明是{}</translation>
    </message>
    <message>
        <source>its name says {}, and its metadata ({}) say {}</source>
        <translation>其名称表明是{}，而其元数据（{}）表明是{}</translation>
    </message>
    <message>
        <source>{} with {}</source>
        <translation>{} 加 {}</translation>
    </message>
    <message>
        <source>{:.0f} s</source>
        <translation>{} 秒</translation>
    </message>
    <message>
        <source>{:.1f} min</source>
        <translation>{} 分钟</translation>
    </message>
    <message>
        <source>{:.0f} min</source>
        <translation>{} 分钟</translation>
    </message>
    <message>
        <source>{:.1f} h</source>
        <translation>{} 小时</translation>
    </message>
    <message>
        <source>int8 weights</source>
        <translation>int8 权重</translation>
    </message>
    <message>
        <source>bfloat16 weights</source>
        <translation>bfloat16 权重</translation>
    </message>
    <message>
        <source>bfloat16 activations</source>
        <translation>bfloat16 激活值</translation>
    </message>
    <message>
        <source>a bfloat16 VAE</source>
        <translation>bfloat16 VAE</translation>
    </message>
    <message>
        <source>fits</source>
        <translation>可以运行</translation>
    </message>
    <message>
        <source>fits with {}</source>
        <translation>使用{}可以运行</translation>
    </message>
    <message>
        <source>fits with {} and {}</source>
        <translation>使用{}和{}可以运行</translation>
    </message>
    <message>
        <source>{}, streamed from the disk: at most {} a step longer</source>
        <translation>{}，权重从磁盘读取：每步最多多用 {}</translation>
    </message>
    <message>
        <source>{}, streamed from the disk: {} a step, at most {} longer at {:g} GB/s</source>
        <translation>{0}，权重从磁盘读取：每步 {1}，按 {3} GB/s 计最多多用 {2}</translation>
    </message>
    <message>
        <source>too large at {}: {} takes {} at the least, and {} are free</source>
        <translation>{} 时过大：{}至少需要 {}，可用 {}</translation>
    </message>
    <message>
        <source>{}; {}: {}</source>
        <translation>{}；{}：{}</translation>
    </message>
    <message>
        <source>disk too small: {} to download, and {} are free</source>
        <translation>磁盘空间不足：需下载 {}，可用 {}</translation>
    </message>
    <message>
        <source>{:.2g} GB/s were measured on the disk with the weights</source>
        <translation>在权重所在磁盘上测得 {} GB/s</translation>
    </message>
    <message>
        <source>{:g} GB/s is assumed: there is no large file of weights to measure the disk by</source>
        <translation>假定为 {} GB/s：没有可用来测量磁盘的大权重文件</translation>
    </message>
    <message>
        <source>Name the model in a project: pretrained_model_name_or_path: PATH</source>
        <translation>请在项目中写明模型：pretrained_model_name_or_path: 路径</translation>
    </message>
    <message>
        <source>a ComfyUI workflow</source>
        <translation>ComfyUI 工作流</translation>
    </message>
    <message>
        <source>an InvokeAI workflow</source>
        <translation>InvokeAI 工作流</translation>
    </message>
    <message>
        <source>settings of SwarmUI</source>
        <translation>SwarmUI 的设置</translation>
    </message>
    <message>
        <source>settings of Wan2GP</source>
        <translation>Wan2GP 的设置</translation>
    </message>
    <message>
        <source>settings of Draw Things</source>
        <translation>Draw Things 的设置</translation>
    </message>
    <message>
        <source>a config of LightX2V</source>
        <translation>LightX2V 的配置</translation>
    </message>
    <message>
        <source>a description of a model</source>
        <translation>模型的描述文件</translation>
    </message>
    <message>
        <source>a Jupyter notebook</source>
        <translation>Jupyter 笔记本</translation>
    </message>
    <message>
        <source>a command line of stable-diffusion.cpp</source>
        <translation>stable-diffusion.cpp 的命令行</translation>
    </message>
    <message>
        <source>a command line of Wan&apos;s generate.py</source>
        <translation>Wan 的 generate.py 命令行</translation>
    </message>
    <message>
        <source>a command line of musubi-tuner</source>
        <translation>musubi-tuner 的命令行</translation>
    </message>
    <message>
        <source>a command line of LightX2V</source>
        <translation>LightX2V 的命令行</translation>
    </message>
    <message>
        <source>a command line of Wan2GP</source>
        <translation>Wan2GP 的命令行</translation>
    </message>
    <message>
        <source>settings of Stable Diffusion WebUI</source>
        <translation>Stable Diffusion WebUI 的设置</translation>
    </message>
    <message>
        <source>This is {}. Meshreel reads projects and configs of MaxDiffusion</source>
        <translation>这是{}。Meshreel 读取项目和 MaxDiffusion 的配置</translation>
    </message>
    <message>
        <source>This is {} that holds its project, and not the project itself</source>
        <translation>这是含有项目的{}，而不是项目本身</translation>
    </message>
    <message>
        <source>This is {} that holds {}. Meshreel reads projects and configs of MaxDiffusion</source>
        <translation>这是{}，其中含有{}。Meshreel 读取项目和 MaxDiffusion 的配置</translation>
    </message>
    <message>
        <source>This is {}, and no project is stored in it</source>
        <translation>这是{}，其中没有保存项目</translation>
    </message>
    <message>
        <source>Name it in a project, as image or video</source>
        <translation>请在项目中作为 image 或 video 写明</translation>
    </message>
    <message>
        <source>This is a web page</source>
        <translation>这是网页</translation>
    </message>
    <message>
        <source>Download the file itself, not the page that shows it</source>
        <translation>请下载文件本身，而不是显示它的网页</translation>
    </message>
    <message>
        <source>a Python script</source>
        <translation>Python 脚本</translation>
    </message>
    <message>
        <source>a script</source>
        <translation>脚本</translation>
    </message>
    <message>
        <source>These are weights of a model</source>
        <translation>这是模型的权重</translation>
    </message>
    <message>
        <source>This is an archive</source>
        <translation>这是压缩包</translation>
    </message>
    <message>
        <source>Unpack it and choose the project in it</source>
        <translation>请解压后选择其中的项目</translation>
    </message>
    <message>
        <source>This is a document, not a project</source>
        <translation>这是文档，不是项目</translation>
    </message>
    <message>
        <source>Choose a project file (.yaml)</source>
        <translation>请选择项目文件（.yaml）</translation>
    </message>
    <message>
        <source>{}: {}: its shape is in its alpha, which is read as the mask: opaque is white, transparent is black</source>
        <translation>{}：{}：其形状在 alpha 通道中，已将其作为蒙版读取：不透明为白，透明为黑</translation>
    </message>
    <message>
        <source>If it is meant the other way round, give a black and white mask without transparency</source>
        <translation>若含义相反，请提供不含透明的黑白蒙版</translation>
    </message>
    <message>
        <source>{}: {}: it has transparent pixels, which are laid on white</source>
        <translation>{}：{}：含有透明像素，已叠加在白色上</translation>
    </message>
    <message>
        <source>To have another background, give a picture without transparency</source>
        <translation>若要其他背景，请提供不含透明的图片</translation>
    </message>
    <message>
        <source>Check that these are all frames, and only they</source>
        <translation>请确认帧齐全，且没有其他文件</translation>
    </message>
    <message>
        <source>Put a text that holds a blank and `#` in quotes, since YAML takes the rest of its line for a comment. Where such a comment may be the rest of a prompt, a name or a path, a warning says so; behind a path it may stand after two blanks and before another one: `  # comment`.</source>
        <translation>含有空格加 `#` 的文本请加引号，因为 YAML 会将该行其余部分视为注释。若该注释可能是提示词、名称或路径的剩余部分，会给出警告；在路径之后，前有两个空格、后有一个空格的写法不会警告：`  # 注释`。</translation>
    </message>
    <message>
        <source>{} has no value: YAML takes &quot;{}&quot; for a comment</source>
        <translation>{} 没有值：YAML 将“{}”视为注释</translation>
    </message>
    <message>
        <source>Put the text in quotes</source>
        <translation>请将文本加引号</translation>
    </message>
    <message>
        <source>If it belongs to the text, put the text in quotes; else put the comment on a line of its own</source>
        <translation>若属于文本，请将文本加引号；否则请将注释单独写一行</translation>
    </message>
    <message>
        <source>{} ends before &quot;{}&quot;, which YAML takes for a comment</source>
        <translation>{} 在“{}”之前结束，YAML 将其视为注释</translation>
    </message>
    <message>
        <source>another program has been changing it for a long time</source>
        <translation>另一个程序长时间以来一直在修改它</translation>
    </message>
    <message>
        <source>Wait until it is done, or end it</source>
        <translation>请等待它完成，或结束它</translation>
    </message>
    <message>
        <source>mpirun could not be prepared ({})</source>
        <translation>无法准备 mpirun（{}）</translation>
    </message>
    <message>
        <source>Set {}={}, which is Open MPI {}</source>
        <translation>请设置 {}={}，它是 Open MPI {}</translation>
    </message>
    <message>
        <source>Put Open MPI&apos;s mpirun first in your PATH, or name it by {} (on Debian: apt-get install openmpi-bin)</source>
        <translation>请把 Open MPI 的 mpirun 放在 PATH 最前面，或用 {} 指定它（Debian：apt-get install openmpi-bin）</translation>
    </message>
    <message>
        <source>there is no mpirun in your PATH</source>
        <translation>PATH 中没有 mpirun</translation>
    </message>
    <message>
        <source>{} has not said within {} s which version it is</source>
        <translation>{} 未在 {} 秒内说明自己的版本</translation>
    </message>
    <message>
        <source>{} is not Open MPI (it does not say what it is)</source>
        <translation>{} 不是 Open MPI（它没有说明自己是什么）</translation>
    </message>
    <message>
        <source>{} is not Open MPI (it says: {})</source>
        <translation>{} 不是 Open MPI（它说：{}）</translation>
    </message>
    <message>
        <source>{} is Open MPI {}, and Meshreel launches ranks by Open MPI {} or newer</source>
        <translation>{} 是 Open MPI {}，而 Meshreel 用 Open MPI {} 或更新版本启动进程</translation>
    </message>
    <message>
        <source>mpirun passes nothing on any more</source>
        <translation>mpirun 不再转发任何内容</translation>
    </message>
    <message>
        <source>{}, which mpirun started, is stopped</source>
        <translation>mpirun 启动的 {} 已被暂停</translation>
    </message>
    <message>
        <source>the ranks there have not met the others within {} s: look for a firewall between the hosts, or set MESHREEL_HOST_TIMEOUT to more seconds</source>
        <translation>那里的进程未能在 {} 秒内与其他进程汇合：请检查主机之间的防火墙，或把 MESHREEL_HOST_TIMEOUT 设为更多秒数</translation>
    </message>
    <message>
        <source>no rank has begun there within {} s: set MESHREEL_HOST_TIMEOUT to more seconds if it is only slow</source>
        <translation>{} 秒内那里没有进程启动：如果只是慢，请把 MESHREEL_HOST_TIMEOUT 设为更多秒数</translation>
    </message>
    <message>
        <source>no rank has begun there within {} s: look at ssh and for a firewall that keeps Open MPI&apos;s daemon from calling back, or set MESHREEL_HOST_TIMEOUT to more seconds</source>
        <translation>{} 秒内那里没有进程启动：请检查 ssh 以及阻止 Open MPI 守护进程回连的防火墙，或把 MESHREEL_HOST_TIMEOUT 设为更多秒数</translation>
    </message>
    <message>
        <source>Set TMPDIR to a folder on a disk that keeps links</source>
        <translation>请将 TMPDIR 设为支持链接的磁盘上的文件夹</translation>
    </message>
    <message>
        <source>it has no list of traceEvents</source>
        <translation>没有 traceEvents 列表</translation>
    </message>
    <message>
        <source>an event lacks its name, times or thread</source>
        <translation>某个事件缺少名称、时间或线程</translation>
    </message>
    <message>
        <source>Copy it to a disk of this machine: where it lies, files cannot be mapped</source>
        <translation>请复制到本机的磁盘：其所在位置的文件无法映射到内存</translation>
    </message>
    <message>
        <source>{} have to be read into memory at once, and {} are available</source>
        <translation>需要一次读入内存 {}，而可用的有 {}</translation>
    </message>
    <message>
        <source>texts</source>
        <translation>段文本</translation>
    </message>
    <message>
        <source>a PNG</source>
        <translation>PNG</translation>
    </message>
    <message>
        <source>seconds of computing</source>
        <translation>秒计算时间</translation>
    </message>
    <message>
        <source>a video or sound up to its next packet</source>
        <translation>视频或音频到下一个数据包</translation>
    </message>
    <message>
        <source>Write its prompt, size, frames, steps and seed into a project</source>
        <translation>请把其中的提示词、尺寸、帧数、步数和种子写进项目</translation>
    </message>
    <message>
        <source>meshreel inspect FILE prints it in a terminal</source>
        <translation>在终端中用 meshreel inspect 文件 可以显示它</translation>
    </message>
    <message>
        <source>a line that another process says; the rest is left out</source>
        <translation>另一个进程输出的一行；其余部分省略</translation>
    </message>
    <message>
        <source>all that another process says; of more, beginning and end are kept</source>
        <translation>另一个进程的全部输出；超出时保留开头和结尾</translation>
    </message>
    <message>
        <source>the transparency of this video is in a second stream, which only libvpx decodes, and this system&apos;s libavcodec has no libvpx</source>
        <translation>此视频的透明度位于只有 libvpx 才能解码的第二个流中，而本系统的 libavcodec 没有 libvpx</translation>
    </message>
    <message>
        <source>Install the full libavcodec, or convert the video to ProRes 4444</source>
        <translation>请安装完整的 libavcodec，或将视频转换为 ProRes 4444</translation>
    </message>
    <message>
        <source>the transparency of this picture is in a second picture of the file, which Meshreel does not read</source>
        <translation>此图像的透明度位于文件的第二个图像中，Meshreel 无法读取</translation>
    </message>
    <message>
        <source>Convert it to PNG or WebP</source>
        <translation>请转换为 PNG 或 WebP</translation>
    </message>
    <message>
        <source>there is not enough memory for the picture</source>
        <translation>内存不足，无法容纳图像</translation>
    </message>
    <message>
        <source>the samples of this TIFF are signed or floating-point numbers, which Meshreel does not read</source>
        <translation>此 TIFF 的样本是有符号数或浮点数，Meshreel 无法读取</translation>
    </message>
    <message>
        <source>Save it with 8 or 16 bits a channel, or as PNG</source>
        <translation>请以每通道 8 或 16 位保存，或保存为 PNG</translation>
    </message>
    <message>
        <source>this TIFF has a channel besides its colours that it does not call transparency</source>
        <translation>此 TIFF 除颜色外还有一个未标明为透明度的通道</translation>
    </message>
    <message>
        <source>Save it as PNG, or without the channel, or with the channel as transparency</source>
        <translation>请保存为 PNG，或去掉该通道，或将该通道保存为透明度</translation>
    </message>
    <message>
        <source>Measuring which form of the kernel &quot;{}&quot; is the fastest on {}; later runs know it</source>
        <translation>正在测量内核“{}”的哪种形式在 {} 上最快；以后的运行不再测量</translation>
    </message>
    <message>
        <source>a GPU has no {} kernel, which {} needs</source>
        <translation>GPU 没有 {} 内核，而 {} 需要它</translation>
    </message>
    <message>
        <source>decoding whole frames needs {} of the GPU&apos;s memory, and {} are free</source>
        <translation>解码整帧需要 {} 显存，可用的有 {}</translation>
    </message>
    <message>
        <source>with all layers the GPU would hold {}, and {} are free</source>
        <translation>保留所有层时，GPU 将占用 {}，可用的有 {}</translation>
    </message>
    <message>
        <source>both experts need {}, and {} are available</source>
        <translation>两个专家需要 {}，可用的有 {}</translation>
    </message>
    <message>
        <source>with both experts the GPU would hold {}, and {} are free</source>
        <translation>保留两个专家时，GPU 将占用 {}，可用的有 {}</translation>
    </message>
    <message>
        <source>with all layers the run needs {}, and memory_budget allows {}</source>
        <translation>保留所有层时，运行需要 {}，而 memory_budget 允许 {}</translation>
    </message>
    <message>
        <source>the remote shell passes its standard input on to nobody: use one that does (MESHREEL_RSH)</source>
        <translation>远程 shell 没有转发它的标准输入：请使用会转发的 shell（MESHREEL_RSH）</translation>
    </message>
    <message>
        <source>{} could not be guarded against connections of strangers: see docs/security.md</source>
        <translation>无法保护 {} 免受陌生连接：参见 docs/security.md</translation>
    </message>
    <message>
        <source>which experts the adapters in lora are for is read in another way than when the run began: they went into {}, and would go into {}</source>
        <translation>lora 中适配器属于哪个专家的读取方式与运行开始时不同：当时进入 {}，现在会进入 {}</translation>
    </message>
    <message>
        <source>Start a new run in a terminal: meshreel run {}. An adapter with expert: all goes into both experts, whatever its name says</source>
        <translation>请在终端中开始新的运行：meshreel run {}。带有 expert: all 的适配器无论名称如何都会进入两个专家</translation>
    </message>
    <message>
        <source>Which GPU computes the transformer, the VAE and the encoders: its number, from 0 on, several for the devices of a mesh (0,1), none for the CPU, or auto for the best real GPU, if it counts as faster than the CPU.</source>
        <translation>由哪个 GPU 计算 transformer、VAE 和编码器：其编号（从 0 开始），多个编号用作网格的设备（0,1），none 表示 CPU，auto 表示在被视为比 CPU 快时使用最好的真实 GPU。</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is not a number for {}</source>
        <translation>“{}”不是 {} 的数字</translation>
    </message>
    <message>
        <source>this is not a transformer of a Wan model</source>
        <translation>这不是 Wan 模型的 Transformer</translation>
    </message>
    <message>
        <source>meshreel inspect shows what it is</source>
        <translation>meshreel inspect 会说明它是什么</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is not a server address</source>
        <translation>“{}”不是服务器地址</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is not a number of seconds</source>
        <translation>“{}”不是秒数</translation>
    </message>
    <message>
        <source>this is not a small decoder (TAEHV), which previews need</source>
        <translation>这不是小型解码器 (TAEHV)，而预览由小型解码器生成</translation>
    </message>
    <message>
        <source>it is not a SentencePiece model</source>
        <translation>它不是 SentencePiece 模型</translation>
    </message>
    <message>
        <source>it is not a file, or it is a link that leads nowhere</source>
        <translation>它不是文件，或是指向不存在目标的链接</translation>
    </message>
    <message>
        <source>The model ({}) does not support {} ({})</source>
        <translation>该模型（{}）不支持 {}（{}）</translation>
    </message>
    <message>
        <source>{} is not a count in column {}</source>
        <translation>{} 不是 {} 列中的计数</translation>
    </message>
    <message>
        <source>{} is not a Vulkan loader</source>
        <translation>{} 不是 Vulkan 加载器</translation>
    </message>
    <message>
        <source>{} is not a transformer</source>
        <translation>{} 不是 Transformer</translation>
    </message>
    <message>
        <source>This is not a measurement of meshreel bench</source>
        <translation>这不是 meshreel bench 的测量</translation>
    </message>
    <message>
        <source>prompt {} is not an object</source>
        <translation>提示词 {} 不是对象</translation>
    </message>
    <message>
        <source>a step of {} is not a multiple of {}</source>
        <translation>步长 {} 不是 {} 的倍数</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is not a host name</source>
        <translation>“{}”不是主机名</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is not a number of ranks between 1 and {}</source>
        <translation>“{}”不是 1 至 {} 的进程数</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is not a number of seconds between 1 and {}</source>
        <translation>“{}”不是 1 至 {} 的秒数</translation>
    </message>
    <message>
        <source>its tensors match no part of a Wan model</source>
        <translation>其张量不属于 Wan 模型的任何部件</translation>
    </message>
    <message>
        <source>this is not a MagCache curve: {}</source>
        <translation>这不是 MagCache 曲线：{}</translation>
    </message>
    <message>
        <source>this is not a number of devices: write a whole number from 1 to {}</source>
        <translation>这不是设备数：请写 1 到 {} 之间的整数</translation>
    </message>
    <message>
        <source>the model and the inputs determine the task</source>
        <translation>由模型和输入得知任务</translation>
    </message>
    <message>
        <source>lora_config is not a map of lists</source>
        <translation>lora_config 不是由列表组成的映射</translation>
    </message>
    <message>
        <source>mag_ratios_base is not a curve: {}</source>
        <translation>mag_ratios_base 不是曲线：{}</translation>
    </message>
    <message>
        <source>The values that {} varies over are not a list</source>
        <translation>{} 的变化范围不是列表</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is not a whole number from {} to {}</source>
        <translation>“{}”不是 {} 至 {} 的整数</translation>
    </message>
    <message>
        <source>This is not a table of device times</source>
        <translation>这不是设备时间表</translation>
    </message>
    <message>
        <source>This is not a table of a tile search</source>
        <translation>这不是分块搜索表</translation>
    </message>
    <message>
        <source>this is not the status of a Meshreel run</source>
        <translation>这不是 Meshreel 运行的状态</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is not a mask</source>
        <translation>没有掩码“{}”</translation>
    </message>
    <message>
        <source>This is not a golden case: it has no case.json</source>
        <translation>这不是黄金用例：没有 case.json</translation>
    </message>
    <message>
        <source>it is not a regular file</source>
        <translation>它不是普通文件</translation>
    </message>
    <message>
        <source>the archive holds no data.pkl: it is not a PyTorch checkpoint</source>
        <translation>归档中没有 data.pkl：它不是 PyTorch 检查点</translation>
    </message>
    <message>
        <source>its pickle is not a dictionary of tensors</source>
        <translation>其 pickle 不是张量的字典</translation>
    </message>
    <message>
        <source>{} has no sound</source>
        <translation>{} 没有声音</translation>
    </message>
    <message>
        <source>{} does not hold this sound ({})</source>
        <translation>{} 不能容纳此声音（{}）</translation>
    </message>
    <message>
        <source>The video has no sound: {}.</source>
        <translation>视频没有声音：{}。</translation>
    </message>
    <message>
        <source>Write video_format: mp4 or webm, or audio: none</source>
        <translation>请写 video_format: mp4 或 webm，或 audio: none</translation>
    </message>
    <message>
        <source>This is not YAML: a bracket is not closed, because YAML takes what follows &quot; #&quot; for a comment</source>
        <translation>这不是 YAML：括号没有闭合，因为 YAML 把“ #”之后的内容当作注释</translation>
    </message>
    <message>
        <source>Put the text with the # in quotes</source>
        <translation>请将含有 # 的文本放在引号中</translation>
    </message>
    <message>
        <source>Get it with: meshreel get {}; it prints the lines that a project needs. {}</source>
        <translation>用 meshreel get {} 获取；该命令会显示项目所需的行。{}</translation>
    </message>
    <message>
        <source>encoding needs {} of the GPU&apos;s memory, and {} are free</source>
        <translation>编码需要 {} 显存，可用的有 {}</translation>
    </message>
    <message>
        <source>{} is predicted to take {:.3g} s, and {} {:.3g} s</source>
        <translation>预计 {} 用时 {:.3g} 秒，{} 用时 {:.3g} 秒</translation>
    </message>
    <message>
        <source>nothing has measured whether {} is faster than {}</source>
        <translation>尚未测量 {} 是否比 {} 快</translation>
    </message>
    <message>
        <source>nothing has measured whether {} is faster than the CPU; gpus: {} takes it all the same</source>
        <translation>尚未测量 {} 是否比 CPU 快；gpus: {} 仍会使用它</translation>
    </message>
    <message>
        <source>encoding there, the GPU would hold {}, and {} are free</source>
        <translation>在那里编码时 GPU 将占用 {}，而可用 {}</translation>
    </message>
    <message>
        <source>What guidance steers away from; used when guidance_scale or nag_scale is above 1.</source>
        <translation>引导要避开的内容;在 guidance_scale 或 nag_scale 大于 1 时使用。</translation>
    </message>
    <message>
        <source>Attention guidance</source>
        <translation>注意力引导</translation>
    </message>
    <message>
        <source>How strongly attention is pushed away from the negative prompt, without a second pass (NAG): also where guidance_scale is 1, as with distilled models. 11 is usual; 1 or less turns it off.</source>
        <translation>在不做第二次计算的情况下,把注意力从负面提示推开的强度(NAG):guidance_scale 为 1 时(如蒸馏模型)也有效。常用 11;1 或更小则关闭。</translation>
    </message>
    <message>
        <source>Bound of attention guidance</source>
        <translation>注意力引导的上限</translation>
    </message>
    <message>
        <source>What nag_scale makes of a token is at most so many times as large as what the prompt alone makes of it.</source>
        <translation>nag_scale 得到的词元至多是只用提示词时的这么多倍。</translation>
    </message>
    <message>
        <source>Part of attention guidance</source>
        <translation>注意力引导的比例</translation>
    </message>
    <message>
        <source>Mixes what nag_scale makes of a token with what the prompt alone makes of it: 1 takes the former, 0 the latter.</source>
        <translation>混合 nag_scale 得到的词元与只用提示词得到的词元:1 取前者,0 取后者。</translation>
    </message>
    <message>
        <source>exponential integrator of second order: each step but the last is computed twice</source>
        <translation>二阶指数积分器:除最后一步外每步计算两次</translation>
    </message>
    <message>
        <source>exponential integrator of second order that remembers the step before: one pass a step</source>
        <translation>记住上一步的二阶指数积分器:每步一次计算</translation>
    </message>
    <message>
        <source>Spacing of noise levels</source>
        <translation>噪声级别的间隔</translation>
    </message>
    <message>
        <source>How the noise levels of the steps are spaced.</source>
        <translation>各步噪声级别的分布方式。</translation>
    </message>
    <message>
        <source>As the scheduler spaces them.</source>
        <translation>由调度器决定。</translation>
    </message>
    <message>
        <source>Dense at both ends: quantiles of the beta distribution with 0.6 and 0.6, shifted by flow_shift.</source>
        <translation>两端较密:参数为 0.6 和 0.6 的贝塔分布的分位数,再按 flow_shift 移动。</translation>
    </message>
    <message>
        <source>The same with 0.5 and 0.7, which gives more steps to low noise.</source>
        <translation>同上,参数为 0.5 和 0.7,低噪声处步数更多。</translation>
    </message>
    <message>
        <source>Two arc tangents that meet at half the noise after 0.6 of the steps; flow_shift has no effect.</source>
        <translation>两段反正切曲线,在 0.6 的步数处于一半噪声相接;flow_shift 不起作用。</translation>
    </message>
    <message>
        <source>EasyCache</source>
        <translation>EasyCache</translation>
    </message>
    <message>
        <source>Takes whole predictions over while the latents, by what the last steps showed, would change them little; needs no curve; approximate.</source>
        <translation>按最近几步判断潜变量对预测影响很小时,整步沿用预测;不需要曲线;近似。</translation>
    </message>
    <message>
        <source>EasyCache change</source>
        <translation>EasyCache 变化量</translation>
    </message>
    <message>
        <source>Change of the prediction, as a part of its size, that EasyCache may gather before a step is computed.</source>
        <translation>计算一步之前,EasyCache 可累积的预测变化(占其大小的比例)。</translation>
    </message>
    <message>
        <source>EasyCache begins at</source>
        <translation>EasyCache 开始于</translation>
    </message>
    <message>
        <source>Part of the noise, from the beginning, in which EasyCache computes every step.</source>
        <translation>从开始起,EasyCache 每步都计算的噪声部分。</translation>
    </message>
    <message>
        <source>EasyCache ends at</source>
        <translation>EasyCache 结束于</translation>
    </message>
    <message>
        <source>Part of the noise after which EasyCache computes every step again.</source>
        <translation>此后 EasyCache 重新每步都计算的噪声部分。</translation>
    </message>
    <message>
        <source>Context windows</source>
        <translation>上下文窗口</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>窗口</translation>
    </message>
    <message>
        <source>Frames that are denoised together, for clips longer than the model was trained with (Wan: 81): a multiple of 4, plus 1. 0 denoises all at once.</source>
        <translation>一起去噪的帧数，用于比模型训练长度（Wan：81）更长的片段：4 的倍数加 1。0 表示一次处理全部。</translation>
    </message>
    <message>
        <source>Overlap of windows</source>
        <translation>窗口重叠</translation>
    </message>
    <message>
        <source>Frames that neighbouring windows share; more of them join windows better and take longer.</source>
        <translation>相邻窗口共有的帧数；越多衔接越好，耗时也越长。</translation>
    </message>
    <message>
        <source>Windows of a step</source>
        <translation>每一步的窗口</translation>
    </message>
    <message>
        <source>Where the windows of each step lie.</source>
        <translation>每一步中窗口的位置。</translation>
    </message>
    <message>
        <source>the same windows in every step; the last one ends with the clip</source>
        <translation>每一步窗口相同；最后一个与片段同时结束</translation>
    </message>
    <message>
        <source>windows that begin elsewhere in each step, so that their borders blur</source>
        <translation>每一步从别处开始的窗口，使边界模糊</translation>
    </message>
    <message>
        <source>as uniform, with windows from the end into the beginning: for clips that are looped</source>
        <translation>同 uniform，并有从结尾延续到开头的窗口：用于循环片段</translation>
    </message>
    <message>
        <source>Levels of windows</source>
        <translation>窗口层级</translation>
    </message>
    <message>
        <source>1 denoises neighbouring frames together; 2 adds windows of every second frame, 3 of every fourth, as far as they fit into the clip. For uniform and looped windows.</source>
        <translation>1 将相邻帧一起去噪；2 再加入每隔一帧的窗口，3 再加入每四帧取一帧的窗口，以片段能容纳为限。用于 uniform 和 looped 窗口。</translation>
    </message>
    <message>
        <source>Fusing of windows</source>
        <translation>窗口融合</translation>
    </message>
    <message>
        <source>How predictions are weighed where windows overlap.</source>
        <translation>窗口重叠处预测的加权方式。</translation>
    </message>
    <message>
        <source>the middle of a window counts most</source>
        <translation>窗口中间权重最大</translation>
    </message>
    <message>
        <source>windows fade into each other over the overlap</source>
        <translation>窗口在重叠处逐渐过渡</translation>
    </message>
    <message>
        <source>the mean of all windows</source>
        <translation>所有窗口的平均</translation>
    </message>
    <message>
        <source>FreeNoise</source>
        <translation>FreeNoise</translation>
    </message>
    <message>
        <source>Frames behind the first window begin with the shuffled noise of earlier ones, which keeps the windows alike.</source>
        <translation>第一个窗口之后的帧以前面帧打乱后的噪声开始，使各窗口保持相似。</translation>
    </message>
    <message>
        <source>Keep the first image in sight</source>
        <translation>始终看到首图</translation>
    </message>
    <message>
        <source>Every window is given the first image in its first frame; image to video needs it, whose later windows would see no image.</source>
        <translation>每个窗口的第一帧都给出首图；图生视频需要它，否则后面的窗口看不到图像。</translation>
    </message>
    <message>
        <source>Write context_frames: 0 for segments, or leave out segment_frame_length for windows</source>
        <translation>分段请写 context_frames: 0，窗口则省略 segment_frame_length</translation>
    </message>
    <message>
        <source>{} ({}) makes a long clip in segments or through context windows, not both</source>
        <translation>{}（{}）以分段或上下文窗口制作长片段，不能两者并用</translation>
    </message>
    <message>
        <source>{} ({}) keeps the image in the first frame, which only the first context window has</source>
        <translation>{}（{}）把图像保持在第一帧，只有第一个上下文窗口拥有它</translation>
    </message>
    <message>
        <source>Write 0, and make the clip in parts</source>
        <translation>写 0，并分部分制作片段</translation>
    </message>
    <message>
        <source>{} ({}) sees the image in its first frame, and context windows behind the first one would see none</source>
        <translation>{}（{}）在第一帧看到图像，而其后的上下文窗口看不到</translation>
    </message>
    <message>
        <source>Write true, which shows each of them the image, or make the clip in parts</source>
        <translation>写 true 让每个窗口看到图像，或分部分制作片段</translation>
    </message>
    <message>
        <source>Seam of the loop: the last frame differs from the first by {} levels of 255, neighbouring frames by {} (median)</source>
        <translation>循环接缝：末帧与首帧相差 {}（共 255 级），相邻帧相差 {}（中位数）</translation>
    </message>
    <message>
        <source>A MagCache curve is measured on whole steps, and context windows make several passes of each</source>
        <translation>MagCache 曲线在完整步骤上测量，而上下文窗口使每步分为多遍</translation>
    </message>
    <message>
        <source>Measure with 0</source>
        <translation>用 0 测量</translation>
    </message>
    <message>
        <source>Set {} to {}</source>
        <translation>把 {} 设为 {}</translation>
    </message>
    <message>
        <source>No step lies between easycache_start {} and easycache_end {}</source>
        <translation>easycache_start {} 与 easycache_end {} 之间没有步骤</translation>
    </message>
    <message>
        <source>Begin earlier</source>
        <translation>请提早开始</translation>
    </message>
    <message>
        <source>{} is {}, and windows of {} frames share {} at most</source>
        <translation>{} 为 {}，而 {} 帧的窗口最多共有 {} 帧</translation>
    </message>
    <message>
        <source>the {} keeps what blocks add to the tokens of one pass, and context windows make several passes of a step</source>
        <translation>{} 保存各块为一遍计算的词元所加的内容，而上下文窗口使一步分为多遍</translation>
    </message>
    <message>
        <source>Write false, or use use_easycache, which keeps whole predictions</source>
        <translation>写 false，或使用保存整个预测的 use_easycache</translation>
    </message>
    <message>
        <source>the {} takes predictions over from step to step, and windows that are {} lie elsewhere in each</source>
        <translation>{} 逐步沿用预测，而 {} 窗口每步位置不同</translation>
    </message>
    <message>
        <source>Write context_schedule: static, or leave the cache out</source>
        <translation>写 context_schedule: static，或不用缓存</translation>
    </message>
    <message>
        <source>Set {} to {}, which needs no second pass</source>
        <translation>把 {} 设为 {},不需要第二次计算</translation>
    </message>
    <message>
        <source>{} has no effect without {}</source>
        <translation>没有 {1} 时 {0} 不起作用</translation>
    </message>
    <message>
        <source>Write what the video should not show</source>
        <translation>请写出视频不应出现的内容</translation>
    </message>
    <message>
        <source>There is no spacing of noise levels &quot;{}&quot;</source>
        <translation>没有名为“{}”的噪声级别间隔</translation>
    </message>
    <message>
        <source>The spacing {} is for flows, which the checkpoint&apos;s {} does not follow</source>
        <translation>间隔 {} 用于流模型,而检查点的 {} 不是流模型</translation>
    </message>
    <message>
        <source>Set it to {}, or choose another scheduler</source>
        <translation>设为 {},或选择其他调度器</translation>
    </message>
    <message>
        <source>Of {} noise levels {} would be left</source>
        <translation>{} 个噪声级别中只剩 {} 个</translation>
    </message>
    <message>
        <source>Remove them, or the key sigma_spacing</source>
        <translation>删除它们,或删除键 sigma_spacing</translation>
    </message>
    <message>
        <source>{} ({}) shows every context window the character by itself, and the first frame has a background of its own</source>
        <translation>{} ({}) 会自行让每个上下文窗口看到角色,而第一帧有自己的背景</translation>
    </message>
    <message>
        <source>EasyCache decides for one video, and the batch has several</source>
        <translation>EasyCache 只为一个视频做决定,而批次中有多个</translation>
    </message>
    <message>
        <source>End later</source>
        <translation>请推迟结束</translation>
    </message>
    <message>
        <source>{} has no effect: {} ({}) begins with no image</source>
        <translation>{} 不起作用：{}（{}）不以图像开始</translation>
    </message>
    <message>
        <source>{} has no effect: context windows have no segment before</source>
        <translation>{} 不起作用：上下文窗口之前没有分段</translation>
    </message>
    <message>
        <source>{} has no effect: windows that are {} leave no frames out between</source>
        <translation>{} 不起作用：{} 窗口不跳过中间的帧</translation>
    </message>
    <message>
        <source>A video that shows the pictures of `keyframes` at their frames, and may begin with `image` and end with `last_image`.</source>
        <translation>在各自的帧上显示 `keyframes` 图像的视频，也可以 `image` 开头、以 `last_image` 结尾。</translation>
    </message>
    <message>
        <source>Keyframes</source>
        <translation>关键帧</translation>
    </message>
    <message>
        <source>Pictures that the video shows at places of your choice: a list of {frame: 8, image: PATH}, with frames counted from 0, or seconds: 1.5 or percent: 50 in place of frame.</source>
        <translation>视频在所选位置显示的图像：{frame: 8, image: PATH} 的列表，帧从 0 数起，frame 也可换成 seconds: 1.5 或 percent: 50。</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Continue from</source>
        <translation>继续自</translation>
    </message>
    <message>
        <source>Run folder, video or folder of numbered pictures that this clip goes on from; its frames are resized to this video.</source>
        <translation>本片段所接续的运行文件夹、视频或编号图片文件夹；其帧会缩放到本视频的尺寸。</translation>
    </message>
    <message>
        <source>From frame</source>
        <translation>自第几帧</translation>
    </message>
    <message>
        <source>Frame of that clip after which this one goes on, counted from 0, or last.</source>
        <translation>从该片段的哪一帧之后继续，从 0 计数，或 last。</translation>
    </message>
    <message>
        <source>Shared frames</source>
        <translation>共用帧</translation>
    </message>
    <message>
        <source>What the video should show. [0:33%] … [33%:] … says it for a part of the time, in percent, seconds (2s, 0:02) or frames; words before the first mark hold all the time. With context windows, prompts parted by | follow each other.</source>
        <translation>视频应显示的内容。[0:33%] … [33%:] … 以百分比、秒（2s、0:02）或帧指定一段时间的内容；第一个标记之前的文字始终有效。使用上下文窗口时，由 | 分开的提示词依次相接。</translation>
    </message>
    <message>
        <source>Softness of timed parts</source>
        <translation>时间部分的柔和度</translation>
    </message>
    <message>
        <source>How softly the parts of a timed prompt, [0:33%] … [33%:] …, pass into each other: the larger, the more of a part is seen before and after its time.</source>
        <translation>带时间的提示词 [0:33%] … [33%:] … 各部分彼此过渡的柔和程度：越大，一个部分在其时间前后显示得越多。</translation>
    </message>
    <message>
        <source>Keyframes to video</source>
        <translation>关键帧生成视频</translation>
    </message>
    <message>
        <source>{} of the {} texts that | parts are seen in none of the {} context windows</source>
        <translation>由 | 分开的 {1} 段文字中有 {0} 段不在 {2} 个上下文窗口的任何一个中</translation>
    </message>
    <message>
        <source>Write fewer texts, or make shorter windows with more of them</source>
        <translation>减少文字段数，或使用更短、更多的窗口</translation>
    </message>
    <message>
        <source>{} ({}) shows every context window the first frame, and no picture is given there</source>
        <translation>{}（{}）让每个上下文窗口看到第一帧，而那里没有给出图像</translation>
    </message>
    <message>
        <source>Write 0, or give a picture at frame 0</source>
        <translation>请写 0，或在第 0 帧给出图像</translation>
    </message>
    <message>
        <source>keyframe {}</source>
        <translation>关键帧 {}</translation>
    </message>
    <message>
        <source>{} (frame {}) and {} (frame {}) are in the same latent frame, which holds one picture</source>
        <translation>{}（第 {} 帧）和 {}（第 {} 帧）在同一个潜变量帧中，而它只容纳一张图像</translation>
    </message>
    <message>
        <source>Move one of them by {} frames or more, or remove it</source>
        <translation>请把其中一个移动 {} 帧以上，或删除它</translation>
    </message>
    <message>
        <source>{} stands between the first and the last frame, for which this model needs {} frames at least</source>
        <translation>{} 位于第一帧和最后一帧之间，为此该模型至少需要 {} 帧</translation>
    </message>
    <message>
        <source>{} stands at frame {} in place of {}: between the ends this model takes pictures at the last frame of a latent only</source>
        <translation>{} 放在第 {} 帧而不是第 {} 帧：在两端之间，该模型只接受位于潜变量帧最后一帧的图像</translation>
    </message>
    <message>
        <source>Write frame: {}</source>
        <translation>请写 frame: {}</translation>
    </message>
    <message>
        <source>The model ({}) looks at two pictures, and there is one</source>
        <translation>模型（{}）要看两张图像，而只有一张</translation>
    </message>
    <message>
        <source>Name another keyframe, image or last_image</source>
        <translation>请再指定一个关键帧、image 或 last_image</translation>
    </message>
    <message>
        <source>part {} of {}</source>
        <translation>{1} 的第 {0} 部分</translation>
    </message>
    <message>
        <source>Write task: vace, which takes keyframes</source>
        <translation>请写 task: vace，它接受关键帧</translation>
    </message>
    <message>
        <source>{} and {} both say how the video begins</source>
        <translation>{} 和 {} 都规定视频如何开始</translation>
    </message>
    <message>
        <source>Leave out one of them</source>
        <translation>去掉其中一个</translation>
    </message>
    <message>
        <source>{} shows a picture in the first {} frames, which are of the clip before</source>
        <translation>{} 在最初 {} 帧中放了图片，而这些帧属于前一片段</translation>
    </message>
    <message>
        <source>a clip that continues another one does not end where it begins, and windows that are {} make it do so</source>
        <translation>接续其他片段的片段不会回到开头，而 {} 窗口会使其如此</translation>
    </message>
    <message>
        <source>Write static</source>
        <translation>写 static</translation>
    </message>
    <message>
        <source>the video has {} frames, and {} of them are the last of the clip before</source>
        <translation>视频有 {} 帧，其中 {} 帧是前一片段的最后几帧</translation>
    </message>
    <message>
        <source>Take fewer, or make a longer video</source>
        <translation>取更少的帧，或制作更长的视频</translation>
    </message>
    <message>
        <source>Make a longer video</source>
        <translation>制作更长的视频</translation>
    </message>
    <message>
        <source>{} is one of a pair, and the other expert has none</source>
        <translation>{} 是一对中的一个，而另一个专家没有</translation>
    </message>
    <message>
        <source>Name both in lora, that of the high and that of the low noise</source>
        <translation>在 lora 中写出高噪声和低噪声的两个</translation>
    </message>
    <message>
        <source>{} has no effect: a chain of Stable Video Infinity shares {} frames</source>
        <translation>{} 无效：Stable Video Infinity 的链共用 {} 帧</translation>
    </message>
    <message>
        <source>the shot {} has no video</source>
        <translation>镜头 {} 没有视频</translation>
    </message>
    <message>
        <source>Remove its folder, and make the film again</source>
        <translation>删除其文件夹并重新制作影片</translation>
    </message>
    <message>
        <source>the folder of the film cannot be made ({})</source>
        <translation>无法创建影片的文件夹（{}）</translation>
    </message>
    <message>
        <source>another program makes a film in this folder</source>
        <translation>另一个程序正在此文件夹中制作影片</translation>
    </message>
    <message>
        <source>Wait until it is done, or choose another folder for it</source>
        <translation>等它完成，或为它选择另一个文件夹</translation>
    </message>
    <message>
        <source>Shot {} of {}, {}: is there</source>
        <translation>镜头 {}/{}，{}：已存在</translation>
    </message>
    <message>
        <source>Shot {} of {}, {}</source>
        <translation>镜头 {}/{}，{}</translation>
    </message>
    <message>
        <source>The pictures were encoded once more: {}</source>
        <translation>图片被再次编码：{}</translation>
    </message>
    <message>
        <source>The film has no sound: that of the shots is left out</source>
        <translation>影片没有声音：镜头的声音被略去</translation>
    </message>
    <message>
        <source>shot {}: {}</source>
        <translation>镜头 {}：{}</translation>
    </message>
    <message>
        <source>there is no plan for it</source>
        <translation>没有它的计划</translation>
    </message>
    <message>
        <source>Make its model available first</source>
        <translation>先准备好它的模型</translation>
    </message>
    <message>
        <source>a shot is no map of keys</source>
        <translation>镜头不是键的映射</translation>
    </message>
    <message>
        <source>Write - prompt: ..., and further keys below it</source>
        <translation>写 - prompt: ...，其他键写在下面</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is no name of a shot</source>
        <translation>“{}”不是镜头的名称</translation>
    </message>
    <message>
        <source>Write letters, digits, &apos;-&apos;, &apos;_&apos; and &apos;.&apos;; it names a folder</source>
        <translation>写字母、数字、&apos;-&apos;、&apos;_&apos; 和 &apos;.&apos;；它是文件夹名</translation>
    </message>
    <message>
        <source>two shots are called {}</source>
        <translation>两个镜头都叫 {}</translation>
    </message>
    <message>
        <source>the first shot has none to continue</source>
        <translation>第一个镜头没有可接续的镜头</translation>
    </message>
    <message>
        <source>there is no earlier shot called &quot;{}&quot;</source>
        <translation>没有名为“{}”的更早镜头</translation>
    </message>
    <message>
        <source>Write continue: true for the shot before, the name of an earlier one, or continue_from: PATH for another clip</source>
        <translation>前一镜头写 continue: true，或写更早镜头的名称，或用 continue_from: 路径 指定其他片段</translation>
    </message>
    <message>
        <source>seconds is &quot;{}&quot;</source>
        <translation>seconds 是“{}”</translation>
    </message>
    <message>
        <source>Write how long the shot lasts, more than 0 and at most {}</source>
        <translation>写镜头的时长，大于 0 且不超过 {}</translation>
    </message>
    <message>
        <source>seconds and num_frames both say how long the shot is</source>
        <translation>seconds 和 num_frames 都规定镜头的长度</translation>
    </message>
    <message>
        <source>continue and continue_from both say what the shot continues</source>
        <translation>continue 和 continue_from 都规定镜头接续什么</translation>
    </message>
    <message>
        <source>a storyboard has a list of shots</source>
        <translation>故事板有一个镜头列表</translation>
    </message>
    <message>
        <source>Write shots: and below it - prompt: ... for each</source>
        <translation>写 shots:，下面为每个镜头写 - prompt: ...</translation>
    </message>
    <message>
        <source>shots is no list of 1 to {} shots</source>
        <translation>shots 不是 1 到 {} 个镜头的列表</translation>
    </message>
    <message>
        <source>Write - prompt: ... for each shot</source>
        <translation>为每个镜头写 - prompt: ...</translation>
    </message>
    <message>
        <source>this run has no video yet</source>
        <translation>此运行还没有视频</translation>
    </message>
    <message>
        <source>Finish it first, or name a run that is done</source>
        <translation>先完成它，或指定已完成的运行</translation>
    </message>
    <message>
        <source>this folder was replaced while it was read</source>
        <translation>此文件夹在读取时被替换</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>请重试</translation>
    </message>
    <message>
        <source>Make this part again</source>
        <translation>重新制作这一部分</translation>
    </message>
    <message>
        <source>frames that two parts share are left out</source>
        <translation>两部分共用的帧被略去</translation>
    </message>
    <message>
        <source>{} keeps all pictures in one piece</source>
        <translation>{} 将所有图片作为一体</translation>
    </message>
    <message>
        <source>{} is of another format</source>
        <translation>{} 是另一种格式</translation>
    </message>
    <message>
        <source>{} was encoded otherwise than the first part</source>
        <translation>{} 的编码与第一部分不同</translation>
    </message>
    <message>
        <source>{} has another rate than the first part</source>
        <translation>{} 的帧率与第一部分不同</translation>
    </message>
    <message>
        <source>Seam: the first new frame differs from the last one of the clip before by {} levels of 255, neighbouring frames by {} (median); {} frames are of the clip before</source>
        <translation>接缝：第一个新帧与前一片段最后一帧相差 255 级中的 {}，相邻帧相差 {}（中位数）；{} 帧属于前一片段</translation>
    </message>
    <message>
        <source>the clip ends at frame {}, and frame {} is taken</source>
        <translation>片段止于第 {} 帧，而要取第 {} 帧</translation>
    </message>
    <message>
        <source>Give a continue_at before its end, or write the clip again</source>
        <translation>给出其结尾之前的 continue_at，或重写片段</translation>
    </message>
    <message>
        <source>To keep the speed of the motion, set fps: {}</source>
        <translation>要保持运动速度，请设 fps: {}</translation>
    </message>
    <message>
        <source>{}: {}: its frames of {} x {} are resized to {} x {}</source>
        <translation>{}：{}：其 {} x {} 的帧缩放为 {} x {}</translation>
    </message>
    <message>
        <source>To take them as they are, set width and height to those of the clip</source>
        <translation>要原样使用，请把宽高设为片段的宽高</translation>
    </message>
    <message>
        <source>{} is &quot;{}&quot;, which is no frame of a clip</source>
        <translation>{} 是“{}”，不是片段的帧</translation>
    </message>
    <message>
        <source>Write the number of a frame, counted from 0, or {}</source>
        <translation>写从 0 计数的帧号，或 {}</translation>
    </message>
    <message>
        <source>{} is {}, and the clip has {} frames, 0 to {}</source>
        <translation>{} 是 {}，而片段有 {} 帧，0 到 {}</translation>
    </message>
    <message>
        <source>Write the number of one of them, or {}</source>
        <translation>写其中一帧的编号，或 {}</translation>
    </message>
    <message>
        <source>the clip before gives {} frames up to frame {}, and {} are taken</source>
        <translation>前一片段有 {} 帧（到第 {} 帧为止），而要取 {} 帧</translation>
    </message>
    <message>
        <source>Take fewer, go on from a later frame, or from a longer clip</source>
        <translation>取更少的帧，或从更后的帧、更长的片段继续</translation>
    </message>
    <message>
        <source>Write {{frame: 8, image: PATH}}, or seconds or percent in place of frame</source>
        <translation>请写 {{frame: 8, image: PATH}}，frame 也可换成 seconds 或 percent</translation>
    </message>
    <message>
        <source>A keyframe&apos;s {} is not one value</source>
        <translation>关键帧的 {} 不是单个值</translation>
    </message>
    <message>
        <source>A keyframe&apos;s {} cannot be {}</source>
        <translation>关键帧的 {} 不能是 {}</translation>
    </message>
    <message>
        <source>Write a number from 0 to {}</source>
        <translation>请写 0 到 {} 之间的数</translation>
    </message>
    <message>
        <source>A keyframe&apos;s frame {} is not a whole number</source>
        <translation>关键帧的帧号 {} 不是整数</translation>
    </message>
    <message>
        <source>Write {}, or a place in seconds or percent</source>
        <translation>请写 {}，或用秒或百分比表示位置</translation>
    </message>
    <message>
        <source>A keyframe is not a map</source>
        <translation>关键帧不是映射</translation>
    </message>
    <message>
        <source>A keyframe has no &quot;{:.80}&quot;</source>
        <translation>关键帧没有“{:.80}”</translation>
    </message>
    <message>
        <source>Its keys are image and one of frame, seconds and percent</source>
        <translation>它的键是 image，以及 frame、seconds、percent 之一</translation>
    </message>
    <message>
        <source>A keyframe has both {} and {}</source>
        <translation>关键帧同时有 {} 和 {}</translation>
    </message>
    <message>
        <source>Leave one of them</source>
        <translation>只保留其中一个</translation>
    </message>
    <message>
        <source>A keyframe has no image</source>
        <translation>关键帧没有图像</translation>
    </message>
    <message>
        <source>A keyframe has no place</source>
        <translation>关键帧没有位置</translation>
    </message>
    <message>
        <source>Keyframe {} ({}) is at frame {}, and the last of {} frames is {}</source>
        <translation>关键帧 {}（{}）在第 {} 帧，而 {} 帧中的最后一帧是 {}</translation>
    </message>
    <message>
        <source>Move it to frame {} or before, or make num_frames {}</source>
        <translation>请移到第 {} 帧或之前，或把 num_frames 设为 {}</translation>
    </message>
    <message>
        <source>Keyframe {} ({}) is at frame {}, where {} is already</source>
        <translation>关键帧 {}（{}）在第 {} 帧，而那里已有 {}</translation>
    </message>
    <message>
        <source>Move it to another frame, or remove one of them</source>
        <translation>请移到另一帧，或删除其中一个</translation>
    </message>
    <message>
        <source>&quot;{}&quot; of {} is &quot;{}&quot; here</source>
        <translation>{1} 的 &quot;{0}&quot; 在这里是 &quot;{2}&quot;</translation>
    </message>
    <message>
        <source>&quot;{}&quot; of {} is &quot;{}&quot; here, with sigma_spacing: {}</source>
        <translation>{1} 的 &quot;{0}&quot; 在这里是 &quot;{2}&quot;，并设 sigma_spacing: {3}</translation>
    </message>
    <message>
        <source>Write [{{frame: 8, image: PATH}}]</source>
        <translation>请写 [{{frame: 8, image: PATH}}]</translation>
    </message>
    <message>
        <source>context windows, of each video and of each half of guidance</source>
        <translation>每个视频、每一半引导的上下文窗口</translation>
    </message>
    <message>
        <source>{} is {}, which is not a multiple of {} plus 1</source>
        <translation>{} 是 {}，不是 {} 的倍数加 1</translation>
    </message>
    <message>
        <source>{} is no time, and taken as words of the prompt</source>
        <translation>{} 不是时间，将作为提示词的文字</translation>
    </message>
    <message>
        <source>Write two bounds of one unit: [0:33%], [2s:0:04] or [1:17]; or other brackets for words</source>
        <translation>写两个同单位的边界：[0:33%]、[2s:0:04] 或 [1:17]；文字请用其他括号</translation>
    </message>
    <message>
        <source>{} has no words behind it</source>
        <translation>{} 后面没有文字</translation>
    </message>
    <message>
        <source>Write what the video should show then, or remove it</source>
        <translation>写出视频那时应显示的内容，或将其移除</translation>
    </message>
    <message>
        <source>{} ends before it begins</source>
        <translation>{} 在开始之前就结束了</translation>
    </message>
    <message>
        <source>Write the earlier bound first; other brackets if it is no time</source>
        <translation>请先写较早的边界；如果不是时间，请使用其他括号</translation>
    </message>
    <message>
        <source>{} begins when the video is over, at {}</source>
        <translation>{} 在视频结束（{}）之后才开始</translation>
    </message>
    <message>
        <source>Begin it earlier, or make the video longer</source>
        <translation>让它更早开始，或把视频做得更长</translation>
    </message>
    <message>
        <source>{} goes on when the video is over, at {}</source>
        <translation>{} 在视频结束（{}）后仍在继续</translation>
    </message>
    <message>
        <source>Leave its end out, or make the video longer</source>
        <translation>省略其终点，或把视频做得更长</translation>
    </message>
    <message>
        <source>one context window holds the whole video, which is given all that | parts as one prompt</source>
        <translation>一个上下文窗口容纳整个视频，| 分开的全部内容会作为一个提示词</translation>
    </message>
    <message>
        <source>Write [0:50%] … [50%:] … instead, or make the video longer</source>
        <translation>改写为 [0:50%] … [50%:] …，或把视频做得更长</translation>
    </message>
    <message>
        <source>the prompt has parts by time and parts for context windows by |</source>
        <translation>提示词既有按时间的部分，又有用 | 分给上下文窗口的部分</translation>
    </message>
    <message>
        <source>Write all of them with times, which hold in context windows too</source>
        <translation>请全部用时间书写，时间在上下文窗口中同样有效</translation>
    </message>
    <message>
        <source>part {} of the prompt, parted by |, has no words</source>
        <translation>由 | 分开的提示词第 {} 部分没有文字</translation>
    </message>
    <message>
        <source>Write what the video should show then, or remove its |</source>
        <translation>写出视频那时应显示的内容，或移除该 |</translation>
    </message>
    <message>
        <source>{} has no effect: the prompt has no times such as [0:33%]</source>
        <translation>{} 无效：提示词没有 [0:33%] 这样的时间</translation>
    </message>
    <message>
        <source>The case hides frames in front of the video, which Meshreel never does</source>
        <translation>该案例隐藏了视频前面的帧，而 Meshreel 从不这样做</translation>
    </message>
    <message>
        <source>the film passes over only into a shot that goes on from the end of the one before, and continue_at is {}</source>
        <translation>影片只能过渡到从前一镜头结尾继续的镜头，而 continue_at 为 {}</translation>
    </message>
    <message>
        <source>Leave out blend, or continue_at</source>
        <translation>去掉 blend 或 continue_at</translation>
    </message>
    <message>
        <source>blend is &quot;{}&quot;</source>
        <translation>blend 是 &quot;{}&quot;</translation>
    </message>
    <message>
        <source>Write how many frames pass over, 0 to {}</source>
        <translation>写出过渡的帧数，0 到 {}</translation>
    </message>
    <message>
        <source>the film passes over only into a shot that continues the one right before it</source>
        <translation>影片只会过渡到紧接前一镜头的镜头</translation>
    </message>
    <message>
        <source>Leave out blend, or write continue: true</source>
        <translation>去掉 blend，或写 continue: true</translation>
    </message>
    <message>
        <source>To resume it: meshreel run --resume {}, with the same --hosts</source>
        <translation>要续跑：meshreel run --resume {}，并使用相同的 --hosts</translation>
    </message>
    <message>
        <source>The seam with the clip before is not measured: {}</source>
        <translation>未测量与前一片段的接缝：{}</translation>
    </message>
    <message>
        <source>Go on from a later frame, or from a longer clip</source>
        <translation>从更靠后的帧或更长的片段继续</translation>
    </message>
    <message>
        <source>Choose a new folder, or resume the run in it with --resume</source>
        <translation>请选择新的文件夹，或用 --resume 续跑其中的运行</translation>
    </message>
    <message>
        <source>the run was ended before it began: there is nothing to resume</source>
        <translation>运行在开始之前就已结束：没有可续跑的内容</translation>
    </message>
    <message>
        <source>Resume the run first (meshreel run --resume)</source>
        <translation>请先续跑该运行（meshreel run --resume）</translation>
    </message>
    <message>
        <source>To resume it: meshreel run --resume {}</source>
        <translation>要续跑：meshreel run --resume {}</translation>
    </message>
    <message>
        <source>Resume it there, or allow a different machine (--allow-different-machine): the result may then differ in its last bits</source>
        <translation>请在那里续跑，或允许不同的机器（--allow-different-machine）：此时结果的末位可能不同</translation>
    </message>
    <message>
        <source>Resume one with meshreel run --resume</source>
        <translation>请用 meshreel run --resume 续跑其中之一</translation>
    </message>
    <message>
        <source>Frames of that clip, up to this one, that the new clip begins with: a multiple of 4, plus 1. 0 takes what suits the task, as far as 4 frames are new: 1 for image to video, tracks and keyframes; 5 for VACE; 13 for text, subjects and video to video; as many as segments share for an animation.</source>
        <translation>新片段开头所用的该片段（到此帧为止）的帧数：4 的倍数加 1。0 取适合任务的数量，且至少有 4 帧是新的：图生视频、轨迹和关键帧为 1；VACE 为 5；文本、主体和视频生视频为 13；动画为各分段共享的帧数。</translation>
    </message>
    <message>
        <source>Put it at frame {} or later, or remove it</source>
        <translation>放在第 {} 帧或更后，或将其移除</translation>
    </message>
    <message>
        <source>an animation goes on from {} frames of the clip before at most, and {} are asked for</source>
        <translation>动画最多从前一片段的 {} 帧继续，而要求的是 {} 帧</translation>
    </message>
    <message>
        <source>Take fewer</source>
        <translation>取更少的帧</translation>
    </message>
    <message>
        <source>NVIDIA&apos;s driver cannot be loaded ({})</source>
        <translation>无法加载 NVIDIA 驱动程序（{}）</translation>
    </message>
    <message>
        <source>Install the driver&apos;s library, in Debian the package libcuda1</source>
        <translation>请安装驱动程序的库，在 Debian 中是软件包 libcuda1</translation>
    </message>
    <message>
        <source>NVIDIA&apos;s driver has no function {}</source>
        <translation>NVIDIA 驱动程序没有函数 {}</translation>
    </message>
    <message>
        <source>Install a newer driver</source>
        <translation>请安装更新的驱动程序</translation>
    </message>
    <message>
        <source>NVIDIA&apos;s driver failed in {}: {}</source>
        <translation>NVIDIA 驱动程序在 {} 中失败：{}</translation>
    </message>
    <message>
        <source>NVIDIA&apos;s driver has {} cards, and card {} is asked for</source>
        <translation>NVIDIA 驱动程序有 {} 张卡，而要求的是第 {} 张</translation>
    </message>
    <message>
        <source>NVIDIA&apos;s driver refuses the kernel {}: {}</source>
        <translation>NVIDIA 驱动程序拒绝内核 {}：{}</translation>
    </message>
    <message>
        <source>Update the GPU driver, or let Vulkan&apos;s shaders compute</source>
        <translation>请更新 GPU 驱动程序，或让 Vulkan 的着色器计算</translation>
    </message>
    <message>
        <source>These times are of another CPU: {}</source>
        <translation>这些时间来自另一款 CPU：{}</translation>
    </message>
    <message>
        <source>No row of this measurement tells the seconds of its rounds</source>
        <translation>这次测量没有任何一行给出各轮的秒数</translation>
    </message>
    <message>
        <source>it is no JSON object</source>
        <translation>它不是 JSON 对象</translation>
    </message>
    <message>
        <source>a later version of Meshreel wrote it</source>
        <translation>它由更新版本的 Meshreel 写入</translation>
    </message>
    <message>
        <source>{} ms, spread {} %</source>
        <translation>{} ms，离散 {} %</translation>
    </message>
    <message>
        <source>{} s, spread {} %</source>
        <translation>{} 秒，离散 {} %</translation>
    </message>
    <message>
        <source>Faster: {} to {} % less time</source>
        <translation>更快：时间减少 {} 至 {} %</translation>
    </message>
    <message>
        <source>Slower: {} to {} % more time</source>
        <translation>更慢：时间增加 {} 至 {} %</translation>
    </message>
    <message>
        <source>Within the noise: repeat {} times</source>
        <translation>在波动之内：重复 {} 次</translation>
    </message>
    <message>
        <source>Within the noise: {} repeats would hardly tell</source>
        <translation>在波动之内：重复 {} 次也很难分辨</translation>
    </message>
    <message>
        <source>Too few times to tell: repeat {} times</source>
        <translation>次数太少，无法判断：重复 {} 次</translation>
    </message>
    <message>
        <source>No verdict: the ranges overlap</source>
        <translation>无结论：范围重叠</translation>
    </message>
    <message>
        <source>Measure on this machine first</source>
        <translation>请先在这台机器上测量</translation>
    </message>
    <message>
        <source>Measure with this version first</source>
        <translation>请先用这个版本测量</translation>
    </message>
    <message>
        <source>The notes cannot be removed ({})</source>
        <translation>无法删除备注（{}）</translation>
    </message>
    <message>
        <source>an event ends before it begins</source>
        <translation>有事件在开始之前就结束</translation>
    </message>
    <message>
        <source>{} videos could not be copied. The first of them: {}</source>
        <translation>{} 个视频无法复制。其中第一个：{}</translation>
    </message>
    <message>
        <source>More than {} spans of one device or thread overlap in this trace: no run writes such a one</source>
        <translation>此轨迹中同一设备或线程有超过 {} 个区间相互重叠：运行不会写出这样的轨迹</translation>
    </message>
    <message>
        <source>the model&apos;s own</source>
        <translation>模型自带</translation>
    </message>
    <message>
        <source>a linear map</source>
        <translation>线性映射</translation>
    </message>
    <message>
        <source>automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>random</source>
        <translation>随机</translation>
    </message>
    <message>
        <source>as spaced</source>
        <translation>按间隔</translation>
    </message>
    <message>
        <source>as published</source>
        <translation>按发布值</translation>
    </message>
    <message>
        <source>all at once</source>
        <translation>一次全部</translation>
    </message>
    <message>
        <source>this machine</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>无限制</translation>
    </message>
    <message>
        <source>all</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>all in memory</source>
        <translation>全部在内存</translation>
    </message>
    <message>
        <source>the file&apos;s name</source>
        <translation>文件名</translation>
    </message>
    <message>
        <source>How often each setting is preferred, by votes, against its seconds of inference</source>
        <translation>按投票统计的各设置被偏好的比例，对照其推理秒数</translation>
    </message>
    <message>
        <source>Flicker</source>
        <translation>闪烁</translation>
    </message>
    <message>
        <source>How far a pixel&apos;s brightness is from the mean of the frames before and after it, in levels of 255: the median over the picture. What moves does not count while it covers less than half of it.</source>
        <translation>像素亮度与前后帧平均值的差距（255 级），取整个画面的中位数。运动物体只要不足画面一半就不计入。</translation>
    </message>
    <message>
        <source>Sharpness</source>
        <translation>清晰度</translation>
    </message>
    <message>
        <source>How much neighbouring pixels differ, in levels of 255: the standard deviation of the Laplacian of the brightness. More is sharper, but noise counts as detail, too; compare videos of one scene.</source>
        <translation>相邻像素的差异大小（255 级）：亮度拉普拉斯值的标准差。越大越清晰，但噪声也算细节；请比较同一场景的视频。</translation>
    </message>
    <message>
        <source>PSNR in dB</source>
        <translation>PSNR（dB）</translation>
    </message>
    <message>
        <source>How near the pixels are to those of the baseline with the same scene and seed: 20 is another picture, 40 hardly to be told apart. Equal videos count as 100.</source>
        <translation>与相同场景和种子的基准在像素上的接近程度：20 是另一幅画面，40 几乎无法分辨。相同的视频计为 100。</translation>
    </message>
    <message>
        <source>SSIM</source>
        <translation>SSIM</translation>
    </message>
    <message>
        <source>How near the structure is to that of the baseline with the same scene and seed: 1 for equal videos. Near is not better: it says how much a setting changes.</source>
        <translation>与相同场景和种子的基准在结构上的接近程度：相同视频为 1。接近并不等于更好：它表示设置改变了多少。</translation>
    </message>
    <message>
        <source>there is no shot {}</source>
        <translation>没有镜头 {}</translation>
    </message>
    <message>
        <source>Name one of the shots</source>
        <translation>请指定其中一个镜头</translation>
    </message>
    <message>
        <source>a film has at least one shot</source>
        <translation>影片至少有一个镜头</translation>
    </message>
    <message>
        <source>Add another shot first</source>
        <translation>请先添加另一个镜头</translation>
    </message>
    <message>
        <source>{} refuses the kernel {}: {}</source>
        <translation>{} 拒绝内核 {}：{}</translation>
    </message>
    <message>
        <source>Update the GPU driver; Vulkan&apos;s shaders compute meanwhile</source>
        <translation>请更新 GPU 驱动程序；在此之前由 Vulkan 着色器计算</translation>
    </message>
    <message>
        <source>the GPU driver has no function {}</source>
        <translation>GPU 驱动程序没有函数 {}</translation>
    </message>
    <message>
        <source>its compute capability is {}.{}, and {}.0 is needed</source>
        <translation>其计算能力为 {}.{}，需要 {}.0</translation>
    </message>
    <message>
        <source>Vulkan&apos;s error {}, although libcuda.so.1 takes its text</source>
        <translation>Vulkan 错误 {}，但 libcuda.so.1 接受该文本</translation>
    </message>
    <message>
        <source>its first use did not end within {} s</source>
        <translation>首次使用未在 {} 秒内结束</translation>
    </message>
    <message>
        <source>its first use crashed (signal {})</source>
        <translation>首次使用时崩溃（信号 {}）</translation>
    </message>
    <message>
        <source>its first use crashed (signal {}): {}</source>
        <translation>首次使用时崩溃（信号 {}）：{}</translation>
    </message>
    <message>
        <source>it ended the program that tried it (exit code {})</source>
        <translation>它使尝试它的程序结束（退出码 {}）</translation>
    </message>
    <message>
        <source>no kernel is called {}</source>
        <translation>没有名为 {} 的内核</translation>
    </message>
    <message>
        <source>{} {} is faster: {:.3g} against {:.3g} TFLOP/s</source>
        <translation>{} {} 更快：{:.3g} 对 {:.3g} TFLOP/s</translation>
    </message>
    <message>
        <source>{} does not compute the kernel &quot;{}&quot; in the form {}; another form does: {}</source>
        <translation>{} 不计算内核“{}”的形式 {}；由另一种形式计算：{}</translation>
    </message>
    <message>
        <source>fits, streamed</source>
        <translation>可运行，从磁盘读取</translation>
    </message>
    <message>
        <source>needs {}</source>
        <translation>需要 {}</translation>
    </message>
    <message>
        <source>disk too small</source>
        <translation>磁盘空间不足</translation>
    </message>
    <message>
        <source>Rating compares the videos of two runs or more</source>
        <translation>评分需要比较两个或更多运行的视频</translation>
    </message>
    <message>
        <source>Choose further finished runs</source>
        <translation>请再选择已完成的运行</translation>
    </message>
    <message>
        <source>These runs differ in no setting that changes their pictures, except the seed</source>
        <translation>除种子外，这些运行没有会改变画面的不同设置</translation>
    </message>
    <message>
        <source>Choose runs of other settings, such as steps, scheduler or model</source>
        <translation>请选择其他设置的运行，例如步数、调度器或模型</translation>
    </message>
    <message>
        <source>These runs have {} settings, and {} can be rated at once</source>
        <translation>这些运行有 {} 种设置，一次最多可评 {} 种</translation>
    </message>
    <message>
        <source>Choose fewer runs</source>
        <translation>请少选一些运行</translation>
    </message>
    <message>
        <source>These settings are {} groups that nobody has compared with one another: shares and places count within a group</source>
        <translation>这些设置分为 {} 组，组间无人比较过：比例和名次仅在组内有效</translation>
    </message>
    <message>
        <source>The votes cannot be read: {}</source>
        <translation>无法读取投票：{}</translation>
    </message>
    <message>
        <source>it has no version</source>
        <translation>没有版本号</translation>
    </message>
    <message>
        <source>&quot;votes&quot; is no list</source>
        <translation>“votes”不是列表</translation>
    </message>
    <message>
        <source>no side is called &quot;{}&quot;</source>
        <translation>没有名为“{}”的一侧</translation>
    </message>
    <message>
        <source>Another program is writing votes, and does not end</source>
        <translation>另一个程序正在写入投票，且迟迟不结束</translation>
    </message>
    <message>
        <source>Vote again when it is done</source>
        <translation>待其完成后请重新投票</translation>
    </message>
    <message>
        <source>This run has no video</source>
        <translation>此运行没有视频</translation>
    </message>
    <message>
        <source>Resume it, or choose another one</source>
        <translation>请继续它，或选择另一个</translation>
    </message>
    <message>
        <source>Nobody has voted on the videos of these runs</source>
        <translation>还没有人为这些运行的视频投票</translation>
    </message>
    <message>
        <source>Compare them in pairs with Rate, in the Studio</source>
        <translation>请在 Studio 中用“评分”成对比较</translation>
    </message>
    <message>
        <source>None of these runs is finished: their seconds are not known</source>
        <translation>这些运行都没有完成：秒数未知</translation>
    </message>
    <message>
        <source>Resume the runs</source>
        <translation>请继续这些运行</translation>
    </message>
    <message>
        <source>Install the program again, or put it into PATH</source>
        <translation>请重新安装该程序，或将其加入 PATH</translation>
    </message>
    <message>
        <source>its first use was ended from outside (signal {})</source>
        <translation>首次使用被外部终止（信号 {}）</translation>
    </message>
    <message>
        <source>the rest</source>
        <translation>其余</translation>
    </message>
    <message>
        <source>A video that begins with `image`, of which points are carried along `tracks`.</source>
        <translation>以 `image` 开头、其中的点沿 `tracks` 被带动的视频。</translation>
    </message>
    <message>
        <source>`video` changed as the prompt says, or a video of what `reference_images` show, or both in one.</source>
        <translation>按提示词修改的 `video`，或 `reference_images` 所示内容的视频，或两者合一。</translation>
    </message>
    <message>
        <source>A video that moves as the control `video` does (depth, edges, poses), and may begin with `image` and show what `reference_images` does.</source>
        <translation>按控制视频 `video`（深度、边缘、姿态）运动的视频；可以从 `image` 开始，并展示 `reference_images` 中的内容。</translation>
    </message>
    <message>
        <source>Video, picture or drawing that is white where VACE makes something new, or Animate puts the character, and black where the video stays; VACE makes all new without it.</source>
        <translation>视频、图片或绘图：白色处由 VACE 生成新内容或由 Animate 放入角色，黑色处保留原视频；没有遮罩时 VACE 全部重新生成。</translation>
    </message>
    <message>
        <source>Picture files, separated by commas, of what VACE, Phantom, Bernini-R or Fun Control should show; Phantom takes one to four, each of one subject, and Fun Control one.</source>
        <translation>图片文件，以逗号分隔，表示 VACE、Phantom、Bernini-R 或 Fun Control 应呈现的内容；Phantom 接受一到四张，每张一个主体，Fun Control 接受一张。</translation>
    </message>
    <message>
        <source>Size of references</source>
        <translation>参考图尺寸</translation>
    </message>
    <message>
        <source>Bernini-R sees reference_images in their own shape: larger ones are shrunk until their longer side is this long. Fewer pixels are fewer tokens in each step.</source>
        <translation>Bernini-R 按 reference_images 各自的形状查看它们：较大的图片会缩小到长边为此长度。像素越少，每步的词元越少。</translation>
    </message>
    <message>
        <source>File of the tracks along which ATI and Wan-Move move points of image: a drawing of the Studio; JSON, a list of tracks, each a list of {&quot;x&quot;: 416, &quot;y&quot;: 240} in pixels of the video, as ComfyUI&apos;s spline editors write it; or NumPy&apos;s .npy of [points, tracks, 2]. For ATI 121 points span the video, for Wan-Move each point is a frame&apos;s; a track of fewer ends earlier.</source>
        <translation>ATI 和 Wan-Move 移动 image 中各点所沿轨迹的文件：Studio 的绘图；JSON，即轨迹列表，每条轨迹是以视频像素表示的 {&quot;x&quot;: 416, &quot;y&quot;: 240} 列表，与 ComfyUI 样条编辑器所写相同；或 [点, 轨迹, 2] 的 NumPy .npy。对 ATI，121 个点跨越整个视频；对 Wan-Move，每个点对应一帧；点较少的轨迹会提前结束。</translation>
    </message>
    <message>
        <source>Track visibility</source>
        <translation>轨迹可见性</translation>
    </message>
    <message>
        <source>NumPy&apos;s .npy of [points, tracks]: 1 where the points of tracks are in sight, else 0; without it all are.</source>
        <translation>NumPy 的 .npy，形状为 [点, 轨迹]：tracks 的点可见处为 1，否则为 0；不给出时全部可见。</translation>
    </message>
    <message>
        <source>Wildcard files</source>
        <translation>通配符文件</translation>
    </message>
    <message>
        <source>Folder with text files for prompts: __colour__ stands for a line of colour.txt, which the seed draws. What it does not hold is looked up in the user&apos;s own folder of wildcards.</source>
        <translation>存放提示词文本文件的文件夹：__colour__ 代表 colour.txt 中的一行，由种子抽取。其中没有的文件会在用户自己的通配符文件夹中查找。</translation>
    </message>
    <message>
        <source>Guidance by the video</source>
        <translation>视频引导强度</translation>
    </message>
    <message>
        <source>How strongly Bernini-R follows video where reference_images are given, too (its own program: 1.25). 1 turns this off and saves one of a step&apos;s four passes.</source>
        <translation>同时给出 reference_images 时，Bernini-R 遵循 video 的强度（官方程序：1.25）。1 则关闭此引导，每步四次计算省去一次。</translation>
    </message>
    <message>
        <source>When the devices outnumber the heads, or keys and values of the whole sequence do not fit.</source>
        <translation>用于设备多于注意力头，或整个序列的键和值放不下时。</translation>
    </message>
    <message>
        <source>From three devices on: the least traffic; equal work where the devices divide the heads.</source>
        <translation>从三个设备起通信量最少；设备数能整除注意力头数时，各设备的工作量相等。</translation>
    </message>
    <message>
        <source>The tensor axis must leave a device at least as many heads as the context axis has devices.</source>
        <translation>张量轴分给一个设备的注意力头数不得少于上下文轴的设备数。</translation>
    </message>
    <message>
        <source>The tensor axis must leave a device at least as many heads as the context axis has devices; heads_per_tile must be 1.</source>
        <translation>张量轴分给一个设备的注意力头数不得少于上下文轴的设备数；heads_per_tile 必须为 1。</translation>
    </message>
    <message>
        <source>ulysses_shards must divide the context axis and be at most the heads that the tensor axis leaves to a device.</source>
        <translation>ulysses_shards 必须能整除上下文轴，且不得多于张量轴分给一个设备的注意力头数。</translation>
    </message>
    <message>
        <source>ulysses_shards must divide the context axis and be at most the heads that the tensor axis leaves to a device; heads_per_tile must be 1.</source>
        <translation>ulysses_shards 必须能整除上下文轴，且不得多于张量轴分给一个设备的注意力头数；heads_per_tile 必须为 1。</translation>
    </message>
    <message>
        <source>Wan 2.1 Bernini-R, editing</source>
        <translation>Wan 2.1 Bernini-R 编辑</translation>
    </message>
    <message>
        <source>Wan 2.1 Wan-Move, image to video along tracks</source>
        <translation>Wan 2.1 Wan-Move 沿轨迹图生视频</translation>
    </message>
    <message>
        <source>Wan 2.1 Fun Control</source>
        <translation>Wan 2.1 Fun Control</translation>
    </message>
    <message>
        <source>Wan 2.2 Bernini-R, editing, two experts</source>
        <translation>Wan 2.2 Bernini-R 编辑，双专家</translation>
    </message>
    <message>
        <source>Wan 2.2 Fun Control, two experts</source>
        <translation>Wan 2.2 Fun Control，两个专家</translation>
    </message>
    <message>
        <source>Wan 2.2 Fun Control, 5B</source>
        <translation>Wan 2.2 Fun Control，5B</translation>
    </message>
    <message>
        <source>Image to video with Wan-Move</source>
        <translation>用 Wan-Move 图生视频</translation>
    </message>
    <message>
        <source>Editing with Bernini-R</source>
        <translation>Bernini-R 编辑</translation>
    </message>
    <message>
        <source>Control video to video</source>
        <translation>控制视频生视频</translation>
    </message>
    <message>
        <source>Fun Control V1.1, control video to video</source>
        <translation>Fun Control V1.1，控制视频生视频</translation>
    </message>
    <message>
        <source>Fun Control, control video to video</source>
        <translation>Fun Control，控制视频生视频</translation>
    </message>
    <message>
        <source>Fun Control, control video to video, one of the two experts</source>
        <translation>Fun Control，控制视频生视频，两个专家之一</translation>
    </message>
    <message>
        <source>this machine&apos;s own limits, which every other group measures too</source>
        <translation>本机自身的极限，其他各组也会测量</translation>
    </message>
    <message>
        <source>the linear layers of the 1.3B, 5B and 14B transformers</source>
        <translation>1.3B、5B 和 14B Transformer 的线性层</translation>
    </message>
    <message>
        <source>layers of the 14B transformer in int8 against bf16</source>
        <translation>14B Transformer 的层，int8 对比 bf16</translation>
    </message>
    <message>
        <source>the linear layers against the product that OpenBLAS or oneDNN computes for them</source>
        <translation>线性层对比 OpenBLAS 或 oneDNN 为其计算的乘积</translation>
    </message>
    <message>
        <source>custom and flash attention, 12 heads of 128</source>
        <translation>custom 与 flash 注意力，12 个 128 维的头</translation>
    </message>
    <message>
        <source>norms, rotary embedding, activations</source>
        <translation>归一化、旋转嵌入、激活</translation>
    </message>
    <message>
        <source>one forward pass of a transformer of random weights</source>
        <translation>随机权重 Transformer 的一次前向计算</translation>
    </message>
    <message>
        <source>decoding with the Wan 2.1 VAE</source>
        <translation>用 Wan 2.1 的 VAE 解码</translation>
    </message>
    <message>
        <source>encoding with four layers of UMT5-XXL</source>
        <translation>用 UMT5-XXL 的四层编码</translation>
    </message>
    <message>
        <source>the transformer on meshes of devices</source>
        <translation>设备网格上的 Transformer</translation>
    </message>
    <message>
        <source>the transformer on 1, 2, 4, 8 and 16 workers, and as 2 and 16 devices</source>
        <translation>1、2、4、8、16 个工作线程以及 2、16 个设备上的 Transformer</translation>
    </message>
    <message>
        <source>writing 10,000 steps of 128 devices into a run folder</source>
        <translation>将 128 个设备的 10,000 步写入运行文件夹</translation>
    </message>
    <message>
        <source>everything that a video is made of on the CPU, which takes minutes</source>
        <translation>CPU 上生成视频所涉及的一切，需要几分钟</translation>
    </message>
    <message>
        <source>a GPU: its peaks, linear layers, attention, the 1.3B transformer</source>
        <translation>GPU：其峰值、线性层、注意力、1.3B Transformer</translation>
    </message>
    <message>
        <source>trigger words: {}</source>
        <translation>触发词：{}</translation>
    </message>
    <message>
        <source>most frequent in its captions: {}</source>
        <translation>其训练标注中最常见：{}</translation>
    </message>
    <message>
        <source>one of the two experts of Wan 2.2 Fun Control, without the other</source>
        <translation>Wan 2.2 Fun Control 的两个专家之一，缺少另一个</translation>
    </message>
    <message>
        <source>a model that takes a reference picture (ref_conv) and no control video</source>
        <translation>接受参考图像（ref_conv）而不接受控制视频的模型</translation>
    </message>
    <message>
        <source>the transformer takes a reference of {} channels (in_dim_ref_conv), and the VAE has {} (z_dim)</source>
        <translation>transformer 接受 {} 个通道的参考（in_dim_ref_conv），而 VAE 有 {} 个（z_dim）</translation>
    </message>
    <message>
        <source>Use transformer and VAE of the same model</source>
        <translation>请使用同一模型的 transformer 和 VAE</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is no address of http or https</source>
        <translation>“{}”不是 http 或 https 地址</translation>
    </message>
    <message>
        <source>Write one such as {}</source>
        <translation>请写成类似 {} 的地址</translation>
    </message>
    <message>
        <source>the address has more than a path</source>
        <translation>地址中除路径外还有其他内容</translation>
    </message>
    <message>
        <source>Write it without &quot;?&quot; and &quot;#&quot;</source>
        <translation>请去掉其中的“?”和“#”</translation>
    </message>
    <message>
        <source>the address has a name or password in it</source>
        <translation>地址中含有用户名或密码</translation>
    </message>
    <message>
        <source>Write the address alone, and what the server asks for as its key</source>
        <translation>只写地址，服务器所需的内容请写为密钥</translation>
    </message>
    <message>
        <source>the key would go over http, where others can read it</source>
        <translation>密钥将经 http 发送，可能被他人读取</translation>
    </message>
    <message>
        <source>Write an address of https, or leave the key out</source>
        <translation>请填写 https 地址，或不填密钥</translation>
    </message>
    <message>
        <source>nobody answers at {} ({})</source>
        <translation>{} 无人应答（{}）</translation>
    </message>
    <message>
        <source>Start the server (ollama serve, llama-server), or correct its address</source>
        <translation>请启动服务器（ollama serve、llama-server），或更正其地址</translation>
    </message>
    <message>
        <source>{} gave no whole answer within {} seconds ({})</source>
        <translation>{} 在 {} 秒内没有给出完整答复（{}）</translation>
    </message>
    <message>
        <source>Ask again once it has loaded its model, or choose a smaller one</source>
        <translation>请在其加载完模型后重试，或选择较小的模型</translation>
    </message>
    <message>
        <source>{} cannot be asked ({})</source>
        <translation>无法询问 {}（{}）</translation>
    </message>
    <message>
        <source>Correct its address, or the proxy in https_proxy</source>
        <translation>请更正其地址，或 https_proxy 中的代理</translation>
    </message>
    <message>
        <source>{} leads elsewhere (HTTP {})</source>
        <translation>{} 转到了别处（HTTP {}）</translation>
    </message>
    <message>
        <source>Write the address that it leads to</source>
        <translation>请填写它转到的地址</translation>
    </message>
    <message>
        <source>{} refuses the key (HTTP {})</source>
        <translation>{} 拒绝了密钥（HTTP {}）</translation>
    </message>
    <message>
        <source>Write the key that it asks for</source>
        <translation>请填写它要求的密钥</translation>
    </message>
    <message>
        <source>Write another key</source>
        <translation>请换一个密钥</translation>
    </message>
    <message>
        <source>{} has no such model or address (HTTP 404): {}</source>
        <translation>{} 没有这样的模型或地址（HTTP 404）：{}</translation>
    </message>
    <message>
        <source>Correct the model&apos;s name, or the address</source>
        <translation>请更正模型名称或地址</translation>
    </message>
    <message>
        <source>{} does not rewrite the prompt (HTTP {}): {}</source>
        <translation>{} 没有改写提示词（HTTP {}）：{}</translation>
    </message>
    <message>
        <source>Ask again later, or look into the server&apos;s log</source>
        <translation>请稍后重试，或查看服务器日志</translation>
    </message>
    <message>
        <source>Correct model and address, or look into the server&apos;s log</source>
        <translation>请更正模型和地址，或查看服务器日志</translation>
    </message>
    <message>
        <source>the answer of {} holds no prompt ({})</source>
        <translation>{} 的答复中没有提示词（{}）</translation>
    </message>
    <message>
        <source>Check that its address is one of OpenAI&apos;s chat completions</source>
        <translation>请确认其地址是 OpenAI 的 chat completions 接口</translation>
    </message>
    <message>
        <source>it has no choices</source>
        <translation>其中没有 choices</translation>
    </message>
    <message>
        <source>its message is no text</source>
        <translation>其 message 不是文本</translation>
    </message>
    <message>
        <source>the file is a link, or another user&apos;s</source>
        <translation>该文件是链接，或属于其他用户</translation>
    </message>
    <message>
        <source>Remove it, and set the prompt helper again</source>
        <translation>请删除它，并重新设置提示词助手</translation>
    </message>
    <message>
        <source>the settings cannot be kept ({})</source>
        <translation>无法保存设置（{}）</translation>
    </message>
    <message>
        <source>Set XDG_CONFIG_HOME to a folder that you may write to</source>
        <translation>请将 XDG_CONFIG_HOME 设为可写的文件夹</translation>
    </message>
    <message>
        <source>the answer of {} has no end</source>
        <translation>{} 的答复没有结尾</translation>
    </message>
    <message>
        <source>the answer of {} is longer than {} bytes</source>
        <translation>{} 的回答超过 {} 字节</translation>
    </message>
    <message>
        <source>Ask again, or choose another model</source>
        <translation>请重试，或选择其他模型</translation>
    </message>
    <message>
        <source>the answer of {} is empty, or ends while it thinks</source>
        <translation>{} 的回答为空，或在思考途中结束</translation>
    </message>
    <message>
        <source>{} ({}) sees all of video at once, and context windows see parts of what is made of it</source>
        <translation>{}（{}）一次看到整个 video，而上下文窗口只看到所生成内容的一部分</translation>
    </message>
    <message>
        <source>Write 0, and edit the clip in parts</source>
        <translation>写 0，并分部分编辑片段</translation>
    </message>
    <message>
        <source>{} ({}) gives every context window its own part of the control video, which the first frame&apos;s would take the place of</source>
        <translation>{} ({}) 给每个上下文窗口控制视频中各自的部分，而第一帧的部分会取而代之</translation>
    </message>
    <message>
        <source>this model takes no reference picture (its transformer has no ref_conv)</source>
        <translation>此模型不接受参考图像（其 transformer 没有 ref_conv）</translation>
    </message>
    <message>
        <source>Remove the line, or use Fun Control V1.1 or 2.2</source>
        <translation>请删除该行，或使用 Fun Control V1.1 或 2.2</translation>
    </message>
    <message>
        <source>{} names {} pictures, and {} ({}) takes one</source>
        <translation>{} 指定了 {} 张图片，而 {} ({}) 只接受一张</translation>
    </message>
    <message>
        <source>with image {} ({}) makes {} frames at least</source>
        <translation>给出 image 时，{} ({}) 至少生成 {} 帧</translation>
    </message>
    <message>
        <source>{} is for {}, and {} ({}) has none of them</source>
        <translation>{} 用于 {}，而 {}（{}）没有</translation>
    </message>
    <message>
        <source>Remove the line, or use such a model with its inputs</source>
        <translation>请删除该行，或使用这样的模型及其输入</translation>
    </message>
    <message>
        <source>reference_images of Phantom and Bernini-R</source>
        <translation>Phantom 和 Bernini-R 的 reference_images</translation>
    </message>
    <message>
        <source>a video with reference_images of Bernini-R</source>
        <translation>Bernini-R 的 video 加 reference_images</translation>
    </message>
    <message>
        <source>reference_images of Bernini-R</source>
        <translation>Bernini-R 的 reference_images</translation>
    </message>
    <message>
        <source>{} names {} pictures, and {} takes {} at most</source>
        <translation>{} 指定了 {} 张图片，而 {} 最多接受 {} 张</translation>
    </message>
    <message>
        <source>the {} makes up the negative prompt&apos;s prediction, and guidance by pictures needs others beside it</source>
        <translation>{} 推算负面提示词的预测，而图片引导还需要其他预测</translation>
    </message>
    <message>
        <source>the {} decides by the prompt&apos;s pass, and with tracks guidance makes another one behind it</source>
        <translation>{}按提示词的那次计算来决定，而有轨迹时引导在其后还要再算一次</translation>
    </message>
    <message>
        <source>Write false, or guidance_scale: 1</source>
        <translation>写 false，或 guidance_scale: 1</translation>
    </message>
    <message>
        <source>{} ({}) needs video, reference_images or both</source>
        <translation>{}（{}）需要 video、reference_images 或两者</translation>
    </message>
    <message>
        <source>Name a file: {}: PATH, or write t2v for a video from the prompt alone</source>
        <translation>请指定文件：{}: PATH，或写 t2v，仅由提示词生成视频</translation>
    </message>
    <message>
        <source>{} heads are fewer than the {} devices of the context axis</source>
        <translation>{} 个头少于上下文轴的 {} 个设备</translation>
    </message>
    <message>
        <source>{} does not exchange {} heads between {} devices</source>
        <translation>{0} 不会在 {2} 个设备之间交换 {1} 个头</translation>
    </message>
    <message>
        <source>Heads are uneven: of {} heads over {} devices one has {}</source>
        <translation>头数不均：{} 个头分给 {} 个设备，其中一个有 {} 个</translation>
    </message>
    <message>
        <source>The heads are uneven: {} over {} devices, of which one has {}, so attention reaches {:.0f} % of the speed of an even split</source>
        <translation>头数不均：{} 个头分给 {} 个设备，其中一个有 {} 个，因此注意力只达到均分时速度的 {:.0f} %</translation>
    </message>
    <message>
        <source>it is no card of NVIDIA</source>
        <translation>它不是 NVIDIA 的显卡</translation>
    </message>
    <message>
        <source>{} does not know the card</source>
        <translation>{} 不认识这块显卡</translation>
    </message>
    <message>
        <source>the device does not open with {}: {}</source>
        <translation>设备无法以 {} 打开：{}</translation>
    </message>
    <message>
        <source>what GPUs exchange goes through a buffer of each and the host&apos;s memory</source>
        <translation>GPU 之间的交换经过各自的缓冲区和主机内存</translation>
    </message>
    <message>
        <source>keys go from GPU to GPU through memory of the host that all of them copy from and to</source>
        <translation>键经由所有 GPU 都可读写的主机内存在 GPU 之间传递</translation>
    </message>
    <message>
        <source>keys go from GPU to GPU by NVIDIA&apos;s driver</source>
        <translation>键由 NVIDIA 驱动程序在 GPU 之间传递</translation>
    </message>
    <message>
        <source>a process ended while it measured it; tuning asks again</source>
        <translation>某个进程在测量它时结束；下次调优会再次询问</translation>
    </message>
    <message>
        <source>{}; by {}: {}</source>
        <translation>{}；通过 {}：{}</translation>
    </message>
    <message>
        <source>its driver gives no descriptors of memory and semaphores</source>
        <translation>其驱动程序不提供内存和信号量的描述符</translation>
    </message>
    <message>
        <source>there is no real GPU to measure</source>
        <translation>没有可测量的真实 GPU</translation>
    </message>
    <message>
        <source>meshreel devices lists in a terminal those that there are; --gpus 0 measures the first, even if it is a driver in software</source>
        <translation>meshreel devices 列出现有设备；--gpus 0 测量第一个，即使它是软件驱动</translation>
    </message>
    <message>
        <source>there is no row &apos;{}&apos; in this group</source>
        <translation>该组中没有行“{}”</translation>
    </message>
    <message>
        <source>Measure the whole group once: it prints the names of its rows</source>
        <translation>请先测量整个组一次：它会列出各行的名称</translation>
    </message>
    <message>
        <source>Mend the file, or draw it again in the Studio</source>
        <translation>请修正文件，或在 Studio 中重新绘制</translation>
    </message>
    <message>
        <source>{} has no names and values</source>
        <translation>{} 没有名称和值</translation>
    </message>
    <message>
        <source>{}: &quot;{}&quot; is no number from {} to {}</source>
        <translation>{}：“{}”不是 {} 到 {} 之间的数</translation>
    </message>
    <message>
        <source>{}: &quot;{}&quot; is no whole number</source>
        <translation>{}：“{}”不是整数</translation>
    </message>
    <message>
        <source>{}: &quot;{}&quot; is neither true nor false</source>
        <translation>{}：“{}”既不是 true 也不是 false</translation>
    </message>
    <message>
        <source>{}: &quot;{}&quot; is none of {}</source>
        <translation>{}：“{}”不是 {} 之一</translation>
    </message>
    <message>
        <source>{}: &quot;{}&quot; is no list of {} to {}</source>
        <translation>{}：“{}”不是含 {} 到 {} 项的列表</translation>
    </message>
    <message>
        <source>{}: point {} is no place of two numbers, [x, y]</source>
        <translation>{}：点 {} 不是由两个数 [x, y] 表示的位置</translation>
    </message>
    <message>
        <source>{}: drawings have no &quot;{:.80}&quot;</source>
        <translation>{}：绘图没有“{:.80}”</translation>
    </message>
    <message>
        <source>{}: &quot;{}&quot; is missing</source>
        <translation>{}：缺少“{}”</translation>
    </message>
    <message>
        <source>{}: its frame is not behind the one before</source>
        <translation>{}：其帧不在前一个之后</translation>
    </message>
    <message>
        <source>shape {}</source>
        <translation>形状 {}</translation>
    </message>
    <message>
        <source>shape {}, keyframe {}</source>
        <translation>形状 {}，关键帧 {}</translation>
    </message>
    <message>
        <source>track {}</source>
        <translation>轨迹 {}</translation>
    </message>
    <message>
        <source>track {}, keyframe {}</source>
        <translation>轨迹 {}，关键帧 {}</translation>
    </message>
    <message>
        <source>this drawing is of {}, and one of {} is wanted</source>
        <translation>此绘图属于 {}，需要的是 {}</translation>
    </message>
    <message>
        <source>Name it at {}, or draw another one here</source>
        <translation>请在 {} 处指定它，或在此另绘一个</translation>
    </message>
    <message>
        <source>the drawing</source>
        <translation>绘图</translation>
    </message>
    <message>
        <source>nothing is drawn in it</source>
        <translation>其中没有绘制任何内容</translation>
    </message>
    <message>
        <source>Draw a shape in the Studio, or choose another file</source>
        <translation>请在 Studio 中绘制形状，或选择其他文件</translation>
    </message>
    <message>
        <source>the shapes of this drawing have too many points for a picture of {} x {}</source>
        <translation>此绘图的形状点数过多，不适合 {} x {} 的画面</translation>
    </message>
    <message>
        <source>Draw fewer or shorter strokes</source>
        <translation>请减少或缩短笔画</translation>
    </message>
    <message>
        <source>the file cannot be read</source>
        <translation>无法读取该文件</translation>
    </message>
    <message>
        <source>the picture is no PNG</source>
        <translation>该图片不是 PNG</translation>
    </message>
    <message>
        <source>Use Fun Control with a control video, or ATI or Wan-Move with tracks</source>
        <translation>请使用带控制视频的 Fun Control，或带轨迹的 ATI 或 Wan-Move</translation>
    </message>
    <message>
        <source>Use Wan 2.2 Animate with pose_video and face_video</source>
        <translation>请使用 Wan 2.2 Animate，并给出 pose_video 和 face_video</translation>
    </message>
    <message>
        <source>Use Phantom or VACE with reference_images</source>
        <translation>请使用 Phantom 或 VACE，并给出 reference_images</translation>
    </message>
    <message>
        <source>Use VACE with video and mask</source>
        <translation>请使用 VACE，并给出 video 和 mask</translation>
    </message>
    <message>
        <source>LingBot-World or Matrix-Game 3</source>
        <translation>LingBot-World 或 Matrix-Game 3</translation>
    </message>
    <message>
        <source>{} of Fun Control, A14B</source>
        <translation>Fun Control A14B 的{}</translation>
    </message>
    <message>
        <source>Fun Control, of no released size</source>
        <translation>Fun Control，非已发布的规模</translation>
    </message>
    <message>
        <source>Wan-Move was trained with tracks of points (tracks); without them the video is made from the image and the prompt alone</source>
        <translation>Wan-Move 是用点的轨迹（tracks）训练的；没有它们，视频只由图像和提示词生成</translation>
    </message>
    <message>
        <source>Bernini-R was trained with a video to edit (video) and pictures to show (reference_images); without them the video is made from the prompt alone</source>
        <translation>Bernini-R 以待编辑的视频（video）和要展示的图片（reference_images）训练；没有它们时，视频仅根据提示词生成</translation>
    </message>
    <message>
        <source>A reference picture is one frame, and patches have {}</source>
        <translation>参考图像是一帧，而补丁有 {} 帧</translation>
    </message>
    <message>
        <source>Seed {} draws: {}</source>
        <translation>种子 {} 抽取：{}</translation>
    </message>
    <message>
        <source>Each run draws by its own seed, for example: {}</source>
        <translation>每次运行按自己的种子抽取，例如：{}</translation>
    </message>
    <message>
        <source>Exchange heads between devices that divide them, use tokamax_ring, or plan for a program that shares heads out unevenly</source>
        <translation>请在能整除头数的设备之间交换，使用 tokamax_ring，或为能不均分头的程序制定计划</translation>
    </message>
    <message>
        <source>ulysses_shards {} is more than the {}</source>
        <translation>ulysses_shards {} 多于{}</translation>
    </message>
    <message>
        <source>{} with attention_sharding_uniform: false needs a head for each of the {} devices of the context axis, and there are {}</source>
        <translation>attention_sharding_uniform 为 false 时，{} 要求上下文轴的 {} 个设备各有一个注意力头，而现有 {}</translation>
    </message>
    <message>
        <source>Use true, or a context axis of at most {}</source>
        <translation>请使用 true，或不大于 {} 的上下文轴</translation>
    </message>
    <message>
        <source>{} needs a head for each of the {} devices of the context axis, and there are {}</source>
        <translation>{} 要求上下文轴的 {} 个设备各有一个注意力头，而现有 {}</translation>
    </message>
    <message>
        <source>Use {} with ulysses_shards: {}, a context axis of at most {}, or tokamax_ring, which takes any number of heads</source>
        <translation>请使用 {} 加 ulysses_shards: {}、不大于 {} 的上下文轴，或不限注意力头数的 tokamax_ring</translation>
    </message>
    <message>
        <source>{}: {}: drawn for {} frames at {} a second, and taken by time for {} at {}</source>
        <translation>{}：{}：为 {} 帧、每秒 {} 帧绘制，按时间用于 {} 帧、每秒 {} 帧</translation>
    </message>
    <message>
        <source>Keyframes keep their seconds. Open the drawing to move them, and save it for the new length</source>
        <translation>关键帧保持其秒数。打开绘图即可移动它们，并按新的长度保存</translation>
    </message>
    <message>
        <source>{}: {}: drawn on {} x {}, and scaled to {} x {}</source>
        <translation>{}：{}：在 {} x {} 上绘制，并缩放到 {} x {}</translation>
    </message>
    <message>
        <source>Open the drawing and save it to keep it in the new size</source>
        <translation>打开绘图并保存，以新的尺寸保留</translation>
    </message>
    <message>
        <source>{} is set, and {} is a drawing, whose tracks say themselves where they end</source>
        <translation>设置了 {}，而 {} 是绘图，其轨迹自己说明在何处结束</translation>
    </message>
    <message>
        <source>Leave {} empty; in a drawing, &quot;leaves&quot; puts a point out of sight behind its last keyframe</source>
        <translation>请将 {} 留空；在绘图中，“leaves” 使点在最后一个关键帧之后不可见</translation>
    </message>
    <message>
        <source>Write it with numpy.save, as float32 or bool</source>
        <translation>用 numpy.save 写成 float32 或 bool</translation>
    </message>
    <message>
        <source>this is not a whole array of NumPy</source>
        <translation>这不是完整的 NumPy 数组</translation>
    </message>
    <message>
        <source>the array is of a type that is not read</source>
        <translation>数组的类型无法读取</translation>
    </message>
    <message>
        <source>the array is in Fortran&apos;s order</source>
        <translation>数组是 Fortran 顺序的</translation>
    </message>
    <message>
        <source>the array has no shape</source>
        <translation>数组没有形状</translation>
    </message>
    <message>
        <source>This is no look</source>
        <translation>这不是视觉风格</translation>
    </message>
    <message>
        <source>Begin with {}: {}</source>
        <translation>请以 {}: {} 开头</translation>
    </message>
    <message>
        <source>A later version of Meshreel wrote this look</source>
        <translation>此视觉风格由更新版本的 Meshreel 写入</translation>
    </message>
    <message>
        <source>Use it with that version</source>
        <translation>请用那个版本使用它</translation>
    </message>
    <message>
        <source>A look has no key {}</source>
        <translation>视觉风格没有键 {}</translation>
    </message>
    <message>
        <source>It has {}, {}, {} and {}</source>
        <translation>它有 {}、{}、{} 和 {}</translation>
    </message>
    <message>
        <source>The values of a look are no map of keys</source>
        <translation>视觉风格的值不是键的映射</translation>
    </message>
    <message>
        <source>Write one key and its value on a line, indented below values</source>
        <translation>请在 values 下缩进，每行写一个键及其值</translation>
    </message>
    <message>
        <source>A look does not set {}</source>
        <translation>视觉风格不能设置 {}</translation>
    </message>
    <message>
        <source>Remove it: a look says how videos look, not of what they are made</source>
        <translation>请删除它：视觉风格说明视频的样子，而不是用什么制作</translation>
    </message>
    <message>
        <source>The prompt of a look is no style</source>
        <translation>视觉风格的提示词不是样式</translation>
    </message>
    <message>
        <source>Write {} where the prompt of the project goes</source>
        <translation>请在项目提示词的位置写 {}</translation>
    </message>
    <message>
        <source>The style of a look repeats the prompt</source>
        <translation>外观的风格重复了提示词</translation>
    </message>
    <message>
        <source>Write {} at most {} times</source>
        <translation>{} 最多写 {} 次</translation>
    </message>
    <message>
        <source>A look names adapters by a path</source>
        <translation>视觉风格用路径指定了适配器</translation>
    </message>
    <message>
        <source>Write the name that the file has in the folder &quot;loras&quot; of the models folder</source>
        <translation>请写出文件在模型文件夹的“loras”中的名称</translation>
    </message>
    <message>
        <source>the picture holds no look</source>
        <translation>该图片中没有视觉风格</translation>
    </message>
    <message>
        <source>Choose a picture that was saved as a look: some programs and sites drop it</source>
        <translation>请选择保存为视觉风格的图片：有些程序和网站会将其去除</translation>
    </message>
    <message>
        <source>{} names {}, lines of which would become words of the prompt</source>
        <translation>{} 指向 {}，其中的行会成为提示词中的词</translation>
    </message>
    <message>
        <source>the four passes of guidance</source>
        <translation>引导的四次计算</translation>
    </message>
    <message>
        <source>The table is not UTF-8</source>
        <translation>该表不是 UTF-8</translation>
    </message>
    <message>
        <source>Save it as CSV in UTF-8</source>
        <translation>请保存为 UTF-8 的 CSV</translation>
    </message>
    <message>
        <source>Write a field for each column, those with commas or quotes in quotes</source>
        <translation>请为每列写一个字段，含逗号或引号的字段用引号括起</translation>
    </message>
    <message>
        <source>The table has no row below its keys</source>
        <translation>表的键下面没有行</translation>
    </message>
    <message>
        <source>Write a run on each line below them</source>
        <translation>请在其下每行写一次运行</translation>
    </message>
    <message>
        <source>The table has more than {} rows, the most that are run</source>
        <translation>该表超过了最多可运行的 {} 行</translation>
    </message>
    <message>
        <source>Make several tables of it</source>
        <translation>请拆成多个表</translation>
    </message>
    <message>
        <source>Column {} names no key</source>
        <translation>第 {} 列没有键名</translation>
    </message>
    <message>
        <source>Write the name of a key, such as prompt or seed</source>
        <translation>请写一个键名，例如 prompt 或 seed</translation>
    </message>
    <message>
        <source>Two columns are called {}</source>
        <translation>有两列名为 {}</translation>
    </message>
    <message>
        <source>The project makes its batch_prompts, and no prompt of a table</source>
        <translation>项目生成的是 batch_prompts，而不是表格中的 prompt</translation>
    </message>
    <message>
        <source>Clear batch_prompts, or call the column batch_prompts</source>
        <translation>清空 batch_prompts，或将该列命名为 batch_prompts</translation>
    </message>
    <message>
        <source>The table is empty</source>
        <translation>该表为空</translation>
    </message>
    <message>
        <source>Begin with a row of keys, such as prompt,seed</source>
        <translation>请以键的一行开头，例如 prompt,seed</translation>
    </message>
    <message>
        <source>There is no key &quot;{:.80}&quot; for a column of the table</source>
        <translation>没有与表中的列对应的键“{:.80}”</translation>
    </message>
    <message>
        <source>this is a file of PyTorch, and tracks are read from JSON and .npy</source>
        <translation>这是 PyTorch 的文件，轨迹从 JSON 和 .npy 读取</translation>
    </message>
    <message>
        <source>the array is of shape [{}], and tracks are [points, tracks, 2]</source>
        <translation>数组的形状是 [{}]，而轨迹是 [点, 轨迹, 2]</translation>
    </message>
    <message>
        <source>the array is of shape [{}], and what is in sight is [points, tracks]</source>
        <translation>数组的形状是 [{}]，而可见性是 [点, 轨迹]</translation>
    </message>
    <message>
        <source>Write 1 where a track&apos;s point is in sight, else 0</source>
        <translation>轨迹的点可见处写 1，否则写 0</translation>
    </message>
    <message>
        <source>Draw a track in the Studio, or leave tracks empty</source>
        <translation>请在 Studio 中绘制轨迹，或将 tracks 留空</translation>
    </message>
    <message>
        <source>it is of {} points of {} tracks, and tracks has {} points of {} tracks</source>
        <translation>它对应 {} 个点的 {} 条轨迹，而 tracks 有 {} 个点的 {} 条轨迹</translation>
    </message>
    <message>
        <source>Give the file that belongs to tracks</source>
        <translation>给出与 tracks 对应的文件</translation>
    </message>
    <message>
        <source>{} is not UTF-8</source>
        <translation>{} 不是 UTF-8</translation>
    </message>
    <message>
        <source>Save it as UTF-8</source>
        <translation>请保存为 UTF-8</translation>
    </message>
    <message>
        <source>line {} of {} has {} bytes, and a line has {} at most</source>
        <translation>{1} 的第 {0} 行有 {2} 字节，而一行最多 {3} 字节</translation>
    </message>
    <message>
        <source>{} holds no line that can be drawn</source>
        <translation>{} 中没有可抽取的行</translation>
    </message>
    <message>
        <source>Write something into it, a line for each possibility</source>
        <translation>请写入内容，每种可能一行</translation>
    </message>
    <message>
        <source>the prompts lead to more than {} files</source>
        <translation>提示词涉及的文件超过 {} 个</translation>
    </message>
    <message>
        <source>Use fewer wildcards</source>
        <translation>请减少通配符</translation>
    </message>
    <message>
        <source>{} leads out of its folder</source>
        <translation>{} 指向其文件夹之外</translation>
    </message>
    <message>
        <source>Put the file itself there, not a link</source>
        <translation>请放入文件本身，而不是链接</translation>
    </message>
    <message>
        <source>the files that the prompts lead to have more than {}</source>
        <translation>提示词涉及的文件合计超过 {}</translation>
    </message>
    <message>
        <source>Use fewer wildcards, or smaller files</source>
        <translation>请减少通配符，或使用较小的文件</translation>
    </message>
    <message>
        <source>the wildcard __{}__ leads back to itself: {}</source>
        <translation>通配符 __{}__ 又回到自身：{}</translation>
    </message>
    <message>
        <source>Take it out of one of these files</source>
        <translation>请从其中一个文件中去掉它</translation>
    </message>
    <message>
        <source>the wildcard __{}__ cannot be used: {}</source>
        <translation>无法使用通配符 __{}__：{}</translation>
    </message>
    <message>
        <source>there is no file {} for the wildcard __{}__ in {}</source>
        <translation>{2} 中没有通配符 __{1}__ 的文件 {0}</translation>
    </message>
    <message>
        <source>{} (a line of __{}__ names it)</source>
        <translation>{}（__{}__ 中的一行引用了它）</translation>
    </message>
    <message>
        <source>Put the file there, with a line for each possibility, or set wildcards to its folder</source>
        <translation>请把文件放在那里，每种可能一行，或将 wildcards 设为其所在文件夹</translation>
    </message>
    <message>
        <source>alternatives in a line name the wildcard __{}__, which has no usable file {}</source>
        <translation>某行的备选项引用了通配符 __{}__，但没有可用的文件 {}</translation>
    </message>
    <message>
        <source>Put the file there, or correct the line</source>
        <translation>放入该文件，或更正该行</translation>
    </message>
    <message>
        <source>the wildcard __{}__ leads back to itself</source>
        <translation>通配符 __{}__ 又指回自身</translation>
    </message>
    <message>
        <source>Take it out of the lines and alternatives that it leads to</source>
        <translation>请从它所指向的行和备选项中去掉它</translation>
    </message>
    <message>
        <source>the wildcards make the prompt longer than {} bytes, or need more than {} draws</source>
        <translation>通配符使提示词超过 {} 字节，或需要抽取超过 {} 次</translation>
    </message>
    <message>
        <source>Use fewer wildcards, or shorter lines</source>
        <translation>请减少通配符，或缩短各行</translation>
    </message>
    <message>
        <source>Wildcards: &quot;{}&quot; became &quot;{}&quot;</source>
        <translation>通配符：“{}”变为“{}”</translation>
    </message>
    <message>
        <source>How strongly Phantom and Bernini-R follow reference_images; guidance_scale says how strongly they follow the prompt (their own programs: 7.5 and 4; pictures 5 and 4.5). For Phantom 1 or less turns this off and saves one of a step&apos;s passes, for Bernini-R 1; with video only where guidance_scale_video is 1, too.</source>
        <translation>Phantom 和 Bernini-R 遵循 reference_images 的强度；遵循提示词的强度由 guidance_scale 决定（各自官方程序：7.5 和 4；图片为 5 和 4.5）。Phantom 取 1 或更小、Bernini-R 取 1 则关闭此引导，每步省去一次计算；有 video 时，仅当 guidance_scale_video 也为 1 时才如此。</translation>
    </message>
    <message>
        <source>Write false, or guidance_scale_video: 1 and guidance_scale_image: 1</source>
        <translation>请写 false，或同时写 guidance_scale_video: 1 和 guidance_scale_image: 1</translation>
    </message>
    <message>
        <source>the {} decides by the prompt&apos;s pass, and guidance by pictures makes passes behind it that see less</source>
        <translation>{} 依据提示词那一次计算来判定，而图片引导会在其后再做所见更少的计算</translation>
    </message>
    <message>
        <source>the card is for one process at a time (nvidia-smi changes that)</source>
        <translation>该显卡一次只允许一个进程使用（可用 nvidia-smi 更改）</translation>
    </message>
    <message>
        <source>the card is closed to processes (nvidia-smi changes that)</source>
        <translation>该显卡禁止进程使用（可用 nvidia-smi 更改）</translation>
    </message>
    <message>
        <source>{} imports no memory of the host&apos;s</source>
        <translation>{} 不导入主机内存</translation>
    </message>
    <message>
        <source>{} does not take this memory of the host&apos;s</source>
        <translation>{} 不接受这块主机内存</translation>
    </message>
    <message>
        <source>a copy from {} to {} brings other numbers</source>
        <translation>从 {} 到 {} 的复制带来了不同的数值</translation>
    </message>
    <message>
        <source>{} exchanges numbers in the way {}, not as planned: {}</source>
        <translation>{} 以方式 {} 交换数值,与计划不同:{}</translation>
    </message>
    <message>
        <source>The kept measurements cannot be read</source>
        <translation>无法读取保存的测量结果</translation>
    </message>
    <message>
        <source>Remove the file: the next measurement begins another</source>
        <translation>请删除该文件：下次测量会新建一个</translation>
    </message>
    <message>
        <source>Another program is writing the kept measurements, and does not end</source>
        <translation>另一个程序正在写入保存的测量结果，且一直没有结束</translation>
    </message>
    <message>
        <source>These rows were measured on {}, and the project&apos;s GPU is {}</source>
        <translation>这些行是在 {} 上测量的，而项目的 GPU 是 {}</translation>
    </message>
    <message>
        <source>Choose that GPU to repeat them, or run the group on this one</source>
        <translation>要重复测量请选择那块 GPU，或在当前 GPU 上测量该组</translation>
    </message>
    <message>
        <source>Sound encoder</source>
        <translation>声音编码器</translation>
    </message>
    <message>
        <source>File or folder of the sound encoder (wav2vec 2.0, XLSR-53) of speech-to-video models. Empty takes the model&apos;s own.</source>
        <translation>语音生视频模型的声音编码器（wav2vec 2.0，XLSR-53）的文件或文件夹。留空则用模型自带的。</translation>
    </message>
    <message>
        <source>The character of `image` moves as somebody in `video` does, by Wan Animate-2.</source>
        <translation>`image` 中的角色像 `video` 中的人那样动作，使用 Wan Animate-2。</translation>
    </message>
    <message>
        <source>Somebody whom `image` shows says or sings what `speech` has; `pose_video` may lead the body.</source>
        <translation>`image` 中的人物说出或唱出 `speech` 的内容；`pose_video` 可以引导身体动作。</translation>
    </message>
    <message>
        <source>Video, picture or folder of numbered pictures that is made again or edited, that controls Fun Control (depth, edges, poses), or whose motion Animate-2 takes; its first num_frames at the rate of fps are taken.</source>
        <translation>要重制或编辑的视频、图片或带编号图片的文件夹，或 Fun Control 的控制视频（深度、边缘、姿态），或 Animate-2 取其动作的视频；按 fps 的帧率取其前 num_frames 帧。</translation>
    </message>
    <message>
        <source>Video or folder of numbered pictures of the poses that the character of image takes, as preprocessing for Wan Animate draws them; S2V does without.</source>
        <translation>image 中角色所摆姿势的视频或编号图片文件夹，形式与 Wan Animate 预处理所画的相同；S2V 可以不给。</translation>
    </message>
    <message>
        <source>Speech</source>
        <translation>语音</translation>
    </message>
    <message>
        <source>Sound file, or video with sound, that the person of image says or sings.</source>
        <translation>image 中的人物所说或所唱的声音文件，或带声音的视频。</translation>
    </message>
    <message>
        <source>Sound strength</source>
        <translation>声音强度</translation>
    </message>
    <message>
        <source>How strongly the sound of speech moves the lips: 1 as S2V was made, more where guidance is off.</source>
        <translation>speech 的声音带动嘴唇的强度：1 为 S2V 训练时的取值，关闭引导时可以更大。</translation>
    </message>
    <message>
        <source>As long as the speech</source>
        <translation>与语音等长</translation>
    </message>
    <message>
        <source>The video lasts as long as the sound of speech, up to 3 frames more, in place of num_frames.</source>
        <translation>视频与 speech 的声音等长（最多多 3 帧），而不按 num_frames。</translation>
    </message>
    <message>
        <source>Keys of the driving video</source>
        <translation>驱动视频的键</translation>
    </message>
    <message>
        <source>How every step comes by what Animate-2 attends to in its video.</source>
        <translation>每一步如何得到 Animate-2 在其视频中关注的内容。</translation>
    </message>
    <message>
        <source>The first of the others that memory has room for.</source>
        <translation>其余选项中内存放得下的第一个。</translation>
    </message>
    <message>
        <source>Kept in memory as they were computed: the fastest.</source>
        <translation>按计算结果原样保存在内存中：最快。</translation>
    </message>
    <message>
        <source>Kept in memory in 8 bits with a scale for each head of each token: half the memory or less.</source>
        <translation>以 8 位保存在内存中，每个词元的每个头有一个缩放：内存减半或更少。</translation>
    </message>
    <message>
        <source>Computed again in every pass, which takes about twice as long and the least memory.</source>
        <translation>每次计算都重新算：耗时约两倍，内存最少。</translation>
    </message>
    <message>
        <source>Sparse attention</source>
        <translation>稀疏注意力</translation>
    </message>
    <message>
        <source>Lets self-attention leave blocks of tokens out, which saves most of the time of long videos; approximate.</source>
        <translation>让自注意力省去部分 token 块，长视频可节省大部分时间；为近似。</translation>
    </message>
    <message>
        <source>Every token attends to every token.</source>
        <translation>每个 token 都关注所有 token。</translation>
    </message>
    <message>
        <source>Sol-Attn: exactly to the blocks whose mean scores highest, to the means of the others; approximate.</source>
        <translation>Sol-Attn：精确关注均值得分最高的块，其余块只关注均值；为近似。</translation>
    </message>
    <message>
        <source>Radial attention: to fewer and fewer tokens of frames further away; approximate.</source>
        <translation>Radial Attention：帧越远，关注的 token 越少；为近似。</translation>
    </message>
    <message>
        <source>Sparse VideoGen: each head to what is near in space, or near in time; approximate.</source>
        <translation>Sparse VideoGen：每个头关注空间上或时间上邻近的内容；为近似。</translation>
    </message>
    <message>
        <source>Sparse from</source>
        <translation>稀疏开始</translation>
    </message>
    <message>
        <source>Share of the steps, at their beginning, in which attention is dense.</source>
        <translation>开头采用稠密注意力的步数比例。</translation>
    </message>
    <message>
        <source>Sparse until</source>
        <translation>稀疏结束</translation>
    </message>
    <message>
        <source>Share of the steps after which attention is dense again.</source>
        <translation>到此步数比例之后注意力恢复为稠密。</translation>
    </message>
    <message>
        <source>Dense layers</source>
        <translation>稠密层</translation>
    </message>
    <message>
        <source>Transformer blocks that always attend densely, counted from 0 and separated by commas.</source>
        <translation>始终采用稠密注意力的 Transformer 块，从 0 开始编号，用逗号分隔。</translation>
    </message>
    <message>
        <source>Sparse from length</source>
        <translation>稀疏起始长度</translation>
    </message>
    <message>
        <source>Sequences shorter than this attend densely.</source>
        <translation>短于此值的序列采用稠密注意力。</translation>
    </message>
    <message>
        <source>Sol threshold</source>
        <translation>Sol 阈值</translation>
    </message>
    <message>
        <source>sol keeps blocks whose score is above the mean by this many standard deviations: more keeps fewer.</source>
        <translation>sol 保留得分高出均值这么多倍标准差的块：值越大，保留越少。</translation>
    </message>
    <message>
        <source>Radial decay</source>
        <translation>radial 衰减</translation>
    </message>
    <message>
        <source>Factor of radial&apos;s windows of frames that are two or more apart: less keeps fewer tokens.</source>
        <translation>相隔两帧及以上时 radial 窗口的系数：值越小，保留的 token 越少。</translation>
    </message>
    <message>
        <source>SVG density</source>
        <translation>SVG 密度</translation>
    </message>
    <message>
        <source>Share of the pairs of tokens that svg&apos;s band keeps; of a model with one expert.</source>
        <translation>svg 的带状区域保留的 token 对比例；用于单专家模型。</translation>
    </message>
    <message>
        <source>SVG density, high noise</source>
        <translation>SVG 密度（高噪声）</translation>
    </message>
    <message>
        <source>The same for the steps of Wan 2.2&apos;s high-noise expert.</source>
        <translation>用于 Wan 2.2 高噪声专家的步。</translation>
    </message>
    <message>
        <source>SVG density, low noise</source>
        <translation>SVG 密度（低噪声）</translation>
    </message>
    <message>
        <source>The same for the steps of Wan 2.2&apos;s low-noise expert.</source>
        <translation>用于 Wan 2.2 低噪声专家的步。</translation>
    </message>
    <message>
        <source>SVG sample</source>
        <translation>SVG 样本</translation>
    </message>
    <message>
        <source>Queries by which svg chooses between space and time, for each head in each step.</source>
        <translation>svg 在每一步为每个头在空间与时间之间做选择所用的查询数。</translation>
    </message>
    <message>
        <source>queries</source>
        <translation>查询</translation>
    </message>
    <message>
        <source>SVG sample from</source>
        <translation>SVG 取样范围</translation>
    </message>
    <message>
        <source>The first tokens, among which svg draws its queries.</source>
        <translation>svg 从最前面的这些 token 中抽取查询。</translation>
    </message>
    <message>
        <source>SVG sample&apos;s seed</source>
        <translation>SVG 取样种子</translation>
    </message>
    <message>
        <source>Seed by which svg draws its queries.</source>
        <translation>svg 抽取查询所用的种子。</translation>
    </message>
    <message>
        <source>SVG keeps first frame</source>
        <translation>SVG 保留首帧</translation>
    </message>
    <message>
        <source>Every token attends to the first tokens in svg&apos;s order, as many as a frame has.</source>
        <translation>每个 token 都关注 svg 顺序中最前面的、相当于一帧数量的 token。</translation>
    </message>
    <message>
        <source>keep puts the sound of speech or video (of Animate face_video or pose_video) under the result, as long as both play at one speed; none leaves it out; a file gives its own. MP4 and WebM hold sound.</source>
        <translation>keep 把 speech 或 video（Animate 为 face_video 或 pose_video）的声音放到结果中，前提是两者播放速度相同；none 不要声音；文件则用它自己的声音。MP4 和 WebM 可以带声音。</translation>
    </message>
    <message>
        <source>Frames, times</source>
        <translation>帧数倍数</translation>
    </message>
    <message>
        <source>Makes a finished video beside the video, with so many times its frames a second; any factor. 1 makes no frames.</source>
        <translation>在视频旁生成成品视频，每秒帧数为原来的这么多倍；任意倍数。1 表示不生成帧。</translation>
    </message>
    <message>
        <source>Frames by</source>
        <translation>补帧方式</translation>
    </message>
    <message>
        <source>Weights of RIFE 4.x, which makes the frames that interpolate asks for; blend mixes those beside.</source>
        <translation>RIFE 4.x 的权重，用于生成 interpolate 要求的帧；blend 混合相邻帧。</translation>
    </message>
    <message>
        <source>Size, times</source>
        <translation>尺寸倍数</translation>
    </message>
    <message>
        <source>Makes a finished video beside the video, so many times as wide and high; any factor. 1 keeps the size.</source>
        <translation>在视频旁生成成品视频，宽和高为原来的这么多倍；任意倍数。1 保持尺寸。</translation>
    </message>
    <message>
        <source>Size by</source>
        <translation>放大方式</translation>
    </message>
    <message>
        <source>Weights of a network of ESRGAN&apos;s kind, which upscale uses; lanczos, or nothing: a filter that adds no detail.</source>
        <translation>upscale 使用的 ESRGAN 类网络的权重；lanczos 或留空：不增加细节的滤波器。</translation>
    </message>
    <message>
        <source>Wan 2.2 Animate-2 in few steps</source>
        <translation>少步数的 Wan 2.2 Animate-2</translation>
    </message>
    <message>
        <source>Wan 2.2 Animate-2</source>
        <translation>Wan 2.2 Animate-2</translation>
    </message>
    <message>
        <source>Wan 2.2 speech to video</source>
        <translation>Wan 2.2 语音生视频</translation>
    </message>
    <message>
        <source>Character animation by a video</source>
        <translation>用视频驱动角色动画</translation>
    </message>
    <message>
        <source>Speech to video</source>
        <translation>语音生视频</translation>
    </message>
    <message>
        <source>speech to video</source>
        <translation>语音生成视频</translation>
    </message>
    <message>
        <source>sound encoder of the Wan 2.2 S2V model</source>
        <translation>Wan 2.2 S2V 模型的声音编码器</translation>
    </message>
    <message>
        <source>smaller sound encoder</source>
        <translation>较小的声音编码器</translation>
    </message>
    <message>
        <source>block-sparse attention against dense attention of 12 heads of 128: seconds and error</source>
        <translation>稀疏注意力与稠密注意力的比较，12 个 128 维的头：秒数和误差</translation>
    </message>
    <message>
        <source>networks for finished videos: RIFE 4.26, and ESRGAN&apos;s of 64 channels</source>
        <translation>用于成品视频的网络：RIFE 4.26 和 64 通道的 ESRGAN</translation>
    </message>
    <message>
        <source>a decoded sound</source>
        <translation>解码后的声音</translation>
    </message>
    <message>
        <source>speech to video with what else the model has</source>
        <translation>语音生视频加上模型另有的部分</translation>
    </message>
    <message>
        <source>the transformer wants {} states of a sound of width {}, and the sound encoder gives {} of width {}</source>
        <translation>Transformer 需要 {} 个宽度为 {} 的声音状态，而声音编码器给出 {} 个，宽度为 {}</translation>
    </message>
    <message>
        <source>Use wav2vec2-large-xlsr-53, which S2V was made with</source>
        <translation>请使用训练 S2V 时所用的 wav2vec2-large-xlsr-53</translation>
    </message>
    <message>
        <source>the sound encoder wav2vec 2.0 XLSR-53 (wav2vec2_large_english_fp16.safetensors, or the folder wav2vec2-large-xlsr-53-english of the model)</source>
        <translation>声音编码器 wav2vec 2.0 XLSR-53（wav2vec2_large_english_fp16.safetensors，或模型中的文件夹 wav2vec2-large-xlsr-53-english）</translation>
    </message>
    <message>
        <source>{} ({}) makes a long clip in segments: every context window would need keys of its own of the driving video</source>
        <translation>{}（{}）按片段制作长视频：每个上下文窗口都需要各自的驱动视频的键</translation>
    </message>
    <message>
        <source>Write 0</source>
        <translation>请写 0</translation>
    </message>
    <message>
        <source>{} ({}) makes a long video clip by clip, each after the one before</source>
        <translation>{}（{}）逐段制作长视频，每段接着前一段</translation>
    </message>
    <message>
        <source>a video that is finished is MP4 or WebM</source>
        <translation>成品视频只能是 MP4 或 WebM</translation>
    </message>
    <message>
        <source>Write video_format: mp4</source>
        <translation>请写 video_format: mp4</translation>
    </message>
    <message>
        <source>interpolate asks for new frames, and interpolator names nothing that makes them</source>
        <translation>interpolate 要求新的帧，而 interpolator 没有指定生成它们的网络</translation>
    </message>
    <message>
        <source>Name a file of RIFE, such as rife_v4.26.safetensors or flownet.pkl; or write blend to mix the frames beside</source>
        <translation>请指定 RIFE 的文件，例如 rife_v4.26.safetensors 或 flownet.pkl；或写 blend 以混合相邻帧</translation>
    </message>
    <message>
        <source>a GPU has no {} kernel that leaves blocks out</source>
        <translation>GPU 没有能省去块的 {} 内核</translation>
    </message>
    <message>
        <source>Write none, or use the CPU (gpus: none)</source>
        <translation>请写 none，或使用 CPU (gpus: none)</translation>
    </message>
    <message>
        <source>speech of S2V</source>
        <translation>S2V 的 speech</translation>
    </message>
    <message>
        <source>{} ({}) makes one video at a time</source>
        <translation>{}（{}）一次只制作一个视频</translation>
    </message>
    <message>
        <source>Leave it out, and make the others by runs of their own</source>
        <translation>请去掉它，其他视频各自单独运行</translation>
    </message>
    <message>
        <source>{} ({}) attends to a driving video as well, whose keys lie in no blocks that sparse_attention {} could leave out</source>
        <translation>{}（{}）还会关注驱动视频，其键不在 sparse_attention {} 可省去的任何块中</translation>
    </message>
    <message>
        <source>Write none</source>
        <translation>写 none</translation>
    </message>
    <message>
        <source>the folder cannot be made ({})</source>
        <translation>无法创建文件夹（{}）</translation>
    </message>
    <message>
        <source>Choose another place for the video</source>
        <translation>请为视频选择其他位置</translation>
    </message>
    <message>
        <source>another program makes this video</source>
        <translation>另一个程序正在生成该视频</translation>
    </message>
    <message>
        <source>Wait until it is done, or choose another name</source>
        <translation>请等它完成，或选择其他名称</translation>
    </message>
    <message>
        <source>the video is another than when the work was planned</source>
        <translation>视频与规划工作时的不同</translation>
    </message>
    <message>
        <source>Begin again</source>
        <translation>请重新开始</translation>
    </message>
    <message>
        <source>this system&apos;s libavcodec cannot write {}</source>
        <translation>本系统的 libavcodec 无法写入 {}</translation>
    </message>
    <message>
        <source>Choose a name that ends in {}</source>
        <translation>请选择以 {} 结尾的名称</translation>
    </message>
    <message>
        <source>the video would take the place of the one that it is made of</source>
        <translation>视频会覆盖其来源视频</translation>
    </message>
    <message>
        <source>Choose another name</source>
        <translation>请选择其他名称</translation>
    </message>
    <message>
        <source>the factor {} is not between 1 and {}</source>
        <translation>倍数 {} 不在 1 到 {} 之间</translation>
    </message>
    <message>
        <source>Give a factor such as 2</source>
        <translation>请给出倍数，例如 2</translation>
    </message>
    <message>
        <source>it is no video: it does not say how many frames it shows a second</source>
        <translation>它不是视频：没有说明每秒显示多少帧</translation>
    </message>
    <message>
        <source>Choose a video file, or a run with its video</source>
        <translation>请选择视频文件，或带有视频的运行</translation>
    </message>
    <message>
        <source>its frames are not evenly spaced in time</source>
        <translation>其帧的时间间隔不均匀</translation>
    </message>
    <message>
        <source>Make its rate constant first: ffmpeg -i VIDEO -vf fps={} OUT</source>
        <translation>请先使其帧率恒定：ffmpeg -i VIDEO -vf fps={} OUT</translation>
    </message>
    <message>
        <source>it has no frames</source>
        <translation>它没有帧</translation>
    </message>
    <message>
        <source>Choose another video</source>
        <translation>请选择其他视频</translation>
    </message>
    <message>
        <source>new frames need a network that makes them</source>
        <translation>新的帧需要生成它们的网络</translation>
    </message>
    <message>
        <source>Name a file of RIFE, such as rife_v4.26.safetensors or flownet.pkl; or {} to mix the frames beside</source>
        <translation>请指定 RIFE 的文件，例如 rife_v4.26.safetensors 或 flownet.pkl；或用 {} 混合相邻帧</translation>
    </message>
    <message>
        <source>its size {}x{} is odd, which videos of {} do not have</source>
        <translation>其尺寸 {}x{} 为奇数，{} 视频不支持</translation>
    </message>
    <message>
        <source>Enlarge it, too: upscale 2</source>
        <translation>请同时放大：upscale 2</translation>
    </message>
    <message>
        <source>No network was named: pictures are enlarged by the filter {}, which adds no detail</source>
        <translation>未指定网络：图像由滤波器 {} 放大，不增加细节</translation>
    </message>
    <message>
        <source>this network keeps the size</source>
        <translation>该网络保持尺寸不变</translation>
    </message>
    <message>
        <source>Choose a network that enlarges, or {}</source>
        <translation>请选择能放大的网络，或 {}</translation>
    </message>
    <message>
        <source>The network enlarges {} times; {} makes {} times of it</source>
        <translation>网络放大 {} 倍；{} 将其变为 {} 倍</translation>
    </message>
    <message>
        <source>The smallest tiles take {}, more than the {} that were allowed</source>
        <translation>最小的分块需要 {}，超过允许的 {}</translation>
    </message>
    <message>
        <source>Choose a name that ends in .mp4 or .webm</source>
        <translation>请选择以 .mp4 或 .webm 结尾的名称</translation>
    </message>
    <message>
        <source>it has no sound</source>
        <translation>它没有声音</translation>
    </message>
    <message>
        <source>Choose another sound file</source>
        <translation>请选择其他声音文件</translation>
    </message>
    <message>
        <source>nothing was asked for</source>
        <translation>没有要求任何操作</translation>
    </message>
    <message>
        <source>Ask for one of interpolate, upscale and audio</source>
        <translation>请指定 interpolate、upscale 或 audio</translation>
    </message>
    <message>
        <source>it does not say how its sound is sampled</source>
        <translation>它没有说明声音的采样方式</translation>
    </message>
    <message>
        <source>the part of the sound has no length</source>
        <translation>所选声音片段没有长度</translation>
    </message>
    <message>
        <source>the sound ends before the part that is asked for</source>
        <translation>声音在所选片段之前就结束了</translation>
    </message>
    <message>
        <source>Add the sound without trimming, fading or looping it, or choose another video format</source>
        <translation>请不裁剪、不淡入淡出、不循环地添加声音，或选择其他视频格式</translation>
    </message>
    <message>
        <source>the encoder {} refuses {} channels of {} samples a second ({})</source>
        <translation>编码器 {} 拒绝 {} 个声道、每秒 {} 个采样（{}）</translation>
    </message>
    <message>
        <source>Choose MP4 or WebM</source>
        <translation>请选择 MP4 或 WebM</translation>
    </message>
    <message>
        <source>its sound cannot be converted ({})</source>
        <translation>其声音无法转换（{}）</translation>
    </message>
    <message>
        <source>Choose another sound, such as a WAV, MP3 or M4A file, or write this one again</source>
        <translation>请选择其他声音，例如 WAV、MP3 或 M4A 文件，或重新写出此文件</translation>
    </message>
    <message>
        <source>its sound changes from {} samples a second to {}</source>
        <translation>其声音由每秒 {} 个采样变为 {} 个</translation>
    </message>
    <message>
        <source>this system&apos;s libavcodec cannot decode its sound ({})</source>
        <translation>本系统的 libavcodec 无法解码其声音（{}）</translation>
    </message>
    <message>
        <source>its sound ({}) cannot be decoded ({})</source>
        <translation>其声音（{}）无法解码（{}）</translation>
    </message>
    <message>
        <source>its sound cannot be read to the end</source>
        <translation>其声音无法读到末尾</translation>
    </message>
    <message>
        <source>the file has no sound</source>
        <translation>文件没有声音</translation>
    </message>
    <message>
        <source>nothing of its sound ({}) can be decoded</source>
        <translation>其声音（{}）完全无法解码</translation>
    </message>
    <message>
        <source>the sound has {} samples, and the sound encoder needs at least {}</source>
        <translation>声音有 {} 个采样，而声音编码器至少需要 {} 个</translation>
    </message>
    <message>
        <source>Choose a longer sound</source>
        <translation>请选择更长的声音</translation>
    </message>
    <message>
        <source>The norm {} is not supported</source>
        <translation>不支持归一化 {}</translation>
    </message>
    <message>
        <source>Supported are {} and {}</source>
        <translation>支持 {} 和 {}</translation>
    </message>
    <message>
        <source>{} channels cannot be shared out to {} groups</source>
        <translation>{} 个通道无法分给 {} 个组</translation>
    </message>
    <message>
        <source>it has {} audio injectors, and behind which blocks they are is known for the released models only</source>
        <translation>它有 {} 个音频注入器，它们位于哪些块之后仅对已发布的模型已知</translation>
    </message>
    <message>
        <source>Use Wan 2.2 S2V with image and speech</source>
        <translation>请使用 Wan 2.2 S2V，并给出 image 和 speech</translation>
    </message>
    <message>
        <source>character animation by a video (Animate-2), in few steps</source>
        <translation>用视频驱动角色动画（Animate-2），少步数</translation>
    </message>
    <message>
        <source>character animation by a video (Animate-2)</source>
        <translation>用视频驱动角色动画（Animate-2）</translation>
    </message>
    <message>
        <source>two tensors of the file have one place in the network</source>
        <translation>文件中两个张量在网络中占同一位置</translation>
    </message>
    <message>
        <source>Get the file again from where it was published</source>
        <translation>请从发布处重新获取文件</translation>
    </message>
    <message>
        <source>the network&apos;s tensor &apos;{}&apos; is missing</source>
        <translation>缺少网络的张量“{}”</translation>
    </message>
    <message>
        <source>the network&apos;s tensor &apos;{}&apos; has the shape {}, not {}</source>
        <translation>网络的张量“{}”形状为 {}，而不是 {}</translation>
    </message>
    <message>
        <source>Use RIFE {}</source>
        <translation>请使用 RIFE {}</translation>
    </message>
    <message>
        <source>this is FILM, which Meshreel does not compute</source>
        <translation>这是 FILM，Meshreel 不支持</translation>
    </message>
    <message>
        <source>this is no network that makes frames between two others</source>
        <translation>这不是生成两帧之间画面的网络</translation>
    </message>
    <message>
        <source>this is RIFE from before 4.5, which Meshreel does not compute</source>
        <translation>这是 4.5 之前的 RIFE，Meshreel 不支持</translation>
    </message>
    <message>
        <source>this form of RIFE is not among those that Meshreel computes, as 4.10 to 4.20 are not: {} blocks that take {} and make {} channels</source>
        <translation>Meshreel 不支持这种形式的 RIFE（4.10 至 4.20 亦然）：{} 个块，输入 {} 通道，输出 {} 通道</translation>
    </message>
    <message>
        <source>Use a network of ESRGAN&apos;s or Real-ESRGAN&apos;s kind, such as 4x-UltraSharp, RealESRGAN_x2plus or realesr-general-x4v3</source>
        <translation>请使用 ESRGAN 或 Real-ESRGAN 类网络，例如 4x-UltraSharp、RealESRGAN_x2plus 或 realesr-general-x4v3</translation>
    </message>
    <message>
        <source>its ends do not fit each other: {} channels go in, and {} convolutions are behind the blocks</source>
        <translation>其两端不匹配：输入 {} 个通道，块之后有 {} 个卷积</translation>
    </message>
    <message>
        <source>the file does not say which activation the network has</source>
        <translation>文件没有说明网络使用的激活函数</translation>
    </message>
    <message>
        <source>Use a network with PReLU, as realesr-general and realesr-animevideo have</source>
        <translation>请使用带 PReLU 的网络，如 realesr-general 和 realesr-animevideo</translation>
    </message>
    <message>
        <source>its last convolution makes no squares of colours</source>
        <translation>其最后的卷积不能生成颜色方块</translation>
    </message>
    <message>
        <source>this is no network of a kind that Meshreel enlarges pictures with</source>
        <translation>这不是 Meshreel 用于放大图像的网络类型</translation>
    </message>
    <message>
        <source>the network has a layer that Meshreel does not compute (&apos;{}&apos;)</source>
        <translation>网络含有 Meshreel 不支持的层（“{}”）</translation>
    </message>
    <message>
        <source>The variant {} was never released and is not supported</source>
        <translation>变体 {} 从未发布，不受支持</translation>
    </message>
    <message>
        <source>Supported is {}</source>
        <translation>支持 {}</translation>
    </message>
    <message>
        <source>The value is not a list of some of the {} blocks</source>
        <translation>该值不是 {} 个块中若干块的列表</translation>
    </message>
    <message>
        <source>The blocks do not ascend</source>
        <translation>这些块不是升序</translation>
    </message>
    <message>
        <source>This variant was never released and is not supported</source>
        <translation>此变体从未发布，不受支持</translation>
    </message>
    <message>
        <source>{} videos of this transformer need the hidden states [{}, {}, {}, columns] of a sound, with {} columns for each latent frame, got {}</source>
        <translation>此 Transformer 的 {} 个视频需要声音的隐藏状态 [{}, {}, {}, 列]，每个潜在帧 {} 列，实际为 {}</translation>
    </message>
    <message>
        <source>Use the sound encoder that belongs to the transformer</source>
        <translation>请使用与 Transformer 配套的声音编码器</translation>
    </message>
    <message>
        <source>a sound</source>
        <translation>声音</translation>
    </message>
    <message>
        <source>A driving video of latents {} does not go with latents {}, whose first frame shows the character</source>
        <translation>潜变量为 {} 的驱动视频与首帧显示角色的潜变量 {} 不匹配</translation>
    </message>
    <message>
        <source>Give it the size of the video, and a frame less</source>
        <translation>使其尺寸与视频相同，并少一帧</translation>
    </message>
    <message>
        <source>Latents of {} frames got the sound of {}</source>
        <translation>{} 帧的潜变量得到了 {} 帧的声音</translation>
    </message>
    <message>
        <source>Give {} columns of sound for each latent frame</source>
        <translation>请为每个潜在帧给出 {} 列声音</translation>
    </message>
    <message>
        <source>Sparse attention: {} % of the pairs of blocks were computed exactly</source>
        <translation>稀疏注意力：{} % 的块对经过精确计算</translation>
    </message>
    <message>
        <source>{}; {} of {} hops of keys were left out</source>
        <translation>{}；省去了 {}/{} 次键的跳转</translation>
    </message>
    <message>
        <source>{}; what was compared differs from dense attention by {} (relative L2)</source>
        <translation>{}；所比较的部分与稠密注意力相差 {}（相对 L2）</translation>
    </message>
    <message>
        <source>No tensor tells Animate-2 from image to video, and neither the model&apos;s name nor its configs say that it is Animate-2: of other weights {} makes nothing useful</source>
        <translation>没有张量能区分 Animate-2 与图生视频，模型的名称和配置也都没有说明它是 Animate-2：用其他权重时 {} 做不出有用的结果</translation>
    </message>
    <message>
        <source>{} leaves no blocks out, and sparse_attention is {}</source>
        <translation>{} 不能省去块，而 sparse_attention 为 {}</translation>
    </message>
    <message>
        <source>Use attention: {}, or sparse_attention: none</source>
        <translation>请使用 attention: {}，或 sparse_attention: none</translation>
    </message>
    <message>
        <source>Use sparse_attention: none</source>
        <translation>请使用 sparse_attention: none</translation>
    </message>
    <message>
        <source>sparse_attention {} needs all keys of a head on one device, and {} spreads them over {}</source>
        <translation>sparse_attention {} 要求一个头的所有键都在同一设备上，而 {} 将其分布到 {} 个设备</translation>
    </message>
    <message>
        <source>Use attention: ulysses, or sparse_attention: sol or radial</source>
        <translation>请使用 attention: ulysses，或 sparse_attention: sol 或 radial</translation>
    </message>
    <message>
        <source>Use sparse_attention: sol or radial</source>
        <translation>请使用 sparse_attention: sol 或 radial</translation>
    </message>
    <message>
        <source>Sparse attention begins at {} of the steps and ends at {}: there is none</source>
        <translation>稀疏注意力从步数的 {} 处开始、到 {} 处结束：没有这样的步</translation>
    </message>
    <message>
        <source>Write 1, or sparse_attention: none</source>
        <translation>请写 1，或 sparse_attention: none</translation>
    </message>
    <message>
        <source>Name a sound file, such as WAV, MP3 or M4A, or a video with sound</source>
        <translation>请指定声音文件（例如 WAV、MP3 或 M4A）或带声音的视频</translation>
    </message>
    <message>
        <source>flash_block_sizes are those of sparse attention, too</source>
        <translation>flash_block_sizes 也用于稀疏注意力</translation>
    </message>
    <message>
        <source>sparse_start_percent and sparse_end_percent say which steps</source>
        <translation>由 sparse_start_percent 和 sparse_end_percent 决定哪些步</translation>
    </message>
    <message>
        <source>sparse_dense_layers says which layers</source>
        <translation>由 sparse_dense_layers 决定哪些层</translation>
    </message>
    <message>
        <source>Write sparse_attention: svg</source>
        <translation>请写 sparse_attention: svg</translation>
    </message>
    <message>
        <source>Write the numbers of transformer blocks, from 0 on, separated by commas</source>
        <translation>请写 Transformer 块的编号，从 0 开始，用逗号分隔</translation>
    </message>
    <message>
        <source>The queue has no list of runs</source>
        <translation>队列中没有运行列表</translation>
    </message>
    <message>
        <source>the lock of the queue cannot be opened ({})</source>
        <translation>无法打开队列的锁（{}）</translation>
    </message>
    <message>
        <source>Check the path and its permissions</source>
        <translation>请检查路径及其权限</translation>
    </message>
    <message>
        <source>another program has held the queue for {} s</source>
        <translation>另一个程序已占用队列 {} 秒</translation>
    </message>
    <message>
        <source>Close other programs that use the queue, or try again</source>
        <translation>请关闭使用该队列的其他程序，或重试</translation>
    </message>
    <message>
        <source>the video was written in another format than it is finished in</source>
        <translation>视频写入的格式与成品格式不同</translation>
    </message>
    <message>
        <source>Write video_format: webm</source>
        <translation>请写 video_format: webm</translation>
    </message>
    <message>
        <source>Finished video: {}</source>
        <translation>成品视频：{}</translation>
    </message>
    <message>
        <source>The disk is mounted read-only: choose a folder on another one</source>
        <translation>磁盘以只读方式挂载：请选择其他磁盘上的文件夹</translation>
    </message>
    <message>
        <source>Where a company&apos;s proxy reads the traffic, set SSL_CERT_FILE to a file with the certificate of its authority</source>
        <translation>如果公司代理会检查流量，请将 SSL_CERT_FILE 设为包含其颁发机构证书的文件</translation>
    </message>
    <message>
        <source>the proxy between here and {} asks for a user and a password (HTTP 407)</source>
        <translation>此处与 {} 之间的代理要求用户名和密码（HTTP 407）</translation>
    </message>
    <message>
        <source>Write them into https_proxy: http://USER:PASSWORD@PROXY:PORT</source>
        <translation>请写入 https_proxy：http://USER:PASSWORD@PROXY:PORT</translation>
    </message>
    <message>
        <source>The sound is compressed anew: {}</source>
        <translation>声音将重新压缩：{}</translation>
    </message>
    <message>
        <source>this JPEG has four colours (as for print) and does not say which</source>
        <translation>此 JPEG 有四种颜色（如用于印刷），但未说明是哪些颜色</translation>
    </message>
    <message>
        <source>Convert it to PNG or to a JPEG of red, green and blue</source>
        <translation>请转换为 PNG 或红绿蓝的 JPEG</translation>
    </message>
    <message>
        <source>Choose a part that it has</source>
        <translation>请选择其中存在的部分</translation>
    </message>
    <message>
        <source>its sound begins at {} seconds</source>
        <translation>其声音从第 {} 秒开始</translation>
    </message>
    <message>
        <source>its sound changes its form on the way</source>
        <translation>其声音的格式中途改变</translation>
    </message>
    <message>
        <source>Use a sound with one or two channels</source>
        <translation>请使用单声道或双声道的声音</translation>
    </message>
    <message>
        <source>The sound stays as it is ({}), and players of Apple and some editors play none of this kind in MP4: choose WebM, or a file whose sound is AAC.</source>
        <translation>声音保持不变（{}），而 Apple 的播放器和部分剪辑软件无法播放 MP4 中的这种声音：请选择 WebM，或使用 AAC 声音的文件。</translation>
    </message>
    <message>
        <source>The colon behind {}, or the space after it, is that of another keyboard</source>
        <translation>{} 后面的冒号或其后的空格来自另一种键盘</translation>
    </message>
    <message>
        <source>Write {}: with an ASCII colon and a space behind it</source>
        <translation>请写成 {}:，用半角冒号并在其后加一个空格</translation>
    </message>
    <message>
        <source>this tensor of the adapter holds NaN or infinity</source>
        <translation>适配器的此张量包含 NaN 或无穷大</translation>
    </message>
    <message>
        <source>Its training failed: use an earlier file of it, or another adapter</source>
        <translation>其训练已失败：请使用更早的文件或其他适配器</translation>
    </message>
    <message>
        <source>{} with a scale of its own kind ({})</source>
        <translation>带有自有类型缩放的 {}（{}）</translation>
    </message>
    <message>
        <source>it holds two adapters: &apos;{}&apos; and &apos;{}&apos; are for the same layer</source>
        <translation>它包含两个适配器：“{}”和“{}”属于同一层</translation>
    </message>
    <message>
        <source>Save the one that you want into a file of its own</source>
        <translation>请将需要的那个单独保存为一个文件</translation>
    </message>
    <message>
        <source>its keys name layers of the transformer in a form that is not read</source>
        <translation>它的键以无法读取的形式指向 Transformer 的层</translation>
    </message>
    <message>
        <source>Convert it to the keys of ComfyUI or PEFT, as its trainer describes</source>
        <translation>请按训练工具的说明转换为 ComfyUI 或 PEFT 的键</translation>
    </message>
    <message>
        <source>this is one of {} files, and of these are missing: {}</source>
        <translation>这是 {} 个文件之一，其中缺少：{}</translation>
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
    <message>
        <source>Inference, undivided</source>
        <translation>推理（未细分）</translation>
    </message>
    <message>
        <source>FLOP per byte that has to be moved</source>
        <translation>每移动一字节的 FLOP</translation>
    </message>
    <message>
        <source>Operations under the machine&apos;s limits</source>
        <translation>机器上限之下的各项运算</translation>
    </message>
    <message>
        <source>%1, memory %2 GB/s</source>
        <translation>%1，内存 %2 GB/s</translation>
    </message>
    <message>
        <source>, standard deviation %1</source>
        <translation>，标准差 %1</translation>
    </message>
    <message>
        <source> (the project&apos;s own)</source>
        <translation>（项目自身）</translation>
    </message>
    <message>
        <source>GPU idle</source>
        <translation>GPU 空闲</translation>
    </message>
    <message>
        <source>Seconds of inference</source>
        <translation>推理秒数</translation>
    </message>
    <message>
        <source>Preferred in % of comparisons</source>
        <translation>比较中被偏好的百分比</translation>
    </message>
    <message>
        <source>Preferred: %1 % (%2 to %3 %), %4 votes</source>
        <translation>被偏好：%1 %（%2 至 %3 %），%4 票</translation>
    </message>
    <message>
        <source>Seconds of inference: %1</source>
        <translation>推理秒数：%1</translation>
    </message>
    <message>
        <source> (%1 to %2)</source>
        <comment>least and most seconds</comment>
        <translation>（%1 至 %2）</translation>
    </message>
</context>
<context>
    <name>TrustSheet</name>
    <message>
        <source>… and %1 more.</source>
        <translation>……还有 %1 项。</translation>
    </message>
</context>
<context>
    <name>main</name>
    <message>
        <source>Studio for Wan video generation.</source>
        <translation>Wan 视频生成工作室。</translation>
    </message>
    <message>
        <source>Go on at once with the runs that wait in the queue.</source>
        <translation>立即继续执行队列中等待的运行。</translation>
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
        <source>Appears during a run</source>
        <translation>运行期间显示</translation>
    </message>
    <message>
        <source>The arrow keys, Home and End go from moment to moment, Escape hides the values.</source>
        <translation>方向键、Home 和 End 在各时刻之间移动，Esc 不再显示任何时刻。</translation>
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
        <translation>本程序占用的处理器数；不含所启动各进程占用的</translation>
    </message>
    <message>
        <source>Memory of this program without pages of files; that of launched ranks is not in it</source>
        <translation>本程序的内存，不含文件页；不含所启动各进程的内存</translation>
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
        <source>No line of the log has these words.</source>
        <translation>日志中没有包含这些词的行。</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Save log…</source>
        <translation>保存日志…</translation>
    </message>
    <message>
        <source>Write the whole log to a file, to be sent with a report</source>
        <translation>将整个日志写入文件，以便随报告一起发送</translation>
    </message>
    <message>
        <source>Save log</source>
        <translation>保存日志</translation>
    </message>
    <message>
        <source>Text (*.txt)</source>
        <translation>文本 (*.txt)</translation>
    </message>
    <message>
        <source>Processors and memory</source>
        <translation>处理器与内存</translation>
    </message>
    <message>
        <source>What a run reports is listed here and can be searched: press Run.</source>
        <translation>运行报告的内容会列在这里，可供搜索：请点击“运行”。</translation>
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
        <translation>用于 Wan 2.2 两个 Transformer 中的哪一个</translation>
    </message>
    <message>
        <source>as its name says</source>
        <translation>按其名称</translation>
    </message>
    <message>
        <source>Use adapter %1</source>
        <translation>使用适配器 %1</translation>
    </message>
    <message>
        <source>Use this adapter. Switched off, its strength is 0, and its file is not read.</source>
        <translation>使用此适配器。关闭后其强度为 0，且不读取其文件。</translation>
    </message>
</context>
<context>
    <name>meshreel::AddButton</name>
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
        <source>Compare with a TIMING SUMMARY block copied from elsewhere</source>
        <translation>与从别处复制的 TIMING SUMMARY 块比较</translation>
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
        <source>Paste timings</source>
        <translation>粘贴计时</translation>
    </message>
    <message>
        <source>TIMING SUMMARY blocks, with the text around them if you like:</source>
        <translation>TIMING SUMMARY 块，可连同前后的文本：</translation>
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
        <source>queries ÷ C, all keys</source>
        <translation>查询 ÷ C，全部键</translation>
    </message>
    <message>
        <source>tokens ÷ C</source>
        <translation>词元 ÷ C</translation>
    </message>
    <message>
        <source>heads ÷ U, tokens ÷ R</source>
        <translation>头 ÷ U，词元 ÷ R</translation>
    </message>
    <message>
        <source>heads ÷ C, all tokens</source>
        <translation>头 ÷ C，全部词元</translation>
    </message>
    <message>
        <source>While it computes, a device holds %1.</source>
        <translation>计算时每个设备持有：%1。</translation>
    </message>
    <message>
        <source>What a device has while it computes an attention: of what stands before ÷ its part, shared out over the context axis (C), an ulysses group (U) or a ring (R)</source>
        <translation>计算注意力时每个设备持有的内容：÷ 前面的部分在上下文轴（C）、Ulysses 组（U）或环（R）上划分，设备持有其中一份</translation>
    </message>
    <message>
        <source>A device holds</source>
        <translation>每个设备持有</translation>
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
        <source>All sizes 0: the kernel then takes what suits this processor</source>
        <translation>所有大小均为 0：内核将采用适合此处理器的大小</translation>
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
    <message>
        <source>Block sizes and tiles</source>
        <translation>块大小与分块</translation>
    </message>
    <message>
        <source>modes</source>
        <comment>beside a divider</comment>
        <translation>模式</translation>
    </message>
    <message>
        <source>block sizes</source>
        <comment>beside a divider</comment>
        <translation>块大小</translation>
    </message>
    <message>
        <source>The letters in “A device holds”: R × U = C</source>
        <translation>“每个设备持有”中的字母：R × U = C</translation>
    </message>
    <message>
        <source>C = %1 devices of the context axis · U = %2 in a Ulysses group · R = %3 such groups</source>
        <translation>C = 上下文轴的 %1 个设备 · U = 每个 Ulysses 组 %2 个 · R = %3 个这样的组</translation>
    </message>
    <message>
        <source>Fastest on %1: %2 × %3</source>
        <comment>hardware, queries, keys</comment>
        <translation>在 %1 上最快：%2 × %3</translation>
    </message>
    <message>
        <source>Foreseen, not measured: %1 s a step</source>
        <translation>预估而非实测：每步 %1 秒</translation>
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
    <name>meshreel::BenchForm</name>
    <message>
        <source> s</source>
        <comment>seconds, behind a number</comment>
        <translation> 秒</translation>
    </message>
    <message>
        <source>Compare with a file that meshreel bench wrote</source>
        <translation>与 meshreel bench 写出的文件比较</translation>
    </message>
    <message>
        <source>Compare with a file</source>
        <translation>与文件比较</translation>
    </message>
    <message>
        <source>Group</source>
        <translation>组</translation>
    </message>
    <message>
        <source>What is measured beside this machine&apos;s limits</source>
        <translation>在本机极限旁测量的内容</translation>
    </message>
    <message>
        <source>Passes</source>
        <translation>遍数</translation>
    </message>
    <message>
        <source>Passes of each row that count, behind one for warming up</source>
        <translation>每行计入的遍数，之前有一遍预热</translation>
    </message>
    <message>
        <source>At most</source>
        <translation>最多</translation>
    </message>
    <message>
        <source>No new pass of a row begins after this long</source>
        <translation>超过此时间后，该行不再开始新的一遍</translation>
    </message>
    <message>
        <source>Compare with</source>
        <translation>比较对象</translation>
    </message>
    <message>
        <source>The verdict compares with: %1</source>
        <comment>an earlier measurement</comment>
        <translation>判定的比较对象：%1</translation>
    </message>
    <message>
        <source>%1.</source>
        <comment>what a group of benchmarks is</comment>
        <translation>%1。</translation>
    </message>
    <message>
        <source>Nothing</source>
        <comment>is compared with</comment>
        <translation>无</translation>
    </message>
    <message>
        <source>%1, version %2</source>
        <comment>date, number</comment>
        <translation>%1，版本 %2</translation>
    </message>
    <message>
        <source>%1, version %2, not complete</source>
        <comment>date, number</comment>
        <translation>%1，版本 %2，不完整</translation>
    </message>
</context>
<context>
    <name>meshreel::BenchModel</name>
    <message>
        <source>the limit</source>
        <comment>that others are a share of</comment>
        <translation>极限</translation>
    </message>
    <message>
        <source>the reference</source>
        <comment>that others are compared with</comment>
        <translation>基准</translation>
    </message>
    <message>
        <source>%1 × %2</source>
        <comment>factor, name of a row</comment>
        <translation>%2 的 %1 倍</translation>
    </message>
    <message>
        <source>about %1 % of %2</source>
        <comment>share, name of a limit</comment>
        <translation>约为 %2 的 %1 %</translation>
    </message>
    <message>
        <source>%1 % of %2</source>
        <comment>share, name of a limit</comment>
        <translation>%2 的 %1 %</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>number, unit</comment>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>The machine&apos;s limit moved by %1 % beside this row: measure again when nothing else runs</source>
        <translation>测量该行时本机极限波动了 %1 %：请在没有其他程序运行时再次测量</translation>
    </message>
    <message>
        <source>What the open project computes</source>
        <translation>打开的项目所计算的内容</translation>
    </message>
    <message>
        <source>%1, what the open project computes</source>
        <comment>name of a row</comment>
        <translation>%1，打开的项目所计算的内容</translation>
    </message>
    <message>
        <source>Row</source>
        <translation>行</translation>
    </message>
    <message>
        <source>Time</source>
        <comment>that a row took</comment>
        <translation>时间</translation>
    </message>
    <message>
        <source>Share of the limit</source>
        <translation>占极限的比例</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>判定</translation>
    </message>
    <message>
        <source>Before</source>
        <translation>之前</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>速率</translation>
    </message>
    <message>
        <source>Median of the passes; slowest less fastest pass, in percent of it</source>
        <translation>各遍的中位数；最慢减最快，占其百分比</translation>
    </message>
    <message>
        <source>Of what this machine does at most, measured beside the row; or how it compares with another row</source>
        <translation>占本机最大能力（与该行一同测量）的比例；或与另一行的比较</translation>
    </message>
    <message>
        <source>Median and spread of the measurement that is compared with</source>
        <translation>所比较测量的中位数和离散度</translation>
    </message>
    <message>
        <source>Beside the earlier measurement: the range that holds the true difference in nine of ten comparisons; where it is within the noise, how often to repeat</source>
        <translation>与较早测量相比：十次比较中有九次包含真实差异的范围；若在噪声内，则为应重复的次数</translation>
    </message>
</context>
<context>
    <name>meshreel::BenchPanel</name>
    <message>
        <source>A benchmark times what the engine computes, beside this machine&apos;s own limits and what it took before. Choose a group and press Run.</source>
        <translation>基准测试测量引擎计算所需的时间，并与本机自身的极限和以前的时间对照。选择一组，然后按“运行”。</translation>
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
        <source>Repeat</source>
        <translation>重复</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>Stops; rows that are done are kept</source>
        <translation>停止；已完成的行会保留</translation>
    </message>
    <message>
        <source>Write the rows to a file, as a table or for meshreel bench --against</source>
        <translation>将各行写入文件，作为表格或供 meshreel bench --against 使用</translation>
    </message>
    <message>
        <source>Progress of the measurement</source>
        <translation>测量进度</translation>
    </message>
    <message>
        <source>Rows of the benchmark</source>
        <translation>基准测试的行</translation>
    </message>
    <message>
        <source>Compare with a measurement</source>
        <translation>与一次测量比较</translation>
    </message>
    <message>
        <source>Measurements (*.json *.jsonl)</source>
        <translation>测量 (*.json *.jsonl)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
    <message>
        <source>Cancelled.</source>
        <translation>已取消。</translation>
    </message>
    <message>
        <source>Export the rows</source>
        <translation>导出各行</translation>
    </message>
    <message>
        <source>Table (*.csv)</source>
        <translation>表格 (*.csv)</translation>
    </message>
    <message>
        <source>Measurement (*.json)</source>
        <translation>测量 (*.json)</translation>
    </message>
    <message>
        <source>The rows were written to %1</source>
        <translation>各行已写入 %1</translation>
    </message>
    <message numerus="yes">
        <source>%n rows measured in %1</source>
        <comment>duration</comment>
        <translation>
            <numerusform>用时 %1 测量了 %n 行</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n rows, measured %1 by version %2 on %3.</source>
        <comment>date, version, processor</comment>
        <translation>
            <numerusform>%n 行，%1 由版本 %2 在 %3 上测量。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The machine was too restless for the shares of %n rows.</source>
        <translation>
            <numerusform>本机波动过大，%n 行的占比不可靠。</numerusform>
        </translation>
    </message>
    <message>
        <source>What it is to be compared with is of %1.</source>
        <comment>processor</comment>
        <translation>比较对象属于 %1。</translation>
    </message>
    <message>
        <source>Measures the rows of the group; let nothing else run</source>
        <translation>测量该组的各行；请勿同时运行其他程序</translation>
    </message>
    <message>
        <source>Another version measured these rows: run the group first</source>
        <translation>这些行由另一版本测量：请先运行该组</translation>
    </message>
    <message>
        <source>Select rows to measure them again</source>
        <translation>选择要再次测量的行</translation>
    </message>
    <message numerus="yes">
        <source>Measures %n rows again, %1 times each</source>
        <comment>number</comment>
        <translation>
            <numerusform>再次测量 %n 行，每行 %1 次</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n kept measurements cannot be read and are left out</source>
        <translation>
            <numerusform>有 %n 项保存的测量结果无法读取，已略去</numerusform>
        </translation>
    </message>
    <message>
        <source>Not all of the group was measured.</source>
        <translation>该组未全部测量。</translation>
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
    <message>
        <source>Other models to download</source>
        <translation>可下载的其他模型</translation>
    </message>
    <message>
        <source>%1 to download</source>
        <comment>family of models</comment>
        <translation>可下载的 %1</translation>
    </message>
    <message>
        <source>Adapters to download</source>
        <translation>可下载的适配器</translation>
    </message>
    <message>
        <source>Small decoders to download</source>
        <translation>可下载的小型解码器</translation>
    </message>
    <message>
        <source>Parts of models to download</source>
        <translation>可下载的模型部件</translation>
    </message>
    <message>
        <source>diffusers folder</source>
        <comment>a way to get a model</comment>
        <translation>diffusers 文件夹</translation>
    </message>
    <message>
        <source>On this machine</source>
        <translation>本机已有</translation>
    </message>
    <message>
        <source>This machine</source>
        <translation>本机</translation>
    </message>
</context>
<context>
    <name>meshreel::ChartPanel</name>
    <message>
        <source>Chart of the steps</source>
        <translation>各步图表</translation>
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
        <source>Open a run</source>
        <translation>打开运行</translation>
    </message>
    <message>
        <source>Each step appears here during a run, or when you open a past one.</source>
        <translation>运行期间或打开过去的运行时，每一步都显示在这里。</translation>
    </message>
</context>
<context>
    <name>meshreel::ChartView</name>
    <message>
        <source>Logarithmic</source>
        <translation>对数刻度</translation>
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
    <message>
        <source>Plus and minus zoom, with Ctrl upright; the arrow keys move; 0 shows everything. Comma and full stop go from value to value, Enter marks the place of one. The menu key lists what can be hidden.</source>
        <translation>加号和减号缩放（按住 Ctrl 则纵向缩放），方向键平移，0 显示全部。逗号和句点在各个值之间移动，Enter 标记该值的位置。菜单键列出可以隐藏的内容。</translation>
    </message>
    <message>
        <source>Copy chart</source>
        <translation>复制图表</translation>
    </message>
</context>
<context>
    <name>meshreel::ClampedText</name>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
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
        <translation>视频的比较方式</translation>
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
    <message>
        <source>This frame: %1 · the first %2 frames: %3</source>
        <translation>此帧：%1 · 前 %2 帧：%3</translation>
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
    <message>
        <source>%1 × %2, as it is</source>
        <comment>width, height</comment>
        <translation>%1 × %2，原始大小</translation>
    </message>
    <message>
        <source>%1 × %2 (×%3)</source>
        <comment>width, height, factor</comment>
        <translation>%1 × %2（×%3）</translation>
    </message>
    <message>
        <source>&amp;Size:</source>
        <translation>大小(&amp;S)：</translation>
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
        <source>PNG pictures (*.png)</source>
        <translation>PNG 图片 (*.png)</translation>
    </message>
    <message>
        <source>Copy the videos into a folder</source>
        <translation>将视频复制到文件夹</translation>
    </message>
    <message>
        <source>Without a video: %1.</source>
        <translation>没有视频：%1。</translation>
    </message>
    <message numerus="yes">
        <source>%n videos were copied</source>
        <translation>
            <numerusform>已复制 %n 个视频</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::ClipPairView</name>
    <message>
        <source>Two videos</source>
        <translation>两个视频</translation>
    </message>
    <message>
        <source>Videos of two sizes have no difference</source>
        <translation>尺寸不同的视频没有差异图</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>差异</translation>
    </message>
    <message>
        <source>The wheel zooms, dragging moves, a double click fits (+, -, Shift with an arrow key, 0). Comma and full stop move the wipe.</source>
        <translation>滚轮缩放，拖动平移，双击适应窗口（+、-、Shift 加方向键、0）。逗号和句点移动划像线。</translation>
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
    <message>
        <source>The videos have %1 and %2 frames: the first %3 are compared.</source>
        <translation>两个视频分别有 %1 帧和 %2 帧：比较的是前 %3 帧。</translation>
    </message>
    <message>
        <source>They have %1 and %2 frames per second: both are played at %1, frame beside frame.</source>
        <translation>帧率分别为每秒 %1 帧和 %2 帧：两者都按每秒 %1 帧逐帧对照播放。</translation>
    </message>
</context>
<context>
    <name>meshreel::ClosingQuestion</name>
    <message>
        <source>Block sizes are being timed</source>
        <translation>正在测量块大小</translation>
    </message>
    <message>
        <source>Stop the search and quit? What it has found so far would be lost.</source>
        <translation>停止搜索并退出？目前的结果将会丢失。</translation>
    </message>
    <message>
        <source>Stop and quit</source>
        <translation>停止并退出</translation>
    </message>
    <message>
        <source>Keep running</source>
        <translation>继续运行</translation>
    </message>
    <message>
        <source>A run is in progress</source>
        <translation>正在运行</translation>
    </message>
    <message>
        <source>Quit now? Finished steps are kept; you can resume the run later.</source>
        <translation>现在退出吗？已完成的步骤会保留，稍后可以继续运行。</translation>
    </message>
    <message>
        <source>A sweep is in progress</source>
        <translation>扫描正在进行</translation>
    </message>
    <message>
        <source>Quit now? Finished passes are kept; the sweep continues when you open it again.</source>
        <translation>现在退出吗？已完成的测量会保留；再次打开时扫描会继续。</translation>
    </message>
    <message>
        <source>A benchmark is being measured</source>
        <translation>正在测量基准测试</translation>
    </message>
    <message>
        <source>Quit now? Rows that are done are kept.</source>
        <translation>现在退出吗？已完成的行会保留。</translation>
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
        <translation>宽度和顺序</translation>
    </message>
    <message>
        <source>Widths</source>
        <translation>宽度</translation>
    </message>
    <message>
        <source>Resize to contents</source>
        <translation>适应内容宽度</translation>
    </message>
    <message>
        <source>Reset columns</source>
        <translation>重置列</translation>
    </message>
    <message>
        <source>&amp;Wider</source>
        <translation>加宽(&amp;W)</translation>
    </message>
    <message>
        <source>&amp;Narrower</source>
        <translation>变窄(&amp;N)</translation>
    </message>
    <message>
        <source>As wide as its &amp;contents</source>
        <translation>适应内容宽度(&amp;C)</translation>
    </message>
    <message>
        <source>To the &amp;left</source>
        <translation>左移(&amp;L)</translation>
    </message>
    <message>
        <source>To the &amp;right</source>
        <translation>右移(&amp;R)</translation>
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
        <translation>比较内容</translation>
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
        <translation>将全部内容写成一页：耗时、设置、图片、图表</translation>
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
        <source>Copy timing summaries</source>
        <translation>复制计时摘要</translation>
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
    <message>
        <source>None of these runs recorded what its devices did. Compare runs that finished a step.</source>
        <translation>这些运行都没有记录设备做了什么。请比较至少完成了一步的运行。</translation>
    </message>
    <message>
        <source>None of these runs finished a step. Compare runs that got as far as denoising.</source>
        <translation>这些运行都没有完成任何一步。请比较进行到去噪的运行。</translation>
    </message>
    <message>
        <source>chart</source>
        <comment>beside a divider</comment>
        <translation>图表</translation>
    </message>
    <message>
        <source>tables</source>
        <comment>beside a divider</comment>
        <translation>表格</translation>
    </message>
    <message>
        <source>Inference only</source>
        <translation>仅推理</translation>
    </message>
    <message>
        <source>Baseline</source>
        <translation>基准</translation>
    </message>
    <message>
        <source>Speeds are relative to this run</source>
        <translation>速度相对于此运行</translation>
    </message>
    <message>
        <source>Leaves out loading and compiling, in the chart of stages and in speeds</source>
        <translation>在阶段图表和速度中不计加载与编译</translation>
    </message>
    <message>
        <source>against %1</source>
        <comment>baseline, a run</comment>
        <translation>对比 %1</translation>
    </message>
    <message>
        <source>Repeat</source>
        <translation>重复</translation>
    </message>
    <message numerus="yes">
        <source>Queues %n runs: those within the noise and the baseline, as often as it takes to tell them apart. They join the comparison when they are done.</source>
        <translation>
            <numerusform>将 %n 个运行加入队列：处于波动之内的运行和基准，重复到能够分辨为止。完成后加入比较。</numerusform>
        </translation>
    </message>
    <message>
        <source>No run of a folder is within the noise of the baseline</source>
        <translation>没有文件夹中的运行处于基准的波动之内</translation>
    </message>
    <message numerus="yes">
        <source>Queue %n runs? Each makes its whole video again.</source>
        <translation>
            <numerusform>将 %n 个运行加入队列？每个都会重新生成整个视频。</numerusform>
        </translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>评分</translation>
    </message>
    <message>
        <source>Quality against time</source>
        <translation>质量对时间</translation>
    </message>
    <message>
        <source>Writing the report…</source>
        <translation>正在写入报告…</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
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
        <translation>复制计时摘要</translation>
    </message>
    <message>
        <source>Copy best configurations</source>
        <translation>复制最佳配置</translation>
    </message>
    <message>
        <source>Settings that differ (%1)</source>
        <translation>不同的设置（%1）</translation>
    </message>
    <message>
        <source>All settings are the same</source>
        <translation>所有设置都相同</translation>
    </message>
    <message>
        <source>Use as &amp;baseline</source>
        <translation>用作基准(&amp;B)</translation>
    </message>
    <message>
        <source>Speeds are relative to this run</source>
        <translation>速度相对于此运行</translation>
    </message>
    <message>
        <source>Quality</source>
        <translation>质量</translation>
    </message>
    <message>
        <source>Of runs that differ in a setting which changes their pictures</source>
        <translation>用于在会改变画面的设置上不同的运行</translation>
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
        <translation>Transformer 的序列长度。自注意力的计算量与其平方成正比。</translation>
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
    <message>
        <source>Weights: %1</source>
        <comment>memory</comment>
        <translation>权重：%1</translation>
    </message>
    <message>
        <source>Activations: %1</source>
        <comment>memory</comment>
        <translation>激活：%1</translation>
    </message>
    <message>
        <source>Buffers of the exchange: %1</source>
        <comment>memory</comment>
        <translation>交换缓冲区：%1</translation>
    </message>
    <message>
        <source>of %1 a device</source>
        <comment>memory</comment>
        <translation>每个设备共 %1</translation>
    </message>
    <message>
        <source>Fastest of as many devices: %1 with %2, %3 a step</source>
        <comment>mesh, mode, duration</comment>
        <translation>同样设备数中最快：%1（%2），每步 %3</translation>
    </message>
    <message>
        <source>Efficiencies from %1; four of five measurements fall within the range.</source>
        <comment>own times, class mean</comment>
        <translation>效率来源：%1；五次测量中有四次落在此范围内。</translation>
    </message>
    <message>
        <source>Encoding</source>
        <translation>编码</translation>
    </message>
    <message>
        <source>GPU memory</source>
        <translation>GPU 内存</translation>
    </message>
    <message>
        <source>; guidance by prompt and pictures computes each step three times</source>
        <translation>；提示词和图片引导使每步计算三次</translation>
    </message>
    <message>
        <source>Memory here</source>
        <comment>of this machine, beside that of other hardware</comment>
        <translation>本机内存</translation>
    </message>
    <message>
        <source>Memory there</source>
        <comment>of other hardware, beside that of this machine</comment>
        <translation>目标内存</translation>
    </message>
    <message>
        <source>Predicting for %1 × %2</source>
        <comment>number of devices, hardware</comment>
        <translation>预测对象：%1 × %2</translation>
    </message>
    <message>
        <source>; guidance by prompt, pictures and video computes each step four times</source>
        <translation>；提示词、图片和视频引导使每步计算四次</translation>
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
    <message>
        <source>Time here</source>
        <comment>on this machine, beside that on other hardware</comment>
        <translation>本机时间</translation>
    </message>
    <message>
        <source>time not known</source>
        <comment>of a step on other hardware</comment>
        <translation>时间未知</translation>
    </message>
    <message>
        <source>Problems says why.</source>
        <translation>原因见“问题”。</translation>
    </message>
    <message>
        <source>Plan for this machine alone</source>
        <translation>仅为本机规划</translation>
    </message>
    <message>
        <source>Plan for this machine alone, not for %1</source>
        <comment>hardware</comment>
        <translation>仅为本机规划，而不是 %1</translation>
    </message>
    <message>
        <source>What the project takes on %1. Runs happen on this machine, whose problems decide whether they can.</source>
        <comment>hardware</comment>
        <translation>项目在 %1 上的需求。运行在本机进行，能否运行由本机的问题决定。</translation>
    </message>
    <message>
        <source>Predicting for %1</source>
        <comment>hardware</comment>
        <translation>预测对象：%1</translation>
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
        <translation>等待</translation>
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
        <translation>步</translation>
    </message>
    <message>
        <source>Received</source>
        <translation>已接收</translation>
    </message>
    <message>
        <source>GPU idle</source>
        <translation>GPU 空闲</translation>
    </message>
    <message>
        <source>%1 computing, %2 GPU idle, %3 exchange, %4 waiting; %5 received</source>
        <comment>durations and bytes</comment>
        <translation>计算 %1，GPU 空闲 %2，交换 %3，等待 %4；已接收 %5</translation>
    </message>
    <message numerus="yes">
        <source>%n steps: the GPU computes %1 of the time and stands still for %2, while the CPU prepares its work or takes its results.</source>
        <translation>
            <numerusform>%n 步：GPU 有 %1 的时间在计算，%2 处于空闲，其间 CPU 准备其工作或取走结果。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n steps: the GPUs compute %1 of the time, stand still for %2 beside the CPU, exchange %3 and wait %4; device %5 waits most, %6.</source>
        <translation>
            <numerusform>%n 步：各 GPU 有 %1 的时间在计算，%2 因 CPU 工作而空闲，%3 在交换，%4 在等待；设备 %5 等待最多，为 %6。</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 · GPU</source>
        <comment>number of a device</comment>
        <translation>%1 · GPU</translation>
    </message>
    <message>
        <source>The GPU stands still, while the CPU prepares its work or takes its results</source>
        <translation>GPU 处于空闲，其间 CPU 准备其工作或取走结果</translation>
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
        <translation>与 %1 交换注意力头</translation>
    </message>
    <message>
        <source>Device %1</source>
        <comment>number</comment>
        <translation>设备 %1</translation>
    </message>
    <message>
        <source>: holds tokens %1; computes tokens %2 of heads %3</source>
        <comment>ranges</comment>
        <translation>：持有词元 %1；计算注意力头 %3 的词元 %2</translation>
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
    <message>
        <source>adds up layers with %1</source>
        <translation>与 %1 累加各层结果</translation>
    </message>
    <message>
        <source>gathers weights from %1</source>
        <translation>从 %1 汇集权重</translation>
    </message>
    <message>
        <source>gathers predictions from %1</source>
        <translation>从 %1 汇集预测</translation>
    </message>
    <message>
        <source>, on GPU %1</source>
        <comment>number</comment>
        <translation>，在 GPU %1 上</translation>
    </message>
    <message>
        <source> Devices with pins are GPUs.</source>
        <comment>behind another sentence</comment>
        <translation> 带引脚的设备是 GPU。</translation>
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
        <translation>多设备运行进行时，或打开以往的运行时，这里会绘制每个设备计算、交换和等待的时间。</translation>
    </message>
    <message>
        <source>What the devices did</source>
        <translation>设备的工作情况</translation>
    </message>
</context>
<context>
    <name>meshreel::DockHost</name>
    <message>
        <source>&amp;Close this panel</source>
        <translation>关闭此面板(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Float this panel, or dock it again</source>
        <translation>浮动此面板，或重新停靠(&amp;F)</translation>
    </message>
</context>
<context>
    <name>meshreel::DockMover</name>
    <message>
        <source>&amp;Move this panel</source>
        <translation>移动此面板(&amp;M)</translation>
    </message>
    <message>
        <source>To the &amp;left edge</source>
        <translation>到左边缘(&amp;L)</translation>
    </message>
    <message>
        <source>To the &amp;right edge</source>
        <translation>到右边缘(&amp;R)</translation>
    </message>
    <message>
        <source>To the &amp;top</source>
        <translation>到顶部(&amp;T)</translation>
    </message>
    <message>
        <source>To the &amp;bottom</source>
        <translation>到底部(&amp;B)</translation>
    </message>
    <message>
        <source>L&amp;eft of</source>
        <translation>置于其左侧(&amp;E)</translation>
    </message>
    <message>
        <source>Ri&amp;ght of</source>
        <translation>置于其右侧(&amp;G)</translation>
    </message>
    <message>
        <source>&amp;Above</source>
        <translation>置于其上方(&amp;A)</translation>
    </message>
    <message>
        <source>Bel&amp;ow</source>
        <translation>置于其下方(&amp;O)</translation>
    </message>
    <message>
        <source>As a tab w&amp;ith</source>
        <translation>与其合为标签页(&amp;I)</translation>
    </message>
    <message>
        <source>&amp;Size of this panel</source>
        <translation>此面板的大小(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Wider</source>
        <translation>加宽(&amp;W)</translation>
    </message>
    <message>
        <source>&amp;Narrower</source>
        <translation>变窄(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Taller</source>
        <translation>加高(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Shorter</source>
        <translation>变矮(&amp;S)</translation>
    </message>
</context>
<context>
    <name>meshreel::DrawerBar</name>
    <message>
        <source>Drawer</source>
        <translation>抽屉</translation>
    </message>
    <message>
        <source>Close %1</source>
        <comment>title of a panel</comment>
        <translation>关闭%1</translation>
    </message>
    <message>
        <source>Open %1</source>
        <comment>title of a panel</comment>
        <translation>打开%1</translation>
    </message>
</context>
<context>
    <name>meshreel::DrawingDialog</name>
    <message>
        <source>Choose and move</source>
        <translation>选择并移动</translation>
    </message>
    <message>
        <source>Brush</source>
        <translation>画笔</translation>
    </message>
    <message>
        <source>Box</source>
        <translation>矩形</translation>
    </message>
    <message>
        <source>Ellipse</source>
        <translation>椭圆</translation>
    </message>
    <message>
        <source>Polygon</source>
        <translation>多边形</translation>
    </message>
    <message>
        <source>Track</source>
        <translation>轨迹</translation>
    </message>
    <message>
        <source>Drag to move what is there. Its corners, or its points, move alone.</source>
        <translation>拖动以移动。角或点可单独移动。</translation>
    </message>
    <message>
        <source>Drag to paint.</source>
        <translation>拖动以涂抹。</translation>
    </message>
    <message>
        <source>Drag from corner to corner; Shift makes it as wide as high.</source>
        <translation>从一角拖到另一角；按住 Shift 则宽高相同。</translation>
    </message>
    <message>
        <source>Click its corners; Enter, a double click or the first corner ends it.</source>
        <translation>点击各角；按 Enter、双击或点第一个角结束。</translation>
    </message>
    <message>
        <source>Click the places that a point passes and end with Enter, or drag its way.</source>
        <translation>点击点经过的位置并按 Enter 结束，或拖出它的路径。</translation>
    </message>
    <message>
        <source>even</source>
        <translation>匀速</translation>
    </message>
    <message>
        <source>slow at first</source>
        <translation>先慢</translation>
    </message>
    <message>
        <source>slow at last</source>
        <translation>后慢</translation>
    </message>
    <message>
        <source>slow at both ends</source>
        <translation>两端慢</translation>
    </message>
    <message>
        <source>stay, then jump</source>
        <translation>停留后跳变</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Draw a mask</source>
        <translation>绘制遮罩</translation>
    </message>
    <message>
        <source>Draw tracks</source>
        <translation>绘制轨迹</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>action and its key</comment>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>工具</translation>
    </message>
    <message>
        <source>Add one in the middle</source>
        <translation>在中央添加一个</translation>
    </message>
    <message>
        <source>Show the mask alone</source>
        <translation>仅显示遮罩</translation>
    </message>
    <message>
        <source>Add a keyframe here</source>
        <translation>在此添加关键帧</translation>
    </message>
    <message>
        <source>Remove the keyframe here</source>
        <translation>移除此处的关键帧</translation>
    </message>
    <message>
        <source>Shapes, the upper ones first</source>
        <translation>形状，上层在前</translation>
    </message>
    <message>
        <source>Tracks, the last ones first</source>
        <translation>轨迹，最后的在前</translation>
    </message>
    <message>
        <source>Move it in the whole clip</source>
        <translation>在整个片段中移动</translation>
    </message>
    <message>
        <source>What is changed then holds at all keyframes; otherwise at the frame that is shown, which gets a keyframe</source>
        <translation>更改将作用于所有关键帧；否则只作用于当前帧，并在该帧添加关键帧</translation>
    </message>
    <message>
        <source>What is drawn</source>
        <translation>绘制内容</translation>
    </message>
    <message>
        <source>Copy it</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Lift it over the next one</source>
        <translation>上移一层</translation>
    </message>
    <message>
        <source>Lower it under the next one</source>
        <translation>下移一层</translation>
    </message>
    <message>
        <source>Remove it</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>重做</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Write the drawing and use it in the project</source>
        <translation>写入绘图并在项目中使用</translation>
    </message>
    <message>
        <source>Radius of the brush, in pixels of the video</source>
        <translation>画笔半径，以视频像素计</translation>
    </message>
    <message>
        <source>Change the brush</source>
        <translation>更改画笔</translation>
    </message>
    <message>
        <source>Soft edge</source>
        <translation>柔边</translation>
    </message>
    <message>
        <source>Pixels from white to black, half of them inside</source>
        <translation>从白到黑的像素数，一半在内侧</translation>
    </message>
    <message>
        <source>Change the soft edge</source>
        <translation>更改柔边</translation>
    </message>
    <message>
        <source>Strength</source>
        <translation>强度</translation>
    </message>
    <message>
        <source>Percent of white at this frame</source>
        <translation>此帧中白色的百分比</translation>
    </message>
    <message>
        <source>Change the strength</source>
        <translation>更改强度</translation>
    </message>
    <message>
        <source>Cut away</source>
        <translation>剪去</translation>
    </message>
    <message>
        <source>Takes away from the shapes under it, as an eraser does</source>
        <translation>像橡皮一样从下方的形状中去除</translation>
    </message>
    <message>
        <source>Black and white swapped</source>
        <translation>黑白互换</translation>
    </message>
    <message>
        <source>What is drawn stays, and all else is made anew</source>
        <translation>绘制之处保留，其余全部重新生成</translation>
    </message>
    <message>
        <source>Swap black and white</source>
        <translation>互换黑白</translation>
    </message>
    <message>
        <source>Left</source>
        <translation>左</translation>
    </message>
    <message>
        <source>Pixels from the left edge of the video, at this frame</source>
        <translation>此帧中距视频左边缘的像素数</translation>
    </message>
    <message>
        <source>Move a shape</source>
        <translation>移动形状</translation>
    </message>
    <message>
        <source>Top</source>
        <translation>上</translation>
    </message>
    <message>
        <source>Pixels from the upper edge of the video, at this frame</source>
        <translation>此帧中距视频上边缘的像素数</translation>
    </message>
    <message>
        <source>Width</source>
        <translation>宽度</translation>
    </message>
    <message>
        <source>Pixels, at this frame</source>
        <translation>此帧中的像素数</translation>
    </message>
    <message>
        <source>Scale a shape</source>
        <translation>缩放形状</translation>
    </message>
    <message>
        <source>Height</source>
        <translation>高度</translation>
    </message>
    <message>
        <source>Move a point</source>
        <translation>移动点</translation>
    </message>
    <message>
        <source>From the left</source>
        <translation>距左</translation>
    </message>
    <message>
        <source>From the top</source>
        <translation>距上</translation>
    </message>
    <message>
        <source>Curve</source>
        <translation>曲线</translation>
    </message>
    <message>
        <source>A curve through its points, and no lines between them</source>
        <translation>用曲线而非直线连接各点</translation>
    </message>
    <message>
        <source>Out of sight at its end</source>
        <translation>结束后不可见</translation>
    </message>
    <message>
        <source>Behind its last keyframe the point is hidden; otherwise it stays there</source>
        <translation>在最后一个关键帧之后该点隐藏；否则停留在那里</translation>
    </message>
    <message>
        <source>How it goes from the keyframe at this frame to the next one</source>
        <translation>从此帧的关键帧到下一个的变化方式</translation>
    </message>
    <message>
        <source>To the next</source>
        <translation>到下一个</translation>
    </message>
    <message>
        <source>Change the speed</source>
        <translation>更改速度</translation>
    </message>
    <message>
        <source>Write %1 and use it in the project</source>
        <translation>写入 %1 并在项目中使用</translation>
    </message>
    <message>
        <source>Nothing is drawn yet.</source>
        <translation>还没有绘制任何内容。</translation>
    </message>
    <message>
        <source>Save the drawing</source>
        <translation>保存绘图</translation>
    </message>
    <message>
        <source>Drawings (*.json)</source>
        <translation>绘图 (*.json)</translation>
    </message>
    <message>
        <source>The drawing has changes that are not saved.</source>
        <translation>绘图有未保存的更改。</translation>
    </message>
</context>
<context>
    <name>meshreel::DrawingDocument</name>
    <message>
        <source>Track %1</source>
        <translation>轨迹 %1</translation>
    </message>
    <message>
        <source>Box %1</source>
        <translation>矩形 %1</translation>
    </message>
    <message>
        <source>Ellipse %1</source>
        <translation>椭圆 %1</translation>
    </message>
    <message>
        <source>Polygon %1</source>
        <translation>多边形 %1</translation>
    </message>
    <message>
        <source>Stroke %1</source>
        <translation>笔画 %1</translation>
    </message>
    <message>
        <source>Remove %1</source>
        <translation>移除 %1</translation>
    </message>
    <message>
        <source>Copy %1</source>
        <translation>复制 %1</translation>
    </message>
    <message>
        <source>Change the order</source>
        <translation>更改顺序</translation>
    </message>
    <message>
        <source>Move %1</source>
        <translation>移动 %1</translation>
    </message>
    <message>
        <source>Add a keyframe</source>
        <translation>添加关键帧</translation>
    </message>
    <message>
        <source>Remove a keyframe</source>
        <translation>移除关键帧</translation>
    </message>
    <message>
        <source>Move a keyframe</source>
        <translation>移动关键帧</translation>
    </message>
</context>
<context>
    <name>meshreel::DrawingOpener</name>
    <message>
        <source>Saving it clears the track visibility: points that stay hidden leave, and all others are in sight.</source>
        <translation>保存会清空轨迹可见性：一直隐藏的点会离开画面，其余的点都可见。</translation>
    </message>
    <message>
        <source>Fitted to the project: %1 × %2, %3 frames at %4 a second.</source>
        <translation>已适配项目：%1 × %2，%3 帧，每秒 %4 帧。</translation>
    </message>
    <message>
        <source>%1 does not lie beside the project and stays as it is: a copy is saved.</source>
        <translation>%1 不在项目旁边，保持不变：保存的是副本。</translation>
    </message>
    <message>
        <source>Read from the points of %1, which stays as it is.</source>
        <translation>读取自 %1 中的点，该文件保持不变。</translation>
    </message>
    <message>
        <source>%1 is no drawing: a new one takes its place when it is saved.</source>
        <translation>%1 不是绘图：保存时由新绘图取代。</translation>
    </message>
</context>
<context>
    <name>meshreel::DrawingStage</name>
    <message>
        <source>Picture that is drawn on</source>
        <translation>绘制所在的画面</translation>
    </message>
    <message>
        <source>frame %1</source>
        <translation>第 %1 帧</translation>
    </message>
    <message>
        <source>Nothing is chosen; %1</source>
        <translation>未选择任何内容；%1</translation>
    </message>
    <message>
        <source>%1 is chosen; %2</source>
        <translation>已选择 %1；%2</translation>
    </message>
</context>
<context>
    <name>meshreel::DrawingStrip</name>
    <message>
        <source>Keyframes along the clip</source>
        <translation>片段上的关键帧</translation>
    </message>
    <message>
        <source>Frame %1</source>
        <translation>第 %1 帧</translation>
    </message>
    <message>
        <source>%1; keyframes at %2</source>
        <translation>%1；关键帧位于 %2</translation>
    </message>
    <message>
        <source>Keyframe at frame %1: drag it along</source>
        <translation>第 %1 帧的关键帧：可拖动</translation>
    </message>
    <message>
        <source>Click to go to a frame</source>
        <translation>点击以转到某帧</translation>
    </message>
</context>
<context>
    <name>meshreel::EngineUse</name>
    <message>
        <source>Tune is timing block sizes: wait for its end, or cancel it there.</source>
        <translation>“调优”正在测量块大小：请等待其结束或在那里取消。</translation>
    </message>
    <message>
        <source>A sweep is being timed: wait for its end, or cancel it there.</source>
        <translation>正在进行扫描测量：请等待其结束或在那里取消。</translation>
    </message>
    <message>
        <source>This machine is being measured: wait for its end, or cancel it.</source>
        <translation>正在测量本机：请等待其结束或将其取消。</translation>
    </message>
    <message>
        <source>A run is in progress: wait until it ends, or cancel it.</source>
        <translation>正在运行：请等它结束，或取消它。</translation>
    </message>
    <message>
        <source>Bench is measuring: wait for its end, or cancel it there.</source>
        <translation>基准测试正在测量：请等待其结束，或在那里取消。</translation>
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
    <name>meshreel::FilterBar</name>
    <message>
        <source>Today</source>
        <translation>今天</translation>
    </message>
    <message>
        <source>Last 7 days</source>
        <translation>最近 7 天</translation>
    </message>
    <message>
        <source>Last 30 days</source>
        <translation>最近 30 天</translation>
    </message>
    <message>
        <source>Search runs</source>
        <translation>搜索运行</translation>
    </message>
    <message>
        <source>Only runs with a star</source>
        <translation>仅有星标的运行</translation>
    </message>
    <message>
        <source>Show only runs with a star</source>
        <translation>仅显示有星标的运行</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>筛选</translation>
    </message>
    <message>
        <source>Show only runs of a model, task, adapter, time, tag or board</source>
        <translation>仅显示某个模型、任务、适配器、时间、标签或合集的运行</translation>
    </message>
    <message>
        <source>Show all runs</source>
        <translation>显示所有运行</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>开始时间</translation>
    </message>
    <message>
        <source>End the filter %1</source>
        <translation>取消筛选：%1</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>kind of filter and its value</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>With a star</source>
        <translation>有星标</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <comment>numbers of runs</comment>
        <translation>%1 / %2</translation>
    </message>
    <message numerus="yes">
        <source>%n runs</source>
        <translation>
            <numerusform>%n 个运行</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 runs are shown</source>
        <translation>显示 %1 个运行</translation>
    </message>
</context>
<context>
    <name>meshreel::Fixes</name>
    <message>
        <source>Set %1 to %2</source>
        <comment>title of a setting, value</comment>
        <translation>将%1设为 %2</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <comment>title of a setting, value; one of several in “Set …”</comment>
        <translation>%1设为 %2</translation>
    </message>
    <message>
        <source>Set %1</source>
        <comment>several settings with their values</comment>
        <translation>将%1</translation>
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
        <translation>%1 至 %2</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <comment>memory</comment>
        <translation>%1/%2</translation>
    </message>
    <message>
        <source>%1 of %2: does not fit</source>
        <comment>memory</comment>
        <translation>%1/%2：放不下</translation>
    </message>
    <message>
        <source>Four of five measurements fall into it</source>
        <translation>五次测量中有四次落入其中</translation>
    </message>
    <message>
        <source>The largest cost apart from linear layers and attention products</source>
        <translation>除线性层和注意力乘积外开销最大的部分</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Mesh</source>
        <translation>网格</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>注意力</translation>
    </message>
    <message>
        <source>Blocks</source>
        <translation>块</translation>
    </message>
    <message>
        <source>s/step</source>
        <translation>秒/步</translation>
    </message>
    <message>
        <source>Range</source>
        <translation>范围</translation>
    </message>
    <message>
        <source>Clip s</source>
        <translation>视频 秒</translation>
    </message>
    <message>
        <source>Memory per device</source>
        <translation>每设备内存</translation>
    </message>
    <message>
        <source>Money</source>
        <comment>for a clip</comment>
        <translation>费用</translation>
    </message>
    <message>
        <source>Largest overhead</source>
        <translation>最大的额外开销</translation>
    </message>
    <message>
        <source>%1, the project&apos;s own</source>
        <comment>a mesh</comment>
        <translation>%1，项目自己的</translation>
    </message>
    <message>
        <source>The project&apos;s own mesh, which the others are compared with</source>
        <translation>项目自己的网格，其他网格与它比较</translation>
    </message>
    <message>
        <source>The project&apos;s own</source>
        <translation>项目自己的</translation>
    </message>
    <message>
        <source>Beside the project&apos;s own mesh, in bold; where the ranges overlap, either may be faster</source>
        <translation>与粗体的项目自己的网格相比；范围重叠时，两者都可能更快</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>结论</translation>
    </message>
</context>
<context>
    <name>meshreel::ForesightCharts</name>
    <message>
        <source>Seconds a step</source>
        <comment>axis of a chart</comment>
        <translation>每步秒数</translation>
    </message>
    <message>
        <source>Seconds a step of the fastest mesh</source>
        <translation>最快网格的每步秒数</translation>
    </message>
    <message>
        <source>%1, measured</source>
        <comment>run</comment>
        <translation>%1，实测</translation>
    </message>
    <message>
        <source>%1, foreseen on %2</source>
        <comment>run, mesh</comment>
        <translation>%1，预估（%2）</translation>
    </message>
    <message>
        <source>%1 (own)</source>
        <comment>the mesh of the project</comment>
        <translation>%1（当前）</translation>
    </message>
</context>
<context>
    <name>meshreel::ForesightPanel</name>
    <message>
        <source>Use this mesh</source>
        <translation>使用此设备网格</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>程序</translation>
    </message>
    <message>
        <source>What runs the model there</source>
        <translation>在那里运行模型的程序</translation>
    </message>
    <message>
        <source>Numbers of devices</source>
        <translation>设备数</translation>
    </message>
    <message>
        <source>Numbers of devices from 1 to 4,096, separated by commas</source>
        <translation>1 到 4,096 的设备数，用逗号分隔</translation>
    </message>
    <message>
        <source>Price</source>
        <translation>价格</translation>
    </message>
    <message>
        <source>Price of a device for an hour: adds the money for a clip</source>
        <translation>每设备每小时的价格：显示一个视频的费用</translation>
    </message>
    <message>
        <source>no price</source>
        <translation>无价格</translation>
    </message>
    <message>
        <source>Best mesh by context size</source>
        <translation>各上下文大小的最佳网格</translation>
    </message>
    <message>
        <source>Seconds a step by split</source>
        <translation>按划分的每步秒数</translation>
    </message>
    <message>
        <source>Block sizes</source>
        <translation>块大小</translation>
    </message>
    <message>
        <source>Scaling to 4,096 devices</source>
        <translation>扩展到 4,096 个设备</translation>
    </message>
    <message>
        <source>Foreseen beside measured</source>
        <translation>预估与实测对照</translation>
    </message>
    <message>
        <source>What the chart shows</source>
        <translation>图表内容</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Chart of the foresight</source>
        <translation>预估图表</translation>
    </message>
    <message>
        <source>Foreseen meshes</source>
        <translation>预估的网格</translation>
    </message>
    <message>
        <source>Gives this mesh, its attention and its block sizes to the project; can be undone</source>
        <translation>将此网格及其注意力和块大小写入项目；可撤销</translation>
    </message>
    <message>
        <source>chart</source>
        <comment>beside a divider</comment>
        <translation>图表</translation>
    </message>
    <message>
        <source>meshes</source>
        <comment>beside a divider</comment>
        <translation>网格</translation>
    </message>
    <message>
        <source>%1 (default)</source>
        <comment>program</comment>
        <translation>%1（默认）</translation>
    </message>
    <message>
        <source>Choose the hardware above to see which mesh is the fastest there, and how many seconds a step takes.</source>
        <translation>在上方选择硬件，即可查看那里哪种网格最快以及每步耗时。</translation>
    </message>
    <message>
        <source>Write numbers of devices from 1 to 4,096, such as 8, 16.</source>
        <translation>请填写 1 到 4,096 的设备数，例如 8, 16。</translation>
    </message>
    <message>
        <source>The project cannot be planned: Problems says what keeps it from that.</source>
        <translation>项目无法规划：“问题”中说明了障碍所在。</translation>
    </message>
    <message>
        <source>Reading the profile and the published times…</source>
        <translation>正在读取配置文件和公开的计时…</translation>
    </message>
    <message>
        <source>%1, %2: efficiencies from %3. Double click a mesh to use it.</source>
        <comment>hardware, program, basis</comment>
        <translation>%1，%2：效率来源：%3。双击网格即可使用。</translation>
    </message>
    <message>
        <source>No legal mesh has so many devices.</source>
        <translation>没有这么多设备的合法网格。</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <comment>title of a chart: what it shows, hardware</comment>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>Mesh: %1</source>
        <translation>设备网格：%1</translation>
    </message>
    <message>
        <source>Pasted blocks name no mesh: select the one they ran on.</source>
        <translation>粘贴的文本块没有注明网格：请选择它们运行所用的网格。</translation>
    </message>
</context>
<context>
    <name>meshreel::FrameView</name>
    <message>
        <source>The wheel zooms, dragging moves, a double click fits (+, -, Shift with an arrow key, 0).</source>
        <translation>滚轮缩放，拖动平移，双击适应窗口（+、-、Shift 加方向键、0）。</translation>
    </message>
</context>
<context>
    <name>meshreel::FramesField</name>
    <message>
        <source>Length in seconds</source>
        <translation>时长（秒）</translation>
    </message>
    <message>
        <source>s</source>
        <comment>seconds, behind a number</comment>
        <translation>秒</translation>
    </message>
    <message>
        <source>The nearest legal number of frames is taken: steps of %1 s</source>
        <translation>取最接近的合法帧数：步长 %1 秒</translation>
    </message>
</context>
<context>
    <name>meshreel::FullScreenView</name>
    <message>
        <source>Video</source>
        <translation>视频</translation>
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
        <translation>将参数网格加入队列</translation>
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
        <source>The project is added once for every combination of these values. Write one value a line; for numbers and choices also 1, 2, 5, for whole numbers also 1..8; in prompts a {ball|cube} stands for both.</source>
        <translation>这些值的每种组合都会添加一次项目。每行写一个值；数字和选项还可写 1, 2, 5，整数还可写 1..8；提示词中 a {ball|cube} 表示两者。</translation>
    </message>
</context>
<context>
    <name>meshreel::GridTexts</name>
    <message>
        <source>Choose a setting and write its values.</source>
        <translation>请选择一项设置并写出其取值。</translation>
    </message>
    <message>
        <source>“%1” is chosen more than once: write all of its values into one field.</source>
        <translation>“%1”被选择了多次：请把它的所有取值写在一个栏中。</translation>
    </message>
    <message>
        <source>Write at least one value of “%1”.</source>
        <translation>请至少写出“%1”的一个取值。</translation>
    </message>
    <message>
        <source>These are more than %1 runs, the most that a grid adds: leave some values out.</source>
        <translation>超过了网格最多可添加的 %1 次运行：请减少一些取值。</translation>
    </message>
</context>
<context>
    <name>meshreel::HardwareChooser</name>
    <message>
        <source>Plan for</source>
        <translation>规划目标</translation>
    </message>
    <message>
        <source>This machine</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>Profile file…</source>
        <translation>配置文件…</translation>
    </message>
    <message>
        <source>Choose a hardware profile</source>
        <translation>选择硬件配置文件</translation>
    </message>
    <message>
        <source>Hardware profiles (*.yaml)</source>
        <translation>硬件配置文件 (*.yaml)</translation>
    </message>
    <message>
        <source>Plan for this machine alone</source>
        <translation>仅为本机规划</translation>
    </message>
    <message>
        <source>Hardware that time, memory and meshes are predicted for beside this machine. It is kept for this project alone. Runs always happen on this machine.</source>
        <translation>除本机外，还为此硬件预测时间、内存和设备网格。仅为此项目保留。运行始终在本机进行。</translation>
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
    <message>
        <source>Move to trash</source>
        <translation>移到回收站</translation>
    </message>
    <message numerus="yes">
        <source>Move %n runs to the trash?</source>
        <translation>
            <numerusform>将 %n 个运行移到回收站？</numerusform>
        </translation>
    </message>
    <message>
        <source>A program works on %1: cancel it there, or wait until it is done.</source>
        <translation>有程序正在处理 %1：请在那里取消，或等待其完成。</translation>
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
        <source>Load these settings</source>
        <translation>载入这些设置</translation>
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
        <source>Resume on a different machine</source>
        <translation>在不同机器上续跑</translation>
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
        <translation>还没有运行：请描述一段视频并点击“运行”。</translation>
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
        <translation>复制计时摘要</translation>
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
    <message>
        <source>Refresh</source>
        <translation>刷新</translation>
    </message>
    <message>
        <source>Go on from the last finished step</source>
        <translation>从最后完成的一步续跑</translation>
    </message>
    <message>
        <source>Resume although the processor, build or number of workers has changed; the last bits of the result may differ</source>
        <translation>即使处理器、构建版本或工作线程数已改变也续跑；结果的最后几位可能不同</translation>
    </message>
    <message>
        <source>Export videos</source>
        <translation>导出视频</translation>
    </message>
    <message>
        <source>Copy the videos of the selected runs into a folder</source>
        <translation>将所选运行的视频复制到文件夹</translation>
    </message>
    <message>
        <source>Large preview</source>
        <translation>大预览</translation>
    </message>
    <message>
        <source>Play the run large, with its settings; the arrow keys go on to the next one</source>
        <translation>放大播放该运行并显示其设置；方向键转到下一个</translation>
    </message>
    <message>
        <source>Star</source>
        <translation>星标</translation>
    </message>
    <message>
        <source>Give the selected runs a star, or take it away</source>
        <translation>为所选运行加上或取消星标</translation>
    </message>
    <message>
        <source>Tags…</source>
        <translation>标签…</translation>
    </message>
    <message>
        <source>Change the tags of the selected runs</source>
        <translation>更改所选运行的标签</translation>
    </message>
    <message>
        <source>Boards…</source>
        <translation>合集…</translation>
    </message>
    <message>
        <source>Put the selected runs on boards: collections with a name</source>
        <translation>将所选运行放入有名称的合集</translation>
    </message>
    <message>
        <source>Show runs as tiles</source>
        <translation>以平铺方式显示运行</translation>
    </message>
    <message>
        <source>Show runs as a table</source>
        <translation>以表格方式显示运行</translation>
    </message>
    <message>
        <source>Tags of the selected runs</source>
        <translation>所选运行的标签</translation>
    </message>
    <message>
        <source>Boards of the selected runs</source>
        <translation>所选运行的合集</translation>
    </message>
    <message>
        <source>No run passes these filters.</source>
        <translation>没有符合这些筛选条件的运行。</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>评分</translation>
    </message>
    <message>
        <source>See the videos of the selected runs in pairs, without their settings, and say which is better; of one run, all of its prompt</source>
        <translation>在不显示设置的情况下成对观看所选运行的视频，并指出哪个更好；只选一个时，使用同一提示词的所有运行</translation>
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
        <source>Fix before running: %1</source>
        <translation>运行前需要修正：%1</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>The model that the config or the command line names, or another one</source>
        <translation>配置或命令行指定的模型，或另选一个</translation>
    </message>
    <message>
        <source>Choose the model that the config is for</source>
        <translation>选择该配置所对应的模型</translation>
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
        <source>Result</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Meshreel setting or reason</source>
        <translation>设置或原因</translation>
    </message>
    <message>
        <source>From</source>
        <translation>来自</translation>
    </message>
</context>
<context>
    <name>meshreel::InputRequest</name>
    <message>
        <source>Choose…</source>
        <translation>选择…</translation>
    </message>
    <message>
        <source>%1: drop the file here.</source>
        <comment>title of an input</comment>
        <translation>%1：将文件拖放到此处。</translation>
    </message>
    <message>
        <source>Choose: %1</source>
        <comment>title of an input</comment>
        <translation>选择：%1</translation>
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
        <translation>选择 Transformer 文件(&amp;I)…</translation>
    </message>
    <message>
        <source>Choose a transformer’s file</source>
        <translation>选择 Transformer 文件</translation>
    </message>
    <message>
        <source>Weights (*.safetensors *.gguf *.pth *.pt)</source>
        <translation>权重 (*.safetensors *.gguf *.pth *.pt)</translation>
    </message>
    <message>
        <source>auto (%1)</source>
        <comment>the value that is taken</comment>
        <translation>自动（%1）</translation>
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
        <source>Choose a setting to read what it does.</source>
        <translation>选择一项设置以查看其作用。</translation>
    </message>
    <message>
        <source>Reference</source>
        <translation>参考</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>帮助</translation>
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
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>%1 to %2, or %3 for a random one</source>
        <comment>range and special value of a seed</comment>
        <translation>%1 至 %2，%3 表示随机</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>place and what is wrong</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>adapter, strength</comment>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>%1 (%2, %3)</source>
        <comment>adapter, strength, expert</comment>
        <translation>%1（%2，%3）</translation>
    </message>
    <message>
        <source>%1 s</source>
        <comment>seconds</comment>
        <translation>%1 秒</translation>
    </message>
    <message>
        <source>%1 %</source>
        <comment>percentage</comment>
        <translation>%1%</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>place in a clip, picture</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>none</source>
        <comment>adapters or keyframes</comment>
        <translation>无</translation>
    </message>
</context>
<context>
    <name>meshreel::KeyframeField</name>
    <message>
        <source>frame</source>
        <translation>帧</translation>
    </message>
    <message>
        <source>seconds</source>
        <translation>秒</translation>
    </message>
    <message>
        <source>percent</source>
        <translation>百分比</translation>
    </message>
    <message>
        <source>Add pictures…</source>
        <translation>添加图像…</translation>
    </message>
    <message>
        <source>Choose pictures, or drop them on the strip at their frames</source>
        <translation>选择图像，或拖放到条带上对应的帧</translation>
    </message>
    <message>
        <source>Choose pictures</source>
        <translation>选择图像</translation>
    </message>
    <message>
        <source>Remove keyframe %1</source>
        <translation>移除关键帧 %1</translation>
    </message>
    <message>
        <source>Picture of keyframe %1</source>
        <translation>关键帧 %1 的图像</translation>
    </message>
    <message>
        <source>Place of keyframe %1</source>
        <translation>关键帧 %1 的位置</translation>
    </message>
    <message>
        <source>Where the picture stands in the clip; frames are counted from 0</source>
        <translation>图像在片段中的位置；帧从 0 数起</translation>
    </message>
    <message>
        <source>How the place of keyframe %1 is counted</source>
        <translation>关键帧 %1 的位置如何计数</translation>
    </message>
</context>
<context>
    <name>meshreel::KeyframeStrip</name>
    <message>
        <source>Pictures along the clip</source>
        <translation>沿片段排列的图像</translation>
    </message>
    <message>
        <source>frame %1</source>
        <translation>第 %1 帧</translation>
    </message>
    <message>
        <source>frame %1, %2 s</source>
        <translation>第 %1 帧，%2 秒</translation>
    </message>
    <message>
        <source>%1 at %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>%1 (chosen)</source>
        <translation>%1（已选）</translation>
    </message>
    <message>
        <source>No pictures yet. Drop some here.</source>
        <translation>还没有图像。请拖放到这里。</translation>
    </message>
    <message>
        <source>Drop pictures here, and drag them to their frames</source>
        <translation>把图像拖放到这里，再拖到各自的帧</translation>
    </message>
</context>
<context>
    <name>meshreel::LaneReader</name>
    <message>
        <source>Comma and full stop go from step to step in the lane of the current row.</source>
        <translation>逗号和句点在当前行的时间条中逐步移动。</translation>
    </message>
</context>
<context>
    <name>meshreel::LastPlanMark</name>
    <message>
        <source>This is how the project was last legal; Problems says what keeps it from being planned.</source>
        <translation>这是项目最近一次合法时的样子；“问题”说明了现在为何无法规划。</translation>
    </message>
    <message>
        <source>Nothing is drawn, as this project cannot be planned: %1. See Problems to mend it.</source>
        <translation>此项目无法规划，因此未绘制任何内容：%1。修正方法请见“问题”。</translation>
    </message>
    <message>
        <source>Nothing is drawn, as this project cannot be planned: %1.</source>
        <translation>此项目无法规划，因此未绘制任何内容：%1。</translation>
    </message>
</context>
<context>
    <name>meshreel::LegalMeshModel</name>
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
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Exchange</source>
        <comment>column of the legal meshes: bytes per step</comment>
        <translation>交换</translation>
    </message>
    <message>
        <source>%1, between hosts %2</source>
        <comment>mesh, its part</comment>
        <translation>%1，主机间 %2</translation>
    </message>
    <message>
        <source>What the busiest host receives from the others in one step</source>
        <translation>最繁忙的主机在一步中从其他主机接收的数据量</translation>
    </message>
    <message>
        <source>The part of the mesh that lies between hosts; the rest lies inside each</source>
        <translation>设备网格中位于主机之间的部分；其余部分位于各主机内部</translation>
    </message>
    <message>
        <source>Between hosts</source>
        <comment>column of the legal meshes: bytes per step</comment>
        <translation>主机间</translation>
    </message>
    <message>
        <source>Hosts</source>
        <comment>column of the legal meshes: axes</comment>
        <translation>主机</translation>
    </message>
    <message>
        <source>+%1 %</source>
        <comment>how much longer</comment>
        <translation>+%1%</translation>
    </message>
    <message>
        <source>How long a step is expected to take with the fastest, and how much longer with the others</source>
        <translation>最快者每步预计耗时，以及其他的多耗时多少</translation>
    </message>
    <message>
        <source>Heads are uneven: the others wait for devices with %1 of them, so attention reaches %2 % of the speed of an even split.</source>
        <comment>number, number</comment>
        <translation>头数不均：其他设备要等待有 %1 个头的设备，因此注意力只达到均分时速度的 %2 %。</translation>
    </message>
</context>
<context>
    <name>meshreel::LegalMeshes</name>
    <message>
        <source>Use this mesh</source>
        <translation>使用此设备网格</translation>
    </message>
    <message>
        <source>Valid meshes, least traffic first</source>
        <translation>有效的设备网格，流量最少的在前</translation>
    </message>
    <message>
        <source>Measure to sort by time</source>
        <translation>测量以按时间排序</translation>
    </message>
    <message>
        <source>Measures this machine for about two minutes; seconds are predicted from that</source>
        <translation>测量本机约两分钟，并据此预测秒数</translation>
    </message>
    <message>
        <source>Valid meshes</source>
        <translation>合法的设备网格</translation>
    </message>
    <message>
        <source>Valid meshes, fastest first as predicted</source>
        <translation>合法的设备网格，预计最快的在前</translation>
    </message>
    <message>
        <source>Valid meshes, fastest first on %1</source>
        <translation>合法的设备网格，在 %1 上最快的在前</translation>
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
    <message>
        <source>The run failed before its first preview.</source>
        <translation>运行在首个预览之前失败了。</translation>
    </message>
    <message>
        <source>Preview at the last finished step</source>
        <translation>最后完成的一步的预览</translation>
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
    <name>meshreel::LooksDialog</name>
    <message>
        <source>The look cannot be kept (%1): free some space, or make the folder writable</source>
        <translation>无法保存视觉风格（%1）：请腾出空间，或使文件夹可写</translation>
    </message>
    <message>
        <source>Look “%1”</source>
        <translation>视觉风格“%1”</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>title of a setting and its value</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>No looks yet: save the project&apos;s, or drop pictures here that others saved as looks.</source>
        <translation>还没有视觉风格：保存项目的，或把他人保存为视觉风格的图片拖放到这里。</translation>
    </message>
    <message>
        <source>Looks</source>
        <translation>视觉风格</translation>
    </message>
    <message>
        <source>Save the project&apos;s…</source>
        <translation>保存项目的…</translation>
    </message>
    <message>
        <source>Add files…</source>
        <translation>添加文件…</translation>
    </message>
    <message>
        <source>Copy to…</source>
        <translation>复制到…</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>使用</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>file and why it cannot be used</comment>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>Not added: %1.</source>
        <comment>files</comment>
        <translation>未添加：%1。</translation>
    </message>
    <message>
        <source>Add looks</source>
        <translation>添加视觉风格</translation>
    </message>
    <message>
        <source>Looks (*.png)</source>
        <translation>视觉风格 (*.png)</translation>
    </message>
    <message>
        <source>Copy the look</source>
        <translation>复制视觉风格</translation>
    </message>
    <message>
        <source>%1 cannot be written: %2</source>
        <translation>无法写入 %1：%2</translation>
    </message>
    <message>
        <source>Remove a look</source>
        <translation>移除视觉风格</translation>
    </message>
    <message>
        <source>Remove “%1”? It cannot be brought back.</source>
        <translation>移除“%1”？此操作无法撤回。</translation>
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
        <translation>未测量</translation>
    </message>
    <message>
        <source>Card with its own memory</source>
        <translation>自带显存的显卡</translation>
    </message>
    <message>
        <source>Shares the memory of the CPU</source>
        <translation>与 CPU 共用内存</translation>
    </message>
    <message>
        <source>GPU of a virtual machine</source>
        <translation>虚拟机的 GPU</translation>
    </message>
    <message>
        <source>Computes on the CPU: never taken by Automatic</source>
        <translation>在 CPU 上计算：“自动”从不选用</translation>
    </message>
    <message>
        <source>GPU of another kind</source>
        <translation>其他类型的 GPU</translation>
    </message>
    <message>
        <source>%1: taken</source>
        <comment>way to multiply matrices</comment>
        <translation>%1：已采用</translation>
    </message>
    <message>
        <source>%1: not taken</source>
        <comment>way to multiply matrices</comment>
        <translation>%1：未采用</translation>
    </message>
    <message>
        <source>The CPU computes this project.</source>
        <translation>此项目由 CPU 计算。</translation>
    </message>
    <message>
        <source>The CPU computes this project: %1.</source>
        <comment>why</comment>
        <translation>此项目由 CPU 计算：%1。</translation>
    </message>
    <message>
        <source>%1 (GPU %2)</source>
        <comment>name and number</comment>
        <translation>%1（GPU %2）</translation>
    </message>
    <message>
        <source>Transformer and VAE are computed by %1.</source>
        <comment>GPUs</comment>
        <translation>Transformer 和 VAE 由 %1 计算。</translation>
    </message>
    <message>
        <source>The transformer is computed by %1, the VAE by the CPU: %2.</source>
        <comment>GPUs, why</comment>
        <translation>Transformer 由 %1 计算，VAE 由 CPU 计算：%2。</translation>
    </message>
    <message>
        <source>Automatic</source>
        <comment>choice of the GPU</comment>
        <translation>自动</translation>
    </message>
    <message>
        <source>The plan takes the best GPU where it counts as faster than the CPU. Without this, the GPUs with a tick compute; without a tick, the CPU does.</source>
        <translation>最好的 GPU 被视为比 CPU 快时，计划会使用它。关闭此项后，由勾选的 GPU 计算；若均未勾选，则由 CPU 计算。</translation>
    </message>
    <message>
        <source>Look for GPUs again</source>
        <translation>重新查找 GPU</translation>
    </message>
    <message>
        <source>Look for GPUs again, and ask drivers that failed before</source>
        <translation>重新查找 GPU，并再次询问先前失败的驱动程序</translation>
    </message>
    <message>
        <source>This machine</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Linear layers</source>
        <translation>线性层</translation>
    </message>
    <message>
        <source>How fast layers in bf16 are multiplied. A GPU is measured by its first run in bf16, the CPU by “Measure this machine”.</source>
        <translation>bf16 层的乘法速度。GPU 由其首次 bf16 运行测量，CPU 由“测量本机”测量。</translation>
    </message>
    <message>
        <source>CPU and GPUs of this machine</source>
        <translation>本机的 CPU 和 GPU</translation>
    </message>
    <message>
        <source>Asking the GPU drivers…</source>
        <translation>正在询问 GPU 驱动程序…</translation>
    </message>
    <message>
        <source>No GPU: %1</source>
        <comment>why</comment>
        <translation>没有 GPU：%1</translation>
    </message>
    <message>
        <source>CPU: %1 (%2)</source>
        <comment>name, instruction set</comment>
        <translation>CPU：%1（%2）</translation>
    </message>
    <message>
        <source>%1 free</source>
        <comment>bytes</comment>
        <translation>%1 可用</translation>
    </message>
    <message>
        <source>%1 of %2 free</source>
        <comment>bytes</comment>
        <translation>%1 可用，共 %2</translation>
    </message>
    <message>
        <source>GPU %1: %2</source>
        <comment>number, name</comment>
        <translation>GPU %1：%2</translation>
    </message>
    <message>
        <source>%1; %2, Vulkan %3</source>
        <comment>kind, driver, version</comment>
        <translation>%1；%2，Vulkan %3</translation>
    </message>
    <message>
        <source>It cannot be used: %1</source>
        <comment>why</comment>
        <translation>无法使用：%1</translation>
    </message>
    <message>
        <source>Drivers without a device</source>
        <translation>没有设备的驱动程序</translation>
    </message>
    <message>
        <source>%1 (not asked this time)</source>
        <translation>%1（此次未询问）</translation>
    </message>
    <message numerus="yes">
        <source>%n devices of the mesh</source>
        <translation>
            <numerusform>设备网格的 %n 个设备</numerusform>
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
        <translation>Transformer、VAE 和编码器由 %1 计算。</translation>
    </message>
    <message>
        <source>The GPU computes the text and image encoders.</source>
        <translation>GPU 计算文本和图像编码器。</translation>
    </message>
    <message>
        <source>The CPU computes the text and image encoders: %1.</source>
        <comment>why</comment>
        <translation>CPU 计算文本和图像编码器：%1。</translation>
    </message>
    <message>
        <source>Text encoder</source>
        <translation>文本编码器</translation>
    </message>
    <message>
        <source>Image encoder</source>
        <translation>图像编码器</translation>
    </message>
    <message>
        <source>VAE encoder</source>
        <translation>VAE 编码器</translation>
    </message>
    <message>
        <source>VAE decoder</source>
        <translation>VAE 解码器</translation>
    </message>
    <message>
        <source>Preview decoder</source>
        <translation>预览解码器</translation>
    </message>
    <message>
        <source>%1 on the CPU: %2.</source>
        <comment>part, why</comment>
        <translation>%1 在 CPU 上计算：%2。</translation>
    </message>
    <message>
        <source>Not taken: %1.</source>
        <comment>why a GPU does not compute</comment>
        <translation>未采用：%1。</translation>
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
        <translation>将参数网格加入队列(&amp;G)…</translation>
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
    <message>
        <source>Keep measuring when &amp;idle</source>
        <translation>空闲时继续测量(&amp;I)</translation>
    </message>
    <message>
        <source>Adds rounds to the measurement of this machine while nothing runs</source>
        <translation>没有任务运行时，为本机的测量增加轮次</translation>
    </message>
    <message>
        <source>&amp;Workspace</source>
        <translation>工作区(&amp;W)</translation>
    </message>
    <message>
        <source>F&amp;ull screen</source>
        <translation>全屏(&amp;U)</translation>
    </message>
    <message>
        <source>Show the queue</source>
        <translation>显示队列</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>队列</translation>
    </message>
    <message numerus="yes">
        <source>Queue: %n waiting</source>
        <translation>
            <numerusform>队列：%n 个等待</numerusform>
        </translation>
    </message>
    <message>
        <source>Workspaces</source>
        <translation>工作区</translation>
    </message>
    <message>
        <source>Choose the folder for r&amp;uns…</source>
        <translation>选择运行文件夹(&amp;U)…</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <comment>how many wait, how long they take</comment>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>&amp;Looks…</source>
        <translation>视觉风格(&amp;L)…</translation>
    </message>
    <message>
        <source>Re&amp;write the prompt…</source>
        <translation>改写提示词(&amp;W)…</translation>
    </message>
    <message>
        <source>Add a &amp;table to the queue…</source>
        <translation>将表加入队列(&amp;T)…</translation>
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
        <translation>%1[*] – Meshreel Studio</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Problems (%1)</source>
        <translation>问题（%1）</translation>
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
        <source>Watch it form</source>
        <translation>看它成形</translation>
    </message>
    <message>
        <source>The picture appears while it is made. Runs, videos, pictures and projects can be dropped here.</source>
        <translation>画面在生成过程中显示。可将运行、视频、图片和项目拖到此处。</translation>
    </message>
    <message>
        <source>%1 (open)</source>
        <comment>project</comment>
        <translation>%1（已打开）</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>队列</translation>
    </message>
    <message>
        <source>The log was written to %1.</source>
        <translation>日志已写入 %1。</translation>
    </message>
    <message>
        <source>See what it takes, then run it</source>
        <translation>先看所需，再运行</translation>
    </message>
    <message>
        <source>Time, tokens, work and memory follow every change. While something runs, Run queues. Nothing is lost when the machine is switched off.</source>
        <translation>时间、词元、计算量和内存随每次修改更新。有任务运行时，“运行”会加入队列。关机也不会丢失任何内容。</translation>
    </message>
    <message>
        <source>Four workspaces</source>
        <translation>四个工作区</translation>
    </message>
    <message>
        <source>Create videos, share the work between devices, compare and measure, and find past runs. Ctrl+1 to Ctrl+4 switch; View opens every panel. Help has this tour.</source>
        <translation>创作视频、在设备间分配工作、比较与测量、查找过去的运行。Ctrl+1 至 Ctrl+4 切换；“视图”可打开所有面板。“帮助”中有本导览。</translation>
    </message>
    <message numerus="yes">
        <source>%n runs wait in the queue.</source>
        <translation>
            <numerusform>队列中有 %n 个运行在等待。</numerusform>
        </translation>
    </message>
    <message>
        <source>Show queue</source>
        <translation>显示队列</translation>
    </message>
    <message>
        <source>Choose the folder for runs</source>
        <translation>选择运行文件夹</translation>
    </message>
    <message>
        <source>New runs go to %1.</source>
        <translation>新的运行将保存到 %1。</translation>
    </message>
    <message>
        <source>MESHREEL_RUNS wins over it: runs go to %1.</source>
        <translation>MESHREEL_RUNS 优先：运行将保存到 %1。</translation>
    </message>
    <message>
        <source>“New seed for each run” is off now, as this project has a seed of its own.</source>
        <translation>此项目有自己的种子，因此“每次运行用新种子”已关闭。</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>重试</translation>
    </message>
</context>
<context>
    <name>meshreel::MaskHand</name>
    <message>
        <source>Draw a box</source>
        <translation>绘制矩形</translation>
    </message>
    <message>
        <source>Draw an ellipse</source>
        <translation>绘制椭圆</translation>
    </message>
    <message>
        <source>Draw a polygon</source>
        <translation>绘制多边形</translation>
    </message>
    <message>
        <source>Draw a stroke</source>
        <translation>绘制笔画</translation>
    </message>
    <message>
        <source>Move a shape</source>
        <translation>移动形状</translation>
    </message>
    <message>
        <source>Scale a shape</source>
        <translation>缩放形状</translation>
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
    <message>
        <source>How long a run takes is predicted once this machine was measured. It takes about two minutes, in which it should do nothing else. Later it is measured further while nothing runs, unless you stop that.</source>
        <translation>测量本机后即可预测运行时间。测量约需两分钟，其间本机不应做其他事情。此后没有任务运行时会继续测量，除非您停止。</translation>
    </message>
    <message>
        <source>%1 of %2 measurements</source>
        <translation>已测 %1/%2 项</translation>
    </message>
    <message>
        <source>%1 of %2 measurements, about %3 left</source>
        <comment>counts, duration</comment>
        <translation>已测 %1/%2 项，剩余约 %3</translation>
    </message>
    <message>
        <source>Measure again</source>
        <translation>重新测量</translation>
    </message>
    <message>
        <source>Measuring waits</source>
        <translation>测量正在等待</translation>
    </message>
    <message>
        <source>Measuring this machine was paused. It goes on with what it has once nothing else is computed.</source>
        <translation>本机的测量已暂停。没有其他计算时，会接着已有的结果继续。</translation>
    </message>
</context>
<context>
    <name>meshreel::MeasuringTurns</name>
    <message>
        <source>Measuring this machine waits for the end of the run, and goes on then with what it has.</source>
        <translation>本机的测量会等待运行结束，然后接着已有的结果继续。</translation>
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
    <name>meshreel::MeshPainter</name>
    <message>
        <source>heads %1</source>
        <translation>头 %1</translation>
    </message>
    <message>
        <source>tokens %1</source>
        <translation>词元 %1</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>进程 %1</translation>
    </message>
    <message>
        <source>all keys</source>
        <translation>全部键</translation>
    </message>
    <message>
        <source>keys %1</source>
        <translation>键 %1</translation>
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
        <source>Mesh: %1</source>
        <translation>设备网格：%1</translation>
    </message>
    <message>
        <source>The devices are drawn here as soon as the project can be planned: Problems says what keeps it from that.</source>
        <translation>项目可以规划后，设备会绘制在这里：“问题”中说明了障碍所在。</translation>
    </message>
    <message>
        <source>This project uses one device. Add devices to split tokens, heads or weights.</source>
        <translation>此项目使用一个设备。添加设备即可拆分词元、注意力头或权重。</translation>
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
    <message>
        <source>The mesh in words</source>
        <translation>网格的文字说明</translation>
    </message>
    <message>
        <source>drawing</source>
        <comment>beside a divider</comment>
        <translation>绘图</translation>
    </message>
    <message>
        <source>valid meshes</source>
        <comment>beside a divider</comment>
        <translation>合法的设备网格</translation>
    </message>
    <message>
        <source>R: Ulysses groups on the context axis, between which keys and values rotate or are gathered. It is what Ulysses leaves of the context axis: R × U = C.</source>
        <translation>R：上下文轴上的 Ulysses 组数，键和值在组间轮转或被收集。它是上下文轴除去 Ulysses 后的部分：R × U = C。</translation>
    </message>
    <message>
        <source>Ring</source>
        <translation>环</translation>
    </message>
    <message>
        <source>Plan for</source>
        <translation>规划目标</translation>
    </message>
</context>
<context>
    <name>meshreel::MeshView</name>
    <message>
        <source>Devices of the mesh</source>
        <translation>设备网格中的设备</translation>
    </message>
    <message numerus="yes">
        <source>%n device(s): %1</source>
        <comment>of the mesh that a drag would make</comment>
        <translation>
            <numerusform>%n 个设备：%1</numerusform>
        </translation>
    </message>
    <message>
        <source>The arrow keys, Home and End choose a device, Escape none.</source>
        <translation>方向键、Home 和 End 选择设备，Esc 取消选择。</translation>
    </message>
</context>
<context>
    <name>meshreel::MessageBanner</name>
    <message>
        <source>Close the message</source>
        <translation>关闭消息</translation>
    </message>
    <message>
        <source>Messages</source>
        <translation>消息</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>提示</translation>
    </message>
    <message>
        <source>Show folder</source>
        <translation>显示文件夹</translation>
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
            <numerusform>%1 以及另外 %n 个</numerusform>
        </translation>
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
    <message>
        <source>Convolutions and tables</source>
        <translation>卷积与表</translation>
    </message>
    <message>
        <source>Not read</source>
        <translation>无法读取</translation>
    </message>
    <message numerus="yes">
        <source>%1 (%n tensors)</source>
        <translation>
            <numerusform>%1（%n 个张量）</numerusform>
        </translation>
    </message>
    <message>
        <source>Not used</source>
        <translation>未使用</translation>
    </message>
    <message>
        <source>missing, at least %1 to download</source>
        <comment>size</comment>
        <translation>缺少，至少需下载 %1</translation>
    </message>
    <message>
        <source>Not on this machine: at least %1 to download</source>
        <comment>size</comment>
        <translation>不在本机上：至少需下载 %1</translation>
    </message>
    <message>
        <source>%1 to download, %2 are free on the disk</source>
        <comment>sizes</comment>
        <translation>需下载 %1，磁盘可用 %2</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>许可</translation>
    </message>
    <message>
        <source>Licence page</source>
        <translation>许可页面</translation>
    </message>
    <message>
        <source>From</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>%1, %2 of them here</source>
        <comment>sizes</comment>
        <translation>%1，其中 %2 已在本机</translation>
    </message>
    <message>
        <source>%1, shared with another program</source>
        <comment>size</comment>
        <translation>%1，与其他程序共享</translation>
    </message>
    <message>
        <source>%1, here</source>
        <comment>size</comment>
        <translation>%1，已在本机</translation>
    </message>
    <message>
        <source>This machine</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>Planned for</source>
        <comment>a video of this size and length</comment>
        <translation>按此规划</translation>
    </message>
    <message>
        <source>Disk</source>
        <translation>磁盘</translation>
    </message>
    <message>
        <source>What lies there is not it</source>
        <translation>那里的不是该文件</translation>
    </message>
    <message>
        <source>Variants</source>
        <translation>变体</translation>
    </message>
    <message>
        <source>%1 to download: %2</source>
        <comment>size, how it fits</comment>
        <translation>下载 %1：%2</translation>
    </message>
    <message>
        <source>In diffusers layout</source>
        <translation>diffusers 布局</translation>
    </message>
    <message>
        <source>at least %1 to download</source>
        <comment>size</comment>
        <translation>至少下载 %1</translation>
    </message>
</context>
<context>
    <name>meshreel::ModelState</name>
    <message>
        <source>Not ready: see Problems</source>
        <translation>未就绪：请看“问题”</translation>
    </message>
    <message>
        <source>Installed</source>
        <translation>已安装</translation>
    </message>
    <message>
        <source>needs more memory than there is</source>
        <translation>需要的内存超过现有内存</translation>
    </message>
    <message>
        <source>needs more memory than memory_budget allows</source>
        <translation>所需内存超过 memory_budget 允许的量</translation>
    </message>
    <message>
        <source>about %1, %2</source>
        <comment>duration of a run, how it is known</comment>
        <translation>约 %1，%2</translation>
    </message>
</context>
<context>
    <name>meshreel::ModelsPanel</name>
    <message>
        <source>Use in project</source>
        <translation>用于项目</translation>
    </message>
    <message>
        <source>Refresh</source>
        <translation>刷新</translation>
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
        <source>list</source>
        <comment>beside a divider</comment>
        <translation>列表</translation>
    </message>
    <message>
        <source>description</source>
        <comment>beside a divider</comment>
        <translation>说明</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>Copy download command</source>
        <translation>复制下载命令</translation>
    </message>
    <message>
        <source>Copy the command that downloads what is missing, to be run in a terminal</source>
        <translation>复制下载缺少部分的命令，在终端中运行</translation>
    </message>
    <message>
        <source>Add a model that lies elsewhere; it can be dropped here, too</source>
        <translation>添加位于别处的模型；也可拖放到这里</translation>
    </message>
    <message>
        <source>A model &amp;folder…</source>
        <translation>模型文件夹(&amp;F)…</translation>
    </message>
    <message>
        <source>Add a model folder</source>
        <translation>添加模型文件夹</translation>
    </message>
    <message>
        <source>F&amp;iles of weights…</source>
        <translation>权重文件(&amp;I)…</translation>
    </message>
    <message>
        <source>Add files of weights</source>
        <translation>添加权重文件</translation>
    </message>
    <message>
        <source>Weights (*.safetensors *.gguf *.pth *.pt)</source>
        <translation>权重 (*.safetensors *.gguf *.pth *.pt)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
    <message numerus="yes">
        <source>%n models were added to the models folder.</source>
        <translation>
            <numerusform>已将 %n 个模型添加到模型文件夹。</numerusform>
        </translation>
    </message>
    <message>
        <source>The command was copied: paste it into a terminal. Refresh when it is done.</source>
        <translation>命令已复制：请粘贴到终端。完成后点“刷新”。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Progress of the download</source>
        <translation>下载进度</translation>
    </message>
    <message>
        <source>Stop the download and remove what came of files that are not whole</source>
        <translation>停止下载并删除未完成的文件</translation>
    </message>
    <message numerus="yes">
        <source>%n files of the download are in the models folder.</source>
        <translation>
            <numerusform>下载的 %n 个文件已在模型文件夹中。</numerusform>
        </translation>
    </message>
    <message>
        <source>%1: %2 of %3</source>
        <comment>file, sizes</comment>
        <translation>%1：%2／%3</translation>
    </message>
    <message>
        <source>%1, %2 a second, %3 left</source>
        <comment>file and sizes, size, time</comment>
        <translation>%1，每秒 %2，剩余 %3</translation>
    </message>
    <message>
        <source>Download what is missing into the models folder; the licence is shown above</source>
        <translation>将缺少的内容下载到模型文件夹；许可见上方</translation>
    </message>
    <message>
        <source>Another download is at hand</source>
        <translation>另一个下载正在进行</translation>
    </message>
    <message>
        <source>Download %1</source>
        <comment>size</comment>
        <translation>下载 %1</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Download it first</source>
        <translation>请先下载</translation>
    </message>
    <message>
        <source>This is not a model by itself; parts are chosen in the project</source>
        <translation>这本身不是模型；部件在项目中选择</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>%1: %2, %3</source>
        <comment>variant, size, how it fits</comment>
        <translation>%1：%2，%3</translation>
    </message>
</context>
<context>
    <name>meshreel::NamesPopup</name>
    <message>
        <source>Names between commas; Enter keeps them.</source>
        <translation>名称以逗号分隔；按 Enter 保存。</translation>
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
        <translation>分界</translation>
    </message>
    <message>
        <source>Noise at each step</source>
        <translation>每步的噪声</translation>
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
        <translation>分界</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Noise level</source>
        <translation>噪声水平</translation>
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
        <translation>Transformer</translation>
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
        <translation>噪声水平 %1，sigma %2</translation>
    </message>
    <message>
        <source>Computed by: %1</source>
        <comment>transformer or expert</comment>
        <translation>负责计算：%1</translation>
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
        <translation>各步的噪声水平</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>boundary %1</source>
        <translation>分界 %1</translation>
    </message>
    <message>
        <source>The arrow keys, Home and End choose a step, Escape none.</source>
        <translation>方向键、Home 和 End 选择步骤，Esc 取消选择。</translation>
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
    <name>meshreel::PartMenu</name>
    <message>
        <source>Use &amp;only</source>
        <translation>仅采用(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;Prompt</source>
        <translation>提示词(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Seed</source>
        <translation>种子(&amp;S)</translation>
    </message>
    <message>
        <source>Si&amp;ze and length</source>
        <translation>尺寸和时长(&amp;Z)</translation>
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
        <source>Choose a file or drop it here</source>
        <translation>选择文件或拖放到此处</translation>
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
    <message>
        <source>%1: %2</source>
        <comment>title of a setting, what its button does</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Picture of the file</source>
        <translation>文件的图片</translation>
    </message>
    <message>
        <source>Videos, pictures and drawings (*.mp4 *.webm *.mkv *.mov *.avi *.gif *.webp *.png *.jpg *.jpeg *.json)</source>
        <translation>视频、图片和绘图 (*.mp4 *.webm *.mkv *.mov *.avi *.gif *.webp *.png *.jpg *.jpeg *.json)</translation>
    </message>
    <message>
        <source>Tracks (*.json *.npy)</source>
        <translation>轨迹 (*.json *.npy)</translation>
    </message>
    <message>
        <source>Arrays of NumPy (*.npy)</source>
        <translation>NumPy 数组 (*.npy)</translation>
    </message>
    <message>
        <source>Draw the mask on the picture</source>
        <translation>在画面上绘制遮罩</translation>
    </message>
    <message>
        <source>Draw the tracks on the picture</source>
        <translation>在画面上绘制轨迹</translation>
    </message>
</context>
<context>
    <name>meshreel::PathOpener</name>
    <message numerus="yes">
        <source>None of these %n were opened: drop one project, run, video, picture or file of weights at a time; several pictures become reference images, several runs are compared, and projects and runs that are dropped on Queue are queued.</source>
        <translation>
            <numerusform>这 %n 项均未打开：项目、运行、视频、图片或权重文件请逐个拖放；多张图片成为参考图像，多个运行会进行比较，拖放到“队列”上的项目和运行会加入队列。</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 was not used, as it is no adapter and no part of a model that Meshreel runs; Models tells what it is when it lies in a models folder.</source>
        <translation>%1 未被使用，因为它既不是适配器，也不是 Meshreel 能运行的模型的部件；放入模型文件夹后，“模型库”会说明它是什么。</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Used as “%1”; drop it on another field to use it as that.</source>
        <translation>已用作“%1”；拖放到其他字段可改作该用途。</translation>
    </message>
    <message>
        <source>Used as “%1”, with the model %2, which makes videos of pictures.</source>
        <translation>已用作“%1”，并选用能由图片生成视频的模型 %2。</translation>
    </message>
    <message>
        <source>Continue a clip</source>
        <translation>继续一个片段</translation>
    </message>
    <message>
        <source>The next run goes on from the last frame of %1.</source>
        <translation>下一次运行从 %1 的最后一帧继续。</translation>
    </message>
    <message>
        <source>The next run goes on from frame %2 of %1.</source>
        <translation>下一次运行从 %1 的第 %2 帧继续。</translation>
    </message>
    <message>
        <source>%1 also holds %2, which Meshreel does not read: write its prompt, size, frames, steps and seed into the project.</source>
        <comment>file, settings of another program</comment>
        <translation>%1 还包含%2，Meshreel 不读取：请将其提示词、尺寸、帧数、步数和种子写入项目。</translation>
    </message>
    <message>
        <source>Used as “%1”.</source>
        <translation>已用作“%1”。</translation>
    </message>
    <message>
        <source>Used as “%1”, with the model %2.</source>
        <translation>已用作“%1”，模型为 %2。</translation>
    </message>
    <message>
        <source>Settings of %1</source>
        <comment>run</comment>
        <translation>%1 的设置</translation>
    </message>
    <message>
        <source>Taken over from %1: %2.</source>
        <comment>run, titles of settings</comment>
        <translation>已从 %1 采用：%2。</translation>
    </message>
    <message>
        <source>Keep it among the looks</source>
        <translation>保留到视觉风格</translation>
    </message>
    <message>
        <source>The project has the look “%1” now.</source>
        <translation>项目现在使用视觉风格“%1”。</translation>
    </message>
    <message>
        <source>The project has the look “%1” already.</source>
        <translation>项目已经使用视觉风格“%1”。</translation>
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
        <source>Copy or write a frame, the clip, or a sheet of its frames</source>
        <translation>复制或写出一帧、片段或缩略图总览</translation>
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
    <message>
        <source>Full screen (F)</source>
        <translation>全屏（F）</translation>
    </message>
    <message>
        <source>Full screen</source>
        <translation>全屏</translation>
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
    <message>
        <source>%1 ms</source>
        <translation>%1 毫秒</translation>
    </message>
    <message>
        <source>%1 µs</source>
        <translation>%1 微秒</translation>
    </message>
    <message numerus="yes">
        <source>from %n runs like this on this machine</source>
        <translation>
            <numerusform>根据本机上 %n 次类似的运行</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>from measured rates and %n runs like this</source>
        <translation>
            <numerusform>根据测得的速率和 %n 次类似的运行</numerusform>
        </translation>
    </message>
    <message>
        <source>from measured rates</source>
        <translation>根据测得的速率</translation>
    </message>
    <message numerus="yes">
        <source>By %n runs like this one, and typical proportions of what they do not tell. Once this machine was measured, the times of all others are known, too.</source>
        <translation>
            <numerusform>根据 %n 次类似的运行，以及它们未能说明的部分的典型比例。测量本机后，其他运行的时间也会知道。</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::PredictionSource</name>
    <message>
        <source>The rates that were kept cannot be read; their file is now %1.</source>
        <translation>无法读取保存的速率；其文件现为 %1。</translation>
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
        <source>Go to setting</source>
        <translation>转到设置</translation>
    </message>
    <message>
        <source>Ready to run.</source>
        <translation>可以运行。</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>提示</translation>
    </message>
    <message>
        <source>Go to setting %1</source>
        <comment>title of a setting</comment>
        <translation>转到设置“%1”</translation>
    </message>
    <message>
        <source>Nothing is wrong with this project.</source>
        <translation>此项目没有问题。</translation>
    </message>
    <message>
        <source>Line %1</source>
        <translation>第 %1 行</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>line and what is wrong</comment>
        <translation>%1：%2</translation>
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
    <message>
        <source>Settings of the project</source>
        <translation>项目的设置</translation>
    </message>
    <message>
        <source>Unfold</source>
        <translation>展开</translation>
    </message>
    <message>
        <source>Fold</source>
        <translation>折叠</translation>
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
        <source>If you don&apos;t save, your changes will be lost.</source>
        <translation>如果不保存，您的更改将丢失。</translation>
    </message>
    <message>
        <source>Saved as typed. Fix what is marked red before you run this project.</source>
        <translation>已按输入保存。运行此项目前，请先修正标红的内容。</translation>
    </message>
</context>
<context>
    <name>meshreel::ProjectLauncher</name>
    <message>
        <source>It is neither a project file nor a run folder</source>
        <translation>既不是项目文件，也不是运行文件夹</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>file and why it cannot be used</comment>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>You did not agree to what it names</source>
        <translation>您未同意它所指向的内容</translation>
    </message>
    <message>
        <source>The project changed while it was being checked, so it did not start. Run it as it is now.</source>
        <translation>项目在检查期间被修改，因此未启动。请按现在的内容运行。</translation>
    </message>
    <message>
        <source>Add a table to the queue</source>
        <translation>将表加入队列</translation>
    </message>
    <message>
        <source>Tables (*.csv)</source>
        <translation>表 (*.csv)</translation>
    </message>
    <message>
        <source>%1, line %2 (%3)</source>
        <comment>file, line and why it cannot be run</comment>
        <translation>%1 第 %2 行（%3）</translation>
    </message>
    <message numerus="yes">
        <source>%n further rows</source>
        <translation>
            <numerusform>另外 %n 行</numerusform>
        </translation>
    </message>
    <message>
        <source>Not queued, as only project files without errors, run folders and rows of tables that can run are: %1.</source>
        <comment>files</comment>
        <translation>未加入队列，因为只有无错误的项目文件、运行文件夹和可运行的表行才能加入：%1。</translation>
    </message>
</context>
<context>
    <name>meshreel::ProjectRecovery</name>
    <message>
        <source>What you edit is kept only in this window: %1</source>
        <comment>reason</comment>
        <translation>您的编辑仅保存在此窗口中：%1</translation>
    </message>
    <message>
        <source>The kept project could not be read and was set aside as %1: %2</source>
        <comment>file, reason</comment>
        <translation>无法读取保存的项目，已另存为 %1：%2</translation>
    </message>
</context>
<context>
    <name>meshreel::PromptExamples</name>
    <message>
        <source>Moving</source>
        <translation>移动</translation>
    </message>
    <message>
        <source>Growing</source>
        <translation>变大</translation>
    </message>
    <message>
        <source>Shrinking</source>
        <translation>变小</translation>
    </message>
    <message>
        <source>Rising</source>
        <translation>上升</translation>
    </message>
    <message>
        <source>Falling</source>
        <translation>下落</translation>
    </message>
    <message>
        <source>Bouncing</source>
        <translation>弹跳</translation>
    </message>
    <message>
        <source>Spinning</source>
        <translation>旋转</translation>
    </message>
    <message>
        <source>Standing still</source>
        <translation>静止</translation>
    </message>
    <message>
        <source>Driving</source>
        <translation>行驶</translation>
    </message>
    <message>
        <source>Walking</source>
        <translation>行走</translation>
    </message>
    <message>
        <source>Camera flight</source>
        <translation>镜头飞行</translation>
    </message>
</context>
<context>
    <name>meshreel::PromptHelperDialog</name>
    <message>
        <source>Rewrite the prompt</source>
        <translation>改写提示词</translation>
    </message>
    <message>
        <source>A language model rewrites the prompt by the rules that Wan publishes. Nothing is sent before you ask: then the prompt and the rules, to this address alone.</source>
        <translation>语言模型按 Wan 公布的规则改写提示词。在您询问之前不会发送任何内容；询问时只把提示词和规则发送到此地址。</translation>
    </message>
    <message>
        <source>Prompt to rewrite</source>
        <translation>要改写的提示词</translation>
    </message>
    <message>
        <source>Rewritten prompt</source>
        <translation>改写后的提示词</translation>
    </message>
    <message>
        <source>The answer appears here, for you to edit</source>
        <translation>答复显示在此处，可供编辑</translation>
    </message>
    <message>
        <source>Ask</source>
        <translation>询问</translation>
    </message>
    <message>
        <source>Use it</source>
        <translation>使用</translation>
    </message>
    <message>
        <source>Of a server with OpenAI&apos;s chat completions: llama.cpp, Ollama and others</source>
        <translation>提供 OpenAI chat completions 的服务器：llama.cpp、Ollama 等</translation>
    </message>
    <message>
        <source>As the server calls it; empty: the one that it has</source>
        <translation>服务器所用的名称；留空则用其已有的模型</translation>
    </message>
    <message>
        <source>If the server asks for one. It is kept in a file that only you can read, and sent over https or to this machine only</source>
        <translation>仅在服务器要求时填写。它保存在只有您能读取的文件中，只经 https 发送或发往本机</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>密钥</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>已停止。</translation>
    </message>
    <message>
        <source>Asking %1…</source>
        <translation>正在询问 %1…</translation>
    </message>
    <message>
        <source>Read and edit the answer before you use it.</source>
        <translation>使用前请阅读并编辑答复。</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
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
        <translation>负面提示词</translation>
    </message>
    <message>
        <source>The kept prompts could not be read and were set aside as %1: %2</source>
        <translation>无法读取保存的提示词，已另存为 %1：%2</translation>
    </message>
    <message numerus="yes">
        <source>%n kept prompt(s) could not be read; a copy of all is %1</source>
        <translation>
            <numerusform>%n 条保存的提示词无法读取；全部内容的副本为 %1</numerusform>
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
        <translation>保存项目的提示词及负面提示词</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>使用</translation>
    </message>
    <message>
        <source>Put the prompt into the project; a style is put around the project&apos;s prompt</source>
        <translation>将提示词放入项目；风格会套在项目的提示词外</translation>
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
        <translation>风格“%1”</translation>
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
        <source>No saved prompts. Save the current one. A prompt containing {prompt} acts as a style around it.</source>
        <translation>没有已保存的提示词。请保存当前提示词。含有 {prompt} 的提示词会作为套在其外的风格。</translation>
    </message>
    <message>
        <source>Remove a prompt</source>
        <translation>移除提示词</translation>
    </message>
    <message>
        <source>Remove “%1”? It cannot be brought back.</source>
        <translation>移除“%1”？移除后无法恢复。</translation>
    </message>
    <message>
        <source>Rewrite…</source>
        <translation>改写…</translation>
    </message>
    <message>
        <source>Let a language model rewrite the project&apos;s prompt, and edit its answer</source>
        <translation>让语言模型改写项目的提示词，并编辑其答复</translation>
    </message>
    <message>
        <source>Rewritten prompt</source>
        <translation>改写后的提示词</translation>
    </message>
</context>
<context>
    <name>meshreel::PromptTools</name>
    <message>
        <source>Example</source>
        <translation>示例</translation>
    </message>
    <message>
        <source>%1 / %2 tokens</source>
        <comment>of the prompt, that the model reads</comment>
        <translation>%1 / %2 词元</translation>
    </message>
    <message>
        <source>What is beyond the limit is not read</source>
        <translation>超出上限的部分不会被读取</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>kind of motion, prompt</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Take a prompt that this model does well, and with the next click the next one; the arrow lists them by their motion</source>
        <translation>采用该模型擅长的提示词，再次点击则取下一个；箭头按运动列出它们</translation>
    </message>
</context>
<context>
    <name>meshreel::QualityModel</name>
    <message>
        <source>%1 to %2</source>
        <comment>places</comment>
        <translation>%1 至 %2</translation>
    </message>
    <message>
        <source>%1 %</source>
        <comment>percentage</comment>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>%1 to %2 %</source>
        <comment>percentages</comment>
        <translation>%1 至 %2 %</translation>
    </message>
    <message>
        <source>%1 (%2 to %3)</source>
        <comment>median, least and most seconds</comment>
        <translation>%1（%2 至 %3）</translation>
    </message>
    <message>
        <source>Setting</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>What makes runs differ, beside prompt, inputs and seed</source>
        <translation>除提示词、输入和种子外，使运行不同的内容</translation>
    </message>
    <message>
        <source>Place</source>
        <translation>名次</translation>
    </message>
    <message>
        <source>The places that the votes leave open, the best first</source>
        <translation>投票尚未排除的名次，最好的在前</translation>
    </message>
    <message>
        <source>Preferred</source>
        <translation>被偏好</translation>
    </message>
    <message>
        <source>How often it is preferred to another of these settings, by the model of Bradley and Terry</source>
        <translation>按 Bradley–Terry 模型，它比其他设置更受偏好的比例</translation>
    </message>
    <message>
        <source>Interval</source>
        <translation>区间</translation>
    </message>
    <message>
        <source>Holds the true share in about nine of ten cases</source>
        <translation>十次中约有九次包含真实比例</translation>
    </message>
    <message>
        <source>Votes</source>
        <translation>票数</translation>
    </message>
    <message>
        <source>Comparisons that the setting took part in</source>
        <translation>该设置参与的比较次数</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Compared runs of this setting</source>
        <translation>参与比较的此设置的运行</translation>
    </message>
    <message>
        <source>Seconds</source>
        <translation>秒</translation>
    </message>
    <message>
        <source>Of inference, without loading and compiling: median, least and most</source>
        <translation>推理秒数，不含加载和编译：中位数、最小和最大</translation>
    </message>
</context>
<context>
    <name>meshreel::QualityPage</name>
    <message>
        <source>Rate</source>
        <translation>评分</translation>
    </message>
    <message>
        <source>See the videos in pairs, without their settings, and say which is better</source>
        <translation>在不显示设置的情况下成对观看视频，并指出哪个更好</translation>
    </message>
    <message>
        <source>Quality of the settings</source>
        <translation>各设置的质量</translation>
    </message>
    <message>
        <source>Measuring the videos: %1 of %2 …</source>
        <translation>正在测量视频：%1 / %2 …</translation>
    </message>
    <message>
        <source>Nobody has voted on these settings yet.</source>
        <translation>还没有人为这些设置投票。</translation>
    </message>
    <message>
        <source>By votes on pairs of videos, seen without their settings.</source>
        <translation>依据对成对视频的投票，观看时不显示设置。</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Measure videos</source>
        <translation>测量视频</translation>
    </message>
    <message>
        <source>Stop measuring; what was measured stays</source>
        <translation>停止测量；已测量的结果保留</translation>
    </message>
    <message>
        <source>Measure flicker, sharpness and the difference to the baseline. At full size a video takes many seconds.</source>
        <translation>测量闪烁、清晰度以及与基准的差异。全尺寸视频每个需要许多秒。</translation>
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
        <translation>添加参数网格…</translation>
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
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Show the chart, summary and video of the run</source>
        <translation>显示该次运行的图表、摘要和视频</translation>
    </message>
    <message>
        <source>Load these settings</source>
        <translation>载入这些设置</translation>
    </message>
    <message>
        <source>Edit a copy of the project as it is in the queue</source>
        <translation>编辑队列中该项目的副本</translation>
    </message>
    <message>
        <source>Add project files…</source>
        <translation>添加项目文件…</translation>
    </message>
    <message>
        <source>Add projects to the queue</source>
        <translation>将项目加入队列</translation>
    </message>
    <message numerus="yes">
        <source>%n runs wait, about %1 in all</source>
        <translation>
            <numerusform>%n 个运行在等待，共约 %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n runs wait</source>
        <translation>
            <numerusform>%n 个运行在等待</numerusform>
        </translation>
    </message>
    <message>
        <source>Run again on the CPU</source>
        <translation>在 CPU 上重新运行</translation>
    </message>
    <message>
        <source>Run again with half the frames</source>
        <translation>用一半的帧数重新运行</translation>
    </message>
    <message>
        <source>Runs one after the other; when switched off, the current one still finishes</source>
        <translation>依次运行；关闭后，当前的运行仍会进行到底</translation>
    </message>
    <message>
        <source>Project files, and tables (CSV) whose columns are keys and whose rows are runs of the project</source>
        <translation>项目文件，以及列为键、行为项目运行的表（CSV）</translation>
    </message>
    <message>
        <source>Projects and tables (*.yaml *.yml *.csv)</source>
        <translation>项目和表 (*.yaml *.yml *.csv)</translation>
    </message>
</context>
<context>
    <name>meshreel::QueueStore</name>
    <message>
        <source>The kept queue could not be read and was set aside as %1: %2</source>
        <translation>无法读取保存的队列，已另存为 %1：%2</translation>
    </message>
    <message numerus="yes">
        <source>%n run(s) of the kept queue could not be read; a copy of the queue is %1. Run %2: %3</source>
        <translation>
            <numerusform>保存的队列中有 %n 个运行无法读取；队列的副本为 %1。运行 %2：%3</numerusform>
        </translation>
    </message>
    <message>
        <source>The queue cannot be kept: %1 Runs added here are lost when this window closes.</source>
        <comment>reason</comment>
        <translation>无法保存队列：%1 此窗口关闭后，在此添加的运行将丢失。</translation>
    </message>
</context>
<context>
    <name>meshreel::QueuedSettings</name>
    <message>
        <source>%1: %2</source>
        <comment>title of a setting and its value</comment>
        <translation>%1：%2</translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <comment>settings</comment>
        <translation>
            <numerusform>以及另外 %n 项</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::RankingView</name>
    <message>
        <source>%1 to %2</source>
        <comment>places</comment>
        <translation>%1 至 %2</translation>
    </message>
    <message>
        <source>Ranking of the settings</source>
        <translation>设置排名</translation>
    </message>
    <message>
        <source>%1: no votes yet</source>
        <comment>setting</comment>
        <translation>%1：还没有投票</translation>
    </message>
    <message numerus="yes">
        <source>%1: %2, preferred in %3 % (%4 to %5 %), %n votes</source>
        <comment>place, setting, share and its interval</comment>
        <translation>
            <numerusform>%1：%2，被偏好 %3 %（%4 至 %5 %），%n 票</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 % (%2 to %3)</source>
        <comment>share and its interval, percentages</comment>
        <translation>%1 %（%2 至 %3）</translation>
    </message>
    <message>
        <source>no votes</source>
        <translation>无投票</translation>
    </message>
</context>
<context>
    <name>meshreel::RateDialog</name>
    <message>
        <source>Rate videos</source>
        <translation>为视频评分</translation>
    </message>
    <message>
        <source>Ranking</source>
        <translation>排名</translation>
    </message>
    <message>
        <source>Show what the votes say of the settings so far</source>
        <translation>显示到目前为止投票对各设置的评价</translation>
    </message>
    <message>
        <source>Skip</source>
        <translation>跳过</translation>
    </message>
    <message>
        <source>Pass this pair over (S)</source>
        <translation>跳过这一对（S）</translation>
    </message>
    <message>
        <source>Take back</source>
        <translation>撤回</translation>
    </message>
    <message>
        <source>Take back the last vote, and see its pair again (Backspace)</source>
        <translation>撤回上一票并重新观看那一对（退格键）</translation>
    </message>
    <message>
        <source>The wheel zooms both, dragging moves, a double click fits</source>
        <translation>滚轮同时缩放两者，拖动移动，双击适合窗口</translation>
    </message>
    <message>
        <source>Position in the videos</source>
        <translation>视频中的位置</translation>
    </message>
    <message>
        <source>Drag to go to a frame of both</source>
        <translation>拖动以跳到两者的某一帧</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Play</source>
        <translation>播放</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>action and its key</comment>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>Space</source>
        <translation>空格</translation>
    </message>
    <message>
        <source>1  Left is better</source>
        <translation>1  左边更好</translation>
    </message>
    <message>
        <source>1 or the left arrow</source>
        <translation>1 或左箭头</translation>
    </message>
    <message>
        <source>0  No difference</source>
        <translation>0  没有差别</translation>
    </message>
    <message>
        <source>0 or the down arrow</source>
        <translation>0 或下箭头</translation>
    </message>
    <message>
        <source>2  Right is better</source>
        <translation>2  右边更好</translation>
    </message>
    <message>
        <source>2 or the right arrow</source>
        <translation>2 或右箭头</translation>
    </message>
    <message>
        <source>Reading the runs …</source>
        <translation>正在读取运行 …</translation>
    </message>
    <message>
        <source>Reading the videos …</source>
        <translation>正在读取视频 …</translation>
    </message>
    <message>
        <source>None of the videos can be shown beside another one.</source>
        <translation>没有可以与另一个并排显示的视频。</translation>
    </message>
    <message>
        <source>These videos have two prompts.</source>
        <translation>这两个视频的提示词不同。</translation>
    </message>
    <message numerus="yes">
        <source>%n votes</source>
        <translation>
            <numerusform>%n 票</numerusform>
        </translation>
    </message>
    <message>
        <source>every pair was seen: further votes narrow the intervals</source>
        <translation>每一对都看过了：更多投票会缩小区间</translation>
    </message>
    <message>
        <source>%1 of %2 pairs seen</source>
        <translation>已看 %1 对，共 %2 对</translation>
    </message>
    <message numerus="yes">
        <source>%n runs without a video that can be shown are left out</source>
        <translation>
            <numerusform>已略去 %n 个没有可显示视频的运行</numerusform>
        </translation>
    </message>
    <message>
        <source>There are no votes yet.</source>
        <translation>还没有投票。</translation>
    </message>
    <message>
        <source>How often each setting is preferred to another one of its group, and the range that holds the true share in nine of ten cases. Settings of different groups were never compared: dotted lines part them.</source>
        <translation>各设置比同组其他设置更受偏好的比例，以及十次中有九次包含真实比例的范围。不同组的设置从未比较过：以虚线分隔。</translation>
    </message>
    <message>
        <source>How often each setting is preferred to another one, and the range that holds the true share in nine of ten cases. Places whose ranges overlap are not decided: more votes narrow them.</source>
        <translation>各设置比其他设置更受偏好的比例，以及十次中有九次包含真实比例的范围。重叠的名次尚未确定：更多投票可以区分。</translation>
    </message>
</context>
<context>
    <name>meshreel::RecentStrip</name>
    <message>
        <source>Recent results</source>
        <translation>最近的结果</translation>
    </message>
    <message>
        <source>&amp;Open</source>
        <translation>打开(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;Load these settings</source>
        <translation>载入这些设置(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;All runs</source>
        <translation>所有运行(&amp;A)</translation>
    </message>
</context>
<context>
    <name>meshreel::RefineItem</name>
    <message>
        <source>Stop refining</source>
        <translation>停止细化</translation>
    </message>
    <message>
        <source>Refinement paused: CPU busy</source>
        <translation>细化已暂停：CPU 繁忙</translation>
    </message>
    <message>
        <source>refining: round %1 of %2</source>
        <translation>正在细化：第 %1/%2 轮</translation>
    </message>
    <message>
        <source>Other programs keep the processors busy. Round %1 of %2 is measured when they are at rest.</source>
        <translation>其他程序正占用处理器。处理器空闲后测量第 %1/%2 轮。</translation>
    </message>
    <message>
        <source>While nothing runs, this machine is measured further, which makes predictions more exact. Whatever you start comes first.</source>
        <translation>没有任务运行时继续测量本机，使预测更准确。您启动的任务优先。</translation>
    </message>
    <message>
        <source>Stop measuring. “Keep measuring when idle” in the Run menu starts it again.</source>
        <translation>停止测量。“运行”菜单中的“空闲时继续测量”可重新开始。</translation>
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
        <translation>设备数</translation>
    </message>
    <message>
        <source>Workers</source>
        <translation>工作线程数</translation>
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
        <translation>加载（秒）</translation>
    </message>
    <message>
        <source>Compile, s</source>
        <translation>准备（秒）</translation>
    </message>
    <message>
        <source>Inference, s</source>
        <translation>推理（秒）</translation>
    </message>
    <message>
        <source>Denoising, s</source>
        <translation>去噪（秒）</translation>
    </message>
    <message>
        <source>Decoding, s</source>
        <translation>解码（秒）</translation>
    </message>
    <message>
        <source>Step, s</source>
        <translation>每步（秒）</translation>
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
        <translation>计时摘要</translation>
    </message>
    <message>
        <source>Projects</source>
        <translation>项目</translation>
    </message>
    <message>
        <source>Spread</source>
        <translation>离散</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>结论</translation>
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
    <message>
        <source>Back to the current run</source>
        <translation>返回当前运行</translation>
    </message>
    <message>
        <source>Back to the last run</source>
        <translation>返回上一次运行</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Make the next clip: it goes on from the last frame of this one</source>
        <translation>制作下一个片段：从本片段的最后一帧继续</translation>
    </message>
    <message>
        <source>From the &amp;last frame</source>
        <translation>从最后一帧(&amp;L)</translation>
    </message>
    <message>
        <source>From the &amp;shown frame</source>
        <translation>从所示帧(&amp;S)</translation>
    </message>
    <message>
        <source>Use as</source>
        <translation>用作</translation>
    </message>
    <message>
        <source>Let the shown frame, or the video, be an input of the next video</source>
        <translation>将当前显示的帧或视频作为下一个视频的输入</translation>
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
        <source>Stop after the current block; steps that are done are kept</source>
        <translation>在当前块之后停止；已完成的步数会保留</translation>
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
        <source>Resume the stopped run from its last finished step</source>
        <translation>从最后完成的一步继续已停止的运行</translation>
    </message>
    <message>
        <source>Every step is done: the run cannot pause any more</source>
        <translation>所有步骤均已完成：运行不能再暂停</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Go to the first problem</source>
        <translation>转到第一个问题</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>队列</translation>
    </message>
    <message>
        <source>Run this project when its turn comes (Ctrl+Enter)</source>
        <translation>轮到时运行此项目（Ctrl+Enter）</translation>
    </message>
    <message>
        <source>Generate the video (Ctrl+Enter)</source>
        <translation>生成视频（Ctrl+Enter）</translation>
    </message>
    <message>
        <source>Checking the project</source>
        <translation>正在检查项目</translation>
    </message>
    <message>
        <source>Stop after the current step; nothing is lost</source>
        <translation>当前这一步完成后停止；不会丢失任何内容</translation>
    </message>
    <message>
        <source>Resume the stopped run %1 from its last finished step</source>
        <comment>name</comment>
        <translation>将已停止的运行 %1 从最后完成的一步继续</translation>
    </message>
</context>
<context>
    <name>meshreel::RunChoice</name>
    <message>
        <source>Runs that the chart shows</source>
        <translation>图表显示的运行</translation>
    </message>
    <message numerus="yes">
        <source>%1 and %n more</source>
        <translation>
            <numerusform>%1 和另外 %n 个</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>meshreel::RunCopies</name>
    <message>
        <source>None of these runs is finished: there is no timing summary to copy.</source>
        <translation>这些运行都未完成：没有可复制的计时摘要。</translation>
    </message>
    <message numerus="yes">
        <source>Copied %n timing summaries</source>
        <translation>
            <numerusform>已复制 %n 份计时摘要</numerusform>
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
    <name>meshreel::RunFilter</name>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>Adapter</source>
        <translation>适配器</translation>
    </message>
    <message>
        <source>Tag</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>Board</source>
        <translation>合集</translation>
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
        <translation>每步（秒）</translation>
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
    <message>
        <source>%1: %2</source>
        <comment>setting and its value</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Settings in which these runs differ, where they are not at their defaults</source>
        <translation>这些运行之间不同、且不是默认值的设置</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>What differs</source>
        <translation>差异</translation>
    </message>
    <message>
        <source>Not all of it can be read</source>
        <translation>部分内容无法读取</translation>
    </message>
    <message>
        <source>Starred</source>
        <translation>已加星标</translation>
    </message>
    <message>
        <source>No star</source>
        <translation>无星标</translation>
    </message>
    <message>
        <source>Collections that the run is in</source>
        <translation>该运行所在的合集</translation>
    </message>
    <message>
        <source>Star</source>
        <translation>星标</translation>
    </message>
    <message>
        <source>Boards</source>
        <translation>合集</translation>
    </message>
</context>
<context>
    <name>meshreel::RunLog</name>
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
    <message>
        <source>Block sizes are being timed</source>
        <translation>正在测量块大小</translation>
    </message>
    <message>
        <source>A sweep is being timed</source>
        <translation>正在进行扫描测量</translation>
    </message>
    <message>
        <source>This machine is being measured</source>
        <translation>正在测量本机</translation>
    </message>
    <message>
        <source>A benchmark is being measured</source>
        <translation>正在测量基准测试</translation>
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
        <source>Stopping</source>
        <translation>正在停止</translation>
    </message>
    <message>
        <source>Pausing after this step</source>
        <translation>将在此步之后暂停</translation>
    </message>
    <message>
        <source>%1. Resume begins again.</source>
        <comment>state</comment>
        <translation>%1。继续将从头开始。</translation>
    </message>
    <message>
        <source>%1 at step %2 of %3. Resume goes on from there.</source>
        <comment>state</comment>
        <translation>%1于第 %2 步（共 %3 步）。续跑将从该处开始。</translation>
    </message>
</context>
<context>
    <name>meshreel::RunPreview</name>
    <message>
        <source>%1: %2</source>
        <comment>setting and its value</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Previous run</source>
        <translation>上一个运行</translation>
    </message>
    <message>
        <source>Left arrow</source>
        <translation>左箭头</translation>
    </message>
    <message>
        <source>Next run</source>
        <translation>下一个运行</translation>
    </message>
    <message>
        <source>Right arrow</source>
        <translation>右箭头</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Preview of a run</source>
        <translation>运行预览</translation>
    </message>
    <message>
        <source>Settings of the run</source>
        <translation>该运行的设置</translation>
    </message>
    <message>
        <source>Show the chart, summary and video of the run</source>
        <translation>显示该运行的图表、摘要和视频</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>action and its key</comment>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <comment>numbers of runs</comment>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>This run has no video.</source>
        <translation>该运行没有视频。</translation>
    </message>
    <message>
        <source>Take the star away</source>
        <translation>取消星标</translation>
    </message>
    <message>
        <source>Give a star</source>
        <translation>加星标</translation>
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
        <source>Will resume</source>
        <translation>将续跑</translation>
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
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message numerus="yes">
        <source>%n steps, random seed</source>
        <translation>
            <numerusform>%n 步，随机种子</numerusform>
        </translation>
    </message>
    <message>
        <source>Running elsewhere</source>
        <translation>在别处运行</translation>
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
        <translation>设备数</translation>
    </message>
    <message>
        <source>Ranks</source>
        <translation>进程数</translation>
    </message>
    <message>
        <source>Workers of a device</source>
        <translation>每个设备的工作线程数</translation>
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
        <translation>%1：已完成，用时 %2</translation>
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
        <source>%1: stopped</source>
        <comment>stage</comment>
        <translation>%1：已停止</translation>
    </message>
    <message>
        <source>About %1 left</source>
        <comment>duration</comment>
        <translation>剩余约 %1</translation>
    </message>
    <message>
        <source>Load</source>
        <comment>stage of a run</comment>
        <translation>加载</translation>
    </message>
    <message>
        <source>Compile</source>
        <comment>stage of a run</comment>
        <translation>准备</translation>
    </message>
    <message>
        <source>Condition</source>
        <comment>stage of a run</comment>
        <translation>提示词</translation>
    </message>
    <message>
        <source>Steps</source>
        <comment>stage of a run</comment>
        <translation>步数</translation>
    </message>
    <message>
        <source>Decode</source>
        <comment>stage of a run</comment>
        <translation>解码</translation>
    </message>
    <message>
        <source>Format</source>
        <comment>stage of a run</comment>
        <translation>写出</translation>
    </message>
    <message>
        <source>cached</source>
        <comment>result of a stage, very short</comment>
        <translation>缓存</translation>
    </message>
    <message>
        <source>%1: in progress</source>
        <comment>stage</comment>
        <translation>%1：进行中</translation>
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
    <name>meshreel::RunTiles</name>
    <message>
        <source>Runs as tiles</source>
        <translation>平铺显示的运行</translation>
    </message>
</context>
<context>
    <name>meshreel::SaveLookDialog</name>
    <message>
        <source>Save a look</source>
        <translation>保存视觉风格</translation>
    </message>
    <message>
        <source>A look is a picture with settings in it: how videos look, whatever they show. Write {prompt} into a prompt to make it a style.</source>
        <translation>视觉风格是含有设置的图片：无论内容如何，视频看起来的样子。在提示词中写 {prompt} 即成为样式。</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>选择…</translation>
    </message>
    <message>
        <source>Settings of the look</source>
        <translation>视觉风格的设置</translation>
    </message>
    <message>
        <source>Picture of the look</source>
        <translation>视觉风格的图片</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>Picture</source>
        <translation>图片</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>title of a setting and its value</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Choose a picture or video</source>
        <translation>选择图片或视频</translation>
    </message>
    <message>
        <source>Pictures and videos (*.png *.jpg *.jpeg *.webp *.mp4 *.webm *.gif)</source>
        <translation>图片和视频 (*.png *.jpg *.jpeg *.webp *.mp4 *.webm *.gif)</translation>
    </message>
    <message>
        <source>The project has the default look: change sampling, adapters, size or what must not be seen first.</source>
        <translation>项目是默认的样子：请先更改采样、适配器、尺寸或不应出现的内容。</translation>
    </message>
    <message>
        <source>Choose at least one setting.</source>
        <translation>请至少选择一项设置。</translation>
    </message>
    <message>
        <source>Write a name.</source>
        <translation>请填写名称。</translation>
    </message>
    <message>
        <source>Choose a picture that shows the look, such as a frame of a run.</source>
        <translation>请选择展示该风格的图片，例如某次运行的一帧。</translation>
    </message>
</context>
<context>
    <name>meshreel::SessionKeeper</name>
    <message>
        <source>Your last project is open as you left it.</source>
        <translation>已按您离开时的样子打开上次的项目。</translation>
    </message>
    <message>
        <source>Go on with it</source>
        <translation>继续使用</translation>
    </message>
    <message>
        <source>Start anew</source>
        <translation>重新开始</translation>
    </message>
    <message>
        <source>Your last storyboard is open as you left it.</source>
        <translation>上次的故事板已按原样打开。</translation>
    </message>
    <message>
        <source>Show storyboard</source>
        <translation>显示故事板</translation>
    </message>
    <message numerus="yes">
        <source>%n runs wait in the queue.</source>
        <translation>
            <numerusform>队列中有 %n 个运行在等待。</numerusform>
        </translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>续跑</translation>
    </message>
    <message>
        <source>Show queue</source>
        <translation>显示队列</translation>
    </message>
</context>
<context>
    <name>meshreel::Settings</name>
    <message>
        <source>Some kept settings could not be read; a copy of their file is %1.</source>
        <translation>部分保存的设置无法读取；其文件的副本是 %1。</translation>
    </message>
</context>
<context>
    <name>meshreel::ShotEditor</name>
    <message>
        <source>Goes on from the shot before</source>
        <translation>接续前一个镜头</translation>
    </message>
    <message>
        <source>Frames in which the film passes over</source>
        <translation>影片过渡的帧数</translation>
    </message>
    <message>
        <source>Shot</source>
        <translation>镜头</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Name of the shot</source>
        <translation>镜头名称</translation>
    </message>
    <message>
        <source>Letters, digits, &apos;-&apos;, &apos;_&apos; and &apos;.&apos;; the folder of its run is called after it.</source>
        <translation>字母、数字、“-”、“_”和“.”；其运行文件夹以此命名。</translation>
    </message>
    <message>
        <source>Seconds</source>
        <translation>秒</translation>
    </message>
    <message>
        <source>How long the film shows the shot. Empty: as long as all shots.</source>
        <translation>影片显示该镜头的时长。留空：与所有镜头相同。</translation>
    </message>
    <message>
        <source>It begins with the last frames of the shot before.</source>
        <translation>它以前一个镜头的最后几帧开始。</translation>
    </message>
    <message>
        <source>Of those that both shots show; 0 cuts.</source>
        <translation>取自两个镜头共有的帧；0 表示直接切换。</translation>
    </message>
    <message>
        <source>usual (%1)</source>
        <comment>seconds</comment>
        <translation>通常（%1）</translation>
    </message>
    <message>
        <source>usual (%1)</source>
        <comment>frames</comment>
        <translation>通常（%1）</translation>
    </message>
    <message>
        <source>Goes on from the shot %1</source>
        <comment>name</comment>
        <translation>接续镜头 %1</translation>
    </message>
</context>
<context>
    <name>meshreel::SizePicker</name>
    <message>
        <source>Size class</source>
        <translation>尺寸等级</translation>
    </message>
    <message>
        <source>How large: the lines of a wide video</source>
        <translation>大小：宽幅视频的行数</translation>
    </message>
    <message>
        <source>Aspect ratio</source>
        <translation>宽高比</translation>
    </message>
    <message>
        <source>Width to height</source>
        <translation>宽与高之比</translation>
    </message>
    <message>
        <source>Custom size</source>
        <translation>自定义大小</translation>
    </message>
    <message>
        <source>Custom</source>
        <comment>aspect ratio</comment>
        <translation>自定义</translation>
    </message>
    <message>
        <source>Swap width and height</source>
        <translation>交换宽和高</translation>
    </message>
    <message>
        <source>Set the size</source>
        <translation>设置大小</translation>
    </message>
</context>
<context>
    <name>meshreel::SortMenu</name>
    <message>
        <source>Sort by</source>
        <translation>排序方式</translation>
    </message>
    <message>
        <source>Ascending</source>
        <translation>升序</translation>
    </message>
    <message>
        <source>Descending</source>
        <translation>降序</translation>
    </message>
    <message>
        <source>Not sorted</source>
        <translation>不排序</translation>
    </message>
</context>
<context>
    <name>meshreel::Splitter</name>
    <message>
        <source>Divider between %1 and %2</source>
        <translation>%1与%2之间的分隔条</translation>
    </message>
    <message>
        <source>Drag it, or move it with the arrow keys, Page up and down, Home and End; Enter or a double click puts it back.</source>
        <translation>可拖动，或用方向键、Page Up、Page Down、Home 和 End 移动；按 Enter 或双击恢复原位。</translation>
    </message>
    <message>
        <source>%1: %2 %</source>
        <comment>part of the window and its share</comment>
        <translation>%1：%2 %</translation>
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
    <name>meshreel::StatisticsModel</name>
    <message>
        <source>Seconds of all lanes together, as far as they are in what is measured; slices inside others count in both</source>
        <translation>所测范围内所有通道的总秒数；嵌套的片段在两者中都计入</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Total</source>
        <translation>总计</translation>
    </message>
    <message>
        <source>Count</source>
        <translation>次数</translation>
    </message>
    <message>
        <source>Mean</source>
        <translation>平均</translation>
    </message>
    <message>
        <source>Longest</source>
        <translation>最长</translation>
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
    <name>meshreel::StoryboardActions</name>
    <message>
        <source>A run is in progress: wait until it ends.</source>
        <translation>运行正在进行：请等待其结束。</translation>
    </message>
</context>
<context>
    <name>meshreel::StoryboardDocument</name>
    <message>
        <source>Add a shot</source>
        <translation>添加镜头</translation>
    </message>
    <message>
        <source>Duplicate a shot</source>
        <translation>复制镜头</translation>
    </message>
    <message>
        <source>Remove a shot</source>
        <translation>移除镜头</translation>
    </message>
    <message>
        <source>Move a shot</source>
        <translation>移动镜头</translation>
    </message>
    <message>
        <source>Settings for all shots</source>
        <translation>所有镜头的设置</translation>
    </message>
    <message>
        <source>Changes of the last session</source>
        <translation>上次会话的更改</translation>
    </message>
    <message>
        <source>Untitled storyboard</source>
        <translation>未命名故事板</translation>
    </message>
</context>
<context>
    <name>meshreel::StoryboardFiles</name>
    <message>
        <source>Storyboards (*.yaml *.yml)</source>
        <translation>故事板 (*.yaml *.yml)</translation>
    </message>
    <message>
        <source>New s&amp;toryboard</source>
        <translation>新建故事板(&amp;T)</translation>
    </message>
    <message>
        <source>Save storyboar&amp;d</source>
        <translation>保存故事板(&amp;D)</translation>
    </message>
    <message>
        <source>Save stor&amp;yboard as…</source>
        <translation>故事板另存为(&amp;Y)…</translation>
    </message>
    <message>
        <source>Begin a film with the settings of the open project</source>
        <translation>用当前项目的设置开始一部影片</translation>
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
        <source>If you don&apos;t save, your changes will be lost.</source>
        <translation>如果不保存，更改将丢失。</translation>
    </message>
    <message>
        <source>Save the storyboard</source>
        <translation>保存故事板</translation>
    </message>
    <message>
        <source>Open a storyboard</source>
        <translation>打开故事板</translation>
    </message>
</context>
<context>
    <name>meshreel::StoryboardModel</name>
    <message>
        <source>Not made</source>
        <comment>shot</comment>
        <translation>未制作</translation>
    </message>
    <message>
        <source>Changed</source>
        <comment>shot</comment>
        <translation>已更改</translation>
    </message>
    <message>
        <source>Interrupted</source>
        <comment>shot</comment>
        <translation>已中断</translation>
    </message>
    <message>
        <source>Made</source>
        <comment>shot</comment>
        <translation>已制作</translation>
    </message>
    <message>
        <source>%1 s</source>
        <comment>seconds</comment>
        <translation>%1 秒</translation>
    </message>
    <message>
        <source>Being made: %1 %</source>
        <comment>percent of a shot</comment>
        <translation>制作中：%1 %</translation>
    </message>
    <message>
        <source>Cannot be made</source>
        <comment>shot</comment>
        <translation>无法制作</translation>
    </message>
    <message>
        <source>Being checked</source>
        <comment>shot</comment>
        <translation>正在检查</translation>
    </message>
    <message>
        <source>Cannot be made yet</source>
        <comment>shot</comment>
        <translation>尚无法制作</translation>
    </message>
    <message>
        <source>%1 of memory</source>
        <comment>bytes</comment>
        <translation>内存 %1</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <comment>time, memory</comment>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>Shot %1 of %2, %3</source>
        <comment>number, number of shots, name</comment>
        <translation>镜头 %1/%2，%3</translation>
    </message>
    <message>
        <source>goes on from another shot</source>
        <translation>接续另一个镜头</translation>
    </message>
</context>
<context>
    <name>meshreel::StoryboardPanel</name>
    <message>
        <source>A film of several shots: each has its own prompt and pictures, and can go on from the one before. Only shots that changed are made again.</source>
        <translation>由多个镜头组成的影片：每个镜头有自己的提示词和图片，并可接续前一个镜头。只有更改过的镜头会重新制作。</translation>
    </message>
    <message>
        <source>Make what changed</source>
        <translation>制作更改部分</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>New storyboard</source>
        <translation>新建故事板</translation>
    </message>
    <message>
        <source>Open a storyboard…</source>
        <translation>打开故事板…</translation>
    </message>
    <message>
        <source>Shot</source>
        <translation>镜头</translation>
    </message>
    <message>
        <source>Film</source>
        <translation>影片</translation>
    </message>
    <message>
        <source>Add shot</source>
        <translation>添加镜头</translation>
    </message>
    <message>
        <source>Add a shot behind this one</source>
        <translation>在此镜头之后添加镜头</translation>
    </message>
    <message>
        <source>Duplicate shot</source>
        <translation>复制镜头</translation>
    </message>
    <message>
        <source>Duplicate this shot (Ctrl+D)</source>
        <translation>复制此镜头 (Ctrl+D)</translation>
    </message>
    <message>
        <source>Move shot to the left</source>
        <translation>镜头左移</translation>
    </message>
    <message>
        <source>Move this shot before the one before (Alt+Left)</source>
        <translation>将此镜头移到前一个之前 (Alt+左)</translation>
    </message>
    <message>
        <source>Move shot to the right</source>
        <translation>镜头右移</translation>
    </message>
    <message>
        <source>Move this shot behind the next one (Alt+Right)</source>
        <translation>将此镜头移到后一个之后 (Alt+右)</translation>
    </message>
    <message>
        <source>Remove shot</source>
        <translation>移除镜头</translation>
    </message>
    <message>
        <source>Remove this shot (Delete)</source>
        <translation>移除此镜头 (Delete)</translation>
    </message>
    <message>
        <source>Use the project&apos;s settings</source>
        <translation>使用项目设置</translation>
    </message>
    <message>
        <source>Save storyboard</source>
        <translation>保存故事板</translation>
    </message>
    <message>
        <source>Save the storyboard (Ctrl+S here)</source>
        <translation>保存故事板（此处 Ctrl+S）</translation>
    </message>
    <message>
        <source>Tools of the storyboard</source>
        <translation>故事板工具</translation>
    </message>
    <message>
        <source>Progress of the film</source>
        <translation>影片进度</translation>
    </message>
    <message>
        <source>What is done of the shot is kept: making the film goes on from there.</source>
        <translation>镜头已完成的部分会保留：影片从那里继续。</translation>
    </message>
    <message>
        <source>The film is being checked.</source>
        <translation>正在检查影片。</translation>
    </message>
    <message>
        <source>Film: %1 s</source>
        <comment>seconds</comment>
        <translation>影片：%1 秒</translation>
    </message>
    <message>
        <source>everything is made</source>
        <translation>全部已制作</translation>
    </message>
    <message>
        <source>its shots are made, but not joined</source>
        <translation>镜头已制作，但尚未合并</translation>
    </message>
    <message>
        <source>to make: %1 of %2</source>
        <comment>numbers of shots</comment>
        <translation>待制作：%1/%2</translation>
    </message>
    <message>
        <source>time not known</source>
        <translation>时间未知</translation>
    </message>
    <message>
        <source>%1 of memory</source>
        <comment>bytes</comment>
        <translation>内存 %1</translation>
    </message>
    <message>
        <source>Shots marked red cannot be made yet.</source>
        <translation>标红的镜头尚无法制作。</translation>
    </message>
    <message>
        <source>Everything is made: change a shot first.</source>
        <translation>全部已制作：请先更改镜头。</translation>
    </message>
    <message>
        <source>The film is being made.</source>
        <translation>正在制作影片。</translation>
    </message>
    <message>
        <source>Shot %1 of %2: %3</source>
        <comment>number, number of shots, name</comment>
        <translation>镜头 %1/%2：%3</translation>
    </message>
    <message>
        <source>Join the shots</source>
        <translation>合并镜头</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Make the shots that are not made as they are now, and join all</source>
        <translation>制作尚未按当前内容制作的镜头，并合并全部</translation>
    </message>
    <message>
        <source>Space plays the shots that are made.</source>
        <translation>按空格播放已制作的镜头。</translation>
    </message>
    <message>
        <source>No shot is made yet.</source>
        <translation>尚未制作任何镜头。</translation>
    </message>
    <message>
        <source>Let all shots have the model, size and other settings of the open project. A prompt and pictures that all shots share are removed.</source>
        <translation>让所有镜头使用当前项目的模型、尺寸和其他设置。所有镜头共用的提示词和图片会被移除。</translation>
    </message>
    <message>
        <source>What all shots share must be mended first: see above the shots.</source>
        <translation>请先修正所有镜头共用的设置：见镜头上方。</translation>
    </message>
</context>
<context>
    <name>meshreel::StoryboardRecovery</name>
    <message>
        <source>The kept storyboard could not be read and was set aside as %1: %2</source>
        <comment>file, reason</comment>
        <translation>无法读取保留的故事板，已另存为 %1：%2</translation>
    </message>
    <message>
        <source>The storyboard is kept only in this window: %1</source>
        <comment>reason</comment>
        <translation>故事板仅保留在此窗口中：%1</translation>
    </message>
</context>
<context>
    <name>meshreel::StoryboardStrip</name>
    <message>
        <source>Shots of the film</source>
        <translation>影片的镜头</translation>
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
    <message>
        <source>Summary</source>
        <translation>摘要</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>Foresight</source>
        <translation>预估</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>时间线</translation>
    </message>
    <message>
        <source>Storyboard</source>
        <translation>故事板</translation>
    </message>
    <message>
        <source>Bench</source>
        <translation>基准测试</translation>
    </message>
</context>
<context>
    <name>meshreel::StudioWords</name>
    <message>
        <source>Add the file in Models, which says what it is</source>
        <translation>请在模型库中添加该文件，那里会说明它是什么</translation>
    </message>
    <message>
        <source>The file is of another model, or damaged: add it in Models to see what it is, or get it again</source>
        <translation>文件属于另一个模型，或已损坏：请在模型库中添加它以查看它是什么，或重新获取</translation>
    </message>
    <message>
        <source>measure one in a terminal (meshreel calibrate magcache PROJECT -o FILE), and choose it as MagCache curve file</source>
        <translation>请在终端中测量一条（meshreel calibrate magcache PROJECT -o FILE），并将其选为 MagCache 曲线文件</translation>
    </message>
    <message>
        <source>The MagCache curve was measured on a transformer of {} blocks, and this has {}; in a terminal, meshreel calibrate magcache measures one for it</source>
        <translation>该 MagCache 曲线是在 {} 个块的 Transformer 上测得的，而此 Transformer 有 {} 个；可在终端中用 meshreel calibrate magcache 为它测量一条</translation>
    </message>
    <message>
        <source>Choose a file that meshreel calibrate magcache has written in a terminal</source>
        <translation>请选择在终端中由 meshreel calibrate magcache 写出的文件</translation>
    </message>
    <message>
        <source>Curve of the model, which meshreel calibrate magcache measures in a terminal; relative to the project&apos;s folder.</source>
        <translation>模型的曲线，在终端中由 meshreel calibrate magcache 测得；路径相对于项目文件夹。</translation>
    </message>
    <message>
        <source>Tune searches block sizes</source>
        <translation>块大小由“调优”搜索</translation>
    </message>
    <message>
        <source>run folders hold what a run leaves: see Runs</source>
        <translation>运行留下的内容都在运行文件夹中：见运行记录</translation>
    </message>
    <message>
        <source>Copy the model to every host and turn Send weights off</source>
        <translation>请将模型复制到每台主机，并关闭“发送权重”</translation>
    </message>
    <message>
        <source>Choose the folder of a run</source>
        <translation>请选择一次运行的文件夹</translation>
    </message>
    <message>
        <source>Choose one with “Choose the folder for runs” in the File menu</source>
        <translation>请用“文件”菜单中的“选择运行文件夹”选择一个</translation>
    </message>
    <message>
        <source>Choose one from the list</source>
        <translation>请从列表中选择</translation>
    </message>
    <message>
        <source>Choose flash, or another mode whose kernel works in blocks</source>
        <translation>请选择 flash，或另一种带分块内核的模式</translation>
    </message>
    <message>
        <source>Choose a tile_size_grid_search.csv as tuning writes it</source>
        <translation>请选择由调优写出的 tile_size_grid_search.csv</translation>
    </message>
    <message>
        <source>Choose runs that got as far as denoising, or a table that tuning has written</source>
        <translation>请选择已进行到去噪的运行，或由调优写出的表格</translation>
    </message>
    <message>
        <source>Set XDG_CACHE_HOME to a folder that you may write to, and start the Studio again</source>
        <translation>请将 XDG_CACHE_HOME 设为可写的文件夹，并重新启动 Studio</translation>
    </message>
    <message>
        <source>Delete the file: it is made again</source>
        <translation>请删除该文件：它会重新生成</translation>
    </message>
    <message>
        <source>Free some space, or set XDG_CACHE_HOME to another disk and start the Studio again</source>
        <translation>请腾出一些空间，或将 XDG_CACHE_HOME 设到另一块磁盘并重新启动 Studio</translation>
    </message>
    <message>
        <source>Start it again with Run</source>
        <translation>请用“运行”重新开始</translation>
    </message>
    <message>
        <source>Set them back, or start a new run with them: “Load these settings” in Runs, then Run</source>
        <translation>请改回原来的设置，或用现在的设置开始新的运行：运行记录中的“使用其项目”，然后“运行”</translation>
    </message>
    <message>
        <source>Put the files back that it began with, or start a new run: “Load these settings” in Runs, then Run</source>
        <translation>请放回开始时的文件，或开始新的运行：运行记录中的“使用其项目”，然后“运行”</translation>
    </message>
    <message>
        <source>rank {} on host {} computes with {}, and rank 0 on host {} with {}: the result differs slightly from that of one instruction set</source>
        <translation>rank {}（主机 {}）使用 {} 计算，而 rank 0（主机 {}）使用 {}：结果与只用一种指令集时略有不同</translation>
    </message>
    <message>
        <source>Choose another GPU, or none, at the setting GPU</source>
        <translation>请在设置“GPU”处选择另一个 GPU，或 none</translation>
    </message>
    <message>
        <source>Use none, auto, or the number of a GPU: 0 is the first</source>
        <translation>请使用 none、auto 或 GPU 的编号：0 是第一个</translation>
    </message>
    <message>
        <source>Choose none, auto, or the number of another GPU: 0 is the first</source>
        <translation>请选择 none、auto 或另一个 GPU 的编号：0 是第一个</translation>
    </message>
    <message>
        <source>Update the GPU driver, or use the CPU</source>
        <translation>请更新 GPU 驱动程序，或使用 CPU</translation>
    </message>
    <message>
        <source>If you know who wrote the project, open it and agree for its folder</source>
        <translation>如果您知道项目的作者，请打开项目并同意其文件夹</translation>
    </message>
    <message>
        <source>Download it in the Models panel ({}), or whole in a terminal with: {}. {}</source>
        <translation>请在“模型库”面板（{}）下载，或在终端中完整下载：{}。{}</translation>
    </message>
    <message>
        <source>not measured yet; the first run in bf16 measures</source>
        <translation>尚未测量；首次 bf16 运行会测量</translation>
    </message>
    <message>
        <source>Download it in the Models panel ({}), and use it from there. {}</source>
        <translation>请在“模型库”面板（{}）下载，并从那里使用。{}</translation>
    </message>
    <message>
        <source>Resume goes on with it on the same hosts</source>
        <translation>“续跑”会在相同的主机上继续</translation>
    </message>
    <message>
        <source>Resume goes on with it</source>
        <translation>“续跑”会继续它</translation>
    </message>
    <message>
        <source>Choose a new folder, or go on with the run in it with Resume</source>
        <translation>请选择新的文件夹，或用“续跑”继续其中的运行</translation>
    </message>
    <message>
        <source>Resume it there, or with “Resume on a different machine” in Runs: the result may then differ in its last bits</source>
        <translation>请在那里续跑，或使用运行记录中的“在不同机器上续跑”：此时结果的末位可能不同</translation>
    </message>
    <message>
        <source>Go on with the run first, with Resume</source>
        <translation>请先用“续跑”继续该运行</translation>
    </message>
    <message>
        <source>Go on with one of them with Resume in Runs</source>
        <translation>请用运行记录中的“续跑”继续其中之一</translation>
    </message>
    <message>
        <source>Choose a file for {}</source>
        <translation>请为 {} 选择文件</translation>
    </message>
    <message>
        <source>Free some space on it, or choose another folder with “Choose the folder for runs” in the File menu</source>
        <translation>请在该磁盘上腾出空间，或用“文件”菜单中的“选择运行文件夹”选择另一个文件夹</translation>
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
        <source>Slowest less fastest pass, in percent of the median</source>
        <translation>最慢与最快之差，占中位数的百分比</translation>
    </message>
    <message>
        <source>Strategy</source>
        <translation>策略</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>批次</translation>
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
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>The settings of the open project</source>
        <translation>打开的项目的设置</translation>
    </message>
    <message>
        <source>%1, the settings of the open project</source>
        <comment>a strategy</comment>
        <translation>%1，打开的项目的设置</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>结论</translation>
    </message>
    <message>
        <source>Beside the first strategy, all else equal: the range that holds the true difference in nine of ten comparisons; where it is within the noise, how often to repeat both</source>
        <translation>在其他设置都相同的情况下与第一个策略相比：十次比较中有九次包含真实差异的范围；差异在波动之内时，两者应重复的次数</translation>
    </message>
</context>
<context>
    <name>meshreel::SweepPanel</name>
    <message>
        <source>Cells that are done</source>
        <translation>已完成的单元</translation>
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
    <message numerus="yes">
        <source>%1 (%n cells cannot run)</source>
        <comment>what is done</comment>
        <translation>
            <numerusform>%1（%n 个单元无法运行）</numerusform>
        </translation>
    </message>
    <message>
        <source>A sweep times modes, meshes, batches and block sizes beside each other. Make one of the open project, or open a file.</source>
        <translation>扫描会并列测量模式、网格、批次和块大小。可由当前项目新建，或打开文件。</translation>
    </message>
    <message>
        <source>New sweep from this project…</source>
        <translation>由此项目新建扫描…</translation>
    </message>
    <message>
        <source>Writes a file that times this project&apos;s attention beside other modes</source>
        <translation>写入一个文件，将此项目的注意力与其他模式并列计时</translation>
    </message>
    <message>
        <source>New sweep from this project</source>
        <translation>由此项目新建扫描</translation>
    </message>
    <message>
        <source>Sweeps (*.yaml)</source>
        <translation>扫描 (*.yaml)</translation>
    </message>
    <message>
        <source>Repeat</source>
        <translation>重复</translation>
    </message>
    <message numerus="yes">
        <source>Times %n cells again, as often as it takes to tell those within the noise from what they are compared with</source>
        <translation>
            <numerusform>再次测量 %n 个单元，直到能把处于波动之内的单元与其比较对象区分开</numerusform>
        </translation>
    </message>
    <message>
        <source>No cell is within the noise of what it is compared with</source>
        <translation>没有单元处于其比较对象的波动之内</translation>
    </message>
</context>
<context>
    <name>meshreel::TaskPicker</name>
    <message>
        <source>Text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>Image</source>
        <translation>图片</translation>
    </message>
    <message>
        <source>Video</source>
        <translation>视频</translation>
    </message>
    <message>
        <source>A video made over after a prompt</source>
        <translation>按提示词重新生成的视频</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>编辑</translation>
    </message>
    <message>
        <source>A video edited with masks, controls and reference images</source>
        <translation>用蒙版、控制和参考图编辑的视频</translation>
    </message>
    <message>
        <source>Character</source>
        <translation>角色</translation>
    </message>
    <message>
        <source>A character that moves as a video of poses does</source>
        <translation>按姿态视频动作的角色</translation>
    </message>
    <message>
        <source>What the video is made of</source>
        <translation>视频的来源</translation>
    </message>
    <message>
        <source>A video from a prompt; with Phantom, of the subjects in pictures</source>
        <translation>根据提示词生成的视频；使用 Phantom 时，带有图片中的主体</translation>
    </message>
    <message>
        <source>A video that begins with a picture, ends with one, or shows pictures in between</source>
        <translation>以图像开头、以图像结尾或在中间显示图像的视频</translation>
    </message>
    <message>
        <source>Shows it in Models, with its licence and its files, where it is downloaded</source>
        <translation>在“模型”中显示其许可证和文件，并可在那里下载</translation>
    </message>
    <message>
        <source>No model on this machine does this: %1.</source>
        <comment>title of a task</comment>
        <translation>本机没有能做此事的模型：%1。</translation>
    </message>
    <message>
        <source>No model on this machine does this: %1. Add one in Models.</source>
        <comment>title of a task</comment>
        <translation>本机没有能做此事的模型：%1。请在“模型”中添加。</translation>
    </message>
    <message>
        <source>Get %1 (%2)</source>
        <comment>model, size</comment>
        <translation>获取 %1（%2）</translation>
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
    <name>meshreel::TimedPromptTable</name>
    <message>
        <source>Add a timed part</source>
        <translation>添加带时间的部分</translation>
    </message>
    <message>
        <source>Say what the video should show for a part of its time</source>
        <translation>说明视频在一段时间内应显示的内容</translation>
    </message>
    <message>
        <source>From</source>
        <comment>when a part of the prompt begins</comment>
        <translation>从</translation>
    </message>
    <message>
        <source>To</source>
        <comment>when a part of the prompt ends</comment>
        <translation>到</translation>
    </message>
    <message>
        <source>Words</source>
        <comment>that hold between the two</comment>
        <translation>文字</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>词元</translation>
    </message>
    <message>
        <source>Words that hold all the time</source>
        <translation>始终有效的文字</translation>
    </message>
    <message>
        <source>nothing that holds all the time</source>
        <translation>没有始终有效的内容</translation>
    </message>
    <message>
        <source>all the time</source>
        <translation>始终</translation>
    </message>
    <message>
        <source>Words of part %1</source>
        <translation>第 %1 部分的文字</translation>
    </message>
    <message>
        <source>Remove part %1</source>
        <translation>移除第 %1 部分</translation>
    </message>
    <message>
        <source>From when part %1 holds</source>
        <translation>第 %1 部分从何时起有效</translation>
    </message>
    <message>
        <source>Until when part %1 holds</source>
        <translation>第 %1 部分到何时为止有效</translation>
    </message>
    <message>
        <source>start</source>
        <comment>of the video</comment>
        <translation>开头</translation>
    </message>
    <message>
        <source>end</source>
        <comment>of the video</comment>
        <translation>结尾</translation>
    </message>
    <message>
        <source>Percent (33%), seconds (2s or 0:02) or frames (17), alike at both ends</source>
        <translation>百分比（33%）、秒（2s 或 0:02）或帧（17），两端单位相同</translation>
    </message>
    <message>
        <source>Move part %1 up</source>
        <translation>上移第 %1 部分</translation>
    </message>
    <message>
        <source>Move part %1 down</source>
        <translation>下移第 %1 部分</translation>
    </message>
</context>
<context>
    <name>meshreel::TimelinePanel</name>
    <message>
        <source>Choose a run</source>
        <translation>选择运行</translation>
    </message>
    <message>
        <source>timeline</source>
        <comment>beside a divider</comment>
        <translation>时间线</translation>
    </message>
    <message>
        <source>statistics</source>
        <comment>beside a divider</comment>
        <translation>统计</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>The run whose trace is shown</source>
        <translation>显示其轨迹的运行</translation>
    </message>
    <message>
        <source>Run below</source>
        <translation>下方的运行</translation>
    </message>
    <message>
        <source>A second run, below the first on the same time axis</source>
        <translation>第二个运行，在第一个下方，使用同一时间轴</translation>
    </message>
    <message>
        <source>Search names</source>
        <translation>搜索名称</translation>
    </message>
    <message>
        <source>Search names of slices</source>
        <translation>搜索片段名称</translation>
    </message>
    <message>
        <source>Previous one found (Shift+Enter)</source>
        <translation>上一个结果（Shift+Enter）</translation>
    </message>
    <message>
        <source>Previous one found</source>
        <translation>上一个结果</translation>
    </message>
    <message>
        <source>Next one found (Enter)</source>
        <translation>下一个结果（Enter）</translation>
    </message>
    <message>
        <source>Next one found</source>
        <translation>下一个结果</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <comment>the selected slice among those found</comment>
        <translation>第 %1 个，共 %2 个</translation>
    </message>
    <message>
        <source>Statistics by name</source>
        <translation>按名称统计</translation>
    </message>
    <message>
        <source>No run</source>
        <translation>无运行</translation>
    </message>
    <message>
        <source>No second run</source>
        <translation>无第二个运行</translation>
    </message>
    <message>
        <source>%1 left no trace. Runs write it when they end: choose one that is done.</source>
        <comment>a run</comment>
        <translation>%1 没有留下轨迹。运行在结束时写入轨迹：请选择一个已完成的运行。</translation>
    </message>
    <message>
        <source>Reading the trace…</source>
        <translation>正在读取轨迹…</translation>
    </message>
    <message>
        <source>Choose a run to see what its devices did, step by step and block by block.</source>
        <translation>选择一个运行，逐步、逐块查看其设备做了什么。</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>未找到</translation>
    </message>
    <message>
        <source>%1 found</source>
        <comment>slices</comment>
        <translation>找到 %1 个</translation>
    </message>
    <message>
        <source>Measured: %1</source>
        <comment>a time</comment>
        <translation>测得：%1</translation>
    </message>
    <message>
        <source>Click a slice to select it; drag along the ruler, or with Shift, to measure. Below is the whole run.</source>
        <translation>单击片段以选择；沿标尺拖动或按住 Shift 拖动以测量。下方为整个运行。</translation>
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
        <translation>运行的时间线</translation>
    </message>
    <message>
        <source>W and S zoom, A and D move, F frames what is selected, M measures it, 0 shows everything. Comma and full stop select the slice before and after. The wheel zooms, with Shift it moves. A drag moves; along the ruler or with Shift it measures. Escape ends measuring and the selection.</source>
        <translation>W 和 S 缩放，A 和 D 移动，F 适配所选内容，M 测量它，0 显示全部。逗号和句号选择前一个和后一个片段。滚轮缩放，按住 Shift 则移动。拖动为移动；沿标尺或按住 Shift 拖动为测量。Esc 结束测量和选择。</translation>
    </message>
    <message>
        <source>from %1</source>
        <comment>a time</comment>
        <translation>起于 %1</translation>
    </message>
    <message>
        <source>, </source>
        <comment>between the parts of a description</comment>
        <translation>，</translation>
    </message>
</context>
<context>
    <name>meshreel::TimingComparison</name>
    <message>
        <source>%1 (baseline)</source>
        <comment>run</comment>
        <translation>%1（基准）</translation>
    </message>
    <message>
        <source>How many times as fast as the baseline, the first run unless another is chosen: by seconds a step, of pasted timings by denoising, or by inference. A dash stands where runs did not compute the same, or that is not known.</source>
        <translation>相对基准（未另选时为第一个运行）快多少倍：按每步秒数，粘贴的计时按去噪，或按推理。计算不同或无法得知时显示短线。</translation>
    </message>
    <message>
        <source>%1 %</source>
        <comment>percentage</comment>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>%1 beside %2: %3.</source>
        <comment>run, baseline, verdict</comment>
        <translation>%1 对比 %2：%3。</translation>
    </message>
    <message>
        <source>%1 beside %2: a step takes %3. %4.</source>
        <comment>run, baseline, time and spread, verdict</comment>
        <translation>%1 对比 %2：每步 %3。%4。</translation>
    </message>
    <message>
        <source>Slowest less fastest step, in percent of the median</source>
        <translation>最慢一步与最快一步之差，占中位数的百分比</translation>
    </message>
    <message>
        <source>Beside the baseline, in bold: the range that holds the true difference in nine of ten comparisons; where it is within the noise, how often to repeat both</source>
        <translation>与粗体的基准相比：十次比较中有九次包含真实差异的范围；差异在波动之内时，两者应重复的次数</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>setting and its value</comment>
        <translation>%1：%2</translation>
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
    <name>meshreel::TraceTexts</name>
    <message>
        <source>Device %1</source>
        <translation>设备 %1</translation>
    </message>
    <message>
        <source>Thread %1</source>
        <translation>线程 %1</translation>
    </message>
</context>
<context>
    <name>meshreel::TrackHand</name>
    <message>
        <source>Draw a track</source>
        <translation>绘制轨迹</translation>
    </message>
    <message>
        <source>Move a point</source>
        <translation>移动点</translation>
    </message>
    <message>
        <source>Move a track</source>
        <translation>移动轨迹</translation>
    </message>
</context>
<context>
    <name>meshreel::TriggerLabel</name>
    <message>
        <source>Click a word to add it to the prompt</source>
        <translation>单击词语即可加入提示词</translation>
    </message>
    <message>
        <source>Trigger words: %1</source>
        <translation>触发词：%1</translation>
    </message>
    <message>
        <source>Most frequent in its captions: %1</source>
        <translation>其训练标注中最常见：%1</translation>
    </message>
</context>
<context>
    <name>meshreel::TrustSheet</name>
    <message>
        <source>A project from someone else?</source>
        <translation>这是他人的项目吗？</translation>
    </message>
    <message>
        <source>This project uses what lies outside it:</source>
        <translation>此项目使用其外部的内容：</translation>
    </message>
    <message>
        <source>Use it only if you know who wrote it.</source>
        <translation>仅当您知道作者是谁时才使用。</translation>
    </message>
    <message>
        <source>Use it only if you know who wrote it. Projects of the folder %1 are then used without a question.</source>
        <translation>仅当您知道作者是谁时才使用。此后文件夹 %1 中的项目将不再询问而直接使用。</translation>
    </message>
    <message>
        <source>Use it</source>
        <translation>使用</translation>
    </message>
    <message>
        <source>Don&apos;t use it</source>
        <translation>不使用</translation>
    </message>
</context>
<context>
    <name>meshreel::TuneForm</name>
    <message>
        <source>Smart ladder</source>
        <translation>精选大小</translation>
    </message>
    <message>
        <source>Full grid</source>
        <translation>全部组合</translation>
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
        <translation>每种选择计入之前的次数</translation>
    </message>
</context>
<context>
    <name>meshreel::TunePanel</name>
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
        <source>Times one block of the transformer with this project&apos;s video, mesh and attention.</source>
        <translation>用本项目的视频、设备网格和注意力测量 Transformer 的一个块。</translation>
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
        <source>Block sizes that were found</source>
        <translation>找到的块大小</translation>
    </message>
    <message>
        <source>Preparing the GPU…</source>
        <translation>正在准备 GPU…</translation>
    </message>
    <message>
        <source>Preparing weights…</source>
        <translation>正在准备权重…</translation>
    </message>
    <message>
        <source>Times every form and block of the GPU&apos;s kernels at the sizes of this project.</source>
        <translation>按本项目的尺寸测量 GPU 内核的每种形式和块。</translation>
    </message>
    <message>
        <source>Use in runs</source>
        <translation>用于运行</translation>
    </message>
    <message>
        <source>Runs on this GPU take the fastest from now on</source>
        <translation>此 GPU 上的运行今后采用最快的</translation>
    </message>
    <message>
        <source>Repeat</source>
        <translation>重复</translation>
    </message>
    <message numerus="yes">
        <source>Times the fastest and what it is compared with %n times more</source>
        <translation>
            <numerusform>将最快的和它的比较对象再测量 %n 次</numerusform>
        </translation>
    </message>
    <message>
        <source>There is nothing within the noise to repeat</source>
        <translation>没有处于波动之内、需要重复的内容</translation>
    </message>
</context>
<context>
    <name>meshreel::TuneResults</name>
    <message>
        <source>The map of block sizes appears here: press Search while nothing else is running.</source>
        <translation>块大小图会出现在这里：请在没有其他任务运行时点击“搜索”。</translation>
    </message>
    <message>
        <source>Time by block sizes</source>
        <translation>各块大小的用时</translation>
    </message>
    <message>
        <source>Progress of the search</source>
        <translation>搜索进度</translation>
    </message>
    <message>
        <source>Foreseen for %1, not measured: seconds a step by block sizes</source>
        <translation>针对 %1 的预估而非实测：各块大小的每步秒数</translation>
    </message>
    <message>
        <source>Fastest: block_q %1 · block_kv %2, %3 s a step. The project&apos;s own sizes: %4 s.</source>
        <translation>最快：block_q %1 · block_kv %2，每步 %3 秒。项目自身的大小：%4 秒。</translation>
    </message>
    <message>
        <source>Kernel</source>
        <translation>内核</translation>
    </message>
    <message>
        <source>Time by form and block</source>
        <translation>按形式和块的时间</translation>
    </message>
</context>
<context>
    <name>meshreel::TuneTexts</name>
    <message numerus="yes">
        <source>%n choices did not run.</source>
        <translation>
            <numerusform>有 %n 种未能运行。</numerusform>
        </translation>
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
        <translation>第 %1/%2 次，剩余约 %3</translation>
    </message>
    <message>
        <source>None of these sizes ran: %1</source>
        <translation>这些大小都未能运行：%1</translation>
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
        <source>Linear layers</source>
        <translation>线性层</translation>
    </message>
    <message>
        <source>Linear layers with int8 weights</source>
        <translation>int8 权重的线性层</translation>
    </message>
    <message>
        <source>Attention of heads of up to %1 numbers</source>
        <translation>每头最多 %1 个数的注意力</translation>
    </message>
    <message>
        <source>None of them ran: %1</source>
        <translation>都没有运行成功：%1</translation>
    </message>
    <message>
        <source>This GPU offers nothing else.</source>
        <translation>此 GPU 没有其他选择。</translation>
    </message>
    <message>
        <source>Runs take it already.</source>
        <translation>运行已在采用它。</translation>
    </message>
    <message>
        <source>No run has compared them yet.</source>
        <translation>还没有运行比较过它们。</translation>
    </message>
    <message>
        <source>Runs take now: %1.</source>
        <translation>运行目前采用：%1。</translation>
    </message>
    <message>
        <source>form</source>
        <comment>of a GPU&apos;s kernel</comment>
        <translation>形式</translation>
    </message>
    <message>
        <source>block</source>
        <comment>of a GPU&apos;s kernel</comment>
        <translation>块</translation>
    </message>
    <message>
        <source> (taken now)</source>
        <translation>（目前采用）</translation>
    </message>
    <message numerus="yes">
        <source>%1: %2, %n candidates</source>
        <comment>a GPU and the size of its work</comment>
        <translation>
            <numerusform>%1：%2，%n 个候选</numerusform>
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
        <translation>GPU %1：%2</translation>
    </message>
    <message>
        <source>block_q %1 · block_kv %2: %3</source>
        <comment>sizes, time and spread</comment>
        <translation>block_q %1 · block_kv %2：%3</translation>
    </message>
    <message>
        <source>%1.</source>
        <comment>a verdict as a sentence</comment>
        <translation>%1。</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>a GPU&apos;s kernel, its time and spread</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Fastest choice: %1.</source>
        <translation>最快的选择：%1。</translation>
    </message>
</context>
<context>
    <name>meshreel::UseMenu</name>
    <message>
        <source>&amp;Use as</source>
        <translation>用作(&amp;U)</translation>
    </message>
    <message>
        <source>Shown frame</source>
        <translation>当前显示的帧</translation>
    </message>
    <message>
        <source>Continue from the shown frame</source>
        <translation>从当前显示的帧续接</translation>
    </message>
    <message>
        <source>Last frame</source>
        <translation>末帧</translation>
    </message>
    <message>
        <source>First frame</source>
        <translation>首帧</translation>
    </message>
    <message>
        <source>Continue from its last frame</source>
        <translation>从末帧续接</translation>
    </message>
    <message>
        <source>Video</source>
        <translation>视频</translation>
    </message>
    <message>
        <source>Video to make over</source>
        <translation>要重制的视频</translation>
    </message>
    <message>
        <source>Control video</source>
        <translation>控制视频</translation>
    </message>
    <message>
        <source>%1 (no installed model takes it)</source>
        <comment>use</comment>
        <translation>%1（没有已安装的模型支持）</translation>
    </message>
</context>
<context>
    <name>meshreel::Variations</name>
    <message>
        <source>New seed for each run</source>
        <translation>每次运行用新种子</translation>
    </message>
    <message>
        <source>Run sets a random seed first; the seed of every run is kept with it</source>
        <translation>运行前先设随机种子；每次运行都会保存其种子</translation>
    </message>
    <message>
        <source>Videos to make</source>
        <translation>要生成的视频数</translation>
    </message>
    <message>
        <source>The first runs at once, the others are queued; each has a seed of its own</source>
        <translation>第一个立即运行，其余加入队列；每个都有自己的种子</translation>
    </message>
    <message>
        <source>Videos</source>
        <translation>视频数</translation>
    </message>
</context>
<context>
    <name>meshreel::WalkTransport</name>
    <message>
        <source>Play the steps</source>
        <translation>播放各步</translation>
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
</context>
<context>
    <name>meshreel::Workspaces</name>
    <message>
        <source>Create</source>
        <translation>创作</translation>
    </message>
    <message>
        <source>Describe a video, run it and watch it</source>
        <translation>描述、生成并观看视频</translation>
    </message>
    <message>
        <source>Mesh</source>
        <translation>网格</translation>
    </message>
    <message>
        <source>Share the work between devices: mesh, attention, noise</source>
        <translation>在设备间分配工作：网格、注意力、噪声</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>测量</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Runs of the past and the queue</source>
        <translation>过去的运行和队列</translation>
    </message>
    <message>
        <source>Workspaces</source>
        <translation>工作区</translation>
    </message>
    <message>
        <source>%1 (Ctrl+%2)</source>
        <comment>what a workspace is for, its key</comment>
        <translation>%1（Ctrl+%2）</translation>
    </message>
    <message>
        <source>Layout of the earlier version</source>
        <translation>早期版本的布局</translation>
    </message>
    <message>
        <source>The kept layout of the workspace %1 could not be read. The usual one is shown.</source>
        <comment>title</comment>
        <translation>无法读取工作区“%1”保存的布局。现显示默认布局。</translation>
    </message>
    <message>
        <source>Compare runs, tune block sizes, time sweeps and this machine, foresee other hardware</source>
        <translation>比较运行、调整块大小、测量扫描和本机、预测其他硬件</translation>
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
    <message>
        <source>No problem</source>
        <translation>没有问题</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>警告</translation>
    </message>
</context>
</TS>
