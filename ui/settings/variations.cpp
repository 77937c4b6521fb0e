// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/settings/variations.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSpinBox>

#include "ui/theme/look.h"

namespace meshreel {

namespace {

constexpr int mostVideos = 64;

}  // namespace

Variations::Variations(QWidget* parent)
    : QWidget(parent),
      m_videos(new QSpinBox(this)),
      m_fresh(new QCheckBox(tr("New seed for each run"), this)) {
    m_fresh->setObjectName(QStringLiteral("freshSeeds"));
    m_fresh->setToolTip(tr("Run sets a random seed first; the seed of every run is kept with it"));
    m_videos->setObjectName(QStringLiteral("videos"));
    m_videos->setRange(1, mostVideos);
    m_videos->setAccessibleName(tr("Videos to make"));
    m_videos->setToolTip(tr("The first runs at once, the others are queued; each has a seed of its own"));
    auto* title = new QLabel(tr("Videos"), this);
    title->setBuddy(m_videos);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(spacing);
    row->addWidget(m_fresh, 1);
    row->addWidget(title);
    row->addWidget(m_videos);
    connect(m_videos, &QSpinBox::valueChanged, this, &Variations::changed);
    connect(m_fresh, &QCheckBox::toggled, this, &Variations::changed);
    connect(m_fresh, &QCheckBox::clicked, this, [this](bool checked) { m_wantsFresh = checked; });
}

int Variations::videos() const {
    return m_videos->value();
}

bool Variations::freshSeeds() const {
    return m_fresh->isChecked();
}

void Variations::set(int videos, bool freshSeeds) {
    m_wantsFresh = freshSeeds;
    m_videos->setValue(videos);
    m_fresh->setChecked(freshSeeds);
}

void Variations::suspendFreshSeeds() {
    m_fresh->setChecked(false);
}

void Variations::resumeFreshSeeds() {
    m_fresh->setChecked(m_wantsFresh);
}

}  // namespace meshreel

#include "moc_variations.cpp"
