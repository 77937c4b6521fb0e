// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/project_files.h"

#include <QAction>
#include <QCoreApplication>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>
#include <QString>
#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "engine/project/project_file.h"
#include "engine/project/project_trust.h"
#include "ui/project/project_document.h"
#include "ui/theme/look.h"
#include "ui/values/engine_texts.h"
#include "ui/widgets/edits.h"
#include "ui/widgets/trust_sheet.h"

namespace meshreel {

namespace {

struct ClosingQuestion {
    Q_DECLARE_TR_FUNCTIONS(meshreel::ClosingQuestion)
};

struct Words {
    QString title;
    QString question;
};

std::optional<Words> wordsFor(EngineWork work) {
    switch (work) {
        case EngineWork::Run:
            return Words{
                ClosingQuestion::tr("A run is in progress"),
                ClosingQuestion::tr("Quit now? Finished steps are kept; you can resume the run later.")};
        case EngineWork::BlockSizes:
            return Words{
                ClosingQuestion::tr("Block sizes are being timed"),
                ClosingQuestion::tr("Stop the search and quit? What it has found so far would be lost.")};
        case EngineWork::Sweep:
            return Words{
                ClosingQuestion::tr("A sweep is in progress"),
                ClosingQuestion::tr(
                    "Quit now? Finished passes are kept; the sweep continues when you open it again.")};
        case EngineWork::Benchmark:
            return Words{ClosingQuestion::tr("A benchmark is being measured"),
                         ClosingQuestion::tr("Quit now? Rows that are done are kept.")};
        case EngineWork::Measurement:
            break;
    }
    return {};
}

}  // namespace

bool mayBeStopped(EngineWork work, QWidget* window) {
    const std::optional<Words> words = wordsFor(work);
    if (!words)
        return true;
    QMessageBox box(QMessageBox::Question, words->title, words->question, QMessageBox::NoButton, window);
    const QPushButton* stop =
        box.addButton(ClosingQuestion::tr("Stop and quit"), QMessageBox::DestructiveRole);
    QPushButton* keep = box.addButton(ClosingQuestion::tr("Keep running"), QMessageBox::AcceptRole);
    box.setDefaultButton(keep);  // Enter must not end the work of hours
    box.setEscapeButton(keep);
    box.exec();
    return box.clickedButton() == stop;
}

namespace {

constexpr int recentLimit = 10;
constexpr QLatin1String recentKey("recentFiles");

}  // namespace

ProjectFiles::ProjectFiles(ProjectDocument& document, QWidget* window)
    : QObject(window),
      m_document(document),
      m_window(window),
      m_actions{new QAction(themedIcon(QStringLiteral("document-new")), tr("&New project"), this),
                new QAction(themedIcon(QStringLiteral("document-open")), tr("&Open…"), this),
                new QAction(themedIcon(QStringLiteral("document-save")), tr("&Save"), this),
                new QAction(tr("Save &as…"), this), new QMenu(tr("Open &recent"), window)} {
    m_actions.startNew->setShortcut(QKeySequence::New);
    m_actions.open->setShortcut(QKeySequence::Open);
    m_actions.save->setShortcut(QKeySequence::Save);
    m_actions.saveAs->setShortcut(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S));
    m_actions.open->setToolTip(tr("Open a project, or a video with its project"));
    connect(m_actions.startNew, &QAction::triggered, this, &ProjectFiles::startNew);
    connect(m_actions.open, &QAction::triggered, this, &ProjectFiles::askToOpen);
    connect(m_actions.save, &QAction::triggered, this, &ProjectFiles::save);
    connect(m_actions.saveAs, &QAction::triggered, this, &ProjectFiles::saveAs);
    connect(m_actions.recent, &QMenu::aboutToShow, this, &ProjectFiles::fillRecentMenu);
    const auto settle = [this] {
        if (!m_document.isModified())
            m_settled = m_document.yaml();  // typing something and undoing it is not a change
    };
    connect(&m_document, &ProjectDocument::modifiedChanged, this, settle);
    connect(&m_document, &ProjectDocument::fileChanged, this, settle);
    settle();
}

bool ProjectFiles::hasUnsavedChanges() const {
    return m_document.isModified() && m_document.yaml() != m_settled;
}

void ProjectFiles::noteStored() {
    m_settled = m_document.yaml();
}

bool ProjectFiles::mayClose() {
    return m_document.file().empty() || askAboutChanges() != Changes::Open;
}

void ProjectFiles::noteClosing() {
    if (!m_document.file().empty())
        noteStored();
}

bool ProjectFiles::mayReplaceProject() {
    const Changes changes = askAboutChanges();
    if (changes == Changes::Discarded)
        noteStored();
    return changes != Changes::Open;
}

