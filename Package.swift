// swift-tools-version: 6.0
import PackageDescription

let readers: [Target.Dependency] = [
  "Basics", "Daemon", "Horology", "Sound", "Service", "Relay", "CSystemd", "TestSupport",
]

let package = Package(
  name: "clocksmith",
  products: [
    .executable(name: "clocksmith", targets: ["clocksmith"]),
    .executable(name: "clocksmith-relay", targets: ["clocksmith-relay"]),
  ],
  targets: [
    // System libraries: a module map and a header of includes each.
    .systemLibrary(name: "CALSA"),
    .systemLibrary(name: "CCurl"),
    .systemLibrary(name: "CEBUR128"),
    .systemLibrary(name: "CINI"),
    .systemLibrary(name: "CJSON"),
    .systemLibrary(name: "CJWT"),
    .systemLibrary(name: "CLinux"),
    .systemLibrary(name: "CMicroHTTPD"),
    .systemLibrary(name: "CMosquitto"),
    .systemLibrary(name: "CMPG123"),
    .systemLibrary(name: "COpenSSL"),
    .systemLibrary(name: "CSampleRate"),
    .systemLibrary(name: "CSndFile"),
    .systemLibrary(name: "CSQLite"),
    .systemLibrary(name: "CSystemd"),
    .systemLibrary(name: "CZLib"),
    .target(name: "CClocksmith", linkerSettings: [.linkedLibrary("gpiod")]),

    // The rooms, each with what it may import.
    .target(name: "Basics", dependencies: ["CINI", "CJSON", "CLinux"]),
    .target(name: "Daemon", dependencies: ["Basics", "CLinux", "CSystemd"]),
    .target(name: "Horology", dependencies: ["Basics"]),
    .target(name: "Vocabulary"),
    .target(name: "Sound", dependencies: ["Basics", "Horology", "CSampleRate", "CSndFile"]),
    .target(name: "Studio", dependencies: ["Basics", "Horology", "Sound", "CEBUR128", "CMPG123"]),
    .target(
      name: "Devices",
      dependencies: ["Basics", "Horology", "Sound", "CALSA", "CClocksmith", "CLinux", "CSystemd"]),
    .target(name: "Playing", dependencies: ["Basics", "Horology", "Sound", "Devices"]),
    .target(
      name: "Service",
      dependencies: [
        "Basics", "Daemon", "Horology", "Sound", "Devices", "Playing", "Vocabulary",
        "CClocksmith", "CLinux", "CSystemd",
      ]),
    .target(name: "Simulation", dependencies: ["Basics", "Horology", "Devices", "Service"]),
    .target(
      name: "Relay",
      dependencies: [
        "Basics", "Daemon", "Horology", "Vocabulary", "CCurl", "CJWT", "CLinux", "CMicroHTTPD",
        "CMosquitto",
        "COpenSSL", "CSQLite", "CSystemd", "CZLib",
      ]),
    .executableTarget(
      name: "clocksmith",
      dependencies: [
        "Basics", "Daemon", "Horology", "Sound", "Studio", "Devices", "Playing", "Service",
        "CLinux",
      ]),
    .executableTarget(name: "clocksmith-relay", dependencies: ["Basics", "Horology", "Relay"]),
    // Built, not installed.
    .executableTarget(
      name: "clocksmith-simulate",
      dependencies: ["Basics", "Horology", "Devices", "Simulation"]),

    // What deploy/bench measures with; no product has it.
    .executableTarget(
      name: "onsets",
      dependencies: ["Basics", "Daemon", "Horology", "Sound", "Devices", "Playing", "Service"],
      path: "Tests/onsets"),
    .target(
      name: "TestSupport", dependencies: ["Basics", "Devices", "Horology", "Sound"],
      path: "Tests/TestSupport"),
    // The readers of what others have made.
    .testTarget(name: "Hostile", dependencies: readers, path: "Tests/Hostile"),
    .testTarget(name: "BasicsTests", dependencies: ["Basics", "TestSupport"]),
    .testTarget(name: "DaemonTests", dependencies: ["Daemon", "TestSupport"]),
    .testTarget(name: "HorologyTests", dependencies: ["Horology", "TestSupport"]),
    .testTarget(name: "SoundTests", dependencies: ["Sound", "Studio", "TestSupport"]),
    .testTarget(name: "StudioTests", dependencies: ["Studio", "TestSupport"]),
    .testTarget(name: "DevicesTests", dependencies: ["CClocksmith", "Devices", "TestSupport"]),
    .testTarget(
      name: "PlayingTests", dependencies: ["Playing", "Service", "Studio", "TestSupport"]),
    .testTarget(name: "ServiceTests", dependencies: ["Service", "TestSupport", "Vocabulary"]),
    .testTarget(
      name: "RelayTests", dependencies: ["Horology", "Relay", "TestSupport", "Vocabulary"]),
    .testTarget(name: "SimulationTests", dependencies: ["Horology", "Simulation", "TestSupport"]),
  ],
  swiftLanguageModes: [.v6]
)

// Nobody loads the programs as libraries, so they export no symbols, and what nobody calls is left out;
// relocations are packed (lld, glibc 2.36). A tenth of the program and of the memory that it holds.
for target in package.targets where target.type == .executable {
  let linker = ["--no-export-dynamic", "-z", "pack-relative-relocs"].flatMap { ["-Xlinker", $0] }
  target.linkerSettings = [.unsafeFlags(["-use-ld=lld"] + linker, .when(configuration: .release))]
}

// A twentieth smaller than with -O, for 3 % of the speed.
for target in package.targets where [.regular, .executable].contains(target.type) {
  target.swiftSettings = [.unsafeFlags(["-Osize"], .when(configuration: .release))]
}

// Tests/fuzz/readers feeds them by libFuzzer, which has a main function of its own: without its flags
// this cannot be linked.
if Context.environment["CLOCKSMITH_FUZZ"] != nil {
  package.targets.removeAll { $0.name == "Hostile" }
  package.targets += [
    .target(
      name: "Hostile", dependencies: readers, path: "Tests/Hostile",
      exclude: ["CorpusTests.swift"]),
    .executableTarget(
      name: "fuzz-readers", dependencies: ["Hostile"], path: "Tests/fuzz/readers-main"),
  ]
}
