// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "engine/measure/tile_tuning.h"

class QComboBox;
class QFormLayout;
class QSpinBox;

namespace meshreel {

/// What a search for block sizes tries, and how often.
class TuneForm : public QWidget {
    Q_OBJECT

  public:
    explicit TuneForm(QWidget* parent = nullptr);

    [[nodiscard]] TileTuningOptions options() const;
    void setOptions(const TileTuningOptions& options);

  private:
    void addField(const QString& title, QWidget* field, const QString& help);
    /// Only what the chosen way of choosing sizes asks for.
    void showFields();

    QComboBox* m_mode;
    QSpinBox* m_count;
    QSpinBox* m_step;
    QSpinBox* m_most;
    QSpinBox* m_passes;
    QSpinBox* m_warmUp;
    QFormLayout* m_form;
};

}  // namespace meshreel
