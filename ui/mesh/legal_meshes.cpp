// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/mesh/legal_meshes.h"

#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "engine/planning/run_plan.h"
#include "ui/controller/plan_watch.h"
#include "ui/mesh/factoring_model.h"
#include "ui/theme/icons.h"
#include "ui/theme/look.h"
#include "ui/widgets/row_table.h"
#include "ui/widgets/table_columns.h"

namespace meshreel {

LegalMeshes::LegalMeshes(QWidget* parent)
    : QWidget(parent),
      m_model(new FactoringModel(this)),
      m_table(new QTableView(this)),
      m_order(new QLabel(this)) {
    prepareTable();
    m_order->setWordWrap(true);
    auto* use = new QPushButton(themedIcon(QStringLiteral("check")), tr("Use this mesh"), this);
    use->setEnabled(false);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentChanged, use,
            [use](const QModelIndex& current) { use->setEnabled(current.isValid()); });
    connect(m_model, &QAbstractItemModel::modelReset, use, [use] { use->setEnabled(false); });
    connect(use, &QPushButton::clicked, this, &LegalMeshes::chooseCurrent);
    connect(m_table, &QTableView::activated, this, &LegalMeshes::chooseCurrent);

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(spacing, 0, 0, 0);
    column->setSpacing(tightSpacing);
    column->addWidget(m_order);
    column->addWidget(m_table, 1);
    column->addWidget(use, 0, Qt::AlignTrailing);
}

void LegalMeshes::prepareTable() {
    m_table->setModel(m_model);
    setUpRowTable(*m_table);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    new FillingColumn(*m_table->horizontalHeader(), FactoringModel::Attention, leastAttention());
    m_table->setAccessibleName(tr("Legal meshes"));
    showHostColumns(false);
}

void LegalMeshes::list(const ProjectForecast& forecast) {
    m_listing.run([plan = forecast.plan, hosts = forecast.hosts,
                   basis = forecast.basis] { return legalFactorings(*plan, hosts, basis.get()); },
                  [this](std::vector<Factoring> factorings) { setFactorings(std::move(factorings)); },
                  [](const Trouble&) {});
}

void LegalMeshes::setFactorings(std::vector<Factoring> factorings) {
    m_model->setFactorings(std::move(factorings));
    const bool predicted = m_model->hasSeconds();
    m_table->setColumnHidden(FactoringModel::Seconds, !predicted);
    showHostColumns(m_model->hasHosts());
    QHeaderView& header = *m_table->horizontalHeader();
    const int ranking = FactoringModel::Seconds;  // the place beside the meshes
    header.moveSection(header.visualIndex(FactoringModel::Exchange),
                       predicted ? FactoringModel::Exchange : ranking);
    m_order->setText(predicted ? tr("Legal meshes, the fastest first as predicted")
                               : tr("Legal meshes, the least exchange first"));
    m_table->resizeColumnsToContents();
    m_width = widthOfColumns();
    updateGeometry();
}

void LegalMeshes::showHostColumns(bool shown) {
    m_table->setColumnHidden(FactoringModel::HostExchange, !shown);
    m_table->setColumnHidden(FactoringModel::HostAxes, !shown);
}

/// By it rows of the same mesh are told apart.
int LegalMeshes::leastAttention() const {
    return m_table->fontMetrics().horizontalAdvance(QStringLiteral("ulysses_ring U8 × R16")) + spacing;
}

int LegalMeshes::widthOfColumns() const {
    const QAbstractItemView& items = *m_table;
    int width = m_table->verticalScrollBar()->sizeHint().width() + 2 * m_table->frameWidth();
    for (int column = 0; column < FactoringModel::ColumnCount; ++column)
        if (!m_table->isColumnHidden(column))
            width += std::max({items.sizeHintForColumn(column),
                               m_table->horizontalHeader()->sectionSizeHint(column),
                               column == FactoringModel::Attention ? leastAttention() : 0});
    const QMargins margins = layout()->contentsMargins();
    return width + margins.left() + margins.right();
}

QSize LegalMeshes::sizeHint() const {
    const QSize usual = QWidget::sizeHint();
    return {std::max(usual.width(), m_width), usual.height()};
}

void LegalMeshes::chooseCurrent() {
    const QModelIndex index = m_table->currentIndex();
    if (!index.isValid())
        return;
    const Factoring factoring = m_model->factorings()[static_cast<std::size_t>(index.row())];
    emit chosen(factoring);
}

}  // namespace meshreel
