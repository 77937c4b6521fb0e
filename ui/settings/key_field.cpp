// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/settings/key_field.h"

#include <QAbstractTextDocumentLayout>
#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFontMetrics>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QMenu>
#include <QPainter>
#include <QPixmap>
#include <QRandomGenerator>
#include <QSignalBlocker>
#include <QStandardItemModel>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/attention/attention_mode.h"
#include "engine/base/paths.h"
#include "engine/base/problem.h"
#include "engine/catalogue/model_library.h"
#include "engine/media/clip_folder.h"
#include "engine/project/input_files.h"
#include "engine/project/keyframes.h"
#include "engine/project/numbers.h"
#include "engine/project/project.h"
#include "engine/project/project_keys.h"
#include "ui/project/project_document.h"
#include "ui/settings/adapter_field.h"
#include "ui/settings/frames_field.h"
#include "ui/settings/keyframe_field.h"
#include "ui/theme/look.h"
#include "ui/theme/plain_text.h"
#include "ui/values/background.h"
#include "ui/values/engine_texts.h"
#include "ui/values/media_kind.h"
#include "ui/values/pictures.h"
#include "ui/widgets/accessibility.h"
#include "ui/widgets/edits.h"

namespace meshreel {

namespace {

constexpr int frameWidth = 2;
constexpr double frameRadius = 3;

}  // namespace

KeyField::KeyField(QWidget* parent, Extent extent) : QWidget(parent), m_extent(extent) {
    // Room for the frame of an invalid field, so that nothing moves when it appears.
    setContentsMargins(frameWidth, frameWidth, frameWidth, frameWidth);
}

void KeyField::setInput(QWidget* input) {
    setFocusProxy(input);
}

std::vector<QWidget*> KeyField::inputs() const {
    return {focusProxy()};
}

void KeyField::showProject(const Project& /*project*/) {}

void KeyField::setStandIn(const QString& /*value*/, const QString& /*words*/) {}

namespace {

constexpr int arrowsWidth = 36;  ///< of a number, with its frame

QString autoText(const QString& value) {
    return KeyField::tr("auto (%1)", "the value that is taken").arg(value);
}

/// A value of a key as people read it.
QString readText(const ProjectKey& key, const std::string& value) {
    const QString text = QString::fromStdString(value);
    if (std::holds_alternative<std::int64_t Project::*>(key.member))
        return QLocale().toString(text.toLongLong());
    return std::holds_alternative<double Project::*>(key.member)
               ? QString(text).replace(QLatin1String("."), QLocale().decimalPoint())
               : text;
}

}  // namespace

void KeyField::showApplied(const ProjectKey& key, const Project* applied) {
    const std::optional<std::string> automatic = automaticValue(key);
    if (!automatic)
        return;
    const std::string taken = applied == nullptr ? *automatic : valueText(*applied, key);
    setStandIn(QString::fromStdString(*automatic),
               taken == *automatic ? engineText(key.automatic) : autoText(readText(key, taken)));
}

int KeyField::roomForApplied(const ProjectKey& key) const {
    constexpr qlonglong widest = 88'888;
    if (key.automatic.empty())
        return 0;
    return arrowsWidth + std::max(fontMetrics().horizontalAdvance(engineText(key.automatic)),
                                  fontMetrics().horizontalAdvance(autoText(QLocale().toString(widest))));
}

void KeyField::describe(const QString& title, const QString& help) {
    nameControl(*focusProxy(), title);
    focusProxy()->setAccessibleDescription(help);
}

void KeyField::setInvalid(bool invalid) {
    if (invalid == m_invalid)
        return;
    m_invalid = invalid;
    update();
}

void KeyField::paintEvent(QPaintEvent* /*event*/) {
    if (!m_invalid)
        return;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(errorColor(palette()), frameWidth));
    constexpr double inset = frameWidth / 2.0;
    painter.drawRoundedRect(QRectF(rect()).adjusted(inset, inset, -inset, -inset), frameRadius, frameRadius);
}

