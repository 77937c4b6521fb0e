// SPDX-License-Identifier: GPL-3.0-or-later
// What a project is planned for is kept with it: while it is open, and for its file; never for another one.
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <string>

#include "engine/base/files.h"
#include "tests/support/charts/test_classes.h"
#include "ui/project/project_document.h"
#include "ui/project/project_target.h"
#include "ui/project/target_choice.h"

using namespace meshreel;

namespace {

const QString tpu = QStringLiteral("tpu-v7x");

/// A document and its choice, as in a window of the Studio.
struct Opened {
    ProjectDocument document;
    TargetChoice choice;
    ProjectTarget target{document, choice};
};

}  // namespace

class ProjectTargetTest : public QObject {
    Q_OBJECT

  private slots:
    void init();
    void aNewProjectBeginsWithThisMachine();
    void undoingFindsItAgain();
    void aFileHasItTheNextTime();
    void programsAreKeptToo();
    void savingElsewhereTakesItAlong();
    void leavingItIsKept();
    void filesAreOneByAnyPath();
    void aProfileThatIsGoneIsLeft();
    void aKeptProfileThatCannotBeReadStaysKept();

  private:
    [[nodiscard]] std::filesystem::path write(const char* name) const {
        const std::filesystem::path file = m_folder.filePath(QLatin1String(name)).toStdString();
        writeFileAtomically(file, "prompt: a red ball\n");
        return file;
    }

    QTemporaryDir m_folder;
};

void ProjectTargetTest::init() {
    static int number = 0;  // settings of its own for every test
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope,
                       m_folder.filePath(QStringLiteral("settings%1").arg(++number)));
}

void ProjectTargetTest::aNewProjectBeginsWithThisMachine() {
    Opened opened;
    opened.choice.choose(tpu);
    QCOMPARE(opened.document.target().profile, tpu);
    opened.document.startNew();
    QVERIFY(opened.choice.name().isEmpty());
    const Opened later;
    QVERIFY(later.choice.name().isEmpty());
}

void ProjectTargetTest::undoingFindsItAgain() {
    Opened opened;
    opened.choice.choose(tpu);
    opened.document.adopt({}, QStringLiteral("a run"));
    QVERIFY(opened.choice.name().isEmpty());
    opened.choice.choose(QStringLiteral("h100"));
    opened.document.undoStack().undo();
    QCOMPARE(opened.choice.name(), tpu);
    opened.document.undoStack().redo();
    QCOMPARE(opened.choice.name(), QStringLiteral("h100"));
}

void ProjectTargetTest::aFileHasItTheNextTime() {
    const std::filesystem::path file = write("kept.yaml");
    const std::filesystem::path other = write("other.yaml");
    {
        Opened opened;
        opened.document.load(file);
        opened.choice.choose(tpu);
        QVERIFY2(!opened.document.isModified(), "the file stays as it is");
        opened.document.load(other);
        QVERIFY(opened.choice.name().isEmpty());
        opened.document.load(file);
        QCOMPARE(opened.choice.name(), tpu);
    }
    Opened later;
    QVERIFY(later.choice.name().isEmpty());
    later.document.load(file);
    QCOMPARE(later.choice.name(), tpu);
    QCOMPARE(readFile(file), std::string("prompt: a red ball\n"));
    // Two projects in a row with the same.
    later.document.load(other);
    later.choice.choose(tpu);
    later.document.load(file);
    QCOMPARE(later.document.target().profile, tpu);
    later.choice.choose({});
    later.document.load(other);
    QCOMPARE(later.choice.name(), tpu);
}

void ProjectTargetTest::programsAreKeptToo() {
    const std::filesystem::path file = write("program.yaml");
    Opened opened;
    opened.document.load(file);
    opened.choice.choose(tpu, QStringLiteral("maxdiffusion"));
    Opened later;
    later.document.load(file);
    QCOMPARE(later.choice.program(), QStringLiteral("maxdiffusion"));
}

void ProjectTargetTest::savingElsewhereTakesItAlong() {
    const std::filesystem::path file = m_folder.filePath(QStringLiteral("saved.yaml")).toStdString();
    Opened opened;
    opened.choice.choose(tpu);
    opened.document.save(file);
    Opened later;
    later.document.load(file);
    QCOMPARE(later.choice.name(), tpu);
}

void ProjectTargetTest::leavingItIsKept() {
    const std::filesystem::path file = write("left.yaml");
    Opened opened;
    opened.document.load(file);
    opened.choice.choose(tpu);
    opened.choice.choose({});
    Opened later;
    later.document.load(file);
    QVERIFY(later.choice.name().isEmpty());
}

void ProjectTargetTest::filesAreOneByAnyPath() {
    const std::filesystem::path file = write("same.yaml");
    const std::filesystem::path link = m_folder.filePath(QStringLiteral("link.yaml")).toStdString();
    std::filesystem::create_symlink(file, link);
    Opened opened;
    opened.document.load(link);
    opened.choice.choose(tpu);
    Opened later;
    later.document.load(file.parent_path() / "." / file.filename());
    QCOMPARE(later.choice.name(), tpu);
}

void ProjectTargetTest::aProfileThatIsGoneIsLeft() {
    const std::filesystem::path file = write("gone.yaml");
    Opened opened;
    opened.document.load(file);
    opened.choice.choose(m_folder.filePath(QStringLiteral("no-such-profile.yaml")));
    QTRY_VERIFY(opened.choice.name().isEmpty());
    QVERIFY(opened.document.target().profile.isEmpty());
    Opened later;
    later.document.load(file);
    QVERIFY(later.choice.name().isEmpty());
}

void ProjectTargetTest::aKeptProfileThatCannotBeReadStaysKept() {
    const std::filesystem::path file = write("unplugged.yaml");
    const QString profile = m_folder.filePath(QStringLiteral("on-another-disk.yaml"));
    {
        Opened opened;
        opened.document.load(file);
        opened.choice.choose(profile);  // and closed before it was read
    }
    {
        Opened opened;
        opened.document.load(file);
        QTRY_VERIFY(opened.choice.name().isEmpty());
        QVERIFY(opened.document.target().profile.isEmpty());
        opened.document.save(file);
    }
    Opened later;
    later.document.load(file);
    QCOMPARE(later.choice.name(), profile);
    later.choice.choose(tpu);
    later.choice.choose({});
    Opened last;
    last.document.load(file);
    QVERIFY(last.choice.name().isEmpty());
}

MESHREEL_TEST_CLASS(ProjectTargetTest)
#include "project_target_test.moc"
