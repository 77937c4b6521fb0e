// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QTime>
#include <vector>

#include "ui/controller/run_news.h"

namespace meshreel {

/// What a run told, line by line as it came.
class LogModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { When, Words, ColumnCount };
    enum Role { WarningRole = Qt::UserRole };  ///< bool

    using QAbstractTableModel::QAbstractTableModel;

    void clear();
    void append(const std::vector<LogLine>& lines);

    /// As a line of a file, without its end.
    [[nodiscard]] QString lineText(int row) const;
    /// All lines, each with its end.
    [[nodiscard]] QString text() const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

  private:
    std::vector<LogLine> m_lines;
};

}  // namespace meshreel