QString PathField::filterOf(Kind kind) {
    QString all = PathField::tr("All files (*)");
    switch (kind) {
        case PathField::Kind::Image:
        case PathField::Kind::Images:
            return PathField::tr("Pictures (*.png *.jpg *.jpeg *.webp *.bmp *.tif *.tiff)") +
                   QStringLiteral(";;") + all;
        case PathField::Kind::Video:
            return PathField::tr(
                       "Videos and pictures (*.mp4 *.webm *.mkv *.mov *.avi *.gif *.webp *.png "
                       "*.jpg *.jpeg)") +
                   QStringLiteral(";;") + all;
        case PathField::Kind::Mask:
            return PathField::tr(
                       "Videos, pictures and drawings (*.mp4 *.webm *.mkv *.mov *.avi *.gif *.webp *.png "
                       "*.jpg *.jpeg *.json)") +
                   QStringLiteral(";;") + all;
        case PathField::Kind::Tracks:
            return PathField::tr("Tracks (*.json *.npy)") + QStringLiteral(";;") + all;
        case PathField::Kind::Sight:
            return PathField::tr("Arrays of NumPy (*.npy)") + QStringLiteral(";;") + all;
        case PathField::Kind::Weights:
            return PathField::tr("Weights (*.safetensors *.gguf *.pth *.pt *.bin *.json *.model)") +
                   QStringLiteral(";;") + all;
        case PathField::Kind::File:
        case PathField::Kind::Folder:
            break;
    }
    return all;
}

namespace {

constexpr QSize pictureSize{56, 40};

void setPicture(QLabel& label, const QImage& image) {
    QPixmap picture = QPixmap::fromImage(image);
    picture.setDevicePixelRatio(label.devicePixelRatio());
    label.setPixmap(picture);
    label.setVisible(!picture.isNull());
}

/// Shows the first frame of a video in a label, which it belongs to. Read on another thread, as a video may
/// lie on a slow disk; sound, and what cannot be read, has no picture.
class FirstFrame : public QObject {
    Q_OBJECT

  public:
    FirstFrame(QLabel& label, PathField::Kind kind) : QObject(&label), m_label(label), m_kind(kind) {}

    void show(const QString& text) {
        const QString file = m_kind == PathField::Kind::Images ? text.section(QLatin1Char(','), 0, 0) : text;
        const std::string path = expandTilde(file.trimmed().toStdString()).string();
        if (path.empty()) {
            m_reading.forget();
            return setPicture(m_label, {});
        }
        m_reading.run([path] { return readPicture(videoOfClip(path)); },
                      [this](const QImage& frame) {
                          setPicture(m_label, frame.scaled(pictureSize * m_label.devicePixelRatio(),
                                                           Qt::KeepAspectRatio, Qt::SmoothTransformation));
                      },
                      [this](const Problem&) { setPicture(m_label, {}); });  // Problems says what is wrong
    }

  private:
    QLabel& m_label;
    PathField::Kind m_kind;
    LatestOnly m_reading;
};

bool mayBeFolder(PathField::Kind kind) {
    return kind == PathField::Kind::Video || kind == PathField::Kind::Mask ||
           kind == PathField::Kind::Weights;
}

bool hasPicture(PathField::Kind kind) {
    return kind == PathField::Kind::Image || kind == PathField::Kind::Images ||
           kind == PathField::Kind::Video || kind == PathField::Kind::Mask;
}

}  // namespace

std::optional<PathField::Kind> PathField::kindOf(const ProjectKey& key) {
    if (const InputKey* input = findInputKey(key.name)) {
        switch (input->kind) {
            case InputKind::Image:
                return Kind::Image;
            case InputKind::Images:
                return Kind::Images;
            case InputKind::Video:
                return key.name == "mask" ? Kind::Mask : Kind::Video;
            case InputKind::Sound:
            case InputKind::Speech:
            case InputKind::Clip:
                return Kind::Video;
            case InputKind::Tracks:
                return key.name == "tracks" ? Kind::Tracks : Kind::Sight;
            case InputKind::Keyframes:
                return std::nullopt;  // has a field of its own
        }
    }
    if (key.name == "wildcards")
        return Kind::Folder;
    if (key.form == TextForm::File)
        return Kind::Weights;
    return key.name == "hosts" ? std::optional(Kind::File) : std::nullopt;
}

