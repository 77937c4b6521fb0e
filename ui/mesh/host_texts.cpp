// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/mesh/host_texts.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>

namespace meshreel {

namespace {

struct HostTexts {
    Q_DECLARE_TR_FUNCTIONS(meshreel::HostTexts)
};

/// Hosts that an uneven sum lists by name.
constexpr std::size_t mostNamed = 6;

QString sumOf(const std::vector<Host>& hosts) {
    const auto slotCount = [](int ranks) {
        return HostTexts::tr("%n slot(s)", "of a host, for ranks", ranks);
    };
    const auto isEven = [&](const Host& host) { return host.ranks == hosts.front().ranks; };
    const QString count = HostTexts::tr("%n host(s)", "", static_cast<int>(hosts.size()));
    if (std::ranges::all_of(hosts, isEven))
        return QStringLiteral("%1 × %2").arg(count, slotCount(hosts.front().ranks));
    QStringList terms;
    for (const Host& host : hosts)
        if (static_cast<std::size_t>(terms.size()) < mostNamed)
            terms += QStringLiteral("%1 %2").arg(QString::fromStdString(host.name)).arg(host.ranks);
    if (hosts.size() > mostNamed)
        terms += QStringLiteral("…");
    return QStringLiteral("%1: %2").arg(count, terms.join(QStringLiteral(" + ")));
}

}  // namespace

QString hostsSentence(const std::vector<Host>& hosts, int devices) {
    const int ranks = slotsOf(hosts);
    const QString sum = QStringLiteral("%1 = %2").arg(sumOf(hosts), HostTexts::tr("%n rank(s)", "", ranks));
    if (devices == 0 || devices % ranks != 0)
        return sum;
    return HostTexts::tr("%1, each with %n device(s)", "sum of ranks", devices / ranks).arg(sum);
}

}  // namespace meshreel
