// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QImage>
#include <QList>
#include <QString>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/stop_token.h"
#include "engine/media/mask_drawing.h"
#include "ui/drawing/backdrop.h"
#include "ui/drawing/drawing_document.h"
#include "ui/drawing/drawing_edits.h"
#include "ui/drawing/drawing_hand.h"
#include "ui/player/playback.h"
#include "ui/values/background.h"
#include "ui/widgets/edits.h"

class QAction;
class QBoxLayout;
class QCheckBox;
class QFormLayout;
class QIcon;
class QKeySequence;
class QLabel;
class QListWidget;
class QPushButton;
class QToolBar;
class QToolButton;

namespace meshreel {

class DrawingStage;
class DrawingStrip;
class MaskHand;
class PlaybackControls;
class TrackHand;

/// Draws a mask or tracks over a clip: tools, the picture, the items with what can be typed of them, the clip
/// with its keyframes, and a player. What is drawn is written to one file.
class DrawingDialog : public QDialog {
    Q_OBJECT

  public:
    explicit DrawingDialog(Drawing drawing, QWidget* parent = nullptr);
    ~DrawingDialog() override;

    /// Where it is saved; empty: this is asked, and `name` is offered.
    void setFile(const QString& file, const QString& name);
    /// `choose` says where it is saved when that is to be known and setFile() did not say it; what it leaves
    /// empty is asked.
    void setFileChooser(std::function<QString()> choose) { m_chooseFile = std::move(choose); }
    /// Says something below the picture.
    void showMessage(const QString& sentence, bool isError);
    /// Reads what lies below the drawing, away from this thread.
    void showBackdrop(const Backdrop& backdrop);
    void setTool(DrawingTool tool);
    /// Writes the file; false when that failed or was cancelled, and for what no reader would take.
    bool save();

    [[nodiscard]] DrawingDocument& document() const { return *m_document; }
    [[nodiscard]] DrawingStage& stage() const { return *m_stage; }
    [[nodiscard]] DrawingStrip& strip() const { return *m_strip; }
    [[nodiscard]] Playback& playback() { return m_playback; }

    /// Asks what becomes of changes that are not saved.
    void reject() override;

  signals:
    void saved(const QString& file);

  protected:
    void keyPressEvent(QKeyEvent* event) override;

  private:
    /// A number that can be typed.
    struct Number {
        NumberEdit* edit;
        std::function<std::optional<double>()> value;  ///< nothing: there is none now
    };
    /// A switch.
    struct Switch {
        QCheckBox* box;
        std::function<std::optional<bool>()> value;
    };

    void layOut();
    QToolBar* makeTools();
    QWidget* makeSide();
    QWidget* makeClip();
    QBoxLayout* makeFoot();
    QBoxLayout* makeListButtons();
    void addMaskFields(QFormLayout& form);
    void addTrackFields(QFormLayout& form);
    void addBounds(QFormLayout& form);
    void addEasing(QFormLayout& form);
    void addNumber(QFormLayout& form, const QString& title, const QString& help,
                   const NumberEdit::Steps& steps, std::function<std::optional<double>()> value,
                   const std::function<void(double)>& set);
    void addSwitch(QFormLayout& form, const QString& title, const QString& help,
                   std::function<std::optional<bool>()> value, const std::function<void(bool)>& set);
    QAction* addAct(const QIcon& icon, const QString& title, const QKeySequence& keys,
                    const std::function<void()>& act);
    QToolButton* buttonOf(QAction* action);
    void changeStyle(const std::function<void(MaskShape&)>& change, const QString& title);
    void fillList();
    void refresh();
    void refreshEasing();

    DrawingDocument* m_document;
    std::unique_ptr<DrawingHand> m_hand;
    MaskHand* m_maskHand = nullptr;    ///< null for tracks
    TrackHand* m_trackHand = nullptr;  ///< null for a mask
    Playback m_playback;
    DrawingStage* m_stage;
    DrawingStrip* m_strip;
    PlaybackControls* m_controls;
    QListWidget* m_list;
    FormComboBox* m_easing;
    QLabel* m_message;
    QPushButton* m_save;
    std::vector<Number> m_numbers;
    std::vector<Switch> m_switches;
    std::vector<QAction*> m_tools;
    std::vector<QAction*> m_ofChosen;  ///< actions that need a chosen item
    QAction* m_removeKeyframe = nullptr;
    QString m_file;
    QString m_name;
    std::function<QString()> m_chooseFile;
    LatestOnly m_reading;
    StopSource m_stop;  ///< of m_reading
};

}  // namespace meshreel