PathField::PathField(Kind kind, QWidget* parent)
    : KeyField(parent, Extent::Wide),
      m_kind(kind),
      m_picture(new QLabel(this)),
      m_edit(new PathEdit(kind == Kind::Images ? PathEdit::Count::Several : PathEdit::Count::One, this)),
      m_chooser(new QToolButton(this)) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(tightSpacing);
    row->addWidget(m_picture);
    row->addWidget(m_edit, 1);
    setInput(m_edit);
    m_picture->setAccessibleName(tr("Picture of the file"));
    m_picture->hide();
    // Relative paths are those of the project's folder, which the field does not know: they have no picture.
    if (hasPicture(kind))
        connect(m_edit, &QLineEdit::textChanged, new FirstFrame(*m_picture, kind), &FirstFrame::show);
    m_edit->setClearButtonEnabled(true);
    m_edit->setPlaceholderText(kind == Kind::Folder ? tr("Choose a folder")
                                                    : tr("Choose a file or drop it here"));
    connect(m_edit, &QLineEdit::textEdited, this, &KeyField::edited);
    connect(m_edit, &PathEdit::taken, this, &KeyField::chosen);
    connect(m_edit, &QLineEdit::textChanged, this, [this](const QString& text) {
        // The clear button only emits textChanged().
        if (text.isEmpty() && m_edit->hasFocus() && !m_edit->isTyping())
            emit chosen(text);
    });
    if (kind == Kind::Mask || kind == Kind::Tracks)
        addDraw(kind);
    addChooser(kind);
}

QString PathField::text() const {
    return m_edit->text();
}

void PathField::setText(const QString& text) {
    m_edit->setText(text);
}

void PathField::setStandIn(const QString& /*value*/, const QString& words) {
    m_edit->setPlaceholderText(words);
}

void PathField::describe(const QString& title, const QString& help) {
    KeyField::describe(title, help);
    m_chooser->setAccessibleName(
        tr("%1: %2", "title of a setting, what its button does").arg(title, m_chooser->toolTip()));
    if (m_draw != nullptr)
        m_draw->setAccessibleName(
            tr("%1: %2", "title of a setting, what its button does").arg(title, m_draw->toolTip()));
}

void PathField::addDraw(Kind kind) {
    m_draw = new QToolButton(this);
    m_draw->setObjectName(QStringLiteral("draw"));
    m_draw->setIcon(themedIcon(QStringLiteral("task-edit")));
    m_draw->setToolTip(kind == Kind::Mask ? tr("Draw the mask on the picture")
                                          : tr("Draw the tracks on the picture"));
    m_draw->setAccessibleName(m_draw->toolTip());
    connect(m_draw, &QToolButton::clicked, this, &KeyField::drawingRequested);
    layout()->addWidget(m_draw);
}

void PathField::addChooser(Kind kind) {
    QToolButton* button = m_chooser;
    button->setIcon(themedIcon(QStringLiteral("folder")));
    button->setToolTip(kind == Kind::Images   ? tr("Choose files")
                       : kind == Kind::Folder ? tr("Choose a folder")
                                              : tr("Choose a file"));
    if (mayBeFolder(kind)) {
        auto* menu = new QMenu(button);
        menu->addAction(tr("Choose a &file…"), this, [this, kind] { chooseFiles(kind); });
        menu->addAction(tr("Choose a f&older…"), this, &PathField::chooseFolder);
        button->setMenu(menu);
        button->setPopupMode(QToolButton::InstantPopup);
        button->setToolTip(tr("Choose a file or a folder"));
    } else {
        connect(button, &QToolButton::clicked, this, &PathField::choose);
    }
    button->setAccessibleName(button->toolTip());
    layout()->addWidget(button);
}

void PathField::choose() {
    if (m_kind == Kind::Folder)
        chooseFolder();
    else
        chooseFiles(m_kind);
}

void PathField::chooseFiles(Kind kind) {
    const QString folder =
        QFileInfo(QString::fromStdString(expandTilde(text().toStdString()).string())).path();
    if (kind == Kind::Images)
        m_edit->take(QFileDialog::getOpenFileNames(window(), tr("Choose files"), folder, filterOf(kind)));
    else if (const QString file =
                 QFileDialog::getOpenFileName(window(), tr("Choose a file"), folder, filterOf(kind));
             !file.isEmpty())
        m_edit->take({file});
}