ProjectFiles::Changes ProjectFiles::askAboutChanges() {
    if (!hasUnsavedChanges())
        return Changes::Settled;
    QMessageBox question(QMessageBox::Question, tr("Unsaved changes"),
                         tr("Save the changes to “%1”?").arg(m_document.displayName()),
                         QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, m_window);
    question.setTextFormat(Qt::PlainText);
    question.setInformativeText(tr("If you don't save, your changes will be lost."));
    question.setDefaultButton(QMessageBox::Save);
    switch (question.exec()) {
        case QMessageBox::Save:
            return save() ? Changes::Settled : Changes::Open;
        case QMessageBox::Discard:
            return Changes::Discarded;
        default:
            return Changes::Open;
    }
}

bool ProjectFiles::load(const QString& file) {
    try {
        const QString path = QFileInfo(file).absoluteFilePath();
        const std::filesystem::path read = path.toStdString();
        if (!mayTrust(askTrust(readProjectFrom(read), read.parent_path()), m_window))
            return false;
        const std::vector<Problem> warnings = m_document.load(path.toStdString());
        remember(path);
        for (const Problem& warning : warnings)
            emit noted(sentenceText(warning.asSentence()));
        return true;
    } catch (...) {
        emit wentWrong(currentProblem());
        return false;
    }
}

bool ProjectFiles::saveTo(const QString& file) {
    try {
        m_document.save(file.toStdString());
        remember(QFileInfo(file).absoluteFilePath());
        if (m_document.hasRefusedTexts())
            emit noted(tr("Saved as typed. Fix what is marked red before you run this project."));
        return true;
    } catch (...) {
        emit wentWrong(currentProblem());
        return false;
    }
}

QStringList ProjectFiles::recentFiles() const {
    return QSettings().value(recentKey).toStringList();
}

void ProjectFiles::startNew() {
    if (mayReplaceProject())
        m_document.startNew();
}

void ProjectFiles::askToOpen() {
    const QString file = QFileDialog::getOpenFileName(
        m_window, tr("Open a project or a video"),
        QString::fromStdString(m_document.file().parent_path().string()),
        tr("Projects and videos (*.yaml *.yml *.mp4 *.webm *.gif *.webp);;All files (*)"));
    if (!file.isEmpty())
        emit openRequested(file);
}

bool ProjectFiles::save() {
    return m_document.file().empty() ? saveAs() : saveTo(QString::fromStdString(m_document.file().string()));
}

bool ProjectFiles::saveAs() {
    QFileDialog dialog(m_window, tr("Save the project"), QString(), tr("Projects (*.yaml *.yml)"));
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.setDefaultSuffix(QStringLiteral("yaml"));
    dialog.selectFile(m_document.file().empty() ? QStringLiteral("project.yaml")
                                                : QString::fromStdString(m_document.file().string()));
    return dialog.exec() == QDialog::Accepted && saveTo(dialog.selectedFiles().constFirst());
}

void ProjectFiles::remember(const QString& file) {
    QStringList recent = recentFiles();
    recent.removeAll(file);
    recent.prepend(file);
    QSettings().setValue(recentKey, recent.mid(0, recentLimit));
}

void ProjectFiles::fillRecentMenu() {
    m_actions.recent->clear();
    const QStringList recent = recentFiles();
    for (const QString& file : recent)
        m_actions.recent->addAction(shownPath(file), this, [this, file] { emit openRequested(file); })
            ->setEnabled(QFileInfo::exists(file));
    if (recent.isEmpty())
        m_actions.recent->addAction(tr("Nothing yet"))->setEnabled(false);
}

namespace {

constexpr int pauseMilliseconds = 500;  ///< after the last change
constexpr int windowPlaces = 8;         ///< windows that keep their projects at the same time
// Lines before the project's text.
constexpr std::string_view fileMark = "# file: ";
constexpr std::string_view profileMark = "# Meshreel Studio, planned for: ";
constexpr std::string_view programMark = "# Meshreel Studio, planned with: ";
constexpr std::string_view besideMark = "# Meshreel Studio, kept for tasks: ";

/// Takes the line that begins with the mark off the text, and returns what follows the mark; nothing if the
/// text begins otherwise.
std::optional<std::string> takeMarkedLine(std::string& text, std::string_view mark) {
    if (!text.starts_with(mark))
        return std::nullopt;
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string marked = text.substr(mark.size(), end - mark.size());
    text.erase(0, std::min(end + 1, text.size()));
    return marked;
}

std::string markedLines(const TargetName& target) {
    std::string lines;
    if (!target.profile.isEmpty())
        lines += std::string(profileMark) + target.profile.toStdString() + '\n';
    if (!target.program.isEmpty())
        lines += std::string(programMark) + target.program.toStdString() + '\n';
    return lines;
}

std::filesystem::path placeIn(const std::filesystem::path& folder, int number, const char* extension) {
    return folder / ("session-" + std::to_string(number) + extension);
}

}  // namespace

