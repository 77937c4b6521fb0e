// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/control_name.h"

#include <QComboBox>
#include <QEvent>
#include <QLabel>
#include <algorithm>

namespace meshreel {

namespace {

/// Stands unseen beside a combo box: Qt tells the chosen entry as the name of one, and takes the name from a
/// label with the same parent.
class UnseenLabel : public QLabel {
    Q_OBJECT

  public:
    explicit UnseenLabel(QComboBox& box) : QLabel(box.parentWidget()), m_box(box) {
        setTextFormat(Qt::PlainText);
        setBuddy(&box);
        hide();
        box.installEventFilter(this);
        connect(&box, &QObject::destroyed, this, &QObject::deleteLater);
    }

    /// Null where the box has none yet.
    static UnseenLabel* of(const QComboBox& box) {
        const auto labels =
            box.parentWidget()->findChildren<UnseenLabel*>(QString(), Qt::FindDirectChildrenOnly);
        const auto found =
            std::ranges::find_if(labels, [&](const QLabel* label) { return label->buddy() == &box; });
        return found == labels.end() ? nullptr : *found;
    }

  protected:
    bool eventFilter(QObject* /*watched*/, QEvent* event) override {
        if (event->type() == QEvent::ParentChange)
            setParent(m_box.parentWidget());
        return false;
    }

  private:
    QComboBox& m_box;
};

}  // namespace

void nameControl(QWidget& control, const QString& name) {
    control.setAccessibleName(name);
    auto* box = qobject_cast<QComboBox*>(&control);
    if (box == nullptr)
        return;
    UnseenLabel* label = UnseenLabel::of(*box);
    if (label == nullptr)
        label = new UnseenLabel(*box);
    label->setText(name);
}

}  // namespace meshreel

#include "control_name.moc"
