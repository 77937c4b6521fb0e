// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures of files that others may have written.
#include <QTest>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/media/image.h"
#include "tests/support/charts/test_classes.h"
#include "tests/support/temporary_folder.h"
#include "ui/values/pictures.h"

using namespace meshreel;

class PicturesTest : public QObject {
    Q_OBJECT

  private slots:
    void thumbnailsFillTheirSizeAndAreNotEnlarged();
    void theEnginesLimitsHold();
    void onlyFormatsOfTheEngineAreRead();

  private:
    testing::TemporaryFolder m_folder;

    [[nodiscard]] QString pathTo(const char* name) const {
        return QString::fromStdString((m_folder / name).string());
    }
    static QPixmap thumbnail(const QString& file) { return readThumbnail(file, {36, 22}, Links::Follow); }
};

void PicturesTest::thumbnailsFillTheirSizeAndAreNotEnlarged() {
    writePng(m_folder / "large.png", Tensor::zeros({220, 720, 3}, DType::U8));
    QCOMPARE(thumbnail(pathTo("large.png")).size(), QSize(72, 22));
    writePng(m_folder / "small.png", Tensor::zeros({8, 9, 3}, DType::U8));
    QCOMPARE(thumbnail(pathTo("small.png")).size(), QSize(9, 8));
    QVERIFY(thumbnail(pathTo("missing.png")).isNull());
}

void PicturesTest::theEnginesLimitsHold() {
    // 1 x 1 pixels that claim to be 30,000 x 30,000: the size and checksum of its first chunk are changed.
    std::string bytes = encodePng(Tensor::zeros({1, 1, 3}, DType::U8));
    bytes.replace(16, 8, std::string("\0\0\x75\x30\0\0\x75\x30", 8));
    std::uint32_t sum = 0xFFFFFFFFU;
    for (std::size_t at = 12; at < 29; ++at) {
        sum ^= static_cast<unsigned char>(bytes[at]);
        for (int bit = 0; bit < 8; ++bit)
            sum = (sum >> 1U) ^ ((sum & 1U) != 0 ? 0xEDB88320U : 0);
    }
    for (std::size_t byte = 0; byte < 4; ++byte)
        bytes[29 + byte] = static_cast<char>(~sum >> (8 * (3 - byte)));
    writeFileAtomically(m_folder / "bomb.png", bytes);
    QVERIFY(thumbnail(pathTo("bomb.png")).isNull());
    QVERIFY_THROWS_EXCEPTION(Error, readPicture(m_folder / "bomb.png"));
}

void PicturesTest::onlyFormatsOfTheEngineAreRead() {
    writeFileAtomically(m_folder / "drawing.png",
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"8\" height=\"8\"/>");
    QVERIFY(thumbnail(pathTo("drawing.png")).isNull());
}

MESHREEL_TEST_CLASS(PicturesTest)
#include "pictures_test.moc"
