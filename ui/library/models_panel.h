// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QWidget>
#include <filesystem>
#include <optional>
#include <vector>

#include "engine/base/problem.h"
#include "engine/base/stop_token.h"
#include "engine/catalogue/model_download.h"
#include "engine/catalogue/model_library.h"
#include "engine/catalogue/model_offers.h"
#include "ui/library/catalogue_model.h"
#include "ui/library/model_card.h"
#include "ui/values/background.h"

class QLabel;
class QMenu;
class QProgressBar;
class QPushButton;
class QTableView;
class QTextBrowser;

namespace meshreel {

class ProjectDocument;

/// Downloads one thing at a time on a thread of its own. Its signals arrive on the thread of this object, a
/// few times a second. A download that was paused, or failed, stays current until it continues or is dropped.
class ModelDownload : public QObject {
    Q_OBJECT

  public:
    using QObject::QObject;
    /// Stops it and waits; what came is kept for the next time.
    ~ModelDownload() override;

    [[nodiscard]] bool isBusy() const { return m_isBusy; }
    /// Returns the current offer; null without one.
    [[nodiscard]] const ModelOffer* offer() const { return m_offer; }

    /// Does nothing while another one is current.
    void start(const ModelOffer& offer);
    void pause();
    void resume();
    /// Also removes what was downloaded of incomplete files.
    void drop();

  signals:
    /// It began, paused, or is no longer current.
    void changed();
    void advanced(const meshreel::DownloadProgress& progress);
    /// Emitted while it is still current.
    void finished(const std::vector<meshreel::GotFile>& files);
    void failed(const meshreel::Problem& problem);

  private:
    void run();
    void end();
    void removeBegun();

    const ModelOffer* m_offer = nullptr;
    StopSource m_stop;
    bool m_isBusy = false;
    bool m_drops = false;  ///< once it has stopped
    Background m_background;
};

/// The models of this machine, and what one of them is: parts, layers, number types, memory, and what else it
/// needs.
class ModelsPanel : public QWidget {
    Q_OBJECT

  public:
    explicit ModelsPanel(ProjectDocument& document, QWidget* parent = nullptr);

    /// Reads the catalogue on another thread; emits refreshed() or wentWrong() at the end. The panel does so
    /// itself when it is first seen.
    void refresh();
    /// Reads a model on another thread; emits described() when it is shown.
    void describe(int row);
    /// Uses it in one step that can be undone.
    void useInProject();
    /// Adds models and files of weights that are elsewhere, by links in the models folder; emits added() or
    /// wentWrong() at the end.
    void add(const QStringList& paths);
    /// Shows what is offered under this id, now or once the catalogue has been read; where it is here by
    /// then, whatever is shown stays.
    void showOffer(const QString& id);
    /// Goes on with the download that failed.
    void retryDownload();
    /// Returns what downloads the model that is described; empty when nothing is missing.
    [[nodiscard]] const QString& command() const { return m_command; }

    [[nodiscard]] CatalogueModel& models() const { return *m_models; }
    [[nodiscard]] QTableView& table() const { return *m_table; }
    [[nodiscard]] QString description() const;
    [[nodiscard]] QPushButton& useButton() const { return *m_use; }
    [[nodiscard]] ModelDownload& download() const { return *m_download; }
    [[nodiscard]] QPushButton& getButton() const { return *m_get; }
    [[nodiscard]] QPushButton& pauseButton() const { return *m_pause; }
    [[nodiscard]] QPushButton& dropButton() const { return *m_drop; }
    /// Returns the controls of the current download, which no message may cover.
    [[nodiscard]] QWidget& downloadControls() const { return *m_controls; }
    /// Returns how far the current download is, or why it failed, in words.
    [[nodiscard]] QString progressText() const;

  signals:
    void refreshed();
    void described();
    void added(const QString& sentence);
    void noted(const QString& sentence);
    void wentWrong(const meshreel::Problem& problem);
    /// A download ended before it was whole, which the panel says as well: retryDownload() goes on with it.
    void downloadFailed(const meshreel::Problem& problem);

  protected:
    void showEvent(QShowEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

  private:
    QWidget* makeList();
    QWidget* makeDescription();
    QWidget* makeDownload();
    void fillAddMenu();
    void getChosen();
    void get(const ModelOffer& offer);
    void fillVariants(const std::vector<const OfferedModel*>& variants);
    void showProgress(const DownloadProgress& progress);
    void updateDownload();
    void copyCommand();
    /// Selects the model in this path; where there is none, the row with the key, or else the first.
    void select(const std::filesystem::path& path, const QString& key);
    bool selectOffer(const QString& id);
    void showModel(const DescribedModel& model);
    void showFailure(const Problem& problem);
    void markHeadings();
    void updateActions();

    ProjectDocument& m_document;
    CatalogueModel* m_models;
    QTableView* m_table;
    QTextBrowser* m_text;
    QPushButton* m_use;
    QPushButton* m_add;
    QPushButton* m_copy;
    QPushButton* m_refresh;
    QPushButton* m_get;
    QPushButton* m_pause;
    QPushButton* m_drop;
    QProgressBar* m_progress;
    QLabel* m_rate;
    QWidget* m_controls;  ///< with the three above
    QMenu* m_variants;    ///< of the button that downloads, where there are several
    bool m_hasFailed = false;
    ModelDownload* m_download;
    QLabel* m_folders;
    QString m_command;
    std::filesystem::path m_wanted;  ///< to be selected once the catalogue has been read
    QString m_wantedOffer;           ///< the same
    bool m_isRead = false;
    LatestOnly m_describing;
    Background m_background;
};

}  // namespace meshreel
