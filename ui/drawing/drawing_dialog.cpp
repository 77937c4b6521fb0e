// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/drawing/drawing_dialog.h"

#include <QAction>
#include <QActionGroup>
#include <QCheckBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QListWidget>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <variant>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/media/drawing.h"
#include "engine/media/drawing_file.h"
#include "engine/media/mask_drawing.h"
#include "engine/media/track_drawing.h"
#include "ui/drawing/drawing_stage.h"
#include "ui/drawing/drawing_strip.h"
#include "ui/drawing/mask_hand.h"
#include "ui/drawing/track_hand.h"
#include "ui/theme/look.h"
#include "ui/theme/plain_text.h"
#include "ui/values/engine_texts.h"
#include "ui/widgets/accessibility.h"
#include "ui/widgets/panel_parts.h"
#include "ui/widgets/screen_fit.h"

namespace meshreel {

namespace {

constexpr QSize usualDialog{1160, 740};
constexpr int sideWidth = 280;
constexpr int numberFieldWidth = 92;
constexpr double farthestTyped = 100'000;
constexpr double widestBrush = 2'000;
constexpr double wholePercents = 100;

struct ToolRow {
    DrawingTool tool;
    const char* icon;
    Qt::Key key;
    bool ofMask;
    bool ofTracks;
};

constexpr std::array toolRows{ToolRow{DrawingTool::Choose, "draw-choose", Qt::Key_V, true, true},
                              ToolRow{DrawingTool::Brush, "draw-brush", Qt::Key_B, true, false},
                              ToolRow{DrawingTool::Box, "draw-box", Qt::Key_R, true, false},
                              ToolRow{DrawingTool::Ellipse, "draw-ellipse", Qt::Key_E, true, false},
                              ToolRow{DrawingTool::Polygon, "draw-polygon", Qt::Key_P, true, false},
                              ToolRow{DrawingTool::Track, "draw-track", Qt::Key_T, false, true}};

QString toolName(DrawingTool tool) {
    switch (tool) {
        case DrawingTool::Choose:
            return DrawingDialog::tr("Choose and move");
        case DrawingTool::Brush:
            return DrawingDialog::tr("Brush");
        case DrawingTool::Box:
            return DrawingDialog::tr("Box");
        case DrawingTool::Ellipse:
            return DrawingDialog::tr("Ellipse");
        case DrawingTool::Polygon:
            return DrawingDialog::tr("Polygon");
        case DrawingTool::Track:
            break;
    }
    return DrawingDialog::tr("Track");
}

/// How the tool is used, in a sentence.
QString toolHelp(DrawingTool tool) {
    switch (tool) {
        case DrawingTool::Choose:
            return DrawingDialog::tr("Drag to move what is there. Its corners, or its points, move alone.");
        case DrawingTool::Brush:
            return DrawingDialog::tr("Drag to paint.");
        case DrawingTool::Box:
        case DrawingTool::Ellipse:
            return DrawingDialog::tr("Drag from corner to corner; Shift makes it as wide as high.");
        case DrawingTool::Polygon:
            return DrawingDialog::tr("Click its corners; Enter, a double click or the first corner ends it.");
        case DrawingTool::Track:
            break;
    }
    return DrawingDialog::tr("Click the places that a point passes and end with Enter, or drag its way.");
}

QString easingTitle(Easing easing) {
    switch (easing) {
        case Easing::Linear:
            return DrawingDialog::tr("even");
        case Easing::In:
            return DrawingDialog::tr("slow at first");
        case Easing::Out:
            return DrawingDialog::tr("slow at last");
        case Easing::InOut:
            return DrawingDialog::tr("slow at both ends");
        case Easing::Hold:
            break;
    }
    return DrawingDialog::tr("stay, then jump");
}

QString numberText(double value) {
    constexpr int digits = 8;
    return QString::number(roundedPixel(value), 'g', digits);
}

DrawnBounds boundsNow(const MaskShape& shape, std::int64_t frame) {
    return boundsOf(placedPoints(shape, poseAt(shape, static_cast<double>(frame))));
}

}  // namespace

DrawingDialog::DrawingDialog(Drawing drawing, QWidget* parent)
    : QDialog(parent), m_document(new DrawingDocument(std::move(drawing), this)) {
    if (m_document->mask() != nullptr) {
        auto hand = std::make_unique<MaskHand>(*m_document);
        m_maskHand = hand.get();
        m_hand = std::move(hand);
    } else {
        auto hand = std::make_unique<TrackHand>(*m_document);
        m_trackHand = hand.get();
        m_hand = std::move(hand);
    }
    m_stage = new DrawingStage(*m_document, *m_hand, this);
    m_strip = new DrawingStrip(*m_document, this);
    m_controls = new PlaybackControls(m_playback, this);
    m_list = new QListWidget(this);
    m_easing = new FormComboBox(this);
    m_message = new QLabel(this);
    m_save = new QPushButton(themedIcon(QStringLiteral("document-save")), tr("Save"), this);
    setObjectName(QStringLiteral("drawing"));
    setWindowTitle(m_maskHand != nullptr ? tr("Draw a mask") : tr("Draw tracks"));
    resize(usualDialog);
    fitIntoScreen(*this);
    layOut();
    connect(&m_playback, &Playback::positionChanged, m_document, &DrawingDocument::setFrame);
    connect(m_strip, &DrawingStrip::seekRequested, &m_playback, &Playback::seek);
    connect(m_stage, &DrawingStage::stepRequested, &m_playback, &Playback::step);
    connect(m_stage, &DrawingStage::dropped, this, [this](const QStringList& files) {
        if (!files.isEmpty())
            showBackdrop({.file = files.constFirst().toStdString(), .fps = m_document->canvas().fps});
    });
    connect(m_document, &DrawingDocument::changed, this, &DrawingDialog::refresh);
    connect(m_document, &DrawingDocument::frameChanged, this, &DrawingDialog::refresh);
    m_controls->setLength(static_cast<int>(m_document->canvas().frames), m_document->canvas().fps);
    const bool isEmpty = m_document->count() == 0;
    setTool(!isEmpty ? DrawingTool::Choose : m_maskHand != nullptr ? DrawingTool::Box : DrawingTool::Track);
    tabAsLaidOut(*this);
    refresh();
    m_stage->setFocus();
}

DrawingDialog::~DrawingDialog() {
    m_stop.request_stop();  // m_reading waits for the frame that is decoded
}

void DrawingDialog::layOut() {
    auto* middle = new QVBoxLayout;
    middle->setSpacing(tightSpacing);
    middle->addWidget(m_stage, 1);
    middle->addWidget(makeClip());
    auto* body = new QHBoxLayout;
    body->setSpacing(spacing);
    body->addWidget(makeTools());
    body->addLayout(middle, 1);
    body->addWidget(makeSide());
    m_message->setTextFormat(Qt::PlainText);
    m_message->setWordWrap(true);
    m_message->hide();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(panelMargin, spacing, panelMargin, spacing);
    column->setSpacing(spacing);
    column->addLayout(body, 1);
    column->addWidget(m_message);
    column->addLayout(makeFoot());
}

QAction* DrawingDialog::addAct(const QIcon& icon, const QString& title, const QKeySequence& keys,
                               const std::function<void()>& act) {
    auto* action = new QAction(icon, title, this);
    action->setShortcut(keys);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    action->setToolTip(
        keys.isEmpty()
            ? title
            : tr("%1 (%2)", "action and its key").arg(title, keys.toString(QKeySequence::NativeText)));
    connect(action, &QAction::triggered, this, [act] { act(); });
    addAction(action);
    return action;
}

QToolButton* DrawingDialog::buttonOf(QAction* action) {
    auto* button = new QToolButton(this);
    button->setDefaultAction(action);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    button->setAccessibleName(action->iconText());
    return button;
}

QToolBar* DrawingDialog::makeTools() {
    auto* bar = new PanelToolBar(this);
    bar->setOrientation(Qt::Vertical);
    bar->setAccessibleName(tr("Tools"));
    auto* group = new QActionGroup(this);
    for (const ToolRow& row : toolRows) {
        if (m_maskHand != nullptr ? !row.ofMask : !row.ofTracks)
            continue;
        QAction* action = addAct(themedIcon(QLatin1String(row.icon)), toolName(row.tool),
                                 QKeySequence(row.key), [this, tool = row.tool] { setTool(tool); });
        action->setToolTip(action->toolTip() + QStringLiteral("\n") + toolHelp(row.tool));
        action->setCheckable(true);
        action->setData(static_cast<int>(row.tool));
        group->addAction(action);
        bar->addAction(action);
        m_tools.push_back(action);
    }
    bar->addSeparator();
    bar->addAction(addAct(themedIcon(QStringLiteral("add")), tr("Add one in the middle"),
                          QKeySequence(Qt::Key_Insert), [this] {
                              m_hand->addInMiddle();
                              setTool(DrawingTool::Choose);
                              m_stage->setFocus();
                          }));
    if (m_maskHand == nullptr)
        return bar;
    QAction* maskOnly = addAct(themedIcon(QStringLiteral("draw-mask")), tr("Show the mask alone"),
                               QKeySequence(Qt::Key_M), [] {});
    maskOnly->setCheckable(true);
    connect(maskOnly, &QAction::toggled, m_stage, &DrawingStage::setMaskOnly);
    bar->addAction(maskOnly);
    return bar;
}

QWidget* DrawingDialog::makeClip() {
    auto* clip = new QWidget(this);
    clip->setLayoutDirection(Qt::LeftToRight);  // time runs to the right, whatever the language
    QAction* add = addAct(themedIcon(QStringLiteral("draw-keyframe")), tr("Add a keyframe here"),
                          QKeySequence(Qt::Key_K), [this] { m_document->addKeyframe(); });
    m_removeKeyframe = addAct(themedIcon(QStringLiteral("draw-no-keyframe")), tr("Remove the keyframe here"),
                              QKeySequence(Qt::SHIFT | Qt::Key_K), [this] { m_document->removeKeyframe(); });
    m_ofChosen.push_back(add);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(tightSpacing);
    row->addWidget(m_strip, 1);
    row->addWidget(buttonOf(add));
    row->addWidget(buttonOf(m_removeKeyframe));
    auto* column = new QVBoxLayout(clip);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(row);
    column->addWidget(m_controls);
    return clip;
}

QWidget* DrawingDialog::makeSide() {
    auto* side = new QWidget;
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(spacing);
    m_list->setAccessibleName(m_maskHand != nullptr ? tr("Shapes, the upper ones first")
                                                    : tr("Tracks, the last ones first"));
    m_list->setMinimumHeight(4 * fontMetrics().lineSpacing());
    column->addWidget(m_list, 1);
    column->addLayout(makeListButtons());
    auto* form = new QFormLayout;
    form->setContentsMargins(0, 0, 0, 0);
    form->setHorizontalSpacing(spacing);
    form->setVerticalSpacing(tightSpacing);
    if (m_maskHand != nullptr)
        addMaskFields(*form);
    else
        addTrackFields(*form);
    addEasing(*form);
    addSwitch(
        *form, tr("Move it in the whole clip"),
        tr("What is changed then holds at all keyframes; otherwise at the frame that is shown, which gets a "
           "keyframe"),
        [this] { return m_document->scope() == EditScope::Clip; },
        [this](bool whole) { m_document->setScope(whole ? EditScope::Clip : EditScope::Frame); });
    column->addLayout(form);
    connect(m_list, &QListWidget::currentRowChanged, this,
            [this](int row) { m_document->choose(row < 0 ? -1 : m_document->count() - 1 - row); });
    auto* scroller = new PanelScroller(side, PanelScroller::Along::Both, this);
    scroller->setFrameShape(QFrame::NoFrame);
    scroller->setAccessibleName(tr("What is drawn"));
    scroller->setFixedWidth(sideWidth);
    return scroller;
}

QBoxLayout* DrawingDialog::makeListButtons() {
    auto* row = new QHBoxLayout;
    row->setSpacing(tightSpacing);
    const auto add = [&](const char* icon, const QString& title, const QKeySequence& keys,
                         const std::function<void()>& act) {
        QAction* action = addAct(themedIcon(QLatin1String(icon)), title, keys, act);
        m_ofChosen.push_back(action);
        row->addWidget(buttonOf(action));
    };
    add("edit-copy", tr("Copy it"), QKeySequence(Qt::CTRL | Qt::Key_D),
        [this] { m_document->duplicateChosen(); });
    add("up", tr("Lift it over the next one"), QKeySequence(Qt::CTRL | Qt::Key_BracketRight),
        [this] { m_document->liftChosen(1); });
    add("down", tr("Lower it under the next one"), QKeySequence(Qt::CTRL | Qt::Key_BracketLeft),
        [this] { m_document->liftChosen(-1); });
    add("trash", tr("Remove it"), QKeySequence(Qt::CTRL | Qt::Key_Backspace),
        [this] { m_document->removeChosen(); });
    row->addStretch(1);
    return row;
}

QBoxLayout* DrawingDialog::makeFoot() {
    auto* row = new QHBoxLayout;
    row->setSpacing(spacing);
    QUndoStack& undo = m_document->undoStack();
    for (QAction* action :
         {undo.createUndoAction(this, tr("Undo")), undo.createRedoAction(this, tr("Redo"))}) {
        const bool isUndo = row->count() == 0;
        action->setIcon(themedIcon(isUndo ? QStringLiteral("edit-undo") : QStringLiteral("edit-redo")));
        action->setShortcut(isUndo ? QKeySequence::Undo : QKeySequence::Redo);
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        addAction(action);
        row->addWidget(buttonOf(action));
    }
    row->addStretch(1);
    auto* close = new QPushButton(tr("Close"), this);
    for (QPushButton* button : {m_save, close})
        button->setAutoDefault(false);
    m_save->setShortcut(QKeySequence::Save);
    m_save->setToolTip(tr("Write the drawing and use it in the project"));
    row->addWidget(m_save);
    row->addWidget(close);
    connect(m_save, &QPushButton::clicked, this, [this] {
        if (save())
            accept();
    });
    connect(close, &QPushButton::clicked, this, &DrawingDialog::reject);
    return row;
}

void DrawingDialog::addNumber(QFormLayout& form, const QString& title, const QString& help,
                              const NumberEdit::Steps& steps, std::function<std::optional<double>()> value,
                              const std::function<void(double)>& set) {
    auto* edit = new NumberEdit(steps, this);
    edit->setFixedWidth(numberFieldWidth);
    edit->setAccessibleName(title);
    edit->setToolTip(help);
    form.addRow(title, edit);
    m_numbers.push_back({edit, std::move(value)});
    connect(edit, &NumberEdit::edited, this, [set, steps](const QString& text) {
        bool isNumber = false;
        const double typed = text.toDouble(&isNumber);
        if (isNumber && typed >= steps.minimum && typed <= steps.maximum)
            set(roundedPixel(typed));
    });
}

void DrawingDialog::addSwitch(QFormLayout& form, const QString& title, const QString& help,
                              std::function<std::optional<bool>()> value,
                              const std::function<void(bool)>& set) {
    auto* box = new QCheckBox(title, this);
    box->setToolTip(help);
    form.addRow(box);
    m_switches.push_back({box, std::move(value)});
    connect(box, &QCheckBox::clicked, this, [set](bool isOn) { set(isOn); });
}

/// Of the chosen shape, and of those that are drawn next.
void DrawingDialog::changeStyle(const std::function<void(MaskShape&)>& change, const QString& title) {
    MaskShape next{.kind = MaskShapeKind::Stroke,
                   .points = {},
                   .radius = m_maskHand->style().radius,
                   .softness = m_maskHand->style().softness,
                   .cuts = m_maskHand->style().cuts,
                   .poses = {}};
    change(next);
    m_maskHand->setStyle({.radius = next.radius, .softness = next.softness, .cuts = next.cuts});
    if (m_document->chosenShape() != nullptr)
        m_document->changeShape(title, DrawingDocument::Step::Typing, change);
    refresh();
}

void DrawingDialog::addMaskFields(QFormLayout& form) {
    const auto ofShape = [this](auto member, auto next) {
        return [this, member, next]() -> std::optional<double> {
            const MaskShape* shape = m_document->chosenShape();
            return shape != nullptr ? shape->*member : m_maskHand->style().*next;
        };
    };
    addNumber(
        form, tr("Brush"), tr("Radius of the brush, in pixels of the video"),
        {.minimum = 1, .maximum = widestBrush, .step = 1, .integer = false},
        [this, radius = ofShape(&MaskShape::radius, &ShapeStyle::radius)]() -> std::optional<double> {
            const MaskShape* shape = m_document->chosenShape();
            return shape == nullptr || shape->kind == MaskShapeKind::Stroke ? radius() : std::nullopt;
        },
        [this](double typed) {
            changeStyle([typed](MaskShape& shape) { shape.radius = typed; }, tr("Change the brush"));
        });
    addNumber(form, tr("Soft edge"), tr("Pixels from white to black, half of them inside"),
              {.minimum = 0, .maximum = widestBrush, .step = 1, .integer = false},
              ofShape(&MaskShape::softness, &ShapeStyle::softness), [this](double typed) {
                  changeStyle([typed](MaskShape& shape) { shape.softness = typed; },
                              tr("Change the soft edge"));
              });
    addNumber(
        form, tr("Strength"), tr("Percent of white at this frame"),
        {.minimum = 0, .maximum = wholePercents, .step = 5, .integer = false},
        [this]() -> std::optional<double> {
            const MaskShape* shape = m_document->chosenShape();
            return shape == nullptr
                       ? std::nullopt
                       : std::optional(wholePercents *
                                       poseAt(*shape, static_cast<double>(m_document->frame())).strength);
        },
        [this](double typed) {
            m_document->changeShape(
                tr("Change the strength"), DrawingDocument::Step::Typing, [&](MaskShape& shape) {
                    setStrength(shape, m_document->frame(), typed / wholePercents, m_document->scope());
                });
        });
    addBounds(form);
    addSwitch(
        form, tr("Cut away"), tr("Takes away from the shapes under it, as an eraser does"),
        [this]() -> std::optional<bool> {
            const MaskShape* shape = m_document->chosenShape();
            return shape != nullptr ? shape->cuts : m_maskHand->style().cuts;
        },
        [this](bool cuts) { changeStyle([cuts](MaskShape& shape) { shape.cuts = cuts; }, tr("Cut away")); });
    addSwitch(
        form, tr("Black and white swapped"), tr("What is drawn stays, and all else is made anew"),
        [this]() -> std::optional<bool> { return m_document->mask()->inverted; },
        [this](bool inverted) {
            m_document->change(
                tr("Swap black and white"), DrawingDocument::Step::Own,
                [inverted](Drawing& drawing) { std::get<MaskDrawing>(drawing).inverted = inverted; });
        });
}

/// Place and size of the chosen shape at the frame: what dragging its corners does.
void DrawingDialog::addBounds(QFormLayout& form) {
    const NumberEdit::Steps anywhere{
        .minimum = -farthestTyped, .maximum = farthestTyped, .step = 1, .integer = false};
    const NumberEdit::Steps length{.minimum = 1, .maximum = farthestTyped, .step = 1, .integer = false};
    using Length = double (DrawnBounds::*)() const;
    const auto now = [this](auto read) {
        return [this, read]() -> std::optional<double> {
            const MaskShape* shape = m_document->chosenShape();
            return shape == nullptr ? std::nullopt
                                    : std::optional<double>(read(boundsNow(*shape, m_document->frame())));
        };
    };
    const auto set = [this](const QString& title, auto write) {
        return [this, title, write](double typed) {
            m_document->changeShape(title, DrawingDocument::Step::Typing, [&](MaskShape& shape) {
                DrawnBounds bounds = boundsNow(shape, m_document->frame());
                write(bounds, typed);
                fillBounds(shape, m_document->frame(), bounds, m_document->scope());
            });
        };
    };
    const auto extent = [this](auto read, Length whole) {
        return [this, read, whole]() -> std::optional<double> {
            const MaskShape* shape = m_document->chosenShape();
            // A stroke along one line has no extent across it that could be scaled.
            return shape == nullptr || !((boundsOf(shape->points).*whole)() > 0)
                       ? std::nullopt
                       : std::optional<double>(read(boundsNow(*shape, m_document->frame())));
        };
    };
    addNumber(form, tr("Left"), tr("Pixels from the left edge of the video, at this frame"), anywhere,
              now([](const DrawnBounds& bounds) { return bounds.left; }),
              set(tr("Move a shape"), [](DrawnBounds& bounds, double typed) {
                  bounds.right += typed - bounds.left;
                  bounds.left = typed;
              }));
    addNumber(form, tr("Top"), tr("Pixels from the upper edge of the video, at this frame"), anywhere,
              now([](const DrawnBounds& bounds) { return bounds.top; }),
              set(tr("Move a shape"), [](DrawnBounds& bounds, double typed) {
                  bounds.bottom += typed - bounds.top;
                  bounds.top = typed;
              }));
    addNumber(form, tr("Width"), tr("Pixels, at this frame"), length,
              extent([](const DrawnBounds& bounds) { return bounds.width(); }, &DrawnBounds::width),
              set(tr("Scale a shape"),
                  [](DrawnBounds& bounds, double typed) { bounds.right = bounds.left + typed; }));
    addNumber(form, tr("Height"), tr("Pixels, at this frame"), length,
              extent([](const DrawnBounds& bounds) { return bounds.height(); }, &DrawnBounds::height),
              set(tr("Scale a shape"),
                  [](DrawnBounds& bounds, double typed) { bounds.bottom = bounds.top + typed; }));
}

void DrawingDialog::addTrackFields(QFormLayout& form) {
    const NumberEdit::Steps anywhere{
        .minimum = -farthestTyped, .maximum = farthestTyped, .step = 1, .integer = false};
    const auto add = [&](const QString& title, const QString& help, double DrawnPoint::*of) {
        addNumber(
            form, title, help, anywhere,
            [this, of]() -> std::optional<double> {
                const DrawnTrack* track = m_document->chosenTrack();
                return track == nullptr
                           ? std::nullopt
                           : std::optional(placeAt(*track, static_cast<double>(m_document->frame())).*of);
            },
            [this, of](double typed) {
                m_document->changeTrack(
                    tr("Move a point"), DrawingDocument::Step::Typing, [&](DrawnTrack& track) {
                        DrawnPoint place = placeAt(track, static_cast<double>(m_document->frame()));
                        place.*of = typed;
                        setPlace(track, m_document->frame(), place, m_document->scope());
                    });
            });
    };
    add(tr("From the left"), tr("Pixels from the left edge of the video, at this frame"), &DrawnPoint::x);
    add(tr("From the top"), tr("Pixels from the upper edge of the video, at this frame"), &DrawnPoint::y);
    addSwitch(
        form, tr("Curve"), tr("A curve through its points, and no lines between them"),
        [this]() -> std::optional<bool> {
            const DrawnTrack* track = m_document->chosenTrack();
            return track == nullptr ? std::nullopt : std::optional(track->smooth);
        },
        [this](bool smooth) {
            m_trackHand->setSmooth(smooth);
            m_document->changeTrack(tr("Curve"), DrawingDocument::Step::Own,
                                    [smooth](DrawnTrack& track) { track.smooth = smooth; });
        });
    addSwitch(
        form, tr("Out of sight at its end"),
        tr("Behind its last keyframe the point is hidden; otherwise it stays there"),
        [this]() -> std::optional<bool> {
            const DrawnTrack* track = m_document->chosenTrack();
            return track == nullptr ? std::nullopt : std::optional(track->leaves);
        },
        [this](bool leaves) {
            m_document->changeTrack(tr("Out of sight at its end"), DrawingDocument::Step::Own,
                                    [leaves](DrawnTrack& track) { track.leaves = leaves; });
        });
}

void DrawingDialog::addEasing(QFormLayout& form) {
    for (const EasingRow& row : easings())
        m_easing->addItem(easingTitle(row.easing));
    m_easing->setToolTip(tr("How it goes from the keyframe at this frame to the next one"));
    form.addRow(tr("To the next"), m_easing);
    connect(m_easing, &QComboBox::activated, this, [this](int row) {
        if (m_document->chosen() >= 0)
            m_document->change(tr("Change the speed"), DrawingDocument::Step::Own, [&](Drawing& drawing) {
                setEasing(drawing, m_document->chosen(), m_document->frame(), static_cast<Easing>(row));
            });
    });
}

void DrawingDialog::setTool(DrawingTool tool) {
    m_stage->setTool(tool);
    for (QAction* action : m_tools)
        action->setChecked(action->data().toInt() == static_cast<int>(tool));
}

void DrawingDialog::setFile(const QString& file, const QString& name) {
    m_file = file;
    m_name = name;
    if (!file.isEmpty())
        m_save->setToolTip(asPlainText(tr("Write %1 and use it in the project").arg(file)));
}

void DrawingDialog::showMessage(const QString& sentence, bool isError) {
    QPalette ink = palette();
    ink.setColor(QPalette::WindowText, isError ? errorColor(ink) : mutedColor(ink));
    m_message->setPalette(ink);
    m_message->setText(sentence);
    m_message->setVisible(!sentence.isEmpty());
}

void DrawingDialog::showBackdrop(const Backdrop& backdrop) {
    m_stop.request_stop();
    m_stop = StopSource();
    if (backdrop.file.empty()) {
        m_reading.forget();
        return m_stage->setBackdrop({});
    }
    m_reading.run([backdrop, canvas = m_document->canvas(),
                   stop = m_stop.get_token()] { return readBackdrop(backdrop, canvas, stop); },
                  [this](const QList<QImage>& frames) { m_stage->setBackdrop(frames); },
                  [this](const Problem& problem) { showMessage(wholeText(problem), true); });
}

bool DrawingDialog::save() {
    m_hand->release();  // what is held is drawn as it is now
    m_hand->finish();
    if (m_document->count() == 0) {
        showMessage(tr("Nothing is drawn yet."), true);
        return false;
    }
    QString file = m_file;
    if (file.isEmpty() && m_chooseFile)
        file = m_chooseFile();
    if (file.isEmpty())
        file = askForExport(
            {.title = tr("Save the drawing"), .name = m_name, .filters = tr("Drawings (*.json)")}, this);
    if (file.isEmpty())
        return false;
    try {
        const std::string text =
            std::visit([](const auto& drawing) { return drawingText(drawing); }, m_document->drawing());
        requireDrawing(text, kindOfDrawing(m_document->drawing()), file.toStdString());
        if (const auto* mask = std::get_if<MaskDrawing>(&m_document->drawing()))
            requireRenderable(*mask, file.toStdString());  // a run refuses it, too
        writeFileAtomically(file.toStdString(), text);
    } catch (const Error& failure) {
        showMessage(wholeText(failure.problem()), true);
        return false;
    }
    m_file = file;
    m_document->undoStack().setClean();
    emit saved(file);
    return true;
}

void DrawingDialog::reject() {
    if (!m_document->undoStack().isClean() || m_hand->isBusy()) {
        QMessageBox box(QMessageBox::Question, windowTitle(),
                        tr("The drawing has changes that are not saved."),
                        QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, this);
        const int answer = box.exec();
        if (answer == QMessageBox::Save) {
            if (save())
                accept();
            return;
        }
        if (answer != QMessageBox::Discard)
            return;
    }
    QDialog::reject();
}

void DrawingDialog::keyPressEvent(QKeyEvent* event) {
    const bool isEnter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (isEnter)
        return event->accept();  // ends a polygon, a field or nothing, and never the dialog
    if (!m_controls->takeKey(*event))
        QDialog::keyPressEvent(event);
}

void DrawingDialog::fillList() {
    const QSignalBlocker blocker(m_list);
    QStringList names;
    for (int item = m_document->count() - 1; item >= 0; --item)
        names += m_document->itemName(item);
    QStringList shown;
    for (int row = 0; row < m_list->count(); ++row)
        shown += m_list->item(row)->text();
    if (names != shown) {
        m_list->clear();
        m_list->addItems(names);
    }
    m_list->setCurrentRow(m_document->chosen() < 0 ? -1 : m_document->count() - 1 - m_document->chosen());
}

void DrawingDialog::refresh() {
    fillList();
    for (const Number& number : m_numbers) {
        const std::optional<double> value = number.value();
        number.edit->setEnabled(value.has_value());
        number.edit->setValue(value ? numberText(*value) : QString());
    }
    for (const Switch& each : m_switches) {
        const std::optional<bool> value = each.value();
        each.box->setEnabled(value.has_value());
        each.box->setChecked(value.value_or(false));
    }
    const bool isChosen = m_document->chosen() >= 0;
    for (QAction* action : m_ofChosen)
        action->setEnabled(isChosen);
    m_save->setEnabled(m_document->count() > 0);
    refreshEasing();
}

void DrawingDialog::refreshEasing() {
    const int chosen = m_document->chosen();
    const std::optional<Easing> easing =
        chosen < 0 ? std::nullopt : easingAt(m_document->drawing(), chosen, m_document->frame());
    const bool isLast = chosen < 0 || m_document->chosenKeyframes().back() <= m_document->frame();
    m_easing->setEnabled(easing.has_value() && !isLast);
    m_easing->setCurrentIndex(easing ? static_cast<int>(*easing) : -1);
    m_removeKeyframe->setEnabled(easing.has_value() && m_document->chosenKeyframes().size() > 1);
}

}  // namespace meshreel

#include "moc_drawing_dialog.cpp"