void PathField::chooseFolder() {
    const QString folder = QFileDialog::getExistingDirectory(window(), tr("Choose a folder"));
    if (!folder.isEmpty())
        m_edit->take({folder});
}

namespace {

constexpr int paragraphLines = 3;  ///< of an empty one
constexpr int mostParagraphLines = 10;
constexpr double realStep = 0.1;

QHBoxLayout* bareRow(QWidget* widget) {
    auto* row = new QHBoxLayout(widget);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(tightSpacing);
    return row;
}

QToolButton* iconButton(QWidget* parent, const char* icon, const QString& name) {
    auto* button = new QToolButton(parent);
    button->setIcon(themedIcon(QLatin1String(icon)));
    button->setToolTip(name);
    button->setAccessibleName(name);
    return button;
}

class LineField : public KeyField {
    Q_OBJECT

  public:
    explicit LineField(QWidget* parent) : KeyField(parent, Extent::Wide), m_edit(new QLineEdit(this)) {
        bareRow(this)->addWidget(m_edit);
        setInput(m_edit);
        connect(m_edit, &QLineEdit::textEdited, this, &KeyField::edited);
    }

    [[nodiscard]] QString text() const override { return m_edit->text(); }
    void setText(const QString& text) override { m_edit->setText(text); }

  protected:
    void setStandIn(const QString& /*value*/, const QString& words) override {
        m_edit->setPlaceholderText(words);
    }

  private:
    QLineEdit* m_edit;
};

class ParagraphField : public KeyField {
    Q_OBJECT

  public:
    explicit ParagraphField(QWidget* parent)
        : KeyField(parent, Extent::Paragraph), m_edit(new TextEdit(this)) {
        bareRow(this)->addWidget(m_edit);
        m_edit->setTabChangesFocus(true);
        setInput(m_edit);
        grow();
        connect(m_edit->document()->documentLayout(), &QAbstractTextDocumentLayout::documentSizeChanged, this,
                &ParagraphField::grow);
        connect(m_edit, &QPlainTextEdit::textChanged, this, [this] { emit edited(text()); });
    }

    [[nodiscard]] QString text() const override { return m_edit->toPlainText(); }
    void setText(const QString& text) override { m_edit->replaceText(text); }

  private:
    /// Grows with its text.
    void grow() {
        const int frame =
            2 * (m_edit->frameWidth() + static_cast<int>(std::ceil(m_edit->document()->documentMargin())));
        const int lines =
            static_cast<int>(std::ceil(m_edit->document()->size().height()));  // not pixels here
        m_edit->setFixedHeight(std::clamp(lines, paragraphLines, mostParagraphLines) *
                                   QFontMetrics(m_edit->font()).lineSpacing() +
                               frame);
    }

    TextEdit* m_edit;
};

NumberEdit::Steps stepsOf(const ProjectKey& key) {
    if (const auto* integers = std::get_if<IntegerRange>(&key.range))
        return {static_cast<double>(integers->automatic.value_or(integers->minimum)),
                static_cast<double>(integers->maximum), static_cast<double>(integers->step), true};
    if (const auto* reals = std::get_if<RealRange>(&key.range))
        return {reals->minimum, reals->maximum, realStep, false};
    if (std::holds_alternative<Seed Project::*>(key.member))
        return {-1, static_cast<double>(std::numeric_limits<std::uint64_t>::max()), 1, true};
    const bool integer = std::holds_alternative<std::int64_t Project::*>(key.member);
    return {std::numeric_limits<double>::lowest(), std::numeric_limits<double>::max(), integer ? 1 : realStep,
            integer};
}

class NumberField : public KeyField {
    Q_OBJECT

  public:
    NumberField(const ProjectKey& key, QWidget* parent)
        : KeyField(parent, Extent::Narrow), m_edit(new NumberEdit(stepsOf(key), this)) {
        QHBoxLayout* row = bareRow(this);
        row->addWidget(m_edit);
        setInput(m_edit);
        connect(m_edit, &NumberEdit::edited, this, &KeyField::edited);
        if (key.name != "seed")
            return;
        row->addWidget(makeDice());
        const QString longest = QString::number(std::numeric_limits<int>::max());  // of the dice
        m_edit->setMinimumWidth(m_edit->fontMetrics().horizontalAdvance(longest) + arrowsWidth);
    }

