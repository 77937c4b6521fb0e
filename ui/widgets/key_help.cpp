// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/key_help.h"

#include <QEvent>
#include <QLabel>
#include <QVBoxLayout>

#include "engine/project/project_keys.h"
#include "ui/models/key_texts.h"
#include "ui/theme/look.h"

namespace meshreel {

namespace {

constexpr int lines = 5;  ///< reserved, so that the form does not jump

/// "pixels · 16 to 4096, step 16 · default 64".
QString factsOf(const ProjectKey& key, const QString& standard) {
    QStringList facts{engineText(key.unit), limitsText(key)};
    if (!standard.isEmpty())
        facts += KeyHelp::tr("default %1", "value").arg(standard);
    facts.removeAll(QString());
    return facts.join(QStringLiteral(" · "));
}

}  // namespace

KeyHelp::KeyHelp(QWidget* parent) : QFrame(parent), m_text(new QLabel(this)) {
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::RichText);
    m_text->setAlignment(Qt::AlignTop | Qt::AlignLeading);
    m_text->setTextInteractionFlags(Qt::TextBrowserInteraction);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(panelMargin, spacing, panelMargin, spacing);
    layout->addWidget(m_text);
    setFixedHeight(lines * m_text->fontMetrics().lineSpacing() + 2 * spacing);
    connect(m_text, &QLabel::linkActivated, this, &KeyHelp::referenceRequested);
    refresh();
}

void KeyHelp::showKey(const ProjectKey& key, const QString& standard) {
    m_key = &key;
    m_standard = standard;
    refresh();
}

QString KeyHelp::text() const {
    return m_text->text();
}

void KeyHelp::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange)
        refresh();
    QFrame::changeEvent(event);
}

void KeyHelp::refresh() {
    const QString muted = mutedColor(palette()).name();
    if (m_key == nullptr) {
        m_text->setText(QStringLiteral("<span style='color:%1'>%2</span>")
                            .arg(muted, tr("Choose a setting to read what it does.")));
        return;
    }
    const QString name = QString::fromStdString(std::string(m_key->name)).toHtmlEscaped();
    m_text->setText(
        QStringLiteral("%1<br><span style='color:%2'>%3 <code>%4</code></span> <a href='%4'>%5</a>")
            .arg(engineText(m_key->help).toHtmlEscaped(), muted, factsOf(*m_key, m_standard).toHtmlEscaped(),
                 name, tr("Reference")));
}

}  // namespace meshreel
