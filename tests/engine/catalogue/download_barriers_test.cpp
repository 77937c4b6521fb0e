// SPDX-License-Identifier: GPL-3.0-or-later
// What stands between a company's machine and a server: proxies that want a login, authorities of their own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "download_fixture.h"
#include "engine/base/error.h"
#include "tests/support/http_server.h"
#include "tests/support/refusal.h"

namespace meshreel {
namespace {

using testing::Download;
using ::testing::HasSubstr;

TEST_F(Download, AProxyThatWantsALoginIsNamedAndAskedOnce) {
    const testing::HttpServer proxy([](const testing::HttpRequest&) {
        testing::HttpAnswer answer;
        answer.status = 407;
        answer.headers = {{"Proxy-Authenticate", "Basic realm=\"office\""}};
        return answer;
    });
    setenv("http_proxy", proxy.address().c_str(), 1);
    DownloadServer asked = impatient(proxy);
    asked.endpoint = "http://models.example";
    const Error refused = refusal(asked);
    unsetenv("http_proxy");
    EXPECT_EQ(refused.kind(), ErrorKind::Input);
    EXPECT_THAT(refused.problem(), testing::Names("models.example"));
    EXPECT_THAT(refused.hint().text(), HasSubstr("https_proxy"));
    EXPECT_EQ(proxy.requests().size(), 1U) << "another try meets the same proxy";
}

/// A list that is not there is found out before the server's certificate is looked at, and is quoted.
TEST_F(Download, AuthoritiesAreThoseOfAnyProgramsVariables) {
    const testing::HttpServer server(
        [](const testing::HttpRequest&) { return testing::HttpAnswer{.status = 404}; });
    DownloadServer asked = impatient(server);
    asked.endpoint = "https" + asked.endpoint.substr(asked.endpoint.find(':'));
    for (const char* variable : {"SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"}) {
        const std::string file = (m_folder / variable).string();
        setenv(variable, file.c_str(), 1);
        const Error refused = refusal(asked);
        unsetenv(variable);
        EXPECT_THAT(refused.what(), HasSubstr(file)) << variable;
        EXPECT_THAT(refused.hint().text(), HasSubstr("SSL_CERT_FILE")) << variable;
    }
}

}  // namespace
}  // namespace meshreel
