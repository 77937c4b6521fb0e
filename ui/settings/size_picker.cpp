// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/settings/size_picker.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QToolButton>
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "engine/project/project.h"
#include "engine/project/project_keys.h"
#include "ui/project/project_document.h"
#include "ui/theme/look.h"
#include "ui/widgets/accessibility.h"
#include "ui/widgets/edits.h"

namespace meshreel {

namespace {

/// Lines of 16:9, and its width if that is customary rather than the nearest multiple.
struct SizeClass {
    const char* name;
    int lines;
    QSize usual;  ///< of 16:9
};

constexpr std::array<SizeClass, 5> sizeClasses{{
    {"64p", 64, {112, 64}},
    {"128p", 128, {224, 128}},
    {"240p", 240, {416, 240}},
    {"480p", 480, {832, 480}},
    {"720p", 720, {1280, 720}},
}};

struct Aspect {
    const char* name;
    QSize ratio;
};

constexpr std::array<Aspect, 5> sizeAspects{{
    {"16:9", {16, 9}},
    {"4:3", {4, 3}},
    {"1:1", {1, 1}},
    {"3:4", {3, 4}},
    {"9:16", {9, 16}},
}};

constexpr int customSize = 0;  ///< the first entry of both lists

const ProjectKey& widthKey() {
    return *findProjectKey("width");
}

const ProjectKey& heightKey() {
    return *findProjectKey("height");
}

}  // namespace

QSize sizeOfClass(int lines, QSize aspect, int multiple) {
    const auto rounded = [multiple](double pixels) {
        return std::max(multiple, static_cast<int>(std::lround(pixels / multiple)) * multiple);
    };
    for (const SizeClass& row : sizeClasses)
        if (row.lines == lines) {
            const QSize wide(row.usual.width() - row.usual.width() % multiple,
                             row.usual.height() - row.usual.height() % multiple);
            if (aspect == QSize(16, 9))
                return wide;
            if (aspect == QSize(9, 16))
                return wide.transposed();
            if (aspect == QSize(1, 1) && lines <= 128)
                return {rounded(lines), rounded(lines)};  // what the small models were trained on
            const double area = static_cast<double>(row.usual.width()) * row.usual.height();
            const double height = std::sqrt(area * aspect.height() / aspect.width());
            return {rounded(height * aspect.width() / aspect.height()), rounded(height)};
        }
    return {};
}

SizePicker::SizePicker(ProjectDocument& document, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_class(new FormComboBox(this)),
      m_aspect(new FormComboBox(this)),
      m_swap(new QToolButton(this)) {
    m_class->setObjectName(QStringLiteral("sizeClass"));
    nameControl(*m_class, tr("Size class"));
    m_class->setToolTip(tr("How large: the lines of a wide video"));
    m_aspect->setObjectName(QStringLiteral("aspect"));
    nameControl(*m_aspect, tr("Aspect ratio"));
    m_aspect->setToolTip(tr("Width to height"));
    m_class->addItem(tr("Custom size"));
    for (const SizeClass& row : sizeClasses)
        m_class->addItem(QLatin1String(row.name));
    m_aspect->addItem(tr("Custom", "aspect ratio"));
    for (const Aspect& row : sizeAspects)
        m_aspect->addItem(QLatin1String(row.name));
    m_swap->setObjectName(QStringLiteral("swapSize"));
    m_swap->setToolTip(tr("Swap width and height"));
    m_swap->setAccessibleName(m_swap->toolTip());
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(tightSpacing);
    row->addWidget(m_class, 3);
    row->addWidget(m_aspect, 2);
    row->addWidget(m_swap);
    connect(m_class, &QComboBox::activated, this, &SizePicker::choose);
    connect(m_aspect, &QComboBox::activated, this, &SizePicker::choose);
    connect(m_swap, &QToolButton::clicked, this, &SizePicker::swap);
    connect(&m_document, &ProjectDocument::changed, this, &SizePicker::refresh);
    refresh();
}

void SizePicker::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange)
        refresh();
    QWidget::changeEvent(event);
}

void SizePicker::choose() {
    if (m_class->currentIndex() == customSize && m_aspect->currentIndex() == customSize)
        return refresh();
    // One that was custom so far becomes what is usual, and the other is kept.
    constexpr int usualClass = 3;
    constexpr int usualAspect = 1;
    const int sizeClass = m_class->currentIndex() == customSize ? usualClass : m_class->currentIndex();
    const int aspect = m_aspect->currentIndex() == customSize ? usualAspect : m_aspect->currentIndex();
    setSize(sizeOfClass(sizeClasses.at(static_cast<std::size_t>(sizeClass - 1)).lines,
                        sizeAspects.at(static_cast<std::size_t>(aspect - 1)).ratio, m_multiple),
            tr("Set the size"));
}

void SizePicker::swap() {
    const Project& project = m_document.project();
    setSize(QSize(static_cast<int>(project.height), static_cast<int>(project.width)),
            tr("Swap width and height"));
}

void SizePicker::setSize(QSize size, const QString& title) {
    m_document.setTexts(title, std::vector<KeyText>{{&widthKey(), QString::number(size.width())},
                                                    {&heightKey(), QString::number(size.height())}});
    refresh();
}

void SizePicker::refresh() {
    const Project& project = m_document.project();
    const QSize size(static_cast<int>(project.width), static_cast<int>(project.height));
    int shownClass = customSize;
    int shownAspect = customSize;
    for (std::size_t i = 0; i < sizeClasses.size(); ++i)
        for (std::size_t j = 0; j < sizeAspects.size(); ++j)
            if (sizeOfClass(sizeClasses.at(i).lines, sizeAspects.at(j).ratio, m_multiple) == size) {
                shownClass = static_cast<int>(i) + 1;
                shownAspect = static_cast<int>(j) + 1;
            }
    m_class->setCurrentIndex(shownClass);
    m_aspect->setCurrentIndex(shownAspect);
    m_swap->setIcon(themedIcon(QStringLiteral("swap")));
}

}  // namespace meshreel

#include "moc_size_picker.cpp"