ProjectRecovery::ProjectRecovery(ProjectDocument& document, const ProjectFiles& files,
                                 const std::filesystem::path& folder, QObject* parent)
    : QObject(parent), m_document(document), m_files(files), m_folder(folder) {
    takePlace(Place::Kept);
    m_pause.setSingleShot(true);
    m_pause.setInterval(pauseMilliseconds);
    connect(&m_pause, &QTimer::timeout, this, &ProjectRecovery::keep);
    connect(&m_document, &ProjectDocument::changed, &m_pause, qOverload<>(&QTimer::start));
    connect(&m_document, &ProjectDocument::targetChanged, &m_pause, qOverload<>(&QTimer::start));
}

/// Takes the first place that no window has: of those with something to restore, the latest first, or of the
/// empty ones; then of the others.
void ProjectRecovery::takePlace(Place first) {
    std::error_code error;
    std::filesystem::create_directories(m_folder, error);
    std::vector<int> order(windowPlaces);
    std::iota(order.begin(), order.end(), 0);
    const auto age = [this, first](int number) {
        std::error_code missing;
        const auto written = std::filesystem::last_write_time(placeIn(m_folder, number, ".yaml"), missing);
        const bool isKept = !missing;
        return std::pair(isKept != (first == Place::Kept), isKept ? -written.time_since_epoch().count() : 0);
    };
    std::ranges::stable_sort(order, {}, age);
    for (const int number : order) {
        auto lock =
            std::make_unique<QLockFile>(QString::fromStdString(placeIn(m_folder, number, ".lock").string()));
        lock->setStaleLockTime(0);  // only when the program that had it is gone
        if (!lock->tryLock(0))
            continue;
        m_lock = std::move(lock);
        m_file = placeIn(m_folder, number, ".yaml");
        m_holdsAnother = std::filesystem::exists(m_file, error);
        return;
    }
}

void ProjectRecovery::keepBeside(std::function<std::string()> tell,
                                 std::function<void(const std::string&)> take) {
    m_tellBeside = std::move(tell);
    m_takeBeside = std::move(take);
}

bool ProjectRecovery::bringBack() {
    std::error_code error;
    if (m_file.empty() || !std::filesystem::exists(m_file, error))
        return false;
    m_holdsAnother = false;
    try {
        std::string text = readFile(m_file);
        if (const auto file = takeMarkedLine(text, fileMark); file && std::filesystem::exists(*file, error))
            m_document.load(*file);
        if (const auto profile = takeMarkedLine(text, profileMark)) {
            const std::string program = takeMarkedLine(text, programMark).value_or(std::string());
            m_document.setTarget({QString::fromStdString(*profile), QString::fromStdString(program)});
        }
        const std::optional<std::string> beside = takeMarkedLine(text, besideMark);
        m_document.setYaml(QString::fromStdString(text));
        if (beside && m_takeBeside)
            m_takeBeside(*beside);
        return true;
    } catch (...) {
        const std::filesystem::path aside = freePath(m_file.string() + ".damaged");
        std::filesystem::rename(m_file, aside, error);
        emit keepingFailed(
            tr("The kept project could not be read and was set aside as %1: %2", "file, reason")
                .arg(QString::fromStdString(withTilde(error ? m_file : aside)),
                     sentenceText(currentProblem().message)));
        return false;
    }
}

void ProjectRecovery::keep() {
    if (m_file.empty())
        return;
    m_pause.stop();
    if (m_holdsAnother && m_files.hasUnsavedChanges())
        takePlace(Place::Empty);
    if (m_holdsAnother)
        return;
    if (!m_files.hasUnsavedChanges()) {
        std::error_code error;
        std::filesystem::remove(m_file, error);
        return;
    }
    const std::string file = m_document.file().string();
    const std::string head = file.empty() ? std::string() : std::string(fileMark) + file + '\n';
    const std::string beside = m_tellBeside ? m_tellBeside() : std::string();
    const std::string line = beside.empty() ? std::string() : std::string(besideMark) + beside + '\n';
    try {
        writeFileAtomically(m_file,
                            head + markedLines(m_document.target()) + line + m_document.yaml().toStdString());
        m_hasFailed = false;
    } catch (...) {
        if (!std::exchange(m_hasFailed, true))
            emit keepingFailed(tr("What you edit is kept only in this window: %1", "reason")
                                   .arg(sentenceText(currentProblem().message)));
    }
}

}  // namespace meshreel

#include "moc_project_files.cpp"
