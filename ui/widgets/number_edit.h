// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractSpinBox>

namespace meshreel {

/// A spin box that lets anything be typed: what is illegal is explained beside it, not swallowed. The arrows
/// move by `step` to the next legal value within [minimum, maximum].
class NumberEdit : public QAbstractSpinBox {
    Q_OBJECT

  public:
    struct Steps {
        double minimum;
        double maximum;
        double step;
        bool integer;
    };

    explicit NumberEdit(const Steps& steps, QWidget* parent = nullptr);

    [[nodiscard]] QString value() const;
    void setValue(const QString& text);

    void stepBy(int steps) override;
    [[nodiscard]] QValidator::State validate(QString& input, int& position) const override;
    void fixup(QString& input) const override;

  signals:
    void edited(const QString& text);

  protected:
    [[nodiscard]] StepEnabled stepEnabled() const override;
    void wheelEvent(QWheelEvent* event) override;

  private:
    void setByArrows(const QString& text);

    Steps m_steps;
};

}  // namespace meshreel
