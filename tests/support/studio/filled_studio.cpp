// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/studio/filled_studio.h"

#include <QDockWidget>
#include <QSettings>
#include <QSortFilterProxyModel>
#include <QTest>
#include <QTreeView>
#include <functional>
#include <nlohmann/json.hpp>

#include "engine/base/files.h"
#include "engine/base/version.h"
#include "engine/estimates/machine_rates.h"
#include "engine/measure/benchmarks/benchmark_history.h"
#include "engine/measure/benchmarks/benchmark_measurement.h"
#include "engine/measure/benchmarks/benchmark_run.h"
#include "engine/planning/run_plan.h"
#include "engine/project/presets.h"
#include "engine/project/project_keys.h"
#include "engine/runs/records/chart_kind.h"
#include "engine/runs/run_record_reader.h"
#include "engine/runs/run_votes.h"
#include "engine/timing/timing_summary.h"
#include "ui/compare/clip_comparer.h"
#include "ui/compare/compare_panel.h"
#include "ui/compare/comparison_tables.h"
#include "ui/library/prompt_panel.h"
#include "ui/mesh/legal_mesh_model.h"
#include "ui/mesh/mesh_panel.h"
#include "ui/mesh/mesh_view.h"
#include "ui/player/player_widget.h"
#include "ui/project/project_document.h"
#include "ui/running/activity_panel.h"
#include "ui/running/run_bar.h"
#include "ui/running/run_controller.h"
#include "ui/runs/history_panel.h"
#include "ui/runs/results_view.h"
#include "ui/runs/run_presenter.h"
#include "ui/settings/project_editor.h"
#include "ui/storyboard/film_watch.h"
#include "ui/storyboard/storyboard_document.h"
#include "ui/storyboard/storyboard_panel.h"
#include "ui/storyboard/storyboard_strip.h"
#include "ui/studies/bench_model.h"
#include "ui/studies/bench_panel.h"
#include "ui/studies/sweep_panel.h"
#include "ui/studies/tune_panel.h"
#include "ui/timeline/timeline_panel.h"
#include "ui/widgets/message_banner.h"
#include "ui/window/dock_host.h"

