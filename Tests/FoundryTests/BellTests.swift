import Basics
import Foundation
import Sound
import TestSupport
import Testing

@testable import Foundry

@Suite struct BellTests {
  private let folder = TemporaryFolder()

  private let bell = Bell(
    name: "test", strike: 440, level: -12, attack: 0.04, seconds: 0.5, seeds: [1],
    partials: [
      Bell.Partial(frequency: 220, t60: 9, level: -20),
      Bell.Partial(frequency: 440, t60: 5, level: -6),
      Bell.Partial(frequency: 441, t60: 5, level: -9),
      Bell.Partial(frequency: 880, t60: 3, level: 0),
      Bell.Partial(frequency: 1320, t60: 2, level: -3),
    ])

  @Test("a seed gives the same blow each time") func seedGivesTheSameBlow() {
    #expect(samples(BellBlow(bell, seed: 7)) == samples(BellBlow(bell, seed: 7)))
  }

  @Test("another seed gives another blow") func anotherSeedGivesAnotherBlow() {
    #expect(samples(BellBlow(bell, seed: 7)) != samples(BellBlow(bell, seed: 8)))
  }

  @Test("every machine makes the same samples") func everyMachineMakesTheSame() {
    #expect(digest(samples(BellBlow(bell, seed: 1))) == 10_669_472_161_695_773_681)
    #expect(digest(samples(CuckooCall())) == 10_791_457_086_276_386_851)
    #expect(digest(samples(Pip(seconds: 0.1))) == 10_377_428_944_575_127_141)
  }

  @Test("the size of a block is not heard", arguments: [1, 479, 5000])
  func blockSizeIsNotHeard(blockFrames: Int) {
    #expect(
      samples(BellBlow(bell, seed: 1), blockFrames: blockFrames)
        == samples(BellBlow(bell, seed: 1)))
    #expect(samples(CuckooCall(), blockFrames: blockFrames) == samples(CuckooCall()))
  }

  @Test("a blow has its length, and ends in silence") func blowEndsInSilence() {
    let blow = samples(BellBlow(bell, seed: 1))
    #expect(blow.count == 24_000)
    #expect(blow.suffix(100).allSatisfy { $0.magnitude < 4 })
    #expect(blow.map(\.magnitude).max()! > 300)
  }

  @Test("a bell that is scaled up dies sooner by the same ratio") func scaledUpDiesSooner() {
    let scaled = bell.partials(scaledTo: 880)
    #expect(scaled.map(\.frequency) == [440, 880, 882, 1760, 2640])
    #expect(scaled.map(\.t60) == [4.5, 2.5, 2.5, 1.5, 1])
    #expect(scaled.map(\.level) == bell.partials.map(\.level))
  }

  @Test("a pip has its frames and no step at its ends", arguments: [0.1, 0.5])
  func pipHasItsFrames(seconds: Double) {
    let pip = samples(Pip(seconds: seconds))
    #expect(pip.count == Int(seconds * 48_000))
    #expect(pip.first == 0 && pip.last == 0)
  }

  @Test("a take is written to FLAC as it is") func writtenAsItIs() throws {
    let path = "\(folder.path)/blow.flac"
    try BellBlow(bell, seed: 1).write(to: path)
    #expect(folder.files == ["blow.flac"])
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)).prefix(4) == Data("fLaC".utf8))
    let file = try SoundFile(path: path)
    let block = UnsafeMutableBufferPointer<Float>.allocate(capacity: file.frames)
    defer { block.deallocate() }
    #expect(try file.read(into: block) == 24_000)
    #expect(block.map { Int16($0 * 32768) } == samples(BellBlow(bell, seed: 1)))
  }
}

@Suite struct BellTableTests {
  private let folder = TemporaryFolder()

  private static let table = """
    [bell E3]
    strike = 200
    concert = 100
    level = -12
    attack = 0.04
    seconds = 10
    seeds = 4 5
    partial = 400 8 0
    partial = 401 8 -6.5
    [bell F#3]
    from = E3
    strike = 300
    concert = 100
    level = -13
    attack = 0.03
    seconds = 5
    seeds = 6

    """

  private func bells(_ tuning: Tuning, _ text: String = BellTableTests.table) throws -> [Bell] {
    try folder.write("bells.ini", text)
    return try BellTable(path: "\(folder.path)/bells.ini", tuning: tuning).bells
  }

  @Test("a bell has the figures of the table") func hasTheFigures() throws {
    let bell = try bells(.authentic)[0]
    #expect(bell.name == "E3" && bell.strike == 200 && bell.seeds == [4, 5])
    #expect(bell.partials[1] == Bell.Partial(frequency: 401, t60: 8, level: -6.5))
  }

  @Test("a bell from another has its partials, scaled") func fromAnother() throws {
    let bell = try bells(.authentic)[1]
    #expect(bell.name == "F#3")
    #expect(bell.partials.map(\.frequency) == [600, 601.5])
  }

