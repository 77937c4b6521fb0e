// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/records/run_record.h"

#include <gtest/gtest.h>

#include "engine/base/error.h"

namespace meshreel {
namespace {

constexpr const char* table =
    "bq,bkv,bkv_compute,status,mean_ms,std_ms,compile_ms,detail\n"
    "256,512,512,ok,12.5,0.1,13,\n"
    "512,512,512,oom,,,,\"needs 3 MiB, but\nvmem_limit_bytes allows \"\"2\"\"\"\n"
    "768,256,256,ok,15,0.1,16,\n";

RunRecord tileRun(std::int64_t blockQ, std::int64_t blockKv, double seconds) {
    RunRecord run;
    run.name = "run";
    run.attention = "flash";
    run.blockQ = blockQ;
    run.blockKv = blockKv;
    run.steps = {{.step = 0, .seconds = 99}, {.step = 1, .seconds = seconds}};
    return run;
}

TEST(TileTimes, ATableGivesTheChoicesThatRan) {
    const std::vector<TileTime> tiles = parseTileTable(table, "search.csv");
    EXPECT_EQ(tiles, (std::vector<TileTime>{{256, 512, 0.0125}, {768, 256, 0.015}}));
}

TEST(TileTimes, OtherAndDamagedTablesAreRefused) {
    for (const std::string& text : {std::string(), std::string("step,timestep\n0,1\n"),
                                    std::string(table).substr(0, std::string(table).size() - 8),
                                    std::string("bq,bkv,bkv_compute,status,mean_ms\n1,2,2,ok,fast\n"),
                                    std::string("bq,bkv,bkv_compute,status,mean_ms\n1,2,2,error,\n")}) {
        try {
            static_cast<void>(parseTileTable(text, "search.csv"));
            ADD_FAILURE() << "taken: " << text;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Input);
            EXPECT_TRUE(error.where().starts_with("search.csv")) << error.where();
        }
    }
}

TEST(TileTimes, RunsOfOnePairAreAveraged) {
    const std::vector<TileTime> tiles =
        tileTimes({tileRun(256, 512, 2), tileRun(128, 512, 5), tileRun(256, 512, 4)});
    EXPECT_EQ(tiles, (std::vector<TileTime>{{128, 512, 5}, {256, 512, 3}}));
}

TEST(TileTimes, RunsThatDifferOtherwiseAreRefused) {
    RunRecord larger = tileRun(128, 512, 5);
    larger.frames = 81;
    RunRecord split = tileRun(128, 512, 5);
    split.ulysses = 2;
    RunRecord search;
    search.tiles = {{1, 1, 1}};
    RunRecord begun = tileRun(1, 1, 1);
    begun.steps.clear();
    RunRecord unguided = tileRun(128, 512, 5);
    unguided.settings.task["guidance_scale"] = "off";
    RunRecord onOtherAxis = tileRun(128, 512, 5);
    onOtherAxis.settings.mesh["fsdp"] = "2";
    for (const RunRecord& other : {larger, split, search, unguided, onOtherAxis})
        EXPECT_THROW(static_cast<void>(tileTimes({tileRun(256, 512, 2), other})), Error);
    EXPECT_THROW(static_cast<void>(tileTimes({begun})), Error);
    EXPECT_EQ(tileTimes({tileRun(256, 512, 2), begun}).size(), 1U);
}

TEST(TileTimes, ARefusalOfOtherWorkNamesTheSettings) {
    RunRecord unguided = tileRun(128, 512, 5);
    unguided.settings.task["guidance_scale"] = "off";
    try {
        static_cast<void>(tileTimes({tileRun(256, 512, 2), unguided}));
        ADD_FAILURE() << "averaged";
    } catch (const Error& error) {
        EXPECT_NE(error.message().text().find("guidance_scale off"), std::string::npos);
    }
}

TEST(TileTimes, AColdStepSpoilsNoMean) {
    RunRecord cold = tileRun(256, 512, 9);
    cold.steps.resize(1);
    EXPECT_EQ(tileTimes({tileRun(256, 512, 2), cold}), (std::vector<TileTime>{{256, 512, 2}}));
}

TEST(TileTimes, RunsThatCanStandBesideEachOtherAreTold) {
    const RunRecord run = tileRun(256, 512, 2);
    RunRecord larger = tileRun(128, 512, 5);
    larger.frames = 81;
    RunRecord search;
    search.tiles = {{1, 1, 1}};
    EXPECT_TRUE(differInTilesOnly(run, tileRun(128, 512, 5)));
    EXPECT_FALSE(differInTilesOnly(run, larger));
    EXPECT_FALSE(differInTilesOnly(run, search));
    EXPECT_FALSE(differInTilesOnly(search, search));
}

}  // namespace
}  // namespace meshreel