namespace meshreel::testing {

namespace {

constexpr QSize firstSize{1280, 800};
constexpr int patience = 30000;  ///< milliseconds
constexpr QLatin1String settingsPage("compare settings");
constexpr QLatin1String memoryPage("compare memory");
constexpr QLatin1String videosPage("compare videos");
constexpr QLatin1String qualityPage("compare quality");
constexpr const char* adapter = "tiny-wan-t2v-distill-4-steps.safetensors";

void await(const char* what, const std::function<bool()>& isThere) {
    if (!QTest::qWaitFor(isThere, patience))
        qFatal("FilledStudio: %s did not come", what);
}

/// Under which times are predicted, of a machine on which everything takes a nanosecond.
void writePlainRates() {
    constexpr double nanosecond = 1e-9;
    MachineRates rates{.machine = MachineIdentity::ofThis(),
                       .spread = 0.1,
                       .measured = "2026-01-02 03:04",
                       .commit = std::string(versionCommit())};
    rates.secondsPerUnit.fill(nanosecond);
    const std::filesystem::path file = ratesFile(rates.machine);
    std::filesystem::create_directories(file.parent_path());
    writeRates(file, rates);
}

void setVariable(const char* name, const std::filesystem::path& path) {
    qputenv(name, QByteArray::fromStdString(path.string()));
}

/// Of a run in the middle of denoising, before its steps.
std::vector<StudioEvent> eventsSoFar() {
    const std::vector<RunEvent> events{
        PhaseStarted{Phase::Load},
        PhaseFinished{Phase::Load, 12.25},
        PhaseStarted{Phase::Compile},
        FoundInCache{Phase::Compile},
        PhaseFinished{Phase::Compile, 0.5},
        PhaseStarted{Phase::Conditioning},
        PhaseFinished{Phase::Conditioning, 754},
        PhaseStarted{Phase::Denoise},
        RunMessage{MessageLevel::Info, "Mesh: context 4 (4 devices, 1 ranks, 2 workers each)"},
        RunMessage{MessageLevel::Warning,
                   "The adapter holds 12 tensors that this model does not have; they are left out: "
                   "transformer.blocks.30.attn1.to_q.lora_A.weight and 11 others"},
        RunMessage{MessageLevel::Info, "Self-attention: ulysses_ring, 4 blocks"}};
    std::vector<StudioEvent> shown;
    for (const RunEvent& event : events)
        shown.push_back({.event = event, .when = QTime(8, 45, 12)});
    return shown;
}

Clip greyClip() {
    QImage frame(32, 32, QImage::Format_RGB888);
    frame.fill(Qt::gray);
    return {.frames = {frame, frame, frame}, .framesPerSecond = 4};
}

}  // namespace

FilledStudio::FilledStudio() {
    setVariable("XDG_DATA_HOME", m_folder / "data");
    setVariable("XDG_CACHE_HOME", m_folder / "cache");
    setVariable("MESHREEL_RUNS", m_folder / "runs");
    QSettings().clear();
    writePlainRates();
    m_runs = writeFilledRuns(m_folder / "runs");
    m_window = std::make_unique<MainWindow>();
    m_window->resize(firstSize);
    m_window->show();
    if (!QTest::qWaitForWindowExposed(m_window.get()))
        qFatal("FilledStudio: the window is not shown");
    fillRuns();
    fillProject();
    fillComparison();
    fillQueue();
    fillPrompts();
    fillTuning();
    fillSweep();
    fillBench();
    fillActivity();
    fillStoryboard();
    m_window->banner().showProblem(
        {.place = {.file =
                       "~/models/Wan2.2-T2V-A14B-Diffusers/transformer_2/diffusion_pytorch_model-00001-of-"
                       "00003.safetensors"},
         .message =
             "The weights of the second expert cannot be read: the file ends in the middle of a tensor",
         .fixes = byHand("Download it again; its size on the hub is 9.97 GiB.")});
    QApplication::processEvents();
}

FilledStudio::~FilledStudio() = default;

QStringList FilledStudio::pages() {
    QStringList names{settingsPage, memoryPage, videosPage, qualityPage};
    const MainWindow window;
    for (const auto* dock : window.findChildren<QDockWidget*>())
        names += dock->objectName();
    return names;
}

void FilledStudio::showPage(const QString& page) {
    DockHost& docks = m_window->docks();
    const auto* dock = docks.findChild<QDockWidget*>(page.section(QLatin1Char(' '), 0, 0));
    if (dock == nullptr)
        qFatal("FilledStudio: no page is called %s", qPrintable(page));
    docks.showPanel(dock->widget());
    if (dock == docks.findDock(&m_window->panels().compare()))
        showComparison(page);
    if (dock == docks.findDock(&m_window->panels().timeline()))
        await("the trace", [this] { return m_window->panels().timeline().obstacle().isEmpty(); });
    if (dock == docks.findDock(&m_window->panels().bench()))
        await("the benchmark", [this] { return m_window->panels().bench().model().rowCount() > 0; });
    QApplication::processEvents();
}

void FilledStudio::showComparison(const QString& page) {
    ComparePanel& compare = m_window->panels().compare();
    compare.showKind(page == memoryPage    ? ChartKind::Memory
                     : page == qualityPage ? ChartKind::Quality
                                           : ChartKind::Steps);
    compare.tables().setCurrentIndex(page == settingsPage ? 1 : page == qualityPage ? 2 : 0);
    if (page != videosPage)
        return;
    compare.showVideos();
    await("the videos", [&] { return !compare.videos().likeness().isEmpty(); });
}

void FilledStudio::fillProject() {
    Project project = filledProject();
    project.lora.push_back({.file = adapter, .strength = 0.7});
    ProjectDocument& document = m_window->document();
    document.adopt(project, QString::fromStdString(m_runs.done.filename().string()));
    m_window->panels().editor().setShowsAdvanced(true);
    await("the plan", [this] {
        const ProjectForecast& forecast = m_window->planWatch().forecast();
        return forecast.plan != nullptr && forecast.plan->project.devices == filledProject().devices &&
               forecast.prediction != nullptr;
    });
    await("the list of meshes", [this] { return m_window->panels().mesh().legalMeshes().rowCount() > 1; });
    constexpr int rotation = 3;
    constexpr int device = 2;
    m_window->panels().mesh().goToStep(rotation);
    m_window->panels().mesh().view().chooseDevice(device);
}

void FilledStudio::fillRuns() {
    await("the list of runs", [this] { return m_window->history().rowCount() == 4; });
    const QString folder = QString::fromStdString(m_runs.done.string());
    m_window->openPath(folder);
    const ResultsView& results = m_window->panels().results();
    await("the run", [&] { return results.player().playback().length() > 1; });
    results.player().playback().pause();
    m_window->panels().history().select(folder);
}

void FilledStudio::fillComparison() {
    ComparePanel& compare = m_window->panels().compare();
    for (const Better better : {Better::Left, Better::Left, Better::Neither, Better::Right})
        addVote(m_runs.done, m_runs.alone, better);
    compare.compare({m_runs.done, m_runs.alone});
    await("the comparison", [&] { return compare.runs().size() == 2; });
    compare.paste(QString::fromStdString(formatTimingSummary(filledTimings())));
    compare.addProject({QStringLiteral("harbour-at-dawn (open)"), QStringLiteral("harbour-at-dawn"),
                        m_window->document().runnableProject()});
}

void FilledStudio::fillQueue() {
    RunQueue& queue = m_window->queue();
    SettingGrid grid;
    grid.varied = {"seed", "guidance_scale"};
    for (int seed = 1; seed <= 4; ++seed) {
        grid.projects.push_back(filledProject());
        grid.projects.back().seed = seed;
        grid.projects.back().guidanceScale = seed;
    }
    queue.add(grid);
    queue.start();
    queue.end(QueuedRun::State::Done, {});
    queue.start();
    queue.setFolder(QString::fromStdString(m_runs.failed.string()));
    queue.end(
        QueuedRun::State::Failed,
        QStringLiteral("The disk is full: steps.csv cannot be written.\nFree some room and resume the run."));
    queue.start();
    queue.end(QueuedRun::State::Cancelled, {});
}

void FilledStudio::fillPrompts() {
    const auto* shown = qobject_cast<QSortFilterProxyModel*>(m_window->panels().prompts().table().model());
    auto* library = qobject_cast<PromptLibrary*>(shown->sourceModel());
    const Project project = filledProject();
    const QString prompt = QString::fromStdString(project.prompt);
    library->add({QStringLiteral("Harbour"), QStringLiteral("sea"), prompt, {}});
    library->add({QStringLiteral("Harbour, third version with more mist"),
                  QStringLiteral("sea, morning, long"), prompt,
                  QString::fromStdString(project.negativePrompt)});
    library->add({QStringLiteral("Oil painting"),
                  QStringLiteral("style"),
                  QStringLiteral("{prompt}, an oil painting with heavy brush strokes"),
                  {}});
}

void FilledStudio::fillTuning() {
    constexpr std::int64_t block = 512;
    constexpr int passes = 3;
    TileTuner& tuner = m_window->panels().tune().tuner();
    TuneResult result;
    TuneProgress progress{.passesDone = 3 * passes, .tiles = {}};
    for (const std::int64_t blockKv : {block, 2 * block, 4 * block}) {
        const double seconds = 40.0 / static_cast<double>(blockKv);
        result.trials.push_back({.blocks = {.blockQ = block, .blockKv = blockKv, .blockKvCompute = blockKv},
                                 .firstSeconds = 2 * seconds,
                                 .seconds = {seconds, seconds, seconds}});
        progress.tiles.push_back({.blockQ = block, .blockKv = blockKv, .seconds = seconds});
    }
    result.now = result.trials.front();
    TuneTask task;
    task.label = QStringLiteral("wan/ulysses_ring/u2");
    task.sequence = {.queries = 3900, .keys = 1950};
    task.choices = result.trials.size();
    task.passes = (task.choices + 1) * passes;
    emit tuner.planned(task);
    emit tuner.progressed(progress);
    emit tuner.finished(result);
}

void FilledStudio::fillSweep() {
    const std::filesystem::path file = m_folder / "attention-strategies.yaml";
    std::filesystem::copy_file(presetFolder().parent_path() / "sweeps" / file.filename(), file);
    const SweepPanel& sweep = m_window->panels().sweep();
    m_window->panels().sweep().open(file);
    await("the sweep", [&] { return sweep.model().rowCount() > 0; });
    const std::vector<SweepCell> cells = sweepCells(loadSweep(file));
    for (int repeat = 1; repeat <= 3; ++repeat)
        sweep.model().addRow({.cell = cells[0].name(), .repeat = repeat, .seconds = 12.5 + 0.1 * repeat});
    sweep.model().addRow({.cell = cells[1].name(),
                          .refusal =
                              "ulysses_shards: 2 devices on the context axis cannot share 3 heads. Choose a "
                              "divisor of both."});
}

void FilledStudio::fillBench() {
    std::vector<BenchmarkRow> rows{{.name = "peak.matmul.bf16",
                                    .value = 1.52,
                                    .unit = "TFLOP/s",
                                    .of = "peak.matmul.bf16",
                                    .rounds = 3,
                                    .seconds = {0.2, 0.21, 0.22}},
                                   {.name = "linear.1.3b.ffn_up.7800",
                                    .value = 1.31,
                                    .unit = "TFLOP/s",
                                    .ratio = 0.862,
                                    .of = "peak.matmul.bf16",
                                    .rounds = 4,
                                    .details = {{"peak_spread", 0.31}, {"restless", 1}},
                                    .seconds = {0.163, 0.164, 0.166, 0.17}},
                                   {.name = "dit.share.attention",
                                    .value = 1.7,
                                    .unit = "s",
                                    .ratio = 0.31,
                                    .of = "the last pass",
                                    .rounds = 1}};
    const std::filesystem::path history = benchmarkHistory(allBenchmarks);
    std::filesystem::create_directories(history.parent_path());
    nlohmann::ordered_json before = benchmarkJson(rows, 2);
    before["date"] = "2026-11-28T08:45:12Z";
    keepInHistory(history, before);
    rows[1].seconds = {0.131, 0.132, 0.134, 0.139};
    appendToHistory(history, benchmarkJson(rows, 2));
}

void FilledStudio::fillActivity() {
    ActivityPanel& activity = m_window->panels().activity();
    activity.begin();
    activity.follow(eventsSoFar());
    activity.end();
}

/// Three shots: one can be made, one goes on from it, and one has a problem. None is made.
void FilledStudio::fillStoryboard() {
    const std::filesystem::path file = m_folder / "harbour-film.yaml";
    writeFileAtomically(file,
                        "version: 3\nwidth: 64\nheight: 64\nnum_frames: 17\nshots:\n"
                        "  - name: fog-over-the-harbour\n    prompt: Fog lifts over a harbour at dawn, boats "
                        "rock at their moorings\n    seconds: 1.5\n"
                        "  - name: boats\n    prompt: A wooden fishing boat leaves the harbour\n"
                        "    continue: true\n"
                        "  - name: gulls\n    prompt: Gulls follow the boat\n    num_frames: 18\n");
    m_window->storyboard().load(file);
    await("the film", [this] { return m_window->panels().storyboard().watch().outlook() != nullptr; });
    m_window->panels().storyboard().strip().choose(2);
}

void FilledStudio::set(std::initializer_list<std::pair<std::string_view, const char*>> texts) {
    for (const auto& [key, text] : texts)
        m_window->document().setText(*findProjectKey(key), QString::fromUtf8(text));
}

void FilledStudio::enlargeProject() {
    constexpr int devices = 16;
    set({{"width", "1280"},
         {"height", "720"},
         {"num_frames", "81"},
         {"num_inference_steps", "50"},
         {"devices", "16"},
         {"ici_data_parallelism", "2"},
         {"ulysses_shards", "4"}});
    await("the plan of the large project", [this] {
        const ProjectForecast& forecast = m_window->planWatch().forecast();
        return forecast.plan != nullptr && forecast.plan->project.devices == devices;
    });
    QApplication::processEvents();
}

void FilledStudio::breakProject() {
    set({{"num_frames", "18"},
         {"ulysses_shards", "3"},
         {"height", "65"},
         {"attention", "ulises"},
         {"guidance_scale", ""},
         {"image", "~/pictures/harbour-at-dawn-in-the-first-week-of-november-2026.png"}});
    await("the problems", [this] {
        return m_window->planWatch().forecast().plan == nullptr && m_window->document().problems().size() > 3;
    });
    QApplication::processEvents();
}

void FilledStudio::showRunGoingOn() {
    RunController& controller = m_window->runs().controller();
    const Project project = filledProject();
    const auto steps = static_cast<int>(project.numInferenceSteps);
    const RunRecord record = readRunRecord(m_runs.cancelled);
    m_window->panels().results().beginLive(QString::fromStdString(project.prompt), steps);
    emit controller.started();
    std::vector<StudioEvent> events = eventsSoFar();
    const auto add = [&](const RunEvent& event, const Clip& pictures = {}) {
        events.push_back({.event = event, .when = QTime(8, 46), .pictures = pictures});
    };
    for (const StepRecord& step : record.steps)
        add(step);
    for (const StepDeviceTimes& times : record.deviceTimes)
        add(times);
    add(Preview{}, greyClip());
    add(Progress{.phase = Phase::Denoise,
                 .stepsDone = static_cast<int>(record.steps.size()),
                 .steps = steps,
                 .fraction = 0.45,
                 .secondsLeft = 4000});
    emit controller.happened(events);
    m_window->banner().hide();
    QApplication::processEvents();
}

void FilledStudio::showRunStopped() {
    emit m_window->runs().controller().cancelled(true);
    m_window->runBar().showIdle(RunPresenter::tr("Paused"), true);
    QApplication::processEvents();
}

}  // namespace meshreel::testing
