// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/queue/grid_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QGridLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include <utility>

#include "engine/project/project_keys.h"
#include "ui/models/key_texts.h"
#include "ui/theme/look.h"
#include "ui/widgets/control_name.h"
#include "ui/widgets/screen_fit.h"
#include "ui/widgets/tab_order.h"

namespace meshreel {

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

GridDialog::GridDialog(Project base, QWidget* parent)
    : QDialog(parent), m_base(std::move(base)), m_summary(new QLabel(this)) {
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
    m_grid = settingGrid(m_base, chosen);
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