  @Test("concert bells are scaled to their notes") func concertBellsAreScaled() throws {
    let bells = try bells(.concert)
    #expect(bells.map(\.strike) == [100, 100])
    #expect(bells.map { $0.partials[0].frequency } == [200, 200])
    #expect(bells[0].partials[0].t60 == 16)
  }

  @Test("files are named after bell and take") func filesAreNamed() throws {
    let names = SoundSet(bells: try bells(.authentic)).takes.map(\.fileName)
    #expect(
      names == [
        "E3-1.flac", "E3-2.flac", "Fsharp3-1.flac", "pip.flac", "pip-long.flac", "cuckoo.flac",
      ])
  }

  @Test(
    "what is wrong in the table is told with its line",
    arguments: [
      ("[bell E3]", "[bell ../x]", ":2: a bell's name is made of letters, digits and #"),
      ("[bell E3]", "[gong E3]", ":1: unknown section [gong E3]"),
      (
        "[bell E3]", "level = -12\n[bell E3]",
        ":1: it stands before the first section; there is [bell NAME]"
      ),
      ("[bell F#3]", "[bel]\n[bell F#3]", ":10: unknown section [bel]; there is [bell NAME]"),
      ("[bell F#3]", "[bell G3]\nfrom = E3\n[bell E3]", ":13: bell 'E3' is there twice"),
      ("strike = 200", "strike = low", ":2: strike = low is not a number from 20.0 to 10000.0"),
      ("seconds = 10", "seconds = nan", ":6: seconds = nan is not a number"),
      ("seeds = 4 5", "seeds = 4 x", ":7: seeds = 4 x is not one whole number or several"),
      ("partial = 400 8 0", "partial = 400 8", ":8: partial = 400 8 is not Hz, seconds and"),
      ("level = -12", "loud = -12", ":4: unknown key 'loud'"),
      ("concert = 100\nlevel = -12", "level = -12", "no 'concert' in [bell E3]"),
      ("from = E3", "from = E2", "[bell F#3] is from 'E2', which is no bell with partials above"),
      ("seeds = 6", "", "[bell F#3] has no seeds"),
    ])
  func whatIsWrongIsTold(text: String, instead: String, words: String) throws {
    let fault = faultThrown {
      _ = try bells(.concert, Self.table.replacingOccurrences(of: text, with: instead))
    }
    #expect(fault?.description.contains(words) == true, "\(String(describing: fault))")
  }
}

@Suite struct ComplexTests {
  @Test("powers of e agree with the C library", arguments: [-20, -1.5, -1e-5, 0, 1e-9, 0.7, 12])
  func powersOfE(real: Double) {
    for imaginary in [-400, -3, -0.01, 0, 1e-7, 1.2, 80] {
      let power = Complex(real, imaginary).exponential
      let error = Complex(exp(real) * cos(imaginary), exp(real) * sin(imaginary)) - power
      #expect(error.magnitude / exp(real) < 1e-12)
    }
  }

  @Test("a quotient times its divisor is the dividend") func quotients() {
    let product = Complex(3, -4) / Complex(-1, 2) * Complex(-1, 2)
    #expect((product - Complex(3, -4)).magnitude < 1e-15)
  }
}

@Suite struct TowerTests {
  @Test("sound comes first as it is, then from the walls, then dies") func soundComesFirst() {
    var tower = Tower(rate: 48_000)
    var answer = [Double](repeating: 0, count: 72_000)
    answer[0] = 1
    answer.withUnsafeMutableBufferPointer { tower.process($0) }
    #expect(answer[0] == 1)
    #expect(answer[1..<300].allSatisfy { $0 == 0 })
    func energy(_ range: Range<Int>) -> Double { answer[range].reduce(0) { $0 + $1 * $1 } }
    #expect(energy(300..<48_000) < 0.3, "the bell is nearer than the walls")
    #expect(energy(300..<4800) > 10 * energy(4800..<14_400))
    #expect(energy(4800..<14_400) > 1e-4)
    #expect(energy(48_000..<72_000) < 1e-6 * energy(4800..<14_400))
  }

  @Test("it knows by how much it makes a tone louder", arguments: [97.04, 679.04, 1817.4, 3815])
  func knowsItsGain(frequency: Double) {
    var tower = Tower(rate: 48_000)
    let angle = 2 * Double.pi * frequency / 48_000
    let decay = decayFactor(t60: 4, rate: 48_000)
    var tone = (0..<96_000).map { pow(decay, Double($0)) * cos(angle * Double($0)) }
    func energy() -> Double { tone[72_000..<96_000].reduce(0) { $0 + $1 * $1 } }
    let before = energy()
    tone.withUnsafeMutableBufferPointer { tower.process($0) }
    let gain = (energy() / before).squareRoot()
    #expect(abs(gain / tower.gain(at: angle, t60: 4, rate: 48_000) - 1) < 0.02)
  }
}
