// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/queue/grid_dialog.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QDialogButtonBox>
#include <QGridLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QVBoxLayout>
#include <algorithm>
#include <optional>
#include <utility>

#include "engine/base/problem.h"
#include "engine/project/numbers.h"
#include "engine/project/project_keys.h"
#include "ui/project/project_document.h"
#include "ui/theme/look.h"
#include "ui/values/engine_texts.h"
#include "ui/widgets/accessibility.h"
#include "ui/widgets/screen_fit.h"

namespace meshreel {

namespace {

struct GridTexts {
    Q_DECLARE_TR_FUNCTIONS(meshreel::GridTexts)
};

bool isInteger(const ProjectKey& key) {
    return std::holds_alternative<std::int64_t Project::*>(key.member) ||
           std::holds_alternative<Seed Project::*>(key.member);
}

/// Whether no value of the key holds a comma.
bool separatesAtCommas(const ProjectKey& key) {
    return isText(key) ? key.choices != nullptr : !isListOfMaps(key);
}

bool isPrompt(const ProjectKey& key) {
    return key.name == "prompt" || key.name == "negative_prompt";
}

/// "3..6" in full, "6..3" backwards; any other text as it is.
QStringList expanded(const QString& text) {
    static const QRegularExpression range(QStringLiteral("^(-?\\d+)\\s*\\.\\.\\s*(-?\\d+)$"));
    const QRegularExpressionMatch match = range.match(text);
    bool isFirst = false;
    bool isLast = false;
    const qlonglong last = match.captured(2).toLongLong(&isLast);
    qlonglong value = match.captured(1).toLongLong(&isFirst);
    if (!isFirst || !isLast)
        return {text};
    QStringList values{QString::number(value)};
    while (value != last && values.size() <= mostGridRuns) {
        value += value < last ? 1 : -1;
        values += QString::number(value);
    }
    return values;
}

/// Why these axes span no grid; empty when they do.
QString problemOf(const std::vector<GridAxis>& axes) {
    if (axes.empty())
        return GridTexts::tr("Choose a setting and write its values.");
    qsizetype combinations = 1;
    for (const GridAxis& axis : axes) {
        if (std::ranges::count(axes, axis.key, &GridAxis::key) > 1)
            return GridTexts::tr("“%1” is chosen more than once: write all of its values into one field.")
                .arg(distinctTitle(*axis.key));
        if (axis.values.isEmpty())
            return GridTexts::tr("Write at least one value of “%1”.").arg(distinctTitle(*axis.key));
        combinations = std::min(combinations * axis.values.size(), mostGridRuns + 1);
    }
    if (combinations > mostGridRuns)
        return GridTexts::tr("These are more than %1 runs, the most that a grid adds: leave some values out.")
            .arg(mostGridRuns);
    return {};
}

/// Makes the project with these texts; returns what keeps it from running, or nothing.
std::optional<Problem> apply(Project& project, const std::vector<GridAxis>& axes,
                             const std::vector<qsizetype>& place, const ProjectForecast& examined) {
    const Project base = project;
    for (std::size_t axis = 0; axis < axes.size(); ++axis)
        if (auto problem =
                trySetFromText(project, *axes[axis].key, axes[axis].values.at(place[axis]).toStdString()))
            return problem;
    const std::vector<Problem> problems = problemsOfVariant(project, base, examined);
    const auto error = std::ranges::find(problems, Severity::Error, &Problem::severity);
    return error == problems.end() ? std::nullopt : std::optional(*error);
}

/// The next combination; false after the last.
bool advance(std::vector<qsizetype>& place, const std::vector<GridAxis>& axes) {
    for (std::size_t axis = axes.size(); axis-- > 0;) {
        if (++place[axis] < axes[axis].values.size())
            return true;
        place[axis] = 0;
    }
    return false;
}

}  // namespace

QStringList gridValues(const ProjectKey& key, const QString& text) {
    static const QRegularExpression lines(QStringLiteral("\\n"));
    static const QRegularExpression linesAndCommas(QStringLiteral("[\\n,]"));
    QStringList values;
    for (const QString& part : text.split(separatesAtCommas(key) ? linesAndCommas : lines)) {
        const QString value = part.trimmed();
        if (!value.isEmpty())
            values += isInteger(key)  ? expanded(value)
                      : isPrompt(key) ? promptVariants(value, mostGridRuns + 1)
                                      : QStringList{value};
    }
    values.removeDuplicates();
    return values.mid(0, mostGridRuns + 1);
}

SettingGrid settingGrid(const Project& base, const std::vector<GridAxis>& axes,
                        const ProjectForecast& examined) {
    SettingGrid grid;
    grid.problem = problemOf(axes);
    if (!grid.problem.isEmpty())
        return grid;
    for (const GridAxis& axis : axes)
        grid.varied.emplace_back(axis.key->name);
    std::vector<qsizetype> place(axes.size(), 0);
    do {
        Project project = base;
        if (const auto problem = apply(project, axes, place, examined)) {
            if (grid.refused++ == 0)
                grid.refusal = withHint(sentenceText(problem->message), sentenceText(problem->hint()));
        } else {
            grid.projects.push_back(std::move(project));
        }
    } while (advance(place, axes));
    return grid;
}

namespace {

constexpr int axes = 3;
constexpr QSize usualSize{640, 480};

/// Every setting under its section and title; the first entry is none.
void fillKeys(QComboBox& box) {
    box.addItem(GridDialog::tr("Choose a setting"));
    for (const ProjectKey& key : projectKeys())
        box.addItem(key.title == key.section ? engineText(key.title)
                                             : GridDialog::tr("%1: %2", "section and title of a setting")
                                                   .arg(engineText(key.section), engineText(key.title)),
                    QVariant::fromValue(static_cast<const void*>(&key)));
}

const ProjectKey* keyOf(const QComboBox& box) {
    return static_cast<const ProjectKey*>(box.currentData().value<const void*>());
}

}  // namespace

GridDialog::GridDialog(Project base, ProjectForecast examined, QWidget* parent)
    : QDialog(parent), m_base(std::move(base)), m_examined(std::move(examined)), m_summary(new QLabel(this)) {
    setWindowTitle(tr("Add a grid to the queue"));
    resize(usualSize);
    fitIntoScreen(*this);
    auto* words = new QLabel(tr("The project is added once for every combination of these values. Write one "
                                "value a line; for numbers and choices also 1, 2, 5, for whole numbers also "
                                "1..8; in prompts a {ball|cube} stands for both."),
                             this);
    words->setWordWrap(true);
    m_summary->setWordWrap(true);
    m_summary->setTextFormat(Qt::PlainText);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    m_add = buttons->addButton(tr("Add to the queue"), QDialogButtonBox::AcceptRole);
    m_add->setDefault(true);
    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(panelMargin);
    layout->addWidget(words);
    layout->addWidget(makeRows(), 1);
    layout->addWidget(m_summary);
    layout->addWidget(buttons);
    tabAsLaidOut(*this);
    m_rows.front().key->setFocus();  // not Add, which would pass it to Cancel when there is nothing to add
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    refresh();
}

QWidget* GridDialog::makeRows() {
    auto* rows = new QWidget(this);
    auto* grid = new QGridLayout(rows);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setSpacing(spacing);
    grid->setColumnStretch(1, 1);
    for (int row = 0; row < axes; ++row) {
        const Row fields{new QComboBox(rows), new QPlainTextEdit(rows)};
        fillKeys(*fields.key);
        nameControl(*fields.key, tr("Setting %1").arg(row + 1));
        fields.key->setSizeAdjustPolicy(QComboBox::AdjustToContents);
        fields.values->setAccessibleName(tr("Values of setting %1").arg(row + 1));
        fields.values->setTabChangesFocus(true);
        grid->addWidget(fields.key, row, 0, Qt::AlignTop);
        grid->addWidget(fields.values, row, 1);
        connect(fields.key, &QComboBox::currentIndexChanged, this, &GridDialog::refresh);
        connect(fields.values, &QPlainTextEdit::textChanged, this, &GridDialog::refresh);
        m_rows.push_back(fields);
    }
    return rows;
}

void GridDialog::setAxis(int row, const ProjectKey& key, const QString& values) {
    const Row& fields = m_rows[static_cast<std::size_t>(row)];
    fields.key->setCurrentIndex(1 + static_cast<int>(&key - projectKeys().data()));
    fields.values->setPlainText(values);
}

QString GridDialog::summary() const {
    return m_summary->text();
}

void GridDialog::refresh() {
    std::vector<GridAxis> chosen;
    for (const Row& row : m_rows) {
        const ProjectKey* key = keyOf(*row.key);
        row.values->setEnabled(key != nullptr);
        row.values->setPlaceholderText(
            key == nullptr ? QString() : tr("Now: %1").arg(QString::fromStdString(valueText(m_base, *key))));
        if (key != nullptr)
            chosen.push_back({key, gridValues(*key, row.values->toPlainText())});
    }
    m_grid = settingGrid(m_base, chosen, m_examined);
    const auto count = static_cast<int>(m_grid.projects.size());
    QString summary =
        m_grid.problem.isEmpty() ? tr("%n runs will be added.", nullptr, count) : m_grid.problem;
    if (m_grid.refused > 0)
        summary +=
            QLatin1Char(' ') + tr("%n combinations cannot run and are left out: %1", nullptr, m_grid.refused)
                                   .arg(m_grid.refusal);
    m_summary->setText(summary);
    m_add->setEnabled(count > 0);
}

}  // namespace meshreel

#include "moc_grid_dialog.cpp"