    [[nodiscard]] QString text() const override { return m_edit->value(); }
    void setText(const QString& text) override { m_edit->setValue(text); }

  protected:
    void setStandIn(const QString& value, const QString& words) override { m_edit->setStandIn(value, words); }

  private:
    QToolButton* makeDice() {
        QToolButton* dice = iconButton(this, "dice", KeyField::tr("Take a random seed"));
        connect(dice, &QToolButton::clicked, this, [this] {
            const QString seed =
                QString::number(QRandomGenerator::global()->bounded(std::numeric_limits<int>::max()));
            setText(seed);
            emit chosen(seed);
        });
        return dice;
    }

    NumberEdit* m_edit;
};

/// Why a choice cannot be taken in this version; empty when it can.
std::string_view refusal(const ProjectKey& key, std::string_view choice) {
    if (key.name != "attention")
        return {};
    const AttentionMode* mode = findAttentionMode(choice);
    return mode == nullptr || mode->runs() ? std::string_view() : mode->instead;
}

class ChoiceField : public KeyField {
    Q_OBJECT

  public:
    ChoiceField(const ProjectKey& key, QWidget* parent)
        : KeyField(parent, Extent::Wide), m_combo(new FormComboBox(this)) {
        bareRow(this)->addWidget(m_combo);
        setInput(m_combo);
        auto* items = new QStandardItemModel(m_combo);
        for (const Choice& choice : key.choices()) {
            auto* item = new QStandardItem(QString::fromStdString(std::string(choice.name)));
            const std::string_view reason = refusal(key, choice.name);
            item->setEnabled(reason.empty());
            // With the name, for which the box may be too narrow.
            item->setToolTip(QStringLiteral("%1: %2").arg(item->text(),
                                                          engineText(reason.empty() ? choice.help : reason)));
            items->appendRow(item);
        }
        m_combo->setModel(items);
        connect(m_combo, &QComboBox::textActivated, this, &KeyField::chosen);
        connect(m_combo, &QComboBox::currentIndexChanged, this,
                [this](int row) { m_combo->setToolTip(m_combo->itemData(row, Qt::ToolTipRole).toString()); });
    }

    [[nodiscard]] QString text() const override { return m_combo->currentText(); }
    void setText(const QString& text) override { m_combo->setCurrentIndex(m_combo->findText(text)); }

  private:
    QComboBox* m_combo;
};

class SwitchField : public KeyField {
    Q_OBJECT

  public:
    explicit SwitchField(QWidget* parent) : KeyField(parent, Extent::Narrow), m_box(new QCheckBox(this)) {
        bareRow(this)->addWidget(m_box);
        setInput(m_box);
        connect(m_box, &QCheckBox::clicked, this, [this] { emit chosen(text()); });
    }

    [[nodiscard]] QString text() const override {
        return m_box->isChecked() ? QStringLiteral("true") : QStringLiteral("false");
    }
    void setText(const QString& text) override { m_box->setChecked(text == QLatin1String("true")); }

  private:
    QCheckBox* m_box;
};

/// Name of an installed model, or a folder.
class ModelField : public KeyField {
    Q_OBJECT

  public:
    explicit ModelField(QWidget* parent) : KeyField(parent, Extent::Wide), m_combo(new FormComboBox(this)) {
        QHBoxLayout* row = bareRow(this);
        row->addWidget(m_combo, 1);
        m_combo->setEditable(true);
        for (const ModelInfo& model : installedModels())
            m_combo->addItem(QString::fromStdString(model.name));
        setInput(m_combo);
        auto* edit = new PathEdit(PathEdit::Count::One, m_combo);
        m_combo->setLineEdit(edit);
        connect(m_combo, &QComboBox::editTextChanged, this, [this, edit](const QString& text) {
            if (edit->isTyping())
                emit edited(text);
            else
                emit chosen(text);
        });
        row->addWidget(makeChooser(*edit));
    }

    [[nodiscard]] QString text() const override { return m_combo->currentText(); }
    void setText(const QString& text) override {
        const QSignalBlocker blocker(m_combo);
        m_combo->setEditText(text);
    }

