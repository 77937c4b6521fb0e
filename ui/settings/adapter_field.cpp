// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/settings/adapter_field.h"

#include <QCheckBox>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <array>
#include <utility>

#include "engine/project/project_keys.h"
#include "ui/settings/trigger_label.h"
#include "ui/theme/look.h"
#include "ui/theme/plain_text.h"
#include "ui/widgets/accessibility.h"
#include "ui/widgets/edits.h"

namespace meshreel {

namespace {

constexpr double mostStrength = 10;
constexpr double strengthStep = 0.05;
constexpr int strengthWidth = 72;
constexpr std::array experts{ExpertChoice::ByName, ExpertChoice::High, ExpertChoice::Low, ExpertChoice::All};

QString expertText(ExpertChoice expert) {
    switch (expert) {
        case ExpertChoice::High:
            return AdapterField::tr("high noise");
        case ExpertChoice::Low:
            return AdapterField::tr("low noise");
        case ExpertChoice::All:
            return AdapterField::tr("every expert");
        case ExpertChoice::ByName:
            break;
    }
    return AdapterField::tr("as its name says");
}

}  // namespace

AdapterField::AdapterField(const ProjectKey& key, QWidget* parent)
    : KeyField(parent, Extent::Paragraph),
      m_key(key),
      m_lines(new QVBoxLayout(this)),
      m_add(new QPushButton(themedIcon(QStringLiteral("add")), tr("Add adapters…"), this)) {
    m_lines->setContentsMargins(0, 0, 0, 0);
    m_lines->setSpacing(tightSpacing);
    m_lines->addWidget(m_add, 0, Qt::AlignLeading);
    m_add->setToolTip(tr("Choose adapters (LoRA), or drop them here"));
    setInput(m_add);
    setAcceptDrops(true);
    connect(m_add, &QPushButton::clicked, this, &AdapterField::choose);
}

QString AdapterField::text() const {
    return QString::fromStdString(loraText(m_adapters));
}

void AdapterField::setText(const QString& text) {
    Project project;
    if (trySetFromText(project, m_key, text.toStdString()))
        return;  // lines could show nothing: the text view does
    m_adapters = std::move(project.lora);
    rebuild();
}

void AdapterField::add(const QStringList& files) {
    if (files.isEmpty())
        return;
    LoraList adapters = m_adapters;
    for (const QString& file : files)
        adapters.push_back({.file = shownPath(file).toStdString()});
    change(&KeyField::chosen, std::move(adapters));
    rebuild();
}

void AdapterField::dragEnterEvent(QDragEnterEvent* event) {
    if (!draggedPaths(event->mimeData()).isEmpty())
        event->acceptProposedAction();
}

void AdapterField::dropEvent(QDropEvent* event) {
    event->acceptProposedAction();
    add(draggedPaths(event->mimeData()));
}

void AdapterField::choose() {
    add(QFileDialog::getOpenFileNames(
        window(), tr("Choose adapters"), QString(),
        tr("Adapters (*.safetensors)") + QStringLiteral(";;") + tr("All files (*)")));
}

void AdapterField::rebuild() {
    for (QWidget* line : std::exchange(m_widgets, {})) {
        line->hide();
        line->deleteLater();
    }
    for (std::size_t index = 0; index < m_adapters.size(); ++index) {
        m_widgets.push_back(makeLine(index));
        m_lines->insertWidget(static_cast<int>(index), m_widgets.back());
    }
    tabAsLaidOut(*this);
}

QWidget* AdapterField::makeLine(std::size_t index) {
    const LoraChoice& adapter = m_adapters[index];
    auto* line = new QWidget(this);
    auto* file = new PathEdit(PathEdit::Count::One, line);
    file->setText(QString::fromStdString(adapter.file));
    file->setAccessibleName(tr("File of adapter %1").arg(index + 1));
    file->setToolTip(asPlainText(file->text()));
    auto* words = new TriggerLabel(line);
    words->setAdapter(file->text());
    connect(words, &TriggerLabel::wordTaken, this, &AdapterField::wordTaken);
    const auto setFile = [this, index, words](Told told, const QString& path) {
        words->setAdapter(path);
        changeOne(index, told, [&](LoraChoice& changed) { changed.file = path.toStdString(); });
    };
    connect(file, &QLineEdit::textEdited, this,
            [setFile](const QString& path) { setFile(&KeyField::edited, path); });
    connect(file, &PathEdit::taken, this,
            [setFile](const QString& path) { setFile(&KeyField::chosen, path); });
    auto* remove = new QToolButton(line);
    remove->setIcon(themedIcon(QStringLiteral("close")));
    remove->setAutoRaise(true);
    remove->setToolTip(tr("Remove adapter %1").arg(index + 1));
    remove->setAccessibleName(remove->toolTip());
    connect(remove, &QToolButton::clicked, this, [this, index] {
        LoraList adapters = m_adapters;
        adapters.erase(adapters.begin() + static_cast<std::ptrdiff_t>(index));
        change(&KeyField::chosen, std::move(adapters));
        rebuild();
    });
    auto* row = new QHBoxLayout;
    row->setSpacing(tightSpacing);
    row->addWidget(makeSwitch(index, line));
    row->addWidget(file, 1);
    row->addWidget(makeStrength(index, line));
    row->addWidget(makeExpert(index, line));
    row->addWidget(remove);
    auto* column = new QVBoxLayout(line);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(tightSpacing);
    column->addLayout(row);
    column->addWidget(words);
    return line;
}

/// A project has no other way to say it: an adapter of strength 0 changes nothing.
QWidget* AdapterField::makeSwitch(std::size_t index, QWidget* line) {
    auto* use = new QCheckBox(line);
    use->setChecked(m_adapters[index].strength != 0);
    use->setAccessibleName(tr("Use adapter %1").arg(index + 1));
    use->setToolTip(tr("Use this adapter. Switched off, its strength is 0, and its file is not read."));
    connect(use, &QCheckBox::clicked, this, [this, index, line](bool on) {
        changeOne(index, &KeyField::chosen, [&](LoraChoice& changed) {
            if (!on)
                m_strengths.insert(QString::fromStdString(changed.file), changed.strength);
            changed.strength = on ? m_strengths.value(QString::fromStdString(changed.file), 1) : 0;
        });
        line->findChild<NumberEdit*>()->setValue(QString::number(m_adapters[index].strength));
    });
    return use;
}

QWidget* AdapterField::makeStrength(std::size_t index, QWidget* line) {
    auto* strength = new NumberEdit(
        {.minimum = -mostStrength, .maximum = mostStrength, .step = strengthStep, .integer = false}, line);
    strength->setValue(QString::number(m_adapters[index].strength));
    strength->setFixedWidth(strengthWidth);
    strength->setAccessibleName(tr("Strength of adapter %1").arg(index + 1));
    strength->setToolTip(tr("Strength: 1 is as it was trained, 0 is without it"));
    connect(strength, &NumberEdit::edited, this, [this, index, line](const QString& typed) {
        bool readable = false;
        const double value = typed.toDouble(&readable);
        if (!readable)
            return;
        changeOne(index, &KeyField::edited, [&](LoraChoice& changed) { changed.strength = value; });
        line->findChild<QCheckBox*>()->setChecked(value != 0);
    });
    return strength;
}

QWidget* AdapterField::makeExpert(std::size_t index, QWidget* line) {
    auto* expert = new FormComboBox(line);
    expert->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    for (const ExpertChoice choice : experts)
        expert->addItem(expertText(choice), static_cast<int>(choice));
    expert->setCurrentIndex(expert->findData(static_cast<int>(m_adapters[index].expert)));
    nameControl(*expert, tr("Expert of adapter %1").arg(index + 1));
    expert->setToolTip(tr("For which of Wan 2.2's two transformers it is made"));
    connect(expert, &QComboBox::activated, this, [this, index](int chosen) {
        changeOne(index, &KeyField::chosen, [&](LoraChoice& changed) {
            changed.expert = experts.at(static_cast<std::size_t>(chosen));
        });
    });
    return expert;
}

void AdapterField::changeOne(std::size_t index, Told told, const std::function<void(LoraChoice&)>& set) {
    LoraList adapters = m_adapters;
    set(adapters[index]);
    change(told, std::move(adapters));
}

void AdapterField::change(Told told, LoraList adapters) {
    m_adapters = std::move(adapters);
    emit(this->*told)(text());
}

}  // namespace meshreel

#include "moc_adapter_field.cpp"