  private:
    QToolButton* makeChooser(PathEdit& edit) {
        QToolButton* button = iconButton(this, "folder", KeyField::tr("Choose a model"));
        auto* menu = new QMenu(button);
        menu->addAction(KeyField::tr("Choose a model &folder…"), this, [this, &edit] {
            if (const QString folder =
                    QFileDialog::getExistingDirectory(window(), KeyField::tr("Choose a model folder"));
                !folder.isEmpty())
                edit.take({folder});
        });
        menu->addAction(KeyField::tr("Choose a transformer’s f&ile…"), this, [this, &edit] {
            if (const QString file = QFileDialog::getOpenFileName(
                    window(), KeyField::tr("Choose a transformer’s file"), QString(),
                    KeyField::tr("Weights (*.safetensors *.gguf *.pth *.pt)"));
                !file.isEmpty())
                edit.take({file});
        });
        button->setMenu(menu);
        button->setPopupMode(QToolButton::InstantPopup);
        return button;
    }

    QComboBox* m_combo;
};

}  // namespace

KeyField* KeyField::make(const ProjectKey& key, QWidget* parent) {
    KeyField* field = makeKind(key, parent);
    field->showApplied(key, nullptr);
    return field;
}

KeyField* KeyField::makeKind(const ProjectKey& key, QWidget* parent) {
    if (key.choices != nullptr)
        return new ChoiceField(key, parent);
    if (std::holds_alternative<bool Project::*>(key.member))
        return new SwitchField(parent);
    if (key.name == "num_frames")
        return new FramesField(stepsOf(key), parent);
    if (std::holds_alternative<std::int64_t Project::*>(key.member) ||
        std::holds_alternative<double Project::*>(key.member) ||
        std::holds_alternative<Seed Project::*>(key.member))
        return new NumberField(key, parent);
    if (std::holds_alternative<LoraList Project::*>(key.member))
        return new AdapterField(key, parent);
    if (std::holds_alternative<KeyframeList Project::*>(key.member))
        return new KeyframeField(key, parent);
    if (const std::optional<PathField::Kind> kind = PathField::kindOf(key))
        return new PathField(*kind, parent);
    switch (key.form) {
        case TextForm::Paragraph:
            return new ParagraphField(parent);
        case TextForm::Model:
            return new ModelField(parent);
        case TextForm::Line:
        case TextForm::Numbers:
        case TextForm::File:
            break;
    }
    return new LineField(parent);
}

namespace {

constexpr double titleScale = 0.9;

}  // namespace

BoundField::BoundField(ProjectDocument& document, const ProjectKey& key, const QString& title,
                       QWidget* parent)
    : QWidget(parent), m_document(document), m_key(key), m_field(KeyField::make(key, this)) {
    auto* label = new QLabel(title, this);
    QFont font = label->font();
    font.setPointSizeF(font.pointSizeF() * titleScale);
    label->setFont(font);
    label->setBuddy(m_field);
    m_field->describe(distinctTitle(key), engineText(key.help));
    m_field->setObjectName(QString::fromStdString(std::string(key.name)));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(label);
    layout->addWidget(m_field);
    connect(m_field, &KeyField::edited, this,
            [this](const QString& text) { m_document.typeText(m_key, text); });
    connect(m_field, &KeyField::chosen, this,
            [this](const QString& text) { m_document.setText(m_key, text); });
    connect(&m_document, &ProjectDocument::changed, this, &BoundField::refresh);
    refresh();
}

void BoundField::showApplied(const Project* applied) {
    m_field->showApplied(m_key, applied);
}

void BoundField::refresh() {
    const QString text = m_document.text(m_key);
    if (m_field->text() != text)
        m_field->setText(text);
    const std::vector<Problem>& problems = m_document.problems();
    const auto problem = std::ranges::find_if(problems, [this](const Problem& candidate) {
        return candidate.key == m_key.name && candidate.severity == Severity::Error;
    });
    m_field->setInvalid(problem != problems.end());
    m_field->setToolTip(problem == problems.end() ? engineText(m_key.help)
                                                  : asPlainText(sentenceText(problem->asSentence())));
}

}  // namespace meshreel

#include "key_field.moc"

#include "moc_key_field.cpp"
